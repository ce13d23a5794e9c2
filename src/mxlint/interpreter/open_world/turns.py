"""How the client calls something, lets others run and calls it again: what is stale then, and by which presumption.

`client.py` says what is called, and which others run in between.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from mxlint.domain.guards import Literal_
from mxlint.domain.heap import Location
from mxlint.domain.members import NONE, Bound, Ref, Value
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.finding import Span
from mxlint.interpreter.calls.caches import memoising
from mxlint.interpreter.compiled.calls import Stored
from mxlint.interpreter.compiled.lifetimes import kept_in
from mxlint.interpreter.loops.lengthening import Lengthened
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.paths import CLIENT, Condition
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.open_world import closures, preparing, set_from_outside, told
from mxlint.interpreter.open_world.alone import called_alone, sample
from mxlint.interpreter.open_world.client_methods import Method
from mxlint.interpreter.open_world.counting import leaves_another_count
from mxlint.interpreter.open_world.entered import Entries
from mxlint.interpreter.open_world.entries import prepare_owner
from mxlint.interpreter.open_world.guarded import guarded_run
from mxlint.interpreter.open_world.standing import Standing
from mxlint.interpreter.statements.handlers import managed


class Callee(NamedTuple):
    """What the client calls again: its name, a call of it with other arguments in each turn, what has to run before, and the compiled objects that the call has
    come to so far: None where any may be among them. `leads`: what leads to all that the call comes to; empty where nobody says."""

    name: str
    call: Callable[[int], object]
    prepare: Callable[[], object] = lambda: None
    compiled: Callable[[], Collection[int]] | None = None
    leads: tuple[Value, ...] = ()


def calling(i: Interpreter, method: Method, frame: Frame) -> Callee:
    """A call of a method or function. A function that the program keeps in one place is asked for anew."""
    its = given(i, method)
    owner = its[0] if method.cls is not None else None
    keeper = keeper_of(i, method.ref) if method.cls is None and closures.is_made(i, method.ref) else None

    def call(turn: int) -> None:
        call_kept(i, method.ref, keeper, lambda: called_alone(i, (method.ref, method.info), its, turn, frame, memoising(i, method.ref)))

    return Callee(
        f"`{method.info.name}`",
        call,
        lambda: prepare_owner(i, method.info, method.cls, owner, frame, others=False),
        lambda: compiled_in(i, method),
        leading(i, (method,)),
    )


def leading(i: Interpreter, methods: Iterable[Method]) -> tuple[Value, ...]:
    """What leads to all that calls of some methods come to; nothing where others run before one, or one may be given what has methods of its own."""
    entries, samples, found = i.ledger.of(Entries), i.ledger.of(Standing).samples, list[Value]()
    for method in methods:
        if method.cls is not None and method.owner is None and method.cls.oid not in samples:
            return ()  # none is made for this
        node, its = method.info.node, called(i, method)
        if id(node) in entries.prepared or id(node) not in entries.plain and len(node.params) > len(its) - 1:
            return ()
        found += its
    return tuple(found)


def given(i: Interpreter, method: Method) -> tuple[Value, ...]:
    """The first argument of a method, behind the descriptor if it is the setter of one; nothing for a function."""
    if method.descriptor is not None:
        return (method.descriptor, *given(i, method._replace(descriptor=None)))
    if method.owner_class is not None:
        return (method.owner_class,)
    if method.cls is None or method.owner is not None:
        return () if method.owner is None else (method.owner,)
    place = place_of(method)
    made = sample(i, method.cls, place)
    return (made if made is not None else i.symbolic(place, "self", "self"),)


def place_of(method: Method) -> Place:
    """Where the function of a method stands."""
    return Place(method.info.source, method.info.node.start, method.info.node.end)


def keeper_of(i: Interpreter, ref: Ref) -> Location | None:
    """The one attribute, name or entry in which the program itself keeps what others call."""
    kept = [place for place, _ in kept_in(i, ref.oid) if not (isinstance(place[1], tuple) and place[1][0] == "#")]
    return kept[0] if len(kept) == 1 else None


def call_kept(i: Interpreter, ref: Ref, keeper: Location | None, call: Callable[[], object]) -> None:
    """Call what is kept in one place. Who does so again asks for it anew: it is not called any more where the program has let go of it."""

    def one(held: Value) -> Value:
        if held == ref:
            call()
        return NONE

    if keeper is None:
        call()
    else:
        i.split(i.heap.get(*keeper) or NONE, one)


def run(i: Interpreter, callee: Callee, others: Sequence[Method], frame: Frame, anew: list[Method] | None = None) -> bool:
    """Call, let others run, call again. Whether the first call left another number or list where one was. `anew`: takes the methods that compile
    anew what an object holds."""
    counts: list[bool] = []

    def once() -> None:
        callee.prepare()
        mark, given_before = i.heap.mark(), len(i.ledger.of(Lengthened).given)
        begun = first(i, callee)
        counts.append(leaves_another_count(i, mark, given_before))
        settle(i, callee, begun)
        compiling = let_run(i, others, callee, frame)
        if anew is not None:
            anew.extend(compiling)
        later(i, f"{callee.name} is called again", callee)

    leads = leading(i, others)
    stale_alone(i, once, (*callee.leads, *leads) if callee.leads and (leads or not others) else ())
    return counts == [True]


def first(i: Interpreter, callee: Callee) -> int:
    """Call what nobody in sight calls. It may find traces that another object of the function has made. Gives the mark of the state before."""
    mark = i.heap.mark()
    i.modes.client = f"{callee.name} is called"
    callee.call(1)
    i.modes.client = None
    return mark


def settle(i: Interpreter, callee: Callee, begun: int) -> None:
    """Call again, with the same arguments, where what the first call came to or made captures containers: it may put more into them, such as the state of an optimizer.
    Then MLX traces anew at the second one, which finds what has changed up to there. `begun`: the mark of the state before the first."""
    facts = journal(i).compiled
    numbers = set(facts if callee.compiled is None else callee.compiled()) | {
        number for (number, field), _ in i.heap.trail[begun:] if field == "inputs"
    }
    if any(number in facts and facts[number].inputs is not None for number in numbers):  # one that the call itself has made is gone by now
        i.modes.client = f"{callee.name} is called again"
        callee.call(1)
        i.modes.client = None


def later(i: Interpreter, presumed: str, callee: Callee) -> None:
    """Call after others have run, with other arguments than before. What they have let go of, nothing that is made now takes the place of."""
    stored = i.ledger.of(Stored)
    i.modes.client, stored.since = presumed, dict(i.ledger.of(Writes).overwritten)
    try:
        callee.call(2)
    finally:
        i.modes.client, stored.since = None, None


def inside(i: Interpreter, callee: Callee, made_by: Ref, manager: Method, frame: Frame) -> None:
    """Call, and call again inside a context manager."""
    settle(i, callee, first(i, callee))
    entered = called_alone(i, (manager.ref, manager.info), given(i, manager), 1, frame, made_by)
    presumed = f"{callee.name} is called inside `{manager.info.name}`"
    managed(i, entered, lambda _: later(i, presumed, callee), place_of(manager), frame)


def stale_alone(i: Interpreter, run_: Callable[[], None], leads: Sequence[Value] = ()) -> None:
    """Run a part of the client. Of what it notes, only what is stale is kept, and what may be stale and was not followed. `leads`: what leads to all that it comes
    to; empty where nobody says."""
    known = journal(i).mark()
    try:
        guarded_run(i, run_, leads)
    finally:
        i.modes.client = None
    journal(i).keep_only(known, _is_of_stale)


def _is_of_stale(record: object) -> bool:
    if type(record) is events.Event:
        return record.kind == "counted"  # what a trace has changed itself
    return type(record) is events.Stale or type(record) is events.Note and record.kind == events.UNFOLLOWED


def let_run(i: Interpreter, others: Iterable[Method], after: Callee, frame: Frame) -> list[Method]:
    """Let methods run, each under the condition that somebody calls it, in the order of the text. One that comes to no end runs once more behind the others:
    these may put there what it looks for. Those that put something compiled in the place of what was compiled."""
    ran = [(other, _may_run(i, other, after, frame)) for other in others]
    over = [other for other, (ends, _) in ran if not ends]
    again = [(other, _may_run(i, other, after, frame, again=True)) for other in over] if len(over) < len(ran) else []
    return [other for other, (_, compiles) in (*ran, *again) if compiles]


class _Ran(NamedTuple):
    """What came of a method: whether it came to its end, and whether it put something compiled in the place of what was compiled."""

    ends: bool
    compiles: bool


def _may_run(i: Interpreter, method: Method, after: Callee, frame: Frame, *, given_by: bool = False, again: bool = False) -> _Ran:
    """Run a method under the condition that somebody calls it, and then the functions that it gives, unless it is `given_by` one itself. Who calls it need
    not have called what ran before, so what it calls itself is old by a presumption. `again`: nothing came of it before."""
    node, its = method.info.node, given(i, method)
    name = Place(method.info.source, getattr(node, "name_start", node.start), getattr(node, "name_end", node.end))
    condition = (CLIENT, name, "again") if again else (CLIENT, name)
    i.causes.setdefault(condition, ("open", name))
    runs, does_not = (Condition("open", name, Literal_(condition, outcome)) for outcome in (True, False))

    ends = compiles = False

    def run_it() -> Value:
        nonlocal ends, compiles
        mark = i.heap.mark()
        i.modes.client = f"`{method.info.name}` is called after {after.name}"
        try:
            value = called_alone(i, (method.ref, method.info), its, 1, frame)
        finally:
            i.modes.client = None
        for handed in closures.callables(i, closures.handed(i, value)) if not given_by else ():
            _may_run(i, handed, after, frame, given_by=True)
        ends = True
        set_from_outside.take_back(i, method, its[0] if its else None, mark)
        compiles = preparing.compiles_anew(i, mark)
        told.ran(i, method, mark)
        return NONE

    i.fork([((runs,), run_it), ((does_not,), lambda: NONE)])
    return _Ran(ends, compiles)


def calls_within(i: Interpreter, method: FunctionInfo) -> Iterator[events.Call]:
    """The calls of compiled objects that a function makes, or what it calls does."""
    for record in journal(i).records:
        if type(record) is events.Call and any(within(span, method) for span in (record.where.span, *record.path)):
            yield record


def within(span: Span, method: FunctionInfo) -> bool:
    """Whether something stands in a function."""
    around: Span = method.source.span(method.node.start, method.node.end)
    return around.filename == span.filename and around.start <= span.start and span.end <= around.end


def compiled_in(i: Interpreter, method: Method) -> set[int]:
    """The compiled objects that a method calls, or what it calls does."""
    return {call.object for call in calls_within(i, method.info)}


def counting_themselves(i: Interpreter) -> Collection[int]:
    """The compiled objects whose traces have changed what of Python they have read: called alone, they find another thing there each time."""
    return {record.object for record in journal(i).records if type(record) is events.Write and record.again and not record.placeholder}


def run_rest(i: Interpreter, callee: Callee, others: Sequence[Method], anew: Sequence[Method], frame: Frame) -> None:
    """Call, let others run, call again, once more without those that compile `anew`."""
    rest = [other for other in others if other not in anew]
    if anew and rest:
        run(i, callee._replace(prepare=partial(_compiled_anew, i, callee, anew, frame)), rest, frame)


def _compiled_anew(i: Interpreter, callee: Callee, anew: Sequence[Method], frame: Frame) -> None:
    """Let methods run before the first call that compile anew: what else changes then is not hidden by that."""
    callee.prepare()
    for method in anew:
        called_alone(i, (method.ref, method.info), given(i, method), 1, frame)


def called(i: Interpreter, method: Method) -> tuple[Value, ...]:
    """What the client calls, and what it gives it: a class method is bound to its class."""
    its = given(i, method)
    return (method.ref, *its) if method.owner_class is None else (Bound(method.owner_class, method.ref), *its)


def run_within(i: Interpreter, callee: Callee, managers: Sequence[tuple[Ref, Method]], frame: Frame) -> None:
    """Call, and call again inside each context manager."""
    for made_by, manager in managers:

        def once(made_by: Ref = made_by, manager: Method = manager) -> None:
            callee.prepare()
            inside(i, callee, made_by, manager, frame)

        stale_alone(i, once)
