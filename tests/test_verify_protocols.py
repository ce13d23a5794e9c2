"""Protocols do not take one thing for another: claims that are not what the program does wrong, and what was not established."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from needed import needs_mlx

from mxlint.engine import check
from mxlint.finding import Position, Related, Span, Verdict
from mxlint.pages import load_page
from mxlint.rules.mx307 import IN_A_ROW
from mxlint.verify.claims import forced
from mxlint.verify.experiment import Options, verify

pytestmark = [needs_mlx, pytest.mark.usefixtures("folder")]

HERE = "  # HERE"
HEAD = "from functools import partial\nimport time\n\nimport mlx.core as mx\n\nmx.eval(mx.zeros(1) + 1)\n"


def claimed(code: str, text: str, site: int | None = None, right_on: tuple[str, ...] = (), presumed: tuple[str, ...] = ()) -> Verdict:
    """The verdict on a claim about the row that is marked; `site`: about that compiled function only, the first is 0; `right_on`: where it was
    measured to go well; `presumed`: what it rests on."""
    text = HEAD + text
    Path("a.py").write_text(text, encoding="utf-8")
    result = check(["a.py"], with_facts=True)
    sites = [one.span for one in result.sites]
    row = next(row for row, line in enumerate(text.splitlines(), 1) if line.endswith(HERE))
    claim = forced(result.sources["a.py"], row, code, sites if site is None else [sites[site]])
    assert claim is not None
    (finding,) = verify(
        [replace(claim, message="put to the test", right_on=right_on, presumed=presumed)],
        result.sources,
        [],
        Options(timed=False),
        result.facts,
    )
    assert finding.verdict is not None
    return finding.verdict


STALE = """
scale = mx.array(1.0)
shift = mx.array(0.0)

@mx.compile
def f(x):
    y = x * scale
    return y + shift

for value in (0.0, 1.0, 2.0):
    shift = mx.array(value)
    print(f(mx.array(1.0)))
"""

DRAWS = """
@mx.compile
def f(x):
    y = x * 2
    return y + mx.random.normal(x.shape)

for _ in range(3):
    print(f(mx.array([1.0])))
"""

LEAKS = """
history = []

@mx.compile
def f(x):
    y = mx.exp(x)
    history.append(y)
    return y * 2

for _ in range(3):
    f(mx.array(1.0))
"""

GROWS = """
log = []

@partial(mx.compile, inputs=log, outputs=log)
def f(x):
    log.append(x * 2)
    return x + 1

for _ in range(4):
    f(mx.array(1.0))
"""

SHAPES = """
state = [mx.array(0.0)]

@partial(mx.compile, inputs=state, outputs=state)
def f(x, n):
    state[0] = state[0] + mx.sum(x) * n
    return x + 1

for n in (1, 2, 3, 4):
    f(mx.ones((n,)), n)
"""

OFF = """
mx.disable_compile()

@mx.compile
def f(x, n):
    return mx.exp(x) * n

for n in (1, 2, 3, 4):
    f(mx.array(1.0), n)
"""

OFF_LOOP = """
mx.disable_compile()

def f(x):
    return mx.exp(x) * 2

for _ in range(4):
    g = mx.compile(f)
    g(mx.array(1.0))
"""

RAISES = """
@mx.compile
def f(x):
    return x * float(mx.sum(x))

for _ in range(2):
    f(mx.array([1.0]))
"""

CRASHES = """
@partial(mx.compile, shapeless=True)
def f(x):
    y = x * 2
    return mx.sum(y, axis=0)

for n in (4, 1):
    print(f(mx.ones((n, 3))))
"""

SLOPE = """
@mx.compile
def f(x):
    return mx.sum(mx.sin(x) * x)

slope = mx.grad(f)
x = mx.array([1.0, 2.0])
mx.eval(f(x), slope(x))
start = time.perf_counter()
mx.eval(slope(x))
seconds = time.perf_counter() - start
"""

SOMETHING_ELSE = """
@mx.compile
def f(x):
    return mx.sin(x) * 2

