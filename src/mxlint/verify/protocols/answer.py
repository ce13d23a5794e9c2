"""What a protocol answers, and the words that all of them use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mxlint.finding import Evidence
from mxlint.verify.comparison import Call, Claim, Comparison
from mxlint.verify.protocols.cost import Cost
from mxlint.verify.runner import Job, Mode
from mxlint.verify.variants import without
from mxlint.verify.witness import PLACE, Form

if TYPE_CHECKING:
    from mxlint.verify.bench import Bench


@dataclass(frozen=True, slots=True)
class Answer:
    """`word`: seen, contradicted (the run established all that the claim needs, and it did not happen), or unclear for a `reason`.

    `held`: what was seen counts only if the uncompiled program does the same once the flagged expression keeps its first value.
    """

    word: Literal["seen", "contradicted", "unclear"]
    reason: str | None = None
    evidence: Evidence | None = None
    held: bool = False


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a rule is put to the test: what the run has to show, and what it takes to see that.

    *What the child records.* `results`, `state`, `memory`, `graph`, `clocks`, `transforms`, `random`. `calls`: so many tell all, `survey`: but so
    many of the uncompiled program.

    *Which program.* `stateful`: it is about what else a program does with what is compiled and captured. `sizes`: which sizes of made-up arrays
    change from call to call; `lengths`: what becomes of an axis of length 1 is told beside it. `raises`: calls that are made up are to include
    one that raises there. `fused`: it is about what becomes of the graph, its memory, its shapes or its time, so that kernels are built.
    `switched`: it is about programs in which compilation is off. `reference`: what the program is compared with. `attempts`: the kinds of further
    calls (child/attempts.py) that may bring it about where the program's own calls do not. `changing`: it is about something that is read and
    changes between calls, by hand where no change is in sight. `witness`: the smallest program that shows it.

    *What the claim is about.* `site`: the flagged place may be, or must be, the one where something is compiled. `kinds`: whether a value is an
    array. `counts`: how often something is traced, whatever it computes. `unstable`: values that no two runs share, so that the reference need not be the same twice.
    `later`: a call that uses the trace of an earlier one, which only calls of one thread do. `complete`: what is never done, so that a run which
    left out a call in sight shows nothing. `traces`: traces that need not be, or do too much: a fix has to show one that is used again.
    `incomplete`: what is computed is not all that was meant, so that a fix has to agree with its own program, uncompiled.

    `origin`: how it is told that what was seen comes from the flagged expression; without, `judge` sees it by row, or by what was raised there.
    `instead`: the program with other things in the place of that expression.
    `cost`: how what it costs is taken, if it is about time.
    """

    judge: Callable[[Comparison], Answer]
    origin: Origin | None = None
    instead: Callable[[Job, Claim], Iterator[tuple[str, Job]]] = without
    cost: Cost | None = None
    results: bool = False
    state: bool = False
    memory: bool = False
    unstable: bool = False
    raises: bool = False
    calls: int = 24
    survey: int = 0
    graph: bool = False
    clocks: bool = False
    transforms: bool = False
    random: bool = False
    fused: bool = False
    switched: bool = False
    reference: Mode = "plain"
    later: bool = False
    complete: bool = False
    attempts: tuple[str, ...] = ()
    stateful: bool = False
    sizes: Literal["", "leading", "all"] = ""
    lengths: bool = False
    changing: bool = False
    witness: Form | None = None
    site: Literal["no", "may be", "must be"] = "no"
    kinds: bool = False
    counts: bool = False
    traces: bool = False
    incomplete: bool = False

    @property
    def lazy(self) -> bool:
        """Whether it is about what has been computed, which whoever uses that sees to."""
        return self.reference == "computed"


Origin = Callable[["Bench", "Job", Comparison, Protocol, Answer], "str | None"]
"""Why it cannot be said that what was seen comes from the flagged expression; None if it does."""


PLACEHOLDER = ("array without a primitive", "on evaled arrays")


UNCAPTURED = ("uncaptured inputs",)


NOT_THERE = "the flagged expression was not reached in a trace"


def seen(kind: str, observed: str, expected: str, **more: Any) -> Answer:
    return Answer("seen", None, Evidence(kind, observed, expected, **more))


def unclear(reason: str) -> Answer:
    return Answer("unclear", reason)


def unreached(comparison: Comparison) -> Answer:
    """The answer where the run did not come to what is flagged, with the reason."""
    if not comparison.real["objects"]:
        return unclear(f"{NOT_THERE}: nothing was compiled{ending(comparison)}")
    if not comparison.real["calls"]:
        if any(made["threads"] for made in comparison.real["objects"]):
            return unclear(f"{NOT_THERE}: only other threads than the main one call it, where calls are not looked at")
        return unclear(f"{NOT_THERE}: no compiled function was called{ending(comparison)}")
    return unclear(NOT_THERE + ending(comparison))


def ending(comparison: Comparison) -> str:
    run = comparison.real
    return f"; the program ended with {run['detail']}" if run["status"] in ("raised", "exit") else ""


def unless_called(comparison: Comparison, what: str) -> Answer:
    """The answer that nothing was seen to happen (`what`), if two calls show it."""
    pairs = list(comparison.pairs)
    if len(pairs) > 1 and comparison.established and all(real["error"] is None for _, real, _ in pairs) and "result" in pairs[0][1]:
        return Answer("contradicted", what)
    return unclear("fewer than two calls of the compiled function")


def count_traces(comparison: Comparison) -> int:
    return sum(call["traced"] for call in comparison.calls(comparison.real))


def traced(calls: Sequence[Call]) -> dict[str, Any]:
    """The traces of these calls, as evidence."""
    per_call = tuple(call["traced"] for call in calls)
    return {"traces": sum(per_call), "calls": len(per_call), "per_call": per_call}


def says(message: str, texts: tuple[str, ...]) -> bool:
    """Whether a message of MLX contains one of some texts."""
    return any(text in message for text in texts)


def first_line(message: str) -> str:
    return (message.splitlines() or [""])[0]


def described(item: object) -> str:
    """An exception that a run has noted, in words."""
    assert isinstance(item, dict)
    where = f" at {item['file']}:{item['row']}" if item["row"] and item["file"] not in ("", PLACE) else ""
    said = first_line(item["message"])
    return f"{item['type']}: {said.removesuffix('.') if where else said}{where}"


def short(name: str) -> str:
    return name.removeprefix("__main__.").rpartition(".")[2]
