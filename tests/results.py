"""Runs made by hand, for tests of what is made of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mxlint.finding import Finding, Related
from mxlint.result import Result
from mxlint.source import Source, source_from_bytes

CODE = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    print(x)\n    return x\n"


def source_of(code: str, name: str = "src/a.py") -> Source:
    return source_from_bytes(code.encode(), name)


def found(source: Source, snippet: str, code: str = "MX101", **more: Any) -> Finding:
    start = source.text.index(snippet)
    finding = Finding(code, "error", "the message", "the help", source.span(start, start + len(snippet)), object="step")
    return replace(finding, **more)


def related(source: Source, snippet: str, message: str = "compiled here") -> Related:
    start = source.text.index(snippet)
    return Related(message, source.span(start, start + len(snippet)))


def result_of(*findings: Finding, sources: tuple[Source, ...] = (), **more: Any) -> Result:
    result = Result(
        findings=findings,
        sites=(),
        files=3,
        parsed=2,
        fail_on={},
        problems=(),
        notes=(),
        tracebacks=(),
        sources={source.name: source for source in sources},
        mlx_versions=("0.30.6", "0.32.4"),
        reasons={},
        coverage={},
        timings={"read": 0.25, "analyse": 0.5},
    )
    return replace(result, **more)
