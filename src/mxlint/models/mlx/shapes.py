"""The functions of the language that make shapes: `SHAPES`, by name. Each takes descriptions of arguments and answers an array without a dtype.

A result whose rank is known where its sizes are not has that rank; an argument that decides the rank and is not known makes it unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mxlint.domain import arranging, indexing, shape, size
from mxlint.domain.shape import Shape, of_rank, size_at
from mxlint.domain.size import ONE, ZERO, MaybeSize, number
from mxlint.models.mlx.arguments import (
    UNKNOWN,
    Argument,
    ArrayType,
    Scalar,
    Unknown,
    array_shape,
    integer,
    integers,
    plain_integer,
    plain_integers,
    truth,
)  # fmt: skip
from mxlint.models.mlx.language import Several


def made(result: Shape) -> ArrayType:
    """A result of this shape."""
    return ArrayType(result, None)


def _rank(value: Argument) -> int | None:
    found = array_shape(value)
    return None if found is None else len(found)


def _listed(value: Argument) -> Sequence[Argument] | None:
    return value if isinstance(value, (list, tuple)) else None


def _of_same_rank(value: Argument) -> ArrayType:
    return made(of_rank(_rank(value)))


# -- parts of the language ---------------------------------------------------------------------------------------------


def same(a: Argument) -> ArrayType:
    """The shape of an argument; that of a sequence of numbers is itself."""
    return made(array_shape(a))


def sized(sizes: Argument) -> ArrayType:
    """The shape that sizes name: several, or one."""
    found = integers(sizes)
    if found is None and isinstance(sizes, ArrayType):
        return sizes if sizes.dtype is None else made(None)
    return made(None if found is None else tuple(found))


def lead(a: Argument, count: Argument = 1) -> ArrayType:
    """The shape without its last axes."""
    found, n = array_shape(a), plain_integer(count)
    return made(found[: len(found) - n] if found is not None and n is not None and n <= len(found) else None)


def tail(a: Argument, count: Argument = 1) -> ArrayType:
    """The shape without its first axes."""
    found, n = array_shape(a), plain_integer(count)
    return made(found[n:] if found is not None and n is not None and n <= len(found) else None)


def length(a: Argument, axis: Argument) -> Argument:
    """The length of an axis."""
    at = plain_integer(axis)
    found = None if at is None else size_at(array_shape(a), at)
    return UNKNOWN if found is None else found


def rank(a: Argument) -> Argument:
    """The number of axes."""
    found = _rank(a)
    return UNKNOWN if found is None else found


def elements(a: Argument) -> Argument:
    """The number of elements."""
    found = shape.total(array_shape(a))
    return UNKNOWN if found is None else found


def number_of(items: Argument) -> Argument:
    """The length of a sequence of arguments, 1 for what is none."""
    found = _listed(items)
    return UNKNOWN if isinstance(items, Unknown) else 1 if found is None else len(found)


def largest(a: Argument, b: Argument) -> Argument:
    """The greater of two sizes."""
    found = size.greatest(integer(a), integer(b))
    return UNKNOWN if found is None else found


def smallest(a: Argument, b: Argument) -> Argument:
    """The smaller of two sizes."""
    found = size.least(integer(a), integer(b))
    return UNKNOWN if found is None else found


def each(value: Argument, count: Argument) -> Argument:
    """A setting for each of several axes: one number for all of them, or one for each."""
    n = plain_integer(count)
    return UNKNOWN if n is None else [value] * n if _listed(value) is None else value


def resize(a: Argument, axis: Argument, to: Argument) -> ArrayType:
    """The shape with another length of one axis."""
    at = plain_integer(axis)
    return _of_same_rank(a) if at is None else made(shape.replace_axis(array_shape(a), at, integer(to)))


def chosen(flags: Argument, items: Argument) -> Argument:
    """Those items whose flags are set, as a tuple; the item itself if it is the only one."""
    known = [truth(flag) for flag in flags]
    if None in known:
        return UNKNOWN
    parts = [item for item, flag in zip(items, known) if flag]
    return parts[0] if len(parts) == 1 else Several(tuple, parts)


def is_array(value: Argument) -> Argument:
    """Whether an argument is an array."""
    return UNKNOWN if isinstance(value, Unknown) else isinstance(value, ArrayType)


def is_number(value: Argument) -> Argument:
    """Whether an argument is one number."""
    return UNKNOWN if isinstance(value, Unknown) else isinstance(value, (int, float, size.Size, Scalar))


def is_whole(value: Argument) -> Argument:
    """Whether an argument is of integers or truth values, and becomes no float beside others."""
    if isinstance(value, ArrayType):
        return UNKNOWN if value.dtype is None else not value.dtype.startswith(("float", "bfloat", "complex", "uint64"))
    return UNKNOWN if isinstance(value, Unknown) else isinstance(value, (int, size.Size))


def is_complex(value: Argument) -> Argument:
    """Whether an array has complex elements."""
    return value.dtype == "complex64" if isinstance(value, ArrayType) and value.dtype is not None else UNKNOWN


# -- axes --------------------------------------------------------------------------------------------------------------


def broadcast(*operands: Argument) -> ArrayType:
    """What arrays and numbers broadcast to."""
    return made(shape.broadcast(*map(array_shape, operands)))


def reduce(a: Argument, axis: Argument, keepdims: Argument = False) -> ArrayType:
    """Without one, several or all (None) axes; with `keepdims` their lengths are 1."""
    keep, whole = truth(keepdims), array_shape(a)
    axes = None if axis is None else plain_integers(axis)
    if keep is None:
        return made(None)
    if axis is not None and axes is None:
        gone = integers(axis)
        left = len(whole) if whole is not None and keep else len(whole) - len(gone) if whole is not None and gone is not None else None
        return made(of_rank(left))
    return made(shape.reduce(whole, axes, keep))


def permute(a: Argument, axes: Argument = None) -> ArrayType:
    """In another order of axes, or reversed (None)."""
    order = None if axes is None else plain_integers(axes)
    return made(shape.permute(array_shape(a), order)) if axes is None or order is not None else _of_same_rank(a)


def swap(a: Argument, first: Argument, second: Argument) -> ArrayType:
    """With two axes in each other's place."""
    i, j = plain_integer(first), plain_integer(second)
    return _of_same_rank(a) if i is None or j is None else made(shape.swap(array_shape(a), i, j))


