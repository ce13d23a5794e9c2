"""What stays the same about a finding while the code around it moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

from mxlint.finding import Finding
from mxlint.source import Source


def fingerprints(findings: Sequence[Finding], sources: Mapping[str, Source]) -> list[str]:
    """One fingerprint a finding: of its file, code, enclosing object and line less its blanks, and which of several such it is."""
    seen: Counter[tuple[str, ...]] = Counter()
    result = []
    for finding in findings:
        source = sources.get(finding.span.filename)
        line = " ".join(source.line(finding.span.start.row).split()) if source is not None else ""
        identity = (finding.span.filename, finding.code, finding.object or "", line)
        seen[identity] += 1
        result.append(sha256("\0".join((*identity, str(seen[identity]))).encode(errors="surrogatepass")).hexdigest()[:32])
    return result
