"""The options that several commands take."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

from mxlint.nearness import nearest

F = TypeVar("F", bound=Callable[..., Any])
CACHE = ".mxlint_cache"
"""Where a cache is unless the user says otherwise, in the working directory."""


class Choice(click.Choice):  # type: ignore[type-arg]  # no generic class before click 8.2
    """A choice that answers a value it does not have with the nearest one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return str(super().convert(value, param, ctx))
        except click.BadParameter as error:
            close = nearest(str(value), self.choices)
            self.fail(error.message + (f" Did you mean '{close}'?" if close else ""), param, ctx)


class OptionalValues(click.Command):
    """A command with options whose value may be left out, and else follows after a `=`: click would take the next argument for it."""

    optional = ("--add-ignore",)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        last = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [f"{arg}=" if arg in self.optional and at < last else arg for at, arg in enumerate(args)])


def reason(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """What is to stand behind a comment; raises BadParameter for what would end it, or be another one."""
    if value:
        from mxlint.ignores import is_reason

        if not is_reason(value):
            raise click.BadParameter("a reason is one line, and no directive such as `# noqa`.", ctx, param)
    return value


def options_of(*options: Callable[[F], F]) -> Callable[[F], F]:
    """One decorator for several options, shown in their order."""

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


config_options = options_of(
    click.option(
        "--config", multiple=True, metavar="FILE|'KEY = VALUE'", help="A configuration file to use, or one key to set, as in TOML."
    ),
    click.option("--isolated", is_flag=True, help="Read no configuration file, and no requirement of MLX."),
    click.option("--mlx-version", metavar="VERSION", help="The version of MLX to judge for, or a range: every measured version in it."),
)


def _named(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A folder that an option names."""
    if value == "":
        raise click.BadParameter("an empty name names no folder.")
    return value


work_options = options_of(
    click.option(
        "--cache-dir",
        type=click.Path(file_okay=False),
        callback=_named,
        metavar="DIR",
        help=f"Where to keep what was found, and what experiments showed. Default: {CACHE}.",
    ),
    click.option("-n", "--no-cache", is_flag=True, help="Keep nothing of it, and use nothing that was kept."),
    click.option(
        "--jobs", type=click.IntRange(min=1), metavar="N", help="Files or experiments at a time. Default: the cores that there are."
    ),
)

run_options = options_of(
    click.option("--stdin-filename", metavar="NAME", help="The name of the file that `-` reads."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out these paths, instead of the configured ones."),
    click.option("--extend-exclude", multiple=True, metavar="GLOB", help="Leave out these paths as well."),
    click.option("--force-exclude", is_flag=True, help="Leave out excluded paths even where they are named."),
    config_options,
    work_options,
    click.option("--color", type=Choice(["auto", "always", "never"]), default="auto", help="When to colour text."),
    click.option("-q", "--quiet", is_flag=True, help="Print findings only."),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="Say on stderr what was read, and what contained experiments; show tracebacks of internal errors.",
    ),
)


class _Seconds(click.FloatRange):
    """A time that ends: `nan` is in no range and beyond none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value} is no number of seconds", param, ctx)
        return seconds


def verify_options(keep: str, timeout: str) -> Callable[[F], F]:
    """The options of runs under MLX, with the names that `keep` and `timeout` have for this command."""
    return options_of(
        click.option(
            keep, "verify_keep", type=click.Path(file_okay=False), metavar="DIR", help="Keep what is run there, as scripts to run by hand."
        ),
        click.option(
            timeout,
            "verify_timeout",
            type=_Seconds(min=1, max=86_400),
            metavar="S",
            help="Seconds after which one run of a program is ended. Default: 20, with CUDA 60.",
        ),
        click.option(
            "--python",
            metavar="EXE",
            help="The interpreter or environment to run it in. Default: the active environment, or .venv of the project, if MLX is in it.",
        ),
    )
