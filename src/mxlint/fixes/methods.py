"""MX501: a method compiled with its object, in `__init__`, and called by one of its name: that may be overridden, and called by super()."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mxlint.finding import Edit, Fix
from mxlint.fixes.classes import all_are_made, free_name, in_init
from mxlint.fixes.compiled import function_at
from mxlint.fixes.edits import joined
from mxlint.fixes.remedies import CompileBound
from mxlint.fixes.syntax import Sources, Syntax, syntax_of
from mxlint.fixes.tree import Tree


def compile_bound(remedy: CompileBound, sources: Sources) -> Iterator[Fix]:
    """Compile a method in `__init__`, where it is bound, and not by a decorator."""
    syntax = syntax_of(sources, remedy.site)
    site, method = (syntax.at(remedy.site), function_at(syntax, remedy.function)) if syntax is not None else (None, None)
    if syntax is None or site is None or not isinstance(method, ast.FunctionDef) or site not in method.decorator_list:
        return
    cls = syntax.parents[method]
    if not isinstance(cls, ast.ClassDef) or not method.args.args or len(method.decorator_list) != 1:
        return
    if remedy.cls is None or not remedy.cls.known or not all_are_made(remedy.cls, sources):
        return
    own = method.args.args[0].arg
    plain = method.name.strip("_") or "method"
    names = free_name(sources, f"_{plain}"), free_name(sources, f"_compiled_{plain}")
    captured = f"inputs={own}.state"  # the weights, which training may change where nobody sees it
    ways = [[captured], [captured, f"outputs={own}.state"], []] if remedy.module else [[]]
    for options in ways:
        compiled = _compiling(syntax, site, f"{own}.{{}}", options)
        line = f"{own}.{names[1]} = {compiled.format(names[0])}{_comment(syntax, site)}" if compiled is not None else ""
        inserted = in_init(remedy.cls, sources, own, line) if line else None
        edits = _moved(syntax, method, names, inserted) if inserted is not None else None
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


def _comment(syntax: Syntax, site: ast.expr) -> str:
    """What is written behind the decorator, which goes with it."""
    rest = syntax.source.text[syntax.end(site) : syntax.source.offset((site.end_lineno or site.lineno) + 1)].strip()
    return f"  {rest}" if rest else ""


def _moved(syntax: Syntax, method: ast.FunctionDef, names: tuple[str, str], inserted: Edit) -> list[Edit] | None:
    """The method under another name, and one of its own name that calls what is compiled. `names`: of the method, and of what is compiled."""
    hidden, attribute = names
    own = method.args.args[0].arg
    arguments, indent = _forwarded(method), syntax.indent(method.body[0])
    if arguments is None or indent is None:
        return None
    try:
        tree = Tree(syntax, method)
        node = tree.find(method, cst.FunctionDef)
        edits = tree.replaced({node.name: cst.Name(hidden), node.decorators[0]: cst.RemoveFromParent()})
        step = indent.removeprefix(syntax.indent(method) or "")
        head = [row.rstrip() for row in _signature(syntax, method)]
        wrapper = syntax.after(method, ["", *head, f"{step}return {own}.{attribute}({arguments})"])
    except (ValueError, LookupError):
        return None
    return joined(inserted, [*edits, wrapper]) if wrapper is not None else None


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
    """The arguments with which a function of the same parameters calls another, after the first; None where one is left to a default that
    mx.compile does not take."""
    arguments = function.args
    if not all(map(_plain, filter(None, (*arguments.defaults, *arguments.kw_defaults)))):
        return None
    parts = [param.arg for param in [*arguments.posonlyargs, *arguments.args][1:]]
    parts += [f"*{arguments.vararg.arg}"] if arguments.vararg else []
    parts += [f"{param.arg}={param.arg}" for param in arguments.kwonlyargs]
    return ", ".join([*parts, *([f"**{arguments.kwarg.arg}"] if arguments.kwarg else [])])


def _plain(default: ast.expr) -> bool:
    if isinstance(default, ast.UnaryOp):
        return _plain(default.operand)
    return isinstance(default, ast.Constant) and isinstance(default.value, (int, float, str, type(None)))
