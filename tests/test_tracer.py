"""The static tracer by what it does: source in, findings out. What real MLX does with the same source is asked of MLX itself."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from cases import PRELUDE, read_cases
from children import run_in_child
from sampling import is_taken
from writing import write

from mxlint.engine import check
from mxlint.finding import Finding, Position
from mxlint.result import Result
from mxlint.rules.registry import RULES


def findings(files: Mapping[str, str], *, gate: bool = True, advice: bool = False) -> tuple[Finding, ...]:
    """What is found in a project that lies in the working directory, without what is mere advice."""
    write(Path(), files)
    result = check(["."], gate=gate, fixes=False)
    assert result.tracebacks == ()
    assert result.problems == ()
    return tuple(finding for finding in without_fixes(result) if advice or finding.severity != "info")


def without_fixes(result: Result) -> tuple[Finding, ...]:
    """What was found in a run that made no fixes, without what would make them."""
    return tuple(replace(finding, remedy=None) for finding in result.findings)


def places(files: Mapping[str, str], *, advice: bool = False) -> list[tuple[str, int, str]]:
    return [(finding.span.filename, finding.span.start.row, finding.code) for finding in findings(files, advice=advice)]


@pytest.fixture(autouse=True)
def working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


FLOW = read_cases("flow.md", "MX101")
SILENT = read_cases("silent.md")
UNKNOWN = read_cases("unknown.md")


def test_every_rule_of_the_tracer_leaves_something_alone() -> None:
    assert {case.code for case in SILENT.values()} == {code for code in RULES if not code.startswith("MX0")}


def the(found: tuple[Finding, ...]) -> Finding:
    (finding,) = found
    return finding


def chain(finding: Finding) -> list[tuple[str, str, int, int]]:
    """What explains a finding: in words, and where it starts."""
    return [(item.message, item.span.filename, item.span.start.row, item.span.start.column) for item in finding.related]


def test_where_it_was_compiled_and_what_the_array_comes_from() -> None:
    text = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    t = x * 2\n    print(1, t)\n    return t\n\n\nstep(mx.ones((2,)))\n"
    finding = the(findings({"main.py": text}))
    assert (finding.span.start, finding.span.end) == (Position(7, 5), Position(7, 16))
    assert finding.object == "step"
    assert chain(finding) == [
        ("compiled here", "main.py", 4, 2),
        ("the placeholder comes from here: `mx.ones((2,))`", "main.py", 11, 6),
        ("the placeholder comes from here: `x * 2`", "main.py", 6, 9),
    ]


@pytest.mark.parametrize(
    ("body", "call", "message"),
    [
        ("heapq.nlargest(1, [x, -x])", "mx.compile(step)(C)", "heapq.nlargest() needs an array's value: tracing `step` raises ValueError"),
        ("x.sum().item()", "mx.export_function('f', Net().step, C)", ".item() needs an array's value: exporting `Net().step` raises ValueError"),
        ("x.sum().item()", "mx.export_function(*('f', Net(), C))", ".item() needs an array's value: exporting `('f', Net(), C)` raises ValueError"),
    ],
)  # fmt: skip
def test_what_asks_and_what_is_traced_are_named_as_the_program_writes_them(body: str, call: str, message: str) -> None:
    step = f"def step(x):\n    return {body}\n"
    net = "class Net:\n    def step(self, x):\n        return step(x)\n    __call__ = step\n"
    finding = the(findings({"main.py": f"import heapq\n{PRELUDE}{step}{net}{call}\n"}))
    assert finding.message == message


def test_every_call_between_outermost_first() -> None:
    finding = the(
        findings(
            {
                "main.py": "import mlx.core as mx\nfrom helper import outer\n\n\n@mx.compile\ndef step(x):\n    return outer(x)\n",
                "helper.py": "from deep import Box\n\n\ndef outer(t):\n    return Box().inner(\n        t\n    )\n",
                "deep.py": "class Box:\n    def inner(self, t):\n        return t.sum().item()\n",
            }
        )
    )
    assert (finding.code, finding.span.filename, finding.span.start, finding.object) == ("MX103", "deep.py", Position(3, 16), "Box.inner")
    assert chain(finding)[:3] == [
        ("compiled here", "main.py", 5, 2),
        ("called from here", "main.py", 7, 12),
        ("called from here", "helper.py", 5, 12),
    ]
    called = [item.span.end for item in finding.related if item.message == "called from here"]
    assert called == [Position(7, 20), Position(7, 6)]


def test_an_array_that_is_captured_says_so() -> None:
    text = (
        "from functools import partial\nimport mlx.core as mx\n\nstate = [mx.zeros((2,))]\n\n\n"
        "@partial(mx.compile, inputs=state)\ndef step(x):\n    print(state[0])\n    return x + state[0]\n"
    )
    finding = the(findings({"main.py": text}))
    assert (finding.code, finding.span.start.row) == ("MX101", 9)
    assert finding.note.endswith("what inputs= captures stays full of placeholders")
    assert chain(finding) == [("compiled here", "main.py", 7, 2), ("the placeholder comes from here: `state`", "main.py", 7, 29)]


def test_the_array_of_an_expression_over_lines() -> None:
    text = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    t = (\n        f'{1}'\n        f'{x}'\n    )\n    return x\n"
    finding = the(findings({"main.py": text}))
    assert (finding.code, finding.span.start, finding.span.end) == ("MX101", Position(8, 12), Position(8, 13))


def test_one_finding_for_one_place_reached_twice() -> None:
    text = (
        "import mlx.core as mx\n\n\ndef show(t):\n    print(t)\n\n\n"
        "@mx.compile\ndef one(x):\n    show(x)\n    show(x * 2)\n    return x\n\n\n@mx.compile\ndef two(x):\n    show(x)\n    return x\n"
    )
    assert places({"main.py": text}) == [("main.py", 5, "MX101")]


@pytest.mark.parametrize(("test", "columns"), [("x and y", [8, 14]), ("x or y or z", [8, 13, 18]), ("not (x and y)", [13, 19])])
def test_each_operand_of_a_test_is_asked_once(test: str, columns: list[int]) -> None:
    text = f"import mlx.core as mx\n@mx.compile\ndef step(x, y, z):\n    if {test}:\n        x = x * 2\n    return x + y + z\nstep(mx.array(1), mx.array(2), mx.array(3))\n"
    assert [(finding.code, finding.span.start.column) for finding in findings({"main.py": text})] == [
        ("MX104", column) for column in columns
    ]


CLIENT = """import mlx.core as mx


