"""Which files a run is about."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mxlint.config import Configs, Settings
from mxlint.discover import discover

slow_links = pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")


def tree(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")


def found(root: Path, *paths: str, force_exclude: bool = False, **settings: object) -> list[str]:
    configs = Configs(Settings(**settings), root)  # type: ignore[arg-type]
    files, problems = discover(paths or (".",), configs, root, force_exclude)
    assert problems == []
    return [file.name for file in files]


def refused(root: Path, path: str) -> str:
    """Why a path is not checked."""
    files, (problem,) = discover((path,), Configs(Settings(), root), root)
    assert files == []
    return problem.message


def test_python_files_in_a_stable_order(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a.py", "c/d/e.py", "c/a.py", "z.pyi", "notes.txt", "script", "B/x.py")
    assert found(tmp_path) == ["a.py", "b.py", "B/x.py", "c/a.py", "c/d/e.py"]
    assert found(tmp_path, "c", "b.py", "c/a.py", ".") == ["c/a.py", "c/d/e.py", "b.py", "a.py", "B/x.py"]


def test_default_excludes(tmp_path: Path) -> None:
    tree(
        tmp_path,
        "build/a.py",
        ".venv/a.py",
        "x/node_modules/a.py",
        "x/site-packages/y/a.py",
        ".git/hooks/a.py",
        "dist/a.py",
        ".hidden/a.py",
    )
    assert found(tmp_path) == [".hidden/a.py", "build/a.py"]


def test_what_is_named_is_checked(tmp_path: Path) -> None:
    tree(tmp_path, ".venv/a.py", ".venv/venv/b.py", "script", "gen/a.py", "gen/sub/b.py")
    assert found(tmp_path, ".venv/a.py", "script") == [".venv/a.py", "script"]
    assert found(tmp_path, ".venv") == [".venv/a.py"]
    assert found(tmp_path, "gen", extend_exclude=("gen", "b.py")) == ["gen/a.py"]
    assert found(tmp_path, "gen", extend_exclude=("/gen/",)) == ["gen/a.py", "gen/sub/b.py"]
    assert found(tmp_path, "gen", extend_exclude=("/gen/sub/",)) == ["gen/a.py"]


def test_force_exclude(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", ".venv/a.py", ".venv/lib/a.py", "gen/a.py")
    named = ("a.py", ".venv/a.py", ".venv/lib", "gen/a.py")
    assert found(tmp_path, *named, force_exclude=True, extend_exclude=("gen/*.py",)) == ["a.py"]


def test_excludes_are_of_gitignore_and_relative_to_their_file(tmp_path: Path) -> None:
    tree(tmp_path, "a/gen/x.py", "gen/x.py", "a/x_pb2.py", "a/keep_pb2.py", "a/y.py")
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.mxlint]\nexclude = ["/gen", "*_pb2.py", "!keep_pb2.py"]\n', encoding="utf-8")
    assert found(tmp_path) == ["a/keep_pb2.py", "a/y.py", "gen/x.py"]
    assert found(tmp_path, exclude=("a/gen",)) == ["a/keep_pb2.py", "a/x_pb2.py", "a/y.py", "gen/x.py"]


def test_gitignore(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "out/a.py", "sub/out/a.py", "sub/a.py", "sub/keep/a.py", "sub/deep/b.py", "sub/deep/c.py")
    (tmp_path / ".gitignore").write_text("# comment\n/out/\n*.tmp\nb.py\n", encoding="utf-8")
    (tmp_path / "sub" / ".gitignore").write_text("\ufeffa.py\n!/keep/a.py\n!\n", encoding="utf-8")
    (tmp_path / "sub" / "deep" / ".gitignore").write_text("!b.py\n", encoding="utf-8")
    assert found(tmp_path) == ["a.py", "sub/deep/b.py", "sub/deep/c.py", "sub/keep/a.py"]
    assert found(tmp_path, "out/a.py") == ["out/a.py"]


def test_gitignore_agrees_with_git(tmp_path: Path) -> None:
    names = ["a.py", "b/a.py", "b/c/a.py", "b/c/d.py", "e/a.py", "e/f/a.py", "g/h/i.py", "g/i.py", "local.py"]
    tree(tmp_path, *names)
    subprocess.run(["git", "init", "--quiet", "."], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("b/*\n!b/c\nb/c/d.py\ne/**/a.py\n**/h\n", encoding="utf-8")
    (tmp_path / ".git" / "info" / "exclude").write_text("local.py\n", encoding="utf-8")
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard", "*.py"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert sorted(found(tmp_path)) == sorted(listed.stdout.split())


def test_gitignore_of_parents_up_to_the_repository(tmp_path: Path) -> None:
    tree(tmp_path, "repository/sub/a.py", "repository/sub/out/a.py", "repository/ignored/a.py")
    (tmp_path / ".gitignore").write_text("sub\n", encoding="utf-8")  # outside of the repository
    (tmp_path / "repository" / ".git").mkdir()
    (tmp_path / "repository" / ".gitignore").write_text("out/\nignored/\n", encoding="utf-8")
    assert found(tmp_path / "repository" / "sub") == ["a.py"]
    assert found(tmp_path / "repository", "ignored") == ["ignored/a.py"]  # named, so wanted


def test_nearest_configuration_of_each_file(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "sub/a.py", "sub/deep/a.py")
    (tmp_path / "sub" / "pyproject.toml").write_text('[tool.mxlint]\nfail-on = "error"\n', encoding="utf-8")
    files, _ = discover((".",), Configs(Settings(), tmp_path), tmp_path)
    assert [(file.name, file.config.fail_on) for file in files] == [("a.py", "warning"), ("sub/a.py", "error"), ("sub/deep/a.py", "error")]


def test_missing_paths_are_told_and_the_others_checked(tmp_path: Path) -> None:
    tree(tmp_path, "source/a.py")
    files, problems = discover(("sources", "source", "x\0y"), Configs(Settings(), tmp_path), tmp_path)
    assert [file.name for file in files] == ["source/a.py"]
    assert [problem.name for problem in problems] == ["sources", "x\0y"]
    assert problems[0].message == "no such file or folder; did you mean `source`?"


def test_names_outside_of_the_working_directory(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "here/b.py")
    assert found(tmp_path / "here", "../a.py", ".") == [(tmp_path / "a.py").as_posix(), "b.py"]


@slow_links
def test_links(tmp_path: Path) -> None:
    tree(tmp_path, "a/b.py")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "link.py").symlink_to(tmp_path / "a" / "b.py")
    (tmp_path / "a" / "dangling.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "outside").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "other.py").symlink_to(tmp_path / "elsewhere.txt")
    tree(tmp_path, "elsewhere.txt")
    assert found(tmp_path) == ["a/b.py", "a/other.py"]
    assert found(tmp_path, "outside") == ["outside/b.py", "outside/other.py"]
    assert found(tmp_path, "outside", "a", "a/link.py") == ["outside/b.py", "outside/other.py"]
    assert found(tmp_path, "a/link.py", ".") == ["a/link.py", "a/other.py"]


@slow_links
def test_what_is_no_regular_file_is_not_walked_into(tmp_path: Path) -> None:
    tree(tmp_path, "folder.py/a.py")
    os.mkfifo(tmp_path / "pipe.py")
    assert found(tmp_path) == ["folder.py/a.py"]
    assert refused(tmp_path, "pipe.py") == "not a regular file; `-` reads from stdin"


@slow_links
def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "dangling.py").symlink_to("nowhere.py")
    (tmp_path / "circle.py").symlink_to("circle.py")
    assert refused(tmp_path, "dangling.py") == "a link to `nowhere.py`, which does not exist"
    assert refused(tmp_path, "circle.py") == os.strerror(errno.ELOOP)


def test_folders_that_may_not_be_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, "open/a.py", "locked/b.py")
    locked = str(tmp_path / "locked")
    real_stat, real_scandir = os.stat, os.scandir

    def stat(path: str, **options: Any) -> os.stat_result:
        if str(path).startswith(os.path.join(locked, "")):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real_stat(path, **options)

    def scandir(path: str) -> Any:
        if str(path) == locked:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real_scandir(path)

    monkeypatch.setattr(os, "stat", stat)
    monkeypatch.setattr(os, "scandir", scandir)
    for named in ("locked", "locked/b.py"):
        files, problems = discover((named, "open"), Configs(Settings(), tmp_path), tmp_path)
        assert [file.name for file in files] == ["open/a.py"]
        assert [(problem.name, problem.message) for problem in problems] == [(named, "Permission denied")]
