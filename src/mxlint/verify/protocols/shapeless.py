"""MX4: one trace for all shapes, and what it does with another one."""

from __future__ import annotations

from mxlint.verify.comparison import Call, Comparison
from mxlint.verify.devices import kind
from mxlint.verify.protocols.answer import Answer, says, seen, unclear, unreached
from mxlint.verify.protocols.comparing import differing

SHAPES = ("cannot infer output shapes",)


def unsupported(comparison: Comparison) -> Answer:
    """The first call raises, since an operation cannot tell its output shape."""
    for _, real, _, evidence in differing(comparison):
        if evidence.kind == "exception" and real["traced"] and says(evidence.observed, SHAPES):
            if not comparison.reached:
                return unreached(comparison)
            return Answer("seen", None, evidence)
    return unreached(comparison) if not comparison.reached else unclear("the call did not fail for an output shape, but other shapes may")


def frozen_shape(comparison: Comparison) -> Answer:
    """A call with other shapes than the traced ones gives something else than the uncompiled function, raises, or crashes."""
    if comparison.crashed is not None:
        return seen("crash", f"the process died of signal {comparison.crashed.signal}", "the program ends well")
    if not comparison.reached:
        return unreached(comparison)
    first: dict[int, Call] = {}
    reshaped = False
    for _, real, _ in comparison.pairs:
        before = first.setdefault(real["object"], real)
        reshaped = reshaped or not real["traced"] and real["error"] is None and _shapes(real["key"]) != _shapes(before["key"])
    for _, real, _, evidence in differing(comparison):
        if not real["traced"] and _shapes(real["key"]) != _shapes(first[real["object"]]["key"]):
            return Answer("seen", None, evidence)
        return unclear(f"a call differs for another reason than its shapes: {evidence.observed}")
    device = kind(comparison.real["mlx"]["device"])
    if reshaped and device in comparison.claim.right_on:
        return Answer("contradicted", f"other shapes gave what the uncompiled function gives, as was measured on {device}")
    # Where that was not measured, sizes that were tried say nothing of others: no size refutes.
    return unclear(
        "the sizes that were tried gave what the uncompiled function gives" if reshaped else "no call in sight brings another shape"
    )


def _shapes(key: object) -> object:
    """The shapes in a signature."""
    if isinstance(key, list):
        return [item for part in key if (item := _shapes(part)) is not None] if key[:1] != ["array"] else key
    return None
