"""The slowdowns that --verify measures, beside benchmarks of the same two forms that were written by hand, in the same run.

    pip install -e '.[verify-cpu]'
    python benchmarks/verify_timing.py [--shared] [CASE...]

Each case is a small program with one finding, and the flagged and the fixed form of its step as a person would time them: warm-up, batches
of at least 2 ms of each form, one form right after the other, the median of the ratios, in several processes. Those run before and after
mxlint does. They have to agree within 20 %. --shared takes the processor's clock instead of the one on the wall by hand, too: for a machine
on which other programs run (mxlint leaves their time out by itself).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from mxlint.engine import check
from mxlint.finding import Verdict
from mxlint.verify.experiment import verify

AGREE = 0.2
PROCESSES = 4

HEAD = """import mlx.core as mx

w = mx.ones((64, 64)) * 0.01
x = mx.ones((64, 64)) * 0.01
mx.eval(w, x)

"""


@dataclass(frozen=True, slots=True)
class Case:
    """`program` has a finding of `code`; `flagged` and `fixed` define step() by hand; an empty `fixed` is a few of the same steps again and
    again, those of the same `n`. `new`: every call costs a run of the compiler; `traces`: every call of the flagged form leaves a trace behind, and warming it
    up for long would time how MLX searches thousands of them."""

    code: str
    program: str
    flagged: str
    fixed: str
    new: bool = False
    traces: bool = False


CASES = {
    "lambda in a loop": Case(
        "MX301",
        HEAD + "for _ in range(3):\n    mx.eval(mx.compile(lambda x: mx.tanh(x * 2 + 1) + x @ w)(x))\n",
        HEAD + "def step():\n    mx.eval(mx.compile(lambda x: mx.tanh(x * 2 + 1) + x @ w)(x))\n",
        HEAD + "kept = mx.compile(lambda x: mx.tanh(x * 2 + 1) + x @ w)\ndef step():\n    mx.eval(kept(x))\n",
    ),
    "compile per call": Case(
        "MX302",
        HEAD + "def body(x):\n    return mx.tanh(x * 2 + 1) + x @ w\n\ndef outer(x):\n    return mx.compile(body)(x)\n\n"
        "for _ in range(3):\n    mx.eval(outer(x))\n",
        HEAD + "def body(x):\n    return mx.tanh(x * 2 + 1) + x @ w\n\ndef step():\n    mx.eval(mx.compile(body)(x))\n",
        HEAD + "@mx.compile\ndef body(x):\n    return mx.tanh(x * 2 + 1) + x @ w\n\ndef step():\n    mx.eval(body(x))\n",
    ),
    "varying scalar": Case(
        "MX303",
        HEAD + "@mx.compile\ndef scaled(x, t):\n    return mx.tanh(x * t) + x @ w\n\n"
        "t = 0.5\nfor _ in range(3):\n    t *= 0.99\n    mx.eval(scaled(x, t))\n",
        HEAD + "@mx.compile\ndef scaled(x, t):\n    return mx.tanh(x * t) + x @ w\n\n"
        "t = 0.5\ndef step():\n    global t\n    t *= 0.99\n    mx.eval(scaled(x, t))\n",
        HEAD + "@mx.compile\ndef scaled(x, t):\n    return mx.tanh(x * t) + x @ w\n\n"
        "t = 0.5\ndef step():\n    global t\n    t *= 0.99\n    mx.eval(scaled(x, mx.array(t)))\n",
        new=True,
    ),
    "varying index": Case(
        "MX303",
        HEAD + "@mx.compile\ndef layer(x, i):\n    return mx.tanh(x * 2) + (x @ w if i >= 0 else x)\n\n"
        "for i in range(4):\n    mx.eval(layer(x, i))\n",
        HEAD + "@mx.compile\ndef layer(x, i):\n    return mx.tanh(x * 2) + (x @ w if i >= 0 else x)\n\n"
        "i = 0\ndef step():\n    global i\n    i += 1\n    mx.eval(layer(x, i))\n",
        HEAD + "@mx.compile\ndef layer(x, i):\n    return mx.tanh(x * 2) + (x @ w if i >= 0 else x)\n\n"
        "def step():\n    mx.eval(layer(x, 1))\n",
        traces=True,
    ),
    "varying shape": Case(
        "MX304",
        HEAD + "@mx.compile\ndef layer(x):\n    return mx.tanh(x * 2 + 1) + x @ w\n\n"
        "for n in range(2, 6):\n    mx.eval(layer(mx.ones((n, 64))))\n",
        HEAD + "@mx.compile\ndef layer(x):\n    return mx.tanh(x * 2 + 1) + x @ w\n\n"
        "n = 1\ndef step():\n    global n\n    n += 1\n    mx.eval(layer(mx.ones((n, 64))))\n",
        "",
    ),
    "captured lazy weights": Case(
        "MX210",
        "import mlx.core as mx\n\na = mx.ones((512, 512)) * 0.01\nw = a @ a\nx = mx.ones((64, 512))\nmx.eval(x)\n\n"
        "@mx.compile\ndef forward(x):\n    return mx.tanh(x @ w) * 2\n\nfor _ in range(3):\n    mx.eval(forward(x))\n",
        "import mlx.core as mx\n\na = mx.ones((512, 512)) * 0.01\nw = a @ a\nx = mx.ones((64, 512))\nmx.eval(x)\n\n"
        "@mx.compile\ndef forward(x):\n    return mx.tanh(x @ w) * 2\n\ndef step():\n    mx.eval(forward(x))\n",
        "import mlx.core as mx\n\na = mx.ones((512, 512)) * 0.01\nw = a @ a\nx = mx.ones((64, 512))\nmx.eval(x, w)\n\n"
        "@mx.compile\ndef forward(x):\n    return mx.tanh(x @ w) * 2\n\ndef step():\n    mx.eval(forward(x))\n",
    ),
    "grad of compiled": Case(
        "MX305",
        HEAD + "@mx.compile\ndef loss(x):\n    return mx.mean(mx.tanh(x * 2 + 1) + x @ w)\n\n"
        "gradient = mx.grad(loss)\nfor _ in range(4):\n    mx.eval(gradient(x))\n",
        HEAD + "@mx.compile\ndef loss(x):\n    return mx.mean(mx.tanh(x * 2 + 1) + x @ w)\n\n"
        "gradient = mx.grad(loss)\ndef step():\n    mx.eval(gradient(x))\n",
        HEAD + "def loss(x):\n    return mx.mean(mx.tanh(x * 2 + 1) + x @ w)\n\n"
        "gradient = mx.compile(mx.grad(loss))\ndef step():\n    mx.eval(gradient(x))\n",
    ),
}

BY_HAND = """
import json, os, resource, statistics, sys, time
case = json.load(sys.stdin)
import mlx.core as mx
on_cpu = mx.default_device().type == mx.cpu
if on_cpu and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {case["core"]})
forms = []
for text in (case["flagged"], case["fixed"]):
    if text:
        names = {}
        exec(text, names)
    forms.append(names["step"])

