"""Attributes that a class keeps by a protocol of its own: what is said of a trace that reads one, and what MLX does.

Each program has an object that keeps `rate` in some way, a compiled function that reads it, and something that is done to the object between two calls. A class
beside it does so in a library that nothing in sight calls, where a public method changes the object. Each runs under MLX with and without compilation.
"""

from __future__ import annotations

import importlib.util
import json
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

KEEPERS = {
    "plain": """
class Thing:
    def __init__(self):
        self.rate = 1.0
""",
    "class": """
class Thing:
    rate = 1.0
""",
    "slots": """
class Thing:
    __slots__ = ("rate", "other")

    def __init__(self):
        self.rate = 1.0
""",
    "dataclass": """
@dataclass
class Thing:
    rate: float = 1.0
""",
    "dataclass with slots": """
@dataclass(slots=True)
class Thing:
    rate: float = 1.0
""",
    "property": """
class Thing:
    def __init__(self):
        self._rate = 1.0

    @property
    def rate(self):
        return self._rate

    @rate.setter
    def rate(self, value):
        self._rate = value

    @rate.deleter
    def rate(self):
        self._rate = 5.0
""",
    "property over a dict": """
class Thing:
    def __init__(self):
        self.table = {"rate": 1.0}

    @property
    def rate(self):
        return self.table["rate"]

    @rate.setter
    def rate(self, value):
        self.table["rate"] = value
""",
    "descriptor": """
class Field:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, owner, cls):
        return owner.__dict__.get(self.name, 1.0)

    def __set__(self, owner, value):
        owner.__dict__[self.name] = value

    def __delete__(self, owner):
        owner.__dict__.pop(self.name, None)


class Thing:
    rate = Field()
""",
    "descriptor with a value of its own": """
class Field:
    def __init__(self, value):
        self.value = value

    def __get__(self, owner, cls):
        return self.value

    def __set__(self, owner, value):
        self.value = value


class Thing:
    rate = Field(1.0)
""",
    "descriptor that only reads": """
class Field:
    def __get__(self, owner, cls):
        return 2.0


class Thing:
    rate = Field()
""",
    "__getattr__ of a dict": """
class Thing:
    def __init__(self):
        self.__dict__["table"] = {"rate": 1.0}

    def __getattr__(self, name):
        try:
            return self.table[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self.table[name] = value

    def __delattr__(self, name):
        del self.table[name]
""",
    "__getattr__ for what is missing": """
class Thing:
    def __getattr__(self, name):
        if name == "rate":
            return 1.0
        raise AttributeError(name)
""",
    "__setattr__ that changes the value": """
class Thing:
    def __init__(self):
        self.rate = 1.0

    def __setattr__(self, name, value):
        super().__setattr__(name, value * 2)
""",
    "__setattr__ that sets twice": """
class Thing:
    def __init__(self):
        self.first = 1.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name != "rate":
            self.rate = value
""",
    "__getattribute__": """
class Inner:
    rate = 1.0


class Thing:
    def __init__(self):
        self.inner = Inner()

    def __getattribute__(self, name):
        if name in ("inner", "__dict__", "__class__"):
            return super().__getattribute__(name)
        return getattr(self.inner, name)

    def __setattr__(self, name, value):
        if name == "inner":
            super().__setattr__(name, value)
        else:
            setattr(self.inner, name, value)
""",
    "proxy": """
class Inner:
    def __init__(self):
        self.rate = 1.0


class Thing:
    def __init__(self):
        object.__setattr__(self, "_inner", Inner())

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def __setattr__(self, name, value):
        setattr(self._inner, name, value)

    def __delattr__(self, name):
        delattr(self._inner, name)
""",
    "own dict": """
class Thing(dict):
    def __init__(self):
        super().__init__(rate=1.0)
        self.__dict__ = self
""",
    "namespace": """
def Thing():
    return SimpleNamespace(rate=1.0)
""",
    "cached property": """
class Thing:
    source = 1.0

    @cached_property
    def rate(self):
        return self.source
""",
    "method that computes": """
class Thing:
    def __init__(self):
        self.base = 1.0

    @property
    def rate(self):
        return self.base + getattr(self, "more", 0.0)
""",
}
"""How an object keeps `rate`."""
CHANGES = (
    "o.rate = 3.0", 'setattr(o, "rate", 3.0)', 'o.__dict__["rate"] = 3.0', "o.rate += 1.0", 'object.__setattr__(o, "rate", 3.0)', "vars(o).update(rate=3.0)",
    "del o.rate", 'delattr(o, "rate")', "type(o).rate = 3.0", "o.rate = o.rate", "o.other = 3.0", 'for name in ("rate", "other"):\n    setattr(o, name, 3.0)',
    'o.__dict__.pop("rate", None)', "o.more = 2.0", 'o.table["rate"] = 3.0', "o.source = 3.0", "o._rate = 3.0", "o.rate = 1.0", "Thing.other = 2.0",
)  # fmt: skip
"""What is done between two calls. What Python refuses is left out."""
READS = (
    "x * o.rate", 'x * getattr(o, "rate")', 'x * getattr(o, "rate", 7.0)', 'x * vars(o).get("rate", 7.0)', 'x * (2.0 if hasattr(o, "rate") else 5.0)',
    'x * attrgetter("rate")(o)', 'x + len(vars(o))', 'x * o.__dict__["rate"]', "x * rate_of(o)", 'x * (2.0 if "rate" in vars(o) else 5.0)', "x * type(o).rate",
)  # fmt: skip
"""What the trace makes of it."""
IMPORTS = """\
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from types import SimpleNamespace

import mlx.core as mx

"""
SCRIPT = """

def rate_of(thing):
    return thing.rate


o = Thing()


@mx.compile
def step(x):
    return {read}


before = step(mx.ones(2))
{change}
after = step(mx.ones(2))
"""
LIBRARY = """

def rate_of(thing):
    return thing.rate


class User:
    def __init__(self):
        self.thing = Thing()
        self.step = mx.compile(self._step)

    def _step(self, x):
        o = self.thing
        return {read}

    def change(self):
        o = self.thing
{change}
"""
USE = """
user = User()
before = user.step(mx.ones(2))
{use}
after = user.step(mx.ones(2))
"""
SETS = "user.thing.rate = 9.0"
"""What whoever has the object may do besides, where the class says what becomes of that."""
CHILD = """
import json, sys
import mlx.core as mx

compiled = mx.compile

def given(text, compile):
    "What the second call gives; None where something raises."
    mx.compile = compile
    names = {"__name__": "__main__"}
    try:
        exec(text, names)
        return names["after"].tolist()
    except Exception as error:
        return None

print(json.dumps([[(given(text, compiled), given(text, lambda fun: fun)) for text in texts] for texts in json.load(sys.stdin)]))
"""


