"""For which MLX to judge: what the user says, else what the project requires, else the newest version that was measured.

An exact version is taken as it is. A range stands for the newest measured version that it admits, which is what an installer would pick.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mxlint.config import ConfigError, parse_toml

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

# Lock files name the one version that gets installed. They are long, and all write the version right under the name.
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
_LOCKED = re.compile(rb'^name\s*=\s*"mlx"[ \t]*\r?\nversion\s*=\s*"(?P<version>[^"]+)"', re.MULTILINE)
_REQUIREMENT = re.compile(r"\s*mlx\s*(?:\[[^\]]*\])?\s*(?P<range>(?:[<>=!~(][^;#\\]*?)?)\s*(?:\s--|[;#\\]|$)", re.IGNORECASE)


def resolve_mlx_version(start: Path, configured: str | None, measured: Sequence[str]) -> str | None:
    """The version to judge for; None is the newest of `measured`, which are in ascending order.

    `configured` is what the command line or the configuration says, a version or a range. Without it, the requirements found in the folder
    `start` and above it, up to the root of the repository, decide: an exact pin before a range, the nearest first.
    """
    if configured is not None:
        return _pick(_range(configured), measured)
    ranges = [found for folder in _folders(start) for found in _requirements(folder)]
    pinned = [found for found in ranges if _exact(found)]
    return _pick(next(iter(pinned or ranges), None), measured)


def is_version_or_range(text: str) -> bool:
    """Whether a text is a version (0.29.2) or a range (>=0.28,<0.31)."""
    return bool(_range(text))


def _range(text: str) -> SpecifierSet | None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    text = text.strip()
    try:
        return SpecifierSet(f"=={text}" if text[:1].isdigit() else text)
    except InvalidSpecifier:
        return None


def _exact(found: SpecifierSet) -> str | None:
    """The one version that a range admits, if it says so."""
    only = next(iter(found)) if len(found) == 1 else None
    return only.version if only is not None and only.operator in ("==", "===") and not only.version.endswith(".*") else None


def _pick(found: SpecifierSet | None, measured: Sequence[str]) -> str | None:
    if found is None:
        return None
    if exact := _exact(found):
        return exact
    admitted = list(found.filter(measured, prereleases=True))
    if admitted:
        return admitted[-1]
    # The range lies outside or between what was measured: its own bound is the closest that is known of it.
    bounds = sorted((bound.version.removesuffix(".*") for bound in found), key=_release)
    return bounds[-1] if bounds else None


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _folders(start: Path) -> Iterator[Path]:
    """The folder and those above it that belong to the same repository; without a repository, up to the first pyproject.toml."""
    for folder in (start, *start.parents):
        yield folder
        if (folder / ".git").exists():
            return
        if (folder / "pyproject.toml").is_file() and not any((above / ".git").exists() for above in folder.parents):
            return


def _requirements(folder: Path) -> Iterator[SpecifierSet]:
    """What the files of one folder require of MLX. Files that cannot be read say nothing: they are not ours to complain about."""
    for name in _LOCKS:
        yield from _ranges([match["version"].decode(errors="replace") for match in _LOCKED.finditer(_bytes(folder / name))])
    yield from _ranges(_listed(folder / "pyproject.toml"))
    for file in sorted(folder.glob("requirements*.txt")):
        yield from _ranges(_required(_bytes(file).decode(errors="replace").splitlines()))


def _ranges(texts: list[str]) -> list[SpecifierSet]:
    return [found for text in texts if (found := _range(text)) is not None]


def _required(lines: list[str]) -> list[str]:
    """The range in each requirement of MLX among requirements of PEP 508 or of pip."""
    return [match["range"].strip("() ") for line in lines if (match := _REQUIREMENT.match(line))]


def _listed(pyproject: Path) -> list[str]:
    """The ranges of MLX among the dependencies of a pyproject.toml: required, optional, and in groups."""
    data = _bytes(pyproject)
    if b"mlx" not in data:
        return []
    try:
        document = parse_toml(data, "")
    except ConfigError:
        return []
    project = _table(document, "project")
    lists = [
        project.get("dependencies"),
        *_table(project, "optional-dependencies").values(),
        *_table(document, "dependency-groups").values(),
    ]
    return _required([line for lines in lists if isinstance(lines, list) for line in lines if isinstance(line, str)])


def _table(document: dict[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
