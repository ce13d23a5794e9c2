"""Which functions come to which others by the last names that they call, in some files together: the symbol indexes over-approximate."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, TypeAlias

from mxlint.source import Source
from mxlint.syntax.index import Block

FUNCTIONS: Final = frozenset(("function", "lambda"))
"""Kinds of blocks that run where they are called."""
Held: TypeAlias = tuple[Source, Block]
"""A block, and the file in which it stands."""


def last_name(block: Block) -> str:
    """The name by which others call a function."""
    return block.name.rpartition(".")[2]


def with_callers(blocks: Collection[Held], found: Iterable[Held]) -> set[Held]:
    """Some functions, and those among others that call them, directly or through others."""
    reached = set(found)
    called = {last_name(block) for _, block in reached}
    new = called
    while new:
        more = {held for held in blocks if held not in reached and not held[1].calls.isdisjoint(new)}
        reached |= more
        new = {last_name(block) for _, block in more} - called
        called |= new
    return reached


def by_last_name(blocks: Iterable[Held]) -> dict[str, list[Held]]:
    """Functions by the names by which others call them."""
    named: dict[str, list[Held]] = {}
    for held in blocks:
        named.setdefault(last_name(held[1]), []).append(held)
    return named


def with_called(named: Mapping[str, Iterable[Held]], function: Held) -> set[Held]:
    """A function, and those among others that it calls, directly or through others. `named`: these by their last names."""
    reached, todo = {function}, [function]
    for _, block in todo:
        more = {held for name in block.calls for held in named.get(name, ())} - reached
        reached |= more
        todo += more
    return reached
