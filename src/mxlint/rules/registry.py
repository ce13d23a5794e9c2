"""Which rules there are: each is a page in rules/, named after its code and name, and a file mxNNN.py beside this one with all else.

The code and name of a rule are read from the name of its page. Its file is imported when more is asked for than that: all of them take longer
than a whole run that finds nothing to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from mxlint.resources import PACKAGE, Resource, resource

if TYPE_CHECKING:
    from mxlint.rules.rule import Rule

FAMILIES: dict[str, str] = {
    "MX0": "run",
    "MX1": "evaluation",
    "MX2": "state",
    "MX3": "recompilation",
    "MX4": "shapeless",
    "MX5": "signature",
    "MX6": "advice",
}
UNJUDGED = frozenset({"MX003", "MX004"})
"""The rules which say that a file was not judged: no selection and no comment hides them. MX003 may be ignored by name, MX004 may not."""
SITE = "https://mxlint.github.io/mxlint/"
"""Where the documentation is published; scripts/site_build.py builds it, with each page at the address that page_url() says."""
_PAGE = re.compile(r"(MX\d{3})-([a-z0-9-]+)\.md")


def folder() -> Resource:
    """Where the pages are: inside an installed package, or rules/ of the checkout that an editable install points to."""
    installed = resource("_pages")
    return installed if installed.is_dir() else PACKAGE.parents[1] / "rules"


NAMES: Mapping[str, str] = {
    match[1]: match[2] for match in map(_PAGE.fullmatch, sorted(page.name for page in folder().iterdir())) if match is not None
}
"""The name of each rule, by its code."""
CODES: Mapping[str, str] = {name: code for code, name in NAMES.items()}
"""The code of each rule, by its name."""


class _Rules(Mapping[str, "Rule"]):
    """The rules by code, each imported when it is first asked for."""

    def __getitem__(self, code: str) -> Rule:
        if code not in NAMES:
            raise KeyError(code)
        rule: Rule = import_module(f"mxlint.rules.{code.lower()}").RULE
        return rule

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def __contains__(self, code: object) -> bool:
        return code in NAMES


RULES: Mapping[str, Rule] = _Rules()


def family(code: str) -> str:
    """What a rule is about."""
    return FAMILIES[code[:3]]


def page_file(code: str) -> str:
    """The file name of a rule's page inside rules/."""
    return f"{code}-{NAMES[code]}.md"


def page_url(code: str) -> str:
    """Where a rule's page can be read by everybody."""
    return f"{SITE}rules/{code}-{NAMES[code]}/"


def code_of(text: str) -> str | None:
    """The code of the rule that a code or a name means, in letters of any case; None if there is no such rule."""
    code = text.upper()
    return code if code in NAMES else CODES.get(text.lower())
