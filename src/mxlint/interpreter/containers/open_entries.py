"""What lies in a dict under a constant key, where not all of its keys are known: `dict(settings)["rate"]`, `{name: value for name, value in pairs}["rate"]`.

Under a key of which nothing in sight says what it is lies what stands under the constant as well, if the two are equal. What a copy of a mapping out of sight has
under a constant key is what that mapping has there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mxlint.domain.exclusion import contradict
from mxlint.domain.guards import MAX_GUARD, Guard, Identity
from mxlint.domain.heap import Field
from mxlint.domain.join import bound, join, of
from mxlint.domain.members import (
    UNBOUND,
    Const,
    External,
    Kind,
    Length,
    Member,
    Option,
    Symbolic,
    Tuple,
    Unbound,
    Unknown,
    Value,
    members,
    options,
)
from mxlint.domain.place import Place
from mxlint.interpreter.containers.elements import Elements
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import REST, REST_KEY

VALUES_OF: Final = "values of"
"""Begins the name of what stands for each value of a mapping that nobody in sight gives, which follows."""
KEYS_OF: Final = "keys of"
"""The same of its keys."""
VIEW: Final = "view"
"""Begins the name of a view of such a mapping, as `settings.items()`: the method follows."""

MOST_WAYS: Final = 4
"""Sets of keys that a dict may have, which are told apart."""


def at_key(i: Interpreter, each: Value, key: Member, place: Place) -> Value:
    """What lies under a constant key where something stands for each value: of what stands for those of a mapping, the item of that."""
    return of([Option(_item(i, option.member, key, place), option.guard) for option in options(each)])


def _item(i: Interpreter, each: Member, key: Member, place: Place) -> Member:
    whole = _mapping(each)
    return each if whole is None or not isinstance(each, Symbolic) else i.derived("[]", (whole, key), each.kinds, place)


def _mapping(each: Value) -> Symbolic | None:
    """The mapping of whose values something stands for each; None if it stands for no such."""
    match each:
        case Symbolic(identity=(str(operation), tuple(mapping))) if operation == VALUES_OF:
            return Symbolic(mapping, None, each.label, each.presumed, each.source)
    return None


def where_equal(i: Interpreter, value: Value, key: Symbolic, to: Member) -> Value:
    """What a value is where a key that nobody in sight gives is equal to another one: what goes with that key in its mapping is the item of that."""
    name = to.identity if isinstance(to, Symbolic) else to
    names: dict[Identity, object] = {key.identity: name}
    match key.identity:
        case (str(operation), whole) if operation == KEYS_OF:
            names[VALUES_OF, whole] = ("[]", whole, name)
        case ("unpacked", tuple(pair), Const(value=0)):
            match i.ledger.of(Elements).iterables.get(pair):
                case (str(view), (".items", mapping)) if view == VIEW:
                    names["unpacked", pair, Const(1)] = ("[]", mapping, name)
    return _with_names(i, value, names)


def _with_names(i: Interpreter, value: Value, names: Mapping[Identity, object]) -> Value:
    return of([Option(_renamed(i, option.member, names), option.guard) for option in options(value)])


def _renamed(i: Interpreter, member: Member, names: Mapping[Identity, object]) -> Member:
    if not isinstance(member, Symbolic):
        return member
    name = _name(member.identity, names)
    if name == member.identity or not isinstance(name, tuple):
        return member if name == member.identity else name  # type: ignore[return-value]
    i.causes.setdefault(name, i.causes.get(member.identity, ("open", None)))
    return Symbolic(name, member.kinds, member.label, member.presumed, member.source)


def _name(part: object, names: Mapping[Identity, object]) -> object:
    if not isinstance(part, tuple):
        return part
    known = names.get(part)
    if known is not None:
        return known
    parts = tuple(_name(inner, names) for inner in part)
    return part if all(a is b for a, b in zip(parts, part)) else parts


def under(i: Interpreter, oid: int, key: Member, place: Place, otherwise: Value | None = None) -> Value | None:
    """What may lie in a dict under a constant key that has no entry of its own; `otherwise` if all keys are known. What was put in later comes first."""
    rest = bound(i.heap.get(oid, REST) or UNBOUND)
    found = otherwise if rest is None else at_key(i, rest, key, place)
    for other, value in i.heap.entries(oid):
        there = None if isinstance(other, (Const, Tuple, External)) else bound(i.live(value))
        if there is not None and isinstance(other, (Symbolic, Length)):
            same = where_equal(i, there, other, key) if isinstance(other, Symbolic) else there
            found = choices.chosen(i, [(key, same)], other, place, found)
    return found


def lies(i: Interpreter, oid: int, field: Field) -> Value | None:
    """What lies now at the entry of a dict, or may lie there under another name; None if nothing does. Where some paths alone have put something there, it
    is on the others what lies there under another name."""
    held, info = i.heap.get(oid, field), i.info(oid)
    if info.kind != "dict" or info.place is None or not isinstance(field, tuple) or field[0] != "k" or not isinstance(field[1], Const):
        return held
    if held is None:
        return under(i, oid, field[1], info.place)
    absent = [option for option in options(held) if isinstance(option.member, Unbound)]
    behind = under(i, oid, field[1], info.place, UNBOUND) if absent else None
    if behind is None or behind == UNBOUND:
        return held
    there = [option for option in options(held) if not isinstance(option.member, Unbound)]
    ways = [(option, one) for option in absent for one in options(behind) if not contradict(one.guard, option.guard)]
    return of([*there, *(Option(one.member, (*one.guard, *option.guard)[-MAX_GUARD:]) for option, one in ways)])


def keys_of(i: Interpreter, each: Value, place: Place) -> Value:
    """What stands for each key of the mapping of whose values something stands for each; any text, where that is none."""
    whole = _mapping(each)
    return Kind("str", "open") if whole is None else i.derived(KEYS_OF, (whole,), frozenset(("str",)), place)


def is_own(i: Interpreter, oid: int, key: Value) -> bool:
    """Whether a key is one of those that a dict has of the mapping that it copies."""
    if not isinstance(key, Symbolic) or key.identity[0] != KEYS_OF:
        return False
    rest = i.heap.get(oid, REST) or UNBOUND
    return any(isinstance(member, Symbolic) and member.identity == (VALUES_OF, key.identity[1]) for member in members(rest))


def any_value(i: Interpreter, oid: int) -> Value | None:
    """What may lie in a dict under keys that are not known: what it copies has there, and what was put under one of these. None if all keys are known."""
    rest = i.heap.get(oid, REST)
    found = [rest or UNBOUND]
    for key, value in i.heap.entries(oid):
        if isinstance(key, Symbolic) and is_own(i, oid, key):
            mapping = key.identity[1]
            found.append(_with_names(i, value, {("[]", mapping, key.identity): (VALUES_OF, mapping)}))
    return None if rest is None else join(found)


def open_keys(i: Interpreter, oid: int) -> Value | None:
    """What stands for the keys of a dict of which not all are known; None if all are, or nothing is known of some."""
    rest, rest_key = i.heap.get(oid, REST), i.heap.get(oid, REST_KEY)
    if rest is None or rest_key is None or any(isinstance(member, Unknown) for value in (rest, rest_key) for member in members(value)):
        return None
    found: list[tuple[tuple[Value, ...], Guard]] = [((rest_key,), ())]
    for key, value in i.heap.entries(oid):
        there = [option.guard for option in options(value) if not isinstance(option.member, Unbound)]
        if is_own(i, oid, key) or not there or len(found) > MOST_WAYS:
            continue
        more = [((*keys, key), (*guard, *there[0])) for keys, guard in found]
        found = [*more, *found] if any(isinstance(member, Unbound) for member in members(value)) else more
    return guarded([(Tuple(keys), guard[-MAX_GUARD:]) for keys, guard in found])


def asked(i: Interpreter, oid: int) -> list[Const]:
    """The constants under which traces have looked in a dict that has no entry for them."""
    fields = {field for at, field in i.traced if at == oid and isinstance(field, tuple) and field[0] == "k"}
    missing = [field[1] for field in fields if isinstance(field[1], Const) and bound(i.heap.get(oid, field) or UNBOUND) is None]
    return sorted(missing, key=repr)


def changed(i: Interpreter, oid: int, place: Place, frame: Frame) -> None:
    """Something was put into a dict, or taken out, under a key that is not known: for each constant that a trace has looked up that is a write."""
    for key in asked(i, oid):
        field = ("k", key)
        i.operations.written(i, oid, field, lies(i, oid, field) or UNBOUND, place, frame)
