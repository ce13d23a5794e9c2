"""What a trace computed from a container is stale where the answer that it got is another one now, and only there: Python says which answers are."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mxlint.engine import check


@dataclass
class Pair:
    a: float
    b: int


SETUP = "from dataclasses import dataclass, replace\n\n\n@dataclass\nclass Pair:\n    a: float\n    b: int\n"


class Kind(NamedTuple):
    """A container: how it is made; statements that change it, or what its name means; what is computed from it, with what that asks."""

    start: str
    changes: tuple[str, ...]
    uses: dict[str, str]


KINDS = {
    "dict": Kind(
        "{'a': 2.0, 'b': 3}",
        (
            "c = {**c, 'n': 1}", "c = {'a': 2.0}", "c = {'b': 3, 'a': 2.0}", "c = {**c, 'a': 5.0}", "c = dict(c)", "c = {key: c[key] for key in c}",
            "c = c | {'b': 4}", "c = c.copy()", "c['n'] = 1", "c['b'] = 4", "c['b'] = 3", "c.clear()", "c.pop('b')", "c.popitem()", "del c['b']",
            "c.update(n=1)", "c.update({'n': 1})", "c.update([('n', 1)])", "c.setdefault('n', 1)", "c.setdefault('b', 1)", "c.get('n', 1)", "c |= {'n': 1}",
        ),
        {
            "c.get('a')": "c.get('a')", "len(c)": "len(c)", "c.get('n', 0)": "c.get('n', 0)", "('n' in c) + 1": "'n' in c", "('b' in c) + 1": "'b' in c",
            "sum(c.values())": "sorted(c.values())", "(list(c)[:1] == ['a']) + 1": "list(c)", "(2 if c else 1)": "bool(c)",
            "sum(v for v in c.values())": "list(c.values())", "sum(n for n, k in enumerate(c))": "list(c)",
        },
    ),
    "list": Kind(
        "[2.0, 3]",
        (
            "c = [*c, 1]", "c = c[:1]", "c = [5.0, 3]", "c = list(c)", "c = c[::-1]", "c = c + []", "c = [item + 1 for item in c]", "c.append(1)",
            "c.insert(0, 1)", "c.pop()", "c.pop(0)", "del c[1]", "c[1] = 5.0", "c[1] = 3", "c.clear()", "c.reverse()", "c.extend([1, 2])", "c += [1]",
            "c.sort()", "c.sort(reverse=True)", "c.remove(3)", "c[:] = [2.0, 3]", "c[:] = [1]",
        ),
        {
            "(c[0] if c else 1)": "c[:1]", "len(c)": "len(c)", "sum(c)": "sum(c)", "(5.0 in c) + 1": "5.0 in c", "(2 if c else 1)": "bool(c)",
            "sum(item for item in c)": "c", "sum(n for n, _ in enumerate(c))": "len(c)",
        },
    ),
    "set": Kind(
        "{2.0, 3}",
        ("c = set(c)", "c = c | {1}", "c = {2.0}", "c.add(1)", "c.add(3)", "c.discard(3)", "c.discard(7)", "c.clear()", "c.update({1})", "c.remove(3)"),
        {"len(c)": "len(c)", "(1 in c) + 1": "1 in c", "(2 if c else 1)": "bool(c)"},
    ),
    "tuple": Kind("(2.0, 3)", ("c = (*c, 1)", "c = (5.0, 3)", "c = tuple(c)", "c += (1,)"), {"sum(c)": "c", "c[0] + c[-1]": "c", "len(c)": "len(c)", "[*c][0]": "c"}),
    "instance": Kind(
        "Pair(2.0, 3)",
        ("c = replace(c)", "c = replace(c, a=5.0)", "c = Pair(2.0, 4)", "c = Pair(c.a, c.b)", "c.a = 5.0", "c.b = 3"),
        {"c.a": "c.a", "c.b": "c.b", "c.a + c.b": "(c.a, c.b)"},
    ),
}  # fmt: skip
CASES = [pytest.param(kind, change, id=change) for kind in KINDS.values() for change in kind.changes]
PLAIN = {"Pair": Pair, "replace": replace}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "change"), CASES)
def test_only_another_answer_is_stale(tmp_path: Path, kind: Kind, change: str) -> None:
    """Each use has a container of its own."""
    steps, calls, changes, expected = [], [], [], []
    for number, (use, asks) in enumerate(kind.uses.items()):
        names: dict[str, Any] = {**PLAIN, "c": eval(kind.start, PLAIN)}
        before = copy.deepcopy(eval(asks, names))
        exec(change, names)  # noqa: S102 a statement of the table above
        if eval(asks, names) != before:
            expected.append((f"c{number}", "MX209", "error"))
        named = [re.sub(r"\bc\b", f"c{number}", text) for text in (f"c = {kind.start}", use, change)]
        steps.append(f"{named[0]}\n\n\n@mx.compile\ndef step{number}(x):\n    return mx.exp(x * {named[1]}) + 1\n")
        calls.append(f"step{number}(mx.ones(3))")
        changes.append(named[2])
    module = tmp_path / "module.py"
    text = "\n".join(["import mlx.core as mx", SETUP, *steps, *calls, *changes, *calls, ""])
    module.write_text(text)
    lines = text.splitlines()
    found = [finding for finding in check((str(module),)).findings if finding.severity != "info"]
    named = [re.findall(r"\bc\d", lines[finding.span.start.row - 1])[0] for finding in found]
    assert list(zip(named, (finding.code for finding in found), (finding.severity for finding in found))) == expected
