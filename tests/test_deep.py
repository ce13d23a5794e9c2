"""The room for nesting: what it costs to nest to and fro."""

import sys

import pytest

from mxlint.deep import some_room


def nested(levels: int) -> int:
    return nested(levels - 1) + 1 if levels else 0


def to_and_fro() -> None:
    for levels in range(100, 1000, 10):
        for _ in range(10):
            nested(levels)


@pytest.mark.skipif(sys.platform == "win32", reason="counts page faults")
def test_memory_for_frames_is_taken_once() -> None:
    from resource import RUSAGE_SELF, getrusage

    some_room(to_and_fro)()
    before = getrusage(RUSAGE_SELF).ru_minflt
    some_room(to_and_fro)()
    assert getrusage(RUSAGE_SELF).ru_minflt - before < 900  # fewer than calls: each would take a piece and give it back
