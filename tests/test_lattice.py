"""The lattice of values: joins are upper bounds, and no chain of widenings is infinite."""

from __future__ import annotations

from functools import reduce
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mxlint.domain import size
from mxlint.domain.arrays import Array
from mxlint.domain.exclusion import together
from mxlint.domain.guards import JOINED, Guard, Literal_, closed, either, narrowed, opposite, parts
from mxlint.domain.join import join
from mxlint.domain.members import NONE, Const, Kind, Length, Measure, Range, Ref, Symbolic, Tuple, Unknown, Value, members, scalar_type
from mxlint.domain.size import Size, symbol
from mxlint.domain.varying import even, loops_of
from mxlint.domain.widening import widen

pytestmark = pytest.mark.static

ROUNDS = 24
"""Rounds of a loop after which what is not stable is given up (twice `loops.MAX_ROUNDS`)."""

CONSTANTS = st.one_of(
    st.integers(-3, 40),
    st.floats(-2, 2, allow_nan=False).map(lambda number: round(number, 2)),
    st.sampled_from(["a", "b", "c", "d", "e", "f"]),
    st.booleans(),
).map(Const)
AXES = st.sampled_from([(0, 0), (0, 1), (1, 0)])
SIZES = st.one_of(
    st.builds(size.number, st.integers(0, 40), st.frozensets(AXES, max_size=2)),
    st.builds(symbol, st.sampled_from(["n", "m"])),
    st.builds(
        size.add, st.builds(symbol, st.sampled_from(["n", "m"])), st.builds(size.number, st.integers(1, 9), st.frozensets(AXES, max_size=1))
    ),
)
LOOPS = st.none() | st.frozensets(st.sampled_from(["outer", "inner"]))
SCALARS = st.one_of(
    CONSTANTS,
    st.builds(Range, st.integers(0, 3), st.integers(4, 9), st.just(1), LOOPS),
    st.builds(Length, SIZES),
    st.builds(Measure, st.sampled_from(["int", "float"]), st.frozensets(AXES, min_size=1, max_size=2)),
    st.builds(Kind, st.sampled_from(["int", "float", "str", "bool"]), st.sampled_from(["varying", "open", "imprecise"])),
    st.builds(Kind, st.sampled_from(["int", "float", "str"]), st.just("varying"), LOOPS),
    st.sampled_from([Symbolic(("a",), frozenset(("float",))), Symbolic(("b",), frozenset(("int",))), Symbolic(("c",))]),
    st.sampled_from([NONE, Ref(1), Ref(2), Unknown("why")]),
)
MEMBERS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: Tuple(tuple(items))),
        st.tuples(inner, st.none() | st.integers(0, 3), LOOPS).map(lambda made: Tuple(None, made[0], least=made[1], loops=made[2])),
    ),
    max_leaves=6,
)
FEW = st.lists(MEMBERS, min_size=1, max_size=4).map(join)
VALUES = st.lists(MEMBERS, min_size=1, max_size=9).map(join)


ARRAYS = st.builds(
    Array,
    st.integers(1, 3),
    st.sampled_from([None, -1, 1]),
    st.none() | st.lists(SIZES | st.integers(1, 3).map(size.number), max_size=2).map(tuple),
    st.sampled_from([None, "float32", "int32"]),
    st.none(),
    st.frozensets(st.integers(0, 1), max_size=1),
    st.sampled_from(["", "rounds", "differs"]),
    st.booleans(),
    LOOPS,
)


@pytest.mark.slow
@given(FEW, FEW)
def test_the_join_of_few_has_the_members_of_both(a: Value, b: Value) -> None:
    both = join((a, b))
    assert join((both, a)) == both
    assert join((both, b)) == both
    assert len(list(members(both))) <= 8


@given(ARRAYS, ARRAYS)
def test_arrays_are_equal_if_all_that_is_known_of_them_is(a: Array, b: Array) -> None:
    assert (a == b) is (a.key() == b.key())
    fields = ("ident", "trace", "shape", "dtype", "origin", "grows", "several", "loops")
    for name in fields:
        assert (a.but(**{name: getattr(b, name)}) == a) is (getattr(a, name) == getattr(b, name))


