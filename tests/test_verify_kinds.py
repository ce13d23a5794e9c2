"""Which of the rules MX101 to MX105 an evaluation is about is measured, and not taken from the claim: each is confirmed at its own rows only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from needed import needs_mlx

from mxlint.engine import check
from mxlint.verify.claims import forced
from mxlint.verify.experiment import Options, verify

pytestmark = needs_mlx

CODES = ("MX101", "MX102", "MX103", "MX104", "MX105")
ROWS = {
    "print(x)": {"MX101"},
    "str(x)": {"MX101"},
    'f"{x:.2f}"': {"MX101"},
    '"%f" % x': {"MX101"},
    "mx.eval(x)": {"MX102"},
    'mx.save("x", x)': {"MX102"},
    "pickle.dumps(x)": {"MX102"},
    "x.item()": {"MX103"},
    "x.tolist()": {"MX103"},
    "float(x)": {"MX103"},
    "math.sqrt(x)": {"MX103"},
    "memoryview(x)": {"MX103"},
    "bool(x)": {"MX103", "MX104"},
    "1 if x > 0 else 2": {"MX104"},
    "not x": {"MX104"},
    "min(x, x + 1)": {"MX103", "MX104"},
    "[1, 2][x.astype(mx.int32)]": {"MX105"},
    "[1, 2][: x.astype(mx.int32)]": {"MX105"},
    "range(x.astype(mx.int32))": {"MX103", "MX105"},
    "mx.zeros((x.astype(mx.int32), 2))": {"MX105"},
}


@pytest.mark.parametrize("expression", ROWS)
def test_an_evaluation_is_of_its_own_kind(expression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"""import math
import pickle

import mlx.core as mx


@mx.compile
def f(x):
    y = {expression}
    return x * 2


f(mx.array(1.0))
"""
    Path("a.py").write_text(text, encoding="utf-8")
    result = check(["a.py"])
    sites = [site.span for site in result.sites]
    claims = [forced(result.sources["a.py"], 9, code, sites) for code in CODES]
    findings = [replace(claim, message="put to the test") for claim in claims if claim is not None]
    judged = verify(findings, result.sources, [], Options(timed=False))
    verdicts = {finding.code: finding.verdict.verdict for finding in judged if finding.verdict is not None}
    confirmed = {code for code, verdict in verdicts.items() if verdict == "confirmed"}
    assert confirmed == ROWS[expression], [finding.verdict for finding in judged]
    assert set(verdicts.values()) <= {"confirmed", "inconclusive"}
