"""Source → IR: what each construct becomes, and that everything stands where it is written."""

from __future__ import annotations

import ast
import random
import re
import symtable
import sys
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from symbol_tables import IMPLICIT, mangled

from mxlint.syntax import ir
from mxlint.syntax.lower import Lowering, lower
from mxlint.syntax.names import bound_names
from mxlint.syntax.trees import Trees

# -- what it becomes ---------------------------------------------------------------------------------------------------


def shape(value: Any) -> str:
    """The IR, short: constants and names as themselves, other nodes as `Kind(fields)` without positions."""
    if isinstance(value, ir.Const):
        return repr(value.value)
    if isinstance(value, ir.Name):
        return value.id
    if isinstance(value, tuple):
        return f"[{' '.join(map(shape, value))}]"
    if isinstance(value, frozenset):
        return f"{{{' '.join(sorted(value))}}}"
    if isinstance(value, (ir.Node, ir.Scope)):
        shown = [shape(getattr(value, field)) for field in value.__match_args__ if field not in _PLACES]
        return f"{type(value).__name__}({' '.join(shown)})"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value) or "''"


_PLACES = {"start", "end", "name_start", "name_end"}


def lowered(source: str) -> ir.Body:
    return lower(source).body


EXPRESSIONS = [
    ("None, True, False, ...", "Seq(tuple [None True False Ellipsis])"),
    ("0x_ff, 1_000, 0b1, 1.5e3, 1_0.5, 2j", "Seq(tuple [255 1000 1 1500.0 10.5 2j])"),
    ("'a' \"b\" r'\\d' '''c\nd''' '\\n'", repr("ab\\dc\nd\n")),
    ("b'a' Rb'\\d'", repr(b"a\\d")),
    ('\'\' """"""', "''"),
    ("'\\d'", repr("\\d")),
    ("u'\N{LATIN SMALL LETTER E WITH ACUTE}'", repr("\N{LATIN SMALL LETTER E WITH ACUTE}")),
    (
        "f'a{b}{{c}}' 'd' f'{e!r:>{f.g}} {h = }'",
        "FString(['a' Format(b '' -) '{c}d' Format(e r FString(['>' Format(Attr(f g) '' -)] no)) ' h = ' Format(h r -)] no)",
    ),
    ("'a' f'b'", "FString(['ab'] no)"),
    ("((a))", "a"),
    ("a.b.c", "Attr(Attr(a b) c)"),
    ("a[0]", "Sub(a 0)"),
    ("a[1:, ::n, :]", "Sub(a Seq(tuple [Slice(1 - -) Slice(- - n) Slice(- - -)]))"),
    ("a[0,]", "Sub(a Seq(tuple [0]))"),
    ("a[(0, 1)]", "Sub(a Seq(tuple [0 1]))"),
    ("f(a, *b, c=d, **e)", "Call(f [Arg('' - a) Arg(* - b) Arg('' c d) Arg(** - e)])"),
    ("f(x for x in y)", "Call(f [Arg('' - Comp(generator - x [Clause(x y [] no)] Scope({x} {} {})))])"),
    ("a + b * -c @ d", "Bin(+ a Bin(@ Bin(* b Unary(- c)) d))"),
    ("a ** b ** c", "Bin(** a Bin(** b c))"),
    ("not a and b or ~c", "BoolOp(or BoolOp(and Unary(not a) b) Unary(~ c))"),
    ("a < b not  in c is not d != e", "Compare(a [< not in is not !=] [b c d e])"),
    ("a if b else c", "IfExp(b a c)"),
    ("(a := b)", "Walrus(a b)"),
    ("[a, *b], {c, *d}, ()", "Seq(tuple [Seq(list [a Starred(b)]) Seq(set [c Starred(d)]) Seq(tuple [])])"),
    ("{'a': b, **c}", "DictDisplay([['a' b] [- c]])"),
    ("[x async for x in y if a if b for z in w]", "Comp(list - x [Clause(x y [a b] yes) Clause(z w [] no)] Scope({x z} {} {}))"),
    (
        "{x for x in y}, {k: v for k, v in z}",
        "Seq(tuple [Comp(set - x [Clause(x y [] no)] Scope({x} {} {})) Comp(dict k v [Clause(Seq(tuple [k v]) z [] no)] Scope({k v} {} {}))])",
    ),
    ("lambda: 0", "Lambda([] 0 no Scope({} {} {}))"),
    (
        "lambda a, /, b=1, *c, d, **e: a",
        "Lambda([Param(a '' no yes - -) Param(b '' no no 1 -) Param(c * no no - -) Param(d '' yes no - -) Param(e ** no no - -)] a no Scope({} {} {}))",
    ),
    ("lambda *, a: a", "Lambda([Param(a '' yes no - -)] a no Scope({} {} {}))"),
]


