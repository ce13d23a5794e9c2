"""What a call changes in containers whose items are not known one by one: its model says how, and its arguments what comes in and where.

`xs.append(1)` makes a list longer, `random.shuffle(xs)` puts it in another order, and `heapq.heappush(xs, 1)` does both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from mxlint.domain.members import Const, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers import cell_changes, unlisted
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.libraries.signatures import bind_signature
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.models.expression import Type
from mxlint.models.load import model
from mxlint.models.schema import Model

BY_VALUE: Final = ("value", "element")
"""The parameters by which something is taken out of a list or set that is equal to them."""


@contextmanager
def changed_by(i: Interpreter, found: Model, owner: Value | None, bound: Mapping[str, Value], place: Place) -> Iterator[None]:
    """A call of a library runs that changes `owner`, or what it is given (`bound`), in place."""
    targets = {
        member.oid: mutation.target
        for mutation in found.mutates
        for member in members(_target(mutation.target, owner, bound) or Const(None))
        if isinstance(member, Ref)
    }
    held = [(oid, target, content) for oid, target in targets.items() if (content := i.heap.get(oid, ITEMS)) is not None]
    yield
    for oid, target, before in held:
        if unlisted.is_unlisted(before) or unlisted.is_unlisted(i.heap.get(oid, ITEMS)):
            mutations = [mutation for mutation in found.mutates if mutation.target == target]
            cell_changes.change_by(i, oid, found, mutations, before, place, _added(i, found, bound), _index(found, bound))


@contextmanager
def changed_by_method(i: Interpreter, name: str, owner: Ref, args: Arguments, place: Place) -> Iterator[None]:
    """A method of a container runs."""
    found = model(name) if i.heap.get(owner.oid, ITEMS) is not None else None
    if found is None or not found.mutates:
        yield
        return
    with changed_by(i, found, owner, bind_signature(found.signatures[0], args), place):
        yield


def _target(of: Type, owner: Value | None, bound: Mapping[str, Value]) -> Value | None:
    return owner if of.kind == "self" else bound.get(of.name) if of.kind == "arg" else None


def _added(i: Interpreter, found: Model, bound: Mapping[str, Value]) -> Tuple | None:
    """What a call puts into a container, or takes out of it by its value, one by one; None if that is not known."""
    if not found.stores:
        return next((Tuple((bound[name],)) for name in BY_VALUE if name in bound), None)
    for store in found.stores:
        given = bound.get(store.what.name) if store.what.kind == "arg" else None
        if given is not None:
            return Tuple((given,))
        over = bound.get(store.what.args[0].name) if store.what.kind == "element" and store.what.args else None
        items = known_items(i, over) if over is not None and len(members(over)) == 1 else None  # type: ignore[arg-type]
        if items is not None:
            return Tuple(items)
    return None


def _index(found: Model, bound: Mapping[str, Value]) -> Value | None:
    """The index at which a call takes something out, or puts it in."""
    for parameter in found.parameters:
        if parameter.name == "index":
            return bound.get("index", Const(parameter.default) if parameter.optional and isinstance(parameter.default, int) else None)
    return None
