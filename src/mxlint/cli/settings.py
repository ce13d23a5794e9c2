"""The command line as settings, and the rules that it names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from mxlint.cli.failure import Failure
from mxlint.config import ConfigError, Settings, nearest_rule, parse_option
from mxlint.rules.registry import code_of


def settings_of(options: dict[str, Any]) -> Settings:
    """The command line as settings."""
    file: Path | None = None
    inline: dict[str, Any] = {}
    for text in options["config"]:
        if os.path.isfile(text):
            if file is not None:
                raise click.UsageError("--config takes one file at most.")
            if options["isolated"]:
                raise click.UsageError("--isolated reads no configuration file, --config names one.")
            file = Path(os.path.normpath(Path.cwd() / text))
        elif "=" in text:
            try:
                inline.update(parse_option(text))
            except ConfigError as error:
                raise Failure(str(error)) from None
        else:
            reason = "not a regular file" if os.path.exists(text) else "no such file, and not KEY = VALUE either"
            raise Failure(f"--config {text!r}: {reason}")
    return Settings(
        file=file,
        options=inline,
        isolated=options["isolated"],
        select=_codes(options.get("select")) or None,
        extend_select=_codes(options.get("extend_select")),
        ignore=_codes(options.get("ignore")),
        exclude=options.get("exclude") or None,
        extend_exclude=options.get("extend_exclude", ()),
        fail_on="never" if options.get("exit_zero") else options.get("fail_on"),
        mlx_version=options["mlx_version"],
        python=options.get("python"),
    )


def _codes(values: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(code.strip() for value in values or () for code in value.split(","))


def rule_of(text: str) -> str:
    """The code of the rule that the user means."""
    code = code_of(text)
    if code is None:
        close = nearest_rule(text)
        raise Failure(f"there is no rule `{text}`" + (f"; did you mean `{close}`?" if close else "; `mxlint rules` lists them"))
    return code
