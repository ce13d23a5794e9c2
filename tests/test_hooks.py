"""The pre-commit hooks, run by the real pre-commit: the project as a hook repository, a made one as its user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "tests" / "fixtures"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the hook repository is made from a git checkout")]


NO_NETWORK = ("Failed to establish a new connection", "No matching distribution found", "Connection broken", "Read timed out")
"""What pip says, through pre-commit, where there is no index."""


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false")
    # A test that runs inside a git hook must not touch the repository around it.
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=True).stdout


def commit_all(folder: Path) -> None:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pre-commit installs from: a repository that holds the working tree as it is, committed or not."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    commit_all(folder)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environments it builds; shared, so that each hook is installed once."""
    return tmp_path_factory.mktemp("home")


def ran(hooks: Path, home: Path, user: Path, hook: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One hook run on all files of a repository, which names it in a configuration of its own."""
    revision = git(hooks, "rev-parse", "HEAD").strip()
    configuration = home / f"{hook}.yaml"
    configuration.write_text(f"repos:\n- repo: {hooks}\n  rev: {revision}\n  hooks:\n  - id: {hook}\n", encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "PRE_COMMIT", "PYTHON", "VIRTUAL_ENV"))}
    environment |= {"HOME": str(home), "PRE_COMMIT_HOME": str(home / "pre-commit"), "PRE_COMMIT_COLOR": "never"}
    command = [sys.executable, "-m", "pre_commit", "run", "--config", str(configuration), hook, *arguments, "--all-files"]
    done = subprocess.run(command, cwd=user, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 3 and any(reason in done.stdout for reason in NO_NETWORK):
        pytest.skip("the package index cannot be reached, from which pre-commit installs what the hooks need")
    return done


def test_mxlint_hook_fails_on_findings_and_passes_without(hooks: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "good.py").write_bytes((FIXTURES / "demo" / "good.py").read_bytes())
    (tmp_path / "notes.txt").write_text("not Python\n", encoding="utf-8")
    commit_all(tmp_path)
    clean = ran(hooks, home, tmp_path, "mxlint")
    assert clean.returncode == 0, clean.stdout + clean.stderr
    assert "Passed" in clean.stdout

    (tmp_path / "bad.py").write_bytes((FIXTURES / "demo" / "print_in_compiled.py").read_bytes())
    git(tmp_path, "add", "--all")
    flagged = ran(hooks, home, tmp_path, "mxlint")
    assert flagged.returncode == 1, flagged.stdout + flagged.stderr
    assert "bad.py:9:" in flagged.stdout
    assert "MX101" in flagged.stdout
    assert "good.py" not in flagged.stdout


def test_mxlint_hook_honours_exclude(hooks: Path, home: Path, tmp_path: Path) -> None:
    """pre-commit names files one by one, and --force-exclude leaves out those that the configuration excludes."""
    (tmp_path / "bad.py").write_bytes((FIXTURES / "demo" / "print_in_compiled.py").read_bytes())
    (tmp_path / "pyproject.toml").write_text('[tool.mxlint]\nextend-exclude = ["bad.py"]\n', encoding="utf-8")
    commit_all(tmp_path)
    done = ran(hooks, home, tmp_path, "mxlint")
    assert done.returncode == 0, done.stdout + done.stderr


def test_mxlint_fix_hook_writes_safe_fixes(hooks: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1  # mxlint: ignore[MX101]\r\n")
    commit_all(tmp_path)
    done = ran(hooks, home, tmp_path, "mxlint-fix")
    assert "files were modified by this hook" in done.stdout, done.stdout + done.stderr
    assert (tmp_path / "a.py").read_bytes() == b"x = 1\r\n"


def test_mxlint_verify_hook_says_what_is_true(hooks: Path, home: Path, tmp_path: Path) -> None:
    """At the manual stage only, since it runs the code of the project."""
    (tmp_path / "bad.py").write_bytes((FIXTURES / "demo" / "print_in_compiled.py").read_bytes())
    commit_all(tmp_path)
    unasked = ran(hooks, home, tmp_path, "mxlint-verify")
    assert "No hook with id `mxlint-verify` in stage `pre-commit`" in unasked.stdout, unasked.stdout + unasked.stderr
    done = ran(hooks, home, tmp_path, "mxlint-verify", "--hook-stage", "manual")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "MX101" in done.stdout
    assert "verify: confirmed" in done.stdout
