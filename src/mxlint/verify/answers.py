"""What a child hands in, declared and checked: the one place where it enters. The program that runs there can write what it likes; whatever does
not have the declared form, or contradicts itself, was not written by the experiment.

A key that is not declared is let through: a test holds the answers of real children against the declarations.
"""

from __future__ import annotations

import json
import math
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Literal, TypedDict

MOST_DEPTH = 64
"""The child looks into values less deep."""
LARGEST = 1 << 64
"""No whole number that counts, or that an array holds, is as large."""

Count = typing.Annotated[int, "count"]
"""A whole number from 0."""
Value = typing.Annotated[Any, "value"]
"""What `child/values.py` makes of a value: `seen`."""
Key = typing.Annotated[Any, "key"]
"""What `child/values.py` makes of arguments: `signature`."""
Number = typing.Annotated[float, "number"]
"""One that can be computed with."""
Time = typing.Annotated[float, "time"]
"""A number over 0."""
Spot = tuple[Count, Count, Count, Count]


class Mlx(TypedDict):
    version: str
    device: str


class _Call(TypedDict):
    object: Count
    file: str
    row: Count
    span: Spot | None
    key: tuple[Key, Key]
    traced: Count
    error: int | None
    at: Count
    off: bool


class Call(_Call, total=False):
    before: Value
    after: Value
    globals: dict[str, Value]
    lazy_bytes: Count
    extra_bytes: Count
    transformed: bool
    transform: tuple[str, Count] | None
    operations: Count
    operation: str
    drew: bool
    result: Value
    result_leaks: list[str]
    result_id: int
    leaks: list[str]
    held: dict[str, Count]


class Raised(TypedDict):
    type: str
    message: str
    file: str
    row: Count
    left: bool
    object: Count | None
    call: int | None
    rows: list[tuple[str, Count]]
    asked: str
    instruction: str
    at: Spot | None


class Made(TypedDict):
    """A compiled object."""

    file: str
    row: Count
    inputs: bool
    outputs: bool
    shapeless: bool
    name: str
    kind: str
    parameters: list[str]
    span: Spot | None
    made: Count
    died: Count | None
    failed: str | None
    nested: Count
    nested_traced: Count
    threads: list[Count]
    threads_traced: Count
    public: str | None


class Logged(TypedDict):
    file: str
    row: Count
    type: str
    message: str
    inside: bool


class Use(TypedDict):
    """Of what stands in for something."""

    name: str
    how: str
    file: str
    row: Count
    within: Count | None


class Timed(TypedDict):
    call: Count
    arrays: Count
    lazy: Count


class Reading(TypedDict):
    file: str
    row: Count
    calls: list[Timed]
    waited: int


class Seen(TypedDict):
    """A watched expression."""

    inside: Count
    outside: Count
    finished: Count
    exact: bool
    objects: list[Count]


class Probed(TypedDict, total=False):
    constant: bool
    key: bool
    live: bool
    drew: bool


class _Alone(TypedDict):
    of: str
    shapes: list[list[Count]]
    plain: Value


class Alone(_Alone, total=False):
    compiled: Value
    error: str


class LengthOne(TypedDict, total=False):
    result: Value
    error: str


class _Begun(TypedDict):
    status: str
    guard: list[str]


class Begun(_Begun, total=False):
    """Of a child that did not come to the program."""

    detail: str
    mlx: Mlx
    canary: str | None
    fused: bool


class _Run(TypedDict):
    status: Literal["ok", "enough", "exit", "raised"]
    guard: list[str]
    mlx: Mlx
    canary: None
    fused: bool
    leaks: list[str]
    random_poisoned: bool
    end: dict[str, Value]
    calls: list[Call]
    exceptions: list[Raised]
    objects: list[Made]
    clocks: list[Reading]
    spans: list[tuple[Count, Count]]
    switches: list[tuple[str, str]]
    surroundings: list[str]
    disabled_by: str | None
    compiles: bool
    held: Count
    probes: dict[str, Probed]
    alone: list[Alone]
    captured: list[str]
    absent: list[str]
    listed: list[str]
    bodies: dict[str, Count]
    logging: list[Logged]
    watches: list[Seen]
    files: dict[str, Count]
    refused: list[str]
    stand_ins: list[str]
    absences: dict[str, str]
    uses: list[Use]
    standing_in: dict[str, str]
    replaced: dict[str, str]


