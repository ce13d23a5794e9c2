"""What each family of rules claims, as a question to two runs of the program: seen, contradicted, or not to be told, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from mxlint.finding import Evidence
from mxlint.verify.sight import Call, Sight, leaks, only_arrays, same, shape_differs, shown, without_counts


@dataclass(frozen=True, slots=True)
class Answer:
    """`word`: seen, contradicted (the run established all that the claim needs, and it did not happen), or unclear for a `reason`."""

    word: Literal["seen", "contradicted", "unclear"]
    reason: str | None = None
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a rule is put to the test. `results`, `state`, `memory`: what the child has to record; `unstable`: it is about values that no
    two runs share, so that the reference need not be the same twice. `again`: the flagged statement is run once more. `calls`: so many tell all."""

    judge: Callable[[Sight], Answer]
    results: bool = False
    state: bool = False
    memory: bool = False
    unstable: bool = False
    again: bool = False
    calls: int = 24


EVALUATES = ("during function transformations", "inside a graph transformation", "item() const can only be called on")
MISFITS = ("incompatible function arguments", "std::bad_cast", "cannot be interpreted as an integer", "must be integers or slices")
PLACEHOLDER = ("array without a primitive", "on evaled arrays")
UNCAPTURED = ("uncaptured inputs",)
SHAPES = ("cannot infer output shapes",)
TREES = ("must be trees of arrays or constants",)
SMALL = 4096
"""Bytes that say nothing."""
NOT_THERE = "the flagged expression was not reached in a trace"


def seen(kind: str, observed: str, expected: str, **more: int | str | None) -> Answer:
    return Answer("seen", None, Evidence(kind, observed, expected, **more))  # type: ignore[arg-type]


def unclear(reason: str) -> Answer:
    return Answer("unclear", reason)


# -- MX1 --------------------------------------------------------------------------------------------------------------


def evaluation(sight: Sight) -> Answer:
    """The flagged expression raises while the function is traced, and not without compile."""
    for record in sight.real["logging"]:
        if record["inside"] and sight.claim.covers(record["file"], record["row"]) and _says(record["message"], EVALUATES):
            return seen(
                "exception", f"logging drops the record: {record['type']}: {_line(record['message'])}", "the uncompiled function logs it"
            )
    caught = False
    for item in sight.exceptions():
        if item["object"] is not None and sight.hits(item) and _evaluates(sight, item):
            if item["left"]:
                return seen("exception", _told(item), "the uncompiled function runs this without an exception")
            caught = True
    if caught:
        for _, _, _, evidence in differing(sight):
            return Answer("seen", None, replace(evidence, note="the exception is caught in the trace, and what follows becomes part of it"))
        return unclear("the expression raises in the trace, but the program catches the exception there")
    if not sight.reached:
        return _unreached(sight)
    if any(item["object"] is not None and sight.hits(item) for item in sight.exceptions(new=False)):
        return unclear("the expression raises for another reason, without compile too")
    if sight.surely:
        return Answer("contradicted", f"the expression was evaluated {sight.reached} times while tracing, and nothing was raised")
    return unclear("the expression was begun in a trace, but not seen to be evaluated as a whole")


def _evaluates(sight: Sight, item: Mapping[str, Any]) -> bool:
    """Whether an exception tells of an evaluation. Where MLX's own functions want a Python number, a placeholder is of the wrong type."""
    return _says(item["message"], EVALUATES) or sight.plain["watches"][sight.watch]["finished"] > 0 and _says(item["message"], MISFITS)


def _unreached(sight: Sight) -> Answer:
    if not sight.real["objects"]:
        return unclear(f"{NOT_THERE}: nothing was compiled{_ending(sight)}")
    if not sight.real["calls"]:
        return unclear(f"{NOT_THERE}: no compiled function was called{_ending(sight)}")
    return unclear(NOT_THERE + _ending(sight))


def _ending(sight: Sight) -> str:
    run = sight.real
    return f"; the program ended with {run['detail']}" if run["status"] in ("raised", "exit") else ""


