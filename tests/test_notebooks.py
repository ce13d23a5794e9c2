"""Notebooks: found, read, reported by cell and row, and written back with nothing changed but rows of code."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_line import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from notebooks import document, notebook

from mxlint.config import Settings
from mxlint.documents.editing import rewritten_document
from mxlint.documents.errors import DocumentError
from mxlint.documents.ipython import is_python, python
from mxlint.documents.notebook import read
from mxlint.documents.reading import programs, read_document
from mxlint.engine import check
from mxlint.finding import Position, Span
from mxlint.report.places import place_of
from mxlint.result import Result
from mxlint.survey import Stdin

HERE = Path(__file__).parent
SCHEMA = json.loads((HERE.parent / "src" / "mxlint" / "schema" / "v1.json").read_text(encoding="utf-8"))

IMPORTS = "import mlx.core as mx\nimport mlx.nn as nn"
STEP = "@mx.compile\ndef step(x):\n    print(x)\n    return x * 2"
CALL = "for i in range(3):\n    y = step(mx.ones((2,)))"
STATE = "state = {'n': mx.array(0)}\n@mx.compile\ndef g(x):\n    state['n'] = state['n'] + 1\n    return x"
EXAMPLE = notebook(
    ("markdown", "# Title"),
    "%matplotlib inline\n" + IMPORTS + "\n!pip install mlx",
    "%%bash\necho print",
    STEP,
    ("raw", "print("),
    "%%time\n# caf\xe9\n%time y = step(mx.ones((2,)))\ny?",
    STATE + "\ng(mx.ones(2));\ng(mx.ones(2));",
    "x = 1  # mxlint: ignore[MX101]\ny = 2",
)


def places(result: Result) -> list[tuple[str, int | None, int, int]]:
    """Code, cell, row and column of each finding."""
    found = [(finding.code, place_of(finding.span, result.sources)) for finding in result.findings]
    return [(code, place.cell, place.start.row, place.start.column) for code, place in found]


def checked(text: str, name: str = "a.ipynb") -> Result:
    return check((), Settings(isolated=True), stdin=Stdin(text.encode(), name))


# -- through the command line ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["text", "concise", "json-lines", "github", "gitlab", "junit", "rdjson"])
def test_golden(name: str, run: Run, tmp_path: Path) -> None:
    """Each format to the letter. MXLINT_GOLDEN=write writes the files anew: read what changed before you commit it."""
    (tmp_path / "a.ipynb").write_text(EXAMPLE, encoding="utf-8")
    done = run("check", "--isolated", "--output-format", name, "a.ipynb")
    golden = HERE / "golden" / "notebook" / f"{name}.txt"
    if os.environ.get("MXLINT_GOLDEN") == "write":
        golden.write_text(done.out, encoding="utf-8")
    assert (done.code, done.out) == (1, golden.read_text(encoding="utf-8"))


def test_json_is_valid_and_has_cells(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(EXAMPLE, encoding="utf-8")
    answer = json.loads(run("check", "--isolated", "--output-format", "json", "a.ipynb").out)
    jsonschema.validate(answer, SCHEMA)
    print_ = answer["diagnostics"][0]
    assert (print_["cell"], print_["location"], print_["noqa_row"]) == (4, {"row": 3, "column": 5}, 3)
    assert [(related["cell"], related["location"]["row"]) for related in print_["related"]] == [(4, 1), (6, 3)]
    assert [edit["cell"] for edit in print_["fix"]["edits"]] == [4]


def test_sarif_names_the_rows_of_the_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(EXAMPLE, encoding="utf-8")
    results = json.loads(run("check", "--isolated", "--output-format", "sarif", "a.ipynb").out)["runs"][0]["results"]
    row = EXAMPLE.split("\n").index('    "    print(x)\\n",') + 1
    assert results[0]["locations"][0]["physicalLocation"]["region"] == {"startLine": row, "endLine": row}
    assert results[0]["message"]["text"].startswith("cell 4:3:5: print()")
    assert results[0]["properties"]["cell"] == {"number": 4, "row": 3, "column": 5}
    assert "fixes" not in results[0]


def test_report_as_a_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(EXAMPLE, encoding="utf-8")
    run("check", "--isolated", "--report", "out.html", "a.ipynb")
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "a.ipynb:cell 4:3:5" in page and "%time y = step" in page


def test_found_in_folders_and_left_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sub" / ".ipynb_checkpoints").mkdir(parents=True)
    for name in ("sub/a.ipynb", "sub/b.ipynb", "sub/.ipynb_checkpoints/a-checkpoint.ipynb"):
        (tmp_path / name).write_text(EXAMPLE, encoding="utf-8")
    assert run("check", "--isolated", "--show-files").out == "sub/a.ipynb\nsub/b.ipynb\n"
    assert run("check", "--isolated", "--show-files", "--extend-exclude", "b.ipynb").out == "sub/a.ipynb\n"
    assert run("check", "--isolated", "--force-exclude", "--extend-exclude", "sub", "sub/a.ipynb").code == 0


def test_from_stdin(run: Run) -> None:
    done = run("check", "--isolated", "-q", "--output-format", "concise", "--stdin-filename", "x.ipynb", "-", stdin=EXAMPLE)
    assert done.out.startswith("x.ipynb:cell 4:3:5: MX101 ")
    fixed = run("check", "--isolated", "-q", "--fix", "--stdin-filename", "x.ipynb", "-", stdin=EXAMPLE)
    assert fixed.out == EXAMPLE.replace("  # mxlint: ignore[MX101]", "")


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "not a notebook: not JSON at line 1, column 1"),
        ("{]", "not a notebook: not JSON at line 1, column 2"),
        ("[]", "not a notebook: JSON without the keys"),
        ('{"a": 1}', "not a notebook: JSON without the keys"),
        ('{"nbformat": 3, "worksheets": [{"cells": []}]}', "a notebook of format 3, and mxlint reads format 4: `jupyter nbconvert"),
        ('{"nbformat": 5, "cells": []}', "nbformat is 5, expected 4"),
        ('{"nbformat": 4}', "`cells` is no list"),
        ('{"nbformat": 4, "cells": [1]}', "cell 1 has no `cell_type`"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code", "source": [1]}]}', "cell 1 has no"),
        ("[" * 100_000, "not a notebook: JSON that cannot be read"),
        ('{"nbformat": ' + "1" * 5000 + "}", "not a notebook"),
    ],
)
def test_what_is_no_notebook(text: str, why: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(text, encoding="utf-8")
    (tmp_path / "b.py").write_text("import mlx.core as mx\n" + STEP, encoding="utf-8")
    done = run("check", "--isolated", ".")
    assert done.code == 2
    assert done.err.startswith("Error: a.ipynb: ") and why in done.err
    assert "b.py:4:5" in done.out  # the others are checked


def test_bytes_that_are_no_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_bytes(b'{"a": "\xff"}')
    assert "a.ipynb: not a notebook: not UTF-8 at byte 7" in run("check", "a.ipynb").err


def test_cells_that_do_not_parse(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(notebook(IMPORTS, ("markdown", "x"), STEP, "ok = 1\n  def f(:", "x = ["), encoding="utf-8")
    lines = run("check", "--isolated", "-q", "--output-format", "concise", "a.ipynb").out.splitlines()
    assert [line.split(" not valid")[0] for line in lines] == ["a.ipynb:cell 4:2:2: MX003", "a.ipynb:cell 5:1:5: MX003"]


def test_other_languages_are_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(notebook("x <- 1", kernelspec={"name": "ir", "language": "R"}), encoding="utf-8")
    assert run("check", "--isolated", "a.ipynb").code == 0


def test_a_baseline_survives_a_new_cell(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.ipynb"
    file.write_text(notebook(IMPORTS, STEP, CALL), encoding="utf-8")
    run("check", "--isolated", "--baseline", "b.json", "--update-baseline", "a.ipynb")
    file.write_text(notebook(("markdown", "new"), "%pip install mlx", IMPORTS, "z = 1", STEP, CALL), encoding="utf-8")
    done = run("check", "--isolated", "--baseline", "b.json", "a.ipynb")
    assert (done.code, "1 finding of the baseline" in done.out) == (0, True)


def test_fingerprints_stay(run: Run) -> None:
    def printed(text: str) -> list[str]:
        out = run("check", "--isolated", "--output-format", "json-lines", "--stdin-filename", "x.ipynb", "-", stdin=text).out
        return [json.loads(line)["fingerprint"] for line in out.splitlines()]

    assert printed(notebook(IMPORTS, STEP, CALL)) == printed(notebook(IMPORTS, ("markdown", "m"), "q = 1", STEP, CALL))


def test_suppressions() -> None:
    silenced = notebook(IMPORTS, STEP.replace("print(x)", "print(x)  # mxlint: ignore[MX101]"), CALL)
    assert places(checked(silenced)) == []
    whole = notebook("# mxlint: file-ignore[MX101]", IMPORTS, STEP, CALL)
    assert places(checked(whole)) == []


def test_a_comment_does_not_reach_into_the_next_cell() -> None:
    loop = "for i in range(3): mx.compile(step)(mx.ones(2))"
    apart = notebook(IMPORTS, "def step(x):\n    return mx.exp(x) * 2\n# mxlint: ignore[MX301]", loop)
    assert [found[:2] for found in places(checked(apart))] == [("MX001", 2), ("MX301", 3)]
    together = notebook(IMPORTS, "def step(x):\n    return mx.exp(x) * 2", "# mxlint: ignore[MX301]\n" + loop)
    assert [found[:2] for found in places(checked(together))] == []


def test_imports_of_files_beside_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text("def body(x):\n    print(x)\n    return x\n", encoding="utf-8")
    (tmp_path / "a.ipynb").write_text(
        notebook("import mlx.core as mx\nfrom steps import body", "mx.compile(body)(mx.ones(2))"), encoding="utf-8"
    )
    lines = run("check", "--isolated", "a.ipynb", "--output-format", "github").out
    assert "file=steps.py,line=2" in lines and "a.ipynb:cell 2:1:1: compiled here" in lines


# -- what only IPython reads -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline",
        "%%time\nx = 1",
        "%%capture out\nx = 1",
        "%%timeit -n 10\nx = 1",
        "!pip install mlx",
        "!!ls",
        "!ls \\\n  -la \\\n  | wc",
        "files = !ls *.py\nx = files[0]",
        "a, b = !ls",
        "d['x'] = !ls",
        "where = %pwd",
        "x = %time f(1)",
        "%time x = f(1)",
        "%timeit -n 10 -r 3 f(1)",
        "%timeit -o -q f(1)",
        "%prun -l 5 -s cumulative f(1)",
        "%time",
        "%time for x in y:\n",
        "f?",
        "f??",
        "?f",
        "??f.g",
        "np.*load*?",
        "%time?",
        "f;",
        "x = 1;",
        "if x:\n    %time f(1)\nelse:\n    !ls",
        "for f in fs:\n    !echo {f}\n    x = !cat {f}",
        "pip install mlx",
        "cd ..",
        ",f a b",
        "/f 1",
        "x = '''\n%s\n!no\nwhy?\n'''\n%who",
        "x = (1\n% 2)\n%who",
        "x = 7 \\\n% 2\n%who",
        "print('a = %d' % 3)\n%who",
        'print("# ?")\n%who',
        "x = 5 % 3  # really?\n%who",
        "%who\ns = 'it\\'s (%s'\n%who",
        "await f(1)",
        "async for x in y:\n    pass",
        "%env A=1\n\n\n# comment\n%env",
        "def f():\n    '''doc %s\n    ?'''\n    %time g()\n    return 1",
        "%load_ext autoreload\r\n%autoreload 2\r\nx = 1\r\n",
    ],
)
def test_ipython_as_python(cell: str) -> None:
    """It parses, with the same rows and columns, and what Python reads of it is as it was."""
    made = python(cell)
    assert made is not None and is_python(made)
    assert re.sub(r"[^\r\n]", "x", made) == re.sub(r"[^\r\n]", "x", cell)


@pytest.mark.parametrize(
    "cell", ["%%bash\nls", "%%html\n<b>", "%%javascript", "%%writefile a.py\nx = 1", "\n%%latex\n$x$", "%%sql\nselect"]
)
def test_cells_of_other_languages(cell: str) -> None:
    assert python(cell) is None


@pytest.mark.parametrize(
    "cell, python_of_it",
    [
        ("%time y = f(1)", "0;    y = f(1)"),
        ("  %timeit -n 3 f(1)", "  0;           f(1)"),
        ("x = %time f(1)", "x =       f(1)"),
        ("x = !ls", "x = \u01c3  "),
        ("%%time\nf(1)", "      \nf(1)"),
        ("x = 5 % 3", "x = 5 % 3"),
    ],
)
def test_what_magics_run_is_kept(cell: str, python_of_it: str) -> None:
    assert python(cell) == python_of_it


def test_names_from_outside_do_not_end_the_program() -> None:
    """A name that no cell binds is there in a session: from IPython, from %run, from a cell in another language."""
    text = notebook(IMPORTS, "display(model)\n%run setup.py\ncount = !ls\nprint(Out[1], _, len(count), loaded)", STEP, CALL)
    assert places(checked(text)) == [("MX101", 3, 3, 5)]


@pytest.mark.parametrize(
    "ends",
    [
        "step(later)",
        "raise RuntimeError('stop here')",
        "import sys; sys.exit()",
        "assert not IMPORTED, 'run the next cell by hand'",
        "mx.eval(mx.reshape(mx.ones(3), (2, 2)))",
    ],
)
def test_a_cell_that_raises_ends_itself_alone(ends: str) -> None:
    """A session goes on with the next cell; in a script nothing behind is reached."""
    calls = "for n in range(9):\n    step(mx.ones(2), n)"
    cells = (IMPORTS, "@mx.compile\ndef step(x, n):\n    return x * n", f"IMPORTED = True\n{ends}", calls, "later = 1")
    assert places(checked(notebook(*cells))) == [("MX303", 4, 2, 22)]
    assert check((), Settings(isolated=True), stdin=Stdin("\n".join(cells).encode(), "a.py")).findings == ()


def test_a_session_is_asked_only_for_what_nothing_binds() -> None:
    text = notebook(
        "import os\ndef f(a):\n    global made\n    made = a\n    return b + made\nb = 1\n", "print(f(c), __name__, [d for d in os.sep])"
    )
    (program,) = programs(read_document(text.encode(), "notebook", "a.ipynb", None))
    assert program.text.splitlines()[0] == "from __session__ import c"


ANY = st.sampled_from([*"%!?=;,/#\\'\"()[]{}:\n\r \t\x0c\u2028\xe9x1", "%%time", "'''", "pip ", "if x:\n", "%time ", "= !"])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(ANY, max_size=25).map("".join))
def test_any_text_of_a_cell(cell: str) -> None:
    """What Python reads stays as it is; all else keeps its rows and columns. Any row of the program is one of a cell, and the other way round."""
    made = python(cell)
    assert made is None or re.sub(r"[^\r\n]", "x", made) == re.sub(r"[^\r\n]", "x", cell)
    assert made in (None, cell) or not is_python(cell)
    source = read_document(notebook("a = 1", cell, "b = 2").encode(), "notebook", "a.ipynb", None)
    assert source.layout is not None
    rows = [source.layout.place(Span("a.ipynb", Position(row, 1), Position(row, 1))) for row in range(2, len(source.starts))]
    assert [source.layout.row(place.cell, place.start.row) for place in rows] == list(range(2, len(source.starts)))


# -- properties --------------------------------------------------------------------------------------------------------

MODEL = "model = nn.Linear(2, 2)\nfast = mx.compile(model)"
CHUNKS = (
    STEP,
    CALL,
    STATE,
    "g(mx.ones(2))",
    "for k in range(4):\n    mx.compile(lambda a, k: a * k)(mx.ones(2), k)",
    MODEL,
    "fast(mx.ones((1, 2)))",
    "s = '''\n# caf\xe9 \U0001f600\n'''",
    "",
    "# nothing",
    "v = 1  # mxlint: ignore[MX203]",
)
ASIDES = (("markdown", "print("), ("raw", "x"), ("code", "%%bash\nprint"))


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([*CHUNKS, *ASIDES]), max_size=8), st.permutations([STEP, STATE, MODEL]))
def test_findings_are_those_of_the_program_of_the_cells(parts: list[Any], first: list[str]) -> None:
    cells = [IMPORTS, *first, *parts]
    where: list[tuple[int, int]] = []
    program = ""
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, str):
            where += [(number, row) for row in range(1, cell.count("\n") + 2)]
            program += cell + "\n"
    found = [(finding.code, finding.span.start) for finding in checked(program, "a.py").findings]
    expected = [(code, *where[start.row - 1], start.column) for code, start in found]
    assert places(checked(notebook(*cells))) == expected


def _spelled(text: str, data: st.DataObject) -> str:
    """A string of JSON, some of its characters as escapes."""
    made = []
    for character in text:
        if character not in "#mxlint: ignore[MX203]" and data.draw(st.booleans()):
            units = character.encode("utf-16-be", "surrogatepass")
            made += ["\\u" + units[at : at + 2].hex() for at in range(0, len(units), 2)]
        else:
            made.append(json.dumps(character, ensure_ascii=False)[1:-1])
    return f'"{"".join(made)}"'


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\\\x00\x0c"), max_size=6)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_fixing_changes_rows_of_code_only(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever the JSON looks like, it is the same to the byte but for what the fix takes away."""
    newline = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    blank = data.draw(st.sampled_from(["", " ", "\n  ", "\r\n\t"]))
    parts, after = [], []
    for _ in range(data.draw(st.integers(1, 4))):
        rows = [f"# {data.draw(TEXT)}{newline}" for _ in range(data.draw(st.integers(0, 2)))]
        fixed = data.draw(st.booleans())
        rows += ["v = 1  # mxlint: ignore[MX203]" + data.draw(st.sampled_from(["", newline]))] if fixed else []
        spelled = [_spelled(row, data) if not row.startswith("v") else json.dumps(row) for row in rows]
        whole = data.draw(st.booleans())
        source = f'"{"".join(row[1:-1] for row in spelled)}"' if whole else f"[{blank}{f',{blank}'.join(spelled)}{blank}]"
        start, end = f'{{{blank}"outputs": [1.10, 1e5, {{"source": "v"}}], "source":{blank}', f',{blank}"cell_type": "code"}}'
        parts.append(start + source + end)
        after.append(parts[-1].replace("  # mxlint: ignore[MX203]", ""))
    head, tail = (
        f'{{"metadata": {{"z": 1, "a": 2}},{blank}"cells": [',
        f']{blank},"nbformat": 4}}' + data.draw(st.sampled_from(["", "\n", "\n\n"])),
    )
    file = tmp_path_factory.mktemp("fixed") / "a.ipynb"
    file.write_text(head + ",".join(parts) + tail, encoding="utf-8", newline="")
    from click.testing import CliRunner

    from mxlint.cli import main

    answer = CliRunner().invoke(main, ["check", "--isolated", "--fix", str(file)])
    assert answer.exit_code == 0, answer.output
    assert file.read_bytes().decode() == head + ",".join(after) + tail


