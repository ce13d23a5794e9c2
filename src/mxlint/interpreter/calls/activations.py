"""Activations of functions: binding arguments, running bodies, recursion.

A body runs in the context of its caller. A call that recurs with other arguments than single values, or too deep, is run as a fixpoint from bottom. An activation
that costs much and reaches nothing compiled is undone, and its function is not entered again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.join import join
from mxlint.domain.members import NONE, Bound, Const, External, Range, Ref, Tuple, Unknown, Value, members, scalar_type
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.calls import recursion, summaries
from mxlint.interpreter.calls.relevance import Reach, reach_of
from mxlint.interpreter.containers import open_entries
from mxlint.interpreter.containers.builders import put
from mxlint.interpreter.containers.inplace import overwrite
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.expressions.keywords import unless_named
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import MAX_CALLS, Interpreter
from mxlint.interpreter.machine.costs import Costs
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import journal, where
from mxlint.interpreter.machine.recursions import looks_inside
from mxlint.interpreter.mlx import kinds
from mxlint.interpreter.open_world import given_stars, presumptions
from mxlint.syntax import ir
from mxlint.syntax.index import ANY
from mxlint.syntax.liveness import names_of_its_own

ENV: Final = ("#", "parent")


MAX_RECURSION: Final = 3
"""Activations of one function that are run one inside the other before recursion is a fixpoint."""


MAX_ASIDE: Final = 1_000
"""Steps that all activations of a function together may take that reach nothing compiled; beyond, it is a library without a model."""


MAX_FRUITLESS: Final = 2_000
"""Steps that the body of a function may take, in all its activations, that might reach something compiled and never did."""
SAMPLED: Final = 125
"""Steps after which costs are looked at: the function that runs then is taken to have run all the while."""


class Ran:
    """Functions whose body has run: by their nodes, and each one that there is by itself."""

    __slots__ = ("functions", "objects")

    def __init__(self) -> None:
        self.functions: set[int] = set()
        self.objects: set[int | None] = set()


class TakenBack(Exception):
    """An activation that is under way is undone: it is recursive, and run as a fixpoint from its call on, or it costs more than it can tell."""

    def __init__(self, start: Start, *, recursive: bool) -> None:
        self.start = start
        self.recursive = recursive


class Start:
    """Where an activation began, so that it can be undone: the state, and how much was under way.

    `bounded`: its arguments are single values, and the callee was one; recursion ends where the program's does.
    `makes`: it is the constructor of a module of MLX, which is run to its end whoever asks for it.
    """

    __slots__ = (
        "args", "bounded", "checkpoint", "depths", "function", "makes", "mark", "node", "operations", "path", "reaching", "splits", "steps",
        "trace", "unrolled",
    )  # fmt: skip

    def __init__(self, i: Interpreter, function: Ref, node: object, args: Arguments, bounded: bool) -> None:
        self.function = function
        self.node = node
        self.args = args
        self.bounded = bounded
        self.makes = _makes_module(i, function, args)
        self.steps = i.steps
        self.reaching: Reach | None = None
        self.splits = i.splits
        self.mark = i.heap.mark()
        self.path = i.path
        self.checkpoint = i.checkpoint()
        self.depths = len(i.stack), len(i.tries), len(i.targets)
        self.unrolled = i.unrolled
        self.trace = i.trace
        self.operations = (i.trace.operations, i.trace.surplus) if i.trace is not None else (0, 0)

    def take_back(self, i: Interpreter) -> None:
        """Put everything back as it was at the call."""
        i.heap.undo(self.mark)
        i.path, i.unrolled, i.splits = self.path, self.unrolled, self.splits
        i.forget(self.checkpoint)
        stack, tries, targets = self.depths
        del i.stack[stack:], i.tries[tries:], i.try_depths[tries:], i.targets[targets:]
        if i.trace is not None:
            i.trace.operations, i.trace.surplus = self.operations


def run_function(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments, place: Place, caller: Frame) -> Value:
    """Run a body in the context of its caller, and return the join of what it returns."""
    if len(i.stack) >= MAX_CALLS:
        return i.unknown(place, "calls nested too deep")
    same = [start for start in i.starts if start.node is info.node]
    active = max(len(same), sum(1 for other in i.stack if other.node is info.node))
    single = all(_single(i, value) for value in args.values)
    chosen = bool(same) and i.splits > same[0].splits
    if active >= MAX_RECURSION or active and (chosen or not single):
        # One fixpoint for all that the outermost activation calls: each call in its body would be one of its own.
        outer = next((start for start in same if chosen or not start.bounded), None)
        if outer is not None and outer.trace is i.trace and active < MAX_RECURSION:
            raise TakenBack(outer, recursive=True)
        return _recursive(i, ref, info, args, place, caller)
    if not active and id(info.node) in i.ledger.of(Costs).recursive and (i.splits or not single):
        reach = _beside(i, ref, info, args)
        return _as_library(i, info, args, reach, place, caller) if reach is not None else _recursive(i, ref, info, args, place, caller)
    under_way = summaries.begin(i, ref, args) if active == 0 and looks_inside(i) is None else None
    if under_way is not None:
        inner = i.context.inner(("call", place, ref.oid))
        found = summaries.find(i, under_way, inner)
        if found is not None:
            return summaries.replay(i, found, under_way, inner)
    reach = _beside(i, ref, info, args)
    if reach is not None:
        if under_way is not None:
            summaries.abandon(i, under_way)
        return _as_library(i, info, args, reach, place, caller)
    start = Start(i, ref, info.node, args, single)
    if not i.starts:
        i.limit = max(0, i.steps - SAMPLED)
    i.starts.append(start)
    made = len(i.generators)
    try:
        with i.within(("call", place, ref.oid)):
            context = i.context
            frame = activation(i, ref, info, args, place, caller)
            value = run_body(i, info, frame)
            if len(i.generators) > made:
                i.operations.let_go(i, i.generators[made:], start.mark, (value,), place, caller)
    except BaseException as left:
        if under_way is not None:
            summaries.abandon(i, under_way)
        if not isinstance(left, TakenBack) or left.start is not start:
            raise
        taken_back: TakenBack | None = left.with_traceback(None)  # which holds on to all the frames between
    else:
        taken_back = None
    finally:
        _charge(i, start, outermost=not same)
    if taken_back is not None:
        return _run_otherwise(i, taken_back, ref, info, args, place, caller)
    i.path = start.path if len(i.path) < len(start.path) else i.path
    _drop_variables(i, info, frame)
    if under_way is not None:
        summaries.keep(i, under_way, value, context)
    return value


def _run_otherwise(
    i: Interpreter, taken_back: TakenBack, ref: Ref, info: FunctionInfo, args: Arguments, place: Place, caller: Frame
) -> Value:
    """Take an activation back, and call its function as a fixpoint or as a function of a library instead."""
    start = taken_back.start
    start.take_back(i)
    if taken_back.recursive:
        i.ledger.of(Costs).recursive.add(id(info.node))
        return _recursive(i, ref, info, args, place, caller)
    assert start.reaching is not None
    return _as_library(i, info, args, start.reaching, place, caller)


def _charge(i: Interpreter, start: Start, *, outermost: bool) -> None:
    """Take an activation that is over off those under way, and charge its steps to its function, if it was the outermost of it. A constructor that runs
    to its end whoever asks for it costs those around it nothing."""
    del i.starts[i.starts.index(start) :]
    costs = i.ledger.of(Costs)
    if outermost and not costs.free:
        costs.aside[id(start.node)] += start.steps - i.steps
    if start.makes:
        for around in i.starts:
            around.steps -= start.steps - i.steps


def _drop_variables(i: Interpreter, info: FunctionInfo, frame: Frame) -> None:
    """Take the variables of an activation that is over out of the state: all, or those that no function within it reads, if something holds on to it."""
    if not i.heap.is_captured(frame.oid):
        i.heap.clear(frame.oid)
    elif isinstance(info.node, ir.FuncDef) and not info.generator and not info.is_async:
        for name in i.project.once(info.source).of(names_of_its_own, info.node):
            i.heap.drop(frame.oid, name)


def _is_costly(i: Interpreter, ref: Ref, node: object, args: Arguments, steps: int = 0) -> bool:
    """Whether the activations of a function have cost much so far, and are not known to reach something compiled."""
    costs = i.ledger.of(Costs)
    if costs.free or costs.aside[id(node)] + steps < MAX_ASIDE or id(node) in costs.reaching:
        return False
    return not _constructs(i, ref, args)


def _constructs(i: Interpreter, ref: Ref, args: Arguments) -> bool:
    """Whether a call says what an object is: a constructor, or a method that it calls on that object."""
    return i.info(ref.oid).label == "__init__" or bool(args.args) and any(made == args.args[0] for made in _being_made(i))


def _makes_module(i: Interpreter, ref: Ref, args: Arguments) -> bool:
    """Whether a function is called as the constructor of a module of MLX."""
    if i.info(ref.oid).label != "__init__":
        return False
    made = args.args[0] if args.args else None
    return isinstance(made, Ref) and kinds.kind(i, made) == "module"


def _being_made(i: Interpreter) -> Iterator[Value | None]:
    """The objects whose constructors are under way."""
    for frame in i.stack:
        if frame.function is not None and frame.first is not None and i.info(frame.function).label == "__init__":
            yield i.heap.get(frame.oid, frame.first)


def _beside(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments) -> Reach | None:
    """What a call reaches, if the function has cost much and the call reaches nothing compiled, or no activation of it has; None if it is to be run."""
    if i.trace is not None or i.journal is None:
        return None
    if id(info.node) in i.ledger.of(Costs).fruitless and not _constructs(i, ref, args):
        reach = reach_of(i, (ref, *args.values), whole=True)
        return None if reach.writes_traced else reach
    if not _is_costly(i, ref, info.node, args):
        return None
    reach = reach_of(i, (ref, *args.values))
    if not reach.compiled:
        return reach
    i.ledger.of(Costs).reaching.add(id(info.node))
    return None


def costly(i: Interpreter) -> None:
    """Take back the outermost activation of a function that has cost much and reaches nothing compiled, or the innermost one if its body has cost
    much and nothing that it does has reached something compiled. Traces, and what leads to one, run to their end."""
    i.limit = max(0, i.steps - SAMPLED)
    if i.trace is not None:
        return
    for number, start in enumerate(i.starts):
        until = next((inner.steps for inner in i.starts[number + 1 :] if inner.makes), i.steps)
        if not _is_costly(i, start.function, start.node, start.args, start.steps - until):
            continue
        reach = reach_of(i, (start.function, *start.args.values))
        if not reach.compiled:
            start.reaching = reach
            raise TakenBack(start, recursive=False)
        i.ledger.of(Costs).reaching.add(id(start.node))
    _fruitless(i)


def _fruitless(i: Interpreter) -> None:
    """Take back the innermost activation if the body of its function has cost much and brought about no fact."""
    frame = next((frame for frame in reversed(i.stack) if frame.function is not None), None)
    if frame is None or not i.starts or i.starts[-1].node is not frame.node or i.ledger.of(Costs).free:
        return
    start, costs = i.starts[-1], i.ledger.of(Costs)
    costs.own[id(start.node)] += SAMPLED
    if costs.own[id(start.node)] < MAX_FRUITLESS or id(start.node) in costs.fruitful or _constructs(i, start.function, start.args):
        return
    reach = reach_of(i, (start.function, *start.args.values), whole=True)
    if reach.writes_traced:  # what it writes is what is looked for
        costs.fruitful.add(id(start.node))
        return
    costs.fruitless.add(id(start.node))
    start.reaching = reach
    raise TakenBack(start, recursive=False)


def _as_library(i: Interpreter, info: FunctionInfo, args: Arguments, reach: Reach, place: Place, caller: Frame) -> Value:
    """The call of a function of the program that is not followed, as one of a library without a model. It may set the attributes that it names and
    the names of blocks around it, to any value at all where it may reach something compiled; and change what it holds in place."""
    if reach.compiled:
        _leave_open(i, reach, place)
    else:
        i.imprecise("a call that reaches nothing compiled, and costs too much", place)
    if i.heap.recording is not None:
        i.heap.recording.reads |= reach.reads()
    i.mlx.handed(i, args.values, place, caller)
    anything = Unknown("a call that costs too much") if reach.compiled else None
    for oid, ways in reach.mutated.items():
        overwrite(i, oid, ways, anything, place)
    for oid, name in reach.assigned():
        present = i.heap.get(oid, name)
        if anything is not None:
            i.heap.set(oid, name, anything)
            continue
        # Where rounds brought about numbers without end, what is set goes on as they do.
        counts = present is not None and _is_counter(present)
        unknown = i.symbolic(place, f"sets {name}", name, frozenset(("int",)) if counts else None, "counter" if counts else "")
        i.ledger.of(Costs).given_up.add(unknown.identity)
        i.heap.set(oid, name, unknown if present is None else join((present, unknown)))
    i.may_raise()
    given = i.symbolic(place, "call", info.name)
    i.ledger.of(Costs).given_up.add(given.identity)
    return given


def _leave_open(i: Interpreter, reach: Reach, place: Place) -> None:
    """Note that a call may come to something compiled, and is not followed: of each compiled object that it leads to nobody knows how else it is called, and
    of all of the file that is analysed if something may be compiled in that."""
    reason = "a call that costs too much, and came to nothing compiled so far"
    if i.main is None or not reach.compiling.isdisjoint((ANY, i.main.name)):
        i.unsure(reason, place)
        return
    i.imprecise(reason, place)
    for oid in reach.compiled_objects() if not i.silent else ():
        record = events.Note(events.UNFOLLOWED, where(place), reason, oid, events.Modality())
        i.doubting(partial(journal(i).note, record), record)


def _is_counter(value: Value) -> bool:
    """Whether a value is integers alone, of which rounds have brought about more and more."""
    found = list(members(value))
    endless = any(isinstance(member, Range) and (member.low is None or member.high is None) for member in found)
    return endless and all(scalar_type(member) == "int" for member in found)


def _single(i: Interpreter, value: Value) -> bool:
    """Whether a value is one constant or object: recursion on such values ends where the program's does, and is run for a while."""
    todo, seen = [value], set()
    while todo:
        part = todo.pop()
        if isinstance(part, Tuple):
            if part.items is None:
                return False
            if id(part) not in seen:
                seen.add(id(part))
                todo.extend(part.items)
        elif isinstance(part, Ref):
            if i.info(part.oid).summary:
                return False
        elif not isinstance(part, (Const, External, Bound, Array)):
            return False
    return True


