"""docs/semantics.md and the pages of details beside it are true: each of their examples is run.

`python run` runs under CPython and ends; it runs MLX if it imports it. `python says MX104 7, MX101 9` is analysed, and exactly these codes at these rows are
found, of any severity; `python says nothing` is silent. `warning` or `info` after a row asks for that severity.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes

DOCS = Path(__file__).parents[1] / "docs"
PAGES = (DOCS / "semantics.md", *sorted((DOCS / "semantics").glob("*.md")))


@dataclass(frozen=True, slots=True)
class Example:
    """A fenced block of a page: the page, the row on which it begins, what its first line asks for, and its text."""

    page: Path
    row: int
    asks: str
    text: str


def examples(page: Path) -> list[Example]:
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```python (run|says [^\n]+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Example(page, text[: block.start()].count("\n") + 1, block[1], block[2]) for block in found]


EXAMPLES = [example for page in PAGES for example in examples(page)]


def named(run: bool, mlx: bool = False) -> list[object]:
    chosen = [one for one in EXAMPLES if (one.asks == "run") is run and (not run or ("import mlx" in one.text) is mlx)]
    return [pytest.param(one, id=f"{one.page.stem} line {one.row}") for one in chosen]


def in_a_child(text: str, folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_block_of_the_pages_is_an_example() -> None:
    assert sum(page.read_text(encoding="utf-8").count("\n```python") for page in PAGES) == len(EXAMPLES) > 10


def test_each_example_is_on_one_page() -> None:
    assert len({example.text for example in EXAMPLES}) == len(EXAMPLES)


def test_the_first_page_names_all_others() -> None:
    named = set(re.findall(r"\]\((semantics/[\w-]+\.md)\)", PAGES[0].read_text(encoding="utf-8")))
    assert named == {page.relative_to(DOCS).as_posix() for page in PAGES[1:]}


@pytest.mark.parametrize("example", named(run=True))
def test_python_does_so(example: Example, tmp_path: Path) -> None:
    in_a_child(example.text, tmp_path)


@pytest.mark.mlx
@pytest.mark.parametrize("example", named(run=True, mlx=True))
def test_mlx_does_so(example: Example, tmp_path: Path) -> None:
    in_a_child(example.text, tmp_path)


@pytest.mark.parametrize("example", named(run=False))
def test_the_interpreter_says_so(example: Example) -> None:
    wanted = re.findall(r"(MX\d{3}) (\d+)(?: (error|warning|info))?", example.asks)
    assert bool(wanted) is (example.asks != "says nothing")
    source = source_from_bytes(example.text.encode(), "main.py")
    found = sorted(
        (finding.code, finding.span.start.row, finding.severity) for finding in analyze(source, Project(), load_table()).findings
    )
    asked = {(code, int(row)): severity for code, row, severity in wanted}
    assert [(code, row) for code, row, _ in found] == sorted(asked)
    assert [] == [one for one in found if asked[one[:2]] not in ("", one[2])]
