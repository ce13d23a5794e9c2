"""Options of `check` that do not go together: each combination does what it says, or is a usage error."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from mxlint.report.formats import FORMATS

_REPORTS = ("report", "statistics")
_CHANGES = ("fix", "diff", "add_ignore", "update_baseline")
_NOT_WITH: dict[str, tuple[str, ...]] = {
    "show_files": (*_REPORTS, *_CHANGES, "verify", "since", "timings"),
    "diff": _REPORTS,
    "update_baseline": ("fix", "diff", "since"),
    "watch": (*_CHANGES, "show_files"),
    "add_ignore": ("fix", "diff", "update_baseline", "verify"),
}
"""What an option leaves nothing to do for."""
_NEEDS = {"verify_keep": "verify", "verify_timeout": "verify", "python": "verify", "update_baseline": "baseline"}
_NOT_WITH_STDIN = ("show_files", "since", "add_ignore", "watch")
_FORMATS = {"show_files": ("text", "json"), "diff": ("text",)}
"""The formats of what is not a report."""


def refuse_contradictions(ctx: click.Context, options: dict[str, Any]) -> None:
    """Raises UsageError for options that do not go together."""

    def given(name: str) -> bool:
        return options.get(name) not in (None, False)

    for name, needed in _NEEDS.items():
        if given(name) and not given(needed):
            raise click.UsageError(f"{_flag(name)} is for {_flag(needed)}.")
    for name, others in _NOT_WITH.items():
        for other in others:
            if given(name) and given(other):
                raise click.UsageError(f"{_flag(name)} does not go with {_flag(other)}.")
    for name in _NOT_WITH_STDIN:
        if given(name) and "-" in options["paths"]:
            raise click.UsageError(f"{_flag(name)} is for files and folders, '-' reads one from stdin.")
    named = ctx.get_parameter_source("output_format") is not ParameterSource.DEFAULT
    for name, formats in _FORMATS.items():
        if given(name) and named and options["output_format"] not in formats:
            raise click.UsageError(f"{_flag(name)} is printed as {' or '.join(formats)}; --output-format is for findings.")
    if given("statistics") and FORMATS[options["output_format"]].statistics is None:
        raise click.UsageError(f"--statistics is for {', '.join(name for name in FORMATS if FORMATS[name].statistics)}.")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
