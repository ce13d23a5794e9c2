"""A compiled function as a fix needs it: its definition, and every use of the compiled object in the files at hand."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from mxlint.finding import Fix, Span
from mxlint.fixes.remedies import Offer
from mxlint.fixes.scopes import FUNCTIONS, Function
from mxlint.fixes.syntax import Sources, Syntax, tree_of


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the compiled object. `names`: what the body of the function calls by these names, as it is written where the call stands: the
    object that a method belongs to."""

    node: ast.Call
    names: Mapping[str, str] = field(default_factory=dict)


def function_at(syntax: Syntax, place: Span | None) -> Function | None:
    """The function whose definition, with or without its decorators, stands at a place."""
    if place is None or place.filename != syntax.source.name:
        return None
    start, end = syntax.stretch(place)
    for node in ast.walk(syntax.tree):
        if isinstance(node, FUNCTIONS) and node.lineno >= place.start.row and start <= syntax.start(node) and syntax.end(node) == end:
            return node
    return None


def calls_of(syntax: Syntax, site: ast.expr, function: Function, seen: Collection[Span], sources: Sources) -> list[Call] | None:
    """The calls of what is compiled at `site`, all that is made of it; None where it is used otherwise, or has no name. `seen`: the calls that the
    analysis followed to it."""
    parent = syntax.parents[site]
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Attribute):
        return _calls_of_kept(syntax, site, function, parent.targets[0], {syntax.stretch(place) for place in seen}, sources)
    if isinstance(function, ast.FunctionDef) and site in function.decorator_list:
        uses = list(_uses(syntax, function.name, function))
    elif isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
        name = parent.targets[0].id
        uses = [node for node in _uses(syntax, name, parent) if node not in ast.walk(site)]
        own = function.name if isinstance(function, ast.FunctionDef) else name
        if own != name and any(node not in ast.walk(site) for node in _uses(syntax, own, function)):
            return None  # it is called uncompiled, too
    else:
        return None
    calls = [syntax.parents[node] for node in uses]
    plain = [Call(call) for node, call in zip(uses, calls) if isinstance(call, ast.Call) and call.func is node]
    return plain if len(plain) == len(uses) and not _rebound(syntax, site) else None


def offer(fix: Fix, syntax: Syntax, site: ast.expr, function: Function) -> Offer:
    """A fix that changes what the compiled function takes or returns, with the names by which others may call it."""
    parent = syntax.parents[site]
    target = parent.targets[0] if isinstance(parent, ast.Assign) else None
    names = [
        target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else None,
        getattr(function, "name", None),
    ]
    return Offer(fix, tuple(name for name in names if name is not None), isinstance(target, ast.Attribute))


def _uses(syntax: Syntax, name: str, definition: ast.AST) -> Iterator[ast.Name]:
    """Where the file reads a name that is bound among the statements where a definition stands."""
    scope = syntax.owner_of(name, definition)
    for node in ast.walk(syntax.tree):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and syntax.owner_of(name, node) is scope:
            yield node


def _rebound(syntax: Syntax, site: ast.expr) -> bool:
    """Whether the name of the compiled object is bound a second time, by something else than its own function."""
    parent = syntax.parents[site]
    name = parent.name if isinstance(parent, ast.FunctionDef) else parent.targets[0].id  # type: ignore[attr-defined]
    scope = syntax.owner_of(name, parent)
    found = [
        node
        for node in ast.walk(syntax.tree)
        if (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == name)
        if syntax.owner_of(name, node) is scope
    ]
    own = [parent, *(parent.targets if isinstance(parent, ast.Assign) else [])]
    compiled = [node.id for node in ast.walk(site) if isinstance(node, ast.Name)]
    return any(node not in own and not (isinstance(node, ast.FunctionDef) and name in compiled) for node in found)


# -- kept on an object ------------------------------------------------------------------------------------------------


def _calls_of_kept(
    syntax: Syntax, site: ast.expr, function: Function, target: ast.Attribute, seen: Collection[tuple[int, int]], sources: Sources
) -> list[Call] | None:
    """The same for `self.name = mx.compile(self.method)`: nothing else at hand has to do with an attribute of one of these names."""
    maker = syntax.function(site)
    own = syntax.first_parameter(maker)
    if own is None or not isinstance(target.value, ast.Name) or target.value.id != own or not isinstance(site, ast.Call) or not site.args:
        return None
    compiled = site.args[0]
    names = {own}
    if compiled is not function:
        of = syntax.first_parameter(function)
        is_method = isinstance(compiled, ast.Attribute) and isinstance(compiled.value, ast.Name) and compiled.value.id == own
        if of is None or not is_method or syntax.parents[function] is not syntax.parents[maker]:
            return None
        if list(_mentions(compiled.attr, sources)) != [(syntax.source.name, syntax.start(compiled))]:  # type: ignore[attr-defined]
            return None
        names = {of}
    mentions = list(_mentions(target.attr, sources))
    calls = [syntax.parents[node] for node in _loads(syntax, target.attr)]
    if len(mentions) != len(calls) + 1 or any(name != syntax.source.name for name, _ in mentions):
        return None
    found = []
    for node, call in zip(_loads(syntax, target.attr), calls):
        if not isinstance(call, ast.Call) or call.func is not node or (syntax.start(call), syntax.end(call)) not in seen:
            return None
        if not _is_plain(node.value):
            return None
        found.append(Call(call, dict.fromkeys(names, syntax.text(node.value))))
    return found


def _mentions(name: str, sources: Sources) -> Iterator[tuple[str, int]]:
    """Where the files at hand have an attribute of a name, or a text that may stand for it; a second method of that name as well."""
    for source in sources.values():
        syntax = tree_of(source) if name in source.text else None
        methods = 0
        for node in ast.walk(syntax.tree) if syntax is not None else ():
            assert syntax is not None
            if isinstance(node, ast.Attribute) and node.attr == name or isinstance(node, ast.Constant) and node.value == name:
                yield source.name, syntax.start(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
                methods += isinstance(syntax.parents[node], ast.ClassDef)
                if methods > 1:
                    yield source.name, syntax.start(node)


def _loads(syntax: Syntax, name: str) -> Iterator[ast.Attribute]:
    for node in ast.walk(syntax.tree):
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load):
            yield node


def _is_plain(node: ast.expr) -> bool:
    """Whether an object may be written a second time: a name, or attributes of one."""
    return isinstance(node, ast.Name) or isinstance(node, ast.Attribute) and _is_plain(node.value)
