"""From a finding, or from a place and a code, to the claim that an experiment can be about."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from mxlint.finding import Finding, Position, Related, Span
from mxlint.models.load import model
from mxlint.rules.mx307 import IN_A_ROW
from mxlint.rules.registry import RULES
from mxlint.source import Source
from mxlint.verify.bench import Bench
from mxlint.verify.child.paths import attribute_path
from mxlint.verify.comparison import Claim, Subject, Watched
from mxlint.verify.protocols.table import protocol_of
from mxlint.verify.units import library_imports

SITE = "compiled here"
TRACING = frozenset({"traced", "replayed", "either"})
"""Outcomes of calls that reach the cache of the compiled object."""
CHANGES = ("changed here", "called again here")
TOO = ", too"
"""How the words end with which a finding names another expression of which it says the same."""
_BRANCHING = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Compare)


def with_sites(finding: Finding, sites: Sequence[Span]) -> Finding:
    """A finding that names no compile site may be about any in its file."""
    if finding.span in sites or any(related.message == SITE for related in finding.related):
        return finding
    return replace(finding, related=(*finding.related, *(Related(SITE, site) for site in sites if site.filename == finding.span.filename)))


def claim_of(finding: Finding, bench: Bench, places: Mapping[str, str]) -> Claim:
    """Return what a finding says. `places` gives each file that it names its place in the program."""
    claim = _claim_at(finding, finding.span, bench, places)
    others = dict.fromkeys(related.span for related in finding.related if related.message.endswith(TOO))
    too = tuple(_claim_at(finding, span, bench, places) for span in others if span != finding.span and span.filename in places)
    return replace(claim, too=too)


def _claim_at(finding: Finding, span: Span, bench: Bench, places: Mapping[str, str]) -> Claim:
    """What a finding says of one expression."""
    source = bench.sources[span.filename]
    sites = [related.span for related in finding.related if related.message == SITE]
    protocol = protocol_of(finding.code)
    if protocol is not None and protocol.site != "no":  # the flagged place is one, if nothing else is called that
        sites = sites or [span]
    start, end = (_bytes(source, position) for position in (span.start, span.end))
    tree = _parsed(source)
    nodes = list(_within(tree, start, end))
    bound, libraries = _bound(tree, start), library_imports(tree)
    objects = tuple(subjects(bench, sites))
    return Claim(
        finding.code,
        span,
        places[span.filename],
        start,
        end,
        tuple((places[site.filename], site.start.row, site.end.row) for site in sites if site.filename in places),
        _state_names(bound, nodes),
        not any(
            isinstance(node, _BRANCHING)
            and not (isinstance(node, ast.Compare) and len(node.ops) == 1)
            or isinstance(node, ast.stmt)
            and hasattr(node, "body")
            for node in nodes
        ),
        _pure(bound, libraries, nodes),
        source.text[source.offset(span.start.row) + span.start.column - 1 : source.offset(span.end.row) + span.end.column - 1],
        frozenset(bound),
        any(related.message in CHANGES for related in finding.related),
        not {node.id for node in nodes if isinstance(node, ast.Name)} <= bound | libraries.keys(),
        (),
        tuple(_located(bench, related.span, places) for related in finding.related if related.message != SITE),
        objects,
        tuple(dict.fromkeys(_located(bench, call.where.span, places) for made in objects for call in made.calls)),
        frozenset(_located(bench, call.where.span, places) for made in objects for call in made.calls if call.thread is not None),
        tuple(dict.fromkeys(_located(bench, step, places) for made in objects for call in made.calls for step in reversed(call.path))),
        not finding.forced,
        finding.right_on,
        protocol is not None and protocol.changing,
        IN_A_ROW in finding.presumed,
    )


def subjects(bench: Bench, sites: Collection[Span]) -> Iterator[Subject]:
    """What the static tracer knows of the objects that compile sites make. Calls from other traces, and those that trace nothing, are left out."""
    for log in bench.facts:
        for compiled in log.compiled:
            if compiled.site.span in sites:
                calls = tuple(call for call in log.calls if call.object == compiled.number and call.outcome in TRACING)
                yield Subject(compiled, calls, tuple(event for event in log.events if event.object == compiled.number))


def _located(bench: Bench, span: Span, places: Mapping[str, str]) -> Watched:
    """A span as a place of the program. What is in no file of it is in no run either."""
    source = bench.sources.get(span.filename)
    if source is None or span.filename not in places:
        return "", (span.start.row, 0), (span.end.row, 0)
    return places[span.filename], _bytes(source, span.start), _bytes(source, span.end)


def forced(source: Source, row: int, code: str, sites: Sequence[Span]) -> Finding | None:
    """A claim that no rule made: CODE about what stands in a row. A compile site, the head of a statement, or the statement. It is info until it is
    confirmed: nobody found anything."""
    at_row = [site for site in sites if site.start.row <= row <= site.end.row]
    span = at_row[0] if at_row else _statement(source, row)
    if span is None:
        return None
    related = () if at_row else tuple(sites)
    return Finding(
        code,
        "info",
        f"the experiment of {RULES[code].name}, on what stands here",
        "",
        span,
        related=tuple(Related(SITE, site) for site in related),
        claimed=RULES[code].severity,
        forced=True,
    )


def _statement(source: Source, row: int) -> Span | None:
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    best: ast.AST | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            for part in _heads(node):
                first, last = part.lineno, part.end_lineno or part.lineno
                if first <= row <= last and (best is None or _size(part) <= _size(best)):
                    best = part
    if best is None:
        return None
    return _span(source, best)


def _heads(node: ast.stmt) -> Iterator[ast.expr | ast.stmt]:
    """What of a statement is evaluated itself, without the statements in it."""
    if not hasattr(node, "body"):
        yield node
        return
    for field in ("test", "iter", "subject"):
        if isinstance(part := getattr(node, field, None), ast.expr):
            yield part
    for item in getattr(node, "items", []):
        yield item.context_expr
    yield from getattr(node, "decorator_list", [])


def _size(node: ast.AST) -> tuple[int, int]:
    return (
        getattr(node, "end_lineno", 0) - getattr(node, "lineno", 0),
        getattr(node, "end_col_offset", 0) - getattr(node, "col_offset", 0),
    )


def _span(source: Source, node: ast.AST) -> Span:
    def position(row: int, column: int) -> Position:
        return Position(row, len(source.line(row).encode()[:column].decode(errors="replace")) + 1)

    return Span(
        source.name,
        position(getattr(node, "lineno", 1), getattr(node, "col_offset", 0)),
        position(getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 0)),
    )


def _state_names(bound: set[str], nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The names in an expression that may be those of state: not what the function around it binds itself, but for `self`."""
    names = {node.id for node in nodes if isinstance(node, ast.Name)} | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return frozenset(names - bound)