x = mx.array([1.0, 2.0])
mx.eval(f(x))
y = f(x)
start = time.perf_counter()
rows = [[float(i * j % 7) for i in range(8)] for j in range(8)]
seconds = time.perf_counter() - start
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("code", "text", "at"),
    [
        ("MX201", STALE, "    y = x * scale"),
        ("MX209", STALE, "    y = x * scale"),
        ("MX201", DRAWS, "    y = x * 2"),
        ("MX209", DRAWS, "    y = x * 2"),
        ("MX206", STALE, "    y = x * scale"),
        ("MX206", DRAWS, "    y = x * 2"),
        ("MX203", STALE, "    y = x * scale"),
        ("MX202", STALE, "    y = x * scale"),
        ("MX202", LEAKS, "    y = mx.exp(x)"),
        ("MX211", SHAPES, "    state[0] = state[0] + mx.sum(x) * n"),
        ("MX303", SHAPES, "    f(mx.ones((n,)), n)"),
        ("MX305", GROWS, "    f(mx.array(1.0))"),
        ("MX303", OFF, "    f(mx.array(1.0), n)"),
        ("MX301", OFF_LOOP, "    g = mx.compile(f)"),
        ("MX302", OFF_LOOP, "    g = mx.compile(f)"),
        ("MX501", RAISES, "@mx.compile"),
        ("MX505", RAISES, "@mx.compile"),
        ("MX507", STALE, "@mx.compile"),
        ("MX404", CRASHES, "    y = x * 2"),
        ("MX401", CRASHES, "    y = x * 2"),
        ("MX603", SLOPE, "seconds = time.perf_counter() - start"),
        ("MX603", SOMETHING_ELSE, "seconds = time.perf_counter() - start"),
    ],
)
def test_what_something_else_does_is_not_confirmed(code: str, text: str, at: str) -> None:
    assert at in text
    verdict = claimed(code, text.replace(at, at + HERE, 1))
    assert verdict.verdict in ("inconclusive", "refuted"), verdict


@pytest.mark.parametrize(
    ("code", "text", "at"),
    [
        ("MX201", STALE, "    return y + shift"),
        ("MX203", DRAWS, "    return y + mx.random.normal(x.shape)"),
        ("MX202", LEAKS, "    history.append(y)"),
        ("MX211", GROWS, "    log.append(x * 2)"),
        ("MX103", RAISES, "    return x * float(mx.sum(x))"),
        ("MX604", OFF, "mx.disable_compile()"),
        ("MX304", SHAPES, "    f(mx.ones((n,)), n)"),
        ("MX605", SHAPES, "    state[0] = state[0] + mx.sum(x) * n"),
    ],
)
def test_what_it_does_is(code: str, text: str, at: str) -> None:
    """The same programs, at the rows that are to blame."""
    verdict = claimed(code, text.replace(at, at + HERE, 1))
    assert verdict.verdict == "confirmed", verdict


HELPER = """
def show(x):
    return x * x.item()

@mx.compile
def first(x):
    return x + show(mx.array(2.0))

@mx.compile
def second(x):
    return show(x)

first(mx.array(1.0))
first(mx.array(2.0))
"""


def test_reached_by_another_function_refutes_nothing() -> None:
    """`show` evaluates a constant where `first` is traced; of `second`, which nobody calls, that says nothing."""
    text = HELPER.replace("x.item()", "x.item()" + HERE)
    assert claimed("MX103", text, site=0).verdict == "refuted"
    assert claimed("MX103", text, site=1).verdict != "refuted"


OTHER_ATTRIBUTE = """
class Settings:
    scale = 2.0
    shift = mx.array(0.0)

settings = Settings()
state = {"w": mx.array(1.0)}

@partial(mx.compile, inputs=state)
def f(x):
    y = x * settings.scale  # HERE
    return y + state["w"]

for value in (1.0, 2.0, 3.0):
    settings.shift = mx.array(value)
    state["w"] = mx.array(value)
    print(f(mx.array(1.0)))
"""


def test_what_did_not_change_is_not_refuted() -> None:
    """Another attribute of the same object changed, and the new weights were used: nothing of that tells what a change would do."""
    assert claimed("MX209", OTHER_ATTRIBUTE).verdict == "inconclusive"


ITERATOR = """
@mx.compile
def f(x):
    rows = [x * 2, x + 1]
    return map(mx.exp, rows)  # HERE

for _ in range(2):
    f(mx.array(1.0))
"""


@pytest.mark.parametrize("shape", ["(n, 4)", "(n, n)", "(4, n)"])
def test_no_size_refutes_what_is_said_of_sizes(shape: str) -> None:
    text = f"""
@partial(mx.compile, shapeless=True)
def f(x):
    n = x.shape[1]{HERE}
    return x * 2

for n in (4, 5, 6):
    f(mx.ones({shape}))
"""
    assert claimed("MX401", text).verdict == "inconclusive"


