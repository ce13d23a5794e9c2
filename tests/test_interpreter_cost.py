"""The cost of the interpreter in steps, not in seconds: twice the program is at most a little more than twice the work."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from mxlint.analysis import analyze
from mxlint.interpreter import entry
from mxlint.interpreter.calls import activations
from mxlint.interpreter.loops import remembered
from mxlint.interpreter.machine.core import Interpreter
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import Source, read_source, source_from_bytes

pytestmark = pytest.mark.slow

ENOUGH = 10**9
"""Steps that no budget cuts short."""


def helpers(levels: int) -> str:
    """Functions that call two others each, over so many levels."""
    lines = ["def f0(x):\n    return x + 1"]
    lines += [f"def f{n}(x):\n    return f{n - 1}(x) + f{n - 1}(x)" for n in range(1, levels)]
    return "\n".join([*lines, f"print(f{levels - 1}(1))"])


def traced_helpers(levels: int) -> str:
    """The same within a trace, on arrays."""
    lines = ["import mlx.core as mx", "def f0(x):\n    return mx.exp(x)"]
    lines += [f"def f{n}(x):\n    return f{n - 1}(x) + f{n - 1}(x * 2)" for n in range(1, levels)]
    return "\n".join([*lines, f"@mx.compile\ndef step(x):\n    return f{levels - 1}(x)", "step(mx.ones((2,)))"])


def functions(count: int) -> str:
    """So many functions, each called once."""
    bodies = [
        f"def g{n}(x, y=2):\n    z = [x, y]\n    for q in z:\n        if q > 1:\n            z = [q]\n    return z" for n in range(count)
    ]
    return "\n".join([*bodies, *(f"v{n} = g{n}({n})" for n in range(count))])


def shared(depth: int) -> str:
    """A list that holds itself twice, so many times."""
    return "\n".join(["a = [1]", *["a = [a, a]"] * depth, "print(a)"])


def branches(count: int) -> str:
    """So many conditions that nobody decides, one after another."""
    return "\n".join(["import os", *(f"if os.environ.get('A{n}'):\n    x{n} = 1\nelse:\n    x{n} = 2" for n in range(count))])


def calls(depth: int) -> str:
    """A chain of calls."""
    bodies = [f"def f{n}(x):\n    return f{n + 1}(x) + 1" for n in range(depth)]
    return "\n".join([*bodies, f"def f{depth}(x):\n    return x", "print(f0(1))"])


TRACED_IN_A_LOOP = """
import mlx.core as mx
import settings

@mx.compile
def gate(x, y):
    return mx.exp(x) * y

for x in settings.batches:
    if settings.quick(x):
        y = gate(mx.array(x), mx.zeros((2,)))
    if settings.slow(x):
        y = gate(mx.array(x), mx.zeros((3,)))
"""
"""A call that may trace or replay, in each round."""

LAYERS_IN_A_LOOP = """
import mlx.nn as nn
import settings

class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.first = nn.Linear(settings.size, 8)
        self.second = nn.Linear(8, 8)

blocks = [Block(n) for n in range(settings.count)]
"""
"""Layers that are made in each round, with weights."""

LISTS_IN_A_LOOP = """
import settings

kept = []
for x in settings.batches:
    kept.append((settings.key(x), [*settings.rest(x)]))
for key, rest in kept:
    print(key, *rest)
"""
"""A list of which nobody knows how long it grows, and others that are unpacked."""


def nested_loops(depth: int) -> str:
    """Loops of unknown length in each other, over a call that makes something."""
    heads = [f"{'    ' * n}for i{n} in settings.rows{n}:" for n in range(depth)]
    lines = ["def made(x):", "    kept = [settings.first(x)]", *["    kept = [kept, settings.more]"] * 20, "    return kept"]
    helper = "\n".join(lines)
    return "\n".join(["import settings", helper, *heads, "    " * depth + "y = made(1)"])


def checked_loops(depth: int) -> str:
    """The same loops in the body of a `try`, over a call that may raise."""
    text = nested_loops(depth).replace("made(x):", "made(x):\n    if not settings.allowed(x):\n        raise ValueError")
    loops = text[text.index("for i0") :]
    body = "\n".join(f"    {line}" for line in loops.splitlines())
    return f"{text[: -len(loops)]}try:\n{body}\nexcept ValueError as error:\n    print(error)"


PAIRS_IN_A_LOOP = """
import mlx.core as mx
import settings

kept = []
for x in settings.batches:
    for y in settings.parts(x):
        a, b = mx.array(x), mx.array(y)
        if settings.first(x):
            kept.append((a, b))
        elif settings.second(x):
            kept.append((b, mx.exp(a)))
        else:
            kept.append((kept[0][1], kept[-1][0]))
"""
"""Pairs of more arrays than a union holds."""

MODEL = """
import mlx.core as mx
import mlx.nn as nn
import settings

