"""`mxlint explain`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from mxlint.cli.options import Choice
from mxlint.cli.output import output
from mxlint.cli.rules import described
from mxlint.cli.settings import rule_of
from mxlint.report.style import printable, style_for
from mxlint.rules.registry import NAMES

if TYPE_CHECKING:
    from mxlint.report.style import ColorChoice, Style


@click.command(short_help="Explain a rule.")
@click.argument("rule", metavar="[CODE|NAME]", required=False)
@click.option("--all", "every", is_flag=True, help="All pages, in order; a list of them in JSON.")
@click.option("--output-format", type=Choice(["text", "json"]), default="text", help="How to print the page.")
@click.option("--color", type=Choice(["auto", "always", "never"]), default="auto", help="When to colour text.")
def explain(rule: str | None, every: bool, output_format: str, color: ColorChoice) -> None:
    """Print the page of a rule: what it finds, why that goes wrong under MLX, and what to write instead."""
    from mxlint.pages import page_text

    if every == (rule is not None):
        raise click.UsageError("name a rule, or give --all: one of the two.")
    pages = {code: page_text(code).rstrip("\n") + "\n" for code in (NAMES if rule is None else (rule_of(rule),))}
    text = "\n".join(pages.values())
    if output_format == "json":
        from mxlint.report.ascii import dumped

        described_pages = [{**described(code), "explanation": page} for code, page in pages.items()]
        text = dumped(described_pages if every else described_pages[0])
    with output(None) as stream:
        if output_format == "text" and stream.isatty():
            _show(text, style_for(stream, color))
        else:
            stream.write(text)


def _show(text: str, style: Style) -> None:
    """A page at a terminal: in a pager if it is longer than the screen, as PAGER says, and with headings and code in colour if there are colours."""
    from shutil import get_terminal_size

    shown = printable(text)
    if style.color:
        shown = _colored(shown, style)
        os.environ.setdefault("LESS", "-R")
    if shown.count("\n") < get_terminal_size().lines:
        click.echo(shown, nl=False, color=style.color)
    else:
        click.echo_via_pager(shown, color=style.color)


def _colored(text: str, style: Style) -> str:
    lines, in_code = [], False
    for line in text.splitlines():
        fence = line.startswith("```")
        in_code ^= fence
        lines.append(style.frame(line) if in_code or fence else style.bold(line) if line.startswith("#") else line)
    return "\n".join(lines) + "\n"
