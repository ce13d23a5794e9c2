"""MX5: what compile takes, gives back, or leaves without effect."""

from __future__ import annotations

from mxlint.verify.comparison import Call, Comparison, opaque
from mxlint.verify.protocols.answer import (
    PLACEHOLDER,
    Answer,
    count_traces,
    described,
    ending,
    says,
    seen,
    traced,
    unclear,
    unless_called,
    unreached,
)
from mxlint.verify.protocols.comparing import difference, differing, ended, leaked

OTHER_FAMILIES = ("during function transformations", "inside a graph transformation", "uncaptured inputs", "cannot infer output shapes")
"""What MLX says where a compiled function is one, but does something that it may not."""


NOS = ("", "0", "false", "no", "off")
"""What somebody sets MLX_DISABLE_COMPILE to who does not want to disable it."""


TREES = ("must be trees of arrays or constants",)


def refused(comparison: Comparison, *, method: bool = False) -> Answer:
    """Calling, or compiling, raises for what is compiled, and the uncompiled function does not. `method`: it is a method of a class."""
    wrong = ("method",) if method else ("lazy", "none")
    for item in comparison.real["objects"]:
        if item["failed"] and item["kind"] in wrong and comparison.claim.covers(item["file"], item["row"]):
            return seen("exception", item["failed"], "a compiled function")
    for _, real, _, evidence in differing(comparison):
        if comparison.real["objects"][real["object"]]["kind"] not in wrong:
            continue
        of_arguments = says(evidence.observed, TREES) and not (method and _of_self(real, evidence.observed))
        if evidence.kind == "exception" and not says(evidence.observed, OTHER_FAMILIES) and not of_arguments:
            return Answer("seen", None, evidence)
    found = [item for item in comparison.exceptions() if says(item["message"], PLACEHOLDER)]
    if found and any(comparison.real["objects"][number]["kind"] in wrong for number in comparison.objects(comparison.real)):
        return seen("exception", described(found[0]), "nothing is raised here")
    return unclear(f"no call was seen to raise{ending(comparison)}")


def _of_self(call: Call, message: str) -> bool:
    """Whether what MLX does not take is the object that a method was called on."""
    arguments = call["key"][0]
    first = arguments[1] if len(arguments) > 1 else None
    return (
        isinstance(first, list)
        and first[0] == "other"
        and message.partition("received type ")[2].rstrip(".").endswith(first[1].rpartition(".")[2])
    )


def bad_argument(comparison: Comparison) -> Answer:
    """A call at the flagged place raises for what it hands over."""
    for _, real, _, evidence in differing(comparison):
        of_trees = says(evidence.observed, TREES) or "'dict' object" in evidence.observed
        if evidence.kind == "exception" and of_trees and comparison.claim.covers(real["file"], real["row"]):
            return Answer("seen", None, evidence)
    here = [real for _, real, _ in comparison.pairs if comparison.claim.covers(real["file"], real["row"])]
    if here and all(real["error"] is None for real in here):
        return Answer("contradicted", "the calls here returned")
    return unclear(f"no call here was seen to raise for its arguments{ending(comparison)}")


def untracked(comparison: Comparison) -> Answer:
    """What is returned holds placeholders."""
    if not comparison.reached:
        return unreached(comparison)
    for number, real, plain in comparison.pairs:
        if real.get("result_leaks") and not plain.get("result_leaks"):
            return seen("leak", f"call {number} returns a placeholder: {real['result_leaks'][0]}", "arrays with values")
    found = [item for item in comparison.exceptions() if says(item["message"], PLACEHOLDER)]
    if found:
        return seen("exception", described(found[0]), "nothing is raised here")
    if any(opaque(real.get("result")) for _, real, _ in comparison.pairs):
        return unclear("what is returned cannot be looked into")
    return unless_called(comparison, "what the calls returned held values")


def nothing_returned(comparison: Comparison) -> Answer:
    """Nothing comes out: no result, no captures that are written."""
    numbers = set(comparison.objects(comparison.real))
    if any(comparison.real["objects"][number]["outputs"] for number in numbers):
        return unclear("it has outputs=")
    calls = comparison.calls(comparison.real)
    if (
        calls
        and all(call["error"] is None and "result" in call and call["result"] is None for call in calls)
        and leaked(comparison) is None
    ):
        return seen(
            "no-effect",
            f"{len(calls)} calls return None, and nothing is captured",
            "a result",
            **traced(calls),
        )
    if calls and all(call["error"] is None and call.get("result") is not None for call in calls):
        return Answer("contradicted", "every call returned something")
    return unclear("no calls, or some of them return something")


def ambiguous(comparison: Comparison) -> Answer:
    """A call that runs the trace of another, whose arguments differ for Python."""
    for number, real, _, evidence in differing(comparison):
        traced = [call for call in comparison.calls(comparison.real)[: number - 1] if call["object"] == real["object"]]
        if comparison.real["objects"][real["object"]]["shapeless"]:
            return unclear("one trace serves all shapes here: what differs may come from them")
        if not real["traced"] and all(str(call["key"]) != str(real["key"]) for call in traced) and traced:
            return Answer("seen", None, evidence)
    calls = comparison.calls(comparison.real)
    different = {str((call["object"], call["key"])) for call in calls}
    if 1 < len(different) == sum(call["traced"] for call in calls):
        return Answer("contradicted", f"{len(different)} calls with different arguments had a trace each")
    return unclear("no call was seen to run the trace of another one")


def without_effect(comparison: Comparison) -> Answer:
    """The compiled object is never called, or does not do what it is for."""
    numbers = [number for number, item in enumerate(comparison.real["objects"]) if comparison.claim.covers(item["file"], item["row"])]
    if numbers and not any(call["object"] in numbers for call in comparison.real["calls"]):
        ran = max(
            (
                count
                for name, count in comparison.real["bodies"].items()
                if name.endswith(f":{comparison.real['objects'][numbers[0]]['name']}")
            ),
            default=0,
        )
        if ran >= 2:
            return seen("no-effect", f"the compiled object is never called; the body runs {ran} times in Python", "one trace")
    found = difference(comparison) or ended(comparison)
    names = [item["name"] for item in comparison.real["objects"]]
    if found is not None and any(names.count(names[number]) > 1 for number in numbers):
        return Answer("seen", None, found)
    if comparison.reached_outside and "MLX_DISABLE_COMPILE" in comparison.claim.text:
        return _switch(comparison)
    return unclear("the compiled object was called, and did what the uncompiled function does")


def _switch(comparison: Comparison) -> Answer:
    """MLX_DISABLE_COMPILE, set here: to a value that reads like "no", or too late."""
    calls = comparison.calls(comparison.real)
    again = [call for number, call in enumerate(calls) if any(call["key"] == other["key"] for other in calls[:number])]
    if len(again) < 2:
        return unclear("fewer than three calls with like arguments")
    traces = count_traces(comparison)
    given = comparison.real["disabled_by"]
    off = all(call["traced"] for call in again)
    if given is None or off != (given.lower() in NOS):
        return unclear("compilation is off, or on, as it is set here")
    if off:
        return seen(
            "no-effect",
            f"the body runs {traces} times in {len(calls)} calls: nothing is compiled",
            "one trace",
            **traced(calls),
        )
    return seen(
        "no-effect",
        f"the body runs {traces} times in {len(calls)} calls: compilation goes on",
        f"{len(calls)} times",
        **traced(calls),
    )
