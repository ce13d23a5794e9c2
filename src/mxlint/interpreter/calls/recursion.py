"""Recursion as a fixpoint: what the inner call returns is what was found so far, from nothing upwards.

All calls of the function that the outermost activation brings about are one: its arguments are those of all. What it makes of a symbolic argument for an inner call,
as `walk(node.left)` does, is again one symbolic value, with which an inner call starts.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from mxlint.domain.guards import Identity
from mxlint.domain.heap import of_earlier
from mxlint.domain.members import Ref, Value
from mxlint.domain.place import Place
from mxlint.domain.widening import widen
from mxlint.interpreter.loops.carried import going_on, handed_down
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.paths import CLIENT, go_together
from mxlint.interpreter.machine.recursions import Recursion, looks_inside

MAX_FIXPOINT: Final = 6
"""Rounds of a fixpoint of recursion."""


def come_to(i: Interpreter, state: Recursion, args: Arguments) -> Value:
    """An inner call: what the function has given so far; nothing goes on where it has given nothing."""
    looking = looks_inside(i)
    if looking is None:
        state.arguments.append(args)
        state.paths.append(i.path)
        if state.compiles and i.silent:
            _look_inside(i, state, args)
    elif looking is not state and state.inner is None:
        with state.within(looking.inner):
            return state.run(args)
    if state.value is None:
        raise Halt
    return state.value


def _look_inside(i: Interpreter, state: Recursion, args: Arguments) -> None:
    """Run an inner call from its own state and arguments, to see what it compiles itself, where what calls it may have compiled the same: a function that is handed
    what an outer call has compiled makes no other."""
    base = i.path
    for place, compiles in [*state.compiles.items()]:
        mark, checkpoint = i.heap.mark(), i.checkpoint()
        if go_together(base, compiles):
            i.path = (*base, *(condition for condition in compiles if condition not in base))
        with state.within(place), suppress(Halt):
            state.run(args)
        i.heap.undo(mark)
        i.path = base
        i.forget(checkpoint)


def fixpoint(i: Interpreter, key: Any, args: Arguments, run: Callable[[Arguments], Value], call: tuple[Ref, Place]) -> Value:
    """Run a function until neither what it gives nor what its inner calls are given changes, and then once more to note facts. `call`: the function, and where
    it is called."""
    state = Recursion(run)
    i.approximations[key] = state
    mark = i.heap.mark()
    path = i.path
    given = args
    try:
        for _ in range(MAX_FIXPOINT):
            state.arguments, state.paths, state.again = [], [], set()
            checkpoint = i.checkpoint()
            try:
                with i.quietly():
                    value: Value | None = of_earlier(run(given), _may_differ)
            except Halt:
                value = None
            i.heap.undo(mark)
            i.path = path
            i.forget(checkpoint)
            wider = _widened_arguments(i, given, state.arguments, call)
            merged = value if state.value is None else state.value if value is None else widen(state.value, value)
            if merged == state.value and wider is None:
                break
            state.value = merged
            given = wider or given
        return run(given)
    finally:
        del i.approximations[key]


def _may_differ(condition: Identity) -> bool:
    """Whether a condition may have another outcome in an inner call: not so of whether a method runs between two calls of the client."""
    return condition[0] != CLIENT


def _widened_arguments(i: Interpreter, given: Arguments, inner: list[Arguments], call: tuple[Ref, Place]) -> Arguments | None:
    """The arguments of a recursive function and of its inner calls together; None if these bring nothing new."""
    function, place = call

    def widened(before: Value, value: Value, name: object) -> Value:
        counted = going_on(i, before, value)
        if counted is not None:
            return counted
        return widen(before, handed_down(i, before, value, (function.oid, ("given", name)), (place, "recursion")))

    result = list(given.args)
    keywords = dict(given.keywords)
    changed = False
    for other in inner:
        if len(other.args) != len(result):
            continue
        for number, value in enumerate(other.args):
            wider = widened(result[number], value, number)
            changed = changed or wider != result[number]
            result[number] = wider
        for name, value in other.keywords.items():
            wider = widened(keywords[name], value, name) if name in keywords else value
            changed = changed or keywords.get(name) != wider
            keywords[name] = wider
    return Arguments(result, keywords, given.star, given.kwstar, given.places, given.keyword_places, given.node) if changed else None
