"""--verify: what a verdict may say. Refuted needs all that is in sight; what is not seen is looked for before it is given up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from needed import needs_mlx

from mxlint.engine import check
from mxlint.finding import Finding, Verdict
from mxlint.verify.claims import forced
from mxlint.verify.experiment import Options, verify

pytestmark = [needs_mlx, pytest.mark.usefixtures("folder")]


def findings(text: str, **options: Any) -> dict[str, Finding]:
    """The verified findings of a program, the first of each code. `options`: how to verify."""
    Path("main.py").write_text(text, encoding="utf-8")
    result = check(["main.py"], with_facts=True)
    found = verify(result.findings, result.sources, [site.span for site in result.sites], Options(timed=False, **options), result.facts)
    return {finding.code: finding for finding in reversed(found)}


def verdict(text: str, code: str, **options: Any) -> Verdict:
    """The verdict on the finding of a rule, which has to be there."""
    found = findings(text, **options)[code].verdict
    assert found is not None
    return found


def forced_verdict(text: str, code: str, marked: str) -> Verdict:
    """The verdict on a claim that no rule makes, about the row that holds `marked`."""
    Path("main.py").write_text(text, encoding="utf-8")
    result = check(["main.py"], with_facts=True)
    sites = [site.span for site in result.sites]
    row = next(number for number, line in enumerate(text.splitlines(), 1) if marked in line)
    claim = forced(result.sources["main.py"], row, code, sites)
    assert claim is not None
    (found,) = verify([claim], result.sources, sites, Options(timed=False), result.facts)
    assert found.verdict is not None
    return found.verdict


# -- refuted -----------------------------------------------------------------------------------------------------------

HEAD = "from functools import partial\nimport mlx.core as mx\n\n"
CAPTURED = """state = mx.random.state
@partial(mx.compile, inputs=state, outputs=state)
def f(x):
    return x + mx.random.uniform(shape=(3,))  # here
print(f(mx.ones(3)), f(mx.ones(3)), f(mx.ones(3)))
"""
FALSE_CLAIMS: dict[str, tuple[str, str]] = {
    "MX101": ("@mx.compile\ndef f(x, n=2):\n    y = x * n  # here\n    return y\nprint(f(mx.ones(3)), f(mx.ones(3)))\n", "# here"),
    "MX103": ("@mx.compile\ndef f(x, n=2):\n    y = float(n)  # here\n    return x * y\nprint(f(mx.ones(3)), f(mx.ones(3)))\n", "# here"),
    "MX203": (CAPTURED, "# here"),
    "MX301": ("def g(x):\n    return mx.tanh(x) * 2\nf = mx.compile(g)  # here\nfor _ in range(3):\n    print(f(mx.ones(3)))\n", "# here"),
    "MX303": ("@mx.compile\ndef f(x, n):\n    return x * n + 1\nfor _ in range(4):\n    f(mx.ones(3), 2)  # here\n", "# here"),
    "MX502": ("@mx.compile\ndef f(x, n):\n    return x * n + 1\nprint(f(mx.ones(3), 2))  # here\n", "# here"),
    "MX504": ("@mx.compile  # here\ndef f(x):\n    return x * 2 + 1\nprint(f(mx.ones(3)), f(mx.ones(3)))\n", "# here"),
    "MX506": ("@mx.compile\ndef f(x, n):\n    return x * n + 1\nprint(f(mx.ones(3), 2), f(mx.ones(3), 3))  # here\n", "# here"),
}
"""A claim that is false of a program, and where it is made."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("code", FALSE_CLAIMS)
def test_what_every_call_in_sight_contradicts_is_refuted(code: str) -> None:
    text, marked = FALSE_CLAIMS[code]
    found = forced_verdict(HEAD + text, code, marked)
    assert (found.verdict, found.level) == ("refuted", "in-place"), found


@pytest.mark.parametrize("code", FALSE_CLAIMS)
def test_a_call_in_sight_that_was_not_made_keeps_a_claim_from_being_refuted(code: str) -> None:
    text, marked = FALSE_CLAIMS[code]
    arguments = "(mx.ones(3), 5)" if "(x, n" in text else "(mx.ones(3))"
    found = forced_verdict(f"{HEAD}{text}def later():\n    return f{arguments}\n", code, marked)
    assert found.verdict == "inconclusive", found
    assert found.reason is not None and "was not made" in found.reason