def test_a_row_that_is_deleted(run: Run, tmp_path: Path) -> None:
    """A list with a string less, the last one without a newline as before, an empty cell where nothing is left."""
    file = tmp_path / "a.ipynb"
    comment = "# mxlint: ignore[MX101]"
    file.write_text(notebook(f"{comment}\nx = 1", f"x = 1\n{comment}", comment, f"a = 1\n{comment}\nb = 2\n"), encoding="utf-8")
    assert run("check", "--isolated", "--fix", "a.ipynb").code == 0
    assert file.read_text(encoding="utf-8") == notebook("x = 1", "x = 1", "", "a = 1\nb = 2\n")


def test_a_row_that_is_added(run: Run, tmp_path: Path) -> None:
    """Rows that a fix adds are strings of their own, as Jupyter would write them."""
    file = tmp_path / "a.ipynb"
    loop = "for k in range(3):\n    f = mx.compile(lambda x: x + 1)\n    f(mx.ones(2))"
    file.write_text(notebook(IMPORTS, loop), encoding="utf-8")
    before = json.loads(file.read_text(encoding="utf-8"))
    run("check", "--isolated", "--fix", "--unsafe-fixes", "a.ipynb")
    text = file.read_text(encoding="utf-8")
    after = json.loads(text)
    assert text == json.dumps(after, indent=1, ensure_ascii=False) + "\n"
    assert after["cells"][1]["source"] != before["cells"][1]["source"]
    assert all(line.count("\n") <= 1 for line in after["cells"][1]["source"])
    assert run("check", "--isolated", "a.ipynb").code == 0


