"""Whether a function gives None whatever it does, by its text: compared with what Python's functions give."""

from __future__ import annotations

import pytest

from mxlint.syntax import ir
from mxlint.syntax.lower import lower
from mxlint.syntax.returned import returns_nothing

NOTHING = (
    "def f(x): x.append(1)",
    "def f(x): return",
    "def f(x): return None",
    "def f(x):\n    if x:\n        return\n    for y in x:\n        return None",
    "def f(x):\n    def inner(): return x\n    x.append(inner)",
    "def f(x):\n    class Inner:\n        def __call__(self): return x\n    Inner()",
    "def f(x): x.append(lambda: x)",
    "def f(x):\n    try:\n        len(x)\n    finally:\n        return None",
)
SOMETHING = (
    "def f(x): return x",
    "f = lambda x: x.append(1)",
    "def f(x):\n    if x:\n        return\n    return 0",
    "def f(x):\n    for y in [1]:\n        return y",
    "def f(x):\n    while True:\n        with open(x[0]) if x else memoryview(b''):\n            return x",
    "def f(x):\n    try:\n        len(x)\n    except TypeError:\n        pass\n    else:\n        return x",
    "def f(x):\n    match x:\n        case []:\n            return x",
    "def f(x): yield x",
)


def function(text: str) -> ir.FuncDef | ir.Lambda:
    statement = lower(text).body[0]
    found = statement.value if isinstance(statement, ir.Assign) else statement
    assert isinstance(found, (ir.FuncDef, ir.Lambda))
    return found


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_returned(text: str) -> None:
    names: dict[str, object] = {}
    exec(text, names)  # noqa: S102 the programs above
    assert returns_nothing(function(text))
    assert all(names["f"](given) is None for given in ([], [1]))  # type: ignore[operator]


@pytest.mark.parametrize("text", SOMETHING)
def test_something_may_be_returned(text: str) -> None:
    assert not returns_nothing(function(text))
