"""MX209: what a compiled function reads from outside given to it as an argument."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Sequence

import libcst as cst

from mxlint.finding import Edit, Fix
from mxlint.fixes.arguments import Body
from mxlint.fixes.compiled import calls_of, function_at
from mxlint.fixes.remedies import Argument
from mxlint.fixes.syntax import Function, Sources, Syntax, bound, local_names, needed, syntax_of
from mxlint.fixes.tree import Tree

READ = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
"""What may be read: a name, something that it leads to, or what a function makes of it, such as `len(history)`."""


def pass_argument(remedy: Argument, sources: Sources) -> Iterator[Fix]:
    syntax = syntax_of(sources, remedy.site)
    site = syntax.at(remedy.site) if syntax is not None else None
    if syntax is None or site is None or any(place.filename != remedy.site.filename for place in remedy.places):
        return
    function, reads = function_at(syntax, remedy.function), [syntax.at(place) for place in remedy.places]
    if function is None or not _takes_one_more(function):
        return
    texts = {syntax.text(node) for node in reads if isinstance(node, READ)}
    calls = calls_of(syntax, site, function)
    if None in reads or len(texts) != 1 or not calls:
        return
    (text,) = texts
    same = [node for node in ast.walk(function) if isinstance(node, READ) and syntax.text(node) == text]
    if needed(same[0]) & local_names(function) or _changed(syntax, function, same[0]) or not set(reads) <= set(same):
        return
    name = _name(syntax, text, function)
    given = [_with_argument(syntax, call, same[0], text) for call in calls]
    if name is None or any(edit is None for edit in given):
        return
    mlx = syntax.module_alias("mlx.core")
    body = Body(syntax, function, mlx, frozenset(remedy.arrays)) if mlx is not None else None
    array = body is not None and all(body.takes_array(node) for node in same)
    for wrapped in ([f"{mlx}.array({text})"] if array else []) + [text]:
        calling = [_with_argument(syntax, call, same[0], wrapped) for call in calls]
        try:
            inside = _parameter_added(syntax, function, same, name)
        except (ValueError, LookupError):
            return
        yield Fix("unsafe", f"pass {wrapped} as an argument", (*inside, *(edit for edit in calling if edit is not None)))


def _takes_one_more(function: Function) -> bool:
    """Whether a last positional parameter can be added."""
    arguments = function.args
    return not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults)


def _changed(syntax: Syntax, function: Function, read: ast.expr) -> bool:
    """Whether the body itself changes what it reads."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    return bool(needed(read) & {name for part in body for name in bound(part)})


def _name(syntax: Syntax, text: str, function: Function) -> str | None:
    """A name for the parameter: the same name, or the last words of what is read."""
    if text.isidentifier():
        return text
    words = [word for word in re.findall(r"[^\W\d]\w*", text) if word.isidentifier()]
    name = "_".join(words[-2:] if "(" in text else words[-1:])
    taken = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} | local_names(function)
    return None if not words else name if name not in taken and not keyword.iskeyword(name) else syntax.fresh(name)


def _with_argument(syntax: Syntax, call: ast.Call, read: ast.expr, text: str) -> Edit | None:
    """A call with one more argument; None where what is read means something else there, or the arguments are not all in sight."""
    if call.keywords or any(isinstance(item, ast.Starred) for item in call.args):
        return None
    if any(syntax.owner_of(name, call) is not syntax.owner_of(name, read) for name in needed(read)):
        return None
    at = syntax.end(call) - 1
    before = syntax.source.text[syntax.end(call.func) : at].rstrip()
    return syntax.edit(at, at, text if not call.args else f" {text}" if before.endswith(",") else f", {text}")


def _parameter_added(syntax: Syntax, function: Function, reads: Sequence[ast.expr], name: str) -> list[Edit]:
    """The function with a last parameter, which its body reads instead."""
    tree = Tree(syntax, syntax.statement(function))
    own = tree.find(function, cst.FunctionDef if isinstance(function, ast.FunctionDef) else cst.Lambda)
    assert isinstance(own, (cst.FunctionDef, cst.Lambda))
    changes: dict[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel] = {
        own.params: own.params.with_changes(params=[*own.params.params, cst.Param(cst.Name(name))])
    }
    if name != syntax.text(reads[0]):
        changes |= {tree.find(node, cst.BaseExpression): cst.Name(name) for node in reads}  # type: ignore[type-abstract]
    return tree.replaced(changes)
