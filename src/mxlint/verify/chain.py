"""Whether a step of a finding's chain lies in a part of the program that a stand-in took the place of."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from mxlint.finding import Finding, Span
from mxlint.source import Source
from mxlint.verify.claims import SITE
from mxlint.verify.protocols.table import protocol_of

CALLED = "called from here"
ORIGIN = "the placeholder comes from here"
STAYS = frozenset({"reshape", "astype", "transpose", "swapaxes", "flatten", "squeeze", "sum", "mean", "max", "min", "prod", "var", "std"})
"""Methods of arrays that give an array, whatever they are given."""


def in_replaced(finding: Finding, sources: Mapping[str, Source], replaced: Collection[str]) -> str | None:
    """The replaced name that a step reads: the flagged expression and what its names were given in the function, the places that values come
    from, and what is called on the way."""
    if not replaced:
        return None
    protocol = protocol_of(finding.code)
    for node in _steps(finding, sources):
        for part in _values(node) if protocol is not None and protocol.kinds else ast.walk(node):
            if isinstance(part, (ast.Name, ast.Attribute)) and ast.unparse(part) in replaced:
                return ast.unparse(part)
    return None


def _values(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression that decide whether there is an array."""
    yield node
    fixed = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STAYS
    for part in [node.func] if fixed and isinstance(node, ast.Call) else ast.iter_child_nodes(node):
        yield from _values(part)


def _steps(finding: Finding, sources: Mapping[str, Source]) -> Iterator[ast.AST]:
    protocol = protocol_of(finding.code)
    counts_only = protocol is not None and protocol.counts
    sites = [related.span for related in finding.related if related.message == SITE]
    for span, message in [(finding.span, ""), *((related.span, related.message) for related in finding.related)]:
        if message == SITE or span.filename not in sources:
            continue
        tree = _parsed(sources[span.filename])
        if message.startswith(ORIGIN) and any(_around(tree, span, site) for site in sites):
            continue  # an argument of the compiled function: the chain begins with its parameter
        nodes = list(_at(tree, sources[span.filename], span))
        if message == CALLED:
            yield from (part.func for node in nodes for part in ast.walk(node) if isinstance(part, ast.Call))
            continue
        if counts_only:  # what is captured has no part in how often it is traced
            continue
        yield from nodes
        yield from _behind(tree, nodes, span.start.row)


def _parsed(source: Source) -> ast.Module:
    try:
        return ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _at(tree: ast.Module, source: Source, span: Span) -> Iterator[ast.AST]:
    """The largest expressions and statements within a span."""
    start = (span.start.row, len(source.line(span.start.row)[: span.start.column - 1].encode()))
    end = (span.end.row, len(source.line(span.end.row)[: span.end.column - 1].encode()))
    found: list[tuple[tuple[int, int], tuple[int, int], ast.AST]] = []
    for node in ast.walk(tree):  # parents first
        if isinstance(node, (ast.expr, ast.stmt)):
            first, last = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
            if start <= first and last <= end and not any(one <= first and last <= other for one, other, _ in found):
                found.append((first, last, node))
    return (node for _, _, node in found)


def _around(tree: ast.Module, span: Span, site: Span) -> bool:
    """Whether a place is in the function that compiles at the site, or at the top of that module, and not in what is compiled."""
    if span.filename != site.filename:
        return False
    function = _innermost(tree, span.start.row)
    return function is None or function.lineno < site.start.row <= (function.end_lineno or 0)


def _innermost(tree: ast.Module, row: int) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    found = None
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and node.lineno <= row <= (node.end_lineno or 0):
            found = node  # the innermost comes last
    return found


def _behind(tree: ast.Module, nodes: list[ast.AST], row: int) -> Iterator[ast.AST]:
    """What the names of an expression were given before it, in its function."""
    function = _innermost(tree, row)
    if function is None:
        return
    names = {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}
    done: set[int] = set()
    changed = True
    while changed:
        changed = False
        for node in ast.walk(function):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            value = getattr(node, "value", None) or getattr(node, "iter", None)
            if id(node) in done or not isinstance(value, ast.AST):
                continue
            given = {
                part.id for target in targets if isinstance(target, ast.AST) for part in ast.walk(target) if isinstance(part, ast.Name)
            }
            if given & names:
                done.add(id(node))
                names |= {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
                changed = True
                yield value
