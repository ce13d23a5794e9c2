"""Programs of which everything is known that decides about what is compiled: their sites are followed in full. And some of which it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import read_cases
from writing import write

from mxlint.analysis import analyze
from mxlint.finding import Span
from mxlint.interpreter.compiled import tracing
from mxlint.interpreter.loops import trials
from mxlint.interpreter.machine import core
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source

PROGRAMS = {
    "a global that is filled where a test has found it empty, in a loop some of whose rounds do not come there": """\
def run(rows, y, n):
    wanted = []
    for number in range(n):
        wanted.append(mx.array(number) if rows[number] else None)
    for number in range(n):
        if wanted[number] is None:
            continue
        y = epoch(y)
    return y

def epoch(y):
    global _compiled
    if _compiled is None:
        _compiled = mx.compile(double)
    return _compiled(y)

_compiled = None

def double(y):
    return y * 2
""",
    "what a model out of sight gives, by calls that are done again, of which an attribute is asked that no array has": """\
import mlx.nn as nn

def out(model, x):
    return model(x)

def make(model: nn.Module):
    state = [model.state, mx.random.state]

    def forward(x):
        first, second = out(model, x), out(model, x + 1)
        others = [out(model, x + n) for n in range(3)]
        return mx.softmax(first.logits + second.logits + others[0].logits + others[2]["logits"])

    return mx.compile(forward, inputs=state, outputs=state)
""",
    "layers that are put into a model out of sight, by a tree that is made of its own": """\
import mlx.nn as nn
from mlx.utils import tree_flatten, tree_unflatten

class Tap(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def __call__(self, x):
        return self.layer(x)

def tap(model: nn.Module, x):
    found = tree_flatten(model.leaf_modules(), is_leaf=nn.Module.is_module)
    model.update_modules(tree_unflatten([(name, Tap(layer)) for name, layer in found]))
    error = mx.compile(lambda a, b: a / b - 1)
    return error(x, x + 1)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_site_is_followed_in_full(tmp_path: Path, name: str) -> None:
    (tmp_path / "main.py").write_text(f"import mlx.core as mx\n\n{PROGRAMS[name]}", encoding="utf-8")
    found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table())
    assert [(site.followed, found.imprecise) for site in found.sites] == [("full", ())]


SWAPPED = """\
import library
import mlx.core as mx
import mlx.nn as nn

def swap({parameter}):
    {before}
    model.update_modules(library.tree(model))
    return mx.compile(lambda a: model(a))(x)
"""


@pytest.mark.parametrize(
    ("parameter", "before"), [("x", "model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())"), ("model: nn.Module, x", "model.train()")]
)
def test_a_trace_that_calls_what_layers_were_put_into_is_not_followed_in_full(tmp_path: Path, parameter: str, before: str) -> None:
    (tmp_path / "main.py").write_text(SWAPPED.format(parameter=parameter, before=before), encoding="utf-8")
    (site,) = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table()).sites
    assert site.followed == "partial"


@pytest.mark.parametrize(
    ("layer", "taken", "followed"),
    [
        ("model", ".logits", "full"),
        ("model", '["logits"]', "full"),
        ("model", '["logits"] if "logits" in out else out', "full"),
        ("nn.Linear(2, 2)", ".logits", "partial"),
    ],
)
def test_what_a_layer_out_of_sight_gives_may_be_no_array(tmp_path: Path, layer: str, taken: str, followed: str) -> None:
    """No array has an attribute `logits`, so a layer of which it is known that it gives one raises."""
    program = f"""\
import mlx.core as mx
import mlx.nn as nn

def make(model: nn.Module):
    layer = {layer}
    caught = [model.state, mx.random.state]

    def forward(x):
        out = layer(x)
        return mx.softmax(out{taken})

    return mx.compile(forward, inputs=caught, outputs=caught)
"""
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    (site,) = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table()).sites
    assert site.followed == followed


