"""What `mxlint sites` prints: each place where something is compiled, what it is, and how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mxlint.report.ascii import dumped
from mxlint.report.json import place, tool
from mxlint.report.places import place_of
from mxlint.report.style import Style, at_start, one_line

if TYPE_CHECKING:
    from mxlint.finding import Span
    from mxlint.result import Result


HOW_FAR = {"full": "in full", "partial": "in part", "none": "not at all, as nothing in sight comes to a trace of it"}
NOT_FOLLOWED = {**HOW_FAR, "none": "not at all, as nothing that was followed comes to a trace of it"}
"""The same where something was not followed, which may come to it."""


def render_text(result: Result, style: Style, *, why: bool = False) -> str:
    """A site: where, what is compiled, by which form, and the options as they are written; below it what its trace was seen to do. `why`: how far each
    was followed as well, and at the end each place that was not, with the reason."""
    how_far = NOT_FOLLOWED if result.imprecise else HOW_FAR
    lines = []
    for site in result.sites:
        where = f"{at_start(str(place_of(site.span, result.sources)))}:"
        options = "".join(f"  {name}={' '.join(text.split())}" for name, text in site.options.items())
        lines.append(f"{style.bold(where)} {one_line(' '.join(site.compiled.split()))}  ({site.form}){one_line(options)}\n")
        details = (
            ("takes", site.takes),
            ("freezes", site.freezes),
            ("mutates", site.mutates),
            ("draws", site.draws),
            ("cache key", (site.key,) if site.takes else ()),
            ("followed", (how_far[site.followed],) if why else ()),
        )
        lines += [f"    {name}: {one_line(', '.join(words))}\n" for name, words in details if words]
        lines += [f"        {place}\n" for place in _places(site.because, result) if why]
    if why and result.imprecise:
        lines.append("\nNot followed:\n")
        lines += [f"{place}\n" for place in _places(result.imprecise, result)]
    return "".join(lines)


def _places(reasons: Sequence[tuple[Span, str]], result: Result) -> list[str]:
    """What was not followed, a line each: where, and why."""
    return [f"{at_start(str(place_of(span, result.sources)))}: {one_line(reason)}" for span, reason in reasons]


def render_json(result: Result) -> str:
    """The sites as a JSON object."""
    sites = [
        {
            **place(site.span, result.sources),
            "form": site.form,
            "compiled": site.compiled,
            "object": site.object,
            "options": dict(site.options),
            "takes": list(site.takes),
            "freezes": list(site.freezes),
            "mutates": list(site.mutates),
            "draws": list(site.draws),
            "cache_key": site.key,
            "calls": site.calls,
            "followed": site.followed,
            "because": _reasons(site.because, result),
        }
        for site in result.sites
    ]
    errors = [{"filename": problem.name, "message": problem.message} for problem in result.problems]
    return dumped({"version": 1, "tool": tool(result), "sites": sites, "imprecise": _reasons(result.imprecise, result), "errors": errors})


def _reasons(reasons: Sequence[tuple[Span, str]], result: Result) -> list[dict[str, Any]]:
    """What was not followed, as JSON objects: where, and why."""
    return [{**place(span, result.sources), "reason": reason} for span, reason in reasons]
