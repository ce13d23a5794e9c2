"""The gate keeps out what cannot matter, and nothing that does."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from edits import DEAR

from mxlint.engine import check
from mxlint.gate import _Module, admitted, exports, last_names, may_compile
from mxlint.imports import ImportGraph, imports
from mxlint.result import Result

FIXTURES = Path(__file__).parent / "fixtures"


def write(root: Path, files: dict[str, str]) -> dict[str, bytes]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return {str(root / name): text.encode() for name, text in files.items()}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"import mlx.core as mx\nf = mx.compile(g)\n", True),
        (b"from mlx.core import compile as c\n", True),
        (b"import os\nos.environ['MLX_DISABLE_COMPILE'] = '1'\n", True),
        (b"from common import mx\nmx.disable_compile()\n", True),
        (b"import mlx, re\nre.compile('x')\ncore.compile(f)\n", True),
        (b"import mlx.core as mx\n", False),
        (b"import re\nre.compile('x')\n", False),
        (b"import mlx, re\nx = re.compile('x')\n(re.compile('y'))\n", False),
        (b"re.compile('mlx')", False),
        (b"import mlx  # to compile\n    # mx.compile(f)\n", False),
        (b"import mlx\nf('#'); g = mx.compile(f)\n", True),
        (b'import mlx\nx = """\n# """; g = mx.compile(f)\n', True),
        (b"import mlx  # mine\rg = mx.compile(f)\r", True),
        (b"import mlx\ng = mx.compile(f)  # fast\n", True),
        (b"", False),
    ],
)
def test_first_round(data: bytes, expected: bool) -> None:
    assert may_compile(data) is expected


def test_wrappers_are_known_by_their_last_name() -> None:
    wrappers = last_names(["pkg.tools.jitted", "fast"])
    assert may_compile(b"@tools.jitted\n", wrappers)
    assert may_compile(b"fast(f)", wrappers)
    assert not may_compile(b"import pkg\n", wrappers)


