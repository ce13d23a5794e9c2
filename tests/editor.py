"""An editor that the tests talk to the server with: pytest-lsp's client, one server a test, which on Linux is a fork of one that has begun."""

from __future__ import annotations

import asyncio
import atexit
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

COMMAND = (sys.executable, "-m", "mxlint", "server")
FORKING = """
import os, signal, socket, sys
sys.path = [folder for folder in sys.path if folder]
import mxlint.cli
import mxlint.server.features
from mxlint.__main__ import run

with open("a.py", "w") as file:
    file.write("import mlx.core as mx\\nf = mx.compile(lambda x: print(x))\\nf(mx.ones(1))\\n")
mxlint.cli.main(["check", "--quiet", "--exit-zero", "--output-file", os.devnull], standalone_mode=False)
os.chdir("/")
listening = socket.socket(fileno=int(sys.argv[1]))
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    channel, _ = listening.accept()
    folder, streams, _, _ = socket.recv_fds(channel, 1 << 16, 3)
    if os.fork() == 0:
        break
    for stream in (*streams, channel.detach()):
        os.close(stream)
listening.close()
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
pid = os.fork()
if pid:
    for stream in streams:
        os.close(stream)
    channel.send(b"%d" % (os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255))
    os._exit(0)
channel.close()
for number, stream in enumerate(streams):
    os.dup2(stream, number)
    os.close(stream)
os.chdir(folder)
sys.argv = ["mxlint", "server"]
run()
"""
"""Forks a server for each connection. What the first check loads is there, since the one that forks has made it."""
PATIENCE_S = 300
"""So long may a whole run take on a machine that has much else to do."""

PUSH = types.ClientCapabilities()
PULL = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities()),
    workspace=types.WorkspaceClientCapabilities(
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True), configuration=True
    ),
    window=types.WindowClientCapabilities(work_done_progress=True),
)


@cache
def forked() -> tuple[str, ...]:
    """The command of a server that is a fork of one process, which each process of the tests has."""
    if sys.platform != "linux":
        return COMMAND
    folder = tempfile.TemporaryDirectory()
    address = f"{folder.name}/socket"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen()
    server = subprocess.Popen([sys.executable, "-c", FORKING, str(listening.fileno())], cwd=folder.name, pass_fds=(listening.fileno(),))
    listening.close()
    atexit.register(folder.cleanup)
    atexit.register(server.wait)
    atexit.register(server.kill)
    return (sys.executable, "-I", "-S", str(Path(__file__).with_name("relay.py")), address)


