"""What MX301 and MX302 share: compiled objects of one site that are made again and again, and dropped after a fixed number of calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mxlint.facts.events import Compiled, Where
from mxlint.rules.program import Program

UNCOUNTED: Final = ("first", "rest")
"""The rounds of a loop that the interpreter does not run one by one."""


def dropped(program: Program, group: Sequence[Compiled]) -> list[Compiled] | None:
    """The objects of a site if none that is called outlives its maker or is called in a loop of its own; else None. What a transform runs is the
    Python body: nothing is traced for the compiled object."""
    if program.tests(group[0].site.span.filename):
        return None
    called = [compiled for compiled in group if any(call.outcome != "differentiated" for call in program.calls.get(compiled.number, ()))]
    # A factory that is given the same again has no need to compile anew.
    differ = len({compiled.maker for compiled in called}) == len(called)
    replaced = _replaced(program, called)
    kept = any(
        compiled.escapes
        and not replaced
        or compiled.returned
        and differ
        and not compiled.layer
        or compiled.module_level
        and not compiled.loops
        or _deeper(program, compiled)
        or _later(program, compiled)
        for compiled in called
    )
    return called if called and not kept else None


def _replaced(program: Program, called: Sequence[Compiled]) -> bool:
    """Whether each object takes the place of the one before it, which was called in the round in which it was made alone. Nothing takes the place of the
    last one: it may be called later."""
    return (
        len(called) > 1
        and sum(compiled.outlived for compiled in called) >= len(called) - 1
        and all(
            call.loops[: len(around)] == around
            for compiled in called
            if compiled.outlived
            for around in ((*compiled.caller_loops, *compiled.loops),)
            for call in program.calls.get(compiled.number, ())
        )
    )


def _later(program: Program, compiled: Compiled) -> bool:
    """Whether an object is called in a later round than that in which it was made."""
    around = (*compiled.caller_loops, *compiled.loops)
    return any(
        made.span == loop.span and made.text != loop.text
        for call in program.calls.get(compiled.number, ())
        for made, loop in zip(around, call.loops)
    )


def _deeper(program: Program, compiled: Compiled) -> bool:
    """Whether one object serves many calls: it is called in several rounds of a loop inside of what makes it."""
    around = len(compiled.loops) + len(compiled.caller_loops)
    deeper = {call.loops for call in program.calls.get(compiled.number, ()) if len(call.loops) > around}
    return repeated(deeper) is not None or any(loop.text in UNCOUNTED for loops in deeper for loop in loops[around:])


def repeated(loops: Iterable[Sequence[Where]]) -> Where | None:
    """A loop of which two objects were made in different rounds, the loops around it being in one round."""
    rounds: dict[tuple[object, ...], set[str]] = {}
    places: dict[tuple[object, ...], Where] = {}
    for around in loops:
        for depth, loop in enumerate(around):
            key = (*around[:depth], loop.span)
            rounds.setdefault(key, set()).add(loop.text)
            places[key] = loop
    return next((places[key] for key, found in rounds.items() if len(found) > 1), None)
