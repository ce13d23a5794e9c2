"""Arrays that rounds of a loop make longer, as `cache = mx.concatenate([cache, row])` does: the shape differs in each round, whatever it was at first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import NONE, Const, Loops, Ref, Symbolic, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.domain.size import Size
from mxlint.interpreter.loops import looked
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.loops.running import rounds_around
from mxlint.interpreter.loops.stretching import Lengthening, measured
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context, is_round, within
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.models.mlx.traits import has_trait

LONGER = "longer than "
"""What `Array.grows` begins with for what a trace makes of an array among its arguments and more; the numbers of what that may be, among them, follow."""
MAX_FOLLOWED: Final = 32
"""Arrays, each as long as others, that are followed back."""


class Lengthened:
    """Arrays that are longer than others."""

    __slots__ = ("as_long", "at", "given", "joined")

    def __init__(self) -> None:
        self.at: dict[int, Place] = {}
        """Arrays that an operation joined with more, and where."""
        self.joined: dict[int, tuple[tuple[Value, ...], Value]] = {}
        """Of arrays that are longer than each of several, those and the axis along which they are joined."""
        self.as_long: dict[int, dict[int, int | None]] = {}
        """Arrays that have the lengths of others, but for that along an axis."""
        self.given: list[object] = []
        """What calls of compiled objects were given: arrays, by number, also those of which they were given a length, and symbolic values, by identity."""


def given(i: Interpreter, values: Iterable[Value], arrays: Collection[int]) -> None:
    """A compiled object is called. `arrays`: those among the arguments."""
    measures = (
        (member, measured(member.identity if isinstance(member, Symbolic) else member)) for value in values for member in members(value)
    )
    named = (name for member, found in measures for name in (*found, *((member.identity,) if isinstance(member, Symbolic) else ())))
    i.ledger.of(Lengthened).given += (*arrays, *named)


def goes_on(i: Interpreter, before: Value | None, now: Value | None, given: Collection[object]) -> bool:
    """Whether a call may go on from what an earlier one left: an array that it joined of several, or what it put where nothing was. `given`: what compiled
    objects were given in it."""
    joined = i.ledger.of(Lengthened).at
    names = [m.ident if isinstance(m, Array) else m.identity for m in members(now or NONE) if isinstance(m, (Array, Symbolic))]
    return any(name in given and (before == NONE or name in joined) for name in names)


def of_itself(i: Interpreter, name: str, ident: int, operands: Sequence[Value], axis: Value, place: Place) -> bool:
    """Whether an operation joins what it made itself in an earlier round with more, or what has all of its lengths along `axis`: `ident` is what it
    makes. Nothing else that the loop makes may take its place, as what is cut back to a window does."""
    if not has_trait(name, "joins") or i.trace is not None:
        return False
    joined = tuple(_items(i, operands))
    found = any(_goes_on(i, item, {ident, i.heap.older(ident)}, axis, place) for item in joined)
    i.ledger.of(Lengthened).at[ident] = place
    if (around := rounds_around(i)) and looked.asks(i, i.path[len(i.ledger.of(Ends).paths.get(around[0], ())) :], _arrays(joined)):
        i.ledger.of(Lengthening).bounded |= {ident, i.heap.older(ident)}
    if around:
        i.ledger.of(Lengthened).joined[ident] = i.ledger.of(Lengthened).joined[i.heap.older(ident)] = joined, axis
    return found


def _arrays(values: Iterable[Value]) -> list[int]:
    return [member.ident for value in values for member in members(value) if isinstance(member, Array)]


def begins_alike(i: Interpreter, ident: int) -> bool:
    """Whether a loop that makes an array longer in each round begins with one of a shape that is known: when it is come to again, the same shapes come
    again."""
    own = (ident, i.heap.older(ident))
    begins = [
        member for item in _joined(i, ident) if any(array.ident in own for array in item) for member in item if member.ident not in own
    ]
    return bool(begins) and all(_is_known(member.shape) or _begins_known(i, member.ident) for member in begins)


def _begins_known(i: Interpreter, ident: int) -> bool:
    """Whether an array is joined of one of a known shape and more, as the first round of a loop does."""
    return any(item and all(_is_known(member.shape) for member in item) for item in _joined(i, ident))


def _joined(i: Interpreter, ident: int) -> list[list[Array]]:
    """What an array is joined of: of each part all that it may be."""
    joined, _ = i.ledger.of(Lengthened).joined.get(ident, ((), None))
    return [[member for member in members(item) if isinstance(member, Array)] for item in joined]


def _is_known(shape: Sequence[object] | None) -> bool:
    return shape is not None and all(isinstance(size, int) or isinstance(size, Size) and size.number is not None for size in shape)


def lengthened(i: Interpreter, name: str, operands: Sequence[Value]) -> str:
    """What an operation in a trace joins with more, if that is an argument: what the caller takes back and gives again is longer each time."""
    if has_trait(name, "joins") and i.trace is not None:
        given: list[int] = list(i.trace.given.arrays)
        for item in _items(i, operands):
            originals = [i.heap.get(member.ident, ("#", "original")) if isinstance(member, Array) else None for member in members(item)]
            numbers = [given.index(o.value) for o in originals if isinstance(o, Const) and o.value in given]
            if numbers and len(numbers) == len(originals):
                return LONGER + ",".join(map(str, numbers))
    return ""


def given_back(i: Interpreter, array: Array, ident: int, given: Sequence[int]) -> tuple[str, Loops]:
    """Why the shape of what a compiled call gives differs from round to round, and of which loops. An argument joined with more does, if in an earlier round it was made
    here. `ident` is what the call makes of an array of the trace, `given` what the trace was given."""
    if not array.grows.startswith(LONGER):
        return array.grows, array.loops
    numbers = map(int, array.grows.removeprefix(LONGER).split(","))
    own = any(number < len(given) and given[number] in (ident, i.heap.older(ident)) for number in numbers)
    running = rounds_around(i)
    return ("rounds", frozenset((running[0].loop,))) if own and running else ("", None)


def _items(i: Interpreter, operands: Sequence[Value]) -> Iterator[Value]:
    """The arrays that are joined, each with all that it may be."""
    for member in members(operands[0]) if operands else ():
        content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) else member
        if isinstance(content, Tuple) and content.items is not None and len(content.items) > 1:
            yield from content.items


def as_long(i: Interpreter, ident: int, source: int, *, but: int | None = None) -> None:
    """Keep that an array has the lengths of another one, `but` that along an axis; one that is made of several may have those of each."""
    if i.trace is None and rounds_around(i):
        for number in (ident, i.heap.older(ident)):
            i.ledger.of(Lengthened).as_long.setdefault(number, {})[source] = but


def _sources(i: Interpreter, ident: int, axis: Value, own: Collection[int]) -> set[int]:
    """The arrays of which another one has the length along an axis: some of `own`, or the farthest."""
    found: set[int] = set()
    done: set[int] = set()
    todo = [ident]
    while todo and len(done) < MAX_FOLLOWED:
        number = todo.pop()
        if number in done:
            continue
        done.add(number)
        known = i.ledger.of(Lengthened).as_long.get(number, {}) if number not in own else {}
        kept = all(but is None or isinstance(axis, Const) and isinstance(axis.value, int) and axis.value > but for but in known.values())
        if known and kept:
            todo += known
        else:
            found.add(number)
    return found | set(todo)


def _goes_on(i: Interpreter, item: Value, own: Collection[int], axis: Value, place: Place) -> bool:
    """Whether an array is one of `own`, whatever it may be, or is joined from one and more."""
    loop = next(iter(rounds_around(i)), None)
    if loop is None or loop.parent is None:
        return False
    found, done = False, set[int]()
    todo = {source for member in members(item) if isinstance(member, Array) for source in _sources(i, member.ident, axis, own)}
    while todo:
        number = todo.pop()
        done.add(number)
        if number in own:
            found = True
        elif i.ledger.of(Lengthened).at.get(number) != place and _made_in(i, number, loop.parent) and not _begins(i, number, loop):
            joined, along = i.ledger.of(Lengthened).joined.get(number, ((), None))
            before = _joined_from(i, joined, axis, own) if along == axis and len(done) < MAX_FOLLOWED else set()
            if not before:
                return False
            todo |= before - done
    return found


def _joined_from(i: Interpreter, joined: Sequence[Value], axis: Value, own: Collection[int]) -> set[int]:
    """Of what was joined, the arrays of the first part that comes from what is joined itself, or from one of `own`."""
    for item in joined:
        arrays = {source for member in members(item) if isinstance(member, Array) for source in _sources(i, member.ident, axis, own)}
        if any(number in own or number in i.ledger.of(Lengthened).joined for number in arrays):
            return arrays
    return set()


def _begins(i: Interpreter, ident: int, loop: Context) -> bool:
    """Whether the first round alone has made an array: what it begins with takes the place of nothing in later ones. A loop over objects in sight, as the
    layers of a model, is as long each time that it is come to, and begins anew there."""
    if loop.parent is None or not is_round(loop.step) or loop.step[1] == "first":
        return False
    place = loop.step[0]
    if any(place in places for places in i.ledger.of(Ends).turns.values()):
        return False
    return _made_in(i, ident, loop.parent.inner((place, "first")))


def _made_in(i: Interpreter, ident: int, context: Context) -> bool:
    made = i.info(ident).payload
    return isinstance(made, Context) and within(made, context)