@pytest.mark.parametrize(("source", "expected"), EXPRESSIONS)
def test_expression(source: str, expected: str) -> None:
    prefix = "async def f(): " if " async " in source else ""
    (statement,) = lowered(f"{prefix}{source}\n")
    if isinstance(statement, ir.FuncDef):
        (statement,) = statement.body
    assert shape(statement) == f"ExprStmt({expected})"


STATEMENTS = [
    ("a = b, *c = d", "Assign([a Seq(tuple [b Starred(c)])] d -)"),
    ("a.b: int", "Assign([Attr(a b)] - int)"),
    ("a: int = 1", "Assign([a] 1 int)"),
    ("a @= b", "AugAssign(@ a b)"),
    ("a //= b", "AugAssign(// a b)"),
    ("a >>= b", "AugAssign(>> a b)"),
    ("a; b;", "ExprStmt(a) ExprStmt(b)"),
    ("raise\nraise A\nraise A from b", "Raise(- -) Raise(A -) Raise(A b)"),
    ("assert a\nassert a, b", "Assert(a -) Assert(a b)"),
    ("del a, b.c\ndel (a, b)\ndel a", "Delete([a Attr(b c)]) Delete([Seq(tuple [a b])]) Delete([a])"),
    ("global a, b", "Flow(pass)"),
    ("import a.b, c . d as e", "Import([[a.b -] [c.d e]])"),
    ("from a.b import (c as d, e,)", "ImportFrom(a.b 0 [[c d] [e -]])"),
    ("from ... import a\nfrom .. a import *", "ImportFrom('' 3 [[a -]]) ImportFrom(a 2 [])"),
    ("if a: b\nelif c: d\nelse: e", "If(a [ExprStmt(b)] [If(c [ExprStmt(d)] [ExprStmt(e)])])"),
    ("while a: break\nelse: continue_", "While(a [Flow(break)] [ExprStmt(continue_)])"),
    ("for a, b in c: continue\nelse: pass", "For(Seq(tuple [a b]) c [Flow(continue)] [Flow(pass)] no)"),
    (
        "try: pass\nexcept B: raise\nexcept (D, E) as f: pass\nexcept: pass\nelse: pass\nfinally: raise",
        "Try([Flow(pass)] [Handler(B - [Raise(- -)]) Handler(Seq(tuple [D E]) f [Flow(pass)]) Handler(- - [Flow(pass)])] [Flow(pass)] [Raise(- -)] no)",
    ),
    ("try: a\nfinally: b", "Try([ExprStmt(a)] [] [] [ExprStmt(b)] no)"),
    ("with a as b, c: d", "With([[a b] [c -]] [ExprStmt(d)] no)"),
    ("with (a as (b, c), d,): e", "With([[a Seq(tuple [b c])] [d -]] [ExprStmt(e)] no)"),
    ("with (a), (b): c", "With([[a -] [b -]] [ExprStmt(c)] no)"),
    (
        "@a.b\n# why\n@c(1)\nclass A(B, metaclass=C): x = 1",
        "ClassDef(A [Arg('' - B) Arg('' metaclass C)] [Assign([x] 1 -)] [Attr(a b) Call(c [Arg('' - 1)])] Scope({x} {} {}) [])",
    ),
    (
        "@a\ndef f(b: int, *, c=1) -> d: return b",
        "FuncDef(f [Param(b '' no no - int) Param(c '' yes no 1 -)] [Return(b)] [a] no no Scope({} {} {}) d [])",
    ),
    (
        "async def f():\n async with a: pass\n async for b in c: await d\n return",
        "FuncDef(f [] [With([[a -]] [Flow(pass)] yes) For(b c [ExprStmt(Await(d))] [] yes) Return(-)] [] yes no Scope({b} {} {}) - [])",
    ),
    ("def f(): yield", "FuncDef(f [] [ExprStmt(Yield(- no))] [] no yes Scope({} {} {}) - [])"),
    ("def f(): a = yield from b", "FuncDef(f [] [Assign([a] Yield(b yes) -)] [] no yes Scope({a} {} {}) - [])"),
    ("def f(): lambda: (yield)", "FuncDef(f [] [ExprStmt(Lambda([] Yield(- no) yes Scope({} {} {})))] [] no no Scope({} {} {}) - [])"),
]


@pytest.mark.parametrize(("source", "expected"), STATEMENTS)
def test_statement(source: str, expected: str) -> None:
    assert " ".join(map(shape, lowered(source))) == expected


