"""All rules over the facts of a run, and which of several findings on one expression speaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mxlint.facts.events import EXPORT
from mxlint.finding import SEVERITIES, Finding, Position, Span
from mxlint.rules.precedence import gives_way_to
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def judge(program: Program, rules: Mapping[str, Rule]) -> Iterator[Finding]:
    """The findings of all rules, each once, without those that give way to another on the same expression or of the same compiled object."""
    found: dict[tuple[str, Span], Finding] = {}
    exported = {compiled.site.span for compiled in program.log.compiled if compiled.form == EXPORT}
    for rule in rules.values():
        for finding in rule.check(program) if rule.check is not None else ():
            if not rule.exports and finding.site in exported:
                continue
            key = (finding.code, finding.span)
            present = found.get(key)
            # One that depends on less says more.
            if present is None or SEVERITIES.index(finding.severity) < SEVERITIES.index(present.severity):
                found[key] = finding
    at: dict[Span, list[Finding]] = {}
    beginning: dict[tuple[str, Position], set[str]] = {}
    of: dict[Span, set[str]] = {}
    for finding in found.values():
        at.setdefault(finding.span, []).append(finding)
        beginning.setdefault((finding.span.filename, finding.span.start), set()).add(finding.code)
        of.setdefault(finding.site, set()).add(finding.code)
    for finding in found.values():
        rule = rules[finding.code]
        gone = (
            gives_way_to(finding, rule.after, at[finding.span])
            or beginning[finding.span.filename, finding.span.start].intersection(rule.after_around)
            or of[finding.site].intersection(rule.after_in_object)
        )
        if not gone:
            yield finding
