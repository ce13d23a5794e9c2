"""The notebooks that the editor has open: lists of cells, each with a text document of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lsprotocol import types

from mxlint.documents.kinds import NOTEBOOK
from mxlint.server.texts import Text


@dataclass(slots=True)
class Notebook:
    """An open notebook. `path`: the file that it is shown for, None for one that has none yet; `real`: that file without links; `cells`: all of
    its cells, in order."""

    uri: str
    path: str | None
    real: str | None
    cells: list[types.NotebookCell] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What its file could be called, if it has none."""
        return self.path or f"-{NOTEBOOK}"

    def numbers(self) -> Iterator[tuple[str, int]]:
        """The URIs of the code cells, each with its number among all cells, counted from 1."""
        for number, cell in enumerate(self.cells, 1):
            if cell.kind == types.NotebookCellKind.Code:
                yield cell.document, number

    def spliced(self, change: types.NotebookCellArrayChange) -> None:
        """Put cells in the place of others."""
        self.cells[change.start : change.start + change.delete_count] = change.cells or ()

    def data(self, texts: Mapping[str, Text]) -> bytes:
        """The notebook as its file would hold it, less what no analysis looks at. `texts`: of the code cells that hold Python, by their URIs."""
        cells = [
            {"cell_type": "code", "source": texts[cell.document].text} if cell.document in texts else {"cell_type": "raw", "source": ""}
            for cell in self.cells
        ]
        return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()
