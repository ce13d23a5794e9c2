"""What calls of MLX's functions make: shape and dtype of each array in the result, from descriptions of the arguments.

    result("mlx.core.sum", [ArrayType(shape, "bool")], {"axis": -1})        an ArrayType
    result("mlx.core.split", [ArrayType(shape, "float32"), 2], {})          a list of them

The data (results.json) is proved against real MLX by scripts/measure_results.py; docs/mlx-results.md describes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from mxlint.models.mlx import dtypes
from mxlint.models.mlx.arguments import UNKNOWN, Absent, Argument, ArrayType, Dtype, signature
from mxlint.models.mlx.language import Functions, Several, evaluate, of_node
from mxlint.models.mlx.products import PRODUCTS
from mxlint.models.mlx.shapes import SHAPES
from mxlint.resources import resource

Names = Mapping[str, Argument]
Given = TypeVar("Given")
SHAPE_FUNCTIONS: Functions = {**SHAPES, **PRODUCTS}


def _promote(*values: Argument) -> Dtype:
    """The dtype that operands are brought to."""
    return Dtype(dtypes.of_operands(values))


def _of(value: Argument) -> Dtype:
    """The dtype of what MLX makes an array of."""
    return value if isinstance(value, Dtype) else Dtype(dtypes.of_value(value))


def _given(value: Argument, default: Argument) -> Dtype:
    """The dtype that is given, or another where None is."""
    return value if isinstance(value, Dtype) else _of(default) if value is None else Dtype(None)


def _filled(value: Argument, dtype: Argument) -> Dtype:
    """The dtype of an array filled with a value: that of an array; what becomes of a number under the dtype that is asked for, if any."""
    if isinstance(value, ArrayType) or dtype is None:
        return _of(value)
    return Dtype(dtypes.filled(value, dtype.name if isinstance(dtype, Dtype) else None))


def _map(name: str) -> Callable[[Argument], Dtype]:
    return lambda value: Dtype(dtypes.of_map(name, _of(value).name))


def _keys() -> Mapping[str, Callable[..., Argument]]:
    maps = {name: _map(name) for name in dtypes.tables()["maps"]}
    return {**SHAPE_FUNCTIONS, "promote": _promote, "same": _of, "given": _given, "filled": _filled, **maps}


@lru_cache(maxsize=1)
def dtype_functions() -> Functions:
    """The functions of dtype expressions, and those of shapes but for `same`, which is the dtype of a value here."""
    return _keys()


@lru_cache(maxsize=4)
def entries(oldest: str | None = None) -> Mapping[str, Any]:
    """The data by canonical name; what holds for an older version of MLX as well if one is given."""
    return since(json.loads(resource("models", "mlx", "results.json").read_bytes())["entries"], oldest)


def since(data: Mapping[str, Any], oldest: str | None) -> Mapping[str, Any]:
    """Those entries that hold from this version on; all of them if none is given."""
    if oldest is None:
        return data
    return {name: entry for name, entry in data.items() if _version(entry.get("from", "0")) <= _version(oldest)}


def _version(text: str) -> list[int]:
    """The release of a version as numbers to compare."""
    digits = ["".join(character for character in part if character.isdigit()) for part in text.split(".")[:3]]
    return [int(part or 0) for part in digits]


def has(name: str, oldest: str | None = None) -> bool:
    """Whether the result of a function is modelled."""
    return "unknown" not in entries(oldest).get(name, {"unknown": ""})


def result(
    name: str,
    arguments: Sequence[Argument],
    keywords: Mapping[str, Argument],
    outer: tuple[Sequence[Argument], Mapping[str, Argument]] = ((), {}),
    oldest: str | None = None,
) -> Argument:
    """What a call makes: an `ArrayType`, a list or tuple of them, or `UNKNOWN` where there is no entry or the call is one that raises.

    Of a function that returns a function (an initializer, a schedule) it is what that one makes of the arguments; `outer` is the call that returned it. The result is that of MLX from
    version `oldest` on, or of the newest version that was measured.
    """
    entry = entries(oldest).get(name, {})
    for form in entry.get("forms", (entry,)):
        names = bound(form, arguments, keywords, *outer) if "shape" in form else None
        if names is not None:
            return typed(form["shape"], form["dtype"], names)
    return UNKNOWN


def named(name: str, arguments: Sequence[Given], keywords: Mapping[str, Given]) -> list[tuple[str, Given]]:
    """The arguments of a call, each with its parameter; "" where that is not known."""
    entry = entries(None).get(name, {})
    for form in entry.get("forms", (entry,)):
        given = signature(form["parameters"]) if "parameters" in form and "inner" not in form else None
        if given is not None and (len(arguments) <= len(given.positional) or given.variadic is not None):
            places = (*given.positional, *(given.variadic or "",) * (len(arguments) - len(given.positional)))
            return [*zip(places, arguments), *keywords.items()]
    return [*(("", argument) for argument in arguments), *keywords.items()]


def default_of(name: str, parameter: str) -> Argument:
    """What a parameter of a function is where a call leaves it out; `UNKNOWN` where that is not known."""
    entry = entries(None).get(name, {})
    for form in entry.get("forms", (entry,)):
        node = signature(form["parameters"]).defaults.get(parameter) if "parameters" in form else None
        if node is not None:
            return default(node)
    return UNKNOWN


def bound(
    form: Mapping[str, str],
    arguments: Sequence[Argument],
    keywords: Mapping[str, Argument],
    before: Sequence[Argument],
    named: Mapping[str, Argument],
) -> dict[str, Argument] | None:
    """The arguments by parameter, of the returned function and of the call that returned it if the form has both; None where a call raises."""
    if "inner" not in form:
        return signature(form["parameters"]).bind(arguments, keywords, default)
    made = signature(form["parameters"]).bind(before, named, default)
    inner = signature(form["inner"]).bind(arguments, keywords, default)
    return None if made is None or inner is None else made | inner


def default(node: Any) -> Argument:
    """The value of a default in a signature."""
    return of_node(node, {}, {})


def typed(shape: str, dtype: str, names: Names) -> Argument:
    """The arrays of a shape expression with the dtypes of another."""
    return _paired(evaluate(shape, names, SHAPE_FUNCTIONS), evaluate(dtype, names, dtype_functions()))


def _paired(shape: Argument, dtype: Argument) -> Argument:
    """Shapes with their dtypes: one for all, or several by position, of which the last stands for all that follow."""
    if isinstance(shape, Several):
        kinds = dtype.items if isinstance(dtype, Several) else (dtype,)
        return shape.kind([_paired(one, kinds[min(i, len(kinds) - 1)]) for i, one in enumerate(shape.items)])
    if isinstance(shape, (list, tuple)):
        shape = SHAPES["sized"](shape)
    if not isinstance(shape, ArrayType):
        return shape if shape is None or isinstance(shape, Absent) else UNKNOWN
    kind = dtype.items[0] if isinstance(dtype, Several) else dtype
    return ArrayType(shape.shape, _of(kind).name)


def array_result(name: str, arguments: Sequence[Argument], keywords: Mapping[str, Argument]) -> ArrayType | None:
    """What a call makes that returns one array; None where that is not known."""
    found = result(name, arguments, keywords)
    return found if isinstance(found, ArrayType) else None