EXPORTS = """\
import mlx.core as mx
from mlx.core import compile as jit, array
from lib import fed, unrelated as other
import re
PATTERN = re.compile('x')
@mx.compile
def decorated(x): return x
@partial(
    mx.compile,
    inputs=state,
)
def configured(x):
    return x
assigned = partial(
    mx.compile, inputs=state)(f)
first, (second, *third) = mx.compile(f), (g, h)
one = two = mx.compile(f)
typed: Callable[..., int] = mx.compile(f)
if fast:
    chosen = mx.compile(f)
else:
    async def chosen_too(): mx.compile(f)
class Model:
    def __init__(self): self.step = mx.compile(f)
def factory():
    return jit(f)
def factory_of_factories():
    return (factory())
def user(): factory(); decorated(1)
class User:
    def call(self): return decorated(1)
def setter():
    global made
    made = mx.compile(f)
alias = jit
@jit
def by_alias(x): return x
result = fed
@fed
def by_fed(x): return x
plain = 1
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_exports(newline: str) -> None:
    found = {name.decode() for name in exports(("\ufeff" + EXPORTS.replace("\n", newline)).encode(), {b"fed"})}
    assert found >= {
        "jit",
        "decorated",
        "configured",
        "assigned",
        "first",
        "second",
        "third",
        "one",
        "two",
        "typed",
        "chosen",
        "chosen_too",
    }
    assert found >= {"Model", "factory", "factory_of_factories", "setter", "made", "alias", "by_alias", "fed", "result", "by_fed"}
    assert not found & {"user", "User", "plain", "PATTERN", "array", "other", "state", "inputs", "mx", "f"}


def test_star_imports_hand_on_everything() -> None:
    assert exports(b"from .jit import *\n", {b"step"}) == {b"step"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a.b as c, d\n", [(0, "a.b", None, b"c"), (0, "d", None, b"d")]),
        ("import a.b\n", [(0, "a.b", None, b"a.b")]),
        ("from a.b import c as d, e\n", [(0, "a.b", b"c", b"d"), (0, "a.b", b"e", b"e")]),
        ("from . import c\n", [(1, "", b"c", b"c")]),
        ("from ..a import (\n    c,\n    d as e,\n)\n", [(2, "a", b"c", b"c"), (2, "a", b"d", b"e")]),
        ("from a import b, \\\n    c\n", [(0, "a", b"b", b"b"), (0, "a", b"c", b"c")]),
        ("if x: import a; from b import *\n", [(0, "a", None, b"a"), (0, "b", b"*", b"*")]),
        ("def f():\n\timport a\n", [(0, "a", None, b"a")]),
        ("important = 1  # no import of a here\n", []),
    ],
)
def test_imports(text: str, expected: list[tuple[int, str, bytes | None, bytes]]) -> None:
    assert list(imports(text.encode())) == expected


def test_import_graph_resolves_as_python_does(tmp_path: Path) -> None:
    files = write(
        tmp_path,
        {
            "pyproject.toml": "",
            "src/pkg/__init__.py": "from .a import x",
            "src/pkg/a.py": "",
            "src/pkg/sub/b.py": "from ..a import x\nfrom ... import nothing",
            "tests/t.py": "import pkg.sub.b, numpy\nimport helper",
            "tests/helper.py": "",
        },
    )
    test = str(tmp_path / "tests/t.py")
    graph = ImportGraph({test: files[test]})
    assert {Path(path).relative_to(tmp_path).as_posix() for path in graph.outside} == {
        "src/pkg/sub/b.py",
        "tests/helper.py",
        "src/pkg/a.py",
    }
    assert graph.importers[str(tmp_path / "src/pkg/a.py")] == {str(tmp_path / "src/pkg/sub/b.py")}


PROJECT = {
    "pkg/__init__.py": "from .jit import step\n",
    "pkg/jit.py": "import mlx.core as mx\n@mx.compile\ndef step(x): return x\ndef plain(x): return x\n",
    "pkg/sub/deep.py": "from .. import step\nstep(1)\n",
    "by_module.py": "import pkg.jit as j\nj.step(1)\n",
    "by_package.py": "from pkg import step as s\ns(1)\n",
    "again.py": "from by_package import s\ns(2)\n",
    "plain.py": "from pkg.jit import plain\nplain(1)\n",
    "unrelated.py": "step = 1\n",
    "common.py": "import mlx.core as mx\n",
    "common_user.py": "from common import mx\nf = mx.compile(g)\n",
    "other_user.py": "from common import mx\nimport re\nre.compile('x')\n",
}


def test_second_round(tmp_path: Path) -> None:
    files = write(tmp_path, PROJECT)
    names = {Path(path).relative_to(tmp_path).as_posix() for path in admitted(files)}
    assert names == {"pkg/__init__.py", "pkg/jit.py", "pkg/sub/deep.py", "by_module.py", "by_package.py", "again.py", "common_user.py"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("by_module.py", True),
        ("again.py", True),
        ("pkg/sub/deep.py", True),
        ("common_user.py", True),
        ("plain.py", False),
        ("unrelated.py", False),
    ],
)
def test_a_file_alone_is_judged_as_among_the_others(tmp_path: Path, name: str, expected: bool) -> None:
    path = str(tmp_path / name)
    files = write(tmp_path, PROJECT)
    assert (path in admitted({path: files[path]}, {path})) is expected


def summary(result: Result) -> list[tuple[str, str, object]]:
    return [(finding.code, finding.message, finding.span) for finding in result.findings]


@pytest.mark.slow
@pytest.mark.parametrize("fixture", ["demo", "project"])
def test_gate_on_and_off_find_the_same(fixture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / fixture
    shutil.copytree(FIXTURES / fixture, folder, ignore=shutil.ignore_patterns(*DEAR))
    monkeypatch.chdir(folder)
    on, off = check(["."], fixes=False), check(["."], gate=False, fixes=False)
    assert summary(on) == summary(off)
    assert summary(on)
    assert on.parsed <= off.parsed
    for file in sorted(folder.rglob("*.py"))[::2]:
        alone = [str(file.relative_to(folder))]
        assert summary(check(alone, fixes=False)) == summary(check(alone, gate=False, fixes=False))


def test_gate_on_and_off_find_the_same_over_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path,
        {
            "jit.py": "import mlx.core as mx\nfrom functools import partial\n\nfast = partial(mx.compile)\n\n\n"
            "@mx.compile\ndef step(x):\n    return x * 2\n",
            "wrapped.py": "from jit import fast\n\n\n@fast\ndef f(x):\n    print(x)\n    return x\n",
            "passes.py": "import numpy as np\nfrom jit import step\n\nstep(np.zeros(3))\n",
            "quiet.py": "print(1)  # mxlint: ignore[MX101]\n",
            "nothing.py": "print(1)\n",
        },
    )
    on, off = check(["."], fixes=False), check(["."], gate=False, fixes=False)
    assert summary(on) == summary(off)
    assert {(finding.span.filename, finding.code) for finding in on.findings} >= {("wrapped.py", "MX101"), ("quiet.py", "MX001")}
    assert (on.parsed, off.parsed) == (4, 5)


def imported_by(code: str, folder: Path) -> set[str]:
    """The modules that a program leaves behind."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_nothing_heavy_is_imported_when_no_file_needs_it(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "import re\nre.compile('x')\nprint(1)  # noqa\n"})
    run = "from mxlint.cli import main\ntry: main(['check', {!r}, '--quiet'])\nexcept SystemExit: pass"
    heavy = {
        "libcst",
        "mxlint.analysis",
        "mxlint.facts.events",
        "mxlint.rules.rule",
        "mxlint.models.mlx.table",
        "json",
        "packaging",
        "unicodedata",
        "mxlint.globs",
        "mxlint.report.text",
        "logging",
    }
    assert not imported_by(run.format("a.py"), tmp_path) & heavy
    write(tmp_path, {"b.py": "import mlx.core as mx\nf = mx.compile(g)\n"})
    found = imported_by(run.format("b.py"), tmp_path)
    assert "mxlint.analysis" in found and "libcst" not in found


