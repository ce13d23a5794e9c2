"""Try out what a release is: built twice to the same bytes, its metadata in order, installed by uv and by pipx, and run with the oldest dependencies.

`make release-check` runs it; it needs the extra `release` and an index of packages. It ends with 1 at the first thing that is wrong.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mxlint import __version__

ROOT = Path(__file__).parents[1]
SCRIPTS = Path(sys.executable).parent
DEMO = ROOT / "tests" / "fixtures" / "demo"
# What the oldest dependencies have to get through: reading, analysis, all formats, fixes, the server. Tests that need a newer tool than mxlint does are not among them.
NAMES = ("lower", "report", "config", "cli", "fix_writing", "globs", "discover", "fixes", "server")
TESTS = tuple(f"tests/test_{name}.py" for name in NAMES)
TOOLS = ("pytest", "pytest-lsp", "hypothesis", "jsonschema", "junitparser", "sarif-tools", "pyyaml")


def run(*command: str | Path, cwd: Path, code: int = 0, **variables: str) -> str:
    """Run a command; its output. Another exit code than the expected one ends the program with what was printed."""
    print("$", *command, flush=True)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env={**kept, **variables}, capture_output=True, text=True, check=False)
    if done.returncode != code:
        sys.exit(f"exit code {done.returncode} instead of {code}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path) -> Iterator[Path]:
    """Build sdist and wheel twice, at times that differ; the files of the first, which have to be those of the second."""
    for name in ("first", "second"):
        run(sys.executable, "-m", "build", "--outdir", folder / name, ROOT, cwd=folder)
    for path in sorted((folder / "first").iterdir()):
        if path.read_bytes() != (folder / "second" / path.name).read_bytes():
            sys.exit(f"{path.name}: two builds differ")
        yield path


def check_tool(version: str, check: str) -> None:
    """Whether an installed mxlint says its version and finds what there is in the demonstration."""
    if __version__ not in version or "MX101" not in check:
        sys.exit(f"unexpected output: {version}{check}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = list(build(folder))
        run(sys.executable, "-m", "twine", "check", "--strict", *built, cwd=folder)
        (wheel,) = (path for path in built if path.suffix == ".whl")

        uv = SCRIPTS / "uv"
        one_off = (uv, "tool", "run", "--from", wheel, "mxlint")
        check_tool(run(*one_off, "--version", cwd=folder), run(*one_off, "check", "--isolated", ".", cwd=DEMO, code=1))

        home = {"PIPX_HOME": str(folder / "pipx"), "PIPX_BIN_DIR": str(folder / "bin")}
        run(SCRIPTS / "pipx", "install", wheel, cwd=folder, **home)
        mxlint = folder / "bin" / "mxlint"
        check_tool(run(mxlint, "--version", cwd=folder), run(mxlint, "check", "--isolated", ".", cwd=DEMO, code=1))

        oldest = folder / "oldest"
        run(uv, "venv", "--python", sys.executable, oldest, cwd=folder)
        python = oldest / "bin" / "python"
        # Dependencies of a wheel that is named are not direct ones to uv, those of a project are.
        run(
            uv,
            "pip",
            "install",
            "--python",
            python,
            "--resolution",
            "lowest-direct",
            "-r",
            ROOT / "pyproject.toml",
            "--extra",
            "lsp",
            cwd=folder,
        )
        run(uv, "pip", "install", "--python", python, "--no-deps", wheel, cwd=folder)
        print(run(uv, "pip", "list", "--python", python, cwd=folder))
        run(uv, "pip", "install", "--python", python, *TOOLS, cwd=folder)
        tests = folder / "tree"
        for part in ("tests", "scripts", "docs", "rules"):
            shutil.copytree(ROOT / part, tests / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("README.md", "CHANGELOG.md", "pyproject.toml"):
            shutil.copy(ROOT / part, tests / part)
        print(run(python, "-m", "pytest", "-q", *TESTS, cwd=tests)[-300:])


if __name__ == "__main__":
    main()
