"""Why a file that should hold Python cannot be looked into."""

from __future__ import annotations


class DocumentError(Exception):
    """The file is not what its name says; the message says why."""
