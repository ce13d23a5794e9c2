"""Which methods others call: those of public names, and special ones that syntax calls."""

from __future__ import annotations

from typing import Final

SPECIAL: Final = frozenset(("__aenter__", "__call__", "__delitem__", "__enter__", "__iadd__", "__ior__", "__setitem__"))
"""Methods that are called by no name: `object(x)`, `object[k] = x`, `object += x`, `with object`."""


def is_called(name: object) -> bool:
    """Whether others call what a name holds."""
    return isinstance(name, str) and (name in SPECIAL or not name.startswith("_"))
