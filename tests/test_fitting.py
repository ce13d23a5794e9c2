"""Operations on shapes that do not fit raise in the interpreter where they do in MLX, as far as a handler goes on behind it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from mxlint.domain.members import Const, members
from mxlint.engine import check
from mxlint.interpreter.entry import prepared_mlx, run
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes

SHAPES = ("(1,)", "(3,)", "(2, 3)", "(3, 2)", "(1, 3)", "(4, 2, 3)", "(4, 3, 2)", "(2, 1, 3)")
OPERATIONS = {
    **{f"{a} {op} {b}": f"mx.ones({a}) {op} mx.ones({b})" for op in ("+", "@", "<") for a, b in product(SHAPES, SHAPES)},
    **{f"where {a} {b}": f"mx.where(mx.ones({a}) > 0, mx.ones({b}), 0.0)" for a, b in product(SHAPES, SHAPES)},
    **{f"Linear {a} {bias}": f"nn.Linear(3, 2, bias={bias})(mx.ones({a}))" for a, bias in product(SHAPES, (True, False))},
    **{f"number {a}": f"2.0 * mx.ones({a})" for a in SHAPES},
}
HEAD = "import mlx.core as mx\nimport mlx.nn as nn\n"


@pytest.mark.mlx
def test_what_does_not_fit_raises() -> None:
    program = HEAD + "".join(
        f"try:\n    {text}\n    v{n} = True\nexcept ValueError:\n    v{n} = False\n" for n, text in enumerate(OPERATIONS.values())
    )
    real: dict[str, object] = {}
    exec(program, real)  # noqa: S102 - it is written above
    i = prepared_mlx(Project(), load_table())
    run(i, source_from_bytes(program.encode(), "main.py"))
    values = {name: value for cell in i.heap.cells for name, value in cell.items() if isinstance(name, str)}
    found = {name: {member.value for member in members(values[f"v{n}"]) if isinstance(member, Const)} for n, name in enumerate(OPERATIONS)}
    fits = {name: real[f"v{n}"] for n, name in enumerate(OPERATIONS)}
    assert {name for name, known in found.items() if known == {False}} == {name for name, fit in fits.items() if not fit}
    assert all(True in known for name, known in found.items() if fits[name])


@pytest.mark.parametrize(("caught", "codes"), [(True, ["MX208"]), (False, [])])
def test_a_batch_that_does_not_fit_leaves_placeholders(tmp_path: Path, caught: bool, codes: list[str]) -> None:
    """Nobody runs a program that ends so; one that goes on behind it has lost its weights."""
    module = tmp_path / "module.py"
    call = "try:\n    step(mx.ones((1, 3)))\nexcept ValueError:\n    pass\n" if caught else "step(mx.ones((1, 3)))\n"
    module.write_text(
        HEAD
        + "from functools import partial\n\nmodel = nn.Linear(2, 1)\nstate = [model.state]\n\n\n@partial(mx.compile, inputs=state, outputs=state)\n"
        f"def step(x):\n    return model(x).sum()\n\n\nmx.eval(step(mx.ones((1, 2))))\n{call}mx.eval(step(mx.ones((1, 2))))\n",
        encoding="utf-8",
    )
    assert [finding.code for finding in check((str(module),)).findings] == codes
