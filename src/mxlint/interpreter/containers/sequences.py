"""Builtins and classes of `collections` that make, measure and go over containers: `len(x)`, `range(n)`, `zip(a, b)`, `list(x)`, `any(x)`, `deque(x)`.

What each makes of all that a value may stand for. `sorted`, `min` and `max` are in `ordering.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.join import constant_range, join, length_of
from mxlint.domain.members import (
    NONE,
    Const,
    External,
    Kind,
    Member,
    Range,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Union,
    Unknown,
    Value,
    members,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.portions import found as lies
from mxlint.interpreter.compiled.portions import is_older
from mxlint.interpreter.compiled.portions import length as length_of_tuple
from mxlint.interpreter.compiled.scalars import are_scalars
from mxlint.interpreter.containers import answers, aspects
from mxlint.interpreter.containers.any_all import any_or_all
from mxlint.interpreter.containers.builders import any_number, new_list, new_set, put
from mxlint.interpreter.containers.deques import MAXLEN, bounded, cut
from mxlint.interpreter.containers.elements import dict_keys, known_items
from mxlint.interpreter.containers.methods import update_dict
from mxlint.interpreter.containers.ordering import extreme, in_order
from mxlint.interpreter.containers.rows import are_named, in_rows
from mxlint.interpreter.expressions.arithmetic import origins
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.generators.advancing import element_of, exhausted, next_item, opened
from mxlint.interpreter.generators.iterators import ITERABLES, new_iterator, parts_of
from mxlint.interpreter.libraries import measures
from mxlint.interpreter.libraries.library import call_model
from mxlint.interpreter.loops.comprehensions import is_fresh
from mxlint.interpreter.loops.iteration import collected, listed, listed_each
from mxlint.interpreter.loops.lengths import Lengths, measured
from mxlint.interpreter.loops.looked import looks
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import DISTINCT, HELD_COUNT, ITEMS
from mxlint.interpreter.objects.lookup import class_attribute, class_of, container, environment, special
from mxlint.interpreter.open_world import given_contents, given_dicts, unseen_layers


def _len(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return measured(i, args.args[0], i.split(args.args[0], partial(_length, i, place, frame)), place)


def _length(i: Interpreter, place: Place, frame: Frame, member: Member) -> Value:
    """How many items one member has."""
    if isinstance(member, Array):
        return i.operations.array(i, "mlx.core.array.__len__", (member,), place, frame)
    method = special(i, member, "__len__", place, frame)
    if method is not None:
        return i.call(method, Arguments(), place, frame)
    if isinstance(member, Tuple) and (number := length_of_tuple(i, member, place, frame)) is not None:
        return number
    if isinstance(member, Const) and isinstance(member.value, (str, bytes)):
        return Const(len(member.value))
    kind = container(i, member) if isinstance(member, Ref) else ""
    if isinstance(member, Ref) and kind:
        looks(i, member.oid)
        length = aspects.known_length(i, member.oid)
        if length is not None:
            return lies(i, member.oid, aspects.LENGTH, length, place, frame)
        aspects.ask(i, member.oid, aspects.LENGTH, place, frame)
    if isinstance(member, Ref) and kind in ("list", "set"):
        content = i.live(i.heap.get(member.oid, ITEMS) or Unknown("list"))
        if kind == "set" and any(_may_be_equal(content_member) for content_member in members(content)):
            return Kind("int", "open")
        return measures.counted(i, member, bounded(i, member.oid, i.split(content, partial(_length, i, place, frame))))
    if isinstance(member, Tuple) and member.items is None:
        if member.least is None:
            return Kind("int", "imprecise")
        return Kind("int", "open") if member.given else Range(member.least, None)
    decided = environment(i, member) if isinstance(member, External) else None
    if decided is not None:
        return i.derived("len", (decided,), frozenset(("int",)), place)
    if isinstance(member, Ref) and i.info(member.oid).kind == "iterator" and i.info(member.oid).payload not in aspects.VIEWS:
        throw_named(i, "builtins.TypeError", place)
    items = dict_keys(i, member.oid) if isinstance(member, Ref) and kind == "dict" else known_items(i, member)
    if items is not None:
        return Const(len(items))
    if isinstance(member, Ref) and i.info(member.oid).kind == "iterator":
        return i.split(parts_of(i, member)[0], partial(_length, i, place, frame))  # a view of a dict has as many as that
    if isinstance(member, RangeObject):
        numbers = constant_range(member)
        if numbers is not None:
            return Const(length_of(numbers))
    if isinstance(member, (Symbolic, ShapeOf)) or isinstance(member, Ref) and _measured_elsewhere(i, member):
        given_contents.read(i, member, place, frame, HELD_COUNT)
        return i.derived("len", (member,), frozenset(("int",)), place)
    if isinstance(member, (Const, Range)):
        throw_named(i, "builtins.TypeError", place)
    if isinstance(member, Ref) and kind == "dict":
        given = given_dicts.length(i, member.oid, place) or unseen_layers.length(i, member.oid, place)
        if given is not None:
            return given
    unseen = isinstance(member, Ref) and kind == "dict" and aspects.given(i, member)
    return Kind("int", "open" if unseen else "imprecise")


def _may_be_equal(content: Member) -> bool:
    """Whether items of a set that are kept one by one may be equal, since nothing in sight says what they are: then the set holds one of them."""
    items = content.items or () if isinstance(content, Tuple) else ()
    return len(items) > 1 and not all(map(_is_told_apart, items))


def _is_told_apart(value: Value) -> bool:
    """Whether a value is known well enough to say what equals it."""
    if isinstance(value, Tuple):
        return value.items is not None and all(map(_is_told_apart, value.items))
    return isinstance(value, (Const, Ref, External))


def _measured_elsewhere(i: Interpreter, ref: Ref) -> bool:
    """Whether the length of an object is what a library says it is: an array of numpy."""
    cls = class_of(i, ref) if i.info(ref.oid).kind == "instance" else None
    method = class_attribute(i, cls, "__len__") if cls is not None and not isinstance(cls, Union) else None
    return isinstance(method, External) and not method.name.startswith("mlx.")


def _range(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    for value in args.args:
        for member in members(value):
            if isinstance(member, Array) or origins(member):
                i.operations.use(i, "index", member, "builtins.range", place, frame)
    given = [_bound_of_range(i, value, place) for value in args.args]
    steps = list(members(given[2])) if len(given) > 2 else []
    if steps == [Const(0)]:
        throw_named(i, "builtins.ValueError", place)
    if Const(0) in steps:
        i.may_raise("builtins.ValueError")
    if len(given) == 1:
        return RangeObject(Const(0), given[0], Const(1))
    if len(given) >= 2:
        return RangeObject(given[0], given[1], given[2] if len(given) > 2 else Const(1))
    return i.symbolic(place, "range")


NO_BOUND: Final = frozenset(("float", "complex", "NoneType", "str", "bytes"))
"""Types of scalars that no range begins or ends with."""


def _bound_of_range(i: Interpreter, value: Value, place: Place) -> Value:
    """What of a value may bound a range; for anything else Python raises TypeError."""
    left = [member for member in members(value) if scalar_type(member) not in NO_BOUND]
    if not left:
        throw_named(i, "builtins.TypeError", place)
    if len(left) < len(members(value)):
        i.may_raise("builtins.TypeError")
        return join(left)
    return value


def _slice(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    given = args.args
    if len(given) == 1:
        return Slice(NONE, given[0], NONE)
    return Slice(given[0], given[1], given[2] if len(given) > 2 else NONE)


def _indices(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`slice.indices(length)`: asks the arrays among the bounds for their numbers."""
    for member in members(args.args[0]):
        for bound in (member.lower, member.upper, member.step) if isinstance(member, Slice) else ():
            for part in i.each(bound):
                if isinstance(part, Array):
                    i.operations.use(i, "index", part, "builtins.slice.indices", place, frame)
    return call_model(i, "builtins.slice.indices", args, place, frame) or Tuple((Kind("int", "open"),) * 3)