class Run(_Run, total=False):
    """Of a program under watch. `exception`: what ended it."""

    detail: str
    exception: int
    changed: list[str]
    length_one: LengthOne | None
    recipe: dict[str, Any] | None
    inputs: str | None
    problem: str | None
    guessed: list[str]
    tries: Count
    attempts: list[dict[str, Any]]
    attempted: Count


class _Clocked(TypedDict):
    status: str
    guard: list[str]
    ended: str | None
    rounds: list[tuple[Time, Time]]
    built: list[Number]
    results: tuple[list[Value], list[Value]]


class Clocked(_Clocked, total=False):
    """Of a pair of processes under the clock."""

    mlx: Mlx
    canary: str | None
    who: Literal[0, 1]
    first: tuple[Time, Time]
    unit: list[Any] | None
    kernels: list[str]


def read(data: bytes, mode: str, watches: int) -> Mapping[str, Any] | None:
    """What a child handed in, of a program in which so many expressions are watched; None if it is not what the experiment writes."""
    try:
        answer = json.loads(data)
        if not isinstance(answer, dict) or "status" not in answer:
            return None
        form = Clocked if mode == "timed" else Run if "calls" in answer else Begun
        whole = check(form)(answer, 0) and WHOLE[form](answer, watches)
    except (ValueError, RecursionError):  # no JSON, or none that can be read
        return None
    return answer if whole else None


def _consistent(run: Mapping[str, Any], watches: int) -> bool:
    """Whether all that an answer refers to is in it."""
    calls, raised, objects, readings = (range(len(run[part])) for part in ("calls", "exceptions", "objects", "clocks"))
    return (
        len(run["watches"]) == watches
        and ("detail" in run or run["status"] in ("ok", "enough"))
        and run.get("exception", -1) in range(-1, len(raised))
        and (run.get("recipe") is None or isinstance(run.get("inputs"), str) and "guessed" in run)
        and all(call["object"] in objects and (call["error"] in (None, -1) or call["error"] in raised) for call in run["calls"])
        and all((call["key"][0][0], call["key"][1][0]) == ("tuple", "dict") for call in run["calls"])
        and all(one["object"] is None or one["object"] in objects for one in run["exceptions"])
        and all(one["call"] in (None, -1) or one["call"] in calls for one in run["exceptions"])
        and all(number in objects for watch in run["watches"] for number in watch["objects"])
        and all(start in readings and end in readings for start, end in run["spans"])
        and all(timed["call"] in calls for reading in run["clocks"] for timed in reading["calls"])
    )


def _paired(answer: Mapping[str, Any], _: int) -> bool:
    """Whether rounds have all that belongs to them."""
    return len(answer["built"]) == len(answer["rounds"]) and (not answer["rounds"] or "first" in answer and "mlx" in answer)


def _explained(answer: Mapping[str, Any], _: int) -> bool:
    """Whether it says why it did not come to the program."""
    return (
        answer["status"] == "failed"
        and isinstance(answer.get("canary"), str)
        and "mlx" in answer
        or answer["status"] == "no mlx"
        and "detail" in answer
    )


WHOLE: dict[Any, Callable[[Mapping[str, Any], int], bool]] = {Run: _consistent, Clocked: _paired, Begun: _explained}


# -- forms ------------------------------------------------------------------------------------------------------------

Check = Callable[[Any, int], bool]