class Sampler:
    def __init__(self, scale):
        self.scale, self.guidance, self.cache, self.count = scale, 1.0, None, 0
        self.step = mx.compile(self._step)

    def _step(self, x):
        return x * {read}

    def set_guidance(self, guidance):
        self.guidance = guidance

    def reset(self, scale):
        self.scale = scale
        self.step = mx.compile(self._step)

    def sample(self, x):
        if self.cache is None:
            self.cache = 2.0
        y = self.step(x)
        {after}
        return y
"""


@pytest.mark.parametrize(
    ("read", "after", "condition"),
    [
        ("self.guidance", "pass", "if `set_guidance` runs after the first call"),
        ("self.count", "self.count += 1", "if `sample` is called again"),
        ("self.cache", "pass", None),  # a test that it is unset guards the write
        ("self.count", "self.count = 0", None),  # the same value
    ],
)
def test_public_methods_of_a_class_may_be_called_in_any_order(read: str, after: str, condition: str | None) -> None:
    found = findings({"main.py": CLIENT.format(read=read, after=after)})
    assert [(item.code, item.severity) for item in found] == ([("MX209", "warning")] if condition else [])
    assert not condition or (found[0].conditions or tuple(f"if {what}" for what in found[0].presumed)) == (condition,)


COUNTER = """
import mlx.core as mx


class Trainer:
    def __init__(self):
        self.count = 0
        self.seen = []
        self.step = mx.compile(self._step)

    def _step(self, x, n):
        return x * 2 + 1

    def train(self, x):
        self.seen.append(x)
        y = {call}
        self.count += 1
        return y

    def reset(self):
        self.count = 0
