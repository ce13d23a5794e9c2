"""JUnit's XML: a suite for each file with findings, a test that failed for each finding."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from mxlint.documents.layout import Place
from mxlint.finding import Finding
from mxlint.report.places import place_of
from mxlint.report.style import Style, one_line

if TYPE_CHECKING:
    from mxlint.discover import Problem
    from mxlint.result import Result

_PACKAGE = "org.mxlint"


def render(result: Result, style: Style) -> str:
    """What is info is a test that was skipped, a path that could not be checked one that ended with an error; a run without any is one that passed."""
    suites = [_problem(problem) for problem in result.problems]
    suites += [
        _file(name, list(findings), result) for name, findings in groupby(result.findings, key=lambda finding: finding.span.filename)
    ]
    if not suites:
        suites = [_suite("mxlint", [ET.Element("testcase", name="No findings", classname="mxlint")])]
    root = ET.Element("testsuites", {"name": "mxlint", **_counts(suites)})
    root.extend(suites)
    ET.indent(root, "    ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _file(name: str, findings: list[Finding], result: Result) -> ET.Element:
    return _suite(one_line(name), [_case(finding, place_of(finding.span, result.sources)) for finding in findings])


def _problem(problem: Problem) -> ET.Element:
    name = one_line(problem.name)
    case = ET.Element("testcase", name=_PACKAGE, classname=name)
    ET.SubElement(case, "error", message=one_line(problem.message))
    return _suite(name, [case])


def _suite(name: str, cases: list[ET.Element]) -> ET.Element:
    suite = ET.Element("testsuite", {"name": name, **_counts(cases), "package": _PACKAGE})
    suite.extend(cases)
    return suite


def _case(finding: Finding, place: Place) -> ET.Element:
    start = place.start
    rows = {"line": str(start.row), "column": str(start.column)} if place.cell is None else {"line": str(place.rows[0])}
    classname = one_line(finding.span.filename).removesuffix(".py")
    case = ET.Element("testcase", {"name": f"{_PACKAGE}.{finding.code}", "classname": classname, **rows})
    ET.SubElement(ET.SubElement(case, "properties"), "property", name="severity", value=finding.severity)
    message = one_line(finding.message)
    outcome = ET.SubElement(case, "skipped" if finding.severity == "info" else "failure", message=message)
    outcome.text = f"{f'cell {place.cell}, ' if place.cell is not None else ''}line {start.row}, col {start.column}, {message}{f'; {one_line(finding.note)}' if finding.note else ''}"
    return case


def _counts(parts: list[ET.Element]) -> dict[str, str]:
    """How many tests there are in suites or among tests, and what came of them."""
    cases = [case for part in parts for case in part.iter("testcase")]
    found = {"skipped": "skipped", "failures": "failure", "errors": "error"}
    return {"tests": str(len(cases)), **{name: str(sum(case.find(tag) is not None for case in cases)) for name, tag in found.items()}}
