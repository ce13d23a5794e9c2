"""Which object of the heap stands for something that nobody in sight gives, such as the model that is a parameter."""

from __future__ import annotations

from mxlint.domain.members import Value


class Standing:
    """Objects that stand for what nobody in sight gives."""

    __slots__ = ("making", "objects", "presumed", "samples")

    def __init__(self) -> None:
        self.objects: set[int] = set()
        """Objects that stand for what somebody out of sight gives: their class may be another one that extends theirs."""
        self.presumed: dict[int, str] = {}
        """Objects that stand for parameters, with the presumption that they rest on."""
        self.samples: dict[object, Value | None] = {}
        """One object of each class that was made with symbolic arguments, by the class."""
        self.making: set[object] = set()
        """Classes of which such an object is being made."""
