"""Patterns as in .gitignore: git is asked."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mxlint.globs import Globs, is_pattern


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", "."], cwd=folder, check=True)
    return folder


def ignored_by_git(repository: Path, lines: list[str], paths: list[str]) -> dict[str, bool]:
    """What git makes of paths of files that are not there."""
    (repository / ".gitignore").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = ["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", "-z", "--stdin"]
    done = subprocess.run(command, cwd=repository, input="\0".join(paths), capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    found = set(done.stdout.split("\0"))
    return {path: path in found for path in paths}


PATHS = [
    "a",
    "b",
    "ab",
    "a/b",
    "a/a",
    "b/a/b",
    "a/b/a",
    "a/a/b/b",
    "a.b",
    "a-b",
    "[a]",
    "a b",
    "a ",
    "#a",
    "!a",
    "ba/aab",
    "a*b",
    "a\\b",
    "]",
    "a/-",
]


@pytest.mark.parametrize(
    "lines",
    [
        ["a"],
        ["/a"],
        ["a/"],
        ["a/b"],
        ["*"],
        ["*", "!a"],
        ["**"],
        ["**/b"],
        ["a/**"],
        ["a/**/b"],
        ["**/a/**"],
        ["a**b"],
        ["[ab]"],
        ["[!a]"],
        ["[^a]"],
        ["[z-a]"],
        ["foo[z-a]", "b"],
        ["[z-ab]"],
        ["[]]"],
        ["[a"],
        ["[a-]"],
        ["a[-]b"],
        ["\\[a\\]"],
        ["a\\"],
        ["a\\*b"],
        ["a\\\\b"],
        ["#a"],
        ["\\#a"],
        ["\\!a"],
        ["a "],
        ["a\\ "],
        ["a b"],
        ["!"],
        ["/"],
        ["//"],
        ["?//"],
        ["//a"],
        ["a//b"],
        ["a//"],
        ["**//b"],
        ["?b"],
        ["a?b"],
        ["*a*b*"],
        ["b/*", "!b/a"],
    ],
)
def test_agrees_with_git(lines: list[str], repository: Path) -> None:
    globs = Globs(lines)
    assert {path: bool(globs.cover(path)) for path in PATHS} == ignored_by_git(repository, lines, PATHS)


# Git departs from its documentation in two: a slash in a class, and `a**/b`, whose stars it takes for `**/` once it has compared the letter before them.
LINE = st.text("ab*?[]!^-/\\ .#", max_size=8).filter(lambda line: not ("[" in line and "/" in line) and not re.search(r"[^/*]\*\*+/", line))


@pytest.mark.slow
@given(st.lists(LINE, max_size=3), st.lists(st.text("ab/.-", min_size=1, max_size=9), min_size=5, max_size=20))
@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_agrees_with_git_on_anything(repository: Path, lines: list[str], paths: list[str]) -> None:
    paths = [path for path in paths if all(part.strip(".") for part in path.split("/"))]
    globs = Globs(lines)
    assert {path: bool(globs.cover(path)) for path in paths} == ignored_by_git(repository, lines, paths)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "*b", "a" * 250),
        ("**/a/" * 40 + "b", "a/" * 500 + "c"),
        ("a/**/" * 40 + "b", "a/" * 500 + "c"),
        ("?*" * 60 + "b", "a" * 250),
        ("[ab]*" * 60 + "c", "a" * 250),
    ],
)
def test_no_pattern_takes_time_without_end(pattern: str, path: str) -> None:
    """It took more than the age of the universe. The clock is only there so that a failure ends."""
    start = time.process_time()
    assert not Globs([pattern]).of(path)
    assert time.process_time() - start < 20


def test_what_means_nothing() -> None:
    assert not any(map(is_pattern, ["", " ", "#a", "!", "/", "//"]))
    assert all(map(is_pattern, ["a", "\\#a", "!a", "[z-a]", " a"]))


def test_folders() -> None:
    globs = Globs(["out/", "!out/keep/"])
    assert [globs.of("out/"), globs.of("out"), globs.of("out/keep/"), globs.of("out/a.py")] == [True, None, False, None]
    assert [globs.cover("out/a.py"), globs.cover("src/out/a/b.py"), globs.cover("src/a.py")] == [True, True, None]
