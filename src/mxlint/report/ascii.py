"""JSON that any terminal, pipe and encoding takes."""

from __future__ import annotations

import json


def dumped(value: object, indent: int | None = 2) -> str:
    """A value as JSON in plain ASCII, as one line without `indent`: json leaves the one control character that is neither below a blank nor above
    ASCII."""
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f") + "\n"
