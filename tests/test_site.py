"""The documentation site: built strictly, every link leads somewhere, and each rule has the page that findings point to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import site_build as site

from mxlint.rules.registry import NAMES, SITE, page_url


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    site.stage(folder)
    site.build(folder)
    return folder / "site"


@pytest.mark.slow
def test_no_link_is_broken(built: Path) -> None:
    assert list(site.broken_links(built)) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text(
        '<p id="here"><a href="#here"></a><a href="../a/#gone"></a><a href="b/"></a><img src="/mxlint/c.png">'
    )
    (tmp_path / "index.html").write_text(f'<a href="{SITE}a/#here"></a><a href="{SITE}b/"></a><a href="https://example.org/"></a>')
    assert sorted(site.broken_links(tmp_path)) == [
        "a/index.html: ../a/#gone (no such place in the page)",
        "a/index.html: /mxlint/c.png",
        "a/index.html: b/",
        f"index.html: {SITE}b/",
    ]


def test_what_prose_names_is_a_link() -> None:
    text = "## MX201\n(ml-explore/mlx#12; MX203, MX204, `MX205`, [MX206](MX206-frozen-call.md), MX999)"
    assert site.linked(text, "rules/MX204-half-captured-state.md") == (
        "## MX201\n([ml-explore/mlx#12](https://github.com/ml-explore/mlx/issues/12); "
        f"[MX203]({site.SOURCE}rules/MX203-uncaptured-random-state.md), MX204, `MX205`, [MX206](MX206-frozen-call.md), MX999)"
    )


def test_every_rule_has_the_page_that_findings_point_to(built: Path) -> None:
    for code, name in NAMES.items():
        page = built / page_url(code).removeprefix(SITE) / "index.html"
        assert f"{code}: {name}" in page.read_text(encoding="utf-8")


def test_every_page_is_in_the_menu(built: Path) -> None:
    listed = set(re.findall(r'"([\w/-]+\.md)"', site.toml(site.menu())))
    assert {path.relative_to(built.parent / "pages").as_posix() for path in (built.parent / "pages").rglob("*.md")} == listed


def test_pages_load_nothing_from_elsewhere(built: Path) -> None:
    """Scripts, styles, fonts and pictures are the site's own, and the theme's script has no repository to ask GitHub about."""
    for path in built.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]* src="([^"]*)"|<link[^>]* rel="stylesheet"[^>]* href="([^"]*)"', text)
        assert not [address for pair in loaded for address in pair if "//" in address], path
        assert 'data-md-component="source"' not in text, path
        assert 'class="md-source"' in text, path
