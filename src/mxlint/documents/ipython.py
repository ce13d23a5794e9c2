"""What only IPython reads in a cell, made into Python of the same rows and columns.

`%magic`, `!command`, `obj?` do nothing that the analysis follows; what `x = !command` gives is not known. `%time statement` and `%%time` run
what they are given, and so do a few others; cells of another language are left out.
"""

from __future__ import annotations

import ast
import re
import warnings

OUTSIDE = "\u01c3"
"""The name of what is not known: a letter, so that it fits in the place of any command, and one that nobody uses."""

# Magics of IPython that run the code of their cell, or of the rest of their line, in the notebook's own namespace.
_CELL_MAGICS = frozenset(("capture", "debug", "prun", "time", "timeit"))
_LINE_MAGICS = {"time": "", "timeit": "nrp", "prun": "lsDT", "debug": "b"}
"""By name, the options that take a value, as getopt has it."""
# Of these also what the code gives is what the magic gives.
_TRANSPARENT = frozenset(("time",))
# Commands that IPython takes without a %, where no variable has their name.
_AUTOMAGICS = frozenset(("cd", "conda", "mamba", "micromamba", "pip", "uv"))

_MAY_HOLD = re.compile(r"^[ \t]*(?:[%!?,;/]|(?:cd|conda|mamba|micromamba|pip|uv)[ \t])|=[ \t]*[%!]|\?[ \t]*$", re.MULTILINE)
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_CELL = re.compile(r"\s*%%(?P<name>[^\s!]*)")
_MAGIC = re.compile(r"(?P<indent>[ \t]*)(?P<escape>%{1,2})(?P<name>[A-Za-z_][\w.]*)(?P<rest>.*)", re.DOTALL)
_ESCAPED = re.compile(r"(?P<indent>[ \t]*)[!?,;/%]")
_ASSIGNED = re.compile(r"(?P<target>(?:[^=#\"'()\[\]\n]|\[[^\]\n]*\])+?(?<![=!<>:\s])[ \t]*=[ \t]*)(?P<value>[%!].*)", re.DOTALL)
_AUTO = re.compile(r"(?P<indent>[ \t]*)(?P<name>\w+)[ \t]")
_HELP = re.compile(r"(?P<indent>[ \t]*)[^#\"'\n]*\?[ \t]*;?[ \t]*$")
_OPTION = re.compile(r"[ \t]*-(?P<letter>[A-Za-z])(?P<value>\S*)")
_QUOTE = re.compile(r"'''|\"\"\"|'|\"")


def python(text: str) -> str | None:
    """The text of a code cell as Python, with the same rows and columns; None if it is for another language. What is not Python even so is left as it
    is: to say so is left to the parser."""
    cell = _CELL.match(text)
    if cell is not None and cell["name"] not in _CELL_MAGICS:
        return None
    if _MAY_HOLD.search(text) is None or is_python(text):
        return text
    return "".join(_Rows(_ROW.findall(text)).made())


def is_python(text: str) -> bool:
    """Whether Python can parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class _Rows:
    """The rows of a cell, one after the other, with what is open between them: a string, brackets, a row that goes on."""

    def __init__(self, rows: list[str]) -> None:
        self._rows = rows
        self._quote: str | None = None
        self._depth = 0
        self._continued = False

    def made(self) -> list[str]:
        result: list[str] = []
        command = False  # the row above is a command that goes on
        for row in self._rows:
            if command:
                result.append(_blank(row))
                command = _goes_on(row)
                continue
            if self._quote is None and not self._depth and not self._continued:
                replaced = _replaced(row, first=not "".join(result).strip())
                if replaced is not None:
                    result.append(replaced)
                    command = _goes_on(row)
                    continue
            self._scan(row)
            result.append(row)
        return result

    def _scan(self, row: str) -> None:
        """What is open after a row."""
        at, code = 0, row.rstrip("\r\n")
        while at < len(code):
            if self._quote is not None:
                end = _end_of_string(code, at, self._quote)
                if end is None:
                    break
                at, self._quote = end, None
                continue
            character = code[at]
            if character == "#":
                self._continued = False
                return
            if (quote := _QUOTE.match(code, at)) is not None:
                self._quote = quote[0]
                at = quote.end()
                continue
            self._depth = max(self._depth + (character in "([{") - (character in ")]}"), 0)
            at += 1
        if self._quote is not None and len(self._quote) == 1 and not code.endswith("\\"):
            self._quote = None  # a string that is not closed ends with its row
        self._continued = self._quote is None and code.endswith("\\")


def _end_of_string(code: str, at: int, quote: str) -> int | None:
    """Where the text goes on behind the string that is open at an offset."""
    while at < len(code):
        if code[at] == "\\":
            at += 2
        elif code.startswith(quote, at):
            return at + len(quote)
        else:
            at += 1
    return None


def _replaced(row: str, first: bool) -> str | None:
    """The row that a statement begins in as Python, if it is for IPython."""
    if first and _CELL.match(row):
        return _blank(row)
    if (magic := _MAGIC.match(row)) is not None:
        return _of_magic(magic)
    if (assigned := _ASSIGNED.match(row)) is not None:
        value = _MAGIC.match(assigned["value"])
        if value is not None and value["name"] in _TRANSPARENT:
            return assigned["target"] + " " * (value.start("rest")) + value["rest"]
        return assigned["target"] + OUTSIDE + _blank(assigned["value"][1:])
    for form in (_ESCAPED, _HELP):
        if (found := form.match(row)) is not None:
            return found["indent"] + _nothing(row[found.end("indent") :])
    if (auto := _AUTO.match(row)) is not None and auto["name"] in _AUTOMAGICS and not is_python(row.strip()):
        return auto["indent"] + _nothing(row[auto.end("indent") :])
    return None


def _of_magic(magic: re.Match[str]) -> str:
    """A line of which the magic is left out, and the statement that it is given kept, if it is one that it runs."""
    indent, rest = magic["indent"], magic["rest"]
    if magic["escape"] == "%" and magic["name"] in _LINE_MAGICS:
        start = magic.start("rest") + _after_options(rest, _LINE_MAGICS[magic["name"]])
        statement = magic.string[start:]
        if statement.strip() and is_python(statement.strip()):
            skipped = start - len(indent)
            return f"{indent}0;{' ' * (skipped - 2)}{statement}"
    return indent + _nothing(magic.string[len(indent) :])


def _after_options(text: str, with_value: str) -> int:
    """Where the statement begins behind options such as `-n 10 -q`."""
    at = 0
    while (option := _OPTION.match(text, at)) is not None:
        at = option.end()
        if option["letter"] in with_value and not option["value"]:
            value = re.compile(r"[ \t]*\S+").match(text, at)
            at = value.end() if value is not None else at
    return at + len(text[at:]) - len(text[at:].lstrip(" \t"))


def _nothing(text: str) -> str:
    """A statement that does nothing, as long as a text."""
    return "0" + _blank(text[1:])


def _blank(text: str) -> str:
    """Blanks, with the ends of lines where they are."""
    return re.sub(r"[^\r\n]", " ", text)


def _goes_on(row: str) -> bool:
    return row.rstrip("\r\n").endswith("\\")
