"""A run that is killed, at any moment, leaves every file whole: as it was, or as it was to be.

MXLINT_KILLS says how often each kind of run is killed, 10 times without it.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from mxlint.cli import main

KILLS = int(os.environ.get("MXLINT_KILLS", "10"))
FILES = 12
TEXT = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    print(x)\n    return x\n\n\nstep(mx.ones(3))\ny = 1  # mxlint: ignore[MX103]\n"
BESIDE = re.compile(r"\.[\w.-]+\.[0-9a-f]{16}\.tmp")
RUNS = {
    "fix": ["--fix"],
    "add-ignore": ["--add-ignore"],
    "baseline": ["--baseline", "known.json", "--update-baseline"],
    "output-file": ["--output-file", "report.txt"],
    "page": ["--report", "page.html"],
}

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="forks a process that has imported all")


def laid_out(folder: Path, held: dict[str, bytes]) -> None:
    """The files of a project, and what another run has written."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)  # what a cache keeps
        else:
            path.unlink()
    for name, data in held.items():
        (folder / name).write_bytes(data)


def started(folder: Path, arguments: list[str]) -> int:
    """A run in a process of its own; its id."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    try:
        os.chdir(folder)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in ((0, "r"), (1, "w"), (2, "w")))  # noqa: SIM115 for the life of the process
        main(["check", "--isolated", *arguments], prog_name="mxlint")
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else 1)
    finally:
        os._exit(99)


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and not BESIDE.fullmatch(path.name)}


def without_times(data: bytes | None) -> bytes | None:
    """What a run writes, less how long it took."""
    return None if data is None else re.sub(rb"\d+(\.\d+)? m?s\b", b"", data)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", RUNS.values(), ids=RUNS)
def test_every_file_is_whole(tmp_path: Path, arguments: list[str]) -> None:
    before = {f"f{number:02}.py": TEXT.encode() for number in range(FILES)}
    if arguments[0] != "--fix":
        before |= {name: b'{"version": 1, "files": {}}\n' for name in arguments if "." in name}
    laid_out(tmp_path, before)
    begin = time.monotonic()
    assert os.waitpid(started(tmp_path, arguments), 0)[1] in (0, 256), "the run itself"
    lasts = time.monotonic() - begin
    after = held(tmp_path)
    assert after != before
    moments, killed = random.Random(f"{arguments} 1"), 0
    for _ in range(KILLS):
        laid_out(tmp_path, before)
        child = started(tmp_path, arguments)
        time.sleep(moments.uniform(0, lasts * 1.1))
        os.kill(child, signal.SIGKILL)
        killed += os.WIFSIGNALED(os.waitpid(child, 0)[1])
        now = held(tmp_path)
        assert now.keys() == after.keys() | before.keys()
        for name, data in now.items():
            whole = without_times(data) in (without_times(before.get(name)), without_times(after[name]))
            assert whole, f"{name} is neither old nor new: {data[:200]!r}"
    assert killed, "no run was killed before its end"
