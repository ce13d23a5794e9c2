"""The transfer functions of statements, one for each node of the IR."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from mxlint.domain.heap import Delta
from mxlint.domain.members import NONE, UNBOUND, External, Loops, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.domain.varying import united
from mxlint.interpreter.compiled.output_only import only_outputs, unused
from mxlint.interpreter.compiled.portions import come_to, owner
from mxlint.interpreter.containers.elements import MAX_UNROLLED, UNROLLED
from mxlint.interpreter.generators.dying import dropped, let_go
from mxlint.interpreter.generators.sending import closed
from mxlint.interpreter.generators.stepping import can_step, runs_as_a_whole
from mxlint.interpreter.libraries import replaced
from mxlint.interpreter.loops import lengths, novelty
from mxlint.interpreter.loops.counted import Counted
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.loops.entrywise import Binding
from mxlint.interpreter.loops.fixpoint import repeat
from mxlint.interpreter.loops.forgetting import dead, forget
from mxlint.interpreter.loops.iteration import iterate
from mxlint.interpreter.loops.progress import is_nearer
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.exceptions import handled_error, throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import KEPT
from mxlint.interpreter.machine.paths import Path
from mxlint.interpreter.machine.private import mangled
from mxlint.interpreter.machine.targets import Target
from mxlint.interpreter.objects.setting import delete_attribute
from mxlint.interpreter.statements.binding import (
    Deleted,
    assign,
    branch,
    in_place,
    is_fed_by_no_number,
    keeps_parts,
    on_truth,
    owner_of,
    store,
)
from mxlint.interpreter.statements.conditions import tested
from mxlint.interpreter.statements.handlers import guarded, try_statement, with_statement
from mxlint.interpreter.statements.managers import entered
from mxlint.interpreter.statements.narrowing import constant
from mxlint.interpreter.statements.patterns import match_pattern
from mxlint.interpreter.statements.recovering import recovered
from mxlint.interpreter.statements.unpacking import unpack
from mxlint.syntax import ir
from mxlint.syntax.liveness import names_read

MAX_TRIED: Final = 2_000
"""Steps that the rounds of a loop without a test may take together, to see whether it ends."""


def execute(i: Interpreter, body: Sequence[ir.Stmt], frame: Frame) -> None:
    """Run statements one after another. Raises `Halt` if no state goes on after them."""
    recovering = i.recovery is not None and frame.kind in ("module", "class")
    for statement in body:
        i.steps -= 1
        if i.observer is not None:
            i.observer.reached(frame, statement)
        made, mark = len(i.generators), i.heap.mark()
        if recovering:
            recovered(i, statement, frame, _STATEMENTS[type(statement)])
        else:
            _STATEMENTS[type(statement)](i, statement, frame)
        if len(i.generators) > made:
            let_go(i, i.generators[made:], mark, (), frame.place(statement), frame)


def _assign(i: Interpreter, node: ir.Assign, frame: Frame) -> None:
    if (
        node.annotation is not None
        and frame.kind in ("class", "module")
        and len(node.targets) == 1
        and isinstance(node.targets[0], ir.Name)
    ):
        i.operations.annotated(i, node, frame)
    if node.value is None:
        return
    by_parts = i.trace is not None and all(keeps_parts(i, target, frame) for target in node.targets)
    value = _spread(i, node, frame)
    if value is None:
        value = i.part(node.value, frame) if by_parts else i.eval(node.value, frame)
    if i.apportions and any(isinstance(target, ir.Seq) for target in node.targets):
        value = come_to(i, value, frame.place(node.value))
    if i.trace is not None:
        i.trace.scalars.literals.update(frame.place(part) for target in node.targets for part in _unfed(i, target, node.value, frame))
    for target in node.targets:
        assign(i, target, value, frame)
    compiled = isinstance(value, Ref) and i.info(value.oid).kind == "compiled"
    if compiled and all(_is_never_read(i, target, frame) for target in node.targets):
        i.operations.discarded(i, node.value, value, frame)


def _is_never_read(i: Interpreter, target: ir.Expr, frame: Frame) -> bool:
    """Whether a target is a variable of a function that nothing in it reads."""
    if not isinstance(target, ir.Name) or not isinstance(frame.node, ir.FuncDef) or target.id not in frame.node.scope.bound:
        return False
    read = i.project.once(frame.source).of(names_read, frame.node)
    return read is not None and target.id not in read


def _unfed(i: Interpreter, target: ir.Expr, value: ir.Expr, frame: Frame) -> Iterator[ir.Expr]:
    """The targets to which something is assigned that no number feeds: of a display each item by itself."""
    items = target.items if isinstance(target, ir.Seq) else ()
    shown = value.items if isinstance(value, ir.Seq) and value.kind != "set" else ()
    if items and len(items) == len(shown) and not any(isinstance(part, ir.Starred) for part in (*items, *shown)):
        for inner, part in zip(items, shown):
            yield from _unfed(i, inner, part, frame)
    elif is_fed_by_no_number(i, value, frame):
        yield target


def _spread(i: Interpreter, node: ir.Assign, frame: Frame) -> Value | None:
    """The tuple of `a, b, c = *x, y`, of whose items the targets say how many are those of x; None for other statements."""
    target, shown = node.targets[0], node.value
    if len(node.targets) != 1 or not isinstance(target, ir.Seq) or not isinstance(shown, ir.Seq) or shown.kind == "set":
        return None
    stars = [number for number, item in enumerate(shown.items) if isinstance(item, ir.Starred)]
    count = len(target.items) - len(shown.items) + 1
    if len(stars) != 1 or count < 0 or any(isinstance(item, ir.Starred) for item in target.items):
        return None
    (at,) = stars
    items = [i.eval(item.value if isinstance(item, ir.Starred) else item, frame) for item in shown.items]
    items[at : at + 1] = unpack(i, items[at], count, None, frame.place(shown.items[at]), frame)
    return Tuple(tuple(items))


def _aug_assign(i: Interpreter, node: ir.AugAssign, frame: Frame) -> None:
    target = node.target
    place = frame.place(node)
    if isinstance(target, ir.Name):
        present = i.eval(target, frame)
        store(i, target.id, in_place(i, node.op, present, i.eval(node.value, frame), place, frame), frame, frame.place(target))
    elif isinstance(target, ir.Attr):
        owner = i.eval(target.value, frame)
        present = i.attribute(owner, target.name, frame.place(target), frame)
        i.set_attribute(owner, target.name, in_place(i, node.op, present, i.eval(node.value, frame), place, frame), place, frame)
    elif isinstance(target, ir.Sub):
        owner = i.eval(target.value, frame)
        index = i.eval(target.index, frame)
        present = i.operations.used(i, i.operations.item(i, owner, index, frame.place(target), frame), frame)
        i.operations.set_item(i, owner, index, in_place(i, node.op, present, i.eval(node.value, frame), place, frame), place, frame)


def _delete(i: Interpreter, node: ir.Delete, frame: Frame) -> None:
    for target in node.targets:
        if isinstance(target, ir.Name):
            oid = owner_of(i, target.id, frame)
            held = i.heap.get(oid, target.id) or UNBOUND
            i.heap.drop(oid, target.id)
            i.operations.written(i, oid, target.id, UNBOUND, frame.place(target), frame)
            i.ledger.of(Deleted).names.add((oid, target.id))
            dropped(i, held, frame.place(target), frame)
        elif isinstance(target, ir.Attr):
            for member in members(i.eval(target.value, frame)):
                if isinstance(member, Ref):
                    delete_attribute(i, member, mangled(i, target.name, frame), frame.place(target), frame)
                elif isinstance(member, External):
                    replaced.put(i, member.name, target.name, None, frame.place(target), frame)
        elif isinstance(target, ir.Sub):
            owner, index = i.eval(target.value, frame), i.eval(target.index, frame)
            i.operations.delete_item(i, owner, index, frame.place(target), frame)
        elif isinstance(target, ir.Seq):
            _delete(i, ir.Delete(target.start, target.end, target.items), frame)


def _if(i: Interpreter, node: ir.If, frame: Frame) -> None:
    def run() -> None:
        branch(i, node.test, frame, lambda: i.execute(node.body, frame), lambda: i.execute(node.orelse, frame))

    if i.trace is not None and not i.modes.reads_unused and only_outputs(i, node, frame):
        with unused(i):
            run()
    else:
        run()


def _while(i: Interpreter, node: ir.While, frame: Frame) -> None:
    mark = i.heap.mark()
    ended, breaks = Target(mark), Target(mark)
    base = i.path
    names = dead(i, frame).loops.get(id(node), ())
    forget(i, names, frame)
    i.targets += [ended, breaks]
    frame.breaks.append(breaks)

    def leave() -> None:
        i.leave(ended, NONE)

    def stop() -> None:
        raise Halt

    trace = i.trace
    operations, fewest, kept = (trace.operations, trace.fewest, len(trace.computed)) if trace is not None else (0, 0, 0)
    counted = Counted(i, frame.place(node))
    steady = False
    untested = _is_fixed(node.test)

    def body() -> None:
        i.ledger.of(Ends).paths[i.context] = i.path
        _body(i, node.body, frame)

    def step(otherwise: Callable[[], None] = leave) -> bool:
        """Run a round. Whether it either goes on or leaves the loop, and not both."""
        truth = tested(i, node.test, frame)
        on_truth(i, node.test, truth, frame, body, otherwise)
        forget(i, names, frame)
        return truth.outcome is not None and not (untested and breaks.arrived)

    place = frame.place(node)
    if trace is not None:
        trace.loops.append(place)
    lengths.begins(i, (place, "rest"), _moved_by_test(i, node.test, frame), counted=False)
    try:
        left = _breaks(node.body) or trace is not None and _returns(node.body)
        most = 0 if untested and not left else min(UNROLLED, MAX_UNROLLED // i.unrolled)
        try:
            rounds, goes_on, steady = _unrolled(i, step, counted, place, most, untested=untested)
            if goes_on and not rounds and most > 1:  # it has more rounds than these, and ends after the last one
                repeat(i, place, lambda: step(stop), certain=True, several=True)
                on_truth(i, node.test, tested(i, node.test, frame), frame, stop, leave)
            else:
                repeat(i, place, step, certain=True, ends=False, peeled=rounds > 0)
        except Halt:
            pass
    finally:
        frame.breaks.pop()
        i.targets.remove(ended)
        i.targets.remove(breaks)
        if trace is not None:
            trace.loops.pop()
    i.path = base
    total = counted.total() if steady else None
    if trace is not None and total is not None:
        trace.operations = max(trace.operations, operations + total[1])
        ended.fewest = trace.fewest = fewest + total[1]
        i.mlx.looped(i, trace, *total, kept, place, frame)
    i.heap.undo(mark)
    i.path = base
    _after(i, node.orelse, frame, ended, breaks, mark)
    lengths.ended(i, mark, (place, "rest"))


class _Unrolled(NamedTuple):
    """The first rounds of `while`, run one by one: how many of them stay, whether all of them went on, and whether others go on as they did."""

    rounds: int
    goes_on: bool
    steady: bool


def _unrolled(i: Interpreter, step: Callable[[], bool], counted: Counted, place: Place, most: int, *, untested: bool) -> _Unrolled:
    """Run the first rounds of `while` one by one, at most `most`, as long as each either goes on or leaves. If all of them went on, one round is to stand
    for all calls, and none of them stays, but what they have noted; in a trace, which is one call, they stay. Nor do those of a loop stay that tests nothing (`untested`) and comes
    no nearer to an end."""
    start, base, checkpoint = i.heap.mark(), i.path, i.checkpoint()
    if untested and most:
        i.ledger.of(Ends).endless.add(place)
    steps, rounds, one_way = i.steps, 0, True
    with i.unrolling(UNROLLED):
        while rounds < most and one_way:
            before = i.heap.mark()
            counted.round()
            with i.within((place, rounds)):
                one_way = step()
            rounds += 1
            if untested and ((steps - i.steps) * most > MAX_TRIED * rounds or rounds > 1 and not is_nearer(i, start, before)):
                break  # the rounds would be undone: it has no end in sight
    goes_on = 0 < rounds == most and one_way
    steady = goes_on and counted.goes_on(step)
    if goes_on and i.trace is None or untested and rounds > 1:
        i.heap.undo(start)
        if untested:
            i.forget(checkpoint)  # what the rounds of a loop that is tested have shown did happen
        i.path = base
        rounds = 0
    return _Unrolled(rounds, goes_on, steady)


def _is_fixed(test: ir.Expr) -> bool:
    """Whether a test asks nothing, as `True` and `not False`."""
    return isinstance(test, ir.Const) or isinstance(test, ir.Unary) and _is_fixed(test.operand)


def _moved_by_test(i: Interpreter, test: ir.Expr, frame: Frame) -> Loops:
    """The loops that move a number up to which a loop goes on: none, if it tests no such number."""
    todo: list[ir.Expr] = [test.left, *test.rights] if isinstance(test, ir.Compare) else []
    moved: list[Loops] = []
    while todo:
        part = todo.pop()
        if isinstance(part, ir.Bin):
            todo += (part.left, part.right)
        elif isinstance(part, (ir.Name, ir.Attr)) and (number := constant(i, part, frame)) is not None:
            moved.append(novelty.moving(i, number))
    return united(moved)


def _breaks(part: object) -> bool:
    """Whether a `break` in the body of a loop leaves that loop."""
    if isinstance(part, tuple):
        return any(map(_breaks, part))
    if isinstance(part, (ir.For, ir.While)):
        return _breaks(part.orelse)
    if isinstance(part, (ir.Expr, ir.FuncDef, ir.ClassDef)) or not isinstance(part, ir.Node):
        return False
    return isinstance(part, ir.Flow) and part.kind == "break" or any(_breaks(getattr(part, field)) for field in part.__match_args__)


def _returns(part: object) -> bool:
    """Whether a `return` leaves the body of a loop."""
    if isinstance(part, tuple):
        return any(map(_returns, part))
    if isinstance(part, (ir.Expr, ir.FuncDef, ir.ClassDef)) or not isinstance(part, ir.Node):
        return False
    return isinstance(part, ir.Return) or any(_returns(getattr(part, field)) for field in part.__match_args__)


def _after(i: Interpreter, orelse: ir.Body, frame: Frame, ended: Target, breaks: Target, mark: int) -> None:
    """Go on after a loop: from where it ended through its else, and from where it was left by break."""
    arrived: list[tuple[Delta, Value, Path]] = list(breaks.arrived)
    base = i.path
    if ended.arrived:
        try:
            i.arrive(ended)
            i.execute(orelse, frame)
            arrived.append((i.heap.changes(mark), NONE, base))
        except Halt:
            pass
        i.heap.undo(mark)
    i.path = base
    both = Target(mark)
    both.arrived = arrived
    i.arrive(both)


def _body(i: Interpreter, body: ir.Body, frame: Frame) -> None:
    """The body of a loop: states that `continue` arrive at its end."""
    target = Target(i.heap.mark())
    base = i.path
    i.targets.append(target)
    frame.continues.append(target)
    try:
        i.execute(body, frame)
        if target.arrived:
            i.reach(target, NONE)
        else:
            return
    except Halt:
        pass
    finally:
        frame.continues.pop()
        i.targets.remove(target)
    i.heap.undo(target.mark)
    i.path = base
    i.arrive(target)


def _onward(i: Interpreter, node: ir.Onward, frame: Frame) -> None:
    _for(i, node.loop, frame, node.round)


def _for(i: Interpreter, node: ir.For, frame: Frame, first: ir.Body = ()) -> None:
    """`first`: what is left of a round that has begun."""
    iterable = owner(i, node.iter, frame) if i.trace is not None and keeps_parts(i, node.target, frame) else i.eval(node.iter, frame)
    place = frame.place(node.iter)
    mark = i.heap.mark()
    base = i.path
    ended, breaks = Target(mark), Target(mark)
    names = dead(i, frame).loops.get(id(node), ())
    if not first:
        forget(i, names, frame)
    i.targets.append(breaks)
    frame.breaks.append(breaks)

    def consume(value: Value) -> None:
        assign(i, node.target, value, frame)
        _body(i, node.body, frame)
        forget(i, names, frame)

    def rounds() -> None:
        if first:
            _body(i, first, frame)
            forget(i, names, frame)
        iterate(i, iterable, Binding(node.target, frame, consume, _breaks(node.body) or _returns(node.body)), place, frame)

    try:
        dropped = _only_here(i, iterable, frame)
        if dropped is not None:
            guarded(i, lambda _: closed(i, dropped, place, frame), rounds, place, frame, swallows=False)
        else:
            rounds()
        ended.arrived.append((i.heap.changes(mark), NONE, base))
    except Halt:
        pass
    finally:
        frame.breaks.pop()
        i.targets.remove(breaks)
    i.heap.undo(mark)
    i.path = base
    if breaks.arrived and isinstance(iterable, Ref) and runs_as_a_whole(i, iterable):
        i.unsure("a generator that a loop leaves, and that cannot be gone on with", place)
    _after(i, node.orelse, frame, ended, breaks, mark)


def _only_here(i: Interpreter, iterable: Value, frame: Frame) -> Ref | None:
    """A generator that is run from yield to yield and that nothing else holds: it is closed where the loop over it is left."""
    if not isinstance(iterable, Ref) or i.info(iterable.oid).kind != "generator":
        return None
    if any(oid != frame.oid or not (isinstance(field, tuple) and field[0] == KEPT) for oid, field in i.heap.holders(iterable.oid)):
        return None
    return iterable if can_step(i, iterable) else None


def _flow(i: Interpreter, node: ir.Flow, frame: Frame) -> None:
    if node.kind == "break" and frame.breaks:
        i.leave(frame.breaks[-1], NONE)
    if node.kind == "continue" and frame.continues:
        i.leave(frame.continues[-1], NONE)


def _return(i: Interpreter, node: ir.Return, frame: Frame) -> None:
    value = i.part(node.value, frame) if node.value is not None else NONE
    i.operations.returned(i, node, value, frame)
    if i.observer is not None and isinstance(frame.node, ir.FuncDef) and not frame.node.generator and not frame.node.is_async:
        i.observer.returned(frame, frame.node, value)
    if frame.returns is not None:
        i.leave(frame.returns, value)
    raise Halt


def _raise(i: Interpreter, node: ir.Raise, frame: Frame) -> None:
    place = frame.place(node)
    if node.value is None:
        error = handled_error(i, frame)
        i.throw(error if error is not None else i.symbolic(place, "exception"))
        return
    value = i.eval(node.value, frame)
    for member in members(value):
        if isinstance(member, External) or isinstance(member, Ref) and i.info(member.oid).kind == "class":
            value = i.call(value, Arguments(), place, frame)
            break
    if node.cause is not None:
        cause = i.eval(node.cause, frame)
        for member in members(value):
            if isinstance(member, Ref):
                i.heap.set(member.oid, "__cause__", cause)
    context = handled_error(i, frame)
    for member in members(value) if context is not None else ():
        if isinstance(member, Ref) and member != context:
            i.heap.set(member.oid, "__context__", context or NONE)
    i.operations.raised(i, node, value, frame)
    i.throw(value)


def _assert(i: Interpreter, node: ir.Assert, frame: Frame) -> None:
    def fail() -> None:
        said = i.eval(node.message, frame) if node.message is not None else None
        i.operations.raised(i, node, External("builtins.AssertionError"), frame)
        throw_named(i, "builtins.AssertionError", frame.place(node), said)

    facts = i.journal
    before = dict(facts.relied) if facts is not None else {}
    branch(i, node.test, frame, lambda: None, fail)
    if facts is not None:
        facts.asserted(before)


def _match(i: Interpreter, node: ir.Match, frame: Frame) -> None:
    subject = i.part(node.subject, frame) if frame.kind == "function" else i.eval(node.subject, frame)
    _cases(i, node, 0, subject, frame)


def _cases(i: Interpreter, node: ir.Match, number: int, subject: Value, frame: Frame) -> None:
    if number == len(node.cases):
        return
    case = node.cases[number]
    place = frame.place(case)

    def fallen() -> None:
        _cases(i, node, number + 1, subject, frame)

    def matched() -> None:
        if case.guard is None:
            i.execute(case.body, frame)
        else:
            branch(i, case.guard, frame, lambda: i.execute(case.body, frame), fallen)

    truth = match_pattern(i, case.pattern, subject, place, frame)

    def then() -> Value:
        matched()
        return NONE

    def otherwise() -> Value:
        fallen()
        return NONE

    i.choose(truth, place, then, otherwise)


def _expression(i: Interpreter, node: ir.ExprStmt, frame: Frame) -> None:
    value = i.eval(node.value, frame)
    if not _is_given_a_lambda(node.value):  # nobody calls that later in the belief that it is compiled
        i.operations.discarded(i, node.value, value, frame)


def _is_given_a_lambda(call: ir.Expr) -> bool:
    return isinstance(call, ir.Call) and any(isinstance(arg.value, ir.Lambda) for arg in call.args)


def _function(i: Interpreter, node: ir.FuncDef, frame: Frame) -> None:
    value = i.operations.function(i, node, frame)
    store(i, node.name, value, frame, Place(frame.source, node.name_start, node.name_end))


def _class(i: Interpreter, node: ir.ClassDef, frame: Frame) -> None:
    value = i.operations.define_class(i, node, frame)
    store(i, node.name, value, frame, Place(frame.source, node.name_start, node.name_end))


def _import(i: Interpreter, node: ir.Import, frame: Frame) -> None:
    for number, (name, alias) in enumerate(node.names):
        value = i.operations.import_module(i, name, 0, frame, frame.place(node))
        if alias is None:
            value = i.operations.import_module(i, name.partition(".")[0], 0, frame, frame.place(node))
        store(i, alias or name.partition(".")[0], value, frame)
        if i.observer is not None:
            i.observer.imported(frame, node, number, value)


def _import_from(i: Interpreter, node: ir.ImportFrom, frame: Frame) -> None:
    i.operations.import_from(i, node, frame)


def _type_alias(i: Interpreter, node: ir.TypeAlias, frame: Frame) -> None:
    store(i, node.name, External("typing.TypeAliasType"), frame)


def _unknown(i: Interpreter, node: ir.UnknownStmt, frame: Frame) -> None:
    for name in node.binds:
        store(i, name, i.unknown(frame.place(node), "a statement that cannot be read"), frame)


_STATEMENTS: Final[dict[type, Any]] = {
    ir.ExprStmt: _expression,
    ir.Assign: _assign,
    ir.AugAssign: _aug_assign,
    ir.If: _if,
    ir.While: _while,
    ir.For: _for,
    ir.Onward: _onward,
    ir.Try: try_statement,
    ir.With: with_statement,
    ir.Entered: entered,
    ir.FuncDef: _function,
    ir.ClassDef: _class,
    ir.TypeAlias: _type_alias,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.Delete: _delete,
    ir.Flow: _flow,
    ir.Import: _import,
    ir.ImportFrom: _import_from,
    ir.Match: _match,
    ir.UnknownStmt: _unknown,
}