CASES = [
    ("a", ("a",), ir.NamePattern),
    ("_", (), ir.NamePattern),
    ("(a)", ("a",), ir.NamePattern),
    ("a as b", ("a", "b"), ir.NamePattern),
    ("1", (), ir.ValuePattern),
    ("-1 | 2 + 3j", (), ir.OrPattern),
    ("'a' 'b'", (), ir.ValuePattern),
    ("A.B", (), ir.ValuePattern),
    ("None as a", ("a",), ir.NamePattern),
    ("a, *_", ("a",), ir.SequencePattern),
    ("[a, [*b]]", ("a", "b"), ir.SequencePattern),
    ("(a, b) | [b, a]", ("a", "b", "b", "a"), ir.OrPattern),
    ("{'a': b, -1: c, **d}", ("b", "c", "d"), ir.MappingPattern),
    ("A.B(a, c=(1 as d),)", ("a", "d"), ir.ClassPattern),
    ("A()", (), ir.ClassPattern),
]


@pytest.mark.parametrize(("pattern", "binds", "kind"), CASES)
def test_case(pattern: str, binds: tuple[str, ...], kind: type[ir.Pattern]) -> None:
    (statement,) = lowered(f"match x, y:\n  # why\n  case {pattern} if g: z\n")
    assert isinstance(statement, ir.Match)
    (case,) = statement.cases
    assert (case.binds, type(case.pattern), shape(case.guard), shape(case.body)) == (binds, kind, "g", "[ExprStmt(z)]")


SCOPES = [
    ("a = b", "{a} {} {}"),
    ("a, (b, *c) = d.e = f[g] = h", "{a b c} {} {}"),
    ("a += 1; b: int; c: int = 1", "{a b c} {} {}"),
    ("del a, (b, c)", "{a b c} {} {}"),
    ("import a.b, c.d as e; from f import g, h as i", "{a e g i} {} {}"),
    ("from a import *", "{} {} {}"),
    ("for a, b in c: d = 1", "{a b d} {} {}"),
    ("with a as b, c as (d, e): pass", "{b d e} {} {}"),
    ("try: a = 1\n except B as c: d = 1\n else: e = 1\n finally: f = 1", "{a c d e f} {} {}"),
    ("while a: b = 1\n else: c = 1", "{b c} {} {}"),
    ("if a: b = 1\n elif c: d = 1\n else: e = 1", "{b d e} {} {}"),
    ("match a:\n  case [b, *c]: d = 1", "{b c d} {} {}"),
    ("def a(b=(c := 1)): d = 1", "{a c} {} {}"),
    ("class a(b := c): d = 1", "{a b} {} {}"),
    ("@(a := b)\n def c(): pass", "{a c} {} {}"),
    ("lambda a: (b := a)", "{} {} {}"),
    ("[(a := b) for b in c]", "{a} {} {}"),
    ("global a; a = b = 1", "{b} {a} {}"),
    ("nonlocal a, c; a = b = 1", "{b} {} {a c}"),
    ("class a:\n  global b\n  b = 1", "{a} {} {}"),
]


@pytest.mark.parametrize(("body", "expected"), SCOPES)
def test_scope(body: str, expected: str) -> None:
    (outer,) = lowered(f"def outer(a, c):\n def f(p):\n  {body.replace(chr(10), chr(10) + ' ')}\n")
    assert isinstance(outer, ir.FuncDef)
    (function,) = outer.body
    assert isinstance(function, ir.FuncDef)
    assert shape(function.scope) == f"Scope({expected})"


# -- where it stands ---------------------------------------------------------------------------------------------------

_KINDS: dict[str, str] = {
    **dict.fromkeys(("Tuple", "List", "Set"), "Seq"),
    **dict.fromkeys(("ListComp", "SetComp", "DictComp", "GeneratorExp"), "Comp"),
    **dict.fromkeys(("JoinedStr", "TemplateStr"), "FString"),
    **dict.fromkeys(("Assign", "AnnAssign"), "Assign"),
    **dict.fromkeys(("Pass", "Break", "Continue", "Global", "Nonlocal"), "Flow"),
    **{name: name.removeprefix("Async") for name in ("For", "AsyncFor", "With", "AsyncWith")},
    **{name: "FuncDef" for name in ("FunctionDef", "AsyncFunctionDef")},
    **{name: "Try" for name in ("Try", "TryStar")},
    **{name: "Yield" for name in ("Yield", "YieldFrom")},
    **{name: name for name in ("Name", "Call", "Compare", "IfExp", "Lambda", "Await", "Starred", "Slice", "ClassDef", "Return")},
    **{name: name for name in ("Delete", "AugAssign", "While", "If", "Raise", "Assert", "Import", "ImportFrom", "Match")},
    "Attribute": "Attr",
    "Subscript": "Sub",
    "BinOp": "Bin",
    "UnaryOp": "Unary",
    "Dict": "DictDisplay",
    "NamedExpr": "Walrus",
    "Constant": "Const",
    "Expr": "ExprStmt",
    "ExceptHandler": "Handler",
    "MatchSingleton": "Const",
}
"""The kinds that both parsers place, ast's name and ours; a `BoolOp` is one node for ast, pairs for us."""

_UNSEEN = {"type_params"}
"""The fields of ast's nodes that are not lowered."""

