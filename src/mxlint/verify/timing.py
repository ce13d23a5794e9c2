"""How much slower, and how sure: from rounds in several processes to a ratio with its interval.

The process is the unit of noise: where its memory lies decides more than what happens in it. So each gives one median, and the interval is the
wider of two, one drawn from processes and then from their rounds, and one that knows the medians only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, median, stdev

from mxlint.finding import Slowdown

Round = tuple[float, float]
"""Milliseconds of the form as it is and of the other, one right after the other."""
DRAWS = 300
SEED = 7
MEASURABLE = 1.03
"""Two runs of one form differ by so much; a slowdown counts if the low end of its interval is above."""
FAR = 5.0
"""A round is an outlier if it lies so many times the usual distance from the median."""
DISAGREEING = 10.0
"""An interval that reaches from one ratio to so many times that says nothing."""
_T = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
_NORMAL = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    """A ratio, and the interval that holds the true one in 95 of 100 cases."""

    ratio: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """Of the interval, as part of the ratio."""
        return (self.high - self.low) / self.ratio

    @property
    def measurable(self) -> bool:
        return self.low > MEASURABLE


def estimate(samples: Sequence[Sequence[Round]]) -> Estimate:
    """The median over processes of the median of their paired ratios, with the wider of the two intervals."""
    ratios = [[observed / fixed for observed, fixed in process] for process in samples]
    logs = [math.log(median(process)) for process in ratios]
    centre = median(logs)
    intervals = [drawn(ratios), by_medians(logs)]
    low, high = max(intervals, key=lambda interval: interval[1] - interval[0])
    return Estimate(math.exp(centre), math.exp(min(low, centre)), math.exp(max(high, centre)))


def drawn(ratios: Sequence[Sequence[float]], draws: int = DRAWS) -> tuple[float, float]:
    """Hierarchical bootstrap of the log ratio: processes are drawn, then rounds of each. The draws are the same every time."""
    random = Random(SEED)
    found = sorted(
        median(math.log(median(random.choices(process, k=len(process)))) for process in random.choices(ratios, k=len(ratios)))
        for _ in range(draws)
    )
    cut = round(draws * 0.025)
    return found[cut], found[-1 - cut]


def by_medians(logs: Sequence[float]) -> tuple[float, float]:
    """Student's interval around the mean of the processes' log medians; nothing wide for a single process, of which it cannot tell."""
    if len(logs) < 2:
        return logs[0], logs[0]
    half = _T.get(len(logs) - 1, _NORMAL) * stdev(logs) / math.sqrt(len(logs))
    return fmean(logs) - half, fmean(logs) + half


def outliers(samples: Sequence[Sequence[Round]]) -> int:
    """Rounds whose ratio is far from what is usual in their process."""
    count = 0
    for process in samples:
        ratios = [math.log(observed / fixed) for observed, fixed in process]
        centre = median(ratios)
        usual = max(median(abs(ratio - centre) for ratio in ratios), 0.005)
        count += sum(abs(ratio - centre) > FAR * usual for ratio in ratios)
    return count


@dataclass(frozen=True, slots=True)
class Spread:
    """Rounds that tell no ratio: the one that they are not below, and what they bring, in words."""

    low: float
    words: str


def disagreement(samples: Sequence[Sequence[Round]]) -> Spread | None:
    """Whether the rounds tell no ratio: they bring any, or one that is not that of the times themselves."""
    found = estimate(samples)
    observed, fixed = (median(pair[form] for process in samples for pair in process) for form in (0, 1))
    lowest = min(found.low, observed / fixed, *(_low_quarter(process) for process in samples))
    if found.high > DISAGREEING * found.low:
        return Spread(lowest, f"the rounds do not agree ({_times(found.low)} to {_times(found.high)})")
    if not found.low / 2 <= observed / fixed <= 2 * found.high:
        return Spread(lowest, f"the rounds do not agree ({_times(found.ratio)} by pairs, {_times(observed / fixed)} by all)")
    return None


def _low_quarter(process: Sequence[Round]) -> float:
    """The ratio that three quarters of the rounds of a process are not below."""
    return sorted(observed / fixed for observed, fixed in process)[len(process) // 4]


def _times(ratio: float) -> str:
    return f"{ratio:.3g} times" if 1e-3 < ratio < 1e6 else "next to nothing" if ratio <= 1e-3 else "more than a million times"


def slowdown(samples: Sequence[Sequence[Round]], first_ms: tuple[float, float] | None, notes: Sequence[str]) -> Slowdown | str:
    """All that was measured. Rounds that tell no ratio may tell that it is over one: then that is the slowdown, else the reason for which there is
    none."""
    found, spread = estimate(samples), disagreement(samples)
    if spread is not None and spread.low <= MEASURABLE:
        return spread.words
    rounds = [pair for process in samples for pair in process]
    far = outliers(samples)
    parts = [
        *notes,
        *([spread.words] if spread is not None else []),
        *(
            []
            if spread or found.measurable
            else ["no measurable slowdown"]
            if found.high > 1 / MEASURABLE
            else ["faster than the other form"]
        ),
        *([f"{far} of {len(rounds)} rounds are outliers"] if far else []),
        *(["one process only"] if len(samples) == 1 else []),
    ]
    return Slowdown(
        found.ratio if spread is None else spread.low,
        found.low if spread is None else spread.low,
        found.high if spread is None else None,
        median(observed for observed, _ in rounds),
        median(fixed for _, fixed in rounds),
        len(rounds),
        tuple(tuple((observed, fixed) for observed, fixed in process) for process in samples),
        first_ms,
        "; ".join(parts) or None,
    )
