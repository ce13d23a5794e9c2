"""Classes that nobody in sight uses: whether some order of calls of their public methods is stale under MLX, and whether it is said.

Each program is a class that reads an attribute in a compiled method, with one way to change it: by a setter, a property, a loop, before or after the call, for one call
alone, with a new compilation. A driver tries all orders of up to four calls, each beside the same class without compilation.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

import pytest
from sampling import is_taken

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes


class Kind(NamedTuple):
    """What an attribute may hold: at first, what is read of it, what changes it to something else, and what leaves the same. `S` stands for it."""

    first: str
    read: str
    changes: tuple[str, ...]
    same: tuple[str, ...]
    copied: str = "S"


class Way(NamedTuple):
    """How an attribute is changed: further methods of the class, and how a driver calls them with a number. `CHANGE` stands for the statement, `MAKE` for what compiles."""

    methods: str
    calls: tuple[str, ...]


KINDS = {
    "number": Kind("1.0", "x * S", ("S = v", "S += 1.0", "S = S * 2.0"), ("S = 1.0", "S = S", "S = S + 0.0")),
    "flag": Kind("True", "x if S else -x", ("S = not S", "S = False", "S = bool(v > 2)"), ("S = True",)),
    "text": Kind("'a'", "x if S == 'a' else -x", ("S = 'b'", "S = str(v)"), ("S = 'a'",)),
    "tuple": Kind("(1.0, 2.0)", "x * sum(S)", ("S = (v, 2.0)", "S = S + (v,)"), ("S = (1.0, 2.0)",)),
    "list": Kind("[1.0]", "x * sum(S)", ("S.append(v)", "S[0] = v", "S = [v]", "S.clear()"), ("S = [1.0]", "S = list(S)", "S[0] = 1.0"), "list(S)"),
    "length": Kind("[1.0]", "x * len(S)", ("S.append(v)", "S = [v, v]"), ("S[0] = v",), "list(S)"),
    "dict": Kind("{'k': 1.0, 'o': 2.0}", "x * S['k']", ("S['k'] = v", "S.update(k=v)", "S = {'k': v}"), ("S['o'] = v", "S = dict(S)", "S['n'] = v"), "dict(S)"),
    "array": Kind("mx.array(1.0)", "x * S", ("S = mx.array(v)", "S = S + 1.0", "S += 1.0"), ("S = S",)),
    "object": Kind("Config()", "x * S.v", ("S.v = v", "S = Config(v)"), ("S.w = v", "S.v = 1.0", "S = Config()")),
}  # fmt: skip
SETTER = "    def change(self, v):\n        CHANGE\n"
UNDER = "    def under(self, x, v):\n        old = COPIED\n        CHANGE\n        out = {call}\n        S = old\n        return out\n"
WAYS = {
    "none": Way("", ()),
    "setter": Way(SETTER, ("change({})",)),
    "private method that nothing calls": Way(SETTER.replace("change", "_change"), ()),
    "setter through a helper": Way("    def change(self, v):\n        self._put(v)\n\n    def _put(self, v):\n        CHANGE\n", ("change({})",)),
    "setter that compiles again": Way(f"{SETTER}        self._step = MAKE\n", ("change({})",)),
    "for one call alone": Way(UNDER.format(call="self(x)"), ("under(x, {})",)),
    "for one call of what is not compiled": Way(UNDER.format(call="self._forward(x)"), ("under(x, {})",)),
    "property": Way("    @property\n    def value(self):\n        return S\n\n    @value.setter\n    def value(self, v):\n        CHANGE\n", ("value = {}",)),
    "context manager": Way("    def __enter__(self):\n        v = 3.0\n        CHANGE\n        return self\n\n    def __exit__(self, *found):\n        pass\n", ("__enter__()",)),
    "loop": Way("    def fit(self, values):\n        for v in values:\n            CHANGE\n", ("fit([{}])",)),
    "loop that calls": Way(
        "    def fit(self, values):\n        out = 0\n        for v in values:\n            out = out + self(mx.array(v))\n            CHANGE\n        return out\n",
        ("fit([2.0, {}])",),
    ),
}  # fmt: skip
CALLS = {
    "": "        return self._step(x)\n",
    "before": "        v = 2.0\n        CHANGE\n        return self._step(x)\n",
    "after": "        out = self._step(x)\n        v = 2.0\n        CHANGE\n        return out\n",
    "at times": "        if v is not None:\n            CHANGE\n        return self._step(x)\n",
}
"""What the method that calls does beside it."""
MAKERS = ("mx.compile(self._forward)", "mx.compile(lambda x: self._forward(x))")
PROGRAM = """\
import mlx.core as mx


