"""From events to findings: spans, related spans, and the words that several rules share."""

from __future__ import annotations

from collections.abc import Iterable

from mxlint.facts.events import Element, Where
from mxlint.finding import Finding, Related, Severity, Span
from mxlint.fixes.remedies import Remedy
from mxlint.rules.registry import RULES
from mxlint.tracing.events import Record
from mxlint.tracing.values import Place, Step

EVAL_ERROR = "ValueError: [eval] Attempting to eval an array during function transformations like compile or vmap is not allowed"


def span(place: Place) -> Span:
    where: Span = place.source.span(place.start, place.end)
    return where


def line(place: Place) -> str:
    """Where a place is, in words: `line 7`, or `model.py line 7` seen from another file."""
    return f"line {place.source.position(place.start).row}"


def quoted(text: str, width: int = 48) -> str:
    """Source text in one short line, between backticks."""
    text = " ".join(text.split())
    return f"`{text if len(text) <= width else text[: width - 1] + '…'}`"


def name_of(record: Record) -> str:
    """How to speak of the compiled function."""
    return quoted(record.compiled) if record.form != "lambda" else "the compiled lambda"


def containers(record: Record) -> tuple[str, ...]:
    """The containers that inputs= and outputs= give, each as it is written, those of a list one by one."""
    captures = [capture for capture in (record.inputs, record.outputs) if capture is not None]
    return tuple(dict.fromkeys(text for capture in captures for text in [place.text for _, place in capture.elements] or [capture.text]))


def elements(record: Record) -> tuple[Element, ...]:
    """The same in the words of the facts."""
    captures = [capture for capture in (record.inputs, record.outputs) if capture is not None]
    places = [place for capture in captures for place in [place for _, place in capture.elements] or [capture.place]]
    return tuple(Element(Where(span(place), place.text), "list", None) for place in places)


def is_test(parts: Iterable[str]) -> bool:
    """Whether the parts of a path or of a qualified name belong to tests."""
    return any(part.lower().startswith(("test", "conftest.")) for part in parts)


def in_versions(versions: tuple[str, ...], judged: tuple[str, ...]) -> str:
    """Some of the versions judged in words, as ` with mlx 0.25.2 to 0.28.0`; nothing where it is all of them."""
    runs: list[list[str]] = []
    for before, version in zip(("", *judged), judged):
        if version in versions:
            if runs and runs[-1][-1] == before:
                runs[-1].append(version)
            else:
                runs.append([version])
    words = [run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return f" with mlx {' and '.join(words)}" if len(versions) < len(judged) else ""


def finding(
    code: str, place: Place, message: str, help: str, record: Record | None = None, *, object: str = "", calls: Iterable[Place] = (),
    chain: Step | None = None, also: Iterable[tuple[str, Place]] = (), severity: Severity | None = None, remedy: Remedy | None = None,
    right_on: tuple[str, ...] = (),
) -> Finding:  # fmt: skip
    """A finding with its related spans: where it was compiled, the calls between, and the chain that leads to the expression."""
    related = [Related(text, span(where)) for text, where in also]
    if record is not None:
        related.append(Related("compiled here", span(record.site)))
    related += [Related("called from here", span(call)) for call in calls if call != place]
    if chain is not None:
        steps = [
            step
            for step in chain.steps()
            if not (step.place.source is place.source and step.place.start >= place.start and step.place.end <= place.end)
        ]
        related += [Related(f"the placeholder comes from here: {quoted(step.place.text)}", span(step.place)) for step in steps[-2:]]
    return Finding(
        code,
        severity or RULES[code].severity,
        message,
        help,
        span(place),
        object or (record.object if record else None) or None,
        tuple(related),
        remedy=remedy,
        uncalled=span(record.site) if record is not None and not record.calls else None,
        right_on=right_on,
    )
