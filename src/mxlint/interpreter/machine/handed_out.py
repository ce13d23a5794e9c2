"""What of the program something out of sight was given and may call at any time: a bus, a signal, whatever a decorator of a library keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import Bound, Ref, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter

HANDED: Final = "handed out"
"""Begins the location, of the process, of the functions that were handed out somewhere: they live for as long as it does."""


class HandedOut:
    """Methods, with their objects, that something out of sight was given."""

    __slots__ = ("methods",)

    def __init__(self) -> None:
        self.methods: set[Bound] = set()


def hand_out(i: Interpreter, value: Value, place: Place) -> None:
    """Something out of sight is given what may be a function or method."""
    i.ledger.of(HandedOut).methods.update(member for member in members(value) if isinstance(member, Bound))
    functions = [member for member in members(value) if isinstance(member, Ref) and i.info(member.oid).kind == "function"]
    if functions and i.trace is None:
        known = i.heap.get(0, (HANDED, place))
        i.heap.set(0, (HANDED, place), join([*functions, *(members(known) if known is not None else ())]))


def handed_functions(i: Interpreter) -> Iterator[Ref]:
    """The functions that were handed out."""
    for field, value in i.heap.fields(0).items():
        if isinstance(field, tuple) and field[0] == HANDED:
            yield from (member for member in members(value) if isinstance(member, Ref))
