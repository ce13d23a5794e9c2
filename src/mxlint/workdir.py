"""The working directory for a while, as contextlib.chdir, which Python 3.10 lacks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def working_in(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Work in a folder, then where it was before. Raises OSError where that is not possible."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
