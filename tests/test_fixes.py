"""Fixes: edits that are made to the character, and that cure what they are offered for."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mxlint.analysed import Analysis
from mxlint.analysis import analyze
from mxlint.finding import Edit, Finding, Position, Span
from mxlint.fixes.edits import EditError, apply, fixed_finding, fixed_sources
from mxlint.models.mlx.table import Table, load_table
from mxlint.pages import load_page
from mxlint.project import Project
from mxlint.rules.registry import RULES
from mxlint.source import Source

FIXED = [code for code in RULES if load_page(code).fix is not None and code > "MX1"]


@pytest.fixture(scope="module")
def table() -> Table:
    return load_table()


def source(text: str, name: str = "main.py", path: Path | None = None) -> Source:
    return Source(path, name, text.encode(), text)


def findings(text: str, table: Table) -> tuple[Finding, ...]:
    return with_fixes(analyze(source(text), Project(), table))


def with_fixes(analysis: Analysis) -> tuple[Finding, ...]:
    return tuple(finding.with_fix() for finding in analysis.findings)


def edit(row: int, column: int, end_row: int, end_column: int, content: str) -> Edit:
    return Edit(content, Span("main.py", Position(row, column), Position(end_row, end_column)))


# -- edits ------------------------------------------------------------------------------------------------------------


def test_edits_are_made_at_once() -> None:
    text = "a = 1\nb = 2\n"
    assert apply(text, [edit(2, 5, 2, 6, "c"), edit(1, 1, 1, 1, "c = 0\n"), edit(1, 5, 1, 6, "c")]) == "c = 0\na = c\nb = c\n"


@pytest.mark.parametrize(
    "edits",
    [
        [edit(1, 1, 1, 4, "x"), edit(1, 3, 1, 5, "y")],
        [edit(1, 1, 1, 1, "x"), edit(1, 1, 1, 1, "y")],
        [edit(1, 5, 1, 6, "(")],
        [edit(9, 5, 9, 6, "1")],
    ],
    ids=["overlap", "no order", "not Python", "outside"],
)
def test_edits_that_cannot_be_made(edits: list[Edit]) -> None:
    with pytest.raises(EditError):
        apply("a = 1\n", edits)


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(st.sampled_from(["a = 1", "# µ…𝒳", "s = '𝒳é'", "", "b = (1,\n  2)", "\tif_ = 0".strip()]), min_size=1, max_size=12),
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
    seed=st.integers(0, 10_000),
)
def test_all_else_stays_to_the_character(lines: list[str], newline: str, seed: int) -> None:
    text = newline.join("\n".join(lines).split("\n")) + newline
    whole = source(text)
    numbers = [at for at, character in enumerate(text) if character in "12"]
    chosen = sorted(random.Random(seed).sample(numbers, min(3, len(numbers))))
    made = apply(text, [Edit("(3)", whole.span(at, at + 1)) for at in chosen])
    parts, last = [], 0
    for at in chosen:
        parts.append(text[last:at])
        last = at + 1
    assert made == "(3)".join([*parts, text[last:]])
    ast.parse(made)


# -- fixes ------------------------------------------------------------------------------------------------------------


def bad_blocks() -> Iterator[tuple[str, str]]:
    for code in FIXED:
        for block in load_page(code).blocks:
            if "bad" in block.attributes:
                yield code, block.text


BLOCKS = list(bad_blocks())


@pytest.mark.parametrize(("code", "text"), BLOCKS, ids=[f"{code}-{number}" for number, (code, _) in enumerate(BLOCKS)])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_fixed_block_is_silent(code: str, text: str, newline: str, table: Table) -> None:
    text = "# 𝒳 µ…\n" + text.replace("\n", newline) + f"# the end{newline}"
    found = [finding for finding in findings(text, table) if finding.code == code]
    for finding in found:
        if finding.fix is not None:
            made = apply(text, finding.fix.edits)
            ast.parse(made)
            assert sum(other.code == code for other in findings(made, table)) < len(found)
            assert made.startswith("# 𝒳 µ…\n")
            assert made.endswith(f"# the end{newline}")
            assert newline == "\n" or "\n" not in made.removeprefix("# 𝒳 µ…\n").replace("\r\n", "")
            assert [line for line in text.splitlines() if line.startswith("#")] == [
                line for line in made.splitlines() if line.startswith("#")
            ]


@pytest.mark.parametrize("code", FIXED)
def test_a_page_says_whether_there_is_a_fix(code: str, table: Table) -> None:
    fixes = [finding.fix for other, text in BLOCKS if other == code for finding in findings(text, table) if finding.code == code]
    order = ["safe", "unsafe", "display"]
    assert min((order.index(fix.applicability) for fix in fixes if fix is not None), default=None) == order.index(load_page(code).fix or "")


@pytest.mark.slow
def test_pages_without_fixes_have_none(table: Table) -> None:
    for code in RULES:
        if load_page(code).fix is None and code > "MX1":
            for block in load_page(code).blocks:
                if block.language == "python":
                    assert [finding for finding in findings(block.text, table) if finding.code == code and finding.fix is not None] == []


HEAD = "import mlx.core as mx\n\n\ndef norm(x):\n    return mx.exp(x) * 2\n\n\n"


def fixed(text: str, code: str, table: Table) -> str | None:
    """The text with the one finding of a code fixed, if there is a fix to be made."""
    (finding,) = [finding for finding in findings(text, table) if finding.code == code]
    if finding.fix is None or finding.fix.applicability == "display":
        return None
    return apply(text, finding.fix.edits)


HOISTED = {
    "a statement": (
        "def run(x):\n    # now\n    for i in range(3):\n        f = mx.compile(norm)  # here\n        x = f(x)\n    return x\n",
        "def run(x):\n    # now\n    f = mx.compile(norm)  # here\n    for i in range(3):\n        x = f(x)\n    return x\n",
    ),
    "out of two loops": (
        "x = mx.array(1.0)\nfor i in range(3):\n    for j in range(3):\n        x = mx.compile(norm)(x)\n",
        "x = mx.array(1.0)\ncompiled_norm = mx.compile(norm)\nfor i in range(3):\n    for j in range(3):\n        x = compiled_norm(x)\n",
    ),
    "a name that is taken": (
        "x, compiled_norm = mx.array(1.0), 1\nfor i in range(3):\n    x = mx.compile(norm)(x)\n",
        "x, compiled_norm = mx.array(1.0), 1\ncompiled_norm_2 = mx.compile(norm)\nfor i in range(3):\n    x = compiled_norm_2(x)\n",
    ),
    "over several lines": (
        "x = mx.array(1.0)\nfor i in range(3):\n    x = mx.compile(\n        lambda x: x * 2 + 1,  # twice\n    )(x)\n",
        "x = mx.array(1.0)\ncompiled = mx.compile(\n        lambda x: x * 2 + 1,  # twice\n    )\nfor i in range(3):\n    x = compiled(x)\n",
    ),
    "an array of the loop": (
        "w = mx.array(1.0)\nfor t in (mx.array(1.0), mx.array(2.0), mx.array(3.0)):\n    w = mx.compile(lambda w: norm(w) + t)(w)\n",
        "w = mx.array(1.0)\ncompiled = mx.compile(lambda w, t: norm(w) + t)\nfor t in (mx.array(1.0), mx.array(2.0), mx.array(3.0)):\n    w = compiled(w, t)\n",
    ),
    "an array of the loop that is handed on": (
        "for t in (mx.array(1.0), mx.array(2.0), mx.array(3.0)):\n    f = mx.compile(lambda w: norm(w) + t)\n    print(list(map(f, [t])))\n",
        None,
    ),
    "a name that the loop reads before": (
        "x, f = mx.array(1.0), None\nfor i in range(3):\n    if f is not None:\n        x = x * 2\n    f = mx.compile(norm)\n    x = f(x)\n",
        "x, f = mx.array(1.0), None\ncompiled_norm = mx.compile(norm)\nfor i in range(3):\n    if f is not None:\n        x = x * 2\n    f = compiled_norm\n    x = f(x)\n",
    ),
    "a definition whose name is bound before": (
        "x, f = mx.array(1.0), None\nfor i in range(3):\n    if f is not None:\n        x = x * 2\n    @mx.compile\n    def f(x):\n        return norm(x)\n    x = f(x)\n",
        None,
    ),
    "a name of the loop": ("x = mx.array(1.0)\nfor i in range(3):\n    x = mx.compile(lambda x: norm(x) + i)(x)\n", None),
    "changed in the loop": (
        "class S:\n    by = mx.array(1.0)\n\n\nx = mx.array(1.0)\nfor i in range(3):\n    x = mx.compile(lambda x: norm(x) * S.by)(x)\n    S.by = x + 1\n",
        None,
    ),
}


@pytest.mark.parametrize(("text", "expected"), HOISTED.values(), ids=HOISTED)
def test_compiled_before_the_loop(text: str, expected: str | None, table: Table) -> None:
    made = fixed(HEAD + text, "MX301", table)
    assert made == (None if expected is None else HEAD + expected)


def test_what_follows_a_finding_into_the_fixed_file(table: Table) -> None:
    text = HEAD + "x = mx.array(1.0)\nfor i in range(3):\n    x = mx.compile(norm)(x)\n"
    (finding,) = [finding for finding in findings(text, table) if finding.code == "MX301"]
    sources = {"main.py": source(text)}
    after = fixed_sources(finding, sources)["main.py"]
    moved = fixed_finding(finding, sources)
    assert moved.span == after.span(after.text.index("mx.compile"), after.text.index("mx.compile") + len("mx.compile(norm)"))
    assert (moved.fix, sources["main.py"].text) == (None, text)


SHAPELESS = (
    "from functools import partial\n\nimport mlx.core as mx\n\n\n@partial(mx.compile, shapeless=True)\ndef f(x):\n    return {}\n\n\n"
)
CALLS = "for n in (2, 3):\n    f(mx.zeros((n, 4, 6)))\n"
SIZES = {
    "zeros": ("mx.exp(x), mx.zeros(x.shape)", "mx.exp(x), mx.zeros_like(x)"),
    "ones of a dtype": ("mx.exp(x), mx.ones(x.shape, dtype=x.dtype)", "mx.exp(x), mx.ones_like(x)"),
    "zeros of another dtype": ("mx.exp(x), mx.zeros(x.shape, mx.int32)", "mx.exp(x), mx.zeros_like(x).astype(mx.int32)"),
    "merged": ("x.reshape(x.shape[0] * x.shape[1], -1)", "x.flatten(0, -2)"),
    "merged in between": ("mx.exp(x).reshape(x.shape[0], -1)", "mx.exp(x).flatten(1, -1)"),
    "split": ("mx.reshape(x, (x.shape[0], x.shape[1], 2, -1))", "mx.unflatten(x, -1, (2, -1))"),
    "split with a size": ("x.reshape(x.shape[0], x.shape[1], 2, x.shape[2] // 2)", "mx.unflatten(x, -1, (2, -1))"),
    "a number for an axis": ("x.reshape(x.shape[0], 4, 2, x.shape[2] // 2)", None),
    "mean": ("mx.sum(x * 2, axis=0) / x.shape[0]", None),
    "mean of an axis": ("mx.sum(x, axis=0, keepdims=True) / x.shape[0]", "mx.mean(x, axis=0, keepdims=True)"),
    "mean of all": ("x.sum() / x.size", "x.mean()"),
    "a sum merged": ("(x + x).reshape(x.shape[0], -1)", "(x + x).flatten(1, -1)"),
    "a product summed": ("(x * x).sum() / (x * x.size)", None),
    "another order": ("x.reshape(x.shape[1], x.shape[0], 6)", None),
    "arange": ("mx.exp(x), mx.arange(x.shape[0])", None),
}


@pytest.mark.parametrize(("old", "new"), SIZES.values(), ids=SIZES)
def test_sizes_left_to_mlx(old: str, new: str | None, table: Table) -> None:
    made = fixed(SHAPELESS.format(old) + CALLS, "MX401", table)
    assert made == (None if new is None else SHAPELESS.format(new) + CALLS)


def test_shapeless_left_out(table: Table) -> None:
    text = SHAPELESS.format("mx.exp(x), mx.arange(x.shape[0])") + CALLS
    (finding,) = [finding for finding in findings(text, table) if finding.code == "MX401"]
    assert finding.fix is not None
    assert finding.fix.applicability == "display"
    assert apply(text, finding.fix.edits) == text.replace("partial(mx.compile, shapeless=True)", "mx.compile")


CAPTURED = {
    "bare": ("@mx.compile", "@partial(mx.compile, inputs=mx.random.state, outputs=mx.random.state)"),
    "with a container": (
        "@partial(mx.compile, inputs=state, outputs=state)",
        "@partial(mx.compile, inputs=[state, mx.random.state], outputs=[state, mx.random.state])",
    ),
    "with a list": (
        "@partial(\n    mx.compile,\n    inputs=[state],\n)",
        "@partial(\n    mx.compile,\n    inputs=[state, mx.random.state], outputs=[state, mx.random.state],\n)",
    ),
    "in one": ("@partial(mx.compile, outputs=mx.random.state)", "@partial(mx.compile, outputs=mx.random.state, inputs=mx.random.state)"),
    "with a comment": (
        "@partial(mx.compile, inputs=state  # live\n)",
        "@partial(mx.compile, inputs=[state, mx.random.state], outputs=[state, mx.random.state]  # live\n)",
    ),
    "with a comma and comments": (
        "@partial(\n    # compiled\n    mx.compile,  # now\n    # and for ever\n)",
        "@partial(\n    # compiled\n    mx.compile, inputs=mx.random.state, outputs=mx.random.state,  # now\n    # and for ever\n)",
    ),
    "in parentheses with a comment": (
        "@partial((mx.compile)  # now\n)",
        "@partial((mx.compile), inputs=mx.random.state, outputs=mx.random.state  # now\n)",
    ),
    "in parentheses that end behind a comment": ("@partial((mx.compile  # now\n))", None),
}


@pytest.mark.parametrize(("old", "new"), CAPTURED.values(), ids=CAPTURED)
def test_random_state_captured(old: str, new: str | None, table: Table) -> None:
    text = "from functools import partial\n\nimport mlx.core as mx\n\nstate = {{'w': mx.array(1.0)}}\n\n\n{}\ndef f(x):\n    return x * state['w'] + mx.random.normal(x.shape)\n"
    assert fixed(text.format(old), "MX203", table) == (None if new is None else text.format(new))


def test_random_state_by_a_name_of_its_own(table: Table) -> None:
    text = (
        "from functools import partial\n\nfrom mlx.core import compile, random as r\n\n\n@{}\ndef f(x):\n    return x + r.normal(x.shape)\n"
    )
    assert fixed(text.format("compile"), "MX203", table) == text.format("partial(compile, inputs=r.state, outputs=r.state)")


LOSS = "import mlx.core as mx\n\n\n@mx.compile\ndef loss(w):\n{}    return mx.mean(w * w)\n\n\ngradient = mx.grad(loss)\nw = mx.array([1.0, 2.0])\nfor _ in range(3):\n    w = w - gradient(w)\n"


@pytest.mark.parametrize(
    ("line", "applicability"), [("", "unsafe"), ("    print(w)\n", "display"), ("    if w[0] > 1:\n        w = w / 2\n", "display")]
)
def test_a_fix_that_is_not_enough_is_only_shown(line: str, applicability: str, table: Table) -> None:
    (finding,) = [finding for finding in findings(LOSS.format(line), table) if finding.code == "MX305"]
    assert finding.fix is not None
    assert (finding.fix.applicability, finding.fix.message) == (applicability, "compile the transform")


def test_the_fix_of_a_function_in_another_file(tmp_path: Path, table: Table) -> None:
    noise = "import mlx.core as mx\n\n\n@mx.compile\ndef noise(x):\n    return x + mx.random.normal(x.shape)\n"
    main = "import mlx.core as mx\nfrom noise import noise\n\nfor _ in range(3):\n    print(noise(mx.zeros(2)))\n"
    (tmp_path / "noise.py").write_text(noise)
    found = with_fixes(analyze(source(main, "main.py", tmp_path / "main.py"), Project(), table))
    (finding,) = [finding for finding in found if finding.code == "MX203"]
    assert finding.fix is not None
    assert {Path(edit.span.filename).name for edit in finding.fix.edits} == {"noise.py"}


SCALAR = "import mlx.core as mx\n\n\n@mx.compile\ndef f(x, n):\n    return {}\n\n\nfor n in range(5):\n    f(mx.array([1.0, 2.0]), {})\n"
NUMBERS = {
    "arithmetic": ("x * (n + 1) / 2", "x * (n + 1) / 2"),
    "a function of MLX": ("mx.where(x > n, x, mx.maximum(x, n))", "mx.where(x > n, x, mx.maximum(x, n))"),
    "the smaller": ("x * min(1.0, (n + 1) / 4)", "x * mx.minimum(1.0, (n + 1) / 4)"),
    "an axis": ("mx.sum(x, n % 1)", None),
    "a size": ("x.sum() + mx.zeros(n)", None),
    "a condition": ("x if n > 2 else -x", None),
    "a slice": ("x[:n]", None),
    "text": ("(x * n, str(n))", None),
    "a power": ("x * 0.5 ** n", None),
    "a product of numbers": ("x / (n * n)", None),
    "a sum of numbers": ("x / (n + n)", None),
    "a whole quotient": ("x * (n // 2)", None),
    "a quotient": ("x * (n / 10)", "x * (n / 10)"),
    "products with an array": ("x * n * n", "x * n * n"),
    "the smaller of more": ("x * min(1.0, n, 2.0)", None),
}


@pytest.mark.parametrize(("body", "new"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_passed_as_arrays(body: str, new: str | None, table: Table) -> None:
    assert fixed(SCALAR.format(body, "n"), "MX303", table) == (None if new is None else SCALAR.format(new, "mx.array(n)"))


METHOD = "import mlx.core as mx\n\n\nclass A:\n    def __init__(self):\n        self.w = mx.ones(2)\n\n{}    def again(self, x):\n        return self.forward(x)\n\n\n{}a = A()\nfor i in range(3):\n    print(a.forward(mx.ones(2)))\n"
DECORATED = "    @mx.compile\n    def forward(self, x, n=2):\n        return mx.exp(x) * self.w * n\n\n"
HIDDEN = DECORATED.replace("    @mx.compile\n", "").replace("forward", "_forward")
WRAPPED = HIDDEN + "    def forward(self, x, n=2):\n        return self._compiled_forward(x, n)\n\n"
BOUND = "self.w = mx.ones(2)\n        self._compiled_forward = mx.compile(self._forward)\n"
SUBCLASSES = {
    "an override": ("class B(A):\n    def forward(self, x):\n        return super().forward(x) + 1\n\n\n", True),
    "the __init__ above called": ("class B(A):\n    def __init__(self):\n        super().__init__()\n\n\n", True),
    "the __init__ above left out": ("class B(A):\n    def __init__(self):\n        self.w = mx.zeros(2)\n\n\n", False),
    "further down": ("class B(A):\n    pass\n\n\nclass C(B):\n    def __init__(self):\n        self.w = mx.zeros(2)\n\n\n", False),
}


@pytest.mark.parametrize(("rest", "made"), SUBCLASSES.values(), ids=SUBCLASSES)
def test_subclasses_of_what_is_compiled_in_init(rest: str, made: bool, table: Table) -> None:
    new = METHOD.format(WRAPPED, rest).replace("self.w = mx.ones(2)\n", BOUND)
    assert fixed(METHOD.format(DECORATED, rest), "MX501", table) == (new if made else None)
    per_call = "    def fn(self, x):\n        return mx.exp(x) * 2\n\n    def forward(self, x):\n        return mx.compile(self.fn)(x)\n\n"
    assert (fixed(METHOD.format(per_call, rest.replace("forward", "fn")), "MX302", table) is not None) == made


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("class A:\n", "    __slots__ = ('w',)\n\n"),
        ("class A:\n", "    def __setattr__(self, name, value):\n        object.__setattr__(self, name, value + 0)\n\n"),
        ("from dataclasses import dataclass\n\n\n@dataclass(slots=True)\nclass A:\n", "    w: mx.array\n\n"),
    ],
)
def test_objects_that_take_no_more_attributes(head: str, line: str, table: Table) -> None:
    assert fixed(METHOD.format(DECORATED, "").replace("class A:\n", head + line), "MX501", table) is None


def test_the_name_of_a_method_in_a_base_of_another_file(tmp_path: Path, table: Table) -> None:
    main = METHOD.format(DECORATED, "").replace("class A:", "class A(Base):").replace("mx\n", "mx\nfrom base import Base\n", 1)
    for base, made in (("class Base:\n    def _forward(self, x):\n        return x\n", True), ("from elsewhere import Base\n", False)):
        (tmp_path / "base.py").write_text(base)
        found = with_fixes(analyze(source(main, "main.py", tmp_path / "main.py"), Project(), table))
        (finding,) = [finding for finding in found if finding.code == "MX501"]
        assert (finding.fix is not None) == made
        assert finding.fix is None or "mx.compile(self._forward_2)" in apply(main, finding.fix.edits)


FROZEN = "import mlx.core as mx\n\nk = 1\n\n\n@mx.compile\ndef f({}):\n    y = x + 1\n    {}\n    return y * 2\n\n\nfor i in range(3):\n    print(f({}).item())\n    k += 1\n"
READ = {
    "arithmetic": ("y = y * k", "mx.array(k)"),
    "a power": ("y = y * 10**-k", None),
    "a slice": ("y = y.reshape(1)[:k].sum()", None),
}


@pytest.mark.parametrize(("line", "given"), READ.values(), ids=READ)
def test_numbers_that_become_arguments(line: str, given: str | None, table: Table) -> None:
    expected = None if given is None else FROZEN.format("x, k", line, f"mx.array(1.0), {given}")
    assert fixed(FROZEN.format("x", line, "mx.array(1.0)"), "MX209", table) == expected


GUARDED = """import mlx.core as mx

