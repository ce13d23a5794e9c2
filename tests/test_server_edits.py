"""Random edits through the server: it never fails, and in the end it shows what a fresh check of the same texts finds.

By itself this takes a few edits of small programs. For more of them, on real files:

    MXLINT_EDITS=500 MXLINT_EDITS_IN=FOLDER pytest tests/test_server_edits.py

takes so many edits in all, of files below FOLDER that compile something, each with the files beside it that import it.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from pathlib import Path

import pytest
from editor import Editor, editor
from edits import DEAR, random_edit
from lsprotocol import types

from mxlint.engine import check
from mxlint.server.views import SEVERITY, message

FIXTURES = Path(__file__).parent / "fixtures"
EDITS = int(os.environ.get("MXLINT_EDITS", "24"))
FOLDER = os.environ.get("MXLINT_EDITS_IN")
MOST_FILES = 20
MOST_LINES = 400
COMPARED = 4  # one comparison for so many edits on average: it takes a whole run


def programs() -> list[tuple[Path, ...]]:
    """The programs to edit: files that are put into one folder."""
    if FOLDER is None:
        folders = [sorted((FIXTURES / name).glob("*.py")) for name in ("demo", "project/tinylm")]
        return [tuple(file for file in files if file.name not in DEAR) for files in folders]
    found = []
    for file in sorted(Path(FOLDER).rglob("*.py")):
        text = file.read_text(errors="replace")
        if "mx.compile" in text and text.count("\n") <= MOST_LINES:
            word = re.compile(rf"^\s*from\s+\.*[\w.]*\b{file.stem}\b\s+import", re.MULTILINE)
            beside = [
                other for other in sorted(file.parent.glob("*.py")) if other != file and word.search(other.read_text(errors="replace"))
            ]
            found.append((file, *beside[:2]))
    chosen = random.Random(1).sample(found, min(MOST_FILES, len(found)))
    return sorted(chosen)


PROGRAMS = programs()


def place(text: str, offset: int) -> types.Position:
    """Where an offset is for a client that counts UTF-16 units. It may not lie inside of a CRLF."""
    lines = re.split(r"\r\n|\r|\n", text[:offset])
    return types.Position(len(lines) - 1, len(lines[-1].encode("utf-16-le")) // 2)


async def compare(edit: Editor, texts: dict[Path, str], uris: dict[Path, str], folder: Path, log: list[object]) -> None:
    """What is shown in each document is what a fresh check finds there."""
    await edit.settled()
    unsaved = {str(path): text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
    for path, text in texts.items():
        if re.search(r"coding[:=]\s*latin-1", "\n".join(re.split(r"\r\n|\r|\n", text)[:2])):
            unsaved[str(path)] = text.encode("latin-1", "ignore")
            if text.encode("latin-1", "ignore").decode("latin-1") != text:
                return  # what an editor would save of this is anybody's guess
    fresh = check((str(folder), *map(str, texts)), unsaved=unsaved)
    for path, uri in uris.items():
        name, text = path.relative_to(folder).as_posix(), texts[path].removeprefix("\ufeff")
        lines = [*re.split(r"\r\n|\r|\n", text), ""]

        def at(row: int, column: int, lines: list[str] = lines) -> tuple[int, int]:
            line = lines[min(row, len(lines)) - 1]
            return row - 1, len(line[: column - 1].encode("utf-16-le", "surrogatepass")) // 2

        wanted = [
            (finding.code, SEVERITY[finding.severity], message(finding), at(finding.span.start.row, finding.span.start.column))
            for finding in fresh.findings
            if finding.span.filename == name
        ]
        shown = [
            (item.code, item.severity, item.message, (item.range.start.line, item.range.start.character))
            for item in edit.client.diagnostics.get(uri, ())
        ]
        assert shown == wanted, log


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize("number", range(len(PROGRAMS)))
async def test_random_edits_end_where_a_fresh_check_does(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(f"{number} of {len(PROGRAMS)}")
    folder = tmp_path.resolve()
    for file in PROGRAMS[number]:
        shutil.copy(file, folder / file.name)
    monkeypatch.chdir(folder)
    paths = [folder / file.name for file in PROGRAMS[number][:2]]
    texts = {path: path.read_bytes().decode() for path in paths}
    log: list[object] = []
    async with editor(folder) as edit:
        uris = {path: edit.open(path) for path in paths}
        await compare(edit, texts, uris, folder, log)
        for _ in range(max(1, EDITS // len(PROGRAMS))):
            path = dice.choice(paths)
            start, end, new = random_edit(texts[path], dice)
            start, end = sorted((start, end))
            range_ = types.Range(place(texts[path], start), place(texts[path], end))
            after = texts[path][:start] + new + texts[path][end:]
            edit.change(uris[path], new, range_)
            log.append((path.name, start, end, new))
            texts[path] = after
            if dice.random() < 0.2:  # taken back
                texts[path] = path.read_bytes().decode()
                edit.change(uris[path], texts[path])
                log.append("undone")
            if dice.randrange(COMPARED) == 0:
                await compare(edit, texts, uris, folder, log)
        await compare(edit, texts, uris, folder, log)
    assert edit.client.error is None
