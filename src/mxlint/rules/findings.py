"""How a rule makes a finding: what becomes of severities, the related spans, the words that all share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from mxlint.facts.events import Compiled, Modality, Where
from mxlint.finding import SEVERITIES, Finding, Related, Severity
from mxlint.fixes.remedies import Remedy
from mxlint.rules.rule import Rule

EVAL_ERROR = "ValueError: [eval] Attempting to eval an array during function transformations like compile or vmap is not allowed"


def quoted(text: str, width: int = 48) -> str:
    """Source text in one short line, between backticks."""
    text = " ".join(text.split())
    return f"`{text if len(text) <= width else text[: width - 1] + '…'}`"


def name_of(compiled: Compiled) -> str:
    """How to speak of the compiled function."""
    return quoted(compiled.text) if compiled.form != "lambda" else "the compiled lambda"


def line(where: Where) -> str:
    """Where a place is, in words."""
    return f"line {where.span.start.row}"


def among(versions: Collection[str], judged: Sequence[str]) -> str:
    """Some of the versions of MLX that were judged, as ` with mlx 0.25.2 to 0.28.0`; nothing where it is all of them."""
    runs: list[list[str]] = []
    for before, version in zip(("", *judged), judged):
        if version in versions:
            if runs and runs[-1][-1] == before:
                runs[-1].append(version)
            else:
                runs.append([version])
    words = [run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return f" with mlx {' and '.join(words)}" if len(versions) < len(judged) else ""


def lowered(severity: Severity, modality: Modality) -> Severity | None:
    """The severity of what happens under conditions or on a presumption: one step lower for each of the two; None: silent."""
    steps = bool(modality.conditions) + bool(modality.presumed)
    place = SEVERITIES.index(severity) + steps
    return SEVERITIES[place] if place < len(SEVERITIES) else None


def hanging(modality: Modality) -> str:
    """The conditions and presumptions in words, to end a message with."""
    words = []
    for condition in modality.conditions[:2]:
        if condition.cause == "client":
            words.append(f"if {quoted(condition.where.text)} runs after the first call")
        elif condition.outcome is None:
            words.append(f"if {quoted(condition.where.text)} comes to that")
        else:
            words.append(f"when {quoted(condition.where.text)} is {'true' if condition.outcome else 'false'}")
    words += [f"if {presumption}" for presumption in modality.presumed]
    return f" ({', '.join(words)})" if words else ""


def finding(
    rule: Rule, where: Where, message: str, help: str, compiled: Compiled | None, modality: Modality, *,
    severity: Severity | None = None, within: str = "", calls: Iterable[Where] = (), also: Iterable[tuple[str, Where]] = (), uncalled: bool = False,
    remedy: Remedy | None = None, right_on: tuple[str, ...] = (),
) -> Iterator[Finding]:  # fmt: skip
    """A finding with its related spans, at the severity that its modality leaves; nothing if it leaves none. `severity`: where it is not the rule's;
    `right_on`: devices on which it was measured not to happen."""
    full = severity or rule.severity
    effective = lowered(full, modality)
    if effective is None:
        return
    related = [Related(text, place.span) for text, place in also]
    if compiled is not None:
        related.append(Related("compiled here", compiled.site.span))
    related += [Related("called from here", call.span) for call in calls if call.span != where.span]
    yield Finding(
        rule.code,
        effective,
        message + hanging(modality),
        help,
        where.span,
        within or (compiled.within if compiled is not None else "") or None,
        tuple(related),
        claimed=full if effective != full else None,
        remedy=remedy,
        uncalled=compiled.site.span if compiled is not None and uncalled else None,
        right_on=right_on,
    )
