"""What traits.json says of MLX speaks of what there is in MLX, and is asked for."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Sequence
from functools import reduce
from typing import Any, get_args

import pytest

from mxlint.interpreter.mlx.calls import HANDLERS
from mxlint.models.mlx.members import defined, hides, lineage_of
from mxlint.models.mlx.table import load_table
from mxlint.models.mlx.traits import (
    Given,
    Trait,
    called_as,
    calls_of_made,
    constants,
    has_trait,
    holds_optimizers,
    lengths_of,
    needs,
    surely_works,
)
from mxlint.resources import resource

DATA = json.loads(resource("models", "mlx", "traits.json").read_bytes())


def test_each_trait_has_a_meaning_and_is_one_that_code_may_ask_for() -> None:
    assert set(DATA["traits"]) == set(get_args(Trait))
    assert all(trait["means"].endswith(".") and trait["names"] for trait in DATA["traits"].values())


def test_each_name_is_one_of_mlx() -> None:
    table = load_table()
    traits = [name for trait in DATA["traits"].values() for name in trait["names"]]
    layers = [name for pair in DATA["quantized"]["classes"].items() for name in pair]
    named = [*traits, *DATA["wants numbers"]["parameters"], *DATA["lengths"]["parameters"], *layers]
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


@pytest.mark.mlx
def test_what_works_element_by_element_begins_alike() -> None:
    import mlx.core as mx

    floats, numbers = mx.arange(25).reshape(5, 5) / 30 + 0.1, mx.arange(25).reshape(5, 5)
    operands = [[array] * count for array in (floats, numbers, numbers > 4) for count in (1, 2, 3)] + [[floats, mx.float16]]
    differing = []
    for name in DATA["traits"]["element by element"]["names"]:
        function = reduce(lambda owner, part: getattr(owner, part, None), name.split(".")[2:], mx)
        answers = [answer for given in operands if function is not None and (answer := _beginnings(function, given)) is not None]
        if function is not None and not (answers and all(answers)):
            differing.append(name)
    assert differing == []


def _beginnings(function: Any, given: Sequence[Any]) -> bool | None:
    """Whether what a function makes of arrays begins as what it makes of their beginnings; None where it takes no such arguments."""
    import mlx.core as mx

    try:
        long, short = function(*given), function(*(part[:3, :3] if isinstance(part, mx.array) else part for part in given))
        return bool(mx.array_equal(long[:3, :3], short, equal_nan=True).item())
    except (TypeError, ValueError):
        return None


@pytest.mark.mlx
@pytest.mark.parametrize("name", DATA["lengths"]["parameters"])
def test_what_is_made_of_lengths_begins_alike(name: str) -> None:
    import mlx.core as mx
    from mlx import nn

    function = reduce(getattr, name.split(".")[2:], nn if name.startswith("mlx.nn.") else mx)
    for given, place in enumerate(DATA["lengths"]["parameters"][name]["at"], 1):
        others: list[Any] = {"mlx.core.arange": [0, None, 2], "mlx.core.full": [None, 2.0, mx.float32]}.get(name, [None, mx.float32, None])
        args = [others[number] for number in range(given)]
        if name == "mlx.core.full" and given == 1:
            continue  # what it is filled with has a name then
        args[place] = 7
        long = function(*args)
        args[place] = 5
        short = function(*args)
        beginning = tuple(slice(0, length) for length in short.shape)
        assert mx.array_equal(long[beginning], short).item()
        assert long.ndim == DATA["lengths"]["parameters"][name]["axes"]
    assert lengths_of(name, 1) == (DATA["lengths"]["parameters"][name]["at"][0], DATA["lengths"]["parameters"][name]["axes"])
    assert lengths_of(name, 9) is None


@pytest.mark.mlx
@pytest.mark.parametrize("name", DATA["holds optimizers"]["classes"])
def test_an_optimizer_hands_the_gradients_on_to_those_that_it_holds(name: str) -> None:
    from mlx import optimizers

    others = [optimizers.SGD(0.1), optimizers.Adam(0.2)]
    held, key = DATA["holds optimizers"]["classes"][name]
    one = getattr(optimizers, name.split(".")[-1])(others, [lambda path, _: path == "bias"])
    assert getattr(one, held) is others
    assert [mine is theirs.state for mine, theirs in zip(one.state[key], others)] == [True, True]
    assert one.state is not one.state
    one.learning_rate = 0.3
    assert len({other.learning_rate.item() for other in others}) == 1
    assert holds_optimizers(name) == (held, key)
    assert holds_optimizers("mlx.optimizers.SGD") is None


@pytest.mark.mlx
@pytest.mark.parametrize("name", DATA["calls what made it"]["places"])
def test_functions_of_which_mlx_makes_another_run_where_that_is_called(name: str) -> None:
    import mlx.core as mx
    from mlx import optimizers

    assert calls_of_made(name) == DATA["calls what made it"]["places"][name] == 0
    assert calls_of_made("mlx.optimizers.linear_schedule") is None
    given: list[Any] = []
    made = getattr(optimizers, name.split(".")[-1])([lambda step: given.append(step) or step, lambda step: given.append(step) or step], [3])
    assert not given
    made(mx.array(1))
    assert [isinstance(step, mx.array) for step in given] == [True, True]
