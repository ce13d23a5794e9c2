"""`send`, `throw` and `close` of generators: what the yield gives or raises at which the body stands."""

from __future__ import annotations

from mxlint.domain.join import join
from mxlint.domain.members import NONE, TRUE, Const, External, Member, Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter.generators.advancing import next_of_iterator, stepped
from mxlint.interpreter.generators.iterators import ITERATED, POSITION, RESUME, SENT, THROWN
from mxlint.interpreter.generators.stepping import can_step, step
from mxlint.interpreter.generators.yielding import as_iterator, take_back
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame, Given


def thrown(i: Interpreter, ref: Ref, error: Value, place: Place, frame: Frame) -> Value:
    """`generator.throw(error)`: one that is run as a whole is run anew, and the exception may come at any of its yields."""
    if can_step(i, ref):
        return stepped(i, ref, Given(thrown=error), None, place)
    i.heap.set(ref.oid, THROWN, error)
    value = sent(i, ref, NONE, place, frame)
    i.heap.drop(ref.oid, THROWN)
    return value


def closed(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Value:
    """`generator.close()`: GeneratorExit is raised at the yield that it stands at, if it stands at one."""

    def one(at: Member) -> Value:
        if isinstance(at, Const) and at not in (NONE, TRUE):
            with i.leaving() as ended:
                error = i.call(External("builtins.GeneratorExit"), Arguments(), place, frame)
                step(i, ref, Given(thrown=error, closes=ended), ended, place)
            i.arrive(ended)
        i.heap.set(ref.oid, RESUME, TRUE)
        return NONE

    return i.split(i.heap.get(ref.oid, RESUME) or NONE, one) if can_step(i, ref) else NONE


def sent(i: Interpreter, ref: Ref, value: Value, place: Place, frame: Frame) -> Value:
    """`generator.send(value)`: one that is run as a whole is run anew with one more value that its yields may give."""
    if can_step(i, ref):
        return stepped(i, ref, Given(value), None, place)
    before = i.heap.get(ref.oid, SENT)
    i.heap.set(ref.oid, SENT, value if before is None else join((before, value)))
    done = i.heap.get(ref.oid, ITERATED)
    position = i.heap.get(done.oid, POSITION) if isinstance(done, Ref) else None
    take_back(i, ref)
    made = as_iterator(i, ref, place, frame)
    if position is not None:
        i.heap.set(made.oid, POSITION, position)
    return next_of_iterator(i, made, None, place, frame)
