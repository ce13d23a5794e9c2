"""`mxlint check`."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mxlint.cli.contradictions import refuse_contradictions
from mxlint.cli.failure import Failure
from mxlint.cli.options import Choice, OptionalValues, reason, run_options, verify_options
from mxlint.cli.output import output, report_text, say
from mxlint.cli.running import checker_of, run
from mxlint.cli.settings import settings_of
from mxlint.config import FAIL_ON, ConfigError, Configs
from mxlint.report.formats import FORMATS
from mxlint.report.style import at_start

if TYPE_CHECKING:
    from functools import partial

    from mxlint.cli.narrowing import Narrowing
    from mxlint.result import Result


@click.command(cls=OptionalValues, short_help="Check files and folders.")
@click.argument("paths", nargs=-1, metavar="[PATH…|-]")
@click.option("--output-format", type=Choice(list(FORMATS)), default="text", help="How to print findings.")
@click.option(
    "-o",
    "--output-file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Print them to a file, which is replaced at the end and in one step.",
)
@click.option("--select", multiple=True, metavar="CODES", help="Rules to check: codes, prefixes, names or ALL, with commas between.")
@click.option("--extend-select", multiple=True, metavar="CODES", help="Rules to check as well.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Rules not to check.")
@run_options
@click.option("--fix", is_flag=True, help="Write the fixes that change no behaviour to the files, and report what is left.")
@click.option("--unsafe-fixes", is_flag=True, help="Count fixes that may change behaviour as well: for --fix, --diff and the marks [*].")
@click.option("--diff", is_flag=True, help="Print what --fix would change, as a unified diff, and change nothing.")
@click.option("--fail-on", type=Choice(FAIL_ON), help="The lowest severity that makes the exit code 1. Default: warning.")
@click.option("-e", "--exit-zero", is_flag=True, help="The same as --fail-on never.")
@click.option("--verify", is_flag=True, help="Run pieces of the program under the MLX installed here, and say which findings are true.")
@verify_options("--verify-keep", "--verify-timeout")
@click.option(
    "--report", type=click.Path(dir_okay=False), metavar="FILE.html", help="Write the findings, with what verified them, as a page."
)
@click.option(
    "--statistics",
    is_flag=True,
    help="Print how often each rule spoke, and how far compiled functions were followed, after the findings.",
)
@click.option("--timings", is_flag=True, help="Print to stderr how long each stage took.")
@click.option("--baseline", type=click.Path(dir_okay=False), metavar="FILE", help="Report only what this file does not have.")
@click.option("--update-baseline", is_flag=True, help="Write what is found to that file, so that it is not reported any more.")
@click.option(
    "--add-ignore",
    metavar="[=REASON]",
    callback=reason,
    help="Write comments that ignore what is found, with a reason for people if one is given, and report what is left.",
)
@click.option(
    "--since",
    metavar="REF",
    help="Report only what the tree of this commit does not have; `main...` is the commit where the history parted from main.",
)
@click.option("-w", "--watch", is_flag=True, help="Check again whenever something that was read has changed, until Ctrl-C.")
@click.option("--show-files", is_flag=True, help="Print the files that would be checked, as text or JSON, and check none.")
@click.pass_context
def check(ctx: click.Context, /, **options: Any) -> None:
    """Check Python files and notebooks, and those in folders; `-` reads one from stdin.

    A file that is named is checked with the files of its project that import it. Reported is what lies in it, and what it does with the files that it imports.

    The exit code is 0 if there is nothing at or over --fail-on, 1 if there is, and 2 if mxlint could not do its work;
    130 if the run was interrupted: a verifying one reports what it has. With --fix it is about what is left, with --diff 1 if
    there is something to change. With `-`, --fix prints the fixed source to stdout, and the report to stderr.
    """
    refuse_contradictions(ctx, options)
    if options["watch"]:
        from mxlint.cli.watching import watch

        watch(options, _checked)
    ctx.exit(_checked(options)[0])


def _checked(options: dict[str, Any]) -> tuple[int, Result | None]:
    """One run: its exit code, and what it found, if it looked for anything."""
    for file in (options["report"], options["output_file"], options["baseline"]):
        if file is not None and not Path(file).absolute().parent.is_dir():  # said before the work is done
            raise Failure(f"{file}: {os.strerror(errno.ENOENT)}")
    for file in (options["report"], options["output_file"]):
        if file is not None and Path(file).suffix in (".py", ".pyi", ".ipynb") and Path(file).is_file():
            raise Failure(f"{file}: there is code in it, which a report would replace: name another file")
    checker = checker_of({**options, "callers": True})
    if options["show_files"]:
        return _show_files(options), None
    narrowing = _narrowing(options, checker)
    result, interrupted = run(options, checker), None
    if narrowing is not None:
        result = narrowing.first(result)
    if options["verify"]:
        from mxlint.cli.verifying import verified

        result, interrupted = verified(result, options)
    result = replace(result, unsafe_fixes=options["unsafe_fixes"])
    if (options["fix"] or options["diff"]) and not interrupted:
        from mxlint.cli.fixing import fixed

        result = fixed(result, checker, options, narrowing.again if narrowing is not None else None)
    if options["add_ignore"] is not None:
        from mxlint.cli.ignoring import with_ignores

        result = with_ignores(result, checker, options, narrowing.again if narrowing is not None else None)
    _write(result, options)
    if options["timings"]:
        for stage, seconds in result.timings.items():
            say(f"{stage:>10} {seconds * 1000:8.1f} ms")
        say(f"{'cached':>10} {result.cached:8} of {result.parsed + result.callers} files")
    return interrupted or (_diff_exit_code(result, options) if options["diff"] else result.exit_code), result


def _narrowing(options: dict[str, Any], checker: partial[Result]) -> Narrowing | None:
    """What leaves out findings that were there before, if the options ask for that."""
    if not options["baseline"] and options["since"] is None:
        return None
    from mxlint.cli.narrowing import Narrowing

    return Narrowing(options, checker)


def _write(result: Result, options: dict[str, Any]) -> None:
    """The page and the report. A diff is all that --diff prints."""
    if options["report"]:
        from mxlint.report.html.page import render

        with output(options["report"]) as stream:
            stream.write(render(result))
    if not options["diff"]:
        with output(options["output_file"], to_stderr=options["fix"] and "-" in options["paths"]) as stream:
            stream.write(report_text(result, stream, options))


def _diff_exit_code(result: Result, options: dict[str, Any]) -> int:
    """1 if there is something to change, as for ruff, whatever is left besides."""
    return 2 if result.exit_code == 2 else int(bool(result.fixed) and not options["exit_zero"])


def _show_files(options: dict[str, Any]) -> int:
    """Print the names of the files that a run would check; its exit code."""
    from mxlint.discover import discover
    from mxlint.report.ascii import dumped

    cwd = Path.cwd()
    try:
        files, problems = discover(options["paths"] or (".",), Configs(settings_of(options), cwd), cwd, options["force_exclude"])
    except ConfigError as error:
        raise Failure(str(error)) from None
    for problem in problems:
        say(f"Error: {problem.name}: {problem.message}")
    with output(options["output_file"]) as stream:
        if options["output_format"] == "json":
            stream.write(dumped([file.name for file in files]))
        else:
            stream.writelines(f"{at_start(file.name)}\n" for file in files)
    return Failure.exit_code if problems else 0
