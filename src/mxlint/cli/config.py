"""`mxlint config`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from mxlint.cli.failure import Failure
from mxlint.cli.options import config_options
from mxlint.cli.output import output
from mxlint.cli.settings import settings_of
from mxlint.config import ConfigError, Configs


@click.command(short_help="Print the settings in force.")
@click.argument("path", default=".", type=click.Path(exists=True))
@config_options
def config(path: str, **options: Any) -> None:
    """Print the settings that hold for a file or folder, as TOML, and where each is set."""
    from mxlint.report.settings import render

    settings = settings_of(options)
    target = Path(os.path.normpath(Path.cwd() / path))
    try:
        text = render(Configs(settings, Path.cwd()).of(target if target.is_dir() else target.parent), target, settings)
    except ConfigError as error:
        raise Failure(str(error)) from None
    with output(None) as stream:
        stream.write(text)
