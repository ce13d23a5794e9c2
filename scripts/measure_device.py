"""What the table says goes wrong under shapeless=True and does not on another device than the CPU, where the table is measured.

    PYTHONPATH=src python scripts/measure_device.py cuda

Run it with an MLX whose default device is that one. It compares each operation below, compiled for one shape and called with others, with the
uncompiled one, and prints src/mxlint/tracing/mlx/devices.json with what it found for this version put in.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "src" / "mxlint" / "tracing" / "mlx" / "devices.json"
SIZES = ((2, 3, 4), (8, 3, 4), (1, 3, 4), (64, 3, 4), (5, 3, 4), (2, 7, 4), (3, 1, 4), (64, 64, 4))


def operations() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """By their names in the table: functions of one array whose last axis has length 4."""
    import mlx.core as mx
    from mlx import nn

    layer = nn.Linear(4, 6)
    weight, bias = mx.random.normal((4, 6)), mx.random.normal((6,))
    mx.eval(layer.parameters(), weight, bias)
    yield "mlx.nn.Linear", lambda x: mx.tanh(layer(x))
    yield "mlx.core.addmm", lambda x: mx.tanh(mx.addmm(bias, x, weight))


def right(operation: Callable[[Any], Any], rank: int) -> bool:
    """Whether every later shape of so many dimensions gives what the uncompiled operation gives."""
    import mlx.core as mx

    compiled = mx.compile(operation, shapeless=True)
    for size in SIZES:
        x = mx.random.normal(size[3 - rank :] if rank == 3 else (size[0], size[2]))
        try:
            found, wanted = compiled(x), operation(x)
            if found.shape != wanted.shape or not mx.allclose(found, wanted, atol=1e-2).item():  # TF32 on CUDA
                return False
        except ValueError:
            return False
    return True


def main() -> int:
    """Print the data with this device's part measured anew."""
    import mlx.core as mx

    (device,) = sys.argv[1:]
    if mx.default_device().type == mx.cpu:
        print("the default device of this MLX is the CPU", file=sys.stderr)
        return 2
    data: dict[str, dict[str, dict[str, list[str]]]] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    for name, operation in operations():
        for rank in (2, 3):
            versions = data.setdefault(name, {}).setdefault(str(rank), {}).setdefault(device, [])
            others = [version for version in versions if version != mx.__version__]
            data[name][str(rank)][device] = sorted([*others, mx.__version__] if right(operation, rank) else others)
    print(json.dumps(data, indent=1, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
