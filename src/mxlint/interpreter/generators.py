"""Generators, context managers made of them, coroutines: bodies that run when somebody asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import NONE, Member, Ref, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.activations import ENV, activation, run_body
from mxlint.interpreter.arguments import Arguments
from mxlint.interpreter.builders import new_list
from mxlint.interpreter.core import MAX_CALLS, Halt, Interpreter
from mxlint.interpreter.exceptions import answered, throw_named
from mxlint.interpreter.frames import Frame
from mxlint.interpreter.functions import FunctionInfo
from mxlint.interpreter.iteration import iterate
from mxlint.interpreter.iterators import CLOSING, RETURNED, SENT, THROWN
from mxlint.interpreter.lookup import special
from mxlint.interpreter.operations import Consume


def suspended(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments, place: Place, frame: Frame) -> Value:
    """A call of a generator function or coroutine: the arguments are bound, the body waits."""
    with i.within(("call", place, ref.oid)):
        inner = activation(i, ref, info, args, place, frame)
        if info.generator:
            oid = i.allocate("generator", None, place)
            i.heap.infos[oid].payload = Generator(info, inner)
            i.heap.set(oid, ENV, Ref(inner.oid))
        else:
            oid = i.allocate("coroutine", Generator(info, inner), place)
            i.heap.set(oid, ENV, Ref(inner.oid))
    if i.observer is not None:
        i.observer.returned(inner, info.node, Ref(oid))
    return Ref(oid)


class Generator:
    """The payload of a generator object: runs the body, with whoever iterates at each yield. `about`: its function and its activation."""

    __slots__ = ("about", "run")

    def __init__(self, info: FunctionInfo, frame: Frame) -> None:
        self.about = info, frame
        self.run = _run_generator(info, frame)

    def __call__(self, i: Interpreter, ref: Ref, consume: Consume, place: Place, outer: Frame) -> None:
        self.run(i, ref, consume, place, outer)


def _run_generator(info: FunctionInfo, frame: Frame) -> Callable[..., None]:
    def run(i: Interpreter, ref: Ref, consume: Consume, place: Place, outer: Frame) -> None:
        if any(other is frame for other in i.stack) or len(i.stack) >= MAX_CALLS:
            consume(i.unknown(place, "a generator inside itself"))
            return
        depth, tries = len(i.stack), len(i.tries)

        def take(value: Value) -> Value:
            """One `yield`: whoever iterates goes on, with its own handlers around it."""
            inner = i.stack[depth:], i.tries[tries:], i.try_depths[tries:]
            del i.stack[depth:], i.tries[tries:], i.try_depths[tries:]
            handled = len(inner[1]) > 1
            left = sum(len(target.arrived) for target in i.targets) if handled else 0
            mark, path = i.heap.mark(), i.path
            given: Value | None = None
            try:
                answer = consume(value)
                given = NONE if answer is None else answer
            except Halt:
                if not handled:
                    raise
            finally:
                i.stack[depth:], i.tries[tries:], i.try_depths[tries:] = inner
            if given is None and handled:
                i.heap.undo(mark)
                i.path = path
                throw_named(i, "builtins.GeneratorExit", place)
            if handled and (i.heap.get(ref.oid, CLOSING) is not None or left < sum(len(target.arrived) for target in i.targets)):
                i.fork([((), lambda: NONE), ((), lambda: throw_named(i, "builtins.GeneratorExit", place))])
            error = i.heap.get(ref.oid, THROWN)
            if error is not None:
                i.fork([((), lambda: NONE), ((), lambda: _raised(i, error))])
            sent = i.heap.get(ref.oid, SENT)
            return join([part for part in (given, sent) if part is not None])

        frame.consume = take
        path = i.path
        value: Value | None = None
        with i.trying() as closed, i.within((place, "generator")):
            value = run_body(i, info, frame)
        after, way = i.heap.cut(closed.mark), i.path
        i.path = path
        answered(i, closed, "builtins.GeneratorExit", lambda: None)
        if value is None:
            raise Halt
        i.heap.apply(after)
        i.path = way
        i.heap.set(ref.oid, RETURNED, value)

    return run


def _raised(i: Interpreter, error: Value) -> Value:
    i.throw(error)
    return NONE


def manage(i: Interpreter, manager: Ref, block: Callable[[Value], None], place: Place, outer: Frame) -> None:
    """Run the generator of a context manager, and the block at its yield. What the block raises is raised at the yield."""
    generator = i.heap.get(manager.oid, "gen")
    payload = i.info(manager.oid).payload
    assert isinstance(payload, Generator)
    info, frame = payload.about

    def take(value: Value) -> Value:
        block(value)
        return NONE

    if generator is None or any(other is frame for other in i.stack):
        block(i.unknown(place, "a context manager inside itself"))
        return
    frame.consume = take
    with i.within((place, "manager")):
        run_body(i, info, frame)


def call_manager(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """A call of a function under `contextlib.contextmanager`."""
    made = i.call(i.heap.get(ref.oid, "__wrapped__") or Unknown("contextmanager"), args, place, frame)

    def one(member: Member) -> Value:
        payload = i.info(member.oid).payload if isinstance(member, Ref) else None
        if isinstance(member, Ref) and isinstance(payload, Generator):
            oid = i.allocate("manager", payload, place, member.oid)
            i.heap.set(oid, "gen", member)
            return Ref(oid)
        return i.symbolic(place, "context manager")

    return i.split(made, one)


def delegated(i: Interpreter, value: Value, frame: Frame, place: Place, result: list[Value]) -> None:
    """`yield from value`."""

    def hand_on(item: Value) -> Value:
        assert frame.consume is not None
        return frame.consume(item)

    iterate(i, value, hand_on, place, frame)
    for member in members(value):
        if isinstance(member, Ref) and i.info(member.oid).kind == "generator":
            returned = i.heap.get(member.oid, RETURNED)
            if returned is not None:
                result.append(returned)


def awaited(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """`await value`: the body of a coroutine of the program runs here."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind == "coroutine":
            payload = i.info(member.oid).payload
            assert isinstance(payload, Generator)
            info, inner = payload.about
            with i.within((place, "await")):
                return run_body(i, info, inner)
        if isinstance(member, Ref) and i.info(member.oid).kind == "future":
            return i.heap.get(member.oid, "value") or NONE
        if isinstance(member, Ref):
            method = special(i, member, "__await__", place, frame)
            if method is not None:
                return _awaited_by(i, i.call(method, Arguments(), place, frame), place, frame)
        i.may_raise()
        if isinstance(member, Unknown):
            return member
        return i.symbolic(place, "awaited")

    return i.split(value, one)


