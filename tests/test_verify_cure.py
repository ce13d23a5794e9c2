"""verify.fix: what the fixed form of a program does under real MLX. Fixes made up here do not cure, or do harm."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from needed import needs_mlx

from mxlint.cli import main
from mxlint.engine import check
from mxlint.finding import Edit, Fix, Verdict
from mxlint.report.verdict import told
from mxlint.verify.cure import agreed
from mxlint.verify.experiment import Options, verify

pytestmark = [needs_mlx, pytest.mark.usefixtures("folder")]

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


def word(text: str, code: str, old: str | None = None, new: str = "", **options: Any) -> str | None:
    """What becomes of a fix that writes `new` for `old`, or of the one that is offered. `options`: how to verify."""
    return tried(text, code, old, new, **options).fix


def tried(text: str, code: str, old: str | None = None, new: str = "", **options: Any) -> Verdict:
    """The verdict on a finding with such a fix."""
    Path("main.py").write_text(text, encoding="utf-8")
    result = check(["main.py"], with_facts=True)
    (finding,) = [finding for finding in result.findings if finding.code == code]
    if old is not None:
        at = text.index(old)
        source = result.sources["main.py"]
        finding = replace(finding, fix=Fix("unsafe", "made up", (Edit(new, source.span(at, at + len(old))),)))
    (found,) = verify([finding], result.sources, [site.span for site in result.sites], Options(**{"timed": False, **options}), result.facts)
    assert found.verdict is not None
    assert found.verdict.verdict == "confirmed", found.verdict
    return found.verdict


def test_it_resolves() -> None:
    assert word(LOOP, "MX301") == "resolves"
    assert word(STEP, "MX303") == "resolves"
    assert word(LENGTH, "MX401", "mx.sum(x) / x.shape[0]", "mx.mean(x)") == "resolves"


@pytest.mark.parametrize(
    "caller",
    [
        "",
        "class Decoder:\n    def update(self, x: mx.array):\n        return noise(x)\n",
        "def update(x: mx.array):\n    return noise(x)\n",
    ],
)
def test_what_is_called_with_made_up_arguments_is_in_the_fixed_program(caller: str) -> None:
    text = "import mlx.core as mx\n\n\n@mx.compile\ndef noise(x):\n    return x + mx.random.normal(x.shape)\n"
    assert word(f"{text}\n\n{caller}", "MX203") == "resolves"


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


FIXED = "f = mx.compile(norm)\nfor _ in range(3):\n    y = f(x)"
TURNS = "for _ in range(3):\n    y = mx.compile(norm)(x)"
HOISTED = "compiled_norm = mx.compile(norm)\nfor _ in range(3):\n    y = compiled_norm(x)"
REASONS = {
    "norm(x": ("untested", "there is no program to run with it"),
    "norm(x)": ("untested", "no call of the fixed program uses a trace again"),
    "mx.compile(lambda x: norm(x))(x)": ("fails", "3 traces in 3 calls"),
    "norm(-x)": ("changes-result", "what y holds at the end"),
    "mx.fail(x)": ("changes-result", "how the program ends"),
    "norm(x); open('weights.npz')": ("untested", "the program lacks something: FileNotFoundError"),
}


@pytest.mark.parametrize("new", REASONS)
def test_why_it_is_no_cure_is_said(new: str) -> None:
    found = tried(LOOP, "MX301", "mx.compile(norm)(x)", new, timed=False)
    assert found.fix_reason is not None
    assert (found.fix, found.fix_reason[: len(REASONS[new][1])]) == REASONS[new]
    assert found.fix_reason in told(found)[1]


CHECKED = """\
import mlx.core as mx

state = [mx.zeros(2)]


def add(x):
    if x.ndim != 1:
        raise ValueError("want a vector")
    state[0] = state[0] + x
    return state[0] * 2


fast = mx.compile(add, inputs=state, outputs=state)
for x in (mx.ones(2), mx.ones((1, 2)), mx.ones(2) * 3):
    try:
        y = fast(x)
    except ValueError:
        print("no vector")
