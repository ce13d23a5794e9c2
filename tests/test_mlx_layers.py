"""The data on MLX's layers and optimizers: complete, true of the installed MLX, and safe to ask with anything.

MXLINT_RESULTS=300 tries each layer with that many random calls.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from test_mlx_results import ANYTHING

from mxlint.domain.size import number, symbol
from mxlint.models.mlx.arguments import UNKNOWN, ArrayType, Scalar
from mxlint.models.mlx.layers import layer_model

ROOT = Path(__file__).resolve().parent.parent
MEASURED_BY = "measure_layers"
"""The script that the fixture `measuring` gives."""
CALLS = int(os.environ.get("MXLINT_RESULTS", "8"))
TABLE = json.loads((ROOT / "src" / "mxlint" / "models" / "mlx" / "facts.json").read_text())["entries"]
MODEL = layer_model()
LAYERS = sorted(name for name, entry in MODEL.entries.items() if "unknown" not in entry)


@pytest.fixture(scope="module")
def measuring(measuring: Any) -> Any:
    """The script that measures the data, with what it has measured."""
    measuring.MODEL.entries.update(MODEL.entries)
    return measuring


@pytest.mark.mlx
@pytest.mark.parametrize("name", LAYERS)
def test_layers_are_those_of_mlx(name: str, measuring: Any) -> None:
    assert measuring.refuted(name, measuring.LAYERS[name], CALLS, "test ") is None


@pytest.mark.mlx
@pytest.mark.parametrize("name", LAYERS)
def test_settings_are_those_of_mlx(name: str, measuring: Any) -> None:
    statement = measuring.LAYERS[name]
    for made, _, module in measuring.trials(name, statement, next(iter(statement.samples)), CALLS, "settings "):
        layer = MODEL.construct(name, measuring.described(made[0]), measuring.described(made[1]))
        assert layer is not None
        assert {key: getattr(module, key) for key in layer.settings} == dict(layer.settings)


@pytest.mark.mlx
@pytest.mark.parametrize("name", sorted(MODEL.optimizers))
def test_optimizers_are_those_of_mlx(name: str, measuring: Any) -> None:
    entry = MODEL.optimizers[name]
    if "unknown" not in entry:
        assert measuring.wrong_optimizer(name.rpartition(".")[2], entry) is None


def test_every_layer_and_optimizer_of_the_table_is_known_or_says_why() -> None:
    known = MODEL.entries.keys() | MODEL.optimizers.keys()
    wanted = {name.partition("[")[0] for name, facts in TABLE.items() if facts["kind"] in ("layer", "optimizer")}
    assert {name for name in wanted if name not in known and not _is_method(name)} == set()


def _is_method(name: str) -> bool:
    owner, _, method = name.rpartition(".")
    return method in MODEL.entries.get(owner, {}).get("methods", {})


@pytest.mark.parametrize("name", LAYERS)
def test_no_arguments_make_it_raise(name: str) -> None:
    chosen = random.Random(name)
    for count in (0, 1, 2, 2, 3, 4):
        for _ in range(10 if CALLS < 100 else 200):
            layer = MODEL.construct(name, [chosen.choice(ANYTHING) for _ in range(count)], {})
            if layer is not None:
                MODEL.call(layer, [chosen.choice(ANYTHING) for _ in range(chosen.randint(1, 4))], {})


def test_symbols_go_through() -> None:
    b, n, width = symbol("b"), symbol("n"), symbol("width")
    attention = MODEL.construct("mlx.nn.MultiHeadAttention", [width, 8], {})
    assert attention is not None
    assert attention.sublayers["out_proj"].weights["weight"] == ArrayType((width, width), "float32")
    x = ArrayType((b, n, width), "float16")
    assert MODEL.call(attention, [x, x, x], dtype="float16") == x
    assert MODEL.call(attention, [x, x, x]) == ArrayType((b, n, width), "float32")
    stack = MODEL.construct("mlx.nn.TransformerEncoder", [symbol("depth"), width, 8], {})
    assert stack is not None
    assert stack.sublayers["layers"].count == symbol("depth")


def test_weights_that_were_replaced_decide() -> None:
    layer = MODEL.construct("mlx.nn.Linear", [4, 3], {"bias": Scalar("bool")})
    assert layer is not None
    assert layer.weights["bias"] == ArrayType(None, None)  # it may be there
    wider = {"weight": ArrayType((number(9), number(4)), "float16")}
    x = ArrayType((number(2), number(4)), "float16")
    assert MODEL.call(layer, [x], weights=wider) == ArrayType((number(2), number(9)), "float16")
    assert MODEL.call(layer, [UNKNOWN]) == ArrayType(None, None)


def test_optimizers_keep_arrays_like_the_parameter() -> None:
    parameter = ArrayType((symbol("n"), symbol("m")), "bfloat16")
    assert MODEL.optimizer_state("mlx.optimizers.Adam", [0.1], {}, parameter) == {"m": parameter, "v": parameter}
    rows = MODEL.optimizer_state("mlx.optimizers.Adafactor", [], {}, parameter)
    assert rows is not None and rows["exp_avg_sq_row"] == ArrayType((symbol("n"),), "bfloat16") and "exp_avg" not in rows
    assert MODEL.optimizer_state("mlx.optimizers.MultiOptimizer", [[]], {}, parameter) is None


@pytest.mark.mlx
@pytest.mark.parametrize("name", [name for name in LAYERS if MODEL.entries[name].get("does")])
@pytest.mark.parametrize(
    "windows",
    [(2, None), (2, 2), (2, (2,)), (3, 1), (3, 2), ((3,), 2), ((2,), None), ((2,), (2,)), (2, None, 1), (3, 1, (1,)), (3, 3, (0,))],
)
def test_what_a_layer_does_is_what_shapeless_shows(name: str, windows: tuple[Any, ...]) -> None:
    """Lengths that are multiples of each window: MLX's operations for windows that overlap, and for padding, cannot be replayed at all."""
    import mlx.core as mx
    from mlx import nn

    rank = int(name[-2])
    given = [part * rank if isinstance(part, tuple) else part for part in windows]
    layer = getattr(nn, name.rpartition(".")[2])(*given)
    described = MODEL.construct(name, given, {})
    assert described is not None
    try:
        mx.eval(mx.compile(lambda x: layer(x), shapeless=True)(mx.ones((1, *(6,) * rank, 3))))
        raised = ""
    except ValueError as error:
        raised = str(error)
    shown = {"mlx.core.as_strided": "AsStrided", "mlx.core.pad": "Pad", None: None}[MODEL.does(described)]
    assert raised == (f"[Primitive::output_shapes] {shown} cannot infer output shapes." if shown is not None else "")
