"""Signs that the compiled program does something else than the uncompiled one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from mxlint.finding import Evidence
from mxlint.verify.comparison import (
    Call,
    Comparison,
    Run,
    Tolerated,
    explained,
    first_apart,
    leaks,
    only_arrays,
    same,
    shape_differs,
    shown,
    tolerated_in_calls,
    without_counts,
)
from mxlint.verify.protocols.answer import PLACEHOLDER, UNCAPTURED, described, first_line, says, short
from mxlint.verify.steady import masked

CALL = "call "
"""How a difference begins that a call shows."""


def differing(comparison: Comparison) -> Iterator[tuple[int, Call, Call, Evidence]]:
    """Calls whose outcome is not that of the uncompiled function. After the first of these, what is fed back differs: a later one counts only
    if the same went into it."""
    before: Call | None = None
    differed = False
    for number, real, plain in comparison.pairs:
        mine, theirs = comparison.error(comparison.real, real), comparison.error(comparison.plain, plain)
        expected = f"{theirs['type']}: {first_line(theirs['message'])}" if theirs else shown(plain.get("result"))
        if mine is not None:
            if theirs is None or (mine["type"], mine["message"]) != (theirs["type"], theirs["message"]):
                yield number, real, plain, Evidence("exception", f"{CALL}{number}: {described(mine)}", expected)
            return
        if theirs is not None:
            yield number, real, plain, Evidence("no-effect", f"{CALL}{number} returns {shown(real.get('result'))}", expected)
            return
        if "result" not in real or "result" not in plain:
            continue
        returned = masked(real["result"], plain["result"])
        if not same(returned, plain["result"]) and not _rounding_alone(comparison, number, returned, plain["result"]):
            if differed and not ("before" in real and "before" in plain and same(real["before"], plain["before"])):
                before = real
                continue
            differed = True
            leak = leaks(real["result"])
            stale = before is not None and "result" in before and same(before["result"], real["result"])
            kind = (
                "leak" if leak else "wrong-shape" if shape_differs(real["result"], plain["result"]) else "stale" if stale else "wrong-value"
            )
            way, wanted, got = ("", plain["result"], real["result"]) if leak else first_apart(plain["result"], returned, same)
            at = f" at {way}" if way else ""
            yield number, real, plain, Evidence(kind, f"{CALL}{number} returns {leak or shown(got)}{at}", shown(wanted))
        before = real


def _rounding_alone(comparison: Comparison, number: int, real: Any, plain: Any) -> bool:
    """Whether the results of the calls of that number differ by no more than rounding makes of them."""
    if comparison.rounded is None:
        return False
    calls = comparison.calls(comparison.rounded)
    rounded = masked(calls[number - 1].get("result"), plain) if number <= len(calls) else None
    return explained(real, plain, rounded, _tolerated(comparison, comparison.rounded, number))


def _rounding_alone_at_end(comparison: Comparison, name: str, real: Any, *, arrays: bool) -> bool:
    """Whether what a name of the program holds at the end differs by no more than rounding makes of it."""
    if comparison.rounded is None:
        return False
    part = only_arrays if arrays else without_counts
    plain = comparison.plain["end"][name]
    rounded = masked(comparison.rounded["end"].get(name), plain)
    return explained(
        part(real), part(plain), part(rounded), _tolerated(comparison, comparison.rounded, len(comparison.calls(comparison.plain)))
    )


def _tolerated(comparison: Comparison, rounded: Run, number: int) -> Tolerated:
    return tolerated_in_calls(comparison.calls(rounded)[:number], comparison.calls(comparison.plain))


def difference(comparison: Comparison) -> Evidence | None:
    """The first sign that the compiled program does something else than the uncompiled one."""
    for _, _, _, evidence in differing(comparison):
        return evidence
    return placeholders(comparison) or leaked(comparison)


def placeholders(comparison: Comparison) -> Evidence | None:
    """An exception that tells of a placeholder where a value is wanted."""
    for item in comparison.exceptions():
        if says(item["message"], PLACEHOLDER + UNCAPTURED):
            return Evidence("exception", described(item), "nothing is raised here")
    return None


def leaked(comparison: Comparison, names: frozenset[str] | None = None) -> Evidence | None:
    """Placeholders that a trace left behind; with names, in what one of these leads to."""
    new = new_leaks(comparison)
    if names is not None:
        new = [path for path in new if not names.isdisjoint(re.findall(r"\w+", path))]
    if new:
        return Evidence(
            "leak", f"{', '.join(new[:3])} {'hold placeholders' if len(new) > 1 else 'holds a placeholder'}", "arrays with values"
        )
    if comparison.real["random_poisoned"] and not comparison.plain["random_poisoned"]:
        return Evidence("leak", "the global random state holds a placeholder", "a key")
    return None


def new_leaks(comparison: Comparison) -> list[str]:
    """The paths to placeholders, in the order in which they were found."""
    usual = {*comparison.plain["leaks"], *(path for call in comparison.plain["calls"] for path in call.get("leaks", ()))}
    after_calls = [path for call in comparison.real["calls"] for path in call.get("leaks", ())]
    return [path for path in dict.fromkeys((*comparison.real["leaks"], *after_calls)) if path not in usual]


def files_differ(comparison: Comparison) -> bool:
    """Whether the program leaves other files behind."""
    return bool(masked(comparison.real["files"], comparison.plain["files"]) != comparison.plain["files"])


def repeated(comparison: Comparison, held: Run | None = None) -> Evidence | None:
    """Results that differ from run to run, and from call to call without compile, but stay the same from the trace on. `held`: another run in
    which the same results have to stay the same."""
    kept = comparison.calls(held) if held is not None else None
    first: dict[object, tuple[int, Call, Call]] = {}
    for number, real, plain in comparison.pairs:
        if "varying" not in plain or "result" not in real:
            continue
        at, traced, before = first.get(real["object"], (0, real, plain))
        if real["traced"] or not at:
            first[real["object"]] = number, real, plain
            continue
        varies = not any(same(x, y) for x, y in zip(before["varying"], plain["varying"]))
        stays = same(traced["result"], real["result"]) and (kept is None or _same_results(kept, at, number))
        if varies and stays:
            return Evidence("stale", f"{CALL}{number} returns {shown(real['result'])}, as call {at} did", "another value at each call")
    return None


def _same_results(calls: Sequence[Call], *numbers: int) -> bool:
    results = [calls[number - 1].get("result") for number in numbers if number <= len(calls)]
    return len(results) == len(numbers) and None not in results and all(same(results[0], other) for other in results)


def ended(comparison: Comparison, *, arrays: bool = True) -> Evidence | None:
    """What the program's names hold at its end, where that differs. `arrays`: in the arrays only. Numbers that an
    object counts never matter: a count of traces is meant to differ."""
    if comparison.real["status"] != comparison.plain["status"]:
        return None
    part = only_arrays if arrays else without_counts
    for name, value in comparison.plain["end"].items():
        other = comparison.real["end"].get(name)
        if other is None or not isinstance(value, dict):
            continue
        other = masked(other, value)
        if not same(part(value), part(other)) and not _rounding_alone_at_end(comparison, name, other, arrays=arrays):
            way, expected, found = first_apart(value, other, lambda a, b: same(part(a), part(b)))
            return Evidence("wrong-value", f"{short(name)}{way} is {shown(found)} at the end", shown(expected))
    return None
