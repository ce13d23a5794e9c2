"""Arguments for a function that nobody calls: they come from what the code does with each parameter, whatever that is called."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mlx.core")

from mxlint.verify.child import inputs, repairs, standins, uses
from mxlint.verify.child.search import MOST_STEPS, SEARCH_STEPS, Budget, Found, Quest, search

HEAD = "import mlx.core as mx\nimport mlx.nn as nn\n\n\ndef rows(one, count):\n    return mx.zeros((count, 4)) + one\n\n\n"

FUNCTIONS = {
    "index": "def f(a, b):\n    return mx.take_along_axis(a, mx.expand_dims(b, -1), axis=-1)\n",
    "entry": "def f(a, b):\n    return a[b] + 1\n",
    "slice": "def f(a, b):\n    return a[..., :b] * a[..., b : 2 * b]\n",
    "range": "def f(a, b):\n    for _ in range(b):\n        a = a + 1\n    return a\n",
    "helper": "def f(a, b):\n    return rows(a, b)\n",
    "text": "def f(a, b):\n    if b == 'sum':\n        return a.sum()\n    raise ValueError(b)\n",
    "rank": "def f(a, b):\n    x, y, z, w = a.shape\n    return a.transpose(0, 2, 1, 3).reshape(x, z, -1) * b\n",
    "axis": "def f(a, b):\n    return mx.argpartition(a, kth=b, axis=-1)[..., :b]\n",
    "tuple": "def f(a, b):\n    one, two, three = b\n    return a * one + two @ three\n",
    "items": "def f(a, b):\n    return sum(a * each for each in b)\n",
    "called": "def f(a, b):\n    return b(a) * 2\n",
    "module": "def f(a, b):\n    return nn.value_and_grad(b, lambda x: b(x).sum())(a)\n",
    "optimizer": "def f(a, b, c):\n    loss, grads = nn.value_and_grad(b, lambda x: b(x).sum())(a)\n    c.update(b, grads)\n    return loss\n",
    "settings": "def f(a, b):\n    if b.loud:\n        a = a * b.scale\n    return mx.zeros((b.size, b.size)) + a\n",
    "layer": "layer = nn.Linear(8, 3)\n\n\ndef f(a, b):\n    return layer(a) * b\n",
    "type": "def f(a, b):\n    return a.astype(b)\n",
}


MOST_TRIES = 64


def loaded(folder: Path, text: str, name: str) -> Any:
    """A module of that text, as a file of the program."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def found(folder: Path, text: str, name: str, trees: Any = None, budget: Budget | None = None) -> Found:
    """What the search finds for `f`, with stand-ins allowed."""
    fun = loaded(folder, HEAD + text, name).f
    known = inputs.uses_of(fun, str(folder))
    clues = inputs.Clues({}, [], trees or {}, True, known)
    parameters = inputs.parameters(fun)
    options = [inputs.choices(parameter, known.get(parameter.name, uses.Uses()), clues) for parameter in parameters]
    return search(fun, options, [parameter.name for parameter in parameters], Quest(str(folder), budget or Budget()))


