"""Names that are dead at the head of a loop: what CPython makes of a function does not change when they hold something else there."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import inspect
import random
import textwrap
import typing
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import CodeType, ModuleType
from typing import Any

import pytest

from mxlint.syntax import ir
from mxlint.syntax.liveness import dead_names, names_of_blocks, names_of_its_own
from mxlint.syntax.lower import lower
from mxlint.syntax.resuming import rest


def function(body: str, params: str = "data") -> tuple[str, ir.FuncDef]:
    """The text of a function with a body, and its node."""
    text = f"def f({params}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    node = lower(text).body[0]
    assert isinstance(node, ir.FuncDef)
    return text, node


def dead(body: str) -> list[str]:
    """The dead names of each loop, in the order of the text."""
    _, node = function(body)
    names = dead_names(node).loops
    return [" ".join(names[id(loop)]) for loop in loops(node.body)]


def loops(part: object) -> Iterator[ir.For | ir.While]:
    """The loops in statements, in the order of the text."""
    if isinstance(part, (ir.For, ir.While)):
        yield part
    if isinstance(part, ir.Node):
        part = tuple(getattr(part, field) for field in part.__match_args__)
    if isinstance(part, tuple):
        for inner in part:
            yield from loops(inner)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("for x in data:\n    y = x\n    print(y)", ["x y"]),
        ("y = 0\nfor x in data:\n    print(y)\n    y = x", ["x"]),
        ("for x in data:\n    y = x\nprint(y)", ["x"]),
        ("for x in data:\n    if x:\n        y = x\n    print(y)", ["x"]),
        ("for x in data:\n    if x:\n        y = 1\n    else:\n        y = 2\n    print(y)", ["x y"]),
        ("for x in data:\n    if x:\n        continue\n    y = x\nelse:\n    print(y)", ["x"]),
        ("while data():\n    y = 1\n    if y:\n        break\nprint(y)", [""]),
        ("for x in data:\n    for y in x:\n        z = y\n        print(z)\n    print(y)", ["x z", "x z"]),
        ("for x in data:\n    try:\n        y = x()\n    except ValueError:\n        print(y)", ["x"]),
        ("for x in data:\n    try:\n        y = x()\n    finally:\n        print(x)", ["x y"]),
        ("try:\n    data()\nfinally:\n    for y in data:\n        pass\nprint(y)", [""]),
        ("for x in data:\n    with x:\n        y = x()\n    print(y)", ["x"]),
        ("for x in data:\n    y = x\n    data.append(lambda: y)", ["x"]),
        ("for x in data:\n    y = x\n    data.append(y for _ in x)", [""]),
        ("for x in data:\n    y = x\n    data.append([y for _ in x])", ["x y"]),
        ("for x in data:\n    y = x\n    print(locals())", [""]),
        ("for x in data:\n    y += x", ["x"]),
        ("for x in data:\n    y: int\n    print(y)", ["x"]),
        ("for x in data:\n    y: int = x\n    print(y)", ["x y"]),
        ("for x in data:\n    with x as y:\n        pass\n    print(y)", ["x y"]),
        ("for x in data:\n    with x, x as y:\n        pass\n    print(y)", ["x"]),
        ("for x, (y[0], *z) in data:\n    y = z", ["x z"]),
        ("for x in data:\n    match x:\n        case [y]:\n            pass\n    print(y)", ["x"]),
        ("for data in data:\n    print(data)", [""]),
        ("global y\nfor x in data:\n    y = x", ["x"]),
    ],
)  # fmt: skip
def test_names_are_dead_that_no_path_reads(body: str, names: list[str]) -> None:
    assert dead(body) == names


NAMES = ("a", "b", "c", "d")
YIELDS = "yield step()"


def program(rng: random.Random, depth: int = 0, looping: bool = False, kinds: tuple[str, ...] = ()) -> list[str]:
    """Statements that bind, read and leave, and those of more `kinds`; each loop is marked by a comment at its head and at the end of its body."""
    lines = ["pass"]
    for _ in range(rng.randint(1, 4)):
        kind = rng.choice(
            ("bind", "bind", "read", "if", "for", "while", "try", "with", "annotate", "leave", *kinds)
            if depth < 3
            else ("bind", "read", "leave", *kinds)
        )
        name, other = rng.choice(NAMES), rng.choice(NAMES)

        def inner(looping: bool = looping) -> list[str]:
            return ["    " + line for line in program(rng, depth + 1, looping, kinds)]

        if kind == "bind":
            lines.append(f"{name} = step() + {rng.choice((other, '1'))}" if rng.random() < 0.5 else f"{name} = step()")
        elif kind == "read":
            lines.append(f"seen.append({name})")
        elif kind == "if":
            lines += ["if step() % 2:", *inner(), "else:", *inner()]
        elif kind == "for":
            lines += ["# before", f"for {name} in range(step() % 3):", *inner(True), "    # end"]
        elif kind == "while":
            lines += ["# before", "while step() % 3:", *inner(True), "    # end"]
        elif kind == "try":
            lines += ["try:", *inner(), "    fail()", "except ValueError:", *inner(), rng.choice(("finally:", "else:")), *inner()]
        elif kind == "with":
            first, second = rng.sample(("swallowing()", f"opened() as {name}", "opened()"), 2)
            lines += [f"with {first}, {second}:", *inner(), "    fail()"]
        elif kind == "yield":
            lines.append(YIELDS)
        elif kind == "annotate":
            lines.append(f"{name}: int")
        elif looping:
            lines.append(f"if step() % 2: {rng.choice(('break', 'continue'))}")
    return lines


def seen_by(text: str, seed: int) -> list[object]:
    """What a function reads, with the same chances each time."""
    rng = random.Random(seed)
    seen: list[object] = []
    left = iter(range(300))

    def step() -> int:
        next(left)
        return rng.randrange(6)

    def fail() -> None:
        if rng.random() < 0.5:
            raise ValueError

    @contextmanager
    def opened() -> Iterator[int]:
        fail()
        yield step()

    namespace: dict[str, Any] = {"step": step, "fail": fail, "seen": seen, "opened": opened, "swallowing": lambda: suppress(ValueError)}
    exec(text, namespace)  # noqa: S102 a program of its own making
    try:
        seen += namespace["f"](()) or ()
    except (StopIteration, RuntimeError, UnboundLocalError, ValueError) as error:
        seen.append(type(error))
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(150))
def test_a_dead_name_may_hold_anything(seed: int) -> None:
    rng = random.Random(seed)
    text, node = function("\n".join(["a = b = c = d = 0", *program(rng)]))
    names = dead_names(node).loops
    found = list(loops(node.body))
    lines = text.splitlines()
    stack: list[int] = []
    number = -1
    for row, line in enumerate(lines):
        if line.strip() in ("# before", "# end"):
            if line.strip() == "# before":
                number += 1
                stack.append(number)
            loop = stack[-1] if line.strip() == "# before" else stack.pop()
            held = [f"{name} = 'dead'" for name in names[id(found[loop])]]
            lines[row] = line.partition("#")[0] + ("; ".join(held) or "pass")
    changed = "\n".join(lines)
    assert [seen_by(text, chance) for chance in range(20)] == [seen_by(changed, chance) for chance in range(20)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(150))
def test_a_name_that_is_dead_at_a_yield_may_hold_anything(seed: int) -> None:
    rng = random.Random(seed)
    text, node = function("\n".join(["a = b = c = d = 0", *program(rng, kinds=("yield",) * 4), YIELDS]))
    held, changed, at = names_of_blocks(node), "", -1
    before = 0
    while (at := text.find(YIELDS, at + 1)) >= 0:
        onward = rest(node, at)  # None: a generator with a yield from which it cannot be gone on with
        bound = "".join(f"; {name} = 'dead'" for name in dead_names(onward, held).start) if onward is not None else ""
        changed += text[before : at + len(YIELDS)] + bound
        before = at + len(YIELDS)
    changed += text[before:]
    assert [seen_by(text, chance) for chance in range(20)] == [seen_by(changed, chance) for chance in range(20)]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("for a in data:\n    b = a + 1\n    yield b", "a b"),
        ("for a in data:\n    b = a + 1\n    yield b\n    print(b)", "a"),
        ("b = 1\nwhile True:\n    a = b\n    yield a\n    b += 1", "a"),
        ("a = b = 1\ndef f():\n    return a\nyield f", "b f"),
        ("a = b = 1\ntry:\n    yield a\nfinally:\n    print(b)", "a"),
        ("with data as a:\n    b = 1\n    yield b", "a b"),
        ("a = 1\nyield a\nprint(locals())", ""),
    ],
)
def test_names_are_dead_that_nothing_reads_behind_a_yield(body: str, names: str) -> None:
    text, node = function(body)
    onward = rest(node, text.index("yield"))
    assert onward is not None
    assert " ".join(dead_names(onward, names_of_blocks(node)).start) == names


def inner_code(code: CodeType) -> Iterator[CodeType]:
    """The blocks within one; what has type parameters lies in a block of these."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            if part.co_name.startswith("<generic parameters"):
                yield from inner_code(part)
            else:
                yield part


def kept(code: CodeType) -> set[str]:
    """The names that blocks within one have of those around, but for comprehensions, which are over when it returns."""
    found: set[str] = set()
    for inner in inner_code(code):
        found |= kept(inner) if inner.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>") else {*inner.co_freevars}
    return found


@pytest.mark.parametrize("module", [argparse, dataclasses, functools, inspect, typing], ids=lambda module: module.__name__)
def test_what_a_function_returns_without_is_no_cell_of_it(module: ModuleType) -> None:
    text = inspect.getsource(module)
    cells = {part.co_name: kept(part) for part in inner_code(compile(text, "", "exec"))}
    functions = [node for node in lower(text).body if isinstance(node, ir.FuncDef)]
    for node in functions:
        assert cells[node.name].isdisjoint(names_of_its_own(node)), node.name
    assert sum(map(bool, map(names_of_its_own, functions))) > len(functions) / 2
