"""One program: written to a folder, judged by the static tracer, run by MLX, compared."""

from __future__ import annotations

import ast
import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from writing import write

from mxlint.analysis import analyze
from mxlint.engine import check
from mxlint.finding import Finding
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source
from mxlint.workdir import working_in

from .generate import Program
from .judge import DECIDED, Verdict, doubted, judge, without_chance

LEFT_OPEN = "condition that may not hold"
"""Where the tracer saw something go wrong under a condition that it cannot decide (the value of an array, say), its answer is "unknown"."""
CHILD = Path(__file__).with_name("child.py")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`lost`: what the tracer could not follow. `entered`: a run entered every function, and called those that are compiled, so that what is said of one can show."""

    program: Program
    findings: tuple[Finding, ...]
    verdict: Verdict
    lost: Mapping[str, int]
    entered: bool

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


def _entered(program: Program, answer: Mapping[str, Any]) -> bool:
    """Whether the runs did a statement of each function, and called each that is compiled."""
    if any(run.get("never") for run in answer.values()):
        return False
    lines = {(name, row) for run in answer.values() for name, row in run.get("lines", ())}
    functions = (
        (name, node)
        for name, text in program.files.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )
    return all(
        any((name, part.lineno) in lines for part in ast.walk(node) if isinstance(part, ast.stmt) and part is not node)
        for name, node in functions
    )


def _text(program: Program, item: Finding) -> str:
    """What a finding marks, if it lies in one line."""
    line = program.files[item.span.filename].splitlines()[item.span.start.row - 1]
    return line[item.span.start.column - 1 : item.span.end.column - 1] if item.span.end.row == item.span.start.row else ""


@contextmanager
def comparing(folder: Path) -> Iterator[Callable[[Program], Outcome]]:
    """What compares a program, with one process that runs them all under MLX."""
    numbers = itertools.count()
    child = subprocess.Popen(
        [sys.executable, "-B", str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert child.stdin is not None and child.stdout is not None
    runs, answers = child.stdin, child.stdout

    def compare(program: Program) -> Outcome:
        root = folder / f"p{next(numbers)}"
        write(root, program.files)
        runs.write(json.dumps({"folder": str(root)}) + "\n")
        runs.flush()
        with working_in(root):
            result = check(["."], fixes=False)
        answer = json.loads(answers.readline())  # read whatever comes of the rest: the next answer is of the next program
        assert result.tracebacks == ()
        assert not [run["broken"] for run in answer.values() if "broken" in run]
        verdict = judge(answer["plain"], answer["compiled"], result.findings)
        if any(item.kind == "false alarm" for item in verdict.disagreements):
            asked = [[item.span.filename, item.span.start.row, _text(program, item)] for item in doubted(result.findings)]
            runs.write(json.dumps({"folder": str(root), "asked": asked}) + "\n")
            runs.flush()
            again = json.loads(answers.readline())
            verdict = without_chance(verdict, result.findings, again["apart"], again["asked"])
        lost = {} if verdict.skipped else analyze(read_source(root / "main.py", "main.py"), Project(), load_table()).reasons
        if LEFT_OPEN in lost:
            verdict = replace(verdict, disagreements=tuple(item for item in verdict.disagreements if item.kind != "miss"))
        return Outcome(program, tuple(result.findings), verdict, lost, _entered(program, answer))

    try:
        yield compare
    finally:
        runs.close()
        answers.close()
        child.wait()