def test_what_cannot_be_looked_into_is_not_refuted() -> None:
    assert claimed("MX503", ITERATOR).verdict == "inconclusive"


SLOTS = """
from collections import deque

class Cache:
    __slots__ = ("kept",)

cache = Cache()
recent = deque(maxlen=4)

@mx.compile
def f(x):
    y = mx.exp(x)
    KEEP
    return y * 2

for _ in range(2):
    f(mx.array(1.0))
"""


@pytest.mark.parametrize("keep", ["recent.append(y)", "cache.kept = y"])
def test_placeholders_are_found_wherever_they_are_kept(keep: str) -> None:
    verdict = claimed("MX202", SLOTS.replace("KEEP", keep + HERE))
    assert verdict.verdict == "confirmed", verdict


SHAPES_OF_TWO = """
def body(x):
    return x * 2  # HERE

first = mx.compile(body, shapeless=True)
second = mx.compile(lambda x: body(x) + 1, shapeless=True)

for _ in range(2):
    first(mx.ones((4,)))
    second(mx.ones((6,)))
"""


def test_other_shapes_of_another_function_refute_nothing() -> None:
    assert claimed("MX401", SHAPES_OF_TWO).verdict == "inconclusive"


def test_compilation_that_is_off_refutes_nothing() -> None:
    text = OFF.replace("    return mx.exp(x) * n", "    return mx.exp(x) * float(mx.sum(x))" + HERE)
    assert claimed("MX103", text).verdict == "inconclusive"


def test_a_crash_is_compared_with_the_program_without_the_expression() -> None:
    verdict = claimed("MX404", CRASHES.replace("    return mx.sum(y, axis=0)", "    return mx.sum(y, axis=0)" + HERE))
    assert verdict.verdict == "confirmed"
    assert verdict.evidence is not None
    assert verdict.evidence.kind == "crash"
    assert verdict.evidence.note == "with y in place of the flagged expression it does not crash"


def test_length_one_is_a_note() -> None:
    """Dividing by the length of the first call is wrong for any other; that the sum crashes for length 1 is said apart."""
    text = """
@partial(mx.compile, shapeless=True)
def f(x):
    return mx.sum(x, axis=0) / x.shape[0]  # HERE

for n in (4, 6):
    print(f(mx.ones((n, 3))))
"""
    verdict = claimed("MX401", text)
    assert verdict.verdict == "confirmed"
    assert verdict.evidence is not None
    assert verdict.evidence.kind == "wrong-value"
    assert verdict.evidence.note == "apart from this, with length 1 the process dies of signal 11"


def test_what_is_left_behind_is_said_of_all_state() -> None:
    """A half-captured state confirms MX204, and the container that holds placeholders afterwards is named."""
    text = """
state = {"mean": mx.array(0.0)}

@partial(mx.compile, inputs=state)  # HERE
def f(x):
    state["mean"] = 0.5 * state["mean"] + mx.sum(x)
    return state["mean"]

for _ in range(2):
    f(mx.array(1.0))
"""
    verdict = claimed("MX204", text)
    assert verdict.verdict == "confirmed"
    assert verdict.evidence is not None
    assert verdict.evidence.note == "afterwards state['mean'] holds a placeholder"


def test_a_kernel_for_a_gpu_that_is_not_here_is_unavailable() -> None:
    block = next(block for block in load_page("MX605").blocks if block.attributes == ("bad",))
    Path("a.py").write_text(block.text, encoding="utf-8")
    result = check(["a.py"], with_facts=True)
    found = verify(
        [finding for finding in result.findings if finding.code == "MX605"], result.sources, [], Options(timed=False), result.facts
    )
    assert found
    for finding in found:
        assert finding.verdict is not None
        assert finding.verdict.verdict == "unavailable"
        assert "mxlint[verify-cuda]" in (finding.verdict.reason or "")


THREADS = """
from concurrent.futures import ThreadPoolExecutor

@mx.compile
def f(x):
    return mx.tanh(x) * 2

def work(value):
    print(f(mx.array(value)).item())
    mx.clear_streams()

for value in (1.0, 2.0):
    with ThreadPoolExecutor(max_workers=1) as pool:
        pool.submit({work}, value).result()  # HERE
"""