UNSEEN = """\
import mlx.core as mx
import mlx.nn as nn

def make(model: nn.Module, xs):
    {before}
    caught = [{caught}]
    forward = mx.compile(lambda x: model(x), inputs=caught, outputs={out})
    for x in xs:
        {within}
        forward(x)
"""
ALL = "model.state, mx.random.state"
BOUNDED = [
    ("", ALL, "caught", "", "full"),
    ("model.train()", ALL, "caught", "", "full"),
    ("", ALL, "caught", "model.train()", "full"),
    ("", ALL, "caught", "mx.eval(model.parameters())", "full"),
    ("model.eval()", "model.state", "[]", "", "full"),
    ("model.train(False)", "model.state", "[]", "", "full"),
    # Its layers may draw, or put new statistics into it.
    ("", "model.state", "caught", "", "partial"),
    ("", "mx.random.state", "caught", "", "partial"),
    ("", ALL, "[model.state]", "", "partial"),
    ("", ALL, "[mx.random.state]", "", "partial"),
    ("model.train()", "model.state", "[]", "", "partial"),
    ("model.train(bool(xs))", "model.state", "[]", "", "partial"),
    # They do so at one call, and not at another one.
    ("model.train()", ALL, "caught", "forward(x); model.eval()", "partial"),
    ("", ALL, "caught", "forward(x); model.eval()", "partial"),
    ("model.eval()", "model.state", "[]", "forward(x); model.layers[0].train()", "partial"),
    ("", ALL, "caught", "forward(x); check(model)", "partial"),
]
"""What stands before a model that is given is compiled, what inputs= and outputs= capture, and what stands in the loop; how far that is followed."""
CHECK = """
def check(model):
    for number in range(2000):
        number += number * 3 % 7
    model.eval()
"""
"""A function that costs too much to be entered again and again."""


@pytest.mark.parametrize(("before", "caught", "out", "within", "followed"), BOUNDED)
@pytest.mark.parametrize("annotation", [": nn.Module", ""])
def test_what_is_captured_bounds_what_layers_out_of_sight_do(
    tmp_path: Path, before: str, caught: str, out: str, within: str, followed: str, annotation: str
) -> None:
    """A model is given: it is an nn.Module by its annotation, or as gradients are taken by it."""
    use = "nn.value_and_grad(model, lambda x: model(x).sum())" if not annotation else "pass"
    program = UNSEEN.format(before=before or "pass", caught=caught, out=out, within=within or "pass") + CHECK
    program = program.replace(": nn.Module, xs):", f"{annotation}, xs):\n    {use}")
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    (site,) = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table()).sites
    assert site.followed == followed


KEEPERS = {
    "threading": "threading.Timer(9, fast, (x,)).start()",
    "atexit": "atexit.register(fast)",
    "logging": "logging.getLogger().addFilter(fast)",
    "os": "os.register_at_fork(before=lambda: fast)",
    "weakref": "weakref.finalize(x, fast)",
    "asyncio": "asyncio.get_event_loop().call_later(9, fast, x)",
    "concurrent.futures": "concurrent.futures.ThreadPoolExecutor(1).submit(fast, x)",
    "library": "library.subscribe(fast)",
    "sys": "KEPT[fast] = 1",
}
"""What may keep a compiled object where nobody sees it."""
OTHERS = (
    "print(fast)",
    "print(id(fast), callable(fast), str(fast))",
    "functools.partial(fast, x)()",
    "list(map(fast, [x]))",
    "time.sleep(0)",
)
"""What does not."""


def _followed(tmp_path: Path, module: str, what: str) -> list[str]:
    program = f"""\
import functools, time, {module}
import mlx.core as mx

KEPT = {{}}
scale = 1.0

def body(x):
    return x * scale

def start(x):
    fast = mx.compile(body)
    y = fast(x)
    {what}
    return y

start(mx.ones(2))
scale = 2.0
again = mx.compile(body)
again(mx.ones(2))
"""
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    return [site.followed for site in analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table()).sites]


def test_what_is_given_to_a_keeper_is_not_followed_in_full(tmp_path: Path) -> None:
    assert [module for module, what in KEEPERS.items() if "partial" not in _followed(tmp_path, module, what)] == []
    assert [what for what in OTHERS if _followed(tmp_path, "sys", what) != ["full", "full"]] == []


def test_what_may_come_to_any_name_of_its_module_is_not_given_up_in_silence(tmp_path: Path) -> None:
    steps = "\n".join(
        f"    if settings.flag{n}(x):\n        for q in settings.rows{n}(x):\n            x = settings.add(x, q)" for n in range(60)
    )
    for last in ('globals()["other"](x)', 'getattr(sys.modules[__name__], "other")(x)'):
        text = f"import sys\nimport mlx.core as mx\nimport settings\n\n@mx.compile\ndef other(x):\n    return x * bool(x.ndim)\n\ndef plan(x):\n{steps}\n    return {last}\n\nplan(mx.ones(2))\n"
        (tmp_path / "main.py").write_text(text, encoding="utf-8")
        found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table())
        assert [site.followed for site in found.sites] != ["full"]


