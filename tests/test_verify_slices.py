"""A slice does what the whole program does: nothing that decides the outcome is left out, however it changes what is needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from needed import needs_mlx

from mxlint.engine import check
from mxlint.finding import Verdict
from mxlint.verify.claims import forced
from mxlint.verify.experiment import Options, verify

pytestmark = [needs_mlx, pytest.mark.usefixtures("folder")]


def claimed(code: str, files: dict[str, str], line: str) -> Verdict:
    """The verdict on a claim about the first row of a.py that has this line."""
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    result = check(["."], with_facts=True)
    row = next(row for row, one in enumerate(files["a.py"].splitlines(), 1) if one.strip() == line)
    claim = forced(result.sources["a.py"], row, code, [site.span for site in result.sites if site.span.filename == "a.py"])
    assert claim is not None
    (finding,) = verify([claim], result.sources, [], Options(timed=False), result.facts)
    assert finding.verdict is not None
    return finding.verdict


FLAG = """import mlx.core as mx
{setup}

@mx.compile
def f(x):
    if {flag}:
        print(x)
    return x * 2

f(mx.ones(3))
"""

CLASS = "class Config:\n    debug = True\n"
SETTINGS = "debug = True\ndef configure(value):\n    global debug\n    debug = value\n"
SWITCHED_OFF = {
    "an attribute of a class": (f"{CLASS}Config.debug = False", "Config.debug", {}),
    "an attribute of a module": ("import settings\nsettings.debug = False", "settings.debug", {}),
    "by a module that is only imported": (
        "import settings, quiet",
        "settings.debug",
        {"quiet.py": "import settings\nsettings.debug = False\n"},
    ),
    "by a function of a module": ("import settings\nsettings.configure(False)", "settings.debug", {}),
    "by a function that sets a global": ("debug = True\ndef setup():\n    global debug\n    debug = False\n\nsetup()", "debug", {}),
    "by a function that is given it": ("flags = {'d': True}\ndef quiet(c):\n    c['d'] = False\n\nquiet(flags)", "flags['d']", {}),
    "by a function that calls one": (
        "flags = {'d': True}\ndef quiet():\n    flags.update(d=False)\n\ndef setup():\n    quiet()\n\nsetup()",
        "flags['d']",
        {},
    ),
    "by an object": (f"{CLASS}class Quiet:\n    def __init__(self):\n        Config.debug = False\n\nQuiet()", "Config.debug", {}),
    "under a condition": ("flags = {'d': True}\nif __debug__:\n    flags.update(d=False)", "flags['d']", {}),
    "in a loop": ("flags = [1]\nwhile flags:\n    flags.pop()", "flags", {}),
    "in a try": ("flags = {'d': True}\ntry:\n    flags.pop('d')\nexcept KeyError:\n    pass", "flags", {}),
    "by its name": ("import settings\nsetattr(settings, 'debug', False)", "settings.debug", {}),
    "in sys.modules": ("import sys\nimport settings\nsys.modules['settings'].debug = False", "settings.debug", {}),
    "in globals()": ("debug = True\nglobals()['debug'] = False", "debug", {}),
    "by another thread": (
        "import threading\nflags = {'d': True}\nth = threading.Thread(target=lambda: flags.update(d=False))\nth.start()\nth.join()",
        "flags['d']",
        {},
    ),
    "by another thread that runs a function": (
        "import threading\nflags = {'d': True}\ndef quiet():\n    flags.update(d=False)\n\nth = threading.Thread(target=quiet)\nth.start()\nth.join()",
        "flags['d']",
        {},
    ),
    "by a method": (
        f"{CLASS}class Quiet:\n    def go(self):\n        Config.debug = False\n\nquiet = Quiet()\nquiet.go()",
        "Config.debug",
        {},
    ),
    "by exec": ("debug = True\nexec('debug = False')", "debug", {}),
    "in vars()": ("import settings\nvars(settings).update(debug=False)", "settings.debug", {}),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("how", SWITCHED_OFF)
def test_what_is_switched_off_is_off(how: str) -> None:
    """`print(x)` is never reached in the program; the experiment must not reach it either."""
    setup, flag, more = SWITCHED_OFF[how]
    verdict = claimed("MX101", {"settings.py": SETTINGS, **more, "a.py": FLAG.format(setup=setup, flag=flag)}, "print(x)")
    assert verdict.verdict == "inconclusive", verdict


@pytest.mark.parametrize("how", ["an attribute of a class", "by a module that is only imported", "by a function that sets a global"])
def test_what_is_switched_on_is_on(how: str) -> None:
    setup, flag, more = (
        (part.replace("True", "???").replace("False", "True").replace("???", "False") if isinstance(part, str) else part)
        for part in SWITCHED_OFF[how]
    )
    assert isinstance(setup, str) and isinstance(flag, str) and isinstance(more, dict)
    more = {name: text.replace("False", "True") for name, text in more.items()}
    settings = SETTINGS.replace("True", "False")
    verdict = claimed("MX101", {"settings.py": settings, **more, "a.py": FLAG.format(setup=setup, flag=flag)}, "print(x)")
    assert verdict.verdict == "confirmed", verdict


COMPUTED = """import mlx.core as mx
from mlx.utils import tree_flatten

