"""Which numbers are others in each round of a loop: the time, a draw, an item of data, and what is read out of an array that the rounds change.

A `Symbolic` is named after the place where it came into being. In another round that is another thing, but it need not be another number: the content of an array
that no round changes is the same whenever it is read. So a number is followed back to where it comes from: a source that gives something else each time, a counter
of the loop, or an array that is computed from what an earlier round made of it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Final, TypeAlias, TypeGuard

from mxlint.domain.arrays import GOING_ON, Array, Operands
from mxlint.domain.guards import Identity
from mxlint.domain.guards import parts as literals
from mxlint.domain.join import of
from mxlint.domain.members import (
    Const,
    Kind,
    Length,
    Loops,
    Member,
    Option,
    Range,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Union,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.ordering import comparison
from mxlint.domain.place import Place
from mxlint.domain.shape import surely_unlike
from mxlint.domain.size import symbols
from mxlint.domain.varying import Chance, Doubled, Falling, Past, Rising, loops_of, over, stays, united
from mxlint.facts.rows import AGAIN, FEW, SELDOM
from mxlint.interpreter.loops.draws import ARITHMETIC, DRAWN, UNTOLD, spread
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context, is_round, within
from mxlint.interpreter.machine.locations import ITEMS, OPERANDS

ANEW: Final = frozenset(("clock", "random", "counter", "carried", "identity", "item"))
"""Sources that give another value each time; what is carried is what a round makes of its own earlier value."""
MAX_SOURCES: Final = 4
"""Sources of an array that are remembered, the latest first."""
MAX_READ: Final = 8
"""Arrays from which a number that is read out is said to come, the nearest first."""
NO_LOOPS: Final[frozenset[Context]] = frozenset()
CONTENT: Final = ("#", "content comes from")
"""Of an array: the symbolic values that its content comes from."""
REWRITTEN: Final = "content in place"
"""Begins the name of a content that an array was given in place."""
Node: TypeAlias = int | Identity
"""An array, or a content that one was given in place."""


class Numbered:
    """A number for each symbolic number that others are computed from."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[Identity, int] = {}


class Lengthening:
    """Arrays that rounds of loops make longer, or otherwise of another length, each time."""

    __slots__ = ("arrays", "bounded")

    def __init__(self) -> None:
        self.arrays: dict[int, tuple[frozenset[Hashable], frozenset[int]]] = {}
        """Which loops do so, and which axis it is, counted from either end."""
        self.bounded: set[int] = set()
        """Arrays whose lengths decide in a round whether they go on or something else takes their place, as `if len(x) > 8: x = x[-8:]` does: these may
        come to rest."""


def may_rest(i: Interpreter, state: Iterable[Value]) -> None:
    """A round of a loop has come to its end, and left these values."""
    for value in state:
        if not isinstance(value, Union):
            continue
        arrays = {ident for m in members(value) if isinstance(m, Array) for ident in (m.ident, i.heap.older(m.ident))}
        guards = {literal for option in value.options for literal in option.guard} if arrays else ()
        if any(not arrays.isdisjoint(_measured(one.condition)) for literal in guards for one in (literal, *literals(literal))):
            i.ledger.of(Lengthening).bounded |= arrays


def _measured(part: object) -> Iterator[int]:
    """The arrays whose lengths a condition asks for; what compares one with more than few leaves many lengths."""
    if isinstance(part, Length):
        yield from (name[1] for name in symbols(part.size) if isinstance(name, tuple) and name[0] == "axis")
    elif isinstance(part, tuple) and part[:1] == ("size",) and isinstance(part[1], Array):
        yield part[1].ident
    elif isinstance(part, tuple) and not ((compared := comparison(part)) is not None and compared[2] > AGAIN):
        for inner in part:
            yield from _measured(inner.identity if isinstance(inner, Symbolic) else inner)


def lengthens(i: Interpreter, array: Array, axis: object) -> None:
    """An array was made in host code. `axis`: the one along which its shape differs from round to round, if it does; None if nobody says."""
    if i.trace is not None or array.grows not in GOING_ON or not array.loops:
        return
    if array.shape is not None and array.shape.count(None) == 1:
        axis = array.shape.index(None)
    if type(axis) is int:
        ways = (axis,) if array.shape is None else (axis % len(array.shape), axis % len(array.shape) - len(array.shape))
        found = i.ledger.of(Lengthening).arrays
        found[array.ident] = found[i.heap.older(array.ident)] = array.loops, frozenset(ways)


