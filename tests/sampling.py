"""Which cases a short run takes. A case is taken by its own name: another one beside it changes nothing."""

from __future__ import annotations

import os
from zlib import crc32

ALL = "MXLINT_ALL" in os.environ
"""All cases of each test are run, and not a sample of some."""


def is_taken(name: str, every: int) -> bool:
    """Whether a case is among those that are run: about one in `every`, or all of them."""
    return ALL or crc32(name.encode()) % every == 0
