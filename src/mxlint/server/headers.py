"""The headers of messages as clients write them. pygls reads them in one spelling only, and loses the message after one that has no length."""

from __future__ import annotations

import re
from typing import BinaryIO

_LENGTH = re.compile(rb"content-length:([^\r\n]*)\r?\n\Z", re.IGNORECASE)
"""At the end of a line: before it stands what no header has measured, the body of a message that cannot be read."""
_MOST_DIGITS = 9
"""No message has a gigabyte."""


class Stream:
    """Standard input, each header of a length as pygls knows it."""

    def __init__(self, stdin: BinaryIO) -> None:
        self._stdin = stdin

    def readline(self) -> bytes:
        """The next line."""
        line = self._stdin.readline()
        if (length := _LENGTH.search(line)) is None:
            return line
        number = length[1].strip()
        return b"Content-Length: %b\r\n" % (number if len(number) <= _MOST_DIGITS else b"")

    def read(self, size: int) -> bytes:
        """The body of a message."""
        return self._stdin.read(size)
