"""Whatever the source, the run goes on: no crash, no hang, and the same answer twice.

The short form takes a sample of the files that are installed here. MXLINT_ROBUSTNESS=full takes them all; =full:2/8 the second eighth of them.
"""

from __future__ import annotations

import os
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mxlint.analysed import Analysis
from mxlint.analysis import analyze
from mxlint.deep import on_a_deep_stack
from mxlint.engine import check
from mxlint.interpreter.machine import core
from mxlint.models.load import kind_of, libraries, names
from mxlint.models.mlx.table import Table, load_table
from mxlint.project import Project
from mxlint.source import Source, SourceError, source_from_bytes
from mxlint.survey import Stdin

SAMPLE = 40
CPU_SECONDS = 2.0
LINES = 5_000
FULL, _, PART = os.environ.get("MXLINT_ROBUSTNESS", "").partition(":")
# What the parser raises for what is not Python, or nests too deep for it.
NOT_PYTHON = (SyntaxError, ValueError, MemoryError, RecursionError)


def installed() -> list[str]:
    """The standard library and what is installed beside it, in the same order everywhere. What is installed for the interpreter that an environment
    was made from is not."""
    found = set()
    for root in {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}:
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in ("site-packages", "dist-packages")]
            found.update(os.path.join(folder, name) for name in files if name.endswith(".py"))
    return sorted(found)