def test_a_search_counts_its_steps(tmp_path: Path) -> None:
    """They are as many each time, and end what does not end by itself; what is left is for other searches."""
    spent = []
    for number in (0, 1):
        budget = Budget()
        assert found(tmp_path, FUNCTIONS["index"], f"counted_{number}", None, budget).specs is not None
        spent.append(MOST_STEPS - budget.steps)
    assert 0 < spent[0] == spent[1]
    budget = Budget()
    endless = found(tmp_path, "def f(a, b):\n    while True:\n        a = b\n", "endless", None, budget)
    assert endless.specs is None
    assert budget.steps == MOST_STEPS - SEARCH_STEPS
    assert found(tmp_path, FUNCTIONS["index"], "after", None, budget).specs is not None
    assert found(tmp_path, FUNCTIONS["index"], "nothing_left", None, Budget(steps=spent[0] // 2)).specs is None


def renamed(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\b[abc]\b", lambda match: names[match[0]], text)


@pytest.mark.parametrize("case", FUNCTIONS)
def test_arguments_are_found_for(case: str, tmp_path: Path) -> None:
    trees = {"b": {"loud": {}, "scale": {}, "size": {}}} if case == "settings" else None
    result = found(tmp_path, FUNCTIONS[case], f"plain_{case}", trees)
    assert result.specs is not None, result.problem
    assert result.tries <= MOST_TRIES, result


@pytest.mark.parametrize("case", FUNCTIONS)
def test_names_say_nothing(case: str, tmp_path: Path) -> None:
    """Under misleading names the same arguments are found, in as many tries."""
    names = {"a": "optimizer", "b": "mask_ids", "c": "eps"}
    tree = {"loud": {}, "scale": {}, "size": {}}
    results = [
        found(tmp_path, FUNCTIONS[case], f"one_{case}", {"b": tree} if case == "settings" else None),
        found(tmp_path, renamed(FUNCTIONS[case], names), f"two_{case}", {names["b"]: tree} if case == "settings" else None),
    ]
    tried, words = zip(*((result.tries, re.sub("mask_ids", "b", repr(result.specs))) for result in results))
    assert tried[0] == tried[1] and words[0] == words[1]


KINDS = [
    ("def f(m):\n    return m.trainable_parameters()\n", "module"),
    ("def f(m):\n    return nn.value_and_grad(m, lambda x: x)\n", "module"),
    ("def f(m, g):\n    m.update(g.model, g.grads)\n", "optimizer"),
    ("def f(m):\n    return m(1)\n", "function"),
    ("def f(m):\n    return m.encoder(1) + m(2)\n", "module"),
    ("def f(m):\n    return m.width + m['depth']\n", "settings"),
    ("def f(m):\n    return m.astype(mx.float32).sum()\n", None),
    ("def f(m):\n    return m + 1\n", None),
    ("def f(m):\n    return m.lower()\n", None),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_what_a_name_holds_is_told_by_what_is_done_with_it(text: str, kind: str | None, tmp_path: Path) -> None:
    fun = loaded(tmp_path, HEAD + text, f"kinds_{len(text)}").f
    assert uses.kind_of(inputs.uses_of(fun, str(tmp_path)).get("m", uses.Uses())) == kind


def test_signatures_of_mlx_say_what_functions_take() -> None:
    import mlx.core as mx

    assert dict(uses.signature(mx.argpartition))["kth"] == ("int",)
    assert dict(uses.signature(mx.take))["indices"] == ("whole", "int")
    assert dict(uses.signature(mx.where))["x"] == ("array", "float")
    assert dict(uses.signature(mx.zeros))["shape"] == ("shape", "int")
    assert dict(uses.signature(mx.array.astype))["dtype"] == ("dtype",)
    read = [name for name in dir(mx) if callable(getattr(mx, name)) and "(" in (getattr(mx, name).__doc__ or "").partition("\n")[0]]
    assert len(read) > 200 and sum(bool(uses.signature(getattr(mx, name))) for name in read) > 0.8 * len(read)


# -- messages ---------------------------------------------------------------------------------------------------------


def message(code: str) -> str:
    """What MLX raises."""
    import mlx.core as mx

    with pytest.raises(Exception) as raised:
        mx.eval(eval(code, {"mx": mx}))
    return f"{type(raised.value).__name__}: {str(raised.value).splitlines()[0]}"


@pytest.mark.parametrize(
    ("code", "sizes"),
    [
        ("mx.ones((8, 6)) + mx.ones((10, 6))", (8, 10)),
        ("mx.ones((8, 6)) @ mx.ones((7, 9))", (6, 7)),
        ("mx.concatenate([mx.ones((8, 6)), mx.ones((8, 7))], axis=0)", (6, 7)),
    ],
)
def test_messages_name_sizes_that_should_be_equal(code: str, sizes: tuple[int, int]) -> None:
    pair = repairs.equal_sizes(message(code))
    assert pair is not None and set(pair) == set(sizes)


@pytest.mark.parametrize(
    ("code", "fits", "does_not"),
    [
        (
            "mx.take_along_axis(mx.ones((2, 2)), mx.ones((2, 2)), axis=0)",
            {"array": ["n"], "dtype": "int32"},
            {"array": ["n"], "dtype": "float32"},
        ),
        ("mx.ones((2, 2))[0, 0, 0]", {"array": ["n"] * 3, "dtype": "float32"}, {"array": ["n"], "dtype": "float32"}),
        ("(lambda a, b, c: a)(*mx.ones((2, 2)).shape)", None, None),
        ("mx.zeros(mx.ones((2, 2)))", {"value": 2}, {"array": ["n"], "dtype": "float32"}),
        ("float(mx.ones((2, 2)))", {"value": 2}, {"array": ["n"], "dtype": "float32"}),
        ("(3).astype(mx.float32)", {"array": ["n"], "dtype": "float32"}, {"value": 2}),
        ("mx.ones(3).state", {"value": 2}, {"array": ["n"], "dtype": "float32"}),
    ],
)
def test_messages_say_what_to_try_instead(code: str, fits: Any, does_not: Any) -> None:
    wanted = repairs.asked(message(code))
    if fits is None:
        assert wanted is None or not wanted[1]
        return
    assert wanted is not None
    assert wanted[0](fits, does_not, wanted[1]) and not wanted[0](does_not, fits, wanted[1])


def test_sizes_are_as_different_as_the_function_takes_them(tmp_path: Path) -> None:
    result = found(tmp_path, "def f(a, b):\n    return (a @ b).reshape(a.shape[0], 1, -1)\n", "unified")
    assert result.specs is not None
    one, two = (inputs.sizes(spec, 0, "") for spec in result.specs)
    assert one[1] == two[0] and len({*one, *two}) == 3


def test_settings_have_values_by_their_use() -> None:
    tree = {"size": {}, "rate": {}, "loud": {}, "inner": {"depth": {}}}
    known = {"c.size": ("int",), "c.rate": ("float",), "c.loud": ("bool",), "c.inner.depth": ("int",)}
    made = standins.settings(tree, 0, known, "c")
    assert (made.size, made.rate, made.loud, made.inner.depth) == (8, 0.5, False, 8)
    assert standins.settings(tree, 1, known, "c").loud is True
