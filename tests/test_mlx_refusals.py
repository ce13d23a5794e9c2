"""The data on calls that MLX refuses: true of the installed MLX, and no more said than is known.

MXLINT_RESULTS=2000 tries each function with that many random calls.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from mxlint.domain.shape import shape_of
from mxlint.domain.size import symbol
from mxlint.models.mlx import refusals, results
from mxlint.models.mlx.arguments import UNKNOWN, ArrayType, Scalar
from mxlint.models.mlx.layers import layer_model

MEASURED_BY = "measure_refusals"
"""The script that the fixture `measuring` gives."""
CALLS = int(os.environ.get("MXLINT_RESULTS", "12"))
NAMES = sorted(refusals.entries())


def array(*sizes: Any, dtype: str | None = "float32") -> ArrayType:
    return ArrayType(shape_of(sizes), dtype)


@pytest.mark.mlx
def test_what_is_said_to_raise_raises(measuring: Any) -> None:
    assert [wrong for name in NAMES for wrong in measuring.disagreements(name, CALLS, "test ")] == []


@pytest.mark.mlx
def test_all_that_is_said_is_of_something_that_is_measured(measuring: Any) -> None:
    assert set(NAMES) <= set(measuring.names())


def test_each_form_of_parameters_has_its_place() -> None:
    for name in NAMES:
        entry = results.entries().get(name, {})
        assert len(refusals.entries()[name]) == len(entry.get("forms", (entry,))), name


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("reshape", [array(2, 4), (2, 3)], "ValueError"),
        ("reshape", [array(2, 4), (3, -1)], "ValueError"),
        ("reshape", [array(2, 3), (3, -1)], None),
        ("reshape", [array(2, None), (2, 3)], None),
        ("reshape", [array(2, symbol("n")), (2, 3)], None),
        ("reshape", [array(2, 4), (2, Scalar("int"))], None),
        ("reshape", [ArrayType(None, "float32"), (2, 3)], None),
        ("reshape", [array(2, 4), UNKNOWN], None),
        ("concatenate", [[array(2, 3), array(4, 4)], 0], "ValueError"),
        ("concatenate", [[array(2, 3), array(4, 3)], 2], "IndexError"),
        ("concatenate", [[array(2, 3)], 2], None),
        ("stack", [[array(2, 3), array(2, 4)]], "ValueError"),
        ("transpose", [array(None, None), (0, 2, 1)], "ValueError"),
        ("squeeze", [array(2, None), 0], "ValueError"),
        ("squeeze", [array(2, None), 1], None),
        ("add", [array(None, 3), array(4)], "ValueError"),
        ("add", [array(None, 3), array(2, 1)], None),
        ("matmul", [array(2, 3), array(4, symbol("n"))], "ValueError"),
        ("bitwise_and", [array(2, dtype="bool"), array(3, dtype="bool")], "ValueError"),
        ("bitwise_and", [array(2), array(3)], None),
        ("array.__getitem__", [array(2, 3), (0, 1, slice(None))], "ValueError"),
        ("array.__getitem__", [array(2, 3), (0, array(2, dtype=None))], None),
        ("array.__setitem__", [array(4, 3), slice(0, 2), array(2, 4)], "ValueError"),
        ("array.__setitem__", [array(4, 3), slice(0, 2), array(1, 1, 2, 3)], None),
    ],
)
def test_what_is_refused(name: str, arguments: list[Any], error: str | None) -> None:
    assert refusals.refusal(f"mlx.core.{name}", arguments, {}) == (error and f"builtins.{error}")


def test_a_layer_is_asked_with_the_weights_of_now() -> None:
    layer = layer_model().construct("mlx.nn.Linear", [2, 3], {})
    assert layer is not None
    unknown = (ArrayType(None, None), UNKNOWN, Scalar("int"))
    for weight, error in ((array(3, 2), "builtins.ValueError"), (array(3, 4), None), *((weight, None) for weight in unknown)):
        weights = {"weight": weight, "bias": array(3)}
        assert refusals.refusal_of_layer(layer, "__call__", [array(5, 4)], {}, weights) == error
