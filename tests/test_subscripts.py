"""The shape that brackets leave of an array: what the interpreter says is what numpy gives, and what is cut from an end does not grow."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mxlint.engine import check
from mxlint.facts.values import ArrayValue

SIZES = st.integers(1, 6)
BOUNDS = st.none() | st.integers(-8, 8)
SLICES = st.builds(slice, BOUNDS, BOUNDS, st.none() | st.sampled_from((1, 2, 3, -1, -2)))
PROGRAM = """
import mlx.core as mx

@mx.compile
def read(x):
    return x * 2

read(mx.zeros({shape})[{subscript}])
"""


@st.composite
def subscripts(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[object, ...]]:
    """A shape, and indices that it takes: for each axis a slice or a position, with new axes between them; an ellipsis stands for axes in the middle."""
    shape = tuple(draw(st.lists(SIZES, min_size=1, max_size=3)))
    before = draw(st.integers(0, len(shape)))
    after = draw(st.integers(0, len(shape) - before))
    indices: list[object] = []
    for axis in (*range(before), *range(len(shape) - after, len(shape))):
        if axis == len(shape) - after:
            indices.append(...)
        if draw(st.integers(0, 4)) == 0:
            indices.append(None)
        indices.append(draw(SLICES | st.integers(-shape[axis], shape[axis] - 1)))
    return shape, tuple(indices) or (...,)


def written(index: object) -> str:
    if not isinstance(index, slice):
        return "..." if index is ... else str(index)
    return ":".join("" if end is None else str(end) for end in (index.start, index.stop, index.step))


@pytest.mark.slow
@given(subscripts())
@settings(max_examples=150, deadline=None)
def test_the_shape_is_known_where_all_is(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple[tuple[int, ...], tuple[object, ...]]
) -> None:
    shape, indices = drawn
    path = tmp_path_factory.mktemp("subscript") / "main.py"
    path.write_text(PROGRAM.format(shape=shape, subscript=", ".join(map(written, indices))), encoding="utf-8")
    (facts,) = check([str(path)], with_facts=True, fixes=False).facts
    (argument,) = facts.calls[0].arguments
    assert isinstance(argument.value, ArrayValue)
    expected = numpy.zeros(shape)[tuple(indices)].shape
    assert argument.value.shape == expected


GROWING = """
import mlx.core as mx

@mx.compile
def read(x):
    return mx.exp(x)

def run(more: mx.array, rounds: int):
    tokens = mx.zeros((more.size, 1))
    for _ in range(rounds):
        read({taken})
        tokens = mx.concatenate([tokens, more.reshape(more.size, 1)], axis=1)
"""


@pytest.mark.parametrize(
    "taken", ["tokens[:, -1:]", "tokens[:, -3:]", "tokens[:, :4]", "tokens[:, 2:4]", "tokens[:, :-5:-1]", "tokens[..., -1]"]
)
def test_what_is_cut_from_an_end_does_not_grow(tmp_path: Path, taken: str) -> None:
    assert codes(tmp_path, taken) == []


@pytest.mark.parametrize(
    "taken", ["tokens", "tokens[:, 1:]", "tokens[:, :-1]", "tokens[:, 2:-1]", "tokens[:, ::-1]", "tokens[None]", "tokens[:1]"]
)
def test_what_is_left_of_a_growing_axis_grows(tmp_path: Path, taken: str) -> None:
    assert codes(tmp_path, taken) == ["MX304"]


def codes(folder: Path, taken: str) -> list[str]:
    path = folder / "main.py"
    path.write_text(GROWING.format(taken=taken), encoding="utf-8")
    return [finding.code for finding in check([str(path)]).findings]
