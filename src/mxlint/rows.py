"""In which row of a TOML file a key is set: the parser of Python does not say."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

_HEADER = re.compile(r"[ \t]*\[[ \t]*([^][#]+)\]")
_ASSIGNMENT = re.compile(r"[ \t]*([^\s=#\[][^=#]*)=")


class Rows:
    """What a message begins with that is about a key of a file: the file, and the row in which the key is set, else the table around it."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __call__(self, key: str) -> str:
        while True:
            row = self._rows.get(f"tool.mxlint.{key}") or self._rows.get(key)
            if row or "." not in key:
                return f"{self._file}:{row}: " if row else f"{self._file}: "
            key = key.rpartition(".")[0]

    @cached_property
    def _rows(self) -> dict[str, int]:
        """By dotted key and each part of it from the left, the first row. A text of several rows may hold what looks like one: the row is only shown."""
        try:
            text = self._file.read_text(encoding="utf-8", errors="replace")
        except OSError:  # it went away since its keys were read
            return {}
        rows: dict[str, int] = {}
        table = ""
        for row, line in enumerate(text.split("\n"), 1):
            if match := _HEADER.match(line):
                table = _plain(match[1])
                dotted = table
            elif match := _ASSIGNMENT.match(line):
                dotted = f"{table}.{_plain(match[1])}".lstrip(".")
            else:
                continue
            parts = dotted.split(".")
            for end in range(1, len(parts) + 1):
                rows.setdefault(".".join(parts[:end]), row)
        return rows


def _plain(key: str) -> str:
    return "".join(character for character in key if character not in " \t'\"")
