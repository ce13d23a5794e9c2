"""Loops to a fixpoint, and what iterating over a value gives.

Everything that repeats goes through `iterate`: it hands each element to `consume`, unrolled where the elements are known one by one, else as a
loop whose state is widened until it is stable. A generator runs its body, and each `yield` is a call of `consume`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from mxlint.domain.heap import ALIVE, Delta, Heap, Recording, widened
from mxlint.domain.place import Place
from mxlint.domain.value import (
    FALSE,
    MAX_GUARD,
    NONE,
    TRUE,
    UNBOUND,
    Array,
    Const,
    External,
    Kind,
    Literal_,
    Member,
    Option,
    Range,
    RangeObject,
    Ref,
    ShapeOf,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    constant_range,
    filtered,
    hull,
    join,
    members,
    of,
    options,
)
from mxlint.interpreter import summaries
from mxlint.interpreter.builders import new_list
from mxlint.interpreter.carried import carried
from mxlint.interpreter.core import Arguments, Condition, Frame, Halt, Interpreter, Path, Target
from mxlint.interpreter.exceptions import caught, throw_named
from mxlint.interpreter.folding import fold
from mxlint.interpreter.lookup import special
from mxlint.interpreter.novelty import taken
from mxlint.interpreter.operators import binary

Consume = Callable[[Value], "Value | None"]
"""What is done with each element. What it returns is what a generator's `yield` gives; None: nothing is sent."""

UNROLLED: Final = 16
"""Rounds of one loop that are run one by one."""
MAX_UNROLLED: Final = 256
"""Rounds that loops one in another, and the calls in them, may be run one by one."""
MAX_ROUNDS: Final = 12
"""Rounds after which what is not stable is given up: that is a defect of widening."""
MAX_ITEMS: Final = 64
"""Items of a list that are kept one by one."""


# -- the loop itself ---------------------------------------------------------------------------------------------------


def repeat(i: Interpreter, place: Place, step: Callable[[], object], *, certain: bool, ends: bool = True, peeled: bool = False) -> None:
    """Run `step` any number of times (at least once if `certain`), to a fixpoint; go on with the join of the states in which it may end.

    `peeled`: the first round has been run already; that of a loop in a loop that ascends is one of the others.
    `ends`: it may end before any round by itself; otherwise `step` hands the states in which it ends to a target of its own.
    """
    exits = Target(i.heap.mark())
    base = i.path
    some = base
    if ends and not certain:
        # Whether there is a round at all is a condition of what the rounds wrote.
        rounds = Literal_(("rounds", place, i.context), True)
        i.causes.setdefault(rounds.condition, ("open", place))
        exits.arrived.append(({}, NONE, (*base, Condition(None, place, Literal_(rounds.condition, False)))))
        some = (*base, Condition(None, place, rounds))
    around = i.invariants if not i.approximations else None
    after: Delta | None = {}
    if not peeled and around is None:
        after = _round(i, exits.mark, {}, (place, "first"), step, base)
        if ends and after is not None:
            exits.arrived.append((after, NONE, some))
    if after is not None:
        end = _fixpoint(i, exits.mark, after, around, (place, "rest"), step, base)
        if ends and end is not None:
            exits.arrived.append((end, NONE, some))
    i.path = base
    i.arrive(exits)
    fold(i, exits.mark)


def _round(i: Interpreter, mark: int, start: Delta, context: object, step: Callable[[], object], path: Path) -> Delta | None:
    """One round from a state; the state after it, None if no state goes on. The heap is left as at `mark`."""
    i.heap.undo(mark)
    i.heap.apply(start)
    i.path = path
    recording = i.heap.recording = Recording(i.heap.recording, len(i.tries))
    try:
        with i.within(context):
            step()
        i.heap.recording = None
        after = summaries.sweep(i, recording, mark, NONE)[0] if not i.approximations else i.heap.changes(mark)
    except Halt:
        return None
    finally:
        i.heap.recording = recording.outer
        recording.close()
        i.heap.undo(mark)
    return after


class Invariants:
    """The invariants that the loops in a loop had in its last round, from which they start in its next one: what was stable from a smaller state
    is near to what is stable now. A loop is known by its place and context, and by how often it was come to in the round."""

    __slots__ = ("_known", "_passed", "met")

    def __init__(self) -> None:
        self.met = False
        """Whether there is a loop in the loop."""
        self._known: dict[object, tuple[Delta, Invariants]] = {}
        self._passed: Counter[object] = Counter()

    def begin_round(self) -> None:
        """The loop around begins a round."""
        self._passed.clear()

    def key(self, loop: object) -> object:
        """The loop that is come to."""
        self._passed[loop] += 1
        return loop, self._passed[loop]

    def last(self, key: object) -> tuple[Delta | None, Invariants]:
        """The invariant of a loop, None if it is new, and those of the loops in it."""
        return self._known.get(key, (None, Invariants()))

    def keep(self, key: object, head: Delta, inner: Invariants) -> None:
        """Keep the invariant of a loop."""
        self._known[key] = head, inner


def _fixpoint(
    i: Interpreter,
    mark: int,
    start: Delta,
    around: Invariants | None,
    context: tuple[Place, object],
    step: Callable[[], object],
    path: Path,
) -> Delta | None:
    """Run further rounds until one does not leave the state before them; the state after the last one, None if none comes to its end. What the
    last one noted stays noted."""
    if around is not None:
        return _shortened(i, mark, start, around, context, step, path)
    inner = Invariants()
    checkpoint = i.checkpoint()
    head, after, widens = _ascend(i, mark, start, None, inner, context, step, path)
    lower = i.heap.merged([(start, ()), (after, ())]) if widens and after is not None else head
    if not inner.met and not _narrows(lower, head, i.heap):
        return after
    # One step down: what widening overshot and a test of the loop bounds again. Here the loops in this one run in full.
    i.forget(checkpoint)
    outer, i.invariants = i.invariants, None
    try:
        return _round(i, mark, lower, context, step, path)
    finally:
        i.invariants = outer


