"""Both outcomes of the switches that a program reads from outside (child/switches.py records and turns them)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from mxlint.verify.child.switches import OPTION, SET
from mxlint.verify.runner import Job

MOST_SWITCHES = 6
"""Runs with a switch turned, one in each."""
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def turned(job: Job, run: Mapping[str, Any]) -> Iterator[tuple[Job, str]]:
    """Yield the program with one switch turned that it reads, and that in words."""
    for kind, name, value, words in islice(_ways(job, run), MOST_SWITCHES):
        yield replace(job, settings={**job.settings, "turned": [[kind, name, value]]}), f"with {words}"


def _ways(job: Job, run: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Each switch once; then variables with each of the constants that the program compares them with."""
    switches = run.get("switches", ())
    for kind, name in switches:
        words = f"the option {name} the other way" if kind == OPTION else f"the environment variable {name} set"
        yield kind, name, SET, words
    trees = [ast.parse(text) for _, text in sorted(job.files.items())] if switches else []
    for kind, name in switches:
        for value in compared(trees, name) if kind != OPTION else ():
            if value != SET:
                yield kind, name, value, f"the environment variable {name} set to {value!r}"


def compared(trees: list[ast.Module], name: str) -> list[str]:
    """Return the constants that a variable is compared with: an expression that spells its name, or reads what such a one is assigned to."""
    parts = [part for tree in trees for part in ast.walk(tree)]
    bound: set[str] = set()
    for part in parts:
        if isinstance(part, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and part.value is not None and _reads(part.value, name, set()):
            for target in part.targets if isinstance(part, ast.Assign) else (part.target,):
                bound |= _names(target) if not isinstance(target, ast.Attribute) else {target.attr}
    found: dict[str, None] = {}
    for part in parts:
        if isinstance(part, ast.Compare):
            sides = [part.left, *part.comparators]
            others = [side for side in sides if not _reads(side, name, bound)]
            ordered = any(isinstance(order, _ORDERS) for order in part.ops)
            if len(others) < len(sides):
                found |= dict.fromkeys(value for side in others for value in _constants(side, ordered=ordered))
        elif isinstance(part, ast.Match) and _reads(part.subject, name, bound):
            found |= dict.fromkeys(value for case in part.cases for value in _constants(case.pattern, ordered=False))
    return list(found)


def _reads(node: ast.AST, name: str, bound: set[str]) -> bool:
    return any(isinstance(part, ast.Constant) and part.value == name for part in ast.walk(node)) or not bound.isdisjoint(_names(node))


def _names(node: ast.AST) -> set[str]:
    """The names in an expression, and of its attributes the last part."""
    return {part.id if isinstance(part, ast.Name) else part.attr for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))}


def _constants(node: ast.AST, *, ordered: bool) -> Iterator[str]:
    """Texts and numbers; where they are put in an order, what lies on both sides of a whole number, too."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, (str, int, float)) and not isinstance(part.value, bool):
            yield str(part.value)
            if ordered and isinstance(part.value, int):
                yield from (str(part.value + 1), str(part.value - 1))
