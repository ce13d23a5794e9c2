"""Programs of which everything is known that decides about what is compiled: their sites are followed in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source

PROGRAMS = {
    "a global that is filled where a test has found it empty, in a loop some of whose rounds do not come there": """\
def run(rows, y, n):
    wanted = []
    for number in range(n):
        wanted.append(mx.array(number) if rows[number] else None)
    for number in range(n):
        if wanted[number] is None:
            continue
        y = epoch(y)
    return y

def epoch(y):
    global _compiled
    if _compiled is None:
        _compiled = mx.compile(double)
    return _compiled(y)

_compiled = None

def double(y):
    return y * 2
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_site_is_followed_in_full(tmp_path: Path, name: str) -> None:
    (tmp_path / "main.py").write_text(f"import mlx.core as mx\n\n{PROGRAMS[name]}", encoding="utf-8")
    found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table())
    assert [(site.followed, found.imprecise) for site in found.sites] == [("full", ())]
