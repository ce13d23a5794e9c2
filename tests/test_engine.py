"""The run as a whole: what it reads, what it survives, what it makes of findings."""

from __future__ import annotations

import builtins
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import mxlint.analysis
from mxlint.analysed import Analysis
from mxlint.config import Settings
from mxlint.engine import check
from mxlint.finding import Finding, Position, Related
from mxlint.result import Result
from mxlint.source import Source
from mxlint.survey import Stdin

PRINTS = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    print(x)\n    return x\n"


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(root: Path, **files: str | bytes) -> None:
    for name, content in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def run(*paths: str, settings: Settings | None = None, stdin: Stdin | None = None) -> Result:
    return check(paths or (".",), settings, stdin=stdin)


def codes(result: Result) -> list[tuple[str, str, int]]:
    return [(finding.span.filename, finding.code, finding.span.start.row) for finding in result.findings]


def test_result(tmp_path: Path) -> None:
    write(tmp_path, a=PRINTS, b="x = 1\n", c__d=PRINTS)
    result = run()
    assert codes(result) == [("a.py", "MX101", 6), ("c/d.py", "MX101", 6)]
    assert (result.files, result.parsed, result.failed, result.exit_code, result.problems) == (3, 2, True, 1, ())
    assert [(site.span.filename, site.span.start.row) for site in result.sites] == [("a.py", 4), ("c/d.py", 4)]
    assert set(result.sources) == {"a.py", "c/d.py"}
    assert len(result.mlx_versions) == 1


def test_configured_severity(tmp_path: Path) -> None:
    """It stands in for the rule's; what conditions lower is lowered from there."""
    write(tmp_path, a=PRINTS, b="import os\n\n" + PRINTS.replace("    print(x)", "    if os.environ.get('DEBUG'):\n        print(x)"))
    before = {finding.span.filename: (finding.severity, finding.claimed) for finding in run().findings}
    assert before == {"a.py": ("error", None), "b.py": ("warning", "error")}
    (tmp_path / "pyproject.toml").write_text('[tool.mxlint.severity]\nMX1 = "warning"\n', encoding="utf-8")
    after = {finding.span.filename: (finding.severity, finding.claimed) for finding in run().findings}
    assert after == {"a.py": ("warning", None), "b.py": ("info", "warning")}


@pytest.mark.parametrize(
    ("content", "position", "message"),
    [
        ("def f(:\n", Position(1, 7), "invalid syntax"),
        ("x = 1\nif x:\n", Position(2, 6), "expected an indented block"),
        ("x = '\n", Position(1, 5), "unterminated string"),
        (b"x = 1\n\xff\n", Position(2, 1), "cannot decode byte 0xff"),
        (b"x = 1\n\0\n", Position(2, 1), "null bytes"),
        ("x = " + "(" * 300, Position(1, 205), "too many nested parentheses"),
        ("x = " + "-" * 100_000 + "1\n", Position(1, 1), "too deeply nested to parse"),
    ],
)
@pytest.mark.parametrize("before", ["", PRINTS])
def test_what_is_not_python(tmp_path: Path, content: str | bytes, position: Position, message: str, before: str) -> None:
    rows = before.count("\n")
    write(tmp_path, bad=before.encode() + (content if isinstance(content, bytes) else content.encode()), good=PRINTS)
    result = run("bad.py", "good.py")
    broken, good = result.findings
    assert (broken.code, broken.severity) == ("MX003", "error")
    assert message in broken.message
    expected = position if position == Position(1, 1) else Position(position.row + rows, position.column)
    assert broken.span.start == expected
    assert good.code == "MX101"
    assert result.exit_code == 1


def test_broken_files_found_by_walking_matter_if_they_may_use_mlx(tmp_path: Path) -> None:
    write(tmp_path, other="def f(:\n", ours="import mlx.core as mx\nmx.compile(:\n", asks="print 1  # mxlint: ignore[MX101]\n")
    assert codes(run()) == [("asks.py", "MX003", 1), ("ours.py", "MX003", 2)]


@pytest.mark.slow
def test_nested_deeper_than_people_write(tmp_path: Path) -> None:
    deep = "y = " + " + ".join(["x"] * 2000) + "\n" + "if y: pass\n" + "elif y: pass\n" * 500
    inside = "".join(f"    {line}\n" for line in deep.splitlines())
    write(tmp_path, a=PRINTS + deep, b=PRINTS.replace("    return x\n", inside + "    return x\n"))
    assert not {"MX003", "MX004"} & {code for _, code, _ in codes(run())}


