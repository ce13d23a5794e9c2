"""--verify: how much of the user's program is run, what takes the place of the rest, and where arguments come from."""

from __future__ import annotations

from pathlib import Path

import pytest
from needed import needs_mlx

from mxlint.engine import check
from mxlint.finding import Verdict
from mxlint.verify.claims import forced
from mxlint.verify.experiment import Options, verify

pytestmark = [needs_mlx, pytest.mark.usefixtures("folder")]

IMPORTS = "from functools import partial\n\nimport mlx.core as mx\nimport mlx.nn as nn\nimport mlx.optimizers as optim\n\n\n"


def verdict(body: str, code: str, *, options: Options | None = None) -> Verdict:
    """The verdict on the one finding of a rule."""
    text = IMPORTS + body
    Path("lib.py").write_text(text, encoding="utf-8")
    result = check(["lib.py"], with_facts=True)
    wanted = [finding for finding in result.findings if finding.code == code]
    assert len(wanted) == 1, [(finding.code, finding.span.start.row) for finding in result.findings]
    (found,) = verify(wanted, result.sources, [site.span for site in result.sites], options, result.facts)
    assert found.verdict is not None
    return found.verdict


def presented(body: str, code: str, marked: str) -> Verdict:
    """The verdict on the row that holds `marked`, as if it had been flagged."""
    text = IMPORTS + body
    Path("lib.py").write_text(text, encoding="utf-8")
    result = check(["lib.py"], with_facts=True)
    row = next(number for number, line in enumerate(text.splitlines(), 1) if marked in line)
    claim = forced(result.sources["lib.py"], row, code, [site.span for site in result.sites])
    assert claim is not None
    (found,) = verify([claim], result.sources, [site.span for site in result.sites], facts=result.facts)
    assert found.verdict is not None
    return found.verdict


def note(verdict: Verdict) -> str:
    assert verdict.evidence is not None, verdict
    return verdict.evidence.note or ""


# -- functions in functions -------------------------------------------------------------------------------------------

FACTORY = """
def make(scale: float):
    @mx.compile
    def step(x: mx.array):
        print(x.sum())
        return x * scale

    return step
"""


def test_what_a_factory_compiles_is_called() -> None:
    found = verdict(FACTORY, "MX101")
    assert (found.verdict, found.level) == ("confirmed", "in-place"), found
    assert "x=float32[8,6]" in note(found)


ABSENT = {
    "around the call": (
        "from no_such_bars import bar\n@mx.compile\ndef step(x):\n    return x / x.sum().item()\nfor _ in bar(range(3)):\n    step(mx.ones(3))\n",
        "stand-in",
    ),
    "what is handed over": (
        "import no_such_net\nrows = no_such_net.get('data').json()\n@mx.compile\ndef step(x):\n    return x / x.sum().item()\nfor row in rows:\n    step(mx.array(row))\n",
        "in-place",
    ),
    "around the caller": (
        (
            "from no_such_web import Server, request\napp = Server(__name__)\n@mx.compile\ndef step(x):\n    return x / x.sum().item()\n"
            "@app.route('/')\ndef index():\n    return step(mx.array(request.json['x']))\n"
        ),
        "in-place",
    ),
    "the command line": (
        (
            "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--dim', type=int, required=True)\nargs = parser.parse_args()\n"
            "@mx.compile\ndef step(x):\n    return mx.zeros(args.dim) + x.sum().item()\nstep(mx.ones(args.dim))\n"
        ),
        "stand-in",
    ),
    "weights": (
        (
            "from no_such_hub import download\npath = download('x')\nmodel = nn.Linear(8, 8)\nmodel.load_weights(path + '/w')\n"
            "@mx.compile\ndef step(x):\n    y = model(x)\n    return y / x.sum().item()\nstep(mx.ones(8))\n"
        ),
        "stand-in",
    ),
}


@pytest.mark.parametrize("what", ABSENT)
def test_what_is_absent_and_not_needed_is_done_without(what: str) -> None:
    text, level = ABSENT[what]
    found = verdict(text, "MX103")
    assert (found.verdict, found.level) == ("confirmed", level), found


