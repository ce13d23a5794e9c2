"""Loops of a trace over a list or dict that use some of its items: `for name, value in vars(self).items()`.

Such a loop reads the key of each entry, and whether there is an item. It reads the value of an entry only where it uses the name that is bound to it. Of one that
it only asks for its class it reads the class, and of a tuple that it unpacks the parts that it uses.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeGuard

from mxlint.domain.heap import Field
from mxlint.domain.members import NONE, UNBOUND, External, Member, Ref, Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import portions
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.elements import dict_keys, position_of
from mxlint.interpreter.generators.iterators import parts_of
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.syntax import ir

if TYPE_CHECKING:
    from mxlint.interpreter.compiled.traces import Trace

ISINSTANCE: Final = External("builtins.isinstance")


class Binding:
    """What a loop does with each element: `run`, which binds it to `target` in `frame`. `leaves`: it may be the last that it asks for."""

    __slots__ = ("frame", "leaves", "run", "target")

    def __init__(self, target: ir.Expr, frame: Frame, run: Callable[[Value], None], leaves: bool = False) -> None:
        self.target = target
        self.frame = frame
        self.run = run
        self.leaves = leaves

    def __call__(self, value: Value) -> None:
        self.run(value)


class Later:
    """What a loop in a trace does with each element of which it binds parts to names, and reads them later. `of`: the containers whose items or entries these are."""

    __slots__ = ("of", "run")

    def __init__(self, run: Callable[[Value], None], of: frozenset[int]) -> None:
        self.run = run
        self.of = of


def by_name(i: Interpreter, iterable: Member, loop: object, place: Place, frame: Frame) -> Later | None:
    """What a loop in a trace does with each item of a list, or entry of a dict, that it binds to a name and reads later; None if there is none."""
    if i.trace is None or not isinstance(loop, Binding) or not isinstance(iterable, Ref):
        return None
    walk = aspects.walk(i, iterable)
    over = [ref.oid for ref, _ in walk.over] if walk is not None else []
    bound = [part for part in _bound(i, loop.target, iterable, loop.frame) if over.count(part.oid) == 1]
    names = [part.name for part in bound if part.name]
    if not bound or len(set(names)) < len(names):
        return None
    unread, own, run = i.trace.items.unread, loop.frame.oid, loop.run
    rounds = itertools.count()

    def bind(value: Value) -> None:
        number = next(rounds)
        for name, oid, keys, way in bound:
            field = ("item", number) if keys is None else ("k", keys[number])
            held = aspects.at(i, oid, field)
            if name:
                unread[own, name] = (oid, field, held, place)
            else:
                value = _put(value, way, portions.found(i, oid, field, held or UNBOUND, place, frame))
        run(value)

    return Later(bind, frozenset(part.oid for part in bound))


def _put(value: Value, way: Sequence[int], part: Value) -> Value:
    """An element of which a part is another value: the same one, which says where it lies."""
    if not way:
        return part
    if not isinstance(value, Tuple) or value.items is None:
        return value
    items = list(value.items)
    items[way[0]] = _put(items[way[0]], way[1:], part)
    return value.holding(tuple(items))


class Part(NamedTuple):
    """What a loop binds of each element: to which name ("": to several), from which list or dict, the keys of that, and where in the element."""

    name: str
    oid: int
    keys: Sequence[Value] | None
    way: tuple[int, ...]


def _bound(i: Interpreter, target: ir.Expr, value: Value, frame: Frame, way: tuple[int, ...] = ()) -> Iterator[Part]:
    """The items of lists and the entries of dicts that a loop over a value binds to names of the frame's own."""
    if not isinstance(value, Ref):
        return
    info, parts = i.info(value.oid), parts_of(i, value)
    if info.kind == "list":
        if _binds_own(target, frame):
            yield Part(_name(target), value.oid, None, way)
        return
    if info.kind != "iterator" or position_of(i, value) != 0:
        return
    inner = target.items if isinstance(target, ir.Seq) else ()
    if info.payload == "iter":
        yield from _bound(i, target, parts[0], frame, way)
    elif info.payload == "enumerate" and len(inner) == 2:
        yield from _bound(i, inner[1], parts[0], frame, (*way, 1))
    elif info.payload == "zip" and len(inner) == len(parts):
        for number, (part, over) in enumerate(zip(inner, parts)):
            yield from _bound(i, part, over, frame, (*way, number))
    elif info.payload == "values" or info.payload == "items" and len(inner) == 2:
        name, held = inner[1] if info.payload == "items" else target, parts[0]
        keys = dict_keys(i, held.oid) if isinstance(held, Ref) and i.info(held.oid).kind == "dict" else None
        if keys is not None and isinstance(held, Ref) and _binds_own(name, frame):
            yield Part(_name(name), held.oid, keys, (*way, 1) if info.payload == "items" else way)


def _name(target: ir.Expr) -> str:
    return target.id if isinstance(target, ir.Name) else ""


def _binds_own(target: ir.Expr, frame: Frame) -> bool:
    """Whether a target is a name of the frame's own, or several of them for the items of a tuple."""
    return _is_own(target, frame) or isinstance(target, ir.Seq) and all(_binds_own(item, frame) for item in target.items)


def _is_own(target: ir.Expr, frame: Frame) -> TypeGuard[ir.Name]:
    """Whether a target is a name of the frame's own."""
    own = frame.kind in ("function", "comprehension") and frame.scope is not None
    return own and isinstance(target, ir.Name) and frame.scope is not None and target.id in frame.scope.bound


def read(i: Interpreter, trace: Trace, location: tuple[int, object], value: Value, frame: Frame) -> None:
    """Note the entry or item that a loop has bound to a name which is read now: where the loop goes over the container."""
    bound = trace.items.unread.get(location)
    if bound is None:
        return
    oid, field, held, place = bound
    if held is None or held != value:
        return
    if trace.items.tested is not None:
        trace.items.tested.append((oid, field, place))
    else:
        i.operations.read(i, oid, field, held, place, frame)


def unread(i: Interpreter, node: ir.Expr, key: Value, frame: Frame) -> tuple[int, Value] | None:
    """The dict of which a loop has bound the entry under a key to a name, if an expression is that name, and the entry: it can be handed on unread."""
    if i.trace is None or not isinstance(node, ir.Name):
        return None
    oid, field, held, _ = i.trace.items.unread.get((frame.oid, node.id), (0, None, None, None))
    return (oid, held) if field == ("k", key) and held is not None and i.heap.get(frame.oid, node.id) == held else None


def given(i: Interpreter, function: Value, node: ir.Call, frame: Frame, evaluate: Callable[[], Arguments]) -> Arguments:
    """The arguments of a call. Of a name that `isinstance` is given it is asked whether it is of that class, and no more."""
    trace = i.trace
    if trace is None or not trace.items.unread or function != ISINSTANCE or not node.args or not isinstance(node.args[0].value, ir.Name):
        return evaluate()
    trace.items.tested = []
    try:
        args = evaluate()
        tested = trace.items.tested
    finally:
        trace.items.tested = None
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


__all__ = ["Binding", "Later", "by_name", "given", "read", "unread"]
