"""What Python asks an array for its number, in a trace: mxlint says of each expression what MLX does."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from mxlint.engine import check

HEAD = """
import array, bisect, copy, functools, itertools, math, operator, random, struct, time
import mlx.core as mx
import numpy as np


@mx.compile
def step(x):
    k = x.sum().astype(mx.int32)
    """
CALL = "\n    return x\n\n\nstep(mx.ones((3,)))\n"
ASKED = (
    "operator.itemgetter(k)([1, 2, 3])", "[1, 2, 3][k]", "[1, 2, 3][:k]", "(1, 2, 3)[k]", "(1, 2, 3)[k:]", "range(9)[k]", "range(9)[k:]", "'abc'[k]", "'abc'[:k]", "b'abc'[k]", "str(3)[k]",
    "list(range(9))[k:k + 1]", "list(range(9))[::k]", "{1: 2}[int(k)]", "[1, 2, 3].pop(k)", "[1, 2, 3].insert(k, 4)", "[1, 2, 3].index(1, k)",
    "range(k)", "range(0, 9, k)", "enumerate([1], k)", "bytes(k)", "chr(k)", "hex(k)", "bin(k)", "oct(k)",
    "int(k)", "float(k)", "complex(k)", "bool(k)", "not k", "k and 1", "1 if k else 2", "round(1.5, k)", "k in [1, 2]", "[1, 2].count(k)", "(1, 2).index(k)",
    "all([k])", "any([k])", "min(k, 2)", "max([k, 2])", "sorted([k, k])", "'%d' % k", "'%s' % k", "'{}'.format(k)", "f'{k}'", "str(k)", "repr(k)", "print(k)",
    "format(k)", "'abc'.center(k)", "operator.index(k)", "itertools.repeat(1, k)", "math.floor(k)",
    "math.ceil(k)", "math.sqrt(k)", "math.gcd(k, 2)", "math.isqrt(k)", "random.randint(0, k)", "time.sleep(k)", "bisect.bisect([1, 2], k)",
    "functools.reduce(max, [k, k])", "struct.pack('i', k)", "np.array(k)", "np.zeros(k)", "np.arange(k)", "np.zeros(3)[k]", "np.add(k, 1)", "np.float32(k)",
    "[1, 2, 3].remove(k)", "slice(k).indices(3)", "bytes([k])", "array.array('i', [k])", "np.arange(3)[:k]", "np.arange(3)[k:]", "slice(0, k).indices(3)",
    "bytearray([k])", "[4, k].remove(1)",
)  # fmt: skip
"""What evaluates the placeholder, and so raises."""
LEFT = (
    "k + 1", "abs(k)", "k // 1", "-k", "k ** 2", "k == 1", "[k][0]", "{'a': k}['a']", "{k: 1}", "{k}", "dict(a=k)", "len(x)",
    "isinstance(k, int)", "k is None", "getattr(k, 'shape')", "sum([k, 1])", "next(iter([k]))", "iter(x)", "zip(x, x)", "list(zip(x, x))", "enumerate(x)",
    "slice(k)", "copy.copy(k)", "random.choice([k])", "hash(k)", "'a' in x", "1 in (1, x)", "[1, k].remove(1)", "slice(k).stop", "list(x)", "map(float, x)", "x[:2]", "x[k]", "round(k)",
)  # fmt: skip
"""What does not."""


def evaluated(expression: str, folder: Path) -> bool:
    """Whether mxlint says that the expression needs the value of a placeholder."""
    path = folder / "main.py"
    path.write_text(HEAD + expression + CALL, encoding="utf-8")
    return any(finding.code in ("MX101", "MX103", "MX104", "MX105") for finding in check([str(path)], fixes=False).findings)


@pytest.mark.parametrize("expression", ASKED)
def test_it_is_said(expression: str, tmp_path: Path) -> None:
    assert evaluated(expression, tmp_path)


@pytest.mark.parametrize("expression", LEFT)
def test_it_is_not_said_of_others(expression: str, tmp_path: Path) -> None:
    assert not evaluated(expression, tmp_path)


@pytest.mark.mlx
@pytest.mark.skipif(importlib.util.find_spec("mlx") is None, reason="needs MLX")
@pytest.mark.parametrize("expression", (*ASKED, *LEFT))
def test_mlx_does_so(expression: str) -> None:
    try:
        exec(HEAD + expression + CALL, {})  # noqa: S102 - expressions of this file
        raised = ""
    except Exception as error:  # noqa: BLE001 - MLX raises several classes
        raised = str(error)
    assert ("[eval]" in raised) == (expression not in LEFT), raised
