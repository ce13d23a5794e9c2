"""The blocks of the pages: mxlint flags exactly the marked lines, and real MLX prints exactly what the page says."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest
from children import short_names

from mxlint.headline import LONGEST
from mxlint.pages import load_page
from mxlint.rules.registry import RULES

MLX = "0.32.4"  # the version whose output the pages show
MARKER = re.compile(r"# (MX\d{3})$")
SECTIONS = ("Why", "Bad", "Good", "Fix", "What `--verify` shows", "When to ignore")
"""A page of a rule without fixes has no section Fix."""

# Ends like the interpreter would, but with one line for the exception, and without its traceback on stderr.
RUN = """
import runpy, sys
import mlx.core
mlx.core.set_default_device(mlx.core.cpu)
try:
    runpy.run_path(sys.argv[1], run_name="__main__")
except Exception as error:
    print(f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}")
"""


@dataclass(frozen=True, slots=True)
class Example:
    """One script of a page and what it prints."""

    code: str
    kind: str
    text: str
    row: int
    output: str | None

    @property
    def marked(self) -> list[tuple[int, str]]:
        """Row and code of every marker."""
        rows = enumerate(self.text.splitlines(), 1)
        return [(row, marker[1]) for row, line in rows if (marker := MARKER.search(line))]


def examples() -> Iterator[Example]:
    for code in RULES:
        blocks = load_page(code).blocks
        for block, following in zip(blocks, (*blocks[1:], None)):
            if block.language == "python":
                (kind,) = block.attributes
                output = following.text if following is not None and following.language == "output" else None
                yield Example(code, kind, block.text, block.row, output)


def named(example: Example) -> str:
    return f"{example.code}-{example.row}-{example.kind}"


def mlx_is_here() -> bool:
    return importlib.util.find_spec("mlx") is not None and version("mlx") == MLX and shutil.which("g++") is not None


EXAMPLES = list(examples())


@pytest.mark.parametrize("code", RULES)
def test_sections_and_blocks(code: str) -> None:
    page = load_page(code)
    mine = [example for example in EXAMPLES if example.code == code]
    assert {example.kind for example in mine} <= {"bad", "good"}
    assert sum(block.language == "output" for block in page.blocks) == sum(example.output is not None for example in mine)
    assert all((example.output is not None) == (page.verify == "cpu") for example in mine)
    if code == "MX004":  # code that makes mxlint fail is a bug to repair, not an example to keep
        assert (page.sections, mine) == (("Why", "Bad", "What `--verify` shows", "When to ignore"), [])
    else:
        assert page.sections == tuple(section for section in SECTIONS if section != "Fix" or page.fix is not None)
        assert [example.kind for example in mine].count("bad") >= 2
        assert [example.kind for example in mine].count("good") >= 1


def test_markers_are_of_the_page() -> None:
    marked = {named(example): {code for _, code in example.marked} for example in EXAMPLES}
    assert marked == {named(example): {example.code} if example.kind == "bad" else set() for example in EXAMPLES}


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_mxlint_flags_the_marked_lines(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from mxlint import cli

    monkeypatch.chdir(tmp_path)
    Path("block.py").write_text(example.text, encoding="utf-8")
    result = CliRunner().invoke(cli.main, ["check", "--isolated", "--no-cache", "--exit-zero", "--output-format", "json", "block.py"])
    assert result.exit_code == 0, result.output
    diagnostics = json.loads(result.stdout)["diagnostics"]
    assert all(len(diagnostic["message"]) <= LONGEST for diagnostic in diagnostics)
    found = [
        (diagnostic["location"]["row"], diagnostic["code"])
        for diagnostic in diagnostics
        if diagnostic["severity"] != "info" or diagnostic["code"] == example.code
    ]
    assert sorted(found) == example.marked


@pytest.mark.mlx
@pytest.mark.skipif(not mlx_is_here(), reason=f"the pages show what MLX {MLX} prints on the CPU, where it needs g++")
@pytest.mark.parametrize("example", [example for example in EXAMPLES if example.output is not None], ids=named)
def test_real_mlx_prints_the_output(example: Example, tmp_path: Path) -> None:
    script = tmp_path / "block.py"
    script.write_text(example.text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", RUN, str(script)],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "MLX_DISABLE_COMPILE"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert short_names(done.stdout) == example.output, done.stderr