def test_a_caller_of_a_caller_that_was_not_run_keeps_a_claim_from_being_refuted() -> None:
    text = (
        "def best(x, functions):\n    return [mx.compile(g)(x) for g in functions]  # here\n\nbest(mx.ones(3), [mx.abs])\n"
        "def compare(x):\n    return best(x, [mx.abs, mx.exp, mx.sin])\n"
    )
    assert forced_verdict(HEAD + text, "MX301", "# here").verdict in ("confirmed", "inconclusive")


def test_a_function_that_names_the_compiled_one_and_was_not_run_keeps_a_claim_from_being_refuted() -> None:
    text = (
        "class Engine:\n    def __call__(self, x):\n        run = mx.compile(self.body)  # here\n        return run(x)\n"
        "    def body(self, x):\n        return mx.tanh(x) * 2\n\nengine = Engine()\nprint(engine(mx.ones(3)))\n"
    )
    assert forced_verdict(HEAD + text, "MX302", "# here").verdict == "refuted"
    later = "def serve(requests):\n    for request in requests:\n        yield engine(request)\n"
    found = forced_verdict(HEAD + text + later, "MX302", "# here")
    assert found.verdict in ("confirmed", "inconclusive"), found


RUN = "@mx.compile\ndef f(x, s):\n    print(s)  # here\n    return x * s\nf(mx.ones(2), 1.0)\nf(mx.ones(2), 1.0)\n"
NOT_RUN = {
    "a function in a branch": "if hasattr(mx, 'ones'):\n    def rare():\n        return f(mx.ones(2), mx.array(1.0))\n",
    "a lambda in a list": "handlers = [lambda v: f(mx.ones(2), mx.array(v))]\n",
    "a lambda in a class": "class Handler:\n    go = lambda self, v: f(mx.ones(2), mx.array(v))\n",
    "a lambda that a function returns": "def make():\n    return lambda v: f(mx.ones(2), mx.array(v))\nheld = make()\n",
    "a default": "def rare(fn=f):\n    return fn(mx.ones(2), mx.array(1.0))\n",
    "a name in a string": "def rare(name='f'):\n    return globals()[name](mx.ones(2), mx.array(1.0))\n",
}


@pytest.mark.parametrize("caller", NOT_RUN)
def test_what_may_call_the_compiled_function_and_was_not_run_keeps_a_claim_from_being_refuted(caller: str) -> None:
    assert forced_verdict(HEAD + RUN, "MX101", "# here").verdict == "refuted"
    found = forced_verdict(HEAD + RUN + NOT_RUN[caller], "MX101", "# here")
    assert found.verdict in ("confirmed", "inconclusive"), found


LISTED = "f = None\nfor _ in {names}:\n    f = mx.compile(lambda x: mx.tanh(x) * 2)  # here\n    f(mx.ones(3))\n"


@pytest.mark.parametrize(
    "names", ["range(max(1, len(os.listdir()) - 5))", "list(pathlib.Path('.').glob('*.txt')) or [1]", "glob.glob('*.txt') or [1]"]
)
def test_a_folder_of_the_project_that_the_program_lists_keeps_a_claim_from_being_refuted(folder: Path, names: str) -> None:
    head = "import glob, os, pathlib\n" + HEAD
    assert forced_verdict(head + LISTED.format(names="range(1)"), "MX301", "# here").verdict == "refuted"
    for number in range(8):
        (folder / f"{number}.txt").write_text("", encoding="utf-8")
    found = forced_verdict(head + LISTED.format(names=names), "MX301", "# here")
    assert found.verdict == "inconclusive", found
    assert found.reason is not None and "lists the folder" in found.reason


def test_a_file_in_the_home_of_the_user_keeps_a_claim_from_being_refuted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = folder / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    text = RUN.replace("1.0", "scale")
    text = "import os\n" + HEAD + "scale = mx.array(1.0) if os.path.isfile(os.path.expanduser('~/.plan')) else 1.0\n" + text
    assert forced_verdict(text, "MX101", "# here").verdict == "refuted"
    (home / ".plan").write_text("", encoding="utf-8")
    found = forced_verdict(text, "MX101", "# here")
    assert found.verdict == "inconclusive", found
    assert found.reason is not None and ".plan" in found.reason


