"""The Python interface: what it gives is what the command prints, it stays as it is, and type checkers take it."""

from __future__ import annotations

import dataclasses
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Run
from notebooks import notebook

import mxlint

CODE = "import mlx.core as mx\n\n@mx.compile\ndef f(x):\n    print(x)\n    return x\n\nf(mx.ones(2))\n"

FIELDS = {
    "Result": ("findings", "problems", "files", "baselined", "exit_code"),
    "Finding": (
        "code",
        "name",
        "severity",
        "message",
        "help",
        "url",
        "place",
        "object",
        "related",
        "fix",
        "fingerprint",
        "note",
        "conditions",
        "presumed",
    ),
    "Place": ("filename", "cell", "start", "end"),
    "Position": ("row", "column"),
    "Related": ("message", "place"),
    "Fix": ("applicability", "message", "edits"),
    "Edit": ("content", "place"),
    "Problem": ("filename", "message"),
}
"""What docs/api.md documents, in order. Fields may be added behind these; none of them goes or moves."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(CODE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", FIELDS)
def test_fields_are_frozen(name: str) -> None:
    kind = getattr(mxlint, name)
    fields = tuple(field.name for field in dataclasses.fields(kind) if not field.name.startswith("_"))
    assert fields[: len(FIELDS[name])] == FIELDS[name]
    assert kind.__dataclass_params__.frozen and "__dict__" not in dir(kind)


def test_arguments_are_frozen() -> None:
    check, check_source = (str(inspect.signature(function)) for function in (mxlint.check, mxlint.check_source))
    settings = "config: 'PathLike | Mapping[str, object] | None' = None, *, isolated: 'bool' = False"
    assert check == (
        f"(paths: 'PathLike | Iterable[PathLike]', {settings}, force_exclude: 'bool' = False, "
        "mlx_version: 'str | None' = None, baseline: 'PathLike | None' = None) -> 'Result'"
    )
    assert check_source == f"(source: 'str | bytes', filename: 'PathLike', {settings}, mlx_version: 'str | None' = None) -> 'Result'"


def test_documented(project: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    for name in (*FIELDS["Result"], *FIELDS["Finding"], *FIELDS["Place"], *FIELDS["Fix"], "content", "BaselineError", "ConfigError"):
        assert f"`{name}`" in page or f"`mxlint.{name}`" in page, name


def test_says_what_the_command_says(run: Run, project: Path) -> None:
    (project / "a.py").write_text(CODE, encoding="utf-8")
    (project / "b.ipynb").write_text(notebook("import mlx.core as mx", CODE, "x = 1  # mxlint: ignore[MX101]"), encoding="utf-8")
    printed = json.loads(run("check", "--isolated", "--output-format", "json").out)["diagnostics"]
    result = mxlint.check(".", isolated=True)

    def place(place: mxlint.Place) -> dict[str, object]:
        start, end = dataclasses.asdict(place.start), dataclasses.asdict(place.end)
        cell = {"cell": place.cell} if place.cell is not None else {}
        return {"filename": place.filename, **cell, "location": start, "end_location": end}

    for finding, expected in zip(result.findings, printed, strict=True):
        for name in ("code", "name", "severity", "message", "help", "url", "object", "fingerprint", "note"):
            assert getattr(finding, name) == expected[name]
        assert [list(finding.conditions), list(finding.presumed)] == [expected["conditions"], expected["presumed"]]
        assert {"cell": None, **place(finding.place)}.items() <= expected.items()
        assert [{"message": related.message, **place(related.place)} for related in finding.related] == expected["related"]
        fix = finding.fix
        edits = [{"content": edit.content, **place(edit.place)} for edit in fix.edits] if fix else []
        assert (fix and {"applicability": fix.applicability, "message": fix.message, "edits": edits}) == expected["fix"]
    assert (result.files, result.exit_code, result.problems, result.baselined) == (2, 1, (), 0)
    assert [str(finding) for finding in result.findings][1].startswith("b.ipynb:cell 2:5:5: MX101 ")


def test_reports(project: Path) -> None:
    result = mxlint.check([Path("a.py")], isolated=True)
    assert result.report("concise").startswith("a.py:5:5: MX101 ")
    assert json.loads(result.report("sarif"))["version"] == "2.1.0"
    with pytest.raises(ValueError, match="no format 'html'"):
        result.report("html")  # type: ignore[arg-type]


def test_settings(project: Path) -> None:
    assert mxlint.check("a.py", {"ignore": ["MX1"]}).findings == ()
    assert mxlint.check("a.py", {"ignore": ("MX1",)}).findings == ()
    with pytest.raises(mxlint.ConfigError, match="expected a list of strings, found `set`"):
        mxlint.check("a.py", {"ignore": {"MX1"}})
    (project / "pyproject.toml").write_text("[tool.mxlint]\nignore = ['MX101']\n", encoding="utf-8")
    assert mxlint.check("a.py").findings == ()
    assert len(mxlint.check("a.py", isolated=True).findings) == 1
    (project / "other.toml").write_text("fail-on = 'never'\n", encoding="utf-8")
    assert mxlint.check("a.py", "other.toml").exit_code == 0
    for config in ({"ignore": ["MX999"]}, "gone.toml"):
        with pytest.raises(mxlint.ConfigError, match="^(ignore: unknown rule selector|.*gone.toml: No such file)"):
            mxlint.check("a.py", config)
    with pytest.raises(mxlint.ConfigError, match="^mlx_version: expected"):
        mxlint.check("a.py", mlx_version="x")
    with pytest.raises(ValueError):
        mxlint.check("a.py", "other.toml", isolated=True)


def test_baseline(run: Run, project: Path) -> None:
    (project / "a.py").write_text(CODE, encoding="utf-8")
    run("check", "--isolated", "--baseline", "known.json", "--update-baseline")
    result = mxlint.check(".", isolated=True, baseline="known.json")
    assert (result.findings, result.baselined) == ((), 1)
    (project / "broken.json").write_text("[]", encoding="utf-8")
    with pytest.raises(mxlint.BaselineError):
        mxlint.check(".", isolated=True, baseline="broken.json")
    with pytest.raises(FileNotFoundError):
        mxlint.check(".", isolated=True, baseline="gone.json")


def test_what_cannot_be_checked(project: Path) -> None:
    assert mxlint.check(["gone.py", "a.py"], isolated=True).problems == (mxlint.Problem("gone.py", "no such file or folder"),)
    assert mxlint.check([]).files == 0
    with pytest.raises(ValueError, match="empty path"):
        mxlint.check("")
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        mxlint.chek  # type: ignore[attr-defined]  # noqa: B018


def test_sources(project: Path) -> None:
    assert [finding.code for finding in mxlint.check_source(CODE, "sub/new.py", isolated=True).findings] == ["MX101"]
    (cell,) = mxlint.check_source(notebook(CODE).encode(), "x.ipynb", isolated=True).findings
    assert (cell.place.filename, cell.place.cell, cell.place.start) == ("x.ipynb", 1, mxlint.Position(5, 5))
    assert [finding.code for finding in mxlint.check_source("x = '\ud800'", "a.py", isolated=True).findings] == ["MX003"]
    with pytest.raises(ValueError, match="empty filename"):
        mxlint.check_source(CODE, "")


def test_import_loads_nothing_else() -> None:
    """What other tools pay that offer mxlint. Nothing of Python's own is loaded either but what `from __future__` needs."""
    program = (
        "import sys; before = set(sys.modules); import mxlint; print(sorted(set(sys.modules) - before)); "
        "mxlint.ConfigError; print('mxlint.engine' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, env={"PYTHONPATH": _src()}, check=True)
    assert done.stdout == "['__future__', 'mxlint']\nFalse\n"


def test_nothing_is_left_behind(project: Path) -> None:
    """Neither the working directory, the warnings' filters nor the collector are others after a run."""
    import gc
    import os
    import warnings

    state = os.getcwd(), list(warnings.filters), gc.isenabled(), gc.get_freeze_count()
    mxlint.check("a.py", isolated=True)
    assert (os.getcwd(), list(warnings.filters), gc.isenabled(), gc.get_freeze_count()) == state


@pytest.mark.slow
def test_type_checkers_take_it(tmp_path: Path) -> None:
    """A program that uses all of it, by mypy --strict."""
    (tmp_path / "program.py").write_text(
        """\
from pathlib import Path

import mxlint


def rows(result: mxlint.Result) -> list[tuple[str, int | None, int]]:
    return [(finding.code, finding.place.cell, finding.place.start.row) for finding in result.findings]


def edits(finding: mxlint.Finding) -> list[str]:
    return [edit.content for edit in finding.fix.edits] if finding.fix is not None else []


try:
    result = mxlint.check([Path("a.py"), "b.py"], {"ignore": ["MX306"]}, baseline=Path("b.json"))
    reveal_type(result.findings[0].severity)
    print(result.report("sarif"), rows(result), mxlint.check_source("x", "a.py").exit_code)
except (mxlint.ConfigError, mxlint.BaselineError) as error:
    print(error)
""",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "program.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "Literal['error']" in done.stdout


def _src() -> str:
    return str(Path(mxlint.__file__).parents[1])
