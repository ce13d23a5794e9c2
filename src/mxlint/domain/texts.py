"""What a text begins and ends with that is put together of known and unknown ones, as `"last_" + name`: it equals no constant that begins or ends otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from string import Formatter
from typing import Final

from mxlint.domain.members import Const

JOINED: Final = "texts"
"""The operation that puts two texts one behind the other."""
TEMPLATE: Final = "text of"
"""Begins what stands for a text that is put together of others: the template, which says what stands between them, and these."""


def cannot_be(identity: object, text: object) -> bool:
    """Whether what an identity says to be put together of texts cannot be equal to a constant."""
    if not isinstance(text, str):
        return False
    parts = list(_parts(identity))
    begin, end = "".join(_known(parts)), "".join([*_known(reversed(parts))][::-1])
    return not (text.startswith(begin) and text.endswith(end) and len(text) >= len(begin) + len(end))


def _known(parts: Iterable[object]) -> Iterator[str]:
    """The texts of the first of some parts, up to one that is not known."""
    return (part for part in takewhile(lambda part: isinstance(part, str), parts) if isinstance(part, str))


def _parts(identity: object) -> Iterator[object]:
    """What a text is put together of, from left to right: strings, and identities of what is not known."""
    if isinstance(identity, Const):
        yield identity.value
    elif isinstance(identity, tuple) and identity[:1] == (JOINED,) or _adds_text(identity):
        for operand in identity[1:3]:  # type: ignore[index]
            yield from _parts(operand)
    elif isinstance(identity, tuple) and identity[:1] == (TEMPLATE,) and isinstance(identity[1], Const):
        fields = iter(identity[2:])
        for letters, field, _, _ in Formatter().parse(str(identity[1].value)):
            yield letters
            if field is not None:
                yield from _parts(next(fields, None))
    else:
        yield identity


def _adds_text(identity: object) -> bool:
    """Whether a constant text and something else are added: that is a text as well."""
    if not isinstance(identity, tuple) or identity[:1] != ("+",) or len(identity) < 3:
        return False
    return any(isinstance(part, Const) and isinstance(part.value, str) for part in identity[1:3])
