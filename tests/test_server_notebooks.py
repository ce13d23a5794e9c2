"""Notebooks in the language server: each cell is a document, and all of them are one program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from editor import PULL, Editor, applied, editor

import mxlint

IMPORT = "import mlx.core as mx\n%matplotlib inline\n"
STATE = "scale = mx.array(2.0)\n"
STEP = "@mx.compile\ndef step(x):\n    print(x)\n    return x * scale\n"
CALL = "step(mx.ones(2))\nscale = scale + 1\n"
AGAIN = "step(mx.ones(2))"
CELLS = (IMPORT, "", STATE, STEP, CALL, AGAIN)


async def shown(edit: Editor) -> list[tuple[int, int, str]]:
    """Cell, line and code of all that is shown, cells counted from 1 as in a notebook."""
    await edit.settled()
    return sorted(
        (number, item.range.start.line + 1, str(item.code))
        for number, uri in enumerate(edit.cells, 1)
        for item in edit.client.diagnostics.get(uri, ())
    )


def checked(file: Path, *texts: str) -> list[tuple[int, int, str]]:
    """The same of the file, as `mxlint check` finds it."""
    cells = [{"cell_type": "code" if text else "markdown", "metadata": {}, "source": text} for text in texts]
    file.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    found = mxlint.check(str(file), isolated=True).findings
    return sorted((finding.place.cell or 0, finding.place.start.row, finding.code) for finding in found)


@pytest.mark.asyncio
@pytest.mark.parametrize("in_folder", [True, False])
async def test_cells_show_what_a_check_of_the_file_finds(tmp_path: Path, in_folder: bool) -> None:
    file = tmp_path / "a.ipynb"
    expected = checked(file, *CELLS)
    assert [code for *_, code in expected] == ["MX101", "MX201"]
    async with editor(*([tmp_path] if in_folder else [])) as edit:
        cells = edit.open_notebook(file, *CELLS)
        assert await shown(edit) == expected
        stale = next(item for item in edit.client.diagnostics[cells[3]] if item.code == "MX201")
        places = {(place.message, place.location.uri, place.location.range.start.line) for place in stale.related_information or ()}
        assert {("changed here", cells[4], 1), ("called again here", cells[5], 0)} <= places
        assert "line 1 of cell 6 calls" in stale.message
        edit.close_notebook()
        await edit.settled()
        assert not any(edit.client.diagnostics.get(uri) for uri in cells)


@pytest.mark.asyncio
async def test_findings_follow_the_cells_as_they_are_edited(tmp_path: Path) -> None:
    async with editor(tmp_path) as edit:
        edit.open_notebook(tmp_path / "new.ipynb", *CELLS)  # never saved
        texts = list(CELLS)
        texts[3] = "# more\n" + STEP
        edit.change_cell(edit.cells[3], texts[3])
        assert await shown(edit) == checked(tmp_path / "b.ipynb", *texts)
        texts[5:5] = ["y = 1\n", "", "def\n"]
        edit.splice(5, 0, *texts[5:8])
        assert await shown(edit) == checked(tmp_path / "b.ipynb", *texts)
        del texts[7]
        edit.splice(7, 1)
        assert await shown(edit) == checked(tmp_path / "b.ipynb", *texts)
        texts[3:4] = []
        edit.splice(3, 1)
        assert await shown(edit) == checked(tmp_path / "b.ipynb", *texts) == []


@pytest.mark.asyncio
async def test_actions_and_hover_are_about_the_cell(tmp_path: Path) -> None:
    async with editor(tmp_path, capabilities=PULL, configuration={}) as edit:
        cells = edit.open_notebook(tmp_path / "a.ipynb", *CELLS)
        assert [item.code for item in (await edit.pulled(cells[3])).items] == ["MX101", "MX201"]
        assert not (await edit.pulled(cells[4])).items
        actions = {action.title: action for action in await edit.actions(cells[3], 2)}
        (change,) = actions["MX101: ignore here"].edit.document_changes
        assert change.text_document.uri == cells[3]
        assert "    print(x)  # mxlint: ignore[MX101]\n" in applied(STEP, change.edits)
        fix = next(
            action for title, action in actions.items() if title.startswith("MX101: ") and "ignore" not in title and "verify" not in title
        )
        assert {change.text_document.uri for change in fix.edit.document_changes} <= set(cells)
        assert "compiled" in await edit.hover(cells[3], 1, 5)


@pytest.mark.asyncio
async def test_all_safe_fixes_are_edits_of_their_cells(tmp_path: Path) -> None:
    async with editor(tmp_path, capabilities=PULL, configuration={}) as edit:
        comment = "x = 1  # mxlint: ignore[MX101]\n"
        cells = edit.open_notebook(tmp_path / "a.ipynb", IMPORT, comment, STATE, comment + "%time f = mx.compile(abs)\n")
        (action,) = await edit.actions(cells[1], 0, only=["source.fixAll"])
        changes = {change.text_document.uri: applied(comment, change.edits[:1]) for change in action.edit.document_changes}
        assert changes.keys() == {cells[1], cells[3]}
        assert changes[cells[1]] == "x = 1\n"
        assert changes[cells[3]].startswith("x = 1\n%time f = mx.compile(abs)")
