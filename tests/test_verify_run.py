"""A verifying run as a whole: several experiments at a time, what is kept for the next run, how far it is, and how it is interrupted."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from children import is_running
from click.testing import CliRunner
from needed import needs_mlx
from writing import write_modules

from mxlint import cli
from mxlint.engine import check
from mxlint.result import Result
from mxlint.verify.cache import cache_in
from mxlint.verify.child.procfs import children
from mxlint.verify.experiment import Options, verified
from mxlint.verify.processes import family, process_group
from mxlint.verify.runner import Outcome, run

pytestmark = [
    pytest.mark.usefixtures("folder"),
    needs_mlx,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for what is left"),
]

PRINTS = """import mlx.core as mx


@mx.compile
def step(x):
    print(x)
    return x


step(mx.array(1.0))
"""
SLEEPS = PRINTS.replace("    print(x)\n", "    time.sleep(60)\n    print(x)\n").replace("import", "import time\nimport", 1)
LOOPS = "import mlx.core as mx\n\nfor _ in range(12):\n    f = mx.compile(lambda x: mx.exp(x) * {})\n    f(mx.ones(3))\n"


def checked(*arguments: str) -> dict[str, Any]:
    """The JSON of a verified run, less what differs from one run to the next."""
    done = CliRunner().invoke(cli.main, ["check", "--verify", "--output-format", "json", *arguments])
    assert done.exit_code in (0, 1), done.output
    document: dict[str, Any] = json.loads(done.stdout)
    del document["summary"]["duration_s"]
    for diagnostic in document["diagnostics"]:
        if diagnostic["verify"] is not None:
            del diagnostic["verify"]["duration_s"]
    return document


def words(document: dict[str, Any]) -> list[str | None]:
    return [diagnostic["verify"]["verdict"] for diagnostic in document["diagnostics"]]


# -- several at a time ------------------------------------------------------------------------------------------------


def test_the_number_of_workers_changes_nothing() -> None:
    write_modules(
        a=PRINTS, b=LOOPS.format(2), c=PRINTS.replace("print(x)", "bool(x)"), d=LOOPS.format(3), e=PRINTS.replace("print(x)", "x.item()")
    )
    alone, together = checked("--no-cache", "--jobs", "1"), checked("--no-cache", "--jobs", "4")
    for diagnostic in (*alone["diagnostics"], *together["diagnostics"]):
        del diagnostic["verify"]["slowdown"]  # no two measurements are the same
    assert alone == together
    assert words(alone).count("confirmed") == 5


DAEMON = """import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3):
            os.close(fd)
        open(sys.argv[1], "w").write(str(os.getpid()))
        time.sleep(1000)
    os._exit(0)
