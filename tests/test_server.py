"""The language server, as an editor meets it."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from editor import COMMAND, PULL, applied, editor
from lsprotocol import types

PRINTS = """import mlx.core as mx


@mx.compile
def step(x):
    print(x)
    return x * 2


step(mx.array(1.0))
"""
CLEAN = PRINTS.replace("    print(x)\n", "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(PRINTS)
    return tmp_path


@pytest.mark.asyncio
async def test_a_finding_is_shown_with_all_that_the_protocol_has_a_place_for(folder: Path) -> None:
    async with editor(folder) as edit:
        (found,) = await edit.shown(edit.open(folder / "a.py"))
    assert found.code == "MX101" and found.source == "mxlint"
    assert found.severity == types.DiagnosticSeverity.Error
    assert found.range == types.Range(types.Position(5, 4), types.Position(5, 12))
    assert found.code_description is not None and found.code_description.href.startswith("https://")
    assert "help: " in found.message
    assert ("compiled here", 3) in [(place.message, place.location.range.start.line) for place in found.related_information or ()]


@pytest.mark.asyncio
async def test_findings_follow_the_text_as_it_is_typed(folder: Path) -> None:
    async with editor(folder) as edit:
        uri = edit.open(folder / "a.py")
        assert await edit.codes(uri) == [("MX101", 5)]
        top = types.Range(types.Position(0, 0), types.Position(0, 0))
        edit.change(uri, "# a comment\n", top)
        assert await edit.codes(uri) == [("MX101", 6)]
        edit.change(uri, CLEAN)
        assert await edit.codes(uri) == []
        edit.change(uri, CLEAN + "def")
        assert [code for code, _ in await edit.codes(uri)] == ["MX003"]
        edit.change(uri, PRINTS)
        assert await edit.codes(uri) == [("MX101", 5)]
        edit.close(uri)
        await edit.settled()
        assert not edit.client.diagnostics.get(uri)


@pytest.mark.asyncio
async def test_a_client_that_asks_is_answered_and_told_when_nothing_has_changed(folder: Path) -> None:
    async with editor(folder, capabilities=PULL, configuration={}) as edit:
        uri = edit.open(folder / "a.py")
        report = await edit.pulled(uri)
        assert [item.code for item in report.items] == ["MX101"]
        assert (await edit.pulled(uri, report.result_id)).kind == "unchanged"
        edit.change(uri, CLEAN)
        await edit.settled()
        assert not (await edit.pulled(uri, report.result_id)).items
        assert uri not in edit.client.diagnostics


@pytest.mark.parametrize("client", ["neovim", "emacs", "visual-studio-code"])
@pytest.mark.asyncio
async def test_the_editors_that_there_are_can_talk_to_it(folder: Path, client: str) -> None:
    async with editor(folder, capabilities=client) as edit:
        uri = edit.open(folder / "a.py")
        await edit.settled()
        assert edit.client.diagnostics.get(uri) or (await edit.pulled(uri)).items


@pytest.mark.asyncio
async def test_an_unused_suppression_is_pale_and_its_fix_preferred(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import mlx.core as mx\n\nf = mx.compile(abs)  # mxlint: ignore[MX101]\n")
    async with editor(tmp_path) as edit:
        uri = edit.open(file)
        found = [one for one in await edit.shown(uri) if one.code == "MX001"]
        assert list(found[0].tags or ()) == [types.DiagnosticTag.Unnecessary]
        fixes = [action for action in await edit.actions(uri, 2) if getattr(action, "is_preferred", None)]
        (change,) = fixes[0].edit.document_changes
        assert change.text_document.version == 1
        assert "ignore" not in applied(file.read_text(), change.edits)


@pytest.mark.asyncio
async def test_ignore_here_silences_the_finding_and_takes_a_second_code_in(folder: Path) -> None:
    async with editor(folder) as edit:
        uri = edit.open(folder / "a.py")
        (ignore,) = [action for action in await edit.actions(uri, 5) if action.title == "MX101: ignore here"]
        text = applied(PRINTS, ignore.edit.document_changes[0].edits)
        assert "print(x)  # mxlint: ignore[MX101]\n" in text
        edit.change(uri, text)
        assert await edit.codes(uri) == []
        edit.change(uri, text.replace("MX101", "MX104"))
        await edit.settled()
        (ignore,) = [action for action in await edit.actions(uri, 5) if action.title == "MX101: ignore here"]
        assert "ignore[MX104, MX101]" in applied(text.replace("MX101", "MX104"), ignore.edit.document_changes[0].edits)


@pytest.mark.asyncio
async def test_fix_all_makes_the_safe_fixes_and_no_others(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    text = PRINTS + "# mxlint: ignore[MX301]\nstep(mx.array(2.0))\nstep(mx.array(3.0))  # mxlint: ignore[MX302]\n"
    file.write_text(text)
    async with editor(tmp_path) as edit:
        uri = edit.open(file)
        (action,) = await edit.actions(uri, 0, only=["source.fixAll"])
        assert action.kind == "source.fixAll.mxlint"
        after = applied(text, action.edit.document_changes[0].edits)
        assert after == PRINTS + "step(mx.array(2.0))\nstep(mx.array(3.0))\n"
        edit.change(uri, after)
        assert await edit.codes(uri) == [("MX101", 5)]


@pytest.mark.asyncio
async def test_pointing_at_a_finding_shows_its_page_and_at_a_compiled_function_its_site(folder: Path) -> None:
    async with editor(folder) as edit:
        uri = edit.open(folder / "a.py", CLEAN + "\n\ndef other(step):\n    return step\n")
        await edit.settled()
        for line, character in ((3, 3), (4, 5), (8, 1)):
            text = await edit.hover(uri, line, character)
            assert "takes: x" in text and "cache key" in text and "traces in sight: 1" in text
        assert await edit.hover(uri, 12, 12) == ""  # a parameter of the same name
        edit.change(uri, "#\n", types.Range(types.Position(0, 0), types.Position(0, 0)))
        assert "takes: x" in await edit.hover(uri, 5, 5)  # at once
        edit.change(uri, PRINTS)
        await edit.settled()
        assert "print-traced-array" in await edit.hover(uri, 5, 5)


CALLER = """import mlx.core as mx
from lib import scale

