"""What an exception says of the arguments: which kinds to try in their place, and which sizes have to be equal. The messages are MLX's and Python's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Spec = Mapping[str, Any]
Fits = Callable[[Spec, Spec, Sequence[int]], bool]
"""Whether an argument is what a message asks for in place of another, given the numbers in it."""


def _rank(spec: Spec) -> int | None:
    return len(spec["array"]) if "array" in spec else None


def _integral(spec: Spec, old: Spec, _: Sequence[int]) -> bool:
    return _of_integers(spec) and not _of_integers(old) and _rank(spec) == _rank(old)


def _of_integers(spec: Spec) -> bool:
    return "int" in spec["dtype"] if "array" in spec else type(spec.get("value")) is int


def _deeper(spec: Spec, old: Spec, numbers: Sequence[int]) -> bool:
    return (_rank(spec) or 0) > numbers[0]


def _of_length(spec: Spec, old: Spec, numbers: Sequence[int]) -> bool:
    return _rank(spec) == numbers[0] or len(spec.get("tuple", spec.get("list", ()))) == numbers[0]


def _array(spec: Spec, old: Spec, _: Sequence[int]) -> bool:
    return "array" in spec and "array" not in old


def _of_other_rank(spec: Spec, old: Spec, _: Sequence[int]) -> bool:
    return "array" in spec and "array" in old and spec["dtype"] == old["dtype"] and _rank(spec) != _rank(old)


def _no_array(spec: Spec, old: Spec, _: Sequence[int]) -> bool:
    return "array" not in spec and "array" in old


def _single(spec: Spec, old: Spec, _: Sequence[int]) -> bool:
    return "value" in spec or _rank(spec) == 0


REPAIRS: tuple[tuple[re.Pattern[str], Fits], ...] = (
    (
        re.compile(
            r"[Ii]ndices must be integral|Cannot gather with indices type|invalid dtype|Cannot index mlx array|indices must be integers"
        ),
        _integral,
    ),
    (re.compile(r"Too many indices for array with (\d+)"), _deeper),
    (re.compile(r"values to unpack \(expected (\d+)"), _of_length),
    (re.compile(r"'(?:int|float|bool|str|NoneType|list|tuple)' object has no attribute"), _array),
    (re.compile(r"'(?:mlx\.core\.)?array' object has no attribute|incompatible function arguments|std::bad_cast"), _no_array),
    (re.compile(r"length-1 arrays|interpreted as an integer|must be (?:an )?int"), _single),
    (
        re.compile(
            r"\[(?:broadcast_shapes|reshape|matmul|concatenate|squeeze|transpose|conv|split|take_along_axis|gather)|same number of dimensions"
        ),
        _of_other_rank,
    ),
)
"""Messages, and what to try for an argument instead."""


def asked(problem: str | None) -> tuple[Fits, Sequence[int]] | None:
    """What a message asks for."""
    for pattern, fits in REPAIRS:
        if problem is not None and (match := pattern.search(problem)):
            return fits, [int(group) for group in match.groups()]
    return None


_SHAPE = re.compile(r"\((\d+(?:,\s*\d+)*),?\)")


def _from_the_end(a: Sequence[int], b: Sequence[int]) -> Iterator[tuple[int, int]]:
    yield from ((x, y) for x, y in zip(reversed(a), reversed(b)) if x != y and 1 not in (x, y))


def _inner(a: Sequence[int], b: Sequence[int]) -> Iterator[tuple[int, int]]:
    yield a[-1], b[-2] if len(b) > 1 else b[-1]


def _by_axis(a: Sequence[int], b: Sequence[int]) -> Iterator[tuple[int, int]]:
    yield from ((x, y) for x, y in zip(a, b) if x != y)


EQUAL: tuple[tuple[str, Callable[[Sequence[int], Sequence[int]], Iterator[tuple[int, int]]]], ...] = (
    ("[broadcast_shapes]", _from_the_end),
    ("[matmul]", _inner),
    ("[addmm]", _inner),
    ("", _by_axis),
)
"""Messages that name two shapes, and which of their sizes have to be equal."""


def equal_sizes(problem: str) -> tuple[int, int] | None:
    """Two sizes that a message says should have been one."""
    shapes = [[int(size) for size in match.split(",")] for match in _SHAPE.findall(problem)]
    if len(shapes) < 2:
        return None
    pairs = next(of for mark, of in EQUAL if mark in problem)
    return next(pairs(shapes[0], shapes[1]), None)
