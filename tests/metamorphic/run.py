"""Programs in folders of their own: checked by mxlint, run under MLX."""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from writing import write

from mxlint.engine import check
from mxlint.finding import Finding

TESTS = Path(__file__).parents[1]

Run = Callable[[Mapping[str, str]], "Shown | None"]
"""Runs a program without compilation. None where nothing is known of what it did."""
CLOSE = 1e-4
"""Relative: the order of sums over many elements is not always the same."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a program did: the class of the exception that ended it, what its compiled functions returned, and what its names hold in the end."""

    raised: str | None
    results: Any
    left: Any

    def agrees(self, other: Shown | None, *, left: bool = False) -> bool:
        """Whether another run did the same, up to rounding. `left`: its names hold the same, too."""
        return (
            other is not None
            and self.raised == other.raised
            and _close(self.results, other.results)
            and (not left or _close(self.left, other.left))
        )


@contextmanager
def running(folder: Path) -> Iterator[Run]:
    """Start the process that runs programs."""
    numbers = itertools.count()
    child = subprocess.Popen(
        [sys.executable, "-B", "-m", "metamorphic.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTHONHASHSEED": "0"},
    )
    assert child.stdin is not None and child.stdout is not None
    jobs, answers = child.stdin, child.stdout

    def run(files: Mapping[str, str]) -> Shown | None:
        root = folder / f"r{next(numbers)}"
        write(root, files)
        jobs.write(json.dumps(str(root)) + "\n")
        jobs.flush()
        answer = json.loads(answers.readline())
        return None if answer["results"] is None else Shown(answer["raised"], answer["results"], answer["left"])

    try:
        yield run
    finally:
        jobs.close()
        answers.close()
        child.wait()


def _close(first: Any, second: Any) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=CLOSE, abs_tol=CLOSE) or (math.isnan(first) and math.isnan(second))
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_close, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(_close(first[key], second[key]) for key in first)
    return bool(first == second)


def findings(root: Path, files: Mapping[str, str]) -> tuple[Finding, ...]:
    """What mxlint finds in the files, written to `root`, with names relative to it."""
    write(root, files)
    before = os.getcwd()
    os.chdir(root)
    try:
        result = check(["."], fixes=False)
    finally:
        os.chdir(before)
    assert result.tracebacks == ()
    return result.findings
