"""The outline of a file says what its index says, found by brute force."""

from __future__ import annotations

import ast
import sysconfig
import textwrap
import warnings
from pathlib import Path

import pytest

from mxlint.syntax.index import Index, index
from mxlint.syntax.outline import Outline

FIXTURES = sorted((Path(__file__).parent / "fixtures").rglob("*.py"))
LIBRARY = sorted(path for path in Path(sysconfig.get_path("stdlib")).glob("*.py") if 2_000 < path.stat().st_size < 60_000)[::5]


def indexed(text: str) -> Index:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return index(text, ast.parse(text))


@pytest.mark.parametrize("path", [*FIXTURES, *LIBRARY], ids=lambda path: path.name)
def test_what_lies_between_two_offsets(path: Path) -> None:
    found = indexed(path.read_text(encoding="utf-8"))
    outline = Outline(found)
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
        )
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