def _awaited_by(i: Interpreter, made: Value, place: Place, frame: Frame) -> Value:
    """The value of `await` of an object whose `__await__` gave an iterator."""
    result: list[Value] = []
    iterate(i, made, lambda item: NONE, place, frame)
    for member in members(made):
        returned = i.heap.get(member.oid, RETURNED) if isinstance(member, Ref) else None
        result.append(returned if returned is not None else i.symbolic(place, "awaited"))
    return join(result)


def _future(value: Callable[[Interpreter, Arguments, Place, Frame], Value]) -> Callable[[Interpreter, Arguments, Place, Frame], Value]:
    """A library function that gives something to be awaited; what it waits for runs at once."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        held = value(i, args, place, frame)
        oid = i.allocate("future", None, place)
        i.heap.set(oid, "value", held)
        return Ref(oid)

    return run


def _gathered(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    found = []
    for number, part in enumerate(args.args):
        with i.within((place, number)):
            found.append(awaited(i, part, place, frame))
    return new_list(i, Tuple(tuple(found)) if args.star is None else Tuple(None, awaited(i, args.star, place, frame)), place)


AWAITABLES: Final = {
    "asyncio.run": lambda i, args, place, frame: awaited(i, args.args[0], place, frame),
    "asyncio.gather": _future(_gathered),
    "asyncio.create_task": _future(lambda i, args, place, frame: awaited(i, args.args[0], place, frame)),
    "asyncio.ensure_future": _future(lambda i, args, place, frame: awaited(i, args.args[0], place, frame)),
    "asyncio.wait_for": _future(lambda i, args, place, frame: awaited(i, args.args[0], place, frame)),
    "asyncio.shield": _future(lambda i, args, place, frame: awaited(i, args.args[0], place, frame)),
    "asyncio.sleep": _future(lambda i, args, place, frame: args.get(1, "result") or NONE),
}
"""Functions of asyncio by canonical name: coroutines run where they are handed over."""
