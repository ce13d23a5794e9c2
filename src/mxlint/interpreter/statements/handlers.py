"""`try` and `with`: which states come to which handler, and what runs on every way out.

The body of `finally`, and `__exit__`, runs once for each way out (the end, a return, a break, an exception), on the join of the states that take it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypeVar

from mxlint.domain.guards import HANDLER
from mxlint.domain.heap import Delta
from mxlint.domain.join import join
from mxlint.domain.members import NONE, Bound, External, Member, Ref, Symbolic, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.generators.awaiting import awaited
from mxlint.interpreter.generators.generators import manage
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.exceptions import HANDLING, catches_all, caught, exception_class, exception_of, is_leaf
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.garbage import Possible, caught_states, possible_states
from mxlint.interpreter.machine.paths import EXCEPTION, Path
from mxlint.interpreter.machine.targets import Target, anything
from mxlint.interpreter.objects.lookup import special
from mxlint.interpreter.statements import groups
from mxlint.interpreter.statements.binding import assign, owner_of, store
from mxlint.syntax import ir

State: TypeAlias = tuple[Delta, Value, Path]
"""A state that arrives somewhere: what changed, the value that comes with it, and its path."""


def try_statement(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    """Run a `try` statement with its handlers and its final body."""
    if node.final:
        _finally(i, node, frame)
    else:
        _handled(i, node, frame)


def _handled(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    """try, except, else."""
    mark, base = i.heap.mark(), i.path
    after, pending, possible, grounds = _tried(i, node, mark, frame)
    if node.star:
        whole = [(state, groups.parts(i, state[1], state[0])) for state in pending]
        pending = [state for state, found in whole if found is None]
        ended = [groups.run(i, node, mark, state, frame) for state, found in whole if found is not None]
        after += [state for state in ended if state is not None]
    for handler in node.handlers:
        if not pending and not possible:
            break
        i.path = base
        taken, pending, possible, is_sure = _taken(i, handler, pending, possible, frame)
        if taken:
            after += _run_handler(i, handler, mark, taken, None if is_sure else grounds, frame)
    for delta, error, path in pending:
        _rethrow(i, mark, delta, error, path)
    i.hand_on(mark, possible, grounds)
    i.path = base
    _arrive(i, mark, after)


def _tried(i: Interpreter, node: ir.Try, mark: int, frame: Frame) -> tuple[list[State], list[State], list[Possible], set[object]]:
    """Run the body and what stands behind it as `else`: the states in which that ends, those that a `raise` has left, those from which an exception
    may have come, and what decides whether it has. After it the state is that at `mark`."""
    ended: list[State] = []
    alive = False
    with i.trying(catches=partial(_may_take, i, node.handlers, frame)) as raised:
        i.execute(node.body, frame)
        alive = True
    if alive:
        try:
            i.execute(node.orelse, frame)
            ended.append((i.heap.changes(mark), NONE, i.path))
        except Halt:
            pass
    i.heap.undo(mark)
    return ended, caught_states(i, raised.arrived), possible_states(i, raised.possible), raised.grounds


def _may_take(i: Interpreter, handlers: Sequence[ir.Handler], frame: Frame, name: str) -> bool:
    """Whether one of some handlers may catch an exception of a class of a library. What they name is looked at without a trace of that."""
    for handler in handlers:
        if handler.type is None:
            return True
        mark, path, checkpoint = i.heap.mark(), i.path, i.checkpoint()
        i.silent += 1
        try:
            wanted = i.eval(handler.type, frame)
        except Halt:
            return True
        finally:
            i.silent -= 1
            i.heap.undo(mark)
            i.path = path
            i.forget(checkpoint)
        if caught(i, exception_of(i, name, frame.place(handler)), wanted) is not False:
            return True
    return False


def _taken(
    i: Interpreter, handler: ir.Handler, pending: list[State], possible: list[Possible], frame: Frame
) -> tuple[list[State], list[State], list[Possible], bool]:
    """What a handler takes, what it leaves of both lists to the next one, and whether any of what it takes is surely raised. An exception of which nobody
    knows whether it is of the handler's class goes both ways."""
    wanted: Value = NONE
    if handler.type is not None:
        try:
            wanted = i.eval(handler.type, frame)
        except Halt:
            wanted = Unknown("handler")
    taken: list[State] = []
    left: list[State] = []
    for delta, error, path in pending:
        answer = True if handler.type is None else caught(i, error, wanted, delta)
        if answer is not False:
            taken.append((delta, error, path))
        if answer is not True:
            left.append((delta, error, path))
    is_sure = bool(taken)
    not_here: list[Possible] = []
    for delta, name in possible:
        error = exception_of(i, name, frame.place(handler))
        answer = True if handler.type is None or name is None and catches_all(wanted) else caught(i, error, wanted)
        if answer is not False:
            taken.append((delta, _named_by(i, name, wanted, error), i.path))
        if answer is not True:
            not_here.append((delta, name))
    return taken, left, not_here, is_sure


