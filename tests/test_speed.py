"""benchmarks/speed.py runs and measures every case; what it measures is for people to read, since a test machine is never quiet."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_short_form_measures_every_case() -> None:
    command = [sys.executable, "benchmarks/speed.py", "--short", "tests/fixtures/project"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    measured = {name: float(seconds) for name, seconds in re.findall(r"^(\S.*?) +(\d+\.\d{3}) +\d+\.\d{2}$", done.stdout, re.MULTILINE)}
    assert list(measured) == ["mxlint", "ruff", "mxlint, standard library", "read the standard library", "mxlint, one file as a hook"]
    assert all(seconds > 0 for seconds in measured.values())
    assert len(re.findall(r"^(?:met|MISSED) ", done.stdout, re.MULTILINE)) == 3
