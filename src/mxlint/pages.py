"""The pages of the rules: rules/*.md read into records; `mxlint explain` prints them and the tests run their blocks.

A page opens with front matter of plain `key: value` lines between two `---`, then a `# CODE: name` heading with one sentence of claim,
then `##` sections. A fenced block says in its info string what it is: "```python bad" has the language python and the attribute bad.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from mxlint.finding import SEVERITIES, Applicability, Severity
from mxlint.rules.registry import folder, page_file

Device = Literal["cpu", "cuda", "metal"]

FIXES = ("safe", "unsafe", "display", "none")
DEVICES = ("cpu", "cuda", "metal", "none")
_KEYS = ("code", "name", "severity", "fix", "since", "verify", "reason")
_SHOWS = re.compile(r"^## What `--verify` shows\n+([^\n]+)$", re.MULTILINE)
_FENCE = re.compile(r"(?P<ticks>`{3,})(?P<info>[^`]*)")


class PageError(ValueError):
    """A page that breaks the format."""


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. `section` is the heading above it, `row` the 1-based row of the page where its text starts."""

    section: str
    language: str
    attributes: tuple[str, ...]
    text: str
    row: int


@dataclass(frozen=True, slots=True)
class Page:
    """One rule, as its page tells it. `reason` says why there is no `verify`; `shows` what an experiment shows; `text` is the page without the front matter."""

    code: str
    name: str
    severity: Severity
    fix: Applicability | None
    since: str
    verify: Device | None
    reason: str | None
    claim: str
    sections: tuple[str, ...]
    blocks: tuple[Block, ...]
    shows: str
    text: str


def page_text(code: str) -> str:
    """The page of a rule as Markdown, without the front matter. `code` is a key of the registry."""
    return _split(_read(code))[1]


def load_page(code: str) -> Page:
    """The page of a rule, parsed. `code` is a key of the registry."""
    return parse_page(_read(code))


def parse_page(source: str) -> Page:
    """Parse one page; raises PageError where it breaks the format."""
    head, text = _split(source)
    fields = _fields(head)
    first_row = source.count("\n") - text.count("\n") + 1
    sections, blocks, claim = _body(text, first_row)
    return Page(
        code=fields["code"],
        name=fields["name"],
        severity=cast(Severity, _one_of(fields, "severity", SEVERITIES)),
        fix=cast("Applicability | None", _or_none(_one_of(fields, "fix", FIXES))),
        since=fields["since"],
        verify=cast("Device | None", _or_none(_one_of(fields, "verify", DEVICES))),
        reason=fields.get("reason"),
        claim=claim,
        sections=sections,
        blocks=blocks,
        shows=" ".join(_SHOWS.findall(text)),
        text=text,
    )


def _read(code: str) -> str:
    return folder().joinpath(page_file(code)).read_text(encoding="utf-8")


def _split(source: str) -> tuple[str, str]:
    """Front matter and the rest."""
    opening, _, rest = source.partition("---\n")
    head, closing, text = rest.partition("\n---\n")
    if opening or not closing:
        raise PageError("a page starts with front matter between two lines ---")
    return head, text.lstrip("\n")


def _fields(head: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in head.splitlines():
        key, colon, value = line.partition(": ")
        if not colon or not value.strip():
            raise PageError(f"not `key: value`: {line!r}")
        if key not in _KEYS:
            raise PageError(f"unknown key {key!r}; a page has {', '.join(_KEYS)}")
        if key in fields:
            raise PageError(f"{key!r} stands twice")
        fields[key] = value.strip()
    if missing := [key for key in _KEYS if key not in fields and key != "reason"]:
        raise PageError(f"missing: {', '.join(missing)}")
    if ("reason" in fields) != (fields["verify"] == "none"):
        raise PageError("`verify: none` and a reason go together")
    return fields


def _one_of(fields: dict[str, str], key: str, allowed: tuple[str, ...]) -> str:
    if fields[key] not in allowed:
        raise PageError(f"{key}: {fields[key]!r} is none of {', '.join(allowed)}")
    return fields[key]


def _or_none(value: str) -> str | None:
    return None if value == "none" else value


def _body(text: str, first_row: int) -> tuple[tuple[str, ...], tuple[Block, ...], str]:
    """Sections, blocks and the claim: the paragraph under the title."""
    sections: list[str] = []
    blocks: list[Block] = []
    claim: list[str] = []
    claim_ended = False
    lines = iter(enumerate(text.splitlines(), first_row))
    for row, line in lines:
        if fence := _FENCE.fullmatch(line):
            blocks.append(_block(sections[-1] if sections else "", fence, row, lines))
        elif line.startswith("## "):
            sections.append(line[3:].strip())
        elif not sections and not line.startswith("# "):
            claim_ended = claim_ended or (bool(claim) and not line.strip())
            if not claim_ended and line.strip():
                claim.append(line.strip())
    return tuple(sections), tuple(blocks), " ".join(claim)


def _block(section: str, fence: re.Match[str], row: int, lines: enumerate[str]) -> Block:
    """The block that `fence` opened at `row`; takes its lines from `lines`, closing fence included."""
    content: list[str] = []
    for _, line in lines:
        if line.strip("`") == "" and len(line) >= len(fence["ticks"]):
            language, *attributes = fence["info"].split() or [""]
            return Block(section, language, tuple(attributes), "".join(f"{line}\n" for line in content), row + 1)
        content.append(line)
    raise PageError(f"the block opened at row {row} is never closed")
