"""Where a symbolic value comes from: the places that its identity names, and those of what it was taken out of or computed from, where it does not name these.

The number that a round takes out of a list is named after the round. Where it was drawn, only what the list held says.
"""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.domain.guards import Identity
from mxlint.domain.members import Symbolic
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter


def places_behind(i: Interpreter, identity: Identity) -> Iterator[Place]:
    """The places where a symbolic value, and all that it is made of, came into being."""
    todo: list[object] = [identity]
    followed: set[Identity] = set()
    while todo:
        part = todo.pop()
        if isinstance(part, Place):
            yield part
        elif isinstance(part, Symbolic):
            todo.append(part.identity)
        elif isinstance(part, tuple):
            todo.extend(part)
            if part in i.comes_from and part not in followed:
                followed.add(part)
                todo.extend(i.comes_from[part])