def run_body(i: Interpreter, info: FunctionInfo, frame: Frame) -> Value:
    """Run the body of an activation. What it reads may be used later, also if what it returns is only told: it may keep that."""
    i.stack.append(frame)
    ran = i.ledger.of(Ran)
    ran.functions.add(id(info.node))
    ran.objects.add(frame.function)
    reads_unused, i.modes.reads_unused = i.modes.reads_unused, False
    if i.observer is not None:
        i.observer.entered(frame, info.node)
    try:
        value = _returned(i, info, frame)
    finally:
        i.modes.reads_unused = reads_unused
        i.stack.pop()
    if i.observer is not None and not info.generator and not info.is_async:
        i.observer.returned(frame, info.node, value)
    return value


def _returned(i: Interpreter, info: FunctionInfo, frame: Frame) -> Value:
    """The join of what the body returns."""
    if isinstance(info.node, ir.Lambda):
        value = i.eval(info.node.body, frame)
        i.operations.returned(i, info.node.body, value, frame)
        return value
    with i.leaving() as target:
        frame.returns = target
        i.execute(info.node.body, frame)
        i.reach(target, NONE)
    if len(target.arrived) == 1:
        i.path = target.arrived[0][2]
    return i.arrive(target)


def _recursive(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments, place: Place, caller: Frame) -> Value:
    """Recursion as a fixpoint."""

    def run(given: Arguments) -> Value:
        with i.within(("call", place, ref.oid, "recursion")):
            return run_body(i, info, activation(i, ref, info, given, place, caller))

    steps = i.steps
    key = (id(info.node), i.trace)
    if i.heap.recording is not None:
        i.heap.recording.recursions.add(key)
    known = i.approximations.get(key)
    if known is not None:
        return recursion.come_to(i, known, args)
    try:
        return recursion.fixpoint(i, key, args, run, (ref, place))
    finally:
        costs = i.ledger.of(Costs)
        costs.aside[id(info.node)] += 0 if costs.free else steps - i.steps


