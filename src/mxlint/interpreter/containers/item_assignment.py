"""Assignment and deletion of items: `owner[index] = value` and `del owner[index]`.

A list or dict holds other contents afterwards. For an object of the program `__setitem__` or `__delitem__` is called. In `settings["rate"] = 2`, where nobody in
sight gives `settings`, later reads find what was written.
"""

from __future__ import annotations

from mxlint.domain.arrays import Array
from mxlint.domain.join import join
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Const,
    External,
    Member,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Unknown,
    Value,
    members,
)
from mxlint.domain.place import Place
from mxlint.interpreter.containers import cell_changes, unlisted
from mxlint.interpreter.containers.builders import entry, hashed
from mxlint.interpreter.containers.dict_items import entries_where, put_entry, take_if_equal
from mxlint.interpreter.containers.indices import MISUSE, as_index, needs_number
from mxlint.interpreter.libraries import sharing
from mxlint.interpreter.loops.iteration import listed
from mxlint.interpreter.loops.lengths import keyed, resized
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.objects import views
from mxlint.interpreter.objects.lookup import container, environment, library_base_of, special
from mxlint.interpreter.open_world import given_contents, installed, shadows


def set_item(i: Interpreter, owner: Value, index: Value, value: Value, place: Place, frame: Frame) -> None:
    """`owner[index] = value`."""

    def one(member: Member) -> Value:
        if isinstance(member, Array):
            i.operations.array(i, "mlx.core.array.__setitem__", (member, index, value), place, frame)
        elif isinstance(member, Ref):
            _set_item(i, member, i.live(index), value, place, frame)
        elif isinstance(member, External):
            i.operations.external(i, "#set_item", Arguments((member, index, value), places=(place,) * 3), place, frame)
            i.mlx.handed(i, (value,), place, frame)
            decided = environment(i, member)
            if decided is not None and isinstance(index, Const):
                shadows.write_item(i, decided, index, value, place, frame)
        else:
            i.mlx.handed(i, (value,), place, frame)
            if isinstance(member, Symbolic):
                i.mlx.put_into(i, member)
                i.ledger.of(shadows.Shadows).items.add(place)
                if isinstance(index, Const):
                    shadows.write_item(i, member, index, value, place, frame)
                given_contents.put(i, member, index, value, place, frame)
                installed.put(i, member.identity, value, place)
                sharing.changed(i, member, index, place, frame)
        return NONE

    i.place = place
    i.split(owner, one)


def _set_item(i: Interpreter, owner: Ref, index: Value, value: Value, place: Place, frame: Frame) -> None:
    method = special(i, owner, "__setitem__", place, frame)
    if method is not None:
        i.call(method, Arguments((index, value), places=(place, place)), place, frame)
        return
    if container(i, owner):
        put_item(i, owner, index, value, place, frame)
        return
    base = library_base_of(i, owner)
    if base is not None:
        i.operations.external(i, f"{base}.__setitem__", Arguments((owner, index, value), places=(place,) * 3), place, frame)


def put_item(i: Interpreter, owner: Ref, index: Value, value: Value, place: Place, frame: Frame) -> None:
    """`owner[index] = value` of a list or dict, as these do it themselves."""
    if i.heap.get(owner.oid, ITEMS) is not None:
        needs_number(i, index, place, frame)
        content = i.heap.get(owner.oid, ITEMS) or Unknown("list")
        given = listed(i, value, place, frame) if isinstance(index, Slice) else None
        if given is not None:
            resized(i, owner.oid, None)
        changed = i.split(content, lambda part: _replaced(i, part, index, value, given, place))
        held = i.heap.get(owner.oid, ITEMS) or UNBOUND
        if index == Slice(NONE, NONE, NONE):
            i.heap.set(owner.oid, ITEMS, Tuple(()))  # all that was there goes first
        i.heap.set(owner.oid, ITEMS, changed)
        single = isinstance(index, Const) and isinstance(index.value, int) and index.value >= 0
        if given is not None and index == Slice(NONE, NONE, NONE) and unlisted.has_items_of(i, value, owner.oid):
            cell_changes.changed(i, owner.oid, "reorders", held, place)
        elif given is not None:
            whole = index == Slice(NONE, NONE, NONE) and changed != held
            cell_changes.changed(i, owner.oid, "renews", held, place, perhaps=() if whole else cell_changes.CHANGES["renews"])
        elif isinstance(index, Const) and isinstance(index.value, int):
            cell_changes.put_at(i, owner.oid, index.value, held, value, place)
        else:
            cell_changes.changed(i, owner.oid, "replaces", held, place, added=Tuple((value,)))
        i.operations.written(i, owner.oid, ("item", index.value) if single else ITEMS, value, place, frame)  # type: ignore[union-attr]
    else:
        hashed(i, index, place, frame)
        views.look(i, owner.oid)
        put_entry(i, owner, index, value, place, frame)


