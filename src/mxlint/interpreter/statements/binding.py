"""Assignment to targets of all kinds: `a = …`, `a.b = …`, `a[i] = …`, `a, *b = …`, `a += …`. And `branch`, which runs the two sides of a test."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Location
from mxlint.domain.join import join
from mxlint.domain.members import NONE, Const, Member, Ref, Symbolic, Value
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.state import Changes
from mxlint.interpreter.containers import cell_changes
from mxlint.interpreter.expressions import one_of_several
from mxlint.interpreter.expressions.names import enclosing
from mxlint.interpreter.expressions.operators import METHODS
from mxlint.interpreter.generators.dying import dropped
from mxlint.interpreter.libraries import sharing
from mxlint.interpreter.loops import looked
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS, KEPT
from mxlint.interpreter.machine.paths import Truth
from mxlint.interpreter.machine.private import mangled
from mxlint.interpreter.objects.lookup import CLASS, library_base, special
from mxlint.interpreter.open_world.bindings import taken
from mxlint.interpreter.statements.conditions import tested
from mxlint.interpreter.statements.narrowing import assume
from mxlint.interpreter.statements.unpacking import unpack
from mxlint.models.load import model
from mxlint.syntax import ir
from mxlint.syntax.liveness import names_read


class Deleted:
    """Names that a `del` has unbound."""

    __slots__ = ("names",)

    def __init__(self) -> None:
        self.names: set[Location] = set()


def store(i: Interpreter, name: str, value: Value, frame: Frame, place: Place | None = None) -> None:
    """Bind a name as an assignment in this frame does."""
    if name in frame.said_of:
        one_of_several.forget(i, name, frame)
    owners = owners_of(i, name, frame)
    if owners == (frame.oid,) and frame.kind == "class" or owners == (frame.module,) != (frame.oid,):
        name = mangled(i, name, frame)
    if i.observer is not None and place is not None:
        i.observer.target(frame, ir.Node(place.start, place.end), value)
    for oid in owners:
        held = i.heap.get(oid, name)
        i.heap.set(oid, name, value if len(owners) == 1 or held is None else join((held, value)))
        i.operations.written(i, oid, name, value, place, frame)
        if i.generators and isinstance(held, Ref) and place is not None:
            dropped(i, held, place, frame)


def owner_of(i: Interpreter, name: str, frame: Frame) -> int:
    """The object that an assignment to a name writes to; the first, if there may be several."""
    return owners_of(i, name, frame)[0]


def owners_of(i: Interpreter, name: str, frame: Frame) -> tuple[int, ...]:
    """The objects one of which an assignment to a name writes to: the frame, the module for a global, an outer frame for a nonlocal."""
    scope = frame.scope
    if scope is not None and name in scope.globals:
        return (frame.module,)
    around = enclosing(i, name, frame) if scope is not None and name in scope.nonlocals else ()
    return around or (frame.oid,)


def assign(i: Interpreter, target: ir.Expr, value: Value, frame: Frame) -> None:
    """`target = value`."""
    if type(value) is Symbolic:
        value = taken(i, target, value, frame)
    if isinstance(target, ir.Name):
        store(i, target.id, value, frame, frame.place(target))
    elif isinstance(target, ir.Kept):
        i.heap.set(frame.oid, (KEPT, target.number), value)
    elif isinstance(target, ir.Attr):
        owner = _owner(i, target.value, frame)
        if i.observer is not None:
            i.observer.target(frame, target, value)
        i.set_attribute(owner, target.name, value, frame.place(target), frame)
    elif isinstance(target, ir.Sub):
        owner = _owner(i, target.value, frame)
        index = i.eval(target.index, frame)
        if i.observer is not None:
            i.observer.target(frame, target, value)
        i.operations.set_item(i, owner, index, value, frame.place(target), frame)
    elif isinstance(target, ir.Seq):
        star = next((n for n, item in enumerate(target.items) if isinstance(item, ir.Starred)), None)
        names = [item.value if isinstance(item, ir.Starred) else item for item in target.items]
        unread = frozenset(n for n, item in enumerate(names) if isinstance(item, ir.Name) and not is_read(i, item.id, frame))
        parts = unpack(i, value, len(target.items), star, frame.place(target), frame, unread)
        for item, part in zip(names, parts):
            assign(i, item, part, frame)
    elif isinstance(target, ir.Starred):
        assign(i, target.value, value, frame)


def _owner(i: Interpreter, node: ir.Expr, frame: Frame) -> Value:
    """What something is put into."""
    if i.trace is not None or not i.ledger.of(Changes).whole or not _is_path(node):
        return i.eval(node, frame)
    i.modes.putting = True
    try:
        return i.eval(node, frame)
    finally:
        i.modes.putting = False


def _is_path(node: ir.Expr) -> bool:
    """Whether an expression is a name, attributes and items of it by names and constants."""
    while isinstance(node, ir.Attr) or isinstance(node, ir.Sub) and isinstance(node.index, (ir.Const, ir.Name)):
        node = node.value
    return isinstance(node, ir.Name)


def keeps_parts(i: Interpreter, target: ir.Expr, frame: Frame) -> bool:
    """Whether a target binds names of an activation, and nothing else."""
    if isinstance(target, ir.Seq):
        return all(keeps_parts(i, item.value if isinstance(item, ir.Starred) else item, frame) for item in target.items)
    return isinstance(target, ir.Name) and frame.kind == "function" and owner_of(i, target.id, frame) == frame.oid


def is_fed_by_no_number(i: Interpreter, node: ir.Expr, frame: Frame) -> bool:
    """Whether an expression is a constant, or asks an array for something, such as a size."""
    if not isinstance(node, (ir.Attr, ir.Sub)):
        return isinstance(node, ir.Const)
    while isinstance(node, ir.Attr) or isinstance(node, ir.Sub) and isinstance(node.index, ir.Const):
        node = node.value
    held = i.heap.get(owner_of(i, node.id, frame), node.id) if isinstance(node, ir.Name) else None
    return isinstance(held, Array)


def is_read(i: Interpreter, name: str, frame: Frame) -> bool:
    """Whether a name that is bound in an activation may be read."""
    function = frame.node
    if i.trace is None or frame.kind != "function" or not isinstance(function, ir.FuncDef):
        return True
    read = i.project.once(frame.source).of(names_read, function)
    return read is None or name in read


_IN_PLACE: Final = frozenset((("list", "*"), ("set", "&"), ("set", "-"), ("set", "^")))
"""Kinds of containers and operators that change the container itself."""


def in_place(i: Interpreter, op: str, present: Value, value: Value, place: Place, frame: Frame) -> Value:
    """`present op= value`: lists, sets, dicts and arrays are changed in place."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref):
            kind = i.info(member.oid).kind
            if kind == "list" and op == "+":
                i.operations.call(i, i.attribute(member, "extend", place, frame), Arguments((value,), places=(place,)), place, frame)
                return member
            if kind in ("set", "dict") and op == "|" and i.info(member.oid).payload != "builtins.frozenset":
                i.operations.call(i, i.attribute(member, "update", place, frame), Arguments((value,), places=(place,)), place, frame)
                return member
            if (kind, op) in _IN_PLACE and i.info(member.oid).payload != "builtins.frozenset":
                made = i.operations.binary(i, op, member, value, place, frame)
                content = i.heap.get(made.oid, ITEMS) if isinstance(made, Ref) else None
                if content is not None:
                    before = i.heap.get(member.oid, ITEMS)
                    i.heap.set(member.oid, ITEMS, content)
                    found = model(f"builtins.{kind}.__i{METHODS[op]}__") if kind == "set" else None
                    if kind == "list" and value != Const(1):
                        cell_changes.changed(i, member.oid, "repeats", before, place)
                    elif found is not None:
                        cell_changes.change_by(i, member.oid, found, found.mutates, before, place, None, None)
                    i.operations.written(i, member.oid, ITEMS, content, place, frame)
                    return member
                return made
            method = special(i, member, f"__i{METHODS[op]}__", place, frame)
            if method is not None:
                return i.call(method, Arguments((value,), places=(place,)), place, frame)
            cls = i.heap.get(member.oid, CLASS) if kind == "instance" else None
            found = model(f"{library_base(i, cls)}.__i{METHODS[op]}__") if cls is not None else None
            if found is not None and found.mutates:
                return i.operations.external(i, found.name, Arguments((member, value), places=(place, place)), place, frame)
        if isinstance(member, Symbolic):
            sharing.changed(i, member, None, place, frame, perhaps=True)
        if isinstance(member, Array):
            return i.operations.array(i, f"mlx.core.array.__i{op}", (member, value), place, frame)
        return i.operations.binary(i, op, member, value, place, frame)

    return i.split(present, one, itself=True)


def branch(i: Interpreter, test: ir.Expr, frame: Frame, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
    """Run one of two continuations, by a test; under the test's outcome, names are narrowed to what it leaves of them."""
    with looked.looking(i) as asking:
        truth = tested(i, test, frame)
    on_truth(i, test, truth, frame, then, otherwise, asking)


def on_truth(
    i: Interpreter,
    test: ir.Expr,
    truth: Truth,
    frame: Frame,
    then: Callable[[], None],
    otherwise: Callable[[], None],
    asking: Collection[int] = (),
) -> None:
    """Run one of two continuations, by the outcome of a test. `asking`: the things for whose lengths it asks."""

    def run(outcome: bool, continuation: Callable[[], None]) -> Callable[[], Value]:
        def inner() -> Value:
            looked.decides(i, truth, asking)
            assume(i, test, outcome, frame)
            continuation()
            return NONE

        return inner

    i.choose(truth, frame.place(test), run(True, then), run(False, otherwise))