def activation(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments, place: Place, caller: Frame) -> Frame:
    """A new frame with the parameters bound. Raises as Python does where the arguments do not fit."""
    node = info.node
    scope = i.project.once(info.source).of(_with_params, node)
    oid = i.allocate(
        "frame",
        FrameInfo("function", scope, info.source, info.qualname, info.module, node if isinstance(node, ir.FuncDef) else None),
        Place(info.source, node.start, node.end),
    )
    frame = Frame(oid, "function", info.source, info.qualname, scope, info.module, caller)
    frame.called_at = place
    frame.function = ref.oid
    frame.node = node
    env = i.heap.get(ref.oid, ENV)
    if env is not None:
        i.heap.set(oid, ENV, env)
    cls = i.heap.get(ref.oid, ("#", "cls"))
    if isinstance(cls, Ref):
        frame.cls = cls.oid
        i.heap.set(oid, "__class__", cls)
    frame.first = node.params[0].name if node.params and not node.params[0].star else None
    bind_parameters(i, ref, node, args, place, frame)
    return frame


def _with_params(node: ir.FuncDef | ir.Lambda) -> ir.Scope:
    """The scope of a body with its parameters among the names."""
    return ir.Scope(node.scope.bound | {param.name for param in node.params}, node.scope.globals, node.scope.nonlocals)


