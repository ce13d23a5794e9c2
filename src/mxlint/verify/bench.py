"""Where the experiments of one run are made: every program runs once in each form, and is watched for all claims at a time."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mxlint.source import Source
from mxlint.verify.modules import Modules
from mxlint.verify.runner import Job, Mode, Outcome, run
from mxlint.verify.sight import Claim

WALL_S = 20.0


Watched = tuple[str, tuple[int, int], tuple[int, int]]
"""A file of the program, and where an expression in it starts and ends."""


@dataclass(slots=True)
class Bench:
    """Where experiments are run. All expressions are watched in every run, so that a program need not be run again for the next finding."""

    folder: Path
    keep: Path | None
    wall_s: float
    modules: Modules
    sources: Mapping[str, Source]
    watches: list[Watched] = field(default_factory=list)
    outcomes: dict[tuple[Any, ...], Outcome] = field(default_factory=dict)
    number: int = 0
    unavailable: str | None = None

    def run(self, job: Job, mode: Mode, again: int = 0) -> Outcome:
        program = tuple(sorted(job.files.items()))
        key = (program, repr(job.settings), mode, again)
        if key not in self.outcomes:
            self.number += 1
            place = self.folder / f"{self.number:04}"
            kernels = self.folder / f"kernels-{hash(program) & 0xFFFFFFFFFFFF:x}"
            self.outcomes[key] = run(job, mode, place, self.wall_s, kernels)
            shutil.rmtree(place, ignore_errors=True)
        return self.outcomes[key]


def watched(claim: Claim) -> Watched:
    return claim.place, claim.start, claim.end
