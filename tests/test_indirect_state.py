"""State that is set in one way and read in another: what MLX keeps of it, and what is said of it. They agree.

Each way to write is put together with each way to read the same thing. A program calls a compiled function that reads, writes, and calls it again.
Beside each stands one that writes something else, and another whose function is not compiled.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import textwrap
import types
from itertools import product
from typing import NamedTuple

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes


class Kind(NamedTuple):
    """A kind of state: what sets it up, how it is written and read. `N` stands for the name that is written. `line`: where it is read, if that is not
    where the compiled function asks."""

    setup: str
    writes: tuple[str, ...]
    reads: tuple[str, ...]
    line: str = ""


BOX = """
class Base:
    size = 1.0

class Box(Base):
    pass

box = Box()
"""
METHOD = """
class Base:
    def n(self):
        return 1.0

class Box(Base):
    pass

box = Box()
"""
TUPLES = """
from typing import NamedTuple

class State(NamedTuple):
    n: float = 1.0
    other: float = 2.0

    def own(self):
        return self.n

class Box:
    @property
    def now(self):
        return self.s

def first(pair):
    n, _, _ = pair
    return n

box = Box()
box.s = State()
t = (1.0, 2.0, (3.0, 4.0))
"""
CONTAINERS = """
import copy
import json
import math

