"""What a baseline hides, and what it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run
from writing import write_modules

PRINTS = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    print(x, 1)\n    return x\n\n\nstep(mx.ones(3))\n"
OTHER = "import mlx.core as mx\n\n\n@mx.compile\ndef other(x):\n    return x.item()\n\n\nother(mx.ones(3))\n"
FILE = "mxlint-baseline.json"


def reported(run: Run, *arguments: str) -> list[str]:
    """Code and file of each finding that a run with the baseline reports."""
    done = run("check", "--baseline", FILE, "--output-format", "json", *arguments)
    document = json.loads(done.out)
    return [f"{finding['code']} {finding['filename']}" for finding in document["diagnostics"]]


@pytest.fixture
def baseline(run: Run) -> Path:
    """That of `src/a.py` with one finding and `b.py` with another."""
    write_modules(src__a=PRINTS, b=OTHER)
    done = run("check", "--baseline", FILE, "--update-baseline")
    assert done.code == 0
    assert done.err == f"{FILE} has 2 findings, and had 0\n"
    assert done.out == "All checks passed: 2 files, 2 compiled functions.\nNot reported: 2 findings of the baseline.\n"
    return Path(FILE)


def test_what_it_holds(run: Run, baseline: Path) -> None:
    document = json.loads(baseline.read_text(encoding="utf-8"))
    (entry,) = document["files"]["src/a.py"]
    assert (document["version"], entry["code"], entry["object"], entry["count"]) == (1, "MX101", "step", 1)
    assert reported(run) == []
    assert json.loads(run("check", "--baseline", FILE, "--output-format", "json").out)["summary"]["baselined"] == 2
    assert len(json.loads(run("check", "--output-format", "json").out)["diagnostics"]) == 2


@pytest.mark.parametrize(
    "changed",
    [
        "# a comment\n\n\n" + PRINTS,
        PRINTS.replace("print(x, 1)", "print(\n        x,  # why\n        1,\n    )"),
        PRINTS.replace("print(x, 1)", "print( x,1 )"),
        PRINTS.replace("    ", "\t"),
        PRINTS.replace("\n", "\r\n"),
        PRINTS.replace("\n\n\n@mx", "\n\n\ndef before():\n    pass\n\n\n@mx"),
    ],
    ids=["rows above", "several rows", "blanks", "tabs", "newlines", "a function above"],
)
def test_survives(run: Run, baseline: Path, changed: str) -> None:
    write_modules(src__a=changed)
    assert reported(run) == []


def test_a_renamed_file_and_a_moved_function(run: Run, baseline: Path) -> None:
    Path("src/a.py").rename("src/c.py")
    assert reported(run) == []
    Path("src/c.py").unlink()
    write_modules(b=OTHER + PRINTS)
    assert reported(run) == []


def test_a_copy_is_new(run: Run, baseline: Path) -> None:
    write_modules(c=PRINTS)
    assert reported(run) == ["MX101 c.py"]
    assert reported(run, "c.py") == ["MX101 c.py"]  # a.py is there, though this run does not look at it


def test_one_more_of_a_kind_is_new(run: Run, baseline: Path) -> None:
    write_modules(src__a=PRINTS.replace("    print(x, 1)\n", "    print(x, 1)\n    print(x, 1)\n"))
    assert reported(run) == ["MX101 src/a.py"]
    write_modules(src__a=PRINTS.replace("print(x, 1)", "print(x, 2)"))
    assert reported(run) == ["MX101 src/a.py"]


def test_stale_entries_are_told_and_taken_out(run: Run, baseline: Path) -> None:
    write_modules(src__a="x = 1\n")
    assert run("check", "b.py", "--baseline", FILE).err == ""  # a.py was not looked at
    assert run("check", "--baseline", FILE).err == f"Note: 1 entry is stale in {FILE}: --update-baseline takes it out\n"
    assert run("check", "--baseline", FILE, "--update-baseline").err == f"{FILE} has 1 finding, and had 2\n"
    assert run("check", "--baseline", FILE).err == ""


def test_an_update_of_some_files_keeps_the_others(run: Run, baseline: Path) -> None:
    before = baseline.read_text(encoding="utf-8")
    assert run("check", "b.py", "--baseline", FILE, "--update-baseline").code == 0
    assert baseline.read_text(encoding="utf-8") == before


def test_from_another_folder(run: Run, baseline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its paths are relative to its own folder."""
    monkeypatch.chdir("src")
    assert json.loads(run("check", "--baseline", f"../{FILE}", "--output-format", "json").out)["diagnostics"] == []


def test_what_was_not_judged_is_in_no_baseline(run: Run) -> None:
    write_modules(a="import mlx\ndef f(:\n")
    run("check", "a.py", "--baseline", FILE, "--update-baseline")
    assert reported(run, "a.py") == ["MX003 a.py"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--baseline", "gone.json"], "gone.json: No such file or directory; --update-baseline makes it"),
        (["--baseline", "no/such/file", "--update-baseline"], "no/such/file: No such file or directory"),
        (
            ["--baseline", "bad.json"],
            "bad.json: not a baseline: JSON, but not of the form that --update-baseline writes; delete it to write it anew\n",
        ),
        (["--baseline", "endless.json"], "endless.json: not a baseline: JSON, but not of the form"),
        (["--baseline", "list.json"], "list.json: not a baseline: JSON, but not of the form"),
        (["--baseline", "text.json"], "text.json: not a baseline, which is JSON: Expecting value"),
        (["--baseline", "new.json"], "new.json: a baseline of version 2"),
        (["--update-baseline"], "--update-baseline is for --baseline"),
        (["--baseline", "x.json", "--update-baseline", "--fix"], "--update-baseline does not go with --fix"),
    ],
)
def test_what_cannot_be_done(run: Run, arguments: list[str], message: str) -> None:
    write_modules(a=PRINTS)
    Path("bad.json").write_text('{"version": 1, "files": {"a.py": [{"code": "MX101"}]}}', encoding="utf-8")
    Path("new.json").write_text('{"version": 2}', encoding="utf-8")
    Path("list.json").write_text("[]", encoding="utf-8")
    Path("text.json").write_text("mine", encoding="utf-8")
    entry = '{"code": "MX101", "object": "", "hash": "", "count": Infinity}'
    Path("endless.json").write_text(f'{{"version": 1, "files": {{"a.py": [{entry}]}}}}', encoding="utf-8")
    done = run("check", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_comments_are_told_apart_by_their_words(run: Run) -> None:
    """MX001: one comment that silences nothing does not stand for another."""
    idle = OTHER.replace("    return x.item()", "    return x  # mxlint: ignore[MX{}]")
    write_modules(c=idle.format(101))
    run("check", "--baseline", FILE, "--update-baseline")
    assert reported(run) == []
    write_modules(c="\n" + idle.format(101).replace("  # mxlint: ", " #  mxlint:  "))
    assert reported(run) == []
    write_modules(c=idle.format(102))
    assert reported(run) == ["MX001 c.py"]
