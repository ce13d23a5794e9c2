"""Programs of which everything is known that decides about what is compiled: their sites are followed in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source

PROGRAMS = {
    "a global that is filled where a test has found it empty, in a loop some of whose rounds do not come there": """\
def run(rows, y, n):
    wanted = []
    for number in range(n):
        wanted.append(mx.array(number) if rows[number] else None)
    for number in range(n):
        if wanted[number] is None:
            continue
        y = epoch(y)
    return y

def epoch(y):
    global _compiled
    if _compiled is None:
        _compiled = mx.compile(double)
    return _compiled(y)

_compiled = None

def double(y):
    return y * 2
""",
}

STEP = """\
from functools import partial
import mlx.nn as nn

def train(model{annotation}, optimizer, batches):
    inputs = [{inputs}]
    outputs = [{outputs}]
    grad = nn.value_and_grad(model, lambda model, x, y: nn.losses.mse_loss(model(x), y))

    @partial(mx.compile, inputs=inputs, outputs=outputs)
    def step(x, y):
        loss, grads = grad(model, x, y)
        optimizer.update(model, grads)
        return loss

    for x, y in batches:
        mx.eval(step(x, y), inputs)
"""
ALL = "model.state, optimizer.state, mx.random.state"


def followed(folder: Path, text: str) -> set[str]:
    (folder / "main.py").write_text(f"import mlx.core as mx\n\n{text}", encoding="utf-8")
    return {site.followed for site in analyze(read_source(folder / "main.py", "main.py"), Project(), load_table()).sites}


@pytest.mark.parametrize("annotation", ["", ": nn.Module"])
@pytest.mark.parametrize(
    ("inputs", "outputs", "expected"),
    [
        (ALL, ALL, "full"),
        ("model.state, optimizer.state", "model.state, optimizer.state", "partial"),
        (ALL, "optimizer.state, mx.random.state", "partial"),
        (ALL, "model.state, optimizer.state", "partial"),
    ],
)
def test_layers_that_nobody_sees_decide_nothing_where_all_is_handed_on(
    tmp_path: Path, annotation: str, inputs: str, outputs: str, expected: str
) -> None:
    """They may draw random numbers, and keep something."""
    assert followed(tmp_path, STEP.format(annotation=annotation, inputs=inputs, outputs=outputs)) == {expected}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_site_is_followed_in_full(tmp_path: Path, name: str) -> None:
    assert followed(tmp_path, PROGRAMS[name]) == {"full"}