@pytest.mark.parametrize("code", ["MX401", "MX402", "MX403", "MX404"])
def test_sizes_that_were_tried_refute_no_claim_about_sizes(code: str) -> None:
    text = "@partial(mx.compile, shapeless=True)\ndef f(x):\n    return mx.tanh(x) * 2  # here\nprint(f(mx.ones((3, 4))), f(mx.ones((5, 4))))\n"
    assert forced_verdict(HEAD + text, code, "# here").verdict == "inconclusive"


def test_an_axis_of_length_one_confirms_no_claim_that_no_rule_makes() -> None:
    text = "@partial(mx.compile, shapeless=True)\ndef f(x):\n    return mx.mean(x, axis=-1) * 2  # here\nprint(f(mx.ones((3, 4))), f(mx.ones((5, 2))))\n"
    assert forced_verdict(HEAD + text, "MX401", "# here").verdict == "inconclusive"


def test_calls_that_are_all_traced_anew_refute_no_claim_about_random_numbers() -> None:
    text = "@mx.compile\ndef f(x, n):\n    return x + mx.random.uniform(shape=(3,)) * n  # here\nfor n in range(3):\n    print(f(mx.ones(3), n))\n"
    found = forced_verdict(HEAD + text, "MX203", "# here")
    assert found.verdict == "confirmed", found  # the same call, made twice more


# -- what breaks it ----------------------------------------------------------------------------------------------------


def test_an_array_that_only_another_caller_gives() -> None:
    text = (
        "@mx.compile\ndef scaled(x, by):\n    return x * int(by)\n\n"
        "def halved(x):\n    return scaled(x, mx.array(2))\n\nprint(scaled(mx.ones(3), 2), scaled(mx.ones(3), 3))\n"
    )
    found = verdict(HEAD + text, "MX103")
    assert (found.verdict, found.level) == ("confirmed", "in-place"), found


def test_a_size_that_crashes_hides_none_that_differs() -> None:
    """MLX dies in a reduction along an axis of length 1 under shapeless, whatever the condition does, or writes where it should not until its time is over."""
    text = (
        "@partial(mx.compile, shapeless=True)\ndef f(x):\n    if x.shape[0] > 37:\n        return mx.max(x * 2, axis=0)\n    return mx.mean(x * 2, axis=0)\n\n"
        "def rows(n):\n    return mx.broadcast_to(mx.arange(n)[:, None], (n, 2)).astype(mx.float32)\n\n"
        "def serve(n):\n    return f(rows(n))\n\nprint(f(rows(4)), f(rows(5)))\n"
    )
    found = verdict(HEAD + text, "MX402", wall_s=4.0)
    assert found.verdict == "confirmed", found
    assert found.evidence is not None and found.evidence.arguments == "x=float32[38,2]"


def test_a_branch_that_only_a_size_beyond_a_constant_takes() -> None:
    text = (
        "LIMIT = 64\n@partial(mx.compile, shapeless=True)\ndef f(x):\n    if x.shape[0] > 50:\n        return x * 0.5\n    return x * 2\n\n"
        "def serve(n):\n    return f(mx.ones((n,)))\n\nprint(f(mx.ones((3,))), f(mx.ones((4,))))\n"
    )
    found = verdict(HEAD + text, "MX402")
    assert found.verdict == "confirmed" and found.evidence is not None, found
    assert "(51,)" in found.evidence.observed


def test_a_function_in_sight_that_nothing_runs_is_called_for_its_call() -> None:
    text = (
        "@mx.compile\ndef f(x):\n    print(x.sum())\n    return x * 2\n\n"
        "class Runner:\n    def __init__(self, scale: float):\n        self.scale = scale\n    def run(self, x: mx.array):\n        return f(x * self.scale)\n"
    )
    found = verdict(HEAD + text, "MX101")
    assert (found.verdict, found.level) == ("confirmed", "in-place"), found


def test_what_a_caller_that_is_called_returns_shows_a_lost_mutation() -> None:
    text = (
        "@mx.compile\ndef attend(x, cache):\n    cache.append(x * 2)\n    return mx.sum(mx.stack(cache), axis=0)\n\n"
        "def decode(xs):\n    cache = [mx.zeros(8)]\n    outs = [attend(x, cache) for x in xs]\n    return outs, len(cache)\n\n"
        "print(attend(mx.ones(2), [mx.zeros(2)]))\n"
    )
    found = verdict(HEAD + text, "MX207")
    assert (found.verdict, found.level) == ("confirmed", "in-place"), found


