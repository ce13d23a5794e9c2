"""--python: which interpreter runs the experiments, and that they depend on nothing but it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from needed import needs_mlx

from mxlint import cli
from mxlint.verify.cache import cache_in
from mxlint.verify.interpreter import Interpreter, InterpreterError, Interpreters, inspected, own

PROGRAM = """import mlx.core as mx


@mx.compile
def f(x):
    print(x)
    return x * 2


f(mx.ones(3))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    Path("a.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def environment(path: Path, mlx: bool = True) -> Path:
    """A virtual environment without packages; with `mlx`, it imports the MLX of this interpreter, and of its packages nothing else."""
    venv.create(path, symlinks=True, with_pip=False)
    packages = next(path.glob("lib/python*/site-packages"))
    if mlx:
        spec = find_spec("mlx")
        assert spec is not None and spec.submodule_search_locations is not None
        home = Path(next(iter(spec.submodule_search_locations))).parent
        for name in (*home.glob("mlx"), *home.glob("mlx[-_]*")):
            (packages / name.name).symlink_to(name)
    return path


def checked(*arguments: str) -> Any:
    result = CliRunner().invoke(cli.main, ["check", "--verify", "--no-cache", "--output-format", "json", "-q", *arguments])
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


def chosen(name: str = "a.py", **environ: str) -> str:
    return Interpreters(environ=environ).of(name).executable


def test_the_active_environment_goes_before_that_of_the_project(folder: Path) -> None:
    active, conda, project = (environment(folder / name) for name in ("active", "conda", ".venv"))
    assert chosen(VIRTUAL_ENV=str(active), CONDA_PREFIX=str(conda)) == str(active / "bin" / "python")
    assert chosen(CONDA_PREFIX=str(conda)) == str(conda / "bin" / "python")
    assert chosen() == str(project / "bin" / "python")


def test_an_environment_without_mlx_hides_no_other(folder: Path) -> None:
    hook = environment(folder / "hook", mlx=False)
    assert chosen(VIRTUAL_ENV=str(hook)) == sys.executable
    project = environment(folder / ".venv")
    assert chosen(VIRTUAL_ENV=str(hook)) == str(project / "bin" / "python")


def test_the_environment_of_the_project_is_that_of_the_file(folder: Path) -> None:
    environment(folder / ".venv")
    (folder / "inner" / "deep").mkdir(parents=True)
    other = folder.parent / f"{folder.name}-other"
    other.mkdir()
    (other / "pyproject.toml").touch()
    assert chosen("inner/deep/b.py") == str(folder / ".venv" / "bin" / "python")
    assert chosen(str(other / "b.py")) == sys.executable


def test_a_named_one_wins_and_may_be_an_environment(folder: Path) -> None:
    environment(folder / ".venv")
    bare = environment(folder / "bare", mlx=False)
    for path in (bare, bare / "bin" / "python"):
        assert Interpreters({"a.py": path}, {}).of("a.py") == inspected(bare)
    assert not inspected(bare).mlx


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no such interpreter"),
        ("", "this is no Python 3.10 or newer"),
        ("#!/bin/sh\necho '{\"version\": [3, 9, 1]}'\n", "it is Python 3.9.1, and experiments need 3.10 or newer"),
        ("#!/bin/sh\nexit 3\n", "this is no Python 3.10 or newer"),
        ("#!/nowhere\n", "No such file"),
    ],
)
def test_what_is_no_interpreter_is_said(folder: Path, content: str | None, said: str) -> None:
    path = folder / "python"
    if content is not None:
        path.write_text(content or "#!/bin/true\n", encoding="utf-8")
        path.chmod(0o755)
    with pytest.raises(InterpreterError, match=said):
        inspected(path)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--verify", "--python", "nowhere", "a.py"],
        ["check", "--verify", "--config", "python = 'nowhere'", "a.py"],
        ["verify", "--python", "nowhere", "a.py:6"],
        ["check", "--verify", "--python", "empty", "a.py"],
        ["check", "--verify", "--python", "a.py", "a.py"],
    ],
)
def test_a_wrong_one_ends_the_run(folder: Path, arguments: list[str]) -> None:
    (folder / "empty").mkdir()
    result = CliRunner().invoke(cli.main, arguments)
    assert result.exit_code == 2 and "Error: " in result.output and "Traceback" not in result.output, result.output


