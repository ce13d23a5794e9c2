"""MX4: one trace for all shapes, and what it does with another one."""

from __future__ import annotations

import re

from mxlint.verify.protocols.answer import Answer, says, seen, unclear, unreached
from mxlint.verify.protocols.comparing import differing
from mxlint.verify.sight import Call, Sight

SHAPES = ("cannot infer output shapes",)


def unsupported(sight: Sight) -> Answer:
    """The first call raises, since an operation cannot tell its output shape."""
    for _, real, _, evidence in differing(sight):
        if evidence.kind == "exception" and real["traced"] and says(evidence.observed, SHAPES):
            if not sight.reached:
                return unreached(sight)
            return Answer("seen", None, evidence)
    if (
        sight.reached
        and sight.established
        and any(real["traced"] and real["error"] is None and "result" in real for _, real, _ in sight.pairs)
    ):
        return Answer("contradicted", "the operation was traced, and the call returned")
    return unreached(sight) if not sight.reached else unclear("the call did not fail for an output shape")


def frozen_shape(sight: Sight) -> Answer:
    """A call with other shapes than the traced ones gives something else than the uncompiled function, raises, or crashes."""
    if sight.crashed is not None:
        return seen("crash", f"the process died of signal {sight.crashed.signal}", "the uncompiled program ends well")
    if not sight.reached:
        return unreached(sight)
    first: dict[int, Call] = {}
    axes: dict[tuple[int, int, int], set[int]] = {}
    for _, real, _ in sight.pairs:
        before = first.setdefault(real["object"], real)
        if not real["traced"] and real["error"] is None:
            for number, (now, then) in enumerate(zip(_arrays(real["key"]), _arrays(before["key"]))):
                found = axes.setdefault((real["object"], number, len(now)), set())
                found |= {axis for axis, (size, other) in enumerate(zip(now, then)) if size != other}
    for _, real, _, evidence in differing(sight):
        if not real["traced"] and _shapes(real["key"]) != _shapes(first[real["object"]]["key"]):
            return Answer("seen", None, evidence)
        return unclear(f"a call differs for another reason than its shapes: {evidence.observed}")
    if not any(axes.values()):
        return unclear("no call in sight brings another shape")
    if not any(_read(sight.claim.text, rank) <= found for (_, _, rank), found in axes.items()):
        return unclear("calls with other shapes gave what the uncompiled function gives, but other sizes than these may not")
    if sight.established:
        return Answer("contradicted", "calls with other shapes gave what the uncompiled function gives")
    return unclear("not seen to be evaluated as a whole")


def _read(text: str, rank: int) -> set[int]:
    """The axes of an array whose sizes an expression reads: all, if it does not say."""
    named = {int(axis) for axis in re.findall(r"\.shape\[\s*(-?\d+)\s*\]", text)}
    return {axis % rank for axis in named} if named and rank else set(range(rank)) or {0}


def _arrays(key: object) -> list[list[int]]:
    """The shapes of all arrays in a signature, in order."""
    if not isinstance(key, list):
        return []
    return [key[1:-1]] if key[:1] == ["array"] else [shape for part in key for shape in _arrays(part)]


def _shapes(key: object) -> object:
    """The shapes in a signature."""
    if isinstance(key, list):
        return [item for part in key if (item := _shapes(part)) is not None] if key[:1] != ["array"] else key
    return None
