"""The work of the static tracer grows with the number of objects in a program, and not with the number of ways that lead to them.

Work is counted in calls of functions, so that no clock is asked.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType

import pytest

from mxlint.engine import check
from mxlint.result import Result

pytestmark = pytest.mark.slow

DEPTH, WIDTH = 6, 6
LIMIT = 14_000_000
"""Calls after which a program is given up: twice what the largest of these takes."""


class TooMuch(BaseException):
    """Nothing that the linter catches."""


def work(text: str) -> tuple[int, Result]:
    """How many functions are called while a program is checked, and what comes of it."""
    Path("a.py").write_text(text, encoding="utf-8")
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")
        if calls > LIMIT:
            raise TooMuch

    before = sys.getprofile()
    sys.setprofile(count)
    threading.setprofile(count)
    try:
        result = check(["a.py"])
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    assert result.tracebacks == () and result.problems == ()
    return calls, result


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _loaded()


@cache
def _loaded() -> None:
    """Import what a run imports, and read its tables, so that no program is charged with it."""
    Path("a.py").write_text(HEAD + USES["updated"], encoding="utf-8")
    check(["a.py"])


HEAD = """import functools
import mlx.core as mx
import mlx.nn as nn
from types import SimpleNamespace


class Box:
    def __init__(self, *parts):
        self.parts = parts


class Layer(nn.Module):
    def __init__(self, *parts):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.layers = list(parts)


def together(*parts):
    return parts


"""

SHARED: dict[str, Callable[[str, int], str]] = {
    "list": lambda name, width: f"[{', '.join([name] * width)}]",
    "tuple": lambda name, width: f"({', '.join([name] * width)},)",
    "dict": lambda name, width: f"{{{', '.join(f'{number!r}: {name}' for number in range(width))}}}",
    "object": lambda name, width: f"Box({', '.join([name] * width)})",
    "namespace": lambda name, width: f"SimpleNamespace({', '.join(f'a{number}={name}' for number in range(width))})",
    "module": lambda name, width: f"Layer({', '.join([name] * width)})",
    "library": lambda name, width: f"nn.Sequential({', '.join([name] * width)})",
    "partial": lambda name, width: f"functools.partial(together, {', '.join([name] * width)})",
    "operation": lambda name, width: " + ".join([name] * width),
    "function": lambda name, width: f"mx.concatenate([{', '.join([name] * width)}])",
    "choice": lambda name, width: f"{name} if len(__name__) > 3 else [{', '.join([name] * width)}]",
}
"""How an object is made that holds one other several times."""

USES = {
    "argument": "@mx.compile\ndef step(x):\n    return x\n\n\nstep(a)\nstep(a)\n",
    "keyword": "@mx.compile\ndef step(x, y=None):\n    return x\n\n\nstep(mx.ones(2), y=a)\nstep(mx.ones(2), y=b)\n",
    "captured": "@functools.partial(mx.compile, inputs=a, outputs=a)\ndef step(x):\n    return x + 1\n\n\nstep(mx.ones(2))\nstep(mx.ones(2))\n",
    "captured in a list": "@functools.partial(mx.compile, inputs=[a, b], outputs=[a])\ndef step(x):\n    return x + 1\n\n\nstep(mx.ones(2))\n",
    "result": "@mx.compile\ndef step(x):\n    return a\n\n\nstep(mx.ones(2))\nstep(mx.ones(2))\n",
    "built in the trace": "@mx.compile\ndef step(x):\n    a = x\n{build}    return a\n\n\ny = step(mx.ones(2))\nmx.eval(y)\n",
    "global": "@mx.compile\ndef step(x):\n    return x + len(str(a))\n\n\nstep(mx.ones(2))\na = b\nstep(mx.ones(2))\n",
    "text": "@mx.compile\ndef step(x):\n    a = x\n{build}    print(f'{{a}}')\n    return x\n\n\nstep(mx.ones(2))\n",
    "data": "@mx.compile\ndef step(x):\n    return x + mx.array(a)\n\n\nstep(mx.ones(2))\n",
    "evaluated": "@mx.compile\ndef step(x):\n    return x\n\n\ny = step(mx.ones(2))\nmx.eval(a, b)\nprint(a)\n",
    "joined": "@mx.compile\ndef step(x):\n    return x\n\n\nif len(__name__) > 3:\n    c = a\nelse:\n    c = b\nstep(c)\nprint(a == b)\n",
    "made on two paths": "@mx.compile\ndef step(x, c):\n    return x\n\n\ndef make(a):\n    if len(__name__) > 3:\n{deep}    else:\n{deep}    return a\n\n\nstep(mx.ones(2), make(mx.ones(2)))\n",
    "updated": "@functools.partial(mx.compile, inputs=[a], outputs=[a])\ndef step(x):\n    a.update(x)\n    return x\n\n\nstep(a)\na.eval()\na.freeze()\nstep(a.parameters())\n",
    "enclosed": "def make(c):\n    def inner(x):\n        return x\n    return mx.compile(inner)\n\n\nf = make(a)\nf(mx.ones(2))\n",
    "copied": "import copy\n\n\n@mx.compile\ndef step(x):\n    return x\n\n\nc = copy.deepcopy(a)\nstep(c)\n",
}
"""What is done with it, and with another one like it."""


def program(shared: str, use: str, depth: int, width: int) -> str:
    lines = [f"a = {SHARED[shared]('a', width)}\n"] * depth
    build, deep = "".join(" " * 4 + line for line in lines), "".join(" " * 8 + line for line in lines)
    other = [f"b = {SHARED[shared]('b', width)}\n"] * depth
    above = "a = mx.ones(2)\n" + "".join(lines) + "b = mx.ones(2)\n" + "".join(other)
    return HEAD + above + "\n\n" + USES[use].format(build=build, deep=deep)


PAIRS = [(shared, use) for shared in SHARED for use in USES if shared in ("list", "module") or use in ("argument", "captured", "text")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("shared", "use"), PAIRS)
def test_work_grows_with_the_objects_and_not_with_the_ways_to_them(shared: str, use: str) -> None:
    """With twice as many objects, each of which holds the next one twice as often, four times as much is held."""
    assert work(program(shared, use, 2 * DEPTH, 2 * WIDTH))[0] <= 4 * work(program(shared, use, DEPTH, WIDTH))[0]


CHAIN = (
    HEAD
    + "from elsewhere import y\n\n\n@mx.compile\ndef step(x):\n    if y == 0:\n        x = x + 1\n{branches}    return x\n\n\nstep(mx.ones(2))\n"
)


def test_a_chain_of_branches_is_no_square_of_them() -> None:
    """What happens in a branch depends on the tests of all branches before it, each of which is looked at once. Its own test implies how those come out."""

    def chain(count: int) -> str:
        return CHAIN.format(branches="".join(f"    elif y == {n}:\n        print(x)\n" for n in range(1, count + 1)))

    few, found = work(chain(30))
    assert [len(finding.conditions) for finding in found.findings] == [1] * 30
    assert work(chain(60))[0] <= 2.5 * few


LEFT_WITH_PLACEHOLDERS = """import mlx.core as mx
import mlx.nn as nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a = nn.Linear(d, d)
        self.b = nn.Linear(d, d)
        self.skip = nn.Linear(d, d) if d > 4 else None

    def __call__(self, x):
        return self.b(nn.silu(self.a(x))) + x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [{blocks}]

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def step(model, x):
    @mx.compile
    def loss(params):
        model.update(params)
        return mx.mean(model(x) ** 2)

    return mx.value_and_grad(loss)(model.parameters())


