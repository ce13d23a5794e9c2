"""One of several functions is called, and nobody knows which: what is noted of the call is what all of them do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mxlint.tracing import call as calls
from mxlint.tracing.events import Event, Read, Trace, Write
from mxlint.tracing.machine import Machine
from mxlint.tracing.values import MAX_OPTIONS, Array, Choice, DictV, Instance, ListV, Scalar, Tup, Value

MAX_NESTED = 2
"""Choices within choices that are followed: each of them doubles the work."""
_NEVER_CALLED = (Scalar, Tup, ListV, DictV, Array)
"""Whatever is called is none of these."""
_NOTES = ("events", "reads", "writes", "lazy")


def call_one_of(m: Machine, choice: Choice, info: calls.CallInfo) -> Value:
    """Call each option from the same state; the result stands for any of theirs."""
    options = [option for option in choice.options if not isinstance(option, _NEVER_CALLED)]
    if len(options) == 1:
        return calls.call(m, options[0], info)
    if m.trace is None:
        follow = any(not isinstance(option, Instance) for option in options)  # one layer or another only matters where it is traced
    else:
        follow = 0 < len(options) <= MAX_OPTIONS
    if not follow or m.choices >= MAX_NESTED:
        for value in info.values():
            calls.escape(m, value)
        return m.lost("call of one of several functions")
    m.choices += 1
    try:
        if m.trace is None:
            return m.choose(info.frame, [partial(calls.call, m, option, info) for option in options], "flag")
        return _traced(m, m.trace, options, info)
    finally:
        m.choices -= 1


def _traced(m: Machine, trace: Trace, options: Sequence[Value], info: calls.CallInfo) -> Value:
    """The same in a trace."""
    noted: list[dict[str, list[Any]]] = []

    def path(option: Value) -> Callable[[], Value]:
        def run() -> Value:
            with_others, trace.seen = (trace.seen, *(getattr(trace, name) for name in _NOTES)), set(trace.seen)
            for name in _NOTES:
                setattr(trace, name, [])
            try:
                return calls.call(m, option, info)
            finally:
                noted.append({name: getattr(trace, name) for name in _NOTES})
                trace.seen, trace.events, trace.reads, trace.writes, trace.lazy = with_others

        return run

    result = m.choose(info.frame, [path(option) for option in options])
    _keep_common(trace, noted)
    return result


def _keep_common(trace: Trace, noted: list[dict[str, list[Any]]]) -> None:
    for name in _NOTES:
        common = set.intersection(*({_key(note) for note in notes[name]} for notes in noted))
        kept = [note for note in noted[0][name] if _key(note) in common]
        getattr(trace, name).extend(kept)
        trace.seen.update(map(_key, kept))


def _key(note: Any) -> tuple[Any, ...]:
    """What tells notes apart; see Machine.emit, read and write."""
    if isinstance(note, Event):
        return note.kind, note.place
    if isinstance(note, Read):
        return "read", id(note.target), note.key, note.index
    return ("write", note.place, note.name) if isinstance(note, Write) else ("lazy", note.place, id(note.target))
