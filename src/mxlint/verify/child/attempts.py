"""Further calls of what the program compiled, made when it is over, to bring about what its own calls did not show.

The uncompiled run looks for arguments with which the function runs; the compiled one makes the same calls. A call is described by what it changes
about the last call of the same compiled object, so that both runs make it alike, and so that it can be told to people.
"""

from __future__ import annotations

import math
import os
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import mlx.core as mx

from . import inputs, observe, values

Attempt = dict[str, Any]
"""`object`: the number of a compiled object; `shapes`: for each array among its arguments the shape to give it, or None to leave it;
`values`: other Python values, by position or keyword; `given`: arguments as another call in sight gives them, where that is known."""
MOST = 12
"""Further calls of one compiled object."""
MOST_ELEMENTS = 1 << 22
"""Elements of an array of such a call: 16 MB of float32."""
MOST_CONSTANT = 1 << 16
"""A larger number in the code is not taken for one that a size is compared or combined with."""
REPEATED: Attempt = {"shapes": None, "values": {}, "given": {}}


Last = Mapping[int, tuple[Any, tuple[Any, ...], dict[str, Any]]]
"""By the number of a compiled object: what to call, and the arguments of its last call by the program."""


def make(observer: observe.Observer, order: Mapping[str, Any], root: str) -> list[Attempt]:
    """Make the calls that `order` lists; without a list look for calls that run, make these, and return them.

    `order` holds `sites` (file, first and last row) whose objects are called, `kinds` of attempts, `axes` that may vary beside those that vary
    between the program's calls, the `shortest` length that they get, calls in sight that were `given` but not made, and, where calls are wanted that raise, the file and rows where
    they are to do so (`raises`).
    """
    last = dict(observer.last)
    listed: list[Attempt] | None = order["list"]
    if listed is not None:
        for attempt in listed:
            _call(observer, last, attempt)
        return listed
    found: list[Attempt] = []
    for number in last:
        if _of_sites(observer.objects[number], order["sites"]):
            kept = 0
            for attempt in _candidates(observer, last, number, order, root):
                if kept >= MOST:
                    break
                before = len(observer.exceptions)
                if _call(observer, last, attempt):
                    found.append(attempt)
                elif _raised_at(observer.exceptions[before:], order["raises"]):
                    found += [attempt, {"object": number, **REPEATED}]  # a call after one that raised shows what that left behind
                    _call(observer, last, found[-1])
                else:
                    continue
                kept += 1
    return found


def _raised_at(exceptions: Sequence[Mapping[str, Any]], aim: Sequence[Any] | None) -> bool:
    """Whether one of these was raised, or passed, in the rows that are the aim."""
    return aim is not None and any(
        file == aim[0] and aim[1] <= row <= aim[2] for item in exceptions for file, row in [*item["rows"], (item["file"], item["row"])]
    )


def _of_sites(made: observe.Object, sites: Sequence[Sequence[Any]]) -> bool:
    return any(made.file == file and first <= made.row <= last for file, first, last in sites)


def _call(observer: observe.Observer, last: Last, attempt: Attempt) -> bool:
    """Whether a call came to its end, its results computed. What it raises is noted, as that of any call."""
    known = last.get(attempt["object"])
    if known is None:
        return False
    fun, args, kwargs = known
    arguments = _arguments(attempt, args, kwargs)
    if arguments is None:
        return False
    with suppress(Exception):
        inputs.evaluate(observer.called(observer.objects[attempt["object"]], fun, *arguments))
        return True
    return False