class Cut:
    """Lists that are a slice of another, one end of which loops move: which."""

    __slots__ = ("lists",)

    def __init__(self) -> None:
        self.lists: dict[int, Loops] = {}


def rounds(i: Interpreter, older: Context) -> tuple[Context, ...]:
    """The rounds of loops that run and in which `older` is not made, innermost first."""
    found: list[Context] = []
    step: Context | None = i.context
    while step is not None and not within(older, step):
        if is_round(step.step):
            found.append(step)
        step = step.parent
    return tuple(found)


def rounds_around(i: Interpreter) -> list[Context]:
    """The rounds of loops that run, innermost first."""
    step: Context | None = i.context
    running: list[Context] = []
    while step is not None:
        if is_round(step.step):
            running.append(step)
        step = step.parent
    return running


def _one_by_one(what: object) -> tuple[Place, int] | None:
    """The loop and the number of a round that is run by itself."""
    if isinstance(what, tuple) and len(what) == 2 and isinstance(what[0], Place) and isinstance(what[1], int):
        return what[0], what[1]
    return None


def made(i: Interpreter, ident: int, operands: Iterable[Value], place: Place, source: str = "") -> None:
    """An array was made by host code: keep what its content comes from. `source`: it is something else each time itself."""
    found: list[Member] = [i.symbolic(place, "content", source=source)] if source else []
    for value in operands:
        for member in members(value):
            if isinstance(member, Array):
                found.extend(members(i.heap.get(member.ident, CONTENT) or Const(None)))
            elif isinstance(member, Symbolic):
                found.append(member)
            elif takes_many(member):
                counter = i.symbolic(place, "content", source="counter" if loops_of(member) is None else "")
                i.comes_from[counter.identity] = tuple(dict.fromkeys((*i.comes_from.get(counter.identity, ()), member)))
                found.append(counter)
    kept = [member for member in dict.fromkeys(found) if isinstance(member, Symbolic)][:MAX_SOURCES]
    if kept:
        i.heap.set(ident, CONTENT, of(option for member in kept for option in options(member)))


def read_out(i: Interpreter, arrays: Sequence[Member], what: str, kind: str, place: Place) -> Symbolic:
    """The number that is read out of an array. What the array comes from is kept beside it: a call that ends takes its arrays along."""
    number = i.symbolic(place, what, kinds=frozenset((kind,)), source="evaluated")
    found = list(arrays)
    contents: list[Member] = []
    for array in found:
        if not isinstance(array, Array):
            continue
        contents += members(i.heap.get(array.ident, CONTENT) or Const(None))
        operands = i.heap.get(array.ident, OPERANDS)
        before = operands.idents or () if isinstance(operands, Operands) else ()
        found += [Array(ident) for ident in before if len(found) < MAX_READ and Array(ident) not in found]
    i.comes_from[number.identity] = tuple(dict.fromkeys((*found, *contents)))
    return number


def rewritten(i: Interpreter, array: Array, made: Array, place: Place) -> None:
    """The whole content of an array is replaced in place by that of another."""
    number = read_out(i, (made,), REWRITTEN, "number", place)
    i.comes_from[number.identity] = (array, *i.comes_from[number.identity])
    i.heap.set(array.ident, CONTENT, number)


ITEM: Final = "item "
"""Begins the names of numbers that are read out of an array together."""


def read_from(i: Interpreter, number: Symbolic) -> str:
    """Which of the numbers of an array it is that were read out together, as by `tolist`; empty where it is none."""
    identity = number.identity
    together = len(identity) == 3 and isinstance(identity[0], str) and identity[0].startswith(ITEM)
    return f"{identity[0]} {identity[1]}" if together and i.sources.get(identity) == "evaluated" else ""


def computed_from(i: Interpreter, number: Symbolic) -> str:
    """Which of the numbers it is that arithmetic makes of one symbolic number and constants: others of it are other numbers; empty where it is none."""
    atoms: set[Identity] = set()
    text = _in_words(number.identity, atoms)
    if len(atoms) != 1 or number.identity in atoms:
        return ""
    names = i.ledger.of(Numbered).numbers
    return f"{text} of {names.setdefault(atoms.pop(), len(names))}"


