"""Narrowing: what the outcome of a test says of the names in it.

Behind `if x is not None:` the value of `x` loses the member None, and behind `isinstance(x, list)` all members but lists. No member left means: not reached.
"""

from __future__ import annotations

from collections.abc import Callable

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.guards import Identity
from mxlint.domain.join import of
from mxlint.domain.members import (
    Const,
    Kind,
    Member,
    Option,
    Range,
    Ref,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    options,
    scalar_type,
)
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.facts.rows import AGAIN
from mxlint.interpreter.containers.builders import every_entry
from mxlint.interpreter.containers.elements import UNROLLED
from mxlint.interpreter.expressions import one_of_several
from mxlint.interpreter.expressions.names import find_name
from mxlint.interpreter.loops.lengths import asked
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.tested import Tested
from mxlint.interpreter.objects.lookup import CLASS, class_attribute, class_of, container
from mxlint.interpreter.objects.type_tests import instance_of, kinds_of_class
from mxlint.interpreter.open_world import ranks
from mxlint.interpreter.open_world.parameters import some_object
from mxlint.interpreter.open_world.shadows import shadow
from mxlint.syntax import ir


def assume(i: Interpreter, test: ir.Expr, outcome: bool, frame: Frame) -> None:
    """Narrow the names that a test is about. Raises `Halt` if no member allows the outcome."""
    if isinstance(test, ir.Unary) and test.op == "not":
        assume(i, test.operand, not outcome, frame)
    elif isinstance(test, ir.BoolOp):
        if (test.op == "and") is outcome:
            assume(i, test.left, outcome, frame)
            assume(i, test.right, outcome, frame)
    elif isinstance(test, (ir.Name, ir.Attr)):
        _narrow(i, test, lambda member: may_be(i, member, outcome), frame)
        asked(i, _held(i, test, frame))
        _filled(i, test, outcome, frame)
    elif isinstance(test, ir.Walrus):
        assume(i, test.target, outcome, frame)
    elif isinstance(test, ir.Compare) and len(test.ops) == 1:
        _comparison(i, test.left, test.ops[0], test.rights[0], outcome, frame)
    elif isinstance(test, ir.Call) and isinstance(test.func, ir.Name) and test.func.id == "isinstance" and len(test.args) == 2:
        _instance(i, test, outcome, frame)
    elif (measured := _measured(test)) is not None:
        asked(i, _held(i, measured, frame))
        _filled(i, measured, outcome, frame)


def may_be(i: Interpreter, member: Member, outcome: bool) -> Member | None:
    """The member as far as its truth may be `outcome`."""
    if isinstance(member, Unbound):
        return None
    if isinstance(member, Const):
        return member if bool(member.value) is outcome else None
    if isinstance(member, Range):
        if outcome:
            return member
        return Const(0) if (member.low is None or member.low <= 0) and (member.high is None or member.high >= 0) else None
    if isinstance(member, Kind) and member.type == "bool":
        return Const(outcome)
    if isinstance(member, Kind) and member.type == "NoneType":
        return None if outcome else member
    if isinstance(member, Symbolic) and member.kinds is not None and outcome and "NoneType" in member.kinds and len(member.kinds) > 1:
        return Symbolic(member.identity, member.kinds - {"NoneType"}, member.label, member.presumed, member.source)
    return member


def _narrow(i: Interpreter, target: ir.Expr, keep: Callable[[Member], Member | None], frame: Frame) -> None:
    where = location(i, target, frame, of_several=True)
    if where is None:
        return
    oid, field = where
    value = i.heap.get(oid, field)
    if value is None:
        return
    value = i.live(value)
    found = value.options if isinstance(value, Union) else (Option(value),)
    kept = []
    for option in found:
        of_class = isinstance(option.member, Unbound) and isinstance(target, ir.Attr)  # what the class has there was tested
        member = option.member if of_class else keep(option.member)
        if member is not None:
            kept.append(option if member is option.member else Option(member, option.guard))
    if not kept:
        raise Halt
    if len(kept) == len(found) and all(new is old for new, old in zip(kept, found)):
        return
    if not i.info(oid).summary:
        i.heap.set(oid, field, i.heap.only(kept[0]) if len(kept) == 1 else of(kept))
    else:
        one_of_several.say(i, target, Ref(oid), kept, frame)


