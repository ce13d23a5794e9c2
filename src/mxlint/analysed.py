"""What is known of one file after its analysis: findings, compile sites, and how far they were followed. Reading what was kept needs no interpreter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mxlint.finding import Finding, Span

if TYPE_CHECKING:
    from mxlint.facts.events import Log


@dataclass(frozen=True, slots=True)
class SiteReport:
    """One place where something is compiled: its form, what is compiled, the options as written, and what its trace was seen to do.

    `takes` are the parameters, `freezes` the names of outside values that become constants, `mutates` the outside things it writes, `draws` the
    random draws without a key; `calls` counts the calls in sight. `followed`: how far its traces were: full, partial, or none where there is no trace.
    `because`: what kept it from being followed in full, by place.
    """

    span: Span
    form: str
    compiled: str
    options: Mapping[str, str]
    object: str | None
    takes: tuple[str, ...] = ()
    freezes: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()
    draws: tuple[str, ...] = ()
    calls: int = 0
    followed: str = "none"
    because: tuple[tuple[Span, str], ...] = ()

    @property
    def key(self) -> str:
        """What the cache distinguishes calls by."""
        shapes = "number of dimensions and dtype" if self.options.get("shapeless") == "True" else "shape and dtype"
        return f"{shapes} of every array, value of every number and string, in {', '.join(self.takes) or 'no argument'}"


def come_to(site: SiteReport, elsewhere: Sequence[SiteReport]) -> SiteReport:
    """A site as far as other files were seen to come to it, where nothing in its own file does: a helper compiles what these hand to it. It is followed
    in full if each of them was."""
    if site.followed != "none" or not elsewhere:
        return site
    return replace(
        site,
        takes=elsewhere[0].takes,
        freezes=tuple(dict.fromkeys(name for other in elsewhere for name in other.freezes)),
        mutates=tuple(dict.fromkeys(name for other in elsewhere for name in other.mutates)),
        draws=tuple(dict.fromkeys(name for other in elsewhere for name in other.draws)),
        calls=sum(other.calls for other in elsewhere),
        followed="full" if all(other.followed == "full" for other in elsewhere) else "partial",
        because=tuple(sorted({reason for other in elsewhere for reason in other.because})),
    )


def coverage(sites: Collection[SiteReport]) -> dict[str, int]:
    """How many sites there are, and how many of them are followed in full, in part and not at all."""
    return {"sites": len(sites), "full": 0, "partial": 0, "none": 0, **Counter(site.followed for site in sites)}


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of one file. The remedy of a finding is a call that makes its fix, which takes analyses of the fixed code. `reasons` counts what could not be followed.

    `elsewhere`: the sites of other files of which it comes to a trace; `called`: the sites of other files whose compiled functions it calls, each call followed. `facts`: None unless they were asked for.
    """

    findings: tuple[Finding, ...]
    sites: tuple[SiteReport, ...]
    reasons: Mapping[str, int] = field(default_factory=dict)
    elsewhere: tuple[SiteReport, ...] = ()
    called: frozenset[Span] = frozenset()
    facts: Log | None = None
    imprecise: tuple[tuple[Span, str], ...] = ()
    """What could not be followed, by place."""
