"""What mx.compile gains on this machine's own device, by the timer of --verify: chains of element-wise operations, uncompiled against compiled.

    PYTHONPATH=src python benchmarks/verify_device.py

It needs Python and MLX, nothing else of mxlint's dependencies and no network. It prints JSON: device and version, and for each chain the ratio
with its interval, the times, and every round.
On an H200 (CUDA 13, MLX 0.32.4) it gave 2.0 (1.8 to 2.2) and 3.9 (3.4 to 4.1), and a plain loop of `mx.eval` and `mx.synchronize` in the same
run 1.6 and 4.1.
"""

from __future__ import annotations

import itertools
import json
import sys
from dataclasses import asdict

from mxlint.finding import Slowdown
from mxlint.verify.comparison import Tolerated
from mxlint.verify.kernels import Store
from mxlint.verify.runner import Job, Outcome, run, workplace
from mxlint.verify.timer import Plan, timed

WALL_S = 120.0

TANH = """import mlx.core as mx

x = mx.random.normal((512, 512))
mx.eval(x)


@mx.compile
def chain(x):
    for _ in range(20):
        x = mx.tanh(x)
    return x


for _ in range(10):
    y = chain(x)
"""

GELU = """import math

import mlx.core as mx

x = mx.random.normal((32, 1000, 4096))
mx.eval(x)


@mx.compile
def gelu(x):
    return x * (1 + mx.erf(x / math.sqrt(2))) / 2


for _ in range(10):
    y = gelu(x)
"""

CHAINS = {"twenty tanh, (512, 512)": TANH, "gelu, (32, 1000, 4096)": GELU}


def main() -> int:
    """Both chains, one after the other."""
    found = {name: chain(text) for name, text in CHAINS.items()}
    print(json.dumps(found, indent=1))
    return int(any("ratio" not in one for one in found.values()))


def chain(text: str) -> dict[str, object]:
    """The uncompiled form of a program against the compiled one."""
    row = next(number for number, line in enumerate(text.splitlines(), 1) if line == "@mx.compile")
    plan = Plan(("plain", "real"), "the function compiled", sites=(("chain.py", row, row + 1),))
    settings: dict[str, object] = {
        "entry": {"file": "chain.py", "package": "", "name": "__main__"},
        "roots": [""],
        "drive": None,
        "recipe": None,
        "missing": [],
        "modules": [],
        "canary": True,
        "fused": True,
        "readable": [],
        "cpu_s": int(WALL_S),
        "watches": [],
    }
    mlx: dict[str, str] = {}
    with workplace() as place:
        numbers = itertools.count()

        def pair(job: Job) -> Outcome:
            outcome = run(job, "timed", place, place.folder / str(next(numbers)), WALL_S, Store(place.folder / "kernels"))
            if outcome.answer is None or not outcome.answer.get("rounds"):
                print(outcome, file=sys.stderr)
            mlx.update((outcome.answer or {}).get("mlx", {}))
            return outcome

        result = timed(Job({"chain.py": text}, settings), plan, pair, WALL_S, Tolerated, budget_s=WALL_S)
    return {"mlx": mlx, **(asdict(result) if isinstance(result, Slowdown) else {"reason": result})}


if __name__ == "__main__":
    sys.exit(main())
