"""The types of values: the outcome of `isinstance(x, cls)`, and the names of a type and of its bases."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import (
    Bound,
    Const,
    External,
    Member,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Union,
    Value,
    library_class,
    members,
    options,
    scalar_type,
)
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.exceptions import ancestors
from mxlint.interpreter.mlx import losses
from mxlint.interpreter.objects.lookup import CLASS, METACLASS, special_exists


def instance_of(i: Interpreter, member: Member, cls: Value) -> bool | None:
    """`isinstance(member, cls)`."""
    answers: list[bool | None] = []
    for wanted in classes_in(i, cls):
        answers.append(_instance_of(i, member, wanted))
    if True in answers:
        return True
    return False if answers and all(answer is False for answer in answers) else None


def classes_in(i: Interpreter, cls: Value) -> list[Value]:
    """The classes that the second argument of isinstance names: one, or those of a tuple."""
    found: list[Value] = []
    for member in members(cls):
        if isinstance(member, Tuple) and member.items is not None:
            for item in member.items:
                found.extend(classes_in(i, item))
        else:
            found.append(member)
    return found


CLASSES_OF_KINDS: Final = {"list": "builtins.list", "dict": "builtins.dict", "set": "builtins.set", "function": "builtins.function", "module": "builtins.module",
                  "class": "builtins.type", "generator": "builtins.generator", "partial": "functools.partial", "descriptor": "builtins.property"}  # fmt: skip


def type_names(i: Interpreter, member: Member) -> set[object] | None:
    """The names of the type of a member and of its bases; None where the type is not known."""
    scalar = scalar_type(member)
    if scalar is not None:
        if scalar == "number":
            return None
        names = ancestors(
            i,
            External(
                "builtins.NoneType" if scalar == "NoneType" else f"builtins.{scalar}" if scalar != "ellipsis" else "builtins.ellipsis"
            ),
        )
        return names | ({"numbers.Number", "numbers.Real"} if scalar in ("int", "float", "bool") else set())
    if isinstance(member, Array):
        return None if losses.may_be_tuple(i, member) else {"mlx.core.array", "builtins.object"}
    library = library_class(member)
    if library is not None:
        return ancestors(i, External(library)) | {None}
    if isinstance(member, Tuple):
        return {
            "builtins.tuple",
            "builtins.object",
            "collections.abc.Sequence",
            "collections.abc.Iterable",
            *([Ref(member.cls)] if member.cls else []),
        }
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        if kind == "instance":
            cls = i.heap.get(member.oid, CLASS)
            return None if cls is None or isinstance(cls, Union) else _names_of_class(i, cls)
        if kind == "class":
            meta = i.heap.get(member.oid, METACLASS)
            return {"builtins.type", "builtins.object"} | (ancestors(i, meta) if meta is not None else set())
        name = builtin_type(i, member)
        if name is None:
            return None
        if name not in CLASSES_OF_KINDS.values():
            return ancestors(i, External(name))
        abstract = {"list": ("Sequence", "MutableSequence", "Iterable", "Collection"), "dict": ("Mapping", "MutableMapping", "Iterable"),
                    "set": ("Set", "Iterable"), "function": ("Callable",), "generator": ("Iterator", "Iterable", "Generator")}.get(kind, ())  # fmt: skip
        return {name, "builtins.object", *(f"collections.abc.{a}" for a in abstract), *(f"typing.{a}" for a in abstract)}
    if isinstance(member, RangeObject):
        return {"builtins.range", "builtins.object"}
    if isinstance(member, Slice):
        return {"builtins.slice", "builtins.object"}
    if isinstance(member, Bound):
        return {"builtins.method", "builtins.object", "collections.abc.Callable", "typing.Callable"}
    return None


def _names_of_class(i: Interpreter, cls: Member) -> set[object]:
    """The names that the type of an instance of a class has, and those of its bases."""
    also = {"builtins.object"} if i.mlx.class_kind(i, cls) != "module" else {"builtins.object", "builtins.dict"}
    return ancestors(i, cls) | also


def _instance_of(i: Interpreter, member: Member, wanted: Value) -> bool | None:
    cls = i.heap.get(member.oid, CLASS) if isinstance(member, Ref) else None
    if isinstance(cls, Union):
        # An object that is of one of several classes: nobody says of which, and each may give the same answer.
        answers = {_has_class(i, member, _names_of_class(i, each), wanted) for each in members(cls)}
        return answers.pop() if len(answers) == 1 else None
    if isinstance(member, Symbolic) and member.kinds is not None and isinstance(wanted, External):
        simple = [
            External(f"builtins.{kind}")
            for kind in member.kinds
            if kind in ("int", "float", "bool", "str", "bytes", "complex", "list", "dict", "tuple", "set")
        ]
        if len(simple) == len(member.kinds):
            answers = {wanted.name in ancestors(i, cls) for cls in simple}
            return answers.pop() if len(answers) == 1 else None
        if member.kinds == {"array"}:
            return wanted.name == "mlx.core.array" if wanted.name.startswith(("builtins.", "mlx.core.array")) else None
    if isinstance(member, External):
        return _library_instance_of(i, member, wanted)
    names = type_names(i, member)
    return None if names is None else _has_class(i, member, names, wanted)


def _has_class(i: Interpreter, member: Member, names: Collection[object], wanted: Value) -> bool | None:
    """Whether what has a type of these names is of a class."""
    if isinstance(wanted, External):
        if wanted.name in names or wanted.name == "builtins.object":
            return True
        if wanted.name in ("collections.abc.Callable", "typing.Callable") and isinstance(member, Ref):
            return special_exists(i, member, "__call__")
        if wanted.name.startswith(("collections.abc.", "typing.", "numbers.")) and isinstance(member, Ref):
            return None
        return None if None in names and not _cannot_both_be(wanted.name, names) else False
    if isinstance(wanted, Ref):
        if wanted in names:
            return True
        return None if None in names else False
    if isinstance(wanted, Symbolic) and _imported(wanted) and None not in names:
        return False
    return None


def _library_instance_of(i: Interpreter, member: External, wanted: Value) -> bool | None:
    """Whether a function, class or dtype of a library is an instance of a class: of none of the program, of MLX or of Python's containers and scalars."""
    kind = "class" if i.mlx.class_kind(i, member) is not None else i.mlx.refused_name(member.name)
    if not kind:
        return None
    if isinstance(wanted, Ref):
        return False
    if not isinstance(wanted, External):
        return None
    if wanted.name in ("builtins.object", _TYPES.get(kind)):
        return True
    if wanted.name in ("collections.abc.Callable", "typing.Callable"):
        return kind != "dtype"
    of_mlx = i.mlx.has(wanted.name) or i.mlx.class_kind(i, wanted) is not None
    return False if wanted.name in OF_ONE_LAYOUT or of_mlx else None