@pytest.mark.parametrize(("work", "verdict"), [("work", "confirmed"), ("float", "inconclusive"), ("print", "inconclusive")])
def test_threads_that_trace_for_themselves(work: str, verdict: str) -> None:
    """Nothing is captured, and nothing breaks: what is counted is the threads that ran the body."""
    found = claimed("MX606", THREADS.format(work=work) + "work(3.0)\n", site=0)
    assert found.verdict == verdict
    if verdict == "confirmed":
        assert found.evidence is not None
        assert (found.evidence.kind, found.evidence.observed) == ("traces", "3 threads traced it, each for itself")


INDEX = """
@mx.compile
def f(x, layer):
    return mx.exp(x) * layer

for epoch in range(50):
    for layer in range(8):
        x = f(mx.array(1.0), layer)  # HERE
"""

BUCKETS = """
@mx.compile
def f(x):
    return mx.exp(x) * 2

for step in range(100):
    f(mx.ones((8 * (1 + step % 8),)))  # HERE
"""

SERVES = """
def body(x):
    return mx.exp(x) * 2

def evaluate(batches):
    step = mx.compile(body)  # HERE
    return [step(x) for x in batches]

for epoch in range(3):
    evaluate([mx.array(1.0), mx.array(2.0)])
"""

PIPELINE = """
@mx.compile
def step(x):
    return mx.tanh(x) * 1.01

y = step(mx.ones(64))
mx.eval(y)
start = time.perf_counter()
following = step(y)
mx.async_eval(following)
for _ in range(5):
    y, following = following, step(following)
    mx.async_eval(following)
    print(y[0].item())
seconds = time.perf_counter() - start  # HERE
"""

INSIDE = """
@mx.compile
def gate(x):
    return mx.sigmoid(x) * x

def loss(x):
    return mx.sum(gate(x))  # HERE

slope = mx.grad(loss)
for _ in range(3):
    slope(mx.ones(4))
"""


@pytest.mark.parametrize(
    ("code", "text"), [("MX303", INDEX), ("MX304", BUCKETS), ("MX302", SERVES), ("MX603", PIPELINE), ("MX305", INSIDE)]
)
def test_what_a_longer_look_shows(code: str, text: str) -> None:
    """Arguments that come back, an object that serves several calls, work that is waited for, a function that is no transform's own."""
    verdict = claimed(code, text)
    assert verdict.verdict == "inconclusive", verdict


def test_a_transform_that_is_called_once_is_called_again() -> None:
    text = "f = lambda x: (x * 2).sum()\nx = mx.ones((3, 2))\nprint(mx.compile(mx.vmap(f))(x), mx.vmap(mx.compile(f))(x))  # HERE\n"
    assert claimed("MX305", text).verdict == "confirmed"


GOOD_CAPTURES = """
state = {"w": mx.array(1.0)}
scale = mx.array(1.0)

@partial(mx.compile, inputs=state, outputs=state)  # HERE
def f(x):
    state["w"] = state["w"] + x
    return state["w"] * scale

for value in (1.0, 2.0, 3.0):
    scale = mx.array(value)
    print(f(mx.array(1.0)))
"""


@pytest.mark.parametrize("code", ["MX204", "MX205"])
def test_captures_are_not_to_blame_for_what_is_not_captured(code: str) -> None:
    assert claimed(code, GOOD_CAPTURES).verdict == "inconclusive"


CHANGES = """
import mlx.core as mx

mx.eval(mx.zeros(1) + 1)


class Gain:
    def __init__(self):
        self.value = mx.array(1.0)
        self.apply = mx.compile(lambda x: x * self.value + 1)


gain = Gain()
print(gain.apply(mx.ones(3)))
"""


def changing(text: str, *, said: bool) -> Verdict:
    """The verdict on a claim about `self.value`, with or without a change that the finding speaks of."""
    Path("a.py").write_text(text, encoding="utf-8")
    result = check(["a.py"], with_facts=True)
    row = next(row for row, line in enumerate(text.splitlines(), 1) if "self.value + 1" in line)
    column = text.splitlines()[row - 1].index("self.value + 1") + 1
    span = Span("a.py", Position(row, column), Position(row, column + len("self.value")))
    site = next(site.span for site in result.sites)
    claim = forced(result.sources["a.py"], row, "MX201", [site])
    assert claim is not None
    related = (Related("compiled here", site), *([Related("changed here", span)] if said else []))
    (finding,) = verify([replace(claim, span=span, related=related)], result.sources, [], Options(timed=False), result.facts)
    assert finding.verdict is not None
    return finding.verdict


