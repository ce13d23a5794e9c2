"""How long the flagged form takes: the estimator on made-up clocks, the timer on programs under MLX."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from needed import needs_mlx

import mxlint
from mxlint import cli
from mxlint.engine import check
from mxlint.finding import Finding, Slowdown, Verdict
from mxlint.report.verdict import milliseconds
from mxlint.report.verdict import slowdown as told_of
from mxlint.verify import timer
from mxlint.verify.child import lending
from mxlint.verify.child.replay import FEW, Replay
from mxlint.verify.child.timer import BATCH_NS, Ended, Form, measure
from mxlint.verify.comparison import Tolerated
from mxlint.verify.experiment import verify
from mxlint.verify.kernels import Store
from mxlint.verify.runner import Job, Outcome, Workplace, run
from mxlint.verify.timer import BUDGET_S, FEWEST_PAIRS, MOST_PAIRS, OF_THE_PAIR, PLENTY, Plan, differ, timed, wanted
from mxlint.verify.timing import Round, disagreement, estimate, outliers, slowdown

SCHEMA = json.loads((Path(mxlint.__file__).parent / "schema" / "v1.json").read_text(encoding="utf-8"))
VERDICT = Verdict("confirmed", "in-place", None, None, ("0", "cpu"), 0.1)


# -- the estimator ----------------------------------------------------------------------------------------------------


def simulated(random: Random, ratio: float, between: float, within: float, processes: int = 4, rounds: int = 8) -> list[list[Round]]:
    """Processes that differ by `between`, times that differ by `within`, one in twenty disturbed by half as much again."""

    def time() -> float:
        return math.exp(random.gauss(0, within)) * (1.5 if random.random() < 0.05 else 1.0)

    shifts = [math.exp(random.gauss(0, between)) for _ in range(processes)]
    return [[(ratio * shift * time(), time()) for _ in range(rounds)] for shift in shifts]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("between", "within"), [(0.05, 0.05), (0.01, 0.05), (0.05, 0.01)])
@pytest.mark.parametrize("processes", [2, 3, 4])
def test_interval_holds_the_true_ratio(between: float, within: float, processes: int) -> None:
    """In 95 of 100 simulated measurements, or nearly so."""
    ratio = 1.2
    random = Random(ratio + between)
    trials = 300
    found = [estimate(simulated(random, ratio, between, within, processes)) for _ in range(trials)]
    assert sum(one.low <= ratio <= one.high for one in found) / trials >= 0.93
    assert median(one.ratio for one in found) == pytest.approx(ratio, rel=0.03)
    assert all(one.low <= one.ratio <= one.high for one in found)


@pytest.mark.parametrize("times", [0.5, 5 / 6, 20.0])
def test_what_takes_so_many_times_as_long_has_so_many_times_the_ratio(times: float) -> None:
    """So what holds for one ratio holds for all of them."""
    samples = simulated(Random(4), 1.2, 0.05, 0.05)
    one, other = estimate(samples), estimate([[(times * observed, fixed) for observed, fixed in process] for process in samples])
    assert [other.ratio, other.low, other.high] == pytest.approx([times * one.ratio, times * one.low, times * one.high])


def test_rounds_of_one_process_are_not_enough() -> None:
    """The interval of 8 rounds in each of 4 processes is wider than that of 32 rounds in one, which knows nothing of other processes."""
    random = Random(1)
    for _ in range(20):
        samples = simulated(random, 1.2, 0.05, 0.02)
        pooled = [[pair for process in samples for pair in process]]
        assert estimate(samples).width > estimate(pooled).width


def test_same_samples_same_interval() -> None:
    samples = simulated(Random(3), 1.3, 0.03, 0.03)
    assert estimate(samples) == estimate(samples)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("between", "within"), [(0.03, 0.03), (0.1, 0.02), (0.3, 0.1)])
@pytest.mark.parametrize("ratio", [1.3, 50.0])
def test_interval_holds_the_true_ratio_where_pairs_are_asked_for_until_they_do(ratio: float, between: float, within: float) -> None:
    random = Random(6)
    trials = hits = 100
    for _ in range(trials):
        samples = simulated(random, ratio, between, within, MOST_PAIRS)
        number = next(number for number in range(1, MOST_PAIRS + 1) if not wanted(samples[:number], 0.0, BUDGET_S))
        found = estimate(samples[:number])
        hits -= not found.low <= ratio <= found.high
    assert hits / trials >= 0.92


def test_a_faster_form_is_told_as_such() -> None:
    """No ratio is cut off at one, and equal forms show no measurable slowdown."""
    faster = slowdown(simulated(Random(2), 0.6, 0.01, 0.01), None, ["against the function as it is"])
    assert isinstance(faster, Slowdown)
    assert faster.high is not None
    assert faster.high < 0.7
    assert faster.note is not None
    assert "faster" in faster.note
    equal = slowdown(simulated(Random(2), 1.0, 0.01, 0.01), None, [])
    assert isinstance(equal, Slowdown)
    assert equal.note is not None
    assert "no measurable slowdown" in equal.note
    slower = slowdown(simulated(Random(2), 1.3, 0.01, 0.01), None, [])
    assert isinstance(slower, Slowdown)
    assert slower.low > 1.03
    assert "measurable" not in (slower.note or "")


def test_outliers_are_named() -> None:
    process = [(1.2 + number / 1000, 1.0) for number in range(9)]
    assert outliers([process]) == 0
    assert outliers([[*process, (4.0, 1.0)]]) == 1
    far = slowdown([[*process, (4.0, 1.0)]], None, [])
    assert isinstance(far, Slowdown)
    assert "1 of 10 rounds are outliers" in (far.note or "")


@pytest.mark.parametrize(
    ("time", "text"), [(0.0123, "0.0123 ms"), (0.487, "0.487 ms"), (1.234, "1.23 ms"), (42.42, "42.4 ms"), (763.2, "763 ms")]
)
def test_times_have_three_digits(time: float, text: str) -> None:
    assert milliseconds(time) == text


# -- pairs of processes -----------------------------------------------------------------------------------------------


def pairs_of(samples: list[list[Round]]) -> tuple[list[Job], Slowdown | str]:
    """What the timer makes of processes that bring these rounds, and what it asked them for."""
    asked: list[Job] = []

    def bring(job: Job) -> Outcome:
        asked.append(job)
        rounds = samples[len(asked) - 1]
        answer = {
            "rounds": [[a * 1e6, b * 1e6] for a, b in rounds],
            "built": [0] * len(rounds),
            "first": [9e6, 8e6],
            "unit": ["a.py", 0],
            "mlx": {"version": "0", "device": "cpu"},
        }
        return Outcome(answer, None, None, 0, "", "", 0.1, 0)

    return asked, timed(Job({}, {}), Plan(("real", "hoisted"), "the other"), bring, 20.0, Tolerated)


def test_three_pairs_do_if_they_agree() -> None:
    asked, found = pairs_of(simulated(Random(5), 1.5, 0.005, 0.005, MOST_PAIRS))
    assert isinstance(found, Slowdown)
    assert len(asked) == len(found.samples) == FEWEST_PAIRS
    assert found.first_ms == (9.0, 8.0)
    assert [job.settings["timing"]["pair"] for job in asked] == list(range(FEWEST_PAIRS))
    assert [job.settings["timing"]["cold"] for job in asked] == [[0, 1], [], []]


def test_two_pairs_do_where_the_ratio_is_large_in_any_case() -> None:
    """Where they leave that open, or do not agree, more are asked for."""
    asked, found = pairs_of([[(380.0, 0.20)] * 2, [(360.0, 0.22)] * 2, [(1.0, 1.0)] * 2])
    assert isinstance(found, Slowdown)
    assert len(asked) == 2
    assert found.low >= PLENTY
    assert found.high is not None
    assert found.high > 2 * found.low  # no more is said than two pairs can tell
    for second in (36.0, 3600.0, 10.0):
        asked, _ = pairs_of([[(380.0, 2.0)] * 2, [(second, 2.0)] * 2, *[[(380.0, 2.0)] * 2] * MOST_PAIRS])
        assert len(asked) > 2


def test_all_pairs_of_processes_share_one_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    now, walls = [0.0], []
    monkeypatch.setattr(timer, "monotonic", lambda: now[0])

    def bring(job: Job) -> Outcome:
        walls.append(job.settings["timing"]["wall_s"])
        now[0] += 12.0
        rounds = [[1.5e6, 1e6]] * 2
        answer = {"rounds": rounds, "built": [0, 0], "first": [9e6, 8e6], "mlx": {"version": "0", "device": "cpu"}}
        return Outcome(answer, None, None, 0, "", "", 0.1, 0)

    plan = Plan(("real", "hoisted"), "the other")
    assert isinstance(timed(Job({}, {}), plan, bring, 30.0, Tolerated), Slowdown)
    assert walls == [pytest.approx(OF_THE_PAIR * left) for left in (30.0, 18.0, 6.0)]
    walls.clear()
    assert isinstance(timed(Job({}, {}), plan, bring, 20.0, Tolerated), Slowdown)
    assert walls == [pytest.approx(OF_THE_PAIR * left) for left in (20.0, 8.0)]
    assert timed(Job({}, {}), plan, bring, 0.0, Tolerated) == "against the other: time is over"


def test_more_pairs_if_they_do_not() -> None:
    asked, found = pairs_of(simulated(Random(5), 1.5, 0.3, 0.02, MOST_PAIRS))
    assert isinstance(found, Slowdown)
    assert len(asked) == MOST_PAIRS
    assert FEWEST_PAIRS < len(found.samples)


BOTH_WAYS: list[list[list[Round]]] = [
    [[(587.0, 605.0)] * 3, [(605.0, 0.01)] * 3, [(600.0, 600.0)] * 3, [(0.02, 590.0)] * 3],  # kernels that are there or not
    [[(1.0, 4.0), (9.0, 2.0), (9.0, 2.0), (1.0, 4.0), (1.0, 4.0)], [(8.0, 1.0)], [(8.0, 1.0)], [(1.0, 4.0)] * 9, [(8.0, 1.0)]]
    + [[(8.0, 1.0)]] * 3,
]
ONE_WAY: list[list[list[Round]]] = [
    [[(770.0, 0.12), (0.43, 0.12)]] * 4,
    [[(163.0, 1.0)] * 8, [(2160.0, 1.0)] * 8, [(700.0, 1.0)] * 8, [(300.0, 1.0)] * 8],
]


@pytest.mark.parametrize("samples", BOTH_WAYS)
def test_rounds_that_do_not_agree_which_is_faster_tell_nothing(samples: list[list[Round]]) -> None:
    _, found = pairs_of(samples * 2)
    assert isinstance(found, str)
    assert "the rounds do not agree" in found


@pytest.mark.parametrize("samples", ONE_WAY)
def test_rounds_that_do_not_agree_how_much_slower_tell_how_much_at_least(samples: list[list[Round]]) -> None:
    _, found = pairs_of(samples * 2)
    assert isinstance(found, Slowdown)
    assert found.note is not None
    assert "the rounds do not agree" in found.note
    lowest = min(observed / fixed for process in samples for observed, fixed in process)
    assert lowest <= found.low == found.ratio < 1.7 * lowest
    assert found.high is None
    shown = told_of(replace(VERDICT, slowdown=found))
    assert shown is not None
    assert shown.startswith(f"at least {found.low:.{0 if found.low >= 10 else 2}f}×: ")


@given(st.lists(st.lists(st.tuples(st.floats(0.01, 1e4), st.floats(0.01, 1e4)), min_size=2, max_size=6), min_size=2, max_size=6))
def test_a_bound_is_none_of_the_other_side(samples: list[list[Round]]) -> None:
    """Whatever the clocks say, a lower bound is one of a slowdown, and no interval is turned round."""
    found = slowdown(samples, None, [])
    if isinstance(found, str):
        assert disagreement(samples) is not None
    elif found.high is None:
        assert 1 < found.low == found.ratio <= estimate(samples).ratio
    else:
        assert found.low <= found.ratio <= found.high


class Scripted(Form):
    """A form whose turns take known times: `cold` for the first of a batch that nothing was done before, `warm` for any other. After `most`
    turns nothing new comes."""

    def __init__(self, cold: float, warm: float, most: float = math.inf, device: str = "cpu") -> None:
        self.cold, self.warm, self.most, self.device = cold, warm, most, device
        self.orders: list[Mapping[str, Any]] = []

    def hear(self) -> dict[str, Any]:
        return {"mlx": {"device": self.device}}

    def exchange(self, order: Mapping[str, Any]) -> dict[str, Any]:
        if "skip" not in order:
            return {"unit": ["a.py", 0], "first": self.cold, "warm": []}
        self.orders.append(order)
        ns = order["turns"] * self.warm + (0 if order["skip"] else self.cold - self.warm)
        turns = sum(one["turns"] + one["skip"] for one in self.orders)
        return {"ns": ns, "events": order["turns"], "new": turns <= self.most, "built": 0}


VARYING = {"unit": None, "event": "call", "new": True, "pair": 0, "seconds": 1.0, "rounds": 10}


def test_turns_that_are_short_beside_the_others_fill_a_batch_once_they_are_warm() -> None:
    slow, fast = Scripted(5e8, 5e8), Scripted(1e6, 1e5)
    answer: dict[str, Any] = {"rounds": [], "built": []}
    measure([slow, fast], VARYING, answer)
    assert {order["turns"] for order in slow.orders} == {1}
    assert fast.orders[-1]["turns"] * fast.warm >= BATCH_NS
    assert answer["rounds"][-1] == [5e8, 1e5]


def test_turns_that_bring_something_new_and_build_nothing_are_timed_warm() -> None:
    """As any others: what single turns take that find nothing warm is no measure."""
    flagged, fixed = Scripted(9e5, 2e5), Scripted(8e5, 1e5)
    answer: dict[str, Any] = {"rounds": [], "built": []}
    measure([flagged, fixed], VARYING, answer)
    assert all(round == [2e5, 1e5] for round in answer["rounds"])
    assert len(answer["rounds"]) == len(answer["built"]) > 2
    assert flagged.orders == fixed.orders  # both come to the same values
    assert flagged.orders[-1]["turns"] * fixed.warm >= BATCH_NS


def test_a_kernel_that_is_built_once_is_no_turn_like_the_others() -> None:
    class Building(Scripted):
        def exchange(self, order: Mapping[str, Any]) -> dict[str, Any]:
            heard = super().exchange(order)
            return {**heard, "ns": 7e8} if len(self.orders) == 1 else heard

    answer: dict[str, Any] = {"rounds": [], "built": []}
    measure([Building(9e5, 2e5), Scripted(8e5, 1e5)], VARYING, answer)
    assert all(round == [2e5, 1e5] for round in answer["rounds"])


def test_few_turns_that_bring_something_new_are_better_than_none() -> None:
    answer: dict[str, Any] = {"rounds": [], "built": []}
    with pytest.raises(Ended):
        measure([Scripted(9e5, 2e5, most=5), Scripted(8e5, 1e5, most=5)], VARYING, answer)
    assert answer["rounds"] == [[9e5, 8e5]] * 3


@pytest.mark.parametrize("new", [False, True])
def test_what_comes_after_a_pause_is_warmed(new: bool) -> None:
    """Before the first batch results were read back; a GPU takes longer to get going."""
    skipped = {}
    for device in ("cpu", "gpu (NVIDIA H200)"):
        form = Scripted(1e5, 1e5, device=device)
        measure([form, Scripted(1e5, 1e5, device=device)], {**VARYING, "new": new}, {"rounds": [], "built": []})
        first, *_, last = [order["skip"] for order in form.orders if order["skip"]]
        assert first > last
        skipped[device] = last
    assert skipped["cpu"] * 1e5 >= 1e6
    assert skipped["gpu (NVIDIA H200)"] > skipped["cpu"]


# -- programs ---------------------------------------------------------------------------------------------------------


def job_of(program: str, fixed: str | None = None) -> Job:
    settings = {
        "entry": {"file": "a.py", "package": "", "name": "__main__"},
        "roots": [""],
        "drive": None,
        "recipe": None,
        "outside": {},
        "modules": [],
        "canary": True,
        "fused": True,
        "readable": [],
        "cpu_s": 10,
        "watches": [],
    }
    return Job({"a.py": program}, settings, None if fixed is None else {"a.py": fixed})


def pairs(place: Workplace, job: Job, plan: Plan, most: int) -> tuple[list[Mapping[str, Any]], Slowdown | str]:
    """What so many pairs of processes answer, and what the timer makes of it."""
    answers: list[Mapping[str, Any]] = []

    def pair(one: Job) -> Outcome:
        if len(answers) == most:
            return Outcome(None, "enough", None, None, "", "", 0.0, 0)
        outcome = run(one, "timed", place, place.folder / f"pair{len(answers)}", 20.0, Store(place.folder / "kernels"))
        assert outcome.answer is not None, outcome
        answers.append(outcome.answer)
        return outcome

    return answers, timed(job, plan, pair, 20.0, Tolerated)


def one_pair(place: Workplace, program: str, plan: Plan, fixed: str | None = None) -> Mapping[str, Any]:
    (answer,), _ = pairs(place, job_of(program, fixed), plan, 1)
    return answer


LOOP = """import mlx.core as mx