w = mx.random.normal((256, 256)) @ mx.random.normal((256, 256))
{setup}

@mx.compile
def f(x):
    return x @ w

for _ in range(3):
    mx.eval(f(mx.ones((4, 256))))
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "setup",
    [
        "for p in [w]:\n    mx.eval(p)",
        "try:\n    mx.eval(w)\nexcept RuntimeError:\n    raise",
        "with mx.stream(mx.cpu):\n    mx.eval(w)",
        "norm = w.sum().item()",
        "assert mx.isfinite(w).all().item()",
        "print(w[0, 0])",
    ],
)
def test_what_was_computed_is_computed(setup: str) -> None:
    verdict = claimed("MX210", {"a.py": COMPUTED.format(setup=setup)}, "return x @ w")
    assert verdict.verdict == "inconclusive", verdict
    assert claimed("MX210", {"a.py": COMPUTED.format(setup="")}, "return x @ w").verdict == "confirmed"


def test_rows_with_several_statements() -> None:
    text = """import mlx.core as mx; K = 3; L = [1,
 2]; M = 4
@mx.compile
def f(x):
    print(x)
    return x * K
if __name__ == "__main__":
    a = 1
    b = 2; c = 3
    f(mx.ones(3))
"""
    assert claimed("MX101", {"a.py": text}, "print(x)").verdict == "confirmed"


MISSING = FLAG.replace("{setup}", "from some_missing_package import DEBUG, MODE")


@pytest.mark.parametrize("flag", ["DEBUG", "not DEBUG", "MODE == 'debug'", "MODE != 'debug'", "len(MODE)"])
def test_what_is_missing_has_no_value(flag: str) -> None:
    verdict = claimed("MX101", {"a.py": MISSING.format(flag=flag)}, "print(x)")
    assert verdict.verdict == "inconclusive", verdict
    assert "some_missing_package" in (verdict.reason or "")


def test_a_run_that_was_cut_refutes_nothing() -> None:
    text = """import mlx.core as mx

@mx.compile
def f(x, late):
    if late:
        print(x)
    return x * 2

for i in range(5000):
    f(mx.ones(3), False)
"""
    verdict = claimed("MX103", {"a.py": text}, "return x * 2")
    assert verdict.verdict == "inconclusive" and "calls that were looked at" in (verdict.reason or ""), verdict


def test_chance_is_no_pitfall() -> None:
    text = """import os
import mlx.core as mx
from functools import partial

state = {"w": mx.ones(3) * int.from_bytes(os.urandom(4), "little")}

@partial(mx.compile, inputs=state)
def f(x):
    return x * state["w"]

for _ in range(2):
    print(f(mx.ones(3)))
"""
    assert claimed("MX205", {"a.py": text}, "@partial(mx.compile, inputs=state)").verdict == "inconclusive"


ASKS = """import json
from pathlib import Path

import mlx.core as mx

{setup}

@mx.compile
def f(x):
    if debug:
        print(x)
    return x * 2

f(mx.ones(3))
"""


@pytest.mark.parametrize(
    "setup",
    [
        "try:\n    debug = json.load(open('config.json'))['debug']\nexcept OSError:\n    debug = True",
        "debug = not (Path(__file__).parent / 'config.json').exists()",
    ],
)
def test_files_that_the_experiment_does_not_have(setup: str) -> None:
    Path("config.json").write_text('{"debug": false}', encoding="utf-8")
    verdict = claimed("MX101", {"a.py": ASKS.format(setup=setup)}, "print(x)")
    assert verdict.verdict == "inconclusive", verdict
    assert "config.json" in (verdict.reason or "")
    Path("config.json").unlink()
    assert claimed("MX101", {"a.py": ASKS.format(setup=setup)}, "print(x)").verdict == "confirmed"


def test_libraries_that_are_not_used_are_not_set_up() -> None:
    text = """import logging
import random

import mlx.core as mx

def fetch():
    raise SystemExit

random.seed(fetch())
logging.basicConfig(handlers=[fetch()])

@mx.compile
def f(x):
    print(x)
    return x * 2

f(mx.ones(3))
"""
    assert claimed("MX101", {"a.py": text}, "print(x)").verdict == "confirmed"