class Case(NamedTuple):
    keeper: str
    change: str
    read: str
    library: bool

    @property
    def text(self) -> str:
        change = self.change.replace("\n", "\n        ") if self.library else self.change
        form = LIBRARY if self.library else SCRIPT
        return IMPORTS + KEEPERS[self.keeper] + form.format(read=self.read, change=f"        {change}" if self.library else change)

    @property
    def runs(self) -> list[str]:
        """The program as it is used, and where others set the attribute, if that calls something of the class."""
        if not self.library:
            return [self.text]
        sets = any(name in KEEPERS[self.keeper] for name in ("def __set__", "def __setattr__", ".setter"))
        return [self.text + USE.format(use=use) for use in ("user.change()", *([SETS] if sets else []))]


DELETES = ("del o.rate", 'delattr(o, "rate")', 'o.__dict__.pop("rate", None)')
BY_DEFAULT = ("descriptor", "descriptor that only reads", "__getattr__ for what is missing", "cached property")


def cases() -> list[Case]:
    every = [Case(keeper, change, read, library) for keeper in KEEPERS for change in CHANGES for read in READS for library in (False, True)]
    return [case for case in every if not is_beyond(case)]


def is_beyond(case: Case) -> bool:
    """What is not told apart: whether what is put where nothing was, or left where something is deleted, is what was given for nothing; whether `hasattr` is true whatever
    `__getattr__` gives; a class that takes the place of its slot; the entries of an object that is its own dict."""
    return (
        case.keeper in BY_DEFAULT
        and case.change in ("o.rate = 1.0", "o.rate = o.rate", "type(o).rate = 3.0", *DELETES)
        or case.keeper == "dataclass"
        and case.change in DELETES
        or "hasattr" in case.read
        and "__getattr" in KEEPERS[case.keeper]
        or "slots" in case.keeper
        and case.change == "type(o).rate = 3.0"
        or case.keeper == "own dict"
        and case.change in DELETES
    )


def said(case: Case) -> tuple[bool, bool]:
    """Whether something is said of a program, and whether it was followed in full."""
    found = analyze(source_from_bytes(case.text.encode(), "main.py"), Project(), load_table())
    return any(finding.severity != "info" for finding in found.findings), all(site.followed == "full" for site in found.sites)


@pytest.mark.mlx
@pytest.mark.skipif(importlib.util.find_spec("mlx") is None or shutil.which("g++") is None, reason="needs MLX and a C++ compiler")
def test_what_is_said_of_an_attribute_is_what_mlx_makes_of_it() -> None:
    every = [case for case in cases() if is_taken(repr(case), 24)]
    child = subprocess.run(
        [sys.executable, "-I", "-B", "-c", CHILD],
        input=json.dumps([case.runs for case in every]),
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=600,
    )
    assert child.returncode == 0, child.stderr
    alarms, missed = [], []
    for case, runs in zip(every, json.loads(child.stdout)):
        if None in runs[0]:
            continue
        (found, followed), stale = said(case), [compiled != plain for compiled, plain in runs]
        if found and not any(stale):
            alarms.append(case)
        if stale[0] and not found and followed:
            missed.append(case)
    assert not alarms and not missed, (alarms, missed)
