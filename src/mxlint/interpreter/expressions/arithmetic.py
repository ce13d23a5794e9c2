"""Arithmetic and comparison of numbers that are not constants: ranges, kinds and lengths of axes.

`range(4)` gives numbers between 0 and 3; twice such a number lies between 0 and 6, is even, and is not 7. `x.shape[0] + 1` is a `Length`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import takewhile
from math import gcd
from typing import Any, Final

from mxlint.domain import size as sizes
from mxlint.domain.enumerated import computed
from mxlint.domain.join import join
from mxlint.domain.members import (
    FALSE,
    TRUE,
    Const,
    Kind,
    Length,
    Loops,
    Measure,
    Member,
    Range,
    Symbolic,
    Value,
    as_constant,
    from_lengths,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.texts import JOINED
from mxlint.domain.varying import loops_of, over, stays, turned, united
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named

FOLD: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "@": operator.matmul, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "is": operator.is_, "is not": operator.is_not, "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip

FEW: Final = 4
"""A step of so few numbers is computed with one by one."""


def fold(i: Interpreter, op: str, a: Const, b: Const, place: Place) -> Value:
    """The operator on two constants, as Python computes it; what it raises is raised."""
    x, y = a.value, b.value
    if is_too_large(op, x, y):
        of = b if isinstance(y, (str, bytes)) else a  # of a number and a text the text
        return Kind(scalar_type(of) or "int", "varying", frozenset())
    try:
        return Const(FOLD[op](x, y))
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError, MemoryError) as error:
        throw_named(i, f"builtins.{type(error).__name__}", place)


def is_too_large(op: str, x: object, y: object) -> bool:
    """Whether an operator on two constants makes a number or text that is better not made."""
    if op == "**" and isinstance(x, int) and isinstance(y, int):
        return abs(y) * max(x.bit_length(), 1) > MAX_BITS
    if op == "<<" and isinstance(x, int) and isinstance(y, int):
        return y + x.bit_length() > MAX_BITS
    if op == "*" and isinstance(x, int) and isinstance(y, int):
        return x.bit_length() + y.bit_length() > MAX_BITS
    if op == "*":
        text, count = (x, y) if isinstance(x, (str, bytes)) else (y, x)
        return isinstance(text, (str, bytes)) and isinstance(count, int) and len(text) * count > MAX_TEXT
    if op == "%" and isinstance(x, (str, bytes)):
        fields = (x if isinstance(x, str) else x.decode("latin-1")).split("%")[1:]
        return not all(makes_short_text("".join(takewhile(_WIDTH.__contains__, field))) for field in fields)
    if op == "+" and isinstance(x, (str, bytes)) and isinstance(y, (str, bytes)):
        return len(x) + len(y) > MAX_TEXT
    return False


_WIDTH: Final = "-#0 +123456789."
"""What may stand between the percent sign and the letter of a field."""


def makes_short_text(spec: str) -> bool:
    """Whether a format specification makes no long text: it may ask for gigabytes of blanks or digits."""
    numbers = "".join(character if character.isdecimal() else " " for character in spec).split()
    return all(len(number) <= 4 for number in numbers)


MAX_TEXT: Final = 20_000

MAX_BITS: Final = 4_096


def on_ranges(op: str, a: Range | Const, b: Range | Const) -> Value | None:
    """An operator on integers of which bounds are known; None where that does not work out."""
    return _steps(op, a, b) or _few(op, a, b)


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


MAX_SHIFT: Final = 64
"""Places by which a step of integers is shifted to the left, which multiplies it."""

NUMBERS: Final = ("bool", "int", "float", "complex")

NEGATED: Final = {"!=": "==", "is not": "is", "not in": "in", ">=": "<", "<=": ">"}
"""Comparisons that are told as the negation of another, so that both outcomes of one condition have one name."""

COMPARISONS: Final = frozenset(("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"))


def numbers(i: Interpreter, op: str, a: Member, b: Member, place: Place) -> Value | None:
    """An operator on two numbers; None if one of them is no number."""
    s, t = scalar_type(a), scalar_type(b)
    if s == "number" or t == "number":
        s, t = "float" if s == "number" else s, "float" if t == "number" else t
    if s not in NUMBERS or t not in NUMBERS:
        return None
    if isinstance(a, (Length, Measure)) or isinstance(b, (Length, Measure)):
        found = lengths(op, a, b)
        if found is not None:
            return found
        axes = origins(a) | origins(b)
        found = _known(op, as_constant(a), as_constant(b), axes)
        if found is not None:
            return found
        if op not in COMPARISONS and axes:
            return Measure("float" if op == "/" or "float" in (s, t) else "number" if op == "**" else "int", axes)
    if op in ("/", "//", "%") and not isinstance(a, Length) and not isinstance(b, Length) and _may_be_zero(b):
        i.may_raise("builtins.ZeroDivisionError")
    if op == "<<" and isinstance(a, Range) and type(b) is Const and type(b.value) is int and 0 <= b.value < MAX_SHIFT:
        op, b = "*", Const(1 << b.value)
    loops = (
        frozenset()
        if stays(op, a.stride if isinstance(a, Range) else None, b)
        else united((loops_of(a), turned(loops_of(b)) if op == "-" else loops_of(b)))
    )
    if isinstance(a, (Range, Const)) and isinstance(b, (Range, Const)):
        found = on_ranges(op, a, b)
        if found is not None:
            return over(found, loops) if isinstance(found, Member) else found
    if op in COMPARISONS:
        type_name = "bool"
    elif op == "/":
        type_name = "complex" if "complex" in (s, t) else "float"
    else:
        type_name = max((s, t), key=NUMBERS.index)
        if type_name == "bool" and op not in ("&", "|", "^"):
            type_name = "int"
        if op == "**" and type_name == "int" and not _not_negative(b):
            type_name = "number"
    moved = united(loops_of(member) for member in (a, b) if isinstance(member, Kind) and member.cause == "varying")
    if op in ("+", "-") and moved and any(isinstance(member, (Symbolic, Length)) for member in (a, b)):
        return Kind(type_name, "varying", moved)  # what rounds move on is another number in each, whatever is added to it
    if isinstance(a, (Symbolic, Length)) or isinstance(b, (Symbolic, Length)):
        if op in NEGATED:
            return negated(i, i.derived(NEGATED[op], (a, b), frozenset(("bool",)), place), place)
        return i.derived(op, (a, b), frozenset((type_name,)), place)
    found = _each(op, a, b, type_name, loops)
    if found is not None:
        return found
    causes = {"open" if isinstance(member, Measure) else member.cause for member in (a, b) if isinstance(member, (Kind, Measure))} or {
        "varying"
    }
    return over(Kind(type_name, "imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying"), loops)


def _known(op: str, a: Member, b: Member, axes: frozenset[tuple[int, int]]) -> Value | None:
    """An operator on two numbers that are known, and come from axes; None where one is not, or Python raises."""
    if not isinstance(a, Const) or not isinstance(b, Const) or op not in FOLD or is_too_large(op, a.value, b.value):
        return None
    try:
        return from_lengths(FOLD[op](a.value, b.value), axes)
    except (ArithmeticError, TypeError, ValueError):
        return None


def _each(op: str, a: Member, b: Member, type_name: str, loops: Loops) -> Member | None:
    """An operator on a number of which all values are known, and a constant; None where that does not work out."""
    if op in COMPARISONS or op not in FOLD:
        return None

    def one(x: object, y: object) -> object:
        return None if is_too_large(op, x, y) else FOLD[op](x, y)

    found = computed(one, (a, b), loops)
    return found if isinstance(found, Member) and scalar_type(found) == type_name else None


TEXTS: Final = ("str", "bytes")


def texts(i: Interpreter, op: str, a: Member, b: Member, place: Place) -> Value | None:
    """Operators on text that is not known letter by letter: concatenation, repetition, order. None for anything else."""
    s, t = scalar_type(a), scalar_type(b)
    if s in TEXTS and s == t and op in ("+", "<", "<=", ">", ">="):
        kind = s if op == "+" else "bool"
    elif op == "*" and (s in TEXTS and t in ("int", "bool") or t in TEXTS and s in ("int", "bool")):
        kind = s if s in TEXTS else t
    else:
        return None
    assert kind is not None
    if isinstance(a, Symbolic) or isinstance(b, Symbolic):
        return i.derived(JOINED if op == "+" else op, (a, b), frozenset((kind,)), place)
    causes = {member.cause for member in (a, b) if isinstance(member, Kind)}
    made = Kind(kind, "imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying")
    return over(made, united(map(loops_of, (a, b))))


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
    if isinstance(member, Symbolic):
        return _computed_from(member.identity)
    return member.size.origins if isinstance(member, Length) else member.origins if isinstance(member, Measure) else frozenset()


def _computed_from(identity: object) -> frozenset[tuple[int, int]]:
    """The axes in what an operator made of a length and of something whose kind nobody in sight says."""
    if isinstance(identity, (Length, Measure)):
        return origins(identity)
    if not isinstance(identity, tuple) or not identity or identity[0] not in FOLD or identity[0] in COMPARISONS:
        return frozenset()
    return frozenset(axis for operand in identity[1:3] for axis in _computed_from(operand))


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
        return step_of(_plus(la, lb), _plus(ha, hb), _gcd(sa, sb))
    if op == "-":
        return step_of(_plus(la, minus(hb)), _plus(ha, minus(lb)), _gcd(sa, sb))
    if op == "*" and (sb == 0 or sa == 0):
        factor, (low, high, stride) = (lb, (la, ha, sa)) if sb == 0 else (la, (lb, hb, sb))
        if factor == 0:
            return Const(0)
        assert factor is not None
        low, high = (None if low is None else low * factor), (None if high is None else high * factor)
        return step_of(low, high, stride * factor) if factor > 0 else step_of(high, low, -stride * factor)
    if op == "%" and sb == 0 and lb and lb > 0:
        if sa % lb == 0 and la is not None:
            return Const(la % lb)
        if la is not None and ha is not None and la // lb == ha // lb:
            return step_of(la % lb, ha % lb, sa)  # it does not go round
        return Range(0, lb - 1, 1)
    if op == "//" and sb == 0 and lb and lb > 0:
        return step_of(None if la is None else la // lb, None if ha is None else ha // lb, 1)
    if op == "<":
        return _ordered(ha, la, lb, hb)
    if op == ">":
        return _ordered(hb, lb, la, ha)
    if op == "<=":
        return _not(_ordered(hb, lb, la, ha))
    if op == ">=":
        return _not(_ordered(ha, la, lb, hb))
    if op in ("==", "!="):
        disjoint = ha is not None and lb is not None and ha < lb or hb is not None and la is not None and hb < la
        if not disjoint and sb == 0 and sa > 1 and la is not None and lb is not None:
            disjoint = (lb - la) % sa != 0
        if not disjoint and sa == 0 and sb > 1 and la is not None and lb is not None:
            disjoint = (la - lb) % sb != 0
        if disjoint:
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


def minus(a: int | None) -> int | None:
    return None if a is None else -a


def _gcd(a: int, b: int) -> int:

    return gcd(a, b)


def step_of(low: int | None, high: int | None, stride: int) -> Member:
    """The integers from `low` to `high` by a stride (None: no bound); a constant if there is only one."""
    if low is not None and low == high:
        return Const(low)
    return Range(low, high, stride or 1)


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
