"""Which Python runs the experiments: the one that is named, else that of the project's environment, else the one that runs mxlint.

Looked for as ty and pyright do: the active environment (VIRTUAL_ENV, then CONDA_PREFIX), then `.venv` in the project. An environment that was
found and not named counts only if it holds MLX, so that the environment of a hook or of a tool does not hide the project's.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from mxlint import resources
from mxlint.verify.child import about
from mxlint.versions import project_folders

OLDEST = (3, 10)
ANSWER_S = 30.0
"""Within which an interpreter has to say what it is."""
ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")
"""Variables that name the active environment, the first before the second."""
PROJECT = ".venv"
INSIDE = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
"""Where in an environment its interpreter may be."""


class InterpreterError(Exception):
    """The interpreter that was asked for cannot run experiments."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that experiments run in. `environment`: a digest of what it is and of what is installed for it; `readable`: folders outside of
    its own that it imports from."""

    executable: str
    environment: str
    readable: tuple[str, ...]
    mlx: bool
    own: bool

    @property
    def settings(self) -> dict[str, Any]:
        """As a job carries it."""
        return {"executable": self.executable, "environment": self.environment}


@dataclass(slots=True)
class Interpreters:
    """The interpreter for each file. `named`: by file, what the configuration or the command line names."""

    named: Mapping[str, Path] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    found: dict[Path, Interpreter] = field(default_factory=dict)

    def of(self, filename: str) -> Interpreter:
        """The interpreter for a file. Raises InterpreterError if the named one cannot be used."""
        if (path := self.named.get(filename)) is not None:
            return inspected(path)
        folder = Path(os.path.realpath(filename)).parent
        if folder not in self.found:
            self.found[folder] = self._discovered(folder)
        return self.found[folder]

    def _discovered(self, folder: Path) -> Interpreter:
        for candidate in self._candidates(folder):
            try:
                interpreter = inspected(candidate)
            except InterpreterError:
                continue
            if interpreter.mlx:
                return interpreter
        return own()

    def _candidates(self, folder: Path) -> Iterator[Path]:
        active = [Path(value) for name in ACTIVE if (value := self.environ.get(name))]
        for environment in (*active, *(above / PROJECT for above in project_folders(folder))):
            if environment.is_dir():
                yield environment


def inspected(path: Path) -> Interpreter:
    """The interpreter at a path, or of the environment there. Raises InterpreterError."""
    executable = path
    if path.is_dir():
        inside = next((path / name for name in INSIDE if (path / name).exists()), None)
        if inside is None:
            raise InterpreterError(f"{path}: there is no Python in this folder")
        executable = inside
    # Through the links to the real file it would be another environment.
    return own() if str(executable) == sys.executable else _asked(str(executable))


@lru_cache
def own() -> Interpreter:
    """The interpreter that runs mxlint."""
    return _interpreter(about.about(), sys.executable, own=True)


@lru_cache
def _asked(executable: str) -> Interpreter:
    if not os.path.exists(executable):
        raise InterpreterError(f"{executable}: no such interpreter")
    try:
        answer = subprocess.run(
            [executable, "-I", "-B", str(resources.folder("verify", "child") / "about.py")],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=ANSWER_S,
            check=False,
        )
        facts = json.loads(answer.stdout) if answer.returncode == 0 else None
    except OSError as error:
        raise InterpreterError(f"{executable}: {error.strerror or error}") from None
    except subprocess.TimeoutExpired:
        raise InterpreterError(f"{executable}: no answer within {ANSWER_S:.0f} s") from None
    except ValueError:
        facts = None
    if not isinstance(facts, dict) or "version" not in facts:
        raise InterpreterError(f"{executable}: this is no Python {'.'.join(map(str, OLDEST))} or newer")
    if tuple(facts["version"]) < OLDEST:
        version, oldest = (".".join(map(str, numbers)) for numbers in (facts["version"], OLDEST))
        raise InterpreterError(f"{executable}: it is Python {version}, and experiments need {oldest} or newer")
    return _interpreter(facts, executable, own=False)


def _interpreter(facts: Mapping[str, Any], executable: str, own: bool) -> Interpreter:
    parts = [executable, facts["build"], facts["prefix"], *facts["installed"]]
    digest = hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()[:16]
    return Interpreter(executable, digest, tuple(facts["outside"]), bool(facts["mlx"]), own)


Choice = Callable[[str], Interpreter]
"""The interpreter for the findings of a file."""
