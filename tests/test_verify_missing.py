"""--verify where modules are not installed: what takes their place, what it decides, and how that is said."""

from __future__ import annotations

import asyncio
import copy
import json
import operator
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from needed import needs_mlx

from mxlint import cli
from mxlint.verify.requirements import MEASURED, distribution

absent = pytest.importorskip("mxlint.verify.child.absent")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(absent, "record", absent.Record())
    return tmp_path


# -- what a stand-in answers ------------------------------------------------------------------------------------------


def stand_in(value: Any) -> bool:
    return isinstance(value, absent.StandIn)


BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.matmul,
    operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift,
]  # fmt: skip
COMPARED = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
UNARY = [operator.neg, operator.pos, operator.abs, operator.invert, round, copy.copy, copy.deepcopy]


@pytest.mark.parametrize("operation", BINARY)
def test_arithmetic_hands_on_the_stand_in(operation: Callable[[Any, Any], Any]) -> None:
    part = absent.made("m.part")
    assert stand_in(operation(part, 2)) and stand_in(operation(2, part)) and stand_in(operation(part, part))


@pytest.mark.parametrize("operation", COMPARED)
def test_comparisons_hand_on_the_stand_in(operation: Callable[[Any, Any], Any]) -> None:
    assert stand_in(operation(absent.made("m.part"), 2)) and stand_in(operation(2, absent.made("m.part")))


@pytest.mark.parametrize("operation", UNARY)
def test_operators_of_one_hand_on_the_stand_in(operation: Callable[[Any], Any]) -> None:
    assert stand_in(operation(absent.made("m.part")))


@pytest.mark.parametrize("operation", [int, float, complex, len, bytes, operator.index, range, lambda part: [1, 2][part]])
def test_who_needs_a_value_is_refused(operation: Callable[[Any], Any]) -> None:
    with pytest.raises(absent.StandInUsed, match="the module m is not installed .* needs m.part"):
        operation(absent.made("m.part"))


def test_names_calls_items_and_blocks() -> None:
    part = absent.made("m.part")
    part.count = 3
    with part.block(1) as entered:
        found = [part.a.b, part(1, two=2), part[0], part["x"], entered, part.count + part.other]
    first, *rest = part
    left, right, third = part
    assert part.count == 3 and all(map(stand_in, [*found, first, *rest, left, right, third]))
    assert pickle.loads(pickle.dumps(part.a))._name == "m.part.a"


def test_asynchronous_forms() -> None:
    part = absent.made("m.part")

    async def run() -> list[Any]:
        async with part as entered:
            return [entered, await part.get(), *[item async for item in part]]

    assert all(map(stand_in, asyncio.run(run())))


def test_what_wraps_one_iterable_is_that() -> None:
    bar = absent.made("m.bar")
    assert list(bar(range(3), total=3)) == [0, 1, 2] and len(bar([1, 2])) == 2
    assert {how for _, how, *_ in absent.record.uses} == {"called", "iterated"}


def test_classes_that_inherit_from_it() -> None:
    root = absent.made("m.Root")

    class Child(root, option=1):  # type: ignore[misc]
        size = 4

        def __init__(self, size: int) -> None:
            super().__init__(size, 1)
            self.size = size

    class Plain(root["x"]):  # type: ignore[misc]
        pass

    made = Child(5)
    assert made.size == 5 and stand_in(made.unknown) and isinstance(made, root) and issubclass(Child, root)
    assert not isinstance(3, root) and not issubclass(int, root)
    Plain()
    with pytest.raises(absent.StandInUsed):  # what it does with them nobody knows
        Plain(3)


# -- programs ---------------------------------------------------------------------------------------------------------

HEAD = "import mlx.core as mx\nimport mlx.nn as nn\nfrom nowhere_here import anything\nimport nowhere_here as nh\n\n\n"
STEP = """
@mx.compile
def step(x):
    y = x * 2
    print(y)
    return y


step(mx.ones((2, 2)))
"""


def checked(body: str, code: str = "MX101") -> tuple[dict[str, Any], dict[str, Any], str]:
    """The verdict on the print, the summary, and the footer."""
    Path("a.py").write_text(HEAD + body, encoding="utf-8")
    row = next(number for number, line in enumerate((HEAD + body).splitlines(), 1) if "print(" in line)
    arguments = ["verify", f"a.py:{row}", "--as", code, "--cache-dir", "cache"]
    found = json.loads(CliRunner().invoke(cli.main, [*arguments, "-q", "--output-format", "json"]).stdout)
    (verdict,) = [item["verify"] for item in found["diagnostics"]]
    return verdict, found["summary"]["verify"], CliRunner().invoke(cli.main, arguments).stdout


