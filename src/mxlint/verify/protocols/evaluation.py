"""MX1: a placeholder is evaluated in the trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mxlint.verify.protocols.answer import Answer, first_line, says, seen, told, unclear, unreached
from mxlint.verify.protocols.comparing import differing
from mxlint.verify.sight import Sight

EVALUATES = ("during function transformations", "inside a graph transformation", "item() const can only be called on")


MISFITS = ("incompatible function arguments", "std::bad_cast", "cannot be interpreted as an integer", "must be integers or slices")


def evaluation(sight: Sight) -> Answer:
    """The flagged expression raises while the function is traced, and not without compile."""
    for record in sight.real["logging"]:
        if record["inside"] and sight.claim.covers(record["file"], record["row"]) and says(record["message"], EVALUATES):
            return seen(
                "exception",
                f"logging drops the record: {record['type']}: {first_line(record['message'])}",
                "the uncompiled function logs it",
            )
    caught = False
    for item in sight.exceptions():
        if item["object"] is not None and sight.hits(item) and _evaluates(sight, item):
            if item["left"]:
                return seen("exception", told(item), "the uncompiled function runs this without an exception")
            caught = True
    if caught:
        for _, _, _, evidence in differing(sight):
            return Answer("seen", None, replace(evidence, note="the exception is caught in the trace, and what follows becomes part of it"))
        return unclear("the expression raises in the trace, but the program catches the exception there")
    if not sight.reached:
        return unreached(sight)
    if any(item["object"] is not None and sight.hits(item) for item in sight.exceptions(new=False)):
        return unclear("the expression raises for another reason, without compile too")
    if sight.established:
        return Answer("contradicted", f"the expression was evaluated {sight.reached} times while tracing, and nothing was raised")
    return unclear("the expression was begun in a trace, but not seen to be evaluated as a whole")


def _evaluates(sight: Sight, item: Mapping[str, Any]) -> bool:
    """Whether an exception tells of an evaluation. Where MLX's own functions want a Python number, a placeholder is of the wrong type."""
    return says(item["message"], EVALUATES) or sight.plain["watches"][sight.watch]["finished"] > 0 and says(item["message"], MISFITS)
