"""Log: what the static tracer tells others of a program, and the JSON form of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mxlint.engine import check
from mxlint.facts.codec import FactsError, decode, encode
from mxlint.facts.events import Log
from mxlint.facts.values import ArrayValue, ScalarValue
from mxlint.pages import load_page
from mxlint.rules.registry import RULES

pytestmark = pytest.mark.usefixtures("folder")

FIXTURES = Path(__file__).parent / "fixtures"


def facts_of(text: str, **others: str) -> Log:
    """The facts of `main.py`, beside modules of the project."""
    for name, other in others.items():
        Path(f"{name}.py").write_text(other, encoding="utf-8")
    Path("main.py").write_text(text, encoding="utf-8")
    (facts,) = check(["main.py"], with_facts=True, fixes=False).facts
    return facts


STEP = """
import mlx.core as mc
from mlx.core import compile as jit
from tools import scale

@jit
def step(x, t, *, flag=True):
    return scale(x) * t

def train(batches):
    for batch in batches:
        step(batch, 2, flag=False)

for number in range(3):
    step(mc.ones((4, 8)), number)
train([mc.zeros((2, 8), mc.float16)])
"""


@pytest.mark.parametrize(
    ("test", "argument"),
    [
        ("k > 3", True),
        ("not 0 < k < 3", True),
        ("k > 3 and x.ndim == 2", True),
        ("x.shape[0] > 3", True),
        ("x.shape[0] % 3", True),
        ("limit > 3", False),
        ("not 0 < limit < 3", False),
    ],
)
def test_a_condition_tells_whether_it_depends_on_an_argument(test: str, argument: bool) -> None:
    text = (
        "import mlx.core as mx\nfrom settings import limit\n\n@mx.compile\ndef step(x: mx.array, k: int):\n"
        f"    if {test}:\n        raise ValueError\n    return x * k\n"
    )
    (raised,) = [event for event in facts_of(text).events if event.kind == "raise"]
    assert {condition.argument for condition in raised.modality.conditions} == {argument}


@pytest.mark.parametrize(
    ("annotation", "printed"),
    [
        ("mx.array", True),
        ("'mx.array'", True),
        ("mx.array | None", True),
        ("'mx.array | None'", True),
        ("Optional[mx.array]", True),
        ("t.Union[int, mx.array]", True),
        ("int | None", False),
        ("Other", True),
        ("Other | mx.array", True),
        ("'mx.array |'", False),
    ],
)
def test_what_an_annotation_says_of_a_parameter_that_nobody_gives(annotation: str, printed: bool) -> None:
    text = (
        "import typing as t\nfrom typing import Optional\nimport mlx.core as mx\nfrom other import Other\n\n@mx.compile\n"
        f"def step(x: {annotation}):\n    print(x)\n"
    )
    assert any(event.kind == "format" for event in facts_of(text).events) is printed


def test_calls_have_their_arguments_their_function_and_their_loops() -> None:
    log = facts_of(STEP, tools="def scale(x):\n    return x * 2\n")
    (made,) = log.compiled
    assert [parameter.name for parameter in made.function.parameters] == ["x", "t", "flag"]
    first, inner = log.calls[0], log.calls[-1]
    assert (first.within, first.path, [loop.span.start.row for loop in first.loops]) == ("", (), [14])
    assert [argument.value for argument in first.arguments] == [ArrayValue((4, 8), "float32"), ScalarValue("int", 0, True, False)]
    assert (inner.within, [call.start.row for call in inner.path]) == ("train", [16])
    assert [(argument.name, argument.value) for argument in inner.arguments] == [
        ("0", ArrayValue((2, 8), "float16")),
        ("1", ScalarValue("int", 2, True, False)),
        ("flag", ScalarValue("bool", False, True, False)),
    ]


def test_a_stale_read_names_the_read_the_write_and_the_later_call() -> None:
    log = facts_of(
        "import mlx.core as mx\nscale = 1.0\n@mx.compile\ndef f(x):\n    return x * scale\nf(mx.ones(2))\nscale = 2.0\nf(mx.ones(2))\n"
    )
    assert [(stale.name, stale.read.span.start.row, stale.written.span.start.row, stale.call.span.start.row) for stale in log.stale] == [
        ("scale", 5, 7, 8)
    ]
    assert [(read.name, read.value) for read in log.reads if read.name == "scale"] == [("scale", ScalarValue("float", 1.0, True, False))]


def test_a_parameter_that_no_call_in_sight_gives_has_what_it_is_taken_to_be() -> None:
    log = facts_of("import mlx.core as mx\n@mx.compile\ndef f(x, n: int):\n    return x.sum() * n\n")
    (made,) = log.compiled
    assert not log.calls
    assert [parameter.value for parameter in made.function.parameters] == [ArrayValue(None, None), ScalarValue("int", None, False, False)]


def _samples() -> list[Log]:
    found = list(check([str(FIXTURES / "demo")], with_facts=True, fixes=False).facts)
    for number, code in enumerate(RULES):
        for block in load_page(code).blocks:
            if block.language == "python":
                Path(f"page{number}.py").write_text(block.text, encoding="utf-8")
                found += check([f"page{number}.py"], with_facts=True, fixes=False).facts
    return found


@pytest.mark.slow
def test_json_and_back_is_the_same() -> None:
    found = _samples()
    assert len(found) > 30
    for facts in found:
        assert decode(json.loads(json.dumps(encode(facts)))) == facts


def _broken(data: object, path: list[int], junk: object) -> object:
    """The JSON value with what a path leads to replaced."""
    if not path or not isinstance(data, (dict, list)) or not data:
        return junk
    keys = list(data) if isinstance(data, dict) else list(range(len(data)))
    key = keys[path[0] % len(keys)]
    changed = dict(data) if isinstance(data, dict) else list(data)
    changed[key] = _broken(data[key], path[1:], junk)  # type: ignore[index, call-overload]
    return changed


@pytest.mark.slow
@settings(deadline=None)  # a loaded machine is no failure
@given(path=st.lists(st.integers(0, 1000), max_size=8), junk=st.sampled_from([None, True, 7, 0.5, "x", [], {}, [None], {"is": "array"}]))
def test_other_json_is_refused_or_means_the_facts_that_it_says(path: list[int], junk: object) -> None:
    whole = encode(_step())
    other = json.loads(json.dumps(_broken(whole, path, junk)))
    try:
        found = decode(other)
    except FactsError as error:
        assert str(error)
    else:
        assert encode(found) == other


_KNOWN: list[Log] = []


def _step() -> Log:
    if not _KNOWN:
        _KNOWN.append(facts_of(STEP, tools="def scale(x):\n    return x * 2\n"))
    return _KNOWN[0]
