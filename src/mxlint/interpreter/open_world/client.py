"""The most general client of a file: it calls the public functions, and the public methods of each class, in any order, any number of times.

Nothing in sight calls these. Whatever reaches a compiled object is called, then others may run, then it is called again: what a trace has read and one of the
others has changed is stale. Only stale reads are noted, one step lower. In `class Model` with `set_scale` and a compiled `step`: `step(x); set_scale(2); step(x)`.

The others are the public methods of the same class, and what may write a name of a module that a trace has read. Where a function returns several functions, as a
factory does, the others are those that it returns beside the compiled one. `client_methods.py` says which they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from mxlint.domain.members import NONE, Ref, Value, members
from mxlint.facts import events
from mxlint.interpreter.calls.relevance import reach_of
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.reach import each_leaf
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.open_world import closures, rounds, third_files, told
from mxlint.interpreter.open_world.alone import called_alone, sample
from mxlint.interpreter.open_world.client_methods import (
    Method,
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
from mxlint.interpreter.open_world.entered import Entries
from mxlint.interpreter.open_world.factories import factories, made_in, run_handed, run_warm
from mxlint.interpreter.open_world.kept_objects import Kept
from mxlint.interpreter.open_world.left_open import File, lies_open, make, run_left
from mxlint.interpreter.open_world.open_objects import OpenObjects
from mxlint.interpreter.open_world.public import listed
from mxlint.interpreter.open_world.public_attributes import callables, others_have
from mxlint.interpreter.open_world.setters import Setters, read_by, with_given
from mxlint.interpreter.open_world.standing import Standing
from mxlint.interpreter.open_world.turns import (
    Callee,
    called,
    calling,
    calls_within,
    compiled_in,
    counting_themselves,
    given,
    run,
    run_rest,
    run_within,
)
from mxlint.interpreter.open_world.uncalled import call_compiled_alone
from mxlint.interpreter.open_world.unchanged import Unchanged
from mxlint.source import Source


def clients(i: Interpreter, source: Source, module: int, frame: Frame) -> None:
    """Run the client of each class of a file that comes to compiled objects and that nothing in sight uses, and of its functions."""
    public = public_methods(i, source, module)
    functions, open_ = [*public, *_lying(i, Ref(module), public)], listed(i, module)
    reaching = [method for method in functions if _calls(i, method, open_)]
    alone = callables(i, Ref(module), open_)
    classes = methods_by_class(i, source, module, public)
    makers = _Makers(
        factories(i, public),
        [method for method in public if id(method.info.node) in i.ledger.of(Entries).warm],
        [method for method in public if id(method.info.node) in i.ledger.of(Entries).leaving],
    )
    if not (any(makers) or reaching or alone or lies_open(i) or any(i.ledger.of(Standing).samples.get(cls) for cls in classes)):
        return
    writing, around = writing_methods(i, source, module, public)
    writing += third_files.writers(i, source)
    setters = Setters(i, [*public, *third_files.setters(i, source)])
    open_objects = OpenObjects(i, frozenset(i.ledger.of(Writes).by), frame)
    file = File(module, public, classes, writing, around, open_objects.of(Ref(module)), setters)
    _call_makers(i, file, makers, frame)
    client = _Client(i, frame, file, functions, open_, open_objects, {id(method.info.node) for method in reaching}, Unchanged(i))
    for maker in makers.leaving:
        client.leave(partial(make, i, maker, frame), lambda left: True, maker.ref)
    client.use_objects()
    for method in reaching:
        if method.cls is None:
            client.call_function(method)
    client.call_compiled(alone, reaching)
    client.leave(lambda: (), lambda left: left.root == Ref(module) and len(left.path) > 1)


class _Makers(NamedTuple):
    """The functions of a file that make something compiled: they return it, call it before they do, or leave it where others come to it."""

    returning: list[Method]
    warming: list[Method]
    leaving: list[Method]


def _call_makers(i: Interpreter, file: File, makers: _Makers, frame: Frame) -> None:
    """Call what makes something compiled and returns it, and what that is."""
    samples = i.ledger.of(Standing).samples
    for factory in makers.returning:
        its = file.classes.get(factory.cls.oid, []) if factory.cls is not None and factory.cls.oid in samples else []
        setters = file.setters.of(made_in(i, factory))
        others = dict.fromkeys((*its, *file.writing, *file.lying_open, *setters))
        run_handed(i, factory, [other for other in others if other is not factory], frame)
    for maker in makers.warming:
        run_warm(i, maker, frame)


class _Object(NamedTuple):
    """An object of a class that the client uses. `methods`: those that it calls. `owns`: whether the object or its class holds something compiled."""

    owner: Value
    methods: Sequence[Method]
    owns: bool


class _Beside(NamedTuple):
    """What may run between two calls of an object's methods: other `methods`, those of objects `lying_open` that it holds or the module does, and what
    context `managers` do around a call."""

    methods: Sequence[Method]
    lying_open: Sequence[Method]
    managers: Sequence[tuple[Ref, Method]]


@dataclass(frozen=True, slots=True)
class _Client:
    """The client of one file. `functions`: those of the file that it may call. `open_`: functions and classes that it calls although code in sight does.
    `entered`: nodes of the functions that come to something compiled; what objects hand out is added."""

    i: Interpreter
    frame: Frame
    file: File
    functions: Sequence[Method]
    open_: Collection[Ref]
    open_objects: OpenObjects
    entered: set[int]
    unchanged: Unchanged

    def leave(self, make: Callable[[], Sequence[Value]], wanted: Callable[[Kept], bool], maker: Ref | None = None) -> None:
        """Call what is compiled and lies where others come to it. `left_open.run_left` says what the arguments are."""
        run_left(self.i, self.file, make, wanted, self.unchanged, self.frame, maker)

    def use_objects(self) -> None:
        """Use an object of each class that has something compiled or whose methods come to it."""
        standing = [
            (cls, owner, its)
            for cls, own in self.file.classes.items()
            if (owner := self._standing(cls, its := self._methods(cls, own))) is not None
        ]
        bound = held_methods(self.i)
        for cls, owner, its in standing:
            methods = self._with_what_it_hands_out(owner, its, bound)
            one = _Object(owner, methods, _owns(self.i, cls, owner))
            beside = self._beside(cls, owner)
            self._call_methods(one, beside)
            self._call_others(cls, its)
            if one.owns:
                self._call_attributes(one, beside)
                self.leave(partial(members, owner), lambda left: left.readers != ())

    def _methods(self, cls: int, own: Sequence[Method]) -> list[Method]:
        """The methods that a class has, with those that it inherits."""
        return [*own, *inherited_methods(self.i, Ref(cls)), *descriptor_setters(self.i, Ref(cls))]

    def _standing(self, cls: int, its: Sequence[Method]) -> Value | None:
        """The object that stands for those of a class, None if the client has no use for it."""
        i, owner = self.i, self.i.ledger.of(Standing).samples.get(cls)
        for method in its:
            if (Ref(cls) in self.open_ or method.info.source is not i.main) and _calls(i, method, self.open_):
                self.entered.add(id(method.info.node))
        if owner is None and any(id(method.info.node) in self.entered for method in its):
            owner = sample(i, Ref(cls), i.info(cls).place)  # type: ignore[arg-type]
        return owner if owner is not None and others_have(i, self.file.module, Ref(cls), owner) else None

    def _with_what_it_hands_out(
        self, owner: Value, its: Sequence[Method], bound: Mapping[int, Sequence[tuple[int | None, Ref]]]
    ) -> list[Method]:
        """The methods of an object, with the methods and closures that it hands out and those that lie under its public names."""
        i = self.i
        kept = [method for member in members(owner) if isinstance(member, Ref) for method in _lying(i, member, its)]
        reaching = [method for method in kept if _calls(i, method, self.open_)]
        self.entered.update(id(method.info.node) for method in reaching)
        return [*its, *handed_out_methods(i, owner, its, bound), *handed_out_closures(i, owner), *(kept if reaching else ())]

    def _beside(self, cls: int, owner: Value) -> _Beside:
        i, file = self.i, self.file
        around_it = list(methods_of_given(i, owner, file.classes))
        lying_open = [method for member in members(owner) if isinstance(member, Ref) for method in self.open_objects.of(member)]
        lying_open += (method for method in file.lying_open if method not in lying_open)
        return _Beside(around_it, lying_open, [*context_managers(i, cls, Ref(cls)), *file.around])

    def _call_methods(self, one: _Object, beside: _Beside) -> None:
        """Call each method of an object that comes to something compiled, with whatever may run between two calls."""
        i, frame = self.i, self.frame
        for method in one.methods:
            if id(method.info.node) not in self.entered or self._lets_go(method):
                continue
            setters = self.file.setters.of(compiled_in(i, method))
            others = [other for other in (*one.methods, *beside.methods, *self.file.writing, *setters) if other is not method]
            counts = self._again(method, list(dict.fromkeys(others)))
            self._repeat(method, counts)
            self._with_open_objects(method, beside.lying_open)
            for other in rounds.counting_for(i, method, (*one.methods, *beside.methods, *beside.lying_open), frame):
                rounds.repeat(i, method, frame, other)
            run_within(i, calling(i, method, frame), beside.managers, frame)

    def _call_others(self, cls: int, methods: Sequence[Method]) -> None:
        """Call the methods of a class that come to something compiled on those of its objects that lie where functions come to them that may set something."""
        for method in methods:
            if id(method.info.node) in self.entered and not self._lets_go(method):
                compiled = compiled_in(self.i, method)
                for ref in self.file.setters.objects(Ref(cls), compiled):
                    self._again(method._replace(owner=ref), self.file.setters.of(compiled))

    def _call_attributes(self, one: _Object, beside: _Beside) -> None:
        """Call the compiled objects that are public attributes of an object."""
        i, frame = self.i, self.frame
        for name, compiled_object in callables(i, one.owner):
            setters = self.file.setters.of({compiled_object.oid})
            others = list(dict.fromkeys((*one.methods, *beside.methods, *self.file.writing, *setters)))
            callee = _read_and_called(i, one.owner, name, compiled_object, others, frame)
            if callers := _callers(i, compiled_object, [other for other in others if id(other.info.node) in self.entered]):
                run(i, callee, callers, frame)
                continue
            run(i, callee, others, frame)
            if near := _read_by(i, {compiled_object.oid}, beside.lying_open):
                run(i, callee, near, frame)
            run_within(i, callee, beside.managers, frame)

    def call_function(self, method: Method) -> None:
        """Call a function that comes to something compiled, with whatever may run between two calls."""
        i, file, frame = self.i, self.file, self.frame
        if self._lets_go(method):
            return
        beside = [
            other for other in self.functions if other.ref != method.ref and other.cls is None and closures.shares(i, other.ref, method.ref)
        ]
        writing = [*file.writing, *file.setters.of(compiled_in(i, method))]
        others = list(dict.fromkeys((*(writer for writer in writing if writer is not method), *beside)))
        changes = writing or beside or closures.may_change(i, method)
        counts = self._again(method, others) if changes else rounds.may_differ(i, method) and rounds.counts(i, method, frame)
        self._with_open_objects(method, file.lying_open)
        self._repeat(method, counts)
        run_within(i, calling(i, method, frame), file.around, frame)

    def call_compiled(self, named: Sequence[tuple[str, Ref]], reaching: Sequence[Method]) -> None:
        """Call the compiled objects that are public names of the file. `reaching`: the functions that come to something compiled."""
        i, file, frame = self.i, self.file, self.frame
        themselves = counting_themselves(i)
        for name, compiled_object in named:
            callee = _read_and_called(i, Ref(file.module), name, compiled_object, file.writing, frame)
            if callers := _callers(i, compiled_object, reaching):
                if changing := [method for method in callers if method in file.writing]:
                    run(i, callee, changing, frame)
                continue
            function = target(i, compiled_object)[0]
            beside = [other for other in self.functions if function is not None and closures.shares(i, other.ref, function)]
            writing = [*file.writing, *file.setters.of({compiled_object.oid})]
            if writing or beside or compiled_object.oid in themselves:
                run(i, callee, list(dict.fromkeys((*writing, *beside))), frame)
            if near := _read_by(i, {compiled_object.oid}, file.lying_open):
                run(i, callee, near, frame)
            run_within(i, callee, file.around, frame)

    def _lets_go(self, method: Method) -> bool:
        """Whether a call of a method comes to nothing compiled but what it makes itself and lets go of: another call finds none of that."""
        i = self.i
        return id(method.info.node) in i.ledger.of(Entries).fleeting and not reach_of(i, called(i, method), whole=True).compiled_objects()

    def _repeat(self, method: Method, counts: bool) -> None:
        """Call a method again and again, if it `counts` or draws, and with what it gives back, if what it gives compiled objects then may matter."""
        if not rounds.may_differ(self.i, method):
            return
        if counts or id(method.info.node) in self.i.ledger.of(Entries).drawing:
            rounds.repeat(self.i, method, self.frame)
        rounds.go_on(self.i, method, self.frame)

    def _with_open_objects(self, method: Method, lying_open: Sequence[Method]) -> None:
        """Call a method again with the methods of objects lying open between the calls: apart from the others, of which these take nothing."""
        compiled = compiled_in(self.i, method)
        if near := told.untold(self.i, compiled, _read_by(self.i, compiled, lying_open)):
            self._again(method, near)

    def _again(self, method: Method, others: Sequence[Method]) -> bool:
        """Call a method, let others run, call it again, unless all of them leave alone what traces have read. Whether the first call left another number
        or list where one was."""
        i, frame = self.i, self.frame
        if self.unchanged.by(called(i, each) for each in (method, *others)):
            return rounds.may_differ(i, method) and rounds.counts(i, method, frame)
        callee, anew, known = calling(i, method, frame), list[Method](), journal(i).mark()
        others = [other for other in others if not self.unchanged.is_idle(with_given(i, other))]
        counts = run(i, callee, others, frame, anew)
        for other in told.one_by_one(i, compiled_in(i, method), others, known) if len(others) > 1 else ():
            run(i, callee, (other,), frame)
        run_rest(i, callee, others, anew, frame)
        return counts


def _lying(i: Interpreter, holder: Ref, known: Sequence[Method]) -> list[Method]:
    """The functions that lie under public names of an object or a module, and that activations have made, besides those that are listed."""
    refs = {method.ref for method in known}
    return [method for method in closures.lying(i, holder) if method.ref not in refs]


def _read_and_called(i: Interpreter, owner: Value, name: str, compiled_object: Ref, others: Sequence[Method], frame: Frame) -> Callee:
    """A call of a compiled object that is an attribute: of what lies there by then. Who calls it reads it anew each time, and lets `others` run before if no trace
    of it comes to its end without."""

    def one(held: Value, turn: int) -> Value:
        if isinstance(held, Ref) and i.info(held.oid).kind == "compiled":
            call_compiled_alone(i, held, turn, frame)
        return NONE

    def call(turn: int) -> None:
        for holder in members(owner):
            held = i.heap.get(holder.oid, name) if isinstance(holder, Ref) else None
            if held is not None and (turn > 1 or compiled_object in members(held)):
                i.split(held, partial(one, turn=turn))

    prepare = partial(_fill, i, others, frame) if _comes_to_no_end(i, compiled_object) else lambda: None
    return Callee(f"`{name}`", call, prepare, lambda: {compiled_object.oid})


def _comes_to_no_end(i: Interpreter, compiled_object: Ref) -> bool:
    """Whether no trace of a compiled object has come to its end, as where it finds None in a name that functions set first."""
    ended = [record.ended for record in journal(i).records if type(record) is events.Trace and record.object == compiled_object.oid]
    return bool(ended) and not any(ended)


def _fill(i: Interpreter, writing: Sequence[Method], frame: Frame) -> None:
    """Let functions run that set what a trace reads, before the first call. One that comes to no end runs once more behind the others, which may put there what it
    looks for."""
    todo = [method for method in writing if not _runs(i, method, frame)]
    for method in todo if len(todo) < len(writing) else ():
        _runs(i, method, frame)


def _runs(i: Interpreter, method: Method, frame: Frame) -> bool:
    """Call a function; whether it comes to its end. What one does that does not is undone."""
    mark, path = i.heap.mark(), i.path
    try:
        called_alone(i, (method.ref, method.info), given(i, method), 0, frame)
    except Halt:
        i.heap.undo(mark)
        i.path = path
        return False
    return True


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


def _read_by(i: Interpreter, compiled: Collection[int], methods: Sequence[Method]) -> list[Method]:
    """The methods of objects that traces of some compiled objects have read. They run apart from those of the class, of which what they change takes nothing."""
    if not methods:
        return []
    read = read_by(i, compiled)
    return [method for method in methods if isinstance(method.owner, Ref) and method.owner.oid in read]
