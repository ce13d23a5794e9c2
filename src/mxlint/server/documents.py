"""The documents that the editor has open. pygls keeps them as well, but breaks lines at characters that end none, such as a form feed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path, uri_scheme

from mxlint.server.session import Buffer
from mxlint.server.texts import Text


@dataclass(frozen=True, slots=True)
class Document:
    """An open document. `path`: the file that it is shown for, None for one that has none yet; `real`: that file without links."""

    uri: str
    version: int
    text: Text
    path: str | None
    real: str | None

    @property
    def key(self) -> str:
        """What a run knows it by: its real path, or its URI if it has none."""
        return self.real or self.uri

    def buffer(self, cwd: Path) -> Buffer:
        """What it holds, for a run. Without a file it is what `mxlint check -` would read."""
        return Buffer(self.path or str(cwd / "-"), self.text.data)


class Documents:
    """The open documents by their URIs."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """The document of a URI, if it is open."""
        return self._open.get(uri)

    def of_file(self, real: str) -> Document | None:
        """The document of a file, by its real path, if one is open."""
        return next((document for document in self._open.values() if document.real == real), None)

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


def path_of(uri: str) -> str | None:
    """The file of a URI, None if it names none of this machine."""
    path = to_fs_path(uri) if uri_scheme(uri) == "file" else None
    return os.path.abspath(path) if path else None


def uri_of(path: str | Path) -> str:
    """The URI of a file."""
    uri: str | None = from_fs_path(str(path))
    assert uri is not None  # None is for what is no path
    return uri
