"""MX3: traces that need not be, or are too large."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from mxlint.finding import Evidence
from mxlint.rules.mx307 import MANY
from mxlint.verify.comparison import Call, Comparison, Run
from mxlint.verify.protocols.answer import Answer, ending, seen, traced, unclear, unreached


def made_again(comparison: Comparison) -> Answer:
    """Compiled objects made one after the other at one place, each traced, each gone before the next."""
    made = [item for item in comparison.real["objects"] if comparison.claim.within(item)]
    if len(made) == 1 and comparison.real["status"] == "ok" and comparison.calls(comparison.real):
        return Answer("contradicted", "one compiled object was made here in the whole program")
    if len(made) < 2:
        return unclear(f"{len(made) or 'no'} compiled object was made here{ending(comparison)}")
    numbers = {number for number, item in enumerate(comparison.real["objects"]) if item in made}
    calls = [call for call in comparison.real["calls"] if call["object"] in numbers]
    traces = sum(call["traced"] for call in calls)
    kept = sum(not _gone(first, second) for first, second in pairwise(made))
    evidence = Evidence("traces", f"{traces} traces in {len(calls)} calls, by {len(made)} compiled objects", "one trace", **traced(calls))
    served = max((list(rows).count(row) for rows in _rows(calls) for row in rows), default=0)
    if served > 1:
        return unclear(f"one compiled object serves {served} calls from one place")
    again = traces >= len(made) - 1 and 2 * traces >= len(calls) and len({str(call["key"]) for call in calls}) < traces
    if again and kept <= (len(made) > 3):
        return Answer("seen", None, evidence)
    return unclear(f"{evidence.observed}, {kept} of which lived on while the next was made")


def _rows(calls: Sequence[Call]) -> list[list[tuple[str, int]]]:
    """Where each object was called from."""
    by_object: dict[int, list[tuple[str, int]]] = {}
    for call in calls:
        by_object.setdefault(call["object"], []).append((call["file"], call["row"]))
    return list(by_object.values())


def _gone(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether a compiled object died before the next was made, or at once after, when the name got the new one."""
    return first["died"] is not None and first["died"] <= second["made"] + 1


def many_values(comparison: Comparison) -> Answer:
    """Each call brings another number, and is traced."""
    return _varied(comparison, _calls_there(comparison), ("int", "float"), ("array", "str", "bool"))


def _key(comparison: Comparison, call: Call) -> Any:
    """The signature of a call, of a shapeless function without sizes."""
    return _sizeless(call["key"]) if comparison.real["objects"][call["object"]]["shapeless"] else call["key"]


def _sizeless(key: Any) -> Any:
    if not isinstance(key, list):
        return key
    return ["array", len(key), key[-1]] if key[:1] == ["array"] else [_sizeless(part) for part in key]


def many_shapes(comparison: Comparison) -> Answer:
    """Each call brings another shape, or another number of arrays, and is traced. Numbers that change along do not matter: they are sizes."""
    return _varied(comparison, _calls_there(comparison), ("array",), ("str", "bool"))


def kernel_shapes(comparison: Comparison) -> Answer:
    """A kernel of the program's own, in a function that each call traces for another shape."""
    return _varied(comparison, comparison.calls, ("array",), ("str", "bool")) if comparison.reached else unreached(comparison)


def _calls_there(comparison: Comparison) -> Callable[[Run], list[Call]]:
    """The calls that the claim is about."""
    return lambda run: [call for call in comparison.calls(run) if comparison.claim.within(call)]