def _filled(i: Interpreter, target: ir.Expr, outcome: bool, frame: Frame) -> None:
    """Whether anything is in a container of which it is not known how much is in it: a test says it of that object, wherever it is held."""
    held = _held(i, target, frame)
    ref = i.live(held) if held is not None else None
    if not isinstance(ref, Ref) or not (kind := container(i, ref)) or i.info(ref.oid).summary:
        return
    if kind == "dict":
        if not outcome:
            for field in every_entry(i, ref.oid):
                i.heap.drop(ref.oid, field)
        return
    content = i.heap.get(ref.oid, ITEMS)
    found = options(i.live(content)) if content is not None else ()
    if not any(isinstance(option.member, Tuple) and not option.member.shortest for option in found):
        return
    kept = [Option(member, option.guard) for option in found if (member := _as_filled(option.member, outcome)) is not None]
    if not kept:
        raise Halt
    i.heap.set(ref.oid, ITEMS, i.heap.only(kept[0]) if len(kept) == 1 else of(kept))


def _of_length(i: Interpreter, target: ir.Expr, length: int, frame: Frame) -> None:
    """A test says how many items a list has that the program fills: they are known one by one, wherever it is held."""
    held = _held(i, target, frame)
    ref = i.live(held) if held is not None else None
    content = i.heap.get(ref.oid, ITEMS) if isinstance(ref, Ref) and container(i, ref) == "list" else None
    if not isinstance(ref, Ref) or content is None or i.info(ref.oid).summary:
        return
    found = options(i.live(content))
    kept = [Option(member, option.guard) for option in found if (member := _as_long(option.member, length)) is not None]
    if kept and (len(kept) < len(found) or any(new.member is not old.member for new, old in zip(kept, found))):
        i.heap.set(ref.oid, ITEMS, i.heap.only(kept[0]) if len(kept) == 1 else of(kept))


def _as_long(member: Member, length: int) -> Member | None:
    """The content of a list as far as it may have so many items. Where nobody says what they are, one thing does not stand for each."""
    if not isinstance(member, Tuple) or member.given:
        return member
    if member.items is not None:
        return member if len(member.items) == length else None
    element = member.element
    if element is None or any(isinstance(part, (Symbolic, Unknown)) for part in each_part(element)):
        return member
    return Tuple((element,) * length, None, member.cls) if (member.least or 0) <= length else None


def _as_filled(member: Member, outcome: bool) -> Member | None:
    """The content of a container as far as it may hold something, or nothing."""
    if not isinstance(member, Tuple):
        return member
    if member.shortest:
        return member if outcome else None
    if member.items is not None:
        return None if outcome else member
    if not outcome:
        return Tuple((), None, member.cls)
    if member.least is None and not member.given:
        return member
    return Tuple(None, member.element, member.cls, 1, member.sources, "part" if member.given else "", member.loops, member.front)


def _measured(node: ir.Expr) -> ir.Expr | None:
    """Of what an expression asks for the length."""
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "len" and len(node.args) == 1:
        return node.args[0].value
    return None


def location(i: Interpreter, target: ir.Expr, frame: Frame, *, of_several: bool = False) -> tuple[int, str] | None:
    """Where the value of a name or attribute lies, if that is one place. `of_several`: the object may be one that stands for several."""
    if isinstance(target, ir.Name):
        oid = find_name(i, target.id, frame)
        return None if oid is None else (oid, target.id)
    if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name):
        inner = location(i, target.value, frame)
        if inner is None:
            return None
        owner = i.heap.get(*inner)
        if isinstance(owner, Ref) and (of_several or not i.info(owner.oid).summary) and i.heap.get(owner.oid, target.name) is not None:
            return owner.oid, target.name
    return None


def _comparison(i: Interpreter, left: ir.Expr, op: str, right: ir.Expr, outcome: bool, frame: Frame) -> None:
    if isinstance(left, ir.Walrus):
        left = left.target
    flipped = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    negated = {
        "<": ">=",
        ">": "<=",
        "<=": ">",
        ">=": "<",
        "==": "!=",
        "!=": "==",
        "is": "is not",
        "is not": "is",
        "in": "not in",
        "not in": "in",
    }
    if (op, outcome) in (("==", True), ("!=", False)):
        for target, other in ((left, right), (right, left)):
            number = constant(i, other, frame)
            if isinstance(number, Const) and isinstance(number.value, int) and (array := _ranked(i, target, frame)) is not None:
                ranks.learn(i, array, number.value)
    for target, other, operator in ((left, right, op), (right, left, flipped.get(op, op))):
        if (measured := _measured(target)) is not None and isinstance(number := constant(i, other, frame), Const):
            if not isinstance(number.value, int) or number.value <= AGAIN:  # a limit beyond leaves many lengths
                asked(i, _held(i, measured, frame))
            said = operator if outcome else negated.get(operator, operator)
            held = _holds_some(said, number.value)
            if held is not None:
                _filled(i, measured, held, frame)
            if i.trace is None and said == "==" and type(number.value) is int and 0 <= number.value <= UNROLLED:
                _of_length(i, measured, number.value, frame)
        if not isinstance(target, (ir.Name, ir.Attr)) or op in ("in", "not in") and target is right:
            continue
        effective = operator if outcome else negated[operator]
        bound = constant(i, other, frame)
        if effective in ("is", "is not", "==", "!=") and isinstance(bound, Const):
            if effective in ("==", "!=") and type(bound.value) is int:
                _note(i, target, bound.value, frame)
            _narrow(i, target, lambda member, e=effective, b=bound: _equal(member, b, e in ("is", "=="), e in ("is", "is not")), frame)  # type: ignore[misc]
        elif effective in ("<", "<=", ">", ">=") and bound is not None:
            if isinstance(bound, Const) and type(bound.value) is int:
                _note(i, target, bound.value, frame)
            _narrow(i, target, lambda member, e=effective, b=bound: _bounded(member, e, b), frame)  # type: ignore[misc]


