"""What `mxlint sites` prints: each place where something is compiled, what it is, and how."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mxlint.report.json import place, tool
from mxlint.report.style import Style

if TYPE_CHECKING:
    from mxlint.engine import Result


def render_text(result: Result, style: Style) -> str:
    """One line a site: where, what is compiled, by which form, and the options as they are written."""
    lines = []
    for site in result.sites:
        where = f"{site.span.filename}:{site.span.start.row}:{site.span.start.column}:"
        options = "".join(f"  {name}={' '.join(text.split())}" for name, text in site.options.items())
        lines.append(
            f"{style.bold(style.printable(where))} {style.printable(' '.join(site.compiled.split()))}  ({site.form}){style.printable(options)}\n"
        )
    return "".join(lines)


def render_json(result: Result) -> str:
    """The same as an object."""
    sites = [
        {**place(site.span), "form": site.form, "compiled": site.compiled, "object": site.object, "options": dict(site.options)}
        for site in result.sites
    ]
    errors = [{"filename": problem.name, "message": problem.message} for problem in result.problems]
    return json.dumps({"version": 1, "tool": tool(result), "sites": sites, "errors": errors}, indent=2) + "\n"
