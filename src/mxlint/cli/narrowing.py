"""What a run does not report because it was there before: in the baseline, or in the tree of a commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mxlint.cli.failure import Failure
from mxlint.cli.output import output, say
from mxlint.cli.progress import progress_bar
from mxlint.config import ConfigError, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mxlint.baseline import Baseline
    from mxlint.result import Result
    from mxlint.since import Revision


class Narrowing:
    """Takes from a run, as often as one is made, the findings that the options leave out. Raises Failure where they name nothing that can be read."""

    def __init__(self, options: dict[str, Any], checker: partial[Result]) -> None:
        self._options = options
        self._checker = checker
        self._baseline = _named_baseline(options) if options["baseline"] else None
        self._revision = _named_revision(options) if options["since"] is not None else None
        self._older: Baseline | None = None

    def first(self, result: Result) -> Result:
        """The run less those findings. The baseline is brought up to date if that is asked for, and entries that nothing answers to are told."""
        if self._baseline is None:
            return self.again(result)
        if self._options["update_baseline"]:
            self._baseline = _updated(self._baseline, result, self._options)
        stale = self._baseline.applied(result)[1]
        if stale and not self._options["quiet"]:
            what = "1 entry is" if stale == 1 else f"{stale} entries are"
            say(f"Note: {what} stale in {self._options['baseline']}: --update-baseline takes {'it' if stale == 1 else 'them'} out")
        return self.again(result)

    def again(self, result: Result) -> Result:
        """The run less those findings."""
        if self._baseline is not None:
            result = self._baseline.applied(result)[0]
        if self._revision is not None:
            result = self._new(result, self._revision)
        return result

    def _new(self, result: Result, revision: Revision) -> Result:
        """The run without what the tree of the commit has. That is looked at once, and only if there is something to compare."""
        from mxlint.since import GitError, Since, baseline_at

        if self._older is None and result.findings:
            paths, settings, *_ = self._checker.args
            try:
                self._older = baseline_at(revision, paths, settings, self._check)
            except (GitError, ConfigError) as error:
                raise Failure(f"{revision.ref}: {error}") from None
        left = result if self._older is None else self._older.applied(result)[0]
        since = Since(revision.ref, revision.commit, len(result.findings) - len(left.findings))
        return replace(left, baselined=result.baselined, since=since)

    def _check(self, paths: Sequence[str], settings: Settings) -> Result:
        from mxlint.engine import check

        with progress_bar(self._options["quiet"]) as progress:
            how = {name: self._checker.keywords[name] for name in ("force_exclude", "cache", "callers", "jobs")}
            return check(paths, settings, progress=progress, **how)


Narrow = Callable[["Result"], "Result"]


def _named_revision(options: dict[str, Any]) -> Revision:
    """The commit that the options name."""
    from mxlint.since import GitError, revision

    try:
        return revision(options["since"], options["paths"], Path.cwd())
    except GitError as error:
        raise Failure(str(error)) from None


def _named_baseline(options: dict[str, Any]) -> Baseline:
    """The baseline that the options name."""
    from mxlint.baseline import BaselineError, empty_baseline, read_baseline

    file = Path(options["baseline"])
    if options["update_baseline"] and not file.exists():
        return empty_baseline(file)
    try:
        return read_baseline(file)
    except (OSError, BaselineError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        hint = "; --update-baseline makes it" if isinstance(error, FileNotFoundError) else ""
        raise Failure(f"{file}: {reason}{hint}") from None


def _updated(baseline: Baseline, result: Result, options: dict[str, Any]) -> Baseline:
    """The baseline with what a run found, written to its file."""
    new = baseline.updated(result)
    with output(options["baseline"]) as stream:
        stream.write(new.text())
    if not options["quiet"]:
        say(f"{options['baseline']} has {len(new)} finding{'' if len(new) == 1 else 's'}, and had {len(baseline)}")
    return new
