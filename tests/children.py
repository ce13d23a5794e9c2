"""Programs under real MLX in a child process, and whether a process still runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def run_in_child(child: str, folders: Iterable[Path]) -> Any:
    """What the script `child` prints last, as JSON, when it is given the folders of the programs as JSON."""
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", child],
        input=json.dumps([str(folder) for folder in folders]),
        env={name: value for name, value in os.environ.items() if name != "MLX_DISABLE_COMPILE"},
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def short_names(text: str) -> str:
    """What MLX prints, without the modules by which its messages name types from Python 3.12 on."""
    return re.sub(r"'mlx(?:\.\w+)*\.(\w+)' object", r"'\1' object", text)


def is_running(pid: int) -> bool:
    """Whether a process of Linux is there and has not ended (a zombie has)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
