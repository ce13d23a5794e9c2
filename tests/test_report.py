"""What users and programs get to read."""

from __future__ import annotations

import io
import json
import os
import re
from dataclasses import replace
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from results import CODE, found, related, result_of, source_of

from mxlint import __version__
from mxlint.analysed import SiteReport
from mxlint.discover import Problem
from mxlint.finding import Applicability, Edit, Finding, Fix
from mxlint.report import concise, footer, sites, statistics, text
from mxlint.report import json as json_report
from mxlint.report.fingerprint import fingerprints
from mxlint.report.style import Style, style_for
from mxlint.source import Source

SCHEMA = json.loads((files("mxlint") / "schema" / "v1.json").read_text(encoding="utf-8"))


def shown(code: str, snippet: str, width: int = 100, **more: Any) -> list[str]:
    """The excerpt of a finding on `snippet`: the lines with a bar."""
    source = source_of(code)
    lines = text.render(result_of(found(source, snippet, **more), sources=(source,)), Style(width=width)).splitlines()
    return [line for line in lines if " |" in line and line.strip() != "|"]


def test_text() -> None:
    source = source_of(CODE)
    finding = found(source, "print(x)", related=(related(source, "mx.compile"),))
    assert text.render(result_of(finding, sources=(source,)), Style()) == (
        "error[MX101]: the message\n"
        " --> src/a.py:6:5\n"
        "  |\n"
        "4 | @mx.compile\n"
        "  |  ---------- compiled here\n"
        "5 | def step(x):\n"
        "6 |     print(x)\n"
        "  |     ^^^^^^^^\n"
        "7 |     return x\n"
        "  |\n"
        "help: the help\n"
        "more: mxlint explain MX101\n"
        "\n"
    )


@pytest.mark.parametrize(("applicability", "words"), [("safe", "safe"), ("unsafe", "unsafe"), ("display", "not enough alone")])
def test_text_of_a_fix(applicability: Applicability, words: str) -> None:
    source = source_of(CODE)
    fix = Fix(applicability, "take it out", (Edit("", source.span(0, 1)),))
    lines = text.render(result_of(found(source, "print(x)", fix=fix), sources=(source,)), Style()).splitlines()
    assert lines[-4:] == ["help: the help", f"fix: take it out ({words})", "more: mxlint explain MX101", ""]


def test_text_of_places_in_other_and_in_unknown_files() -> None:
    source, other = source_of(CODE), source_of("\n" * 99 + "step(1)\n", "b.py")
    finding = found(source, "print(x)", related=(related(other, "step(1)", "called from here"), related(source_of(CODE, "gone.py"), "mx")))
    lines = text.render(result_of(finding, sources=(source, other)), Style()).splitlines()
    assert "   --> src/a.py:6:5" in lines
    assert "  6 |     print(x)" in lines
    assert lines[lines.index("   ::: b.py:100:1") + 2 :][:2] == ["100 | step(1)", "    | ------- called from here"]
    assert lines[-4:] == ["   ::: gone.py:1:20: compiled here", "help: the help", "more: mxlint explain MX101", ""]


def test_text_of_a_change() -> None:
    source = source_of(CODE)
    at = source.text.index("print(x)")
    fix = Fix("safe", "say more", (Edit("print(\n        x,\n    )", source.span(at, at + len("print(x)"))),))
    lines = text.render(result_of(found(source, "print(x)", fix=fix), sources=(source,)), Style()).splitlines()
    assert lines[-7:-2] == ["fix: say more (safe)", "- 6 |     print(x)", "+ 6 |     print(", "+ 7 |         x,", "+ 8 |     )"]


@pytest.mark.parametrize(
    ("last", "said"),
    [(18, "4 more places between: --output-format json has them"), (12, "1 more place between: --output-format json has it")],
)
def test_text_of_a_long_chain(last: int, said: str) -> None:
    source = source_of("".join(f"f{number}()\n" for number in range(20)))
    chain = tuple(related(source, f"f{number}()", "called here") for number in range(2, last, 2))
    lines = text.render(result_of(found(source, "f19()", related=chain), sources=(source,)), Style()).splitlines()
    assert sum("called here" in line for line in lines) == 4
    assert f"   = {said}" in lines


def test_a_label_that_has_no_room() -> None:
    source = source_of("x = 1\nstep(x)\n")
    label = "the placeholder comes from here and not from anywhere else"
    lines = text.render(
        result_of(found(source, "step(x)", related=(related(source, "x = 1", label),)), sources=(source,)), Style(width=50)
    ).splitlines()
    assert lines[2:6] == ["  |", "1 | x = 1", "  | -----", "  | the placeholder comes from here and not from"]