@needs_mlx
@pytest.mark.parametrize(
    ("body", "done_without"),
    [
        (STEP.replace("step(mx", "for _ in anything(range(2)):\n    step(mx"), "with nowhere_here.anything() as what it wraps"),
        (STEP.replace("step(mx", "with nh.context() as c:\n    step(mx"), "nowhere_here.context"),
        (STEP.replace("    y = x * 2", "    y = helper(x)").replace("\n@mx", "\n@anything\ndef helper(x):\n    return x * 2\n\n\n@mx"), "the decorator"),
        (STEP.replace("    y = x * 2", "    nh.log('step')\n    y = x * 2"), "nowhere_here.log"),
        (STEP.replace("step(mx", "if nh.ready() and nh.version >= 3:\n    step(mx"), "taken for true"),
    ],
)  # fmt: skip
def test_what_has_no_part_in_the_claim_is_done_without(body: str, done_without: str) -> None:
    verdict, summary, footer = checked(body)
    assert (verdict["verdict"], verdict["level"]) == ("confirmed", "stand-in"), verdict["reason"]
    assert done_without in verdict["evidence"]["note"]
    assert verdict["missing"] == summary["missing"] == ["nowhere_here"] and footer.count("used by what was run: nowhere_here") == 1


@needs_mlx
@pytest.mark.parametrize(
    "body",
    [
        STEP.replace("    print(y)", "    print(y, nh.scale(y))"),
        STEP.replace("    y = x * 2", "    y = nh.scale(x)"),
        STEP.replace("    y = x * 2", "    y = x * 2\n    if nh.loud():\n        y = y + 1"),
        "factor = nh.load().factor\n" + STEP.replace("x * 2", "x * factor"),
        STEP.replace("step(mx.ones((2, 2)))", "step(nh.load())"),
        "def make():\n    import nowhere_here.deep as deep\n    return deep.scale\n\n\nscale = make()\n"
        + STEP.replace("x * 2", "scale(x)"),
    ],
)
def test_what_a_stand_in_decided_is_no_verdict(body: str) -> None:
    verdict, _, _ = checked(body)
    assert verdict["verdict"] == "inconclusive", verdict
    assert "the module nowhere_here is not installed" in verdict["reason"]


@needs_mlx
def test_what_is_imported_and_not_used_changes_nothing() -> None:
    verdict, summary, footer = checked(STEP.replace("def step(x)", "def step(x: nh.Array['b n'] | None)"))
    assert (verdict["verdict"], verdict["level"], verdict["missing"]) == ("confirmed", "in-place", [])
    assert summary["missing"] == [] and "Not installed" not in footer


@needs_mlx
def test_a_number_that_is_needed_and_not_there_refutes_nothing() -> None:
    body = "size = nh.size()\n" + STEP.replace("mx.ones((2, 2))", "mx.ones((size, 2))")
    verdict, _, _ = checked(body)
    assert verdict["verdict"] != "refuted"


# -- what to install --------------------------------------------------------------------------------------------------


def test_a_distribution_is_named_where_the_project_requires_it(folder: Path) -> None:
    inner = folder / "src" / "pkg"
    inner.mkdir(parents=True)
    (folder / "pyproject.toml").write_text(
        "[project]\ndependencies = ['Some_Thing>=2; python_version > \"3\"', 'other[x]']\n"
        "[project.optional-dependencies]\nz = ['of-extra']\n[tool.poetry.dependencies]\npoets = '^1'\n",
        encoding="utf-8",
    )
    (folder / "requirements.txt").write_text("# no\n-e .\nlisted==3  # yes\nhttps://example.org/x.whl\n", encoding="utf-8")
    file = str(inner / "a.py")
    found = {module: distribution(module, file) for module in ("some_thing", "other", "of_extra", "poets", "listed", "https", "unknown")}
    assert found == {
        "some_thing": "Some_Thing", "other": "other", "of_extra": "of-extra", "poets": "poets", "listed": "listed", "https": None, "unknown": None,
    }  # fmt: skip


def test_measured_names_agree_with_what_is_installed() -> None:
    from importlib.metadata import packages_distributions

    installed = packages_distributions()
    both = MEASURED.keys() & installed.keys()
    assert "numpy" in both
    for module in both:
        assert MEASURED[module].lower() in [name.lower() for name in installed[module]]


def test_the_advice_is_in_the_reason() -> None:
    absent.record.advice = {"thing": "Thing-Kit"}
    with pytest.raises(absent.StandInUsed, match="thing is not installed in this environment: pip install Thing-Kit "):
        int(absent.made("thing.x"))
