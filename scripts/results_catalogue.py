"""What the results of MLX's functions are thought to be, with samples that prove it: the data of `measure_results.py`.

`add` states an expression for shape and dtype; `derive` lets the measurement choose the first of several candidates that fits every sample. `{0}` is
the name of the first parameter, `{1}` of the second. Parameters come from MLX's stubs and sources unless they are given here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from result_samples import (
    FLOATS,
    INTS,
    Call,
    Sampler,
    Sampling,
    along,
    array_alone,
    binary,
    call,
    creation,
    loss,
    on,
    one_axis,
    pair_of_matrices,
    reduction,
    square,
    three,
    unary,
)  # fmt: skip

MAPS = ("float", "part", "norm", "real", "sum", "count", "complex", "shift", "single")
"""Names of dtype maps (see REPRESENTATIVES)."""
REPRESENTATIVES = {
    "float": lambda a: mx.exp(a),  # integers become float32
    "part": lambda a: mx.abs(a),  # complex becomes float32
    "norm": lambda a: mx.var(a),  # both
    "real": lambda a: mx.sigmoid(a),  # integers become float32, complex raises
    "sum": lambda a: mx.sum(a),  # small integers become 32 bits
    "count": lambda a: mx.cumsum(a, 0),  # bool becomes int32
    "complex": lambda a: mx.fft.fft(a),
    "shift": lambda a: mx.left_shift(a, a),  # bool becomes uint8, floats raise
    "single": lambda a: mx.fft.irfft(a),  # all become float32
}
"""A function that does to a dtype what the map says, by the map's name."""


class Statement:
    """What is stated of one name: expressions to choose from, and how to call it."""

    def __init__(self, shapes: Sequence[str], dtypes: Sequence[str], sample: Sampler, parameters: str | None, form: int) -> None:
        self.shapes, self.dtypes, self.sample, self.parameters, self.form = shapes, dtypes, sample, parameters, form
        self.owner: str | None = None
        """For a method, the function whose first parameter is its `self`."""
        self.inner: str | None = None
        """The parameters of the function that is returned, where the statement is about what that one makes."""


STATEMENTS: dict[str, list[Statement]] = {}
"""By canonical name; several for a function that has several forms of parameters."""
UNKNOWN: dict[str, str] = {}
"""Names that return arrays which no expression describes, with the reason."""


def _names(words: str) -> list[str]:
    prefix, _, names = words.rpartition(":")
    return [prefix + name for name in names.split()]


def add(words: str, shape: str, dtype: str, sample: Sampler, parameters: str | None = None) -> None:
    derive(words, [shape], [dtype], sample, parameters)


def derive(words: str, shapes: Sequence[str], dtypes: Sequence[str], sample: Sampler, parameters: str | None = None) -> None:
    for name in _names(words):
        forms = STATEMENTS.setdefault(name, [])
        forms.append(Statement(shapes, dtypes, sample, parameters, len(forms)))