def test_without_verify_it_is_said() -> None:
    result = CliRunner().invoke(cli.main, ["check", "--python", sys.executable, "a.py"])
    assert result.exit_code == 2 and "--python is for --verify" in result.output


def test_configured_paths_are_relative_to_their_file(folder: Path) -> None:
    bare = environment(folder / "bare", mlx=False)
    (folder / "pyproject.toml").write_text("[tool.mxlint]\npython = 'bare'\n", encoding="utf-8")
    (folder / "src").mkdir()
    shown = CliRunner().invoke(cli.main, ["config", "src"])
    assert f'python = "{bare}"' in shown.output
    relative = CliRunner().invoke(cli.main, ["config", "--isolated", "--config", "python = 'bare'", "src"])
    assert f'python = "{bare}"' in relative.output


@needs_mlx
def test_an_interpreter_without_mlx_is_named(folder: Path) -> None:
    bare = environment(folder / "bare", mlx=False)
    (verdict,) = [item["verify"] for item in checked("--python", "bare", "a.py")["diagnostics"] if item["code"] == "MX101"]
    assert verdict["verdict"] == "unavailable" and str(bare / "bin" / "python") in verdict["reason"]


@needs_mlx
def test_experiments_need_nothing_of_mxlint(folder: Path) -> None:
    environment(folder / ".venv")
    (verdict,) = [item["verify"] for item in checked("a.py")["diagnostics"] if item["code"] == "MX101"]
    assert verdict["verdict"] == "confirmed", verdict["reason"]
    python = folder / ".venv" / "bin" / "python"
    assert subprocess.run([python, "-c", "import mxlint"], capture_output=True, check=False).returncode != 0


@needs_mlx
def test_what_is_missing_is_missing_there(folder: Path) -> None:
    """A module that mxlint's own interpreter has, and the one of the experiment has not."""
    assert find_spec("click") is not None
    environment(folder / ".venv")
    text = PROGRAM.replace("import mlx.core as mx\n", "import click\nimport mlx.core as mx\n")
    text = text.replace("    print(x)\n", "    click.style('a')\n    print(x)\n")
    Path("a.py").write_text(text, encoding="utf-8")
    (there,) = [item["verify"] for item in checked("a.py")["diagnostics"] if item["code"] == "MX101"]
    (here,) = [item["verify"] for item in checked("--python", sys.executable, "a.py")["diagnostics"] if item["code"] == "MX101"]
    assert (here["verdict"], here["level"]) == ("confirmed", "in-place")
    assert (there["verdict"], there["level"]) != ("confirmed", "in-place")


@needs_mlx
def test_what_was_seen_under_another_is_not_kept_for_this(folder: Path) -> None:
    environment(folder / ".venv")
    cache = cache_in(folder / "cache")

    def entries() -> int:
        return sum(len(names) for _, _, names in os.walk(cache.folder))

    arguments = ["check", "--verify", "--cache-dir", "cache", "-q", "a.py"]
    counts = []
    for extra in ([], ["--python", sys.executable], []):
        CliRunner().invoke(cli.main, [*arguments, *extra])
        counts.append(entries())
    assert counts[0] < counts[1] == counts[2]


def test_what_is_installed_is_part_of_what_it_is(folder: Path) -> None:
    path = environment(folder / ".venv", mlx=False)

    def asked() -> Interpreter:
        inspected.__globals__["_asked"].cache_clear()
        return inspected(path)

    before = asked()
    assert before == asked() and before != own()
    (next(path.glob("lib/python*/site-packages")) / "thing-1.0.dist-info").mkdir()
    assert asked().environment != before.environment
