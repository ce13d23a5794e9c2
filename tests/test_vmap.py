"""Functions that `mx.vmap` maps: the shapes in and behind them, and what shapeless=True keeps of them, are what MLX shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mxlint.domain.arrays import Array
from mxlint.domain.members import Tuple, Value
from mxlint.engine import check
from mxlint.interpreter.entry import prepared_mlx, run
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes

HEAD = "import mlx.core as mx\n\nmx.eval(mx.zeros(1) + 1)\nx, w, v, s = mx.ones((4, 6)), mx.ones(6), mx.ones(1), mx.array(2.0)\n"
MAPPED = (
    "mx.vmap(lambda r: r * 2)(x)",
    "mx.vmap(lambda r: r.sum())(x)",
    "mx.vmap(lambda r: mx.stack([r, r]))(x)",
    "mx.vmap(lambda r: r * 2, in_axes=1)(x)",
    "mx.vmap(lambda r: r * 2, in_axes=-1, out_axes=-1)(x)",
    "mx.vmap(lambda r: r * 2, 0, 1)(x)",
    "mx.vmap(lambda r: mx.ones(3))(x)",
    "mx.vmap(lambda r, m: r @ m, in_axes=(0, None))(x, mx.ones((6, 3)))",
    "mx.vmap(lambda r: (r, r.sum()), out_axes=(1, 0))(x)",
    "mx.vmap(lambda r: [r, r.sum()])(x)[0]",
    "mx.vmap(lambda d: d['a'] + d['b'], in_axes={'a': 0, 'b': None})({'a': x, 'b': w})",
    "mx.vmap(lambda d: d['a'] + d['b'])({'a': x, 'b': x})",
    "mx.vmap(lambda l: l[0] + l[1])([x, x])",
    "mx.vmap(lambda r: {'s': r.sum()})(x)['s']",
    "mx.vmap(mx.vmap(lambda a, b: a * b, in_axes=(None, 0)), in_axes=(0, None))(x[:, 0], w)",
    "mx.compile(mx.vmap(lambda r: r - r.mean()))(x)",
)
"""Calls whose results have shapes that say how they came about."""

FUNCTIONS = (
    "r * 2", "r + s", "2 - r", "r + r", "r + w", "r * v", "r * 2 + r.sum()", "r / r.max()", "r + r.sum(keepdims=True)", "r.sum() * 2", "r.sum() + w",
    "mx.maximum(r, 0.0)", "mx.where(r > r.mean(), r, 0.0)", "mx.softmax(r)", "mx.abs(-r)", "r - mx.logsumexp(r)", "r[:, None] * r[None]", "r ** 2",
    "mx.concatenate([r, r])", "r + x.mean()", "r + x", "mx.where(x > r, x, r)", "x.sum(axis=0) + r", "mx.softmax(r) * r", "r.astype(mx.float16) + r",
)  # fmt: skip
CHANGES = {
    "the mapped axis": ("", "(4, 6)", "(5, 6)"),
    "another axis gets shorter": ("", "(4, 6)", "(4, 3)"),
    "another axis gets longer": ("", "(4, 6)", "(4, 12)"),
    "the mapped axis, behind": (", in_axes=1", "(4, 6)", "(4, 3)"),
    "another axis, in front": (", in_axes=1", "(4, 6)", "(3, 6)"),
}


LONG_AS_ROWS = ("r + w", "r + x", "mx.where(x > r, x, r)", "x.sum(axis=0) + r")
"""What fits rows and no columns."""
NOT_SAID = {("r[:", ", in_axes=1")}
"""Two mapped operands that are both stretched, where the mapped axis is not the first."""


def ran(program: str, folder: Path) -> list[str]:
    """The lines that a program prints."""
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    return subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout.splitlines()


def shapes(value: Value) -> object:
    if isinstance(value, Tuple):
        return tuple(shapes(part) for part in value.items or ())
    return value.shape if isinstance(value, Array) else value


@pytest.mark.mlx
def test_results_have_the_shapes_that_mlx_gives_them(tmp_path: Path) -> None:
    told = "print(tuple(p.shape for p in y) if isinstance(y, tuple) else y.shape)\n"
    real = ran(HEAD + "".join(f"y = {text}\n{told}" for text in MAPPED), tmp_path)
    i = prepared_mlx(Project(), load_table())
    run(i, source_from_bytes((HEAD + "".join(f"y{n} = {text}\n" for n, text in enumerate(MAPPED))).encode(), "main.py"))
    values = {name: value for cell in i.heap.cells for name, value in cell.items() if isinstance(name, str)}
    assert [str(shapes(values[f"y{n}"])) for n in range(len(MAPPED))] == real


def test_functions_see_the_shapes_without_the_mapped_axis(tmp_path: Path) -> None:
    """What is compiled asserts them: a wrong one is an exception in the trace, and there is no other finding."""
    text = "def one(r):\n    if r.shape != (6,):\n        mx.eval(r)\n    return r\n\n\nstep = mx.compile(lambda a: mx.vmap(one)(a))\nfor _ in range(2):\n    mx.eval(step(x))\n"
    module = tmp_path / "module.py"
    module.write_text(HEAD + text, encoding="utf-8")
    assert [finding.code for finding in check((str(module),)).findings] == []
    module.write_text(HEAD + text.replace("!=", "=="), encoding="utf-8")
    assert [finding.code for finding in check((str(module),)).findings] == ["MX102"]


@pytest.mark.mlx
@pytest.mark.parametrize("change", CHANGES)
def test_what_is_kept_of_sizes_without_shapes(change: str, tmp_path: Path) -> None:
    """MLX raises or gives another shape or other values at the second call where mxlint says so, and nowhere else."""
    option, first, second = CHANGES[change]
    functions = [text for text in FUNCTIONS if not ("+ w" in text and "another" in change or text in LONG_AS_ROWS and option)]
    module = tmp_path / "module.py"
    lines = [f"def f{n}(x):\n    return mx.vmap(lambda r: {text}{option})(x)\n" for n, text in enumerate(functions)]
    calls = [f"g{n} = mx.compile(f{n}, shapeless=True)\ng{n}(mx.ones({first}))\ng{n}(mx.ones({second}))\n" for n in range(len(functions))]
    module.write_text(HEAD + "\n".join([*lines, *calls]), encoding="utf-8")
    result = check((str(module),))
    rows = module.read_text(encoding="utf-8").splitlines()
    said = {rows[finding.span.start.row - 1].split("lambda r: ")[1] for finding in result.findings if finding.code == "MX404"}
    assert {(finding.code, finding.severity) for finding in result.findings} <= {("MX404", "error")}
    runs = [
        f"g = mx.compile(f{n}, shapeless=True)\nmx.eval(g(mx.random.uniform(shape={first})))\na = mx.random.uniform(shape={second})\nplain = f{n}(a)\n"
        f"try:\n    made = g(a)\n    print(made.shape == plain.shape and mx.allclose(made, plain).item())\nexcept Exception:\n    print(False)\n"
        for n in range(len(functions))
    ]
    bad = {
        rows_of
        for rows_of, line in zip((f"{text}{option})(x)" for text in functions), ran(HEAD + "\n".join([*lines, *runs]), tmp_path))
        if line == "False"
    }
    assert bad - said == {text for text in bad if (text.split(",")[0], option) in NOT_SAID}
    assert said - bad == set()
