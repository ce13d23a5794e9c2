"""The scripts that run other people's suites, on suites of our own in the same form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs run in forks")


def run(script: str, *arguments: object) -> tuple[int, list[str]]:
    command = [sys.executable, str(BENCHMARKS / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, done.stdout.splitlines()


def write(path: Path, content: str | dict[str, Any] | list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(content).lstrip() if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def test_call_graphs(tmp_path: Path) -> None:
    write(tmp_path / "a" / "main.py", "from pkg import f\nf(lambda: 1)\ndef dead(): return dead\ndef never(): pass\n")
    write(tmp_path / "a" / "pkg" / "__init__.py", "def f(g):\n    return g()\n")
    graph = {"main": ["pkg.f", "main.never"], "pkg.f": ["main.<lambda1>", "<builtin>.len"], "main.dead": ["main.dead"], "pkg": []}
    write(tmp_path / "a" / "callgraph.json", graph)
    code, lines = run("call_graphs.py", tmp_path)
    assert lines == ["a: main.never (nor does CPython)", "2 of 3 reachable functions entered in 1 programs, 0 missed that CPython enters"]
    assert code == 0


def test_type_annotations(tmp_path: Path) -> None:
    text = """
    class Box:
        def __init__(self, n):
            self.n = n


    def make(n):
        boxes = [Box(n), None]
        boxes[0].n += 0.5
        return boxes


    x = make(1)
    y = {"k": make}
    """
    write(tmp_path / "main.py", text)
    truth = [
        {"line_number": 2, "col_offset": 24, "function": "Box.__init__", "parameter": "n", "type": ["int"]},
        {"line_number": 3, "col_offset": 9, "function": "Box.__init__", "variable": "self.n", "type": ["int"]},
        {"line_number": 6, "col_offset": 5, "function": "make", "type": ["list"]},
        {"line_number": 7, "col_offset": 5, "function": "make", "variable": "boxes[0]", "type": ["Box"]},
        {"line_number": 7, "col_offset": 5, "function": "make", "variable": "boxes[1]", "type": ["Nonetype"]},
        {"line_number": 8, "col_offset": 5, "function": "make", "variable": "boxes[0].n", "type": ["float"]},
        {"line_number": 12, "col_offset": 1, "variable": "x", "type": ["str"]},
        {"line_number": 13, "col_offset": 1, "variable": "y['k']", "type": ["callable"]},
    ]
    write(tmp_path / "main_gt.json", [{"file": "main.py", **item} for item in truth])
    _, lines = run("type_annotations.py", tmp_path, "--misses")
    assert lines[0] == "uncovered: main.py:12 variable x: str, but list"
    assert lines[-1] == "7 of 8 annotations met in 1 snippets, 87.5%"


@pytest.mark.slow
def test_the_oracle_on_programs_and_folders(tmp_path: Path) -> None:
    write(tmp_path / "p" / "main.py", "from other import f\nprint(f(1))\n")
    write(tmp_path / "p" / "other.py", "def f(n):\n    return n + 1\n")
    code, lines = run("python_oracle.py", "--abstract", "oracle.replay:adapter", "--programs", 3, "--seed", 1, tmp_path)
    assert code == 0
    assert lines == [f"{tmp_path}: 1 programs, 9 points, 100.0% exact, 0 top, 0 flaws", lines[1]]
    assert lines[1].startswith("seed 1: 3 programs, 0 with flaws, ") and lines[1].endswith(" 100.0% exact, 0 top, 0 flaws")