def _holds_some(op: str, number: object) -> bool | None:
    """Whether what has a length of which a comparison with a number holds has anything in it; None if it does not say."""
    if not isinstance(number, int):
        return None
    if op in ("==", "<=", "<") and number == (1 if op == "<" else 0):
        return False
    return True if op in ("==", ">=") and number > 0 or op == ">" and number >= 0 or op == "!=" and number == 0 else None


def _ranked(i: Interpreter, node: ir.Expr, frame: Frame) -> int | None:
    """The array for whose rank a test asks: by `x.ndim`, by `len(x.shape)`, or by a name that holds such a number."""
    if isinstance(node, ir.Attr) and node.name == "ndim" and (array := _array(i, node.value, frame)) is not None:
        return array
    if (measured := _measured(node)) is not None:
        if isinstance(measured, ir.Attr) and measured.name == "shape" and (array := _array(i, measured.value, frame)) is not None:
            return array
        shape = _held(i, measured, frame)
        return shape.ident if isinstance(shape, ShapeOf) and shape.is_whole else None
    return ranks.subject(_held(i, node, frame))


def _array(i: Interpreter, node: ir.Expr, frame: Frame) -> int | None:
    """The array that an expression is, or what stands for one that is out of sight."""
    value = _held(i, node, frame)
    if isinstance(value, Symbolic) and i.trace is None:
        return shadow(i, value, frame.place(node))
    return value.ident if isinstance(value, Array) else None


def _held(i: Interpreter, node: ir.Expr, frame: Frame) -> Value | None:
    """The value of a name or attribute, where reading it again has no effect."""
    where = location(i, node, frame)
    return i.heap.get(*where) if where is not None else None


def constant(i: Interpreter, node: ir.Expr, frame: Frame) -> Member | None:
    """The value of one side of a comparison, where reading it again has no effect: also what the class of an object says, if the file sets it nowhere else."""
    if isinstance(node, ir.Const):
        return Const(node.value)
    if (
        isinstance(node, ir.Unary)
        and node.op == "-"
        and isinstance(node.operand, ir.Const)
        and isinstance(node.operand.value, (int, float))
    ):
        return Const(-node.operand.value)
    value = _held(i, node, frame)
    if (
        value is None
        and isinstance(node, ir.Attr)
        and isinstance(owner := _held(i, node.value, frame), Ref)
        and not _is_set_again(i, node.name, frame)
    ):
        cls = class_of(i, owner) if i.info(owner.oid).kind == "instance" else owner
        value = class_attribute(i, cls, node.name) if cls is not None else None
    return value if isinstance(value, (Const, Range)) else None


def _is_set_again(i: Interpreter, name: str, frame: Frame) -> bool:
    """Whether the file of a frame sets an attribute of a name anywhere, or has two classes that say what it is: another object may have another one."""
    blocks = i.project.symbols(frame.source, i.tracers).blocks
    return any(name in block.writes for block in blocks) or sum(block.kind == "class" and name in block.binds for block in blocks) > 1


def _equal(member: Member, bound: Const, equal: bool, identity: bool) -> Member | None:
    if isinstance(member, Unbound):
        return None
    name = scalar_type(member)
    if isinstance(member, Const):
        if identity and (bound.value is None or isinstance(bound.value, bool)):
            return member if (member.value is bound.value) is equal else None
        # Equal constants may be one object or two.
        return member if (member.value == bound.value) is equal or identity and not equal else None
    if isinstance(member, Range) and isinstance(bound.value, int) and not isinstance(bound.value, bool):
        if equal:
            inside = (member.low is None or member.low <= bound.value) and (member.high is None or bound.value <= member.high)
            return bound if inside else None
        return _without_end(member, bound.value)
    if bound.value is None:
        if isinstance(member, Symbolic):
            if member.kinds is not None and "NoneType" not in member.kinds:
                return None if equal else member
            if equal:
                return Const(None)
            return (
                Symbolic(member.identity, member.kinds - {"NoneType"}, member.label, member.presumed, member.source)
                if member.kinds is not None
                else member
            )
        if name is not None and name != "NoneType":
            return None if equal else member
        if identity and name is None and not _unknown(member):
            return None if equal else member
        return member
    if equal and isinstance(member, Kind) and name == type(bound.value).__name__:
        return bound
    if equal and isinstance(member, Symbolic) and member.kinds is not None and type(bound.value).__name__ not in member.kinds:
        return None if not {"int", "float", "bool", "number"} & member.kinds else member
    return member


