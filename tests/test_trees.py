"""Trees as they come do not end a run: whatever lies in them, there is an ordinary answer, or a problem with a name and the exit code 2."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Run
from forked import run_apart

import mxlint.survey

GOOD = "import mlx.core as mx\n\n\n@mx.compile\ndef f(x):\n    print(x)\n    return x\n\n\nf(mx.ones(3))\n"
"""A program with one finding, which lies beside whatever else there is."""
PATIENCE_S = 300
MANY = 200_000

Make = Callable[[Path], None]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, pipes and devices of POSIX")


def check(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """A run of its own, which is ended if it does not end."""
    done = run_apart(folder, "check", "--output-format", "concise", *arguments, patience=PATIENCE_S)
    return done.code, done.out, done.err


def file(name: str, text: str) -> Make:
    def make(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return make


def link(name: str, target: str) -> Make:
    return lambda folder: (folder / name).symlink_to(target)


def pipe(name: str) -> Make:
    def make(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(folder / name)

    return make


def bound(name: str) -> Make:
    def make(folder: Path) -> None:
        here = os.getcwd()
        os.chdir(folder)  # the path of a socket is short
        try:
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(name)
        finally:
            os.chdir(here)

    return make


def test_a_pipe_that_an_option_names_is_not_waited_for(tmp_path: Path) -> None:
    file("a.py", "import mlx.core as mx\n")(tmp_path)
    pipe("named")(tmp_path)
    for option in ("--baseline", "--config"):
        code, out, err = check(tmp_path, "a.py", option, "named")
        assert (code, out) == (2, "")
        assert "not a regular file" in err


HARMLESS: dict[str, Make] = {
    "a link to itself": link("loop.py", "loop.py"),
    "a link to nothing": link("gone.py", "nowhere.py"),
    "a link to a device": link("zero.py", "/dev/zero"),
    "a pipe": pipe("pipe.py"),
    "a socket": bound("socket.py"),
    "a folder named as a file": lambda folder: (folder / "folder.py").mkdir(),
    ".gitignore is a pipe": pipe(".gitignore"),
    ".gitignore is a device": link(".gitignore", "/dev/zero"),
    ".gitignore is a folder": lambda folder: (folder / ".gitignore").mkdir(),
    ".gitignore with a range backwards": file(".gitignore", "foo[z-a].txt\n[\n\\\n!\n"),
    ".gitignore without end": file(".gitignore", "*a" * 40 + "*b\n" + "**/a/" * 40 + "b\n"),
    ".git/info/exclude is a pipe": pipe(".git/info/exclude"),
    "pyproject.toml is a pipe": pipe("pyproject.toml"),
    "pyproject.toml is a device": link("pyproject.toml", "/dev/zero"),
    "pyproject.toml is a folder": lambda folder: (folder / "pyproject.toml").mkdir(),
    "requirements of 5,000 digits": file("requirements.txt", f"mlx>={'9' * 5000}\n"),
    "requirements of blanks": file("requirements.txt", f"mlx{' ' * MANY}x\n-r{' ' * MANY}\nmlx [{' ' * MANY}\n"),
    "requirements that are a pipe": pipe("requirements.txt"),
    "requirements that include a device": file("requirements.txt", "-r /dev/zero\n-r requirements.txt\n"),
    "a lock of 5,000 digits": file("uv.lock", f'name = "mlx"\nversion = "{"9" * 5000}"\n'),
    "a lock that is a pipe": pipe("uv.lock"),
    "Poetry with 5,000 digits": file("pyproject.toml", f'[tool.poetry.dependencies]\nmlx = "^{"9" * 5000}"\n'),
    "Poetry with blanks": file("pyproject.toml", f'[tool.poetry.dependencies]\nmlx = "^0.30{" " * MANY}x"\n'),
    "a Python of 5,000 digits": file("pyproject.toml", f'[project]\nrequires-python = ">={"9" * 5000}"\n'),
    "setup.cfg with blanks": file("setup.cfg", f"[options]\ninstall_requires = mlx{' ' * MANY}x\n a{' ' * MANY}b\n"),
    "nested TOML of somebody else": file("pyproject.toml", f"[tool.other]\nx = {'[' * MANY}\n"),
    "patterns without end": file("pyproject.toml", f'[tool.mxlint]\nextend-exclude = ["{"*a" * 40}*b", "[z-a]", "*.tmp"]\n'),
    "a name that is no text": lambda folder: (folder / os.fsdecode(b"b\xff.py")).write_text("x = 1\n"),
    "a name of several lines": file("b\n::error file=a.py::x\n.py", "x = 1\n"),
}
"""What lies beside the program and changes nothing about it."""


@pytest.mark.parametrize("name", HARMLESS)
def test_what_changes_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / ("a" * 200)).write_text("", encoding="utf-8")
    HARMLESS[name](tmp_path)
    code, out, err = check(tmp_path)
    assert (code, out.splitlines()[1:2], err) == (1, ["Found 1 error."], "")
    assert out.startswith("a.py:6:5: MX101 ")


PROBLEMS: dict[str, tuple[Make, str]] = {
    "a link to a name too long": (link("b.py", f"{'x' * 300}.py"), "Error: b.py: File name too long\n"),
    "nested TOML": (file("pyproject.toml", f"[tool.mxlint]\nx = {'[' * MANY}\n"), "pyproject.toml: TOML that is nested too deep\n"),
    "a number of 5,000 digits": (file("pyproject.toml", f"[tool.mxlint]\nx = {'9' * 5000}\n"), "pyproject.toml: not valid TOML: "),
    "a version of 5,000 digits": (
        file("pyproject.toml", f'[tool.mxlint]\nmlx-version = "{"9" * 5000}"\n'),
        "pyproject.toml:2: mlx-version: expected a version",
    ),
    "no pattern": (file("pyproject.toml", '[tool.mxlint]\nexclude = ["!", "[z-a]"]\n'), "not a pattern as in .gitignore: `!`"),
}
"""What must be told."""


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GOOD, encoding="utf-8")
    make, message = PROBLEMS[name]
    make(tmp_path)
    code, _, err = check(tmp_path)
    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1


SLOW: dict[str, str] = {
    "imports in a line": f"{'import os; ' * 10_000}\n{GOOD}",
    "an import after blanks": f"from{' ' * MANY}(import x\n{GOOD}",
    "compile in a comment": f"# {'compile ' * MANY}\n{GOOD}",
    "blanks before a name": f"{GOOD}\nif 1:\n{' ' * MANY}x = compile\n",
    "blanks after an assignment": f"{GOOD}\na = {' ' * MANY}b = (compile)\n",
    "names to ignore": GOOD.replace("print(x)", f"print(x)  # mxlint: ignore[{'MX1,' * 20_000}]"),
    "blanks after noqa": GOOD.replace("print(x)", f"print(x)  # noq{' ' * MANY}: x"),
    "quotes": f"x = '''{chr(34) * 3 * 20_000}'''\n{GOOD}",
    "a path without end": f"from {'.' * 500}x import y\nfrom ...........etc import passwd\n{GOOD}",
}


@pytest.mark.parametrize("name", SLOW)
def test_what_took_quadratic_time_or_more(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SLOW[name], encoding="utf-8")
    code, out, _ = check(tmp_path, "--select", "MX1,MX003")
    assert (code, out.splitlines()[1:2]) == (1, ["Found 1 error."])


def test_comments_by_the_thousand_are_compared_with_few_findings(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("# mxlint: ignore[MX102] why\n" * 10_000 + GOOD, encoding="utf-8")
    code, out, _ = check(tmp_path)
    assert (code, out.splitlines()[-2:-1]) == (1, ["Found 1 error, 10000 warnings."])


VALUES = [
    "math.prod((None, 3))",
    "'abc'[::0]",
    "[1, 2][::0]",
    "(1, 2)['a':]",
    f"0x{'f' * 5000}",
    "10 ** 5000",
    "9 ** 9 ** 9",
    "1 << 10 ** 10",
    "'a' * 10 ** 10",
    "10 ** 10 * 'a'",
    "[0] * 10 ** 10",
    "f'{1:>9999999999}'",
    "'{:9999999999}'.format(1)",
    "'%9999999999d' % 1",
    "math.factorial(10 ** 7)",
    "list(range(10 ** 12))",
    "int('9' * 5000)",
    "mx.ones((10 ** 5000, 2))",
    "chr(-1)",
]


@pytest.mark.parametrize("value", VALUES)
def test_values_that_python_has_no_room_for(value: str, tmp_path: Path) -> None:
    """Nothing is computed that takes gigabytes or minutes, and what raises in Python raises in the program that is looked at."""
    code = f"import math\nimport mlx.core as mx\n\n\n@mx.compile\ndef f(x, n=0):\n    return x * n\n\n\ntry:\n    N = {value}\nexcept Exception:\n    N = 1\nf(mx.ones(3), N)\n"
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    code_, out, err = check(tmp_path, "--select", "MX003,MX004")
    assert (code_, err) == (0, ""), out


def test_a_value_that_doubles(tmp_path: Path) -> None:
    for start, step in (("'a' * 20000", "x + x"), ("2 ** 4000", "x * x"), ("(1,) * 16", "x + x")):
        text = GOOD.replace("f(mx", "\n".join([f"x = {start}", *[f"x = {step}"] * 40, "f(mx"]))
        (tmp_path / "a.py").write_text(text, encoding="utf-8")
        assert check(tmp_path)[0] == 1


def test_a_list_that_holds_itself_many_times(tmp_path: Path) -> None:
    shared = "a = [mx.ones(3)]\n" + "a = [a, a]\n" * 40
    (tmp_path / "a.py").write_text(GOOD.replace("f(mx.ones(3))", f"{shared}f(a)"), encoding="utf-8")
    assert check(tmp_path)[0] == 1


@pytest.mark.parametrize("mark", [".git", "pyproject.toml", "setup.py"])
def test_imports_are_followed_inside_of_the_repository_only(mark: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not above it, not beside it, and not by links out of it: each would show that the argument is printed."""
    outside = "def show(x):\n    print(x)\n    return x\n"
    (tmp_path / "src").mkdir()
    for place in ("above.py", "src/beside.py", "linked.py"):
        (tmp_path / place).write_text(outside, encoding="utf-8")
    (tmp_path / "repository" / "package").mkdir(parents=True)
    repository = tmp_path / "repository"
    (repository / mark).touch()
    (repository / "linked.py").symlink_to("../linked.py")
    (repository / "inside.py").write_text(outside, encoding="utf-8")
    program = "import mlx.core as mx\n{}\n\n\n@mx.compile\ndef f(x):\n    return show(x)\n\n\nf(mx.ones(3))\n"
    found = {}
    monkeypatch.chdir(repository)
    for name, statement in {
        "up.py": "from ..above import show",
        "beside.py": "from beside import show",
        "linked_in.py": "from linked import show",
        "within.py": "from inside import show",
        "package/up.py": "from ...above import show",
        "package/within.py": "from ..inside import show",
    }.items():
        (repository / name).write_text(program.format(statement), encoding="utf-8")
        done = run("check", "--output-format", "concise", name)
        assert done.code in (0, 1)
        found[name] = "MX101" in done.out
    assert [name for name, hit in found.items() if hit] == ["within.py", "package/within.py"]


