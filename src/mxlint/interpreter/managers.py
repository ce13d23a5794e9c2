"""Context managers that are entered and left by calls, not by a `with` statement around what they guard.

One that is a generator runs to its yield when it is entered, and from there when it is left: its rest is a body of its own, without what stands before the yield.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from mxlint.domain.heap import ALIVE
from mxlint.domain.members import NONE, TRUE, UNBOUND, Member, Ref, Unknown, Value
from mxlint.domain.place import Place
from mxlint.interpreter.activations import run_body
from mxlint.interpreter.arguments import Arguments
from mxlint.interpreter.awaiting import awaited
from mxlint.interpreter.calls import register
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.frames import Frame
from mxlint.interpreter.functions import FunctionInfo
from mxlint.interpreter.generators import Generator
from mxlint.interpreter.handlers import managed
from mxlint.interpreter.locations import ITEMS
from mxlint.interpreter.lookup import special
from mxlint.syntax import ir


def enter(i: Interpreter, manager: Value, place: Place, frame: Frame, *, wait: bool = False) -> Value:
    """What entering a context manager gives. `wait`: as `async with` does."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind == "manager":
            return _to_its_yield(i, member, place)
        method = special(i, member, "__aenter__" if wait else "__enter__", place, frame)
        if method is not None:
            made = i.call(method, Arguments(), place, frame)
            return awaited(i, made, place, frame) if wait else made
        given: list[Value] = []
        i.operations.managed(i, member, given.append, place, frame)
        return given[0]

    return i.split(manager, one)


def leave(i: Interpreter, manager: Value, details: Sequence[Value], place: Place, frame: Frame, *, wait: bool = False) -> Value:
    """Leave a context manager with the class, the exception and the traceback: what it says of swallowing that. `wait`: as `async with` does."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind == "manager":
            return i.split(details[1], lambda error: _from_its_yield(i, member, error, place))
        method = special(i, member, "__aexit__" if wait else "__exit__", place, frame)
        if method is None:
            return NONE
        made = i.call(method, Arguments(tuple(details), places=(place,) * 3), place, frame)
        return awaited(i, made, place, frame) if wait else made

    return i.split(manager, one)


def _to_its_yield(i: Interpreter, manager: Ref, place: Place) -> Value:
    """Run the generator of a context manager up to a yield."""
    payload = i.info(manager.oid).payload
    assert isinstance(payload, Generator)
    info, frame = payload.about
    if any(other is frame for other in i.stack):
        return i.unknown(place, "a context manager inside itself")
    with i.leaving() as yielded:

        def take(value: Value) -> Value:
            i.leave(yielded, value)
            return NONE

        frame.consume = take
        with i.within((place, "manager")):
            run_body(i, info, frame)
    mark = i.heap.mark()
    value = i.arrive(yielded)
    if behind_the_yield(info.node) is None:
        _forget(i, mark, frame, place)
    return value


def _forget(i: Interpreter, mark: int, frame: Frame, place: Place) -> None:
    """What was written since, before a yield behind which nothing can be run, is not known: leaving may put it back."""
    i.imprecise("a context manager that is left by a call", place)
    written = list(i.heap.changes(mark))
    before = i.heap.held_before(mark, [(oid, ALIVE) for oid, _ in written])
    for oid, field in written:
        if oid != frame.oid and before[oid, ALIVE] is not None and (not isinstance(field, tuple) or field[0] != "#" or field == ITEMS):
            i.heap.set(oid, field, Unknown("a context manager"))


def _from_its_yield(i: Interpreter, manager: Ref, error: Value, place: Place) -> Value:
    """Run what stands behind the yield, where an exception is raised if there is one: true if it is gone then."""
    payload = i.info(manager.oid).payload
    assert isinstance(payload, Generator)
    info, frame = payload.about
    node = behind_the_yield(info.node)
    if node is None or any(other is frame for other in i.stack):
        i.imprecise("a context manager that is left by a call", place)
        return NONE

    def take(value: Value) -> Value:
        if error != NONE:
            i.throw(error)
        return NONE

    frame.consume = take
    with i.within((place, "left")):
        run_body(i, FunctionInfo(node, info.source, info.qualname, info.module), frame)
    return NONE if error == NONE else TRUE


# -- the rest of a body ------------------------------------------------------------------------------------------------


@cache
def _rests() -> dict[int, tuple[object, ir.FuncDef | None]]:
    return {}


def behind_the_yield(node: ir.FuncDef | ir.Lambda) -> ir.FuncDef | None:
    """A function with the rest of a body, from its one yield on, which gives nothing more; None where there is no such rest."""
    known = _rests().get(id(node))
    if known is None or known[0] is not node:
        made = None
        if isinstance(node, ir.FuncDef) and (body := _rest(node.body)) is not None:
            fields = {name: getattr(node, name) for name in type(node).__match_args__}
            made = ir.FuncDef(**{**fields, "body": body})
        known = _rests()[id(node)] = (node, made)
    return known[1]


def _rest(body: ir.Body) -> ir.Body | None:
    """The statements from the one that yields on."""
    for number, statement in enumerate(body):
        resumed = _resumed(statement)
        if resumed is not None:
            return (*resumed, *body[number + 1 :])
    return None


def _resumed(statement: ir.Stmt) -> ir.Body | None:
    """What is left of a statement at its yield; None if it has none, or if it is no place from which one could go on."""
    if isinstance(statement, ir.ExprStmt) and _is_yield(statement.value):
        return (ir.ExprStmt(statement.start, statement.end, ir.Yield(statement.start, statement.end, None, False)),)
    if isinstance(statement, ir.Assign) and _is_yield(statement.value):
        waiting = ir.Yield(statement.start, statement.end, None, False)
        return (ir.Assign(statement.start, statement.end, statement.targets, waiting, statement.annotation),)
    if isinstance(statement, ir.Try) and (body := _rest(statement.body)) is not None:
        return (ir.Try(statement.start, statement.end, body, statement.handlers, statement.orelse, statement.final, statement.star),)
    if isinstance(statement, ir.If):
        found = [rest for part in (statement.body, statement.orelse) if (rest := _rest(part)) is not None]
        return found[0] if len(found) == 1 else None
    return None


def _is_yield(value: ir.Expr | None) -> bool:
    return isinstance(value, ir.Yield) and not value.source


# -- as decorators -----------------------------------------------------------------------------------------------------


def _decorate(i: Interpreter, manager: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """A context manager of a generator as a decorator: each call of the function makes, enters and leaves one of its own."""
    oid = i.allocate("managed", None, place)
    i.heap.set(oid, "__wrapped__", args.args[0] if args.args else Unknown("decorator"))
    i.heap.set(oid, "maker", i.heap.get(manager.oid, "maker") or UNBOUND)
    return Ref(oid)


def _call_decorated(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call a function inside a context manager that is made for it, as `with manager: return function(…)` does; None where the manager swallows what it raises."""
    made = i.call(i.heap.get(ref.oid, "maker") or UNBOUND, Arguments(), place, frame)
    outer = frame.returns
    with i.leaving() as returned:

        def inside(_: Value) -> None:
            value = i.call(i.heap.get(ref.oid, "__wrapped__") or UNBOUND, args, place, frame)
            i.leave(frame.returns or returned, value)  # the manager stands in the way of it

        frame.returns = returned
        try:
            managed(i, made, inside, place, frame)
            i.reach(returned, NONE)
        finally:
            frame.returns = outer
    return i.arrive(returned)


register("manager", _decorate)
register("managed", _call_decorated)
