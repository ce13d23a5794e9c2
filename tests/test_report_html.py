"""--report: one page that asks for nothing, says all that is known of every finding, and shows hostile text as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mxlint import cli
from mxlint.engine import check
from mxlint.finding import Edit, Evidence, Finding, Fix, Position, Related, Slowdown, Span, Verdict
from mxlint.report.html import page as page_module
from mxlint.report.html.charts import duration, scale_for
from mxlint.report.html.page import render
from mxlint.report.style import printable
from mxlint.result import Result

VOID = {"meta", "br"}
TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "h1", "h2", "h3", "p", "br", "small", "strong", "span", "a", "div",
    "table", "caption", "thead", "tbody", "tr", "th", "td", "article", "pre", "mark", "code", "details", "summary", "dl", "dt", "dd",
    "figure", "figcaption", "svg", "desc", "rect", "path", "circle", "text",
}  # fmt: skip
CODE = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n\tprint(x)  # </pre><script>alert(1)</script>\n    return x\n".replace(
    "    return", "\treturn"
)
HOSTILE = "</script></style></title><script src=//evil>alert('1')</script> \"'&lt; \x1b[31m \u202e \ud800 \x00"


@dataclass
class Page(HTMLParser):
    """A page as a browser's parser goes through it: every element is closed where it must be."""

    html: str
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(CODE, encoding="utf-8")
    return check(["a.py"])


def sound(html: str) -> Page:
    """The page, after a look at what no page may have."""
    page = Page(html)
    assert {tag for tag, _ in page.tags} <= TAGS
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "srcset", "action", "style")]
        assert (attributes.get("href") or "#").startswith("#")
        if tag == "svg":
            assert attributes["role"] == "img"
    names = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(names) == len(set(names))
    referred = [name for _, attributes in page.tags for name in (attributes.get("aria-labelledby") or "").split()]
    referred += [str(attributes["href"])[1:] for attributes in page.all("a")]
    assert set(referred) <= set(names)
    assert all(len(attributes.get("aria-labelledby") or "") for attributes in page.all("svg"))
    return page


SAMPLES = tuple(tuple((0.5 + 0.01 * index, 0.25 + 0.004 * index) for index in range(5)) for _ in range(3))
FULL = Verdict(
    "confirmed", "stand-in", None, Evidence("traces", "four traces", "one trace", 3, 4, "called with x=2", (1, 1, 0, 1)), ("0.32.4", "cpu"),
    1.5, ("limits", "landlock"), Slowdown(2.08, 1.9, 2.2, 0.52, 0.258, 15, SAMPLES, (803.0, 2.5), "an outlier"), "resolves",
)  # fmt: skip


def test_all_that_is_known_is_there(result: Result) -> None:
    (finding,) = result.findings
    fix = Fix("unsafe", "print its shape", (Edit("x", finding.span),))
    page = sound(render(replace(result, findings=(replace(finding, verdict=FULL, fix=fix, object="step"),), verified=True)))
    for said in (
        finding.code, "print-traced-array", finding.message, finding.help, "a.py:6:2", "step", "confirmed", "stand-in: ", "four traces",
        "one trace", "called with x=2", "2.08× as long, between 1.9× and 2.2×", "520 µs against 258 µs", "803 ms against 2.5 ms", "an outlier",
        "print its shape (unsafe)", "it resolves this", "MLX 0.32.4 on cpu", "limits, landlock", "3 traces in 4 calls", "compiled here",
        "    print(x)  # </pre><script>alert(1)</script>", "Found 1 error.", "Verified 1 finding: 1 confirmed",
    ):  # fmt: skip
        assert said in page.text, said
    assert len(page.all("svg")) == 4
    cells = [attributes["class"] for attributes in page.all("rect") if "cell" in (attributes["class"] or "")]
    assert cells == ["cell traced", "cell traced", "cell", "cell traced"]
    dots = [attributes["d"] or "" for attributes in page.all("path") if "dots" in (attributes.get("class") or "")]
    assert [path.count("M") for path in dots] == [15, 15]
    assert "traced in call 1, 2, 4" in page.text


