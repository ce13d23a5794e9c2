"""Files that need a newer Python than the one that runs mxlint: which are told from those that no Python can parse."""

from __future__ import annotations

import ast
import json
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from mxlint import faults
from mxlint.cli import main
from mxlint.syntax import newer
from mxlint.syntax.newer import needed_python

NEEDED = [
    ("try: a\nexcept* B: c\n", (3, 11)),
    ("a[*b]; c[d, *e]\n", (3, 11)),
    ("def f(*a: *Ts): pass\n", (3, 11)),
    ("type X = int\n", (3, 12)),
    ("class A:\n    type X[T] = list[T]\n", (3, 12)),
    ("if a: type X = int; b = 1\n", (3, 12)),
    ("def f[T](x: T) -> T: pass\n", (3, 12)),
    ("async def f[T: (int, str), *Ts, **P](): pass\n", (3, 12)),
    ("class A[\n    T,  # why\n](B[T]): pass\n", (3, 12)),
    ("f'{'a'}'\n", (3, 12)),
    ("x = f'{a['b']}' 'c' \"d\"\n", (3, 12)),
    ("x = f'{'\\n'.join(a)}'\n", (3, 12)),
    ("x = f'{\n  a  # why\n}'\n", (3, 12)),
    ("x = f'''{a  # why\n}'''\n", (3, 12)),
    ("x = f'''{'''a'''}'''\n", (3, 12)),
    ("x = rf'\\{f'{a:{'b'}}'}' + F\"{{{\"'\"}}}\"\n", (3, 12)),
    ("x = f'{a:{b:{c}}}'\n", (3, 12)),
    ("x = f'{a!r }'\n", (3, 12)),
    ("x = f'{a:{'b'}}' if f'{a != 'b'!r:>4}' else f'{a=}{'c' = }'\n", (3, 12)),
    ("class A[T = int]: pass\n", (3, 13)),
    ("type X[*Ts = *tuple[int]] = Y\n", (3, 13)),
    ("t'a{b!r:{c}}' t'{'d'}'\n", (3, 14)),
    ("try: a\nexcept B, C: d\n", (3, 14)),
    ("try: a\nexcept* B, c.d(e, f): g\nfinally: h\n", (3, 14)),
    ("def f[T](): return f'{'a'}'\ntry: f()\nexcept A, B: pass\n", (3, 14)),
]

BROKEN = [
    "def f(:\n",
    "print 'x'\n",
    "x = 0777\n",
    "f() = 1\n",
    "type X = \n",
    "type X =\n  int\n",
    "def f[](): pass\n",
    "def f[T(): pass\n",
    "f'{a b}{'c'}'\n",
    "f'{'a}'\n",
    "f'{'\n",
    "f'{",
    "t'{a b}'\n",
    "t'\n",
    "try: a\nexcept B, C as d: e\n",
    "try: a\nexcept B, : d\n" + "x = (\n",
    "type X = int\n)\n",
    "def f[T](): pass\nprint 'x'\n",
    "x = '\n",
    "x = '''\n",
    "\\",
    "x = [\n",
    "\x00",
]

PLAIN = [
    "type = 1; type(a); type[b]; type.c = d; type: int = 3\n",
    "print(type)\nmatch a:\n    case type(): pass\n",
    "x = [*a, *b]; f(*a); def_ = class_ = 1\n",
    "x = f'{a!r:>{b}}{{}}' rf'\\{a}' f'\\N{BULLET}' u'{'; b'{'\n",
    'x = f"{a[\'b\']}" f"""{c["d"]}"""\n',
    "try: a\nexcept (B, C): d\nexcept D as e: f\nexcept: g\n",
    "x = {'a': t for t in f}\nrt = tr = 1\n",
    "x = a if b else'c'\ny = 1if f else 2\n",
    "# type X = int\n'''def f[T]'''\n",
    "x = a \\\n  [b]\n",
]


