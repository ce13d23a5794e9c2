"""MX208: the checks of a compiled function made by a plain one, which then calls it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import dropwhile

import libcst as cst

from mxlint.finding import Fix
from mxlint.fixes.compiled import function_at
from mxlint.fixes.remedies import CheckBefore
from mxlint.fixes.syntax import Sources, Syntax, has_long_string, local_names, needed, parameters, syntax_of
from mxlint.fixes.tree import Tree


def check_before(remedy: CheckBefore, sources: Sources) -> Iterator[Fix]:
    syntax = syntax_of(sources, remedy.site)
    site, function = (syntax.at(remedy.site), function_at(syntax, remedy.function)) if syntax is not None else (None, None)
    if syntax is None or site is None or not isinstance(function, ast.FunctionDef) or site not in function.decorator_list:
        return
    checks = _checks(syntax, function, remedy)
    arguments = _forwarded(function)
    if checks is None or arguments is None or syntax.indent(function) != "":
        return
    name = syntax.fresh(f"compiled_{function.name.lstrip('_')}")
    try:
        tree = Tree(syntax, function)
        node = tree.find(function, cst.FunctionDef)
        body = node.body
        moved = [tree.find(check, _line(check)) for check in checks]
        changes: dict[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel] = {node.name: cst.Name(name)}
        text = function.body[0] if ast.get_docstring(function, clean=False) is not None else None
        if text is not None and syntax.alone(text):  # what users are told stays with the name that they know
            moved.insert(0, tree.find(text, cst.SimpleStatementLine))
        changes |= dict.fromkeys(moved, cst.RemoveFromParent())
        if [*body.body[: len(moved)]] == moved:  # no blank lines where the body starts
            first = cst.ensure_type(body.body[len(moved)], cst.BaseStatement)  # type: ignore[type-abstract]
            lines = getattr(first, "leading_lines", ())
            changes[first] = first.with_changes(leading_lines=[*dropwhile(lambda line: line.comment is None, lines)])
        call = cst.parse_statement(f"return {name}({arguments})")
        plain = node.with_changes(decorators=(), body=body.with_changes(body=[*moved, call]), leading_lines=(), lines_after_decorators=())
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
    inner = local_names(function) - parameters(function)
    rebound = {
        node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    places = [syntax.stretch(place) for place in remedy.places]
    for part in function.body:
        if any(syntax.start(part) <= start and end <= syntax.end(part) for start, end in places):
            raises = isinstance(part, ast.Assert) or isinstance(part, ast.If) and _only_raises(part)
            if not raises or needed(part) & (inner | rebound) or not syntax.alone(part) or has_long_string(part):
                break
            found.append(part)
        elif any(isinstance(node, (ast.Raise, ast.Assert)) for node in ast.walk(part)):
            break
    return found if found and len(found) < len(function.body) else None


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