# -- what differs ------------------------------------------------------------------------------------------------------


def differing(sight: Sight) -> Iterator[tuple[int, Call, Call, Evidence]]:
    """Calls whose outcome is not that of the uncompiled function."""
    before: Call | None = None
    for number, real, plain in sight.pairs:
        mine, theirs = sight.error(sight.real, real), sight.error(sight.plain, plain)
        expected = f"{theirs['type']}: {_line(theirs['message'])}" if theirs else shown(plain.get("result"))
        if mine is not None:
            if theirs is None or (mine["type"], mine["message"]) != (theirs["type"], theirs["message"]):
                yield number, real, plain, Evidence("exception", f"call {number}: {_told(mine)}", expected)
            return
        if theirs is not None:
            yield number, real, plain, Evidence("no-effect", f"call {number} returns {shown(real.get('result'))}", expected)
            return
        if "result" not in real or "result" not in plain:
            continue
        if not same(real["result"], plain["result"]):
            leak = leaks(real["result"])
            stale = before is not None and "result" in before and same(before["result"], real["result"])
            kind = (
                "leak" if leak else "wrong-shape" if shape_differs(real["result"], plain["result"]) else "stale" if stale else "wrong-value"
            )
            yield number, real, plain, Evidence(kind, f"call {number} returns {leak or shown(real['result'])}", expected)
        before = real


def difference(sight: Sight) -> Evidence | None:
    """The first sign that the compiled program does something else than the uncompiled one."""
    for _, _, _, evidence in differing(sight):
        return evidence
    for item in sight.exceptions():
        if _says(item["message"], PLACEHOLDER + UNCAPTURED):
            return Evidence("exception", _told(item), "the uncompiled program raises nothing here")
    return leaked(sight)


def leaked(sight: Sight) -> Evidence | None:
    """Placeholders that a trace left behind."""
    usual = {*sight.plain["leaks"], *(path for call in sight.plain["calls"] for path in call.get("leaks", ()))}
    after_calls = [path for call in sight.real["calls"] for path in call.get("leaks", ())]
    new = [path for path in dict.fromkeys((*sight.real["leaks"], *after_calls)) if path not in usual]
    if new:
        return Evidence(
            "leak", f"{', '.join(new[:3])} {'hold placeholders' if len(new) > 1 else 'holds a placeholder'}", "arrays with values"
        )
    if sight.real["random_poisoned"] and not sight.plain["random_poisoned"]:
        return Evidence("leak", "the global random state holds a placeholder", "a key")
    return None


def ended(sight: Sight, *, arrays: bool = True) -> Evidence | None:
    """What the program's names hold at its end, where that differs. `arrays`: in the arrays only. Numbers that an
    object counts never matter: a count of traces is meant to differ."""
    if sight.real["status"] != sight.plain["status"]:
        return None
    for name, value in sight.plain["end"].items():
        other = sight.real["end"].get(name)
        if other is None or not isinstance(value, dict):
            continue
        if not (same(only_arrays(value), only_arrays(other)) if arrays else same(without_counts(value), without_counts(other))):
            return Evidence("wrong-value", f"{_short(name)} is {shown(other)} at the end", shown(value))
    return None


# -- MX2 --------------------------------------------------------------------------------------------------------------


def stale_read(sight: Sight) -> Answer:
    """Later calls go on with the value of the first, though what is read has changed."""
    if not sight.reached:
        return _unreached(sight)
    changes = _changes(sight)
    changed_before = [number for number, _, plain in sight.pairs if changes is not None and any(at <= plain["at"] for at in changes)]
    for number, real, _, evidence in differing(sight):
        if real["traced"]:
            continue
        if changes is not None and number not in changed_before:
            return unclear("results differ, but what is read here was not seen to change before")
        return seen(
            evidence.kind, evidence.observed, evidence.expected, traces=_traces(sight), calls=len(sight.calls(sight.real)),
            note=f"{', '.join(sorted(sight.claim.names)) or 'the state'} changed before call {number}",
        )  # fmt: skip
    found = leaked(sight)
    if found is not None:
        return unclear(f"no call was seen to use an old value; {found.observed}")
    found = ended(sight)
    if found is not None:
        return Answer("seen", None, found) if changes != [] else unclear(f"not seen to change between calls, although {found.observed}")
    if _took_effect(sight, changed_before):
        return Answer("contradicted", "what is read here changed between two calls, and the later one used the new value")
    return unclear("what is read here was not seen to change between two calls of the compiled function")


