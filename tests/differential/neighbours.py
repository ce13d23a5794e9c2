"""Programs near a given one: the same with one or a few changes that alter what it does. Nothing here knows what MLX does with them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import TypeAlias

Change: TypeAlias = Callable[[ast.Module, Random], bool]
"""Changes a module in place; False if there is nothing that it could change."""
SIBLINGS = (
    (ast.Add, ast.Sub, ast.Mult),
    (ast.Lt, ast.LtE, ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.And, ast.Or),
    (ast.In, ast.NotIn),
)
"""Operators that can stand for each other."""
VALUES = (0, 1, 2, 3, -1, 1.0, 2.5, True, False, None, "a")
ROUNDS = 2


def neighbour(files: Mapping[str, str], random: Random) -> dict[str, str] | None:
    """The files of a program with one to three changes in one of them; None where that leaves it as it was, or no program."""
    name = random.choice(sorted(files))
    try:
        tree = ast.parse(files[name])
    except SyntaxError:
        return None
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        random.choice(CHANGES)(tree, random)
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        compile(text, name, "exec")
    except (SyntaxError, ValueError):
        return None
    return None if text == ast.unparse(ast.parse(files[name])) + "\n" else {**files, name: text}


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements in a module."""
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield value


def _statement(tree: ast.Module, random: Random) -> tuple[list[ast.stmt], int]:
    """A statement, by the block that it is in; imports are left alone."""
    places = [(block, at) for block in _blocks(tree) for at, node in enumerate(block) if not isinstance(node, (ast.Import, ast.ImportFrom))]
    return random.choice(places or [(tree.body, 0)])


def delete(tree: ast.Module, random: Random) -> bool:
    """Leave out a statement."""
    block, at = _statement(tree, random)
    block[at : at + 1] = [ast.Pass()] if len(block) < 2 else []
    return True


def repeat(tree: ast.Module, random: Random) -> bool:
    """Do a statement twice."""
    block, at = _statement(tree, random)
    block[at:at] = copy.deepcopy(block[at : at + 1])
    return True


def swap(tree: ast.Module, random: Random) -> bool:
    """Exchange two statements that follow each other."""
    block, at = _statement(tree, random)
    if at + 1 >= len(block):
        return False
    block[at], block[at + 1] = block[at + 1], block[at]
    return True


def move(tree: ast.Module, random: Random) -> bool:
    """Put a statement, or a copy of it, elsewhere."""
    block, at = _statement(tree, random)
    other, where = _statement(tree, random)
    node = copy.deepcopy(block[at])
    if isinstance(node, (ast.Return, ast.FunctionDef, ast.ClassDef)):
        return False
    other.insert(where + random.randrange(2), node)
    return True


def wrap(tree: ast.Module, random: Random) -> bool:
    """Do a statement in a loop, under a condition or in a try."""
    block, at = _statement(tree, random)
    node = block[at]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return False
    head = random.choice(
        (
            f"for again in range({random.randrange(4)}): pass",
            "if True: pass",
            "if len('ab') > 1: pass",
            "try: pass\nfinally: pass",
            "try: pass\nexcept ValueError: pass",
            "while True:\n    pass\n    break",
        )
    )
    outer = ast.parse(head).body[0]
    body = getattr(outer, "body")  # noqa: B009 - each of them has one
    body[0] = node
    block[at] = outer
    return True


def _names(tree: ast.Module) -> list[ast.Name]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Name)]


def rename_use(tree: ast.Module, random: Random) -> bool:
    """Read another variable than was read."""
    names = _names(tree)
    uses = [node for node in names if isinstance(node.ctx, ast.Load)]
    if not uses:
        return False
    random.choice(uses).id = random.choice(names).id
    return True


def rename_target(tree: ast.Module, random: Random) -> bool:
    """Write another variable than was written."""
    names = _names(tree)
    targets = [node for node in names if isinstance(node.ctx, ast.Store)]
    if not targets:
        return False
    random.choice(targets).id = random.choice(names).id
    return True


