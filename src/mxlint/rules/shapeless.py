"""MX4: under shapeless=True the shapes are constants of the first trace."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.report import finding, name_of, quoted
from mxlint.tracing.events import Event, Record

_HELP_UNSAFE = {
    "nn.Linear": "use nn.Linear(bias=False) and add the bias (x @ W.T + b), or leave out shapeless=True",
    "mx.fast.scaled_dot_product_attention": "pass the mask as an array argument, or leave out shapeless=True",
}


def shapeless(record: Record) -> Iterator[Finding]:
    """Shape values, branches on shapes, and operations that need shapes."""
    if record.shapeless is not True:
        return
    varying = varying_axes(record)
    events = [event for trace in record.traces for event in trace.events]
    for event in events:
        if event.kind == "unsupported":
            yield finding(
                "MX403", event.place,
                f"{quoted(event.what)} cannot infer its output shape under shapeless=True: the first call of {name_of(record)} raises "
                "\"ValueError: [Primitive::output_shapes] … cannot infer output shapes\"",
                "leave out shapeless=True, or do this outside the compiled function", record, object=event.object, calls=event.calls,
                chain=event.chain,
            )  # fmt: skip
        elif (
            event.kind == "unsafe"
            and (event.note != "unit" or varying is None or _unit(record, event))
            and (varying is None or matters(event, varying, features=True))
        ):
            yield finding(
                "MX404", event.place,
                f"{quoted(event.what)} keeps sizes of the first trace under shapeless=True: when they change, {name_of(record)} "
                "silently returns wrong values, raises, or reads and writes memory out of bounds",
                _HELP_UNSAFE.get(event.what, "leave out shapeless=True, or do this outside the compiled function"), record, object=event.object,
                calls=event.calls, chain=event.chain, severity="error" if varying is not None or event.note == "every" else "warning",
            )  # fmt: skip
        elif event.kind == "branch" and matters(event, varying, features=True):
            yield finding(
                "MX402", event.place,
                f"the condition {quoted(event.what)} is decided by the shape of the first trace: under shapeless=True "
                f"{name_of(record)} keeps that branch for every later shape",
                "leave out shapeless=True, or make the choice outside the compiled function", record, object=event.object, calls=event.calls,
            )  # fmt: skip
        elif event.kind == "bake" and matters(event, varying, features=False):
            yield finding(
                "MX401", event.place,
                f"a size taken from a shape goes into {event.what} and becomes a constant of the first trace: under shapeless=True "
                f"{name_of(record)} raises at the next shape, or silently returns wrong values or reads memory out of bounds",
                "use an operation that follows the shape (x.flatten(), reshape(-1, …), mx.zeros_like, mx.mean), "
                "or leave out shapeless=True", record, object=event.object, calls=event.calls,
            )  # fmt: skip


def varying_axes(record: Record) -> dict[int, set[int]] | None:
    """Per array argument the axes whose size differs between the calls in sight (negative numbers too); None when they do not tell."""
    shapes: dict[int, set[tuple[object, ...]]] = {}
    for call in record.calls:
        for number, shape in enumerate(call.shapes):
            if shape is None or any(size is None for size in shape):
                return None
            shapes.setdefault(number, set()).add(shape)
    if not shapes or all(len(found) == 1 and "varies" not in next(iter(found)) for found in shapes.values()):
        return None
    result: dict[int, set[int]] = {}
    for number, found in shapes.items():
        ranks = {len(shape) for shape in found}
        axes: set[int] = set()
        for rank in ranks:
            same_rank = [shape for shape in found if len(shape) == rank]
            for axis in range(rank):
                sizes = {shape[axis] for shape in same_rank}
                if len(sizes) > 1 or "varies" in sizes:
                    axes |= {axis, axis - rank}
        result[number] = axes
    return result


def _unit(record: Record, event: Event) -> bool:
    """Whether an axis in an event has length 1 in one call in sight and another length in another."""
    for number, axis in event.axes:
        shapes = [call.shapes[number] for call in record.calls if number < len(call.shapes)]
        for index in range(min((len(shape) for shape in shapes if shape), default=0)) if axis is None else (axis,):
            ones = {shape[index] == 1 for shape in shapes if shape is not None and -len(shape) <= index < len(shape)}
            if len(ones) == 2:
                return True
    return False


def matters(event: Event, varying: dict[int, set[int]] | None, *, features: bool) -> bool:
    """Whether a dimension in an event can change. Without calls in sight the last axis is taken for a fixed feature size, unless `features`."""
    if varying is not None:
        return any(bool(varying.get(number)) if axis is None else axis in varying.get(number, ()) for number, axis in event.axes)
    return features or any(axis != -1 for _, axis in event.axes)
