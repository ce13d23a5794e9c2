"""The string that `str`, `repr`, `format` and f-strings make of a value, and the methods of the program that they call.

`f"{x}"` of a placeholder needs its value. Of a list it asks each item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Cause
from mxlint.domain.members import (
    FALSE,
    Const,
    External,
    Kind,
    Length,
    Measure,
    Member,
    Range,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    as_constant,
    members,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import loops_of, over, united
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.elements import known_items, view_element
from mxlint.interpreter.expressions.arithmetic import makes_short_text
from mxlint.interpreter.expressions.templates import MAX_TEXT, Piece, Pieces, filled, separated
from mxlint.interpreter.generators.iterators import parts_of
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.objects.lookup import CLASS, FIELDS, container, fields_of, mro, special

Way = Literal["str", "repr", "format"]

_METHODS: Final[dict[Way, tuple[str, ...]]] = {
    "str": ("__str__", "__repr__"),
    "repr": ("__repr__",),
    "format": ("__format__", "__str__", "__repr__"),
}
PLAIN: Final = Const("")
"""No format specification."""


class Asking(NamedTuple):
    """What asks for a text, and so for the values of the arrays that the text shows: kind of use, name, and where the value is written."""

    kind: str
    what: str
    operand: Place | None = None


def text_of(
    i: Interpreter,
    value: Value,
    way: Way,
    place: Place,
    frame: Frame,
    spec: Value = PLAIN,
    done: dict[object, Value] | None = None,
    asking: Asking | None = None,
) -> Value:
    """The text of a value; objects of the program are asked for theirs, each once. `done`: texts of what was met."""
    value = i.live(value)
    known = {} if done is None else done
    if not isinstance(value, Union):
        return _member_text(i, value, way, place, frame, spec, known, asking)
    i.place = place
    return i.split(value, lambda member: _member_text(i, member, way, place, frame, spec, known, asking))


def _member_text(
    i: Interpreter, member: Member, way: Way, place: Place, frame: Frame, spec: Value, done: dict[object, Value], asking: Asking | None
) -> Value:
    member = as_constant(member)
    if isinstance(member, Const):
        if way == "format" and not (isinstance(spec, Const) and makes_short_text(str(spec.value))):
            return Kind("str", "varying", united(map(loops_of, members(spec))))
        try:
            text = repr(member.value) if way == "repr" else format(member.value, str(spec.value) if isinstance(spec, Const) else "")
        except (ValueError, TypeError) as error:
            throw_named(i, f"builtins.{type(error).__name__}", place)
        return Const(text) if len(text) <= MAX_TEXT else Kind("str", "varying", frozenset())
    if isinstance(member, External) and (dtype := i.mlx.dtype(member.name)) is not None:
        return Const(f"mlx.core.{dtype}")
    if isinstance(member, (Symbolic, Length, External)):
        if isinstance(member, Symbolic):
            i.may_raise()
        return i.derived("text", (member, Const(way), *members(spec)), frozenset(("str",)), place)
    if isinstance(member, Kind) and member.type == "str" and way == "str":
        return member
    if isinstance(member, Array) and asking is not None:
        i.operations.use(i, asking.kind, member, asking.what, place, frame, asking.operand)
    if member in done:
        return done[member]
    done[member] = Kind("str", "varying")  # what holds itself has a text of its own there
    done[member] = found = _asked(i, member, way, place, frame, spec, done, asking)
    return found


def _asked(
    i: Interpreter, member: Member, way: Way, place: Place, frame: Frame, spec: Value, done: dict[object, Value], asking: Asking | None
) -> Value:
    """The text that a method of the program gives, or that is made of the texts of what a container holds."""
    if isinstance(member, Ref):
        for name in _METHODS[way]:
            method = special(i, member, name, place, frame)
            if method is not None:
                given = Arguments((spec,), places=(place,)) if name == "__format__" else Arguments()
                return i.call(method, given, place, frame)
    parts = _shown(i, member, place, frame)
    texts = [text_of(i, part, "repr", place, frame, done=done, asking=asking) for part in parts]
    exact = _exact(i, member, parts, texts, place)
    if exact is not None and way == "format" and isinstance(spec, Const) and spec.value:
        throw_named(i, "builtins.TypeError", place)  # no container has a format of its own
    return exact or _joined(texts, member)


def _shown(i: Interpreter, member: Member, place: Place, frame: Frame) -> list[Value]:
    """What the text of a container or an object shows: the texts of these are part of its own."""
    aspects.contents(i, member, place, frame)
    if isinstance(member, Tuple):
        return _parts(member)
    if isinstance(member, Slice):
        return [member.lower, member.upper, member.step]
    if not isinstance(member, Ref):
        return []
    info, kind = i.info(member.oid), container(i, member)
    if kind in ("list", "set"):
        return [part for content in members(i.heap.get(member.oid, ITEMS) or Tuple(())) for part in _parts(content)]
    if kind == "dict":
        found: list[Value] = []
        for key, value in i.heap.entries(member.oid):
            found.append(key)
            found.extend(m for m in members(value) if not isinstance(m, Unbound))
        rest = i.heap.get(member.oid, ("#", "rest"))
        return found if rest is None or isinstance(rest, Unbound) else [*found, rest]
    if info.kind == "iterator" and info.payload in ("keys", "values", "items"):
        items = known_items(i, member)
        return list(items) if items is not None else [view_element(i, info.payload, parts_of(i, member)[0], place)]
    if info.kind == "instance":
        held = ((name, i.heap.get(member.oid, name)) for name in _fields_shown(i, member))
        shown = [(name, value) for name, value in held if value is not None]
        for name, value in shown:
            i.operations.read(i, member.oid, name, value, place, frame)
        return [value for _, value in shown]
    return []


def _parts(member: Member) -> list[Value]:
    if not isinstance(member, Tuple):
        return []
    return list(member.items) if member.items is not None else [member.element] if member.element is not None else []


NAMESPACES: Final = ("argparse.Namespace", "types.SimpleNamespace")
"""Classes of libraries whose objects show all their attributes."""


def _fields_shown(i: Interpreter, ref: Ref) -> list[str]:
    """The attributes whose texts are part of the text of an object: the fields of a dataclass, and what an exception is made of."""
    if i.heap.get(ref.oid, "args") is not None:
        return ["args"]
    cls = i.heap.get(ref.oid, CLASS)
    bases = [base for member in members(cls) for base in mro(i, member)] if cls is not None else []
    if any(isinstance(base, External) and base.name in NAMESPACES for base in bases):
        return [field for field in i.heap.fields(ref.oid) if isinstance(field, str)]
    record = next((base for base in bases if isinstance(base, Ref) and i.heap.get(base.oid, FIELDS) is not None), None)
    if record is None or i.heap.get(record.oid, ("#", "repr")) == FALSE:
        return []
    hidden = {name for base in bases if isinstance(base, Ref) for name in _hidden(i, base)}
    return [name for name, _, _ in fields_of(i, record) if name not in hidden]


def _hidden(i: Interpreter, cls: Ref) -> list[object]:
    """The fields of a dataclass that its text leaves out."""
    return [field[1] for field in i.heap.fields(cls.oid) if isinstance(field, tuple) and field[0] == "norepr"]


def filled_in(i: Interpreter, pieces: Pieces | None, given: Sequence[Value] | None, place: Place, frame: Frame) -> Value | None:
    """The text of a format that shows each of the things that it is given as it is; None of another, or if one is neither known nor symbolic."""
    if pieces is None or given is None:
        return None
    found: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str):
            found.append(piece)
            continue
        value = given[piece.number] if piece.number < len(given) else None
        several = members(value) if value is not None else ()
        whole = piece.way not in ("d", "i") or all(scalar_type(member) == "int" for member in several)
        if (
            value is None
            or not whole
            or not all(isinstance(as_constant(member), (Const, Symbolic, Length, Tuple, External)) for member in several)
        ):
            return None
        text = text_of(i, value, "repr" if piece.way == "r" else "str", place, frame)
        if not all(isinstance(member, (Const, Symbolic)) for member in members(text)):
            return None
        found.append(text)
    return filled(i, found, place)


def not_spelled(pieces: Sequence[Piece]) -> Value:
    """A text of pieces that is not known letter by letter."""
    shown = [member for value in pieces if not isinstance(value, str) for member in members(value)]
    imprecise = any(isinstance(m, Unknown) or isinstance(m, Kind) and m.cause == "imprecise" for m in shown)
    kind = Kind("str", "imprecise" if imprecise else "open" if any(isinstance(m, Symbolic) for m in shown) else "varying")
    return over(kind, united(map(loops_of, shown)))


class _Names(dict[str, int]):
    """A mapping that has a number under each name, and keeps the names that it is asked for."""

    def __missing__(self, name: str) -> int:
        self[name] = 0
        return 0


def named(text: Member) -> list[str]:
    """The names that a format for `%` asks a mapping for; none of a format that is not known, or that Python refuses."""
    names = _Names()
    if isinstance(text, Const) and isinstance(text.value, str):
        try:
            text.value % names
        except (ValueError, TypeError):
            return []
    return list(names)


OWN_TEXT: Final = (("list", "builtins.list"), ("dict", None), ("dict", "builtins.dict"))
"""Kinds and classes of containers that show what they hold, in order."""


def _exact(i: Interpreter, member: Member, parts: Sequence[Value], texts: Sequence[Value], place: Place) -> Value | None:
    """The text of a list, tuple or dict that is known item by item; None of anything else."""
    content = member if isinstance(member, Tuple) else i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) else None
    kind, cls = (i.info(member.oid).kind, i.info(member.oid).payload) if isinstance(member, Ref) else ("", None)
    plain = (kind, cls) in OWN_TEXT and isinstance(member, Ref) and i.heap.get(member.oid, CLASS) is None
    if isinstance(content, Tuple) and content.items is not None and content.cls is None and (plain or isinstance(member, Tuple)):
        opening, closing = ("[", "]") if plain else ("(", ",)" if len(texts) == 1 else ")")
        pieces = separated(texts, (", ",))
    elif plain and isinstance(member, Ref) and len(parts) == 2 * len(i.heap.entries(member.oid)):
        entries = [value for _, value in i.heap.entries(member.oid)]
        if not all(isinstance(value, Member) and not isinstance(value, Unbound) for value in entries):
            return None
        opening, closing = "{", "}"
        pieces = separated(texts, (": ", ", "))
    else:
        return None
    return filled(i, [opening, *pieces, closing], place)


def _joined(parts: Sequence[Value], member: Member) -> Member:
    causes: set[Cause] = {m.cause for part in parts for m in members(part) if isinstance(m, Kind)}
    if isinstance(member, Kind):
        causes.add(member.cause)
    if isinstance(member, Unknown):
        causes.add("imprecise")
    opened = "open" in causes or isinstance(member, Measure) or any(isinstance(m, Symbolic) for part in parts for m in members(part))
    shown = [*(m for part in parts for m in members(part)), *([member] if isinstance(member, (Range, Kind)) else [])]
    one = isinstance(member, (Ref, Tuple)) and all(isinstance(m, Const) for m in shown)  # which text it is was not followed
    made = Kind("str", "imprecise" if "imprecise" in causes or one else "open" if opened else "varying")
    return over(made, united(map(loops_of, shown)) if shown else None)
