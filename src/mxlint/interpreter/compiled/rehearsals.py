"""Rehearsals: what the next run of a body would compute, where a trace has changed what it reads, such as a number that it counts or a flag that it sets.

In `if not self.ready: self.ready = True; self.w = make()` the next run does something else, and may compute the same. Only a run shows that. So the body is run once
more from the state of the call, its effects are undone, and the operations of MLX in it are compared with those of the trace.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Location
from mxlint.domain.members import NONE, Const, Ref, Tuple, Unknown, Value, members
from mxlint.domain.parts import each_part
from mxlint.domain.widening import widen
from mxlint.interpreter.compiled import recipes
from mxlint.interpreter.compiled.by_shape import SameKey, leaves
from mxlint.interpreter.compiled.captures import open_captures
from mxlint.interpreter.compiled.placeholders import placeholders
from mxlint.interpreter.compiled.said import Said, Symbol, anonymous, leaves_open, operations
from mxlint.interpreter.compiled.scalars import FLOATS
from mxlint.interpreter.compiled.state import Entry, held
from mxlint.interpreter.compiled.traces import Operation, Trace
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.paths import Truth
from mxlint.interpreter.machine.writing import Writes

FIRST_OF_REHEARSALS: Final = -1_000_000
"""The number of the trace that is a rehearsal of the one with number 0; others count down from there."""


REPLAYED: Final = "replayed"
"""Begins the location of how often a trace has been replayed, of a compiled object."""
MOST_RUNS: Final = 8
"""So many runs of a body are rehearsed, one after the other, and one that stands for all later ones."""


class Rehearsed:
    """How many of the next runs of a body have been tried, and whether they compute what its trace has computed, by the trace and what lies where it
    reads and writes."""

    __slots__ = ("bodies", "open_ended")

    def __init__(self) -> None:
        self.bodies: dict[object, tuple[int, bool | None]] = {}
        self.open_ended: set[tuple[int, int]] = set()
        """Traces, each with its compiled object, of which a later run than those may compute something else: nothing says how many there are."""


class Rehearsal:
    """The next runs of the body of a trace, as many as calls have replayed it by now, this one included. They are run when they are first asked for."""

    def __init__(self, i: Interpreter, ref: Ref, entry: Entry, args: Arguments, frame: Frame) -> None:
        self._i, self._ref, self._entry, self._args, self._frame = i, ref, entry, args, frame
        self._runs = self._counted() if entry.computed and entry.changes_python else 0

    @cached_property
    def same_key(self) -> SameKey:
        """What the call has in common with the one that made the trace, as both have one key."""
        return SameKey(self._i, self._entry.leaves, leaves(self._i, self._args))

    def _counted(self) -> int:
        """How often the trace has been replayed, which is kept for the next call."""
        i, location = self._i, (self._ref.oid, (REPLAYED, self._entry.number))
        before = i.heap.get(*location)
        number = before.value if isinstance(before, Const) and isinstance(before.value, int) else 0 if before is None else MOST_RUNS
        i.heap.set(*location, Const(min(number + 1, MOST_RUNS)))
        return min(number + 1, MOST_RUNS)

    @property
    def repeats(self) -> bool | None:
        """Whether they compute what the trace has computed; None where that is not known."""
        i, entry = self._i, self._entry
        if not self._runs:
            return None
        state = tuple((location, held(i, *location)) for location in (*entry.reads, *entry.written))
        known = i.ledger.of(Rehearsed).bodies
        key = (self._ref.oid, entry, state)
        done, found = known.get(key, (0, True))
        if found and done < self._runs:
            found, done = self._run()
            known[key] = done, found
        return found

    @property
    def open_ended(self) -> bool:
        """Whether a later run than those that were tried may compute something else."""
        return (self._ref.oid, self._entry.number) in self._i.ledger.of(Rehearsed).open_ended

    @property
    def computes_the_same(self) -> bool | None:
        """Whether the next run computes what the trace has computed, also where that has changed nothing; None where that is not known."""
        runs = self._runs
        self._runs = max(runs, 1) if self._entry.computed else 0
        try:
            return self.repeats
        finally:
            self._runs = runs

    def _run(self) -> tuple[bool | None, int]:
        """Whether the runs compute the same, and how many of them are known to do so."""
        i, entry = self._i, self._entry
        function = i.heap.get(self._ref.oid, "fun")
        mark, path, checkpoint = i.heap.mark(), i.path, i.checkpoint()
        writes, writers = dict(i.ledger.of(Writes).counts), dict(i.ledger.of(Writes).last)
        modes = i.modes.differentiating, i.modes.memoised
        before: list[Value | None] = []
        try:
            for _ in range(self._runs):
                before = [held(i, *location) for location in entry.written]
                found = self._compared(self._once(function))
                if not found:
                    return found, self._runs
                if before == [held(i, *location) for location in entry.written]:
                    return True, MOST_RUNS
            if self._runs == MOST_RUNS and not self._later(function, before):
                i.ledger.of(Rehearsed).open_ended.add((self._ref.oid, entry.number))
            return True, self._runs
        except Halt:
            return None, self._runs
        finally:
            i.trace, i.path = None, path
            i.modes.differentiating, i.modes.memoised = modes
            i.heap.undo(mark)
            i.forget(checkpoint)
            i.ledger.of(Writes).counts, i.ledger.of(Writes).last = writes, writers

    def _later(self, function: Value | None, before: Sequence[Value | None]) -> bool:
        """Whether all runs after these surely compute the same, whatever what each run changes has come to. `before`: what the last run found where it
        wrote."""
        i = self._i
        for (oid, field), then in zip(self._entry.written, before):
            now = i.heap.get(oid, field)
            if then is not None and now is not None:
                i.heap.set(oid, field, widen(then, now))
        return bool(self._compared(self._once(function)))

    def _once(self, function: Value | None) -> Trace:
        """Run the body once more. What it changes stays for the next run."""
        i, entry = self._i, self._entry
        shapeless = Truth(i.heap.get(self._ref.oid, "shapeless") is not None)
        trace = Trace(FIRST_OF_REHEARSALS - entry.number, self._ref.oid, i, None, shapeless)
        with i.quietly(), i.within(("call", entry.place, self._ref.oid, "again", entry.number), detached=True):
            placed = placeholders(i, trace, self._args, entry.place)
            i.trace, i.modes.differentiating, i.modes.memoised = trace, False, False
            open_captures(i, trace, self._ref)
            trace.computes(i, "return", entry.place, (i.call(function or NONE, placed, entry.place, self._frame),))
        i.trace = None
        return trace

    def _compared(self, trace: Trace) -> bool | None:
        entry = self._entry
        if not trace.is_kept:
            return None
        found = self._found_again(trace)
        before, now = self._both(trace, FLOATS, found)
        if before == now and trace.operations == entry.operations - len(found):
            return None if any(map(leaves_open, now)) else not any(self._is_put_elsewhere(trace, location) for location in trace.written)
        if [(what, operands) for what, _, operands in before] == [(what, operands) for what, _, operands in now]:
            return None  # another branch may compute the same
        if trace.fewest < trace.operations and _is_one_way(before, now):
            return None  # one of its branches computes the same
        if [anonymous(done) for done in before] == [anonymous(done) for done in now]:
            return None  # other symbols may be the same numbers
        before, now = self._both(trace, FLOATS | {None}, found)
        if before == now:
            return None  # another number, which an array of floats takes for the same
        return None if _is_unknown(entry.computed) or _is_unknown(trace.computed) else False

    def _found_again(self, trace: Trace) -> dict[int, Tuple]:
        """The arrays that the trace has made of constants and kept, where a run finds them, and how they were made."""
        found: dict[int, Tuple] = {}
        for _, _, operands in trace.computed:
            for array in (part for operand in operands for part in each_part(operand) if isinstance(part, Array)):
                own = self._i.info(array.ident).trace == self._entry.number
                recipe = recipes.recipe_of(self._i, array) if own else None
                if recipe is not None:
                    found[array.ident] = recipe
        return found

    def _both(self, trace: Trace, floats: Collection[str | None], found: Mapping[int, Tuple]) -> tuple[list[Said], list[Said]]:
        """The operations of the trace and of a run, as they are said of any run. `floats`: the dtypes of arrays that make floats of numbers. `found`:
        what the trace has made and kept, and the run finds."""
        i, entry = self._i, self._entry
        computed = list(entry.computed)
        for recipe in found.values():
            made = next((done for done in computed if recipes.makes(i, done[0], done[2], recipe)), None)
            if made is not None:
                computed.remove(made)
        before = operations(i, computed, entry.placeholders, entry.number, floats, found)
        return list(before), list(operations(i, trace.computed, trace.given.placeholders, trace.number, floats, found))

    def _is_put_elsewhere(self, trace: Trace, location: Location) -> bool:
        """Whether a run puts what it computes under a key where the trace has put nothing: no later call does."""
        oid, field = location
        return (
            location not in self._entry.written
            and isinstance(field, tuple)
            and field[0] == "k"
            and any(isinstance(member, Array) and trace.holds(member.trace) for member in members(held(self._i, oid, field) or NONE))
        )


def _is_one_way(before: Iterable[Said], now: Iterable[Said]) -> bool:
    """Whether operations are among those of a run that takes one of several ways: each may be one of these, whichever arrays of the run it is computed from, and
    whichever numbers its symbols stand for."""

    def part_of(said: object) -> object:
        if isinstance(said, tuple) and said[:1] == ("made",):
            return "made"
        return Symbol if isinstance(said, Symbol) else said

    def parts(operand: object) -> object:
        return frozenset(map(part_of, operand)) if isinstance(operand, tuple) else operand

    return all(
        any(
            what == other and place == where and all(parts(own) <= parts(of) for own, of in zip(operands, others))  # type: ignore[operator]
            for other, where, others in now
        )
        for what, place, operands in before
    )


def _is_unknown(computed: Iterable[Operation]) -> bool:
    """Whether it is not known of what an operation is computed."""
    return any(isinstance(member, Unknown) for _, _, operands in computed for operand in operands for member in each_part(operand))
