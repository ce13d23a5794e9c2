"""What a path says of how numbers lie, and which portions of an array have something in common, against all small cases."""

from __future__ import annotations

import operator
from itertools import product

from mxlint.domain import ordering
from mxlint.domain.guards import Literal_
from mxlint.domain.members import Const
from mxlint.domain.portions import Portion, rows

OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}
NUMBERS = (-1, 0, 1, 2)
VALUES = [number / 2 for number in range(-6, 8)]
CONDITIONS = [
    *((op, ("n",), Const(number)) for op in OPERATORS for number in NUMBERS),
    *((op, Const(number), ("n",)) for op in OPERATORS for number in NUMBERS),
]


def holds(condition: tuple[object, ...], value: float) -> bool:
    """What a condition gives for a number."""
    if condition == ("n",):
        return bool(value)
    op, left, right = condition
    compare = OPERATORS[str(op)]
    return bool(compare(left.value, value) if isinstance(left, Const) else compare(value, right.value))  # type: ignore[attr-defined]


def test_what_is_decided_is_so_for_all_numbers() -> None:
    decided = 0
    for first, asked in product([*CONDITIONS, ("n",)], repeat=2):
        for outcome in (True, False):
            literals = [Literal_(first, outcome), Literal_((">", ("n",), Const(-2)), True)]
            fitting = [value for value in VALUES if holds(first, value) is outcome and value > -2]
            found = ordering.outcome(asked, ordering.ordered(literals))
            assert found is None or {holds(asked, value) for value in fitting} <= {found}, (literals, asked)
            decided += found is not None
    assert decided > 900


def test_nothing_is_said_of_what_lies_at_no_number() -> None:
    assert ordering.comparison(("<", ("n",), Const(float("nan")))) is None
    assert ordering.comparison(("<", ("n",), Const("a"))) is None
    assert ordering.outcome(("n",), ordering.ordered([Literal_(("==", ("n",), Const(3)), False)])) is None


def test_portions_meet_where_rows_do() -> None:
    portions = [rows(start, stop) for start in range(4) for stop in (None, *range(start + 1, 5))]
    for one, other in product(portions, repeat=2):
        both = [set(range(9)[each.start : each.stop]) for each in (one, other)]
        assert one.meets(other) is bool(both[0] & both[1])
        within = one.within(other)
        assert set(range(9)[within.start : within.stop]) == set(list(range(9)[one.start : one.stop])[other.start : other.stop])


def test_parts_of_rows_may_meet() -> None:
    part = Portion(1, 2, whole=False, aligned=False)
    assert part.meets(rows(1, 2)) is True
    assert part.meets(part) is None
    assert part.meets(rows(2, None)) is False
