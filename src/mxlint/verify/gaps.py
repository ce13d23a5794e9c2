"""What a run that contradicts a claim left out. Only a run without gaps refutes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from mxlint.verify.bench import Bench, watch
from mxlint.verify.modules import Module, Name
from mxlint.verify.runner import Job
from mxlint.verify.sight import Claim, Watched
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
        name = next(_not_run(bench, claim, run), None)
        if name is not None:
            return f"{name}, which may call it, was not run"
        if (folder := listed(bench, job, run)) is not None:
            return f"the program lists the folder {folder}, of which the experiment has the program only"
        variables = [f"the environment variable {name}" for kind, name in run["switches"] if kind == "variable"]
        asked = [*run["surroundings"], *variables]
        return f"the program asks for {asked[0]}, which may decide" if asked else None
    row = missed[0][1][0]
    of_calls = missed[0] in claim.calls or missed[0] in claim.paths
    return f"the call in line {row} was not made" if of_calls else f"line {row}, which the finding rests on, was not run"


def missing_places(claim: Claim, job: Job, run: Mapping[str, Any]) -> list[Watched]:
    """Return the calls in sight that the run did not make, and the other places of the finding that it did not execute, each once.

    The definition of a function that the static tracer entered though nothing in sight calls it is no place that a run executes: it may have other
    callers.
    """
    calls = [call for call in claim.calls if not any(_is_call(call, made) for made in run["calls"])]
    return list(dict.fromkeys(calls + [place for place in (*claim.chain, *claim.paths) if not _executed(place, job, run)]))


def _executed(place: Watched, job: Job, run: Mapping[str, Any]) -> bool:
    watches = job.settings["watches"]
    told = watch(place)
    if told not in watches:
        return False
    counts = run["watches"][watches.index(told)]
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
    for module in list(bench.modules.by_path.values()):
        for unit, function in _functions(module):
            name, row = ("<lambda>", function.lineno) if isinstance(function, ast.Lambda) else (function.name, first_row(function))
            ran = f"{module.path}:{row}:{name}" in run["bodies"]
            if not ran and _reaches(module, unit, function, names, attributes):
                yield f"the lambda in line {row}" if isinstance(function, ast.Lambda) else f"{name}()"


def _functions(module: Module) -> Iterator[tuple[Unit, Function]]:
    """The functions of a module, wherever they stand, each with the statement of the module that it is in."""
    for unit in module.units:
        for part in ast.walk(unit.node):
            if isinstance(part, Function):
                yield unit, part


def _leading(bench: Bench, claim: Claim) -> tuple[set[Name], set[str]]:
    """The names, and the attributes, by which the project may come to what is compiled: an over-approximation, by name."""
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


def _reaches(module: Module, unit: Unit, function: Function, names: set[Name], attributes: set[str]) -> bool:
    """Whether a function, which is in a statement of the module, names one of these in its body or its defaults.

    A string that spells a name of its module counts as that name."""
    defaults = (default for default in (*function.args.defaults, *function.args.kw_defaults) if default is not None)
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    parts = [part for top in (*body, *defaults) for part in ast.walk(top)]
    if any(isinstance(part, ast.Attribute) and part.attr in attributes for part in parts):
        return True
    used = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    used |= {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}  # globals()["step"]
    return not names.isdisjoint(names_in(module, unit, used))
