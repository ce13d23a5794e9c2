"""Custom kernels: the callable that `mx.fast.metal_kernel` and `cuda_kernel` make. A call gives an array for each output shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from mxlint.domain.arrays import Array, Chain, Operands
from mxlint.domain.members import TRUE, Const, External, Length, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.domain.size import Size, number
from mxlint.interpreter.calls import callables
from mxlint.interpreter.compiled import captures, sinks
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import LAZY, OPERANDS
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx import computing

Handler = Callable[[Interpreter, Arguments, Place, Frame], Value]


def _make(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return Ref(i.allocate("kernel", None, place, label="kernel"))


def call(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """Run a kernel: one array for each output shape."""
    shapes = args.get(4, "output_shapes")
    types = args.get(5, "output_dtypes")
    inputs = args.get(0, "inputs")
    axes = {
        axis for name, position in (("grid", 2), ("threadgroup", 3), ("output_shapes", 4)) for axis in _axes(i, args.get(position, name))
    }
    if axes:
        sinks.event(i, "kernel", place, "kernel", frame, axes=sorted(axes, key=repr))
    trace, chain, origin = computing.traced(i, (inputs,) if inputs is not None else (), place)
    wanted = _items(i, shapes)
    dtypes = _items(i, types) or ()
    if wanted is None:
        several = Array(i.ident(place, "kernel"), trace, None, None, chain, origin)
        _recorded(i, several, inputs)
        return new_list(i, Tuple(None, several), place, "kernel")
    made = []
    for n, shape in enumerate(wanted):
        dtype = dtypes[n] if n < len(dtypes) else None
        name = i.mlx.dtype(dtype.name) if isinstance(dtype, External) else None
        link = Chain(place, "kernel", chain) if trace is not None else None
        made.append(Array(i.ident(place, ("kernel", n)), trace, _shape(i, shape), name, link, origin))
        _recorded(i, made[-1], inputs)
    if i.trace is not None:
        i.trace.operations += 1
        i.trace.computes(i, "kernel", place, (*args.args, *args.keywords.values()))
    return new_list(i, Tuple(tuple(made)), place, "kernel")


def _recorded(i: Interpreter, made: Array, inputs: Value | None) -> None:
    """Keep that what a kernel gives is computed later, and with it the arrays that the kernel is given."""
    given = (inputs,) if inputs is not None else ()
    i.heap.set(made.ident, LAZY, TRUE)
    if i.trace is not None:
        captures.composed(i, made.ident, given)
    elif idents := tuple(dict.fromkeys(array.ident for value in given for array in arrays_in(i, value))):
        i.heap.set(made.ident, OPERANDS, Operands(idents))


def _items(i: Interpreter, value: Value | None) -> tuple[Value, ...] | None:
    return known_items(i, value) if isinstance(value, (Tuple, Ref)) else None


def _shape(i: Interpreter, value: Value) -> tuple[Size | None, ...] | None:
    items = _items(i, value)
    return None if items is None else tuple(map(_size, items))


def _size(value: Value) -> Size | None:
    if isinstance(value, Length):
        return value.size
    return number(value.value) if isinstance(value, Const) and isinstance(value.value, int) else None


def _axes(i: Interpreter, value: Value | None) -> Iterator[tuple[int, int | None]]:
    """The axes of arguments that a tree of sizes comes from."""
    for member in members(value) if value is not None else ():
        if isinstance(member, Length):
            yield from member.size.origins
        for item in _items(i, member) or ():
            yield from _axes(i, item)


HANDLERS: Final[dict[str, Handler]] = {"mlx.core.fast.metal_kernel": _make, "mlx.core.fast.cuda_kernel": _make}
callables.register("kernel", call)
