"""What was seen somewhere in a function is not put down to another expression of it: each claim is made at the row that is to blame, and at
one that is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from needed import needs_mlx

from mxlint.engine import check
from mxlint.finding import Verdict
from mxlint.verify.claims import forced
from mxlint.verify.experiment import Options, verify

pytestmark = [needs_mlx, pytest.mark.usefixtures("folder")]

HEAD = """from functools import partial
import os
import time

import mlx.core as mx
import mlx.nn as nn

mx.eval(mx.zeros(1) + 1)
"""


def claimed(code: str, text: str, line: str) -> Verdict:
    """The verdict on a claim about the first row that has this line."""
    text = HEAD + text
    Path("a.py").write_text(text, encoding="utf-8")
    result = check(["a.py"], with_facts=True)
    row = next(row for row, one in enumerate(text.splitlines(), 1) if one.strip() == line)
    claim = forced(result.sources["a.py"], row, code, [site.span for site in result.sites])
    assert claim is not None
    (finding,) = verify([replace(claim, message="put to the test")], result.sources, [], Options(timed=False), result.facts)
    assert finding.verdict is not None
    return finding.verdict


WRITES = """
scale, log = mx.array(1.0), []

@mx.compile
def f(x):
    y = x * scale
    log.append(y)
    return y + 1

for k in range(3):
    scale = mx.array(float(k))
    print(f(mx.ones(2)))
"""

MISFIT = """
@mx.compile
def f(x, n):
    y = x * 2
    return y + mx.full((n, 2), 1.0)

for _ in range(2):
    try:
        f(mx.ones(2), mx.array(2))
    except (RuntimeError, TypeError):
        pass
"""

DRAWS_NONE = """
@mx.compile
def f(x, n):
    return mx.random.normal((n, 2)) + x

for _ in range(2):
    try:
        print(f(mx.ones(2), mx.array(2)))
    except TypeError:
        pass
"""

FUNCTIONS = """
fns = [mx.exp, lambda x: x * 2, lambda x: x * 3]
chosen = [fns[1]]

@mx.compile
def f(x):
    y = x + 1
    return chosen[0](y) + 1

for number in (1, 1, 2):
    chosen[0] = fns[number]
    print(f(mx.array(1.0)))
"""

SHAPE = """
@partial(mx.compile, shapeless=True)
def f(x):
    y = mx.exp(x) * 2
    n = 3.0
    return y * n / y.shape[0]

for rows in (2, 4):
    print(f(mx.ones((rows, 3))))
"""

SHAPE_NUMBER = """
@partial(mx.compile, shapeless=True)
def f(x):
    n = x.shape[0] ** 0.5
    return mx.exp(x) * n

for rows in (2, 4):
    print(f(mx.ones((rows, 3))))
"""

SHAPE_TWICE = """
@partial(mx.compile, shapeless=True)
def f(x):
    y = mx.exp(x) / x.shape[0]
    return y * 2 + x.shape[0]

for rows in (2, 4):
    print(f(mx.ones((rows, 3))))
"""

CONDITION = """
@partial(mx.compile, shapeless=True)
def f(x):
    y = x * 2
    if y.ndim == 2:
        y = y + 1
    if y.shape[0] > 3:
        y = -y
    return y

for rows in (2, 4):
    print(f(mx.ones((rows, 3))))
"""

SLICE = """
@partial(mx.compile, shapeless=True)
def f(x):
    y = mx.exp(x) * 2
    y = y[:, 1:]
    z = mx.split(x, 3, axis=1)[0]
    return mx.sum(y) + mx.sum(z)

for rows in (2, 4):
    print(f(mx.ones((rows, 3))))
"""

LAST = """
@partial(mx.compile, shapeless=True)
def f(x):
    y = mx.exp(x)
    return y[-1] * 2

for rows in (2, 4):
    print(f(mx.arange(rows)))
"""

LEAK = """
history = []

@mx.compile
def f(x):
    last = history[-1] if history else 0
    y = mx.exp(x) + len(history)
    history.append(y)
    return y * 2

for _ in range(3):
    f(mx.array(1.0))
print(history[-1].item())
"""

DRAWS = """
scale = mx.array(1.0)

@mx.compile
def f(x):
    y = x * 2
    z = x * scale
    return y + z + mx.random.normal(x.shape)

for _ in range(3):
    scale = scale + 1
    print(f(mx.array([1.0])))
"""

CAPTURED_DRAWS = """
scale = mx.array(1.0)

@partial(mx.compile, inputs=mx.random.state, outputs=mx.random.state)
def f(x):
    noise = mx.random.normal(x.shape)
    return noise + x * scale

for _ in range(3):
    scale = scale + 1
    print(f(mx.array([1.0])))
"""

CAPTURED_SCALE = """
state = {"scale": mx.array(1.0)}
shift = mx.array(0.0)