def double(x):
    return x + x

x = mx.ones(64)
for _ in range(2):
    mx.eval(mx.compile(double)(x))
"""
SLEEPING = LOOP.replace("import mlx", "import time\nimport mlx", 1).replace("    mx.eval", "    time.sleep(0.002)\n    mx.eval")
IN_LOOP = Plan(("real", "real"), "the other", "compile", sites=(("a.py", 1, 99),))


@needs_mlx
def test_a_loop_is_gone_round_more_often_than_the_program_does(place: Workplace) -> None:
    answer = one_pair(place, LOOP, Plan(("real", "hoisted"), "one", "compile", sites=(("a.py", 8, 8),)))
    assert answer["ended"] is None, answer
    assert answer["unit"] == ["a.py", 0]
    assert len(answer["rounds"]) >= 2
    assert all(time > 0 for pair in answer["rounds"] for time in pair)
    assert len(answer["first"]) == 2


FUSED = LOOP.replace("return x + x", "return mx.tanh(x) * 2 + x")


@needs_mlx
def test_what_both_forms_need_is_built_once(place: Workplace) -> None:
    """And each has its cost in its first turn."""
    plan = Plan(("real", "hoisted"), "one", "compile", sites=(("a.py", 8, 8),))
    answer = one_pair(place, FUSED, plan)
    assert len(answer["rounds"]) >= 2, answer
    observed, fixed = (list((place.folder / "pair0" / "work" / "tmp" / form).rglob("*.cpp")) for form in ("observed", "fixed"))
    assert observed and not fixed
    assert [*(place.folder / "pair0" / "work" / "tmp" / "fixed").rglob("*.so")]


NUMBERS = """import mlx.core as mx

