"""What README.md and docs/ show: the files and the commands of their code blocks, and what the commands print.

A block whose info string names a file after the language (```python step.py) is that file; pages of docs/ may also use those of the README. A block
```console is commands after "$ " with their output. `python scripts/shown.py` puts in what they print today; tests/test_readme.py compares.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

_FILE = re.compile(r"^```\w+ ([\w./-]+\.\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
# Where MLX ran is another place on each machine.
_DEVICE = re.compile(r"\((MLX [\d.]+) on .*\)")
# What would change what is printed: where it runs, how wide the terminal is, whether it has colours.
_SURROUNDINGS = frozenset({"CI", "GITHUB_ACTIONS", "FORCE_COLOR", "COLUMNS", "VIRTUAL_ENV", "CONDA_PREFIX"})


@dataclass(frozen=True, slots=True)
class Command:
    """A command that a page shows, with the output shown and the files that are there."""

    page: str
    line: str
    output: str
    files: tuple[tuple[str, str], ...]

    @property
    def runs_mlx(self) -> bool:
        """Whether it needs MLX: a program is run, or put to the test."""
        return not self.line.startswith("mxlint ") or "verify" in shlex.split(self.line)[1:2] or "--verify" in self.line


def commands(page: Path) -> list[Command]:
    """All commands of a page, in order."""
    text = page.read_text(encoding="utf-8")
    files = {**dict(_FILE.findall(PAGES[0].read_text(encoding="utf-8"))), **dict(_FILE.findall(text))}
    return [
        Command(page.name, line, output, tuple(files.items()))
        for console in _CONSOLE.findall(text)
        for line, output in _COMMAND.findall(console)
    ]


def printed(command: Command, folder: Path) -> str:
    """What a command prints to standard output in a folder that has its files only. Raises ValueError where it prints errors, or is none that can be run."""
    for name, text in command.files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    program, *arguments = shlex.split(command.line)
    if program not in {"mxlint", "python"}:
        raise ValueError(f"{command.page}: only mxlint and python can be run here; show {program} in an sh block")
    started = [sys.executable, *(["-m", "mxlint"] if program == "mxlint" else []), *arguments]
    environment = {key: value for key, value in os.environ.items() if key not in _SURROUNDINGS}
    done = subprocess.run(started, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.stderr:
        raise ValueError(f"{command.page}: $ {command.line}\n{done.stderr}")
    return done.stdout


def same(shown: str, seen: str) -> bool:
    """Whether two outputs are the same but for the name of the device."""
    return _DEVICE.sub(r"(\1)", shown) == _DEVICE.sub(r"(\1)", seen)


def refresh(page: Path) -> None:
    """Write into a page what its commands print today."""
    text = page.read_text(encoding="utf-8")
    for command in commands(page):
        with tempfile.TemporaryDirectory() as folder:
            seen = printed(command, Path(folder))
        if not same(command.output, seen):
            text = text.replace(f"$ {command.line}\n{command.output}", f"$ {command.line}\n{seen}")
            print(f"{page.name}: $ {command.line}")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for page in PAGES:
        refresh(page)
