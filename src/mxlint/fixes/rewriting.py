"""An expression or statement written anew, as the rule has it."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Edit, Fix
from mxlint.fixes.remedies import Rewrite


def rewrite(remedy: Rewrite) -> Iterator[Fix]:
    place = remedy.place
    yield Fix("unsafe", remedy.message, (Edit(remedy.text, place.source.span(place.start, place.end)),))