def test_an_exception_of_ours_is_no_finding(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of the analysis of a file, too; and the traceback begins no line with what it quotes."""

    def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("a\n::error::b\x1b")

    monkeypatch.setattr(mxlint.survey, "discover", fail)
    done = run("check")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: mxlint failed: ZeroDivisionError: a␊::error::b␛; please report this")
    assert all(line.startswith("| ") for line in done.err.splitlines()[1:])
    assert "\x1b" not in done.err


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the folder that a process works in")
def test_the_working_directory_is_gone(tmp_path: Path) -> None:
    program = f"import os; os.rmdir(os.getcwd()); os.execv({sys.executable!r}, [{sys.executable!r}, '-m', 'mxlint', 'check', '.'])"
    (tmp_path / "gone").mkdir()
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path / "gone", capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, b"Error: the working directory is not there any more\n")


@pytest.mark.slow
def test_nobody_listens_to_stderr(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GOOD, encoding="utf-8")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "mxlint", "check", "a.py", "gone.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=writer, check=False
    )
    os.close(writer)
    assert done.returncode == 2
    assert b"MX101" in done.stdout


HOSTILE = ["b\n::error file=a.py::x\n.py", "b\x1b]0;x\x07\x1b[2J\u202e.py", "::error file=a.py::x.py", "b\x7f\x9b.py"]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    "command",
    [
        *(["check", "--output-format", form] for form in ("text", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "rdjson")),
        ["check", "--verbose"],
        ["check", "--diff"],
        ["sites"],
        ["sites", "--output-format", "json"],
        ["config"],
        ["check", "--select"],
        ["check", "--config"],
        ["check", "--output-format"],
        ["explain"],
        ["verify"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_names_reach_no_terminal_as_they_are(run: Run, name: str, command: list[str]) -> None:
    Path(name).write_text(GOOD, encoding="utf-8")
    done = run(*command, name)
    for out in (done.out, done.err):
        assert all(character.isprintable() or character == "\n" for character in out)
        ours = "::error title=mxlint" if "github" in command else "::: "
        assert not [line for line in out.splitlines() if line.lstrip().startswith("::") and not line.lstrip().startswith(ours)]
