"""What nobody in sight gives: what its defaults, its uses and MLX itself say of it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from mxlint.engine import check

DEFAULTS = {"flag": True, "off": False, "count": 3, "rate": 0.5, "mode": "a", "found": None}
"""Parameters and fields that nobody in sight gives, and what they are if nobody does."""
TESTS = (
    "{flag}", "not {flag}", "{off}", "{count} > 2", "{count} > 7", "{count} % 2 == 1", "{count} - 3", "{rate} < 1", "{rate} * 2 >= {count}", "{mode} == 'a'",
    "{mode} != 'a'", "{found} is None", "{found} is not None", "not {found}",
)  # fmt: skip


def severities(tmp_path: Path, code: str) -> dict[int, str]:
    """The severities of the findings in a module, by row."""
    (tmp_path / "module.py").write_text(code)
    result = check((str(tmp_path / "module.py"),), fixes=False)
    return {finding.span.start.row: finding.severity for finding in result.findings}


def conditions() -> list[str]:
    """Tests of the defaults, alone and together."""
    chosen = random.Random("conditions")
    pairs = [f"({a}) {chosen.choice(('and', 'or'))} ({b})" for a, b in (chosen.sample(TESTS, 2) for _ in range(24))]
    return [*TESTS, *pairs]


WAYS = {
    "parameters": "def make({parameters}):\n",
    "fields": "@dataclass\nclass Settings:\n{fields}\n\ndef make(s: Settings):\n",
}
"""How a module is configured."""


@pytest.mark.parametrize("way", WAYS)
def test_what_holds_by_default_is_not_lowered(tmp_path: Path, way: str) -> None:
    types = {"found": "int | None"} | {name: type(value).__name__ for name, value in DEFAULTS.items() if value is not None}
    lines = ["import mlx.core as mx", "from dataclasses import dataclass", ""]
    fields = "\n".join(f"    {name}: {types[name]} = {value!r}" for name, value in DEFAULTS.items())
    lines += WAYS[way].format(parameters=", ".join(f"{name}={value!r}" for name, value in DEFAULTS.items()), fields=fields).splitlines()
    expected = {}
    for number, condition in enumerate(conditions()):
        written = condition.format(**{name: name if way == "parameters" else f"s.{name}" for name in DEFAULTS})
        lines += ["    @mx.compile", f"    def step{number}(x):", f"        if {written}:", "            print(x)", "        return x"]
        holds = eval(condition.format(**{name: name for name in DEFAULTS}), dict(DEFAULTS))
        expected[len(lines) - 1] = "error" if holds else "warning"
    lines.append(f"    return {', '.join(f'step{number}' for number in range(len(conditions())))}")
    assert severities(tmp_path, "\n".join(lines) + "\n") == expected


RETURNED = {
    "x.sum()": True, "(x.sum(), 3)": True, "(x.sum(), x)": True, "(3.0, x.sum())": False, "3.0": False, "[x.sum(), 3]": False, "{'a': x.sum()}": False, "x": False,
}  # fmt: skip
"""What a differentiated function may return, and whether MLX takes it."""


@pytest.mark.mlx
@pytest.mark.parametrize("expression", RETURNED)
def test_a_differentiated_function_returns_a_scalar_array(expression: str) -> None:
    mx = pytest.importorskip("mlx.core")
    function = eval(f"lambda x: {expression}", {})
    if RETURNED[expression]:
        mx.value_and_grad(function)(mx.ones(2))
    else:
        with pytest.raises(ValueError, match="return value|cotangent shape"):
            mx.value_and_grad(function)(mx.ones(2))


LOSS = """
import mlx.core as mx
import mlx.nn as nn


def make(model, loss_fn):
    grads_of = nn.value_and_grad(model, loss_fn)

    @mx.compile
    def step(x, y):
        {bound}, grads = grads_of(model, x, y)
        {use}
        return grads

    return step
