"""The variables of the environment that change what MLX computes, or how."""

from __future__ import annotations

import os

SETTLED = {"MLX_ENABLE_TF32": "0"}
"""TF32 is on by default on CUDA: a product of matrices then has 10 bits of mantissa, and how it was cut up shows in the fourth digit."""
CLEARED = (
    "MLX_BFS_MAX_WIDTH", "MLX_DISABLE_COMPILE", "MLX_MAX_MB_PER_BUFFER", "MLX_MAX_OPS_PER_BUFFER", "MLX_METAL_FAST_SYNCH", "MLX_METAL_GPU_ARCH",
    "MLX_USE_CUDA_GRAPHS",
)  # fmt: skip


def settle() -> None:
    """Make every experiment run alike, whoever starts it. MLX reads these when it is first used: call it before it is imported."""
    for name in CLEARED:
        os.environ.pop(name, None)
    os.environ.update(SETTLED)