def move(a: Argument, source: Argument, destination: Argument) -> ArrayType:
    """With one axis elsewhere."""
    i, j = plain_integer(source), plain_integer(destination)
    return _of_same_rank(a) if i is None or j is None else made(shape.move(array_shape(a), i, j))


def expand(a: Argument, axis: Argument) -> ArrayType:
    """With new axes of length 1."""
    axes, new, old = plain_integers(axis), integers(axis), _rank(a)
    if axes is None:
        return made(of_rank(old + len(new)) if old is not None and new is not None else None)
    return made(shape.expand(array_shape(a), axes))


def squeeze(a: Argument, axis: Argument = None) -> ArrayType:
    """Without axes of length 1."""
    axes, gone, old = plain_integers(axis), integers(axis), _rank(a)
    if axis is not None and axes is None:
        return made(of_rank(old - len(gone)) if old is not None and gone is not None else None)
    return made(shape.squeeze(array_shape(a), axes))


def at_least(arrays: Argument, least: Argument) -> Argument:
    """With axes of length 1 where there are too few: in front of a vector, behind a matrix for three. A list of them for several arrays."""
    parts, n = _listed(arrays), plain_integer(least)
    if parts is None or n is None:
        return UNKNOWN
    found = [_lifted(array_shape(part), n) for part in parts]
    return found[0] if len(found) == 1 else Several(list, found)


def _lifted(found: Shape, n: int) -> ArrayType:
    if found is None or len(found) >= n:
        return made(found)
    if n == 3 and found:
        return made((ONE, *found, ONE) if len(found) == 1 else (*found, ONE))
    return made((ONE,) * (n - len(found)) + found)


# -- rearranging -------------------------------------------------------------------------------------------------------


def reshape(a: Argument, sizes: Argument) -> ArrayType:
    """The same elements in another shape."""
    found = integers(sizes)
    return made(None if found is None else arranging.reshape(array_shape(a), found))


def flatten(a: Argument, start: Argument = 0, end: Argument = -1) -> ArrayType:
    """With several axes as one."""
    first, last = plain_integer(start), plain_integer(end)
    return made(None if first is None or last is None else arranging.flatten(array_shape(a), first, last))


