"""Child processes: started, watched and ended. Whatever a child does, a crash, a hang, a flood, is an observation."""

from __future__ import annotations

import itertools
import json
import os
import re
import secrets
import selectors
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import IO, Any, Literal

from mxlint import resources
from mxlint.verify.allowance import Allowance
from mxlint.verify.answers import read as read_answer
from mxlint.verify.child.cell import REFUSED
from mxlint.verify.child.guard import LAYERS, has_cuda
from mxlint.verify.child.refusals import PHRASES
from mxlint.verify.forkserver import FLAGS, ForkServers, Request
from mxlint.verify.kernels import DRIVER_CACHE, PLACE, Store
from mxlint.verify.processes import Child, ProcessGroup, computed, process_group, tasks_of_user, unnamed, used
from mxlint.verify.waiting import MODE, Kind, Waiting, WaitingChildren, kind_of

Mode = Literal["real", "plain", "rounded", "computed", "serial", "timed"]
"""The program as it is; with mx.compile left out; the same, with rounding errors added (child/rounding.py); as it is, but with every array computed before the first compiled call; as it is, but with
each thread run to its end where it is started, by the thread that starts it; two forms of it under the clock."""

PREFIX = "mxlint-verify-"
MEGABYTE = 1 << 20
MOST_OUTPUT = MEGABYTE
MOST_RESULT = 16 * MEGABYTE
MOST_MEMORY = (16_384 if has_cuda() else 2048) * MEGABYTE
"""There the libraries alone take over one gigabyte, and arrays of a device count among a process's own memory."""
POLL_S = 0.05
LAST_WORDS_S = 0.3
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/._-]+")
MOST_PROCESSES = 64
"""A compiler at work is half a dozen."""
LONG_PATH = 1024
MOST_FILES, MOST_BYTES, MOST_FILE = 4096, 1024 * MEGABYTE, 64 * MEGABYTE
"""What a child may leave in its folder, or keep without a name, and how large one file may be; what it leaves has to be removed."""
COUNT_EVERY = 10
"""So many looks at a child for one at its folder."""
INTERFERED = "interfered"
ELSEWHERE = b"\\u2026"
FOLDERS = (("/program/", b""), ("/fixed/", b""), ("/work/tmp", b"$TMPDIR"), ("/work/", b"./"), ("/work", b"."), ("", ELSEWHERE))
"""Parts of a child's folder, and what stands for them in its answer."""
MORE_TASKS = 64
"""What the user's processes may become more by."""
READY = 4 if has_cuda() else 0
"""Children that begin before there is anything to run: a GPU takes most of a second to begin, and half a gigabyte of its memory."""
_KEPT_VARIABLES = ("PATH", "SYSTEMROOT", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "SDKROOT", "DEVELOPER_DIR")


