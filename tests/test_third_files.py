"""State lies in one file, a compiled function of another reads it, and a third file sets it: the client calls what that has, unless its calls are in sight."""

from __future__ import annotations

from pathlib import Path

import pytest
from writing import write_modules

from mxlint.engine import check

STATE = "LEVELS = [1.0, 2.0]\nFLAGS = {'hard': False}\nSCALE = 2.0\n"
CORE = """import mlx.core as mx
import state
from state import FLAGS, LEVELS


@mx.compile
def gate(x):
    y = mx.sigmoid(x) * state.SCALE * LEVELS[0]
    return mx.round(y) if FLAGS["hard"] else y


def score(x):
    return gate(x)
"""
SETTING = "import state\n\n\ndef set_scale(value):\n    state.SCALE = value\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory: a project with state and a compiled function that reads it."""
    monkeypatch.chdir(tmp_path)
    write_modules(state=STATE, core=CORE)


def rows() -> list[tuple[str, int]]:
    return [(finding.code, finding.span.start.row) for finding in check((".",)).findings if finding.severity != "info"]


@pytest.mark.parametrize(
    ("third", "row"),
    [
        (SETTING, 8),
        ("import state\n\n\ndef _put(key, value):\n    state.FLAGS[key] = value\n\n\ndef harden():\n    _put('hard', True)\n", 9),
        ("from state import FLAGS\n\n\ndef choose(**options):\n    FLAGS.update(options)\n    FLAGS['hard'] = True\n", 9),
        ("import state\n\n\nclass Levels:\n    def raise_to(self, value):\n        state.LEVELS[0] = value\n", 8),
    ],
)
def test_what_a_third_file_sets_is_stale(third: str, row: int) -> None:
    assert rows() == []
    write_modules(tuning=third)
    assert rows() == [("MX209", row)]


@pytest.mark.parametrize(
    "third",
    [
        "import state\n\n\ndef prepared(value):\n    state.READY = value\n    return state.SCALE, state.FLAGS.get('hard')\n",
        "import state\n\n\ndef own(value):\n    FLAGS = dict(state.FLAGS)\n    FLAGS['hard'] = value\n    return FLAGS\n",
        SETTING + "\n\nif __name__ == '__main__':\n    set_scale(3.0)\n",
        SETTING + "\n\nCOMMANDS = {'scale': set_scale}\n",
        SETTING.replace("import state", "import state\nimport unknown_state_of_others").replace(
            "state.SCALE", "unknown_state_of_others.SCALE"
        ),
    ],
)
def test_what_is_in_sight_or_changes_nothing_is_left_alone(third: str) -> None:
    write_modules(tuning=third)
    assert rows() == []


def test_what_another_file_calls_is_in_sight() -> None:
    write_modules(
        tuning=SETTING,
        app="import mlx.core as mx\nfrom core import score\nfrom tuning import set_scale\n\nset_scale(3.0)\nscore(mx.ones(2))\n",
    )
    assert rows() == []


OWN = "import mlx.core as mx\n\nSCALE = 2.0\n\n\n@mx.compile\ndef gate(x):\n    return mx.sigmoid(x) * SCALE\n"


def test_a_file_that_imports_the_reader_alone_to_set_what_it_reads_is_a_third_one() -> None:
    write_modules(
        core=OWN, tuning="import mlx.core as mx\nimport core\n\n\ndef set_scale(value):\n    core.SCALE = value\n    mx.clear_cache()\n"
    )
    assert rows() == [("MX209", 8)]


def test_a_file_that_calls_what_reads_has_its_calls_in_sight() -> None:
    write_modules(core=OWN, tuning="import core\n\n\ndef set_up(value):\n    core.SCALE = value\n    return core.gate\n")
    assert rows() == []
