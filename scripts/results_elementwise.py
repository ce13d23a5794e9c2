"""Element by element, along axes, and rearranged. The statements of `results_catalogue.py`."""

from __future__ import annotations

from typing import Any

from result_samples import FLOATS, INTS, Call, Sampling, along, binary, call, on, one_axis, reduction, three, unary
from results_catalogue import OF_ONE, OF_TWO, C, add, derive

# -- elementwise -----------------------------------------------------------------------------------------------------------------------------
derive(
    C + "abs acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_invert ceil conj conjugate cos cosh degrees erf erfinv "
    "exp expm1 floor imag isfinite isinf isnan isneginf isposinf log log10 log1p log2 logical_not negative positive radians real reciprocal rsqrt "
    "sigmoid sign sin sinh sqrt square stop_gradient tan tanh trunc contiguous",
    ["same({0})"], OF_ONE, unary,
)  # fmt: skip
derive(C + "round", ["same({0})"], OF_ONE, lambda g: ([g.array()], g.some(decimals=g.int(0, 2))))
derive(C + "nan_to_num", ["same({0})"], OF_ONE, lambda g: ([g.array()], g.some(nan=0.5, posinf=1.0)))
derive(
    C + "add subtract multiply divide floor_divide remainder power pow maximum minimum logaddexp arctan2 atan2 equal not_equal less less_equal greater "
    "greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift bitwise_right_shift",
    ["broadcast({0}, {1})"], OF_TWO, binary,
)  # fmt: skip
derive(C + "isclose", ["broadcast({0}, {1})"], OF_TWO, binary)
derive(C + "allclose", ["()"], OF_TWO, binary)
derive(C + "array_equal", ["()"], OF_TWO, binary)
add(C + "divmod", "list(broadcast(a, b), broadcast(a, b))", "promote(a, b)", binary)
derive(C + "where", ["broadcast({0}, {1}, {2})"], ["promote({1}, {2})"], three)


def _clip(g: Sampling) -> Call:
    a = g.array()
    return call(a, g.one_of(None, g.operand(a.shape)), g.one_of(None, g.operand(a.shape), 1))


add(
    C + "clip",
    "broadcast(a, a if a_min is None else a_min, a if a_max is None else a_max)",
    "promote(promote(a, a if a_min is None else a_min), a if a_max is None else a_max if is_array(a_max) else promote(a, a_max))",
    _clip,
)
add(
    C + "broadcast_to",
    "broadcast_to(a, shape)",
    "same(a)",
    on(lambda g: g.array(), lambda g, a: call(a, (*g.shape(0, 1), *[g.length() if n == 1 else n for n in a.shape]))),
)
add(
    C + "broadcast_arrays",
    "together(arrays)",
    "list(*arrays)",
    on(lambda g: g.array(), lambda g, a: call(a, g.array(a.shape[1:]), g.array(a.shape))),
)

# -- reductions and what runs along an axis --------------------------------------------------------------------------------------------------
derive(C + "max min mean std var all any logsumexp median", ["reduce({0}, axis, keepdims)"], OF_ONE, reduction)
add(C + "sum prod", "reduce(a, axis, keepdims)", "same(a) if number_of(axis) == 0 or rank(a) == 0 else sum(a)", reduction)
add(C + "count_nonzero", "reduce(a, axis, keepdims)", "int32", reduction, "a, /, axis=None, keepdims=False, *, stream=None")
derive(C + "std var", ["reduce({0}, axis, keepdims)"], OF_ONE, on(reduction, lambda g, c: (c[0], c[1] | {"ddof": 1})))
add(C + "minmax", "tuple(reduce(a, axis, keepdims), reduce(a, axis, keepdims))", "same(a)", reduction)
derive(C + "argmax argmin", ["reduce({0}, axis, keepdims)"], OF_ONE, one_axis)
derive(C + "cumsum cumprod cummax cummin logcumsumexp sort argsort", ["along({0}, axis)"], OF_ONE, along)
derive(C + "cumulative_prod cumulative_sum", ["same({0})", "along({0}, axis)"], OF_ONE, along)
derive(
    C + "cumsum cumprod",
    ["along(a, axis)"],
    ["given(dtype, count(a))", "given(dtype, same(a))"],
    on(along, lambda g, c: (c[0], c[1] | g.some(dtype=g.dtype(*INTS, *FLOATS)))),
)
derive(
    C + "softmax",
    ["on({0}, axis)"],
    ["float({0})", "same({0})"],
    on(lambda g: g.array(None, *FLOATS, "complex64"), lambda g, a: ([a], g.some(axis=g.axes(a.ndim), precise=g.chance()))),
)


