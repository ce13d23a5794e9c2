"""Which comments silence which findings, and what is said about comments that silence nothing."""

from __future__ import annotations

import pytest

from mxlint.finding import Finding, Fix
from mxlint.rules.registry import RULES
from mxlint.source import Source, source_from_bytes
from mxlint.suppressions import names_rules, suppress

ALL = frozenset(RULES)


def source_of(text: str) -> Source:
    return source_from_bytes(text.encode(), "x.py")


def finding(source: Source, code: str, snippet: str, statement: str | None = None) -> Finding:
    """A finding on the first place where `snippet` stands."""
    start = source.text.index(snippet)
    whole = None
    if statement is not None:
        whole = source.span(source.text.index(statement), source.text.index(statement) + len(statement))
    return Finding(code, RULES[code].severity, "message", "help", source.span(start, start + len(snippet)), statement=whole)


def left(text: str, *found: tuple[str, str], selected: frozenset[str] = ALL) -> list[str]:
    """The codes that are left of findings given as (code, snippet), with what suppression itself finds."""
    source = source_of(text)
    return [item.code for item in suppress(source, [finding(source, code, snippet) for code, snippet in found], selected)]


def applied(source: Source, fix: Fix) -> str:
    """The text after a fix."""
    (edit,) = fix.edits
    start = source.offset(edit.span.start.row) + edit.span.start.column - 1
    end = source.offset(edit.span.end.row) + edit.span.end.column - 1
    return source.text[:start] + edit.content + source.text[end:]


PRINT = ("MX101", "print(x)")


@pytest.mark.parametrize(
    "text",
    [
        "print(x)  # mxlint: ignore[MX101]\n",
        "print(x)  # mxlint: ignore[MX101] because it is read once\n",
        "print(x)  #mxlint:ignore[mx101]",
        "print(x)  # mxlint: ignore[print-traced-array]\n",
        "print(x)  # mxlint: ignore[MX301, MX101]\ny = 'MX301'\n",
        "print(x)  # type: ignore  # mxlint: ignore[MX101]\n",
        "# mxlint: ignore[MX101]\nprint(x)\n",
        "# mxlint: ignore[MX101]\n\n# another comment\nprint(x)\n",
        "if x:\n    y = 1\n    # mxlint: ignore[MX101]\n    print(x)\n",
        "f(\n    print(x),\n    2,\n)  # mxlint: ignore[MX101]\n",
        "f(  # mxlint: ignore[MX101]\n    1,\n    print(x),\n)\n",
        "f(\n    # mxlint: ignore[MX101]\n    print(x),\n)\n",
        "y = 1; print(x)  # mxlint: ignore[MX101]\n",
        "y = 1 + \\\n    print(x)  # mxlint: ignore[MX101]\n",
        "y = '''\n''', print(x), '''\n'''  # mxlint: ignore[MX101]\n",
        "# mxlint: file-ignore[MX101]\ny = 1\nz = 2\nprint(x)\n",
        "print(x)\ny = 1\n# mxlint: file-ignore[MX101] generated\n",
        "print(x)  # noqa\n",
        "print(x)  # NoQA\n",
        "print(x)  # noqa: MX101\n",
        "print(x)  # noqa:E501,mx101\n",
        "print(x)  # noqa: E501 MX101 both are needed\n",
        "print(x)  # noqa: print-traced-array\n",
        "print(x)  # noqa: because\n",  # as flake8 reads it
        "é = 'ü'; print(x)  # mxlint: ignore[MX101]\r\ny = 1\r\n",
        "\x0cprint(x)  # mxlint: ignore[MX101]\n",
    ],
)
def test_silenced(text: str) -> None:
    assert "MX101" not in left(text, PRINT, ("MX301", "MX301") if "'MX301'" in text else PRINT)


@pytest.mark.parametrize(
    "text",
    [
        "print(x)\ny = 1  # noqa\n",
        "y = 1  # noqa\nprint(x)\n",
        "print(x)  # noqa: E501\n",
        "print(x)  # noqa: E501, MX1 01\n",
        "print(x)  # noqarter\n",
        "print(x), '# noqa'\n",
        "print(x), '''\n# mxlint: file-ignore[MX101]\n'''\n",
        "if x:  # noqa\n    print(x)\n",
        "# noqa\n# that was an empty line\n\n'''text'''\nprint(x)\n",
        "print(x)  # mxlint: nothing here\n",
        "# noqa\nprint(x)\n",
        "# noqa: MX101\nprint(x)\n",
    ],
)
def test_not_silenced(text: str) -> None:
    assert "MX101" in left(text, PRINT)


def test_only_the_named_rule_is_silenced() -> None:
    assert left("print(x); f(y)  # mxlint: ignore[MX101]\n", PRINT, ("MX301", "f(y)")) == ["MX301"]


DECORATED = "@partial(\n    compile,\n)\n@other\ndef f(\n    x,\n):\n    pass\n"


