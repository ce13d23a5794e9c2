"""The run that the options ask for, and what is said of it on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mxlint.cli.cores import cores
from mxlint.cli.failure import Failure
from mxlint.cli.options import CACHE
from mxlint.cli.output import say, say_traceback
from mxlint.cli.progress import progress_bar
from mxlint.cli.settings import settings_of
from mxlint.config import ConfigError

if TYPE_CHECKING:
    from mxlint.result import Result

_CODE = (".py", ".pyi", ".pyw", ".ipynb", ".md", "-")


def checker_of(options: dict[str, Any]) -> partial[Result]:
    """`engine.check` of what the options name; what is left to say is how far it is, and which files are taken to hold something else."""
    from mxlint.engine import check
    from mxlint.survey import Stdin

    paths, stdin = options["paths"] or (".",), None
    if "" in paths:
        raise click.UsageError("An empty path names nothing; '.' is the folder at hand.")
    if "-" in paths:
        if len(paths) > 1:
            raise click.UsageError("'-' cannot be combined with other paths.")
        if sys.stdin is None:
            raise Failure("stdin is closed")
        stdin = Stdin(sys.stdin.buffer.read(), options["stdin_filename"])
    elif options["stdin_filename"]:
        raise click.UsageError("--stdin-filename is for '-'.")
    how = {"stdin": stdin, "force_exclude": options["force_exclude"], "with_facts": options.get("verify", False)}
    how["cache"] = cache_folder(options)
    how["jobs"] = options["jobs"] or cores()
    how["callers"] = options.get("callers", False)
    return partial(check, paths, settings_of(options), **how)


def cache_folder(options: dict[str, Any]) -> Path | None:
    """Where the options have it kept what was found, if there can be such a folder."""
    folder = Path.cwd() / (options["cache_dir"] or CACHE)
    return None if options["no_cache"] or folder.is_file() else folder


def run(options: dict[str, Any], checker: partial[Result] | None = None) -> Result:
    """The run that the options ask for, less its findings: what it has to say on stderr is said here."""
    checker = checker or checker_of(options)
    try:
        with progress_bar(options["quiet"]) as progress:
            result = checker(progress=progress)
    except ConfigError as error:
        raise Failure(str(error)) from None

    for problem in result.problems:
        say(f"Error: {problem.name}: {problem.message}")
    for finding in result.findings:  # why the exit code is 2 is said also where the report goes to a program
        if finding.code == "MX004":
            say(f"Error: {finding.span.filename}: {finding.message}")
    if not options["quiet"]:
        for note in (*result.notes, *_newer(result), *_read_as_python(result)):
            say(f"Note: {note}")
        if cache_folder(options) is None and not options["no_cache"]:
            say(f"Note: {CACHE} is a file, where the folder of the cache would be: nothing is kept")
        if not result.files and not result.problems:
            say(f"No Python files or notebooks found under {', '.join(options['paths'] or ('.',))}: nothing to check")
        if options["verbose"]:
            version = f", for MLX {', '.join(result.mlx_versions)}" if result.mlx_versions else ""
            callers = f", {result.callers} that import them" if result.callers else ""
            say(f"files: {result.files} read, {result.parsed} parsed{callers}{version}")
            for traceback in result.tracebacks:
                say_traceback(traceback)
    return result


def _read_as_python(result: Result) -> Iterator[str]:
    """Which files that are not valid Python are perhaps none, by their names."""
    for finding in result.findings:
        name = finding.span.filename
        if finding.code == "MX003" and not name.endswith(_CODE):
            yield f"{name} is read as Python, since it was named"


def _newer(result: Result) -> Iterator[str]:
    """Which files need a newer Python than this one, in a line for each version."""
    for version in sorted(set(result.newer.values())):
        first, *others = sorted(name for name, needed in result.newer.items() if needed == version)
        files = f"{first} and {len(others)} more files require" if len(others) > 1 else f"{' and '.join((first, *others))} require"
        yield f"{files}{'' if others else 's'} Python {version}: run mxlint with it"