def unflatten(a: Argument, axis: Argument, sizes: Argument) -> ArrayType:
    """With one axis as several."""
    at, found, old = plain_integer(axis), integers(sizes), _rank(a)
    if at is None or found is None:
        return made(of_rank(old - 1 + len(found)) if old is not None and found is not None else None)
    return made(arranging.unflatten(array_shape(a), at, found))


def along(a: Argument, axis: Argument) -> ArrayType:
    """The same shape, flattened where no axis is given."""
    return made(arranging.flatten(array_shape(a))) if axis is None else on(a, axis)


def on(a: Argument, axes: Argument) -> ArrayType:
    """The same shape, which has the axes that are named: one, several or all (None). MLX may not look at those of an empty array."""
    if isinstance(axes, Unknown):
        return made(None)
    whole = array_shape(a)
    return made(None if has_axes(a, axes) is False and whole is not None and ZERO not in whole else whole)


def has_axes(a: Argument, axes: Argument, more: Argument = 0) -> Argument:
    """Whether an array, or the first of several, has the axes that are named; `more`: so many axes are added to it before."""
    if axes is None:
        return True
    listed = _listed(a)
    old, named = _rank(listed[0] if listed else a), [axis if axis is None else axis.number for axis in integers(axes) or (None,)]
    added = plain_integer(more)
    if old is None or added is None:
        return UNKNOWN
    if any(axis is not None and shape.axis_index(axis, old + added) is None for axis in named):
        return False
    return UNKNOWN if None in named else True


def broadcast_to(a: Argument, wanted: Argument) -> ArrayType:
    """The shape of an array, or one that is named, which another array broadcasts to."""
    return made(shape.broadcast_to(array_shape(a), sized(wanted).shape if not isinstance(wanted, ArrayType) else wanted.shape))


def alike(a: Argument, b: Argument) -> ArrayType:
    """The shape of two arrays that have the same."""
    one, other = array_shape(a), array_shape(b)
    return made(None if shape.different_shape(one, other) else one if one is not None else other)


def filled(slot: Argument, value: Argument) -> ArrayType:
    """The shape of a part that a value fills, which may have further axes of length 1 in front."""
    wanted, given = array_shape(slot), array_shape(value)
    if wanted is None or given is None:
        return made(wanted)
    extra = max(0, len(given) - len(wanted))
    wrong = any(size.provably_different(length, ONE) for length in given[:extra]) or shape.broadcast_to(given[extra:], wanted) is None
    return made(None if wrong else wanted)


def provided(test: Argument) -> ArrayType:
    """Something, unless a test surely fails."""
    return made(None if truth(test) is False else ())


def is_pairs(value: Argument) -> Argument:
    """Whether an argument is a sequence of pairs."""
    if isinstance(value, Unknown):
        return UNKNOWN
    return _listed(value) is not None and all(_listed(part) is not None and len(part) == 2 for part in value)


def vectors(a: Argument, *others: Argument) -> ArrayType:
    """The same shape, where vectors are as long as the last axis; None stands for one that is not given."""
    whole = array_shape(a)
    given = [array_shape(other) for other in others if other is not None]
    if whole is None:
        return made(None)
    last = whole[-1] if whole else None
    wrong = any(vector is not None and (len(vector) != 1 or size.provably_different(vector[0], last)) for vector in given)
    return made(None if wrong or not whole else whole)


def concatenate(arrays: Argument, axis: Argument) -> ArrayType:
    """Arrays one after the other."""
    parts, at = _listed(arrays), plain_integer(axis)
    if parts is None and isinstance(arrays, ArrayType) and arrays.shape is not None and len(arrays.shape) > 1 and at is not None:
        rows = arrays.shape[0].number if arrays.shape[0] is not None else None  # an array is a sequence of its rows
        if rows is None:
            return made(of_rank(len(arrays.shape) - 1))
        parts = [made(arrays.shape[1:])] * rows
    if parts is None or not parts:
        return made(None)
    if axis is not None and at is None:
        return _of_same_rank(parts[0])
    return made(arranging.concatenate([array_shape(part) for part in parts], at))


def stack(arrays: Argument, axis: Argument) -> ArrayType:
    """Arrays along a new axis."""
    parts, at = _listed(arrays), plain_integer(axis)
    if parts is None or not parts:
        return made(None)
    if at is None:
        old = _rank(parts[0])
        return made(None if old is None else of_rank(old + 1))
    return made(arranging.stack([array_shape(part) for part in parts], at))


