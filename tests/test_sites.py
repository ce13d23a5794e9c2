"""Where something is compiled: every way of writing it, and what only looks like it.

In the sources «…» stands around each site; what is said of the sites follows in the order of the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from click.testing import CliRunner
from writing import write

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
    write(Path(), files)
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
        plain[name], found = unmark(name, text)
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
        FROM
        + "class Net(nn.Module):\n    def __call__(self, x):\n        return x\nnet = Net()\nfast = «mx.compile(net, inputs=net.state)»\n",
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
        HEAD
        + "def outer(a):\n    def middle(b):\n        @«mx.compile»\n        def inner(x):\n            return x * a * b\n        return inner\n    return middle\n",
        (said("decorator", "inner"),),
    ),
    "three nested factories": (
        HEAD
        + "def one():\n    def two():\n        def three():\n            return «mx.compile(lambda x: x)»\n        return three\n    return two\n",
        (said("lambda", "lambda x: x"),),
    ),
    "nested in a method": (
        HEAD + "class A:\n    def make(self):\n        @«mx.compile»\n        def step(x):\n            return x\n        return step\n",
        (said("decorator", "step"),),
    ),
    "nested in a method, not returned": (
        HEAD
        + "class A:\n    def prepare(self):\n        def build():\n            self.step = «mx.compile(lambda x: x)»\n        self.build = build\n",
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
        HEAD
        + "from tools import Base\nclass A(Base):\n    def __init__(self, f):\n        super().__init__()\n        self.step = «mx.compile(f)»\n",
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
        HEAD
        + "def run(f, kind):\n    match kind:\n        case 'fast':\n            return «mx.compile(f)»\n        case _:\n            return f\n",
        (said("name", "f"),),
    ),
    "in a class body under a flag": (
        HEAD
        + "import sys\nclass A:\n    if sys.platform == 'darwin':\n        @staticmethod\n        @«mx.compile»\n        def f(x):\n            return x\n",
        (said("decorator", "f"),),
    ),
    "in a type test": (
        HEAD
        + "def run(f):\n    if isinstance(f, int):\n        return f\n    if callable(f):\n        return «mx.compile(f)»\n    return None\n",
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
        HEAD
        + "class A:\n    def __init__(self, f):\n        self._step = «mx.compile(f)»\n    def run(self, x):\n        return self._step(x)\n",
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
        HEAD
        + "def jit(**options):\n    def wrap(f):\n        return «mx.compile(f, **options)»\n    return wrap\n@jit(shapeless=True)\ndef g(x):\n    return x\n",
        (said("name", "f", shapeless="True"),),
    ),
}


MISSED = {
    "map": "`compiled` is the first argument of map",
}


def cases(table: Iterable[str], missed: Mapping[str, str]) -> list[ParameterSet]:
    """The cases of a table; those that are known to fail say so, and must."""
    return [
        pytest.param(case, marks=pytest.mark.xfail(strict=True, raises=AssertionError, reason=missed[case]) if case in missed else ())
        for case in table
    ]


@pytest.mark.parametrize("case", cases(FORMS, MISSED))
def test_forms(case: str) -> None:
    text, expected = FORMS[case]
    expect({"a.py": text}, *expected)


OTHERS = {
    "re.compile": "import re, mlx.core as mx\nPATTERN = re.compile('x')\n",
    "re.compile imported": "import mlx.core as mx\nfrom re import compile\nPATTERN = compile('x')\n",
    "torch.compile": "import torch\nimport mlx.core as mx\n@torch.compile\ndef f(x):\n    return x\n",
    "torch.compile called": "import torch\nimport mlx.core as mx\nfast = torch.compile(lambda x: x, dynamic=True)\n",
    "jax.jit and numba": "import jax, numba\nimport mlx.core as mx\n@jax.jit\ndef f(x):\n    return x\n@numba.njit\ndef compile_me(x):\n    return x\n",
    "builtin compile": "import mlx.core as mx\ncode = compile('1', 'a', 'eval')\n",
    "keras": "import mlx.core as mx\nfrom keras import Model\nmodel = Model()\nmodel.compile(optimizer='adam')\n",
    "method compile of a parameter": HEAD + "def train(model, f):\n    return model.compile(f)\n",
    "mx is a parameter": HEAD + "def make(mx, f):\n    return mx.compile(f)\n",
    "mx is a local": HEAD + "import torch\ndef make(f):\n    mx = torch\n    return mx.compile(f)\n",
    "mx is a local, bound later": HEAD
    + "import torch\ndef make(f):\n    try:\n        return mx.compile(f)\n    finally:\n        mx = torch\n",
    "mx is a loop variable": HEAD + "def make(f, backends):\n    for mx in backends:\n        yield mx.compile(f)\n",
    "mx is a comprehension variable": HEAD + "def make(f, backends):\n    return [mx.compile(f) for mx in backends]\n",
    "mx is bound by with": HEAD + "def make(f, backend):\n    with backend as mx:\n        return mx.compile(f)\n",
    "mx is the parameter of a lambda": HEAD + "def make(f, backend):\n    return (lambda mx: mx.compile(f))(backend)\n",
    "mx of an enclosing function": HEAD + "def outer(mx):\n    def inner(f):\n        return mx.compile(f)\n    return inner\n",
    "mx bound anew": HEAD + "import torch as mx\nfast = mx.compile(lambda x: x)\n",
    "mx is something else": "import mlx.nn\nimport mxnet as mx\nfast = mx.compile(lambda x: x)\n",
    "mx is an own class": "import mlx.core\nclass mx:\n    @staticmethod\n    def compile(f):\n        return f\nfast = mx.compile(lambda x: x)\n",
    "own compile": "import mlx.core as mx\ndef compile(f):\n    return f\n@compile\ndef f(x):\n    return x\n",
    "own compile hides the imported one": "from mlx.core import compile\ndef compile(f):\n    return f\n@compile\ndef f(x):\n    return x\n",
    "compile is a parameter": "from mlx.core import compile\ndef make(f, compile):\n    return compile(f)\n",
    "compile of a class": "from mlx.core import compile\nclass A:\n    def compile(self, f):\n        return f\n    def make(self, f):\n        return self.compile(f)\n",
    "class scope does not reach into methods": "import mlx.core\nclass A:\n    from mlx.core import compile\n    def make(self, f):\n        return compile(f)\n",
    "comment": HEAD + "# @mx.compile\ndef f(x):  # mx.compile(f)\n    return x\n",
    "string": HEAD + "TEXT = 'fast = mx.compile(f)'\n",
    "docstring": HEAD + 'def f(x):\n    """Use it so:\n\n    @mx.compile\n    def g(x): ...\n    """\n    return x\n',
    "f-string text": HEAD + "def f(x):\n    return f'mx.compile({x})'\n",
    "mentioned": HEAD + "jit = mx.compile\nprint(mx.compile)\n",
    "partial that is never called": FROM + "jit = partial(mx.compile, shapeless=True)\n",
    "lazy annotation": "from __future__ import annotations\n" + HEAD + "def f(x: mx.compile(abs)):\n    return x\n",
    "deleted": HEAD + "del mx\ndef f(x):\n    return mx.compile(x)\n",
    "enable and disable": HEAD + "mx.disable_compile()\nmx.enable_compile()\n",
    "metal kernel": HEAD + "kernel = mx.fast.metal_kernel(name='compile', input_names=[], output_names=[], source='')\n",
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_only_looks_like_a_site(case: str) -> None:
    assert sites({"a.py": OTHERS[case]}) == []


PROJECTS: dict[str, tuple[dict[str, str], tuple[Said, ...]]] = {
    "module of the project that hands on mx": (
        {
            "common.py": "import mlx.core as mx\n",
            "use.py": "from common import mx\n@«mx.compile»\ndef f(x):\n    return x\n",
        },
        (said("decorator", "f"),),
    ),
    "module of the project that hands on compile": (
        {
            "common.py": "from mlx.core import compile\n",
            "use.py": "from common import compile\n@«compile»\ndef f(x):\n    return x\n",
        },
        (said("decorator", "f"),),
    ),
    "handed on under another name, through a package": (
        {
            "pkg/__init__.py": "from .core import jit\n",
            "pkg/core.py": "import mlx.core as mx\njit = mx.compile\n",
            "pkg/use.py": "from . import jit\n@«jit»\ndef f(x):\n    return x\n",
        },
        (said("decorator", "f"),),
    ),
    "attribute of a module of the project": (
        {
            "common.py": "import mlx.core as mx\n",
            "use.py": "import common\nfast = «common.mx.compile(lambda x: x)»\n",
        },
        (said("lambda", "lambda x: x"),),
    ),
    "star of a module of the project": (
        {
            "common.py": "import mlx.core as mx\n",
            "use.py": "from common import *\nfast = «mx.compile(lambda x: x)»\n",
        },
        (said("lambda", "lambda x: x"),),
    ),
    "partial of another file": (
        {
            "common.py": "from functools import partial\nimport mlx.core as mx\nfast_jit = partial(mx.compile, shapeless=True)\n",
            "use.py": "from common import fast_jit\n@«fast_jit»\ndef f(x):\n    return x\n",
        },
        (said("partial-decorator", "f", shapeless="True"),),
    ),
    "function of another file": (
        {
            "ops.py": "def f(x):\n    return x\n",
            "use.py": "import mlx.core as mx\nfrom ops import f\nfast = «mx.compile(f)»\n",
        },
        (said("name", "f"),),
    ),
    "module and attribute": (
        {
            "ops.py": "def f(x):\n    return x\n",
            "use.py": "import mlx.core as mx\nimport ops\nfast = «mx.compile(ops.f)»\n",
        },
        (said("attribute", "ops.f"),),
    ),
    "a site is of the file that it stands in": (
        {
            "ops.py": "import mlx.core as mx\n@«mx.compile»\ndef f(x):\n    return x\n",
            "use.py": "from ops import f\nimport mlx.core as mx\n@«mx.compile»\ndef g(x):\n    return f(x)\n",
        },
        (said("decorator", "f"), said("decorator", "g")),
    ),
    "src layout": (
        {
            "src/pkg/__init__.py": "",
            "src/pkg/common.py": "import mlx.core as mx\njit = mx.compile\n",
            "src/pkg/sub/__init__.py": "",
            "src/pkg/sub/use.py": "from ..common import jit\n@«jit»\ndef f(x):\n    return x\n",
        },
        (said("decorator", "f"),),
    ),
    "tried with and without mlx": (
        {
            "backend.py": "try:\n    import mlx.core as mx\nexcept ImportError:\n    import numpy as mx\n",
            "use.py": "from backend import mx\n@«mx.compile»\ndef f(x):\n    return x\n",
        },
        (said("decorator", "f"),),
    ),
}


@pytest.mark.parametrize("case", PROJECTS)
def test_sites_across_files(case: str) -> None:
    files, expected = PROJECTS[case]
    expect(files, *expected)


def test_another_compile_of_the_project_is_none() -> None:
    files = {
        "common.py": "import mlx.core\ndef compile(f):\n    return f\n",
        "use.py": "import mlx.core\nfrom common import compile\n@compile\ndef f(x):\n    return x\n",
    }
    assert sites(files) == []


JIT = "import mlx.core as mx\n_cache = {}\n\ndef jit(f=None, **options):\n    return _cache.setdefault(f, f)\n"
WRAPPED: dict[str, tuple[str, tuple[Said, ...]]] = {
    "call": ("from pkg.mod import jit\ndef f(x):\n    return x\nfast = «jit(f)»\n", (said("wrapper", "f"),)),
    "call with options": (
        "from pkg.mod import jit\ndef f(x):\n    return x\nfast = «jit(f, shapeless=True)»\n",
        (said("wrapper", "f", shapeless="True"),),
    ),
    "lambda": ("from pkg.mod import jit\nfast = «jit(lambda x: x)»\n", (said("wrapper", "lambda x: x"),)),
    "decorator": ("from pkg.mod import jit\n@«jit»\ndef f(x):\n    return x\n", (said("wrapper", "f"),)),
    "decorator with arguments": (
        "from pkg.mod import jit\nstate = []\n@«jit(inputs=state, shapeless=True)»\ndef f(x):\n    return x\n",
        (said("partial-decorator", "f", inputs="state", shapeless="True"),),
    ),
    "decorator with no arguments": ("from pkg.mod import jit\n@«jit()»\ndef f(x):\n    return x\n", (said("partial-decorator", "f"),)),
    "by its module": ("import pkg.mod\n@«pkg.mod.jit»\ndef f(x):\n    return x\n", (said("wrapper", "f"),)),
    "by its module, renamed": ("import pkg.mod as m\n@«m.jit»\ndef f(x):\n    return x\n", (said("wrapper", "f"),)),
    "renamed": ("from pkg.mod import jit as fast\n@«fast»\ndef f(x):\n    return x\n", (said("wrapper", "f"),)),
    "with partial": (
        "from functools import partial\nfrom pkg.mod import jit\n@«partial(jit, shapeless=True)»\ndef f(x):\n    return x\n",
        (said("partial-decorator", "f", shapeless="True"),),
    ),
    "in a method": (
        "from pkg.mod import jit\nclass A:\n    def __init__(self):\n        self.fast = «jit(self.run)»\n    def run(self, x):\n        return x\n",
        (said("wrapper", "self.run"),),
    ),
    "in a function": ("from pkg.mod import jit\ndef make(f):\n    return «jit(f)»\n", (said("wrapper", "f"),)),
}
CONFIGURED = {"pyproject.toml": '[tool.mxlint]\ncompile-wrappers = ["pkg.mod.jit"]\n'}


@pytest.mark.parametrize("case", WRAPPED)
def test_wrappers_of_the_project(case: str) -> None:
    text, expected = WRAPPED[case]
    files, places = marked({"pkg/__init__.py": "", "pkg/mod.py": JIT, "use.py": text, **CONFIGURED})
    assert sites(files) == list(zip(places, expected))
    assert sites(files, "--isolated") == []


@pytest.mark.parametrize("case", WRAPPED)
def test_wrappers_that_are_installed(case: str) -> None:
    text, expected = WRAPPED[case]
    files, places = marked({"use.py": text, **CONFIGURED})
    assert sites(files) == list(zip(places, expected))
    assert sites(files, "--isolated") == []


def test_a_wrapper_of_mlx_is_a_site_itself() -> None:
    mod = "import mlx.core as mx\ndef jit(f, **options):\n    return «mx.compile(f, **options)»\n"
    files, places = marked(
        {"pkg/__init__.py": "", "pkg/mod.py": mod, "use.py": "from pkg.mod import jit\nfast = «jit(abs)»\n", **CONFIGURED}
    )
    assert [(place, site.form, site.compiled) for place, site in sites(files)] == [(places[0], "name", "f"), (places[1], "wrapper", "abs")]


def test_a_wrapper_is_known_by_its_whole_name() -> None:
    other = "def jit(f):\n    return f\n@jit\ndef g(x):\n    return x\n"
    files = {"use.py": other, **CONFIGURED}
    assert sites(files) == []


def test_what_a_wrapper_compiles_is_traced() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/mod.py": JIT,
        "use.py": "from pkg.mod import jit\n@jit\ndef f(x):\n    print(x.sum())\n    return x\n",
        **CONFIGURED,
    }
    sites(files)
    result = CliRunner().invoke(cli.main, ["check", "--output-format", "concise", "."])
    assert [line.split(" ")[:2] for line in result.stdout.splitlines() if "MX" in line] == [["use.py:4:5:", "MX101"]]


def test_text_says_the_same() -> None:
    source = HEAD + "state = []\nfast = mx.compile(lambda x: x,\n    inputs=state)\n"
    sites({"a.py": source})
    result = CliRunner().invoke(cli.main, ["sites", "a.py"])
    assert result.stdout.splitlines()[0] == "a.py:3:8: lambda x: x  (lambda)  inputs=state"


def test_objects_that_hold_the_sites() -> None:
    text = (
        HEAD
        + "f = mx.compile(abs)\ndef make():\n    return mx.compile(abs)\nclass A:\n    def run(self):\n        return mx.compile(abs)\n"
    )
    sites({"a.py": text})
    result = CliRunner().invoke(cli.main, ["sites", "--output-format", "json", "a.py"])
    assert [site["object"] for site in json.loads(result.stdout)["sites"]] == [None, "make", "A.run"]


def test_what_a_training_step_takes_and_changes() -> None:
    text = (
        FROM
        + "import mlx.optimizers as optim\nmodel, optimizer = nn.Linear(2, 1), optim.SGD(0.1)\nstate = [model.state, optimizer.state]\n"
        + "@partial(mx.compile, inputs=state, outputs=state)\ndef step(x, scale):\n    noise = mx.random.normal(x.shape)\n"
        + "    grads = nn.value_and_grad(model, lambda m: mx.mean(m(x + noise)))(model)[1]\n    optimizer.update(model, grads)\n"
        + "step(mx.ones((1, 2)), 2.0)\n"
    )
    sites({"a.py": text})
    (site,) = json.loads(CliRunner().invoke(cli.main, ["sites", "--output-format", "json", "a.py"]).stdout)["sites"]
    assert (site["takes"], site["draws"], site["mutates"]) == (["x", "scale"], ["mx.random.normal()"], ["optimizer.update"])


def test_numbers_that_are_defaults_are_not_frozen() -> None:
    """No call of the function can change them, as it can a global; an array that is one may be filled in place."""
    sites({"a.py": HEAD + "EPS = 2.0\n@mx.compile\ndef f(x, s=1.0, w=mx.ones(3), *, t=None):\n    return x * s + w + EPS\nf(mx.ones(3))\n"})
    (site,) = json.loads(CliRunner().invoke(cli.main, ["sites", "--output-format", "json", "a.py"]).stdout)["sites"]
    assert (site["takes"], sorted(site["freezes"])) == (["x", "s", "w", "t"], ["EPS", "w"])


def test_weights_that_a_call_reads_are_those_of_the_module() -> None:
    text = (
        FROM
        + "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.inner, self.k = nn.Linear(4, 4), 3\n"
        + "    def __call__(self, x):\n        return self.inner(x) * self.k\nmodel, mlp = M(), nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\n"
        + "@mx.compile\ndef f(x):\n    return model(x) + mlp(\n        x)\nf(mx.ones((2, 4)))\n"
    )
    sites({"a.py": text})
    (site,) = json.loads(CliRunner().invoke(cli.main, ["sites", "--output-format", "json", "a.py"]).stdout)["sites"]
    assert site["freezes"] == ["model", "self.k", "mlp"]


def test_a_site_is_not_full_if_nothing_is_known_of_an_argument() -> None:
    """What it is decides whether the call is traced anew."""
    values = '{"a": 1, "b": 2.0, "c": "t", "d": None, "e": (1,), "f": [1], "g": {1: 2}, "h": abs, "i": True, "j": 3j}'
    sites({"a.py": f"import sys\nimport mlx.core as mx\n@mx.compile\ndef f(x, n):\n    return x\nf(mx.ones(3), {values}[sys.argv[1]])\n"})
    result = CliRunner().invoke(cli.main, ["sites", "--why", "a.py"])
    assert "followed: in part" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("a.py:6:15: ")


LEAVING = """
import mlx.core as mx

