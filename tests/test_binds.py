"""Variables of a function that are bound once in each activation: a closure over them sees one value."""

from __future__ import annotations

import textwrap

import pytest

from mxlint.syntax import ir
from mxlint.syntax.binds import once
from mxlint.syntax.lower import lower

BODIES = {
    "k = 1": True,
    "k = j = 1": True,
    "k: int = 1": True,
    "(k, j) = 1, 2": True,
    "k = 1\nk = 2": False,
    "k = 1\nk += 1": False,
    "k = 1\nfor k in (1, 2): pass": False,
    "if data: k = 1": False,
    "for _ in data: k = len(seen)": False,
    "while len(seen) < 2: seen.append(k := len(seen))": False,
    "k = 1\nsum((k := j) for j in (1, 2))": False,
    "k = 1\ndef g():\n    nonlocal k\n    k = 2\ng()": False,
    "k = 1\nwith open(__file__) as k: pass": False,
    "k = 1\ntry: 1 / 0\nexcept ZeroDivisionError as k: pass\nk = 3": False,
    "k = 1\ndel k\nk = 2": False,
    "k = 1\ndef k(): pass": False,
    "k = 1\nimport sys as k": False,
    "k = 1\nmatch data:\n    case k: pass": False,
}


@pytest.mark.parametrize("body", BODIES)
def test_what_one_assignment_binds(body: str) -> None:
    text = f"def f(data):\n    seen = []\n{textwrap.indent(body, '    ')}\n    return lambda: k\n"
    (node,) = lower(text).body
    assert isinstance(node, ir.FuncDef)
    assert ("k" in once(node)) is BODIES[body]


@pytest.mark.parametrize(
    ("text", "known"),
    {
        "def f(k): pass": True,
        "def f(*k): pass": True,
        "def f(k):\n    def g():\n        return k": True,
        "def f(k):\n    k = 1": False,
        "def f(k):\n    if data: k += 1": False,
        "def f(k):\n    del k": False,
        "def f(k):\n    def g():\n        nonlocal k\n        k = 1": False,
        "def f():\n    global k\n    k = 1": False,
    }.items(),
)
def test_what_a_call_binds(text: str, known: bool) -> None:
    (node,) = lower(f"{text}\n").body
    assert isinstance(node, ir.FuncDef)
    assert ("k" in once(node)) is known
