"""Draw docs/images/finding.svg, the picture of the README: what `mxlint check --verify` prints for a small program, as a terminal shows it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "finding.svg"
PROGRAM = """\
import mlx.core as mx

scale = mx.array(1.0)


@mx.compile
def scaled(x):
    return mx.tanh(x) * scale


x = mx.ones((4,))
for step in range(3):
    print(scaled(x))
    scale = scale * 2
"""
# The fonts that rich names are on a server, and a picture loads nothing.
_FONTS = re.compile(r" *@font-face {.*?}\n", re.DOTALL)


def printed(colour: bool) -> str:
    """What mxlint prints for PROGRAM, which it verifies."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "anneal.py").write_text(PROGRAM, encoding="utf-8")
        command = [sys.executable, "-m", "mxlint", "check", "--verify", "--color", "always" if colour else "never", "anneal.py"]
        environment = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "VIRTUAL_ENV", "CONDA_PREFIX"}}
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout


def drawn(text: str) -> str:
    """Text with the colours of a terminal as an SVG."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=102, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(Text("$ mxlint check --verify anneal.py", style="bold"))
        console.print(Text.from_ansi(text))
        return _FONTS.sub("", console.export_svg(title="mxlint", theme=MONOKAI, unique_id="mxlint"))


if __name__ == "__main__":
    PICTURE.write_text(drawn(printed(colour=True)), encoding="utf-8")
