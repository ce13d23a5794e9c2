"""Analyses that are kept on the disk: a run with them reports what a run without them reports, whatever was changed, and whatever lies in the cache.

By itself the property test takes a few edits of small programs. For more of them:

    MXLINT_EDITS=500 pytest tests/test_kept.py
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from edits import DEAR, random_edit

from mxlint import analysis, cache, kept
from mxlint.analysed import Analysis
from mxlint.config import Settings
from mxlint.engine import check
from mxlint.report.formats import FORMATS
from mxlint.result import Result

FIXTURES = Path(__file__).parent / "fixtures"
EDITS = int(os.environ.get("MXLINT_EDITS", "24"))
CACHE = ".mxlint_cache"

HELPERS = "import mlx.core as mx\n\n\ndef shift(x):\n    print(x)\n    return x + 1\n"
STEP = """from helpers import shift
import mlx.core as mx

scale = mx.array(1.0)


@mx.compile
def step(x):
    return shift(x) * scale


step(mx.ones(3))
scale = mx.array(2.0)
step(mx.ones(3))
"""


def checked(*paths: str, keep: bool = True, **how: Any) -> Result:
    settings = how.pop("settings", Settings(isolated=True))
    return check(paths or (".",), settings, cache=Path(CACHE).absolute() if keep else None, **how)


def told(result: Result) -> Result:
    """What is reported of a run: all but how long it took, and what it found in the cache."""
    return replace(result, timings={}, cached=0)


def same(*paths: str, **how: Any) -> Result:
    """A run with the cache, which finds what one without it does."""
    result = checked(*paths, **how)
    assert told(result) == told(checked(*paths, keep=False, **how))
    return result


def entries() -> list[Path]:
    return sorted(path for path in Path(CACHE, "check").glob("*/*/*") if len(path.name) == 62)


# -- nothing else is reported ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("demo", EDITS // 2), pytest.param("project/tinylm", EDITS // 6, marks=pytest.mark.slow)])
def test_edits_are_seen(name: str, count: int, folder: Path) -> None:
    dice = random.Random(name)
    shutil.copytree(FIXTURES / name, folder / "tinylm", ignore=shutil.ignore_patterns(*DEAR))
    files = sorted(Path("tinylm").glob("*.py"))
    was = {file: file.read_bytes() for file in files}
    first = same()
    assert first.cached == 0
    assert same().cached == first.parsed > 0
    for _ in range(count):
        file = dice.choice(files)
        kind = dice.randrange(8)
        if kind == 0:  # as it was
            file.write_bytes(was[file])
        elif kind == 1:  # it goes, or comes back
            file.unlink() if file.exists() else file.write_bytes(was[file])
        elif kind == 2:  # another file that may say something of the names in it
            Path("tinylm", dice.choice(["other.py", "utils.py", "more.py"])).write_bytes(was[file])
        elif file.exists():
            text = file.read_bytes().decode("utf-8", "replace")
            start, end, new = random_edit(text, dice)
            start, end = sorted((start, end))
            file.write_bytes((text[:start] + new + text[end:]).encode("utf-8", "replace"))
        plain = told(checked(keep=False))
        assert told(checked()) == plain
        assert told(checked()) == plain


CHANGES: dict[str, Callable[[], object]] = {
    "a file that is imported": lambda: Path("helpers.py").write_text(HELPERS.replace("    print(x)\n", "")),
    "a file that is imported goes": lambda: Path("helpers.py").unlink(),
    "a package in its place": lambda: (Path("helpers").mkdir(), Path("helpers/__init__.py").write_text(HELPERS.replace("print", "repr"))),
    "a folder of sources": lambda: (Path("helpers.py").unlink(), Path("src").mkdir(), Path("src/helpers.py").write_text(HELPERS)),
    "it is a package": lambda: Path("__init__.py").write_text(""),
    "it is a repository": lambda: Path(".git").mkdir(),
    "a link leads elsewhere": lambda: (
        Path("helpers.py").unlink(),
        Path("there").mkdir(),
        Path("there/x.py").write_text(HELPERS.replace("+ 1", "+ x.item()")),
        Path("helpers.py").symlink_to("there/x.py"),
    ),
    "another file says its names": lambda: Path("other.py").write_text("import step\nstep.scale = 3\nprint(step._step)\n"),
    "a caller": lambda: Path("caller.py").write_text(
        "import mlx.core as mx\nfrom step import step\nfor k in range(3):\n    step(k * 1.0)\n"
    ),
    "its bytes": lambda: Path("step.py").write_text(STEP.replace("mx.array(2.0)", "3")),
    "its newlines": lambda: Path("step.py").write_bytes(STEP.replace("\n", "\r\n").encode()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_an_analysis_rests_on_is_seen(change: str, folder: Path) -> None:
    Path("helpers.py").write_text(HELPERS)
    Path("step.py").write_text(STEP)
    assert {finding.code for finding in same().findings} >= {"MX101", "MX201"}
    CHANGES[change]()
    same()
    same()


def test_settings_count_where_they_decide(folder: Path) -> None:
    Path("step.py").write_text(STEP.replace("from helpers import shift\n", "").replace("shift(x)", "x"))
    Path("wrapped.py").write_text("import fast\n\n\n@fast.jit\ndef f(x):\n    print(x)\n    return x\n\n\nf(1)\n")
    same()
    for settings in (
        Settings(isolated=True, options={"compile-wrappers": ["fast.jit"]}),
        Settings(isolated=True, options={"tests": ["step.py"]}),
        Settings(isolated=True, mlx_version="0.20.0"),
        Settings(isolated=True, ignore=("MX201",)),
        Settings(isolated=True, options={"severity": {"MX201": "info"}}),
    ):
        same(settings=settings)
    assert same(settings=Settings(isolated=True, ignore=("MX2",))).cached == 1
    assert same().cached == 1


@pytest.mark.slow
def test_every_format_is_the_same(folder: Path, run: Run) -> None:
    """Of programs of one file, and of one whose findings lie in another file than what leads to them."""
    shutil.copytree(FIXTURES / "demo", folder / "demo")
    Path("helpers.py").write_text(HELPERS)
    Path("step.py").write_text(STEP)
    lines = [["check", "--output-format", form] for form in FORMATS] + [
        ["check", "--statistics"],
        ["check", "--diff", "--unsafe-fixes"],
        ["sites", "--why"],
    ]
    plain = [run(*line, "--no-cache", ".") for line in lines]
    assert not Path(CACHE).exists()
    run("check", ".")
    for line, wanted in zip(lines, plain):
        again = run(*line, ".")
        assert (again.code, without_time(again.out), again.err) == (wanted.code, without_time(wanted.out), wanted.err)


def without_time(text: str) -> str:
    lines = [line for line in text.splitlines() if '"duration_s"' not in line and "<testsuite" not in line]
    return "\n".join(lines)


@pytest.mark.slow
def test_fixes_are_made_from_what_is_kept(folder: Path, run: Run) -> None:
    shutil.copytree(FIXTURES / "demo", folder / "one")
    shutil.copytree(FIXTURES / "demo", folder / "two")
    run("check", "one", "two")
    os.chdir("one")
    plain = run("check", "--no-cache", "--fix", "--unsafe-fixes", ".")
    os.chdir("../two")
    run("check", ".")
    again = run("check", "--fix", "--unsafe-fixes", ".")
    assert again == plain
    os.chdir("..")
    for file in sorted(Path("one").glob("*.py")):
        assert file.read_bytes() == (Path("two") / file.name).read_bytes()


MANY = "import mlx.core as mx\n\n" + "\n\n".join(
    f"@mx.compile\ndef f{n}(x):\n    print(x)\n    return x + {n}\n\n\nf{n}(mx.ones(3))\n" for n in range(24)
)


@pytest.mark.slow
def test_many_fixes_are_the_same_whichever_are_asked_for(folder: Path) -> None:
    Path("many.py").write_text(MANY)
    some = Settings(isolated=True, options={"per-file-ignores": {}})
    all_of_them = same(settings=some)
    assert all(finding.fix is not None for finding in all_of_them.findings)
    Path("many.py").write_text(MANY.replace("print(x)", "print(x)  # noqa", 9))
    fewer = same()
    assert same().cached == 1
    assert len(fewer.findings) == len(all_of_them.findings) - 9
    assert same(settings=Settings(isolated=True, ignore=("MX1",))).cached == 1


def test_what_stdin_and_an_editor_hold_is_told_from_what_the_disk_has(folder: Path) -> None:
    from mxlint.survey import Stdin

    Path("helpers.py").write_text(HELPERS)
    Path("step.py").write_text(STEP)
    same()
    for text in (STEP, STEP.replace("2.0", "3.0"), HELPERS):
        same(stdin=Stdin(text.encode(), "step.py"))
        same(unsaved={str(folder / "helpers.py"): text.encode()})
    assert same().cached == 1


@pytest.mark.slow
def test_documents_are_kept_by_their_programs(folder: Path) -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [text]}
        for text in (HELPERS, STEP.partition("\n")[2])
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    Path("book.ipynb").write_text(json.dumps(notebook))
    Path("page.md").write_text(f"```python\n{HELPERS}```\n\n```python\n{STEP}```\n\n```python\n{MANY}```\n")
    assert same("book.ipynb", "page.md").cached == 0
    assert same("book.ipynb", "page.md").cached > 1
    cells.append(cells[1])
    Path("book.ipynb").write_text(json.dumps(notebook))
    same("book.ipynb", "page.md")


# -- nothing is done twice ---------------------------------------------------------------------------------------------


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were analysed anew."""
    names: list[str] = []
    real = analysis.analyze

    def analyze(source: Any, *arguments: Any, **options: Any) -> Analysis:
        names.append(source.name)
        return real(source, *arguments, **options)

    monkeypatch.setattr(analysis, "analyze", analyze)
    return names