@given(st.lists(MEMBERS | ARRAYS, min_size=1, max_size=3))
def test_a_join_is_the_same_twice_and_hangs_on_no_order(values: list[Value]) -> None:
    both = join(values)
    assert join((both, both)) == both == join((both,))
    assert join([*values, *values]) == both
    assert set(members(join(reversed(values)))) == set(members(both))


TYPES = ("int", "float", "str", "bool")
OF_TYPES = st.one_of(
    CONSTANTS,
    st.builds(Kind, st.sampled_from(TYPES), st.just("varying"), LOOPS.map(lambda loops: loops and frozenset(("outer",)))),
    st.builds(Range, st.just(0), st.none(), st.just(1), st.sampled_from([None, frozenset(("outer",))])),
)


@given(st.lists(OF_TYPES, min_size=1, max_size=3).map(join), st.lists(OF_TYPES, min_size=1, max_size=3).map(join))
def test_what_a_round_leaves_as_it_was_varies_over_no_loop(old: Value, new: Value) -> None:
    """Of a type of which a round adds nothing."""
    after = widen(old, join((old, new)), "inner")
    for name in TYPES:
        before, added = ([member for member in members(value) if scalar_type(member) == name] for value in (old, new))
        if len(before) == 1 and set(added) <= set(before):
            assert not any("inner" in (loops_of(member) or ()) for member in members(after) if scalar_type(member) == name)


def covers(value: Value, constant: Const) -> bool:
    """Whether a value may be a constant."""
    for member in members(value):
        if isinstance(member, Range) and type(constant.value) is int:
            low = member.low is None or member.low <= constant.value
            if (
                low
                and (member.high is None or constant.value <= member.high)
                and (member.low is None or (constant.value - member.low) % member.stride == 0)
            ):
                return True
        elif (
            member == constant
            or isinstance(member, Unknown)
            or isinstance(member, Kind)
            and member.type in (scalar_type(constant), "number")
        ):
            return True
    return False


@given(st.lists(CONSTANTS, min_size=1, max_size=6), st.lists(OF_TYPES, min_size=1, max_size=6), st.sampled_from([None, "inner"]))
def test_what_is_joined_or_widened_may_be_each_constant(constants: list[Const], others: list[Value], loop: str | None) -> None:
    old, new = join(constants), join(others)
    both = join((old, new))
    for constant in constants:
        assert all(covers(value, constant) for value in (old, both, widen(old, new, loop), widen(new, old, loop)))


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(VALUES, st.lists(VALUES, min_size=1, max_size=3), st.booleans(), st.sampled_from([None, "inner"]))
def test_no_chain_of_widenings_is_infinite(head: Value, values: list[Value], added: bool, loop: str | None) -> None:
    """A loop gives these values in turn, for ever, alone or `added` to what was before the round: what it may give is stable soon."""
    unchanged = 0
    for number in range(ROUNDS * len(values)):
        value = values[number % len(values)]
        before = head
        head = widen(head, join((head, value)) if added else value, loop)
        unchanged = unchanged + 1 if head == before else 0
        if unchanged == len(values):
            return
    pytest.fail(f"not stable: {head!r}")


@pytest.mark.parametrize("depth", range(1, 12))
def test_tuples_that_nest_too_deep_settle(depth: int) -> None:
    """What each round builds anew is not kept beside what an earlier one was cut to."""

    def built(loops: frozenset[str]) -> Value:
        made: Value = Symbolic(("a",))
        for _ in range(depth):
            made = Tuple((Const("made"), made))
        return Tuple((made, Kind("int", "varying", loops)))

    head = built(frozenset(("outer", "inner")))
    for _ in range(2):
        for loops in (frozenset(("outer",)), frozenset(("inner",)), frozenset(("outer", "inner"))):
            head = widen(head, built(loops), "inner")
    before = head
    for loops in (frozenset(("outer",)), frozenset(("inner",))):
        head = widen(head, built(loops), "inner")
    assert head == before


