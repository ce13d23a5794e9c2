"""A fork server: a process that has imported MLX and evaluated nothing, and forks a child for each run.

A fork of it costs a tenth of a new Python with MLX. It is sound only while the server has a single thread: MLX starts one at its first
evaluation, which no fork survives. So the server looks before each fork, and refuses where there are more.

The server runs no statement of a program. A child is given the descriptors of its own run and none of the server's, puts itself into
every layer of the sandbox, and only then runs the program: what it does with its memory, the server does not see.

The child is forked twice: its parent ends at once, and mxlint, which takes up orphans, becomes its parent. So it is watched, limited and
ended as a process that mxlint has started itself.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from . import setup

MOST_BYTES = 1 << 16
DESCRIPTORS = 3
"""What comes with a request: where the child prints, where it prints errors, where it hands in its answer."""


def serve(descriptor: int, modules: Sequence[str]) -> None:
    """Fork a child for each request, until the other end is closed. `modules`: to be imported beside MLX."""
    channel = socket.socket(fileno=descriptor)
    channel.send(json.dumps({"unfit": prepare(modules)}).encode())
    while True:
        data, descriptors, _, _ = socket.recv_fds(channel, MOST_BYTES, DESCRIPTORS, socket.MSG_CMSG_CLOEXEC)
        if not data:
            os._exit(0)
        unfit = shared_state()
        reply: dict[str, Any] = {"unfit": unfit} if unfit else {"pid": fork(json.loads(data), descriptors, channel)}
        for one in descriptors:
            os.close(one)
        channel.send(json.dumps(reply).encode())


def prepare(modules: Sequence[str]) -> str | None:
    """Import what all children need; returns why none can be forked, if so."""
    try:
        import mlx.core
        import mlx.nn
        import mlx.optimizers
        import mlx.utils  # noqa: F401
    except ImportError as error:
        return str(error)
    sys.dont_write_bytecode = False  # of our own code, which is then compiled once for all runs
    setup.preload()
    sys.dont_write_bytecode = True
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    return shared_state()


def shared_state() -> str | None:
    """What a fork would not survive."""
    threads = len(os.listdir("/proc/self/task"))
    return None if threads == 1 else f"the fork server has {threads} threads"


def fork(request: Mapping[str, Any], descriptors: Sequence[int], channel: socket.socket) -> int:
    """The process number of a child that runs a request."""
    read, write = os.pipe()
    between = os.fork()
    if between:
        os.close(write)
        number = os.read(read, 32)
        os.close(read)
        os.waitpid(between, 0)
        return int(number)
    try:
        os.close(read)
        between = os.getpid()
        pid = os.fork()
        if pid:
            os.write(write, str(pid).encode())
            os._exit(0)
        os.close(write)
        channel.close()
        child(request, descriptors, between)
    finally:
        os._exit(1)


def child(request: Mapping[str, Any], descriptors: Sequence[int], between: int) -> None:
    """Become what `python run.py` would be, once mxlint is the parent: a child that is tied to its parent would die with the one between."""
    while (parent := os.getppid()) == between:
        os.sched_yield()
    if parent != request["parent"]:
        os._exit(1)
    os.setsid()
    for target, source in zip((1, 2), descriptors):
        os.dup2(source, target)
        os.close(source)
    result = descriptors[2]
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["work"])
    sys.orig_argv = [*request["command"], str(result)]
    sys.argv = sys.orig_argv[-4:]  # the script, the mode, the folder, the result
    from . import main

    main.main(request["folder"], request["mode"], result)
