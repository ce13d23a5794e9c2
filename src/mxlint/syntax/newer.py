"""Whether a text that this Python cannot parse is one for a newer Python: what only a newer grammar knows is replaced, and parsed again.

The tokens are read here, since Python's own tokenizer stumbles over what it does not know. Every step goes forward: the time is linear.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from keyword import iskeyword

Version = tuple[int, int]
_Field = tuple[int, int, int, int]

EXCEPT_STAR = STAR_IN_INDEX = (3, 11)
TYPE_PARAMETERS = TYPE_STATEMENT = ANY_F_STRING = (3, 12)
TYPE_DEFAULTS = (3, 13)
TEMPLATES = EXCEPT_WITHOUT_PARENTHESES = (3, 14)

_OPEN, _CLOSE = "([{", ")]}"


def needed_python(text: str, running: Version = sys.version_info[:2]) -> Version | None:
    """The Python that a text needs if it is newer than `running`, and nothing else keeps it from being parsed."""
    try:
        rewritten = _Rewriter(text, running)
        for part in (rewritten.text(), *rewritten.inner):
            ast.parse(part)
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError):
        return None
    return max(rewritten.versions, default=None)


@dataclass(frozen=True, slots=True)
class _Token:
    """A name, a string, a line end or a single character, with the number of brackets around it and the kind of the innermost."""

    kind: str
    start: int
    end: int
    depth: int
    inside: str


class _Rewriter:
    """The replacements that make a text one for `running`, and the versions that each of them stands for.

    `inner` holds the expressions of replaced f-strings, rewritten themselves.
    """

    def __init__(self, text: str, running: Version) -> None:
        self._text = text
        self._running = running
        self._replaced: list[tuple[int, int, str]] = []
        self.versions: set[Version] = set()
        self.inner: list[str] = []
        tokens = [token for token in _tokens(text) if not (token.kind == "newline" and token.depth)]
        begins = True
        for number, token in enumerate(tokens):
            self._token(tokens, number, begins)
            begins = token.kind == "newline" or not token.depth and token.kind in (";", ":")

    def text(self) -> str:
        made, at = [], 0
        for start, end, instead in sorted(self._replaced):
            made += [self._text[at:start], instead]
            at = max(at, end)
        return "".join((*made, self._text[at:]))

    def _replace(self, version: Version, start: int, end: int, instead: str = "") -> None:
        if version > self._running:
            self.versions.add(version)
            self._replaced.append((start, end, instead))

    def _word(self, token: _Token) -> str:
        return self._text[token.start : token.end]

    def _token(self, tokens: Sequence[_Token], number: int, begins: bool) -> None:
        token, rest = tokens[number], tokens[number + 1 : number + 4]
        before = tokens[number - 1] if number else None
        if token.kind == "string":
            self._string(token)
        elif token.kind == "*" and before is not None:
            in_index = token.inside == "index" and before.kind in "[,"
            if in_index or token.inside == "(" and before.kind == ":":
                self._replace(STAR_IN_INDEX, token.start, token.end)
        elif token.kind == "name" and len(rest) == 3:
            word = self._word(token)
            if begins and word == "type" and self._is_alias(rest):
                self._replace(TYPE_STATEMENT, token.start, rest[0].start)
                self._type_parameters(tokens, number + 2)
            elif word in ("def", "class") and rest[0].kind == "name":
                self._type_parameters(tokens, number + 2)
            elif begins and word == "except":
                self._handler(tokens, number + 1)

    def _is_alias(self, rest: Sequence[_Token]) -> bool:
        return rest[0].kind == "name" and not iskeyword(self._word(rest[0])) and rest[1].kind in "=["

    def _type_parameters(self, tokens: Sequence[_Token], number: int) -> None:
        opening = tokens[number]
        if opening.kind == "[" and tokens[number + 1].kind in ("name", "*"):
            inside = _until_closed(tokens, number)
            defaults = any(token.kind == "=" and token.depth == opening.depth + 1 for token in inside)
            self._replace(TYPE_DEFAULTS if defaults else TYPE_PARAMETERS, opening.start, inside[-1].end)

    def _handler(self, tokens: Sequence[_Token], number: int) -> None:
        if tokens[number].kind == "*":
            self._replace(EXCEPT_STAR, tokens[number].start, tokens[number].end)
            number += 1
        kinds: list[_Token] = []
        while tokens[number].kind not in (":", "newline") or tokens[number].depth:
            kinds.append(tokens[number])
            number += 1
        several = any(token.kind == "," and not token.depth for token in kinds)
        if several and not any(self._word(token) == "as" for token in kinds):
            self._replace(EXCEPT_WITHOUT_PARENTHESES, kinds[0].start, kinds[0].start, "(")
            self._replace(EXCEPT_WITHOUT_PARENTHESES, kinds[-1].end, kinds[-1].end, ")")

    def _string(self, token: _Token) -> None:
        literal = _literal(self._text, token.start)
        version = (
            TEMPLATES if "t" in literal.prefix else ANY_F_STRING if "f" in literal.prefix and not literal.is_one_token(self._text) else None
        )
        if version is None or version <= self._running:
            return
        self._replace(version, token.start, token.end, "''")
        for start, end, *_ in literal.fields:
            inner = _Rewriter(self._text[start:end], self._running)
            self.versions |= inner.versions
            self.inner += [f"({inner.text()}\n)", *inner.inner]


def _until_closed(tokens: Sequence[_Token], number: int) -> list[_Token]:
    """The tokens behind an opening bracket, to the closing one."""
    found = [tokens[number + 1]]
    while not (found[-1].kind in _CLOSE and found[-1].depth == tokens[number].depth + 1):
        found.append(tokens[number + 1 + len(found)])
    return found


# -- tokens ------------------------------------------------------------------------------------------------------------


def _tokens(text: str) -> Iterator[_Token]:
    """The tokens of a text; blanks, comments and continued lines left out. Raises IndexError where a string has no end."""
    brackets: list[str] = []
    at, end, before = 0, len(text), ""
    while at < end:
        char, start = text[at], at
        kind = char
        if char in " \t\f\\" or char in "\r\n" and text[at - 1 : at] == "\\":
            at += 1
            continue
        if char == "#":
            at = _line_end(text, at)
            continue
        if char in "\r\n":
            kind, at = "newline", at + 1
        elif char.isidentifier() or char.isdigit():
            kind = "name"
            while at < end and (f"a{text[at]}".isidentifier()):
                at += 1
            if at < end and text[at] in "'\"" and text[start:at].lower() in _PREFIXES:
                kind, at = "string", _literal(text, start).end
        elif char in "'\"":
            kind, at = "string", _literal(text, at).end
        else:
            at += 1
        yield _Token(kind, start, at, len(brackets), brackets[-1] if brackets else "")
        if kind in _OPEN:
            brackets.append("index" if kind == "[" and before in ("name", "string", ")", "]") else kind)
        elif kind in _CLOSE and brackets:
            brackets.pop()
        before = kind


_PREFIXES = frozenset({"r", "u", "b", "br", "rb", "f", "fr", "rf", "t", "tr", "rt"})


def _line_end(text: str, at: int) -> int:
    while at < len(text) and text[at] not in "\r\n":
        at += 1
    return at


@dataclass(frozen=True, slots=True)
class _Literal:
    """A string literal: what stands before its quote, its quote, where it ends, and the replaced fields in it, those of format specs too.

    Of each field: where it begins, where its expression ends, where its format spec begins or it ends, and the number of specs that it stands in.
    """

    prefix: str
    quote: str
    end: int
    fields: list[_Field]

    def is_one_token(self, text: str) -> bool:
        """Whether it is one for Python 3.11 as well: no field holds its quote, a backslash, a comment or, unless its quote is of three, a line end;
        none stands in the spec of one that stands in a spec, and none has blanks behind its conversion."""
        taken = [self.quote, "\\", "#", *("\r\n" if len(self.quote) == 1 else "")]
        odd = any(specs > 1 or text[last] == "!" and text[end - 1].isspace() for _, last, end, specs in self.fields)
        return not odd and not any(what in text[start:end] for start, _, end, _ in self.fields for what in taken)


def _literal(text: str, start: int) -> _Literal:
    """The string literal that begins at `start`, as Python 3.12 and later read it."""
    at = start
    while text[at] not in "'\"":
        at += 1
    quote = text[at] * 3 if text.startswith(text[at] * 3, at) else text[at]
    prefix = text[start:at].lower()
    fields: list[_Field] = []
    end = _text_end(text, at + len(quote), quote, prefix, fields, 0)
    return _Literal(prefix, quote, end + len(quote), fields)


def _text_end(text: str, at: int, quote: str, prefix: str, fields: list[_Field], specs: int) -> int:
    """Where the text of a literal ends, or of a format spec in it: at its quote, or at a closing brace."""
    replaces = "f" in prefix or "t" in prefix
    while not text.startswith(quote, at) and not (specs and text[at] == "}"):
        if text[at] == "\\":
            named = replaces and "r" not in prefix and text.startswith("N{", at + 1)
            at = text.index("}", at) + 1 if named else at + 1 if replaces and text[at + 1] in "{}" else at + 2
        elif len(quote) == 1 and text[at] in "\r\n":
            raise IndexError(at)
        elif replaces and text[at] == "{" and (specs or text[at + 1] != "{"):
            at = _field_end(text, at + 1, quote, prefix, fields, specs)
        else:
            at += 2 if replaces and text[at] == "{" else 1
    return at


def _field_end(text: str, start: int, quote: str, prefix: str, fields: list[_Field], specs: int) -> int:
    """Where a replaced field ends whose expression begins at `start`."""
    depth, at = 0, start
    while depth or text[at] not in ":}" and not (text[at] in "!=" and text[at + 1] != "="):
        char = text[at]
        if char in "'\"" or char.isalpha() and not (at > start and f"a{text[at - 1]}".isidentifier()):
            at = _word_or_string_end(text, at)
        elif char == "#":
            at = _line_end(text, at)
        else:
            depth += (char in _OPEN) - (char in _CLOSE)
            at += 2 if char in "!=<>" and text[at + 1] == "=" else 1
    last = at
    while text[at] not in ":}":
        at = _line_end(text, at) if text[at] == "#" else at + 1
    fields.append((start, last, at, specs))
    return at + 1 if text[at] == "}" else _text_end(text, at + 1, quote, prefix, fields, specs + 1) + 1


def _word_or_string_end(text: str, start: int) -> int:
    at = start
    while f"a{text[at]}".isidentifier():
        at += 1
    return _literal(text, start).end if text[at] in "'\"" and text[start:at].lower() in (*_PREFIXES, "") else max(at, start + 1)
