"""Trees of MLX: tuples, lists, dicts and modules in one another, down to their leaves. `tree_map`, `tree_flatten` and `tree_unflatten` go over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Field
from mxlint.domain.join import bound, join
from mxlint.domain.members import NONE, Const, Kind, Member, Ref, Symbolic, Tuple, Unbound, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.keys import MAX_PARTS
from mxlint.interpreter.containers.builders import any_number, new_list, put
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS, REST, REST_KEY, TREE
from mxlint.interpreter.mlx import kinds
from mxlint.interpreter.open_world import presumptions, unseen_layers
from mxlint.interpreter.open_world.installed import Gathered
from mxlint.interpreter.open_world.unseen_layers import WEIGHTS


def tree_map(i: Interpreter, args: Arguments, place: Place, frame: Frame, *, named: bool = False) -> Value:
    """`tree_map(fn, tree, *rest, is_leaf=None)`; `named`: `tree_map_with_path`, which gives the function the name of each leaf as well."""
    function = args.args[0]

    def leaf(member: Member, others: tuple[Value, ...], tag: object) -> Value:
        given = (_name(tag, args.keywords.get("path")), member, *others) if named else (member, *others)
        with i.within((place, repr(tag))):
            return i.call(function, Arguments(given, places=(place,) * len(given)), place, frame)

    return each_leaf(i, leaf, args.args[1], tuple(args.args[2:]), place, _ends(i, args, place, frame))


def _name(tag: object, path: Value | None) -> Value:
    """The name of a leaf that a path of keys and numbers leads to."""
    parts: list[str] = []
    while isinstance(tag, tuple):
        tag, last, *which = tag
        if which:
            continue  # one of several things that may lie there
        if isinstance(last, Member) and not isinstance(last, Const):
            return Kind("str", "open")
        parts.append(str(last.value if isinstance(last, Const) else last))
    if path not in (None, NONE):
        if not isinstance(path, Const):
            return Kind("str", "open")
        parts.append(str(path.value))
    return Const(".".join(reversed(parts)))


def _ends(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Callable[[Member], bool]:
    """Whether something in a tree is a leaf, as the caller says by `is_leaf`."""
    says = args.keywords.get("is_leaf", NONE)
    if says == NONE:
        return lambda member: False
    return lambda member: i.truth(i.call(says, Arguments((member,), places=(place,)), place, frame), place, frame).outcome is True


def each_leaf(
    i: Interpreter,
    leaf: Callable[[Member, tuple[Value, ...], object], Value],
    tree: Value,
    rest: tuple[Value, ...],
    place: Place,
    ends: Callable[[Member], bool] = lambda member: False,
) -> Value:
    """The tree with what `leaf` gives for each of its leaves, and for what lies there in others, instead of it. `ends`: what else is a leaf."""
    return _Mapping(i, leaf, place, ends, {}).value(tree, rest, 0)


@dataclass(frozen=True, slots=True)
class _Mapping:
    """One walk over a tree. `others`: what lies at the same place of the other trees; `tag`: the keys and numbers that lead there from the root, the
    last one outermost."""

    i: Interpreter
    leaf: Callable[[Member, tuple[Value, ...], object], Value]
    place: Place
    ends: Callable[[Member], bool]
    done: dict[tuple[Value, ...], Value]
    """What is made already, by what it is made of."""

    def value(self, value: Value, others: tuple[Value, ...], tag: object) -> Value:
        """Map what a value stands for: each of several things to a tree of its own."""
        several = members(value)
        if len(several) == 1:
            return value if isinstance(value, Unbound) else self.member(several[0], others, tag)
        before = dict(self.done)
        made_by = [self.maker(part) for part in several]

        def alone(part: Member) -> Value:
            # Each of several gives a tree of its own, or raises; at a site of its own, but for those that one place has made: else each round of a loop
            # that maps what the last one has made would make one more. What may not be there stays so.
            number = made_by.index(made_by[several.index(part)])
            made = part if isinstance(part, Unbound) else self.member(part, others, (tag, "either", number))
            self.done.clear()
            self.done.update(before)  # what one made, the next has not
            return made

        return self.i.split(value, alone)

    def maker(self, part: Member) -> object:
        """By what one of several is known: the place that made it, with the shape and dtype of an array or the keys of a dict. Of what has no such place
        it is the thing itself."""
        if isinstance(part, Array) and part.chain is not None:
            return part.chain.place, part.chain.note, part.shape, part.dtype
        if not isinstance(part, Ref) or (place := self.i.info(part.oid).place) is None:
            return part
        return place, frozenset(self.i.heap.fields(part.oid))  # of other keys it is another tree

    def member(self, member: Member, others: tuple[Value, ...], tag: object) -> Value:
        """Map one thing, once for each combination with others."""
        if not isinstance(member, (Tuple, Ref)) or self.ends(member):
            mapped = self.leaf(member, others, tag)
            presumptions.mapped(self.i, member, mapped)
            return mapped
        key = (member, *others)
        made = self.done.get(key)
        if isinstance(made, Ref):
            self.i.info(made.oid).summary = True  # MLX makes one for each way that leads there
        if made is None:
            self.done[key] = Unknown("a tree that holds itself")
            made = self.done[key] = self.node(member, others, tag)
        return made

    def node(self, member: Tuple | Ref, others: tuple[Value, ...], tag: object) -> Value:
        """Map a tuple, list, dict or module by what it holds; any other object is a leaf."""
        i = self.i
        if isinstance(member, Tuple):
            return self.items(member, others, tag)
        info = i.info(member.oid)
        held = i.heap.get(member.oid, ITEMS)
        content = i.live(held) if held is not None else NONE
        if info.kind == "list" and all(isinstance(part, Tuple) for part in members(content)):
            # Lists of several lengths are trees of several shapes, each under its own condition.
            made = i.split(content, lambda part: self.items(part, others, tag) if isinstance(part, Tuple) else part)
            return new_list(i, made, self.place, ("tree", tag))
        if info.kind in ("dict", "instance"):
            return self.entries(member, others, tag)
        return self.leaf(member, others, tag)

    def items(self, part: Tuple, others: tuple[Value, ...], tag: object) -> Tuple:
        """Map the items of a sequence one by one, or the element of one of unknown length."""
        if part.items is None and part.element is not None:
            return part.holding((self.value(part.element, tuple(_any_part(self.i, o) for o in others), (tag, "…")),))
        made = [self.value(item, tuple(_part(self.i, o, n) for o in others), (tag, n)) for n, item in enumerate(part.items or ())]
        return part.holding(tuple(made)) if made else part

    def entries(self, member: Ref, others: tuple[Value, ...], tag: object) -> Ref:
        """Map the entries of a dict, or the parameters and sublayers of a module, to a dict."""
        i = self.i
        made = [(key, self.value(value, tuple(_entry(i, o, key) for o in others), (tag, key))) for key, value in entries(i, member)]
        left = under_other_keys(i, member)
        if left is not None:
            left = self.value(left, tuple(under_other_keys(i, o) or Unknown("tree") for o in others), (tag, "…"))
        # Only now, as it may be at the site of the mapped one, which ages then: a function of trees may map what it has made itself.
        oid = i.allocate("dict", None, self.place, ("tree", tag))
        for key, value in made:
            put(i, oid, key, value)
        if left is not None:
            i.heap.set(oid, REST, left)
            key, tree = i.heap.get(member.oid, REST_KEY) or Unknown("key"), i.heap.get(member.oid, TREE)
            if unseen_layers.is_opaque(i, member):
                key, tree = Kind("str", "open"), member
            i.heap.set(oid, REST_KEY, key)
            if tree is not None:
                i.heap.set(oid, TREE, tree)
        return Ref(oid)


def entries(i: Interpreter, ref: Ref) -> list[tuple[Value, Value]]:
    """The entries of a dict, or the parameters and sublayers of a module."""
    found: list[tuple[Value, Value]] = []
    for field, value in list(i.heap.fields(ref.oid).items()):
        if isinstance(field, tuple) and field[0] == "k":
            found.append((field[1], value))
        elif isinstance(field, str) and field != WEIGHTS and i.info(ref.oid).kind == "instance" and kinds.holds_arrays(i, value):
            found.append((Const(field), value))
    return found


def under_other_keys(i: Interpreter, value: Value) -> Value | None:
    """What lies in a dict under keys that are not known one by one, if anything; the weights of the layers of a module that are not in sight."""
    field = _RESTS.get(i.info(value.oid).kind) if isinstance(value, Ref) else None
    held = i.heap.get(value.oid, field) if isinstance(value, Ref) and field is not None else None
    return bound(held) if held is not None else None


_RESTS: Final[dict[str, Field]] = {"dict": REST, "instance": WEIGHTS}
"""Where that lies, by the kind of an object."""


def _any_part(i: Interpreter, value: Value) -> Value:
    """Any item of a sequence of unknown length."""
    content = i.heap.get(value.oid, ITEMS) if isinstance(value, Ref) else value
    return content.element if isinstance(content, Tuple) and content.element is not None else Unknown("tree")


def _part(i: Interpreter, value: Value, number: int) -> Value:
    items = known_items(i, value) if isinstance(value, (Tuple, Ref)) else None
    return items[number] if items is not None and number < len(items) else Unknown("tree")


def _entry(i: Interpreter, value: Value, key: Value) -> Value:
    if isinstance(value, Ref):
        found = i.heap.get(value.oid, ("k", key))
        if found is None and isinstance(key, Const):
            found = i.heap.get(value.oid, key.value)
        if found is None:
            found = under_other_keys(i, value)
        if found is not None:
            return found
    return Unknown("tree")


def tree_flatten(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`tree_flatten(tree)`: the leaves with their names."""
    for member in members(args.args[0]):
        if isinstance(member, (Symbolic, Unknown)):
            pair = Tuple((Kind("str", "open"), i.symbolic(place, "leaf") if isinstance(member, Symbolic) else member))
            return new_list(i, Tuple(None, pair), place)
    leaves = _named_leaves(i, args.args[0], _ends(i, args, place, frame))
    if leaves is not None and any(isinstance(leaf, Tuple) and not isinstance((leaf.items or (NONE,))[0], Const) for leaf in leaves):
        return new_list(i, any_number(join(leaves)), place)
    if leaves is None:
        i.imprecise("tree of arguments or results too large", place)
        return new_list(i, Tuple(None, Tuple((Kind("str", "imprecise"), Unknown("tree")))), place)
    return new_list(i, Tuple(tuple(leaves)), place)


