"""The page: what was found, the code it is about, what real MLX says of it, and pictures of what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from mxlint import __version__
from mxlint.finding import VERDICTS, Evidence, Finding, Slowdown, Span, Verdict
from mxlint.report.excerpt import held, number_of, shown
from mxlint.report.footer import footer
from mxlint.report.html.charts import bounds, duration, ratio, shares, times, timings, traces
from mxlint.report.html.elements import Content, append, element, write
from mxlint.report.places import place_of
from mxlint.resources import resource
from mxlint.rules.registry import NAMES
from mxlint.source import Source

if TYPE_CHECKING:
    from mxlint.result import Result

CONTEXT = 2
MOST_ROWS, MOST_COLUMNS = 24, 400
TAB = "    "
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The page asks for nothing, whatever is in it."""
MEANINGS = {
    "confirmed": "it was seen to happen",
    "refuted": "all that it needs was there, and two runs contradict it",
    "inconclusive": "neither; the reason is given",
    "unavailable": "it could not be run here",
}
LEVELS = {
    "in-place": "in-place: your function in its real context",
    "stand-in": "stand-in: your function, with parts of its context replaced",
    "witness": "witness: only the construct in question",
}
FIXES = {
    "resolves": "it resolves this: the pitfall is gone, and the result is that of the uncompiled program",
    "fails": "it does not resolve this",
    "changes-result": "it changes what the program computes",
    "untested": "it could not be tested",
}


def render(result: Result) -> str:
    """One file with all of a run."""
    findings = list(enumerate(result.findings, 1))
    title = f"mxlint: {_counted(len(findings), 'finding')}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", resource("report", "html", "style.css").read_text(encoding="utf-8")),
    )
    main = element(
        "main", *_summary(result), *_contents(findings, result), *(_article(number, finding, result) for number, finding in findings)
    )
    return write(element("html", head, element("body", element("header", element("h1", title)), main), lang="en"))


def _summary(result: Result) -> Iterator[Element]:
    yield element("p", *_lines(footer(result).strip()))
    verdicts = [finding.verdict for finding in result.findings if finding.verdict is not None]
    counts = [(word, count) for word in VERDICTS if (count := sum(verdict.verdict == word for verdict in verdicts))]
    if counts:
        key = element("dl")
        for word, count in counts:
            key.extend([element("dt", _chip(word), f" {count}"), element("dd", MEANINGS[word])])
        yield element("figure", shares(counts, "verdicts"), element("figcaption", key))
    version = f"mxlint {__version__}" + (f", for MLX {', '.join(result.mlx_versions)}" if result.mlx_versions else "")
    yield element("p", element("small", version))


def _contents(findings: list[tuple[int, Finding]], result: Result) -> Iterator[Element]:
    """The findings in a table, where there are several."""
    if len(findings) < 2:
        return
    verified = any(finding.verdict is not None for _, finding in findings)
    timed = any(finding.verdict is not None and finding.verdict.slowdown is not None for _, finding in findings)
    heads = ["", "severity", "rule", "place", *(["verdict"] if verified else [])]
    row = element("tr", *(element("th", head, scope="col") for head in heads))
    if timed:
        row.append(element("th", "takes", scope="col", class_="number", title="how many times as long as what it is measured against"))
    body = element("tbody")
    for number, finding in findings:
        verdict = finding.verdict
        cells: list[Content] = [
            element("a", f"#{number}", href=f"#f{number}"),
            _chip(finding.severity),
            element("span", finding.code, " ", element("small", NAMES[finding.code])),
            _place(finding.span, result.sources),
        ]
        cells += [_chip(verdict.verdict) if verdict is not None else None] if verified else []
        line = element("tr", *(element("td", cell) for cell in cells))
        if timed:
            cost = verdict.slowdown if verdict is not None else None
            line.append(element("td", times(cost.ratio) if cost is not None else None, class_="number"))
        body.append(line)
    table = element("table", element("caption", "All findings"), element("thead", row), body)
    yield element("div", table, class_="scroll", role="region", aria_label="All findings", tabindex=0)


def _article(number: int, finding: Finding, result: Result) -> Element:
    name = f"f{number}"
    article = element("article", id=name, class_=finding.severity, aria_labelledby=f"{name}-heading")
    heading = element("h2", _chip(finding.severity), f" {finding.code} ", element("small", f"{NAMES[finding.code]}, #{number}"))
    heading.set("id", f"{name}-heading")
    append(article, heading)
    append(article, element("p", finding.message, class_="message"))
    where: list[Content] = [_place(finding.span, result.sources)]
    where += [" in ", element("code", finding.object)] if finding.object is not None else []
    append(article, element("p", *where))
    append(article, _code(finding.span, result.sources))
    if finding.elsewhere:
        steps = [
            element(
                "div", element("p", f"{related.message}: ", _place(related.span, result.sources)), _code(related.span, result.sources, 0)
            )
            for related in finding.elsewhere
        ]
        append(article, element("details", element("summary", _counted(len(steps), "related place")), *steps))
    if finding.note:
        append(article, element("p", element("strong", "Note: "), finding.note))
    if finding.help:
        append(article, element("p", element("strong", "Help: "), finding.help))
    if finding.verdict is not None:
        for part in _verdict(finding, finding.verdict, name):
            append(article, part)
    return article


def _verdict(finding: Finding, verdict: Verdict, name: str) -> Iterator[Element]:
    yield element("h3", "Verdict: ", _chip(verdict.verdict))
    facts = element("dl")
    for term, told in _facts(finding, verdict):
        facts.extend([element("dt", term), element("dd", told)])
    yield facts
    if verdict.evidence is not None and verdict.evidence.per_call:
        yield _traces(verdict.evidence, name)
    if verdict.slowdown is not None and verdict.slowdown.samples:
        yield from _timings(verdict.slowdown, name)


