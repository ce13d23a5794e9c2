"""Versions and ranges of versions, as settings and requirements give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet


def as_range(text: str) -> SpecifierSet | None:
    """A version (0.29.2) or a range of versions (>=0.28,<0.31); None if a text is neither, empty if it is blank."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    text = text.strip().replace("===", "==")  # which admits what is no version at all
    try:
        found = SpecifierSet(f"=={text}" if text[:1].isdigit() else text)
        for bound in found:
            Version(bound.version.removesuffix(".*"))  # a specifier takes numbers of more digits than Python makes a number of
    except ValueError:
        return None
    return found


def admits_any(found: SpecifierSet) -> bool:
    """Whether some version lies in a range: the least it can hold is the bottom, a bound, or right above one of these."""
    least = ["0", *(bound.version.removesuffix(".*") for bound in found)]
    return next(iter(found.filter([*least, *(f"{version}.0.0.1" for version in least)], prereleases=True)), None) is not None
