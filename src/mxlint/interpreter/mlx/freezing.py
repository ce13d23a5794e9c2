"""Which modules train: `freeze`, `unfreeze`, and the weights that `nn.value_and_grad` differentiates by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Identity
from mxlint.domain.join import of
from mxlint.domain.members import FALSE, NONE, TRUE, Const, Member, Option, Ref, Symbolic, Tuple, Value, members, options
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import reads, writes
from mxlint.interpreter.compiled.state import FROZEN, with_unfrozen
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx.submodules import reached, set_in_all
from mxlint.interpreter.mlx.weights import parameters
from mxlint.interpreter.open_world import installed, unseen_layers


def freeze(frozen: bool) -> Any:
    """`module.freeze()`, or `unfreeze`."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        """Which of the module's weights are trained is another one from now on."""
        keys = args.keywords.get("keys", NONE)
        names = _names(i, keys)

        def left(module: Ref) -> Value:
            before = with_unfrozen(i.heap.get(module.oid, FROZEN))
            named = _held(i, module) if frozen and keys == NONE else names
            return of(Option(_left(option.member, frozen, keys, named), option.guard) for option in options(before))

        for module in set_in_all(i, args.args[0], FROZEN, left, inner=args.keywords.get("recurse") != FALSE):
            writes.on_write(i, module.oid, FROZEN, Const(frozen), place, frame)
        if not frozen:
            i.heap.set(0, THAWED, i.symbolic(place, "thawed"))
        return args.args[0]

    return run


def _names(i: Interpreter, keys: Value) -> frozenset[Const] | None:
    """The names that `keys=` says; None if it says none, or some that are not known. MLX takes what is no list for one name, also a tuple."""
    if isinstance(keys, Tuple):
        return frozenset()
    if isinstance(keys, Const):
        return frozenset((keys,)) if keys != NONE else None
    content = i.heap.get(keys.oid, ITEMS) if isinstance(keys, Ref) and i.info(keys.oid).kind == "list" else None
    items = content.items if isinstance(content, Tuple) else None
    if items is None or not all(isinstance(item, Const) for item in items):
        return None
    return frozenset(item for item in items if isinstance(item, Const))


def _held(i: Interpreter, module: Ref) -> frozenset[Const] | None:
    """The names of the weights that a module holds: `freeze` freezes these, and not what is put there afterwards. None where others may be there."""
    return None if unseen_layers.is_opaque(i, module) else frozenset(Const(name) for name, _ in parameters(i, module))


def _left(before: Member, frozen: bool, keys: Value, names: frozenset[Const] | None) -> Member:
    """What `freeze` or `unfreeze` leaves of which weights of a module are frozen: whether all are, and the names for which that is not so. Where the names are not
    known, what the last call was given stands for them."""
    known = _known(before) if names is not None else None
    if known is None or names is None:
        return Tuple((Const(frozen), keys))
    whole, others = known
    others = others - names if whole == frozen else others | names
    return Tuple((Const(whole), Tuple(tuple(sorted(others, key=repr))) if others else NONE))


def _known(left: Member) -> tuple[bool, frozenset[Value]] | None:
    """Whether all weights of a module are frozen, and the names for which that is not so; None if that is not known."""
    whole, others = left.items if isinstance(left, Tuple) and left.items is not None else (NONE, NONE)
    names = () if others == NONE else others.items if isinstance(others, Tuple) else None
    return (whole == TRUE, frozenset(names)) if names is not None and whole in (TRUE, FALSE) else None


THAWED: Final = ("#", "thawed")
"""What the last `unfreeze` has left to be trained."""
PART_METHODS: Final = {".freeze": True, ".unfreeze": False}
"""Methods of a part of a model that is not in sight, and whether they freeze it."""


def freeze_part(i: Interpreter, part: Identity, frozen: bool, place: Place, frame: Frame) -> None:
    """A part of a module of which nothing is known trains from now on, or does not: other weights of that are trained."""
    for whole in installed.around(i, part):
        if isinstance(whole, Ref) and unseen_layers.is_opaque(i, whole):
            value = Tuple((Const(frozen), Symbolic(part)))
            i.heap.set(whole.oid, FROZEN, value)
            if not frozen:
                i.heap.set(0, THAWED, i.symbolic(place, "thawed"))
            writes.on_write(i, whole.oid, FROZEN, value, place, frame)


def _trains(i: Interpreter, module: Ref, name: str) -> bool:
    """Whether the weight of a layer under a name is trained: it is not surely frozen."""
    known = map(_known, members(with_unfrozen(i.heap.get(module.oid, FROZEN))))
    return any(left is None or left[0] == (Const(name) in left[1]) for left in known)


def trained_parameters(i: Interpreter, module: Ref) -> Iterator[tuple[str, Value]]:
    """The weights that a layer itself holds and that are not frozen, with their names."""
    return ((name, value) for name, value in parameters(i, module) if _trains(i, module, name))


def trained(i: Interpreter, model: Value) -> list[Value]:
    """The weights of a module that are not frozen."""
    return [value for module in reached(i, model, parameters=True) for _, value in trained_parameters(i, module)]


def frozen(i: Interpreter, model: Value) -> set[int]:
    """The arrays of a module that are frozen, wherever they lie in it."""
    every = (value for module in reached(i, model, parameters=True) for _, value in parameters(i, module))
    return {array.ident for array in arrays_in(i, *every)} - {array.ident for array in arrays_in(i, *trained(i, model))}


def differentiated(i: Interpreter, model: Value, place: Place, frame: Frame) -> None:
    """`nn.value_and_grad` of a module: it looks for the weights that are not frozen, and puts them into the module anew."""
    for module in reached(i, model, parameters=True):
        own = list(parameters(i, module))
        if not own:
            continue
        reads.on_read(i, module.oid, FROZEN, with_unfrozen(i.heap.get(module.oid, FROZEN)), place, frame)
        for field, value in trained_parameters(i, module) if i.trace is not None else ():
            if any(isinstance(member, Array) and i.trace is not None and i.trace.holds(member.trace) for member in members(value)):
                writes.on_write(i, module.oid, field, value, place, frame, "differentiate")
