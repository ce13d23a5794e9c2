"""Shell completion, as docs/configuration.md sets it up, in the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MXLINT = Path(sys.executable).parent / "mxlint"


def printed(shell: str, script: str) -> list[str]:
    """What a script prints in a shell that finds mxlint."""
    if shutil.which(shell) is None or not MXLINT.exists():
        pytest.skip(f"{shell} or mxlint is not here")
    environment = {**os.environ, "PATH": f"{MXLINT.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([shell, "-c", script], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["mxlint", "ch"], ["check"]),
        (["mxlint", "check", "--sin"], ["--since"]),
        (["mxlint", "check", "--output-format", "sa"], ["sarif"]),
        (["mxlint", "e"], ["explain"]),
    ],
)
def test_bash(words: list[str], expected: list[str]) -> None:
    script = (
        'eval "$(_MXLINT_COMPLETE=bash_source mxlint)" 2>/dev/null\n'
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n"
        'complete -p mxlint | grep -q _mxlint_completion || exit 1\n_mxlint_completion mxlint; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert printed("bash", script) == expected


def test_zsh() -> None:
    script = 'autoload -Uz compinit; compinit -u -D; eval "$(_MXLINT_COMPLETE=zsh_source mxlint)"; print ${_comps[mxlint]}'
    assert printed("zsh", script) == ["_mxlint_completion"]


def test_zsh_is_told_the_words_with_their_help() -> None:
    """What the function asks for when Tab is pressed."""
    script = 'COMP_WORDS="mxlint ch" COMP_CWORD=1 _MXLINT_COMPLETE=zsh_complete mxlint'
    assert printed("zsh", script)[:2] == ["plain", "check"]


def test_fish() -> None:
    assert "check" in " ".join(printed("fish", "_MXLINT_COMPLETE=fish_source mxlint | source; complete -C 'mxlint ch'"))
