"""How long a child may run, on made-up clocks: the load of the machine decides only how long that lasts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mxlint.verify.allowance import MOST_TIMES, WINDOW_S, Allowance

POLL_S = 0.05


def ended(seconds: float, needs: float, share: float, *, counted: bool = True) -> tuple[bool, float]:
    """Whether a program that computes for `needs` seconds with a share of a core comes to its end in its time, and when it is over."""
    allowance = Allowance(seconds, 100.0)
    number = 0
    while True:
        number += 1
        now = number * POLL_S
        if share * now >= needs:
            return True, now
        if allowance.over(100.0 + now, lambda now=now: share * now if counted else None):
            return False, now


@given(st.floats(1, 60), st.floats(0.01, 0.7) | st.floats(1.6, 3), st.floats(0.15, 1))
def test_the_share_of_a_core_decides_nothing(seconds: float, part: float, share: float) -> None:
    assert ended(seconds, part * seconds, share)[0] == (part < 1)


@given(st.floats(1, 60))
def test_who_sleeps_is_stopped_by_the_clock_on_the_wall(seconds: float) -> None:
    done, after = ended(seconds, 1.0, 0.001)
    assert not done
    assert seconds <= after <= seconds + 2 * WINDOW_S
    assert ended(seconds, 2 * seconds, 1.0, counted=False)[1] <= seconds + 2 * WINDOW_S


@given(st.floats(1, 60), st.floats(0.0, 1.0))
def test_it_is_over_some_time(seconds: float, share: float) -> None:
    assert ended(seconds, 1e9, share)[1] <= MOST_TIMES * seconds + 2 * POLL_S