def _iterator(kind: str) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        several = next((part for part in map(i.live, args.args) if kind == "zip" and _is_one_of_objects(i, part)), None)
        if several is not None:
            return i.split(several, lambda member: _of_one(i, args, several, member, place, frame))
        over = ITERABLES[kind]
        given = [opened(i, part, place, frame) if kind == "zip" else part for part in args.args[over]]
        named = kind == "zip" and any(isinstance(part, Array) for part in given) and are_named(i, given)
        iterables = (in_rows(i, part, place, frame, named=named) for part in given)
        parts = (*args.args[: over.start or 0], *iterables, *args.args[len(args.args) if over.stop is None else over.stop :])
        if kind == "enumerate" and "start" in args.keywords:
            parts = (*parts, args.keywords["start"])
        if args.star is not None:
            parts = (*parts, Tuple(None, element_of(i, args.star, place, frame)))
        return new_iterator(i, kind, parts, place, "" if kind == "reversed" else f"builtins.{kind}")

    return run


def _is_one_of_objects(i: Interpreter, value: Value) -> bool:
    """Whether a value is one of several things, an object of the program among them, which says itself what is gone over."""
    return isinstance(value, Union) and any(isinstance(member, Ref) and i.info(member.oid).kind == "instance" for member in members(value))


def _of_one(i: Interpreter, args: Arguments, several: Value, member: Member, place: Place, frame: Frame) -> Value:
    """`zip` over one of several things: each gives an iterator of its own."""
    with i.within((place, "of", members(several).index(member))):
        given = tuple(member if i.live(part) == several else part for part in args.args)
        return _iterator("zip")(i, Arguments(given, args.keywords, args.star), place, frame)


