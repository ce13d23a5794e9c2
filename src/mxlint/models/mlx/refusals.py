"""Which calls MLX refuses for sure, and with which exception.

    refusal("mlx.core.reshape", [ArrayType((2, 4), "float32"), (2, 3)], {})     "builtins.ValueError"
    refusal("mlx.core.reshape", [ArrayType((2, None), "float32"), (2, 3)], {})  None

The expression of a shape (`results`) makes nothing of a call that MLX rejects. The data (refusals.json) says of which functions the reverse holds as well: MLX raises
wherever the expression makes nothing. scripts/measure_refusals.py proves it against real MLX; docs/mlx-results.md describes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from mxlint.domain.size import Size
from mxlint.models.mlx import results
from mxlint.models.mlx.arguments import UNKNOWN, Argument, ArrayType, Scalar, Unknown
from mxlint.models.mlx.language import evaluate
from mxlint.models.mlx.layers import Layer, layer_model
from mxlint.resources import resource

LENGTHS: Final = "lengths"
"""What the model has to know of the arguments: the length of each axis,"""
DTYPES: Final = "dtypes"
"""the dtype of each array,"""
NUMBERS: Final = "numbers"
"""each number. The rank of each array it has to know in any case."""
OF_LAYERS: Final = ("training", "weights")
"""What expressions of layers may name besides: it says nothing of shapes."""
Given = Mapping[str, Argument]


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Any]:
    """The data by canonical name: for each form of parameters of a function the class that is raised and what has to be known; None where nothing is proved."""
    found: Mapping[str, Any] = json.loads(resource("models", "mlx", "refusals.json").read_bytes())["entries"]
    return found


def decides(name: str) -> bool:
    """Whether anything is said of a function."""
    return name in entries()


def asks(name: str) -> bool:
    """Whether a function asks something of its arguments that the shape of its result does not show."""
    return any(form is not None and "takes" in form for form in entries().get(name, ()))


def refusal(name: str, arguments: Sequence[Argument], keywords: Given) -> str | None:
    """The class of the exception that a call of a function surely raises, by its canonical name; None where it may return, or the class is not known."""
    proved = entries().get(name)
    if proved is None:
        return None
    arguments, keywords = list(map(numbers_alone, arguments)), {key: numbers_alone(value) for key, value in keywords.items()}
    entry = results.entries().get(name)
    for form, refused in zip(proved if entry is None else entry.get("forms", (entry,)), proved):
        names = results.bound(form, arguments, keywords, (), {})
        if names is not None:
            return None if refused is None else of_form(form, names, refused)
    return None


def refusal_of_layer(layer: Layer, method: str, arguments: Sequence[Argument], keywords: Given, weights: Mapping[str, Any]) -> str | None:
    """The same of a method of a layer, with the weights of now. Of a weight that may be no array nothing is known."""
    form, (proved,) = layer_model().entries[layer.name]["methods"].get(method), entries().get(f"{layer.name}.{method}", (None,))
    if form is None or proved is None:
        return None
    now = {name: numbers_alone(weights.get(name, None if made is None else ArrayType(None, None))) for name, made in layer.weights.items()}
    if not all(weight is None or isinstance(weight, ArrayType) for weight in now.values()):
        return None
    named = {name: numbers_alone(value) for name, value in keywords.items()}
    names = layer_model().names(layer, form, list(map(numbers_alone, arguments)), named, now)
    return None if names is None else of_form(form, names, proved)


def of_form(form: Mapping[str, str], names: Given, refused: Mapping[str, Any]) -> str | None:
    """The class that a call raises whose arguments are bound. `refused`: what is proved of the function."""
    given = {name: value for name, value in names.items() if name not in OF_LAYERS}
    if not missing(given.values()).isdisjoint((*refused["needs"], "rank")):
        return None
    if any(not kinds(value) <= {*refused["kinds"].get(name, ("NoneType",))} for name, value in given.items()):
        return None
    return raised(refused["raises"], names) if refuses(form, names, refused) else None


def refuses(form: Mapping[str, str], names: Given, refused: Mapping[str, Any]) -> bool:
    """Whether the expressions make nothing of a call: that of the shape, or that of what MLX asks of the arguments besides."""
    if "shape" in form and unmade(results.typed(form["shape"], form["dtype"], names)):
        return True
    return "takes" in refused and unmade(_shape_of(refused["takes"], names))


def _shape_of(expression: str, names: Given) -> Argument:
    found = evaluate(expression, names, results.SHAPE_FUNCTIONS)
    return results.SHAPE_FUNCTIONS["sized"](found) if isinstance(found, (list, tuple)) else found


def raised(expression: str, names: Given) -> str | None:
    """The class that an expression names, by its canonical name."""
    found = evaluate(expression, names, results.SHAPE_FUNCTIONS)
    return f"builtins.{found}" if isinstance(found, str) else None


def unmade(found: Argument) -> bool:
    """Whether a model makes nothing of a call, or of a part of what it makes."""
    if isinstance(found, (list, tuple)):
        return any(map(unmade, found))
    return isinstance(found, Unknown) or isinstance(found, ArrayType) and found.shape is None


def kinds(value: Argument) -> set[str]:
    """What sort of argument something is; of a sequence also what its items are. MLX was asked with some sorts of each parameter, and of others nothing is known."""
    if isinstance(value, (list, tuple)):
        return {"sequence"}.union(*({f"of {kind}" for kind in kinds(part)} for part in value))
    if isinstance(value, ArrayType):
        return {"array"}
    return {value.type if isinstance(value, Scalar) else "int" if isinstance(value, Size) else type(value).__name__}


def numbers_alone(value: Argument) -> Argument:
    """A description that says of lengths no more than numbers: how lengths depend on each other may rest on a presumption."""
    if isinstance(value, ArrayType):
        if value.shape is None or all(size is not None and size.number is not None for size in value.shape):
            return value
        return ArrayType(tuple(None if size is None or size.number is None else size for size in value.shape), value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value)(map(numbers_alone, value))
    return value if not isinstance(value, Size) else Scalar("int") if value.number is None else value.number


def missing(values: Any) -> set[str]:
    """What descriptions leave open, by the words above; "rank" for more."""
    found: set[str] = set()
    for value in values:
        if value is UNKNOWN or isinstance(value, ArrayType) and value.shape is None:
            found.add("rank")
        elif isinstance(value, ArrayType):
            found |= {LENGTHS} if value.shape is not None and None in value.shape else set()
            found |= {DTYPES} if value.dtype is None else set()
        elif isinstance(value, Scalar):
            found.add(NUMBERS)
        elif isinstance(value, (list, tuple)):
            found |= missing(value)
    return found