def parses(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return False
    return True


@pytest.mark.parametrize(("source", "version"), NEEDED)
def test_needed(source: str, version: tuple[int, int]) -> None:
    assert needed_python(source, (3, 10)) == version
    before = version[0], version[1] - 1
    assert sys.version_info < before or needed_python(source, before) == version
    assert parses(source) == (sys.version_info >= version)
    assert needed_python(source) == (None if sys.version_info >= version else version)


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
@pytest.mark.parametrize(("source", "version"), NEEDED)
def test_needed_with_other_line_ends(source: str, version: tuple[int, int], newline: str) -> None:
    assert needed_python(source.replace("\n", newline), (3, 10)) == version


@pytest.mark.parametrize("source", BROKEN)
def test_what_no_python_can_parse(source: str) -> None:
    assert not parses(source)
    assert needed_python(source, (3, 10)) is None


@pytest.mark.parametrize("source", PLAIN)
def test_what_every_python_can_parse(source: str) -> None:
    assert parses(source)
    assert needed_python(source, (3, 10)) is None


@pytest.mark.slow
def test_the_standard_library() -> None:
    """No version is named for a file that this one reads, but where an older one lacks a grammar that it uses."""
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::4]:
        assert needed_python(path.read_bytes().decode("utf-8-sig")) is None


@pytest.mark.slow
@pytest.mark.parametrize("size", [1_000, 100_000])
@pytest.mark.parametrize("part", ["(", "f'{", "f'{a:{", "def f[", "[*", "type X[", "except a,", "'", "\\", "{'", "t'{'", "\n", "not "])
def test_hostile_texts_end(part: str, size: int) -> None:
    assert needed_python("x = " + part * (size // len(part)), (3, 10)) is None


# -- in a run ----------------------------------------------------------------------------------------------------------

NEWEST = "import mlx.core as mx\nf = mx.compile(lambda x: x)\nfuture syntax\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run in, where the third line of NEWEST is taken for one that needs Python 3.99."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(newer, "needed_python", lambda text: (3, 99) if "future syntax" in text else None)
    return tmp_path


def check(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["check", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_a_file_for_a_newer_python_is_a_note(folder: Path) -> None:
    (folder / "a.py").write_text(NEWEST, encoding="utf-8")
    assert check(".") == (0, "No findings, but not every path could be checked.\n", "Note: a.py requires Python 3.99: run mxlint with it\n")
    code, out, _ = check("--output-format", "json", ".")
    document = json.loads(out)
    assert (code, document["diagnostics"], document["errors"]) == (0, [], [])
    assert document["unchecked"] == [{"filename": "a.py", "requires_python": "3.99"}]


def test_many_such_files_are_one_note(folder: Path) -> None:
    for name in "abc":
        (folder / f"{name}.py").write_text(NEWEST, encoding="utf-8")
    assert check("a.py", "b.py")[2] == "Note: a.py and b.py require Python 3.99: run mxlint with it\n"
    assert check(".")[2] == "Note: a.py and 2 more files require Python 3.99: run mxlint with it\n"


def test_a_file_that_is_broken_is_a_finding(folder: Path) -> None:
    (folder / "a.py").write_text("import mlx.core as mx\nf = mx.compile(\n", encoding="utf-8")
    code, out, err = check("--output-format", "concise", ".")
    assert (code, "MX003" in out, err) == (1, True, "")


RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.mark.parametrize(
    ("requires", "code"),
    [(">=3.10", 1), (f">={RUNNING}", 1), (f"=={RUNNING}.*", 1), (">=3.99", 0), (f">{RUNNING}.99", 0), ("no version", 0)],
)
def test_a_project_that_is_for_this_python_too_has_a_broken_file(folder: Path, requires: str, code: int) -> None:
    (folder / "pyproject.toml").write_text(f'[project]\nname = "a"\nrequires-python = "{requires}"\n', encoding="utf-8")
    (folder / "src").mkdir()
    (folder / "src/a.py").write_text(NEWEST, encoding="utf-8")
    assert check(".")[0] == code
    assert check("--isolated", ".")[0] == 0


def test_without_a_file_there_is_no_project(folder: Path) -> None:
    from mxlint.source import source_from_bytes

    assert faults.needed_python(source_from_bytes(NEWEST.encode(), "-")) == "3.99"
