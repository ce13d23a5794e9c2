"""The body of a generator, run from yield to yield where the program asks for one element at a time, or as a whole in a loop.

`syntax/resuming.py` says where a body can be resumed. One whose yield stands in a `with` block cannot.
"""

from __future__ import annotations

from typing import NamedTuple

from mxlint.domain.heap import Delta
from mxlint.domain.join import join
from mxlint.domain.members import NONE, TRUE, UNBOUND, Const, External, Member, Ref, Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.calls.activations import run_body
from mxlint.interpreter.generators.iterators import CLOSING, ITERATED, RESUME, RETURNED, SENT, THROWN
from mxlint.interpreter.loops.forgetting import dead, forget_data
from mxlint.interpreter.machine.core import MAX_CALLS, OWN, Halt, Interpreter
from mxlint.interpreter.machine.exceptions import CLASS, answered, caught, fill, throw_named
from mxlint.interpreter.machine.frames import Frame, Given
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.operations import Consume
from mxlint.interpreter.machine.targets import Target
from mxlint.syntax import ir
from mxlint.syntax.resuming import rest, resumable


class Consumed:
    """Generators whose elements somebody takes now."""

    __slots__ = ("generators",)

    def __init__(self) -> None:
        self.generators: list[int] = []


class Generator:
    """The payload of a generator object: runs the body, with whoever iterates at each yield. `about`: its function and its activation."""

    __slots__ = ("about",)

    def __init__(self, info: FunctionInfo, frame: Frame) -> None:
        self.about = info, frame

    def __call__(self, i: Interpreter, ref: Ref, consume: Consume, place: Place, outer: Frame) -> None:
        _run(i, _Run(ref, *self.about, consume, place))


def step(i: Interpreter, ref: Ref, given: Given, ended: Target, place: Place) -> Value:
    """Run a generator up to its next yield; the state at its end arrives at `ended`, with what it returns."""
    payload = i.info(ref.oid).payload
    assert isinstance(payload, Generator)
    with i.leaving() as yielded:

        def stop(value: Value) -> Value:
            i.leave(yielded, value)
            return NONE

        _run(i, _Run(ref, *payload.about, stop, place, given))
        i.reach(ended, i.heap.get(ref.oid, RETURNED) or NONE)
    return i.arrive(yielded)


def can_step(i: Interpreter, ref: Ref) -> bool:
    """Whether a generator can be run from yield to yield, and was not run as a whole."""
    payload = i.info(ref.oid).payload
    return i.heap.get(ref.oid, ITERATED) is None and isinstance(payload, Generator) and resumable(payload.about[0].node) is not None


def runs_as_a_whole(i: Interpreter, ref: Ref) -> bool:
    """Whether an object is a generator that cannot be gone on with from one of its yields, as from one in a `with` block."""
    payload = i.info(ref.oid).payload
    return isinstance(payload, Generator) and resumable(payload.about[0].node) is None


class _Run(NamedTuple):
    """A run of the body of a generator object: its function and its activation, who takes what it yields, and where. `given`: as of `step`, if it stops at
    its next yield."""

    ref: Ref
    info: FunctionInfo
    frame: Frame
    consume: Consume
    place: Place
    given: Given | None = None


def _run(i: Interpreter, run: _Run) -> None:
    """Run the body of a generator from where it stands."""
    if any(other is run.frame for other in i.stack) or len(i.stack) >= MAX_CALLS:
        run.consume(i.unknown(run.place, "a generator inside itself"))
        return
    node = run.info.node
    start = resumable(node)
    if start is None:
        _run_from(i, run, node, started=False)
        return

    def one(at: Member) -> Value:
        offset = at.value if isinstance(at, Const) else None
        if isinstance(offset, bool):  # at its end
            return NONE
        onward = rest(node, offset) if isinstance(offset, int) and isinstance(node, ir.FuncDef) else start
        assert onward is not None
        _run_from(i, run, onward, started=isinstance(offset, int))
        return NONE

    i.split(i.heap.get(run.ref.oid, RESUME) or NONE, one)


