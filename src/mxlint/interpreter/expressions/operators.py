"""Operators: `a + b` is `a.__add__(b)` of a class of the program, then what MLX does with arrays, then what Python's own types do."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.guards import Literal_
from mxlint.domain.join import join, of
from mxlint.domain.members import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Const,
    External,
    Kind,
    Length,
    Measure,
    Member,
    Option,
    Range,
    RangeObject,
    Ref,
    Slice,
    Sourced,
    SourcedRef,
    Symbolic,
    Tuple,
    Union,
    Unknown,
    Value,
    as_constant,
    from_lengths,
    library_class,
    members,
    options,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import cancelled, loops_of, over, turned, united
from mxlint.interpreter.compiled.scalars import applied, bare, meets
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.builders import concatenated, joined_content, new_list, new_set
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.containers.merging import merge_dict
from mxlint.interpreter.expressions import identity, own_numbers
from mxlint.interpreter.expressions.arithmetic import COMPARISONS, FOLD, NUMBERS, TEXTS, fold, minus, numbers, origins, step_of, texts
from mxlint.interpreter.expressions.constants import MISSING, python_value
from mxlint.interpreter.expressions.equality import contains, equal, fields_compared, flag_itself, identical, same_item
from mxlint.interpreter.expressions.templates import Field, of_percent
from mxlint.interpreter.expressions.text import Asking, filled_in, named, text_of
from mxlint.interpreter.libraries import measures
from mxlint.interpreter.loops import lengths, novelty
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.paths import Condition
from mxlint.interpreter.objects.lookup import PLAIN, container, special
from mxlint.interpreter.objects.type_tests import type_names
from mxlint.models.load import model

METHODS: Final = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul", "&": "and", "|": "or",
    "^": "xor", "<<": "lshift", ">>": "rshift", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip
"""Operators by the middle of their special method's name."""

REFLECTED: Final = {"<": "gt", "<=": "ge", ">": "lt", ">=": "le", "==": "eq", "!=": "ne"}


def binary(i: Interpreter, op: str, left: Value, right: Value, place: Place, frame: Frame) -> Value:
    """`left op right`."""
    left, right = i.live(left), i.live(right)
    if not isinstance(left, Union) and not isinstance(right, Union):
        if NONE in (left, right) and (isinstance(left, Array) or isinstance(right, Array)) and op in METHODS and op not in ("==", "!="):
            throw_named(i, "builtins.TypeError", place)
        return _moved(op, left, right, _pair(i, op, left, right, place, frame))
    i.place = place
    return _moved(op, left, right, i.split(left, lambda a: i.split(right, lambda b: _pair(i, op, a, b, place, frame))))


def _moved(op: str, left: Value, right: Value, made: Value) -> Value:
    """What an operator makes of two numbers, varying over the loops of which that is known."""
    gone = cancelled(op, left, right)
    if not gone:
        return made
    return of(Option(over(o.member, None if (loops := loops_of(o.member)) is None else loops - gone), o.guard) for o in options(made))


