"""Objects that a trace hands to what nobody in sight gives: a model is handed caches, and calls their methods.

A public method that changes its object, and that nothing in sight calls by its name, is there to be called from elsewhere: whoever is handed the object
may call it, on the open condition that it does, with arrays of the trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import NONE, Bound, Member, Ref, Symbolic, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.paths import CALLED_BACK, PUT_THERE, Condition
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.objects.annotations import names_array
from mxlint.interpreter.objects.lookup import CLASS, mro
from mxlint.interpreter.open_world import installed
from mxlint.interpreter.open_world.dispatch import changes
from mxlint.syntax import ir

MAX_METHODS: Final = 4
"""Methods that are tried of the objects of one call; more are an interface that says nothing of what is called."""


def used(i: Interpreter, args: Arguments, place: Place, frame: Frame, owner: Value = NONE) -> None:
    """Run the methods that a call of something symbolic may call of what a trace hands to it. `owner`: the object whose method that is; it is not handed
    out."""
    trace = i.trace
    if trace is None or i.silent > 1 or trace.handing:
        return
    found = list(dict.fromkeys(each for oid in _objects(i, args) for each in _methods(i, oid, frame) if Ref(oid) != owner))
    if len({method for _, method, _ in found}) > MAX_METHODS:
        i.imprecise("an object with many methods that is handed out of sight", place)
        return
    trace.handing = True
    try:
        for each, method, info in found:
            _may_call(i, Ref(each), method, info, CALLED_BACK, place, frame)
    finally:
        trace.handing = False


def put_there(i: Interpreter, function: Ref | Symbolic, args: Arguments, place: Place, frame: Frame) -> None:
    """A trace calls something out of sight, with arrays of its own: it may call what the program has put into it, or into what it is given."""
    trace = i.trace
    if trace is None or i.silent > 1 or trace.handing:
        return
    found = [
        value
        for root in (function, *(m for value in args.values for m in members(value)))
        if (value := installed.held(i, root)) is not None
    ]
    if not found or not any(trace.holds(array.trace) for array in arrays_in(i, *args.values)):
        return
    trace.handing = True
    try:
        for value in found:
            i.split(value, lambda member: _may_be_called(i, member, place, frame))
    finally:
        trace.handing = False


def _may_be_called(i: Interpreter, member: Value, place: Place, frame: Frame) -> Value:
    method = installed.calling(i, member) if isinstance(member, Ref) else None
    info = i.info(method.oid).payload if method is not None else None
    if isinstance(member, Ref) and method is not None and isinstance(info, FunctionInfo):
        _may_call(i, member, method, info, PUT_THERE, place, frame)
    return NONE


def _objects(i: Interpreter, args: Arguments) -> Iterator[int]:
    """The objects of classes in sight among what is handed over, and in lists and tuples of it, but for those whose methods run."""
    running = {i.heap.get(around.oid, params[0].name) for around in i.stack if (params := _params(around))}
    for value in args.values:
        for member in members(value):
            held = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) and i.info(member.oid).kind == "list" else member
            for each in _one_of_each(held or NONE):
                if isinstance(each, Ref) and i.info(each.oid).kind == "instance" and each not in running:
                    yield each.oid


def _one_of_each(held: Value) -> Iterator[Member]:
    """What is handed over itself, or the first of its items: the others are like it."""
    for member in members(held):
        if isinstance(member, Tuple):
            for part in (*(member.items or ())[:1], member.element or NONE):
                yield from members(part)
        else:
            yield member


def _params(frame: Frame) -> list[ir.Param]:
    return list(frame.node.params) if isinstance(frame.node, (ir.FuncDef, ir.Lambda)) else []


def _methods(i: Interpreter, oid: int, frame: Frame) -> Iterator[tuple[int, Ref, FunctionInfo]]:
    """The methods of an object that change it and that nothing in its file calls."""
    cls = i.heap.get(oid, CLASS)
    for base in mro(i, cls) if isinstance(cls, Ref) else ():
        for name, value in i.heap.fields(base.oid).items() if isinstance(base, Ref) else ():
            for member in members(value):
                info = i.info(member.oid).payload if isinstance(member, Ref) else None
                if not isinstance(name, str) or name.startswith("_") or not isinstance(member, Ref) or not isinstance(info, FunctionInfo):
                    continue
                blocks = i.project.symbols(info.source, i.tracers).blocks
                its = next((block for block in blocks if (block.start, block.end) == (info.node.start, info.node.end)), None)
                if its is not None and (its.own or changes(its)) and not any(name in block.calls for block in blocks):
                    yield oid, member, info


def _may_call(i: Interpreter, owner: Ref, method: Ref, info: FunctionInfo, how: str, place: Place, frame: Frame) -> None:
    trace = i.trace
    assert trace is not None
    given: list[Value] = []
    for param in info.node.params[1:]:
        if param.star or param.kwonly or param.default is not None:
            continue
        given.append(
            Array(i.ident(place, ("handed", method.oid, param.name)), trace.number, None, None)
            if param.annotation is None or names_array(i, method, param.annotation)
            else i.symbolic(place, f"argument {param.name}", param.name)
        )

    def run() -> Value:
        i.call(Bound(owner, method), Arguments(given, places=(place,) * len(given)), place, frame)
        return NONE

    called = i.undecided("open", place, tag=(how, method.oid))
    i.fork([((called,), run), ((Condition("open", place, called.opposite),), lambda: NONE)])
