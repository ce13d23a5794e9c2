"""Patterns of `match` statements: whether a subject fits, and the names that the pattern binds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mxlint.domain.arrays import ShapeOf
from mxlint.domain.guards import Identity, Literal_
from mxlint.domain.join import bound
from mxlint.domain.members import (
    UNBOUND,
    Const,
    External,
    Member,
    RangeObject,
    Ref,
    Sourced,
    Symbolic,
    Tuple,
    Unbound,
    Unknown,
    Value,
    members,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import scalars
from mxlint.interpreter.compiled.portions import found as lies
from mxlint.interpreter.compiled.portions import length, taken_out, used_tuples
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.builders import copy_dict, entry, new_list
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.expressions import identity
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.paths import Truth
from mxlint.interpreter.objects.lookup import class_attribute, fields_of
from mxlint.interpreter.objects.type_tests import instance_of
from mxlint.interpreter.statements.binding import is_read, store
from mxlint.syntax import ir

YES = Truth(True)
NO = Truth(False)


def match_pattern(i: Interpreter, pattern: ir.Pattern, subject: Value, place: Place, frame: Frame) -> Truth:
    """Whether a subject fits a pattern. The names of the pattern are bound to what they would hold."""
    if isinstance(pattern, ir.ValuePattern):
        subject = used_tuples(i, subject, frame)
    elif isinstance(pattern, ir.SequencePattern):
        subject = identity.used(i, subject, frame)
    elif not isinstance(pattern, (ir.NamePattern, ir.OrPattern)):
        subject = i.operations.used(i, subject, frame)
    if isinstance(pattern, ir.ValuePattern):
        value = i.eval(pattern.value, frame)
        op = "is" if isinstance(value, Const) and (value.value is None or isinstance(value.value, bool)) else "=="
        return i.truth(binary(i, op, subject, value, place, frame), place, frame)
    if isinstance(pattern, ir.NamePattern):
        found = YES if pattern.pattern is None else match_pattern(i, pattern.pattern, subject, place, frame)
        if pattern.name is not None:
            store(i, pattern.name, subject, frame, _end(pattern, pattern.name, frame))
        return found
    if isinstance(pattern, ir.OrPattern):
        fitting: list[Truth] = []
        for part in pattern.patterns:
            fitting.append(match_pattern(i, part, subject, place, frame))
            if fitting[-1].outcome is True:  # those that follow bind nothing
                break
        return _any(fitting)
    if isinstance(pattern, ir.SequencePattern):
        return _each(i, [_sequence(i, pattern, member, place, frame) for member in members(subject)])
    if isinstance(pattern, ir.MappingPattern):
        return _each(i, [_mapping(i, pattern, member, place, frame) for member in members(subject)])
    if isinstance(pattern, ir.ClassPattern):
        return _class(i, pattern, subject, place, frame)
    return Truth(None, "imprecise")


def _end(pattern: ir.Pattern, name: str, frame: Frame) -> Place:
    """Where a pattern's name stands: at its end."""
    return Place(frame.source, pattern.end - len(name), pattern.end)


def _any(found: Sequence[Truth]) -> Truth:
    if any(truth.outcome is True for truth in found):
        return YES
    return NO if all(truth.outcome is False for truth in found) else next(truth for truth in found if truth.outcome is None)


def _all(found: Sequence[Truth]) -> Truth:
    if any(truth.outcome is False for truth in found):
        return NO
    return YES if all(truth.outcome is True for truth in found) else next(truth for truth in found if truth.outcome is None)


def _each(i: Interpreter, found: Sequence[Truth]) -> Truth:
    """The outcome for a subject that may be one of several."""
    outcomes = {truth.outcome for truth in found}
    if len(outcomes) == 1:
        return found[0]
    return next((truth for truth in found if truth.outcome is None), Truth(None, "varying"))


def _sequence(i: Interpreter, pattern: ir.SequencePattern, member: Member, place: Place, frame: Frame) -> Truth:
    """A list or tuple is matched item by item, where its items are known; of anything else that may be one, any of them may be each."""
    if isinstance(member, Sourced):
        i.operations.used(i, member, frame)
    if isinstance(member, RangeObject):
        numbers = known_items(i, member)
        member = Tuple(numbers) if numbers is not None else Tuple(None, Unknown("range"))
    if isinstance(member, (Symbolic, Unknown)):
        _each_part(i, pattern, lambda: i.symbolic(place, "item"), lambda: i.symbolic(place, "star"), place, frame)
        return Truth(None, "open" if isinstance(member, Symbolic) else "imprecise")
    if isinstance(member, ShapeOf):
        return _shape(i, pattern, member, place, frame)
    if not isinstance(member, Tuple) and not (isinstance(member, Ref) and i.info(member.oid).kind == "list"):
        return NO
    content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) else member
    if isinstance(content, Tuple) and content.items is not None:
        return _item_by_item(i, pattern, member, content.items, place, frame)
    used_tuples(i, member, frame)
    element = content.element if isinstance(content, Tuple) and content.element is not None else Unknown("list")
    _each_part(i, pattern, lambda: element, lambda: new_list(i, Tuple(None, element), place, "star"), place, frame)
    return Truth(None, "imprecise")


def _shape(i: Interpreter, pattern: ir.SequencePattern, shape: ShapeOf, place: Place, frame: Frame) -> Truth:
    """The shape of an array of which nobody says how many axes it has: it may have as many as the pattern asks for."""
    star = next((n for n, part in enumerate(pattern.items) if isinstance(part, ir.StarPattern)), None)
    for n, part in enumerate(pattern.items):
        if not isinstance(part, ir.StarPattern):
            match_pattern(i, part, shape.axis(n if star is None or n < star else n - len(pattern.items)), place, frame)
        elif part.name is not None:
            store(i, part.name, i.symbolic(place, "star"), frame, _end(part, part.name, frame))
    identity: Identity = ("matches", shape, frame.place(pattern))
    i.causes.setdefault(identity, ("open", place))
    return Truth(None, "open", Literal_(identity, True))


