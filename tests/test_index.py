"""The symbol index of a file: complete beside Python's own symbol table, and its compile sites those that the spelling shows."""

from __future__ import annotations

import ast
import symtable
import sys
import sysconfig
import textwrap
import types
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from symbol_tables import IMPLICIT, mangled

from mxlint.source import source_from_bytes
from mxlint.syntax.index import COUNTS, Block, Import, Index, index

FIXTURES = sorted((Path(__file__).parent / "fixtures").rglob("*.py"))
LIBRARY = sorted(path for path in Path(sysconfig.get_path("stdlib")).glob("*.py") if 2_000 < path.stat().st_size < 60_000)[::3]


def indexed(text: str, **options: tuple[str, ...]) -> Index:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return index(text, ast.parse(text), **options)


def block(found: Index, name: str) -> Block:
    (only,) = (block for block in found.blocks if block.name == name)
    return only


TEXT = textwrap.dedent(
    """
    import os.path, a.b as c
    from ..d import e as f, g
    from h import *

    @f.wraps(g)
    class A(B, metaclass=C):
        x: int = os.sep
        def m(self, p=[q for q in r], /, *args: note, k, **kw) -> back:
            global x, n
            self.a.b = self.c[self.d] = p
            self.e += 1
            del self.f
            from i import j as x
            def inner():
                nonlocal p
                p = lambda t: (u := t.v(w))
            with open(k) as (y, *z), s: n = inner()
            return [yy for yy in args if (found := yy)]

    try:
        A().m(1)
    except E as error:
        setattr(error, "note", getattr(error, name))
    match g:
        case {"k": v, **rest} | A(x=[v, *others]) as whole: rest.pop().go()
    total += 1
    """
)


def test_blocks() -> None:
    found = indexed(TEXT)
    assert [(block.kind, block.name, block.parent) for block in found.blocks] == [
        ("module", "", -1),
        ("class", "A", 0),
        ("function", "A.m", 1),
        ("function", "A.m.<locals>.inner", 2),
        ("lambda", "A.m.<locals>.inner.<locals>.<lambda>", 3),
    ]
    assert [TEXT[block.start : block.end].split("\n")[0] for block in found.blocks[1:]] == [
        "class A(B, metaclass=C):",
        "def m(self, p=[q for q in r], /, *args: note, k, **kw) -> back:",
        "def inner():",
        "lambda t: (u := t.v(w))",
    ]
    assert (found.blocks[0].start, found.blocks[0].end) == (0, len(TEXT))


def test_names() -> None:
    found = indexed(TEXT)
    module, cls, method, inner, nameless = found.blocks
    assert module.binds == {"os", "c", "f", "g", "A", "error", "v", "rest", "others", "whole", "total"}
    assert module.reads == {"f", "g", "B", "C", "A", "E", "error", "name", "setattr", "getattr", "rest", "total"}
    assert (cls.binds, cls.loops, cls.reads) == ({"x", "m"}, {"q"}, {"os", "r", "q", "int", "note", "back"})
    assert method.params == ("self", "p", "args", "k", "kw")
    assert (method.globals, method.binds, method.loops) == ({"x", "n"}, {"inner", "y", "z", "found"}, {"yy"})
    assert (inner.nonlocals, inner.binds, nameless.binds, nameless.params) == ({"p"}, set(), {"u"}, ("t",))
    assert method.reads == {"self", "p", "open", "k", "s", "inner", "args", "yy"}


def test_attributes_and_calls() -> None:
    module, cls, method, _, nameless = indexed(TEXT).blocks
    assert (method.writes, method.attributes) == ({"b", "e", "f"}, {"a", "c", "d", "e"})
    assert (module.writes, module.attributes) == ({"note"}, {"*", "wraps", "m", "pop", "go"})
    assert module.calls == {"wraps", "A", "m", "setattr", "getattr", "pop", "go"}
    assert (cls.attributes, method.calls, nameless.calls) == ({"sep"}, {"open", "inner"}, {"v"})


def test_what_a_class_test_is_given_is_not_handed_on() -> None:
    text = "def f(x):\n    return isinstance(x, A) and g(issubclass(B, C), y)\n"
    assert block(indexed(text), "f").hands == {"", "y"}
    for shadow in ("def isinstance(x, c): ...\n", "from m import *\n", "class D:\n    def m(issubclass): ...\n"):
        assert block(indexed(shadow + text), "f").hands == {"", "y", "x", "A", "B", "C"}


def test_imports() -> None:
    assert indexed(TEXT).imports == (
        Import(0, "os", "os", 0, None),
        Import(0, "c", "a.b", 0, None),
        Import(0, "f", "d", 2, "e"),
        Import(0, "g", "d", 2, "g"),
        Import(0, "*", "h", 0, "*"),
        Import(0, "x", "i", 0, "j"),
    )