def _in_words(part: object, atoms: set[Identity]) -> str:
    """An expression over constants and `?`, which stands for what else it is made of."""
    if isinstance(part, Const):
        return repr(part.value)
    if isinstance(part, tuple) and len(part) == 3 and part[0] in ARITHMETIC:
        return f"({_in_words(part[1], atoms)} {part[0]} {_in_words(part[2], atoms)})"
    atoms.add(part)  # type: ignore[arg-type]
    return "?"


def taken(i: Interpreter, value: Value, place: Place, by: Value | None = None) -> Value:
    """What was taken out of a container of unknown contents: one particular number, the next of an iteration or the one at an index `by`."""
    return _taken(i, value, 0, place, by)


def in_turn(i: Interpreter, value: Value) -> Value:
    """What a round is given of what lies in a container: in another round that is another number."""
    return _also_over(value, frozenset((i.context.loop,)))


def at_index(value: Value, index: Value) -> Value:
    """What lies in a container at an index that loops move."""
    moved = united(map(loops_of, members(index)))
    return _also_over(value, moved) if moved else value


def _also_over(value: Value, loops: frozenset[Hashable]) -> Value:
    """The numbers of a container, its arrays of different shapes, and those in its tuples, varying over the loops whose rounds take another one each as well."""
    if not any(isinstance(member, (Range, Kind, Tuple, Array)) for member in members(value)):
        return value
    return of(Option(_member_over(option.member, loops), option.guard) for option in options(value))


def _member_over(member: Member, loops: frozenset[Hashable]) -> Member:
    if isinstance(member, Tuple):
        return member if member.items is None else member.holding(tuple(_also_over(part, loops) for part in member.items))
    if isinstance(member, Array):
        return member.but(loops=member.loops | loops) if member.grows in GOING_ON and member.loops else member
    return over(member, (loops_of(member) or NO_LOOPS) | loops)


def _taken(i: Interpreter, value: Value, number: object, place: Place, by: Value | None) -> Value:
    """What a loop takes out of a container in a round: the next item, or the one at the index `by`. Of a tuple each part, which `number` names."""
    if isinstance(value, Tuple) and value.items is not None:
        return value.holding(tuple(_taken(i, part, (number, n), place, by) for n, part in enumerate(value.items)))
    value = in_turn(i, value) if by is None else at_index(value, by)
    if isinstance(value, Kind) and value.cause == "open" and value.type in ("int", "float", "number", "str"):
        return _particular(i, frozenset((value.type,)), number, place, by)
    for member in members(value):
        if isinstance(member, Ref) and i.info(member.oid).summary:
            i.ledger.of(Ends).turns.setdefault(member.oid, set()).update(_turning(i, by))
    many = [member for member in members(value) if isinstance(member, Symbolic) and _of_rounds_before(i, member)]
    if not many:
        return value
    one = _particular(i, frozenset(filter(None, map(scalar_type, many))), number, place, by)
    i.comes_from[one.identity] = (*i.comes_from.get(one.identity, ()), *many)
    return of([Option(one), *(option for option in options(value) if option.member not in many)])


def _turning(i: Interpreter, by: Value | None) -> Iterator[Place]:
    """The loops that move an index; without one, that which runs."""
    moved = (i.context,) if by is None else united(map(loops_of, members(by))) or ()
    for loop in moved:
        if isinstance(loop, Context) and is_round(loop.step):
            yield loop.step[0]


def _particular(i: Interpreter, kinds: frozenset[str], number: object, place: Place, by: Value | None) -> Symbolic:
    """One of the numbers or texts that lie in a container: that of the round, or that at an index. Of texts, as the keys of a dict, there are few."""
    made = i.symbolic(place, f"{ITEM}{number}", kinds=kinds, source="item" if by is None and "str" not in kinds else "")
    if by is not None:
        i.comes_from[made.identity] = tuple(members(by))
    return made


def _of_rounds_before(i: Interpreter, member: Symbolic) -> bool:
    """Whether a number in a container stands for one of each round of a loop that is over, in each of which it was another one."""
    if scalar_type(member) not in ("int", "float", "number"):
        return False
    running = {around.loop for around in rounds_around(i)}
    over_by_now = [step for step in dict.fromkeys(_rounds_of(i, member, set())) if step.loop not in running]
    return bool(over_by_now) and Novelty(i, over_by_now).of(member)


