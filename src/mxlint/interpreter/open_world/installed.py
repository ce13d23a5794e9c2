"""Objects of the program that are put into a model that nobody in sight gives: wrappers of its layers, taps, adapters.

Who calls the model in a trace may come to them (`interfaces.py`). What captures the model, or its state, captures their arrays as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, TypeAlias

from mxlint.domain.guards import Identity
from mxlint.domain.join import join
from mxlint.domain.members import Ref, Symbolic, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers.elements import Elements
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, LAZY
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.objects.lookup import CLASS, class_attribute
from mxlint.interpreter.open_world.shadows import Shadows, shadow

Root: TypeAlias = Ref | Identity
"""Something out of sight: an object of which only the class is known, or the name of something symbolic."""
PUT: Final = ("#", "put in")
"""Of what stands for something out of sight: the objects that were put into it, or into what it gives, one of each class."""
MAX_CLASSES: Final = 4
"""Classes of objects that are kept for one model."""
MAX_DEPTH: Final = 3
"""Containers one in another in which such objects are looked for."""


class Installed:
    """What is out of sight and has modules of the program put into it."""

    __slots__ = ("modules",)

    def __init__(self) -> None:
        self.modules: set[Root] = set()


class TakenOut:
    """Attributes of something, by names that nobody in sight says: of what."""

    __slots__ = ("owners",)

    def __init__(self) -> None:
        self.owners: dict[Identity, Root] = {}


def taken_out(i: Interpreter, value: Symbolic, owner: Ref | Symbolic) -> None:
    """Something is an attribute of an owner, by a name that nobody in sight says."""
    i.ledger.of(TakenOut).owners[value.identity] = owner if isinstance(owner, Ref) else owner.identity


class Gathered:
    """Trees out of sight that the program makes of something: of what."""

    __slots__ = ("leaves",)

    def __init__(self) -> None:
        self.leaves: dict[Identity, Value] = {}


def put(i: Interpreter, into: Root, value: Value, place: Place) -> None:
    """Keep the objects in a value that is put into something out of sight, if they can be called: for that, and all that it is a part of."""
    found = dict(_callables(i, value, MAX_DEPTH)) if i.trace is None else {}
    if not found:
        return
    for array in arrays_in(i, *found.values()):
        i.heap.drop(array.ident, LAZY)  # whoever has the model may compute it
    modules = i.ledger.of(Installed).modules if any(i.mlx.object_kind(i, ref) == "module" for ref in found.values()) else set()
    for root in around(i, into):
        modules.add(root)
        oid = root.oid if isinstance(root, Ref) else shadow(i, Symbolic(root), place)
        present = i.heap.get(oid, PUT)
        kept = {i.heap.get(ref.oid, CLASS): ref for ref in members(present) if isinstance(ref, Ref)} if present is not None else {}
        new = [ref for cls, ref in found.items() if cls not in kept][: MAX_CLASSES - len(kept)]
        if new:
            i.heap.set(oid, PUT, join([*new, *((present,) if present is not None else ())]))


def held(i: Interpreter, root: Value) -> Value | None:
    """The objects that were put into something out of sight, of a model by its state as well."""
    if isinstance(root, Symbolic):
        known = i.ledger.of(Shadows).objects
        whole = root.identity[1] if root.identity[0] == STATE and len(root.identity) > 1 else root.identity
        oid = whole.oid if isinstance(whole, Ref) else known.get(whole) if isinstance(whole, tuple) else None
        return i.heap.get(oid, PUT) if oid is not None else None
    return i.heap.get(root.oid, PUT) if isinstance(root, Ref) else None


STATE: Final = ".state"
"""What begins the name of the state of a model."""


def is_layer(i: Interpreter, function: Symbolic) -> bool:
    """Whether something out of sight is a part of what the program puts modules into: then it is one itself."""
    if not i.ledger.of(Installed).modules:
        return False
    whole = around(i, function.identity)
    return any(root in i.ledger.of(Installed).modules for root in islice(whole, 1, None))


def calling(i: Interpreter, ref: Ref) -> Ref | None:
    """The method of the program that runs where an object is called."""
    cls = i.heap.get(ref.oid, CLASS) if i.info(ref.oid).kind == "instance" else None
    method = class_attribute(i, cls, "__call__") if isinstance(cls, Ref) else None
    return method if isinstance(method, Ref) else None


def _callables(i: Interpreter, value: Value, depth: int) -> Iterator[tuple[Value | None, Ref]]:
    """The objects of the program in a value, and in lists, tuples and dicts of it, that can be called, with their classes."""
    for member in members(value):
        if isinstance(member, Ref):
            if calling(i, member) is not None:
                yield i.heap.get(member.oid, CLASS), member
            elif depth and i.info(member.oid).kind in ("list", "dict"):
                for field, inner in i.heap.fields(member.oid).items():
                    if field == ITEMS or isinstance(field, tuple) and field[0] == "k":
                        yield from _callables(i, inner, depth if field == ITEMS else depth - 1)
        elif isinstance(member, Symbolic) and (leaves := i.ledger.of(Gathered).leaves.get(member.identity)) is not None:
            yield from _callables(i, leaves, depth)
        elif isinstance(member, Tuple) and depth:
            for part in member.parts:
                yield from _callables(i, part, depth - 1)


def around(i: Interpreter, into: Root) -> Iterator[Root]:
    """Something out of sight, and what it is an attribute, an item or an element of, that in turn, up to what is no part of anything."""
    iterables, owners = i.ledger.of(Elements).iterables, i.ledger.of(TakenOut).owners
    part: object = into
    while isinstance(part, (Ref, tuple)):
        yield part
        outer = iterables.get(part) or owners.get(part) if isinstance(part, tuple) else None
        part = outer if outer is not None else part[1] if isinstance(part, tuple) and len(part) > 1 else None