def _without_end(member: Range, number: int) -> Member:
    """The numbers of a step that are not this one, where that is the first or the last of them."""
    low, high = member.low, member.high
    low = low + member.stride if low == number and low is not None else low
    high = high - member.stride if high == number and high is not None else high
    if low is not None and low == high:
        return Const(low)
    return member if (low, high) == (member.low, member.high) else Range(low, high, member.stride, member.loops)


def _note(i: Interpreter, target: ir.Expr, number: int, frame: Frame) -> None:
    """Keep with which number a name or attribute is compared: a loop that counts it up may end, or begin anew, there."""
    where = location(i, target, frame)
    if where is not None:
        i.ledger.of(Tested).numbers.setdefault(where, set()).add(number)


def _unknown(member: Member) -> bool:
    return isinstance(member, Unknown)


def _bounded(member: Member, op: str, bound: Member) -> Member | None:
    """The member as far as `member op bound` holds."""
    if isinstance(bound, Const) and isinstance(bound.value, int):
        low = high = int(bound.value)
    elif isinstance(bound, Range):
        if bound.low is None and bound.high is None:
            return member
        low, high = bound.low, bound.high  # type: ignore[assignment]
    else:
        return member
    if isinstance(member, Const) and isinstance(member.value, int):
        if op in ("<", "<=") and high is not None and not (member.value < high or op == "<=" and member.value == high):
            return None
        if op in (">", ">=") and low is not None and not (member.value > low or op == ">=" and member.value == low):
            return None
        return member
    if isinstance(member, Range):
        new_low, new_high, stride = member.low, member.high, member.stride
        if op in ("<", "<=") and high is not None:
            limit = high - 1 if op == "<" else high
            if new_low is not None and stride > 1:
                limit = new_low + (limit - new_low) // stride * stride
            new_high = limit if new_high is None else min(new_high, limit)
        if op in (">", ">=") and low is not None:
            limit = low + 1 if op == ">" else low
            if new_low is not None and stride > 1 and limit > new_low:
                limit = new_low + -(-(limit - new_low) // stride) * stride
            new_low = limit if new_low is None else max(new_low, limit)
        if new_low is not None and new_high is not None:
            if new_low > new_high:
                return None
            if new_low == new_high:
                return Const(new_low)
        return Range(new_low, new_high, stride, member.loops)
    return member


def _instance(i: Interpreter, test: ir.Call, outcome: bool, frame: Frame) -> None:
    target = test.args[0].value
    if not isinstance(target, (ir.Name, ir.Attr)):
        return
    cls: Value = i.eval(test.args[1].value, frame)

    def keep(member: Member) -> Member | None:
        answer = instance_of(i, member, cls)
        if answer is None:
            if outcome and isinstance(member, Symbolic):
                kinds = kinds_of_class(cls)
                if kinds is not None:
                    return Symbolic(member.identity, kinds, member.label, "", member.source)
                return _of_class(i, member, cls, frame.place(test)) or member
            return member
        return member if answer is outcome else None

    _narrow(i, target, keep, frame)


class _Tested:
    """The objects that things given from outside are where a test says of which class they are, by these things and the classes."""

    __slots__ = ("objects",)

    def __init__(self) -> None:
        self.objects: dict[tuple[Identity, int], Ref] = {}


def _of_class(i: Interpreter, member: Symbolic, cls: Value, place: Place) -> Member | None:
    """An object of a class in sight, of which a test says that something is one that is given from outside: as an annotation does."""
    if i.trace is not None or member.source != "parameter" or not isinstance(cls, Ref):
        return None
    known = i.ledger.of(_Tested).objects
    made: Value | None = known.get((member.identity, cls.oid))
    if not isinstance(made, Ref) or i.heap.get(made.oid, CLASS) is None:  # the state in which it was made may be undone
        made = some_object(i, cls, place)
    if not isinstance(made, Ref):
        return None
    known[member.identity, cls.oid] = made
    return made