def _named_leaves(i: Interpreter, tree: Value, ends: Callable[[Member], bool]) -> list[Value] | None:
    """The leaves of a tree, each with the names that lead to it, or with a string, where these are not known; None if there are too many."""

    def leaf(names: str | None, member: Member) -> Tuple:
        return Tuple((Kind("str", "open") if names is None else Const(names[1:]), member))

    leaves: list[Value] = []
    todo: list[tuple[str | None, Value]] = [("", tree)]
    for _ in range(MAX_PARTS):
        if not todo:
            return leaves
        prefix, value = todo.pop()
        inner: list[tuple[str | None, Value]] = []
        for member in members(value):
            if isinstance(member, Unbound):
                continue  # a layer that some models do not have: what follows is the same for the others
            if ends(member):
                leaves.append(leaf(prefix, member))
                continue
            is_list = isinstance(member, Ref) and i.info(member.oid).kind == "list"
            content = i.live(i.heap.get(member.oid, ITEMS) or NONE) if is_list and isinstance(member, Ref) else member
            sequences = [part for part in members(content) if isinstance(part, Tuple)]
            if is_list and len(members(content)) > 1:  # of each item it is not said at which place it lies
                inner += [(None, item) for part in sequences for item in part.parts]
            elif sequences and sequences[0].items is None and sequences[0].element is not None:
                inner.append((None, sequences[0].element))
            elif sequences and (sequences[0].items is not None or is_list):
                inner += [(_below(prefix, str(n)), item) for n, item in enumerate(sequences[0].items or ())]
            elif isinstance(member, Ref) and i.info(member.oid).kind in ("dict", "instance"):
                inner += [(_below(prefix, str(key.value) if isinstance(key, Const) else "?"), item) for key, item in entries(i, member)]
                left = under_other_keys(i, member)
                inner += [(None, left)] if left is not None else []
            elif not is_list:
                leaves.append(leaf(prefix, member))
        todo += reversed(inner)
    return None