time.sleep(1000)
"""


def test_the_end_of_one_child_is_not_that_of_another(folder: Path) -> None:
    """A daemon is ended by whoever finds it; a child that still has its parent is not touched, nor one that is not ours."""
    before = set(children(os.getpid()))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as own, process_group() as ours:
        started = [
            ours.start([sys.executable, "-c", DAEMON, str(folder / name)], folder, {}, ())
            if name != "quiet"
            else ours.start(
                [sys.executable, "-c", "import subprocess; subprocess.run(['sleep', '1000'])"], folder, {"PATH": os.defpath}, ()
            )
            for name in ("first", "second", "quiet")
        ]
        _until(lambda: all((folder / name).is_file() and (folder / name).read_text() for name in ("first", "second")))
        _until(lambda: bool(children(started[2].pid)))
        ours.end(started[0])
        assert not is_running(int((folder / "first").read_text()))
        assert started[1].poll() is None and started[2].poll() is None
        assert len(children(started[2].pid)) == 1
        ours.end(started[2])
        assert started[1].poll() is None
        ours.end(started[1])
        assert not is_running(int((folder / "second").read_text()))
        assert own.poll() is None
        assert set(children(os.getpid())) == {*before, own.pid}
        own.communicate(b"\n")
        for process in started:
            process.communicate()


def test_nothing_outlives_the_process_group(folder: Path) -> None:
    """Not even what lost its parent after the last child had ended."""
    with process_group() as ours:
        process = ours.start([sys.executable, "-c", DAEMON, str(folder / "daemon")], folder, {}, ())
        _until(lambda: (folder / "daemon").is_file() and bool((folder / "daemon").read_text()))
        process.kill()
        process.communicate()
        assert is_running(int((folder / "daemon").read_text()))
    assert not is_running(int((folder / "daemon").read_text()))


def test_runs_side_by_side_leave_each_other_alone(folder: Path) -> None:
    """The end of one sweeps, and takes the orphans that both have left, but no child that the other still has."""
    with process_group() as one:
        with process_group() as other:
            kept = one.start([sys.executable, "-c", "import time; time.sleep(1000)"], folder, {}, ())
            ended = other.start([sys.executable, "-c", DAEMON, str(folder / "daemon")], folder, {}, ())
            _until(lambda: (folder / "daemon").is_file() and bool((folder / "daemon").read_text()))
            other.end(ended)
        assert kept.poll() is None
        left = one.start([sys.executable, "-c", DAEMON, str(folder / "left")], folder, {}, ())
        _until(lambda: (folder / "left").is_file() and bool((folder / "left").read_text()))
        left.kill()
        one.end(kept)
        one.end(left)
        for process in (kept, ended, left):
            process.communicate()
    assert not is_running(int((folder / "daemon").read_text()))
    assert not is_running(int((folder / "left").read_text()))


def test_verdicts_of_runs_in_one_process_at_a_time(folder: Path) -> None:
    """What is asked of one run has the same answer while others begin and end."""
    write_modules(a=PRINTS, b=PRINTS.replace("print(x)", "bool(x)"), c=PRINTS.replace("print(x)", "x.item()"))
    results = [check([name], with_facts=True) for name in ("a.py", "b.py", "c.py")]

    def tried(result: Result) -> list[str]:
        return [finding.verdict.verdict for finding in verified(result, Options(jobs=2)).findings if finding.verdict is not None]

    with ThreadPoolExecutor(3) as threads:
        assert [*threads.map(tried, results * 2)] == [["confirmed"]] * 6


# -- interruption -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_interrupted(number: signal.Signals, folder: Path) -> None:
    """What is verified is reported, the rest says why it is not, and no process and no file is left."""
    write_modules(a=PRINTS, **{f"sleeps{index}": SLEEPS for index in range(6)})
    temporary = folder / "temporary"
    temporary.mkdir()
    process = verifying(temporary, "--jobs", "3", "--verify-timeout", "50")
    _until(lambda: _asleep(temporary) == 3 == len([child for child in family(process.pid) if _runs(child)]))
    below = family(process.pid)
    process.send_signal(number)
    time.sleep(0.05)
    process.send_signal(number)  # of no consequence
    stdout, stderr = process.communicate(timeout=300)
    assert process.returncode == 128 + number, stderr
    assert b"Interrupted" in stderr
    assert b"Traceback" not in stderr
    found = {item["filename"]: item["verify"] for item in json.loads(stdout)["diagnostics"]}
    assert found.pop("a.py")["verdict"] == "confirmed"
    assert len(found) == 6
    assert {(verdict["verdict"], verdict["reason"]) for verdict in found.values()} == {("inconclusive", "interrupted")}
    assert not [pid for pid in below if is_running(pid)]
    assert list(temporary.iterdir()) == []


def test_interrupted_at_the_clock(folder: Path) -> None:
    """What was confirmed before stays so."""
    write_modules(a=LOOPS.format(2))
    temporary = folder / "temporary"
    temporary.mkdir()
    process = verifying(temporary)
    _until(lambda: any(temporary.glob("*/timing-*/*/job.json")) and len(family(process.pid)) > 1)
    below = family(process.pid)
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    (verdict,) = (item["verify"] for item in json.loads(stdout)["diagnostics"])
    assert (verdict["verdict"], verdict["slowdown"]) == ("confirmed", None)
    assert "interrupted" in verdict["evidence"]["note"]
    assert not [pid for pid in below if is_running(pid)]
    assert list(temporary.iterdir()) == []


def test_interrupted_in_a_program(folder: Path) -> None:
    """Whoever calls it without the command line gets Python's own exception, after the same clean-up."""
    write_modules(sleeps=SLEEPS)
    temporary = folder / "temporary"
    temporary.mkdir()
    heeds = (
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"  # which what a shell runs in the background does not
    )
    code = f"{heeds}from mxlint.engine import check\nfrom mxlint.verify.experiment import verified\nverified(check(['sleeps.py']))"
    process = verifying(temporary, command=("-c", code))
    _until(lambda: any(temporary.glob("*/*/job.json")) and bool(children(process.pid)))
    below = family(process.pid)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=300)
    assert b"KeyboardInterrupt" in stderr
    assert not [pid for pid in below if is_running(pid)]
    assert list(temporary.iterdir()) == []


