"""Attributes, methods and operators of `mx.array`, by name: what each gives, what it needs of the value, and what it changes in place.

`x.shape` is a tuple of sizes, `x.item()` needs the value, which a placeholder does not have, and `x += 1` is the same object with another content. What an
operation computes is in `computing.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mxlint.domain.arrays import Array, Chain, Operands, unranked
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
    Member,
    Range,
    Ref,
    Slice,
    Tuple,
    Value,
    members,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.shape import total
from mxlint.domain.size import Size, bounds, number
from mxlint.interpreter.compiled import captures, makings, recipes, sinks, unevaluated, writes
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.containers.elements import UNROLLED
from mxlint.interpreter.expressions.operators import METHODS
from mxlint.interpreter.loops import contents, lengthening, looked, novelty, stretching, windows
from mxlint.interpreter.loops.running import NO_LOOPS
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import OPERANDS
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.mlx import backward, broadcasts, constants, last_axes, mapping, shapeless, subscripts, updates
from mxlint.interpreter.mlx.computing import compute, refuses, traced
from mxlint.interpreter.mlx.descriptions import ARRAY, describe, described_key
from mxlint.interpreter.mlx.growth import grows
from mxlint.interpreter.open_world import presumptions, ranks
from mxlint.interpreter.open_world.results import shown_as_other
from mxlint.models.load import model
from mxlint.models.mlx import dtypes
from mxlint.models.mlx.names import dtype_name
from mxlint.models.mlx.refusals import refusal
from mxlint.syntax.inline import in_one_line

OF_LISTS: Final = frozenset(("__getitem__", "__setitem__", "__len__", "__iter__"))
"""What lists have as well, which an argument, or an entry of one, may be."""
ONLY_ARRAYS: Final = frozenset(("__getitem__", "__setitem__", "__len__", "__iter__", "__matmul__", "__imatmul__"))
"""Special methods that numbers and strings of a compiled function's arguments have not."""
ASKED: Final = {
    "shape": "shape",
    "size": "shape",
    "nbytes": "shape",
    "__len__": "shape",
    "ndim": "rank",
    "dtype": "dtype",
    "itemsize": "dtype",
}
"""What of an array is asked for by attributes that need not its content."""
_IN_PLACE: Final = {"+": "__iadd__", "-": "__isub__", "*": "__imul__", "/": "__itruediv__", "//": "__ifloordiv__", "%": "__imod__", "**": "__ipow__",
                    "@": "__imatmul__", "&": "__iand__", "|": "__ior__", "^": "__ixor__", "<<": "__ilshift__", ">>": "__irshift__"}  # fmt: skip


