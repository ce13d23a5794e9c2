"""try and with: which states come to which handler, and what runs on every way out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from mxlint.domain.heap import Delta
from mxlint.domain.join import join
from mxlint.domain.members import NONE, External, Member, Ref, Symbolic, Unknown, Value
from mxlint.domain.place import Place
from mxlint.interpreter.generators.awaiting import awaited
from mxlint.interpreter.generators.generators import manage
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.exceptions import HANDLING, caught, exception_class, exception_of, is_leaf
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.garbage import caught_states, possible_states
from mxlint.interpreter.machine.paths import HANDLER, Path
from mxlint.interpreter.machine.targets import Target
from mxlint.interpreter.objects.lookup import special
from mxlint.interpreter.statements import groups
from mxlint.interpreter.statements.binding import assign, owner_of, store
from mxlint.syntax import ir

State: TypeAlias = tuple[Delta, Value, Path]
"""A state that arrives somewhere: what changed, the value that comes with it, and its path."""


def try_statement(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    if node.final:
        _finally(i, node, frame)
    else:
        _handled(i, node, frame)


def _handled(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    """try, except, else."""
    mark, base = i.heap.mark(), i.path
    after: list[State] = []
    alive = False
    with i.trying(catches=True) as raised:
        i.execute(node.body, frame)
        alive = True
    if alive:
        try:
            i.execute(node.orelse, frame)
            after.append((i.heap.changes(mark), NONE, i.path))
        except Halt:
            pass
    i.heap.undo(mark)
    pending, possible = caught_states(i, raised.arrived), possible_states(i, raised.possible)
    if node.star:
        whole = [(state, groups.parts(i, state[1], state[0])) for state in pending]
        pending = [state for state, found in whole if found is None]
        ended = [groups.run(i, node, mark, state, frame) for state, found in whole if found is not None]
        after += [state for state in ended if state is not None]
    for handler in node.handlers:
        if not pending and not possible:
            break
        wanted = NONE
        i.path = base
        if handler.type is not None:
            try:
                wanted = i.eval(handler.type, frame)  # type: ignore[assignment]
            except Halt:
                wanted = Unknown("handler")  # type: ignore[assignment]
        taken: list[State] = []
        left: list[State] = []
        for delta, error, path in pending:
            answer = True if handler.type is None else caught(i, error, wanted, delta)
            if answer is not False:
                taken.append((delta, error, path))
            if answer is not True:
                left.append((delta, error, path))
        pending = left
        sure = bool(taken)
        not_here: list[tuple[Delta, str | None]] = []
        for delta, name in possible:
            error = exception_of(i, name, frame.place(handler))
            answer = True if handler.type is None else caught(i, error, wanted)
            if answer is not False:
                taken.append((delta, _named_by(i, name, wanted, error), base))
            if answer is not True:
                not_here.append((delta, name))
        possible = not_here
        if not taken:
            continue
        target = Target(mark)
        target.arrived = taken
        try:
            error = i.arrive(target)
            outer_error = i.heap.get(frame.oid, HANDLING)
            if not sure:
                i.path = (*base, i.undecided("open", frame.place(handler), tag=HANDLER))
            i.heap.set(frame.oid, HANDLING, error)
            if handler.name is not None:
                store(i, handler.name, error, frame)
            i.execute(handler.body, frame)
            if handler.name is not None:
                i.heap.drop(owner_of(i, handler.name, frame), handler.name)
            _handle(i, outer_error, frame)
            after.append((i.heap.changes(mark), NONE, i.path if not sure else base))
        except Halt:
            pass
        i.heap.undo(mark)
    for delta, error, path in pending:
        _rethrow(i, mark, delta, error, path)
    i.hand_on(mark, possible)
    i.path = base
    target = Target(mark)
    target.arrived = after
    i.arrive(target)


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


def _finally(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    """Whatever leaves the try runs the final body first."""
    mark, base = i.heap.mark(), i.path
    inner = ir.Try(node.start, node.end, node.body, node.handlers, node.orelse, (), node.star)
    outer_returns = frame.returns
    returns, raised = Target(mark), Target(mark)
    breaks = [Target(mark) for _ in frame.breaks]
    continues = [Target(mark) for _ in frame.continues]
    outer_breaks, outer_continues = frame.breaks, frame.continues
    ours = [returns, raised, *breaks, *continues]
    i.targets += ours
    frame.returns, frame.breaks, frame.continues = (returns if outer_returns is not None else None), list(breaks), list(continues)
    i.enter_try(raised)
    normal: list[State] = []
    try:
        if inner.handlers:
            _handled(i, inner, frame)
        else:
            i.execute(node.body, frame)
            i.execute(node.orelse, frame)
        normal.append((i.heap.changes(mark), NONE, i.path))
    except Halt:
        pass
    finally:
        i.leave_try()
        for target in ours:
            i.targets.remove(target)
        frame.returns, frame.breaks, frame.continues = outer_returns, outer_breaks, outer_continues
        raised.finish(i.heap)
    i.heap.undo(mark)
    raised.arrived, possible = caught_states(i, raised.arrived), possible_states(i, raised.possible)
    done: list[State] = []
    last, unsure = Target(mark), Target(mark)
    last.arrived = normal
    unsure.arrived = [(delta, NONE, base) for delta, _ in possible]
    ways = [
        (returns, outer_returns),
        *zip(breaks, outer_breaks),
        *zip(continues, outer_continues),
        (raised, None),
        (unsure, None),
        (last, None),
    ]
    for target, onward in ways:
        if not target.arrived:
            continue
        i.path = base
        try:
            value = i.arrive(target)
            outer_error = i.heap.get(frame.oid, HANDLING)
            if target in (raised, unsure):
                i.heap.set(frame.oid, HANDLING, value if target is raised else Unknown("exception"))
            i.execute(node.final, frame)
            if target in (raised, unsure):
                _handle(i, outer_error, frame)
            if target is last:
                done.append((i.heap.changes(mark), NONE, i.path))
            elif target is raised:
                i.throw(value)
            elif target is unsure:
                for _, name in possible:
                    i.may_raise(*(() if name is None else (name,)))
            elif onward is not None:
                i.leave(onward, value)
        except Halt:
            pass
        i.heap.undo(mark)
    i.path = base
    end = Target(mark)
    end.arrived = done
    i.arrive(end)


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
            guarded(i, lambda details: _called(i, leave, details, place, frame, wait), lambda: inside(value), place, frame)
            return NONE
        i.operations.managed(i, member, inside, place, frame)
        return NONE

    i.split(manager, one)


def _catching(i: Interpreter, frame: Frame, inside: Callable[[], None]) -> tuple[list[State], list[tuple[Target, State]]]:
    """Run a block: the states in which it ends, and those in which a return, break or continue leaves it, with where they go. After it the state is that before it."""
    mark, base = i.heap.mark(), i.path
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
    i.heap.undo(mark)
    i.path = base
    return ended, [(there, state) for target, there in zip(ours, onward) for state in target.arrived]


def _within_generator(i: Interpreter, manager: Ref, inside: Callable[[Value], None], place: Place, frame: Frame) -> None:
    """A generator as a context manager: the block runs at its `yield`; what leaves the block does so after the rest of the generator."""
    ends: list[bool] = []
    ways: dict[int, tuple[Target, list[Value]]] = {}

    def block(value: Value) -> None:
        after = Target(i.heap.mark())
        after.arrived, left = _catching(i, frame, lambda: inside(value))
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


def _by_target(left: list[tuple[Target | None, State]]) -> Iterable[tuple[Target | None, list[State]]]:
    """The states that go to one target together."""
    found: dict[int, tuple[Target | None, list[State]]] = {}
    for onward, state in left:
        found.setdefault(id(onward), (onward, []))[1].append(state)
    return found.values()


def _called(i: Interpreter, function: Value, args: Arguments, place: Place, frame: Frame, wait: bool) -> Value:
    """Call `__enter__` or `__exit__`; `wait`: for what the call gives, as `async with` does."""
    made = i.call(function, args, place, frame)
    return awaited(i, made, place, frame) if wait else made


def guarded(i: Interpreter, leave: Callable[[Arguments], Value], inside: Callable[[], None], place: Place, frame: Frame) -> None:
    """Run a block, and `leave` on every way out of it, with the arguments of an `__exit__`: what that swallows goes on."""
    mark, base = i.heap.mark(), i.path
    after: list[State] = []
    with i.trying(catches=True) as raised:
        ended, left = _catching(i, frame, inside)
    none = Arguments((NONE, NONE, NONE), places=(place,) * 3)
    leaving: list[tuple[Target | None, State]] = [*((None, state) for state in ended), *left]
    for onward, states in _by_target(leaving):
        there = Target(mark)
        there.arrived = states
        i.path = states[0][2] if len(states) == 1 else base
        try:
            given = i.arrive(there)
            leave(none)
            if onward is None:
                after.append((i.heap.changes(mark), NONE, i.path))
            else:
                i.leave(onward, given)
        except Halt:
            pass
        i.heap.undo(mark)
        i.path = base
    raised.arrived, possible = caught_states(i, raised.arrived), possible_states(i, raised.possible)
    unsure = Target(mark)
    unsure.arrived = [(delta, exception_of(i, name, place), base) for delta, name in possible]
    for target in (raised, unsure):
        if not target.arrived:
            continue
        i.path = base
        try:
            error = i.arrive(target)
            cls = exception_class(i, error)
            trace = i.symbolic(place, "traceback", kinds=frozenset(("builtins.traceback",)))
            outer_error = i.heap.get(frame.oid, HANDLING)
            i.heap.set(frame.oid, HANDLING, error)
            swallowed = leave(Arguments((cls, error, trace), places=(place,) * 3))
            _handle(i, outer_error, frame)
            truth = i.truth(swallowed, place, frame)
            if truth.outcome is not False:
                after.append((i.heap.changes(mark), NONE, base))
            if truth.outcome is not True:
                if target is unsure:
                    for _, name in possible:
                        i.may_raise(*(() if name is None else (name,)))
                else:
                    i.throw(error)
        except Halt:
            pass
        i.heap.undo(mark)
    i.path = base
    target = Target(mark)
    target.arrived = after
    i.arrive(target)
