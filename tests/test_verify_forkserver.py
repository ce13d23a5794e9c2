"""Children that a fork server starts are what new processes would be; a server that fails costs time and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from children import is_running

from mxlint.engine import check
from mxlint.pages import load_page
from mxlint.verify import bench, forkserver
from mxlint.verify.child.guard import has_cuda
from mxlint.verify.child.procfs import children
from mxlint.verify.experiment import Options, verified
from mxlint.verify.kernels import Store
from mxlint.verify.runner import Job, Mode, Outcome, Workplace, run, workplace

pytestmark = [
    pytest.mark.skipif(find_spec("mlx") is None or shutil.which("g++") is None, reason="runs MLX on the CPU"),
    pytest.mark.skipif(sys.platform != "linux" or has_cuda(), reason="no fork survives MLX there"),
]

CODES = ("MX101", "MX103", "MX201", "MX204", "MX206", "MX208", "MX301", "MX303", "MX401", "MX502", "MX507", "MX604")
TIMES = {"at", "seconds", "waited", "spent", "first_s", "result_id"}
"""What no two processes share."""
OF_EACH_MODE = 2
"""Jobs of a page that are compared: further ones try further sizes."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workplace]:
    monkeypatch.chdir(tmp_path)
    with workplace() as made:
        yield made


def program_job(settings: Mapping[str, Any], text: str, modules: tuple[str, ...] = ()) -> Job:
    return Job({"block.py": text}, {**settings, "modules": [*modules]})


class Runs:
    """Jobs run one after the other, each kernel built by the first that needs it."""

    def __init__(self, place: Workplace) -> None:
        self.place, self.count = place, 0

    def __call__(self, job: Job, mode: Mode = "real", number: int = 0) -> dict[str, Any]:
        self.count += 1
        kernels = Store(self.place.folder / "kernels")
        outcome = run(job, mode, self.place, self.place.folder / f"run{self.count}", 60.0, kernels, number)
        assert outcome.answer is not None, outcome
        return {**outcome.answer, "stdout": outcome.stdout, "stderr": outcome.stderr, "exit_code": outcome.exit_code}


def jobs_of(code: str) -> list[tuple[Job, Mode]]:
    """What is run first to put the first bad block of a page to the test."""
    block = next(block for block in load_page(code).blocks if block.language == "python" and block.attributes == ("bad",))
    Path("block.py").write_text(block.text, encoding="utf-8")
    found: list[tuple[Job, Mode]] = []

    def recorded(job: Job, mode: Mode, *more: Any, **named: Any) -> Outcome:
        found.append((job, mode))
        return run(job, mode, *more, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "run", recorded)
        verified(check(["block.py"]), Options(timed=False))
    assert found
    return [job for mode in dict.fromkeys(mode for _, mode in found) for job in [job for job in found if job[1] == mode][:OF_EACH_MODE]]


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What a child is told of a program in which nothing is watched."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("settings"))
        return {**jobs_of("MX101")[0][0].settings, "watches": [], "modules": []}


def lasting(value: Any) -> Any:
    """An answer without what no two processes share."""
    if isinstance(value, dict):
        return {key: lasting(item) for key, item in value.items() if key not in TIMES}
    return [lasting(item) for item in value] if isinstance(value, list) else value


@pytest.mark.sampled(4)
@pytest.mark.parametrize("code", CODES)
def test_a_forked_child_answers_as_a_new_process_does(place: Workplace, code: str) -> None:
    jobs, runs = jobs_of(code), Runs(place)
    forked = [runs(*job) for job in jobs]
    assert place.servers.running and not place.servers.unforkable
    place.servers.unfit = "to be compared"
    assert lasting([runs(*job) for job in jobs]) == lasting(forked)


FRESH = """import mlx.core as mx
import gc, json, logging, os, random, resource, signal, sys, threading, time, warnings

print(json.dumps({
    "flags": list(sys.flags), "xoptions": sys._xoptions, "environment": sorted(os.environ), "argv": len(sys.argv), "orig_argv": sys.orig_argv[1:-3],
    "work": os.path.basename(os.getcwd()), "home": os.environ["HOME"] == os.getcwd(), "temporary": os.environ["TMPDIR"] == os.path.join(os.getcwd(), "tmp"),
    "threads": [threading.active_count(), threading.current_thread().name, threading.main_thread() is threading.current_thread()],
    "tasks": len(os.listdir("/proc/self/task")), "leader": os.getsid(0) == os.getsid(os.getppid()),
    "descriptors": sorted(map(int, os.listdir("/proc/self/fd")))[:3], "stdin": os.read(0, 1).decode(),
    "handlers": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
    "masked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "warnings": [list(map(str, entry)) for entry in warnings.filters], "logging": [len(logging.root.handlers), logging.root.level],
    "random": random.random(), "mx": mx.random.uniform().item(), "bytecode": sys.dont_write_bytecode,
    "limits": [resource.getrlimit(what) for what in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_AS)],
    "path": sys.path[1:], "recursion": sys.getrecursionlimit(), "gc": [gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()],
    "encoding": [sys.stdout.encoding, sys.stdout.line_buffering, sys.stdout.errors, sys.stdin.encoding],
    "hooks": [sys.excepthook is sys.__excepthook__, len(sys.meta_path)], "main": sys.modules["__main__"].__name__, "cpu": time.process_time() < 5,
}))
"""


def test_a_forked_child_is_like_a_new_process(place: Workplace, settings: Mapping[str, Any]) -> None:
    """To the program, too: its flags, variables, descriptors, signals, limits, random draws."""
    job, runs = program_job(settings, FRESH), Runs(place)
    forked = json.loads(runs(job)["stdout"])
    place.servers.unfit = "to be compared"
    assert forked == json.loads(runs(job)["stdout"])


