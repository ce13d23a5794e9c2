"""Entries besides module level: compiled functions that nothing calls, functions and methods that nothing in sight calls.

A class gets the most general client: an object made with symbolic arguments, then its methods. `candidates` says which functions are entered,
`parameters` what they are given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import ALIVE
from mxlint.domain.join import join
from mxlint.domain.members import NONE, Bound, External, Ref, Union, Value, members, scalar_type
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts.values import UnknownValue
from mxlint.finding import Span
from mxlint.interpreter.calls.activations import Ran
from mxlint.interpreter.calls.callables import is_wrapper
from mxlint.interpreter.calls.relevance import DEFINED_IN, Reach, reach_of
from mxlint.interpreter.compiled import lifetimes, making, tracing
from mxlint.interpreter.compiled.keys import cache_key
from mxlint.interpreter.compiled.reads import given_anew
from mxlint.interpreter.compiled.traces import Lacking
from mxlint.interpreter.generators.awaiting import awaited
from mxlint.interpreter.generators.iterators import POSITION
from mxlint.interpreter.loops.draws import Drawn
from mxlint.interpreter.loops.lengthening import Lengthened, goes_on
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import describe, journal
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.paths import Path
from mxlint.interpreter.machine.reach import each_leaf
from mxlint.interpreter.mlx.layers import SEQUENTIAL
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.interpreter.open_world import closures, handed_back, kept_objects, preparing
from mxlint.interpreter.open_world.candidates import Function, calls_by_name, functions, is_closure, wraps_unrun
from mxlint.interpreter.open_world.client_methods import Method
from mxlint.interpreter.open_world.guarded import calling_alone, guarded_run, kept_run
from mxlint.interpreter.open_world.handed_back import Way
from mxlint.interpreter.open_world.parameters import arguments, some_object
from mxlint.interpreter.open_world.standing import Standing
from mxlint.source import Source


class Entries:
    """What has become of the entries."""

    __slots__ = (
        "counting",
        "cut_short",
        "drawing",
        "entered",
        "fleeting",
        "hand_out",
        "hand_out_nothing",
        "handed_back",
        "leaving",
        "plain",
        "prepared",
        "traced_alone",
        "unfinished",
        "unmade",
        "warm",
    )

    def __init__(self) -> None:
        self.entered: set[int | Ref] = set()
        """Functions that were entered as entries: identities of their nodes, and objects that activations have made of them."""
        self.hand_out_nothing: set[int] = set()
        """Functions that give no object to who calls them, when they are entered: identities of their nodes."""
        self.hand_out: set[int] = set()
        """Functions that give others functions which activations have made, or keep these for them, when they are entered, and of which one counts, draws
        or may change what a trace has read: identities of their nodes."""
        self.handed_back: dict[int, tuple[Way, ...]] = {}
        """What functions give back of what they are given, when they are entered: by the identities of their nodes."""
        self.leaving: set[int] = set()
        """Functions that leave something compiled where others come to it, when they are entered: identities of their nodes."""
        self.warm: set[int] = set()
        """Functions that give an object whose compiled functions they have called, as its constructor does to warm them up, when they are entered: identities
        of their nodes."""
        self.prepared: dict[int, int | None] = {}
        """Methods that reach something compiled, if at all, on objects whose other methods ran before: identities of their nodes, with that of the one that is
        enough; None: it takes several."""
        self.unfinished: set[int] = set()
        """Functions whose entry a budget has cut short, by the identity of their nodes: no run that begins with that call comes to its end."""
        self.unmade: set[int] = set()
        """Classes of which a budget has cut short how an object is made."""
        self.cut_short: set[tuple[object, str]] = set()
        """Functions that a budget has kept from coming to all that they call, by file and qualified name."""
        self.counting: dict[int, bool] = {}
        """Whether a call of a function that was entered left another number, list or longer array where one was: by the number of its node."""
        self.drawing: set[int] = set()
        """Functions in whose entry a compiled object was given a number that was drawn or read off a clock: the identities of their nodes."""
        self.plain: set[int] = set()
        """Functions that are given no objects of classes of the program, when they are entered: identities of their nodes."""
        self.fleeting: set[int] = set()
        """Functions that call nothing compiled but what they make and let go of, when they are entered: identities of their nodes."""
        self.traced_alone: set[int] = set()
        """Compiled objects that were traced though nothing calls them."""


def trace_uncalled(i: Interpreter, frame: Frame, known: Collection[int] = (), again: Collection[int] = ()) -> frozenset[int]:
    """Trace the compiled functions that nothing called so far, with what their parameters most likely are, and those in `again`; those in `known` are
    left for later. What another file makes while it is imported is left to the run over that file, which sees its calls. Gives those whose trace has come to no end."""
    unended = set()
    used = {record.object for record in journal(i).records if type(record).__name__ in ("Call", "Trace")}
    used |= {record.object for record in journal(i).records if type(record).__name__ == "Note" and record.object is not None}
    traced = i.ledger.of(Entries).traced_alone
    for number in list(journal(i).compiled):
        if number not in again and (number in used or number in traced) or number in known or i.info(number).payload.imported:  # type: ignore[attr-defined]
            continue
        if lifetimes.is_replaced(i, number):
            continue
        traced.add(number)
        unended.add(number)

        def run(number: int = number) -> None:
            i.path = (*i.path, *_where_it_lies(i, number))
            _trace(i, number, frame)
            unended.discard(number)

        guarded_run(i, run, (Ref(number),))
    return frozenset(unended)


def _where_it_lies(i: Interpreter, number: int) -> Path:
    """What holds wherever a compiled object is found, if one place alone has it: in `if mode: self.step = mx.compile(f)` that the mode is set."""
    places = list(i.heap.holders(number))
    held = i.live(i.heap.get(*places[0]) or NONE) if len(places) == 1 else NONE
    if not isinstance(held, Union):
        return ()
    found = [conditions for option, conditions in i.alternatives(held) if option.member == Ref(number)]
    return found[0] if len(found) == 1 else ()


def _trace(i: Interpreter, number: int, frame: Frame) -> None:
    place, args = i.info(number).place, _compiled_arguments(i, number)
    if args is None or not isinstance(place, Place):
        return
    function = i.heap.get(number, "fun") or NONE
    ref, bound, names = making.target(i, function)
    info = i.info(ref.oid).payload if ref is not None else None
    params = info.node.params[bound:] if isinstance(info, FunctionInfo) else ()
    positional = [param.name for param in params if not param.star and not param.kwonly and param.name not in names]
    journal(i).assumed[number] = {
        name: described
        for name, value in (*zip(positional, args.args), *args.keywords.items())
        if not isinstance(described := describe(i, value), UnknownValue)
    }
    key = cache_key(i, args, False, place, lambda name, given: False)
    tracing.trace_call(i, Ref(number), function, args, key, place, frame)


def call_compiled_alone(i: Interpreter, compiled_object: Ref, turn: int, frame: Frame) -> None:
    """Call a compiled object that nothing in sight calls, with arguments that are other ones in each `turn`."""
    place = i.info(compiled_object.oid).place
    if not isinstance(place, Place):
        return
    i.modes.entered_alone = True
    with i.within(("entry", place, turn)):
        args = _compiled_arguments(i, compiled_object.oid)
        if args is not None:
            i.call(compiled_object, args, place, frame)


def _compiled_arguments(i: Interpreter, number: int) -> Arguments | None:
    """What a compiled object is given that nothing in sight calls; None if it is not known what it takes."""
    function, place = i.heap.get(number, "fun") or NONE, i.info(number).place
    ref, bound, names = making.target(i, function)
    info = i.info(ref.oid).payload if ref is not None else None
    if ref is not None and isinstance(info, FunctionInfo) and not info.generator and not info.is_async:
        return arguments(i, ref, info, bound, names, compiled_function=True)
    if ref is None and isinstance(function, Ref) and i.heap.get(function.oid, CLASS) == External(SEQUENTIAL) and place is not None:
        return Arguments((Array(i.ident(place, "parameter"), None, None, None),), places=(place,))
    return None


def compile_all(i: Interpreter, source: Source, module: int, frame: Frame) -> None:
    """Compile each function and method of a file, and trace it with what its parameters most likely are."""
    for ref, cls, owner in list(functions(i, source, module)):
        info = i.info(ref.oid).payload
        assert isinstance(info, FunctionInfo)
        place = Place(source, info.node.start, info.node.end)

        def run(ref: Ref = ref, cls: Ref | None = cls, owner: Ref | None = owner, place: Place = place) -> None:
            bound: Value = (
                ref if cls is None and owner is None else Bound(owner if owner is not None else i.symbolic(place, "self", "self"), ref)
            )
            making.make(i, Arguments((bound,), places=(place,)), place, frame)
            trace_uncalled(i, frame)

        guarded_run(i, run)


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


def leaves_another_count(i: Interpreter, mark: int, given_before: int) -> bool:
    """Whether an object that is older holds another number or text since, where it held one or nothing, or an array from which another call may go on; whether the
    content of a list or set is another one, or an iterator has gone on. `given_before`: how much compiled objects had been given then."""
    given = frozenset(i.ledger.of(Lengthened).given[given_before:])
    before: dict[tuple[int, object], Value | None] = {}
    for (oid, field), value in i.heap.trail[mark:]:
        before.setdefault((oid, field), value)
    made = {oid for (oid, field), value in before.items() if field == ALIVE and value is None}
    return any(
        _counts(value, now) or goes_on(i, value, now, given) if field != ITEMS and field != POSITION else value is not None
        for (oid, field), value in before.items()
        if oid not in made and i.info(oid).kind in COUNTING and (now := i.heap.get(oid, field)) != value
    )


COUNTING: Final = frozenset(("instance", "class", "dict", "list", "set", "module", "iterator", "frame"))
"""Kinds of objects that hold counters."""


def _counts(before: Value | None, now: Value | None) -> bool:
    """Whether a number or text lies where one, None or nothing lay."""
    held = before if before is not None and before != NONE else now
    return held is not None and any(scalar_type(member) in ("int", "float", "str") for member in members(held))


def sample(i: Interpreter, cls: Ref, place: Place) -> Value | None:
    """The object of a class that nothing in sight makes: all its methods see the same; None if making one ends nowhere."""
    samples = i.ledger.of(Standing).samples
    if cls.oid not in samples:
        keep: list[Value | None] = []
        kept_run(i, lambda: keep.append(some_object(i, cls, place)))
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
        kind = i.info(member.oid).kind if isinstance(member, Ref) else ""
        of = i.heap.get(member.oid, CLASS) if isinstance(member, Ref) and kind == "instance" else member
        if isinstance(member, Ref) and kind in ("instance", "class") and of != defined_in:
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
