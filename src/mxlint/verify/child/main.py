"""One experiment: set up the guard and MLX (`setup`), run the program under watch, write down what was seen."""

from __future__ import annotations

import json
import os
import sys
import types
from collections.abc import Iterable
from typing import Any

from . import setup

UNCOMPILED = ("plain", "rounded")
"""The modes in which mx.compile is left out."""
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
    answer["mlx"], answer["canary"] = setup.ready(job["canary"] or mode in UNCOMPILED)
    if answer["canary"]:
        finish(answer, result)
    answer["fused"] = mode in UNCOMPILED or job["fused"] or not job["canary"] or not setup.unfused()
    finish({**answer, **run(folder, job, mode, layers)}, result)


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


def run(folder: str, job: dict[str, Any], mode: str, layers: list[str]) -> dict[str, Any]:
    """The program under watch."""
    import logging

    import mlx.core as mx

    from . import (
        absent,
        asked,
        attempts,
        captures,
        changes,
        drive,
        instruments,
        observe,
        probes,
        program,
        rounding,
        standins,
        surroundings,
        switches,
        values,
    )

    root = os.path.join(folder, "program")
    namespaces = program.Namespaces(root)
    watches = [observe.Watch(item["file"], tuple(item["start"]), tuple(item["end"])) for item in job["watches"]]
    observer = observe.Observer(
        root + os.sep,
        mode not in UNCOMPILED,
        watches,
        job["calls"],
        job["results"],
        job["state"],
        job["memory"],
        mode == "computed",
        namespaces.names,
        lambda: list(namespaces.modules().values()),
        job["graph"],
        job["length_one"],
        job["random"],
        job["survey"] if mode in UNCOMPILED else 0,
    )
    probe = probes.Probes(
        observer,
        frozenset(job["wholes"]),
        frozenset(job["hold"]),
        frozenset(job["live"]),
        frozenset(job["traced_calls"]),
        job["draws"],
    )
    observer.follows = bool(job["change"] or job["attempts"])
    observer.captures, observer.mend = job["captures"], captures.mended
    if job["transforms"]:
        observer.transforms = instruments.Transforms(observer.caller)
    if job["clocks"]:
        observer.clocks = instruments.Clocks(observer.root, observer.caller)
    refused: list[str] = []
    setup.prepare(root, job, lambda: observer.stack[-1][0].number if observer.stack else None)
    logging.Handler.handleError = lambda handler, record: observer.lost_record()  # type: ignore[method-assign, assignment]
    if mode == "serial":
        instruments.serial()
    if mode == "rounded":
        rounding.install(lambda: bool(observer.stack))
    outside = switches.Switches(root + os.sep, {(kind, name): value for kind, name, value in job["turned"]})
    outside.install()
    around = surroundings.Surroundings(root + os.sep)
    around.install()
    probe.install()
    asked.install()
    observer.install()
    setup.arm(folder, job, layers, refused)
    ended: dict[str, Any] = {"status": "ok"}
    try:
        namespaces.execute(job["entry"])
        if job["drive"] is not None:
            ended |= drive.drive(observer, vars(namespaces.main), job["drive"], job["recipe"])
    except observe.Enough:
        ended = {"status": "enough"}
    except SystemExit as error:
        ended = {"status": "exit", "detail": str(error.code), "exception": observer.note(error, None, None)}
    except BaseException as error:  # noqa: BLE001 - whatever the program raises is an observation
        ended = {
            "status": "raised",
            "detail": f"{type(error).__name__}: {observe.first_line(error)}".replace(root + os.sep, ""),
            "exception": observer.note(error, None, None),
        }
    if job["change"]:
        observer.over_time = True
        ended["changed"] = changes.between(observer, job["change"])
    if job["attempts"]:
        observer.over_time = True
        made = len(observer.calls)
        ended["attempts"] = attempts.make(observer, job["attempts"], root)
        ended["attempted"] = made
    if job["length_one"]:
        ended["length_one"] = observer.length_one()
    observer.stop()
    ended["leaks"], ended["random_poisoned"], ended["end"] = [], False, {}
    names = namespaces.names()
    done: set[int] = set()
    for module, held in names.items():
        for name, value in held.items():
            values.leaks(value, name if module == job["entry"]["name"] else f"{module}.{name}", ended["leaks"], done)
    try:
        mx.eval(mx.random.state)
    except Exception:  # noqa: BLE001 - MLX raises several kinds
        ended["random_poisoned"] = True
    ended["end"] = {
        f"{module}.{name}": values.seen(value)
        for module, held in names.items()
        for name, value in held.items()
        if not isinstance(value, (types.ModuleType, type, types.FunctionType))
    } | ended.pop("returned", {})
    public = observer.public()
    for failure in standins.failed:
        observer.forgive(failure)
    return {
        **ended,
        "calls": observer.calls,
        "exceptions": observer.exceptions,
        "objects": [
            {
                "file": made.file,
                "row": made.row,
                **made.options,
                "name": made.name,
                "kind": made.kind,
                "parameters": made.parameters,
                "span": made.span,
                "made": made.made,
                "died": made.died,
                "failed": made.failed,
                "nested": made.nested,
                "nested_traced": made.nested_traced,
                "threads": sorted(made.threads.values()),
                "threads_traced": len(made.tracing),
                "public": public.get(made.number),
            }
            for made in observer.objects
        ],
        "clocks": observer.clocks.readings if observer.clocks is not None else [],
        "spans": observer.clocks.spans if observer.clocks is not None else [],
        "switches": [list(switch) for switch in outside.read],
        "surroundings": [*around.asked(), *([surroundings.COMMAND_LINE] if outside.parsed else [])],
        "disabled_by": os.environ.get("MLX_DISABLE_COMPILE"),
        "compiles": instruments.compiles(),
        "held": probe.held_count,
        "probes": probe.seen,
        "alone": probe.compared,
        "captured": sorted(captures.names),
        "absent": _inside(observer.absent, root),
        "listed": _inside(observer.listed, root),
        "bodies": observer.bodies,
        "logging": observer.logging,
        "watches": [
            {
                "inside": watch.inside,
                "outside": watch.outside,
                "finished": watch.finished,
                "exact": watch.exact,
                "objects": sorted(watch.objects),
            }
            for watch in watches
        ],
        "files": {name: os.path.getsize(name) for name in sorted(os.listdir()) if os.path.isfile(name)} if not refused else {},
        "refused": refused,
        **absent.report(names),
        "replaced": dict(standins.replaced),
        "guard": layers,
    }


def _inside(paths: Iterable[str], root: str) -> list[str]:
    """Those of the paths that are in the folder of the program, or in the one where it runs, relative to it."""
    tops = (root, os.getcwd())
    return sorted({os.path.relpath(path, top) for path in paths for top in tops if path == top or path.startswith(top + os.sep)})


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