scale(mx.array(1.0), {0})
"""


@pytest.mark.asyncio
async def test_an_importer_that_is_not_saved_counts_as_a_caller(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(
        "import mlx.core as mx\n\n\n@mx.compile\ndef scale(x, n):\n    if n:\n        return x * 2\n    return x\n"
    )
    (tmp_path / "use.py").write_text(CALLER.format("1"))
    async with editor(tmp_path) as edit:
        lib, use = edit.open(tmp_path / "lib.py"), edit.open(tmp_path / "use.py")
        assert ("MX104", 5) not in await edit.codes(lib)
        edit.change(use, CALLER.format("mx.array(1)"))
        assert await edit.codes(lib) == [("MX104", 5)]
        edit.close(use)  # what is on the disk counts again
        assert ("MX104", 5) not in await edit.codes(lib)


@pytest.mark.asyncio
async def test_each_folder_has_its_own_settings_and_they_can_change(tmp_path: Path) -> None:
    uris = {}
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(PRINTS)
    (tmp_path / "two" / "pyproject.toml").write_text('[tool.mxlint]\nignore = ["MX101"]\n')
    async with editor(tmp_path / "one", tmp_path / "two") as edit:
        uris = {name: edit.open(tmp_path / name / "a.py") for name in ("one", "two")}
        assert await edit.codes(uris["one"]) == [("MX101", 5)]
        assert await edit.codes(uris["two"]) == []
        (tmp_path / "two" / "pyproject.toml").write_text("[tool.mxlint]\n")
        changed = types.FileEvent((tmp_path / "two" / "pyproject.toml").as_uri(), types.FileChangeType.Changed)
        edit.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
        assert await edit.codes(uris["two"]) == [("MX101", 5)]
        edit.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"mxlint": {"ignore": ["MX1"]}}))
        assert await edit.codes(uris["one"]) == await edit.codes(uris["two"]) == []
        edit.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))  # they are taken back
        assert await edit.codes(uris["one"]) == await edit.codes(uris["two"]) == [("MX101", 5)]


@pytest.mark.asyncio
async def test_a_document_without_a_name_keeps_no_other_waiting(folder: Path) -> None:
    async with editor(folder) as edit:
        edit.open("", PRINTS)
        uri = edit.open(folder / "a.py")
        assert await asyncio.wait_for(edit.codes(uri), 120) == [("MX101", 5)]


@pytest.mark.asyncio
async def test_settings_and_files_that_cannot_be_followed_are_said_and_nothing_ends(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.mxlint]\nselekt = []\n")
    async with editor(folder) as edit:
        uri = edit.open(folder / "a.py")
        assert await edit.codes(uri) == []
        assert "selekt" in edit.client.messages[-1].message
        (folder / "pyproject.toml").write_text("[tool.mxlint]\n")
        edit.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
        assert await edit.codes(uri) == [("MX101", 5)]
        edit.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"mxlint": {"selekt": []}}))
        await edit.settled()
        assert "selekt" in edit.client.messages[-1].message
        for key, value, wrong in (
            ("ignore", ["print-traced-arrays"], "unknown rule selector `print-traced-arrays`; did you mean `print-traced-array`?"),
            ("extendSelect", ["MX9"], "unknown rule selector `MX9`"),
            ("mlxVersion", "x", "expected a version"),
        ):
            edit.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"mxlint": {key: value}}))
            await edit.settled()
            assert f"settings of mxlint: {key}: {wrong}" in edit.client.messages[-1].message


@pytest.mark.parametrize(("encoding", "start"), [("utf-8", 14), ("utf-16", 11), ("utf-32", 10)])
@pytest.mark.asyncio
async def test_characters_are_counted_in_the_units_that_were_agreed_on(tmp_path: Path, encoding: str, start: int) -> None:
    text = PRINTS.replace("    print(x)", "    '𝒙é'; print(x)")
    capabilities = types.ClientCapabilities(general=types.GeneralClientCapabilities(position_encodings=[encoding]))
    async with editor(tmp_path, capabilities=capabilities) as edit:
        uri = edit.open(tmp_path / "a.py", text)
        (found,) = await edit.shown(uri)
        assert found.range.start == types.Position(5, start)
        edit.change(uri, "repr", types.Range(found.range.start, types.Position(5, start + 5)))
        (found,) = await edit.shown(uri)
        assert found.range.start == types.Position(5, start)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.asyncio
async def test_lines_end_where_they_do_for_python(tmp_path: Path, newline: str) -> None:
    text = ("# \f \x0b \x85 \u2028 here\n" + PRINTS).replace("\n", newline)
    async with editor(tmp_path) as edit:
        uri = edit.open(tmp_path / "a.py", text)
        assert await edit.codes(uri) == [("MX101", 6)]
        edit.change(uri, newline, types.Range(types.Position(1, 0), types.Position(1, 0)))
        assert await edit.codes(uri) == [("MX101", 7)]


@pytest.mark.asyncio
async def test_a_document_of_no_folder_and_one_of_no_file_are_checked_by_themselves(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside.py").write_text(PRINTS)
    async with editor(tmp_path / "inside") as edit:
        assert await edit.codes(edit.open(tmp_path / "outside.py")) == [("MX101", 5)]
        untitled = edit.open("untitled:Untitled-1", PRINTS)
        assert await edit.codes(untitled) == [("MX101", 5)]
        edit.change(untitled, CLEAN)
        assert await edit.codes(untitled) == []


@pytest.mark.asyncio
async def test_what_the_configuration_leaves_out_shows_nothing(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.mxlint]\nextend-exclude = ["a.py"]\n')
    async with editor(folder) as edit:
        assert await edit.codes(edit.open(folder / "a.py")) == []


def test_without_its_extra_the_command_says_how_to_get_it() -> None:
    program = "import sys; sys.modules['pygls'] = None; sys.argv = ['mxlint', 'server']; from mxlint.__main__ import run; run()"
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'mxlint[lsp]'" in done.stderr


@pytest.mark.slow
def test_a_request_that_cannot_be_read_and_one_after_the_end_are_answered() -> None:
    where = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
    asked = [("initialize", {"capabilities": {}}), ("textDocument/hover", {}), ("shutdown", None), ("textDocument/hover", where)]
    messages = [{"id": number, "method": method, "params": params} for number, (method, params) in enumerate(asked)]
    sent = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in (*messages, {"method": "exit"})]
    stream = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(message), message) for message in sent)
    done = subprocess.run(COMMAND, check=False, input=stream, capture_output=True, timeout=100)
    answers = [json.loads(answer) for answer in re.findall(rb"\{.*\}", done.stdout)]
    codes = {answer["id"]: answer.get("error", {}).get("code") for answer in answers if "id" in answer}
    assert codes == {0: None, 1: types.ErrorCodes.InvalidParams, 2: None, 3: types.ErrorCodes.InvalidRequest}
    assert done.returncode == 0


NO_MESSAGES: list[tuple[str, tuple[object, int] | None]] = [
    ("{", (None, types.ErrorCodes.ParseError)),
    ("\xff", (None, types.ErrorCodes.ParseError)),
    ("[" * 100_000, (None, types.ErrorCodes.ParseError)),
    ("3", (None, types.ErrorCodes.InvalidRequest)),
    ("[]", (None, types.ErrorCodes.InvalidRequest)),
    ('{"id": 7}', (7, types.ErrorCodes.InvalidRequest)),
    *(
        (f'{{"jsonrpc": "2.0", "id": {number}, "method": "textDocument/hover", "params": {{}}}}', (None, types.ErrorCodes.InvalidRequest))
        for number in ("{}", "[1]", "null", "true", "1.5", '{"a": {"b": 1}}')
    ),
    ('{"jsonrpc": "2.0", "id": "7", "method": "textDocument/hover", "params": {}}', ("7", types.ErrorCodes.InvalidParams)),
    ('{"jsonrpc": "2.0", "id": {}, "result": null}', None),
    ('{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}}', None),
]
"""What a client should not send, and the number and the code of the answer."""


@pytest.mark.slow
def test_what_is_no_message_is_answered_and_ends_nothing() -> None:
    ends = [{"id": 0, "method": "initialize", "params": {"capabilities": {}}}, {"id": 1, "method": "shutdown"}, {"method": "exit"}]
    first, *rest = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in ends]
    sent = [first, *(body.encode("latin-1") for body, _ in NO_MESSAGES), *rest]
    stream = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(each), each) for each in sent)
    done = subprocess.run(COMMAND, check=False, input=stream, capture_output=True, timeout=100)
    answers = [json.loads(answer) for answer in re.findall(rb"\{.*\}", done.stdout)]
    assert [(answer["id"], answer["error"]["code"]) for answer in answers if "error" in answer] == [told for _, told in NO_MESSAGES if told]
    assert {answer["id"] for answer in answers if "result" in answer} == {0, 1} and done.returncode == 0


HEADERS = {
    "Content-Length: abc\r\n\r\n": False,
    "Content-Length: -5\r\n\r\n": False,
    "Content-Length: 99999999999999999999\r\n\r\n": False,
    "\r\n": False,
    "": False,
    "Content-Length: 0\r\n\r\n": False,
    "content-length: {}\r\n\r\n": True,
    "Content-Length:{}\r\n\r\n": True,
    "Content-Length: {}\n\n": True,
    "Content-Length: {}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n": True,
}
"""What clients may write before a message, and whether it can be read."""


@pytest.mark.slow
def test_a_header_that_cannot_be_read_costs_its_own_message_only() -> None:
    where = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
    plain = "Content-Length: {}\r\n\r\n"
    hovers = [(header, "textDocument/hover", where) for each in HEADERS for header in (each, plain)]
    stream, numbers = b"", {}
    for number, (header, method, params) in enumerate(
        [(plain, "initialize", {"capabilities": {}}), *hovers, (plain, "shutdown", None), (plain, "exit", None)]
    ):
        numbered = {} if method == "exit" else {"id": number}
        numbers |= {number: header} if numbered else {}
        message = json.dumps({"jsonrpc": "2.0", **numbered, "method": method, "params": params}).encode()
        stream += header.format(len(message)).encode() + message
    done = subprocess.run(COMMAND, check=False, input=stream, capture_output=True, timeout=100)
    answered = {answer["id"] for answer in map(json.loads, re.findall(rb"\{.*\}", done.stdout)) if "id" in answer}
    lost = {header for number, header in numbers.items() if number not in answered}
    assert lost == {header for header, read in HEADERS.items() if not read}
    assert done.returncode == 0 and not done.stderr


@pytest.mark.slow
def test_it_ends_when_it_is_asked_to_by_a_signal() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stdout is not None
        request = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": null, "rootUri": null, "capabilities": {}}}'
        server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(request), request))
        server.stdin.flush()
        assert server.stdout.readline()
        server.terminate()
        assert server.wait(timeout=300) == 143


@pytest.mark.skipif(sys.platform == "win32", reason="Windows masks no signals")
def test_a_signal_is_heard_where_the_main_thread_waits_for_the_system() -> None:
    """As it does when the signal comes just before it waits. Here another thread is given the signal, so that nothing ends the wait."""
    program = """
