"""Which files hold Python among other things, by how their names end."""

from __future__ import annotations

from typing import Literal

Kind = Literal["notebook", "markdown"]

NOTEBOOK = ".ipynb"
MARKDOWN = (".md", ".markdown")


def kind_of(name: str) -> Kind | None:
    """What a file is besides Python."""
    if name.endswith(NOTEBOOK):
        return "notebook"
    return "markdown" if name.endswith(MARKDOWN) else None