def _run_from(i: Interpreter, run: _Run, node: ir.FuncDef | ir.Lambda, *, started: bool) -> None:
    ref, info, frame, _, place, given = run
    depth, tries = len(i.stack), len(i.tries)
    resumes = resumable(info.node) is not None
    waiting = started

    def take(value: Value) -> Value:
        """One `yield`: whoever iterates goes on, with its own handlers around it."""
        nonlocal waiting
        if waiting:
            waiting = False
            if value == UNBOUND:  # it arrives at a generator inside
                return NONE
            return _arrives(i, given or Given())
        if resumes:
            onward = rest(info.node, frame.at) if isinstance(info.node, ir.FuncDef) else None
            if onward is not None:
                forget_data(i, dead(i, frame, onward).start, frame)
            i.heap.set(ref.oid, RESUME, Const(frame.at))
        answer = _consumed(i, run, value, depth, tries, resumes=resumes)
        error = i.heap.get(ref.oid, THROWN)
        if error is not None:
            i.fork([((), lambda: NONE), ((), lambda: _raised(i, error))])
        sent = i.heap.get(ref.oid, SENT)
        return join([part for part in (answer, sent) if part is not None])

    frame.consume = take
    frame.form = node if isinstance(node, ir.FuncDef) else None
    frame.given = given or Given()
    path = i.path
    value: Value | None = None
    with i.trying() as closed, i.within((place, "generator")):
        if given is not None and not started:
            _arrives(i, given)
        value = run_body(i, info if node is info.node else FunctionInfo(node, info.source, info.qualname, info.module), frame)
    frame.consume = None  # it knows the frame
    after, way = i.heap.cut(closed.mark), i.path
    i.path = path
    _ends(i, closed)
    if resumes:
        at_end: Delta = {(ref.oid, RESUME): TRUE}
        closed.arrived = [({**delta, **at_end}, error, way) for delta, error, way in closed.arrived]
    closes = given.closes if given is not None else None
    if closes is not None:
        answered(i, closed, "builtins.GeneratorExit", lambda: i.reach(closes, NONE))
    else:
        answered(i, closed, "builtins.GeneratorExit", None if resumes else lambda: None)
    if value is None:
        raise Halt
    i.heap.apply(after)
    i.path = way
    i.heap.set(ref.oid, RETURNED, value)
    if resumes:
        i.heap.set(ref.oid, RESUME, TRUE)


def _consumed(i: Interpreter, run: _Run, value: Value, depth: int, tries: int, *, resumes: bool) -> Value | None:
    """Hand a yielded value to the consumer, with the stack and the handlers as they were outside the generator, `depth` and `tries` deep; what it answers.
    Where the consumer leaves, or may leave, the handlers of the generator see GeneratorExit."""
    inner = i.stack[depth:], i.tries[tries:], i.try_depths[tries:]
    del i.stack[depth:], i.tries[tries:], i.try_depths[tries:]
    handled = len(inner[1]) > 1 and not resumes
    left = sum(len(target.arrived) for target in i.targets) if handled else 0
    mark, path = i.heap.mark(), i.path
    answer: Value | None = None
    i.ledger.of(Consumed).generators.append(run.ref.oid)
    try:
        answer = run.consume(value) or NONE
    except Halt:
        if not handled:
            raise
    finally:
        i.ledger.of(Consumed).generators.pop()
        i.stack[depth:], i.tries[tries:], i.try_depths[tries:] = inner
    if answer is None and handled:
        i.heap.undo(mark)
        i.path = path
        throw_named(i, "builtins.GeneratorExit", run.place)
    if handled and (i.heap.get(run.ref.oid, CLOSING) is not None or left < sum(len(target.arrived) for target in i.targets)):
        i.fork([((), lambda: NONE), ((), lambda: throw_named(i, "builtins.GeneratorExit", run.place))])
    return answer


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


def _arrives(i: Interpreter, given: Given) -> Value:
    """What a yield gives, or raises."""
    if given.thrown is not None:
        i.throw(given.thrown)
    return given.sent


def _raised(i: Interpreter, error: Value) -> Value:
    i.throw(error)
    return NONE