TARGETS = ("lib.K", "lib.kernels.K", "lib.TABLE['k']", "self.k", "k", "box[0]", "self.box['lib'].k")
BEFORE = ("", "    ", "x: int = 3; ", "if k: ", "for n in range(3): ", "def put(k: int = 3): ", "with open(k, mode='r') as file: ")
SETTING = (
    "{} = 3",
    "k = {} = 3",
    "self.k = {} = 3",
    "{}, self.k = 1, 2",
    "self.k, {} = 1, 2",
    "({}, k) = 1, 2",
    "[k, {}] = 1, 2",
    "*{}, k = 1, 2",
    "{} += 1",
)


@pytest.mark.parametrize("before", BEFORE)
def test_a_target_is_found_whatever_else_its_statement_sets(before: str) -> None:
    statements = [before + form.format(target) for form, target in product(SETTING, TARGETS)]
    missed = [text for text in statements if _sets(text, "lib") and not changes(f"import lib\n{text}\n")]
    assert missed == []


def _sets(text: str, name: str) -> bool:
    """Whether Python sets an attribute or item of what a name stands for."""
    try:
        tree = ast.parse(text.strip())
    except SyntaxError:  # the form has no such target
        return False
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store)]
    return any(_root(node) == name for node in found)


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize(
    "text",
    [
        "f(lib.K, b=3)", "f(key=lib.K)", "k: lib.Kind = 3", "def f(a=lib.K, b=3): pass", "def f(a: lib.Kind = 3): pass", "lib.K == 3", "k = lib.K <= 3",
        "k = lib.K, b == 3", "box[lib.K] = 3", "k = {lib.K: 3}", "@lib.f(a=3)", "k = f(\n    a, lib.K, b=3\n)", "k = (lib.A, lib.B) if n >= 3 else 4",
    ],
)  # fmt: skip
def test_what_only_mentions_what_is_imported_sets_nothing(text: str) -> None:
    assert not changes(f"import lib\n{text}\n")


