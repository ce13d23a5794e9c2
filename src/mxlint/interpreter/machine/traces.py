"""The traces of a run, which are numbered."""

from __future__ import annotations


class TraceNumbers:
    """The number of each trace, by its compiled object and cache key."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}
