"""Optimizers of MLX: what an update writes and reads, and the state that it makes.

`optimizer.update(model, gradients)` puts new arrays in the place of the weights, counts the step, and makes the moments at its first call.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final

from mxlint.domain.arrays import Array, Operands
from mxlint.domain.members import NONE, TRUE, UNBOUND, Bound, Const, External, Kind, Member, Ref, Symbolic, Union, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import reads, writes
from mxlint.interpreter.compiled.recipes import MadeFunctions
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.builders import copy_dict, put_any
from mxlint.interpreter.libraries import replaced
from mxlint.interpreter.loops import contents
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import LAZY, OPERANDS, REST
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.machine.writing import count_write
from mxlint.interpreter.mlx import handing_on, unseen
from mxlint.interpreter.mlx.freezing import THAWED, trained_parameters
from mxlint.interpreter.mlx.gradients import like
from mxlint.interpreter.mlx.kinds import CLASS, base_of
from mxlint.interpreter.mlx.submodules import reached, submodules
from mxlint.interpreter.mlx.weights import parameters, renewed, same_shape_and_dtype
from mxlint.interpreter.objects.lookup import class_attribute
from mxlint.models.mlx.table import Entry

ONE: Final = ("#", "state of one")
"""What an optimizer of the program keeps for one of its weights."""


class Updated:
    """Where an optimizer made a weight, by the number of the array."""

    __slots__ = ("places",)

    def __init__(self) -> None:
        self.places: dict[int, Place] = {}


class GivenAt:
    """Where the arguments of a layer or optimizer were given, by their names."""

    __slots__ = ("places",)

    def __init__(self) -> None:
        self.places: dict[int, dict[str, Place]] = {}


def optimizer_update(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`optimizer.update(model, gradients)`: new weights and new state."""
    optimizer = args.args[0]
    model = args.args[1] if len(args.args) > 1 else NONE
    asked = tuple(handing_on.innermost(i, optimizer, place, frame))
    computing = [one for one in asked if not _applies_by_itself(i, one, model, args, place, frame)]
    if asked == (optimizer,) and not computing:
        return NONE
    for one in computing:
        _compute_single(i, one, model, args, place, frame)
    given = list(arrays_in(i, args.args[2])) if len(args.args) > 2 else []
    if i.trace is not None:
        i.trace.computes_with(i, (array.ident for array in given))
    trace = next((a.trace for a in given if a.trace is not None and (i.trace is None or i.trace.holds(a.trace))), None)
    updated: list[int] = []
    for module in reached(i, model, parameters=True):
        for field, value in trained_parameters(i, module):
            if isinstance(value, Union) and any(
                isinstance(m, Array) and i.ledger.of(Updated).places.get(m.ident) == place for m in members(value)
            ):
                # It may be what an earlier round put there: another one after each round says nothing more.
                reads.on_read(i, module.oid, field, value, place, frame)
                writes.on_write(i, module.oid, field, value, place, frame, "weights")
                continue
            ident = i.ident(place, ("updated", module.oid, field))
            i.ledger.of(Updated).places[ident] = place
            new = renewed(value, partial(same_shape_and_dtype, ident, trace))
            reads.on_read(i, module.oid, field, value, place, frame)
            i.heap.set(module.oid, field, new)
            writes.on_write(i, module.oid, field, new, place, frame, "weights")
            updated.append(ident)
    for one in computing:
        i.split(i.heap.get(one.oid, ("#", "state")) or NONE, partial(_update_state, i, one, trace, updated, place, frame))
    for part, how in ((model, "weights"), (optimizer, "moments")):
        for member in members(part):
            if isinstance(member, Symbolic):
                unseen.updated(i, member, how, place, frame)
    return NONE