class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.up = nn.Linear(size, 8)
        self.down = nn.Linear(8, size)

    def __call__(self, x):
        y = self.up(self.norm(x))
        return x + self.down(mx.where(y > 0, y, settings.slope * y))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(settings.size) for _ in range(settings.count)]

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x

model = Model()
"""
"""Layers that a loop makes."""


def ran(text: str) -> Interpreter:
    """A program that was run to its end."""
    project = Project()
    i = entry.prepared_mlx(project, load_table()) if "mlx" in text else entry.prepared(project)
    i.most = i.left = ENOUGH
    entry.run(i, Source(None, "main.py", text.encode(), text))
    return i


def steps(text: str) -> int:
    """The steps that running a program takes."""
    return ENOUGH - ran(text).left


@pytest.mark.parametrize(
    ("program", "size"),
    [(helpers, 12), (traced_helpers, 12), (functions, 250), (shared, 20), (branches, 50), (calls, 20)],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_cost_is_linear(program: Callable[[int], str], size: int) -> None:
    small, large = steps(program(size)), steps(program(2 * size))
    assert large <= 2.5 * small


@pytest.mark.parametrize("program", [nested_loops, checked_loops])
def test_rounds_that_change_nothing_run_no_call_again(program: Callable[[int], str]) -> None:
    # Four rounds of each loop, of which the last finds what the one before has found.
    assert steps(program(3)) <= 3 * steps(program(2))


def nested_generators(depth: int) -> str:
    """Loops over generators in each other, which keep what they are given."""
    heads = [f"{'    ' * n}for i{n} in each(settings.rows{n}):" for n in range(depth)]
    body = ["kept.append(settings.last)", "total = total + 1", "kept = [*kept, total]"]
    source = "import settings\ndef each(rows):\n    for row in rows:\n        if settings.allowed(row):\n            yield [row]\nkept = []\ntotal = 0"
    return "\n".join([source, *heads, *("    " * depth + line for line in body)])


@pytest.mark.parametrize("program", [nested_loops, checked_loops, nested_generators])
def test_an_inner_loop_starts_from_its_last_invariant(program: Callable[[int], str]) -> None:
    # Where it started anew in each round of the loop around, the fourth level cost eight times the third; where it was peeled there, four times.
    assert steps(program(5)) <= 2.5 * steps(program(4))


def carrying_loops(depth: int, cut: str = "{}[1:]") -> str:
    """Loops in loops that cut off parts of what nobody in sight gives, and ask what is left."""
    lines = ["from elsewhere import more, x, y"]
    for level in range(depth):
        lines += ["    " * level + f"while more({level}):"]
        cuts, asks = ("x", "y") if level % 2 else ("y", "x")
        lines += ["    " * (level + 1) + text for text in (f"{cuts} = {cut.format(cuts)}", f"{asks} = more({asks})")]
    return "\n".join([*lines, "    " * depth + "print(x, y)"])


def test_loops_settle_on_what_they_make_of_what_they_carry() -> None:
    # Where each literal of a guard took a round of its own to go, it was twice what loops cost that cut nothing off.
    assert steps(carrying_loops(3)) <= 1.9 * steps(carrying_loops(3, "more({})"))
    assert steps(carrying_loops(4)) <= 4.2 * steps(carrying_loops(3))


def test_a_loop_over_what_a_loop_made_runs_its_body_for_one() -> None:
    # Four rounds at most, each for one layer and not for the first, the last and those between.
    assert steps(MODEL + "print(model(mx.zeros((2, 4))))") - steps(MODEL) <= 200


def called_from(sites: int, body: str, argument: str) -> str:
    """A compiled function that a helper calls, which is called at so many places, each under a condition of its own."""
    text = f"import mlx.core as mx\nimport settings\n\n@mx.compile\ndef gate(x):\n{body}\ndef helper(x):\n    return gate(x)\n\n"
    return text + "".join(f"if settings.a{n}:\n    y{n} = helper({argument})\n" for n in range(sites))


@pytest.mark.parametrize(
    "body", ["    y = x + 1\n" * 50 + "    return y\n", "    print(x)\n" + "    x = mx.exp(x)\n" * 50 + "    return x\n"]
)
def test_a_trace_is_run_once_wherever_it_is_called_from(body: str) -> None:
    def cost(sites: int) -> int:
        return steps(called_from(sites, body, "mx.ones((2,))"))

    assert cost(12) - cost(2) <= 10 * 15


def test_what_a_helper_makes_of_a_setting_costs_once() -> None:
    def cost(sites: int) -> int:
        body = "".join(f"    y = settings.f{n}(x) if x else settings.g{n}\n" for n in range(30))
        return steps(f"import settings\ndef helper(x):\n{body}    return y\n" + "".join(f"z{n} = helper({n % 2})\n" for n in range(sites)))

    assert cost(12) - cost(4) <= 8 * 6


def test_nested_loops_are_unrolled_within_a_budget() -> None:
    def loops(depth: int) -> str:
        heads = [f"{'    ' * n}for i{n} in range(16):" for n in range(depth)]
        return "\n".join(["n = 0", *heads, "    " * depth + "n += 1"])

    assert steps(loops(5)) < 25_000


@pytest.mark.parametrize(
    ("program", "most"),
    [(TRACED_IN_A_LOOP, 340), (LAYERS_IN_A_LOOP, 200), (LISTS_IN_A_LOOP, 120), (PAIRS_IN_A_LOOP, 2500)],
    ids=("traces", "layers", "lists", "pairs"),
)
def test_loops_settle(program: str, most: int) -> None:
    i = ran(program)
    assert not [found.reason for found in i.imprecisions]
    assert ENOUGH - i.left <= most


LAYERS_OF_EITHER = """
import mlx.core as mx
import mlx.nn as nn
import settings