@pytest.mark.parametrize(
    ("environment", "links"),
    [
        ({"TERM_PROGRAM": "WezTerm"}, True),
        ({"VTE_VERSION": "6800"}, True),
        ({"VTE_VERSION": "4800"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm"}, False),
        ({"TERM_PROGRAM": "WezTerm", "NO_COLOR": "1"}, False),
        ({"TERM_PROGRAM": "WezTerm", "FORCE_HYPERLINK": "0"}, False),
        ({"FORCE_HYPERLINK": "1"}, True),
    ],
)
def test_links_where_the_terminal_takes_them(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], links: bool) -> None:
    for name in [
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR_FORCE",
        "FORCE_HYPERLINK",
        "DOMTERM",
        "KONSOLE_VERSION",
        "WT_SESSION",
        "VTE_VERSION",
        "TERM_PROGRAM",
        "TERM",
    ]:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert style_for(Terminal(), "auto").links is links
    assert style_for(io.StringIO(), "always").links is ("FORCE_HYPERLINK" in environment and links)
    source = source_of(CODE)
    said = text.render(result_of(found(source, "print(x)"), sources=(source,)), replace(style_for(Terminal(), "auto"), color=False))
    address = "https://mxlint.github.io/mxlint/rules/MX101-print-traced-array/"
    assert (f"error[\x1b]8;;{address}\x1b\\MX101\x1b]8;;\x1b\\]: the message\n" in said) is links


@pytest.mark.parametrize(
    ("environment", "color"),
    [
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"CLICOLOR_FORCE": "0"}, False),
        ({"CLICOLOR_FORCE": ""}, False),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1"}, True),
    ],
)
def test_clicolor_force(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], color: bool) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert style_for(io.StringIO(), "auto").color is color


@pytest.mark.parametrize(
    ("code", "snippet", "expected"),
    [
        ("\tprint(x)\n", "print(x)", ["1 |     print(x)", "  |     ^^^^^^^^"]),
        ("ab\tprint(x)\n", "print(x)", ["1 | ab  print(x)", "  |     ^^^^^^^^"]),
        ("漢字 = print(x)\n", "print(x)", ["1 | 漢字 = print(x)", "  |        ^^^^^^^^"]),
        ("x = '漢字'\n", "漢字", ["1 | x = '漢字'", "  |      ^^^^"]),
        ("e\u0301 = print(x)\n", "print(x)", ["1 | e\u0301 = print(x)", "  |     ^^^^^^^^"]),
        ("x = '\x1b[31m'; print(x)\n", "print(x)", ["1 | x = '␛[31m'; print(x)", "  |              ^^^^^^^^"]),
        ("x = '\u202e'; print(x)\n", "print(x)", ["1 | x = '\ufffd'; print(x)", "  |          ^^^^^^^^"]),
        ("x = 1\r\nprint(x)\r\n", "print(x)", ["1 | x = 1", "2 | print(x)", "  | ^^^^^^^^"]),
        (
            "f(\n    x,\n\n    y)\n",
            "f(\n    x,\n\n    y)",
            ["1 | f(", "  | ^^", "2 |     x,", "  |     ^^", "3 |", "4 |     y)", "  |     ^^"],
        ),
        ("f(x)\n", "", ["1 | f(x)", "  | ^"]),
        ("\n\nf(x)\n\n\n", "f(x)", ["3 | f(x)", "  | ^^^^"]),
    ],
)
def test_excerpt(code: str, snippet: str, expected: list[str]) -> None:
    assert shown(code, snippet) == expected


def test_excerpt_at_the_end_of_a_file() -> None:
    source = source_of("f(\n")
    finding = replace(found(source, "f("), span=source.span(3, 3))
    assert text.render(result_of(finding, sources=(source,)), Style()).splitlines()[2:6] == ["  |", "1 | f(", "2 |", "  | ^"]


def test_excerpt_of_many_rows_leaves_some_out() -> None:
    call = "f(\n" + "".join(f"    {number},\n" for number in range(2, 30)) + ")"
    lines = shown(call + "\n", call)
    assert [line for line in lines if line.partition(" | ")[0].strip().isdigit()] == [
        " 1 | f(",
        " 2 |     2,",
        " 3 |     3,",
        " 4 |     4,",
        "30 | )",
    ]


