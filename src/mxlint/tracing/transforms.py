"""Transforms of functions: mx.grad, vmap, checkpoint and their like, around a compiled function or inside one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from mxlint.tracing import layers, operators, shapeless
from mxlint.tracing.call import CallInfo, call
from mxlint.tracing.machine import Machine, chain_of, holds_traced
from mxlint.tracing.values import (
    UNKNOWN,
    Array,
    CompiledV,
    DictV,
    External,
    ListV,
    Opaque,
    TransformV,
    Tup,
    Value,
    list_like,
)

_RUN_THE_BODY = frozenset({"grad", "value_and_grad", "nn_value_and_grad", "vmap"})
"""Transforms that run the Python body of what they transform at every call."""


def _transform(kind: str, position: int = 0) -> Callable[[Machine, CallInfo], Value]:
    def run(m: Machine, info: CallInfo) -> Value:
        function = info.args[position] if position < len(info.args) else info.keywords.get("fun", UNKNOWN)
        if isinstance(function, CompiledV) and kind != "custom_function":
            function.record.differentiated = True
        if kind == "nn_value_and_grad" and info.args and isinstance(info.args[0], Opaque) and info.args[0] is not UNKNOWN:
            info.args[0].fields["#module"] = True
        return TransformV(kind, function, info.place, info.args[0] if position and info.args else None)

    return run


def call_transform(m: Machine, transform: TransformV, info: CallInfo) -> Value:
    """Call a transformed function: its body runs, and what comes back depends on the transform."""
    function = transform.function
    if transform.kind == "checkpoint":
        shapeless.unsupported(m, "mlx.core.checkpoint", transform.place, "mx.checkpoint", UNKNOWN, info.frame)
    inner = replace(info, nodes={}, args=list(map(anew, info.args)), keywords={name: anew(value) for name, value in info.keywords.items()})
    innermost = transform
    while isinstance(innermost.function, TransformV):
        innermost = innermost.function
    if isinstance(innermost.function, CompiledV) and m.trace is None and not m.differentiating and innermost.kind in _RUN_THE_BODY:
        m.transformed.append((innermost.place, innermost.function.record, innermost.kind))
    if isinstance(function, CompiledV):
        function.record.differentiated = True
        function = function.record.function
    if transform.owner is not None:
        layers.read_frozen(m, transform.owner, info)
        layers.rebind(m, transform.owner, info)
    m.differentiating += 1
    try:
        if transform.kind == "vmap":
            return _mapped(m, function, info)
        result = call(m, function, inner)
    finally:
        m.differentiating -= 1
    traced = True if holds_traced(result) or any(map(holds_traced, info.values())) else None
    gradient = m.array(traced, None, chain_of(result) or next((chain_of(v) for v in info.values() if holds_traced(v)), None), tree=True)
    if transform.kind in ("grad",):
        return gradient
    if transform.kind in ("value_and_grad", "nn_value_and_grad"):
        return Tup((result, gradient))
    return result


def anew(value: Value) -> Value:
    """What a transformed function sees of an argument: arrays and containers of its own."""
    if isinstance(value, Array):
        return Array(dict(value.fields), tree=value.tree)
    return type(value)(dict(value.fields)) if isinstance(value, (ListV, DictV)) else value


def _mapped(m: Machine, function: Value, info: CallInfo) -> Value:
    """`mx.vmap(f)(…)`: the function sees one row of each argument."""
    args: list[Value] = [operators.row(m, value) if isinstance(value, Array) and not value.tree else value for value in info.args]
    axes = frozenset(axis for value in info.args if isinstance(value, Array) for size in value.shape or () for axis in size.axes)
    axes |= {(number, None) for value in info.args if isinstance(value, Array) and value.shape is None for number in value.like}
    m.mapped.append((info.place, axes))
    try:
        result = call(m, function, replace(info, args=args, nodes={}))
    finally:
        m.mapped.pop()
    traced = True if any(map(holds_traced, (result, *info.values()))) else operators.traced_of(*info.values())
    chain = chain_of(result) or next((chain_of(v) for v in info.values() if holds_traced(v)), None)
    if isinstance(result, Tup):
        return Tup(tuple(m.array(traced, None, chain) for _ in result.items))
    return m.array(traced, None, chain, tree=not isinstance(result, Array))


def _pair(m: Machine, info: CallInfo, kind: str) -> Value:
    """mx.vjp and mx.jvp run the function at once and give two lists of arrays."""
    if len(info.args) > 1:
        primals = info.args[1]
        items = list(getattr(primals, "items", None) or [])
        function = info.args[0]
        if isinstance(function, CompiledV):
            function.record.differentiated = True
            if m.trace is None and not m.differentiating:
                m.transformed.append((info.place, function.record, kind))
            function = function.record.function
        result = call(m, function, replace(info, args=items, keywords={}, places=[info.place] * len(items), nodes={}))
        element = m.array(True if holds_traced(result) else None, None, chain_of(result))
        return Tup((list_like(element), list_like(element)))
    return UNKNOWN


HANDLERS: dict[str, Callable[[Machine, CallInfo], Value]] = {
    "mlx.core.grad": _transform("grad"),
    "mlx.core.value_and_grad": _transform("value_and_grad"),
    "mlx.nn.value_and_grad": _transform("nn_value_and_grad", 1),
    "mlx.core.vmap": _transform("vmap"),
    "mlx.core.checkpoint": _transform("checkpoint"),
    "mlx.nn.utils.checkpoint": _transform("checkpoint"),
    "mlx.core.custom_function": _transform("custom_function"),
    "mlx.core.vjp": partial(_pair, kind="vjp"),
    "mlx.core.jvp": partial(_pair, kind="jvp"),
}

__all__ = ["HANDLERS", "External", "call_transform"]