def test_a_row_that_is_added_at_the_end_of_a_cell(run: Run, tmp_path: Path) -> None:
    """It belongs to the cell of the row before, not to the next one."""
    file = tmp_path / "a.ipynb"
    file.write_text(
        notebook(IMPORTS, "@mx.compile\ndef f(x):\n    print(x)\n    return x + 1\nf(mx.ones(2))", "%%bash\nls", "y = 1"), encoding="utf-8"
    )
    assert run("check", "--isolated", "--fix", "--unsafe-fixes", "a.ipynb").code == 0
    after = ["".join(cell["source"]) for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]]
    assert after[1:] == ["@mx.compile\ndef f(x):\n    return x + 1, x\n_, x = f(mx.ones(2))\nprint(x)", "%%bash\nls", "y = 1"]


def test_diff_is_of_the_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(EXAMPLE, encoding="utf-8")
    done = run("check", "--isolated", "--diff", "a.ipynb")
    assert '-    "x = 1  # mxlint: ignore[MX101]\\n",\n+    "x = 1\\n",\n' in done.out
    assert (tmp_path / "a.ipynb").read_text(encoding="utf-8") == EXAMPLE


def test_a_fix_in_several_cells_is_made_in_all(run: Run, tmp_path: Path) -> None:
    """What is printed is returned, and printed where the function is called: two cells, one fix."""
    file = tmp_path / "a.ipynb"
    step = "@mx.compile\ndef step(x):\n    print(x)\n    return model(x)"
    file.write_text(notebook("import mlx.core as mx\nmodel = mx.exp", step, ("raw", "-"), "y = step(mx.ones(2))"), encoding="utf-8")
    run("check", "--isolated", "--fix", "--unsafe-fixes", "a.ipynb")
    texts = ["".join(cell["source"]) for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]]
    assert "print" not in texts[1] and texts[3].endswith("print(x)")


