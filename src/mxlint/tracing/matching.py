"""The match statement: what a pattern says of a subject, and what its names are bound to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mxlint.syntax import ir
from mxlint.tracing import attribute, library, operators
from mxlint.tracing.call import CallInfo
from mxlint.tracing.evaluate import evaluate
from mxlint.tracing.machine import Machine
from mxlint.tracing.values import (
    UNKNOWN,
    Array,
    ClassV,
    DictV,
    External,
    Frame,
    Instance,
    ListV,
    NumpyV,
    Scalar,
    Tup,
    Value,
    list_like,
    list_of,
)

Names = dict[str, Value]
_NO_SEQUENCE = (Scalar, Array, DictV, Instance, NumpyV)
"""What no pattern of a sequence matches; mx.array is not registered as one."""
_THEMSELVES = frozenset(
    f"builtins.{name}" for name in ("bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple")
)
"""Classes whose one positional pattern is asked of the subject itself."""


def matches(m: Machine, pattern: ir.Pattern, subject: Value, frame: Frame, names: Names) -> bool | None:
    """Whether a subject matches, None where that is not known; `names` are filled for the case that it does."""
    return _MATCHERS[type(pattern)](m, pattern, subject, frame, names)


def _value(m: Machine, pattern: ir.ValuePattern, subject: Value, frame: Frame, names: Names) -> bool | None:
    value = evaluate(m, pattern.value, frame)
    singleton = isinstance(pattern.value, ir.Const) and (pattern.value.value is None or isinstance(pattern.value.value, bool))
    found = operators.compare(m, "is" if singleton else "==", subject, value, pattern.value, frame)
    return operators.truth(m, found, pattern.value, frame)


def _name(m: Machine, pattern: ir.NamePattern, subject: Value, frame: Frame, names: Names) -> bool | None:
    known = True if pattern.pattern is None else matches(m, pattern.pattern, subject, frame, names)
    if pattern.name is not None:
        names[pattern.name] = subject
    return known


def _or(m: Machine, pattern: ir.OrPattern, subject: Value, frame: Frame, names: Names) -> bool | None:
    known: bool | None = False
    for option in pattern.patterns:
        bound: Names = {}
        found = matches(m, option, subject, frame, bound)
        if found is not False:
            names |= bound if known is False else dict.fromkeys(bound, UNKNOWN)
            known = found
        if found is True:
            return True
    return known


def _sequence(m: Machine, pattern: ir.SequencePattern, subject: Value, frame: Frame, names: Names) -> bool | None:
    patterns = pattern.items
    star = next((number for number, item in enumerate(patterns) if isinstance(item, ir.StarPattern)), None)
    items = subject.items if isinstance(subject, (Tup, ListV)) else None
    if items is None:
        like = subject.element if isinstance(subject, ListV) else UNKNOWN
        _all(m, [(item, list_like(like) if isinstance(item, ir.StarPattern) else like) for item in patterns], frame, names)
        return False if isinstance(subject, _NO_SEQUENCE) else None
    least = len(patterns) - (star is not None)
    if len(items) < least or star is None and len(items) > least:
        return False
    given: list[Value] = list(items)
    if star is not None:
        end = len(items) - (least - star)
        given[star:end] = [list_of(items[star:end])]
    return _all(m, list(zip(patterns, given)), frame, names)


def _star(m: Machine, pattern: ir.StarPattern, subject: Value, frame: Frame, names: Names) -> bool | None:
    if pattern.name is not None:
        names[pattern.name] = subject
    return True


def _mapping(m: Machine, pattern: ir.MappingPattern, subject: Value, frame: Frame, names: Names) -> bool | None:
    known: bool | None = True if isinstance(subject, DictV) else None
    pairs: list[tuple[ir.Pattern, Value]] = []
    taken: list[object] = []
    for node, inner in pattern.items:
        key = evaluate(m, node, frame)
        entry = subject.entry(key.content) if isinstance(subject, DictV) and isinstance(key, Scalar) and key.known else None
        if entry is None:
            if isinstance(subject, DictV) and not subject.open:
                return False
            known = None
        elif isinstance(key, Scalar):
            taken.append(key.content)
        pairs.append((inner, entry if entry is not None else UNKNOWN))
    if pattern.rest is not None:
        fields = subject.fields if known and isinstance(subject, DictV) else {"open": True}
        names[pattern.rest] = DictV({key: value for key, value in fields.items() if not (isinstance(key, tuple) and key[1] in taken)})
    inside = _all(m, pairs, frame, names)
    if isinstance(subject, (Scalar, Array, Tup, ListV)):
        return False
    return inside if known or inside is False else None


def _class(m: Machine, pattern: ir.ClassPattern, subject: Value, frame: Frame, names: Names) -> bool | None:
    cls = evaluate(m, pattern.cls, frame)
    place = m.place(frame, pattern.cls)
    is_one = library.call_external(m, "builtins.isinstance", CallInfo([subject, cls], {}, frame, place, [place, place]))
    known = bool(is_one.content) if isinstance(is_one, Scalar) and is_one.known else None
    if known is False:
        return False
    if isinstance(cls, External) and cls.name in _THEMSELVES:
        pairs = [(inner, subject) for inner in pattern.args]
    else:
        fields = cls.fields.get("#annotated", ()) if isinstance(cls, ClassV) and cls.dataclass else ()
        named = [*zip(fields, pattern.args), *pattern.keywords]
        pairs = [
            (inner, attribute.get(m, subject, name, ir.Attr(place.start, place.end, pattern.cls, name), frame)) for name, inner in named
        ]
        if len(named) < len(pattern.args) + len(pattern.keywords):
            known, pairs = None, [*pairs, *((inner, UNKNOWN) for inner in pattern.args)]
    inside = _all(m, pairs, frame, names)
    return inside if known or inside is False else None


def _all(m: Machine, pairs: Sequence[tuple[ir.Pattern, Value]], frame: Frame, names: Names) -> bool | None:
    found = [matches(m, inner, value, frame, names) for inner, value in pairs]
    return False if False in found else None if None in found else True


_MATCHERS: dict[type, Callable[[Machine, Any, Value, Frame, Names], bool | None]] = {
    ir.ValuePattern: _value,
    ir.NamePattern: _name,
    ir.OrPattern: _or,
    ir.SequencePattern: _sequence,
    ir.StarPattern: _star,
    ir.MappingPattern: _mapping,
    ir.ClassPattern: _class,
}
