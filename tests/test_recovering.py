"""What ends a module: an exception that its program surely raises does, one that only the analysis may raise does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from mxlint.analysis import analyze
from mxlint.domain.members import Unknown
from mxlint.interpreter.entry import interpret
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source

CERTAIN = (
    "raise ValueError(1)", "raise KeyError", "assert False", "assert not 1, 'text'", "sys.exit()", "sys.exit(3)", "raise SystemExit(2)", "undefined_name",
    "value = undefined_name + 1", "def f():\n    raise OSError\nf()", "def g():\n    sys.exit(1)\ng()", "def h():\n    return undefined\nh()", "def k():\n    print(late)\n    late = 1\nk()",
    "import raising", "from raising import value", "class C:\n    raise TypeError", "if True:\n    raise ValueError", "for n in (1, 2):\n    assert n < 2", "try:\n    raise KeyError\nexcept ValueError:\n    pass",
    "try:\n    raise KeyError\nexcept KeyError:\n    raise", "with open(__file__):\n    raise RuntimeError", "exit(1)",
)  # fmt: skip
"""Statements that end a module."""
HANDLED = (
    "try:\n    raise KeyError\nexcept KeyError:\n    pass", "import contextlib\nwith contextlib.suppress(OSError):\n    raise OSError", "def f():\n    raise OSError", "x = 1 + 1",
    "try:\n    import raising\nexcept ValueError:\n    pass", "try:\n    sys.exit()\nexcept SystemExit:\n    pass", "try:\n    undefined\nexcept NameError:\n    pass", "for n in ():\n    assert n",
    "try:\n    {}['a']\nexcept KeyError:\n    pass", "def g(x=None):\n    return x.y",
)  # fmt: skip
"""Statements that do not."""
DOUBTFUL = (
    "value = {}['a']", "value = [][0]", "value = object().missing", "value = None + 1", "value = int('x')", "value = (lambda a: a)()", "from helper import missing as value", "first, value = 1, 2, 3",
    "value = next(iter(()))", "class value(missing_base := {}['b']):\n    pass", "def f():\n    return [][1]\nvalue = f()",
    "if __name__ == '__main__':\n    value = {}['a']",
)  # fmt: skip
"""Statements that Python does not get past either, but which only what the analysis knows of an operation says so of: there it may be wrong."""


def marks(text: str, folder: Path) -> tuple[str, ...]:
    """The names `mark…` that are bound at the end of the analysis."""
    (folder / "main.py").write_text(text, encoding="utf-8")
    (folder / "raising.py").write_text("value = 1\nraise ValueError\n", encoding="utf-8")
    (folder / "helper.py").write_text("there = 1\n", encoding="utf-8")
    source = read_source(folder / "main.py", "main.py")
    i = interpret(source, Project())
    return tuple(name for name in i.heap.fields(i.modules["main.py"]) if isinstance(name, str) and name.startswith("mark"))


@pytest.mark.parametrize("seed", range(12))
def test_what_python_surely_raises_ends_the_module_there(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    parts = [*random.sample(HANDLED, 4), random.choice(CERTAIN), random.choice(HANDLED)]
    text = "import sys\n" + "".join(f"{part}\nmark{number} = 1\n" for number, part in enumerate(parts))
    told = "import atexit\natexit.register(lambda: print(*[name for name in globals() if name.startswith('mark')]))\n"
    found = marks(text, tmp_path)
    (tmp_path / "main.py").write_text(told + text, encoding="utf-8")
    run = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found == tuple(run.stdout.split()), text


@pytest.mark.parametrize("statement", CERTAIN)
def test_nothing_is_run_behind_it(tmp_path: Path, statement: str) -> None:
    assert marks(f"import sys\nmark0 = 1\n{statement}\nmark1 = 1\n", tmp_path) == ("mark0",)


@pytest.mark.parametrize("statement", DOUBTFUL)
def test_what_only_the_analysis_raises_is_listed_and_the_module_goes_on(
    tmp_path: Path, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"import mlx.core as mx\n{statement}\nmark1 = 1\n@mx.compile\ndef step(x):\n    print(x)\n    return x\nstep(mx.ones(2))\n"
    assert marks(f"{statement}\nmark1 = 1\n", tmp_path) == ("mark1",)
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table())
    assert [finding.code for finding in found.findings] == ["MX101"]
    assert any("as far as is known here" in reason for _, reason in found.imprecise)
    assert [site.followed for site in found.sites] == ["partial"]


BODIES = {
    "y = x.flavour": "partial",
    "y = {}['scale'] * x": "partial",
    "y = x.flavour if x.ndim > 2 else x": "full",
    "raise ValueError('no')": "full",
    "assert x.ndim > 2": "full",
    "try:\n        y = x.flavour\n    except AttributeError:\n        y = x": "full",
}
"""What a compiled function does, and how far it is followed."""


@pytest.mark.parametrize("body", BODIES)
def test_a_trace_that_ends_so_is_not_followed_in_full(tmp_path: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"import mlx.core as mx\n@mx.compile\ndef step(x):\n    {body}\n    return x\ndef run():\n    return step(mx.ones(2))\n"
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table())
    assert [site.followed for site in found.sites] == [BODIES[body]]
    assert any("as far as is known here" in reason for _, reason in found.imprecise) is (BODIES[body] == "partial")


@pytest.mark.parametrize("statement", HANDLED)
def test_what_is_handled_is_not_listed(tmp_path: Path, statement: str) -> None:
    text = f"import sys\n{statement}\nmark1 = 1\n"
    assert marks(text, tmp_path) == ("mark1",)
    found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table())
    assert not any("as far as is known here" in reason for _, reason in found.imprecise)


def test_what_the_statement_would_have_bound_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "class Config:\n    scale = 1.0\nConfig.scale = {}['scale']\nvalue = Config.scale\n"
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    i = interpret(read_source(tmp_path / "main.py", "main.py"), Project())
    assert isinstance(i.heap.get(i.modules["main.py"], "value"), Unknown)
