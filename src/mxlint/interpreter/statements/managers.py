"""Context managers that are entered and left by calls, not by a `with` statement around what they guard.

One that is a generator runs to its yield when it is entered, and from there when it is left.
"""

from __future__ import annotations

from collections.abc import Sequence

from mxlint.domain.heap import ALIVE
from mxlint.domain.members import NONE, TRUE, UNBOUND, Member, Ref, Unknown, Value
from mxlint.domain.place import Place
from mxlint.interpreter.calls.activations import run_body
from mxlint.interpreter.calls.callables import register
from mxlint.interpreter.generators.awaiting import awaited
from mxlint.interpreter.generators.stepping import Generator, can_step, step
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame, Given
from mxlint.interpreter.machine.locations import ITEMS, KEPT
from mxlint.interpreter.machine.targets import Target
from mxlint.interpreter.objects.lookup import special
from mxlint.interpreter.statements.binding import assign
from mxlint.interpreter.statements.handlers import guarded, managed
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


def entered(i: Interpreter, node: ir.Entered, frame: Frame) -> None:
    """A `with` block of a generator, which is left from where the body is gone on with."""
    place = frame.place(node.manager or node)
    kept = (KEPT, node.number)
    if node.manager is not None:
        manager = i.eval(node.manager, frame)
        i.place = place
        value = enter(i, manager, place, frame, wait=node.is_async)
        i.heap.set(frame.oid, kept, manager)

    def leaving(details: Arguments) -> Value:
        return leave(i, i.heap.get(frame.oid, kept) or UNBOUND, details.args, place, frame, wait=node.is_async)

    def inside() -> None:
        if node.target is not None:
            assign(i, node.target, value, frame)
        i.execute(node.body, frame)

    guarded(i, leaving, inside, place, frame)


def _to_its_yield(i: Interpreter, manager: Ref, place: Place) -> Value:
    """Run the generator of a context manager up to a yield."""
    generator = i.heap.get(manager.oid, "gen")
    if isinstance(generator, Ref) and can_step(i, generator):
        return step(i, generator, Given(), Target(i.heap.mark()), place)
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
    generator = i.heap.get(manager.oid, "gen")
    if not isinstance(generator, Ref) or not can_step(i, generator):
        i.imprecise("a context manager that is left by a call", place)
        return NONE
    with i.leaving() as ended:
        step(i, generator, Given(thrown=error if error != NONE else None), ended, place)
    i.arrive(ended)
    return NONE if error == NONE else TRUE


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