def _applies_by_itself(i: Interpreter, optimizer: Ref, model: Value, args: Arguments, place: Place, frame: Frame) -> bool:
    """Whether the program has a method of its own by which an optimizer applies gradients: it is called."""
    own = None if i.modes.applying else _own_method(i, optimizer, "apply_gradients", place, frame)
    if own is None or len(args.args) < 3:
        return False
    i.modes.applying = True
    try:
        i.call(own, Arguments((args.args[2], model), places=(place, place)), place, frame)
    finally:
        i.modes.applying = False
    return True


def _compute_single(i: Interpreter, optimizer: Ref, model: Value, args: Arguments, place: Place, frame: Frame) -> None:
    """Call the method of the program by which an optimizer computes one weight, if it has one."""
    single = _own_method(i, optimizer, "apply_single", place, frame)
    if single is None:
        return
    gradient = next((a for value in args.args[2:] for a in arrays_in(i, value)), Array(i.ident(place, "gradient"), None, None, None))
    weight = next((v for m in submodules(i, model, parameters=True) for _, v in parameters(i, m)), gradient)
    state = _state_of_one(i, optimizer, weight, place, frame)
    i.call(single, Arguments((gradient, weight, state), places=(place,) * 3), place, frame)
    _keep_state(i, optimizer, state, place)


def _state_of_one(i: Interpreter, optimizer: Ref, weight: Value, place: Place, frame: Frame) -> Ref:
    """What `apply_single` of the program is given as the state of one weight: what `init_single` or the last update has put there, the arrays as they are by now."""
    state = Ref(i.allocate("dict", None, place, "state"))
    before = i.heap.get(optimizer.oid, ONE)
    if not isinstance(before, Ref):
        init = _own_method(i, optimizer, "init_single", place, frame)
        if init is not None:
            i.call(init, Arguments((weight, state), places=(place,) * 2), place, frame)
        return state
    copy_dict(i, before.oid, state.oid)
    trace = i.trace.number if i.trace is not None else None
    for field, value in list(i.heap.fields(state.oid).items()):
        if any(isinstance(member, Array) for member in members(value)):
            i.heap.set(state.oid, field, renewed(value, partial(same_shape_and_dtype, i.ident(place, ("of one", field)), trace)))
    return state


def _keep_state(i: Interpreter, optimizer: Ref, state: Ref, place: Place) -> None:
    """Keep what lies in the state of one weight for later updates, in a copy that nobody changes. What a trace puts there is no array that anybody may use."""
    if i.trace is None:
        kept = i.allocate("dict", None, place, "kept state")
        copy_dict(i, state.oid, kept)
        i.heap.set(optimizer.oid, ONE, Ref(kept))


def _update_state(
    i: Interpreter, optimizer: Ref, trace: int | None, updated: Collection[int], place: Place, frame: Frame, state: Member
) -> Value:
    """An update computes the state of an optimizer anew, as far as it is known."""
    if not isinstance(state, Ref):
        captured = isinstance(state, Symbolic) and i.trace is not None and state.identity in i.trace.captures.symbolic_out
        if i.trace is not None and not captured:
            i.imprecise("the state of an optimizer, which is loaded and not captured", place)
        return NONE
    if i.trace is not None and optimizer.oid in i.trace.reached:
        i.trace.reached.setdefault(state.oid, f"{i.trace.reached[optimizer.oid]}.state")
    reads.on_read(i, optimizer.oid, ("#", "state"), state, place, frame)
    cls = i.heap.get(optimizer.oid, CLASS)
    base = base_of(i, cls) if cls is not None else None
    entry = i.table.entry(base) if base is not None else None
    for setting in entry.settings or () if entry is not None else ():
        held = i.heap.get(optimizer.oid, setting)
        if held is not None:
            reads.on_read(i, optimizer.oid, setting, held, place, frame, name=setting)
            for part in members(held):
                aspects.contents(i, part, place, frame)
    rate = i.heap.get(state.oid, ("k", Const("learning_rate")))
    if rate is not None:
        reads.on_read(i, state.oid, ("k", Const("learning_rate")), rate, place, frame, name="learning_rate")
    _schedule(i, optimizer, state, place, frame)
    for name in (*(entry.state or () if entry is not None else ("moments",)), "step"):
        _update_leaf(i, optimizer, state, name, trace, place, frame)
    if entry is not None:
        for setting, names in (entry.state_when or {}).items():
            _update_set(i, optimizer, state, setting, (entry.settings or {}).get(setting), names, trace, place, frame)
        _make_idle(i, state, entry, place)
    _by_parameter(i, state, place)
    if i.trace is None:
        _leave_to_compute(i, updated, state)
    return NONE


