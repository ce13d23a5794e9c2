"""What an analysis makes goes with its interpreter: a run has Python's cycle collector run seldom, and it finds nothing of an analysis."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import read_cases
from writing import write

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source

OF_PROJECT = frozenset(("Place", "InnerPlace", "Source"))
"""What the sources of a project refer to, and refers to them."""


@pytest.fixture
def garbage() -> Iterator[list[object]]:
    """What the collector finds, kept for the test to look at."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@pytest.mark.parametrize("file", ["found", "silent"])
def test_nothing_of_an_analysis_is_left_to_the_collector(file: str, garbage: list[object], folder: Path) -> None:
    for case in [*read_cases(f"{file}.md").values()][::60]:
        write(folder, case.files)
        project = Project()
        for name in sorted(case.files):
            analyze(read_source(folder / name, name), project, load_table())
    gc.collect()
    left = {type(found).__name__ for found in garbage if type(found).__module__.startswith(("mxlint.domain", "mxlint.interpreter"))}
    assert left <= OF_PROJECT
