"""The numbers of traces: one for each compiled object and cache key."""

from __future__ import annotations


class TraceNumbers:
    """The number of each trace, by its compiled object and cache key."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}
