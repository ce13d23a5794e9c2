"""Generators and context managers made of them: bodies that run when somebody asks."""

from __future__ import annotations

from collections.abc import Callable

from mxlint.domain.join import join
from mxlint.domain.members import NONE, Const, External, Member, Ref, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.activations import ENV, activation, run_body
from mxlint.interpreter.arguments import Arguments
from mxlint.interpreter.core import MAX_CALLS, OWN, Halt, Interpreter
from mxlint.interpreter.exceptions import CLASS, answered, caught, fill, throw_named
from mxlint.interpreter.frames import Frame
from mxlint.interpreter.functions import FunctionInfo
from mxlint.interpreter.iteration import iterate
from mxlint.interpreter.iterators import CLOSING, RETURNED, SENT, THROWN
from mxlint.interpreter.operations import Consume
from mxlint.interpreter.targets import Target


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
        _ends(i, closed)
        answered(i, closed, "builtins.GeneratorExit", lambda: None)
        if value is None:
            raise Halt
        i.heap.apply(after)
        i.path = way
        i.heap.set(ref.oid, RETURNED, value)

    return run


def _ends(i: Interpreter, closed: Target) -> None:
    """StopIteration that leaves the body of a generator is RuntimeError outside."""
    for number, (delta, error, way) in enumerate(closed.arrived):
        if caught(i, error, External("builtins.StopIteration"), delta):
            place = i.info(error.oid).place if isinstance(error, Ref) else None
            if isinstance(place, Place):
                i.heap.apply(delta)
                oid = i.allocate("instance", OWN, place, "builtins.RuntimeError")
                i.heap.set(oid, CLASS, External("builtins.RuntimeError"))
                fill(i, oid, "builtins.RuntimeError", Tuple((Const("generator raised StopIteration"),)))
                i.heap.set(oid, "__cause__", error)
                closed.arrived[number] = (i.heap.changes(closed.mark), Ref(oid), way)
                i.heap.undo(closed.mark)


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
    again = Arguments((ref, *args.args), args.keywords, args.star, args.kwstar, (place, *args.places), args.keyword_places, args.node)
    maker = i.operations.external(i, "functools.partial", again, place, frame)

    def one(member: Member) -> Value:
        payload = i.info(member.oid).payload if isinstance(member, Ref) else None
        if isinstance(member, Ref) and isinstance(payload, Generator):
            oid = i.allocate("manager", payload, place, member.oid)
            i.heap.set(oid, "gen", member)
            i.heap.set(oid, "maker", maker)
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
