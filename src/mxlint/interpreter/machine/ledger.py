"""What the interpreter keeps beside the heap: one record for each class that asks, which no branch or round undoes.

So the ledger is for counts and caches. What a state must not share with another one is a field of the heap.
"""

from __future__ import annotations

from typing import Any, TypeVar

Notes = TypeVar("Notes")


class Ledger:
    """What was seen so far, over all states: nothing of it is undone with them.

    What a part of the interpreter keeps stands in a class of its own, beside the code that does so.
    """

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[type[Any], Any] = {}

    def of(self, kind: type[Notes]) -> Notes:
        """The notes of one class, which are empty at first."""
        found: Notes | None = self._kept.get(kind)
        if found is None:
            found = self._kept[kind] = kind()
        return found
