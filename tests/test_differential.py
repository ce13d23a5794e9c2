"""Generated programs: what the static tracer says of them, and what MLX does. They agree, but for what is known.

`MXLINT_DIFFERENTIAL=2000` asks for so many programs, and for every rule that a run can decide among them.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from differential.compare import Outcome, compare
from differential.generate import generate
from differential.judge import DECIDED

COUNT = 100
LONG = int(os.environ.get("MXLINT_DIFFERENTIAL", "0"))
EACH = 20
KNOWN: dict[int, str] = {
    53: "what a factory returns is taken to be kept (MX301)",
    66: "inputs= and outputs= of an inline list whose array the body reads through an object (MX205)",
}
"""Seeds of programs about which they disagree, and why. One that no longer does has to go."""

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mlx") is None or shutil.which("g++") is None or not hasattr(os, "fork"),
    reason="needs MLX, a C++ compiler (without one mx.compile does nothing) and fork",
)


def told(outcome: Outcome) -> str:
    """A disagreement, to be read by whoever has to decide who is right."""
    found = [f"{item.span.filename.split('/', 1)[1]}:{item.span.start.row} {item.code}" for item in outcome.findings]
    details = [f"{item.kind}: {item.detail}" for item in outcome.verdict.disagreements]
    return "\n".join([f"seed {outcome.seed} ({', '.join(outcome.program.parts)})", *details, f"found: {found}", outcome.program.text])


def test_the_tracer_and_mlx_agree(tmp_path: Path) -> None:
    outcomes = compare([(seed, generate(seed)) for seed in range(COUNT)], tmp_path)
    disagree = {outcome.seed: told(outcome) for outcome in outcomes if outcome.verdict.disagreements}
    assert {seed: disagree[seed] for seed in disagree if seed not in KNOWN} == {}
    assert KNOWN.keys() - disagree.keys() == set()
    ran = [outcome for outcome in outcomes if not outcome.verdict.skipped]
    assert len(ran) >= 0.95 * COUNT
    assert sum(any(not deed.soft for deed in outcome.verdict.deeds) for outcome in ran) >= 0.4 * COUNT


@pytest.mark.skipif(not LONG, reason="set MXLINT_DIFFERENTIAL to the number of programs")
def test_the_tracer_and_mlx_agree_on_many(tmp_path: Path) -> None:
    outcomes = compare([(seed, generate(seed)) for seed in range(COUNT, COUNT + LONG)], tmp_path)
    codes = Counter(code for outcome in outcomes for code in {item.code for item in outcome.findings} & DECIDED)
    kinds = Counter(item.kind for outcome in outcomes for item in outcome.verdict.disagreements)
    skipped = sum(bool(outcome.verdict.skipped) for outcome in outcomes)
    print(f"\n{LONG} programs, {skipped} skipped, disagreements {dict(kinds)}")
    print("\n".join(f"{code} {codes[code]:5}" for code in sorted(DECIDED)))
    assert {code: codes[code] for code in DECIDED if codes[code] < EACH} == {}
    disagree = [told(outcome) for outcome in outcomes if outcome.verdict.disagreements]
    assert not disagree, "\n\n".join(disagree)