def _rounds_of(i: Interpreter, part: object, seen: set[Identity]) -> Iterator[Context]:
    """The rounds in which a number came into being, and the loops over which what it is made of varies."""
    if isinstance(part, Symbolic):
        part = part.identity
    if isinstance(part, Context):
        step: Context | None = part
        while step is not None:
            if is_round(step.step):
                yield step
            step = step.parent
    elif isinstance(part, Member):
        yield from (loop for loop in loops_of(part) or () if isinstance(loop, Context))
    elif isinstance(part, tuple) and part not in seen:
        seen.add(part)
        for inner in (*part, *i.comes_from.get(part, ())):
            yield from _rounds_of(i, inner, seen)


def stretching(found: Sequence[Member]) -> bool:
    """Whether an array, or an item of a tuple, has one length after another, with no end: it has several that are known, and is then made of
    itself."""
    todo: list[Sequence[Member]] = [found]
    seen: set[tuple[int, ...]] = set()  # parts that are shared are looked at once
    while todo:
        parts = todo.pop()
        key = tuple(map(id, parts))
        if key in seen:
            continue
        seen.add(key)
        if _stretches(parts):
            return True
        tuples = [member.items for member in parts if isinstance(member, Tuple) and member.items is not None]
        if len({len(items) for items in tuples}) == 1:
            todo.extend([m for item in column for m in members(item)] for column in zip(*tuples))
    return False


def _stretches(found: Sequence[Member]) -> bool:
    shapes = [(member.shape, member.grows) for member in found if isinstance(member, Array) and member.shape is not None]
    return any(
        any(map(surely_unlike, lengths, lengths[1:]))
        for shape, grows in shapes
        if grows == "differs"
        for axis, size in enumerate(shape)
        if size is None
        for lengths in ([other[axis] for other, _ in shapes if len(other) == len(shape) and other[axis] is not None],)
    )


def sliced(i: Interpreter, oid: int, index: Slice) -> None:
    """A list was made of a slice of another: one end of it may move."""
    loops = _one_end(i, index) if i.trace is None else NO_LOOPS
    if loops is None or loops:
        i.ledger.of(Cut).lists[oid] = loops
    else:
        i.ledger.of(Cut).lists.pop(oid, None)


def cut(i: Interpreter, member: Member) -> Loops:
    """The loops that move one end of a slice, of which a list or something symbolic is made. Whatever was cut, an array, a list or a text, it is a
    part of another length each time."""
    if isinstance(member, Ref):
        return i.ledger.of(Cut).lists.get(member.oid, NO_LOOPS) if i.trace is None else NO_LOOPS
    if i.trace is not None or not isinstance(member, Symbolic) or member.identity[0] != "[]":
        return NO_LOOPS
    found = [part for index in member.identity[2:] for part in (index.items or () if isinstance(index, Tuple) else (index,))]
    return united(_one_end(i, part) for part in found if isinstance(part, Slice))


def _one_end(i: Interpreter, index: Slice) -> Loops:
    """The loops that move one end of a slice, and not the other."""
    again = Novelty(i, rounds_around(i))
    lower, upper = (NO_LOOPS if again.come_again(members(end)) else moving(i, end) for end in (index.lower, index.upper))
    return lower if upper == NO_LOOPS else upper if lower == NO_LOOPS else NO_LOOPS


def moving(i: Interpreter, value: Value) -> Loops:
    """The loops over which a number of host code is now this and now that: none, if nothing says that one moves it."""
    return united(_moved_by(i, member) for member in members(value))


def _moved_by(i: Interpreter, member: Member) -> Loops:
    if isinstance(member, Symbolic):
        return frozenset(around.loop for around in rounds_around(i) if Novelty(i, (around,)).of(member)) if i.trace is None else NO_LOOPS
    loops = loops_of(member) if takes_many(member) else NO_LOOPS
    return loops if not loops else frozenset(loop for loop in loops if not isinstance(loop, (Chance, Falling, Past, Rising)))


def takes_many(member: Member) -> bool:
    """Whether a number is one of many that a loop brings."""
    if isinstance(member, Const) or isinstance(member, Kind) and (member.cause != "varying" or member.type == "bool"):
        return False
    count = how_many(member)
    return isinstance(member, (Range, Kind)) and (count is None or count > FEW)


def how_many(member: Member) -> int | None:
    """How many numbers a member stands for, None if there is no end to them."""
    if isinstance(member, Range):
        return None if member.low is None or member.high is None else (member.high - member.low) // member.stride + 1
    if isinstance(member, Kind):
        return None if member.values is None else len(member.values)
    return 1 if isinstance(member, Const) else None


