"""Files are replaced whole: whoever reads one finds what was there or what was to be there."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mxlint.files import replace_file

posix = pytest.mark.skipif(os.name == "nt", reason="permissions, links and pipes of POSIX")


def test_a_new_file_and_an_old_one(tmp_path: Path) -> None:
    file = tmp_path / "report"
    replace_file(file, b"one")
    assert file.read_bytes() == b"one"
    replace_file(str(file), b"two")
    assert file.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["report"]


@posix
def test_permissions(tmp_path: Path) -> None:
    """Of a file that is there they stay; a new one has those that any new file gets."""
    file, other = tmp_path / "report", tmp_path / "other"
    file.write_bytes(b"one")
    file.chmod(0o640)
    replace_file(file, b"two")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    other.touch()
    replace_file(tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == other.stat().st_mode


@posix
def test_links_stay(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    target.write_bytes(b"one")
    link.symlink_to("folder/target")
    replace_file(link, b"two")
    assert (link.is_symlink(), target.read_bytes()) == (True, b"two")
    target.unlink()
    replace_file(link, b"three")
    assert (link.is_symlink(), target.read_bytes()) == (True, b"three")


@posix
def test_what_is_no_regular_file_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    replace_file(pipe, b"through")
    reader.join()
    assert (read, stat.S_ISFIFO(pipe.stat().st_mode)) == ([b"through"], True)
    replace_file("/dev/null", b"away")
    assert Path("/dev/null").is_char_device()


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "report"
    file.write_bytes(b"one")

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(file, b"two")
    assert (file.read_bytes(), os.listdir(tmp_path)) == (b"one", ["report"])


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is protected from root")
def test_a_protected_file_stays(tmp_path: Path) -> None:
    file = tmp_path / "report"
    file.write_bytes(b"one")
    file.chmod(0o400)
    with pytest.raises(PermissionError):
        replace_file(file, b"two")
    assert file.read_bytes() == b"one"


@posix
@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """The file is whole after a kill: all of one letter, and as long as it was written."""
    file, size = tmp_path / "report", 1 << 20
    replace_file(file, b"a" * size)
    code = (
        f"from mxlint.files import replace_file\nwhile True:\n    for letter in (b'a', b'b'): replace_file({str(file)!r}, letter * {size})"
    )
    chance = random.Random(0)
    for _ in range(20):
        with subprocess.Popen([sys.executable, "-c", f"print(flush=True)\n{code}"], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            threading.Event().wait(0.1 + chance.random() * 0.1)
            writer.send_signal(signal.SIGKILL)
        data = file.read_bytes()
        assert data in (b"a" * size, b"b" * size)


def test_what_killed_writers_have_left_goes(tmp_path: Path) -> None:
    """Only new files of the same file, and only those that nobody can be about to put in place."""
    left, fresh = (tmp_path / f".report.{token * 16}.tmp" for token in "01")
    others = [tmp_path / name for name in (f".other.{'0' * 16}.tmp", ".report.tmp", ".report.notes.tmp", f".report.{'0' * 16}.tmp.py")]
    for path in (left, fresh, *others):
        path.write_bytes(b"")
    for path in (left, *others):
        os.utime(path, (0, 0))
    (tmp_path / f".report.{'2' * 16}.tmp").mkdir()
    os.utime(tmp_path / f".report.{'2' * 16}.tmp", (0, 0))
    replace_file(tmp_path / "report", b"two")
    assert not left.exists()
    assert all(path.exists() for path in (fresh, *others, tmp_path / f".report.{'2' * 16}.tmp"))
