"""For which MLX to judge: what the user says, else what the project requires, else the newest version that was measured.

An exact version is taken as it is. A range stands for every measured version that it admits, because any of them may be installed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mxlint.config import ConfigError, parse_toml
from mxlint.specifiers import as_range

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

# Lock files name the one version that gets installed. They are long, and all write the version right under the name.
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
DECIDING = ("pyproject.toml", "setup.cfg", *_LOCKS)
"""The files of a project that say for which versions it is, beside requirements*.txt."""
_LOCKED = re.compile(rb'^name\s*=\s*"mlx"[ \t]*\r?\nversion\s*=\s*"(?P<version>[^"]+)"', re.MULTILINE)
_INCLUDE = re.compile(r"\s*(?:-r|--requirement|-c|--constraint)(?:\s+|=|(?<=-[rc]))(?P<file>[^\s#]+)")
_MOST_FILES = 32  # of requirements that include each other
_MOST_DIGITS = 1_000  # of a number: Python makes none of more than 4,300, and no version has as many
_POETRY_BOUND = re.compile(r"(\^|~=|~|[<>!=]=|[<>=])?\s*(\d[\w.*+]*)")
_REQUIREMENT = re.compile(r"\s*mlx\s*(?:\[[^\]]*\])?\s*(?P<range>(?:[<>=!~(][^;#\\]*?)?)\s*(?:\s--|[;#\\]|$)", re.IGNORECASE)
_BLANKS = re.compile(r"(?<=\S)[ \t]{2,}")  # inside of a line, over which configparser takes its time, too
_NAME = re.compile(r"\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:$|[\[<>=!~(;#@,])")


def resolve_mlx_versions(start: Path, configured: str | None, measured: Sequence[str]) -> tuple[str, ...]:
    """The versions to judge for; none is the newest of `measured`. Both are in ascending order.

    `configured` is what the command line or the configuration says, a version or a range. Without it, the requirements found in the folder
    `start` and above it, up to the root of the repository, decide: an exact pin before a range, the nearest first.
    """
    if configured is not None:
        return _pick(as_range(configured), measured)
    ranges = [found for folder in project_folders(start) for found in _requirements(folder)]
    pinned = [found for found in ranges if _exact(found)]
    return _pick(next(iter(pinned or ranges), None), measured)


def _exact(found: SpecifierSet) -> str | None:
    """The one version that a range admits, if it says so."""
    only = next(iter(found)) if len(found) == 1 else None
    return only.version if only is not None and only.operator in ("==", "===") and not only.version.endswith(".*") else None


def _pick(found: SpecifierSet | None, measured: Sequence[str]) -> tuple[str, ...]:
    if not found:
        return ()
    if exact := _exact(found):
        return (exact,)
    admitted = tuple(found.filter(measured, prereleases=True))
    if admitted:
        return admitted
    # The range lies outside or between what was measured: judge for a version on its edge, which lies nearest to something measured.
    bounds = [bound.version.removesuffix(".*") for bound in found]
    beside = [near for bound in found if bound.operator in ("<", ">") for near in _beside(bound.version, bound.operator)]
    for edges in (bounds, beside):
        inside = sorted(found.filter(edges, prereleases=True), key=_release)
        if inside:
            return (inside[-1],)
    return ()  # nothing lies in it


def _beside(version: str, operator: str) -> Iterator[str]:
    """The release right below or above one that a range leaves out."""
    numbers = list(_release(version))
    if operator == ">":
        yield ".".join(map(str, [*numbers[:-1], numbers[-1] + 1] if len(numbers) > 2 else [*numbers, 1]))
        return
    while numbers and not numbers[-1]:
        numbers.pop()
    if numbers:
        yield ".".join(map(str, [*numbers[:-1], numbers[-1] - 1]))


def _release(version: str) -> tuple[int, ...]:
    from packaging.version import Version

    return Version(version).release


def requires_python(start: Path) -> SpecifierSet | None:
    """The versions of Python that the project of a folder is for, as its pyproject.toml says; None if it says nothing."""
    for folder in project_folders(start):
        said = _table(_document(_bytes(folder / "pyproject.toml")), "project").get("requires-python")
        if isinstance(said, str) and (found := as_range(said)):
            return found
    return None


def project_folders(start: Path) -> Iterator[Path]:
    """The folder and those above it that belong to the same repository; without a repository, up to the first pyproject.toml."""
    for folder in (start, *start.parents):
        yield folder
        if os.path.exists(folder / ".git"):
            return
        if os.path.isfile(folder / "pyproject.toml") and not any(os.path.exists(above / ".git") for above in folder.parents):
            return


def project_root(start: Path) -> Path | None:
    """The nearest folder, from `start` up, that says it is a project's: by a pyproject.toml or by a repository."""
    return next(
        (folder for folder in (start, *start.parents) if os.path.isfile(folder / "pyproject.toml") or os.path.exists(folder / ".git")), None
    )


def _requirements(folder: Path) -> Iterator[SpecifierSet]:
    """What the files of one folder require of MLX. Files that cannot be read say nothing: they are not ours to complain about."""
    for name in _LOCKS:
        yield from _ranges([match["version"].decode(errors="replace") for match in _LOCKED.finditer(_bytes(folder / name))])
    yield from _ranges(_listed(folder / "pyproject.toml"))
    yield from _ranges(_setup_cfg(folder / "setup.cfg"))
    yield from _ranges(_required(_lines(sorted(folder.glob("requirements*.txt")))))