"""


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("self.step(x, self.count)", "MX303"),
        ("self.step(x, {'n': self.count})", "MX303"),
        ("self.step(x, self.seen)", "MX304"),
        ("self.step(x, mx.array(self.count))", None),
        ("self.step(x, len(str(2)))", None),
    ],
)
def test_what_a_method_gives_is_compared_over_its_calls(call: str, code: str | None) -> None:
    found = findings({"main.py": COUNTER.format(call=call)}, advice=True)
    assert [(item.code, item.severity) for item in found] == ([(code, "warning")] if code else [])


def test_one_defect_one_finding() -> None:
    text = (
        "from functools import partial\nimport mlx.core as mx\n\n\n"
        "@partial(mx.compile, shapeless=True)\ndef step(x):\n    return x.reshape(x.shape[0] * x.shape[1])\n\n\n"
        "step(mx.ones((2, 3)))\nstep(mx.ones((4, 3)))\n"
    )
    assert places({"main.py": text}) == [("main.py", 7, "MX401")]


HIDDEN = "import mlx.core as mx\n\n\ndef show(t):\n    print(t)\n    return t\n"
PROJECTS: dict[str, dict[str, str]] = {
    "function of a file without mlx": {
        "main.py": "import mlx.core as mx\nfrom plain import show\n\n\n@mx.compile\ndef step(x):\n    return show(x)\n",
        "plain.py": "def show(t):\n    print(t)\n    return t\n",
        "noise.py": "import plain\n\nplain.show(1)\n",
    },
    "compiled elsewhere, called in a loop here": {
        "lib.py": "import mlx.core as mx\n\n\ndef make(f):\n    return mx.compile(f)\n\n\nfast = mx.compile(lambda x: x * 2)\n",
        "use.py": "from lib import fast, make\n\nfor n in range(100):\n    x = fast(n)\n",
        "other.py": "from lib import make\n\n\ndef run(f, xs):\n    return [make(f)(x) for x in xs]\n",
    },
    "handed on through three files": {
        "a.py": "import mlx.core as core\n",
        "b.py": "from a import core as mx\n",
        "c.py": "from b import mx\n\n\n@mx.compile\ndef step(x):\n    if x.sum() > 0:\n        x = x + 1\n    return x\n",
        "d.py": "import c\n\n\nclass Thing:\n    def run(self):\n        return c.step({1, 2})\n",
    },
    "MLX from a helper, named by nobody": {
        "main.py": "from support import backend\ndef run():\n    lib = backend()\n    def step(x):\n        print(x)\n        return x\n    return lib.compile(step)(lib.ones(2))\n",
        "support.py": "def backend():\n    import mlx.core\n    return mlx.core\n",
    },
    "MLX by a computed name": {
        "main.py": 'from support import load\ndef run():\n    lib = load("core")\n    def step(x):\n        print(x)\n        return x\n    return lib.compile(step)(lib.ones(2))\n',
        "support.py": 'from importlib import import_module\ndef load(name):\n    return import_module(f"mlx.{name}")\n',
    },
    "MLX as an attribute of a class of another file": {
        "main.py": "from support import Backend\nclass Runner(Backend):\n    def run(self):\n        def step(x):\n            print(x)\n            return x\n        return self.lib.compile(step)(self.lib.ones(2))\n",
        "support.py": "class Backend:\n    def __init__(self):\n        import mlx.core\n        self.lib = mlx.core\n",
    },
    "MLX from a helper that keeps it": {
        "main.py": "from functools import lru_cache\n@lru_cache(maxsize=1)\ndef get_mx():\n    import mlx.core as mx\n    return mx\nclass Runner:\n    def __init__(self):\n        self.mx = get_mx()\n    def run(self):\n        def step(x):\n            print(x)\n            return x\n        return self.mx.compile(step)(self.mx.ones(2))\n",
    },
    "wrapper of the project": {
        "tools/__init__.py": "",
        "tools/jit.py": "import mlx.core as mx\n\n\ndef jit(f):\n    return mx.compile(f)\n",
        "use.py": "from tools.jit import jit\n\n\n@jit\ndef step(x):\n    print(x.sum())\n    return x\n",
    },
    "methods and classes": {
        "base.py": "import mlx.core as mx\n\n\nclass Base:\n    def __init__(self):\n        self.fast = mx.compile(self.run)\n",
        "sub.py": "import mlx.core as mx\nfrom base import Base\n\n\nclass Sub(Base):\n    def run(self, x):\n        print(x)\n        return x\n\n\nSub().fast(mx.ones((2,)))\n",
    },
    "suppressed, and nothing to suppress": {
        "a.py": HIDDEN.replace("print(t)", "print(t)  # mxlint: ignore[MX101]") + "\n\nmx.compile(show)(mx.ones((2,)))\n",
        "b.py": "x = 1  # mxlint: ignore[MX101]\n",
        "c.py": "y = 'mx.compile'\n",
    },
    "not Python": {"a.py": HIDDEN + "\n\nstep = mx.compile(show)\n", "b.py": "def f(:\n    mx.compile mlx\n"},
}


@pytest.mark.parametrize("name", PROJECTS)
def test_the_gate_changes_nothing(name: str) -> None:
    assert findings(PROJECTS[name], gate=True, advice=True) == findings(PROJECTS[name], gate=False, advice=True)
    assert findings(PROJECTS[name], gate=True, advice=True) != ()


LOOP = "def run(x):\n    for n in range(100):\n        x = fast(n)\n    return x\n"


def test_a_function_that_calls_what_its_file_compiles() -> None:
    assert places({"main.py": "import mlx.core as mx\nfast = mx.compile(lambda x: x * 2)\n" + LOOP}) == [("main.py", 5, "MX303")]


def test_a_function_that_calls_what_another_file_compiles() -> None:
    files = {"lib.py": "import mlx.core as mx\nfast = mx.compile(lambda x: x * 2)\n", "main.py": "from lib import fast\n" + LOOP}
    assert places(files) == [("main.py", 4, "MX303")]


NESTED = (
    "import mlx.core as mx\n\n\n@mx.compile\ndef _half(x):\n    return mx.exp(x) / 2\n\n\n@mx.compile\ndef step(x):\n    return _half(x)\n"
)


def test_a_private_helper_that_another_file_names_may_be_called_there() -> None:
    assert places({"lib.py": NESTED}, advice=True) == [("lib.py", 4, "MX602")]
    files = {"lib.py": NESTED, "test_lib.py": "from lib import _half\n\n\ndef test_half(x):\n    assert _half(x)\n"}
    assert places(files, advice=True) == []


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("def step(x, y):\n    print(x)\n    return x + y\n", [5]),
        ("def step(x, y):\n    z = x + y\n    print(z)\n    return mx.exp(z)\n", [6]),
        ("def step(scale, x):\n    print(scale)\n    return mx.exp(x) * scale\n", [5]),
        ("def step(n, x):\n    print(n)\n    return x.reshape(n, 2)\n", []),
        ("def step(x: int, y):\n    print(x)\n    return x + y\n", []),
    ],
)
def test_which_of_several_parameters_is_an_array(body: str, rows: list[int]) -> None:
    assert places({"main.py": f"import mlx.core as mx\n\n@mx.compile\n{body}"}) == [("main.py", row, "MX101") for row in rows]


def test_what_could_not_be_followed_is_counted() -> None:
    source = "import mlx.core as mx\n\n@mx.compile\ndef step(x):\n    exec('scale = 2.0')\n    if scale > 1:\n        x = mx.exp(x)\n    return x\n"
    write(Path(), {"main.py": source})
    result = check(["main.py"])
    assert (result.coverage["full"], result.coverage["partial"]) == (0, 1) and result.reasons


def test_no_site_is_followed_in_full_where_a_budget_cut_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        Path(),
        {
            "main.py": "import mlx.core as mx\n\n@mx.compile\ndef step(x):\n    return x * 2\n\nstep(mx.ones(2))\nfor n in [1, 2, 3]:\n    print(n)\n"
        },
    )
    assert check(["main.py"]).coverage["full"] == 1
    monkeypatch.setattr("mxlint.interpreter.machine.core.MAX_STEPS", 18)
    result = check(["main.py"])
    assert (result.coverage["full"], result.coverage["partial"]) == (0, 1) and "budget of steps" in result.reasons


FILLER = "for n in [1, 2, 3]:\n    print(n)\n"
ONE_CALL = {
    "MX306": "import mlx.core as mx\n\n_half = mx.compile(lambda x: mx.exp(x) / 2)\n_half(mx.ones(2))\n",
    "MX602": "import mlx.core as mx\n\n@mx.compile\ndef _half(x):\n    return mx.exp(x) / 2\n\n@mx.compile\ndef step(x):\n    return _half(x) + 1\n\n"
    "step(mx.ones(2))\nstep(mx.ones(2))\n",
}
OTHER_CALL = {"MX306": "_half(mx.ones(3))\n", "MX602": "_half(mx.ones(2))\n"}


@pytest.mark.parametrize("code", ONE_CALL)
def test_that_there_is_no_other_call_is_not_said_of_a_run_that_was_cut(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_said(program: str) -> bool:
        write(Path(), {"main.py": program})
        return code in {finding.code for finding in check(["main.py"]).findings}

    assert is_said(ONE_CALL[code] + FILLER) and not is_said(ONE_CALL[code] + FILLER + OTHER_CALL[code])
    for steps in range(16, 48, 4):
        monkeypatch.setattr("mxlint.interpreter.machine.core.MAX_STEPS", steps)
        assert not is_said(ONE_CALL[code] + FILLER + OTHER_CALL[code])


USES = """import mlx.core as mx

