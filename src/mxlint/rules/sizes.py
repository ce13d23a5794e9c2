"""What the rules about shapeless=True share: which axes vary between the calls in sight, and what comes of it, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mxlint.facts.events import Axis, Call, Compiled, Effect
from mxlint.facts.values import Size
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
    calls = program.compiled_calls.get(compiled.number, ())
    for call in calls:
        for number, shape in enumerate(call.shapes):
            if shape is None or any(size is None for size in shape):
                return None
            shapes.setdefault(number, set()).add(shape)
    if len(calls) < 2 and not any(map(_symbolic, shapes.values())):
        return None  # one call shows no size beside another
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
    `features`, or where some of them have another one."""
    if varying is not None:
        return any(bool(varying.get(number)) if axis is None else axis in varying.get(number, ()) for number, axis in axes)
    return features or any(not _is_last(program, compiled, axis) or _differs(program, compiled, axis) for axis in axes)


def _differs(program: Program, compiled: Compiled, axis: Axis) -> bool:
    """Whether calls in sight give an axis lengths that are known and differ, for arrays of one rank."""
    number, index = axis
    found = {len(shape): set[Size]() for shape in _shapes(program, compiled, number)}
    for shape in _shapes(program, compiled, number):
        if index is not None and -len(shape) <= index < len(shape) and isinstance(shape[index], int):
            found[len(shape)].add(shape[index])
    return any(len(sizes) > 1 for sizes in found.values())


def _is_last(program: Program, compiled: Compiled, axis: Axis) -> bool:
    """Whether an axis is the last of several in each call in sight, or written as such."""
    number, position = axis
    ranks = {len(shape) for shape in _shapes(program, compiled, number)}
    return position == -1 or bool(position and ranks == {position + 1})


def applies(program: Program, compiled: Compiled, effect: Effect, varying: Varying | None, trace: int) -> bool:
    """Whether the calls in sight bring about an effect that a trace shows; if they do not tell, they may."""
    if effect.when == "always":
        return True
    if effect.when == "seen" and effect.way == "crash":
        return _has_unit(_served(program, compiled, trace), effect)
    if effect.when == "over":
        return _over(_served(program, compiled, trace), effect)
    if varying is None or effect.way == "first":
        return effect.when != "seen"
    if not matters(program, compiled, effect.axes, varying, features=True):
        return False
    return (effect.when not in ("unit", "seen") or _unit(program, compiled, effect)) and (
        effect.when != "less" or _less(program, compiled, effect)
    )


def _served(program: Program, compiled: Compiled, trace: int) -> Sequence[Call]:
    """The calls in sight that a trace may serve: with arrays of as many axes. An axis at the same place of other arrays is another one."""
    ranks = next((found.ranks for found in program.traces.get(compiled.number, ()) if found.number == trace), ())
    return [
        call
        for call in program.compiled_calls.get(compiled.number, ())
        if all(shape is None or rank is None or len(shape) == rank for shape, rank in zip(call.shapes, ranks))
    ]


def _has_unit(calls: Sequence[Call], effect: Effect) -> bool:
    """Whether all axes in an effect have length 1 in one of some calls."""
    return any(all(size_in(call, axis) == 1 for axis in effect.axes) for call in calls)


def _over(calls: Sequence[Call], effect: Effect) -> bool:
    """Whether an axis in an effect is longer than its limit in one of some calls."""
    sizes = (size_in(call, axis) for call in calls for axis in effect.axes)
    return any(isinstance(size, int) and size > effect.limit for size in sizes)


def _unit(program: Program, compiled: Compiled, effect: Effect) -> bool:
    """Whether an axis in an effect has length 1 in one call in sight and another length in another."""
    return any(1 in sizes and len(set(sizes)) > 1 for sizes in _lengths(program, compiled, effect))


def _less(program: Program, compiled: Compiled, effect: Effect) -> bool:
    """Whether an axis in an effect is shorter in a call in sight than in the first one, or may be."""
    for sizes in _lengths(program, compiled, effect):
        known = [size for size in sizes if isinstance(size, int)]
        if len(known) < len(sizes) or min(known) < known[0]:
            return True
    return False


def _lengths(program: Program, compiled: Compiled, effect: Effect) -> Iterator[Sequence[Size]]:
    """The lengths of each axis in an effect in the calls in sight, in their order. Any axis is one of those that the array has in all of them."""
    for number, axis in effect.axes:
        shapes = _shapes(program, compiled, number)
        for index in range(min(map(len, shapes))) if axis is None else (axis,):
            yield [shape[index] for shape in shapes if -len(shape) <= index < len(shape)]


def _shapes(program: Program, compiled: Compiled, number: int) -> Sequence[tuple[Size, ...]]:
    """The shapes of an array argument in the calls in sight that have it, as far as they are known."""
    return [
        shape for call in program.compiled_calls.get(compiled.number, ()) for shape in call.shapes[number : number + 1] if shape is not None
    ]


def size_in(call: Call, axis: Axis) -> Size:
    """The length of an axis in a call; None if it is not known."""
    number, index = axis
    shape = next(iter(call.shapes[number : number + 1]), None)
    return shape[index] if shape is not None and index is not None and -len(shape) <= index < len(shape) else None


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
    return tuple(device for device in DEVICES if all(device in effect.right_on for effect in effects))


def _elsewhere(effects: Sequence[Effect]) -> str:
    devices = [DEVICES[device] for device in right_on(effects)]
    return f", but not on {' and '.join(devices)}" if devices else ""


def in_versions(effects: Sequence[Effect]) -> str:
    """The versions of MLX with these effects, as ` with mlx 0.25.2 to 0.28.0`; nothing where it is all that are judged."""
    versions = {version for effect in effects for version in effect.versions}
    judged = next((effect.judged for effect in effects), ())
    return among(versions, judged)