def train():
    model = Net()
    for _ in range(10):
        for _ in range(10):
            step(model, mx.ones((2, 4)))


train()
"""
"""Modules that know what they were left in: part of the tracer's own notes, and of no tree."""


@pytest.mark.parametrize("rounds", [2, 10])
def test_a_part_does_not_lead_back_to_the_whole(rounds: int) -> None:
    text = LEFT_WITH_PLACEHOLDERS.replace("range(10)", f"range({rounds})")
    few, found = work(text.replace("{blocks}", "Block(8), " * 4))
    assert [finding.code for finding in found.findings] == ["MX305"]
    assert work(text.replace("{blocks}", "Block(8), " * 8))[0] <= 2.5 * few


TRAINED = """import mlx.core as mx
import mlx.nn as nn

model = nn.Sequential({layers})


@mx.compile
def step(x):
    return nn.value_and_grad(model, lambda m, x: m(x).sum())(model, x)


step(mx.ones((2, 4)))
"""


def test_gradients_look_once_through_what_they_are_of() -> None:
    """A gradient is made of the whole model, and there is one for each of its parameters."""

    def trained(layers: int) -> int:
        return work(TRAINED.replace("{layers}", "nn.Linear(4, 4), " * layers))[0]

    none, few = trained(1), trained(40)
    assert trained(120) - none <= 4 * (few - none)


TESTED = """import shutil
import subprocess
import mlx.core as mx

order = []
preferred = None


def register(name, first=False):
    if first or (preferred and name in preferred):
        order.insert(0, name)
    else:
        order.append(name)


@mx.compile
def step(x):
    global preferred
    try:
        found = subprocess.check_output("query").strip()
    except FileNotFoundError:
        pass
    else:
        preferred = found
{rounds}    return x


step(mx.ones(2))
"""


def test_a_value_that_is_tested_again_and_again_is_asked_the_same() -> None:
    """Each test distinguishes further members, under conditions that do not all hold together; the next test's name is made of none of these."""

    def tested(rounds: int) -> int:
        lines = "".join(f'    if shutil.which("b{number}"):\n        register("b{number}")\n' for number in range(rounds))
        return work(TESTED.replace("{rounds}", lines))[0]

    none, few = tested(1), tested(6)
    assert tested(16) - none <= 6 * (few - none)


LINKED = """import shutil
import mlx.core as mx


@mx.compile
def step(x):
    a = b = None
    for _ in range(50):
{pairs}    return x if a is None else x + 1


step(mx.ones(2))
"""
PAIRED = """        if shutil.which("p{number}"):
            a = (a, b)
        else:
            b = (b, a)
"""


@pytest.mark.parametrize("pairs", [1, 2, 3])
def test_pairs_of_one_of_several_pairs_are_cut_where_they_nest_too_deep(pairs: int) -> None:
    """Each round nests them deeper, and each may be one of several: as trees they have a hundred thousand parts after six rounds."""
    work(LINKED.replace("{pairs}", "".join(PAIRED.replace("{number}", str(number)) for number in range(pairs))))


def test_a_tree_that_is_too_large_is_counted() -> None:
    _, result = work(program("list", "argument", 12, 6))
    assert result.reasons["tree of arguments or results too large"]
