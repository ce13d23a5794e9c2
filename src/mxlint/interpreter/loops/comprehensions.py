"""Comprehensions and generator expressions: their clauses are loops and tests around the element. A generator expression runs when it is iterated over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mxlint.domain.members import Const, Ref, Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.calls.activations import ENV
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.builders import hashed, new_list, new_set, put
from mxlint.interpreter.containers.elements import collect
from mxlint.interpreter.containers.merging import merge
from mxlint.interpreter.generators.iterators import ITERATED
from mxlint.interpreter.loops.entrywise import Binding, unread
from mxlint.interpreter.loops.iteration import iterate
from mxlint.interpreter.loops.lengths import as_long_as
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.operations import Consume
from mxlint.interpreter.statements.binding import assign, branch
from mxlint.syntax import ir


def comprehension_frame(i: Interpreter, node: ir.Comp, outer: Frame) -> Frame:
    """The frame in which a comprehension binds its names."""
    place = outer.place(node)
    oid = i.allocate("frame", FrameInfo("comprehension", node.scope, outer.source, outer.qualname, outer.module), place, "comprehension")
    i.heap.set(oid, ENV, Ref(outer.oid))
    frame = Frame(oid, "comprehension", outer.source, outer.qualname, node.scope, outer.module, outer)
    frame.cls, frame.first, frame.function = outer.cls, outer.first, outer.function
    frame.consume = outer.consume
    frame.node = outer.node
    return frame


def generator_object(i: Interpreter, node: ir.Comp, frame: Frame, first: Value, place: Place) -> Value:
    """A generator expression: its clauses run when it is iterated."""

    def run(i: Interpreter, ref: Ref, consume: Consume, at: Place, outer: Frame) -> None:
        inner = comprehension_frame(i, node, frame)
        clauses(i, node, 0, i.heap.get(ref.oid, ("#", "first")) or first, inner, lambda: consume(i.eval(node.element, inner)))

    oid = i.allocate("generator", Clauses(node, run), place)
    i.heap.set(oid, ENV, Ref(frame.oid))
    i.heap.set(oid, ("#", "first"), first)
    return Ref(oid)


class Clauses:
    """The payload of a generator expression: the expression, and what iterating it runs."""

    __slots__ = ("node", "run")

    def __init__(self, node: ir.Comp, run: Callable[..., None]) -> None:
        self.node = node
        self.run = run

    def __call__(self, i: Interpreter, ref: Ref, consume: Callable[[Value], None], place: Place, outer: Frame) -> None:
        self.run(i, ref, consume, place, outer)


def clauses(i: Interpreter, node: ir.Comp, number: int, first: Value | None, frame: Frame, body: Any) -> None:
    """Run the clauses of a comprehension from `number` on, and the body in the innermost. `first`: the outermost iterable, evaluated."""

    if number == len(node.clauses):
        body()
        return
    clause = node.clauses[number]
    iterable = first
    if iterable is None:
        outer = frame.caller if number == 0 and frame.caller is not None else frame
        iterable = i.eval(clause.iter, outer)

    def consume(value: Value) -> None:
        assign(i, clause.target, value, frame)
        _tests(i, clause.ifs, 0, frame, lambda: clauses(i, node, number + 1, None, frame, body), branch)

    iterate(i, iterable, Binding(clause.target, frame, consume), frame.place(clause.iter), frame)


def _tests(i: Interpreter, tests: tuple[ir.Expr, ...], number: int, frame: Frame, body: Any, branch: Any) -> None:
    if number == len(tests):
        body()
        return
    branch(i, tests[number], frame, lambda: _tests(i, tests, number + 1, frame, body, branch), lambda: None)


def comprehension(i: Interpreter, node: ir.Comp, frame: Frame) -> Value:
    """The value of a comprehension: a list, set or dict, or a generator that waits."""
    place = frame.place(node)
    if node.kind == "generator":
        first = i.eval(node.clauses[0].iter, frame)
        return generator_object(i, node, frame, first, place)
    inner = comprehension_frame(i, node, frame)
    made = _collection(i, node, inner, place)
    if not i.heap.is_captured(inner.oid):
        i.heap.clear(inner.oid)
    return made


def _collection(i: Interpreter, node: ir.Comp, inner: Frame, place: Place) -> Value:
    """The list, set or dict of a comprehension."""
    if node.kind == "dict":
        oid = i.allocate("dict", None, place)

        def add_entry() -> None:
            if node.key is None:
                merge(i, oid, i.eval(node.element, inner), inner.place(node.element), inner)
                return
            key = i.eval(node.key, inner)
            hashed(i, key, inner.place(node.key), inner)
            copied = unread(i, node.element, key, inner)
            if copied is not None:
                aspects.copied(i, oid, copied[0])
            put(i, oid, key, i.eval(node.element, inner) if copied is None else copied[1])

        clauses(i, node, 0, None, inner, add_entry)
        return Ref(oid)
    made = new_list(i, Tuple(()), place) if node.kind == "list" else new_set(i, Tuple(()), place)

    def add() -> None:
        value = i.eval(node.element, inner)
        if node.kind == "set":
            hashed(i, value, inner.place(node.element), inner)
            content = i.heap.get(made.oid, ITEMS)
            if isinstance(content, Tuple) and content.items is not None and value in content.items and isinstance(value, Const):
                return
        collect(i, made.oid, value)

    iterable = i.eval(node.clauses[0].iter, inner.caller or inner)
    clauses(i, node, 0, iterable, inner, add)
    content = i.heap.get(made.oid, ITEMS)
    if node.kind == "list" and len(node.clauses) == 1 and not node.clauses[0].ifs and content is not None:
        i.heap.set(made.oid, ITEMS, as_long_as(i, content, iterable))
    return made


def is_fresh(i: Interpreter, ref: Ref) -> bool:
    """Whether a value is a generator expression that nothing has asked for an element yet."""
    info = i.info(ref.oid)
    return info.kind == "generator" and isinstance(info.payload, Clauses) and i.heap.get(ref.oid, ITERATED) is None