def _took_effect(sight: Sight, changed_before: Sequence[int]) -> bool:
    """Whether the change made a difference to a call with the same arguments as one before, and the compiled one ran without its body."""
    earlier: list[Call] = []
    for number, real, plain in sight.pairs:
        if number in changed_before and not real["traced"] and "result" in plain:
            for other in earlier:
                if same(other.get("before"), plain.get("before")) and not same(other.get("result"), plain["result"]):
                    return True
        earlier.append(plain)
    return False


def _changes(sight: Sight) -> list[int] | None:
    """When, by the clock of the uncompiled run, something that the flagged expression names had changed since a call before; None where its
    names are not those of state."""
    times: list[int] = []
    known = False
    last: dict[str, object] = {}
    for call in sight.plain["calls"]:
        for name, value in call.get("globals", {}).items():
            if _short(name) in sight.claim.names:
                known = True
                if name in last and not same(last[name], value):
                    times.append(call["at"])
                last[name] = value
    return times if known else None


def lost_write(sight: Sight) -> Answer:
    """What the trace keeps outside is a placeholder, or is written once only."""
    if not sight.reached:
        return _unreached(sight)
    found = leaked(sight) or difference(sight)
    if found is not None:
        return Answer("seen", None, found)
    return _unless_called(sight, "what is written here held values after the calls, as without compile")


def random_state(sight: Sight) -> Answer:
    """The same numbers at every call, or a generator that is broken afterwards."""
    if not sight.reached:
        return _unreached(sight)
    found = difference(sight)
    if found is not None:
        return Answer("seen", None, found)
    results = [plain.get("result") for _, _, plain in sight.pairs]
    if len(results) > 1 and not all(same(results[0], other) for other in results[1:]):
        return Answer("contradicted", "every call drew what the uncompiled function draws")
    return unclear("fewer than two calls whose random numbers show")


def captures(sight: Sight) -> Answer:
    """Captures that are dead, halved or doubled: an exception, an old value, or placeholders."""
    if not sight.calls(sight.real):
        return unclear(f"no call of the compiled function was seen{_ending(sight)}")
    made = [sight.real["objects"][number] for number in sight.objects(sight.real)]
    if not any(item["inputs"] or item["outputs"] for item in made):
        return unclear("what is compiled here captures nothing")
    found = difference(sight) or ended(sight)
    if found is not None:
        return Answer("seen", None, found)
    for item in sight.exceptions(new=False):
        if item["object"] is None and sight.hits(item) and item["row"] not in {call["row"] for call in sight.real["calls"]}:
            return seen("exception", _told(item), "the same: what is captured cannot be replaced like this")
    return unclear("the calls in sight give what the uncompiled function gives")


def aliased(sight: Sight) -> Answer:
    """One array under two names: the first trace raises."""
    for item in sight.exceptions():
        if _says(item["message"], UNCAPTURED):
            return seen("exception", _told(item), "the uncompiled program raises nothing here") if sight.reached else _unreached(sight)
    return unclear("no trace was seen to raise for uncaptured inputs")


def once(sight: Sight) -> Answer:
    """What the body does or asks for outside happens once per trace."""
    if not sight.reached:
        return _unreached(sight)
    calls = sight.calls(sight.real)
    if sight.reached_plain <= sight.reached:
        return unclear("it ran as often as without compile")
    times = f"runs {sight.reached} times in {len(calls)} calls"
    for _, real, _, evidence in differing(sight):
        if not real["traced"]:
            return seen(evidence.kind, f"{times}; {evidence.observed}", evidence.expected, traces=_traces(sight), calls=len(calls))
    found = ended(sight, arrays=False)
    if found is None and sight.real["files"] != sight.plain["files"]:
        found = Evidence("no-effect", f"files are {sight.real['files']}", f"{sight.plain['files']}")
    if found is not None:
        return seen("no-effect", f"{times}; {found.observed}", found.expected, traces=_traces(sight), calls=len(calls))
    return unclear(f"it {times}, but no difference shows in what the program computes")