@dataclass(frozen=True, slots=True)
class Job:
    """What a child is to run: the files of the program by their place in it, and what to look for (child/main.py reads `settings`).
    `fixed`: the files of the same program without what is claimed of it, to be timed against it."""

    files: Mapping[str, str]
    settings: Mapping[str, Any]
    fixed: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a child ended. `answer` is what it handed in, if it came to that; `stopped` says why we ended it, `signal` what else did.
    `refused`: the kinds of deeds that it tried in vain (child/refusals.py)."""

    answer: Mapping[str, Any] | None
    stopped: str | None
    signal: int | None
    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    peak: int
    refused: Sequence[str] = ()


class WorkplaceError(Exception):
    """No child can be run here."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """A private folder for the children of one run; `stop` ends them all. `home`: the code that runs in them, which they only read."""

    folder: Path
    children: ProcessGroup
    stop: threading.Event
    servers: ForkServers
    waiting: WaitingChildren
    layers: Sequence[str] = LAYERS

    @property
    def home(self) -> Path:
        return self.servers.home


@contextmanager
def workplace(stop: threading.Event | None = None, layers: Sequence[str] = LAYERS, ready: int = READY) -> Iterator[Workplace]:
    """A place to run children in, behind these layers. Neither the folder nor any of them is left afterwards. `ready`: so many begin before there
    is anything for them to run."""
    if os.name != "posix":
        raise WorkplaceError("experiments need Linux or macOS, as MLX does")
    clear_up(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")).resolve()
    try:
        if not _PLAIN_PATH.fullmatch(folder.as_posix()):
            # MLX pastes the path into a shell command.
            raise WorkplaceError(
                f"the temporary folder {folder} has letters in its name that MLX would hand to a shell; set TMPDIR to another"
            )
        home = folder / "child"
        code_for_children(home)
        with process_group() as children:
            servers = ForkServers(home, children, variables(folder, folder))
            waiting = WaitingChildren(folder, children, ready)
            try:
                yield Workplace(folder, children, stop or threading.Event(), servers, waiting, layers)
            finally:
                waiting.close()
                servers.close()
    finally:
        remove(folder)


def clear_up(top: Path) -> None:
    """Remove the folders of runs that were killed: those of ours whose process is gone."""
    for folder in top.glob(f"{PREFIX}*-*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        with suppress(OSError):
            status = folder.lstat()
            if owner.isdigit() and stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not _alive(int(owner)):
                remove(folder)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True


def remove(folder: Path) -> None:
    """Remove a folder that a child may have filled. A folder that lies deep in it is brought to its top: its path stays short."""
    numbers, prefix = itertools.count(), secrets.token_hex(8)  # no name that may be taken
    waiting = [(str(folder), False)]
    while waiting:
        top, emptied = waiting.pop()
        with suppress(OSError):
            if emptied:
                os.rmdir(top)
                continue
            waiting.append((top, True))
            os.chmod(top, 0o700)
            with os.scandir(top) as entries:
                inside = list(entries)
            for entry in inside:
                with suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.path)
                    elif len(entry.path) < LONG_PATH:
                        waiting.append((entry.path, False))
                    else:
                        os.chmod(entry.path, 0o700)
                        moved = os.path.join(folder, f"{prefix}-{next(numbers)}")
                        os.rename(entry.path, moved)
                        waiting.append((moved, False))
    shutil.rmtree(folder, ignore_errors=True)


def filled(folder: Path, size: int = 0) -> bool:
    """Whether a folder holds more than a child may leave there; `size`: the bytes that it keeps elsewhere."""
    count, waiting = 0, [str(folder)]
    while waiting and count <= MOST_FILES and size <= MOST_BYTES:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                if count > MOST_FILES:
                    break
    return count > MOST_FILES or size > MOST_BYTES


SCRIPTS = ("run.py", "serve.py")
"""What is started; the rest of the folder is the package that they import."""


def code_for_children(home: Path) -> None:
    """Make what runs in a child importable from a folder. It is linked, so that Python compiles it once and not in every run."""
    home.mkdir()
    code = resources.folder("verify", "child")
    (home / "experiment").symlink_to(code, target_is_directory=True)
    for script in SCRIPTS:
        shutil.copyfile(code / script, home / script)


def variables(work: Path, temporary: Path) -> dict[str, str]:
    """The environment of a child."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return {**kept, "TMPDIR": str(temporary), "HOME": str(work), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def lay_out_for_people(job: Job, folder: Path) -> None:
    """Write down an experiment with all that it needs: `python run.py` there runs it by hand."""
    lay_out(job, folder)
    code = resources.folder("verify", "child")
    shutil.copytree(code, folder / "experiment", ignore=shutil.ignore_patterns(*SCRIPTS, "__pycache__"), dirs_exist_ok=True)
    shutil.copyfile(code / "run.py", folder / "run.py")


def lay_out(job: Job, folder: Path, tasks: int = 0, layers: Sequence[str] = LAYERS) -> None:
    """Write down the program and what to look for in it. `tasks`: so many threads the user may have in all."""
    folder.mkdir(parents=True, exist_ok=True)
    for program, files in (("program", job.files), ("fixed", job.fixed or {})):
        for name, text in files.items():
            path = folder / program / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
    (folder / "work" / "tmp").mkdir(parents=True, exist_ok=True)
    settings = {**job.settings, "limits": limits(job.settings["cpu_s"], tasks), "layers": layers}
    (folder / "job.json").write_text(json.dumps(settings, indent=1), encoding="utf-8")


