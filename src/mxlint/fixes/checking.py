"""MX208: the checks of a compiled function made by a plain one, which then calls it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import dropwhile

import libcst as cst

from mxlint.finding import Fix
from mxlint.fixes.compiled import function_at
from mxlint.fixes.remedies import CheckBefore
from mxlint.fixes.scopes import bound, local_names, needed, parameters
from mxlint.fixes.syntax import Sources, Syntax, syntax_of
from mxlint.fixes.tree import Tree

SIZES = ("shape", "ndim", "size", "dtype")
"""Attributes of an array that are known while it is traced."""


def check_before(remedy: CheckBefore, sources: Sources) -> Iterator[Fix]:
    """Move the checks of arguments into a plain function that calls the compiled one."""
    syntax = syntax_of(sources, remedy.site)
    site, function = (syntax.at(remedy.site), function_at(syntax, remedy.function)) if syntax is not None else (None, None)
    if syntax is None or site is None or not isinstance(function, ast.FunctionDef) or site not in function.decorator_list:
        return
    checks = _checks(syntax, function, remedy)
    arguments = _forwarded(function)
    if checks is None or arguments is None or syntax.indent(function) != "":
        return
    sizes = _sizes(syntax, function, checks)
    if sizes is None:
        return
    name = syntax.fresh(f"compiled_{function.name.lstrip('_')}")
    try:
        tree = Tree(syntax, function)
        node = tree.find(function, cst.FunctionDef)
        body = node.body
        plainly = sorted([*checks, *sizes], key=syntax.start)
        rest = [part for part in function.body if part not in plainly]
        kept = [part for part in sizes if bound(part) & {name for other in rest for name in needed(other)}]
        moved = [tree.find(part, _line(part)) for part in plainly if part not in kept]
        taken = [tree.find(part, _line(part)) for part in plainly]
        changes: dict[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel] = {node.name: cst.Name(name)}
        text = function.body[0] if ast.get_docstring(function, clean=False) is not None else None
        if text is not None and syntax.alone(text):  # what users are told stays with the name that they know
            moved.insert(0, tree.find(text, cst.SimpleStatementLine))
            taken.insert(0, moved[0])
        changes |= dict.fromkeys(moved, cst.RemoveFromParent())
        if [*body.body[: len(moved)]] == moved:  # no blank lines where the body starts
            first = cst.ensure_type(body.body[len(moved)], cst.BaseStatement)  # type: ignore[type-abstract]
            lines = getattr(first, "leading_lines", ())
            changes[first] = first.with_changes(leading_lines=[*dropwhile(lambda line: line.comment is None, lines)])
        call = cst.parse_statement(f"return {name}({arguments})")
        plain = node.with_changes(decorators=(), body=body.with_changes(body=[*taken, call]), leading_lines=(), lines_after_decorators=())
        text_lines = cst.Module([plain]).code.rstrip("\n").split("\n")
        after = syntax.after(function, ["", "", *text_lines])
        edits = tree.replaced(changes)
    except (ValueError, LookupError):
        return
    if after is not None:
        yield Fix("unsafe", f"check the arguments in a plain function, and compile {name}", (*edits, after))


def _line(check: ast.stmt) -> type[cst.CSTNode]:
    return cst.If if isinstance(check, ast.If) else cst.SimpleStatementLine


def _checks(syntax: Syntax, function: ast.FunctionDef, remedy: CheckBefore) -> list[ast.stmt] | None:
    """The statements of the body that raise, in its order, if they have to do with nothing but the arguments and what lies outside: those before the
    first that cannot be moved."""
    found: list[ast.stmt] = []
    inner = local_names(function) - parameters(function) - {name for part in function.body if _is_size(part) for name in bound(part)}
    rebound = {
        node.id
        for part in function.body
        if not _is_size(part)
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    places = [syntax.stretch(place) for place in remedy.places]
    for part in function.body:
        if any(syntax.start(part) <= start and end <= syntax.end(part) for start, end in places):
            raises = isinstance(part, ast.Assert) or isinstance(part, ast.If) and _only_raises(part)
            if not raises or needed(part) & (inner | rebound) or not syntax.alone(part) or syntax.has_long_string(part):
                break
            found.append(part)
        elif any(isinstance(node, (ast.Raise, ast.Assert)) for node in ast.walk(part)):
            break
    return found if found and len(found) < len(function.body) else None


def _sizes(syntax: Syntax, function: ast.FunctionDef, checks: list[ast.stmt]) -> list[ast.stmt] | None:
    """The statements that give names to sizes of arguments which the checks ask for; None where one is not such a size whenever it is asked for."""
    given = parameters(function) - {name for part in function.body for name in bound(part)}
    names = {name for check in checks for name in needed(check)} & (local_names(function) - parameters(function))
    found: list[ast.stmt] = []
    for name in names:
        setting = [part for part in function.body if name in bound(part)]
        first = setting[0]
        if len(setting) > 1 or not _is_size(first) or not needed(first) <= given or not syntax.alone(first):
            return None
        if any(syntax.start(check) < syntax.start(first) for check in checks if name in needed(check)):
            return None
        found += [first] if first not in found else []
    return found


def _is_size(statement: ast.stmt) -> bool:
    """Whether a statement gives a name to the shape of an argument, or to a part of it, or names to all its parts."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Name) and isinstance(value, ast.Subscript) and isinstance(value.slice, (ast.Constant, ast.UnaryOp)):
        value = value.value
    named = isinstance(target, ast.Name) or isinstance(target, ast.Tuple) and all(isinstance(item, ast.Name) for item in target.elts)
    return named and isinstance(value, ast.Attribute) and value.attr in SIZES and isinstance(value.value, ast.Name)


def _only_raises(check: ast.If) -> bool:
    """Whether a branch raises, or another one does, and nothing else is done."""
    return all(isinstance(part, ast.Raise) or isinstance(part, ast.If) and _only_raises(part) for part in (*check.body, *check.orelse))


def _forwarded(function: ast.FunctionDef) -> str | None:
    """The arguments with which a function of the same parameters calls another."""
    arguments = function.args
    parts = [param.arg for param in [*arguments.posonlyargs, *arguments.args]]
    parts += [f"*{arguments.vararg.arg}"] if arguments.vararg else []
    if arguments.kwonlyargs or arguments.kwarg:
        return None
    return ", ".join(parts)
