"""Statements: one transfer function for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from mxlint.domain.heap import Delta
from mxlint.domain.place import Place
from mxlint.domain.value import (
    NONE,
    UNBOUND,
    Array,
    External,
    Member,
    Option,
    Ref,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    join,
    members,
    of,
)
from mxlint.interpreter.calls import manage
from mxlint.interpreter.core import Arguments, Condition, Frame, FrameInfo, Halt, Interpreter, Path, Target, Truth, guard_of
from mxlint.interpreter.exceptions import caught, exception_class, exception_of, is_leaf, throw_named
from mxlint.interpreter.iteration import MAX_UNROLLED, UNROLLED, iterate, repeat, unpack
from mxlint.interpreter.lookup import special
from mxlint.interpreter.narrowing import assume
from mxlint.interpreter.operators import METHODS
from mxlint.syntax import ir

HANDLING: Final = ("#", "handling")
"""The field of a frame that holds the exception that is being handled."""


def execute(i: Interpreter, body: Sequence[ir.Stmt], frame: Frame) -> None:
    """Run statements one after another. Raises `Halt` if no state goes on after them."""
    for statement in body:
        i.steps -= 1
        if i.observer is not None:
            i.observer.reached(frame, statement)
        _STATEMENTS[type(statement)](i, statement, frame)


# -- binding -----------------------------------------------------------------------------------------------------------


def store(i: Interpreter, name: str, value: Value, frame: Frame, place: Place | None = None) -> None:
    """Bind a name as an assignment in this frame does."""
    oid = owner_of(i, name, frame)
    i.heap.set(oid, name, value)
    if i.observer is not None and place is not None:
        i.observer.target(frame, ir.Node(place.start, place.end), value)
    i.operations.written(i, oid, name, value, place, frame)


def owner_of(i: Interpreter, name: str, frame: Frame) -> int:
    """The object that an assignment to a name writes to: the frame, the module for a global, an outer frame for a nonlocal."""
    scope = frame.scope
    if scope is not None:
        if name in scope.globals:
            return frame.module
        if name in scope.nonlocals:
            return _nonlocal(i, name, frame.oid)
    return frame.oid


def _nonlocal(i: Interpreter, name: str, oid: int) -> int:
    start = oid
    while True:
        parent = i.heap.get(oid, ("#", "parent"))
        if not isinstance(parent, Ref):
            return start
        oid = parent.oid
        info = i.info(oid).payload
        if isinstance(info, FrameInfo) and info.kind != "class" and i.heap.get(oid, name) is not None:
            return oid


def assign(i: Interpreter, target: ir.Expr, value: Value, frame: Frame) -> None:
    """`target = value`."""
    if isinstance(target, ir.Name):
        store(i, target.id, value, frame, frame.place(target))
    elif isinstance(target, ir.Attr):
        owner = i.eval(target.value, frame)
        if i.observer is not None:
            i.observer.target(frame, target, value)
        i.set_attribute(owner, target.name, value, frame.place(target), frame)
    elif isinstance(target, ir.Sub):
        owner = i.eval(target.value, frame)
        index = i.eval(target.index, frame)
        if i.observer is not None:
            i.observer.target(frame, target, value)
        i.operations.set_item(i, owner, index, value, frame.place(target), frame)
    elif isinstance(target, ir.Seq):
        star = next((n for n, item in enumerate(target.items) if isinstance(item, ir.Starred)), None)
        parts = unpack(i, value, len(target.items), star, frame.place(target), frame)
        for item, part in zip(target.items, parts):
            assign(i, item.value if isinstance(item, ir.Starred) else item, part, frame)
    elif isinstance(target, ir.Starred):
        assign(i, target.value, value, frame)


def _assign(i: Interpreter, node: ir.Assign, frame: Frame) -> None:
    if (
        node.annotation is not None
        and frame.kind in ("class", "module")
        and len(node.targets) == 1
        and isinstance(node.targets[0], ir.Name)
    ):
        i.operations.annotated(i, node, frame)
    if node.value is None:
        return
    value = i.eval(node.value, frame)
    for target in node.targets:
        assign(i, target, value, frame)


def _aug_assign(i: Interpreter, node: ir.AugAssign, frame: Frame) -> None:
    target = node.target
    place = frame.place(node)
    if isinstance(target, ir.Name):
        present = i.eval(target, frame)
        store(i, target.id, in_place(i, node.op, present, i.eval(node.value, frame), place, frame), frame, frame.place(target))
    elif isinstance(target, ir.Attr):
        owner = i.eval(target.value, frame)
        present = i.attribute(owner, target.name, frame.place(target), frame)
        i.set_attribute(owner, target.name, in_place(i, node.op, present, i.eval(node.value, frame), place, frame), place, frame)
    elif isinstance(target, ir.Sub):
        owner = i.eval(target.value, frame)
        index = i.eval(target.index, frame)
        present = i.operations.item(i, owner, index, frame.place(target), frame)
        i.operations.set_item(i, owner, index, in_place(i, node.op, present, i.eval(node.value, frame), place, frame), place, frame)


def in_place(i: Interpreter, op: str, present: Value, value: Value, place: Place, frame: Frame) -> Value:
    """`present op= value`: lists, sets, dicts and arrays are changed in place."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref):
            kind = i.info(member.oid).kind
            if kind == "list" and op == "+":
                i.operations.call(i, i.attribute(member, "extend", place, frame), Arguments((value,), places=(place,)), place, frame)
                return member
            if kind in ("set", "dict") and op == "|":
                i.operations.call(i, i.attribute(member, "update", place, frame), Arguments((value,), places=(place,)), place, frame)
                return member
            method = special(i, member, f"__i{METHODS[op]}__", place, frame)
            if method is not None:
                return i.call(method, Arguments((value,), places=(place,)), place, frame)
        if isinstance(member, Array):
            return i.operations.array(i, f"mlx.core.array.__i{op}", (member, value), place, frame)
        return i.operations.binary(i, op, member, value, place, frame)

    return i.split(present, one)


