"""The names of locations that no attribute of a program has."""

from __future__ import annotations

from typing import Final

ITEMS: Final = ("#", "items")
ANY: Final = ("#", "any item")
LAZY: Final = ("#", "lazy")
"""Of an array: whether it was surely never computed."""
OPERANDS: Final = ("#", "from")
"""Of an array: what it is computed from."""
