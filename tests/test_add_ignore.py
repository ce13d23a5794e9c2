"""What `--add-ignore` writes: after it nothing is found, a second run changes nothing, and the program is the same."""

from __future__ import annotations

import ast
import os
import stat
from pathlib import Path

import pytest
from command_line import Run

HEAD = "import mlx.core as mx\n\n\n"
CALL = "\n\nstep(mx.ones(3))\n"
PRINTS = HEAD + "@mx.compile\ndef step(x):\n    print(x){}\n    return x\n" + CALL


def write(text: str, name: str = "a.py", encoding: str = "utf-8") -> Path:
    path = Path(name)
    path.write_bytes(text.encode(encoding))
    return path


def ignored(run: Run, text: str, *arguments: str, encoding: str = "utf-8") -> str:
    """The file after --add-ignore, once what must hold of every such file was looked at."""
    path = write(text, encoding=encoding)
    done = run("check", "--add-ignore", *arguments)
    assert (done.code, done.out.startswith("All checks passed")) == (0, True), done.out + done.err
    first = path.read_bytes()
    assert run("check").code == 0
    assert run("check", "--add-ignore").err == "Ignored 0 findings in 0 files\n"
    assert path.read_bytes() == first
    after = first.decode(encoding)
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(text))
    return after


STATEMENTS = {
    "a call": ("print(x)", "print(x)  # mxlint: ignore[MX101]"),
    "blanks at its end": ("print(x)   ", "print(x)  # mxlint: ignore[MX101]"),
    "another comment": ("print(x)  # why", "print(x)  # why  # mxlint: ignore[MX101]"),
    "a comment of another tool": ("print(x)  # noqa: T201", "print(x)  # noqa: T201  # mxlint: ignore[MX101]"),
    "one of ours with another rule": (
        "float(x); print(x)  # mxlint: ignore[MX103] for now",
        "float(x); print(x)  # mxlint: ignore[MX103, MX101] for now",
    ),
    "one of ours in the row before": (
        "# mxlint: ignore[MX103] once\n    float(x); print(x)",
        "# mxlint: ignore[MX103, MX101] once\n    float(x); print(x)",
    ),
    "several rules": ("float(x); print(x)", "float(x); print(x)  # mxlint: ignore[MX101, MX103]"),
    "several rows": ("print(\n        x,\n    )", "print(  # mxlint: ignore[MX101]\n        x,\n    )"),
    "a backslash": ("print(x, \\\n        x)", "print(x, \\\n        x)  # mxlint: ignore[MX101]"),
    "a string over rows": ('print(x, """\n    a""")', 'print(x, """\n    a""")  # mxlint: ignore[MX101]'),
    "an f-string over rows": ('print(f"""{x}\n    {\n    x}""")', 'print(f"""{x}\n    {\n    x}""")  # mxlint: ignore[MX101]'),
    "two in a row": ("print(x); print(x, 2)", "print(x); print(x, 2)  # mxlint: ignore[MX101]"),
    "two in a line of several rows": (
        "print(\n        x,\n        print(x),\n    )",
        "print(  # mxlint: ignore[MX101]\n        x,\n        print(x),\n    )",
    ),
    "a block": ("if True: print(x)", "if True: print(x)  # mxlint: ignore[MX101]"),
}


@pytest.mark.parametrize(("before", "after"), STATEMENTS.values(), ids=STATEMENTS)
def test_where_it_stands(run: Run, before: str, after: str) -> None:
    made = ignored(run, HEAD + f"@mx.compile\ndef step(x):\n    {before}\n    return x\n" + CALL)
    assert made == HEAD + f"@mx.compile\ndef step(x):\n    {after}\n    return x\n" + CALL


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_newlines_stay(run: Run, newline: str) -> None:
    text = PRINTS.format("").replace("\n", newline)
    assert ignored(run, text) == PRINTS.format("  # mxlint: ignore[MX101]").replace("\n", newline)


