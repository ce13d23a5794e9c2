"""What the interpreter keeps beside the heap: one record for each class that asks, which no branch or round undoes.

So the ledger is for counts and caches. What a state must not share with another one is a field of the heap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

Notes = TypeVar("Notes")


class Ledger(dict[type[Any], Any]):
    """What was seen so far, over all states: nothing of it is undone with them.

    What a part of the interpreter keeps stands in a class of its own, beside the code that does so.
    """

    __slots__ = ()

    def __missing__(self, kind: type[Any]) -> Any:
        found = self[kind] = kind()
        return found

    if TYPE_CHECKING:

        def of(self, kind: type[Notes]) -> Notes:
            """The notes of one class, which are empty at first."""
            raise NotImplementedError
    else:
        of = dict.__getitem__  # asked four times for each expression, so without a call of Python