def test_an_exception_stays_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a=PRINTS, bad=PRINTS + "# boom\n", c=PRINTS)
    real = mxlint.analysis.analyze

    def analyze(source: Source, *args: object, **options: object) -> Analysis:
        if "boom" in source.text:
            raise ZeroDivisionError("in a rule")
        return real(source, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(mxlint.analysis, "analyze", analyze)
    result = run(settings=Settings(fail_on="never", ignore=("MX004",)))
    assert codes(result) == [("a.py", "MX101", 6), ("bad.py", "MX004", 1), ("c.py", "MX101", 6)]
    internal = result.findings[1]
    assert "ZeroDivisionError: in a rule" in internal.message
    assert "mxlint." in internal.message
    assert "report" in internal.help
    assert "ZeroDivisionError" in result.tracebacks[0]
    assert (result.failed, result.exit_code) == (False, 2)


def test_recursion_gets_a_second_chance_with_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a=PRINTS)
    stacks: list[threading.Thread] = []

    def analyze(source: Source, *args: object, **options: object) -> Analysis:
        stacks.append(threading.current_thread())

        def down(depth: int) -> int:
            return depth and 1 + down(depth - 1)

        assert down(10_000) == 10_000
        return Analysis((), ())

    monkeypatch.setattr(mxlint.analysis, "analyze", analyze)
    limit = sys.getrecursionlimit()
    assert codes(run()) == []
    assert len(set(stacks)) == 2
    assert sys.getrecursionlimit() == limit


@pytest.mark.slow
def test_endless_recursion_is_an_internal_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a=PRINTS)

    def analyze(*args: object, **options: object) -> Analysis:
        return analyze(*args, **options)

    monkeypatch.setattr(mxlint.analysis, "analyze", analyze)
    result = run()
    assert codes(result) == [("a.py", "MX004", 1)]
    assert "RecursionError" in result.findings[0].message


def test_severity_and_threshold(tmp_path: Path) -> None:
    write(tmp_path, a="x = 1  # mxlint: ignore[MX101]\n")  # MX001 is a warning
    assert [run(settings=Settings(fail_on=level)).exit_code for level in ("error", "warning", "info", "never")] == [0, 1, 1, 0]


def test_each_file_is_judged_by_its_own_configuration(tmp_path: Path) -> None:
    write(tmp_path, a=PRINTS, lenient__b=PRINTS, silent__c=PRINTS, per__file__d=PRINTS)
    for folder, table in {
        "lenient": 'fail-on = "never"',
        "silent": 'ignore = ["MX1"]',
        "per": 'per-file-ignores = { "file" = ["MX101"] }',
    }.items():
        (tmp_path / folder / "pyproject.toml").write_text(f"[tool.mxlint]\n{table}\n", encoding="utf-8")
    assert codes(run()) == [("a.py", "MX101", 6), ("lenient/b.py", "MX101", 6)]
    assert run("lenient").exit_code == 0
    assert run().exit_code == 1


def test_selection_does_not_hide_files_that_could_not_be_judged(tmp_path: Path) -> None:
    write(tmp_path, a="def f(:\n", b=PRINTS)
    assert codes(run("a.py", "b.py", settings=Settings(select=("MX2",)))) == [("a.py", "MX003", 1)]
    assert codes(run("a.py", settings=Settings(ignore=("MX003",)))) == []


def test_suppressions_take_part(tmp_path: Path) -> None:
    write(
        tmp_path, a=PRINTS.replace("print(x)", "print(x)  # mxlint: ignore[MX101] known"), b=PRINTS.replace("print(x)", "print(x)  # noqa")
    )
    write(tmp_path, c="y = 1  # mxlint: ignore[MX101]\n", d="y = 1  # noqa: MX999\n")
    assert codes(run()) == [("c.py", "MX001", 1), ("d.py", "MX002", 1)]
    assert codes(run(settings=Settings(ignore=("MX101",)))) == [("d.py", "MX002", 1)]


HELPER = "def show(x):\n    print(x){}\n    return x\n"
USES_HELPER = "import mlx.core as mx\nfrom helper import show\n\n\n@mx.compile\ndef step(x):\n    return show(x)\n"


