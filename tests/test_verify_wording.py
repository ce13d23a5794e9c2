"""What verdicts say: a line with the call that did it, a short reason, and nothing of the place where it was made."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st
from needed import needs_mlx

import mxlint
from mxlint import cli
from mxlint.finding import Evidence, Verdict
from mxlint.report.verdict import notes, told
from mxlint.verify.arguments import MOST_REASON
from mxlint.verify.wording import worded

SCHEMA = json.loads((Path(mxlint.__file__).parent / "schema" / "v1.json").read_text(encoding="utf-8"))
INTERNAL = re.compile(r"mxlint-verify-|__mxlint|mxlint_program|experiment/|witness\.py")


def texts(value: Any) -> list[str]:
    return (
        [value]
        if isinstance(value, str)
        else [
            text
            for part in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
            for text in texts(part)
        ]
    )


@given(
    st.text(),
    st.text(),
    st.sampled_from(["", "/tmp/mxlint-verify-7-ab/0f/work/x", "__mxlint_held__(3)", "mxlint_program.Model", "word " * 60, "a; " * 90]),
)
def test_a_reason_is_one_short_line_and_nothing_is_lost(before: str, after: str, middle: str) -> None:
    assume(not INTERNAL.search(before) and not INTERNAL.search(after))
    reason = f"{before} {middle} {after}"
    found = worded(Verdict("inconclusive", None, reason, Evidence("leak", reason, reason, note=reason), None, 0.0))
    assert found.reason is not None
    assert len(found.reason) <= MOST_REASON
    for text in (found.reason, found.note or "", *told(found), notes(found) or ""):
        assert not INTERNAL.search(text)
        assert len(text.splitlines()) <= 1
    kept = re.sub(r"[\W_]", "", f"{found.reason}{found.note or ''}")
    if "mxlint" not in reason:
        assert kept == re.sub(r"[\W_]", "", " ".join(reason.split()))


LONELY = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x: mx.array, n: int):\n    {}\n    return x * n\n"


@needs_mlx
def test_what_json_and_text_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions that nobody calls, with files, folders and processes that are not to be had."""
    monkeypatch.chdir(tmp_path)
    bodies = ("print(x)", "mx.save('x.npy', x)", "open('/etc/x', 'w').write(str(x))")
    for number, body in enumerate(bodies):
        Path(f"a{number}.py").write_text(LONELY.format(body), encoding="utf-8")
    done = CliRunner().invoke(cli.main, ["check", "--verify", "--no-cache", "--output-format", "json", "."])
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    verdicts = [one["verify"] for one in document["diagnostics"] if one["verify"] is not None]
    assert len(verdicts) >= 2
    for text in texts(verdicts):
        assert not INTERNAL.search(text), text
        assert not re.search(r"/tmp\b", text), text
    (shown,) = [one["verify"] for one in document["diagnostics"] if one["filename"] == "a0.py"]
    assert (shown["evidence"]["function"], shown["evidence"]["arguments"]) == ("step", "x=float32[8,6], n=2")


NESTED = """
import mlx.core as mx


@mx.compile
def double(batch):
    batch["meta"]["x"] = batch["meta"]["x"] * 2
    return batch["meta"]["x"].sum()


held = {"names": ["one", "two", "three"], "sizes": {"one": 1, "two": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}, "meta": {"x": mx.ones(2)}}
double(held)
print(held["meta"]["x"])
"""


@needs_mlx
def test_of_a_large_value_the_part_that_differs_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(NESTED, encoding="utf-8")
    done = CliRunner().invoke(cli.main, ["check", "--verify", "--no-cache", "--output-format", "json", "a.py"])
    (found,) = [one["verify"]["evidence"] for one in json.loads(done.stdout)["diagnostics"] if one["code"] == "MX207"]
    assert found["observed"].endswith("held[meta] is {x: [1, 1]} at the end")
    assert found["expected"] == "{x: [2, 2]}"
