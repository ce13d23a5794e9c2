"""MX6, and MX306: compiled without use, measured or shared the wrong way. Seen by counting, never by a ratio of times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mxlint.verify.comparison import Call, Comparison
from mxlint.verify.protocols.answer import PLACEHOLDER, UNCAPTURED, Answer, described, ending, says, seen, traced, unclear
from mxlint.verify.protocols.comparing import leaked

FUSED = "Compiled"
"""How the name of a kernel begins that mx.compile has made of several operations."""

STREAMS = ("There is no Stream",)


def used_once(comparison: Comparison) -> Answer:
    """One call, one trace, and the program is over."""
    if problem := _not_alone(comparison):
        return problem
    calls = comparison.calls(comparison.real)
    traces = sum(call["traced"] for call in calls)
    if len(calls) == 1 and traces == 1 and comparison.real["status"] == "ok":
        return seen("traces", "1 trace in 1 call, the only one of the program", "a trace that later calls use", **traced(calls))
    if traces and len(calls) > traces:
        return Answer("contradicted", f"{traces} trace{'s' * (traces > 1)} in {len(calls)} calls")
    return unclear(f"{traces} traces in {len(calls)} calls{ending(comparison)}")


def nothing_to_fuse(comparison: Comparison) -> Answer:
    """What MLX has to run is one operation, with and without mx.compile."""
    if problem := _not_alone(comparison):
        return problem
    pairs = [(real, plain) for _, real, plain in comparison.pairs if real.get("operations") and plain.get("operations")]
    if not pairs:
        return unclear(f"no call of the compiled function returned an array that was still to be computed{ending(comparison)}")
    for real, plain in pairs:
        if real["operations"] < plain["operations"]:
            return Answer("contradicted", f"{plain['operations']} operations became {real['operations']}")
    if all(real["operations"] == plain["operations"] == 1 for real, plain in pairs):
        name = pairs[0][0]["operation"]
        what = "a function that MLX has compiled already" if name.startswith(FUSED) else name
        return seen("no-effect", f"one operation to run, compiled or not: {what}", "fewer operations", calls=len(pairs))
    return unclear(
        f"{pairs[0][1]['operations']} operations, and {pairs[0][0]['operations']} compiled: more than the one that the claim is about"
    )


def idle_inside(comparison: Comparison) -> Answer:
    """Every call comes while another function is traced, and runs the body."""
    made = _made(comparison)
    if not made:
        return unclear(f"no compiled object was made here{ending(comparison)}")
    if (name := _public(made)) is not None:
        return unclear(f"other modules can call it, as {name}")
    calls, runs = sum(item["nested"] for item in made), sum(item["nested_traced"] for item in made)
    direct = len(_direct(comparison)) + sum(sum(item["threads"]) for item in made)
    if calls and direct:
        return Answer("contradicted", f"{direct} of its calls came from outside of any trace")
    if calls and runs == calls:
        return seen(
            "traces", f"its body ran {runs} times in {calls} calls, all of them while another function was traced",
            "calls that its own trace serves", traces=runs, calls=calls,
        )  # fmt: skip
    return unclear("it was not called while another function was traced" if not calls else f"its body ran {runs} times in {calls} calls")


def mistimed(comparison: Comparison) -> Answer:
    """At the second reading of the clock nothing has been computed, or what lies between is the first call."""
    readings = comparison.real["clocks"]
    spans = [
        (start, end) for start, end in comparison.real["spans"] if comparison.claim.covers(readings[end]["file"], readings[end]["row"])
    ]
    timed = [call for start, end in spans for reading in readings[start + 1 : end + 1] for call in reading["calls"]]
    if not timed:
        return unclear(f"no time that calls of a compiled function take was measured here{ending(comparison)}")
    last = [readings[end]["calls"][-1] for _, end in spans if readings[end]["calls"]]
    if any(reading["waited"] for start, end in spans for reading in readings[start + 1 : end + 1]):
        return unclear("what was timed waits for calls that were begun before: as many may be done as are begun")
    begun = [call for call in timed if call["arrays"] and call["lazy"] == call["arrays"]]
    for call in last if 2 * len(begun) >= len(timed) else ():
        if call in begun:
            return seen(
                "no-effect", f"nothing that call {call['call'] + 1} returned was computed when the clock was read", "a result that is there",
                calls=len(timed), note="seen in the graph, not in time; mx.async_eval does not wait",
            )  # fmt: skip
    first = [call for call in timed if call["call"] in _first_calls(comparison)]
    if len(first) == len(timed):
        return seen(
            "traces", f"what the clock timed is the first call of a compiled function ({len(timed)} time{'s' * (len(timed) > 1)})",
            "a call that uses the trace", traces=len(timed), calls=len(timed),
        )  # fmt: skip
    if not first and last and not any(call["lazy"] for call in last):
        return Answer("contradicted", "what was timed had been computed when the clock was read, and traced before")
    return unclear("some of what was timed had been computed when the clock was read, or was traced before")


def switched_off(comparison: Comparison) -> Answer:
    """Compilation is off when the program has ended, and no call after this ran without its body."""
    if not comparison.reached_outside:
        return unclear(f"it was not run{ending(comparison)}")
    if comparison.real["compiles"]:
        again = any(not call["traced"] and call["error"] is None for call in comparison.real["calls"])
        on = "compilation is on again at the end of the program"
        return Answer("contradicted", f"{on}, and calls ran without their body") if again else unclear(on)
    off = [call for call in comparison.real["calls"] if call["off"]]
    repeated = len(off) - len({str((call["object"], call["key"])) for call in off})
    if any(not call["traced"] and call["error"] is None for call in off):
        return unclear("a call after it ran without its body")
    runs = f"the body ran {repeated} more times for arguments that came before; " if repeated else ""
    return seen(
        "no-effect", f"{runs}mx.compile does nothing any more when the program has ended", "compiled functions that are compiled", **traced(off),
    )  # fmt: skip


def across_threads(comparison: Comparison) -> Answer:
    """Captured state that several threads use ends up with what one of them cannot evaluate; where nothing is captured, each thread traces."""
    if comparison.crashed is not None:
        return seen("crash", f"the process died of signal {comparison.crashed.signal}", "it ends well where one thread makes all calls")
    made = [item for item in _made(comparison) if item["inputs"] or item["outputs"]]
    number = {id(item): at for at, item in enumerate(comparison.real["objects"])}
    if not made:
        traced = {call["object"] for call in comparison.real["calls"] if call["traced"]}
        tracing = max((item["threads_traced"] + (number[id(item)] in traced) for item in _made(comparison)), default=0)
        if tracing < 2:
            return unclear("what is compiled here captures nothing, and two threads that trace it were not seen")
        return seen("traces", f"{tracing} threads traced it, each for itself", "one trace that all calls use", traces=tracing)
    direct = {call["object"] for call in comparison.real["calls"]}
    threads = max(len(item["threads"]) + (number[id(item)] in direct) for item in made)
    if threads < 2:
        return unclear(f"no compiled function with captured state was called from two threads{ending(comparison)}")
    for item in comparison.exceptions():
        if says(item["message"], PLACEHOLDER + UNCAPTURED + STREAMS):
            return seen(
                "exception", f"{described(item)}, called from {threads} threads", "nothing is raised where one thread makes all calls"
            )
    found = leaked(comparison)
    if found is not None:
        return Answer("seen", None, found)
    return unclear(f"it was called from {threads} threads, and nothing was seen to break")


def _made(comparison: Comparison) -> list[Mapping[str, Any]]:
    return [comparison.real["objects"][number] for number in comparison.objects(comparison.real)]


def _first_calls(comparison: Comparison) -> set[int]:
    """The numbers of calls that are the first of their compiled object."""
    first: dict[int, int] = {}
    for number, call in enumerate(comparison.real["calls"]):
        first.setdefault(call["object"], number)
    return set(first.values())


def _direct(comparison: Comparison) -> list[Call]:
    return comparison.calls(comparison.real)


def _public(made: list[Mapping[str, Any]]) -> str | None:
    return next((item["public"] for item in made if item["public"] is not None), None)


def _not_alone(comparison: Comparison) -> Answer | None:
    """What makes a program's own calls say little: others may call it, or do."""
    made = _made(comparison)
    if not made:
        return unclear(f"no compiled object was made here{ending(comparison)}")
    if (name := _public(made)) is not None:
        return unclear(f"other modules can call it, as {name}")
    if any(item["nested"] or item["threads"] for item in made):
        return unclear("it is called while others are traced, or from other threads")
    return None
