"""Attributes that are set before each call of a compiled method: what is said of them, and what MLX does.

Each program sets an attribute to something that it computes from its arguments, and calls the compiled method that reads it. What the key of the call tells is never
stale, whatever shapes the next call has: another one makes another trace. What it does not tell is.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes

OF_SHAPES = {
    "x.shape[0]": "{}", "x.shape[-1]": "{}", "x.size": "{}", "x.ndim": "{}", "len(x)": "{}", "x.shape[0] * 2": "{}", "x.shape[0] // 2": "{}",
    "x.shape[0] + self.k": "{}", "x.shape": "sum({})", "(x.shape[0], x.shape[1])": "sum({})", "x.dtype == mx.float32": "{}", "(x * 2).shape[0]": "{}",
    "x.T.shape[0]": "{}", "x[1:].shape[0]": "{}", "x[None].shape[1]": "{}", "(x @ x.T).shape[1]": "{}", "mx.sum(x, axis=0).shape[0]": "{}",
    "x.shape[0] if x.ndim > 1 else 1": "{}", "min(x.shape)": "{}", "x.shape[0] == 3": "{}", "x.shape[0] - x.shape[1]": "{}", "x.shape[0] % 2 == 0": "{}",
    "x.nbytes": "{}", "x.itemsize": "{}", "str(x.shape[0])": "len({})", "-x.shape[1]": "{}", "x.shape[:1]": "sum({})", "range(x.shape[0])": "len({})",
    "x.shape[self.axis]": "{}", "x.shape[1:][self.axis]": "{}",
    "{'n': x.shape[0]}": "{}['n']", "int(x.shape[0] * 0.5)": "{}", "mx.zeros(x.shape)": "{}.size", "mx.arange(x.shape[0])": "{}.sum()",
}  # fmt: skip
"""What follows from the shape and dtype of `x`, each with how a method reads it."""
OF_BOTH = {"x.shape[0] * y.shape[0]": "{}", "y.shape[0]": "{}", "y.size": "{}", "mx.concatenate([x, y]).shape[0]": "{}"}
OF_NUMBERS = {
    "x.sum().item()": "{}",
    "int(x[0, 0].item())": "{}",
    "x.shape[0] + self.calls": "{}",
    "x.shape[0] + mode": "{}",
    "x.shape[mode]": "{}",
    "x.shape[1 - mode:][0]": "{}",
    "x.size if mode else x.shape[0]": "{}",
    "self.calls": "{}",
}
"""What no key tells."""
OF_MODE = {"mode": "{}", "mode * 2": "{}", "x.shape[0] + mode": "{}"}
"""What a key tells that has the number itself."""
TELLING = ("x", "x * 2", "x.T", "x[1:]", "x[:-1]", "x[::-1]", "x[1:, :-1]")
"""What is given to the compiled method, of a shape that tells that of `x`."""
WITH_Y = "x, y"
WITH_MODE = "x, mode"
OTHERS = ("x.sum()", "x[0]", "x[:2]", "x[-2:]", "x[::2]", "x[1:3]", "x[:2, 1:]")
PARAMETERS = ("x, y, mode=0", "x: mx.array, y: mx.array, mode: int = 0")
PROGRAM = """\
import mlx.core as mx


class Model:
    def __init__(self, axis: int = 0):
        self.axis = axis
        self.k = 3
        self.calls = 0
        self.kept = 1
        self._step = mx.compile(self._forward)

    def _forward(self, x, y=None):
        return mx.array(1.0) * {read}

    def __call__(self, {parameters}):
        self.calls += 1
        self.kept = {computed}
        return self._step({given})
"""
SHAPES = ((2, 3), (3, 3), (3, 2), (4, 3), (2, 4))

CHILD = """
import json, sys
import mlx.core as mx

def made(shape, first):
    return mx.arange(shape[0] * shape[1]).reshape(shape).astype(mx.float32) + first

def differs(text, before, now):
    "Whether the second call gives something else than the same method that is not compiled."
    names = {}
    exec(text, names)
    model = names["Model"]()
    model(*(made(shape, 0) for shape in before))
    found = model(*(made(shape, 1) for shape in now), mode=1).item()
    model._step = model._forward
    model.calls -= 1
    return found != model(*(made(shape, 1) for shape in now), mode=1).item()

programs, pairs = json.load(sys.stdin)
print(json.dumps([any(differs(text, *pair) for pair in pairs) for text in programs]))
"""


class Case(NamedTuple):
    computed: str
    read: str
    given: str
    parameters: str

    @property
    def text(self) -> str:
        return PROGRAM.format(computed=self.computed, read=self.read.format("self.kept"), given=self.given, parameters=self.parameters)

    @property
    def is_stale(self) -> bool:
        """Whether anything of it is said, and that it is stale."""
        found = analyze(source_from_bytes(self.text.encode(), "main.py"), Project(), load_table())
        return any(finding.code in ("MX201", "MX209") for finding in found.findings)


def cases(computed: dict[str, str], given: Sequence[str]) -> list[Case]:
    return [Case(*each, call, parameters) for each, call, parameters in product(computed.items(), given, PARAMETERS)]


NEVER = [*cases(OF_SHAPES, (*TELLING, WITH_Y)), *cases(OF_BOTH, (WITH_Y,)), *cases(OF_MODE, (WITH_MODE,))]
AT_TIMES = [*cases(OF_NUMBERS, (*TELLING, WITH_Y, *OTHERS)), *cases(OF_BOTH, TELLING), *cases({"x.shape[0]": "{}", "x.size": "{}"}, OTHERS)]


def test_what_the_key_tells_is_never_said_to_be_stale() -> None:
    assert [case for case in NEVER if case.is_stale] == []


def test_what_it_does_not_tell_is_said_to_be_stale() -> None:
    assert [case for case in AT_TIMES if not case.is_stale] == []


@pytest.mark.mlx
@pytest.mark.skipif(importlib.util.find_spec("mlx") is None or shutil.which("g++") is None, reason="needs MLX and a C++ compiler")
def test_mlx_does_so() -> None:
    every = [*NEVER, *AT_TIMES]
    pairs = [
        [(first, (2, 3)), (second, other)]
        for first, second, other in product(SHAPES, SHAPES, ((2, 3), (4, 3)))
        if first[1] == second[1] == 3
    ]
    child = subprocess.run(
        [sys.executable, "-I", "-B", "-c", CHILD],
        input=json.dumps([[case.text for case in every], pairs]),
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=600,
    )
    assert child.returncode == 0, child.stderr
    assert dict(zip(every, json.loads(child.stdout))) == {**dict.fromkeys(NEVER, False), **dict.fromkeys(AT_TIMES, True)}