Place = tuple[str, int, int]


def places(text: str, tree: ast.AST) -> Iterator[Place]:
    """Where Python's parser sees what, as offsets; but not inside f-strings, where it is wrong before Python 3.12."""
    starts = [0, *(newline.end() for newline in re.finditer(r"\r\n|\r|\n", text)), len(text)]

    def offset(line: int, column: int) -> int:
        row = text[starts[line - 1] : starts[line]].encode()
        return starts[line - 1] + len(row[:column].decode())

    todo = [tree]
    while todo:
        node: Any = todo.pop()
        name = type(node).__name__
        if name in _KINDS:
            yield _KINDS[name], offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)
        if name not in ("JoinedStr", "TemplateStr", "TypeAlias"):
            for field, value in ast.iter_fields(node):
                if field not in _UNSEEN:
                    todo += [child for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST)]


def our_places(value: Any) -> Iterator[Place]:
    if isinstance(value, tuple):
        for item in value:
            yield from our_places(item)
    elif isinstance(value, ir.Node):
        name = "Starred" if isinstance(value, ir.Arg) and value.star == "*" else type(value).__name__
        if name in _KINDS.values():
            yield name, value.start, value.end
        if not isinstance(value, (ir.FString, ir.TypeAlias)):
            for field in value.__match_args__:
                yield from our_places(getattr(value, field) if field != "type_params" else ())


def differences(text: str) -> list[Place]:
    """What ast and the IR place differently."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    theirs, ours = Counter(places(text, tree)), Counter(our_places(lower(text).body))
    return [*(theirs - ours), *(ours - theirs)]


def library(count: int) -> list[Path]:
    """Some files of the standard library, always the same."""
    files = sorted(path for path in Path(sysconfig.get_path("stdlib")).glob("*.py") if 2_000 < path.stat().st_size < 40_000)
    return files[:: max(1, len(files) // count)][:count]


@pytest.mark.parametrize("path", library(40), ids=lambda path: path.name)
def test_everything_stands_where_python_says(path: Path) -> None:
    assert differences(path.read_bytes().decode("utf-8-sig")) == []


AWKWARD = [
    "x = a.\\\n  b [ 0 ] . c ( d )\n",
    "(\n# one\na\n# two\n.b\n)\n(a).b; (a)(b)[c]; (a) + (b); -(a)\n",
    "x = (  # one\n  1 ,  # two\n  (2),\n)\n( ( a , b ) )\na,\n",
    "f( x for x in y ); f((x for x in y)); f((x for x in y), 1)\n",
    "x = 5if a else 7\n1or 2\nnot(a)\n- -a\na is \\\n not b\n",
    "if a:\n  pass\n# one\nelif (b):\n  pass\n  # two\nelse:\n  # three\n  pass\n  # four\n# five\n",
    "if a: b;\nelse: c;\ntry: d;\nfinally: e;  # one\nclass A: x = 1; y = 2;\n",
    "@(\n  a\n)\ndef f(): pass\n# one\n@\\\nb\n# two\n@c\n\n# three\nclass A:\n  @d\n  # four\n  async def f(x, *, y=1): yield x\n",
    "def f(a, /, b: int = (1), *c: d, e=1, **g: h) -> (x): pass\ndef f(a, b,): pass\ndef f(*, a): pass\n",
    "for x in *a, b: break\nwith (yield_): pass\nwith (a) as b, (c): pass\nwith (a, b) as c: pass\n",
    "x[a,]\nx[()]\nx[a : b : c]\nx[:]\nx[(a)]\nx[ a , b , ]\n",
    "f'a{ b !r:>{ c }} {{}}' 'd' f'''{\n e\n}''' + g\n",
    "def f():\n  x = yield\n  x = yield a, b\n  yield from a\n  (yield)\n",
    "async def f():\n  async with a as b, c: pass\n  async for x in y: await x\n  return [x async for x in y]\n",
    "match (a):\n  case [b, *c] | (b as c) if d: e\n  # one\n  case {'f': g, **h}:\n    i\n",
    "x = '''a\n  b''' 'c' \\\n  'd'; y\n",
    "a = 1; \\\nb = 2\nc = 3 \\\n\nd = 4  # \\\ne = 5",
    "x = 1  # no newline at the end",
    "\n\n# only comments\n",
    "",
    "\x0cdef f():\n\x0c    pass\n\x0c\nclass A: pass\n",
    "if a:\n\tb\n        # one\n\tc\n",
    "\N{LATIN SMALL LETTER E WITH ACUTE} = 'ß'; ü = é.ñ(é[1], '\N{MATHEMATICAL BOLD SMALL X}', z)  # \N{SNOWMAN}\nx = '\u2028'; y\n",
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("source", AWKWARD)
def test_awkward_layout(source: str, newline: str) -> None:
    assert differences(source.replace("\n", newline)) == []


def test_names_and_decorators_stand_in_the_text() -> None:
    text = "# é\n@ a . b (\n1)\n@c\nasync  def  f ( x ): pass\n\nclass  G ( H ): pass\n"
    function, cls = lowered(text)
    assert isinstance(function, ir.FuncDef) and isinstance(cls, ir.ClassDef)
    assert [text[part.start : part.end] for part in function.decorators] == ["a . b (\n1)", "c"]
    assert text[function.start : function.end] == "async  def  f ( x ): pass"
    assert text[function.name_start : function.name_end] == "f"
    assert text[cls.start : cls.end] == "class  G ( H ): pass"
    assert text[cls.name_start : cls.name_end] == "G"


def test_parts_stand_in_the_text() -> None:
    text = "def f(a: b = 1, *c, **d): g(e = h, * i, ** j)\nz = [k for l in m if n  for o in p]\nw = f'{q!r:{s}}'\n"
    function, listing, formatted = lowered(text)
    assert isinstance(function, ir.FuncDef) and isinstance(listing, ir.Assign) and isinstance(formatted, ir.Assign)
    (call,) = function.body
    assert isinstance(call, ir.ExprStmt) and isinstance(call.value, ir.Call)
    assert isinstance(listing.value, ir.Comp) and isinstance(formatted.value, ir.FString)
    parts = [*function.params, *call.value.args, *listing.value.clauses, *formatted.value.parts]
    assert [text[part.start : part.end] for part in parts] == [
        *("a: b = 1", "*c", "**d"),
        *("e = h", "* i", "** j"),
        *("for l in m if n", "for o in p"),
        "{q!r:{s}}",
    ]


FSTRINGS = [
    "f'{x.y}'",
    "'a' f'b{ x.y }' '{c}' f'{z[0]}'",
    "f'''a\n{x}{{y}}\n  {\n  x +\n y\n}z'''",
    "f'{x!r:>{w}.{p[1]}}{y}'",
    "f'{a == b}{c != d}{e <= f}{g >= h}{i < j}{k > l}'",
    "f'{a = }{b=!r}{c=:>{d}}'",
    "f'\\N{BULLET}{x}\\{{{y}' rf'\\{z}\\N{w}'",
    "f'{(lambda q: q)(x)}{ {1: 2}[1] }{[i for i in x if i != 1]}'",
    'f\'{"}"}{x[":"]}\' F"{\'{\'}{y}"',
    "f'{3,}{a, b}{(c, d)}'",
    "f'ä{ö}ü{f\"{ß!s}\"}'",
    "(f'{a}'  # {no}\n  f'{b}')",
    "f'''{\na\n}''' f'{b}'",
    "f'{x:%Y-%m-%d {y}}'",
    'f"""{f\'{f"{x}"}\'}"""',
    "f'{a}' 'b' \\\n  f'{c}'",
    "b'{a}', u'{b}', f'', f'{{}}', f'{c}'",
]