scale = {{"value": 1.0}}


def scoped():
    try:
        print((yield 1))
        yield 2
    finally:
        scale["value"] = 2.0


@mx.compile
def step(x):
    return mx.exp(x) * scale["value"]


for number in scoped():
    {body}
step(mx.zeros(1))
"""


@pytest.mark.parametrize(("body", "followed"), [("break", "in part"), ("print(number)", "in full")])
def test_a_loop_that_leaves_a_generator_which_cannot_be_gone_on_with(body: str, followed: str) -> None:
    sites({"a.py": LEAVING.format(body=body)})
    assert f"followed: {followed}" in CliRunner().invoke(cli.main, ["sites", "--why", "a.py"]).stdout


LOADED = """
from functools import partial

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
from mlx.utils import tree_unflatten

model, optimizer = nn.Linear(2, 1), optim.Adam(0.1)
{}


@partial(mx.compile, inputs=state, outputs=state)
def step(x):
    grads = nn.value_and_grad(model, lambda m: mx.mean(m(x)))(model)[1]
    optimizer.update(model, grads)


step(mx.ones((1, 2)))
"""
LOADS = "optimizer.state = tree_unflatten(list(mx.load('state.safetensors').items()))"
CAPTURES = "state = [model.state, optimizer.state]"


@pytest.mark.parametrize(("lines", "followed"), [((LOADS, CAPTURES), "in full"), ((CAPTURES, LOADS), "in part")])
def test_the_loaded_state_of_an_optimizer(lines: tuple[str, str], followed: str) -> None:
    """State that takes the place of what was captured is not followed."""
    sites({"a.py": LOADED.format("\n".join(lines))})
    assert f"followed: {followed}" in CliRunner().invoke(cli.main, ["sites", "--why", "a.py"]).stdout


WITHIN = """
import mlx.core as mx