def _run_handler(
    i: Interpreter, handler: ir.Handler, mark: int, taken: list[State], grounds: set[object] | None, frame: Frame
) -> list[State]:
    """Run the body of a handler on the join of what it takes: the state in which it ends, none if it does not. Unless some of that is surely raised, it depends on
    an open condition, which `grounds` decide. After it the state is that at `mark`."""
    base = i.path
    ended: list[State] = []
    try:
        error = _arrive(i, mark, taken)
        outer_error = i.heap.get(frame.oid, HANDLING)
        if grounds is not None:
            i.path = (*base, i.undecided("open", frame.place(handler), tag=HANDLER, grounds=grounds))
        i.heap.set(frame.oid, HANDLING, error)
        if handler.name is not None:
            store(i, handler.name, error, frame)
        i.execute(handler.body, frame)
        if handler.name is not None:
            i.heap.drop(owner_of(i, handler.name, frame), handler.name)
        _handle(i, outer_error, frame)
        ended.append((i.heap.changes(mark), NONE, base if grounds is None else i.path))
    except Halt:
        pass
    i.heap.undo(mark)
    return ended


def _arrive(i: Interpreter, mark: int, states: list[State]) -> Value:
    """Go on with the join of some states; of one alone, under its conditions."""
    if len(states) == 1:
        i.path = states[0][2]
    target = Target(mark)
    target.arrived = states
    return i.arrive(target)


def _handle(i: Interpreter, error: Value | None, frame: Frame) -> None:
    """What a frame handles, from here on."""
    if error is None:
        i.heap.drop(frame.oid, HANDLING)
    else:
        i.heap.set(frame.oid, HANDLING, error)


def _named_by(i: Interpreter, name: str | None, wanted: Value, error: Value) -> Value:
    """An exception of an unknown class that a handler caught is one of the handler's class, where that has no subclasses."""
    if name is None and isinstance(wanted, External) and is_leaf(wanted.name):
        return Symbolic(error.identity, frozenset((wanted.name,)), error.label) if isinstance(error, Symbolic) else error
    return error


def _rethrow(i: Interpreter, mark: int, delta: Delta, error: Value, path: Path) -> None:
    """Hand a state on to the next handler outside."""
    base = i.path
    i.heap.apply(delta)
    i.path = path
    try:
        i.throw(error)
    except Halt:
        pass
    i.heap.undo(mark)
    i.path = base


@dataclass(frozen=True, slots=True)
class _Way:
    """A way out of a try: the states that take it, and what is done with their value behind the final body. `is_error`: it is an exception, which the
    final body handles. `conditions`: what it depends on that it is taken."""

    states: list[State]
    onward: Callable[[Value], None]
    is_error: bool = False
    conditions: Path = ()


