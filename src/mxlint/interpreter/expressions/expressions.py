"""The transfer functions of expressions, one for each node of the IR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from mxlint.domain.arrays import Array
from mxlint.domain.join import bound, join
from mxlint.domain.members import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Const,
    External,
    Kind,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unknown,
    Value,
    members,
)
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.portions import LEN, READERS, asked, compared, hands_on, measured, scalar, whole_but_tuples
from mxlint.interpreter.compiled.portions import owner as owner_of
from mxlint.interpreter.compiled.scalars import called, joined, plain, shown_of, sources
from mxlint.interpreter.containers.builders import concatenated, hashed, new_list, new_set, put
from mxlint.interpreter.containers.merging import merge
from mxlint.interpreter.expressions import one_of_several
from mxlint.interpreter.expressions.arithmetic import MAX_BITS
from mxlint.interpreter.expressions.keywords import each_way, spread
from mxlint.interpreter.expressions.names import read_name
from mxlint.interpreter.expressions.operators import binary, unary
from mxlint.interpreter.expressions.outcomes import ISINSTANCE
from mxlint.interpreter.expressions.templates import Piece, filled
from mxlint.interpreter.expressions.text import Asking, Way, not_spelled, text_of
from mxlint.interpreter.generators.advancing import next_or
from mxlint.interpreter.generators.awaiting import awaited
from mxlint.interpreter.generators.iterators import RETURNED, new_iterator
from mxlint.interpreter.loops import lengths, looked, outcomes
from mxlint.interpreter.loops.comprehensions import comprehension
from mxlint.interpreter.loops.entrywise import given
from mxlint.interpreter.loops.iteration import collected, listed
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import KEPT
from mxlint.interpreter.machine.paths import Path
from mxlint.interpreter.machine.targets import Target
from mxlint.interpreter.statements.binding import is_fed_by_no_number, keeps_parts, store
from mxlint.interpreter.statements.conditions import bool_op, stopping, tested
from mxlint.interpreter.statements.narrowing import assume
from mxlint.models.load import model
from mxlint.syntax import ir


def evaluate(i: Interpreter, node: ir.Expr, frame: Frame) -> Value:
    """The value of an expression."""
    return _EXPRESSIONS[type(node)](i, node, frame)  # type: ignore[no-any-return]


def _name(i: Interpreter, node: ir.Name, frame: Frame) -> Value:
    return read_name(i, node.id, frame, node)


def _const(i: Interpreter, node: ir.Const, frame: Frame) -> Value:
    if isinstance(node.value, int) and node.value.bit_length() > MAX_BITS:  # Python may be unable to print it
        return Kind("int", "imprecise")
    return Const(node.value)


def _attr(i: Interpreter, node: ir.Attr, frame: Frame) -> Value:
    owner = owner_of(i, node.value, frame)
    value = i.operations.attribute(i, owner, node.name, frame.place(node), frame)
    return one_of_several.read(i, node, owner, value, frame) if frame.said_of else value


def _slice(i: Interpreter, node: ir.Slice, frame: Frame) -> Value:
    return Slice(*(NONE if part is None else i.eval(part, frame) for part in (node.lower, node.upper, node.step)))


def _starred(i: Interpreter, node: ir.Starred, frame: Frame) -> Value:
    return i.eval(node.value, frame)


def _sub(i: Interpreter, node: ir.Sub, frame: Frame) -> Value:
    if isinstance(node.index, ir.Const) and isinstance(node.value, (ir.Name, ir.Attr)):
        i.modes.taking = Const(node.index.value)
    try:
        owner = owner_of(i, node.value, frame)
    finally:
        i.modes.taking = None
    return i.operations.item(i, owner, i.eval(node.index, frame), frame.place(node), frame)


def _bin(i: Interpreter, node: ir.Bin, frame: Frame) -> Value:
    left = scalar(i, node.left, frame)
    return binary(i, node.op, left, scalar(i, node.right, frame), frame.place(node), frame)


def _unary_node(i: Interpreter, node: ir.Unary, frame: Frame) -> Value:
    if node.op != "not":
        return unary(i, node.op, i.eval(node.operand, frame), frame.place(node), frame)
    truth = tested(i, node.operand, frame)
    if truth.outcome is not None:
        return Const(not truth.outcome)
    if truth.literal is not None:
        identity = truth.literal.condition
        return Symbolic(("not", identity) if truth.literal.outcome else identity, frozenset(("bool",)))
    if truth.cause == "open":
        return i.choose(truth, frame.place(node.operand), lambda: FALSE, lambda: TRUE)
    return Kind("bool", truth.cause or "imprecise")


def _bool_op(i: Interpreter, node: ir.BoolOp, frame: Frame) -> Value:
    return bool_op(i, node, frame, partial(scalar, i), stopping)


def _compare(i: Interpreter, node: ir.Compare, frame: Frame) -> Value:
    with looked.looking(i) as asking:
        value = _compared(i, node, frame)
    looked.also(i, asking)
    return value


def _compared(i: Interpreter, node: ir.Compare, frame: Frame) -> Value:
    if i.trace is not None and node.ops[0] in ("is", "is not") and isinstance(node.rights[0], ir.Const) and node.rights[0].value is None:
        left = i.part(node.left, frame)
        asked(i, left, frame.place(node.left), frame)
    else:
        left = compared(i, node.left, frame)
    return _chain(i, node, 0, left, frame)


def _chain(i: Interpreter, node: ir.Compare, number: int, left: Value, frame: Frame) -> Value:
    right = compared(i, node.rights[number], frame)
    start = node.left if number == 0 else node.rights[number - 1]
    place = frame.place(ir.Expr(start.start, node.rights[number].end))
    found = binary(i, node.ops[number], left, right, place, frame)
    looked.limited(i, (left, right))
    if i.trace is None and not isinstance(found, Const):
        outcomes.asks(i, left, node.ops[number], right)
    if number + 1 == len(node.ops):
        return found
    truth = i.truth(found, place, frame)
    return i.choose(truth, place, lambda: _chain(i, node, number + 1, right, frame), lambda: found)


def _if_exp(i: Interpreter, node: ir.IfExp, frame: Frame) -> Value:
    place = frame.place(node.test)
    with looked.looking(i) as asking:
        truth = tested(i, node.test, frame)

    def then() -> Value:
        looked.decides(i, truth, asking)
        assume(i, node.test, True, frame)
        return i.part(node.body, frame)

    def otherwise() -> Value:
        looked.decides(i, truth, asking)
        assume(i, node.test, False, frame)
        return i.part(node.orelse, frame)

    return i.choose(truth, place, then, otherwise)


def _walrus(i: Interpreter, node: ir.Walrus, frame: Frame) -> Value:
    target = frame
    while target.kind == "comprehension" and target.caller is not None:
        target = target.caller
    value = scalar(i, node.value, frame) if keeps_parts(i, node.target, target) else i.eval(node.value, frame)
    if i.trace is not None and is_fed_by_no_number(i, node.value, frame):
        i.trace.scalars.literals.add(frame.place(node.target))
    store(i, node.target.id, value, target, frame.place(node.target))
    return value


def _call(i: Interpreter, node: ir.Call, frame: Frame) -> Value:
    place = frame.place(node)
    function = i.eval(node.func, frame)
    args = given(i, function, node, frame, lambda: arguments(i, node.args, frame, node, _evaluate(i, function)))

    def call(args: Arguments) -> Value:
        if i.trace is not None and _is_folded(function) and any(map(sources, (*args.args, *args.keywords.values()))):
            return _of_scalars(i, function, args, place, frame)
        return i.operations.call(i, function, args, place, frame)

    return each_way(i, args, call)


def _evaluate(i: Interpreter, function: Value) -> Callable[[ir.Expr, Frame], Value]:
    """How the arguments of a call are evaluated: in a trace as parts, if the function uses nothing of them by itself."""
    if i.trace is None:
        return i.eval
    if hands_on(i, function):
        return i.part
    if function == LEN:
        return partial(measured, i)
    return partial(whole_but_tuples, i) if function in READERS else partial(scalar, i) if _is_folded(function) else i.eval


def _is_folded(function: Value) -> bool:
    """Whether a function of a library only computes something of constants, or asks for their class."""
    if not isinstance(function, External) or function in READERS and function != LEN:
        return False
    return function.name == ISINSTANCE or (found := model(function.name)) is not None and found.fold != "no"


def _of_scalars(i: Interpreter, function: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """A call of such a function with scalars that lie somewhere: what comes of it lies there, too, if it is a scalar itself."""
    assert isinstance(function, External)
    made = called(i, function.name, args.args) if not args.keywords and args.star is None and args.kwstar is None else None
    if made is None:
        for value in (*args.args, *args.keywords.values()):
            i.operations.used(i, value, frame)
    bare = Arguments(
        [plain(value) for value in args.args],
        {name: plain(value) for name, value in args.keywords.items()},
        args.star,
        args.kwstar,
        args.places,
        args.keyword_places,
        args.node,
    )
    bare.behind, bare.named, bare.unnamed = args.behind, args.named, args.unnamed
    found = i.operations.call(i, function, bare, place, frame)
    if made is None or found == Const(made.value):
        return found if made is None else made
    for value in args.args:
        i.operations.used(i, value, frame)
    return found


def arguments(
    i: Interpreter,
    given: tuple[ir.Arg, ...],
    frame: Frame,
    node: ir.Call | None = None,
    evaluate: Callable[[ir.Expr, Frame], Value] | None = None,
) -> Arguments:
    """Evaluate the arguments of a call, in order. `evaluate`: how, if not as values of which everything is used."""
    args: list[Value] = []
    places: list[Any] = []
    keywords: dict[str, Value] = {}
    keyword_places: dict[str, Any] = {}
    star: Value | None = None
    kwstar: Value | None = None
    perhaps: dict[str, Value] = {}
    named: dict[str, Value] = {}
    stars, behind, spread_out = 0, list[Value](), list[tuple[Value, Place]]()
    all_given = True
    for arg in given:
        value = (evaluate or i.eval)(arg.value, frame) if not arg.star else i.eval(arg.value, frame)
        place = frame.place(arg.value)
        if arg.star == "*":
            content = (
                listed(i, value, place, frame)
                if not isinstance(value, (Symbolic, Unknown, Array))
                else Tuple(None, value if isinstance(value, Unknown) else i.symbolic(place, "element"))
            )
            if content.items is not None and star is None:
                args.extend(content.items)
                places.extend(_handed_on(arg, content.items, frame) or [place] * len(content.items))
            else:
                element = content.element if content.items is None else join(content.items) if content.items else None
                star = element if star is None else join([part for part in (star, element) if part is not None])
                stars += 1
                all_given = all_given and (isinstance(value, Symbolic) or content.given == "whole")
                spread_out.append((value, place))
                behind = [star] if star is not None else []
        elif arg.star == "**":
            rest = spread(i, value, keywords, keyword_places, perhaps, named, place, frame)
            kwstar = rest if kwstar is None else kwstar
            keyword_places |= {name: at for name, given, at in _handed(arg, frame) if keywords.get(name) == given}
        elif arg.name is not None:
            keywords[arg.name] = value
            keyword_places[arg.name] = place
        elif star is not None:
            star = join((star, value))
            behind.append(value)
        else:
            args.append(value)
            places.append(place)
    under_names = [held for value in named.values() if (held := bound(value)) is not None]
    every = join([*([] if kwstar is None else [kwstar]), *under_names]) if under_names else kwstar
    made = Arguments(args, keywords, star, every, places, keyword_places, node)
    made.named, made.unnamed = named, kwstar
    made.behind = tuple(behind) if stars == 1 and len(behind) > 1 else ()
    made.spread = tuple(spread_out)
    made.perhaps = perhaps
    made.is_given = all_given if star is not None else isinstance(kwstar, Symbolic)
    return made


def _handed(arg: ir.Arg, frame: Frame) -> Sequence[tuple[str, Value, Place]]:
    """What the caller wrote of what a function hands on as it was given it: `*args`, `**kwargs`."""
    return frame.handed.get(f"{arg.star}{arg.value.id}", ()) if isinstance(arg.value, ir.Name) else ()


def _handed_on(arg: ir.Arg, items: Sequence[Value], frame: Frame) -> list[Place] | None:
    """Where the caller wrote the items of `*args`; None if they are others by now."""
    handed = _handed(arg, frame)
    return [at for _, _, at in handed] if items and [given for _, given, _ in handed] == list(items) else None


def _lambda(i: Interpreter, node: ir.Lambda, frame: Frame) -> Value:
    return i.operations.function(i, node, frame)


def _seq(i: Interpreter, node: ir.Seq, frame: Frame) -> Value:
    content = Tuple(())
    spread: tuple[Value, ...] = ()
    for item in node.items:
        value = i.eval(item, frame)
        if isinstance(item, ir.Starred):
            spread = (*spread, value)
            part = (collected if node.kind == "set" else listed)(i, value, frame.place(item), frame)
        else:
            part = Tuple((value,))
            if node.kind == "set":
                hashed(i, value, frame.place(item), frame)
        content = concatenated(content, part)
    place = frame.place(node)
    if node.kind == "tuple":
        return content
    if node.kind == "set":
        return new_set(i, content, place)
    made = new_list(i, content, place)
    if spread:
        lengths.remade(i, made.oid, spread)
    return made


def _dict(i: Interpreter, node: ir.DictDisplay, frame: Frame) -> Value:
    oid = i.allocate("dict", None, frame.place(node))
    for key, item in node.items:
        if key is None:
            merge(i, oid, i.eval(item, frame), frame.place(item), frame)
        else:
            name = i.eval(key, frame)
            hashed(i, name, frame.place(key), frame)
            put(i, oid, name, i.eval(item, frame))
    return Ref(oid)


def _fstring(i: Interpreter, node: ir.FString, frame: Frame) -> Value:
    if node.template:
        for part in node.parts:
            if isinstance(part, ir.Format):
                i.eval(part.value, frame)
        return i.symbolic(frame.place(node), "template", kinds=frozenset(("string.templatelib.Template",)))
    text: Value = Const("")
    pieces: list[Piece] = []
    for part in node.parts:
        if isinstance(part, ir.Const):
            text = joined(i, text, Const(str(part.value)), frame)
            pieces.append(str(part.value))
            continue
        value = scalar(i, part.value, frame)
        asking = Asking("format", "f-string")
        spec = i.eval(part.spec, frame) if part.spec is not None else Const("")
        place = frame.place(part.value)
        if part.conversion:
            way: Way = "str" if part.conversion == "s" else "repr"
            shown = text_of(i, plain(value), way, place, frame, asking=asking)
            value = shown_of(i, f"builtins.{way}", (value,), shown, part.value, frame)
        shown = text_of(i, plain(value), "format", place, frame, spec, asking=asking)
        shown = shown_of(i, "builtins.format", (value, spec), shown, part.value, frame)
        pieces.append(shown)
        text = joined(i, text, shown, frame)
    shown_parts = [member for value in pieces if not isinstance(value, str) for member in members(value)]
    if isinstance(text, Const) or any(isinstance(member, Symbolic) for member in shown_parts):
        made = filled(i, pieces, frame.place(node))
        if made is not None or isinstance(text, Const):
            return made or text
    return not_spelled(pieces)


def _await(i: Interpreter, node: ir.Await, frame: Frame) -> Value:

    return awaited(i, i.eval(node.value, frame), frame.place(node), frame)


def _yield(i: Interpreter, node: ir.Yield, frame: Frame) -> Value:
    value = i.eval(node.value, frame) if node.value is not None else NONE
    if frame.consume is None:
        return i.symbolic(frame.place(node), "sent")
    if node.source:
        result: list[Value] = []
        i.operations.delegated(i, value, frame, frame.place(node), result)
        return join(result) if result else NONE
    frame.at = node.start
    return frame.consume(value)


def _kept(i: Interpreter, node: ir.Kept, frame: Frame) -> Value:
    field = (KEPT, node.number)
    if node.value is not None:
        place = frame.place(node)
        value = i.eval(node.value, frame)
        kinds = {i.info(member.oid).kind if isinstance(member, Ref) else "" for member in members(value)}
        if kinds.isdisjoint(("generator", "iterator", "instance")):
            value = new_iterator(i, "iter", (value,), place)
        elif not kinds <= {"generator", "iterator"}:
            value = i.operations.external(i, "builtins.iter", Arguments((value,), places=(place,)), place, frame)
        i.heap.set(frame.oid, field, value)
    return i.heap.get(frame.oid, field) or UNBOUND


def _forward(i: Interpreter, node: ir.Forward, frame: Frame) -> Value:
    assert frame.consume is not None
    frame.consume(UNBOUND)  # it arrives here
    inner = i.heap.get(frame.oid, (KEPT, node.number)) or UNBOUND
    after = Target(i.heap.mark())
    with i.leaving() as ended:
        i.reach(after, i.split(inner, lambda member: next_or(i, member, frame.given, ended, frame.place(node), frame)))
    ways: list[tuple[Path, Callable[[], Value]]] = []
    if after.arrived:
        ways.append(((), lambda: i.arrive(after)))
    if ended.arrived:
        ways.append(((), lambda: _broken(i, ended, frame)))
    return i.fork(ways)


def _broken(i: Interpreter, ended: Target, frame: Frame) -> Value:
    i.arrive(ended)
    i.leave(frame.breaks[-1], NONE)
    return NONE


def _returned(i: Interpreter, node: ir.Returned, frame: Frame) -> Value:
    made = i.heap.get(frame.oid, (KEPT, node.number)) or NONE
    return join([i.heap.get(member.oid, RETURNED) or NONE if isinstance(member, Ref) else NONE for member in members(made)])


def _opaque(i: Interpreter, node: ir.Opaque, frame: Frame) -> Value:
    return i.unknown(frame.place(node), "an expression that cannot be read")


_EXPRESSIONS: Final[dict[type, Any]] = {
    ir.Const: _const,
    ir.Name: _name,
    ir.Attr: _attr,
    ir.Slice: _slice,
    ir.Starred: _starred,
    ir.Sub: _sub,
    ir.Call: _call,
    ir.Bin: _bin,
    ir.Unary: _unary_node,
    ir.BoolOp: _bool_op,
    ir.Compare: _compare,
    ir.IfExp: _if_exp,
    ir.Lambda: _lambda,
    ir.Seq: _seq,
    ir.DictDisplay: _dict,
    ir.Comp: comprehension,
    ir.FString: _fstring,
    ir.Walrus: _walrus,
    ir.Await: _await,
    ir.Yield: _yield,
    ir.Kept: _kept,
    ir.Forward: _forward,
    ir.Returned: _returned,
    ir.Opaque: _opaque,
}
