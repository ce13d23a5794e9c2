"""Where a text spells `compile` as a program may: every place that Python's own tokenizer takes for a name must be among them."""

from __future__ import annotations

import io
import keyword
import sysconfig
import tokenize
from pathlib import Path

import pytest

from mxlint.tracing.spelling import compile_words, says_compile, whole_words

CODE = [
    "f = mx.compile(g)",
    "@mx.compile",
    "@ compile",
    "from mlx.core import compile",
    "from mlx.core import compile as jit, array",
    "from mlx.core import array, compile",
    "f = compile if fast else plain",
    "f = plain if slow else compile",
    "return compile",
    "f = lambda compile: compile ",
    "print('# '); f = compile",
    "x = '#' ; mx.compile (f)",
    "# a comment\rf = mx.compile(g)",
    "mx.compile(f)  # fast",
    "getattr(mx, 'compile')",
    "self._compiled_step = 1",
    "more.compile(f)",
    "core.compile(f)",
]
PROSE = [
    "# f = mx.compile(g)",
    "x = 1  # to compile",
    '"""What it takes to compile."""',
    "    The compiled function is kept.",
    "a compile-time constant",
    "re.compile('x')",
    "x = (re.compile('x'))",
]


@pytest.mark.parametrize("text", CODE)
def test_what_may_be_a_program(text: str) -> None:
    assert says_compile(text)


@pytest.mark.parametrize("text", PROSE)
def test_what_cannot_be_one(text: str) -> None:
    assert not says_compile(text)


def test_longer_names_are_no_whole_words() -> None:
    text = "compiled = compile_it(mx.compile(f), precompile, (compile))"
    assert [text[at - 3 : at + 9] for at in whole_words(text)] == ["mx.compile(f", ", (compile))"]


@pytest.mark.parametrize("word", [*keyword.kwlist, *keyword.softkwlist])
def test_beside_a_keyword(word: str) -> None:
    assert list(compile_words(f"x {word} compile {word} y")) == [len(word) + 3]


SAYING = [path for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")) if b"compile" in path.read_bytes()]


@pytest.mark.parametrize("path", SAYING, ids=lambda path: path.name)
def test_no_name_of_a_program_is_left_out(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
    found = set(compile_words(text))
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and "compile" in token.string:
            at = starts[token.start[0] - 1] + token.start[1] + token.string.index("compile")
            assert at in found or text[at - 3 : at] == "re."
