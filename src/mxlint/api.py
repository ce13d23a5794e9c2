"""The Python interface: `mxlint.check`, and what it gives. docs/api.md describes it; fields are only ever added."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mxlint.config import ConfigError, Settings
from mxlint.discover import Problem as _Problem
from mxlint.engine import check as _check
from mxlint.finding import Applicability, Position, Severity, Span
from mxlint.finding import Finding as _Finding
from mxlint.report.fingerprint import fingerprints
from mxlint.report.formats import FORMATS, report
from mxlint.report.places import place_of
from mxlint.report.style import Style
from mxlint.rules.registry import NAMES, page_url
from mxlint.survey import Stdin

if TYPE_CHECKING:
    from mxlint.result import Result as _Run

PathLike = str | os.PathLike[str]
Format = Literal["text", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "rdjson"]


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a file. `filename` is relative to the working directory if it lies below it, with forward slashes; `cell` is the number of the cell in
    a notebook, whose rows are meant then, else None. Rows and columns count from 1, columns in code points; `end` is exclusive."""

    filename: str
    cell: int | None
    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains a finding, such as "compiled here"."""

    message: str
    place: Place


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace what stands at `place` by `content`."""

    content: str
    place: Place


@dataclass(frozen=True, slots=True)
class Fix:
    """What to write instead. `applicability`: "safe", "unsafe" (behaviour may change), or "display" (not enough alone)."""

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect. `code` and `name` are those of its rule, `url` is the rule's page; `message` is a headline of at most 90 characters,
    and `note` says more; `conditions` and `presumed` are what it depends on, in words; `object` is the enclosing function or class, if any; `fingerprint` stays
    while the code around it moves."""

    code: str
    name: str
    severity: Severity
    message: str
    help: str
    url: str
    place: Place
    object: str | None
    related: tuple[Related, ...]
    fix: Fix | None
    fingerprint: str
    note: str | None
    conditions: tuple[str, ...]
    presumed: tuple[str, ...]

    def __str__(self) -> str:
        """`path:row:column: CODE message`."""
        cell = f"cell {self.place.cell}:" if self.place.cell is not None else ""
        return f"{self.place.filename}:{cell}{self.place.start.row}:{self.place.start.column}: {self.code} {self.message}"


@dataclass(frozen=True, slots=True)
class Problem:
    """A path that could not be checked, and why."""

    filename: str
    message: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a run found. `files`: how many were read; `baselined`: findings that the baseline has; `exit_code`: that of the command, 0 nothing that fails the
    run, 1 findings, 2 something could not be checked."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    files: int
    baselined: int
    exit_code: int
    _run: _Run = field(repr=False, compare=False)

    def report(self, format: Format = "text") -> str:
        """The report of the command in one of its formats, without colours."""
        if format not in FORMATS:
            raise ValueError(f"no format {format!r}; there are {', '.join(FORMATS)}")
        return report(format, self._run, Style())


def check(
    paths: PathLike | Iterable[PathLike],
    config: PathLike | Mapping[str, object] | None = None,
    *,
    isolated: bool = False,
    force_exclude: bool = False,
    mlx_version: str | None = None,
    baseline: PathLike | None = None,
) -> Result:
    """Check files and folders, as `mxlint check` does: comments and settings are respected, no code is run.

    `config`: a file of settings in place of those that the paths lead to, or settings by name that stand over them, as in [tool.mxlint]. `isolated`:
    read no file of settings. `force_exclude`: leave out excluded paths even where they are named. `mlx_version`: as `--mlx-version`.
    `baseline`: a file of findings that are not reported. A path that cannot be checked is a problem in the result.

    Raises ConfigError for settings that cannot be followed, BaselineError or OSError for a baseline that cannot be read, ValueError for an empty path.
    """
    given = [os.fspath(path) for path in ((paths,) if isinstance(paths, (str, os.PathLike)) else paths)]
    if "" in given:
        raise ValueError("an empty path names nothing; '.' is the folder at hand")
    with _own_settings(config):
        run = _check(given, _settings(config, isolated, mlx_version), force_exclude=force_exclude, callers=True)
    return _result(run if baseline is None else _less(run, Path(baseline)))


def check_source(
    source: str | bytes,
    filename: PathLike,
    config: PathLike | Mapping[str, object] | None = None,
    *,
    isolated: bool = False,
    mlx_version: str | None = None,
) -> Result:
    """Check what a file is taken to hold, as `mxlint check --stdin-filename NAME -` does; the file need not be there.

    Its name says what it is (`.py`, `.ipynb`, `.md`), and where imports and settings are looked for. Arguments and errors are those of `check`.
    """
    if not os.fspath(filename):
        raise ValueError("an empty filename names nothing")
    # A lone surrogate, which is in no file, is a syntax error of the text (MX003), not one of the caller.
    data = source.encode(errors="surrogatepass") if isinstance(source, str) else source
    with _own_settings(config):
        return _result(_check((), _settings(config, isolated, mlx_version), stdin=Stdin(data, os.fspath(filename)), callers=True))


@contextmanager
def _own_settings(config: object) -> Iterator[None]:
    """What is wrong with settings that a program gives is no fault of a `--config`."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(str(error).removeprefix("--config ") if isinstance(config, Mapping) else str(error)) from None


def _settings(config: PathLike | Mapping[str, object] | None, isolated: bool, mlx_version: str | None) -> Settings:
    if isinstance(config, Mapping):
        return Settings(options=dict(config), isolated=isolated, mlx_version=mlx_version, called=_called)
    if config is None:
        return Settings(isolated=isolated, mlx_version=mlx_version, called=_called)
    if isolated:
        raise ValueError("isolated reads no file of settings, config names one")
    return Settings(file=Path(os.path.normpath(Path.cwd() / config)), mlx_version=mlx_version, called=_called)


def _called(key: str) -> str:
    """The argument that gives a setting."""
    return key.replace("-", "_")


def _less(run: _Run, file: Path) -> _Run:
    """The run without what a baseline has."""
    from mxlint.baseline import read_baseline

    return read_baseline(file).applied(run)[0]


def _result(run: _Run) -> Result:
    return Result(
        findings=tuple(_finding(finding, printed, run) for finding, printed in zip(run.findings, fingerprints(run.findings, run.sources))),
        problems=tuple(map(_problem, run.problems)),
        files=run.files,
        baselined=run.baselined,
        exit_code=run.exit_code,
        _run=run,
    )


def _problem(problem: _Problem) -> Problem:
    return Problem(problem.name, problem.message)


def _finding(finding: _Finding, fingerprint: str, run: _Run) -> Finding:
    def place(span: Span) -> Place:
        where = place_of(span, run.sources)
        return Place(where.filename, where.cell, where.start, where.end)

    fix = finding.fix
    return Finding(
        code=finding.code,
        name=NAMES[finding.code],
        severity=finding.severity,
        message=finding.message,
        help=finding.help,
        url=page_url(finding.code),
        place=place(finding.span),
        object=finding.object,
        related=tuple(Related(related.message, place(related.span)) for related in finding.related),
        fix=Fix(fix.applicability, fix.message, tuple(Edit(edit.content, place(edit.span)) for edit in fix.edits)) if fix else None,
        fingerprint=fingerprint,
        note=finding.note or None,
        conditions=finding.conditions,
        presumed=finding.presumed,
    )