def _spread(node: ir.FuncDef | ir.Lambda, args: Arguments) -> list[Value]:
    """What a star of unknown length and the arguments behind it give, where the function takes one number of arguments: that says how many the star has."""
    if not args.behind or args.kwstar is not None:
        return []
    wanted = [param for param in node.params if not param.kwonly and param.star != "**" and param.name not in args.keywords]
    if any(param.star or param.default is not None for param in wanted):
        return []
    alone, *behind = args.behind
    of_star = len(wanted) - len(args.args) - len(behind)
    return [alone] * of_star + behind if of_star >= 0 else []


def bind_parameters(i: Interpreter, ref: Ref, node: ir.FuncDef | ir.Lambda, args: Arguments, place: Place, frame: Frame) -> None:
    """Bind each parameter to its argument, its default, or what a star may hold."""
    positional = list(args.args)
    keywords = dict(args.keywords)
    spread = _spread(node, args)
    positional += spread
    unknown = None if spread else args.star
    open_ended = unknown is not None or args.unnamed is not None
    taken = 0
    for param in node.params:
        value: Value | None = None
        if param.star == "*":
            if unknown is not None and args.is_given:
                value = Tuple(None, join([*positional, unknown]), least=len(positional), given="part" if positional else "whole")
            elif unknown is not None:
                value = Tuple(None, join([*positional, unknown]))
            else:
                value = Tuple(tuple(positional))
                if len(args.places) == len(args.args) and not spread:
                    first = len(args.args) - len(positional)
                    frame.handed[param.star + param.name] = [("", *pair) for pair in zip(positional, args.places[first:])]
            positional = []
        elif param.star == "**":
            wanted = {other.name for other in node.params if not other.posonly and not other.star}
            left = {name: held for name, held in args.named.items() if name not in wanted}
            value = _keywords_left(i, param, {**keywords, **left}, args, frame)
            keywords = {}
        elif positional and not param.kwonly:
            value = positional.pop(0)
            if param.name in keywords and not param.posonly:
                throw_named(i, "builtins.TypeError", place)
        elif param.name in keywords and not param.posonly:
            value = keywords.pop(param.name)
        else:
            rest = [part for part in (None if param.kwonly else unknown, args.unnamed) if part is not None]
            if args.is_given:
                rest = [given_stars.item(i, part, param.name if part is args.unnamed else taken, place) for part in rest]
                taken += 1
            elif args.unnamed is not None:
                rest[-1] = open_entries.at_key(i, args.unnamed, Const(param.name), place)
            left_out = partial(_not_passed, i, ref, param, rest, args, place, frame, open_ended=open_ended)
            value = unless_named(i, args, param.name, left_out)
        if param.annotation is not None and i.trace is not None and not param.star:
            value = presumptions.handed(i, ref, param, value)
        i.heap.set(frame.oid, param.name, value)
        if i.observer is not None:
            i.observer.parameter(frame, param, value)
    if (positional or keywords) and not open_ended and args.kwstar is None:
        throw_named(i, "builtins.TypeError", place)


