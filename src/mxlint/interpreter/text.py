"""The text of a value: what `str`, `repr`, `format` and f-strings make of it, and the methods of the program that they call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from mxlint.domain.guards import Cause
from mxlint.domain.members import Const, Kind, Member, Ref, Symbolic, Tuple, Unbound, Union, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter import aspects
from mxlint.interpreter.arguments import Arguments
from mxlint.interpreter.arithmetic import makes_short_text
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.exceptions import throw_named
from mxlint.interpreter.frames import Frame
from mxlint.interpreter.lookup import special

Way = Literal["str", "repr", "format"]

_METHODS: Final[dict[Way, tuple[str, ...]]] = {
    "str": ("__str__", "__repr__"),
    "repr": ("__repr__",),
    "format": ("__format__", "__str__", "__repr__"),
}
PLAIN: Final = Const("")
"""No format specification."""
MAX_TEXT: Final = 400
"""A longer text is no constant."""


def text_of(
    i: Interpreter, value: Value, way: Way, place: Place, frame: Frame, spec: Value = PLAIN, done: dict[object, Value] | None = None
) -> Value:
    """The text of a value; objects of the program are asked for theirs, each once. `done`: texts of what was met."""
    value = i.live(value)
    if not isinstance(value, Union):
        return _member_text(i, value, way, place, frame, spec, {} if done is None else done)
    i.place = place
    return i.split(value, lambda member: _member_text(i, member, way, place, frame, spec, {} if done is None else done))


def _member_text(i: Interpreter, member: Member, way: Way, place: Place, frame: Frame, spec: Value, done: dict[object, Value]) -> Value:
    if isinstance(member, Const):
        if way == "format" and not (isinstance(spec, Const) and makes_short_text(str(spec.value))):
            return Kind("str", "varying")
        try:
            text = repr(member.value) if way == "repr" else format(member.value, str(spec.value) if isinstance(spec, Const) else "")
        except (ValueError, TypeError) as error:
            throw_named(i, f"builtins.{type(error).__name__}", place)
        return Const(text) if len(text) <= MAX_TEXT else Kind("str", "varying")
    if isinstance(member, Symbolic):
        i.may_raise()
        return i.derived("text", (member, Const(way), *members(spec)), frozenset(("str",)), place)
    if isinstance(member, Kind) and member.type == "str" and way == "str":
        return member
    if member in done:
        return done[member]
    done[member] = Kind("str", "varying")  # what holds itself has a text of its own there
    done[member] = found = _asked(i, member, way, place, frame, spec, done)
    return found


def _asked(i: Interpreter, member: Member, way: Way, place: Place, frame: Frame, spec: Value, done: dict[object, Value]) -> Value:
    """The text that a method of the program gives, or that is made of the texts of what a container holds."""
    if isinstance(member, Ref):
        for name in _METHODS[way]:
            method = special(i, member, name, place, frame)
            if method is not None:
                given = Arguments((spec,), places=(place,)) if name == "__format__" else Arguments()
                return i.call(method, given, place, frame)
    return _joined([text_of(i, part, "repr", place, frame, done=done) for part in _elements(i, member, place, frame)], member)


def _elements(i: Interpreter, member: Member, place: Place, frame: Frame) -> list[Value]:
    """What a container holds, whose texts are part of its own."""
    aspects.contents(i, member, place, frame)
    if isinstance(member, Tuple):
        return _parts(member)
    if not isinstance(member, Ref):
        return []
    kind = i.info(member.oid).kind
    if kind in ("list", "set"):
        return [part for content in members(i.heap.get(member.oid, ("#", "items")) or Tuple(())) for part in _parts(content)]
    if kind == "dict":
        found: list[Value] = []
        for field, value in i.heap.fields(member.oid).items():
            if isinstance(field, tuple) and field[0] == "k":
                found.append(field[1])
                found.extend(m for m in members(value) if not isinstance(m, Unbound))
            elif field == ("#", "rest") and not isinstance(value, Unbound):
                found.append(value)
        return found
    if kind == "instance":
        shown = (
            [(field, value) for field, value in i.heap.fields(member.oid).items() if isinstance(field, str)]
            if _shows_fields(i, member)
            else []
        )
        for field, value in shown:
            i.operations.read(i, member.oid, field, value, place, frame)
        return [value for _, value in shown]
    return []


def _parts(member: Member) -> list[Value]:
    if not isinstance(member, Tuple):
        return []
    return list(member.items) if member.items is not None else [member.element] if member.element is not None else []


def _shows_fields(i: Interpreter, ref: Ref) -> bool:
    """Whether the text of an instance holds that of its fields: of dataclasses and exceptions it does."""
    cls = i.heap.get(ref.oid, ("#", "class"))
    return any(
        not isinstance(member, Ref) or i.heap.get(member.oid, ("#", "fields")) is not None for member in members(cls or Unknown("class"))
    ) or (i.heap.get(ref.oid, "args") is not None)


def _joined(parts: Sequence[Value], member: Member) -> Kind:
    causes: set[Cause] = {m.cause for part in parts for m in members(part) if isinstance(m, Kind)}
    if isinstance(member, Kind):
        causes.add(member.cause)
    if isinstance(member, Unknown):
        causes.add("imprecise")
    opened = "open" in causes or any(isinstance(m, Symbolic) for part in parts for m in members(part))
    return Kind("str", "imprecise" if "imprecise" in causes else "open" if opened else "varying")