def test_encoding_permissions_and_links_stay(run: Run) -> None:
    text = "# -*- coding: latin-1 -*-\n# é\n" + PRINTS.format("")
    path = write("", "real.txt")
    Path("a.py").symlink_to(path)
    path.chmod(0o640)
    made = ignored(run, text, encoding="latin-1")
    assert made.startswith("# -*- coding: latin-1 -*-\n# é\n") and "ignore[MX101]" in made
    assert Path("a.py").is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_no_newline_at_the_end(run: Run) -> None:
    text = HEAD + "f = mx.compile(lambda x: print(x))\nf(mx.ones(3))"
    assert ignored(run, text).endswith("f(mx.ones(3))")


def test_a_decorated_function(run: Run) -> None:
    """What is found in a decorator or in the line under it has one comment for both."""
    text = HEAD + "for _ in range(3):\n\n    @mx.compile\n    def step(x):\n        return x\n\n    step(mx.ones(3))\n"
    write(text)
    assert "MX301" in run("check", "--output-format", "concise").out
    assert ignored(run, text).count("ignore[") == 1


def test_reasons(run: Run) -> None:
    path = write(PRINTS.format(""))
    for reason in ("two\nlines", "see # noqa", "# mxlint: ignore[MX101]"):
        assert run("check", f"--add-ignore={reason}").code == 2
    assert path.read_text(encoding="utf-8") == PRINTS.format("")
    assert run("check", "--add-ignore=until #12 is done").code == 0
    assert path.read_text(encoding="utf-8") == PRINTS.format("  # mxlint: ignore[MX101] until #12 is done")
    assert run("check").code == 0


def test_a_reason_for_a_comment_that_has_none(run: Run) -> None:
    both = PRINTS.replace("print(x)", "print(x, x.item())")
    path = write(both.format("  # mxlint: ignore[MX101]"))
    assert run("check", "--add-ignore=soon").code == 0
    assert path.read_text() == both.format("  # mxlint: ignore[MX101, MX103] soon")
    path = write(both.format("  # mxlint: ignore[MX101] later"))
    assert run("check", "--add-ignore=soon").code == 0
    assert path.read_text() == both.format("  # mxlint: ignore[MX101, MX103] later")


def test_a_reason_that_the_file_cannot_hold(run: Run) -> None:
    text = "# -*- coding: latin-1 -*-\n" + PRINTS.format("")
    path = write(text)
    done = run("check", "--add-ignore=für ₤")
    assert (done.code, "a.py: its findings cannot be ignored" in done.err) == (2, True)
    assert path.read_text(encoding="latin-1") == text


def test_the_path_after_it_is_no_reason(run: Run) -> None:
    write(PRINTS.format(""))
    write(PRINTS.format(""), "b.py")
    assert run("check", "--add-ignore", "b.py").err == "Ignored 1 finding in 1 file\n"
    assert Path("a.py").read_text(encoding="utf-8") == PRINTS.format("")


def test_what_is_left(run: Run) -> None:
    """Unused suppressions and files that could not be judged are reported as before, and a file that was not asked for is left alone."""
    write("x = 1  # mxlint: ignore[MX101]\n", "unused.py")
    write("import mlx.core as mx\ndef broken(:\n", "broken.py")
    done = run("check", "--add-ignore", "--output-format", "concise", "unused.py", "broken.py")
    assert done.code == 1
    assert sorted(line.split()[1] for line in done.out.splitlines()[:-2]) == ["MX001", "MX003"]
    Path("helper.py").write_text("def shown(x):\n    print(x)\n    return x\n", encoding="utf-8")
    write("import mlx.core as mx\nfrom helper import shown\nf = mx.compile(lambda x: shown(x))\nf(mx.ones(3))\n", "user.py")
    assert run("check", "--add-ignore", "user.py").code == 1
    assert "ignore" not in Path("helper.py").read_text(encoding="utf-8")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_cannot_be_written(run: Run) -> None:
    path = write(PRINTS.format(""))
    path.chmod(0o444)
    done = run("check", "--add-ignore")
    assert (done.code, "cannot be written" in done.err) == (2, True)


@pytest.mark.parametrize("other", ["--fix", "--diff", "--verify", "-"])
def test_what_it_does_not_go_with(run: Run, other: str) -> None:
    assert run("check", "--add-ignore", other).code == 2
