"""The dtype of an array, where it is known: of numbers, of what creates arrays, of what keeps the dtype of its operands (measured from MLX)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mxlint.tracing.values import MISSING, Array, Foreign, ListV, Scalar, Tup, Value, listed
from mxlint.tracing.walks import each

OF_ARGUMENT = "dtype of an argument"
"""The kind of `x.dtype` where x is an argument of the compiled function; its element is the dtype itself, if that is known."""
BOOL, INT, FLOAT, KEY = "dtype bool_", "dtype int32", "dtype float32", "dtype uint32"
FLOATS = frozenset({"dtype float16", "dtype bfloat16", FLOAT})
_OF_NUMBERS = {"bool": BOOL, "int": INT, "float": FLOAT}
_RANK = {BOOL: 0, INT: 1, FLOAT: 2}
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_MADE = {
    **dict.fromkeys(("zeros", "ones", "eye", "identity", "tri", "linspace", "normal", "uniform", "truncated_normal", "laplace", "gumbel"), FLOAT),
    "randint": INT, "bernoulli": BOOL, "categorical": KEY, "key": KEY, "argmax": KEY, "argmin": KEY, "argsort": KEY, "argpartition": KEY,
}  # fmt: skip
"""What functions make unless they are given a dtype."""
_KEEPING = frozenset(
    ["abs", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "tanh", "sinh", "cosh", "arctan", "erf", "sigmoid", "sqrt",
     "rsqrt", "square", "negative", "reciprocal", "floor", "ceil", "round", "sign", "sum", "prod", "mean", "var", "std", "max", "min",
     "logsumexp", "softmax", "logaddexp", "maximum", "minimum", "add", "subtract", "multiply", "divide", "power", "remainder", "clip",
     "cumsum", "cumprod", "cummax", "cummin", "sort", "partition", "topk", "reshape", "flatten", "unflatten", "transpose", "swapaxes",
     "moveaxis", "squeeze", "expand_dims", "broadcast_to", "repeat", "tile", "pad", "roll", "concatenate", "stack", "diag", "diagonal",
     "tril", "triu", "stop_gradient", "contiguous", "zeros_like", "ones_like", "matmul", "inner", "outer", "rms_norm", "layer_norm"]
)  # fmt: skip
"""Functions that give the floating dtype that all their operands have."""


def known(value: Value) -> str | None:
    """Which dtype a value is."""
    if isinstance(value, Foreign) and value.kind == OF_ARGUMENT:
        return known(value.element) if value.element is not None else None
    return value.kind if isinstance(value, Foreign) and value.kind.startswith("dtype ") else None


def same(left: Value, right: Value) -> bool | None:
    """Whether two dtypes are one; None where they are not known, or something else."""
    a, b = known(left), known(right)
    return None if a is None or b is None else a == b


def of_number(value: Value) -> str | None:
    """What mx.array makes of numbers."""
    if isinstance(value, Array):
        return value.dtype
    if isinstance(value, Scalar):
        wide = value.known and value.kind == "int" and abs(value.content) >= 2**31
        return None if value.numpy or wide else _OF_NUMBERS.get(value.kind)
    parts = list(each((value,), listed))
    if not isinstance(value, (Tup, ListV)) or any(isinstance(part, (Tup, ListV)) and not part.items for part in parts):
        return None
    kinds = {of_number(part) for part in parts if not isinstance(part, (Tup, ListV))}
    return max((kind for kind in kinds if kind), key=lambda kind: _RANK.get(kind, 0)) if kinds <= _RANK.keys() else None


def of_operator(op: str, left: Value, right: Value) -> str | None:
    """Of two operands, at least one of them an array. A Python number gives way to the dtype of an array of its sort."""
    if op in _COMPARISONS:
        return BOOL
    a, b = (side.dtype if isinstance(side, Array) else of_number(side) for side in (left, right))
    if a is None or b is None:
        return None
    arrays = {side.dtype for side in (left, right) if isinstance(side, Array)}
    if arrays <= FLOATS and len(arrays) == 1:
        return arrays.pop()
    ranks = _RANK.get(a, MISSING), _RANK.get(b, MISSING)
    if MISSING in ranks or a == b == BOOL:
        return None
    return FLOAT if op == "/" or FLOAT in (a, b) else INT


def of_call(name: str, given: Iterable[Value]) -> str | None:
    """Of what a function of MLX makes, by the last part of its name."""
    values = list(given)
    explicit = [value for value in values if isinstance(value, Foreign) and value.kind.startswith("dtype")]
    if explicit:
        return known(explicit[0])
    if name == "array":
        return of_number(values[0]) if values else None
    if name == "full":
        return of_number(values[1]) if len(values) > 1 else None
    if name == "arange":
        return of_number(Tup(tuple(values)))
    if name in _MADE:
        return _MADE[name]
    found = {array.dtype for array in _arrays(values)}
    if name in _KEEPING and len(found) == 1 and found <= FLOATS:
        return found.pop()
    return None


def _arrays(values: Iterable[Value]) -> Iterator[Array]:
    return (value for value in each(values, listed) if isinstance(value, Array))