def _arguments(attempt: Attempt, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments of an attempt; None where they cannot be made."""
    changed = {str(number): value for number, value in enumerate(args)} | kwargs
    for name, spec in attempt["given"].items():
        if "array" in spec:
            changed[name] = inputs.make(spec, name, 0, 0, "")
        else:
            changed[name] = spec["value"]
    for name, value in attempt["values"].items():
        changed[name] = value
    positional = [changed.pop(str(number)) for number in range(len(changed)) if str(number) in changed]
    if any(name.isdigit() for name in changed):
        return None
    if attempt["shapes"] is not None:
        leaves = values.arrays([positional, changed])
        if len(leaves) != len(attempt["shapes"]):
            return None
        others = iter([leaf if shape is None else resized(leaf, shape) for leaf, shape in zip(leaves, attempt["shapes"])])
        positional, changed = values.with_arrays([positional, changed], others)
    return tuple(positional), changed


def resized(array: mx.array, shape: Sequence[int]) -> mx.array:
    """Return an array of another shape with the same values, gone round again where it is longer."""
    for axis, size in enumerate(shape):
        if size != array.shape[axis]:
            array = mx.take(array, mx.arange(size) % max(1, array.shape[axis]), axis)
    mx.eval(array)
    return array


# -- which calls -------------------------------------------------------------------------------------------------------


def _candidates(observer: observe.Observer, last: Last, number: int, order: Mapping[str, Any], root: str) -> Iterator[Attempt]:
    makers = {"given": _given, "flags": _flags, "scalars": _scalars, "again": _again, "sizes": _sizes}
    for kind in order["kinds"]:
        for attempt in makers[kind](observer, last, number, order, root):
            yield {"object": number, **REPEATED, **attempt}


def _again(observer: observe.Observer, last: Last, number: int, order: Mapping[str, Any], root: str) -> Iterator[Attempt]:
    """The last call, twice more."""
    yield {}
    yield {}


def _given(observer: observe.Observer, last: Last, number: int, order: Mapping[str, Any], root: str) -> Iterator[Attempt]:
    """Calls in sight that the program did not make; what is not known of them is as in the last call."""
    names = [parameter.name for parameter in inputs.parameters(_function(observer.objects[number]))]
    places = {name: str(place) for place, name in enumerate(names[: len(last[number][1])])}
    for given in order["given"]:
        yield {"given": {places.get(name, name): spec for name, spec in given.items()}}


def _flags(observer: observe.Observer, last: Last, number: int, order: Mapping[str, Any], root: str) -> Iterator[Attempt]:
    """Both outcomes of each flag: an argument, or a default, that is True or False."""
    _, args, kwargs = last[number]
    known: dict[str, Any] = {str(place): value for place, value in enumerate(args)} | kwargs
    for place, parameter in enumerate(inputs.parameters(_function(observer.objects[number]))):
        name = str(place) if place < len(args) else parameter.name
        if name not in known and isinstance(parameter.default, bool):
            known[parameter.name] = parameter.default
    for name, value in known.items():
        if isinstance(value, bool):
            yield {"values": {name: not value}}


def _scalars(observer: observe.Observer, last: Last, number: int, order: Mapping[str, Any], root: str) -> Iterator[Attempt]:
    """Numbers of another kind that the cache may take for the same."""
    _, args, kwargs = last[number]
    others: dict[type, list[Any]] = {bool: [0, 1], int: [True, False], float: [0]}
    for name, value in ({str(place): value for place, value in enumerate(args)} | kwargs).items():
        for other in others.get(type(value), ()):
            if other == value:
                yield {"values": {name: other}}


def _sizes(observer: observe.Observer, last: Last, number: int, order: Mapping[str, Any], root: str) -> Iterator[Attempt]:
    """Other sizes of the axes that may vary: one more, one less, twice as many, one, and around the constants of the code."""
    _, args, kwargs = last[number]
    leaves = values.arrays([args, kwargs])
    shapes = [values.shapes(call["key"]) for call in observer.calls if call["object"] == number]
    shapes = [found for found in shapes if [len(shape) for shape in found] == [leaf.ndim for leaf in leaves]]
    axes = _varying(shapes) | {(leaf, axis) for leaf, axis in map(tuple, order["axes"]) if leaf < len(leaves) and axis < leaves[leaf].ndim}
    constants = sorted(_constants(observer.objects[number], root))
    groups = _together(axes, shapes)
    alone = [[axis] for together in groups if len(together) > 1 for axis in together]
    for group in [*groups, *alone]:
        size = leaves[group[0][0]].shape[group[0][1]]
        wanted = [size + 1, size - 1, 2 * size, 1, *(constant + by for constant in constants for by in (1, 0, -1))]
        for other in dict.fromkeys(wanted):
            changed = [list(leaf.shape) for leaf in leaves]
            for leaf, axis in group:
                changed[leaf][axis] = other
            if other >= order["shortest"] and other != size and all(math.prod(shape) <= MOST_ELEMENTS for shape in changed):
                yield {"shapes": changed}


def _varying(shapes: Sequence[Sequence[Sequence[int]]]) -> set[tuple[int, int]]:
    """The axes, by array and number, whose sizes differ between the program's calls."""
    return {
        (leaf, axis)
        for leaf, shape in enumerate(shapes[0] if shapes else ())
        for axis in range(len(shape))
        if len({call[leaf][axis] for call in shapes}) > 1
    }


def _together(axes: set[tuple[int, int]], shapes: Sequence[Sequence[Sequence[int]]]) -> list[list[tuple[int, int]]]:
    """The axes in groups that had the same size in every call of the program: they are taken for one dimension."""
    groups: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for leaf, axis in sorted(axes):
        groups.setdefault(tuple(call[leaf][axis] for call in shapes), []).append((leaf, axis))
    return list(groups.values())


def _function(made: observe.Object) -> Any:
    return made.function() if made.function is not None else None


def _constants(made: observe.Object, root: str) -> set[int]:
    """The whole numbers in the code of a function and of the program's functions that it names, and those that it names itself."""
    found: set[int] = set()
    function = _function(made)
    done: set[types.CodeType] = set()
    waiting = [getattr(function, "__func__", function)]
    while waiting:
        one = waiting.pop()
        code = getattr(one, "__code__", None)
        if code is None or code in done or not code.co_filename.startswith(root.rstrip(os.sep) + os.sep):
            continue
        done.add(code)
        named = [one.__globals__.get(name) for name in code.co_names]
        found |= {*_numbers(code), *(value for value in named if type(value) is int)}
        waiting += [vars(one).get("__wrapped__"), *named]
    return {number for number in found if 1 < number <= MOST_CONSTANT}


def _numbers(code: types.CodeType) -> Iterator[int]:
    for item in code.co_consts:
        if type(item) is int:
            yield item
        elif isinstance(item, types.CodeType):
            yield from _numbers(item)