def test_what_a_round_changes_varies_over_its_loop() -> None:
    outer = frozenset(("outer",))
    assert widen(Const(0), Const(1), "inner") == Range(0, None, 1, frozenset(("inner",)))
    assert widen(Range(0, None, 1, outer), Range(1, None, 1, outer), "inner") == Range(0, None, 1, outer | {"inner"})
    assert widen(Range(0, None, 1, outer), Range(0, None, 1, outer), "inner") == Range(0, None, 1, outer)
    assert widen(Kind("float", "varying", outer), Const(0.5), "inner") == Kind("float", "varying", outer | {"inner"})
    assert widen(Range(0, None), Range(1, None), "inner") == Range(0, None)


def plus(value: Value, length: Size) -> Value:
    """The lengths among the members of a value, each with another added to it."""
    sums = [size.add(member.size, length) for member in members(value) if isinstance(member, Length)]
    return join([value, *(Length(one) for one in sums if one is not None)])


@pytest.mark.slow
@given(VALUES, SIZES, st.lists(SIZES, min_size=1, max_size=2))
def test_lengths_that_each_round_adds_to_become_any_number(others: Value, first: Size, added: list[Size]) -> None:
    head = join((others, Length(first)))
    unchanged = 0
    for number in range(ROUNDS * len(added)):
        before = head
        head = widen(head, plus(head, added[number % len(added)]))
        unchanged = unchanged + 1 if head == before else 0
        if unchanged == len(added):
            return
    pytest.fail(f"not stable: {head!r}")


def test_a_tuple_that_not_each_round_makes_longer_is_longer_in_no_round() -> None:
    def long(least: int) -> Tuple:
        return Tuple(None, Const(1), least=least)

    head = widen(Tuple(()), Tuple((Const(1),)), "inner")
    longer = widen(head, long(1), "inner")
    again = widen(longer, long(0), "inner")
    assert [even(tuple_.loops) for tuple_ in (longer, again, widen(again, long(1), "inner"))] == [{"inner"}, set(), set()]


TESTS = ("a", "b", "c", "d")
GUARDS = st.dictionaries(st.sampled_from(TESTS), st.booleans(), max_size=3).map(
    lambda tests: tuple(Literal_((name,), outcome) for name, outcome in tests.items())
)


def holds(literal: Literal_, world: dict[str, bool]) -> bool:
    """Whether a literal holds where the tests have these outcomes."""
    if inner := parts(literal):
        return not all(holds(part, world) for part in inner)
    return world[str(literal.condition[0])] is literal.outcome


@given(st.lists(GUARDS, min_size=2, max_size=4))
def test_what_one_of_several_guards_says_holds_where_one_of_them_does(guards: list[Guard]) -> None:
    said = reduce(either, guards)
    for outcomes in product((True, False), repeat=len(TESTS)):
        world = dict(zip(TESTS, outcomes))
        if any(all(holds(literal, world) for literal in guard) for guard in guards):
            assert all(holds(literal, world) for literal in said)


@given(st.lists(GUARDS, min_size=1, max_size=3), GUARDS)
def test_what_does_not_hold_together_holds_nowhere_and_what_is_said_excludes_its_opposite(guards: list[Guard], more: Guard) -> None:
    said = reduce(either, guards)
    assert not any(together((*said, opposite(literal))) for literal in said)
    if not together((*said, *more)):
        for outcomes in product((True, False), repeat=len(TESTS)):
            world = dict(zip(TESTS, outcomes))
            assert not all(holds(literal, world) for literal in (*said, *more))


def test_a_member_of_one_branch_and_of_the_other_side_of_a_test_within_it_says_so() -> None:
    inner = (Literal_(("a",), True), Literal_(("b",), False))
    deeper = (Literal_(("c",), True), *either(inner, (Literal_(("a",), False),)))
    said = either(deeper, (Literal_(("c",), False),))
    excluded = [
        world
        for outcomes in product((True, False), repeat=3)
        if not all(holds(literal, world := dict(zip(TESTS, outcomes))) for literal in said)
    ]
    assert excluded == [{"a": True, "b": True, "c": True}]