def split(a: Argument, sections: Argument, axis: Argument) -> Argument:
    """A list of parts."""
    at = plain_integer(axis)
    parts: Any = sections if isinstance(sections, int) else plain_integer(sections) if _listed(sections) is None else integers(sections)
    if parts is None:
        return UNKNOWN
    if at is None:
        return Several(list, [_of_same_rank(a)] * (parts if isinstance(parts, int) else len(parts) + 1))
    found = arranging.split(array_shape(a), parts, at)
    return UNKNOWN if found is None else Several(list, list(map(made, found)))


def unstack(a: Argument, axis: Argument) -> Argument:
    """As many arrays as an axis has elements, without it."""
    at = plain_integer(axis)
    n = length(a, axis)
    plain = plain_integer(n)
    return UNKNOWN if at is None or plain is None else Several(tuple, [made(shape.reduce(array_shape(a), [at]))] * plain)


def repeat(a: Argument, repeats: Argument, axis: Argument) -> ArrayType:
    """Each element several times."""
    at = plain_integer(axis)
    return _of_same_rank(a) if axis is not None and at is None else made(arranging.repeat(array_shape(a), integer(repeats), at))


def tile(a: Argument, reps: Argument) -> ArrayType:
    """The whole several times."""
    found = integers(reps)
    return made(None if found is None else arranging.tile(array_shape(a), found))


def pad(a: Argument, width: Argument) -> ArrayType:
    """With elements before and after: one width for all, a pair for all, or a pair for each axis."""
    found = array_shape(a)
    if found is None or isinstance(width, (Unknown, ArrayType)):
        return made(of_rank(None if found is None else len(found)))
    pairs = _listed(width)
    if pairs is None:
        pairs = [(width, width)] * len(found)
    elif pairs and all(_listed(pair) is None for pair in pairs):
        pairs = [(pairs[0], pairs[-1])] * len(found)
    if len(pairs) != len(found):
        return made(None if len(pairs) != 1 else tuple(_padded(old, pairs[0]) for old in found))
    return made(tuple(map(_padded, found, pairs)))


def _padded(old: MaybeSize, pair: Argument) -> MaybeSize:
    ends = _listed(pair) or (pair, pair)
    return size.add(old, size.add(integer(ends[0]), integer(ends[-1])))


def meshgrid(arrays: Argument, sparse: Argument, order: Argument) -> Argument:
    """A grid of vectors: a list of as many arrays; the first two axes swapped under "xy"."""
    parts, thin = _listed(arrays), truth(sparse)
    if parts is None or thin is None or order not in ("xy", "ij"):
        return UNKNOWN
    whole = [shape.total(array_shape(part)) for part in parts]
    found = []
    for i in range(len(parts)):
        one: list[MaybeSize] = [n if i == j or not thin else ONE for j, n in enumerate(whole)]
        if order == "xy" and len(one) > 1:
            one[0], one[1] = one[1], one[0]
        found.append(made(tuple(one)))
    return Several(tuple, found)


def together(arrays: Argument) -> Argument:
    """A list of the arrays, each broadcast with the others."""
    parts = _listed(arrays)
    return UNKNOWN if parts is None else Several(list, [broadcast(*parts)] * len(parts))


# -- picking -----------------------------------------------------------------------------------------------------------


def take(a: Argument, indices: Argument, axis: Argument) -> ArrayType:
    """The elements at indices along an axis, or of all elements in a row (None)."""
    whole, picked = array_shape(a), array_shape(indices)
    if axis is None:
        return made(picked)
    at = plain_integer(axis)
    if whole is None or picked is None:
        return made(None)
    if at is None:
        return made(of_rank(len(whole) - 1 + len(picked)))
    i = shape.axis_index(at, len(whole))
    return made(None if i is None else (*whole[:i], *picked, *whole[i + 1 :]))


def take_along(a: Argument, indices: Argument, axis: Argument) -> ArrayType:
    """The elements at indices along an axis, all other axes broadcast."""
    whole, picked = array_shape(a), array_shape(indices)
    if axis is None:
        return made(None if picked is not None and len(picked) != 1 else picked)
    at = plain_integer(axis)
    if whole is not None and picked is not None and len(whole) != len(picked):
        return made(None)
    if at is None or whole is None or picked is None:
        return _of_same_rank(indices)
    i = shape.axis_index(at, len(whole))
    if i is None:
        return made(None)
    rest = shape.broadcast((*whole[:i], ONE, *whole[i + 1 :]), (*picked[:i], ONE, *picked[i + 1 :]))
    return made(shape.replace_axis(rest, i, picked[i]))