from . import R0, R299
from .more import scale


def loud(x):
    @mx.compile
    def step(x):
        print(x)
        return x * R299[0] + 1

    return step(x)


def quiet(x):
    @mx.compile
    def step(x):
        if R299:
            x = x * R0[1]
        return scale(x) + 1

    return step(x)
"""


def test_a_file_is_followed_behind_an_import_that_a_budget_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the package would have bound is not known; what does not hang on it is found, and no site is full."""
    table = "".join(f"R{n} = [{n}, {n} + 1]\n" for n in range(300))
    more = "from . import R299\n\n\ndef scale(x):\n    return x * R299[1]\n"
    write(Path(), {"pkg/__init__.py": table, "pkg/more.py": more, "pkg/use.py": USES})
    monkeypatch.setattr("mxlint.interpreter.machine.core.MAX_STEPS", 600)
    result = check(["pkg/use.py"])
    assert result.tracebacks == ()
    assert [(finding.code, finding.span.start.row) for finding in result.findings] == [("MX101", 10)]
    assert result.coverage["full"] == 0 and "budget of steps" in result.reasons


GATED = """import os
import mlx.core as mx


def fill(n):
    row = [n]
FILLED    return row


class Model:
    @staticmethod
    def checked():
        return os.environ.get("CHECKED") == "1"

    def __call__(self, x):
        if self.checked():
            mx.all(mx.isfinite(x)).item()
        return x * 2


class Run:
    def __init__(self, n):
        self.table = fill(n)
        self.model = Model()

    def run(self, x):
        step = self.model if Model.checked() else self._compiled(self.model)
        return step(step(x))

    @staticmethod
    def _compiled(model: Model):
        return mx.compile(lambda x: BODY)
"""


