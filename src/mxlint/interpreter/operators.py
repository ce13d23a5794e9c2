"""Operators on scalars and containers: folding constants, arithmetic on steps, the truth of a value."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

from mxlint.domain import size as sizes
from mxlint.domain.place import Place
from mxlint.domain.value import (
    FALSE,
    NONE,
    TRUE,
    Array,
    Bound,
    Const,
    External,
    Identity,
    Kind,
    Length,
    Literal_,
    Measure,
    Member,
    Range,
    RangeObject,
    Ref,
    ShapeOf,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    constant_range,
    join,
    members,
    options,
    scalar_type,
)
from mxlint.interpreter.constants import MISSING, python_value
from mxlint.interpreter.core import Arguments, Condition, Frame, Interpreter, Truth
from mxlint.interpreter.exceptions import throw_named
from mxlint.interpreter.lookup import special

FOLD: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "@": operator.matmul, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "is": operator.is_, "is not": operator.is_not, "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip
METHODS: Final = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul", "&": "and", "|": "or",
    "^": "xor", "<<": "lshift", ">>": "rshift", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip
"""Operators by the middle of their special method's name."""
REFLECTED: Final = {"<": "gt", "<=": "ge", ">": "lt", ">=": "le", "==": "eq", "!=": "ne"}
COMPARISONS: Final = frozenset(("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"))
NEGATED: Final = {"!=": "==", "is not": "is", "not in": "in", ">=": "<", "<=": ">"}
"""Comparisons that are told as the negation of another, so that both outcomes of one condition have one name."""
_NUMBERS: Final = ("bool", "int", "float", "complex")
MAX_TEXT: Final = 20_000
MAX_BITS: Final = 4_096


def binary(i: Interpreter, op: str, left: Value, right: Value, place: Place, frame: Frame) -> Value:
    """`left op right`."""
    left, right = i.live(left), i.live(right)
    if not isinstance(left, Union) and not isinstance(right, Union):
        return _pair(i, op, left, right, place, frame)
    i.place = place
    return i.split(left, lambda a: i.split(right, lambda b: _pair(i, op, a, b, place, frame)))