_TYPES: Final = {"class": "builtins.type", "dtype": "mlx.core.Dtype"}
OF_ONE_LAYOUT: Final = tuple(
    f"builtins.{cls.__name__}" for cls in (str, int, float, complex, bytes, bytearray, list, tuple, dict, set, frozenset, type)
)
"""Classes of Python of which nothing can extend two: their instances lie differently in memory. `bool` and others below them are told by these."""


def _cannot_both_be(wanted: str, names: Collection[object]) -> bool:
    """Whether no class can extend one and be of the other: what is an nn.Module, and so a dict, is no string, whatever extends it."""
    return wanted in OF_ONE_LAYOUT and wanted not in names and any(name in names for name in OF_ONE_LAYOUT)


def _imported(cls: Symbolic) -> bool:
    """Whether a class is an attribute of a module that is not in sight: it is none of the classes that are, as nothing of them flowed there."""
    identity: object = cls.identity
    while isinstance(identity, tuple) and len(identity) == 2 and isinstance(identity[0], str) and identity[0].startswith("."):
        identity = identity[1]
    return isinstance(identity, tuple) and identity[:1] == ("import",)


def kinds_of_class(cls: Value) -> frozenset[str] | None:
    """The kinds that `isinstance(x, cls)` leaves of something not known; None if that is no kind."""
    known = {"builtins.int": "int", "builtins.float": "float", "builtins.bool": "bool", "builtins.str": "str", "builtins.bytes": "bytes",
             "builtins.list": "list", "builtins.tuple": "tuple", "builtins.dict": "dict", "builtins.set": "set", "mlx.core.array": "array"}  # fmt: skip
    found: set[str] = set()
    for member in members(cls):
        for part in member.items if isinstance(member, Tuple) and member.items is not None else (member,):
            if not isinstance(part, External) or part.name not in known:
                return None
            found.add(known[part.name])
    return frozenset(found)


def builtin_type(i: Interpreter, member: Member) -> str | None:
    """The dotted name of a builtin type."""
    name = scalar_type(member)
    if name is not None:
        return {"NoneType": "builtins.NoneType", "ellipsis": "builtins.ellipsis", "number": "builtins.float"}.get(name, f"builtins.{name}")
    if isinstance(member, Tuple):
        return "builtins.tuple"
    if isinstance(member, RangeObject):
        return "builtins.range"
    if isinstance(member, Slice):
        return "builtins.slice"
    if isinstance(member, Ref):
        info = i.info(member.oid)
        if info.kind in ("list", "dict", "set") and isinstance(info.payload, str):
            return info.payload
        if info.kind == "iterator":
            return info.label or None
        return CLASSES_OF_KINDS.get(info.kind)
    return None


def is_of_class(i: Interpreter, value: Value, cls: Value) -> Value:
    """Whether a value is of a class; each member of which that is not known stands for itself."""
    answers = [(instance_of(i, option.member, cls), option) for option in options(value)]
    return guarded([(option.member if answer is None else Const(answer), option.guard) for answer, option in answers])