def _pure(bound: set[str], libraries: Mapping[str, str], nodes: Sequence[ast.AST]) -> bool:
    """Whether an expression calls only methods of what the function binds, and functions of libraries that do nothing but compute, and stores nothing
    outside of it."""
    for node in nodes:
        if isinstance(node, ast.Call):
            root: ast.expr = node.func
            while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
                root = root.func if isinstance(root, ast.Call) else root.value
            if not isinstance(root, ast.Name) or root.id not in bound | libraries.keys():
                return False
            if root.id not in bound and not _computes(attribute_path(node.func), libraries):
                return False
        elif (
            isinstance(node, (ast.Attribute, ast.Subscript))
            and not isinstance(node.ctx, ast.Load)
            or isinstance(node, ast.Name)
            and not isinstance(node.ctx, ast.Load)
            and node.id not in bound
            or isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.Delete, ast.Import, ast.ImportFrom))
        ):
            return False
    return bool(nodes)


def _computes(path: tuple[str, ...], libraries: Mapping[str, str]) -> bool:
    """Whether a function of a library, by its name in the program, computes and does nothing else, as far as the models of libraries know it."""
    if not path:  # a method of a result: the call that gives it is looked at by itself
        return True
    known = model(".".join((libraries[path[0]], *path[1:])))
    return known is None or not (known.source or known.draws or known.seeds or known.effect)


def _parsed(source: Source) -> ast.Module:
    try:
        return ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _bound(tree: ast.Module, start: tuple[int, int]) -> set[str]:
    """What the innermost function around a place binds, parameters and assigned names."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        and ((node.body[0].lineno, 0) if isinstance(node.body, list) else (node.body.lineno, node.body.col_offset)) <= start
        and start < (node.end_lineno or 0, node.end_col_offset or 0)
    ]
    if not around:
        return set()
    inner = max(around, key=lambda node: (node.lineno, node.col_offset))
    bound = {argument.arg for argument in ast.walk(inner.args) if isinstance(argument, ast.arg)}
    shared: set[str] = set()
    for node in ast.walk(inner):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            shared.update(node.names)
    return bound - shared - {"self"}


def _bytes(source: Source, position: Position) -> tuple[int, int]:
    return position.row, len(source.line(position.row)[: position.column - 1].encode())


def _within(tree: ast.Module, start: tuple[int, int], end: tuple[int, int]) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if not isinstance(node, (ast.expr, ast.stmt)) or start > (node.lineno, node.col_offset):
            continue
        if (node.end_lineno or 0, node.end_col_offset or 0) <= end:
            yield node


def places(bench: Bench, finding: Finding) -> dict[str, str]:
    """The place in the program of every file that a finding names, and of those that call what it is about."""
    sites = {finding.span, *(related.span for related in finding.related)}
    called = {span for made in subjects(bench, sites) for call in made.calls for span in (call.where.span, *call.path)}
    found = {}
    for name in {span.filename for span in (*sites, *called)}:
        if name in bench.sources and (module := bench.modules.of(bench.sources[name])) is not None:
            found[name] = module.path
    return found
