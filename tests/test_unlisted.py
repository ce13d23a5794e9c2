"""Containers of unknown length that change in place: what is said of a trace that has read one, and what MLX and Python do.

Each program makes a container that is as long as the command line says, calls a compiled function that reads it, changes it, and calls the function again. A finding
that is sure is one at each length; where nothing is said, no call is ever stale.
"""

from __future__ import annotations

import importlib.util
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes

HEAD = """\
import collections
import heapq
import random
import sys
import mlx.core as mx

n = len(sys.argv) + 3
"""
MADE = {
    "a list so many times": "xs = [2, 1, 3] * n",
    "a comprehension": "xs = [(k * 7) % 5 for k in range(n)]",
    "a range": "xs = list(range(n))",
    "words": "xs = [float(w) for w in [str(k) for k in range(n)]]",
    "a loop": "xs = []\nfor k in range(n):\n    xs.append(k % 3)",
    "a deque": "xs = collections.deque(range(n))",
    "a set": "xs = set(range(n))",
}
READ = {
    "x * len(xs)": "len(xs)",
    "x * sum(xs)": "sorted(xs)",
    "x * max(xs)": "sorted(xs)",
    "x * sorted(xs)[1]": "sorted(xs)",
    "x * len(set(xs))": "sorted(xs)",
    "x * xs[0]": "xs[0]",
    "x * xs[-1]": "xs[-1]",
    "x * mx.array(list(xs))[:2].sum()": "list(xs)",
    "x if xs else -x": "bool(xs)",
    "x if 3 in xs else -x": "3 in xs",
    "x * sum(j * k for j, k in enumerate(xs))": "list(xs)",
}
"""What a compiled function gives, and what it takes of the container for that."""
CHANGES = (
    "xs.append(9)", "xs.append(3)", "xs.insert(0, 9)", "xs.pop()", "xs.pop(0)", "xs.extend([8, 9])", "xs += [4]", "xs *= 2", "xs.clear()",
    "xs.reverse()", "xs.sort()", "xs.sort(reverse=True)", "random.Random(0).shuffle(xs)", "heapq.heapify(xs)", "xs[0] = 9", "xs[n - 4] = 9", "xs[0] = 2",
    "del xs[0]", "del xs[1:3]", "xs[:] = [5, 6, 7]", "xs[:] = sorted(xs)", "xs.remove(1)", "xs.rotate(1)", "xs.appendleft(9)", "xs.popleft()",
    "xs.add(9)", "xs.add(1)", "xs.discard(1)", "xs.discard(99)", "xs |= {1, 2}", "xs.update([99])", "xs &= {1, 2}", "xs.append(7); xs.pop(0)",
    "xs.sort(); xs.reverse()", "xs.append(xs.pop(0))",
)  # fmt: skip
PAIRS = 60
LENGTHS = (0, 1, 2, 5)
"""How many arguments the command line has."""

CHILD = """
import collections, heapq, json, random, sys
import mlx.core as mx

def run(made, read, view, changes, extra):
    sys.argv = ["a"] * (extra + 1)
    names = {}
    exec(HEAD + made + "\\ndef plain(x):\\n    return " + read + "\\ndef view():\\n    return " + view + "\\n", names)
    step, x = mx.compile(names["plain"]), mx.array(3.0)
    before = step(x).item(), names["view"]()
    try:
        exec(changes, names)
        after, now = names["plain"](x).item(), names["view"]()
    except (IndexError, ValueError, KeyError, AttributeError, TypeError):
        return None
    return step(x).item() != after, before[1] != now

HEAD, programs, lengths = json.load(sys.stdin)
print(json.dumps([[run(*program, extra) for extra in lengths] for program in programs]))
"""


class Case(NamedTuple):
    made: str
    read: str
    changes: str

    @property
    def text(self) -> str:
        calls = "print(step(mx.array(3.0)))\n"
        return f"{HEAD}{MADE[self.made]}\n\n@mx.compile\ndef step(x):\n    return {self.read}\n\n{calls}{self.changes}\n{calls}"


def fits(made: str, text: str) -> bool:
    """Whether a container has what is done with it."""
    names = {
        "a deque": ("sort", "[:]", "pop(0)", "1:3", "heap"),
        "a set": ("[", "append", "pop", "sort(", "shuffle", "heap", "rotate", "*=", "+="),
    }
    only = {"a deque": ("rotate", "left"), "a set": ("add", "discard", "|=", "update", "&=")}
    without = any(word in text for word in names.get(made, ()))
    return not without and all(made == kind or not any(word in text for word in words) for kind, words in only.items())


def is_for(made: str, changes: str) -> bool:
    if made != "a set":
        return fits(made, changes)
    return changes in ("xs.clear()", "xs.remove(1)") or any(word in changes for word in ("add(", "discard", "|=", "update", "&="))


def cases() -> list[Case]:
    """All programs that change a container once, and some that do so twice."""
    once = [
        Case(made, read, changes)
        for made, read, changes in product(MADE, READ, CHANGES)
        if is_for(made, changes)
        and (made != "a set" or "[0]" not in read and "[-1]" not in read and "list" not in read and "enum" not in read)
    ]
    chosen = random.Random(0)
    twice = []
    while len(twice) < PAIRS:
        one, other = chosen.sample(once, 2)
        if one.made == other.made:
            twice.append(Case(one.made, one.read, f"{one.changes}; {other.changes}"))
    return [*once, *twice]


@cache
def said(case: Case) -> tuple[str, bool]:
    """How sure what is said of a program is ("" if nothing is), and whether the program was followed in full."""
    found = analyze(source_from_bytes(case.text.encode(), "main.py"), Project(), load_table())
    told = [str(finding.severity) for finding in found.findings if finding.code == "MX209"]
    return (told[0] if told else ""), all(site.followed == "full" for site in found.sites)


def done(cases: Sequence[Case]) -> list[list[tuple[bool, bool] | None]]:
    """Of each program, at each length: whether the second call is stale, and whether what the function takes of the container is another thing then."""
    programs = [(MADE[case.made], case.read, READ[case.read], case.changes) for case in cases]
    child = subprocess.run(
        [sys.executable, "-I", "-B", "-c", CHILD],
        input=json.dumps([HEAD, programs, LENGTHS]),
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=600,
    )
    assert child.returncode == 0, child.stderr
    return [[None if each is None else (each[0], each[1]) for each in row] for row in json.loads(child.stdout)]


@pytest.mark.mlx
@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mlx") is None or shutil.which("g++") is None, reason="needs MLX and a C++ compiler")
def test_what_is_said_is_what_mlx_does() -> None:
    alarms, missed = [], []
    for case, each in zip(programs := cases(), done(programs)):
        happened = [outcome for outcome in each if outcome is not None]
        severity, followed = said(case)
        if severity == "error" and ";" not in case.changes and not all(differs for _, differs in happened):
            alarms.append(case)
        if not severity and followed and any(stale for stale, _ in happened):
            missed.append(case)
    assert not alarms and not missed, (alarms, missed)
