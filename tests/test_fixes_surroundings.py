"""Fixes in files as they come: whatever stands around the place, nothing else changes, and the fixed program computes what it is to compute."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections import Counter
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from tokenize import COMMENT, tokenize

import pytest
from fixable import PROGRAMS
from hypothesis import given, settings
from hypothesis import strategies as st
from surroundings import dressed, encoded
from test_fixed_programs import run, same

from mxlint.config import Settings
from mxlint.engine import check
from mxlint.fixes.passes import Fixed
from mxlint.fixes.run import made, wanted_by
from mxlint.pages import load_page
from mxlint.result import Result
from mxlint.rules.registry import RULES
from mxlint.source import source_from_bytes

pytestmark = pytest.mark.mlx


def fixed(data: bytes, file: Path) -> tuple[bytes, Result, Fixed]:
    """What a file holds after all its fixes, what was found before, and how it was fixed."""
    file.write_bytes(data)
    look = partial(check, [str(file)], Settings(isolated=True))
    before = look()
    done = made(before, lambda unsaved: look(unsaved=unsaved), wanted_by(unsafe_fixes=True, verify=False))
    return next((source.data for group in done.groups for source in group.after.values()), data), before, done


def comments(text: str) -> Counter[str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return Counter(token.string for token in tokenize(BytesIO(lines.encode()).readline) if token.type == COMMENT)


@settings(max_examples=40, deadline=None)
@given(name=st.sampled_from(sorted(PROGRAMS)), seed=st.integers(0, 1_000_000))
def test_a_fix_in_any_file(name: str, seed: int) -> None:
    random = Random(seed)
    data = encoded(dressed(PROGRAMS[name], random), random)
    with TemporaryDirectory() as folder:
        hold(data, Path(folder))


RULES_WITH_FIXES = {code for code in RULES if load_page(code).fix is not None and code > "MX1"}
RECORDER = """
import sys
import mlx.core as mx

called = {}

def recording(fun, inputs=None, outputs=None, shapeless=False):
    name = getattr(fun, "__qualname__", type(fun).__qualname__)
    def call(*args, **kwargs):
        result = fun(*args, **kwargs)
        called.setdefault(name, []).append(repr(result))
        return result
    return call

mx.compile = recording
with open(sys.argv[1], encoding="utf-8") as file:
    exec(compile(file.read(), sys.argv[1], "exec"), {"__name__": "__main__", "__file__": sys.argv[1]})
results = sorted(called.values(), key=len)
print("recorded", len(results[-1]), len(set(results[-1])))
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_calls_what_is_compiled_again_and_again(name: str, tmp_path: Path) -> None:
    """Three calls at least, and as many results: arguments, state or loop variables are others each time."""
    after, _, done = fixed(PROGRAMS[name].encode(), tmp_path / "main.py")
    assert done.groups
    (tmp_path / "main.py").write_bytes(after)
    ran = subprocess.run([sys.executable, "-c", RECORDER, str(tmp_path / "main.py")], capture_output=True, text=True, check=True)
    _, calls, results = ran.stdout.splitlines()[-1].split()
    assert int(calls) >= 3
    assert int(results) >= 3


def test_the_programs_have_the_fixes_of_all_rules(tmp_path: Path) -> None:
    made = {finding.code for text in PROGRAMS.values() for finding in fixed(text.encode(), tmp_path / "main.py")[2].result.fixed}
    assert made == RULES_WITH_FIXES


def _is_mixed(text: str) -> bool:
    return len({"\r\n" in text, "\n" in text.replace("\r\n", "")}) == 1 and "\r\n" in text


def hold(data: bytes, folder: Path) -> bool:
    """Check all that is to hold of a file's fixes; whether there were any."""
    after, before, done = fixed(data, folder / "main.py")
    assert not done.given_up
    assert not done.result.problems
    if after == data:
        assert not any(map(before.fixable, before.findings))
        return False
    old, new = (source_from_bytes(content, "main.py") for content in (data, after))
    ast.parse(new.text)
    assert not comments(old.text) - comments(new.text)
    assert not comments(new.text).keys() - comments(old.text).keys()
    assert not any(map(done.result.fixable, done.result.findings))
    assert len(done.result.findings) < len(before.findings)
    assert fixed(after, folder / "main.py")[0] == after
    # Lines that are nobody's business are there as they were, with what ended them, unless they moved with a definition that they stand in.
    ends = {line.strip(): line for line in new.text.splitlines(keepends=True)}
    for line in old.text.splitlines(keepends=True):
        if line.strip().startswith(("filler_", "# note", "# 𝒳", "# -*-")):
            assert line.strip() in ends
            assert line.endswith("\r\n") == ends[line.strip()].endswith("\r\n") or "filler" in line or _is_mixed(old.text)
    if all(RULES[finding.code].cost_only for finding in done.result.findings) and shutil.which("g++") and find_spec("mlx"):
        # What is left out is not printed any more.
        left_out = any(finding.fix is not None and "leave out" in finding.fix.message for finding in done.result.fixed)
        original, mended = run(new.text if left_out else old.text, folder, compiled=False), run(new.text, folder, compiled=True)
        assert original["error"] is None
        assert same(original, mended), f"{new.text}\n{original}\n{mended}"
    return True
