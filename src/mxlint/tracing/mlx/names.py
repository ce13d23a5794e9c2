"""Names of libraries: one canonical dotted name for each thing, however the program reached it, and the constants among them."""

from __future__ import annotations

import math
from functools import lru_cache

from mxlint.tracing.interpreter import VERSION
from mxlint.tracing.values import NONE, Foreign, Scalar, Value

DTYPES = frozenset(
    [
        "bool_",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "float32",
        "float64",
        "bfloat16",
        "complex64",
    ]
)
"""The dtypes of mlx.core."""

_MOVED = {
    "mlx.nn.layers": "mlx.nn",
    "mlx.optimizers.optimizers": "mlx.optimizers",
    "mlx.optimizers.schedulers": "mlx.optimizers",
    "mlx.nn.utils.value_and_grad": "mlx.nn.value_and_grad",
    "mlx.nn.base.Module": "mlx.nn.Module",
    **{f"mlx.nn.utils.{name}": f"mlx.utils.{name}" for name in ("tree_map", "tree_flatten", "tree_unflatten")},
    "np": "numpy",
}
_CONSTANTS: dict[str, Value] = {
    **{f"{library}.{name}": Scalar("float", getattr(math, name)) for library in ("math", "mlx.core", "numpy") for name in ("pi", "e", "inf", "nan")},
    **{f"{library}.newaxis": NONE for library in ("mlx.core", "numpy")},
    **{f"mlx.core.{name}": Foreign(f"dtype {name}") for name in DTYPES},
    "math.tau": Scalar("float", math.tau),
    "typing.TYPE_CHECKING": Scalar("bool", False),
    "sys.maxsize": Scalar("int", 2**63 - 1),
    "os.sep": Scalar("str"),
    "sys.platform": Scalar("str"),
    "sys.version_info": VERSION,
}  # fmt: skip


_DRAWS = ("uniform", "normal", "bernoulli", "randint", "laplace", "truncated_normal", "gumbel", "categorical", "multivariate_normal")

COMPOSITE = frozenset(("mlx.core.einsum", "mlx.core.fast.scaled_dot_product_attention", *(f"mlx.core.random.{name}" for name in _DRAWS)))
"""Functions that may become several operations: einsum makes a chain of products, attention has a kernel for some sizes only and is
built from matmul and softmax for the others (mlx/einsum.cpp; mlx/fast.cpp, use_fallback), and what makes numbers of random bits is
element-wise and is fused (measured: gumbel is 15 operations, compiled 2)."""


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """`mlx.nn.layers.linear.Linear` is `mlx.nn.Linear`: the shortest public name."""
    if name.startswith("mlx.nn.layers."):
        parts = name.split(".")
        return "mlx.nn." + parts[-1] if parts[-1][:1].isupper() or len(parts) > 4 else name
    for old, new in _MOVED.items():
        if name == old or name.startswith(old + "."):
            return new + name[len(old) :]
    return name


def constant(name: str) -> Value | None:
    """The value of a library's constant."""
    return _CONSTANTS.get(name)


MODULE_METHODS = frozenset(
    [
        "__init__",
        "parameters",
        "trainable_parameters",
        "update",
        "update_modules",
        "load_weights",
        "save_weights",
        "apply",
        "apply_to_modules",
        "filter_and_map",
        "modules",
        "named_modules",
        "leaf_modules",
        "children",
        "eval",
        "train",
        "freeze",
        "unfreeze",
        "set_dtype",
    ]
)
"""What every nn.Module inherits."""
LAYER_METHODS = frozenset({"as_linear"})
"""Methods of layers that compute as calling the layer does."""
OPTIMIZER_METHODS = frozenset(["__init__", "init", "init_single", "update", "apply_gradients", "apply_single"])
"""What every optimizer inherits."""


def is_module_class(name: str) -> bool:
    """Whether a canonical name is a class of layers of mlx.nn."""
    return name.startswith("mlx.nn.") and name[len("mlx.nn.") :][:1].isupper() and "." not in name[len("mlx.nn.") :]
