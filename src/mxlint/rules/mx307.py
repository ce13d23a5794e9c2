"""MX307 unrolled-loop."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Compiled, Loop, Modality
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.repetition import RECURSION, UNCOUNTED
from mxlint.rules.rule import Rule

MANY = 15_000
"""Operations of one graph, not merged with others, from which on a call of the compiled function takes twice as long as one of the plain function, or longer.

Measured with MLX 0.32.4 on the CPU, 8×8 arrays, processor time (scripts/measure_graphs.py): products, slices and indexing at 15,000 operations take 2.2 to 3.4
times as long, up to 5,000 about as long. Where MLX merges a third of the operations with the one before, both take about as long; where it merges most of
them, a call of the compiled function is several times as fast at any length.
"""
PAID_BACK = 5
"""So many calls pay back the first one at that number of operations, if MLX merges them; at 30,000 they are nine."""
CRASH = 45_000
"""Operations, each on the result of the one before, at which the process ends with a segmentation fault (stack of 8 MB); the plain function runs
with 200,000. 40,000 are compiled still."""
IN_A_ROW = "each works on the result of the one before"
"""What is presumed where a loop that is no slower may end the process."""


def check(program: Program) -> Iterator[Finding]:
    """A loop of a traced body whose rounds make a graph that is too large."""
    for compiled in program.log.compiled:
        seldom = _is_seldom(program, compiled)
        large = [
            loop
            for loop in program.loops.get(compiled.number, ())
            if loop.operations >= CRASH or _is_slow(loop) or seldom and loop.operations >= MANY
        ]
        for loop in large:
            if any(other.trace == loop.trace and loop.where in other.around for other in large):
                continue
            adds = f"this loop adds about {loop.operations:,} operations"
            if _is_slow(loop):
                message, modality = f"compiling {name_of(compiled)} costs more than it saves: {adds}", loop.modality
                note = (
                    f"the {loop.rounds:,} rounds are traced and compiled as one graph; from about {MANY:,} operations on that cannot be merged into few "
                    "kernels, as products, slices and indexing, a call on small arrays takes at least twice as long as without compile"
                )
            elif seldom:
                calls = len(program.calls[compiled.number])
                message, modality = f"compiling {name_of(compiled)} costs more than it saves: {adds}", loop.modality
                note = (
                    f"the {loop.rounds:,} rounds are traced and compiled as one graph; the first call of one of {MANY:,} operations takes as long as {PAID_BACK} plain ones "
                    f"and more, and {'there is one call' if calls == 1 else f'there are {calls} calls'} in sight"
                )
            else:
                message = f"compiling {name_of(compiled)} can end the process: {adds}"
                modality = Modality(loop.modality.conditions, (*loop.modality.presumed, IN_A_ROW))
                note = (
                    f"from about {CRASH:,} operations in a row on MLX can end with a segmentation fault; without compile the function runs"
                )
            if modality is loop.modality and loop.operations >= CRASH:
                note += f", and from about {CRASH:,} in a row MLX can end with a segmentation fault"
            yield from finding(
                RULE, loop.where, message,
                "compile one round, or some hundred, and call that in a loop outside; or use an operation over a whole axis (mx.cumsum, a matrix power)",
                compiled, modality, within=loop.within, calls=loop.calls, note=note,
            )  # fmt: skip


def _is_seldom(program: Program, compiled: Compiled) -> bool:
    """Whether the calls in sight are too few to pay back what compiling a large graph costs: each is made once, or in a loop whose rounds are known one by one."""
    calls = program.calls.get(compiled.number, ())
    uncounted = any(loop.text in (*UNCOUNTED, RECURSION) for call in calls for loop in call.loops)
    return 0 < len(calls) < PAID_BACK and not uncounted and not any(call.alone or call.thread is not None for call in calls)


def _is_slow(loop: Loop) -> bool:
    """Whether so many operations are not merged, and so few are, that a call of the compiled function takes longer than one of the plain one."""
    left = loop.operations - loop.merged
    return left >= MANY and left > 2 * loop.merged


RULE = Rule("MX307", "unrolled-loop", "warning", check, cost_only=True, experiment="large graph")
