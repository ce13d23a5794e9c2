"""The documents that the editor has open. pygls keeps them as well, but breaks lines at characters that end none, such as a form feed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path, uri_scheme

from mxlint.server.notebooks import Notebook
from mxlint.server.session import Buffer
from mxlint.server.texts import Text


@dataclass(frozen=True, slots=True)
class Document:
    """An open document. `path`: the file that it is shown for, None for one that has none yet; `real`: that file without links. One that is a cell
    has the file of its notebook; `notebook`: the URI of that; `cell`: which of its cells it is, counted from 1."""

    uri: str
    version: int
    text: Text
    path: str | None
    real: str | None
    notebook: str | None = None
    cell: int | None = None

    @property
    def key(self) -> str:
        """What a run knows it by: its real path, or its URI if it has none."""
        return self.real or self.notebook or self.uri


class Documents:
    """The open documents by their URIs."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self._open: dict[str, Document] = {}
        self._notebooks: dict[str, Notebook] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """The document of a URI, if it is open."""
        return self._open.get(uri)

    def of_file(self, real: str) -> Document | None:
        """The document of a file, by its real path, if one is open."""
        return next((document for document in self._open.values() if document.real == real and document.notebook is None), None)

    def buffer(self, document: Document, cwd: Path) -> Buffer:
        """What a document holds, or the notebook that it is a cell of, for a run. Without a file it is what `mxlint check -` would read."""
        if document.notebook is None:
            return Buffer(document.path or str(cwd / "-"), document.text.data)
        notebook = self._notebooks[document.notebook]
        texts = {cell.uri: cell.text for cell in self._open.values() if cell.notebook == notebook.uri}
        return Buffer(str(cwd / notebook.name), notebook.data(texts))

    def open(self, item: types.TextDocumentItem) -> Document | None:
        """Take up a document; None if it is not one of Python."""
        path = path_of(item.uri)
        if item.language_id != "python" and not (path or "").endswith(".py"):
            return None
        real = os.path.realpath(path) if path is not None else None
        document = self._open[item.uri] = Document(item.uri, item.version, Text(item.text, self.encoding), path, real)
        return document

    def change(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> Document | None:
        """A document after changes, which are made one after the other; None if it is not open here."""
        document = self._open.get(uri)
        if document is None:
            return None
        text = document.text
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                text = text.edited(change.range, change.text)
            else:
                text = Text(change.text, self.encoding)
        document = self._open[uri] = replace(document, version=version, text=text)
        return document

    def close(self, uri: str) -> Document | None:
        """The document that was open until now, if it was."""
        return self._open.pop(uri, None)

    # -- notebooks ------------------------------------------------------------------------------------------------------

    def open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> list[Document]:
        """Take up a notebook; the documents of its cells."""
        uri = params.notebook_document.uri
        path = path_of(uri)
        real = os.path.realpath(path) if path is not None else None
        notebook = self._notebooks[uri] = Notebook(uri, path, real, list(params.notebook_document.cells))
        self._take_up(notebook, params.cell_text_documents)
        return self.cells(uri)

    def change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> tuple[list[Document], list[Document]]:
        """What is left of a notebook after a change, and the cells that are gone."""
        notebook, changed = self._notebooks.get(params.notebook_document.uri), params.change.cells
        if notebook is None or changed is None:
            return [], []
        gone: list[Document] = []
        if changed.structure is not None:
            notebook.spliced(changed.structure.array)
            gone = [old for item in changed.structure.did_close or () if (old := self._open.pop(item.uri, None)) is not None]
            self._take_up(notebook, changed.structure.did_open or ())
        kinds = {cell.document: cell for cell in changed.data or ()}
        notebook.cells = [kinds.get(cell.document, cell) for cell in notebook.cells]
        for content in changed.text_content or ():
            self.change(content.document.uri, content.document.version, content.changes)
        self._number(notebook)
        return self.cells(notebook.uri), gone

    def close_notebook(self, uri: str) -> list[Document]:
        """The cells that were open until now."""
        self._notebooks.pop(uri, None)
        return [self._open.pop(cell.uri) for cell in self.cells(uri)]

    def cells(self, notebook: str) -> list[Document]:
        """The open cells of a notebook."""
        return [document for document in self._open.values() if document.notebook == notebook]

    def _take_up(self, notebook: Notebook, items: Iterable[types.TextDocumentItem]) -> None:
        for item in items:
            if item.language_id == "python":
                text = Text(item.text, self.encoding)
                self._open[item.uri] = Document(item.uri, item.version, text, notebook.path, notebook.real, notebook.uri)
        self._number(notebook)

    def _number(self, notebook: Notebook) -> None:
        """Say of each cell which one it is."""
        for uri, number in notebook.numbers():
            if uri in self._open:
                self._open[uri] = replace(self._open[uri], cell=number)


def path_of(uri: str) -> str | None:
    """The file of a URI, None if it names none of this machine."""
    path = to_fs_path(uri) if uri_scheme(uri) == "file" else None
    return os.path.abspath(path) if path else None


def uri_of(path: str | Path) -> str:
    """The URI of a file."""
    uri: str | None = from_fs_path(str(path))
    assert uri is not None  # None is for what is no path
    return uri
