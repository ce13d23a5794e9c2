"""The fixtures of `make demo`: mxlint finds exactly what their comments mark, and real MLX does what they say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent / "fixtures"
MARKER = re.compile(r"#.*\b(MX\d{3})$")

# What each program ends with under MLX.
OUTCOMES = {
    "appended_state.py": "RuntimeError: [eval] Attempting to eval an array without a primitive.",
    "baked_shape.py": "ValueError: [reshape] Cannot reshape array of size 75 into shape (6,12).",
    "compile_in_loop.py": "True",
    "good.py": "(25, 3)",
    "print_in_compiled.py": "ValueError: [eval] Attempting to eval an array during function transformations like compile or vmap is not allowed.",
    "stale_state.py": "[2.0, 2.0, 2.0]\n[2.0, 2.0, 2.0]",
}


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def marked(folder: Path) -> set[tuple[str, int, str]]:
    return {
        (path.relative_to(folder).as_posix(), row, mark[1])
        for path in folder.rglob("*.py")
        for row, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (mark := MARKER.search(line))
    }


@pytest.mark.parametrize("name", ["demo", "project"])
def test_findings_are_the_marked_lines(name: str) -> None:
    folder = FIXTURES / name
    done = run(["-m", "mxlint", "check", "--isolated", "--no-cache", "--output-format", "json"], folder)
    found = [(item["filename"], item["location"]["row"], item["code"]) for item in json.loads(done.stdout)["diagnostics"]]
    assert sorted(found) == sorted(marked(folder))
    assert done.returncode == 1, done.stderr


def test_every_demo_has_an_outcome() -> None:
    assert {path.name for path in (FIXTURES / "demo").glob("*.py")} == set(OUTCOMES)


@pytest.mark.mlx
@pytest.mark.parametrize("name", OUTCOMES)
def test_demo_under_mlx(name: str) -> None:
    done = run([name], FIXTURES / "demo")
    raises = "Error: " in OUTCOMES[name]
    assert OUTCOMES[name] in (done.stderr if raises else done.stdout)
    assert done.returncode == raises, done.stderr


@pytest.mark.slow
def test_project_under_mlx() -> None:
    folder = FIXTURES / "project"
    trained = run(["-m", "tinylm.train"], folder)
    assert trained.returncode == 0, trained.stderr

    evaluated = run(["-m", "tinylm.evaluate"], folder)
    assert evaluated.returncode == 0, evaluated.stderr
    assert "inspect: [eval] Attempting to eval an array during function transformations" in evaluated.stdout
    assert "accuracy: Meter.correct() missing 1 required positional argument: 'targets'" in evaluated.stdout

    sampled = run(["-m", "tinylm.sampling"], folder)
    assert "temperature must be positive" in sampled.stdout
    assert "RuntimeError: [eval] Attempting to eval an array without a primitive." in sampled.stderr
