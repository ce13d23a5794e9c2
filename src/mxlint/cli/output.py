"""What goes to stdout, to a file in its place, and to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

import click

from mxlint.cli.failure import Failure
from mxlint.report.style import one_line

if TYPE_CHECKING:
    from mxlint.result import Result


def say(text: str) -> None:
    """A line on stderr, if anybody listens."""
    with suppress(OSError):
        click.echo(one_line(text), err=True)


def say_traceback(text: str) -> None:
    """A traceback on stderr: it may quote the code that is checked, of which no line may begin one of ours."""
    for line in text.splitlines():
        say(f"| {line}")


@contextmanager
def output(file: str | None, *, to_stderr: bool = False) -> Iterator[IO[str]]:
    """Where the report goes: a file, else stdout or stderr. A reader that goes away before the end, as `head` does, is no error."""
    if file is not None:
        from io import BytesIO, TextIOWrapper

        from mxlint.files import replace_file

        data = BytesIO()
        stream = TextIOWrapper(data, encoding="utf-8", errors="backslashreplace", newline="\n")
        yield stream
        stream.flush()
        try:
            replace_file(file, data.getvalue())
        except OSError as error:
            raise Failure(f"{file}: {error.strerror or error}") from None
        return
    stdout = sys.stderr if to_stderr else sys.stdout
    if stdout is None:
        raise Failure(f"{'stderr' if to_stderr else 'stdout'} is closed")
    if hasattr(stdout, "reconfigure"):
        stdout.reconfigure(errors="backslashreplace")  # a report must not fail for a letter that the terminal lacks
    try:
        yield stdout
        stdout.flush()
    except BrokenPipeError:
        discard(stdout)
    except OSError as error:
        discard(stdout)
        raise Failure(f"cannot write to {'stderr' if to_stderr else 'stdout'}: {error.strerror or error}") from None


def discard(stream: IO[str] | None) -> None:
    """Let go of what is still buffered: it would raise again when Python shuts down."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def report_text(result: Result, stream: IO[str], options: dict[str, Any]) -> str:
    """What goes to stdout."""
    from mxlint.report.formats import report
    from mxlint.report.style import style_for

    style = style_for(stream, options["color"])
    return report(options["output_format"], result, style, quiet=options["quiet"], statistics=options["statistics"])