DESCRIPTORS = """import json, os

kinds = []
for name in sorted(map(int, os.listdir("/proc/self/fd"))):
    try:
        kinds.append(os.readlink(f"/proc/self/fd/{name}").partition(":")[0])
    except FileNotFoundError:  # that of the folder itself
        continue
print(json.dumps(kinds))
"""


def test_a_child_has_nothing_of_the_server(place: Workplace, settings: Mapping[str, Any]) -> None:
    """No descriptor but its own three and pipes: that of its answer, and those of the box around it."""
    answer = Runs(place)(program_job(settings, DESCRIPTORS))
    kinds = json.loads(answer["stdout"])
    assert kinds[:3] == ["/dev/null", "pipe", "pipe"]
    assert set(kinds[3:]) <= {"pipe"}


def test_what_python_draws_by_chance_differs_between_servers(place: Workplace, settings: Mapping[str, Any]) -> None:
    job, runs = program_job(settings, "print(hash('a text'))\n"), Runs(place)
    first, again, other = (int(runs(job, number=number)["stdout"]) for number in (0, 0, 1))
    assert first == again != other
    assert len(place.servers.running) == 2


def test_modules_are_imported_once_where_that_is_possible(place: Workplace, settings: Mapping[str, Any]) -> None:
    if find_spec("numpy") is None:
        pytest.skip("needs numpy")
    text = "import sys\nprint('numpy' in sys.modules, __import__('numpy').ones(2).sum())\n"
    answer = Runs(place)(program_job(settings, text, ("numpy",)))
    assert answer["stdout"] == "True 2.0\n"
    assert [imports for imports, _ in place.servers.running] == [(sys.executable, "numpy")]


def test_a_server_that_dies_is_started_again(place: Workplace, settings: Mapping[str, Any]) -> None:
    job, runs = program_job(settings, "print('ran')\n"), Runs(place)
    assert runs(job)["stdout"] == "ran\n"
    for server in place.servers.running.values():
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
    assert runs(job)["stdout"] == "ran\n"
    assert not place.servers.unforkable


@pytest.mark.parametrize("script", ["import sys; sys.exit(1)", "import time; time.sleep(1000)", "print('not what was asked for')"])
def test_without_a_server_a_new_python_does(
    place: Workplace, script: str, monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, Any]
) -> None:
    monkeypatch.setattr(forkserver, "WAIT_S", 1.0)
    (place.home / "serve.py").write_text(script, encoding="utf-8")
    assert Runs(place)(program_job(settings, "print('ran')\n"))["stdout"] == "ran\n"
    assert place.servers.unforkable
    assert not place.servers.running


def test_a_module_that_starts_threads_is_imported_by_the_child(
    place: Workplace, monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, Any]
) -> None:
    monkeypatch.setattr(forkserver, "PRELOADED", frozenset({"starts"}))
    script = place.home / "serve.py"
    starts = (
        "import threading, time\nif 'starts' in sys.argv:\n    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
    )
    script.write_text(script.read_text(encoding="utf-8").replace("serve(", f"{starts}serve(", 1), encoding="utf-8")
    assert Runs(place)(program_job(settings, "print('ran')\n", ("starts",)))["stdout"] == "ran\n"
    assert list(place.servers.unforkable) == [(sys.executable, "starts")]
    assert [imports for imports, _ in place.servers.running] == [(sys.executable,)]


def test_a_server_with_threads_does_not_fork(place: Workplace) -> None:
    """As after an evaluation: the children of such a process hang."""
    looked = (
        "import sys; sys.path.insert(0, sys.argv[1]); from experiment.server import shared_state; import mlx.core as mx\n"
        "print(shared_state()); mx.eval(mx.ones(2) + 1); print(shared_state())"
    )
    done = subprocess.run([sys.executable, "-I", "-c", looked, str(place.home)], capture_output=True, text=True, check=True)
    before, after = done.stdout.splitlines()
    assert before == "None"
    assert after.startswith("the fork server has")


def test_no_server_outlives_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, Any]) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(children(os.getpid()))
    with workplace() as place:
        Runs(place)(program_job(settings, "pass\n"))
        started = set(children(os.getpid())) - before
        assert len(started) == 1
    assert set(children(os.getpid())) == before


KILLED = """
import sys, threading, time
from pathlib import Path
from mxlint.verify.runner import Job, run, workplace

with workplace() as place:
    job = Job({"block.py": "import time\\nprint('on its way', flush=True)\\ntime.sleep(1000)\\n"}, __import__("json").loads(sys.argv[1]))
    threading.Thread(target=run, args=(job, "real", place, place.folder / "a", 500.0), daemon=True).start()
    time.sleep(1000)
"""


def test_with_its_parent_a_server_and_its_children_end(settings: Mapping[str, Any]) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, json.dumps(settings)])
    below: list[int] = []
    deadline = time.monotonic() + 60
    while len(below) < 2 or not _sleeps(below):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
        below = _below(process.pid)
    process.kill()
    process.wait()
    while any(is_running(pid) for pid in below):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _below(pid: int) -> list[int]:
    found = children(pid)
    return [*found, *(one for child in found for one in _below(child))]


def _sleeps(pids: list[int]) -> bool:
    """Whether the program has come to its sleep."""
    for pid in pids:
        try:
            if "hrtimer" in Path(f"/proc/{pid}/wchan").read_text(encoding="ascii"):
                return True
        except OSError:
            continue
    return False
