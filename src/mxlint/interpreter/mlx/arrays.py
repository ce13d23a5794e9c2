"""Operations on mx.arrays: shape, dtype, whether the result is a placeholder, and what they need of the value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from mxlint.domain.arrays import Array, Chain, Operands, join_arrays, unranked
from mxlint.domain.join import join
from mxlint.domain.members import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    Const,
    External,
    Kind,
    Length,
    Loops,
    Measure,
    Member,
    Range,
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
from mxlint.domain.shape import surely_unlike, total
from mxlint.domain.size import Size, bounds, number
from mxlint.domain.varying import united
from mxlint.interpreter.compiled import captures, recipes, sinks, tracing, writes
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.containers.elements import UNROLLED
from mxlint.interpreter.loops import lengthening, lengths, novelty
from mxlint.interpreter.loops.novelty import NO_LOOPS
from mxlint.interpreter.loops.settled import GOING_ON, reasons
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import room
from mxlint.interpreter.machine.locations import ITEMS, LAZY, OPERANDS
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.mlx import backward, broadcasts, constants, mapping, shapeless, subscripts, updates
from mxlint.interpreter.open_world import presumptions
from mxlint.interpreter.open_world import results as results_
from mxlint.models.mlx import arguments as described
from mxlint.models.mlx.array_parameters import other_parameters
from mxlint.models.mlx.names import dtype_name
from mxlint.models.mlx.results import fits as array_fits
from mxlint.models.mlx.results import result as array_results
from mxlint.models.mlx.results import shape_of as array_shape_of
from mxlint.models.mlx.traits import has_trait
from mxlint.syntax.inline import in_one_line

ARRAY: Final = "mlx.core.array"
OF_LISTS: Final = frozenset(("__getitem__", "__setitem__", "__len__", "__iter__"))
"""What lists have as well, which an argument, or an entry of one, may be."""
ONLY_ARRAYS: Final = frozenset(("__getitem__", "__setitem__", "__len__", "__iter__", "__matmul__", "__imatmul__"))
"""Special methods that numbers and texts of a compiled function's arguments have not."""
_IN_PLACE: Final = {"+": "__iadd__", "-": "__isub__", "*": "__imul__", "/": "__itruediv__", "//": "__ifloordiv__", "%": "__imod__", "**": "__ipow__",
                    "@": "__imatmul__", "&": "__iand__", "|": "__ior__", "^": "__ixor__", "<<": "__ilshift__", ">>": "__irshift__"}  # fmt: skip


NUMBERS: Final = frozenset(("bool", "int", "float", "complex", "number"))
"""Types of Python that are numbers to MLX, and one of them, whichever."""
SCALARS: Final = NUMBERS | {"str"}


