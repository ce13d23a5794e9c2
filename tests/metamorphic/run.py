"""Programs in folders of their own: checked by mxlint, run under MLX."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from mxlint.engine import check
from mxlint.finding import Finding

TESTS = Path(__file__).parents[1]

Run = Callable[[Mapping[str, str]], str]
"""Runs a program without compilation; what it did, as a text to compare."""


@contextmanager
def running(folder: Path) -> Iterator[Run]:
    """Start the process that runs programs."""
    numbers = itertools.count()
    child = subprocess.Popen(
        [sys.executable, "-B", "-m", "metamorphic.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTHONHASHSEED": "0"},
    )
    assert child.stdin is not None and child.stdout is not None
    jobs, answers = child.stdin, child.stdout

    def run(files: Mapping[str, str]) -> str:
        root = folder / f"r{next(numbers)}"
        write(root, files)
        jobs.write(json.dumps(str(root)) + "\n")
        jobs.flush()
        return answers.readline()

    try:
        yield run
    finally:
        jobs.close()
        answers.close()
        child.wait()


def findings(root: Path, files: Mapping[str, str]) -> tuple[Finding, ...]:
    """What mxlint finds in the files, written to `root`, with names relative to it."""
    write(root, files)
    before = os.getcwd()
    os.chdir(root)
    try:
        result = check(["."])
    finally:
        os.chdir(before)
    assert result.tracebacks == ()
    return result.findings


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