def run(job: Job, mode: Mode, place: Workplace, folder: Path, wall_s: float, kernels: Store | None = None, number: int = 0) -> Outcome:
    """Run a job in a folder of its own, which must not exist yet. `kernels`: those that its like built before; what it builds is added.
    `number`: runs with different ones share nothing that Python draws by chance at its start."""
    tasks = tasks_of_user() + MORE_TASKS if sys.platform == "linux" and os.getuid() != 0 else 0
    started = monotonic()
    begun = _begun(job, mode, place, tasks, kernels)
    process: Child
    if begun is not None:
        process, folder, read = begun.process, begun.folder, begun.result
    else:
        lay_out(job, folder, tasks, place.layers)
        if kernels is not None:
            kernels.offer(folder)
        process, read = _started(job, mode, place, folder, number)
    watch = _Watch(process, read, Allowance(wall_s, started), place, folder)
    try:
        watch.follow()
    finally:
        place.children.end(process)
        watch.close()
    if kernels is not None:
        kernels.collect(folder)
    code = process.wait()
    answer = read_answer(without_folders(watch.result, folder), mode, len(job.settings["watches"])) if watch.result else None
    stopped = watch.stopped or (INTERFERED if watch.result and answer is None else None)
    refused = refusals(folder, answer)
    if begun is not None:
        remove(folder)
    return Outcome(
        answer,
        stopped,
        -code if code < 0 and stopped is None and not watch.handed_in else None,
        code,
        watch.output[process.stdout].decode(errors="replace") if process.stdout else "",
        watch.output[process.stderr].decode(errors="replace") if process.stderr else "",
        monotonic() - started,
        watch.peak,
        refused,
    )


def refusals(folder: Path, answer: Mapping[str, Any] | None) -> list[str]:
    """The kinds of deeds that were refused, by the kernel or by Python, each once."""
    try:
        kernel = (folder / REFUSED).read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError):
        kernel = []
    python = answer.get("refused", []) if answer is not None else []
    return [kind for kind in dict.fromkeys([*kernel, *(python if isinstance(python, list) else [])]) if kind in PHRASES]


def without_folders(answer: bytes, folder: Path) -> bytes:
    """An answer without the places where it was made: no two runs share them, and nobody else knows them."""
    for part, instead in FOLDERS:
        answer = answer.replace(f"{folder.as_posix()}{part}".encode(), instead)
    return answer.replace(folder.parent.as_posix().encode(), ELSEWHERE).replace(b"mxlint_program.", b"")


def executable(job: Job) -> str:
    """The interpreter that a job names, else the one that runs mxlint."""
    return str(job.settings["python"]["executable"]) if "python" in job.settings else sys.executable


def _environment(folder: Path) -> dict[str, str]:
    """The variables of a child that runs in a folder."""
    work = folder / "work"
    return {**variables(work, work / "tmp"), "CUDA_CACHE_PATH": str(folder.joinpath(*PLACE, DRIVER_CACHE))}


def _started(job: Job, mode: Mode, place: Workplace, folder: Path, number: int) -> tuple[Child, int]:
    """A child that runs a job, a fork, where that can be, else a new Python; and where its answer can be read."""
    read, write = os.pipe()
    try:
        environment = _environment(folder)
        command = (executable(job), *FLAGS, str(place.home / "run.py"), mode, str(folder))
        forked = place.servers.start(Request(folder, mode, environment, command), job.settings["modules"], number, write)
        return forked or place.children.start([*command, str(write)], folder / "work", environment, (write,)), read
    except BaseException:
        os.close(read)
        raise
    finally:
        os.close(write)