def test_names_are_qualified_as_python_does() -> None:
    text = "def f():\n    global A\n    class A:\n        def m(self): return lambda: 1\n    def g(): pass\n"
    assert [block.name for block in indexed(text).blocks] == ["", "f", "A", "A.m", "A.m.<locals>.<lambda>", "f.<locals>.g"]


def qualified(code: types.CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant.co_qualname
            yield from qualified(constant)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no qualified name")
@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.name)
def test_every_qualified_name_is_that_of_a_block(path: Path) -> None:
    text = path.read_bytes().decode("utf-8-sig")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(text, path.name, "exec")
    names = Counter(name for name in qualified(code) if not any(f"<{part}" in name for part in ("listcomp", "setcomp", "dictcomp", "gen")))
    assert names <= Counter(block.name for block in indexed(text).blocks)


# -- beside Python's symbol table ----------------------------------------------------------------------------------------


def tables(table: symtable.SymbolTable, cls: str = "") -> Iterator[tuple[symtable.SymbolTable, str, list[symtable.Symbol]]]:
    """The tables of blocks, with the class around them and their symbols, those of comprehensions in them included."""
    symbols = list(table.get_symbols())
    waiting = list(table.get_children())
    while waiting:
        child = waiting.pop(0)
        if child.get_name() in ("listcomp", "setcomp", "dictcomp", "genexpr"):
            symbols += [symbol for symbol in child.get_symbols() if not symbol.get_name().startswith(".")]
            waiting += child.get_children()
        elif "class" in str(child.get_type()).lower() or "function" in str(child.get_type()).lower():
            yield from tables(child, child.get_name() if "class" in str(child.get_type()).lower() else cls)
        else:  # type parameters and annotations, which stand between a definition and what is around it
            waiting += child.get_children()
    yield table, cls, symbols


@pytest.mark.parametrize("path", [*LIBRARY, *FIXTURES[::4]], ids=lambda path: path.name)
def test_every_name_of_the_symbol_table_is_in_the_index(path: Path) -> None:
    text = source_from_bytes(path.read_bytes(), path.name).text
    known: dict[tuple[str, int], list[Block]] = defaultdict(list)
    for found in indexed(text).blocks:
        name = found.name.rpartition(".")[2].strip("<>")
        row = text.count("\n", 0, found.start) + 1 if found.kind != "module" else 0
        known["top" if found.kind == "module" else name, row].append(found)
    compared = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        top = symtable.symtable(text, path.name, "exec")
    for table, cls, symbols in tables(top):
        row = 0 if table.get_name() == "top" and table is top else table.get_lineno()
        blocks = known.get((table.get_name(), row)) or known[table.get_name(), _row_of_definition(text, row)]
        assert blocks, (table.get_name(), row)
        if len(blocks) > 1:  # lambdas in one line
            continue
        (mine,) = blocks
        binds, reads = mangled({*mine.binds, *mine.params, *mine.loops, *mine.globals, *mine.nonlocals}, cls), mangled({*mine.reads}, cls)
        for symbol in symbols:
            if symbol.get_name() in IMPLICIT:
                continue
            if symbol.is_assigned() or symbol.is_imported() or symbol.is_parameter() or symbol.is_namespace():
                assert symbol.get_name() in binds, (mine.name, symbol)
            elif symbol.is_referenced():
                assert symbol.get_name() in reads | binds, (mine.name, symbol)
        compared += 1
    assert compared > len(known) / 2


def _row_of_definition(text: str, row: int) -> int:
    """The row of `def` or `class` for that of the first decorator, from which Python counts."""
    lines = text.split("\n")
    return next(
        (number for number in range(row, len(lines) + 1) if lines[number - 1].lstrip().startswith(("def ", "class ", "async "))), row
    )


# -- compile sites -------------------------------------------------------------------------------------------------------