class Narrow(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.down = nn.Linear(size, 8)

    def __call__(self, x):
        return self.down(x)

class Wide(Narrow):
    pass

class Layer(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.part = Wide(settings.size) if number in settings.wide else Narrow(settings.size)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Layer(number) for number in range(settings.count)]

parts = [layer.part for layer in Model().layers]
"""


def test_layers_that_hold_one_of_two_things_are_one_layer_that_does() -> None:
    i = ran(LAYERS_OF_EITHER)
    kinds = [i.info(oid) for oid in range(len(i.heap.infos)) if i.heap.get(oid, ("#", "alive")) is not None]
    held = [info for info in kinds if info.kind == "instance" and info.label in ("Narrow", "Wide")]
    assert sorted(info.label for info in held) == ["Narrow", "Wide"]


DECODE = """
import json

def decode(value):
    if isinstance(value, dict):
        return {key: decode(part) for key, part in value.items()}
    if isinstance(value, list):
        return [decode(part) for part in value]
    return value

print(decode(json.loads(input())))
"""


def test_recursion_on_values_that_nobody_knows_is_one_fixpoint() -> None:
    assert steps(DECODE) < 3_000


def test_recursion_through_objects_that_wrap_each_other_is_one_fixpoint() -> None:
    def wrappers(count: int) -> str:
        classes = [
            f"class W{n}:\n    def __init__(self, inner):\n        self.inner = inner\n"
            f"    def report(self, x):\n        if self.inner:\n            self.inner.report(x)"
            for n in range(count)
        ]
        return "\n".join([
            "import sys", *classes, f"KNOWN = {{{', '.join(f'{chr(97 + n)!r}: W{n}' for n in range(count))}}}",
            "top = None", "for name in sys.argv:", "    top = KNOWN[name](top)", "top.report(1)",
        ])  # fmt: skip

    assert steps(wrappers(2)) < 4_000
    assert steps(wrappers(4)) < 40_000


def test_a_module_does_not_import_itself_for_a_library_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "tokens.py").write_text("import tokens\n")
    source = read_source(tmp_path / "tokens.py", "tokens.py")
    assert Project().find("tokens", 0, source) is None


def aside(helper: str) -> str:
    """A program whose helper costs much and reaches nothing compiled, or does."""
    levels = "\n".join(
        f"    {'    ' * n}for row{n} in {'rows' if n == 0 else f'row{n - 1}'}:\n        {'    ' * n}box.total = box.total + int(row{n})"
        for n in range(4)
    )
    return (
        "import sys\nimport mlx.core as mx\n\n"
        "@mx.compile\ndef step(x, n):\n    print(x)\n    return x * n\n\n"
        "class Box:\n    def __init__(self):\n        self.total = 0\n\n"
        f"def read(rows, box):\n{levels}\n{helper}    return box\n\n"
        "box = read(sys.stdin, Box())\n"
        "step(mx.ones((2,)), box.total)\n"
    )


def test_what_reaches_nothing_compiled_costs_little() -> None:
    text = aside("")
    i = ran(text)
    assert ENOUGH - i.left < 1_500
    assert any("reaches nothing compiled" in found.reason for found in i.imprecisions)
    source = source_from_bytes(text.encode(), "main.py")
    assert [finding.code for finding in analyze(source, Project(), load_table()).findings] == ["MX101"]


METHODS_ASIDE = """
import sys
import mlx.core as mx

class Reader:
    def __init__(self):
        self.loud = False
        self.total = 0

    def read(self, rows):
        for row in rows:
            {asks}
            for part in row:
                for number in part:
                    for digit in number:
                        self.total = self.total + int(digit)

    def warn(self):
        self.loud = True

reader = Reader()
for name in sys.argv:
    reader.read(open(name))

@mx.compile
def step(x):
    if reader.loud:
        print(x)
    return x

step(mx.ones((2,)))
"""
"""A method that costs much and reaches nothing compiled."""


@pytest.mark.parametrize(("asks", "codes"), [("pass", []), ("self.warn()", ["MX101"])], ids=("silent", "loud"))
def test_what_reaches_nothing_compiled_sets_only_what_its_own_code_sets(asks: str, codes: list[str]) -> None:
    text = METHODS_ASIDE.format(asks=asks)
    assert any("reaches nothing compiled" in found.reason for found in ran(text).imprecisions)
    findings = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table()).findings
    assert [finding.code for finding in findings] == codes


@pytest.mark.parametrize(
    "helper",
    [
        "def read(row):\n    total = 0\n    for part in row:\n        total = total + int(part)\n    return total\n",
        "def read(row):\n    if isinstance(row, list):\n        return [read(part) for part in row]\n    return row\n",
    ],
    ids=("loop", "recursion"),
)
def test_calls_that_reach_nothing_compiled_cost_little_together(helper: str) -> None:
    calls = "".join(f"total = read(json.loads(input('{n}')))\nprint(total)\n" for n in range(60))
    compiled = "import mlx.core as mx\n\n@mx.compile\ndef step(x):\n    print(x)\n    return x\n\nstep(mx.ones((2,)))\n"
    i = ran(f"import json\n{compiled}{helper}{calls}")
    assert ENOUGH - i.left < 2_500
    assert any("reaches nothing compiled" in found.reason for found in i.imprecisions)


def test_what_calls_something_compiled_is_run_to_its_end() -> None:
    i = ran(aside("    step(rows, 1)\n"))
    assert ENOUGH - i.left > activations.MAX_ASIDE
    assert not any("reaches nothing compiled" in found.reason for found in i.imprecisions)


FRUITLESS = """
import sys
import mlx.core as mx

@mx.compile
def step(x):
    print(x)
    return x

def read(rows, act):
    total = 0
    while len(rows) > total:
        for row in rows:
            for part in row:
                for number in part:
                    for digit in number:
                        total = total + int(digit)
    return act(total)

def first(files, act):
    for name in files:
        return read(open(name), act)

def second(files, act):
    for name in files:
        print(read(open(name), act))

first(sys.argv, step)
second(sys.argv, step)
step(mx.ones((2,)))
"""
"""A function that would reach something compiled in the end, and costs much before."""


def test_a_body_that_costs_much_and_comes_to_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_from_bytes(FRUITLESS.encode(), "main.py")
    found = analyze(source, Project(), load_table())
    assert ([finding.code for finding in found.findings], found.sites[0].followed) == (["MX101", "MX303"], "full")
    monkeypatch.setattr("mxlint.interpreter.calls.activations.MAX_FRUITLESS", 400)
    i = ran(FRUITLESS)
    assert any("came to nothing compiled" in found.reason for found in i.imprecisions)
    assert ENOUGH - i.left < 1_000
    found = analyze(source, Project(), load_table())
    assert ([finding.code for finding in found.findings], found.sites[0].followed) == (["MX101"], "partial")


@pytest.mark.parametrize(
    ("text", "followed"), [(FRUITLESS, "full"), (FRUITLESS.replace("return act(total)", "return mx.compile(act)(total)"), "partial")]
)
def test_what_a_body_that_is_given_up_cannot_call_is_full(monkeypatch: pytest.MonkeyPatch, text: str, followed: str) -> None:
    """Nobody knows what else is called by it, but for what is compiled nowhere that it leads to."""
    monkeypatch.setattr("mxlint.interpreter.calls.activations.MAX_FRUITLESS", 400)
    text += "\n@mx.compile\ndef other(x):\n    return x + 1\n\nother(mx.ones((2,)))\n"
    found = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table())
    assert {site.compiled: site.followed for site in found.sites if site.compiled in ("step", "other")} == {
        "step": "partial",
        "other": followed,
    }


FALLBACK = """
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim

def counted(tree):
    total = 0
    for part in tree.values():
        for row in part:
            for number in row:
                total = total + len(number)
    return total

def trained(model, batches):
    gradients = nn.value_and_grad(model, lambda model, x: model(x).sum())
    optimizer, regularised = optim.AdamW(0.1, weight_decay=0.1), False
    step = mx.compile(gradients)
    for x in batches:
        step(model, x)

trained(nn.Linear(2, 2), [mx.ones((1, 2))])
"""
"""A compiled function and an optimizer, made of what surely makes them."""


def test_a_handler_of_what_surely_works_costs_nothing() -> None:
    handled = FALLBACK.replace(
        "    optimizer, regularised = optim.AdamW(0.1, weight_decay=0.1), False\n    step = mx.compile(gradients)\n",
        """
    try:
        optimizer, regularised = optim.AdamW(0.1, weight_decay=0.1), False
    except TypeError:
        optimizer, regularised = optim.Adam(0.1), counted(model.parameters()) > 0
    try:
        step = mx.compile(gradients)
    except Exception:
        step = lambda model, x: (counted(model.parameters()), gradients(model, x))[1]
""",
    )
    assert handled != FALLBACK
    assert steps(handled) <= steps(FALLBACK) + 2  # of the two `try`


COSTLY = """
    total = 0
    for row in sys.stdin:
        for part in row:
            for number in part:
                for digit in number:
                    for bit in digit:
                        total = total + int(bit) + len(part)
"""
"""What costs much, and changes nothing."""

PROPERTY = """
class Box:
    def __init__(self):
        self.held = True
    @property
    def value(self):
        return self.held
    @value.setter
    def value(self, new):
        self.held = new
box = Box()
"""

ROWS = """
class Box:
    def __init__(self):
        self.held = []
    @property
    def rows(self):
        return self.held
box = Box()
"""
ADDS = """
xs = []
class Adds:
    def __init__(self, rows):
        self.rows = rows
    def add(self):
        self.rows.append(1)
"""
BASE = """
class Base:
    flag = True
class Child(Base):
    @classmethod
    def off(cls):
        cls.flag = False
"""
META = """
class Meta(type):
    def off(cls):
        cls.flag = False
class Made(metaclass=Meta):
    flag = True
"""

IN_PLACE: dict[str, tuple[str, str, str, str]] = {
    "list": ("xs = []", "f()", "xs.append(1)", "not xs"),
    "list of an argument": ("xs = []", "f(xs)", "ys = xs\n    ys.append(1)", "not xs"),
    "augmented": ("xs = []", "f(xs)", "xs += [1]", "not xs"),
    "list in a list of arguments": ("xs = []", "f(*xs)", "xs[0].append(1)", "not xs"),
    "key": ("d = {'k': 0}", "f()", "d['k'] = 1", "not d['k']"),
    "deleted": ("d = {'k': 0}", "f()", "del d['k']", "'k' in d"),
    "list in a dict": ("d = {'k': []}", "f()", "d.setdefault('k', []).append(1)", "not d['k']"),
    "set": ("s = set()", "f()", "s.add(1)", "not s"),
    "deque": ("from collections import deque\ns = deque()", "f()", "s.appendleft(1)", "not s"),
    "class that extends list": ("class L(list):\n    pass\nxs = L()", "f()", "xs.append(1)", "not xs"),
    "function of a library": ("import heapq\nxs = []", "f(xs)", "heapq.heappush(xs, 1)", "not xs"),
    "bound method": ("xs = []", "f(add)", "add(1)", "not xs"),
    "iterator": ("it = iter([0, 1])", "f()", "next(it)", "next(it) == 0"),
    "generator": ("def g():\n    yield 0\n    yield 1\nit = g()", "f()", "next(it)", "next(it) == 0"),
    "attribute of an attribute": ("class C:\n    xs = []\nc = C()", "f(c)", "c.xs.append(1)", "not c.xs"),
    "any attribute": ("class C:\n    flag = True\nc = C()", "f(c, k)", "setattr(c, k, False)", "c.flag"),
    "property": (PROPERTY, "f(box)", "box.value = False", "box.held"),
    "attribute of a class": ("class C:\n    flag = True", "f()", "C.flag = False", "C.flag"),
    "class method": ("class C:\n    flag = True\n    @classmethod\n    def off(cls):\n        cls.flag = False", "f()", "C.off()", "C.flag"),
    "attribute of a function": ("def g():\n    pass\ng.flag = True", "f()", "g.flag = False", "g.flag"),
    "list in a display": ("xs = []", "f()", "tables = [xs]\n    tables[0].append(1)", "not xs"),
    "what a property gives": (ROWS, "f(box)", "box.rows.append(1)", "not box.held"),
    "object that is made": (ADDS, "f()", "Adds(xs).add()", "not xs"),
    "attribute of the namespace": ("class C:\n    pass\nc = C()\nc.xs = []", "f(c)", "c.__dict__['xs'].append(1)", "not c.xs"),
    "static method": ("class C:\n    flag = True\n    @staticmethod\n    def off(c):\n        c.flag = False\nc = C()", "f()", "C.off(c)", "c.flag"),
    "attribute of a base": (BASE, "f()", "Child.off()", "Child.flag"),
    "metaclass": (META, "f()", "Made.off()", "Made.flag"),
    "body of a generator": ("xs = []\ndef g():\n    xs.append(1)\n    yield 1\nit = g()", "f()", "next(it)", "not xs"),
    "method by its name": (
        "import operator\nclass C:\n    flag = True\n    def off(self):\n        self.flag = False\nc = C()",
        "f(c)", "operator.methodcaller('off')(c)", "c.flag",
    ),
}  # fmt: skip
"""What a function changes out of sight: what there is, its head, how it does so, and what is no more the case then."""
GIVEN = {"f(xs)": "f(xs)", "f(*xs)": "f(xs)", "f(add)": "f(xs.append)", "f(k)": "f('flag')", "f(c, k)": "f(c, 'flag')"}
"""Calls that are not written as the head of the function."""


def changing(name: str) -> tuple[str, str, str]:
    """The state and the costly function, a call of it, and what is no more the case then."""
    state, head, change, test = IN_PLACE[name]
    return f"import sys\nimport mlx.core as mx\n{state}\n\ndef {head}:{COSTLY}    {change}\n", GIVEN.get(head, head), test


@pytest.mark.parametrize("name", IN_PLACE)
def test_what_a_call_that_is_not_followed_may_change_is_not_known_any_more(name: str) -> None:
    text, call, test = changing(name)
    held: dict[str, Any] = {}
    exec(text.replace("sys.stdin", "[]").replace("import mlx.core as mx\n", "") + f"\n{call}\nholds = {test}\n", held)  # noqa: S102
    assert not held["holds"]
    text += f"@mx.compile\ndef step(x):\n    if {test}:\n        return x * x.sum().item()\n    return x\n\n{call}\nstep(mx.ones((2,)))\n"
    assert any("reaches nothing compiled" in found.reason for found in ran(text).imprecisions)
    found = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table())
    assert not [finding.code for finding in found.findings if finding.severity == "error"]
    assert found.findings or found.sites[0].followed == "partial"


@pytest.mark.parametrize("name", [name for name in IN_PLACE if name not in ("iterator", "generator")])
def test_what_a_trace_has_read_and_a_costly_call_changes_is_found(name: str) -> None:
    text, call, test = changing(name)
    text += f"@mx.compile\ndef step(x):\n    return x + 1 if {test} else x\n\nstep(mx.ones((2,)))\n{call}\nstep(mx.ones((2,)))\n"
    found = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table())
    assert "MX209" in [finding.code for finding in found.findings]


MODES = (
    """
import sys
import mlx.core as mx
import mlx.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Dropout(0.5)]
    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

