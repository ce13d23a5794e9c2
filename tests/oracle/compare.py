"""A recording against an abstract interpreter: what it fails to cover, and how precise it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from .abstract import AbstractFile, AbstractView
from .model import FileRecording, Kind, Observed, Path, Point, PointKey, Range, Recording

FlawKind = Literal["failed", "not entered", "unreachable", "missing point", "uncovered", "unexplained top", "exception"]
"""failed: the abstract interpreter raised or did not end; not entered: a function that was entered; unreachable: a statement that was executed; missing point: a value was seen at a point that was not
reached; uncovered: a value that the abstract one does not stand for; unexplained top: no reason is recorded; exception: one that a `raise`
statement raised left a function that it was believed not to leave."""
FLAWS: tuple[FlawKind, ...] = ("failed", "not entered", "unreachable", "missing point", "uncovered", "unexplained top", "exception")


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that happened and that the abstract interpreter does not account for. `text`: the source at the place, shortened."""

    kind: FlawKind
    file: str
    start: int
    end: int
    detail: str
    text: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.file}:{self.start}-{self.end} `{self.text}` {self.detail}"


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a comparison. `points` counts those that held a value, `by_node` those of each syntax node with the exact ones.

    `inexact` counts, for points that are neither exact nor top, what was seen there; `reasons` counts why points are top. `vague` are the exact
    points that held one scalar, or lists, tuples or arrays of one length or shape, and are believed to hold another one as well.
    `implicit` counts exceptions that no `raise` of the program raised and that were believed not to leave: for information.
    """

    flaws: tuple[Flaw, ...] = ()
    points: int = 0
    exact: int = 0
    tops: int = 0
    implicit: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    by_node: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    inexact: tuple[Flaw, ...] = ()
    vague: tuple[Flaw, ...] = ()

    @property
    def share_exact(self) -> float:
        return self.exact / self.points if self.points else 1.0

    def count(self, kind: FlawKind) -> int:
        return sum(flaw.kind == kind for flaw in self.flaws)

    def text(self, most: int = 20) -> str:
        """The report for people: figures, then at most so many flaws."""
        lines = [f"{self.points} points, {self.share_exact:.1%} exact, {self.tops} top, {len(self.flaws)} flaws"]
        lines += [f"  {kind}: {self.count(kind)}" for kind in FLAWS if self.count(kind)]
        lines += [f"  implicit exceptions: {self.implicit}"] if self.implicit else []
        lines += [f"  {node}: {exact} of {count} exact" for node, (count, exact) in sorted(self.by_node.items()) if exact < count]
        lines += [f"  top: {reason or '(no reason)'}: {count}" for reason, count in self.reasons.most_common(most)]
        return "\n".join([*lines, *(f"  {flaw}" for flaw in self.flaws[:most])])


def compare(recording: Recording, abstract: Mapping[str, AbstractFile], texts: Mapping[str, str] | None = None) -> Report:
    """Compare what happened with what is believed. `texts` are the files' texts, quoted in flaws.

    What stands in a function that was not entered, or in a statement believed unreachable, is one flaw and not one for each point.
    """
    reports = []
    for file, happened in recording.files.items():
        quote = _Quote(file, (texts or {}).get(file, ""))
        believed = abstract.get(file)
        if believed is not None:
            reports.append(_compare_file(quote, happened, believed))
        elif happened.statements:
            reports.append(
                Report((quote.flaw("unreachable", min(happened.statements), "the file was not run"),), points=len(happened.points))
            )
    return total(reports)


def total(reports: Iterable[Report]) -> Report:
    """The reports of several programs as one."""
    every = list(reports)
    nodes: dict[str, tuple[int, int]] = {}
    for report in every:
        for node, (count, exact) in report.by_node.items():
            before = nodes.get(node, (0, 0))
            nodes[node] = before[0] + count, before[1] + exact
    return Report(
        tuple(flaw for report in every for flaw in report.flaws),
        sum(report.points for report in every),
        sum(report.exact for report in every),
        sum(report.tops for report in every),
        sum(report.implicit for report in every),
        sum((report.reasons for report in every), Counter()),
        nodes,
        tuple(flaw for report in every for flaw in report.inexact),
        tuple(flaw for report in every for flaw in report.vague),
    )


@dataclass(frozen=True, slots=True)
class _Quote:
    file: str
    text: str

    def flaw(self, kind: FlawKind, at: Range | PointKey, detail: str) -> Flaw:
        return Flaw(kind, self.file, at.start, at.end, detail, " ".join(self.text[at.start : at.end].split())[:60])


def _compare_file(quote: _Quote, happened: FileRecording, believed: AbstractFile) -> Report:
    entered, reachable = set(believed.entered), set(believed.reachable)
    lost_functions = [function for function in happened.entered if function not in entered]
    flaws = [quote.flaw("not entered", function, happened.entered[function]) for function in _outermost(lost_functions)]
    lost = [item for item in happened.statements if item not in reachable and not _within(item, lost_functions)]
    roots = _outermost(lost)
    flaws += [quote.flaw("unreachable", item, "was executed") for item in roots]
    hidden = [*lost_functions, *roots]
    nodes: dict[str, tuple[int, int]] = {}
    reasons: Counter[str] = Counter()
    inexact: list[Flaw] = []
    vague: list[Flaw] = []
    exact = tops = 0
    for key, point in happened.points.items():
        view = believed.points.get(key)
        is_exact = False
        if view is None:
            if not _within(Range(key.start, key.end), hidden):
                flaws.append(quote.flaw("missing point", key, f"{key.kind}, {point.node}: {_list(point.seen)}"))
        else:
            uncovered = [item for item in point.seen if not view.covers(item)]
            if uncovered:
                flaws.append(quote.flaw("uncovered", key, f"{key.kind}, {point.node}: {_list(uncovered)}"))
            for path, items in _uncovered_inside(point, view).items():
                flaws.append(quote.flaw("uncovered", key, f"{key.kind}, {point.node}, in it {''.join(map(str, path))}: {_list(items)}"))
            if view.is_top:
                tops += 1
                reasons[view.reason] += 1
                if not view.reason:
                    flaws.append(quote.flaw("unexplained top", key, f"{key.kind}, {point.node}"))
            else:
                is_exact = not uncovered and view.exact(point.kinds) and not _admits_more(view.kinds(), point.kinds)
                if not is_exact and not uncovered:
                    inexact.append(quote.flaw("uncovered", key, f"{key.kind}, {point.node}: {_list(sorted(map(str, point.kinds)))}"))
                elif is_exact and _is_vague(point, view):
                    vague.append(quote.flaw("uncovered", key, f"{key.kind}, {point.node}: {_list(point.seen)}"))
        exact += is_exact
        count, good = nodes.get(point.node, (0, 0))
        nodes[point.node] = count + 1, good + is_exact
    left = [(function, item) for function, items in happened.left.items() for item in items if not believed.may_leave(function, item)]
    left = [(function, item) for function, item in left if function not in lost_functions]
    flaws += [quote.flaw("exception", function, item.name) for function, item in left if item.explicit]
    implicit = sum(not item.explicit for _, item in left)
    return Report(tuple(flaws), len(happened.points), exact, tops, implicit, reasons, nodes, tuple(inexact), tuple(vague))


def _uncovered_inside(point: Point, view: AbstractView) -> dict[Path, list[Observed]]:
    """What lay in a value and is believed not to; nothing below such a place, nor in a value that is itself not covered."""
    found: dict[Path, list[Observed]] = {}
    views: dict[Path, list[AbstractView]] = {(): [view]} if all(map(view.covers, point.seen)) else {}
    for path, seen in sorted(point.inside.items(), key=lambda item: len(item[0])):
        if path[:-1] in views:
            here = [below for above in views[path[:-1]] for below in above.inside(path[-1])]
            missed = [item for item in seen if not any(below.covers(item) for below in here)]
            if missed:
                found[path] = missed
            else:
                views[path] = here
    return found


def _is_vague(point: Point, view: AbstractView) -> bool:
    """Whether a point that held one value is believed to hold others of its kind."""
    return len(point.seen) == 1 and point.complete and any(view.covers(other) for other in _others(point.seen[0]))


def _others(seen: Observed) -> list[Observed]:
    """Values of the same kind that are not the one that was seen, as far as that was distinguished."""
    value = seen.value
    if seen.known:
        if isinstance(value, bool):
            return [replace(seen, value=not value)]
        if isinstance(value, (int, float)):
            return [replace(seen, value=value + 1), replace(seen, value=value - 1)]
        return [replace(seen, value=f"{value}'")] if isinstance(value, str) else []
    if seen.shape:
        return [replace(seen, shape=(seen.shape[0] + 1, *seen.shape[1:]))]
    return [replace(seen, length=seen.length + 1)] if seen.length is not None and seen.kind.tag in ("list", "tuple") else []


def _admits_more(admitted: frozenset[Kind] | None, seen: frozenset[Kind]) -> bool:
    """Whether listed kinds go beyond what was seen, by what every interpreter can name: tags, and rank and dtype of arrays."""
    tags = {kind.tag for kind in seen}
    return any(kind.tag not in tags or (kind.tag == "array" and kind not in seen) for kind in admitted or ())


def _outermost(ranges: Iterable[Range]) -> list[Range]:
    """Those that do not stand in another of them."""
    found: list[Range] = []
    for item in sorted(ranges, key=lambda item: (item.start, -item.end)):
        if not found or not _within(item, found[-1:]):
            found.append(item)
    return found


def _within(item: Range, ranges: Sequence[Range]) -> bool:
    return any(other.start <= item.start and item.end <= other.end for other in ranges)


def _list(items: Iterable[object], most: int = 4) -> str:
    texts = [str(item) for item in items]
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")