OF_ONE = ["same({0})", *(f"{name}({{0}})" for name in MAPS), "bool", "uint32", "int32", "float32", "complex64"]
OF_TWO = ["promote({0}, {1})", *(f"{name}(promote({{0}}, {{1}}))" for name in MAPS), "bool", "uint32", "int32", "float32"]
OF_THREE = ["promote({0}, {1}, {2})", "float(promote({0}, {1}, {2}))", "same({0})", "bool"]
C = "mlx.core.:"

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
    "promote(promote(a, a if a_min is None else a_min), promote(a, a if a_max is None else a_max))",
    _clip,
)
add(
    C + "broadcast_to",
    "broadcast(a, sized(shape))",
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
    ["same({0})"],
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


def _permuted(g: Sampling) -> Call:
    a = g.array()
    order = g.random.sample(range(a.ndim), a.ndim)
    return call(a) if g.chance(0.3) else call(a, [axis - a.ndim if g.chance(0.3) else axis for axis in order])


add(C + "transpose permute_dims", "permute(a, axes)", "same(a)", _permuted)
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
add(C + "flip", "same(a)", "same(a)", on(lambda g: g.array(), lambda g, a: ([a], g.some(axis=g.axes(a.ndim)))))
add(C + "roll", "same(a)", "same(a)", on(lambda g: g.array(), lambda g, a: call(a, g.int(-3, 3), *g.one_of([], [g.axis(a.ndim)]))))
for _n in "123":
    add(C + f"atleast_{_n}d", f"at_least(arys, {_n})", "list(*arys)", lambda g: ([g.array() for _ in range(g.one_of(1, 1, 2, 3))], {}))


def _reshaped(g: Sampling) -> tuple[Any, list[int]]:
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


add(C + "reshape", "reshape(a, shape)", "same(a)", lambda g: call(*_reshaped(g)))
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

# -- picking ---------------------------------------------------------------------------------------------------------------------------------
WHOLE = ("int32", "uint32", "int64")


def _taken(g: Sampling) -> Call:
    a = g.array(low=1)
    indices = g.one_of(g.array(None, *WHOLE, high=2), 0)
    return [a, indices], {} if g.chance(0.2) else {"axis": g.axis(a.ndim)}


add(C + "take", "take(a, indices, axis)", "same(a)", _taken)


def _picked(g: Sampling) -> tuple[Any, Any, int]:
    a = g.array(low=1)
    axis = g.axis(a.ndim)
    shape = [1 if g.chance(0.1) else n for n in a.shape]
    shape[axis] = g.length()
    return a, g.array(shape, *WHOLE), axis


def _picked_along(g: Sampling) -> Call:
    a, indices, axis = _picked(g)
    return call(a, indices, g.one_of(axis, axis, None)) if axis != -1 else call(a, indices)


add(C + "take_along_axis", "take_along(a, indices, axis)", "same(a)", _picked_along)
add(C + "put_along_axis", "same(a)", "same(a)", on(_picked, lambda g, p: call(p[0], p[1], g.array((), "float32"), p[2])))
add(
    C + "diagonal",
    "diagonal(a, offset, axis1, axis2)",
    "same(a)",
    on(lambda g: g.array(low=2), lambda g, a: ([a], g.some(offset=g.int(-2, 2), axis1=g.axis(a.ndim), axis2=g.axis(a.ndim)))),
)
add(C + "diag", "diag(a, k)", "same(a)", lambda g: ([g.array(low=1, high=2)], g.some(k=g.int(-2, 2))))
add(
    C + "trace",
    "reduce(diagonal(a, offset, axis1, axis2), -1)",
    "sum(given(dtype, a))",
    lambda g: ([g.array(low=2)], g.some(offset=g.int(-2, 2), dtype=g.one_of(None, g.dtype(*FLOATS, *INTS)))),
)
add(
    C + "slice",
    "sized(slice_size)",
    "same(a)",
    on(lambda g: g.array(low=2), lambda g, a: call(a, g.array((a.ndim - 1,), "int32"), list(range(1, a.ndim)), [1 for _ in a.shape])),
)
add(
    C + "slice_update",
    "same(a)",
    "same(a)",
    on(lambda g: g.array(low=1), lambda g, a: call(a, g.array([1] * a.ndim), g.array((a.ndim,), "int32"), list(range(a.ndim)))),
)

# -- creation --------------------------------------------------------------------------------------------------------------------------------
derive(C + "zeros ones empty", ["sized(shape)"], ["given(dtype, float32)"], creation)
add(
    C + "full",
    "broadcast(sized(shape), vals)",
    "filled(vals, dtype)",
    on(creation, lambda g, c: ([*c[0], g.one_of(g.number(), g.array(()))], c[1])),
)
add(C + "zeros_like ones_like empty_like", "same(a)", "given(dtype, a)", lambda g: ([g.array()], g.some(dtype=g.one_of(None, g.dtype()))))
add(C + "full_like", "same(a)", "given(dtype, a)", lambda g: ([g.array(), 2.5], g.some(dtype=g.one_of(None, g.dtype()))))
add(
    C + "eye",
    "(n, n if m is None else m)",
    "given(dtype, float32)",
    lambda g: ([g.int(1, 4)], g.some(m=g.one_of(None, 3), k=1, dtype=g.one_of(None, g.dtype()))),
)
add(
    C + "tri",
    "(n, n if m is None else m)",
    "given(dtype, float32)",
    lambda g: ([g.int(1, 4)], g.some(m=g.one_of(None, 3), k=1, dtype=g.one_of(None, g.dtype()))),
)
add(C + "identity", "(n, n)", "given(dtype, float32)", lambda g: ([g.int(1, 4)], g.some(dtype=g.one_of(None, g.dtype()))))
add(C + "bartlett blackman hamming hanning", "(M,)", "float32", lambda g: call(g.int(1, 7)))
add(
    C + "linspace",
    "(50 if num is None else num,)",
    "given(dtype, float32)",
    lambda g: ([0, g.one_of(1, 2.5)], g.some(num=g.int(1, 9), endpoint=g.chance(), dtype=g.one_of(None, g.dtype(*FLOATS)))),
)
ARANGE = "given(dtype, promote({}))"
add(
    C + "arange", "arange(start, stop, 1 if step is None else step)", ARANGE.format("start, stop, 1 if step is None else step"),
    lambda g: ([g.int(-2, 3), g.one_of(g.int(0, 9), 4.5)], g.some(step=g.one_of(1, 2, 0.5, -1, None), dtype=g.one_of(None, g.dtype(*INTS, *FLOATS)))),
    "start, stop, step=None, dtype=None, *, stream=None",
)  # fmt: skip
add(
    C + "arange", "arange(0, stop, 1 if step is None else step)", ARANGE.format("stop, 1 if step is None else step"),
    lambda g: ([g.one_of(g.int(0, 9), 4.5)], g.some(step=g.one_of(1, 2, 0.5, None), dtype=g.one_of(None, g.dtype(*INTS, *FLOATS)))),
    "stop, step=None, dtype=None, *, stream=None",
)  # fmt: skip


def _literal(g: Sampling) -> Call:
    value = g.one_of(
        g.number(),
        g.array(),
        [1, 2],
        [1.5, 2],
        [[True], [False]],
        (1, 2),
        [],
        [[1, 2j]],
        [[1.0, 2.0], [3, 4]],
        [g.array((2,), "int32"), g.array((2,), "float16")],
    )
    return [value], g.some(dtype=g.one_of(None, g.dtype(*FLOATS, *INTS)))


add(C + "array", "same(val)", "given(dtype, val)", _literal, "val, dtype=None")
add(C + "asarray", "same(a)", "given(dtype, a)", _literal)

# -- products --------------------------------------------------------------------------------------------------------------------------------
NUMERIC = (*FLOATS, "complex64")
add(C + "matmul", "matmul(a, b)", "promote(a, b)", pair_of_matrices)


def _added(g: Sampling) -> Call:
    a, b = pair_of_matrices(g)[0]
    last = b.shape[-1:] if b.ndim > 1 else ()
    return call(g.array(g.one_of(last, (1,) * len(last), ()), *FLOATS), a, b)


add(C + "addmm", "broadcast(matmul(a, b), c)", "promote(a, b, c)", _added)
add(C + "outer", "(elements(a), elements(b))", "promote(a, b)", lambda g: call(g.array(), g.array()))
add(
    C + "inner",
    "inner(a, b)",
    "promote(a, b)",
    on(lambda g: g.array(None, *NUMERIC), lambda g, a: call(a, g.array((*g.shape(0, 2), *a.shape[-1:]), *NUMERIC))),
)
add(C + "kron", "kron(a, b)", "promote(a, b)", lambda g: call(g.array(high=3), g.array(high=3)))


def _contracted(g: Sampling) -> Call:
    a = g.array(None, *NUMERIC, low=1, high=3)
    n = g.int(0, a.ndim)
    if g.chance():
        return call(a, g.array((*a.shape[a.ndim - n :], *g.shape(0, 2)), *NUMERIC), n)
    i = g.int(0, a.ndim - 1)
    return call(a, g.array((3, a.shape[i]), *NUMERIC), [[i], [g.one_of(1, -1)]])


add(C + "tensordot", "tensordot(a, b, axes)", "promote(a, b)", _contracted)
add(
    C + "vecdot",
    "reduce(broadcast(a, b), axis)",
    "sum(promote(a, b))",
    on(lambda g: g.array(low=1), lambda g, a: ([a, g.array(a.shape)], g.some(axis=g.axis(a.ndim)))),
)


def _summed(g: Sampling) -> Call:
    text = g.one_of("ij,jk->ik", "ij,jk", "bij,bjk->bik", "ii->i", "ij->ji", "i,i->", "i,j->ij", "bhqd,bhkd->bhqk", "ij->", "ijk,ij->k")
    lengths = {letter: g.one_of(1, 2, 3, 5) for letter in "bhqkdij"}
    return call(text, *(g.array([lengths[letter] for letter in term], *NUMERIC) for term in text.partition("->")[0].split(",")))


add(C + "einsum", "einsum(subscripts, operands)", "promote(*operands)", _summed, "subscripts, *operands, stream=None")


def _convolution(rank: int, general: bool = False) -> Sampler:
    def sample(g: Sampling) -> Call:
        groups = g.one_of(1, 1, 2)
        channels = groups * g.one_of(1, 2)
        dtype = g.dtype_name(*FLOATS)
        x = g.array((g.one_of(1, 2), *(g.int(5, 9) for _ in range(rank)), channels), dtype)
        w = g.array((groups * g.one_of(1, 3), *(g.int(1, 3) for _ in range(rank)), channels // groups), dtype)

        def setting(low: int, high: int) -> Any:
            return g.int(low, high) if rank == 1 and not general or g.chance() else tuple(g.int(low, high) for _ in range(rank))

        return [x, w], g.some(stride=setting(1, 2), padding=setting(0, 2), dilation=setting(1, 2)) | {"groups": groups}

    return sample


for _n in (1, 2, 3):
    add(C + f"conv{_n}d", "conv(input, weight, stride, padding, dilation, groups)", "promote(input, weight)", _convolution(_n))


def _transposed(rank: int) -> Sampler:
    def sample(g: Sampling) -> Call:
        arguments, keywords = _convolution(rank)(g)
        kernel = min(arguments[1].shape[1:-1])
        keywords["padding"] = g.int(0, max(0, kernel - 1))
        return arguments, keywords | g.some(output_padding=g.int(0, 1))

    return sample


for _n in (1, 2, 3):
    add(
        C + f"conv_transpose{_n}d", "conv_transpose(input, weight, stride, padding, dilation, output_padding, groups)", "promote(input, weight)",
        _transposed(_n),
    )  # fmt: skip


def _general(g: Sampling) -> Call:
    rank = g.one_of(1, 2)
    arguments, keywords = _convolution(rank, True)(g)
    dilation = keywords.pop("dilation", 1)
    pads = g.one_of(1, [1] * rank, ([0] * rank, [2] * rank))
    return arguments, keywords | g.some(kernel_dilation=dilation, input_dilation=g.one_of(1, [2] * rank), padding=pads)


add(
    C + "conv_general", "conv_general(input, weight, stride, padding, kernel_dilation, input_dilation, groups)", "promote(input, weight)", _general,
)  # fmt: skip
add(
    C + "convolve",
    "convolve(a, v, mode)",
    "promote(a, v)",
    lambda g: ([g.array((g.int(1, 6),), *FLOATS), g.array((g.int(1, 6),), *FLOATS)], g.some(mode=g.one_of("full", "same", "valid"))),
)
add(
    C + "gather_mm",
    "(*broadcast(lead(a, 2) if lhs_indices is None else lhs_indices, lead(b, 2) if rhs_indices is None else rhs_indices), length(a, -2), length(b, -1))",
    "promote(a, b)",
    lambda g: (
        [g.array((4, 2, 3), *FLOATS), g.array((5, 3, 6), *FLOATS)],
        {"rhs_indices": g.array((7,), "uint32"), "lhs_indices": g.array((g.one_of(1, 7),), "uint32")},
    ),
)
add(
    C + "block_masked_mm",
    "matmul(a, b)",
    "promote(a, b)",
    on(
        lambda g: g.one_of(32, 64),
        lambda g, n: (
            [g.array((n, 64), "float32"), g.array((64, 32), "float32")],
            {"block_size": 32, "mask_out": g.array((n // 32, 1), "bool")},
        ),
    ),
)
add(
    C + "segmented_mm",
    "(*lead(segments), length(a, 0), length(b, 1))",
    "promote(a, b)",
    lambda g: call(g.array((3, 8), "float32"), g.array((8, 5), "float32"), g.array((*g.shape(1, 2), 2), "uint32")),
)

# -- quantization ----------------------------------------------------------------------------------------------------------------------------
GROUP = "(group_size or (32 if mode == 'mxfp4' or mode == 'mxfp8' else 16 if mode == 'nvfp4' else 64))"
BITS = "(bits or (8 if mode == 'mxfp8' else 4))"


def _quantized(g: Sampling) -> Call:
    mode = g.one_of("affine", "affine", "affine", "mxfp4", "nvfp4", "mxfp8")
    keywords = g.some(group_size=g.one_of(32, 64, 128), bits=g.one_of(2, 3, 4, 6, 8)) if mode == "affine" else {"mode": mode}
    return [g.array((*g.shape(0, 1), g.one_of(1, 4), g.one_of(128, 256)), *FLOATS[:3])], keywords


_PACKED = f"resize(w, -1, length(w, -1) * {BITS} // 32)"
_SCALES = f"resize(w, -1, length(w, -1) // {GROUP})"
add(
    C + "quantize", f"list({_PACKED}, {_SCALES}, {_SCALES}) if mode == 'affine' else list({_PACKED}, {_SCALES})",
    "tuple(uint32, same(w), same(w)) if mode == 'affine' else tuple(uint32, uint8)", _quantized,
)  # fmt: skip


def _dequantized(g: Sampling) -> Call:
    (w,), keywords = _quantized(g)
    return list(mx.quantize(w, **keywords)), keywords


def _spread(call: Call) -> Call:
    """Of a mode without biases: None in their place."""
    arguments, keywords = call
    return [*arguments, *[None] * (3 - len(arguments))], keywords


add(
    C + "dequantize", f"resize(w, -1, length(w, -1) * 32 // {BITS})", "given(dtype, same(scales) if mode == 'affine' else bfloat16)",
    lambda g: _spread(_dequantized(g)),
)  # fmt: skip


def _quantized_product(g: Sampling) -> Call:
    (w,), keywords = _quantized(g)
    w = w.reshape(-1, w.shape[-1])
    parts = list(mx.quantize(w, **keywords))
    transpose = g.chance(0.7)
    x = g.array((*g.shape(0, 2), g.one_of(1, 3), w.shape[-1] if transpose else w.shape[0]), str(w.dtype).rpartition(".")[2])
    return [x, *parts, *[None] * (3 - len(parts))], keywords | {"transpose": transpose}


_WIDE = f"(length(w, -2) if transpose else length(w, -1) * 32 // {BITS})"
add(C + "quantized_matmul", f"resize(x, -1, {_WIDE})", "promote(x, scales) if mode == 'affine' else same(x)", _quantized_product)


def _gathered_product(g: Sampling) -> Call:
    w = g.array((4, 6, 64), "float32")
    return [g.array((5, 1, 3, 64), "float32"), *mx.quantize(w)], {
        "rhs_indices": g.array((5, 2), "uint32"),
        "lhs_indices": g.array((5, 1), "uint32"),
    }


add(
    C + "gather_qmm",
    "(*broadcast(lead(x, 2) if lhs_indices is None else lhs_indices, lead(w, 2) if rhs_indices is None else rhs_indices), length(x, -2), "
    f"{_WIDE})",
    "promote(x, scales) if mode == 'affine' else same(x)", _gathered_product,
)  # fmt: skip
add(C + "to_fp8", "same(x)", "uint8", lambda g: call(g.array(None, *FLOATS)))
add(C + "from_fp8", "same(x)", "given(dtype, bfloat16)", lambda g: ([g.array(None, "uint8")], g.some(dtype=g.dtype(*FLOATS))))
add(
    C + "depends",
    "same(inputs) if is_array(inputs) else list(*inputs)",
    "same(inputs) if is_array(inputs) else list(*inputs)",
    lambda g: call(g.one_of(g.array(), [g.array(), g.array()]), g.array()),
)

# -- fast ------------------------------------------------------------------------------------------------------------------------------------
F = "mlx.core.fast.:"


def _normed(*more: int) -> Sampler:
    def sample(g: Sampling) -> Call:
        x = g.array((*g.shape(0, 3), g.one_of(4, 8)), *FLOATS[:3])
        return call(x, *(g.one_of(None, g.array(x.shape[-1:], *FLOATS[:3])) for _ in more), 1e-5)

    return sample


derive(F + "rms_norm", ["same(x)"], ["same(x)", "promote(x, x if weight is None else weight)"], _normed(1))
derive(
    F + "layer_norm",
    ["same(x)"],
    ["same(x)", "same(x) if weight is None else promote(x, weight, weight if bias is None else bias)"],
    _normed(1, 1),
)
add(
    F + "rope",
    "same(a)",
    "same(a)",
    lambda g: (
        [g.array((*g.shape(1, 2), 3, 8), *FLOATS[:3]), g.one_of(4, 8)],
        {"traditional": g.chance(), "base": 1e4, "scale": 1.0, "offset": g.one_of(0, 3)},
    ),
)


def _attention(g: Sampling) -> Call:
    b, h, n, m, d = g.one_of(1, 2), g.one_of(1, 2), g.one_of(1, 4, 9), g.one_of(1, 4, 9), g.one_of(8, 64)
    dtypes = FLOATS[:3]
    return [
        g.array((b, h * g.one_of(1, 2), n, d), *dtypes),
        g.array((b, h, m, d), *dtypes),
        g.array((b, h, m, g.one_of(d, 16)), *dtypes),
    ], {"scale": 1.0} | g.some(mask=g.one_of(None, "causal"))


add(F + "scaled_dot_product_attention", "resize(q, -1, length(v, -1))", "promote(q, k, v)", _attention)
derive(
    F + "cross_entropy",
    ["same(targets)", "lead(logits)"],
    ["same(logits)", "float32"],
    on(lambda g: g.array((*g.shape(0, 2), 7), *FLOATS[:3]), lambda g, x: call(x, g.array(x.shape[:-1], "int32"))),
)

# -- linear algebra --------------------------------------------------------------------------------------------------------------------------
L = "mlx.core.linalg.:"
derive(L + "inv tri_inv cholesky cholesky_inv", ["same(a)"], OF_ONE, square)
derive(L + "pinv", ["swap(a, -1, -2)"], OF_ONE, lambda g: call(g.array((*g.shape(0, 1), g.int(1, 4), g.int(1, 4)), "float32", "float64")))
derive(L + "det", ["lead(a, 2)"], OF_ONE, square)
add(L + "slogdet", "tuple(lead(a, 2), lead(a, 2))", "float(a)", square)
add(L + "eig", "tuple(lead(a), same(a))", "complex64", square)
add(L + "eigvals", "lead(a)", "complex64", square)
derive(L + "eigvalsh", ["lead(a)"], OF_ONE, square)
add(L + "eigh", "tuple(lead(a), same(a))", "tuple(part(a), same(a))", square)
add(L + "lu_factor", "tuple(same(a), resize(lead(a), -1, smallest(length(a, -1), length(a, -2))))", "tuple(same(a), uint32)", square)
add(L + "lu", "tuple(resize(lead(a), -1, length(a, -2)), same(a), same(a))", "tuple(uint32, same(a), same(a))", square)


def _rectangle(g: Sampling) -> Call:
    return call(g.array((*g.shape(0, 1), g.int(1, 4), g.int(1, 4)), "float32", "float64"))


_SMALL = "smallest(length(a, -2), length(a, -1))"
add(L + "qr", f"tuple((*lead(a), {_SMALL}), (*lead(a, 2), {_SMALL}, length(a, -1)))", "same(a)", _rectangle)
add(
    L + "svd",
    f"tuple((*lead(a), length(a, -2)), (*lead(a, 2), {_SMALL}), (*lead(a, 2), length(a, -1), length(a, -1))) if compute_uv else (*lead(a, 2), {_SMALL})",
    "tuple(same(a), part(a), same(a)) if compute_uv else part(a)", lambda g: (_rectangle(g)[0], g.some(compute_uv=g.chance())),
)  # fmt: skip
add(
    L + "cross",
    "broadcast(a, b)",
    "promote(a, b)",
    on(lambda g: (*g.shape(0, 2), 3), lambda g, s: call(g.array(s, *NUMERIC), g.array(s, *NUMERIC))),
)
add(
    L + "solve",
    "same(b)",
    "promote(a, b)",
    on(lambda g: square(g)[0][0], lambda g, a: call(a, g.array((*a.shape[:-1], g.one_of(1, 3)), str(a.dtype).rpartition(".")[2]))),
)
add(
    L + "solve_triangular",
    "same(b)",
    "promote(a, b)",
    on(lambda g: square(g)[0][0], lambda g, a: call(a, g.array((*a.shape[:-1], g.one_of(1, 3)), str(a.dtype).rpartition(".")[2]))),
)


def _norm(g: Sampling) -> Call:
    a = g.array(None, *FLOATS, "complex64", "int32", low=1)
    two = g.random.sample(range(a.ndim), 2) if a.ndim > 1 else None
    keywords = g.one_of({}, {"axis": g.axis(a.ndim)})
    if a.dtype != mx.complex64:
        keywords = g.one_of(
            keywords, {"axis": two, "ord": g.one_of(None, "fro")}, {"axis": g.axis(a.ndim), "ord": g.one_of(1, 2, float("inf"))}
        )
    return [a], keywords | g.some(keepdims=g.chance())


for _n in (L + "norm", C + "matrix_norm"):
    add(_n, "reduce(a, axis, keepdims)", "norm(a) if ord is None else real(a)", _norm)

# -- Fourier transforms ----------------------------------------------------------------------------------------------------------------------
T = "mlx.core.fft.:"


def _transform(g: Sampling) -> Call:
    a = g.array([g.int(2, 6) for _ in range(g.int(1, 3))])
    return [a], g.some(n=g.int(2, 7), axis=g.axis(a.ndim))


def _transform_many(least: int) -> Sampler:
    def sample(g: Sampling) -> Call:
        a = g.array([g.int(2, 6) for _ in range(g.int(least, 3))])
        axes = g.random.sample(range(-a.ndim, 0), g.int(1, a.ndim))
        if g.chance():
            return [a], {"s": [g.int(2, 6) for _ in axes], "axes": axes}
        return [a], g.some(axes=axes)

    return sample


for _kind, _names_of, _dtype in (("complex", "fft ifft", "complex64"), ("real", "rfft", "complex64"), ("inverse real", "irfft", "float32")):
    add(T + _names_of, f"fft(a, None if n is None else [n], [axis], '{_kind}')", _dtype, _transform)
    add(T + " ".join(name + "2" for name in _names_of.split()), f"fft(a, s, axes, '{_kind}')", _dtype, _transform_many(2))
    add(T + " ".join(name + "n" for name in _names_of.split()), f"fft(a, s, axes, '{_kind}')", _dtype, _transform_many(1))
add(T + "fftshift ifftshift", "same(a)", "same(a)", on(lambda g: g.array(low=1), lambda g, a: ([a], g.some(axes=g.axes(a.ndim)))))


def _frames(g: Sampling) -> Call:
    keywords = g.some(hop_length=g.int(2, 6), center=g.chance(), onesided=g.chance()) | {"n_fft": g.one_of(8, 9, 16)}
    return [g.array((*g.lengths(0, 1), g.int(40, 90)), "float32", "float16", "complex64")], keywords


_HOP = "(n_fft // 4 if hop_length is None else hop_length)"
add(
    T + "stft",
    "(*lead(x), n_fft // 2 + 1 if (not is_complex(x) if onesided is None else onesided) else n_fft, "
    f"(length(x, -1) + (n_fft // 2 * 2 if center else 0) - n_fft) // {_HOP} + 1)",
    "complex64",
    _frames,
)


def _waves(g: Sampling) -> Call:
    n = g.one_of(8, 16)
    keywords = g.some(hop_length=g.int(2, 4), center=g.chance(), length=g.int(20, 30), n_fft=n) | g.one_of(
        {}, {"onesided": True}, {"onesided": False}
    )
    bins = n // 2 + 1 if keywords.get("onesided", True) else n
    return [g.array((*g.lengths(0, 1), bins, g.int(8, 12)), "complex64")], keywords


_BINS = "length(stft_matrix, -2)"
_N = f"(n_fft if n_fft is not None else 2 * ({_BINS} - 1) if onesided is None or onesided else {_BINS})"
_WAVE = f"(length(stft_matrix, -1) - 1) * ({_N} // 4 if hop_length is None else hop_length) + {_N}"
add(
    T + "istft",
    f"(*lead(stft_matrix, 2), length if length is not None else {_WAVE} - {_N} // 2 * 2 if center else {_WAVE})",
    "float32",
    _waves,
)
add(T + "fftfreq", "(n,)", "float32", lambda g: ([g.int(1, 9)], g.some(d=0.5)))
add(T + "rfftfreq", "(n // 2 + 1,)", "float32", lambda g: ([g.int(1, 9)], g.some(d=0.5)))

# -- random ----------------------------------------------------------------------------------------------------------------------------------
R = "mlx.core.random.:"


def _drawn(*names: str) -> Sampler:
    def sample(g: Sampling) -> Call:
        return [], g.some(shape=g.one_of(g.shape(), list(g.shape())), dtype=g.one_of(None, g.dtype(*FLOATS[:3]))) | g.some(
            **{name: g.one_of(0.5, 1) for name in names}
        )

    return sample


def _bounded(g: Sampling) -> Call:
    shape = g.shape()
    return [0, g.one_of(3, g.array(shape, "int32"))], {"shape": shape} | g.some(dtype=g.one_of(None, g.dtype(*INTS)))


add(R + "uniform", "sized(shape)", "given(dtype, float32)", _drawn("low", "high"))
derive(R + "normal laplace", ["sized(shape)"], ["given(dtype, float32)"], _drawn("loc", "scale"))
add(R + "gumbel", "sized(shape)", "given(dtype, float32)", _drawn())
add(R + "randint", "sized(shape)", "given(dtype, int32)", _bounded)
add(
    R + "bernoulli",
    "same(p) if shape is None else sized(shape)",
    "bool",
    on(lambda g: g.array(None, *FLOATS[:3]), lambda g, a: ([g.one_of(a, 0.5)], g.some(shape=(*g.shape(0, 1), *a.shape)))),
)
add(
    R + "truncated_normal",
    "broadcast(lower, upper) if shape is None else sized(shape)",
    "given(dtype, float32)",
    on(
        lambda g: g.array(None, "float32"),
        lambda g, a: ([a, 1], g.some(shape=(*g.shape(0, 1), *a.shape), dtype=g.one_of(None, g.dtype(*FLOATS[:3])))),
    ),
)


def _category(g: Sampling) -> Call:
    a = g.array([g.one_of(1, 2, 3) for _ in range(g.int(1, 3))], *FLOATS[:3])
    axis = g.axis(a.ndim)
    rest = [n for i, n in enumerate(a.shape) if i != axis % a.ndim]
    return [a], {"axis": axis} | g.one_of({}, {"num_samples": 4}, {"shape": (*g.shape(0, 1), *rest)})


add(
    R + "categorical",
    "sized(shape) if shape is not None else reduce(logits, axis) if num_samples is None else (*reduce(logits, axis), num_samples)",
    "uint32",
    _category,
)
add(
    R + "multivariate_normal",
    "(*broadcast(sized(shape), lead(mean), lead(cov, 2)), length(mean, -1))",
    "given(dtype, float32)",
    lambda g: ([g.array((*g.one_of((), (2,)), 3), "float32"), g.array((3, 3), "float32")], g.some(shape=g.one_of((2,), (5, 2), [4, 2]))),
)
add(R + "key", "(2,)", "uint32", lambda g: call(g.int(0, 5)))
add(R + "split", "(num, 2)", "uint32", lambda g: ([mx.random.key(0)], g.some(num=g.int(1, 5))))
add(
    R + "permutation",
    "same(x) if is_array(x) else (x,)",
    "same(x) if is_array(x) else uint32",
    lambda g: call(g.one_of(g.array(low=1), g.int(1, 5))),
)
add(
    F + "gated_delta_update",
    "list(same(v), (length(v, 0), length(v, 2), length(v, 3), length(k, 3)))",
    "same(v)",
    on(
        lambda g: (g.one_of(1, 2), g.int(1, 5)),
        lambda g, bt: call(*(g.array((*bt, *rest), "float32") for rest in ((2, 64), (2, 64), (4, 32), (4,), (4,)))),
    ),
)

# -- methods and operators of arrays ---------------------------------------------------------------------------------------------------------
A = "mlx.core.array."


def methods(words: str, target: str = "mlx.core.{}") -> None:
    """Methods that do what the function of the same name does to their array."""
    for name in words.split():
        like = target.format(name)
        for statement in STATEMENTS[like]:
            copy = Statement(statement.shapes, statement.dtypes, statement.sample, statement.parameters, statement.form)
            copy.owner = like
            STATEMENTS.setdefault(A + name, []).append(copy)


methods(
    "abs all any argmax argmin astype conj cos cummax cummin diag diagonal exp flatten imag log log10 log1p log2 logcumsumexp logsumexp max "
    "mean min moveaxis prod real reciprocal round rsqrt sin split sqrt square squeeze std sum swapaxes var view"
)
derive(A + "cumsum", ["along(a, axis)"], OF_ONE, along, "a, /, axis=None, *, reverse=False, inclusive=True, stream=None")
derive(A + "cumprod", ["along(a, axis)"], OF_ONE, along, "a, /, axis=None, *, reverse=False, inclusive=True, stream=None")
RESHAPE = "a, *shape, stream=None"
add(
    A + "reshape",
    "reshape(a, shape[0] if number_of(shape) == 1 else shape)",
    "same(a)",
    on(_reshaped, lambda g, p: call(p[0], *g.one_of([p[1]], [tuple(p[1])], p[1] or [()]))),
    RESHAPE,
)


def _transposed_by(g: Sampling) -> Call:
    a, *axes = _permuted(g)[0]
    return call(a, *g.one_of(axes, axes[0] if axes else []))


add(
    A + "transpose",
    "permute(a, None if number_of(axes) == 0 else axes[0] if number_of(axes) == 1 else axes)",
    "same(a)",
    _transposed_by,
    "a, *axes, stream=None",
)

OPERATORS = {
    "add": "add radd iadd", "subtract": "sub rsub isub", "multiply": "mul rmul imul", "divide": "truediv rtruediv itruediv div rdiv",
    "floor_divide": "floordiv rfloordiv ifloordiv", "remainder": "mod rmod imod", "power": "pow rpow ipow", "equal": "eq", "not_equal": "ne",
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "bitwise_and": "and iand", "bitwise_or": "or ior",
    "bitwise_xor": "xor ixor", "left_shift": "lshift ilshift", "right_shift": "rshift irshift", "matmul": "matmul imatmul",
}  # fmt: skip
"""Functions with the operators that do the same; the sides of a reflected one make no difference to shape and dtype."""
for _function, _operators in OPERATORS.items():
    for _name in _operators.split():
        _statement = STATEMENTS["mlx.core." + _function][0]
        derive(f"{A}__{_name}__", _statement.shapes, _statement.dtypes, _statement.sample, "a, b, /")
for _function, _name in (("abs", "abs"), ("negative", "neg"), ("positive", "pos"), ("bitwise_invert", "invert")):
    derive(f"{A}__{_name}__", ["same(a)"], OF_ONE, unary, "a, /")
add(f"{A}__copy__", "same(a)", "same(a)", array_alone, "a, /")
add(f"{A}__deepcopy__", "same(a)", "same(a)", lambda g: call(g.array(), {}), "a, memo, /")


def _indexed(g: Sampling) -> Call:
    a = g.array([g.int(1, 5) for _ in range(g.int(1, 4))])

    def bound() -> Any:
        return g.one_of(None, g.int(-6, 6))

    def item() -> Any:
        return g.one_of(
            0,
            -1,
            0,
            slice(None),
            slice(bound(), bound()),
            slice(bound(), bound(), g.one_of(None, 2, -1)),
            None,
            g.array(None, "int32", high=2),
            [0],
        )

    key = [item() for _ in range(g.int(0, a.ndim))]
    if g.chance(0.3):
        key.insert(g.int(0, len(key)), ...)
    return call(a, key[0] if len(key) == 1 and g.chance(0.7) else tuple(key))


add(f"{A}__getitem__", "index(a, key)", "same(a)", _indexed, "a, key, /")
FUNCTIONS: dict[str, Any] = {}
"""How to reach what is no attribute of a module or class by its name: properties, and what hangs on `a.at[…]`."""
for _name, _shape in (("T", "permute(a)"), ("mT", "swap(a, -1, -2)")):
    FUNCTIONS[A + _name] = lambda a, name=_name: getattr(a, name)
    add(A + _name, _shape, "same(a)", array_alone, "a")
for _name in ("real", "imag"):
    FUNCTIONS[A + _name] = lambda a, name=_name: getattr(a, name)
    derive(A + _name, ["same(a)"], OF_ONE, array_alone, "a")
    STATEMENTS[A + _name] = STATEMENTS[A + _name][-1:]
for _name in ("add", "subtract", "multiply", "divide", "maximum", "minimum"):
    FUNCTIONS[f"mlx.core.ArrayAt.{_name}"] = lambda a, value, name=_name: getattr(a.at[0], name)(value)
    add(
        f"mlx.core.ArrayAt.{_name}",
        "same(a)",
        "same(a)",
        on(lambda g: g.array(low=1), lambda g, a: call(a, g.one_of(1, g.array(a.shape[1:])))),
        "a, value",
    )
add(C + "from_dlpack", "same(x)", "same(x)", lambda g: call(g.array(None, "float32", "int32")))

# -- functions of mlx.nn ---------------------------------------------------------------------------------------------------------------------
N = "mlx.nn.:"
derive(
    N + "celu elu gelu gelu_approx gelu_fast_approx hard_shrink hard_tanh hardswish leaky_relu log_sigmoid log_softmax mish relu relu2 relu6 selu sigmoid "
    "silu softmax softmin softplus softshrink softsign step tanh",
    ["same({0})"], OF_ONE, lambda g: call(g.array(g.lengths(1, 4))),
)  # fmt: skip
derive(
    N + "glu",
    ["resize(x, axis, length(x, axis) // 2)"],
    OF_ONE,
    on(lambda g: g.array([g.one_of(2, 4) for _ in range(g.int(1, 3))]), lambda g, a: ([a], g.some(axis=g.axis(a.ndim)))),
)
derive(
    N + "prelu",
    ["broadcast(x, alpha)"],
    ["promote(x, alpha)", "float(promote(x, alpha))", "promote(count(x), alpha)"],
    lambda g: call(g.array(g.lengths(0, 4)), g.array((1,), *FLOATS[:3])),
)
LOSSES = "mlx.nn.losses.:"
REDUCED = "{} if reduction == 'none' else ()"
OF_LOSS = [
    "promote({0}, {1})",
    "float(promote({0}, {1}))",
    "count(promote({0}, {1}))",
    "promote(float({0}), {1})",
    "promote({0}, float({1}))",
]


def _floats(loss_of: Sampler) -> Sampler:
    return on(loss_of, lambda g, c: ([mx.zeros(a.shape, g.dtype(*FLOATS[:3])) for a in c[0]], c[1]))


derive(
    LOSSES + "hinge_loss huber_loss kl_div_loss l1_loss log_cosh_loss mse_loss smooth_l1_loss",
    [REDUCED.format("broadcast({0}, {1})"), REDUCED.format("reduce({0}, axis)")],
    OF_LOSS,
    _floats(loss),
)
derive(LOSSES + "binary_cross_entropy", [REDUCED.format("broadcast({0}, {1})")], OF_LOSS, _floats(loss))
derive(LOSSES + "cosine_similarity_loss", [REDUCED.format("reduce({0}, axis)")], OF_LOSS, _floats(loss))


def _three_floats(g: Sampling) -> Call:
    shape = g.shape(1, 3)
    return [g.array(shape, *FLOATS[:3]) for _ in range(3)], g.some(reduction=g.one_of("none", "mean", "sum"))


OF_THREE_LOSS = ["promote({0}, {1}, {2})", "float(promote({0}, {1}, {2}))", "promote({0}, {1})"]
derive(LOSSES + "gaussian_nll_loss margin_ranking_loss", [REDUCED.format("broadcast({0}, {1}, {2})")], OF_THREE_LOSS, _three_floats)
derive(LOSSES + "triplet_loss", [REDUCED.format("reduce({0}, axis)")], OF_THREE_LOSS, _three_floats)


def _classified(g: Sampling) -> Call:
    logits = g.array([g.one_of(1, 2, 3) for _ in range(g.int(1, 3))], *FLOATS[:3])
    axis = g.axis(logits.ndim)
    targets = [n for i, n in enumerate(logits.shape) if i != axis % logits.ndim]
    one = g.chance(0.3)
    return [logits, g.array(logits.shape, *FLOATS[:3]) if one else g.array(targets, "int32")], {"axis": axis} | g.some(
        reduction=g.one_of("none", "mean", "sum")
    )


derive(
    LOSSES + "cross_entropy",
    [REDUCED.format("reduce(logits, axis)")],
    ["same(logits)", "promote(logits, targets)", "same(logits) if rank(targets) != rank(logits) else promote(logits, targets)"],
    _classified,
)


def _likelihood(g: Sampling) -> Call:
    arguments, keywords = _classified(g)
    x = arguments[0]
    axis = keywords["axis"] % x.ndim
    return [x, g.array([n for i, n in enumerate(x.shape) if i != axis], "int32")], keywords


derive(LOSSES + "nll_loss", [REDUCED.format("reduce(inputs, axis)")], ["same(inputs)"], _likelihood)

# -- functions that return functions: initializers and schedules -----------------------------------------------------------------------------
I = "mlx.nn.init.:"


def _initialized(**keywords: Any) -> Sampler:
    return lambda g: call(g.array([g.one_of(2, 3)] * 2), outer=([], g.some(dtype=g.dtype(*FLOATS[:3]), **keywords)))


def returned(words: str, shape: str, dtype: str, sample: Sampler, inner: str) -> None:
    """What the function makes that a function returns; `inner` are the parameters of that one."""
    for name in _names(words):
        add(name, shape, dtype, sample)
        STATEMENTS[name][-1].inner = inner


returned(I + "normal", "same(a)", "given(dtype, float32)", _initialized(std=0.5), "a")
returned(I + "uniform", "same(a)", "given(dtype, float32)", _initialized(low=0.5), "a")
returned(I + "identity", "same(a)", "given(dtype, float32)", _initialized(), "a")
returned(I + "glorot_normal glorot_uniform he_normal he_uniform", "same(a)", "given(dtype, float32)", _initialized(), "a, gain=1.0")
returned(I + "orthogonal", "same(a)", "given(dtype, float32)", _initialized(), "a")
returned(
    I + "constant",
    "same(a)",
    "filled(value, dtype)",
    lambda g: call(g.array(), outer=([g.one_of(0.5, 1)], g.some(dtype=g.dtype(*FLOATS[:3])))),
    "a",
)
returned(
    I + "sparse",
    "same(a)",
    "given(dtype, float32)",
    lambda g: call(g.array((3, 4)), outer=([0.5], g.some(dtype=g.dtype(*FLOATS[:3])))),
    "a",
)
O = "mlx.optimizers.:"
for _words, _arguments in (
    ("cosine_decay", (0.1, 10)),
    ("exponential_decay", (0.1, 0.9)),
    ("linear_schedule", (0.0, 0.1, 10)),
    ("step_decay", (0.1, 0.9, 5)),
):
    returned(O + _words, "same(step)", "float32", lambda g, given=_arguments: call(g.array((), "int32"), outer=(list(given), {})), "step")

# -- no expression ---------------------------------------------------------------------------------------------------------------------------
for _words, _reason in (
    (C + "checkpoint compile custom_function grad jvp value_and_grad vjp vmap", "what it makes depends on a function: code of the interpreter"),
    ("mlx.nn.:value_and_grad utils.checkpoint", "what it makes depends on a function: code of the interpreter"),
    ("mlx.utils.:tree_flatten tree_map tree_map_with_path tree_merge tree_reduce tree_unflatten", "a tree: code of the interpreter"),
    (O + "clip_grad_norm", "a tree: code of the interpreter"),
    (O + "join_schedules", "what it makes depends on functions: code of the interpreter"),
    (C + "load", "what a file holds"),
    (A + "__iter__", "an iterator: each element is what an integer index makes"),
    (C + "qqmm gather_qqmm", "not implemented on the CPU, where the data is measured"),
):  # fmt: skip
    UNKNOWN.update(dict.fromkeys(_names(_words), _reason))