net = Net()

@mx.compile
def step(x):
    return net(x)

def evaluated(model):"""
    + COSTLY
    + """
    mx.eval(model(mx.ones((1, 2))))
    CHANGES
    return total

def trained():
    return mx.compile(net)

"""
)
"""A costly function that evaluates an array, in a file that compiles elsewhere, and is given a module with layers."""


@pytest.mark.parametrize(
    ("changes", "calls", "codes"),
    [
        ("pass", "evaluated(net)\nif not net.training:\n    step(mx.ones((1, 2))).item() + other", {"MX203"}),
        ("model.eval()", "evaluated(net)\nnet.train()\nstep(mx.ones((1, 2)))\nnet.eval()\nstep(mx.ones((1, 2)))", {"MX203", "MX209"}),
        ("model.eval()", "step(mx.ones((1, 2)))\nevaluated(net)\nstep(mx.ones((1, 2)))", {"MX203", "MX209"}),
        ("model.layers[1].eval()", "step(mx.ones((1, 2)))\nevaluated(net)\nstep(mx.ones((1, 2)))", {"MX203", "MX209"}),
        ("pass", "step(mx.ones((1, 2)))\nevaluated(net)\nstep(mx.ones((1, 2)))", {"MX203"}),
    ],
)
def test_a_costly_call_changes_the_mode_of_a_module_where_it_says_so(changes: str, calls: str, codes: set[str]) -> None:
    text = MODES.replace("CHANGES", changes) + calls + "\n"
    found = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table())
    assert {finding.code for finding in found.findings} == codes
    reaches = any("reaches nothing compiled" in imprecision.reason for imprecision in ran(text).imprecisions)
    assert reaches == (changes == "pass" or calls.startswith("evaluated"))  # else it may write what the trace has read


REBOUND = (
    """
