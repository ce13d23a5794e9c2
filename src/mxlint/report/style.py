"""How text looks on a terminal: colours, widths, and what must never reach it as it is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import IO, Literal

from mxlint.finding import Severity

ColorChoice = Literal["auto", "always", "never"]

_RESET = "\x1b[0m"
_COLORS: dict[Severity, str] = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "info": "\x1b[1;36m"}
_CHANGES = {"---": "\x1b[1m", "+++": "\x1b[1m", "-": "\x1b[31m", "+": "\x1b[32m", "@@": "\x1b[36m"}
_PIPE_WIDTH = 100
_LINKING_VARIABLES = ("DOMTERM", "KONSOLE_VERSION", "WT_SESSION")
_LINKING_VTE = 5000
_LINKING_PROGRAMS = ("Hyper", "WezTerm", "ghostty", "iTerm.app", "terminology", "vscode")
_LINKING_TERMINALS = ("alacritty", "xterm-ghostty", "xterm-kitty")
# What ruff and ty go by, too (supports-hyperlinks).
_LEAST_WIDTH = 40


@dataclass(frozen=True, slots=True)
class Style:
    """Whether to colour, how many columns there are, and whether the terminal takes links."""

    color: bool = False
    width: int = _PIPE_WIDTH
    links: bool = False

    def severity(self, severity: Severity, text: str) -> str:
        return self._paint(_COLORS[severity], text)

    def bold(self, text: str) -> str:
        return self._paint("\x1b[1m", text)

    def frame(self, text: str) -> str:
        """For the gutter and whatever else is not the user's text."""
        return self._paint("\x1b[1;34m", text)

    def link(self, text: str, url: str) -> str:
        """A text that leads to an address, as OSC 8 says it."""
        return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if self.links else text

    def change(self, line: str) -> str:
        """A line of a unified diff."""
        start = next((color for mark, color in _CHANGES.items() if line.startswith(mark)), "")
        return self._paint(start, line) if start else line

    def _paint(self, start: str, text: str) -> str:
        return f"{start}{text}{_RESET}" if self.color and text else text


def printable(text: str) -> str:
    """The text with control characters made visible, but for line breaks: checked code must not drive the terminal."""
    return text if text.isprintable() else "".join(character if character == "\n" else visible(character) for character in text)


def one_line(text: str) -> str:
    """The text with line breaks made visible as well: the name of a file must not begin a line of its own."""
    return text if text.isprintable() else "".join(map(visible, text))


def at_start(name: str) -> str:
    """The name of a file as a line may begin with it: two colons there would make it a command in a job of GitHub's."""
    name = one_line(name)
    return f"./{name}" if name.lstrip().startswith("::") else name


def visible(character: str) -> str:
    """A character, or the picture of one that a terminal would obey."""
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def columns(character: str) -> int:
    """How many columns of a terminal a visible character takes."""
    if character.isascii():
        return 1
    import unicodedata

    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def style_for(stream: IO[str], choice: ColorChoice) -> Style:
    """The style for a stream. NO_COLOR wins over FORCE_COLOR and CLICOLOR_FORCE, as in Python itself, and --color over all of them."""
    is_terminal = stream.isatty()
    if choice == "auto":
        if os.environ.get("NO_COLOR"):
            color = False
        elif os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "") not in ("", "0"):
            color = True
        else:
            color = is_terminal and os.environ.get("TERM") != "dumb"
    else:
        color = choice == "always"
    return Style(color, _width(stream, is_terminal), _takes_links(color and is_terminal))


def _takes_links(is_colored_terminal: bool) -> bool:
    """Whether links are written: where colours are, to a terminal that is known to take them. FORCE_HYPERLINK decides where it is set, 0 for no."""
    if forced := os.environ.get("FORCE_HYPERLINK"):
        return forced != "0"
    if not is_colored_terminal:
        return False
    vte = os.environ.get("VTE_VERSION", "")
    return (
        any(os.environ.get(name) for name in _LINKING_VARIABLES)
        or (vte.isdecimal() and int(vte) >= _LINKING_VTE)
        or os.environ.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or os.environ.get("TERM") in _LINKING_TERMINALS
    )


def _width(stream: IO[str], is_terminal: bool) -> int:
    """COLUMNS, else the terminal's, else a fixed one, so that what is piped does not depend on the window it is run in."""
    width = int(os.environ["COLUMNS"]) if os.environ.get("COLUMNS", "").isdecimal() else 0
    if not width and is_terminal:
        try:
            width = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError):
            pass
    return max(width, _LEAST_WIDTH) if width else _PIPE_WIDTH  # a terminal that does not know its width says 0