"""


@pytest.mark.parametrize(
    ("bound", "use", "severity"),
    [
        ("loss", "print(loss)", "error"),
        ("loss", "float(loss)", "error"),
        ("(loss, count)", "print(loss)", "error"),
        ("(loss, *rest)", "print(loss)", "error"),
        ("out", "print(out[0])", "error"),
        # What else a tuple holds nobody in sight says.
        ("(loss, count)", "print(count)", None),
        ("out", "print(out[1])", None),
        ("(loss, count)", "count.item()", "warning"),
        ("out", "print(1 if isinstance(out, tuple) else 2)", None),
    ],
)
def test_what_a_differentiated_function_returns(tmp_path: Path, bound: str, use: str, severity: str | None) -> None:
    expected = {} if severity is None else {12: severity}
    assert severities(tmp_path, LOSS.format(bound=bound, use=use)) == expected


INDEX = """
import mlx.core as mx


@mx.compile
def step(h):
    x = {expression}
    print(x)
    return x


def run(model, batch):
    return step(model.encode(batch))
"""


@pytest.mark.parametrize(
    ("expression", "found"),
    [("h[:, -1]", True), ("h[0, 1:]", True), ("h[::2, None]", True), ("h[0]", False), ("h[1:]", False), ("h[0, 1]", False)],
)
def test_what_is_cut_along_several_axes_is_an_array(tmp_path: Path, expression: str, found: bool) -> None:
    assert severities(tmp_path, INDEX.format(expression=expression)) == ({8: "error"} if found else {})


@pytest.mark.parametrize("container", ["[1, 2]", "(1, 2)", "'ab'", "b'ab'", "{1: 2}", "1", "1.5", "None"])
@pytest.mark.parametrize("index", ["[:, -1]", "[0, 1:]", "[::2, None]"])
def test_nothing_else_is_cut_along_several_axes(container: str, index: str) -> None:
    with pytest.raises((TypeError, KeyError)):
        eval(f"value{index}", {"value": eval(container)})


REFUSED = """
import mlx.core as mx


class Config:
    scale = 1.0


class Other:
    scale = 2.0


@mx.compile
def step(x, config):
    return x


def run(x, given=None, flag=False, name="a"):
    return step(x, {expression})
"""


@pytest.mark.parametrize(
    ("expression", "severity"),
    [
        ("Config()", "error"),
        ("Config() if flag else Other()", "error"),
        ("given or Config()", "error"),
        ("Config() if given is None else given", "error"),
        ("Config() if flag else None", "warning"),
        ("[Config()] if flag else [1]", "warning"),
        ("1 if flag else 2", None),
        ("given", None),
    ],
)
def test_what_mlx_refuses_of_several(tmp_path: Path, expression: str, severity: str | None) -> None:
    expected = {} if severity is None else {19: severity}
    assert severities(tmp_path, REFUSED.format(expression=expression)) == expected


VARIES = """
import mlx.core as mx


class Decay:
    def __call__(self, step):
        return 0.1 * 0.9**step


@mx.compile
def update(p, lr):
    return p - lr * p


def run(p, steps, data, schedule=None, cosine=False):
    schedule = schedule or Decay()
    for n in range(steps):
        {lr}
        p = update(p, lr)
    return p
"""


@pytest.mark.parametrize(
    ("lr", "found"),
    [
        ("lr = 0.1 * n", True),
        ("lr = schedule(n)", True),
        ("lr = 0.1 * n if cosine else schedule(3)", True),
        # Whether it is a number of the loop is asked anew in each round: some say yes once.
        ("lr = 0.1 * n if next(data) else schedule(3)", False),
        ("lr = schedule(3)", False),
        ("lr = 0.1 if cosine else 0.2", False),
    ],
)
def test_a_number_that_varies_for_those_who_give_nothing_else(tmp_path: Path, lr: str, found: bool) -> None:
    assert severities(tmp_path, VARIES.format(lr=lr)) == ({19: "warning"} if found else {})


TIMED = """
import time