def _begun(job: Job, mode: Mode, place: Workplace, tasks: int, kernels: Store | None) -> Waiting | None:
    """A child that had begun and runs the job, if there is one. Two forms that are to be timed begin by themselves."""
    if place.waiting.most == 0 or mode == "timed":
        return None

    def start(kind: Kind, folder: Path, orders: int, write: int) -> subprocess.Popen[bytes]:
        command = [kind.python, *FLAGS, str(place.home / "run.py"), MODE, str(folder), str(write)]
        return place.children.start(command, folder / "work", _environment(folder), (write,), orders)

    kind = kind_of(executable(job), job.settings, place.layers, limits(job.settings["cpu_s"], tasks))
    waiting = place.waiting.take(kind, start)
    if waiting is None:
        return None
    lay_out(job, waiting.folder, tasks, place.layers)
    if kernels is not None:
        kernels.offer(waiting.folder)
    if waiting.tell(mode):
        return waiting
    waiting.close()
    place.children.end(waiting.process)
    remove(waiting.folder)
    return None


@dataclass
class _Watch:
    """Reads what a child says, within bounds, and decides when it has to stop."""

    process: Child
    read: int
    allowance: Allowance
    place: Workplace
    folder: Path
    result: bytes = b""
    handed_in: bool = False
    stopped: str | None = None
    peak: int = 0
    output: dict[IO[bytes] | None, bytes] = field(default_factory=dict)

    def follow(self) -> None:
        process = self.process
        assert process.stdout is not None and process.stderr is not None
        self.output = {process.stdout: b"", process.stderr: b""}
        with selectors.DefaultSelector() as waiting:
            for stream in self.output:
                assert stream is not None
                os.set_blocking(stream.fileno(), False)
                waiting.register(stream, selectors.EVENT_READ)
            waiting.register(self.read, selectors.EVENT_READ)
            for turn in itertools.count():
                if self.stopped is not None:
                    break
                ready = waiting.select(POLL_S)
                for key, _ in ready:
                    self.take(key.fileobj, waiting)
                processes, memory = used(process.pid)
                self.peak = max(self.peak, memory)
                self.place.children.sweep()
                if self.handed_in or (process.poll() is not None and not ready):
                    break
                if self.place.stop.is_set():
                    self.stopped = "interrupted"
                elif self.allowance.over(monotonic(), lambda: computed(process.pid)):
                    self.stopped = "time"
                elif self.peak > MOST_MEMORY:
                    self.stopped = "memory"
                elif processes > MOST_PROCESSES:
                    self.stopped = "processes"
                elif turn % COUNT_EVERY == 0 and filled(self.folder / "work", unnamed(process.pid, MOST_FILE)):
                    self.stopped = "files"
            self.drain()

    def take(self, stream: Any, waiting: selectors.BaseSelector) -> None:
        data = os.read(stream if isinstance(stream, int) else stream.fileno(), 1 << 16)
        if not data:
            waiting.unregister(stream)
            if stream == self.read:
                self.handed_in = bool(self.result)
        elif stream == self.read:
            self.result += data
            if len(self.result) > MOST_RESULT:
                self.stopped = "output"
        else:
            self.output[stream] += data
            if len(self.output[stream]) > MOST_OUTPUT:
                self.stopped = "output"

    def drain(self) -> None:
        """What was printed before the end."""
        try:
            self.process.wait(LAST_WORDS_S if self.handed_in else 0)
        except subprocess.TimeoutExpired:
            pass
        os.set_blocking(self.read, False)
        while self.stopped is None and len(self.result) <= MOST_RESULT:
            try:
                data = os.read(self.read, 1 << 16)
            except BlockingIOError:
                break
            if not data:
                break
            self.result += data
        self.handed_in = bool(self.result)
        for stream, text in self.output.items():
            assert stream is not None
            try:
                self.output[stream] = text + (os.read(stream.fileno(), MOST_OUTPUT) if len(text) < MOST_OUTPUT else b"")
            except (BlockingIOError, OSError):
                continue

    def close(self) -> None:
        os.close(self.read)
        for stream in self.output:
            if stream is not None:
                stream.close()


def limits(cpu_s: int, tasks: int = 0) -> dict[str, int]:
    """What the child sets on itself; 0 is no limit."""
    return {
        "cpu_s": cpu_s * (6 if has_cuda() else 1),  # there the compiler of kernels runs in the child itself
        "file_bytes": MOST_FILE,
        "files": 256,
        "address_bytes": 8192 * MEGABYTE,
        "tasks": tasks,
    }
