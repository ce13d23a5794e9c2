"""Function transforms of MLX: grad, value_and_grad, vmap, jvp, vjp, checkpoint. Calling the result runs the Python body each time; of a checkpoint, that is
so where something differentiates it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import NONE, TRUE, Bound, Const, External, Ref, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.calls import callables
from mxlint.interpreter.compiled.traces import Trace
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.loops.iteration import collected
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import journal, modality, note, where
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx import backward, freezing, losses, mapping, shapeless, unseen
from mxlint.interpreter.mlx.gradients import differentiated_by, each_like, like, of_arguments, outputs

_OPTIONS: Final[dict[str, dict[str, int | None]]] = {
    "grad": {"argnums": 1, "argnames": None}, "value_and_grad": {"argnums": 1, "argnames": None}, "vmap": {"in_axes": 1, "out_axes": 2},
    "checkpoint": {},
}  # fmt: skip
"""What a transform is told beside its function, and where it may stand by position."""

CUSTOM: Final = ("#", "custom")
"""Of a function that may have rules of its own for transforms: that it is one."""
RULES: Final = ("vjp", "jvp", "vmap")
_OF_MODULES: Final = {"value_and_grad": "nn.value_and_grad", "checkpoint": "nn.utils.checkpoint"}
_OWNERS: Final = {"value_and_grad": "model", "checkpoint": "module"}
"""The parameter that takes the module whose parameters are meant."""
_SHOWN: Final = {False: "mx.checkpoint", True: "mx.custom_function"}
Handler = Callable[[Interpreter, Arguments, Place, Frame], Value]


def _make(kind: str, position: int, name: str) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        model = args.get(0, _OWNERS[kind]) if position == 1 else None
        function = args.get(position, name)
        if kind == "checkpoint" and model is not None and function in (None, NONE):
            function = model  # the call of the module itself is what is run again
        function = function or Unknown("transform")
        oid = i.allocate("transform", kind, place)
        i.heap.set(oid, "fun", function)
        if position == 1:
            model = model or NONE
            i.heap.set(oid, "model", model)
            if kind == "value_and_grad":
                unseen.differentiated(i, model)
        for option, at in _OPTIONS[kind].items():
            value = args.get(at, option) if at is not None and position == 0 else args.keywords.get(option)
            if value is not None:
                i.heap.set(oid, option, value)
        for compiled in _compiled(i, function) if i.trace is None else ():
            m = modality(i, 0)
            if m is not None and not i.silent:
                what = f"mx.{kind}" if position == 0 else _OF_MODULES[kind]
                journal(i).transforms[oid] = events.Note("transform of compiled", where(place), what, compiled.oid, m)
        return Ref(oid)

    return run


def _compiled(i: Interpreter, function: Value) -> Iterator[Ref]:
    """The compiled objects that a function may be, or that a partial hands its arguments on to."""
    for member in members(function):
        kind = i.info(member.oid).kind if isinstance(member, Ref) else ""
        if isinstance(member, Ref) and kind == "compiled":
            yield member
        elif isinstance(member, Ref) and kind == "partial":
            yield from _compiled(i, i.heap.get(member.oid, "func") or NONE)


def call_transform(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call a transformed function."""
    kind = i.info(ref.oid).payload
    function = i.heap.get(ref.oid, "fun") or Unknown("transform")
    outer, around = i.modes.differentiating, i.modes.differentiated
    trace = i.trace
    if trace is None:
        # A checkpoint or custom function is run as it is, and what it calls is compiled, unless something differentiates it.
        i.modes.differentiating = outer or kind != "checkpoint"
        if i.modes.differentiating:
            journal(i).transforms_run.add(ref.oid)
    else:
        made = i.info(ref.oid).place
        if kind == "checkpoint" and isinstance(made, Place) and _stays_whole(i, trace, ref):
            shapeless.operation(i, "mlx.core.checkpoint", None, made, _SHOWN[i.heap.get(ref.oid, CUSTOM) == TRUE], frame)
        trace.gradients.taken = trace.gradients.taken or kind in ("grad", "value_and_grad")
        trace.transforms.append(_RULES.get(str(kind), ""))
    length: mapping.AxisLength = None
    inner = args
    if kind == "vmap":
        inner, length = mapping.without_axis(i, args, i.heap.get(ref.oid, "in_axes") or Const(0), place)
    elif kind != "checkpoint":
        own = [_own(i, value, place, n) for n, value in enumerate(args.args)]
        inner = Arguments(own, args.keywords, args.star, args.kwstar, args.places, args.keyword_places, args.node)
    model = i.heap.get(ref.oid, "model")
    if i.modes.differentiating and not outer:
        given = (*inner.values, *((model,) if model is not None else ()))
        i.modes.differentiated = i.context, frozenset(array.ident for array in arrays_in(i, *given))
    elif trace is None and kind != "checkpoint":
        i.modes.differentiated = None
    facts: tuple[events.Event, ...] = ()
    own_rule = i.heap.get(ref.oid, ("rule", "vjp")) is not None
    try:
        if kind in ("grad", "value_and_grad"):
            chosen = freezing.trained(i, model) if model is not None else differentiated_by(i, _argument_options(i, ref), inner)
            with backward.by(i, chosen, place) as number:
                result = i.call(function, inner, place, frame)
                facts = backward.arrived(i, number, outputs(i, result).parts[:1])
            if not _can_be_differentiated(outputs(i, result).parts[:1], () if model is not None else args.args):
                i.may_raise("builtins.ValueError")
        else:
            with backward.without_gradient(i) if own_rule else nullcontext():
                result = i.call(function, inner, place, frame)
            if own_rule:
                backward.carried(i, "", result, inner.values)
    finally:
        i.modes.differentiating, i.modes.differentiated = outer, around
        if trace is not None:
            trace.transforms.pop()
    if kind == "value_and_grad":
        result = losses.scalar(i, result, place)
    if trace is not None:
        _run_rules(i, trace, ref, args, result, place, frame)
    if kind == "vmap":
        return mapping.put_together(i, result, length, i.heap.get(ref.oid, "out_axes") or Const(0), place)
    if kind == "checkpoint":
        return result
    if model is not None:
        freezing.differentiated(i, model, place, frame)
        gradients = like(i, model, (result, *args.values), place)
    else:
        gradients = of_arguments(i, _argument_options(i, ref), args, result, place)
    backward.brought(i, facts, gradients)
    return Tuple((result, gradients)) if kind == "value_and_grad" else gradients


