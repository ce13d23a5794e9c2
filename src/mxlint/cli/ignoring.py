"""Comments written that ignore what was found."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from mxlint.cli.output import say
from mxlint.cli.progress import progress_bar

if TYPE_CHECKING:
    from mxlint.cli.narrowing import Narrow
    from mxlint.result import Result


def with_ignores(result: Result, checker: partial[Result], options: dict[str, Any], narrow: Narrow | None) -> Result:
    """The run after comments were written for its findings. `narrow`: takes from a run the findings that are left alone."""
    from mxlint.ignores import ignored

    def look(unsaved: Mapping[str, bytes]) -> Result:
        with progress_bar(options["quiet"]) as progress:
            found = checker(unsaved=unsaved, progress=progress)
        return found if narrow is None else narrow(found)

    done = ignored(result, look, options["add_ignore"].strip())
    for problem in done.result.problems:
        if problem not in result.problems:
            say(f"Error: {problem.name}: {problem.message}")
    if not options["quiet"]:
        findings, files = (
            f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in ((done.findings, "finding"), (done.files, "file"))
        )
        say(f"Ignored {findings} in {files}")
    return done.result