@pytest.mark.parametrize("row", range(1, 8))
@pytest.mark.parametrize("snippet", ["compile", "other", "def f", "x,"])
def test_decorators_and_header_are_one(row: int, snippet: str) -> None:
    lines = DECORATED.splitlines()
    lines[row - 1] += "  # mxlint: ignore[MX501]"
    assert left("\n".join(lines), ("MX501", snippet)) == []
    assert left("# mxlint: ignore[MX501]\n" + DECORATED, ("MX501", snippet)) == []


def test_a_header_is_not_its_body() -> None:
    assert left("@compile\ndef f(x):  # mxlint: ignore[MX101]\n    print(x)\n", PRINT) == ["MX101", "MX001"]


def test_statement_of_a_finding_counts() -> None:
    text = "for x in y:\n    f(\n        x\n    )\n# mxlint: ignore[MX301] at the end\nz = 1\nw = 2  # mxlint: ignore[MX301]\n"
    source = source_of(text)
    found = finding(source, "MX301", "f(", statement="f(\n        x\n    )\n# mxlint: ignore[MX301] at the end\nz = 1\n")
    assert [(item.code, item.span.start.row) for item in suppress(source, [found], ALL)] == [("MX001", 7)]


def test_every_comment_that_covers_a_finding_is_used() -> None:
    assert left("# mxlint: file-ignore[MX101]\n# mxlint: ignore[MX101]\nprint(x)  # mxlint: ignore[MX101]\n", PRINT) == []


@pytest.mark.parametrize("comment", ["# noqa", "# mxlint: ignore[MX003, MX004]", "# mxlint: file-ignore[MX003, MX004]"])
@pytest.mark.parametrize("code", ["MX003", "MX004"])
def test_what_was_not_judged_is_not_silenced(comment: str, code: str) -> None:
    assert code in left(f"print(x)  {comment}\n", (code, "print(x)"))


@pytest.mark.parametrize(
    ("text", "marked", "fixed"),
    [
        ("x = 1  # mxlint: ignore[MX101]\ny = 2\n", "# mxlint: ignore[MX101]", "x = 1\ny = 2\n"),
        ("x = 1  # mxlint: ignore[MX101] as #12 says \ny = 2\n", "# mxlint: ignore[MX101]", "x = 1\ny = 2\n"),
        ("x = 1  # mxlint: ignore[MX101] why  # type: ignore\n", "# mxlint: ignore[MX101]", "x = 1  # type: ignore\n"),
        ("x = 1  # fmt: skip  # mxlint: ignore[MX101]\n", "# mxlint: ignore[MX101]", "x = 1  # fmt: skip\n"),
        ("if x:\n    # mxlint: ignore[MX101] why\n    y = 2\n", "# mxlint: ignore[MX101]", "if x:\n    y = 2\n"),
        ("x = 1\r\n# mxlint: file-ignore[MX101]\r\ny = 2\r\n", "# mxlint: file-ignore[MX101]", "x = 1\r\ny = 2\r\n"),
        ("x = 1\n# mxlint: ignore[MX101]", "# mxlint: ignore[MX101]", "x = 1\n"),
        ("print(x)  # mxlint: ignore[MX301,MX101] why\n", "# mxlint: ignore[MX301,MX101]", "print(x)  # mxlint: ignore[MX101] why\n"),
        ("é = print(x)  # mxlint: ignore[MX301, MX101, dead-capture]\n", "# mxlint: ignore[MX301, MX101, dead-capture]", "é = print(x)  # mxlint: ignore[MX101]\n"),
        ("x = 1  # mxlint: ignore[MX101, MX999]\n", "# mxlint: ignore[MX101, MX999]", "x = 1  # mxlint: ignore[MX999]\n"),
    ],
)  # fmt: skip
def test_unused_suppression(text: str, marked: str, fixed: str) -> None:
    source = source_of(text)
    found = [finding(source, *PRINT)] if "print(x)" in text else []
    (unused,) = [item for item in suppress(source, found, ALL) if item.code == "MX001"]
    start = text.index(marked)
    assert unused.span == source.span(start, start + len(marked))
    assert unused.fix is not None
    assert unused.fix.applicability == "safe"
    assert applied(source, unused.fix) == fixed