def written(text: str, node: ir.Node) -> str:
    return text[node.start : node.end]


def all_nodes(value: Any) -> Iterator[ir.Node]:
    for item in value if isinstance(value, tuple) else (value,):
        if isinstance(item, tuple):
            yield from all_nodes(item)
        elif isinstance(item, ir.Node):
            yield item
            for field in item.__match_args__:
                yield from all_nodes(getattr(item, field))


def not_what_is_written(text: str, sample: int = 400) -> list[str]:
    """Expressions that do not come out the same when they are read by themselves, from the place that they are said to have."""
    body = lower(text).body
    texts = {id(part) for node in all_nodes(body) if isinstance(node, ir.FString) for part in node.parts if isinstance(part, ir.Const)}
    specs = {id(node.spec) for node in all_nodes(body) if isinstance(node, ir.Format)}
    whole = [node for node in all_nodes(body) if isinstance(node, ir.Expr) and id(node) not in texts | specs and not _is_a_part(node)]
    wrong = []
    for node in random.Random(len(text)).sample(whole, min(sample, len(whole))):
        try:
            (read,) = lowered(f"({written(text, node)}\n)")
        except SyntaxError:
            wrong.append(written(text, node))
        else:
            assert isinstance(read, ir.ExprStmt)
            if shape(read.value) != shape(node):
                wrong.append(written(text, node))
    return wrong


def _is_a_part(node: ir.Expr) -> bool:
    """Whether it is no expression by itself."""
    items = node.items if isinstance(node, ir.Seq) else ()
    return isinstance(node, (ir.Slice, ir.Starred, ir.Format)) or any(isinstance(item, ir.Slice) for item in items)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("source", [*AWKWARD, *(f"def f():\n    é = {source}\n" for source in FSTRINGS)])
