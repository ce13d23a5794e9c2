"""The mutation run changes conditions one at a time, and no others."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "mutation.py"

TEXT = """
def f(a, b):
    if a < b and b != 3 and a:
        return "yes"
    return [x for x in (1, 2) if x > a]
"""
INPUTS = [(a, b) for a in range(3) for b in range(5)]


@pytest.fixture
def mutation(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutation", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "mutation", module)
    spec.loader.exec_module(module)
    return module


def defined(tree: ast.Module) -> Callable[[int, int], object]:
    """The function `f` of a module."""
    namespace: dict[str, Any] = {}
    exec(compile(tree, "f.py", "exec"), namespace)  # noqa: S102 - it is the text above
    f: Callable[[int, int], object] = namespace["f"]
    return f


def results(f: Callable[[int, int], object]) -> list[object]:
    return [f(*pair) for pair in INPUTS]


def test_each_switch_is_one_change(mutation: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    switches = mutation.Switches()
    monkeypatch.setattr(builtins, "__mutant_among__", switches.among, raising=False)
    monkeypatch.setattr(builtins, "__mutant_is_on__", switches.is_on, raising=False)
    monkeypatch.setattr(builtins, "__mutant_seen__", switches.seen, raising=False)
    f = defined(mutation.Mutate("f.py", switches).visit(ast.parse(TEXT)))
    expected = results(defined(ast.parse(TEXT)))
    assert results(f) == expected
    assert switches.reached - {-1} == {mutant.number for mutant in switches.mutants}
    switches.reached.clear()
    f(0, 1)  # only `a` is false
    assert {mutant.what for mutant in switches.mutants if mutant.number in switches.reached} == {
        "not (a < b)",
        "not (b != 3)",
        "`a` dropped from and",
        "`a < b and b != 3 and a` forced True",
        "`x > a` forced False",
    }
    changed = {
        "`a < b` dropped from and": "b != 3 and a",
        "`b != 3` dropped from and": "a < b and a",
        "`a` dropped from and": "a < b and b != 3",
        "not (a < b)": "not (a < b) and b != 3 and a",
        "not (b != 3)": "a < b and not (b != 3) and a",
        "`a < b and b != 3 and a` forced True": "True",
        "`a < b and b != 3 and a` forced False": "False",
        "`x > a` forced True": "True",
        "`x > a` forced False": "False",
    }
    assert sorted(mutant.what for mutant in switches.mutants) == sorted(changed)
    for mutant in switches.mutants:
        old = "x > a" if mutant.what.startswith("`x > a`") else "a < b and b != 3 and a"
        switches.on = mutant.number
        assert results(f) == results(defined(ast.parse(TEXT.replace(old, changed[mutant.what])))) != expected, mutant.what