@pytest.mark.parametrize("width", [60, 61, 80])
@pytest.mark.parametrize("before", [0, 10, 55, 300])
@pytest.mark.parametrize("after", [0, 300])
@pytest.mark.parametrize("letter", ["a", "漢"])
def test_long_lines_are_cut_around_the_span(width: int, before: int, after: int, letter: str) -> None:
    code = f"{letter * before}print(x){letter * after}\n"
    line, carets = shown(code, "print(x)", width)
    assert columns(line) <= width
    assert "print(x)" in line
    assert columns(line[: line.index("print(x)")]) == len(carets) - len("^^^^^^^^")
    assert carets.endswith(" ^^^^^^^^")
    assert ("…" in line) is (columns(code) - 1 + 4 > width)


def test_a_span_longer_than_the_width_is_cut() -> None:
    line, carets = shown("x = " + "y" * 300 + "\n", "y" * 300, 60)
    assert line == "1 | x = " + "y" * 51 + "…"
    assert carets.strip(" |") == "^" * 51


def columns(line: str) -> int:
    return len(line) + sum(character == "漢" for character in line)


def test_messages_are_wrapped() -> None:
    finding = found(source_of(CODE), "print(x)", message="word " * 30, help="first " * 20 + "\nsecond\n" + "`" + "x" * 70 + "`")
    lines = text.render(result_of(finding), Style(width=50)).splitlines()
    assert lines[0].startswith("error[MX101]: word")
    assert lines[1].startswith("  word")
    assert all(len(line) <= 50 for line in lines if "xxx" not in line)
    assert "      second" in lines
    assert any("x" * 70 in line for line in lines)


def test_colours_change_nothing_but_colour() -> None:
    source = source_of(CODE)
    findings = [
        found(source, "print(x)", severity=severity, related=(related(source, "mx.compile"),)) for severity in ("error", "warning", "info")
    ]
    result = result_of(*findings, sources=(source,))
    for render in (text.render, concise.render):
        coloured = render(result, Style(color=True))
        assert {"\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m"} <= set(re.findall(r"\x1b\[[0-9;]+m", coloured))
        assert re.sub(r"\x1b\[[0-9;]+m", "", coloured) == render(result, Style())


def test_concise() -> None:
    source = source_of(CODE)
    findings = [found(source, "print(x)", message="two\nlines \x1b[0m"), found(source, "mx.compile", "MX501")]
    assert concise.render(result_of(*findings), Style()) == "src/a.py:6:5: MX101 two lines ␛[0m\nsrc/a.py:4:2: MX501 the message\n"


@pytest.mark.parametrize(
    ("severities", "more", "expected"),
    [
        ([], {}, "All checks passed: 3 files, 0 compiled functions.\n"),
        ([], {"files": 1, "sites": (None,), "coverage": {"full": 1}}, "All checks passed: 1 file, 1 compiled function.\n"),
        (
            [],
            {"files": 1, "sites": (None,), "coverage": {"partial": 1}},
            "All checks passed: 1 file, 1 compiled function, not followed in full (see `mxlint sites --why`).\n",
        ),
        (
            [],
            {"files": 1, "sites": (None,) * 3, "coverage": {"full": 1, "none": 2}},
            "All checks passed: 1 file, 3 compiled functions, 2 of them not followed in full (see `mxlint sites --why`).\n",
        ),
        (["error"], {}, "Found 1 error.\n"),
        (["error", "warning", "error", "info"], {}, "Found 2 errors, 1 warning, 1 info.\n"),
        (["info", "info"], {}, "Found 2 info.\n"),
        ([], {"problems": (Problem("a.py", "gone"),)}, "No findings, but not every path could be checked.\n"),
    ],
)
def test_footer(severities: list[str], more: dict[str, Any], expected: str) -> None:
    findings = [found(source_of(CODE), "print(x)", severity=severity) for severity in severities]
    assert footer.footer(result_of(*findings, **more)) == expected


def test_statistics() -> None:
    source = source_of(CODE)
    findings = [found(source, "print(x)"), *[found(source, "mx.compile", "MX501")] * 10]
    assert statistics.render(result_of(*findings), Style()) == "10  MX501  compiled-method\n 1  MX101  print-traced-array\n"
    coverage = {"sites": 12, "full": 10, "partial": 2, "none": 0}
    assert (
        statistics.render(result_of(coverage=coverage), Style())
        == "\nCompiled functions:\n10  followed in full\n 2  followed in part\n 0  not followed\n"
    )
    assert statistics.render(result_of(reasons={"a call": 3, "import *": 12}), Style()) == "\nNot followed:\n12  import *\n 3  a call\n"


def rendered(*findings: Finding, **more: Any) -> Any:
    document = json.loads(json_report.render(result_of(*findings, **more), Style()))
    jsonschema.validate(document, SCHEMA)
    return document


