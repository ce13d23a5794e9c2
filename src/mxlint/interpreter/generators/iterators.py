"""Iterators as objects of the heap: what each goes over, and how far it has come. Behind `it = iter(xs); next(it)` the position of `it` is 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import Const, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter


class Iterator:
    """The payload of an iterator object: what it does (iter, enumerate, zip, map, filter, reversed, items, values, keys), over which values."""

    __slots__ = ("parts", "type")

    def __init__(self, type: str, parts: tuple[Value, ...]) -> None:
        self.type = type
        self.parts = parts


ITERATED: Final = ("#", "as")
"""Of a generator: the iterator over what its body yielded."""


RETURNED: Final = ("#", "returned")
"""Of a generator: what its body returned."""


RESUME: Final = ("#", "resume")
"""Of a generator: the offset of the yield that it stands at; None at its end."""


CLOSING: Final = ("#", "closing")
"""Of a generator: set where it may be closed at any of its yields."""


THROWN: Final = ("#", "thrown")
"""Of a generator: what `throw` raises at one of its yields."""


EFFECTS: Final = ("#", "effects")
"""Of a generator: what running its body changed."""


SENT: Final = ("#", "sent")
"""Of a generator: what `send` gave it."""


POSITION: Final = ("#", "position")


ENDLESS: Final = "repeat"
"""What an iterator does that gives one thing for ever: it comes no further, so a `next` changes nothing."""


ITERABLES: Final = {
    "enumerate": slice(1), "filter": slice(1, None), "iter": slice(1), "map": slice(1, None), "reversed": slice(1), "zip": slice(None),
}  # fmt: skip
"""Which of the parts of an iterator it takes its elements from."""


PARTS: Final = ("#", "parts")


def new_iterator(i: Interpreter, type: str, parts: Sequence[Value], place: Place, cls: str = "") -> Ref:
    """A new iterator object, of a class of Python's."""
    oid = i.allocate("iterator", type, place, (type, cls), label=cls)
    i.heap.set(oid, PARTS, Tuple(tuple(parts)))
    i.heap.set(oid, POSITION, Const(0))
    return Ref(oid)


def parts_of(i: Interpreter, ref: Ref) -> tuple[Value, ...]:
    """What an iterator goes over, as `a` and `b` of `zip(a, b)`."""
    found = i.heap.get(ref.oid, PARTS)
    rows = (
        [member.items for member in members(found) if isinstance(member, Tuple) and member.items is not None] if found is not None else []
    )
    return tuple(map(join, zip(*rows)))  # several, where a union was iterated over: one iterator stands for those of its members