def test_a_row_that_only_a_late_call_comes_to() -> None:
    text = (
        "@mx.compile\ndef advance(x, it):\n    if it == 50:\n        print('halfway', x)  # here\n    return x * 0.99\n\n"
        "def stream(x, steps):\n    for it in range(steps):\n        x = advance(x, it)\n        yield x\n\n"
        "def train():\n    for last in stream(mx.ones(3), 100):\n        pass\n    return last\n\n"
        "for x in stream(mx.ones(3), 4):\n    print(x)\n"
    )
    found = forced_verdict(HEAD + text, "MX101", "# here")
    assert (found.verdict, found.level) == ("confirmed", "in-place"), found


def test_what_another_finding_hides_is_seen_without_it() -> None:
    text = (
        "@mx.compile\ndef f(x):\n    print('mean', x.mean())\n    return x + mx.random.uniform(shape=(3,))\n\n"
        "for _ in range(3):\n    print(f(mx.ones(3)))\n"
    )
    found = findings(HEAD + text)
    assert {code: finding.verdict.verdict for code, finding in found.items() if finding.verdict} == {
        "MX101": "confirmed",
        "MX203": "confirmed",
    }
    hidden = found["MX203"].verdict
    assert hidden is not None and hidden.evidence is not None and "MX101 of line 6 neutralised" in (hidden.evidence.note or "")


# -- names -------------------------------------------------------------------------------------------------------------

ALIASED = {
    "MX201": "scale = mx.array(1.0)\n@mx.compile\ndef f(x):\n    return x * scale + 1\nx = mx.array(2.0)\nprint(f(x))\nscale = mx.array(9.0)\nprint(f(x))\n",
    "MX202": "seen = []\n@mx.compile\ndef f(x):\n    y = mx.abs(x)\n    seen.append(y)\n    return y\nf(mx.ones(2))\nprint(f(mx.ones(2)), len(seen), seen[0])\n",
    "MX210": "a = mx.ones((1000, 8)) @ mx.ones((8, 1000))\n@mx.compile\ndef f(x):\n    return mx.sum(x @ a) * 2\nfor _ in range(3):\n    print(f(mx.ones((1, 1000))).item())\n",
    "MX303": "@mx.compile\ndef f(x, n):\n    return mx.sin(x + n) * 2\nfor n in range(4):\n    f(mx.ones(2), n)\n",
}


@pytest.mark.parametrize("code", ALIASED)
def test_the_name_that_an_import_gives_changes_nothing(code: str) -> None:
    usual = verdict("import mlx.core as mx\n" + ALIASED[code], code)
    other = verdict("import mlx.core as mc\n" + ALIASED[code].replace("mx.", "mc."), code)
    assert (usual.verdict, usual.level) == (other.verdict, other.level) == ("confirmed", "in-place")


# -- switches ----------------------------------------------------------------------------------------------------------

SWITCHED = {
    "a variable": "import os\nDEBUG = os.environ.get('MY_DEBUG') is not None\n",
    "a variable in a list of them": "import os\nDEBUG = 'MY_DEBUG' in os.environ\n",
    "a variable that is compared with a text": "import os\nDEBUG = os.environ.get('MY_MODE', 'fast') == 'debug'\n",
    "a variable that decides by its number": "import os\nLEVEL = int(os.getenv('DEBUG_LEVEL', '0'))\nDEBUG = LEVEL > 2\n",
    "a variable that is matched": "import os\nDEBUG = False\nmatch os.environ.get('MY_DEBUG'):\n    case 'all' | 'some':\n        DEBUG = True\n",
    "an option": "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--debug', action='store_true')\nDEBUG = parser.parse_args().debug\n",
}


@pytest.mark.parametrize("how", SWITCHED)
def test_what_a_switch_from_outside_keeps_away_is_seen_with_it_turned(how: str) -> None:
    text = SWITCHED[how] + "@mx.compile\ndef f(x):\n    if DEBUG:\n        print(x.sum())  # here\n    return x * 2\n\nf(mx.ones(3))\n"
    found = forced_verdict(HEAD + text, "MX101", "# here")
    assert (found.verdict, found.level) == ("confirmed", "in-place"), found
    assert found.evidence is not None and "debug" in (found.evidence.note or "").lower()


