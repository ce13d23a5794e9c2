"""What gradients go back through, by operand: the data, and what it says of the functions that the interpreter once named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mxlint.models.mlx.gradients import REPEATED, Operand, load_gradients, together

ROOT = Path(__file__).resolve().parent.parent
MEASURED_BY = "measure_gradients"
"""The script that the fixture `measuring` gives."""
DATA = ROOT / "src" / "mxlint" / "models" / "mlx"


@pytest.mark.mlx
def test_the_table_is_folded_from_what_was_measured(measuring: Any) -> None:
    assert json.loads((DATA / "gradients.json").read_text()) == measuring.fold()


def measured(name: str) -> dict[str, Any]:
    """What the script measures of a name, in a process of its own: it forks, and MLX waits for ever in a fork of a process that has computed something."""
    code = f"import json, {MEASURED_BY}; print(json.dumps({MEASURED_BY}.measure({name!r})))"
    environment = {**os.environ, "MEASURE_SAMPLES": "40"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "scripts", env=environment, check=True, capture_output=True, text=True)
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


@pytest.mark.mlx
@pytest.mark.parametrize("name", ["mlx.core.floor", "mlx.core.stop_gradient", "mlx.core.array.argmax", "mlx.core.exp"])
def test_mlx_still_does_what_the_table_says(name: str, measuring: Any) -> None:
    version = json.loads((DATA / "gradients.json").read_text())["versions"][-1]
    if not measuring.mx.__version__.startswith(version):
        pytest.skip(f"the newest version that was measured is {version}")
    for parameter, facts in measured(name).items():
        known = load_gradients(version).operand(name, parameter)
        found = Operand(**facts)
        assert known is not None
        assert (known.back, known.raises, known.fused) == (found.back, found.raises, found.fused)
        assert found.sums in ("", known.sums)


@pytest.mark.parametrize(
    ("name", "parameter", "operand"),
    [
        ("mlx.core.stop_gradient", "a", Operand("ends")),
        ("mlx.core.trunc", "a", Operand("zeros", fused=True)),
        ("mlx.core.matmul", "b", Operand("full", sums="stack")),
        ("mlx.core.conv2d", "weight", Operand(raises="always", unless=("dilation",))),
        ("mlx.core.fast.rms_norm", "weight", Operand("full", sums="result")),
        ("mlx.nn.Linear[bias=False]", "weight", Operand("full", sums="stack")),
        ("mlx.nn.Linear", "bias", Operand("full", sums="result")),
    ],
)
def test_what_the_table_says(name: str, parameter: str, operand: Operand) -> None:
    known = load_gradients("0.32.4").operand(name, parameter)
    assert known is not None
    assert (known.back, known.raises, tuple(known.unless)) == (operand.back, operand.raises, operand.unless)
    assert (known.sums, known.fused) == (operand.sums, operand.fused)


def test_which_axes_an_operand_is_repeated_along() -> None:
    assert REPEATED["result"]((4,), [(3, 4)], (3, 4)) == ((4,), (3, 4))
    assert REPEATED["stack"]((4, 5), [(2, 3, 4)], (2, 3, 5)) == ((), (2,))
    assert REPEATED["matrices"]((4,), [(2, 3, 4)], (2, 3)) is None
    assert together([(3, 1), (4,)]) == (3, 4)
    assert together([(3,), (4,)]) is None
