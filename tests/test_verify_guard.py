"""Hostile code under --verify: each program is contained, the run ends in time, and nothing of it is left behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from mxlint.engine import check
from mxlint.finding import Verdict
from mxlint.rules.registry import RULES
from mxlint.verify import runner
from mxlint.verify.experiment import Options, verified, verify
from mxlint.verify.processes import family
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
    "many files": ("", "for number in range(3000):\n        open(str(number), 'w').close()"),
    "more folders": ("import os", "for number in range(40000):\n        os.mkdir(str(number))"),
    "large files": (
        "import os",
        "for number in range(100):\n        with open(str(number), 'wb') as file:\n            os.posix_fallocate(file.fileno(), 0, 1 << 25)\n    while True:\n        pass",
    ),
    "deep folders": ("import os", "for _ in range(1500):\n        os.mkdir('x')\n        os.chdir('x')"),
    "a large file": ("", "with open('large', 'wb') as file:\n        while True:\n            file.write(b'x' * (1 << 24))"),
}
STILL_TRUE = {"never ends", "many files", "deep folders"}
"""Deeds that do not keep the print below them from raising."""


SIDE_BY_SIDE = (
    "forks", "a daemon", "sleeps through signals", "takes memory", "leaves", "aborts", "floods stderr", "kills its parent", "never ends"
)  # fmt: skip


@pytest.mark.parametrize("name", DEEDS)
def test_contained(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (verdict,), took = contained([name], tmp_path, monkeypatch, Options(wall_s=30 if name in STILL_TRUE else 6))
    assert verdict.verdict == ("confirmed" if name in STILL_TRUE else "inconclusive"), verdict
    assert verdict.reason or name in STILL_TRUE
    assert took < 60


def test_contained_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one does costs the others nothing."""
    verdicts, _ = contained(SIDE_BY_SIDE, tmp_path, monkeypatch, Options(wall_s=10, jobs=4))
    assert {name: verdict.verdict for name, verdict in zip(SIDE_BY_SIDE, verdicts)} == {
        name: "confirmed" if name in STILL_TRUE else "inconclusive" for name in SIDE_BY_SIDE
    }, verdicts


def contained(names: Sequence[str], folder: Path, monkeypatch: pytest.MonkeyPatch, options: Options) -> tuple[list[Verdict], float]:
    """The verdicts on programs that do these deeds, and the seconds that it took; nothing of them is left."""
    monkeypatch.chdir(folder)
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

    started = time.monotonic()
    result = check(["programs"], with_facts=True)
    claims = []
    for file, text in texts.items():
        printing = text.splitlines().index("    print(x)") + 1
        claims += asked(result, file, printing, RULES["MX101"])
    found = verify(claims, result.sources, [site.span for site in result.sites], options, result.facts)
    took = time.monotonic() - started

    assert [path.name for path in outside.iterdir()] == ["victim.npy"]
    assert victim.read_text() == "a secret"
    assert {program: program.read_text(encoding="utf-8") for program in texts} == texts
    assert not Path("~/.mxlint-was-here").expanduser().exists()
    assert set(family(os.getpid())) <= before
    assert list(temporary.iterdir()) == []
    assert sorted(path.name for path in folder.iterdir()) == ["outside", "programs", "temporary"]
    return [finding.verdict for finding in found if finding.verdict is not None], took


LOOK = """
import json, os, resource, signal, sys
from mxlint.verify.child import cell, guard

outside, work = int(sys.argv[1]), os.getcwd()
layers = guard.enclose(work, [])
if guard.ALONE in layers:
    cell.enter([])
    told = {"layers": layers, "own": [os.getppid() < os.getpid() < 9, os.getuid()]}
    for name, deed in {
        "signal": lambda: os.kill(outside, 0),
        "limit": lambda: resource.prlimit(outside, resource.RLIMIT_CPU),
        "priority": lambda: os.setpriority(os.PRIO_PROCESS, outside, 19),
        "core": lambda: os.sched_getaffinity(outside),
    }.items():
        try:
            deed()
            told[name] = "done"
        except ProcessLookupError:
            told[name] = "nobody there"
    print(json.dumps(told), flush=True)
    if sys.argv[2] != "0":
        os.kill(os.getpid(), int(sys.argv[2]))
    os._exit(7)
"""


@pytest.mark.parametrize("number", [0, signal.SIGABRT, signal.SIGKILL])
def test_no_process_outside_has_a_number(number: int, tmp_path: Path) -> None:
    """Not even without the hook; and the process ends as what it encloses does."""
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(os.getpid()), str(int(number))], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    if not done.stdout:
        pytest.skip("no namespaces here")
    told = json.loads(done.stdout)
    assert {told[name] for name in ("signal", "limit", "priority", "core")} == {"nobody there"}
    assert told["own"][0]
    assert done.returncode == (-number if number else 7)


WITHOUT_NUMBERS = """
import ctypes, json, os, resource, subprocess, sys
from mxlint.verify.child import calls

outside, told = os.getppid(), {"forbidden": False}
ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
if calls.forbid():
    told["forbidden"] = True
    for name, deed in {
        "limit": lambda: resource.prlimit(outside, resource.RLIMIT_NOFILE),
        "priority": lambda: os.setpriority(os.PRIO_PROCESS, outside, 19),
        "everyone": lambda: os.setpriority(os.PRIO_USER, 0, 19),
        "root": lambda: os.chroot("."),
    }.items():
        try:
            deed()
            told[name] = "done"
        except PermissionError:
            told[name] = "refused"
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    told["own"] = resource.prlimit(0, resource.RLIMIT_NOFILE)
    told["compiler"] = subprocess.run(["g++", "--version"], capture_output=True).returncode
print(json.dumps(told))
"""


def test_where_there_are_no_namespaces_the_kernel_refuses_calls(tmp_path: Path) -> None:
    """What a process sets on itself, and the compiler, stay as they are."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_NUMBERS], cwd=tmp_path, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    if not told.pop("forbidden"):
        pytest.skip("another machine")
    assert {told[name] for name in ("limit", "priority", "everyone", "root")} == {"refused"}
    assert (told["own"], told["compiler"]) == ([64, 64], 0)


def test_processes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no limit on them, as for root. What gets past the hook here is MLX's own compiler."""
    monkeypatch.chdir(tmp_path)
    text = PROGRAM.format(imports="", deed="y = mx.exp(x) * 2").replace("return x", "return y").replace("    print(x)\n", "")
    Path("program.py").write_text(text + "print(step(mx.array(2.0)))\n", encoding="utf-8")
    monkeypatch.setattr(runner, "MOST_PROCESSES", 3)
    result = check(["program.py"], with_facts=True)
    claims = asked(result, Path("program.py"), 6, RULES["MX101"])
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