def _varied(comparison: Comparison, of: Callable[[Run], list[Call]], varying: Sequence[str], fixed: Sequence[str]) -> Answer:
    """Calls that all differ in parts of these kinds and not in those of others."""
    calls = of(comparison.real)
    if not calls:
        return unclear(f"the compiled function was not called from here{ending(comparison)}")
    groups: dict[str, list[Call]] = {}
    for call in calls:
        groups.setdefault(str((call["object"], _parts(_key(comparison, call), fixed))), []).append(call)
    for group in groups.values():
        if (
            len(group) >= 3
            and len({str(_parts(call["key"], varying)) for call in group}) == len(group)
            and all(call["traced"] for call in group)
        ):
            if (back := _come_back(comparison, of(comparison.plain))) is not None:
                return unclear(back)
            return seen("traces", f"{len(group)} traces in {len(group)} calls", "one trace", **traced(group))
    traces = sum(call["traced"] for call in calls)
    made = {call["object"] for call in calls}
    if (
        len(calls) >= 3
        and traces == len(made)
        and comparison.real["status"] == "ok"
        and all(_parts(call["key"], varying) for call in calls)
    ):
        return Answer(
            "contradicted",
            f"{traces} trace{'s' * (traces > 1)} in {len(calls)} calls, by {len(made)} compiled object{'s' * (len(made) > 1)}",
        )
    return unclear(f"{traces} traces in {len(calls)} calls with {len({str(call['key']) for call in calls})} different arguments")


def _parts(key: Any, kinds: Sequence[str]) -> list[Any]:
    """The parts of a signature that are of these kinds."""
    if not isinstance(key, list):
        return []
    if key and key[0] in kinds:
        return [key]
    return [part for item in key for part in _parts(item, kinds)]


def _come_back(comparison: Comparison, calls: Sequence[Call]) -> str | None:
    """Whether the program goes on with arguments that came before: the uncompiled run has more of its calls."""
    different = len({str((call["object"], _key(comparison, call))) for call in calls})
    return f"the arguments come back: {different} different ones in {len(calls)} calls" if 2 * different < len(calls) else None


def large_graph(comparison: Comparison) -> Answer:
    """A trace that ran the loop is a graph of so many operations that compiling it costs more than it saves."""
    plain = max((call.get("operations", 0) for call in comparison.calls(comparison.plain)), default=0)
    if comparison.crashed is not None:
        if not comparison.reached_plain or plain < MANY:
            return unclear(f"the process died of signal {comparison.crashed.signal}, with a graph of {plain:,} operations without compile")
        observed = f"the process died of signal {comparison.crashed.signal}, with a graph of {plain:,} operations"
        return seen("crash", observed, "the program ends well")
    if not comparison.reached:
        return unreached(comparison)
    calls = [call for call in comparison.calls(comparison.real) if call.get("operations")]
    if not calls:
        return unclear(f"no call of the compiled function returned an array that was still to be computed{ending(comparison)}")
    most = max(call["operations"] for call in calls)
    if comparison.claim.ends:
        return unclear(f"the process went on with a graph of {most:,} operations")
    if most >= MANY:
        return seen("traces", f"a graph of {most:,} operations that is compiled as a whole", "nothing to compile", **traced(calls))
    if comparison.established and plain < MANY:
        return Answer("contradicted", f"the graph has {most:,} operations")
    return unclear(f"a graph of {most:,} operations, and of {plain:,} without compile")


def transformed(comparison: Comparison) -> Answer:
    """The body runs at every call from the transform, although the same object was traced with such arguments before."""
    done: dict[object, int] = {}
    here: list[Call] = []
    repeated = 0
    for call in comparison.calls(comparison.real):
        if call["error"] is not None:
            continue
        key = call["object"], str(call["key"])
        at = call["transform"]
        if at is not None and (comparison.claim.covers(*at) or comparison.claim.within(call)):
            if not call["traced"]:
                return Answer("contradicted", "a call from here ran without its body")
            here.append(call)
            repeated += key in done
        done[key] = done.get(key, 0) + call["traced"]
    if repeated:
        times = len(here)
        return seen("traces", f"the body ran {times} times in {times} calls from here", "no time, once it was traced", **traced(here))
    return unclear(
        "no transform that was given the compiled function here was seen to call it twice"
        if not here
        else "the body was not seen to run again"
    )
