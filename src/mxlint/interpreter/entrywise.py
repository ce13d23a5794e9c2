"""Loops over a dict in a trace that look at some of its entries: `for name, value in vars(self).items()`.

Such a loop asks for the key of each entry that it comes to. It reads an entry where it reads the name that the entry's value is bound to, and of one of which it asks nothing but
whether it is of a class it reads that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mxlint.domain.heap import Field
from mxlint.domain.members import NONE, External, Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter import aspects
from mxlint.interpreter.arguments import Arguments
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.elements import dict_keys, position_of
from mxlint.interpreter.frames import Frame
from mxlint.interpreter.iterators import parts_of
from mxlint.syntax import ir

if TYPE_CHECKING:
    from mxlint.interpreter.compiled.state import Trace

ISINSTANCE: Final = External("builtins.isinstance")


class Binding:
    """What a loop does with each element: `run`, which binds it to `target` in `frame`."""

    __slots__ = ("frame", "run", "target")

    def __init__(self, target: ir.Expr, frame: Frame, run: Callable[[Value], None]) -> None:
        self.target = target
        self.frame = frame
        self.run = run

    def __call__(self, value: Value) -> None:
        self.run(value)


def by_name(i: Interpreter, iterable: object, loop: object, place: Place, frame: Frame) -> Callable[[Value], None] | None:
    """What a loop in a trace does with each entry of a dict whose value it binds to a name, reading it later; None if it does something else."""
    if i.trace is None or not isinstance(loop, Binding) or not isinstance(iterable, Ref) or i.info(iterable.oid).kind != "iterator":
        return None
    kind, parts = i.info(iterable.oid).payload, parts_of(i, iterable)
    name = _bound(loop.target, kind, loop.frame)
    held = parts[0] if len(parts) == 1 else None
    if name is None or not isinstance(held, Ref) or i.info(held.oid).kind != "dict" or position_of(i, iterable) != 0:
        return None
    keys = dict_keys(i, held.oid)
    if keys is None:
        return None
    rest = iter(keys)
    unread = i.trace.unread
    location, run = (loop.frame.oid, name), loop.run

    def bind(value: Value) -> None:
        field = ("k", next(rest))
        unread[location] = (held.oid, field, i.heap.get(held.oid, field), place)
        run(value)

    return bind


def _bound(target: ir.Expr, kind: object, frame: Frame) -> str | None:
    """The name to which a loop binds the value of each entry, if it is one of the frame's own."""
    if kind == "items" and isinstance(target, ir.Seq) and len(target.items) == 2:
        target = target.items[1]
    elif kind != "values":
        return None
    scope = frame.scope
    own = isinstance(target, ir.Name) and frame.kind in ("function", "comprehension") and scope is not None and target.id in scope.bound
    return target.id if own and isinstance(target, ir.Name) else None


def read(i: Interpreter, trace: Trace, location: tuple[int, object], value: Value, frame: Frame) -> None:
    """Note the entry that a loop has bound to a name which is read now: where the loop goes over the dict."""
    bound = trace.unread.get(location)
    if bound is None:
        return
    oid, field, held, place = bound
    if held is None or held != value:
        return
    if trace.tested is not None:
        trace.tested.append((oid, field, place))
    else:
        i.operations.read(i, oid, field, held, place, frame)


def unread(i: Interpreter, node: ir.Expr, key: Value, frame: Frame) -> tuple[int, Value] | None:
    """The dict of which a loop has bound the entry under a key to a name, if an expression is that name, and the entry: it can be handed on unread."""
    if i.trace is None or not isinstance(node, ir.Name):
        return None
    oid, field, held, _ = i.trace.unread.get((frame.oid, node.id), (0, None, None, None))
    return (oid, held) if field == ("k", key) and held is not None and i.heap.get(frame.oid, node.id) == held else None


def given(i: Interpreter, function: Value, node: ir.Call, frame: Frame, evaluate: Callable[[], Arguments]) -> Arguments:
    """The arguments of a call. Of a name that `isinstance` is given it is asked whether it is of that class, and no more."""
    trace = i.trace
    if trace is None or not trace.unread or function != ISINSTANCE or not node.args or not isinstance(node.args[0].value, ir.Name):
        return evaluate()
    trace.tested = []
    try:
        args = evaluate()
        tested = trace.tested
    finally:
        trace.tested = None
    for oid, field, place in tested:
        _ask_for_class(i, oid, field, args.get(1, "classinfo") or NONE, place, frame)
    return args


def _ask_for_class(i: Interpreter, oid: int, field: Field, cls: Value, place: Place, frame: Frame) -> None:
    """Note that it is asked whether an entry of a dict, or an attribute, is of a class."""
    sources = list(aspects.original(i, oid, field))
    for source, entry, _ in sources:
        _ask_for_class(i, source, entry, cls, place, frame)
    if not sources and i.trace is not None and i.info(oid).trace != i.trace.number:
        asked = (aspects.CLASS, (field, cls))
        i.operations.read(i, oid, asked, aspects.aspect(i, oid, asked), place, frame)


__all__ = ["Binding", "by_name", "given", "read", "unread"]