def _shortened(
    i: Interpreter, mark: int, start: Delta, around: Invariants, context: tuple[Place, object], step: Callable[[], object], path: Path
) -> Delta | None:
    """The same for a loop in a loop that ascends: without the step down, as that one takes it for both."""
    around.met = True
    if i.heap.recording is not None:
        i.heap.recording.shortened = True
    key = around.key((context, i.context))
    last, inner = around.last(key)
    _, after, _ = _ascend(i, mark, start, last, inner, context, step, path)
    around.keep(key, after or {}, inner)
    return after


def _ascend(
    i: Interpreter,
    mark: int,
    start: Delta,
    last: Delta | None,
    inner: Invariants,
    context: tuple[Place, object],
    step: Callable[[], object],
    path: Path,
) -> tuple[Delta, Delta | None, bool]:
    """The fixpoint from a state, and from what was after the rounds of the loop in the last round of the one around. The state before each
    round, the one after (None if no round comes to its end), and whether the first was widened."""
    head = start if last is None else widened(start, start | _present(last, i.heap), i.heap)
    around = i.invariants
    checkpoint = i.checkpoint()
    try:
        for number in range(2 * MAX_ROUNDS):
            i.forget(checkpoint)
            inner.begin_round()
            i.invariants = inner
            after = _round(i, mark, head, context, step, path)
            if after is None:
                return head, None, False
            first = number == 0 and last is None
            later = carried(i, head, after, context)
            merged = i.heap.merged([(head, ()), (later, ())]) if first else widened(head, later, i.heap)
            if number >= MAX_ROUNDS:
                merged = _given_up(head, merged)
            if merged == head:
                return head, after, not first
            head = merged
    finally:
        i.invariants = around
    i.imprecise("a loop that does not settle")
    return head, head, False


def _narrows(lower: Delta, head: Delta, heap: Heap) -> bool:
    """Whether a state says more than a larger one of the objects that it has."""
    return lower != head and any(
        lower.get((oid, field)) != head.get((oid, field))
        for oid, field in lower | head
        if (oid, ALIVE) in lower or (oid, ALIVE) not in head or heap.has(oid, ALIVE)
    )


def _present(last: Delta, heap: Heap) -> Delta:
    """What an invariant says of the objects that are there, and of those that the loop makes."""
    return {(oid, field): value for (oid, field), value in last.items() if (oid, ALIVE) in last or heap.exists(oid)}


def _given_up(head: Delta, merged: Delta) -> Delta:
    """The state in which nothing is known of what a round still changed; what the interpreter itself keeps of objects stays."""
    unsettled = Unknown("a loop that does not settle")
    return {
        location: unsettled if not isinstance(location[1], tuple) and head.get(location) != value else value
        for location, value in merged.items()
    }


# -- iterables ---------------------------------------------------------------------------------------------------------


def iterate(i: Interpreter, value: Value, consume: Consume, place: Place, frame: Frame) -> None:
    """Hand each element of a value to `consume`. Raises `Halt` if no state comes to the end of it."""
    value = i.live(value)
    each = _iterate if i.trace is None else _iterate_in_trace
    if not isinstance(value, Union):
        each(i, value, consume, place, frame)
        return

    def run(member: Member) -> Value:
        each(i, member, consume, place, frame)
        return NONE

    i.place = place
    i.split(value, run)


def _iterate_in_trace(i: Interpreter, member: Member, consume: Consume, place: Place, frame: Frame) -> None:
    """The same while a compiled function is traced: every round adds what it computes to the graph."""
    trace, before, left = i.trace, i.trace.operations, _left(i)
    of_rounds: list[int] = []

    def counted(value: Value) -> None:
        start = trace.operations
        consume(value)
        of_rounds.append(trace.operations - start)

    trace.loops.append(place)
    try:
        _iterate(i, member, counted, place, frame)
    finally:
        trace.loops.pop()
    rounds = number_of_rounds(i, member)
    if rounds is not None and _left(i) == left:
        # Several members of a value are several operations in the round that stands for many: the least is what each round surely makes.
        total = rounds * min(of_rounds, default=0) if rounds > UNROLLED else trace.operations - before
        trace.operations = before + total
        i.extra["mlx"].looped(i, rounds, total, place, frame)


def _left(i: Interpreter) -> int:
    """How many states left blocks early so far, to where they arrive."""
    return sum(len(target.arrived) for target in i.targets)


def number_of_rounds(i: Interpreter, member: Member) -> int | None:
    """How many elements an iterable has; None if that is not known."""
    if isinstance(member, RangeObject):
        bounds = [
            bound.value for bound in (member.start, member.stop, member.step) if isinstance(bound, Const) and isinstance(bound.value, int)
        ]
        return len(range(*bounds)) if len(bounds) == 3 else None
    items = known_items(i, member)
    return len(items) if items is not None else None