def _iter(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    if len(args.args) == 2:
        return new_iterator(i, "calls", args.args, place)

    def one(member: Member) -> Value:
        if isinstance(member, Ref):
            if i.info(member.oid).kind in ("iterator", "generator") and i.info(member.oid).payload not in ("items", "keys", "values"):
                return member
            method = special(i, member, "__iter__", place, frame)
            if method is not None:
                return i.call(method, Arguments(), place, frame)
        if isinstance(member, Symbolic):
            return new_iterator(i, "iter", (member,), place)
        if isinstance(member, Unknown):
            return member
        return new_iterator(i, "iter", (in_rows(i, member, place, frame),), place)

    return i.split(args.args[0], one)


def _next(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    value, default = args.args[0], args.args[1] if len(args.args) > 1 else None
    if i.trace is not None and isinstance(value, Ref) and is_fresh(i, value) and not i.heap.is_captured(value.oid):
        return first_of(i, value, default, place, frame)
    return next_item(i, value, default, place, frame)


def _elements_of(i: Interpreter, kind: str, value: Value, place: Place, frame: Frame) -> Value:
    """The content of a container that is made of an iterable."""
    if kind == "list":
        return listed_each(i, value, place, frame)
    if kind == "tuple":
        return listed(i, value, place, frame)
    items = aspects.unordered(i, value, place, frame, DISTINCT)
    return collected(i, value, place, frame) if items is None else items


def _container(kind: str) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        given = args.args[0] if args.args else NONE
        if isinstance(given, Union):
            return i.split(given, lambda member: run(i, Arguments((member,), places=args.places), place, frame))
        content: Value = Tuple(())
        if isinstance(given, (Symbolic, Unknown)):
            reads = given_contents.read_in_any_order if kind in ("set", "frozenset") else given_contents.read_in_order
            reads(i, given, place, frame)
            content = any_number(given if isinstance(given, Unknown) else i.derived("element", (given,), None, place))
        elif args.args:
            content = _elements_of(i, kind, args.args[0], place, frame)
        if kind == "tuple":
            return content
        if kind == "list":
            return measures.as_long_as(i, new_list(i, content, place), given)
        if isinstance(content, Tuple) and content.items is None and content.least:  # what is equal is there once
            content = Tuple(None, content.element, least=1, given=content.given)
        return new_set(i, content, place, cls=f"builtins.{kind}")

    return run


def _dict(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("dict", None, place)
    update_dict(i, Ref(oid), args, place, frame)
    if args.kwstar is not None:
        i.heap.set(oid, ("#", "rest"), args.kwstar)
    return Ref(oid)


def _fromkeys(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`dict.fromkeys`, also as it is called of a class of the program or of a library that extends it."""
    given = args.args[1:] if args.args and _makes_objects(i, args.args[0]) else args.args
    made: Value = Ref(i.allocate("dict", None, place, "fromkeys"))
    if given is not args.args and args.args[0] != External("builtins.dict"):
        made = i.call(args.args[0], Arguments(), place, frame)
    if not given:  # `dict.fromkeys(*args)`
        return call_model(i, "builtins.dict.fromkeys", args, place, frame) or i.symbolic(place, "fromkeys")
    value = given[1] if len(given) > 1 else NONE

    def put_in(key: Value) -> None:
        i.operations.set_item(i, made, key, value, place, frame)

    i.iterate(given[0], put_in, place, frame)
    return made


def _makes_objects(i: Interpreter, value: Value) -> bool:
    return isinstance(value, External) or isinstance(value, Ref) and i.info(value.oid).kind == "class"


def _sum(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    total: Value = args.get(1, "start") or Const(0)
    box = new_list(i, Tuple((total,)), place, "sum")

    def add(value: Value) -> None:
        i.heap.set(box.oid, ITEMS, Tuple((binary(i, "+", so_far(), value, place, frame),)))

    def so_far() -> Value:
        content = i.heap.get(box.oid, ITEMS)
        found = [m.items[0] for m in members(content or Unknown("sum")) if isinstance(m, Tuple) and m.items]
        return join(found) if found else Unknown("sum")

    items = aspects.unordered(i, args.args[0], place, frame)
    i.modes.any_order = isinstance(args.args[0], Symbolic)
    try:
        i.iterate(args.args[0] if items is None else items, add, place, frame)
    finally:
        i.modes.any_order = False
    return so_far()


def first_of(i: Interpreter, value: Ref, default: Value | None, place: Place, frame: Frame) -> Value:
    """The first element of a generator expression that nobody asks for another one."""
    with i.leaving() as ends:
        i.iterate(value, lambda element: i.leave(ends, element), place, frame)
        i.leave(ends, exhausted(i, default, place))
    return i.arrive(ends)


def _defaultdict(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("dict", "collections.defaultdict", place)
    if args.args and args.args[0] != NONE:
        i.heap.set(oid, ("#", "factory"), args.args[0])
    update_dict(i, Ref(oid), Arguments(args.args[1:], args.keywords), place, frame)
    return Ref(oid)


def _ordered(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("dict", "collections.OrderedDict", place)
    update_dict(i, Ref(oid), args, place, frame)
    return Ref(oid)


def _counter(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """A Counter of known constants is counted; else each key has any number."""
    oid = i.allocate("dict", "collections.Counter", place)
    given = args.args[0] if args.args else Tuple(())
    i.heap.set(oid, ("#", "factory"), External("builtins.int"))
    if isinstance(given, Ref) and container(i, given) == "dict":
        update_dict(i, Ref(oid), args, place, frame)
        return Ref(oid)
    content = (
        collected(i, given, place, frame)
        if not isinstance(given, (Symbolic, Unknown, Array))
        else Tuple(None, element_of(i, given, place, frame))
    )
    if content.items is not None and all(isinstance(item, Const) for item in content.items):
        for key in dict.fromkeys(content.items):
            put(i, oid, key, Const(content.items.count(key)))
    else:
        parts = content.items if content.items is not None else (content.element,)
        put(i, oid, Kind("str", "varying") if not parts else Unknown("key"), Range(1, None))
        i.heap.set(oid, ("#", "restkey"), join([p for p in parts if p is not None]))
    for name, value in args.keywords.items():
        put(i, oid, Const(name), value)
    return Ref(oid)


def _deque(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    content = (
        collected(i, args.args[0], place, frame)
        if args.args and not isinstance(args.args[0], (Symbolic, Unknown))
        else Tuple(())
        if not args.args
        else any_number(i.symbolic(place, "element"))
    )
    most = args.get(1, "maxlen")
    if most is None or most == NONE:
        return new_list(i, content, place, "deque", "collections.deque")
    made = new_list(i, cut(content, most), place, "deque", "collections.deque")
    i.heap.set(made.oid, MAXLEN, most)
    i.ledger.of(Lengths).bounded.add(made.oid)
    return made


def _answering(name: str, otherwise: Handler) -> Handler:
    """A function that a trace asks something about all items of a list or set: it reads the answer, if that is known at once."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        plain = i.trace is not None and not args.keywords and args.star is None and args.kwstar is None
        asked = answers.question(i, name, args.args) if plain else None
        if asked is not None and i.trace is not None and asked[0] not in i.trace.captures.ins:
            location = (asked[0], (aspects.ANSWER, asked[1]))
            found = aspects.aspect(i, *location)
            if are_scalars(found) and is_older(i, *location, frame):
                return lies(i, *location, found, place, frame)
        return otherwise(i, args, place, frame)

    return run


HANDLERS: Final[dict[str, Handler]] = {
    "builtins.len": _len,
    "builtins.range": _range,
    "builtins.slice": _slice,
    "builtins.slice.indices": _indices,
    "builtins.iter": _iter,
    "builtins.next": _next,
    "builtins.list": _container("list"),
    "builtins.tuple": _container("tuple"),
    "builtins.set": _container("set"),
    "builtins.frozenset": _container("frozenset"),
    "builtins.dict": _dict,
    "builtins.dict.fromkeys": _fromkeys,
    "builtins.sum": _answering("builtins.sum", _sum),
    "builtins.all": _answering("builtins.all", any_or_all(False)),
    "builtins.any": _answering("builtins.any", any_or_all(True)),
    "builtins.sorted": in_order,
    "builtins.min": _answering("builtins.min", extreme("min")),
    "builtins.max": _answering("builtins.max", extreme("max")),
    "collections.defaultdict": _defaultdict,
    "collections.OrderedDict": _ordered,
    "collections.Counter": _counter,
    "collections.deque": _deque,
    **{f"builtins.{name}": _iterator(name) for name in ("enumerate", "zip", "map", "filter", "reversed")},
}
"""By canonical name; those with `#` are called by the interpreter itself."""
