"""Recursive functions of which a fixpoint is under way, and what is known of them so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mxlint.domain.members import Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.paths import Path


class Recursion:
    """One of them. `value`: what it has given so far, None if nothing. `arguments` and `paths`: of its inner calls in the present round. `run`: runs its body.

    `compiles`: the places where its activations compile something, and under which path; `again`: those to which an activation comes that another one has called, from
    the state of that call. `inner`: for which of these places such a one runs now.
    """

    __slots__ = ("again", "arguments", "compiles", "inner", "paths", "run", "value")

    def __init__(self, run: Callable[[Arguments], Value]) -> None:
        self.run = run
        self.value: Value | None = None
        self.arguments: list[Arguments] = []
        self.paths: list[Path] = []
        self.compiles: dict[Place, Path] = {}
        self.again: set[Place] = set()
        self.inner: Place | None = None

    @contextmanager
    def within(self, place: Place | None) -> Iterator[None]:
        """While an inner call runs, for something that is compiled at a place."""
        self.inner = place
        try:
            yield
        finally:
            self.inner = None


def looks_inside(i: Interpreter) -> Recursion | None:
    """The function of which an inner call runs to see what it compiles, which no summary tells; None if there is none."""
    return next((recursion for recursion in i.approximations.values() if recursion.inner is not None), None)


def compiles_at(i: Interpreter, place: Place) -> None:
    """Something is compiled, in host code."""
    for recursion in i.approximations.values() if i.trace is None else ():
        if recursion.inner is None:
            recursion.compiles[place] = i.path
        elif recursion.inner == place:
            recursion.again.add(place)
