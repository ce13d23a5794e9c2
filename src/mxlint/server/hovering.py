"""What to say of the place under the pointer: the page of a finding, and what is compiled there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mxlint.analysed import SiteReport
from mxlint.facts.events import Log
from mxlint.finding import Finding, Position, Span
from mxlint.pages import load_page
from mxlint.rules.registry import page_url
from mxlint.source import Source

_SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def page_of(finding: Finding) -> str:
    """The first lines of a rule's page, as Markdown."""
    page = load_page(finding.code)
    return f"**{page.code}** `{page.name}` · {finding.severity}\n\n{page.claim}\n\n[{page.code} in full]({page_url(page.code)})"


def site_text(site: SiteReport, facts: tuple[Log, ...]) -> str:
    """What `mxlint sites` says of a site, as Markdown, and how often it was seen to be traced."""
    options = "".join(f", {name}={' '.join(text.split())}" for name, text in site.options.items())
    details = {
        "takes": ", ".join(site.takes),
        "freezes": ", ".join(site.freezes),
        "mutates": ", ".join(site.mutates),
        "draws": ", ".join(site.draws),
        "cache key": site.key if site.takes else "",
        "calls in sight": str(site.calls),
        "traces in sight": str(max((_traces(site, log) for log in facts), default=0)),
    }
    lines = "".join(f"- {name}: {text}\n" for name, text in details.items() if text)
    return f"**compiled** `{' '.join(site.compiled.split())}` ({site.form}{options})\n\n{lines}"


def _traces(site: SiteReport, log: Log) -> int:
    """How many traces of what is compiled at a site one analysis came to."""
    numbers = {compiled.number for compiled in log.compiled if compiled.site.span == site.span}
    return sum(trace.object in numbers for trace in log.traces)


def site_at(source: Source, sites: tuple[SiteReport, ...], place: Position) -> SiteReport | None:
    """The site that a place is about: it stands in the site, or in a name that is bound to what is compiled there."""
    own = [site for site in sites if site.span.filename == source.name]
    for site in own:
        if site.span.start <= place <= site.span.end:
            return site
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    at = _Places(source)
    bound = {key: site for site in own for key in _bound_by(tree, site.span, at)}
    named = _named_at(tree, place, at)
    return bound.get(named) if named is not None else None


class _Places:
    """Where nodes stand, in our columns: those of `ast` are bytes."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def start(self, node: ast.expr | ast.stmt) -> Position:
        return self._position(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> Position:
        return self._position(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def name(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> tuple[Position, Position]:
        """Where the name of a definition stands."""
        start = self._position(node.lineno, node.col_offset)
        line = self._source.line(start.row)
        column = line.index(node.name, start.column - 1 + (len("class ") if isinstance(node, ast.ClassDef) else len("def "))) + 1
        return Position(start.row, column), Position(start.row, column + len(node.name))

    def _position(self, row: int, column: int) -> Position:
        return Position(row, len(self._source.line(row).encode()[:column].decode(errors="replace")) + 1)


_Key = tuple[ast.AST, str]
"""A scope, and a name that is bound in it."""


def _bound_by(tree: ast.Module, span: Span, at: _Places) -> Iterator[_Key]:
    """The names that are bound to what is compiled at a site: of the function that it decorates, and of what it is assigned to."""
    for scope in ast.walk(tree):
        if not isinstance(scope, _SCOPES):
            continue
        for node in _inside(scope):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if any(at.start(part) <= span.end and span.start <= at.end(part) for part in node.decorator_list):
                    yield scope, node.name
            elif isinstance(node, ast.Assign) and at.start(node.value) == span.start and at.end(node.value) == span.end:
                yield from ((scope, target.id) for target in node.targets if isinstance(target, ast.Name))


def _named_at(tree: ast.Module, place: Position, at: _Places) -> _Key | None:
    """The name at a place, and the scope that binds it as Python looks it up: from the inside out, past classes."""
    chain: list[ast.AST] = [tree]
    while True:
        inner = next((node for node in _inside(chain[-1]) if isinstance(node, _SCOPES[1:]) and _holds(node, place, at)), None)
        for node in _inside(chain[-1]):
            if isinstance(node, ast.Name) and at.start(node) <= place <= at.end(node):
                return _binding(chain, node.id)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                start, end = at.name(node)
                if start <= place <= end:
                    return chain[-1], node.name
        if inner is None:
            return None
        chain.append(inner)


def _holds(node: ast.AST, place: Position, at: _Places) -> bool:
    return isinstance(node, (ast.expr, ast.stmt)) and at.start(node) <= place <= at.end(node)


def _binding(chain: list[ast.AST], name: str) -> _Key | None:
    for number, scope in reversed(list(enumerate(chain))):
        if isinstance(scope, ast.ClassDef) and number < len(chain) - 1:
            continue
        if name in _bindings(scope):
            return scope, name
    return None


def _bindings(scope: ast.AST) -> set[str]:
    """The names that a scope binds."""
    names: set[str] = set()
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        given = scope.args
        names.update(one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if one is not None)
    for node in _inside(scope):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
    return names


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a scope, and not in one inside of it, but for the definitions of those, and their decorators."""
    waiting = list(ast.iter_child_nodes(scope))
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        waiting = [node for node in waiting if node not in scope.decorator_list]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _SCOPES):
            waiting.extend(getattr(node, "decorator_list", []))
        else:
            waiting.extend(ast.iter_child_nodes(node))
