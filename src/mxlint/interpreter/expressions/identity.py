"""Objects of which a trace asks only which they are: `mode is Mode.TRAIN`, `obj in (a, b)`.

A trace that finds an object has used nothing of it yet: the value says where it lies (`SourcedRef`). A comparison by identity reads the outcome, so another object
with the same outcome is no stale read. Whatever else is done with the object uses it.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.join import of
from mxlint.domain.members import NONE, Applied, Const, Member, Option, Ref, Sourced, SourcedRef, Spot, Tuple, Value, members, options
from mxlint.interpreter.compiled import scalars
from mxlint.interpreter.expressions import outcomes
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.objects.lookup import by_identity, container

OPERATORS: Final = {"is": "is", "is not": "is not", "==": "is", "!=": "is not", "in": "in", "not in": "not in"}
"""What a comparison asks, where objects are equal to themselves alone."""


def are_objects(i: Interpreter, value: Value) -> bool:
    """Whether a value is surely an object of the program that is equal to itself alone."""
    return all(type(member) is Ref and _is_one(i, member) for member in members(value))


def _is_one(i: Interpreter, ref: Ref) -> bool:
    return i.info(ref.oid).kind == "instance" and not i.info(ref.oid).summary and by_identity(i, ref)


def sourced(value: Value, sources: frozenset[Spot]) -> Value:
    """The objects with where they lie."""
    return of(Option(SourcedRef(o.member.oid, sources) if isinstance(o.member, Ref) else o.member, o.guard) for o in options(value))


def bare(member: Member) -> Member:
    """One object or scalar without where it lies."""
    return Ref(member.oid) if isinstance(member, SourcedRef) else scalars.bare(member)


def used(i: Interpreter, value: Value, frame: Frame) -> Value:
    """A value of which a trace uses the objects: they are read where they lie."""
    found = dict.fromkeys(spot for member in members(value) if isinstance(member, SourcedRef) for spot in scalars.in_order(member.sources))
    if not found:
        return value
    for spot in found:
        scalars.read(i, spot, frame)
    return of(Option(bare(o.member) if isinstance(o.member, SourcedRef) else o.member, o.guard) for o in options(value))


def compared(i: Interpreter, op: str, a: Member, b: Member, found: Value) -> Sourced | None:
    """The outcome of a comparison, which lies where the objects lie; None if it uses more of them. `found`: what it is."""
    asked, other = OPERATORS.get(op), _others(i, b) if op in outcomes.MEMBERSHIPS else bare(b)
    first = bare(a)
    if asked is None or other is None or not isinstance(found, Const) or not (asked == op or _differ_by_identity(i, first, other)):
        return None
    if op in outcomes.MEMBERSHIPS and not isinstance(a, SourcedRef) or outcomes.outcome(Applied(asked, other), first, other) != found:
        return None
    spots = {
        scalars.inner(spot, asked, b if isinstance(b, SourcedRef) else other, False)
        for spot in (a.sources if isinstance(a, SourcedRef) else ())
    }
    spots |= {
        scalars.inner(spot, asked, a if isinstance(a, SourcedRef) else first, True)
        for spot in (b.sources if isinstance(b, SourcedRef) else ())
    }
    return Sourced(found.value, frozenset(spots))


def _differ_by_identity(i: Interpreter, *given: Member) -> bool:
    return all(isinstance(member, Const) or isinstance(member, Ref) and by_identity(i, member) for member in given)


def _others(i: Interpreter, member: Member) -> Tuple | None:
    """What a tuple, or a container that the trace has made, holds, if these are objects or constants known one by one."""
    own = isinstance(member, Ref) and i.trace is not None and i.info(member.oid).trace == i.trace.number
    content = i.heap.get(member.oid, ITEMS) if own and isinstance(member, Ref) and container(i, member) in ("list", "set") else member
    if not isinstance(content, Tuple) or content.items is None or content.sources:
        return None
    known = all(item == NONE or isinstance(item, Ref) and _is_one(i, item) for item in content.items)
    return Tuple(content.items) if known else None