def operation(i: Interpreter, name: str, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    """An attribute or special method of an array, by its canonical name; the array is the first operand."""
    method = name.removeprefix(f"{ARRAY}.")
    array = operands[0]
    assert isinstance(array, Array)
    handler = _SPECIAL.get(method)
    if method in _OF_TWO and len(operands) == 1:  # named, and not called
        return Bound(array, External(name))
    if _is_of_others(i, name, operands) and (other := shown_as_other(i, array, method, operands[1:])) is not None:
        return other
    argument = presumptions.argument_of(i, array)
    if argument is not None and _is_of_others(i, name, operands):
        presumptions.refuted(i, (argument,))
        return i.symbolic(place, method, source="argument")
    if array.shape is None and i.trace is None and _is_of_trees(i, name, operands):
        # Nothing shows that it is an array, and this that it is none: it is a tree, as of gradients by a dict.
        return i.symbolic(place, method)
    if method in _EQUALITY and _is_never_equal(i, operands[1]):
        presumed = presumptions.root(array) == array.ident
        return i.derived(method, (Array(array.ident), *members(operands[1])), BOOL, place) if presumed else Const(method == "__ne__")
    if (method in ONLY_ARRAYS or not method.startswith("__")) and not (
        method in OF_LISTS and presumptions.may_be_list(i, array) and all(map(_is_of_a_list, operands[1:2]))
    ):
        (presumptions.shown if method == "__iter__" else presumptions.needed)(i, (array,))
    if method in ASKED and i.trace is not None:
        i.trace.asks(array.ident, (ASKED[method],))
    if handler is not None:
        return handler(i, array, operands, place, frame)  # type: ignore[no-any-return]
    if method.startswith("__i") and method[3:] in _IN_PLACE:
        made = compute(i, f"{ARRAY}.{_IN_PLACE[method[3:]]}", operands, {}, place, frame)
        if i.trace is None and isinstance(made, Array):
            contents.rewritten(i, array, made, place)
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
    """Whether no array has an operation: an attribute that MLX does not know, an item or a membership by a string."""
    method = name.removeprefix(f"{ARRAY}.")
    if method in _BY_KEY:
        return all(scalar_type(member) == "str" for member in members(operands[1]))
    return not method.startswith("__") and i.table.entry(name) is None and i.table.entry(f"{name}[int]") is None and not i.mlx.has(name)


def _is_of_trees(i: Interpreter, name: str, operands: Sequence[Value]) -> bool:
    """Whether dicts or lists have what is asked for, and no array does."""
    of_a_tree = any(model(f"builtins.{kind}.{name.removeprefix(f'{ARRAY}.')}") is not None for kind in ("dict", "list"))
    return of_a_tree and _is_of_others(i, name, operands)


def _is_never_equal(i: Interpreter, other: Value) -> bool:
    """Whether MLX compares no array with something: that is not equal to one, whatever the array holds. Of None it says so by a TypeError, compiled or not."""
    return all(
        scalar_type(member) in ("str", "NoneType")
        or isinstance(member, Tuple)
        or (isinstance(member, Ref) and i.info(member.oid).kind in ("list", "function", "class"))
        or (isinstance(member, External) and i.mlx.dtype(member.name) is not None)
        for member in members(other)
    )


_EQUALITY: Final = frozenset(("__eq__", "__ne__"))
BOOL: Final = frozenset(("bool",))
_OF_TWO: Final = {
    "__getitem__",
    "__setitem__",
    "__contains__",
    *(f"__{way}{word}__" for word in METHODS.values() for way in ("", "r", "i")),
}
"""Special methods of an array and another operand."""
_BY_KEY: Final = frozenset(("__getitem__", "__contains__"))
"""What a mapping has with a string, and an array with numbers alone."""


def changed(i: Interpreter, array: Array, made: Value, place: Place, frame: Frame) -> Value:
    """An array changed in place: the same object with another content, wherever it is held."""
    if not isinstance(made, Array):
        return array
    new = array.but(trace=made.trace, chain=made.chain, shape=made.shape, origin=array.origin | made.origin)
    captures.composed(i, array.ident, (array, made))
    backward.carried(i, "", array, (array, made))
    last_axes.changed(i, array, made)
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
    looked.looks(i, array.ident)
    if array.shape is None:
        return ranks.shape_of(i, array)
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
    looked.looks(i, array.ident)
    if array.shape is None:
        return unranked(array).product
    if any(size is None for size in array.shape):
        return i.derived("size", (Array(array.ident),), frozenset(("int",)), place)
    found = total(tuple(size if isinstance(size, Size) else number(size) for size in array.shape))  # type: ignore[arg-type]
    return _length(i, array, found, -1, place)


def _len(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    looked.looks(i, array.ident)
    if array.shape is None:
        return unranked(array).axis(0)
    return (
        _length(i, array, array.shape[0], 0, place)
        if array.shape
        else i.derived("size", (Array(array.ident), Const(0)), frozenset(("int",)), place)
    )


def _dtype(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    return External(dtype_name(array.dtype)) if array.dtype is not None else i.derived("dtype", (Array(array.ident),), None, place)


def _itemsize(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    known = dtypes.item_size(array.dtype)
    return i.derived("itemsize", (Array(array.ident),), frozenset(("int",)), place) if known is None else Const(known)


def _nbytes(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    count, each = (read(i, array, operands, place, frame) for read in (_size, _itemsize))
    return i.operations.binary(i, "*", count, each, place, frame)


def _get_item(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    index = operands[1]
    trace, chain, origin = traced(i, operands, place)
    shape = subscripts.shape_of(array, index)
    if shape is None and array.shape is not None:
        refuses(i, refusal(f"{ARRAY}.__getitem__", [describe(i, array), described_key(i, index)], {}), place, frame)
    form = shapeless.indexed(i, array, index, shape, place, frame)
    broadcasts.taken(i, operands)
    if i.trace is not None:
        i.trace.operations += 1
        i.trace.computes(i, "[]", place, operands)
    ident = i.ident(place, "item")
    captures.composed(i, ident, operands)
    unevaluated.computed_from(i, (Array(ident),), operands)
    i.heap.set(ident, ("#", "lazy"), TRUE)
    if i.trace is not None and "vmap" in i.trace.transforms:
        mapping.carried(i, ident, (array,))
    if i.trace is None:
        i.heap.set(ident, OPERANDS, Operands(tuple(dict.fromkeys(a.ident for value in operands for a in arrays_in(i, value)))))
        contents.made(i, ident, operands, place)
        shapeless.unsized_index(i, ident, array, index, shape, place)
    chain = Chain(place, "[]", chain) if trace is not None else None

    def moves(number: Value) -> bool:
        return novelty.moving(i, number) != NO_LOOPS

    by = tuple(part for part in subscripts.items(index) if isinstance(part, Array))  # an axis gets as long as what picks from it
    lengths = subscripts.lengths(array, index, moves)
    grows_, loops = grows(i, "", lengths, (array, *by, Tuple(tuple(subscripts.moving(array, index, moves)))))
    if all(isinstance(member, Array) for member in members(index)):
        lengthening.as_long(i, ident, array.ident, but=0)
    elif all(isinstance(part, Slice) and subscripts.takes_all(part) for part in subscripts.items(index)):
        lengthening.as_long(i, ident, array.ident)
        grows_, loops = (grows_, loops) if grows_ else (array.grows, array.loops)
    elif array.shape is None and all(map(subscripts.takes_all, subscripts.items(index))):
        grows_, loops = (grows_, loops) if grows_ else (array.grows, array.loops)
    made = Array(ident, trace, shape, array.dtype, chain, origin, grows_, loops=loops)
    stretching.lengthens(i, made, None)
    windows.made(i, ident, (array,))
    if i.trace is None or made.trace is None:
        recipes.keep(i, recipes.ITEM, made, operands, {})
    makings.keep(i, recipes.ITEM, made, operands, {}, lambda _: all(map(subscripts.tells_length, subscripts.items(index))))
    backward.carried(i, "", made, operands)
    backward.through(i, form, (array,), made, place, in_one_line(place.text), frame)
    return made


def _set_item(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    given = [describe(i, array), described_key(i, operands[1]), describe(i, operands[2])]
    refuses(i, refusal(f"{ARRAY}.__setitem__", given, {}), place, frame)
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
        contents.rewritten(i, array, operands[2], place)
    changed(i, array, made, place, frame)
    if i.trace is not None:
        i.trace.operations += 1
        i.trace.computes(i, "[] =", place, operands)
    return NONE


def _iter(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    trace, chain, origin = traced(i, operands, place)
    ident = i.ident(place, "row")
    shapeless.unrolled(i, array, ident, place, frame)
    captures.composed(i, ident, operands)
    if i.trace is None:
        contents.made(i, ident, operands, place, "item")
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
    return contents.read_out(i, (array,), what, kind, place) if known is None else known


def _contains(i: Interpreter, array: Array, operands: Sequence[Value], place: Place, frame: Frame) -> Value:
    if all(scalar_type(item) in ("str", "bytes") or isinstance(item, (Tuple, Ref)) for item in members(operands[1])):
        return FALSE  # no element is equal to what is no number
    sinks.use(i, "truth", array, "in", place, frame)
    return i.symbolic(place, "in", kinds=frozenset(("bool",)), source="evaluated")


_SPECIAL: Final[dict[str, Any]] = {
    "shape": _shape, "ndim": _ndim, "size": _size, "dtype": _dtype, "at": lambda i, a, o, p, f: updates.at(i, a, p), "__len__": _len, "__getitem__": _get_item, "__setitem__": _set_item,
    "__iter__": _iter, "__contains__": _contains, "nbytes": _nbytes, "itemsize": _itemsize,
}  # fmt: skip


def method(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call a method of arrays; the array is the first argument."""
    short = name.removeprefix(f"{ARRAY}.")
    array = args.get(0)
    if array is None:
        return i.symbolic(place, name)
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
    return compute(i, name, (member, *args.args[1:]), args.keywords, place, frame, star=args.starred)


def _listed(i: Interpreter, array: Array, kind: str, rank: int | None, place: Place) -> Value:
    """`array.tolist()`: of an array with one axis a list of numbers."""
    if rank != 1 or kind == "complex":
        return i.symbolic(place, ".tolist()", source="evaluated")
    count = _count(array)
    if count is not None and count <= UNROLLED:
        items = tuple(_number_out(i, array, f"{contents.ITEM}{n}", kind, place, n) for n in range(count))
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