def _facts(finding: Finding, verdict: Verdict) -> Iterator[tuple[str, str]]:
    evidence, slowdown = verdict.evidence, verdict.slowdown
    if finding.claimed is not None:
        why = " (refuted)" if verdict.verdict == "refuted" else ""
        yield "severity", f"{finding.severity}{why}; its rule's is {finding.claimed}"
    if verdict.level is not None:
        yield "level", LEVELS[verdict.level]
    if verdict.reason is not None:
        yield "reason", verdict.reason
    if verdict.note is not None:
        yield "beside", verdict.note
    if evidence is not None:
        if evidence.function is not None:
            yield "called", f"{evidence.function}({evidence.arguments or ''})"
        yield "observed", evidence.observed
        yield "uncompiled", evidence.expected
        if evidence.note is not None:
            yield "note", evidence.note
    if slowdown is not None:
        yield "takes", f"{bounds(slowdown)} (95 % interval)"
        yield "times", f"{duration(slowdown.observed_ms)} against {duration(slowdown.fixed_ms)}, medians of {slowdown.rounds} rounds"
        if slowdown.first_ms is not None:
            yield "first call", f"{duration(slowdown.first_ms[0])} against {duration(slowdown.first_ms[1])}"
        if slowdown.note is not None:
            yield "timing", slowdown.note
    if finding.fix is not None:
        yield "fix", f"{finding.fix.message} ({finding.fix.applicability})"
    if verdict.fix is not None:
        yield "fixed form", "; ".join(filter(None, (FIXES[verdict.fix], verdict.fix_reason)))
    if verdict.mlx is not None:
        yield "run under", f"MLX {verdict.mlx[0]} on {verdict.mlx[1]}"
    if verdict.guard:
        yield "contained by", ", ".join(verdict.guard)
    if verdict.refused:
        yield "refused", "; ".join(verdict.refused)
    yield "took", f"{verdict.duration:.1f} s"


def _traces(evidence: Evidence, name: str) -> Element:
    told = f"{_counted(sum(evidence.per_call), 'trace')} in {_counted(len(evidence.per_call), 'call')}"
    return element(
        "figure",
        traces(evidence.per_call, f"{name}-traces"),
        element("figcaption", f"A cell for each call, in order; filled: the body was traced. {told}."),
    )


def _timings(slowdown: Slowdown, name: str) -> Iterator[Element]:
    yield element(
        "figure",
        timings(slowdown, f"{name}-timings"),
        element(
            "figcaption", "A dot for each round, a row for each process; shaded: the middle half of the rounds; the line: their median."
        ),
    )
    yield element(
        "figure",
        ratio(slowdown, f"{name}-ratio"),
        element("figcaption", "How many times as long: the estimate and its 95 % interval. The dashed line: no difference."),
    )
    heads = ("process", "rounds", "as it is", "measured against", "ratio")
    body = element("tbody")
    for number, process in enumerate(slowdown.samples, 1):
        medians = [median(pair[form] for pair in process) for form in (0, 1)]
        cells = (*map(duration, medians), times(median(pair[0] / pair[1] for pair in process)))
        body.append(
            element(
                "tr",
                element("th", str(number), scope="row"),
                element("td", str(len(process)), class_="number"),
                *(element("td", cell, class_="number") for cell in cells),
            )
        )
    head = element(
        "thead",
        element("tr", *(element("th", head, scope="col", class_="number" if number else None) for number, head in enumerate(heads))),
    )
    table = element("table", element("caption", "Medians by process"), head, body)
    scrolled = element("div", table, class_="scroll", role="region", aria_label="Medians by process", tabindex=0)
    yield element("details", element("summary", "The numbers"), scrolled)


def _code(span: Span, sources: Mapping[str, Source], context: int = CONTEXT) -> Element | None:
    """The rows of a span, marked, and some beside them."""
    source = sources.get(span.filename)
    if source is None:
        return None
    pre = element("pre", tabindex=0)
    first_row, last_row = held(source, span)
    first, last = max(span.start.row - context, first_row), min(span.end.row + context, last_row)
    width = len(str(number_of(source, last)))
    for row in range(first, min(last, first + MOST_ROWS - 1) + 1):
        text = shown(source, row)
        start = span.start.column - 1 if row == span.start.row else len(text) - len(text.lstrip())
        end = span.end.column - 1 if row == span.end.row else len(text)
        inside = span.start.row <= row <= span.end.row and start < end
        before, marked, after = (text[:start], text[start:end], text[end:]) if inside else (text, "", "")
        append(pre, element("span", f"{number_of(source, row):>{width}}  ", class_="row"))
        append(pre, _shown(before))
        append(pre, element("mark", _shown(marked)) if marked else None)
        append(pre, _shown(after) + "\n")
    if last - first >= MOST_ROWS:
        append(pre, element("span", "…", class_="row"))
    return pre


def _shown(text: str) -> str:
    text = text.rstrip("\r\n").replace("\t", TAB)
    return text if len(text) <= MOST_COLUMNS else text[:MOST_COLUMNS] + "…"


def _place(span: Span, sources: Mapping[str, Source]) -> Element:
    return element("code", str(place_of(span, sources)))


def _chip(word: str) -> Element:
    return element("span", word, class_=f"chip {word}")


def _lines(text: str) -> Iterator[Content]:
    for number, line in enumerate(text.splitlines()):
        if number:
            yield element("br")
        yield line


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
