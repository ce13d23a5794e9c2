"""Where something is compiled: every way of writing it, and what only looks like it.

In the sources «…» stands around each site; what is said of the sites follows in the order of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from mxlint import cli

HEAD = "import mlx.core as mx\n"
FROM = "from functools import partial\nimport mlx.core as mx\nimport mlx.nn as nn\n"


@dataclass(frozen=True, slots=True)
class Said:
    """What is known of a site but its place."""

    form: str
    compiled: str
    options: tuple[tuple[str, str], ...] = ()


def said(form: str, compiled: str, **options: str) -> Said:
    return Said(form, compiled, tuple(sorted(options.items())))


Located = tuple[str, tuple[int, int], tuple[int, int]]


def unmark(name: str, text: str) -> tuple[str, list[Located]]:
    """The source without its marks, and the places that they stood around, in order."""
    plain, row, column = "", 1, 1
    begun: list[tuple[int, tuple[int, int]]] = []
    places: list[tuple[int, Located]] = []
    for character in text:
        if character == "«":
            begun.append((len(plain), (row, column)))
        elif character == "»":
            start, position = begun.pop()
            places.append((start, (name, position, (row, column))))
        else:
            plain += character
            row, column = (row + 1, 1) if character == "\n" else (row, column + 1)
    assert not begun
    return plain, [place for _, place in sorted(places)]


def sites(files: Mapping[str, str], *arguments: str) -> list[tuple[Located, Said]]:
    """What `mxlint sites` says of the files, sorted by place."""
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(cli.main, ["sites", *arguments, "--output-format", "json", "."])
    assert result.exit_code == 0, result.output
    found = []
    for site in json.loads(result.stdout)["sites"]:
        start, end = site["location"], site["end_location"]
        place = (site["filename"], (start["row"], start["column"]), (end["row"], end["column"]))
        found.append((place, Said(site["form"], site["compiled"], tuple(sorted(site["options"].items())))))
    return sorted(found, key=lambda site: site[0])


def marked(files: Mapping[str, str]) -> tuple[dict[str, str], list[Located]]:
    plain, places = {}, []
    for name, text in files.items():
        plain[name], found = unmark(name, dedent(text))
        places += found
    return plain, places


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def expect(files: Mapping[str, str], *expected: Said) -> None:
    plain, places = marked(files)
    assert len(places) == len(expected)
    assert sites(plain) == sorted(zip(places, expected), key=lambda site: site[0])


FORMS: dict[str, tuple[str, tuple[Said, ...]]] = {
    "decorator": (
        HEAD + "@«mx.compile»\ndef step(x):\n    return x\n",
        (said("decorator", "step"),),
    ),
    "partial decorator": (
        FROM + "state = []\n@«partial(mx.compile, inputs=state, outputs=state, shapeless=True)»\ndef step(x):\n    return x\n",
        (said("partial-decorator", "step", inputs="state", outputs="state", shapeless="True"),),
    ),
    "partial decorator, functools imported": (
        "import functools\nimport mlx.core as mx\n@«functools.partial(mx.compile, shapeless=True)»\ndef step(x):\n    return x\n",
        (said("partial-decorator", "step", shapeless="True"),),
    ),
    "partial decorator, functools renamed": (
        "import functools as ft\nimport mlx.core as mx\n@«ft.partial(mx.compile)»\ndef step(x):\n    return x\n",
        (said("partial-decorator", "step"),),
    ),
    "partial decorator over lines": (
        FROM + "state = [mx.random.state]\n@«partial(\n    mx.compile,\n    inputs=state,\n)»\ndef step(x):\n    return x\n",
        (said("partial-decorator", "step", inputs="state"),),
    ),
    "partial called": (
        FROM + "def f(x):\n    return x\nfast = «partial(mx.compile, shapeless=True)(f)»\n",
        (said("name", "f", shapeless="True"),),
    ),
    "partial kept": (
        FROM + "jit = partial(mx.compile, shapeless=True)\ndef f(x):\n    return x\nfast = «jit(f)»\n",
        (said("name", "f", shapeless="True"),),
    ),
    "partial kept, as decorator": (
        FROM + "jit = partial(mx.compile, shapeless=True)\n@«jit»\ndef f(x):\n    return x\n",
        (said("partial-decorator", "f", shapeless="True"),),
    ),
    "name": (
        HEAD + "def f(x):\n    return x\nfast = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "function by keyword": (
        HEAD + "def f(x):\n    return x\nfast = «mx.compile(fun=f)»\n",
        (said("name", "f"),),
    ),
    "options by position": (
        HEAD + "s = []\ndef f(x):\n    return x\nfast = «mx.compile(f, s, s, True)»\n",
        (said("name", "f", inputs="s", outputs="s", shapeless="True"),),
    ),
    "options at their defaults": (
        HEAD + "def f(x):\n    return x\nfast = «mx.compile(f, inputs=None, outputs=None, shapeless=False)»\n",
        (said("name", "f"),),
    ),
    "options as a dictionary": (
        HEAD + "options = {'shapeless': True}\ndef f(x):\n    return x\nfast = «mx.compile(f, **options)»\n",
        (said("name", "f", shapeless="True"),),
    ),
    "shapeless of a flag": (
        HEAD + "def make(f, flag):\n    return «mx.compile(f, shapeless=flag)»\n",
        (said("name", "f", shapeless="?"),),
    ),
    "lambda": (
        HEAD + "fast = «mx.compile(lambda x: x * 2, shapeless=True)»\n",
        (said("lambda", "lambda x: x * 2", shapeless="True"),),
    ),
    "method of self": (
        HEAD + "class Net:\n    def __init__(self):\n        self.fast = «mx.compile(self.run)»\n    def run(self, x):\n        return x\n",
        (said("method", "self.run"),),
    ),
    "method of an object": (
        HEAD + "class Net:\n    def run(self, x):\n        return x\nnet = Net()\nfast = «mx.compile(net.run)»\n",
        (said("method", "net.run"),),
    ),
    "attribute of a module": (
        "import math\nimport other\nimport mlx.core as mx\nfast = «mx.compile(other.kernel)»\n",
        (said("attribute", "other.kernel"),),
    ),
    "nn.Module of the library": (
        FROM + "layer = nn.Linear(2, 2)\nfast = «mx.compile(layer)»\n",
        (said("module", "layer"),),
    ),
    "nn.Module of the project": (
        FROM + "class Net(nn.Module):\n    def __call__(self, x):\n        return x\nnet = Net()\nfast = «mx.compile(net, inputs=net.state)»\n",
        (said("module", "net", inputs="net.state"),),
    ),
    "__call__ of a module": (
        FROM + "class Net(nn.Module):\n    def __call__(self, x):\n        return x\nnet = Net()\nfast = «mx.compile(net.__call__)»\n",
        (said("method", "net.__call__"),),
    ),
    "__call__ decorated": (
        FROM + "class Net(nn.Module):\n    @«mx.compile»\n    def __call__(self, x):\n        return x\n",
        (said("decorator", "__call__"),),
    ),
    "transform": (
        HEAD + "def loss(x):\n    return x.sum()\nfast = «mx.compile(mx.value_and_grad(loss))»\n",
        (said("transform", "mx.value_and_grad(loss)"),),
    ),
    "vmap kept": (
        HEAD + "def f(x):\n    return x.sum()\nmany = mx.vmap(f)\nfast = «mx.compile(many)»\n",
        (said("transform", "many"),),
    ),
    "nn.value_and_grad": (
        FROM + "net = nn.Linear(2, 2)\ndef loss(x):\n    return net(x).sum()\nfast = «mx.compile(nn.value_and_grad(net, loss))»\n",
        (said("transform", "nn.value_and_grad(net, loss)"),),
    ),
    "partial of a function": (
        FROM + "def f(a, x):\n    return a * x\nfast = «mx.compile(partial(f, 2))»\n",
        (said("partial", "partial(f, 2)"),),
    ),
    "compiled again": (
        HEAD + "def f(x):\n    return x\nfast = «mx.compile(f)»\nfaster = «mx.compile(fast)»\n",
        (said("name", "f"), said("compiled", "fast")),
    ),
    "called at once": (
        HEAD + "def f(x):\n    return x\ny = «mx.compile(f)»(mx.array(1.0))\n",
        (said("name", "f"),),
    ),
    "nested in one another": (
        HEAD + "def f(x):\n    return x\nfast = «mx.compile(mx.grad(«mx.compile(f)»))»\n",
        (said("transform", "mx.grad(mx.compile(f))"), said("name", "f")),
    ),
    "chosen by a flag": (
        HEAD + "def make(f, flag):\n    g = «mx.compile(f)» if flag else f\n    return g\n",
        (said("name", "f"),),
    ),
    "rebound under a flag": (
        HEAD + "def make(f, flag):\n    if flag:\n        f = «mx.compile(f)»\n    return f\n",
        (said("name", "f"),),
    ),
    "rebound under a flag of the environment": (
        "import os\nimport mlx.core as mx\ndef f(x):\n    return x\nif os.environ.get('FAST'):\n    f = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "decorator chosen by a flag": (
        "import os\nimport mlx.core as mx\nmaybe = mx.compile if os.environ.get('FAST') else (lambda f: f)\n@«maybe»\ndef f(x):\n    return x\n",
        (said("decorator", "f"),),
    ),
    "walrus": (
        HEAD + "def f(x):\n    return x\nif fast := «mx.compile(f)»:\n    pass\n",
        (said("name", "f"),),
    ),
    "in a list": (
        HEAD + "def f(x):\n    return x\nfast = [«mx.compile(f)», f]\n",
        (said("name", "f"),),
    ),
    "in a dict": (
        HEAD + "def f(x):\n    return x\nfast = {'f': «mx.compile(f)»}\n",
        (said("name", "f"),),
    ),
    "in a comprehension": (
        HEAD + "def run(layers):\n    return [«mx.compile(layer)» for layer in layers]\n",
        (said("name", "layer"),),
    ),
    "in a generator expression": (
        HEAD + "def run(layers):\n    return tuple(«mx.compile(layer)» for layer in layers)\n",
        (said("name", "layer"),),
    ),
    "map": (
        HEAD + "def run(f, g):\n    return list(«map(mx.compile, [f, g])»)\n",
        (said("name", "f"),),
    ),
    "as an argument": (
        HEAD + "def use(f):\n    return f\ndef f(x):\n    return x\nuse(«mx.compile(f)»)\n",
        (said("name", "f"),),
    ),
    "as a default": (
        HEAD + "def f(x):\n    return x\ndef use(g=«mx.compile(f)»):\n    return g\n",
        (said("name", "f"),),
    ),
    "in an f-string": (
        HEAD + "def f(x):\n    return x\nprint(f'{«mx.compile(f)»}')\n",
        (said("name", "f"),),
    ),
    "alias": (
        HEAD + "jit = mx.compile\n@«jit»\ndef f(x):\n    return x\nfast = «jit(f)»\n",
        (said("decorator", "f"), said("compiled", "f")),
    ),
    "imported by name": (
        "from mlx.core import compile\n@«compile»\ndef f(x):\n    return x\n",
        (said("decorator", "f"),),
    ),
    "imported under another name": (
        "from mlx.core import compile as c\ndef f(x):\n    return x\nfast = «c(f)»\n",
        (said("name", "f"),),
    ),
    "imported with a star": (
        "from mlx.core import *\ndef f(x):\n    return x\nfast = «compile(f)»\n",
        (said("name", "f"),),
    ),
    "import mlx.core": (
        "import mlx.core\n@«mlx.core.compile»\ndef f(x):\n    return x\n",
        (said("decorator", "f"),),
    ),
    "import mlx.core under any name": (
        "import mlx.core as anything\n@«anything.compile»\ndef f(x):\n    return x\n",
        (said("decorator", "f"),),
    ),
    "from mlx import core": (
        "from mlx import core as mx\n@«mx.compile»\ndef f(x):\n    return x\n",
        (said("decorator", "f"),),
    ),
    "import mlx": (
        "import mlx\nimport mlx.nn\nfast = «mlx.core.compile(lambda x: x)»\n",
        (said("lambda", "lambda x: x"),),
    ),
    "imported in the function": (
        "def make(f):\n    import mlx.core as mx\n    return «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "imported in try": (
        "try:\n    import mlx.core as mx\nexcept ImportError:\n    mx = None\n@«mx.compile»\ndef f(x):\n    return x\n",
        (said("decorator", "f"),),
    ),
    "defined in try": (
        "try:\n    import mlx.core as mx\n    @«mx.compile»\n    def f(x):\n        return x\nexcept ImportError:\n    f = None\n",
        (said("decorator", "f"),),
    ),
    "defined in else of try": (
        "try:\n    import mlx.core as mx\nexcept ImportError:\n    f = None\nelse:\n    @«mx.compile»\n    def f(x):\n        return x\n",
        (said("decorator", "f"),),
    ),
    "imported for typing and in the function": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import mlx.core as mx\ndef make(f):\n    import mlx.core as mx\n    return «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "staticmethod outside": (
        HEAD + "class A:\n    @staticmethod\n    @«mx.compile»\n    def f(x):\n        return x\n",
        (said("decorator", "f"),),
    ),
    "staticmethod inside": (
        HEAD + "class A:\n    @«mx.compile»\n    @staticmethod\n    def f(x):\n        return x\n",
        (said("decorator", "f"),),
    ),
    "partial on a method": (
        FROM + "class A:\n    @«partial(mx.compile, shapeless=True)»\n    def f(self, x):\n        return x\n",
        (said("partial-decorator", "f", shapeless="True"),),
    ),
    "class attribute": (
        HEAD + "def f(x):\n    return x\nclass A:\n    act = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "nested class": (
        HEAD + "class A:\n    class B:\n        @staticmethod\n        @«mx.compile»\n        def f(x):\n            return x\n",
        (said("decorator", "f"),),
    ),
    "nested factories": (
        HEAD + "def outer(a):\n    def middle(b):\n        @«mx.compile»\n        def inner(x):\n            return x * a * b\n        return inner\n    return middle\n",
        (said("decorator", "inner"),),
    ),
    "three nested factories": (
        HEAD + "def one():\n    def two():\n        def three():\n            return «mx.compile(lambda x: x)»\n        return three\n    return two\n",
        (said("lambda", "lambda x: x"),),
    ),
    "nested in a method": (
        HEAD + "class A:\n    def make(self):\n        @«mx.compile»\n        def step(x):\n            return x\n        return step\n",
        (said("decorator", "step"),),
    ),
    "nested in a method, not returned": (
        HEAD + "class A:\n    def prepare(self):\n        def build():\n            self.step = «mx.compile(lambda x: x)»\n        self.build = build\n",
        (said("lambda", "lambda x: x"),),
    ),
    "nested function that is never called": (
        HEAD + "def main(f):\n    def helper():\n        return «mx.compile(f)»\n    return 1\n",
        (said("name", "f"),),
    ),
    "in a lambda": (
        HEAD + "make = lambda f: «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "in an async function": (
        HEAD + "async def serve(f):\n    step = «mx.compile(f)»\n    return step\n",
        (said("name", "f"),),
    ),
    "in a generator function": (
        HEAD + "def steps(f):\n    yield «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "in a property": (
        HEAD + "class A:\n    @property\n    def step(self):\n        return «mx.compile(lambda x: x)»\n",
        (said("lambda", "lambda x: x"),),
    ),
    "in a classmethod": (
        HEAD + "class A:\n    @classmethod\n    def make(cls, f):\n        return «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "in a cached function": (
        "from functools import lru_cache\nimport mlx.core as mx\n@lru_cache\ndef make(n):\n    return «mx.compile(lambda x: x * n)»\n",
        (said("lambda", "lambda x: x * n"),),
    ),
    "behind an unknown decorator": (
        HEAD + "from cli import command\n@command\ndef main(f):\n    step = «mx.compile(f)»\n    return step\n",
        (said("name", "f"),),
    ),
    "behind an unknown decorator with arguments": (
        "import click\nimport mlx.core as mx\n@click.command()\n@click.option('--n', default=1)\ndef main(n):\n    step = «mx.compile(lambda x: x)»\n    return step\n",
        (said("lambda", "lambda x: x"),),
    ),
    "below an unknown decorator": (
        HEAD + "from tools import timed\n@timed\n@«mx.compile»\ndef step(x):\n    return x\n",
        (said("decorator", "step"),),
    ),
    "above an unknown decorator": (
        HEAD + "from tools import timed\n@«mx.compile»\n@timed\ndef step(x):\n    return x\n",
        (said("decorator", "step"),),
    ),
    "method behind an unknown decorator": (
        HEAD + "from tools import timed\nclass A:\n    @timed\n    def run(self, f):\n        return «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "class behind an unknown decorator": (
        HEAD + "from tools import register\n@register\nclass A:\n    def run(self, f):\n        return «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "class of an unknown base": (
        HEAD + "from tools import Base\nclass A(Base):\n    def __init__(self, f):\n        super().__init__()\n        self.step = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "class in a function": (
        HEAD + "def make():\n    class A:\n        def run(self, f):\n            return «mx.compile(f)»\n    return A\n",
        (said("name", "f"),),
    ),
    "if __name__ == '__main__'": (
        HEAD + "def f(x):\n    return x\nif __name__ == '__main__':\n    fast = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "if __name__ != '__main__'": (
        HEAD + "def f(x):\n    return x\nif __name__ != '__main__':\n    fast = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "behind a constant that is False": (
        HEAD + "FAST = False\ndef f(x):\n    return x\nif FAST:\n    f = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "if False": (
        HEAD + "def f(x):\n    return x\nif False:\n    f = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "behind a default that is False": (
        HEAD + "def make(f, fast=False):\n    if fast:\n        f = «mx.compile(f)»\n    return f\ndef g(x):\n    return x\nmake(g)\n",
        (said("name", "f"),),
    ),
    "after a return": (
        HEAD + "def make(f):\n    if True:\n        return f\n    return «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "in an empty loop": (
        HEAD + "def f(x):\n    return x\nfor _ in ():\n    fast = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "in a loop": (
        HEAD + "def run(fs, x):\n    for f in fs:\n        x = «mx.compile(f)»(x)\n    return x\n",
        (said("name", "f"),),
    ),
    "in while": (
        HEAD + "def run(f, x):\n    while x.ndim:\n        x = «mx.compile(f)»(x)\n    return x\n",
        (said("name", "f"),),
    ),
    "in with": (
        HEAD + "def run(f, lock):\n    with lock:\n        return «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "in except": (
        HEAD + "def run(f, x):\n    try:\n        return f(x)\n    except ValueError:\n        return «mx.compile(f)»(x)\n",
        (said("name", "f"),),
    ),
    "in finally": (
        HEAD + "def run(f, x):\n    try:\n        return f(x)\n    finally:\n        run.fast = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "in match": (
        HEAD + "def run(f, kind):\n    match kind:\n        case 'fast':\n            return «mx.compile(f)»\n        case _:\n            return f\n",
        (said("name", "f"),),
    ),
    "in a class body under a flag": (
        HEAD + "import sys\nclass A:\n    if sys.platform == 'darwin':\n        @staticmethod\n        @«mx.compile»\n        def f(x):\n            return x\n",
        (said("decorator", "f"),),
    ),
    "in a type test": (
        HEAD + "def run(f):\n    if isinstance(f, int):\n        return f\n    if callable(f):\n        return «mx.compile(f)»\n    return None\n",
        (said("name", "f"),),
    ),
    "after what cannot be true": (
        HEAD + "def run(f):\n    n = 3\n    if n == 3:\n        return f\n    else:\n        return «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "right of or": (
        HEAD + "def run(f, cached=None):\n    return cached or «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "getattr": (
        HEAD + "def f(x):\n    return x\nfast = «getattr(mx, 'compile')(f)»\n",
        (said("name", "f"),),
    ),
    "of something unknown": (
        HEAD + "from tools import f\nfast = «mx.compile(f)»\n",
        (said("name", "f"),),
    ),
    "result of a call of something unknown": (
        HEAD + "from tools import make\nfast = «mx.compile(make(1))»\n",
        (said("name", "make(1)"),),
    ),
    "result of an own factory": (
        HEAD + "def make():\n    def f(x):\n        return x\n    return f\nfast = «mx.compile(make())»\n",
        (said("name", "make()"),),
    ),
    "stored on self and called elsewhere": (
        HEAD + "class A:\n    def __init__(self, f):\n        self._step = «mx.compile(f)»\n    def run(self, x):\n        return self._step(x)\n",
        (said("name", "f"),),
    ),
    "CRLF and wide characters": (
        HEAD.replace("\n", "\r\n") + "def f(x):\r\n    return x\r\nnäme, fast = '🙂', «mx.compile(f)»\r\n",
        (said("name", "f"),),
    ),
    "semicolons": (
        HEAD + "f = lambda x: x; fast = «mx.compile(f)»; faster = «mx.compile(f, shapeless=True)»\n",
        (said("name", "f"), said("name", "f", shapeless="True")),
    ),
    "in parentheses": (
        HEAD + "def f(x):\n    return x\nfast = («mx.compile(\n    f\n)»)\n",
        (said("name", "f"),),
    ),
    "twice in one file": (
        HEAD + "@«mx.compile»\ndef f(x):\n    return x\n@«mx.compile»\ndef g(x):\n    return f(x)\n",
        (said("decorator", "f"), said("decorator", "g")),
    ),
    "rebound by name": (
        HEAD + "@«mx.compile»\ndef f(x):\n    return x\n@«mx.compile»\ndef f(x, y):\n    return x\n",
        (said("decorator", "f"), said("decorator", "f")),
    ),
    "own decorator that compiles": (
        HEAD + "def jit(f):\n    return «mx.compile(f)»\n@jit\ndef g(x):\n    return x\n",
        (said("name", "f"),),
    ),
    "own factory of decorators that compiles": (
        HEAD + "def jit(**options):\n    def wrap(f):\n        return «mx.compile(f, **options)»\n    return wrap\n@jit(shapeless=True)\ndef g(x):\n    return x\n",
        (said("name", "f", shapeless="True"),),
    ),
}


@pytest.mark.parametrize("case", FORMS)
def test_forms(case: str) -> None:
    text, expected = FORMS[case]
    expect({"a.py": text}, *expected)
