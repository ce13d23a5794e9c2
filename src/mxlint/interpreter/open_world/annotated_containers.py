"""Containers of arrays or objects that nobody in sight gives, by what an annotation says that they hold: `tuple[mx.array, ...]`, `list[list[mx.array]]`,
`Dict[str, Tuple[mx.array, mx.array]]`, `list[Term]` of a class of the program, a TypedDict.

One value stands for all items of a list, one for all entries of a dict, and one for all items of a tuple of any length. Where none of them holds an
array or such an object the annotation says no more than that it is a container.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.heap import ALIVE
from mxlint.domain.join import of
from mxlint.domain.members import Const, External, Kind, Member, Option, Ref, Symbolic, Tuple, Value, options, scalar_type
from mxlint.domain.parts import rename
from mxlint.domain.place import Place
from mxlint.interpreter.containers.builders import any_number, new_list, put
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import REST, REST_KEY
from mxlint.interpreter.machine.reach import arrays_in, each_place
from mxlint.interpreter.objects.annotations import named
from mxlint.interpreter.objects.hints import Annotations
from mxlint.interpreter.objects.lookup import is_of_library, mro
from mxlint.interpreter.open_world import given_dicts
from mxlint.interpreter.open_world.standing import Standing
from mxlint.syntax import ir

ABSTRACT: Final = ("typing", "collections.abc")
LISTS: Final = frozenset(("builtins.list", "typing.List"))
SEQUENCES: Final = LISTS | {f"{module}.{name}" for module in ABSTRACT for name in ("Sequence", "MutableSequence")}
TUPLES: Final = frozenset(("builtins.tuple", "typing.Tuple"))
ITERABLES: Final = frozenset(f"{module}.{name}" for module in ABSTRACT for name in ("Iterable", "Collection"))
DICTS: Final = frozenset(("builtins.dict", "typing.Dict")) | {
    f"{module}.{name}" for module in ABSTRACT for name in ("Mapping", "MutableMapping")
}
TYPED_DICTS: Final = frozenset(("typing.TypedDict", "typing_extensions.TypedDict"))

Inner: TypeAlias = "Callable[[Ref, ir.Expr, str], Value | None]"
"""What something is by an annotation that is a part of another one, and by a name for it; None if that does not say."""


def container(i: Interpreter, ref: Ref, annotation: ir.Expr, name: str, place: Place, inner: Inner) -> Value | None:
    """A container that an annotation in the scope of `ref` says to hold arrays, or objects of the program; None of any other."""
    if not isinstance(annotation, ir.Sub):
        return _typed_dict(i, named(i, ref, annotation), name, place, inner)
    head = head_name(i, ref, annotation.value)
    items = annotation.index.items if isinstance(annotation.index, ir.Seq) else (annotation.index,)
    is_open = len(items) == 2 and isinstance(items[1], ir.Const) and items[1].value is ...
    if head in TUPLES and not is_open:
        return _row(i, ref, items, name, inner)
    wanted = 2 if head in DICTS or head in TUPLES else 1
    if head not in SEQUENCES | DICTS | TUPLES or len(items) != wanted:
        return None
    begun = i.heap.mark()
    held = element(i, inner(ref, items[0 if head in TUPLES else -1], f"{name}[…]"), begun)
    if held is None:
        return None
    if head in TUPLES:
        return any_number(held)
    return new_list(i, any_number(held), place, "parameter") if wanted == 1 else _dict_of(i, held, name, place)


def head_name(i: Interpreter, ref: Ref, annotation: ir.Expr) -> str:
    """The canonical name of a class that an annotation names, in front of its brackets; "" of a class of the program."""
    head = named(i, ref, annotation)
    if head is None and isinstance(annotation, ir.Name):
        return f"builtins.{annotation.id}"
    return head.name if isinstance(head, External) else ""


def _row(i: Interpreter, ref: Ref, items: tuple[ir.Expr, ...], name: str, inner: Inner) -> Tuple | None:
    """A tuple of so many items."""
    found: list[Value] = []
    for number, item in enumerate(items):
        with i.within(("item", number)):
            value = inner(ref, item, f"{name}[{number}]")
        if value is None:
            return None
        found.append(value)
    return Tuple(tuple(found)) if any(True for _ in arrays_in(i, *found)) else None


def element(i: Interpreter, value: Value | None, begun: int) -> Value | None:
    """A value as it stands for several, if it holds arrays, or objects of a class of the program that were made since a mark of the heap. Any other object stands
    for itself."""
    standing = i.ledger.of(Standing).samples.values()
    if isinstance(value, Ref) and value in standing:
        return value
    objects = {member.oid for _, _, member in each_place(i, (value,)) if isinstance(member, Ref)} if value is not None else set()
    made = i.heap.changes(begun) if objects and i.trace is None else {}
    own = {oid for oid in objects if (oid, ALIVE) in made and i.info(oid).kind == "instance" and not is_of_library(i, Ref(oid))}
    if value is None or not own and not any(True for _ in arrays_in(i, value)):
        return None
    several = {oid for oid in objects if oid in own or i.info(oid).kind in ("list", "dict")}
    if any(i.info(oid).kind != "class" for oid in objects - several):
        return None
    for oid in several:
        i.info(oid).summary = True
        for field, held in list(i.heap.fields(oid).items()):
            held = rename(held, _several)
            i.heap.set(oid, field, _of_several(held) if oid in own and isinstance(field, str) else held)
    return rename(value, _several)


def _several(member: Member) -> Member:
    return member.but(several=True) if isinstance(member, Array) else member


def _of_several(held: Value) -> Value:
    """What lies in an attribute of several objects: of a number or text that somebody gives each, another one."""
    return of(Option(_any_scalar(option.member), option.guard) for option in options(held))


def _any_scalar(member: Member) -> Member:
    kind = scalar_type(member) if isinstance(member, Symbolic) else None
    return member if kind is None else Kind(kind, "open")


def _dict_of(i: Interpreter, entry: Value, name: str, place: Place) -> Ref:
    """A dict under whose keys the same lies. That it is an array is said less surely of an entry that the program names: beside arrays, batches hold
    lengths and settings."""
    oid = i.allocate("dict", None, place, "parameter")
    i.heap.set(oid, REST, entry)
    i.heap.set(oid, REST_KEY, i.symbolic(place, "key", kinds=frozenset(("str",)), source="parameter"))
    if isinstance(entry, Array):
        given_dicts.mark(i, oid, name, entry)
    return Ref(oid)


def _typed_dict(i: Interpreter, cls: Value | None, name: str, place: Place, inner: Inner) -> Ref | None:
    """A dict with the entries that a TypedDict lists."""
    classes = [base for base in mro(i, cls) if isinstance(base, Ref)] if isinstance(cls, Ref) else []
    if not classes or not any(isinstance(base, External) and base.name in TYPED_DICTS for base in mro(i, classes[0])):
        return None
    oid = i.allocate("dict", None, place, "parameter")
    for base in reversed(classes):
        for (owner, key), annotation in list(i.ledger.of(Annotations).names.items()):
            if owner == base.oid:
                with i.within(("entry", key)):
                    value = inner(base, annotation, f"{name}[{key!r}]")
                    put(i, oid, Const(key), value if value is not None else i.symbolic(place, "entry", key, source="parameter"))
    return Ref(oid)
