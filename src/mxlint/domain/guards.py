"""Guards: the outcomes of tests under which a member of a value was bound.

After `n = 1 if flag else 2` the value of `n` is a union: 1 under the literal "`flag` is true", 2 under the opposite one. A condition is an identity, that of
the value that was tested, not a name. `either` joins two guards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import product
from typing import Any, Final, Literal, TypeAlias

MAX_GUARD: Final = 8
"""Literals of one guard; the oldest goes first."""
Cause = Literal["varying", "open", "imprecise"]
"""Why a scalar has no one value: the program in sight brings several, nobody in sight gives it, or join and widening approximated it."""


class Literal_:
    """A condition and the outcome that it had: `condition` is the identity of what was tested."""

    __slots__ = ("_hash", "_members", "_opposite", "_parts", "condition", "outcome")

    def __init__(self, condition: Identity, outcome: bool) -> None:
        self.condition = condition
        self.outcome = outcome
        self._hash: int | None = None
        self._opposite: Literal_ | None = None
        self._parts: tuple[Literal_, ...] | None = None
        self._members: tuple[tuple[Guard, Guard], ...] | None = None

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Literal_) and self.outcome is other.outcome and self.condition == other.condition)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.condition, self.outcome))  # a condition nests as deep as what it tests
        return self._hash

    def __repr__(self) -> str:
        return f"{'' if self.outcome else 'not '}{self.condition}"


Identity: TypeAlias = tuple[object, ...]
"""The name of one particular unknown thing: where it came into being, or the operation that makes it from others."""
Guard: TypeAlias = tuple[Literal_, ...]
EARLIER: Final = "earlier"
"""Begins the condition that another one had an outcome in an earlier round of a loop: it contradicts none of this round."""
TOGETHER: Final = "together"
"""Begins the condition that several literals hold, each of which follows as a condition and its outcome."""
JOINED: Final = "joined"
"""Begins the condition that a value is true which is one of several: behind it stands for each member the literals under which it is that, its own
condition (empty if its outcome is known), and the outcome."""
HANDLER: Final = "handler"
"""Begins the condition that an exception comes to a handler."""
MAX_TOGETHER: Final = 4
"""Literals of such a condition; that more of them do not hold together is not kept."""


def opposite(literal: Literal_) -> Literal_:
    """The literal of the other outcome: the same one each time, as its hash is asked for again and again."""
    if literal._opposite is None:
        literal._opposite = Literal_(literal.condition, not literal.outcome)
    return literal._opposite


def parts(literal: Literal_) -> tuple[Literal_, ...]:
    """The literals of which one says that they do not all hold; none, if it says something else."""
    if literal.outcome or literal.condition[0] != TOGETHER:
        return ()
    if literal._parts is None:
        literal._parts = tuple(Literal_(*part) for part in literal.condition[1:])  # type: ignore[misc]
    return literal._parts


def possible(literal: Literal_) -> tuple[tuple[Guard, Guard], ...]:
    """Of a literal that says that a value which is one of several has an outcome: for each member that may have it the guard, and what its own test
    says then. None for any other literal."""
    if literal.condition[0] != JOINED:
        return ()
    if literal._members is None:
        members: Iterable[Any] = literal.condition[1:]
        literal._members = tuple(
            (tuple(Literal_(*part) for part in guard), (Literal_(condition, outcome is literal.outcome),) if condition else ())
            for guard, condition, outcome in members
            if condition or outcome is literal.outcome
        )
    return literal._members


def narrowed(literal: Literal_, held: Iterable[Literal_]) -> bool | None:
    """Whether a literal holds that says that a value which is one of several has an outcome, where a test of it has left less of it than there was: members
    that cannot have the outcome of that test may be gone, and a flag is `True` or `False` from there on. None if no literal that is `held` says so."""
    own: set[Any] = set(literal.condition[1:])
    for other in held:
        if other.condition[0] != JOINED or len(other.condition) < len(literal.condition):
            continue
        for same in (True, False):  # a name is that of a test or of its negation
            outcome = other.outcome is same
            members: Iterable[Any] = other.condition[1:]
            before = [(guard, condition, one is same) for guard, condition, one in members]
            left = {member if member in own else (member[0], (), outcome) for member in before if member[1] or member[2] is outcome}
            if left and left <= own <= left.union(before):
                return outcome is literal.outcome
    return None


def affirmed(literal: Literal_) -> Literal_:
    """The literal of its condition whose outcome is true: a name of the condition of which the hash is kept."""
    return literal if literal.outcome else opposite(literal)


def closed(literals: Iterable[Literal_]) -> Collection[Literal_]:
    """Literals that hold together and what follows from them: of a value that is one of several and has an outcome, what is so of every member that
    may still be that. The first that is said of a condition counts."""
    held: dict[Literal_, Literal_] = {}
    for literal in literals:
        held.setdefault(affirmed(literal), literal)
    todo = [members for literal in held.values() if (members := possible(literal))]
    changed = bool(todo)
    while changed:
        changed = False
        for members in todo:
            left = [
                (*guard, *own)
                for guard, own in members
                if all(held.get(affirmed(part), part).outcome is part.outcome for part in (*guard, *own))
            ]
            for part in left[0] if left else ():
                if affirmed(part) not in held and all(part in other for other in left[1:]):
                    held[affirmed(part)] = part
                    changed = True
        if changed:
            todo = [members for literal in held.values() if (members := possible(literal))]
    return held.values()


def either(a: Guard, b: Guard) -> Guard:
    """What holds where one of two guards does: what both say and, where they are of two sides of a test, that of what only one says this or something
    of the other holds: `a` in one branch, and in the other one a test within it, gives that the tests are not both passed. Of many such pairs one is
    kept; of guards that have no test in common none, as loops would take a round for each to settle, but of two handlers that one of them runs."""
    if a is b or not a or not b:
        return a if a is b else ()
    common = tuple([literal for literal in a if literal in b])
    more, less = ([literal for literal in guard if literal not in common] for guard in (a, b))
    found: list[Literal_] = []
    if not any(set(_without(literal)) <= set(other) for one, other in ((more, less), (less, more)) for literal in one):
        return (*common, *_one_runs(more, less))  # they are no two sides of a test
    for one, other in product(more, less):
        without = {*_without(one), *_without(other)}
        if any(opposite(literal) in without for literal in without):
            continue  # one of them holds anyway
        if (both := not_all(without)) is not None and both not in found:
            found.append(both)
            if len(more) > 1 < len(less) or len(common) + len(found) >= MAX_GUARD:
                break
    return (*common, *found)[-MAX_GUARD:]


def _one_runs(a: Sequence[Literal_], b: Sequence[Literal_]) -> Guard:
    """That the one or the other of two handlers runs."""
    if len(a) != 1 or len(b) != 1:
        return ()
    without = {*_without(a[0]), *_without(b[0])}
    if any(literal.outcome or literal.condition[0] != HANDLER for literal in without):
        return ()
    both = not_all(without)
    return () if both is None else (both,)


def _without(literal: Literal_) -> Guard:
    """What holds together where a literal does not."""
    return parts(literal) or (opposite(literal),)


def not_all(literals: Iterable[Literal_]) -> Literal_ | None:
    """That literals do not all hold; None if there are too many of them to keep that."""
    found = set(literals)
    if len(found) > MAX_TOGETHER or any(literal.condition[0] == TOGETHER for literal in found):
        return None
    named = [(literal.condition, literal.outcome) for literal in sorted(found, key=hash)]  # their order says nothing
    return Literal_((TOGETHER, *named), False)
