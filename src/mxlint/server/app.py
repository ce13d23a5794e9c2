"""The state of the server: what is open, which run each document belongs to, and what is known of it. All of it belongs to the event loop."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ParamSpec, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcParseError, PyglsError
from pygls.lsp.server import LanguageServer

from mxlint import __version__
from mxlint.config import ConfigError
from mxlint.finding import Finding
from mxlint.server.analyst import Analyst, Answer
from mxlint.server.documents import Document, Documents, path_of
from mxlint.server.protocol import Protocol
from mxlint.server.session import Session
from mxlint.server.settings import Options, read_options
from mxlint.server.views import View

P = ParamSpec("P")
log = logging.getLogger(__name__)


NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithNotebook("jupyter-notebook", [types.NotebookCellLanguage("python")])], save=True
)
"""Of which notebooks the client tells: those of Jupyter with cells in Python."""


class MxlintServer(LanguageServer):
    """A language server with what it knows of the documents that are open."""

    def __init__(self) -> None:
        super().__init__("mxlint", __version__, protocol_cls=Protocol, notebook_document_sync=NOTEBOOKS)
        self.documents = Documents()
        self.views: dict[str, View] = {}
        self.cwd = Path.cwd()
        self.verifying: set[threading.Event] = set()
        """What stops the experiments that are running."""
        self.said_goodbye = False
        """Whether the client has sent `shutdown`."""
        self.pulls = False
        """Whether the client asks for diagnostics; else they are sent to it."""
        self.analyst = Analyst(self._in_loop(self._answered), self._in_loop(self._failed))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._number = 0
        self._asked: dict[str, int] = {}
        self._sessions: dict[str, Session] = {}
        self._options: dict[str, Options] = {}
        self._given: object = None
        self._initial: object = None
        self._waiting: dict[str, list[tuple[bool, asyncio.Future[View | None]]]] = {}
        self._shown: dict[str, list[types.Diagnostic]] = {}
        self._sent: dict[str, int] = {}
        self._verified: dict[str, dict[tuple[object, ...], Finding]] = {}
        self._said: set[str] = set()

    # -- from the client ----------------------------------------------------------------------------------------------

    def report_server_error(self, error: Exception, source: type[PyglsError | JsonRpcException]) -> None:
        """Tell of an error that is no answer. What is not even JSON has one, too."""
        if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError, RecursionError)):
            cast(Protocol, self.protocol).refuse(None, JsonRpcParseError())
        elif not isinstance(error, JsonRpcInvalidRequest):  # which was the answer
            super().report_server_error(error, source)

    def begin(self, params: types.InitializeParams) -> None:
        """The client has introduced itself."""
        self.documents.encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        document = params.capabilities.text_document
        self.pulls = document is not None and document.diagnostic is not None
        self._given = self._initial = params.initialization_options
        if self.folders:
            os.chdir(self.folders[0])
            self.cwd = Path.cwd()
        self._loop = asyncio.get_running_loop()
        self.analyst.start()

    @property
    def folders(self) -> list[str]:
        """The folders of the workspace that there are, as the client orders them."""
        uris = [folder.uri for folder in self.workspace.folders.values()] or ([self.workspace.root_uri] if self.workspace.root_uri else [])
        return [path for path in map(path_of, uris) if path is not None and os.path.isdir(path)]

    def opened(self, item: types.TextDocumentItem) -> None:
        """A document was opened."""
        if (document := self.documents.open(item)) is not None:
            self._put(self.key_of(document), edited=False)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document was edited."""
        if (document := self.documents.change(params.text_document.uri, params.text_document.version, params.content_changes)) is not None:
            self._put(self.key_of(document), edited=True)

    def closed(self, uri: str) -> None:
        """A document was closed."""
        if (document := self.documents.close(uri)) is not None:
            self._gone(document)
            self._put(self.key_of(document), edited=False)

    def opened_notebook(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """A notebook was opened."""
        for cell in self.documents.open_notebook(params)[:1]:
            self._put(self.key_of(cell), edited=False)

    def changed_notebook(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Cells of a notebook were edited, moved, made or deleted."""
        left, gone = self.documents.change_notebook(params)
        for cell in gone:
            self._gone(cell)
        for cell in (*left, *gone)[:1]:
            self._put(self.key_of(cell), edited=True)

    def closed_notebook(self, uri: str) -> None:
        """A notebook was closed."""
        cells = self.documents.close_notebook(uri)
        for cell in cells:
            self._gone(cell)
        for cell in cells[:1]:
            self._put(self.key_of(cell), edited=False)

    def _gone(self, document: Document) -> None:
        """What a document that is closed showed goes."""
        uri = document.uri
        self.views.pop(uri, None)
        self._sent.pop(uri, None)
        self._resolve(uri, None)
        if self._shown.pop(uri, None) and not self.pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def look_again(self, *, anew: bool = False) -> None:
        """Something on the disk has changed, or settings. `anew`: nothing that is known holds any more."""
        if anew:
            self._sessions.clear()
            self._options.clear()
        for key in {self.key_of(document) for document in self.documents}:
            self._put(key, edited=False)

    def configured(self, given: object) -> None:
        """The client has other settings; None: no more than those that it began with."""
        wanted = self._initial if given is None else given
        if given is None and wanted == self._given:
            return
        self._given = wanted
        self._said.clear()
        self.look_again(anew=True)

    # -- runs ---------------------------------------------------------------------------------------------------------

    def key_of(self, document: Document) -> str:
        """The run that a document belongs to: that of the innermost folder of the workspace, else one of its own."""
        for path in filter(None, (document.path, document.real)):
            around = [folder for folder in self.folders if path.startswith(os.path.join(folder, ""))]
            if around:
                return max(around, key=len)
        return document.notebook or document.uri

    def session(self, key: str) -> Session:
        """The session of a run. Raises ConfigError."""
        if key not in self._sessions:
            paths = (key,) if os.path.isdir(key) else ()
            self._sessions[key] = Session(paths, self.options(key).settings, self.cwd)
        return self._sessions[key]

    def options(self, key: str) -> Options:
        """The options that hold for a run. Raises ConfigError."""
        if key not in self._options:
            self._options[key] = read_options(self._given, Path(key) if os.path.isdir(key) else self.cwd)
        return self._options[key]

    def _put(self, key: str, *, edited: bool) -> None:
        """Have a run look at what its documents hold now."""
        self._settle_in()
        members = [document for document in self.documents if self.key_of(document) == key]
        self._verified.pop(key, None)
        if not members:
            self.analyst.drop(key)
            self._sessions.pop(key, None)
            self._asked.pop(key, None)
            return
        for document in members:
            if (view := self.views.get(document.uri)) is not None:
                view.settled = False
        buffers = {one.key: self.documents.buffer(one, self.cwd) for one in {document.key: document for document in members}.values()}
        try:
            if not self.options(key).enable:
                self.analyst.drop(key)
                self._asked.pop(key, None)
                self._nothing(members)
                return
            self._number += 1
            self._asked[key] = self._number
            self.analyst.put(key, self._number, self.session(key), buffers, tuple(members), edited)
        except (ConfigError, OSError) as error:
            self._failed(key, self._number, error)

    def _settle_in(self) -> None:
        """Work in a folder that is there: if that of the server was deleted, in the nearest around it."""
        try:
            os.getcwd()
        except FileNotFoundError:
            self.cwd = next(folder for folder in self.cwd.parents if folder.is_dir())
            os.chdir(self.cwd)
            self._sessions.clear()
            self._options.clear()

    def _in_loop(self, function: Callable[P, None]) -> Callable[P, None]:
        """A function that another thread may call, and that runs in the event loop."""

        def call(*args: P.args, **kwargs: P.kwargs) -> None:
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(partial(function, *args, **kwargs))

        return call

    def _answered(self, answer: Answer) -> None:
        if answer.key not in self._asked and answer.key not in self._sessions:
            return
        settled, refresh = answer.settled and self._asked.get(answer.key) == answer.number, False
        if settled:
            del self._asked[answer.key]
        for document in answer.documents:
            uri, known = document.uri, self.views.get(document.uri)
            if self.documents.get(uri) is None or (known is not None and known.document.version > document.version):
                continue  # it was closed, or there is a newer answer
            cells = {cell.cell: cell for cell in answer.documents if cell.notebook == document.notebook and cell.cell is not None}
            view = self.views[uri] = View(document, self.documents, answer.outcome, answer.settled, (), self.cwd, cells)
            findings = tuple(finding for finding in answer.outcome.result.findings if view.holds(finding.span))
            view.findings = self._with_verdicts(answer.key, findings)
            refresh |= self._show(uri)
            self._resolve(uri, self.views[uri])
        if refresh and settled:
            self._refresh()

    def _failed(self, key: str, number: int, error: Exception) -> None:
        """A run could not be made: there is nothing to show, but that."""
        if self._asked.get(key, number) != number:
            return
        self._asked.pop(key, None)
        text = str(error) if isinstance(error, ConfigError) else f"mxlint failed: {type(error).__name__}: {error}"
        if text not in self._said:
            self._said.add(text)
            log.error(text, exc_info=error)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))
        self._nothing([document for document in self.documents if self.key_of(document) == key])

    def _nothing(self, documents: Iterable[Document]) -> None:
        """Show nothing in documents."""
        for document in documents:
            self.views.pop(document.uri, None)
            if not self.pulls:
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, [], document.version))
            self._shown[document.uri] = []
            self._resolve(document.uri, None)

    # -- to the client ------------------------------------------------------------------------------------------------

    async def view(self, uri: str, *, settled: bool) -> View | None:
        """What is known of the newest text of a document; None if it is not open, or cannot be judged. `settled`: wait for all there is."""
        document, view = self.documents.get(uri), self.views.get(uri)
        if document is None:
            return None
        if view is not None and view.document.version == document.version and (view.settled or not settled):
            return view
        if self.key_of(document) not in self._asked:
            return None  # it failed
        future: asyncio.Future[View | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(uri, []).append((settled, future))
        return await future

    def verified(self, uri: str, findings: Iterable[Finding]) -> None:
        """Findings have verdicts now: show them with these until something changes."""
        view = self.views.get(uri)
        if view is None:
            return
        key = self.key_of(view.document)
        self._verified.setdefault(key, {}).update((_identity(finding), finding) for finding in findings)
        view.findings = self._with_verdicts(key, view.findings)
        if self._show(uri):
            self._refresh()

    def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """What a document shows."""
        return self._shown.get(uri, [])

    def _show(self, uri: str) -> bool:
        """Show a view, if it differs from what is shown; whether it does."""
        view = self.views[uri]
        diagnostics = view.diagnostics()
        changed = diagnostics != self._shown.get(uri)
        self._shown[uri] = diagnostics
        if not self.pulls and (changed or self._sent.get(uri) != view.document.version):
            self._sent[uri] = view.document.version
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, view.document.version))
        return changed

    def _refresh(self) -> None:
        """Have a client that asks for diagnostics ask again."""
        workspace = self.client_capabilities.workspace
        if self.pulls and workspace is not None and workspace.diagnostics is not None and workspace.diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)

    def _resolve(self, uri: str, view: View | None) -> None:
        waiting = self._waiting.pop(uri, [])
        for settled, future in waiting:
            if future.done():
                continue
            if view is None or view.settled or not settled:
                future.set_result(view)
            else:
                self._waiting.setdefault(uri, []).append((settled, future))

    def _with_verdicts(self, key: str, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        known: Mapping[tuple[object, ...], Finding] = self._verified.get(key, {})
        return tuple(
            replace(finding, verdict=same.verdict, severity=same.severity, claimed=same.claimed)
            if (same := known.get(_identity(finding))) is not None
            else finding
            for finding in findings
        )


def _identity(finding: Finding) -> tuple[object, ...]:
    return finding.code, finding.span
