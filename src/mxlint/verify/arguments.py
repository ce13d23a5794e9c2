"""The arguments of an observed call in words, in the notation of the hint comment: `x=float32[4,8], step=3`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MOST_CALLS = 3
"""Calls that a reason names."""
MOST_REASON = 160
"""Characters of a reason."""
MOST_WIDTH = 120
"""Characters of a call in words; a longer one is cut."""


def arguments(call: Mapping[str, Any], names: Sequence[str] = ()) -> str:
    """Return the arguments of a call that the child recorded. `names` are those of the positional parameters, as far as they are known."""
    positional, named = call["key"]
    given = [_labelled(names[number] if number < len(names) else "", part) for number, part in enumerate(positional[1:])]
    given += [_labelled(name, part) for name, part in named[2:]]
    return _cut(", ".join(given))


def called(run: Mapping[str, Any], call: Mapping[str, Any]) -> str:
    """Return an observed call in words: `step(float32[4,8], 3)`."""
    return _cut(f"{run['objects'][call['object']]['name']}({arguments(call)})")


def not_seen(run: Mapping[str, Any] | None, why: str | None) -> str | None:
    """Return why a claim was not seen, with the first different calls that were tried: `not seen with f(float32[3]), f(float32[4]): …`."""
    calls = run.get("calls", ()) if run is not None else ()
    tried = list(dict.fromkeys(called(run, call) for call in calls if run is not None))
    while tried and len(text := f"not seen with {', '.join(tried[:MOST_CALLS])}: {why}") > MOST_REASON:
        tried = tried[: min(len(tried), MOST_CALLS) - 1]
    return text if tried else why


def _labelled(name: str, part: Any) -> str:
    return f"{name}={_word(part)}" if name else _word(part)


def _word(part: Any) -> str:
    """A part of a signature (child/values.py writes it)."""
    if not isinstance(part, list) or not part:
        return "…"
    kind = part[0]
    if kind == "array":
        return f"{str(part[-1]).rpartition('.')[2]}[{','.join(map(str, part[1:-1]))}]"
    if kind == "dict":
        return "{" + ", ".join(f"{key}: {_word(item)}" for key, item in part[2:]) + "}"
    if kind == "other":
        return f"<{part[1]}>"
    if len(part) == 2 and isinstance(part[1], str):
        return part[1]  # a number, a text, None: as Python writes it
    inner = ", ".join(map(_word, part[1:]))
    return f"({inner}{',' * (len(part) == 2)})" if kind == "tuple" else f"[{inner}]"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_WIDTH else text[: MOST_WIDTH - 1] + "…"
