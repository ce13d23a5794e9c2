"""What fixes leave: programs without a finding, which fixing again leaves as they are, and which compute under MLX what the originals compute uncompiled."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from mxlint.config import Settings
from mxlint.engine import check
from mxlint.fixes.run import diff, made, wanted_by
from mxlint.pages import load_page
from mxlint.result import Result
from mxlint.rules.registry import RULES

pytestmark = pytest.mark.mlx

RUNNER = """
import contextlib, io, json, sys
import mlx.core as mx

mx.eval(mx.zeros(1) + 1)
mx.random.seed(7)
if sys.argv[2] == "uncompiled":
    mx.compile = lambda fun, inputs=None, outputs=None, shapeless=False: fun
out, names, error = io.StringIO(), {"__name__": "__main__", "__file__": sys.argv[1]}, None
with open(sys.argv[1], encoding="utf-8") as file, contextlib.redirect_stdout(out):
    try:
        exec(compile(file.read(), sys.argv[1], "exec"), names)
    except Exception as raised:
        error = type(raised).__name__
values = {name: repr(value) for name, value in names.items() if isinstance(value, (mx.array, int, float)) and not name.startswith("_")}
print(json.dumps({"out": out.getvalue(), "error": error, "values": values}))
"""
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


TRACE = re.compile(r"^(?:tracing|running Python).*\n", re.MULTILINE)
"""What pages print to show that a body runs, which is what a fix changes."""


def fixed(text: str, folder: Path) -> tuple[str, Result, Result]:
    """A program with all its fixes made, and what was found before and after."""
    file = folder / "main.py"
    file.write_text(text, encoding="utf-8", newline="")
    look = partial(check, [str(file)], Settings(isolated=True))
    before = look()
    done = made(before, lambda unsaved: look(unsaved=unsaved), wanted_by(unsafe_fixes=True, verify=False))
    assert not done.given_up
    return next((source.text for group in done.groups for source in group.after.values()), text), before, done.result


def run(text: str, folder: Path, *, compiled: bool) -> dict[str, Any]:
    """What a program printed, and the exception that ended it."""
    file = folder / "program.py"
    file.write_text(text, encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MLX", "PYTHON"))}
    command = [sys.executable, "-c", RUNNER, str(file), "compiled" if compiled else "uncompiled"]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two programs ended alike, printed the same words, and numbers that are equal but for rounding, and hold the same in names that both have."""
    shared = sorted(one["values"].keys() & other["values"].keys())
    texts = [
        TRACE.sub("", outcome["out"]) + "".join(f"{name} = {outcome['values'][name]}\n" for name in shared) for outcome in (one, other)
    ]
    numbers = [list(map(float, NUMBER.findall(text))) for text in texts]
    words = [NUMBER.sub("#", text) for text in texts]
    close = len(numbers[0]) == len(numbers[1]) and all(isclose(a, b, rel_tol=1e-4, abs_tol=1e-5) for a, b in zip(*numbers))
    return one["error"] == other["error"] and words[0] == words[1] and close


def pages() -> Iterator[tuple[str, str]]:
    for code in RULES:
        for number, block in enumerate(load_page(code).blocks):
            if "bad" in block.attributes and code > "MX1":
                yield f"{code}-{number}", block.text


PAGES = dict(pages())


@pytest.mark.parametrize("name", PAGES)
def test_a_bad_block_of_a_page(name: str, tmp_path: Path) -> None:
    text = PAGES[name]
    after, before, result = fixed(text, tmp_path)
    if after == text:
        assert not any(map(before.fixable, before.findings))
        return
    codes = [finding.code for finding in before.findings]
    assert not {finding.code for finding in result.findings} - set(codes)
    assert len(result.findings) < len(codes)
    if all(finding.fix is not None and finding.fix.applicability != "display" for finding in before.findings):
        assert result.findings == ()
    assert fixed(after, tmp_path)[0] == after
    # What a program needs is to be another amount, and what is left out is printed by the original.
    measures = "mx.get_peak_memory" in text or "leave out" in "".join(finding.fix.message for finding in before.findings if finding.fix)
    if result.findings == () and not measures and shutil.which("g++") and find_spec("mlx"):
        original = run(after if "MX504" in codes else text, tmp_path, compiled=False)  # what is not returned is not to be compared
        mended = run(after, tmp_path, compiled=True)
        assert same(original, mended), f"{after}\n{original}\n{mended}"


@pytest.mark.parametrize("code", [code for code in RULES if load_page(code).fix is not None])
def test_a_page_shows_its_fix(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = load_page(code)
    (shown,) = [block.text for block in page.blocks if block.language == "diff"]
    for block in page.blocks:
        if "bad" in block.attributes:
            Path("main.py").write_text(block.text, encoding="utf-8")
            look = partial(check, ["main.py"], Settings(isolated=True))
            lines = b"".join(
                diff(
                    made(look(), lambda unsaved, look=look: look(unsaved=unsaved), wanted_by(unsafe_fixes=True, verify=False)), named=False
                )
            )
            if lines:
                break
    assert lines.decode() == shown
    section = page.text.partition("## Fix\n")[2].partition("\n## ")[0]
    assert f"It is {page.fix}" in section
