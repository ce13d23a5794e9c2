"""A file that is named alone is checked with the files that import it: they are its callers, and nothing else is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Run

from mxlint import callers
from mxlint.config import Settings
from mxlint.engine import check
from mxlint.result import Result
from mxlint.survey import Stdin

STEP = """import mlx.core as mx

rate = mx.array(1.0)


@mx.compile
def step(x, scale):
    return x * scale * rate


def advance(x, scale):
    return step(x, scale)
"""
CHANGING = "import mlx.core as mx\nfrom {} import advance\n\nfor k in range(100):\n    advance(mx.ones(3), k * 0.1)\n"
STALE = "import mlx.core as mx\nimport step\n\nstep.step(mx.ones(3), 1.0)\nstep.rate = mx.array(2.0)\nstep.step(mx.ones(3), 1.0)\n"
OWN = "\n\n@mx.compile\ndef own(x):\n    print(x)\n    return x\n\n\nown(mx.ones(3))\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a project with one file."""
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text("")
    Path("step.py").write_text(STEP)
    return tmp_path


def checked(*paths: str, settings: Settings | None = None, stdin: Stdin | None = None) -> Result:
    return check(paths, settings, stdin=stdin, callers=True)


def codes(result: Result) -> list[str]:
    return [f"{finding.span.filename}: {finding.code}" for finding in result.findings]


@pytest.mark.parametrize(("caller", "code"), [(CHANGING.format("step"), "MX303"), (STALE, "MX201")])
def test_what_an_importer_causes_is_reported(caller: str, code: str) -> None:
    assert codes(checked("step.py")) == []
    Path("train.py").write_text(caller + OWN)
    assert f"step.py: {code}" in codes(checked("step.py"))
    assert {line.partition(":")[0] for line in codes(checked("step.py"))} == {"step.py"}
    everything = [line for line in codes(check((".",))) if line.startswith("step.py")]
    assert codes(checked("step.py")) == everything


def test_nothing_else_is_said_of_importers() -> None:
    alone = checked("step.py")
    Path("train.py").write_text("import mlx.core as mx\nfrom step import step\n" + OWN)
    result = checked("step.py")
    assert (result.findings, result.files, result.parsed, result.sites, result.coverage) == (
        alone.findings,
        1,
        1,
        alone.sites,
        alone.coverage,
    )
    assert result.own == {"step.py"}
    assert list(result.sources) == ["step.py"]


@pytest.mark.parametrize(
    "files",
    [
        {"pkg/__init__.py": "from step import advance\n", "train.py": CHANGING.format("pkg")},
        {"pkg/__init__.py": "from .fast import *\n", "pkg/fast.py": "from step import advance\n", "train.py": CHANGING.format("pkg")},
        {"scripts/train.py": "import sys\nsys.path.append('..')\n" + CHANGING.format("step")},
        {"train.py": "def run():\n    " + CHANGING.format("step").replace("\n", "\n    ") + "\n\nrun()\n"},
    ],
)
def test_importers_are_found_through_others(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    everything = [line for line in codes(check((".",))) if line.startswith("step.py")]
    assert codes(checked("step.py")) == everything
    assert everything == ["step.py: MX303"] or "scripts/train.py" in files


def test_importers_of_a_package() -> None:
    Path("pkg").mkdir()
    Path("pkg/__init__.py").write_text(STEP)
    Path("pkg/train.py").write_text(CHANGING.format("."))
    assert codes(checked("pkg/__init__.py")) == ["pkg/__init__.py: MX303"]


def test_what_is_left_out_calls_nothing() -> None:
    Path("train.py").write_text(CHANGING.format("step"))
    assert codes(checked("step.py", settings=Settings(extend_exclude=("train.py",)))) == []
    Path(".git").mkdir()
    Path(".gitignore").write_text("train.py\n")
    assert codes(checked("step.py")) == []
    Path(".gitignore").write_text("")
    assert codes(checked("step.py")) == ["step.py: MX303"]


def test_isolated_is_about_settings() -> None:
    Path("train.py").write_text(CHANGING.format("step"))
    Path("pyproject.toml").write_text('[tool.mxlint]\nexclude = ["train.py"]\n')
    assert codes(checked("step.py")) == []
    assert codes(checked("step.py", settings=Settings(isolated=True))) == ["step.py: MX303"]


def test_a_file_from_stdin_has_the_importers_of_its_name() -> None:
    Path("train.py").write_text(CHANGING.format("step"))
    text = STEP.replace("x * scale * rate", "x * scale")
    assert codes(checked(stdin=Stdin(text.encode(), "step.py"))) == ["step.py: MX303"]
    assert codes(checked(stdin=Stdin(text.encode()))) == []


@pytest.mark.parametrize(
    "text", ["from step import step\nthis is not Python", "from step import step\n\0", "# \xff coding: nothing\nimport step\n"]
)
def test_an_importer_that_cannot_be_read_is_passed_over(text: str, run: Run) -> None:
    Path("train.py").write_text(text)
    done = run("check", "step.py")
    assert (done.code, done.out.startswith("All checks passed: 1 file")) == (0, True), done.out + done.err


def test_settings_of_a_folder_that_nobody_asked_for_end_no_run(run: Run) -> None:
    Path("other").mkdir()
    Path("other/pyproject.toml").write_text("[tool.mxlint]\nnothing = 1\n")
    Path("other/train.py").write_text(CHANGING.format("step"))
    assert run("check", "step.py").code == 0


def test_who_names_a_folder_gets_what_is_in_it() -> None:
    Path("src").mkdir()
    Path("step.py").rename("src/step.py")
    Path("train.py").write_text(CHANGING.format("step"))
    assert codes(checked("src")) == []
    assert codes(checked("src/step.py")) == ["src/step.py: MX303"]


def test_without_a_project_only_files_beside_it_are_looked_at(folder: Path) -> None:
    Path("pyproject.toml").unlink()
    Path("below").mkdir()
    Path("below/train.py").write_text(CHANGING.format("step"))
    assert codes(checked("step.py")) == []
    Path("train.py").write_text(CHANGING.format("step"))
    assert codes(checked("step.py")) == ["step.py: MX303"]


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.py").write_text("from step import advance\n" + "# long\n" * 100)
    Path("train.py").write_text(CHANGING.format("a"))
    assert codes(checked("step.py")) == ["step.py: MX303"]
    monkeypatch.setattr(callers, "MOST_TEXT", 740)
    assert codes(checked("step.py")) == []
    monkeypatch.undo()
    monkeypatch.setattr(callers, "MOST_FILES", 1)
    assert codes(checked("step.py")) == []


def test_a_fix_changes_no_importer(run: Run) -> None:
    Path("train.py").write_text(STALE)
    run("check", "--fix", "--unsafe-fixes", "step.py")
    assert Path("train.py").read_text() == STALE


def test_the_cache_holds_callers(run: Run) -> None:
    Path("train.py").write_text(CHANGING.format("step"))
    plain = run("check", "--no-cache", "step.py")
    assert [run("check", "step.py") for _ in range(2)] == [plain] * 2
    Path("train.py").write_text(CHANGING.format("step").replace("k * 0.1", "0.1"))
    assert run("check", "step.py") == run("check", "--no-cache", "step.py")