def changes(text: str) -> bool:
    return _Module(text.encode()).changes_imported


INDIRECT = {
    "lib/__init__.py": "from .model import Model\nfrom . import tools\n",
    "lib/kernels.py": "import mlx.core as mx\n\n@mx.compile\ndef scale(x, k):\n    return x * k + 1\n",
    "lib/model.py": "from .kernels import scale\n\n\nclass Model:\n    def __init__(self):\n        self.k = 0\n\n    def step(self, x):\n"
    "        self.k += 1\n        return scale(x, self.k)\n",
    "lib/tools.py": "from .kernels import scale\n\n\ndef apply(x, k):\n    y = scale(x, k)\n    return y\n\n\ndef other(x):\n    return x\n",
}
CALLS = "for n in range(9):\n    x = {}\n"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("from lib import Model\nm = Model()\nx = 1\n" + CALLS.format("m.step(x)"), True),
        ("import lib\nm = lib.Model()\nx = 1\n" + CALLS.format("m.step(x)"), True),
        ("import lib.tools as t\nx = 1\n" + CALLS.format("t.apply(x, n)"), True),
        ("import lib\nx = 1\n" + CALLS.format("lib.tools.apply(x, n)"), True),
        ("from lib import tools\n\n\ndef main():\n    tools.apply(1, 2)\n\n\nif __name__ == '__main__':\n    main()\n", True),
        ("from lib import tools\n\n\ndef main():\n    tools.apply(1, 2)\n", False),  # nobody calls it
        (
            "import lib\nfrom lib import tools\n\n\ndef put(k):\n    lib.kernels.K = k\n\n\ndef run(x):\n    return tools.apply(x, 2)\n",
            True,
        ),
        ("from lib import tools\n\n\ndef put(k):\n    from lib import kernels\n    kernels.TABLE['k'] += k\n\n\nrun = tools.apply\n", True),
        ("from lib import tools\n\n\ndef put(box, k):\n    box.k = k\n\n\ndef run(x):\n    return tools.apply(x, 2)\n", False),
        ("import lib\nfrom lib import tools\n\n\ndef run(x: lib.Kind = None):\n    return tools.apply(x, 2)\n", False),
        ("import lib\nfrom lib import tools\n\n\ndef put(k): lib.K = k\n\n\ndef run(x):\n    return tools.apply(x, 2)\n", True),
        (
            "import lib\nfrom lib import tools\n\n\ndef put(box, k):\n    box.k = lib.K = k\n\n\ndef run(x):\n    return tools.apply(x, 2)\n",
            True,
        ),
        ("import lib\nfrom lib import tools\n\n\ndef put(k):\n    lib.kernels.K = k\n\n\ndef run(x):\n    return tools.other(x)\n", False),
        ("from lib import tools\nx = 1\n" + CALLS.format("tools.other(x)"), False),
        ("import numpy as np\nfrom lib import Model\nx = 1\n" + CALLS.format("np.apply(x)"), False),
        ('from lib import Model\nHELP = """\nModel().step(x)\n"""\nprint(HELP)\n', False),
    ],
)
def test_programs_that_come_to_something_compiled(program: str, expected: bool, tmp_path: Path) -> None:
    files = write(tmp_path, {**INDIRECT, "main.py": program})
    found = {Path(path).relative_to(tmp_path).as_posix() for path in admitted(files)}
    assert found >= {"lib/kernels.py", "lib/model.py", "lib/tools.py"}
    assert ("main.py" in found) is expected


def test_modules_that_import_each_other_come_to_an_end(tmp_path: Path) -> None:
    files = write(
        tmp_path,
        {
            "pkg/__init__.py": "from . import a, b\n",
            "pkg/a.py": "import pkg\nfrom . import b\nimport mlx.core as mx\n\nf = mx.compile(pkg.b.g)\n",
            "pkg/b.py": "import pkg\nfrom . import a\n\n\ndef g(x):\n    return pkg.a.f(x)\n",
        },
    )
    assert len(admitted(files)) >= 2
