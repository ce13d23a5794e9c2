"""The most general client of a file: it calls the public functions, and the public methods of each class, in any order, any number of times.

Nothing in sight calls these. Whatever reaches a compiled object is called, then others may run, then it is called again: what a trace has read and one of the
others has changed is stale. Only stale reads are noted, one step lower. In `class Model` with `set_scale` and a compiled `step`: `step(x); set_scale(2); step(x)`.

The others are the public methods of the same class, and what may write a name of a module that a trace has read. Where a function returns several functions, as a
factory does, the others are those that it returns beside the compiled one. `client_methods.py` says which they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from mxlint.domain.members import NONE, Ref, Value, members
from mxlint.facts import events
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.reach import each_leaf
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.open_world import closures, rounds, told
from mxlint.interpreter.open_world.client_methods import (
    Method,
    changing_given,
    context_managers,
    descriptor_setters,
    handed_out_closures,
    handed_out_methods,
    held_methods,
    inherited_methods,
    methods_by_class,
    methods_of_given,
    public_methods,
    writing_methods,
)
from mxlint.interpreter.open_world.entries import Entries, call_compiled_alone, sample
from mxlint.interpreter.open_world.factories import factories, run_handed, run_warm
from mxlint.interpreter.open_world.left_open import File, lies_open, make, run_left
from mxlint.interpreter.open_world.open_objects import OpenObjects
from mxlint.interpreter.open_world.public import listed
from mxlint.interpreter.open_world.public_attributes import callables, others_have
from mxlint.interpreter.open_world.standing import Standing
from mxlint.interpreter.open_world.turns import (
    Callee,
    called,
    calling,
    calls_within,
    compiled_in,
    counting_themselves,
    run,
    run_rest,
    run_within,
)
from mxlint.interpreter.open_world.unchanged import Unchanged
from mxlint.source import Source


def clients(i: Interpreter, source: Source, module: int, frame: Frame) -> None:
    """Run the client of each class of a file that comes to compiled objects and that nothing in sight uses, and of its functions."""
    public = public_methods(i, source, module)
    functions, open_ = [*public, *_lying(i, Ref(module), public)], listed(i, module)
    reaching = [method for method in functions if _calls(i, method, open_)]
    alone = callables(i, Ref(module), open_)
    classes = methods_by_class(i, source, module, public)
    warm = [method for method in public if id(method.info.node) in i.ledger.of(Entries).warm]
    making, leaving = factories(i, public), i.ledger.of(Entries).leaving
    if not (
        making or leaving or warm or reaching or alone or lies_open(i) or any(i.ledger.of(Standing).samples.get(cls) for cls in classes)
    ):
        return
    writing, around = writing_methods(i, source, module, public)
    open_objects = OpenObjects(i, frozenset(i.ledger.of(Writes).by), frame)
    lying_open = open_objects.of(Ref(module))
    for factory in making:
        its = classes.get(factory.cls.oid, []) if factory.cls is not None and factory.cls.oid in i.ledger.of(Standing).samples else []
        run_handed(i, factory, [other for other in dict.fromkeys((*its, *writing, *lying_open)) if other is not factory], frame)
    for maker in warm:
        run_warm(i, maker, frame)
    unchanged, file = Unchanged(i), File(module, public, classes, writing, around, lying_open)
    for maker in public:
        if id(maker.info.node) in leaving:
            run_left(i, file, partial(make, i, maker, frame), lambda left: True, unchanged, frame, maker.ref)
    entered = {id(method.info.node) for method in reaching}
    objects: list[tuple[int, Value, list[Method]]] = []
    for cls, own in classes.items():
        its = [*own, *inherited_methods(i, Ref(cls)), *descriptor_setters(i, Ref(cls))]
        owner = i.ledger.of(Standing).samples.get(cls)
        entered.update(id(method.info.node) for method in its if Ref(cls) in open_ and _calls(i, method, open_))
        if owner is None and any(id(method.info.node) in entered for method in its):
            owner = sample(i, Ref(cls), i.info(cls).place)  # type: ignore[arg-type]
        if owner is not None and others_have(i, module, Ref(cls), owner):
            objects.append((cls, owner, its))
    bound = held_methods(i)
    for cls, owner, its in objects:
        kept = [method for member in members(owner) if isinstance(member, Ref) for method in _lying(i, member, its)]
        called = [method for method in kept if _calls(i, method, open_)]
        entered.update(id(method.info.node) for method in called)
        its += [*handed_out_methods(i, owner, its, bound), *handed_out_closures(i, owner), *(kept if called else ())]
        around_it = [*methods_of_given(i, owner, classes), *changing_given(i, Ref(cls), owner, public)]
        open_ones = [method for member in members(owner) if isinstance(member, Ref) for method in open_objects.of(member)]
        open_ones += (method for method in lying_open if method not in open_ones)
        owns = _owns(i, cls, owner)
        managers = [*context_managers(i, cls, Ref(cls)), *around]
        for method in its:
            if id(method.info.node) in entered:
                others = [other for other in (*its, *around_it, *writing) if other is not method]
                if _again(i, method, list(dict.fromkeys(others)), unchanged, frame) or id(method.info.node) in i.ledger.of(Entries).drawing:
                    rounds.repeat(i, method, frame)
                compiled = compiled_in(i, method)
                if near := told.untold(i, compiled, _read_by(i, compiled, open_ones)):
                    _again(i, method, near, unchanged, frame)
                for other in rounds.counting_for(i, method, (*its, *around_it, *open_ones), frame):
                    rounds.repeat(i, method, frame, other)
                rounds.go_on(i, method, frame)
                run_within(i, calling(i, method, frame), managers, frame)
        for name, compiled_object in callables(i, owner) if owns else ():
            callee = _read_and_called(i, owner, name, compiled_object, frame)
            others = list(dict.fromkeys((*its, *around_it, *writing)))
            if callers := _callers(i, compiled_object, [other for other in others if id(other.info.node) in entered]):
                run(i, callee, callers, frame)
                continue
            run(i, callee, others, frame)
            if near := _read_by(i, {compiled_object.oid}, open_ones):
                run(i, callee, near, frame)
            run_within(i, callee, managers, frame)
        if owns:
            run_left(i, file, partial(members, owner), lambda left: left.readers != (), unchanged, frame)
    for method in (method for method in reaching if method.cls is None):
        number = id(method.info.node)
        beside = [
            other for other in functions if other.ref != method.ref and other.cls is None and closures.shares(i, other.ref, method.ref)
        ]
        others = list(dict.fromkeys((*(m for m in writing if m is not method), *beside)))
        changes = writing or beside or closures.may_change(i, method)
        counts = _again(i, method, others, unchanged, frame) if changes else rounds.counts(i, method, frame)
        compiled = compiled_in(i, method)
        if near := told.untold(i, compiled, _read_by(i, compiled, lying_open)):
            _again(i, method, near, unchanged, frame)
        if counts or number in i.ledger.of(Entries).drawing:
            rounds.repeat(i, method, frame)
        rounds.go_on(i, method, frame)
        run_within(i, calling(i, method, frame), around, frame)
    themselves = counting_themselves(i)
    for name, compiled_object in alone:
        callee = _read_and_called(i, Ref(module), name, compiled_object, frame)
        if callers := _callers(i, compiled_object, reaching):
            if changing := [method for method in callers if method in writing]:
                run(i, callee, changing, frame)
            continue
        function = target(i, compiled_object)[0]
        beside = [other for other in functions if function is not None and closures.shares(i, other.ref, function)]
        if writing or beside or compiled_object.oid in themselves:
            run(i, callee, list(dict.fromkeys((*writing, *beside))), frame)
        if near := _read_by(i, {compiled_object.oid}, lying_open):
            run(i, callee, near, frame)
        run_within(i, callee, around, frame)
    run_left(i, file, lambda: (), lambda left: left.root == Ref(module) and len(left.path) > 1, unchanged, frame)


def _lying(i: Interpreter, holder: Ref, known: Sequence[Method]) -> list[Method]:
    """The functions that lie under public names of an object or a module, and that activations have made, besides those that are listed."""
    refs = {method.ref for method in known}
    return [method for method in closures.lying(i, holder) if method.ref not in refs]


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


def _callers(i: Interpreter, compiled_object: Ref, methods: Sequence[Method]) -> list[Method]:
    """Those of the methods that the client calls which call a compiled object themselves. What all others change between two calls is old in these, too: so of
    an object that has such methods, only they run between two calls from outside."""
    return [method for method in methods if compiled_object.oid in compiled_in(i, method)]


def _owns(i: Interpreter, cls: int, owner: Value) -> bool:
    """Whether an object of a class, or the class itself, holds something compiled."""
    held = [member for _, _, member in each_leaf(i, owner)]
    held += [member for value in i.heap.fields(cls).values() for member in members(value)]
    return any(isinstance(member, Ref) and i.info(member.oid).kind == "compiled" for member in held)


def _calls(i: Interpreter, method: Method, open_: Collection[Ref]) -> bool:
    """Whether a method comes to compiled objects, to an end, and only where nothing in sight calls it, unless it is `open_` to all."""
    if id(method.info.node) in i.ledger.of(Entries).unfinished:
        return False
    calls, is_open = list(calls_within(i, method.info)), method.ref in open_ or method.cls in open_
    return bool(calls) and (is_open or all(call.alone for call in calls))


def _again(i: Interpreter, method: Method, others: Sequence[Method], unchanged: Unchanged, frame: Frame) -> bool:
    """Call a method, let others run, call it again, unless all of them leave alone what traces have read. Whether the first call left another number or
    list where one was."""
    if unchanged.by(called(i, each) for each in (method, *others)):
        return rounds.counts(i, method, frame)
    callee, anew, known = calling(i, method, frame), list[Method](), journal(i).mark()
    counts = run(i, callee, others, frame, anew)
    for other in told.one_by_one(i, compiled_in(i, method), others, known) if len(others) > 1 else ():
        run(i, callee, (other,), frame)
    run_rest(i, callee, others, anew, frame)
    return counts


def _read_by(i: Interpreter, compiled: Collection[int], methods: Sequence[Method]) -> list[Method]:
    """The methods of objects that traces of some compiled objects have read. They run apart from those of the class, of which what they change takes nothing."""
    if not methods:
        return []
    read = {record.location[0] for record in journal(i).records if type(record) is events.Read and record.object in compiled}
    return [method for method in methods if isinstance(method.owner, Ref) and method.owner.oid in read]