@pytest.mark.parametrize(("body", "codes"), [("model(x)", []), ("print(x)", ["MX101"])])
def test_what_a_private_function_is_given_by_a_run_that_a_budget_cut_is_not_presumed(
    body: str, codes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller rules out what the model does behind the flag; what depends on no argument is found all the same."""
    monkeypatch.setattr("mxlint.interpreter.machine.core.MAX_STEPS", 100)
    filled = "".join(f"    row = [*row, n + {number}]\n" for number in range(60))
    write(Path(), {"main.py": GATED.replace("BODY", body).replace("FILLED", filled)})
    result = check(["main.py"])
    assert [finding.code for finding in result.findings] == codes
    assert result.coverage["full"] == 0 and "budget of steps" in result.reasons


FALLBACK = """import mlx.core as mx

try:
    compile_fn = mx.compile
except AttributeError:

    def compile_fn(f):
        return f


@compile_fn
def show(x):
    print(x)
    return mx.exp(x) * 2


show(mx.ones(3))
"""


def test_a_decorator_that_may_be_compile_compiles_what_stands_below_it() -> None:
    (found,) = findings({"main.py": FALLBACK})
    assert found.code == "MX101" and "mx.compile traces `show` with placeholders" in found.note


SHOWN = """import os
import mlx.core as mx
from weights import sigmas

def fast():
    return os.environ.get("FAST", "").strip().lower() in ("1", "yes")

@mx.compile
def step(noise, latents, first, second):
    change = (first - second).astype(latents.dtype)
    {condition}
    return latents + change * noise if fast() else latents

def run(noise, latents, n):
    return step(noise, latents, sigmas[n + 1], sigmas[n])
"""


@pytest.mark.parametrize("condition", ["pass", "change = -change if change > 0 else change"])
def test_a_method_does_not_show_what_something_unknown_is(condition: str) -> None:
    """An array or a number of numpy."""
    write(Path(), {"main.py": SHOWN.format(condition=condition)})
    result = check(["main.py"])
    assert [finding.code for finding in result.findings] == []


COMPILED_ELSEWHERE = {
    "main.py": """from train import build


def run_compiled(batches):
    return build(0.3)(batches)
""",
    "fast.py": """import mlx.core as mx


def fast(function):
    return mx.compile(function)
""",
    "train.py": """import mlx.core as mx
import mlx.nn as nn
from fast import fast as jit


class Model(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.drop = nn.Dropout(p)

    def __call__(self, x):
        return self.drop(self.layer(x))


def build(p):
    # The model, and what goes through all batches with it. It is long, because it says what it does, and there is much to say about that.
    # More of that: what is needed is looked up, what is not there is made, and whoever wants to know what has been done can ask the program.
    # Nothing of this is ever computed more than once, as far as anybody knows.
    model = Model(p)
    mx.eval(model.parameters())

    @jit
    def forward(x):
        return model(x)

    def run(batches):
        for batch in batches:
            print(forward(batch))

    return run
""",
}


def test_a_long_function_of_another_file_that_compiles_by_a_name_of_a_third_one_is_followed() -> None:
    assert places(COMPILED_ELSEWHERE) == [("train.py", 13, "MX203")]


def test_a_configured_wrapper_is_a_name_of_compile_in_other_files_too() -> None:
    files = {
        name: COMPILED_ELSEWHERE[name].replace("from fast import fast as jit", "from mylib import jit") for name in ("main.py", "train.py")
    }
    write(Path(), {**files, "pyproject.toml": '[tool.mxlint]\ncompile-wrappers = ["mylib.jit"]\n'})
    result = check(["."])
    assert [(finding.span.filename, finding.span.start.row, finding.code) for finding in result.findings] == [("train.py", 13, "MX203")]


COMPILED_LATER = '''import mlx.core as mx
import mlx.nn as nn


class Encoder(nn.Module):
    """A stack of linear layers with a normalisation in front of each, as many of them as the configuration says."""

    def __init__(self, size, depth):
        super().__init__()
        # What stands first in the list comes first, and the sizes of all of them are the same.
        self.first = nn.Linear(size, size)
        self.second = nn.Linear(size, size)
        self.third = nn.Linear(size, size)
        self.norms = [nn.RMSNorm(size), nn.RMSNorm(size), nn.RMSNorm(size)]
        self.out = nn.Linear(size, size)
        self.scale = 1.0 / depth
        self.names = ["first", "second", "third", "out"]

    def __call__(self, x):
        return self.out(x) * self.scale


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.encoder = Encoder(size, 3)
        self.ready = False

    def compile_model(self):
        if not self.ready:
            self.encoder = mx.compile(self.encoder)
            self.ready = True
'''


def test_the_constructor_of_a_class_that_compiles_its_layers_is_followed() -> None:
    write(Path(), {"main.py": COMPILED_LATER})
    assert check(["main.py"]).coverage["full"] == 1


@pytest.mark.parametrize("kind", ["singledispatch", "singledispatchmethod"])
def test_the_type_of_an_argument_chooses_a_registered_function(kind: str) -> None:
    own = "self, " if kind == "singledispatchmethod" else ""
    body = f"    @functools.{kind}\n    def norm({own}x):\n        return x\n    @norm.register\n    def _({own}x: mx.array):\n        return x / x.sum().item()\n"
    scope = f"class Norms:\n{body}\nnorm = Norms().norm\n" if own else f"if True:\n{body}"
    text = f"import functools\nimport mlx.core as mx\n\n{scope}\nstep = mx.compile(lambda x: norm(x) * 2)\nstep(mx.ones((2,)))\n"
    assert places({"main.py": text}) == [("main.py", 10, "MX103")]


CAPTURED = """from functools import partial

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim

model = nn.Linear(2, 2)
optimizer = optim.Adam(learning_rate=0.1)
optimizer.init(model.trainable_parameters())
state = [model.state, optimizer.state]
mx.eval(state)


@partial(mx.compile, inputs=state, outputs=state)
def step(x):
    scale = model.weight.sum().item()
    print(optimizer.step)
    return x * scale


def kept(x):
    kept.last = x * 2
    return x


fast = mx.compile(kept)
fast(mx.ones((2,)))
print(kept.last)
"""


def test_weights_and_settings_that_are_captured_and_attributes_of_functions() -> None:
    assert places({"main.py": CAPTURED}) == [("main.py", 16, "MX103"), ("main.py", 17, "MX101"), ("main.py", 22, "MX202")]


DRAWN = """import random

import mlx.core as mx
import numpy as np

mine, its = random.Random(7), np.random.default_rng(7)


@mx.compile
def step(x):
    a = mine.random()
    b = its.random() * x
    return x * a + np.random.rand() * b


class Shown:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"Shown({self.v})"


@mx.compile
def show(x):
    print(Shown(x))
    return x * 2
"""


def test_random_objects_and_objects_that_show_what_they_hold() -> None:
    flagged = [("main.py", row, "MX206") for row in (11, 12, 13)]
    assert places({"main.py": DRAWN}) == [*flagged, ("main.py", 21, "MX101")]


SET = """import mlx.core as mx


class Soft:
    def __init__(self, scale):
        self._scale = mx.array(scale)
        self.run = mx.compile(self._run)

    @property
    def scale(self):
        return self._scale

    @scale.setter
    def scale(self, value):
        self._scale = mx.array(value)

    def _run(self, x):
        return x / self._scale


soft = Soft(1.0)
x = mx.ones((2,))
soft.run(x)
soft.scale = 0.5
soft.run(x)

fast = mx.compile(lambda x: mx.sin(x) * x)
for _ in range(3):
    mx.vjp(fast, [x], [x])
    mx.jvp(fast, [x], [x])
"""


def test_property_setters_and_transforms_that_call_at_once() -> None:
    assert places({"main.py": SET}) == [("main.py", 18, "MX201"), ("main.py", 29, "MX305"), ("main.py", 30, "MX305")]


SWALLOWED = """import mlx.core as mx


@mx.compile
def step(x):
    try:
        print(x)
    except ValueError:
        x = x + 1
    return x
"""


def test_a_handler_in_the_body() -> None:
    (found,) = findings({"main.py": SWALLOWED})
    assert (found.code, found.span.start.row) == ("MX101", 7)
    assert found.message.endswith("what `step` records is the handler")


LEAVING = {
    "generator": """import mlx.core as mx


def parts(x):
    print(x)
    yield x


@mx.compile
def step(x):
    return sum(parts(x))
""",
    "finally": """import mlx.core as mx


@mx.compile
def step(x):
    try:
        print(x)
    finally:
        x = None
    return x
""",
}


@pytest.mark.parametrize("text", LEAVING.values(), ids=LEAVING)
def test_an_exception_that_nothing_in_the_body_catches_leaves_the_trace(text: str) -> None:
    (found,) = findings({"main.py": text})
    assert found.code == "MX101"
    assert "tracing `step` raises ValueError" in found.message


OPTIONAL = """import mlx.core as mx


def build(scale, compiled=False):
    if scale:
        def step(x):
            print(x)
            return x * scale
    else:
        def step(x):
            print(x)
            return x
    if compiled:
        return mx.compile(step)
    return step


build(2)(mx.ones((2,)))
"""


def test_what_the_calls_in_sight_do_not_compile_and_each_of_what_may_be_compiled() -> None:
    assert places({"main.py": OPTIONAL}) == [("main.py", 7, "MX101"), ("main.py", 11, "MX101")]


def test_a_factory_that_is_called_in_a_loop() -> None:
    text = (
        "import mlx.core as mx\n\n\ndef make(f):\n    return mx.compile(f)\n\n\ndef double(x):\n    return x * 2\n\n\n"
        "def run(xs):\n    return [make(double)(x) for x in xs]\n"
    )
    found = findings({"main.py": text})
    assert [(item.span.start.row, item.code) for item in found] == [(5, "MX302")]
    assert [(other.message, other.span.start.row) for other in found[0].related if other.message == "in this loop"] == [
        ("in this loop", 13)
    ]


def test_a_factory_whose_objects_are_kept_or_differ() -> None:
    head = (
        "import functools\nimport mlx.core as mx\n\n\ndef make(k):\n    def f(x):\n        return x * k\n\n    return mx.compile(f)\n\n\n"
    )
    for text in (
        "fast = make(2.0)\nfor n in range(9):\n    fast(mx.ones((2,)))\n",
        "for k in (1.0, 2.0, 3.0):\n    make(k)(mx.ones((2,)))\n",
        "kept = {}\nfor n in range(9):\n    if 'f' not in kept:\n        kept['f'] = make(2.0)\n    kept['f'](mx.ones((2,)))\n",
        "class Net:\n    @functools.cached_property\n    def fast(self):\n        return make(2.0)\n\n\nnet = Net()\nfor n in range(9):\n    net.fast(mx.ones((2,)))\n",
        "fs = [make(2.0) for n in range(3)]\nfor f in fs:\n    for n in range(9):\n        f(mx.ones((2,)))\n",
    ):
        assert places({"main.py": head + text}) == [], text


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_the_gate_changes_nothing_in_the_shapes(part: int) -> None:
    cases = [case for number, case in enumerate(FLOW.values()) if number % 4 == part]
    for number, case in enumerate(cases):
        for name, text in case.variant("x").files.items():
            write(Path(f"p{number}"), {name: text})
    on, off = check(["."], gate=True, fixes=False), check(["."], gate=False, fixes=False)
    assert without_fixes(on) == without_fixes(off)


@pytest.mark.slow
def test_twice_the_same() -> None:
    cases = [case for case in (*SILENT.values(), *UNKNOWN.values()) if is_taken(case.name, 10)]
    for number, case in enumerate(cases):
        write(Path(f"p{number}"), case.files)
    first, second = check(["."]), check(["."])
    assert first.findings == second.findings
    assert first.sites == second.sites
    assert first.reasons == second.reasons


# Runs each script of a list in turn, and says what it raised and in which line of it.
CHILD = """
import contextlib, io, json, os, runpy, sys, traceback
import mlx.core as mx
mx.set_default_device(mx.cpu)
sys.dont_write_bytecode = True
raised = []
for folder in json.load(sys.stdin):
    before = set(sys.modules)
    sys.path.insert(0, folder)
    os.chdir(folder)
    where = None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(os.path.join(folder, "main.py"), run_name="__main__")
    except Exception as error:
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)]
        file = os.path.relpath(own[-1].filename, folder).replace(os.sep, "/")
        where = [type(error).__name__, str(error).split("\\\\n")[0], file, own[-1].lineno]
    sys.path.remove(folder)
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
            del sys.modules[name]
    raised.append(where)
