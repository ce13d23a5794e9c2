"""`mxlint rules`."""

from __future__ import annotations

from typing import Any

import click

from mxlint.cli.options import Choice
from mxlint.cli.output import output
from mxlint.rules.registry import CODES, NAMES, family, page_url


@click.command(short_help="List all rules.")
@click.option("--output-format", type=Choice(["text", "json"]), default="text", help="How to print the list.")
def rules(output_format: str) -> None:
    """List the rules: code, name, severity, and what each is about."""
    from mxlint.report.ascii import dumped

    listed = [described(code) for code in NAMES]
    width = max(len(name) for name in CODES)
    with output(None) as stream:
        if output_format == "json":
            stream.write(dumped(listed))
        else:
            rows = [{"code": "code ", "name": "name", "severity": "severity", "family": "what it is about"}, *listed]
            stream.write("".join("{code}  {name:{width}}  {severity:8}  {family}\n".format(**row, width=width) for row in rows))


def described(code: str) -> dict[str, Any]:
    """What the page of a rule says of it, less its text."""
    from mxlint.pages import load_page

    page = load_page(code)
    return {
        "code": code,
        "name": page.name,
        "severity": page.severity,
        "family": family(code),
        "url": page_url(code),
        "fix": page.fix,
        "since": page.since,
        "verify": page.verify,
        "shows": page.shows,
        "claim": page.claim,
    }
