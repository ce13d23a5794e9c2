"""Pitfalls that people have reported: mxlint flags exactly the marked lines and is silent on what is mended, and real MLX shows why."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest
from children import run_in_child, short_names
from writing import write

from mxlint.engine import check

REPORTED = Path(__file__).parent / "fixtures" / "reported.md"
MLX = "0.32.4"  # the version whose output is shown
FENCE = re.compile(r"(?ms)^```(python|toml|output) ?(\S*)\n(.*?)^```$")
MARKER = re.compile(r"# (MX\d{3})$")
MISSED: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Program:
    """A script `main.py`, the files that it imports, and what it prints."""

    files: Mapping[str, str]
    output: str

    @property
    def marked(self) -> list[tuple[str, int, str]]:
        return sorted(
            (name, row, marker[1])
            for name, text in self.files.items()
            for row, line in enumerate(text.splitlines(), 1)
            if (marker := MARKER.search(line))
        )


def read(section: str) -> dict[str, Program]:
    """The programs of one section: a block of output ends each."""
    programs: dict[str, Program] = {}
    files: dict[str, str] = {}
    kind = ""
    for language, label, text in FENCE.findall(section):
        if language != "output":
            kind, _, name = label.partition("/")
            files[name or "main.py"] = text
        else:
            programs[kind] = Program(files, text)
            files = {}
    assert not files
    return programs


SECTIONS = dict(section.split("\n", 1) for section in REPORTED.read_text(encoding="utf-8").split("\n## ")[1:])
THREADS = {thread: read(text) for thread, text in SECTIONS.items()}
BAD = {thread: programs["bad"] for thread, programs in THREADS.items()}
FIXED = {thread: programs["fixed"] for thread, programs in THREADS.items()}


def found(root: Path, files: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, str]]:
    monkeypatch.chdir(root)
    write(root, files)
    result = check(["."], fixes=False)
    assert (result.tracebacks, result.problems) == ((), ())
    return sorted((finding.span.filename, finding.span.start.row, finding.code) for finding in result.findings)


def test_every_section_has_two_programs() -> None:
    assert {thread: list(programs) for thread, programs in THREADS.items() if list(programs) != ["bad", "fixed"]} == {}
    assert [thread for thread, program in BAD.items() if not program.marked] == []
    assert [thread for thread, program in FIXED.items() if program.marked] == []
    assert MISSED.keys() <= THREADS.keys()


@pytest.mark.parametrize(
    "thread",
    [
        pytest.param(thread, marks=pytest.mark.xfail(strict=True, raises=AssertionError, reason=MISSED[thread]) if thread in MISSED else ())
        for thread in THREADS
    ],
)
def test_what_was_reported_is_flagged(thread: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(tmp_path, BAD[thread].files, monkeypatch) == BAD[thread].marked


@pytest.mark.parametrize("thread", THREADS)
def test_what_is_mended_is_silent(thread: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(tmp_path, FIXED[thread].files, monkeypatch) == []


# Runs the script of each folder in a fork of its own, since some of them destroy the random state, and says what it prints and raises.
CHILD = """
import json, os, runpy, sys
import mlx.core as mx
import mlx.nn

def run(folder):
    mx.set_default_device(mx.cpu)
    mx.eval(mx.zeros(1) + 1)  # the first compiled call of a process that has run nothing yet traces twice
    sys.path.insert(0, folder)
    try:
        runpy.run_path(os.path.join(folder, "main.py"), run_name="__main__")
    except Exception as error:
        print(f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}")
    sys.stdout.flush()

printed = []
for folder in json.load(sys.stdin):
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            os.dup2(write, 1)
            run(folder)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        printed.append(answer.read())
    os.wait()
print(json.dumps(printed))
"""


@pytest.mark.mlx
@pytest.mark.skipif(
    importlib.util.find_spec("mlx") is None or version("mlx") != MLX or shutil.which("g++") is None or not hasattr(os, "fork"),
    reason=f"shows what MLX {MLX} prints on the CPU, where it needs g++; and needs fork",
)
@pytest.mark.parametrize("kind", ["bad", "fixed"])
def test_real_mlx_prints_the_output(kind: str, tmp_path: Path) -> None:
    folders = {thread: tmp_path / str(number) for number, thread in enumerate(THREADS)}
    for thread, folder in folders.items():
        write(folder, THREADS[thread][kind].files)
    printed = dict(zip(folders, map(short_names, run_in_child(CHILD, folders.values()))))
    assert printed == {thread: THREADS[thread][kind].output for thread in THREADS}