def test_only_what_read_a_file_is_analysed_anew(folder: Path, analysed: list[str]) -> None:
    Path("helpers.py").write_text(HELPERS)
    Path("step.py").write_text(STEP)
    Path("alone.py").write_text(STEP.replace("from helpers import shift\n", "").replace("shift(x)", "x"))
    Path("user.py").write_text("from step import step\nstep(1)\n")
    checked()
    assert sorted(analysed) == ["alone.py", "step.py", "user.py"]
    for file, anew in {
        "helpers.py": ["step.py", "user.py"],
        "step.py": ["step.py", "user.py"],
        "user.py": ["user.py"],
        "alone.py": ["alone.py"],
    }.items():
        analysed.clear()
        Path(file).write_text(Path(file).read_text() + "\n# changed\n")
        checked()
        assert sorted(analysed) == anew
    analysed.clear()
    assert checked().cached == 3
    assert not analysed


LEADS = """import mlx.core as mx

@mx.compile
def step(x):
    return x

def run(x):
    from deep import work
    return work(x)
"""


def test_what_one_analysis_has_found_out_the_others_rest_on_as_well(folder: Path, analysed: list[str]) -> None:
    for name in ("first.py", "second.py", "third.py"):
        Path(name).write_text(LEADS)
    Path("deep.py").write_text("from deeper import more\n\ndef work(x):\n    return more(x)\n")
    Path("deeper.py").write_text("def more(x):\n    return x\n")
    checked()
    analysed.clear()
    Path("deeper.py").write_text("import mlx.core as mx\n\n@mx.compile\ndef more(x):\n    print(x)\n    return x\n")
    result = checked()
    assert sorted(analysed) == ["deep.py", "deeper.py", "first.py", "second.py", "third.py"]
    assert {finding.code for finding in result.findings} == {"MX101"}