def mutation(sight: Sight) -> Answer:
    """An argument changed in place: the caller's object stays as it was."""
    if not sight.reached:
        return _unreached(sight)
    for number, real, plain in sight.pairs:
        if "after" in plain and not same(plain["before"], plain["after"]) and not same(real.get("after"), plain["after"]):
            visible = next((item[-1] for item in differing(sight)), None) or ended(sight, arrays=False)
            if visible is None:
                return unclear("the caller's object stays as it was, but nothing that it does later depends on that")
            return seen("no-effect", f"call {number} leaves its arguments as they were; {visible.observed}", visible.expected)
    return unclear("no call in sight changes an argument that its caller keeps")


def raising(sight: Sight) -> Answer:
    """An exception in the trace leaves captured state full of placeholders."""
    for item in sight.exceptions(new=False):
        if item["object"] is not None and (sight.hits(item) or sight.claim.covers(*_call_place(sight, item))) and item["left"]:
            found = leaked(sight)
            if found is None:
                used = [other for other in sight.exceptions() if _says(other["message"], PLACEHOLDER)]
                found = Evidence("exception", _told(used[0]), "the state as it was before") if used else None
            if found is not None:
                return seen(found.kind, f"after {item['type']}: {found.observed}", found.expected)
            return unclear("the raise was reached, and no placeholder was found in what the program can reach")
    return unclear("no call in sight takes the branch that raises")


def growing(sight: Sight) -> Answer:
    """A captured container that grows: traced at every call, or not growing at all."""
    calls = sight.calls(sight.real)
    if not sight.reached:
        return _unreached(sight)
    if len(calls) >= 3 and all(call["traced"] for call in calls):
        return seen("traces", f"{len(calls)} traces in {len(calls)} calls", "one trace", traces=len(calls), calls=len(calls))
    found = ended(sight, arrays=False)
    if found is not None:
        return Answer("seen", None, found)
    return unclear("fewer than three calls, and no difference at the end")


def recomputed(sight: Sight) -> Answer:
    """Memory used by each call beyond what it uses once what it captures has been computed, which the other run does before the first call."""
    by_object: dict[object, list[tuple[Call, Call]]] = {}
    for _, real, computed in sight.pairs:
        if not real["traced"] and "extra_bytes" in real and "extra_bytes" in computed:
            by_object.setdefault(real["object"], []).append((real, computed))
    for pairs in by_object.values():
        extra = min(real["extra_bytes"] - computed["extra_bytes"] for real, computed in pairs)
        lazy = pairs[0][1]["lazy_bytes"]
        if lazy > SMALL and extra > max(lazy / 16, SMALL):
            return seen(
                "timing", f"every later call uses {extra / 1e6:.3g} MB more", "no more than with arrays that were computed before",
                calls=len(pairs) + 1, note="seen in memory, not in time",
            )  # fmt: skip
    return unclear(
        "no later call was seen to compute captured arrays again" if by_object else "no second call of the compiled function was seen"
    )


def _unless_called(sight: Sight, what: str) -> Answer:
    pairs = list(sight.pairs)
    if len(pairs) > 1 and sight.surely and all(real["error"] is None for _, real, _ in pairs) and "result" in pairs[0][1]:
        return Answer("contradicted", what)
    return unclear("fewer than two calls of the compiled function")


# -- MX3 --------------------------------------------------------------------------------------------------------------


