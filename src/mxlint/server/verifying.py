"""A finding put to the test from the editor: in a thread of its own, with progress shown, until it is done or somebody cancels it."""

from __future__ import annotations

import asyncio
import gc
import threading
import uuid
from concurrent.futures import Future
from typing import Any

from lsprotocol import types

from mxlint.finding import Finding
from mxlint.report.json import verdict as verdict_as_json
from mxlint.result import Result
from mxlint.server.actions import cores, matching
from mxlint.server.app import MxlintServer


async def verify_finding(server: MxlintServer, where: dict[str, Any]) -> dict[str, Any] | None:
    """Run the experiment of a finding, show its verdict, and give it as JSON; None if the finding is not there any more."""
    uri = str(where.get("uri"))
    view = await server.view(uri, settled=True)
    finding = matching(view, where) if view is not None else None
    if view is None or finding is None:
        _say(server, types.MessageType.Warning, "the finding is not there any more")
        return None
    stop, token = threading.Event(), str(uuid.uuid4())
    loop = asyncio.get_running_loop()
    shows = await _begin(server, token, f"Verifying {finding.code}", stop)

    def progress(done: int, total: int, stage: str = "", running: str = "") -> None:
        if shows:
            value = types.WorkDoneProgressReport(
                message=f"{stage} {done}/{total}", percentage=int(100 * done / max(total, 1)), cancellable=True
            )
            loop.call_soon_threadsafe(server.work_done_progress.report, token, value)

    server.verifying.add(stop)
    version = view.document.version
    timeout = server.options(server.key_of(view.document)).verify_timeout
    try:
        verified = await loop.run_in_executor(None, _run, view.outcome.result, finding, timeout, progress, stop)
    except asyncio.CancelledError:
        stop.set()
        raise
    except Exception as error:  # noqa: BLE001 said, and nothing else
        _say(server, types.MessageType.Error, f"{finding.code} was not verified: {error}")
        return None
    finally:
        server.verifying.discard(stop)
        if shows:
            server.work_done_progress.end(token, types.WorkDoneProgressEnd())
            server.work_done_progress.tokens.pop(token, None)
    if verified.verdict is None:
        return None
    if stop.is_set():
        _say(server, types.MessageType.Info, f"{finding.code}: verifying was cancelled")
        return {**verdict_as_json(verified.verdict), "cancelled": True}
    now = server.documents.get(uri)
    if now is not None and now.version == version:
        server.verified(uri, [verified])
    _say(server, types.MessageType.Info, f"{finding.code} is {verified.verdict.verdict}: {_reason(verified)}")
    return verdict_as_json(verified.verdict)


def _run(result: Result, finding: Finding, timeout: float | None, progress: Any, stop: threading.Event) -> Finding:
    from mxlint.verify.bench import WALL_S
    from mxlint.verify.experiment import Options, verified
    from mxlint.verify.interpreter import Interpreters

    gc.enable()
    python = Interpreters(result.python)
    python.of(finding.span.filename)  # raises if there is no MLX to run it with
    options = Options(wall_s=timeout or WALL_S, jobs=cores(), progress=progress, stop=stop, python=python.of)
    return verified(result, options, (finding.with_fix(),)).findings[0]


async def _begin(server: MxlintServer, token: str, title: str, stop: threading.Event) -> bool:
    """Show that work has begun, in a client that shows such things; cancelled there, it stops."""
    window = server.client_capabilities.window
    if window is None or not window.work_done_progress:
        return False
    await server.work_done_progress.create_async(token)

    def cancelled(future: Future[Any]) -> None:
        if future.cancelled():
            stop.set()

    server.work_done_progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True, percentage=0))
    server.work_done_progress.tokens[token].add_done_callback(cancelled)
    return True


def _reason(finding: Finding) -> str:
    verdict = finding.verdict
    if verdict is None:
        return ""
    return verdict.evidence.observed if verdict.evidence is not None else verdict.reason or finding.message


def _say(server: MxlintServer, kind: types.MessageType, text: str) -> None:
    server.window_show_message(types.ShowMessageParams(kind, f"mxlint: {text}"))
