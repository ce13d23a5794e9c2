"""Hostile code under --verify: each program is contained, the run ends in time, and nothing of it is left behind."""

from __future__ import annotations

import errno
import itertools
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hostile
import pytest

from mxlint.engine import check
from mxlint.finding import Verdict
from mxlint.verify import runner
from mxlint.verify.child import calls
from mxlint.verify.child.guard import LAYERS
from mxlint.verify.child.refusals import PHRASES
from mxlint.verify.child.syscalls import ALLOWED, MACHINES, NUMBERS, REFUSED
from mxlint.verify.experiment import Options, verified, verify
from mxlint.verify.processes import family, used
from mxlint.verify.request import asked
from mxlint.verify.runner import remove

pytestmark = [
    pytest.mark.skipif(find_spec("mlx") is None or shutil.which("g++") is None, reason="runs MLX on the CPU"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for what is left"),
]

PROGRAM = """import mlx.core as mx
{imports}

@mx.compile
def step(x):
    {deed}
    print(x)
    return x


step(mx.array(1.0))
"""
DEEDS = {
    "forks": ("import os", "for _ in range(40):\n        if os.fork() == 0:\n            while True:\n                pass"),
    "a daemon": ("import ctypes, time", "if ctypes.CDLL(None).fork() == 0:\n        ctypes.CDLL(None).setsid()\n        time.sleep(1000)"),
    "writes outside": ("from pathlib import Path", "Path({target!r}).write_text('x')"),
    "saves outside": ("", "mx.save({target!r}, mx.ones(3))"),
    "deletes outside": ("import os", "os.remove({victim!r})"),
    "reads a secret": ("import os", "mx.load({victim!r})"),
    "writes to the home": ("import os, pwd", "open(pwd.getpwuid(os.getuid()).pw_dir + '/.mxlint-was-here', 'w')"),
    "changes itself": ("", "open({program!r}, 'a').write('x')"),
    "a shell": ("import os", "os.system('touch ' + {target!r})"),
    "a shell by ctypes": ("import ctypes", "ctypes.CDLL(None).system(b'touch ' + {target!r}.encode())"),
    "opens a socket": ("import socket", "socket.create_connection(('127.0.0.1', 9), timeout=1)"),
    "loops": ("", "while True:\n        pass"),
    "loops in C": ("", "sum(iter(int, 1))"),
    "sleeps through signals": (
        "import signal, time",
        "for number in {{*range(1, 65)}} - {{9, 19, 32, 33}}:\n        signal.signal(number, signal.SIG_IGN)\n    time.sleep(1000)",
    ),
    "takes memory": ("", "kept = []\n    while True:\n        kept.append(bytearray(b'x' * (1 << 26)))"),
    "takes arrays": ("", "kept = []\n    while True:\n        kept.append(mx.ones((1 << 24,)) + len(kept))\n        mx.eval(kept)"),
    "recurses": ("import sys", "sys.setrecursionlimit(10**9)\n    def deeper():\n        return deeper() + 1\n    deeper()"),
    "leaves": ("import os", "os._exit(0)"),
    "aborts": ("import os", "os.abort()"),
    "exits": ("import sys", "sys.exit(0)"),
    "floods stdout": ("import os", "while True:\n        os.write(1, b'x' * 65536)"),
    "floods stderr": ("import os", "while True:\n        os.write(2, b'x' * 65536)"),
    "kills its parent": ("import os, signal", "os.kill(os.getppid(), signal.SIGTERM)"),
    "limits its parent": ("import os, resource", "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))"),
    "slows its parent": ("import os", "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)"),
    "slows its user": ("import os", "os.setpriority(os.PRIO_USER, 0, 19)"),
    "moves its parent": ("import os", "os.sched_setaffinity(os.getppid(), {{0}})"),
    "reads passwords": ("import os", "open('/etc/shadow').read()"),
    "another root": ("import os", "os.chroot('.')"),
    "never ends": (
        "import atexit, threading, time",
        "atexit.register(time.sleep, 1000)\n    threading.Thread(target=time.sleep, args=(1000,)).start()",
    ),
    "many files": ("", "for number in range(400):\n        open(str(number), 'w').close()"),
    "more folders": ("import os", "for number in range(600):\n        os.mkdir(str(number))\n    while True:\n        pass"),
    "large files": (
        "import os",
        "for number in range(100):\n        with open(str(number), 'wb') as file:\n            os.posix_fallocate(file.fileno(), 0, 1 << 25)\n    while True:\n        pass",
    ),
    "deep folders": ("import os", "for _ in range(30):\n        os.mkdir('x' * 100)\n        os.chdir('x' * 100)"),
    "a large file": ("", "with open('large', 'wb') as file:\n        while True:\n            file.write(b'x' * (1 << 24))"),
}
STILL_TRUE = {"never ends", "many files", "deep folders"}
"""Deeds that do not keep the print below them from raising."""


ROOM = {"MOST_MEMORY": 512 << 20, "MOST_FILES": 512}
"""Less than users are given, so that it is filled sooner."""
ENDLESS = {"forks", "loops", "loops in C", "sleeps through signals", "recurses"}
"""Deeds that go on until the time is over."""
FILLS = {
    **dict.fromkeys(("takes memory", "takes arrays"), "memory"),
    **dict.fromkeys(("more folders", "large files"), "files"),
    **dict.fromkeys(("floods stdout", "floods stderr"), "printed"),
}
"""Deeds that go on until there is no more room, with a word of the reason."""


SIDE_BY_SIDE = (
    "forks", "a daemon", "sleeps through signals", "takes memory", "leaves", "aborts", "floods stderr", "kills its parent", "never ends"
)  # fmt: skip


@pytest.mark.parametrize("name", DEEDS)
def test_contained(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (verdict,) = contained([name], tmp_path, monkeypatch, Options(wall_s=2 if name in ENDLESS else 30))
    assert verdict.verdict == ("confirmed" if name in STILL_TRUE else "inconclusive"), verdict
    assert name in STILL_TRUE or FILLS.get(name, "") in (verdict.reason or "") != "", verdict


def test_contained_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one does costs the others nothing."""
    verdicts = contained(SIDE_BY_SIDE, tmp_path, monkeypatch, Options(wall_s=5, jobs=4))
    assert {name: verdict.verdict for name, verdict in zip(SIDE_BY_SIDE, verdicts)} == {
        name: "confirmed" if name in STILL_TRUE else "inconclusive" for name in SIDE_BY_SIDE
    }, verdicts


def contained(names: Sequence[str], folder: Path, monkeypatch: pytest.MonkeyPatch, options: Options) -> list[Verdict]:
    """The verdicts on programs that do these deeds; nothing of them is left."""
    monkeypatch.chdir(folder)
    for limit, most in ROOM.items():
        monkeypatch.setattr(runner, limit, most)
    outside, temporary, programs = folder / "outside", folder / "temporary", folder / "programs"
    for made in (outside, temporary, programs):
        made.mkdir()
    victim = outside / "victim.npy"
    victim.write_text("a secret")
    texts = {}
    for number, name in enumerate(names):
        imports, deed = DEEDS[name]
        program = programs / f"program{number}.py"
        deed = deed.format(target=str(outside / "written"), victim=str(victim), program=str(program))
        texts[program] = PROGRAM.format(imports=imports, deed=deed)
        program.write_text(texts[program], encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    before = set(family(os.getpid()))

    result = check(["programs"], with_facts=True)
    claims = []
    for file, text in texts.items():
        printing = text.splitlines().index("    print(x)") + 1
        claims += asked(result, file, printing, "MX101")
    found = verify(claims, result.sources, [site.span for site in result.sites], options, result.facts)

    assert [path.name for path in outside.iterdir()] == ["victim.npy"]
    assert victim.read_text() == "a secret"
    assert {program: program.read_text(encoding="utf-8") for program in texts} == texts
    assert not Path("~/.mxlint-was-here").expanduser().exists()
    assert set(family(os.getpid())) <= before
    assert list(temporary.iterdir()) == []
    assert sorted(path.name for path in folder.iterdir()) == ["outside", "programs", "temporary"]
    return [finding.verdict for finding in found if finding.verdict is not None]


LEVELS = {"all": LAYERS, "no user namespaces": tuple(layer for layer in LAYERS if layer != "namespaces"), "hook only": ("limits",)}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a child is told to look for: of a program called program.py."""
    folder = tmp_path_factory.mktemp("settings")
    (folder / "program.py").write_text(PROGRAM.format(imports="", deed="pass"), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = check(["program.py"], with_facts=True)
        claims = asked(result, Path("program.py"), 7, "MX101")
        verify(claims, result.sources, [site.span for site in result.sites], Options(keep=folder / "keep"), result.facts)
    (job,) = folder.glob("keep/*/job.json")
    return dict(json.loads(job.read_text(encoding="utf-8")))


def ran(text: str, settings: dict[str, Any], layers: Sequence[str], wall_s: float = 60.0, readable: Sequence[str] = ()) -> runner.Outcome:
    """How one child ends with a program of its own behind these layers."""
    known = {**settings, "readable": [*settings["readable"], *readable]}
    with runner.workplace(layers=layers) as place:
        return runner.run(runner.Job({"program.py": text}, known), "plain", place, place.folder / "one", wall_s)


def standing(*folders: Path) -> dict[str, Any]:
    """What can be seen of the files in folders, and of what the kernel keeps for all processes."""
    files = {}
    for folder in folders:
        for path in (folder, *sorted(folder.rglob("*"))):
            status = path.lstat()
            text = path.read_bytes() if path.is_file() else b""
            files[str(path)] = (status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, status.st_ctime_ns, text)
    kernel = {name: Path("/proc/sysvipc", name).read_text() for name in ("shm", "sem", "msg") if Path("/proc/sysvipc", name).exists()}
    return {"files": files, "kernel": kernel, "shm": sorted(os.listdir("/dev/shm"))}


@pytest.mark.parametrize("level", LEVELS)
def test_hostile_deeds(level: str, settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is refused, each kind is named, and nothing is changed or left. Where there is the hook only, those that are its own."""
    if hostile.machine() is None:
        pytest.skip("no table of system calls for this machine")
    outside, readable, temporary = tmp_path / "outside", tmp_path / "project", tmp_path / "temporary"
    for folder in (outside, temporary):
        folder.mkdir()
    readable.touch()
    for name in ("victim", "secret"):
        (outside / name).write_text(name)
    os.utime(outside, ns=(10**18, 10**18))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    key = 0x6D78 << 16 | os.getpid() & 0xFFFF
    server, local = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)
    local.bind(str(outside / "socket"))
    local.listen()
    labels = [label for label in hostile.DEEDS if hostile.known(label) and (level != "hook only" or hostile.DEEDS[label].hook)]
    before = standing(outside, readable)
    running = set(family(os.getpid()))
    text = hostile.program(outside, readable, labels, server.getsockname()[1], key)
    outcome = ran(text, settings, LEVELS[level], readable=[str(readable)])
    assert outcome.answer is not None and outcome.answer["status"] == "ok", outcome
    if level == "all" and "own process numbers" not in outcome.answer["guard"]:
        pytest.skip("no user namespaces here")
    answers = json.loads(outcome.stdout.splitlines()[0])
    assert {label for label in labels if answers[label] != "refused"} == set()
    unnamed = {label for label in labels if (kinds := hostile.DEEDS[label].kinds) and not set(kinds) & set(outcome.refused)}
    assert unnamed == set(), outcome.refused
    assert standing(outside, readable) == before
    assert set(family(os.getpid())) <= running
    assert list(temporary.iterdir()) == []
    for listening in (server, local):
        listening.setblocking(False)
        with pytest.raises(BlockingIOError):
            listening.accept()
        listening.close()


@pytest.mark.parametrize(
    "label", ["bare chmod", "bare mknod", "bare unshare", "bare shmget", "bare kill", "bare add_key", "bare path socket"]
)
def test_a_deed_alone_is_named(label: str, settings: dict[str, Any], tmp_path: Path) -> None:
    """Whatever it is caught by: the program gets nothing to say about it."""
    if hostile.machine() is None or not hostile.known(label):
        pytest.skip("no such call on this machine")
    (tmp_path / "victim").touch()
    outcome = ran(
        hostile.program(tmp_path, tmp_path / "victim", [label], 9, 1), settings, LEVELS["no user namespaces"], readable=[str(tmp_path)]
    )
    if "system calls" not in (outcome.answer or {})["guard"]:
        pytest.skip("nobody is asked here")
    assert tuple(outcome.refused) == hostile.DEEDS[label].kinds


HARMLESS = """
import asyncio, os, shutil, signal, socket, tempfile, threading
import mlx.core as mx
import numpy

open("a", "w").write("x")
os.chmod("a", 0o600)
os.utime("a")
shutil.copy2("a", "b")
os.rename("b", "c")
os.mkdir("folder")
here = os.open("folder", os.O_PATH)
os.close(os.open("inside", os.O_WRONLY | os.O_CREAT, dir_fd=here))
os.mkfifo("folder/pipe")
shutil.rmtree("folder")
os.truncate("c", 0)
with tempfile.TemporaryDirectory() as folder:
    open(folder + "/x", "w").close()
with tempfile.TemporaryFile() as file:
    file.write(b"x")
signal.signal(signal.SIGUSR1, lambda *_: None)
signal.raise_signal(signal.SIGUSR1)
os.sched_setaffinity(0, os.sched_getaffinity(0))
os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))
open("/dev/null", "w").close()
open("/dev/urandom", "rb").read(1)
asyncio.run(asyncio.sleep(0))
thread = threading.Thread(target=lambda: numpy.ones((200, 200)) @ numpy.ones((200, 200)))
thread.start()
thread.join()
os.path.expanduser("~nobody")
mx.savez("c.npz", a=mx.ones(2))
assert mx.load("c.npz")["a"].sum().item() == 2


@mx.compile
def step(x):
    return mx.tanh(x) * 2 + mx.exp(x)


print(step(mx.ones(3)).sum().item())
"""


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_harmless_is_let_be(level: str, settings: dict[str, Any]) -> None:
    """In its own folder and with itself a program does what it likes, and MLX has its compiler."""
    outcome = ran(HARMLESS, {**settings, "modules": ["numpy"]}, LEVELS[level])
    assert outcome.answer is not None
    assert (outcome.answer["status"], outcome.answer.get("detail"), list(outcome.refused), outcome.stderr) == ("ok", None, [], "")
    compiled = ran(HARMLESS, {**settings, "modules": ["numpy"], "canary": True}, LEVELS[level])
    assert compiled.stdout == outcome.stdout != ""


KEPT = """
import mmap, os, time
import mlx.core as mx
kept, block = [], b"x" * (1 << 22)
while True:
    file = os.open("x", os.O_RDWR | os.O_CREAT)
    for _ in range(4):
        os.write(file, block)
    os.unlink("x")
    {keep}
    time.sleep(0.01)
"""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("keep", ["kept.append(file)", "kept.append(mmap.mmap(file, 4096, prot=mmap.PROT_READ)); os.close(file)"])
def test_files_without_a_name_are_counted(keep: str, level: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "MOST_BYTES", 100 << 20)
    assert ran(KEPT.format(keep=keep), settings, LEVELS[level]).stopped == "files"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("deed", "signal_", "code"),
    [("os._exit(7)", None, 7), ("os.abort()", signal.SIGABRT, None), ("import signal; signal.raise_signal(9)", signal.SIGKILL, None)],
)
def test_a_child_ends_as_its_program_does(deed: str, signal_: int | None, code: int | None, level: str, settings: dict[str, Any]) -> None:
    outcome = ran(f"import os\n{deed}\n", settings, LEVELS[level])
    assert (outcome.answer, outcome.signal) == (None, signal_)
    assert code is None or outcome.exit_code == code


SLEEPERS = """
import ctypes, os, time
exec({helper!r})
for _ in range(2):
    if number(NUMBERS["clone"], 17, 0, 0, 0, 0) == 0:
        number(NUMBERS["setsid"])
open(f"ready{{os.getpid()}}", "w").close()
while True:
    time.sleep(1)
"""
RELAY = """
import ctypes, os, time
exec({helper!r})
if number(NUMBERS["clone"], 17, 0, 0, 0, 0) != 0:
    time.sleep(1000)
while True:
    number(NUMBERS["setsid"])
    open(f"ready{{os.getpid()}}", "w").close()
    if number(NUMBERS["clone"], 17, 0, 0, 0, 0) != 0:
        time.sleep(0.002)
        os._exit(0)
"""
PROGRAMS = {"that sleep": SLEEPERS, "that go on forking": RELAY}
VERIFIER = """
import json, sys, tempfile
from pathlib import Path
from mxlint.verify import runner
from mxlint.verify.child import calls
from mxlint.verify.child.guard import LAYERS
from mxlint.verify.child.refusals import PHRASES
from mxlint.verify.child.syscalls import ALLOWED, MACHINES, NUMBERS, REFUSED
job = json.loads(sys.argv[1])
tempfile.tempdir = sys.argv[2]
with runner.workplace(layers=json.loads(sys.argv[3])) as place:
    runner.run(runner.Job(job["files"], job["settings"]), "plain", place, place.folder / "one", 60.0)
"""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("program", ["that sleep", "that go on forking"])
def test_a_killed_run_takes_its_children_along(program: str, level: str, settings: dict[str, Any], tmp_path: Path) -> None:
    """And all that these have started, in whatever session it is."""
    if hostile.machine() is None:
        pytest.skip("no table of system calls for this machine")
    text = PROGRAMS[program].format(helper=hostile.helpers())
    job = json.dumps({"files": {"program.py": text}, "settings": settings})
    verifier = subprocess.Popen([sys.executable, "-c", VERIFIER, job, str(tmp_path), json.dumps(LEVELS[level])])
    started = waited_for(lambda: len(list(tmp_path.glob("*/one/work/ready*"))) >= 4)
    seen = len(belonging(tmp_path))
    verifier.kill()
    verifier.wait()
    ended = waited_for(lambda: not belonging(tmp_path))
    assert (started, seen > 0, ended) == (True, True, True), (seen, belonging(tmp_path))


def waited_for(holds: Callable[[], bool]) -> bool:
    """Whether it holds within a minute."""
    deadline = time.monotonic() + 60.0
    while not (held := holds()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return held


def belonging(folder: Path) -> list[int]:
    """The processes of children that run in a folder."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path("/proc", name, "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(part.startswith(os.fsencode(folder)) and part.endswith(b".py") for part in command):
            found.append(int(name))
    return found


@pytest.mark.parametrize("name", MACHINES)
def test_filters_for_every_machine(name: str) -> None:
    """Every call of the tables is judged, no jump leads out of a filter, and none is longer than the kernel takes."""
    for supervised, cuda in itertools.product((False, True), repeat=2):
        code = calls.program(name, supervised, cuda=cuda, handover=(7, 7) if supervised else (-1, -1))
        assert code is not None
        steps = list(struct.iter_unpack("HBBI", code))
        assert len(steps) <= 4096
        assert steps[-1] == (calls.GIVE, 0, 0, calls.FAIL | errno.ENOSYS)
        assert all(place + 1 + max(then, otherwise) < len(steps) for place, (_, then, otherwise, _) in enumerate(steps[:-1]))
    assert calls.program("riscv64", True, cuda=False) is None


def test_every_call_is_allowed_or_of_a_kind() -> None:
    refused = [name for names in REFUSED.values() for name in names]
    assert sorted((*ALLOWED, *refused)) == sorted(NUMBERS)
    assert set(REFUSED) <= set(PHRASES)
    assert {kind for deed in hostile.DEEDS.values() for kind in deed.kinds} <= set(PHRASES)


def test_processes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no limit on them, as for root. What gets past the hook here is MLX's own compiler."""
    monkeypatch.chdir(tmp_path)
    text = PROGRAM.format(imports="", deed="y = mx.exp(x) * 2").replace("return x", "return y").replace("    print(x)\n", "")
    Path("program.py").write_text(text + "print(step(mx.array(2.0)))\n", encoding="utf-8")
    monkeypatch.setattr(runner, "MOST_PROCESSES", 3)
    result = check(["program.py"], with_facts=True)
    claims = asked(result, Path("program.py"), 6, "MX101")
    (finding,) = verify(claims, result.sources, [site.span for site in result.sites], facts=result.facts)
    assert finding.verdict is not None
    assert "more processes" in (finding.verdict.reason or "")


def test_what_a_child_left_can_be_removed(tmp_path: Path) -> None:
    """However deep it lies, whatever it may be read or written by, and whatever it points to."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    left = tmp_path / "left"
    left.mkdir()
    (left / "link").symlink_to(kept)
    os.mkfifo(left / "pipe")
    closed = left / "closed"
    closed.mkdir()
    (closed / "file").touch()
    closed.chmod(0)
    here = os.open(left, os.O_RDONLY)
    for _ in range(5000):
        os.mkdir("0-", dir_fd=here)
        deeper = os.open("0-", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    remove(left)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert [path.name for path in kept.iterdir()] == ["file"]


def test_a_plain_check_loads_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM.format(imports="", deed="pass"), encoding="utf-8")
    code = (
        "import sys\nfrom mxlint.cli import main\ntry:\n    main(['check', 'program.py'])\nfinally:\n"
        "    print([name for name in sys.modules if name.startswith(('mxlint.verify', 'mlx'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stdout.endswith("[]\n")


def test_no_compiler_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without g++ mx.compile does nothing on the CPU: nothing may be confirmed or refuted then."""
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(PROGRAM.format(imports="", deed="pass"), encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    result = verified(check(["program.py"], with_facts=True), Options(wall_s=6))
    verdict = next(finding.verdict for finding in result.findings if finding.code == "MX101")
    assert verdict is not None
    assert verdict.verdict == "unavailable"
    assert "g++" in (verdict.reason or "")


def test_what_a_killed_run_left_is_cleared_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead, ours, other = (tmp_path / f"mxlint-verify-{name}" for name in (f"{gone.pid}-abc", f"{os.getpid()}-abc", "notes"))
    for folder in (dead, ours, other):
        (folder / "work").mkdir(parents=True)
    with runner.workplace() as place:
        assert place.folder.name.startswith(f"mxlint-verify-{os.getpid()}-")
        assert not dead.exists()
        assert ours.exists()
        assert other.exists()


def test_processes_are_counted_the_same_where_there_is_no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS, by psutil."""
    pytest.importorskip("psutil")
    with subprocess.Popen([sys.executable, "-c", "print(flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        count, memory = used(os.getpid())
        monkeypatch.setattr(sys, "platform", "darwin")
        assert child.pid in family(os.getpid())
        other_count, other_memory = used(os.getpid())
        child.communicate(b"\n")
    assert other_count == count
    assert abs(other_memory - memory) < memory / 10
