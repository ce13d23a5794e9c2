"""`check --watch`, as a program: what makes it run again, and how it ends."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Run

PRINTS = "import mlx.core as mx\nfrom helper import shown\n\n\n@mx.compile\ndef step(x):\n    return shown(x)\n\n\nstep(mx.ones(3))\n"
QUIET = "def shown(x):\n    return x\n"
LOUD = "def shown(x):\n    print(x)\n    return x\n"
PATIENCE_S = 300.0

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are others")


class Watching:
    """A run that goes on, and the lines that it prints."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "mxlint", "check", "--watch", "--output-format", "concise", *arguments]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))

    def until(self, start: str) -> list[str]:
        """The lines up to one that starts like this."""
        lines: list[str] = []
        while not lines or not lines[-1].startswith(start):
            lines.append(self._lines.get(timeout=PATIENCE_S))
        return lines


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    (tmp_path / "a.py").write_text(PRINTS, encoding="utf-8")
    (tmp_path / "helper.py").write_text(QUIET, encoding="utf-8")
    found = Watching(tmp_path, "a.py")
    yield found
    found.process.kill()
    found.process.wait()


def save(path: Path, text: str) -> None:
    """Write a file in one step, so that nobody reads half of it."""
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)


@pytest.mark.slow
def test_it_runs_again(watching: Watching, tmp_path: Path) -> None:
    """When a file that was imported, a setting, or a file that is not there yet changes."""
    assert "All checks passed: 1 file, 1 compiled function." in watching.until("Watching")
    save(tmp_path / "helper.py", LOUD)
    assert watching.until("helper.py changed")
    assert any(line.startswith("helper.py:2:5: MX101") for line in watching.until("Watching"))
    save(tmp_path / "pyproject.toml", '[tool.mxlint]\nignore = ["MX101"]\n')
    assert watching.until("pyproject.toml changed")
    assert any(line.startswith("All checks passed") for line in watching.until("Watching"))
    save(tmp_path / "pyproject.toml", "[tool.mxlint]\nignore = 1\n")
    assert any("expected a list" in line for line in watching.until("Watching"))
    (tmp_path / "pyproject.toml").unlink()
    assert any(line.startswith("helper.py:2:5: MX101") for line in watching.until("Watching"))
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(PATIENCE_S) == 130


@pytest.mark.slow
def test_new_files_of_a_folder(tmp_path: Path) -> None:
    save(tmp_path / "helper.py", LOUD)
    watching = Watching(tmp_path)
    try:
        assert any(line.startswith("All checks passed: 1 file") for line in watching.until("Watching"))
        (tmp_path / "new").mkdir()
        save(tmp_path / "a.py", PRINTS)
        lines = watching.until("Watching")
        assert any(line.startswith("helper.py:2:5: MX101") for line in lines)
        assert not any("\x1b" in line for line in lines), "nothing is cleared but a terminal"
        watching.process.send_signal(signal.SIGTERM)
        assert watching.process.wait(PATIENCE_S) == 143
    finally:
        watching.process.kill()


@pytest.mark.parametrize("other", ["--fix", "--diff", "--add-ignore", "--show-files", "-"])
def test_what_it_does_not_go_with(run: Run, other: str) -> None:
    assert run("check", "--watch", other).code == 2
