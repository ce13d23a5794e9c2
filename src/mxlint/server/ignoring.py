"""The comment that silences a finding, where `suppressions` reads it."""

from __future__ import annotations

import re

from mxlint.finding import Edit, Finding
from mxlint.rules.registry import UNJUDGED
from mxlint.source import Source
from mxlint.suppressions import suppress, suppression_row

_OURS = re.compile(r"#\s*mxlint:\s*ignore\s*\[(?P<rules>[^\]]*)\]")


def ignore_edit(source: Source, finding: Finding) -> Edit | None:
    """What to write so that a comment at the end of the row silences a finding; None where no comment can. A comment that is there takes its code in."""
    if finding.code in UNJUDGED:
        return None
    row = suppression_row(source, finding.span.start.row)
    line, start = source.line(row), source.offset(row)
    known = _OURS.search(line)
    if known is not None:
        at, content = start + known.end("rules"), ", " * bool(known["rules"].strip()) + finding.code
    else:
        at = start + len(line.rstrip())
        content = f"  # mxlint: ignore[{finding.code}]"
    edit = Edit(content, source.span(at, at))
    text = source.text[:at] + content + source.text[at:]
    after = Source(source.path, source.name, text.encode("utf-8", "surrogatepass"), text)
    return edit if finding not in suppress(after, [finding], set()) else None
