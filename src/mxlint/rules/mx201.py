"""MX201 uncaptured-read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mxlint.facts.events import Compiled, Stale
from mxlint.finding import Finding
from mxlint.rules.captures import captured, state_stale, whole
from mxlint.rules.findings import enumerated, finding, line, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

MOST_NAMED: Final = 3
"""Places that change something, in one note."""
STATE: Final = ".state"
"""What of a module or optimizer is captured."""


def check(program: Program) -> Iterator[Finding]:
    """An array that is a constant of the trace changes before a later call. All such reads of one compiled function are one finding."""
    for compiled in program.log.compiled:
        stale = state_stale(program, compiled)
        if stale:
            yield from _finding(compiled, stale)


def _finding(compiled: Compiled, stale: tuple[Stale, ...]) -> Iterator[Finding]:
    first = min(stale, key=lambda found: (found.modality.steps, bool(found.modality.conditions), found.read.span))
    others = {found.read: found for found in stale if found.read != first.read}
    names = list(dict.fromkeys(found.name for found in (first, *others.values())))
    more = f" (and {', '.join(map(quoted, names[1:4]))})" if len(names) > 1 else ""
    holder = _holder(first)
    old = f"state of {quoted(holder)}" if holder else f"value of {quoted(first.name)}"
    constants = f"the arrays that {quoted(first.name)} uses" if holder else quoted(first.name)
    containers = tuple(dict.fromkeys(found.container for found in stale if found.container))
    bare = [quoted(found.name) for found in (first, *others.values()) if not found.container]
    help = (
        f"pass inputs={whole((*captured(compiled), *containers))}{f', and {enumerated(bare)} as an argument' if bare else ''}"
        if containers
        else "pass it as an argument, or keep it in a list or dict that is given to inputs="
    )
    written = sorted({found.written for found in (first, *others.values())}, key=lambda where: where.span)
    writers = list(dict.fromkeys(line(where, first.read) for where in written))
    several = len(writers) > 1
    writers[MOST_NAMED:] = ["others"] * (len(writers) > MOST_NAMED)
    also = [("changed here", first.written), ("called again here", first.call), *(("read here, too", read) for read in others)]
    yield from finding(
        RULE, first.read,
        f"{line(first.call, first.read)} calls {name_of(compiled)} with the old {old}",
        help, compiled, first.modality, calls=first.calls, also=also, cause=first.name,
        note=f"{constants}{more} became {'constants' if more or holder else 'a constant'} when the function was traced; "
        f"{enumerated(writers)} {'change' if several else 'changes'} {'them' if more or holder else 'it'} before that call",
    )  # fmt: skip


def _holder(stale: Stale) -> str:
    """The module or optimizer whose arrays a call reads, where the code does not name these; "" elsewhere."""
    is_state = stale.container.endswith(STATE) and not stale.name.endswith(stale.location[1])
    return stale.container.removesuffix(STATE) if is_state else ""


RULE = Rule(
    "MX201", "uncaptured-read", "error", check, after=("MX212",), after_in_object=("MX205", "MX204", "MX202"), experiment="stale array"
)
