"""What the parameters of a traced function hold.

Arrays are placeholders, containers are copies, numbers and strings are as they were given. What nobody in sight gives is an array, unless its annotation, default
or uses say otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from mxlint.domain.arrays import Array, Chain
from mxlint.domain.guards import Guard
from mxlint.domain.heap import Location
from mxlint.domain.members import NONE, Bound, Const, Member, Ref, Symbolic, Tuple, Unknown, Value, options
from mxlint.domain.place import Place
from mxlint.domain.size import Size, as_size, of_axis, symbol
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.compiled.reads import relied, relied_argument
from mxlint.interpreter.compiled.refusals import refused_member
from mxlint.interpreter.compiled.state import Changes
from mxlint.interpreter.compiled.traces import Seen, Trace
from mxlint.interpreter.compiled.trees import tree
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import journal, where
from mxlint.interpreter.machine.locations import CHANGED, ITEMS, REST, REST_KEY
from mxlint.interpreter.machine.reach import arrays_in, each_leaf, each_place
from mxlint.interpreter.objects.annotations import names_array, says_nothing
from mxlint.interpreter.open_world import given_dicts, ranks
from mxlint.interpreter.open_world.given_stars import GIVEN_AS, apart_by_number
from mxlint.interpreter.open_world.kinds_by_use import is_array, is_dict, is_layer, may_be_anything
from mxlint.interpreter.open_world.presumptions import may_be_array, presume, same_presumption
from mxlint.interpreter.open_world.shadows import Shadows, items, shadow
from mxlint.syntax import ir

INSIDE: Final = "[…]"
"""Ends the name of something that lies in what has the name."""


class _Given:
    """The arguments of a call while placeholders are made of them: how many there are so far, and what stands for tuples that were met.
    `open_ended`: neither annotation nor default says what the parameter is that an argument is given to; `annotated`: it is annotated as an array; `used` asks
    whether it is used as one, `entries` whether as a dict, `asked` whether something asks of which type it is. `called`: what readers know it by. `under`: what holds where the part is given
    of which a placeholder is made."""

    __slots__ = ("annotated", "asked", "called", "counted", "entries", "number", "open_ended", "tuples", "under", "used")

    def __init__(self) -> None:
        self.number = 0
        self.open_ended = True
        self.annotated = False
        self.called = ""
        self.used: Callable[[], bool] | None = None
        self.entries: Callable[[], bool] | None = None
        self.asked: Callable[[], bool] | None = None
        self.counted: dict[int, int] = {}
        self.tuples: dict[int, tuple[Tuple, Tuple]] = {}
        self.under: Guard = ()


def placeholders(i: Interpreter, trace: Trace, args: Arguments, place: Place) -> Arguments:
    """The arguments as the body sees them: arrays are placeholders, containers are copies that MLX makes."""
    so_far = _Given()
    compiled = i.heap.get(trace.oid, "fun") or NONE
    function, info, parameters = _parameters(i, compiled)
    owner = _owner(compiled)

    def one(value: Value, at: Place, name: str) -> Value:
        so_far.tuples = {}  # a tuple is another one in another argument
        param = parameters.get(name)
        so_far.open_ended = param is None or _is_open(i, function, param)
        so_far.annotated = param is not None and names_array(i, function, param.annotation)
        so_far.called = param.name if param is not None else name
        so_far.used = partial(is_layer, i, compiled)
        so_far.entries = so_far.asked = None
        if param is not None and function is not None and isinstance(info, FunctionInfo):
            so_far.used = partial(is_array, i, function, info, param.name, owner)
            so_far.entries = partial(is_dict, i, function, info, param.name)
            so_far.asked = partial(may_be_anything, i, function, info, param.name)
        return _placeholder(i, trace, value, at, so_far, name)

    given = [one(value, args.place(n, "", place), str(n)) for n, value in enumerate(args.args)]
    named = {name: one(value, args.keyword_places.get(name, place), name) for name, value in args.keywords.items()}
    star, kwstar = (one(value, place, name) if value is not None else None for name, value in (("*", args.star), ("**", args.kwstar)))
    made = Arguments(given, named, star, kwstar, args.places, args.keyword_places, args.node)
    made.is_given = args.is_given
    if args.is_given and isinstance(info, FunctionInfo):
        for param in info.node.params:
            held = star if param.star == "*" else kwstar if param.star == "**" else None
            if isinstance(held, Array):
                apart_by_number(i, held, param.name)
    return made


def _owner(compiled: Value) -> Ref | None:
    """The object whose method is compiled, or that is compiled itself."""
    owner = compiled.owner if isinstance(compiled, Bound) else compiled
    return owner if isinstance(owner, Ref) else None


def handed(i: Interpreter, args: Arguments) -> Iterator[tuple[int, int]]:
    """The arrays and objects that a call is given, with their positions: calls of one key have the same ones."""
    for position, (_, _, member) in enumerate(each_place(i, args.values)):
        if isinstance(member, Array):
            yield position, member.ident
        elif isinstance(member, Ref):
            yield position, member.oid
        elif isinstance(member, Symbolic) and member.identity in i.ledger.of(Shadows).objects:
            yield position, i.ledger.of(Shadows).objects[member.identity]


def given_again(i: Interpreter, args: Arguments, place: Place) -> None:
    """What lies in the containers that a call is given, and of which an earlier trace changed a copy, is given to it as it was before. Whoever named the
    containers has read these alone."""
    if not i.ledger.of(Changes).whole:
        return
    for oid, field, member in each_place(i, args.values):
        if oid is not None and i.mlx.object_kind(i, Ref(oid)) == "module":
            relied(i, oid, field, member, place)
        if oid is not None and isinstance(member, (Ref, Array)) and not (isinstance(member, Array) and member.several):
            relied_argument(i, member.oid if isinstance(member, Ref) else member.ident, where(place))


def changed(
    i: Interpreter,
    changes: Mapping[int, Const],
    args: Arguments,
    reads: Iterable[tuple[Location, Seen]],
    now: Callable[[Location, Seen], Value | None],
) -> None:
    """Mark the arguments of a call that its trace has changed a copy of, by their positions. What it computed with after that, it would have found
    changed itself if it is one of them by another name. `now`: what lies at the call where the trace read."""
    if not changes:
        return
    given = dict(handed(i, args))
    for position, change in changes.items():
        if position in given:
            i.heap.set(given[position], CHANGED, change)
    for location, seen in reads:
        numbers = {given[position] for position in seen.late if position in given}
        value = now(location, seen) if numbers else None
        for number in numbers.intersection(parts_at(i, location, value)):
            relied_argument(i, number, seen.where)


def parts_at(i: Interpreter, location: Location, value: Value | None) -> set[int]:
    """The arrays that lie at a location, and the object that it is part of."""
    return {location[0], *(array.ident for array in arrays_in(i, value or NONE))}


def _parameters(i: Interpreter, compiled: Value) -> tuple[Ref | None, object, dict[str, ir.Param]]:
    """The function that is compiled, what never changes of it, and its parameters by number and by name."""
    function, bound, _ = target(i, compiled)
    info = i.info(function.oid).payload if function is not None else None
    parameters = info.node.params[bound:] if isinstance(info, FunctionInfo) else ()
    by_place = (param for param in parameters if not param.star and not param.kwonly)
    return (
        function,
        info,
        {str(n): param for n, param in enumerate(by_place)} | {param.name: param for param in parameters if not param.star},
    )


def taken_for_arrays(i: Interpreter, compiled: Value) -> Callable[[str, Symbolic], bool]:
    """Whether a compiled function takes something of which nobody in sight says what it is for an array, by the number or name of its parameter."""
    function, _, parameters = _parameters(i, compiled)

    def is_one(name: str, given: Symbolic) -> bool:
        param = parameters.get(name)
        if given.kinds is not None:
            return given.kinds == {"array"}
        if param is not None and names_array(i, function, param.annotation):
            return True
        return (param is None or _is_open(i, function, param)) and may_be_array(given.identity)

    return is_one


def _is_open(i: Interpreter, function: Ref | None, param: ir.Param) -> bool:
    """Whether neither annotation nor default says what a parameter is."""
    has_default = param.default is not None and not (isinstance(param.default, ir.Const) and param.default.value is None)
    return not has_default and says_nothing(i, function, param.annotation)


def _part(i: Interpreter, trace: Trace, value: Value, place: Place, so_far: _Given, name: str) -> Value:
    """A part of an argument: what the function does with the whole says nothing of it."""
    whole = so_far.entries, so_far.asked, so_far.called
    so_far.entries, so_far.asked, so_far.called = None, None, f"{so_far.called.removesuffix(INSIDE)}{INSIDE}"
    try:
        return _placeholder(i, trace, value, place, so_far, name)
    finally:
        so_far.entries, so_far.asked, so_far.called = whole


def _placeholder(i: Interpreter, trace: Trace, value: Value, place: Place, so_far: _Given, name: str) -> Value:
    """Which of several an argument is depends in the trace on the conditions that it depends on where the call is."""
    around, made = so_far.under, list[tuple[Value, Guard]]()
    for option in options(value):
        so_far.under = (*around, *option.guard)
        made.append((_one_placeholder(i, trace, option.member, place, so_far, name), option.guard))
    so_far.under = around
    return guarded(made)


def _one_placeholder(i: Interpreter, trace: Trace, member: Member, place: Place, so_far: _Given, name: str) -> Value:
    """What one of the values that an argument may have is in the trace. `name`: of the parameter."""
    if isinstance(member, Unknown) and not i.silent:
        trace.doubts.setdefault((place, member.reason))  # what it is decides whether the call is traced anew
        i.doubting(partial(journal(i).doubt, place, member.reason), (place, member.reason, "noted"))
    if isinstance(member, (Symbolic, Ref)) and refused_member(i, member, {}).startswith("numpy"):
        # The call raises. Once it is given an array instead, the body runs with that.
        given = Array(i.ident(place, ("given", trace.number, so_far.number)), None, None, None)
        return _of_array(i, trace, given, member.oid if isinstance(member, Ref) else shadow(i, member, place), place, so_far, name)
    if isinstance(member, Symbolic):
        trace.given.names.add(member.identity)
        return _of_symbolic(i, trace, member, place, so_far, name)
    if isinstance(member, Array):
        return _of_array(i, trace, member, None, place, so_far, name)
    if isinstance(member, Tuple):
        return _of_tuple(i, trace, member, place, so_far, name)
    if isinstance(member, Ref) and (kind := tree(i, member)):
        return _of_container(i, trace, member, kind, place, so_far, name)
    if isinstance(member, Ref) and i.info(member.oid).kind == "instance" and i.mlx.object_kind(i, member) == "module":
        trace.modules = True
        return _of_container(i, trace, member, "dict", place, so_far, name)
    if isinstance(member, Ref) and refused_member(i, member, {}):
        trace.refused.add(member.oid)
        trace.refused.update(oid for oid, _, _ in each_leaf(i, member))
    return member


def _of_symbolic(i: Interpreter, trace: Trace, member: Symbolic, place: Place, so_far: _Given, name: str) -> Value:
    """What a value that nobody in sight gives is: a placeholder where it is an array, or is presumed to be one."""
    if member.kinds == frozenset(("array",)):
        return _of_array(i, trace, member, shadow(i, member, place), place, so_far, name)
    if member.kinds is not None:
        return member
    if so_far.entries is not None and so_far.entries():
        return _dict_of_arrays(i, trace, member, place, so_far, name)
    used = so_far.used is not None and so_far.used()
    asked = so_far.asked is not None and so_far.asked()
    taken = so_far.open_ended and (used or may_be_array(member.identity) and not asked)
    if not so_far.annotated and not taken:
        so_far.number += 1
        return Symbolic(member.identity, None, member.label, member.presumed, "argument")
    given = Array(i.ident(place, ("given", trace.number, so_far.number)), None, None, None)
    original = shadow(i, member, place)
    return _of_array(
        i, trace, given if so_far.annotated else presume(i, given, member.label or so_far.called), original, place, so_far, name
    )


def _of_array(
    i: Interpreter, trace: Trace, member: Array | Symbolic, original: int | None, place: Place, so_far: _Given, name: str
) -> Array:
    """The placeholder of an array, or of a symbolic value that is one. `original`: the object that stands for what is out of sight."""
    number = so_far.number
    so_far.number += 1
    ident = i.ident(place, ("placeholder", trace.number, number))
    trace.given.names.add(ident)
    trace.given.placeholders.append(ident)
    trace.parts[ident] = frozenset()
    i.info(ident).trace = trace.number
    i.heap.set(ident, ("#", "argument"), Const(name))
    i.heap.set(ident, ("#", "original"), Const(member.ident if original is None and isinstance(member, Array) else original))
    if isinstance(member, Symbolic):
        made = Array(ident, trace.number, None, None, Chain(place, "argument"), frozenset((number,)), "")
        return made if original is None else ranks.of_argument(i, original, so_far.under, made)
    trace.given.names.add(member.ident)
    trace.given.arrays = (*trace.given.arrays, member.ident)
    if not member.several:  # which of them it is nobody says
        trace.leaves.setdefault(member.ident, ("argument", None, None))
    presumed = same_presumption(i, member, ident)
    if (said := i.heap.get(member.ident, GIVEN_AS)) is not None:
        i.heap.set(ident, GIVEN_AS, said)
    shape = None if member.shape is None else _origins(i, member.shape, number, place)
    chain = Chain(place, "argument", presumed=ident if presumed else None)
    made = Array(ident, trace.number, shape, member.dtype, chain, frozenset((number,)), member.grows, loops=member.loops)
    return ranks.of_argument(i, member.ident if original is None else original, so_far.under, made)


def _of_tuple(i: Interpreter, trace: Trace, member: Tuple, place: Place, so_far: _Given, name: str) -> Value:
    """A tuple of what its parts are; the same one again where it is given again."""
    if id(member) in so_far.tuples:
        so_far.number += so_far.counted[id(member)]
        return so_far.tuples[id(member)][1]
    before = so_far.number
    made = member.holding(tuple(_part(i, trace, part, place, so_far, name) for part in member.parts))
    so_far.tuples[id(member)] = (member, made)
    so_far.counted[id(member)] = so_far.number - before
    return made


def _of_container(i: Interpreter, trace: Trace, member: Ref, kind: str, place: Place, so_far: _Given, name: str) -> Ref:
    """The copy of a list or dict that the body gets; the same one again where it is given again. `kind`: what of these two it is."""
    if member.oid in trace.given.copies:
        so_far.number += so_far.counted.get(-member.oid - 1, 0)
        return trace.given.copies[member.oid]
    before = so_far.number
    payload = i.info(member.oid).payload if kind == i.info(member.oid).kind else None  # a plain list or dict, whatever the class
    oid = i.allocate(kind, payload, place, ("argument", trace.number, len(trace.given.copies)))
    trace.given.placeholders.append(oid)
    trace.given.copies[member.oid] = Ref(oid)
    i.info(oid).trace = trace.number
    i.heap.set(oid, ("#", "argument"), Const(name))
    i.heap.set(oid, ("#", "original"), member)
    i.info(oid).summary = i.info(member.oid).summary
    for field, held in list(i.heap.fields(member.oid).items()):
        if field in (ITEMS, REST, REST_KEY) or isinstance(field, tuple) and field[0] == "k":
            i.heap.set(oid, field, _part(i, trace, held, place, so_far, name))
    for key, held in i.mlx.entries(i, member).items() if i.mlx.object_kind(i, member) == "module" else ():
        i.heap.set(oid, ("k", Const(key)), _part(i, trace, held, place, so_far, name))
    label = i.heap.get(member.oid, given_dicts.LABEL)
    if isinstance(label, Const):
        given_dicts.mark(i, oid, str(label.value), i.heap.get(oid, REST) or NONE, member)
    so_far.counted[-member.oid - 1] = so_far.number - before
    return Ref(oid)


def _dict_of_arrays(i: Interpreter, trace: Trace, member: Symbolic, place: Place, so_far: _Given, name: str) -> Ref:
    """A dict that nobody in sight gives: MLX takes arrays in it, numbers and strings, and by that presumption each entry is an array."""
    number = so_far.number
    oid = i.allocate("dict", None, place, ("argument", trace.number, "given", number))
    trace.given.placeholders.append(oid)
    i.info(oid).trace = trace.number
    i.heap.set(oid, ("#", "argument"), Const(name))
    i.heap.set(oid, ("#", "original"), Ref(shadow(i, member, place)))
    entry = presume(
        i, Array(i.ident(place, ("given", trace.number, number, "entry")), None, None, None), f"{member.label or so_far.called}{INSIDE}"
    )
    rest = _placeholder(i, trace, entry, place, so_far, name)
    i.heap.set(oid, REST, rest)
    given_dicts.mark(i, oid, member.label or so_far.called, rest, member)
    i.heap.set(oid, REST_KEY, i.symbolic(place, "key", kinds=frozenset(("str",)), source="argument"))
    for key, held in items(i, member):
        i.heap.set(oid, ("k", key), _part(i, trace, held, place, so_far, name))
    return Ref(oid)


def _origins(i: Interpreter, shape: tuple[object, ...], number: int, place: Place) -> tuple[object, ...]:
    sizes: list[object] = []
    for axis, size in enumerate(shape):
        known_size = size if isinstance(size, Size) else as_size(size) if isinstance(size, int) else symbol((place, number, axis), 0)
        assert known_size is not None
        sizes.append(of_axis(known_size, (number, axis)))
    return tuple(sizes)
