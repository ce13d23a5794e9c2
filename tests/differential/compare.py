"""Many programs at once: written to a folder, judged by the static tracer, run by MLX, compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mxlint.analysis import analyze
from mxlint.engine import check
from mxlint.finding import Finding
from mxlint.project import Project
from mxlint.source import read_source
from mxlint.tracing.mlx.table import load_table

from .generate import Program
from .judge import DECIDED, Verdict, judge

CHILD = Path(__file__).with_name("child.py")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`lost`: what the tracer could not follow."""

    seed: int
    program: Program
    findings: tuple[Finding, ...]
    verdict: Verdict
    lost: Mapping[str, int]

    @property
    def unknown(self) -> bool:
        """Whether the tracer finds nothing, but did not follow all of it either."""
        return bool(self.lost) and not any(item.code in DECIDED for item in self.findings)

    @property
    def misbehaves(self) -> bool:
        return any(not deed.soft for deed in self.verdict.deeds)

    @property
    def ran(self) -> bool:
        return not self.verdict.skipped

    @property
    def helped(self) -> bool:
        return self.program.helped


def compare(programs: Iterable[tuple[int, Program]], folder: Path, *, jobs: int = 2) -> list[Outcome]:
    """What the tracer and MLX say of each program."""
    numbered = list(programs)
    for seed, program in numbered:
        for name, text in program.files.items():
            path = folder / f"p{seed}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    shares = [numbered[share::jobs] for share in range(jobs)]
    children = [_child(folder, [seed for seed, _ in share]) for share in shares]
    with _working_directory(folder):
        result = check(["."])
    assert result.tracebacks == ()
    found: dict[str, list[Finding]] = {}
    for item in result.findings:
        found.setdefault(item.span.filename.split("/")[0], []).append(item)
    outcomes = []
    for share, child in zip(shares, children):
        text, _ = child.communicate()
        answers = {answer["name"]: answer for answer in map(json.loads, text.splitlines())}
        for seed, program in share:
            findings = tuple(found.get(f"p{seed}", ()))
            answer = answers[seed]
            verdict = judge(answer["plain"], answer["compiled"], findings)
            lost = {} if verdict.skipped else _lost(folder / f"p{seed}" / "main.py")
            outcomes.append(Outcome(seed, program, findings, verdict, lost))
    return sorted(outcomes, key=lambda outcome: outcome.seed)


def _lost(path: Path) -> Mapping[str, int]:
    return analyze(read_source(path, path.name), Project(), load_table()).reasons


def _child(folder: Path, seeds: Sequence[int]) -> subprocess.Popen[str]:
    jobs = folder / f"jobs-{seeds[0] if seeds else 'none'}.txt"
    jobs.write_text("".join(json.dumps({"name": seed, "folder": str(folder / f"p{seed}")}) + "\n" for seed in seeds), encoding="utf-8")
    with jobs.open() as lines:
        return subprocess.Popen(
            [sys.executable, "-B", str(CHILD)], stdin=lines, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )


@contextmanager
def _working_directory(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