def test_unused_names_what_is_unused() -> None:
    (unused,) = suppress(source_of("x = 1  # mxlint: ignore[MX301, dead-capture]\n"), [], ALL)
    assert "MX301 or dead-capture" in unused.message


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # noqa: MX101\n",
        "x = 1  # noqa\n",
        "x = 1  # mxlint: ignore[MX001]\n",
        "x = 1  # mxlint: ignore[MX101, MX001]\n",
        "# mxlint: file-ignore[MX001]\nx = 1  # mxlint: ignore[MX101]\n",
        "x = 1  # mxlint is a linter\n",
        "x = 1  # mxlint: fast and small\n",
        "x = '# mxlint: ignore[MX101]'\n",
        "'''\n# mxlint: ignore[MX999]\nx = 1  # noqa: MX999\n'''\n",
    ],
)
def test_nothing_to_say(text: str) -> None:
    assert left(text) == []


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("def f(x):\n    print(x)  # mxlint: ignore[MX101]\n", []),
        ("class A:\n    def f(self, x):\n        print(x)  # mxlint: ignore[MX101]\n", []),
        ("class A:\n    y = 1  # mxlint: ignore[MX101]\n", []),
        ("@wrap  # mxlint: ignore[MX101]\ndef f(x):\n    return x\n", []),
        ("# mxlint: ignore[MX101]\ndef f(x):\n    return x\n", []),
        ("f = lambda x: print(x)  # mxlint: ignore[MX101]\n", []),
        ("# mxlint: file-ignore[MX101]\ndef f(x):\n    return x\n", []),
        ("# mxlint: file-ignore[MX101]\nx = 1\n", [1]),
        ("def f(x):\n    return x\n\n\ny = 1  # mxlint: ignore[MX101]\n", [5]),
        ("y = 1  # mxlint: ignore[MX101]\n\n\ndef f(x):\n    print(x)  # mxlint: ignore[MX101]\n", [1]),
    ],
)
def test_what_another_file_may_compile_may_need_its_suppressions(text: str, rows: list[int]) -> None:
    source = source_of(text)
    everywhere = [row for row, line in enumerate(text.splitlines(), 1) if "mxlint:" in line]
    assert [item.span.start.row for item in suppress(source, [], ALL, compiles=False)] == rows
    assert [item.span.start.row for item in suppress(source, [], ALL, compiles=True)] == everywhere


def test_a_rule_that_is_off_may_be_needed_again() -> None:
    text = "x = 1  # mxlint: ignore[MX101]\n"
    assert left(text, selected=ALL - {"MX101"}) == []
    assert left(text, selected=ALL) == ["MX001"]


@pytest.mark.parametrize(
    ("text", "marked", "help"),
    [
        ("x = 1  # mxlint: ignore[MX310]\n", "MX310", "MX301"),
        ("x = 1  # mxlint: file-ignore[print-traced-aray]\n", "print-traced-aray", "print-traced-array"),
        ("x = 1  # noqa: E501, MX999\n", "MX999", "mxlint rules"),
        ("x = 1  # NOQA:mx41\n", "mx41", "MX401"),
        ("x = 1  # mxlint: ignore[F401]\n", "F401", "mxlint rules"),
        ("x = 1  # mxlint: ignore[MX1]\n", "MX1", "name each rule: `MX101`"),
        ("x = 1  # mxlint: ignore[all]\n", "all", "name each rule"),
        ("x = 1  # mxlint: ignore[MX9]\n", "MX9", "mxlint rules"),
        ("x = 1  # mxlint: ignore because\n", "# mxlint: ignore", "ignore[MX101]"),
        ("x = 1  # mxlint: ignore[]\n", "# mxlint: ignore[]", "ignore[MX101]"),
        ("x = 1  # mxlint: ignroe[MX101]\n", "# mxlint: ignroe[MX101]", "`ignore`"),
        ("x = 1  # mxlint: disable=MX101\n", "# mxlint: disable", "ignore[...]"),
        ("x = 1  # mxlint: disable(mx101)\n", "# mxlint: disable", "ignore[...]"),
        ("x = 1  # mxlint: disable\n", "# mxlint: disable", "ignore[...]"),
        ("x = 1  # mxlint: noqa[MX101]\n", "# mxlint: noqa[MX101]", "ignore[...]"),
    ],
)
def test_unknown_rule(text: str, marked: str, help: str) -> None:
    source = source_of(text)
    (unknown,) = suppress(source, [], ALL)
    assert unknown.code == "MX002"
    assert unknown.span == source.span(text.index(marked), text.index(marked) + len(marked))
    assert help in unknown.help


def test_a_prefix_is_refused_for_what_it_is() -> None:
    source = source_of("x = 1  # mxlint: ignore[MX1]\n")
    (prefix,) = suppress(source, [], ALL)
    assert "`MX1` is no rule but a selector of several" in prefix.message


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # noqa: E501\n",
        "x = 1  # noqa: ABC123 MX999\n",
        "x = 1  # noqa: E501 see MX999\n",
        "x = 1  # mxlint: inputs(x=float32[2])\n",
        "x = 1  # mxlint: this is MX101 indeed\n",
    ],
)
def test_codes_of_other_tools_and_prose_are_their_own_business(text: str) -> None:
    expected = ["MX002"] if "ABC123 MX999" in text else []
    assert left(text) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"x = 1  # mxlint: ignore[MX101]", True),
        (b"x = 1  # noqa: E501, mx101", True),
        (b"x = 1  # nOqA : MX101", True),
        (b"x = 1  # noqa", False),
        (b"x = 1  # noqa: E501", False),
        (b"x = 1  # noqa: E501\ny = 'MX101'", False),
        (b"import mxlint", False),
    ],
)
def test_names_rules(data: bytes, expected: bool) -> None:
    assert names_rules(data) is expected


def test_a_comment_in_a_file_that_tokenize_rejects() -> None:
    assert left("print(x)  # noqa\nx = (\n", PRINT) == []
