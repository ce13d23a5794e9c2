"""Modules and layers of MLX: what a constructor makes, what a call reads, and what the inherited methods do.

`nn.Linear(4, 8)` holds `weight` and `bias`, and a call of it in a trace reads them. `model.update(tree)` writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from mxlint.domain.arrays import Array, Operands
from mxlint.domain.join import join
from mxlint.domain.members import FALSE, NONE, TRUE, Bound, Const, External, Member, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import reads, recipes, sinks, writes
from mxlint.interpreter.compiled.state import FROZEN, held
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.libraries import replaced
from mxlint.interpreter.libraries.written import written_member
from mxlint.interpreter.loops import contents
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS, LAZY, OPERANDS, REST, REST_KEY, TREE, UNSIZED
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx import backward, broadcasts, computing, descriptions, handing_on, last_axes, shapeless, walks
from mxlint.interpreter.mlx.freezing import freeze, frozen
from mxlint.interpreter.mlx.kinds import CLASS, MODULE, base_of, kind
from mxlint.interpreter.mlx.optimizers import GivenAt, apply_gradients, optimizer_init, optimizer_update
from mxlint.interpreter.mlx.submodules import reached, set_in_all, submodules
from mxlint.interpreter.mlx.trees import entries, tree_map, under_other_keys
from mxlint.interpreter.mlx.weights import converted, is_array, is_parameter, parameters, renewed, same_shape_and_dtype, weights
from mxlint.interpreter.open_world import bounded, defaults, installed, opaque, unseen_layers
from mxlint.interpreter.open_world.interfaces import put_there
from mxlint.interpreter.open_world.results import SEVERAL, OutOfSight
from mxlint.models import written
from mxlint.models.mlx.arguments import ArrayType
from mxlint.models.mlx.layers import Layer, Repeated, layer_model
from mxlint.models.mlx.names import MODULE_METHODS, OPTIMIZER_METHODS, is_module_class
from mxlint.models.mlx.refusals import refusal_of_layer, unmade
from mxlint.models.mlx.traits import holds_optimizers


def call(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value | None:
    """A call of a layer's or optimizer's class, or of a method that they inherit; None for anything else."""
    cls, _, last = name.rpartition(".")
    if is_module_class(name) or name.startswith("mlx.optimizers.") and last[:1].isupper():
        return _construct(i, name, args, place, frame)
    if last == "__init__" and args.args and (is_module_class(cls) or cls.startswith("mlx.optimizers.")):
        for owner in members(args.args[0]):
            if isinstance(owner, Ref):
                _initialise(
                    i,
                    owner,
                    cls,
                    Arguments(args.args[1:], args.keywords, args.star, args.kwstar, args.places[1:], args.keyword_places),
                    place,
                    frame,
                )
        return NONE
    if is_module_class(cls) and (last == "__call__" or layer_model().computes(cls, last)):
        return _call_layer(i, cls, last, args, place, frame)
    if is_module_class(cls) and last in written.names(MODULE):
        return i.call(written_member(i, f"{MODULE}.{last}", frame) or NONE, args, place, frame)
    if args.args and (is_module_class(cls) and last in MODULE_METHODS or cls.startswith("mlx.optimizers.") and last in OPTIMIZER_METHODS):
        handler = _METHODS.get(("optimizer." if cls.startswith("mlx.optimizers.") else "module.") + last)
        return handler(i, args, place, frame) if handler is not None else i.symbolic(place, name)
    return None


def _construct(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("instance", None, place, label=name.rpartition(".")[2])
    i.heap.set(oid, CLASS, External(name))
    put = replaced.held(i, name, "__init__")
    if put is not None:
        i.call(put[1], args.bound(Ref(oid)), place, frame)
    else:
        _initialise(i, Ref(oid), name, args, place, frame)
    return Ref(oid)


def _initialise(i: Interpreter, owner: Ref, name: str, args: Arguments, place: Place, frame: Frame) -> None:
    entry = i.table.entry(name)
    parameters = entry.params or () if entry is not None else ()
    given: dict[str, Value] = dict(zip(parameters, args.args))
    given.update(args.keywords)
    for key, value in given.items():
        i.heap.set(owner.oid, ("made with", key), value)
    i.ledger.of(GivenAt).places[owner.oid] = {**dict(zip(parameters, args.places)), **args.keyword_places}
    if entry is not None and entry.kind == "optimizer" or name.startswith("mlx.optimizers."):
        state = i.allocate("dict", None, place, ("state", owner.oid))
        i.heap.set(owner.oid, ("#", "state"), Ref(state))
        i.heap.set(state, ("k", Const("step")), Array(i.ident(place, ("step", owner.oid)), None, (), "uint64"))
        rate = given.get("learning_rate", i.symbolic(place, "learning rate"))
        i.heap.set(state, ("k", Const("learning_rate")), Array(i.ident(place, ("rate", owner.oid)), None, (), "float32"))
        i.heap.set(owner.oid, ("made with", "learning_rate"), rate)
        for setting, default in (entry.settings or {}).items() if entry is not None else ():
            if setting not in given:
                several = Tuple(tuple(map(Const, default))) if isinstance(default, list) else None
                held: Value = Const(default) if several is None else new_list(i, several, place, (setting, owner.oid))
            else:
                held = given[setting]
            i.heap.set(owner.oid, setting, held)
        others = holds_optimizers(name)
        if others is not None and others[0] in given:
            i.heap.set(owner.oid, others[0], given[others[0]])
        return
    i.heap.set(owner.oid, "training", TRUE)
    if unseen_layers.is_bare(i, owner):
        unseen_layers.add_to(i, owner, place)
    layer = layer_model().construct(
        name,
        [descriptions.describe(i, value) for value in args.args],
        {key: descriptions.describe(i, value) for key, value in args.keywords.items()},
    )
    if layer is not None:
        _hold(i, owner, layer, place)
    elif args.star is not None or args.kwstar is not None:  # nobody says what its constructor is given
        for attribute_name, described in layer_model().always(name).items():
            _hold_weight(i, owner, attribute_name, described, place)
    if name == SEQUENTIAL:
        items = Tuple(args.args) if args.star is None else Tuple(None, join((*args.args, args.star)))
        i.heap.set(owner.oid, "layers", new_list(i, items, place, "layers"))


SEQUENTIAL: Final = "mlx.nn.Sequential"

DRAWN: Final = ("#", "drawn")
"""Of a weight that a trace drew: where it made the layer."""
LAYER: Final = ("#", "layer")
"""The field that holds the description of a layer of mlx.nn."""


def _hold(i: Interpreter, owner: Ref, layer: Layer, place: Place) -> None:
    """Put the weights and sublayers of a layer into its object."""
    i.heap.set(owner.oid, LAYER, Const(layer))
    drawn = layer_model().drawn(layer.name)
    mark = (UNSIZED, Const(layer.name.replace("mlx.", ""))) if i.trace is None else (DRAWN, Const(place)) if sinks.draws(i) else None
    for attribute_name, described in layer.weights.items():
        if described is None:
            i.heap.set(owner.oid, attribute_name, NONE)
            continue
        ident = _hold_weight(i, owner, attribute_name, described, place)
        if attribute_name not in drawn:
            recipes.keep_weight(i, ident, layer.name, attribute_name, layer.names)
        elif mark is not None:
            i.heap.set(ident, *mark)
    for attribute_name, part in layer.sublayers.items():
        made = _sublayer(i, part, place, (owner.oid, attribute_name))
        if made is not None:
            i.heap.set(owner.oid, attribute_name, made)


def _hold_weight(i: Interpreter, owner: Ref, name: str, described: ArrayType, place: Place) -> int:
    """Put a weight that nothing has computed yet into a layer; its number."""
    ident = i.ident(place, ("weight", owner.oid, name))
    i.heap.set(ident, LAZY, TRUE)
    i.heap.set(owner.oid, name, Array(ident, None, described.shape, described.dtype))
    return ident


def _sublayer(i: Interpreter, part: Any, place: Place, tag: object) -> Value | None:
    if isinstance(part, Layer):
        oid = i.allocate("instance", None, place, ("sublayer", tag), label=part.name.rpartition(".")[2])
        i.heap.set(oid, CLASS, External(part.name))
        i.heap.set(oid, "training", TRUE)
        for key, value in part.names.items():
            if isinstance(value, (bool, int, float, str)):
                i.heap.set(oid, ("made with", key), Const(value))
        _hold(i, Ref(oid), part, place)
        return Ref(oid)
    if isinstance(part, Repeated):
        one = _sublayer(i, part.layer, place, (tag, "each"))
        return new_list(i, Tuple(None, one), place, (tag, "list"))
    if isinstance(part, (list, tuple)):
        found = [_sublayer(i, item, place, (tag, n)) for n, item in enumerate(part)]
        return new_list(i, Tuple(tuple(item for item in found if item is not None)), place, (tag, "list"))
    return None


def _call_layer(i: Interpreter, cls: str, method: str, args: Arguments, place: Place, frame: Frame) -> Value | None:
    """What a method of a layer computes with its weights, `__call__` or another."""
    owner = args.args[0]
    rest = Arguments(args.args[1:], args.keywords, args.star, args.kwstar, args.places[1:], args.keyword_places, args.node)
    if not isinstance(owner, Ref):
        return None
    if cls == SEQUENTIAL:
        return i.call(written_member(i, f"{SEQUENTIAL}.{method}", frame) or NONE, args, place, frame)
    if cls == MODULE:
        held = i.heap.get(owner.oid, unseen_layers.WEIGHTS)
        if held is None:
            return None
        reads.on_read(i, owner.oid, unseen_layers.WEIGHTS, held, place, frame)
        if i.trace is not None:
            i.trace.operations += SEVERAL - 1  # one comes with what it gives
            bounded.called(i, owner, place, frame)
            put_there(i, owner, rest, place, frame)
        i.ledger.of(OutOfSight).taken.add(place)
        return computing.results(i, None, cls, (*rest.args, held), rest.keywords, place)
    entry = i.table.entry(cls)
    training = i.heap.get(owner.oid, "training")
    if entry is not None and (entry.stateful or _may_draw(i, owner, entry)) and training is not None and not _without_rate(i, owner, entry):
        reads.on_read(i, owner.oid, "training", training, place, frame)
    if entry is not None and entry.random and rest.args and _rests(i, owner, entry):
        return rest.args[0]
    description = i.heap.get(owner.oid, LAYER)
    parts: list[Value] = []
    named: list[tuple[str, Value]] = []
    for module in submodules(i, owner):
        _inner(i, owner, module, place, frame)
        for field, value in weights(i, module):
            reads.on_read(i, module.oid, field, value, place, frame)
            parts.append(value)
            named.append((field if module == owner and isinstance(field, str) else "", value))
    drawn = [i.heap.get(part.ident, DRAWN) for part in parts if isinstance(part, Array)] if i.trace is not None else []
    for birth in dict.fromkeys(each.value for each in drawn if isinstance(each, Const) and isinstance(each.value, Place)):
        sinks.event(i, "draw", birth, "a layer that is made in the trace", frame)
    done = cls if method == "__call__" else f"{cls}.{method}"
    bare = i.heap.get(owner.oid, ("made with", "bias")) == Const(False) and i.table.has(f"{done}[bias=False]")
    measured = form = f"{done}[bias=False]" if bare else done
    if isinstance(description, Const) and isinstance(description.value, Layer):
        form = layer_model().does(description.value) or form
    operand = next((m for value in rest.args for m in members(value) if isinstance(m, Array)), None)
    broadcasts.taken(i, rest.args)
    shapeless.operation(i, form, operand, place, done.replace("mlx.", ""), frame, (*rest.args, *parts))
    if i.trace is not None:
        i.trace.operations += 1
        i.trace.computes(i, done, place, (*rest.args, *parts))
    if entry is not None and sinks.draws(i) and _may_draw(i, owner, entry) and _draws(i, owner, entry):
        sinks.event(i, "draw", place, f"{cls.removeprefix('mlx.')}()", frame)
    if entry is not None and (entry.random or entry.stateful) and training == TRUE:
        _running(i, owner, entry.stateful or (), rest.args, place, frame)
    found: Any = None
    if isinstance(description, Const) and isinstance(description.value, Layer):
        given = [descriptions.describe(i, value) for value in rest.args]
        given_by_name = descriptions.describe_by_name(i, rest.keywords)
        found = layer_model().call(description.value, given, given_by_name, method)
        if unmade(found):
            now = {name: descriptions.describe(i, value) for name, value in weights(i, owner)}
            computing.refuses(i, refusal_of_layer(description.value, method, given, given_by_name, now), place, frame)
    made = computing.results(i, found, done, (*rest.args, *parts), rest.keywords, place)
    if i.trace is not None and isinstance(description, Const) and isinstance(layer := description.value, Layer):
        named_lengths = last_axes.of_weights(layer.weights)
        last_axes.keep(
            i, made, rest.args, lambda ranked: layer_model().call(layer, ranked, given_by_name, method, named_lengths), has_weights=True
        )
    backward.through(i, form, parts or rest.args[:1], made, place, done.replace("mlx.", ""), frame)
    backward.of_layer(i, measured, named, rest.args, made, place, done.replace("mlx.", ""), frame)
    return made


def _inner(i: Interpreter, owner: Ref, module: Ref, place: Place, frame: Frame) -> None:
    """A layer calls one in it: what the program has put in place of its `__call__` is not followed there."""
    cls = i.heap.get(module.oid, CLASS)
    if module != owner and isinstance(cls, External):
        replaced.asked(i, cls.name, "__call__", place, frame)
        if replaced.held(i, cls.name, "__call__") is not None:
            i.imprecise("what a layer of the library calls in place of the library's own")


def _running(i: Interpreter, owner: Ref, names: Sequence[str], args: Sequence[Value], place: Place, frame: Frame) -> None:
    """New running statistics of a layer in training mode."""
    trace, chain, origin = computing.traced(i, args, place)
    for name in names:
        present = i.heap.get(owner.oid, name)
        if isinstance(present, Array):
            new = Array(i.ident(place, ("running", owner.oid, name)), trace, present.shape, present.dtype, chain, origin)
            i.heap.set(owner.oid, name, new)
            writes.on_write(i, owner.oid, name, new, place, frame, "update")


def _rests(i: Interpreter, owner: Ref, entry: Any) -> bool:
    """Whether a layer that draws surely does nothing: outside of training mode, or with a rate of 0 it gives its argument back."""
    return i.heap.get(owner.oid, "training") == FALSE or _without_rate(i, owner, entry)


def _may_draw(i: Interpreter, owner: Ref, entry: Any) -> bool:
    """Whether a layer draws in training mode: by what it is, or by a rate that it was made with."""
    return (
        bool(entry.random or entry.stochastic)
        or entry.active_when is not None
        and i.heap.get(owner.oid, ("made with", entry.active_when)) is not None
    )


def _without_rate(i: Interpreter, owner: Ref, entry: Any) -> bool:
    """Whether a layer that draws was made with a rate of 0: it does not ask for its mode."""
    rate = i.heap.get(owner.oid, ("made with", entry.active_when)) if entry.active_when is not None else None
    return isinstance(rate, Const) and not rate.value


def _draws(i: Interpreter, owner: Ref, entry: Any) -> bool:
    """Whether calling a stochastic layer surely draws: in training mode, and with a rate that is not 0, also as a default."""
    if i.heap.get(owner.oid, "training") != TRUE:
        return False
    if entry.active_when is not None:
        rate = i.heap.get(owner.oid, ("made with", entry.active_when))
        if rate is not None:
            usual = defaults.value(i, rate)
            return usual is not None and bool(usual.value)
    return bool(entry.random or entry.stochastic)


def attribute(i: Interpreter, owner: Value, cls: Value, name: str, place: Place, frame: Frame) -> Value | None:
    """An attribute that MLX gives to layers, modules and optimizers; None for any other."""
    if not isinstance(owner, Ref):
        return None
    base = base_of(i, cls)
    if base is None:
        return None
    if is_module_class(base):
        if name == "state":
            return owner
        if name == "training":
            return i.heap.get(owner.oid, "training") or TRUE
        if name in written.names(MODULE):
            made = written_member(i, f"{MODULE}.{name}", frame)
            return Bound(owner, made) if made is not None and name != "is_module" else made
        if name in ("__setattr__", "__delattr__", "__getattribute__"):
            return Bound(owner, External(f"builtins.object.{name}"))
        if name in MODULE_METHODS or name == "__call__":
            return Bound(owner, External(f"{base}.{name}"))
        held = i.heap.get(owner.oid, ("made with", name))
        return held
    if base.startswith("mlx.optimizers."):
        if name == "state":
            return handing_on.state(i, owner, place, frame) or i.heap.get(owner.oid, ("#", "state"))
        if name in OPTIMIZER_METHODS:
            return Bound(owner, External(f"{base}.{name}"))
        if name in ("learning_rate", "step"):
            others = handing_on.others(i, owner)
            if others is not None and name == "learning_rate":
                return i.attribute(others[0], name, place, frame)
            state = i.heap.get(owner.oid, ("#", "state"))
            held = i.heap.get(state.oid, ("k", Const(name))) if isinstance(state, Ref) else None
            if held is not None and isinstance(state, Ref):
                reads.on_read(i, state.oid, ("k", Const(name)), held, place, frame)
            return held
    return None


def _mode(training: bool) -> Any:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        given = args.args[1] if len(args.args) > 1 else args.keywords.get("mode", Const(training))
        for module in set_in_all(i, args.args[0], "training", lambda _: given if training else Const(False)):
            writes.on_write(i, module.oid, "training", given, place, frame)
            if unseen_layers.is_opaque(i, module):
                bounded.set_mode(i, module, given if training else FALSE, place)
        return args.args[0]

    return run


def _parameters(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """A fresh tree of the arrays, without those whose name begins with `_`."""
    made = tree_map(i, Arguments((External("#same"), args.args[0]), places=(place, place)), place, frame)
    _keep_only(i, made, lambda name, _: is_parameter(name))
    for member in members(made):
        if isinstance(member, Ref):
            i.heap.set(member.oid, ("#", "copy of"), args.args[0])
    return made


def _trainable_parameters(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """Those of the arrays that are not frozen."""
    made, still = _parameters(i, args, place, frame), frozen(i, args.args[0])
    if still:
        _keep_only(i, made, lambda _, value: not (isinstance(value, Array) and value.ident in still))
    for member in members(made):
        whole = i.heap.get(member.oid, TREE) if isinstance(member, Ref) else None
        if isinstance(member, Ref) and isinstance(whole, Ref):
            i.heap.set(member.oid, TREE, Tuple((whole, i.heap.get(whole.oid, FROZEN) or NONE)))
    return made


def _keep_only(i: Interpreter, tree: Value, keeps: Callable[[str, Value], bool]) -> None:
    """Take away the entries of a module's tree that are not to be there, as those whose key begins with `_`: MLX does not count them among the parameters."""
    todo, seen = [*members(tree)], set[int]()
    while todo:
        member = todo.pop()
        if isinstance(member, Tuple):  # layers in a list
            todo += [inner for part in member.parts for inner in members(part)]
        if not isinstance(member, Ref) or member.oid in seen:
            continue
        seen.add(member.oid)
        todo += members(i.heap.get(member.oid, ITEMS) or NONE)
        for key, value in i.heap.entries(member.oid):
            if isinstance(key, Const) and not keeps(str(key.value), value):
                i.heap.drop(member.oid, ("k", key))
            else:
                todo += members(value)
        left = under_other_keys(i, member)
        if left is not None and not keeps("", left):
            i.heap.drop(member.oid, REST)
            i.heap.drop(member.oid, REST_KEY)


