"""What is said of a list that traces make longer (MX206), by what the program does with it and by how it is called."""

from __future__ import annotations

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes

PROGRAM = """import mlx.core as mx

seen = []


@mx.compile
def step(x, k=2):
    {does}
    return mx.exp(x) * k


mx.eval(step(mx.ones(2)))
{between}
for _ in range(3):
    mx.eval(step(mx.ones(2)))
{end}
"""


def said(does: str = "seen.append(1)", between: str = "", end: str = "print(seen)") -> list[tuple[str, str]]:
    """The findings about the body of the compiled function."""
    text = PROGRAM.format(does=does, between=between, end=end)
    found = analyze(source_from_bytes(text.encode(), "program.py"), Project(), load_table()).findings
    return [(finding.code, finding.severity) for finding in found if finding.code not in ("MX306", "MX604")]


@pytest.mark.parametrize(
    ("end", "severity"),
    [
        ("", None),
        ("assert len(seen) == 1", None),
        ("print(len(seen))", "warning"),
        ("print(seen)", "warning"),
        ("print(len([s for s in seen]))", "warning"),
        ("total = len(seen)\nprint(12 / total)", "warning"),
        ("while len(seen) < 2:\n    seen.append(0)", "warning"),
        ("mx.eval(mx.zeros(len(seen)))", "warning"),
    ],
)
def test_what_the_program_does_with_the_list(end: str, severity: str | None) -> None:
    assert said(end=end) == ([("MX206", severity)] if severity else [])


@pytest.mark.parametrize(
    ("does", "between", "codes"),
    [
        ("seen.append(1)", "mx.disable_compile()", []),
        ("seen.append(1)", "mx.disable_compile()\nmx.enable_compile()", ["MX206"]),
        ("import random; k = random.random()", "mx.disable_compile()", []),
        ("import random; k = random.random()", "", ["MX206"]),
    ],
)
def test_calls_while_compilation_is_disabled_run_the_body(does: str, between: str, codes: list[str]) -> None:
    assert [code for code, _ in said(does, between)] == codes


@pytest.mark.parametrize("disabled", [True, False])
def test_calls_while_compilation_is_disabled_make_no_traces(disabled: bool) -> None:
    switch = "mx.disable_compile()" if disabled else ""
    end = "for n in range(40):\n    mx.eval(step(mx.ones(2), n))"
    assert said("pass", switch, end) == ([] if disabled else [("MX303", "warning")])


@pytest.mark.parametrize("number", ["x.sum().item()", "float(x[0])", "(k, x.sum().item())"])
def test_what_cannot_be_made_is_not_put_anywhere(number: str) -> None:
    assert {code for code, _ in said(f"seen.append({number})")} == {"MX103"}
