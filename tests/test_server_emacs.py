"""The server with Emacs and Eglot, set up by the lines of docs/editors.md and run without a screen."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EMACS = shutil.which("emacs")
LINES = re.findall(r"```elisp\n(.*?)```", (Path(__file__).parents[1] / "docs" / "editors.md").read_text(encoding="utf-8"), re.DOTALL)
TEXT = """\
import mlx.core as mx


@mx.compile
def step(x):
    print(x)
    return x * 2


step(mx.array(1.0))
"""
SHOW = """
(find-file "a.py")
(let ((turns 0))
  (while (and (< turns 600) (not (flymake-diagnostics)))
    (run-hooks 'post-command-hook)
    (accept-process-output nil 0.1)
    (setq turns (1+ turns))))
(dolist (one (flymake-diagnostics))
  (message "found: %s %s" (line-number-at-pos (flymake-diagnostic-beg one)) (flymake-diagnostic-text one)))
"""


def test_emacs_shows_findings_with_the_documented_lines(tmp_path: Path) -> None:
    if EMACS is None:
        pytest.skip("Emacs is not installed")
    find = "(progn (require 'package) (package-initialize) (kill-emacs (if (require 'eglot nil t) emacs-major-version 1)))"
    known = subprocess.run([EMACS, "--batch", "--eval", find], check=False, capture_output=True, text=True)
    if known.returncode < 26:
        pytest.skip("Eglot is not installed")
    (lines,) = LINES
    if known.returncode < 29:  # as the heading of that section says
        lines = "(package-initialize)\n" + lines.replace("python-base-mode-hook", "python-mode-hook")
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text(TEXT)
    (tmp_path / "init.el").write_text(lines + "(require 'eglot)\n" + SHOW)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [EMACS, "--batch", "-l", "init.el"],
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=500,
    )
    found = [line for line in done.stderr.splitlines() if line.startswith("found: ")]
    assert len(found) == 1 and re.match(r"found: 6 mxlint \[MX101\]", found[0]), done.stderr
