"""What a run that contradicts a claim left out. Only a run without gaps refutes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from mxlint.verify.bench import Bench, watch
from mxlint.verify.comparison import Claim, Watched
from mxlint.verify.modules import Module, Name
from mxlint.verify.runner import Job
from mxlint.verify.slicing import names_in, users_of
from mxlint.verify.trial import listed
from mxlint.verify.units import DEFINITIONS, IMPORTS, Unit, first_row

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def gap(bench: Bench, claim: Claim, job: Job, run: Mapping[str, Any]) -> str | None:
    """Return the first place that the finding rests on and the run did not execute, in words; None if it executed them all.

    These are the related places of the finding, every call of the compiled function that is in sight, the calls that lead to those, and every
    function of the project that names something which leads to the compiled function, whether or not the static tracer came to it.
    """
    missed = missing_places(claim, job, run)
    if not missed:
        if any(made["threads"] for _, made in _of_sites(claim, run)):
            return "another thread calls it, where calls are not looked at"
        if (caller := _caller(bench, claim, run)) is not None:
            return caller
        if (folder := listed(bench, job, run)) is not None:
            return f"the program lists the folder {folder}, of which the experiment has the program only"
        variables = [f"the environment variable {name}" for kind, name in run["switches"] if kind == "variable"]
        asked = [*run["surroundings"], *variables]
        return f"the program asks for {asked[0]}, which may decide" if asked else None
    return _missed(claim, missed[0])


def unmade(bench: Bench, claim: Claim, job: Job, run: Mapping[str, Any]) -> str | None:
    """Return the first call in sight that the run did not make, or a function that may make one and was not run, in words."""
    missed = next((place for place in missing_places(claim, job, run) if place in claim.calls or place in claim.paths), None)
    return _missed(claim, missed) if missed is not None else _caller(bench, claim, run)


def threads_of_one_call(claim: Claim, run: Mapping[str, Any] | None) -> int:
    """Return how many threads call what the claim is about, if each of them does so once and the main one never; else 0."""
    if run is None or "objects" not in run:
        return 0
    sites = [number for number, _ in _of_sites(claim, run)]
    counts = [count for number in sites for count in run["objects"][number]["threads"]]
    by_main = any(call["object"] in sites for call in run["calls"]) or any(run["objects"][number]["nested"] for number in sites)
    return 0 if by_main or max(counts, default=0) > 1 else len(counts)


def _of_sites(claim: Claim, run: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """The compiled objects that the claim is about, by their numbers."""
    return [
        (number, made)
        for number, made in enumerate(run["objects"])
        if any(made["file"] == file and first <= made["row"] <= last for file, first, last in claim.sites)
    ]


def _missed(claim: Claim, place: Watched) -> str:
    row = place[1][0]
    if place in claim.threaded:
        return f"the call in line {row} is made by another thread, where calls are not looked at"
    of_calls = place in claim.calls or place in claim.paths
    return f"the call in line {row} was not made" if of_calls else f"line {row}, which the finding rests on, was not run"


def _caller(bench: Bench, claim: Claim, run: Mapping[str, Any]) -> str | None:
    name = next(_not_run(bench, claim, run), None)
    return None if name is None else f"{name}, which may call it, was not run"


def missing_places(claim: Claim, job: Job, run: Mapping[str, Any]) -> list[Watched]:
    """Return the calls in sight that the run did not make, and the other places of the finding that it did not execute, each once.

    The definition of a function that the static tracer entered though nothing in sight calls it is no place that a run executes: it may have other
    callers.
    """
    calls = [call for call in claim.calls if not any(_is_call(call, made) for made in run["calls"])]
    return list(dict.fromkeys(calls + [place for place in (*claim.chain, *claim.paths) if not _executed(place, job, run)]))


def _executed(place: Watched, job: Job, run: Mapping[str, Any]) -> bool:
    watches = job.settings["watches"]
    place_watched = watch(place)
    if place_watched not in watches:
        return False
    counts = run["watches"][watches.index(place_watched)]
    return bool(counts["inside"] or counts["outside"])


def _is_call(call: Watched, made: Mapping[str, Any]) -> bool:
    """Whether a recorded call was made at a place. Before Python 3.11 a record has no columns."""
    file, start, end = call
    if made["file"] != file:
        return False
    if made["span"] is None:
        return bool(start[0] <= made["row"] <= end[0])
    row, column, end_row, end_column = made["span"]
    return (row, column) == start and (end_row, end_column) == end


def _not_run(bench: Bench, claim: Claim, run: Mapping[str, Any]) -> Iterator[str]:
    """The functions, methods and lambdas that name what leads to the compiled function, and whose bodies did not run."""
    names, attributes = _leading(bench, claim)
    inner = _inner(bench, claim)
    given = _given(bench, names, inner)
    for module in list(bench.modules.by_path.values()):
        for unit, function in _functions(module):
            name, row = ("<lambda>", function.lineno) if isinstance(function, ast.Lambda) else (function.name, first_row(function))
            ran = f"{module.path}:{row}:{name}" in run["bodies"]
            if not ran and (name in given or _reaches(module, unit, function, names, attributes, inner.get(unit.node, set()))):
                yield f"the lambda in line {row}" if isinstance(function, ast.Lambda) else f"{name}()"


def _functions(module: Module) -> Iterator[tuple[Unit, Function]]:
    """The functions of a module, wherever they stand, each with the statement of the module that it is in."""
    for unit in module.units:
        for part in ast.walk(unit.node):
            if isinstance(part, Function):
                yield unit, part


def _leading(bench: Bench, claim: Claim) -> tuple[set[Name], set[str]]:
    """The names, and the attributes, by which the project may reach what is compiled: an over-approximation, by name."""
    names: set[Name] = set()
    attributes: set[str] = set()
    waiting: list[Name] = []
    for place, first, last in claim.sites:
        module = bench.modules.by_path.get(place)
        for unit in module.units if module is not None else ():
            if module is not None and first_row(unit.node) <= last and first <= (unit.node.end_lineno or 0):
                waiting += [(module.path, name) for name in unit.binds]
                attributes |= _attributes(unit.node, first, last)
    users = users_of(bench.modules)
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names.add(name)
        for module, number in users.get(name, ()):
            unit = module.units[number]
            if isinstance(unit.node, (*IMPORTS, *DEFINITIONS, ast.Assign, ast.AnnAssign)):
                waiting += [(module.path, bound) for bound in unit.binds]
    return names, attributes


def _inner(bench: Bench, claim: Claim) -> dict[ast.stmt, set[str]]:
    """By definition of a module, the names in it that may stand for what is compiled there: what a statement that compiles it binds, what these are
    assigned to, and functions around it."""
    found: dict[ast.stmt, set[str]] = {}
    for place, first, last in claim.sites:
        module = bench.modules.by_path.get(place)
        for unit in module.units if module is not None else ():
            if isinstance(unit.node, DEFINITIONS) and first_row(unit.node) <= last and first <= (unit.node.end_lineno or 0):
                names = found.setdefault(unit.node, set())
                for part in _statements_around(unit.node, first, last):
                    names |= {part.name} if isinstance(part, DEFINITIONS) else _stored(part) if not hasattr(part, "body") else set()
    for node, names in found.items():
        assignments = [part for part in ast.walk(node) if isinstance(part, (ast.Assign, ast.AnnAssign))]
        while new := {
            name
            for part in assignments
            if part.value is not None and not names.isdisjoint(_loaded(part.value))
            for name in _stored(part)
            if name not in names
        }:
            names |= new
    return found


def _statements_around(node: ast.stmt, first: int, last: int) -> Iterator[ast.stmt]:
    """The statements in a definition that these rows are part of."""
    for part in ast.walk(node):
        if part is not node and isinstance(part, ast.stmt) and first_row(part) <= last and first <= (part.end_lineno or 0):
            yield part


def _stored(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _loaded(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}


def _given(bench: Bench, names: set[Name], inner: Mapping[ast.stmt, set[str]]) -> set[str]:
    """The names of functions that what is compiled is given to, as an argument or in a list, tuple or dict of them."""
    found: set[str] = set()
    for module in list(bench.modules.by_path.values()):
        for unit in module.units:
            known = {name for name in unit.uses if not names.isdisjoint(names_in(module, unit, [name]))} | inner.get(unit.node, set())
            for part in ast.walk(unit.node) if known else ():
                if isinstance(part, ast.Call) and isinstance(part.func, (ast.Name, ast.Attribute)):
                    arguments = [*part.args, *(keyword.value for keyword in part.keywords)]
                    if any(not known.isdisjoint(_handed(argument)) for argument in arguments):
                        found.add(part.func.id if isinstance(part.func, ast.Name) else part.func.attr)
    return found


def _handed(argument: ast.expr) -> set[str]:
    """The names that are an argument by themselves, not part of a computation."""
    if isinstance(argument, ast.Name):
        return {argument.id}
    if isinstance(argument, ast.Starred):
        return _handed(argument.value)
    items = argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else argument.values if isinstance(argument, ast.Dict) else ()
    return {name for item in items for name in _handed(item)}


def _attributes(node: ast.stmt, first: int, last: int) -> set[str]:
    """The methods around rows of a class, and the attributes that are assigned there."""
    found: set[str] = set()
    for part in ast.walk(node) if isinstance(node, ast.ClassDef) else ():
        if isinstance(part, ast.stmt) and first_row(part) <= last and first <= (part.end_lineno or 0):
            if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.add(part.name)
            for target in part.targets if isinstance(part, ast.Assign) else ():
                found |= {inner.attr for inner in ast.walk(target) if isinstance(inner, ast.Attribute)}
    return found - {"__init__"}


def _reaches(module: Module, unit: Unit, function: Function, names: set[Name], attributes: set[str], inner: set[str]) -> bool:
    """Whether a function, which is in a statement of the module, names one of these in its body or its defaults. `inner`: names of that statement
    alone.

    A string that spells a name of its module counts as that name."""
    defaults = (default for default in (*function.args.defaults, *function.args.kw_defaults) if default is not None)
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    parts = [part for top in (*body, *defaults) for part in ast.walk(top)]
    if any(isinstance(part, ast.Attribute) and part.attr in attributes for part in parts):
        return True
    used = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    used |= {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}  # globals()["step"]
    return not inner.isdisjoint(used) or not names.isdisjoint(names_in(module, unit, used))