import sys
import mlx.core as mx

class Hooks:
    def __init__(self):
        self.first = noop

state = {"scale": 1}

def noop():
    pass

def change():
    state["scale"] = 2

hooks, names, kept = Hooks(), {}, noop

@mx.compile
def step(x):
    return x * state["scale"]

def read():"""
    + COSTLY
    + """
    CALLS

step(mx.ones((2,)))
read()
BINDS
read()
step(mx.ones((2,)))
"""
)
"""A costly function that calls something else the second time."""


@pytest.mark.parametrize(
    ("calls", "binds"),
    [
        ("kept()", "kept = change"),
        ("hooks.first()", "hooks.first = change"),
        ("getattr(hooks, 'second', noop)()", "hooks.second = change"),
        ("for hook in names.values():\n        hook()", "names['a'] = change"),
    ],
    ids=("name", "attribute", "new attribute", "key"),
)  # fmt: skip
@pytest.mark.parametrize("through", ["read", "around"])
def test_what_a_costly_call_leads_to_is_asked_again_where_it_changed(calls: str, binds: str, through: str) -> None:
    around = f"def around():\n    for n in range(2):\n        read()\n\nstep(mx.ones((2,)))\n{through}()\nBINDS\n{through}()"
    text = REBOUND.replace("step(mx.ones((2,)))\nread()\nBINDS\nread()", around).replace("CALLS", calls).replace("BINDS", binds)
    found = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table())
    assert [finding.code for finding in found.findings] == ["MX209"]


def test_a_body_that_was_given_up_is_run_where_it_changes_what_a_trace_has_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mxlint.interpreter.calls.activations.MAX_FRUITLESS", 400)
    other = "@mx.compile\ndef other():\n    return mx.ones((2,))\n\ndef read(act):"
    text = REBOUND.replace("def read():", other).replace("read()\n", "").replace("CALLS", "act()")
    text = text.replace("step(mx.ones((2,)))\nBINDS", "read(lambda: other())\nstep(mx.ones((2,)))\nread(change)")
    found = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table())
    assert "MX209" in [finding.code for finding in found.findings]


REACHED = """
import sys
import mlx.core as mx

