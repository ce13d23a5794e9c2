"""`send` and `throw` of generators."""

from __future__ import annotations

from mxlint.domain.join import join
from mxlint.domain.members import NONE, Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter.advancing import next_of_iterator
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.frames import Frame
from mxlint.interpreter.iterators import ITERATED, POSITION, SENT, THROWN
from mxlint.interpreter.yielding import as_iterator, take_back


def thrown(i: Interpreter, ref: Ref, error: Value, place: Place, frame: Frame) -> Value:
    """`generator.throw(error)`: the body is run anew, and the exception may come at any of its yields."""
    i.heap.set(ref.oid, THROWN, error)
    value = sent(i, ref, NONE, place, frame)
    i.heap.drop(ref.oid, THROWN)
    return value


def sent(i: Interpreter, ref: Ref, value: Value, place: Place, frame: Frame) -> Value:
    """`generator.send(value)`: the body is run anew with one more value that its yields may give."""
    before = i.heap.get(ref.oid, SENT)
    i.heap.set(ref.oid, SENT, value if before is None else join((before, value)))
    done = i.heap.get(ref.oid, ITERATED)
    position = i.heap.get(done.oid, POSITION) if isinstance(done, Ref) else None
    take_back(i, ref)
    made = as_iterator(i, ref, place, frame)
    if position is not None:
        i.heap.set(made.oid, POSITION, position)
    return next_of_iterator(i, made, None, place, frame)