@mx.compile
def scaled(x, number):
    return mx.tanh(x * number) * 2

x = mx.ones(64)
for number in range(3):
    mx.eval(scaled(x, number))
"""


@needs_mlx
def test_kernels_that_a_claim_is_about_are_built_in_every_pair(place: Workplace) -> None:
    """In the second pair those of the turns that are timed, and no others."""
    plan = Plan(("real", "arrays"), "the numbers as arrays", new=True, sites=(("a.py", 1, 99),))
    answers, found = pairs(place, job_of(NUMBERS), plan, 2)
    assert isinstance(found, Slowdown), found
    assert all(min(answer["built"]) > 0 for answer in answers)
    built = [len(list((place.folder / f"pair{pair}" / "work" / "tmp" / "observed").rglob("*.cpp"))) for pair in (0, 1)]
    assert built == [1 + len(answers[0]["rounds"]), len(answers[1]["rounds"])]


GROWING = """import mlx.core as mx

@mx.compile
def mean(keys):
    return mx.mean(keys * 2)

keys = mx.ones((1, 2))
for turn in range(3):
    keys = mx.concatenate([keys, mx.full((1, 2), 1.0 * turn)])
    mx.eval(mean(keys))
"""


@needs_mlx
def test_turns_that_go_on_from_the_last_one_are_timed_against_themselves(place: Workplace) -> None:
    """What a turn computes that is gone round again is not compared with what the next one computes."""
    plan = Plan(("real", "seen"), "the same calls", new=True, sites=(("a.py", 1, 99),))
    answers, found = pairs(place, job_of(GROWING), plan, 2)
    assert "something else" not in str(found)
    assert [len(answer["rounds"]) > 1 for answer in answers] == [True, True]
    assert all(answers[0]["results"])


def test_a_kernel_is_owed_to_whoever_loads_it(tmp_path: Path) -> None:
    """In part, if others took the compiler as well; whoever loads none owes nothing."""
    built, other = tmp_path / "observed", tmp_path / "fixed"
    for name, began, ended in (("A", 100, 102), ("B", 102, 103)):
        folder = built / "mlx" / "cpu"
        folder.mkdir(parents=True, exist_ok=True)
        for path, at in ((folder / f"{name}.cpp", began), (folder / f"lib{name}.so", ended)):
            path.write_text(name)
            os.utime(path, (at, at))
    (built / "mlx" / "cpu" / "libPlanted.so").write_text("without a source")
    took = lending.lend(str(built), str(other))
    assert {path.name for path in other.rglob("*.*")} == {"libA.so", "libB.so"}
    assert lending.owed(took, 900, ["mlx/cpu/libA.so", "mlx/cpu/libB.so"]) == 900
    assert lending.owed(took, 900, ["mlx/cpu/libB.so"]) == 300
    assert lending.owed(took, 900, []) == lending.owed({}, 900, ["mlx/cpu/libA.so"]) == 0


FROZEN = """import mlx.core as mx
import os

