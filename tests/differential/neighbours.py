"""Programs near a given one: the same with one to three changes, which alter what it does. Nothing here knows what MLX does with them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

Change: TypeAlias = Callable[[ast.Module, Random], None]
"""Changes a module in place, if it holds what the change is about."""
KIN: tuple[tuple[type[ast.AST], ...], ...] = (
    (ast.Add, ast.Sub, ast.Mult),
    (ast.Lt, ast.LtE, ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.And, ast.Or),
    (ast.In, ast.NotIn),
)
"""Operators that can stand for each other."""
VALUES = (0, 1, 2, 3, -1, 1.0, 2.5, True, False, None, "a")
AROUND = (
    "for again in range(3): pass",
    "for again in range(0): pass",
    "if len('ab') > 1: pass",
    "try: pass\nfinally: pass",
    "try: pass\nexcept ValueError: pass",
    "while True:\n    pass\n    break",
)
"""Statements in whose body another one can stand."""
NO_READS = frozenset({"targets", "target", "decorator_list", "annotation", "returns", "optional_vars"})
"""Fields of nodes in which not every expression can stand."""


class Place(NamedTuple):
    """Where a node stands in its parent."""

    parent: ast.AST
    field: str
    index: int | None

    @property
    def node(self) -> ast.AST:
        held = getattr(self.parent, self.field)
        found: ast.AST = held if self.index is None else held[self.index]
        return found

    def put(self, node: ast.AST) -> None:
        """Another node here."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def neighbour(files: Mapping[str, str], random: Random) -> dict[str, str] | None:
    """The files of a program with one to three changes in one of them; None if that leaves it as it was, or gives no program."""
    name = random.choice(sorted(files))
    before = ast.unparse(ast.parse(files[name])) + "\n"
    after = changed(before, random.choices(CHANGES, k=random.choice((1, 1, 1, 2, 3))), random)
    return None if after is None or after == before else {**files, name: after}


def changed(text: str, changes: list[Change], random: Random) -> str | None:
    """The text of a module after some changes, laid out anew; None if that is no program."""
    tree = ast.parse(text)
    for change in changes:
        change(tree, random)
    try:
        after = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        compile(after, "<neighbour>", "exec")
    except (SyntaxError, ValueError):
        return None
    return after


def _places(tree: ast.AST) -> Iterator[Place]:
    """All nodes of a module, by where they stand."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(node, ast.AST):
                    yield Place(parent, field, index)


def _statement(tree: ast.Module, random: Random) -> tuple[list[ast.stmt], int] | None:
    """A statement that is no import, by the block that it is in and its index there."""
    found = [
        place for place in _places(tree) if isinstance(place.node, ast.stmt) and not isinstance(place.node, (ast.Import, ast.ImportFrom))
    ]
    if not found:
        return None
    parent, field, index = random.choice(found)
    return getattr(parent, field), index or 0


def delete(tree: ast.Module, random: Random) -> None:
    """Leave out a statement."""
    if found := _statement(tree, random):
        block, at = found
        block[at : at + 1] = [] if len(block) > 1 else [ast.Pass()]


def repeat(tree: ast.Module, random: Random) -> None:
    """Do a statement twice."""
    if found := _statement(tree, random):
        block, at = found
        block.insert(at, deepcopy(block[at]))


def swap(tree: ast.Module, random: Random) -> None:
    """Exchange two statements that follow each other."""
    if found := _statement(tree, random):
        block, at = found
        block[at : at + 2] = reversed(block[at : at + 2])


def copy(tree: ast.Module, random: Random) -> None:
    """Do a statement elsewhere as well."""
    found, other = _statement(tree, random), _statement(tree, random)
    if found and other:
        node = deepcopy(found[0][found[1]])
        if not isinstance(node, (ast.Return, ast.FunctionDef, ast.ClassDef)):
            other[0].insert(other[1] + random.randrange(2), node)


def wrap(tree: ast.Module, random: Random) -> None:
    """Do a statement in a loop, under a condition or in a try."""
    if found := _statement(tree, random):
        block, at = found
        if not isinstance(block[at], (ast.FunctionDef, ast.ClassDef)):
            outer = ast.parse(random.choice(AROUND)).body[0]
            Place(outer, "body", 0).put(block[at])
            block[at] = outer


def read_other(tree: ast.Module, random: Random) -> None:
    """Read another variable than was read."""
    _rename(tree, random, ast.Load)


def write_other(tree: ast.Module, random: Random) -> None:
    """Write another variable than was written."""
    _rename(tree, random, ast.Store)


def _rename(tree: ast.Module, random: Random, context: type[ast.expr_context]) -> None:
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    if found := [node for node in names if isinstance(node.ctx, context)]:
        random.choice(found).id = random.choice(names).id


def constant(tree: ast.Module, random: Random) -> None:
    """Another constant: one near it, one of the module, or any."""
    if found := [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]:
        node = random.choice(found)
        value = node.value
        near = [value + 1, value - 1] if isinstance(value, (int, float)) and not isinstance(value, bool) else VALUES
        node.value = random.choice([random.choice(near), random.choice(found).value])


def operator(tree: ast.Module, random: Random) -> None:
    """Another operator."""
    kin = {kind: group for group in KIN for kind in group}
    if found := [place for place in _places(tree) if type(place.node) in kin]:
        place = random.choice(found)
        place.put(random.choice(kin[type(place.node)])())


def drop_argument(tree: ast.Module, random: Random) -> None:
    """Call with an argument less."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if found := [listed for call in calls for listed in (call.args, call.keywords, call.keywords) if listed]:
        listed = random.choice(found)
        del listed[random.randrange(len(listed))]


