"""Picked, created, drawn. The statements of `results_catalogue.py`."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
from result_samples import FLOATS, INTS, Call, Sampler, Sampling, call, creation, on
from results_catalogue import C, add, derive

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
add(
    "mlx.nn.MultiHeadAttention.:create_additive_causal_mask",
    "(N, N)",
    "given(dtype, float32)",
    lambda g: ([g.int(1, 5)], g.some(dtype=g.dtype(*FLOATS[:3]))),
    "N, dtype=float32",
)
add(
    "mlx.nn.ALiBi.:create_alibi_matrix",
    "(1, num_heads, q_sequence_length - offset, k_sequence_length)",
    "given(dtype, float32)",
    lambda g: ([g.int(3, 5), g.int(1, 4), g.one_of(2, 4)], g.some(offset=g.int(0, 2), dtype=g.dtype(*FLOATS[:3]))),
    "q_sequence_length, k_sequence_length, num_heads, offset=0, dtype=float32",
)
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