class Decayed:
    def __init__(self):
        self.rate = {rate}

    def go(self, x):
        return mx.compile(self.body)(x)

    def body(self, x):
        return x * self.rate

decayed = Decayed()
for turn in range(10):
    {change}
    mx.eval(decayed.go(mx.ones(4)))
"""


@pytest.mark.sampled(2)
@needs_mlx
@pytest.mark.parametrize(
    ("rate", "change", "measured"),
    [
        ("0.5", "decayed.rate = turn * 0.1", False),
        ("0.5", "pass", True),
        ("os.urandom(2)[0]", "pass", True),  # it differs from process to process: the other form cannot be told from it
    ],
)
def test_another_form_has_to_compute_the_same(place: Workplace, rate: str, change: str, measured: bool) -> None:
    plan = Plan(("real", "hoisted"), "one that is kept", "compile", sites=(("a.py", 9, 9),))
    _, found = pairs(place, job_of(FROZEN.format(rate=rate, change=change)), plan, 3)
    assert (found == "against one that is kept: it computes something else") != measured, found


class Traced:
    """A compiled object that says how often it was called with which number, and what else is made of its function."""

    def __init__(self) -> None:
        self.others: list[list[int]] = []

    def another(self) -> Callable[[int], int]:
        calls: list[int] = []
        self.others.append(calls)
        return lambda number: calls.append(number) or number  # type: ignore[func-returns-value]


def replayed(turns: int, calls: Sequence[Traced]) -> Replay:
    """Turns from the tenth on, each of which calls these objects with its own number."""
    replay = Replay(10, turns)
    for turn in range(10, 10 + turns):
        for place, made in enumerate(calls):
            replay.record(turn, made, (100 * place + turn,), {})
    replay.trace(lambda fun, args, kwargs: fun(*args, **kwargs))
    return replay


@pytest.mark.parametrize("turns", [1, 2, 3, 4, 5, 33, 256])
def test_few_turns_stand_for_all_and_for_their_mean(turns: int) -> None:
    made = Traced()
    replay = replayed(turns, [made])
    later = [replay.instead(turn, made) for turn in range(1000, 1000 + 12 * turns)]
    numbers = [one[1][0] for one in later if one is not None]
    assert len(numbers) == 12 * turns and len(set(numbers)) == min(turns, FEW)
    assert mean(set(numbers)) == pytest.approx(10 + (turns - 1) / 2, abs=0.5)
    assert len(made.others) == 1 and set(made.others[0]) == set(numbers)  # one object that has traced these and no others


def test_a_turn_is_gone_round_again_with_its_calls_in_their_order() -> None:
    small, large = Traced(), Traced()
    replay = replayed(8, [small, large, small])
    for turn in range(50, 60):
        first, middle, last = (replay.instead(turn, made) for made in (small, large, small))
        assert first is not None and middle is not None and last is not None
        assert (middle[1][0] - first[1][0], last[1][0] - first[1][0]) == (100, 200)


def test_what_no_kept_turn_has_called_is_called_as_it_is() -> None:
    assert replayed(8, [Traced()]).instead(50, Traced()) is None


def test_forms_may_differ_by_what_rounding_makes_of_the_program() -> None:
    """And in nothing else: measured noise is for numbers, and for no other shape."""

    def returned(shape: list[int], *values: float) -> dict[str, Any]:
        return {"shape": shape, "dtype": "float32", "values": list(values)}

    answer = {"results": [[returned([2], 1.0, 2.0)], [returned([2], 1.001, 2.0)]]}
    assert differ(answer)
    assert not differ(answer, Tolerated(part=0.001))
    assert differ(answer, Tolerated(part=0.0001))
    assert differ({"results": [[returned([1], 1.0)], [returned([2], 1.0, 1.0)]]}, Tolerated(part=1.0))


@needs_mlx
def test_a_program_that_sleeps_is_slower_by_its_sleep(place: Workplace) -> None:
    """Time in which nobody works counts; that in which others do does not. Two milliseconds lie far above both forms."""
    answer = one_pair(place, SLEEPING, IN_LOOP, LOOP)
    assert answer["ended"] is None, answer
    assert median(observed - fixed for observed, fixed in answer["rounds"]) > 1.5e6


@needs_mlx
@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("n = 0\nwhile n < 2:\n    n += 1\n    mx.eval(mx.compile(double)(x))\n", ["a.py", 0]),
        ("y = [mx.compile(double)(a) for a in (x, x)]\n", ["a.py", 0]),
        ("for k in range(2):\n    for a in iter([x, x]):\n        mx.compile(double)(a)\n", ["a.py", 1]),
        ("for k in range(2):\n    for retry in range(9):\n        mx.compile(double)(x)\n        break\n", ["a.py", 0]),
        ("mx.compile(double)(x)\nmx.compile(double)(x)\n", ["<statements>", -2, -1]),
    ],
)
def test_the_turn_is_that_of_the_innermost_loop(place: Workplace, text: str, unit: list[object]) -> None:
    """Any kind of loop that does go round; without one the statements are run again."""
    program = LOOP.partition("for _")[0] + text
    answer = one_pair(place, program, Plan(("real", "hoisted"), "one", "compile", sites=(("a.py", 7, 99),)))
    assert answer["unit"] == unit, answer
    assert len(answer["rounds"]) >= 2, answer


@needs_mlx
def test_a_loop_that_cannot_go_on_gives_way_to_an_outer_one(place: Workplace) -> None:
    """Layers of different sizes cannot be gone through in a circle."""
    program = """import mlx.core as mx

