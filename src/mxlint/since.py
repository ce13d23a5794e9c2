"""What a run finds that an older state of the repository does not have.

The tree of that commit is written from git's objects to a temporary folder outside the user's tree, with its configuration and requirements, and is
checked there with the same command line. Its findings are then a baseline: a finding is new if nothing answers to it there, by what a baseline knows
findings by. So a finding in a file that nobody touched is new where a change elsewhere causes it, and code that was moved or reformatted is not.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from mxlint.baseline import Baseline, empty_baseline
from mxlint.config import Configs, Settings
from mxlint.discover import is_excluded
from mxlint.workdir import working_in

if TYPE_CHECKING:
    from mxlint.result import Result

_READ = frozenset({".cfg", ".gitignore", ".in", ".ipynb", ".lock", ".md", ".py", ".toml", ".txt"})
"""What a check may read of a repository: code, settings, requirements. The rest of a tree, such as weights, stays in git."""
_LINK, _SUBMODULE = "120000", "160000"


class GitError(Exception):
    """What git cannot give us; the message says what, and what helps."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the repository in the folder `top`, a real path. `ref`: what the user called it."""

    top: Path
    ref: str
    commit: str


@dataclass(frozen=True, slots=True)
class _Blob:
    """A file of a tree: its path there, with forward slashes, and where its content is."""

    path: str
    mode: str
    object: str
    top: Path


@dataclass(frozen=True, slots=True)
class Since:
    """What a run was compared with, and how many of its findings that has, too."""

    ref: str
    commit: str
    known: int


Check = Callable[[Sequence[str], Settings], "Result"]


def revision(ref: str, paths: Sequence[str], cwd: Path) -> Revision:
    """The commit that a ref means, or with `...` at its end, as in `main...`, where the history of HEAD parted from it. `paths`: what is to be
    compared with it. Raises GitError."""
    top = Path(os.path.realpath(_git(cwd, "rev-parse", "--show-toplevel", failing="--since needs a git repository").strip()))
    for path in paths:
        _inside(top, cwd, path)
    name = ref.removesuffix("...")
    commit = _commit(top, name)
    if name != ref:
        try:
            commit = _git(top, "merge-base", commit, _commit(top, "HEAD"), failing="").strip()
        except GitError:
            raise GitError(f"`{name}` and HEAD have no commit in common{_shallow(top)}") from None
    return Revision(top, ref, commit)


def baseline_at(old: Revision, paths: Sequence[str], settings: Settings, check: Check) -> Baseline:
    """What a check of the same paths finds in the tree of a commit. Files that are gone since count as well: code may have moved from there.

    Raises GitError and ConfigError.
    """
    cwd = Path(os.path.realpath(os.curdir))
    inside = [_inside(old.top, cwd, path) for path in paths]
    with TemporaryDirectory(prefix="mxlint-since-", ignore_cleanup_errors=True) as folder:
        top = Path(os.path.realpath(folder))
        blobs = list(_tree(old.top, old.commit))
        _write(blobs, top)
        here = top / cwd.relative_to(old.top)
        here.mkdir(parents=True, exist_ok=True)
        if settings.file is not None and settings.file.is_relative_to(old.top):  # the file that is named holds for both
            named = top / settings.file.relative_to(old.top)
            named.parent.mkdir(parents=True, exist_ok=True)
            named.write_bytes(settings.file.read_bytes())
            settings = replace(settings, file=named)
        with working_in(here):
            configs = Configs(settings, here)
            gone = [top / blob.path for blob in blobs if blob.path.endswith((".py", ".ipynb")) and not os.path.lexists(old.top / blob.path)]
            gone = [path for path in gone if path.is_file() and not is_excluded(path, configs.of(path.parent))]
            there = [str(top / path) for path in inside if os.path.lexists(top / path)]
            found = check([*there, *map(str, gone)], settings) if there or gone else None
            known = empty_baseline(top / "any")
            known = known if found is None else known.updated(found)
    return Baseline(old.top, known.files)


def _inside(top: Path, cwd: Path, path: str) -> Path:
    """A path relative to the repository."""
    real = Path(os.path.realpath(cwd / path))
    if not real.is_relative_to(top):
        raise GitError(f"{path} lies outside of the repository {top}, in which --since looks")
    return real.relative_to(top)


def _commit(top: Path, name: str) -> str:
    if not name:
        raise GitError("--since needs the name of a commit, such as `main` or `main...`")
    try:
        return _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", failing="").strip()
    except GitError:
        raise GitError(f"`{name}` is no commit of {top}{_shallow(top)}") from None


def _shallow(top: Path) -> str:
    """What to say of a history that was cut off, as CI does."""
    cut = _git(top, "rev-parse", "--is-shallow-repository", failing="").strip() == "true"
    return ": this is a shallow clone; `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout, brings the rest" if cut else ""


def _tree(top: Path, commit: str, prefix: str = "") -> Iterator[_Blob]:
    """The files of a commit that a check may read, those of submodules included."""
    listed = _run(top, "ls-tree", "-r", "-z", "--full-tree", commit, failing=f"the tree of {commit} cannot be read")
    for line in listed.split(b"\0")[:-1]:
        about, _, name = line.partition(b"\t")
        mode, _, object_ = about.decode().split()
        path = prefix + os.fsdecode(name)
        if not {"..", ".git", ""}.isdisjoint(path.lower().split("/")):  # git itself writes no such names
            continue
        if mode == _SUBMODULE:
            module = top / os.fsdecode(name)
            if (module / ".git").exists():
                yield from _tree(module, object_, f"{path}/")
        elif mode == _LINK or os.path.splitext(path)[1] in _READ or path.rpartition("/")[2] in _READ:
            yield _Blob(path, mode, object_, top)


def _write(blobs: Sequence[_Blob], top: Path) -> None:
    """Write files to a folder, which is then the top of a repository."""
    (top / ".git").mkdir()
    for repository in dict.fromkeys(blob.top for blob in blobs):
        own = [blob for blob in blobs if blob.top == repository]
        links = []
        for blob, data in zip(own, _contents(repository, own)):
            file = top / blob.path
            file.parent.mkdir(parents=True, exist_ok=True)
            if blob.mode == _LINK:
                links.append((file, os.fsdecode(data)))
            else:
                file.write_bytes(data)
        for file, target in links:  # those out of the tree would lead to what is there now
            if os.path.normpath(file.parent / target).startswith(os.path.join(top, "")) and not os.path.isabs(target):
                os.symlink(target, file)


def _contents(top: Path, blobs: Sequence[_Blob]) -> Iterator[bytes]:
    """What each file holds."""
    wanted = "".join(f"{blob.object}\n" for blob in blobs).encode()
    data = _run(top, "cat-file", "--batch", given=wanted, failing="what the commit holds cannot be read")
    at = 0
    for blob in blobs:
        end = data.index(b"\n", at)
        head = data[at:end].split()
        if len(head) != 3:
            raise GitError(f"{blob.path}: git has lost what it held: {data[at:end].decode(errors='replace')}")
        size = int(head[2])
        yield data[end + 1 : end + 1 + size]
        at = end + size + 2


def _git(folder: Path, *arguments: str, failing: str) -> str:
    return os.fsdecode(_run(folder, *arguments, failing=failing))


def _run(folder: Path, *arguments: str, failing: str, given: bytes | None = None) -> bytes:
    """What git prints. Raises GitError with `failing`, and what git says, where it fails."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], input=given or b"", capture_output=True, check=False)
    except OSError as error:
        raise GitError(f"--since needs git, which cannot be run: {error.strerror or error}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise GitError(f"{failing}: {said}" if said else failing)
    return done.stdout
