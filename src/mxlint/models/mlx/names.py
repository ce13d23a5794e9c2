"""Names of MLX: one canonical dotted name for each thing, however the program reached it."""

from __future__ import annotations

from functools import lru_cache

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
    **{f"mlx.nn.utils.{name}": f"mlx.utils.{name}" for name in ("tree_map", "tree_map_with_path", "tree_flatten", "tree_unflatten")},
    "np": "numpy",
}


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
OPTIMIZER_METHODS = frozenset(["__init__", "init", "init_single", "update", "apply_gradients", "apply_single"])
"""What every optimizer inherits."""
MODULE_CHANGES = frozenset(("apply", "eval", "freeze", "load_weights", "set_dtype", "train", "unfreeze", "update", "update_modules"))
"""The methods of a module that change it, or the modules that it holds."""


def is_module_class(name: str) -> bool:
    """Whether a canonical name is a class of layers of mlx.nn."""
    return name.startswith("mlx.nn.") and name[len("mlx.nn.") :][:1].isupper() and "." not in name[len("mlx.nn.") :]
