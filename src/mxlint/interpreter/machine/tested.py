"""The numbers to which a location is compared for equality: `while n != 8` makes 8 a bound of the widened range of `n`."""

from __future__ import annotations

from mxlint.domain.heap import Location


class Tested:
    """The numbers by location: a loop that counts a number up may end, or begin anew, where it is one of these."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[Location, set[int]] = {}
