"""What the server answers to, and how it is started."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import os
import sys
from typing import Any, BinaryIO, cast

from lsprotocol import types

from mxlint.server.actions import APPLY, FIX_ALL, VERIFY, experiments, fix_all, fix_all_action, ignores, made_fixes, quick_fixes, wants
from mxlint.server.app import MxlintServer
from mxlint.server.headers import Stream
from mxlint.server.hovering import page_of, site_at, site_text
from mxlint.server.verifying import verify_finding
from mxlint.server.views import View
from mxlint.signals import exit_at_once

SETTLED = "mxlint/settled"
"""A request of our own: answered, with nothing, when all that is open was analysed as it is now."""
WATCHED = ("**/*.py", "**/pyproject.toml", "**/mxlint.toml", "**/.gitignore")


def serve() -> None:
    """Serve an editor over stdin and stdout until it says goodbye, or something asks to end."""
    gc.enable()  # unlike a run, this lasts
    exit_at_once()  # an exception would wait for the thread that reads stdin, which may never read anything again
    made_server().start_io(cast(BinaryIO, Stream(sys.stdin.buffer)))


def made_server() -> MxlintServer:
    """A server with all that it answers to."""
    server = MxlintServer()
    _life(server)
    _documents(server)
    _notebooks(server)
    _diagnostics(server)
    _actions(server)
    _hover(server)
    return server


def _life(server: MxlintServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.begin(params)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        if workspace is not None and (watched := workspace.did_change_watched_files) is not None and watched.dynamic_registration:
            watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            registration = types.Registration("mxlint-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(types.RegistrationParams([registration]))
        await configure(None)

    async def configure(given: object) -> None:
        workspace = server.client_capabilities.workspace
        if workspace is not None and workspace.configuration:
            try:
                answered = await server.workspace_configuration_async(
                    types.ConfigurationParams([types.ConfigurationItem(section="mxlint")])
                )
                given = answered[0] if answered else None
            except Exception:  # noqa: BLE001 a client that cannot say leaves what it said before
                if given is None:
                    return
        server.configured(given)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration(params: types.DidChangeConfigurationParams) -> None:
        await configure(params.settings)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        server.look_again(anew=any(change.type != types.FileChangeType.Changed for change in params.changes))

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.look_again(anew=True)

    @server.feature(types.SHUTDOWN)
    def shutdown(*_: object) -> None:
        server.said_goodbye = True
        server.analyst.stop()
        for stop in server.verifying:
            stop.set()

    @server.feature(types.EXIT)
    def ended(*_: object) -> None:
        if not server.said_goodbye:
            os._exit(1)  # as the protocol has it; pygls means to, and ends with 0


def _documents(server: MxlintServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.opened(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.look_again()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)


def _notebooks(server: MxlintServer) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenNotebookDocumentParams) -> None:
        server.opened_notebook(params)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeNotebookDocumentParams) -> None:
        server.changed_notebook(params)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveNotebookDocumentParams) -> None:
        server.look_again()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        server.closed_notebook(params.notebook_document.uri)


def _diagnostics(server: MxlintServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(True, False, identifier="mxlint"))
    async def diagnostics(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        await server.view(params.text_document.uri, settled=False)
        items = server.diagnostics(params.text_document.uri)
        number = hashlib.sha256(repr(items).encode()).hexdigest()[:16]
        if number == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(number)
        return types.RelatedFullDocumentDiagnosticReport(items, result_id=number)

    @server.feature(SETTLED)
    async def settled(params: Any) -> None:
        server.analyst.hurry()
        for document in server.documents:
            await server.view(document.uri, settled=True)


def _actions(server: MxlintServer) -> None:
    kinds = [types.CodeActionKind.QuickFix, FIX_ALL]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(kinds, resolve_provider=True))
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        only = params.context.only
        view = await server.view(params.text_document.uri, settled=False)
        if view is None or not (wants(only, FIX_ALL) or any(view.at(params.range))):
            return []
        view = await server.view(params.text_document.uri, settled=True)
        if view is None:
            return []
        found: list[types.CodeAction] = []
        if wants(only, types.CodeActionKind.QuickFix.value):
            here = list(view.at(params.range))
            fixed = await asyncio.wrap_future(server.analyst.call(lambda: made_fixes(here)))
            found += [*quick_fixes(view, fixed), *ignores(view, here), *experiments(view, here)]
        if wants(only, FIX_ALL) and view.findings and (only is not None or found):
            action = fix_all_action(view)
            found.append(action if _resolves(server) else await resolved(action))
        return found

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(action: types.CodeAction) -> types.CodeAction:
        if action.edit is None and isinstance(action.data, dict):
            action.edit = await _fixed(server, str(action.data.get("uri")))
        return action

    @server.command(VERIFY)
    async def verify(where: dict) -> dict[str, Any] | None:  # type: ignore[type-arg]  # pygls reads it at run time
        return await verify_finding(server, where)

    @server.command(APPLY)
    async def apply(uri: str) -> bool:
        edit = await _fixed(server, uri)
        answer = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label="mxlint: make all safe fixes"))
        return answer.applied


async def _fixed(server: MxlintServer, uri: str) -> types.WorkspaceEdit:
    """The edit that makes all safe fixes of a document."""
    view = await server.view(uri, settled=True)
    if view is None:
        return types.WorkspaceEdit(document_changes=[])
    known: View = view
    session = server.session(server.key_of(known.document))
    return await asyncio.wrap_future(server.analyst.call(lambda: fix_all(known, session)))


def _resolves(server: MxlintServer) -> bool:
    """Whether the client asks for the edit of an action when somebody chooses it."""
    document = server.client_capabilities.text_document
    support = document.code_action.resolve_support if document is not None and document.code_action is not None else None
    return support is not None and "edit" in support.properties


def _hover(server: MxlintServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        parts: list[str] = []
        for settled in (False, True):  # what is known at once need not say it
            if not parts and (view := await server.view(params.text_document.uri, settled=settled)) is not None:
                parts = _said_at(view, params.position)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(dict.fromkeys(parts)))) if parts else None


def _said_at(view: View, position: types.Position) -> list[str]:
    """The pages of the findings at a place, and what is known of the compiled function there."""
    parts = [page_of(finding) for finding in view.at(types.Range(position, position))]
    result = view.outcome.result
    source = result.sources.get(view.outcome.names.get(view.document.key, ""))
    if source is not None and (site := site_at(source, result.sites, view.position(position))) is not None:
        parts.append(site_text(site, result.facts))
    return parts
