"""Names that code reads before it binds them: what a fix moves or writes must not stand above what it needs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from mxlint.fixes.scopes import COMPREHENSIONS, FUNCTIONS, parameters, plainly_bound
from mxlint.fixes.syntax import tree_of
from mxlint.source import Source


def reads_too_early(before: Source, after: Source) -> bool:
    """Whether a file as it is after a fix reads a name above all that binds it, which it did not do before."""
    old, new = tree_of(before), tree_of(after)
    return old is not None and new is not None and bool(_early(new.tree) - _early(old.tree))


@lru_cache(maxsize=8)
def _early(tree: ast.Module) -> Counter[str]:
    """The names that a module or one of its functions reads in a statement above the first that binds them."""
    found: Counter[str] = Counter()
    for scope in ast.walk(tree):
        if isinstance(scope, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
            found.update(_early_in(scope.body, _from_elsewhere(scope)))
    return found


def _early_in(body: Sequence[ast.stmt], elsewhere: set[str]) -> Iterator[str]:
    """The names that the statements of one scope read above the first that binds them. `elsewhere`: the names that may be bound before all of them."""
    first: dict[str, int] = {}
    for number, statement in enumerate(body):
        for name in plainly_bound(statement):
            first.setdefault(name, number)
    for number, statement in enumerate(body):
        yield from (name for name in {*_read_at_once(statement)} - elsewhere if first.get(name, number) > number)


def _from_elsewhere(scope: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names of a scope that other code may bind: parameters, and what is declared to be of another scope."""
    names = {name for part in ast.walk(scope) if isinstance(part, (ast.Global, ast.Nonlocal)) for name in part.names}
    return names | parameters(scope)


def _read_at_once(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement reads when it runs, and not when what it defines is called."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                yield node.id
        elif isinstance(node, FUNCTIONS):
            waiting += [*node.args.defaults, *filter(None, node.args.kw_defaults), *getattr(node, "decorator_list", ())]
        elif isinstance(node, COMPREHENSIONS):
            waiting.append(node.generators[0].iter)
        elif isinstance(node, ast.ClassDef):
            own = {name for part in node.body for name in plainly_bound(part)}
            yield from (name for part in node.body for name in _read_at_once(part) if name not in own)
            waiting += [*node.decorator_list, *node.bases, *(item.value for item in node.keywords)]
        else:
            waiting += ast.iter_child_nodes(node)
