"""Expressions of constants: the interpreter comes to the value, or the exception, that CPython comes to, and to nothing else.

A wrong value is a bug wherever it is. An expression of which it only knows less is one that `VAGUE` lists by its operator or form.
"""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import product

import pytest

from mxlint.domain.members import UNBOUND
from mxlint.interpreter.entry import interpret
from mxlint.interpreter.expressions.constants import MISSING, python_value
from mxlint.project import Project
from mxlint.source import source_from_bytes

LITERALS = ("-7", "0", "3", "2.5", "-0.5", "True", "'ab'", "''", "b'ab'", "(1, 2)", "()", "[1, 2]", "[]", "None", "{1, 2}")
BINARY = (
    "+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not", "and", "or",
)  # fmt: skip
UNARY = ("-", "+", "~", "not ", "*", "len", "bool", "str", "repr", "int", "float", "abs", "sum", "list", "tuple", "sorted", "min", "max", "any", "all", "set",
         "callable", "round", "ord", "bytes", "complex")  # fmt: skip
INDEXES = ("0", "1", "-1", "5", "True", "1.0", "None", "'a'", ":", "1:", ":-1", "::2", "::-1", "1:1", "5:", "::0")
FORMS = {
    **{f"a {op} b": [f"{a} {op} {b}" for a, b in product(LITERALS, LITERALS)] for op in BINARY},
    **{f"{op}a": [f"({op}{a},)" if op == "*" else f"{op}({a})" for a in LITERALS] for op in UNARY},
    "a[i]": [f"{a}[{index}]" for a, index in product(LITERALS, INDEXES)],
    "a < b < c": [f"{a} < {b} < {c}" for a, b, c in product(("-7", "0", "2.5", "'a'"), repeat=3)],
    "a if b else c": [f"{a} if {b} else {c}" for a, b, c in product(("1", "'x'"), LITERALS, ("2",))],
    "f'{a}'": [f"f'<{{{a}{how}}}>'" for a in ("-7", "2.5", "None", "(1, 2)", '"ab"') for how in ("", "!r", "!s", ":>6", ":06.2f")],
    "[… for …]": [f"{left}{body} for x in {a}{right}" for (left, right), body, a in product(("[]", "()", "{}"), ("x", "(x, 1)"), LITERALS)],
    "a = b, *c": [f"(lambda p, *q, r=1, **s: (p, q, r))({arguments})" for arguments in ("", "1", "1, 2", "1, r=2", "1, 2, r=3, t=4", "*(1, 2)", "**{'p': 1}", "1, p=2", "r=1")],
}  # fmt: skip
VAGUE = {
    "a % b": 9, "a == b": 4, "a != b": 4, "a in b": 120, "a not in b": 120, "a is b": 4, "a is not b": 4, "-a": 5, "+a": 5, "~a": 5, "stra": 1,
    "repra": 1, "a[i]": 9, "[… for …]": 14, "*a": 1, "lista": 1, "tuplea": 1,
}  # fmt: skip
"""How many expressions of a form are not known in full (a set of two has no order that one knows); of all others none."""


def real(expression: str) -> object:
    """What CPython makes of an expression, or the name of what it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(expression)
        except Exception as error:  # noqa: BLE001
            return type(error).__name__


def same(left: object, right: object) -> bool:
    return type(left) is type(right) and repr(left) == repr(right)


@pytest.mark.parametrize("form", FORMS)
def test_constants_are_those_of_python(form: str) -> None:
    tries = "".join(
        f"try:\n    v{n} = {text}\nexcept Exception as error:\n    v{n} = type(error).__name__\n" for n, text in enumerate(FORMS[form])
    )
    i = interpret(source_from_bytes(tries.encode(), "main.py"), Project())
    known, wrong = Counter[bool](), []
    for n, text in enumerate(FORMS[form]):
        expected = real(text)
        if not isinstance(expected, (bool, int, float, str, bytes, tuple, list, type(None))):
            continue
        value = next((cell[f"v{n}"] for cell in i.heap.cells if f"v{n}" in cell), UNBOUND)
        found = python_value(i, value)
        known[found is not MISSING] += 1
        if found is not MISSING and not same(found, expected):
            wrong.append((text, expected, found))
    assert wrong == []
    assert known[False] == VAGUE.get(form, 0)
