"""Methods that functions come to without naming them: `model(x)`, `table[i]`, `a + b`, `for row in stream`, `view.array` of a property.

The name of an object says which methods those may be: that of `self`, of a parameter that is annotated by a class, of a class, of what a module or class holds, and
of an attribute that keeps any of these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from mxlint.domain.members import UNBOUND, Ref, Value, members
from mxlint.interpreter.calls.relevance import reach_of
from mxlint.interpreter.machine.constructors import CONSTRUCTORS
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.annotations import alternatives, named
from mxlint.interpreter.objects.hints import Annotations
from mxlint.interpreter.objects.lookup import CLASS, mro
from mxlint.interpreter.open_world.mentions import keeping
from mxlint.source import Source
from mxlint.syntax import ir
from mxlint.syntax.index import Block

Span: TypeAlias = tuple[int, int]
"""Where a function begins and ends in its file."""
ELSEWHERE: Final[Span] = (-1, -1)
"""Stands for the functions of other files that reach something compiled."""
How: TypeAlias = Literal["called", "used", "read", "written"]


class Way(NamedTuple):
    """By which name a method is come to, where it stands, and how: the object of that name is called, used for itself by any operation, read, also as an attribute, or
    the attribute is set."""

    name: str
    method: Span
    how: How

    def is_taken(self, block: Block) -> bool:
        """Whether a function may come to the method."""
        if self.how == "read":
            return self.name in block.reads or self.name in block.attributes
        return self.name in {"called": block.calls, "used": block.bare, "written": block.writes}[self.how]


def by_function(
    i: Interpreter,
    source: Source,
    module: int,
    functions: Iterable[tuple[Ref, Ref | None]],
    classes: Sequence[Ref],
    blocks: Iterable[Block],
) -> dict[Span, list[Way]]:
    """How each function of a file may come to methods of objects of the classes of the file. `functions`: these, with the classes whose objects are their first
    argument; `blocks`: those of the symbol index. Models keep layers everywhere: what calls a layer that it keeps is no candidate by that, as layers are given
    arrays, and show what becomes of them when they are entered themselves."""
    of_all = [
        *_of_objects(i, source, (module, *(cls.oid for cls in classes))),
        *_of_annotated_attributes(i, source),
        *(way for cls in classes for way in _of_properties(i, source, cls)),
    ]
    below = {base: [cls for cls in classes if base in mro(i, cls)] for base in classes}
    special = {cls: list(_special_methods(i, source, cls)) for cls in classes}
    found: dict[Span, list[Way]] = {}
    for ref, cls in functions:
        info = i.info(ref.oid).payload
        if isinstance(info, FunctionInfo):
            own = [Way(param.name, *method) for param in info.node.params for method in _of_annotated(i, source, ref, param.annotation)]
            kept = i.project.once(source).of(keeping, info.node) if own else {}
            of_all += [Way(attribute, span, how) for name, span, how in own for attribute in kept.get(name, ())]
            first = info.node.params[0].name if cls is not None and info.node.params else ""
            if cls is not None and first:
                own += [Way(first, span, "used" if how == "read" else how) for other in below.get(cls, ()) for span, how in special[other]]
            found[info.node.start, info.node.end] = own
    made = [
        (name, special[member])
        for name, value in i.heap.fields(module).items()
        for member in members(value)
        if isinstance(name, str) and isinstance(member, Ref) and special.get(member) and i.mlx.class_kind(i, member) != "module"
    ]
    of_all += [way for block in blocks for name, methods in made if name in block.reads for way in _of_makers(block, methods)]
    of_all += [Way(name, span, "read") for name, methods in made for span, how in methods if how == "read"]
    return {function: [*own, *of_all] for function, own in found.items()}


def _of_makers(block: Block, methods: Sequence[tuple[Span, How]]) -> Iterator[Way]:
    """Who makes an object of a class may keep it in the attributes that it sets, and a module under the names that it binds."""
    for name in block.assigns if block.kind == "module" else block.writes:
        yield from (Way(name, *method) for method in methods)


def _of_objects(i: Interpreter, source: Source, holders: Iterable[int]) -> Iterator[Way]:
    """The objects that a module and its classes hold, as descriptors."""
    for holder in holders:
        for name, value in i.heap.fields(holder).items():
            for member in members(value) if isinstance(name, str) else ():
                if isinstance(name, str) and isinstance(member, Ref) and i.info(member.oid).kind == "instance":
                    for cls in members(i.heap.get(member.oid, CLASS) or UNBOUND):
                        yield from (Way(name, *method) for method in _special_methods(i, source, cls))


def _of_annotated_attributes(i: Interpreter, source: Source) -> Iterator[Way]:
    """Attributes that are annotated in a class of a file."""
    for (cls, field), annotation in i.ledger.of(Annotations).names.items():
        if getattr(i.info(cls).payload, "source", source) is source:
            yield from (Way(field, *method) for method in _of_annotated(i, source, Ref(cls), annotation))


def _of_properties(i: Interpreter, source: Source, cls: Ref) -> Iterator[Way]:
    """The properties of a class."""
    for name, value in i.heap.fields(cls.oid).items():
        for member in members(value) if isinstance(name, str) else ():
            if isinstance(name, str) and isinstance(member, Ref) and i.info(member.oid).payload in PROPERTIES:
                for function, how in ACCESSORS:
                    yield from (Way(name, span, how) for span in spans(i, source, i.heap.get(member.oid, function) or UNBOUND))


PROPERTIES: Final[Collection[object]] = ("property", "cached_property")
ACCESSORS: Final[Sequence[tuple[str, How]]] = (("fget", "read"), ("fset", "written"))


def _of_annotated(i: Interpreter, source: Source, around: Ref, annotation: ir.Expr | None) -> Iterator[tuple[Span, How]]:
    """The special methods of what is annotated, in a function or class."""
    for part in alternatives(i, around, annotation):
        yield from _special_methods(i, source, named(i, around, part))


def _special_methods(i: Interpreter, source: Source, cls: Value | None) -> Iterator[tuple[Span, How]]:
    """Where the methods of a file stand that Python runs for an object of a class, and whether a call of the object comes to them, or another operation."""
    for base in mro(i, cls) if isinstance(cls, Ref) and i.info(cls.oid).kind == "class" else ():
        for name, value in i.heap.fields(base.oid).items() if isinstance(base, Ref) else ():
            if isinstance(name, str) and name.startswith("__") and name.endswith("__") and name not in CONSTRUCTORS:
                yield from ((span, "called" if name == "__call__" else "read") for span in _run_by(i, source, base, value))


def _run_by(i: Interpreter, source: Source, cls: Value | None, method: Value) -> Iterator[Span]:
    """Where a method of a class stands in a file, or that it stands elsewhere and reaches something compiled."""
    yield from spans(i, source, method)
    for member in members(method):
        if not isinstance(member, Ref) or not isinstance(cls, Ref) or i.info(member.oid).kind != "function":
            continue
        if getattr(i.info(member.oid).payload, "source", source) is not source and reach_of(i, (member, cls)).compiled:
            yield ELSEWHERE


def spans(i: Interpreter, source: Source, value: Value) -> Iterator[Span]:
    """Where the functions of a file stand that a value may be."""
    for member in members(value):
        info = i.info(member.oid).payload if isinstance(member, Ref) else None
        if isinstance(info, FunctionInfo) and info.source is source:
            yield info.node.start, info.node.end
        elif isinstance(member, Ref) and i.info(member.oid).kind == "partial":
            yield from spans(i, source, i.heap.get(member.oid, "func") or UNBOUND)
