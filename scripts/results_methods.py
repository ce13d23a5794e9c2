"""Methods and operators of arrays, functions of mlx.nn, functions that return functions, and what no expression describes. The statements of `results_catalogue.py`."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import results_making  # noqa: F401  methods repeat what is stated there
import results_products  # noqa: F401
from result_samples import FLOATS, Call, Sampler, Sampling, along, array_alone, call, loss, on, unary
from results_catalogue import FUNCTIONS, OF_ONE, STATEMENTS, UNKNOWN, C, Statement, add, derive, names_of
from results_elementwise import permuted, reshaped

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
    on(reshaped, lambda g, p: call(p[0], *g.one_of([p[1]], [tuple(p[1])], p[1] or [()]))),
    RESHAPE,
)


def _transposed_by(g: Sampling) -> Call:
    a, *axes = permuted(g)[0]
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


def indexed(g: Sampling) -> Call:
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


add(f"{A}__getitem__", "index(a, key)", "same(a)", indexed, "a, key, /")
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
    for name in names_of(words):
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
    UNKNOWN.update(dict.fromkeys(names_of(_words), _reason))
