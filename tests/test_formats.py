"""The formats: each to the letter, read back by what reads it, and with whatever names and lines a checked tree may hold."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree as ET

import jsonschema
import junitparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results import CODE, found, related, result_of, source_of
from sarif import loader

from mxlint import __version__
from mxlint.discover import Problem
from mxlint.engine import check
from mxlint.finding import Edit, Evidence, Finding, Fix, Related, Verdict
from mxlint.pages import load_page
from mxlint.report.formats import FORMATS, report
from mxlint.report.style import Style
from mxlint.result import Result
from mxlint.rules.registry import NAMES
from mxlint.source import Source
from mxlint.suppressions import suppression_row
from mxlint.survey import Stdin

HERE = Path(__file__).parent
SARIF = json.loads((HERE / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))


def example() -> Result:
    """A finding with a chain over two files and several rows; one behind wide letters with a fix, in a file with an odd name; one that was refuted; a
    path that could not be checked."""
    train = source_of("import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    print(\n        x,\n    )\n    return x\n", "src/train.py")
    main = source_of("from train import step\n\nstep(1)\n", "main.py")
    odd = source_of("import mlx.core as mx\n'\u6f22\U0001f600'; f = mx.compile(g, inputs=s, outputs=s)\n", "caf\xe9, a:b 100%.py")
    chain = (related(train, "mx.compile"), related(main, "step(1)", "called from here"))
    edits = [Edit("[s, t]", odd.span(at, at + 1)) for at in (odd.text.index("s, outputs"), odd.text.index("s)"))]
    refuted = Verdict("refuted", "in-place", None, Evidence("no-effect", "the same", "the same", 1, 3), ("0.32.4", "cpu"), 0.25)
    findings = (
        found(odd, "mx.compile(g, inputs=s, outputs=s)", "MX203", fix=Fix("unsafe", "pass t as well", tuple(edits)), object=None),
        found(train, "print(\n        x,\n    )", message="print() needs 100% of `x`: it raises", related=chain),
        found(train, "return x", "MX206", severity="info", claimed="warning", verdict=refuted, message='a "quoted" <word> & more'),
    )
    return result_of(*findings, sources=(train, main, odd), problems=(Problem("gone.py", "no such file or folder"),))


def rendered(name: str, result: Result) -> str:
    return report(name, result, Style())


@pytest.mark.parametrize("name", FORMATS)
def test_golden(name: str) -> None:
    """Each format to the letter. MXLINT_GOLDEN=write writes the files anew: read what changed before you commit it."""
    text = rendered(name, example()).replace(f'"{__version__}"', '"VERSION"')
    if name == "sarif":  # the rules hold whole pages
        log = json.loads(text)
        driver = log["runs"][0]["tool"]["driver"]
        driver["rules"] = [rule["id"] for rule in driver["rules"]]
        text = json.dumps(log, indent=2) + "\n"
    file = HERE / "golden" / f"{name}.txt"
    if os.environ.get("MXLINT_GOLDEN") == "write":
        file.write_text(text, encoding="utf-8", newline="\n")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_found(name: str) -> None:
    text = rendered(name, result_of())
    expected = {
        "text": "All checks passed: 3 files, 0 compiled functions.\n",
        "concise": "All checks passed: 3 files, 0 compiled functions.\n",
        "json-lines": "",
        "github": "",
        "gitlab": "[]\n",
    }
    assert text == expected.get(name, text)
    if name == "sarif":
        jsonschema.validate(json.loads(text), SARIF)
    if name == "junit":
        (suite,) = junitparser.JUnitXml.fromstring(text.encode())
        assert (suite.tests, suite.failures, suite.errors) == (1, 0, 0)


def test_sarif_is_valid() -> None:
    jsonschema.validate(json.loads(rendered("sarif", example())), SARIF)


def test_sarif_is_read(tmp_path: Path) -> None:
    """By sarif-tools."""
    file = tmp_path / "mxlint.sarif"
    file.write_text(rendered("sarif", example()), encoding="utf-8")
    log = loader.load_sarif_file(str(file))
    assert log.get_distinct_tool_names() == ["mxlint"]
    counts = {severity: log.get_report().get_issue_count_for_severity(severity) for severity in log.get_severities()}
    assert counts == {"error": 2, "warning": 0, "note": 1}
    records = [(record["Code"], unquote_to_bytes(record["Location"]).decode(), record["Line"]) for record in log.get_records()]
    assert records == [("MX203", "caf\xe9, a:b 100%.py", 2), ("MX101", "src/train.py", 6), ("MX206", "src/train.py", 9)]


def test_sarif_rules() -> None:
    run = json.loads(rendered("sarif", example()))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["MX101", "MX203", "MX206"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    page = load_page("MX101")
    assert (rules[0]["name"], rules[0]["help"]["markdown"], rules[0]["fullDescription"]["text"]) == (page.name, page.text, page.claim)
    assert rules[0]["helpUri"].endswith("/rules/MX101-print-traced-array/")


def test_every_rule_has_a_valid_descriptor() -> None:
    source = source_of(CODE)
    log = json.loads(rendered("sarif", result_of(*(found(source, "print(x)", code) for code in NAMES), sources=(source,))))
    jsonschema.validate(log, SARIF)
    for rule in log["runs"][0]["tool"]["driver"]["rules"]:
        assert len(rule["shortDescription"]["text"]) <= 255 and rule["fullDescription"]["text"]  # what GitHub shows of it


@pytest.mark.skipif(os.name == "nt", reason="an absolute path")
def test_sarif_of_a_file_elsewhere() -> None:
    source = source_of(CODE, "/home/me/a b.py")
    (place,) = json.loads(rendered("sarif", result_of(found(source, "print(x)"), sources=(source,))))["runs"][0]["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "file:///home/me/a%20b.py"}


def test_sarif_says_that_a_run_failed() -> None:
    (call,) = json.loads(rendered("sarif", example()))["runs"][0]["invocations"]
    assert not call["executionSuccessful"]
    (call,) = json.loads(rendered("sarif", result_of()))["runs"][0]["invocations"]
    assert call["executionSuccessful"]


def test_fixes_that_are_not_enough_are_no_suggestions() -> None:
    source = source_of(CODE)
    finding = found(source, "print(x)", fix=Fix("display", "see there", (Edit("", source.span(0, 1)),)))
    result = result_of(finding, sources=(source,))
    assert "fixes" not in json.loads(rendered("sarif", result))["runs"][0]["results"][0]
    assert "suggestions" not in json.loads(rendered("rdjson", result))["diagnostics"][0]


def test_a_suggestion_of_one_file_only() -> None:
    source, other = source_of(CODE), source_of(CODE, "b.py")
    finding = found(source, "print(x)", fix=Fix("safe", "both", (Edit("", source.span(0, 1)), Edit("", other.span(0, 1)))))
    result = result_of(finding, sources=(source, other))
    assert "suggestions" not in json.loads(rendered("rdjson", result))["diagnostics"][0]
    (fix,) = json.loads(rendered("sarif", result))["runs"][0]["results"][0]["fixes"]
    assert [change["artifactLocation"]["uri"] for change in fix["artifactChanges"]] == ["b.py", "src/a.py"]


def test_a_suggestion_does_what_the_edits_do() -> None:
    """Its columns count bytes of UTF-8."""
    result = example()
    source = result.sources["caf\xe9, a:b 100%.py"]
    (suggestion,) = json.loads(rendered("rdjson", result))["diagnostics"][0]["suggestions"]
    rows = source.text.encode().split(b"\n")
    start, end = suggestion["range"]["start"], suggestion["range"]["end"]
    assert start["line"] == end["line"] == 2
    changed = rows[1][: start["column"] - 1] + suggestion["text"].encode() + rows[1][end["column"] - 1 :]
    assert changed.decode() == "'\u6f22\U0001f600'; f = mx.compile(g, inputs=[s, t], outputs=[s, t])"


def test_gitlab_fingerprints_are_unique() -> None:
    source = source_of("import mlx.core as mx\nprint(x)\nprint(x)\nprint(x); print(x)\n")
    places = [match.span() for match in re.finditer(r"print\(x\)", source.text)]
    findings = [replace(found(source, "print(x)"), span=source.span(*place)) for place in places]
    prints = [entry["fingerprint"] for entry in json.loads(rendered("gitlab", result_of(*findings, sources=(source,))))]
    assert len(set(prints)) == 4


def test_junit_is_read() -> None:
    suites = list(junitparser.JUnitXml.fromstring(rendered("junit", example()).encode()))
    assert [(suite.name, suite.tests, suite.failures, suite.skipped, suite.errors) for suite in suites] == [
        ("gone.py", 1, 0, 0, 1),
        ("caf\xe9, a:b 100%.py", 1, 1, 0, 0),
        ("src/train.py", 2, 1, 1, 0),
    ]
    (case, refuted) = suites[2]
    assert (case.name, case.classname, case.result[0].message) == (
        "org.mxlint.MX101",
        "src/train",
        "print() needs 100% of `x`: it raises",
    )
    assert refuted.result[0].message == 'a "quoted" <word> & more'


def workflow_commands(text: str) -> list[tuple[dict[str, str], str]]:
    """Properties and message of each workflow command, unescaped as GitHub's runner does."""
    commands = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(?:error|warning|notice) ([^:]*)::(.*)", line)
        assert match is not None, line
        message = match[2].replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
        pairs = [pair.partition("=")[::2] for pair in match[1].split(",")]
        unescaped = {key: value.replace("%3A", ":").replace("%2C", ",").replace("%25", "%") for key, value in pairs}
        commands.append((unescaped, message))
    return commands


