"""README.md and docs/ show what really happens: their console blocks are run, on the files the README shows, and their output is compared to the letter."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# A Python block with a file name after the language is that file; a console block is commands after $ and their output.
FILES = re.findall(r"^```python (\S+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SHOWN = [README, *(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md")))]
CONSOLES = [console for text in SHOWN for console in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]
COMMANDS = [
    (command, output) for console in CONSOLES for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", console, re.MULTILINE)
]


def test_readme_shows_a_run() -> None:
    assert FILES
    assert COMMANDS


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_console(command: str, output: str, tmp_path: Path) -> None:
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    program, *arguments = shlex.split(command)
    assert program == "mxlint", "only mxlint's own commands can be run here; show others in an sh block"
    environment = {key: value for key, value in os.environ.items() if key not in {"CI", "GITHUB_ACTIONS", "FORCE_COLOR", "COLUMNS"}}
    done = subprocess.run(
        [sys.executable, "-m", "mxlint", *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.stdout) == ("", output)
    assert output, "a command without output shows nothing"