def verifying(
    temporary: Path, *arguments: str, command: tuple[str, ...] = ("-m", "mxlint", "check", "--verify", "--output-format", "json")
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *command, *arguments],
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _asleep(temporary: Path) -> int:
    """How many children have only a sleeping program left to run."""
    try:
        entries = [json.loads(job.read_text()).get("entry") for job in temporary.glob("*/*/job.json")]
    except (OSError, ValueError):
        return 0
    return len([entry for entry in entries if entry is not None and entry["file"] != "a.py"])  # one that asks for the device has no entry


def _runs(pid: int) -> bool:
    """Whether it is the innermost process of a child, under way."""
    try:
        started = os.readlink(f"/proc/{pid}/cwd").endswith("/work")
        return started and not children(pid) and "libmlx" in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
    except OSError:
        return False


def _until(condition: Any) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


# -- what is kept -----------------------------------------------------------------------------------------------------


def test_what_was_seen_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compiler nothing can be seen, so what is said then was kept."""
    write_modules(a=PRINTS, b=LOOPS.format(2))
    first = checked()
    assert words(first) == ["confirmed", "confirmed"]
    assert first["diagnostics"][1]["verify"]["slowdown"] is not None
    cache = folder / ".mxlint_cache"
    assert (cache / ".gitignore").read_text() == "*\n"
    assert (cache / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    monkeypatch.setenv("PATH", str(folder))
    assert checked() == first
    assert words(checked("--no-cache")) == ["unavailable", "unavailable"]
    assert words(checked("--cache-dir", "other")) == ["unavailable", "unavailable"]
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert words(checked("--cache-dir", "other")) == words(first)  # that something was lacking is not kept


def test_what_changed_is_run_again(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    write_modules(a=PRINTS.replace("x\n\n\nstep", "x + unused * 0\n\n\nstep").replace("@mx", "unused = 1\n\n\n@mx"))
    (verdict,) = words(checked())
    text = Path("a.py").read_text()
    monkeypatch.setenv("PATH", str(folder))
    write_modules(a=text + "\n\ndef other():\n    pass\n")
    assert words(checked()) == [verdict] == ["confirmed"]
    write_modules(a=text.replace("unused = 1", "unused = 2"))
    assert words(checked()) == ["unavailable"]


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff\xfe", b"0\n{}", "cut", "foreign"], ids=repr)
def test_damaged_entries_are_none(damage: bytes | str) -> None:
    write_modules(a=PRINTS)
    first = checked()
    entries = [path for path in Path(".mxlint_cache/verify").rglob("*") if path.is_file()]
    assert entries
    for number, entry in enumerate(entries):
        if isinstance(damage, bytes):
            entry.write_bytes(damage)
        elif damage == "cut":
            entry.write_bytes(entry.read_bytes()[:-10])
        else:
            entry.write_bytes(entries[number - 1].read_bytes() if number else b"x")
    assert checked() == first


def test_what_nobody_reads_any_more_goes(folder: Path) -> None:
    key, other = "ab" * 32, "cd" * 32
    cache = cache_in(folder / "cache")
    cache.write(key, {"seen": 1})
    cache.write(other, {"seen": 2})
    for path in cache.folder.glob("*/*"):
        os.utime(path, (0, 0))
    assert cache.read(other) == {"seen": 2}
    again = cache_in(folder / "cache")
    assert (again.read(key), again.read(other)) == (None, {"seen": 2})
    assert len(list(cache.folder.iterdir())) == 1


def test_a_cache_that_cannot_be_written_does_no_harm() -> None:
    write_modules(a=PRINTS)
    Path("file").write_text("")
    assert words(checked("--cache-dir", "file/cache")) == ["confirmed"]


def test_time_that_ran_out_is_not_kept() -> None:
    write_modules(a=PRINTS.replace("    print(x)\n", "    while True:\n        pass\n    print(x)\n"))
    arguments = ("a.py:8", "--as", "MX101", "--timeout", "1", "--output-format", "json")
    for _ in range(2):
        started = time.monotonic()
        done = CliRunner().invoke(cli.main, ["verify", *arguments])
        assert "was over" in done.stdout
        assert time.monotonic() - started > 2


ONE_TRANSFORM = """import sys

