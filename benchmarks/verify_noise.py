"""How far the compiled forms of programs are from the uncompiled ones on this machine's device, beside what --verify takes for rounding.

    PYTHONPATH=src python benchmarks/verify_noise.py

It needs Python and MLX, nothing else of mxlint's dependencies. Nothing is wrong with these programs, so that all that differs is rounding. For
each: the largest difference between a call's results, compiled and not, as part of the largest value; the same between the uncompiled program
and itself with random rounding (mxlint/verify/child/rounding.py); and the largest share of the tolerance (mxlint/verify/comparison.py) that any call
takes. The exit status is 1 if that is over 1 anywhere: a false confirmation.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mxlint.verify.comparison import EPSILON, SLACK, Tolerated, relative, tolerated, unit
from mxlint.verify.runner import Job, run, workplace

WALL_S = 120.0
CALLS = 60

HEAD = """import math
from functools import partial

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim

mx.random.seed(3)


def normal(*shape, dtype=mx.float32):
    value = mx.random.normal(shape).astype(dtype)
    mx.eval(value)
    return value


"""


def feeding_back(body: str, start: str, calls: int = CALLS) -> str:
    return f"{HEAD}@mx.compile\ndef step(x):\n    {body}\n\n\nx = {start}\nfor _ in range({calls}):\n    x = step(x)\n"


def by_itself(body: str, argument: str, calls: int = 6) -> str:
    return f"{HEAD}w = normal(64, 64)\n\n\n@mx.compile\ndef step(x):\n    {body}\n\n\nfor _ in range({calls}):\n    step({argument})\n"


def training(optimizer: str, dtype: str = "mx.float32") -> str:
    return f"""{HEAD}model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))
model.set_dtype({dtype})
optimizer = optim.{optimizer}
optimizer.init(model.trainable_parameters())
x, y = normal(32, 16, dtype={dtype}), normal(32, 4, dtype={dtype})
loss_and_grad = nn.value_and_grad(model, lambda x, y: nn.losses.mse_loss(model(x), y))
state = [model.state, optimizer.state]
mx.eval(state)


@partial(mx.compile, inputs=state, outputs=state)
def step(x, y):
    loss, grads = loss_and_grad(x, y)
    optimizer.update(model, grads)
    return loss, grads


for _ in range(24):
    step(x, y)
    mx.eval(state)
