"""What a script makes of its measurements: a file of the package, which `--check` compares and leaves alone."""

from __future__ import annotations

import sys
from pathlib import Path


def keep(path: Path, text: str) -> int:
    """Write the text of a data file, or with `--check` say whether the file has another one. Returns the exit status."""
    if "--check" in sys.argv[1:]:
        return int(path.read_text(encoding="utf-8") != text)
    path.write_text(text, encoding="utf-8", newline="\n")
    return 0