"""


@pytest.mark.parametrize(
    ("check_first", "expected"),
    [
        ("if x.ndim != 1:\n        raise ValueError('want a vector')", "resolves"),  # one compiled call fewer: the exception is as it was
        ("if x.ndim != 1:\n        raise ValueError('vector!')", "untested"),
        ("pass", "changes-result"),
        ("if x.ndim > 0:\n        raise ValueError('want a vector')", "changes-result"),
    ],
)
def test_a_call_that_raises_before_what_is_compiled_is_none_of_it(check_first: str, expected: str) -> None:
    body = CHECKED[CHECKED.index("def add") : CHECKED.index("for x in")]
    apart = body.replace('    if x.ndim != 1:\n        raise ValueError("want a vector")\n', "").replace("fast = ", "kept = ")
    assert word(CHECKED, "MX208", body, f"{apart}\n\ndef fast(x):\n    {check_first}\n    return kept(x)\n\n\n", timed=False) == expected


PRINTED = """\
import mlx.core as mx


class Trainer:
    def __init__(self):
        self.step = mx.compile(self._step)

    def _step(self, x):
        y = x * 3
        print(y)
        return y + 1

    def run(self):
        for i in range(4):
            out = self.step(mx.ones(2) * i)
            print(out.tolist())


Trainer().run()
"""


@pytest.mark.parametrize(("returned", "expected"), [("y + 1, y", "resolves"), ("y, y + 1", "changes-result")])
def test_what_is_returned_besides_stands_after_what_was_returned(returned: str, expected: str) -> None:
    apart = PRINTED.replace("        print(y)\n", "").replace("y + 1", returned).replace("out = ", "out, y = ")
    assert word(PRINTED, "MX101", PRINTED[PRINTED.index("class") :], apart[apart.index("class") :], timed=False) == expected


CUT_SHORT = [
    "while True: pass",
    "import time; time.sleep(60)",
    "import not_installed_anywhere; not_installed_anywhere.call()",
    "raise ModuleNotFoundError('no x')",
    "open('weights.npz')",
    "raise MemoryError",
    "import os; os.system('true')",
    "[f(x) for f in [mx.compile(norm)] for _ in range(2000)]",
]


@pytest.mark.parametrize("does", CUT_SHORT)
def test_a_run_that_was_cut_short_or_lacked_something_tests_no_fix(does: str) -> None:
    last = f"\n    if _ == 2:\n        {does}"
    assert word(LOOP, "MX301", TURNS, FIXED + last, wall_s=1.5) == "untested"
    if does.startswith(("raise", "open", "[")):  # the others keep the finding itself from being confirmed
        assert word(LOOP.rstrip() + last + "\n", "MX301", TURNS, FIXED, wall_s=1.5) == "untested"


def test_what_differs_by_itself_is_left_out() -> None:
    clock = LOOP.replace("import", "import time\nimport", 1) + "now = mx.array(time.time() % 1)\n"
    assert word(clock, "MX301", TURNS, FIXED) == "resolves"
    assert word(clock, "MX301", TURNS, FIXED.replace("(x)", "(-x)")) == "changes-result"
    alone = clock.replace("x = mx.array(1.0)", "x = mx.array(time.time() % 1)")
    assert word(alone, "MX301", TURNS, FIXED) == "untested"


CANCELLING = LOOP.replace("mx.exp(x) * 2", "(x * 3.1 + 1e4) - 1e4")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x * 3.1", "resolves"),  # the same but for the digits that the program itself loses: 3.0996 and 3.1
        ("return x * 3.3 + 1", "changes-result"),
    ],
)
def test_rounding_is_measured_not_guessed(body: str, expected: str) -> None:
    fixed = f"fixed = mx.compile(lambda x: {body.removeprefix('return ')})\nfor _ in range(3):\n    y = fixed(x)\n"
    assert word(CANCELLING, "MX301", TURNS, fixed) == expected


def test_what_rounding_moves_by_chance_explains_nothing_else() -> None:
    """A part is judged by its own noise; what was not measured explains nothing."""

    def array(value: float) -> dict[str, Any]:
        return {"shape": [1], "dtype": "float32", "values": [value]}

    first, real = {"a": array(1.0), "b": array(1.0)}, {"a": array(1.01), "b": array(1.0)}
    assert agreed(first, first, real) is False
    assert agreed(first, first, real, {"a": array(1.005), "b": array(1.0)}) is True
    assert agreed(first, first, real, {"a": array(1.0), "b": array(1.5)}) is False
    assert agreed(first, first, real, {"b": array(1.5)}) is False


_trees = st.recursive(
    st.integers(-2, 2) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(_trees, _trees, _trees)
def test_only_what_is_the_same_twice_is_compared(first: Any, second: Any, real: Any) -> None:
    assert agreed(first, first, first) is not False
    assert agreed(first, second, first) is not False
    assert agreed(first, second, second) is not False
    if agreed(first, first, real):
        assert first == real
    if first != real:
        assert agreed(first, first, real) is False


def test_the_verdict_tells() -> None:
    Path("main.py").write_text(LOOP, encoding="utf-8")
    result = check(["main.py"], with_facts=True)
    (found,) = verify(
        [finding for finding in result.findings if finding.code == "MX301"], result.sources, [site.span for site in result.sites]
    )
    assert found.verdict is not None
    assert told(found.verdict)[1].endswith("; the fix resolves it")


def test_what_another_finding_does_is_not_for_a_fix_to_mend() -> None:
    text = """import mlx.core as mx