def test_a_member_of_both_sides_of_a_test_hangs_on_what_is_tested_in_them() -> None:
    a, b, c, d = (Literal_((name,), True) for name in "abcd")
    worlds = [dict(zip("abcd", outcomes)) for outcomes in product((True, False), repeat=4)]
    no_a, no_b = opposite(a), opposite(b)
    for one, other in (((a,), (no_a, b)), ((a,), (no_a, b, c)), ((a, b), (no_a, c)), (either((a,), (no_a, b)), (no_a, no_b, d))):
        said = either(one, other)
        assert not all(holds(literal, world) for literal in said for world in worlds)
    assert either((a,), (opposite(a),)) == ()


def test_a_guard_may_say_one_test_twice() -> None:
    test = Literal_(("test",), True)
    assert either((test, test), (Literal_(("test",), False),)) == ()


ATOMS = ("a", "b", "c")
ATOM_LITERALS = st.builds(lambda name, outcome: ((name,), outcome), st.sampled_from(ATOMS), st.booleans())
JOINED_MEMBERS = st.tuples(
    st.lists(ATOM_LITERALS, max_size=2).map(tuple), st.sampled_from([(), *((name,) for name in ATOMS)]), st.booleans()
)


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(st.lists(JOINED_MEMBERS, min_size=1, max_size=4), st.booleans(), st.lists(ATOM_LITERALS, max_size=2))
def test_what_follows_from_literals_holds_wherever_they_do(
    members: list[object], outcome: bool, more: list[tuple[tuple[str], bool]]
) -> None:
    """A value is one of its members, that whose guard holds; the test of it has the outcome that it says, or that of the member's own condition."""
    joined = Literal_((JOINED, *members), outcome)
    said = [*(Literal_(*literal) for literal in more), joined]
    found = closed(said)
    for values in product((False, True), repeat=len(ATOMS)):
        world = dict(zip(((name,) for name in ATOMS), values))
        if any(world[literal.condition] is not literal.outcome for literal in said[:-1]):  # type: ignore[index]
            continue
        for guard, condition, result in members:  # type: ignore[misc]
            truth = (world[condition] is result) if condition else result
            if truth is outcome and all(world[name] is value for name, value in guard):
                assert all(world[literal.condition] is literal.outcome for literal in found if literal is not joined)  # type: ignore[index]


@given(st.lists(JOINED_MEMBERS, min_size=1, max_size=4, unique_by=lambda member: member[0]), st.booleans(), st.booleans(), st.data())
def test_a_test_of_a_value_decides_that_of_what_it_leaves(
    members: list[tuple[object, object, bool]], outcome: bool, negated: bool, data: st.DataObject
) -> None:
    """Members that cannot have the outcome go or stay, and of others it may be known from then on. The other name may be that of the negation."""
    assume(any(condition or result is outcome for _, condition, result in members))
    left: list[tuple[object, object, bool]] = []
    for guard, condition, result in members:
        if condition or result is outcome:
            left.append((guard, (), outcome) if condition and data.draw(st.booleans()) else (guard, condition, result))
        elif data.draw(st.booleans()):
            left.append((guard, condition, result))
    name = (JOINED, *((guard, condition, result is not negated) for guard, condition, result in left))
    held = [Literal_((JOINED, *members), outcome)]
    for asked in (True, False):
        assert narrowed(Literal_(name, asked), held) is ((outcome is not negated) is asked)


def test_a_test_of_a_value_does_not_decide_that_of_another_one() -> None:
    a, b, c = ((), ("a",), True), ((), ("b",), True), ((), ("c",), True)
    held = [Literal_((JOINED, a, b, ((), (), False)), True)]
    for others in ((a, c), (a,), (a, b, ((), (), True)), (a, ((), ("b",), False))):
        assert narrowed(Literal_((JOINED, *others), True), held) is None


def test_tuples_that_stand_for_each_other_are_one() -> None:
    given = Tuple(None, Const(1), given="part")
    assert join([Tuple(None, Const(1)), given]) == join([given, Tuple(None, Const(1))]) == given


def test_what_somebody_out_of_sight_gives_does_not_vary_by_itself() -> None:
    given = [Symbolic((number,), frozenset(("bool",))) for number in range(9)]
    assert join(given) == Kind("bool", "open")
    assert join([Const(float(number)) for number in range(9)]) == Kind("float", "varying")
