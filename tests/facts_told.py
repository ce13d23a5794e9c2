"""All that an analysis knows of a file, in short lines that can be read and compared: sites, facts, and what could not be followed.

A place is its row and columns; what is written there is not repeated. What holds of most records is left out, and so is what other lines tell. Compiled
objects, equal calls and the like are numbered as they come, so that lines stay when the numbers of the interpreter change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import groupby
from typing import Any

from mxlint.analysed import Analysis, SiteReport
from mxlint.facts import events, values
from mxlint.finding import Span
from mxlint.record import Record

MOST = 25
"""Lines of one file that are told. Of more there is a sum."""
LISTED = ("compiled", "calls", "traces", "loops", "reads", "writes", "events", "stale", "notes", "classes")
"""The records of a log, in the order in which they are told."""
LEFT_OUT: dict[type[Record], frozenset[str]] = {
    events.Argument: frozenset({"where"}),
    events.Call: frozenset({"forms"}),
    events.Compiled: frozenset({"form", "text", "within", "layer", "caller_layer"}),
    events.Event: frozenset({"trace", "within"}),
    events.Read: frozenset({"trace", "location"}),
    events.Stale: frozenset({"location"}),
    events.Trace: frozenset({"number"}),
    events.Write: frozenset({"trace", "location"}),
    events.Loop: frozenset({"trace", "within"}),
}
"""What the program or another line says."""
USUAL: dict[str, tuple[object, str]] = {
    "ended": (True, "not ended"),
    "full": (True, "not full"),
    "run": (True, "not run"),
    "shapeless": (False, "shapeless"),
    "known": (True, "not known"),
    "public": (True, "not public"),
    "module_level": (True, "not at module level"),
}
"""What a field holds as a rule, and what is said where it does not."""
NUMBERED = {
    "object": "#",
    "number": "#",
    "holder": "@",
    "identity": "@",
    "owner": "@",
    "site_number": "@",
    "thread_number": "thread ",
    "flat": "key ",
    "exact": "exactly ",
    "maker": "made of ",
}
"""Fields that tell what is one and the same, by the word for it: which number or text it is says nothing."""
PLAIN = frozenset({"where", "site", "place", "name", "kind", "outcome", "how", "form", "what", "way", "cause", "op", "function"})
"""Fields whose names are not said."""
NOTHING: tuple[object, ...] = ("", (), None, False, events.Modality())


def told(analysis: Analysis) -> list[str]:
    """The lines of one analysis."""
    facts = analysis.facts
    assert facts is not None
    return short([*map(site, analysis.sites), *log(facts)])


def log(facts: events.Log) -> Iterator[str]:
    """The lines of one log: each once, with how often it comes."""
    teller = Teller()
    for name in LISTED:
        yield from once(teller.record(fact) for fact in getattr(facts, name))
    yield from once(f"not followed {place(where.span)} {reason}" for where, reason in facts.imprecise)
    if not facts.whole:
        yield "cut short"


def once(lines: Iterable[str]) -> Iterator[str]:
    """Each line once."""
    for line, count in Counter(lines).items():
        yield line if count == 1 else f"{line} ×{count}"


def short(lines: list[str]) -> list[str]:
    """Few lines, that differ if the lines do."""
    if len(lines) <= MOST:
        return lines
    rest = "\n".join(lines[MOST:])
    return [*lines[:MOST], f"{len(lines) - MOST} more: {sha256(rest.encode()).hexdigest()[:12]}"]


def site(report: SiteReport) -> str:
    """What is said of a site."""
    listed = [f"{name} {', '.join(found)}" for name in ("takes", "freezes", "mutates", "draws") if (found := getattr(report, name))]
    options = [f"{name}={' '.join(value.split())}" for name, value in report.options.items()]
    called = f"called at {report.calls}" if report.calls else "not called"
    return "; ".join((f"site {place(report.span)} {report.followed}, {called}: {report.form} of {report.compiled}", *options, *listed))


def place(span: Span) -> str:
    """A span in short: `3:5-9`, with its file where that is not the program's first. Of what stands for a library only the file, which programs do not have."""
    if span.filename.startswith("<"):
        return span.filename
    file = "" if span.filename == "main.py" else f"{span.filename}:"
    end = f"{span.end.row}:" if span.end.row != span.start.row else ""
    return f"{file}{span.start.row}:{span.start.column}-{end}{span.end.column}"


def repeated(items: Iterable[str]) -> Iterator[str]:
    """Equal neighbours as one."""
    for item, same in groupby(items):
        count = sum(1 for _ in same)
        yield item if count == 1 else f"{item} ×{count}"