import mlx.nn as nn
from functools import partial

drop = nn.Dropout(0.5)
state = [drop.state]


@partial(mx.compile, inputs=state, outputs=state)
def step(x):
    y = drop(x)
    print("mean", y.mean())
    return y


for _ in range(3):
    step(mx.ones((4, 8)))
"""
    Path("main.py").write_text(text, encoding="utf-8")
    result = check(["main.py"], with_facts=True)
    found = verify(result.findings, result.sources, [site.span for site in result.sites], Options(timed=False), result.facts)
    assert {one.code: (one.verdict.verdict, one.verdict.fix) for one in found if one.verdict} == {
        "MX101": ("confirmed", "untested"),
        "MX203": ("confirmed", "resolves"),
    }


def test_what_is_stale_beside_it_does_not_make_a_fix_change_the_result() -> None:
    text = """import mlx.core as mx

count = 1.0


@mx.compile
def f(x):
    return x * count + mx.random.normal(x.shape)


for _ in range(3):
    count += 1
    print(f(mx.ones(3)))
"""
    Path("main.py").write_text(text, encoding="utf-8")
    result = check(["main.py"], with_facts=True)
    found = verify(result.findings, result.sources, [site.span for site in result.sites], Options(timed=False), result.facts)
    fixes = {one.code: one.verdict.fix for one in found if one.verdict is not None}
    assert fixes.keys() == {"MX203", "MX209"} and fixes["MX203"] == "untested"


def test_only_what_mlx_proved_is_written(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`--fix --verify`: what becomes of a comment is nothing that a run decides."""
    unused = "z = 1  # mxlint: ignore[MX101]\n"
    Path("main.py").write_text(LOOP + unused, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["check", "--isolated", "--no-cache", "--fix", "--unsafe-fixes", "--verify", "--output-format", "concise"], prog_name="mxlint")
    assert Path("main.py").read_text(encoding="utf-8") == LOOP.replace(TURNS, HOISTED) + unused
    out = capsys.readouterr().out.splitlines()
    said = "Not proved by MLX, and not written with `--verify`: 1 fix."
    assert (ended.value.code, out[0][:20], out[1:]) == (1, "main.py:14:8: MX001 ", ["Found 2 warnings (1 fixed, 1 remaining).", said])
