"""try and with: which states come to which handler, and what runs on every way out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mxlint.domain.heap import Delta
from mxlint.domain.join import join
from mxlint.domain.members import NONE, External, Member, Ref, Symbolic, Unknown, Value
from mxlint.domain.place import Place
from mxlint.interpreter.arguments import Arguments
from mxlint.interpreter.binding import assign, owner_of, store
from mxlint.interpreter.core import Halt, Interpreter
from mxlint.interpreter.exceptions import caught, exception_class, exception_of, is_leaf
from mxlint.interpreter.frames import Frame
from mxlint.interpreter.garbage import caught_states, possible_states
from mxlint.interpreter.generators import manage
from mxlint.interpreter.lookup import special
from mxlint.interpreter.paths import Path
from mxlint.interpreter.targets import Target
from mxlint.syntax import ir

HANDLING: Final = ("#", "handling")
"""The field of a frame that holds the exception that is being handled."""


def handled_error(i: Interpreter, frame: Frame) -> Value | None:
    """The exception that is being handled: in this function or in one that called it."""
    outer: Frame | None = frame
    while outer is not None:
        error = i.heap.get(outer.oid, HANDLING)
        if error is not None:
            return error
        outer = outer.caller
    return None


def try_statement(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    if node.final:
        _finally(i, node, frame)
    else:
        _handled(i, node, frame)


def _handled(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    """try, except, else."""
    mark, base = i.heap.mark(), i.path
    after: list[tuple[Delta, Value, Path]] = []
    alive = False
    with i.trying() as raised:
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
        taken: list[tuple[Delta, Value, Path]] = []
        left: list[tuple[Delta, Value, Path]] = []
        for delta, error, path in pending:
            answer = True if handler.type is None else caught(i, error, wanted)
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
                i.path = (*base, i.undecided("open", frame.place(handler)))
            i.heap.set(frame.oid, HANDLING, error)
            if handler.name is not None:
                store(i, handler.name, error, frame)
            i.execute(handler.body, frame)
            if handler.name is not None:
                i.heap.drop(owner_of(i, handler.name, frame), handler.name)
            if outer_error is None:
                i.heap.drop(frame.oid, HANDLING)
            else:
                i.heap.set(frame.oid, HANDLING, outer_error)
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
    normal: list[tuple[Delta, Value, Path]] = []
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
    done: list[tuple[Delta, Value, Path]] = []
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
            i.execute(node.final, frame)
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

    def one(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind == "manager":
            _within_generator(i, member, inside, place, frame)
            return NONE
        enter = special(i, member, "__aenter__" if node.is_async else "__enter__", place, frame)
        leave = special(i, member, "__aexit__" if node.is_async else "__exit__", place, frame)
        if enter is not None and leave is not None:
            _managed(i, enter, leave, inside, place, frame)
            return NONE
        i.operations.managed(i, member, inside, place, frame)
        return NONE

    i.place = place
    i.split(manager, one)


def _within_generator(i: Interpreter, manager: Ref, inside: Callable[[Value], None], place: Place, frame: Frame) -> None:
    """A generator as a context manager: the block runs at its `yield`; what leaves the block does so after the rest of the generator."""
    outer = frame.returns, frame.breaks, frame.continues
    count = 1 + len(outer[1]) + len(outer[2])
    left: list[list[Value]] = [[] for _ in range(count)]

    def block(value: Value) -> None:
        mark, base = i.heap.mark(), i.path
        ours = [Target(mark) for _ in range(count)]
        middle = 1 + len(outer[1])
        frame.returns, frame.breaks, frame.continues = (ours[0] if outer[0] is not None else None), ours[1:middle], ours[middle:]
        i.targets += ours
        after = Target(mark)
        try:
            inside(value)
            after.arrived.append((i.heap.changes(mark), NONE, i.path))
        except Halt:
            pass
        finally:
            frame.returns, frame.breaks, frame.continues = outer
            for target in ours:
                i.targets.remove(target)
        for number, target in enumerate(ours):
            left[number].extend(value for _, value, _ in target.arrived)
            after.arrived.extend((delta, NONE, path) for delta, _, path in target.arrived)
        i.heap.undo(mark)
        i.path = base
        i.arrive(after)
        goes_on.append(len(after.arrived) > sum(len(target.arrived) for target in ours))

    goes_on: list[bool] = []
    manage(i, manager, block, place, frame)
    ways: list[tuple[Path, Callable[[], Value]]] = [((), lambda: NONE)] if any(goes_on) or not any(left) else []
    for values, onward in zip(left, (outer[0], *outer[1], *outer[2])):
        if values and onward is not None:
            ways.append(((), _leaving(i, onward, join(values))))
    i.fork(ways)


def _leaving(i: Interpreter, onward: Target, value: Value) -> Callable[[], Value]:
    def leave() -> Value:
        i.leave(onward, value)
        return NONE

    return leave


def _managed(i: Interpreter, enter: Value, leave: Value, inside: Callable[[Value], None], place: Place, frame: Frame) -> None:
    """A context manager of the program: what its `__exit__` swallows goes on."""
    value = i.call(enter, Arguments(), place, frame)
    mark, base = i.heap.mark(), i.path
    after: list[tuple[Delta, Value, Path]] = []
    alive = False
    with i.trying() as raised:
        inside(value)
        alive = True
    none = Arguments((NONE, NONE, NONE), places=(place,) * 3)
    if alive:
        try:
            i.call(leave, none, place, frame)
            after.append((i.heap.changes(mark), NONE, i.path))
        except Halt:
            pass
    i.heap.undo(mark)
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
            swallowed = i.call(leave, Arguments((cls, error, trace), places=(place,) * 3), place, frame)
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