class Teller:
    """Tells the records of one log."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, object], str] = {}
        self.counts: Counter[str] = Counter()

    def number(self, word: str, found: object) -> str:
        """The number of what is one and the same."""
        if (word, found) not in self.numbers:
            self.counts[word] += 1
            self.numbers[word, found] = f"{word}{self.counts[word]}"
        return self.numbers[word, found]

    def size(self, found: values.Size) -> str:
        """The length of an axis: one that is not known has a number."""
        return "?" if found is None else self.number("n", found) if isinstance(found, str) else str(found)

    def value(self, found: values.Value) -> str:
        """A value in short."""
        match found:
            case values.ArrayValue():
                shape = "?" if found.shape is None else ",".join(map(self.size, found.shape))
                return f"{found.dtype or '?'}({shape})"
            case values.ScalarValue():
                text = repr(found.value) if found.known or found.value is not None else "?"
                marks = [mark for mark, holds in (("or other", not found.known and text != "?"), ("varies", found.varies)) if holds]
                return " ".join((f"{found.type}:{text}", *marks, *([self.number("item ", found.item)] if found.item else [])))
            case values.ContainerValue():
                items = ["?"] if found.items is None else [self.value(item) for item in found.items]
                named = [f"{key}: {item}" for key, item in zip(found.keys, items)] if found.keys else items
                others = [f"each {self.value(found.each)}"] if found.each is not None else []
                others += [f"key {self.value(found.key)}"] if found.key is not None else []
                return f"{found.type}[{', '.join(repeated([*named, *others]))}]"
            case values.ObjectValue():
                return f"a {found.type}"
            case values.NamedValue():
                return found.name
            case values.UnknownValue():
                return f"?{found.label}"

    def record(self, found: Record) -> str:
        """A record, its class first."""
        return " ".join(" ".join((type(found).__name__.lower(), *self.fields(found))).split())

    def fields(self, found: Record) -> Iterator[str]:
        """What is to be said of a record, field by field."""
        defaults: dict[str, object] = type(found)._defaults  # type: ignore[attr-defined]
        left_out = LEFT_OUT.get(type(found), frozenset())
        for name in type(found).__match_args__:
            held = getattr(found, name)
            if name in left_out or name == "shapes" and held == tuple(shapes(argument.value for argument in found.arguments)):  # type: ignore[attr-defined]
                continue
            if name in USUAL:
                usual, otherwise = USUAL[name]
                if held != usual:
                    yield otherwise if isinstance(held, bool) else f"{otherwise} {held}"
            elif name in defaults and held != defaults[name] or name not in defaults and held not in NOTHING:
                yield self.field(name, held)

    def function(self, found: events.Function) -> str:
        """What is compiled: of its parameters those that are taken to be something."""
        taken = (f"{parameter.name}={self.value(parameter.value)}" for parameter in found.parameters if parameter.value is not None)
        return " ".join((found.kind, found.name, *([f"bound={found.bound}"] if found.bound else []), *taken))

    def field(self, name: str, held: Any) -> str:
        """A field that says something."""
        if name in NUMBERED:
            return self.number(NUMBERED[name], held)
        if held is True and name not in PLAIN:
            return name.replace("_", " ")
        if name == "modality":
            return " ".join(f"if {self.form(condition)}" for condition in held.conditions) + "".join(
                f" presumed {p}" for p in held.presumed
            )
        if name == "size":
            return f"size={self.size(held)}"
        if name == "shapes":
            return f"shapes=({', '.join('?' if shape is None else ','.join(map(self.size, shape)) for shape in held)})"
        return self.form(held) if name in PLAIN else f"{name}={self.form(held)}"

    def form(self, held: Any) -> str:
        """What a field holds."""
        match held:
            case events.Where():
                return place(held.span)
            case values.Step():
                return place(held.place)
            case events.Function():
                return self.function(held)
            case events.Argument(name=name, value=given):
                more = [self.field(field, getattr(held, field)) for field in held.__match_args__[3:] if getattr(held, field) not in NOTHING]
                return " ".join((f"{name}={self.value(given)}", *more))
            case _ if isinstance(held, VALUES):
                return self.value(held)
            case Record():
                return " ".join(self.fields(held))
            case Span():
                return place(held)
            case tuple():
                return f"({', '.join(repeated(map(self.form, held)))})"
            case frozenset():
                return f"{{{', '.join(sorted(map(self.form, held)))}}}"
        return " ".join(str(held).split())


VALUES = (values.ArrayValue, values.ScalarValue, values.ContainerValue, values.ObjectValue, values.NamedValue, values.UnknownValue)


def shapes(given: Iterable[values.Value]) -> Iterator[tuple[values.Size, ...] | None]:
    """The shapes of the arrays in values."""
    for found in given:
        if isinstance(found, values.ArrayValue):
            yield found.shape
        elif isinstance(found, values.ContainerValue):
            yield from shapes(found.items or ())
