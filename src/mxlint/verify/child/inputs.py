"""Arguments for a function that nobody calls in sight: hints and annotations first, then ranks, sizes and kinds until the uncompiled function runs."""

from __future__ import annotations

import inspect
import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import mlx.core as mx

Spec = dict[str, Any]

SIZE = 8
SIZES = (SIZE, 2 * SIZE, SIZE - 3)
"""Of a dimension that is free: at the first call, at a later one that is larger, and at one that is smaller."""
SHAPES: tuple[list[Any], ...] = (["n", "n"], [2, "n", "n"], [2, "n", "n", "n"], ["n"], [])
MOST_TRIES = 300
MOST_SECONDS = 5.0
INTEGERS = ("idx", "index", "indices", "ids", "pos", "token", "label", "target_ids")
NUMBERS: dict[str, tuple[str, ...]] = {
    "float": ("eps", "temp", "temperature", "top_p", "min_p", "scale", "limit", "alpha", "beta", "lr", "rate", "decay"),
    "int": ("k", "n", "top_k", "n_group", "axis", "dim", "bits", "num", "count", "steps", "step", "heads", "group"),
    "bool": ("norm", "is", "use", "training", "causal", "flag"),
}
VALUES: dict[str, list[Any]] = {"float": [0.5, 1.0], "int": [2, 1, 4, SIZE], "bool": [True, False], "str": [""], "None": [None]}


def parameters(fun: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that need an argument."""
    try:
        found = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [parameter for parameter in found if parameter.kind in kinds and parameter.default is inspect.Parameter.empty]


def choices(parameter: inspect.Parameter, hints: Mapping[str, Spec], strings: Sequence[str], scalars: Sequence[str]) -> list[Spec]:
    """What may be given for a parameter, the most likely first."""
    name = parameter.name
    if name in hints:
        return [hints[name]]
    arrays: list[Spec] = [{"array": shape, "dtype": "float32"} for shape in SHAPES]
    whole: list[Spec] = [{"array": shape, "dtype": "int32"} for shape in (["n"], ["n", "n"])]
    numbers: list[Spec] = [{"value": value} for kind in ("int", "float", "bool") for value in VALUES[kind]]
    texts: list[Spec] = [{"value": text} for text in strings]
    lists: list[Spec] = [{"list": [arrays[0], arrays[0]]}, {"value": [1, 2]}]
    annotation = parameter.annotation if isinstance(parameter.annotation, str) else getattr(parameter.annotation, "__name__", "")
    bare = annotation.rpartition(".")[2].strip()
    if name in scalars:
        return [*numbers, {"value": [1, 2]}]
    if bare == "array":
        return arrays + whole
    if bare in VALUES:
        return [{"value": value} for value in VALUES[bare]] + (texts if bare == "str" else [])
    if any(word in name.split("_") for word in INTEGERS):
        return whole + arrays + numbers
    if "mask" in name:
        return [{"array": ["n", "n"], "dtype": "bool_"}, *arrays]
    for kind, words in NUMBERS.items():
        if any(name == word or name.startswith(f"{word}_") or name.endswith(f"_{word}") for word in words):
            return [{"value": value} for value in VALUES[kind]] + arrays
    return arrays + numbers + lists + texts + whole


def make(spec: Spec, call: int, position: int, varies: str) -> Any:
    """The argument of a call. Arrays of later calls hold other numbers and, if `varies`, have other sizes: in all free dimensions, or in all
    but the last, which is mostly a number of features, if it is "leading"."""
    if "list" in spec:
        return [make(item, call, position * 7 + number, varies) for number, item in enumerate(spec["list"])]
    if "value" in spec:
        return spec["value"]
    size = SIZES[call % len(SIZES)] if varies else SIZE
    shape = [size if isinstance(item, str) else item for item in spec["array"]]
    if varies == "leading" and len(shape) > 1 and isinstance(spec["array"][-1], str):
        shape[-1] = SIZE
    dtype = getattr(mx, spec["dtype"])
    count = math.prod(shape)
    numbers = [((index * 37 + position * 11 + call * 5) % 19 + 1) / 10 for index in range(count)]
    if dtype in (mx.float32, mx.float16, mx.bfloat16):
        made = mx.array(numbers).astype(dtype)
    elif dtype == mx.bool_:
        made = mx.array([number > 1 for number in numbers])
    else:
        made = mx.array([int(number * 10) % 4 for number in numbers]).astype(dtype)
    made = mx.reshape(made, shape)
    mx.eval(made)
    return made


def ordered(options: Sequence[Sequence[Spec]]) -> Iterator[tuple[Spec, ...]]:
    """Choices for all parameters together, by their distance from the first ones; like ones for all are tried early."""
    if not options:
        yield ()
        return
    longest = max(len(found) for found in options)
    for number in range(min(longest, len(SHAPES))):
        yield tuple(found[min(number, len(found) - 1)] for found in options)
    for distance in range(1, sum(len(found) - 1 for found in options) + 1):
        for steps in itertools.product(*(range(min(len(found), distance + 1)) for found in options)):
            if sum(steps) == distance:
                yield tuple(found[step] for found, step in zip(options, steps))


def search(fun: Callable[..., Any], options: Sequence[Sequence[Spec]], names: Sequence[str], varies: str) -> list[Spec] | None:
    """The first choices with which the function runs, at every size that will be asked for."""
    until = time.monotonic() + MOST_SECONDS
    for specs in itertools.islice(ordered(options), MOST_TRIES):
        if time.monotonic() > until:
            return None
        if all(runs(fun, specs, names, call, varies) for call in range(len(SIZES) if varies else 1)):
            return list(specs)
    return None


def runs(fun: Callable[..., Any], specs: Sequence[Spec], names: Sequence[str], call: int, varies: str) -> bool:
    """Whether a function takes these arguments."""
    try:
        evaluate(apply(fun, specs, names, call, varies))
    except Exception:  # noqa: BLE001 - whatever it raises
        return False
    return True


def apply(fun: Callable[..., Any], specs: Sequence[Spec], names: Sequence[str], call: int, varies: str) -> Any:
    """One call. Names that begin with a star can only be given by name."""
    made = [(name, make(spec, call, position, varies)) for position, (name, spec) in enumerate(zip(names, specs))]
    return fun(*(value for name, value in made if name[0] != "*"), **{name[1:]: value for name, value in made if name[0] == "*"})


def evaluate(result: Any) -> None:
    """Compute every array in a result: a wrong argument may show only then."""
    if isinstance(result, mx.array):
        mx.eval(result)
    elif isinstance(result, (list, tuple)):
        for item in result:
            evaluate(item)
    elif isinstance(result, dict):
        for item in result.values():
            evaluate(item)


def told(names: Sequence[str], specs: Sequence[Spec]) -> str:
    """Arguments in words, as a hint comment would give them."""
    return ", ".join(f"{name.lstrip('*')}={_word(spec)}" for name, spec in zip(names, specs))


def _word(spec: Spec) -> str:
    if "list" in spec:
        return f"[{', '.join(_word(item) for item in spec['list'])}]"
    return (
        repr(spec["value"])
        if "value" in spec
        else f"{spec['dtype']}[{','.join(str(SIZE) if isinstance(item, str) else str(item) for item in spec['array'])}]"
    )
