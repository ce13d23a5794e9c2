"""`mxlint sites`."""

from __future__ import annotations

from typing import Any

import click

from mxlint.cli.options import Choice, run_options
from mxlint.cli.output import output, say
from mxlint.cli.running import run
from mxlint.rules.registry import UNJUDGED


@click.command(short_help="List what is compiled, and how.")
@click.argument("paths", nargs=-1, metavar="[PATH…|-]")
@click.option("--output-format", type=Choice(["text", "json"]), default="text", help="How to print the list.")
@click.option("--why", is_flag=True, help="Say how far each was followed, and list each place that could not be followed, with the reason.")
@run_options
@click.pass_context
def sites(ctx: click.Context, /, **options: Any) -> None:
    """List each place where something is compiled: where it is, what is compiled, by which form, with which options."""
    from mxlint.report.sites import render_json, render_text
    from mxlint.report.style import style_for

    result = run({**options, "callers": True})
    with output(None) as stream:
        stream.write(
            render_json(result)
            if options["output_format"] == "json"
            else render_text(result, style_for(stream, options["color"]), why=options["why"])
        )
    left_out = [finding for finding in result.findings if finding.code in UNJUDGED]
    for finding in left_out:
        say(f"Error: {finding.span.filename}:{finding.span.start.row}:{finding.span.start.column}: {finding.message}")
    if result.files and not (result.sites or left_out or options["quiet"]):
        say(f"Nothing is compiled in {result.files} file{'s' if result.files > 1 else ''}")
    ctx.exit(2 if result.exit_code == 2 else 0)
