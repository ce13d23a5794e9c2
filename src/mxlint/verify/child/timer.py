"""Two forms of one program, each in a process of its own, timed in turns: a batch of one, a batch of the other, and the other way round.

This process only keeps the minutes. The two are forked from it before MLX computes anything, share a core, and never run at the same time.
"""

from __future__ import annotations

import json
import math
import os
import select
import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from typing import Any

from . import lending, setup
from .turns import WARM_UP

BATCH_NS = 2_000_000
"""A batch lasts so long at least, against the clock's grain."""
LONGEST_NS = 100_000_000
"""A batch of many turns lasts no longer than this."""
SHORT_NS = 5_000_000
COLD_NS, COLD_GPU_NS = 1_000_000, 2_000_000
"""Before a batch of turns that are shorter than the first, so much is not timed: the other form has left nothing in the processor's caches, and
a GPU that had nothing to do runs slower."""
AFTER_A_PAUSE = 10
"""So many times as much before the first batch: results were read back and compared just before."""
SINGLE = {"skip": 0, "turns": 1}
MUCH = 20
"""Where the first form takes so many times as long, nothing of the other is warm after it: that gets the batches of short turns."""
FEWEST_ROUNDS = 2
"""Unless each brings something new and takes so long that it is a batch by itself."""
MOST_NEW = 128
"""Timed turns that bring something new: MLX searches what it has traced one by one, and with thousands that is what would be timed."""
FORMS = ("observed", "fixed")
CALLS = "<calls>"
SEGMENT = "<statements>"


class Ended(Exception):
    """A form has nothing more to time: `reasons` say why, and of which form."""

    def __init__(self, **reasons: Any) -> None:
        super().__init__()
        self.reasons = reasons


def main(folder: str, job: dict[str, Any], layers: list[str], result: int | None) -> dict[str, Any]:
    """The rounds of one pair of processes."""
    timing = job["timing"]
    until = time.monotonic() + timing["wall_s"]
    if timing["import_first"]:  # forked with it, where that can be
        setup.start_mlx(job)
    with_first_turn(os.path.join(folder, "work"), timing)
    pair: list[Form] = []
    answer: dict[str, Any] = {"status": "ok", "guard": layers, "ended": None, "rounds": [], "built": []}
    try:
        for number in (0, 1):
            closed = [*(end for form in pair for end in form.ends), *([] if result is None else [result])]
            pair.append(Form(folder, job, number, until, closed))
        measure(pair, timing, answer)
    except Ended as error:
        answer |= error.reasons
    finally:
        answer["results"] = [form.results for form in pair]
        for form in pair:
            form.end()
        collect(os.path.join(folder, "work"), timing["cold"], answer.get("kernels", ()) if any(answer["built"]) else None)
    return answer


