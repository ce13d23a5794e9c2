"""The generated programs of the Python oracle: they end, print the same each time, and are recorded without a change."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from oracle.compare import compare
from oracle.constructs import TEMPLATES
from oracle.generate import Draft, Program, draw_program, programs
from oracle.model import Recording
from oracle.record import Record
from oracle.reduce import reduce_program
from oracle.replay import replay
from writing import write

COUNT = int(os.environ.get("MXLINT_ORACLE", "40"))
"""So many programs are drawn; MXLINT_ORACLE=2000 asks for more of them."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs run in forks")


def run(record: Record, folder: Path, program: Program) -> Recording:
    """The recording of a program that does what it does without one."""
    write(folder, program.files)
    recorded, plain = record(folder), record(folder, instrument=False)
    assert (recorded.output, recorded.raised) == (plain.output, plain.raised)
    return recorded


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_construct_runs(record: Record, tmp_path: Path, name: str) -> None:
    for number in range(3):
        definitions, use = Draft(Random(number)).instance(TEMPLATES[name])
        program = Program({"main.py": f"{definitions}\n\n{use}\n"}, (name,))
        recorded = run(record, tmp_path, program)
        assert recorded.raised is None, program.files["main.py"]


@pytest.mark.slow
def test_programs_end_and_are_recorded_without_a_change(record: Record, tmp_path_factory: pytest.TempPathFactory) -> None:
    ends: list[str | None] = []
    points: list[int] = []

    @seed(COUNT)
    @settings(max_examples=COUNT, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate,))
    @given(programs())
    def check(program: Program) -> None:
        recorded = run(record, tmp_path_factory.mktemp("program"), program)
        report = compare(recorded, replay(recorded))
        assert (report.flaws, report.share_exact) == ((), 1.0)
        ends.append(recorded.raised)
        points.append(report.points)

    check()
    assert sum(end is None for end in ends) >= 0.98 * len(ends), set(ends)
    assert sum(points) / len(points) > 50


def test_a_program_depends_on_its_seed_alone() -> None:
    assert draw_program(Random(5)) == draw_program(Random(5)) != draw_program(Random(6))


@pytest.mark.slow
def test_a_program_is_made_small() -> None:
    text = "import os\ndef f():\n    for i in range(2):\n        if i:\n            wanted()\n        else:\n            other()\nf()\n"
    small = reduce_program(Program({"main.py": text, "b.py": "x = 1\n"}, ()), lambda program: "wanted()" in program.files["main.py"])
    assert small.files == {"main.py": "def f():\n    wanted()\n", "b.py": "pass\n"}