def test_what_is_absent_and_needed_is_said() -> None:
    text = "from no_such_hub import limit\nLIMIT = limit()\n@mx.compile\ndef step(x):\n    if x.sum() > LIMIT:\n        return x\n    return -x\nstep(mx.ones(8))\n"
    found = verdict(text, "MX104")
    assert (found.verdict, found.level) == ("inconclusive", "witness"), found
    assert "no_such_hub" in (found.reason or "")
    assert "standins" not in (found.reason or "")


TRAINING = """
def train(args):
    model = load_model(args.path)
    optimizer = optim.Adam(args.lr)
    state = [model.state, optimizer.state]
    open("started", "w").write("x")

    def loss_fn(model, x, y):
        return mx.mean(mx.square(model(x) - y))

    @partial(mx.compile, inputs=state, outputs=state)
    def step(x, y):
        loss, grads = nn.value_and_grad(model, loss_fn)(model, x, y)
        optimizer.update(model, grads)
        seen = y.sum()
        print(seen)
        return loss

    for x, y in stream(args.data):
        step(x, y)
"""


def test_a_training_loop_is_cut_down_to_what_the_step_needs() -> None:
    found = presented(TRAINING, "MX101", "print(seen)")
    assert (found.verdict, found.level) == ("confirmed", "stand-in"), found
    assert "`model`" in note(found)
    assert not Path("started").exists()


UNREACHED_CALL = """
import sys

count = int(sys.argv[1])


@mx.compile
def step(x, scale, noisy):
    if noisy:
        print(x)
    return x * scale


for _ in range(count):
    step(mx.ones((2, 3)), 3, True)
"""


def test_calls_that_cannot_be_made_here_tell_the_arguments() -> None:
    found = verdict(UNREACHED_CALL, "MX101")
    assert (found.verdict, found.level) == ("confirmed", "in-place"), found
    assert "x=float32[2,3], scale=3, noisy=True" in note(found)
    found = presented(UNREACHED_CALL.replace("3, True)", "3, False)"), "MX101", "print(x)")
    assert found.verdict == "inconclusive", found


def test_an_array_that_cannot_be_had_is_replaced_by_one() -> None:
    body = """
import no_such_framework

stored = no_such_framework.load("weights")
weight = mx.array(stored["w"].numpy())


@mx.compile
def forward(x):
    return (x @ weight) * float(x[0, 0])


print(forward(mx.ones((2, 4))))
"""
    found = verdict(body, "MX103")
    assert (found.verdict, found.level) == ("confirmed", "stand-in"), found
    assert "called with x=float32[8,8], made up; stand-ins for `weight`" in note(found)


@pytest.mark.parametrize(("line", "word"), [("y = x.reshape(-1, config.dim).max()", "confirmed"), ("y = config.dim", "inconclusive")])
def test_what_an_array_is_only_reshaped_with_is_no_step(line: str, word: str) -> None:
    body = f"""
from no_such_models import Settings


class Config(Settings):
    dim: int = 8


config = Config()


@mx.compile
def forward(x):
    {line}
    return x * int(y)


print(forward(mx.ones((1, 1))))
"""
    found = presented(body, "MX103", "int(y)")
    assert found.verdict == word, found
    assert word == "inconclusive" or found.level == "stand-in"


def test_a_stand_in_on_the_chain_confirms_nothing() -> None:
    found = presented(TRAINING.replace("y.sum()", "model(x).sum()"), "MX101", "print(seen)")
    assert found.verdict == "inconclusive", found
    assert "stand-in for `model`" in (found.reason or "")


TRAINER = """
class Trainer:
    def __init__(self, path):
        self.model = read(path)
        self.optimizer = optim.SGD(0.1)

    def build(self):
        state = [self.model.state, self.optimizer.state]

        @partial(mx.compile, inputs=state, outputs=state)
        def step(x, labels):
            loss = nn.losses.cross_entropy(self.model(x), labels).mean()
            count = int((labels >= 0).sum())
            return loss / count

        return step
"""


def test_an_object_that_cannot_be_made_is_filled_with_stand_ins() -> None:
    found = verdict(TRAINER, "MX103")
    assert (found.verdict, found.level) == ("confirmed", "stand-in"), found
    assert "`self.model`" in note(found)