class Editor:
    """A client with documents."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.versions: dict[str, int] = {}
        self.notebook = ""
        self.cells: list[str] = []

    def open(self, file: Path | str, text: str | None = None) -> str:
        """Open a file, or a URI; the URI."""
        uri = file.as_uri() if isinstance(file, Path) else file
        if text is None:
            assert isinstance(file, Path)
            text = file.read_bytes().decode()
        self.versions[uri] = 1
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text)))
        return uri

    def change(self, uri: str, text: str, range: types.Range | None = None) -> None:
        """Replace the text of a document, or a range of it."""
        self.versions[uri] += 1
        change = (
            types.TextDocumentContentChangeWholeDocument(text)
            if range is None
            else types.TextDocumentContentChangePartial(range=range, text=text)
        )
        identifier = types.VersionedTextDocumentIdentifier(version=self.versions[uri], uri=uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def open_notebook(self, file: Path, *texts: str) -> list[str]:
        """Open a notebook with code cells; the URIs of these. An empty text is a cell that holds no code."""
        self.cells = [f"vscode-notebook-cell:{file.as_posix()}#{number}" for number in range(len(texts))]
        self.notebook = file.as_uri()
        self.versions[self.notebook] = 1
        cells = [self._cell(uri, text) for uri, text in zip(self.cells, texts)]
        document = types.NotebookDocument(self.notebook, "jupyter-notebook", 1, cells)
        items = [self._item(uri, text) for uri, text in zip(self.cells, texts) if text]
        self.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, items))
        return self.cells

    def splice(self, start: int, count: int, *texts: str) -> list[str]:
        """Put new cells in the place of others; the URIs of all cells."""
        made = [f"{self.cells[0]}-{self.versions[self.notebook]}-{number}" for number in range(len(texts))]
        cells = [self._cell(uri, text) for uri, text in zip(made, texts)]
        gone = [types.TextDocumentIdentifier(uri) for uri in self.cells[start : start + count]]
        structure = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(start, count, cells), [self._item(uri, text) for uri, text in zip(made, texts) if text], gone
        )
        self._change_notebook(types.NotebookDocumentCellChanges(structure=structure))
        self.cells[start : start + count] = made
        return self.cells

    def change_cell(self, uri: str, text: str) -> None:
        """Replace the text of a cell."""
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        content = types.NotebookDocumentCellContentChanges(document, [types.TextDocumentContentChangeWholeDocument(text)])
        self._change_notebook(types.NotebookDocumentCellChanges(text_content=[content]))

    def close_notebook(self) -> None:
        gone = [types.TextDocumentIdentifier(uri) for uri in self.cells]
        self.client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(self.notebook), gone))

    def _change_notebook(self, cells: types.NotebookDocumentCellChanges) -> None:
        self.versions[self.notebook] += 1
        document = types.VersionedNotebookDocumentIdentifier(self.versions[self.notebook], self.notebook)
        self.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(document, types.NotebookDocumentChangeEvent(cells=cells))
        )

    def _cell(self, uri: str, text: str) -> types.NotebookCell:
        return types.NotebookCell(types.NotebookCellKind.Code if text else types.NotebookCellKind.Markup, uri)

    def _item(self, uri: str, text: str) -> types.TextDocumentItem:
        self.versions[uri] = 1
        return types.TextDocumentItem(uri, "python", 1, text)

    async def settled(self) -> None:
        """Wait until all that is open was analysed as it is now."""
        await asyncio.wait_for(self.client.protocol.send_request_async("mxlint/settled", {}), PATIENCE_S)

    async def shown(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of a document, once there are no more to come."""
        await self.settled()
        return list(self.client.diagnostics.get(uri, ()))

    async def codes(self, uri: str) -> list[tuple[str, int]]:
        """Code and line of each."""
        return [(str(diagnostic.code), diagnostic.range.start.line) for diagnostic in await self.shown(uri)]

    async def pulled(self, uri: str, previous: str | None = None) -> Any:
        return await self.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
        )

    async def actions(self, uri: str, line: int, only: Sequence[str] | None = None) -> list[Any]:
        """The code actions of a line."""
        range = types.Range(types.Position(line, 0), types.Position(line + 1, 0))
        context = types.CodeActionContext([], only=list(only) if only else None)
        return list(
            await self.client.text_document_code_action_async(types.CodeActionParams(types.TextDocumentIdentifier(uri), range, context))
            or []
        )

    async def hover(self, uri: str, line: int, character: int) -> str:
        answer = await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        )
        return answer.contents.value if answer is not None else ""  # type: ignore[union-attr]


@asynccontextmanager
async def editor(
    *folders: Path,
    capabilities: types.ClientCapabilities | str = PUSH,
    options: object = None,
    configuration: dict[str, Any] | None = None,
    cwd: Path | None = None,
) -> AsyncIterator[Editor]:
    """An editor with a server of its own. `capabilities`: or the name of an editor whose capabilities pytest-lsp knows."""
    client = make_test_lsp_client()
    if configuration is not None:
        client.set_configuration({"mxlint": configuration})
    await client.start_io(*forked(), **({"cwd": str(cwd)} if cwd else {}))
    known = client_capabilities(capabilities) if isinstance(capabilities, str) else capabilities
    spaces = [types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders]
    await client.initialize_session(types.InitializeParams(capabilities=known, workspace_folders=spaces, initialization_options=options))
    try:
        yield Editor(client)
    finally:
        await client.shutdown_session()
        await client.stop()


def applied(text: str, edits: Sequence[types.TextEdit]) -> str:
    """A text of ASCII with edits made, as an editor makes them."""
    lines = text.splitlines(keepends=True)

    def offset(place: types.Position) -> int:
        return sum(map(len, lines[: place.line])) + place.character

    for edit in sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text
