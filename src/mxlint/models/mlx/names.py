"""Names of MLX: one canonical dotted name for each thing, however the program reached it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

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
_WRITTEN: Final = {name.rstrip("_"): f"mlx.core.{name}" for name in DTYPES}

_MOVED = {
    "mlx.nn.layers": "mlx.nn",
    "mlx.optimizers.optimizers": "mlx.optimizers",
    "mlx.optimizers.schedulers": "mlx.optimizers",
    "mlx.nn.utils.value_and_grad": "mlx.nn.value_and_grad",
    "mlx.nn.base.Module": "mlx.nn.Module",
    **{f"mlx.nn.utils.{name}": f"mlx.utils.{name}" for name in ("tree_map", "tree_map_with_path", "tree_flatten", "tree_unflatten")},
    "np": "numpy",
}


def dtype_name(dtype: str) -> str:
    """The canonical name of a dtype that MLX prints so: that of `bool` is `mlx.core.bool_`."""
    return _WRITTEN[dtype]


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


MODE: Final = "mode"
"""How `train` and `eval` change a module: nothing but whether it is in training mode."""
_CHANGES, _WEIGHTS = "changes", "weights"
MODULE_METHODS: Final[Mapping[str, str]] = {
    "__init__": "", "parameters": _WEIGHTS, "trainable_parameters": _WEIGHTS, "update": _CHANGES, "update_modules": _CHANGES, "load_weights": _CHANGES,
    "save_weights": "", "apply": _CHANGES, "apply_to_modules": "", "filter_and_map": "", "modules": "", "named_modules": "", "leaf_modules": "",
    "children": "", "eval": MODE, "train": MODE, "freeze": _CHANGES, "unfreeze": _CHANGES, "set_dtype": _CHANGES,
}  # fmt: skip
"""What every nn.Module inherits: whether it changes the module, or modules that it holds, or gives its weights."""
MODULE_CHANGES: Final = frozenset(name for name, does in MODULE_METHODS.items() if does in (_CHANGES, MODE))
CHANGE_MODULES: Final[Mapping[str, tuple[int, str]]] = {"quantize": (0, "model"), "shard_inplace": (0, "module")}
"""Functions of mlx.nn that change a module, by their last names: the argument that it is, by its place and by its name."""
MODULE_WEIGHTS: Final = frozenset(name for name, does in MODULE_METHODS.items() if does == _WEIGHTS)
OPTIMIZER_METHODS = frozenset(["__init__", "init", "init_single", "update", "apply_gradients", "apply_single"])
"""What every optimizer inherits."""


def is_module_class(name: str) -> bool:
    """Whether a canonical name is a class of layers of mlx.nn."""
    return name.startswith("mlx.nn.") and name[len("mlx.nn.") :][:1].isupper() and "." not in name[len("mlx.nn.") :]
