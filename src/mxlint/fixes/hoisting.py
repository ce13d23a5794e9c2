"""MX301 and MX302: the compiled object made once, further out, and used where it was made before."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from mxlint.facts.events import Class
from mxlint.finding import Edit, Fix, Span
from mxlint.fixes.classes import all_are_made, free_name, in_init
from mxlint.fixes.parameters import Added, added
from mxlint.fixes.remedies import Hoist
from mxlint.fixes.scopes import DEFINITIONS, FUNCTIONS, LOOPS, bound, local_names, needed, parameters
from mxlint.fixes.syntax import Sources, Syntax, syntax_of
from mxlint.source import lines_of
from mxlint.syntax.trees import TRIES

BRANCHES = (ast.If, ast.IfExp, ast.While, *TRIES, ast.Match)


@dataclass(frozen=True, slots=True)
class _Moved:
    """What is moved: a definition, a statement that gives the object its name, or an expression that is given one."""

    node: ast.AST
    name: str | None
    names: frozenset[str]


def hoist(remedy: Hoist, sources: Sources) -> Iterator[Fix]:
    """Compile once, before the loop or outside of the function in which it is compiled anew each time."""
    syntax = syntax_of(sources, remedy.site)
    site = syntax.at(remedy.site) if syntax is not None else None
    if syntax is None or site is None:
        return
    moved = _moved(syntax, site)
    if moved is None:
        return
    leave = _to_leave(syntax, site, remedy)
    target = _outermost(syntax, moved, leave) if leave is not None else None
    if leave is None:
        return
    if target is not None:
        yield from _moved_out(syntax, site, moved, target, None)
        return
    if remedy.loop is None and isinstance(site, ast.Call):
        yield from _kept_on_self(syntax, site, leave, remedy.cls, sources)
    taken = moved.names & _blocked(syntax, moved, leave)
    arguments = added(syntax, site, moved.node, sorted(taken))
    target = _outermost(syntax, replace(moved, names=moved.names - taken), leave) if arguments is not None else None
    if target is not None:
        yield from _moved_out(syntax, site, moved, target, arguments)


def _moved(syntax: Syntax, site: ast.expr) -> _Moved | None:
    parent = syntax.parents[site]
    if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and site in parent.decorator_list:
        return _Moved(parent, parent.name, frozenset(needed(parent) - {parent.name}))
    if not isinstance(site, ast.Call) or isinstance(parent, (ast.Lambda, ast.ClassDef)):
        return None
    names = frozenset(needed(site))
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
        return _Moved(parent, parent.targets[0].id, names)
    return _Moved(site, None, names)


def _to_leave(syntax: Syntax, site: ast.expr, remedy: Hoist) -> ast.AST | None:
    """The loop, or the function, that what is compiled must get out of."""
    for node in syntax.up(site):
        if remedy.loop is None and isinstance(node, FUNCTIONS) and not (hasattr(node, "decorator_list") and site in node.decorator_list):
            return node
        if remedy.loop is not None and isinstance(node, LOOPS) and _within(syntax, remedy.loop, node):
            return node
        if (
            remedy.loop is not None
            and isinstance(node, FUNCTIONS)
            and not (hasattr(node, "decorator_list") and site in node.decorator_list)
        ):
            return None
    return None


def _within(syntax: Syntax, place: Span, node: ast.AST) -> bool:
    start, end = syntax.stretch(place)
    return syntax.start(node) <= start and end <= syntax.end(node)


def _outermost(syntax: Syntax, moved: _Moved, leave: ast.AST) -> ast.AST | None:
    """What the object is moved to the front of: `leave`, or what that stands in, as far as the names that it needs are still there."""
    target = None
    reached = False
    for node in syntax.up(moved.node):
        if isinstance(node, ast.Module):
            break
        if isinstance(node, BRANCHES) and moved.names & _tested(node):
            break
        if isinstance(node, LOOPS):
            if moved.names & _bound_without(node, moved.node):
                break
        elif isinstance(node, FUNCTIONS):
            if moved.names & local_names(node) or reached and not isinstance(leave, FUNCTIONS):
                break
        elif isinstance(node, ast.ClassDef) and moved.names & {name for part in node.body for name in bound(part)}:
            break
        reached = reached or node is leave
        if reached and isinstance(node, (*LOOPS, *FUNCTIONS, ast.ClassDef)):
            target = node
    return target


def _blocked(syntax: Syntax, moved: _Moved, leave: ast.AST) -> set[str]:
    """The names that are bound on the way out of what has to be left."""
    names: set[str] = set()
    for node in syntax.up(moved.node):
        if isinstance(node, LOOPS):
            names |= _bound_without(node, moved.node)
        elif isinstance(node, FUNCTIONS):
            names |= local_names(node)
        if node is leave:
            break
    return names


def _tested(node: ast.AST) -> set[str]:
    """The names that a branch depends on: what it guards need not make sense outside it."""
    test = getattr(node, "test", getattr(node, "subject", None))
    return {name.id for name in ast.walk(test) if isinstance(name, ast.Name)} if test is not None else set()


def _bound_without(node: ast.AST, left_out: ast.AST) -> set[str]:
    """What a piece of code binds, but for one part of it."""
    if node is left_out:
        return set()
    if not any(child is left_out for child in ast.walk(node)):
        return bound(node)
    names: set[str] = set()
    for child in ast.iter_child_nodes(node):
        names |= _bound_without(child, left_out)
    return names


def _moved_out(syntax: Syntax, site: ast.expr, moved: _Moved, target: ast.AST, arguments: Added | None) -> Iterator[Fix]:
    statement = syntax.statement(target)
    if not syntax.means_the_same(moved.node, target):
        return
    edits: tuple[Edit, ...] | None = None
    if isinstance(moved.node, ast.stmt) and _only_name(syntax, moved, target, statement):
        edits = _statement_moved(syntax, moved.node, statement, arguments)
    elif isinstance(site, ast.Call) and not isinstance(moved.node, DEFINITIONS):
        text = syntax.text(site)
        if arguments is not None:
            at = arguments.at - syntax.start(site)
            text = text[:at] + arguments.text + text[at:]
        edits = _expression_moved(syntax, site, text, name_for(site), statement)
    if edits is not None:
        where = "before the loop" if isinstance(target, LOOPS) else "outside the function"
        what = f", and pass {arguments.text.lstrip(', ')}" if arguments is not None else ""
        yield Fix("unsafe", f"compile once, {where}{what}", (*edits, *(arguments.calls if arguments is not None else ())))


def _only_name(syntax: Syntax, moved: _Moved, target: ast.AST, statement: ast.stmt) -> bool:
    """Whether the name means this one object wherever it is used, so that it may be bound further out."""
    function = syntax.function(moved.node)
    if function is syntax.function(statement):
        return moved.name not in _bound_without(function, moved.node)
    return moved.name not in _bound_without(function, moved.node) | parameters(function) | _names_without(syntax.tree, function)


def _names_without(node: ast.AST, left_out: ast.AST) -> set[str]:
    """All names in a piece of code, but for one part of it."""
    if node is left_out:
        return set()
    own = {value for field in ("id", "name", "arg", "asname") if isinstance(value := getattr(node, field, None), str)}
    return own.union(*(_names_without(child, left_out) for child in ast.iter_child_nodes(node)))


def _statement_moved(syntax: Syntax, node: ast.stmt, statement: ast.stmt, arguments: Added | None) -> tuple[Edit, ...] | None:
    """A whole statement taken out and put before another, as it stands but for parameters that are added."""
    removed = syntax.removed(node)
    if removed is None:
        return None
    text = _dedented(syntax, node, arguments)
    gap = syntax.blank_lines_before(node, statement) if not isinstance(statement, DEFINITIONS) else []
    inserted = syntax.before(statement, [*gap, *text, *gap, *syntax.blank_lines_before(statement)]) if text is not None else None
    return None if inserted is None else (inserted, removed)


def hoisted(syntax: Syntax, site: ast.Call, text: str, loop: ast.AST) -> tuple[Edit, ...] | None:
    """`text` bound to a new name in front of the loop, and that name in the place of `site`; None if it needs what the loop binds."""
    target = _outermost(syntax, _Moved(site, None, frozenset(needed(site))), loop)
    return _expression_moved(syntax, site, text, _named_after(site), syntax.statement(target)) if target is not None else None


def _expression_moved(syntax: Syntax, site: ast.Call, text: str, name: str, statement: ast.stmt) -> tuple[Edit, ...] | None:
    name = syntax.fresh(name)
    first, *rest = lines_of(text)
    inserted = syntax.before(statement, [f"{name} = {first}"])
    if inserted is None:
        return None
    # The further lines of the expression stand inside its parentheses: they stay as they are.
    newline = syntax.source.newline(inserted.span.start.row)
    content = newline.join([inserted.content.rstrip("\r\n"), *rest, *syntax.blank_lines_before(statement)]) + newline
    return Edit(content, inserted.span), syntax.replace(site, name)


def name_for(site: ast.Call) -> str:
    """A name for what a call of mx.compile makes."""
    return _named_after(site.args[0]) if site.args else "compiled"


def _named_after(node: ast.AST) -> str:
    while isinstance(node, ast.Call):
        node = node.func
    last = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return f"compiled_{last.lstrip('_')}" if last else "compiled"


def _dedented(syntax: Syntax, node: ast.stmt, arguments: Added | None) -> list[str] | None:
    """The lines of a statement without its indentation. A string over several lines would change: only a docstring may."""
    docstring = node.body[0].value if isinstance(node, DEFINITIONS) and isinstance(node.body[0], ast.Expr) else None
    if syntax.has_long_string(node, docstring):
        return None
    indent = syntax.indent(node)
    if indent is None:
        return None
    assert node.end_lineno is not None
    start, end = syntax.source.offset(syntax.first_row(node)), syntax.source.offset(node.end_lineno + 1)
    whole = syntax.source.text[start:end]
    if arguments is not None:
        whole = whole[: arguments.at - start] + arguments.text + whole[arguments.at - start :]
    return [line.removeprefix(indent) for line in lines_of(whole.rstrip("\r\n"))]


# -- on the object ----------------------------------------------------------------------------------------------------


def _kept_on_self(syntax: Syntax, site: ast.Call, method: ast.AST | None, known: Class | None, sources: Sources) -> Iterator[Fix]:
    """A method that compiles something of its object: done in `__init__` and kept there."""
    if not isinstance(method, ast.FunctionDef) or not method.args.args or method.decorator_list:
        return
    cls = syntax.parents[method]
    own = method.args.args[0].arg
    if not isinstance(cls, ast.ClassDef) or needed(site) & local_names(method) != {own}:
        return
    if known is None or not known.known or not all_are_made(known, sources):
        return
    if any(
        isinstance(node, ast.Name) and node.id == own and not isinstance(syntax.parents[node], ast.Attribute) for node in ast.walk(site)
    ):
        return
    name = free_name(sources, name_for(site))
    if len(lines_of(syntax.text(site))) > 1:
        return
    line = f"{own}.{name} = {syntax.text(site)}"
    inserted = in_init(known, sources, own, line)
    if inserted is not None:
        yield Fix("unsafe", "compile once, in __init__", (inserted, syntax.replace(site, f"{own}.{name}")))
