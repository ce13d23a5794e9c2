"""Generated programs: what the static tracer says of them, and what MLX does. They agree.

`MXLINT_DIFFERENTIAL=3000` asks for so many new programs, and for every rule that a run can decide among them; `MXLINT_DIFFERENTIAL_SEED`
for those of a seed once more.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from cases import read_cases
from differential.compare import Outcome, comparing
from differential.generate import Program, programs
from differential.judge import DECIDED
from hypothesis import HealthCheck, Phase, given, seed, settings
from sampling import is_taken
from test_interpreter_cases import NOT_YET

COUNT = 100
LONG = int(os.environ.get("MXLINT_DIFFERENTIAL", "0"))
EACH = 20
"""So often each rule is to be found in a long run."""

pytestmark = [
    pytest.mark.mlx,
    pytest.mark.skipif(
        importlib.util.find_spec("mlx") is None or shutil.which("g++") is None or not hasattr(os, "fork"),
        reason="needs MLX, a C++ compiler (without one mx.compile does nothing) and fork",
    ),
]


def explore(count: int, number: int, folder: Path, *, shrink: bool = False) -> list[Outcome]:
    """So many programs of the seed `number`. `shrink`: the first disagreement ends it, made as small as Hypothesis can."""
    outcomes: list[Outcome] = []
    with comparing(folder) as compare:

        @seed(number)
        @settings(
            max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink)
        )
        @given(programs())
        def agree(program: Program) -> None:
            outcome = compare(program)
            outcomes.append(outcome)
            assert not shrink or not outcome.verdict.disagreements, told(outcome)

        agree()
    return outcomes


def told(outcome: Outcome) -> str:
    """A disagreement, to be read by whoever has to decide who is right."""
    found = [f"{item.span.filename}:{item.span.start.row} {item.code}" for item in outcome.findings]
    details = [f"{item.kind}: {item.detail}" for item in outcome.verdict.disagreements]
    return "\n".join([", ".join(outcome.program.parts), *details, f"found: {found}", outcome.program.text])


def check_outcomes(outcomes: Sequence[Outcome], number: int, folder: Path) -> None:
    """No disagreement, and programs that are worth agreeing about."""
    disagree = [told(outcome) for outcome in outcomes if outcome.verdict.disagreements]
    if disagree:
        print("\n\n".join(disagree))
        explore(len(outcomes), number, folder / "smaller", shrink=True)
    assert not disagree
    assert share(outcomes, "ran") >= 0.95
    assert share(outcomes, "misbehaves") >= 0.4
    assert share(outcomes, "helped") >= 0.5
    assert share(outcomes, "unknown") <= 0.15


def share(outcomes: Sequence[Outcome], what: str) -> float:
    return sum(getattr(outcome, what) for outcome in outcomes) / len(outcomes)


def test_the_tracer_and_mlx_agree(tmp_path: Path) -> None:
    check_outcomes(explore(COUNT, 0, tmp_path), 0, tmp_path)


def test_what_programs_showed_before(tmp_path: Path) -> None:
    """The fixtures that came of disagreements do misbehave, where anything runs them."""
    missed = {name for listed in NOT_YET.values() for name in listed.get("found", ())}
    cases = [case for name, case in read_cases("found.md").items() if name not in missed and not name.endswith("that nobody calls")]
    with comparing(tmp_path) as compare:
        outcomes = [compare(Program(case.files, (case.name,))) for case in cases if is_taken(case.name, 8)]
    assert [told(outcome) for outcome in outcomes if outcome.verdict.disagreements or not outcome.misbehaves] == []


@pytest.mark.skipif(not LONG, reason="set MXLINT_DIFFERENTIAL to the number of programs")
def test_the_tracer_and_mlx_agree_on_many(tmp_path: Path) -> None:
    number = int(os.environ.get("MXLINT_DIFFERENTIAL_SEED") or secrets.randbits(32))
    outcomes = explore(LONG, number, tmp_path)
    codes = Counter(code for outcome in outcomes for code in {item.code for item in outcome.findings} & DECIDED)
    kinds = Counter(item.kind for outcome in outcomes for item in outcome.verdict.disagreements)
    shares = ", ".join(f"{share(outcomes, what):.1%} {what}" for what in ("ran", "misbehaves", "helped", "unknown"))
    print(f"\nseed {number}: {len(outcomes)} programs, {shares}, disagreements {dict(kinds)}")
    print("\n".join(f"{code} {codes[code]:5}" for code in sorted(DECIDED)))
    check_outcomes(outcomes, number, tmp_path)
    assert {code: codes[code] for code in DECIDED if codes[code] < EACH} == {}
