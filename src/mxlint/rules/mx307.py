"""MX307 unrolled-loop."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

MANY = 15_000
"""Operations of one graph from which on tracing and compiling cost more than they save.

Measured with MLX 0.32.4 on the CPU, 8×8 arrays, processor time, matrix products with or without a tanh: up to 12,000 operations a trace pays after
15 to 60 calls, from 15,000 on a call of the compiled function takes longer than one of the plain function, at 30,000 more than twice as long.
"""
CRASH = 45_000
"""Operations, each on the result of the one before, at which the process ends with a segmentation fault (stack of 8 MB); the plain function runs
with 200,000. 40,000 are compiled still."""


def check(program: Program) -> Iterator[Finding]:
    """A loop of a traced body whose rounds make a graph that is too large."""
    for compiled in program.log.compiled:
        large = [loop for loop in program.loops.get(compiled.number, ()) if loop.operations >= MANY]
        for loop in large:
            if not any(other.trace == loop.trace and loop.where in other.around for other in large):
                message = f"compiling {name_of(compiled)} costs more than it saves: this loop adds about {loop.operations:,} operations"
                note = (
                    f"the {loop.rounds:,} rounds are traced and compiled as one graph; from about {MANY:,} operations on that does not pay"
                )
                if loop.operations >= CRASH:
                    note += f", and from about {CRASH:,} in a row MLX can end with a segmentation fault"
                yield from finding(
                    RULE, loop.where, message,
                    "compile one round, or some hundred, and call that in a loop outside; or use an operation over a whole axis (mx.cumsum, a matrix power)",
                    compiled, loop.modality, within=loop.within, calls=loop.calls, note=note,
                )  # fmt: skip


RULE = Rule("MX307", "unrolled-loop", "warning", check, cost_only=True, experiment="large graph")