BESIDE = """\
import sys

import mlx.core as mx


@mx.compile
def plain(x):
    return mx.exp(x)


@mx.compile
def partly(x, n):
    return x * n


plain(mx.ones(3))
partly(mx.ones(3), {"a": 1, "b": 2.0, "c": "t", "d": None, "e": (1,), "f": [1], "g": {1: 2}, "h": abs, "i": True, "j": 3j}[sys.argv[1]])
"""


def test_what_kept_a_site_from_being_full_is_said_of_it_alone(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(BESIDE, encoding="utf-8")
    found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table())
    assert [(site.compiled, site.followed, [span.start.row for span, _ in site.because]) for site in found.sites] == [
        ("plain", "full", []),
        ("partly", "partial", [17]),
    ]


TRAINER = """\
import mlx.core as mx

kept = []


def train(xs, scale=[0]):
    scale[0] += 1

    @mx.compile
    def step(x, n):
        return x * n

    {keep}
    for x in xs:
        step(x, scale[0])
"""


@pytest.mark.parametrize(("keep", "made"), [("pass", 1), ("kept.append(step)", 2)])
def test_a_call_that_lets_go_of_what_it_compiles_is_not_made_again(tmp_path: Path, keep: str, made: int) -> None:
    """Another call finds none of it. Where it keeps that, another call may."""
    (tmp_path / "main.py").write_text(TRAINER.format(keep=keep), encoding="utf-8")
    found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table(), with_facts=True)
    assert found.facts is not None and (len(found.facts.compiled) > 1) is (made > 1)


LONG = """\
import mlx.core as mx


def long(rows):
    @mx.compile
    def step(x):
        return x * 2

    {burn}
    return helper(rows)


def helper(rows):
    return mx.compile(other)(rows)


def other(x):
    return x * 3


def short(x):
    return mx.compile(other)(x)
"""


def test_what_a_budget_cuts_short_concerns_what_is_behind_it_alone(tmp_path: Path) -> None:
    """`helper` is called behind where the run over `long` ends, and `short` is not."""
    burn = "\n    ".join(["print(" + ", ".join(f"rows[{number}] + {number}" for number in range(50)) + ")"] * 150)
    (tmp_path / "main.py").write_text(LONG.format(burn=burn), encoding="utf-8")
    found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table())
    assert {site.object: (site.followed, [reason for _, reason in site.because]) for site in found.sites} == {
        "long": ("none", ["budget of steps"]),
        "helper": ("partial", ["budget of steps"]),
        "short": ("full", []),
    }


@pytest.mark.parametrize("steps", [60, 150, 400])
def test_a_trace_that_a_budget_cuts_short_is_never_without_its_site(steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is undone of what it has noted."""
    run_trace, rounds = tracing._run_trace, trials._rounds
    broken_off: list[Span] = []

    def traced(i, trace, *others):  # type: ignore[no-untyped-def]
        try:
            return run_trace(i, trace, *others)
        except core.OutOfSteps:
            broken_off.append(i.journal.compiled[trace.oid].site.span)
            raise

    def tried(*given):  # type: ignore[no-untyped-def]
        known = len(broken_off)
        found = rounds(*given)
        del broken_off[known:]  # what is only tried is done again
        return found

    monkeypatch.setattr(core, "MAX_STEPS", steps)
    monkeypatch.setattr(tracing, "_run_trace", traced)
    monkeypatch.setattr(trials, "_rounds", tried)
    cut = 0
    for number, case in enumerate(list(read_cases("library.md").values())[::12]):
        write(tmp_path / str(number), case.files)
        for name in case.files:
            broken_off.clear()
            found = analyze(read_source(tmp_path / str(number) / name, name), Project(), load_table())
            said = {site.span for site in (*found.sites, *found.elsewhere) if (reason for _, reason in site.because if "budget" in reason)}
            full = {site.span for site in (*found.sites, *found.elsewhere) if site.followed == "full"}
            assert full.isdisjoint(broken_off)
            assert {span for span in broken_off if span.filename == name} <= said
            cut += len(broken_off)
    assert cut


UNSAID = """\
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim


def train(model: nn.Linear, batches, name: str):
    if not isinstance({"relu": nn.ReLU, "tanh": nn.Tanh}[name](), nn.ReLU):
        raise ValueError(name)
    optimizer = optim.SGD(0.1)
    step = mx.compile(lambda x: model(x))
    for x in batches:
        step(x)
        optimizer.update(model, model.parameters())
"""


def test_a_condition_before_a_call_that_was_not_followed_is_said_of_the_site(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(UNSAID, encoding="utf-8")
    found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table())
    assert not found.findings
    assert [(site.followed, {reason for _, reason in site.because}) for site in found.sites] == [
        ("partial", {"a condition that was not followed"})
    ]
