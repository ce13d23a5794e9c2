"""What a lowered finding says that it depends on: for each thing that may be left open, in plain words."""

from __future__ import annotations

import pytest

import mxlint

PROGRAMS = {
    "with the default of `show`": """
        class Quiet:
            def __call__(self, x):
                return x

        class Loud:
            def __call__(self, x):
                print(x)

        def make(show: Quiet = None):
            show = show or Loud()

            @mx.compile
            def step(x):
                show(x)
                return x

            return step
        """,
    "when `FLAG` is true": """
        from elsewhere import FLAG

        @mx.compile
        def step(x):
            if FLAG:
                print(x)
            return x
        """,
    "when `range(n)` is not empty": """
        from elsewhere import n

        @mx.compile
        def step(x):
            factor = 1.0
            for _ in range(n):
                factor = x
            return x * float(factor)
        """,
    "if `except KeyError: print(x)` runs": """
        from elsewhere import look

        @mx.compile
        def step(x):
            try:
                look("x")
            except KeyError: print(x)
            return x
        """,
    "for some values of `TABLE[NAME]`": """
        from elsewhere import NAME

        TABLE = {"a": print, "b": abs}

        @mx.compile
        def step(x):
            TABLE[NAME](x)
            return x
        """,
    "when `fresh` is true": """
        from elsewhere import fresh

        scale = 1.0

        @mx.compile
        def step(x):
            return x * scale

        step(mx.ones(2))
        if fresh:
            scale = 2.0
        step(mx.ones(2))
        """,
    "when `names` is not empty": """
        from elsewhere import names

        scale = mx.ones(2)

        @mx.compile
        def step(x):
            return x * scale

        step(mx.ones(2))
        for _ in names:
            scale = mx.zeros(2)
        step(mx.ones(2))
        """,
}


@pytest.mark.slow
@pytest.mark.parametrize("condition", PROGRAMS)
def test_what_it_hangs_on(condition: str) -> None:
    indented = PROGRAMS[condition].splitlines()
    program = "\n".join(["import mlx.core as mx", *(line.removeprefix(" " * 8) for line in indented)])
    (found,) = [each for each in mxlint.check_source(program, filename="program.py").findings if each.conditions]
    assert found.conditions == (condition,)
    assert condition in f"{found.message} {found.note}"


def test_the_nearest_of_many_are_said() -> None:
    """What tests around the call say last is most telling: `SYNC` decides, and that there are layers is nearly always so."""
    program = """
import mlx.core as mx
from elsewhere import LAYERS, SYNC, WIDTH


def synchronize(x):
    if SYNC:
        mx.eval(x)


@mx.compile
def step(x):
    if LAYERS:
        x = x * 2
        if WIDTH:
            synchronize(x)
    return x
"""
    (found,) = mxlint.check_source(program, filename="program.py").findings
    assert found.conditions == ("when `LAYERS` is true", "when `WIDTH` is true", "when `SYNC` is true")
    assert found.note.startswith("only when `WIDTH` is true and when `SYNC` is true;")


def test_an_object_without_a_name() -> None:
    """What a call of a library gives has no name by which to speak of it."""
    program = "import types\n\nimport mlx.core as mx\n\ncfg = types.ModuleType('cfg')\ncfg.s = 1.0\n\n\n@mx.compile\ndef step(x):\n    return x * cfg.s\n\n\nfor k in range(3):\n    cfg.s = float(k)\n    step(mx.ones(2))\n"
    (found,) = [each for each in mxlint.check_source(program, filename="program.py").findings if each.code == "MX209"]
    assert found.presumed == ("the object keeps what is written on it",)


def test_what_another_condition_implies_is_not_said() -> None:
    program = """
import mlx.core as mx


def make(mode, loss):
    @mx.compile
    def step(x, y):
        if mode == "plain":
            return x * y
        elif mode == "loud":
            print(x)
        if loss != "cosine":
            y.item()
        return x * y

    return step
"""
    found = mxlint.check_source(program, filename="program.py").findings
    assert [each.conditions for each in found] == [
        ('when `mode == "loud"` is true',),
        ('when `mode == "plain"` is false', 'when `loss != "cosine"` is true'),
    ]


def test_a_presumption_names_the_parameter() -> None:
    """Of several items that a factory is given, as of one: the number of the argument says nothing to a reader."""
    program = """
import mlx.core as mx


def make(model, count):
    @mx.compile
    def step(value, pair):
        print(value)
        print(pair[0])
        return model(value)

    return lambda rows: [step(rows[n], (rows[n], 1)) for n in range(count)]
"""
    found = mxlint.check_source(program, filename="program.py").findings
    assert [each.presumed for each in found] == [("`value` is an array",), ("`pair[…]` is an array",)]


def test_a_method_that_a_helper_compiles_is_named() -> None:
    program = """
import mlx.core as mx


def maybe(fn):
    return mx.compile(fn)


class Block:
    def __init__(self):
        self.fused = maybe(self._mix)

    def _mix(self, x):
        print(x)
        return x * 2


Block().fused(mx.ones(2))
"""
    (found,) = mxlint.check_source(program, filename="program.py").findings
    assert "tracing `_mix`" in found.message
