"""MX3: traces that need not be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from mxlint.finding import Evidence
from mxlint.verify.protocols.answer import Answer, ending, seen, traced, unclear, unreached
from mxlint.verify.sight import Call, Sight


def made_again(sight: Sight) -> Answer:
    """Compiled objects made one after the other at one place, each traced, each gone before the next."""
    made = [item for item in sight.real["objects"] if sight.claim.covers(item["file"], item["row"])]
    if len(made) < 2:
        return unclear(f"{len(made) or 'no'} compiled object was made here{ending(sight)}")
    numbers = {number for number, item in enumerate(sight.real["objects"]) if item in made}
    calls = [call for call in sight.real["calls"] if call["object"] in numbers]
    traces = sum(call["traced"] for call in calls)
    kept = sum(not _gone(first, second) for first, second in pairwise(made))
    evidence = Evidence("traces", f"{traces} traces in {len(calls)} calls, by {len(made)} compiled objects", "one trace", **traced(calls))
    again = traces >= len(made) - 1 and 2 * traces >= len(calls) and len({str(call["key"]) for call in calls}) < traces
    if again and kept <= (len(made) > 3):
        return Answer("seen", None, evidence)
    return unclear(f"{evidence.observed}, {kept} of which lived on while the next was made")


def _gone(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether a compiled object died before the next was made, or at once after, when the name got the new one."""
    return first["died"] is not None and first["died"] <= second["made"] + 1


def many_values(sight: Sight) -> Answer:
    """Each call brings another number, and is traced."""
    return _many(sight, lambda key: _parts(key, ("int", "float")), lambda key: _parts(key, ("array", "str", "bool")))


def _key(sight: Sight, call: Call) -> Any:
    """The signature of a call, of a shapeless function without sizes."""
    return _sizeless(call["key"]) if sight.real["objects"][call["object"]]["shapeless"] else call["key"]


def _sizeless(key: Any) -> Any:
    if not isinstance(key, list):
        return key
    return ["array", len(key), key[-1]] if key[:1] == ["array"] else [_sizeless(part) for part in key]


def many_shapes(sight: Sight) -> Answer:
    """Each call brings another shape, or another number of arrays, and is traced. Numbers that change along do not matter: they are sizes."""
    return _many(sight, lambda key: _parts(key, ("array",)), lambda key: _parts(key, ("str", "bool")))


def kernel_shapes(sight: Sight) -> Answer:
    """A kernel of the program's own, in a function that each call traces for another shape."""
    return many_shapes(sight) if sight.reached else unreached(sight)


def _many(sight: Sight, varying: Callable[[Any], Any], fixed: Callable[[Any], Any]) -> Answer:
    """Calls that all differ in one thing and not in another."""
    calls = [call for call in sight.calls(sight.real) if sight.claim.covers(call["file"], call["row"]) or not _here(sight)]
    alike: dict[str, list[Call]] = {}
    for call in calls:
        alike.setdefault(str((call["object"], fixed(_key(sight, call)))), []).append(call)
    for group in alike.values():
        if len(group) >= 3 and len({str(varying(call["key"])) for call in group}) == len(group) and all(call["traced"] for call in group):
            return seen("traces", f"{len(group)} traces in {len(group)} calls", "one trace", **traced(group))
    traces = sum(call["traced"] for call in calls)
    return unclear(f"{traces} traces in {len(calls)} calls with {len({str(call['key']) for call in calls})} different arguments")


def _parts(key: Any, kinds: tuple[str, ...]) -> list[Any]:
    """The parts of a signature that are of these kinds."""
    if not isinstance(key, list):
        return []
    if key and key[0] in kinds:
        return [key]
    return [part for item in key for part in _parts(item, kinds)]


def _here(sight: Sight) -> bool:
    return any(sight.claim.covers(call["file"], call["row"]) for call in sight.calls(sight.real))


def transformed(sight: Sight) -> Answer:
    """The body runs at every call from the transform, although the same object was traced with such arguments before."""
    done: dict[object, int] = {}
    here: list[Call] = []
    repeated = 0
    for call in sight.calls(sight.real):
        if call["error"] is not None:
            continue
        key = call["object"], str(call["key"])
        if call["transformed"] and (sight.claim.covers(call["file"], call["row"]) or not _here(sight)):
            if not call["traced"]:
                return unclear("a call from here ran without its body")
            here.append(call)
            repeated += key in done
        done[key] = done.get(key, 0) + call["traced"]
    if repeated:
        times = len(here)
        return seen("traces", f"the body ran {times} times in {times} calls from here", "no time, once it was traced", **traced(here))
    return unclear("the body was not seen to run again")