def _pair(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> Value:
    if isinstance(a, SourcedRef) or isinstance(b, SourcedRef):
        return _objects(i, op, a, b, place, frame)
    if isinstance(a, Sourced) or isinstance(b, Sourced):
        return _scalars(i, op, a, b, place, frame)
    if op in ("is", "is not"):
        return identical(i, op, a, b, place)
    if op in ("in", "not in"):
        return contains(i, op, a, b, place, frame)
    if op == "%" and scalar_type(a) in TEXTS and not (isinstance(a, Const) and isinstance(b, Const)):
        return _formatted(i, a, b, place, frame)
    if isinstance(a, Array) or isinstance(b, Array):
        name = f"__{METHODS[op]}__" if isinstance(a, Array) else f"__{REFLECTED.get(op) or 'r' + METHODS[op]}__"
        array, other = (a, b) if isinstance(a, Array) else (b, a)
        aspects.whole(i, Tuple((other,)), place, frame)
        if _is_numpy(i, a):
            i.operations.use(i, "converts", b, "numpy", place, frame)
        if not isinstance(a, Ref) or special(i, a, f"__{METHODS[op]}__", place, frame) is None:
            other = own_numbers.value_of(i, other)
            if isinstance(other, _OPERANDS) or _is_operand(i, other):
                return i.operations.array(i, f"mlx.core.array.{name}", (array, other), place, frame)
    if isinstance(a, Const) and isinstance(b, Const):
        return fold(i, op, a, b, place)
    if op in COMPARISONS:
        i.operations.compared(i, op, a, b, place, frame)
    methods = [
        (method, other)
        for owner, other, name in ((a, b, f"__{METHODS[op]}__"), (b, a, f"__{REFLECTED.get(op) or 'r' + METHODS[op]}__"))
        if (method := special(i, owner, name, place, frame)) is not None
    ]
    if op == "!=" and not methods and any(special(i, owner, "__eq__", place, frame) is not None for owner in (a, b)):
        return _opposite(i, _pair(i, "==", a, b, place, frame), place, frame)
    if not methods and (plain := (own_numbers.value_of(i, a), own_numbers.value_of(i, b))) != (a, b):
        return _pair(i, op, *plain, place, frame)
    return _by_methods(i, op, methods, a, b, place, frame)


def _scalars(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> Value:
    """The operator on scalars that lie somewhere: what comes of it lies there, too, if it is one itself."""
    made = applied(i, op, a, b)
    found = _pair(i, op, bare(a), bare(b), place, frame) if made is not None else UNBOUND
    if made is not None and found == Const(made.value):
        return made
    for member, other in ((a, b), (b, a)):
        meets(i, member, other, frame)
    return found if made is not None else _pair(i, op, bare(a), bare(b), place, frame)


def _objects(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> Value:
    """The operator on objects of the program that lie somewhere."""
    other = scalars_used(i, b, frame)
    first = scalars_used(i, a, frame)
    found = _pair(i, op, identity.bare(first), identity.bare(other), place, frame) if op in identity.OPERATORS else UNBOUND
    made = identity.compared(i, op, first, other, found)
    if made is not None:
        return made
    for member in (first, other):
        i.operations.used(i, member, frame)
    return found if op in identity.OPERATORS else _pair(i, op, identity.bare(first), identity.bare(other), place, frame)


def scalars_used(i: Interpreter, member: Member, frame: Frame) -> Member:
    """One operand, of which the number, flag or text is used."""
    if isinstance(member, Sourced):
        i.operations.used(i, member, frame)
    return bare(member)


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
    answered = i.undecided("imprecise", place, tag="answered")
    refused = Condition("imprecise", place, answered.opposite)
    return i.fork([((answered,), lambda: join(answers)), ((refused,), lambda: _by_methods(i, op, rest, a, b, place, frame))])


NOT_IMPLEMENTED: Final = External("builtins.NotImplemented")


def _note_not_none(i: Interpreter, op: str, a: Member, b: Member, place: Place) -> None:
    """Note on the path that what is computed with a number, or ordered beside one, is not None: None would raise here."""
    if op in ("==", "!="):
        return
    for member, other in ((a, b), (b, a)):
        if isinstance(member, Symbolic) and (member.kinds is None or "NoneType" in member.kinds) and scalar_type(other) in NUMBERS:
            number = Literal_(("is", member.identity, NONE), False)
            if i.outcome(number) is None:
                i.path = (*i.path, Condition(None, place, number, False))


def _builtin_pair(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> Value:
    _reads_operands(i, op, a, b, place, frame)
    _note_not_none(i, op, a, b, place)
    if op in ("==", "!=") and (flag := flag_itself(op == "==", a, b, place) or flag_itself(op == "==", b, a, place)) is not None:
        return flag
    found = numbers(i, op, a, b, place) or texts(i, op, a, b, place)
    if found is None and op == "|":
        found = _one_of(i, a, b)
    if found is not None:
        return found
    found = _sequences(i, op, a, b, place, frame)
    if found is not None:
        return found
    if op in ("==", "!="):
        return equal(i, op, a, b, place)
    found = _modelled(i, op, a, b, place, frame)
    if found is not None:
        return found
    if isinstance(a, (Symbolic, Unknown)) or isinstance(b, (Symbolic, Unknown)):
        i.may_raise()
    if isinstance(a, Symbolic) or isinstance(b, Symbolic):
        kinds = frozenset(("bool",)) if op in COMPARISONS and not _maybe_array(a) and not _maybe_array(b) else None
        return i.derived(op, (a, b), kinds, place)
    for member in (a, b):
        if isinstance(member, Unknown):
            return Unknown(member.reason)
    if op in COMPARISONS:
        compared = _compared(i, op, a, b, place)
        if compared is not None:
            return compared
    if _closed(i, a) and _closed(i, b):
        throw_named(i, "builtins.TypeError", place)
    i.may_raise()
    return i.derived(op, (a, b), None, place)


def _reads_operands(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> None:
    """Note what an operator reads of containers. One that compares a container with a scalar reads nothing; dicts are read where their entries are used."""
    if i.trace is None or op in COMPARISONS and not (isinstance(a, (Ref, Tuple)) and isinstance(b, (Ref, Tuple))):
        return
    for member in (a, b):
        if op in COMPARISONS or not (isinstance(member, Ref) and i.info(member.oid).kind == "dict"):
            aspects.contents(i, member, place, frame)


def _one_of(i: Interpreter, a: Member, b: Member) -> Tuple | None:
    """The union of two types, of which a class of the program is one: for what asks for instances, the tuple of its classes."""
    left, right = _classes(i, a), _classes(i, b)
    if left and right and any(isinstance(cls, Ref) for cls in (*left, *right)):
        return Tuple((*left, *right))
    return None


def _classes(i: Interpreter, member: Member) -> tuple[Value, ...]:
    """The classes in what stands for a type; nothing if it does not."""
    if member == NONE:
        return (External("builtins.NoneType"),)
    if isinstance(member, Tuple):
        parts = [_classes(i, part) for item in member.items or () for part in members(item)]
        return tuple(member.items or ()) if all(parts) else ()
    if isinstance(member, (External, Symbolic, Unknown)) or isinstance(member, Ref) and i.info(member.oid).kind == "class":
        return (member,)
    return ()


def _modelled(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> Value | None:
    """The operator of an object of a library, by its model; None if there is none."""
    for owner, other, name in ((a, b, f"__{METHODS[op]}__"), (b, a, f"__{REFLECTED.get(op) or 'r' + METHODS[op]}__")):
        cls = _library_class(i, owner)
        if cls is not None and model(f"{cls}.{name}") is not None:
            return i.operations.external(i, f"{cls}.{name}", Arguments((owner, other), places=(place, place)), place, frame)
    return None


def _library_class(i: Interpreter, ref: Member) -> str | None:
    """The class of a library that an object is of, as far as it is none of Python's own containers."""
    if not isinstance(ref, Ref):
        return library_class(ref)
    cls, info = i.heap.get(ref.oid, ("#", "class")), i.info(ref.oid)
    if isinstance(cls, External):
        return cls.name
    return info.payload if info.kind == "dict" and isinstance(info.payload, str) else None


COUNTER: Final = "collections.Counter"
FACTORY: Final = ("#", "factory")
"""Where a dict keeps what makes its missing entries."""


def _compared(i: Interpreter, op: str, a: Member, b: Member, place: Place) -> Value | None:
    """An order between two containers of one kind, or two objects of a dataclass that has one; None for anything else."""
    kinds = {i.info(m.oid).kind if isinstance(m, Ref) else "tuple" if isinstance(m, Tuple) else "" for m in (a, b)}
    if kinds == {"instance"} and isinstance(a, Ref) and isinstance(b, Ref):
        fields = fields_compared(i, a, b, "order")
        if fields is None:
            return None
        left, right = ([i.attribute(m, name, place, i.stack[-1]) for name in fields] for m in (a, b))
        return _first_that_differs(i, op, left, right, place)
    if kinds not in ({"list"}, {"set"}, {"tuple"}):
        return None
    x, y = python_value(i, a), python_value(i, b)
    if x is not MISSING and y is not MISSING:
        try:
            return Const(bool(FOLD[op](x, y)))
        except TypeError:
            throw_named(i, "builtins.TypeError", place)
    items = [known_items(i, member) for member in (a, b)] if kinds != {"set"} else [None]
    if items[0] is not None and items[-1] is not None:
        return _first_that_differs(i, op, items[0], items[-1], place)
    i.may_raise("builtins.TypeError")
    return Kind("bool", "imprecise")


def _first_that_differs(i: Interpreter, op: str, a: Sequence[Value], b: Sequence[Value], place: Place) -> Value:
    """The order of two sequences: that of their first items that are not equal, which asks for the truth of `==` of each pair, or of their lengths."""
    for x, y in zip(a, b):
        answer = same_item(i, x, y, place)
        if answer == FALSE:
            return binary(i, op, x, y, place, i.stack[-1])
        if answer != TRUE:
            i.may_raise("builtins.TypeError")
            return Kind("bool", i.truth(answer, place, i.stack[-1]).cause or "imprecise")
    return Const(bool(FOLD[op](len(a), len(b))))


def _closed(i: Interpreter, member: Member) -> bool:
    """Whether all that a member's type can do is known here: scalars, tuples, lists, dicts, sets, functions, instances without library bases."""
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        if kind == "instance":
            names = _type_names(i, member)
            return names is not None and None not in names and all(isinstance(name, Ref) or name in PLAIN for name in names)
        return kind in ("list", "dict", "set", "function", "class", "module", "generator")
    return isinstance(member, (Const, Kind, Range, Tuple, RangeObject, Slice)) and not (
        isinstance(member, Tuple) and member.cls is not None
    )


def _type_names(i: Interpreter, member: Member) -> set[object] | None:

    return type_names(i, member)


def _maybe_array(member: Member) -> bool:
    return isinstance(member, (Unknown, Array)) or isinstance(member, Symbolic) and (member.kinds is None or "array" in member.kinds)


_OPERANDS: Final = (Array, Const, Range, Kind, Length, Measure, Symbolic, Unknown, Tuple, External)
"""What MLX computes with, or refuses itself, that is no object of the heap."""


def _is_operand(i: Interpreter, member: Member) -> bool:
    """Whether an object is one that MLX computes with: a list of numbers, something of numpy, or a number of a class of the program, as a member of an IntEnum."""
    return isinstance(member, Ref) and (
        i.info(member.oid).kind == "list" or _is_numpy(i, member) or own_numbers.number_class(i, member) is not None
    )


def _is_numpy(i: Interpreter, member: Member) -> bool:
    if isinstance(member, Symbolic):
        return bool(member.kinds) and all("." in kind for kind in member.kinds or ())
    return isinstance(member, Ref) and isinstance(i.heap.get(member.oid, ("#", "class")), External)


def _is_no_count(i: Interpreter, member: Member) -> bool:
    """Whether something is surely no integer."""
    if isinstance(member, Ref):
        return i.info(member.oid).kind in ("list", "dict", "set", "function", "module")
    return isinstance(member, Tuple) or scalar_type(member) in ("float", "complex", "NoneType", *TEXTS)


def _sequences(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> Value | None:
    if op == "+" and isinstance(a, (Tuple, ShapeOf)) and isinstance(b, (Tuple, ShapeOf)):
        return concatenated(*(Tuple(None, part.axis(None)) if isinstance(part, ShapeOf) else part for part in (a, b)))
    if op == "*":
        return _repetition(i, a, b, place, frame) or _repetition(i, b, a, place, frame)
    if isinstance(a, Ref) and isinstance(b, Ref):
        kinds = i.info(a.oid).kind, i.info(b.oid).kind
        if op == "+" and kinds == ("list", "list"):
            both = new_list(i, joined_content([lengths.content(i, a), lengths.content(i, b)]), place)
            lengths.remade(i, both.oid, (a, b))
            return both
        if op in ("|", "&", "-", "^") and kinds == ("set", "set"):
            return new_set(i, _combined(i, op, a, b), place, cls=str(i.info(a.oid).payload or "builtins.set"))
        if op == "|" and kinds == ("dict", "dict") and COUNTER not in (i.info(a.oid).payload, i.info(b.oid).payload):
            own = a if i.info(a.oid).payload is not None else b  # a plain dict leaves it to the other operand
            oid = i.allocate("dict", i.info(own.oid).payload, place, "or")
            factory = i.heap.get(own.oid, FACTORY)
            if factory is not None:
                i.heap.set(oid, FACTORY, factory)
            for ref in (a, b):
                merge_dict(i, oid, ref.oid, place, frame)
            return Ref(oid)
    return None


def _repetition(i: Interpreter, sequence: Member, count: Member, place: Place, frame: Frame) -> Value | None:
    """A list or tuple so many times; None of anything else, and where that is no number."""
    is_list = isinstance(sequence, Ref) and i.info(sequence.oid).kind == "list"
    if not is_list and not isinstance(sequence, Tuple) or _is_no_count(i, count):
        return None
    if isinstance(count, Array):
        i.operations.use(i, "index", count, "repeat", place, frame)
    content = i.live(i.heap.get(sequence.oid, ITEMS) or Unknown("list")) if isinstance(sequence, Ref) else sequence
    result = i.split(content, lambda part: _repeated(i, part, count))
    return measures.measured(i, new_list(i, result, place), (count,)) if is_list else result


def _repeated(i: Interpreter, content: Member, count: Member) -> Value:
    """The content of a list or tuple so many times."""
    if not isinstance(content, Tuple):
        return content
    number = as_constant(count)  # also of the length of an axis that calls in sight give
    times = number.value if isinstance(number, Const) and isinstance(number.value, int) else None
    if content.items is not None and times is not None and len(content.items) * max(times, 0) <= MAX_REPEATED:
        return Tuple(content.items * times)
    parts = [part for part in content.parts if part is not None]
    return Tuple(None, join(parts) if parts else None, loops=united((content.loops, novelty.moving(i, count))))


MAX_REPEATED: Final = 64
"""So many items of a repeated sequence are known one by one."""


def _combined(i: Interpreter, op: str, a: Ref, b: Ref) -> Tuple:
    """The content of `a op b` of sets."""
    first, second = (list(members(i.heap.get(ref.oid, ITEMS) or Unknown("set"))) for ref in (a, b))
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


def _formatted(i: Interpreter, a: Member, b: Member, place: Place, frame: Frame) -> Value:
    """`text % arguments`."""
    texts: list[Value] = [a]
    for part in i.each(b):
        if isinstance(part, Ref) and container(i, part) == "dict":
            given: Sequence[Value] = [
                i.operations.used(i, i.operations.item(i, part, Const(name), place, frame), frame) for name in named(a)
            ]
        else:
            given = part.parts if isinstance(part, Tuple) else (part,)
        for item in given:
            texts.append(text_of(i, item, "str", place, frame, asking=Asking("format", "%")))
    pieces, filling = of_percent(a), b.items if isinstance(b, Tuple) else (b,)
    if pieces is not None and filling is not None and len(filling) == sum(isinstance(piece, Field) for piece in pieces):
        made = filled_in(i, pieces, filling, place, frame)
        if made is not None:
            return made
    if isinstance(b, Symbolic):
        return i.derived("%", (a, b), frozenset(("str",)), place)
    if isinstance(a, Const) and isinstance(b, Tuple) and b.items is not None and all(type(item) is Const for item in b.items):
        return fold(i, "%", a, Const(tuple(item.value for item in b.items if isinstance(item, Const))), place)
    one = all(isinstance(text, Const) for text in texts)  # which text it is was not followed
    return Kind("str", "imprecise" if one else "varying")


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
        return over(step_of(minus(member.high), minus(member.low), member.stride), turned(member.loops))
    if isinstance(member, (Length, Measure)):
        known = as_constant(member)
        if isinstance(known, Const) and (op != "~" or isinstance(known.value, int)):
            return from_lengths(apply(known.value), origins(member))
        return Measure(scalar_type(member) or "int", origins(member)) if op != "+" else member
    if isinstance(member, (Range, Kind)):
        return Kind(
            "int" if scalar_type(member) == "bool" else scalar_type(member) or "int",
            member.cause if isinstance(member, Kind) else "varying",
            member.loops,
        )
    method = special(i, member, name, place, frame)
    if method is not None:
        return i.call(method, Arguments(), place, frame)
    if isinstance(member, Unknown):
        return member
    cls = _library_class(i, member)
    if cls is not None and model(f"{cls}.{name}") is not None:
        return i.operations.external(i, f"{cls}.{name}", Arguments((member,), places=(place,)), place, frame)
    kinds = member.kinds if isinstance(member, Symbolic) else None
    return i.derived(op, (member,), kinds, place)
