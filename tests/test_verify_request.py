"""`mxlint verify FILE:ROW` says what `mxlint check --verify` says of the same finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from needed import needs_mlx

from mxlint import cli

pytestmark = needs_mlx

PROJECT = {
    "pyproject.toml": "[tool.mxlint]\nignore = ['MX602']\nexclude = ['generated']\n",
    "src/lib/__init__.py": "",
    "src/lib/steps.py": "import mlx.core as mx\n\nscale = mx.array(2.0)\nkept = []\n\n\n@mx.compile\ndef step(x):\n    kept.append(x * 2)\n    return x * scale\n\n\n"
    "@mx.compile\ndef told(x):\n    print(x)\n    return x\n",
    "scripts/train.py": "import mlx.core as mx\nfrom lib import steps\n\nfor n in range(4):\n    y = steps.step(mx.ones(3))\n    steps.scale = steps.scale + 1\n",
    "tools/sizes.py": "import mlx.core as mx\n\n\ndef mean(x):\n    return mx.sum(x) / x.shape[0]\n\n\nmean = mx.compile(mean, shapeless=True)\n",
    "tools/run.py": "import mlx.core as mx\nimport sizes\n\nfor n in (2, 3):\n    print(sizes.mean(mx.ones(n)))\n",
    "generated/calls.py": "import mlx.core as mx\nfrom lib import steps\n\nsteps.told(mx.ones(3))\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def diagnostics(*arguments: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(cli.main, [*arguments, "--output-format", "json", "--no-cache"])
    assert done.exit_code in (0, 1), done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)["diagnostics"]
    return found


def said(diagnostic: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on the clock."""
    return {key: diagnostic["verify"][key] for key in ("verdict", "level", "reason", "evidence", "fix")}


def test_one_finding_has_the_verdict_that_it_has_among_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = [diagnostic for diagnostic in diagnostics("check", "--verify", ".") if diagnostic["verify"] is not None]
    assert {Path(diagnostic["filename"]).parts[0] for diagnostic in every} == {"src", "tools"}
    monkeypatch.chdir(folder / "tools")  # where one stands is no part of the project
    for diagnostic in every:
        place = f"{folder / diagnostic['filename']}:{diagnostic['location']['row']}"
        (one,) = diagnostics("verify", place, "--as", diagnostic["code"])
        assert said(one) == said(diagnostic), place
