"""What the rules about shapeless=True share: which axes vary between the calls in sight, and what comes of it, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mxlint.facts.events import Axis, Compiled, Effect
from mxlint.rules.findings import among
from mxlint.rules.program import Program

LATER = {
    "crash": "reads or writes memory out of bounds (wrong values or a crash)",
    "wrong": "silently returns wrong values",
    "raises": "raises",
}
"""What a compiled function does at a later shape, the worst first."""
BRIEFLY = {"crash": "goes out of bounds", "wrong": "gives wrong values", "raises": "raises"}
"""The same in headlines."""
DEVICES = {"cuda": "CUDA"}
"""Devices that were measured beside the CPU, and their names."""
Varying = dict[int, set[int]]


def varying_axes(program: Program, compiled: Compiled) -> Varying | None:
    """Per array argument the axes whose size differs between the calls in sight (negative numbers too); None when they do not tell."""
    shapes: dict[int, set[tuple[object, ...]]] = {}
    for call in program.calls.get(compiled.number, ()):
        for number, shape in enumerate(call.shapes):
            if shape is None or any(size is None for size in shape):
                return None
            shapes.setdefault(number, set()).add(shape)
    if not shapes or all(len(found) == 1 and not _symbolic(found) for found in shapes.values()):
        return None
    result: Varying = {}
    for number, found in shapes.items():
        axes: set[int] = set()
        for rank in {len(shape) for shape in found}:
            same_rank = [shape for shape in found if len(shape) == rank]
            for axis in range(rank):
                sizes = {shape[axis] for shape in same_rank}
                if len(sizes) > 1 or any(isinstance(size, str) for size in sizes):
                    axes |= {axis, axis - rank}
        result[number] = axes
    return result


def _symbolic(found: Iterable[tuple[object, ...]]) -> bool:
    return any(isinstance(size, str) for shape in found for size in shape)


def matters(program: Program, compiled: Compiled, axes: Iterable[Axis], varying: Varying | None, *, features: bool) -> bool:
    """Whether one of some dimensions can change. Where the calls in sight do not tell, the last axis is taken for a fixed feature size, unless
    `features`."""
    if varying is not None:
        return any(bool(varying.get(number)) if axis is None else axis in varying.get(number, ()) for number, axis in axes)
    return features or not all(_is_last(program, compiled, axis) for axis in axes)


def _is_last(program: Program, compiled: Compiled, axis: Axis) -> bool:
    """Whether an axis is the last of several in each call in sight, or written as such."""
    number, position = axis
    shapes = [call.shapes[number] for call in program.calls.get(compiled.number, ()) if number < len(call.shapes)]
    ranks = {len(shape) for shape in shapes if shape is not None}
    return position == -1 or bool(ranks) and min(ranks) > 1 and ranks == {position + 1 if position is not None else 0}


def applies(program: Program, compiled: Compiled, effect: Effect, varying: Varying | None) -> bool:
    """Whether the calls in sight bring about an effect; if they do not tell, they may."""
    if effect.when == "always":
        return True
    if effect.when == "seen" and effect.way == "crash":
        return _has_unit(program, compiled, effect)
    if effect.when == "over":
        return _over(program, compiled, effect)
    if varying is None or effect.way == "first":
        return effect.when != "seen"
    if not matters(program, compiled, effect.axes, varying, features=True):
        return False
    return (effect.when not in ("unit", "seen") or _unit(program, compiled, effect)) and (
        effect.when != "less" or _less(program, compiled, effect)
    )


def _has_unit(program: Program, compiled: Compiled, effect: Effect) -> bool:
    """Whether all axes in an effect have length 1 in a call in sight."""
    return any(
        all(
            axis is not None
            and number < len(shapes)
            and (shape := shapes[number]) is not None
            and -len(shape) <= axis < len(shape)
            and shape[axis] == 1
            for number, axis in effect.axes
        )
        for shapes in (call.shapes for call in program.calls.get(compiled.number, ()))
    )


def _over(program: Program, compiled: Compiled, effect: Effect) -> bool:
    """Whether an axis in an effect is longer than its limit in a call in sight."""
    return any(
        axis is not None
        and number < len(call.shapes)
        and isinstance(size := _size_at(call.shapes[number], axis), int)
        and size > effect.limit
        for call in program.calls.get(compiled.number, ())
        for number, axis in effect.axes
    )


def _size_at(shape: Sequence[object] | None, axis: int) -> object:
    return shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None


def _unit(program: Program, compiled: Compiled, effect: Effect) -> bool:
    """Whether an axis in an effect has length 1 in one call in sight and another length in another."""
    for number, axis in effect.axes:
        shapes = [call.shapes[number] for call in program.calls.get(compiled.number, ()) if number < len(call.shapes)]
        for index in range(min((len(shape) for shape in shapes if shape), default=0)) if axis is None else (axis,):
            if len({shape[index] == 1 for shape in shapes if shape is not None and -len(shape) <= index < len(shape)}) == 2:
                return True
    return False


def _less(program: Program, compiled: Compiled, effect: Effect) -> bool:
    """Whether an axis in an effect is shorter in a call in sight than in the first one, or may be."""
    for number, axis in effect.axes:
        shapes = [call.shapes[number] for call in program.calls.get(compiled.number, ()) if number < len(call.shapes)]
        known = [shape for shape in shapes if shape is not None]
        for index in range(min((len(shape) for shape in known), default=0)) if axis is None else (axis,):
            sizes = [shape[index] for shape in known if -len(shape) <= index < len(shape)]
            numbers = [size for size in sizes if isinstance(size, int)]
            if len(numbers) < len(shapes) or numbers and min(numbers) < numbers[0]:
                return True
    return False


def consequences(effects: Sequence[Effect]) -> str:
    """What happens at a later shape, in words: each way to fail once, with the versions where they differ."""
    found = {way: [effect for effect in effects if effect.way == way] for way in LATER}
    if found["crash"]:  # which is wrong values, too
        found["crash"] += found.pop("wrong")
    ways: dict[str, list[str]] = {}
    for way, same in found.items():
        if same:
            ways.setdefault(in_versions(same) + _elsewhere(same), []).append(LATER[way])
    return ", or ".join(" or ".join(words) + where for where, words in ways.items())


def briefly(effects: Sequence[Effect]) -> str:
    """What happens at a later shape, in a word or two; empty if that was not measured."""
    found = {effect.way for effect in effects}
    return " or ".join(words for way, words in BRIEFLY.items() if way in found and (way != "wrong" or "crash" not in found))


def right_on(effects: Sequence[Effect]) -> tuple[str, ...]:
    """The devices on which none of these effects was seen."""
    return tuple(device for device in DEVICES if effects and all(device in effect.right_on for effect in effects))


def _elsewhere(effects: Sequence[Effect]) -> str:
    devices = [DEVICES[device] for device in right_on(effects)]
    return f", but not on {' and '.join(devices)}" if devices else ""


def in_versions(effects: Sequence[Effect]) -> str:
    """The versions of MLX with these effects, as ` with mlx 0.25.2 to 0.28.0`; nothing where it is all that are judged."""
    versions = {version for effect in effects for version in effect.versions}
    judged = next((effect.judged for effect in effects), ())
    return among(versions, judged)