def _keywords_left(i: Interpreter, param: ir.Param, keywords: dict[str, Value], args: Arguments, frame: Frame) -> Ref:
    """Make the dict of a `**` parameter: of the keywords that no other parameter takes, and of what a `**` argument holds."""
    place = Place(frame.source, param.start, param.end)
    oid = i.allocate("dict", None, place, "kwargs")
    for name, given in keywords.items():
        put(i, oid, Const(name), given)
    if args.unnamed is not None:
        i.heap.set(oid, ("#", "rest"), args.unnamed)
        i.heap.set(oid, ("#", "restkey"), open_entries.keys_of(i, args.unnamed, place))
        if args.is_given:
            given_stars.mark(i, oid, param.name, args.unnamed)
    written = args.keyword_places
    frame.handed[param.star + param.name] = [(name, given, written[name]) for name, given in keywords.items() if name in written]
    return Ref(oid)


def _not_passed(
    i: Interpreter, ref: Ref, param: ir.Param, rest: list[Value], args: Arguments, place: Place, frame: Frame, *, open_ended: bool
) -> Value:
    """The value of a parameter that no argument is written for: what stars may hold for it (`rest`), or its default. `open_ended`: a star may hold more
    than is known."""
    default = i.heap.get(ref.oid, ("default", param.name))
    if rest and args.is_given and isinstance(default, Const) and default != NONE:
        at = Place(frame.source, param.start, param.end)
        return i.symbolic(at, "parameter", param.name, frozenset((type(default.value).__name__,)), "parameter")
    if rest:
        return choices.any_of(i, [*rest, *([default] if default is not None else [])], place, param.name)
    if default is not None:
        at = Place(frame.source, param.start, param.start + len(param.name))
        i.operations.read(i, ref.oid, ("default", param.name), default, at, frame)
        return default
    if open_ended:
        return i.symbolic(Place(frame.source, param.start, param.end), "parameter", param.name)
    throw_named(i, "builtins.TypeError", place)
