"""Methods that walk the modules of a module: `named_modules`, `leaf_modules`, `update_modules`, `apply_to_modules`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import NONE, Const, Kind, Ref, Symbolic, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.state import held
from mxlint.interpreter.containers.builders import new_list, put
from mxlint.interpreter.containers.item_assignment import set_item
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS, TREE
from mxlint.interpreter.mlx.kinds import kind
from mxlint.interpreter.mlx.submodules import submodules
from mxlint.interpreter.mlx.trees import entries
from mxlint.interpreter.open_world import installed, opaque, unseen_layers

UNNAMED: Final = Kind("str", "open")
"""The name of a module in a list of unknown length."""


def named(i: Interpreter, value: Value, name: str | None = "", seen: set[int] | None = None) -> Iterator[tuple[Value, Ref]]:
    """A module and all modules that it holds, each once and with its name."""
    seen = set() if seen is None else seen
    for member in members(value):
        if isinstance(member, Tuple):
            for number, item in enumerate(member.items or ()):
                yield from named(i, item, _below(name, str(number)), seen)
            if member.items is None and member.element is not None:
                yield from named(i, member.element, None, seen)
        elif isinstance(member, Ref) and member.oid not in seen:
            seen.add(member.oid)
            if kind(i, member) == "module":
                yield Const(name) if name is not None else UNNAMED, member
            content = i.heap.get(member.oid, ITEMS) if i.info(member.oid).kind == "list" else None
            if content is not None:
                yield from named(i, content, name, seen)
            elif kind(i, member) == "module" or i.info(member.oid).kind == "dict":
                for key, inner in entries(i, member):
                    yield from named(i, inner, _below(name, str(key.value) if isinstance(key, Const) else None), seen)


def _below(name: str | None, part: str | None) -> str | None:
    return None if name is None or part is None else f"{name}.{part}" if name else part


def _modules(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`module.modules()`."""
    return new_list(i, _with_others(i, [(module, module) for _, module in named(i, args.args[0])], lambda layer: layer, place), place)


def _named_modules(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`module.named_modules()`."""
    found = [(Tuple(pair), pair[1]) for pair in named(i, args.args[0])]
    return new_list(i, _with_others(i, found, lambda layer: Tuple((UNNAMED, layer)), place), place)


def _with_others(i: Interpreter, found: Sequence[tuple[Value, Ref]], item: Callable[[Value], Value], place: Place) -> Tuple:
    """What is listed of modules, with what is listed of the layers of those of which nothing is known."""
    others = [item(opaque.layer(i, module, place)) for _, module in found if unseen_layers.is_opaque(i, module)]
    listed = tuple(value for value, _ in found)
    return Tuple(None, join((*listed, *others)), least=len(listed), given="part") if others else Tuple(listed)


def _apply_to_modules(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`module.apply_to_modules(function)`: call it with each name and module."""
    for number, (name, module) in enumerate(list(named(i, args.args[0]))):
        with i.within((place, number)):
            i.call(args.get(1, "apply_fn") or NONE, Arguments((name, module), places=(place, place)), place, frame)
    return args.args[0]


def _tree(is_leaf: Callable[[Interpreter, Ref], bool]) -> Handler:
    """The modules of a module as a tree of dicts and lists, down to those that are leaves."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        done: dict[int, Ref] = {}

        def of(value: Value, tag: object, top: bool = False) -> Value | None:
            for member in members(value):
                if isinstance(member, Ref) and kind(i, member) == "module" and not top and is_leaf(i, member):
                    return member
                if isinstance(member, Ref) and member.oid in done:
                    return done[member.oid]
                content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) and i.info(member.oid).kind == "list" else None
                if isinstance(content, Tuple) and isinstance(member, Ref):
                    made = done[member.oid] = new_list(i, Tuple(()), place, ("modules", tag))
                    inner = [of(item, (tag, number)) or empty((tag, number)) for number, item in enumerate(content.items or ())]
                    element = of(content.element, (tag, None)) if content.items is None and content.element is not None else None
                    i.heap.set(made.oid, ITEMS, Tuple(tuple(inner)) if content.items is not None else Tuple(None, element))
                    return made
                if isinstance(member, Ref) and (kind(i, member) == "module" or i.info(member.oid).kind == "dict"):
                    made = done[member.oid] = empty(tag)
                    for key, held_ in entries(i, member):
                        found = of(held_, (tag, key))
                        if found is not None:
                            put(i, made.oid, key, found)
                    if unseen_layers.is_opaque(i, member):
                        put(i, made.oid, UNNAMED, opaque.layer(i, member, place))
                        i.heap.set(made.oid, TREE, Tuple((Const("modules"), member)))
                    return made
            return None

        def empty(tag: object) -> Ref:
            return Ref(i.allocate("dict", None, place, ("modules", tag)))

        return of(args.args[0], 0, top=True) or empty(0)

    return run


def _has_none(i: Interpreter, module: Ref) -> bool:
    """Whether a module holds no other."""
    return len(list(submodules(i, module))) == 1


def _update_modules(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`module.update_modules(tree)`: the modules of the tree in the place of those of the module."""
    tree = args.get(1, "modules") or NONE
    for owner in members(args.args[0]):
        if isinstance(owner, Ref) and unseen_layers.is_opaque(i, owner):
            installed.put(i, owner, tree, place)
    _swap(i, args.args[0], tree, place, frame)
    return args.args[0]


def _swap(i: Interpreter, owner: Value, tree: Value, place: Place, frame: Frame) -> None:
    for holder in members(owner):
        if isinstance(holder, Ref) and not _is_empty(i, tree):
            opaque.changed(i, holder, place, frame)
        for part in members(tree):
            if not isinstance(holder, Ref):
                continue
            if isinstance(part, Symbolic) and unseen_layers.is_opaque(i, holder):
                continue  # its layers are not in sight before, either
            if not isinstance(part, Ref):
                i.unsure("modules of a tree that was not followed", place)
            elif i.info(part.oid).kind == "dict":
                for key, value in entries(i, part):
                    _swap_one(i, holder, key, value, place, frame)
            else:
                content = i.heap.get(part.oid, ITEMS)
                for number, value in enumerate(content.items or () if isinstance(content, Tuple) else ()):
                    _swap_one(i, holder, Const(number), value, place, frame)


def _is_empty(i: Interpreter, tree: Value) -> bool:
    """Whether a tree is a dict that certainly holds nothing."""
    return (
        isinstance(tree, Ref)
        and i.info(tree.oid).kind == "dict"
        and i.heap.get(tree.oid, ("#", "rest")) is None
        and not any(entries(i, tree))
    )


def _swap_one(i: Interpreter, holder: Ref, key: Value, value: Value, place: Place, frame: Frame) -> None:
    name = key.value if isinstance(key, Const) else None
    of_module = kind(i, holder) == "module"
    field = name if of_module else ("item", name) if i.info(holder.oid).kind == "list" else ("k", key)
    present = held(i, holder.oid, field)
    if present is None:
        return
    new = all(isinstance(member, Ref) and kind(i, member) == "module" for member in members(value))
    if new and of_module:
        i.set_attribute(holder, str(name), value, place, frame)
    elif new:
        set_item(i, holder, key, value, place, frame)
    else:
        _swap(i, present, value, place, frame)


METHODS: Final[dict[str, Handler]] = {
    "modules": _modules,
    "named_modules": _named_modules,
    "apply_to_modules": _apply_to_modules,
    "children": _tree(lambda i, module: True),
    "leaf_modules": _tree(_has_none),
    "update_modules": _update_modules,
}
"""Of `nn.Module`, by name."""
