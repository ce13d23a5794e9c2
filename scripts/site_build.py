"""Build the documentation site into build/site from README.md, docs/ and rules/, and check every link in it.

The pages are staged first, in the form that the site wants: a block says in its title what its info string says to mxlint's own tests, links lead from page to
page, and each rule has the address that findings carry (`rules.registry.page_url`). The settings of the site are in docs/site/.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from mxlint.pages import load_page, page_text
from mxlint.rules.registry import FAMILIES, NAMES, SITE, page_file

ROOT = Path(__file__).parents[1]
SOURCE = "https://github.com/mxlint/mxlint/blob/main/"
RAW = "https://raw.githubusercontent.com/mxlint/mxlint/main/docs/"

# The pages that do not stand in docs/, but for those of the rules.
STAGED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "rules/README.md": "rules/index.md",
}
# The pages of docs/ by where they stand in the menu. One that is not named here comes after those of the first group.
GUIDE = ("configuration", "fixes", "verify", "ci", "formats", "editors", "notebooks", "api", "limits")
COMPILE = ("how-compile-behaves", "training-loops", "llm-decoding", "pytorch-and-jax", "gallery")
MAINTAINERS = ("semantics", "verify-internals", "security", "mlx-results", "measuring")
# The pages of docs/semantics/, in the order in which semantics.md names them.
SEMANTICS = ("values", "objects", "control-flow", "loops", "calls", "compiled", "shapeless", "libraries", "open-world")

_FENCE = re.compile(r"^```(\w+)(?: (\S+))?$", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
_BLOCK = re.compile(r"^(```.*?^```)$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(
    r"(?P<kept>^#.*$|`[^`]*`|\[[^\]]*\]\([^)]*\)|<[^>]*>)"
    r"|(?<![\w/-])(?P<thread>(?P<repository>[\w-]+/[\w.-]+)#(?P<number>\d+))|\b(?P<rule>MX\d{3})\b",
    re.MULTILINE,
)
_TITLES = {"bad": "flagged", "good": "not flagged"}

Entry = dict[str, "str | list[Entry]"]


def stage(folder: Path) -> None:
    """Write all pages into folder/pages, in the form that the site wants."""
    pages = folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "images", pages / "images")
    shutil.copy(ROOT / "docs" / "site" / "extra.css", pages)
    for source in (*STAGED, *(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))):
        put(pages, staged_name(source) or source, (ROOT / source).read_text(encoding="utf-8"), source)
    for code in NAMES:
        page = load_page(code)
        facts = f"**{page.severity}** · fix: {page.fix or 'none'} · verify: {page.verify or 'none'} · since {page.since}\n{{ .facts }}\n"
        title, _, rest = page_text(code).partition("\n")
        put(pages, f"rules/{page_file(code)}", f"{title}\n\n{facts}\n{rest}", f"rules/{page_file(code)}")


def put(pages: Path, name: str, text: str, source: str) -> None:
    """Write one page. `source` is where its text stands in the repository, which its links are relative to."""
    text = "".join(part if part.startswith("```") else linked(part, source) for part in _BLOCK.split(text))
    text = _FENCE.sub(_fence, text)
    text = _LINK.sub(lambda match: link(match[1], name, source), text)
    (pages / name).parent.mkdir(parents=True, exist_ok=True)
    (pages / name).write_text(text, encoding="utf-8")


def linked(prose: str, source: str) -> str:
    """Prose with links for the rules and the threads of GitHub that it names. A page has none to itself."""

    def given(match: re.Match[str]) -> str:
        code = match["rule"]
        if match["thread"]:
            return f"[{match['thread']}](https://github.com/{match['repository']}/issues/{match['number']})"
        if code in NAMES and (page := f"rules/{page_file(code)}") != source:
            return f"[{code}]({SOURCE}{page})"
        return match[0]

    return _NAMED.sub(given, prose)


def _fence(match: re.Match[str]) -> str:
    language, mark = match.groups()
    if language == "output":
        return '```text title="prints"'
    return f'```{language} title="{_TITLES.get(mark, mark)}"' if mark else match[0]


def link(target: str, name: str, source: str) -> str:
    """A link of a page as the site needs it: to the page itself if the site has it, else to the repository."""
    if target.startswith(RAW):
        return relative(target.removeprefix(RAW), name)
    if target.startswith(SITE):
        path, hash_, fragment = target.removeprefix(SITE).partition("#")
        return relative(f"{path.rstrip('/') or 'index'}.md" if path != "rules/" else "rules/index.md", name) + hash_ + fragment
    if target.startswith(SOURCE):
        path = target.removeprefix(SOURCE)
    elif target.startswith(("https://", "http://", "#", "mailto:")):
        return target
    else:
        path = (ROOT / source).parent.joinpath(target).resolve().relative_to(ROOT).as_posix()
    path, hash_, fragment = path.partition("#")
    staged = staged_name(path)
    return relative(staged, name) + hash_ + fragment if staged else SOURCE + path + hash_ + fragment


def staged_name(path: str) -> str | None:
    """The page of the site that a file of the repository becomes; None if it becomes none."""
    if path in STAGED:
        return STAGED[path]
    if path.endswith(".md") and path.startswith(("docs/", "rules/")):
        return path.removeprefix("docs/")
    return path.removeprefix("docs/") if path.startswith("docs/images/") else None


def relative(target: str, name: str) -> str:
    return "../" * name.count("/") + target


def menu() -> list[Entry]:
    """What the site's menu shows."""
    there = {path.stem for path in (ROOT / "docs").glob("*.md")}
    unplaced = sorted(there.difference(GUIDE, COMPILE, MAINTAINERS))
    rules: list[Entry] = [{"Overview": "rules/index.md"}]
    for prefix, family in FAMILIES.items():
        rules.append(
            {
                f"{prefix} {family}": [
                    {f"{code} {name}": f"rules/{page_file(code)}"} for code, name in NAMES.items() if code.startswith(prefix)
                ]
            }
        )
    return [
        {"Home": "index.md"},
        {"Guide": [f"{name}.md" for name in (*GUIDE, *unplaced) if name in there]},
        {"mx.compile": [f"{name}.md" for name in COMPILE if name in there]},
        {"Rules": rules},
        {
            "Project": [
                {"Changelog": "changelog.md"},
                {"Contributing": "contributing.md"},
                *(f"{name}.md" for name in MAINTAINERS if name in there),
                {"Semantics in detail": [f"semantics/{name}.md" for name in SEMANTICS]},
                {"Decisions": [f"adr/{path.name}" for path in sorted((ROOT / "docs" / "adr").glob("*.md"))]},
            ]
        },
    ]


