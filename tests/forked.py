"""The command line in a process of its own for each run, without starting Python for each: all are forks of one process that has imported mxlint."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from command_line import Done

SERVER = """
import json, os, signal, sys
sys.path = [folder for folder in sys.path if folder]
import mxlint.cli
from mxlint.__main__ import run

with open("a.py", "w") as file:
    file.write("import mlx.core as mx\\nf = mx.compile(lambda x: print(x))\\nf(mx.ones(1))\\n")
mxlint.cli.main(["check", "--output-file", os.devnull], standalone_mode=False)
replies = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    request = json.loads(line)
    pid = os.fork()
    if pid == 0:
        replies = None
        signal.alarm(request["patience"])
        for number, name in enumerate((os.devnull, request["out"], request["err"])):
            opened = os.open(name, os.O_WRONLY if number else os.O_RDONLY)
            os.dup2(opened, number)
            os.close(opened)
        os.chdir(request["folder"])
        sys.argv = ["mxlint", *request["arguments"]]
        run()
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=replies, flush=True)
"""
"""Modules that a check imports late are there after the first one, which the server does itself."""


@cache
def _server() -> subprocess.Popen[str]:
    """One for each process of the tests. It ends with that process."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([sys.executable, "-c", SERVER], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        _asked(server, {"patience": 60, "out": os.devnull, "err": os.devnull, "folder": "/", "arguments": ["--version"]})
    atexit.register(server.communicate)
    return server


def _asked(server: subprocess.Popen[str], request: dict[str, object]) -> int:
    assert server.stdin is not None and server.stdout is not None
    print(json.dumps(request), file=server.stdin, flush=True)
    return int(server.stdout.readline())


def run_apart(folder: Path, *arguments: str, patience: int) -> Done:
    """Run the command line in a folder. After so many seconds of `patience` it is ended, and its code is that of the signal."""
    with tempfile.TemporaryDirectory() as place:
        out, err = Path(place, "out"), Path(place, "err")
        for path in (out, err):
            path.touch()
        request = {"patience": patience, "out": str(out), "err": str(err), "folder": str(folder), "arguments": arguments}
        code = _asked(_server(), request)
        return Done(code, *(path.read_text(encoding="utf-8", errors="surrogateescape") for path in (out, err)))
