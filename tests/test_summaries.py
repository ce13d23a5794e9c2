"""What a call or a trace did is done again from its summary: the answer is the one of a run without summaries.

`MXLINT_SUMMARIES=500` compares so many generated programs, `MXLINT_SUMMARIES_SEED` those of a seed once more.
"""

from __future__ import annotations

import dataclasses
import os
import re
import secrets
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from differential.generate import programs
from hypothesis import HealthCheck, Phase, given, seed, settings
from test_tracer import read_cases, write

from mxlint.analysed import Analysis
from mxlint.analysis import analyze
from mxlint.interpreter import activations, summaries
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source

COUNT = 60
ENOUGH = 10**9
"""Steps that no budget cuts short: a summary takes fewer."""
LONG = int(os.environ.get("MXLINT_SUMMARIES", "0"))
NUMBERS = {"number", "object", "trace", "site_number", "identity", "thread_number", "location", "maker"}
"""Fields of facts that name objects: what a summary makes has other numbers."""

CASES = {f"{file}: {name}": dict(case.files) for file in ("found.md", "written.md", "silent.md") for name, case in read_cases(file).items()}


def likeness(fact: object) -> object:
    """A fact without the numbers of objects."""
    if dataclasses.is_dataclass(fact):
        held = ((part.name, getattr(fact, part.name)) for part in dataclasses.fields(fact))
        return (type(fact).__name__, *(likeness(value) for name, value in held if name not in NUMBERS))
    return tuple(map(likeness, fact)) if isinstance(fact, tuple) else re.sub(r" at 0x\w+", "", repr(fact))


def said(files: Mapping[str, str], root: Path, monkeypatch: pytest.MonkeyPatch, *, summarised: bool) -> dict[str, Any]:
    """The findings and the facts of a program, and what could not be followed."""
    write(root, files)
    name = "main.py" if "main.py" in files else next(iter(files))
    with monkeypatch.context() as patch:
        patch.chdir(root)
        patch.setattr(activations, "MAX_ASIDE", ENOUGH)
        if not summarised:
            patch.setattr(summaries, "find", lambda *_: None)
        found: Analysis = analyze(read_source(Path(name), name), Project(), load_table(), with_facts=True)
        findings = tuple(finding.with_fix() for finding in found.findings)
    facts = Counter(likeness(fact) for kind in dataclasses.fields(found.facts) for fact in _each(getattr(found.facts, kind.name)))  # type: ignore[arg-type]
    return {"findings": findings, "facts": facts, "reasons": found.reasons, "coverage": found.coverage}


def _each(kind: object) -> tuple[object, ...]:
    return kind if isinstance(kind, tuple) else (kind,)


@pytest.mark.parametrize("name", CASES)
def test_summaries_change_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_them = said(CASES[name], tmp_path, monkeypatch, summarised=True)
    assert with_them == said(CASES[name], tmp_path, monkeypatch, summarised=False)


def compare(count: int, number: int, folder: Path) -> None:
    """So many generated programs of the seed `number`."""

    @seed(number)
    @settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink)
    )
    @given(programs())
    def agree(program: object) -> None:
        with pytest.MonkeyPatch.context() as patch:
            files: Mapping[str, str] = program.files  # type: ignore[attr-defined]
            assert said(files, folder, patch, summarised=True) == said(files, folder, patch, summarised=False), files

    agree()


def test_summaries_change_nothing_in_generated_programs(tmp_path: Path) -> None:
    compare(LONG or COUNT, int(os.environ.get("MXLINT_SUMMARIES_SEED") or (secrets.randbits(32) if LONG else 0)), tmp_path)
