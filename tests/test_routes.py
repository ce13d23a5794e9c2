"""Numbers on their way to a compiled function: one that is another one in each round is MX303, however it gets there, and one that is not never is.

Each source of a number, one line of `OTHERS` or of `FEW`, goes through each route to a call. Under MLX the compiled functions are traced as often as that says. Without
`MXLINT_ROUTES=1` each source takes some of the routes, and other sources take others.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes


class Source(NamedTuple):
    """Where a number comes from: what stands before the loop, the loop, the number, and what stands at the beginning and at the end of its body."""

    before: str
    loop: str
    number: str
    first: str = ""
    last: str = ""


PRELUDE = """\
import copy, functools, itertools, random, time, operator
from collections import deque, namedtuple, OrderedDict, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, replace, field
import mlx.core as mx

x = mx.ones(2)
Point = namedtuple("Point", "n m")


class Box:
    def __init__(self, n):
        self.n = n

    @property
    def value(self):
        return self.n

    def run(self, step):
        return step(x, self.n)

    def __call__(self):
        return self.n


@dataclass
class Data:
    n: float = 0
    m: int = 1


@contextmanager
def given(v):
    yield v


def same(v):
    return v


def gen(v):
    yield v
"""
OTHERS: Final[Mapping[str, Source]] = {
    "a loop": Source("", "for n in range(30):", "n"),
    "a counter": Source("n = 0", "while n < 30:", "n", "", "n += 1"),
    "an attribute": Source("o = Box(0)", "for _ in range(30):", "o.n", "o.n += 1"),
    "an entry of a dict": Source("o = {'n': 0}", "for _ in range(30):", "o['n']", "o['n'] += 1"),
    "an item of a list": Source("o = [0]", "for _ in range(30):", "o[0]", "o[0] += 1"),
    "a rate that falls": Source("r = 1.0", "for _ in range(30):", "r", "r *= 0.9"),
    "a list that a comprehension makes": Source("items = [i * 0.5 for i in range(30)]", "for v in items:", "v"),
    "a list that a loop fills": Source("items = []\nfor i in range(30):\n    items.append(i * 3)", "for v in items:", "v"),
    "an item at an index": Source("items = [i * 0.5 for i in range(30)]", "for k in range(len(items)):", "items[k]"),
    "objects in a list": Source("items = [Box(i * 0.5) for i in range(30)]", "for o in items:", "o.n"),
    "a dict, by its items": Source("items = {f'k{i}': i * 2 for i in range(30)}", "for k, v in items.items():", "v"),
    "a dict, by its keys": Source("items = {f'k{i}': i * 2 for i in range(30)}", "for k in items:", "items[k]"),
    "itertools.count": Source("it = itertools.count()", "for _ in range(30):", "n", "n = next(it)"),
    "a zip of itertools.count": Source("", "for n, _ in zip(itertools.count(), range(30)):", "n"),
    "a generator": Source("def source():\n    for i in range(30):\n        yield i * 2", "for n in source():", "n"),
    "a generator that is asked": Source("def source():\n    i = 0\n    while True:\n        yield i\n        i += 1\ns = source()", "for _ in range(30):", "n", "n = next(s)"),
    "a closure that counts": Source("def make():\n    c = 0\n    def tick():\n        nonlocal c\n        c += 1\n        return c\n    return tick\ntick = make()", "for _ in range(30):", "n", "n = tick()"),
    "a global that a function counts": Source("N = 0\ndef tick():\n    global N\n    N += 1\n    return N", "for _ in range(30):", "n", "n = tick()"),
    "an array that rounds change": Source("a = mx.array(0.0)", "for _ in range(30):", "n", "a = a + 1\nn = a.item()"),
    "the length of a list": Source("items = []", "for _ in range(30):", "len(items)", "items.append(1)"),
    "the last item of a list and one": Source("items = [0]", "for _ in range(30):", "items[-1]", "items.append(items[-1] + 1)"),
    "a list that is emptied": Source("items = list(range(30))", "while items:", "n", "n = items.pop()"),
    "a deque that is emptied": Source("items = deque(range(30))", "while items:", "n", "n = items.popleft()"),
    "enumerate": Source("", "for n, _ in enumerate(range(30)):", "n"),
    "a draw": Source("", "for _ in range(30):", "n", "n = random.random()"),
    "the time": Source("", "for _ in range(30):", "n", "n = time.time()"),
    "a state in a tuple": Source("s = (0, 1)", "for _ in range(30):", "s[0]", "s = (s[0] + 1, s[1])"),
    "a state in a namedtuple": Source("s = Point(0, 1)", "for _ in range(30):", "s.n", "s = s._replace(n=s.n + 1)"),
    "a state in a dataclass": Source("s = Data()", "for _ in range(30):", "s.n", "s = replace(s, n=s.n + 1)"),
    "a range, reversed": Source("", "for n in reversed(range(30)):", "n"),
    "a set, sorted": Source("", "for n in sorted({i * 2 for i in range(30)}):", "n"),
    "map": Source("", "for n in map(lambda i: i * 3, range(30)):", "n"),
    "filter": Source("", "for n in filter(lambda i: i % 2, range(60)):", "n"),
    "itertools.accumulate": Source("", "for n in itertools.accumulate(range(30)):", "n"),
    "itertools.product": Source("", "for n, _ in itertools.product(range(30), (1,)):", "n"),
    "itertools.islice": Source("", "for n in itertools.islice(itertools.count(5), 30):", "n"),
    "itertools.takewhile": Source("", "for n in itertools.takewhile(lambda i: i < 30, itertools.count()):", "n"),
    "objects in a dict": Source("items = {i: Box(i * 2) for i in range(30)}", "for k, o in items.items():", "o.n"),
    "dicts in a list": Source("items = [{'n': i * 2} for i in range(30)]", "for r in items:", "r['n']"),
    "a linked list": Source("head = None\nfor i in range(30):\n    head = Data(i * 2, head)\nnode = head", "while node is not None:", "n", "n = node.n\nnode = node.m"),
    "a stack": Source("stack = [0]", "while stack and stack[-1] < 30:", "n", "n = stack.pop()\nstack.append(n + 1)"),
    "a counter in the test": Source("n = 0", "while (n := n + 1) < 30:", "n"),
    "loops in each other": Source("", "for a in range(3):\n    for b in range(20):", "a * 20 + b"),
    "a class that counts": Source("class Counter:\n    n = 0\n    @classmethod\n    def tick(cls):\n        cls.n += 1\n        return cls.n", "for _ in range(30):", "n", "n = Counter.tick()"),
    "a property that counts": Source("class C:\n    def __init__(self):\n        self.k = 0\n    @property\n    def n(self):\n        self.k += 1\n        return self.k\nc_ = C()", "for _ in range(30):", "n", "n = c_.n"),
    "an object that counts its calls": Source("class C:\n    def __init__(self):\n        self.k = 0\n    def __call__(self):\n        self.k += 1\n        return self.k\nc_ = C()", "for _ in range(30):", "n", "n = c_()"),
    "an iterator of the program": Source("class C:\n    def __init__(self):\n        self.k = 0\n    def __iter__(self):\n        return self\n    def __next__(self):\n        self.k += 1\n        if self.k > 30:\n            raise StopIteration\n        return self.k", "for n in C():", "n"),
    "a context manager": Source("from contextlib import nullcontext", "for k in range(30):", "n", "with nullcontext(k) as n:\n    pass"),
    "a counter that goes down": Source("n = 100", "for _ in range(30):", "n", "n -= 3"),
    "Fibonacci numbers": Source("prev, n = 0, 1", "for _ in range(25):", "n", "prev, n = n, prev + n"),
    "the largest so far": Source("n = 0", "for k in range(30):", "n", "n = max(n, k)"),
    "powers": Source("", "for k in range(30):", "n", "n = 2 ** k"),
    "a linear schedule": Source("", "for k in range(30):", "n", "n = 1.0 + (0.1 - 1.0) * k / 29"),
}  # fmt: skip
"""Sources of another number in each of many rounds."""
FEW: Final[Mapping[str, Source]] = {
    "a name": Source("n = 3", "for _ in range(30):", "n"),
    "an attribute": Source("o = Box(3)", "for _ in range(30):", "o.n"),
    "an entry of a dict": Source("o = {'n': 3}", "for _ in range(30):", "o['n']"),
    "an attribute that is put back": Source("o = Box(3)", "for _ in range(30):", "o.n", "o.n += 1\no.n -= 1"),
    "an attribute that is set anew": Source("o = Box(3)", "for _ in range(30):", "o.n", "o.n = 3"),
    "a list of one number": Source("items = [3 for i in range(30)]", "for v in items:", "v"),
    "objects with one number": Source("items = [Box(3) for i in range(30)]", "for o in items:", "o.n"),
    "a remainder": Source("", "for k in range(30):", "n", "n = k % 2"),
    "one of two by the round": Source("", "for k in range(30):", "n", "n = 1 if k < 5 else 2"),
    "itertools.cycle": Source("it = itertools.cycle([1, 2])", "for _ in range(30):", "n", "n = next(it)"),
    "itertools.repeat": Source("", "for n in itertools.repeat(3, 30):", "n"),
    "a generator of one number": Source("def source():\n    for i in range(30):\n        yield 3", "for n in source():", "n"),
    "two that are swapped": Source("n, m = 1, 2", "for _ in range(30):", "n", "n, m = m, n"),
    "a large bucket": Source("", "for k in range(30):", "n", "n = k // 1000"),
    "what is bounded": Source("", "for k in range(30):", "n", "n = min(k, 1)"),
    "a counter that stays at its bound": Source("n = 0", "for k in range(30):", "n", "n = min(n + 1, 3)"),
    "the first item of a list that grows": Source("o = [3]", "for _ in range(30):", "o[0]", "o.append(1)"),
    "the length of a list that is as long again": Source("o = []", "for _ in range(30):", "len(o)", "o.append(1)\no.pop()"),
    "dicts with one number": Source("items = [{'n': 3} for i in range(30)]", "for r in items:", "r['n']"),
    "an array that stays": Source("a = mx.array(3.0)", "for _ in range(30):", "n", "n = a.item()"),
    "a length": Source("", "for _ in range(30):", "n", "x2 = x * 2\nn = x2.shape[0]"),
    "the other half of a state": Source("s = (0, 3)", "for _ in range(30):", "s[1]", "s = (s[0] + 1, s[1])"),
    "what is set once": Source("n = None", "for k in range(30):", "n", "n = 3 if n is None else n"),
    "a flag as a number": Source("", "for k in range(30):", "n", "n = int(k > 3)"),
    "a table of two": Source("table = {'a': 1, 'b': 2}", "for k in range(30):", "n", "n = table['a' if k % 2 else 'b']"),
    "the first item": Source("items = [i * 0.5 for i in range(30)]", "for v in items:", "items[0]"),
    "a closure that counts nothing": Source("def make():\n    c = 3\n    def tick():\n        return c\n    return tick\ntick = make()", "for _ in range(30):", "n", "n = tick()"),
    "a bit that flips": Source("n = 0", "for _ in range(30):", "n", "n ^= 1"),
    "a sign that flips": Source("n = 1", "for _ in range(30):", "n", "n = -n"),
    "a number that two rounds give back": Source("n = 1", "for _ in range(30):", "n", "n = 3 - n"),
    "what is halved down to a bound": Source("n = 64", "for _ in range(30):", "n", "n = max(n // 2, 8)"),
    "the sign of the round": Source("", "for k in range(-15, 15):", "n", "n = (k > 0) - (k < 0)"),
    "what is rounded": Source("", "for k in range(30):", "n", "n = round(k / 60)"),
    "what is cut to an int": Source("", "for k in range(30):", "n", "n = int(k / 100)"),
    "the last bit": Source("", "for k in range(30):", "n", "n = k & 1"),
}  # fmt: skip
"""Sources of a few numbers, in all rounds together."""
ROUTES: Final[Mapping[str, str]] = {
    "plain": "S(x, V)",
    "star": "S(*(x, V))",
    "kw": "S(x, **{'n': V})",
    "named": "S(x, n=V)",
    "attr": "rb = Box(V)\nS(x, rb.n)",
    "property": "S(x, Box(V).value)",
    "method": "Box(V).run(S)",
    "callable": "S(x, Box(V)())",
    "dict": "rd = {'n': V}\nS(x, rd['n'])",
    "list": "rl = [V]\nS(x, rl[0])",
    "tuple": "ra, rb = V, 1\nS(x, ra)",
    "lambda": "(lambda rv: S(x, rv))(V)",
    "helper": "S(x, same(V))",
    "partial": "functools.partial(S, x)(V)",
    "max": "S(x, max(V, -1))",
    "plus": "S(x, V + 1)",
    "float": "S(x, float(V))",
    "fstring": "S(x, f\"{V}\")",
    "str": "S(x, 'a' + str(V))",
    "inlist": "S(x, [V])",
    "indict": "S(x, {'n': V})",
    "intuple": "S(x, (V, 1))",
    "namedtuple": "S(x, Point(V, 1).n)",
    "asnamed": "S(x, Point(V, 1))",
    "nextiter": "S(x, next(iter([V])))",
    "forin": "for rv in (V,):\n    S(x, rv)",
    "comp": "[S(x, rv) for rv in [V]]",
    "match": "match V:\n    case n:\n        S(x, n)",
    "walrus": "if (rw := V) is not None:\n    S(x, rw)",
    "try": "try:\n    S(x, V)\nfinally:\n    pass",
    "with": "with given(V) as rv:\n    S(x, rv)",
    "setattr": "rb = Box(0)\nsetattr(rb, 'n', V)\nS(x, getattr(rb, 'n'))",
    "replace": "S(x, replace(Data(), n=V).n)",
    "sorted": "S(x, sorted([V, -1])[-1])",
    "sum": "S(x, sum([V, 1]))",
    "get": "S(x, {'n': V}.get('n', 0))",
    "copy": "S(x, copy.copy(Data(V)).n)",
    "map": "S(x, list(map(same, [V]))[0])",
    "zip": "for rv, _ in zip([V], [1]):\n    S(x, rv)",
    "cond": "S(x, V if x is not None else 0)",
    "round": "S(x, round(V + 0.5, 6))",
    "gen": "S(x, next(gen(V)))",
    "genfor": "for rv in gen(V):\n    S(x, rv)",
    "deque": "S(x, deque([V]).pop())",
    "default": "S(x, defaultdict(int, n=V)['n'])",
    "chain": "for rv in itertools.chain([V], ()):\n    S(x, rv)",
    "reduce": "S(x, functools.reduce(operator.add, [V, 1]))",
    "attrgetter": "S(x, operator.attrgetter('n')(Box(V)))",
    "items": "for rk, rv in {'n': V}.items():\n    S(x, rv)",
    "values": "S(x, list({'n': V}.values())[0])",
    "swap": "ra, rb = 1, V\nra, rb = rb, ra\nS(x, ra)",
    "nested": "S(x, {'a': [(V, 2)]}['a'][0][0])",
    "innested": "S(x, {'a': [(V, 2)]})",
    "slice": "S(x, [0, V, 2][1:][0])",
    "unpackstar": "first, *rest = [0, V]\nS(x, rest[0])",
    "global": "globals()['G'] = V\nS(x, G)",
    "vars": "S(x, vars(Box(V))['n'])",
    "enumerate": "for _, rv in enumerate([V]):\n    S(x, rv)",
    "closure": "def inner():\n    return S(x, rc)\nrc = V\ninner()",
    "default_arg": "def inner(rv=V):\n    return S(x, rv)\ninner()",
    "minus": "S(x, -V)",
    "times": "S(x, V * 2)",
    "half": "S(x, V / 2)",
    "power": "S(x, (V + 1) ** 2)",
    "accumulate": "S(x, list(itertools.accumulate([V, 1]))[-1])",
    "append": "rl = []\nrl.append(V)\nS(x, rl[-1])",
    "update": "rd = {}\nrd.update(n=V)\nS(x, rd['n'])",
    "setdefault": "S(x, {}.setdefault('n', V))",
    "insert": "rl = [1]\nrl.insert(0, V)\nS(x, rl[0])",
    "fromkeys": "S(x, dict.fromkeys(['n'], V)['n'])",
    "reversed": "S(x, list(reversed([V, 1]))[1])",
    "exception": "try:\n    raise ValueError(V)\nexcept ValueError as e:\n    S(x, e.args[0])",
}  # fmt: skip
"""How `V`, the number, is handed to `S`, the compiled function."""
NOT_YET: Final = ("a linked list",)
"""Sources of which it does not say that the number is another one: a list that only shrinks."""
TOO_MANY: Final = (("a counter that stays at its bound", "sorted"),)
"""Sources and routes of which it says so although there are few: a list that only shrinks."""
PARTS: Final = 6


def program(source: Source, routes: Mapping[str, str]) -> str:
    """One program with all of these routes, each to a compiled function of its own."""
    functions = "".join(f"\n\n@mx.compile\ndef to_{name}(x, n=0):\n    return x + 1\n" for name in routes)
    body = source.first.split("\n") if source.first else []
    for name, route in routes.items():
        number = source.number if source.number.isidentifier() else f"({source.number})"
        body += re.sub(r"\bV\b", number, re.sub(r"\bS\b", f"to_{name}", route)).split("\n")
    body += source.last.split("\n") if source.last else []
    last = source.loop.splitlines()[-1]
    indent = " " * (len(last) - len(last.lstrip()) + 4)
    return f"{PRELUDE}{functions}\n\n{source.before}\n{source.loop}\n" + "".join(f"{indent}{line}\n" for line in body)


def taken(source: str) -> list[dict[str, str]]:
    """The routes of a source, in parts that are a program each: all of them, or one part."""
    names = list(ROUTES)
    parts = [{name: ROUTES[name] for name in names[n::PARTS]} for n in range(PARTS)]
    return parts if os.environ.get("MXLINT_ROUTES") else [parts[[*OTHERS, *FEW].index(source) % PARTS]]


def said(text: str) -> set[str]:
    """The routes of which MX303 is said."""
    findings = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table()).findings
    return {name for f in findings if f.code == "MX303" for name in re.findall(r"^`to_(\w+)`", f.message)}


@pytest.mark.parametrize("source", [name for name in OTHERS if name not in NOT_YET])
def test_a_number_that_is_another_one_in_each_round_is_found_wherever_it_goes(source: str) -> None:
    for routes in taken(source):
        assert set(routes) - said(program(OTHERS[source], routes)) == set()


@pytest.mark.parametrize("source", NOT_YET)
def test_what_is_missed_is_still_missed(source: str) -> None:
    assert all(said(program(OTHERS[source], routes)) == set() for routes in taken(source))


@pytest.mark.parametrize("source", FEW)
def test_few_numbers_are_no_matter_wherever_they_go(source: str) -> None:
    for routes in taken(source):
        assert {name for name in said(program(FEW[source], routes)) if (source, name) not in TOO_MANY} == set()


@pytest.mark.mlx
def test_mlx_traces_as_often_as_the_sources_say(monkeypatch: pytest.MonkeyPatch) -> None:
    mx = pytest.importorskip("mlx.core")
    compiled, traces = mx.compile, Counter[str]()

    def counting(function: Any) -> Any:
        def run(*args: Any, **keywords: Any) -> Any:
            traces[function.__name__] += 1
            return function(*args, **keywords)

        return compiled(run)

    monkeypatch.setattr(mx, "compile", counting)
    wrong = []
    for sources, other in ((OTHERS, True), (FEW, False)):
        for name, source in sources.items():
            for routes in taken(name):
                traces.clear()
                exec(program(source, routes), {"__name__": __name__})  # noqa: S102
                wrong += [(name, route) for route in routes if (traces[f"to_{route}"] > 4) is not other]
    assert wrong == []