def test_every_expression_stands_where_it_is_written(source: str, newline: str) -> None:
    text = source.replace("\n", newline)
    assert not_what_is_written(text) == []
    assert shape(lowered(text)) == shape(lowered(source))


@pytest.mark.parametrize("path", library(40), ids=lambda path: path.name)
def test_every_expression_of_a_file_stands_where_it_is_written(path: Path) -> None:
    assert not_what_is_written(path.read_bytes().decode("utf-8-sig")) == []


def test_parts_of_an_f_string_stand_in_the_text() -> None:
    text = "é = f'a{b!r:>{c}}{{d}}{ e = }'\n"
    (statement,) = lowered(text)
    assert isinstance(statement, ir.Assign) and isinstance(statement.value, ir.FString)
    first, second = (part for part in statement.value.parts if isinstance(part, ir.Format))
    assert [written(text, part) for part in (first, second)] == ["{b!r:>{c}}", "{ e = }"]
    assert first.spec is not None and written(text, first.spec) == ":>{c}"


@pytest.mark.parametrize("fields", ["value", "value!r", "value!s:>8", "value:{width}.{digits}f", "value=", "value = !a:>{width}"])
@pytest.mark.parametrize("around", ["", "{{", "\\x41\\n", "é"])
def test_an_f_string_can_be_computed(around: str, fields: str) -> None:
    names = {"value": 2.5, "width": 9, "digits": 2}

    def text_of(node: ir.FString) -> str:
        return "".join(map(piece, node.parts))

    def piece(part: ir.Const | ir.Format) -> str:
        if isinstance(part, ir.Const):
            return str(part.value)
        assert isinstance(part.value, ir.Name)
        convert = {"": lambda found: found, "s": str, "r": repr, "a": ascii}[part.conversion]
        return format(convert(names[part.value.id]), "" if part.spec is None else text_of(part.spec))

    source = f"f'{around}{{{fields}}}'"
    try:
        expected = eval(source, dict(names))
    except ValueError:  # a spec that does not fit
        return
    (statement,) = lowered(source)
    assert isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.FString)
    assert text_of(statement.value) == expected


# -- scopes, as Python's own symbol table has them -----------------------------------------------------------------------


def blocks(value: Any, cls: str = "") -> Iterator[tuple[str, ir.Scope, set[str], set[str], str]]:
    """The blocks in a node: name, scope, parameters, names of comprehensions within, and the class around it."""
    for item in value if isinstance(value, tuple) else (value,):
        if isinstance(item, tuple):
            yield from blocks(item, cls)
        elif isinstance(item, ir.Node):
            inside = item.name if isinstance(item, ir.ClassDef) else cls
            if isinstance(item, (ir.FuncDef, ir.Lambda, ir.ClassDef)):
                params = {param.name for param in item.params} if not isinstance(item, ir.ClassDef) else set()
                looped = {name for node in all_nodes(item.body) if isinstance(node, ir.Comp) for name in node.scope.bound}
                yield getattr(item, "name", "lambda"), item.scope, params, looped, inside
            for field in item.__match_args__:
                yield from blocks(getattr(item, field), inside if field == "body" else cls)


def tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        if child.get_name() not in ("listcomp", "setcomp", "dictcomp", "genexpr") and "type" not in str(child.get_type()).lower():
            yield child
        yield from tables(child)


@pytest.mark.slow
def test_scopes_are_those_of_the_symbol_table() -> None:
    compared = 0
    for path in library(40):
        text = path.read_bytes().decode("utf-8-sig")
        mine: dict[str, list[Any]] = {}
        for name, scope, params, looped, cls in blocks(lower(text).body):
            mine.setdefault(name, []).append(
                (*(mangled(names, cls) for names in (scope.bound, scope.globals, scope.nonlocals, params, looped)),)
            )
        theirs: dict[str, list[Any]] = {}
        for table in tables(symtable.symtable(text, str(path), "exec")):
            symbols = [symbol for symbol in table.get_symbols() if symbol.get_name() not in IMPLICIT]
            theirs.setdefault(table.get_name(), []).append(symbols)
        assert {name: len(found) for name, found in mine.items()} == {name: len(found) for name, found in theirs.items()}
        for name, found in theirs.items():
            if len(found) > 1:  # which is which is not known
                continue
            (symbols,), ((bound, global_names, nonlocal_names, params, looped),) = found, mine[name]
            local = {symbol.get_name() for symbol in symbols if symbol.is_local() and not symbol.is_parameter()}
            assert bound - params <= local, (path, name)
            assert local - bound <= looped, (path, name)  # from Python 3.12 on comprehensions are a part of what they stand in
            assert global_names == {symbol.get_name() for symbol in symbols if symbol.is_declared_global()}
            assert nonlocal_names == {symbol.get_name() for symbol in symbols if symbol.is_nonlocal()}
            compared += 1
    assert compared > 500