@cache
def check(form: Any) -> Check:
    """Whether a value of JSON, at some depth, has the form that an annotation declares."""
    if typing.is_typeddict(form):
        return _record(form)
    origin, arguments = typing.get_origin(form), typing.get_args(form)
    if origin is typing.Annotated:
        return NAMED[arguments[1]]
    if origin is Literal:
        return lambda value, depth: any(type(value) is type(one) and value == one for one in arguments)
    if origin in (typing.Union, types.UnionType):
        parts = [check(argument) for argument in arguments]
        return lambda value, depth: any(part(value, depth) for part in parts)
    if origin is list:
        item = check(arguments[0])
        return lambda value, depth: isinstance(value, list) and all(item(one, depth + 1) for one in value)
    if origin is dict:
        held = check(arguments[1])
        return lambda value, depth: isinstance(value, dict) and all(held(one, depth + 1) for one in value.values())
    if origin is tuple:
        items = [check(argument) for argument in arguments]
        return lambda value, depth: (
            isinstance(value, list) and len(value) == len(items) and all(item(one, depth + 1) for item, one in zip(items, value))
        )
    if form is Any:
        return lambda value, depth: True
    kind = type(None) if form is None else form
    return lambda value, depth: type(value) is kind and (not isinstance(value, int) or -LARGEST < value < LARGEST)


def _record(form: Any) -> Check:
    parts = {name: check(hint) for name, hint in typing.get_type_hints(form, include_extras=True).items()}
    required = form.__required_keys__

    def whole(value: Any, depth: int) -> bool:
        return (
            isinstance(value, dict)
            and required <= value.keys()
            and all(name not in value or part(value[name], depth + 1) for name, part in parts.items())
        )

    return whole


def _count(value: Any, depth: int) -> bool:
    return type(value) is int and 0 <= value < LARGEST


def _number(value: Any, depth: int) -> bool:
    return type(value) is int and abs(value) < LARGEST or type(value) is float and math.isfinite(value)


def _time(value: Any, depth: int) -> bool:
    return _number(value, depth) and value > 0


def _key(value: Any, depth: int) -> bool:
    """A kind, and what is of it: the sizes and the dtype of an array, the parts of a container, a scalar as it is written."""
    if not isinstance(value, list) or not value or not isinstance(value[0], str) or depth > MOST_DEPTH:
        return False
    kind, parts = value[0], value[1:]
    if kind == "array":
        return bool(parts) and isinstance(parts[-1], str) and all(_count(size, depth) for size in parts[:-1])
    if kind == "dict":
        pairs = parts[1:]
        return (
            bool(parts)
            and isinstance(parts[0], str)
            and all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and _key(pair[1], depth + 1) for pair in pairs)
        )
    return len(parts) == 1 and isinstance(parts[0], str) or all(_key(part, depth + 1) for part in parts)


def _value(value: Any, depth: int) -> bool:
    """A scalar, an array, or an object of some type with what is in it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return True
    if not isinstance(value, dict) or depth > MOST_DEPTH:
        return False
    if "shape" in value:
        return _array(value)
    items = value.get("items", [])
    inside: Iterator[Any] = iter(items.values() if isinstance(items, dict) else items if isinstance(items, list) else ())
    fields = value.get("fields", {})
    return (
        isinstance(value.get("type"), str)
        and isinstance(items, (dict, list))
        and isinstance(fields, dict)
        and all(_value(one, depth + 1) for one in (*inside, *fields.values()))
    )


def _array(value: dict[str, Any]) -> bool:
    shape, values = value["shape"], value.get("values")
    return (
        isinstance(shape, list)
        and all(_count(size, 0) for size in shape)
        and isinstance(value.get("dtype"), str)
        and isinstance(value.get("leak", ""), str)
        and isinstance(value.get("hash", ""), str)
        and ("leak" in value or isinstance(values, list) and all(map(_element, values)))
        and all(map(_element, value.get("sums", [])))
    )


def _element(value: Any) -> bool:
    """A number of an array; a complex one is a pair."""
    if isinstance(value, list):
        return len(value) == 2 and all(isinstance(part, float) for part in value)
    return isinstance(value, (bool, float)) or type(value) is int and abs(value) < LARGEST


NAMED: dict[str, Check] = {"count": _count, "value": _value, "key": _key, "number": _number, "time": _time}
