"""Where each setting comes from: a row of a file, the command line, or nowhere, so that the default holds."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from mxlint.config import Settings, tables
from mxlint.report.style import one_line
from mxlint.rows import Rows

_FLAGS = {field.name.replace("_", "-"): field.name for field in fields(Settings)}


class Origins:
    """Of the settings in force for a path. `file`: the file that they stand in, if any."""

    def __init__(self, file: Path | None, settings: Settings) -> None:
        self._tables = tables(file) if file is not None else []
        self._settings = settings

    def of(self, *keys: str) -> str:
        """A comment that names where the keys are set, the last place first; `default` where they are not."""
        found = [f"--{key}" for key in keys if key in _FLAGS and getattr(self._settings, _FLAGS[key]) not in (None, (), False)]
        found += [f"--config {key}" for key in keys if key in self._settings.options]
        for file, table in reversed(self._tables):
            found += [Rows(file)(key).removesuffix(": ") for key in keys if key in table]
        return f"  # {one_line(', '.join(found) or 'default')}"