"""


PROGRAMS = {
    "logistic map": feeding_back("return 3.9 * x * (1 - x)", "mx.array([0.3, 0.51, 0.11])"),
    "Hénon map": feeding_back("return mx.stack([1 - 1.4 * x[0] * x[0] + x[1], 0.3 * x[0]])", "mx.array([0.1, 0.3])"),
    "sine map": feeding_back("return mx.sin(x * 7.3) * 1.9 + 0.05", "mx.arange(1, 9) / 9"),
    "contraction": feeding_back("return mx.tanh(x * 0.7 + 0.2) * 0.9", "normal(8)"),
    "cancelling square": by_itself("return x * x - mx.square(x + 1e-3) + 2e-3 * x", "normal(64, 64)"),
    "division and back": by_itself("return x / 7 * 7 - x", "mx.arange(64).astype(mx.float32)"),
    "variance by hand": by_itself("return mx.mean(x * x, axis=-1) - mx.mean(x, axis=-1) ** 2", "normal(64, 64) + 100"),
    "layer norm": by_itself("return (x - mx.mean(x, -1, keepdims=True)) * mx.rsqrt(mx.var(x, -1, keepdims=True) + 1e-5)", "normal(64, 64)"),
    "matmul": by_itself("return mx.tanh(x @ w * 0.1 + 1) @ w", "normal(64, 64)"),
    "large matmul": by_itself("return x @ x - mx.square(x)", "normal(1024, 1024)"),
    "softmax": by_itself("return mx.softmax(x @ w, axis=-1) * mx.log(mx.abs(x) + 1)", "normal(64, 64)"),
    "attention": by_itself("return mx.fast.scaled_dot_product_attention(x, x * 2, x + 1, scale=0.125)", "normal(2, 4, 32, 64)"),
    "polynomial": by_itself("return ((((x * 0.3 + 0.7) * x - 1.1) * x + 0.9) * x - 0.2) * x", "normal(4096)"),
    "gelu": by_itself("return x * (1 + mx.erf(x / math.sqrt(2))) / 2", "normal(512, 512)"),
    "power": by_itself("return mx.exp(mx.log(mx.abs(x)) * 2.7) - mx.abs(x) ** 2.7", "normal(4096)"),
    "float16": by_itself("return mx.exp(x * 0.3) * x - x / 3", "normal(64, 64, dtype=mx.float16)"),
    "bfloat16": by_itself("return mx.exp(x * 0.3) * x - x / 3", "normal(64, 64, dtype=mx.bfloat16)"),
    "training, SGD": training("SGD(0.1)"),
    "training, Adam": training("Adam(1e-2)"),
    "training, Adam, bfloat16": training("Adam(1e-2)", "mx.bfloat16"),
}


def main() -> int:
    """Print a row a program."""
    over = False
    with workplace() as place:
        print(f"{'':28}{'compiled':>10}{'rounded':>10}{'share':>8}")
        for number, (name, text) in enumerate(PROGRAMS.items()):
            runs = []
            for mode in ("plain", "rounded", "real"):
                outcome = run(job(text), mode, place, place.folder / f"{number}-{mode}", WALL_S)
                assert outcome.answer is not None, outcome
                assert outcome.answer["status"] == "ok", outcome.answer.get("detail", outcome.answer["status"])
                runs.append(outcome.answer["calls"])
            noise = [
                max(unit(plain["result"]), relative(rounded["result"], plain["result"])) for plain, rounded, _ in zip(*runs, strict=True)
            ]
            most = [tolerated(noise[:number]) for number in range(1, len(noise) + 1)]
            found = [compared(*calls) for calls in zip(*runs, most, strict=True)]
            differs, rounding, share = (max(values) for values in zip(*found))
            over = over or share > 1
            print(f"{name:28}{differs:10.1e}{rounding:10.1e}{share:8.3f}{'   !' if share > 1 else ''}", flush=True)
    return int(over)


def job(text: str) -> Job:
    """The program with its results written down, and nothing else."""
    off = ("state", "memory", "graph", "clocks", "transforms", "random", "length_one")
    empty: tuple[str, ...] = ("watches", "traced_calls", "wholes", "hold", "live", "outside", "modules", "readable", "attempts", "turned")
    settings = {
        **dict.fromkeys(off, False),
        **{name: [] for name in empty},
        **dict.fromkeys(("drive", "recipe", "draws", "captures", "change"), None),
        "entry": {"file": "a.py", "package": "", "name": "__main__"},
        "roots": [""],
        "calls": CALLS,
        "survey": 0,
        "results": True,
        "fused": True,
        "canary": True,
        "cpu_s": 60,
    }
    return Job({"a.py": text}, settings)


def compared(plain: Mapping[str, Any], rounded: Mapping[str, Any], real: Mapping[str, Any], most: Tolerated) -> tuple[float, float, float]:
    """Of a call: the compiled and the rounded difference as parts of the largest value, and of the first the share of what is tolerated."""
    rows = [(0.0, 0.0, 0.0)]
    for a, r, c in zip(*(list(arrays(call["result"])) for call in (plain, rounded, real)), strict=True):
        largest = max((abs(value) for value in (*a["values"], *c["values"])), default=0.0) or 1.0
        differs, noise = (max(abs(x - y) for x, y in zip(one["values"], a["values"])) for one in (c, r))
        least = max(SLACK * EPSILON[a["dtype"]] * largest, most.part * largest, most.margin * noise)
        rows.append((differs / largest, noise / largest, differs / least))
    return max(row[0] for row in rows), max(row[1] for row in rows), max(row[2] for row in rows)


def arrays(value: Any) -> Iterator[Mapping[str, Any]]:
    """The arrays in a result as the child wrote it down."""
    if isinstance(value, Mapping):
        if "dtype" in value:
            yield value
        for part in ("items", "fields"):
            items: Sequence[Any] | Mapping[str, Any] = value.get(part, ())
            for item in items.values() if isinstance(items, Mapping) else items:
                yield from arrays(item)


if __name__ == "__main__":
    sys.exit(main())