class Config:
    def __init__(self, v=1.0):
        self.v = v
        self.w = 0.0


class Model:
    def __init__(self):
        S = {first}
        self._step = MAKE

    def _forward(self, x):
        return {read}

    def __call__(self, x{parameter}):
{call}
{methods}"""

CHILD = """
import itertools, json, sys
import mlx.core as mx

compiled = mx.compile

def given(text, calls, compile):
    "What each call gives, one after the other."
    mx.compile = compile
    names, found = {}, []
    exec(text, names)
    names.update(model=names["Model"](), x=mx.array(2.0))
    for call in calls:
        try:
            exec(f"result = model.{call}" if " = " not in call else f"result = None; model.{call}", names)
        except Exception as error:
            names["result"] = type(error).__name__
        found.append(names["result"].item() if isinstance(names["result"], mx.array) else names["result"] if isinstance(names["result"], str) else None)
    return found

def is_stale(text, calls):
    orders = (order for length in (2, 3, 4) for order in itertools.product(calls, repeat=length))
    return any(given(text, order, compiled) != given(text, order, lambda fun: fun) for order in orders)

print(json.dumps([is_stale(*program) for program in json.load(sys.stdin)]))
"""


class Case(NamedTuple):
    kind: str
    way: str
    call: str
    change: str
    make: str

    @property
    def text(self) -> str:
        kind = KINDS[self.kind]
        text = PROGRAM.format(
            first=kind.first,
            read=kind.read,
            parameter=", v=None" if self.call == "at times" else "",
            call=CALLS[self.call],
            methods=WAYS[self.way].methods.replace("COPIED", kind.copied),
        )
        for name, stands_for in (("CHANGE", self.change), ("MAKE", self.make)):
            text = text.replace(name, stands_for)
        return re.sub(r"\bS\b", "self.s", text)

    @property
    def calls(self) -> list[str]:
        own = ["__call__(x, 3.0)", "__call__(x, 1.0)"] if self.call == "at times" else []
        return ["__call__(x)", *own, *(call.format(v) for call in WAYS[self.way].calls for v in (1.0, 3.0))]


def cases() -> list[Case]:
    made = []
    for name, kind in KINDS.items():
        for make in MAKERS:
            made += [Case(name, way, "", change, make) for way in WAYS for change in (*kind.changes, *kind.same)]
            made += [Case(name, "none", call, change, make) for call in CALLS if call for change in (*kind.changes, *kind.same)]
    return [case for case in made if not is_beyond(case)]


def is_beyond(case: Case) -> bool:
    """Whether a loop copies a container again and again: the items of the last copy are not compared with what was there."""
    return case.way.startswith("loop") and case.change == "S = dict(S)"


def said(case: Case) -> tuple[bool, bool]:
    """Whether something is said of a program, and whether it was followed in full."""
    found = analyze(source_from_bytes(case.text.encode(), "main.py"), Project(), load_table())
    return any(finding.severity != "info" for finding in found.findings), all(site.followed == "full" for site in found.sites)


@pytest.mark.mlx
@pytest.mark.skipif(importlib.util.find_spec("mlx") is None or shutil.which("g++") is None, reason="needs MLX and a C++ compiler")
def test_what_is_said_of_a_class_is_what_some_order_of_calls_does() -> None:
    every = [case for case in cases() if is_taken(repr(case), 6)]
    child = subprocess.run(
        [sys.executable, "-I", "-B", "-c", CHILD],
        input=json.dumps([(case.text, case.calls) for case in every]),
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=600,
    )
    assert child.returncode == 0, child.stderr
    alarms, missed = [], []
    for case, stale in zip(every, json.loads(child.stdout)):
        found, followed = said(case)
        if found and not stale:
            alarms.append(case)
        if stale and not found and followed:
            missed.append(case)
    assert not alarms and not missed, (alarms, missed)