def _pair(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> Value:
    if op in ("is", "is not"):
        return _identity(i, op, a, b, place)
    if op in ("in", "not in"):
        return _contains(i, op, a, b, place, frame)
    if isinstance(a, Array) or isinstance(b, Array):
        name = f"__{METHODS[op]}__" if isinstance(a, Array) else f"__{REFLECTED.get(op) or 'r' + METHODS[op]}__"
        pair = (a, b) if isinstance(a, Array) else (b, a)
        if _is_numpy(i, a):
            i.operations.use(i, "converts", b, "numpy", place, frame)
        if isinstance(pair[1], (Array, Const, Range, Kind, Length, Measure, Symbolic, Unknown, Tuple, External)) or _is_operand(i, pair[1]):
            return i.operations.array(i, f"mlx.core.array.{name}", pair, place, frame)
    if isinstance(a, Const) and isinstance(b, Const):
        return fold(i, op, a, b, place)
    if op in COMPARISONS:
        for member in (a, b):
            if isinstance(member, (Length, Measure, ShapeOf)):
                i.operations.use(i, "compare", member, op, place, frame)
    methods = [
        (method, other)
        for owner, other, name in ((a, b, f"__{METHODS[op]}__"), (b, a, f"__{REFLECTED.get(op) or 'r' + METHODS[op]}__"))
        if (method := special(i, owner, name, place, frame)) is not None
    ]
    if op == "!=" and not methods and any(special(i, owner, "__eq__", place, frame) is not None for owner in (a, b)):
        return _opposite(i, _pair(i, "==", a, b, place, frame), place, frame)
    return _by_methods(i, op, methods, a, b, place, frame)


def _opposite(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    truth = i.truth(value, place, frame)
    return Const(not truth.outcome) if truth.outcome is not None else Kind("bool", truth.cause or "imprecise")


def _by_methods(i: Interpreter, op: str, methods: list[tuple[Value, Member]], a: Member, b: Member, place: Place, frame: Frame) -> Value:
    """The operator by the first special method that does not answer NotImplemented."""
    if not methods:
        return _builtin_pair(i, op, a, b, place, frame)
    (method, other), *rest = methods
    value = i.call(method, Arguments((other,), places=(place,)), place, frame)
    answers = [member for member in members(value) if member != NOT_IMPLEMENTED]
    if len(answers) == len(list(members(value))):
        return value
    if not answers:
        return _by_methods(i, op, rest, a, b, place, frame)
    cause = Condition("imprecise", place, None)
    return i.fork([(cause, lambda: join(answers)), (cause, lambda: _by_methods(i, op, rest, a, b, place, frame))])


NOT_IMPLEMENTED: Final = External("builtins.NotImplemented")


def _builtin_pair(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> Value:
    found = _numbers(i, op, a, b, place)
    if found is not None:
        return found
    found = _sequences(i, op, a, b, place, frame)
    if found is not None:
        return found
    if op in ("==", "!="):
        return _equal(i, op, a, b, place)
    if isinstance(a, (Symbolic, Unknown)) or isinstance(b, (Symbolic, Unknown)):
        i.may_raise()
    if isinstance(a, Symbolic) or isinstance(b, Symbolic):
        kinds = frozenset(("bool",)) if op in COMPARISONS and not _maybe_array(a) and not _maybe_array(b) else None
        return i.derived(op, (a, b), kinds, place)
    for member in (a, b):
        if isinstance(member, Unknown):
            return Unknown(member.reason)
    if op == "%" and scalar_type(a) in ("str", "bytes"):
        return _formatted(i, a, b, place, frame)
    if op in COMPARISONS:
        compared = _compared(i, op, a, b, place)
        if compared is not None:
            return compared
    if _closed(i, a) and _closed(i, b):
        throw_named(i, "builtins.TypeError", place)
    i.may_raise()
    return i.derived(op, (a, b), None, place)


def _compared(i: Interpreter, op: str, a: Member, b: Member, place: Place) -> Value | None:
    """An order between two containers of one kind; None for anything else."""
    kinds = {i.info(m.oid).kind if isinstance(m, Ref) else "tuple" if isinstance(m, Tuple) else "" for m in (a, b)}
    if kinds not in ({"list"}, {"set"}, {"tuple"}):
        return None
    x, y = python_value(i, a), python_value(i, b)
    if x is not MISSING and y is not MISSING:
        try:
            return Const(bool(FOLD[op](x, y)))
        except TypeError:
            throw_named(i, "builtins.TypeError", place)
    i.may_raise("builtins.TypeError")
    return Kind("bool", "imprecise")


def _closed(i: Interpreter, member: Member) -> bool:
    """Whether all that a member's type can do is known here: scalars, tuples, lists, dicts, sets, functions, instances without library bases."""
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        if kind == "instance":
            names = _type_names(i, member)
            return names is not None and None not in names and all(isinstance(name, Ref) or name == "builtins.object" for name in names)
        return kind in ("list", "dict", "set", "function", "class", "module", "generator")
    return isinstance(member, (Const, Kind, Range, Tuple, RangeObject, Slice)) and not (
        isinstance(member, Tuple) and member.cls is not None
    )


def _type_names(i: Interpreter, member: Member) -> set[object] | None:
    from mxlint.interpreter.type_tests import type_names

    return type_names(i, member)


def _maybe_array(member: Member) -> bool:
    return isinstance(member, (Unknown, Array)) or isinstance(member, Symbolic) and (member.kinds is None or "array" in member.kinds)


def _is_operand(i: Interpreter, member: Member) -> bool:
    """Whether an object is one that MLX computes with: a list of numbers, or something of numpy."""
    return isinstance(member, Ref) and (i.info(member.oid).kind == "list" or _is_numpy(i, member))


def _is_numpy(i: Interpreter, member: Member) -> bool:
    return isinstance(member, Ref) and isinstance(i.heap.get(member.oid, ("#", "class")), External)


def fold(i: Interpreter, op: str, a: Const, b: Const, place: Place) -> Value:
    """The operator on two constants, as Python computes it; what it raises is raised."""
    x, y = a.value, b.value
    if _too_large(op, x, y):
        return Kind(scalar_type(a) or "int", "varying")
    try:
        return Const(FOLD[op](x, y))
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError, MemoryError) as error:
        throw_named(i, f"builtins.{type(error).__name__}", place)


def _too_large(op: str, x: object, y: object) -> bool:
    if op == "**" and isinstance(x, int) and isinstance(y, int):
        return abs(y) * max(x.bit_length(), 1) > MAX_BITS
    if op == "<<" and isinstance(x, int) and isinstance(y, int):
        return y + x.bit_length() > MAX_BITS
    if op == "*":
        text, count = (x, y) if isinstance(x, (str, bytes)) else (y, x)
        return isinstance(text, (str, bytes)) and isinstance(count, int) and len(text) * count > MAX_TEXT
    return False


# -- numbers -----------------------------------------------------------------------------------------------------------


FEW: Final = 4
"""A step of so few numbers is computed with one by one."""


def _few(op: str, a: Range | Const, b: Range | Const) -> Value | None:
    """An operation on a step of few numbers; None where that does not work out."""
    sides: list[tuple[Any, ...]] = []
    for side in (a, b):
        if isinstance(side, Const):
            sides.append((side.value,))
        elif side.low is None or side.high is None or (side.high - side.low) // side.stride >= FEW:
            return None
        else:
            sides.append(tuple(range(side.low, side.high + 1, side.stride)))
    if len(sides[0]) * len(sides[1]) > FEW or op not in FOLD:
        return None
    try:
        return join([Const(FOLD[op](x, y)) for x in sides[0] for y in sides[1]])
    except (ArithmeticError, TypeError, ValueError):
        return None


def _numbers(i: Interpreter, op: str, a: Member, b: Member, place: Place) -> Value | None:
    s, t = scalar_type(a), scalar_type(b)
    if s == "number" or t == "number":
        s, t = "float" if s == "number" else s, "float" if t == "number" else t
    if s not in _NUMBERS or t not in _NUMBERS:
        return None
    if isinstance(a, (Length, Measure)) or isinstance(b, (Length, Measure)):
        found = lengths(op, a, b)
        if found is not None:
            return found
        axes = origins(a) | origins(b)
        if op not in COMPARISONS and axes:
            return Measure("float" if op == "/" or "float" in (s, t) else "number" if op == "**" else "int", axes)
    if op in ("/", "//", "%") and not isinstance(a, Length) and not isinstance(b, Length) and _may_be_zero(b):
        i.may_raise("builtins.ZeroDivisionError")
    if isinstance(a, (Range, Const)) and isinstance(b, (Range, Const)):
        found = _steps(op, a, b) or _few(op, a, b)
        if found is not None:
            return found
    if op in COMPARISONS:
        type_name = "bool"
    elif op == "/":
        type_name = "complex" if "complex" in (s, t) else "float"
    else:
        type_name = max((s, t), key=_NUMBERS.index)
        if type_name == "bool" and op not in ("&", "|", "^"):
            type_name = "int"
        if op == "**" and type_name == "int" and not _not_negative(b):
            type_name = "number"
    if isinstance(a, Symbolic) or isinstance(b, Symbolic):
        if op in NEGATED:
            return negated(i, i.derived(NEGATED[op], (a, b), frozenset(("bool",)), place), place)
        return i.derived(op, (a, b), frozenset((type_name,)), place)
    causes = {member.cause for member in (a, b) if isinstance(member, Kind)} or {"varying"}
    return Kind(type_name, "imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying")


def _not_negative(member: Member) -> bool:
    if isinstance(member, Range):
        return member.low is not None and member.low >= 0
    return isinstance(member, Const) and isinstance(member.value, int) and member.value >= 0


def _may_be_zero(member: Member) -> bool:
    if isinstance(member, Const):
        return not member.value
    if isinstance(member, Range):
        return (member.low is None or member.low <= 0) and (member.high is None or member.high >= 0)
    return True


def origins(member: Member) -> frozenset[tuple[int, int]]:
    """The axes of placeholders that a number comes from."""
    return member.size.origins if isinstance(member, Length) else member.origins if isinstance(member, Measure) else frozenset()


_ON_SIZES: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": sizes.add, "-": sizes.sub, "*": sizes.mul, "//": sizes.floordiv, "%": sizes.mod, "**": sizes.power,
}  # fmt: skip


def size_of(member: Member) -> sizes.Size | None:
    """An integer as a size."""
    if isinstance(member, Length):
        return member.size
    if isinstance(member, Const) and isinstance(member.value, int):
        return sizes.as_size(int(member.value))
    return None


def lengths(op: str, a: Member, b: Member) -> Value | None:
    """Arithmetic and comparison of lengths of axes."""
    x, y = size_of(a), size_of(b)
    if x is None or y is None:
        return None
    if op in _ON_SIZES:
        found = _ON_SIZES[op](x, y)
        return Length(found) if found is not None else None
    answers = {
        "==": (sizes.provably_equal(x, y), sizes.provably_different(x, y)),
        "<": (sizes.provably_at_least(sizes.sub(y, x), sizes.number(1)), sizes.provably_at_least(x, y)),
        ">": (sizes.provably_at_least(sizes.sub(x, y), sizes.number(1)), sizes.provably_at_least(y, x)),
    }
    plain = NEGATED.get(op, op)
    if plain not in answers:
        return None
    yes, no = answers[plain]
    if plain != op:
        yes, no = no, yes
    return TRUE if yes else FALSE if no else None


def _bounds(member: Range | Const) -> tuple[int | None, int | None, int]:
    if isinstance(member, Range):
        return member.low, member.high, member.stride
    return member.value, member.value, 0  # type: ignore[return-value]


def _steps(op: str, a: Range | Const, b: Range | Const) -> Value | None:
    """Arithmetic and comparison of integers of which bounds are known."""
    if any(isinstance(m, Const) and not isinstance(m.value, int) for m in (a, b)):
        return None
    (la, ha, sa), (lb, hb, sb) = _bounds(a), _bounds(b)
    if op == "+":
        return _range(_plus(la, lb), _plus(ha, hb), _gcd(sa, sb))
    if op == "-":
        return _range(_plus(la, _minus(hb)), _plus(ha, _minus(lb)), _gcd(sa, sb))
    if op == "*" and (sb == 0 or sa == 0):
        factor, (low, high, stride) = (lb, (la, ha, sa)) if sb == 0 else (la, (lb, hb, sb))
        if factor == 0:
            return Const(0)
        assert factor is not None
        low, high = (None if low is None else low * factor), (None if high is None else high * factor)
        return _range(low, high, stride * factor) if factor > 0 else _range(high, low, -stride * factor)
    if op == "%" and sb == 0 and lb and lb > 0:
        if sa % lb == 0 and la is not None:
            return Const(la % lb)
        return Range(0, lb - 1, 1)
    if op == "//" and sb == 0 and lb and lb > 0:
        return _range(None if la is None else la // lb, None if ha is None else ha // lb, 1)
    if op == "<":
        return _ordered(ha, la, lb, hb)
    if op == ">":
        return _ordered(hb, lb, la, ha)
    if op == "<=":
        return _not(_ordered(hb, lb, la, ha))
    if op == ">=":
        return _not(_ordered(ha, la, lb, hb))
    if op in ("==", "!="):
        apart = ha is not None and lb is not None and ha < lb or hb is not None and la is not None and hb < la
        if not apart and sb == 0 and sa > 1 and la is not None and lb is not None:
            apart = (lb - la) % sa != 0
        if not apart and sa == 0 and sb > 1 and la is not None and lb is not None:
            apart = (la - lb) % sb != 0
        if apart:
            return Const(op == "!=")
        return Kind("bool", "varying")
    return None


def _ordered(ha: int | None, la: int | None, lb: int | None, hb: int | None) -> Value:
    """a < b."""
    if ha is not None and lb is not None and ha < lb:
        return TRUE
    if la is not None and hb is not None and la >= hb:
        return FALSE
    return Kind("bool", "varying")


def _not(value: Value) -> Value:
    return Const(not value.value) if isinstance(value, Const) else value


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _minus(a: int | None) -> int | None:
    return None if a is None else -a


def _gcd(a: int, b: int) -> int:
    from math import gcd

    return gcd(a, b)


def _range(low: int | None, high: int | None, stride: int) -> Value:
    if low is not None and low == high:
        return Const(low)
    return Range(low, high, stride or 1)


# -- equality, identity, membership ------------------------------------------------------------------------------------


def negated(i: Interpreter, value: Value, place: Place) -> Value:
    """`not value`, for the outcome of a comparison."""
    if isinstance(value, Const):
        return Const(not value.value)
    if isinstance(value, Symbolic):
        return negation(value, place)
    return value


def negation(value: Symbolic, place: Place) -> Symbolic:
    """The negation of a condition, named after the condition itself."""
    if value.identity[0] == "not":
        return Symbolic(value.identity[1], frozenset(("bool",)), value.label, value.presumed)  # type: ignore[arg-type]
    return Symbolic(("not", value.identity), frozenset(("bool",)), value.label, value.presumed)


def _equal_items(i: Interpreter, same: bool, a: Sequence[Value], b: Sequence[Value], place: Place) -> Value:
    """Whether two sequences of one length are equal, item by item."""
    found = [binary(i, "==", x, y, place, i.stack[-1]) for x, y in zip(a, b)]
    if any(answer == FALSE for answer in found):
        return Const(not same)
    rest = [answer for answer in found if answer != TRUE]
    if not rest:
        return Const(same)
    if len(rest) == 1:
        only = rest[0]
        return negation(only, place) if not same and isinstance(only, Symbolic) else only
    parts = [member for answer in rest for member in members(answer)]
    if all(isinstance(part, Symbolic) for part in parts):
        together = i.derived("and", parts, frozenset(("bool",)), place)
        return together if same else negation(together, place)
    causes = {part.cause for part in parts if isinstance(part, Kind)} | {"open" for part in parts if isinstance(part, Symbolic)}
    known = causes and all(isinstance(part, (Kind, Symbolic, Const)) for part in parts)
    return Kind("bool", ("imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying") if known else "imprecise")


def _equal(i: Interpreter, op: str, a: Member, b: Member, place: Place) -> Value:
    same = op == "=="
    if isinstance(a, Tuple) and isinstance(b, Tuple) and a.items is not None and b.items is not None:
        if len(a.items) != len(b.items):
            return Const(not same)
        if a == b and not any(isinstance(item, (Array, Symbolic, Kind)) for item in a.items):
            return Const(same)
        return _equal_items(i, same, a.items, b.items, place)
    if isinstance(a, Ref) and isinstance(b, Ref):
        kinds = {i.info(a.oid).kind, i.info(b.oid).kind}
        if a.oid == b.oid and not i.info(a.oid).summary and len(kinds) == 1:
            return Const(same)
        if kinds <= {"function", "class", "module"}:
            return Const(not same)
        if kinds == {"list"}:
            return _equal(i, op, _content(i, a), _content(i, b), place)
        return Kind("bool", "imprecise") if kinds & {"list", "dict", "set"} else Const(not same) if len(kinds) > 1 else Kind("bool", "open")
    if isinstance(a, External) and isinstance(b, External):
        return Const((a.name == b.name) is same)
    s, t = _type_group(i, a), _type_group(i, b)
    if s and t and s != t:
        return Const(not same)
    if isinstance(a, Symbolic) or isinstance(b, Symbolic):
        first, second = (a, b) if isinstance(a, Symbolic) else (b, a)
        if a == b and s:
            return Const(same)
        found = i.derived("==", (first, second), None if not s and not t else frozenset(("bool",)), place)
        return found if same else negation(found, place)
    for member in (a, b):
        if isinstance(member, Unknown):
            return Unknown(member.reason)
    if isinstance(a, Kind) or isinstance(b, Kind) or isinstance(a, Range) or isinstance(b, Range):
        causes = {m.cause for m in (a, b) if isinstance(m, Kind)} or {"varying"}
        return Kind("bool", "imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying")
    return Kind("bool", "imprecise")


def _content(i: Interpreter, ref: Ref) -> Member:
    found = i.heap.get(ref.oid, ("#", "items"))
    return found if isinstance(found, Tuple) else Unknown("list")


def _type_group(i: Interpreter, member: Member) -> str | None:
    """What equality never crosses: numbers, text, bytes, None, a list, a tuple, a class … None if it is not known."""
    name = scalar_type(member)
    if name is not None:
        return "number" if name in (*_NUMBERS, "number") else name if name in ("str", "bytes", "NoneType") else None
    if isinstance(member, Tuple):
        return "tuple"
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        return kind if kind in ("list", "dict", "set", "function", "class", "module") else None
    return None


def _identity(i: Interpreter, op: str, a: Member, b: Member, place: Place) -> Value:
    same = op == "is"
    for x, y in ((a, b), (b, a)):
        if isinstance(y, Const) and (y.value is None or y.value is ... or isinstance(y.value, bool)):
            if isinstance(x, Const):
                return Const((x.value is y.value) is same)
            name = scalar_type(x)
            if isinstance(x, (Array, Ref, Tuple, External, Bound, RangeObject, Slice, Range)) or name not in (None, type(y.value).__name__):
                return Const(not same)
            if isinstance(x, Symbolic):
                if x.kinds is not None and type(y.value).__name__ not in x.kinds:
                    return Const(not same)
                found = i.derived("is", (x, y), frozenset(("bool",)), place)
                return found if same else negation(found, place)
            if isinstance(x, Kind):
                return Kind("bool", x.cause)
            if isinstance(x, Unknown):
                return Unknown(x.reason)
    if isinstance(a, Ref) and isinstance(b, Ref):
        if a.oid != b.oid:
            return Const(not same)
        return Kind("bool", "varying") if i.info(a.oid).summary else Const(same)
    if isinstance(a, Array) and isinstance(b, Array):
        if a.ident != b.ident:
            return Const(not same)
        return Kind("bool", "varying") if i.info(a.ident).summary else Const(same)
    if isinstance(a, External) and isinstance(b, External):
        return Const((a.name == b.name) is same)
    if isinstance(a, Symbolic) and isinstance(b, Symbolic) and a.identity == b.identity:
        return Const(same)
    if isinstance(a, (Unknown, Symbolic)) or isinstance(b, (Unknown, Symbolic)):
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return Kind("bool", "imprecise")
        found = i.derived("is", (a, b), frozenset(("bool",)), place)
        return found if same else negation(found, place)
    if isinstance(a, Const) and isinstance(b, Const):
        return Const((type(a.value) is type(b.value) and a.value == b.value) is same)
    return Const(not same) if type(a) is not type(b) else Kind("bool", "imprecise")


def _contains(i: Interpreter, op: str, item: Member, container: Member, place: Place, frame: Frame) -> Value:
    positive = op == "in"
    if isinstance(container, Const) and isinstance(container.value, (str, bytes)) and isinstance(item, Const):
        return fold(i, op, item, container, place)
    if isinstance(container, Array):
        return i.operations.array(i, "mlx.core.array.__contains__", (container, item), place, frame)
    method = special(i, container, "__contains__", place, frame)
    if method is not None:
        answer = i.truth(i.call(method, Arguments((item,), places=(place,)), place, frame), place, frame)
        return Const(answer.outcome is positive) if answer.outcome is not None else Kind("bool", answer.cause or "imprecise")
    keys: list[Value] | None = None
    complete = True
    if isinstance(container, Tuple):
        keys = list(container.items) if container.items is not None else None
    elif isinstance(container, Ref):
        kind = i.info(container.oid).kind
        if kind in ("list", "set"):
            content = i.heap.get(container.oid, ("#", "items"))
            keys = list(content.items) if isinstance(content, Tuple) and content.items is not None else None
        elif kind == "dict" or (kind == "instance" and i.heap.get(container.oid, ("#", "rest")) is not None):
            keys = []
            for field, value in i.heap.fields(container.oid).items():
                if isinstance(field, tuple) and field[0] == "k":
                    keys.append(field[1])
                    if any(isinstance(m, Unbound) for m in members(value)) and field[1] == item:
                        complete = False
            rest = i.heap.get(container.oid, ("#", "rest"))
            if rest is not None and not isinstance(rest, Unbound):
                complete = False
    elif isinstance(container, RangeObject) and isinstance(item, Const) and (numbers := constant_range(container)) is not None:
        return Const((item.value in numbers) is positive)
    if keys is not None:
        found = [binary(i, "==", item, key, place, frame) for key in keys]
        truths = [value.value if isinstance(value, Const) else None for value in found]
        if True in truths and (complete or not isinstance(item, Const)):
            return Const(positive)
        if complete and all(truth is False for truth in truths):
            return Const(not positive)
        unknown = next((value for value in found if isinstance(value, Unknown)), None)
        if unknown is not None:
            return Unknown(unknown.reason)
        causes = {value.cause for value in found if isinstance(value, Kind)}
        if causes == {"varying"} and not any(isinstance(value, Symbolic) for value in found):
            return Kind("bool", "varying")
    if isinstance(container, Unknown) or isinstance(item, Unknown):
        return Unknown("membership")
    if isinstance(container, Ref):
        return Kind("bool", "open" if isinstance(item, Symbolic) else "imprecise")
    outcome = i.derived("in", (item, container), frozenset(("bool",)), place)
    return outcome if positive else negation(outcome, place)


# -- sequences ---------------------------------------------------------------------------------------------------------


def _sequences(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> Value | None:
    if op == "+" and isinstance(a, Tuple) and isinstance(b, Tuple):
        return concatenated(a, b)
    if op == "*":
        for sequence, count in ((a, b), (b, a)):
            content = sequence if isinstance(sequence, Tuple) else None
            if isinstance(sequence, Ref) and i.info(sequence.oid).kind == "list":
                found = i.heap.get(sequence.oid, ("#", "items"))
                content = found if isinstance(found, Tuple) else None
            if content is not None:
                if isinstance(count, Array):
                    i.operations.use(i, "index", count, "repeat", place, frame)
                times = count.value if isinstance(count, Const) and isinstance(count.value, int) else None
                if content.items is not None and times is not None and len(content.items) * max(times, 0) <= 64:
                    result = Tuple(content.items * times)
                else:
                    parts = content.items if content.items is not None else (content.element,)
                    result = Tuple(None, join([p for p in parts if p is not None]))
                return result if isinstance(sequence, Tuple) else new_list(i, result, place)
    if isinstance(a, Ref) and isinstance(b, Ref):
        kinds = i.info(a.oid).kind, i.info(b.oid).kind
        if op == "+" and kinds == ("list", "list"):
            x, y = i.heap.get(a.oid, ("#", "items")), i.heap.get(b.oid, ("#", "items"))
            return new_list(i, joined_content([c for v in (x, y) if v is not None for c in (v,)]), place)
        if op in ("|", "&", "-", "^") and kinds == ("set", "set"):
            return new_set(i, _combined(i, op, a, b), place, cls=str(i.info(a.oid).payload or "builtins.set"))
        if op == "|" and kinds == ("dict", "dict"):
            oid = i.allocate("dict", None, place, "or")
            for ref in (a, b):
                copy_dict(i, ref.oid, oid)
            return Ref(oid)
    return None


def _combined(i: Interpreter, op: str, a: Ref, b: Ref) -> Tuple:
    """The content of `a op b` of sets."""
    first, second = (list(members(i.heap.get(ref.oid, ("#", "items")) or Unknown("set"))) for ref in (a, b))
    known = [
        list(part.items) if isinstance(part, Tuple) and part.items is not None and all(isinstance(e, Const) for e in part.items) else None
        for part in (*first, *second)
    ]
    if len(known) == 2 and known[0] is not None and known[1] is not None:
        x, y = known[0], known[1]
        only_x, only_y = [e for e in x if e not in y], [e for e in y if e not in x]
        return Tuple(tuple({"|": [*x, *only_y], "&": [e for e in x if e in y], "-": only_x, "^": [*only_x, *only_y]}[op]))
    elements = [
        e
        for part in (*first, *second)
        if isinstance(part, Tuple)
        for e in (part.items if part.items is not None else (part.element,))
        if e is not None
    ]
    return Tuple(None, join(elements)) if elements else Tuple(())


def concatenated(a: Tuple, b: Tuple) -> Tuple:
    """`a + b` of tuples."""
    if a.items is not None and b.items is not None and len(a.items) + len(b.items) <= 256:
        return Tuple((*a.items, *b.items))
    parts = [p for t in (a, b) for p in (t.items if t.items is not None else (t.element,)) if p is not None]
    return Tuple(None, join(parts)) if parts else Tuple(())


def joined_content(values: list[Value]) -> Value:
    """The contents of lists that are put together, one after the other."""
    result: Value = Tuple(())
    for value in values:
        found: list[Member] = []
        for x in members(result):
            for y in members(value):
                if isinstance(x, Tuple) and isinstance(y, Tuple):
                    found.append(concatenated(x, y))
                else:
                    found.append(x if not isinstance(x, Tuple) else y)
        result = join(found)
    return result


def new_list(i: Interpreter, content: Value, place: Place, tag: object = None, cls: str = "builtins.list") -> Ref:
    """A new list (or deque) with the items of a tuple."""
    oid = i.allocate("list", cls, place, tag)
    i.heap.set(oid, ("#", "items"), content)
    return Ref(oid)


def new_set(i: Interpreter, content: Value, place: Place, tag: object = None, cls: str = "builtins.set") -> Ref:
    """A new set (or frozenset) with the items of a tuple; equal constants are one."""
    if isinstance(content, Tuple) and content.items is not None:
        content = Tuple(tuple(dict.fromkeys(content.items)))
    oid = i.allocate("set", cls, place, tag)
    i.heap.set(oid, ("#", "items"), content)
    return Ref(oid)


def hashed(i: Interpreter, value: Value, place: Place, frame: Frame) -> None:
    """A value becomes or is looked up as a key: `__hash__` of objects of the program runs."""
    for member in members(value):
        if isinstance(member, Ref) and i.info(member.oid).kind == "instance":
            method = special(i, member, "__hash__", place, frame)
            if method is not None and method != NONE:
                i.call(method, Arguments(), place, frame)
        elif isinstance(member, Tuple):
            for item in member.items if member.items is not None else (member.element,):
                if item is not None:
                    hashed(i, item, place, frame)
        elif (
            isinstance(member, Ref)
            and i.info(member.oid).kind in ("list", "dict")
            or isinstance(member, Ref)
            and i.info(member.oid).payload == "builtins.set"
        ):
            throw_named(i, "builtins.TypeError", place)


def copy_dict(i: Interpreter, source: int, target: int) -> None:
    """Put the entries of a dict into another."""
    for field, value in list(i.heap.fields(source).items()):
        if isinstance(field, tuple) and field[0] == "k":
            present = i.heap.get(target, field)
            if any(isinstance(m, Unbound) for m in members(value)):
                value = join(
                    [*(m for m in members(value) if not isinstance(m, Unbound)), *([present] if present is not None else [Unbound()])]
                )
            i.heap.set(target, field, value)
        elif field in (("#", "rest"), ("#", "restkey")):
            present = i.heap.get(target, field)
            i.heap.set(target, field, value if present is None else join((present, value)))


def _formatted(i: Interpreter, a: Member, b: Member, place: Place, frame: Frame) -> Value:
    """`text % arguments`."""
    for part in members(b):
        for item in part.items or () if isinstance(part, Tuple) else (part,):
            for member in members(item):
                if isinstance(member, Array):
                    i.operations.use(i, "format", member, "%", place, frame)
            from mxlint.interpreter.text import text_of

            text_of(i, item, "str", place, frame)
    return Kind("str", "varying") if not isinstance(b, Symbolic) else i.derived("%", (a, b), frozenset(("str",)), place)


# -- truth and unary ---------------------------------------------------------------------------------------------------


def truth(i: Interpreter, value: Value, place: Place, frame: Frame) -> Truth:
    """The truth of a value. An array is asked for its value, which a placeholder has not."""
    value = i.live(value)
    if not isinstance(value, Union):
        return _truth(i, value, place, frame)
    outcomes = [(option, _truth(i, option.member, place, frame)) for option in options(value)]
    known = {found.outcome for _, found in outcomes}
    if len(known) == 1 and None not in known:
        return outcomes[0][1]
    unknown = [found for _, found in outcomes if found.outcome is None]
    if unknown:
        causes = [found.cause for found in unknown]
        return Truth(None, "imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying")
    true = [option.guard for option, found in outcomes if found.outcome]
    false = [option.guard for option, found in outcomes if not found.outcome]
    for guard in true:
        for literal in guard:
            opposite = Literal_(literal.condition, not literal.outcome)
            if all(literal in other for other in true) and all(opposite in other for other in false):
                return Truth(None, i.causes.get(literal.condition, ("open", None))[0], literal)
    literals = [literal for guard in (*true, *false) for literal in guard]
    if literals:
        causes = [i.causes.get(literal.condition, ("open", None))[0] for literal in literals]
        return Truth(None, "imprecise" if "imprecise" in causes else "open")
    return Truth(None, "varying")


def _truth(i: Interpreter, member: Member, place: Place, frame: Frame) -> Truth:
    if isinstance(member, Const):
        return Truth(bool(member.value))
    if isinstance(member, Range):
        low, high, stride = member.low, member.high, member.stride
        if low is not None and low > 0 or high is not None and high < 0 or low is not None and low % stride:
            return Truth(True)
        return Truth(None, "varying")
    if isinstance(member, Length):
        i.operations.use(i, "compare", member, "truth", place, frame)
        least, most = sizes.bounds(member.size)
        return Truth(False) if least == most == 0 else Truth(True) if least > 0 or most < 0 else Truth(None, "open")
    if isinstance(member, Measure):
        i.operations.use(i, "compare", member, "truth", place, frame)
        return Truth(None, "open")
    if isinstance(member, Kind):
        return Truth(False) if member.type == "NoneType" else Truth(None, member.cause)
    if isinstance(member, Array):
        i.operations.use(i, "truth", member, "truth", place, frame)
        return Truth(None, "open")
    if isinstance(member, Tuple):
        return Truth(bool(member.items)) if member.items is not None else Truth(None, "imprecise")
    if isinstance(member, RangeObject):
        numbers = constant_range(member)
        return Truth(bool(numbers)) if numbers is not None else Truth(None, "open")
    if isinstance(member, (External, Bound, Slice)):
        return Truth(True)
    if isinstance(member, Symbolic):
        return _symbolic_truth(i, member, place)
    if isinstance(member, Ref):
        return _object_truth(i, member, place, frame)
    if isinstance(member, Unknown):
        return Truth(None, "imprecise")
    return Truth(None, "imprecise")


def _symbolic_truth(i: Interpreter, member: Symbolic, place: Place) -> Truth:
    if member.kinds is not None and member.kinds <= {"function", "class", "module", "array-module"}:
        return Truth(True)
    if member.kinds == frozenset(("NoneType",)):
        return Truth(False)
    identity: Identity = member.identity
    outcome = True
    while identity[0] == "not" and len(identity) == 2 and isinstance(identity[1], tuple):
        identity, outcome = identity[1], not outcome
    literal = Literal_(identity, outcome)
    known = i.outcome(literal)
    if known is not None:
        return Truth(known)
    return Truth(None, i.causes.setdefault(identity, ("open", place))[0], literal)


def _object_truth(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Truth:
    kind = i.info(ref.oid).kind
    if kind in ("list", "set"):
        content = i.heap.get(ref.oid, ("#", "items"))
        found = (
            [bool(m.items) if isinstance(m, Tuple) and m.items is not None else None for m in members(content)]
            if content is not None
            else [None]
        )
        if len(set(found)) == 1 and found[0] is not None:
            return Truth(found[0])
        return Truth(None, "varying" if None not in found else "imprecise")
    if kind == "dict":
        fields = [(f, v) for f, v in i.heap.fields(ref.oid).items() if isinstance(f, tuple) and f[0] == "k"]
        if any(not any(isinstance(m, Unbound) for m in members(v)) for _, v in fields):
            return Truth(True)
        rest = i.heap.get(ref.oid, ("#", "rest"))
        if not fields and (rest is None or isinstance(rest, Unbound)):
            return Truth(False)
        return Truth(None, "imprecise")
    if kind == "instance":
        for name in ("__bool__", "__len__"):
            method = special(i, ref, name, place, frame)
            if method is not None:
                return truth(i, i.call(method, Arguments(), place, frame), place, frame)
    return Truth(True)


def unary(i: Interpreter, op: str, value: Value, place: Place, frame: Frame) -> Value:
    """`-value`, `+value`, `~value`."""
    return i.split(value, lambda member: _unary(i, op, member, place, frame))


_UNARY: Final[dict[str, tuple[Callable[[Any], Any], str]]] = {
    "-": (operator.neg, "__neg__"), "+": (operator.pos, "__pos__"), "~": (operator.invert, "__invert__"),
}  # fmt: skip


def _unary(i: Interpreter, op: str, member: Member, place: Place, frame: Frame) -> Value:
    apply, name = _UNARY[op]
    if isinstance(member, Const):
        try:
            return Const(apply(member.value))
        except TypeError as error:
            throw_named(i, f"builtins.{type(error).__name__}", place)
    if isinstance(member, Array):
        return i.operations.array(i, f"mlx.core.array.{name}", (member,), place, frame)
    if isinstance(member, Range) and op == "-":
        return _range(_minus(member.high), _minus(member.low), member.stride)
    if isinstance(member, (Length, Measure)):
        return Measure(scalar_type(member) or "int", origins(member)) if op != "+" else member
    if isinstance(member, (Range, Kind)):
        return Kind(
            "int" if scalar_type(member) == "bool" else scalar_type(member) or "int",
            member.cause if isinstance(member, Kind) else "varying",
        )
    method = special(i, member, name, place, frame)
    if method is not None:
        return i.call(method, Arguments(), place, frame)
    if isinstance(member, Unknown):
        return member
    kinds = member.kinds if isinstance(member, Symbolic) else None
    return i.derived(op, (member,), kinds, place)
