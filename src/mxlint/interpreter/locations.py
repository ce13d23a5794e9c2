"""The names of locations that no attribute of a program has."""

from __future__ import annotations

from typing import Final

ITEMS: Final = ("#", "items")
ANY: Final = ("#", "any item")
KEYS: Final = ("#", "keys")
"""Of a dict: its keys, in order."""
COPIED: Final = ("#", "copied from")
"""Of what a trace makes: the older dicts whose entries were put into it, in order; the object that it is a copy of."""
OF: Final = ("#", "of")
"""Of a dict that is the attributes of an object: the object."""
CHANGED: Final = ("#", "changed in a trace")
"""Of an argument that a trace changed a copy of: the key of that change in the ledger."""
LAZY: Final = ("#", "lazy")
"""Of an array: whether it was surely never computed."""
MAPPED: Final = ("#", "mapped over")
"""Of an array in a function that `mx.vmap` runs: the length of the axis that is mapped over, and which it was; absent where it is not mapped."""
OPERANDS: Final = ("#", "from")
"""Of an array: what it is computed from."""