def _iterate(i: Interpreter, member: Member, consume: Consume, place: Place, frame: Frame) -> None:
    if isinstance(member, Ref) and i.info(member.oid).kind == "list":
        i.operations.read(i, member.oid, ("#", "items"), i.heap.get(member.oid, ("#", "items")) or Unknown("list"), place, frame)
    items = known_items(i, member)
    if items is not None and len(items) <= UNROLLED and i.unrolled * len(items) <= MAX_UNROLLED:
        if isinstance(member, Ref) and i.info(member.oid).kind == "iterator":
            consume = _counting(i, member.oid, consume)
        elif not isinstance(member, RangeObject) and all(isinstance(item, Const) for item in items):
            i.extra.setdefault("finite loops", set()).add(place)
        unroll(i, items, consume, place)
        return
    if isinstance(member, Ref):
        handler = _OBJECTS.get(i.info(member.oid).kind)
        if handler is not None and handler(i, member, consume, place, frame):
            return
    if isinstance(member, Array):
        repeat(i, place, lambda: consume(i.operations.array(i, "mlx.core.array.__iter__", (member,), place, frame)), certain=False)
        return
    if isinstance(member, (Const, Kind)) and not isinstance(member.value if isinstance(member, Const) else "", (str, bytes)):
        throw_named(i, "builtins.TypeError", place)
    element, certain = elements(i, member, place, frame)
    repeat(i, place, lambda: consume(taken(i, element() if callable(element) else element, place)), certain=certain)


def _counting(i: Interpreter, oid: int, consume: Consume) -> Consume:
    """The same consumer, which moves the iterator on before each element."""

    def counted(value: Value) -> None:
        position = i.heap.get(oid, POSITION)
        i.heap.set(
            oid, POSITION, Const(position.value + 1) if isinstance(position, Const) and isinstance(position.value, int) else Range(0, None)
        )
        consume(value)

    return counted


def unroll(i: Interpreter, items: Sequence[Value], consume: Consume, place: Place) -> None:
    """One round for each item."""
    with i.unrolling(len(items)):
        for number, item in enumerate(items):
            with i.within((place, number)):
                consume(item)


def known_items(i: Interpreter, member: Member) -> tuple[Value, ...] | None:
    """The items of an iterable one by one, if they are known and iterating has no effect."""
    if isinstance(member, Tuple):
        return member.items
    if isinstance(member, Const) and isinstance(member.value, (str, bytes)):
        return tuple(map(Const, member.value)) if len(member.value) <= MAX_ITEMS else None
    if isinstance(member, RangeObject):
        numbers = constant_range(member)
        return tuple(map(Const, numbers)) if numbers is not None and len(numbers) <= MAX_ITEMS else None
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        if kind in ("list", "set"):
            content = i.live(i.heap.get(member.oid, ("#", "items")) or Unknown("list"))
            return content.items if isinstance(content, Tuple) else None
        if kind == "dict":
            return dict_keys(i, member.oid)
        if kind == "iterator":
            return _iterator_items(i, member)
    if isinstance(member, Array) and member.shape and isinstance(member.shape[0], int) and member.shape[0] <= UNROLLED:
        return None
    return None


def dict_keys(i: Interpreter, oid: int) -> tuple[Value, ...] | None:
    """The keys of a dict in order; None if some are not known or may be missing."""
    keys: list[Value] = []
    for field, value in i.heap.fields(oid).items():
        if isinstance(field, tuple) and field[0] == "k":
            if any(isinstance(m, Unbound) for m in members(value)):
                return None
            keys.append(field[1])
    rest = i.heap.get(oid, ("#", "rest"))
    return tuple(keys) if rest is None or isinstance(rest, Unbound) else None


def elements(i: Interpreter, member: Member, place: Place, frame: Frame) -> tuple[Value | Callable[[], Value], bool]:
    """What each element of an iterable may be, and whether there surely is one. A callable makes one for each round."""
    if isinstance(member, Tuple):
        found = member.items if member.items is not None else (member.element,) if member.element is not None else ()
        return join([item for item in found if item is not None]) if found else Unknown("empty"), bool(member.items)
    if isinstance(member, RangeObject):
        return range_element(i, member, place)
    if isinstance(member, Const) and isinstance(member.value, str):
        return Kind("str", "varying"), bool(member.value)
    if isinstance(member, Kind) and member.type == "str":
        return member, False
    if isinstance(member, ShapeOf):
        return member.axis(None), False
    if isinstance(member, Symbolic):
        return (lambda: i.symbolic(place, "element", member.label, presumed=member.presumed)), False
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        if kind in ("list", "set"):
            content = i.heap.get(member.oid, ("#", "items")) or Unknown("list")
            found_elements = [elements(i, part, place, frame) for part in members(content)]
            values = [value for value, _ in found_elements if not callable(value)]
            return (join(values) if values else Unknown("list")), all(certain for _, certain in found_elements)
        if kind == "dict":
            return join(_dict_parts(i, member.oid)[0] or [Unknown("dict")]), False
        held = i.heap.get(member.oid, STORED)
        if held == Kind("str", "open"):
            return (lambda: i.symbolic(place, "item", kinds=frozenset(("str",)), source="item")), False
        if held is not None:
            return held, False
    if isinstance(member, Unknown):
        return member, False
    return i.symbolic(place, "element"), False


def _dict_parts(i: Interpreter, oid: int) -> tuple[list[Value], list[Value]]:
    """All keys and all values that a dict may hold."""
    keys: list[Value] = []
    values: list[Value] = []
    for field, value in i.heap.fields(oid).items():
        if isinstance(field, tuple) and field[0] == "k":
            keys.append(field[1])
            values.extend(m for m in members(value) if not isinstance(m, Unbound))
    rest, key = i.heap.get(oid, ("#", "rest")), i.heap.get(oid, ("#", "restkey"))
    if rest is not None and not isinstance(rest, Unbound):
        values.append(rest)
        keys.append(key or Unknown("key"))
    return keys, values