scale = {"value": 1.0}


class Scaled:
    def __enter__(self):
        scale["value"] = 2.0

    def __exit__(self, *error):
        scale["value"] = 1.0


def scoped():
    with Scaled():
        yield 1
        yield 2


@mx.compile
def step(x):
    return mx.exp(x) * scale["value"]


step(mx.zeros(1))
for number in scoped():
    break
step(mx.zeros(1))
"""


def test_a_loop_that_leaves_a_generator_in_a_with_block() -> None:
    sites({"a.py": WITHIN})
    assert "followed: in full" in CliRunner().invoke(cli.main, ["sites", "--why", "a.py"]).stdout


def test_a_site_that_nothing_in_sight_traces_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("import mlx.core as mx\nimport runner\n\nforward = mx.compile(runner.model.__call__)\n")
    shown = CliRunner().invoke(cli.main, ["sites", "--why", "a.py"]).stdout
    assert "followed: not at all, as nothing in sight comes to a trace of it\n" in shown


def test_a_site_that_what_was_not_followed_may_trace_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = "import mlx.core as mx\nimport mlx.nn as nn\nimport runner\n\nforward = mx.compile(runner.model.__call__)\n\n\ndef make(model: nn.Module):\n"
    Path("a.py").write_text(source + "    return mx.compile(lambda x: model(x), inputs=model.state)\n")
    shown = CliRunner().invoke(cli.main, ["sites", "--why", "a.py"]).stdout
    assert "followed: not at all, as nothing that was followed comes to a trace of it\n" in shown


def test_what_is_followed_in_part_says_why(tmp_path: Path) -> None:
    """A model that is given computes what nobody sees: that is named, too."""
    (tmp_path / "a.py").write_text(
        "import mlx.core as mx\nimport mlx.nn as nn\n\n\ndef make(model: nn.Module):\n"
        "    return mx.compile(lambda x: model(x), inputs=model.state)\n"
    )
    done = CliRunner().invoke(cli.main, ["check", "--no-cache", "--isolated", "--output-format", "json", str(tmp_path / "a.py")])
    coverage = json.loads(done.stdout)["summary"]["coverage"]
    assert (coverage["partial"], coverage["reasons"]) == (1, {"a model whose layers are not in sight": 1})
