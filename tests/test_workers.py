"""Files analysed by several processes: the report is the same, and a process that ends costs one file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import Run

from mxlint import analysis, run
from mxlint.config import Settings
from mxlint.engine import check
from mxlint.result import Result
from mxlint.workers import Ended, Workers

FIXTURES = Path(__file__).parent / "fixtures"
PRINTS = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    print(x)\n    return x + {}\n\n\nstep(mx.ones(3))\n"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are copied on Linux only; elsewhere each test would start mxlint anew"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with small programs; however small, they are enough for several processes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "ENOUGH", 1)
    shutil.copytree(FIXTURES / "demo", tmp_path / "demo")
    Path("helpers.py").write_text("def shift(x):\n    print(x)\n    return x + 1\n")
    Path("step.py").write_text("from helpers import shift\n" + PRINTS.format("shift(x)"))
    return tmp_path


def checked(jobs: int, cache: Path | None = None, **how: object) -> Result:
    from dataclasses import replace

    result = check((".",), Settings(isolated=True), jobs=jobs, cache=cache, **how)  # type: ignore[arg-type]
    return replace(result, timings={})


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [pytest.param(2, marks=pytest.mark.slow), 5])
def test_the_number_of_processes_changes_nothing(jobs: int, folder: Path) -> None:
    if jobs == 2:
        shutil.copytree(FIXTURES / "project", folder / "project")
    Path("broken.py").write_text("import mlx.core as mx\nmx.compile(\n")
    assert checked(jobs) == checked(1)


def test_facts_come_along() -> None:
    from dataclasses import replace

    several, one = checked(3, with_facts=True), checked(1, with_facts=True)
    assert [[call.where for call in log.calls] for log in several.facts] == [[call.where for call in log.calls] for log in one.facts]
    assert replace(several, facts=()) == replace(one, facts=())


@pytest.mark.slow
def test_what_they_found_is_kept(folder: Path) -> None:
    from dataclasses import replace

    plain = checked(1)
    assert checked(2, folder / "cache") == plain
    again = checked(1, folder / "cache")
    assert again.cached == again.parsed
    assert replace(again, cached=0) == plain
    Path("demo/stale_state.py").write_text(PRINTS.format(1))
    Path("demo/good.py").write_text(PRINTS.format(2))
    assert replace(checked(2, folder / "cache"), cached=0) == checked(1)


@pytest.mark.slow
def test_fixes_are_those_of_one_process(run: Run) -> None:
    plain = run("check", "--no-cache", "--jobs", "1", "--diff", "--unsafe-fixes", ".")
    assert plain.out
    assert run("check", "--no-cache", "--jobs", "2", "--diff", "--unsafe-fixes", ".") == plain


@pytest.mark.slow
def test_a_process_that_ends_costs_one_file(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    real = analysis.analyze

    def analyze(source: object, *arguments: object, **options: object) -> object:
        if getattr(source, "name", "") == "demo/stale_state.py":
            os.kill(os.getpid(), signal.SIGKILL)
        return real(source, *arguments, **options)  # type: ignore[arg-type]

    others = [finding for finding in checked(1).findings if finding.span.filename != "demo/stale_state.py"]
    monkeypatch.setattr(analysis, "analyze", analyze)
    result = checked(2)
    assert [finding for finding in result.findings if finding.code != "MX004"] == others
    (failed,) = [finding for finding in result.findings if finding.code == "MX004"]
    assert "a worker process was ended by SIGKILL" in failed.message
    assert failed.span.filename == "demo/stale_state.py"
    assert run("check", "--no-cache", "--jobs", "2", ".").code == 2


@pytest.mark.slow
def test_what_fails_in_a_process_fails_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    real = analysis.analyze

    def analyze(source: object, *arguments: object, **options: object) -> object:
        if getattr(source, "name", "") == "demo/stale_state.py":
            raise KeyError("here")
        return real(source, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(analysis, "analyze", analyze)
    assert checked(2).findings == checked(1).findings


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_a_run_that_is_ended(number: signal.Signals, folder: Path) -> None:
    endless = "import sys, time; from mxlint import analysis, run; run.ENOUGH = 1; analysis.analyze = lambda *a, **k: time.sleep(600); "
    started = 'from mxlint.__main__ import run; sys.argv = ["mxlint", "check", "--no-cache", "--jobs", "2", "--isolated", "."]; run()'
    command = [sys.executable, "-c", endless + started]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    group = process.pid
    while len(members(group)) < 3 and process.poll() is None:
        time.sleep(0.05)
    assert process.poll() is None
    os.killpg(group, number) if number == signal.SIGINT else process.send_signal(number)
    _, said = process.communicate(timeout=300)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    assert said.count(b"Interrupted") == (number != signal.SIGKILL)
    deadline = time.monotonic() + 300
    while members(group) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not members(group)


@pytest.mark.skipif(sys.platform != "linux", reason="workers are no copies")
def test_a_signal_while_a_worker_is_made_is_not_lost(folder: Path) -> None:
    asked = "import os, signal, time; os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM)); "
    endless = "from mxlint import analysis, run; run.ENOUGH = 1; analysis.analyze = lambda *a, **k: time.sleep(600); "
    started = (
        'import sys; from mxlint.__main__ import run; sys.argv = ["mxlint", "check", "--no-cache", "--jobs", "2", "--isolated", "."]; run()'
    )
    command = [sys.executable, "-c", asked + endless + started]
    done = subprocess.run(command, stderr=subprocess.PIPE, timeout=300, start_new_session=True, check=False)
    assert (done.returncode, done.stderr) == (143, b"Interrupted\n")


def members(group: int) -> list[int]:
    """The processes of a session that run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == group and fields[0] not in "ZX":
            found.append(int(folder.name))
    return found


def test_small_runs_need_no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()

    def refuse(*arguments: object) -> None:
        raise AssertionError("a process was begun")

    monkeypatch.setattr(Workers, "ask_all", refuse)
    check((str(FIXTURES / "demo"),), Settings(isolated=True), jobs=8)


# -- the processes themselves ----------------------------------------------------------------------------------------


def doubling() -> object:
    return lambda question: question * 2


def ending() -> object:
    return lambda question: question if question % 3 else os._exit(7)


def test_each_question_is_answered_once() -> None:
    workers = Workers(3, doubling)  # type: ignore[arg-type]
    try:
        assert {number: answer for number, answer, _ in workers.ask_all(range(20))} == {number: number * 2 for number in range(20)}
    finally:
        workers.end()


def test_one_that_ends_is_replaced() -> None:
    workers = Workers(2, ending)  # type: ignore[arg-type]
    try:
        found = {number: answer for number, answer, _ in workers.ask_all(range(10))}
    finally:
        workers.end()
    assert found == {number: number if number % 3 else Ended(7) for number in range(10)}
    assert str(Ended(7)) == "a worker process ended with 7"
