"""verify.fix: what the fixed form of a program does under real MLX. Fixes made up here do not cure, or do harm."""

from __future__ import annotations

import shutil
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from mxlint.engine import check
from mxlint.finding import Edit, Fix
from mxlint.report.verdict import told
from mxlint.verify.experiment import verify

pytestmark = pytest.mark.skipif(find_spec("mlx") is None or shutil.which("g++") is None, reason="runs MLX on the CPU, where it needs g++")

LOOP = """\
import mlx.core as mx

mx.eval(mx.zeros(1) + 1)


def norm(x):
    return mx.exp(x) * 2


x = mx.array(1.0)
for _ in range(3):
    y = mx.compile(norm)(x)
"""
LENGTH = """\
from functools import partial

import mlx.core as mx

mx.eval(mx.zeros(1) + 1)


@partial(mx.compile, shapeless=True)
def mean(x):
    return mx.sum(x) / x.shape[0]


for n in (2, 3, 4):
    y = mean(mx.ones(n))
"""
CAUGHT = LENGTH.replace("    y = mean(mx.ones(n))", "    try:\n        y = mean(mx.ones(n))\n    except AttributeError:\n        print(n)")
STEP = """\
import mlx.core as mx

mx.eval(mx.zeros(1) + 1)


@mx.compile
def scaled(x, step):
    return x * step + 1


for step in range(4):
    y = scaled(mx.array([1.0, 2.0]), step)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def word(text: str, code: str, old: str | None = None, new: str = "") -> str | None:
    """What becomes of a fix that writes `new` for `old`, or of the one that is offered."""
    Path("main.py").write_text(text, encoding="utf-8")
    result = check(["main.py"])
    (finding,) = [finding for finding in result.findings if finding.code == code]
    if old is not None:
        at = text.index(old)
        source = result.sources["main.py"]
        finding = replace(finding, fix=Fix("unsafe", "made up", (Edit(new, source.span(at, at + len(old))),)))
    (found,) = verify([finding], result.sources, [site.span for site in result.sites])
    assert found.verdict is not None
    assert found.verdict.verdict == "confirmed"
    return found.verdict.fix


def test_it_resolves() -> None:
    assert word(LOOP, "MX301") == "resolves"
    assert word(STEP, "MX303") == "resolves"
    assert word(LENGTH, "MX401", "mx.sum(x) / x.shape[0]", "mx.mean(x)") == "resolves"


def test_it_fails() -> None:
    assert word(LOOP, "MX301", "mx.compile(norm)(x)", "mx.compile(lambda x: norm(x))(x)") == "fails"
    assert word(LENGTH, "MX401", "x.shape[0]", "len(x)") == "fails"


def test_it_changes_the_result() -> None:
    assert (
        word(LOOP, "MX301", "for _ in range(3):\n    y = mx.compile(norm)(x)", "f = mx.compile(norm)\nfor _ in range(3):\n    y = f(-x)")
        == "changes-result"
    )
    assert word(STEP, "MX303", "[1.0, 2.0]), step", "[1.0, 2.0]), mx.array(0.5)") == "changes-result"
    assert word(LENGTH, "MX401", "mx.sum(x) / x.shape[0]", "mx.sum(x) / mx.fail(x)") == "changes-result"
    assert word(CAUGHT, "MX401", "mx.sum(x) / x.shape[0]", "mx.sum(x) / mx.fail(x)") == "changes-result"


def test_it_is_not_tested() -> None:
    assert word(LOOP, "MX301", "mx.compile(norm)(x)", "norm(x") == "untested"
    assert word(LOOP, "MX301", "mx.compile(norm)(x)", "norm(x)") == "untested"


def test_the_verdict_tells() -> None:
    Path("main.py").write_text(LOOP, encoding="utf-8")
    result = check(["main.py"])
    (found,) = verify(
        [finding for finding in result.findings if finding.code == "MX301"], result.sources, [site.span for site in result.sites]
    )
    assert found.verdict is not None
    assert told(found.verdict)[1].endswith("; the fix resolves it")
