"""How a rule makes a finding: what becomes of severities, the related spans, the words that all share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from mxlint.facts.events import Compiled, Condition, Modality, Read, Way, Where
from mxlint.finding import SEVERITIES, Finding, Related, Severity, Span
from mxlint.fixes.remedies import Remedy
from mxlint.headline import LONGEST, fitted, hanging
from mxlint.rules.rule import Rule

EVAL_ERROR = "ValueError: [eval] Attempting to eval an array during function transformations like compile or vmap is not allowed"


def quoted(text: str, width: int = 48) -> str:
    """Source text in one short line, between backticks."""
    text = " ".join(text.split())
    return f"`{text if len(text) <= width else text[: width - 1] + '…'}`"


def name_of(compiled: Compiled) -> str:
    """How to speak of the compiled function: by its own name, where it is compiled by another one, as the parameter of a decorator or of a helper."""
    if compiled.form == "lambda":
        return "the lambda"
    own = compiled.function.name.rpartition(".")[2]
    return quoted(own if compiled.text.isidentifier() and compiled.function.kind in ("function", "method") else compiled.text)


def function_of(compiled: Compiled) -> Span | None:
    """Where the compiled function is defined, if its source is in sight."""
    where = compiled.function.where
    return where.span if where is not None else None


def line(where: Where, beside: Where) -> str:
    """Where a place is, in words, to a reader who is shown another one: the file is named if it is not that one's."""
    row, file = where.span.start.row, where.span.filename
    return f"line {row}" if file == beside.span.filename else f"{PurePath(file).name}:{row}"


def enumerated(parts: Iterable[str]) -> str:
    """Different parts of a sentence, each once: `a, b and c`."""
    *others, last = dict.fromkeys(parts)
    return f"{', '.join(others)} and {last}" if others else last


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
    """The severity of what happens under conditions or on presumptions; None: silent."""
    place = SEVERITIES.index(severity) + modality.steps
    return SEVERITIES[place] if place < len(SEVERITIES) else None


def conditions_of(modality: Modality) -> tuple[str, ...]:
    """What has to come about for it to happen, in words."""
    return tuple(map(_condition, modality.conditions))


def _condition(condition: Condition) -> str:
    if condition.cause == "client":
        return f"if {quoted(condition.where.text)} runs after the first call"
    if condition.way == "value" and condition.default:
        return f"with the default of {quoted(condition.where.text)}"
    return _WORDS[condition.way][condition.outcome is not False].format(quoted(condition.where.text))


_WORDS: Final[Mapping[Way, tuple[str, str]]] = {
    "test": ("when {} is false", "when {} is true"),
    "rounds": ("when {} is empty", "when {} is not empty"),
    "several": ("when {} has at most one element", "when {} has two or more elements"),
    "axes": ("when an array has the axes that {} wants", "when an array has other axes than {} wants"),
    "lacks": ("when {} is there", "when {} is not there"),
    "handler": ("unless {} runs", "if {} runs"),
    "exception": ("unless an exception comes to {}", "if an exception comes to {}"),
    "installed": ("unless {} calls what was put there", "if {} calls what was put there"),
    "callback": ("unless {} calls what it is given", "if {} calls what it is given"),
    "prepared": ("unless {} runs before", "if {} runs before"),
    "optimizer": ("unless {} is a step of an optimizer", "if {} is a step of an optimizer"),
    "shared": ("unless {} changes what was read", "if {} changes what was read"),
    "value": ("for some values of {}", "for some values of {}"),
    "outcome": ("for some outcomes of {}", "for some outcomes of {}"),
}
"""How to say what a condition depends on, where its outcome is false and where it is not."""


def worded(message: str, note: str, modality: Modality) -> tuple[str, str]:
    """Headline and note: what it depends on ends the headline, and begins the note where that would get too long."""
    hang = hanging(conditions_of(modality), modality.presumed)
    if not hang:
        return fitted(message), note
    whole = f"{message} ({hang})"
    return (whole, note) if len(whole) <= LONGEST else (fitted(message), f"only {hang}" + (f"; {note}" if note else ""))


def module_of(read: Read) -> str:
    """The module that holds what is read, as the body calls it; "" where that is a list or dict, which may be called `state` as well."""
    is_state = read.container.endswith(".state") and ".state[" not in read.name
    return read.container.removesuffix(".state") if is_state else ""


def finding(
    rule: Rule, where: Where, message: str, help: str, compiled: Compiled | None, modality: Modality, *,
    severity: Severity | None = None, within: str = "", calls: Iterable[Where] = (), also: Iterable[tuple[str, Where]] = (), uncalled: Span | None = None,
    remedy: Remedy | None = None, right_on: tuple[str, ...] = (), note: str = "", cause: str = "",
) -> Iterator[Finding]:  # fmt: skip
    """A finding with its related spans, at the severity that its modality leaves; nothing if it leaves none. `message`: its headline, which says what
    happens; `note`: why, and what MLX says; `severity`: where it is not the rule's; `uncalled`: where the function is compiled, if no call is in sight; `right_on`: devices on which it was measured not to happen;
    `cause`: what it says of the compiled object, if several expressions may show it."""
    full = severity or rule.severity
    effective = lowered(full, modality)
    if effective is None:
        return
    related = [Related(text, place.span) for text, place in also]
    if compiled is not None:
        related.append(Related("compiled here", compiled.site.span))
    related += [Related("called from here", call.span) for call in dict.fromkeys(calls) if call.span != where.span]
    headline, note = worded(message, note, modality)
    yield Finding(
        rule.code,
        effective,
        headline,
        help,
        where.span,
        within or (compiled.within if compiled is not None and compiled.site.span == where.span else "") or None,
        tuple(related),
        claimed=full if effective != full else None,
        remedy=remedy,
        uncalled=uncalled,
        right_on=right_on,
        note=note,
        conditions=conditions_of(modality),
        presumed=modality.presumed,
        cause=cause,
    )
