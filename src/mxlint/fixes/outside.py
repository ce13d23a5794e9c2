"""MX101 and MX202: what prints or keeps an array of a trace done after the call, with the array returned; or what prints left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from mxlint.finding import Edit, Fix
from mxlint.fixes.compiled import calls_of, function_at
from mxlint.fixes.remedies import Outside
from mxlint.fixes.syntax import Sources, Syntax, bound, has_long_string, local_names, needed, syntax_of
from mxlint.fixes.tree import Tree


def outside(remedy: Outside, sources: Sources) -> Iterator[Fix]:
    syntax = syntax_of(sources, remedy.place)
    node = syntax.at(remedy.place) if syntax is not None else None
    if syntax is None or node is None:
        return
    statement = syntax.statement(node)
    calls = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    keeps = isinstance(statement, ast.Assign) and all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in statement.targets)
    if not calls and not keeps:
        return  # the rest of the function has to do with what it makes
    try:
        text = " ".join(syntax.text(statement).split())
        edits = _returned(syntax, statement, remedy)
        if edits is not None:
            yield Fix("unsafe", f"return what {text} needs, and do it after the call", tuple(edits))
        if remedy.needless and isinstance(statement, ast.Expr):
            yield Fix("unsafe", f"leave out {text}", tuple(_left_out(syntax, statement)))
    except (ValueError, LookupError):  # other statements share the lines
        return


def _left_out(syntax: Syntax, statement: ast.Expr) -> list[Edit]:
    tree = Tree(syntax, statement)
    block = syntax.block(statement)
    line = tree.find(statement, cst.Expr)
    if len(block) == 1:
        return tree.replaced({line: cst.Pass()})
    first, last = syntax.first_row(statement), statement.end_lineno
    assert last is not None
    return [syntax.edit(syntax.source.offset(first), syntax.source.offset(last + 1), "")]


# -- returned, and done outside ---------------------------------------------------------------------------------------


def _returned(syntax: Syntax, statement: ast.stmt, remedy: Outside) -> list[Edit] | None:
    """The names that a statement of the compiled function needs returned, and the statement done after each call."""
    function, site = function_at(syntax, remedy.function), syntax.at(remedy.site)
    if not isinstance(function, ast.FunctionDef) or site is None or statement not in function.body or has_long_string(statement):
        return None
    names = sorted(needed(statement) & local_names(function))
    calls, returns = calls_of(syntax, site, function), [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    after = function.body[function.body.index(statement) + 1 :]
    if not calls or not names or returns != after[-1:] or names_bound(after) & {*names}:
        return None
    if isinstance(statement, ast.Assign) and _reads(syntax, after, statement.targets):
        return None
    own = returns[0].value
    uses = [_use(syntax, call) for call in calls]
    if own is None or any(use is None for use in uses):
        return None
    returned = [own.id] if isinstance(own, ast.Name) else []
    more = [name for name in names if name not in returned]
    flat = isinstance(own, ast.Tuple) and all(use is not None and use.unpacks(own) for use in uses)
    edits: list[Edit] = []
    for use in uses:
        made = use.taken(syntax, statement, returned if more != names else [], more, flat=flat) if use is not None else None
        if made is None:
            return None
        edits += made
    tree = Tree(syntax, function)
    changes: dict[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel] = {tree.find(statement, cst.SimpleStatementLine): cst.RemoveFromParent()}
    if more:
        value = tree.find(own, cst.BaseExpression)  # type: ignore[type-abstract]
        elements = value.elements if flat and isinstance(value, cst.Tuple) else [cst.Element(value)]
        changes[tree.find(returns[0], cst.Return)] = tree.find(returns[0], cst.Return).with_changes(
            value=cst.Tuple([*elements, *(cst.Element(cst.Name(name)) for name in more)], lpar=(), rpar=())
        )
    return [*edits, *tree.replaced(changes)]


def names_bound(statements: Sequence[ast.stmt]) -> set[str]:
    return {name for statement in statements for name in bound(statement)}


def _reads(syntax: Syntax, statements: Sequence[ast.stmt], targets: Sequence[ast.expr]) -> bool:
    """Whether any of the statements has to do with what is assigned to."""
    texts = {syntax.text(target) for target in targets}
    return any(isinstance(node, ast.expr) and syntax.text(node) in texts for statement in statements for node in ast.walk(statement))


@dataclass(frozen=True, slots=True)
class _Use:
    """A statement that is nothing but a call of the compiled function, with or without a name for its result."""

    statement: ast.Assign | ast.Expr
    call: ast.Call

    def unpacks(self, value: ast.Tuple) -> bool:
        """Whether the parts of a result have a name each."""
        target = self.statement.targets[0] if isinstance(self.statement, ast.Assign) else None
        return (
            isinstance(target, ast.Tuple)
            and len(target.elts) == len(value.elts)
            and not any(isinstance(item, ast.Starred) for item in (*target.elts, *value.elts))
        )

    def taken(self, syntax: Syntax, moved: ast.stmt, first: list[str], more: list[str], *, flat: bool) -> list[Edit] | None:
        """The call with names for what it returns as well, and the statement that needs them after it. `first`: the names that stand for
        the whole result as it is."""
        target = self.statement.targets[0] if isinstance(self.statement, ast.Assign) else None
        scope = syntax.function(self.statement)
        names_in = (node.id for node in ast.walk(scope) if isinstance(node, ast.Name) and syntax.owner_of(node.id, node) is scope)
        taken = {*names_in, *local_names(scope)}
        names = {name: name if name not in taken else syntax.fresh(name) for name in (*first, *more)}
        if first and isinstance(target, ast.Name):
            names[first[0]] = target.id
        elif first and target is not None:
            return None
        text = syntax.text(target) if target is not None else names[first[0]] if first else "_"
        if isinstance(target, ast.Tuple) and not flat and more and not text.startswith("("):
            text = f"({text})"
        elif flat:
            text = text.removeprefix("(").removesuffix(")")
        bound_to = ", ".join([text, *(names[name] for name in more)])
        after = syntax.after(self.statement, _renamed(syntax, moved, names))
        start = syntax.start(self.statement)
        head = syntax.edit(start, syntax.start(self.call), f"{bound_to} = ")
        return None if after is None or "\n" in head.content else [after, *([] if text == bound_to and target is not None else [head])]


def _use(syntax: Syntax, call: ast.Call) -> _Use | None:
    statement = syntax.parents[call]
    single = isinstance(statement, ast.Assign) and len(statement.targets) == 1
    if not single and not isinstance(statement, ast.Expr):
        return None
    assert isinstance(statement, (ast.Assign, ast.Expr))
    return _Use(statement, call) if syntax.start(call) >= syntax.start(statement) and syntax.alone(statement) else None


def _renamed(syntax: Syntax, statement: ast.stmt, names: Mapping[str, str]) -> list[str]:
    """The lines of the statement, with other names."""
    tree = Tree(syntax, statement)
    changes: dict[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel] = {
        tree.find(node, cst.Name): cst.Name(names[node.id])
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and names.get(node.id, node.id) != node.id
    }
    return [*syntax.comments(statement), *tree.code(changes)]