@partial(mx.compile, inputs=state)
def f(x):
    y = x * state["scale"]
    return y + shift

for value in (1.0, 2.0, 3.0):
    state["scale"] = mx.array(value)
    shift = mx.array(value)
    print(f(mx.array(1.0)))
"""

MUTATES = """
@mx.compile
def f(cache, x):
    y = x * 2
    cache["k"] = y
    return y + 1

cache = {"k": mx.array(0.0)}
for _ in range(2):
    f(cache, mx.array(1.0))
print(cache["k"])
"""

GROWS = """
log = []

@partial(mx.compile, inputs=log, outputs=log)
def f(x):
    log.append(x * 2)
    return x + 1

for _ in range(4):
    f(mx.array(1.0))
"""

RETURNS = """
class Box:
    def __init__(self, value):
        self.value = value

@mx.compile
def f(x):
    y = mx.exp(x)
    return Box(y)

for _ in range(2):
    print(f(mx.array(1.0)).value)
"""

OFF = """
print("start")
mx.disable_compile()

@mx.compile
def f(x):
    return mx.exp(x) * 2

for _ in range(4):
    f(mx.array(1.0))
"""

ALIASED = """
w = mx.array(2.0)

@mx.compile
def f(x):
    y = mx.exp(x)
    return y * w

f(w)
"""

BY_ITSELF = """
NAMES = {os.urandom(4).hex() for _ in range(4)}
started = [time.time()]

@mx.compile
def f(d):
    return sum(d.values())

for i in range(4):
    print(f({name: mx.ones(2) * i for name in sorted(NAMES)}))
"""

CLOCK = """
NAMES = {os.urandom(4).hex() for _ in range(4)}

@mx.compile
def f(x):
    y = x * len(NAMES)
    t = time.perf_counter_ns() % 999_983
    return y + t

for _ in range(3):
    print(f(mx.array(1.0)))
"""

STALE_BESIDE = """
NAMES = {os.urandom(4).hex() for _ in range(4)}
scale = mx.array(1.0)

@mx.compile
def f(x):
    y = x * len(NAMES)
    return y + scale

for k in range(3):
    scale = mx.array(float(k))
    print(f(mx.ones(2)))
"""

LAZY_MODULES = """
lazy, ready = nn.Linear(256, 256), nn.Linear(256, 256)
mx.eval(ready.parameters())

def timed(fun):
    for _ in range(3):
        mx.eval(fun(mx.ones((4, 256))))

timed(mx.compile(ready))
timed(mx.compile(lazy)); mx.eval(lazy.parameters()); timed(mx.compile(lambda x: lazy(x)))
"""

LAZY = """
w = mx.random.normal((256, 256)) @ mx.random.normal((256, 256))

@mx.compile
def f(x):
    y = x * 2
    return y @ w

for _ in range(3):
    mx.eval(f(mx.ones((4, 256))))