def range_element(i: Interpreter, member: RangeObject, place: Place) -> tuple[Value, bool]:
    """The numbers of a range."""
    start, stop, step = member.start, member.stop, member.step
    if not isinstance(step, Const) or not isinstance(step.value, int):
        return Kind("int", "varying"), False
    low, high = (hull(start) or (None, None))[0], (hull(stop) or (None, None))[1]
    stride = step.value
    numbers = constant_range(member)
    if numbers is not None:
        if not numbers:
            return start, False
        return Range(min(numbers[0], numbers[-1]), max(numbers[0], numbers[-1]), abs(stride)), True
    if stride > 0:
        return Range(low, None if high is None else high - 1, stride if isinstance(start, Const) else 1), False
    return Range(None, (hull(start) or (None, None))[1], 1), False


# -- iterators ---------------------------------------------------------------------------------------------------------


class Iterator:
    """The payload of an iterator object: what it does (iter, enumerate, zip, map, filter, reversed, items, values, keys), over which values."""

    __slots__ = ("parts", "type")

    def __init__(self, type: str, parts: tuple[Value, ...]) -> None:
        self.type = type
        self.parts = parts


ITEMS: Final = ("#", "items")
STORED: Final = ("stored", "element")
"""Of something of a library: what iterating over it gives."""
ITERATED: Final = ("#", "as")
"""Of a generator: the iterator over what its body yielded."""
RETURNED: Final = ("#", "returned")
"""Of a generator: what its body returned."""
CLOSING: Final = ("#", "closing")
"""Of a generator: set where it may be closed at any of its yields."""
THROWN: Final = ("#", "thrown")
"""Of a generator: what `throw` raises at one of its yields."""
EFFECTS: Final = ("#", "effects")
"""Of a generator: what running its body changed."""
SENT: Final = ("#", "sent")
"""Of a generator: what `send` gave it."""
POSITION: Final = ("#", "position")
PARTS: Final = ("#", "parts")


def new_iterator(i: Interpreter, type: str, parts: Sequence[Value], place: Place, cls: str = "") -> Ref:
    """A new iterator object, of a class of Python's."""
    oid = i.allocate("iterator", type, place, (type, cls), label=cls)
    i.heap.set(oid, PARTS, Tuple(tuple(parts)))
    i.heap.set(oid, POSITION, Const(0))
    return Ref(oid)


def _parts(i: Interpreter, ref: Ref) -> tuple[Value, ...]:
    found = i.heap.get(ref.oid, PARTS)
    rows = (
        [member.items for member in members(found) if isinstance(member, Tuple) and member.items is not None] if found is not None else []
    )
    return tuple(map(join, zip(*rows)))  # several, where a union was iterated over: one iterator stands for those of its members


def _iterator_items(i: Interpreter, ref: Ref) -> tuple[Value, ...] | None:
    """All items of an iterator from its beginning, where they are known without running anything."""
    kind, parts = i.info(ref.oid).payload, _parts(i, ref)
    if kind in ("enumerate", "zip", "reversed", "iter"):
        lists: list[tuple[Value, ...]] = []
        for part in parts[:1] if kind in ("enumerate",) else parts:
            part = i.live(part)
            if isinstance(part, Union) or isinstance(part, Ref) and i.info(part.oid).kind == "iterator" and _position(i, part) != 0:
                return None
            items = known_items(i, part)
            if items is None:
                return None
            lists.append(items)
        if kind == "enumerate":
            start = parts[1] if len(parts) > 1 else Const(0)
            if not isinstance(start, Const) or not isinstance(start.value, int):
                return None
            found: tuple[Value, ...] = tuple(Tuple((Const(start.value + n), item)) for n, item in enumerate(lists[0]))
        elif kind == "zip":
            found = tuple(Tuple(items) for items in zip(*lists))
        elif kind == "reversed":
            found = lists[0][::-1]
        else:
            found = lists[0]
        position = _position(i, ref)
        return None if position is None else found[position:]
    if kind in ("items", "values", "keys"):
        target = i.live(parts[0])
        if not isinstance(target, Ref):
            return None
        keys = dict_keys(i, target.oid)
        if keys is None:
            return None
        if kind == "keys":
            return keys
        values = [i.heap.get(target.oid, ("k", key)) or Unknown("dict") for key in keys]
        return tuple(values) if kind == "values" else tuple(Tuple((key, value)) for key, value in zip(keys, values))
    return None


def _position(i: Interpreter, ref: Ref) -> int | None:
    position = i.heap.get(ref.oid, POSITION)
    return position.value if isinstance(position, Const) and isinstance(position.value, int) else None


