"""MX4: one trace for all shapes, and what it does with another one."""

from __future__ import annotations

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
    varied = False
    for _, real, _ in sight.pairs:
        before = first.setdefault(real["object"], real)
        varied = varied or not real["traced"] and _shapes(real["key"]) != _shapes(before["key"])
    for _, real, _, evidence in differing(sight):
        if not real["traced"] and _shapes(real["key"]) != _shapes(first[real["object"]]["key"]):
            return Answer("seen", None, evidence)
        return unclear(f"a call differs for another reason than its shapes: {evidence.observed}")
    if varied and sight.established:
        return Answer("contradicted", "calls with other shapes gave what the uncompiled function gives")
    return unclear("no call in sight brings another shape" if not varied else "not seen to be evaluated as a whole")


def _shapes(key: object) -> object:
    """The shapes in a signature."""
    if isinstance(key, list):
        return [item for part in key if (item := _shapes(part)) is not None] if key[:1] != ["array"] else key
    return None
