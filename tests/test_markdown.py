"""Code blocks of Markdown: which are looked at, where their findings are, and that a fix changes their rows only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Run
from hypothesis import given, settings
from hypothesis import strategies as st

from mxlint.config import Settings
from mxlint.documents.markdown import read
from mxlint.engine import check
from mxlint.report.places import place_of
from mxlint.survey import Stdin

CODE = "import mlx.core as mx\n\n@mx.compile\ndef f(x):\n    print(x)\n    return x\n\nf(mx.ones(2))\n"
COMMENT = "v = 1  # mxlint: ignore[MX101]\n"


def block(code: str, fence: str = "```", info: str = "python", before: str = "") -> str:
    rows = [fence + info, *code.rstrip("\n").split("\n"), fence]
    return "".join(f"{before}{row}".rstrip() + "\n" for row in rows)


def places(text: str) -> list[tuple[str, int, int]]:
    result = check((), Settings(isolated=True), stdin=Stdin(text.encode(), "a.md"))
    found = [(finding.code, place_of(finding.span, result.sources)) for finding in result.findings]
    return [(code, place.start.row, place.start.column) for code, place in found]


def test_only_what_is_asked_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# T\n\n" + block(CODE), encoding="utf-8")
    assert "nothing to check" in run("check", "--isolated").err
    named = run("check", "--isolated", "-q", "--output-format", "concise", "a.md")
    assert named.out.startswith("a.md:8:5: MX101 ")
    (tmp_path / "pyproject.toml").write_text("[tool.mxlint]\nmarkdown = true\n", encoding="utf-8")
    assert run("check", "-q", "--output-format", "concise").out == named.out
    assert "markdown = true" in run("config").out
    (tmp_path / "pyproject.toml").write_text("[tool.mxlint]\nmarkdown = 1\n", encoding="utf-8")
    assert "pyproject.toml:2: markdown: expected a boolean, found an integer" in run("check").err


@pytest.mark.parametrize(
    "info", ["python", "py", "python3", "Python", 'python title="a.py"', "{.python .numberLines}", "py3,linenos", "{python}"]
)
def test_blocks_that_are_python(info: str) -> None:
    assert places(block(CODE, info=info)) == [("MX101", 6, 5)]


@pytest.mark.parametrize("info", ["", "pycon", "console", "text", "python-repl", "ipython", "{code-cell} python", "python mxlint=skip"])
def test_blocks_that_are_not(info: str) -> None:
    assert places(block(CODE, info=info)) == []


@pytest.mark.parametrize("fence", ["```", "~~~", "`````", "~~~~~~"])
@pytest.mark.parametrize("before, lead, shift", [("", "", 0), ("   ", "1. item\n\n", 3), ("> ", "", 2), ("> - ", None, 4), ("  ", "", 2)])
def test_wherever_they_stand(fence: str, before: str, lead: str | None, shift: int) -> None:
    text = block(CODE, fence, before=before if lead is not None else ">   ")
    text = text if lead is not None else "> - item\n>\n" + text
    rows = text.split("\n")
    ((code, row, column),) = places(f"{lead or ''}{text}\nend\n")
    assert (code, column) == ("MX101", shift + 5)
    assert f"{lead or ''}{text}".split("\n")[row - 1].endswith("    print(x)") and rows


def test_each_block_is_a_program() -> None:
    """Names come from nowhere else, and a broken block says nothing of the others; one that continues knows the names of the one before."""
    parts = CODE.partition("f(mx.ones(2))")
    apart = block(parts[0]) + block("f(x)\n") + block("def (\n") + block(CODE)
    assert [code for code, _, _ in places(apart)] == ["MX101", "MX003", "MX101"]
    silent = block("import mlx.core as mx\nn = 1\nfor n in range(5):\n    step(n)\n") + block(
        "step = mx.compile(lambda k: k * mx.ones(2))\n"
    )
    assert places(silent) == []
    joined = (
        block("import mlx.core as mx\nstep = mx.compile(lambda k: k * mx.ones(2))\n")
        + "text\n"
        + block("for n in range(5):\n    step(n)\n", info="python continuation")
    )
    assert [code for code, _, _ in places(joined)] == ["MX303"]


def test_a_piece_of_a_function(run: Run, tmp_path: Path) -> None:
    """An excerpt that is indented as a whole is read without that, and keeps it when it is mended."""
    text = block("    import mlx.core as mx\n\n    v = 1  # mxlint: ignore[MX101]\n", before="> ")
    assert places(text) == [("MX001", 4, 14)]
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    run("check", "--isolated", "--fix", "a.md")
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == text.replace("  # mxlint: ignore[MX101]", "")


def test_broken_block(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x\n\n" + block("import mlx.core as mx\ndef (\n", before="  "), encoding="utf-8")
    out = run("check", "--isolated", "a.md").out
    assert "--> a.md:5:7" in out and "help: the block was not checked" in out


def test_suppressions() -> None:
    assert places(block(CODE.replace("print(x)", "print(x)  # mxlint: ignore[MX101]"))) == []
    assert places(block(COMMENT)) == [("MX001", 2, 8)]


def test_a_block_that_the_file_ends_in(run: Run, tmp_path: Path) -> None:
    """Without a last fence, and without a last line break: the row counts, and stays the last one."""
    (tmp_path / "a.md").write_bytes(b"> ```python\n> u = 1\n> " + COMMENT.rstrip().encode())
    assert "a.md:3:10: MX001" in run("check", "--isolated", "--output-format", "concise", "a.md").out
    run("check", "--isolated", "--fix", "a.md")
    assert (tmp_path / "a.md").read_bytes() == b"> ```python\n> u = 1\n> v = 1"


def test_fix_keeps_indentation_and_marks(run: Run, tmp_path: Path) -> None:
    loop = "import mlx.core as mx\n\nfor k in range(3):\n    f = mx.compile(lambda x: x + 1)\n    f(mx.ones(2))\n"
    for name, before in (("quote", "> "), ("list", "   ")):
        lead = "1. x\n\n" if name == "list" else ""
        file = tmp_path / f"{name}.md"
        file.write_text(f"# caf\xe9\n\n{lead}{block(loop, before=before)}\nend  \n", encoding="utf-8")
        run("check", "--isolated", "--fix", "--unsafe-fixes", file.name)
        plain = tmp_path / "plain.py"
        plain.write_text(loop, encoding="utf-8")
        run("check", "--isolated", "--fix", "--unsafe-fixes", "plain.py")
        fixed = plain.read_text(encoding="utf-8")
        assert fixed != loop
        assert file.read_text(encoding="utf-8") == f"# caf\xe9\n\n{lead}{block(fixed, before=before)}\nend  \n"


def test_a_fix_that_would_end_the_block_is_not_made(run: Run, tmp_path: Path) -> None:
    """A block of nothing but a comment: without it there would be no block."""
    (tmp_path / "a.md").write_text(block("# mxlint: ignore[MX101]\n"), encoding="utf-8")
    done = run("check", "--isolated", "--fix", "a.md")
    assert "MX001" in done.out and (tmp_path / "a.md").read_text(encoding="utf-8") == block("# mxlint: ignore[MX101]\n")


def test_verify_does_not_run_blocks(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(block(CODE), encoding="utf-8")
    answer = json.loads(run("check", "--isolated", "--verify", "--no-cache", "--output-format", "json", "a.md").out)
    assert [found["verify"]["verdict"] for found in answer["diagnostics"]] == ["inconclusive"]
    assert "code blocks of Markdown are not run" in answer["diagnostics"][0]["verify"]["reason"]


def test_bytes_that_are_no_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff")
    done = run("check", "--isolated", "a.md")
    assert (done.code, "a.md: not UTF-8 at byte 0" in done.err) == (2, True)


PROSE = st.lists(
    st.sampled_from(["text", "> quote", "- item", "", "    indented", "| a |", "<b>", "````", "1. x", "\tt", "caf\xe9"]), max_size=6
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_fixing_changes_rows_of_code_only(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever is around a block and whatever ends its rows: without the comment it is the same to the byte."""
    from click.testing import CliRunner

    from mxlint.cli import main

    newline = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    rows: list[str] = []
    for _ in range(data.draw(st.integers(1, 3))):
        rows += data.draw(PROSE)
        before = data.draw(st.sampled_from(["", "> ", "  ", "   ", "\t"]))
        rows += (
            block(COMMENT + "\n" + data.draw(st.sampled_from(["w = 2\n", "s = '''\n  x\n'''\n"])), before=before).rstrip("\n").split("\n")
        )
        rows.append("")
    text = newline.join(rows) + data.draw(st.sampled_from(["", newline]))
    file = tmp_path_factory.mktemp("fixed") / "a.md"
    file.write_bytes(text.encode())
    seen = read(text.encode())[1]
    answer = CliRunner().invoke(main, ["check", "--isolated", "--fix", str(file)])
    assert answer.exit_code == 0, answer.output
    after = file.read_bytes().decode()
    changed = [row for row, (old, new) in enumerate(zip(text.split(newline), after.split(newline)), 1) if old != new]
    expected = [block.row + number for block in seen for number, line in enumerate(block.lines) if "ignore[MX101]" in line]
    assert changed == expected
    assert [
        old.replace("  # mxlint: ignore[MX101]", "") if row in changed else old for row, old in enumerate(text.split(newline), 1)
    ] == after.split(newline)