def test_what_a_flag_of_a_call_keeps_away_is_seen_with_the_other_outcome() -> None:
    text = "@mx.compile\ndef f(x, debug=False):\n    if debug:\n        print(x.sum())  # here\n    return x * 2\n\nf(mx.ones(3))\n"
    assert forced_verdict(HEAD + text, "MX101", "# here").verdict == "confirmed"


SURROUNDINGS = {
    "a variable": "import os\nBY = mx.array(2.0) if os.environ.get('LEVEL', '0') == '2' else 2.0\n",
    "the input": "import sys\nBY = [mx.array(float(line)) for line in sys.stdin] or [2.0]\nBY = BY[0]\n",
    "the user": "import getpass\nBY = mx.array(2.0) if getpass.getuser() == 'builder' else 2.0\n",
    "the user by number": "from os import getuid\nBY = mx.array(2.0) if getuid() == 12345 else 2.0\n",
    "a terminal": "import os\nBY = mx.array(2.0) if os.isatty(1) else 2.0\n",
    "the terminal of the input": "import sys\nBY = mx.array(2.0) if sys.stdin.isatty() else 2.0\n",
    "the terminal of the output": "import sys\nBY = mx.array(2.0) if sys.stdout.isatty() else 2.0\n",
    "the machine": "import platform\nBY = mx.array(2.0) if platform.node() == 'build7' else 2.0\n",
    "all variables": "import os\nBY = mx.array(2.0) if any(name.startswith('BUILD_') for name in os.environ) else 2.0\n",
    "a copy of all variables": "import os\nALL = {**os.environ}\nBY = mx.array(2.0) if ALL.get('LEVEL') == '2' else 2.0\n",
    "a draw": "import random\nBY = mx.array(2.0) if random.random() < 0.001 else 2.0\n",
    "a draw of a generator without a seed": "import random\nBY = mx.array(2.0) if random.Random().random() < 0.001 else 2.0\n",
    "a draw of numpy": "import numpy as np\nBY = mx.array(2.0) if np.random.rand() < 0.001 else 2.0\n",
    "a draw of a generator of numpy": "import numpy as np\nBY = mx.array(2.0) if np.random.default_rng().random() < 0.001 else 2.0\n",
    "a draw of the system": "import uuid\nBY = mx.array(2.0) if uuid.uuid4().int % 999 == 3 else 2.0\n",
    "the time": "import time\nSTART = time.time()\nBY = mx.array(2.0) if time.time() - START > 30 else 2.0\n",
    "the time in nanoseconds": "from time import monotonic_ns as now\nBY = mx.array(2.0) if now() // 1000 % 999 == 3 else 2.0\n",
    "the command line": "import sys\nBY = mx.array(2.0) if len(sys.argv) > 1 else 2.0\n",
    "an option": "import argparse\nP = argparse.ArgumentParser()\nP.add_argument('--by', default='one')\nBY = 2.0 if P.parse_args().by == 'one' else mx.array(2.0)\n",
    "the system": "import sys\nBY = mx.array(2.0) if sys.platform == 'darwin' else 2.0\n",
    "the GPU": "BY = mx.array(2.0) if mx.metal.is_available() else 2.0\n",
}
HARMLESS = {
    "a time that is printed": "import time\nSTART = time.perf_counter()\nprint(f'{(time.perf_counter() - START) * 1e3:.1f} ms')\n",
    "seeds": "import random\nrandom.seed(3)\nRNG = random.Random(4)\nUNUSED = random.random() + RNG.random()\n",
    "seeds of numpy": "import numpy as np\nnp.random.seed(3)\nRNG = np.random.default_rng(4)\nUNUSED = np.random.rand() + RNG.random()\n",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("what", SURROUNDINGS)
def test_what_a_program_asks_its_surroundings_keeps_a_claim_from_being_refuted(what: str) -> None:
    text = "@mx.compile\ndef f(x, by):\n    return x * float(by)  # here\n\nprint(f(mx.ones(3), BY), f(mx.ones(3), BY))\n"
    assert forced_verdict(HEAD + "BY = 2.0\n" + text, "MX103", "# here").verdict == "refuted"
    found = forced_verdict(HEAD + SURROUNDINGS[what] + text, "MX103", "# here")
    assert found.verdict != "refuted", found


@pytest.mark.parametrize("what", HARMLESS)
def test_what_decides_nothing_keeps_no_claim_from_being_refuted(what: str) -> None:
    text = "@mx.compile\ndef f(x, by):\n    return x * float(by)  # here\n\nprint(f(mx.ones(3), 2.0), f(mx.ones(3), 2.0))\n"
    found = forced_verdict(HEAD + HARMLESS[what] + text, "MX103", "# here")
    assert found.verdict == "refuted", found


@pytest.mark.parametrize(("by", "word"), [("mx.array(2.0)", "confirmed"), ("2.0", "inconclusive")])
def test_a_call_in_another_thread_keeps_a_claim_from_being_refuted(by: str, word: str) -> None:
    """What it raises there is seen; where it raises nothing, nothing is refuted."""
    text = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "@mx.compile\ndef f(x, by):\n    return x * float(by)  # here\n\nprint(f(mx.ones(3), 2.0), f(mx.ones(3), 2.0))\n"
        f"with ThreadPoolExecutor(1) as pool:\n    print(pool.submit(f, mx.ones(3), {by}).exception())\n"
    )
    found = forced_verdict(HEAD + text, "MX103", "# here")
    assert found.verdict == word, found
    assert word == "confirmed" or found.reason is not None and "another thread" in found.reason


