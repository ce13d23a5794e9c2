"""Tuples that a trace reads part by part: `self.state.step`, `shape[0]`, `weight, count = pair`.

A tuple cannot change; another one is stored in its place, which often differs in one part alone. So a trace that finds a tuple has read nothing yet: the value
says where the tuple lies (`Tuple.sources`). A part is read where the trace takes it out. The whole is read where an expression uses it in any other way than to
take a part, bind a local name, hand it to a function of the program, or return it. Numbers, flags and strings are read in the same way (`scalars.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mxlint.domain.join import of
from mxlint.domain.members import (
    COUNT,
    UNBOUND,
    Bound,
    Const,
    External,
    Member,
    Option,
    Ref,
    Sourced,
    SourcedRef,
    Spot,
    Tuple,
    Value,
    members,
    options,
)
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import scalars
from mxlint.interpreter.compiled.state import Changes
from mxlint.interpreter.compiled.traces import Trace, under
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.expressions import identity
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import call_places
from mxlint.interpreter.machine.locations import OF, part
from mxlint.syntax import ir

LEN: Final = External("builtins.len")
READERS: Final = frozenset((LEN, External("builtins.getattr")))
"""Functions of Python that read a part of a tuple that they are given, and say so."""


def found(i: Interpreter, oid: int, field: object, value: Value, place: Place, frame: Frame) -> Value:
    """What a location holds that is read. If these are tuples or scalars, a trace has read nothing of them yet."""
    if i.trace is not None and scalars.are_scalars(value) and is_older(i, oid, field, frame):
        i.apportions = True
        return scalars.sourced(value, frozenset((_spot(i, i.trace, oid, field, value, place),)))
    if i.trace is not None and oid not in i.trace.captures.ins and identity.are_objects(i, value) and is_older(i, oid, field, frame):
        i.apportions = True
        return identity.sourced(value, frozenset((_spot(i, i.trace, oid, field, value, place),)))
    if i.trace is None or not _has_parts(value) or oid in i.trace.captures.ins or not is_older(i, oid, field, frame):
        i.operations.read(i, oid, field, value, place, frame)
        return value
    i.apportions = True
    return _sourced_tuples(value, frozenset((_spot(i, i.trace, oid, field, value, place),)))


def found_behind(i: Interpreter, past: Iterable[int], oid: int, name: str, value: Value, place: Place, frame: Frame) -> Value:
    """What a class holds that is read of an object or of another class. `past`: what was asked for it before, and holds nothing of that name."""
    whole = found(i, oid, name, value, place, frame)
    trace = i.trace
    kept = trace is not None and any(isinstance(member, (Sourced, SourcedRef)) for member in members(whole))
    spots = {spot for member in members(whole) if isinstance(member, (Sourced, SourcedRef)) for spot in member.sources}
    for other in past:
        if kept and trace is not None and is_older(i, other, name, frame):
            spots.add(replace(_spot(i, trace, other, name, value, place), here=False))
        else:
            i.operations.read_through(i, other, name, value, place, frame)
    if not kept:
        return whole
    if any(isinstance(member, SourcedRef) for member in members(whole)):
        return identity.sourced(whole, frozenset(spots))
    return scalars.sourced(whole, frozenset(spots))


def _spot(i: Interpreter, trace: Trace, oid: int, field: object, value: Value, place: Place) -> Spot:
    return Spot(oid, field, (), place, tuple(call_places(i, trace.depth + 1)), value, under=under(i, trace))


def _has_parts(value: Value) -> bool:
    """Whether a value is surely a tuple of items known one by one, or begins with such."""
    return all(isinstance(member, Tuple) and bool(member.beginning) and not member.sources for member in members(value))


def is_older(i: Interpreter, oid: int, field: object, frame: Frame) -> bool:
    """Whether a location is one that a trace reads for itself: older than the trace, and nothing that it has written."""
    trace = i.trace
    assert trace is not None
    info = i.info(oid)
    return (
        info.trace != trace.number
        and (oid, field) not in trace.written
        and not (oid == frame.oid and frame.kind == "function")
        and i.heap.get(oid, OF) is None
    )


def _sourced_tuples(value: Value, sources: frozenset[Spot]) -> Value:
    return of(Option(o.member.sourced(sources) if isinstance(o.member, Tuple) else o.member, o.guard) for o in options(value))


def come_to(i: Interpreter, value: Value, place: Place) -> Value:
    """A value that a trace comes to anew, by the expression at a place: what it reads of tuples from here on it reads there."""
    trace = i.trace
    if trace is None or not any(isinstance(member, Tuple) and member.sources for member in members(value)):
        return value
    calls = tuple(call_places(i, trace.depth + 1))

    def anew(member: Member) -> Member:
        if not isinstance(member, Tuple):
            return member
        return member.sourced(frozenset(replace(spot, place=place, calls=calls) for spot in member.sources))

    return of(Option(anew(option.member), option.guard) for option in options(value))


def used(i: Interpreter, value: Value, frame: Frame, node: ir.Expr | None = None) -> Value:
    """A value of which a trace uses all, by an expression if that is known. What lies somewhere is read there."""
    for spot in scalars.sources(value):
        scalars.read(i, spot, frame, frame.place(node) if node is not None else None)
    return used_but_scalars(i, scalars.plain(value), frame)


def used_but_scalars(i: Interpreter, value: Value, frame: Frame) -> Value:
    """A value of which a trace uses all, unless it is a number, flag or text."""
    return identity.used(i, used_tuples(i, value, frame), frame)


def used_tuples(i: Interpreter, value: Value, frame: Frame) -> Value:
    """A value of which a trace uses all if it is a tuple."""
    spots = dict.fromkeys(spot for member in members(value) if isinstance(member, Tuple) for spot in scalars.in_order(member.sources))
    if not spots:
        return value
    for spot in spots:
        scalars.read(i, spot, frame)
    return _sourced_tuples(value, frozenset())


def whole_but_tuples(i: Interpreter, node: ir.Expr, frame: Frame) -> Value:
    """Evaluate an expression, of whose value everything is used unless it is a tuple."""
    value = i.part(node, frame)
    for spot in scalars.sources(value):
        scalars.read(i, spot, frame)
    return identity.used(i, scalars.plain(value), frame)


def measured(i: Interpreter, node: ir.Expr, frame: Frame) -> Value:
    """Evaluate what is asked for its length: of a text no more than that is used, as of a tuple."""
    return identity.used(i, i.part(node, frame), frame)


def compared(i: Interpreter, node: ir.Expr, frame: Frame) -> Value:
    """Evaluate an operand of a comparison: of an object it may ask only which one it is."""
    value = i.part(node, frame)
    return used_tuples(i, value, frame) if i.apportions else value


def owner(i: Interpreter, node: ir.Expr, frame: Frame) -> Value:
    """Evaluate an expression, of whose value a part is taken: an object is used."""
    value = i.part(node, frame)
    return identity.used(i, value, frame) if i.apportions else value


def scalar(i: Interpreter, node: ir.Expr, frame: Frame) -> Value:
    """Evaluate an expression, of whose value everything is used unless it is a number, flag or text."""
    value = i.part(node, frame)
    return used_but_scalars(i, value, frame) if i.apportions else value


def _read(i: Interpreter, spot: Spot, place: Place, frame: Frame) -> None:
    field = part(spot.field, spot.path)
    if i.trace is not None:
        i.operations.read(i, spot.oid, field, aspects.at(i, spot.oid, field) or UNBOUND, place, frame)


def taken_out(i: Interpreter, owner: Tuple, step: int | str, item: Value, place: Place, frame: Frame, *, unpacked: bool = False) -> Value:
    """An item of a tuple, by its number or the name of its field. It is read where the tuple lies. `unpacked`: no expression stands for the item, so it
    is called as the tuple is."""
    if not owner.sources:
        return handed_out(i, item, place, frame)
    inner = frozenset(spot.inner(step) for spot in owner.sources)
    if _has_parts(item):
        return _sourced_tuples(item, inner)
    if unpacked and scalars.are_scalars(item):
        return scalars.sourced(item, inner)
    if i.trace is not None and scalars.are_scalars(item):
        return _sourced_here(i, i.trace, item, inner, place)
    for spot in scalars.in_order(inner):
        scalars.read(i, spot, frame) if unpacked else _read(i, spot, place, frame)
    return item


def _sourced_here(i: Interpreter, trace: Trace, item: Value, spots: frozenset[Spot], place: Place) -> Value:
    """A scalar that a running trace comes to at a place, with where it lies."""
    calls = tuple(call_places(i, trace.depth + 1))
    return scalars.sourced(item, frozenset(replace(spot, place=place, calls=calls) for spot in spots))


def handed_out(i: Interpreter, item: Value, place: Place, frame: Frame) -> Value:
    """An item that host code takes out of a tuple: a trace may have changed a copy of it, on which that code relies."""
    if i.trace is None and i.ledger.of(Changes).whole:
        i.operations.read(i, frame.oid, part("", (COUNT,)), item, place, frame)
    return item


def asked(i: Interpreter, value: Value, place: Place, frame: Frame) -> None:
    """Note that it is asked whether a value is None."""
    for spot in dict.fromkeys(spot for member in members(value) if isinstance(member, Tuple) for spot in scalars.in_order(member.sources)):
        _read(i, spot.inner(None), place, frame)


def counted(i: Interpreter, owner: Tuple, place: Place, frame: Frame) -> None:
    """Note that it is asked how many items a tuple has."""
    for spot in scalars.in_order(owner.sources):
        _read(i, spot.inner(COUNT) if owner.items is not None else spot, place, frame)


def length(i: Interpreter, owner: Tuple, place: Place, frame: Frame) -> Value | None:
    """How many items a tuple has, as a number that a running trace has not used yet; None if nobody knows that, or it lies nowhere."""
    if i.trace is None or owner.items is None or not owner.sources:
        counted(i, owner, place, frame)
        return None
    return _sourced_here(i, i.trace, Const(len(owner.items)), frozenset(spot.inner(COUNT) for spot in owner.sources), place)


def past_end(i: Interpreter, owner: Tuple, index: int | slice, place: Place, frame: Frame) -> None:
    """Note that an item is asked for that is not there: the one of that number, for a slice the one after the last."""
    number = len(owner.items or ()) if isinstance(index, slice) else index
    for spot in scalars.in_order(owner.sources):
        i.operations.read_through(i, spot.oid, part(spot.field, (*spot.path, number)), UNBOUND, place, frame)


def cut_out(i: Interpreter, owner: Tuple, index: slice, place: Place, frame: Frame) -> Tuple:
    """A slice of a tuple whose items are known: each of its items is read by itself."""
    assert owner.items is not None
    numbers = range(len(owner.items))[index]
    return Tuple(tuple(used(i, taken_out(i, owner, number, owner.items[number], place, frame), frame) for number in numbers))


def hands_on(i: Interpreter, function: Value) -> bool:
    """Whether a callable uses nothing of its arguments by itself: a function of the program that binds each to a name and runs at once."""
    target: Value = function.function if isinstance(function, Bound) else function
    info = i.info(target.oid).payload if isinstance(target, Ref) and i.info(target.oid).kind == "function" else None
    if not isinstance(info, FunctionInfo) or info.generator or info.is_async:
        return False
    return not any(param.star for param in info.node.params)