import mlx.core as mx


def run(function, x, rounds=10, wait=True, report=False):
    fast = mx.compile(function)
    mx.eval(fast(x))
    before = time.perf_counter()
    {timed}
    after = time.perf_counter()
    {told}
    return y
"""


@pytest.mark.parametrize(
    ("timed", "told", "severity"),
    [
        ("y = fast(x)", "print(after - before)", "warning"),
        ("for _ in range(rounds): y = fast(x)", "print(after - before)", "warning"),
        ("for _ in range(rounds): y = fast(x)", "if report: print(after - before)", "warning"),
        ("for _ in range(rounds): y = mx.eval(fast(x))", "print(after - before)", None),
        ("for _ in range(rounds): y = fast(x)", "mx.eval(y); print(after - before)", "warning"),
        ("y = fast(x); mx.eval(y)", "print(after - before)", None),
        ("y = fast(x) if report else x", "print(after - before)", "info"),
        ("y = fast(x) if wait else x", "print(after - before)", "warning"),
    ],
)
def test_a_measurement_around_a_loop(tmp_path: Path, timed: str, told: str, severity: str | None) -> None:
    assert severities(tmp_path, TIMED.format(timed=timed, told=told)) == ({} if severity is None else {12: severity})


OPTIONS = """
import argparse

import mlx.core as mx

parser = argparse.ArgumentParser()
parser.add_argument("--flag", action="store_true")
parser.add_argument("--no-check", action="store_false", dest="check")
parser.add_argument("--count", type=int, default=3)
args = parser.parse_args()


@mx.compile
def step(x):
    if {condition}:
        print(x)
    return x


step(mx.ones(2))
"""


@pytest.mark.parametrize(
    ("condition", "severity"),
    [
        ("args.flag", "warning"),
        ("not args.flag", "error"),
        ("args.check", "error"),
        ("args.count > 2", "error"),
        ("args.count > 2 and args.flag", "warning"),
    ],
)
def test_options_that_nobody_gives(tmp_path: Path, condition: str, severity: str) -> None:
    assert severities(tmp_path, OPTIONS.format(condition=condition)) == {16: severity}


DROPOUT = """
import mlx.core as mx
import mlx.nn as nn


class Head(nn.Module):
    def __init__(self, dims, {parameter}):
        super().__init__()
        self.drop = nn.Dropout({rate})

    def __call__(self, x):
        return self.drop(x)


def samples(head: Head, x):
    forward = mx.compile(lambda z: head(z))
    return [forward(x) for _ in range(3)]
"""


@pytest.mark.parametrize(
    ("parameter", "rate", "found"),
    [
        ("p=0.5", "p", True),
        ("p: float = 0.1", "p", True),
        ("p=0.0", "p", False),
        ("p=0", "p", False),
        ("p", "p", False),
        ("p=0", "0.5", True),
    ],
)
def test_a_rate_is_what_it_is_by_default(tmp_path: Path, parameter: str, rate: str, found: bool) -> None:
    assert severities(tmp_path, DROPOUT.format(parameter=parameter, rate=rate)) == ({12: "error"} if found else {})


SETTINGS = """
import mlx.core as mx


class Scaler:
    def __init__(self, options, **more):
        self.settings = {{"scale": 2.0, "shift": 1.0}}
        {first}
        self.run = mx.compile(self._run)

    def _run(self, x):
        return x * self.settings["scale"]

    def __call__(self, x):
        return self.run(x)

    def configure(self, other, **options):
        {later}
"""


@pytest.mark.parametrize(
    ("first", "later", "found"),
    [
        ("pass", "self.settings.update(options)", True),
        ("pass", "self.settings.update(**options)", True),
        ("pass", "self.settings.update(other)", True),
        ("pass", "self.settings.update({'shift': 2.0}, **options)", True),
        ("pass", "self.settings.update({'shift': 2.0})", False),
        ("self.settings.update(more)", "pass", False),
        ("self.settings.update(options)", "return self.settings", False),
    ],
)
def test_what_an_update_may_replace(tmp_path: Path, first: str, later: str, found: bool) -> None:
    assert severities(tmp_path, SETTINGS.format(first=first, later=later)) == ({12: "warning"} if found else {})


LEFT = """
import mlx.core as mx