def _below(names: str | None, name: str) -> str | None:
    return None if names is None else f"{names}.{name}"


def tree_unflatten(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """The tree of leaves that are given with their names, as pairs or as a dict; any where these are not known one by one."""
    given = next(iter(members(i.live(args.args[0]))))
    if isinstance(given, Ref) and i.info(given.oid).kind == "dict" and i.heap.get(given.oid, ("#", "rest")) is None:
        named: list[tuple[Value, Value]] = [*i.heap.entries(given.oid)]
    else:
        pairs = [pair.items if isinstance(pair, Tuple) else None for pair in known_items(i, given) or (NONE,)]
        named = [(pair[0], pair[1]) if pair is not None and len(pair) == 2 else (NONE, NONE) for pair in pairs]
    names = [name.value if isinstance(name, Const) else None for name, _ in named]
    leaves = [(name.split("."), value) for name, (_, value) in zip(names, named) if isinstance(name, str)]
    if len(leaves) < len(named):
        arrays = _leaves_of(i, given)
        if arrays is not None:
            oid = i.allocate("dict", None, place, ("tree", ()))
            i.heap.set(oid, REST, arrays)
            i.heap.set(oid, REST_KEY, Kind("str", "open"))
            return Ref(oid)
        made = i.symbolic(place, "mlx.utils.tree_unflatten")
        i.ledger.of(Gathered).leaves[made.identity] = given
        return made
    return _unflattened(i, leaves, place, ())


def _leaves_of(i: Interpreter, pairs: Member) -> Value | None:
    """The leaves of a list of pairs of which not all names are known, if they are arrays."""
    content = i.live(i.heap.get(pairs.oid, ITEMS) or NONE) if isinstance(pairs, Ref) and i.info(pairs.oid).kind == "list" else NONE
    held = [part for row in members(content) if isinstance(row, Tuple) for part in row.parts]
    leaves = [pair.items[1] for part in held for pair in members(part) if isinstance(pair, Tuple) and pair.items and len(pair.items) == 2]
    found = join(leaves) if leaves else NONE
    return found if all(isinstance(member, Array) for member in members(found)) else None


def _unflattened(i: Interpreter, leaves: Sequence[tuple[list[str], Value]], place: Place, tag: tuple[str, ...]) -> Value:
    if len(leaves) == 1 and leaves[0][0] in ([], [""]):
        return leaves[0][1]
    children: dict[str, list[tuple[list[str], Value]]] = {}
    for path, value in leaves:
        if path:
            children.setdefault(path[0], []).append((path[1:], value))
    made = {part: _unflattened(i, inner, place, (*tag, part)) for part, inner in children.items()}
    numbers = {int(part): part for part in made if part.isdecimal()}
    if len(numbers) < len(made) or not made or max(numbers) >= MAX_PARTS:
        oid = i.allocate("dict", None, place, ("tree", tag))
        for part, value in made.items():
            put(i, oid, Const(part), value)
        return Ref(oid)
    gaps = (Ref(i.allocate("dict", None, place, ("tree", (*tag, str(n))))) if n not in numbers else NONE for n in range(max(numbers) + 1))
    return new_list(i, Tuple(tuple(made[numbers[n]] if n in numbers else gap for n, gap in enumerate(gaps))), place, ("tree", tag))