def test_github_escapes_what_its_runner_unescapes() -> None:
    problem, odd, chain, _ = workflow_commands(rendered("github", example()))
    assert problem == ({"title": "mxlint", "file": "gone.py"}, "gone.py: no such file or folder")
    assert odd[0]["file"] == "caf\xe9, a:b 100%.py"
    assert (odd[0]["line"], odd[0]["col"], odd[0]["endColumn"]) == ("2", "11", "45")
    assert chain[1] == (
        "src/train.py:6:5: MX101 print() needs 100% of `x`: it raises\n  src/train.py:4:2: compiled here\n"
        "  main.py:3:1: called from here\n  help: the help"
    )
    assert "col" not in chain[0]


# What a file may be called, and what may stand in it or in a message.
HOSTILE = st.lists(
    st.one_of(
        st.sampled_from("\n\r\t\x00\x07\x1b\x7f\x85\x9b\u061c\u200b\u200e\u202e\u2028\u2029\u2066\ufeff\ufffe%:,;=\"'<>&[](){}\\ "),
        st.sampled_from(
            ["\n::error file=a.py::pwned", "\r\n::stop-commands::x", "::warning ::x", "]]>", "##[error]x", "\x1b]0;x\x07", "a"]
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    min_size=1,
    max_size=12,
).map("".join)
NAME = st.one_of(HOSTILE, st.binary(min_size=1, max_size=8).map(os.fsdecode)).filter(lambda name: "\0" not in name)


def hostile(name: str, text: str) -> Result:
    """A run with one text wherever the user's own text may come to stand."""
    line = " ".join(text.replace("\0", " ").splitlines())  # what ends a line of Python is a subset of it
    source = Source(None, name, b"", f"{line}print(x)\nreturn x\n")
    evidence = Evidence("exception", text, text, 1, 1, text, (1,), text, text)
    verdict = Verdict("confirmed", "in-place", text, evidence, ("0.32.4", "cpu"), 0.1, missing=(text,), note=text, refused=(text,))
    fix = Fix("unsafe", text, (Edit(text, source.span(0, 1)),))
    start = source.text.index("print(x)")
    span = source.span(start, start + 8)
    finding = Finding("MX101", "error", text, text, span, text, (Related(text, source.span(0, 1)),), fix, verdict=verdict, note=text)
    again = replace(finding, span=source.span(0, 1), related=())
    return result_of(finding, again, sources=(source,), problems=(Problem(name, text),), verified=True, reasons={text: 1})


@pytest.mark.slow
@given(st.sampled_from(sorted(FORMATS)), NAME, HOSTILE, st.booleans())
@settings(deadline=None, max_examples=300)
def test_nothing_hostile_reaches_the_terminal(name: str, file: str, text: str, counts: bool) -> None:
    """No control character, no mark of direction, and no line of a report that they have begun."""
    out = report(name, hostile(file, text), Style(), statistics=counts and FORMATS[name].statistics is not None)
    assert all(character.isprintable() or character == "\n" for character in out)
    lines = out.split("\n")
    if name == "github":
        assert all(line.startswith("::error title=mxlint") for line in lines[:-1])
        assert len(lines) == 4
        assert all(command[0]["title"].startswith("mxlint") for command in workflow_commands(out))
    else:
        assert not any(line.lstrip().startswith("::") and not line.lstrip().startswith("::: ") for line in lines)


@pytest.mark.slow
@given(NAME, HOSTILE)
@settings(deadline=None, max_examples=100)
def test_programs_can_read_what_is_hostile(file: str, text: str) -> None:
    result = hostile(file, text)
    document = json.loads(rendered("json", result))
    assert {diagnostic["filename"] for diagnostic in document["diagnostics"]} == {file}
    assert document["diagnostics"][0]["message"] == text
    assert [json.loads(line) for line in rendered("json-lines", result).splitlines()] == document["diagnostics"]
    assert {entry["location"]["path"] for entry in json.loads(rendered("gitlab", result))} == {file}
    assert {entry["location"]["path"] for entry in json.loads(rendered("rdjson", result))["diagnostics"]} == {file}
    log = json.loads(rendered("sarif", result))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    if not os.path.isabs(file):
        assert re.fullmatch(r"[\w.~/%-]+", place["uri"], re.ASCII)
        assert os.fsdecode(unquote_to_bytes(place["uri"])) == file
    ET.fromstring(rendered("junit", result).encode())


@pytest.mark.parametrize(
    ("code", "row", "expected"),
    [
        ("f(x)\n", 1, 1),
        ("f(\n    x,\n)\n", 1, 1),
        ("f(\n    x,\n)\n", 2, 2),
        ("x = 1 + \\\n    2\n", 1, 2),
        ('f("""\n\n""", x)\n', 1, 3),
        ('f("""\n\n""", x,\n  y)\n', 1, 3),
        ("x = 1  # why\n", 1, 1),
        ("x = 1", 1, 1),
        ("# a\n\nx = 1\r\ny = '''\r\n'''\r\n", 4, 5),
        ("if x:\n\ty = '''\n  ", 2, 2),
    ],
)
def test_suppression_row(code: str, row: int, expected: int) -> None:
    assert suppression_row(source_of(code), row) == expected


BODIES = [
    "print(x)",
    'print("""\n\n""", x)',
    "print(\n        x,\n        )",
    "y = x + \\\n        x.item()",
    "y = (x +\n        x.item()) + \\\n        1",
    "if x > 3 or \\\n            x < 1:\n        pass",
    "y = [\n        f'''{x}\n        ''',\n    ]",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_comment_at_the_noqa_row_silences_the_finding(body: str) -> None:
    code = f"import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    {body}\n    return x\n\n\nstep(mx.ones(3))\n"

    def diagnostics(text: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in rendered("json-lines", check(["-"], stdin=Stdin(text.encode()))).splitlines()]

    before = diagnostics(code)
    assert before
    rows = code.splitlines(keepends=True)
    for diagnostic in before:
        row = diagnostic["noqa_row"] - 1
        changed = [*rows[:row], f"{rows[row].rstrip()}  # mxlint: ignore[{diagnostic['code']}]\n", *rows[row + 1 :]]
        left = diagnostics("".join(changed))
        assert [(each["code"], each["location"]) for each in left if each["location"] == diagnostic["location"]] == []


def test_what_no_comment_silences_has_no_noqa_row() -> None:
    (broken,) = [json.loads(line) for line in rendered("json-lines", check(["-"], stdin=Stdin(b"def f(:\n"))).splitlines()]
    assert (broken["code"], broken["noqa_row"]) == ("MX003", None)
