"""MX203, MX204 and MX305: what is given to mx.compile along with the function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mxlint.facts.events import Element
from mxlint.finding import Edit, Fix
from mxlint.fixes.hoisting import hoisted
from mxlint.fixes.importing import imported, module_alias
from mxlint.fixes.remedies import CompileTransform, Recapture, Refill
from mxlint.fixes.scopes import FUNCTIONS, LOOPS
from mxlint.fixes.syntax import Sources, Syntax, syntax_of

COPIES = ("copy", "generator", "tuple", "container")
"""Kinds of what is captured in vain because it holds the items of something else."""


def recapture(remedy: Recapture, sources: Sources) -> Iterator[Fix]:
    """Give `inputs=` and `outputs=` the live containers: `model.state` for `model.parameters()`."""
    syntax = syntax_of(sources, remedy.site)
    site = syntax.at(remedy.site) if syntax is not None else None
    if syntax is None or site is None:
        return
    more = _more(syntax, site, remedy)
    if more is None:
        return
    given = {"inputs": remedy.inputs, "outputs": remedy.outputs}
    wanted = {name: whole([*_live(states, sources), *more]) for name, states in given.items() if states is not None}
    if isinstance(site, ast.Call):
        edits = _with_keywords(syntax, site, wanted)
    else:
        parent = syntax.parents[site]
        found = imported(syntax, "functools", "partial", site.lineno) if site in getattr(parent, "decorator_list", []) else None
        if found is None:
            return
        partial, missing = found
        arguments = ", ".join([syntax.text(site), *(f"{name}={text}" for name, text in wanted.items())])
        edits = [syntax.replace(site, f"{partial}({arguments})"), *([missing] if missing is not None else [])]
    if edits:
        yield Fix("unsafe", f"pass {' and '.join(f'{name}={text}' for name, text in wanted.items())}", tuple(edits))


def _live(elements: Iterable[Element], sources: Sources) -> Iterator[str]:
    """The live containers behind what is captured, as the program writes them."""
    for element in elements:
        syntax = syntax_of(sources, element.where.span)
        node = syntax.at(element.where.span) if syntax is not None else None
        yield _live_text(syntax, node, element.kind) if syntax is not None and node is not None else element.where.text


def _live_text(syntax: Syntax, node: ast.expr, kind: str) -> str:
    text = syntax.text(node)
    if kind == "optimizer":
        return f"{text}.state"
    if kind == "object":
        return f"vars({text})"
    if kind == "parameters":
        called = node.func if isinstance(node, ast.Call) and not node.args and not node.keywords else None
        return f"{syntax.text(called.value)}.state" if isinstance(called, ast.Attribute) else text
    copied = _copied(node) if kind in COPIES else None
    return syntax.text(copied) if copied is not None else text


def _copied(node: ast.expr) -> ast.expr | None:
    """What `list(state)`, `[item for item in state]` and the like copy."""
    copied: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        copied = node.args[0]
        if isinstance(copied, ast.Call) and isinstance(copied.func, ast.Attribute) and copied.func.attr == "values" and not copied.args:
            copied = copied.func.value
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)) and len(node.generators) == 1 and not node.generators[0].ifs:
        clause = node.generators[0]
        same = isinstance(node.elt, ast.Name) and isinstance(clause.target, ast.Name) and node.elt.id == clause.target.id
        copied = clause.iter if same else None
    return copied if isinstance(copied, (ast.Name, ast.Attribute)) else None


def whole(states: Iterable[str]) -> str:
    """Several containers as one."""
    names = list(dict.fromkeys(states))
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def _more(syntax: Syntax, site: ast.expr, remedy: Recapture) -> list[str] | None:
    """What is to be captured besides, as it is written at the site; None if that has no name there."""
    found = []
    for update in remedy.updates:
        call = syntax.at(update) if update.filename == remedy.site.filename else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
            return None
        for part in (call.args[0], call.func.value) if remedy.models else (call.func.value,):
            name = syntax.written_at(syntax.text(part), part, site)
            if name is None:
                return None
            found.append(f"{name}.state")
    for place, text in remedy.also:
        node = syntax.at(place) if place.filename == remedy.site.filename else None
        name = syntax.written_at(text, node, site) if node is not None else None
        if name is None:
            return None
        found.append(name)
    if remedy.random:
        random, missing = imported(syntax, "mlx.core", "random", site.lineno) or ("", None)
        if not random or missing is not None:
            return None
        found.append(f"{random}.state")
    return found


def refill(remedy: Refill, sources: Sources) -> Iterator[Fix]:
    """`state = {…}` as `state.update({…})`, and a list likewise: the container stays the one that is captured."""
    syntax = syntax_of(sources, remedy.place)
    start, end = syntax.stretch(remedy.place) if syntax is not None else (0, 0)
    for node in ast.walk(syntax.tree) if syntax is not None else ():
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], (ast.Name, ast.Attribute)):
            continue
        assert syntax is not None
        if syntax.start(node) <= start and end <= syntax.end(node):
            name, value = syntax.text(node.targets[0]), syntax.text(node.value)
            if not _alone_holds(syntax, name):
                continue
            if isinstance(node.value, ast.Dict) and _covers(syntax, name, node.value):
                yield Fix("unsafe", f"change {name} in place", (syntax.replace(node, f"{name}.update({value})"),))
            elif isinstance(node.value, ast.List):
                yield Fix("unsafe", f"change {name} in place", (syntax.replace(node.targets[0], f"{name}[:]"),))


def _alone_holds(syntax: Syntax, name: str) -> bool:
    """Whether a container is at hand by this name only, and is captured: what else is done with it in the file keeps hold of its items at most."""
    for node in ast.walk(syntax.tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and syntax.text(node) == name:
            parent = syntax.parents[node]
            captured = isinstance(parent, (ast.List, ast.Tuple)) and isinstance(syntax.parents[parent], ast.keyword)
            keyword = syntax.parents[parent] if captured else parent
            captured = isinstance(keyword, ast.keyword) and keyword.arg in ("inputs", "outputs")
            part = isinstance(parent, (ast.Subscript, ast.Attribute)) and parent.value is node
            gone_over = isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is node
            evaluated = isinstance(parent, ast.Call) and syntax.text(parent.func) == f"{module_alias(syntax, 'mlx.core')}.eval"
            if not (captured or part or gone_over or evaluated):
                return False
    return True


def _covers(syntax: Syntax, name: str, new: ast.Dict) -> bool:
    """Whether no key is left of what the file puts into a dictionary before `new` takes its place."""
    keys = _keys(new)
    for node in ast.walk(syntax.tree):
        old: set[str] | None = set()
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load) and syntax.text(node) == name:
            parent = syntax.parents[node]
            old = _keys(parent.value) if isinstance(parent, ast.Assign) else None
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and syntax.text(node.value) == name:
            old = {ast.dump(node.slice)} if isinstance(node.slice, ast.Constant) else None
        elif isinstance(node, ast.Attribute) and syntax.text(node.value) == name and node.attr in ("update", "setdefault"):
            call = syntax.parents[node]
            old = _keys(call.args[0]) if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords else None
        if keys is None or old is None or not old <= keys:
            return False
    return True


def _keys(node: ast.expr) -> set[str] | None:
    """The keys of a dictionary that are all written out."""
    if not isinstance(node, ast.Dict) or not all(isinstance(key, ast.Constant) for key in node.keys):
        return None
    return {ast.dump(key) for key in node.keys if key is not None}


def _with_keywords(syntax: Syntax, call: ast.Call, wanted: dict[str, str]) -> list[Edit] | None:
    """Keywords of a call changed, or added after its last argument."""
    # mx.compile(fun, inputs, outputs), or the same after `mx.compile` as the first argument of partial.
    if any(isinstance(item, ast.Starred) for item in call.args) or any(item.arg is None for item in call.keywords):
        return None
    first = 2 if call.args and syntax.text(call.args[0]).endswith("compile") else 1
    given = dict(zip(wanted, call.args[first:])) | {item.arg: item.value for item in call.keywords if item.arg in wanted}
    edits = [syntax.replace(given[name], text) for name, text in wanted.items() if name in given and syntax.text(given[name]) != text]
    new = ", ".join(f"{name}={text}" for name, text in wanted.items() if name not in given)
    if new:
        added = syntax.argument_added(call, new) if call.args or call.keywords else None
        if added is None:
            return None
        touching = next((edit for edit in edits if edit.span.end == added.span.start), None)
        if touching is not None:
            edits[edits.index(touching)] = Edit(touching.content + added.content, touching.span)
        else:
            edits.append(added)
    return edits


def compile_transform(remedy: CompileTransform, sources: Sources) -> Iterator[Fix]:
    """Compile the transform of the plain function: `mx.compile(mx.grad(f))`."""
    syntax = syntax_of(sources, remedy.place)
    site = syntax.at(remedy.place) if syntax is not None else None
    if syntax is None or not isinstance(site, ast.Call) or (mlx := module_alias(syntax, "mlx.core")) is None:
        return
    captured = list(_live(remedy.captured, sources))
    if remedy.model and site.args:
        captured = [f"{syntax.text(site.args[0])}.state", *captured]
    for extra in ([], [f"{mlx}.random.state"]):
        states = [*captured, *extra]
        options = f", inputs={whole(states)}, outputs={whole(states)}" if states else ""
        text = f"{mlx}.compile({syntax.text(site)}{options})"
        message = "compile the transform"
        loop = next((node for node in syntax.up(site) if isinstance(node, (*LOOPS, *FUNCTIONS))), None)
        if isinstance(loop, LOOPS):
            edits = hoisted(syntax, site, text, loop)
            if edits is not None:
                yield Fix("unsafe", f"{message} once, before the loop", edits)
        else:
            yield Fix("unsafe", message, (syntax.replace(site, text),))