def make(x, flag=False, count=0, mode="a"):
    @mx.compile
    def step(x, n):
        if {condition}:
            print(x)
        return x

    if {around}:
        return step(x, count)
"""


@pytest.mark.parametrize(
    ("around", "condition", "severity"),
    [
        ("mode == 'a'", "not flag", "error"),
        # Who comes to the call has left the defaults already.
        ("count > 0", "not flag", "warning"),
        ("flag", "mode == 'a'", "warning"),
        # Each call decides what it gives.
        ("mode == 'a'", "n < 1", "warning"),
    ],
)
def test_who_has_left_the_defaults(tmp_path: Path, around: str, condition: str, severity: str) -> None:
    assert severities(tmp_path, LEFT.format(around=around, condition=condition)) == {9: severity}


LEADS = {
    "by a name": ("from steps import step", "step(x, n)"),
    "by another name": ("from steps import step as again", "again(x, n)"),
    "as an attribute": ("import steps", "steps.step(x, n)"),
    "as an attribute under another name": ("import steps as compiled", "compiled.step(x, n)"),
}
MADE = {
    "decorated": "@mx.compile\ndef step(x, n):\n    return x * n\n",
    "decorated by a partial": "@partial(mx.compile, inputs=[])\ndef step(x, n):\n    return x * n\n",
    "compiled after it": "def scale(x, n):\n    return x * n\n\nstep = mx.compile(scale)\n",
    "compiled by another": "def make():\n    return mx.compile(lambda x, n: x * n)\n\nstep = make()\n",
}


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("made", MADE)
def test_a_function_that_imports_what_leads_to_something_compiled(tmp_path: Path, lead: str, made: str) -> None:
    """It is entered, although nothing calls it and the modules are not loaded before that."""
    imported, call = LEADS[lead]
    files = {
        "steps": f"from functools import partial\nimport mlx.core as mx\n\n{MADE[made]}",
        "trainer": f"import mlx.core as mx\n{imported}\n\n\ndef run(x, n):\n    return {call}\n",
        "main": "def main(x):\n    from trainer import run\n\n    for n in range(9):\n        run(x, n)\n",
    }
    for name, code in files.items():
        (tmp_path / f"{name}.py").write_text(code)
    result = check((str(tmp_path),), fixes=False)
    assert [(item.code, Path(item.span.filename).stem) for item in result.findings] == [("MX303", "trainer")]


CALLERS = """import mlx.core as mx

class Model:
    def __init__(self):
        self.fn = None
        self.hook = None

    def enable(self):
        self.hook = True

    def build(self):
        {build}

    def apply(self, x):
        if {test}:
            print(x)  # here
        return mx.exp(x) * 2

    def run(self, x):
        return self.fn(x)
"""
"""A class whose methods its callers call in some order."""


@pytest.mark.parametrize(
    ("build", "test", "severity"),
    [
        ("self.fn = mx.compile(self.apply)", "True", "error"),
        ("self.fn = mx.compile(self.apply)", "self.hook is not None", "warning"),
        ("self.fn = mx.compile(self.apply)", "self.hook is None", "error"),
        ("self.fn = mx.compile(self.apply) if self.hook else None", "self.hook is not None", "error"),
        ("self.fn = mx.compile(self.apply)", "self.fn is None", None),
    ],
)
def test_what_holds_in_one_order_of_calls(tmp_path: Path, build: str, test: str, severity: str | None) -> None:
    code = CALLERS.format(build=build, test=test)
    row = next(number for number, line in enumerate(code.splitlines(), 1) if "# here" in line)
    assert severities(tmp_path, code).get(row) == severity