def toml(value: object) -> str:
    """Lists, tables and texts as an inline value of TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml(key)} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def build(folder: Path) -> None:
    """Build folder/site from folder/pages; a warning of Zensical's ends it."""
    shutil.rmtree(folder / "site", ignore_errors=True)
    settings = (ROOT / "docs" / "site" / "zensical.toml").read_text(encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "site" / "overrides", folder / "overrides", dirs_exist_ok=True)
    (folder / "zensical.toml").write_text(settings.replace("[project]\n", f"[project]\nnav = {toml(menu())}\n", 1), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "--config-file", "zensical.toml"]
    subprocess.run(command, check=True, cwd=folder)


class Page(HTMLParser):
    """The addresses that a page names, and the places in it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if place := given.get("id"):
            self.places.add(place)
        if tag in {"a", "link", "img", "script"} and (address := given.get("href") or given.get("src")):
            self.links.append(address)


def broken_links(site: Path) -> Iterator[str]:
    """The links within a built site that lead nowhere, each with its page."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for address in page.links:
            parts = urlsplit(urljoin(SITE + path.relative_to(site).as_posix().removesuffix("index.html"), address))
            if not parts.geturl().startswith(SITE):
                continue
            file = site / unquote(parts.path).removeprefix(urlsplit(SITE).path)
            file = file / "index.html" if file.is_dir() else file
            if not file.is_file():
                yield f"{path.relative_to(site).as_posix()}: {address}"
            elif parts.fragment and unquote(parts.fragment) not in pages[file].places:
                yield f"{path.relative_to(site).as_posix()}: {address} (no such place in the page)"


if __name__ == "__main__":
    target = ROOT / "build"
    target.mkdir(exist_ok=True)
    stage(target)
    build(target)
    if broken := list(broken_links(target / "site")):
        sys.exit("\n".join(broken))
