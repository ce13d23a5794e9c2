"""What MLX's layers and optimizers are thought to make, with samples that prove it: the data of `measure_layers.py`.

`layer` states the weights of a layer as (shape, dtype) expressions over the constructor's parameters, its sublayers as constructor calls, and what calling it
makes, over the parameters of the call, the weights and the constructor's parameters. `weights` is the dtype that all floating weights inside share,
`training` the mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from result_samples import FLOATS, Call, Sampling, call

HALF = FLOATS[:3]
Weights = Mapping[str, str | tuple[str, str]]


class LayerStatement:
    """What is stated of one layer."""

    def __init__(self, weights: Weights, sublayers: Mapping[str, str], methods: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> None:
        self.weights = {name: (each, "float32") if isinstance(each, str) else each for name, each in weights.items()}
        self.sublayers, self.methods = sublayers, methods
        self.does: Mapping[str, str] = {}
        """An operation of MLX that a call is, by its name: under which condition over the parameters of the constructor."""
        self.samples: dict[str, Callable[[Sampling], tuple[Call, Call]]] = {}
        """By method: the call of the constructor and the call of the method."""


LAYERS: dict[str, LayerStatement] = {}
UNKNOWN_LAYERS: dict[str, str] = {}
"""Layers without data, with the reason."""
KEEPS = ["promote(x, weights)", "same(x)", "float(x)", "float(promote(x, weights))"]


def layer(
    words: str,
    sample: Callable[[Sampling], tuple[Call, Call]],
    shape: str,
    dtypes: str | Sequence[str] = KEEPS,
    weights: Weights | None = None,
    sublayers: Mapping[str, str] | None = None,
    method: str = "__call__",
    does: Mapping[str, str] | None = None,
) -> None:
    """State a layer, or one more method of it."""
    for name in words.split():
        found = LAYERS.setdefault("mlx.nn." + name, LayerStatement(weights or {}, sublayers or {}, {}))
        found.methods = {**found.methods, method: ([shape], [dtypes] if isinstance(dtypes, str) else dtypes)}
        found.samples[method] = sample
        found.does = does or found.does


def features(g: Sampling, last: int, low: int = 1, high: int = 3) -> Any:
    """An array whose last axis is given."""
    return g.array((*g.lengths(low - 1, high - 1), last), *HALF)


# -- activations -----------------------------------------------------------------------------------------------------------------------------
layer(
    "ELU CELU GELU HardShrink HardTanh Hardswish Identity LeakyReLU LogSigmoid LogSoftmax Mish ReLU ReLU2 ReLU6 SELU SiLU Sigmoid Softmax Softmin Softplus "
    "Softshrink Softsign Tanh",
    lambda g: (call(), call(g.array(g.lengths(1, 3), *HALF, "int32"))), "same(x)",
    ["same(x)", "float(x)", "count(x)", "int32"],
)  # fmt: skip
layer("Step", lambda g: (call(), call(g.array(g.lengths(1, 3), *HALF))), "same(x)", "int32")
layer(
    "GLU", lambda g: (([], g.some(axis=g.one_of(0, -1))), call(g.array((2, 4), *HALF))), "resize(x, axis, length(x, axis) // 2)", "float(x)"
)
layer(
    "PReLU",
    lambda g: (([], g.some(num_parameters=g.one_of(1, 4))), call(features(g, 4))),
    "broadcast(x, weight)",
    KEEPS,
    {"weight": "(num_parameters,)"},
)

# -- linear ----------------------------------------------------------------------------------------------------------------------------------
BIAS = "({},) if bias else absent"


def _linear(g: Sampling) -> tuple[Call, Call]:
    n = g.int(1, 6)
    return ([n, g.int(1, 6)], g.some(bias=g.chance())), call(features(g, n, 1, 4))


layer(
    "Linear",
    _linear,
    "matmul(x, permute(weight))",
    KEEPS,
    {"weight": "(output_dims, input_dims)", "bias": BIAS.format("output_dims")},
)


def _bilinear(g: Sampling) -> tuple[Call, Call]:
    shape = g.lengths(0, 2)
    return ([3, 4, 5], g.some(bias=g.chance())), call(g.array((*shape, 3), *HALF), g.array((*shape, 4), *HALF))


layer(
    "Bilinear", _bilinear, "resize(x1, -1, length(weight, 0))", "promote(x1, x2, weights)",
    {"weight": "(output_dims, input2_dims, input1_dims)", "bias": BIAS.format("output_dims")},
)  # fmt: skip


def _embedding(g: Sampling) -> tuple[Call, Call]:
    return call(g.int(1, 9), g.int(1, 6)), call(g.array(None, "int32", "uint32"))


layer("Embedding", _embedding, "(*same(x), length(weight, -1))", "same(weight)", {"weight": "(num_embeddings, dims)"})
layer("Embedding", lambda g: (call(9, 6), call(features(g, 6))), "resize(x, -1, length(weight, 0))", KEEPS, method="as_linear")

# -- quantized layers ------------------------------------------------------------------------------------------------------------------------
GROUP = "(group_size or (32 if mode == 'mxfp4' or mode == 'mxfp8' else 16 if mode == 'nvfp4' else 64))"
BITS = "(bits or (8 if mode == 'mxfp8' else 4))"


def _packed(rows: str, columns: str) -> dict[str, tuple[str, str]]:
    kind = "float32 if mode == 'affine' else uint8"
    return {
        "weight": (f"({rows}, {columns} * {BITS} // 32)", "uint32"),
        "scales": (f"({rows}, {columns} // {GROUP})", kind),
        "biases": (f"({rows}, {columns} // {GROUP}) if mode == 'affine' else None", "float32"),
    }


def _quantized(*sizes: int) -> Callable[[Sampling], Call]:
    def sample(g: Sampling) -> Call:
        mode = g.one_of("affine", "affine", "mxfp4", "nvfp4", "mxfp8")
        return list(sizes), g.some(group_size=g.one_of(32, 64, 128), bits=g.one_of(2, 4, 8)) if mode == "affine" else {"mode": mode}

    return sample


def _quantized_linear(g: Sampling) -> tuple[Call, Call]:
    arguments, keywords = _quantized(128, 6)(g)
    return (arguments, keywords | g.some(bias=g.chance())), call(features(g, 128))


QUANTIZED = ["promote(x, scales, x if bias is None else bias) if mode == 'affine' else promote(x, x if bias is None else bias)"]
layer(
    "QuantizedLinear", _quantized_linear, "resize(x, -1, length(weight, 0))", QUANTIZED,
    {**_packed("output_dims", "input_dims"), "bias": BIAS.format("output_dims")},
)  # fmt: skip
layer(
    "QuantizedEmbedding", lambda g: (_quantized(16, 128)(g), call(g.array(None, "int32"))), "(*same(x), dims)", "same(scales) if mode == 'affine' else bfloat16",
    _packed("num_embeddings", "dims"),
)  # fmt: skip
layer(
    "QuantizedEmbedding", lambda g: (_quantized(16, 128)(g), call(features(g, 128))), "resize(x, -1, length(weight, 0))",
    "promote(x, scales) if mode == 'affine' else same(x)", method="as_linear",
)  # fmt: skip

# -- layers that are spread over a group: how many share is not known ------------------------------------------------------------------------
layer(
    "AllToShardedLinear", lambda g: (([6, 4], g.some(bias=g.chance())), call(features(g, 6))), "resize(x, -1, length(weight, 0))", KEEPS,
    {"weight": "(unknown, input_dims)", "bias": BIAS.format("unknown")},
)  # fmt: skip
layer(
    "ShardedToAllLinear", lambda g: (([6, 4], g.some(bias=g.chance())), call(features(g, 6))), "resize(x, -1, length(weight, 0))", KEEPS,
    {"weight": "(output_dims, unknown)", "bias": BIAS.format("output_dims")},
)  # fmt: skip
_SHARED = {"weight": ("(unknown, unknown)", "uint32"), "scales": ("(unknown, unknown)", "float32 if mode == 'affine' else uint8")}
for _name in ("QuantizedAllToShardedLinear", "QuantizedShardedToAllLinear"):
    layer(
        _name, lambda g: (([128, 64], g.some(bias=g.chance())), call(features(g, 128))), "resize(x, -1, length(weight, 0))",
        "promote(x, scales, x if bias is None else bias)",
        {**_SHARED, "biases": "(unknown, unknown) if mode == 'affine' else None", "bias": BIAS.format("unknown" if _name[9] == "A" else "output_dims")},
    )  # fmt: skip

# -- normalization ---------------------------------------------------------------------------------------------------------------------------
AFFINE = {name: "({},) if affine else absent" for name in ("weight", "bias")}


def _affine(dims: str) -> dict[str, str]:
    return {name: text.format(dims) for name, text in AFFINE.items()}


def _normed(*before: int, low: int = 1, high: int = 3) -> Callable[[Sampling], tuple[Call, Call]]:
    return lambda g: (([*before, 6], g.some(affine=g.chance())), call(features(g, 6, low, high)))


layer(
    "LayerNorm", lambda g: (([6], g.some(affine=g.chance(), bias=g.chance())), call(features(g, 6))), "vectors(x, weight, bias)", "same(x) if weight is None else promote(x, weights)",
    {"weight": "(dims,) if affine else absent", "bias": "(dims,) if affine and bias else absent"},
)  # fmt: skip
layer("RMSNorm", lambda g: (call(6), call(features(g, 6))), "vectors(x, weight)", KEEPS, {"weight": "(dims,)"})
layer("GroupNorm", _normed(2, low=2), "same(x)", KEEPS, _affine("dims"))
layer("InstanceNorm", _normed(low=3), "same(x)", KEEPS, _affine("dims"))


def _batched(g: Sampling) -> tuple[Call, Call]:
    return ([6], g.some(affine=g.chance(), track_running_stats=g.chance())), call(g.array((2, *g.lengths(0, 2), 6), *HALF))


layer(
    "BatchNorm", _batched, "same(x)", ["same(x) if training and not affine else promote(x, weights)", *KEEPS],
    {**_affine("num_features"), "running_mean": "(num_features,) if track_running_stats else absent", "running_var": "(num_features,) if track_running_stats else absent"},
)  # fmt: skip

# -- dropout ---------------------------------------------------------------------------------------------------------------------------------
for _name, _low in (("Dropout", 1), ("Dropout2d", 3), ("Dropout3d", 4)):
    layer(
        _name, lambda g, low=_low: (([], g.some(p=g.one_of(0.0, 0.1))), call(g.array(g.lengths(low, 4), *HALF))), "same(x)",
        ["same(x)", "same(x) if p == 0 or not training else promote(x, float32)"],
    )  # fmt: skip

# -- convolution and pooling -----------------------------------------------------------------------------------------------------------------


def _conv(rank: int, transposed: bool) -> Callable[[Sampling], tuple[Call, Call]]:
    def sample(g: Sampling) -> tuple[Call, Call]:
        def setting(low: int, high: int) -> Any:
            return g.int(low, high) if rank == 1 or g.chance() else tuple(g.int(low, high) for _ in range(rank))

        groups = g.one_of(1, 2) if rank < 3 and not transposed else 1
        kernel = g.int(2, 3) if rank == 1 else g.one_of(2, 3, (3,) * rank)
        keywords = g.some(stride=setting(1, 2), padding=setting(0, 1), dilation=setting(1, 2), bias=g.chance())
        if transposed:
            keywords |= g.some(output_padding=setting(0, 1))
        elif groups > 1:
            keywords["groups"] = groups
        return ([4, 6, kernel], keywords), call(g.array((g.one_of(1, 2), *(g.int(6, 9) for _ in range(rank)), 4), *HALF))

    return sample


for _n in (1, 2, 3):
    _groups = "groups" if _n < 3 else "1"
    _spread = ", ".join(f"each(kernel_size, {_n})[{i}]" for i in range(_n))
    layer(
        f"Conv{_n}d", _conv(_n, False), f"conv(x, weight, stride, padding, dilation, {_groups})", KEEPS,
        {"weight": f"(out_channels, {_spread}, in_channels // {_groups})", "bias": BIAS.format("out_channels")},
    )  # fmt: skip
    layer(
        f"ConvTranspose{_n}d", _conv(_n, True), "conv_transpose(x, weight, stride, padding, dilation, output_padding)", KEEPS,
        {"weight": f"(out_channels, {_spread}, in_channels)", "bias": BIAS.format("out_channels")},
    )  # fmt: skip


def _pooling(rank: int) -> Callable[[Sampling], tuple[Call, Call]]:
    def sample(g: Sampling) -> tuple[Call, Call]:
        kernel = g.one_of(2, 3, (2,) * rank)
        keywords = g.some(stride=g.one_of(None, 1, 2, (2,) * rank), padding=g.one_of(0, 1))
        return ([kernel], keywords), call(g.array((g.one_of(1, 2), *(g.int(3, 9) for _ in range(rank)), g.one_of(1, 3)), *HALF))

    return sample


for _n in (1, 2, 3):
    _pooled = f"pool(x, kernel_size, kernel_size if stride is None else stride, each(padding, {_n}))"
    _overlapping = f"each(kernel_size, {_n}) != each(kernel_size if stride is None else stride, {_n})"
    layer(
        f"MaxPool{_n}d AvgPool{_n}d",
        _pooling(_n),
        _pooled,
        ["same(x)", "float(x)"],
        does={"mlx.core.pad": f"each(padding, {_n}) != each(0, {_n})", "mlx.core.as_strided": _overlapping},
    )


def _upsampled(g: Sampling) -> tuple[Call, Call]:
    rank = g.one_of(1, 2)
    factor = g.one_of(2, 3, 1.5, (2,) * rank)
    return ([factor], g.some(mode=g.one_of("nearest", "linear", "cubic"))), call(
        g.array((g.one_of(1, 2), *(g.int(2, 5) for _ in range(rank)), 3), *HALF)
    )


layer("Upsample", _upsampled, "upsampled(x, scale_factor)", ["same(x) if mode == 'nearest' else promote(x, float32)", *KEEPS])

# -- recurrent -------------------------------------------------------------------------------------------------------------------------------


def _sequence(g: Sampling) -> tuple[Call, Call]:
    return ([6, 4], g.some(bias=g.chance())), call(features(g, 6, 2, 3))


layer(
    "RNN", _sequence, "resize(x, -1, hidden_size)", "promote(x, weights, x if hidden is None else hidden)",
    {"Wxh": "(hidden_size, input_size)", "Whh": "(hidden_size, hidden_size)", "bias": "(hidden_size,) if bias else None"},
)  # fmt: skip
layer(
    "GRU", _sequence, "resize(x, -1, hidden_size)", "promote(x, weights, x if hidden is None else hidden)",
    {
        "Wx": "(3 * hidden_size, input_size)", "Wh": "(3 * hidden_size, hidden_size)", "b": "(3 * hidden_size,) if bias else None",
        "bhn": "(hidden_size,) if bias else None",
    },
)  # fmt: skip
layer(
    "LSTM", _sequence, "tuple(resize(x, -1, hidden_size), resize(x, -1, hidden_size))",
    "promote(x, weights, x if hidden is None else hidden, x if cell is None else cell)",
    {"Wx": "(4 * hidden_size, input_size)", "Wh": "(4 * hidden_size, hidden_size)", "bias": "(4 * hidden_size,) if bias else None"},
)  # fmt: skip

# -- positions -------------------------------------------------------------------------------------------------------------------------------
layer(
    "RoPE",
    lambda g: (([8], g.some(traditional=g.chance())), ([g.array((*g.lengths(1, 2), 3, 8), *HALF)], g.some(offset=3))),
    "same(x)",
    "same(x)",
)
layer(
    "SinusoidalPositionalEncoding", lambda g: (([g.one_of(4, 6)], g.some(cos_first=g.chance(), full_turns=g.chance(), scale=2.0)), call(g.array(g.lengths(0, 2), *HALF))),
    "(*same(x), dims // 2 * 2)", "promote(x, _sigmas)", {"_sigmas": "(dims // 2,)"},
)  # fmt: skip
layer(
    "ALiBi", lambda g: (call(), ([g.array((2, 4, g.one_of(1, 5), 5), *HALF)], g.some(mask=g.array((5,), *HALF)))),
    "broadcast(attention_scores, attention_scores if mask is None else mask)", "promote(attention_scores, attention_scores if mask is None else mask)",
)  # fmt: skip

# -- transformers ----------------------------------------------------------------------------------------------------------------------------


def _attention(g: Sampling) -> tuple[Call, Call]:
    keywords = g.some(query_input_dims=4, key_input_dims=6, value_dims=16, value_output_dims=10, bias=g.chance())
    b, n, m = g.one_of(1, 2), g.int(1, 5), g.int(1, 5)
    keys = keywords.get("key_input_dims", 8)
    return ([8, g.one_of(1, 2)], keywords), call(
        g.array((b, n, keywords.get("query_input_dims", 8)), *HALF), g.array((b, m, keys), *HALF), g.array((b, m, keys), *HALF)
    )


layer(
    "MultiHeadAttention", _attention, "resize(queries, -1, value_output_dims or dims)", "promote(queries, keys, values, weights)",
    sublayers={
        "query_proj": "Linear(query_input_dims or dims, dims, bias=bias)",
        "key_proj": "Linear(key_input_dims or dims, dims, bias=bias)",
        "value_proj": "Linear(value_input_dims or key_input_dims or dims, value_dims or dims, bias=bias)",
        "out_proj": "Linear(value_dims or dims, value_output_dims or dims, bias=bias)",
    },
)  # fmt: skip
MLP = {"linear1": "Linear(dims, mlp_dims or 4 * dims)", "linear2": "Linear(mlp_dims or 4 * dims, dims)"}


def _stacked(count: Sequence[int], second: bool, masks: int) -> Callable[[Sampling], tuple[Call, Call]]:
    def sample(g: Sampling) -> tuple[Call, Call]:
        b = g.one_of(1, 2)
        xs = [g.array((b, g.int(1, 5), 8), *HALF) for _ in range(1 + second)]
        return ([*count, 8, 2], g.some(mlp_dims=12, norm_first=g.chance(), dropout=0.0)), call(*xs, *[None] * masks)

    return sample


def _layers(kind: str, count: str) -> str:
    return f"[{kind}(dims, num_heads, mlp_dims, dropout, activation, norm_first)] * {count}"


layer(
    "TransformerEncoderLayer", _stacked((), False, 1), "same(x)", ["promote(x, weights)"],
    sublayers={
        "attention": "MultiHeadAttention(dims, num_heads)", "ln1": "LayerNorm(dims)", "ln2": "LayerNorm(dims)", **MLP, "dropout1": "Dropout(dropout)",
        "dropout2": "Dropout(dropout)",
    },
)  # fmt: skip
layer(
    "TransformerDecoderLayer", _stacked((), True, 2), "same(x)", ["promote(x, memory, weights)"],
    sublayers={
        "self_attention": "MultiHeadAttention(dims, num_heads)", "cross_attention": "MultiHeadAttention(dims, num_heads)", "ln1": "LayerNorm(dims)",
        "ln2": "LayerNorm(dims)", "ln3": "LayerNorm(dims)", **MLP, "dropout1": "Dropout(dropout)", "dropout2": "Dropout(dropout)", "dropout3": "Dropout(dropout)",
    },
)  # fmt: skip
layer(
    "TransformerEncoder",
    _stacked((2,), False, 1),
    "same(x)",
    ["promote(x, weights)"],
    sublayers={"layers": _layers("TransformerEncoderLayer", "num_layers"), "ln": "LayerNorm(dims)"},
)
layer(
    "TransformerDecoder",
    _stacked((2,), True, 2),
    "same(x)",
    ["promote(x, memory, weights)"],
    sublayers={"layers": _layers("TransformerDecoderLayer", "num_layers"), "ln": "LayerNorm(dims)"},
)
_GIVEN = "{0}, dims, num_heads, mlp_dims, dropout, activation, norm_first, checkpoint"


def _whole(g: Sampling) -> tuple[Call, Call]:
    made, used = _stacked((), True, 3)(g)
    return ([8, 2, 1, 1], made[1]), used


layer(
    "Transformer", _whole, "same(tgt)", ["promote(src, tgt, weights)"],
    sublayers={
        "encoder": f"TransformerEncoder({_GIVEN.format('num_encoder_layers')}) if custom_encoder is None else custom_encoder",
        "decoder": f"TransformerDecoder({_GIVEN.format('num_decoder_layers')}) if custom_decoder is None else custom_decoder",
    },
)  # fmt: skip
UNKNOWN_LAYERS["mlx.nn.Sequential"] = "it calls what it is given: code of the interpreter"
UNKNOWN_LAYERS["mlx.nn.QQLinear"] = "not implemented on the CPU, where the data is measured"
UNKNOWN_LAYERS["mlx.nn.FullyShardedModule"] = "it calls what it is given, over several processes"

# -- optimizers ------------------------------------------------------------------------------------------------------------------------------
SAME = ("same(parameter)", "same(parameter)")
OPTIMIZERS: dict[str, tuple[Mapping[str, tuple[str, str]], Callable[[Sampling], Call]]] = {
    "SGD": ({"v": SAME}, lambda g: ([0.1], g.some(momentum=0.9, weight_decay=0.1))),
    "RMSprop": ({"v": SAME}, lambda g: call(0.1)),
    "Adagrad": ({"v": SAME}, lambda g: call(0.1)),
    "AdaDelta": ({"v": SAME, "u": SAME}, lambda g: call(0.1)),
    "Adam": ({"m": SAME, "v": SAME}, lambda g: ([0.1], g.some(bias_correction=True))),
    "AdamW": ({"m": SAME, "v": SAME}, lambda g: ([0.1], g.some(bias_correction=True, weight_decay=0.1))),
    "Adamax": ({"m": SAME, "v": SAME}, lambda g: call(0.1)),
    "Lion": ({"m": SAME}, lambda g: ([0.1], g.some(weight_decay=0.1))),
    "Muon": ({"v": SAME}, lambda g: ([0.1], g.some(nesterov=g.chance()))),
    "Adafactor": (
        {
            "exp_avg_sq_row": ("lead(parameter) if rank(parameter) > 1 else absent", "same(parameter)"),
            "exp_avg_sq_col": ("(*lead(parameter, 2), length(parameter, -1)) if rank(parameter) > 1 else absent", "same(parameter)"),
            "exp_avg_sq": ("absent if rank(parameter) > 1 else same(parameter)", "same(parameter)"),
            "exp_avg": ("same(parameter) if beta_1 is not None else absent", "same(parameter)"),
        },
        lambda g: ([], g.some(beta_1=0.9)),
    ),
}
"""What each optimizer keeps for a parameter, and constructor calls."""
UNKNOWN_OPTIMIZERS = {"mlx.optimizers.MultiOptimizer": "it keeps what its optimizers keep: code of the interpreter"}
