"""`--fix`, `--unsafe-fixes` and `--diff`: what is printed, what is written, and what the exit code is."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Done, Run

from mxlint.engine import check
from mxlint.finding import Edit, Finding, Fix
from mxlint.fixes.edits import changed
from mxlint.fixes.passes import MOST_PASSES, fixed_by_passes, unsaved
from mxlint.result import Result
from mxlint.source import Source

UNUSED = "x = 1  # mxlint: ignore[MX101]\n"
LOOP = """\
import mlx.core as mx


def norm(x):
    return mx.exp(x) * 2


def run(x):
    for _ in range(3):
        x = mx.compile(norm)(x)  # mxlint: ignore[MX101]
    return x


run(mx.ones(2))
"""
SAFE = LOOP.replace("  # mxlint: ignore[MX101]", "")
FIXED = SAFE.replace("    for _ in range(3):\n", "    compiled_norm = mx.compile(norm)\n    for _ in range(3):\n").replace(
    "x = mx.compile(norm)(x)", "x = compiled_norm(x)"
)


@pytest.fixture
def file() -> Path:
    """A file with a safe and an unsafe fix, in the folder of the run."""
    path = Path("a.py")
    path.write_text(LOOP, encoding="utf-8")
    return path


def last_lines(done: Done, count: int) -> list[str]:
    return done.out.splitlines()[-count:]


# -- what is printed --------------------------------------------------------------------------------------------------


def test_what_could_be_fixed(run: Run, file: Path) -> None:
    plain = run("check", "--output-format", "concise")
    assert [line.split()[1:3] for line in plain.out.splitlines()[:2]] == [["MX301", "every"], ["MX001", "[*]"]]
    assert last_lines(plain, 2) == ["Found 2 warnings.", "[*] 1 fixable with `--fix` (1 unsafe fix available with `--fix --unsafe-fixes`)."]
    wide = run("check", "--output-format", "concise", "--unsafe-fixes")
    assert [line.split()[2] for line in wide.out.splitlines()[:2]] == ["[*]", "[*]"]
    assert last_lines(wide, 1) == ["[*] 2 fixable with `--fix`."]
    assert "warning[MX001] [*]: this comment" in run("check").out
    assert last_lines(run("check", "--select", "MX301"), 1) == ["1 unsafe fix available with `--fix --unsafe-fixes`."]
    assert file.read_text() == LOOP


def test_fix(run: Run, file: Path) -> None:
    done = run("check", "--fix")
    assert (done.code, done.err, file.read_text()) == (1, "", SAFE)
    assert last_lines(done, 2) == ["Found 2 warnings (1 fixed, 1 remaining).", "1 unsafe fix available with `--fix --unsafe-fixes`."]
    assert "warning[MX301]: " in done.out
    assert "MX001" not in done.out
    again = run("check", "--fix", "--unsafe-fixes")
    assert again == Done(0, "Found 1 warning (1 fixed, 0 remaining).\n", "")
    assert file.read_text() == FIXED
    assert run("check", "--fix", "--unsafe-fixes") == Done(0, "All checks passed: 1 file, 1 compiled function.\n", "")
    assert file.read_text() == FIXED


def test_fix_reports_what_is_left_in_every_format(run: Run, file: Path) -> None:
    document = json.loads(run("check", "--fix", "--output-format", "json").out)
    assert [item["code"] for item in document["diagnostics"]] == ["MX301"]
    assert run("check", "--fix", "-q", "--output-format", "concise").out.count("\n") == 1


def test_diff(run: Run, file: Path) -> None:
    done = run("check", "--diff")
    assert done.code == 1
    assert done.err == "Would fix 1 warning (1 additional fix available with `--unsafe-fixes`).\n"
    assert done.out.startswith("--- a.py\n+++ a.py\n@@ ")
    assert "-        x = mx.compile(norm)(x)  # mxlint: ignore[MX101]\n+        x = mx.compile(norm)(x)\n" in done.out
    wide = run("check", "--diff", "--fix", "--unsafe-fixes", "-q")
    assert (wide.code, wide.err) == (1, "")
    assert file.read_text() == LOOP
    assert run("check", "--diff", "--select", "MX301") == Done(
        0, "", "No findings would be fixed (1 fix available with `--unsafe-fixes`).\n"
    )
    assert run("check", "--diff", "--select", "MX4") == Done(0, "", "")
    assert run("check", "--diff", "--exit-zero").code == 0


def test_a_diff_is_what_git_applies(run: Run, file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + LOOP.replace("\n", "\r\n").rstrip("\r\n").encode())
    run("check", "--diff", "--unsafe-fixes", "--output-file", "../fix.diff")
    subprocess.run(["git", "apply", "-p0", "../fix.diff"], check=True, env={**os.environ, "GIT_DIR": "nowhere"})
    assert file.read_bytes() == b"\xef\xbb\xbf" + FIXED.replace("\n", "\r\n").rstrip("\r\n").encode()


def test_a_diff_in_colour_drives_no_terminal(run: Run, file: Path) -> None:
    file.write_text("y = '\x1b[31m'\n" + UNUSED, encoding="utf-8")
    out = run("check", "--diff", "--color", "always").out
    assert "\x1b[32m+x = 1\x1b[0m\n" in out
    assert " y = '\u241b[31m'\n" in out


def test_stdin(run: Run) -> None:
    done = run("check", "-", "--fix", "--output-format", "concise", stdin=LOOP)
    assert (done.code, done.out) == (1, SAFE)
    assert done.err.splitlines()[0].startswith("-:10:13: MX301 ")
    assert done.err.splitlines()[1] == "Found 2 warnings (1 fixed, 1 remaining)."
    assert run("check", "-", "--fix", "--unsafe-fixes", "-q", stdin=LOOP) == Done(0, FIXED, "")
    diff = run("check", "-", "--diff", stdin=LOOP)
    assert (diff.code, diff.out.startswith("@@ ")) == (1, True)
    assert run("check", "-", "--diff", "--stdin-filename", "b.py", stdin=LOOP).out.startswith("--- b.py\n+++ b.py\n@@ ")


@pytest.mark.parametrize("text", ["x = 1\n", "x = (\n", "\0", ""])
def test_stdin_that_cannot_be_fixed_comes_back_as_it_was(run: Run, text: str) -> None:
    assert run("check", "-", "--fix", stdin=text).out == text
    excluded = run("check", "-", "--fix", "--force-exclude", "--exclude", "*.py", "--stdin-filename", "b.py", stdin=text)
    assert (excluded.code, excluded.out) == (0, text)


def test_the_file_that_stdin_is_said_to_be_is_not_written(run: Run, file: Path) -> None:
    assert run("check", "-", "--fix", "--stdin-filename", "a.py", stdin=UNUSED).out == "x = 1\n"
    assert file.read_text() == LOOP


def test_what_does_not_go_together(run: Run, file: Path) -> None:
    done = run("check", "--diff", "--report", "r.html")
    assert (done.code, "--diff does not go with --report" in done.err) == (2, True)


# -- what is written --------------------------------------------------------------------------------------------------


def test_bytes_elsewhere_stay(run: Run) -> None:
    head = "# -*- coding: latin-1 -*-\r# caf\xe9\f\n\ty = 0\x0b if 1 else 2".replace("\ty", "y").replace("\x0b", "").encode("latin-1")
    Path("a.py").write_bytes(head + b"\r\nx = 1  # mxlint: ignore[MX101] \xe9\rz = '\x85'\n\n\n")
    assert run("check", "--fix").code == 0
    assert Path("a.py").read_bytes() == head + b"\r\nx = 1\rz = '\x85'\n\n\n"


def test_bytes_that_would_change_leave_the_file_alone(run: Run) -> None:
    ambiguous = b"# coding: cp932\ny = '\xfa\x54'\n" + UNUSED.encode()
    assert ambiguous.decode("cp932").encode("cp932") != ambiguous
    Path("a.py").write_bytes(ambiguous)
    assert run("check", "--fix").code == 1
    assert Path("a.py").read_bytes() == ambiguous


def test_only_files_that_were_asked_for_are_written(run: Run) -> None:
    noise = "import mlx.core as mx\n\n\n@mx.compile\ndef noise(x):\n    return x + mx.random.normal(x.shape)\n"
    Path("noise.py").write_text(noise, encoding="utf-8")
    Path("main.py").write_text("import mlx.core as mx\nfrom noise import noise\n\nfor _ in range(3):\n    print(noise(mx.zeros(2)))\n")
    done = run("check", "main.py", "--fix", "--unsafe-fixes")
    assert (done.code, Path("noise.py").read_text()) == (1, noise)
    assert "MX203" in done.out
    assert "[*]" not in done.out
    assert run("check", ".", "--fix", "--unsafe-fixes").code == 0
    assert "mx.random.state" in Path("noise.py").read_text()


def test_a_file_that_cannot_be_written_is_a_problem(run: Run, file: Path) -> None:
    Path("b.py").write_text(UNUSED, encoding="utf-8")
    Path("c.py").hardlink_to("a.py")
    done = run("check", "a.py", "b.py", "--fix", "--output-format", "concise")
    assert done.code == 2
    assert done.err == "Error: a.py: has 2 names (hard links), which would not be one file any more: left alone\n"
    assert (file.read_text(), Path("b.py").read_text()) == (LOOP, "x = 1\n")
    assert last_lines(done, 2)[0] == "Found 3 warnings (1 fixed, 2 remaining)."


def test_a_file_that_changes_meanwhile_is_left_alone(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check_and_change(*arguments: object, **options: object) -> Result:
        result = check(*arguments, **options)  # type: ignore[arg-type]
        file.write_text("theirs = 1\n", encoding="utf-8")
        return result

    monkeypatch.setattr("mxlint.engine.check", check_and_change)
    done = run("check", "--fix")
    assert (done.code, file.read_text()) == (2, "theirs = 1\n")
    assert done.err == "Error: a.py: has changed since it was read: left alone\n"


# -- passes -----------------------------------------------------------------------------------------------------------


class Made:
    """Runs over texts in which each finding is made up: `rule` gives the edits for the text of each file."""

    def __init__(self, folder: Path, texts: Mapping[str, str], *rules: tuple[str, str, dict[str, str]]) -> None:
        self.paths = {name: folder / name for name in texts}
        self.texts = dict(texts)
        self.rules = rules
        self.passes = 0
        self.empty = replace(check(["nothing.py"]), own=frozenset(texts))

    def look(self, contents: Mapping[str, bytes]) -> Result:
        self.passes += 1
        texts = {
            name: contents[path].decode() if (path := os.path.realpath(self.paths[name])) in contents else self.texts[name]
            for name in self.texts
        }
        sources = {name: Source(self.paths[name], name, text.encode(), text) for name, text in texts.items()}
        findings = []
        for name, old, news in self.rules:
            at = texts[name].find(old)
            if at >= 0:
                edits = tuple(
                    Edit(new, sources[other].span(*(place, place + len(old))))
                    for other, new in news.items()
                    if (place := texts[other].find(old)) >= 0
                )
                findings.append(Finding("MX001", "warning", "", "", sources[name].span(at, at + len(old)), fix=Fix("safe", "", edits)))
        return replace(self.empty, sources=sources, findings=tuple(findings))

    def fixed(self) -> tuple[dict[str, str], dict[str, str]]:
        fixed = fixed_by_passes(self.look({}), self.look, lambda finding: True)
        return {name: source.text for group in fixed.groups for name, source in group.after.items()}, dict(fixed.given_up)


def test_touching_fixes_wait_for_the_next_pass(tmp_path: Path) -> None:
    made = Made(
        tmp_path,
        {"a.py": "one+two + three\n"},
        ("a.py", "one+", {"a.py": "1+"}),
        ("a.py", "two", {"a.py": "2"}),
        ("a.py", "three", {"a.py": "3"}),
    )
    assert made.fixed() == ({"a.py": "1+2 + 3\n"}, {})
    assert made.passes == 3


def test_fixes_that_choose_the_same_name_wait_for_each_other(tmp_path: Path) -> None:
    rules = [("a.py", old, {"a.py": f"new = {number}"}) for number, old in enumerate(["first", "second"])]
    made = Made(tmp_path, {"a.py": "first\n\nsecond\n"}, *rules)
    assert made.fixed() == ({"a.py": "new = 0\n\nnew = 1\n"}, {})
    assert made.passes == 3


def test_a_fix_that_leaves_no_python_is_not_made(tmp_path: Path) -> None:
    made = Made(tmp_path, {"a.py": "one + two\n"}, ("a.py", "one", {"a.py": "(1"}), ("a.py", "two", {"a.py": "2"}))
    assert made.fixed() == ({"a.py": "one + 2\n"}, {})


def test_the_fixes_of_a_pass_are_made_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made one after the other, each would take the time to parse the file."""
    made: list[int] = []

    def counted(source: Source, edits: Sequence[Edit]) -> Source:
        made.append(len(edits))
        return changed(source, edits)

    monkeypatch.setattr("mxlint.fixes.chosen.changed", counted)
    names = [f"name{number}" for number in range(40)]
    apart = Made(
        tmp_path, {"a.py": "\n\n".join(names)}, *(("a.py", f"{name}\n", {"a.py": f"{number}\n"}) for number, name in enumerate(names))
    )
    assert apart.fixed() == ({"a.py": "\n\n".join([*map(str, range(39)), "name39"])}, {})
    assert (made, apart.passes) == ([39], 2)


