"""The program under watch: what looks on is put in place, the program runs, and what was seen is written down."""

from __future__ import annotations

import logging
import os
import types
from collections.abc import Iterable
from typing import Any

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
    setup,
    standins,
    surroundings,
    switches,
    values,
)


def run(folder: str, job: dict[str, Any], mode: str, layers: list[str]) -> dict[str, Any]:
    """Run the program of a job; all that was seen, as JSON. `layers`: those of the guard that hold."""
    watched = Watched(folder, job, mode)
    watched.begin()
    setup.arm(folder, job, layers, watched.refused)
    ended = watched.executed()
    ended |= watched.tried_further()
    watched.observer.stop()
    return {**watched.left(ended), **watched.seen(), "guard": layers}


class Watched:
    """One run of a program, and what looks on."""

    def __init__(self, folder: str, job: dict[str, Any], mode: str) -> None:
        self.job, self.mode = job, mode
        self.root = os.path.join(folder, "program")
        self.refused: list[str] = []
        self.namespaces = program.Namespaces(self.root)
        self.watches = [observe.Watch(item["file"], tuple(item["start"]), tuple(item["end"])) for item in job["watches"]]
        self.observer = self._observer()
        self.probe = probes.Probes(
            self.observer,
            frozenset(job["wholes"]),
            frozenset(job["hold"]),
            frozenset(job["live"]),
            frozenset(job["traced_calls"]),
            job["draws"],
        )
        # The surroundings remember the generators with the seed that this gives them.
        setup.prepare(self.root, job, self._running)
        self.switches = switches.Switches(self.root + os.sep, {(kind, name): value for kind, name, value in job["turned"]})
        self.surroundings = surroundings.Surroundings(self.root + os.sep)

    def _observer(self) -> observe.Observer:
        job, mode = self.job, self.mode
        observer = observe.Observer(
            self.root + os.sep,
            mode not in setup.UNCOMPILED,
            self.watches,
            job["calls"],
            job["results"],
            job["state"],
            job["memory"],
            mode == "computed",
            self.namespaces.names,
            lambda: list(self.namespaces.modules().values()),
            job["graph"],
            job["length_one"],
            job["random"],
            job["survey"] if mode in setup.UNCOMPILED else 0,
        )
        observer.follows = bool(job["change"] or job["attempts"])
        observer.captures, observer.mend = job["captures"], captures.mended
        if job["transforms"]:
            observer.transforms = instruments.Transforms(observer.caller)
        if job["clocks"]:
            observer.clocks = instruments.Clocks(observer.root, observer.caller)
        return observer

    def _running(self) -> int | None:
        """The number of the compiled object whose call runs."""
        stack = self.observer.stack
        return stack[-1][0].number if stack else None

    def begin(self) -> None:
        """Put in place all that looks on."""
        observer = self.observer
        logging.Handler.handleError = lambda handler, record: observer.lost_record()  # type: ignore[method-assign, assignment]
        if self.mode == "serial":
            instruments.serial()
        if self.mode == "rounded":
            rounding.install(lambda: bool(observer.stack))
        self.switches.install()
        self.surroundings.install()
        self.probe.install()
        asked.install()
        observer.install()

    def executed(self) -> dict[str, Any]:
        """Run the program, then what calls into it; how that ended."""
        job, observer = self.job, self.observer
        try:
            self.namespaces.execute(job["entry"])
            if job["drive"] is None:
                return {"status": "ok"}
            return {"status": "ok"} | drive.drive(observer, vars(self.namespaces.main), job["drive"], job["recipe"])
        except observe.Enough:
            return {"status": "enough"}
        except SystemExit as error:
            return {"status": "exit", "detail": str(error.code), "exception": observer.note(error, None, None)}
        except BaseException as error:  # noqa: BLE001 - whatever the program raises is an observation
            return {
                "status": "raised",
                "detail": f"{type(error).__name__}: {observe.first_line(error)}".replace(self.root + os.sep, ""),
                "exception": observer.note(error, None, None),
            }

    def tried_further(self) -> dict[str, Any]:
        """What comes of calling again what the program has compiled, as far as the job asks for that."""
        job, observer, found = self.job, self.observer, dict[str, Any]()
        if job["change"]:
            observer.over_time = True
            found["changed"] = changes.between(observer, job["change"])
        if job["attempts"]:
            observer.over_time = True
            made = len(observer.calls)
            found["attempts"] = attempts.make(observer, job["attempts"], self.root)
            found["attempted"] = made
        if job["length_one"]:
            found["length_one"] = observer.length_one()
        return found

    def left(self, ended: dict[str, Any]) -> dict[str, Any]:
        """How the run `ended`, with what the names of the program hold now: placeholders that have leaked, and values."""
        leaks: list[Any] = []
        done: set[int] = set()
        held = {(module, name): value for module, names in self.namespaces.names().items() for name, value in names.items()}
        for (module, name), value in held.items():
            values.leaks(value, name if module == self.job["entry"]["name"] else f"{module}.{name}", leaks, done)
        poisoned = _random_is_poisoned()
        end = {
            f"{module}.{name}": values.seen(value)
            for (module, name), value in held.items()
            if not isinstance(value, (types.ModuleType, type, types.FunctionType))
        } | ended.pop("returned", {})
        return {**ended, "leaks": leaks, "random_poisoned": poisoned, "end": end}

    def seen(self) -> dict[str, Any]:
        """What was seen of the program while it ran."""
        observer, clocks, probe = self.observer, self.observer.clocks, self.probe
        public = observer.public()
        for failure in standins.failed:
            observer.forgive(failure)
        return {
            "calls": observer.calls,
            "exceptions": observer.exceptions,
            "objects": [_object(made, public.get(made.number)) for made in observer.objects],
            "clocks": clocks.readings if clocks is not None else [],
            "spans": clocks.spans if clocks is not None else [],
            "switches": [list(switch) for switch in self.switches.read],
            "surroundings": [*self.surroundings.asked(), *([surroundings.COMMAND_LINE] if self.switches.parsed else [])],
            "disabled_by": os.environ.get("MLX_DISABLE_COMPILE"),
            "compiles": instruments.compiles(),
            "held": probe.held_count,
            "probes": probe.seen,
            "alone": probe.compared,
            "captured": sorted(captures.names),
            "absent": _inside(observer.absent, self.root),
            "listed": _inside(observer.listed, self.root),
            "bodies": observer.bodies,
            "logging": observer.logging,
            "watches": [_watch(watch) for watch in self.watches],
            "files": {} if self.refused else {name: os.path.getsize(name) for name in sorted(os.listdir()) if os.path.isfile(name)},
            "refused": self.refused,
            **absent.report(self.namespaces.names()),
            "replaced": dict(standins.replaced),
        }


def _random_is_poisoned() -> bool:
    """Whether the random state of the process holds a placeholder."""
    try:
        mx.eval(mx.random.state)
    except Exception:  # noqa: BLE001 - MLX raises several kinds
        return True
    return False


def _object(made: observe.Object, public: Any) -> dict[str, Any]:
    return {
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
        "public": public,
    }


def _watch(watch: observe.Watch) -> dict[str, Any]:
    return {
        "inside": watch.inside,
        "outside": watch.outside,
        "finished": watch.finished,
        "exact": watch.exact,
        "objects": sorted(watch.objects),
    }


def _inside(paths: Iterable[str], root: str) -> list[str]:
    """Those of the paths that are in the folder of the program, or in the one where it runs, relative to it."""
    tops = (root, os.getcwd())
    return sorted({os.path.relpath(path, top) for path in paths for top in tops if path == top or path.startswith(top + os.sep)})