weights = [1.0, 2.0]


@mx.compile
def f(x):
    try:
        y = mx.exp(x) * weights[1]
    {}:
        y = mx.exp(x)
    return y * 2


for i in range(3):
    print(f(mx.array(1.0)).item())
    weights[1] += 1.0
"""


def test_what_a_handler_catches_stays_in_its_try(table: Table) -> None:
    plain = GUARDED.replace("    try:\n    ", "").replace("    {}:\n        y = mx.exp(x)\n", "")
    assert fixed(plain, "MX209", table) is not None
    for handler in ("except IndexError", *(["except* IndexError"] if sys.version_info >= (3, 11) else [])):
        assert fixed(GUARDED.format(handler), "MX209", table) is None


REBOUND = "from functools import partial\n\nimport mlx.core as mx\n\nstate = {}\nkept = []\n\n\n@partial(mx.compile, inputs=state, outputs=state)\ndef step(x):\n    state[{}] = state[{}] + x\n    return state[{}] * 2\n\n\nfor i in range(3):\n    print(step(mx.ones(1)).item())\n    {}\n"
CONTAINERS = {
    "the same keys": ("{'a': mx.ones(1)}", "'a'", "state = {'a': mx.zeros(1)}", "state.update({'a': mx.zeros(1)})"),
    "a key less": ("{'a': mx.ones(1), 'b': mx.ones(1)}", "'a'", "state = {'a': mx.zeros(1)}", None),
    "keys that are not written out": ("{**{'a': mx.ones(1)}}", "'a'", "state = {'a': mx.zeros(1)}", None),
    "a list": ("[mx.ones(1)]", "0", "state = [mx.zeros(1)]", "state[:] = [mx.zeros(1)]"),
    "a list that is kept": ("[mx.ones(1)]", "0", "kept.append(state)\n    state = [mx.zeros(1)]", None),
}


@pytest.mark.parametrize(("first", "key", "old", "new"), CONTAINERS.values(), ids=CONTAINERS)
def test_captured_containers_filled_anew(first: str, key: str, old: str, new: str | None, table: Table) -> None:
    text = REBOUND.replace("state = {}", "state = " + first.replace("{", "{{").replace("}", "}}"), 1)
    expected = None if new is None else text.format(key, key, key, new)
    assert fixed(text.format(key, key, key, old), "MX205", table) == expected


PRINTED = (
    "import mlx.core as mx\n\n\n@mx.compile\ndef f(x):\n    y = x * 2\n{}    return y\n\n\nfor i in range(3):\n    r = f(mx.ones(2))\n{}"
)
STATEMENTS = {
    "its comments": (
        "    # why\n\n    # and how\n    print(y)  # so\n", "    # why\n    # and how\n    print(r)  # so\n",
    ),
    "a long string": ('    print("""y\n      is""", y)\n', None),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), STATEMENTS.values(), ids=STATEMENTS)
def test_statements_done_after_the_call(old: str, new: str | None, table: Table) -> None:
    made = fixed(PRINTED.format(old, ""), "MX101", table)
    assert made == PRINTED.format("", new) if new is not None else made is None or "\n      is" not in made


CHECKED = "from functools import partial\n\nimport mlx.core as mx\n\nstate = [mx.zeros(2)]\n\n\n@partial(mx.compile, inputs=state, outputs=state)\ndef step(x, mode='sum'):\n{}    state[0] = state[0] + x.sum()\n    return state[0] * 2\n\n\nfor mode in ('sum', 'avg'):\n    for n in (2, 3):\n        try:\n            print(step(mx.ones(n), mode))\n        except (ValueError, AssertionError):\n            pass\n"
FIRST = "    # one of two\n    if mode not in ('sum', 'max'):\n        raise ValueError(mode)\n"
SECOND = "    # as wide\n    assert x.shape[-1] == 2, {}\n"


def test_checks_stay_in_their_order(table: Table) -> None:
    made = fixed(CHECKED.format(FIRST + SECOND.format("'bad'")), "MX208", table)
    assert made is not None
    assert f"def step(x, mode='sum'):\n{FIRST}{SECOND.format(repr('bad'))}    return compiled_step(x, mode)\n" in made
    assert fixed(CHECKED.format(FIRST + SECOND.format('"""not\n    so"""')), "MX208", table) is None


@pytest.mark.slow
def test_libcst_is_imported_only_for_a_finding_that_needs_it(tmp_path: Path) -> None:
    loop = HEAD + "x = mx.array(1.0)\nfor i in range(3):\n    x = mx.compile(norm)(x)\n"
    printed = HEAD + "@mx.compile\ndef f(x):\n    print(x)\n    return x * 2 + 1\n\n\nf(mx.array(1.0))\n"
    probe = "import sys; from mxlint.cli import main; main(['check', sys.argv[1]], standalone_mode=False); print('libcst' in sys.modules)"
    for text, expected in ((loop, "False"), (printed, "True")):
        (tmp_path / "a.py").write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", probe, str(tmp_path / "a.py")], capture_output=True, text=True, check=False)
        assert done.stdout.splitlines()[-1] == expected, done