def _lines(files: list[Path]) -> list[str]:
    """The lines of requirements files and of those they include, each file once."""
    lines: list[str] = []
    waiting = files[::-1]
    seen: set[str] = set()
    while waiting and len(seen) < _MOST_FILES:
        file = waiting.pop()
        if (real := os.path.realpath(file)) in seen:
            continue
        seen.add(real)
        own = [_condensed(line) for line in _bytes(file).decode(errors="replace").splitlines()]
        lines += own
        waiting += [file.parent / match["file"].strip("\"'") for line in reversed(own) if (match := _INCLUDE.match(line))]
    return lines


def _ranges(texts: list[str]) -> list[SpecifierSet]:
    """What texts say of a version: one that admits every version says nothing."""
    return [found for text in texts if (found := as_range(text))]


def _required(lines: list[str]) -> list[str]:
    """The range in each requirement of MLX among requirements of PEP 508 or of pip."""
    return [match["range"].strip("() ") for line in map(_condensed, lines) if (match := _REQUIREMENT.match(line))]


def _condensed(text: str) -> str:
    """The text with one blank for several: expressions that skip blanks in more than one place take their time over many."""
    return " ".join(text.split())


def _listed(pyproject: Path) -> list[str]:
    """The ranges of MLX among the dependencies of a pyproject.toml: required, optional, and in groups."""
    data = _bytes(pyproject)
    if b"mlx" not in data.lower():
        return []
    document = _document(data)
    return _required(_dependencies(document)) + _of_poetry(_table(_table(document, "tool"), "poetry"))


def required_names(folder: Path) -> list[str]:
    """The distributions that the files of one folder require, whatever for."""
    document = _document(_bytes(folder / "pyproject.toml"))
    lines = [*_dependencies(document), *_of_setup_cfg(folder / "setup.cfg"), *_lines(sorted(folder.glob("requirements*.txt")))]
    names = [match["name"] for line in map(_condensed, lines) if (match := _NAME.match(line))]
    return names + [name for table in _poetry_tables(_table(_table(document, "tool"), "poetry")) for name in table]


def _document(data: bytes) -> dict[str, Any]:
    try:
        return parse_toml(data, "")
    except ConfigError:
        return {}


def _dependencies(document: dict[str, Any]) -> list[str]:
    project = _table(document, "project")
    lists = [
        project.get("dependencies"),
        *_table(project, "optional-dependencies").values(),
        *_table(document, "dependency-groups").values(),
    ]
    return [line for lines in lists if isinstance(lines, list) for line in lines if isinstance(line, str)]


def _poetry_tables(poetry: dict[str, Any]) -> list[dict[str, Any]]:
    groups = _table(poetry, "group")
    tables = [poetry, *(_table(groups, name) for name in groups)]
    return [_table(table, key) for table in tables for key in ("dependencies", "dev-dependencies")]


def _of_poetry(poetry: dict[str, Any]) -> list[str]:
    """The ranges of MLX in Poetry's own tables, where `mlx = "^0.22"` or `mlx = { version = "^0.22", ... }`."""
    found: list[str] = []
    for dependencies in _poetry_tables(poetry):
        for name, value in dependencies.items():
            version = value.get("version") if isinstance(value, dict) else value
            if name.lower() == "mlx" and isinstance(version, str):
                # Of alternatives the last, which is by custom the newest.
                bounds = [_bound(*bound) for bound in _POETRY_BOUND.findall(_condensed(version.rpartition("||")[2]))]
                found.append(",".join(bounds))
    return found


def _bound(operator: str, version: str) -> str:
    """A bound of Poetry's in the terms of PEP 440: `^` keeps the first number that is not 0, `~` the first two."""
    if operator not in ("^", "~"):
        return f"{operator or '=='}{version}"
    numbers = [int(number[:_MOST_DIGITS]) for number in re.findall(r"\d+", version)]
    kept = min(2, len(numbers)) if operator == "~" else next((at for at, number in enumerate(numbers, 1) if number), len(numbers))
    return f">={version},<{'.'.join(map(str, [*numbers[: kept - 1], numbers[kept - 1] + 1]))}"


def _setup_cfg(file: Path) -> list[str]:
    """The ranges of MLX in a setup.cfg: required, and for extras."""
    return _required(_of_setup_cfg(file)) if b"mlx" in _bytes(file).lower() else []


def _of_setup_cfg(file: Path) -> list[str]:
    """The requirements in a setup.cfg: of the project, and for extras."""
    from configparser import Error, RawConfigParser

    parser = RawConfigParser()
    try:
        parser.read_string(_BLANKS.sub(" ", _bytes(file).decode(errors="replace")))
    except Error:
        return []
    values = [parser.get("options", "install_requires", fallback="")]
    if parser.has_section("options.extras_require"):
        values += [value for _, value in parser.items("options.extras_require")]
    return [line for value in values for line in value.splitlines()]


def _table(document: dict[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes() if os.path.isfile(file) else b""
    except OSError:
        return b""