class Layer:
    def __init__(self):
        self.size = 0

    def __call__(self, x):
        return step(x)

    def index(self, rows):
        {asks}
        for row in rows:
            for part in row:
                for number in part:
                    for digit in number:
                        self.size = self.size + int(digit)
        return rows.index(self.size)

class Model:
    def __init__(self):
        self.layer = Layer()
        self.size = 0

    def __call__(self, x):
        return self.layer(x)

    def fit(self, rows):
        {asks}
        for row in rows:
            for part in row:
                for number in part:
                    for digit in number:
                        self.size = self.size + int(digit)
        return rows.index(self.size)

@mx.compile
def step(x):
    print(x)
    return x

model = Model()
model.fit(open(sys.argv[1]))
model.fit(open(sys.argv[2]))
model(mx.ones((2,)))
"""
"""A method of an object that holds and is what may be called, and reaches something compiled."""


@pytest.mark.parametrize(
    ("asks", "reached"),
    [
        ("index = self.size", False),
        ("getattr(self, rows.name, None)", False),
        ("print(type(self))", False),
        ("self.layer(rows)", True),
        ("print(list(map(self.layer, rows)))", True),
        ("getattr(self, rows.name)(rows)", True),
        ("self(rows)", True),
        ("for layer in vars(self).values():\n            layer(rows)", True),
    ],
)
def test_an_object_is_called_where_what_names_it_is(asks: str, reached: bool) -> None:
    i = ran(REACHED.format(asks=asks))
    assert any("reaches nothing compiled" in found.reason for found in i.imprecisions) is not reached


CONSTRUCTED = """
import mlx.core as mx

