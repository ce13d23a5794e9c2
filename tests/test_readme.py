"""README.md and docs/ show what really happens: their commands are run, and what these print is compared to the letter."""

from __future__ import annotations

import html
import re
from pathlib import Path

import click
import picture
import pytest
import shown
from command_line import Run

from mxlint import __version__, config
from mxlint.cli import main

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
COMMANDS = [command for page in shown.PAGES for command in shown.commands(page)]


def test_readme_is_short() -> None:
    assert len(README.partition("\n## Rules\n")[0].split()) <= 1200


def test_first_verdict_of_the_readme_is_confirmed() -> None:
    """Who tries the quick start sees a finding that is true."""
    verified = [command for command in COMMANDS if command.page == "README.md" and "--verify" in command.line]
    assert [re.findall(r"^verify: (\w+)", command.output, re.MULTILINE) for command in verified] == [["confirmed"]]


def test_readme_links_are_absolute() -> None:
    """The package index shows the README, too, and there a relative link leads nowhere."""
    links = re.findall(r"\]\(([^)]*)\)", README)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []


def test_readme_names_this_version() -> None:
    """Hooks and the action are used by the tag of a release."""
    assert set(re.findall(r"(?:rev: |mxlint@)v(\S+)", README)) == {__version__}


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=pytest.mark.verify if command.runs_mlx else pytest.mark.static, id=f"{command.page}: {command.line}")
        for command in COMMANDS
    ],
)
def test_console(command: shown.Command, tmp_path: Path) -> None:
    printed = shown.printed(command, tmp_path)
    assert printed, "a command without output shows nothing"
    assert shown.same(command.output, printed), printed


def test_options_exist() -> None:
    """Every option that a page gives to a command of mxlint is one of it."""
    for page in shown.PAGES:
        for name, given in re.findall(
            r"\bmxlint (check|verify|config|explain|rules|sites|server)\b([^`\n#]*)", page.read_text(encoding="utf-8")
        ):
            command = main.get_command(click.Context(main), name)
            assert command is not None
            known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
            assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", given)) <= known, (page.name, name, given)


def test_configuration_shown_is_accepted(run: Run, tmp_path: Path) -> None:
    text = (shown.ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    tables = [each for each in re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) if "[tool.mxlint]" in each]
    assert tables
    for table in tables:
        (tmp_path / "pyproject.toml").write_text(table, encoding="utf-8")
        done = run("config", ".")
        assert (done.code, done.err) == (0, "")


def test_every_key_is_described() -> None:
    text = (shown.ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]*`) \|", text.partition("| key |")[2].partition("\n\n")[0], re.MULTILINE)
    described = set(re.findall(r"`([\w-]+)`", " ".join(cells)))
    assert described == {*config.KEYS, "extend"}


@pytest.mark.verify
def test_picture_shows_what_is_printed() -> None:
    """docs/images/finding.svg is drawn by scripts/picture.py, and has every line that mxlint prints today."""
    rows: dict[str, str] = {}
    texts = re.findall(
        r'<text class="mxlint-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>', picture.PICTURE.read_text(encoding="utf-8")
    )
    for left, row, text in texts:
        rows[row] = rows.get(row, "").ljust(round(float(left) / 12.2)) + html.unescape(text).replace("\xa0", " ")
    drawn = "".join(f"{row.rstrip()}\n" for row in rows.values() if row.strip())
    printed = "".join(f"{row.rstrip()}\n" for row in picture.printed(colour=False).splitlines() if row.strip())
    assert shown.same(drawn.partition("\n")[2], printed)
