"""How soon the language server answers a keystroke, and how soon with everything.

    python benchmarks/server.py FILE… [--folder FOLDER] [--keys N] [--pace 0.1]

Opens each file in a server of its own, whose workspace is FOLDER or the folder of the file, and types a statement into the middle of its
longest function, a character at a time. Prints, by file: the seconds until the file was first judged; of the keystrokes the median and the
95th percentile in milliseconds until diagnostics for that very text were there, which for a file that takes longer to analyse are those
of the text before, moved; and the seconds from the last keystroke until a whole run had seen it. All are wall times: say what else runs.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import statistics
import sys
from pathlib import Path
from time import perf_counter

from lsprotocol import types
from pygls.lsp.client import LanguageClient

TYPED = "value = [number * 2 for number in range(3)]  # typed "


def place_to_type(text: str) -> tuple[int, str]:
    """The line after the first statement of the longest function, and what it is indented by."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    longest = max(functions, key=lambda node: (node.end_lineno or 0) - node.lineno)
    first = longest.body[0]
    return first.end_lineno or first.lineno, " " * first.col_offset


async def measure(file: Path, folder: Path, keys: int, pace: float) -> tuple[float, list[float], float]:
    """Seconds until the first judgement, for each keystroke until it was answered, and until all was known of the last."""
    text, uri = file.read_text(), file.as_uri()
    client = LanguageClient("benchmark", "1")
    answered: dict[int, float] = {}
    news = asyncio.Event()

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params: types.PublishDiagnosticsParams) -> None:
        if params.uri == uri and params.version is not None:
            answered.setdefault(params.version, perf_counter())
            news.set()

    async def settled() -> float:
        started = perf_counter()
        await client.protocol.send_request_async("mxlint/settled", {})
        return perf_counter() - started

    await client.start_io(sys.executable, "-m", "mxlint", "server")
    folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)]
    await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities(), workspace_folders=folders))
    client.initialized(types.InitializedParams())
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 0, text)))
    cold = await settled()
    line, indent = place_to_type(text)
    sent: dict[int, float] = {}

    def type_in(version: int, row: int, column: int, new: str) -> None:
        here = types.Position(row, column)
        change = types.TextDocumentContentChangePartial(range=types.Range(here, here), text=new)
        sent[version] = perf_counter()
        identifier = types.VersionedTextDocumentIdentifier(version=version, uri=uri)
        client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    type_in(1, line, 0, indent + "\n")
    await settled()
    for number in range(keys):
        type_in(number + 2, line, len(indent) + number, TYPED[number % len(TYPED)])
        await asyncio.sleep(pace)
    while keys + 1 not in answered:
        news.clear()
        await news.wait()
    whole = await settled()
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    # A keystroke that the next one overtook is answered with that one.
    times = [min(at for other, at in answered.items() if other >= version) - sent[version] for version in sent if version > 1]
    return cold, times, whole


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--folder", type=Path, help="the workspace")
    parser.add_argument("--keys", type=int, default=len(TYPED))
    parser.add_argument("--pace", type=float, default=0.1, help="seconds between two keystrokes")
    given = parser.parse_args()
    all_times: list[float] = []
    print("lines   cold s   median ms   95 % ms   settled s   file")
    for file in given.files:
        path = file.resolve()
        cold, times, whole = await measure(path, (given.folder or path.parent).resolve(), given.keys, given.pace)
        all_times += times
        lines = path.read_text().count("\n")
        late = statistics.quantiles(times, n=20)[-1]
        print(f"{lines:5} {cold:8.2f} {statistics.median(times) * 1000:11.1f} {late * 1000:9.1f} {whole:11.2f}   {path.name}", flush=True)
    print(f"all keystrokes: median {statistics.median(all_times) * 1000:.1f} ms of {len(all_times)}")


if __name__ == "__main__":
    asyncio.run(main())
