"""Fixes written to files or stdout, or shown as a diff."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from mxlint.cli.output import output, say
from mxlint.cli.progress import progress_bar
from mxlint.cli.verifying import verified
from mxlint.report.style import one_line

if TYPE_CHECKING:
    from mxlint.cli.narrowing import Narrow
    from mxlint.report.style import ColorChoice
    from mxlint.result import Result


def fixed(result: Result, checker: partial[Result], options: dict[str, Any], narrow: Narrow | None) -> Result:
    """The run after its fixes were made: written to the files, or to stdout if the source came from stdin, or only shown. `narrow`: takes from a
    run the findings that are left alone."""
    from mxlint.fixes.run import diff, made, wanted_by, written
    from mxlint.report.footer import would_fix

    def look(unsaved: Mapping[str, bytes]) -> Result:
        with progress_bar(options["quiet"]) as progress:
            found = checker(unsaved=unsaved, progress=progress)
        if narrow is not None:
            found = narrow(found)
        if options["verify"]:
            found, interrupted = verified(found, options)
            if interrupted:  # nothing is written yet
                raise Exit(interrupted)
        return replace(found, unsafe_fixes=options["unsafe_fixes"])

    before, from_stdin = result.problems, "-" in options["paths"]
    done = made(result, look, wanted_by(options["unsafe_fixes"], options["verify"]))
    result = done.result
    if options["diff"]:
        with output(options["output_file"]) as stream:
            _write_diff(stream, diff(done, named=not from_stdin or bool(options["stdin_filename"])), options["color"])
        if not options["quiet"]:
            click.echo(would_fix(result), err=True, nl=False)
    elif from_stdin:
        after = [source.data for group in done.groups for source in group.after.values()]
        with output(None) as stream:
            _write_bytes(stream, after or [checker.keywords["stdin"].data])
    else:
        result = written(done, look)
    for problem in result.problems:
        if problem not in before:
            say(f"Error: {problem.name}: {problem.message}")
    return result


def _write_diff(stream: IO[str], lines: Iterable[bytes], color: ColorChoice) -> None:
    """A diff to the byte or, where somebody looks at it, without what a terminal would obey."""
    from mxlint.report.style import style_for

    style = style_for(stream, color)
    if style.color or stream.isatty():
        texts = (line.decode(errors="replace").rstrip("\r\n") for line in lines)
        stream.writelines(style.change(one_line(text)) + "\n" for text in texts)
    else:
        _write_bytes(stream, lines)


def _write_bytes(stream: IO[str], parts: Iterable[bytes]) -> None:
    stream.flush()
    stream.buffer.writelines(parts)  # type: ignore[attr-defined]