def _delete(i: Interpreter, node: ir.Delete, frame: Frame) -> None:
    for target in node.targets:
        if isinstance(target, ir.Name):
            i.heap.drop(owner_of(i, target.id, frame), target.id)
        elif isinstance(target, ir.Attr):
            for member in members(i.eval(target.value, frame)):
                if isinstance(member, Ref):
                    i.heap.drop(member.oid, target.name)
        elif isinstance(target, ir.Sub):
            owner, index = i.eval(target.value, frame), i.eval(target.index, frame)
            i.operations.delete_item(i, owner, index, frame.place(target), frame)
        elif isinstance(target, ir.Seq):
            _delete(i, ir.Delete(target.start, target.end, target.items), frame)


# -- control flow ------------------------------------------------------------------------------------------------------


def _if(i: Interpreter, node: ir.If, frame: Frame) -> None:
    branch(i, node.test, frame, lambda: i.execute(node.body, frame), lambda: i.execute(node.orelse, frame))


def branch(i: Interpreter, test: ir.Expr, frame: Frame, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
    """Run one of two continuations, by a test; under the test's outcome, names are narrowed to what it leaves of them."""
    on_truth(i, test, i.truth(i.eval(test, frame), frame.place(test), frame), frame, then, otherwise)


def on_truth(i: Interpreter, test: ir.Expr, truth: Truth, frame: Frame, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
    """Run one of two continuations, by the outcome of a test."""

    def run(outcome: bool, continuation: Callable[[], None]) -> Callable[[], Value]:
        def inner() -> Value:
            assume(i, test, outcome, frame)
            continuation()
            return NONE

        return inner

    i.choose(truth, frame.place(test), run(True, then), run(False, otherwise))


def _while(i: Interpreter, node: ir.While, frame: Frame) -> None:
    mark = i.heap.mark()
    ended, breaks = Target(mark), Target(mark)
    base = i.path
    i.targets += [ended, breaks]
    frame.breaks.append(breaks)

    def leave() -> None:
        i.leave(ended, NONE)

    decided = True

    def step() -> None:
        nonlocal decided
        truth = i.truth(i.eval(node.test, frame), frame.place(node.test), frame)
        decided = truth.outcome is not None
        on_truth(i, node.test, truth, frame, lambda: _body(i, node.body, frame), leave)

    try:
        place = frame.place(node)
        most = 0 if isinstance(node.test, ir.Const) else min(UNROLLED, MAX_UNROLLED // i.unrolled)
        rounds = 0
        try:
            with i.unrolling(UNROLLED):
                while rounds < most and decided:
                    with i.within((place, rounds)):
                        step()
                    rounds += 1
            repeat(i, place, step, certain=True, ends=False, peeled=rounds > 0)
        except Halt:
            pass
    finally:
        frame.breaks.pop()
        i.targets.remove(ended)
        i.targets.remove(breaks)
    i.heap.undo(mark)
    i.path = base
    _after(i, node.orelse, frame, ended, breaks, mark)


def _after(i: Interpreter, orelse: ir.Body, frame: Frame, ended: Target, breaks: Target, mark: int) -> None:
    """Go on after a loop: from where it ended through its else, and from where it was left by break."""
    arrived: list[tuple[Delta, Value, Path]] = list(breaks.arrived)
    base = i.path
    if ended.arrived:
        try:
            i.arrive(ended)
            i.execute(orelse, frame)
            arrived.append((i.heap.changes(mark), NONE, base))
        except Halt:
            pass
        i.heap.undo(mark)
    i.path = base
    both = Target(mark)
    both.arrived = arrived
    i.arrive(both)


def _body(i: Interpreter, body: ir.Body, frame: Frame) -> None:
    """The body of a loop: states that `continue` arrive at its end."""
    target = Target(i.heap.mark())
    base = i.path
    i.targets.append(target)
    frame.continues.append(target)
    try:
        i.execute(body, frame)
        if target.arrived:
            target.arrived.append((i.heap.changes(target.mark), NONE, i.path))
        else:
            return
    except Halt:
        pass
    finally:
        frame.continues.pop()
        i.targets.remove(target)
    i.heap.undo(target.mark)
    i.path = base
    i.arrive(target)


def _for(i: Interpreter, node: ir.For, frame: Frame) -> None:
    iterable = i.eval(node.iter, frame)
    mark = i.heap.mark()
    base = i.path
    ended, breaks = Target(mark), Target(mark)
    i.targets += [breaks]
    frame.breaks.append(breaks)

    def consume(value: Value) -> None:
        assign(i, node.target, value, frame)
        _body(i, node.body, frame)

    try:
        iterate(i, iterable, consume, frame.place(node.iter), frame)
        ended.arrived.append((i.heap.changes(mark), NONE, base))
    except Halt:
        pass
    finally:
        frame.breaks.pop()
        i.targets.remove(breaks)
    i.heap.undo(mark)
    i.path = base
    _after(i, node.orelse, frame, ended, breaks, mark)


def _flow(i: Interpreter, node: ir.Flow, frame: Frame) -> None:
    if node.kind == "break" and frame.breaks:
        i.leave(frame.breaks[-1], NONE)
    if node.kind == "continue" and frame.continues:
        i.leave(frame.continues[-1], NONE)


def _return(i: Interpreter, node: ir.Return, frame: Frame) -> None:
    value = i.eval(node.value, frame) if node.value is not None else NONE
    i.operations.returned(i, node, value, frame)
    if i.observer is not None and isinstance(frame.node, ir.FuncDef) and not frame.node.generator and not frame.node.is_async:
        i.observer.returned(frame, frame.node, value)
    if frame.returns is not None:
        i.leave(frame.returns, value)
    raise Halt


def _raise(i: Interpreter, node: ir.Raise, frame: Frame) -> None:
    place = frame.place(node)
    if node.value is None:
        error = _handled_error(i, frame)
        i.throw(error if error is not None else i.symbolic(place, "exception"))
        return
    value = i.eval(node.value, frame)
    for member in members(value):
        if isinstance(member, External) or isinstance(member, Ref) and i.info(member.oid).kind == "class":
            value = i.call(value, Arguments(), place, frame)
            break
    if node.cause is not None:
        cause = i.eval(node.cause, frame)
        for member in members(value):
            if isinstance(member, Ref):
                i.heap.set(member.oid, "__cause__", cause)
    i.operations.raised(i, node, value, frame)
    i.throw(value)


def _handled_error(i: Interpreter, frame: Frame) -> Value | None:
    """The exception that is being handled: in this function or in one that called it."""
    outer: Frame | None = frame
    while outer is not None:
        error = i.heap.get(outer.oid, HANDLING)
        if error is not None:
            return error
        outer = outer.caller
    return None


def _assert(i: Interpreter, node: ir.Assert, frame: Frame) -> None:
    def fail() -> None:
        if node.message is not None:
            i.eval(node.message, frame)
        i.operations.raised(i, node, External("builtins.AssertionError"), frame)
        throw_named(i, "builtins.AssertionError", frame.place(node))

    branch(i, node.test, frame, lambda: None, fail)


# -- try and with ------------------------------------------------------------------------------------------------------


def _try(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    if node.final:
        _finally(i, node, frame)
    else:
        _handled(i, node, frame)


def _handled(i: Interpreter, node: ir.Try, frame: Frame) -> None:
    """try, except, else."""
    mark, base = i.heap.mark(), i.path
    raised = Target(mark)
    after: list[tuple[Delta, Value, Path]] = []
    i.targets.append(raised)
    i.enter_try(raised)
    try:
        i.execute(node.body, frame)
        alive = True
    except Halt:
        alive = False
    finally:
        i.leave_try()
        i.targets.remove(raised)
        possible = raised.finish(i.heap)
    if alive:
        try:
            i.execute(node.orelse, frame)
            after.append((i.heap.changes(mark), NONE, i.path))
        except Halt:
            pass
    i.heap.undo(mark)
    pending = list(raised.arrived)
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
                i.path = (*base, Condition("open", frame.place(handler), None))
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
            after.append((i.heap.changes(mark), NONE, base))
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
        possible = raised.finish(i.heap)
    i.heap.undo(mark)
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


def _with(i: Interpreter, node: ir.With, frame: Frame) -> None:
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
    ways: list[tuple[None, Callable[[], Value]]] = [(None, lambda: NONE)] if any(goes_on) or not any(left) else []
    for values, onward in zip(left, (outer[0], *outer[1], *outer[2])):
        if values and onward is not None:
            ways.append((None, _leaving(i, onward, join(values))))
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
    raised = Target(mark)
    i.targets.append(raised)
    i.enter_try(raised)
    after: list[tuple[Delta, Value, Path]] = []
    try:
        inside(value)
        alive = True
    except Halt:
        alive = False
    finally:
        i.leave_try()
        i.targets.remove(raised)
        possible = raised.finish(i.heap)
    none = Arguments((NONE, NONE, NONE), places=(place,) * 3)
    if alive:
        try:
            i.call(leave, none, place, frame)
            after.append((i.heap.changes(mark), NONE, i.path))
        except Halt:
            pass
    i.heap.undo(mark)
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


# -- match -------------------------------------------------------------------------------------------------------------


def _match(i: Interpreter, node: ir.Match, frame: Frame) -> None:
    subject = i.eval(node.subject, frame)
    _cases(i, node, 0, subject, frame)


def _cases(i: Interpreter, node: ir.Match, number: int, subject: Value, frame: Frame) -> None:
    if number == len(node.cases):
        return
    case = node.cases[number]
    place = frame.place(case)

    def fallen() -> None:
        _cases(i, node, number + 1, subject, frame)

    def matched() -> None:
        if case.guard is None:
            i.execute(case.body, frame)
        else:
            branch(i, case.guard, frame, lambda: i.execute(case.body, frame), fallen)

    from mxlint.interpreter.patterns import match_pattern

    truth = match_pattern(i, case.pattern, subject, place, frame)

    def then() -> Value:
        matched()
        return NONE

    def otherwise() -> Value:
        fallen()
        return NONE

    i.choose(truth, place, then, otherwise)


# -- definitions, imports ----------------------------------------------------------------------------------------------


def _expression(i: Interpreter, node: ir.ExprStmt, frame: Frame) -> None:
    value = i.eval(node.value, frame)
    i.operations.discarded(i, node, value, frame)


def _function(i: Interpreter, node: ir.FuncDef, frame: Frame) -> None:
    value = i.operations.function(i, node, frame)
    store(i, node.name, value, frame, Place(frame.source, node.name_start, node.name_end))


def _class(i: Interpreter, node: ir.ClassDef, frame: Frame) -> None:
    value = i.operations.define_class(i, node, frame)
    store(i, node.name, value, frame, Place(frame.source, node.name_start, node.name_end))


def _import(i: Interpreter, node: ir.Import, frame: Frame) -> None:
    for number, (name, alias) in enumerate(node.names):
        value = i.operations.import_module(i, name, 0, frame, frame.place(node))
        if alias is None:
            value = i.operations.import_module(i, name.partition(".")[0], 0, frame, frame.place(node))
        store(i, alias or name.partition(".")[0], value, frame)
        if i.observer is not None:
            i.observer.imported(frame, node, number, value)


def _import_from(i: Interpreter, node: ir.ImportFrom, frame: Frame) -> None:
    i.operations.import_from(i, node, frame)


def _type_alias(i: Interpreter, node: ir.TypeAlias, frame: Frame) -> None:
    store(i, node.name, External("typing.TypeAliasType"), frame)


def _unknown(i: Interpreter, node: ir.UnknownStmt, frame: Frame) -> None:
    for name in node.binds:
        store(i, name, i.unknown(frame.place(node), "a statement that cannot be read"), frame)


_STATEMENTS: Final[dict[type, Any]] = {
    ir.ExprStmt: _expression,
    ir.Assign: _assign,
    ir.AugAssign: _aug_assign,
    ir.If: _if,
    ir.While: _while,
    ir.For: _for,
    ir.Try: _try,
    ir.With: _with,
    ir.FuncDef: _function,
    ir.ClassDef: _class,
    ir.TypeAlias: _type_alias,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.Delete: _delete,
    ir.Flow: _flow,
    ir.Import: _import,
    ir.ImportFrom: _import_from,
    ir.Match: _match,
    ir.UnknownStmt: _unknown,
}

__all__ = ["UNBOUND", "Option", "Symbolic", "Tuple", "Unbound", "Union", "assign", "branch", "execute", "guard_of", "join", "of", "store"]
