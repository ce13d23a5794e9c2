"""What the messages of MX401 to MX404 promise: how an operation fails, and in which versions of MLX."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxlint.config import Settings
from mxlint.engine import check
from mxlint.finding import Finding

HEAD = """
from functools import partial

import mlx.core as mx
import mlx.nn as nn

linear = nn.Linear(4, 4)
mx.eval(linear.parameters())


@partial(mx.compile, shapeless=True)
def f(x: mx.array):
    return {}


"""
RAISES = " raises"
WRONG = " silently returns wrong values"
MEMORY = " reads or writes memory out of bounds (wrong values or a crash)"
MIXED = " silently returns wrong values or raises"
NEWEST = "0.32.4"
EVERY = ">=0.25"


def findings(folder: Path, expression: str, version: str, calls: str = "") -> list[Finding]:
    (folder / "a.py").write_text(HEAD.format(expression) + calls, encoding="utf-8")
    return list(check([str(folder)], Settings(mlx_version=version), fixes=False).findings)


@pytest.mark.parametrize(
    ("expression", "code", "end"),
    [
        ("x / x.shape[0]", "MX401", WRONG),
        ("mx.maximum(x, x.shape[0])", "MX401", WRONG),
        ("mx.array(x.shape[0])", "MX401", WRONG),
        ("mx.zeros(x.shape)", "MX401", MEMORY),
        ("mx.arange(len(x))", "MX401", MEMORY),
        ("mx.reshape(x, (x.shape[0] * x.shape[1],))", "MX401", RAISES),
        ("x.reshape(x.shape[0] * x.shape[1])", "MX401", RAISES),
        ("x.reshape(x.shape[0], -1)", "MX401", MIXED),
        ("mx.repeat(x, 2)", "MX404", RAISES),
        ("mx.tril(x)", "MX404", MEMORY),
        ("x[0] if x.shape[0] > 1 else x", "MX402", "the shape of the first trace decides, and the branch is kept silently"),
    ],
)
def test_the_message_says_what_happens(tmp_path: Path, expression: str, code: str, end: str) -> None:
    found = {finding.code: finding.note for finding in findings(tmp_path, expression, NEWEST)}
    assert code in found
    assert found[code].endswith(end)


@pytest.mark.parametrize(
    ("expression", "shapes", "code", "end"),
    [
        ("linear(x)", [(2, 4), (3, 4)], "MX404", MEMORY + ", but not on CUDA"),
        ("linear(x)", [(2, 3, 4), (3, 3, 4)], "MX404", RAISES),
        ("linear(x)", [(2, 3, 4), (2, 5, 4)], "MX404", RAISES),
        ("x[x.shape[0] - 1]", [(2, 4), (3, 4)], "MX401", MEMORY),
    ],
)
def test_the_calls_in_sight_tell_which_of_several_it_is(
    tmp_path: Path, expression: str, shapes: list[tuple[int, ...]], code: str, end: str
) -> None:
    calls = "".join(f"f(mx.ones({shape}))\n" for shape in shapes)
    (found,) = findings(tmp_path, expression, NEWEST, calls)
    assert (found.code, found.severity) == (code, "error")
    assert found.note.endswith(end)


@pytest.mark.parametrize(
    ("expression", "calls", "version", "devices"),
    [
        ("linear(x)", [(2, 4), (3, 4)], NEWEST, ("cuda",)),
        ("linear(x)", [(2, 3, 4), (3, 3, 4)], NEWEST, ()),  # it raises there, too
        ("linear(x)", [], NEWEST, ()),  # with two dimensions or three
        ("linear(x)", [(2, 4), (3, 4)], "0.31.2", ()),  # not measured there
        ("mx.tril(x)", [(2, 4), (3, 4)], NEWEST, ()),
    ],
)
def test_a_finding_knows_where_it_was_measured_to_go_well(
    tmp_path: Path, expression: str, calls: list[tuple[int, ...]], version: str, devices: tuple[str, ...]
) -> None:
    (found,) = findings(tmp_path, expression, version, "".join(f"f(mx.ones({shape}))\n" for shape in calls))
    assert (found.code, found.right_on) == ("MX404", devices)


def test_without_calls_in_sight_it_may_be_any_of_them(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, "linear(x)", NEWEST)
    assert found.note.endswith(MEMORY + " or raises")


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.25.2", [("MX403", "`f` raises")]),
        ("0.31.2", [("MX403", "`f` raises")]),
        (NEWEST, []),
        (EVERY, [("MX403", "`f` raises with mlx 0.25.2 to 0.31.2")]),
        ("!=0.28.0,!=0.32.4", [("MX403", "`f` raises")]),
        (">=0.31", [("MX403", "`f` raises with mlx 0.31.2")]),
    ],
)
def test_what_fails_in_a_version_of_the_range_is_said_with_that_version(
    tmp_path: Path, version: str, expected: list[tuple[str, str]]
) -> None:
    found = findings(tmp_path, "mx.cumsum(x, axis=0)", version)
    said = [(finding.code, finding.message.partition(":")[0].partition("the first call of ")[2]) for finding in found]
    assert said == expected


def test_an_operation_that_fails_in_two_ways_is_one_finding(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, "linear(x)", EVERY)
    assert found.code == "MX403"
    assert "the first call of `f` raises with mlx 0.25.2 to 0.30.6" in found.message
    assert found.note.endswith(
        "; when a size changes, it reads or writes memory out of bounds (wrong values or a crash) or raises with mlx 0.31.2 to 0.32.4"
    )


def test_the_requirement_of_the_project_is_a_range(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["mlx>=0.30"]\n', encoding="utf-8")
    (tmp_path / "a.py").write_text(HEAD.format("mx.cumsum(x, axis=0)"), encoding="utf-8")
    result = check([str(tmp_path)], fixes=False)
    assert result.mlx_versions == ("0.30.6", "0.31.2", "0.32.4")
    assert ["raises with mlx 0.30.6 to 0.31.2" in finding.message for finding in result.findings] == [True]


def test_none_as_an_argument_is_an_error_in_old_versions_only(tmp_path: Path) -> None:
    calls = "f(None)\n"
    assert [f.code for f in findings(tmp_path, "x", NEWEST, calls)] == []
    (found,) = findings(tmp_path, "x", EVERY, calls)
    assert found.code == "MX502"
    assert "is None: this call raises ValueError with mlx 0.25.2 to 0.28.0" in found.message
