"""What two runs of the same program showed, side by side: as it is, and with mx.compile left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from mxlint.facts.events import Call as FactOfCall
from mxlint.facts.events import Compiled, Event
from mxlint.finding import Span
from mxlint.verify.runner import Outcome

EPSILON = {"float32": 1.2e-7, "float16": 9.8e-4, "bfloat16": 7.8e-3, "complex64": 1.2e-7}
NUMBER = EPSILON["float32"]
"""What a plain number is known to: it mostly comes out of an array."""
SLACK = 16
"""So many units in the last place of the largest value are never a difference."""
MARGIN = 8
"""One run with other roundings shows how far they carry, but for luck: a difference counts from so many times that on."""
GROWING = 8
"""Where rounding errors grow from call to call, luck grows with them: as they did over so many calls."""
WIDTH = 80
"""Characters of a value that is shown."""
FORGIVEN = "Forgiven"
"""The type, in the child's notes, of what a statement raised that the experiment goes on without."""

Watched = tuple[str, tuple[int, int], tuple[int, int]]
"""A file of the program, and where an expression in it starts and ends: row, column in bytes from 0."""
Run = Mapping[str, Any]
Call = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """A compiled object that a claim is about: what the static tracer knows of it, of its calls, and of what happens in its traces."""

    compiled: Compiled
    calls: tuple[FactOfCall, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a finding says, in terms of the program that is run. `place`, `sites`: file of the program, with rows.

    `start` and `end` are the flagged expression, columns in bytes from 0; `names` are those that it begins with; `certain`: nothing in it
    can be left out when it is evaluated; `pure`: nothing in it acts on, or asks, anything outside of the function; `bound`: the names that
    the function around it binds; `changes`: that what is read there changes between calls; `outside`: it names what the function does not bind.
    `too`: what the finding says of other expressions, which are to blame together with this one; `chain`: the other places that it rests on;
    `objects`: what the static tracer knows of the compiled objects, and `calls` the places of their calls in sight, `threaded` those that threads
    make, `paths` those of the calls that lead there, the nearest first; `by_rule`: a rule says it, nobody asked for the experiment alone; `right_on`:
    devices on which it was measured not to be so; `lasting`: that what was read in a trace holds for ever, though it changes;
    `ends`: that the process may end.
    """

    code: str
    span: Span
    place: str
    start: tuple[int, int]
    end: tuple[int, int]
    sites: tuple[tuple[str, int, int], ...]
    names: frozenset[str]
    certain: bool
    pure: bool
    text: str
    bound: frozenset[str] = frozenset()
    changes: bool = False
    outside: bool = True
    too: tuple[Claim, ...] = ()
    chain: tuple[Watched, ...] = ()
    objects: tuple[Subject, ...] = ()
    calls: tuple[Watched, ...] = ()
    threaded: frozenset[Watched] = frozenset()
    paths: tuple[Watched, ...] = ()
    by_rule: bool = True
    right_on: tuple[str, ...] = ()
    lasting: bool = False
    ends: bool = False

    def covers(self, file: str, row: int) -> bool:
        return file == self.place and self.start[0] <= row <= self.end[0]

    @property
    def group(self) -> tuple[Claim, ...]:
        """The claim and what the finding says besides, of other expressions."""
        return self, *self.too

    def raised(self, item: Mapping[str, Any]) -> bool:
        """Whether an exception was raised by the flagged expression."""
        if not self.covers(item["file"], item["row"]):
            return False
        if item["at"] is None:
            return True
        row, column, end_row, end_column = item["at"]
        return bool((row, column) < self.end and self.start < (end_row, end_column))

    def within(self, item: Mapping[str, Any]) -> bool:
        """Whether the claim is about a call, or a place where something is compiled, or about part of it."""
        if item["file"] != self.place:
            return False
        if item["span"] is None:
            return self.covers(item["file"], item["row"])
        row, column, end_row, end_column = item["span"]
        return bool((row, column) < self.end and self.start < (end_row, end_column))


@dataclass(frozen=True, slots=True)
class Noise:
    """What rounding makes of the uncompiled run `of`: the same with more rounding errors, `rounded`."""

    of: Run
    rounded: Run


@dataclass(frozen=True, slots=True)
class Comparison:
    """The runs as one claim looks at them. `watch` is the number of its expression among those that were watched; `noise`: what no more
    differs than by that is the same."""

    claim: Claim
    real: Run
    plain: Run
    crashed: Outcome | None
    watch: int
    noise: Noise | None = None

    @property
    def reached(self) -> int:
        """How often the flagged expression was evaluated inside compiled calls."""
        return int(self.real["watches"][self.watch]["inside"])

    @property
    def reached_outside(self) -> int:
        return int(self.real["watches"][self.watch]["outside"])

    @property
    def reached_plain(self) -> int:
        return int(self.plain["watches"][self.watch]["inside"])

    @property
    def surely(self) -> bool:
        """Whether all of it was evaluated."""
        watch = self.real["watches"][self.watch]
        return bool(watch["finished"]) or (self.claim.certain and bool(watch["inside"]))

    @property
    def established(self) -> bool:
        """Whether all of it was evaluated in a trace of what the claim is about."""
        made = {number for number, item in enumerate(self.real["objects"]) if any(_within(item, site) for site in self.claim.sites)}
        return self.surely and (not self.claim.sites or bool(made & set(self.real["watches"][self.watch]["objects"])))

    def objects(self, run: Run) -> list[int]:
        """The compiled objects that the claim is about: those of its site, else those whose trace came to the expression, else all."""
        made = run["objects"]
        claim = self.claim
        of_site = [number for number, item in enumerate(made) if any(_within(item, site) for site in claim.sites)]
        reached = run["watches"][self.watch]["objects"]
        both = [number for number in of_site if number in reached]
        return both or of_site or reached or list(range(len(made)))

    def calls(self, run: Run) -> list[Call]:
        wanted = set(self.objects(run))
        return [call for call in run["calls"] if call["object"] in wanted]

    @property
    def pairs(self) -> Iterator[tuple[int, Call, Call]]:
        """The calls of both runs that belong together, numbered from 1."""
        for number, (real, plain) in enumerate(zip(self.calls(self.real), self.calls(self.plain)), 1):
            if (real["file"], real["row"]) != (plain["file"], plain["row"]):
                return
            yield number, real, plain

    @property
    def rounded(self) -> Run | None:
        """The uncompiled program with more rounding errors, if that was measured of what is compared here."""
        return self.noise.rounded if self.noise is not None and self.noise.of is self.plain else None

    def exceptions(self, *, new: bool = True) -> list[Mapping[str, Any]]:
        """Exceptions of the real run, without those that the uncompiled program raises at the same place; nor those of statements that stand-ins
        took the place of."""
        usual = {_kind(item) for item in self.plain["exceptions"]}
        return [item for item in self.real["exceptions"] if item["type"] != FORGIVEN and (not new or _kind(item) not in usual)]

    def hits(self, item: Mapping[str, Any]) -> bool:
        """Whether an exception was raised by the flagged expression, or by another one of which the finding says so."""
        return any(claim.raised(item) for claim in self.claim.group)

    def error(self, run: Run, call: Call) -> Mapping[str, Any] | None:
        number = call["error"]
        return run["exceptions"][number] if number is not None and number >= 0 else None


def at_site(claim: Claim) -> bool:
    """Whether the claim is about a place where something is compiled."""
    return any(place == claim.place and first <= claim.end[0] and claim.start[0] <= last for place, first, last in claim.sites)


def _kind(item: Mapping[str, Any]) -> tuple[Any, ...]:
    return item["type"], item["message"], item["file"], item["row"], item["object"]


def _within(item: Mapping[str, Any], site: tuple[str, int, int]) -> bool:
    return bool(item["file"] == site[0] and site[1] <= item["row"] <= site[2])


# -- values -----------------------------------------------------------------------------------------------------------


def is_array(value: Mapping[str, Any]) -> bool:
    """Whether it is an array, and not the items of a dict, of which one may go by the name of anything; none of these is a list."""
    return isinstance(value.get("shape"), list)


def same(a: Any, b: Any) -> bool:
    """Whether two values, as the child wrote them down, are equal up to the rounding of their dtype."""
    if isinstance(a, dict) and isinstance(b, dict):
        if is_array(a) and is_array(b):
            return _same_arrays(a, b)
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isnan(a) and math.isnan(b) or math.isclose(a, b, rel_tol=SLACK * NUMBER)
    return type(a) is type(b) and bool(a == b)


def _same_arrays(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    if a["shape"] != b["shape"] or a["dtype"] != b["dtype"] or ("leak" in a) != ("leak" in b):
        return False
    if "leak" in a or a.get("hash") is not None and a["hash"] == b.get("hash"):
        return True
    epsilon = EPSILON.get(a["dtype"], 0.0) * SLACK
    return _close(a["values"], b["values"], epsilon) and _close(a.get("sums", []), b.get("sums", []), epsilon)


def _close(a: Sequence[Any], b: Sequence[Any], epsilon: float, noise: float = 0.0) -> bool:
    """Whether values are the same up to `epsilon` times the largest of them, or up to `noise`."""
    x, y = list(_flat(a)), list(_flat(b))
    largest = max((abs(value) for value in (*x, *y) if math.isfinite(value)), default=0.0)
    most = max(epsilon * largest, noise)
    return len(x) == len(y) and all(
        p == q or math.isnan(p) and math.isnan(q) or abs(p - q) <= most or noise == math.inf for p, q in zip(x, y)
    )


@dataclass(frozen=True, slots=True)
class Tolerated:
    """What is no difference: `margin` times what rounding makes of a value, or `part` of the largest value around it."""

    margin: float = MARGIN
    part: float = 0.0


BY_ITSELF = Tolerated()
"""In a value by itself, whatever came before it."""


def tolerated(noise: Sequence[float]) -> Tolerated:
    """What is no difference in a call, by what rounding makes of the calls up to it, each as part of the largest value. The most counts: two
    runs that have come apart are near each other now and then."""
    most = list(accumulate(noise, max))
    some = [level for level in most[-GROWING:] if level]
    margin = MARGIN * some[-1] / some[0] if some else MARGIN
    return Tolerated(margin, margin * some[-1] if some and len(noise) > 1 else 0.0)


def tolerated_in_calls(rounded: Sequence[Call], plain: Sequence[Call]) -> Tolerated:
    """What is no difference in the last of these calls, by what rounding makes of what they return."""
    return tolerated(
        [max(unit(other.get("result")), relative(one.get("result"), other.get("result"))) for one, other in zip(rounded, plain)]
    )


def unit(value: Any) -> float:
    """The largest rounding error of an array or number in a value, as part of it."""
    if isinstance(value, dict):
        if "dtype" in value:
            return EPSILON.get(value["dtype"], 0.0)
        return max(map(unit, value.values()), default=0.0)
    if isinstance(value, list):
        return max(map(unit, value), default=0.0)
    return NUMBER if isinstance(value, float) else 0.0


def relative(rounded: Any, plain: Any) -> float:
    """The largest difference between arrays and numbers in two values, each as part of its largest value."""
    if isinstance(rounded, dict) and isinstance(plain, dict):
        if "dtype" in plain:
            largest = max((abs(value) for value in _flat(plain.get("values", ())) if math.isfinite(value)), default=0.0)
            most = _difference(rounded.get("values", ()), plain.get("values", ())) if rounded.get("shape") == plain["shape"] else 0.0
            return most / largest if largest else 0.0
        return max((relative(rounded[key], plain[key]) for key in plain.keys() & rounded.keys()), default=0.0)
    if isinstance(rounded, list) and isinstance(plain, list):
        return max((relative(*items) for items in zip(rounded, plain)), default=0.0)
    return abs(rounded / plain - 1) if isinstance(rounded, float) and isinstance(plain, float) and plain else 0.0


def explained(real: Any, plain: Any, rounded: Any, most: Tolerated = BY_ITSELF) -> bool:
    """Whether two values are the same, or differ by no more than is tolerated where `rounded` differs from the second as it does. What has no
    size, such as a text, a count or a shape, is explained if it differs there, too."""
    if same(real, plain):
        return True
    if isinstance(real, dict) and isinstance(plain, dict) and isinstance(rounded, dict):
        if "dtype" in plain:
            return _arrays_explained(real, plain, rounded, most)
        if real.keys() == plain.keys() == rounded.keys():
            return all(explained(real[key], plain[key], rounded[key], most) for key in plain)
    elif isinstance(real, list) and isinstance(plain, list) and isinstance(rounded, list):
        if len(real) == len(plain) == len(rounded):
            return all(explained(*items, most) for items in zip(real, plain, rounded))
    elif isinstance(real, float) and isinstance(plain, float) and isinstance(rounded, float) and all(map(math.isfinite, (real, plain))):
        return abs(real - plain) <= max(most.margin * abs(rounded - plain), most.part * abs(plain))
    return not same(rounded, plain)


def _arrays_explained(real: Mapping[str, Any], plain: Mapping[str, Any], rounded: Mapping[str, Any], most: Tolerated) -> bool:
    kind = ("shape", "dtype", "leak")
    if any(rounded.get(part) != plain.get(part) for part in kind):
        return True
    if any(real.get(part) != plain.get(part) for part in kind):
        return False
    if plain["dtype"] not in EPSILON:
        return not same(rounded, plain)
    part = max(EPSILON[plain["dtype"]] * SLACK, most.part)
    parts = [name for name in ("values", "sums") if name in plain]
    return all(_close(real[name], plain[name], part, most.margin * _difference(rounded[name], plain[name])) for name in parts)


def _difference(a: Sequence[Any], b: Sequence[Any]) -> float:
    """By how much values differ at most; by any amount if one of them is a number and the other none."""
    pairs = list(zip(_flat(a), _flat(b)))
    if any(math.isfinite(x) != math.isfinite(y) for x, y in pairs):
        return math.inf
    return max((abs(x - y) for x, y in pairs if math.isfinite(x) and math.isfinite(y)), default=0.0)


def _flat(values: Sequence[Any]) -> Iterator[float]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield value


COUNTERS = frozenset({"step"})
"""Entries that optimizers only count in."""


def only_arrays(value: Any) -> Any:
    """The arrays of a value, wherever they stand, but for counters."""
    if isinstance(value, dict):
        if is_array(value):
            return value
        return {key: found for key, item in value.items() if key not in COUNTERS and (found := only_arrays(item)) is not None} or None
    if isinstance(value, list):
        return [found for item in value if (found := only_arrays(item)) is not None] or None
    return None


def without_counts(value: Any) -> Any:
    """A value without the plain numbers and texts that objects have as attributes."""
    if isinstance(value, dict) and not is_array(value):
        fields = {key: without_counts(item) for key, item in value.get("fields", {}).items() if isinstance(item, dict)}
        return {**value, "fields": fields}
    return value


def leaks(value: Any) -> str | None:
    """What MLX says of the first placeholder in a value."""
    if isinstance(value, dict):
        if is_array(value):
            return value.get("leak")
        return next((found for item in value.values() if (found := leaks(item)) is not None), None)
    if isinstance(value, list):
        return next((found for item in value if (found := leaks(item)) is not None), None)
    return None


def opaque(value: Any) -> bool:
    """Whether there is something in a value that shows nothing of what it holds, such as an iterator."""
    if isinstance(value, dict):
        if is_array(value):
            return False
        shows = "type" not in value or "items" in value or "fields" in value
        return not shows or any(opaque(item) for part in ("items", "fields") for item in _members(value.get(part)))
    return bool(value == "generator")


def _members(items: Any) -> Sequence[Any]:
    return list(items.values()) if isinstance(items, dict) else items if isinstance(items, list) else ()


def shape_differs(a: Any, b: Any) -> bool:
    """Whether arrays of two values differ in shape, so that no comparison of numbers is needed."""
    if isinstance(a, dict) and isinstance(b, dict):
        if is_array(a) and is_array(b):
            return bool(a["shape"] != b["shape"])
        return any(shape_differs(a[key], b[key]) for key in a.keys() & b.keys())
    return isinstance(a, list) and isinstance(b, list) and any(shape_differs(x, y) for x, y in zip(a, b))


def shown(value: Any, width: int = WIDTH) -> str:
    """A value in one short line."""
    text = _shown(value)
    return text if len(text) <= width else text[: width - 1] + "…"


def first_apart(value: Any, other: Any, agree: Callable[[Any, Any], bool]) -> tuple[str, Any, Any]:
    """What to show of two values that differ: both, if they are short, else the first parts in which they do, with the way there (`[x][0]`)."""
    way = ""
    while max(len(_shown(value)), len(_shown(other))) > WIDTH:
        step = next(((name, *pair) for name, *pair in _parts(value, other) if not agree(*pair)), None)
        if step is None:
            break
        name, value, other = step
        way += name
    return way, value, other


def _parts(value: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    """The parts of two containers of one kind with the same keys or length, side by side."""
    if (
        not (isinstance(value, dict) and isinstance(other, dict))
        or is_array(value)
        or is_array(other)
        or value.get("type") != other.get("type")
    ):
        return
    items, others = value.get("items"), other.get("items")
    if isinstance(items, dict) and isinstance(others, dict) and items.keys() == others.keys():
        yield from ((f"[{key}]", items[key], others[key]) for key in items)
    elif isinstance(items, list) and isinstance(others, list) and value.get("length") == other.get("length") and len(items) == len(others):
        yield from ((f"[{number}]", *pair) for number, pair in enumerate(zip(items, others)))
    fields, more = value.get("fields", {}), other.get("fields", {})
    if fields.keys() == more.keys():
        yield from ((f".{key}", fields[key], more[key]) for key in fields)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        if is_array(value) and "leak" in value:
            return "a placeholder"
        if is_array(value):
            values = value["values"] if len(value["values"]) != 1 or value["shape"] else value["values"][0]
            if isinstance(values, list) and len(values) > 8 or "hash" in value:
                return f"array of shape {tuple(value['shape'])}: {_shown(values[:4])[:-1]}, …]"
            return (
                _shown(values)
                if math.prod(value["shape"]) == len(value["values"]) and len(value["shape"]) < 2
                else f"{_shown(values)} of shape {tuple(value['shape'])}"
            )
        if "items" in value:
            items = value["items"]
            if isinstance(items, dict):
                return "{" + ", ".join(f"{key}: {_shown(item)}" for key, item in items.items()) + "}"
            return ("({})" if value["type"] == "tuple" else "[{}]").format(", ".join(_shown(item) for item in items))
        return f"{value.get('type', 'object')}(" + ", ".join(f"{key}={_shown(item)}" for key, item in value.get("fields", {}).items()) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    return f"{value:.6g}" if isinstance(value, float) else repr(value) if isinstance(value, str) else str(value)
