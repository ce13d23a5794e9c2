"""Calls that nothing in sight makes: of functions, with symbolic arguments, and of methods on an object that is made of symbolic arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mxlint.domain.members import Ref, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.calls.relevance import DEFINED_IN
from mxlint.interpreter.compiled.reads import given_anew
from mxlint.interpreter.generators.awaiting import awaited
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.interpreter.open_world.entered import Entries
from mxlint.interpreter.open_world.guarded import kept_run
from mxlint.interpreter.open_world.parameters import arguments, some_object
from mxlint.interpreter.open_world.standing import Standing


def sample(i: Interpreter, cls: Ref, place: Place) -> Value | None:
    """The object of a class that nothing in sight makes: all its methods see the same; None if making one ends nowhere."""
    samples = i.ledger.of(Standing).samples
    if cls.oid not in samples:
        keep: list[Value | None] = []

        def make() -> None:
            i.modes.entered_alone = True  # who makes one may make several
            keep.append(some_object(i, cls, place))

        kept_run(i, make)
        samples[cls.oid] = keep[0] if keep else None
        if not keep and i.spent:
            i.ledger.of(Entries).unmade.add(cls.oid)
    return samples[cls.oid]


def called_alone(
    i: Interpreter,
    function: tuple[Ref, FunctionInfo],
    given: Sequence[Value],
    turn: int,
    frame: Frame,
    through: Ref | None = None,
    followed: bool = True,
) -> Value:
    """Call a function that nothing in sight calls with symbolic arguments, other ones in each `turn`, after those that are `given`; `through`: what is
    called in its place. Not `followed`: something in sight calls it, of which no run came there, and what that gives is not known."""
    ref, info = function
    place = Place(info.source, info.node.start, info.node.end)
    with alone(i, place, turn, *_inheriting(i, ref, given)):
        return call_with(i, through or ref, alone_arguments(i, function, given, followed), place, frame)


def _inheriting(i: Interpreter, function: Ref, given: Sequence[Value]) -> Iterator[int]:
    """The object or class that a method is given, if the class inherits the method: what it makes there, as a compiled object, is not what it makes of others."""
    defined_in = i.heap.get(function.oid, DEFINED_IN)
    for member in members(given[0]) if given and defined_in is not None else ():
        if isinstance(member, Ref):
            of = i.heap.get(member.oid, CLASS) if i.info(member.oid).kind == "instance" else member
            if of != defined_in:
                yield member.oid


@contextmanager
def alone(i: Interpreter, place: Place, turn: int, *inheriting: int) -> Iterator[None]:
    """The context of a call that nothing in sight makes. `inheriting`: the object of which it is a method that its class inherits."""
    i.modes.entered_alone = True
    with i.within(("entry", place, turn, *inheriting)):
        yield


def alone_arguments(i: Interpreter, function: tuple[Ref, FunctionInfo], given: Sequence[Value], followed: bool = True) -> Arguments:
    """The symbolic arguments of such a call, after those that are `given`."""
    ref, info = function
    place = Place(info.source, info.node.start, info.node.end)
    args = arguments(i, ref, info, len(given), frozenset())
    given_anew(i, (*args.args, *args.keywords.values()))
    if not followed:
        unknown = i.unknown(place, "budget of steps")
        args = Arguments(tuple(unknown for _ in args.args), dict.fromkeys(args.keywords, unknown), args.star, args.kwstar, args.places)
    every = Arguments(
        (*given, *args.args), args.keywords, args.star, args.kwstar, ((place,) * len(given)) + args.places, args.keyword_places
    )
    every.is_given = args.is_given
    return every


def call_with(i: Interpreter, function: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """What a function gives, a generator being iterated and a coroutine awaited."""
    return _to_its_end(i, i.call(function, args, place, frame), place, frame)


def _to_its_end(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """What a call gives, a generator being iterated and a coroutine awaited: who calls such a function does that, and may send the generator something."""
    for member in members(value):
        if isinstance(member, Ref) and i.info(member.oid).kind == "generator":
            i.iterate(member, lambda _: i.symbolic(place, "element"), place, frame)
        elif isinstance(member, Ref) and i.info(member.oid).kind == "coroutine":
            return awaited(i, member, place, frame)
    return value