SITES = [
    ("import mlx.core as mx\nf = mx.compile(g)", [("name", "g", "mx.compile(g)")]),
    ("import mlx.core\nf = mlx.core.compile(a.g)", [("attribute", "a.g", "mlx.core.compile(a.g)")]),
    ("from mlx import core\nf = core.compile(lambda: 0)", [("lambda", "lambda: 0", "core.compile(lambda: 0)")]),
    ("from mlx.core import compile as jit\n@jit\ndef f(): pass", [("decorator", "f", "jit")]),
    (
        "import mlx.core as mx, functools\n@functools.partial(mx.compile, inputs=s)\ndef f(): pass",
        [("partial-decorator", "f", "functools.partial(mx.compile, inputs=s)")],
    ),
    ("import mlx.core as mx\nf = mx.compile(fun=g)", [("name", "g", "mx.compile(fun=g)")]),
    (
        "import mlx.core as mx\nf = mx.compile(mx.compile(g))",
        [("name", "mx.compile(g)", "mx.compile(mx.compile(g))"), ("name", "g", "mx.compile(g)")],
    ),
    ("import mlx.core as mx\njit = mx.compile\nf = map(mx.compile, g)", [("reference", "", "mx.compile"), ("reference", "", "mx.compile")]),
    ("import mlx.core as mx\nf = partial(mx.compile, shapeless=True)(g)", [("reference", "", "mx.compile")]),
    ("import mlx.core as mx\ndef f(a: mx.compile) -> mx.compile: b: mx.compile = a", []),
    ("import re, mlx.core as mx\nre.compile(x); a.mx.compile(y); compile(z)", []),
    ("import mlx.core as mx\ndef f(mx): return mx.compile(g)", []),
    ("import mlx.core as mx\ndef f():\n  mx = 1\n  def h(): return mx.compile(g)", []),
    ("import mlx.core as mx\ndef f():\n  mx = 1\ndef h(): return mx.compile(g)", [("name", "g", "mx.compile(g)")]),
    ("def f():\n  import mlx.core as mx\n  return lambda: mx.compile(g)", [("name", "g", "mx.compile(g)")]),
    ("def f():\n  global mx\n  import mlx.core as mx\ndef h(): return mx.compile(g)", [("name", "g", "mx.compile(g)")]),
    (
        "import mlx.core as mx\ndef f():\n  mx = 1\n  def h():\n    global mx\n    return mx.compile(g)",
        [("name", "g", "mx.compile(g)")],
    ),
    (
        "def f():\n  import mlx.core as mx\n  def h():\n    nonlocal mx\n    mx = mx.compile(g)",
        [("name", "g", "mx.compile(g)")],
    ),
    (
        "def f():\n  mx = None\n  def h():\n    nonlocal mx\n    import mlx.core as mx\n  return mx.compile(g)",
        [("name", "g", "mx.compile(g)")],
    ),
    ("class A:\n  import mlx.core as mx\n  f = mx.compile(g)\n  def m(self): return mx.compile(h)", [("name", "g", "mx.compile(g)")]),
    ("try:\n  import mlx.core as mx\nexcept ImportError:\n  mx = None\nf = mx.compile(g)", [("name", "g", "mx.compile(g)")]),
    ("from .core import compile\nf = compile(g)", []),
    ("from mlx.core import *\nf = compile(g)", []),
    ("f = mx.compile(g)\nimport mlx.core as mx", [("name", "g", "mx.compile(g)")]),
    ("# é\nimport mlx.core as mx; é = 'ü', mx.compile(ö)", [("name", "ö", "mx.compile(ö)")]),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("source", "expected"), SITES)
def test_sites(source: str, expected: list[tuple[str, str, str]], newline: str) -> None:
    text = source.replace("\n", newline)
    assert [(site.form, site.compiled, text[site.start : site.end]) for site in indexed(text).sites] == expected


def test_wrappers_compile_too() -> None:
    text = "import mlx.core as mx\nfrom tools import fast\nimport tools.more as t\nf = fast(g)\nh = t.jit(g)\nk = mx.compile(g)\n"
    found = indexed(text, compilers=("mlx.core.compile", "tools.fast", "tools.more.jit")).sites
    assert [text[site.start : site.end] for site in found] == ["fast(g)", "t.jit(g)", "mx.compile(g)"]


def test_sites_know_their_block() -> None:
    text = "import mlx.core as mx\nclass A:\n  def f(self):\n    @mx.compile\n    def g(): return mx.compile(h)\n"
    found = indexed(text)
    assert [found.blocks[site.block].name for site in found.sites] == ["A.f", "A.f.<locals>.g"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="newer syntax")
def test_newer_syntax() -> None:
    found = indexed("type X[T: bound] = T\ndef f[S: other](a: S): return {**b for b in c} if False else S\n".replace("**b for", "b for"))
    assert {"X", "f"} <= found.blocks[0].binds
    assert {"bound", "T"} <= found.blocks[0].reads
    assert "other" in block(found, "f").reads


def test_it_says_what_a_block_may_change_in_place() -> None:
    text = """
    kept = {}
    def f(given, *, more):
        made: list = []
        other = list(given)
        both = [1] if more else given
        taken = kept.get("a")
        for row in given:
            row.append(1)
        kept["b"] = 1
        kept["c"]["d"].extend(made)
        del given[0]
        self.rows[0] += [1]
        taken += [1]
        made.append(other.pop())
        both |= {1}
        given *= 2
        given -= 1
        make().clear()
        def inner():
            made.sort()
            return [part.add(1) for part in kept]
    """
    found = indexed(textwrap.dedent(text))
    assert block(found, "f").uses == {
        ("get", "kept"), ("append", ""), ("__setitem__", "kept"), ("extend", "kept"), ("__delitem__", ""), ("__iadd__", ".rows"), ("__setitem__", ".rows"),
        ("__iadd__", ""), ("__ior__", ""), ("__imul__", ""), (COUNTS, ""), ("clear", ""), ("rows", "self"),
    }  # fmt: skip
    assert block(found, "f.<locals>.inner").uses == {("sort", "made"), ("add", "")}
