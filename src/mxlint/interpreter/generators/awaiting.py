"""`await`: the body of a coroutine runs where it is awaited. What `asyncio.gather` and its like are given runs at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import NONE, Member, Ref, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.calls.activations import run_body
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.generators.advancing import next_item
from mxlint.interpreter.generators.iterators import RETURNED
from mxlint.interpreter.generators.stepping import Generator
from mxlint.interpreter.loops.iteration import iterate
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.contexts import having_its_own
from mxlint.interpreter.machine.core import Halt, Handler, Interpreter
from mxlint.interpreter.machine.exceptions import answered, throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import AWAIT
from mxlint.interpreter.machine.targets import anything
from mxlint.interpreter.objects.lookup import special


def awaited(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """`await value`: the body of a coroutine of the program runs here."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind == "coroutine":
            payload = i.info(member.oid).payload
            assert isinstance(payload, Generator)
            info, inner = payload.about
            with i.within((place, AWAIT)):
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


def future(value: Handler) -> Handler:
    """A library function that gives something to be awaited; what it waits for runs at once."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        held = value(i, args, place, frame)
        oid = i.allocate("future", None, place)
        i.heap.set(oid, "value", held)
        return Ref(oid)

    return run


def _gathered(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    kept = args.keywords.get("return_exceptions")
    wait = awaited if kept is None or i.truth(kept, place, frame).outcome is False else _ended
    found = []
    for number, part in enumerate(args.args):
        with i.within((place, number)), having_its_own(i, thread=False):
            found.append(wait(i, part, place, frame))
    return new_list(i, Tuple(tuple(found)) if args.star is None else Tuple(None, wait(i, args.star, place, frame)), place)


def _ended(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """What a coroutine gives, or the exception that ends it."""
    with i.leaving() as ends:
        path = i.path
        with i.trying(catches=anything) as raised:
            i.reach(ends, awaited(i, value, place, frame))
        i.heap.undo(raised.mark)
        for delta, error, way in raised.arrived:
            i.heap.apply(delta)
            i.path = way
            i.reach(ends, error)
            i.heap.undo(raised.mark)
        i.path = path
    return i.arrive(ends)


def _iterator(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`aiter(value)`."""

    def one(member: Member) -> Value:
        method = special(i, member, "__aiter__", place, frame)
        return i.call(method, Arguments(), place, frame) if method is not None else member

    return i.split(args.args[0], one)


def _next(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`anext(iterator, default)`: the element itself."""
    default = args.args[1] if len(args.args) > 1 else None

    def one(member: Member) -> Value:
        method = special(i, member, "__anext__", place, frame)
        given: Value | None = None

        def answer() -> None:
            if default is None:
                throw_named(i, "builtins.StopAsyncIteration", place)
            i.reach(ends, default)

        with i.leaving() as ends:
            with i.trying(catches=anything) as raised:
                if method is not None:
                    given = awaited(i, i.call(method, Arguments(), place, frame), place, frame)
                else:
                    given = next_item(i, member, None, place, frame)
            after, way = i.heap.cut(raised.mark), i.path
            answered(i, raised, "builtins.StopIteration" if method is None else "builtins.StopAsyncIteration", _alone(answer))
            if given is not None:
                i.heap.apply(after)
                i.path = way
                i.reach(ends, given)
        return i.arrive(ends)

    return i.split(args.args[0], one)


def _alone(answer: Callable[[], None]) -> Callable[[], None]:
    """Run `answer`; nothing goes on from it if it raises."""

    def run() -> None:
        try:
            answer()
        except Halt:
            pass

    return run


AWAITABLES: Final[dict[str, Handler]] = {
    "asyncio.run": lambda i, args, place, frame: awaited(i, args.args[0], place, frame),
    "asyncio.gather": future(_gathered),
    "asyncio.shield": future(lambda i, args, place, frame: awaited(i, args.args[0], place, frame)),
    "asyncio.sleep": future(lambda i, args, place, frame: args.get(1, "result") or NONE),
    "builtins.anext": future(_next),
    "builtins.aiter": _iterator,
    "#await": lambda i, args, place, frame: awaited(i, args.args[0], place, frame),
}
"""Functions by canonical name: coroutines run where they are handed over."""
