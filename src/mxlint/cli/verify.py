"""`mxlint verify`."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import click

from mxlint.cli.failure import Failure
from mxlint.cli.options import Choice, config_options, verify_options, work_options
from mxlint.cli.output import output, report_text
from mxlint.cli.running import run
from mxlint.cli.settings import rule_of
from mxlint.cli.verifying import verified
from mxlint.documents.kinds import kind_of
from mxlint.report.formats import FORMATS
from mxlint.rules.registry import RULES

_PLACE = re.compile(r"(?P<file>.+?)(?::cell (?P<cell>[0-9]{1,9}))?:(?P<row>[0-9]{1,9})", re.DOTALL)


@click.command(short_help="Put one expression to the test.")
@click.argument("place", metavar="FILE:ROW")
@click.option("--as", "code", metavar="CODE", help="The rule whose experiment to run, whether or not it says anything here.")
@verify_options("--keep", "--timeout")
@click.option("--output-format", type=Choice(list(FORMATS)), default="text", help="How to print the verdict.")
@config_options
@work_options
@click.option("--color", type=Choice(["auto", "always", "never"]), default="auto", help="When to colour text.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict only.")
@click.option("-v", "--verbose", is_flag=True, help="Say on stderr what was read, and what contained the experiments.")
@click.pass_context
def verify(ctx: click.Context, /, place: str, code: str | None, **options: Any) -> None:
    """Run the piece of the program around a row under the MLX that is installed, and say whether what is found there is true.
    In a notebook the row is one of a cell: 'FILE:cell 3:ROW'.

    The program is looked for in the whole project: the folder of the nearest pyproject.toml or repository.

    With --as it is the experiment of that rule, on the compile site, the head of the statement or the statement in the row.

    The exit code is 0 if nothing was confirmed, 1 if something was, and 2 if mxlint could not do its work.
    """
    match = _PLACE.fullmatch(place)
    if match is None or not os.path.isfile(match["file"]):
        raise click.UsageError(f"{place!r} is not FILE:ROW of a file that exists.")
    file, row, cell = match["file"], int(match["row"]), match["cell"]
    if cell is None and kind_of(file) == "notebook":
        raise click.UsageError(f"{place!r} names no cell: '{file}:cell 3:{row}' is a row of the third.")
    from mxlint.project import neighbours
    from mxlint.versions import project_root

    rule = rule_of(code) if code is not None else None
    if rule is not None and RULES[rule].experiment is None:
        raise Failure(f"{rule} has no experiment: what it says is not decided by running the program once more")
    root = project_root(Path(file).absolute().parent)
    project = [str(root)] if root is not None else neighbours(Path(file))
    how = {"force_exclude": False, "stdin_filename": None, "paths": (*project, file), "exit_zero": True, "verify": True}
    result = run({**options, **how})
    from mxlint.verify.request import asked

    wanted = asked(result, Path(file), row, rule, None if cell is None else int(cell))
    if not wanted:
        raise Failure(f"{place}: {'nothing stands there' if rule else 'no finding there; --as CODE runs the experiment of a rule anyway'}")
    result, interrupted = verified(result, options, wanted)
    with output(None) as stream:
        stream.write(report_text(result, stream, {**options, "statistics": False}))
    words = {finding.verdict.verdict for finding in result.findings if finding.verdict is not None}
    ctx.exit(interrupted or (1 if "confirmed" in words else 2 if "unavailable" in words else 0))
