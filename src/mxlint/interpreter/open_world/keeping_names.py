"""The names of modules and classes by which code comes to objects: of those that there are, and of those that entries have made and kept.

What an entry makes is gone once it is undone, as a model that `functools.cache` keeps or that lies in a dict of the module. But others come to such an object by the
same names as the trace that has read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mxlint.domain.heap import ALIVE
from mxlint.domain.members import NONE, Member, Ref, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.open_world.preparing import HOLDERS, contents
from mxlint.interpreter.open_world.unchanged import NAMED

MUTABLE: Final = frozenset(("list", "dict", "set", "instance"))
"""Kinds of objects that are changed where they are."""
_KEEPING: Final = MUTABLE | {"cached"}
"""Kinds of objects that hold others for whoever has them; what keeps the values of a function gives them to who calls it."""


class KeepingNames:
    """The names that lead to what traces have read of objects that entries made."""

    __slots__ = ("names",)

    def __init__(self) -> None:
        self.names: set[str] = set()


def note(i: Interpreter, mark: int) -> None:
    """Keep the names that lead to what was made since a mark and a trace has read, before that is undone."""
    made = {oid for (oid, field), before in i.heap.trail[mark:] if field == ALIVE and before is None}
    if made:
        i.ledger.of(KeepingNames).names |= names_of(i, (oid for oid in read_objects(i) if oid in made))


def read_objects(i: Interpreter) -> list[int]:
    """The objects that are changed where they are and of which traces have read something, or which they have read."""
    named = ((oid, field) for oid, field in i.traced if isinstance(field, str) and (i.info(oid).kind in NAMED or i.info(oid).trace))
    held = [m.oid for oid, field in named for m in members(i.heap.get(oid, field) or NONE) if isinstance(m, Ref)]
    return [number for number in (*held, *(oid for oid, _ in i.traced)) if i.info(number).kind in MUTABLE]


def names_of(i: Interpreter, objects: Iterable[int]) -> set[str]:
    """The names of modules and classes by which code comes to some objects, also through others that hold them."""
    todo = list(dict.fromkeys(objects))
    seen, found = set(todo), set[str]()
    while todo:
        for holder, field in i.heap.holders(todo.pop()):
            kind = i.info(holder).kind
            if kind in ("module", "class") and isinstance(field, str):
                found.add(field)
            if (kind in _KEEPING or kind == "class" and isinstance(field, str)) and holder not in seen:
                seen.add(holder)
                todo.append(holder)
    return found


def of_empty(i: Interpreter, modules: Iterable[int]) -> set[str]:
    """The names of modules, and of the classes in them, that hold None or containers in which nothing lies."""
    named = [list(_named(i, module)) for module in modules]
    classes = {
        ref.oid for fields in named for _, held in fields for ref in held if isinstance(ref, Ref) and i.info(ref.oid).kind == "class"
    }
    return {
        name for fields in (*named, *(_named(i, cls) for cls in classes)) for name, held in fields if any(_is_empty(i, m) for m in held)
    }


def _named(i: Interpreter, holder: int) -> Iterator[tuple[str, tuple[Member, ...]]]:
    """What an object holds under names."""
    return ((field, members(value)) for field, value in i.heap.fields(holder).items() if isinstance(field, str))


def _is_empty(i: Interpreter, held: Member) -> bool:
    return held == NONE or isinstance(held, Ref) and i.info(held.oid).kind in HOLDERS and not contents(i, held.oid)


def of_libraries(i: Interpreter) -> set[str]:
    """The names of what libraries hold for the whole program and traces have read, as the environment (`os.environ`)."""
    read = (i.info(oid).payload for oid, _ in i.traced if i.info(oid).kind == "symbolic")
    return {identity[1].rpartition(".")[2] for identity in read if isinstance(identity, tuple) and identity[0] == "constant"}