def layer(w, x):
    return mx.compile(lambda x: mx.tanh(x @ w))(x)

weights = [mx.ones((4, 8)), mx.ones((8, 16))]
for step in range(3):
    x = mx.ones((2, 4))
    for w in weights:
        x = layer(w, x)
"""
    plan = Plan(("real", "hoisted"), "one", "compile", sites=(("a.py", 4, 4),))
    (first, second), found = pairs(place, job_of(program), plan, 2)
    assert first["unit"] == ["a.py", 1]
    assert "matmul" in first["ended"]
    assert second["unit"] == ["a.py", 0]
    assert isinstance(found, Slowdown), found


def findings(text: str, code: str) -> list[Finding]:
    Path("a.py").write_text(text, encoding="utf-8")
    result = check(["a.py"], with_facts=True)
    return list(
        verify(
            [one for one in result.findings if one.code == code], result.sources, [site.span for site in result.sites], facts=result.facts
        )
    )


@needs_mlx
def test_a_confirmed_compile_in_a_loop_has_its_slowdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what holds on any machine: the numbers fit together, and say against what they were taken."""
    monkeypatch.chdir(tmp_path)
    (finding,) = findings(LOOP.replace("range(2)", "range(3)"), "MX301")
    assert finding.verdict is not None
    found = finding.verdict.slowdown
    assert found is not None, finding.verdict
    ratios = [observed / fixed for process in found.samples for observed, fixed in process]
    assert found.low <= found.ratio <= found.high
    assert min(ratios) <= found.ratio <= max(ratios)
    assert found.rounds == len(ratios) >= 2 * FEWEST_PAIRS
    assert min(found.observed_ms, found.fixed_ms) > 0
    assert found.first_ms is not None
    assert "against" in (found.note or "")


@needs_mlx
def test_json_and_text_show_the_slowdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(LOOP.replace("range(2)", "range(3)"), encoding="utf-8")
    done = CliRunner().invoke(cli.main, ["verify", "a.py:8", "--as", "MX301", "--output-format", "json"])
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    assert document["diagnostics"][0]["verify"]["slowdown"]["rounds"] > 0
    shown = CliRunner().invoke(cli.main, ["verify", "a.py:8", "--as", "MX301"]).stdout
    assert "slowdown: " in shown
    assert "× (" in shown
