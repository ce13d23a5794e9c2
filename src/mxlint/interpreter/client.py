"""The most general client of a class that owns compiled objects: its public methods in any order, any number of times.

Nothing in sight makes an object of the class or calls it. Each method that comes to a compiled object, and each compiled object that is a public
attribute, is called, then every public method may run, then it is called again: what a trace has read and one of them has changed is stale. Only
that is noted; all else is known from the methods alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from mxlint.domain.place import Place
from mxlint.domain.value import NONE, Literal_, Ref, Value, members, scalar_type
from mxlint.facts import events
from mxlint.facts.values import ContainerValue, ScalarValue
from mxlint.facts.values import Value as Described
from mxlint.finding import Span
from mxlint.interpreter.core import CLIENT, Condition, Frame, Interpreter
from mxlint.interpreter.elements import ITEMS
from mxlint.interpreter.entries import call_compiled_alone, called_alone, functions, guarded_run
from mxlint.interpreter.functions import FunctionInfo
from mxlint.interpreter.journal import journal
from mxlint.interpreter.loops import repeat
from mxlint.interpreter.reach import each_leaf
from mxlint.source import Source

Method = tuple[Ref, FunctionInfo]


def clients(i: Interpreter, source: Source, module: int, frame: Frame) -> None:
    """Run the client of each class of a file that owns compiled objects and that nothing in sight uses."""
    methods: dict[int, list[Method]] = {}
    for ref, cls, _ in functions(i, source, module):
        info = i.info(ref.oid).payload
        if cls is not None and isinstance(info, FunctionInfo) and (info.name == "__call__" or not info.name.startswith("_")):
            methods.setdefault(cls.oid, []).append((ref, info))
    for number, public in methods.items():
        owner = i.ledger.samples.get(number)
        if owner is None or not _owns(i, number, owner):
            continue
        for method in public:
            if _calls_alone(i, method[1]):
                others = [other for other in public if other is not method]
                if _run(i, owner, _calling(i, owner, method, frame), others, frame):
                    _repeat(i, owner, method, frame)
        for name, compiled_object in _callables(i, owner):
            _run(i, owner, Callee(name, partial(call_compiled_alone, i, compiled_object, frame=frame)), public, frame)


class Callee(NamedTuple):
    """What the client calls again: its name, and a call of it with other arguments in each turn."""

    name: str
    call: Callable[[int], object]


def _calling(i: Interpreter, owner: Value, method: Method, frame: Frame) -> Callee:
    return Callee(method[1].name, lambda turn: called_alone(i, method, (owner,), turn, frame))


def _callables(i: Interpreter, owner: Value) -> list[tuple[str, Ref]]:
    """The compiled objects that are public attributes of an object, and that neither its methods nor anything else in sight calls."""
    called = {record.object for record in journal(i).records if type(record) is events.Call}
    return [
        (field, member)
        for holder in members(owner)
        if isinstance(holder, Ref)
        for field, value in i.heap.fields(holder.oid).items()
        if isinstance(field, str) and not field.startswith("_")
        for member in members(value)
        if isinstance(member, Ref) and i.info(member.oid).kind == "compiled" and member.oid not in called
    ]


def _owns(i: Interpreter, cls: int, owner: Value) -> bool:
    """Whether an object of a class, or the class itself, holds something compiled."""
    held = [member for _, _, member in each_leaf(i, owner)]
    held += [member for value in i.heap.fields(cls).values() for member in members(value)]
    return any(isinstance(member, Ref) and i.info(member.oid).kind == "compiled" for member in held)


def _calls_alone(i: Interpreter, method: FunctionInfo) -> bool:
    """Whether a method comes to compiled objects, and only where nothing in sight calls it."""
    calls = [record for record in journal(i).records if type(record) is events.Call]
    inside = [call for call in calls if any(_within(span, method) for span in (call.where.span, *call.path))]
    return bool(inside) and all(call.alone for call in inside)


def _within(span: Span, method: FunctionInfo) -> bool:
    around: Span = method.source.span(method.node.start, method.node.end)
    return around.filename == span.filename and around.start <= span.start and span.end <= around.end


def _run(i: Interpreter, owner: Value, callee: Callee, others: list[Method], frame: Frame) -> bool:
    """Call, let others run, call again. Whether the first call left another number or list where one was."""
    known = len(journal(i).records)
    counts: list[bool] = []

    def run() -> None:
        mark = i.heap.mark()
        callee.call(1)
        counts.append(_counts(i, mark))
        for other in others:
            _may_run(i, owner, other, frame)
        i.modes.client = f"`{callee.name}` is called again"
        callee.call(2)

    try:
        guarded_run(i, run)
    finally:
        i.modes.client = None
    journal(i).keep_only(known, lambda record: type(record) is events.Stale)
    return counts == [True]


def _counts(i: Interpreter, mark: int) -> bool:
    """Whether a number that an object held, or the content of a list, is another one since."""
    before: dict[tuple[int, object], Value | None] = {}
    for oid, field, value in i.heap.trail[mark:]:
        before.setdefault((oid, field), value)
    return any(
        value is not None and (field == ITEMS or any(scalar_type(member) in ("int", "float") for member in members(value)))
        for (oid, field), value in before.items()
        if i.info(oid).kind in ("instance", "dict", "list") and i.heap.get(oid, field) != value
    )


def _repeat(i: Interpreter, owner: Value, method: Method, frame: Frame) -> None:
    """Call a method again and again: what compiled objects are given that differs each time. Only that is noted."""
    known = len(journal(i).records)
    node = method[1].node
    place = Place(method[1].source, node.start, node.end)
    i.modes.client = f"`{method[1].name}` is called again"
    try:
        guarded_run(i, lambda: repeat(i, place, lambda: called_alone(i, method, (owner,), 1, frame), certain=True))
    finally:
        i.modes.client = None
    journal(i).keep_only(known, _gives_another)


def _leaves(value: Described) -> Iterator[Described]:
    """The parts of an argument that hold no others."""
    if isinstance(value, ContainerValue):
        for item in value.items or ():
            yield from _leaves(item)
    else:
        yield value


def _gives_another(record: object) -> bool:
    """Whether a call of a compiled object is given what differs from call to call."""
    return type(record) is events.Call and any(
        argument.grows or any(isinstance(leaf, ScalarValue) and leaf.varies for leaf in _leaves(argument.value))
        for argument in record.arguments
    )


def _may_run(i: Interpreter, owner: Value, method: Method, frame: Frame) -> None:
    """Run a method under the condition that somebody calls it."""
    node = method[1].node
    name = Place(method[1].source, getattr(node, "name_start", node.start), getattr(node, "name_end", node.end))
    condition = (CLIENT, name)
    i.causes.setdefault(condition, ("open", name))
    runs, does_not = (Condition("open", name, Literal_(condition, outcome)) for outcome in (True, False))

    def run() -> Value:
        called_alone(i, method, (owner,), 1, frame)
        return NONE

    i.fork([((runs,), run), ((does_not,), lambda: NONE)])