def index(a: Argument, key: Argument) -> ArrayType:
    """`a[key]`. A boolean array in a key is an error of MLX."""
    items = [_item(item) for item in (key if isinstance(key, tuple) else (key,))]
    known = [item for item in items if item is not None]
    return made(indexing.index(array_shape(a), known) if len(known) == len(items) else None)


def _item(value: Argument) -> indexing.Item | None:
    if isinstance(value, ArrayType):
        return None if value.dtype in (None, "bool") else indexing.Gather(value.shape)
    if value is None:
        return indexing.NewAxis()
    if value is ...:
        return indexing.Rest()
    if isinstance(value, slice):
        return indexing.Slice(*(indexing.ABSENT if bound is None else integer(bound) for bound in (value.start, value.stop, value.step)))
    if isinstance(value, list):
        return indexing.Gather(array_shape(value))
    whole = isinstance(value, (int, size.Size)) and not isinstance(value, bool) or value == Scalar("int")
    return indexing.Integer() if whole else None


def diagonal(a: Argument, offset: Argument = 0, axis1: Argument = 0, axis2: Argument = 1) -> ArrayType:
    """The elements on a diagonal of two axes, as the last axis."""
    whole, i, j, k = array_shape(a), plain_integer(axis1), plain_integer(axis2), integer(offset)
    if whole is None or i is None or j is None:
        return made(of_rank(None if whole is None else len(whole) - 1))
    rows = size.sub(size_at(whole, i), size.greatest(size.neg(k), ZERO))
    columns = size.sub(size_at(whole, j), size.greatest(k, ZERO))
    rest = shape.reduce(whole, [i, j])
    return made(None if rest is None else (*rest, size.greatest(size.least(rows, columns), ZERO)))


def diag(a: Argument, k: Argument) -> ArrayType:
    """A matrix with a vector on its diagonal, or the diagonal of a matrix."""
    whole, offset = array_shape(a), plain_integer(k)
    if whole is None or len(whole) != 1:
        return diagonal(a, k) if whole is not None else made(None)
    n = size.add(whole[0], number(abs(offset))) if offset is not None else None
    return made((n, n))


def arange(start: Argument, stop: Argument, step: Argument) -> ArrayType:
    """Numbers from start to stop."""
    values = (start, stop, step)
    if all(isinstance(value, (int, float)) for value in values) and step:
        return made((number(max(0, _ceil((stop - start) / step))),))
    first, last, by = (integer(value) for value in values)
    if by is None or by.number is None or by.number <= 0:
        return made((None,))
    n = size.floordiv(size.add(size.sub(last, first), number(by.number - 1)), by)
    return made((size.greatest(n, ZERO),))


def _ceil(value: float) -> int:
    whole = int(value)
    return whole + 1 if value > whole else whole


SHAPES: dict[str, Callable[..., Argument]] = {
    "same": same, "sized": sized, "lead": lead, "tail": tail, "length": length, "rank": rank, "elements": elements, "number_of": number_of, "chosen": chosen,
    "largest": largest, "smallest": smallest, "each": each, "resize": resize, "is_array": is_array, "is_complex": is_complex, "is_number": is_number, "is_whole": is_whole, "broadcast": broadcast, "reduce": reduce, "permute": permute,
    "swap": swap, "move": move, "expand": expand, "squeeze": squeeze, "at_least": at_least, "on": on, "has_axes": has_axes, "broadcast_to": broadcast_to, "vectors": vectors, "alike": alike, "filled": filled, "provided": provided, "is_pairs": is_pairs, "reshape": reshape, "flatten": flatten,
    "unflatten": unflatten, "along": along, "concatenate": concatenate, "stack": stack, "split": split, "unstack": unstack, "repeat": repeat,
    "tile": tile, "pad": pad, "meshgrid": meshgrid, "together": together, "take": take, "take_along": take_along, "index": index,
    "diagonal": diagonal, "diag": diag, "arange": arange,
}  # fmt: skip
