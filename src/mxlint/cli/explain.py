"""`mxlint explain`."""

from __future__ import annotations

import click

from mxlint.cli.options import Choice
from mxlint.cli.output import output
from mxlint.cli.rules import described
from mxlint.cli.settings import rule_of


@click.command(short_help="Explain a rule.")
@click.argument("rule", metavar="CODE|NAME")
@click.option("--output-format", type=Choice(["text", "json"]), default="text", help="How to print the page.")
def explain(rule: str, output_format: str) -> None:
    """Print the page of a rule: what it finds, why that goes wrong under MLX, and what to write instead."""
    from mxlint.pages import page_text

    code = rule_of(rule)
    text = page_text(code).rstrip("\n") + "\n"
    if output_format == "json":
        from mxlint.report.ascii import dumped

        text = dumped({**described(code), "explanation": text})
    with output(None) as stream:
        stream.write(text)
