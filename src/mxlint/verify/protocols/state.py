"""MX2: state that the trace reads, writes, draws or captures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mxlint.finding import Evidence
from mxlint.verify.comparison import Call, Comparison, opaque, same
from mxlint.verify.protocols.answer import (
    PLACEHOLDER,
    UNCAPTURED,
    Answer,
    described,
    ending,
    says,
    seen,
    short,
    traced,
    unclear,
    unless_called,
    unreached,
)
from mxlint.verify.protocols.comparing import difference, differing, ended, files_differ, leaked, placeholders, repeated

CLOSED = ("_RandomState' object does not support item assignment",)
"""What MLX says from 0.32.1 on where something is put into mx.random.state, behind the name of its module from Python 3.12 on."""


SMALL = 4096
"""Bytes that say nothing."""


def stale_read(comparison: Comparison) -> Answer:
    """Later calls go on with the value of the first, though what is read has changed."""
    if not comparison.reached:
        return unreached(comparison)
    if not any(claim.outside for claim in comparison.claim.group):
        return unclear("nothing is read here that is not the function's own")
    changes = _changes(comparison)
    changed_before = [number for number, _, plain in comparison.pairs if any(at <= plain["at"] for at in (changes or {}).values())]
    for number, real, plain, evidence in differing(comparison):
        if real["traced"]:
            continue
        if changes is not None and number not in changed_before:
            return unclear("results differ, but what is read here was not seen to change before")
        changed = [name for name, at in (changes or {}).items() if at <= plain["at"]]
        note = f"{', '.join(sorted(changed))} changed before call {number}" if changed else None
        found = replace(evidence, **traced(comparison.calls(comparison.real)), note=note)
        return Answer("seen", None, found, held=changes is None)
    found_leak = leaked(comparison)
    if found_leak is not None:
        return unclear(f"no call was seen to use an old value; {found_leak.observed}")
    at_end = ended(comparison)
    if at_end is not None:
        seen_so = Answer("seen", None, at_end, held=changes is None)
        return seen_so if changes != {} else unclear(f"not seen to change between calls, although {at_end.observed}")
    if comparison.established and _took_effect(comparison, changed_before):
        return Answer("contradicted", "what is read here changed between two calls, and the later one used the new value")
    return unclear("what is read here was not seen to change between two calls of the compiled function")


def read_stale(comparison: Comparison) -> bool:
    """Whether a call went on with a trace after what the flagged expression names had changed."""
    times = (_changes(comparison) or {}).values()
    traced_at: dict[int, int] = {}
    for _, real, plain in comparison.pairs:
        if real["traced"]:
            traced_at[real["object"]] = plain["at"]
        elif real["object"] in traced_at and any(traced_at[real["object"]] < at <= plain["at"] for at in times):
            return True
    return False


def _took_effect(comparison: Comparison, changed_before: Sequence[int]) -> bool:
    """Whether the change made a difference to a call with the same arguments as one before, and the compiled one ran without its body."""
    earlier: list[Call] = []
    for number, real, plain in comparison.pairs:
        if number in changed_before and not real["traced"] and "result" in plain:
            for other in earlier:
                if same(other.get("before"), plain.get("before")) and not same(other.get("result"), plain["result"]):
                    return True
        earlier.append(plain)
    return False


def _changes(comparison: Comparison) -> dict[str, int] | None:
    """What the flagged expressions name and had changed since a call before, with the first time by the clock of the uncompiled run; None
    where its names are not those of state."""
    times: dict[str, int] = {}
    known = False
    last: dict[str, object] = {}
    names = frozenset[str]().union(*(claim.names for claim in comparison.claim.group))
    for call in comparison.plain["calls"]:
        for name, value in call.get("globals", {}).items():
            if short(name) in names:
                known = True
                if name in last and not same(last[name], value):
                    times.setdefault(short(name), call["at"])
                last[name] = value
    return times if known else None


def lost_write(comparison: Comparison) -> Answer:
    """What the trace keeps outside is a placeholder, or is written once only."""
    if not comparison.reached:
        return unreached(comparison)
    found = leaked(comparison, comparison.claim.names) or placeholders(comparison)
    if found is not None:
        return Answer("seen", None, found)
    if (other := difference(comparison)) is not None:
        return unclear(f"what is written here holds no placeholder, although {other.observed}")
    if any(opaque(value) for name, value in comparison.real["end"].items() if short(name) in comparison.claim.names):
        return unclear("what is written here cannot be looked into")
    return unless_called(comparison, "what is written here held values after the calls, as without compile")


def random_state(comparison: Comparison) -> Answer:
    """The same numbers at every call, or a generator that is broken afterwards."""
    if not comparison.reached:
        return unreached(comparison)
    drew = any(plain.get("drew") for _, _, plain in comparison.pairs)
    if not drew and all(item["object"] is None for item in comparison.exceptions()):
        return unclear("no call without compile draws from the global random state")
    found = difference(comparison)
    if found is not None and found.kind == "exception" and not says(found.observed, PLACEHOLDER):
        return unclear(f"nothing is drawn twice: {found.observed}")
    if found is not None:
        return Answer("seen", None, found)
    results = [plain.get("result") for _, _, plain in comparison.pairs]
    shows = len(results) > 1 and not all(same(results[0], other) for other in results[1:])
    if shows and not any(real["traced"] == 0 for _, real, _ in comparison.pairs):
        return unclear("every call was traced anew, which draws anew")
    if shows and comparison.established:
        return Answer("contradicted", "every call drew what the uncompiled function draws")
    return unclear("fewer than two calls whose random numbers show")


def captures(comparison: Comparison) -> Answer:
    """Captures that are dead, halved or doubled: an exception, an old value, or placeholders."""
    if not comparison.calls(comparison.real):
        return unclear(f"no call of the compiled function was seen{ending(comparison)}")
    made = [comparison.real["objects"][number] for number in comparison.objects(comparison.real)]
    if not any(item["inputs"] or item["outputs"] for item in made):
        return unclear("what is compiled here captures nothing")
    found = difference(comparison) or ended(comparison)
    if found is not None:
        return Answer("seen", None, found)
    for item in comparison.exceptions(new=False):
        if item["object"] is None and comparison.hits(item) and says(item["message"], CLOSED):
            return seen(
                "exception",
                described(item),
                "a random state with other contents",
                note="with and without compile: nothing can be put into it",
            )
    return unclear("the calls in sight give what the uncompiled function gives")


def aliased(comparison: Comparison) -> Answer:
    """One array under two names: the first trace raises."""
    for item in comparison.exceptions():
        if says(item["message"], UNCAPTURED):
            return seen("exception", described(item), "nothing is raised here") if comparison.reached else unreached(comparison)
    return unclear("no trace was seen to raise for uncaptured inputs")


def once(comparison: Comparison) -> Answer:
    """What the body does or asks for outside happens once per trace."""
    if not comparison.reached:
        return unreached(comparison)
    calls = comparison.calls(comparison.real)
    if comparison.claim.pure:
        return unclear("nothing here acts on, or asks, anything outside of the function")
    if comparison.reached_plain <= comparison.reached:
        return unclear("it ran as often as without compile")
    times = f"runs {comparison.reached} times in {len(calls)} calls"
    for _, real, _, evidence in differing(comparison):
        if not real["traced"]:
            return seen(evidence.kind, f"{times}; {evidence.observed}", evidence.expected, **traced(calls))
    if (stays := repeated(comparison)) is not None:
        return seen(stays.kind, f"{times}; {stays.observed}", stays.expected, **traced(calls))
    found = ended(comparison, arrays=False)
    if found is None and files_differ(comparison):
        found = Evidence("no-effect", f"files are {comparison.real['files']}", f"{comparison.plain['files']}")
    if found is not None:
        return seen("no-effect", f"{times}; {found.observed}", found.expected, **traced(calls))
    return unclear(f"it {times}, but no difference shows in what the program computes")


def mutation(comparison: Comparison) -> Answer:
    """An argument changed in place: the caller's object stays as it was."""
    if not comparison.reached:
        return unreached(comparison)
    for number, real, plain in comparison.pairs:
        if "after" in plain and not same(plain["before"], plain["after"]) and not same(real.get("after"), plain["after"]):
            visible = next((item[-1] for item in differing(comparison)), None) or ended(comparison, arrays=False)
            if visible is None:
                return unclear("the caller's object stays as it was, but nothing that it does later depends on that")
            return seen("no-effect", f"call {number} leaves its arguments as they were; {visible.observed}", visible.expected)
    return unclear("no call in sight changes an argument that its caller keeps")


