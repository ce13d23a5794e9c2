"""Where a fix puts `from functools import partial`: where isort does, with ruff as the judge."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mxlint.fixes.edits import apply
from mxlint.fixes.importing import imported
from mxlint.fixes.syntax import Syntax
from mxlint.source import Source

HEADS = {
    "nothing else": "import mlx.core as mx\n",
    "the standard library": "import math\n\nimport mlx.core as mx\n",
    "the future": "from __future__ import annotations\n\nimport mlx.core as mx\n",
    "the future alone": "from __future__ import annotations\n",
    "in between": "from __future__ import annotations\n\nimport os\nfrom typing import Any\n\nimport mlx.core as mx\n",
    "before another name": "from functools import lru_cache\n\nimport mlx.core as mx\n",
    "after another name": "from functools import reduce, wraps\n\nimport mlx.core as mx\n",
    "a line each, first": "from functools import (\n    reduce,  # red\n    wraps,\n)\n\nimport mlx.core as mx\n",
    "a line each, last": "from functools import (\n    cache,\n    lru_cache,\n)\nfrom math import pi\n\nimport mlx.core as mx\n",
    "another name for a name": "from functools import lru_cache as cached\nfrom math import pi\n\nimport mlx.core as mx\n",
    "a text and more sections": '"""Not partial."""\n\nimport math\nimport os\n\nimport mlx.core as mx\n\nfrom .a import b\n',
    "comments": "# partial\n\n# the arrays\nimport mlx.core as mx  # core\nfrom numpy import pi\n",
    "a comment in between": "from collections.abc import Iterator  # it\nfrom pathlib import Path\n\nimport mlx.core as mx\n",
    "relative": "import mlx.core as mx\n\nfrom .x import y\n",
}


def is_sorted(text: str) -> bool:
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "I", "--stdin-filename", "a.py", "-"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_import_stands_where_isort_puts_it(head: str, newline: str) -> None:
    text = f"{head}\n\ndef f():\n    return 1\n".replace("\n", newline)
    assert is_sorted(text)
    found = imported(Syntax(Source(None, "a.py", text.encode(), text)), "functools", "partial", len(text.splitlines()) + 1)
    assert found is not None
    name, edit = found
    assert (name, edit is not None) == ("partial", True)
    assert edit is not None
    made = apply(text, [edit])
    assert is_sorted(made)
    old, new = text.splitlines(keepends=True), made.splitlines(keepends=True)
    assert len([line for line in old if line not in new]) <= 1
    assert newline == "\n" or "\n" not in made.replace("\r\n", "")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from functools import partial\n", "partial"),
        ("from functools import partial as bind\n", "bind"),
        ("import functools\n", "functools.partial"),
        ("import functools as ft\n", "ft.partial"),
    ],
)
def test_what_is_imported_is_used(text: str, name: str) -> None:
    assert imported(Syntax(Source(None, "a.py", text.encode(), text)), "functools", "partial", len(text.splitlines()) + 1) == (name, None)


@pytest.mark.parametrize(
    "text", ["import math\npartial = 1\n", "import math; import os\n", "x = 1\n", "def f(partial):\n    import math\n"]
)
def test_no_room_for_an_import(text: str) -> None:
    assert imported(Syntax(Source(None, "a.py", text.encode(), text)), "functools", "partial", len(text.splitlines()) + 1) is None


@pytest.mark.parametrize(
    ("below", "name"),
    [("from functools import partial\n", None), ("import functools as partial\n", None), ("import functools\n", "partial")],
)
def test_an_import_further_down_comes_too_late(below: str, name: str | None) -> None:
    text = f"import mlx.core as mx\n\n\n@mx.compile\ndef f(x):\n    return x\n\n\n{below}"
    found = imported(Syntax(Source(None, "a.py", text.encode(), text)), "functools", "partial", 4)
    assert (found and found[0]) == name
    assert found is None or found[1] is not None and found[1].span.start.row == 1
