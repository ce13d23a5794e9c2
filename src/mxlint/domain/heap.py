"""The heap: objects by number, their fields, and the trail that makes a state a thing one can cut off, join and put back.

There is one heap, changed in place, and a trail of what it held before. A *delta* is what changed since a mark: the state relative to that
mark. Branches run one after another from one mark; each is cut off as a delta, and the join of the deltas is written. So a join costs what the
branches changed, and a state that leaves early (break, return, raise) is a delta that waits for the place where it arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Final, TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.exclusion import contradict
from mxlint.domain.guards import EARLIER, MAX_GUARD, Guard, Identity, Literal_
from mxlint.domain.join import join, of
from mxlint.domain.members import TRUE, UNBOUND, Member, Option, Ref, Unbound, Union, Value, options
from mxlint.domain.parts import FLAT, referred, rename
from mxlint.domain.place import Place
from mxlint.domain.widening import widen, widen_late

Field: TypeAlias = object
"""A name, or a tagged key such as ("item", 3) or ("#", "items"). Among the locations that were read, a set of names stands for which of them are there."""
ALIVE: Final = ("#", "alive")
"""The field that every object has from the moment that it is made."""
Location: TypeAlias = tuple[int, Field]
Delta: TypeAlias = dict[Location, Value]


class Info:
    """What never changes about an object: its kind, its class or other payload, where it was made, and in which trace (0: none).

    `summary`: it stands for several objects, so that a write joins.
    """

    __slots__ = ("kind", "label", "payload", "place", "summary", "trace")

    def __init__(self, kind: str, payload: object, place: Place | None, trace: int = 0, summary: bool = False, label: str = "") -> None:
        self.kind = kind
        self.payload = payload
        self.place = place
        self.trace = trace
        self.summary = summary
        self.label = label


ARRAY: Final = Info("array", None, None)
"""What is known of every array, until its trace is."""


WHOLE: Final = ("#", "whole")
"""Stands for all fields of an object among the locations that were read."""
HOLDERS: Final = ("#", "holders")
"""Stands for the locations that refer to an object or array among those that were read."""
OLDER: Final = ("#", "older")
"""Ends the site of the object that stands for those which were the newest of a site before."""
MANY: Final = 8
"""References in a value beyond which those of what lay there before are left out, to save the time."""


class Recording:
    """What a stretch of the run depends on and does: the locations that it reads, most of those left out that lie in what it has made itself by then; the objects and
    arrays that it makes, by their sites.

    `inputs`: what else has to be the same for objects to be made at the same sites: those that were the newest there, and who holds them.
    `moved`: the objects and arrays that became part of one that stands for several, or whose references were changed wherever they lie, and those
    that they became part of: where one of them was there before, it means something else in another context.
    `facts`: what it noted, `doubts`: what it could not follow, which is said of a place, whoever calls; each once. `written`: the locations that it wrote, with the places. `valid`: nothing else happened that a second run would
    have to do again. `raises`: classes of exceptions that an operation may raise; `thrown`: an exception left, and nothing caught it.
    `leaving`: the states in which one left to a handler around, relative to `mark`, with the exception and the path behind its first `path`
    conditions. `shortened`: a loop in it was not run in full.
    `again`: facts that say where they are, to be found again; `calls`: from which call on the other facts say by which calls they were come to.
    `asked`: the conditions that the path was asked about. `since`: from where on facts say something of the path, None: of nothing.
    `recursions`: those that it ran to a fixpoint, or whose value so far it took.
    `content`: the arrays whose content became part of a trace. `around`: whether it looked at the loops around; `looped`: whether it asked if there are any. `world`: how much was compiled, traced and
    imported when it was first asked what a call comes to; None if it was not. `passed`: the sides of conditions that it took, outside of traces.
    """

    __slots__ = ("again", "around", "asked", "calls", "content", "doubts", "facts", "fresh", "inputs", "leaving", "looped", "mark", "moved", "outer", "passed", "path", "raises", "reads", "recursions", "shortened", "since", "thrown", "tries", "valid", "world", "written")  # fmt: skip

    def __init__(self, outer: Recording | None, tries: int, mark: int | None = None, path: int = 0) -> None:
        self.outer = outer
        self.tries = tries
        self.mark = mark
        self.path = path
        self.leaving: list[tuple[Delta, Value, tuple[object, ...]]] = []
        self.reads: set[Location] = set()
        self.inputs: set[Location] = set()
        self.fresh: dict[int, tuple[object, ...]] = {}
        self.facts: dict[object, Callable[[], None]] = {}
        self.doubts: dict[object, Callable[[], None]] = {}
        self.written: dict[tuple[int, Field, Place], None] = {}
        self.raises: set[str | None] = set()
        self.asked: set[Identity] = set()
        self.recursions: set[object] = set()
        self.content: set[int] = set()
        self.since: int | None = None
        self.calls: int | None = None
        self.again: dict[object, object] = {}
        self.around = False
        self.looped = False
        self.moved: set[int] = set()
        self.passed: set[tuple[Place, bool]] = set()
        self.shortened = False
        self.thrown = False
        self.valid = True
        self.world: tuple[int, ...] | None = None

    def write(self, write: tuple[int, Field, Place]) -> None:
        """Keep a write behind all others: of several to one location the last one counts."""
        self.written.pop(write, None)
        self.written[write] = None

    def says_from(self, start: int) -> None:
        """Keep that a fact says something of the path from a position on."""
        self.since = start if self.since is None else min(self.since, start)

    def names_calls(self, start: int) -> None:
        """Keep that a fact names the calls from a depth of the stack on."""
        self.calls = start if self.calls is None else min(self.calls, start)

    def noted(self) -> tuple[int, ...]:
        """How much has been noted."""
        return len(self.facts), len(self.doubts), len(self.again)

    def forget(self, noted: tuple[int, ...]) -> None:
        """Forget what was noted since."""
        tables: tuple[dict[Any, Any], ...] = (self.facts, self.doubts, self.again)
        for table, length in zip(tables, noted):
            while len(table) > length:
                table.popitem()

    def close(self) -> None:
        """What the inner stretch read and made, the outer one did as well."""
        outer = self.outer
        if outer is not None:
            outer.reads |= self.reads if not self.fresh else {place for place in self.reads if place[0] not in self.fresh}
            outer.inputs |= self.inputs
            outer.fresh.update(self.fresh)
            outer.facts.update(self.facts)
            outer.doubts.update(self.doubts)
            for write in self.written:
                outer.write(write)
            outer.raises |= self.raises
            outer.asked |= self.asked
            outer.recursions |= self.recursions
            outer.content |= self.content - self.fresh.keys()
            if self.since is not None:
                outer.says_from(self.since)
            if self.calls is not None:
                outer.names_calls(self.calls)
            outer.again.update(self.again)
            outer.looped = outer.looped or self.looped
            outer.around = outer.around or self.around
            outer.moved |= self.moved
            outer.passed |= self.passed
            outer.shortened = outer.shortened or self.shortened
            outer.world = outer.world or self.world
            outer.valid = outer.valid and self.valid


class Heap:
    """All objects and their fields."""

    def __init__(self) -> None:
        self.infos: list[Info] = []
        self._cells: list[dict[Field, Value]] = []
        self.recording: Recording | None = None
        self.trail: list[tuple[Location, Value | None]] = []
        self.joined = 0
        """Values that were joined so far where states were, as the work that it is."""
        self._left: dict[int, Option] = {}
        """Members that tests have left of unions, each a copy of its own, by the identity of that copy, with the guards that they had."""
        self._sites: dict[tuple[object, ...], int] = {}
        self._old: dict[int, int] = {}
        self._holders: dict[int, set[Location]] = {}
        """For each object and array, the locations that have ever referred to it."""

    # -- objects -------------------------------------------------------------------------------------------------------

    def new(self, info: Info) -> int:
        """Number a new object."""
        self.infos.append(info)
        self._cells.append({})
        return len(self.infos) - 1

    def at_site(self, site: tuple[object, ...], info: Info) -> int:
        """The newest object of an allocation site and context. The one that was newest until now joins the older ones."""
        oid = self._sites.get(site)
        recording = self.recording
        if oid is None:
            oid = self._sites[site] = self.new(info)
        if recording is not None and oid not in recording.fresh:
            recording.fresh[oid] = site
            recording.inputs.add((oid, ALIVE))
        if ALIVE in self._cells[oid]:
            self._age(oid, site)
        else:
            self.set(oid, ALIVE, TRUE)
        return oid

    def standing(self, site: tuple[object, ...]) -> int | None:
        """The newest object of an allocation site and context, or what stands for the older ones of it; None if there is none."""
        oid = self._old.get(self._sites.get(site[:-1], -1)) if site[-1] == OLDER else self._sites.get(site)
        return oid if oid is not None and ALIVE in self._cells[oid] else None

    def gone_at_site(self, site: tuple[object, ...], info: Info) -> int:
        """Make an object at a site that is gone at once: the number of what stands for the older ones there."""
        oid = self.at_site(site, info)
        self.clear(oid)
        return self.older(oid)

    def ident(self, site: tuple[object, ...]) -> int:
        """The identity of the newest array of a site; what was the newest is an older one from now on."""
        oid = self.at_site(site, ARRAY)
        if self.infos[oid] is ARRAY:
            self.infos[oid] = Info("array", None, None)
        return oid

    def older(self, oid: int) -> int:
        """The object that stands for all earlier ones of the site of `oid`."""
        found = self._old.get(oid)
        if found is None:
            info = self.infos[oid]
            found = self._old[oid] = self.new(Info(info.kind, info.payload, info.place, info.trace, True, info.label))
        return found

    def _moves(self, number: int) -> None:
        """Record that what happens depends on who holds an object or array."""
        recording = self.recording
        if recording is not None:
            recording.moved.add(number)
            recording.inputs.add((number, HOLDERS))
            recording.inputs.update(self.holders(number))

    def holders(self, number: int) -> frozenset[Location]:
        """The locations that refer to an object or array now."""
        cells = self._cells
        known = self._holders.get(number, ())
        return frozenset(at for at in known if (value := cells[at[0]].get(at[1])) is not None and number in referred(value))

    def who_holds(self, number: int) -> frozenset[Location]:
        """The locations that refer to an object or array now, recorded as something that what happens depends on."""
        self._moves(number)
        return self.holders(number)

    def _age(self, oid: int, site: tuple[object, ...]) -> None:
        old = self.older(oid)
        if self.recording is not None:
            self.recording.inputs.update(((oid, WHOLE), (old, WHOLE)))
            self._moves(oid)
            self._stands_for(old, (*site, OLDER))
        self._join_into(oid, old)
        self._put(oid, ALIVE, TRUE)

    def fold(self, numbers: Sequence[int], whole: int | None) -> None:
        """Make one of several objects or arrays: `whole`, which stands for several already, or the older one of the last."""
        recording = self.recording
        if whole is None:
            whole = self.older(numbers[-1])
        if recording is not None:
            recording.inputs.add((whole, WHOLE))
            self._stands_for(whole, (*recording.fresh.get(numbers[-1], ()), OLDER))
        for number in numbers:
            if number != whole:
                if recording is not None:
                    recording.inputs.add((number, WHOLE))
                    self._moves(number)
                self._join_into(number, whole)

    def _stands_for(self, whole: int, site: tuple[object, ...]) -> None:
        """Record that an object becomes part of one that stands for several, and where that one is made if it is not there yet."""
        recording = self.recording
        assert recording is not None
        recording.moved.add(whole)
        if ALIVE not in self._cells[whole] and len(site) > 1:
            recording.fresh[whole] = site

    def _join_into(self, oid: int, whole: int) -> None:
        """Make an object part of one that stands for several: its fields, and all references to it."""
        first = not self._cells[whole]
        for field, value in list(self._cells[oid].items()):
            if first:
                self.set(whole, field, value)
            else:
                self._weak(whole, field, value)
            self.drop(oid, field)
        if self.infos[oid].kind == "array":
            self._rename(oid, lambda m: m.but(ident=whole) if isinstance(m, Array) and m.ident == oid else m)
        else:
            self._rename(oid, lambda m: Ref(whole) if isinstance(m, Ref) and m.oid == oid else m)

    def _rename(self, number: int, change: Callable[[Member], Member]) -> None:
        """Change the references to an object or array, wherever they lie."""
        for oid, field in list(self._holders.get(number, ())):
            value = self._cells[oid].get(field)
            if value is not None:
                changed = rename(value, change, number)
                if changed is not value:
                    self._put(oid, field, changed)

    def replace(self, number: int, change: Callable[[Member], Member]) -> None:
        """Change the references to an object or array in all objects."""
        self._moves(number)
        self._rename(number, change)

    # -- fields --------------------------------------------------------------------------------------------------------

    def has(self, oid: int, field: Field) -> bool:
        """Whether a field is there."""
        recording = self.recording
        if recording is not None and oid not in recording.fresh:
            recording.reads.add((oid, field))
        return field in self._cells[oid]

    def get(self, oid: int, field: Field) -> Value | None:
        """What a field holds; None if it is not there."""
        recording = self.recording
        if recording is not None and oid not in recording.fresh:
            recording.reads.add((oid, field))
        return self._cells[oid].get(field)

    def exists(self, oid: int) -> bool:
        """Whether an object is there: whether it has any field."""
        recording = self.recording
        if recording is not None and oid not in recording.fresh:
            recording.reads.add((oid, ALIVE))
        return bool(self._cells[oid])

    def fields(self, oid: int) -> dict[Field, Value]:
        """All fields of an object, to be read only."""
        recording = self.recording
        if recording is not None and oid not in recording.fresh:
            recording.reads.add((oid, WHOLE))
        return self._cells[oid]

    def entries(self, oid: int) -> list[tuple[Any, Value]]:
        """What lies in a dict under keys that are distinguished, with these, in order."""
        return [(field[1], value) for field, value in self.fields(oid).items() if isinstance(field, tuple) and field[0] == "k"]

    @property
    def cells(self) -> list[dict[Field, Value]]:
        """The fields of all objects, by number. Whoever reads them like this is not followed: no summary is made of it."""
        if self.recording is not None:
            self.recording.valid = False
        return self._cells

    def holds(self, oid: int, field: Field) -> object:
        """What a location that was read holds, to be compared with what it held then."""
        if field == HOLDERS:
            return self.holders(oid)
        if type(field) is frozenset:
            return field.intersection(self._cells[oid])
        return dict(self._cells[oid]) if field == WHOLE else self._cells[oid].get(field)

    def overwritten(self, mark: int) -> dict[Location, Value | None]:
        """What the locations that were written since a mark held there."""
        return dict(reversed(self.trail[mark:]))

    def held_before(self, mark: int, places: Iterable[Location]) -> dict[Location, object]:
        """What locations that were read held at a mark."""
        first = self.overwritten(mark)
        changed: dict[int, list[Field]] = {}
        for oid, field in first:
            changed.setdefault(oid, []).append(field)
        found: dict[Location, object] = {}
        for place in places:
            oid, field = place
            if field == HOLDERS:
                at_mark = ((at, first[at] if at in first else self._cells[at[0]].get(at[1])) for at in self._holders.get(oid, ()))
                found[place] = frozenset(at for at, value in at_mark if value is not None and oid in referred(value))
            elif type(field) is frozenset:
                there = {name: first[oid, name] is not None for name in field.intersection(changed.get(oid, ()))}
                found[place] = frozenset(name for name in field if there.get(name, name in self._cells[oid]))
            elif field == WHOLE:
                whole = dict(self._cells[oid])
                for name in changed.get(oid, ()):
                    earlier = first[oid, name]
                    if earlier is None:
                        whole.pop(name, None)
                    else:
                        whole[name] = earlier
                found[place] = whole
            else:
                found[place] = first[place] if place in first else self._cells[oid].get(field)
        return found

    def is_captured(self, oid: int) -> bool:
        """Whether anything refers to an object."""
        for other, field in self._holders.get(oid, ()):
            value = self._cells[other].get(field)
            if value is not None and oid in referred(value):
                return True
        return False

    def clear(self, oid: int) -> None:
        """Take all fields of an object away: it is gone."""
        for field in list(self._cells[oid]):
            self.drop(oid, field)

    def set(self, oid: int, field: Field, value: Value, *, each: bool = False) -> None:
        """Write a field: instead of what was there, or beside it in an object that stands for several, unless `each` of them is written."""
        if self.infos[oid].summary and not each:
            self._weak(oid, field, value)
        else:
            self._put(oid, field, value)

    def _weak(self, oid: int, field: Field, value: Value) -> None:
        present = self.get(oid, field)
        self._put(oid, field, value if present is None else join((present, value)))

    def _put(self, oid: int, field: Field, value: Value) -> None:
        cell = self._cells[oid]
        present = cell.get(field)
        location = (oid, field)
        if present is value:
            recording = self.recording
            if recording is not None and oid not in recording.fresh:
                recording.reads.add(location)  # only where it holds that already does the write change nothing
            return
        self.trail.append((location, present))
        cell[field] = value
        if type(value) in FLAT:
            return
        numbers = referred(value)
        if present is not None and len(numbers) > MANY:
            numbers -= referred(present)  # of these it is known
        for number in numbers:
            holders = self._holders.get(number)
            if holders is None:
                holders = self._holders[number] = set()
            holders.add(location)

    def drop(self, oid: int, field: Field) -> None:
        """Take a field away."""
        cell = self._cells[oid]
        present = cell.get(field)
        if present is not None:
            self.trail.append(((oid, field), present))
            del cell[field]

    # -- states --------------------------------------------------------------------------------------------------------

    def mark(self) -> int:
        """Where the trail stands."""
        return len(self.trail)

    def settle(self, mark: int) -> None:
        """Let nothing undo what changed since a mark: it is so in all states."""
        del self.trail[mark:]

    def changes(self, mark: int) -> Delta:
        """What changed since a mark, as it is now; `UNBOUND` for what is gone."""
        if len(self.trail) == mark:
            return {}
        cells = self._cells
        return {location: cells[location[0]].get(location[1], UNBOUND) for location in dict.fromkeys([at for at, _ in self.trail[mark:]])}

    def every_value(self, mark: int) -> Delta:
        """For each location that was written since a mark, the join of all that it held since: a state that covers all between."""
        found: dict[Location, list[Value]] = {}
        for location, value in self.trail[mark:]:
            found.setdefault(location, []).append(UNBOUND if value is None else value)
        return {
            (oid, field): join([*dict.fromkeys(values), self._cells[oid].get(field, UNBOUND)]) for (oid, field), values in found.items()
        }

    def undo(self, mark: int) -> None:
        """Put everything back as it was at a mark."""
        trail, cells = self.trail, self._cells
        while len(trail) > mark:
            (oid, field), value = trail.pop()
            if value is None:
                cells[oid].pop(field, None)
            else:
                cells[oid][field] = value

    def cut(self, mark: int) -> Delta:
        """Undo to a mark and return what was there."""
        delta = self.changes(mark)
        self.undo(mark)
        return delta

    def apply(self, delta: Mapping[Location, Value]) -> None:
        """Write a delta over the state that it is relative to."""
        for (oid, field), value in delta.items():
            if type(value) is Unbound:
                self.drop(oid, field)
            else:
                self._put(oid, field, value)

    def only(self, option: Option) -> Member:
        """The one member of a union that a test leaves. A join finds the guard again that it had there."""
        if not option.guard:
            return option.member
        member = copy(option.member)
        self._left[id(member)] = Option(member, option.guard)
        return member

    def _options(self, value: Value, base: Value) -> Sequence[Option]:
        """The members of a value that a branch leaves, `base` what was there before it."""
        if type(base) is not Union or type(value) is Union:
            return options(value)
        left = self._left.get(id(value))
        if left is not None and any(option.guard is left.guard for option in base.options):
            return (left,)
        return options(value)

    def merged(self, deltas: Iterable[tuple[Delta, Guard]]) -> Delta:
        """The join of states relative to the present one. Each comes with the literals under which it is reached."""
        branches = list(deltas)
        if len(branches) == 1 or not any(delta for delta, _ in branches):
            return branches[0][0] if branches else {}
        result: Delta = {}
        makers = {location for delta, _ in branches for location, value in delta.items() if value is TRUE and location[1] == ALIVE}
        recording = self.recording
        for location in dict.fromkeys(location for delta, _ in branches for location in delta):
            oid, field = location
            cell = self._cells[oid]
            base = cell.get(field, UNBOUND)
            if recording is not None and oid not in recording.fresh:
                recording.reads.add(location)
            known = branches
            if ALIVE not in cell and (oid, ALIVE) in makers:
                # Of an object that only some of the branches make, the others have nothing to say: nobody refers to it there.
                known = [branch for branch in branches if branch[0].get((oid, ALIVE)) is TRUE]
            values = [delta.get(location, base) for delta, _ in known]
            first = values[0]
            if values.count(first) == len(values):
                result[location] = first
                continue
            # Many states of one try, between which little was written: each value counts once.
            distinct = {(id(value), id(guard)): (value, guard) for value, (_, guard) in zip(values, known)}
            self.joined += len(distinct)
            found = [(self._options(value, base), guard) for value, guard in distinct.values()]
            result[location] = of([option for some, guard in found for option in (_under(some, guard) if guard else some)])
        return result


def widened(
    old: Delta,
    new: Delta,
    base: Heap,
    loop: Hashable,
    of_round: Callable[[Identity], bool],
    tested: Mapping[Location, Collection[int]],
    *,
    again: bool = False,
) -> Delta:
    """The widening of two states of a loop, relative to the present one. `tested`: the numbers with which locations are compared. `again`: the loop has
    been widened before; a guard that is still another one after a round goes, or it would take a round for each of its literals."""
    result: Delta = {}
    for location in dict.fromkeys([*old, *new]):
        made = (location[0], ALIVE)
        made_before, made_after = old.get(made) is TRUE, new.get(made) is TRUE
        there = base.has(location[0], ALIVE)
        if not there and made_before is not made_after:
            only = old if made_before else new
            if location in only:
                result[location] = only[location]
            continue
        present = base.get(*location) or UNBOUND
        before, now = old.get(location, present), new.get(location, present)
        widening = widen if there else widen_late
        after = of_earlier(before if before is now else widening(before, now, loop, tested.get(location, ())), of_round)
        result[location] = _settled(before, after) if again and type(after) is Union and after != before else after
    return result


def _settled(before: Value, after: Union) -> Value:
    """What a location holds after a round, where each guard that is not what it was before is gone."""
    guards = {option.member: option.guard for option in options(before)}
    return of(Option(o.member, o.guard if guards.get(o.member, o.guard) == o.guard else ()) for o in after.options)


def passed(state: Delta, of_round: Callable[[Identity], bool]) -> Delta:
    """The state after a round, as the next one finds it. `of_round`: of which conditions the outcomes say nothing of the next round."""
    return {location: of_earlier(value, of_round) for location, value in state.items()}


def of_earlier(value: Value, of_round: Callable[[Identity], bool]) -> Value:
    """The value with guards as conditions of an earlier round: they say nothing of the next, but that a member depends on them."""
    if type(value) is not Union or not any(of_round(literal.condition) for option in value.options for literal in option.guard):
        return value
    return of(Option(option.member, tuple(dict.fromkeys(_past(lit, of_round) for lit in option.guard))) for option in value.options)


def _past(literal: Literal_, of_round: Callable[[Identity], bool]) -> Literal_:
    over = literal.condition[0] != EARLIER and of_round(literal.condition)
    return Literal_((EARLIER, literal.condition, literal.outcome), True) if over else literal


def _under(found: Sequence[Option], guard: Guard) -> list[Option]:
    """The members of a value that is reached under some literals: without those that were bound where this branch was not taken."""
    return [
        Option(option.member, _with(option.guard, guard) if option.guard else guard[-MAX_GUARD:])
        for option in found
        if not option.guard or not contradict(option.guard, guard)
    ]


def _with(guard: Guard, more: Guard) -> Guard:
    return (*guard, *[literal for literal in more if literal not in guard])[-MAX_GUARD:]
