"""--verify runs the program that the cells of a notebook are, and names their rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run
from notebooks import notebook

IMPORTS = "%load_ext autoreload\nimport mlx.core as mx"
STEP = "@mx.compile\ndef step(x):\n    print(x)\n    return x * 2"
STATE = "scale = mx.array(1.0)\n@mx.compile\ndef g(x):\n    return x * scale"
CALLS = "!ls\nfor _ in range(3):\n    %time g(mx.ones(2))\n    scale = scale + 1\ndisplay(scale)"


def verdicts(run: Run, *arguments: str) -> list[tuple[str, int, str, str]]:
    answer = json.loads(run("check", "--isolated", "--verify", "--no-cache", "--output-format", "json", *arguments).out)
    return [
        (found["code"], found["cell"], found["verify"]["verdict"], found["verify"]["evidence"]["observed"])
        for found in answer["diagnostics"]
    ]


def test_the_program_of_the_cells_is_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(notebook(("markdown", "# T"), IMPORTS, STEP, "y = step(mx.ones(2))"), encoding="utf-8")
    ((code, cell, verdict, observed),) = verdicts(run, "a.ipynb")
    assert (code, cell, verdict) == ("MX101", 3, "confirmed")
    assert observed.endswith("at a.ipynb:cell 3:3")


def test_with_what_only_ipython_has_beside_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(notebook(IMPORTS, STATE, CALLS), encoding="utf-8")
    assert [found[:3] for found in verdicts(run, "a.ipynb")] == [("MX201", 2, "confirmed")]


def test_a_future_import_stays_first(run: Run, tmp_path: Path) -> None:
    """The names that a session has are imported before it."""
    cells = ("from __future__ import annotations\nimport mlx.core as mx", STEP, "y = step(mx.ones(2))\nshow(y)")
    (tmp_path / "a.ipynb").write_text(notebook(*cells), encoding="utf-8")
    assert [found[:3] for found in verdicts(run, "a.ipynb")] == [("MX101", 2, "confirmed")]


def test_a_name_from_outside(run: Run, tmp_path: Path) -> None:
    """What `%run` may have bound is not at hand: that is said, and nothing of a module that nobody has heard of."""
    cells = (IMPORTS, "%run setup.py", STEP.replace("print(x)", "print(x * factor)"), "y = step(mx.ones(2))")
    (tmp_path / "a.ipynb").write_text(notebook(*cells), encoding="utf-8")
    done = run("check", "--isolated", "--verify", "--no-cache", "--output-format", "json", "a.ipynb")
    ((found,), summary) = (answer := json.loads(done.out))["diagnostics"], answer["summary"]["verify"]
    assert found["verify"]["verdict"] == "inconclusive"
    assert "a name comes from outside of the cells (the finding needs factor)" in found["verify"]["reason"]
    assert (summary["missing"], "__session__" in done.out) == ([], False)


def test_one_row(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(notebook(("markdown", "# T"), IMPORTS, STEP, "y = step(mx.ones(2))"), encoding="utf-8")
    done = run("verify", "--isolated", "--no-cache", "a.ipynb:cell 3:3")
    assert (done.code, "verify: confirmed in-place" in done.out) == (1, True)
    assert run("verify", "--isolated", "a.ipynb:cell 2:1").code == 2


@pytest.mark.parametrize(
    "place, why", [("a.ipynb:3", "names no cell"), ("b.ipynb:cell 1:3", "is not FILE:ROW"), ("a.ipynb:cell x:3", "is not FILE:ROW")]
)
def test_what_is_no_row(place: str, why: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(notebook(IMPORTS), encoding="utf-8")
    done = run("verify", place)
    assert (done.code, why in done.err) == (2, True)
