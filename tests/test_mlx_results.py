"""The data on results of MLX's functions: complete, true of the installed MLX, and safe to ask with anything.

MXLINT_RESULTS=2000 tries each function with that many random calls.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mxlint.domain.shape import shape_of
from mxlint.domain.size import number, symbol
from mxlint.models.mlx import results
from mxlint.models.mlx.arguments import UNKNOWN, ArrayType, Dtype, Scalar

ROOT = Path(__file__).resolve().parent.parent
MEASURED_BY = "measure_results"
"""The script that the fixture `measuring` gives."""
CALLS = int(os.environ.get("MXLINT_RESULTS", "12"))
NAMES = sorted(results.entries())


def array(*sizes: Any, dtype: str | None = "float32") -> ArrayType:
    return ArrayType(shape_of(sizes), dtype)


@pytest.mark.mlx
@pytest.mark.parametrize("name", [name for name in NAMES if "unknown" not in results.entries()[name]])
def test_results_are_those_of_mlx(name: str, measuring: Any) -> None:
    entry = results.entries()[name]
    forms, statements = entry.get("forms", [entry]), measuring.STATEMENTS[name]
    for i, statement in enumerate(statements):
        form = forms[i if len(forms) == len(statements) else 0]
        for call, real in measuring.calls(name, statement, CALLS, "test "):
            assert measuring.refuted(call, real, form) is None


def test_every_name_of_the_table_that_makes_arrays_is_known_or_says_why() -> None:
    table = json.loads((ROOT / "src" / "mxlint" / "models" / "mlx" / "facts.json").read_text())["entries"]
    arrays = {
        name
        for name, facts in table.items()
        if "[" not in name
        and facts["kind"] not in ("layer", "optimizer")
        and facts.get("returns") in ("array", "arrays", "tree", "function")
    }
    assert arrays - set(NAMES) == set()


@pytest.mark.mlx
def test_the_data_is_what_the_catalogue_states(measuring: Any) -> None:
    assert set(NAMES) == measuring.STATEMENTS.keys() | measuring.UNKNOWN.keys()
    assert json.loads(json.dumps(measuring.dtype_tables())) == results.dtypes.tables()


ANYTHING: list[Any] = [
    UNKNOWN, Scalar("int"), Scalar("float"), Scalar("str"), None, True, 0, -1, 3, 2.5, "full", "ij,jk->ik", [], (), [1, -1], (2, 3), [[0, 1], [1, 1]], {},
    [UNKNOWN], (Scalar("int"), 2), ..., slice(None, UNKNOWN), (slice(1, None), None), symbol("n"), [symbol("n"), number(-1)], Dtype("int8"), Dtype(None),
    array(), array(2, 3), array(symbol("n"), 4, None), ArrayType(None, None), array(2, dtype=None), array(3, dtype="bool"), [array(2, 3), array(2, 3)],
    [array(symbol("n"), 3), ArrayType(None, "int8")],
]  # fmt: skip
"""Arguments of all kinds, most of them wrong for most parameters."""


def call_with_anything(name: str) -> None:
    chosen = random.Random(name)
    for count in (0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5):
        for _ in range(3 if CALLS < 100 else 200):
            arguments = [chosen.choice(ANYTHING) for _ in range(count)]
            results.result(name, arguments, {}, ([chosen.choice(ANYTHING)], {}))
    for argument in ANYTHING:
        results.result(name, [argument, argument, argument], {"axis": argument, "dtype": argument})


def test_no_arguments_make_it_raise() -> None:
    raised: dict[str, Exception] = {}
    for name in NAMES:
        try:
            call_with_anything(name)
        except Exception as error:  # noqa: BLE001 whatever it is
            raised[name] = error
    assert raised == {}


def test_symbols_go_through() -> None:
    b, n = symbol("b"), symbol("n")
    x = ArrayType((b, n, number(64)), "float16")
    heads = results.result("mlx.core.array.reshape", [x, b, n, 8, -1], {})
    assert heads == ArrayType((b, n, number(8), number(8)), "float16")
    turned = results.result("mlx.core.array.transpose", [heads, 0, 2, 1, 3], {})
    assert turned == ArrayType((b, number(8), n, number(8)), "float16")
    scores = results.result("mlx.core.array.__matmul__", [turned, results.result("mlx.core.swapaxes", [turned, -1, -2], {})], {})
    assert scores == ArrayType((b, number(8), n, n), "float16")
    assert results.result("mlx.core.softmax", [scores], {"axis": -1}) == scores
    assert results.result("mlx.core.array.__mul__", [x, 2.0], {}) == x
    assert results.result("mlx.core.array.__getitem__", [x, (slice(None), -1)], {}) == ArrayType((b, number(64)), "float16")
    assert results.array_result("mlx.core.split", [x, 2], {}) is None  # a list
    assert results.array_result("mlx.core.arange", [n], {}) == ArrayType((n,), "int32")


def test_what_raises_for_sure_is_unknown() -> None:
    assert results.result("mlx.core.matmul", [array(2, 3), array(4, 5)], {}) == ArrayType(None, "float32")
    assert results.result("mlx.core.sum", [array(2, 3), 0, True, "extra"], {}) is UNKNOWN
    assert results.result("mlx.core.no_such_function", [], {}) is UNKNOWN


def test_older_versions_have_what_holds_there() -> None:
    assert results.result("mlx.core.median", [array(2, 3)], {}) == array()
    assert results.result("mlx.core.median", [array(2, 3)], {}, oldest="0.25.2") is UNKNOWN
    assert results.result("mlx.core.sum", [array(2, 3)], {}, oldest="0.25.2") == array()
    assert results.has("mlx.core.median") and not results.has("mlx.core.median", "0.25.2")


def test_loading_is_fast() -> None:
    """Nothing but data and the standard library's parser is loaded."""
    code = "import sys; from mxlint.models.mlx import results; results.entries(); print([m for m in sys.modules if m in ('libcst', 'numpy', 'mlx', 'inspect', 'dataclasses')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