def test_words_for_every_verdict(result: Result) -> None:
    (finding,) = result.findings
    refuted = replace(finding, severity="info", claimed="error", verdict=Verdict("refuted", "in-place", "two calls agree", None, None, 0.1))
    others = [
        replace(finding, verdict=Verdict("inconclusive", None, "interrupted", None, None, 0.1)),
        replace(finding, verdict=Verdict("unavailable", None, "MLX is not installed", None, None, 0.1)),
    ]
    page = sound(render(replace(result, findings=(refuted, *others), verified=True)))
    for said in ("two calls agree", "info (refuted); its rule's is error", "interrupted", "MLX is not installed", "#3"):
        assert said in page.text
    assert len(page.all("article")) == 3


def test_a_slowdown_with_a_lower_bound_only(result: Result) -> None:
    (finding,) = result.findings
    assert FULL.slowdown is not None
    bounded = replace(FULL, slowdown=replace(FULL.slowdown, ratio=163.0, low=163.0, high=None))
    page = sound(render(replace(result, findings=(replace(finding, verdict=bounded),), verified=True)))
    assert "at least 163× as long" in page.text
    assert "between" not in page.text


def test_a_run_that_was_not_verified(result: Result) -> None:
    page = sound(render(result))
    assert "Verdict" not in page.text
    assert not page.all("svg")
    assert "print-traced-array" in page.text


def test_nothing_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("x = 1\n", encoding="utf-8")
    assert "All checks passed" in sound(render(check(["a.py"]))).text


def hostile(text: str) -> Finding:
    span = Span(text, Position(1, 1), Position(1, 2))
    verdict = replace(FULL, reason=text, evidence=Evidence("stale", text, text, note=text), guard=(text,), mlx=(text, text))
    fix = Fix("display", text, ())
    return Finding("MX101", "error", text, text, span, text, (Related(text, span),), fix, None, verdict)


def test_hostile_text_is_text(result: Result) -> None:
    page = sound(render(replace(result, findings=(hostile(HOSTILE),), verified=True)))
    assert page.text.count(printable(HOSTILE)) >= 9
    for character in "\x1b\x00\u202e\ud800":
        assert character not in page.html


@pytest.mark.slow
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(text=st.text(min_size=1))
def test_any_text_is_text(result: Result, text: str) -> None:
    page = sound(render(replace(result, findings=(hostile(text),), verified=True)))
    assert _folded(printable(text)) in _folded(page.text)
    page.html.encode()


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_it_asks_for_nothing() -> None:
    style = Path(page_module.__file__).with_name("style.css").read_text(encoding="utf-8")
    assert "url(" not in style and "@import" not in style and "</" not in style and "://" not in style
    assert "default-src 'none'" in page_module.POLICY


# -- colours ----------------------------------------------------------------------------------------------------------


def palettes() -> list[dict[str, str]]:
    style = Path(page_module.__file__).with_name("style.css").read_text(encoding="utf-8")
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)]
    assert len(found) == 2 and found[0].keys() == found[1].keys()
    return found


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", palettes(), ids=["light", "dark"])
def test_contrast(palette: dict[str, str]) -> None:
    """WCAG AA: 4.5 for text, 3 for what is drawn."""
    for name in set(palette) - {"page", "panel", "line", "mark", "mark-text"}:
        for ground in ("page", "panel"):
            assert contrast(palette[name], palette[ground]) >= 4.5, (name, ground)
    assert contrast(palette["mark-text"], palette["mark"]) >= 4.5


# -- charts -----------------------------------------------------------------------------------------------------------


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.floats(1e-4, 1e6), min_size=1, max_size=20))
def test_scales_hold_their_values(values: list[float]) -> None:
    scale = scale_for(values)
    for value in values:
        assert 10 <= scale.at(value) <= 350
    ticks = scale.ticks()
    assert len(ticks) <= 12
    assert all(10 <= scale.at(tick) <= 350 for tick in ticks)


def test_durations() -> None:
    told: Callable[[float], str] = duration
    assert [told(value) for value in (0.0123, 0.5, 3.14159, 754.2, 2500.0)] == ["12.3 µs", "500 µs", "3.14 ms", "754 ms", "2.5 s"]


# -- the command line -------------------------------------------------------------------------------------------------


def test_the_option(result: Result) -> None:
    del result
    done = CliRunner().invoke(cli.main, ["check", "--report", "report.html", "a.py"])
    assert done.exit_code == 1
    assert "error[MX101]" in done.output
    assert "print-traced-array" in sound(Path("report.html").read_text(encoding="utf-8")).text
    failed = CliRunner().invoke(cli.main, ["check", "--report", "missing/report.html", "a.py"])
    assert failed.exit_code == 2 and "missing/report.html: No such file" in failed.output