@pytest.mark.parametrize(
    ("asks", "word"),
    [("np.random.rand()", "confirmed"), ("np.random.default_rng().random()", "confirmed"), ("np.sin(2.0)", "inconclusive")],
)
def test_a_draw_of_numpy_asks_the_world_outside(asks: str, word: str) -> None:
    text = f"import numpy as np\n@mx.compile\ndef f(x):\n    return x + float({asks})  # here\n\nprint([f(mx.ones(1)).item() for _ in range(4)])\n"
    found = forced_verdict(HEAD + text, "MX206", "# here")
    assert found.verdict == word, found


# -- what is never done ------------------------------------------------------------------------------------------------

ONCE = """
def norm(x):
    return x * mx.rsqrt(mx.mean(x * x) + 1e-5)


{before}def main(xs=()):
    engine = mx.compile(norm)  # here
{inside}    first = engine(mx.ones(3))
    return {result}


main()
"""
CALLED_ONCE = {
    "nobody else": ("", "", "first", "confirmed"),
    "a helper that runs": ("def show(what):\n    return what\n\n\n", "    show(engine)\n", "first", "confirmed"),
    "a generator inside": (
        "",
        "    def stream(xs):\n        for x in xs:\n            yield engine(x)\n\n",
        "first, stream(xs)",
        "inconclusive",
    ),
    "a generator that it is given to": (
        "def stream(xs, run):\n    for x in xs:\n        yield run(x)\n\n\n",
        "",
        "[first, *(stream(xs, engine) if xs else [])]",
        "inconclusive",
    ),
    "another name of it": ("", "    other = engine\n    later = lambda x: other(x)\n", "first, later", "inconclusive"),
}


@pytest.mark.parametrize("who", CALLED_ONCE)
def test_that_something_is_called_once_needs_all_that_may_call_it(who: str) -> None:
    before, inside, result, expected = CALLED_ONCE[who]
    text = HEAD + ONCE.format(before=before, inside=inside, result=result)
    assert forced_verdict(text, "MX306", "# here").verdict == expected


THREADED = """import threading
step = 0


@mx.compile
def f(x):
    return x * step


def work(times):
    for _ in range(times):
        print(f(mx.ones(3)))


for k in range(3):
    step += 1
    thread = threading.Thread(target=work, args=({times},))
    thread.start()
    thread.join()
"""


def test_calls_of_one_thread_say_nothing_of_threads_that_call_once() -> None:
    """Each has a trace of its own: MLX is right there, and a change made by hand between two calls of one thread is none of the program."""
    found = forced_verdict(HEAD + THREADED.format(times=1), "MX209", "x * step")
    assert found.verdict == "inconclusive"
    assert "a trace of its own" in (found.reason or "")