def operation(i: Interpreter, name: str, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    """An attribute or special method of an array, by its canonical name; the array is the first operand."""
    method = name.removeprefix(f"{ARRAY}.")
    array = operands[0]
    assert isinstance(array, Array)
    handler = _SPECIAL.get(method)
    if method in _OF_AN_ITEM and len(operands) == 1:  # named, and not called
        return Bound(array, External(name))
    if presumptions.root(array) == array.ident and _is_of_others(i, name, operands):
        presumptions.refuted(i, (array,))
        return i.symbolic(place, method, source="argument")
    if method in _EQUALITY and _is_never_equal(i, operands[1]):
        presumed = presumptions.root(array) == array.ident
        return i.derived(method, (Array(array.ident), *members(operands[1])), BOOL, place) if presumed else Const(method == "__ne__")
    if (method in ONLY_ARRAYS or not method.startswith("__")) and not (
        method in OF_LISTS and presumptions.may_be_list(i, array) and all(map(_is_of_a_list, operands[1:2]))
    ):
        presumptions.needed(i, array)
    if handler is not None:
        return handler(i, array, operands, place, frame)  # type: ignore[no-any-return]
    if method.startswith("__i") and method[3:] in _IN_PLACE:
        made = compute(i, f"{ARRAY}.{_IN_PLACE[method[3:]]}", operands, {}, place, frame)
        if i.trace is None and isinstance(made, Array):
            novelty.rewritten(i, array, made, place)
        return changed(i, array, made, place, frame)
    entry = i.table.entry(name) or i.table.entry(f"{name}[int]")
    if entry is not None and (entry.kind == "method" or entry.evaluates) or entry is None and not method.startswith("__"):
        if entry is None and not i.mlx.has(name):
            throw_named(i, "builtins.AttributeError", place)
        return Bound(array, External(name))
    return compute(i, name, operands, {}, place, frame)


def _is_of_a_list(index: Value) -> bool:
    """Whether an index is one that lists have as well."""
    return all(scalar_type(member) in ("int", "bool", None) and not isinstance(member, (Array, Tuple)) for member in members(index))


def _is_of_others(i: Interpreter, name: str, operands: Sequence[Value]) -> bool:
    """Whether no array has an operation: an attribute that MLX does not know, an item or a membership by a text."""
    method = name.removeprefix(f"{ARRAY}.")
    if method in _BY_KEY:
        return all(scalar_type(member) == "str" for member in members(operands[1]))
    return not method.startswith("__") and i.table.entry(name) is None and i.table.entry(f"{name}[int]") is None and not i.mlx.has(name)


def _is_never_equal(i: Interpreter, other: Value) -> bool:
    """Whether MLX compares no array with something: that is not equal to one, whatever the array holds."""
    return all(
        scalar_type(member) == "str" or isinstance(member, Tuple) or isinstance(member, Ref) and i.info(member.oid).kind == "list"
        for member in members(other)
    )


_EQUALITY: Final = frozenset(("__eq__", "__ne__"))
BOOL: Final = frozenset(("bool",))
_OF_AN_ITEM: Final = frozenset(("__getitem__", "__setitem__", "__contains__"))
_BY_KEY: Final = frozenset(("__getitem__", "__contains__"))
"""What a mapping has with a text, and an array with numbers alone."""


def traced(i: Interpreter, values: Sequence[Value], place: Place) -> tuple[int | None, Chain | None, frozenset[int]]:
    """The trace whose placeholder a result computed from values is (None: a constant, -1: not known), where from, and of which arguments."""
    trace: int | None = None
    chain: Chain | None = None
    origin: frozenset[int] = frozenset()
    argument: Symbolic | None = None
    for value in values:
        arrays = list(arrays_in(i, value))
        sinks.source_use(i, value)
        if i.trace is not None:
            i.trace.computes_with(i, (array.ident for array in arrays))
        for array in arrays:
            if array.trace is not None and i.trace is not None and i.trace.holds(array.trace):
                # One operand that surely is an array makes an array of the result.
                trace, chain = array.trace, array.chain if chain is None or presumptions.root(array) is None else chain
                origin |= array.origin
            elif array.trace == -1 and trace is None:
                trace, chain = -1, array.chain
        for member in members(value):
            if isinstance(member, Unknown) and trace is None and i.trace is not None:
                trace = -1
            elif isinstance(member, Symbolic) and member.source == "argument" and member.kinds is None and i.trace is not None:
                argument = argument or member
    if trace is None and i.trace is not None and argument is not None:
        return i.trace.number, presumptions.given(i, argument, place), origin
    if trace is None and i.trace is not None and (given := results_.taken(i, values)) is not None:
        return i.trace.number, given, origin
    return trace, chain, origin


MAX_PARTS: Final = 4_096
"""Parts of nested sequences that are looked at."""


def describe(i: Interpreter, value: Value) -> Any:
    """A value as the models of MLX's results want it; of a large one the less deep parts alone."""
    return _described(i, value, room(i, value, 4, MAX_PARTS))


def _described(i: Interpreter, value: Value, depth: int) -> Any:
    if isinstance(value, Union):
        arrays = [member for member in members(value) if isinstance(member, Array)]
        if len(arrays) == len(value.options):
            merged = arrays[0]
            for array in arrays[1:]:
                merged = join_arrays(merged, array.but(ident=merged.ident))
            return _described(i, merged, depth)
        types = {scalar_type(member) or "" for member in members(value)}
        if "" not in types and len(types) == 1:
            return described.Scalar(types.pop())
        return described.Scalar("number") if types <= NUMBERS else described.UNKNOWN
    if isinstance(value, Array):
        shape = (
            None
            if value.shape is None
            else tuple(size if isinstance(size, Size) else number(size) if isinstance(size, int) else None for size in value.shape)
        )
        return described.ArrayType(shape, value.dtype)
    if isinstance(value, Const):
        return value.value if not isinstance(value.value, bytes) and value.value is not ... else described.UNKNOWN
    if isinstance(value, Length):
        return value.size
    if isinstance(value, (Range, Kind, Measure)):
        name = scalar_type(value)
        return described.Scalar(name) if name in SCALARS else described.UNKNOWN
    if isinstance(value, Symbolic):
        name = scalar_type(value)
        return described.Scalar(name) if name in SCALARS else described.UNKNOWN
    if isinstance(value, External):
        dtype = i.mlx.dtype(value.name)
        return described.Dtype(dtype) if dtype is not None else described.UNKNOWN
    if isinstance(value, Tuple) and depth:
        return tuple(_described(i, item, depth - 1) for item in value.items) if value.items is not None else described.UNKNOWN
    if isinstance(value, Ref) and depth:
        content = i.heap.get(value.oid, ITEMS)
        if isinstance(content, Tuple) and content.items is not None:
            return [_described(i, item, depth - 1) for item in content.items]
    return described.UNKNOWN


def _of_any_length(i: Interpreter, value: Value) -> Tuple | None:
    """The content of a list or tuple of unknown length, or of one of several."""
    if isinstance(value, Union) and not all(isinstance(member, Ref) for member in members(value)):
        return None
    contents = [i.heap.get(member.oid, ITEMS) or NONE if isinstance(member, Ref) else member for member in members(value)]
    tuples = [member for content in contents for member in members(content)]
    parts = [part for member in tuples if isinstance(member, Tuple) for part in member.parts]
    if len(tuples) == 1:
        return tuples[0] if isinstance(tuples[0], Tuple) and tuples[0].items is None and parts else None
    return Tuple(None, join(parts)) if parts and all(isinstance(member, Tuple) for member in tuples) else None


def _with_length(i: Interpreter, value: Value, count: int) -> Any:
    """A value as the models want it; a list of unknown length as one of `count` items."""
    content = _of_any_length(i, value)
    return describe(i, value) if content is None or content.element is None else [describe(i, content.element)] * count


def _alike(a: Any, b: Any) -> Any:
    """What two results of one rank have in common."""
    if not isinstance(a, described.ArrayType) or not isinstance(b, described.ArrayType):
        return described.UNKNOWN
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return described.ArrayType(None, a.dtype if a.dtype == b.dtype else None)
    return described.ArrayType(tuple(x if x == y else None for x, y in zip(a.shape, b.shape)), a.dtype if a.dtype == b.dtype else None)


def _described_by_name(i: Interpreter, values: Mapping[str, Value]) -> dict[str, Any]:
    return {name: describe(i, value) for name, value in values.items()}


def compute(
    i: Interpreter,
    name: str,
    args: Sequence[Value],
    keywords: dict[str, Value],
    place: Place,
    frame: Frame,
    tag: object = None,
    outer: Arguments | None = None,
) -> Value:
    """The result of an operation of MLX that gives one array, or several. `outer`: the arguments of the function that gave the one that is called."""
    form = shapeless.called(i, name, args, keywords, place, frame)
    before = ([describe(i, value) for value in outer.args], _described_by_name(i, outer.keywords)) if outer is not None else ((), {})
    found = array_results(name, [describe(i, value) for value in args], _described_by_name(i, keywords), before)
    if getattr(found, "shape", None) is None and not isinstance(found, (list, tuple)) and any(map(partial(_of_any_length, i), args)):
        found = _alike(
            *(
                array_results(name, [_with_length(i, value, count) for value in args], _described_by_name(i, keywords), before)
                for count in (2, 3)
            )
        )
    raises_unless(i, array_fits(array_shape_of(name), [describe(i, value) for value in (*args, *keywords.values())], found), place, frame)
    by_number = united(
        loops
        for value in args
        if (loops := _steps(i, value, alone=True)) != NO_LOOPS and _is_length(i, name, args, keywords, before, value)
    )
    made = results(i, found, name, args, keywords, place, tag, by_number)
    if i.trace is None:
        shapeless.unsized(i, name, made, args, keywords)
    if isinstance(made, Array) and (i.trace is None or made.trace is None):
        recipes.keep(i, name, made, args, keywords, outer)
    broadcasts.computed(i, name, args, keywords, made, place, frame)
    backward.of_call(i, name, form, args, keywords, made, place, shapeless.short(name), frame)
    return made


def raises_unless(i: Interpreter, fits: bool, place: Place, frame: Frame) -> None:
    """Raise what MLX raises where shapes do not fit. Only a handler goes on behind that: without one nobody runs such a call."""
    if not fits and i.tries:
        sinks.event(i, "shapes", place, in_one_line(place.text), frame)
        throw_named(i, "builtins.ValueError", place)


def _is_length(i: Interpreter, name: str, args: Sequence[Value], keywords: dict[str, Value], before: Any, number: Value) -> bool:
    """Whether the shape of a result has another length with another number."""
    one, other = (
        array_results(name, [count if value is number else describe(i, value) for value in args], _described_by_name(i, keywords), before)
        for count in (2, 3)
    )
    return isinstance(one, described.ArrayType) and isinstance(other, described.ArrayType) and one.shape != other.shape


def results(
    i: Interpreter,
    found: Any,
    name: str,
    args: Sequence[Value],
    keywords: dict[str, Value],
    place: Place,
    tag: object = None,
    by_number: Loops = NO_LOOPS,
) -> Value:
    """The arrays of a described result, computed from arguments. `by_number`: these loops change a number among them that is one of its lengths."""
    others = other_parameters(name)
    operands = (*args, *keywords.values())
    if name.startswith(f"{ARRAY}."):
        presumptions.together(i, args)
    elif others:  # what is only presumed to be an array is a number there
        operands = (
            *(value for number, value in enumerate(args) if number not in others.values() or not presumptions.perhaps_number(i, value)),
            *(value for key, value in keywords.items() if key not in others or not presumptions.perhaps_number(i, value)),
        )
    else:
        presumptions.first(i, name, args)
    if i.trace is None:
        tracing.left_placeholders(i, (*args, *keywords.values()), place)
    constant = has_trait(name, "takes the shape alone") and not shapeless.on(i)  # the shape is one of the trace
    trace, chain, origin = traced(i, operands, place) if not constant else (None, None, frozenset())
    axis = keywords.get("axis", args[1] if len(args) > 1 else Const(0))
    made = _made(i, found, name, trace, chain, origin, place, (name, tag), args, axis, by_number)
    if i.trace is not None:
        i.trace.computes(i, name, place, (*args, *keywords.values()))
        for array in arrays_in(i, made):
            captures.composed(i, array.ident, (*args, *keywords.values()))
        backward.carried(i, name, made, args, keywords)
    return made


def _made(
    i: Interpreter,
    found: Any,
    name: str,
    trace: int | None,
    chain: Chain | None,
    origin: frozenset[int],
    place: Place,
    tag: object,
    args: Sequence[Value],
    axis: Value,
    by_number: Loops,
) -> Value:
    if isinstance(found, (list, tuple)) and all(isinstance(part, (described.ArrayType, list, tuple)) for part in found):
        parts = tuple(_made(i, part, name, trace, chain, origin, place, (tag, n), args, axis, by_number) for n, part in enumerate(found))
        return Tuple(parts) if isinstance(found, tuple) else new_list(i, Tuple(parts), place, tag)
    shape: tuple[object, ...] | None = None
    dtype: str | None = None
    if isinstance(found, described.ArrayType):
        shape, dtype = found.shape, found.dtype
    if i.trace is not None and name != "mlx.core.array":
        i.trace.operations += 1
    if trace is not None and (chain is None or (chain.place, chain.note) != (place, name)):
        chain = Chain(place, name, chain)
    ident = i.ident(place, tag)
    _keep_lengths(i, name, ident, args)
    if lengthening.of_itself(i, name, ident, args, axis, place):
        grows_ = "rounds"
        loops: Loops = frozenset(around.loop for around in novelty.rounds_around(i)[:1])
    else:
        grows_, loops = grows(i, name, shape, args, by_number)
    if not grows_ and (shape is None or None in shape):
        grows_ = lengthening.lengthened(i, name, args)
    made = Array(ident, trace, shape, dtype, chain, origin, grows_, loops=loops)
    data = (
        has_trait(name, "cheap")
        or has_trait(name, "view")
        and not any(i.heap.get(a.ident, LAZY) == TRUE for value in args for a in arrays_in(i, value))
    )
    i.heap.set(ident, LAZY, Const(not data))
    if i.trace is not None and "vmap" in i.trace.transforms:
        mapping.carried(i, ident, args)
    if i.trace is None:
        origins_ = tuple(dict.fromkeys(a.ident for value in args for a in arrays_in(i, value)))
        if origins_:
            i.heap.set(ident, OPERANDS, Operands(origins_))
        entry = i.table.entry(name)
        novelty.made(i, ident, args, place, "random" if entry is not None and entry.random else "")
    return made


def _keep_lengths(i: Interpreter, name: str, ident: int, args: Sequence[Value]) -> None:
    """Keep that what an operation makes of one array is as long as that."""
    entry = i.table.entry(name)
    arrays = [member for value in args for member in members(value) if isinstance(member, Array)]
    if entry is not None and entry.shape in ("same", "broadcast") and len(arrays) == 1:
        lengthening.as_long(i, ident, arrays[0].ident)


def changed(i: Interpreter, array: Array, made: Value, place: Place, frame: Frame) -> Value:
    """An array changed in place: the same object with another content, wherever it is held."""
    if not isinstance(made, Array):
        return array
    new = array.but(trace=made.trace, chain=made.chain, shape=made.shape, origin=array.origin | made.origin)
    captures.composed(i, array.ident, (array, made))
    backward.carried(i, "", array, (array, made))
    hold = i.heap
    hold.replace(array.ident, lambda m: new if isinstance(m, Array) and m.ident == array.ident else m)
    i.ledger.of(Writes).last[array.ident, "content"] = place
    argument = hold.get(array.ident, ("#", "argument"))
    if argument is not None and i.trace is not None:
        sinks.event(i, "mutate", place, "in place", frame, note_=str(argument.value) if isinstance(argument, Const) else "", member=array)
    generation = hold.get(array.ident, ("#", "content"))
    count = generation.value + 1 if isinstance(generation, Const) and isinstance(generation.value, int) else 1
    hold.set(array.ident, ("#", "content"), Const(count))
    writes.on_write(i, array.ident, ("#", "content"), new, place, frame)
    return new


# -- attributes --------------------------------------------------------------------------------------------------------


def _shape(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    if array.shape is None:
        return unranked(array)
    return Tuple(tuple(_length(i, array, size, axis, place) for axis, size in enumerate(array.shape)))


def _length(i: Interpreter, array: Array, size: object, axis: int, place: Place) -> Value:
    if isinstance(size, Size):
        low, high = bounds(size)
        if low == high and not size.origins:
            return Const(int(low))
        return Length(size)
    if isinstance(size, int):
        return Const(size)
    return i.derived("size", (Array(array.ident), Const(axis)), frozenset(("int",)), place)


def _ndim(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    return Const(len(array.shape)) if array.shape is not None else i.derived("ndim", (Array(array.ident),), frozenset(("int",)), place)


def _size(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    if array.shape is None:
        return unranked(array).axis(None)
    if any(size is None for size in array.shape):
        return i.derived("size", (Array(array.ident),), frozenset(("int",)), place)
    found = total(tuple(size if isinstance(size, Size) else number(size) for size in array.shape))  # type: ignore[arg-type]
    return _length(i, array, found, -1, place)


def _len(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    if array.shape is None:
        return unranked(array).axis(0)
    return (
        _length(i, array, array.shape[0], 0, place)
        if array.shape
        else i.derived("size", (Array(array.ident), Const(0)), frozenset(("int",)), place)
    )


def _dtype(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    return External(dtype_name(array.dtype)) if array.dtype is not None else i.derived("dtype", (Array(array.ident),), None, place)


def _get_item(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    index = operands[1]
    trace, chain, origin = traced(i, operands, place)
    shape = subscripts.shape_of(array, index)
    form = shapeless.indexed(i, array, index, shape, place, frame)
    broadcasts.taken(i, operands)
    if i.trace is not None:
        i.trace.operations += 1
        i.trace.computes(i, "[]", place, operands)
    ident = i.ident(place, "item")
    captures.composed(i, ident, operands)
    i.heap.set(ident, ("#", "lazy"), TRUE)
    if i.trace is not None and "vmap" in i.trace.transforms:
        mapping.carried(i, ident, (array,))
    if i.trace is None:
        i.heap.set(ident, OPERANDS, Operands(tuple(dict.fromkeys(a.ident for value in operands for a in arrays_in(i, value)))))
        novelty.made(i, ident, operands, place)
        shapeless.unsized_index(i, ident, array, index, shape, place)
    chain = Chain(place, "[]", chain) if trace is not None else None
    by = tuple(part for part in subscripts.items(index) if isinstance(part, Array))  # an axis gets as long as what picks from it
    grows_, loops = grows(i, "", subscripts.lengths(array, index), (array, *by, Tuple(tuple(subscripts.moving(array, index)))))
    if all(isinstance(member, Array) for member in members(index)):
        lengthening.as_long(i, ident, array.ident, but=0)
    elif all(isinstance(part, Slice) and subscripts.takes_all(part) for part in subscripts.items(index)):
        lengthening.as_long(i, ident, array.ident)
        grows_, loops = (grows_, loops) if grows_ else (array.grows, array.loops)
    elif array.shape is None and all(map(subscripts.takes_all, subscripts.items(index))):
        grows_, loops = (grows_, loops) if grows_ else (array.grows, array.loops)
    made = Array(ident, trace, shape, array.dtype, chain, origin, grows_, loops=loops)
    if i.trace is None:
        recipes.keep(i, recipes.ITEM, made, operands, {})
    backward.carried(i, "", made, operands)
    backward.through(i, form, (array,), made, place, in_one_line(place.text), frame)
    return made


def grows(
    i: Interpreter, name: str, shape: tuple[object, ...] | None, operands: Sequence[Value], by_number: Loops = NO_LOOPS
) -> tuple[str, Loops]:
    """Why the shape of a result differs from round to round, if it has a length that is not known, and of which loops; "" if nothing says that it does.
    `by_number`: these loops change a number among the operands that is one of its lengths."""
    if shape is not None and None not in shape:
        return "", None
    entry = i.table.entry(name)
    keeps = entry is not None and entry.shape in ("same", "broadcast")
    whole = [array for value in operands for array in arrays_in(i, value) if keeps or _keeps_lengths(array, shape)]
    found = reasons(i, whole, novelty.Novelty(i, novelty.rounds_around(i)))
    adds_lengths = has_trait(name, "joins") or has_trait(name, "pads")
    if adds_lengths and _may_balance(i, [array for array in whole if array.grows in found.keys() & GOING_ON], operands):
        return "", None
    given = [row for value in operands[:1] for row in (value, *_rows(i, value))] if name == ARRAY else ()
    longer = united((
        *(found[why] for why in ("rounds",) if why in found),
        *(lengths.growing(i, value) for value in (*operands, *given)),
        *(novelty.cut(i, member) for row in given for member in members(row)),
    ))  # fmt: skip
    if longer != NO_LOOPS or "rounds" in found:
        return "rounds", longer
    sized = () if keeps else [value for value in operands if isinstance(value, (Tuple, Ref))]
    changed = united((*(found[why] for why in ("number",) if why in found), by_number, *(_steps(i, value) for value in sized)))
    if changed != NO_LOOPS or "number" in found:
        return "number", changed
    return ("differs" if "differs" in found or any(_differ(i, value) for value in operands) else ""), None


def _may_balance(i: Interpreter, arrays: Sequence[Array], operands: Sequence[Value]) -> bool:
    """Whether two lengths that are added up may vary over one loop: what fills up to a fixed length is as much longer as the other is shorter."""
    changed = [array.loops for array in arrays] + [loops for value in operands for loops in _added(i, value)]
    return any(a is None or b is None or a & b for number, a in enumerate(changed) for b in changed[:number])


def _added(i: Interpreter, value: Value) -> Iterator[Loops]:
    """The loops over which each number varies that an operand adds to a length; nobody says which, where it is computed from what is not in sight."""
    for member in members(value):
        content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) else member
        if isinstance(content, Tuple):
            for item in content.parts:
                yield from _added(i, item)
        elif isinstance(member, (Symbolic, Length)) and scalar_type(member) != "NoneType":
            yield None
        elif isinstance(member, (Range, Kind)):
            yield member.loops


def _rows(i: Interpreter, value: Value) -> Sequence[Value]:
    """The first row of what an array is made of, if that is a list or tuple of rows: the others are as long."""
    content = i.heap.get(value.oid, ITEMS) if isinstance(value, Ref) else value
    return content.items[:1] if isinstance(content, Tuple) and content.items is not None else ()


def _keeps_lengths(array: Array, shape: tuple[object, ...] | None) -> bool:
    """Whether a result has all the lengths of an operand that are not known, the one that differs among them."""
    return shape is not None and array.shape is not None and shape.count(None) >= array.shape.count(None)


def _differ(i: Interpreter, value: Value, depth: int = 2) -> bool:
    """Whether an operand is one of several arrays of surely different shapes."""
    if isinstance(value, Tuple) and depth:
        return any(_differ(i, item, depth - 1) for item in value.items or ())
    if isinstance(value, Ref) and depth and i.info(value.oid).kind == "list":
        content = i.heap.get(value.oid, ITEMS)
        return isinstance(content, Tuple) and _differ(i, content, depth)
    shapes = [member.shape for member in members(value) if isinstance(member, Array) and member.shape is not None]
    return any(len(shape) == len(shapes[0]) and any(map(surely_unlike, shape, shapes[0])) for shape in shapes[1:])


def _steps(i: Interpreter, value: Value, depth: int = 2, *, alone: bool = False) -> Loops:
    """The loops in which a number, or one in a shape, takes many values. `alone`: one of which nothing is known counts by itself, too; it may be data."""
    if isinstance(value, Tuple) and depth:
        return united(_steps(i, item, depth - 1) for item in value.items or ())
    if isinstance(value, Ref) and depth and i.info(value.oid).kind == "list":
        content = i.heap.get(value.oid, ITEMS)
        return _steps(i, content, depth) if isinstance(content, Tuple) else NO_LOOPS
    inside = depth < 2 or alone  # in a shape or a slice
    named = [m for m in members(value) if inside and isinstance(m, Symbolic) and scalar_type(m) in ("int", "number")]
    stepping = [
        m for m in members(value) if isinstance(m, Range) and (m.low is None or m.high is None or m.high - m.low >= UNROLLED * m.stride)
    ]
    return united((*(novelty.moving(i, m) for m in named), *(m.loops for m in stepping)))


def _set_item(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    trace, chain, origin = traced(i, operands, place)
    broadcasts.taken(i, operands)
    shapeless.operation(i, f"{ARRAY}.__setitem__[{shapeless.form_of(operands[1])}]", array, place, in_one_line(place.text), frame, operands)
    made = Array(
        array.ident,
        trace,
        array.shape,
        array.dtype,
        Chain(place, "[] =", chain) if trace is not None else array.chain,
        origin | array.origin,
    )
    captures.composed(i, array.ident, (array, *operands))
    backward.carried(i, "", array, (array, *operands))
    if i.trace is None and isinstance(operands[2], Array) and all(map(subscripts.takes_all, subscripts.items(operands[1]))):
        novelty.rewritten(i, array, operands[2], place)
    changed(i, array, made, place, frame)
    if i.trace is not None:
        i.trace.operations += 1
        i.trace.computes(i, "[] =", place, operands)
    return NONE


def _iter(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    trace, chain, origin = traced(i, operands, place)
    shapeless.unrolled(i, array, place, frame)
    ident = i.ident(place, "row")
    captures.composed(i, ident, operands)
    if i.trace is None:
        novelty.made(i, ident, operands, place, "item")
    made = Array(ident, trace, array.shape[1:] if array.shape else None, array.dtype, chain, origin)
    count = _count(array)
    if i.trace is None and count:
        recipes.keep(i, recipes.ITEM, made, (array, Range(0, count - 1, 1, frozenset((i.context.loop,)))), {})
    backward.carried(i, "", made, operands)
    return made


def _needs(kind: str, what: str, result: str) -> Any:
    def run(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
        sinks.use(i, kind, array, what, place, frame)
        return _number_out(i, array, what, result, place)

    return run


def _number_out(i: Interpreter, array: Array, what: str, kind: str, place: Place, at: int | None = None) -> Value:
    """A number that is read out of an array, its item `at` if it has an axis."""
    recipe = recipes.recipe_of(i, array) if i.trace is None else None
    known = constants.number(i, recipe, kind, place, at) if recipe is not None else None
    return novelty.read_out(i, (array,), what, kind, place) if known is None else known


def _contains(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    if all(scalar_type(item) in ("str", "bytes") or isinstance(item, (Tuple, Ref)) for item in members(operands[1])):
        return FALSE  # no element is equal to what is no number
    sinks.use(i, "truth", array, "in", place, frame)
    return i.symbolic(place, "in", kinds=frozenset(("bool",)), source="evaluated")


_SPECIAL: Final[dict[str, Any]] = {
    "shape": _shape, "ndim": _ndim, "size": _size, "dtype": _dtype, "at": lambda i, a, o, p, f: updates.at(i, a, p), "__len__": _len, "__getitem__": _get_item, "__setitem__": _set_item,
    "__iter__": _iter, "__contains__": _contains, "nbytes": _size, "itemsize": lambda i, a, o, p, f: Kind("int", "varying"),
}  # fmt: skip


def method(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call a method of arrays; the array is the first argument."""
    short = name.removeprefix(f"{ARRAY}.")
    array = args.args[0]
    found = []
    for member in members(array):
        found.append(_method(i, member, name, short, args, place, frame))
    return join(found)


def _method(i: Interpreter, member: Member, name: str, short: str, args: Arguments, place: Place, frame: Frame) -> Value:
    if not isinstance(member, Array):
        return i.symbolic(place, name)
    if short in ("item", "tolist"):
        sinks.use(i, "convert", member, f".{short}()", place, frame)
        evaluated(i, member)
        kinds = {"int": "int", "uint": "int", "float": "float", "bfloat": "float", "bool": "bool", "complex": "complex"}
        kind = next((k for prefix, k in kinds.items() if member.dtype is not None and member.dtype.startswith(prefix)), "number")
        rank = len(member.shape) if member.shape is not None else None
        if short == "tolist" and rank != 0:
            return _listed(i, member, kind, rank, place)
        return _number_out(i, member, f".{short}()", kind, place)
    entry = i.table.entry(name)
    if entry is not None and entry.evaluates:
        sinks.use(i, "convert", member, f".{short}()", place, frame)
    return compute(i, name, (member, *args.args[1:]), args.keywords, place, frame)


def _listed(i: Interpreter, array: Array, kind: str, rank: int | None, place: Place) -> Value:
    """`array.tolist()`: of an array with one axis a list of numbers."""
    if rank != 1 or kind == "complex":
        return i.symbolic(place, ".tolist()", source="evaluated")
    count = _count(array)
    if count is not None and count <= UNROLLED:
        items = tuple(_number_out(i, array, f"{novelty.ITEM}{n}", kind, place, n) for n in range(count))
        return new_list(i, Tuple(items), place)
    recipe = recipes.recipe_of(i, array) if i.trace is None else None
    found = constants.numbers(i, recipe, kind, place) if recipe is not None else None
    return new_list(i, Tuple(None, Kind(kind, "open") if found is None else found), place)


def _count(array: Array) -> int | None:
    """How many items an array has, if that is one number."""
    length = array.shape[0] if array.shape else None
    return length if isinstance(length, int) else int(bounds(length)[0]) if isinstance(length, Size) and _is_number(length) else None


def _is_number(size: Size) -> bool:
    low, high = bounds(size)
    return low == high


def evaluated(i: Interpreter, value: Value) -> None:
    """The arrays in a value are computed now."""
    for array in arrays_in(i, value):
        sinks.computed(i, array)


__all__ = ["compute", "evaluated", "method", "operation"]