import mlx.core as mx

mx.eval(mx.zeros(1) + 1)


@mx.compile
def loss(x):
    return mx.sum(mx.sin(x) * x)


slope = mx.grad(loss)
sys.exit(slope(mx.ones(4)).ndim)
"""


def test_why_it_was_not_timed_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No statement of this program can be run twice: that is said the second time, too, when no child is run."""
    write_modules(a=ONE_TRANSFORM)
    first = checked("--select", "MX305")
    (verdict,) = [one["verify"] for one in first["diagnostics"]]
    assert verdict["verdict"] == "confirmed"
    assert "not timed: " in verdict["evidence"]["note"]
    monkeypatch.setenv("PATH", str(folder))
    (again,) = [one["verify"] for one in checked("--select", "MX305")["diagnostics"]]
    assert again["evidence"] == verdict["evidence"]


def by_hand(folder: Path, mode: str) -> Any:
    done = subprocess.run([sys.executable, str(folder / "run.py"), mode], capture_output=True, check=False, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout[done.stdout.index("{\n") :])


def test_what_was_run_can_be_run_by_hand() -> None:
    """The program, its variants, the timed pair, and the fixed program: each by plain Python."""
    write_modules(a=LOOPS.format(2))
    assert words(checked("--no-cache", "--verify-keep", "kept")) == ["confirmed"]
    kept = {folder.name: folder for folder in Path("kept").iterdir()}
    (timed,) = [folder for name, folder in kept.items() if name.endswith("-timed")]
    assert by_hand(timed, "timed")["rounds"]
    (program,) = [folder for name, folder in kept.items() if "-timed" not in name]
    assert by_hand(program, "real")["calls"]
    variants = (program / "variants" / "README.txt").read_text(encoding="utf-8").splitlines()
    assert variants
    for line in variants:
        path, mode = line.removeprefix("python ").split()
        assert by_hand((program / "variants" / path).parent, mode)["status"]


# -- how far it is ----------------------------------------------------------------------------------------------------


def at_a_terminal(*arguments: str) -> str:
    """What a run prints to stderr if that is a terminal."""
    terminal, far = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "mxlint", "check", "--verify", "--verify-timeout", "1", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "TERM": "xterm"},
        stdout=subprocess.DEVNULL,
        stderr=far,
    )
    os.close(far)
    said = b""
    while process.poll() is None or select.select([terminal], [], [], 0)[0]:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                said += os.read(terminal, 1 << 16)
            except OSError:
                break
    os.close(terminal)
    process.wait()
    return said.decode(errors="replace")


def test_a_module_that_does_not_end_is_not_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all that would be run of it, two programs are: the one with the calls in sight, and the function by itself."""
    text = PRINTS.replace(
        "@mx.compile", "import time\n\n\ndef endless():\n    while time.time() > 0:\n        pass\n\n\nLIMIT = endless()\n\n\n@mx.compile"
    )
    write_modules(a=text.replace("    print(x)\n", "    print(x, LIMIT)\n    bool(x)\n    x.item()\n"))
    ended: list[str | None] = []

    def counted(*arguments: Any, **options: Any) -> Outcome:
        outcome = run(*arguments, **options)
        ended.append(outcome.stopped)
        return outcome

    monkeypatch.setattr("mxlint.verify.bench.run", counted)
    document = checked("--no-cache", "--verify-timeout", "2", "--jobs", "1")
    assert words(document) == ["inconclusive"] * 3
    assert ended.count("time") == 2


def test_progress() -> None:
    write_modules(a=PRINTS, b=SLEEPS)
    said = at_a_terminal()
    assert re.search(r"Verifying: \d of \d findings", said), said
    assert re.search(r"\(.*MX\d+ [ab]\.py:\d+.*\)", said), said
    assert "\r\x1b[2K" in said
    assert at_a_terminal("-q") == ""
