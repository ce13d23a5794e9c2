"""What an abstract interpreter has to answer to be compared with a run. Knows none of its classes: it implements these protocols.

An adapter is a function of a program's folder and the file that is run (relative to it) that returns a `Mapping[str, AbstractFile]` by file
name; `load("package.module:function")` finds it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Protocol

from .model import Kind, Left, Observed, PointKey, Range, Step


class AbstractView(Protocol):
    """The abstract value of a point, joined over all contexts in which the point was reached."""

    @property
    def is_top(self) -> bool:
        """Whether nothing is known of it: it then covers every value."""

    @property
    def reason(self) -> str:
        """Why it is top, in the words that `mxlint sites --why` prints. Empty if no reason is recorded, which is an error for a top."""

    def covers(self, observed: Observed) -> bool:
        """Whether the concrete value is one of those that it stands for."""

    def inside(self, step: Step) -> Iterable[AbstractView]:
        """What may lie there in the values that it stands for, each way in which that is told; nothing if it believes that nothing is there."""

    def kinds(self) -> frozenset[Kind] | None:
        """The kinds that it admits; None where they cannot be listed. Only what scores against annotations asks for them."""

    def exact(self, kinds: frozenset[Kind]) -> bool:
        """Whether it admits no kind beside these. Lengths, shapes and the values of scalars do not count."""


class AbstractFile(Protocol):
    """What an abstract interpreter believes of one file."""

    @property
    def points(self) -> Mapping[PointKey, AbstractView]:
        """Every point that it reached."""

    @property
    def entered(self) -> Collection[Range]:
        """The definitions of the functions and lambdas that it entered."""

    @property
    def reachable(self) -> Collection[Range]:
        """The statements that it believes may be executed."""

    def may_leave(self, function: Range, left: Left) -> bool:
        """Whether an exception of this class may leave the function."""


Adapter = Callable[[Path, str], Mapping[str, AbstractFile]]


def load(name: str) -> Adapter:
    """Import the adapter that `module:function` names."""
    module, _, function = name.partition(":")
    adapter: Adapter = getattr(importlib.import_module(module), function)
    return adapter