def made_again(sight: Sight) -> Answer:
    """Compiled objects made one after the other at one place, each traced, each gone before the next."""
    made = [item for item in sight.real["objects"] if sight.claim.covers(item["file"], item["row"])]
    if len(made) < 2:
        return unclear(f"{len(made) or 'no'} compiled object was made here{_ending(sight)}")
    numbers = {number for number, item in enumerate(sight.real["objects"]) if item in made}
    calls = [call for call in sight.real["calls"] if call["object"] in numbers]
    traces = sum(call["traced"] for call in calls)
    kept = sum(not _gone(first, second) for first, second in pairwise(made))
    evidence = Evidence(
        "traces", f"{traces} traces in {len(calls)} calls, by {len(made)} compiled objects", "one trace", traces, len(calls)
    )
    again = traces >= len(made) - 1 and 2 * traces >= len(calls) and len({str(call["key"]) for call in calls}) < traces
    if again and kept <= (len(made) > 3):
        return Answer("seen", None, evidence)
    return unclear(f"{evidence.observed}, {kept} of which lived on while the next was made")


def _gone(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether a compiled object died before the next was made, or at once after, when the name got the new one."""
    return first["died"] is not None and first["died"] <= second["made"] + 1


def many_values(sight: Sight) -> Answer:
    """Each call brings another number, and is traced."""
    return _many(sight, lambda key: _parts(key, ("int", "float")), lambda key: len(_parts(key, ("array",))))


def many_shapes(sight: Sight) -> Answer:
    """Each call brings another shape, or another number of arrays, and is traced."""
    return _many(sight, lambda key: _parts(key, ("array",)), lambda key: _parts(key, ("int", "float", "str", "bool")))


def _many(sight: Sight, varying: Callable[[Any], Any], fixed: Callable[[Any], Any]) -> Answer:
    """Calls that all differ in one thing and not in another."""
    calls = [call for call in sight.calls(sight.real) if sight.claim.covers(call["file"], call["row"]) or not _here(sight)]
    alike: dict[str, list[Call]] = {}
    for call in calls:
        alike.setdefault(str(fixed(call["key"])), []).append(call)
    for group in alike.values():
        if len(group) >= 3 and len({str(varying(call["key"])) for call in group}) == len(group) and all(call["traced"] for call in group):
            return seen("traces", f"{len(group)} traces in {len(group)} calls", "one trace", traces=len(group), calls=len(group))
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
    here = repeated = 0
    for call in sight.calls(sight.real):
        if call["error"] is not None:
            continue
        key = call["object"], str(call["key"])
        if sight.claim.covers(call["file"], call["row"]) or not _here(sight):
            if not call["traced"]:
                return unclear("a call from here ran without its body")
            here += 1
            repeated += key in done
        done[key] = done.get(key, 0) + call["traced"]
    if repeated:
        return seen(
            "traces", f"the body ran {here} times in {here} calls from here", "no time, once it was traced", traces=here, calls=here
        )
    return unclear("the body was not seen to run again")


# -- MX4 --------------------------------------------------------------------------------------------------------------


def unsupported(sight: Sight) -> Answer:
    """The first call raises, since an operation cannot tell its output shape."""
    for _, real, _, evidence in differing(sight):
        if evidence.kind == "exception" and real["traced"] and _says(evidence.observed, SHAPES):
            if not sight.reached:
                return _unreached(sight)
            return Answer("seen", None, evidence)
    if sight.reached and sight.surely and any(real["traced"] and real["error"] is None and "result" in real for _, real, _ in sight.pairs):
        return Answer("contradicted", "the operation was traced, and the call returned")
    return _unreached(sight) if not sight.reached else unclear("the call did not fail for an output shape")


def frozen_shape(sight: Sight) -> Answer:
    """A call with other shapes than the traced ones gives something else than the uncompiled function, raises, or crashes."""
    if sight.crashed is not None:
        return seen("crash", f"the process died of signal {sight.crashed.signal}", "the uncompiled program ends well")
    if not sight.reached:
        return _unreached(sight)
    first: Call | None = None
    varied = False
    for _, real, _ in sight.pairs:
        first = first or real
        varied = varied or _shapes(real["key"]) != _shapes(first["key"])
    for _, real, _, evidence in differing(sight):
        if not real["traced"] and first is not None and _shapes(real["key"]) != _shapes(first["key"]):
            return Answer("seen", None, evidence)
        return unclear(f"a call differs for another reason than its shapes: {evidence.observed}")
    if varied and sight.surely:
        return Answer("contradicted", "calls with other shapes gave what the uncompiled function gives")
    return unclear("no call in sight brings another shape" if not varied else "not seen to be evaluated as a whole")


def _shapes(key: object) -> object:
    """The shapes in a signature."""
    if isinstance(key, list):
        return [item for part in key if (item := _shapes(part)) is not None] if key[:1] != ["array"] else key
    return None


# -- MX5 --------------------------------------------------------------------------------------------------------------


def refused(sight: Sight) -> Answer:
    """Calling, or compiling, raises, and the uncompiled function does not."""
    for item in sight.real["objects"]:
        if item["failed"] and any(
            item["file"] == site[0] and site[1] <= item["row"] <= site[2] for site in (*sight.claim.sites, _own_rows(sight))
        ):
            return seen("exception", item["failed"], "a compiled function")
    for _, _, _, evidence in differing(sight):
        if evidence.kind == "exception":
            return Answer("seen", None, evidence)
    found = [item for item in sight.exceptions() if _says(item["message"], PLACEHOLDER)]
    if found and sight.claim.code == "MX505":
        return seen("exception", _told(found[0]), "the uncompiled program raises nothing here")
    return unclear(f"no call was seen to raise{_ending(sight)}")


def bad_argument(sight: Sight) -> Answer:
    """A call at the flagged place raises for what it hands over."""
    for _, real, _, evidence in differing(sight):
        of_trees = _says(evidence.observed, TREES) or "'dict' object" in evidence.observed
        if evidence.kind == "exception" and of_trees and sight.claim.covers(real["file"], real["row"]):
            return Answer("seen", None, evidence)
    return unclear(f"no call here was seen to raise for its arguments{_ending(sight)}")


def _own_rows(sight: Sight) -> tuple[str, int, int]:
    return sight.claim.place, sight.claim.start[0], sight.claim.end[0]


def untracked(sight: Sight) -> Answer:
    """What is returned holds placeholders."""
    if not sight.reached:
        return _unreached(sight)
    for number, real, plain in sight.pairs:
        if real.get("result_leaks") and not plain.get("result_leaks"):
            return seen("leak", f"call {number} returns a placeholder: {real['result_leaks'][0]}", "arrays with values")
    found = [item for item in sight.exceptions() if _says(item["message"], PLACEHOLDER)]
    if found:
        return seen("exception", _told(found[0]), "the uncompiled program raises nothing here")
    return _unless_called(sight, "what the calls returned held values")


def nothing_returned(sight: Sight) -> Answer:
    """Nothing comes out: no result, no captures that are written."""
    numbers = set(sight.objects(sight.real))
    if any(sight.real["objects"][number]["outputs"] for number in numbers):
        return unclear("it has outputs=")
    calls = sight.calls(sight.real)
    if calls and all(call["error"] is None and "result" in call and call["result"] is None for call in calls) and leaked(sight) is None:
        return seen(
            "no-effect", f"{len(calls)} calls return None, and nothing is captured", "a result", traces=_traces(sight), calls=len(calls)
        )
    return unclear("no calls, or they return something")


def ambiguous(sight: Sight) -> Answer:
    """A call that runs the trace of another, whose arguments differ for Python."""
    earlier: dict[object, str] = {}
    for number, real, _, evidence in differing(sight):
        traced = [call for call in sight.calls(sight.real)[: number - 1] if call["object"] == real["object"]]
        if not real["traced"] and all(str(call["key"]) != str(real["key"]) for call in traced) and traced:
            return Answer("seen", None, evidence)
    del earlier
    return unclear("no call was seen to run the trace of another one")


def without_effect(sight: Sight) -> Answer:
    """The compiled object is never called, or does not do what it is for."""
    numbers = [number for number, item in enumerate(sight.real["objects"]) if sight.claim.covers(item["file"], item["row"])]
    if numbers and not any(call["object"] in numbers for call in sight.real["calls"]):
        ran = max(
            (count for name, count in sight.real["bodies"].items() if name.endswith(f":{sight.real['objects'][numbers[0]]['name']}")),
            default=0,
        )
        if ran >= 2:
            return seen("no-effect", f"the compiled object is never called; the body runs {ran} times in Python", "one trace")
    found = difference(sight) or ended(sight)
    if found is not None and numbers:
        return Answer("seen", None, found)
    if sight.reached_outside and "MLX_DISABLE_COMPILE" in sight.claim.text:
        return _switch(sight)
    return unclear("the compiled object was called, and did what the uncompiled function does")


def _switch(sight: Sight) -> Answer:
    """MLX_DISABLE_COMPILE, set here: to a value that reads like "no", or too late."""
    calls = sight.calls(sight.real)
    again = [call for number, call in enumerate(calls) if any(call["key"] == other["key"] for other in calls[:number])]
    if len(again) < 2:
        return unclear("fewer than three calls with like arguments")
    traces = _traces(sight)
    if all(call["traced"] for call in again):
        return seen(
            "no-effect",
            f"the body runs {traces} times in {len(calls)} calls: nothing is compiled",
            "one trace",
            traces=traces,
            calls=len(calls),
        )
    return seen(
        "no-effect",
        f"the body runs {traces} times in {len(calls)} calls: compilation goes on",
        f"{len(calls)} times",
        traces=traces,
        calls=len(calls),
    )


def _traces(sight: Sight) -> int:
    return sum(call["traced"] for call in sight.calls(sight.real))


def _call_place(sight: Sight, item: dict[str, object] | object) -> tuple[str, int]:
    number = item["call"] if isinstance(item, dict) else None
    if not isinstance(number, int) or not 0 <= number < len(sight.real["calls"]):
        return "", 0
    call = sight.real["calls"][number]
    return call["file"], call["row"]


def _says(message: str, texts: tuple[str, ...]) -> bool:
    return any(text in message for text in texts)


def _line(message: str) -> str:
    return (message.splitlines() or [""])[0]


def _told(item: object) -> str:
    assert isinstance(item, dict)
    where = f" at line {item['row']}" if item["row"] else ""
    return f"{item['type']}: {_line(item['message'])}{where}"


def _short(name: str) -> str:
    return name.removeprefix("__main__.").rpartition(".")[2]


_VALUES = {"results": True, "state": True}

PROTOCOLS: dict[str, Protocol] = {
    **dict.fromkeys(("MX101", "MX102", "MX103", "MX104", "MX105"), Protocol(evaluation, results=True)),
    **dict.fromkeys(("MX201", "MX209"), Protocol(stale_read, results=True, state=True)),
    "MX202": Protocol(lost_write, results=True),
    "MX203": Protocol(random_state, results=True),
    **dict.fromkeys(("MX204", "MX205"), Protocol(captures, results=True)),
    "MX212": Protocol(aliased),
    "MX206": Protocol(once, results=True, unstable=True),
    "MX207": Protocol(mutation, results=True, state=True),
    "MX208": Protocol(raising),
    "MX210": Protocol(recomputed, memory=True),
    "MX211": Protocol(growing, results=True),
    **dict.fromkeys(("MX301", "MX302"), Protocol(made_again)),
    "MX303": Protocol(many_values, calls=6),
    "MX304": Protocol(many_shapes, calls=6),
    "MX305": Protocol(transformed, again=True),
    "MX403": Protocol(unsupported, results=True),
    **dict.fromkeys(("MX401", "MX402", "MX404"), Protocol(frozen_shape, results=True)),
    **dict.fromkeys(("MX501", "MX505"), Protocol(refused, results=True)),
    "MX502": Protocol(bad_argument, results=True),
    "MX503": Protocol(untracked, results=True),
    "MX504": Protocol(nothing_returned, results=True),
    "MX506": Protocol(ambiguous, results=True),
    "MX507": Protocol(without_effect, results=True),
}
"""The rules whose claims can be put to the test on any device."""
