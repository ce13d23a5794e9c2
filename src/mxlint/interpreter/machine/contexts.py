"""Attributes that each thread or each context has for itself: those of a `threading.local`, what a `ContextVar` holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mxlint.domain.heap import Field
from mxlint.domain.members import Value
from mxlint.interpreter.machine.core import Interpreter

CONTEXT: Final = "context"


class Owned:
    """The objects of which each thread, or each context, has its own attributes: of which of the two, and what they are in a new one."""

    __slots__ = ("objects",)

    def __init__(self) -> None:
        self.objects: dict[int, tuple[str, dict[Field, Value]]] = {}


def own(i: Interpreter, oid: int, of: str) -> None:
    """From now on each thread or context has its own attributes of an object, which in a new one are what they are now."""
    i.ledger.of(Owned).objects[oid] = (of, dict(i.heap.fields(oid)))


@contextmanager
def having_its_own(i: Interpreter, thread: bool) -> Iterator[None]:
    """Run in another context, and in another thread if that is a `thread`: what it sets there, nobody else finds. A task begins with a copy of the context."""
    objects = {oid: held for oid, held in i.ledger.of(Owned).objects.items() if i.heap.exists(oid) and not i.info(oid).summary}
    outer = {oid: dict(i.heap.fields(oid)) for oid, (of, _) in objects.items() if thread or of == CONTEXT}
    for oid, (of, fields) in objects.items():
        if thread and of == CONTEXT:
            _put(i, oid, fields)
    try:
        yield
    finally:
        for oid, fields in outer.items():
            _put(i, oid, fields)


def _put(i: Interpreter, oid: int, fields: dict[Field, Value]) -> None:
    """Give an object these fields, and no others."""
    for field in [field for field in i.heap.fields(oid) if field not in fields]:
        i.heap.drop(oid, field)
    for field, value in fields.items():
        i.heap.set(oid, field, value)
