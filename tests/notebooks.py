"""Notebooks to check, made in tests."""

from __future__ import annotations

import json
from typing import Any

Cell = tuple[str, str]
"""Kind and text."""


def document(*cells: Cell | str, **metadata: Any) -> dict[str, Any]:
    """A notebook as Jupyter has it. A text alone is a code cell."""
    return {
        "cells": [_cell(*(("code", cell) if isinstance(cell, str) else cell)) for cell in cells],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def notebook(*cells: Cell | str, **metadata: Any) -> str:
    """The same as Jupyter writes it."""
    return json.dumps(document(*cells, **metadata), indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
    if kind == "code":
        cell |= {"execution_count": 1, "outputs": [{"output_type": "stream", "name": "stdout", "text": ["print(x)\n", "1.10\n"]}]}
    return cell