def _positioned(g: Sampling) -> Call:
    """With a position along an axis."""
    a = g.array(low=1)
    axis = g.one_of(None, g.axis(a.ndim))
    n = a.size if axis is None else a.shape[axis]
    keywords = {} if axis == -1 and g.chance() else {"axis": axis}
    return [a, g.int(-n, n - 1) if n else 0], keywords


derive(C + "partition argpartition", ["along({0}, axis)"], OF_ONE, _positioned)
add(
    C + "topk",
    "resize(along(a, axis), -1 if axis is None else axis, k)",
    "same(a)",
    on(_positioned, lambda g, c: ([c[0][0], abs(c[0][1])], c[1])),
)
add(C + "searchsorted", "same(values)", "uint32", on(lambda g: g.array(None, "float32"), lambda g, a: call(g.array((3,), "float32"), a)))
add(
    C + "unique", "chosen([True, return_index, return_inverse, return_counts], [(size,), (size,), same(a), (size,)])",
    "chosen([True, return_index, return_inverse, return_counts], [same(a), uint32, uint32, int32])",
    lambda g: ([g.array(None, "float32", "int32", low=1), g.int(1, 3)], g.some(return_index=g.chance(), return_inverse=g.chance(), return_counts=g.chance())),
)  # fmt: skip
add(
    C + "diff",
    "resize(a, axis, largest(length(a, axis) - n, 0))",
    "same(a)",
    on(lambda g: g.array(low=1), lambda g, a: ([a], g.some(n=g.int(0, 2), axis=g.axis(a.ndim)))),
)

# -- axes and rearranging --------------------------------------------------------------------------------------------------------------------
add(
    C + "moveaxis",
    "move(a, source, destination)",
    "same(a)",
    on(lambda g: g.array(low=1), lambda g, a: call(a, g.axis(a.ndim), g.axis(a.ndim))),
)
add(C + "swapaxes", "swap(a, axis1, axis2)", "same(a)", on(lambda g: g.array(low=1), lambda g, a: call(a, g.axis(a.ndim), g.axis(a.ndim))))


def permuted(g: Sampling) -> Call:
    a = g.array()
    order = g.random.sample(range(a.ndim), a.ndim)
    return call(a) if g.chance(0.3) else call(a, [axis - a.ndim if g.chance(0.3) else axis for axis in order])


add(C + "transpose permute_dims", "permute(a, axes)", "same(a)", permuted)
add(C + "matrix_transpose", "swap(a, -1, -2)", "same(a)", lambda g: call(g.array(low=2)))
add(
    C + "squeeze",
    "squeeze(a, axis)",
    "same(a)",
    on(lambda g: g.array([g.one_of(1, 1, 2) for _ in range(g.int(0, 4))]), lambda g, a: call(a, *g.one_of([], [g.axes(a.ndim)]))),
)
add(
    C + "expand_dims",
    "expand(a, axis)",
    "same(a)",
    on(lambda g: g.array(), lambda g, a: call(a, g.one_of(g.axis(a.ndim + 1), [0, -1], (0, 2)))),
)
add(C + "flip", "on(a, axis)", "same(a)", on(lambda g: g.array(), lambda g, a: ([a], g.some(axis=g.axes(a.ndim)))))
add(C + "roll", "on(a, axis)", "same(a)", on(lambda g: g.array(), lambda g, a: call(a, g.int(-3, 3), *g.one_of([], [g.axis(a.ndim)]))))
for _n in "123":
    add(C + f"atleast_{_n}d", f"at_least(arys, {_n})", "list(*arys)", lambda g: ([g.array() for _ in range(g.one_of(1, 1, 2, 3))], {}))


