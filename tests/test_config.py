"""Where settings come from, which of them win, and what is said about those that cannot be followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxlint.config import DEFAULT_EXCLUDES, Config, ConfigError, Configs, Settings, nearest, parse_option
from mxlint.rows import Rows
from mxlint.rules.registry import RULES


def pyproject(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "pyproject.toml"
    file.write_text(text, encoding="utf-8")
    return file


def config(folder: Path, text: str, **settings: object) -> Config:
    """The config of a folder whose [tool.mxlint] is `text`."""
    pyproject(folder, "[tool.mxlint]\n" + text)
    return Configs(Settings(**settings), folder).of(folder)  # type: ignore[arg-type]


def codes(prefix: str) -> set[str]:
    return {code for code in RULES if code.startswith(prefix)}


def test_defaults(tmp_path: Path) -> None:
    found = Configs(Settings(), tmp_path).of(tmp_path / "deep" / "down")
    assert found.rules == set(RULES)
    assert found.fail_on == "warning"
    assert (found.file, found.root, found.mlx_version, found.compile_wrappers) == (None, tmp_path, None, ())
    assert found.exclude[0].globs == DEFAULT_EXCLUDES
    assert {".git", ".venv", "venv", "node_modules", "site-packages"} <= set(DEFAULT_EXCLUDES)
    assert "build" not in DEFAULT_EXCLUDES


def test_all_keys(tmp_path: Path) -> None:
    found = config(
        tmp_path,
        """
        select = ["MX1", "dead-capture"]
        extend-select = ["MX302"]
        ignore = ["MX104"]
        per-file-ignores = { "tests/*" = ["MX1"], "!src/**" = ["MX205"] }
        exclude = ["old"]
        extend-exclude = ["gen/*.py"]
        fail-on = "error"
        compile-wrappers = ["pkg.jit.compiled"]
        tests = ["checks/**"]
        mlx-version = "0.29.2"
        """,
    )
    always = {"MX003", "MX004"}
    assert found.rules == codes("MX1") - {"MX104"} | {"MX205", "MX302"} | always
    assert found.rules_for(tmp_path / "src" / "a.py") == found.rules
    assert found.rules_for(tmp_path / "tests" / "deep" / "a.py") == {"MX302"} | always
    assert found.rules_for(tmp_path / "other.py") == found.rules - {"MX205"}
    assert [patterns.globs for patterns in found.excludes] == [("old",), ("gen/*.py",)]
    assert found.is_test(tmp_path / "checks" / "a.py") and not found.is_test(tmp_path / "tests" / "a.py")
    assert (found.fail_on, found.compile_wrappers, found.mlx_version) == ("error", ("pkg.jit.compiled",), "0.29.2")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ('MX101 = "info"', {"MX101": "info"}),
        ('print-traced-array = "warning"', {"MX101": "warning"}),
        ('MX1 = "info"\nMX101 = "error"\nALL = "warning"', {"MX101": "error", "MX102": "info", "MX201": "warning", "MX004": None}),
    ],
)
def test_severity(tmp_path: Path, table: str, expected: dict[str, str | None]) -> None:
    found = config(tmp_path, f"[tool.mxlint.severity]\n{table}\n").severities
    assert {code: found.get(code) for code in expected} == expected


@pytest.mark.parametrize(
    ("name", "is_test"),
    [
        ("tests/deep/a.py", True),
        ("src/test_a.py", True),
        ("a_test.py", True),
        ("conftest.py", True),
        ("a.py", False),
        ("src/contest.py", False),
    ],
)
def test_what_is_taken_for_tests(tmp_path: Path, name: str, is_test: bool) -> None:
    assert config(tmp_path, "").is_test(tmp_path / name) is is_test


def test_nearest_table_wins_and_nothing_is_merged(tmp_path: Path) -> None:
    outer = pyproject(tmp_path, '[tool.mxlint]\nignore = ["MX1"]\nfail-on = "error"\n')
    pyproject(tmp_path / "a", "[project]\nname = 'mxlint-user'\n")  # no [tool.mxlint]: not ours
    inner = pyproject(tmp_path / "a" / "b", '[tool.mxlint]\nignore = ["MX2"]\n')
    configs = Configs(Settings(), tmp_path)
    assert configs.of(tmp_path / "a").file == outer
    found = configs.of(tmp_path / "a" / "b" / "c")
    assert (found.file, found.root, found.fail_on) == (inner, tmp_path / "a" / "b", "warning")
    assert found.rules == set(RULES) - codes("MX2")


@pytest.mark.parametrize(
    ("table", "on", "off"),
    [
        ('select = ["ALL"]\nignore = ["MX1"]', "MX201", "MX101"),
        ('select = ["MX101"]\nignore = ["MX1"]', "MX101", "MX102"),  # the closer selector wins
        ('select = ["MX1"]\nignore = ["MX101"]', "MX102", "MX101"),
        ('select = ["MX101"]\nignore = ["MX101"]', "MX003", "MX101"),  # between equals, ignore
        ('select = ["mx1"]\nignore = ["Print-Traced-Array"]', "MX102", "MX101"),
        ('extend-select = ["MX101"]\nignore = ["MX1"]', "MX101", "MX102"),
        ('ignore = ["MX003"]', "MX004", "MX003"),
        ('ignore = ["ALL"]', "MX004", "MX003"),
    ],
)
def test_selection(tmp_path: Path, table: str, on: str, off: str) -> None:
    rules = config(tmp_path, table).rules
    assert on in rules
    assert off not in rules


def test_command_line_wins(tmp_path: Path) -> None:
    table = 'ignore = ["MX101"]\nfail-on = "error"\nexclude = ["a"]\nextend-exclude = ["b"]\nmlx-version = "0.28"\n'
    found = config(
        tmp_path,
        table,
        select=("MX1",),
        fail_on="never",
        exclude=("c",),
        extend_exclude=("d",),
        mlx_version=">=0.29",
        options={"fail-on": "info"},
    )
    assert {"MX101", "MX102"} <= found.rules
    assert "MX201" not in found.rules
    assert (found.fail_on, found.mlx_version) == ("never", ">=0.29")
    assert [patterns.globs for patterns in found.excludes] == [("c",), ("b",), ("d",)]
    assert config(tmp_path, table, extend_select=("MX101",)).rules == set(RULES)
    assert config(tmp_path, table, ignore=("MX2",)).rules == set(RULES) - codes("MX2") - {"MX101"}


def test_inline_options_win_over_files(tmp_path: Path) -> None:
    options = {**parse_option('fail-on = "info"'), **parse_option('per-file-ignores."x.py" = ["MX2"]')}
    found = config(tmp_path, 'fail-on = "error"', options=options)
    assert found.fail_on == "info"
    assert found.rules_for(tmp_path / "x.py") == set(RULES) - codes("MX2")


def test_isolated_reads_no_file(tmp_path: Path) -> None:
    found = config(tmp_path, 'fail-on = "error"\nnonsense = 1', isolated=True, options={"ignore": ["MX1"]})
    assert (found.file, found.fail_on, found.rules) == (None, "warning", set(RULES) - codes("MX1"))


@pytest.mark.parametrize("text", ['[tool.mxlint]\nfail-on = "error"\n', 'fail-on = "error"\n'])
def test_file_by_name_replaces_the_nearest(tmp_path: Path, text: str) -> None:
    pyproject(tmp_path, "[tool.mxlint]\nignore = ['MX1']\n")
    file = tmp_path / "ci" / "lint.toml"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    found = Configs(Settings(file=file), tmp_path).of(tmp_path)
    assert (found.fail_on, found.rules, found.root) == ("error", set(RULES), file.parent)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("selct = []", "unknown key `selct`; did you mean `select`?"),
        ("fobar = []", "unknown key `fobar`; the keys are select, "),
        ('severity = { MX101 = "off" }', "expected one of error, warning, info, found `off`; `ignore` leaves rules out"),
        ("per-file-ignore = {}", "did you mean `per-file-ignores`?"),
        ('select = "MX1"', "select: expected a list of strings, found a string"),
        ("ignore = [1]", "ignore: expected a list of strings, found an integer in it"),
        ("fail-on = true", "fail-on: expected a string, found a boolean"),
        ('fail-on = "eror"', "fail-on: expected one of error, warning, info, never, found `eror`; did you mean `error`?"),
        ('select = ["MX310"]', "select: unknown rule selector `MX310`; did you mean `MX301`?"),
        ('ignore = ["print-traced-arrays"]', "did you mean `print-traced-array`?"),
        ('ignore = [""]', "ignore: unknown rule selector ``"),
        ('per-file-ignores = ["MX1"]', "per-file-ignores: expected a table of patterns, found a list"),
        ('per-file-ignores = { "a" = ["MX77"] }', 'per-file-ignores."a": unknown rule selector `MX77`'),
        ('per-file-ignores = { "a" = "MX1" }', 'per-file-ignores."a": expected a list of strings, found a string'),
        ('compile-wrappers = ["a b"]', "`a b` is not a dotted name"),
        ('mlx-version = "newest"', "expected a version such as 0.29.2"),
        ("mlx-version = 0.29", "mlx-version: expected a string, found a number"),
        ("mlx-version = 2024-01-01", "found a date or time"),
        ('mlx-version = ">=0.28,<0.20"', "mlx-version: no version lies in `>=0.28,<0.20`"),
        ("select = [", "not valid TOML"),
    ],
)
def test_what_cannot_be_followed(tmp_path: Path, table: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config(tmp_path, table)
    assert message in str(caught.value)
    assert str(tmp_path / "pyproject.toml") in str(caught.value)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("[tool.mxlint]\nselct = []\n", 2),
        ("[tool.other]\nselct = 1\n\n[ tool.'mxlint' ]\n# selct\n  selct = []\n", 6),
        ("[tool]\nmxlint.selct = 1\n", 2),
        ("tool.mxlint.selct = 1\n", 1),
        ("[tool.mxlint]\nselect = [\n  'MX77',\n]\n", 2),
        ("[tool.mxlint.severity]\nMX1 = 'error'\nMX101 = 'fatal'\n", 3),
        ("[tool.mxlint.severity]\nMX1 = 'error'\nMX77 = 'info'\n", 3),
        ("[tool.mxlint]\nseverity = { MX101 = 'fatal' }\n", 2),
        ("[tool.mxlint.per-file-ignores]\n'a.py' = ['MX1']\n'b/*.py' = 'MX1'\n", 3),
        ("[tool]\nmxlint = { selct = 1 }\n", None),
    ],
)
def test_messages_name_the_row(tmp_path: Path, text: str, row: int | None) -> None:
    file = pyproject(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        Configs(Settings(), tmp_path).of(tmp_path)
    assert str(caught.value).startswith(f"{file}:{row}: " if row else f"{file}: unknown key")


def test_extend(tmp_path: Path) -> None:
    """Keys of the nearer file win, what is selected and ignored is layered, what is left out adds up; paths are those of their own file."""
    pyproject(tmp_path, '[tool.mxlint]\nignore = ["MX1"]\nfail-on = "error"\nextend-exclude = ["a"]\nmlx-version = "0.30"\n')
    (tmp_path / "more.toml").write_text('extend = "pyproject.toml"\nextend-exclude = ["b"]\nextend-select = ["MX102"]\n', encoding="utf-8")
    pyproject(tmp_path / "sub", '[tool.mxlint]\nextend = "../more.toml"\nfail-on = "info"\nextend-exclude = ["c"]\nignore = ["MX2"]\n')
    found = Configs(Settings(), tmp_path).of(tmp_path / "sub")
    assert (found.fail_on, found.mlx_version, found.root) == ("info", "0.30", tmp_path / "sub")
    assert found.rules == set(RULES) - codes("MX1") - codes("MX2") | {"MX102"}
    assert [(patterns.root, patterns.globs) for patterns in found.extend_exclude] == [
        (tmp_path, ("a",)),
        (tmp_path, ("b",)),
        (tmp_path / "sub", ("c",)),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extend = "gone.toml"', "pyproject.toml:2: extend: "),
        ('extend = "pyproject.toml"', "`pyproject.toml` comes back to this file"),
        ('extend = "circle.toml"', "circle.toml:1: extend: `pyproject.toml` comes back to this file"),
        ("extend = 1", "pyproject.toml:2: extend: expected a string, found an integer"),
        ('extend = "wrong.toml"', "wrong.toml:2: unknown key `selct`"),
        ('extend = "none/pyproject.toml"', "there is no [tool.mxlint] in it"),
    ],
)
def test_extend_that_cannot_be_followed(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "circle.toml").write_text('extend = "pyproject.toml"\n', encoding="utf-8")
    (tmp_path / "wrong.toml").write_text("\nselct = 1\n", encoding="utf-8")
    pyproject(tmp_path / "none", "[tool.other]\n")
    with pytest.raises(ConfigError) as caught:
        config(tmp_path, text)
    assert message in str(caught.value)


def test_extend_is_for_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--config extend: only a file"):
        config(tmp_path, "", options={"extend": "a.toml"})


def test_table_that_is_none(tmp_path: Path) -> None:
    pyproject(tmp_path, "[tool]\nmxlint = 3\n")
    with pytest.raises(ConfigError, match=r"tool\.mxlint: expected a table, found an integer"):
        Configs(Settings(), tmp_path).of(tmp_path)


def test_command_line_errors_name_the_option(tmp_path: Path) -> None:
    for settings, name in [
        (Settings(select=("MX9",)), "--select: unknown"),
        (Settings(extend_select=("MX9",)), "--extend-select: unknown"),
        (Settings(mlx_version="x"), "--mlx-version: expected"),
        (Settings(options={"fail_on": "error"}), "--config unknown key `fail_on`; did you mean `fail-on`?"),
    ]:
        with pytest.raises(ConfigError, match=name.replace("?", r"\?")):
            Configs(settings, tmp_path)


@pytest.mark.parametrize("text", ["0.30", "<0.20", "!=0.30.0", "==0.28.*,!=0.28.0", "~=0.28", ">0.28,<0.28.1", ">=0.28,<=0.28"])
def test_ranges_that_hold_something(tmp_path: Path, text: str) -> None:
    assert Configs(Settings(mlx_version=text), tmp_path).of(tmp_path).mlx_version == text


def test_files_that_are_not_ours_may_be_broken(tmp_path: Path) -> None:
    pyproject(tmp_path, "[tool.mxlint]\nignore = ['MX1']\n")
    pyproject(tmp_path / "a", "[project\n")
    assert "MX101" not in Configs(Settings(), tmp_path).of(tmp_path / "a").rules


def test_named_file_must_be_there_and_ours(tmp_path: Path) -> None:
    file = pyproject(tmp_path, "[project]\n")
    with pytest.raises(ConfigError, match=r"no \[tool\.mxlint\]"):
        Configs(Settings(file=file), tmp_path)
    with pytest.raises(ConfigError, match="No such file"):
        Configs(Settings(file=tmp_path / "none.toml"), tmp_path)


@pytest.mark.parametrize(
    ("text", "candidates", "expected"),
    [
        ("MX310", ["MX103", "MX301", "MX302"], "MX301"),
        ("MX1", ["MX001", "MX101"], None),
        ("SELECT", ["ignore", "select"], "select"),
        ("xyz", ["select"], None),
        ("x", [], None),
        ("server", ["verify", "sites"], None),
        ("half-captured", ["lazy-capture", "half-captured-state"], "half-captured-state"),
    ],
)
def test_nearest(text: str, candidates: list[str], expected: str | None) -> None:
    assert nearest(text, candidates) == expected


def test_a_file_that_went_away_since_it_was_read(tmp_path: Path) -> None:
    """What is wrong in it can still be said."""
    file = pyproject(tmp_path, "[tool.mxlint]\nselect = 1\n")
    assert Rows(file)("select") == f"{file}:2: "
    rows = Rows(file)
    file.unlink()
    assert rows("select") == f"{file}: "
