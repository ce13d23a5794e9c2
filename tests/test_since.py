"""What `--since REF` reports: what the tree of the commit does not have."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from command_line import Run
from test_hooks import git

PRINTS = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    print(x, 1)\n    return x\n\n\nstep(mx.ones(3))\n"
CALLER = "import mlx.core as mx\nfrom helper import shown\n\n\n@mx.compile\ndef step(x):\n    return shown(x)\n\n\nstep(mx.ones(3))\n"
QUIET = "def shown(x):\n    return x\n"
LOUD = "def shown(x):\n    print(x)\n    return x\n"


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def commit(message: str = "change") -> None:
    git(Path(), "add", "--all")
    git(Path(), "commit", "--quiet", "--allow-empty", "--message", message)


def new(run: Run, ref: str = "HEAD", *arguments: str) -> list[str]:
    """File and row of each finding that is reported."""
    done = run("check", "--since", ref, "--output-format", "json", *arguments)
    assert done.code in (0, 1), done.err
    return [f"{finding['filename']}:{finding['location']['row']}" for finding in json.loads(done.out)["diagnostics"]]


@pytest.fixture
def repository(run: Run) -> Path:
    """One with a finding in its first commit, on the branch main."""
    git(Path(), "init", "--quiet", "--initial-branch=main")
    write("old.py", PRINTS)
    commit()
    return Path.cwd()


def test_what_was_there_is_not_reported(run: Run, repository: Path) -> None:
    assert new(run) == []
    done = run("check", "--since", "HEAD")
    assert done.code == 0
    assert done.out.endswith("Not reported: 1 finding that HEAD has, too.\n")
    since = json.loads(run("check", "--since", "main", "--output-format", "json").out)["summary"]["since"]
    assert since == {"ref": "main", "commit": git(repository, "rev-parse", "HEAD").strip(), "known": 1}


@pytest.mark.parametrize("state", ["untracked", "staged", "committed"])
def test_new_files(run: Run, repository: Path, state: str) -> None:
    write("new.py", PRINTS)
    if state != "untracked":
        git(repository, "add", "--all")
    if state == "committed":
        commit()
    assert new(run, "HEAD" if state != "committed" else "HEAD~1") == ["new.py:6"]


def test_a_changed_line_and_lines_that_moved(run: Run, repository: Path) -> None:
    write("old.py", "# above\n\n" + PRINTS.replace("print(x, 1)", "print( x,\n        1)"))
    assert new(run) == []
    write("old.py", PRINTS.replace("print(x, 1)", "print(x, 2)"))
    assert new(run) == ["old.py:6"]


def test_a_change_causes_a_finding_in_a_file_that_did_not_change(run: Run, repository: Path) -> None:
    write("caller.py", CALLER.replace("shown(x)\n", "shown(x).item()\n"))
    write("helper.py", QUIET.replace("return x", "return 1"))
    commit()
    assert "caller.py" not in run("check", "--output-format", "concise").out
    write("helper.py", QUIET)
    assert new(run) == ["caller.py:7"]


def test_a_helper_that_a_compiled_function_calls_elsewhere(run: Run, repository: Path) -> None:
    write("caller.py", CALLER)
    write("helper.py", LOUD)
    commit()
    assert new(run) == []
    write("helper.py", LOUD.replace("print(x)", "print(x, x)"))
    assert new(run) == ["helper.py:2"]
    write("caller.py", CALLER.replace("@mx.compile\n", ""))
    commit()
    write("caller.py", CALLER)
    assert new(run) == ["helper.py:2"]


@pytest.mark.parametrize("staged", [False, True])
def test_renamed_files(run: Run, repository: Path, staged: bool) -> None:
    Path("package").mkdir()
    Path("old.py").rename("package/renamed.py")
    if staged:
        git(repository, "add", "--all")
    assert new(run) == []
    assert new(run, "HEAD", "package/renamed.py") == []


def test_a_removed_suppression_and_a_setting(run: Run, repository: Path) -> None:
    """The tree of the commit has its own settings."""
    write("old.py", PRINTS.replace("print(x, 1)", "print(x, 1)  # mxlint: ignore[MX101]"))
    write("pyproject.toml", '[tool.mxlint]\nignore = ["MX101"]\n')
    write("other.py", PRINTS)
    commit()
    write("pyproject.toml", "[tool.mxlint]\n")
    assert new(run) == ["other.py:6"]
    write("old.py", PRINTS)
    assert new(run) == ["old.py:6", "other.py:6"]
    assert new(run, "HEAD", "--config", "pyproject.toml") == ["old.py:6"]


def test_merge_base(run: Run, repository: Path) -> None:
    git(repository, "switch", "--quiet", "--create", "feature")
    write("mine.py", PRINTS)
    commit()
    git(repository, "switch", "--quiet", "main")
    write("old.py", "pass\n")
    commit()
    git(repository, "switch", "--quiet", "feature")
    assert new(run, "main...") == ["mine.py:6"]
    assert new(run, "main") == ["mine.py:6", "old.py:6"]


def test_in_a_folder_of_the_repository(run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("src/a.py", PRINTS)
    commit()
    write("src/b.py", PRINTS)
    monkeypatch.chdir("src")
    assert new(run) == ["b.py:6"]
    assert new(run, "HEAD", str(repository / "src")) == ["b.py:6"]
    assert Path.cwd() == repository / "src"


def test_fixes_are_made_of_what_is_new(run: Run, repository: Path) -> None:
    unused = "x = 1  # mxlint: ignore[MX101]\n"
    write("known.py", unused)
    commit()
    write("new.py", "y" + unused[1:])
    assert run("check", "--since", "HEAD", "--fix").code == 0
    assert Path("known.py").read_text(encoding="utf-8") == unused
    assert Path("new.py").read_text(encoding="utf-8") == "y = 1\n"


def test_nothing_is_written(run: Run, repository: Path) -> None:
    write("new.py", PRINTS)
    before = sorted(path.as_posix() for path in repository.rglob("*"))
    new(run)
    after = [path.relative_to(repository) for path in repository.rglob("*")]
    assert sorted((repository / path).as_posix() for path in after if path.parts[0] != ".mxlint_cache") == before
    assert git(repository, "status", "--porcelain") == "?? new.py\n"


def test_links_and_names_that_lead_out_of_a_tree(run: Run, repository: Path) -> None:
    """A link in the tree of the commit that leads out of it is not there; one inside is followed."""
    Path("inside.py").symlink_to("old.py")
    Path("outside.py").symlink_to("/etc/passwd")
    commit()
    assert new(run) == []


def test_what_is_no_repository_or_commit(run: Run, tmp_path: Path) -> None:
    write("a.py", PRINTS)
    done = run("check", "--since", "HEAD")
    assert (done.code, done.err.startswith("Error: --since needs a git repository: fatal: not a git repository")) == (2, True)
    git(tmp_path, "init", "--quiet")
    commit()
    for ref in ("nowhere", "--all", "HEAD:a.py", "nowhere..."):
        done = run("check", f"--since={ref}")
        assert (done.code, done.err) == (2, f"Error: `{ref.removesuffix('...')}` is no commit of {tmp_path}\n")
    assert run("check", "--since=").code == 2
    done = run("check", "--since", "HEAD", "/")
    assert (done.code, "lies outside of the repository" in done.err) == (2, True)


def test_a_shallow_clone(run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit("second")
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{repository}", "cut"], check=True, capture_output=True)
    monkeypatch.chdir("cut")
    done = run("check", "--since", "HEAD~1")
    assert done.code == 2
    assert "shallow clone" in done.err and "fetch-depth: 0" in done.err


@pytest.mark.parametrize("arguments", [["-"], ["--baseline", "b.json", "--update-baseline"], ["--show-files"]])
def test_what_it_does_not_go_with(run: Run, repository: Path, arguments: list[str]) -> None:
    assert run("check", "--since", "HEAD", *arguments).code == 2