class Model:
    def __init__(self, names):
        self.loud = False
        self.fill(names)

    def fill(self, names):
        self.layers = [{"name": name, "size": len(name)} for name in names]
        self.quiet = True

models = [%s]

@mx.compile
def step(x):
    if models[-1].quiet and not models[-1].loud:
        return x
    print(x)
    return x

step(mx.ones((2,)))
"""
"""A method that many constructors call on the object that they make; together they cost much."""


def test_what_a_constructor_calls_on_its_object_is_run_to_its_end() -> None:
    text = CONSTRUCTED % ", ".join(f"Model([*'abcdefghijklmnop{n}'])" for n in range(60))
    i = ran(text)
    assert not any("reaches nothing compiled" in found.reason for found in i.imprecisions)
    assert analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table()).findings == ()


ENTERED = (
    "@mx.compile\ndef step(x, loud):\n    if loud:\n        print(x)\n    return x\n",
    "def helper(x, loud=False):\n    return step(x, loud)\n",
    "class Layer:\n    def scaled(self, x, loud=False):\n        return step(x, loud)\n\n    def run(self, x):\n        return self.scaled(x)\n",
    "class Model:\n    def __init__(self):\n        self.layer = Layer()\n\n    def run(self, x):\n        return self.layer.run(x), helper(x)\n",
)
"""A function and two classes that reach something compiled, one in another."""


@pytest.mark.parametrize("order", list(permutations(range(1, 4))), ids=str)
def test_callers_are_entered_first_wherever_they_stand(order: tuple[int, ...]) -> None:
    text = "\n".join(["import mlx.core as mx\n", ENTERED[0], *(ENTERED[number] for number in order)])
    analysis = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table(), with_facts=True)
    assert not analysis.findings
    assert analysis.facts is not None
    assert len({trace.number for trace in analysis.facts.traces}) == 1


CLIENT = """
import mlx.core as mx

scale = 1.0

@mx.compile
def gate(x):
    return mx.exp(x) * scale

class Layer:
    def run(self, x):
{lines}
        return gate(x)

def put(where, name):
    setattr(where, name, 2.0)

class Other:
    def other(self):
        {writes}
"""
"""A method that nothing in sight calls, another one, and a function that may set anything."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the expressions that are evaluated."""
    run = [0]
    evaluated = Interpreter.part

    def counted(i: Interpreter, *args: Any) -> Any:
        run[0] += 1
        return evaluated(i, *args)

    monkeypatch.setattr(Interpreter, "part", counted)
    return run