def chosen() -> list[str]:
    files = installed()
    if FULL != "full":
        return files[:: max(1, len(files) // SAMPLE)]
    if not PART:
        return files
    number, _, parts = PART.partition("/")
    return files[int(number) - 1 :: int(parts)]


@lru_cache
def table() -> Table:
    return load_table()


def analysed(data: bytes, name: str) -> Analysis | None:
    """Every function taken to be compiled. None for what is not Python."""
    try:
        source = source_from_bytes(data, name)
        compile(source.text, name, "exec", dont_inherit=True)
    except (SourceError, *NOT_PYTHON):
        return None
    try:
        return _analyze(source)
    except RecursionError:
        return on_a_deep_stack(lambda: _analyze(source))  # as the engine does


def _analyze(source: Source) -> Analysis:
    return analyze(source, Project(), table(), everything=True)


def cut_short(data: bytes) -> Iterator[bytes]:
    """What an editor may hold while somebody is typing."""
    for third in (1, 2):
        yield data[: len(data) * third // 3]
    yield data[: data.rfind(b"\n    ") + 1]


@pytest.mark.slow
@pytest.mark.parametrize("name", chosen())
def test_installed_files(name: str) -> None:
    path = Path(name)
    data = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        analysed(data, path.name)
        spent = time.process_time() - start
        for part in cut_short(data):
            analysed(part, path.name)
    if FULL == "full" and data.count(b"\n") < LINES:
        assert spent <= CPU_SECONDS


def codes(text: str | bytes, *, everything: bool = True) -> list[str]:
    """The codes that a run finds in one file, whatever it holds."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    result = check(["-"], stdin=Stdin(data, "a.py"), gate=False, everything=everything, fixes=False)
    assert result.tracebacks == ()
    assert result.problems == ()
    return [finding.code for finding in result.findings]


def test_every_function_can_be_taken_to_be_compiled() -> None:
    text = "import mlx.core as mx\n\n\ndef step(x):\n    print(mx.exp(x))\n"
    assert codes(text) == ["MX101"]
    assert codes(text, everything=False) == []


def many(count: int, fewer: int) -> int:
    """A number of the long form, and of the short one."""
    return count if FULL == "full" else fewer


HEAD = "import mlx.core as mx\n"
NAMES_OF_OTHERS = "from elsewhere import a, b, c, f, x, y\n"
TAIL = "\n@mx.compile\ndef step(x):\n    print(x)\n    return x\n"
DEEP: dict[str, Callable[[], str]] = {
    "parentheses": lambda: "y = " + "(" * 5_000 + "1" + ")" * 5_000,
    "lists": lambda: "y = " + "[" * 150 + "1" + "]" * 150,
    "ifs": lambda: "".join(" " * depth + "if y:\n" for depth in range(90)) + " " * 90 + "pass",
    "too many ifs": lambda: "".join(" " * depth + "if y:\n" for depth in range(3_000)) + " " * 3_000 + "pass",
    "elifs": lambda: "if y == 0:\n    z = 0\n" + "".join(f"elif y == {n}:\n    z = {n}\n" for n in range(many(1_000, 400))),
    "or": lambda: "y = " + " or ".join("abc"[n % 3] for n in range(many(20_000, 5_000))),
    "and in a function": lambda: "def f(x):\n    return " + " and ".join("x" for _ in range(many(20_000, 5_000))),
    "sum": lambda: "y = " + " + ".join("1" for _ in range(3_000)),
    "sum in a function": lambda: "def f(x):\n    return " + " + ".join("x" for _ in range(2_000)),
    "comparisons": lambda: "def f(x):\n    return " + " < ".join("x" for _ in range(many(20_000, 5_000))),
    "attributes": lambda: "def f(x):\n    return x" + ".y" * 2_000,
    "calls": lambda: "def f(x):\n    return x" + "()" * 2_000,
    "subscripts": lambda: "def f(x):\n    return x" + "[0]" * 2_000,
    "calls in calls": lambda: "def f(x):\n    return " + "f(" * 90 + "x" + ")" * 90,
    "unary operators": lambda: "def f(x):\n    return " + "-" * 900 + "x",
    "not": lambda: "def f(x):\n    return " + "not " * 900 + "x",
    "lambdas": lambda: "f = " + "lambda x: " * 90 + "x",
    "ternaries": lambda: "def f(x):\n    return " + "x if x else " * many(900, 200) + "x",
    "functions in functions": lambda: "".join(" " * depth + f"def f{depth}(x):\n" for depth in range(90)) + " " * 90 + "return x",
    "classes in classes": lambda: "".join(" " * depth + f"class C{depth}:\n" for depth in range(90)) + " " * 90 + "x = 1",
    "comprehensions": lambda: "def f(x):\n    return " + "[" * many(90, 40) + "x" + " for _ in x]" * many(90, 40),
    "clauses of a comprehension": lambda: "def f(x):\n    return [x " + " ".join(f"for a{n} in x" for n in range(many(200, 60))) + "]",
    "loops": lambda: (
        "def f(x):\n" + "".join(" " * (depth + 1) + f"for a{depth} in x:\n" for depth in range(many(19, 9))) + " " * 20 + "print(x)"
    ),
    "f-strings": lambda: "def f(x):\n    return f'" + "{x}" * many(5_000, 2_000) + "'",
    "assignments": lambda: "".join(f"name_{n} = {n}\n" for n in range(many(200_000, 40_000))),
    "assignments in a function": lambda: (
        "def f(x):\n" + "".join(f"    name_{n} = x\n" for n in range(many(20_000, 5_000))) + "    return x"
    ),
    "functions": lambda: "".join(f"def f{n}(x):\n    return f{n + 1}(x) + f{n + 2}(x)\n" for n in range(many(500, 60))),
    "branches that double": lambda: "def f(x, a):\n" + "".join(f"    if a{n}:\n        x = x + {n}\n" for n in range(300)) + "    return x",
    "calls that double": lambda: (
        "".join(f"def f{n}(x):\n    return f{n + 1}(x) + f{n + 1}(x)\n" for n in range(40)) + "def f40(x):\n    return x"
    ),
    "a dict of many": lambda: "TABLE = {" + ",".join(f"{n}: [{n}, '{n}']" for n in range(many(15_000, 2_000))) + "}",
    "a long string": lambda: "TEXT = '" + "x" * 5_000_000 + "'",
    "lists that double": lambda: "a = []\n" + "a = [a, a]\n" * 40 + "@mx.compile\ndef g(x):\n    return x\n\ng(a)",
    "dicts that double": lambda: (
        "a = {}\n" + "a = {'a': a, 'b': a}\n" * 40 + "def g(x):\n    return x\n\ng = mx.compile(g, inputs=a, outputs=a)\ng(mx.ones(2))"
    ),
    "tuples that double": lambda: "a = b = 1,\n" + "a = a, a\nb = b, b\n" * 40 + "@mx.compile\ndef g(x):\n    return a == b, a\n\ng(b)",
    "operations that double": lambda: "def f(x):\n" + "    x = x + x\n" * 40 + "    return x\n\ng = mx.compile(f)\ng(mx.ones(2))",
    "bases that double": lambda: (
        "class A0: pass\nclass B0: pass\n"
        + "".join(f"class A{n + 1}(A{n}, B{n}): pass\nclass B{n + 1}(A{n}, B{n}): pass\n" for n in range(40))
        + "f = mx.compile(lambda x: x * getattr(A40(), 'missing', 1))\nf(mx.ones(2))"
    ),
    "many decorators": lambda: "@f\n" * 2_000 + "def g(x):\n    return x",
    "many arguments": lambda: "def f(" + ", ".join(f"a{n}" for n in range(3_000)) + "):\n    return a1",
    "many targets": lambda: "def f(x):\n    " + " = ".join(f"a{n}" for n in range(3_000)) + " = x\n    return a1",
}


NOT_TO_BE_PARSED = frozenset({"parentheses", "too many ifs"})
SPENT = frozenset({"assignments"})


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name in SPENT else name for name in DEEP])
def test_deep_and_long(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands behind is still found, unless the budget of the file is spent by then. Budgets of the short form are a quarter, since some spend them."""
    monkeypatch.setattr(core, "MAX_STEPS", many(core.MAX_STEPS, core.MAX_STEPS // 4))
    monkeypatch.setattr(core, "MAX_STEPS_OF_FILE", many(core.MAX_STEPS_OF_FILE, core.MAX_STEPS_OF_FILE // 4))
    text = HEAD + NAMES_OF_OTHERS + DEEP[name]() + "\n" + TAIL
    expected = ["MX003"] if name in NOT_TO_BE_PARSED else [] if name in SPENT else ["MX101"]
    assert codes(text, everything=False) == expected
    assert "MX004" not in codes(text)


PRINTS = HEAD + TAIL
ODD: dict[str, tuple[str | bytes, list[str]]] = {
    "nothing": ("", []),
    "a comment": ("# mx.compile", []),
    "no newline at the end": (PRINTS.rstrip("\n"), ["MX101"]),
    "null byte": (PRINTS + "\0", ["MX003"]),
    "null byte in a string": (PRINTS + "y = '\0'\n", ["MX003"]),
    "lone surrogate": (PRINTS + "y = '\ud800'\n", ["MX003"]),
    "lone surrogate as an escape": (PRINTS + "y = '\\ud800'\n", ["MX101"]),
    "form feed": (PRINTS.replace("\n\n", "\n\f\n"), ["MX101"]),
    "form feed before a statement": (PRINTS.replace("@mx", "\f@mx"), ["MX101"]),
    "CR newlines": (PRINTS.replace("\n", "\r"), ["MX101"]),
    "CRLF newlines": (PRINTS.replace("\n", "\r\n"), ["MX101"]),
    "all newlines": (PRINTS.replace("\n", "\r\n", 2).replace("return x\n", "return x\r"), ["MX101"]),
    "byte order mark": (b"\xef\xbb\xbf" + PRINTS.encode(), ["MX101"]),
    "UTF-16": (PRINTS.encode("utf-16"), ["MX003"]),
    "latin-1": (b"# -*- coding: latin-1 -*-\n" + PRINTS.replace("print(x)", "print(x, 'é')").encode("latin-1"), ["MX101"]),
    "latin-1 that does not say so": (PRINTS.replace("print(x)", "print(x, 'é')").encode("latin-1"), ["MX003"]),
    "unknown encoding": (b"# coding: nothing\n" + PRINTS.encode(), ["MX003"]),
    "other line separators": (PRINTS + "y = 'a\u2028b\x85c\x1dd'\n", ["MX101"]),
    "vertical tab": (PRINTS + "y = 1\v\n", ["MX003"]),
    "continued lines": (PRINTS.replace("print(x)", "print \\\n(\\\nx\\\n)"), ["MX101"]),
    "tabs": (PRINTS.replace("    ", "\t"), ["MX101"]),
    "identifiers beyond ASCII": (PRINTS.replace("(x)", "(größe)").replace("return x", "return größe"), ["MX101"]),
    "identifiers that Python takes for the same": (
        PRINTS.replace("(x)", "(ﬁx)").replace("return x", "return fix").replace("print(ﬁx)", "print(fix)"),
        ["MX101"],
    ),
    "Python 2": ("print 'x'\n", ["MX003"]),
    "return outside of a function": (PRINTS + "return 1\n", ["MX101"]),
    "yield outside of a function": (PRINTS + "yield 1\n", ["MX101"]),
    "await outside of a function": (PRINTS + "await f()\n", ["MX101"]),
    "break outside of a loop": (PRINTS + "break\n", ["MX101"]),
    "parameter twice": (PRINTS + "def f(a, a): pass\n", ["MX101"]),
    "nonlocal of nothing": (PRINTS + "def f():\n    nonlocal a\n    a = 1\n", ["MX101"]),
    "global after use": (PRINTS + "def f():\n    a = 1\n    global a\n", ["MX101"]),
    "import star in a function": (PRINTS + "def f():\n    from os import *\n    return path\n", ["MX101"]),
    "assignment to a constant": (PRINTS + "None = 1\n", ["MX003"]),
    "future that is none": ("from __future__ import braces\n" + PRINTS, ["MX101"]),
    "relative import of nowhere": (PRINTS + "from ....a import b\nfrom . import c\nb(c)\n", ["MX101"]),
    "import of itself": (PRINTS + "import a\nfrom a import step as again\nagain(1)\n", ["MX101"]),
    "class of itself": (PRINTS + "class A(A):\n    def f(self):\n        return A().f()\n", ["MX101"]),
    "bases in a circle": (PRINTS + "class A: pass\nclass B(A): pass\nA.__bases__ = (B,)\nB().f()\n", ["MX101"]),
    # MLX unfolds its arguments and dies of this one before it comes to the body.
    "list of itself": (PRINTS + "a = []\na.append(a)\na[0] = a\ndef f():\n    return step(a)\nf()\n", []),
    "dict of itself": (PRINTS + "d = {}\nd['d'] = d\nmx.compile(lambda x: x, inputs=d, outputs=d)(d)\n", ["MX101"]),
    "lists of themselves": (
        PRINTS + "class A: pass\nc = A()\na = [1]; a.append(a)\nb = [1]; b.append(b)\nc.l = a\nf = mx.compile(lambda x: x * c.l[0])\n"
        "f(mx.ones(2))\nc.l = b\nf(mx.ones(2))\n",
        ["MX101"],
    ),
    "object of itself": (PRINTS + "class A: pass\na = A()\na.a = a\nmx.compile(lambda x: a.a.a, inputs=a)(a)\n", ["MX101"]),
    "module of itself": (PRINTS + "import mlx.nn as nn\nm = nn.Module()\nm.m = m\nmx.compile(m, inputs=m.state)(1)\n", ["MX101"]),
    "compiled of itself": (PRINTS + "f = mx.compile(lambda x: f(x))\nf(mx.ones(2))\n", ["MX101"]),
    "compile compiled": (PRINTS + "mx.compile(mx.compile)(mx.compile)\n", ["MX101"]),
    "partial of itself": (PRINTS + "from functools import partial\np = partial(partial, partial)\np(p)(p)(p)\n", ["MX101"]),
    "decorated by itself": (PRINTS + "def f(g):\n    return g\n@f\n@f\ndef f(x):\n    return f\nf(f)(f)\n", ["MX101"]),
    "stars in place of what must be given": (
        PRINTS
        + "from elsewhere import a\nfrom itertools import groupby\nfrom mlx.utils import tree_flatten\nslice(*a), groupby(*a), tree_flatten(**a)\n",
        ["MX101"],
    ),
    "nothing in place of what must be given": (PRINTS + "try:\n    slice()\nexcept TypeError:\n    step(mx.ones(2))\n", ["MX101"]),
    "nothing in place of a class": (
        PRINTS
        + "class A:\n    def __new__(cls):\n        return super().__new__()\ntry:\n    A()\nexcept TypeError:\n    step(mx.ones(2))\n",
        ["MX101"],
    ),
    "nothing in place of what a newer Python needs": (PRINTS + "import copy, itertools\ncopy.replace(), itertools.batched()\n", ["MX101"]),
    "product of no number": (PRINTS + "import math\nn = math.prod((None, 3))\nm = math.prod(('a', 3))\n", ["MX101"]),
    "methods of items that are only named": (
        PRINTS.replace("    print(x)", "    print(x)\n    x.__getitem__, x.__setitem__, x.__contains__\n    x.__getitem__(0)"),
        ["MX101"],
    ),
    "operators that are only named": (
        PRINTS.replace("    print(x)", "    x.__eq__, x.__add__\n    print(x.__add__(x))\n    x.__ne__({})"),
        ["MX101"],
    ),
    "stars in place of functions": (
        PRINTS
        + "import functools\nfrom contextlib import contextmanager\na = [step]\nmx.vjp(*a), mx.jvp(**a), contextmanager(*a)\n"
        + "functools.wraps(*a)(step), functools.wraps(step)(), property(step).getter(*a), functools.partialmethod(*a)\n",
        ["MX101"],
    ),
    "methods of modules that are called on nothing": (PRINTS + "import mlx.nn as nn\nmodel = nn.T\nmodel.parameters()\n", ["MX101"]),
    "ranges of what is no number": (PRINTS + "sorted(range(range(3), range(2)))\nlist(range(0, 5, False))\n", ["MX101"]),
    "chain of chains that recurs": (
        PRINTS
        + "import itertools\ndef run(n):\n    n = itertools.chain(n) if isinstance(n, int) else 1\n    run(n)\nfor n in range(20):\n    run(n)\n",
        ["MX101"],
    ),
    "items behind the last one": (PRINTS + "a = mx.ones(20)\nfor k in range(21):\n    step(a[k].item())\nstep(a)\n", ["MX101"]),
    "empty list, as often as a loop says": (
        PRINTS + "@mx.compile\ndef g(x, n):\n    return n * []\nr = []\nfor k in range(40):\n    r.append(k)\n    g(mx.ones(2), len(r))\n",
        ["MX101"],
    ),
    "length of two things without another": (
        PRINTS
        + "def cut(x, w, flag):\n    x = mx.concatenate([x, x])\n    n = max(0, len(x) - w) if flag else max(3.5, w)\n    step(x[n:])\n",
        ["MX101"],
    ),
    "property of itself": (PRINTS + "class A:\n    @property\n    def a(self):\n        return self.a\nA().a\n", ["MX101"]),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_files(name: str) -> None:
    text, expected = ODD[name]
    found = codes(text, everything=False)
    assert [code for code in found if code in ("MX003", "MX004", "MX101")] == expected
    assert "MX004" not in codes(text)


COSTLY = """\
import mlx.core as mx


def costly(x):
    from newer import helper

    total = 0
    for a in range(15):
        for b in range(15):
            for c in x:
                total = total + helper(a) * b
    return total


@mx.compile
def step(x):
    print(x)
    return x


def run(x):
    return step(mx.array(costly(x) + costly(x)))


run(open("a"))
"""


@pytest.mark.parametrize(
    "text", ["def helper[T](x: T) -> T:\n    return x\n", "def helper(\n", "x = '\0'\n"], ids=["newer Python", "typing", "null byte"]
)
def test_a_costly_call_of_what_does_not_parse(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "main.py").write_text(COSTLY)
    (tmp_path / "newer.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    result = check(["main.py"], fixes=False)
    assert (result.tracebacks, [finding.code for finding in result.findings]) == ((), ["MX101"])


# -- calls of everything that is modelled -----------------------------------------------------------------------------

CALLS = [
    "()", "(x)", "(*x)", "(**x)", "(x, *y)", "(*x, y)", "(*x, **y)", "(1)", "('a')", "(None, None)", "([1, 2], {'a': x})", "(x, y, x, y, x, y, x)",
    "(key=x)", "(mx.ones(2))", "(mx.ones(2), 1, axis=x)", "(lambda *a: a, [x, 1])", "(A, A())", "(-1, 2.5, 1j)",
]  # fmt: skip
CALLING = """\
@mx.compile
def call_{number}(x, y):
    try:
        made = {name}{call}
        for z in made:
            print(z)
        return made
    except OSError:
        pass


def manage_{number}(x, y):
    given = {name}
    with given{call} as held:
        return mx.compile(lambda a: held(a) * held[0] + held)(x)


"""


def modelled() -> list[str]:
    """Every function, class and method that the data of libraries and of MLX hold."""
    of_libraries = {name for library in libraries() for name in names(library)}
    return sorted(name for name in {*of_libraries, *table()} if "[" not in name and name.replace(".", "").isidentifier())


def some_modelled() -> list[str]:
    found = modelled()
    return found if FULL == "full" else found[:: max(1, len(found) // 100)]


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", some_modelled())
def test_calls_of_what_is_modelled(name: str) -> None:
    modules = [
        module
        for module in accumulate(name.split("."), "{}.{}".format)
        if kind_of(module) == "module" or module in ("mlx", "mlx.core", "mlx.nn", "mlx.optimizers")
    ]
    text = f"import {', '.join((*modules, 'sys'))}\nimport mlx.core as mx\n\n\nclass A:\n    pass\n\n\n"
    text += "".join(CALLING.format(number=number, name=name.removeprefix("builtins."), call=call) for number, call in enumerate(CALLS))
    assert "MX004" not in codes(text)


# -- programs out of a grammar ----------------------------------------------------------------------------------------

NAMES = st.sampled_from(["x", "y", "z", "f", "g", "seen", "table", "self", "mx", "A"])
ATOMS = st.one_of(
    NAMES,
    st.sampled_from(
        ["0", "1", "-1", "2.5", "True", "None", "'a'", "f'{x}'", "...", "b'b'", "[]", "{}", "()", "A()", "1j", "mx.random.state"]
    ),
)


def _expressions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def form(template: str) -> st.SearchStrategy[str]:
        return st.lists(inner, min_size=template.count("{}"), max_size=template.count("{}")).map(lambda parts: template.format(*parts))

    return st.one_of(
        *map(
            form,
            [
                "({} + {})", "({} * {})", "({} % {})", "({} @ {})", "({} < {})", "({} in {})", "({} is {})", "({} == {} == {})", "(not {})", "(-{})",
                "({} and {})", "({} or {})", "({} if {} else {})", "({}, {})", "[{}, *{}]", "{{'a': {}, **{}}}", "{{{}, {}}}", "{}[{}]", "{}[{}:{}]",
                "{}[..., None]", "({}).shape", "({}).sum().item()", "({}).a", "({}).T", "({}).append({})", "({}).update({})", "({}).get('a', {})",
                "({}).items()", "[{} for z in {}]", "{{z: {} for z in {} if {}}}", "sum({} for y in {})", "(lambda z: {})({})", "(lambda *a, **k: {})",
                "f({})", "f({}, *{}, z={}, **{})", "f'{{{}}} {{{}:>{{1}}}}'", "(z := {})", "print({})", "float({})", "len({})", "range({})",
                "max({}, {})", "list({})", "dict(a={})", "zip({}, {})", "isinstance({}, A)", "getattr({}, 'a', {})", "super()",
                "mx.compile({})", "mx.compile({}, inputs={}, outputs={})", "mx.compile({}, shapeless={})({})", "partial({}, {})", "partial(mx.compile, inputs={})({})",
                "mx.grad({})({})", "mx.vmap({})({})", "mx.value_and_grad({})({})", "mx.array({})", "mx.zeros({})", "mx.eval({})", "mx.where({}, {}, {})", "mx.split({}, {})",
                "mx.concatenate([{}, {}])", "mx.random.normal({})", "({}).reshape({})", "({}).reshape({}.shape[0], -1)", "nn.Linear({}, {})({})", "nn.Dropout({})",
                "nn.Sequential({}, {})({})", "nn.value_and_grad({}, {})({})", "optim.SGD({}).update({}, {})", "({}).state", "({}).parameters()", "tree_map({}, {})",
            ],
        )
    )  # fmt: skip


EXPRESSIONS = st.recursive(ATOMS, _expressions, max_leaves=8)


def _indented(lines: list[str]) -> str:
    return "\n".join("    " + line for block in lines for line in block.split("\n"))


def _statements(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, min_size=1, max_size=3).map(_indented)
    e = EXPRESSIONS
    decorators = st.lists(
        st.sampled_from(["mx.compile", "partial(mx.compile, inputs=seen, outputs=seen)", "partial(mx.compile, shapeless=True)", "staticmethod",
                         "property", "f", "functools.wraps(f)", "functools.lru_cache(maxsize=None)", "dataclass", "contextmanager"]), max_size=2
    ).map(lambda names: "".join(f"@{name}\n" for name in names))  # fmt: skip
    parameters = st.sampled_from(["x", "x, y=1", "*x", "**x", "self, x", "x, /, y, *, z=None", "x: mx.array, y: int = 0", ""])
    targets = st.one_of(NAMES, st.sampled_from(["x, y", "(x, (y, *z))", "x[0]", "x.a", "table['a']", "seen[:]", "self.a", "self.a.b[0]"]))
    return st.one_of(
        st.builds("if {}:\n{}".format, e, body),
        st.builds("if {}:\n{}\nelif {}:\n{}\nelse:\n{}".format, e, body, e, body, body),
        st.builds("for {} in {}:\n{}\n    if x: break\nelse:\n{}".format, targets, e, body, body),
        st.builds("while {}:\n{}\n    continue".format, e, body),
        st.builds("try:\n{}\nexcept (ValueError, f) as z:\n{}\nelse:\n{}\nfinally:\n{}".format, body, body, body, body),
        st.builds("with {} as {}, f(x):\n{}".format, e, targets, body),
        st.builds("match {}:\n    case [x, *_] | {{'a': x}} if {}:\n        x\n    case A(a=1):\n        y\n    case z:\n        z".format, e, e),
        st.builds("{}def f({}):\n    global y\n{}\n    return {}".format, decorators, parameters, body, e),
        st.builds("def g({}):\n    yield {}\n    z = yield from {}".format, parameters, e, e),
        st.builds("async def g({}):\n    await {}\n    async for z in {}: pass".format, parameters, e, e),
        st.builds("{}class A(nn.Module):\n    a: int = {}\n    def __init__(self, x=1):\n        super().__init__()\n        self.a = {}\n"
                  "    def __call__(self, x):\n        return {}".format, st.sampled_from(["", "@dataclass\n"]), e, e, e),
        st.builds("class A(A):\n    def f(self, x):\n        nonlocal_ = {}\n        return super().f({})\n    g = f".format, e, e),
    )  # fmt: skip


SIMPLE = st.one_of(
    EXPRESSIONS,
    st.builds("{} = {}".format, st.sampled_from(["x", "y", "f", "x, y", "x[0]", "x.a", "seen[:]", "table['a']", "self.a", "mx.random.state"]), EXPRESSIONS),
    st.builds("{} {}= {}".format, st.sampled_from(["x", "x.a", "x[0]", "seen"]), st.sampled_from(["+", "*", "@", "|"]), EXPRESSIONS),
    st.builds("assert {}, {}".format, EXPRESSIONS, EXPRESSIONS),
    st.builds("raise {} from {}".format, EXPRESSIONS, EXPRESSIONS),
    st.sampled_from(["pass", "del x", "import f", "from g import *", "from functools import partial as f", "x: int", "del x[0], y.a"]),
)  # fmt: skip
PROGRAMS = st.lists(st.recursive(SIMPLE, _statements, max_leaves=6), min_size=1, max_size=4).map("\n".join)
IMPORTS = (
    "import functools\nfrom contextlib import contextmanager\nfrom dataclasses import dataclass\nfrom functools import partial\n"
    "import mlx.core as mx\nimport mlx.nn as nn\nimport mlx.optimizers as optim\nfrom mlx.utils import tree_map\n"
    "seen = []\ntable = {}\n"
)


@pytest.mark.slow
@settings(max_examples=1_500 if FULL == "full" else 120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(PROGRAMS)
def test_programs_out_of_a_grammar(program: str) -> None:
    text = IMPORTS + program + "\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = analysed(text.encode(), "a.py")
        assert first == analysed(text.encode(), "a.py")


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1, 7, 50, 400, 3000])
def test_running_out_of_budget_is_no_failure(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the budget of an entry ends, what is left is not known and nothing fails."""
    monkeypatch.setattr(core, "MAX_STEPS", budget)
    monkeypatch.chdir(Path(__file__).parent / "fixtures" / "project")
    result = check(["."], gate=False, fixes=False)
    assert not [finding.message for finding in result.findings if finding.code == "MX004"]
    assert result.reasons["budget of steps"]


@pytest.mark.slow
def test_a_file_has_a_budget_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is spent nothing more of the file is followed, and what is not is counted."""
    calls = "".join(f"def f{n}(x, y):\n    return f{n + 1}(x, y) + f{n + 1}(x, -y)\n" for n in range(8)) + "def f8(x, y):\n    return x\n"
    steps = "".join(f"@mx.compile\ndef step{n}(x):\n    print(f0(x, {n}))\n" for n in range(5))
    stdin = Stdin((HEAD + calls + steps).encode(), "a.py")
    whole = check(["-"], stdin=stdin)
    assert ([finding.code for finding in whole.findings], whole.reasons) == (["MX101"] * 5, {})
    monkeypatch.setattr(core, "MAX_STEPS_OF_FILE", 250)
    limited = check(["-"], stdin=stdin)
    assert 0 < len(limited.findings) < 5
    assert limited.reasons["budget of steps"]
