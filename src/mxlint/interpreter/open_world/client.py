"""The most general client of a file: it calls the public functions, and the public methods of each class, in any order, any number of times.

Nothing in sight calls these. Whatever reaches a compiled object is called, then others may run, then it is called again: what a trace has read and one of the
others has changed is stale. Only stale reads are noted, one step lower. In `class Model` with `set_scale` and a compiled `step`: `step(x); set_scale(2); step(x)`.

The others are the public methods of the same class, and what may write a name of a module that a trace has read. Where a function returns several functions, as a
factory does, the others are those that it returns beside the compiled one. `client_methods.py` says which they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from mxlint.domain.guards import Literal_
from mxlint.domain.heap import Location
from mxlint.domain.members import NONE, Bound, Ref, Value, members
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts.values import ContainerValue, ScalarValue
from mxlint.facts.values import Value as Described
from mxlint.finding import Span
from mxlint.interpreter.calls.caches import memoising
from mxlint.interpreter.compiled.calls import Stored
from mxlint.interpreter.compiled.lifetimes import kept_in
from mxlint.interpreter.loops.fixpoint import repeat
from mxlint.interpreter.loops.lengthening import Lengthened
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.paths import CLIENT, Condition
from mxlint.interpreter.machine.reach import each_leaf
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.objects.lookup import class_attribute
from mxlint.interpreter.open_world import handed_back, preparing, told
from mxlint.interpreter.open_world.candidates import is_closure
from mxlint.interpreter.open_world.client_methods import (
    Method,
    changing_given,
    context_managers,
    descriptor_setters,
    function_info,
    handed_out_closures,
    handed_out_methods,
    held_methods,
    inherited_methods,
    methods_by_class,
    methods_of_given,
    methods_of_open,
    public_methods,
    writing_methods,
)
from mxlint.interpreter.open_world.entries import (
    Entries,
    alone,
    alone_arguments,
    call_compiled_alone,
    call_with,
    called_alone,
    guarded_run,
    handed,
    leaves_another_count,
    prepare_owner,
    sample,
)
from mxlint.interpreter.open_world.public_attributes import callables, others_have
from mxlint.interpreter.open_world.standing import Standing
from mxlint.interpreter.open_world.unchanged import Unchanged
from mxlint.interpreter.statements.handlers import managed
from mxlint.source import Source


def clients(i: Interpreter, source: Source, module: int, frame: Frame) -> None:
    """Run the client of each class of a file that comes to compiled objects and that nothing in sight uses, and of its functions."""
    public = public_methods(i, source, module)
    calling = [method for method in public if id(method.info.node) not in i.ledger.of(Entries).unfinished and _calls_alone(i, method.info)]
    alone = callables(i, Ref(module))
    classes = methods_by_class(i, source, module, public)
    factories = _factories(i, public)
    if not factories and not calling and not alone and not any(i.ledger.of(Standing).samples.get(cls) for cls in classes):
        return
    writing, around = writing_methods(i, source, module, public)
    written = frozenset(i.ledger.of(Writes).by)
    lying_open = list(methods_of_open(i, Ref(module), written))
    for factory in factories:
        its = classes.get(factory.cls.oid, []) if factory.cls is not None and factory.cls.oid in i.ledger.of(Standing).samples else []
        _run_handed(i, factory, [other for other in dict.fromkeys((*its, *writing, *lying_open)) if other is not factory], frame)
    unchanged = Unchanged(i)
    entered = {id(method.info.node) for method in calling}
    objects: list[tuple[int, Value, list[Method]]] = []
    for cls, own in classes.items():
        its = [*own, *inherited_methods(i, Ref(cls)), *descriptor_setters(i, Ref(cls))]
        owner = i.ledger.of(Standing).samples.get(cls)
        if owner is None and any(id(method.info.node) in entered for method in its):
            owner = sample(i, Ref(cls), i.info(cls).place)  # type: ignore[arg-type]
        if owner is not None and others_have(i, module, Ref(cls), owner):
            objects.append((cls, owner, its))
    bound = held_methods(i)
    for cls, owner, its in objects:
        its += [*handed_out_methods(i, owner, its, bound), *handed_out_closures(i, owner)]
        given = [*methods_of_given(i, owner, classes), *changing_given(i, Ref(cls), owner, public)]
        open_ones = [method for member in members(owner) if isinstance(member, Ref) for method in methods_of_open(i, member, written)]
        open_ones += (method for method in lying_open if method not in open_ones)
        owns = _owns(i, cls, owner)
        managers = [*context_managers(i, cls, Ref(cls)), *around]
        for method in its:
            if id(method.info.node) in entered:
                others = [other for other in (*its, *given, *writing) if other is not method]
                if _again(i, method, list(dict.fromkeys(others)), unchanged, frame) or id(method.info.node) in i.ledger.of(Entries).drawing:
                    _repeat(i, method, frame)
                compiled = _compiled_in(i, method)
                if near := told.untold(i, compiled, _read_by(i, compiled, open_ones)):
                    _again(i, method, near, unchanged, frame)
                for other in _counting_for(i, method, (*its, *given, *open_ones), frame):
                    _repeat(i, method, frame, other)
                _go_on(i, method, frame)
                _run_within(i, _calling(i, method, frame), managers, frame)
        for name, compiled_object in callables(i, owner) if owns else ():
            callee = _read_and_called(i, owner, name, compiled_object, frame)
            _run(i, callee, list(dict.fromkeys((*its, *given, *writing))), frame)
            if near := _read_by(i, {compiled_object.oid}, open_ones):
                _run(i, callee, near, frame)
            _run_within(i, callee, managers, frame)
    for method in calling:
        others = [m for m in writing if m is not method]
        counts = method.cls is None and (_again(i, method, others, unchanged, frame) if writing else _count(i, method, frame))
        compiled = _compiled_in(i, method)
        if method.cls is None and (near := told.untold(i, compiled, _read_by(i, compiled, lying_open))):
            _again(i, method, near, unchanged, frame)
        if counts or method.cls is None and id(method.info.node) in i.ledger.of(Entries).drawing:
            _repeat(i, method, frame)
        if method.cls is None:
            _go_on(i, method, frame)
            _run_within(i, _calling(i, method, frame), around, frame)
    for name, compiled_object in alone if writing or lying_open or around else ():
        callee = _read_and_called(i, Ref(module), name, compiled_object, frame)
        for others in (writing, _read_by(i, {compiled_object.oid}, lying_open)):
            if others:
                _run(i, callee, others, frame)
        _run_within(i, callee, around, frame)


def _given(i: Interpreter, method: Method) -> tuple[Value, ...]:
    """The first argument of a method, behind the descriptor if it is the setter of one; nothing for a function."""
    if method.descriptor is not None:
        return (method.descriptor, *_given(i, method._replace(descriptor=None)))
    if method.owner_class is not None:
        return (method.owner_class,)
    if method.cls is None or method.owner is not None:
        return () if method.owner is None else (method.owner,)
    place = Place(method.info.source, method.info.node.start, method.info.node.end)
    made = sample(i, method.cls, place)
    return (made if made is not None else i.symbolic(place, "self", "self"),)


class Callee(NamedTuple):
    """What the client calls again: its name, a call of it with other arguments in each turn, and what has to run before."""

    name: str
    call: Callable[[int], object]
    prepare: Callable[[], object] = lambda: None


def _calling(i: Interpreter, method: Method, frame: Frame) -> Callee:
    given = _given(i, method)
    owner = given[0] if method.cls is not None else None
    return Callee(
        f"`{method.info.name}`",
        lambda turn: called_alone(i, (method.ref, method.info), given, turn, frame, memoising(i, method.ref)),
        lambda: prepare_owner(i, method.info, method.cls, owner, frame, others=False),
    )


def _factories(i: Interpreter, public: Sequence[Method]) -> list[Method]:
    """The public functions and methods that make compiled objects which nothing in sight calls, and hand out objects."""
    facts = journal(i)
    called = {record.object for record in facts.records if type(record) is events.Call and not record.alone}
    made = [fact.site.span for number, fact in facts.compiled.items() if number not in called]
    nothing = i.ledger.of(Entries).hand_out_nothing
    return [m for m in public if id(m.info.node) not in nothing and any(_within(span, m.info) for span in made)]


def _run_handed(i: Interpreter, factory: Method, methods: Sequence[Method], frame: Frame) -> None:
    """Call each of the functions that a function or method hands out, let the others run, and methods, and call it again."""

    if factory.cls is not None and _is_property(i, factory):
        _stale_alone(i, partial(_run_read, i, factory, methods, frame))
        return

    def run() -> None:
        _calling(i, factory, frame).prepare()
        given = handed(i, called_alone(i, (factory.ref, factory.info), _given(i, factory), 1, frame, memoising(i, factory.ref)))
        others = [Method(ref, info, None, None) for ref in given if (info := function_info(i, ref)) is not None]
        name = f"what `{factory.info.name}` gives"
        callees = [
            (ref, Callee(name, partial(_call_kept, i, ref, _keeper(i, ref), frame))) for ref in given if i.info(ref.oid).kind == "compiled"
        ]
        callees += [(other.ref, _calling(i, other, frame)) for other in others]
        for ref, callee in callees if len(callees) + len(methods) > 1 else ():
            mark = i.heap.mark()
            _first(i, callee)
            _settle(i, callee)
            for other in (*others, *methods):
                if other.ref != ref:
                    _may_run(i, other, callee, frame)
            _later(i, f"{name} is called again", callee)
            i.heap.undo(mark)

    _stale_alone(i, run)


def _keeper(i: Interpreter, ref: Ref) -> Location | None:
    """The one attribute, name or entry in which the program itself keeps a compiled object that it hands out."""
    kept = [place for place, _ in kept_in(i, ref.oid) if not (isinstance(place[1], tuple) and place[1][0] == "#")]
    return kept[0] if len(kept) == 1 else None


def _call_kept(i: Interpreter, ref: Ref, keeper: Location | None, frame: Frame, turn: int) -> None:
    """Call a compiled object that was handed out. Who does so again asks for it anew: it is not called any more where the program has let go of it."""

    def one(held: Value) -> Value:
        if held == ref:
            call_compiled_alone(i, ref, turn, frame)
        return NONE

    if keeper is None:
        one(ref)
    else:
        i.split(i.heap.get(*keeper) or NONE, one)


def _is_property(i: Interpreter, method: Method) -> bool:
    """Whether a method gives the value of a property: who wants that reads it anew each time."""
    found = class_attribute(i, method.cls, method.info.name) if method.cls is not None else None
    kinds = [i.info(member.oid) for member in members(found or NONE) if isinstance(member, Ref)]
    return any(info.kind == "descriptor" and info.payload in ("property", "cached_property") for info in kinds)


def _run_read(i: Interpreter, factory: Method, methods: Sequence[Method], frame: Frame) -> None:
    """Read a property and call each compiled object and function that it gives, let methods run, read it again and call what it gives then."""
    (owner,) = _given(i, factory)
    name = f"`{factory.info.name}`"
    place = Place(factory.info.source, factory.info.node.start, factory.info.node.end)

    def call(turn: int) -> None:
        with i.within(("entry", place, turn)):
            given = i.attribute(owner, factory.info.name, place, frame)
        i.split(given, lambda member: call_given(member, turn))

    def call_given(given: Value, turn: int) -> Value:
        for ref in handed(i, given):
            info = function_info(i, ref)
            if i.info(ref.oid).kind == "compiled":
                call_compiled_alone(i, ref, turn, frame)
            elif info is not None:
                called_alone(i, (ref, info), (), turn, frame)
        return NONE

    callee = Callee(name, call, _calling(i, factory, frame).prepare)
    callee.prepare()
    _first(i, callee)
    _settle(i, callee)
    for other in methods:
        if other.ref != factory.ref:
            _may_run(i, other, callee, frame)
    _later(i, f"{name} is called again", callee)


def _read_and_called(i: Interpreter, owner: Value, name: str, compiled_object: Ref, frame: Frame) -> Callee:
    """A call of a compiled object that is an attribute: of what lies there by then. Who calls it reads it anew each time."""

    def one(held: Value, turn: int) -> Value:
        if isinstance(held, Ref) and i.info(held.oid).kind == "compiled":
            call_compiled_alone(i, held, turn, frame)
        return NONE

    def call(turn: int) -> None:
        for holder in members(owner):
            held = i.heap.get(holder.oid, name) if isinstance(holder, Ref) else None
            if held is not None and (turn > 1 or compiled_object in members(held)):
                i.split(held, partial(one, turn=turn))

    return Callee(f"`{name}`", call)


def _owns(i: Interpreter, cls: int, owner: Value) -> bool:
    """Whether an object of a class, or the class itself, holds something compiled."""
    held = [member for _, _, member in each_leaf(i, owner)]
    held += [member for value in i.heap.fields(cls).values() for member in members(value)]
    return any(isinstance(member, Ref) and i.info(member.oid).kind == "compiled" for member in held)


def _calls_alone(i: Interpreter, method: FunctionInfo) -> bool:
    """Whether a method comes to compiled objects, and only where nothing in sight calls it."""
    calls = [record for record in journal(i).records if type(record) is events.Call]
    inside = [call for call in calls if any(_within(span, method) for span in (call.where.span, *call.path))]
    return bool(inside) and all(call.alone for call in inside)


def _within(span: Span, method: FunctionInfo) -> bool:
    around: Span = method.source.span(method.node.start, method.node.end)
    return around.filename == span.filename and around.start <= span.start and span.end <= around.end


def _again(i: Interpreter, method: Method, others: Sequence[Method], unchanged: Unchanged, frame: Frame) -> bool:
    """Call a method, let others run, call it again, unless all of them leave alone what traces have read. Whether the first call left another number or
    list where one was."""
    if unchanged.by(_called(i, each) for each in (method, *others)):
        return _count(i, method, frame)
    callee, anew, known = _calling(i, method, frame), list[Method](), journal(i).mark()
    counts = _run(i, callee, others, frame, anew)
    for other in told.one_by_one(i, _compiled_in(i, method), others, known) if len(others) > 1 else ():
        _run(i, callee, (other,), frame)
    rest = [other for other in others if other not in anew]
    if anew and rest:
        _run(i, callee._replace(prepare=partial(_compiled_anew, i, callee, anew, frame)), rest, frame)
    return counts


def _compiled_anew(i: Interpreter, callee: Callee, anew: Sequence[Method], frame: Frame) -> None:
    """Let methods run before the first call that compile anew: what else changes then is not hidden by that."""
    callee.prepare()
    for method in anew:
        called_alone(i, (method.ref, method.info), _given(i, method), 1, frame)


def _called(i: Interpreter, method: Method) -> tuple[Value, ...]:
    """What the client calls, and what it gives it: a class method is bound to its class."""
    given = _given(i, method)
    return (method.ref, *given) if method.owner_class is None else (Bound(method.owner_class, method.ref), *given)


def _run(i: Interpreter, callee: Callee, others: Sequence[Method], frame: Frame, anew: list[Method] | None = None) -> bool:
    """Call, let others run, call again. Whether the first call left another number or list where one was. `anew`: takes the methods that compile
    anew what an object holds."""
    counts: list[bool] = []

    def run() -> None:
        callee.prepare()
        mark, given_before = i.heap.mark(), len(i.ledger.of(Lengthened).given)
        _first(i, callee)
        counts.append(leaves_another_count(i, mark, given_before))
        _settle(i, callee)
        for other in others:
            if _may_run(i, other, callee, frame) and anew is not None:
                anew.append(other)
        _later(i, f"{callee.name} is called again", callee)

    _stale_alone(i, run)
    return counts == [True]


def _first(i: Interpreter, callee: Callee) -> None:
    """Call what nobody in sight calls. It may find traces that another object of the function has made."""
    i.modes.client = f"{callee.name} is called"
    callee.call(1)
    i.modes.client = None


def _later(i: Interpreter, presumed: str, callee: Callee) -> None:
    """Call after others have run, with other arguments than before. What they have let go of, nothing that is made now takes the place of."""
    stored = i.ledger.of(Stored)
    i.modes.client, stored.since = presumed, dict(i.ledger.of(Writes).overwritten)
    try:
        callee.call(2)
    finally:
        i.modes.client, stored.since = None, None


def _settle(i: Interpreter, callee: Callee) -> None:
    """Call again, with the same arguments, where containers are captured: the first call may put more into them, such as the state of an optimizer. Then MLX
    traces anew at the second one, which finds what has changed up to there."""
    if any(i.heap.get(number, "inputs") not in (None, NONE) for number in journal(i).compiled):
        i.modes.client = f"{callee.name} is called again"
        callee.call(1)
        i.modes.client = None


def _stale_alone(i: Interpreter, run: Callable[[], None]) -> None:
    """Run a part of the client. Of what it notes, only what is stale is kept, and what may be stale and was not followed."""
    known = journal(i).mark()
    try:
        guarded_run(i, run)
    finally:
        i.modes.client = None
    journal(i).keep_only(known, _is_of_stale)


def _is_of_stale(record: object) -> bool:
    return type(record) is events.Stale or type(record) is events.Note and record.kind == events.UNFOLLOWED


def _run_within(i: Interpreter, callee: Callee, managers: Sequence[tuple[Ref, Method]], frame: Frame) -> None:
    """Call, and call again inside each context manager."""
    for made_by, manager in managers:
        place = Place(manager.info.source, manager.info.node.start, manager.info.node.end)

        def run(made_by: Ref = made_by, manager: Method = manager, place: Place = place) -> None:
            callee.prepare()
            _first(i, callee)
            _settle(i, callee)
            entered = called_alone(i, (manager.ref, manager.info), _given(i, manager), 1, frame, made_by)
            presumed = f"{callee.name} is called inside `{manager.info.name}`"
            managed(i, entered, lambda _: _later(i, presumed, callee), place, frame)

        _stale_alone(i, run)


def _count(i: Interpreter, method: Method, frame: Frame) -> bool:
    """Whether a call of a method leaves another number or list where one was: its entry has seen it, if it was one."""
    number = id(method.info.node)
    if number not in i.ledger.of(Entries).counting:
        known = journal(i).mark()

        def run() -> None:
            callee = _calling(i, method, frame)
            callee.prepare()
            mark, given_before = i.heap.mark(), len(i.ledger.of(Lengthened).given)
            callee.call(1)
            i.ledger.of(Entries).counting[number] = leaves_another_count(i, mark, given_before)

        guarded_run(i, run)
        journal(i).keep_only(known, lambda record: False)
    return i.ledger.of(Entries).counting.get(number, False)


def _compiled_in(i: Interpreter, method: Method) -> set[int]:
    """The compiled objects that a method calls, or what it calls does."""
    calls = (record for record in journal(i).records if type(record) is events.Call)
    return {call.object for call in calls if any(_within(span, method.info) for span in (call.where.span, *call.path))}


def _read_by(i: Interpreter, compiled: Collection[int], methods: Sequence[Method]) -> list[Method]:
    """The methods of objects that traces of some compiled objects have read. They run apart from those of the class, of which what they change takes nothing."""
    if not methods:
        return []
    read = {record.location[0] for record in journal(i).records if type(record) is events.Read and record.object in compiled}
    return [method for method in methods if isinstance(method.owner, Ref) and method.owner.oid in read]


def _counting_for(i: Interpreter, method: Method, others: Sequence[Method], frame: Frame) -> list[Method]:
    """The methods that count something, where another one gives numbers to compiled objects."""
    calls = [record for record in journal(i).records if type(record) is events.Call]
    inside = [call for call in calls if any(_within(span, method.info) for span in (call.where.span, *call.path))]
    given = [leaf for call in inside for argument in call.arguments for leaf in _leaves(argument.value)]
    if not any(isinstance(leaf, ScalarValue) and leaf.known and leaf.type in ("int", "float") for leaf in given):
        return []
    return [other for other in dict.fromkeys(others) if other is not method and _count(i, other, frame)]


def _repeat(i: Interpreter, method: Method, frame: Frame, other: Method | None = None) -> None:
    """Call a method again and again: what compiled objects are given that differs each time. Only that is noted. That it is called again lowers
    nothing: what counts its own calls is made to be called so. `other`: what runs before each call, which is a presumption."""
    known = journal(i).mark()
    node, given = method.info.node, _given(i, method)
    place = Place(method.info.source, node.start, node.end)

    def turn() -> None:
        if other is not None:
            called_alone(i, (other.ref, other.info), _given(i, other), 1, frame)
        called_alone(i, (method.ref, method.info), given, 1, frame)

    def run() -> None:
        _calling(i, method, frame).prepare()
        repeat(i, place, turn, certain=True, turns=None if other is None else ())

    guarded_run(i, run)
    journal(i).keep_only(known, _shows_another(i, known), f"`{other.info.name}` runs between the calls" if other is not None else "")


def _go_on(i: Interpreter, method: Method, frame: Frame) -> None:
    """Call a method again and again with the state that it gives back, if it does: what compiled objects are given that differs each time. Only that is
    noted. That the next state is given to it is a presumption; that the same object is, which it changes, lowers nothing."""
    found = i.ledger.of(Entries).handed_back.get(id(method.info.node))
    if not found:
        return
    known = journal(i).mark()
    place = Place(method.info.source, method.info.node.start, method.info.node.end)

    def run() -> None:
        _calling(i, method, frame).prepare()
        with alone(i, place, 1):
            args = alone_arguments(i, (method.ref, method.info), _given(i, method))
            handed_back.go_on(i, found, args, lambda again: call_with(i, method.ref, again, place, frame), place)

    guarded_run(i, run)
    next_ones = any(way.item != handed_back.ITSELF for way in found)
    journal(i).keep_only(known, _gives_another, f"`{method.info.name}` is given what it gave back" if next_ones else "")


def _leaves(value: Described) -> Iterator[Described]:
    """The parts of an argument that hold no others."""
    if isinstance(value, ContainerValue):
        for item in value.items or ():
            yield from _leaves(item)
    else:
        yield value


def _gives_another(record: object) -> bool:
    """Whether a call of a compiled object is given what differs from call to call."""
    return type(record) is events.Call and any(map(_is_another, record.arguments))


def _is_another(argument: events.Argument) -> bool:
    """Whether an argument differs from call to call."""
    return bool(argument.grows) or any(isinstance(leaf, ScalarValue) and leaf.varies for leaf in _leaves(argument.value))


def _shows_another(i: Interpreter, since: tuple[int, ...]) -> Callable[[object], bool]:
    """Which records since a mark are calls that are given what differs from call to call, or one of a row of calls that were tried one by one. Such a row shows
    what differs; it does not show that something else stays, which other code may set."""
    found = [record for record in journal(i).since(since) if _gives_another(record)]
    told = {(record.where, argument.name) for record in found for argument in record.arguments if _is_another(argument)}

    def wanted(record: object) -> bool:
        if type(record) is not events.Call:
            return False
        tried = record.loops[:1] != () and record.loops[0].text.isdecimal()
        return _gives_another(record) or tried and told.isdisjoint((record.where, argument.name) for argument in record.arguments)

    return wanted


def _may_run(i: Interpreter, method: Method, after: Callee, frame: Frame, *, given_by: bool = False) -> bool:
    """Run a method under the condition that somebody calls it, and then the functions that it gives, unless it is `given_by` one itself. Whether it puts
    something compiled in the place of what was compiled. Who calls it need not have called what ran before, so what it calls itself is old by a presumption."""
    node, given = method.info.node, _given(i, method)
    name = Place(method.info.source, getattr(node, "name_start", node.start), getattr(node, "name_end", node.end))
    condition = (CLIENT, name)
    i.causes.setdefault(condition, ("open", name))
    runs, does_not = (Condition("open", name, Literal_(condition, outcome)) for outcome in (True, False))

    compiles = False

    def run() -> Value:
        nonlocal compiles
        mark = i.heap.mark()
        i.modes.client = f"`{method.info.name}` is called after {after.name}"
        try:
            value = called_alone(i, (method.ref, method.info), given, 1, frame)
        finally:
            i.modes.client = None
        for ref in handed(i, value) if not given_by else ():
            info = function_info(i, ref)
            if info is not None and is_closure(i, ref):
                _may_run(i, Method(ref, info, None, None), after, frame, given_by=True)
        compiles = preparing.compiles_anew(i, mark)
        told.ran(i, method, mark)
        return NONE

    i.fork([((runs,), run), ((does_not,), lambda: NONE)])
    return compiles
