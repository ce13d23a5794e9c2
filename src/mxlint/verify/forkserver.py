"""Fork servers of a run (child/server.py is what one does), and the processes that they start for us.

A server is a convenience: where there is none, or it fails twice, a new Python is started for each child, and nothing but the time it takes changes.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from mxlint.verify.child.guard import has_cuda
from mxlint.verify.processes import ProcessGroup

WAIT_S = 60.0
"""For a server to import MLX, or to fork. It is generous: whoever waits in vain starts a new Python, so that load changes no verdict."""
ATTEMPTS = 2
PRELOADED = frozenset({"numpy"})
"""Modules that are costly to import, and trusted as MLX is: a server imports them outside of the sandbox."""
THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""The libraries of these modules start threads when they are loaded, unless they are told not to; no fork survives that."""
_MOST_REPLY = 1 << 16


class ServerError(Exception):
    """No child can be forked."""


Imports = tuple[str, ...]
"""An interpreter, and what a server of it has imported beside MLX."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a child is to run: `mode` of the job in `folder`, with these variables. `command` is what would run it in a new Python."""

    folder: Path
    mode: str
    environment: Mapping[str, str]
    command: tuple[str, ...]


@dataclass
class Forked:
    """A child that a server forked for us, as `subprocess.Popen` has it."""

    pid: int
    stdout: IO[bytes]
    stderr: IO[bytes]
    returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """How it ended. Raise TimeoutExpired if it has not within `timeout` seconds."""
        if self.returncode is None:
            descriptor = os.pidfd_open(self.pid)  # type: ignore[attr-defined,unused-ignore]
            try:
                select.select([descriptor], [], [], timeout)
            finally:
                os.close(descriptor)
        if self.poll() is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        assert self.returncode is not None
        return self.returncode


@dataclass
class Server:
    """One server, from its start to its end."""

    process: subprocess.Popen[bytes]
    channel: socket.socket

    def ask(self, request: Request, descriptors: Sequence[int]) -> int:
        """The number of a new child."""
        message = {
            "parent": os.getpid(),
            "folder": str(request.folder),
            "work": str(request.folder / "work"),
            "mode": request.mode,
            "environment": dict(request.environment),
            "command": list(request.command),
        }
        socket.send_fds(self.channel, [json.dumps(message).encode()], descriptors)
        return int(self.hear()["pid"])

    def hear(self) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(self.channel.recv(_MOST_REPLY) or b'{"unfit": "the fork server died"}')
        if reply.get("unfit"):
            raise ServerError(reply["unfit"])
        return reply

    def close(self) -> None:
        self.channel.close()
        self.process.kill()
        self.process.wait()


@dataclass
class ForkServers:
    """The servers of a run, each started when it is first needed. `home`: the folder that has the child's code; `unfit`: why there are none,
    `unforkable`: why there is none that has imported these.

    A server is known by what it has imported, and by a number: children of two servers differ in all that a new Python draws by chance, as
    the order of a set of texts. What has to be seen in two processes is run by children of two.
    """

    home: Path
    processes: ProcessGroup
    environment: Mapping[str, str]
    unfit: str | None = None
    unforkable: dict[Imports, str] = field(default_factory=dict)
    running: dict[tuple[Imports, int], Server] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if sys.platform != "linux" or has_cuda():
            self.unfit = "no fork survives the driver of a GPU"

    def start(self, request: Request, modules: Sequence[str], number: int, result: int) -> Forked | None:
        """A child of a server, or None where it takes a new Python. `result`: the descriptor for its answer."""
        python = request.command[0]
        with self.lock:
            for imports in dict.fromkeys(((python, *sorted(PRELOADED & {*modules})), (python,))):
                for _ in range(ATTEMPTS):
                    if self.unfit is not None or imports in self.unforkable:
                        break
                    try:
                        return self._forked(self._server(imports, number), request, result)
                    except (OSError, ValueError, KeyError, ServerError) as error:
                        reason = f"{type(error).__name__}: {error}"
                        self._drop(imports, number)
                else:
                    self.unforkable[imports] = reason
        return None

    def _server(self, imports: Imports, number: int) -> Server:
        key = (imports, number)
        server = self.running.get(key)
        if server is None:
            server = self.running[key] = self._started(imports)
            server.hear()
        return server

    def _started(self, imports: Imports) -> Server:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(WAIT_S)
        with theirs:
            command = [imports[0], *FLAGS, str(self.home / "serve.py"), str(theirs.fileno()), *imports[1:]]
            with self.processes.lock:
                process = subprocess.Popen(
                    command,
                    cwd=self.home,
                    env={**self.environment, **THREADS},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
                self.processes.running.add(process.pid)
        return Server(process, ours)

    def _forked(self, server: Server, request: Request, result: int) -> Forked:
        read_out, out = os.pipe()
        read_err, err = os.pipe()
        try:
            with self.processes.lock:  # until it is known, a sweep would take the child for an orphan
                pid = server.ask(request, (out, err, result))
                self.processes.running.add(pid)
        except BaseException:
            os.close(read_out)
            os.close(read_err)
            raise
        finally:
            os.close(out)
            os.close(err)
        return Forked(pid, open(read_out, "rb", 0), open(read_err, "rb", 0))

    def _drop(self, imports: Imports, number: int) -> None:
        server = self.running.pop((imports, number), None)
        if server is not None:
            server.close()
            with self.processes.lock:
                self.processes.running.discard(server.process.pid)

    def close(self) -> None:
        """End all servers. Their children are ours, and end by themselves or with us."""
        with self.lock:
            for imports, number in list(self.running):
                self._drop(imports, number)


FLAGS = ("-I", "-B", "-X", "utf8")
"""How Python is started for a child: nothing of the user's environment, no files written, UTF-8."""
