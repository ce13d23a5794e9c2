"""The objects that lie open: those that traces have read and to which public names alone lead from a module or an object, as `eq.bands[1]`.

They are there for others to call their methods: `eq.bands[1].boost(6)`. The way goes through objects, classes, modules, lists, dicts and tuples at any depth,
and through public methods and properties that give what an object keeps under a private name, as `eq.band(1)`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from mxlint.domain.heap import Field
from mxlint.domain.members import Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.reach import HOLDERS
from mxlint.interpreter.objects.lookup import CLASS, mro
from mxlint.interpreter.open_world import closures, kept_objects
from mxlint.interpreter.open_world.client_methods import Method, methods_of, owned
from mxlint.interpreter.open_world.left_open import asked
from mxlint.interpreter.open_world.turns import calls_within, stale_alone
from mxlint.models.written import WrittenSource

NAMING: Final = frozenset(("class", "instance", "module"))
"""Kinds of objects that hold others under names."""
PASSED: Final = frozenset(("list", "dict", "set"))
"""Kinds of containers through which others come to what lies in them."""


class OpenObjects:
    """The public methods of the objects that lie open, by the object or module from which they do so."""

    def __init__(self, i: Interpreter, written: Collection[tuple[int, Place]], frame: Frame) -> None:
        """`written`: what has written in an object, something in sight calls on that object, and that decides when."""
        self._methods: dict[int, list[Method]] = {}
        for ref in sorted({oid for oid, _ in i.traced if i.info(oid).kind == "instance" and i.heap.exists(oid)}):
            methods = list(_methods_of(i, Ref(ref), written))
            changes = any(closures.may_change(i, method) for method in methods)
            for holder in _holders(i, ref, frame if changes else None) if methods else ():
                self._methods.setdefault(holder, []).extend(methods)

    def of(self, holder: Ref) -> list[Method]:
        """The methods of those to which others come from an object or a module."""
        return self._methods.get(holder.oid, [])


def _holders(i: Interpreter, number: int, frame: Frame | None) -> list[int]:
    """The objects and modules from which public names lead to an object. `frame`: so do methods and properties that give it, by which they are asked from there."""
    todo, found = [number], list[int]()
    seen = {number}
    for oid in todo:
        for holder, field in sorted(i.heap.who_holds(oid), key=repr):
            if holder in seen or i.info(oid).kind == "module" and i.info(holder).kind != "module":
                continue
            if _is_open(i, holder, field) or frame is not None and _is_given(i, holder, field, seen, frame):
                seen.add(holder)
                todo.append(holder)
                if i.info(holder).kind in NAMING:
                    found.append(holder)
    return found


def _is_given(i: Interpreter, holder: int, field: Field, wanted: Collection[int], frame: Frame) -> bool:
    """Whether a public method or property of an object gives what it keeps under a private name, or something in that."""
    if i.info(holder).kind != "instance" or not isinstance(field, str):
        return False
    given: list[Value] = []
    for reader in kept_objects.readers_of(i, Ref(holder), field):
        if not any(True for _ in calls_within(i, reader.info)):
            stale_alone(i, lambda reader=reader: given.append(asked(i, Ref(holder), reader, 1, frame)))  # type: ignore[misc]
    return any(ref.oid in wanted for value in given for ref in closures.handed(i, value))


def _is_open(i: Interpreter, holder: int, field: Field) -> bool:
    """Whether others come from an object to what it holds under a name or in a place."""
    kind = i.info(holder).kind
    return kind in PASSED or kind in NAMING and isinstance(field, str) and not field.startswith("_")


def _methods_of(i: Interpreter, ref: Ref, written: Collection[tuple[int, Place]]) -> Iterator[Method]:
    """The public methods of an object, but for those that have written in it."""
    cls = i.heap.get(ref.oid, CLASS)
    its = {oid for oid in owned(i, [ref.oid]) if i.info(oid).kind in HOLDERS}
    by = [place for oid, place in written if oid in its]
    for method in methods_of(i, cls, mro(i, cls), set()) if isinstance(cls, Ref) else ():
        if not isinstance(method.info.source, WrittenSource) and not any(_stands_in(place, method.info) for place in by):
            yield method._replace(owner=ref)


def _stands_in(place: Place, function: FunctionInfo) -> bool:
    return place.source is function.source and function.node.start <= place.start and place.end <= function.node.end