def test_nothing_is_called_again_that_cannot_find_something_else(run: list[int]) -> None:
    lines = "        x = mx.exp(x) * mx.array(len(str(x)))\n" * 50
    counts = []
    for writes in ("global scale; scale = 2.0", "self.scale = 2.0", "self.rate = 2.0"):
        run[0] = 0
        found = analyze(source_from_bytes(CLIENT.format(writes=writes, lines=lines).encode(), "main.py"), Project(), load_table()).findings
        counts.append(run[0])
        assert [finding.code for finding in found] == (["MX209"] if writes.startswith("global") else [])
    again, *once = counts
    assert again > 1.5 * max(once)


IDLE = """
import mlx.core as mx

class Layer:
    def __init__(self):
        self.w = mx.ones(2)
        self.seen = []
        self._run = mx.compile(lambda x: mx.exp(x) * self.w)

    def __call__(self, x):
        return self._run(x)

    def other(self, x):
        w = self.w
        for n in range(16):
{lines}
        {writes}
        return x
"""
"""A method beside a compiled one, which changes what that has read or something else, or nothing."""


@pytest.mark.parametrize(
    ("writes", "codes", "runs"),
    [
        ("self.w = x", ["MX201"], True),
        ("w[0] = 1", ["MX201"], True),
        ("w += 2", ["MX201"], True),
        ("self.seen.append(1)", [], True),
        ("self._run(x)", [], True),
        ("w = w + 2", [], False),
        ("len(self.seen)", [], False),
    ],
)
def test_a_method_that_changes_nothing_does_not_run_between_two_calls(run: list[int], writes: str, codes: list[str], runs: bool) -> None:
    text = IDLE.format(writes=writes, lines="            x = mx.exp(x) * mx.array(len(str(n)))\n" * 10)
    found = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table()).findings
    assert [finding.code for finding in found] == codes
    assert (run[0] > 500) == runs


GROWING = """
from functools import partial
import mlx.core as mx

@partial(mx.compile, shapeless=SHAPELESS)
def gate(x, n=1):
    return mx.exp(x) * n

class Layer:
    def __init__(self):
        self.seen, self.n = mx.zeros((1, 4)), 0

    def __call__(self, x):
        self.seen = mx.concatenate([self.seen, x])
        self.n += 1
        return gate(GIVEN)
"""
"""A method that makes an array longer and counts its calls."""


@pytest.mark.parametrize(
    ("shapeless", "given", "codes"),
    [("False", "self.seen", ["MX304"]), ("True", "self.seen", []), ("True", "x, self.n", ["MX303"]), ("True", "self.seen[:self.n]", [])],
)
def test_what_shapeless_functions_are_given_is_asked_again_where_it_is_no_array(
    run: list[int], shapeless: str, given: str, codes: list[str]
) -> None:
    text = GROWING.replace("SHAPELESS", shapeless).replace("GIVEN", given)
    found = analyze(source_from_bytes(text.encode(), "main.py"), Project(), load_table()).findings
    assert [finding.code for finding in found] == codes
    assert (run[0] > 100) == bool(codes)


NESTED = """
import sys
import mlx.core as mx

@mx.compile
def step(x):
    return mx.sum(x)

def batches(rows):
    while True:
        for row in rows:
            for part in row.split(","):
                for word in part.split():
                    word = word.strip().lower().replace("a", "b").strip().lower().replace("a", "b").strip().lower().replace("a", "b")
                    print(word)
            yield len(row)

rows = sys.stdin.read().split()
losses = []
for number, length in zip(range(len(sys.argv)), batches(rows)):
    for other, longest in zip(range(10), batches(rows)):
        losses = [losses, length, longest]
    print(step(mx.zeros((length,))), losses)
"""
"""A loop that collects what it is given, over a generator whose loops do the same whichever the round is."""


def test_a_loop_in_a_loop_is_not_run_again_from_what_it_has_run_from(monkeypatch: pytest.MonkeyPatch) -> None:
    cheap = steps(NESTED)
    monkeypatch.setattr(remembered, "find", lambda *_: None)
    assert steps(NESTED) > 1.2 * cheap


def test_a_generator_that_is_gone_is_no_part_of_what_rounds_have_in_common() -> None:
    def rounds(holds: str) -> int:
        lines = [f"    kept{n} = [kept{n - 1}, settings.more]" for n in range(1, 20)]
        helper = ["def made(x):", "    kept0 = [x]", *lines, f"    {holds}", "    return x"]
        return steps("\n".join(["import settings", *helper, "for row in settings.rows:", "    y = made(1)"]))

    assert rounds("any(part for part in kept19)") <= rounds("any([part for part in kept19])") + 20


def test_what_nothing_reads_again_is_no_part_of_what_rounds_have_in_common() -> None:
    def rounds(used: str) -> int:
        lines = [f"        kept{n} = [kept{n - 1}, settings.more(x)]" for n in range(1, 20)]
        body = ["def run():", "    kept19 = None", "    for x in settings.rows:", f"        kept0 = [{used}]", *lines, "run()"]
        return steps("\n".join(["import settings", *body]))

    assert 3 * rounds("x") <= 2 * rounds("kept19")