def measure(pair: list[Form], timing: Mapping[str, Any], answer: dict[str, Any]) -> None:
    """Let both get warm, then take turns; `answer` fills as it goes."""
    observed, fixed = pair
    answer["mlx"] = observed.hear()["mlx"]
    a = observed.exchange({"unit": timing["unit"], "turns": None})
    answer["unit"] = a["unit"]
    fixed.hear()
    both_cold = timing.get("cold") == [0, 1] and timing["event"] != "once" and not timing["new"]
    took = lending.lend(observed.temporary, fixed.temporary) if both_cold else {}
    b = fixed.exchange({"unit": a["unit"], "turns": len(a["warm"])})
    answer["kernels"] = a.get("kernels", [])
    answer["first"] = [a["first"], b["first"] + lending.owed(took, a.get("built", 0), b.get("kernels", ()))]
    if timing["event"] == "once":
        answer |= {"rounds": [answer["first"]], "built": [a["built"]]}
        return
    cold = COLD_NS if answer["mlx"]["device"].startswith("cpu") else COLD_GPU_NS
    stride = max(1, round(len(a["warm"]) / WARM_UP))
    order = SINGLE if timing["new"] else plan([estimate(a), estimate(b)], stride, cold * AFTER_A_PAUSE)
    orders = {observed: order, fixed: order}
    single = timing["new"]  # until it is known how long a turn takes that builds nothing
    turn: dict[Form, float] = {}
    spent, last, most = 0, 0, timing["rounds"]
    rounds, built = answer["rounds"], answer["built"]
    fewest = FEWEST_ROUNDS
    while len(rounds) < most and (len(rounds) < fewest or spent < timing["seconds"] * 1e9 or (single and last < LONGEST_NS)):
        heard: dict[Form, dict[str, Any]] = {}
        for form in pair if (len(rounds) + timing["pair"]) % 2 == 0 else reversed(pair):
            heard[form] = form.exchange(orders[form])
            spent += heard[form]["ns"]
        seen, last = heard[observed], heard[observed]["ns"]
        if not seen["new"]:
            raise Ended(ended="the calls do not go on bringing something new")
        events = max(1, seen["events"])
        fewest = 1 if single and last >= LONGEST_NS else FEWEST_ROUNDS
        if single and last >= LONGEST_NS and last > MUCH * heard[fixed]["ns"]:
            for _ in range(2):  # how long a turn takes that finds nothing warm does not tell how many make a batch
                orders[fixed] = short(heard[fixed]["ns"] / orders[fixed]["turns"], cold)
                heard[fixed] = fixed.exchange(orders[fixed])
        for form in pair:
            one = heard[form]["ns"] / orders[form]["turns"]
            turn[form] = min(one, turn.get(form, one))
        other = heard[fixed]["ns"] * orders[observed]["turns"] / orders[fixed]["turns"]
        rounds.append([last / events, other / events])
        built.append(seen["built"] / events)
        if single and len(rounds) >= WARM_UP and turn[observed] < LONGEST_NS:
            # Those were single turns, which found nothing warm. They stand if the program has no more turns that bring something new.
            single, spent, rounds, built = False, 0, [], []
            most = max(FEWEST_ROUNDS, min(most, MOST_NEW // plan([turn[observed], turn[fixed]], stride, cold)["turns"]))
            orders = dict.fromkeys(pair, plan([turn[observed], turn[fixed]], stride, cold * AFTER_A_PAUSE))
        elif not single:
            answer |= {"rounds": rounds, "built": built}
            orders = dict.fromkeys(pair, plan([turn[observed], turn[fixed]], stride, cold))


def estimate(message: Mapping[str, Any]) -> float:
    """How long a turn takes, by the last of those that made it warm."""
    return float(message["warm"][-1] if message["warm"] else message["first"])


def plan(turn: list[float], stride: int, cold: int) -> dict[str, int]:
    """Turns in a batch, and turns before each that are not timed, of which there are `cold` nanoseconds. In `stride` turns the claim's event
    happens once."""
    least, most = max(1.0, min(turn)), max(1.0, *turn)
    turns = max(1, min(math.ceil(BATCH_NS / least), int(LONGEST_NS / most)))
    skip = math.ceil(cold / most / stride) * stride if most < max(SHORT_NS, cold) else 0
    return {"skip": skip, "turns": math.ceil(turns / stride) * stride}


def short(turn: float, cold: int) -> dict[str, int]:
    """A batch of turns that are short beside those of the other form."""
    return {part: math.ceil(least / max(1.0, turn)) for part, least in (("skip", cold), ("turns", BATCH_NS))}


class Form:
    """One form of the program, in a process of its own."""

    def __init__(self, folder: str, job: dict[str, Any], number: int, until: float, closed: list[int]) -> None:
        self.number, self.until = number, until
        self.temporary = temporary(folder, job, number)
        orders, self.write = os.pipe()
        self.read, messages = os.pipe()
        self.ends = (self.read, self.write)
        self.heard = b""
        self.results: list[Any] = []
        self.pid = os.fork()
        if self.pid == 0:
            try:
                for end in (*closed, *self.ends):
                    os.close(end)
                work(folder, job, number, orders, messages)
            finally:
                os._exit(1)
        os.close(orders)
        os.close(messages)

    def exchange(self, order: Mapping[str, Any]) -> dict[str, Any]:
        try:
            os.write(self.write, json.dumps(order).encode() + b"\n")
        except BrokenPipeError:
            pass
        return self.hear()

    def hear(self) -> dict[str, Any]:
        while b"\n" not in self.heard:
            ready, _, _ = select.select([self.read], [], [], max(0.0, self.until - time.monotonic()))
            data = os.read(self.read, 1 << 16) if ready else b""
            if not data:
                raise Ended(who=self.number, ended="the process died" if ready else "time is over")
            self.heard += data
        line, _, self.heard = self.heard.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        if "ended" in message or "canary" in message:
            raise Ended(who=self.number, **message)
        self.results += message.pop("results", ())
        return message

    def end(self) -> None:
        for end in self.ends:
            os.close(end)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def temporary(folder: str, job: Mapping[str, Any], number: int) -> str:
    """The temporary folder of a form: one of its own, if it is to find no kernels."""
    common = os.path.join(folder, "work", "tmp")
    return os.path.join(common, FORMS[number]) if number in job["timing"]["cold"] else common


def work(folder: str, job: dict[str, Any], number: int, orders: int, messages: int) -> None:
    """Run one form: the program as it is, or another one, under the clock."""
    from . import guard

    guard.tie()
    timing = job["timing"]
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    os.environ["TMPDIR"] = temporary(folder, job, number)
    os.makedirs(os.environ["TMPDIR"], exist_ok=True)
    from . import clock, program

    setup.start_mlx(job)
    line = clock.Line(orders, messages)
    mlx, missing = setup.ready(number == 0)
    if mlx["device"].startswith("cpu"):
        pin(timing["core"])
    if missing:
        line.exchange({"canary": missing})
    order = line.exchange({"mlx": mlx, "ready": True})
    root = os.path.join(folder, "fixed" if number and os.path.isdir(os.path.join(folder, "fixed")) else "program")
    namespaces = program.Namespaces(root, numbered=True)
    timed = clock.Clock(root + os.sep, timing, timing["forms"][number], namespaces.names, line)
    timed.unit, timed.warm_up = order["unit"], order["turns"]
    setup.prepare(root, job)
    timed.install()
    setup.arm(folder, job, [], [])
    try:
        namespaces.execute(job["entry"])
        if job["drive"] is not None:
            call_made_up(timed, namespaces.main, job)
        if timed.unit is None and timed.rows and timed.warm_up is None:
            timed.unit = [SEGMENT, *namespaces.from_end(job["entry"], min(timed.rows), max(timed.rows))]
        if timed.unit is not None and timed.unit[0] == SEGMENT and timed.unit not in timed.barred:
            again = namespaces.again(job["entry"], *timed.unit[1:])
            for _ in timed.counted(timed.unit, range(1)):
                again()
        why = "the loop came to its end" if timed.unit else "no turn of a loop is in sight"
    except BaseException as error:  # noqa: BLE001 - whatever the program raises is an observation
        why = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}".replace(root + os.sep, "")[:300]
    line.exchange({"ended": why, "unit": timed.unit})


def pin(core: int | None) -> None:
    """Run all threads of this process on one core. A GPU's driver has threads that do not wait for each other."""
    if core is not None and os.path.isdir("/proc/self/task"):
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/status", encoding="ascii", errors="replace") as file:
                numbers = next((line.split() for line in file if line.startswith("NSpid:")), [task])
            os.sched_setaffinity(int(numbers[-1]), {core})  # /proc may count otherwise than the process does


def call_made_up(timed: Any, module: Any, job: Mapping[str, Any]) -> None:
    """The calls that no statement makes; their arguments are made while the clock stands still."""
    from . import drive, inputs

    order, recipe = job["drive"], job["recipe"]
    if recipe["inner"] is not None:
        raise RuntimeError("what a made-up call compiles is not timed")
    target, given = drive.target(vars(module), order, recipe), recipe["call"]
    for call in timed.turns(CALLS, 0, range(order["calls"])):
        with timed.standing():
            args, kwargs = inputs.apply(lambda *args, **kwargs: (args, kwargs), given["specs"], given["names"], call, order["varies"])
        inputs.evaluate(target(*args, **kwargs))


def collect(work: str, cold: list[int], first: Sequence[str] | None) -> None:
    """Put the kernels of both forms where the next pair of processes finds them. `first`: of the first form these only, since it is about building
    new ones."""
    common = os.path.join(work, "tmp")
    for number in cold:
        own = os.path.join(common, FORMS[number])
        if first is not None and number == 0:
            lending.copy(own, common, first)
        elif os.path.isdir(os.path.join(own, "mlx")):
            shutil.copytree(
                os.path.join(own, "mlx"), os.path.join(common, "mlx"), dirs_exist_ok=True, ignore=shutil.ignore_patterns("tmp_*")
            )


def with_first_turn(work: str, timing: Mapping[str, Any]) -> None:
    """Give a first form that is cold what its first turn takes, if that was timed before: what is timed is what the next ones build."""
    common = os.path.join(work, "tmp")
    if 0 in timing["cold"]:
        lending.copy(common, os.path.join(common, FORMS[0]), timing["kernels"])
