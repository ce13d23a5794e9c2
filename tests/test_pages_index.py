"""Registry, pages, index and changelog name the same rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mxlint import __version__
from mxlint.pages import FIXES, PageError, load_page, page_text, parse_page
from mxlint.rules import registry
from mxlint.rules.registry import CODES, NAMES, RULES, family, folder, page_file, page_url
from mxlint.verify.protocols.table import PROTOCOLS, protocol_of

ROOT = Path(__file__).parents[1]
# A row of the table of rules in rules/README.md and README.md.
ROW = re.compile(r"^\| \[(MX\d{3})\]\(([^)]*)\) \| ([\w-]+) \| (\w+) \| ([^|]+) \| (\w+) \|$", re.MULTILINE)

PAGE = """---
code: MX999
name: a-name
severity: error
fix: none
since: 0.1.0
verify: cpu
---

# MX999: a-name

The claim, over
two lines.

More words.

## Bad

```python bad
f(x)  # MX999
```

````text
```
````
"""


def rows(path: Path) -> dict[str, list[str]]:
    """The rows of the rules table of a Markdown file: code → link, name, severity, what happens, where real MLX shows it."""
    found = ROW.findall(path.read_text(encoding="utf-8"))
    assert len({code for code, *_ in found}) == len(found), f"{path.name} lists a rule twice"
    return {code: rest for code, *rest in found}


def test_names_are_unique() -> None:
    assert len(CODES) == len(NAMES)


def test_every_rule_has_a_page_and_a_file() -> None:
    pages = {path.name for path in (ROOT / "rules").glob("*.md")} - {"README.md"}
    assert pages == {page_file(code) for code in NAMES}
    files = {path.stem.upper() for path in Path(registry.__file__).parent.glob("mx[0-9]*.py")}
    assert files == set(RULES)


def test_what_names_other_rules_names_rules() -> None:
    for rule in RULES.values():
        assert {*rule.after, *rule.after_around, *rule.after_in_object} <= set(RULES) - {rule.code}
        assert (rule.check is None) == (family(rule.code) == "run")


@pytest.mark.parametrize("code", RULES)
def test_page_agrees_with_registry(code: str) -> None:
    rule, page = RULES[code], load_page(code)
    assert (page.code, page.name, page.severity) == (code, rule.name, rule.severity) == (rule.code, NAMES[code], rule.severity)
    assert page.fix == next(iter(rule.fixes), None)
    assert page.text.startswith(f"# {code}: {rule.name}\n")
    assert page.claim
    assert page.text == page_text(code)


def test_index_lists_every_rule() -> None:
    index = {code: [*row[:3], row[4]] for code, row in rows(ROOT / "rules" / "README.md").items()}
    assert index == {code: [page_file(code), rule.name, rule.severity, load_page(code).verify or "none"] for code, rule in RULES.items()}


def test_pages_and_protocols_agree() -> None:
    """A rule has an experiment if its page says where real MLX shows the claim; a page that names no device says why."""
    pages = {code: load_page(code) for code in RULES}
    assert {code for code, page in pages.items() if page.verify is not None} == {
        code for code, rule in RULES.items() if rule.experiment is not None
    }
    assert set(PROTOCOLS) == {rule.experiment for rule in RULES.values()} - {None}
    assert sum(page.verify != "cpu" for page in pages.values()) <= 6
    for page in pages.values():
        assert page.shows
        assert page.verify is not None or page.shows == f"Nothing: {page.reason}."


def test_readme_repeats_the_index() -> None:
    index = rows(ROOT / "rules" / "README.md")
    assert rows(ROOT / "README.md") == {code: [page_url(code), *rest] for code, (_, *rest) in index.items()}


def test_docs_name_the_rules_whose_cost_is_measured() -> None:
    (named,) = re.findall(r"[Ff]or the rules that are about time \(([^)]*)\)", (ROOT / "docs" / "verify.md").read_text(encoding="utf-8"))
    codes: set[str] = set()
    for part in named.split(", "):
        first, _, last = part.partition(" to ")
        codes |= {code for code in RULES if first <= code <= (last or first)}
    assert codes == {code for code in RULES if (protocol := protocol_of(code)) is not None and protocol.cost is not None}


def test_changelog_adds_every_rule_in_the_version_its_page_says() -> None:
    added: dict[str, str] = {}
    version = ""
    for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## \[([^]]+)\]", line):
            version = heading[1]
        for code, name in re.findall(r"(MX\d{3}) `([\w-]+)`", line):
            assert RULES[code].name == name
            assert added.setdefault(code, version) == version
    assert added == {code: load_page(code).since for code in RULES}


def test_changelog_knows_this_version() -> None:
    assert f"\n## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_folder_of_a_checkout_is_rules() -> None:
    assert folder() == ROOT / "rules"


def test_parse_page() -> None:
    page = parse_page(PAGE)
    assert (page.code, page.name, page.severity, page.fix, page.since, page.verify) == ("MX999", "a-name", "error", None, "0.1.0", "cpu")
    assert page.claim == "The claim, over two lines."
    assert page.sections == ("Bad",)
    bad, text = page.blocks
    assert (bad.section, bad.language, bad.attributes, bad.text) == ("Bad", "python", ("bad",), "f(x)  # MX999\n")
    assert PAGE.splitlines()[bad.row - 1] == "f(x)  # MX999"
    assert (text.language, text.attributes, text.text) == ("text", (), "```\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("---\ncode", "code", "starts with front matter"),
        ("fix: none\n", "", "missing: fix"),
        ("fix: none\n", "fix: none\nfix: safe\n", "stands twice"),
        ("fix: none\n", "fix: none\nbogus: 1\n", "unknown key 'bogus'"),
        ("fix: none\n", "fix none\n", "not `key: value`"),
        ("fix: none\n", "fix: maybe\n", f"none of {', '.join(FIXES)}"),
        ("verify: cpu\n", "verify: none\n", "`verify: none` and a reason go together"),
        ("severity: error\n", "severity: fatal\n", "severity: 'fatal'"),
        ("````text", "`````text", "never closed"),
    ],
)
def test_broken_pages_are_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(PageError, match=re.escape(message)):
        parse_page(PAGE.replace(old, new, 1))
