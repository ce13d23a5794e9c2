"""The baseline that a run is compared with, and brought up to date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mxlint.cli.failure import Failure
from mxlint.cli.output import output, say

if TYPE_CHECKING:
    from mxlint.baseline import Baseline
    from mxlint.engine import Result


def named_baseline(options: dict[str, Any]) -> Baseline:
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


def compared(baseline: Baseline, result: Result, options: dict[str, Any]) -> tuple[Baseline, Result]:
    """The baseline, brought up to date if that is asked for, and the run without what it has."""
    if options["update_baseline"]:
        baseline = _updated(baseline, result, options)
    result, stale = baseline.applied(result)
    if stale and not options["quiet"]:
        what = "1 entry is" if stale == 1 else f"{stale} entries are"
        say(f"Note: {what} stale in {options['baseline']}: --update-baseline takes {'it' if stale == 1 else 'them'} out")
    return baseline, result


def _updated(baseline: Baseline, result: Result, options: dict[str, Any]) -> Baseline:
    """The baseline with what a run found, written to its file."""
    new = baseline.updated(result)
    with output(options["baseline"]) as stream:
        stream.write(new.text())
    if not options["quiet"]:
        say(f"{options['baseline']} has {len(new)} finding{'' if len(new) == 1 else 's'}, and had {len(baseline)}")
    return new