def _iterate_iterator(i: Interpreter, ref: Ref, consume: Consume, place: Place, frame: Frame) -> bool:
    kind, parts = i.info(ref.oid).payload, _parts(i, ref)

    def advance() -> Value:
        """The number of the round, counted in the iterator itself."""
        number = i.heap.get(ref.oid, POSITION) or Const(0)
        i.heap.set(ref.oid, POSITION, binary(i, "+", number, Const(1), place, frame))
        return number

    if kind == "enumerate":
        start = parts[1] if len(parts) > 1 else Const(0)
        iterate(i, parts[0], lambda value: consume(Tuple((binary(i, "+", advance(), start, place, frame), value))), place, frame)
        return True
    if kind == "zip" and parts:
        elements_ = [None if isinstance(part, Array) else element_of(i, part, place, frame) for part in parts]

        def row() -> Tuple:
            """One element of each: an array gives another row in each round."""
            given = zip(parts, elements_)
            return Tuple(tuple(element_of(i, part, place, frame) if element is None else element for part, element in given))

        repeat(i, place, lambda: consume(taken(i, row(), place)), certain=False)
        return True
    if kind == "map":
        others = [element_of(i, part, place, frame) for part in parts[2:]]
        iterate(
            i,
            parts[1],
            lambda value: consume(i.call(parts[0], Arguments((value, *others), places=(place,) * (1 + len(others))), place, frame)),
            place,
            frame,
        )
        return True
    if kind == "filter":
        iterate(i, parts[1], lambda value: _filtered(i, parts[0], value, consume, place, frame), place, frame)
        return True
    if kind in ("iter", "reversed"):

        def counted(value: Value) -> None:
            advance()
            consume(value)

        iterate(i, parts[0], counted, place, frame)
        return True
    if kind == "calls":
        _until_sentinel(i, ref, consume, place, frame)
        return True
    if kind == "count":
        repeat(i, place, lambda: consume(_next_of_iterator(i, ref, None, place, frame)), certain=True, ends=False)
        return True
    if kind in ("items", "values", "keys"):
        element = view_element(i, kind, parts[0], place)
        repeat(i, place, lambda: consume(element), certain=False)
        return True
    return False


def _until_sentinel(i: Interpreter, ref: Ref, consume: Consume, place: Place, frame: Frame) -> None:
    """`iter(function, sentinel)`: call the function until it gives the sentinel."""
    _until_left(i, place, lambda ends: consume(_called_once(i, ref, ends, NONE, place, frame)))


def _until_left(i: Interpreter, place: Place, once: Callable[[Target], object]) -> None:
    """Repeat a round until it leaves the loop by handing its state to the target that it is given."""
    ends = Target(i.heap.mark())
    base = i.path
    i.targets.append(ends)
    try:
        repeat(i, place, lambda: once(ends), certain=True, ends=False)
    except Halt:
        pass
    finally:
        i.targets.remove(ends)
    i.heap.undo(ends.mark)
    i.path = base
    i.arrive(ends)


def _called_once(i: Interpreter, ref: Ref, ends: Target, default: Value, place: Place, frame: Frame) -> Value:
    """One element of `iter(function, sentinel)`; a state in which the function gave the sentinel arrives at `ends`."""
    function, sentinel = _parts(i, ref)
    value = i.call(function, Arguments(), place, frame)

    def stop() -> Value:
        i.leave(ends, default)
        return NONE

    return i.choose(
        i.truth(binary(i, "==", value, sentinel, place, frame), place, frame), place, stop, lambda: _other_than(value, sentinel)
    )


def _other_than(value: Value, other: Value) -> Value:
    """The members of a value that are not a constant."""
    kept = filtered(value, lambda member: None if isinstance(other, Const) and member == other else member)
    return kept if kept is not None else value


def view_element(i: Interpreter, kind: str, target: Value, place: Place) -> Value:
    """What each element of `.items()`, `.values()`, `.keys()` of a dict may be."""
    keys: list[Value] = []
    values: list[Value] = []
    for member in members(target):
        if isinstance(member, Ref):
            found = _dict_parts(i, member.oid)
            keys.extend(found[0])
            values.extend(found[1])
        else:
            keys.append(i.symbolic(place, "key"))
            values.append(i.symbolic(place, "value"))
    key, value = (join(parts) if parts else Unknown("empty dict") for parts in (keys, values))
    return key if kind == "keys" else value if kind == "values" else Tuple((key, value))


def _filtered(i: Interpreter, function: Value, value: Value, consume: Consume, place: Place, frame: Frame) -> None:
    kept = value if function == NONE else i.call(function, Arguments((value,), places=(place,)), place, frame)

    def take() -> Value:
        consume(value)
        return NONE

    i.choose(i.truth(kept, place, frame), place, take, lambda: NONE)