"""


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("code", "text", "wrong", "right"),
    [
        ("MX401", SHAPE, "y = mx.exp(x) * 2", "return y * n / y.shape[0]"),
        ("MX401", SHAPE, "n = 3.0", "return y * n / y.shape[0]"),
        ("MX401", SHAPE_TWICE, "@partial(mx.compile, shapeless=True)", "y = mx.exp(x) / x.shape[0]"),
        ("MX401", SHAPE_TWICE, "@partial(mx.compile, shapeless=True)", "return y * 2 + x.shape[0]"),
        ("MX402", CONDITION, "if y.ndim == 2:", "if y.shape[0] > 3:"),
        ("MX403", SLICE, "y = mx.exp(x) * 2", "y = y[:, 1:]"),
        ("MX403", SLICE, "return mx.sum(y) + mx.sum(z)", "z = mx.split(x, 3, axis=1)[0]"),
        ("MX404", SHAPE_NUMBER, "n = x.shape[0] ** 0.5", ""),
        ("MX404", LAST, "y = mx.exp(x)", "return y[-1] * 2"),
        ("MX202", LEAK, "y = mx.exp(x) + len(history)", "history.append(y)"),
        ("MX202", LEAK, "last = history[-1] if history else 0", "history.append(y)"),
        ("MX203", DRAWS, "y = x * 2", "return y + z + mx.random.normal(x.shape)"),
        ("MX203", DRAWS, "z = x * scale", "return y + z + mx.random.normal(x.shape)"),
        ("MX201", DRAWS, "y = x * 2", "z = x * scale"),
        ("MX203", CAPTURED_DRAWS, "noise = mx.random.normal(x.shape)", ""),
        ("MX201", CAPTURED_SCALE, 'y = x * state["scale"]', "return y + shift"),
        ("MX207", MUTATES, "y = x * 2", 'cache["k"] = y'),
        ("MX207", MUTATES, "return y + 1", 'cache["k"] = y'),
        ("MX211", GROWS, "return x + 1", "log.append(x * 2)"),
        ("MX503", RETURNS, "y = mx.exp(x)", "return Box(y)"),
        ("MX604", OFF, 'print("start")', "mx.disable_compile()"),
        ("MX212", ALIASED, "y = mx.exp(x)", "return y * w"),
        ("MX501", MISFIT, "@mx.compile", ""),
        ("MX505", MISFIT, "@mx.compile", ""),
        ("MX506", SHAPE, "print(f(mx.ones((rows, 3))))", ""),
        ("MX201", SHAPE, "return y * n / y.shape[0]", ""),
        ("MX201", WRITES, "log.append(y)", "y = x * scale"),
        ("MX203", DRAWS_NONE, "return mx.random.normal((n, 2)) + x", ""),
        ("MX209", FUNCTIONS, "y = x + 1", "return chosen[0](y) + 1"),
        ("MX206", BY_ITSELF, "return sum(d.values())", ""),
        ("MX206", BY_ITSELF, "@mx.compile", ""),
        ("MX206", CLOCK, "y = x * len(NAMES)", "t = time.perf_counter_ns() % 999_983"),
        ("MX201", STALE_BESIDE, "y = x * len(NAMES)", "return y + scale"),
        (
            "MX210",
            LAZY_MODULES,
            "timed(mx.compile(ready))",
            "timed(mx.compile(lazy)); mx.eval(lazy.parameters()); timed(mx.compile(lambda x: lazy(x)))",
        ),
        ("MX210", LAZY, "y = x * 2", "return y @ w"),
    ],
)
def test_the_row_that_is_to_blame(code: str, text: str, wrong: str, right: str) -> None:
    verdict = claimed(code, text, wrong)
    assert verdict.verdict in ("inconclusive", "refuted"), verdict
    if right:
        verdict = claimed(code, text, right)
        assert verdict.verdict == "confirmed", verdict


LAYERS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)

    def __call__(self, x):
        x = self.a(x)
        x = self.c(x)
        return self.b(x)

model = Net()

@mx.compile
def f(x):
    return model(x)

for _ in range(3):
    print(f(mx.ones((1, 2))))
    for layer in (model.a, model.b):
        layer.weight = layer.weight + 1.0
"""


def test_what_is_stale_together_is_held_together() -> None:
    """Neither layer alone explains what is seen, and one finding names both; the one that never changes explains nothing."""
    text = HEAD + LAYERS
    Path("a.py").write_text(text, encoding="utf-8")
    result = check(["a.py"])
    rows = {line.strip(): row for row, line in enumerate(text.splitlines(), 1)}
    unchanged = forced(result.sources["a.py"], rows["x = self.c(x)"], "MX201", [site.span for site in result.sites])
    assert unchanged is not None
    found = [finding for finding in result.findings if finding.code == "MX201" and finding.span.start.row != rows["x = self.c(x)"]]
    judged = verify([*found, replace(unchanged, message="put to the test")], result.sources, [], Options(timed=False))
    verdicts = {finding.span.start.row: finding.verdict.verdict for finding in judged if finding.verdict is not None}
    assert verdicts[rows["x = self.a(x)"]] == "confirmed"
    assert [related.span.start.row for related in found[0].related if related.message == "read here, too"] == [rows["return self.b(x)"]]
    assert verdicts[rows["x = self.c(x)"]] in ("inconclusive", "refuted")


TWICE = """
w = mx.array([2.0])

@mx.compile
def f(x):
    y = mx.exp(x)
    z = y + w
    return z * w.T

f(w)
"""

BEFORE_HELPER = """
w = mx.array([2.0])

def g(x):
    return x + 1

@mx.compile
def f(x):
    y = g(x)
    z = y * w
    return g(z)

f(w)
"""

IN_HELPER = """
w = mx.array([2.0])

def g(x):
    return x * w

@mx.compile
def f(x):
    y = x + 1
    z = g(y)
    return mx.exp(z)

f(w)
"""

SHARED = """
model, target = nn.Linear(2, 2), nn.Linear(2, 2)
target.update(model.parameters())
mx.eval(model.parameters())

@partial(mx.compile, inputs=model.state)
def f(x):
    goal = target(x)
    y = model(x)
    return y - goal

f(mx.ones((1, 2)))
"""