def test_a_finding_is_judged_by_the_file_it_lies_in(tmp_path: Path) -> None:
    write(tmp_path, helper=HELPER.format(""), a=USES_HELPER, b=USES_HELPER)
    assert codes(run()) == [("helper.py", "MX101", 2)]  # once, though reached twice
    result = run("a.py")
    assert codes(result) == [("helper.py", "MX101", 2)]
    assert "helper.py" in result.sources
    write(tmp_path, helper=HELPER.format("  # noqa"))
    assert codes(run()) == []
    write(tmp_path, helper=HELPER.format("  # mxlint: ignore[MX101]"))
    assert codes(run()) == []
    assert codes(run("a.py")) == []


SILENT_HELPER = HELPER.format("  # mxlint: ignore[MX101]")


def test_a_helper_checked_alone_may_need_its_suppressions(tmp_path: Path) -> None:
    write(tmp_path, helper=SILENT_HELPER + "\n\nx = 1  # mxlint: ignore[MX101]\n", a=USES_HELPER)
    assert codes(run("helper.py")) == codes(run()) == [("helper.py", "MX001", 6)]
    write(tmp_path, helper=SILENT_HELPER + "\n\n" + PRINTS)
    assert codes(run("helper.py")) == [("helper.py", "MX001", 2), ("helper.py", "MX101", 11)]
    assert codes(run()) == [("helper.py", "MX101", 11)]


def test_unused_suppressions_are_those_of_files_in_the_run(tmp_path: Path) -> None:
    own = PRINTS.replace("print(x)", "print(x)  # mxlint: ignore[MX101]")
    write(tmp_path, helper=HELPER.format("") + "\n\ny = 1  # mxlint: ignore[MX101]\n" + own, a=USES_HELPER)
    assert codes(run("a.py")) == [("helper.py", "MX101", 2)]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_files_behind_links_go_by_the_name_they_were_given(tmp_path: Path) -> None:
    write(tmp_path, real__helper=SILENT_HELPER + "\n\n" + PRINTS, real__a=USES_HELPER, real__b=HELPER.format(""), real__c=USES_HELPER)
    write(tmp_path, real__c=USES_HELPER.replace("helper", "b"))
    (tmp_path / "link").symlink_to("real")
    expected = [("b.py", "MX101", 2), ("helper.py", "MX101", 11)]
    assert codes(run("real")) == codes(run("real", "link")) == [(f"real/{name}", code, row) for name, code, row in expected]
    linked = run("link")
    assert codes(linked) == [(f"link/{name}", code, row) for name, code, row in expected]
    named = {span.filename for finding in linked.findings for span in (finding.span, *(related.span for related in finding.related))}
    assert named <= set(linked.sources)
    assert all(name.startswith("link/") for name in named)


def test_sites_are_in_the_order_of_the_files(tmp_path: Path) -> None:
    late = "import mlx.core as mx\n\n\ndef f(x):\n    @mx.compile\n    def g(x):\n        return x\n\n    return g(x)\n\n\nh = mx.compile(abs)\n"
    write(tmp_path, b=late, a=PRINTS)
    places = [(site.span.filename, site.span.start.row) for site in run("b.py", "a.py").sites]
    assert places == [("a.py", 4), ("b.py", 5), ("b.py", 12)]


@pytest.mark.parametrize(("body", "followed"), [("return x + 1", "full"), ("return eval('x')", "partial")])
def test_what_a_helper_compiles_is_followed_as_far_as_its_importers_are(tmp_path: Path, body: str, followed: str) -> None:
    write(tmp_path, helper="import mlx.core as mx\n\n\ndef compiled(fun):\n    return mx.compile(fun)\n")
    assert [site.followed for site in run().sites] == ["none"]
    user = f"import mlx.core as mx\nfrom helper import compiled\n\n\ndef body(x):\n    {body}\n\n\nf = compiled(body)\nf(mx.ones(3))\n"
    write(tmp_path, user=user)
    found = run()
    assert [(site.span.filename, site.followed, site.takes, site.calls) for site in found.sites] == [("helper.py", followed, ("x",), 1)]
    assert found.coverage == {"sites": 1, "full": 0, "partial": 0, "none": 0, followed: 1}


def test_coverage_is_that_of_all_files(tmp_path: Path) -> None:
    write(tmp_path, a=PRINTS, b=PRINTS)
    coverage = run().coverage
    assert coverage["sites"] == 2 == coverage["full"] + coverage["partial"] + coverage["none"]


def test_findings_in_excluded_files_are_not_reported(tmp_path: Path) -> None:
    write(tmp_path, helper=HELPER.format(""), a=USES_HELPER)
    assert codes(run(settings=Settings(extend_exclude=("helper.py",)))) == []


