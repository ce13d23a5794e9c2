"""`==`, `is` and `in`: the outcome where it is known, by special methods of the program, else by what the two values stand for.

Two constants decide, and so do a list and None. Two `Symbolic`s of one identity are equal; of others either outcome may come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.join import bound, constant_range, of
from mxlint.domain.members import (
    FALSE,
    TRUE,
    UNBOUND,
    Bound,
    Const,
    External,
    Kind,
    Member,
    Option,
    Range,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Unknown,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.parts import is_one
from mxlint.domain.place import Place
from mxlint.domain.texts import cannot_be
from mxlint.interpreter.compiled.keyed import ALL
from mxlint.interpreter.containers import aspects, membership
from mxlint.interpreter.containers.builders import as_key, hashed, is_key
from mxlint.interpreter.containers.elements import dict_keys, enum_members, known_items
from mxlint.interpreter.expressions.arithmetic import NUMBERS, fold, negation
from mxlint.interpreter.expressions.choices import as_flag, cause
from mxlint.interpreter.generators.iterators import parts_of
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.costs import Costs
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS, REST
from mxlint.interpreter.objects.lookup import CLASS, FIELDS, by_identity, environment, fields_of, mro, special
from mxlint.interpreter.objects.lookup import container as container_kind
from mxlint.interpreter.open_world import given_dicts
from mxlint.interpreter.open_world.presumptions import taken_from


class Compared:
    """What `==` gave of the pairs of objects that the comparison under way has come to."""

    __slots__ = ("pairs",)

    def __init__(self) -> None:
        self.pairs: dict[tuple[Value, Value], Value] | None = None


MAX_COMPARED: Final = 96
"""Parts of the name of what says whether things are equal, as texts that are made of several."""


def _equal_items(i: Interpreter, same: bool, a: Sequence[Value], b: Sequence[Value], place: Place) -> Value:
    """Whether two sequences of one length are equal, item by item."""
    found = _compared(i, a, b, place)
    if any(answer == FALSE for answer in found):
        return Const(not same)
    rest = [answer for answer in found if answer != TRUE]
    if not rest:
        return Const(same)
    single = [answer for answer in rest if isinstance(answer, Symbolic)]
    parts = [member for answer in rest for member in members(answer)]
    if all(isinstance(part, (Symbolic, Const)) for part in parts):
        asked = [answer for answer in rest if not isinstance(answer, Symbolic)]
        if single:
            asked.insert(0, single[0] if len(single) == 1 else i.derived(ALL, single, frozenset(("bool",)), place, most=MAX_COMPARED))
        return _opposite(_all_hold(i, asked, place), place) if not same else _all_hold(i, asked, place)
    if len(rest) == 1:
        return rest[0] if same else _opposite(rest[0], place)
    causes = {part.cause for part in parts if isinstance(part, Kind)} | {"open" for part in parts if isinstance(part, Symbolic)}
    known = causes and all(isinstance(part, (Kind, Symbolic, Const)) for part in parts)
    return Kind("bool", ("imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying") if known else "imprecise")


def _all_hold(i: Interpreter, answers: Sequence[Value], place: Place) -> Value:
    """Whether all of some answers are true: each is asked where those before it are, so that what follows from it is known where all are."""
    first, *others = answers
    if not others:
        return first
    truth = i.truth(first, place, i.stack[-1])
    return i.choose(truth, place, lambda: _all_hold(i, others, place), lambda: FALSE)


def _opposite(value: Value, place: Place) -> Value:
    return of(Option(_answer(option.member, False, place), option.guard) for option in options(value))


def _compared(i: Interpreter, a: Sequence[Value], b: Sequence[Value], place: Place) -> list[Value]:
    """The truth of `==` of each pair, up to the first that is not; two objects that are met again in one comparison are compared once."""
    outer = i.ledger.of(Compared).pairs
    known: dict[tuple[Value, Value], Value] = {} if outer is None else outer
    i.ledger.of(Compared).pairs = known
    found: list[Value] = []
    try:
        for x, y in zip(a, b):
            answer = known.get((x, y))
            if answer is None:
                answer = same_item(i, x, y, place)
                if isinstance(x, (Tuple, Ref)) and isinstance(y, (Tuple, Ref)):
                    known[x, y] = answer
            found.append(answer)
            if answer == FALSE:
                break
    finally:
        i.ledger.of(Compared).pairs = outer
    return found


def is_same_thing(i: Interpreter, x: Value, y: Value) -> bool:
    """Whether two values are one array, or one thing of which nothing else is known: a container takes it for the same without a comparison."""
    if isinstance(x, Symbolic) and isinstance(y, Symbolic):
        return x.identity == y.identity
    if not isinstance(x, Array) or not isinstance(y, Array) or x.ident != y.ident:
        return False
    return not (x.several or y.several or i.info(x.ident).summary)


def same_item(i: Interpreter, x: Value, y: Value, place: Place) -> Value:
    """Whether a container takes two of its items for the same: that are one object, or of which `==` is true."""
    i.place = place
    answer = i.split(x, lambda a: i.split(y, lambda b: _same(i, a, b, place)))
    arrays = [member for member in members(answer) if isinstance(member, Array)]
    for member in arrays:
        i.operations.use(i, "truth", member, "==", place, i.stack[-1])
    return Kind("bool", "open") if arrays else answer


def _same(i: Interpreter, a: Member, b: Member, place: Place) -> Value:
    return TRUE if is_same_thing(i, a, b) else i.operations.binary(i, "==", a, b, place, i.stack[-1])


def equal(i: Interpreter, op: str, a: Member, b: Member, place: Place) -> Value:
    """`a == b`, or `!=`, of values whose class is not of the program."""
    same = op == "=="
    if isinstance(a, Tuple) and isinstance(b, Tuple) and a.items is not None and b.items is not None:
        if len(a.items) != len(b.items):
            return Const(not same)
        if a == b and all(is_one(item) and not isinstance(item, (Array, Symbolic)) for item in a.items):
            return Const(same)
        return _equal_items(i, same, a.items, b.items, place)
    if isinstance(a, Ref) and isinstance(b, Ref):
        kinds = {i.info(a.oid).kind, i.info(b.oid).kind}
        if a.oid == b.oid and not i.info(a.oid).summary and len(kinds) == 1:
            return Const(same)
        if kinds <= {"function", "class", "module"}:
            return Const(not same)
        if kinds == {"list"}:
            return equal(i, op, _content(i, a), _content(i, b), place)
        found = _equal_entries(i, same, a, b, place) if kinds == {"dict"} else _equal_sets(i, same, a, b) if kinds == {"set"} else None
        if found is not None:
            return found
        if kinds & {"list", "dict", "set"}:
            return Kind("bool", "imprecise")
        fields = fields_compared(i, a, b)
        if fields is not None:
            held = [[i.attribute(ref, name, place, i.stack[-1]) for name in fields] for ref in (a, b)]
            return _equal_items(i, same, held[0], held[1], place)
        if all(_comparing(i, ref, "eq") is not None for ref in (a, b)) and i.heap.get(a.oid, CLASS) != i.heap.get(b.oid, CLASS):
            return Const(not same)  # what dataclasses write for it asks for one class
        return Const(not same) if len(kinds) > 1 or by_identity(i, a) and by_identity(i, b) else Kind("bool", "open")
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Ref) and isinstance(y, (Const, Tuple)) and by_identity(i, x):
            return Const(not same)
    if isinstance(a, External) and isinstance(b, External):
        return Const((a.name == b.name) is same)
    if isinstance(a, External) or isinstance(b, External):
        a, b = (environment(i, x) or x if isinstance(x, External) else x for x in (a, b))
    s, t = _type_group(i, a), _type_group(i, b)
    if s and t and s != t:
        return Const(not same)
    if isinstance(a, Symbolic) or isinstance(b, Symbolic):
        first, second = (a, b) if isinstance(a, Symbolic) else (b, a)
        if a == b and s:
            return Const(same)
        if isinstance(first, Symbolic) and isinstance(second, Const) and cannot_be(first.identity, second.value):
            return Const(not same)
        found = i.derived("==", (first, second), None if not s and not t else frozenset(("bool",)), place, most=MAX_COMPARED)
        return found if same else negation(found, place)
    for member in (a, b):
        if isinstance(member, Unknown):
            return Unknown(member.reason)
    if isinstance(a, ShapeOf) or isinstance(b, ShapeOf):
        return _equal_shapes(i, same, a, b, place)
    if isinstance(a, Kind) or isinstance(b, Kind) or isinstance(a, Range) or isinstance(b, Range):
        causes = {m.cause for m in (a, b) if isinstance(m, Kind)} or {"varying"}
        return Kind("bool", "imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying")
    return Kind("bool", "imprecise")


def _equal_shapes(i: Interpreter, same: bool, a: Member, b: Member, place: Place) -> Value:
    """Whether a shape of unknown rank is equal to something: a thing that the arrays decide."""
    if not all(isinstance(member, (ShapeOf, Tuple)) for member in (a, b)):
        return Const(not same)
    whole = [isinstance(member, Tuple) or isinstance(member, ShapeOf) and member.exact and member.part is not None for member in (a, b)]
    if a == b and all(whole):
        return Const(same)
    part = () if all(whole) else (Const(place.start),)  # nobody says which part of a shape it is
    found = i.derived("==", (a, b, *part), frozenset(("bool",)), place)
    return found if same else negation(found, place)


def _equal_entries(i: Interpreter, same: bool, a: Ref, b: Ref, place: Place) -> Value | None:
    """Whether two dicts are equal; None if it is not known which keys they have, or if a class of the library compares them in its own way."""
    if any(isinstance(i.info(ref.oid).payload, str) for ref in (a, b)):
        return None
    keys = [dict_keys(i, ref.oid) for ref in (a, b)]
    if keys[0] is None or keys[1] is None or not all(isinstance(key, Const) for each in keys for key in each or ()):
        return None
    values: list[list[Value]] = [[], []]
    for key in keys[0]:
        other = next((held for held in keys[1] if held.value == key.value), None)  # type: ignore[union-attr]
        if other is None:
            return Const(not same)
        for found, ref, at in zip(values, (a, b), (key, other)):
            found.append(i.heap.get(ref.oid, ("k", at)) or Unknown("dict"))
    if any(isinstance(member, Unbound) for value in (*values[0], *values[1]) for member in members(value)):
        return None
    return _equal_items(i, same, values[0], values[1], place) if len(keys[0]) == len(keys[1]) else Const(not same)


def fields_compared(i: Interpreter, a: Ref, b: Ref, option: str = "eq") -> list[str] | None:
    """The fields by which two objects of one dataclass are compared; None of anything else. Methods of the program have been asked before. `option`: of
    the decorator that asks for that, "eq" or "order"."""
    cls = i.heap.get(a.oid, CLASS)
    made = _comparing(i, a, option)
    if made is None or i.heap.get(b.oid, CLASS) != cls:
        return None
    found: list[str] = []
    for name, default, _ in fields_of(i, made):
        own = default.oid if isinstance(default, Ref) and i.info(default.oid).kind == "field" else None
        compared = i.heap.get(own, "compare") or TRUE if own is not None else TRUE
        if compared not in (TRUE, FALSE):
            return None
        if compared == TRUE:
            found.append(name)
    return found


def _comparing(i: Interpreter, ref: Ref, option: str) -> Ref | None:
    """The dataclass for which was written how an object is compared: its own, or one that it inherits from."""
    cls = i.heap.get(ref.oid, CLASS)
    bases = [base for base in mro(i, cls) if isinstance(base, Ref)] if isinstance(cls, Ref) else []
    return next((base for base in bases if i.heap.get(base.oid, FIELDS) is not None and i.heap.get(base.oid, ("#", option)) == TRUE), None)


def _equal_sets(i: Interpreter, same: bool, a: Ref, b: Ref) -> Value | None:
    """Whether two sets are equal; None if they do not hold constants alone."""
    x, y = _content(i, a), _content(i, b)
    held = [part.items if isinstance(part, Tuple) else None for part in (x, y)]
    if any(items is None or not all(isinstance(item, Const) for item in items) for items in held):
        return None
    first, second = ({item.value for item in items or () if isinstance(item, Const)} for items in held)
    return Const((first == second) is same)


def _content(i: Interpreter, ref: Ref) -> Member:
    found = i.heap.get(ref.oid, ITEMS)
    return found if isinstance(found, Tuple) else Unknown("list")


def _type_group(i: Interpreter, member: Member) -> str | None:
    """What equality never crosses: numbers, strings, bytes, None, a list, a tuple, a class … None if it is not known."""
    name = scalar_type(member)
    if name is not None:
        return "number" if name in (*NUMBERS, "number") else name if name in ("str", "bytes", "NoneType") else None
    if isinstance(member, Tuple):
        return "tuple"
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        return kind if kind in ("list", "dict", "set", "function", "class", "module") else None
    return None


def flag_itself(same: bool, a: Value, b: Value, place: Place) -> Symbolic | None:
    """A flag that is compared with True or False says that itself; None of anything else."""
    if not isinstance(a, Symbolic) or as_flag(a, b) is None:
        return None
    return a if (b == TRUE) is same else negation(a, place)


def identical(i: Interpreter, op: str, a: Member, b: Member, place: Place) -> Value:
    """`a is b`, or `is not`."""
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
                if (flag := flag_itself(op == "is", x, y, place)) is not None:
                    return flag
                found = i.derived("is", (x, y), frozenset(("bool",)), place)
                if y.value is None and _is_of_the_program(i, x):
                    i.causes[found.identity] = ("imprecise", place)
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
        if a.name == b.name and i.mlx.dtype(a.name) is not None:
            return Kind("bool", "imprecise")  # each array gives another object for its dtype, and mx.float32 is one
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


def _is_of_the_program(i: Interpreter, member: Symbolic) -> bool:
    """Whether a function of the program that is not followed gives something, or what it is an item of: whether that is None, the program decides."""
    return taken_from(member.identity) in i.ledger.of(Costs).given_up


def contains(i: Interpreter, op: str, item: Member, container: Member, place: Place, frame: Frame) -> Value:
    """`item in container`, or `not in`."""
    positive = op == "in"
    if isinstance(container, Const) and isinstance(container.value, (str, bytes)) and isinstance(item, Const):
        return fold(i, op, item, container, place)
    if isinstance(container, Array):
        return i.operations.array(i, "mlx.core.array.__contains__", (container, item), place, frame)
    method = special(i, container, "__contains__", place, frame)
    if method is not None:
        answer = i.truth(i.call(method, Arguments((item,), places=(place,)), place, frame), place, frame)
        return Const(answer.outcome is positive) if answer.outcome is not None else Kind("bool", answer.cause or "imprecise")
    if isinstance(container, RangeObject) and isinstance(item, Const) and (numbers := constant_range(container)) is not None:
        return Const((item.value in numbers) is positive)
    tables = parts_of(i, container) if isinstance(container, Ref) and _are_keys(i, container) else ()
    if tables:
        return i.split(tables[0], lambda table: contains(i, op, item, table, place, frame))
    if isinstance(container, Ref) and (seen := _seen(i, container)) is not None:
        aspects.iterated(i, container, place, frame)
        return contains(i, op, item, seen, place, frame)
    if isinstance(container, Ref) and container_kind(i, container) == "dict":
        hashed(i, item, place, frame)
        item = as_key(item)
    keys, are_all = _compared_with(i, item, container, place, frame)
    answered = _is_one_of(i, item, keys, are_all, container, place, frame) if keys is not None else None
    if answered is not None:
        return of(Option(_answer(option.member, positive, place), option.guard) for option in options(answered))
    if isinstance(container, Unknown) or isinstance(item, Unknown):
        return Unknown("membership")
    asked = given_dicts.is_there(i, container.oid, item, place) if isinstance(container, Ref) else None
    if asked is not None:
        return asked if positive else negation(asked, place)
    if isinstance(container, Ref):
        if not keys or not are_all or not all(isinstance(one, (Const, Symbolic)) for one in (item, *keys)):
            return Kind("bool", "open" if cause(item) == "open" or aspects.given(i, container) else "imprecise")
        container = Tuple(tuple(keys))  # another test of the same item against the same constants asks the same
    outcome = i.derived("in", (item, container), frozenset(("bool",)), place)
    return outcome if positive else negation(outcome, place)


def _seen(i: Interpreter, view: Ref) -> Tuple | None:
    """What a view of the values or the items of a dict shows, if that is known and all there."""
    if i.info(view.oid).kind != "iterator" or i.info(view.oid).payload not in ("values", "items"):
        return None
    items = known_items(i, view)
    is_there = items is not None and not any(isinstance(member, Unbound) for item in items for member in members(item))
    return Tuple(items) if is_there else None


def _answer(found: Member, positive: bool, place: Place) -> Member:
    """What `in` or `not in` gives."""
    if isinstance(found, Symbolic):
        return found if positive else negation(found, place)
    return Const(found.value is positive) if isinstance(found, Const) else found


def _are_keys(i: Interpreter, container: Ref) -> bool:
    """Whether a container is what `keys()` of a dict gives."""
    info = i.info(container.oid)
    return info.kind == "iterator" and info.payload == "keys"


def _compared_with(i: Interpreter, item: Member, container: Member, place: Place, frame: Frame) -> tuple[list[Value] | None, bool]:
    """What a test of membership compares the item with, None if that is not known one by one; and whether these are surely all, and surely there."""
    if isinstance(container, Tuple):
        return (list(container.items) if container.items is not None else None), True
    if not isinstance(container, Ref):
        return None, True
    kind = container_kind(i, container)
    if kind == "set" and not (isinstance(item, Ref) and i.info(item.oid).kind == "set"):
        hashed(i, item, place, frame)  # a set is looked up as a frozen one
    if kind in ("list", "set"):
        if membership.is_particular(i, item):
            aspects.ask(i, container.oid, aspects.has(item), place, frame)
        content = i.heap.get(container.oid, ITEMS)
        return (list(content.items) if isinstance(content, Tuple) and content.items is not None else None), True
    if isinstance(item, Ref) and (listed := enum_members(i, container)) is not None:
        return list(listed), True
    return _keys_compared(i, item, container.oid) if kind == "dict" else (None, True)


def _keys_compared(i: Interpreter, item: Member, oid: int) -> tuple[list[Value], bool]:
    """The keys of a dict, and whether it surely has these and no others, as far as the item is concerned."""
    keys: list[Value] = []
    rest = i.heap.get(oid, ("#", "rest"))
    are_all = rest is None or isinstance(rest, Unbound)
    for key, value in i.heap.entries(oid):
        keys.append(key)
        if key == item and any(isinstance(m, Unbound) for m in members(value)):
            are_all = False
    return keys, are_all


def _is_array(value: Value) -> bool:
    """Whether a value is an array, whichever."""
    return all(isinstance(member, Array) for member in members(value))


def _are_two(x: Value, y: Value) -> bool:
    """Whether two values are surely different arrays."""
    first, second = ({member.ident for member in members(value) if isinstance(member, Array)} for value in (x, y))
    return first.isdisjoint(second)


def _may_be_absent(i: Interpreter, item: Member, container: Member) -> bool:
    """Whether something lies under a key of a dict on some paths and nothing on others, and nothing lies there under keys that are not known one by one."""
    if not isinstance(container, Ref) or i.info(container.oid).summary or bound(i.heap.get(container.oid, REST) or UNBOUND) is not None:
        return False
    held = i.heap.get(container.oid, ("k", item)) if is_key(item) else None
    return held is not None and len({isinstance(member, Unbound) for member in members(held)}) == 2


def _is_there(i: Interpreter, item: Member, container: Ref, others_differ: bool) -> Value:
    """Whether something lies under one of the keys of a dict: on each path on which the entry is there. Where it is not, another key may be equal to that
    one, unless the `others_differ`. Where no path says so, as of what was put under one of two keys, it is not known."""
    held = i.live(i.heap.get(container.oid, ("k", item)) or TRUE) if is_key(item) else TRUE
    found = options(held)
    if any(isinstance(option.member, Unbound) for option in found) and not all(option.guard for option in found):
        return FALSE if len(found) == 1 and others_differ else Kind("bool", "imprecise")
    absent: Member = FALSE if others_differ else Kind("bool", "open")
    return of(Option(absent if isinstance(option.member, Unbound) else TRUE, option.guard) for option in options(held))


def _is_one_of(
    i: Interpreter, item: Member, keys: list[Value], are_all: bool, container: Member, place: Place, frame: Frame
) -> Value | None:
    """Whether an item is equal to one of some keys, `TRUE` or `FALSE` if that is decided; None if what it is compared with decides nothing. An array that
    is compared is asked for its truth: by a list or tuple, while a set or dict looks an array up as the object that it is."""
    found: list[Value] = []
    by_hash = isinstance(container, Ref) and container_kind(i, container) in ("set", "dict")
    for key in keys:
        if is_same_thing(i, item, key):
            found.append(TRUE)
        elif by_hash and (_is_array(item) or _is_array(key)):
            found.append(FALSE if not (_is_array(item) and _is_array(key)) or _are_two(item, key) else Kind("bool", "imprecise"))
        else:
            found.append(i.operations.binary(i, "==", item, key, place, frame))
        if found[-1] == TRUE and are_all:
            break  # what comes behind it is not compared
    arrays = [member for value in found for member in members(value) if isinstance(member, Array)]
    for member in arrays:
        i.operations.use(i, "truth", member, "in", place, frame)
    if arrays:
        return Kind("bool", "open")
    truths = [value.value if isinstance(value, Const) else None for value in found]
    kind = i.info(container.oid).kind if isinstance(container, Ref) else ""
    if isinstance(container, Ref) and kind == "dict" and is_key(item):
        held = i.heap.get(container.oid, ("k", item))
        if held is not None and not any(isinstance(member, Unbound) for member in members(held)):
            aspects.ask(i, container.oid, aspects.has(item), place, frame)
            return TRUE
    if True in truths and (are_all or not isinstance(item, Const)) or kind == "dict" and _may_be_absent(i, item, container):
        if isinstance(container, Ref) and kind == "dict":
            aspects.ask(i, container.oid, aspects.has(item), place, frame)
            return _is_there(i, item, container, all(truth is not None for truth in truths))
        return TRUE
    if are_all and all(truth is False for truth in truths):
        if isinstance(container, Ref) and is_key(item) and kind in ("dict", "instance"):
            i.operations.read_through(i, container.oid, ("k", item), UNBOUND, place, frame)
        return FALSE
    unknown = next((value for value in found if isinstance(value, Unknown)), None)
    if unknown is not None:
        return Unknown(unknown.reason)
    rest = [value for value in found if value != FALSE]
    if are_all and len(rest) == 1 and isinstance(rest[0], Symbolic):
        return rest[0]  # the same condition as that the two are equal
    causes = {value.cause for value in found if isinstance(value, Kind)}
    if causes == {"varying"} and not any(isinstance(value, Symbolic) for value in found):
        return Kind("bool", "varying")
    return None
