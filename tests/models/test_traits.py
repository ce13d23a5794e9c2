"""What traits.json says of MLX speaks of what there is in MLX, and is asked for."""

from __future__ import annotations

import inspect
import json
import math
from functools import reduce
from typing import get_args

import pytest

from mxlint.interpreter.mlx.calls import HANDLERS
from mxlint.models.mlx.members import defined, hides, lineage_of
from mxlint.models.mlx.table import load_table
from mxlint.models.mlx.traits import Given, Trait, called_as, constants, has_trait, needs, surely_works
from mxlint.resources import resource

DATA = json.loads(resource("models", "mlx", "traits.json").read_bytes())


def test_each_trait_has_a_meaning_and_is_one_that_code_may_ask_for() -> None:
    assert set(DATA["traits"]) == set(get_args(Trait))
    assert all(trait["means"].endswith(".") and trait["names"] for trait in DATA["traits"].values())


def test_each_name_is_one_of_mlx() -> None:
    table = load_table()
    traits = [name for trait in DATA["traits"].values() for name in trait["names"]]
    layers = [name for pair in DATA["quantized"]["classes"].items() for name in pair]
    named = [*traits, *DATA["wants numbers"]["parameters"], *layers]
    assert [name for name in named if table.entry(name) is None and not lineage_of(name) and not _is_method(name)] == []
    assert [name for name in DATA["called as its argument"]["places"] if table.entry(name) is None and name not in HANDLERS] == []
    surely = [name for name in DATA["surely works"]["parameters"] if table.entry(name) is None and name not in HANDLERS]
    assert [name for name in surely if not lineage_of(name)] == []
    needing = [name for name in DATA["needs"]["parameters"] if table.entry(name) is None and name not in HANDLERS]
    assert [name for name in needing if not _is_method(name)] == []


def _is_method(name: str) -> bool:
    """Whether a class of MLX defines a method."""
    cls, _, method = name.rpartition(".")
    return hides(cls, method)


def test_a_method_is_that_of_the_class_that_defines_it() -> None:
    assert defined("mlx.optimizers.Adam.update") == "mlx.optimizers.Optimizer.update"
    assert defined("mlx.optimizers.MultiOptimizer.init") == "mlx.optimizers.MultiOptimizer.init"
    assert defined("mlx.core.exp") == "mlx.core.exp"


@pytest.mark.mlx
@pytest.mark.parametrize("name", [name for name in DATA["needs"]["parameters"] if _is_method(name)])
def test_a_method_needs_the_parameters_that_its_signature_demands(name: str) -> None:
    import mlx
    import mlx.optimizers
    from mlx import nn  # noqa: F401

    parameters = inspect.signature(reduce(getattr, name.split(".")[1:], mlx)).parameters.values()
    assert needs(name) == tuple(parameter.name for parameter in parameters if parameter.default is parameter.empty)


def test_a_function_stands_for_the_method_of_its_name() -> None:
    assert has_trait("mlx.core.array.argmax", "gives positions")
    assert not has_trait("mlx.core.array.sum", "gives positions")


@pytest.mark.mlx
def test_constants_are_those_of_mlx() -> None:
    import mlx.core as mx

    for name, value in constants().items():
        found = getattr(mx, name.removeprefix("mlx.core."))
        assert found is None if value is None else math.isclose(found, value) or math.isnan(found) and math.isnan(value)


@pytest.mark.mlx
@pytest.mark.parametrize("name", DATA["called as its argument"]["places"])
def test_what_is_called_as_its_argument_is_so_called_in_mlx(name: str) -> None:
    import mlx
    import mlx.core as mx
    from mlx import nn

    given: list[int] = []

    def function(x: mx.array, y: mx.array) -> mx.array:
        given.append(x.ndim + y.ndim)
        return (x * y).sum()

    place = called_as(name)
    transform = reduce(getattr, name.split(".")[1:], mlx)
    made = transform(*[nn.Linear(2, 2)] * (place or 0), function)
    made(mx.ones((2, 2)), mx.ones((2, 2)))
    assert len(given) == 1


class Called:
    def __call__(self) -> None: ...


GIVEN: dict[Given, list[object]] = {
    "callable": [len, Called, Called(), Called().__call__, lambda x: x],
    "bool": [True, False],
    "number": [-1, 0, 1, 0.5, -0.5, 1e-300, -1e300, math.inf, math.nan, True, 2**63 - 1, -(2**63) + 1],
    "anything": [None, 0, "a", [], Called(), {}],
}
"""What a parameter is tried with."""


@pytest.mark.mlx
@pytest.mark.parametrize("name", DATA["surely works"]["parameters"])
def test_what_surely_works_raises_nothing_in_mlx(name: str) -> None:
    import mlx
    import mlx.optimizers
    from mlx import nn  # noqa: F401

    called = reduce(getattr, name.split(".")[1:], mlx)
    takes = surely_works(name)
    needed = {"mlx.nn.value_and_grad": 2, "mlx.nn.utils.checkpoint": 2}.get(name, 1)
    usual = {parameter: GIVEN[given][0] for parameter, (place, given) in takes.items() if place < needed}
    for parameter, (place, given) in takes.items():
        for value in GIVEN[given]:
            called(**{**usual, parameter: value})
            if place < needed:
                called(*[{**usual, parameter: value}[key] for key in usual])