def test_sources_of_related_spans_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a=PRINTS, elsewhere="x = 1\n")

    def analyze(source: Source, *args: object, **options: object) -> Analysis:
        place = source.span(0, 1)
        elsewhere = type(place)("elsewhere.py", place.start, place.end)
        return Analysis((Finding("MX101", "error", "m", "h", place, related=(Related("compiled here", elsewhere),)),), ())

    monkeypatch.setattr(mxlint.analysis, "analyze", analyze)
    assert set(run("a.py").sources) == {"a.py", "elsewhere.py"}


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a=PRINTS, b=PRINTS)
    real = builtins.open

    def refuse(path: Any, *args: Any, **options: Any) -> Any:
        if str(path).endswith("a.py"):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **options)

    monkeypatch.setattr(builtins, "open", refuse)
    result = run()
    assert [(problem.name, problem.message) for problem in result.problems] == [("a.py", "cannot be read: Permission denied")]
    assert codes(result) == [("b.py", "MX101", 6)]
    assert result.exit_code == 2


def test_stdin(tmp_path: Path) -> None:
    assert codes(run(stdin=Stdin(PRINTS.encode()))) == [("-", "MX101", 6)]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "pyproject.toml").write_text('[tool.mxlint]\nper-file-ignores = { "x.py" = ["MX101"] }\n', encoding="utf-8")
    assert codes(run(stdin=Stdin(PRINTS.encode(), "sub/y.py"))) == [("sub/y.py", "MX101", 6)]
    assert codes(run(stdin=Stdin(PRINTS.encode(), "sub/x.py"))) == []
    excluded = check(["-"], Settings(), stdin=Stdin(PRINTS.encode(), ".venv/x.py"), force_exclude=True)
    assert excluded.files == 0


def test_stdin_sees_its_neighbours(tmp_path: Path) -> None:
    write(tmp_path, helper=HELPER.format(""))
    assert codes(run(stdin=Stdin(USES_HELPER.encode(), "a.py"))) == [("helper.py", "MX101", 2)]


def test_warnings_of_checked_code_stay_unheard(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a=PRINTS + "y = '\\d' is 1\n", b="x = '\\d'\n")
    run("a.py", "b.py")
    assert capfd.readouterr().err == ""


def test_mlx_version(tmp_path: Path) -> None:
    write(tmp_path, a=PRINTS)
    newest = run().mlx_versions
    (tmp_path / "requirements.txt").write_text("mlx==0.29.1\n", encoding="utf-8")
    assert run().mlx_versions == ("0.29.1",)
    assert run(settings=Settings(isolated=True)).mlx_versions == newest
    assert run(settings=Settings(mlx_version="0.30.0")).mlx_versions == ("0.30.0",)
    (tmp_path / "pyproject.toml").write_text('[tool.mxlint]\nmlx-version = "0.31.0"\n', encoding="utf-8")
    assert run().mlx_versions == ("0.31.0",)
    assert run(settings=Settings(mlx_version=">=0.30.0,<0.32")).mlx_versions == ("0.30.6", "0.31.2")
    result = run(settings=Settings(mlx_version="99.0"))
    assert "99.0" in result.notes[0]


def test_progress(tmp_path: Path) -> None:
    write(tmp_path, a=PRINTS, b=PRINTS)
    seen: list[tuple[int, int]] = []
    check(["."], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2)]


READS = """
import mlx.core as mx


class Trainer:
    def __init__(self, heads=False):
        self.heads = heads
        self.rate = 1.0
        self.step = mx.compile(self._step)

    def _step(self, x):
        if self.heads:
            return mx.exp(x) * self.rate
        return mx.log(x) * self.rate

    def epoch(self, rate, x):
        self.rate = rate
        return self.step(x)
"""
RUNS = "import mlx.core as mx\nfrom trainer import Trainer\n\ntrainer = Trainer({})\nfor n in range(3):\n    trainer.epoch(n * 0.1, mx.ones(2))\n"


def test_runs_that_come_to_one_cause_by_several_expressions_say_it_once(tmp_path: Path) -> None:
    (tmp_path / "trainer.py").write_text(READS)
    (tmp_path / "with_heads.py").write_text(RUNS.format("True"))
    (tmp_path / "without.py").write_text(RUNS.format("False"))
    rows = {name: [f.span.start.row for f in check([str(tmp_path / name)]).findings] for name in ("with_heads.py", "without.py")}
    assert rows == {"with_heads.py": [13], "without.py": [14]}
    assert [(f.code, f.severity) for f in check([str(tmp_path)]).findings] == [("MX209", "error")]