def test_a_tree_elsewhere_is_the_same_tree(folder: Path, analysed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        Path(name).mkdir()
        Path(name, "helpers.py").write_text(HELPERS)
        Path(name, "step.py").write_text(STEP)
    where, found = Path("cache").absolute(), []
    for name in ("one", "two"):
        analysed.clear()
        monkeypatch.chdir(folder / name)
        found.append(check((".",), Settings(isolated=True), cache=where).findings)
    assert not analysed
    assert found[0] == found[1]


def test_timings_say_how_many_were_kept(folder: Path, run: Run) -> None:
    Path("step.py").write_text(STEP)
    Path("helpers.py").write_text(HELPERS)
    counts = [next(line.split() for line in run("check", "--timings", ".").err.splitlines() if "cached" in line) for _ in range(2)]
    assert counts == [["cached", "0", "of", "1", "files"], ["cached", "1", "of", "1", "files"]]


# -- whatever lies in the cache ----------------------------------------------------------------------------------------


def whole(path: Path, entry: object) -> None:
    """Write an entry as somebody would who knows how."""
    text = json.dumps(entry)
    key = path.parent.name + path.name
    path.write_bytes(hashlib.sha256(f"{key}\n{text}".encode()).hexdigest().encode() + b"\n" + text.encode())


DAMAGE: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: path.write_bytes(b""),
    "bytes": lambda path: path.write_bytes(b"\x80\x04\x95\xff"),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "a bit": lambda path: path.write_bytes(path.read_bytes()[:-20] + b"x" + path.read_bytes()[-19:]),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "a link": lambda path: (path.unlink(), path.symlink_to("/dev/zero")),
    "no object": lambda path: whole(path, [1]),
    "nothing in it": lambda path: whole(path, {}),
    "nested": lambda path: path.write_bytes(
        hashlib.sha256((path.parent.name + path.name).encode() + b"\n" + b"[" * 99999).hexdigest().encode() + b"\n" + b"[" * 99999
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links")
def test_an_entry_that_is_not_whole_is_none(damage: str, folder: Path) -> None:
    Path("helpers.py").write_text(HELPERS)
    Path("step.py").write_text(STEP)
    same()
    (entry,) = entries()
    DAMAGE[damage](entry)
    assert same().cached == 0
    assert same().cached == (damage != "a folder")


def forged(entry: Any, dice: random.Random) -> Any:
    """The entry with something else in one place."""
    others = (None, -1, 0, 10**30, 1.5, True, "", "\0", "../../x", "/etc/passwd", "\udc80", [], {}, ["x"], {"x": 1}, "MX999", "error")
    if isinstance(entry, (list, dict)) and entry and dice.random() < 0.9:
        copied = entry.copy()
        at = dice.choice(range(len(entry)) if isinstance(entry, list) else list(entry))
        copied[at] = forged(entry[at], dice)
        return copied
    return dice.choice(others)


@pytest.mark.slow
def test_a_forged_entry_ends_no_run(folder: Path, run: Run) -> None:
    dice = random.Random(0)
    Path("helpers.py").write_text(HELPERS)
    Path("step.py").write_text(STEP)
    checked()
    (path,) = entries()
    entry = json.loads(path.read_bytes().partition(b"\n")[2])
    for number in range(2 * EDITS):
        whole(path, forged(entry, dice))
        how = ("--diff", "--unsafe-fixes") if number % 4 == 0 else ("--output-format", dice.choice(list(FORMATS)))
        done = run("check", *how, "--isolated", ".")
        assert done.code in (0, 1), done.err
        assert "Traceback" not in done.err


def test_only_files_that_imports_lead_to_are_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("helpers.py").write_text(HELPERS)
    Path("step.py").write_text(STEP)
    checked()
    (path,) = entries()
    entry = json.loads(path.read_bytes().partition(b"\n")[2])
    entry["texts"].append(["secret.py", ["secret.py", "0" * 64]])
    whole(path, entry)
    os.mkfifo("secret.py") if hasattr(os, "mkfifo") else None
    assert checked("step.py", "helpers.py").cached == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="waits where a pipe is opened")
@pytest.mark.parametrize("where", ["finding", "related", "imprecise", "import"])
def test_no_place_leads_to_another_file(where: str, folder: Path) -> None:
    """A report shows the line of a place: an entry that names one in another file is none, and that file is not opened."""
    Path("helpers.py").write_text(HELPERS)
    Path("step.py").write_text(STEP)
    checked()
    (path,) = entries()
    entry = json.loads(path.read_bytes().partition(b"\n")[2])
    os.mkfifo("pipe")
    Path("elsewhere").mkdir()
    Path("elsewhere", "secret.py").write_text("word = 1\n")
    finding = next(finding for finding in entry["findings"] if finding["related"])
    if where == "finding":
        finding["span"][0] = "pipe"
    elif where == "related":
        finding["related"][0]["span"][0] = "pipe"
    elif where == "imprecise":
        entry["imprecise"].append([["pipe", 1, 1, 1, 2], "why"])
    else:
        entry["imports"].append([["elsewhere/other.py", "secret", 0], ["secret", "elsewhere/secret.py", "elsewhere/secret.py"]])
    whole(path, entry)
    assert checked().cached == 0


def test_another_state_of_mxlint_finds_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("helpers.py").write_text(HELPERS)
    Path("step.py").write_text(STEP)
    checked()
    package = folder / "site" / "mxlint"
    package.mkdir(parents=True)
    (package / "x.py").write_text("1")
    monkeypatch.setattr("mxlint.resources.PACKAGE", package)
    assert [checked().cached, checked().cached] == [0, 1]
    (package / "x.py").write_text("12")
    assert checked().cached == 0
    record = package.parent / f"mxlint-{kept.__version__}.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("mxlint/x.py,sha256=abc,1\n../bin/mxlint,sha256=1,1\n")
    assert checked().cached == 0
    (package / "x.py").write_text("123")  # an installer wrote what it noted
    record.write_text("mxlint/x.py,sha256=abc,1\n../bin/mxlint,sha256=2,1\n")
    assert checked().cached == 1


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0 and not os.path.exists("/proc"), reason="permissions")
def test_a_folder_that_cannot_be_written_does_no_harm(folder: Path, run: Run) -> None:
    Path("step.py").write_text(STEP)
    Path("helpers.py").write_text(HELPERS)
    plain = run("check", "--no-cache", ".")
    Path("file").write_text("")
    for where in ("file", "file/cache", "/proc/nothing"):
        assert run("check", "--cache-dir", where, ".").out == plain.out or where == "file"
    run("check", ".")
    subprocess.run(["chmod", "-R", "a-w", CACHE], check=True)
    assert run("check", ".") == plain
    subprocess.run(["chmod", "-R", "u+w", CACHE], check=True)


