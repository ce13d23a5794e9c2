"""Children that begin before there is anything to run are what new processes would be; one that is not there costs time and nothing else."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from test_verify_forkserver import CODES, DESCRIPTORS, FRESH, Runs, jobs_of, lasting, program_job, pytestmark, settings

from mxlint.verify.child.procfs import children
from mxlint.verify.runner import Workplace, run, workplace

__all__ = ["pytestmark", "settings"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workplace]:
    """Where two children wait, and no server forks any."""
    monkeypatch.chdir(tmp_path)
    with workplace(ready=2) as made:
        made.servers.unfit = "to be compared"
        yield made


class Waited(Runs):
    """Jobs run by children that had begun, and that are left alone until they can go no further by themselves."""

    def __call__(self, *job: Any, **more: Any) -> dict[str, Any]:
        if not any(self.place.waiting.ready.values()):
            super().__call__(*job, **more)  # the first finds none
        (ready,) = self.place.waiting.ready.values()
        taken = ready[0]
        answer = super().__call__(*job, **more)
        assert taken not in ready and taken.process.returncode is not None and not taken.folder.exists()
        return answer


@pytest.mark.sampled(4)
@pytest.mark.parametrize("code", CODES)
def test_a_child_that_waited_answers_as_a_new_process_does(place: Workplace, code: str) -> None:
    jobs, runs = jobs_of(code), Waited(place)
    waited = [runs(*job) for job in jobs]
    place.waiting.close()
    assert lasting([Runs.__call__(runs, *job) for job in jobs]) == lasting(waited)


@pytest.mark.parametrize("program", [FRESH, DESCRIPTORS], ids=["process", "descriptors"])
def test_a_child_that_waited_is_like_a_new_process(place: Workplace, settings: Mapping[str, Any], program: str) -> None:
    job, runs = program_job(settings, program), Waited(place)
    waited = json.loads(runs(job)["stdout"])
    place.waiting.close()
    assert waited == json.loads(Runs.__call__(runs, job)["stdout"])


def test_where_the_child_has_died_a_new_one_runs_the_job(place: Workplace, settings: Mapping[str, Any]) -> None:
    job, runs = program_job(settings, "print('ran')\n"), Runs(place)
    runs(job)
    (ready,) = place.waiting.ready.values()
    for waiting in ready:
        os.kill(waiting.process.pid, signal.SIGKILL)
        waiting.process.wait()
    assert runs(job)["stdout"] == "ran\n"


def test_a_child_that_has_answered_before_anybody_looks_has_run_the_job(
    place: Workplace, settings: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a busy machine: whoever told it what to run comes to a core again when it has ended."""
    job, runs = program_job(settings, "print('ran')\n"), Waited(place)
    write = os.write

    def told(end: int, mode: bytes) -> int:
        written = write(end, mode)
        if mode == b"real":
            taken.process.wait()
        return written

    Runs.__call__(runs, job)
    (ready,) = place.waiting.ready.values()
    taken = ready[0]
    monkeypatch.setattr(os, "write", told)
    assert runs(job)["stdout"] == "ran\n"


def test_what_the_sandbox_needs_decides_who_can_run_a_job(place: Workplace, settings: Mapping[str, Any], tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("read", encoding="utf-8")
    text = f"print(open({str(tmp_path / 'data.txt')!r}).read())\n"
    runs = Runs(place)
    assert runs(program_job(settings, text))["status"] == "raised"
    for _ in range(2):
        assert runs(program_job({**settings, "readable": [str(tmp_path)]}, text))["stdout"] == "read\n"
    assert runs(program_job(settings, text))["status"] == "raised"


def test_nobody_waits_after_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, Any]) -> None:
    monkeypatch.chdir(tmp_path)
    before, open_before = set(children(os.getpid())), len(os.listdir("/proc/self/fd"))
    with workplace(ready=3) as place:
        run(program_job(settings, "pass\n"), "real", place, place.folder / "a", 60.0)
        assert sum(map(len, place.waiting.ready.values())) == 3
    assert set(children(os.getpid())) == before and len(os.listdir("/proc/self/fd")) == open_before
