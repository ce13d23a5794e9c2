"""The exit code of 2."""

from __future__ import annotations

import click


class Failure(click.ClickException):
    """mxlint cannot do its work."""

    exit_code = 2
