"""Calls of generator functions and coroutines: the arguments are bound, and the body waits until an element is asked for.

Also `yield from`, and context managers that are made of generators: the `with` block runs at the yield.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mxlint.domain.members import NONE, Member, Ref, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.calls.activations import ENV, activation, run_body
from mxlint.interpreter.generators.iterators import RETURNED
from mxlint.interpreter.generators.stepping import Generator
from mxlint.interpreter.loops.iteration import iterate
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo

FUNCTION: Final = ("#", "function")
"""Of a generator or coroutine: the function whose body it runs."""


def suspended(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments, place: Place, frame: Frame) -> Value:
    """A call of a generator function or coroutine: the arguments are bound, the body waits."""
    with i.within(("call", place, ref.oid)):
        inner = activation(i, ref, info, args, place, frame)
        if info.generator:
            oid = i.allocate("generator", None, place)
            i.heap.infos[oid].payload = Generator(info, inner)
            i.generators.append(oid)
        else:
            oid = i.allocate("coroutine", Generator(info, inner), place)
        i.heap.set(oid, ENV, Ref(inner.oid))
        i.heap.set(oid, FUNCTION, ref)
    if i.observer is not None:
        i.observer.returned(inner, info.node, Ref(oid))
    return Ref(oid)


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
