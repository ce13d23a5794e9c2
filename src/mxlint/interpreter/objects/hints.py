"""`__annotations__` and `get_type_hints` of a class: what its body annotates, by name."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Final

from mxlint.domain.members import UNBOUND, Const, External, Member, Ref, Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.containers.builders import put
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects.annotations import named
from mxlint.interpreter.objects.lookup import HINTS, mro
from mxlint.syntax import ir


class Annotations:
    """What annotates the names in the body of a class."""

    __slots__ = ("names",)

    def __init__(self) -> None:
        self.names: dict[tuple[int, str], ir.Expr] = {}


def _own(i: Interpreter, cls: Member) -> tuple[str, ...]:
    listed = i.heap.get(cls.oid, HINTS) if isinstance(cls, Ref) else None
    return tuple(str(item.value) for item in listed.items or () if isinstance(item, Const)) if isinstance(listed, Tuple) else ()


def _table(i: Interpreter, classes: Iterable[Member], place: Place) -> Value:
    oid = i.allocate("dict", None, place, "hints")
    for cls in classes:
        for name in _own(i, cls):
            put(i, oid, Const(name), _meant(i, cls, name, place))
    return Ref(oid)


def _meant(i: Interpreter, cls: Member, name: str, place: Place) -> Value:
    """The class that an annotation names, where it is one."""
    annotation = i.ledger.of(Annotations).names.get((cls.oid, name)) if isinstance(cls, Ref) else None
    value = named(i, cls, annotation) if isinstance(cls, Ref) else None
    if value is None and isinstance(annotation, ir.Name) and isinstance(getattr(builtins, annotation.id, None), type):
        value = External(f"builtins.{annotation.id}")
    return value if value is not None else i.symbolic(place, "annotation", name)


def _annotations(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`__annotations__` of a class."""
    return _table(i, args.args[:1], place)  # type: ignore[arg-type]


def _nearest(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`__annotations__` of an object: those of the first class that has some."""
    for cls in mro(i, args.args[0]):
        if not isinstance(cls, (Ref, External)):
            break
        if _own(i, cls):
            return _table(i, (cls,), place)
    return UNBOUND


def _of_all(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`typing.get_type_hints`: those of a class and of its bases."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind == "class":
            return _table(i, reversed(mro(i, member)), place)
        return i.symbolic(place, "get_type_hints")

    return i.split(args.args[0], one)


def _of_one(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`inspect.get_annotations`."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind == "class":
            return _table(i, (member,), place)
        return i.symbolic(place, "get_annotations")

    return i.split(args.args[0], one)


HANDLERS: Final[dict[str, Handler]] = {
    "#annotations": _annotations,
    "#annotations.nearest": _nearest,
    "typing.get_type_hints": _of_all,
    "typing_extensions.get_type_hints": _of_all,
    "inspect.get_annotations": _of_one,
}
"""By canonical name; those with `#` are called by the interpreter itself."""
