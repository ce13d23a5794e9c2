"""What a statement binds: names, and the attributes and items that it assigns to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mxlint.syntax import ir


def targets(node: ir.Stmt) -> Iterator[ir.Expr]:
    """What a statement itself assigns to, and none within it."""
    if isinstance(node, ir.Assign):
        for target in node.targets:
            yield from _single(target)
    elif isinstance(node, (ir.AugAssign, ir.For)):
        yield from _single(node.target)
    elif isinstance(node, ir.With):
        for _, item in node.items:
            if item is not None:
                yield from _single(item)


def _single(target: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(target, ir.Seq):
        for item in target.items:
            yield from _single(item)
    else:
        yield target.value if isinstance(target, ir.Starred) else target


def names(node: ir.Stmt) -> Iterator[str]:
    """The names that a statement binds in the block in which it stands, those of statements and expressions within it among them; "*" for all of a module."""
    todo: list[object] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            todo.extend(part)
            continue
        if not isinstance(part, ir.Node) or isinstance(part, (ir.Lambda, ir.Comp)):
            continue
        if isinstance(part, ir.Stmt):
            yield from (target.id for target in targets(part) if isinstance(target, ir.Name))
        if isinstance(part, (ir.FuncDef, ir.ClassDef, ir.TypeAlias)):
            yield part.name
            continue
        if isinstance(part, ir.Import):
            yield from (alias or name.partition(".")[0] for name, alias in part.names)
        elif isinstance(part, ir.ImportFrom):
            yield from (alias or name for name, alias in part.names)
        elif isinstance(part, ir.Walrus):
            yield part.target.id
        elif isinstance(part, (ir.Case, ir.UnknownStmt)):
            yield from part.binds
        todo += part.inner()


def once(function: ir.FuncDef) -> frozenset[str]:
    """The variables of a function that are bound once in each activation: its parameters, and what one assignment of its body binds, outside of all
    blocks in it, if nothing else in it can bind or delete them."""
    bound = Counter(name for stmt in function.body for name in names(stmt))
    single = {target.id for stmt in function.body if isinstance(stmt, ir.Assign) for target in targets(stmt) if isinstance(target, ir.Name)}
    given = {param.name for param in function.params}
    others = {*function.scope.globals, *function.scope.nonlocals}
    todo: list[object] = [function.body]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            todo.extend(part)
        elif isinstance(part, ir.Node):
            if isinstance(part, (ir.FuncDef, ir.Lambda, ir.ClassDef)):
                others |= part.scope.nonlocals
            elif isinstance(part, ir.Walrus):
                others.add(part.target.id)  # which may stand in a comprehension
            elif isinstance(part, ir.Delete):
                others |= {target.id for target in part.targets if isinstance(target, ir.Name)}
            todo += part.inner()
    return frozenset(name for name in (single | given) - others if bound[name] + (name in given) == 1)
