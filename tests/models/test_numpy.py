"""The models of numpy against numpy, with other arguments than those that they were measured with, and against MLX."""

from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from models.covering import NOTHING, applies, bind, covers, found, real_object
from mxlint.models import load


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def samples() -> list[Any]:
    """None of them is among those of scripts/measure_numpy.py."""
    return [
        np.array([[[1, -2], [3, 4]]]), np.array(2.5), np.array([]), np.array([1 + 2j, 0]), np.array(["a", "b"]), np.int32(3), np.bool_(True), np.float32(0.25),
        7, 0.125, 1j, False, (4,), [[1, 2], [3, 4]], ((1.0, 2.0), (0.5, 4.0)), "f4", range(3), np.eye(3, dtype="f4"), -1,
    ]  # fmt: skip


SKIPPED = {
    "numpy.load",
    "numpy.save",
    "numpy.savez",
    "numpy.savez_compressed",
    "numpy.savetxt",
    "numpy.loadtxt",
    "numpy.fromfile",
    "numpy.genfromtxt",
}
NAMES = [
    name
    for name in load.library("numpy").functions  # type: ignore[union-attr]
    if (model := load.model(name)) and str(model.result) != "any" and model.effect is None and name not in SKIPPED
    if real_object(name) is not NOTHING and not name.startswith("numpy.testing")
]


def wrong(name: str) -> list[str]:
    model, real = found(name), real_object(name)
    rng = random.Random(name)
    most = max(len([p for p in each.parameters if p.kind in ("positional", "either")]) for each in model.signatures)
    problems = []
    for count in range(min(most, 2) + 1):
        indices = list(itertools.product(range(len(samples())), repeat=count))
        for chosen in rng.sample(indices, min(len(indices), 200)):
            arguments = tuple(samples()[i] for i in chosen)
            try:
                value = real(*arguments)
            except Exception:  # noqa: BLE001, S112 - the sample does not fit
                continue
            fits = [each for each in model.binding(len(arguments)) if applies(each, arguments)]
            if not any(covers(each.result, value, bind(each, None, arguments, [])) for each in fits[:1]):
                problems.append(
                    f"{name}{arguments} gives {value!r:.60} ({type(value).__name__}), the model says {[str(each.result) for each in fits]}"
                )
    return problems[:2]


@pytest.mark.parametrize("start", range(8))
def test_functions_give_what_their_models_say(start: int) -> None:
    problems = [problem for name in NAMES[start::8] for problem in wrong(name)]
    assert not problems, "\n".join(problems)


# Draws of one number of Python's, where no size is given.
ONE_NUMBER = [
    "rand", "randn", "random", "random_sample", "standard_normal", "normal", "uniform", "exponential", "poisson", "lognormal", "laplace", "gumbel",
]  # fmt: skip


@pytest.mark.parametrize("name", ONE_NUMBER)
def test_a_draw_without_a_size_is_a_number_of_python(name: str) -> None:
    model = found(f"numpy.random.{name}")
    value = real_object(f"numpy.random.{name}")()
    assert type(value) in (float, int)
    assert covers(model.binding(0)[0].result, value, bind(model.binding(0)[0], None, (), []))


def test_a_draw_of_the_module_advances_its_generator_and_follows_its_seed() -> None:
    for name in ("rand", "normal", "uniform", "permutation", "randint"):
        arguments = (5,) if name in ("permutation", "randint") else ()
        model = found(f"numpy.random.{name}")
        assert (model.draws, model.source) == ("numpy.random", "random")
        results = []
        for _ in range(2):
            np.random.seed(3)
            results.append(str(real_object(f"numpy.random.{name}")(*arguments)))
        assert results[0] == results[1]


def test_a_generator_is_its_own() -> None:
    model = found("numpy.random.default_rng")
    assert (model.source, model.source_without, model.draws) == ("random", "seed", "")
    assert found("numpy.random.Generator.normal").draws == "self"
    assert found("numpy.random.RandomState.rand").draws == "self"
    assert found("numpy.random.seed").seeds == "numpy.random"


def raises_in_a_trace(call: Callable[[mx.array], object]) -> bool:
    seen = []

    def traced(x: mx.array) -> mx.array:
        try:
            call(x)
        except Exception as error:  # noqa: BLE001 - MLX raises several classes
            chain = [each for each in (error, error.__context__, error.__cause__) if each is not None]
            seen.append(any("eval]" in str(part) for each in chain for part in each.args))
        else:
            seen.append(False)
        return x

    mx.compile(traced)(mx.array([1.0, 2.0, 3.0]))
    return seen[0]


CONVERTS = [
    "reshape",
    "array",
    "asarray",
    "sqrt",
    "exp",
    "maximum",
    "dot",
    "concatenate",
    "stack",
    "allclose",
    "linalg.norm",
    "float32",
    "int32",
    "zeros_like",
]
BY_METHOD = ["sum", "prod", "mean", "std", "max", "min", "any", "all", "squeeze", "transpose", "shape", "ndim", "size"]
"""Functions of numpy that ask an mx.array for the method or attribute of that name."""


def word(name: str) -> set[tuple[str, str]]:
    return {
        (use.word, use.reach) for use in found(f"numpy.{name}").array or () if use.parameter == found(f"numpy.{name}").parameters[0].name
    }


@pytest.mark.parametrize("name", CONVERTS)
def test_what_makes_an_array_of_its_argument_evaluates_it(name: str) -> None:
    call = real_object(f"numpy.{name}")
    lists = name in ("concatenate", "stack")
    more = [(3,)] if name == "reshape" else [1.0] if name in ("maximum", "dot", "allclose") else []
    if name == "zeros_like":
        assert raises_in_a_trace(lambda x: call(x)) is any(each[0] == "converts" for each in word(name))
        return
    assert raises_in_a_trace(lambda x: call([x, x] if lists else x, *more))
    assert {each[0] for each in word(name)} == {"converts"}


@pytest.mark.parametrize("name", BY_METHOD)
def test_what_asks_an_array_for_its_method_does_not(name: str) -> None:
    call = real_object(f"numpy.{name}")
    assert not raises_in_a_trace(lambda x: call(x))
    assert ("converts", "deep") not in word(name) and ("converts", "itself") not in word(name)


def test_versions() -> None:
    assert load.model("numpy.trapz") is None and load.model("numpy.trapz", "1.26") is not None
    assert load.model("numpy.concatenate", "1.26") is not None


def test_aliases_and_classes() -> None:
    assert load.canonical("numpy.bool_") == load.canonical("numpy.bool")
    assert found("numpy.abs").name == "numpy.absolute" and found("numpy.concat").name == "numpy.concatenate"
    assert load.bases("numpy.float64") == (
        "numpy.float64",
        "numpy.floating",
        "numpy.inexact",
        "numpy.number",
        "numpy.generic",
        "builtins.float",
        "builtins.object",
    )
    assert found("numpy.float64.item").name == "numpy.generic.item"
    for name in load.library("numpy").classes:  # type: ignore[union-attr]
        real = real_object(name)
        ours = [cls for each in load.bases(name) if isinstance(cls := real_object(each), type)]
        assert [cls for cls in real.__mro__ if cls in ours] == ours, name