def swap_arguments(tree: ast.Module, random: Random) -> None:
    """Hand over the arguments of a call, or the operands of an operator, in another order."""
    if found := [node for node in ast.walk(tree) if isinstance(node, ast.BinOp) or isinstance(node, ast.Call) and len(node.args) > 1]:
        node = random.choice(found)
        if isinstance(node, ast.BinOp):
            node.left, node.right = node.right, node.left
        else:
            random.shuffle(node.args)


def shapeless(tree: ast.Module, random: Random) -> None:
    """Compile with `shapeless=True`, or without."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if found := [
        call for call in calls if any(isinstance(part, ast.Attribute) and part.attr == "compile" for part in (call.func, *call.args))
    ]:
        call = random.choice(found)
        kept = [keyword for keyword in call.keywords if keyword.arg != "shapeless"]
        call.keywords = kept if len(kept) < len(call.keywords) else [*kept, ast.keyword("shapeless", ast.Constant(True))]


def splice(tree: ast.Module, random: Random) -> None:
    """One expression of the module in place of another one."""
    expressions = [place for place in _places(tree) if isinstance(place.node, ast.expr) and not isinstance(place.node, ast.Slice)]
    if found := [p for p in expressions if p.field not in NO_READS and isinstance(getattr(p.node, "ctx", ast.Load()), ast.Load)]:
        random.choice(found).put(deepcopy(random.choice(found).node))


BLOCKS = ("body", "orelse", "finalbody")
SNIPPETS = tuple(Path(__file__).with_name("snippets.txt").read_text(encoding="utf-8").split("\n\n"))
"""Statements about `A`, `B` and `C`, which stand for names of a module."""
PYTHON = (
    "collections",
    "contextlib",
    "copy",
    "dataclasses",
    "enum",
    "functools",
    "itertools",
    "operator",
    "threading",
    "types",
    "typing",
    "weakref",
)
MODULES = {**{name: name for name in PYTHON}, "mlx": "mlx.utils", "mx": "mlx.core as mx", "nn": "mlx.nn as nn", "np": "numpy as np", "optim": "mlx.optimizers as optim"}  # fmt: skip
"""What imports the modules that they use, by the names under which they do."""


def insert(tree: ast.Module, random: Random) -> None:
    """A construct of Python or a call of a library, about names of the module."""
    blocks: list[list[ast.stmt]] = [
        block for node in ast.walk(tree) for field in BLOCKS if isinstance(block := getattr(node, field, None), list)
    ]
    names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})
    if not names:
        return
    called = {letter: random.choice(names) for letter in "ABC"}
    snippet = ast.parse(random.choice(SNIPPETS))
    for node in ast.walk(snippet):
        for field in ("id", "name", "attr"):
            if (name := getattr(node, field, None)) in called:
                setattr(node, field, called[name])
    block = random.choice(blocks)
    at = random.randrange(len(block) + 1)
    block[at:at] = snippet.body
    used = sorted({node.id for node in ast.walk(snippet) if isinstance(node, ast.Name)} & MODULES.keys())
    tree.body[:0] = ast.parse("\n".join(f"import {MODULES[name]}" for name in used)).body


def augment(tree: ast.Module, random: Random) -> None:
    """`x = x + y` as `x += y`, and the other way about; they differ for what can be changed in place."""
    found = [
        place
        for place in _places(tree)
        if isinstance(place.node, ast.AugAssign) or isinstance(place.node, ast.Assign) and isinstance(place.node.value, ast.BinOp)
    ]
    if not found:
        return
    place = random.choice(found)
    node = place.node
    if isinstance(node, ast.AugAssign):
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        place.put(ast.Assign([node.target], ast.BinOp(read, node.op, node.value)))
    elif (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BinOp)
        and not isinstance(node.targets[0], (ast.Tuple, ast.List, ast.Starred))
    ):
        place.put(ast.AugAssign(node.targets[0], node.value.op, node.value.right))  # type: ignore[arg-type]


CHANGES: tuple[Change, ...] = (
    delete, repeat, swap, copy, copy, wrap, read_other, read_other, write_other, constant, constant, operator, drop_argument, swap_arguments,
    shapeless, splice, splice, augment, insert, insert,
)  # fmt: skip
"""Those that stand here twice are drawn twice as often."""
