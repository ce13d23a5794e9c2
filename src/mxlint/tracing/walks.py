"""Walks over what values hold. Values form a graph, not a tree: each object is visited once, however many ways lead to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def each(roots: Iterable[T], held: Callable[[T], Iterable[T]]) -> Iterator[T]:
    """Every object below `roots` and they themselves, once each, in pre-order. `held`: the direct parts of an object."""
    seen: dict[int, T] = {}  # holds what it has seen, so that no identity is used twice
    rest = list(roots)[::-1]
    while rest:
        one = rest.pop()
        if id(one) not in seen:
            seen[id(one)] = one
            yield one
            rest += [*held(one)][::-1]


def near(roots: Iterable[T], held: Callable[[T], Iterable[T]], depth: int) -> Iterator[T]:
    """The same in level order, down to `depth` steps below a root."""
    seen: dict[int, T] = {}
    level = list(roots)
    while level:
        below: list[T] = []
        for one in level:
            if id(one) not in seen:
                seen[id(one)] = one
                yield one
                if depth:
                    below += held(one)
        level = below
        depth -= 1


def tree_size(root: T, held: Callable[[T], Iterable[T]], limit: int) -> int:
    """The number of nodes of the tree that an object unfolds to, where what is shared counts each time; anything over `limit` once it is that many."""
    count = 1
    rest = [iter(held(root))]
    while rest and count <= limit:
        for one in rest[-1]:
            count += 1
            rest.append(iter(held(one)))
            break
        else:
            rest.pop()
    return count
