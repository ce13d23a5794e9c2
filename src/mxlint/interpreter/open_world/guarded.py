"""Parts of a run that begin from the present state and are undone after it: entries, and what the client does.

Where a budget cuts one short, what it would have come to behind that is not followed. The symbol index says what that may be: `Reach`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from mxlint.domain.heap import Delta
from mxlint.domain.members import Value
from mxlint.domain.place import Place
from mxlint.finding import Span
from mxlint.interpreter.calls.relevance import Reach
from mxlint.interpreter.compiled import restoring, writes
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.open_world import keeping_names, read_state
from mxlint.syntax.index import ANY


class Begun:
    """What the part that runs has begun to call: in which states, and with what. All that it comes to, these values lead to in these states; if there are none,
    nobody says."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        self.calls: list[tuple[int, tuple[Value, ...]]] = []


@contextmanager
def calling_alone(i: Interpreter, values: Sequence[Value]) -> Iterator[None]:
    """Call something in the part that runs: all that it comes to, some values lead to in the present state."""
    calls = i.ledger.of(Begun).calls
    calls.append((i.heap.mark(), tuple(values)))
    try:
        yield  # where a budget ends the part, it is asked what was begun
    except Halt:
        calls.pop()
        raise
    calls.pop()


def guarded_run(i: Interpreter, run: Callable[[], object], calls: Sequence[Value] = ()) -> None:
    """Run an entry from the present state, and undo what it wrote. `calls`: what leads to all that it comes to; where none is given, `calling_alone` says it."""
    mark, begun, cut = i.heap.mark(), i.ledger.of(Begun), list[tuple[Place, str]]()
    outer, begun.calls = begun.calls, [(mark, tuple(calls))] if calls else []
    try:
        with i.contained(cut):
            run()
    finally:
        writes.note_kept(i, mark)
        restoring.ended(i)
        keeping_names.note(i, mark)
        read_state.note(i, mark)
        for place, reason in cut:
            journal(i).gap(place, reason, _within(i, begun.calls))
        begun.calls = outer
        i.heap.undo(mark)
        i.modes.differentiating, i.modes.differentiated = False, None
        i.modes.entered_alone = False
        i.modes.thread = None


def _within(i: Interpreter, calls: Sequence[tuple[int, tuple[Value, ...]]]) -> frozenset[Span] | None:
    """Where everything lies that is compiled in some calls, or was before and is called there; None: nobody says."""
    found: set[Span] = set()
    facts = journal(i).compiled
    for mark, values in reversed(calls):
        i.heap.undo(mark)
        reach = Reach(i, values, whole=True)
        if ANY in reach.compiling:
            return None
        found |= reach.compiling_functions
        found.update(facts[number].site.span for number in reach.compiled_objects() if number in facts)
    return frozenset(found) if calls else None


def kept_run(i: Interpreter, run: Callable[[], object]) -> None:
    """Run something whose effects stay, unless it does not come to its end."""
    mark = i.heap.mark()
    kept: list[Delta] = []

    def keep() -> None:
        run()
        kept.append(i.heap.changes(mark))

    guarded_run(i, keep)
    for changes in kept:
        i.heap.apply(changes)