def _replaced(i: Interpreter, part: Member, index: Value, value: Value, given: Tuple | None, place: Place) -> Value:
    """The content of a list after `list[index] = value`; `given`: the items that are put into a slice."""
    real = as_index(index)
    if not isinstance(part, Tuple) or part.items is None:
        held = part.element if isinstance(part, Tuple) else part
        i.may_raise("builtins.IndexError")
        added = (value,) if given is None else given.items if given.items is not None else (given.element,)
        return Tuple(None, join([p for p in (held, *added) if p is not None]))
    if given is not None:
        if isinstance(real, slice) and given.items is not None:
            items = list(part.items)
            try:
                items[real] = given.items
            except MISUSE as error:
                throw_named(i, f"builtins.{type(error).__name__}", place)
            return Tuple(tuple(items))
        parts = [*part.items, *(given.items if given.items is not None else (given.element,))]
        return Tuple(None, join([p for p in parts if p is not None]))
    if isinstance(real, int):
        if not -len(part.items) <= real < len(part.items):
            throw_named(i, "builtins.IndexError", place)
        items = list(part.items)
        items[real] = value
        return Tuple(tuple(items))
    i.may_raise("builtins.IndexError")
    return Tuple(tuple(join((p, value)) for p in part.items))


def delete_item(i: Interpreter, owner: Value, index: Value, place: Place, frame: Frame) -> None:
    """`del owner[index]`."""
    for member in members(owner):
        if isinstance(member, Symbolic):
            given_contents.taken_out(i, member, index, place, frame)
        if not isinstance(member, Ref):
            continue
        method = special(i, member, "__delitem__", place, frame)
        if method is not None:
            i.call(method, Arguments((index,), places=(place,)), place, frame)
            continue
        drop_item(i, member, index, place, frame)


def drop_item(i: Interpreter, owner: Ref, index: Value, place: Place, frame: Frame) -> None:
    """`del owner[index]` of a list or dict, as these do it themselves."""
    content = i.heap.get(owner.oid, ITEMS)
    if content is not None:
        needs_number(i, index, place, frame)
        resized(i, owner.oid, None if isinstance(index, Slice) else False)
        i.heap.set(owner.oid, ITEMS, i.split(content, lambda part: _without(i, part, index, place)))
        end = "first" if index == Const(0) else "last" if index == Const(-1) else ""
        perhaps = cell_changes.CHANGES["removes"] if isinstance(index, Slice) else ()
        count = None if isinstance(index, Slice) else -1
        cell_changes.changed(i, owner.oid, "removes", content, place, end=end, perhaps=perhaps, count=count)
        i.operations.written(i, owner.oid, ITEMS, NONE, place, frame)
    else:
        views.look(i, owner.oid)
        keyed(i, owner.oid, index, False)
        for key in members(index):
            field = entry(i, owner.oid, key)
            if i.heap.get(owner.oid, field) is None:
                rest = i.heap.get(owner.oid, ("#", "rest"))
                if isinstance(key, Const) and (rest is None or isinstance(rest, Unbound)):
                    if not entries_where(i, owner, lambda other: isinstance(other, Symbolic)):
                        throw_named(i, "builtins.KeyError", place)
                    i.may_raise("builtins.KeyError")
                cell_changes.taken_from_dict(i, owner.oid, key if len(members(index)) == 1 else None, place, surely=True)
            i.heap.drop(owner.oid, field)
            i.operations.written(i, owner.oid, field, UNBOUND, place, frame)
            if isinstance(key, (Const, Symbolic)):
                take_if_equal(i, owner, key, place, frame)
        views.changed(i, owner.oid, place, frame)


def _without(i: Interpreter, part: Member, index: Value, place: Place) -> Value:
    """The content of a list after `del list[index]`."""
    real = as_index(index)
    if isinstance(part, Tuple) and part.items is not None and real is not None:
        items = list(part.items)
        try:
            del items[real]
        except MISUSE as error:
            throw_named(i, f"builtins.{type(error).__name__}", place)
        return Tuple(tuple(items))
    i.may_raise("builtins.IndexError")
    if not isinstance(part, Tuple) or part.items == ():
        return part
    least = max(part.shortest - 1, 0) if part.shortest is not None and not isinstance(index, Slice) else 0
    loops = frozenset() if isinstance(index, Slice) else part.loops
    return Tuple(None, join(part.parts), least=least, given="part" if part.given else "", loops=loops)