def test_json() -> None:
    source = source_of(CODE)
    start = source.text.index("print")
    fix = Fix("unsafe", "take it out", (Edit("", source.span(start, start + 8)),))
    document = rendered(
        found(source, "print(x)", severity="info", fix=fix, related=(related(source, "mx.compile"),)),
        found(source, "mx.compile", "MX501", object=None),
        sources=(source,),
        problems=(Problem("b.py", "cannot be read"),),
        reasons={"a call": 3},
        coverage={"sites": 4, "full": 1, "partial": 1, "none": 2},
    )
    first, second = document.pop("diagnostics")
    assert document == {
        "version": 1,
        "tool": {"name": "mxlint", "version": __version__, "mlx_table": "0.32.4", "mlx_versions": ["0.30.6", "0.32.4"]},
        "summary": {
            "files": 3,
            "parsed": 2,
            "sites": 0,
            "error": 1,
            "warning": 0,
            "info": 1,
            "baselined": 0,
            "since": None,
            "fixed": None,
            "duration_s": 0.75,
            "coverage": {"sites": 4, "full": 1, "partial": 1, "none": 2, "reasons": {"a call": 3}},
            "verify": None,
        },
        "errors": [{"filename": "b.py", "message": "cannot be read"}],
        "unchecked": [],
    }
    assert re.fullmatch("[0-9a-f]{32}", first.pop("fingerprint"))
    assert first == {
        "code": "MX101",
        "name": "print-traced-array",
        "severity": "info",
        "family": "evaluation",
        "conditions": [],
        "presumed": [],
        "message": "the message",
        "note": None,
        "help": "the help",
        "url": "https://mxlint.github.io/mxlint/rules/MX101-print-traced-array/",
        "filename": "src/a.py",
        "cell": None,
        "location": {"row": 6, "column": 5},
        "end_location": {"row": 6, "column": 13},
        "noqa_row": 6,
        "object": "step",
        "related": [
            {
                "message": "compiled here",
                "filename": "src/a.py",
                "location": {"row": 4, "column": 2},
                "end_location": {"row": 4, "column": 12},
            }
        ],
        "fix": {
            "applicability": "unsafe",
            "message": "take it out",
            "edits": [
                {"content": "", "filename": "src/a.py", "location": {"row": 6, "column": 5}, "end_location": {"row": 6, "column": 13}}
            ],
        },
        "verify": None,
    }
    assert (second["object"], second["fix"], second["related"]) == (None, None, [])


def test_json_is_ascii_whatever_is_in_it() -> None:
    name = "caf\xe9\udcff.py"
    source = Source(None, name, b"", CODE)
    document = json_report.render(result_of(found(source, "print(x)", message="\u2028 é"), sources=(source,)), Style())
    assert document.isascii()
    assert json.loads(document)["diagnostics"][0]["filename"] == name


def test_json_names_the_versions_judged_for_and_the_newest_of_them() -> None:
    tool = rendered()["tool"]
    assert (tool["mlx_table"], tool["mlx_versions"]) == ("0.32.4", ["0.30.6", "0.32.4"])


def test_json_names_the_newest_table_when_none_was_needed() -> None:
    from mxlint.models.mlx.table import load_table

    assert rendered(mlx_versions=())["tool"]["mlx_versions"] == [load_table().version]


