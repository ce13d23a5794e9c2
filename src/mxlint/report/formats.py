"""The formats that findings are printed in, by the name that `--output-format` takes. A format is one module here with one function, and one line below.

The functions are named and not imported: a run needs one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from mxlint.report.style import Style
    from mxlint.result import Result

    Render: TypeAlias = Callable[[Result, Style], str]
    """The whole report of a run, line end included. What is not for people ignores the style."""


@dataclass(frozen=True, slots=True)
class Format:
    """`render`: the function that makes the report, as `module.function` of this package; `statistics`: the one that adds to it under `--statistics`, or
    for a format that is no list of lines makes all of it; None if the format has no such thing; `footer`: whether the report ends with a line for people."""

    render: str
    statistics: str | None = None
    footer: bool = False


FORMATS: dict[str, Format] = {
    "text": Format("text.render", "statistics.render", footer=True),
    "concise": Format("concise.render", "statistics.render", footer=True),
    "json": Format("json.render", "json.render_with_statistics"),
    "json-lines": Format("json_lines.render"),
    "sarif": Format("sarif.render"),
    "github": Format("github.render"),
    "gitlab": Format("gitlab.render"),
    "junit": Format("junit.render"),
    "rdjson": Format("rdjson.render"),
}


def report(name: str, result: Result, style: Style, *, quiet: bool = False, statistics: bool = False) -> str:
    """What a run prints in the format of that name. `quiet`: without the line for people; `statistics`: counts as well, for formats that have them."""
    chosen = FORMATS[name]
    text = ""
    if result.findings or statistics or not chosen.footer:  # most runs have nothing to show to people, and need not import what would
        counts = _function(chosen.statistics) if statistics and chosen.statistics is not None else None
        if counts is not None and chosen.footer:
            found = _function(chosen.render)(result, style) if result.findings else ""
            text = "\n\n".join(part.rstrip("\n") for part in (found, counts(result, style)) if part) + "\n"
        else:
            text = (counts or _function(chosen.render))(result, style)
    if not chosen.footer or quiet or not result.files:
        return text
    from mxlint.report.footer import footer

    return text + footer(result)


def _function(name: str) -> Render:
    module, _, function = name.partition(".")
    return cast("Render", getattr(import_module(f"mxlint.report.{module}"), function))
