"""Pictures of what was measured, as SVG that takes its colours from the page. Each is told in words, too, for those who do not see it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from xml.etree.ElementTree import Element

from mxlint.finding import Slowdown
from mxlint.report.html.elements import element

WIDTH = 360
LEFT, RIGHT = 10, 350
MOST_CELLS = 48
WIDE = 8.0
"""Values further apart than this are shown on a logarithmic scale."""
TICKS = 5
NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to places on the picture."""

    low: float
    high: float
    logarithmic: bool

    def at(self, value: float) -> float:
        low, high, value = (math.log(max(part, NOTHING)) if self.logarithmic else part for part in (self.low, self.high, value))
        return round(LEFT + (RIGHT - LEFT) * (value - low) / (high - low), 1)

    def ticks(self) -> list[float]:
        """Round numbers on it, a few of them."""
        if not self.logarithmic:
            step = _round_up((self.high - self.low) / TICKS)
            return [step * number for number in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for digits in ((1, 2, 5), (1, 3), (1,)):
            found = [digit * 10.0**decade for decade in decades for digit in digits if self.low <= digit * 10.0**decade <= self.high]
            if len(found) <= TICKS + 1:
                break
        return found


def scale_for(values: Sequence[float]) -> Scale:
    """A scale on which all of these positive values lie, with some room beside them."""
    low, high = max(min(values), NOTHING), max(*values, 2 * NOTHING)
    if high / low > WIDE:
        return Scale(low / 1.2, high * 1.2, True)
    room = (high - low) * 0.06 or high * 0.05
    return Scale(max(low - room, 0.0), high + room, False)


def timings(slowdown: Slowdown, name: str) -> Element:
    """Every round of both forms, a row for each process, over the middle half of them all; and the medians."""
    forms = [[[pair[form] for pair in process] for process in slowdown.samples] for form in (0, 1)]
    scale = scale_for([time for form in forms for process in form for time in process])
    band = 9 * len(slowdown.samples) + 26
    bottom = 2 * band + 6
    told = f"As it is: median {duration(slowdown.observed_ms)}. Measured against: median {duration(slowdown.fixed_ms)}. {slowdown.rounds} rounds."
    picture = _picture(bottom + 28, name, "Time of each round in both forms", told)
    picture.extend(_axis(scale, bottom, duration))
    for number, (kind, label, form) in enumerate(zip(("observed", "fixed"), ("as it is", "measured against"), forms)):
        top = number * band
        every = sorted(time for process in form for time in process)
        low, _, high = quantiles(every, n=4, method="inclusive") if len(every) > 1 else every * 3
        dots = "".join(f"M{scale.at(time)} {top + 22 + 9 * row}h0" for row, process in enumerate(form) for time in process)
        middle = scale.at(median(every))
        picture.extend(
            [
                element("text", label, x=LEFT, y=top + 12, class_=f"label {kind}"),
                element(
                    "rect",
                    x=scale.at(low),
                    y=top + 16,
                    width=max(scale.at(high) - scale.at(low), 1),
                    height=band - 22,
                    class_=f"box {kind}",
                ),
                element("path", d=dots, class_=f"dots {kind}"),
                element("path", d=f"M{middle} {top + 14}v{band - 18}", class_=f"median {kind}"),
            ]
        )
    return picture


def ratio(slowdown: Slowdown, name: str) -> Element:
    """How many times as long, with the interval, beside 1, which is no difference. An interval without an end reaches to that of the picture."""
    low, high = min(slowdown.low, slowdown.ratio), max(slowdown.high or slowdown.ratio, slowdown.ratio)
    scale = scale_for([low, high, 1.0])
    right, end = (RIGHT, "") if slowdown.high is None else (scale.at(high), f"M{scale.at(high)} 13v12")
    picture = _picture(62, name, "How many times as long it takes", f"{bounds(slowdown)}.")
    picture.extend(_axis(scale, 34, times))
    one = scale.at(1.0)
    picture.extend(
        [
            element("path", d=f"M{one} 4V34", class_="same"),
            element("path", d=f"M{scale.at(low)} 19H{right}M{scale.at(low)} 13v12{end}", class_="interval"),
            element("circle", cx=scale.at(slowdown.ratio), cy=19, r=5, class_="estimate"),
        ]
    )
    return picture


def traces(per_call: Sequence[int], name: str) -> Element:
    """A cell for each call, filled where the body was traced."""
    shown = per_call[:MOST_CELLS]
    columns = min(len(shown), 24)
    size = min(24.0, (RIGHT - LEFT) / columns)
    rows = math.ceil(len(shown) / columns)
    traced = [str(number) for number, count in enumerate(shown, 1) if count]
    told = f"{sum(per_call)} traces in {len(per_call)} calls; traced in call {', '.join(traced) or 'none'}."
    picture = _picture(round(rows * size + 6), name, "Traces in each call", told)
    for index, count in enumerate(shown):
        x, y = round(LEFT + size * (index % columns), 1), round(2 + size * (index // columns), 1)
        inner = round(size - 2, 1)
        picture.append(element("rect", x=x, y=y, width=inner, height=inner, rx=2, class_="cell traced" if count else "cell"))
        if count > 1:
            picture.append(element("text", str(count), x=round(x + inner / 2, 1), y=round(y + inner / 2 + 4, 1), class_="count"))
    return picture


def shares(counts: Sequence[tuple[str, int]], name: str) -> Element:
    """One bar, divided."""
    total = sum(count for _, count in counts) or 1
    picture = _picture(18, name, "Verdicts", ", ".join(f"{count} {word}" for word, count in counts))
    x = 0.0
    for word, count in counts:
        width = WIDTH * count / total
        picture.append(element("rect", x=round(x, 1), y=0, width=round(max(width - 1, 0.5), 1), height=18, class_=f"share {word}"))
        x += width
    return picture


def _picture(height: int, name: str, title: str, told: str) -> Element:
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", told, id=f"{name}-desc"),
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
    )


def _axis(scale: Scale, bottom: int, word: object) -> Iterator[Element]:
    assert callable(word)
    yield element("path", d=f"M{LEFT} {bottom}H{RIGHT}", class_="axis")
    for value in scale.ticks():
        x = scale.at(value)
        anchor = "start" if x < LEFT + 18 else "end" if x > RIGHT - 18 else "middle"
        yield element("path", d=f"M{x} {bottom}v4", class_="axis")
        yield element("text", word(value), x=x, y=bottom + 17, class_="tick", text_anchor=anchor)


def _round_up(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= step * (1 - 1e-9))


def duration(milliseconds: float) -> str:
    """A time with three digits that count."""
    for unit, size in (("s", 1000.0), ("ms", 1.0)):
        if milliseconds >= size:
            return f"{_digits(milliseconds / size)} {unit}"
    return f"{_digits(milliseconds * 1000)} µs"


def bounds(slowdown: Slowdown) -> str:
    """How many times as long, in words."""
    if slowdown.high is None:
        return f"at least {times(slowdown.low)} as long"
    return f"{times(slowdown.ratio)} as long, between {times(slowdown.low)} and {times(slowdown.high)}"


def times(number: float) -> str:
    return f"{_digits(number)}×"


def _digits(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"