import os, signal
from mxlint.signals import ENDING, exit_at_once
exit_at_once()
signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
os.write(1, b"ready\\n")
os.read(0, 1)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == b"ready\n"
        waiting.terminate()
        assert waiting.wait(timeout=300) == 143


@pytest.mark.slow
def test_an_end_without_a_goodbye_is_a_failure() -> None:
    sent = [{"id": 1, "method": "initialize", "params": {"capabilities": {}}}, {"method": "exit"}]
    texts = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in sent]
    stream = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(text), text) for text in texts)
    assert subprocess.run(COMMAND, check=False, input=stream, capture_output=True, timeout=100).returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows deletes no folder that a process works in")
@pytest.mark.asyncio
async def test_a_folder_that_is_deleted_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text(PRINTS)
    async with editor(folder, cwd=folder) as edit:
        uri = edit.open(folder / "a.py")
        assert await edit.codes(uri) == [("MX101", 5)]
        shutil.rmtree(folder)
        edit.change(uri, "#\n" + PRINTS)
        assert await edit.codes(uri) == [("MX101", 6)]
        folder.mkdir()
        edit.change(uri, "#\n#\n" + PRINTS)
        assert await edit.codes(uri) == [("MX101", 7)]
        assert not edit.client.messages


@pytest.mark.asyncio
async def test_only_the_ends_of_lines_end_lines(tmp_path: Path) -> None:
    """A form feed is a character like any other: places behind it are those that the editor means."""
    async with editor(tmp_path) as edit:
        uri = edit.open(tmp_path / "a.py", '"""a\fb"""\n' + CLEAN)
        assert await edit.codes(uri) == []
        edit.change(uri, "if x else x", types.Range(types.Position(6, 13), types.Position(6, 16)))
        assert await edit.codes(uri) == [("MX104", 6)]
