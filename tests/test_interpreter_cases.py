"""The analysis on the shapes of tests/fixtures: what is followed, what stays silent, what programs showed.

Each file of a case is analysed by itself, with the folder as its project, as a run over the folder does. All facts of it are compared with golden/facts,
which says more than the marks of the cases: MXLINT_GOLDEN=write writes what is found. Read what changed before you commit it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from cases import MARKS, Case, Place, read_cases
from facts_told import log, short, site, told
from goldens import Sections
from writing import write

from mxlint.analysis import analyze
from mxlint.engine import check
from mxlint.finding import Finding
from mxlint.headline import LONGEST
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source


def findings(case: Case, golden: Sections) -> list[Finding]:
    """What is found in a case that lies in the working directory; each place and code once. The facts are those of the golden file."""
    write(Path(), case.files)
    table = load_table()
    found: dict[object, Finding] = {}
    project = Project()
    lines: list[str] = []
    for name in sorted(case.files):
        analysis = analyze(read_source(Path(name), name), project, table, with_facts=True)
        lines += told(analysis)
        for finding in analysis.findings:
            assert len(finding.message) <= LONGEST
            found.setdefault((finding.code, finding.span), finding)
    golden.compare(case.name, lines)
    return list(found.values())


def marks(found: Iterable[Finding]) -> list[Place]:
    """Where something is found, without what is mere advice."""
    return sorted((f.span.filename, f.span.start.row, f.code) for f in found if f.severity != "info")


def places(case: Case, golden: Sections) -> list[Place]:
    return marks(findings(case, golden))


def golden(file: str, cases: Iterable[str]) -> Sections:
    """The facts that are expected of the cases of a file."""
    return Sections(f"facts/{file}.txt", cases)


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


FLOW = read_cases("flow.md", "MX101")
FLOW_FACTS, UNCALLED_FACTS, CONSTANT_FACTS = (golden(file, FLOW) for file in ("flow", "flow-uncalled", "flow-constant"))
NOT_YET: dict[str, dict[str, tuple[str, ...]]] = {
    "shapeless: which sizes matter, or which the calls in sight change, is not told apart": {
        "silent": ("diagonal along the side that stays", "reduction along an axis that is put together of two"),
        "found": (
            "sorted as a whole under shapeless",
            "element of a row that is mapped under shapeless",
            "tangent of a vector that is repeated under shapeless",
            "a position counted from the end by a number that a factory is given",
        ),
    },
    "state: what changes, or does not, between two calls is not told apart": {
        "silent": ("random state of an older MLX, put back where that can be done",),
    },
    "calls in other files are not seen": {
        "silent": (
            "a condition that another file's calls decide alike",
            "a loop that another file's calls never enter",
        ),
    },
}
"""What is not right yet, by the kind of reason and then by group: a list that only shrinks. "flow": with a call in sight and without."""


def parameters(cases: Iterable[str], *groups: str) -> list[ParameterSet]:
    """The names of cases; those that are listed as not right yet say so, and must fail."""
    missed = {name: reason for reason, listed in NOT_YET.items() for group in groups for name in listed.get(group, ())}
    assert not missed.keys() - set(cases)
    return [
        pytest.param(case, marks=pytest.mark.xfail(strict=True, raises=AssertionError, reason=missed[case]) if case in missed else ())
        for case in cases
    ]


@pytest.mark.parametrize("name", parameters(FLOW, "flow", "called"))
def test_a_traced_array_is_followed(name: str) -> None:
    case = FLOW[name].variant("x")
    assert places(case, FLOW_FACTS) == case.marked


@pytest.mark.parametrize("name", parameters(FLOW, "flow", "uncalled"))
def test_a_traced_array_is_followed_without_a_call_in_sight(name: str) -> None:
    """What depends on the number of dimensions, which only a call shows, is a warning."""
    case = FLOW[name].variant("x", call="")
    assert places(case, UNCALLED_FACTS) == case.marked


@pytest.mark.parametrize("name", parameters(FLOW, "constant"))
def test_a_constant_in_its_place_is_silent(name: str) -> None:
    assert places(FLOW[name].variant("C"), CONSTANT_FACTS) == []


SILENT = read_cases("silent.md")
SILENT_FACTS = golden("silent", SILENT)


@pytest.mark.parametrize("name", parameters(SILENT, "silent"))
def test_what_the_rules_leave_alone(name: str) -> None:
    case = SILENT[name]
    assert [finding for finding in findings(case, SILENT_FACTS) if finding.severity != "info" or finding.code == case.code] == []


UNKNOWN = read_cases("unknown.md")
UNKNOWN_FACTS = golden("unknown", UNKNOWN)


@pytest.mark.parametrize("name", parameters(UNKNOWN, "unknown"))
def test_what_is_not_decided_is_never_an_error(name: str) -> None:
    found = findings(UNKNOWN[name], UNKNOWN_FACTS)
    assert marks(found) == UNKNOWN[name].marked
    assert "error" not in {finding.severity for finding in found}


FOUND = read_cases("found.md")
FOUND_FACTS = golden("found", FOUND)
WRITTEN = read_cases("written.md")
WRITTEN_FACTS = golden("written", WRITTEN)
LIBRARY = read_cases("library.md")
LIBRARY_FACTS = golden("library", LIBRARY)


@pytest.mark.parametrize("name", parameters(FOUND, "found"))
def test_what_programs_showed(name: str) -> None:
    assert places(FOUND[name], FOUND_FACTS) == FOUND[name].marked


@pytest.mark.parametrize("name", parameters(WRITTEN, "written"))
def test_what_programs_that_were_written_for_it_showed(name: str) -> None:
    assert places(WRITTEN[name], WRITTEN_FACTS) == WRITTEN[name].marked


@pytest.mark.parametrize("name", parameters(LIBRARY, "library"))
def test_what_nothing_in_sight_calls(name: str) -> None:
    assert places(LIBRARY[name], LIBRARY_FACTS) == LIBRARY[name].marked


VARIED = read_cases("varied.md")
VARIED_FACTS = golden("varied", VARIED)


@pytest.mark.parametrize("name", VARIED)
def test_what_small_differences_decide(name: str) -> None:
    """In a whole run, which also knows the files of tests by their names."""
    case = VARIED[name]
    write(Path(), case.files)
    lines = [(file, row, line) for file, text in case.files.items() for row, line in enumerate(text.splitlines(), 1)]
    marked = [(file, row, code) for file, row, line in lines for code in MARKS.findall(line.partition("  # ")[2])]
    result = check(["."], fixes=False, with_facts=True)
    assert result.tracebacks == () and result.problems == ()
    VARIED_FACTS.compare(name, short([*map(site, result.sites), *(line for facts in result.facts for line in log(facts))]))
    assert sorted((f.span.filename, f.span.start.row, f.code) for f in result.findings) == sorted(marked)


def test_what_is_not_right_yet_is_listed_once() -> None:
    listed = [(group, name) for groups in NOT_YET.values() for group, names in groups.items() for name in names]
    assert len(listed) == len(set(listed))
    assert {group for group, _ in listed} <= {
        "flow",
        "called",
        "uncalled",
        "constant",
        "silent",
        "unknown",
        "found",
        "written",
        "library",
    }