def test_json_statistics() -> None:
    finding = found(source_of(CODE), "print(x)")
    document = json.loads(json_report.render_with_statistics(result_of(finding), Style()))
    jsonschema.validate(document, SCHEMA)
    assert document["statistics"] == [{"code": "MX101", "name": "print-traced-array", "count": 1, "fixable": False, "fixable_count": 0}]


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.pop("errors"),
        lambda document: document["diagnostics"][0].pop("fix"),
        lambda document: document["diagnostics"][0].update(severity="fatal"),
        lambda document: document["diagnostics"][0]["location"].update(row=0),
        lambda document: document.update(version=2),
    ],
)
def test_schema_refuses_what_is_not_version_1(change: Any) -> None:
    document = rendered(found(source_of(CODE), "print(x)"))
    change(document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


def test_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def fingerprints_of(text: str, *snippets: str, name: str = "a.py", **more: Any) -> list[str]:
    source = source_of(text, name)
    return fingerprints([found(source, snippet, **more) for snippet in snippets], {name: source})


def test_fingerprint() -> None:
    (first,) = fingerprints_of(CODE, "print(x)")
    assert fingerprints_of("# new\n\n" + CODE.replace("    print", "\tprint"), "print(x)") == [first]  # moved, indented anew
    others = [
        fingerprints_of(CODE, "print(x)", name="b.py"),
        fingerprints_of(CODE, "print(x)", object="other"),
        fingerprints_of(CODE, "print(x)", code="MX102"),
        fingerprints_of(CODE.replace("print(x)", "print(x, 1)"), "print(x, 1)"),
        fingerprints_of(CODE, "print(x)", "print(x)")[1:],  # a second like it
    ]
    assert len({first, *(other for (other,) in others)}) == 6


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "choice", "terminal", "expected"),
    [
        ({}, "auto", True, True),
        ({}, "auto", False, False),
        ({"TERM": "dumb"}, "auto", True, False),
        ({"NO_COLOR": "1"}, "auto", True, False),
        ({"NO_COLOR": ""}, "auto", True, True),
        ({"FORCE_COLOR": "1"}, "auto", False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "auto", True, False),
        ({"NO_COLOR": "1"}, "always", False, True),
        ({"FORCE_COLOR": "1"}, "never", True, False),
    ],
)
def test_when_to_colour(environment: dict[str, str], choice: Any, terminal: bool, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert style_for(Terminal() if terminal else io.StringIO(), choice).color is expected


def test_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert style_for(io.StringIO(), "auto").width == 100  # the same in every window
    monkeypatch.setattr(os, "get_terminal_size", lambda descriptor: os.terminal_size((72, 20)))
    monkeypatch.setattr(Terminal, "fileno", lambda self: 1)
    assert style_for(Terminal(), "auto").width == 72
    monkeypatch.setenv("COLUMNS", "66")
    assert style_for(Terminal(), "auto").width == 66
    assert style_for(io.StringIO(), "auto").width == 66
    monkeypatch.setenv("COLUMNS", "0")
    assert style_for(Terminal(), "auto").width == 72
    monkeypatch.setattr(os, "get_terminal_size", lambda descriptor: os.terminal_size((0, 0)))
    assert style_for(Terminal(), "auto").width == 100
    monkeypatch.setenv("COLUMNS", "5")
    assert style_for(Terminal(), "auto").width == 40


def test_sites() -> None:
    source = source_of(CODE)
    start = source.text.index("mx.compile")
    site = SiteReport(source.span(start, start + 10), "decorator", "step", {"inputs": "[state,\n  x]", "shapeless": "True"}, "Model.step")
    site = replace(
        site, takes=("x", "y"), freezes=("scale",), mutates=("self.n",), draws=("mx.random.normal",), calls=2, followed="partial"
    )
    result = result_of(sites=(site,), problems=(Problem("b.py", "gone"),))
    assert sites.render_text(result, Style()) == (
        "src/a.py:4:2: step  (decorator)  inputs=[state, x]  shapeless=True\n"
        "    takes: x, y\n"
        "    freezes: scale\n"
        "    mutates: self.n\n"
        "    draws: mx.random.normal\n"
        f"    cache key: {site.key}\n"
    )
    why = ((source.span(start, start + 2), "a call"),)
    result = replace(result, sites=(replace(site, because=why),), imprecise=why)
    assert sites.render_text(result, Style(), why=True).endswith(
        f"    cache key: {site.key}\n    followed: in part\n        src/a.py:4:2: a call\n\nNot followed:\nsrc/a.py:4:2: a call\n"
    )
    assert json.loads(sites.render_json(result)) == {
        "version": 1,
        "tool": {"name": "mxlint", "version": __version__, "mlx_table": "0.32.4", "mlx_versions": ["0.30.6", "0.32.4"]},
        "sites": [
            {
                "filename": "src/a.py",
                "location": {"row": 4, "column": 2},
                "end_location": {"row": 4, "column": 12},
                "form": "decorator",
                "compiled": "step",
                "object": "Model.step",
                "options": {"inputs": "[state,\n  x]", "shapeless": "True"},
                "takes": ["x", "y"],
                "freezes": ["scale"],
                "mutates": ["self.n"],
                "draws": ["mx.random.normal"],
                "cache_key": "number of dimensions and dtype of every array, value of every number and string, in x, y",
                "calls": 2,
                "followed": "partial",
                "because": [
                    {
                        "filename": "src/a.py",
                        "location": {"row": 4, "column": 2},
                        "end_location": {"row": 4, "column": 4},
                        "reason": "a call",
                    }
                ],
            }
        ],
        "imprecise": [
            {
                "filename": "src/a.py",
                "location": {"row": 4, "column": 2},
                "end_location": {"row": 4, "column": 4},
                "reason": "a call",
            }
        ],
        "errors": [{"filename": "b.py", "message": "gone"}],
    }
