"""MX501: a method compiled with its object, in `__init__`, and not where its class is made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mxlint.finding import Edit, Fix
from mxlint.fixes.compiled import function_at
from mxlint.fixes.initialising import in_init
from mxlint.fixes.remedies import CompileBound
from mxlint.fixes.syntax import Sources, Syntax, syntax_of
from mxlint.fixes.tree import Tree


def compile_bound(remedy: CompileBound, sources: Sources) -> Iterator[Fix]:
    syntax = syntax_of(sources, remedy.site)
    site, method = (syntax.at(remedy.site), function_at(syntax, remedy.function)) if syntax is not None else (None, None)
    if syntax is None or site is None or not isinstance(method, ast.FunctionDef) or site not in method.decorator_list:
        return
    cls = syntax.parents[method]
    if not isinstance(cls, ast.ClassDef) or not method.args.args or len(method.decorator_list) != 1:
        return
    own = method.args.args[0].arg
    captured = f"inputs={own}.state"  # the weights, which training may change where nobody sees it
    ways = [[captured], [captured, f"outputs={own}.state"], []] if remedy.module else [[]]
    for options in ways:
        compiled = _compiling(syntax, site, f"{own}.{{}}", options)
        edits = _moved(syntax, cls, method, own, compiled) if compiled is not None else None
        if edits is not None:
            yield Fix("unsafe", "compile the bound method in __init__", tuple(edits))


def _compiling(syntax: Syntax, site: ast.expr, what: str, options: list[str]) -> str | None:
    """The call that compiles `what`, with the options of the decorator and others."""
    if not isinstance(site, ast.Call):
        return f"{syntax.text(site)}({', '.join([what, *options])})"
    given = {option.partition("=")[0] for option in options}
    if len(site.args) > 1 or any(item.arg is None or item.arg in given for item in site.keywords):
        return None
    function = syntax.text(site.args[0]) if site.args else syntax.text(site.func)
    return f"{function}({', '.join([what, *(syntax.text(item) for item in site.keywords), *options])})"


def _moved(syntax: Syntax, cls: ast.ClassDef, method: ast.FunctionDef, own: str, compiled: str) -> list[Edit] | None:
    """The method under another name, and the compiled object under its own; or one that calls it, where Python looks for the method in the
    class."""
    special = method.name.startswith("__") and method.name.endswith("__")
    plain = method.name.strip("_") if special else method.name.lstrip("_")
    hidden, attribute = syntax.fresh(f"_{plain}"), syntax.fresh(f"_compiled_{plain}") if special else method.name
    inserted = in_init(syntax, cls, own, f"{own}.{attribute} = {compiled.format(hidden)}")
    arguments = _forwarded(method) if special else ""
    if inserted is None or arguments is None:
        return None
    try:
        tree = Tree(syntax, method)
        node = tree.find(method, cst.FunctionDef)
        name, decorator = node.name, node.decorators[0]
        edits = tree.replaced({name: cst.Name(hidden), decorator: cst.RemoveFromParent()})
        if special:
            line = f"return {own}.{attribute}({arguments})"
            indent = syntax.indent(method.body[0])
            if indent is None:
                return None
            step = indent.removeprefix(syntax.indent(method) or "")
            head = [row.rstrip() for row in _signature(syntax, method)]
            wrapper = syntax.after(method, ["", *head, step + line])
            if wrapper is None:
                return None
            edits.append(wrapper)
    except (ValueError, LookupError):
        return None
    return _joined(inserted, edits)


def _joined(inserted: Edit, edits: list[Edit]) -> list[Edit]:
    """An insertion and other edits, as one with the edit that starts where it stands, if one does."""
    start = inserted.span.start
    first = next((edit for edit in edits if edit.span.start == start), None)
    if first is None:
        return [inserted, *edits]
    return [Edit(inserted.content + first.content, first.span), *(edit for edit in edits if edit is not first)]


def _signature(syntax: Syntax, method: ast.FunctionDef) -> list[str]:
    """The lines of `def …:` as they are written, at the margin."""
    indent = syntax.indent(method) or ""
    first = method.body[0]
    text = syntax.source.text[syntax.start(method) : syntax.start(first)].rstrip()
    lines = [line.removeprefix(indent) for line in text.splitlines()]
    while lines and not lines[-1].split("#")[0].rstrip().endswith(":"):
        lines.pop()
    return lines


def _forwarded(function: ast.FunctionDef) -> str | None:
    """The arguments with which a function of the same parameters calls another; None where some are bound by keyword only."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        return None
    return ", ".join(param.arg for param in [*arguments.posonlyargs, *arguments.args][1:])
