"""The threads of a program, which are numbered."""

from __future__ import annotations


class Threads:
    """The number of each thread, by where it was started."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}
