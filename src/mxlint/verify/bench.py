"""Where the experiments of one run are made: every program runs once in each form, and is watched for all claims at a time."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from mxlint.cache import Cache
from mxlint.facts.events import Log
from mxlint.finding import Finding, Slowdown
from mxlint.source import Source
from mxlint.verify.child.guard import has_cuda
from mxlint.verify.comparison import Claim, Watched
from mxlint.verify.interpreter import Choice, own
from mxlint.verify.kernels import Store
from mxlint.verify.modules import Modules
from mxlint.verify.runner import Job, Mode, Outcome, Workplace, executable, lay_out_for_people, remove, run

WALL_S = 60.0 if has_cuda() else 20.0
"""CUDA's compiler takes seconds for each kernel."""


_FIELDS = tuple(field.name for field in fields(Outcome))


class Interrupted(Exception):
    """The run is to end before this experiment is done."""


@dataclass
class Kept(threading.local):
    """Where the thread at work keeps the programs that it runs, each once."""

    folder: Path | None = None
    seen: dict[str, int] = field(default_factory=dict)

    def of(self, folder: Path, job: Job) -> None:
        """An experiment of its own."""
        self.folder, self.seen = folder, {_program(job): 0}

    def also(self, job: Job, mode: Mode) -> None:
        """A variant of the experiment at hand."""
        if self.folder is None or _program(job) in self.seen:
            return
        number = self.seen[_program(job)] = len(self.seen)
        lay_out_for_people(job, self.folder / "variants" / f"{number}")
        with (self.folder / "variants" / "README.txt").open("a", encoding="utf-8") as file:
            file.write(f"python {number}/run.py {mode}\n")


@dataclass
class Noted(threading.local):
    """What was refused in the runs for the finding that the thread at work judges, by kind (child/refusals.py)."""

    refused: dict[str, None] = field(default_factory=dict)


def _program(job: Job) -> str:
    return fingerprint({"files": job.files, "settings": job.settings})


@dataclass(slots=True)
class Bench:
    """Where experiments are run. All expressions are watched in every run, so that a program need not be run again for the next finding.

    Several threads work at it, but only the one that has the `turn` thinks: the others wait for it, or for a child. So nothing but `run`
    need know of threads.
    """

    place: Workplace
    keep: Path | None
    wall_s: float
    modules: Modules
    sources: Mapping[str, Source]
    cache: Cache | None = None
    facts: Sequence[Log] = ()
    watches: Sequence[Watched] = ()
    claims: Sequence[Claim] = ()
    """All that is put to the test in this run: one may hide another."""
    findings: Sequence[Finding] = ()
    """The findings that these come from."""
    outcomes: dict[str, Future[Outcome]] = field(default_factory=dict)
    slowdowns: dict[str, Slowdown | str] = field(default_factory=dict)
    endless: dict[str, Outcome] = field(default_factory=dict)
    """Programs that were still running when their time was over: looked at for another claim, they would be again."""
    turn: threading.Lock = field(default_factory=threading.Lock)
    kept: Kept = field(default_factory=Kept)
    noted: Noted = field(default_factory=Noted)
    python: Choice = lambda filename: own()

    def run(self, job: Job, mode: Mode, again: int = 0) -> Outcome:
        """How a program ends; `again` numbers the runs of one that are to be looked at side by side. The caller has the turn."""
        key = fingerprint({"files": job.files, "settings": job.settings, "mode": mode, "again": again})
        if self.keep is not None:
            self.kept.also(job, mode)
        known = self.outcomes.get(key)
        if known is None:
            known = self.outcomes[key] = Future()
            with self.others_turn():
                try:
                    known.set_result(self._outcome(key, job, mode, again))
                except BaseException as error:  # noqa: BLE001 - whoever waits for it has to know
                    known.set_exception(error)
        else:
            with self.others_turn():
                known.exception()
        outcome = known.result()
        self.noted.refused |= dict.fromkeys(outcome.refused)
        return outcome

    @contextmanager
    def others_turn(self) -> Iterator[None]:
        """While this thread waits for a child, another may think."""
        self.turn.release()
        try:
            yield
        finally:
            self.turn.acquire()

    def _outcome(self, key: str, job: Job, mode: Mode, again: int) -> Outcome:
        if self.place.stop.is_set():
            raise Interrupted
        if self.cache is not None and (kept := self.cache.read(key)) is not None and kept.keys() == set(_FIELDS):
            return Outcome(**kept)
        program = fingerprint(
            {"files": job.files, "mode": mode, **{part: job.settings[part] for part in ("calls", "recipe")}, "called": _called(job)}
        )
        if program in self.endless:
            return self.endless[program]
        folder = self.place.folder / key[:16]
        outcome = run(job, mode, self.place, folder, self.wall_s, self.kernels(job), min(again, 1))
        remove(folder)
        if outcome.stopped == "interrupted":
            raise Interrupted
        if outcome.stopped == "time":
            self.endless[program] = outcome
        if self.cache is not None and _lasting(outcome):
            self.cache.write(key, {name: getattr(outcome, name) for name in _FIELDS})
        return outcome

    def kernels(self, job: Job) -> Store:
        """Those of all programs that are cut from the same files, for the same interpreter."""
        return Store(self.place.folder / f"kernels-{fingerprint([sorted(job.files), executable(job)])[:16]}")


def _called(job: Job) -> Any:
    """What a program calls that no statement of it does."""
    order = job.settings["drive"]
    return None if order is None else [order["name"], order["method"], order["stand_ins"]]


def _lasting(outcome: Outcome) -> bool:
    """Whether the same would be seen tomorrow: a child that was ended, died or lacked something says nothing of that."""
    answer = outcome.answer
    return answer is not None and "calls" in answer and not any("[Compile::eval_cpu]" in item["message"] for item in answer["exceptions"])


def fingerprint(value: Any) -> str:
    """A name for a value by its content."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode(errors="surrogatepass")).hexdigest()


def watched(claim: Claim) -> Watched:
    return claim.place, claim.start, claim.end


def all_watched(claims: Iterable[Claim]) -> list[Watched]:
    """What is flagged, the places that the findings rest on, and the calls that lead to those of the compiled functions, each once."""
    return list(dict.fromkeys(one for claim in claims for one in (watched(claim), *claim.chain, *claim.paths)))


def watch(watched: Watched) -> dict[str, Any]:
    """As the child is told of it."""
    file, start, end = watched
    return {"file": file, "start": list(start), "end": list(end)}
