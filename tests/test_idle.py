"""Files that come to nothing compiled are not run, and only those."""

from __future__ import annotations

from pathlib import Path

import pytest
from writing import write

from mxlint.analysis import analyze
from mxlint.interpreter import entry
from mxlint.interpreter.imports.idle import is_idle
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source
from mxlint.syntax.index import TRACERS

OWN = "def compile(text):\n    return text.split()\n"
"""A module of the program that has a function of the same name."""
WITH_MLX = "import mlx.core as mx\n"
IDLE = {
    "its own function": {"main.py": f"{WITH_MLX}from own import compile\ncompile('a')\n", "own.py": OWN},
    "a function of its own module": {"main.py": f"{WITH_MLX}import own\nown.compile('a')\n", "own.py": OWN},
    "a relative import": {"p/__init__.py": "", "p/main.py": f"{WITH_MLX}from . import own\nown.compile('a')\n", "p/own.py": OWN},
    "a method": {"main.py": f"{WITH_MLX}class Model:\n    def compile(self): ...\n\nmodel = Model()\nmodel.compile()\nModel().compile()\n"},
    "a pattern": {"main.py": f"{WITH_MLX}import re\nre.compile('a')\n"},
    "a library out of sight": {"main.py": f"{WITH_MLX}import torch\ntorch.compile(print)\n"},
    "imports in a circle": {"main.py": "import other\n", "other.py": f"{WITH_MLX}import main\nre = 1\n"},
    "a file that is no Python": {"main.py": "import other\n", "other.py": f"{WITH_MLX}mx.compile(\n"},
}
BUSY = {
    "a site": {"main.py": f"{WITH_MLX}mx.compile(print)\n"},
    "a site elsewhere": {"main.py": "from other import step\n", "other.py": f"{WITH_MLX}step = mx.compile(abs)\n"},
    "a site two files away": {"main.py": "import a\n", "a.py": "def f():\n    import b\n", "b.py": f"{WITH_MLX}mx.compile(abs)\n"},
    "a site in a package around": {"main.py": "import p.q\n", "p/__init__.py": f"{WITH_MLX}mx.compile(abs)\n", "p/q.py": ""},
    "a name that another file gives": {"main.py": "from common import mx\nmx.compile(print)\n", "common.py": WITH_MLX},
    "another name for that": {"main.py": "from common import mx as m\nm.compile(print)\n", "common.py": WITH_MLX},
    "an attribute of a module": {"main.py": "import common\ncommon.mx.compile(print)\n", "common.py": WITH_MLX},
    "the function of another file": {
        "main.py": "from common import fast\nfast(print)\n",
        "common.py": "from mlx.core import compile as fast\n",
    },
    "all of a module": {"main.py": "from mlx.core import *\ncompile(print)\n"},
    "a module that is handed on": {"main.py": f"{WITH_MLX}def f(xp):\n    xp.compile(print)\n\nf(mx)\n"},
    "a module that is kept": {"main.py": "import common\nlib = common.mx\nlib.compile(print)\n", "common.py": WITH_MLX},
    "a module that is asked for by name": {
        "main.py": "import common\nlib = getattr(common, 'mx')\nlib.compile(print)\n",
        "common.py": WITH_MLX,
    },
    "a module below a package": {"main.py": "import mlx.core\nlib = mlx.core\nlib.compile(print)\n"},
    "a name in a text": {"main.py": f"{WITH_MLX}getattr(mx, 'compile')(print)\n"},
    "any name": {"main.py": f"{WITH_MLX}for name in dir(mx):\n    getattr(mx, name)\n"},
    "a module in a text": {"main.py": "import sys, mlx.core\nsys.modules['mlx.core'].compile(print)\n"},
    "an import by name": {"main.py": f"{WITH_MLX}import importlib\nimportlib.import_module(name)\n"},
    "all of a package": {
        "main.py": f"{WITH_MLX}from p import *\n",
        "p/__init__.py": "__all__ = ['q']\n",
        "p/q.py": f"{WITH_MLX}mx.compile(abs)\n",
    },
    "a switch": {"main.py": f"{WITH_MLX}mx.disable_compile()\n"},
    "a setting": {"main.py": "import os\nos.environ['MLX_DISABLE_COMPILE'] = '1'\n"},
    "an export": {"main.py": f"{WITH_MLX}mx.export_function('f', print, mx.ones(1))\n"},
}


def main_of(root: Path, files: dict[str, str]) -> Path:
    write(root, files)
    return next(root / name for name in files if name.endswith("main.py"))


@pytest.mark.parametrize("name", IDLE)
def test_what_compiles_nothing_is_idle(tmp_path: Path, name: str) -> None:
    source = read_source(main_of(tmp_path, IDLE[name]), "main.py")
    assert is_idle(Project(), source, TRACERS)


@pytest.mark.parametrize("name", BUSY)
def test_what_may_compile_is_not(tmp_path: Path, name: str) -> None:
    source = read_source(main_of(tmp_path, BUSY[name]), "main.py")
    assert not is_idle(Project(), source, TRACERS)


def test_an_idle_file_is_not_run_unless_a_wrapper_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    run = entry.run
    monkeypatch.setattr(entry, "run", lambda i, source: (ran.append(source.name), run(i, source))[1])
    source = read_source(main_of(tmp_path, IDLE["its own function"]), "main.py")
    assert not analyze(source, Project(), load_table()).sites
    assert not ran
    analyze(source, Project(), load_table(), wrappers=("own.compile",))
    analyze(source, Project(), load_table(), everything=True)
    assert ran == ["main.py"] * 2
