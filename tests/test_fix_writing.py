"""Files written anew by fixes: as a whole or not at all, with everything that is not text kept."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mxlint.fixes.writing import Rewrite, WriteError, write_together

OLD, NEW = b"old = 1\r\n", b"new = 2\r\n"


def rewrite(path: Path, before: bytes = OLD, after: bytes = NEW) -> Rewrite:
    return Rewrite(path.name, str(path), before, after)


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def made(folder: Path, *named: str) -> list[Path]:
    for name in named:
        (folder / name).write_bytes(OLD)
    return [folder / name for name in named]


def test_written(tmp_path: Path) -> None:
    one, two = made(tmp_path, "one.py", "two.py")
    one.chmod(0o751)
    write_together([rewrite(one), rewrite(two)])
    assert (one.read_bytes(), two.read_bytes(), names(tmp_path)) == (NEW, NEW, ["one.py", "two.py"])
    assert stat.S_IMODE(one.stat().st_mode) == 0o751


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (one,) = made(tmp_path, "one.py")
    (tmp_path / "link.py").symlink_to("one.py")
    write_together([rewrite(tmp_path / "link.py")])
    assert ((tmp_path / "link.py").is_symlink(), one.is_symlink(), one.read_bytes()) == (True, False, NEW)


def test_what_changed_meanwhile_is_left_alone_and_the_others_with_it(tmp_path: Path) -> None:
    one, two = made(tmp_path, "one.py", "two.py")
    two.write_bytes(b"theirs\n")
    with pytest.raises(WriteError, match="has changed since") as caught:
        write_together([rewrite(one), rewrite(two)])
    assert caught.value.name == "two.py"
    assert (one.read_bytes(), two.read_bytes(), names(tmp_path)) == (OLD, b"theirs\n", ["one.py", "two.py"])


def test_the_first_is_taken_back_if_the_second_cannot_be_put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = made(tmp_path, "one.py", "two.py")
    replace = os.replace

    def fail_for_two(source: str, target: str) -> None:
        if target.endswith("two.py"):
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail_for_two)
    with pytest.raises(WriteError, match="No space left on device"):
        write_together([rewrite(one), rewrite(two)])
    assert (one.read_bytes(), two.read_bytes(), names(tmp_path)) == (OLD, OLD, ["one.py", "two.py"])


def test_an_interruption_takes_all_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = made(tmp_path, "one.py", "two.py")
    replace = os.replace

    def interrupted_after_one(source: str, target: str) -> None:
        replace(source, target)
        if Path(target) == one and Path(target).read_bytes() == NEW:
            raise SystemExit(130)

    monkeypatch.setattr(os, "replace", interrupted_after_one)
    with pytest.raises(SystemExit):
        write_together([rewrite(one), rewrite(two)])
    assert (one.read_bytes(), two.read_bytes(), names(tmp_path)) == (OLD, OLD, ["one.py", "two.py"])


def test_two_names_of_one_file_stay_that(tmp_path: Path) -> None:
    (one,) = made(tmp_path, "one.py")
    (tmp_path / "two.py").hardlink_to(one)
    with pytest.raises(WriteError, match="has 2 names"):
        write_together([rewrite(one)])
    assert (one.read_bytes(), one.stat().st_nlink) == (OLD, 2)


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="root may write to everything")
def test_what_must_not_be_written(tmp_path: Path) -> None:
    (one,) = made(tmp_path, "one.py")
    one.chmod(0o444)
    with pytest.raises(WriteError, match="read-only"):
        write_together([rewrite(one)])
    one.chmod(0o644)
    tmp_path.chmod(0o555)
    with pytest.raises(WriteError, match="Permission denied"):
        write_together([rewrite(one)])
    tmp_path.chmod(0o755)
    assert one.read_bytes() == OLD


def test_what_is_gone(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="No such file"):
        write_together([rewrite(tmp_path / "one.py")])
    assert names(tmp_path) == []


KILLED = """
import sys
from mxlint.fixes.writing import Rewrite, write_together

contents = [bytes([65 + number]) * 300_000 for number in range(2)]
print("ready", flush=True)
while True:
    for old, new in (contents, contents[::-1]):
        write_together([Rewrite(name, name, old, new) for name in sys.argv[1:]])
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that nothing can catch")
def test_every_file_is_whole_after_kill_9(tmp_path: Path) -> None:
    contents = [bytes([65 + number]) * 300_000 for number in range(2)]
    files = [tmp_path / "one.py", tmp_path / "two.py"]
    times = random.Random(20)
    seen = set()
    for _ in range(20):
        for file in files:
            file.write_bytes(contents[0])
        writer = subprocess.Popen([sys.executable, "-c", KILLED, *map(str, files)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(times.uniform(0, 0.05))
        writer.kill()
        writer.communicate()
        assert writer.returncode == -signal.SIGKILL
        for file in files:
            assert file.read_bytes() in contents
            seen.add(file.read_bytes())
    assert len(seen) == 2, "no file was ever written"
