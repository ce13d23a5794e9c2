"""Which numbers are others in each round of a loop: the time, a draw, an item of data, and what is read out of an array that the rounds change.

A `Symbolic` is named after the place where it came into being. In another round that is another thing, but it need not be another number: the content of an array
that no round changes is the same whenever it is read. So a number is followed back to where it comes from: a source that gives something else each time, a counter
of the loop, or an array that is computed from what an earlier round made of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Final, TypeAlias

from mxlint.domain.arrays import Array, Operands
from mxlint.domain.guards import Identity
from mxlint.domain.members import (
    Const,
    Length,
    Loops,
    Member,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Value,
    members,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.size import symbols
from mxlint.domain.varying import Chance, Doubled, Falling, Past, Rising, how_many, loops_of, stays, takes_many, united
from mxlint.facts.rows import AGAIN, FEW, SELDOM
from mxlint.interpreter.containers.elements import Elements
from mxlint.interpreter.loops.contents import CONTENT, REWRITTEN, is_rewritten
from mxlint.interpreter.loops.draws import DRAWN, UNTOLD, spread
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.loops.running import NO_LOOPS, is_first, one_by_one, rounds_around
from mxlint.interpreter.loops.stretching import Lengthening, measured
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context, is_round, within
from mxlint.interpreter.machine.locations import ITEMS, OPERANDS

ANEW: Final = frozenset(("clock", "random", "counter", "carried", "identity", "item"))
"""Sources that give another value each time; what is carried is what a round makes of its own earlier value."""
OF_LOOPS: Final = frozenset(("counter", "carried", "item"))
"""Those of them of which each round of a loop brings another."""
Node: TypeAlias = int | Identity
"""An array, or a content that one was given in place."""


def one_end(i: Interpreter, index: Slice) -> Loops:
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


class Steps:
    """By how much the numbers that loops carry go on at most in a round, by their identities; None: by more than a constant, in some round."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[Identity, int | None] = {}


class Novelty:
    """What is new in each of some rounds of loops that run."""

    def __init__(
        self, i: Interpreter, running: Sequence[Context], *, perhaps: bool = False, beside: Collection[int] = (), whole: bool = False
    ) -> None:
        """`perhaps`: what is read out of an item of something that nobody in sight gives counts as well. It may be another number each time. `beside`: arrays
        whose lengths do not count, as they are asked about themselves. `whole`: what differs between the rounds of loops within each of the rounds does not
        count, as it is asked about a container that all of these fill."""
        self._i = i
        self._whole = whole
        self._perhaps = perhaps
        self._beside = beside
        self._rounds = running
        self._seen: set[Identity] = set()
        self._short: frozenset[int] | None = None

    def as_a_whole(self) -> Novelty:
        """The same, asked about what each of the rounds puts into one container."""
        return Novelty(self._i, self._rounds, perhaps=self._perhaps, beside=self._beside, whole=True)

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
        return isinstance(loop, Context) and (loop is around if self._whole else within(loop, around))

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
            self._short = frozenset(ident for thing, bounds in said.items() if bounds.high <= AGAIN for ident in measured(thing))
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

    def _fills_one(self, identity: Identity) -> bool:
        """Whether something comes of a round of a loop within the rounds: of what fills a container in each of them, that says nothing of the container."""
        context = next((part for part in identity if isinstance(part, Context)), None)
        while context is not None and not is_round(context.step):
            context = context.parent
        return self._whole and context not in self._rounds

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
        return self._i.sources.get(identity) in DRAWN and bool(around) and all(is_first(one.step) for one in around)

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
        source = self._i.sources.get(identity)
        if source in ANEW and self._in_round(identity) and not (source in OF_LOOPS and self._fills_one(identity)):
            return not _is_of_few(self._i, identity, origins) and not self._fills(identity)
        if origins and self._in_round(identity) and any(self._member(part) for part in origins):
            return True
        if identity[0] == "element" and self._in_round(identity):
            if not self._fills_one(identity):
                if self._perhaps:
                    return True
            elif (iterable := self._i.ledger.of(Elements).iterables.get(identity)) is not None and self._symbol(iterable):
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
            return self.over(one_end(self._i, part))  # of what is not in sight it is a part of another length each time
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
            todo.extend((m.identity, under) for m in contents if is_rewritten(m))
            todo.extend((ident, under) for m in contents if not is_rewritten(m) for ident in self._read_from(m))
            if not here:
                if self._taken_in_turn(node):
                    return True
                continue
            if any(isinstance(m, Symbolic) and not is_rewritten(m) and self._symbol(m.identity) for m in contents):
                return True
            if arrays is None:
                return True  # they differ from round to round
            todo.extend((other, under) for other in arrays)
        return any(len(numbers) >= MANY for numbers in met.values())

    def _taken_in_turn(self, node: Node) -> bool:
        """Whether each of the rounds takes another array of those that rounds of a loop made, which is over: in each of them the content was another one."""
        loops = self._i.ledger.of(Ends).arrays.get(node) if isinstance(node, int) else None
        if not loops or not any(around.loop in loops for around in self._rounds):
            return False
        made = _made_in(self._i, node)
        over_by_now = [step for step in made.around if is_round(step.step)] if isinstance(made, Context) else []
        return Novelty(self._i, [step for step in over_by_now if step not in self._rounds]).array(node)

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
            outer, running = around.parent, one_by_one(around.step)
            if outer is None or running is None or not within(context, outer):
                continue
            step = context
            while step.depth > outer.depth + 1 and step.parent is not None:
                step = step.parent
            earlier = one_by_one(step.step)
            if earlier is not None and earlier[0] == running[0] and earlier[1]:
                met.setdefault((outer, earlier[0]), set()).add(earlier[1])
                found = True
        return found


def _made_in(i: Interpreter, node: Node) -> object:
    """The context in which an array was made, or was given its content in place."""
    return i.info(node).payload if isinstance(node, int) else next((part for part in node if isinstance(part, Context)), None)


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
