"""The command line: what it accepts, prints and returns."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, Run
from writing import write_modules

import mxlint.analysis
from mxlint import __version__
from mxlint.cli.progress import progress_text
from mxlint.pages import page_text
from mxlint.rules.registry import NAMES, RULES, family

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PRINTS = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    print(x)\n    return x\n"
WARNS = "x = 1  # mxlint: ignore[MX101]\n"


def test_version(run: Run) -> None:
    assert run("--version") == run("-V") == Done(0, f"mxlint {__version__}\n", "")


@pytest.mark.parametrize("command", [[], ["check"], ["verify"], ["explain"], ["rules"], ["sites"], ["config"], ["server"]])
def test_help_promises_only_what_is_there(run: Run, command: list[str]) -> None:
    done = run(*command, "--help")
    assert done.code == 0
    assert "--executor" not in done.out


def test_without_arguments_it_says_how_it_is_used(run: Run) -> None:
    done = run()
    assert (done.code, done.out, done.err) == (2, "", run("--help").out)


def test_check_in_every_format(run: Run) -> None:
    write_modules(src__a=PRINTS, b="x = 1\n")
    full = run("check")
    assert full.code == 1
    assert full.out.startswith("error[MX101]: ")
    assert " --> src/a.py:6:5\n" in full.out
    assert full.out.endswith("\n\nFound 1 error.\n1 unsafe fix available with `--fix --unsafe-fixes`.\n")
    concise = run("check", ".", "--output-format", "concise")
    first, last, _ = concise.out.splitlines()
    assert first.startswith("src/a.py:6:5: MX101 ")
    assert last == "Found 1 error."
    document = json.loads(run("check", "src", "--output-format", "json").out)
    assert [(item["filename"], item["code"]) for item in document["diagnostics"]] == [("src/a.py", "MX101")]
    assert [full.err, concise.err] == ["", ""]


def test_clean(run: Run) -> None:
    write_modules(a="x = 1\n")
    assert run("check") == Done(0, "All checks passed: 1 file, 0 compiled functions.\n", "")
    assert run("check", "-q") == Done(0, "", "")


def test_no_files(run: Run) -> None:
    done = run("check")
    assert (done.code, done.out) == (0, "")
    assert "No Python files or notebooks found under ." in done.err
    document = run("check", "--output-format", "json")
    assert json.loads(document.out)["summary"]["files"] == 0
    assert document.code == 0


def test_what_the_scorers_call(run: Run) -> None:
    write_modules(a=PRINTS)
    done = run("check", ".", "--output-format", "json", "--no-cache", "--isolated", "--fail-on", "never")
    assert (done.code, len(json.loads(done.out)["diagnostics"])) == (0, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["daemon"],
        ["verfy"],
        ["sarif"],
        ["check", "--bogus"],
        ["check", "--verfy"],
        ["check", "--output-format", "xml"],
        ["check", "--select", "XX9"],
    ],
)
def test_no_guess_that_is_far_off_or_leads_to_what_runs_code(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert "verify" not in done.err.partition("Error:")[2]
    assert "did you mean" not in done.err.lower()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 1),
        (["--fail-on", "error"], 0),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "never"], 0),
        (["--exit-zero"], 0),
        (["--ignore", "MX001"], 0),
        (["--ignore", "MX2,unused-suppression"], 0),
        (["--select", "MX1", "--select", "MX001"], 1),
        (["--select", "MX2"], 0),
        (["--select", "MX1", "--extend-select", "MX0"], 1),
        (["--select", "MX001"], 0),  # MX101 is off, so its suppression is not unused,
        (["--config", 'fail-on = "error"'], 0),
        (["--config", 'fail-on = "error"', "--fail-on", "info"], 1),
        (["--extend-exclude", "a.py"], 0),
        (["--exclude", "other"], 1),
    ],
)
def test_what_fails_a_run(run: Run, arguments: list[str], code: int) -> None:
    write_modules(a=WARNS)
    assert run("check", *arguments).code == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek"], "No such command 'chek'. Did you mean 'check'?"),
        (["check", "--selct", "MX1"], "--select"),
        (["check", "--output-format", "jsn"], "Did you mean 'json'?"),
        (["check", "--fail-on", "eror"], "Did you mean 'error'?"),
        (["check", "--select", "MX310"], "unknown rule selector `MX310`; did you mean `MX301`?"),
        (["check", "--ignore", "print-traced-aray"], "did you mean `print-traced-array`?"),
        (["check", "--output-format", "jsn"], "'jsn' is not one of"),
        (["check", "--fail-on", "sometimes"], "'sometimes' is not one of"),
        (["check", "--config", "nowhere.toml"], "no such file"),
        (["check", "--config", "fail_on = 'error'"], "did you mean `fail-on`?"),
        (["check", "--config", "fail-on = error"], "not valid TOML"),
        (["check", "--config", "a.toml", "--config", "a.toml"], "one file at most"),
        (["check", "--config", "a.toml", "--isolated"], "--isolated"),
        (["check", "--mlx-version", "latest"], "--mlx-version: expected a version"),
        (["check", "--mlx-version", ""], "--mlx-version: expected a version"),
        (["check", "--mlx-version", "0.29.x"], "--mlx-version: expected a version"),
        (["check", "--mlx-version", "===newest"], "--mlx-version: expected a version"),
        (["check", "--select", "MX9"], "unknown rule selector `MX9`; the prefixes are MX0, MX1, "),
        (["check", ""], "An empty path names nothing"),
        (["check", "a.py", ""], "An empty path names nothing"),
        (["check", "-", "a.py"], "'-' cannot be combined"),
        (["check", "--stdin-filename", "a.py"], "--stdin-filename is for '-'"),
        (["check", "--verify-keep", "kept", "a.py"], "--verify-keep is for --verify"),
        (["check", "--verify-timeout", "3", "a.py"], "--verify-timeout is for --verify"),
        (["check", "--verify", "--verify-timeout", "nan", "a.py"], "nan is no number of seconds"),
        (["check", "--verify", "--verify-timeout", "inf", "a.py"], "inf is not in the range"),
        (["check", "--report", "nowhere/page.html", "a.py"], "nowhere/page.html: No such file or directory"),
        (["check", "--output-file", "no/such/folder"], "no/such/folder: No such file or directory"),
        (["explain", "MX310"], "there is no rule `MX310`; did you mean `MX301`?"),
        (["explain", "half-captured"], "did you mean `half-captured-state`?"),
        (["config", "nowhere"], "nowhere"),
    ],
)
def test_usage_errors(run: Run, arguments: list[str], message: str) -> None:
    Path("a.toml").write_text("", encoding="utf-8")
    write_modules(a=WARNS)
    done = run(*arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


def test_broken_configuration(run: Run) -> None:
    write_modules(a=PRINTS, sub__b=PRINTS)
    Path("sub/pyproject.toml").write_text("[tool.mxlint]\nselect = 'MX1'\n", encoding="utf-8")
    done = run("check")
    assert (done.code, done.out) == (2, "")
    assert "sub/pyproject.toml:2: select: expected a list of strings" in done.err.replace(os.sep, "/")
    assert run("check", "--isolated").code == 1


def test_a_missing_path_does_not_end_the_run(run: Run) -> None:
    write_modules(source=PRINTS)
    done = run("check", "sorce.py", "source.py", "--exit-zero", "--output-format", "concise")
    assert done.code == 2
    assert done.err == "Error: sorce.py: no such file or folder; did you mean `source.py`?\n"
    assert "source.py:6:5: MX101" in done.out
    document = json.loads(run("check", "sorce.py", "--output-format", "json").out)
    assert document["errors"][0]["filename"] == "sorce.py"


def test_internal_errors(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def analyze(*arguments: object, **options: object) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(mxlint.analysis, "analyze", analyze)
    write_modules(a=PRINTS)
    done = run("check", "--exit-zero")
    assert (done.code, done.err) == (2, "Error: a.py: mxlint failed in mxlint.analysis.as_deep_as_needed: ZeroDivisionError\n")
    assert "error[MX004]" in done.out
    assert run("check", "--exit-zero", "--output-format", "json").err == done.err
    assert "Traceback" in run("check", "--verbose").err


def test_stdin(run: Run) -> None:
    write_modules(a=PRINTS, sub__c="x = 1\n")
    done = run("check", "-", "--output-format", "concise", stdin=PRINTS)
    assert done.out.startswith("-:6:5: MX101")
    named = run("check", "-", "--stdin-filename", "sub/b.py", "--output-format", "concise", stdin=PRINTS)
    assert named.out.startswith("sub/b.py:6:5: MX101")
    excluded = ["check", "-", "--stdin-filename", "venv/b.py"]
    assert run(*excluded, stdin=PRINTS).code == 1
    assert run(*excluded, "--force-exclude", stdin=PRINTS).code == 0


def test_force_exclude(run: Run) -> None:
    write_modules(venv__a=PRINTS)
    assert run("check", "venv/a.py").code == 1
    assert run("check", "venv/a.py", "--force-exclude").code == 0


def test_output_file(run: Run) -> None:
    write_modules(a=PRINTS)
    done = run("check", "--output-format", "json", "--output-file", "report.json")
    assert (done.code, done.out) == (1, "")
    assert json.loads(Path("report.json").read_text(encoding="utf-8"))["summary"]["error"] == 1


def test_output_file_is_replaced_at_the_end(run: Run) -> None:
    """What stood there stays if the run comes to nothing; `-` is a file of that name, as for ruff."""
    write_modules(a=PRINTS)
    Path("report").write_text("before", encoding="utf-8")
    assert run("check", "--output-file", "report", "--select", "MX999").code == 2
    assert Path("report").read_text(encoding="utf-8") == "before"
    assert run("check", "--output-file", "report", "--output-format", "concise").code == 1
    assert Path("report").read_text(encoding="utf-8").startswith("a.py:6:5: MX101")
    assert run("check", "--output-file", "-", "--output-format", "concise").out == ""
    assert Path("-").read_text(encoding="utf-8") == Path("report").read_text(encoding="utf-8")


def test_output_file_that_cannot_be_written_is_said_before_the_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mxlint.cli.check.run", lambda options, checker: pytest.fail("the work began"))
    done = run("check", "--output-file", "no/such/report")
    assert (done.code, done.err) == (2, "Error: no/such/report: No such file or directory\n")


@pytest.mark.parametrize("form", ["json-lines", "sarif", "github", "gitlab", "junit", "rdjson"])
def test_statistics_only_where_there_is_a_form_for_them(run: Run, form: str) -> None:
    done = run("check", "--statistics", "--output-format", form)
    assert done.code == 2
    assert "--statistics is for text, concise, json." in done.err


def test_colour(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write_modules(a=PRINTS)
    assert "\x1b[" not in run("check").out
    assert "\x1b[" in run("check", "--color", "always").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("check").out
    assert "\x1b[" not in run("check", "--color", "never").out
    assert "\x1b[" not in run("check", "--output-format", "json").out


def test_statistics_and_timings(run: Run) -> None:
    write_modules(a=PRINTS, b=PRINTS)
    done = run("check", "--statistics", "--timings")
    assert done.out.count("error[MX101]") == 2
    assert "\n\n2  MX101  print-traced-array\n\nCompiled functions:\n" in done.out
    assert done.out.endswith("Found 2 errors.\n2 unsafe fixes available with `--fix --unsafe-fixes`.\n")
    assert {"discover", "read", "gate", "analyse"} <= set(done.err.split())
    assert json.loads(run("check", "--statistics", "--output-format", "json").out)["statistics"][0]["count"] == 2


def test_notes_and_verbose(run: Run) -> None:
    write_modules(a=PRINTS)
    done = run("check", "--mlx-version", "99.0", "--verbose", "--exit-zero")
    assert "Note: " in done.err
    assert "files: 1 read, 1 parsed, for MLX 99.0" in done.err
    assert run("check", "--mlx-version", "99.0", "--quiet").err == ""


def test_explain(run: Run) -> None:
    done = run("explain", "MX101")
    assert (done.code, done.out) == (0, page_text("MX101").rstrip("\n") + "\n")
    assert run("explain", "Print-Traced-Array") == run("explain", "mx101") == done


def test_explain_as_json(run: Run) -> None:
    page = json.loads(run("explain", "print-traced-array", "--output-format", "json").out)
    listed = json.loads(run("rules", "--output-format", "json").out)
    assert {key: value for key, value in page.items() if key != "explanation"} == listed[list(RULES).index("MX101")]
    assert page["explanation"] == run("explain", "MX101").out


def test_show_files(run: Run) -> None:
    """What would be checked is named, and not read: it may not even be Python."""
    write_modules(b="x = (", sub__a=PRINTS, venv__c=PRINTS)
    assert run("check", "--show-files") == Done(0, "b.py\nsub/a.py\n", "")
    assert run("check", "--show-files", "--extend-exclude", "sub").out == "b.py\n"
    gone = run("check", "--show-files", "gone.py", "b.py")
    assert (gone.code, gone.out) == (2, "b.py\n")
    assert gone.err.startswith("Error: gone.py: no such file")
    assert run("check", "--show-files", "-").code == 2


def test_rules(run: Run) -> None:
    lines = run("rules").out.splitlines()
    assert lines.pop(0).split() == ["code", "name", "severity", "what", "it", "is", "about"]
    assert [line.split() for line in lines] == [[rule.code, rule.name, rule.severity, family(rule.code)] for rule in RULES.values()]
    listed = json.loads(run("rules", "--output-format", "json").out)
    assert [item["code"] for item in listed] == list(RULES)
    assert listed[0]["url"] == "https://mxlint.github.io/mxlint/rules/MX001-unused-suppression/"
    assert all(item["claim"] for item in listed)


def test_sites(run: Run) -> None:
    write_modules(a=PRINTS, b="x = 1\n")
    done = run("sites")
    assert done.code == 0
    assert done.out.startswith("a.py:4:2: step  (")
    (site,) = json.loads(run("sites", "a.py", "--output-format", "json").out)["sites"]
    assert (site["filename"], site["location"], site["compiled"]) == ("a.py", {"row": 4, "column": 2}, "step")
    assert run("sites", "nowhere.py").code == 2


def test_sites_says_what_it_cannot_list(run: Run) -> None:
    write_modules(a=PRINTS, b="x = 1\n", bad="import mlx.core as mx\nmx.compile(:\n")
    done = run("sites")
    assert (done.code, [line[:8] for line in done.out.splitlines() if line[0] != " "]) == (0, ["a.py:4:2"])
    assert done.err.startswith("Error: bad.py:2:12: not valid Python 3.")
    assert run("sites", "b.py") == Done(0, "", "Nothing is compiled in 1 file\n")
    assert run("sites", "b.py", "--quiet").err == ""


def test_config_prints_settings_that_could_be_read_again(run: Run) -> None:
    Path("sub").mkdir()
    Path("sub/pyproject.toml").write_text(
        "[tool.mxlint]\nselect = ['MX1']\nextend-exclude = ['gen']\nper-file-ignores = { 'a.py' = ['MX101'] }\nmlx-version = '0.30.0'\n",
        encoding="utf-8",
    )
    write_modules(sub__a="")
    printed = tomllib.loads(run("config", "sub").out)
    assert {"MX101", "MX102"} <= set(printed["select"])
    assert "MX201" not in printed["select"]
    assert (printed["extend-exclude"], printed["fail-on"], printed["mlx-version"]) == (["gen"], "warning", "0.30.0")
    assert tomllib.loads(run("config", "sub", "--mlx-version", "~=0.30").out)["mlx-version"] == ">=0.30.6,<=0.32.4"
    assert printed["per-file-ignores"] == {"a.py": ["MX101"]}
    assert "MX101" not in tomllib.loads(run("config", "sub/a.py").out)["select"]
    assert "MX201" in tomllib.loads(run("config", "sub", "--isolated").out)["select"]
    Path("again.toml").write_text(run("config", "sub").out, encoding="utf-8")
    assert tomllib.loads(run("config", "--config", "again.toml").out)["select"] == printed["select"]


def test_a_named_file_that_is_perhaps_no_python(run: Run) -> None:
    Path("settings.toml").write_text("[a]\nb = \n", encoding="utf-8")
    done = run("check", "settings.toml")
    assert (done.code, done.err) == (1, "Note: settings.toml is read as Python, since it was named\n")


def test_config_says_where_settings_come_from(run: Run) -> None:
    Path("base.toml").write_text('# a base\nfail-on = "error"\nignore = ["MX3"]\n', encoding="utf-8")
    Path("pyproject.toml").write_text(
        '[tool.mxlint]\nextend = "base.toml"\nignore = ["MX2"]\n\n[tool.mxlint.severity]\nMX101 = "info"\n', "utf-8"
    )
    lines = run("config", "--config", "tests = []", "--mlx-version", "9.9")
    said = {line.partition(" = ")[0].partition("  #")[0]: line.rpartition("  # ")[2] for line in lines.out.splitlines() if "  # " in line}
    here = Path.cwd()
    assert said["select"] == f"{here}/pyproject.toml:3, {here}/base.toml:3"
    assert said["fail-on"] == f"{here}/base.toml:2"
    assert said["[severity]"] == f"{here}/pyproject.toml:5"
    assert said["tests"] == "--config tests"
    assert said["exclude"] == "default"
    assert said["mlx-version"] == "as configured; not measured: the facts of 0.32.4 are used, --mlx-version"
    assert tomllib.loads(lines.out)["fail-on"] == "error"


def test_explain_all(run: Run) -> None:
    pages = json.loads(run("explain", "--all", "--output-format", "json").out)
    assert [page["code"] for page in pages] == list(NAMES)
    assert run("explain", "--all").out == "\n".join(page["explanation"] for page in pages)
    for arguments in (["explain"], ["explain", "MX101", "--all"]):
        assert "name a rule, or give --all" in run(*arguments).err


def test_explain_at_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes through a pager if it is long, in colour; elsewhere it is the page as it stands."""
    paged: list[str] = []
    monkeypatch.setattr("click.echo_via_pager", lambda text, color: paged.append(text))
    page = run("explain", "MX101").out
    assert not paged
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LINES", "20")
    assert run("explain", "MX101").out == ""
    (shown,) = paged
    assert shown.startswith("\x1b[1m# MX101: print-traced-array\x1b[0m\n")
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == page
    monkeypatch.setenv("LINES", "5000")
    assert "\x1b" not in run("explain", "MX101", "--color", "never").out
    assert len(paged) == 1