def test_a_look_alike_in_a_factory_is_not_confirmed() -> None:
    found = presented(TRAINER.replace("int((labels >= 0).sum())", "int(labels.shape[0])"), "MX103", "count =")
    assert found.verdict == "inconclusive", found


CONFIGURED = """
from dataclasses import dataclass


@dataclass
class Options:
    width: int
    rate: float


class Block(nn.Module):
    def __init__(self, options: Options):
        super().__init__()
        self.inner = nn.Linear(options.width, options.width)
        self.rate = options.rate
        self.forward = mx.compile(self._forward)

    def _forward(self, x: mx.array):
        y = self.inner(x) * self.rate
        if mx.all(y > 0):
            return y
        return -y

    def __call__(self, x: mx.array):
        return self.forward(x)
"""


def test_objects_of_the_programs_classes_are_made() -> None:
    found = verdict(CONFIGURED, "MX104")
    assert (found.verdict, found.level) == ("confirmed", "in-place"), found


# -- witness ----------------------------------------------------------------------------------------------------------

MISSING = """
from a_module_that_nobody_has import prepare


@mx.compile
def step(x: mx.array):
    x = mx.exp(prepare(x))
    print(mx.sum(x))
    return x
"""


def test_a_witness_shows_the_construct_and_decides_nothing() -> None:
    text = MISSING.replace("prepare(x)", "x * int(prepare(1))")
    found = verdict(text, "MX101")
    assert (found.verdict, found.level) == ("inconclusive", "witness"), found
    assert "the module a_module_that_nobody_has is not installed" in (found.reason or "")
    assert found.evidence is not None and "[eval]" in found.evidence.observed
    assert "by itself" in note(found)


def test_a_witness_that_raises_either_way_shows_nothing() -> None:
    """Here the placeholder that stands for the model is added to a function."""
    found = presented(
        "def go(model):\n    step = mx.compile(lambda x: model(x))\n    return step(mx.ones(3))\n", "MX203", "step = mx.compile"
    )
    assert (found.verdict, found.evidence) == ("inconclusive", None), found


@pytest.mark.parametrize("expression", ["x.shape", "x.ndim"])
def test_a_witness_of_a_look_alike_shows_nothing(expression: str) -> None:
    found = presented(MISSING.replace("mx.sum(x)", expression), "MX101", "print(")
    assert found.verdict == "inconclusive"
    assert found.evidence is None


# -- arguments --------------------------------------------------------------------------------------------------------

KINDS = [
    ("x: mx.array, names: list[int], flag: bool", "x.sum()", "names=[2, 2]"),
    ("x: mx.array, size: tuple[int, int]", "x.sum()", "size=(2, 2)"),
    ("x: 'mx.array | None'", "x.sum()", "x=float32[8,6]"),
    ("x: mx.array,  # (B, L, 512)\n    y: mx.array,  # [B, L]\n", "(x.sum(-1) + y).sum()", "x=float32[8,6,512], y=float32[8,6]"),
    ("x: mx.array, eps, idx", "x[..., :idx].sum() * eps", "idx=2"),
]


@pytest.mark.parametrize(("parameters", "printed", "told"), KINDS)
def test_arguments_come_from_what_the_head_says(parameters: str, printed: str, told: str) -> None:
    found = verdict(f"@mx.compile\ndef step({parameters}):\n    print({printed})\n    return x\n", "MX101")
    assert (found.verdict, found.level) == ("confirmed", "in-place"), found
    assert told in note(found)


def test_shapes_in_a_docstring_count() -> None:
    found = verdict(
        '@mx.compile\ndef step(q: mx.array, k: mx.array):\n    """Scores.\n\n    q: (B, H, 4)\n    k: (B, 4, T)\n    """\n'
        "    s = q @ k\n    print(s)\n    return s\n",
        "MX101",
    )
    assert "q=float32[8,6,4], k=float32[8,4,10]" in note(found)


HINTED = "# mxlint: inputs({hint})\n@mx.compile\ndef step(x, n):\n    print(x.sum())\n    return x * n\n"


