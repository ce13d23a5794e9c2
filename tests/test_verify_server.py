"""A finding verified from the editor."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path
from typing import Any

import pytest
from editor import PULL, PUSH, Editor, editor
from lsprotocol import types

PRINTS = """import mlx.core as mx


@mx.compile
def step(x):
    print(x)
    return x * 2


step(mx.array(1.0))
"""
SLOW = PRINTS.replace("import mlx", "import time\n\ntime.sleep(60)\nimport mlx")


async def verify(edit: Editor, uri: str, line: int) -> Any:
    """Choose "verify this finding" of the first finding in a line."""
    # lsprotocol reads an action that has a command as if it were one, and makes text of it.
    given = next(ast.literal_eval(str(action.command)) for action in await edit.actions(uri, line) if action.command)
    return await edit.client.workspace_execute_command_async(types.ExecuteCommandParams(given["command"], arguments=given["arguments"]))


@pytest.mark.asyncio
async def test_a_verified_finding_shows_its_verdict_until_the_text_changes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PRINTS)
    async with editor(tmp_path, capabilities=PUSH) as edit:
        uri = edit.open(tmp_path / "a.py")
        await edit.settled()
        verdict = await verify(edit, uri, 5)
        assert verdict["verdict"] == "confirmed"
        (shown,) = await edit.shown(uri)
        assert "verify: confirmed" in shown.message
        edit.change(uri, PRINTS + "\n")
        (shown,) = await edit.shown(uri)
        assert "verify:" not in shown.message


@pytest.mark.asyncio
async def test_verifying_shows_how_far_it_is_and_ends_when_it_is_cancelled(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SLOW)
    async with editor(tmp_path, capabilities=PULL, configuration={"verifyTimeout": 90}) as edit:
        uri = edit.open(tmp_path / "a.py")
        await edit.settled()
        running = asyncio.ensure_future(verify(edit, uri, 8))
        while not edit.client.progress_reports:
            await asyncio.sleep(0.05)
        (token,) = edit.client.progress_reports
        edit.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        verdict = await asyncio.wait_for(running, 50)  # less than the program sleeps
        assert verdict["cancelled"] and verdict["verdict"] == "inconclusive"
        assert [report.kind for report in edit.client.progress_reports[token]][-1] == "end"
        assert not (await edit.pulled(uri)).items[0].message.count("verify:")


@pytest.mark.asyncio
async def test_experiments_that_are_asked_for_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PRINTS.replace("    return", "    x.item()\n    return"))
    async with editor(tmp_path, capabilities=PUSH) as edit:
        uri = edit.open(tmp_path / "a.py")
        await edit.settled()
        verdicts = await asyncio.gather(*(verify(edit, uri, 5) for _ in range(3)))
        assert [verdict["verdict"] for verdict in verdicts] == ["confirmed"] * 3


@pytest.mark.asyncio
async def test_an_experiment_is_not_disturbed_by_one_whose_request_was_cancelled(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PRINTS)
    async with editor(tmp_path, capabilities=PULL, configuration={}) as edit:
        uri = edit.open(tmp_path / "a.py")
        await edit.settled()
        given = next(ast.literal_eval(str(action.command)) for action in await edit.actions(uri, 5) if action.command)
        params = types.ExecuteCommandParams(given["command"], arguments=given["arguments"])
        cancelled = edit.client.protocol.send_request_async("workspace/executeCommand", params, msg_id="first")
        running = asyncio.ensure_future(cancelled)
        while not any(edit.client.progress_reports.values()):
            await asyncio.sleep(0.05)
        edit.client.cancel_request(types.CancelParams("first"))
        with pytest.raises(Exception, match="cancel"):
            await running
        assert (await verify(edit, uri, 5))["verdict"] == "confirmed"