def _can_be_differentiated(loss: Sequence[Value], given: Sequence[Value]) -> bool:
    """Whether a gradient surely is taken: the loss is one number, and no argument is a number of Python."""
    return all(isinstance(member, Array) and member.shape == () for value in loss for member in members(value)) and not any(
        isinstance(member, Const) for value in given for member in members(value)
    )


def _stays_whole(i: Interpreter, trace: Trace, ref: Ref) -> bool:
    """Whether a call is one operation of the trace, which is so of a checkpoint. A custom function without rules is the function itself, and one that is
    mapped, or of which the tangents are asked, is what its rule does."""
    if i.heap.get(ref.oid, CUSTOM) != TRUE:
        return True
    rules = {rule for rule in RULES if i.heap.get(ref.oid, ("rule", rule)) is not None}
    return bool(rules) and not (rules - {"vjp"}).intersection(trace.transforms)


def _argument_options(i: Interpreter, ref: Ref) -> dict[str, Value | None]:
    """By which arguments a transform differentiates, as far as it was told."""
    return {option: i.heap.get(ref.oid, option) for option in ("argnums", "argnames")}


def _own(i: Interpreter, value: Value, place: Place, number: int) -> Value:
    """An argument as the differentiated function sees it: an array of its own."""
    return value.but(ident=i.ident(place, ("own", number))) if isinstance(value, Array) else value


