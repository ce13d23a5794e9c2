"""What a program does each time that it runs, and what differs by itself between two runs: the second is no evidence for anything."""

from __future__ import annotations

from typing import Any

from mxlint.verify.comparison import Call, Run, leaks, same

VARIES = {"type": "something that differs from run to run"}
"""What stands for a part of a value that differs between two runs of the uncompiled program."""
_VALUES = ("result", "before", "after")
"""What a call shows of values."""


def common(a: Any, b: Any) -> Any:
    """What two values have in common: where they differ, VARIES."""
    if same(a, b):
        return a
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys() and "dtype" not in a:
        return {key: common(a[key], b[key]) for key in a}
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [common(x, y) for x, y in zip(a, b)]
    return VARIES


def masked(value: Any, usual: Any) -> Any:
    """A value without the parts that vary in the usual one. A placeholder is none of what varies."""
    if usual is VARIES:
        return value if leaks(value) else VARIES
    if isinstance(value, dict) and isinstance(usual, dict) and "dtype" not in value:
        return {key: masked(item, usual[key]) if key in usual else item for key, item in value.items()}
    if isinstance(value, list) and isinstance(usual, list) and len(value) == len(usual):
        return [masked(x, y) for x, y in zip(value, usual)]
    return value


def steady(run: Run, again: Run) -> Run | None:
    """A run of the uncompiled program without what differs in another run of it; None if they do not make the same calls.

    A call whose result varies keeps both results as `varying`, so that it can be asked whether results repeat within one run.
    """
    if len(run["calls"]) != len(again["calls"]) or run["status"] != again["status"]:
        return None
    calls = [_steady_call(a, b) for a, b in zip(run["calls"], again["calls"])]
    return {**run, "calls": calls, "end": _names(run["end"], again["end"]), "files": _names(run["files"], again["files"])}


def _steady_call(a: Call, b: Call) -> Call:
    found = {key: common(a[key], b[key]) for key in _VALUES if key in a and key in b}
    varies = "result" in found and not same(a["result"], b["result"])
    return {**a, **found, **({"varying": (a["result"], b["result"])} if varies else {})}


def _names(a: Any, b: Any) -> dict[str, Any]:
    return {name: common(value, b[name]) if name in b else VARIES for name, value in a.items()}


def quieted(run: Run, usual: Run) -> Run:
    """A run without what varies in the usual one."""
    calls = [
        {**call, **{key: masked(call[key], other[key]) for key in _VALUES if key in call and key in other}}
        for call, other in zip(run["calls"], usual["calls"])
    ]
    return {
        **run,
        "calls": [*calls, *run["calls"][len(calls) :]],
        "end": masked(run["end"], usual["end"]),
        "files": masked(run["files"], usual["files"]),
    }
