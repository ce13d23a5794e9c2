"""Trees of MLX: tuples, lists, dicts and modules in one another, down to their leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mxlint.domain.join import join
from mxlint.domain.members import NONE, Const, Kind, Member, Ref, Symbolic, Tuple, Unbound, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter import kinds
from mxlint.interpreter.arguments import Arguments
from mxlint.interpreter.builders import new_list, put
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.elements import known_items
from mxlint.interpreter.frames import Frame
from mxlint.interpreter.keys import MAX_PARTS


def tree_map(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    function = args.args[0]

    def leaf(member: Member, others: tuple[Value, ...], tag: object) -> Value:
        with i.within((place, repr(tag))):
            return i.call(function, Arguments((member, *others), places=(place,) * (1 + len(others))), place, frame)

    return each_leaf(i, leaf, args.args[1], tuple(args.args[2:]), place)


def each_leaf(
    i: Interpreter, leaf: Callable[[Member, tuple[Value, ...], object], Value], tree: Value, rest: tuple[Value, ...], place: Place
) -> Value:
    """The tree with what `leaf` gives for each of its leaves, and for what lies there in others, instead of it."""
    done: dict[tuple[Value, ...], Value] = {}

    def run(value: Value, others: tuple[Value, ...], tag: object) -> Value:
        found = [member if isinstance(member, Unbound) else one(member, others, tag) for member in members(value)]  # what may not be there
        return found[0] if len(found) == 1 else join(found)

    def one(member: Member, others: tuple[Value, ...], tag: object) -> Value:
        if not isinstance(member, (Tuple, Ref)):
            return leaf(member, others, tag)
        key = (member, *others)
        made = done.get(key)
        if isinstance(made, Ref):
            i.info(made.oid).summary = True  # MLX makes one for each way that leads there
        if made is None:
            done[key] = Unknown("a tree that holds itself")
            made = done[key] = node(member, others, tag)
        return made

    def node(member: Tuple | Ref, others: tuple[Value, ...], tag: object) -> Value:
        def each(items: Sequence[Value]) -> Tuple:
            return Tuple(tuple(run(item, tuple(_part(i, o, n) for o in others), (tag, n)) for n, item in enumerate(items)))

        if isinstance(member, Tuple):
            return member.holding(each(member.items).parts) if member.items is not None else leaf(member, others, tag)
        info = i.info(member.oid)
        held = i.heap.get(member.oid, ("#", "items"))
        content = i.live(held) if held is not None else NONE
        if info.kind == "list" and all(isinstance(part, Tuple) and part.items is not None for part in members(content)):
            # Lists of several lengths are trees of several shapes, each under its own condition.
            made = i.split(content, lambda part: each(part.items or ()) if isinstance(part, Tuple) else part)
            return new_list(i, made, place, ("tree", tag))
        if info.kind in ("dict", "instance"):
            oid = i.allocate("dict", None, place, ("tree", tag))
            for key, value in entries(i, member):
                put(i, oid, key, run(value, tuple(_entry(i, o, key) for o in others), (tag, key)))
            return Ref(oid)
        return leaf(member, others, tag)

    return run(tree, rest, 0)


def entries(i: Interpreter, ref: Ref) -> list[tuple[Value, Value]]:
    """The entries of a dict, or the parameters and sublayers of a module."""
    found: list[tuple[Value, Value]] = []
    for field, value in list(i.heap.fields(ref.oid).items()):
        if isinstance(field, tuple) and field[0] == "k":
            found.append((field[1], value))
        elif isinstance(field, str) and i.info(ref.oid).kind == "instance" and kinds.holds_arrays(i, value):
            found.append((Const(field), value))
    return found


def _part(i: Interpreter, value: Value, number: int) -> Value:
    items = known_items(i, value) if isinstance(value, (Tuple, Ref)) else None
    return items[number] if items is not None and number < len(items) else Unknown("tree")


def _entry(i: Interpreter, value: Value, key: Value) -> Value:
    if isinstance(value, Ref):
        found = i.heap.get(value.oid, ("k", key))
        if found is None and isinstance(key, Const):
            found = i.heap.get(value.oid, key.value)
        if found is not None:
            return found
    return Unknown("tree")


def tree_flatten(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    for member in members(args.args[0]):
        if isinstance(member, (Symbolic, Unknown)):
            pair = Tuple((Kind("str", "open"), i.symbolic(place, "leaf") if isinstance(member, Symbolic) else member))
            return new_list(i, Tuple(None, pair), place)
    leaves = _named_leaves(i, args.args[0])
    if leaves is None:
        i.imprecise("tree of arguments or results too large", place)
        return new_list(i, Tuple(None, Tuple((Kind("str", "imprecise"), Unknown("tree")))), place)
    return new_list(i, Tuple(tuple(leaves)), place)


def _named_leaves(i: Interpreter, tree: Value) -> list[Value] | None:
    """The leaves of a tree, each with the names that lead to it; None if there are too many."""
    leaves: list[Value] = []
    todo = [("", tree)]
    for _ in range(MAX_PARTS):
        if not todo:
            return leaves
        prefix, value = todo.pop()
        inner: list[tuple[str, Value]] = []
        for member in members(value):
            if isinstance(member, Unbound):
                continue  # a layer that some models do not have: what follows is the same for the others
            content = i.heap.get(member.oid, ("#", "items")) if isinstance(member, Ref) and i.info(member.oid).kind == "list" else member
            if isinstance(content, Tuple) and (content.items is not None or content is not member):
                inner += [(f"{prefix}.{n}", item) for n, item in enumerate(content.items or ())]
            elif isinstance(member, Ref) and i.info(member.oid).kind in ("dict", "instance"):
                inner += [(f"{prefix}.{key.value if isinstance(key, Const) else '?'}", item) for key, item in entries(i, member)]
            elif not isinstance(member, Ref) or i.info(member.oid).kind != "list":
                leaves.append(Tuple((Const(prefix[1:]), member)))
        todo += reversed(inner)
    return None
