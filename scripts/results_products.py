"""Products, quantized ones, kernels, linear algebra, Fourier transforms. The statements of `results_catalogue.py`."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
from result_samples import FLOATS, Call, Sampler, Sampling, call, on, pair_of_matrices, square
from results_catalogue import OF_ONE, C, add, derive

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


derive(F + "rms_norm", ["vectors(x, weight)"], ["same(x)", "promote(x, x if weight is None else weight)"], _normed(1))
derive(
    F + "layer_norm",
    ["vectors(x, weight, bias)"],
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


add(F + "scaled_dot_product_attention", "attention(q, k, v)", "promote(q, k, v)", _attention)
derive(
    F + "cross_entropy",
    ["same(targets)", "lead(logits)"],
    ["same(logits)", "float32"],
    on(lambda g: g.array((*g.shape(0, 2), 7), *FLOATS[:3]), lambda g, x: call(x, g.array(x.shape[:-1], "int32"))),
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
