"""What MX301 and MX302 share: compiled objects of one site that are made again and again, and dropped after a fixed number of calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mxlint.facts.events import Call, Compiled, Where
from mxlint.rules.program import Program

UNCOUNTED: Final = ("first", "rest")
"""The rounds of a loop that the interpreter does not run one by one."""


RECURSION: Final = "recursion"
"""The round of a function that calls itself, the calls in it taken together: it is come to again and again. With the calls around it behind, where one
activation comes to what is meant: that is one round, as of a loop."""


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
        and not compiled.carried
        and (not replaced or _found_again(program, compiled))
        or (compiled.returned or compiled.carried)
        and differ
        and not compiled.layer
        or _deeper(program, compiled)
        or _later(program, compiled, replaced)
        for compiled in called
    )
    return None if kept else called


def _found_again(program: Program, compiled: Compiled) -> bool:
    """Whether the function that makes an object calls it in another call of its own as well, which finds it where it was stored."""
    calls, around = program.calls.get(compiled.number, ()), len(compiled.caller_loops)
    return len({(call.path, tuple(call.loops[:around])) for call in calls if call.within == compiled.within}) > 1


def _replaced(program: Program, called: Sequence[Compiled]) -> bool:
    """Whether the objects of a round take the place of those of an earlier one, each of which was called in one round alone. Nothing takes the place of
    the last ones, of which there is one for each key under which they are stored: they may be called later."""
    depth = _depth([_around(compiled) for compiled in called])
    last, gone = ({_around(compiled)[:depth] for compiled in called if compiled.outlived is outlived} for outlived in (False, True))
    rounds = ({call.loops[:depth] for call in program.calls.get(compiled.number, ())} for compiled in called if compiled.outlived)
    return 0 < len(gone) >= len(last) and all(len(of_one) == 1 for of_one in rounds)


def _around(compiled: Compiled) -> tuple[Where, ...]:
    """The loops in which an object was made, outermost first."""
    return (*compiled.caller_loops, *compiled.loops)


def _depth(found: Sequence[Sequence[Where]]) -> int | None:
    """How many loops there are up to the first of which two objects were made in different rounds; None if there is none."""
    for depth, loops in enumerate(zip(*found)):
        if len({loop.span for loop in loops}) == 1 < len({loop.text for loop in loops}):
            return depth + 1
    return None


def _later(program: Program, compiled: Compiled, replaced: bool) -> bool:
    """Whether an object is called in a later round than that in which it was made. `replaced`: it is called in one round alone, whichever that is."""
    around = _around(compiled)
    calls = program.calls.get(compiled.number, ())
    return (
        compiled.again
        and any(call.older for call in calls)
        or not replaced
        and any(made.span == loop.span and made.text != loop.text for call in calls for made, loop in zip(around, call.loops))
    )


def _deeper(program: Program, compiled: Compiled) -> bool:
    """Whether one object serves many calls: it is called in several rounds of a loop inside of what makes it."""
    deeper = {call.loops[_common(compiled, call) :] for call in program.calls.get(compiled.number, ())}
    return _repeated(deeper) is not None or any(loop.text in UNCOUNTED for loops in deeper for loop in loops)


def _common(compiled: Compiled, call: Call) -> int:
    """How many loops around what makes an object are around a call of it as well, in the same rounds."""
    around = _around(compiled)
    return next((n for n, (made, loop) in enumerate(zip(around, call.loops)) if made != loop), min(len(around), len(call.loops)))


def ending(program: Program, compiled: Compiled, loops: Sequence[Where]) -> Sequence[Where]:
    """Those of the loops around what makes an object in whose rounds it is called. What is called only after all rounds of a loop outlives each."""
    around = [{loop.span for loop in call.loops} for call in program.calls.get(compiled.number, ())]
    return [loop for loop in loops if any(loop.span in spans for spans in around)]


def made_again(found: Iterable[tuple[Compiled, Sequence[Where]]]) -> Where | None:
    """A loop in different rounds of which objects of one function were made. `found`: the objects, each with the loops that are meant. A loop over several
    functions or objects compiles each of them once."""
    functions: dict[object, list[Sequence[Where]]] = {}
    for compiled, loops in found:
        what = compiled.function
        turns = {loop.span for loop in compiled.turns}
        around = [loop for loop in loops if loop.span not in turns]
        rounds = functions.setdefault((what.kind, what.name, what.where, compiled.owner), [])
        if not compiled.again and any(loop.text == "rest" for loop in around):
            continue  # no round that calls what it has made leads to it
        rounds.append(around)
        if compiled.again:
            rounds.append(_earlier(around))
    return next((loop for around in functions.values() if (loop := _repeated(around)) is not None), None)


def _earlier(around: Sequence[Where]) -> Sequence[Where]:
    """The loops around something that an earlier round did as well: another one of the innermost loop whose rounds were not run one by one."""
    at = next((n for n in reversed(range(len(around))) if around[n].text == "rest"), None)
    return around if at is None else (*around[:at], Where(around[at].span, "first"))


def _repeated(loops: Iterable[Sequence[Where]]) -> Where | None:
    """A loop that is come to in two rounds, the loops around it being in one round."""
    rounds: dict[tuple[object, ...], set[str]] = {}
    places: dict[tuple[object, ...], Where] = {}
    for around in loops:
        for depth, loop in enumerate(around):
            key = (*around[:depth], loop.span)
            rounds.setdefault(key, set()).update(UNCOUNTED if loop.text == RECURSION else (loop.text,))
            places[key] = loop
    return next((places[key] for key, found in rounds.items() if len(found) > 1), None)