@pytest.mark.parametrize(
    "start, end, content, why",
    [
        ((2, 1), (3, 6), "", "does not lie in one"),
        ((3, 6), (4, 1), "", "run into the next"),
        ((4, 1), (4, 3), "x", "only IPython"),
        ((2, 1), (2, 1), "%%bash\n", "another way"),
        ((2, 1), (2, 2), "if", "another way"),
    ],
)
def test_edits_that_are_not_made(start: tuple[int, int], end: tuple[int, int], content: str, why: str) -> None:
    """Places are those of the program."""
    source = read_document(notebook("a = 1", "b = 2", "!ls\nc = 3").encode(), "notebook", "a.ipynb", None)
    assert source.text.split("\n") == [" ", "a = 1", "b = 2", "0  ", "c = 3", ""]
    assert source.layout is not None
    first, last = (source.offset_of(Position(*place)) for place in (start, end))
    with pytest.raises(DocumentError, match=why):
        rewritten_document(source, source.layout, [(first, last, content)])


def test_a_fix_does_not_meet_a_magic(run: Run, tmp_path: Path) -> None:
    """The call is in a row that begins with %time: that row would have to be written anew."""
    file = tmp_path / "a.ipynb"
    file.write_text(notebook(IMPORTS, STEP, "%time y = step(mx.ones(2))"), encoding="utf-8")
    run("check", "--isolated", "--fix", "--unsafe-fixes", "a.ipynb")
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    assert "".join(cells[2]["source"]).startswith("%time y = step(mx.ones(2))")


def test_texts_are_read_where_they_stand() -> None:
    """A key that stands twice, strings that look like structure, a text in one string."""
    text = (
        '\ufeff{"cells": [{"cell_type": "markdown", "source": "\\"cells\\": ["}, {"source": "old", "cell_type": "code", '
        '"metadata": {"source": ["no"]}, "source": "a = 1\\nb = \\u00e9\\ud83d\\ude00"}], "nbformat": 4}'
    )
    (cell,) = read(text.encode()).cells
    assert (cell.number, cell.text, cell.listed) == (2, "a = 1\nb = \xe9\U0001f600", False)
    assert read(text.encode()).with_texts({2: "a = 2\nb = \xe9\U0001f600"}) == text.replace("a = 1", "a = 2")
    assert document("x")["cells"][0]["source"] == ["x"]
