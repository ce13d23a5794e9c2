"""Files of what is expected of many programs, in sections that are compared one by one. MXLINT_GOLDEN=write writes what is found instead."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"
WRITING = os.environ.get("MXLINT_GOLDEN") == "write"
HEAD = "## "


class Sections:
    """A file with a section for each of some names."""

    def __init__(self, file: str, names: Iterable[str]) -> None:
        self.path = GOLDEN / file
        self.names = tuple(names)

    @cached_property
    def expected(self) -> dict[str, list[str]]:
        return self._read()

    def compare(self, name: str, lines: list[str]) -> None:
        """Compare a section with what is expected of it."""
        if WRITING:
            self._write(name, lines)
        else:
            assert lines == self.expected.get(name, [])

    def _read(self) -> dict[str, list[str]]:
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        sections = [section.rstrip("\n").split("\n") for section in re.split(f"(?m)^{HEAD}", text)[1:]]
        return {name: lines for name, *lines in sections}

    def _write(self, name: str, lines: list[str]) -> None:
        """Write one section anew, in its place. Processes take turns."""
        import fcntl

        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            found = {**self._read(), name: lines}
            sections = ("\n".join((HEAD + name, *found[name], "")) for name in self.names if found.get(name))
            self.path.write_text("\n".join(sections), encoding="utf-8", newline="\n")