# -- what cannot be lowered --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["def f(:\n", "x = '\ud800'\n", "if a:\nb\n", "x = (\n", "\x00"])
def test_what_is_not_python_raises(source: str) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        lower(source)


def test_a_node_that_only_a_newer_python_has_is_unknown() -> None:
    class NewExpr(ast.expr):
        _fields = ("inner",)

    class NewStmt(ast.stmt):
        _fields = ("target",)

    text = "x = abc\ny = 1\n"
    tree = ast.parse(text)
    first, second = tree.body
    assert isinstance(first, ast.Assign) and isinstance(second, ast.Assign)
    first.value = ast.copy_location(NewExpr(), first.value)
    tree.body[1] = ast.copy_location(NewStmt(target=second.targets[0]), second)
    assert Lowering(text, Trees()).top(tree.body) == (
        ir.Assign(0, 7, (ir.Name(0, 1, "x"),), ir.Opaque(4, 7), None),
        ir.UnknownStmt(8, 13, ("y",)),
    )


DEEP = {
    "operators": "x = " + "a + " * 20_000 + "a\n",
    "booleans": "x = " + "a or " * 20_000 + "a\n",
    "negations": "x = " + "not " * 20_000 + "a\n",
    "attributes": "x = a" + ".b" * 20_000 + "\n",
    "calls": "x = a" + "()" * 20_000 + "\n",
    "parentheses": "x = " + "(" * 20_000 + "a" + ")" * 20_000 + "\n",
    "conditionals": "x = " + "a if b else " * 20_000 + "a\n",
    "lambdas": "x = " + "lambda:" * 20_000 + "a\n",
    "elifs": "if a: pass\n" + "elif a: pass\n" * 20_000,
    "beyond Python's stack only": "x = " + "a + " * 900 + "a\n",
}


@pytest.mark.parametrize("source", DEEP.values(), ids=DEEP)
def test_deep_nesting_is_unknown_or_not_parsed(source: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)  # an analysis in the same process raises it
    try:
        found = lower(source).body
    except (SyntaxError, RecursionError, MemoryError):  # Python itself cannot parse it
        return
    finally:
        sys.setrecursionlimit(limit)
    assert [type(statement) for statement in found] == [ir.UnknownStmt]


def test_long_is_not_deep() -> None:
    (statement,) = lowered("x = [" + "-1.5 + f(a.b), " * 3_000 + "]\n")
    assert isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Seq)
    assert len(statement.value.items) == 3_000


@pytest.mark.skipif(sys.version_info < (3, 12), reason="newer syntax")
def test_type_alias() -> None:
    before, alias, after = lowered("a = 1\ntype X[T: int, *Ts, **P] = list[T]\nb = 2\n")
    assert (shape(before), shape(alias), shape(after)) == (
        "Assign([a] 1 -)",
        "TypeAlias(X [TypeParam(T '' int -) TypeParam(Ts * - -) TypeParam(P ** - -)] Sub(list T))",
        "Assign([b] 2 -)",
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="newer syntax")
def test_type_parameters() -> None:
    function, cls = lowered("def f[T: int, *Ts, **P](x: T) -> T: pass\nclass A[T](B): pass\n")
    params = "[TypeParam(T '' int -) TypeParam(Ts * - -) TypeParam(P ** - -)]"
    assert shape(function) == f"FuncDef(f [Param(x '' no no - T)] [Flow(pass)] [] no no Scope({{}} {{}} {{}}) T {params})"
    assert shape(cls) == "ClassDef(A [Arg('' - B)] [Flow(pass)] [] Scope({} {} {}) [TypeParam(T '' - -)])"


@pytest.mark.skipif(sys.version_info < (3, 13), reason="newer syntax")
def test_defaults_of_type_parameters() -> None:
    (alias,) = lowered("type X[T = int, *Ts = *a, **P = b] = c\n")
    assert shape(alias) == "TypeAlias(X [TypeParam(T '' - int) TypeParam(Ts * - Starred(a)) TypeParam(P ** - b)] c)"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="newer syntax")
def test_except_star() -> None:
    (statement,) = lowered("try: a\nexcept* B as c: d\n")
    assert shape(statement) == "Try([ExprStmt(a)] [Handler(B c [ExprStmt(d)])] [] [] yes)"
    assert shape(lowered("a[*b]\n")) == "[ExprStmt(Sub(a Seq(tuple [Starred(b)])))]"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="newer syntax")
def test_quotes_and_lines_in_f_strings() -> None:
    text = "x = f'{'a' + f'{\n  b['c']  # why\n}\\n'}'\n"
    assert shape(lowered(text)) == "[Assign([x] FString([Format(Bin(+ 'a' FString([Format(Sub(b 'c') '' -) '\\n'] no)) '' -)] no) -)]"
    assert not_what_is_written(text) == []