def _leave_to_compute(i: Interpreter, updated: Collection[int], state: Ref) -> None:
    """New weights are computed from the state of the optimizer, once somebody asks for them. `updated`: their numbers."""
    kept = Operands(tuple(array.ident for array in arrays_in(i, state)))
    for ident in updated:
        i.heap.set(ident, LAZY, TRUE)
        i.heap.set(ident, OPERANDS, kept)


def optimizer_init(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`optimizer.init(parameters)`: what an update computes anew is there before the first one."""
    for member in handing_on.innermost(i, args.args[0], place, frame):
        state = i.heap.get(member.oid, ("#", "state"))
        if not isinstance(state, Ref):
            continue
        _for_thawed(i, state, place)
        weight = next((a for value in args.args[1:] for a in arrays_in(i, value)), Array(i.ident(place, "weight"), None, None, None))
        if i.heap.get(member.oid, ONE) is None and _own_method(i, member, "apply_single", place, frame) is not None:
            _keep_state(i, member, _state_of_one(i, member, weight, place, frame), place)
        cls = i.heap.get(member.oid, CLASS)
        base = base_of(i, cls) if cls is not None else None
        entry = i.table.entry(base) if base is not None else None
        if entry is None:
            continue
        names = set(entry.state or ())
        for setting, more in (entry.state_when or {}).items():
            if i.heap.get(member.oid, setting) not in (None, Const((entry.settings or {}).get(setting))):
                names.update(more)
        for name in sorted(names):
            if i.heap.get(state.oid, ("k", Const(name))) is None:
                _update_leaf(i, member, state, name, None, place, frame)
        _make_idle(i, state, entry, place)
        _by_parameter(i, state, place)
    return NONE


def _for_thawed(i: Interpreter, state: Ref, place: Place) -> None:
    """What trains since the last `unfreeze` has a place of its own in the state from now on."""
    thawed = i.heap.get(0, THAWED)
    if thawed is not None:
        i.heap.set(state.oid, (*THAWED, place), thawed)


def _by_parameter(i: Interpreter, state: Ref, place: Place) -> None:
    """What an optimizer keeps for a parameter lies in a tree under its name: one does not know which trees there are."""
    if i.heap.get(state.oid, REST) is None:
        put_any(i, state.oid, Kind("str", "open"), i.symbolic(place, "moments"))


def _make_idle(i: Interpreter, state: Ref, entry: Entry, place: Place) -> None:
    """An optimizer keeps something for each parameter from its first update on, also where no update changes it with the settings that it has."""
    for name in () if entry.state else sorted({name for names in (entry.state_when or {}).values() for name in names}):
        leaf = ("k", Const(name))
        if i.heap.get(state.oid, leaf) is None:
            i.heap.set(state.oid, leaf, Array(i.ident(place, ("idle", state.oid, name)), None, None, None))
            count_write(i, state.oid, leaf, place)


def _update_leaf(i: Interpreter, optimizer: Ref, state: Ref, name: str, trace: int | None, place: Place, frame: Frame) -> None:
    """An update computes one part of an optimizer's state anew."""
    present = i.heap.get(state.oid, ("k", Const(name)))
    if name != "step" or _counts_steps(i, optimizer):
        if present is not None:
            reads.on_read(i, state.oid, ("k", Const(name)), present, place, frame)
        else:  # it makes what is not there
            reads.read_through(i, state.oid, ("k", Const(name)), UNBOUND, place, frame)
    counted = next((m.trace for m in members(present) if isinstance(m, Array)), None) if present is not None else None
    new = Array(i.ident(place, ("state", state.oid, name)), counted if name == "step" else trace, None, None)
    i.heap.set(state.oid, ("k", Const(name)), new)
    if name == "step" and i.trace is None:
        contents.made(i, new.ident, (), place, "counter")
    writes.on_write(i, state.oid, ("k", Const(name)), new, place, frame, "step" if name == "step" else "moments")


def _update_set(
    i: Interpreter,
    optimizer: Ref,
    state: Ref,
    setting: str,
    default: object,
    names: Collection[str],
    trace: int | None,
    place: Place,
    frame: Frame,
) -> None:
    """An update computes those parts of an optimizer's state that it has only where a setting is not left as it is by default."""
    held = i.heap.get(optimizer.oid, setting)
    if held is None:
        return

    def update() -> Value:
        for name in names:
            _update_leaf(i, optimizer, state, name, trace, place, frame)
        return NONE

    if isinstance(held, Const):
        if held.value != default:
            update()
    else:
        given = i.ledger.of(GivenAt).places.get(optimizer.oid, {}).get(setting, place)
        i.choose(i.truth(held, given, frame), given, update, lambda: NONE)


def _schedule(i: Interpreter, optimizer: Ref, state: Ref, place: Place, frame: Frame) -> None:
    """Call a schedule with the number of the step, which is an array of the state; the state keeps what it gives."""
    rate = i.heap.get(optimizer.oid, ("made with", "learning_rate"))
    step = i.heap.get(state.oid, ("k", Const("step")))
    if rate is None or step is None:
        return
    for member in members(rate):
        if (
            isinstance(member, Bound)
            or isinstance(member, Ref)
            and i.info(member.oid).kind in ("function", "instance", "partial")
            or made_by_mlx(i, member)
        ):
            made = i.call(member, Arguments((step,), places=(place,)), place, frame)
            i.heap.set(state.oid, ("k", Const("learning_rate")), made)
            if i.trace is None:
                writes.on_write(i, state.oid, ("k", Const("learning_rate")), made, place, frame, "schedule")


def _own_method(i: Interpreter, optimizer: Ref, name: str, place: Place, frame: Frame) -> Value | None:
    """A method that a class of the program gives its optimizers, or that the program has put in place of that of MLX, bound."""
    cls = i.heap.get(optimizer.oid, CLASS)
    method = class_attribute(i, cls, name) if cls is not None and not isinstance(cls, Union) else None
    if isinstance(method, Ref):
        return Bound(optimizer, method)
    base = base_of(i, cls) if cls is not None else None
    if base is not None:
        replaced.asked(i, base, name, place, frame)
    return None


def _counts_steps(i: Interpreter, optimizer: Ref) -> bool:
    """Whether an update computes with the number of the step: a schedule, or the correction of a bias."""
    rate = i.heap.get(optimizer.oid, ("made with", "learning_rate"))
    schedule = rate is not None and any(isinstance(member, (Ref, Bound, External)) or made_by_mlx(i, member) for member in members(rate))
    return schedule or i.heap.get(optimizer.oid, "bias_correction") == TRUE


def made_by_mlx(i: Interpreter, member: Member) -> bool:
    """Whether something is a function that MLX has made, such as a schedule."""
    return isinstance(member, Symbolic) and member.identity in i.ledger.of(MadeFunctions).by


def apply_gradients(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`optimizer.apply_gradients(gradients, parameters)`: the new parameters, and new state."""
    optimizer_update(i, Arguments((args.args[0], NONE, *args.args[1:2]), places=args.places), place, frame)
    if len(args.args) < 3:
        return i.symbolic(place, "parameters")
    for part in members(args.args[2]):
        aspects.contents(i, part, place, frame)
    return like(i, args.args[2], args.args[1:2], place)