def update_dict(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`module.update(tree)`: new arrays for its parameters."""
    tree = args.args[1] if len(args.args) > 1 else NONE
    if all(isinstance(part, Ref) and i.info(part.oid).kind in ("dict", "instance") for part in members(tree)):
        for _ in reached(i, args.args[0]):
            pass

        def put(part: Member) -> Value:
            _put_in(i, args.args[0], part, place, frame)
            return NONE

        i.split(tree, put)
        return args.args[0]
    given = list(arrays_in(i, tree))
    trace = next((array.trace for array in given if array.trace is not None), None)
    for module in reached(i, args.args[0], parameters=True):
        for field, value in parameters(i, module):
            ident = i.ident(place, ("updated", module.oid, field))
            new = renewed(value, partial(same_shape_and_dtype, ident, trace))
            i.heap.set(module.oid, field, new)
            writes.on_write(i, module.oid, field, new, place, frame, "update")
    return args.args[0]


def _convert(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`module.set_dtype(…)`, `module.apply(…)`: new arrays, still to be computed from the old ones."""
    for module in reached(i, args.args[0], parameters=True):
        for field, value in parameters(i, module):
            ident = i.ident(place, ("converted", module.oid, field))
            new = renewed(value, partial(converted, ident))
            i.heap.set(ident, LAZY, TRUE)
            i.heap.set(ident, OPERANDS, Operands(tuple(member.ident for member in members(value) if isinstance(member, Array))))
            i.heap.set(module.oid, field, new)
            writes.on_write(i, module.oid, field, new, place, frame, "update")
    return args.args[0]


def _apply(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`module.apply(function)`: in a trace what the function makes of each array; outside, an array that is still to be computed from the old one."""
    function = args.get(1, "map_fn")
    if i.trace is None or function is None:
        return _convert(i, args, place, frame)
    for module in reached(i, args.args[0], parameters=True):
        for field, value in parameters(i, module):
            reads.on_read(i, module.oid, field, value, place, frame)
            given = Arguments((value,), places=(place,))
            new = i.split(function, lambda member, given=given: i.call(member, given, place, frame))  # type: ignore[misc]
            i.heap.set(module.oid, field, new)
            writes.on_write(i, module.oid, field, new, place, frame, "update")
    return args.args[0]


def _load(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`module.load_weights(pairs)`: the very arrays that the pairs name; of a file: new ones."""
    given = args.args[1] if len(args.args) > 1 else NONE
    pairs = known_items(i, given) if isinstance(given, (Tuple, Ref)) else None
    for pair in pairs or ():
        if not (isinstance(pair, Tuple) and pair.items is not None and len(pair.items) == 2 and isinstance(pair.items[0], Const)):
            return update_dict(i, args, place, frame)
    if pairs is None:
        return update_dict(i, args, place, frame)
    for _ in reached(i, args.args[0]):
        pass
    for pair in pairs:
        name, value = pair.items  # type: ignore[union-attr]
        owner: Value | None = args.args[0]
        *path, last = str(name.value).split(".")
        for part in path:
            owner = held(i, owner.oid, _key(i, owner, part)) if isinstance(owner, Ref) else None
        if isinstance(owner, Ref):
            _put_one(i, owner, int(last) if last.isdigit() else last, value, place, frame, set())
    return args.args[0]


def _save(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`module.save_weights(file)`: computes the parameters."""
    for array in arrays_in(i, _parameters(i, args, place, frame)):
        sinks.use(i, "saves", array, ".save_weights()", place, frame)
    return NONE


def _key(i: Interpreter, owner: Ref, part: str) -> object:
    """The field of an object that a part of a weight's name means."""
    return ("item", int(part)) if part.isdigit() else part if i.info(owner.oid).kind == "instance" else ("k", Const(part))


def _put_in(i: Interpreter, owner: Value, tree: Value, place: Place, frame: Frame, done: set[tuple[Member, Member]] | None = None) -> None:
    """Put the arrays of a tree where they belong in a module, a list or a dict: the very arrays, no copies. `done`: what was put where."""
    for member in members(owner):
        if not isinstance(member, Ref):
            continue
        done = set() if done is None else done
        for part in members(tree):
            if (member, part) in done:
                continue
            done.add((member, part))
            if isinstance(part, Ref) and i.info(part.oid).kind in ("dict", "instance"):
                for key, value in entries(i, part):
                    _put_one(i, member, key.value if isinstance(key, Const) else None, value, place, frame, done)
                left = under_other_keys(i, part)
                if left is not None:
                    _put_one(i, member, unseen_layers.WEIGHTS, left, place, frame, done)
            else:
                content = i.heap.get(part.oid, ITEMS) if isinstance(part, Ref) else part
                i.split(content or NONE, partial(_put_items, i, member, place, frame, done))


def _put_items(i: Interpreter, owner: Ref, place: Place, frame: Frame, done: set[tuple[Member, Member]], content: Member) -> Value:
    """Put the items of a list where those of another lie, whatever was put there for a list of another length."""
    done = set(done)
    for number, value in enumerate(content.items or () if isinstance(content, Tuple) else ()):
        _put_one(i, owner, number, value, place, frame, done)
    return NONE


def _put_one(i: Interpreter, owner: Ref, key: object, value: Value, place: Place, frame: Frame, done: set[tuple[Member, Member]]) -> None:
    kind_ = i.info(owner.oid).kind
    if kind_ not in ("instance", "dict") and not isinstance(key, int):
        return  # a list has no such item: MLX raises
    field: object = key if kind_ == "instance" else ("k", Const(key)) if kind_ == "dict" else ("item", key)
    present = held(i, owner.oid, field)
    if present is None:
        return
    if is_array(present) and not isinstance(field, tuple):
        given = all(isinstance(m, Array) and i.heap.get(m.ident, ("#", "argument")) is not None for m in members(value))
        new = i.split(present, lambda member: value if isinstance(member, Array) else member)
        i.heap.set(owner.oid, field, new)
        writes.on_write(i, owner.oid, field, new, place, frame, "fill" if given else "update")
    _put_in(i, present, value, place, frame, done)


def assigned(i: Interpreter, oid: int, field: object, value: Value, place: Place, frame: Frame) -> None:
    """`module.layer = …`; `optimizer.state = …`, `optimizer.learning_rate = …`: properties that keep what they are given elsewhere."""
    into = i.info(oid).payload if i.info(oid).kind == "symbolic" else Ref(oid)
    if isinstance(field, str) and isinstance(into, (Ref, tuple)):
        if isinstance(into, tuple) or unseen_layers.is_opaque(i, into):
            installed.put(i, into, value, place)
        if opaque.holds_layers(i, value):
            opaque.put_in(i, into, place, frame)
    if field not in ("state", "learning_rate") or kind(i, Ref(oid)) != "optimizer":
        return
    if (parts := handing_on.parts(i, Ref(oid), field, value)) is not None:
        i.heap.drop(oid, field)
        for other, part in parts:
            assigned(i, other.oid, field, part, place, frame)
        return
    state = i.heap.get(oid, ("#", "state"))
    if field == "state":
        i.heap.set(oid, ("#", "state"), value)
        i.heap.drop(oid, field)  # the property comes before what an instance holds
        writes.on_write(i, oid, ("#", "state"), value, place, frame)
    elif isinstance(state, Ref):
        i.heap.drop(oid, field)
        trace = next((array.trace for array in arrays_in(i, value)), None)
        rate = Array(i.ident(place, ("rate", oid)), trace, (), "float32")
        if i.trace is None:
            contents.made(i, rate.ident, (value,), place)
            if operands := tuple(dict.fromkeys(array.ident for array in arrays_in(i, value))):
                i.heap.set(rate.ident, OPERANDS, Operands(operands))
        i.heap.set(state.oid, ("k", Const("learning_rate")), rate)
        writes.on_write(i, state.oid, ("k", Const("learning_rate")), rate, place, frame)


def weights_read(i: Interpreter, value: Value, place: Place, frame: Frame) -> None:
    """What is not followed is given a module in a trace: it computes with its weights."""
    for member in members(value):
        for module in reached(i, member) if isinstance(member, Ref) and kind(i, member) == "module" else ():
            for field, weight in weights(i, module):
                reads.on_read(i, module.oid, field, weight, place, frame)


_METHODS: Final[dict[str, Any]] = {
    "module.train": _mode(True), "module.eval": _mode(False), "module.parameters": _parameters, "module.trainable_parameters": _trainable_parameters,
    "module.update": update_dict, "module.load_weights": _load, "module.save_weights": _save, "module.freeze": freeze(True), "module.unfreeze": freeze(False), "module.apply": _apply,
    "module.set_dtype": _convert, "optimizer.update": optimizer_update, "optimizer.init": optimizer_init, "optimizer.apply_gradients": apply_gradients,
    **{f"module.{name}": method for name, method in walks.METHODS.items()},
}  # fmt: skip
