"""Layers and optimizers of MLX: what calling them reads, draws and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from mxlint.tracing import attribute, operators, shapeless
from mxlint.tracing.attribute import WEIGHTS, is_optimizer
from mxlint.tracing.call import CallInfo, call, dunder, escape
from mxlint.tracing.events import Trace, Uncomputed
from mxlint.tracing.heap import SHARED
from mxlint.tracing.machine import Machine, chain_of, holds_traced
from mxlint.tracing.shapes import UNKNOWN_SIZE, Shape
from mxlint.tracing.values import (
    MISSING,
    NO_AXES,
    NONE,
    UNKNOWN,
    Array,
    BoundV,
    Choice,
    DictV,
    External,
    Frame,
    FuncV,
    Heap,
    Instance,
    ListV,
    Opaque,
    PartialV,
    Place,
    Scalar,
    Snapshot,
    StateV,
    Step,
    Tup,
    Value,
    attributes,
    const,
    contents,
    list_like,
    list_of,
    now,
    options,
)  # fmt: skip
from mxlint.tracing.walks import each, near

LEFT = "#left"
"""The field of a layer that a trace has left with placeholders: the module that it is part of."""
REREAD = "#reread"
"""The field of such a module that the program computes with again."""
FROZEN = "#frozen"
"""The field that freeze() and unfreeze() change: which weights value_and_grad differentiates."""


def make(m: Machine, name: str, info: CallInfo) -> Instance:
    """A layer or optimizer of MLX."""
    owner = Instance(cls=External(name))
    initialize(m, owner, name, info)
    return owner


def initialize(m: Machine, owner: Instance, name: str, info: CallInfo) -> None:
    """What the constructor of a class of MLX keeps of its arguments."""
    owner.args, owner.keywords = tuple(info.args), dict(info.keywords)
    if name == "mlx.nn.Sequential":
        m.journal.store(owner, "layers", list_of(tuple(info.args)) if not info.open else list_like(info.all_like()))
    if name.startswith("mlx.optimizers."):
        _keep_settings(m, owner, name, info)


def _keep_settings(m: Machine, owner: Instance, name: str, info: CallInfo) -> None:
    """What the constructor of an optimizer keeps: what it is given, under the names of its parameters, and the defaults of the rest."""
    entry = m.table.entry(name)
    given = dict(zip(entry.params if entry is not None and entry.params else ("learning_rate",), info.args)) | info.keywords
    owner.fields.update(given)
    for key, default in (entry.settings or {} if entry is not None and not info.open else {}).items():
        if key not in given:
            owner.fields[key] = list_of(tuple(map(const, default))) if isinstance(default, list) else const(default)


def parameter(owner: Instance, name: str, position: int = 0) -> Value | None:
    """An argument of the constructor."""
    if name in owner.keywords:
        return owner.keywords[name]
    return owner.args[position] if position < len(owner.args) else None


def call_layer(m: Machine, owner: Instance, name: str, info: CallInfo) -> Value:
    """Call a layer of mlx.nn (or a class derived from one that does not define `__call__`)."""
    if name == "mlx.nn.Sequential":
        return _sequential(m, owner, info)
    entry = m.table.entry(name)
    read_weights(m, owner, info)
    moody = entry is not None and (entry.stochastic is True or bool(entry.active_when) or bool(entry.stateful))
    training = training_of(m, owner, info) if moody else None
    idle = name.startswith("mlx.nn.Dropout")  # until it is known to drop something: it hands on what it is given
    if entry is not None and entry.stochastic is not False and entry.active_when and training is True:
        rate = parameter(owner, entry.active_when)
        default = 0.5 if entry.stochastic else 0.0
        active = default if rate is None else _switched_on(rate)
        idle = idle and not active
        if active:
            m.emit("draw", info.place, f"nn.{name.removeprefix('mlx.nn.')}", info.frame)
    operand = next((value for value in info.args if isinstance(value, Array)), UNKNOWN)
    form = f"{name}[bias=False]" if _is_false(parameter(owner, "bias", 2)) and m.table.has(f"{name}[bias=False]") else name
    if not idle:
        shapeless.unsupported(m, form, info.place, f"nn.{name.removeprefix('mlx.nn.')}", operand, info.frame)
    captured = m.trace is not None and id(owner) in m.trace.reach_in
    traced: bool | None = True if any(map(holds_traced, info.values())) or captured else operators.traced_of(*info.values())
    chain = operators.step(m, info.node, info.frame, *info.args) if info.node is not None else None
    if entry is not None and entry.stateful and training is True and traced and not _is_false(parameter(owner, "track_running_stats", 4)):
        for kept in entry.stateful:
            label = f"{_called(info) or name}.{kept}"
            m.read(owner, kept, None, owner.fields.setdefault(kept, m.array(False)), info.place, label, info.frame)
            m.write(owner, kept, m.array(True, None, chain), info.place, label, "attribute", info.frame)
    if entry is None or entry.returns == "array" or entry.returns is None and name in ("mlx.nn.Linear",):
        like = operand if isinstance(operand, Array) and entry is not None and entry.shape == "same" else None
        if m.trace is not None:
            m.trace.computed += 1  # a layer is more than one operation
        shape = like.shape if like else _shape_of(owner, name, operand)
        return m.lazy(m.array(traced, shape, chain, like=like.like if like else frozenset()), [owner, *info.args])
    return m.lazy(m.array(traced, None, chain, tree=True), [owner, *info.args])


def _switched_on(rate: Value) -> bool | None:
    """Whether a rate is other than zero, as far as it is known."""
    known = {bool(value.content) if isinstance(value, Scalar) and value.known else None for value in options(rate)}
    return known.pop() if len(known) == 1 else None


_LAST = {
    "mlx.nn.Linear": ("output_dims", 1),
    "mlx.nn.Embedding": ("dims", 1),
    "mlx.nn.Embedding.as_linear": ("num_embeddings", 0),
    "mlx.nn.QuantizedEmbedding.as_linear": ("num_embeddings", 0),
}
"""The argument of the constructor that is the size of the last axis."""


def _shape_of(owner: Instance, name: str, operand: Value) -> Shape:
    """The shape that a layer makes, where its last axis alone is its own."""
    if not isinstance(operand, Array) or operand.shape is None or name not in _LAST:
        return None
    size = parameter(owner, *_LAST[name])
    last = size if isinstance(size, Scalar) and size.kind == "int" else UNKNOWN_SIZE
    return (*(operand.shape if name == "mlx.nn.Embedding" else operand.shape[:-1]), replace(last, axes=NO_AXES))


def _is_false(value: Value | None) -> bool:
    return isinstance(value, Scalar) and value.content is False


def _sequential(m: Machine, owner: Instance, info: CallInfo) -> Value:
    layers = owner.fields.get("layers")
    if m.outer(owner):
        m.read(owner, "layers", None, layers, info.place, info.place.text, info.frame)
    if not isinstance(layers, ListV) or layers.items is None or len(info.args) != 1:
        if isinstance(layers, ListV) and layers.items is None and len(info.args) == 1:
            first = call(m, layers.element, info)
            return call(m, layers.element, CallInfo([first], {}, info.frame, info.place, [info.place], {}, False, info.node))
        return m.array(True if any(map(holds_traced, info.args)) else None)
    value = info.args[0]
    for number, layer in enumerate(layers.items):
        if m.outer(layers):
            m.read(layers, "items", number, layer, info.place, f"layer {number} of {info.place.text.partition('(')[0]}", info.frame)
        value = call(m, layer, CallInfo([value], {}, info.frame, info.place, [info.place], {}, False, info.node))
    return value


def read_weights(m: Machine, owner: Instance, info: CallInfo) -> None:
    """The trace reads the weights of a layer: a constant, unless they are captured."""
    reread(m, (owner,))
    if m.outer(owner) and _has_weights(m, owner) is not False and m.trace is not None and id(owner) not in m.trace.filled:
        if id(owner) not in m.trace.reach_in and not owner.fields.get("#settled") and _has_weights(m, owner):
            m.trace.lazy.append(Uncomputed(info.place, owner, _called_from(m, info.frame) or info.place))
        name = _called(info) or m.trace.record.compiled
        m.read(owner, WEIGHTS, None, owner.fields.get(WEIGHTS, 0), info.place, name, info.frame)
        for weight in list(owner.fields.values()):
            if isinstance(weight, Array) and m.outer(weight):
                m.read(weight, "version", None, weight.fields.get("version", 0), info.place, name, info.frame)


def reread(m: Machine, modules: Iterable[Heap]) -> None:
    """Host code computes with the weights of modules."""
    for below in modules if m.trace is None else ():
        if LEFT in below.fields:
            below.fields[LEFT].fields[REREAD] = True


def leave(m: Machine, trace: Trace) -> None:
    """The end of a trace: modules that it has filled with its arguments, and not put back, are left with placeholders."""
    captured = trace.reach_in | trace.reach_out
    last = last_filled(trace)
    for number, event in enumerate(trace.events):
        if event.kind == "fill" and event.note == "argument" and isinstance(event.target, Heap) and last[id(event.target)] == number:
            for below in children(event.target):
                if isinstance(below, Instance) and id(below) not in captured:
                    m.journal.store(below, LEFT, event.target)


def last_filled(trace: Trace) -> dict[int, int]:
    """The number of the last event that fills a module, by the identity of the module."""
    return {id(event.target): number for number, event in enumerate(trace.events) if event.kind in ("fill", "refill")}


def _called_from(m: Machine, frame: Frame | None) -> Place | None:
    """The call of the outermost module that the run is in, out of the compiled function."""
    found = None
    while frame is not None and m.trace is not None and frame is not m.trace.root:
        if frame.cls is not None and frame.qualname.endswith(".__call__") and attribute.is_layer_class(frame.cls):
            found = frame.called_at
        frame = frame.caller
    return found


def _called(info: CallInfo) -> str:
    """How the program calls what it calls."""
    return info.place.source.text[info.node.func.start : info.node.func.end] if info.node is not None else ""


def _has_weights(m: Machine, owner: Instance) -> bool | None:
    """Whether a layer has weights of its own; None when nothing is known of it."""
    entry = m.table.entry(owner.cls.name) if isinstance(owner.cls, External) else None
    return None if entry is None else bool(entry.weights)


def training_of(m: Machine, owner: Instance, info: CallInfo) -> bool | None:
    """The mode of a module, which the trace reads."""
    value = owner.fields.get("training", const(True))
    if m.outer(owner):
        m.read(owner, "training", None, value, info.place, f"{info.place.text} mode", info.frame)
    return value.content if isinstance(value, Scalar) and value.known else None


# -- the tree of a module ---------------------------------------------------------------------------------------------


def children(*roots: Value) -> Iterator[Heap]:
    """Containers and every container and module below them, each once."""
    held = each(roots, _below)
    return (value for value in held if isinstance(value, (Instance, ListV, DictV, Opaque)) and value is not UNKNOWN)


def _below(value: Value) -> Iterable[Value]:
    """What is directly below a part of the tree of a module."""
    if isinstance(value, StateV):
        return (value.owner,)
    if isinstance(value, Choice):
        return value.options
    if isinstance(value, (ListV, Tup)):
        return contents(value)
    if isinstance(value, Opaque):
        return () if value is UNKNOWN else attributes(value)
    if not isinstance(value, (Instance, DictV)):
        return ()
    numbers = isinstance(value, Instance) and is_optimizer(value)  # its lists hold settings, which are no state
    return [
        item
        for item in attributes(value)
        if isinstance(item, (Instance, ListV, DictV, Tup, Choice, StateV))
        and not (numbers and isinstance(item, (ListV, Tup)) and all(isinstance(part, Scalar) for part in item.items or ()))
    ]


def touch(m: Machine, owner: Value, info: CallInfo, how: str) -> None:
    """The weights below a module change: an optimizer leaves out those that are frozen."""
    name = _called(info) or how
    for below in children(owner):
        if not isinstance(below, (Instance, Opaque)) or how == "update" and _is_frozen(below):
            continue
        m.write(below, WEIGHTS, now(), info.place, name, how, info.frame)
        if m.trace is not None:
            m.trace.filled.add(id(below))
        if LEFT in below.fields:
            m.journal.store(below, LEFT, MISSING)
        if SHARED in below.fields:
            m.journal.store(below, SHARED, 0)
        below.fields["#settled"] = True  # who knows where the new weights come from
        for key, item in list(below.fields.items()):
            if isinstance(item, Array):
                m.journal.store(below, key, m.array(item.traced, item.shape))
                m.last_write[id(below), key] = info.place


def share(m: Machine, owner: Value, source: Value) -> None:
    """A module is given the very arrays of another one of the same form: MLX hands arrays on, and copies none."""
    mine, theirs = (
        [below for below in children(value) if isinstance(below, Instance) and own_weights(m, below)] for value in (owner, source)
    )
    if m.guards or owner is source or [below.cls for below in mine] != [below.cls for below in theirs]:
        return
    for one, other in zip(mine, theirs):
        number = other.fields.get(SHARED) or now()
        m.journal.store(other, SHARED, number)
        m.journal.store(one, SHARED, number)


def weights_of(value: Value | None) -> Value | None:
    """The module of whose weights something is the tree, or the list that `tree_flatten` makes of it."""
    if isinstance(value, Snapshot):
        return value.owner
    if isinstance(value, ListV) and value.items is None and isinstance(value.element, Tup):
        value = value.element.items[-1]
    return value.fields.get(WEIGHTS_OF) if isinstance(value, Array) else None


WEIGHTS_OF = "#weights of"
"""The field of an array that stands for any of the weights of a module."""


def copied(m: Machine, value: Any, known: dict[int, Any]) -> Any:
    """`copy.deepcopy` of a module, or of what it holds; the arrays of the copy are the same."""
    if isinstance(value, StateV):
        return StateV(known.get(id(value.owner), value.owner))
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, Tup):
        known[id(value)] = Tup(tuple(copied(m, item, known) for item in value.items), value.cls)
        return known[id(value)]
    if isinstance(value, Array) and not value.fields.get("trace"):
        return Array({**value.fields, "lazy": None}, tree=value.tree)
    if not isinstance(value, (Instance, ListV, DictV)):
        return value
    m.tick()
    made = known[id(value)] = (
        Instance(cls=value.cls, args=value.args, keywords=value.keywords) if isinstance(value, Instance) else type(value)()
    )
    for key, content in value.fields.items():
        if key not in (LEFT, REREAD, SHARED):
            made.fields[key] = (
                tuple(copied(m, item, known) for item in content) if isinstance(content, tuple) else copied(m, content, known)
            )
    if isinstance(made, Instance):
        made.fields["#settled"] = True  # with those that it is a copy of
    return made


def swap(m: Machine, model: Value, classes: Mapping[str, str], info: CallInfo) -> None:
    """Layers of the library below a module are replaced by those of other classes."""

    def other(item: Value) -> Value:
        name = classes.get(item.cls.name) if isinstance(item, Instance) and isinstance(item.cls, External) else None
        return Instance(dict(item.fields), cls=External(name)) if name is not None and isinstance(item, Instance) else item

    for holder in list(children(model)):
        for key, item in list(holder.fields.items()):
            new: Any = tuple(map(other, item)) if isinstance(item, tuple) and isinstance(holder, ListV) else other(item)
            if new != item if isinstance(new, tuple) else new is not item:
                m.write(holder, key, new, info.place, info.place.text, "attribute", info.frame)


def call_method(m: Machine, name: str, info: CallInfo) -> Value:
    """A method that a module inherits from MLX."""
    owner = info.args[0] if info.args else UNKNOWN
    last = name.rpartition(".")[2]
    if last == "__init__":
        if isinstance(owner, Instance):
            initialize(m, owner, name.rpartition(".")[0], replace(info, args=info.args[1:], places=info.places[1:]))
        return NONE
    if not isinstance(owner, (Instance, Opaque)):
        return UNKNOWN
    if last in ("parameters", "trainable_parameters"):
        if last == "trainable_parameters":
            read_frozen(m, owner, info)
        if m.trace is not None:
            made = m.array(id(owner) in m.trace.reach_in, tree=True)
            made.fields["of"] = (owner,)
            return made
        return Snapshot(owner, last)
    if last in ("update", "load_weights", "apply", "set_dtype", "update_modules"):
        new = info.get(1, "parameters") if last == "update" else None
        if new is not None and is_argument(m, new):
            m.emit("fill", info.place, f"{last}()", info.frame, target=owner, note="argument")
        else:
            once = last == "apply" or new is not None and _made_from(new, owner)
            sure = "traced" if new is not None and holds_traced(new) else "once" if once else ""
            fills = sure or new is not None and operators.traced_of(new) is not False
            m.emit("fill" if fills else "refill", info.place, f"{last}()", info.frame, target=owner, note=sure)
        touch(m, owner, info, f"{last}()")
        source = weights_of(info.get(1, "parameters")) if last in ("update", "load_weights") else None
        if source is not None:
            share(m, owner, source)
        return owner
    if last in ("eval", "train"):
        mode = info.get(1, "mode")
        value = const(False) if last == "eval" else mode if isinstance(mode, Scalar) else const(True)
        for below in children(owner):
            if isinstance(below, Instance) and attribute.is_module(below):
                m.write(below, "training", value, info.place, info.place.text, "mode", info.frame)
        return owner
    if last in ("freeze", "unfreeze"):
        for below in (owner,) if _is_false(info.get(1, "recurse")) else children(owner):
            if isinstance(below, Instance) and attribute.is_module(below):
                m.write(below, FROZEN, const(last == "freeze"), info.place, info.place.text, "mode", info.frame)
        return owner
    if last == "save_weights":
        saved = [below for below in children(owner) if isinstance(below, Instance) and own_weights(m, below)]
        if m.trace is not None and any(id(below) in m.trace.reach_in or holds_traced(below) for below in saved):
            m.emit("evaluate", info.place, "save_weights()", info.frame)
        elif saved:
            m.emit("frozen", info.place, "save_weights()", info.frame, note="effect")
        return NONE
    if last in ("modules", "leaf_modules", "children", "named_modules"):
        return list_like(Opaque(label=last))
    return Opaque(label=f"{last}()")


def _made_from(value: Value, owner: Heap) -> bool:
    """Whether a tree is computed from the weights of a module, and is not just those of one."""
    below = near(operands(value), operands, OPERATIONS_DEPTH - 1)
    return any(owner in operands(part) for part in below if part is not owner)


OPERATIONS_DEPTH = 4
"""How many operations back what an array was computed from is looked for."""


def operands(value: Value) -> tuple[Value, ...]:
    """What an array of a trace is computed from."""
    return value.fields.get("of") or () if isinstance(value, Array) else ()


def read_frozen(m: Machine, owner: Value, info: CallInfo) -> None:
    """The trace asks which weights below a module are frozen."""
    for below in children(owner) if m.trace is not None else ():
        if isinstance(below, Instance) and m.outer(below) and (below is owner or own_weights(m, below)):
            m.read(below, FROZEN, None, below.fields.get(FROZEN, NONE), info.place, "which weights are frozen", info.frame)


def rebind(m: Machine, owner: Value, info: CallInfo) -> None:
    """nn.value_and_grad puts the weights into a module anew before it runs the function: a captured one then holds others than compile has put in."""
    for below in children(owner) if m.trace is not None else ():
        own = isinstance(below, Opaque) or isinstance(below, Instance) and own_weights(m, below) and not _is_frozen(below)
        if own and m.trace is not None and id(below) in m.trace.reach_in:
            m.emit("rebind", info.place, "nn.value_and_grad", info.frame, target=below)


def own_weights(m: Machine, owner: Instance) -> bool:
    """Whether a module is known to have weights of its own, and not in layers below it alone."""
    return bool(_has_weights(m, owner)) or any(isinstance(value, Array) for value in owner.fields.values())


def _is_frozen(owner: Heap) -> bool:
    frozen = owner.fields.get(FROZEN)
    return isinstance(frozen, Scalar) and frozen.content is True


def is_argument(m: Machine, value: Value) -> bool:
    """Whether a value is an argument of the compiled function as it came in: code in functional style puts it into a module for a while."""
    if m.trace is not None and isinstance(value, (DictV, ListV)):
        return id(value) in m.trace.arguments
    return isinstance(value, Array) and value.traced is True and value.chain is not None and value.chain.origin is None


def optimizer_method(m: Machine, cls: str, last: str, info: CallInfo) -> Value:
    """A method that an optimizer inherits from one of MLX."""
    owner = info.args[0] if info.args else UNKNOWN
    if isinstance(owner, Instance) and last == "__init__":
        initialize(m, owner, cls, replace(info, args=info.args[1:], places=info.places[1:]))
    if not isinstance(owner, (Instance, Opaque)) or last == "__init__":
        return NONE if last == "__init__" else UNKNOWN
    if last == "update" and len(info.args) >= 3:
        update(m, owner, info.args[1], info)
        return NONE
    if last in ("apply_gradients", "apply_single"):
        if last == "apply_gradients":
            _schedule(m, owner, info)
        if m.trace is not None and not is_argument(m, owner.fields.get("state", UNKNOWN)):
            m.emit("update", info.place, f"{last}()", info.frame, target=owner)
        if last == "apply_gradients":
            _apply_own(m, owner, info)
        if _stateful(m, owner):
            m.write(owner, WEIGHTS, now(), info.place, info.place.text, "update", info.frame)
        return (
            m.array(True if holds_traced(info.args[1]) else None, None, chain_of(info.args[1]), tree=True)
            if len(info.args) > 1
            else UNKNOWN
        )
    if last == "init":
        m.write(owner, WEIGHTS, now(), info.place, info.place.text, "init", info.frame)
    for value in info.args[1:]:
        escape(m, value)
    return NONE if last == "init" else Opaque(label=f"{last}()")


def _schedule(m: Machine, optimizer: Value, info: CallInfo) -> None:
    """An optimizer calls the schedule of its learning rate with its step, an array, whenever it applies gradients."""
    if not isinstance(optimizer, Instance) or not is_optimizer(optimizer):
        return
    schedule = optimizer.fields.get("learning_rate")
    if isinstance(schedule, (FuncV, BoundV, PartialV)):
        captured = m.trace is not None and id(optimizer) in m.trace.reach_in
        step = m.array(captured, (), Step(info.place, "the step of the optimizer"))
        call(m, schedule, CallInfo([step], {}, info.frame, info.place, [info.place], {}, False, info.node))


def update(m: Machine, optimizer: Value, model: Value, info: CallInfo) -> None:
    """`optimizer.update(model, gradients)`: both change."""
    _schedule(m, optimizer, info)
    if m.trace is not None:
        m.emit("update", info.place, "optimizer.update()", info.frame, target=optimizer, note="stateful" if _stateful(m, optimizer) else "")
        read_settings(m, optimizer, info)
        if isinstance(model, Heap) and m.outer(model):
            m.read(model, WEIGHTS, None, model.fields.get(WEIGHTS, 0), info.place, "the model", info.frame)
        own = dunder(optimizer, "apply_gradients")
        if own is not None:
            call(m, own, CallInfo([info.args[2], model], {}, info.frame, info.place, [info.place] * 2))
        else:
            _apply_own(m, optimizer, replace(info, args=[optimizer, *info.args[2:]]))
        sure = "traced" if any(map(holds_traced, info.args[2:])) else ""
        m.emit("fill", info.place, "optimizer.update()", info.frame, target=model, note=sure)
    if isinstance(optimizer, Heap) and _stateful(m, optimizer):
        m.write(optimizer, WEIGHTS, now(), info.place, info.place.text, "update", info.frame)
    touch(m, model, info, "update")


def _apply_own(m: Machine, optimizer: Value, info: CallInfo) -> None:
    """What a class of the project does to one of the weights: its gradient, the weight and their state are arrays of unknown shape."""
    own = dunder(optimizer, "apply_single")
    if own is None or m.trace is None:
        return
    captured = id(optimizer) in m.trace.reach_in
    state = DictV({"open": True, "element": m.array(captured)})
    call(m, own, CallInfo([m.array(True, None, chain_of(info.args[1])), m.array(captured), state], {}, info.frame, info.place))


def read_settings(m: Machine, optimizer: Value, info: CallInfo) -> None:
    """The trace computes with the numbers that an optimizer keeps: constants, but for a captured learning rate."""
    if not isinstance(optimizer, Instance) or not m.outer(optimizer):
        return
    library = next((cls for cls in attribute.mro(optimizer.cls) if isinstance(cls, External)), None)
    entry = m.table.entry(library.name) if library is not None else None
    captured = m.trace is not None and id(optimizer) in m.trace.reach_in
    for key in ("learning_rate", *(entry.settings or () if entry is not None else ())):
        value = optimizer.fields.get(key)
        if isinstance(value, (Scalar, Tup, ListV)) and not (captured and key == "learning_rate"):
            name = f"{key} of the optimizer"
            m.read(optimizer, key, None, value, info.place, name, info.frame)
            if isinstance(value, ListV) and m.outer(value):
                for number, item in enumerate(value.items or ()):
                    m.read(value, "items", number, item, info.place, name, info.frame)


def _stateful(m: Machine, optimizer: Value) -> bool:
    """Whether an optimizer keeps more than its step and its learning rate."""
    if not isinstance(optimizer, Instance) or not isinstance(optimizer.cls, External):
        return False
    entry = m.table.entry(optimizer.cls.name)
    if entry is None:
        return False
    given = [name for name in entry.state_when or {} if (value := optimizer.fields.get(name)) is not None and not _zero(value)]
    return bool(entry.state) or bool(given)


def _zero(value: Value) -> bool:
    return isinstance(value, Scalar) and value.known and not value.content