@pytest.mark.parametrize("verify", [(), pytest.param(("--verify",), marks=pytest.mark.verify)])
def test_a_file_where_the_cache_would_be_is_said_and_left_alone(verify: tuple[str, ...], folder: Path, run: Run) -> None:
    Path("step.py").write_text(STEP)
    Path("helpers.py").write_text(HELPERS)
    plain = run("check", "--no-cache", *verify, ".")
    Path(CACHE).write_text("mine")
    done = run("check", *verify, ".")
    assert (done.code, done.out) == (plain.code, plain.out)
    assert f"{CACHE} is a file" in done.err and "--cache-dir" not in done.err
    assert Path(CACHE).read_text() == "mine"


@pytest.mark.parametrize("where", ["", ".", "filled"])
def test_a_folder_with_other_things_in_it_is_not_hidden_from_git(where: str, folder: Path, run: Run) -> None:
    Path("filled").mkdir()
    for name in ("step.py", "filled/mine.txt"):
        Path(name).write_text(STEP)
    run("check", "--cache-dir", where, ".")
    assert not [*folder.rglob(".gitignore"), *folder.rglob("CACHEDIR.TAG")]
    again = run("check", "--cache-dir", where, ".")
    assert "nothing to check" not in again.err
    assert again.code == (2 if where == "" else 1)


