"""MX209: what a compiled function reads from outside given to it as an argument."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Sequence

import libcst as cst

from mxlint.finding import Edit, Fix
from mxlint.fixes.arguments import Body
from mxlint.fixes.compiled import Call, calls_of, function_at, offer
from mxlint.fixes.importing import module_alias
from mxlint.fixes.remedies import Argument, Offer
from mxlint.fixes.scopes import Function, bound, local_names, needed
from mxlint.fixes.syntax import Sources, Syntax, syntax_of
from mxlint.fixes.tree import Tree
from mxlint.syntax.trees import TRIES

READ = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
"""What may be read: a name, something that it leads to, or what a function makes of it, such as `len(history)`."""


def pass_argument(remedy: Argument, sources: Sources) -> Iterator[Offer]:
    """Give the compiled function as an argument what its body reads from outside."""
    syntax = syntax_of(sources, remedy.site)
    site = syntax.at(remedy.site) if syntax is not None else None
    if syntax is None or site is None or any(place.filename != remedy.site.filename for place in remedy.places):
        return
    function, reads = function_at(syntax, remedy.function), [syntax.at(place) for place in remedy.places]
    if function is None:
        return
    texts = {syntax.text(node) for node in reads if isinstance(node, READ)}
    calls = calls_of(syntax, site, function, remedy.calls, sources)
    if None in reads or len(texts) != 1 or not calls:
        return
    (text,) = texts
    same = [node for node in ast.walk(function) if isinstance(node, READ) and syntax.text(node) == text]
    own = set(calls[0].names)
    if needed(same[0]) & local_names(function) - own or _changed(syntax, function, same[0]) or not set(reads) <= set(same):
        return
    if any(_is_guarded(function, node) for node in same):
        return
    name = _name(syntax, text, function)
    mlx = module_alias(syntax, "mlx.core")
    body = Body(syntax, function, mlx, frozenset(remedy.arrays)) if mlx is not None else None
    array = remedy.as_array and body is not None and all(body.takes_array(node) for node in same)
    for form in ([f"{mlx}.array({{}})"] if array else []) + ["{}"]:
        given = (
            [_with_argument(syntax, call, same[0], form, name, by_name=_by_name(function)) for call in calls] if name is not None else []
        )
        if name is None or any(edit is None for edit in given):
            return
        try:
            inside = _parameter_added(syntax, function, same, name)
        except (ValueError, LookupError):
            return
        fix = Fix("unsafe", f"pass {form.format(text)} as an argument", (*inside, *(edit for edit in given if edit is not None)))
        yield offer(fix, syntax, site, function)


def _by_name(function: Function) -> bool:
    """Whether a parameter that is added is to be given by its name: it cannot be the last of those given by position."""
    arguments = function.args
    return bool(arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults)


def _is_guarded(function: Function, read: ast.expr) -> bool:
    """Whether what a read may raise is caught in the function: outside of it nothing would."""
    tries = (node for node in ast.walk(function) if isinstance(node, TRIES) and node.handlers)
    return not isinstance(read, ast.Name) and any(read is inner for node in tries for part in node.body for inner in ast.walk(part))


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


def _with_argument(syntax: Syntax, call: Call, read: ast.expr, form: str, name: str, *, by_name: bool) -> Edit | None:
    """A call with one more argument, which is what is read put into `form`; None where that means something else there, or the arguments are not all in
    sight."""
    node = call.node
    if any(isinstance(item, ast.Starred) for item in node.args) or any(item.arg in (None, name) for item in node.keywords):
        return None
    if any(syntax.owner_of(other, node) is not syntax.owner_of(other, read) for other in needed(read) - set(call.names)):
        return None
    if not syntax.means_the_same(read, node):
        return None
    text = form.format(_text_with(syntax, read, call))
    if by_name or node.keywords:
        text = f"{name}={text}"
    return syntax.argument_added(node, text)


def _text_with(syntax: Syntax, node: ast.expr, call: Call) -> str:
    """An expression of the body as it is written where the call stands."""
    parts, at = [], syntax.start(node)
    for part in sorted((part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id in call.names), key=syntax.start):
        parts += [syntax.source.text[at : syntax.start(part)], call.names[part.id]]
        at = syntax.end(part)
    return "".join([*parts, syntax.source.text[at : syntax.end(node)]])


def _parameter_added(syntax: Syntax, function: Function, reads: Sequence[ast.expr], name: str) -> list[Edit]:
    """The function with a last parameter, which its body reads instead."""
    tree = Tree(syntax, syntax.statement(function))
    own = tree.find(function, cst.FunctionDef if isinstance(function, ast.FunctionDef) else cst.Lambda)
    assert isinstance(own, (cst.FunctionDef, cst.Lambda))
    params, added = own.params, cst.Param(cst.Name(name))
    if not _by_name(function):
        changed = params.with_changes(params=_one_more(params.params, added))
    elif isinstance(params.star_arg, cst.MaybeSentinel):
        changed = params.with_changes(star_arg=cst.ParamStar(), kwonly_params=[added])
    else:
        changed = params.with_changes(kwonly_params=_one_more(params.kwonly_params, added))
    changes: dict[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel] = {params: changed}
    if name != syntax.text(reads[0]):
        changes |= {tree.find(node, cst.BaseExpression): cst.Name(name) for node in reads}  # type: ignore[type-abstract]
    return tree.replaced(changes)


def _one_more(params: Sequence[cst.Param], added: cst.Param) -> list[cst.Param]:
    """A parameter after others, with their comma and line ends."""
    if not params or not isinstance(params[-1].comma, cst.Comma):
        return [*params, added]
    *others, last = params
    between = others[-1].comma if others else cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    return [*others, last.with_changes(comma=between), added.with_changes(comma=last.comma)]