def _finally(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    """Whatever leaves the try runs the final body first."""
    mark, base = i.heap.mark(), i.path
    with i.trying() as raised:
        ended, left = _catching(i, frame, lambda: _without_final(i, node, frame))
    i.heap.undo(mark)
    i.path = base
    pending, possible = caught_states(i, raised.arrived), possible_states(i, raised.possible)
    after: list[State] = []

    def go_on(value: Value) -> None:
        after.append((i.heap.changes(mark), NONE, i.path))

    ways = [
        *(_Way(states, partial(i.leave, onward)) for onward, states in _by_target(left)),
        _Way(pending, i.throw, is_error=True),
        _Way(
            [(delta, Unknown("exception"), base) for delta, _ in possible],
            lambda _: _may_raise(i, possible),
            is_error=True,
            conditions=_exception_comes(i, frame.place(node.final[0])),
        ),
        _Way(ended, go_on),
    ]
    for way in ways:
        if way.states:
            _run_final(i, node, mark, way, frame)
    _arrive(i, mark, after)


def _without_final(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    """A try as if it had no final body."""
    if node.handlers:
        _handled(i, node, frame)
    else:
        i.execute(node.body, frame)
        i.execute(node.orelse, frame)


def _run_final(i: Interpreter, node: ir.Try, mark: int, way: _Way, frame: Frame) -> None:
    """Run the final body on the join of the states that take one way out, and go on that way. After it the state is that at `mark`."""
    base = i.path
    try:
        value = _arrive(i, mark, way.states)
        i.path = (*i.path, *way.conditions)
        outer_error = i.heap.get(frame.oid, HANDLING)
        if way.is_error:
            i.heap.set(frame.oid, HANDLING, value)
        i.execute(node.final, frame)
        if way.is_error:
            _handle(i, outer_error, frame)
        way.onward(value)
    except Halt:
        pass
    i.heap.undo(mark)
    i.path = base


def _exception_comes(i: Interpreter, place: Place) -> Path:
    """The open condition that what may be raised is raised, and comes to a place."""
    return (i.undecided("open", place, tag=EXCEPTION),)


def _may_raise(i: Interpreter, possible: list[Possible]) -> None:
    """What may have been raised goes on to the handlers outside."""
    for _, name in possible:
        i.may_raise(*(() if name is None else (name,)))


def with_statement(i: Interpreter, node: ir.With, frame: Frame) -> None:
    _entered(i, node, 0, frame)


def _entered(i: Interpreter, node: ir.With, number: int, frame: Frame) -> None:
    """Enter the context managers from `number` on, then run the body."""
    if number == len(node.items):
        i.execute(node.body, frame)
        return
    expression, target = node.items[number]
    place = frame.place(expression)
    manager = i.eval(expression, frame)

    def inside(value: Value) -> None:
        if target is not None:
            assign(i, target, value, frame)
        _entered(i, node, number + 1, frame)

    i.place = place
    managed(i, manager, inside, place, frame, wait=node.is_async)


def managed(i: Interpreter, manager: Value, inside: Callable[[Value], None], place: Place, frame: Frame, *, wait: bool = False) -> None:
    """Run a block inside a context manager, with what entering that gives. `wait`: as `async with` does."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind == "manager":
            _within_generator(i, member, inside, place, frame)
            return NONE
        enter = special(i, member, "__aenter__" if wait else "__enter__", place, frame)
        leave = special(i, member, "__aexit__" if wait else "__exit__", place, frame)
        if enter is not None and leave is not None:
            value = _called(i, enter, Arguments(), place, frame, wait)
            swallows = _may_return(i, leave)
            guarded(
                i, lambda details: _called(i, leave, details, place, frame, wait), lambda: inside(value), place, frame, swallows=swallows
            )
            return NONE
        i.operations.managed(i, member, inside, place, frame)
        return NONE

    i.split(manager, one)


def _catching(i: Interpreter, frame: Frame, inside: Callable[[], None]) -> tuple[list[State], list[tuple[Target, State]]]:
    """Run a block: the states in which it ends, and those in which a return, break or continue leaves it, with where they go. What it changed is the
    caller's to undo: until then an exception may leave it from any state on the way."""
    mark = i.heap.mark()
    outer = frame.returns, frame.breaks, frame.continues
    onward = [target for target in (outer[0], *outer[1], *outer[2]) if target is not None]
    ours = [Target(mark) for _ in onward]
    own = dict(zip(map(id, onward), ours))
    frame.returns = own[id(outer[0])] if outer[0] is not None else None
    frame.breaks, frame.continues = [own[id(target)] for target in outer[1]], [own[id(target)] for target in outer[2]]
    i.targets += ours
    ended: list[State] = []
    try:
        inside()
        ended.append((i.heap.changes(mark), NONE, i.path))
    except Halt:
        pass
    finally:
        frame.returns, frame.breaks, frame.continues = outer
        for target in ours:
            i.targets.remove(target)
    return ended, [(there, state) for target, there in zip(ours, onward) for state in target.arrived]


def _within_generator(i: Interpreter, manager: Ref, inside: Callable[[Value], None], place: Place, frame: Frame) -> None:
    """A generator as a context manager: the block runs at its `yield`; what leaves the block does so after the rest of the generator."""
    ends: list[bool] = []
    ways: dict[int, tuple[Target, list[Value]]] = {}

    def block(value: Value) -> None:
        after, base = Target(i.heap.mark()), i.path
        after.arrived, left = _catching(i, frame, lambda: inside(value))
        i.heap.undo(after.mark)
        i.path = base
        ends.append(bool(after.arrived))
        for onward, (delta, given, path) in left:
            ways.setdefault(id(onward), (onward, []))[1].append(given)
            after.arrived.append((delta, NONE, path))
        i.arrive(after)

    manage(i, manager, block, place, frame)
    goes_on: list[tuple[Path, Callable[[], Value]]] = [((), lambda: NONE)] if any(ends) or not ways else []
    i.fork([*goes_on, *(((), _leaving(i, onward, join(values))) for onward, values in ways.values())])


def _leaving(i: Interpreter, onward: Target, value: Value) -> Callable[[], Value]:
    def leave() -> Value:
        i.leave(onward, value)
        return NONE

    return leave


_Onward = TypeVar("_Onward")


def _by_target(left: Iterable[tuple[_Onward, State]]) -> Iterable[tuple[_Onward, list[State]]]:
    """The states that go to one target together."""
    found: dict[int, tuple[_Onward, list[State]]] = {}
    for onward, state in left:
        found.setdefault(id(onward), (onward, []))[1].append(state)
    return found.values()


def _may_return(i: Interpreter, method: Value) -> bool:
    """Whether a method may return anything but None."""
    for member in members(method):
        function = member.function if isinstance(member, Bound) else member
        info = i.info(function.oid).payload if isinstance(function, Ref) else None
        if (
            not isinstance(info, FunctionInfo)
            or info.generator
            or not isinstance(info.node, ir.FuncDef)
            or _returns_something(info.node.body)
        ):
            return True
    return False


def _returns_something(part: object) -> bool:
    if isinstance(part, tuple):
        return any(map(_returns_something, part))
    if isinstance(part, (ir.Expr, ir.FuncDef, ir.ClassDef)) or not isinstance(part, ir.Node):
        return False
    if isinstance(part, ir.Return):
        return part.value is not None and not (isinstance(part.value, ir.Const) and part.value.value in (None, False))
    return any(map(_returns_something, part.inner()))


def _called(i: Interpreter, function: Value, args: Arguments, place: Place, frame: Frame, wait: bool) -> Value:
    """Call `__enter__` or `__exit__`; `wait`: for what the call gives, as `async with` does."""
    made = i.call(function, args, place, frame)
    return awaited(i, made, place, frame) if wait else made


def guarded(
    i: Interpreter, leave: Callable[[Arguments], Value], inside: Callable[[], None], place: Place, frame: Frame, *, swallows: bool = True
) -> None:
    """Run a block, and `leave` on every way out of it, with the arguments of an `__exit__`: what that swallows goes on. `swallows`: it may swallow something."""
    mark, base = i.heap.mark(), i.path
    after: list[State] = []
    with i.trying(catches=anything if swallows else None) as raised:
        ended, left = _catching(i, frame, inside)
    i.heap.undo(mark)
    i.path = base
    none = Arguments((NONE, NONE, NONE), places=(place,) * 3)
    leaving: list[tuple[Target | None, State]] = [*((None, state) for state in ended), *left]
    for onward, states in _by_target(leaving):
        try:
            given = _arrive(i, mark, states)
            leave(none)
            if onward is None:
                after.append((i.heap.changes(mark), NONE, i.path))
            else:
                i.leave(onward, given)
        except Halt:
            pass
        i.heap.undo(mark)
        i.path = base
    possible = possible_states(i, raised.possible)
    unsure: list[State] = [(delta, exception_of(i, name, place), base) for delta, name in possible]
    after += _leave_by_exception(i, leave, mark, caught_states(i, raised.arrived), (), i.throw, place, frame)
    after += _leave_by_exception(i, leave, mark, unsure, _exception_comes(i, place), lambda _: _may_raise(i, possible), place, frame)
    _arrive(i, mark, after)


def _leave_by_exception(
    i: Interpreter,
    leave: Callable[[Arguments], Value],
    mark: int,
    states: list[State],
    conditions: Path,
    onward: Callable[[Value], None],
    place: Place,
    frame: Frame,
) -> list[State]:
    """Run `leave` where an exception leaves a block: the state that goes on, if `leave` may swallow it. `conditions`: what it depends on that there is one;
    `onward`: what becomes of it if nothing swallows it. After it the state is that at `mark`."""
    if not states:
        return []
    base = i.path
    after: list[State] = []
    try:
        error = _arrive(i, mark, states)
        i.path = (*i.path, *conditions)
        cls = exception_class(i, error)
        if isinstance(cls, Symbolic) and cls.kinds is None:
            cls = i.derived("class", (cls,), frozenset(("builtins.type",)), place)  # of whatever class, it is not None
        trace = i.symbolic(place, "traceback", kinds=frozenset(("builtins.traceback",)))
        outer_error = i.heap.get(frame.oid, HANDLING)
        i.heap.set(frame.oid, HANDLING, error)
        swallowed = leave(Arguments((cls, error, trace), places=(place,) * 3))
        _handle(i, outer_error, frame)
        truth = i.truth(swallowed, place, frame)
        if truth.outcome is not False:
            after.append((i.heap.changes(mark), NONE, (*base, *conditions)))
        if truth.outcome is not True:
            onward(error)
    except Halt:
        pass
    i.heap.undo(mark)
    i.path = base
    return after
