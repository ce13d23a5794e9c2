"""Measure what compiling a long loop costs and what it saves: the table on the page of MX307.

measure_graphs.py [KIND...]     print the table, a line for each kind of operation and length

Each line is a process of its own, as a graph that is too deep ends it. Times are processor time of that process: a machine that does other work as well shows the
same. The first call builds the graph and compiles it; what the C++ compiler takes for new kernels (a second or so, once on a machine) is not in it.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import mlx.core as mx

SIDE = 8
"""Arrays have so many rows and columns: what an operation costs by itself is most of the time then."""
LENGTHS = (1_000, 5_000, 15_000, 30_000, 50_000)
CALLS = 9
"""Later calls of each function, of which the fastest counts: other processes only slow a call down."""


class Kind(NamedTuple):
    """One round of a loop, and the operations that it adds to the graph."""

    round: Callable[[mx.array, mx.array, mx.array, mx.array, int, mx.array], mx.array]
    operations: int


KINDS = {
    "element-wise": Kind(lambda x, a, b, rows, t, order: x * a + b, 2),
    "element-wise on rows": Kind(lambda x, a, b, rows, t, order: x * a + rows[t], 4),
    "matrix product": Kind(lambda x, a, b, rows, t, order: x @ a, 1),
    "matrix product, tanh": Kind(lambda x, a, b, rows, t, order: mx.tanh(x @ a), 2),
    "matrix product, two element-wise": Kind(lambda x, a, b, rows, t, order: mx.tanh(x @ a) * 0.5, 3),
    "matrix product, four element-wise": Kind(lambda x, a, b, rows, t, order: mx.tanh(x @ a) * 0.5 + b - x, 5),
    "reduction": Kind(lambda x, a, b, rows, t, order: x - mx.mean(x, axis=0), 3),
    "slices": Kind(lambda x, a, b, rows, t, order: mx.concatenate([x[1:], x[:1]]), 3),
    "index": Kind(lambda x, a, b, rows, t, order: x[order], 1),
}


class Times(NamedTuple):
    plain: float
    first: float
    later: float

    @property
    def paid_back(self) -> float | None:
        """After how many calls the first one is paid back; None if never."""
        saved = self.plain - self.later
        return max(self.first - self.plain, 0) / saved if saved > 0 else None


def measured(kind: Kind, operations: int) -> None:
    """Print the times of the calls of the plain function, and of the compiled one, as they come: the process may end in between."""
    rounds = operations // kind.operations

    def function(x: mx.array, a: mx.array, b: mx.array, rows: mx.array, order: mx.array) -> mx.array:
        for t in range(rounds):
            x = kind.round(x, a, b, rows, t, order)
        return x

    arrays = mx.ones((SIDE, SIDE)), mx.eye(SIDE), mx.ones((SIDE, SIDE)) * 1e-6, mx.ones((rounds, SIDE)), mx.arange(SIDE)[::-1]
    mx.eval(arrays)
    for called in (function, mx.compile(function)):
        for _ in range(CALLS + 1):
            start = time.process_time()
            mx.eval(called(*arrays))
            print(time.process_time() - start, flush=True)


def child(name: str, operations: int) -> Times | None:
    """The times of one line; None if the process ended in the first compiled call."""
    done = subprocess.run([sys.executable, __file__, "-", name, str(operations)], check=False, capture_output=True, text=True)
    times = [float(line) for line in done.stdout.split()]
    if done.returncode:
        return None
    return Times(min(times[1 : CALLS + 1]), times[CALLS + 1], min(times[CALLS + 2 :]))


def main(names: list[str]) -> None:
    print("| kind of loop | operations | plain | compiled, first | compiled, later | paid back after |\n|---|---|---|---|---|---|")
    for name in names or KINDS:
        for operations in LENGTHS:
            found = child(name, operations)
            if found is None:
                print(f"| {name} | {operations:,} | | the process ends | | |", flush=True)
                break
            calls = "never" if found.paid_back is None else f"{found.paid_back:.0f} calls"
            milliseconds = " | ".join(f"{time * 1000:.1f} ms" for time in found)
            print(f"| {name} | {operations:,} | {milliseconds} | {calls} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["-"]:
        measured(KINDS[sys.argv[2]], int(sys.argv[3]))
    else:
        main(sys.argv[1:])