def test_a_change_that_is_out_of_sight_is_made() -> None:
    verdict = changing(CHANGES, said=True)
    assert verdict.verdict == "confirmed", verdict
    assert verdict.evidence is not None
    assert "mxlint changed `self.value` between two calls; the program was not seen to" in (verdict.evidence.note or "")


def test_a_change_that_nobody_speaks_of_is_not() -> None:
    """Any constant would be confirmed."""
    assert changing(CHANGES, said=False).verdict == "inconclusive"


def test_a_change_that_is_followed_is_not_confirmed() -> None:
    text = CHANGES.replace("+ 1)", "+ 1, inputs=self.__dict__)").replace("self.apply =", "self.apply = None; self.apply =")
    assert changing(text, said=True).verdict != "confirmed"


GROWS = """
@partial(mx.compile, shapeless=True)
def f(x):
    return mx.tanh(x) * 2  # HERE

for rows in (2, 3):
    f(mx.arange(rows * 2.0).reshape(rows, 2))
"""


@pytest.mark.parametrize(("devices", "word"), [((), "inconclusive"), (("cuda",), "inconclusive"), (("cpu", "cuda"), "refuted")])
def test_sizes_that_were_tried_refute_only_where_all_were_measured_to_go_well(devices: tuple[str, ...], word: str) -> None:
    """No size tells of another one; a measurement of the operation on that device does."""
    assert claimed("MX404", GROWS, right_on=devices).verdict == word


def test_what_happens_is_confirmed_wherever_it_was_measured_to_go_well() -> None:
    text = GROWS.replace("mx.tanh(x) * 2", "mx.exp(x[-1]) * 2")
    assert claimed("MX404", text, right_on=("cpu", "cuda")).verdict == "confirmed"


LOOPS = """
@mx.compile
def f(x, step):
    for _ in range({first}):{mark_first}
        x = x @ step
    for _ in range({second}):{mark_second}
        x = x @ step
    return x

step = mx.eye(2)
for _ in range(3):
    print(f(step, step).tolist())
"""


@pytest.mark.parametrize(
    ("first", "second", "flagged", "word", "says"),
    [
        (20_000, 30, 0, "confirmed", "a graph of 20,030 operations"),
        (20_000, 30, 1, "inconclusive", "with one round in place"),
        (50, 30, 0, "refuted", "the graph has 80 operations"),
        (80_000, 30, 0, "confirmed", "the process died of signal 11, with a graph of 80,030 operations"),
    ],
)
def test_the_loop_that_makes_a_graph_large_is_told_apart(first: int, second: int, flagged: int, word: str, says: str) -> None:
    marks = (HERE, "") if flagged == 0 else ("", HERE)
    found = claimed("MX307", LOOPS.format(first=first, second=second, mark_first=marks[0], mark_second=marks[1]))
    assert found.verdict == word, found
    assert says in (found.evidence.observed if found.evidence is not None else found.reason or "")


CAPTURED = """
state = {{"w": mx.eye(2)}}

@partial(mx.compile, inputs=state, outputs=state)
def f(x, step):
    w = state["w"]
    for _ in range({rounds}):  # HERE
        w = w @ step
    state["w"] = w
    return x + 1

step = mx.eye(2)
for _ in range(3):
    print(f(step, step).tolist())
"""


@pytest.mark.parametrize(
    ("body", "word", "says"),
    [
        ("x = x * step", "confirmed", "the process died of signal 11"),
        ("total = total + x * step * step * step * step * step", "inconclusive", "the process went on with a graph of"),
    ],
)
def test_a_long_graph_of_what_is_merged_may_end_the_process(body: str, word: str, says: str) -> None:
    program = f"""
@mx.compile
def f(x, step):
    total = x
    for _ in range({60_000 if word == "confirmed" else 7_800}):  # HERE
        {body}
    return x + total

for _ in range(3):
    print(f(mx.eye(2), mx.eye(2)).tolist())
"""
    found = claimed("MX307", program, presumed=(IN_A_ROW,))
    assert found.verdict == word, found
    assert says in (found.evidence.observed if found.evidence is not None else found.reason or "")


@pytest.mark.parametrize(("rounds", "word"), [(20_000, "confirmed"), (50, "refuted")])
def test_a_graph_behind_what_is_captured_counts(rounds: int, word: str) -> None:
    assert claimed("MX307", CAPTURED.format(rounds=rounds)).verdict == word
