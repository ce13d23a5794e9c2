"""Where the static tracer and MLX disagree about one program."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from mxlint.finding import Finding

EVALUATION = frozenset({"MX101", "MX102", "MX103", "MX104", "MX105"})
STATE = frozenset({"MX201", "MX202", "MX203", "MX204", "MX205", "MX206", "MX207", "MX209", "MX211", "MX212"})
RECOMPILATION = frozenset({"MX301", "MX302", "MX303", "MX304", "MX305"})
SHAPELESS = frozenset({"MX401", "MX402", "MX403", "MX404"})
SIGNATURE = frozenset({"MX501", "MX502", "MX503", "MX505", "MX506"})
DECIDED = EVALUATION | STATE | RECOMPILATION | SHAPELESS | SIGNATURE
"""What a run can decide. It cannot see what is slow (MX210, MX6), what would raise at another call (MX208), or advice."""
TOLD = DECIDED | {"MX208"}
"""What explains something that goes wrong. Whether MX208 is right at a call that raises nothing no run decides."""
READS = frozenset({"MX201", "MX209", "MX206"})
"""What says that an expression holds something old."""
MANY = 5
"""So many runs of one body are too many."""
FEW = 2
ALWAYS = frozenset({"MX205", "MX506"})
"""Found in what is captured or handed over, whether or not anything shows it."""
ONCE = frozenset({"MX301", "MX302", "MX305"})
"""Not even twice."""
LATER = frozenset({"MX203", "MX204"})
"""What the first call leaves behind, and a second one meets."""

Kind = Literal["miss", "false alarm", "wrong line"]


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that went wrong under MLX and would not have without compile. `place`: a line, if it is to be found exactly
    there. `soft`: what no result shows, so that it may be found. `raised`: an exception."""

    what: str
    codes: frozenset[str]
    place: tuple[str, int] | None = None
    soft: bool = False
    raised: bool = False