@pytest.mark.skipif(sys.version_info < (3, 14), reason="newer syntax")
def test_newest_syntax() -> None:
    assert shape(lowered("t'a{b!r:{c}}'\n")) == "[ExprStmt(FString(['a' Format(b r FString([Format(c '' -)] no))] yes))]"
    (statement,) = lowered("try: a\nexcept B, C: d\n")
    assert shape(statement) == "Try([ExprStmt(a)] [Handler(Seq(tuple [B C]) - [ExprStmt(d)])] [] [] no)"


# -- bodies that are made later --------------------------------------------------------------------------------------


FUNCTIONS = """
def f(a):
    b = yield a
    def inner(): yield
class A:
    async def f(self):
        global c
        c = lambda: (yield)
    if x:
        def g(self): return [self for self in self]
try:
    pass
except E:
    def h(): nonlocal_ = 1
"""


def deferred(body: ir.Body) -> list[ir.FuncDef]:
    """The functions that stand in no other function, without asking for anything that is made later."""
    found: list[ir.FuncDef] = []
    for node in body:
        if isinstance(node, ir.FuncDef):
            found.append(node)
        else:
            for part in (getattr(node, field) for field in node.__match_args__):
                found += deferred(tuple(item for item in part if isinstance(item, ir.Node))) if isinstance(part, tuple) else []
    return found


@pytest.mark.parametrize("backwards", [False, True])
def test_the_order_in_which_bodies_are_asked_for_does_not_matter(backwards: bool) -> None:
    functions = deferred(lowered(FUNCTIONS))
    assert [function.name for function in functions] == ["f", "f", "g", "h"]
    for function in functions[:: -1 if backwards else 1]:
        assert function.body
    assert [shape(function.scope) for function in functions] == [
        "Scope({b inner} {} {})",
        "Scope({} {c} {})",
        "Scope({} {} {})",
        "Scope({nonlocal_} {} {})",
    ]
    assert [function.generator for function in functions] == [True, False, False, False]


def test_dropped_trees_are_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda text: parsed.append(text) or parse(text))
    trees = Trees(room=len(FUNCTIONS) + 10)
    module = lower(FUNCTIONS, trees)
    assert trees.of(FUNCTIONS) is trees.of(FUNCTIONS)
    assert trees.of("x = 1\n") is trees.of("x = 1\n")
    first, *rest = deferred(module.body)
    assert first.body and len(parsed) == 2
    assert trees.of("y = 1\n") is trees.of("y = 1\n")  # there is room for one small text beside it
    assert rest[0].body == deferred(lowered(FUNCTIONS))[1].body
    assert parsed.count(FUNCTIONS) == 2  # the first, and the one for `lowered`


def test_a_text_that_is_larger_than_the_room_has_a_tree() -> None:
    trees = Trees(room=1)
    assert trees.of("x = 1\n") is trees.of("x = 1\n")
    first = trees.of("x = 1\n")
    assert trees.of("y = 1\n") is not first
    assert trees.of("x = 1\n") is not first


def test_a_field_that_is_not_there() -> None:
    (function,) = lowered("def f(): pass\n")
    assert not hasattr(function, "nothing")


# -- records -------------------------------------------------------------------------------------------------------------


def test_records() -> None:
    one = ir.Attr(0, 3, ir.Name(0, 1, "a"), "b")
    assert one == ir.Attr(start=0, end=3, value=ir.Name(0, 1, "a"), name="b")
    assert hash(one) == hash(ir.Attr(0, 3, ir.Name(0, 1, "a"), "b"))
    assert one != ir.Attr(0, 3, ir.Name(0, 1, "a"), "c") and one != ir.Starred(0, 3, one) and one != "a.b"
    assert repr(one) == "Attr(start=0, end=3, value=Name(start=0, end=1, id='a'), name='b')"
    assert one.moved(1, 4) == ir.Attr(1, 4, ir.Name(0, 1, "a"), "b")
    with pytest.raises(TypeError):
        ir.Name(0, 1)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        one.other = 1  # type: ignore[attr-defined]


# -- the names that statements bind -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a, (b, *c) = d.e = f[g] = h", "a b c"),
        ("import a.b, c as d; from e import *", "a d *"),
        ("@(a := 1)\ndef f(b=(c := 2)): d = 3", "a f c"),
        ("class A(b := 1): c = 2", "A b"),
        ("if a:\n  b = 1\nelse:\n  def c(): d = 1", "b c"),
        ("x = [(a := b) for b in c]; y = lambda d=(e := 1): (f := 2)", "x a y e"),
        ("try: a = 1\nexcept B as c: pass", "a c"),
        ("match a:\n  case [b, *c] | {'d': e, **f} if g: h = 1", "b c e f h"),
        ("for a in b: del c", "a c"),
    ],
)
def test_bound_names(source: str, names: str) -> None:
    found = bound_names(ast.parse(source).body)
    assert sorted(found) == sorted(names.split())
