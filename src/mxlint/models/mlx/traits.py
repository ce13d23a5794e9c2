"""What is known of functions and classes of MLX and no script measures: traits.json, whose `means` says what each part of it says.

has_trait("mlx.core.array.argmax", "gives positions")
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from mxlint.resources import resource

Trait = Literal[
    "cheap", "view", "takes the shape alone", "takes trees", "joins", "pads", "reshapes", "repeats its first", "reduces within",
    "own along the last", "calls what it holds", "gives positions", "probes", "splits by sizes", "element by element",
]  # fmt: skip
Given = Literal["callable", "bool", "number", "anything"]
"""What a parameter may be given."""
_FUNCTIONS: Final = "mlx.core."
_METHODS: Final = "mlx.core.array."


def has_trait(name: str, trait: Trait) -> bool:
    """Whether a function or class of MLX, or a method of arrays, has a trait; `name` is its canonical name."""
    return name in _named(trait)


@cache
def numbers_at(name: str) -> Mapping[str, int]:
    """The parameters of a function that want Python's numbers, and their places; -1 of one that is given by name alone."""
    found: Mapping[str, int] = _data()["wants numbers"]["parameters"].get(name, {})
    return found


class Lengths(NamedTuple):
    """The place of the parameter that says the lengths of a result, and how many axes a single number is the length of."""

    at: int
    axes: int


def lengths_of(name: str, given: int) -> Lengths | None:
    """What says the lengths of what a function makes that is given so many arguments by their places, if it makes the same of other lengths, as far as
    both go."""
    found = _data()["lengths"]["parameters"].get(name)
    return Lengths(found["at"][given - 1], found["axes"]) if found is not None and 0 < given <= len(found["at"]) else None


@cache
def needs(name: str) -> tuple[str, ...]:
    """The parameters that a call of something of MLX may not leave out, as far as no signature tells them; `name` is its canonical name."""
    return tuple(_data()["needs"]["parameters"].get(name, ()))


def called_as(name: str) -> int | None:
    """The place of the function as which what a function of MLX gives is called; None where it gives no such function."""
    place: int | None = _data()["called as its argument"]["places"].get(name)
    return place


def calls_of_made(name: str) -> int | None:
    """The place of the functions that are called where what a function of MLX has made of them is; None where it calls none."""
    place: int | None = _data()["calls what made it"]["places"].get(name)
    return place


@cache
def holds_optimizers(name: str) -> tuple[str, str] | None:
    """Of a class of optimizers that hands the gradients on to others: the attribute that holds these, and the key of their states in its own; None of any
    other."""
    found = _data()["holds optimizers"]["classes"].get(name)
    return (found[0], found[1]) if found is not None else None


@cache
def surely_works(name: str) -> Mapping[str, tuple[int, Given]]:
    """The parameters of a function or class of MLX with which a call raises nothing, by name: the place of each, and what it may be given; none where it
    may raise whatever that is."""
    return {parameter: (place, given) for parameter, (place, given) in _data()["surely works"]["parameters"].get(name, {}).items()}


def quantized(name: str) -> str | None:
    """The class of the quantised layer for a layer of a class; None where there is none."""
    found: str | None = _data()["quantized"]["classes"].get(name)
    return found


@cache
def constants() -> Mapping[str, float | None]:
    """The numbers that MLX has by canonical names; None for the names of None."""
    return {name: None if value is None else float(value) for name, value in _data()["constants"]["values"].items()}


@cache
def _named(trait: Trait) -> frozenset[str]:
    names = _data()["traits"][trait]["names"]
    return frozenset(names) | {name.replace(_FUNCTIONS, _METHODS, 1) for name in names}


@cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads(resource("models", "mlx", "traits.json").read_bytes())
    return data
