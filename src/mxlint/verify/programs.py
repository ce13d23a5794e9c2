"""Which programs put a claim to the test, and what the child is told of them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mxlint.finding import Finding
from mxlint.verify.bench import Bench, watch, watched
from mxlint.verify.comparison import Claim, Watched
from mxlint.verify.modules import Module, Modules
from mxlint.verify.protocols.answer import Protocol
from mxlint.verify.requirements import distribution
from mxlint.verify.runner import Job
from mxlint.verify.slicing import Slice, cut
from mxlint.verify.units import DEFINITIONS, first_row

MOST_ENTRIES = 3


_NOISY = frozenset({"antigravity", "this", "turtle", "idlelib", "__future__", "__main__"})


def rows_of(finding: Finding, named: Mapping[str, str]) -> dict[str, set[int]]:
    """The rows that a finding is about, by place."""
    rows: dict[str, set[int]] = {}
    for span in (finding.span, *(related.span for related in finding.related)):
        if span.filename in named:
            rows.setdefault(named[span.filename], set()).add(span.start.row)
    return rows


def rows_of_its_own(claim: Claim) -> dict[str, set[int]]:
    """The rows of what is flagged and of where it is compiled, without those of who calls it."""
    rows: dict[str, set[int]] = {claim.place: {claim.start[0]}}
    for place, first, _ in claim.sites:
        rows.setdefault(place, set()).add(first)
    return rows


def pieces(bench: Bench, finding: Finding, claim: Claim, protocol: Protocol, named: Mapping[str, str]) -> list[Slice]:
    """Programs that call what the finding is about: from its own file, the files it names, and those that import them."""
    rows = rows_of(finding, named)
    modules = bench.modules.by_path
    compiled = {
        path: frozenset(
            name
            for unit in modules[path].units
            if any(place == path and first_row(unit.node) <= first <= _head(unit.node) for place, first, _ in claim.sites)
            for name in unit.binds
        )
        for path in rows
    }
    base = [modules[path] for path in dict.fromkeys((claim.place, *rows))]
    found = []
    for entry in [*base, *_importers(bench.modules, {module.path for module in base})]:
        piece = cut(bench.modules, entry, rows, compiled, stateful=protocol.stateful, reads=protocol.lazy)
        if piece.driven:
            found.append(piece)
        if len(found) == MOST_ENTRIES:
            break
    return found


def _head(node: ast.stmt) -> int:
    """The last row on which a statement itself can be compiled: a definition on its decorators."""
    return node.lineno if isinstance(node, DEFINITIONS) else node.end_lineno or node.lineno


def _importers(modules: Modules, paths: set[str]) -> list[Module]:
    """Modules that import these, directly or not."""
    found: list[Module] = []
    changed = True
    reached = set(paths)
    while changed:
        changed = False
        for module in list(modules.by_path.values()):
            if module.path not in reached and reached & {*(path for path, _ in module.imports.values()), *module.stars}:
                reached.add(module.path)
                found.append(module)
                changed = True
    return found


def job_of(bench: Bench, piece: Slice, claim: Claim, protocol: Protocol, order: Mapping[str, Any] | None = None) -> Job:
    """The job that runs a slice, with all that the protocol of a claim has to watch. `order`: how a function that nothing calls is called."""
    python = bench.python(claim.span.filename)
    settings = {
        "entry": {"file": piece.entry.path, "package": piece.entry.package, "name": "__main__" if order is None else "mxlint_program"},
        "roots": list(piece.roots),
        "drive": order,
        "recipe": None,
        "watches": _watches(bench, piece, watched(claim)),
        "calls": protocol.calls,
        "survey": protocol.survey,
        "results": protocol.results,
        "state": protocol.state,
        "memory": protocol.memory,
        "graph": protocol.graph,
        "clocks": protocol.clocks,
        "transforms": protocol.transforms,
        "random": protocol.random,
        "fused": protocol.fused,
        "length_one": False,
        "traced_calls": [],
        "wholes": [0],
        "hold": [],
        "live": [],
        "draws": None,
        "captures": None,
        "change": None,
        "attempts": None,
        "turned": [],
        "python": python.settings,
        "outside": {name: distribution(name, claim.span.filename) for name in sorted(piece.outside) if name not in sys.stdlib_module_names},
        "modules": sorted(name for name in piece.outside if name == "numpy" or name in sys.stdlib_module_names and name not in _NOISY),
        "canary": "MLX_DISABLE_COMPILE" not in "".join(piece.files.values()),
        "readable": list(python.readable),
        "cpu_s": 10,
    }
    return Job(piece.files, settings)


def with_kernels(job: Job) -> Job:
    """The same program under MLX as it is: operations are fused, and kernels built."""
    return replace(job, settings={**job.settings, "fused": True})


def _watches(bench: Bench, piece: Slice, own: Watched) -> list[dict[str, Any]]:
    """What is watched in a program: of the expressions that claims are about those that are in it, in order."""
    inside = {one for one in bench.watches if _stands(one, piece)} | {own}
    return [watch(one) for one in dict.fromkeys((*bench.watches, own)) if one in inside]


def _stands(watched: Watched, piece: Slice) -> bool:
    file, start, end = watched
    return file in piece.files and any(line.strip() for line in piece.files[file].split("\n")[start[0] - 1 : end[0]])
