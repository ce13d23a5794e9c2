"""Entries besides module level: functions and methods that nothing in sight calls.

`candidates` says which functions are entered, `parameters` what they are given, `alone` how they are called; `uncalled` has the compiled functions that nothing
calls.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from functools import partial

from mxlint.domain.join import join
from mxlint.domain.members import NONE, Bound, Ref, Value, members
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.finding import Span
from mxlint.interpreter.calls.activations import Ran
from mxlint.interpreter.calls.callables import is_wrapper
from mxlint.interpreter.calls.relevance import Reach, reach_of
from mxlint.interpreter.compiled import making
from mxlint.interpreter.compiled.traces import Lacking
from mxlint.interpreter.loops.draws import Drawn
from mxlint.interpreter.loops.lengthening import Lengthened
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.reach import each_leaf
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.interpreter.open_world import closures, handed_back, kept_objects, preparing
from mxlint.interpreter.open_world.alone import alone, alone_arguments, call_with, called_alone, sample
from mxlint.interpreter.open_world.candidates import Function, calls_by_name, is_closure, wraps_unrun
from mxlint.interpreter.open_world.client_methods import Method
from mxlint.interpreter.open_world.counting import leaves_another_count
from mxlint.interpreter.open_world.entered import Entries
from mxlint.interpreter.open_world.guarded import calling_alone, guarded_run
from mxlint.interpreter.open_world.uncalled import trace_uncalled


def _unreached(i: Interpreter, function: FunctionInfo, reached: Collection[Span]) -> bool:
    """Whether a function compiles something at a site that no run has come to."""
    sites = i.project.symbols(function.source, i.tracers).sites
    inside = [site for site in sites if site.form != "reference" and function.node.start <= site.start < function.node.end]
    return any(function.source.span(site.start, site.end) not in reached for site in inside)


def enter(i: Interpreter, function: Function, frame: Frame) -> None:
    """Run a function with symbolic arguments: one that nothing has entered, or in which something is compiled that nothing has come to."""
    ref, cls, owner_class = function
    info = i.info(ref.oid).payload
    assert isinstance(info, FunctionInfo)
    entered = i.ledger.of(Entries).entered
    reached = {fact.site.span for fact in journal(i).compiled.values()}
    itself = owner_class if owner_class is not None and i.info(owner_class.oid).kind == "instance" else ref if is_closure(i, ref) else None
    if itself is not None and not wraps_unrun(i, itself):
        itself = None  # it tells no more than another one of its kind

    def has_run() -> bool:
        return id(info.node) in i.ledger.of(Ran).functions if itself is None else itself.oid in i.ledger.of(Ran).objects

    again = has_run()
    if (itself or id(info.node)) in entered or again and not _unreached(i, info, reached) or is_wrapper(i, info):
        return
    entered.update((itself or ref, id(info.node)))

    owner: Value | None = None
    if cls is not None and info.node.params and info.name != "__new__":
        owner = sample(i, cls, Place(info.source, info.node.start, info.node.end))
    if not again and (has_run() or _is_compiled(i, ref, info)):
        return

    known = frozenset(journal(i).compiled)
    i.ledger.of(Entries).counting[id(info.node)] = False
    ended: list[bool] = []
    unended: frozenset[int] = frozenset()
    cut_before = _called_by_unfinished(i, info)

    def run() -> None:
        nonlocal unended
        place = Place(info.source, info.node.start, info.node.end)
        given: list[Value] = [] if owner_class is None else [owner_class]
        if cls is not None and info.node.params:
            itself_given = cls if info.name == "__new__" else owner
            given.append(itself_given if itself_given is not None else i.symbolic(place, "self", "self"))
        if id(info.node) in i.ledger.of(Entries).prepared and not prepare_owner(i, info, cls, owner, frame, others=True):
            return
        mark = i.heap.mark()
        # What each of several objects of a class compiles is another compiled object.
        with i.within(("decorated", place, itself.oid)) if itself is not None else nullcontext(), alone(i, place, 1):
            args = alone_arguments(i, (ref, info), given, followed=not cut_before)
            with calling_alone(i, (ref, *args.values)):
                _enter_with(i, ref, info, args, len(given), mark, frame)
            ended.append(True)
        unended = trace_uncalled(i, frame, known, unended)

    noted, begin = journal(i).mark(), len(i.ledger.of(Lacking).found)
    guarded_run(i, run)
    if i.spent:
        i.ledger.of(Entries).unfinished.add(id(info.node))
    elif owner is not None and cls is not None:
        nothing = not ended or bool(unended) or journal(i).mark()[:2] == noted[:2]
        lacking = dict.fromkeys(i.ledger.of(Lacking).found[begin:])
        if nothing or any(preparing.may_be_filled(i, cls, owner, location) for location in lacking):
            enough = _enough(i, function, info, owner, frame, known, unended, lacking=not nothing)
            if nothing or enough is not None:
                i.ledger.of(Entries).prepared[id(info.node)] = enough
                guarded_run(i, run)
    if i.spent or cut_before or cls is not None and cls.oid in i.ledger.of(Entries).unmade:
        i.ledger.of(Entries).cut_short.add((info.source, info.qualname))
    if again:
        journal(i).forget_sites(known, reached)


def _enter_with(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments, bound: int, mark: int, frame: Frame) -> None:
    """Run a function with some arguments, of which the first `bound` are given, keep what its entry shows, and enter the functions that it hands out.
    `mark`: before its arguments were made."""
    entries, number = i.ledger.of(Entries), id(info.node)
    begin, drawn, given_before = i.heap.mark(), i.ledger.of(Drawn).calls, len(i.ledger.of(Lengthened).given)
    known, noted = set(journal(i).compiled), journal(i).mark()
    if not any(_is_object(i, member) for value in args.values[bound:] for member in members(value)):
        entries.plain.add(number)
    value = call_with(i, ref, args, Place(info.source, info.node.start, info.node.end), frame)
    if i.ledger.of(Drawn).calls > drawn:
        entries.drawing.add(number)
    called = {record.object for record in journal(i).since(noted) if type(record) is events.Call}
    if called and called.isdisjoint(known) and not any(map(i.heap.exists, called)):
        entries.fleeting.add(number)
    if back := handed_back.ways(i, args.args, bound, value, begin):
        entries.handed_back[number] = back
    given = closures.handed(i, value)
    if not given:
        entries.hand_out_nothing.add(number)
    if any(True for _ in kept_objects.kept(i, journal(i).compiled.keys() - known, (*args.args[:bound], *given))):
        entries.leaving.add(number)
    if _is_warm(i, given, known, noted):
        entries.warm.add(number)
    entries.counting[number] = leaves_another_count(i, mark, given_before)
    methods = closures.callables(i, dict.fromkeys((*given, *closures.kept(i, begin))))
    for method in methods:
        _enter_handed(i, method, frame)
    inner = {id(method.info.node) for method in methods}
    if (
        any(entries.counting.get(each) for each in inner)
        or inner & (entries.hand_out | entries.drawing)
        or any(closures.may_change(i, method) for method in methods)
    ):
        entries.hand_out.add(number)


def _is_object(i: Interpreter, member: Value) -> bool:
    """Whether something is an object of a class of the program."""
    return isinstance(member, Ref) and isinstance(i.heap.get(member.oid, CLASS), Ref)


def _is_warm(i: Interpreter, given: Sequence[Ref], known: Collection[int], noted: tuple[int, ...]) -> bool:
    """Whether an object that a function gives holds something new and compiled that it has called. `known`: what was compiled before; `noted`: the mark of
    the journal before."""
    called = {record.object for record in journal(i).since(noted) if type(record) is events.Call and record.object not in known}
    held = each_leaf(i, join(given)) if called and given else ()
    return any(isinstance(member, Ref) and member.oid in called for _, _, member in held)


def _enter_handed(i: Interpreter, method: Method, frame: Frame) -> None:
    """Call a function that others have been handed, with symbolic arguments, if none has entered it. What it changes is undone: others come after none."""
    entered, ref, info = i.ledger.of(Entries).entered, method.ref, method.info
    given = () if method.owner is None else (method.owner,)
    if id(info.node) in entered or not reach_of(i, (ref, *given)).compiled:
        return
    entered.add(id(info.node))
    mark, path = i.heap.mark(), i.path
    try:
        with alone(i, Place(info.source, info.node.start, info.node.end), 1):
            args = alone_arguments(i, (ref, info), given)
            with calling_alone(i, (ref, *args.values)):
                _enter_with(i, ref, info, args, len(given), mark, frame)
    except Halt:
        i.path = path
    i.heap.undo(mark)


def enter_lying(i: Interpreter, holder: Value, frame: Frame) -> None:
    """Enter the functions that lie under public names of a module or an object, and that activations have made: whoever has it calls them."""
    for member in members(holder):
        for method in closures.lying(i, member) if isinstance(member, Ref) else ():
            if id(method.info.node) not in i.ledger.of(Ran).functions:
                guarded_run(i, partial(_enter_handed, i, method, frame))


def _is_used_elsewhere(i: Interpreter, info: FunctionInfo) -> bool:
    """Whether another file of the run uses a function that is private to its own."""
    return i.project.used_elsewhere(info.name, info.source, attribute=info.qualname != info.name)


def _called_by_unfinished(i: Interpreter, info: FunctionInfo) -> bool:
    """Whether a function private to its file is called by one that a budget has cut short: what that gives it is in sight, and was not come to."""
    if not info.name.startswith("_") or info.name.endswith("__") or not i.ledger.of(Entries).cut_short:
        return False
    if _is_used_elsewhere(i, info):
        return False
    calls = calls_by_name(i.project.symbols(info.source, i.tracers).blocks)
    return any(source is info.source and info.qualname in calls.get(name, ()) for source, name in i.ledger.of(Entries).cut_short)


def enter_inherited(i: Interpreter, function: Function, frame: Frame) -> None:
    """Run a method on an object of a class that inherits it, or a class method on such a class, with symbolic arguments."""
    ref, cls, owner_class = function
    info = i.info(ref.oid).payload
    assert isinstance(info, FunctionInfo) and (cls or owner_class) is not None
    owner: Value | None = owner_class
    if cls is not None:
        owner = sample(i, cls, Place(info.source, info.node.start, info.node.end))
    known = frozenset(journal(i).compiled)

    def run() -> None:
        prepare_owner(i, info, cls, owner, frame, others=True)
        called_alone(i, (ref, info), (owner or NONE,), 1, frame)
        trace_uncalled(i, frame, known)

    # Of a method of another file nothing is known by the names that lead there.
    if owner is not None and Reach(i, tuple(Bound(member, ref) for member in members(owner))).compiled:
        guarded_run(i, run)


def _enough(
    i: Interpreter,
    function: Function,
    info: FunctionInfo,
    owner: Value,
    frame: Frame,
    known: Collection[int],
    unended: Collection[int],
    *,
    lacking: bool,
) -> int | None:
    """The public method after which alone a method reaches something compiled and to its end, and so do the traces in `unended` of what it makes; or those
    of what it calls come further, if they lack something: by the identity of its node; None if there is none."""
    ref, cls, _ = function
    assert cls is not None
    found: list[int | None] = []

    def comes() -> bool:
        noted = journal(i).mark()
        try:
            called_alone(i, (ref, info), (owner,), 1, frame)
        except Halt:
            return False
        if journal(i).mark()[:2] == noted[:2] or lacking and not _comes_further(i, noted):
            return False
        return not (unended and trace_uncalled(i, frame, known, unended))

    def fill(other: Ref, its: FunctionInfo) -> None:
        heard, journal(i).heard = journal(i).heard, []
        try:
            called_alone(i, (other, its), (owner,), 0, frame)
            if lacking and any(type(record) is events.Call for record in journal(i).heard or ()):
                raise Halt  # what a second call finds old is a matter of the client
        finally:
            journal(i).heard = heard

    def run() -> None:
        found.append(preparing.enough(i, cls, owner, fill, comes))

    checkpoint = i.checkpoint()
    guarded_run(i, run)
    i.forget(checkpoint)
    return found[0] if found else None


def _comes_further(i: Interpreter, mark: tuple[int, ...]) -> bool:
    """Whether a run notes something since a mark of a place of which nothing was noted before."""
    known = {(type(record), record.where) for record in journal(i).before(mark) if hasattr(record, "where")}
    return any(hasattr(record, "where") and (type(record), record.where) not in known for record in journal(i).since(mark))


def prepare_owner(i: Interpreter, info: FunctionInfo, cls: Ref | None, owner: Value | None, frame: Frame, *, others: bool) -> bool:
    """Run the methods of a class that fill what is empty of the object of another one, where its methods reach nothing compiled without them, or to no end.
    `others`: so may those that it takes none of."""
    if cls is None or owner is None or id(info.node) not in i.ledger.of(Entries).prepared:
        return False
    enough = i.ledger.of(Entries).prepared[id(info.node)]
    return preparing.prepare(
        i, cls, owner, info, enough, lambda ref, other: called_alone(i, (ref, other), (owner,), 0, frame), others=others
    )


def _is_compiled(i: Interpreter, ref: Ref, info: FunctionInfo) -> bool:
    """Whether a function, private to its file, is that of a compiled object: who calls that runs it."""
    if not info.name.startswith("_") or info.name.endswith("__") or _is_used_elsewhere(i, info):
        return False
    return any(making.target(i, i.heap.get(number, "fun") or NONE)[0] == ref for number in journal(i).compiled)
