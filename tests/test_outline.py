"""The outline of a file says what its index says, found by brute force."""

from __future__ import annotations

import ast
import sysconfig
import textwrap
import warnings
from pathlib import Path

import pytest

from mxlint.models.load import changers
from mxlint.syntax.code import Libraries
from mxlint.syntax.index import ANY, Index, index
from mxlint.syntax.outline import Outline

ADDS, PUSHES = frozenset({("builtins.list", "adds")}), frozenset({("", "adds")})
LIBRARIES = Libraries(frozenset({"map"}), {"append": ADDS, "heappush": PUSHES})
FIXTURES = sorted((Path(__file__).parent / "fixtures").rglob("*.py"))
LIBRARY = sorted(path for path in Path(sysconfig.get_path("stdlib")).glob("*.py") if 2_000 < path.stat().st_size < 60_000)[::5]


def indexed(text: str) -> Index:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return index(text, ast.parse(text))


@pytest.mark.parametrize("path", [*FIXTURES, *LIBRARY], ids=lambda path: path.name)
def test_what_lies_between_two_offsets(path: Path) -> None:
    found = indexed(path.read_text(encoding="utf-8"))
    outline = Outline(found, LIBRARIES)
    for outer in found.blocks:
        inner = {number: block for number, block in enumerate(found.blocks) if outer.start <= block.start and block.end <= outer.end}
        assert list(outline.within(outer.start, outer.end).items()) == list(inner.items())
        assert outline.compiles(outer.start, outer.end) == any(
            outer.start <= start < outer.end for start in (*(site.start for site in found.sites), *found.perhaps)
        )
        assert outline.imports(inner) == [item for number in inner for item in found.imports if item.block == number]


def test_what_names_stand_for() -> None:
    outline = Outline(
        indexed(
            textwrap.dedent(
                """
                import mlx.core as mx
                import other.deep as deep
                from third import thing
                from star import *

                @mx.compile
                def decorated(x): return x

                def plain(x, default=lambda: deep.used()):
                    from fourth import inner
                    return inner(thing(x))

                class Model:
                    def method(self): return mx.compile(self.run)

                if thing:
                    def plain(y): return y.again()

                value = 3
                """
            )
        ),
        LIBRARIES,
    )
    assert [outline.definition(name).compiles for name in ("decorated", "plain", "Model", "thing", "value", "none")] == [
        True, False, True, False, True, False,
    ]  # fmt: skip
    plain = outline.definition("plain")
    assert {"inner", "thing", "deep", "x", "y"} <= set(plain.names)
    assert plain.attributes >= {"used", "again"}
    assert {item.bound for item in plain.imports} == {"deep", "thing", "inner", "*"}
    assert {item.bound for item in outline.definition("thing").imports} == {"thing", "*"}
    assert {item.bound for item in outline.definition("value").imports} == {"mx", "deep", "thing", "*"}


def test_what_a_function_names() -> None:
    text = textwrap.dedent(
        """
        def outer(rows, act):
            total, kept = 0, list(rows)
            def inner(row):
                nonlocal total
                global seen
                seen = self.last = row.kind
                kept.append(row)
                history.append(row)
                act(row)
            for row in rows:
                inner(row)
            heappush(queue, total)
            return type(row), [fresh.append(1) for fresh in [[]]]
        """
    )
    outline = Outline(indexed(text), LIBRARIES)
    code = outline.code(1, len(text) - 1)
    assert code is outline.code(1, len(text) - 1)
    assert (code.calls_values, code.makes_any, code.compiles) == (True, True, False)
    assert code.bound == {"", "rows", "act", "total", "kept", "inner", "row", "fresh"}
    assert (code.others, code.module, code.nonlocals) == ({"last"}, {"seen"}, {"total"})
    assert dict(code.changes) == {"kept": ADDS, "history": ADDS, "": ADDS, "queue": PUSHES}


@pytest.mark.parametrize(
    ("call", "changed"),
    [
        ("np.add(a.b, c, d.e)", {".e"}),
        ("np.add(a, b, out=c)", {"c"}),
        ("np.add(a, *b)", {""}),
        ("np.copyto(*a, b)", {"", "b"}),
        ("np.add(a, **b)", {"b"}),
        ("x.sum(a)", set()),
        ("np.sum(a, b)", set()),
        ("heapq.heappush(a[0], b)", {"a"}),
        ("random.shuffle(x=a)", {"a"}),
        ("operator.setitem(a, b, c)", {"a"}),
    ],
)
def test_a_function_changes_what_it_is_given_in_some_places(call: str, changed: set[str]) -> None:
    text = f"def f(x):\n    return {call}\n"
    found = Outline(indexed(text), Libraries(frozenset(), changers())).code(0, len(text) - 1)
    assert {owner for owner, ways in found.changes if any(not cls for cls, _ in ways)} == changed


@pytest.mark.parametrize(
    ("above", "line", "any_name"),
    [
        ("import mlx.core as mx", "mx.eval(x)", False),
        ("import mlx.core as mx", "model.eval()", False),
        ("import mlx.core as mx", "vars = x; vars(x)", False),
        ("import mlx.core as mx", "eval(x)", True),
        ("import mlx.core as mx", "list(map(eval, x))", True),
        ("import builtins", "builtins.eval(x)", True),
        ("import builtins as b", "b.eval(x)", True),
        ("from builtins import eval as run", "run(x)", True),
        ("from builtins import *", "eval(x)", True),
        ("import mlx.core as mx", "__builtins__.eval(x)", True),
        ("import mlx.core as mx", "(lambda vars: vars(x)), eval(x)", True),
        ("import mlx.core as mx", "(lambda eval: eval(x))", False),
    ],
)
def test_a_method_called_eval_reads_no_names(above: str, line: str, any_name: bool) -> None:
    text = f"{above}\n\ndef f(x):\n    {line}\n"
    code = Outline(indexed(text), LIBRARIES).code(text.index("def"), len(text) - 1)
    assert code.whole_module == any_name
    assert (ANY in code.attributes) == any_name
