"""Numbers, flags and strings of which a trace uses only what it decides by them: `n > 2`, `if flag:`, `step % 10 == 0`.

A trace that finds one has used nothing of it yet: the value says where it lies (`Sourced`), and what operators make of it with other scalars says so in turn. What
counts as used is the outcome of a test in the end, or the number where anything else is done with it. So another number that decides the same is no stale read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.join import of
from mxlint.domain.members import (
    TRUTH,
    Applied,
    Const,
    External,
    Kind,
    Member,
    Option,
    Ref,
    Sourced,
    SourcedRef,
    Spot,
    Tuple,
    Value,
    as_constant,
    members,
    options,
)
from mxlint.domain.place import Place
from mxlint.interpreter.expressions import outcomes
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS, SAME
from mxlint.interpreter.objects.lookup import container
from mxlint.syntax import ir

MAX_STEPS: Final = 12
"""Operators one after another; what comes of more is the number itself, used."""
FLOATS: Final = frozenset(("float16", "bfloat16", "float32", "float64", "complex64"))
"""Dtypes of arrays that make floats of the numbers that they are computed with."""
AS_FLOAT: Final = Applied("builtins.float")
SCALARS: Final = (bool, int, float, str)


def are_scalars(value: Value) -> bool:
    """Whether a value is surely a number, flag or text of which a trace has not kept yet where it lies."""
    return all(type(member) is Const and type(member.value) in SCALARS for member in members(value))


def sourced(value: Value, spots: frozenset[Spot]) -> Value:
    """The scalars with where they lie."""
    return of(Option(Sourced(o.member.value, spots), o.guard) for o in options(value) if isinstance(o.member, Const))


def sources(value: Value) -> Iterable[Spot]:
    """Where the scalars in a value lie."""
    return dict.fromkeys(spot for member in members(value) if isinstance(member, Sourced) for spot in in_order(member.sources))


def in_order(spots: Collection[Spot]) -> Collection[Spot]:
    """Some spots in the order in which the program reads them, which a set does not keep."""
    return spots if len(spots) < 2 else sorted(spots, key=_order)


def _order(spot: Spot) -> tuple[object, ...]:
    return (spot.place.source.name, spot.place.start, spot.place.end, spot.oid, repr(spot.field), repr(spot.path))


def plain(value: Value) -> Value:
    """The value without where it lies."""
    if not any(isinstance(member, Sourced) for member in members(value)):
        return value
    return of(Option(bare(option.member), option.guard) for option in options(value))


def bare(member: Member) -> Member:
    """One member without where it lies."""
    return Const(member.value) if isinstance(member, Sourced) else member


def read(i: Interpreter, spot: Spot, frame: Frame, at: Place | None = None) -> None:
    """Note that a trace reads what lies at a spot, and uses it at a place; where it came to it, if none is given."""
    if i.trace is not None:
        i.operations.read_spot(i, spot, at, frame)


def decided(i: Interpreter, value: Value, frame: Frame) -> None:
    """Note that it is asked whether a value is true."""
    for spot in sources(value):
        read(i, spot.inner(TRUTH), frame)


def applied(i: Interpreter, op: str, a: Member, b: Member) -> Sourced | None:
    """What an operator makes of two scalars of which one lies somewhere at least; None if it uses more of them than that."""
    first, other = _known(a), _constants(i, b) if op in outcomes.MEMBERSHIPS else _known(b)
    if i.trace is None or not isinstance(first, Const) or not isinstance(other, (Const, Tuple)):
        return None
    found = outcomes.outcome(Applied(op, other), first, other)
    if not isinstance(found, Const) or type(found.value) not in SCALARS:
        return None
    spots = {inner(spot, op, b if isinstance(b, Sourced) else other, False) for spot in (a.sources if isinstance(a, Sourced) else ())}
    spots |= {inner(spot, op, a if isinstance(a, Sourced) else first, True) for spot in (b.sources if isinstance(b, Sourced) else ())}
    if not spots or any(len(spot.path) > MAX_STEPS for spot in spots):
        return None
    return Sourced(found.value, frozenset(spots))


def called(i: Interpreter, name: str, given: Sequence[Value]) -> Sourced | None:
    """What a function of a library makes of one scalar or two, of which one lies somewhere at least; None if it uses more of them than that."""
    if len(given) == 2 and isinstance(given[0], Const) and isinstance(given[1], Const):
        return applied(i, name, given[0], given[1])
    classes = given[1] if len(given) == 2 and name == outcomes.ISINSTANCE and isinstance(given[1], (External, Tuple)) else None
    if i.trace is None or len(given) != 1 and classes is None or not isinstance(given[0], Sourced):
        return None
    step = Applied(name, classes)
    found = outcomes.outcome(step, bare(given[0]), classes)
    if not isinstance(found, Const) or type(found.value) not in SCALARS or any(len(spot.path) > MAX_STEPS for spot in given[0].sources):
        return None
    return Sourced(found.value, frozenset(spot.inner(step) for spot in given[0].sources))


def meets(i: Interpreter, value: Member, other: Member, frame: Frame) -> None:
    """Note that a scalar is used beside another operand. An array of floats makes one of its own of a number: 2 is no other than 2.0 there."""
    if isinstance(value, Sourced) and not isinstance(value.value, str) and isinstance(other, Array) and other.dtype in FLOATS:
        for spot in in_order(value.sources):
            read(i, spot.inner(AS_FLOAT), frame)
        return
    i.operations.used(i, value, frame)


def shown_of(i: Interpreter, name: str, given: Sequence[Value], shown: Value, node: ir.Expr, frame: Frame) -> Value:
    """The text that a function makes of a scalar, which lies there, too; `shown`: what it is."""
    if not sources(given[0]):
        return shown
    made = called(i, name, given)
    if made is not None and shown == Const(made.value):
        return made
    i.operations.used(i, given[0], frame, node)
    return shown


def joined(i: Interpreter, first: Value, second: Value, frame: Frame) -> Value:
    """Two strings as one. What is no constant is not known letter by letter."""
    if isinstance(first, Const) and isinstance(second, Const) and isinstance(first.value, str) and isinstance(second.value, str):
        made = applied(i, "+", first, second)
        if made is not None or not (sources(first) or sources(second)):
            return made or Const(first.value + second.value)
    for text in (first, second):
        i.operations.used(i, text, frame)
    return Kind("str", "varying")


def _known(member: Member) -> Member:
    """A scalar without where it lies; what is computed from lengths that are known is a number."""
    return as_constant(bare(member))


def inner(spot: Spot, op: str, other: Member, turned: bool) -> Spot:
    """What an operator makes of what lies at a spot, with an operand that may lie somewhere as well."""
    where = next((lies for lies in other.sources if lies.here), None) if isinstance(other, (Sourced, SourcedRef)) else None
    if where is None:
        return spot.inner(Applied(op, Ref(other.oid) if isinstance(other, SourcedRef) else bare(other), turned))
    return spot.inner(Applied(op, replace(where, oid=SAME) if where.oid == spot.oid else where, turned))


def _constants(i: Interpreter, member: Member) -> Member | None:
    """What a container holds, if these are constants known one by one; a string is one itself."""
    content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) and container(i, member) in ("list", "set") else member
    if isinstance(content, Tuple) and content.items is not None and all(type(item) is Const for item in content.items):
        return Tuple(content.items)
    return bare(content) if isinstance(content, Const) and isinstance(content.value, str) else None
