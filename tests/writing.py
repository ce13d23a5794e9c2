"""Writes the files of small programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write texts by their paths below `root`, with the folders that these need."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_modules(**modules: str) -> None:
    """Write modules into the working directory: `pkg__a="…"` is pkg/a.py."""
    write(Path(), {f"{name.replace('__', '/')}.py": text for name, text in modules.items()})