class Steps:
    """By how much the numbers that loops carry go on at most in a round, by their identities; None: by more than a constant, in some round."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[Identity, int | None] = {}


class Novelty:
    """What is new in each of some rounds of loops that run."""

    def __init__(self, i: Interpreter, running: Sequence[Context], *, perhaps: bool = False, beside: Collection[int] = ()) -> None:
        """`perhaps`: what is read out of an item of something that nobody in sight gives counts as well. It may be another number each time. `beside`: arrays
        whose lengths do not count, as they are asked about themselves."""
        self._i = i
        self._perhaps = perhaps
        self._beside = beside
        self._rounds = running
        self._seen: set[Identity] = set()
        self._short: frozenset[int] | None = None

    def come_again(self, found: Iterable[Member]) -> bool:
        """Whether numbers are so few that each comes again many times in the rounds, as far as it is known how many of these there are."""
        counts = [how_many(member) for member in found]
        known = [count for count in counts if count is not None]
        if len(known) < len(counts) or sum(known) > AGAIN:
            return False
        return self._have_rounds_for(sum(known))

    def _have_rounds_for(self, count: int) -> bool:
        """Whether there are so many rounds, as far as that is known, that each of some numbers comes in many of them."""
        rounds = [self._i.ledger.of(Ends).counts.get(around.loop) for around in self._rounds]
        return bool(rounds) and (None in rounds or SELDOM * count <= prod(filter(None, rounds)))

    def over(self, loops: Loops) -> bool:
        """Whether what varies over some loops does so from one of the rounds to the next: over its loop, or over one that each of them runs."""
        if not loops:
            return loops is None
        if self._i.heap.recording is not None:
            self._i.heap.recording.around = True
        return any(self._over(loop, around.loop) for loop in loops for around in self._rounds)

    def _over(self, loop: object, around: Context) -> bool:
        if isinstance(loop, Doubled):
            return loop.loop == around
        return isinstance(loop, Context) and within(loop, around)

    def of(self, member: Member) -> bool:
        """Whether a number is another one in each round."""
        if isinstance(member, Symbolic):
            if self._i.heap.recording is not None:
                self._i.heap.recording.around = True
            return (
                bool(self._rounds)
                and scalar_type(member) not in ("bool", "NoneType")
                and not self._is_few(member)
                and (self._symbol(member.identity) or self._is_longer(member.identity))
            )
        return False

    def of_lengths(self, found: Sequence[Length]) -> bool:
        """Whether what is one of some lengths of axes, or sums of such, is another one in each round."""
        changing = [sum(self._axis_differs(name) for name in symbols(length.size)) for length in found]
        return max(changing, default=0) == 1  # two may change alike

    def balance(self, found: Iterable[Member]) -> bool:
        """Whether one of some numbers is the difference of two lengths that each round changes: what is left may be the same in each."""
        differences = [member.identity[1:] for member in found if isinstance(member, Symbolic) and member.identity[0] == "-"]
        return any(sum(map(self._is_longer, operands)) > 1 for operands in differences)

    def _is_longer(self, part: object) -> bool:
        """Whether something is the length of an axis that is another one in each round, or computed from one such and from what is not."""
        if isinstance(part, Length):
            return self.of_lengths((part,))
        if not isinstance(part, tuple) or not part:
            return False
        if part[0] == "size" and isinstance(part[1], Array):
            return self._axis_differs(("axis", part[1].ident, part[2].value if len(part) > 2 else None))
        return part[0] in _ADDING and sum(map(self._is_longer, part[1:])) == 1

    @property
    def short(self) -> frozenset[int]:
        """The arrays that have few lengths here, as tests on the path say."""
        if self._short is None:
            said = self._i.ruled_out(self._i.path).ordered
            self._short = frozenset(ident for thing, bounds in said.items() if bounds.high <= AGAIN for ident in _measured(thing))
        return self._short

    def _axis_differs(self, name: object) -> bool:
        """Whether an axis of an array (None: the product of all) has another length in each round."""
        match name:
            case ("axis", int() as ident, axis) if ident not in self._beside and ident not in self._i.ledger.of(Lengthening).bounded:
                loops, axes = self._i.ledger.of(Lengthening).arrays.get(ident, (NO_LOOPS, ()))
                return (axis is None or axis in axes) and self.over(loops) and ident not in self.short
        return False

    def _in_round(self, identity: Identity) -> bool:
        """Whether something came into being in one of the rounds."""
        context = next((part for part in identity if isinstance(part, Context)), None)
        return self.here(context)

    def _is_few(self, number: Symbolic) -> bool:
        """Whether a number is made of a draw, or read off a clock, in such a way that it is one of few."""
        found = spread(self._i, number.identity)
        if found is None or found is UNTOLD and scalar_type(number) != "int":
            return False
        return found.numbers <= FEW or found.numbers <= AGAIN and self._have_rounds_for(int(found.numbers))

    def _fills(self, identity: Identity) -> bool:
        """Whether something was drawn in the first round of each loop: later rounds may find it there. If they draw as well, they show that themselves."""
        context = next((part for part in identity if isinstance(part, Context)), None)
        around = [one for one in self._rounds if context is not None and within(context, one)]
        return self._i.sources.get(identity) in DRAWN and bool(around) and all(_is_first(one.step) for one in around)

    def here(self, context: object) -> bool:
        """Whether what was made in a context came into being in one of the rounds."""
        return self._here(context, {})

    def _symbol(self, identity: Identity) -> bool:
        if identity in self._seen:
            return False
        self._seen.add(identity)
        if identity[0] == REWRITTEN:
            return self.array(identity)
        if len(identity) == 3 and stays(identity[0], self._step(identity[1]), identity[2]):
            return False
        origins = self._i.comes_from.get(identity, ())
        if self._i.sources.get(identity) in ANEW and self._in_round(identity):
            return not _is_of_few(self._i, identity, origins) and not self._fills(identity)
        if origins and self._in_round(identity) and any(self._member(part) for part in origins):
            return True
        if self._perhaps and identity[0] == "element" and self._in_round(identity):
            return True
        if identity[0] in OF_SHAPES or self._perhaps and (identity[0] == "len" or _is_length(identity)):
            return False  # the content of an array may change, and its shape not
        return any(
            self._member(part) if isinstance(part, Member) else isinstance(part, tuple) and part != () and self._symbol(part)
            for part in identity
        )

    def _step(self, part: object) -> int | None:
        """By how much a number goes on from round to round, if that is known: also where a constant is added to it."""
        while isinstance(part, tuple) and len(part) == 3 and part[0] in ("+", "-") and isinstance(part[2], Const):
            part = part[1]
        part = part.identity if isinstance(part, Symbolic) else part
        return self._i.ledger.of(Steps).known.get(part) if isinstance(part, tuple) else None

    def _member(self, part: Member) -> bool:
        if isinstance(part, Symbolic):
            return self._symbol(part.identity)
        if takes_many(part):
            return self.over(loops_of(part)) and not self.come_again((part,))
        if isinstance(part, Slice):
            return self.over(_one_end(self._i, part))  # of what is not in sight it is a part of another length each time
        return isinstance(part, Array) and self.array(part.ident)

    def array(self, start: Node) -> bool:
        """Whether the content of an array is something else in each round: it comes from what is, or from what an earlier round made of it."""
        i = self._i
        met: dict[tuple[Context, Place], set[int]] = {}
        todo: list[tuple[Node, tuple[Node, ...]]] = [(start, ())]
        done: set[Node] = set()
        while todo and len(done) < MAX_FOLLOWED:
            node, path = todo.pop()
            if any(before == node and isinstance(after, tuple) for before, after in pairwise(path)):
                continue  # the content that the array had before is among what its new one comes from
            here = self._here(_made_in(i, node), met)
            if here and node in path and not self._of_one_round(path[path.index(node) :]):
                return True
            if node in done:
                continue
            done.add(node)
            arrays, contents, under = self._before(node, path)
            todo.extend((m.identity, under) for m in contents if _is_rewritten(m))
            todo.extend((ident, under) for m in contents if not _is_rewritten(m) for ident in self._read_from(m))
            if not here:
                continue
            if any(isinstance(m, Symbolic) and not _is_rewritten(m) and self._symbol(m.identity) for m in contents):
                return True
            if arrays is None:
                return True  # they differ from round to round
            todo.extend((other, under) for other in arrays)
        return any(len(numbers) >= MANY for numbers in met.values())

    def _of_one_round(self, cycle: Sequence[Node]) -> bool:
        """Whether what comes from itself is the content of one array that each of the rounds makes anew: only loops in them change it."""
        i = self._i
        arrays = {part if isinstance(part, int) else getattr(i.comes_from[part][0], "ident", None) for part in cycle}
        owner = arrays.pop()
        if arrays or owner is None or isinstance(cycle[0], int) or i.info(owner).summary:
            return False
        made, given = _made_in(i, owner), _made_in(i, cycle[0])
        around = [one for one in self._rounds if isinstance(given, Context) and within(given, one)]
        return isinstance(made, Context) and all(within(made, one) for one in around)

    def _read_from(self, content: Member) -> Iterator[int]:
        """The arrays out of which a number was read that went into another one."""
        if isinstance(content, Symbolic) and self._i.sources.get(content.identity) == "evaluated":
            yield from (part.ident for part in self._i.comes_from.get(content.identity, ()) if isinstance(part, Array))

    def _before(self, node: Node, path: tuple[Node, ...]) -> tuple[Sequence[int] | None, Sequence[Member], tuple[Node, ...]]:
        """The arrays and the contents that an array, or a content that one was given in place, comes from, and the path to these."""
        if isinstance(node, int):
            operands = self._i.heap.get(node, OPERANDS)
            contents = members(self._i.heap.get(node, CONTENT) or Const(None))
            return operands.idents if isinstance(operands, Operands) else (), contents, (*path, node)
        owner, *found = self._i.comes_from[node]
        under = (*path, *(part.ident for part in (owner,) if isinstance(part, Array)), node)
        return [part.ident for part in found if isinstance(part, Array)], found, under

    def _here(self, context: object, met: dict[tuple[Context, Place], set[int]]) -> bool:
        """Whether something came into being in one of the rounds, or in an earlier one but the first of a loop that is run round by round. `met`:
        the rounds of such loops that were come to so far."""
        if not isinstance(context, Context):
            return False
        found = False
        for around in self._rounds:
            if within(context, around):
                found = True
            outer, running = around.parent, _one_by_one(around.step)
            if outer is None or running is None or not within(context, outer):
                continue
            step = context
            while step.depth > outer.depth + 1 and step.parent is not None:
                step = step.parent
            earlier = _one_by_one(step.step)
            if earlier is not None and earlier[0] == running[0] and earlier[1]:
                met.setdefault((outer, earlier[0]), set()).add(earlier[1])
                found = True
        return found


def _is_first(step: object) -> bool:
    """Whether a round is the first one of its loop."""
    return is_round(step) and step[1] in ("first", 0)


def _made_in(i: Interpreter, node: Node) -> object:
    """The context in which an array was made, or was given its content in place."""
    return i.info(node).payload if isinstance(node, int) else next((part for part in node if isinstance(part, Context)), None)


def _is_rewritten(member: Member) -> TypeGuard[Symbolic]:
    """Whether it is a content that an array was given in place."""
    return isinstance(member, Symbolic) and member.identity[0] == REWRITTEN


def _is_length(identity: Identity) -> bool:
    """Whether it is an item of the shape of something out of sight: that may be the same for all items of data, as the number of rows of a batch is."""
    return identity[0] == "[]" and isinstance(identity[1], tuple) and identity[1][:1] == (SHAPE,)


def _is_of_few(i: Interpreter, identity: Identity, origins: Sequence[Member]) -> bool:
    """Whether what is drawn is one of few: of the items of a short list, or of integers that lie together."""
    if len(origins) == 1 and isinstance(origins[0], Ref):
        content = i.heap.get(origins[0].oid, ITEMS)
        return isinstance(content, Tuple) and content.items is not None and len(content.items) <= FEW
    found = spread(i, identity)
    return found is not None and found.numbers <= FEW


SHAPE: Final = ".shape"
"""What begins the identity of a shape of something out of sight: of whatever that is, an array or table of any library, each item is a length."""
_ADDING: Final = frozenset(("+", "-", "*"))
"""What makes another number of another length; a quotient, a rest and the smaller of two may stay."""
OF_SHAPES: Final = frozenset(("size", "ndim", "dtype"))
"""What is asked of an array without asking for its content."""
MANY: Final = 3
"""What comes from so many rounds of a loop, the first not counted, goes on to change."""
MAX_FOLLOWED: Final = 200
"""Arrays one computed from another that are followed back."""


__all__ = [
    "ANEW",
    "CONTENT",
    "Novelty",
    "made",
    "moving",
    "read_from",
    "read_out",
    "rewritten",
    "rounds",
    "rounds_around",
    "sliced",
    "stretching",
    "taken",
    "takes_many",
]