def _pair(kind: str) -> Handler:
    """`mx.jvp(fun, primals, tangents)` and `mx.vjp`: the function runs once, here."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        function = args.get(0, "fun")
        if function is None:
            return i.symbolic(place, kind)
        for compiled in _compiled(i, function) if i.trace is None else ():
            m = modality(i, 0)
            if m is not None:
                note(i, events.Note("transform of compiled", where(place), f"mx.{kind}", compiled.oid, m))
        primals, directions = (
            Tuple(()) if listed is None else collected(i, listed, place, frame)
            for listed in (args.get(1, "primals"), args.get(2, "cotangents" if kind == "vjp" else "tangents"))
        )
        outer, around = i.modes.differentiating, i.modes.differentiated
        trace = i.trace
        if trace is None:
            i.modes.differentiating, i.modes.differentiated = True, None
        else:
            trace.transforms.append(kind)
            trace.gradients.taken = True
        facts: tuple[events.Event, ...] = ()
        inner = Arguments(primals.items or (), places=(place,) * len(primals.items or ()))
        try:
            if kind == "vjp":
                with backward.by(i, inner.args, place) as number:
                    result = i.call(function, inner, place, frame)
                    facts = backward.arrived(i, number, (result,))
            else:
                result = i.call(function, inner, place, frame)
        finally:
            i.modes.differentiating, i.modes.differentiated = outer, around
            if trace is not None:
                trace.transforms.pop()
        given = outputs(i, result)
        shaped = given if kind == "jvp" else primals
        made = each_like(i, shaped, (result, primals, directions), place)
        backward.brought(i, facts, made)
        return Tuple((new_list(i, given, place, "outputs"), made))

    return run


_RULES: Final = {"grad": "vjp", "value_and_grad": "vjp", "vmap": "vmap"}
"""The rule of a custom function that a transform asks for."""


def _custom(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`mx.custom_function(f)`: the function itself, as far as a forward run goes; and its rules for transforms."""
    oid = i.allocate("transform", "checkpoint", place, "custom")
    i.heap.set(oid, "fun", args.args[0] if args.args else Unknown("function"))
    i.heap.set(oid, CUSTOM, TRUE)
    for rule in RULES:
        i.heap.set(oid, rule, Bound(Ref(oid), External(f"mlx.core.custom_function.{rule}")))
    return Ref(oid)


def _rule(rule: str) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        """`@custom.vjp`: keep the rule."""
        for member in members(args.args[0]):
            if isinstance(member, Ref) and len(args.args) > 1:
                i.heap.set(member.oid, ("rule", rule), args.args[1])
        return args.args[-1]

    return run


def _run_rules(i: Interpreter, trace: Trace, ref: Ref, args: Arguments, result: Value, place: Place, frame: Frame) -> None:
    """Run the rules of a custom function that the transforms around its call in the trace ask for."""
    for rule in dict.fromkeys(trace.transforms):
        function = i.heap.get(ref.oid, ("rule", rule))
        if function is None:
            continue
        inputs: Value = args.args[0] if len(args.args) == 1 else Tuple(tuple(args.args))
        more = {"vjp": (_owned(i, result, place, rule), result), "jvp": (_owned(i, inputs, place, rule),), "vmap": (Const(0),)}[rule]
        given = (inputs, *more)
        i.call(function, Arguments(given, places=(place,) * len(given)), place, frame)


def _owned(i: Interpreter, value: Value, place: Place, tag: object) -> Value:
    """Arrays like those of a value."""
    if isinstance(value, Tuple) and value.items is not None:
        return value.holding(tuple(_owned(i, part, place, (tag, n)) for n, part in enumerate(value.items)))
    return value.but(ident=i.ident(place, ("like", tag))) if isinstance(value, Array) else value


HANDLERS: Final[dict[str, Handler]] = {
    "mlx.core.grad": _make("grad", 0, "fun"),
    "mlx.core.value_and_grad": _make("value_and_grad", 0, "fun"),
    "mlx.core.vmap": _make("vmap", 0, "fun"),
    "mlx.core.checkpoint": _make("checkpoint", 0, "fun"),
    "mlx.nn.value_and_grad": _make("value_and_grad", 1, "fn"),
    "mlx.nn.utils.checkpoint": _make("checkpoint", 1, "fn"),
    "mlx.core.custom_function": _custom,
    **{f"mlx.core.custom_function.{rule}": _rule(rule) for rule in RULES},
    "mlx.core.jvp": _pair("jvp"),
    "mlx.core.vjp": _pair("vjp"),
}

callables.register("transform", call_transform)
