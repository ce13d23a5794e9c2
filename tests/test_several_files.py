"""One file has state that a compiled function reads, another sets it: what MLX keeps of it, and what is said of it. They agree.

`MXLINT_ALL=1` looks at all the programs, else it is a sample.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from children import run_in_child
from needed import needs_mlx
from sampling import is_taken
from several_files import Program, programs, twins
from writing import write

from mxlint.engine import check

OLD = [program for program in programs() if is_taken(program.name, 8)]
NOT_OLD = [program for program in twins() if is_taken(program.name, 2)]
CHILD = """
import importlib, json, sys
from pathlib import Path
import mlx.core as mx

results = []
for folder in json.load(sys.stdin):
    found = []
    for switch in (mx.enable_compile, mx.disable_compile):
        switch()
        known = set(sys.modules)
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        found.append(importlib.import_module("driver").main())
        sys.path.remove(folder)
        for name in set(sys.modules) - known:
            del sys.modules[name]
    results.append(found)
print(json.dumps(results))
"""


def rows(program: Program, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, int]]:
    """What is said of the files of a program, without its driver, from a warning on."""
    write(folder, program.files)
    monkeypatch.chdir(folder)
    found = check((".",), fixes=False).findings
    return [(finding.code, finding.span.filename, finding.span.start.row) for finding in found if finding.severity != "info"]


@pytest.mark.slow
def test_what_another_file_sets_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert OLD
    for number, program in enumerate(OLD):
        said = rows(program, tmp_path / str(number), monkeypatch)
        assert said == [("MX209", program.reads, program.row)], program


@pytest.mark.slow
def test_what_gets_old_nowhere_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert NOT_OLD
    for number, program in enumerate(NOT_OLD):
        assert rows(program, tmp_path / str(number), monkeypatch) == [], program


@needs_mlx
@pytest.mark.mlx
@pytest.mark.slow
def test_mlx_keeps_what_it_has_read(tmp_path: Path) -> None:
    folders: list[Path] = []
    for number, program in enumerate((*OLD, *NOT_OLD)):
        folder = tmp_path / str(number)
        write(folder, program.files)
        folders.append(folder / "src" if (folder / "src").is_dir() else folder)
        write(folders[-1], {"driver.py": program.driver})
    for program, (compiled, python) in zip((*OLD, *NOT_OLD), run_in_child(CHILD, folders), strict=True):
        assert (compiled == python) == (program in NOT_OLD), program