l, d, s, t, i = [1.0, 2.0], {'n': 2}, {1, 2}, ['a', 'b'], [[1.0]]
"""
KINDS = {
    "attribute": Kind(
        BOX + "box.n = 1.0",
        (
            "box.N = 3.0",
            "setattr(box, 'N', 3.0)",
            "box.__dict__['N'] = 3.0",
            "vars(box)['N'] = 3.0",
            "vars(box).update(N=3.0)",
            "box.__dict__.update({'N': 3.0})",
            "d = vars(box)\nd['N'] = 3.0",
            "object.__setattr__(box, 'N', 3.0)",
        ),
        ("box.n", "getattr(box, 'n')", "getattr(box, 'n', 0.5)", "box.__dict__['n']", "vars(box)['n']", "vars(box).get('n', 0.5)"),
    ),
    "attribute that is not there at first": Kind(
        BOX,
        ("box.N = 3.0", "setattr(box, 'N', 3.0)", "vars(box)['N'] = 3.0", "vars(box).setdefault('N', 3.0)", "Box.N = 3.0", "Base.N = 3.0"),
        ("getattr(box, 'n', 0.5)", "(box.n if hasattr(box, 'n') else 0.5)"),
    ),
    "attribute of a class": Kind(
        BOX + "Base.n = 1.0",
        ("Base.N = 3.0", "Box.N = 3.0", "box.N = 3.0", "type(box).N = 3.0", "setattr(Base, 'N', 3.0)", "box.__class__.N = 3.0"),
        ("box.n", "type(box).n", "Box.n", "getattr(box, 'n', 0.5)"),
    ),
    "name of a module": Kind(
        "import sys\nn = 1.0\nthis = sys.modules[__name__]",
        (
            "def set():\n    global N\n    N = 3.0\nset()",
            "globals()['N'] = 3.0",
            "globals().update(N=3.0)",
            "setattr(sys.modules[__name__], 'N', 3.0)",
            "sys.modules[__name__].N = 3.0",
            "this.N = 3.0",
            "vars(this)['N'] = 3.0",
        ),
        ("n", "globals()['n']", "this.n", "getattr(sys.modules[__name__], 'n')"),
    ),
    "entry of a dict": Kind(
        "d = {'n': 1.0}",
        (
            "d['N'] = 3.0",
            "d.update(N=3.0)",
            "d.update([('N', 3.0)])",
            "d.update({'N': 3.0})",
            "d |= {'N': 3.0}",
            "d.update(dict(N=3.0))",
        ),
        ("d['n']", "d.get('n', 0.5)", "dict(d)['n']", "{**d}['n']", "d.copy()['n']", "(d['n'] if 'n' in d else 0.5)"),
    ),
    "entry that is not there at first": Kind(
        "d = {}",
        ("d['N'] = 3.0", "d.setdefault('N', 3.0)", "d.update(N=3.0)"),
        ("d.get('n', 0.5)", "(d['n'] if 'n' in d else 0.5)"),
    ),
    "entries of a dict": Kind(
        "d = {'n': 1.0}",
        ("d['n'] = 3.0", "d['m'] = 3.0", "del d['n']", "d.clear()", "d.pop('n')", "d.update(n=2.0, m=3.0)"),
        ("sum(d.values())", "sum(v for _, v in d.items())", "sum([d[k] for k in d])", "(lambda n=0.5, m=0.5: n + m)(**d)"),
    ),
    "count": Kind(
        "from collections import Counter, defaultdict\nd = Counter(n=1)",
        ("d['N'] += 1", "d.update(['N'])", "d.update(N=2)", "d.subtract(['N'])", "d.update({'N': 2})"),
        ("d['n']", "d.get('n', 5)"),
    ),
    "whether anything is in a container": Kind(
        "l, d, s = [], {}, set()",
        ("l.append('n')\nd['n'] = 1\ns.add('n')", "l.extend(['n'])\nd.update(n=1)\ns.update(['n'])"),
        tuple(f"({test} if {held} else 0.5)" for held, test in product("lds", ("2.0",))),
    ),
    "whether something is in a container": Kind(
        "l, d, s = ['a'], {'a': 1}, {'a'}",
        ("l.append('N')\nd['N'] = 1\ns.add('N')", "l.insert(0, 'N')\nd.update(N=1)\ns |= {'N'}"),
        tuple(f"(2.0 if 'n' in {held} else 0.5)" for held in "lds"),
    ),
    "length": Kind(
        "l, d, s = ['a'], {'a': 1}, {'a'}",
        ("l.append('n')\nd['n'] = 1\ns.add('n')", "l.pop()\nd.popitem()\ns.pop()", "del l[0]\ndel d['a']\ns.discard('a')"),
        tuple(f"len({held})" for held in "lds"),
    ),
    "method": Kind(
        METHOD,
        (
            "Base.N = lambda self: 3.0",
            "Box.N = lambda self: 3.0",
            "setattr(Base, 'N', lambda self: 3.0)",
            "type(box).N = lambda self: 3.0",
            "box.N = lambda: 3.0",
            "def three(self):\n    return 3.0\nBase.N = three",
        ),
        ("box.n()", "Box.n(box)", "getattr(box, 'n')()", "super(Box, box).n()"),
    ),
    "special method": Kind(
        "class Base:\n    def __call__(self, key=None):\n        return 1.0\n    __getitem__ = __len__ = __call__\nclass Box(Base):\n    pass\nn, other = Box(), Base()",
        (
            "type(N).__call__ = lambda self: 3.0",
            "type(N).__getitem__ = lambda self, key: 3.0",
            "setattr(type(N), '__getitem__', lambda self, key: 3.0)",
        ),
        ("n()", "n['a']", "type(n)()()"),
    ),
    "property": Kind(
        "class Base:\n    @property\n    def n(self):\n        return 1.0\nclass Box(Base):\n    pass\nbox = Box()",
        (
            "Base.N = property(lambda self: 3.0)",
            "Box.N = property(lambda self: 3.0)",
            "Box.N = 3.0",
            "setattr(Base, 'N', property(lambda self: 3.0))",
        ),
        ("box.n", "getattr(box, 'n')", "getattr(box, 'n', 0.5)"),
    ),
    "default of a parameter": Kind(
        "def n(a=1.0, *, m=2.0):\n    return a + m\ndef other(a=1.0, *, m=2.0):\n    return a + m",
        ("N.__defaults__ = (3.0,)", "N.__kwdefaults__ = {'m': 3.0}", "N.__defaults__ = (1.0,)"),
        ("n()", "n(m=4.0)", "n(5.0)"),
        "def n(a=1.0, *, m=2.0):",
    ),
    "default that holds something": Kind(
        "held = [1.0]\ndef g(a=held, b={'n': 1.0}):\n    return a[0] + b['n']",
        ("held[0] = 3.0", "g.__defaults__[1]['N'] = 3.0", "held.append(2.0)"),
        ("g()", "g([1.0])", "g(b={'n': 2.0})"),
        "    return a[0] + b['n']",
    ),
    "all of a container": Kind(
        CONTAINERS,
        (
            "l[0] = 3.0",
            "l[0] = 1.0",
            "l.append(5.0)",
            "d['n'] = 30",
            "d['m'] = 3",
            "del d['n']",
            "d['n'] = 2",
            "t[1] = 'cc'",
            "s.add(20)",
            "s.add(2)",
            "i[0][0] = 4.0",
        ),
        (
            "math.prod(l)",
            "sum(map(ord, repr(l)))",
            "sum(map(ord, f'{d}'))",
            "sum(map(ord, '%s' % (s,)))",
            "sum(map(ord, '{}'.format(d)))",
            "sum(map(ord, json.dumps(d)))",
            "sum(map(ord, '-'.join(t)))",
            "(2.0 if l == [1.0, 2.0] else 0.5)",
            "(2.0 if d == {'n': 2} else 0.5)",
            "(2.0 if s != {1, 2} else 0.5)",
            "(2.0 if l <= [1.0, 2.0] else 0.5)",
            "(2.0 if s <= {1, 2} else 0.5)",
            "sum(sorted(l))",
            "max(l)",
            "next(iter(l))",
            "next(iter(i))[0]",
            "next(iter(d.values()), 0.5)",
            "next(iter(d.items()), (0, 0.5))[1]",
            "len(next(iter(d), 'long'))",
            "sum(i[0] + l)",
            "sum(l * 2)",
            "copy.copy(l)[0]",
            "copy.deepcopy(i)[0][0]",
            "copy.deepcopy(d).get('n', 0.5)",
            "len(copy.copy(d))",
            "(2.0 if copy.deepcopy(i) == [[1.0]] else 0.5)",
        ),
    ),
    "what is asked of a container": Kind(
        "l, t, n = ['a', 'b'], ['x', 'yy'], [3, 1, 2]",
        (
            "l.append('c')",
            "l.insert(0, 'N')",
            "l.append('b')",
            "l.reverse()",
            "l[1] = 'c'\nl.append('b')",
            "l.pop(0)",
            "t[0] = 'z'",
            "t.pop()",
            "n[0] = 1",
            "n.sort()",
        ),
        ("l.index('b')", "l.count('b')", "(2.0 if '-'.join(t) == 'x-yy' else 0.5)", "n.index(1)", "n.count(1)"),
    ),
    "all attributes of an object": Kind(
        "from dataclasses import asdict, astuple, dataclass, fields, replace\n@dataclass\nclass Box:\n    n: float = 1.0\n    m: float = 2.0\nbox, other = Box(), Box()",
        ("box.n = 3.0", "box.n = 1.0", "box.m = 3.0", "vars(box)['m'] = 3.0", "other.m = 3.0"),
        (
            "sum(vars(box).values())",
            "sum(v for _, v in vars(box).items())",
            "sum(box.__dict__.values())",
            "asdict(box)['n']",
            "sum(astuple(box))",
            "sum(getattr(box, field.name) for field in fields(box))",
            "replace(box, n=5.0).m",
            "(2.0 if box == other else 0.5)",
            "sum(map(ord, repr(box)))",
        ),
    ),
    "entry of a dict that is read through another mapping": Kind(
        "import types\nd = {'n': 1.0}\np = types.MappingProxyType(d)",
        ("d['N'] = 3.0", "d.update(N=3.0)", "d.pop('n')", "d['n'] = 1.0"),
        ("p.get('n', 0.5)", "(2.0 if 'n' in p else 0.5)", "(p['n'] if 'n' in p else 0.5)"),
    ),
    "some entries of a dict": Kind(
        "d = {'n': 1.0, 'seen': 0, 'm': 2.0}\nclass Box:\n    pass\nbox = Box()\nvars(box).update(d)",
        (
            "d['n'] = 3.0\nbox.n = 3.0",
            "d['seen'] = 5\nbox.seen = 5",
            "d['seen'] = 'a'\nbox.seen = 'a'",
            "d['m'] = 3\nbox.m = 3",
            "d['m'] = 4.0\nbox.m = 4.0",
        ),
        (
            "sum(v for k, v in d.items() if k != 'seen')",
            "sum([v for k, v in d.items() if k in ('n', 'seen') and k != 'seen'])",
            "sum(v for v in d.values() if isinstance(v, float))",
            "sum(1.0 for k, v in d.items() if isinstance(v, str) or k == 'n')",
            "{k: v for k, v in d.items()}['n']",
            "{k: v for k, v in d.items() if k != 'seen'}['m']",
            "{k: v for k, v in vars(box).items()}.get('n', 0.5)",
            "(2.0 if {k: v for k, v in d.items()} == {'n': 1.0, 'seen': 0, 'm': 2.0} else 0.5)",
            "sum({k: v for k, v in vars(box).items() if not k.startswith('s')}.values())",
            "sum(v for v in vars(box).values() if isinstance(v, float))",
            "sum(v if k == 'm' else 0.0 for k, v in box.__dict__.items())",
        ),
    ),
    "part of a tuple": Kind(
        TUPLES,
        (
            "box.s = box.s._replace(N=3.0)\nt = (t[0], 7.0, t[2])",
            "t = (5.0, *t[1:])",
            "t = (*t[:2], (3.0, 5.0))",
            "box.s = State(*box.s)",
            "for k in range(99):\n    t = (t[0], t[1] + k, t[2])",
            "for k in range(99):\n    box.s = box.s._replace(N=box.s.N + k)",
        ),
        (
            "box.s.n",
            "box.s[0]",
            "box.now.n",
            "getattr(box.s, 'n')",
            "(lambda s: s.n)(box.s)",
            "(box.s if box else t).n",
            "sum(box.s)",
            "t[0]",
            "t[2][1]",
            "t[-1][0]",
            "sum(t[:2])",
            "(0.5 if box.s is None else 2.0)",
        ),
    ),
    "part of a tuple that a function takes out": Kind(
        TUPLES,
        ("t = (5.0, *t[1:])", "t = (t[0], 5.0, 6.0)", "t = (*t[:2], t)", "t = (5.0, 6.0)[:0] + (7.0, 8.0, 9.0)"),
        ("first(t)", "(lambda pair: first(pair))(t)"),
        "    n, _, _ = pair",
    ),
    "parts of a tuple that several names take": Kind(
        TUPLES + "\ndef parts():\n    n, _, (m, *rest) = t\n    return n * m\n",
        ("t = (5.0, *t[1:])", "t = (t[0], 5.0, t[2])", "t = (*t[:2], (6.0, 7.0))"),
        ("parts()",),
        "    n, _, (m, *rest) = t",
    ),
    "field of a tuple that a method reads": Kind(
        TUPLES,
        ("box.s = box.s._replace(N=3.0)", "box.s = State(box.s.n, 5.0)", "box.s = State(other=4.0)", "box.s = State(3.0)"),
        ("box.s.own()", "State.own(box.s)", "box.now.own()"),
        "        return self.n",
    ),
    "start of a list": Kind(
        "import itertools\nl, d = [1.0, 2.0], {'a': 1.0, 'b': 2.0}",
        (
            "l.append(3.0)\nd['c'] = 3.0",
            "l += [4.0, 5.0]\nd.update(c=0.0)",
            "for k in range(99):\n    l.append(k)",
            "l[1] = 4.0\nd['b'] = 4.0",
            "l.insert(0, 5.0)\nd['a'] = 5.0",
            "l.pop()",
        ),
        (
            "l[0]",
            "sum(l[:1])",
            "sum(l[0:2])",
            "l[-1]",
            "next(iter(l))",
            "sum(a * b for a, b in zip(l, (1.0, 2.0)))",
            "sum(itertools.islice(l, 1, 2))",
            "next(v for v in l if v > 0.5)",
            "next(v for k, v in d.items() if k == 'a')",
        ),
    ),
    "keys in any order": Kind(
        "d = {'a': 1.0, 'b': 2.0}",
        ("d['a'] = d.pop('a')", "d['c'] = 3.0", "d.pop('b')", "d['b'] = 5.0"),
        (
            "float(''.join(str(ord(k)) for k in sorted(d)))",
            "sorted(d.values())[-1]",
            "max(d[k] for k in sorted(d.keys()))",
            "sorted(d.items())[-1][1]",
        ),
    ),
    "what decides for all of a container": Kind(
        "l, d = [0.0, 1.0, 0.0], {'a': 0.0, 'b': 1.0, 'c': 0.0}",
        (
            "l.append(5.0)\nd['d'] = 5.0",
            "l[2] = 9.0\nd['c'] = 9.0",
            "l[1] = 0.0\nd['b'] = 0.0",
        ),
        (
            "(2.0 if any(l) else 0.5)",
            "(2.0 if any(v > 0.5 for v in l) else 0.5)",
            "(2.0 if all(not v for v in l) else 0.5)",
            "(2.0 if any(d.values()) else 0.5)",
            "(2.0 if any(v == 1.0 for v in d.values()) else 0.5)",
            "(2.0 if any(v for k, v in d.items()) else 0.5)",
        ),
    ),
    "keys that are equal": Kind(
        "d = {1: 1.0, 0.0: 2.0}",
        (
            "d[1.0] = 3.0",
            "d[True] = 3.0",
            "d[0] = 3.0",
            "d[False] = 3.0",
            "del d[True]",
            "d.update({1.0: 3.0})",
            "d.pop(0)",
            "d.setdefault(True, 3.0)",
        ),
        ("d.get(1, 0.5)", "d.get(True, 0.5)", "d.get(1.0, 0.5)", "len(d)", "(2.0 if 0 in d else 0.5)", "d.get(0, 0.5)", "sum(d.values())"),
    ),
}
"""By what they are called."""


def program(kind: Kind, write: str, read: str, name: str, decorator: str = "@mx.compile") -> str:
    """A program that reads in a compiled function, writes `name`, and reads again."""
    return "\n".join((
        "import mlx.core as mx", kind.setup, decorator, "def f(x):", f"    return x * {read}", "y = f(mx.ones(2))", write.replace("N", name),
        "y = f(mx.ones(2)).tolist()",
    ))  # fmt: skip


CASES = [(name, write) for name, kind in KINDS.items() for write in kind.writes]
OTHERS = ("n", "other")
"""What is written: what is read, and something else."""


def changes(kind: Kind, write: str, read: str, name: str) -> bool:
    """Whether Python finds something else after the write."""
    module = sys.modules["program"] = types.ModuleType("program")
    names = module.__dict__
    exec(kind.setup, names)  # noqa: S102
    before = eval(read, names)
    exec(write.replace("N", name), names)  # noqa: S102
    return bool(eval(read, names) != before)


def said(text: str) -> list[tuple[str, int]]:
    """The stale reads that are found in a program, with their rows."""
    found = analyze(source_from_bytes(text.encode(), "program.py"), Project(), load_table()).findings
    return [(finding.code, finding.span.start.row) for finding in found if finding.code in ("MX201", "MX206", "MX209")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "write"), [pytest.param(*case, id=": ".join(case)) for case in CASES])
def test_what_is_written_in_one_way_is_stale_where_it_is_read_in_another(name: str, write: str) -> None:
    kind = KINDS[name]
    wrong = []
    for read, other in product(kind.reads, OTHERS):
        text = program(kind, write, read, other)
        row = text.splitlines().index(kind.line or f"    return x * {read}") + 1
        if (found := said(text)) != ([("MX209", row)] if changes(kind, write, read, other) else []):
            wrong.append((read, other, found))
    assert wrong == []


RUN = """
import json, sys, types
import mlx.core as mx
mx.eval(mx.ones(1) + 1)
def run(text):
    module = sys.modules["program"] = types.ModuleType("program")
    exec(text, module.__dict__)
    return module.y
print(json.dumps([[run(text), run(plain)] for text, plain in json.load(sys.stdin)]))
"""


@pytest.mark.mlx
@pytest.mark.skipif(importlib.util.find_spec("mlx") is None, reason="needs MLX")
def test_mlx_keeps_what_is_said_to_be_kept_and_nothing_else() -> None:
    given = [
        [program(KINDS[name], write, read, other), program(KINDS[name], write, read, other, "")]
        for name, write in CASES
        for read, other in product(KINDS[name].reads, OTHERS)
    ]
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(RUN)], input=json.dumps(given), capture_output=True, text=True, check=True)
    found = {text: compiled != plain for (text, _), (compiled, plain) in zip(given, json.loads(done.stdout), strict=True)}
    assert [text for text, kept in found.items() if kept != bool(said(text))] == []
    assert {True, False} == set(found.values())