def _each_part(
    i: Interpreter, pattern: ir.SequencePattern, item: Callable[[], Value], star: Callable[[], Value], place: Place, frame: Frame
) -> None:
    """Match each part of a pattern with what an item may be, and bind its star to what that may hold."""
    for part in pattern.items:
        if not isinstance(part, ir.StarPattern):
            match_pattern(i, part, item(), place, frame)
        elif part.name is not None:
            store(i, part.name, star(), frame, _end(part, part.name, frame))


def _item_by_item(
    i: Interpreter, pattern: ir.SequencePattern, member: Tuple | Ref, items: tuple[Value, ...], place: Place, frame: Frame
) -> Truth:
    """Match a list or tuple of known items. A trace asks for its length, and reads the items that the pattern looks at or binds."""
    at = frame.place(pattern)
    star = next((n for n, part in enumerate(pattern.items) if isinstance(part, ir.StarPattern)), None)
    count: Value | None
    if isinstance(member, Ref):
        count = lies(i, member.oid, aspects.LENGTH, Const(len(items)), at, frame)
    else:
        count = length(i, member, at, frame)
    if isinstance(count, Sourced):
        fits = scalars.applied(i, "==" if star is None else ">=", count, Const(len(pattern.items) - (star is not None)))
        scalars.decided(i, fits or count, frame)
    if star is None and len(items) != len(pattern.items) or star is not None and len(items) < len(pattern.items) - 1:
        return NO
    after = len(pattern.items) - 1 - star if star is not None else 0

    def item(number: int) -> Value:
        if isinstance(member, Tuple):
            return taken_out(i, member, number, items[number], at, frame)
        i.operations.read(i, member.oid, ("item", number), items[number], at, frame)
        return items[number]

    found = []
    for number, part in enumerate(pattern.items):
        if isinstance(part, ir.StarPattern):
            if part.name is not None:
                middle = tuple(item(inner) for inner in range(number, len(items) - after))
                store(i, part.name, new_list(i, Tuple(middle), place, "star"), frame, _end(part, part.name, frame))
            continue
        index = number if star is None or number < star else number - len(pattern.items)
        unread = isinstance(part, ir.NamePattern) and part.pattern is None and (part.name is None or not is_read(i, part.name, frame))
        found.append(match_pattern(i, part, items[index] if unread else item(index), place, frame))
        if found[-1].outcome is False:
            return NO
    return _all(found)


def _mapping(i: Interpreter, pattern: ir.MappingPattern, member: Member, place: Place, frame: Frame) -> Truth:
    if isinstance(member, (Symbolic, Unknown)):
        for _, part in pattern.items:
            match_pattern(i, part, i.symbolic(place, "value"), place, frame)
        if pattern.rest is not None:
            store(i, pattern.rest, i.symbolic(place, "rest"), frame)
        return Truth(None, "open" if isinstance(member, Symbolic) else "imprecise")
    if not isinstance(member, Ref) or i.info(member.oid).kind != "dict":
        return NO
    found = []
    for key, part in pattern.items:
        name = i.eval(key, frame)
        value = i.heap.get(member.oid, entry(i, member.oid, name))
        rest = i.heap.get(member.oid, ("#", "rest"))
        if value is None and (rest is None or isinstance(rest, Unbound)):
            return NO
        if value is None:
            value = rest or Unknown("dict")
            found.append(Truth(None, "imprecise"))
        elif any(isinstance(m, Unbound) for m in members(value)):
            value = bound(value) or UNBOUND
            found.append(Truth(None, "imprecise"))
        found.append(match_pattern(i, part, value, place, frame))
    if pattern.rest is not None:
        oid = i.allocate("dict", None, place, "rest")
        copy_dict(i, member.oid, oid)
        for key, _ in pattern.items:
            i.heap.drop(oid, entry(i, oid, i.eval(key, frame)))
        store(i, pattern.rest, Ref(oid), frame)
    return _all(found)


def _class(i: Interpreter, pattern: ir.ClassPattern, subject: Value, place: Place, frame: Frame) -> Truth:
    cls = i.eval(pattern.cls, frame)
    found = []
    for member in members(subject):
        answer = instance_of(i, member, cls)
        if answer is False:
            found.append(NO)
            continue
        parts = [Truth(True) if answer else Truth(None, "open" if isinstance(member, Symbolic) else "imprecise")]
        names: list[str] = []
        if isinstance(cls, Ref) and pattern.args:
            listed = class_attribute(i, cls, "__match_args__")
            if isinstance(listed, Tuple) and listed.items is not None:
                names = [item.value for item in listed.items if isinstance(item, Const) and isinstance(item.value, str)]
            elif listed is None:
                names = [name for name, _, takes in fields_of(i, cls) if takes]
        for number, part in enumerate(pattern.args):
            if (
                isinstance(cls, External)
                and number == 0
                and scalar_type(member) is not None
                or isinstance(cls, External)
                and not isinstance(member, Ref)
            ):
                parts.append(match_pattern(i, part, member, place, frame))
            elif number < len(names):
                parts.append(match_pattern(i, part, i.attribute(member, names[number], place, frame), place, frame))
            else:
                parts.append(match_pattern(i, part, i.symbolic(place, "part"), place, frame))
        for name, part in pattern.keywords:
            parts.append(match_pattern(i, part, i.attribute(member, name, place, frame), place, frame))
        found.append(_all(parts))
    return _each(i, found) if found else NO