@pytest.mark.parametrize("back", ["one", "one + one"])
def test_fixes_that_come_to_no_end_are_not_made(tmp_path: Path, back: str) -> None:
    texts = {"a.py": "one\n", "b.py": "one\n", "c.py": "three\n"}
    made = Made(
        tmp_path, texts, ("a.py", "one", {"a.py": "two", "b.py": "two"}), ("a.py", "two", {"a.py": back}), ("c.py", "three", {"c.py": "3"})
    )
    changed, given_up = made.fixed()
    assert changed == {"c.py": "3\n"}
    assert given_up.keys() == {"a.py", "b.py"}
    assert made.passes <= MOST_PASSES + 3


def test_unsaved_files_stand_for_those_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("noise.py").write_text("def noise(x):\n    return x\n", encoding="utf-8")
    Path("main.py").write_text("import mlx.core as mx\nfrom noise import noise\n\nf = mx.compile(noise)\nf(mx.ones(2))\nf(mx.ones(2))\n")
    text = "import mlx.core as mx\n\n\ndef noise(x):\n    return x + mx.random.normal(x.shape)\n"
    changed = unsaved([Source(tmp_path / "noise.py", "noise.py", text.encode(), text)])
    codes = [[finding.code for finding in check(["main.py"], unsaved=overlay).findings] for overlay in ({}, changed)]
    assert [("MX203" in found) for found in codes] == [False, True]