def test_a_full_disk_does_no_harm(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("step.py").write_text(STEP)
    Path("helpers.py").write_text(HELPERS)

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    same()
    assert not [path for path in Path(CACHE).rglob("*") if path.name.startswith("new-")]


@pytest.mark.slow
def test_processes_share_a_cache(folder: Path) -> None:
    shutil.copytree(FIXTURES / "demo", folder / "demo")
    command = [sys.executable, "-m", "mxlint", "check", "--isolated", "--output-format", "concise", "."]
    plain = subprocess.run([*command, "--no-cache"], capture_output=True, text=True, check=False).stdout
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0] for process in running] == [plain] * 3
    assert checked().cached == checked(keep=False).parsed


def test_git_and_backups_overlook_it(folder: Path) -> None:
    Path("step.py").write_text(STEP)
    checked()
    assert Path(CACHE, ".gitignore").read_text() == "*\n"
    assert Path(CACHE, "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_nothing_is_made_where_nothing_is_analysed(folder: Path) -> None:
    Path("plain.py").write_text("print(1)\n")
    checked()
    assert not Path(CACHE).exists()


# -- room --------------------------------------------------------------------------------------------------------------


def test_what_is_old_or_too_much_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = cache.Cache(folder / CACHE, "check", "ab12")
    for number in range(6):
        one.write(f"{number}" * 64, {"x": "y" * 1000})
        os.utime(one.folder / f"{number}{number}" / (f"{number}" * 62), times=(2e9, 2e9 - 1000 + number))
    os.utime(one.folder / "00" / ("0" * 62), (0, 0))
    foreign = one.folder / "11" / "notes.txt"
    foreign.write_text("mine")
    os.utime(foreign, (0, 0))
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / ("a" * 62)).write_text("mine")
    os.utime(folder / "elsewhere" / ("a" * 62), (0, 0))
    (one.folder / "aa").symlink_to(folder / "elsewhere")
    monkeypatch.setattr(cache, "MOST_BYTES", 2500)
    one.prune()
    assert [one.read(f"{number}" * 64) is not None for number in range(6)] == [False, False, False, False, True, True]
    assert foreign.exists()
    assert (folder / "elsewhere" / ("a" * 62)).exists()
    assert not (one.folder / "00").exists()