def clock():
    if not (case["shared"] and on_cpu):
        return time.perf_counter()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime

def batch(step, calls):
    mx.synchronize()
    start = clock()
    for _ in range(calls):
        step()
    mx.synchronize()
    return (clock() - start) / calls

def warmed(step, seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        step()

warm, rounds = (1, 4) if case["new"] else (3, 12)
calls = [max(1, int(0.002 / min(batch(step, 1) for _ in range(warm + 1))) + 1) for step in forms]
if not case["new"]:
    for step in forms[case["traces"]:]:
        warmed(step, 0.01 if on_cpu else 0.1)
pairs = []
few, others = [], {}
def again():
    others["n"] = few[others["turn"] % len(few)]
    others["turn"] += 1
    others["step"]()

for number in range(rounds if not case["fixed"] else 0):
    start = names["n"]
    few[:] = [start + calls[0] * part // 3 for part in range(4)]
    if not others:
        exec(case["flagged"], others)
    others["turn"] = 0
    batch(again, 4)
    both = [0.0, 0.0]
    for which in (0, 1) if number % 2 else (1, 0):
        warmed(again, 0.001 if on_cpu else 0.005)
        both[which] = batch(again if which else names["step"], calls[0])
    pairs.append(both)
for number in range(rounds if case["fixed"] else 0):
    times = [0.0, 0.0]
    for which in (0, 1) if number % 2 else (1, 0):
        if calls[which] > 1:
            warmed(forms[which], 0.001 if on_cpu else 0.005)
        times[which] = batch(forms[which], calls[which])
    pairs.append(times)
print(json.dumps([statistics.median(a / b for a, b in pairs), *(1e3 * statistics.median(times) for times in zip(*pairs))]))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("case", nargs="*", help=f"of {', '.join(CASES)} (default: all)")
    parser.add_argument(
        "--shared", action="store_true", help="other programs run on this machine: by hand, too, take the processor's clock"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.case) - set(CASES):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    print(
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; by hand with the clock {'of the processor' if arguments.shared else 'on the wall'}"
    )
    print(f"{'':24}{'mxlint':>10}  {'interval':17}{'ms':>9} {'ms':>9}   {'by hand':>8} {'ms':>9} {'ms':>9}   {'apart':>6} {'cpu s':>8}")
    apart = [compared(name, CASES[name], shared=arguments.shared) for name in arguments.case or CASES]
    return int(any(one is None or one > AGREE for one in apart))


def compared(name: str, case: Case, *, shared: bool) -> float | None:
    """How far the two are apart, as part of what was measured by hand; prints both."""
    with tempfile.TemporaryDirectory() as folder:
        hands = [by_hand(case, number, folder, shared=shared) for number in range(PROCESSES // 2)]
        before = os.times()
        verdict = verified(case, Path(folder))
        spent = sum(after - earlier for after, earlier in zip(os.times()[:4], before[:4]))
        hands += [by_hand(case, number, folder, shared=shared) for number in range(PROCESSES // 2, PROCESSES)]
    ratio, flagged, fixed = (float(median(values)) for values in zip(*hands))
    found = verdict.slowdown if verdict is not None else None
    if found is None:
        print(f"{name:24}not measured: {verdict}")
        return None
    far: float = abs(found.ratio / ratio - 1)
    interval = f"({found.low:.3g}-{'' if found.high is None else format(found.high, '.3g')})"
    print(
        f"{name:24}{found.ratio:10.3f}  {interval:17}{found.observed_ms:9.3f} {found.fixed_ms:9.3f}   "
        f"{ratio:8.3f} {flagged:9.3f} {fixed:9.3f}   {far:6.1%} {spent:8.1f}{'' if far <= AGREE else '   !'}"
    )
    print(f"{'':24}{found.rounds} rounds; {found.note}", flush=True)
    return far


def by_hand(case: Case, number: int, folder: str, *, shared: bool) -> list[float]:
    """The median ratio and the median times of one process."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    place = Path(folder, f"hand-{number}" if case.new else "hand")  # what is built is kept, unless the building is what is timed
    place.mkdir(exist_ok=True)
    given = {
        "flagged": case.flagged,
        "fixed": case.fixed,
        "new": case.new,
        "traces": case.traces,
        "shared": shared,
        "core": cores[number % len(cores)],
    }
    done = subprocess.run(
        [sys.executable, "-I", "-c", BY_HAND],
        input=json.dumps(given),
        env={**os.environ, "TMPDIR": str(place)},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    times: list[float] = json.loads(done.stdout)
    return times


def verified(case: Case, folder: Path) -> Verdict | None:
    """The verdict on the case's finding."""
    file = folder / "program.py"
    file.write_text(case.program, encoding="utf-8")
    result = check([str(file)])
    wanted = [finding for finding in result.findings if finding.code == case.code][:1]
    found = verify(wanted, result.sources, [site.span for site in result.sites])
    return found[0].verdict if found else None


if __name__ == "__main__":
    sys.exit(main())