@pytest.mark.parametrize(
    ("text", "blamed", "others"),
    [
        (TWICE, ("z = y + w", "return z * w.T"), ("y = mx.exp(x)",)),
        (BEFORE_HELPER, ("z = y * w",), ("y = g(x)", "return g(z)")),
        (IN_HELPER, ("return x * w", "z = g(y)"), ("y = x + 1", "return mx.exp(z)")),
        (SHARED, ("goal = target(x)",), ("y = model(x)", "return y - goal")),
    ],
)
def test_an_array_under_two_names_is_told_by_copies(text: str, blamed: tuple[str, ...], others: tuple[str, ...]) -> None:
    """Every row that reads it is to blame, however many there are, and none that only hands on what was computed from it."""
    assert {row: claimed("MX212", text, row).verdict for row in blamed} == dict.fromkeys(blamed, "confirmed")
    assert {row: claimed("MX212", text, row).verdict for row in others} == dict.fromkeys(others, "inconclusive")


BESIDE = {
    "nothing": ("", "", "state['mean'] * 1", ""),
    "a stale read": ("scale = mx.array(1.0)", "", "state['mean'] * scale", "scale = mx.array(float(k))"),
    "a placeholder": ("log = []", "log.append(x * 2)", "state['mean'] + 1", ""),
}
"""What else is wrong in the function: at the top, in the body, what is returned, in the loop."""
CAPTURES = [
    ("inputs=state", "0.5 * state['mean'] + x", "confirmed"),
    ("outputs=state", "0.5 * state['mean'] + x", "confirmed"),
    ("inputs=state, outputs=state", "0.5 * state['mean'] + x", "inconclusive"),
    ("inputs=state", None, "inconclusive"),
    ("outputs=state", "x + 1", "inconclusive"),
]
"""What is captured, what is written there, and whether that is to blame for anything."""


@pytest.mark.parametrize("beside", list(BESIDE))
@pytest.mark.parametrize(("given", "written", "verdict"), CAPTURES)
def test_captures_are_told_from_what_else_is_wrong(given: str, written: str | None, verdict: str, beside: str) -> None:
    top, body, returned, loop = BESIDE[beside]
    text = f"""
state = {{"mean": mx.array(1.0)}}
{top}

@partial(mx.compile, {given})
def f(x):
    {f"state['mean'] = {written}" if written else "pass"}
    {body or "pass"}
    return {returned}

for k in range(3):
    {loop or "pass"}
    print(f(mx.array(1.0)))
"""
    assert claimed("MX204", text, f"@partial(mx.compile, {given})").verdict == verdict


def test_a_call_that_other_captures_trace_anew_tells_nothing() -> None:
    """The number makes every call a trace once the dict is an input; what is stale is then read anew, and not for what is captured."""
    text = """
state, scale = {"last": mx.array(0.0), "k": 0}, mx.array(1.0)

@partial(mx.compile, outputs=state)
def f(x):
    state["last"] = x + 1
    return x * scale

for k in range(3):
    scale, state["k"] = mx.array(float(k)), k
    print(f(mx.array(1.0)))
"""
    assert claimed("MX204", text, "@partial(mx.compile, outputs=state)").verdict == "inconclusive"


MASKED = """
decay, scale = 1.0, mx.array(1.0)

@mx.compile
def f(x):
    d = {read}
    return {returned} + scale

for k in range(3):
    decay = {values}
    scale = mx.array(float(k))
    print(f(mx.ones(2)))
"""
HIDDEN = """
warm, cool = 0.1, 0.1

@mx.compile
def f(x):
    a = max(warm, 0.0)
    b = max(cool, 0.0)
    return x * {returned}

for k in range(3):
    warm, cool = 0.1 + k, 0.1 + k
    print(f(mx.ones(2)))
"""


@pytest.mark.parametrize(
    ("text", "name", "verdict"),
    [
        (MASKED.format(read="min(decay, 0.99)", returned="x * d", values="mx.array(1.0 + k).item()"), "decay", "confirmed"),
        (MASKED.format(read="max(decay, -0.99)", returned="x * d", values="mx.array(-1.0 - k).item()"), "decay", "confirmed"),
        (MASKED.format(read="min(decay, 0.99)", returned="x * 2", values="mx.array(1.0 + k).item()"), "decay", "inconclusive"),
        (HIDDEN.format(returned="max(a, b)"), "warm", "confirmed"),
        (HIDDEN.format(returned="a"), "warm", "confirmed"),
        (HIDDEN.format(returned="b"), "cool", "confirmed"),
    ],
)
def test_what_is_hidden_behind_another_value_is_shown_by_other_values(text: str, name: str, verdict: str) -> None:
    text = HEAD + text
    Path("a.py").write_text(text, encoding="utf-8")
    result = check(["a.py"], with_facts=True)
    (row,) = [row for row, line in enumerate(text.splitlines(), 1) if f"({name}, " in line]
    judged = verify(result.findings, result.sources, [], Options(timed=False), result.facts)
    (found,) = [finding for finding in judged if finding.code == "MX209" and finding.span.start.row == row]
    assert found.verdict is not None
    assert found.verdict.verdict == verdict, found.verdict
