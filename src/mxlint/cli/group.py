"""The command line as a whole: its commands, each of which is imported when it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

import click

from mxlint import __version__
from mxlint.cli.failure import Failure
from mxlint.cli.output import discard, say, say_traceback
from mxlint.report.style import one_line

COMMANDS = ("check", "config", "explain", "rules", "server", "sites", "verify")
"""In the order of --help. Each is the function of that name in the module of that name in this package."""
RUNNING = ("verify", "--verify", "trace")
"""What runs the code of the project: who did not ask for it is not led there by a guess."""


@contextmanager
def one_line_errors() -> Iterator[None]:
    """What click has to say of arguments quotes them: in one line, without control characters."""
    try:
        yield
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption) and error.possibilities:
            from mxlint.nearness import nearest

            close = nearest(error.option_name, [name for name in error.possibilities if name not in RUNNING])
            error.possibilities = [close] if close else []  # type: ignore[misc]  # final only by the letter
        error.message = one_line(error.message)  # type: ignore[misc]  # final only by the letter
        raise


def _what_failed(error: OSError) -> str:
    """What went wrong, in words: that the working directory is gone no error says by itself."""
    try:
        os.getcwd()
    except OSError:
        return "the working directory is not there any more"
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


class Commands(click.Group):
    """The commands, from modules of their names. An unknown one is answered with the nearest; not every click that we run on does so."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return cast("click.Command", getattr(import_module(f"mxlint.cli.{cmd_name}"), cmd_name))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from mxlint.nearness import nearest

            close = nearest(args[0], [name for name in COMMANDS if name not in RUNNING])
            ctx.fail(f"No such command '{args[0]}'." + (f" Did you mean '{close}'?" if close else ""))
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:  # some clicks exit with 0 here, others make an error of the help
            click.echo(ctx.get_help(), err=True)
            ctx.exit(Failure.exit_code)
        return super().parse_args(ctx, args)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with one_line_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with one_line_errors():
            return super().invoke(ctx)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().main(*args, **kwargs)
        except OSError as error:  # --help and --version, which click itself prints, or a working directory that is gone
            discard(sys.stdout)
            say(f"Error: {_what_failed(error)}")
            sys.exit(Failure.exit_code)
        except Exception as error:  # noqa: BLE001 a failure of ours is no finding
            import traceback

            say(f"Error: mxlint failed: {type(error).__name__}: {error}; please report this with what follows")
            say_traceback("".join(traceback.format_exception(error)))
            sys.exit(Failure.exit_code)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="mxlint", message="%(prog)s %(version)s")
def main() -> None:
    """Find the compile pitfalls of Apple's MLX in Python code, without running it unless asked to."""
