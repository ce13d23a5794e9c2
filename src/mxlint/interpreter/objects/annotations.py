"""What an annotation names, where reading it needs no run: `mx.array`, `Model | None`, `"list[Model]"`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mxlint.domain.members import External, Ref, Value
from mxlint.interpreter.imports.unrun import meant
from mxlint.interpreter.machine.core import Interpreter
from mxlint.models.load import model
from mxlint.models.mlx.names import canonical
from mxlint.source import Source
from mxlint.syntax import ir
from mxlint.syntax.lower import lower

_UNIONS: Final = frozenset(("typing.Union", "typing_extensions.Union"))
_OPTIONAL: Final = frozenset(("typing.Optional", "typing_extensions.Optional"))
SCALARS: Final = {"int": "int", "float": "float", "bool": "bool", "str": "str", "bytes": "bytes", "complex": "complex"}
"""What scalars are annotated by, and their kinds."""


def alternatives(i: Interpreter, ref: Ref, annotation: ir.Expr | None) -> Iterator[ir.Expr]:
    """The annotations of which one holds for a parameter of a function, each by itself."""
    if isinstance(annotation, ir.Const) and isinstance(annotation.value, str):
        yield from alternatives(i, ref, _quoted(annotation.value))
    elif isinstance(annotation, ir.Bin) and annotation.op == "|":
        yield from alternatives(i, ref, annotation.left)
        yield from alternatives(i, ref, annotation.right)
    elif (
        isinstance(annotation, ir.Sub)
        and isinstance(head := named(i, ref, annotation.value), External)
        and head.name in _UNIONS | _OPTIONAL
    ):
        index = annotation.index
        for part in index.items if isinstance(index, ir.Seq) and head.name in _UNIONS else (index,):
            yield from alternatives(i, ref, part)
        if head.name in _OPTIONAL:
            yield ir.Const(annotation.start, annotation.end, None)
    elif annotation is not None:
        yield annotation


def scalars(i: Interpreter, ref: Ref, annotation: ir.Expr | None) -> frozenset[str]:
    """The kinds of scalars that a parameter of a function is annotated as; none, if it may be anything else but None."""
    found = [part for part in alternatives(i, ref, annotation) if not _is_none(part)]
    kinds = [SCALARS[part.id] for part in found if isinstance(part, ir.Name) and part.id in SCALARS]
    return frozenset(kinds) if len(kinds) == len(found) else frozenset()


def said(name: str, kinds: Iterable[str]) -> str:
    """The presumption that a parameter is of one of some kinds, in words."""
    return f"`{name}` is " + " or ".join(
        "None" if kind == "NoneType" else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}" for kind in kinds
    )


def names_array(i: Interpreter, ref: Ref | None, annotation: ir.Expr | None) -> bool:
    """Whether a parameter of a function is annotated as an array, and as nothing else."""
    return ref is not None and [named(i, ref, part) for part in alternatives(i, ref, annotation)] == [External("mlx.core.array")]


def says_nothing(i: Interpreter, ref: Ref | None, annotation: ir.Expr | None) -> bool:
    """Whether an annotation leaves open what a parameter is: there is none, or only `Any`, and classes of which nothing is known, or an array besides."""
    if annotation is None or ref is None:
        return annotation is None
    found = [part for part in alternatives(i, ref, annotation) if not _is_none(part) and named(i, ref, part) != External("mlx.core.array")]
    return bool(found) and all(_is_unknown(i, ref, part) for part in found)


def _is_none(annotation: ir.Expr) -> bool:
    return isinstance(annotation, ir.Const) and annotation.value is None


_ANYTHING: Final = frozenset(("typing.Any", "typing_extensions.Any", "builtins.object"))


def _is_unknown(i: Interpreter, ref: Ref, annotation: ir.Expr) -> bool:
    """Whether nothing is known of a class that an annotation names."""
    head = annotation.value if isinstance(annotation, ir.Sub) else annotation
    found = named(i, ref, head)
    if found is None:
        return isinstance(head, ir.Name) and (head.id == "object" or model(f"builtins.{head.id}") is None)
    return isinstance(found, External) and (found.name in _ANYTHING or not found.name.startswith("mlx.") and model(found.name) is None)


def _quoted(text: str) -> ir.Expr | None:
    """An annotation that is written as text."""
    try:
        body = lower(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return body[0].value if len(body) == 1 and isinstance(body[0], ir.ExprStmt) else None


def named(i: Interpreter, ref: Ref, annotation: ir.Expr | None) -> Value | None:
    """What a dotted name in the annotations of a function stands for, if it is a class of the program or something of a library."""
    value = dotted(i, ref, annotation)
    return value if isinstance(value, External) or isinstance(value, Ref) and i.info(value.oid).kind == "class" else None


def dotted(i: Interpreter, ref: Ref, node: ir.Expr | None) -> Value | None:
    """What a dotted name means around a function, without reading anything: None for other expressions, and where a part of it is no object of the program."""
    names: list[str] = []
    while isinstance(node, ir.Attr):
        names.append(node.name)
        node = node.value
    if not isinstance(node, ir.Name):
        return None
    env = i.heap.get(ref.oid, ("#", "parent"))
    value: Value | None = None
    while isinstance(env, Ref) and value is None:
        value = i.heap.get(env.oid, node.id)
        env = i.heap.get(env.oid, ("#", "parent"))
    source = getattr(i.info(ref.oid).payload, "source", None)
    if value is None and isinstance(source, Source):
        value = meant(i, source, node.id)
    for name in reversed(names):
        if isinstance(value, External):
            value = External(canonical(f"{value.name}.{name}"))
        elif isinstance(value, Ref):
            value = i.heap.get(value.oid, name)
        else:
            return None
    return value
