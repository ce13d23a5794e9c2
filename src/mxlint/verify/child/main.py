"""One experiment: set up the guard and MLX (`setup`), run the program under watch, write down what was seen."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from . import setup

WAITING = "waiting"
"""The mode of a child that is told later what to run; until then its job holds what the sandbox needs."""


def main(folder: str, mode: str, result: int | None) -> None:
    """Run the job in `folder`. The answer goes to the file descriptor `result`, or to stdout for people."""
    job = read_job(folder)
    from . import cell

    work = os.path.join(folder, "work")
    layers = cell.enter(cell.Cell(folder, work, setup.readable(folder, job), frozenset(job["layers"]), job["limits"], result))
    if mode == WAITING:
        mode = waited_for()
        job = read_job(folder)
    answer: dict[str, Any] = {"guard": layers, "status": "failed"}
    if mode == "timed":
        from . import timer

        finish({**answer, **timer.main(folder, job, layers, result)}, result)
    try:
        setup.start_mlx(job)
    except ImportError as error:
        finish({**answer, "status": "no mlx", "detail": str(error), "python": sys.executable}, result)
    answer["mlx"], answer["canary"] = setup.ready(job["canary"] or mode in setup.UNCOMPILED)
    if answer["canary"]:
        finish(answer, result)
    answer["fused"] = mode in setup.UNCOMPILED or job["fused"] or not job["canary"] or not setup.unfused()
    from . import watched

    finish({**answer, **watched.run(folder, job, mode, layers)}, result)


def read_job(folder: str) -> dict[str, Any]:
    """What there is to do in a folder."""
    with open(os.path.join(folder, "job.json"), encoding="utf-8") as file:
        job: dict[str, Any] = json.load(file)
    return job


def waited_for() -> str:
    """Begin with all that is needed for any program, and wait to be told the mode to run one in; end if nobody will."""
    try:
        setup.start_mlx({"modules": ()})
        setup.preload()
        setup.ready(False)
    except ImportError:
        pass  # which is said of the job that there will be
    mode = os.read(0, 32).decode()
    if not mode:
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.orig_argv[-3] = sys.argv[-3] = mode
    return mode


def finish(answer: dict[str, Any], result: int | None) -> None:
    """Hand in the answer and end at once: nothing of the program gets to run any more."""
    sys.settrace(None)
    text = json.dumps(answer, default=repr, indent=1 if result is None else None)
    if result is None:
        sys.__stdout__.flush()  # type: ignore[union-attr]
        os.write(1, text.encode() + b"\n")
    else:
        sys.stdout.flush()
        data = text.encode()
        while data:
            data = data[os.write(result, data) :]
    os._exit(0)
