"""Reductions along an axis of length 1 with shapeless=True: mxlint says which crash, and MLX, run in a process for each, shows it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mxlint.engine import check

REDUCTIONS = (
    "mx.sum(x, axis={axis})",
    "x.max(axis={axis}, keepdims=True)",
    "mx.softmax(x, axis={axis})",
    "mx.logsumexp(x, axis={axis})",
    "mx.var(x, axis={axis})",
)
CASES = [
    (reduction.format(axis=axis), shape)
    for reduction in REDUCTIONS
    for axis, shape in (("(0, 1)", "2, 1, 3"), ("(0, 2)", "1, 3, 1"), ("(0, 1)", "1, 1, 3"), ("0", "1, 3"), ("-1", "3, 1"), ("1", "1, 3"), ("0", "1"), ("1", "2, 1, 3"))
]  # fmt: skip


def program(expression: str, shape: str) -> str:
    lines = [
        "import mlx.core as mx",
        "",
        "mx.eval(mx.zeros(1) + 1)",
        f"step = mx.compile(lambda x: mx.exp({expression}) + 1, shapeless=True)",
    ]
    return "\n".join([*lines, f"for _ in range(3):\n    mx.eval(step(mx.ones(({shape},))))", ""])


@pytest.mark.mlx
@pytest.mark.parametrize(("expression", "shape"), CASES)
def test_a_reduction_along_an_axis_of_length_1(tmp_path: Path, expression: str, shape: str) -> None:
    module = tmp_path / "module.py"
    module.write_text(program(expression, shape))
    found = [finding.code for finding in check((str(module),)).findings if finding.severity == "error"]
    done = subprocess.run([sys.executable, module], capture_output=True, check=False)
    assert found == (["MX404"] if done.returncode else []), done.stderr