def test_progress_only_at_a_terminal_and_after_a_while(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write_modules(a=PRINTS, b=PRINTS)
    monkeypatch.setattr("mxlint.cli.progress.PATIENCE", -1.0)
    assert run("check").err == ""
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True)
    said = run("check").err
    assert "Checking: 0 of 2 files" in said
    assert said.endswith("\r\x1b[2K")
    assert run("check", "--quiet").err == ""
    monkeypatch.setattr("mxlint.cli.progress.PATIENCE", 1000.0)
    assert run("check").err == ""


@pytest.mark.parametrize(
    ("at", "text"),
    [
        ((0, 1, "check", "", 5.0), "Checking: 0 of 1 file"),
        ((50, 200, "check", "", 4.0), "Checking: 50 of 200 files, about 12 s left"),
        ((1, 200, "verify", "MX101 a.py:6", 3.0), "Verifying: 1 of 200 findings, about 10 min left (MX101 a.py:6)"),
        ((2, 2, "measure", "", 3.0), "Measuring: 2 of 2 findings"),
    ],
)
def test_what_progress_says(at: tuple[int, int, str, str, float], text: str) -> None:
    assert progress_text(*at) == text


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes close in another way")
def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PRINTS * 30, encoding="utf-8")  # more than the buffer holds: nobody reads
    reader, writer = os.pipe()
    os.close(reader)
    for arguments in (["check", "--output-format", "json"], ["check"], ["rules"], ["explain", "MX101"]):
        command = [sys.executable, "-m", "mxlint", *arguments]
        done = subprocess.run(command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
        assert done.stderr == ""
        assert done.returncode == ("check" in arguments)
    os.close(writer)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
@pytest.mark.parametrize("arguments", [["check"], ["check", "--output-file", "/dev/full"], ["sites"], ["rules"], ["--help"]])
def test_what_cannot_be_written(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "a.py").write_text(PRINTS, encoding="utf-8")
    command = [sys.executable, "-m", "mxlint", *arguments]
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert done.stderr.endswith("No space left on device\n")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a shell of POSIX")
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("check a.py >&-", 2, "Error: stdout is closed\n"),
        ("rules >&-", 2, "Error: stdout is closed\n"),
        ("check - <&-", 2, "Error: stdin is closed\n"),
        ("check --output-file report a.py >&-", 1, ""),
        ("check a.py 2>&-", 1, ""),
    ],
)
def test_closed_streams(tmp_path: Path, command: str, code: int, message: str) -> None:
    (tmp_path / "a.py").write_text(PRINTS, encoding="utf-8")
    shell = ["sh", "-c", f'"$0" -m mxlint {command}', sys.executable]
    done = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, message)


