"""Which modules train: `freeze`, `unfreeze`, and the weights that `nn.value_and_grad` differentiates by."""

from __future__ import annotations

from typing import Any, Final

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Identity
from mxlint.domain.members import NONE, TRUE, Const, Ref, Symbolic, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import reads, writes
from mxlint.interpreter.compiled.state import FROZEN, with_unfrozen
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx.submodules import reached, set_in_all
from mxlint.interpreter.mlx.weights import parameters
from mxlint.interpreter.open_world import installed, unseen_layers


def freeze(frozen: bool) -> Any:
    """`module.freeze()`, or `unfreeze`."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        """Which of the module's weights are trained is another one from now on."""
        keys = args.keywords.get("keys", NONE)
        for module in set_in_all(i, args.args[0], FROZEN, Tuple((Const(frozen), keys))):
            writes.on_write(i, module.oid, FROZEN, Const(frozen), place, frame)
        if not frozen:
            i.heap.set(0, THAWED, i.symbolic(place, "thawed"))
        return args.args[0]

    return run


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


def trains(i: Interpreter, module: Ref) -> bool:
    """Whether the weights of a layer are trained: it is not frozen as a whole."""
    return i.heap.get(module.oid, FROZEN) != Tuple((TRUE, NONE))


def trained(i: Interpreter, model: Value) -> list[Value]:
    """The weights of a module that are not frozen."""
    return [value for module in reached(i, model, parameters=True) if trains(i, module) for _, value in parameters(i, module)]


def frozen(i: Interpreter, model: Value) -> set[int]:
    """The arrays of a module that are frozen, wherever they lie in it."""
    still = (value for module in reached(i, model, parameters=True) if not trains(i, module) for _, value in parameters(i, module))
    return {array.ident for array in arrays_in(i, *still)} - {array.ident for array in arrays_in(i, *trained(i, model))}


def differentiated(i: Interpreter, model: Value, place: Place, frame: Frame) -> None:
    """`nn.value_and_grad` of a module: it looks for the weights that are not frozen, and puts them into the module anew."""
    for module in reached(i, model, parameters=True):
        own = list(parameters(i, module))
        if not own:
            continue
        reads.on_read(i, module.oid, FROZEN, with_unfrozen(i.heap.get(module.oid, FROZEN)), place, frame)
        for field, value in own if i.trace is not None and trains(i, module) else ():
            if any(isinstance(member, Array) and i.trace is not None and i.trace.holds(member.trace) for member in members(value)):
                writes.on_write(i, module.oid, field, value, place, frame, "differentiate")
