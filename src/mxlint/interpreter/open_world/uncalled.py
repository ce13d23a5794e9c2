"""Compiled objects that nothing in sight calls: they are traced, or called, with what their parameters most likely are."""

from __future__ import annotations

from collections.abc import Collection

from mxlint.domain.arrays import Array
from mxlint.domain.members import NONE, Bound, External, Ref, Union, Value
from mxlint.domain.place import Place
from mxlint.facts.values import UnknownValue
from mxlint.interpreter.compiled import lifetimes, making, tracing
from mxlint.interpreter.compiled.keys import cache_key
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import describe, journal
from mxlint.interpreter.machine.paths import Path
from mxlint.interpreter.mlx.layers import SEQUENTIAL
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.interpreter.open_world.candidates import functions
from mxlint.interpreter.open_world.guarded import guarded_run
from mxlint.interpreter.open_world.parameters import arguments
from mxlint.source import Source


class TracedAlone:
    """Compiled objects that were traced though nothing calls them, by their numbers."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: set[int] = set()


def trace_uncalled(i: Interpreter, frame: Frame, known: Collection[int] = (), again: Collection[int] = ()) -> frozenset[int]:
    """Trace the compiled functions that nothing called so far, with what their parameters most likely are, and those in `again`; those in `known` are
    left for later. What another file makes while it is imported is left to the run over that file, which sees its calls. Gives those whose trace has come to no end."""
    unended = set()
    used = {record.object for record in journal(i).records if type(record).__name__ in ("Call", "Trace")}
    used |= {record.object for record in journal(i).records if type(record).__name__ == "Note" and record.object is not None}
    traced = i.ledger.of(TracedAlone).numbers
    for number in list(journal(i).compiled):
        if number not in again and (number in used or number in traced) or number in known or i.info(number).payload.imported:  # type: ignore[attr-defined]
            continue
        if lifetimes.is_replaced(i, number):
            continue
        traced.add(number)
        unended.add(number)

        def run(number: int = number) -> None:
            i.path = (*i.path, *_where_it_lies(i, number))
            _trace(i, number, frame)
            unended.discard(number)

        guarded_run(i, run, (Ref(number),))
    return frozenset(unended)


def _where_it_lies(i: Interpreter, number: int) -> Path:
    """What holds wherever a compiled object is found, if one place alone has it: in `if mode: self.step = mx.compile(f)` that the mode is set."""
    places = list(i.heap.holders(number))
    held = i.live(i.heap.get(*places[0]) or NONE) if len(places) == 1 else NONE
    if not isinstance(held, Union):
        return ()
    return next((conditions for option, conditions in i.alternatives(held) if option.member == Ref(number)), ())


def _trace(i: Interpreter, number: int, frame: Frame) -> None:
    place, args = _made_at(i, number), _compiled_arguments(i, number)
    if args is None:
        return
    function = i.heap.get(number, "fun") or NONE
    ref, bound, names = making.target(i, function)
    info = i.info(ref.oid).payload if ref is not None else None
    params = info.node.params[bound:] if isinstance(info, FunctionInfo) else ()
    positional = [param.name for param in params if not param.star and not param.kwonly and param.name not in names]
    journal(i).assumed[number] = {
        name: described
        for name, value in (*zip(positional, args.args), *args.keywords.items())
        if not isinstance(described := describe(i, value), UnknownValue)
    }
    key = cache_key(i, args, False, place, lambda name, given: False)
    tracing.trace_call(i, Ref(number), function, args, key, place, frame)


def call_compiled_alone(i: Interpreter, compiled_object: Ref, turn: int, frame: Frame) -> None:
    """Call a compiled object that nothing in sight calls, with arguments that are other ones in each `turn`."""
    place = _made_at(i, compiled_object.oid)
    i.modes.entered_alone = True
    with i.within(("entry", place, turn)):
        args = _compiled_arguments(i, compiled_object.oid)
        if args is not None:
            i.call(compiled_object, args, place, frame)


def _compiled_arguments(i: Interpreter, number: int) -> Arguments | None:
    """What a compiled object is given that nothing in sight calls; None if it is not known what it takes."""
    function, place = i.heap.get(number, "fun") or NONE, _made_at(i, number)
    ref, bound, names = making.target(i, function)
    info = i.info(ref.oid).payload if ref is not None else None
    if ref is not None and isinstance(info, FunctionInfo) and not info.generator and not info.is_async:
        return arguments(i, ref, info, bound, names, compiled_function=True)
    if ref is None and isinstance(function, Ref) and i.heap.get(function.oid, CLASS) == External(SEQUENTIAL):
        return Arguments((Array(i.ident(place, "parameter"), None, None, None),), places=(place,))
    return None


def _made_at(i: Interpreter, number: int) -> Place:
    """Where a compiled object is made."""
    place = i.info(number).place
    assert place is not None
    return place


def compile_all(i: Interpreter, source: Source, module: int, frame: Frame) -> None:
    """Compile each function and method of a file, and trace it with what its parameters most likely are."""
    for ref, cls, owner in list(functions(i, source, module)):
        info = i.info(ref.oid).payload
        assert isinstance(info, FunctionInfo)
        place = Place(source, info.node.start, info.node.end)

        def run(ref: Ref = ref, cls: Ref | None = cls, owner: Ref | None = owner, place: Place = place) -> None:
            bound: Value = (
                ref if cls is None and owner is None else Bound(owner if owner is not None else i.symbolic(place, "self", "self"), ref)
            )
            making.make(i, Arguments((bound,), places=(place,)), place, frame)
            trace_uncalled(i, frame)

        guarded_run(i, run)