print(json.dumps(raised))
"""
Raised = tuple[str, str, str, int]


def run_under_mlx(root: Path, projects: Mapping[str, Mapping[str, str]]) -> dict[str, Raised | None]:
    """What each project raises under real MLX, all in one child process: the exception, its message, and the line that it came from."""
    folders = {}
    for number, (name, files) in enumerate(projects.items()):
        folders[name] = root / str(number)
        write(folders[name], files)
    results = run_in_child(CHILD, folders.values())
    return {name: result and (result[0], result[1], result[2], result[3]) for name, result in zip(projects, results)}


mlx_only = pytest.mark.skipif(importlib.util.find_spec("mlx") is None, reason="asks MLX itself")


@pytest.mark.mlx
@mlx_only
def test_mlx_raises_where_mxlint_says(tmp_path: Path) -> None:
    raised = run_under_mlx(tmp_path, {name: case.variant("x").files for name, case in FLOW.items()})
    wrong = {
        name: error
        for name, error in raised.items()
        if error is None or (*error[2:], FLOW[name].code) not in FLOW[name].variant("x").marked
    }
    assert wrong == {}
    kinds = {(error[0], error[1].partition(" an array")[0].partition("():")[0]) for error in raised.values() if error is not None}
    sizes = {("TypeError", name) for name in ("broadcast_to", "reshape", "tile", "unflatten")} | {
        ("RuntimeError", "std::bad_cast")
    }  # of a placeholder as a shape
    assert kinds - sizes == {
        ("ValueError", "[eval] Attempting to eval"),
        ("RuntimeError", "[eval] Attempting to eval"),  # of memoryview, and of what a gradient leaves behind
        ("ValueError", "[async_eval] Not allowed inside a graph transformation."),
    }


@pytest.mark.mlx
@mlx_only
def test_mlx_runs_what_is_silent(tmp_path: Path) -> None:
    raised = run_under_mlx(tmp_path, {name: case.variant("C").files for name, case in FLOW.items()})
    assert {name: error for name, error in raised.items() if error is not None} == {}


@pytest.mark.mlx
@mlx_only
def test_mlx_runs_what_the_rules_leave_alone(tmp_path: Path) -> None:
    raised = run_under_mlx(tmp_path, {name: case.files for name, case in SILENT.items() if is_taken(name, 5)})
    assert {name: error for name, error in raised.items() if error is not None} == {}


@pytest.mark.parametrize("method", ["def make():", "def __new__(cls):"])
def test_a_class_whose_only_entry_has_no_object(method: str) -> None:
    source = (
        f"import mlx.core as mx\n\n\nclass Step:\n    {method}\n        return mx.compile(lambda x: x.item() + mx.exp(x))(mx.zeros(1))\n"
    )
    assert places({"main.py": source}) == [("main.py", 6, "MX103")]