@dataclass(frozen=True, slots=True)
class Disagreement:
    """`code`: what was found, if it is too much."""

    kind: Kind
    detail: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`skipped`: the program fails without compile too."""

    deeds: tuple[Deed, ...]
    disagreements: tuple[Disagreement, ...]
    skipped: str = ""


def judge(plain: Mapping[str, Any], compiled: Mapping[str, Any], found: Sequence[Finding]) -> Verdict:
    if compiled.get("signal") in (0, signal.SIGALRM, signal.SIGPROF):
        return Verdict((), (), "the run itself failed")
    if "signal" in plain or plain["raised"]:
        return Verdict((), (), f"fails without compile too: {plain.get('raised') or plain}")
    if (compiled.get("raised") or {}).get("message", "").startswith("[Compile::eval_cpu]"):
        return Verdict((), (), "the C++ compiler failed")
    deeds = tuple(_deeds(plain, compiled))
    findings = [item for item in found if item.severity != "info" and item.code in TOLD]
    decided = [item for item in findings if item.code in DECIDED]
    return Verdict(deeds, (*_missed(deeds, findings), *_false(deeds, compiled, decided)))


def doubted(findings: Iterable[Finding]) -> list[Finding]:
    """What contents may hide, in the order in which `without_chance` is told what a second look shows."""
    return [item for item in findings if item.code in STATE | SHAPELESS | RECOMPILATION]


def without_chance(
    verdict: Verdict, findings: Sequence[Finding], apart: Sequence[Mapping[str, Any]], asked: Sequence[Mapping[str, Any]]
) -> Verdict:
    """A verdict without the false alarms that are none: with other contents in the arrays that the program makes it does go wrong, or the expression
    that is old does hold another value without compile, and no result shows it. `apart`, `asked`: two runs each, without and with compile."""
    shown = {code for deed in _judged(*apart) for code in deed.codes}
    items = doubted(findings)
    right = {item.code for item in items if item.code in shown}
    right |= {item.code for number, item in enumerate(items) if item.code in READS and _is_old(str(number), *asked)}
    kept = [item for item in verdict.disagreements if item.kind != "false alarm" or item.code not in right]
    return replace(verdict, disagreements=tuple(kept))


def _judged(plain: Mapping[str, Any], compiled: Mapping[str, Any]) -> tuple[Deed, ...]:
    """What goes wrong, if the program runs without compile."""
    return () if "signal" in plain or plain["raised"] else tuple(_deeds(plain, compiled))


def _is_old(number: str, plain: Mapping[str, Any], compiled: Mapping[str, Any]) -> bool:
    """Whether a call that traces nothing computes with something else than the expression holds in it without compile."""
    read, kept = plain.get("values", {}).get(number, ()), compiled.get("values", {}).get(number, ())
    for at, call, value in read:
        before = [held for other, earlier, held in kept if other == at and earlier <= call]
        traced = any(other == at and earlier == call for other, earlier, _ in kept)
        if before and not traced and not any(_leaks(held) or same(held, value) for held in before):
            return True
    return False


def _deeds(plain: Mapping[str, Any], compiled: Mapping[str, Any]) -> Iterator[Deed]:
    if "signal" in compiled:
        yield Deed(f"crashed with signal {compiled['signal']}", SHAPELESS | {"MX211"})
        return
    raised = compiled["raised"]
    if raised:
        yield _raised(raised["message"], raised["type"], [(str(name), int(row)) for name, row in raised["frames"]])
    yield from _unseen(plain, compiled)
    for name, runs, calls in compiled["bodies"]:
        if runs >= MANY:
            yield Deed(f"the body of {name} runs {runs} times in {calls} calls", RECOMPILATION | {"MX211", "MX507"})
    for number, (right, real) in enumerate(zip(plain["results"], compiled["results"])):
        if not same(right, real):
            codes = STATE | SHAPELESS | {"MX503", "MX505", "MX506", "MX507"}
            left = {"MX208"} if _leaks(real) else frozenset()
            yield Deed(f"call {number + 1} gives {shown(real)} instead of {shown(right)}", codes | left)
            return
    given, right = len(compiled["results"]), len(plain["results"])
    if not raised and given < right:  # the program catches what is raised
        yield Deed(f"{given} calls give something instead of {right}", EVALUATION | STATE | SHAPELESS | SIGNATURE | {"MX208"})
    for name in compiled.get("leaks", ()):
        yield Deed(f"{name} holds a placeholder for a while", STATE | {"MX503"}, soft=True)
    for right, real in zip(plain["numbers"], compiled["numbers"]):
        for name in right:
            if not same(right[name], real.get(name)):
                yield Deed(f"{name} is {real.get(name)} instead of {right[name]} for a while", STATE, soft=True)
                break
    if not raised:
        for name, value in plain["globals"].items():
            if not same(value, compiled["globals"].get(name)):
                real = compiled["globals"].get(name)
                soft = not _leaks(real)
                yield Deed(
                    f"{name} is {shown(real)} instead of {shown(value)}",
                    STATE | SHAPELESS | {"MX503", "MX505", "MX506", "MX507"},
                    soft=soft,
                )


def _unseen(plain: Mapping[str, Any], compiled: Mapping[str, Any]) -> Iterator[Deed]:
    """What no result shows: exceptions that the program catches itself, arguments that are left as they were, random numbers that are drawn again."""
    expected = [tuple(error) for error in plain["caught"]]
    raised = (compiled["raised"] or {}).get("message")
    for kind, message, name, row in compiled["caught"]:
        if (kind, message, name, row) not in expected and message != raised:
            yield replace(_raised(message, kind, [(name, row)]), soft=True)
    for what, codes in (("arguments", frozenset({"MX207", "MX202"})), ("states", frozenset({"MX202", "MX203", "MX204", "MX205"}))):
        for number, (right, real) in enumerate(zip(plain[what], compiled[what])):
            if not same(right, real):
                yield Deed(f"{what} of call {number + 1} differ", codes, soft=True)
                break


def _raised(message: str, kind: str, frames: list[tuple[str, int]]) -> Deed:
    what = f"{kind}: {message.splitlines()[0] if message else ''} at {frames[-1:]}"
    if "during function transformations" in message or "inside a graph transformation" in message:
        return Deed(what, EVALUATION, frames[-1], raised=True)
    if "without a primitive" in message or "evaled arrays" in message:
        return Deed(what, STATE | {"MX208", "MX503", "MX507"}, raised=True)
    if "uncaptured inputs" in message:
        return Deed(what, frozenset({"MX205", "MX212", "MX204", "MX202", "MX203"}), raised=True)
    if "trees of arrays or constants" in message:
        return Deed(what, frozenset({"MX502"}), raised=True)
    if "cannot infer output shapes" in message:
        return Deed(what, SHAPELESS | {"MX203"}, raised=True)
    return Deed(what, SHAPELESS | SIGNATURE | {"MX207", "MX211", "MX205"}, raised=True)


def _missed(deeds: Iterable[Deed], findings: Sequence[Finding]) -> Iterator[Disagreement]:
    for deed in deeds:
        if deed.soft:
            continue
        accepted = [item for item in findings if item.code in deed.codes]
        if not accepted:
            yield Disagreement("miss", deed.what)
        elif deed.place is not None and not any(_covers(item, deed.place) for item in accepted):
            yield Disagreement("wrong line", f"{deed.what}; found {_where(accepted)}")


def _false(deeds: Sequence[Deed], compiled: Mapping[str, Any], findings: Sequence[Finding]) -> Iterator[Disagreement]:
    raised = compiled.get("raised") or any(deed.soft and deed.raised for deed in deeds)
    for item in findings:
        if item.conditions:
            continue  # it says itself when it does not happen
        if item.code in EVALUATION:
            if any(deed.place is not None and _covers(item, deed.place) for deed in deeds):
                continue
            # What comes after an exception nobody knows.
            ran = "signal" not in compiled and any(_covers(item, (name, row)) for name, row in compiled["lines"])
            if not raised or ran:
                yield Disagreement("false alarm", f"{item.code} at {_where([item])} {'runs' if ran else 'is not reached'}", item.code)
        elif item.code in RECOMPILATION:
            if (
                not raised
                and "signal" not in compiled
                and all(runs <= (1 if item.code in ONCE else FEW) for _, runs, _ in compiled["bodies"])
            ):
                yield Disagreement("false alarm", f"{item.code} at {_where([item])}: few traces {compiled['bodies']}", item.code)
        elif (
            item.code in ALWAYS
            or item.code == "MX211"
            and any(runs > 1 for _, runs, _ in compiled.get("bodies", ()))
            or item.code in LATER
            and all(calls < FEW for _, _, calls in compiled.get("bodies", ()))
        ):
            continue
        elif "out of bounds" in item.note:
            continue  # what lies there may be right by chance, whatever fills it
        elif not raised and "signal" not in compiled and not any(item.code in deed.codes for deed in deeds):
            yield Disagreement("false alarm", f"{item.code} at {_where([item])}: all as without compile", item.code)


def _leaks(value: Any) -> bool:
    """Does it hold a placeholder? Another difference that no call shows (a counter, an argument that nobody reads again) may well be of no account."""
    if isinstance(value, dict):
        return "leak" in value or any(_leaks(item) for item in value.values())
    return isinstance(value, list) and any(_leaks(item) for item in value)


def _covers(item: Finding, place: tuple[str, int]) -> bool:
    return item.span.filename == place[0] and item.span.start.row <= place[1] <= item.span.end.row


def _where(findings: Iterable[Finding]) -> str:
    return ", ".join(f"{item.code} {item.span.filename}:{item.span.start.row}" for item in findings)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5) or math.isnan(a) and math.isnan(b)
    return bool(a == b)


def shown(value: Any) -> str:
    text = str(value)
    return text if len(text) < 100 else text[:97] + "…"
