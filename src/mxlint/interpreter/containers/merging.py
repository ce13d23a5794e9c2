"""Dicts that are made of others: `{**a, **b}`, `a | b`, `dict.update`. Where `b` may hold an unknown key, each entry of `a` may be replaced."""

from __future__ import annotations

from collections.abc import Callable, Collection

from mxlint.domain.join import bound, join
from mxlint.domain.members import NONE, UNBOUND, Const, Member, Ref, Symbolic, Unbound, Unknown, Value
from mxlint.domain.place import Place
from mxlint.interpreter.containers import aspects, open_entries
from mxlint.interpreter.containers.builders import copy_dict, entry, put, put_any
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects import views
from mxlint.interpreter.objects.lookup import CLASS, class_attribute, container


def merge(i: Interpreter, oid: int, value: Value, place: Place, frame: Frame) -> None:
    """Put the entries of a mapping into a dict, over those that are there."""

    def one(member: Member) -> Value:
        member = as_dict(i, member, place, frame)
        if isinstance(member, Ref):
            merge_dict(i, oid, member.oid, place, frame)
        else:
            merge_unknown(i, oid, member, place, frame)
        return NONE

    i.place = place
    i.split(value, one)


def as_dict(i: Interpreter, member: Member, place: Place, frame: Frame) -> Member:
    """A dict of what an object gives whose class has `keys`, under each of these; anything else as it is."""
    if not isinstance(member, Ref) or i.info(member.oid).kind != "instance" or container(i, member) == "dict":
        return member
    cls = i.heap.get(member.oid, CLASS)
    if cls is None or not isinstance(class_attribute(i, cls, "keys"), Ref):
        return member
    oid = i.allocate("dict", None, place, "entries")

    def keep(key: Value) -> Value:
        put(i, oid, key, i.call(i.attribute(member, "__getitem__", place, frame), Arguments((key,), places=(place,)), place, frame))
        return NONE

    i.iterate(i.call(i.attribute(member, "keys", place, frame), Arguments(), place, frame), keep, place, frame)
    return Ref(oid)


def merge_dict(i: Interpreter, oid: int, source: int, place: Place, frame: Frame) -> None:
    """Put the entries of one dict into another: where it may hold more than is known, each entry that is there may be replaced."""
    views.look(i, source)
    aspects.copied(i, oid, source)
    rest = i.heap.get(source, ("#", "rest"))
    if rest is not None and not isinstance(rest, Unbound):
        may_replace(i, oid, rest, i.heap.fields(source), place, frame)
    under_any = under_open_keys(i, source)
    if under_any:
        _may_each(i, oid, lambda key: join(under_any), i.heap.fields(source), place, frame)
    copy_dict(i, source, oid)
    for key, value in i.heap.entries(source):
        i.operations.written(i, oid, entry(i, oid, key), value, place, frame)


def merge_unknown(i: Interpreter, oid: int, source: Member, place: Place, frame: Frame) -> None:
    """Put the entries of a mapping of which nothing is known into a dict."""
    each = i.derived(open_entries.VALUES_OF, (source,), None, place) if isinstance(source, Symbolic) else source
    may_replace(i, oid, each, (), place, frame)
    if isinstance(source, Symbolic):
        put_any(i, oid, i.derived(open_entries.KEYS_OF, (source,), None, place), i.derived(open_entries.VALUES_OF, (source,), None, place))
    else:
        known = isinstance(source, Unknown)
        put_any(i, oid, source if known else i.symbolic(place, "key"), source if known else i.symbolic(place, "value"))


def may_replace(i: Interpreter, oid: int, source: Value, known: Collection[object], place: Place, frame: Frame) -> None:
    """Entries of a dict that is updated by what holds more than is known: each may be there, too. `known`: those of which it is known."""

    _may_each(i, oid, lambda key: open_entries.at_key(i, source, key, place), known, place, frame)


def under_open_keys(i: Interpreter, oid: int) -> list[Value]:
    """What lies in a dict under keys of which nobody says what they equal."""
    found = [bound(value) for key, value in i.heap.entries(oid) if isinstance(key, Symbolic)]
    return [value for value in found if value is not None]


def _may_each(i: Interpreter, oid: int, given: Callable[[Const], Value], known: Collection[object], place: Place, frame: Frame) -> None:
    """Each entry of a dict under a constant key may be replaced, by what is given for that key; `known` are the fields of which it is known."""
    asked = [(key, open_entries.lies(i, oid, ("k", key)) or UNBOUND) for key in open_entries.asked(i, oid)]
    for key, present in (*i.heap.entries(oid), *asked):
        field = ("k", key)
        if field in known or not isinstance(key, Const):
            continue
        value = choices.any_of(i, (present, given(key)), place, ("update", key), default=0)
        i.heap.set(oid, field, value)
        i.operations.written(i, oid, field, value, place, frame)