def test_a_notebook_that_is_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text('{"cells": []}', encoding="utf-8")
    done = run("check", "a.ipynb")
    assert (done.code, done.out) == (2, "")
    assert "a.ipynb: not a notebook that mxlint reads" in done.err


@pytest.mark.parametrize(
    ("option", "codes"),
    [("ignore = []", ["MX101"]), ('ignore = ["MX3"]', ["MX101"]), ('select = ["MX1"]', []), ('extend-select = ["MX1"]', [])],
)
def test_a_key_given_on_the_command_line_stands_in_for_that_of_the_file(run: Run, tmp_path: Path, option: str, codes: list[str]) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.mxlint]\nignore = ["MX101"]\n', encoding="utf-8")
    (tmp_path / "a.py").write_text(PRINTS, encoding="utf-8")
    done = run("check", "--output-format", "json", "--config", option, "a.py")
    assert [found["code"] for found in json.loads(done.out)["diagnostics"]] == codes


def test_a_module_of_the_project_is_not_imported_for_one_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "textwrap.py").write_text("raise SystemExit('run')\n")
    done = subprocess.run([sys.executable, "-m", "mxlint", "check", "."], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


ASKED = """import importlib, os, sys
from mxlint import __main__
module, name = importlib.import_module(sys.argv[1]), sys.argv[2]
real, number = getattr(module, name), int(sys.argv[3])
setattr(module, name, lambda *args, **more: (os.kill(os.getpid(), number), real(*args, **more))[1])
sys.argv[1:] = ["check", "a.py"]
__main__.run()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("place", ["mxlint.survey discover", "mxlint.analysis analyze", "mxlint.report.text render"])
def test_interrupted_before_anything_is_verified(place: str, number: signal.Signals, tmp_path: Path) -> None:
    """At whatever point it comes, also where exceptions of a file are caught: no traceback, no report, and the exit code of a shell."""
    (tmp_path / "a.py").write_text(PRINTS, encoding="utf-8")
    arguments = [*place.split(), str(int(number))]
    done = subprocess.run([sys.executable, "-c", ASKED, *arguments], cwd=tmp_path, capture_output=True, check=False, encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "Interrupted\n")


@pytest.mark.parametrize("option", ["--output-file", "--report"])
@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
def test_no_report_takes_the_place_of_code(run: Run, tmp_path: Path, option: str, name: str) -> None:
    (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    done = run("check", option, name, name)
    assert done.code == 2 and f"{name}: there is code in it" in done.err
    assert (tmp_path / name).read_text(encoding="utf-8") == "x = 1\n"
    assert run("check", option, "new.py", ".").code in (0, 2)
    assert (tmp_path / "new.py").is_file()
