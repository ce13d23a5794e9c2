"""Programs of plain Python, written for what was once wrong: the interpreter says of them what CPython does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from oracle.compare import compare
from oracle.record import Record
from oracle.static import adapter
from writing import write

from mxlint.domain.members import Const, External
from mxlint.interpreter.entry import interpret
from mxlint.models.load import constant
from mxlint.project import Project
from mxlint.source import read_source
from mxlint.workdir import working_in

PROGRAMS = Path(__file__).parent / "fixtures/python"
INEXACT = {
    "branches that import different names of a module": 2, "an optional module that is not there": 7,
    "a module that another one adds to, where it may be imported": 5, "patterns of match": 7,
    "patterns that fit, and those next to them that do not": 9,
}  # fmt: skip
"""The points of a program at which a kind of value is admitted that was not seen; of all others there are none."""
NOT_YET = ("a task group that fails", "the modules that are loaded")
"""Programs of which it says something else: a list that only shrinks."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs run in forks")


def read_programs(name: str) -> dict[str, Mapping[str, str]]:
    """The programs of a Markdown file: under each heading `main.py`, and what it imports."""
    found: dict[str, Mapping[str, str]] = {}
    for section in re.split(r"(?m)^(?=## )", (PROGRAMS / name).read_text(encoding="utf-8"))[1:]:
        title = section.splitlines()[0].removeprefix("## ")
        found[title] = {file or "main.py": text for file, text in re.findall(r"(?ms)^```python ?(\S*)\n(.*?)^```$", section)}
    return found


ALL = {name: files for file in ("flow.md", "modules.md", "values.md") for name, files in read_programs(file).items()}


def parameters() -> list[object]:
    assert not set(NOT_YET) - set(ALL)
    return [pytest.param(name, marks=pytest.mark.xfail(strict=True, raises=AssertionError) if name in NOT_YET else ()) for name in ALL]


@pytest.mark.parametrize("name", parameters())
def test_the_interpreter_agrees_with_python(record: Record, tmp_path: Path, name: str) -> None:
    files = ALL[name]
    write(tmp_path, files)
    recorded = record(tmp_path)
    with working_in(tmp_path):
        report = compare(recorded, adapter(tmp_path, "main.py"), files)
    assert report.points > 0
    assert report.flaws == (), report.text()
    assert report.points - report.exact == INEXACT.get(name, 0), report.text()


BELOW = {
    "the folder above": ({"scripts/main.py": "from pkg.core import value\n", "pkg/__init__.py": "", "pkg/core.py": "value = 1\n"}, "."),
    "src": ({"examples/deep/main.py": "from pkg.core import value\n", "src/pkg/__init__.py": "", "src/pkg/core.py": "value = 1\n"}, "src"),
    "a package before a folder": (
        {
            "tests/main.py": "from data.core import value\n",
            "data/notes.py": "",
            "src/data/__init__.py": "",
            "src/data/core.py": "value = 1\n",
        },
        "src",
    ),
    "what lies beside it": (
        {"scripts/main.py": "from core import value\n", "scripts/core.py": "value = 1\n", "core.py": "value = 2\n"},
        ".",
    ),
    "a library": ({"scripts/main.py": "from string import digits as value\n", "string/notes.py": "", "string.py": "digits = 1\n"}, ""),
}
"""Projects with a program that lies deeper in them, and the folder that it adds to those where Python searches."""


@pytest.mark.slow
@pytest.mark.parametrize("name", BELOW)
def test_a_program_below_the_folder_of_its_project_finds_it(tmp_path: Path, name: str) -> None:
    files, added = BELOW[name]
    write(tmp_path, {**files, "pyproject.toml": ""})
    main = next(file for file in files if file.endswith("main.py"))
    told = f"import sys\nsys.path.append({str(tmp_path / added)!r})\n{files[main]}print(repr(value))\n"
    run = subprocess.run(
        [sys.executable, "-B", "-c", f"import sys; sys.path[0] = {str((tmp_path / main).parent)!r}\n{told}"],
        capture_output=True,
        text=True,
        check=True,
    )
    with working_in(tmp_path):
        i = interpret(read_source(Path(main), main), Project())
    found = i.heap.get(i.modules[main], "value")
    value = constant(found.name).value if isinstance(found, External) else found.value if isinstance(found, Const) else None  # type: ignore[union-attr]
    assert repr(value) == run.stdout.strip()