def constant(tree: ast.Module, random: Random) -> bool:
    """Another constant."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    if not found:
        return False
    node = random.choice(found)
    same = [node.value for node in found]
    near = [node.value + 1, node.value - 1] if isinstance(node.value, (int, float)) and not isinstance(node.value, bool) else []
    node.value = random.choice(near or [*VALUES, *same]) if random.random() < 0.7 else random.choice(same)
    return True


def operator(tree: ast.Module, random: Random) -> bool:
    """Another operator."""
    places: list[tuple[ast.AST, str, int | None, type]] = []
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            listed = value if isinstance(value, list) else [value]
            places += [(node, name, at if isinstance(value, list) else None, type(one)) for at, one in enumerate(listed) if _kin(type(one))]
    if not places:
        return False
    node, name, at, kind = random.choice(places)
    new = random.choice(_kin(kind))()
    if at is None:
        setattr(node, name, new)
    else:
        getattr(node, name)[at] = new
    return True


def _kin(kind: type) -> tuple[type, ...]:
    return next((group for group in SIBLINGS if kind in group), ())


def drop_argument(tree: ast.Module, random: Random) -> bool:
    """Call with an argument less."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and (node.args or node.keywords)]
    if not found:
        return False
    node = random.choice(found)
    listed: list[ast.expr] | list[ast.keyword] = node.keywords if node.keywords and (not node.args or random.random() < 0.7) else node.args
    del listed[random.randrange(len(listed))]
    return True


def option(tree: ast.Module, random: Random) -> bool:
    """Compile with `shapeless=True`, or without."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and any(_is_compile(part) for part in (node.func, *node.args))]
    if not found:
        return False
    node = random.choice(found)
    kept = [keyword for keyword in node.keywords if keyword.arg != "shapeless"]
    node.keywords = kept if len(kept) < len(node.keywords) else [*kept, ast.keyword("shapeless", ast.Constant(True))]
    return True


def _is_compile(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "compile"


def splice(tree: ast.Module, random: Random) -> bool:
    """An expression in place of another one."""
    places: list[tuple[ast.AST, str, int | None, ast.expr]] = []
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if name in ("targets", "target", "decorator_list", "annotation", "returns", "optional_vars"):
                continue
            listed = value if isinstance(value, list) else [value]
            places += [
                (node, name, at if isinstance(value, list) else None, one)
                for at, one in enumerate(listed)
                if isinstance(one, ast.expr) and isinstance(getattr(one, "ctx", ast.Load()), ast.Load) and not isinstance(one, ast.Slice)
            ]
    if not places:
        return False
    node, name, at, _ = random.choice(places)
    new = copy.deepcopy(random.choice(places)[3])
    if at is None:
        setattr(node, name, new)
    else:
        getattr(node, name)[at] = new
    return True


def swap_arguments(tree: ast.Module, random: Random) -> bool:
    """Exchange two arguments of a call, or two operands."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 1 or isinstance(node, ast.BinOp)]
    if not found:
        return False
    node = random.choice(found)
    if isinstance(node, ast.BinOp):
        node.left, node.right = node.right, node.left
    elif isinstance(node, ast.Call):
        random.shuffle(node.args)
    return True


def assign_in_place(tree: ast.Module, random: Random) -> bool:
    """`x = x + 1` as `x += 1`, and the other way about; they differ for lists and arrays."""
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.AugAssign, ast.Assign))]
    random.shuffle(found)
    for node in found:
        for block in _blocks(tree):
            if node not in block:
                continue
            if isinstance(node, ast.AugAssign):
                value = copy.deepcopy(node.target)
                value.ctx = ast.Load()
                block[block.index(node)] = ast.Assign([node.target], ast.BinOp(value, node.op, node.value))
                return True
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.BinOp)
                and isinstance(node.targets[0], (ast.Name, ast.Attribute, ast.Subscript))
            ):
                block[block.index(node)] = ast.AugAssign(node.targets[0], node.value.op, node.value.right)
                return True
    return False


CHANGES: tuple[Change, ...] = (
    delete, repeat, swap, move, move, wrap, rename_use, rename_use, rename_target, constant, constant, operator, drop_argument, option, splice, splice,
    swap_arguments, assign_in_place,
)  # fmt: skip