def element_of(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """What any one element of an iterable may be, without running a loop."""
    found: list[Value] = []
    for member in members(value):
        items = known_items(i, member)
        if items:
            found.append(join(items))
        elif isinstance(member, Ref) and i.info(member.oid).kind == "iterator":
            found.append(_iterator_element(i, member, place, frame))
        elif isinstance(member, Ref) and i.info(member.oid).kind == "generator":
            found.append(element_of(i, _as_iterator(i, member, place, frame), place, frame))
        elif isinstance(member, Array):
            found.append(i.operations.array(i, "mlx.core.array.__iter__", (member,), place, frame))
        else:
            element, _ = elements(i, member, place, frame)
            found.append(element() if callable(element) else element)
    return join(found) if found else Unknown("element")


def _iterator_element(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Value:
    kind, parts = i.info(ref.oid).payload, _parts(i, ref)
    if kind == "enumerate":
        return Tuple((Range(0, None), element_of(i, parts[0], place, frame)))
    if kind == "zip":
        return Tuple(tuple(element_of(i, part, place, frame) for part in parts))
    if kind == "map":
        given = tuple(element_of(i, part, place, frame) for part in parts[1:])
        return i.call(parts[0], Arguments(given, places=(place,) * len(given)), place, frame)
    if kind in ("items", "values", "keys"):
        return view_element(i, kind, parts[0], place)
    if kind == "calls":
        return i.call(parts[0], Arguments(), place, frame)
    if kind == "count":
        return binary(i, "+", parts[0], binary(i, "*", Range(0, None), parts[1], place, frame), place, frame)
    return element_of(i, parts[-1], place, frame)


def next_item(i: Interpreter, value: Value, default: Value | None, place: Place, frame: Frame) -> Value:
    """`next(value, default)`."""

    def of_member(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind in ("generator", "iterator"):
            i.operations.written(i, member.oid, POSITION, NONE, place, frame)
        if isinstance(member, Ref) and i.info(member.oid).kind == "generator":
            member = _as_iterator(i, member, place, frame)
        if isinstance(member, Ref) and i.info(member.oid).kind == "iterator":
            return _next_of_iterator(i, member, default, place, frame)
        if isinstance(member, Ref) and special(i, member, "__next__", place, frame) is not None:
            return _next_of_instance(i, member, default, place, frame)
        i.may_raise()
        if isinstance(member, Unknown):
            return member
        return i.symbolic(place, "next")

    return i.split(value, of_member)


def _next_of_instance(i: Interpreter, ref: Ref, default: Value | None, place: Place, frame: Frame) -> Value:
    if default is None:
        method = special(i, ref, "__next__", place, frame)
        return i.call(method or Unknown("next"), Arguments(), place, frame)
    ends = Target(i.heap.mark())
    base = i.path
    i.targets.append(ends)
    try:
        value = call_next(i, ref, ends, default, place, frame)
        ends.arrived.append((i.heap.changes(ends.mark), value, i.path))
    except Halt:
        pass
    finally:
        i.targets.remove(ends)
    i.heap.undo(ends.mark)
    i.path = base
    return i.arrive(ends)


def _exhausted(i: Interpreter, default: Value | None, place: Place) -> Value:
    if default is not None:
        return default
    throw_named(i, "builtins.StopIteration", place)


def _next_of_iterator(i: Interpreter, ref: Ref, default: Value | None, place: Place, frame: Frame) -> Value:
    kind, parts = i.info(ref.oid).payload, _parts(i, ref)
    if kind == "calls":
        return _next_call(i, ref, default, place, frame)
    number = i.heap.get(ref.oid, POSITION) or Const(0)
    if kind == "count":
        i.heap.set(ref.oid, POSITION, binary(i, "+", number, Const(1), place, frame))
        return binary(i, "+", parts[0], binary(i, "*", number, parts[1], place, frame), place, frame)
    position = _position(i, ref)
    i.heap.set(ref.oid, POSITION, Const(0))
    items = _iterator_items(i, ref)
    i.heap.set(ref.oid, POSITION, number)
    i.heap.set(ref.oid, POSITION, binary(i, "+", number, Const(1), place, frame))
    if items is not None and position is not None:
        if position < len(items):
            return items[position]
        return _exhausted(i, default, place)
    element = join(items) if items else _iterator_element(i, ref, place, frame)
    if items is not None and isinstance(number, Range) and number.low is not None and number.low < len(items):
        element = join(items[number.low :])
    return i.fork(
        [
            ((Condition("varying", place, None),), lambda: element),
            ((Condition("varying", place, None),), lambda: _exhausted(i, default, place)),
        ]
    )


def _next_call(i: Interpreter, ref: Ref, default: Value | None, place: Place, frame: Frame) -> Value:
    ends = Target(i.heap.mark())
    base = i.path
    i.targets.append(ends)
    after = Target(ends.mark)
    try:
        value = _called_once(i, ref, ends, NONE, place, frame)
        after.arrived.append((i.heap.changes(ends.mark), value, i.path))
    except Halt:
        pass
    finally:
        i.targets.remove(ends)
    i.heap.undo(ends.mark)
    i.path = base
    alternatives: list[tuple[Path, Callable[[], Value]]] = []
    if after.arrived:
        alternatives.append(((), lambda: i.arrive(after)))
    if ends.arrived:
        alternatives.append(((), lambda: (i.arrive(ends), _exhausted(i, default, place))[1]))
    return i.fork(alternatives)


# -- generators --------------------------------------------------------------------------------------------------------


def _iterate_generator(i: Interpreter, ref: Ref, consume: Consume, place: Place, frame: Frame) -> bool:
    done = i.heap.get(ref.oid, ITERATED)
    if done is not None:
        iterate(i, done, consume, place, frame)
        return True
    i.heap.set(ref.oid, ITERATED, new_iterator(i, "iter", (Tuple(()),), place))
    run = i.info(ref.oid).payload
    run(i, ref, consume, place, frame)  # type: ignore[operator]
    return True


def collected(i: Interpreter, value: Value, place: Place, frame: Frame) -> Tuple:
    """All elements of an iterable, in order, as a tuple."""
    if isinstance(value, Union):
        found = [collected(i, member, place, frame) for member in members(value)]
        first = found[0]
        if all(part == first for part in found):
            return first
        parts = [p for t in found for p in (t.items if t.items is not None else (t.element,)) if p is not None]
        same = {len(t.items) if t.items is not None else None for t in found}
        if len(same) == 1 and None not in same:
            return Tuple(tuple(join(column) for column in zip(*(t.items or () for t in found))))
        return Tuple(None, join(parts)) if parts else Tuple(())
    items = known_items(i, value)
    if items is not None:
        if isinstance(value, Ref) and i.info(value.oid).kind == "iterator":
            i.heap.set(value.oid, POSITION, Const(len(items)))
        return Tuple(items)
    if isinstance(value, Array) and i.trace is None:
        return Tuple(None, _any_of(i, lambda: i.operations.array(i, "mlx.core.array.__iter__", (value,), place, frame), place))
    if (
        isinstance(value, (Tuple, Symbolic, Unknown, ShapeOf))
        or isinstance(value, Ref)
        and i.info(value.oid).kind in ("list", "set", "dict")
    ):
        return Tuple(None, _any_element(i, value, place, frame))
    box = new_list(i, Tuple(()), place, "collected")
    iterate(i, value, lambda element: append(i, box.oid, element), place, frame)
    content = i.heap.get(box.oid, ("#", "items"))
    if isinstance(content, Tuple):
        return content
    found_members = [m for m in members(content or Tuple(())) if isinstance(m, Tuple)]
    parts = [p for t in found_members for p in (t.items if t.items is not None else (t.element,)) if p is not None]
    return Tuple(None, join(parts)) if parts else Tuple(())


def _any_element(i: Interpreter, member: Member, place: Place, frame: Frame) -> Value:
    """What each element of an iterable may be that runs nothing when it is iterated over: the elements of a first round and of the rest."""
    if isinstance(member, Ref) and i.info(member.oid).kind == "list":
        i.operations.read(i, member.oid, ITEMS, i.heap.get(member.oid, ITEMS) or Unknown("list"), place, frame)
    element, _ = elements(i, member, place, frame)
    return _any_of(i, element, place) if callable(element) else element


def _any_of(i: Interpreter, element: Callable[[], Value], place: Place) -> Value:
    """The elements of a first round, of the last one, and of those between."""
    box = new_list(i, Tuple(()), place, "elements")
    for number in ("first", "rest", "rest"):
        with i.within((place, number)):
            append(i, box.oid, element())
    content = i.heap.get(box.oid, ITEMS)
    return join(content.items or ()) if isinstance(content, Tuple) else Unknown("elements")


def append(i: Interpreter, oid: int, value: Value) -> None:
    """Put a value at the end of a list's content."""
    content = i.heap.get(oid, ("#", "items")) or Tuple(())
    i.heap.set(oid, ("#", "items"), extended(content, value))


def extended(content: Value, value: Value) -> Value:
    """A list's content with one more at its end."""
    found: list[Option] = []
    for option in content.options if isinstance(content, Union) else (Option(content),):
        member = option.member
        if isinstance(member, Tuple):
            if member.items is not None and len(member.items) < MAX_ITEMS:
                member = Tuple((*member.items, value))
            else:
                parts = member.items if member.items is not None else (member.element,)
                member = Tuple(None, join([*(p for p in parts if p is not None), value]))
        found.append(Option(member, option.guard))
    return of(found)


def _as_iterator(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Ref:
    """A generator of which single elements are asked for: its body is run at once, and the elements kept."""
    done = i.heap.get(ref.oid, ITERATED)
    if isinstance(done, Ref):
        return done
    made = new_iterator(i, "iter", (yielded(i, ref, place, frame),), place)
    i.heap.set(ref.oid, ITERATED, made)
    return made


def yielded(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Value:
    """The elements that a generator gives to one who asks for one at a time, and may stop: the state is one of those at its yields."""
    box = new_list(i, Tuple(()), place, "yielded")
    abandoned = Target(i.heap.mark())
    base = i.path
    i.targets.append(abandoned)
    content: Value | None = None

    def keep(element: Value) -> Value:
        append(i, box.oid, element)
        abandoned.arrived.append((i.heap.changes(abandoned.mark), NONE, i.path))
        return NONE

    i.heap.set(ref.oid, CLOSING, TRUE)
    try:
        iterate(i, ref, keep, place, frame)
        content = i.heap.get(box.oid, ITEMS)
        abandoned.arrived.append((i.heap.changes(abandoned.mark), NONE, i.path))
    except Halt:
        pass
    finally:
        i.targets.remove(abandoned)
    i.heap.undo(abandoned.mark)
    i.path = base
    i.arrive(abandoned)
    after = i.heap.changes(abandoned.mark)
    before = {(oid, field): UNBOUND if value is None else value for oid, field, value in reversed(i.heap.trail[abandoned.mark :])}
    i.heap.set(ref.oid, EFFECTS, Effects(before, after))
    if content is None:
        parts = [p for m in members(i.heap.get(box.oid, ITEMS) or Tuple(())) for p in _tuple_parts(m)]
        content = Tuple(None, join(parts)) if parts else Tuple(())
    return content


def _tuple_parts(member: Member) -> list[Value]:
    if not isinstance(member, Tuple):
        return []
    return list(member.items) if member.items is not None else [member.element] if member.element is not None else []


class Effects(Member):
    """What a run of a generator's body changed: each location with what it held before and holds since."""

    __slots__ = ("after", "before")

    def __init__(self, before: Delta, after: Delta) -> None:
        self.before = before
        self.after = after

    def key(self) -> tuple[object, ...]:
        return (id(self),)


def _take_back(i: Interpreter, ref: Ref) -> None:
    """Take back what the last run of a generator's body changed, where nobody else has changed it since: it is run anew."""
    effects = i.heap.get(ref.oid, EFFECTS)
    if isinstance(effects, Effects):
        same = {place: value for place, value in effects.before.items() if (i.heap.get(*place) or UNBOUND) == effects.after[place]}
        i.heap.apply(same)
    i.heap.drop(ref.oid, ITERATED)


def thrown(i: Interpreter, ref: Ref, error: Value, place: Place, frame: Frame) -> Value:
    """`generator.throw(error)`: the body is run anew, and the exception may come at any of its yields."""
    i.heap.set(ref.oid, THROWN, error)
    value = sent(i, ref, NONE, place, frame)
    i.heap.drop(ref.oid, THROWN)
    return value


def sent(i: Interpreter, ref: Ref, value: Value, place: Place, frame: Frame) -> Value:
    """`generator.send(value)`: the body is run anew with one more value that its yields may give."""
    before = i.heap.get(ref.oid, SENT)
    i.heap.set(ref.oid, SENT, value if before is None else join((before, value)))
    done = i.heap.get(ref.oid, ITERATED)
    position = i.heap.get(done.oid, POSITION) if isinstance(done, Ref) else None
    _take_back(i, ref)
    made = _as_iterator(i, ref, place, frame)
    if position is not None:
        i.heap.set(made.oid, POSITION, position)
    return _next_of_iterator(i, made, None, place, frame)


def _iterate_instance(i: Interpreter, ref: Ref, consume: Consume, place: Place, frame: Frame) -> bool:
    method = special(i, ref, "__iter__", place, frame)
    if method is None and special(i, ref, "__next__", place, frame) is not None:
        _by_next(i, ref, consume, place, frame)
        return True
    if method is not None:
        made = i.call(method, Arguments(), place, frame)
        if isinstance(made, Ref) and special(i, made, "__next__", place, frame) is not None:
            _by_next(i, made, consume, place, frame)
        else:
            iterate(i, made, consume, place, frame)
        return True
    method = special(i, ref, "__getitem__", place, frame)
    if method is not None:
        repeat(i, place, lambda: consume(i.call(method, Arguments((Range(0, None),), places=(place,)), place, frame)), certain=False)
        return True
    return False


def _by_next(i: Interpreter, ref: Ref, consume: Consume, place: Place, frame: Frame) -> None:
    """Call `__next__` until it raises StopIteration."""
    _until_left(i, place, lambda ends: consume(call_next(i, ref, ends, NONE, place, frame)))


def call_next(i: Interpreter, ref: Ref, ends: Target, default: Value, place: Place, frame: Frame) -> Value:
    """Call `__next__`; a state in which it raises StopIteration arrives at `ends`, with a value."""
    method = special(i, ref, "__next__", place, frame)
    if method is None:
        throw_named(i, "builtins.TypeError", place)
    mark, base = i.heap.mark(), i.path
    raised = Target(mark)
    i.targets.append(raised)
    i.enter_try(raised)
    value: Value | None = None
    try:
        value = i.call(method, Arguments(), place, frame)
    except Halt:
        pass
    finally:
        i.leave_try()
        i.targets.remove(raised)
        possible = raised.finish(i.heap)
    here, path = i.heap.cut(mark), i.path
    for delta, error, way in raised.arrived:
        answer = caught(i, error, External("builtins.StopIteration"))
        i.heap.apply(delta)
        i.path = way
        if answer is not False:
            ends.arrived.append((i.heap.changes(ends.mark), default, way))
        if answer is not True:
            try:
                i.throw(error)
            except Halt:
                pass
        i.heap.undo(mark)
    i.hand_on(mark, possible)
    i.path = base
    if value is None:
        raise Halt
    i.heap.apply(here)
    i.path = path
    return value


_OBJECTS: Final[dict[str, Callable[[Interpreter, Ref, Consume, Place, Frame], bool]]] = {
    "iterator": _iterate_iterator,
    "generator": _iterate_generator,
    "instance": _iterate_instance,
}


def unpack(i: Interpreter, value: Value, count: int, star: int | None, place: Place, frame: Frame) -> list[Value]:
    """The parts of `a, *b, c = value`: `count` targets, of which number `star` takes a list."""
    i.place = place

    def one(member: Member) -> Value:
        if isinstance(member, ShapeOf):
            axes: list[Value] = []
            for number in range(count):
                after = number if star is None or number < star else number - count
                axes.append(ShapeOf(member.ident, member.origin, False) if number == star else member.axis(after))
            return Tuple(tuple(axes))
        content: Value = collected(i, member, place, frame) if not isinstance(member, (Symbolic, Unknown, Array)) else NONE
        return i.split(
            content, lambda part: Tuple(tuple(_unpacked(i, member, part if isinstance(part, Tuple) else None, count, star, place, frame)))
        )

    parts = i.split(value, one)
    rows = [(option.guard, _row(option.member, count)) for option in options(parts)]
    return [
        of(Option(o.member, (*o.guard, *guard)[-MAX_GUARD:]) for guard, items in rows for o in options(items[number]))
        for number in range(count)
    ]


def _row(member: Member, count: int) -> Sequence[Value]:
    """The parts that were unpacked of one member; where several were widened, each may be any."""
    if isinstance(member, Tuple):
        return member.items if member.items is not None else (member.element or Unknown("unpacking"),) * count
    return (member,) * count


def _unpacked(
    i: Interpreter, member: Member, content: Tuple | None, count: int, star: int | None, place: Place, frame: Frame
) -> list[Value]:
    if content is not None and content.items is not None:
        items = content.items
        if star is None:
            if len(items) == count:
                return list(items)
        elif len(items) >= count - 1:
            after = count - 1 - star
            middle = items[star : len(items) - after]
            return [*items[:star], new_list(i, Tuple(middle), place, "star"), *items[len(items) - after :]]
        throw_named(i, "builtins.ValueError", place)
    if content is not None:
        i.may_raise("builtins.ValueError")
        element = content.element or Unknown("unpacking")
        return [new_list(i, Tuple(None, element), place, "star") if number == star else element for number in range(count)]
    if isinstance(member, Array):
        return [i.operations.array(i, "mlx.core.array.__iter__", (member,), place, frame) for _ in range(count)]
    i.may_raise()
    if isinstance(member, Unknown):
        return [member] * count
    return [i.derived("unpacked", (member, Const(number)), None, place) for number in range(count)]


__all__ = ["FALSE", "TRUE", "append", "collected", "element_of", "iterate", "new_iterator", "next_item", "repeat", "unpack", "unroll"]