def raising(comparison: Comparison) -> Answer:
    """An exception in the trace leaves captured state full of placeholders."""
    for item in comparison.exceptions(new=False):
        if (
            item["object"] is not None
            and (comparison.hits(item) or comparison.claim.covers(*_call_place(comparison, item)))
            and item["left"]
        ):
            found = leaked(comparison)
            if found is None:
                used = [other for other in comparison.exceptions() if says(other["message"], PLACEHOLDER)]
                found = Evidence("exception", described(used[0]), "the state as it was before") if used else None
            if found is not None:
                return seen(found.kind, f"after {item['type']}: {found.observed}", found.expected)
            return unclear("the raise was reached, and no placeholder was found in what the program can reach")
    return unclear("no call in sight takes the branch that raises")


def growing(comparison: Comparison) -> Answer:
    """A captured container that grows: traced at every call, or not growing at all."""
    calls = comparison.calls(comparison.real)
    if not comparison.reached:
        return unreached(comparison)
    captured = any(
        comparison.real["objects"][number]["inputs"] or comparison.real["objects"][number]["outputs"]
        for number in comparison.objects(comparison.real)
    )
    if not captured:
        return unclear("what is compiled here captures nothing")
    again = len(calls) - len({str((call["object"], call["key"])) for call in calls})
    if len(calls) >= 3 and again >= 2 and all(call["traced"] for call in calls):
        return seen("traces", f"{len(calls)} traces in {len(calls)} calls", "one trace", **traced(calls))
    found = ended(comparison, arrays=False)
    if found is not None:
        return Answer("seen", None, found)
    return unclear("fewer than three calls, and no difference at the end")


def recomputed(comparison: Comparison) -> Answer:
    """Memory used by each call beyond what it uses once what it captures has been computed, which the other run does before the first call."""
    by_object: dict[object, list[tuple[Call, Call]]] = {}
    for _, real, computed in comparison.pairs:
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
    if not by_object:
        return unclear("no second call of the compiled function was seen")
    small = all(pairs[0][1]["lazy_bytes"] <= SMALL for pairs in by_object.values())
    return unclear(
        "what is computed before each call is too small to be seen in memory"
        if small
        else "no later call was seen to compute captured arrays again"
    )


def _call_place(comparison: Comparison, item: dict[str, object] | object) -> tuple[str, int]:
    number = item["call"] if isinstance(item, dict) else None
    if not isinstance(number, int) or not 0 <= number < len(comparison.real["calls"]):
        return "", 0
    call = comparison.real["calls"][number]
    return call["file"], call["row"]
