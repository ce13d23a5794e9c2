"""MX4: under shapeless=True the shapes are constants of the first trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.facts.events import Extent
from mxlint.finding import Finding
from mxlint.fixes.remedies import Unbake
from mxlint.rules.report import finding, in_versions, name_of, quoted, span
from mxlint.tracing.events import Effect, Event, Record
from mxlint.tracing.values import MISSING, Array, Axis, Place, Scalar, Tup

_HELP_UNSAFE = {
    "nn.Linear": "use nn.Linear(bias=False) and add the bias (x @ W.T + b), or leave out shapeless=True",
    "mx.fast.scaled_dot_product_attention": "pass the mask as an array argument, or leave out shapeless=True",
}
_LATER = {
    "crash": "reads or writes memory out of bounds (wrong values or a crash)",
    "wrong": "silently returns wrong values",
    "raises": "raises",
}
"""What a compiled function does at a later shape, the worst first."""
_DEVICES = {"cuda": "CUDA"}
"""Devices that were measured beside the CPU, and their names."""
_UNMEASURED = "raises or silently returns wrong values"


def shapeless(record: Record) -> Iterator[Finding]:
    """Shape values, branches on shapes, and operations that need shapes: of one expression the first of MX403, MX401, MX404."""
    found = list(_shapeless(record)) if record.shapeless is True else []
    spans = {code: {finding.span for finding in found if finding.code == code} for code in ("MX403", "MX401")}
    for item in found:
        above = {"MX401": ("MX403",), "MX404": ("MX403", "MX401")}.get(item.code, ())
        if not any(item.span in spans[code] for code in above):
            yield item


def _shapeless(record: Record) -> Iterator[Finding]:
    varying = varying_axes(record)
    for event in (event for trace in record.traces for event in trace.events):
        effects = [effect for effect in event.effects if _applies(record, effect, varying)]
        if event.kind == "unsupported":
            first = [effect for effect in effects if effect.way == "first"]
            later = consequences([effect for effect in effects if effect.way != "first"])
            yield finding(
                "MX403", event.place,
                f"{quoted(event.what)} cannot infer its output shape under shapeless=True: the first call of {name_of(record)} raises"
                f"{_in_versions(first)} \"ValueError: [Primitive::output_shapes] … cannot infer output shapes\""
                + (f"; when a size changes, it {later}" if later else ""),
                "leave out shapeless=True, or do this outside the compiled function", record, object=event.object, calls=event.calls,
                chain=event.chain,
            )  # fmt: skip
        elif event.kind == "unsafe" and effects:
            certain = varying is not None or any(effect.when == "every" for effect in effects)
            unit = all(effect.when in ("unit", "seen") for effect in effects)
            kept = "whether an axis has length 1" if unit else "sizes"
            changes = "an axis of length 1 gets another, or one gets length 1" if unit else "they change"
            yield finding(
                "MX404", event.place,
                f"{quoted(event.what)} keeps {kept} of the first trace under shapeless=True: when {changes}, {name_of(record)} "
                f"{consequences(effects)}",
                _HELP_UNSAFE.get(event.what, "leave out shapeless=True, or do this outside the compiled function"), record, object=event.object,
                calls=event.calls, chain=event.chain, severity="error" if certain else "warning", right_on=right_on(effects),
            )  # fmt: skip
        elif event.kind == "branch" and matters(event.axes, varying, features=True) and not _alike(record, event.place):
            yield finding(
                "MX402", event.place,
                f"the condition {quoted(event.what)} is decided by the shape of the first trace: under shapeless=True "
                f"{name_of(record)} silently keeps that branch for every later shape",
                "leave out shapeless=True, or make the choice outside the compiled function", record, object=event.object, calls=event.calls,
            )  # fmt: skip
        elif event.kind == "bake" and matters(event.axes, varying, features=False):
            yield finding(
                "MX401", event.place,
                f"a size taken from a shape goes into {event.what} and becomes a constant of the first trace: under shapeless=True, "
                f"when it changes, {name_of(record)} {consequences(event.effects) or _UNMEASURED}",
                "use an operation that follows the shape (x.flatten(), reshape(-1, …), mx.zeros_like, mx.mean), "
                "or leave out shapeless=True", record, object=event.object, calls=event.calls,
                remedy=_unbake(record, event),
            )  # fmt: skip


def _unbake(record: Record, event: Event) -> Unbake:
    parts = event.target.items if isinstance(event.target, Tup) else ()
    arrays = [part for part in parts if isinstance(part, Array)]
    shape, sizes = (arrays[0].shape if arrays else None), [part for part in parts if isinstance(part, Scalar)]
    others = len(sizes) + len(arrays) < len(parts)
    return Unbake(span(event.place), span(record.site), None if shape is None else _extents(shape), None if others else _extents(sizes))


def _extents(sizes: Sequence[Scalar]) -> tuple[Extent, ...]:
    return tuple(Extent(size.content if size.known else str(id(size)), size.axes) for size in sizes)


def _alike(record: Record, place: Place) -> bool:
    """Whether a condition comes to the same at all the shapes of the calls in sight."""
    found = [trace.decided.get(place, ()) for trace in record.traces] + [decided.get(place, ()) for decided in record.decisions.values()]
    return bool(record.decisions) and all(one == found[0] and MISSING not in one for one in found)


def consequences(effects: Sequence[Effect]) -> str:
    """What happens at a later shape, in words: each way to fail once, with the versions where they differ."""
    found = {way: [effect for effect in effects if effect.way == way] for way in _LATER}
    if found["crash"]:  # which is wrong values, too
        found["crash"] += found.pop("wrong")
    ways: dict[str, list[str]] = {}
    for way, same in found.items():
        if same:
            ways.setdefault(_in_versions(same) + _elsewhere(same), []).append(_LATER[way])
    return ", or ".join(" or ".join(words) + where for where, words in ways.items())


def right_on(effects: Sequence[Effect]) -> tuple[str, ...]:
    """The devices on which none of these effects was seen."""
    return tuple(device for device in _DEVICES if effects and all(device in effect.right_on for effect in effects))


def _elsewhere(effects: Sequence[Effect]) -> str:
    """On which devices it goes well, in words."""
    devices = [_DEVICES[device] for device in right_on(effects)]
    return f", but not on {' and '.join(devices)}" if devices else ""


def _in_versions(effects: Sequence[Effect]) -> str:
    versions = {version for effect in effects for version in effect.versions}
    judged = next((effect.judged for effect in effects), ())
    return in_versions(tuple(versions), judged)


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


def _applies(record: Record, effect: Effect, varying: dict[int, set[int]] | None) -> bool:
    """Whether the calls in sight bring about an effect; if they do not tell, they may."""
    if varying is None or effect.way == "first":
        return effect.when != "seen"
    return matters(effect.axes, varying, features=True) and (effect.when not in ("unit", "seen") or _unit(record, effect))


def _unit(record: Record, effect: Effect) -> bool:
    """Whether an axis in an effect has length 1 in one call in sight and another length in another."""
    for number, axis in effect.axes:
        shapes = [call.shapes[number] for call in record.calls if number < len(call.shapes)]
        for index in range(min((len(shape) for shape in shapes if shape), default=0)) if axis is None else (axis,):
            ones = {shape[index] == 1 for shape in shapes if shape is not None and -len(shape) <= index < len(shape)}
            if len(ones) == 2:
                return True
    return False


def matters(axes: frozenset[Axis], varying: dict[int, set[int]] | None, *, features: bool) -> bool:
    """Whether one of some dimensions can change. Without calls in sight the last axis is taken for a fixed feature size, unless `features`."""
    if varying is not None:
        return any(bool(varying.get(number)) if axis is None else axis in varying.get(number, ()) for number, axis in axes)
    return features or any(axis != -1 for _, axis in axes)
