"""Which Python runs the program: not known, but one that runs MLX."""

from __future__ import annotations

from mxlint.tracing.values import Foreign, Scalar, Tup

VERSION = Foreign("sys.version_info")
OLDEST = 9
"""Python 3.9 is the oldest that any MLX runs on that mxlint knows."""


def compare(op: str, other: Tup) -> Scalar:
    """`sys.version_info >= (3, 8)` and its like."""
    numbers = [item.content for item in other.items if isinstance(item, Scalar) and isinstance(item.content, int)]
    if len(numbers) < len(other.items) or not numbers or op not in (">", ">=", "<", "<="):
        return Scalar("bool")
    older = tuple(numbers) <= (3, OLDEST)
    newer = numbers[0] > 3
    return Scalar("bool", older == op.startswith(">")) if older or newer else Scalar("bool")
