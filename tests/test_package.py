"""Wheel and sdist: built, looked into, and the wheel installed and used in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from mxlint import __version__
from mxlint.rules.registry import NAMES, page_file

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "tests" / "fixtures"

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path, code: int = 0, **variables: str) -> str:
    """Run a command without what the test's own environment would lend it, but with some variables; its output."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "MXLINT"))}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env={**clean, **variables}, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel built from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def scripts(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of a fresh environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=True)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    run(scripts / "python", "-m", "pip", "install", "--quiet", built / f"mxlint-{__version__}-py3-none-any.whl", cwd=folder)
    return scripts


def test_wheel_holds_program_and_pages(built: Path) -> None:
    with zipfile.ZipFile(built / f"mxlint-{__version__}-py3-none-any.whl") as wheel:
        names = set(wheel.namelist())
    assert names >= {f"mxlint/_pages/{page_file(code)}" for code in NAMES}
    sources = {"raw", "overlay"}  # facts.json and the models' data are folded from them
    left_out = {"__pycache__", "README.md", *sources}
    program = {
        path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*") if path.is_file() and not left_out & set(path.parts)
    }
    assert program >= {"mxlint/py.typed", "mxlint/models/mlx/facts.json", "mxlint/models/data/index.json"}
    assert names >= program
    assert not any(sources & set(name.split("/")) for name in names)
    assert {name.split("/")[0] for name in names} == {"mxlint", f"mxlint-{__version__}.dist-info"}


def test_build_is_reproducible(built: Path, tmp_path: Path) -> None:
    """The wheel of the working tree is, to the byte, the one of the sdist, which was built at another time in another folder."""
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    (again,) = tmp_path.glob("*.whl")
    assert again.read_bytes() == (built / again.name).read_bytes()


def in_archive(built: Path, *arguments: str, cwd: Path, code: int = 0) -> str:
    """Run mxlint from the wheel as it is, a zip that Python imports from."""
    wheel = built / f"mxlint-{__version__}-py3-none-any.whl"
    program = "import mxlint, sys; from mxlint.__main__ import run; assert '.whl' in mxlint.__file__; run()"
    return run(sys.executable, "-c", program, *arguments, cwd=cwd, code=code, PYTHONPATH=str(wheel))


def test_runs_in_an_archive(built: Path) -> None:
    """Pages, models of libraries and measured tables are read through the importer."""
    demo = FIXTURES / "demo"
    assert "# MX101: print-traced-array" in in_archive(built, "explain", "MX101", cwd=demo)
    check = ("check", "--isolated", "--output-format", "concise", ".")
    assert in_archive(built, *check, cwd=demo, code=1) == run(sys.executable, "-m", "mxlint", *check, cwd=demo, code=1)


@pytest.mark.verify
def test_verifies_in_an_archive(built: Path, tmp_path: Path) -> None:
    """What runs in a child is a file of its own, and the page has its style."""
    (tmp_path / "bad.py").write_text((FIXTURES / "demo" / "print_in_compiled.py").read_text(encoding="utf-8"), encoding="utf-8")
    report = tmp_path / "report.html"
    out = in_archive(built, "check", "--isolated", "--verify", "--no-cache", "--report", str(report), "bad.py", cwd=tmp_path, code=1)
    assert "verify: confirmed" in out
    assert "<style>" in report.read_text(encoding="utf-8")


def test_sdist_holds_tests_and_rules(built: Path) -> None:
    with tarfile.open(built / f"mxlint-{__version__}.tar.gz") as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert names >= {"pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "Makefile", "rules/README.md", "src/mxlint/py.typed"}
    assert names >= {f"rules/{page_file(code)}" for code in NAMES}
    assert names >= {path.relative_to(ROOT).as_posix() for path in FIXTURES.rglob("*.py")}
    assert not [name for name in names if "__pycache__" in name or name.startswith(".venv")]


def test_installed_version(scripts: Path, tmp_path: Path) -> None:
    assert __version__ in run(scripts / "mxlint", "--version", cwd=tmp_path)
    assert __version__ in run(scripts / "python", "-m", "mxlint", "--version", cwd=tmp_path)


def test_installed_explain(scripts: Path, tmp_path: Path) -> None:
    by_code = run(scripts / "mxlint", "explain", "MX101", cwd=tmp_path)
    assert "# MX101: print-traced-array" in by_code
    assert run(scripts / "mxlint", "explain", "print-traced-array", cwd=tmp_path) == by_code


def test_installed_check(scripts: Path) -> None:
    bad = run(scripts / "mxlint", "check", "--isolated", "--no-cache", "print_in_compiled.py", cwd=FIXTURES / "demo", code=1)
    assert "MX101" in bad
    run(scripts / "mxlint", "check", "--isolated", "--no-cache", "good.py", cwd=FIXTURES / "demo")