@pytest.mark.parametrize(
    ("hint", "reason"),
    [
        ("y=float32[B]", "line 8 names `y`, but step() takes x, n"),
        ("x=float23[B], n=int", "`float23`, which is neither a dtype of MLX"),
        ("x=float32[B], n int", "cannot be read from `n int`"),
        ("x=float32[-3,2], n=int", "`-3`, which is neither a size"),
        ("x=float32[B;rm], n=int", "`B;rm`, which is neither a size"),
        ("x=float32[2.5], n=int", "`2.5`, which is neither a size"),
        ("x=float32[2], x=int32[2], n=int", "names `x` twice"),
        ("x=float32[999999,999999], n=int", "more than 16,777,216 numbers"),
        ("x=float32[2], n=int) of course (", "cannot be read"),
        ("x=float32[2], n=int) of course", "cannot be read"),
    ],
)
def test_a_wrong_hint_is_said(hint: str, reason: str) -> None:
    text = HINTED.format(hint=hint)
    found = verdict(text.replace("course)", "course"), "MX101")
    assert found.verdict == "inconclusive"
    assert reason in (found.reason or "")


def test_a_hint_by_another_name_is_said() -> None:
    found = verdict(HINTED.format(hint="x=float32[B], n=int").replace("inputs", "input"), "MX101")
    assert found.verdict == "inconclusive"
    assert "cannot be read from `input(x=float32[B], n=int)`" in (found.reason or "")


def test_a_hint_may_ask_for_large_arrays() -> None:
    found = verdict(HINTED.format(hint="x=float32[4096,2048], n=int"), "MX101")
    assert found.verdict == "confirmed", found
    assert "x=float32[4096,2048], n=2" in note(found)


def test_a_hint_that_does_not_fit_is_said() -> None:
    found = verdict(HINTED.format(hint="x=str, n=int"), "MX101")
    assert found.verdict == "inconclusive"
    assert "no arguments were found" in (found.reason or "")


GUESSED = """
@mx.compile
def pick(x, special):
    if special > 0:
        x = mx.exp(x)
    return x * 2
"""


def test_a_number_is_not_taken_for_an_array() -> None:
    found = presented(GUESSED, "MX104", "special > 0")
    assert found.verdict == "inconclusive", found
    assert "`special` is an array" in (found.reason or "")


RAISES = """
@partial(mx.compile, inputs=mx.random.state, outputs=mx.random.state)
def draw(logits: mx.array, k: int):
    if not 0 < k < logits.shape[-1]:
        raise ValueError(k)
    return mx.random.categorical(logits) * k
"""


def test_a_branch_that_raises_is_looked_for() -> None:
    found = verdict(RAISES, "MX208")
    assert (found.verdict, found.level) == ("confirmed", "in-place"), found
    assert "then with" in note(found)


def test_a_raise_without_captures_leaves_nothing() -> None:
    found = presented(
        RAISES.replace("@partial(mx.compile, inputs=mx.random.state, outputs=mx.random.state)", "@mx.compile").replace(
            "mx.random.categorical(logits)", "logits"
        ),
        "MX208",
        "raise ValueError",
    )
    assert found.verdict == "inconclusive", found


TRAINED = """
@mx.compile
def trained(x):
    return x * 2


class Meter:
    @mx.compile
    def right(self, x):
        return x.sum()


@partial(mx.compile, inputs=mx.random.state, outputs=mx.random.state)
def draw(logits, temperature):
    if temperature <= 0:
        raise ValueError(temperature)
    return mx.random.categorical(logits / temperature)


for _ in range(250):
    trained(mx.ones(2))
try:
    Meter().right(mx.ones(2))
except TypeError as error:
    print(error)
for temperature in (0.7, -1.0):
    try:
        draw(mx.ones((1, 4)), temperature)
    except ValueError as error:
        print(error)
"""


def test_a_script_that_trains_first_is_followed_to_what_is_flagged() -> None:
    """The evidence names the call that shows it."""
    method = verdict(TRAINED, "MX501")
    assert method.evidence is not None
    assert (method.verdict, method.evidence.function) == ("confirmed", "right")
    raised = verdict(TRAINED, "MX208")
    assert raised.evidence is not None
    assert (raised.verdict, raised.evidence.arguments) == ("confirmed", "logits=float32[1,4], temperature=-1.0")
