"""MX203, MX204 and MX305: what is given to mx.compile along with the function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mxlint.finding import Edit, Fix
from mxlint.fixes.hoisting import hoisted
from mxlint.fixes.remedies import Capture, CompileTransform
from mxlint.fixes.syntax import FUNCTIONS, LOOPS, Syntax, syntax_of


def capture(remedy: Capture) -> Iterator[Fix]:
    syntax = syntax_of(remedy.site.source)
    site = syntax.at(remedy.site.start, remedy.site.end) if syntax is not None else None
    if syntax is None or site is None:
        return
    wanted = {"inputs": remedy.inputs, "outputs": remedy.outputs}
    if isinstance(site, ast.Call):
        edits = _with_keywords(syntax, site, wanted)
    else:
        parent = syntax.parents[site]
        if site not in getattr(parent, "decorator_list", []):
            return
        partial, missing = syntax.imported("functools", "partial")
        arguments = ", ".join([syntax.text(site), *(f"{name}={text}" for name, text in wanted.items())])
        edits = [syntax.replace(site, f"{partial}({arguments})"), *([missing] if missing is not None else [])]
    if edits:
        both = (
            f"{remedy.inputs} as inputs= and outputs="
            if remedy.inputs == remedy.outputs
            else f"inputs={remedy.inputs} and outputs={remedy.outputs}"
        )
        yield Fix("unsafe", f"pass {both}", tuple(edits))


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
        last = max((*call.args, *(item.value for item in call.keywords)), key=syntax.end, default=None)
        if last is None:
            return None
        between = syntax.source.text[syntax.end(last) : syntax.end(call) - 1].rstrip()
        if "#" in between:
            return None
        at = syntax.end(last) + len(between)
        new = f" {new}," if between.endswith(",") else f", {new}"
        touching = next((edit for edit in edits if edit.span.end == syntax.source.position(at)), None)
        if touching is not None:
            edits[edits.index(touching)] = Edit(touching.content + new, touching.span)
        else:
            edits.append(syntax.edit(at, at, new))
    return edits


def compile_transform(remedy: CompileTransform) -> Iterator[Fix]:
    syntax = syntax_of(remedy.place.source)
    site = syntax.at(remedy.place.start, remedy.place.end) if syntax is not None else None
    if syntax is None or not isinstance(site, ast.Call) or (mlx := syntax.module_alias("mlx.core")) is None:
        return
    captured = list(remedy.captured)
    if remedy.model and site.args:
        captured = [f"{syntax.text(site.args[0])}.state", *captured]
    for extra in ([], [f"{mlx}.random.state"]):
        states = list(dict.fromkeys([*captured, *extra]))
        whole = f"[{', '.join(states)}]" if len(states) > 1 else "".join(states)
        options = f", inputs={whole}, outputs={whole}" if whole else ""
        text = f"{mlx}.compile({syntax.text(site)}{options})"
        message = "compile the transform"
        loop = next((node for node in syntax.up(site) if isinstance(node, (*LOOPS, *FUNCTIONS))), None)
        if isinstance(loop, LOOPS):
            edits = hoisted(syntax, site, text, loop)
            if edits is not None:
                yield Fix("unsafe", f"{message} once, before the loop", edits)
        else:
            yield Fix("unsafe", message, (syntax.replace(site, text),))