def reshaped(g: Sampling) -> tuple[Any, list[int]]:
    a = g.array()
    sizes = list(a.shape)
    for _ in range(2):
        at = g.int(0, len(sizes))
        if g.chance() and len(sizes) > 1:
            i = g.int(0, len(sizes) - 2)
            sizes[i : i + 2] = [sizes[i] * sizes[i + 1]]
        else:
            sizes.insert(at, 1)
    if g.chance():
        g.random.shuffle(sizes)
    if sizes and g.chance() and a.size:
        sizes[g.int(0, len(sizes) - 1)] = -1
    return a, sizes


add(C + "reshape", "reshape(a, shape)", "same(a)", lambda g: call(*reshaped(g)))
add(
    C + "flatten",
    "flatten(a, start_axis, end_axis)",
    "same(a)",
    on(lambda g: g.array(), lambda g, a: ([a], g.some(start_axis=g.int(-4, 3), end_axis=g.int(-4, 3)))),
)


def _unflattened(g: Sampling) -> Call:
    a = g.array([g.one_of(2, 4, 6, 12) for _ in range(g.int(1, 3))])
    axis = g.axis(a.ndim)
    n = a.shape[axis]
    return call(a, axis, g.one_of([2, -1], [n // 2, 2], (-1,), [1, n], [2, 1, -1]))


add(C + "unflatten", "unflatten(a, axis, shape)", "same(a)", _unflattened)


def _joined(g: Sampling) -> Call:
    a = g.array(low=1)
    axis = g.axis(a.ndim)
    parts = [a]
    for _ in range(g.int(0, 2)):
        shape = list(a.shape)
        shape[axis] = g.length()
        parts.append(g.array(shape))
    return call(parts if g.chance() else tuple(parts), *g.one_of([axis], [axis], [axis], [None], []))


add(C + "concatenate concat", "concatenate(arrays, axis)", "promote(*arrays)", _joined)
add(
    C + "stack",
    "stack(arrays, axis)",
    "promote(*arrays)",
    on(lambda g: g.array(), lambda g, a: call([a, *[g.array(a.shape) for _ in range(g.int(0, 2))]], *g.one_of([], [g.axis(a.ndim + 1)]))),
)


def _split(g: Sampling) -> Call:
    a = g.array([g.one_of(2, 4, 6, 12) for _ in range(g.int(1, 3))])
    return [a, g.one_of(1, 2, [1], [1, 3], (2,))], g.some(axis=g.axis(a.ndim))


add(C + "split", "split(a, indices_or_sections, axis)", "same(a)", _split)
add(C + "unstack", "unstack(x, axis)", "same(x)", on(lambda g: g.array(low=1), lambda g, a: ([a], g.some(axis=g.axis(a.ndim)))))
add(
    C + "repeat",
    "repeat(array, repeats, axis)",
    "same(array)",
    on(lambda g: g.array(low=1), lambda g, a: ([a, g.int(0, 3)], g.some(axis=g.axis(a.ndim)))),
)
add(C + "tile", "tile(a, reps)", "same(a)", lambda g: call(g.array(), g.one_of(2, [1, 2], (2, 1, 3), [])))


def _padding(g: Sampling) -> Call:
    a = g.array(low=1)
    return [a, g.one_of(1, (1, 2), (2,), [(g.int(0, 2), g.int(0, 2)) for _ in range(a.ndim)])], {}


add(C + "pad", "pad(a, pad_width)", "same(a)", _padding)
add(
    C + "meshgrid", "meshgrid(arrays, sparse, indexing)", "tuple(*arrays)",
    lambda g: ([g.array((g.length(),)) for _ in range(g.int(1, 3))], g.some(sparse=g.chance(), indexing=g.one_of("xy", "ij"))),
)  # fmt: skip
add(
    C + "as_strided",
    "same(a) if shape is None else sized(shape)",
    "same(a)",
    lambda g: ([g.array((6,))], g.some(shape=(2, 2), strides=(1, 1))),
)
add(C + "tril triu", "same(x)", "same(x)", lambda g: ([g.array(low=2)], g.some(k=g.int(-1, 1))))
add(C + "astype", "same(a)", "given(dtype, same(a))", lambda g: call(g.array(), g.dtype()))
add(C + "view", "view(a, dtype)", "given(dtype, same(a))", lambda g: call(g.array([*g.shape(0, 2), g.one_of(4, 8)]), g.dtype()))
add(C + "hadamard_transform", "same(a)", "norm(a)", lambda g: call(g.array((*g.shape(0, 1), 4))))
