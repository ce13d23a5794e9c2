"""What a traced function returns: MLX replaces placeholders by results in lists, tuples and dicts, and leaves them in anything else.

`return {"loss": loss}` is well; `return Output(loss)`, of a dataclass, hands out a placeholder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.heap import Field
from mxlint.domain.join import itemwise
from mxlint.domain.members import Bound, Member, Ref, Tuple, Value, members, scalar_type
from mxlint.domain.parts import each_part
from mxlint.facts import events
from mxlint.interpreter.calls.activations import ENV
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.compiled.trees import tree
from mxlint.interpreter.generators.iterators import PARTS
from mxlint.interpreter.generators.stepping import Generator
from mxlint.interpreter.libraries.measures import axes_in
from mxlint.interpreter.loops.comprehensions import Clauses
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import modality, note, qualname, where
from mxlint.interpreter.machine.locations import ITEMS, OF
from mxlint.interpreter.machine.reach import CONTAINERS, HOLDERS, arrays_in, each_place
from mxlint.syntax import ir
from mxlint.syntax.free import free_names

KINDS = {"function": "a function", "generator": "a generator", "partial": "a partial", "iterator": "an iterator", "set": "a set"}


NUMBERS: Final = ("int", "float")
RETURNED: Final = "what it returns"


def on_return(i: Interpreter, node: ir.Node, value: Value, frame: Frame) -> None:
    """Note that the compiled function itself returns something that MLX does not look into, with placeholders in it."""
    trace: Any = i.trace
    if trace is None or len(i.stack) <= trace.depth or i.stack[trace.depth] is not frame:
        return
    _read_arrays(i, trace, node, value, frame)
    if trace.shapeless:
        _sizes(i, node, value, frame)
    found = next(_untracked(i, trace, value), None)
    m = modality(i, trace.path) if found is not None else None
    if found is not None and m is not None:
        note(i, events.Event(trace.oid, trace.number, "return", where(frame.place(node)), found, "", qualname(frame), (), (), (), m))


def _sizes(i: Interpreter, node: ir.Node | None, value: Value, frame: Frame) -> None:
    """Sizes that are given back, where they stand: each later call gives those of the first trace."""
    node = node.value if isinstance(node, ir.Return) else node
    if node is None:
        return
    content = i.heap.get(value.oid, ITEMS) if isinstance(value, Ref) else value
    if isinstance(node, ir.Seq) and isinstance(content, Tuple) and content.items is not None and len(content.items) == len(node.items):
        for part, item in zip(node.items, content.items):
            _sizes(i, part, item, frame)
        return
    parts = [part for _, _, held in each_place(i, (value,), CONTAINERS) for part in each_part(held)]
    axes = {axis for part in parts if scalar_type(part) in NUMBERS or isinstance(part, ShapeOf) for axis in axes_in(i, part)}
    if axes:
        judged = i.table.judged
        wrong = events.Effect("wrong", frozenset(axes), "every", judged, judged)
        sinks.event(i, "bake", frame.place(node), RETURNED, frame, axes=sorted(axes, key=repr), effects=(wrong,))


def _read_arrays(i: Interpreter, trace: Any, node: ir.Node | None, value: Value, frame: Frame) -> None:
    """Older arrays in containers and modules that are given back become results of the trace: it reads them where they lie."""
    if isinstance(node, ir.Return):
        node = node.value
    content = i.heap.get(value.oid, ITEMS) if isinstance(value, Ref) else value
    if isinstance(node, ir.Seq) and isinstance(content, Tuple) and content.items is not None and len(content.items) == len(node.items):
        for part, item in zip(node.items, content.items):
            _read_arrays(i, trace, part, item, frame)
        return
    if node is None:
        return

    for oid, field, held in _lying(i, value):
        items = itemwise(held) if field == ITEMS else None
        for at, item in ((field, held),) if items is None else ((("item", n), item) for n, item in enumerate(items)):
            if any(isinstance(member, Array) and not trace.holds(member.trace) for member in members(item)):
                i.operations.read(i, oid, at, item, frame.place(node), frame)


def _lying(i: Interpreter, value: Value) -> Iterator[tuple[int, Field, Value]]:
    """What lies in the lists, dicts and modules that a value leads to, and where: what MLX takes for a tree."""
    todo, seen, tuples = [value], set[int](), set[int]()
    while todo:
        for member in members(todo.pop()):
            if isinstance(member, Tuple):
                if id(member) not in tuples:  # one tuple may lie in many others
                    tuples.add(id(member))
                    todo.extend(member.parts)
            elif isinstance(member, Ref) and member.oid not in seen:
                seen.add(member.oid)
                module = i.mlx.object_kind(i, member) == "module"
                for field, held in list(i.heap.fields(member.oid).items()) if module or tree(i, member) else ():
                    if isinstance(field, str) if module else field == ITEMS or isinstance(field, tuple) and field[0] == "k":
                        yield member.oid, field, held
                        todo.append(held)


def _untracked(i: Interpreter, trace: Any, value: Value) -> Iterator[str]:
    """What a returned value holds that is no container and holds placeholders."""
    for _, field, member in each_place(i, (value,), HOLDERS, referring=True, enters=lambda oid: tree(i, Ref(oid)) != ""):
        if tree(i, member) or field == OF:  # `vars(object)` is a dict, whatever it shows
            continue
        if isinstance(member, (Ref, Bound)) and any(trace.holds(array.trace) for array in held_by(i, member)):
            if isinstance(member, Bound):
                yield "a method of an object"
            elif i.info(member.oid).kind != "instance":
                yield _kind(i, member)
            elif member.oid not in trace.captures.ins | trace.captures.outs and i.mlx.object_kind(i, member) is None:
                yield f"an object of {_class(i, member)}"


def _kind(i: Interpreter, ref: Ref) -> str:
    """What kind of thing an object is; of a class of a library that is kept as a list or dict is, its class."""
    info = i.info(ref.oid)
    return KINDS.get(info.kind) or f"a {str(info.payload).rpartition('.')[2]}"


def _class(i: Interpreter, ref: Ref) -> str:
    cls = i.heap.get(ref.oid, ("#", "class"))
    return i.info(cls.oid).label if isinstance(cls, Ref) else "a class"


def held_by(i: Interpreter, member: Member) -> Iterator[Array]:
    """The arrays that an object holds: its attributes, what a function or generator closes over and reads, the arguments of a partial."""
    if isinstance(member, Bound):
        yield from arrays_in(i, member.owner)
        return
    if not isinstance(member, Ref):
        return
    info = i.info(member.oid)
    if info.kind in ("instance", *CONTAINERS):
        yield from arrays_in(i, member)
    elif info.kind in ("function", "generator"):
        yield from _closed_over(i, info.payload, i.heap.get(member.oid, ENV))
    elif info.kind == "partial":
        for value in list(i.heap.fields(member.oid).values()):
            yield from arrays_in(i, value)
    elif info.kind == "iterator":
        parts = i.heap.get(member.oid, PARTS)
        yield from arrays_in(i, parts) if parts is not None else ()
        for part in parts.items or () if isinstance(parts, Tuple) else ():
            for inner in members(part):
                if isinstance(inner, Bound) or isinstance(inner, Ref) and inner != member:
                    yield from held_by(i, inner)


def arrays_kept(i: Interpreter, value: Value, enters: Callable[[int], bool] = lambda oid: True) -> Iterator[Array]:
    """The arrays that a value leads to, and those that the functions in it close over, or a partial is given: whoever calls these computes with them."""
    yield from arrays_in(i, value, enters=enters)
    for _, _, member in each_place(i, (value,), referring=True, enters=enters):
        if (
            isinstance(member, Bound)
            or isinstance(member, Ref)
            and i.info(member.oid).kind in ("function", "partial")
            and enters(member.oid)
        ):
            yield from held_by(i, member)


def _closed_over(i: Interpreter, code: object, env: Value | None) -> Iterator[Array]:
    """The arrays under the names that code reads of its environment; a generator's own names are part of it."""
    names: set[object] = set()
    if isinstance(code, (FunctionInfo, Clauses)):
        names = set(free_names(code.node))
    elif isinstance(code, Generator):
        info, frame = code.about
        env = Ref(frame.oid)
        names = set(i.heap.fields(frame.oid)) | free_names(info.node)
    while isinstance(env, Ref) and i.info(env.oid).kind == "frame":
        cells = i.heap.fields(env.oid)
        for name in names & cells.keys():
            if isinstance(name, str):
                yield from arrays_in(i, cells[name])
        names -= cells.keys()
        env = i.heap.get(env.oid, ENV)
