"""Layers and optimizers of MLX: what their constructors make, and what calling them makes.

    model = layer_model()
    layer = model.construct("mlx.nn.Linear", [64, 32], {"bias": False})
    layer.weights["weight"]                              float32[32, 64]
    model.call(layer, [ArrayType(shape, "float16")])     an ArrayType

The data (layers.json, optimizers.json) is proved against real MLX by scripts/measure_layers.py; docs/mlx-results.md describes it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from mxlint.domain.size import MaybeSize
from mxlint.models.mlx import dtypes, results
from mxlint.models.mlx.arguments import UNKNOWN, Absent, Argument, ArrayType, Dtype, integer, signature, truth
from mxlint.models.mlx.language import evaluate, of_node, parse
from mxlint.resources import resource

Names = Mapping[str, Argument]


class Layer:
    """An instance of a layer as its constructor leaves it.

    `names` are the arguments of the constructor by parameter. `weights` are the attributes that are arrays, trained or not, or None; one that the
    arguments leave out is not there. `sublayers` are layers, lists of layers, `Repeated`, or what was given as an argument. `settings` are other
    attributes.
    """

    __slots__ = ("name", "names", "settings", "sublayers", "weights")

    def __init__(
        self,
        name: str,
        names: Names,
        weights: Mapping[str, ArrayType | None],
        sublayers: Mapping[str, Argument],
        settings: Mapping[str, Argument],
    ) -> None:
        self.name, self.names, self.weights, self.sublayers, self.settings = name, names, weights, sublayers, settings

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, Layer) and all(getattr(self, part) == getattr(other, part) for part in Layer.__slots__)

    def __hash__(self) -> int:
        return hash(self.name)


class Repeated:
    """A list of layers that were made in the same way; `count` is None where it is not known how many."""

    __slots__ = ("count", "layer")

    def __init__(self, layer: Layer, count: MaybeSize) -> None:
        self.layer, self.count = layer, count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Repeated) and (self.layer, self.count) == (other.layer, other.count)

    def __hash__(self) -> int:
        return hash((self.layer, self.count))


class LayerModel:
    """The data on layers and on optimizers, by canonical name."""

    __slots__ = ("entries", "optimizers")

    def __init__(self, entries: Mapping[str, Any], optimizers: Mapping[str, Any]) -> None:
        self.entries, self.optimizers = entries, optimizers

    def computes(self, name: str, method: str) -> bool:
        """Whether a method of a layer computes an array."""
        return method in self.entries.get(name, {}).get("methods", ())

    def drawn(self, name: str) -> Sequence[str]:
        """The weights of a layer that its constructor draws."""
        return tuple(self.entries.get(name, {}).get("drawn", ()))

    def always(self, name: str) -> Mapping[str, ArrayType]:
        """The weights that each layer of a class has, whatever its constructor is given, without the dtype that they may have been brought to."""
        entry = self.entries.get(name, {})
        form = signature(entry.get("parameters", ""))
        anything: Names = dict.fromkeys((*form.positional, *form.keyword_only), UNKNOWN)
        made = {weight: results.typed(shape, dtype, anything) for weight, (shape, dtype) in entry.get("weights", {}).items()}
        return {weight: ArrayType(array.shape, None) for weight, array in made.items() if isinstance(array, ArrayType)}

    def construct(self, name: str, arguments: Sequence[Argument], keywords: Mapping[str, Argument]) -> Layer | None:
        """The layer that a constructor makes; None where there is no entry or the call raises."""
        entry = self.entries.get(name)
        names = (
            None
            if entry is None or "parameters" not in entry
            else signature(entry["parameters"]).bind(arguments, keywords, results.default)
        )
        if entry is None or names is None:
            return None
        weights: dict[str, ArrayType | None] = {}
        for attribute, (shape, dtype) in entry.get("weights", {}).items():
            made = results.typed(shape, dtype, names)
            if not isinstance(made, Absent):
                weights[attribute] = made if isinstance(made, ArrayType) or made is None else ArrayType(None, None)
        sublayers = {attribute: self._sublayer(parse(text), names) for attribute, text in entry.get("sublayers", {}).items()}
        settings = {attribute: evaluate(text, names, results.SHAPE_FUNCTIONS) for attribute, text in entry.get("settings", {}).items()}
        return Layer(name, names, weights, sublayers, settings)

    def _sublayer(self, node: ast.expr, names: Names) -> Argument:
        """`Linear(dims, 4 * dims, bias=bias)`, `[…] * n`, a case, or a parameter."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            given = {word.arg: of_node(word.value, names, results.SHAPE_FUNCTIONS) for word in node.keywords if word.arg is not None}
            made = self.construct(f"mlx.nn.{node.func.id}", [of_node(part, names, results.SHAPE_FUNCTIONS) for part in node.args], given)
            return UNKNOWN if made is None else made
        if isinstance(node, ast.BinOp) and isinstance(node.left, ast.List):
            made = self._sublayer(node.left.elts[0], names)
            count = integer(of_node(node.right, names, results.SHAPE_FUNCTIONS))
            return Repeated(made, count) if isinstance(made, Layer) else UNKNOWN
        if isinstance(node, ast.IfExp):
            test = truth(of_node(node.test, names, results.SHAPE_FUNCTIONS))
            return UNKNOWN if test is None else self._sublayer(node.body if test else node.orelse, names)
        return of_node(node, names, results.SHAPE_FUNCTIONS)

    def call(
        self,
        layer: Layer,
        arguments: Sequence[Argument],
        keywords: Mapping[str, Argument] | None = None,
        method: str = "__call__",
        weights: Mapping[str, ArrayType | None] | None = None,
        training: Argument = UNKNOWN,
        dtype: str | None = None,
    ) -> Argument:
        """What a call makes: as `results.result` has it.

        `weights` are those of now where they are not those of the constructor, `dtype` what all floating weights inside are brought to (`set_dtype`).
        """
        form = self.entries[layer.name].get("methods", {}).get(method)
        names = None if form is None else self.names(layer, form, arguments, keywords or {}, weights, training, dtype)
        return UNKNOWN if form is None or names is None else results.typed(form["shape"], form["dtype"], names)

    def names(
        self,
        layer: Layer,
        form: Mapping[str, str],
        arguments: Sequence[Argument],
        keywords: Names,
        weights: Mapping[str, ArrayType | None] | None = None,
        training: Argument = UNKNOWN,
        dtype: str | None = None,
    ) -> Names | None:
        """What the expressions of a method may name; None where a call raises."""
        given = signature(form["parameters"]).bind(arguments, keywords, results.default)
        if given is None:
            return None
        now = layer.weights if weights is None else weights
        absent = dict.fromkeys(self.entries[layer.name].get("weights", {}))
        common = _common(layer if weights is None else Layer(layer.name, {}, now, layer.sublayers, {}))
        together = Dtype(common if dtype is None or common == _NO_WEIGHTS else dtype)
        return {**layer.names, **absent, **now, "weights": together, "training": training, **given}

    def does(self, layer: Layer) -> str | None:
        """The operation of MLX that a call of a layer surely is, by its canonical name; None where the data names none."""
        entry = self.entries[layer.name]
        return next(
            (name for name, text in entry.get("does", {}).items() if truth(evaluate(text, layer.names, results.SHAPE_FUNCTIONS))), None
        )

    def optimizer_state(
        self, name: str, arguments: Sequence[Argument], keywords: Mapping[str, Argument], parameter: ArrayType
    ) -> Mapping[str, ArrayType] | None:
        """The arrays that an optimizer keeps for one parameter, by their names; None where it is not known which."""
        entry = self.optimizers.get(name)
        names = None if entry is None or "state" not in entry else signature(entry["parameters"]).bind(arguments, keywords, results.default)
        if entry is None or names is None:
            return None
        made = {leaf: results.typed(shape, dtype, {**names, "parameter": parameter}) for leaf, (shape, dtype) in entry["state"].items()}
        if any(leaf is UNKNOWN for leaf in made.values()):
            return None
        return {leaf: array for leaf, array in made.items() if isinstance(array, ArrayType)}

    def updated(self, name: str, parameter: ArrayType, gradient: ArrayType) -> Argument:
        """A parameter after a step of an optimizer."""
        shape, dtype = self.optimizers.get(name, {}).get("updated", (None, None))
        return UNKNOWN if shape is None else results.typed(shape, dtype, {"parameter": parameter, "gradient": gradient})


@lru_cache(maxsize=4)
def layer_model(oldest: str | None = None) -> LayerModel:
    """The measured data; what holds for an older version of MLX as well if one is given."""
    layers, optimizers = (
        json.loads(resource("models", "mlx", name).read_bytes())["entries"] for name in ("layers.json", "optimizers.json")
    )
    return LayerModel(results.since(layers, oldest), results.since(optimizers, oldest))


def arrays(layer: Layer) -> Iterator[ArrayType]:
    """The arrays of a layer and of those inside of it."""
    for weight in layer.weights.values():
        if weight is not None:
            yield weight
    for part in layer.sublayers.values():
        for each in part if isinstance(part, (list, tuple)) else (part,):
            inner = each.layer if isinstance(each, Repeated) else each
            if isinstance(inner, Layer):
                yield from arrays(inner)


_NO_WEIGHTS = "bool"
"""The dtype that all others promote to themselves."""


def _common(layer: Layer) -> str | None:
    """The dtype that the floating weights are brought to when they meet."""
    found: str | None = _NO_WEIGHTS
    for array in arrays(layer):
        if array.dtype is None:
            return None
        if "float" in array.dtype:
            found = dtypes.promote(found, array.dtype)
    return found
