"""MX1: a placeholder is evaluated in the trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mxlint.verify.comparison import Comparison
from mxlint.verify.protocols.answer import Answer, described, first_line, says, seen, unclear, unreached
from mxlint.verify.protocols.comparing import differing

EVALUATES = ("during function transformations", "inside a graph transformation", "item() const can only be called on")


MISFITS = ("incompatible function arguments", "std::bad_cast", "cannot be interpreted as an integer", "must be integers or slices")


WAYS: dict[tuple[str, str], frozenset[str]] = {
    **dict.fromkeys((("__repr__", ""), ("__str__", ""), ("__format__", "")), frozenset({"text"})),
    ("", "ValueError"): frozenset({"evaluation"}),
    ("", "RuntimeError"): frozenset({"conversion"}),
    ("__getstate__", ""): frozenset({"evaluation"}),
    **dict.fromkeys(
        [(name, "") for name in ("__int__", "__float__", "__complex__", "__bytes__", "__array__", "__dlpack__", "item", "tolist")],
        frozenset({"conversion"}),
    ),
    **dict.fromkeys((("__int__", "operator"), ("__float__", "operator")), frozenset({"text"})),
    ("__bool__", ""): frozenset({"truth"}),
    ("__bool__", "call"): frozenset({"conversion", "truth"}),
    ("__index__", ""): frozenset({"index"}),
    ("__index__", "call"): frozenset({"conversion", "index"}),
}
"""How a value is asked for: by the method of the array that Python asked for its value, and by the instruction that did so: a call, an
operator (which asks for a number only to write it into a text), or any other. MLX's own functions ask by no method; the type of
the exception then tells them from a buffer. bool(x) and any([x]) cannot be distinguished, nor can operator.index(x) and range(x)."""


def evaluation(way: str, comparison: Comparison) -> Answer:
    """The flagged expression asks for a value in this way, which raises while the function is traced, and not without compile."""
    for record in comparison.real["logging"]:
        if (
            way == "text"
            and record["inside"]
            and comparison.claim.covers(record["file"], record["row"])
            and says(record["message"], EVALUATES)
        ):
            return seen(
                "exception",
                f"logging drops the record: {record['type']}: {first_line(record['message'])}",
                "it is logged",
            )
    caught, of_other_kind = False, False
    for item in comparison.exceptions():
        if item["object"] is not None and comparison.hits(item) and _evaluates(comparison, item):
            if way not in _ways(item):
                of_other_kind = True
                continue
            if item["left"]:
                return seen("exception", described(item), "it runs without an exception")
            caught = True
    if caught:
        for _, _, _, evidence in differing(comparison):
            return Answer("seen", None, replace(evidence, note="the exception is caught in the trace, and what follows becomes part of it"))
        return unclear("the expression raises in the trace, but the program catches the exception there")
    if not comparison.reached:
        return unreached(comparison)
    if of_other_kind:
        return unclear("the value of a traced array is asked for here, but in a way that another rule is about")
    if any(item["object"] is not None and comparison.hits(item) for item in comparison.exceptions(new=False)):
        return unclear("the expression raises for another reason, without compile too")
    if comparison.established:
        return Answer("contradicted", f"the expression was evaluated {comparison.reached} times while tracing, and nothing was raised")
    return unclear("the expression was begun in a trace, but not seen to be evaluated as a whole")


def _ways(item: Mapping[str, Any]) -> frozenset[str]:
    """The ways in which an evaluation asks."""
    if says(item["message"], MISFITS) and not says(item["message"], EVALUATES):
        return frozenset({"index"})
    asked, instruction = item["asked"], item["instruction"]
    how = "call" if "CALL" in instruction else "operator" if instruction.startswith("BINARY_") and "SUBSCR" not in instruction else ""
    return WAYS.get((asked, how if asked else item["type"])) or WAYS.get((asked, ""), frozenset())


def _evaluates(comparison: Comparison, item: Mapping[str, Any]) -> bool:
    """Whether an exception tells of an evaluation. Where MLX's own functions want a Python number, a placeholder is of the wrong type, and an array is not."""
    runs = comparison.reached_plain > 0 and not any(map(comparison.hits, comparison.plain["exceptions"]))
    return says(item["message"], EVALUATES) or runs and says(item["message"], MISFITS)
