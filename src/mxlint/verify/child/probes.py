"""What a variant of the program asks in place of the flagged expression and of its parts.

Under mx.compile: is this a constant of the trace? Without it: the value that it would have as one, or what it gives compiled by itself.
"""

from __future__ import annotations

import builtins
import itertools
import threading
from collections.abc import Callable
from typing import Any

import mlx.core as mx

from . import observe, values

MOST_COMPARED = 8
_seed = mx.random.seed


class Probes:
    """`hold`: the numbers of the parts that keep the value of the trace; `traced_calls`: the calls that were traced where the program ran
    compiled; `draws`: whether the random numbers of the expression are the same in each call ("again"), or others ("fresh")."""

    def __init__(self, observer: observe.Observer, hold: frozenset[int], traced_calls: frozenset[int], draws: str | None) -> None:
        self.observer, self.hold, self.traced_calls, self.draws = observer, hold, traced_calls, draws
        self.held_count = 0
        self.seen: dict[int, dict[str, bool]] = {}
        self.compared: list[dict[str, Any]] = []
        self.reads: dict[tuple[int, str, int], tuple[int, list[tuple[Any] | None]]] = {}
        self.compiled: dict[str, Any] = {}
        self.count = itertools.count()

    def install(self) -> None:
        vars(builtins).update(__mxlint_held__=self.held, __mxlint_alone__=self.alone, __mxlint_blank__=blank)

    def held(self, number: int, evaluate: Callable[[], Any]) -> Any:
        """The value of a part. Outside of calls of compiled functions it is always its own."""
        observer = self.observer
        if not observer.stack or observer.paused or threading.get_ident() != observer.main_thread:
            return evaluate()
        if observer.compiled:
            return self.looked_at(number, evaluate)
        if self.draws is not None:
            return self.drawn(number, evaluate)
        return self.kept(number, evaluate) if number in self.hold else evaluate()

    def looked_at(self, number: int, evaluate: Callable[[], Any]) -> Any:
        """Note whether a value is a constant of the trace, and whether the key of the generator is."""
        known = self.seen.setdefault(number, {"constant": True, "key": True})
        known["key"] &= "leak" not in values.seen(mx.random.state[0])  # type: ignore[index]
        value = evaluate()
        found: list[str] = []
        values.leaks(value, "", found, set())
        known["constant"] &= not found and values.copied(value) is not None
        return value

    def kept(self, number: int, evaluate: Callable[[], Any]) -> Any:
        """The value that a part had when such a call was last traced, where the program ran compiled."""
        made, entry = self.observer.stack[-1]
        key = made.number, str(values.without_shapes(entry["key"]) if made.options["shapeless"] else entry["key"]), number
        call = len(self.observer.calls)
        if key not in self.reads or call - 1 in self.traced_calls and self.reads[key][0] != call:
            self.reads[key] = call, []
        at, known = self.reads[key]
        if at == call:
            value = evaluate()
            known.append(values.copied(value))
            return value
        turns = entry.setdefault("held", {})
        turns[number] = turns.get(number, -1) + 1
        held = known[turns[number]] if turns[number] < len(known) else None
        if held is None:
            return evaluate()
        self.held_count += 1
        return held[0]

    def drawn(self, number: int, evaluate: Callable[[], Any]) -> Any:
        """The value with random numbers of its own; what is drawn later does not depend on them."""
        if number:
            return evaluate()
        entry = self.observer.stack[-1][1]
        turns = entry.setdefault("held", {})
        turns[0] = turns.get(0, -1) + 1
        count = next(self.count)
        _seed(10_000 + (turns[0] if self.draws == "again" else count))
        before = self.observer.key()
        value = evaluate()
        known = self.seen.setdefault(0, {"drew": False})
        known["drew"] |= before != self.observer.key()
        _seed(5_000_000 + count)
        return value

    def alone(self, fun: Callable[..., Any], *given: Any) -> Any:
        """The value of the expression, compared with what it gives compiled by itself with shapeless=True."""
        value = fun(*given)
        observer = self.observer
        if not observer.stack or observer.paused or observer.compiled or len(self.compared) >= MOST_COMPARED:
            return value
        made, entry = observer.stack[-1]
        if not made.options["shapeless"]:
            return value
        arguments = list(given)
        leaves = values.arrays(arguments)
        mx.eval(leaves)
        observer.compute(made, made.function)
        key = str([made.number, values.without_shapes(values.signature(arguments))])
        if key not in self.compiled:
            self.compiled[key] = observe.real_compile(lambda *arrays: fun(*values.with_arrays(arguments, iter(arrays))), shapeless=True)
        told = {"of": key, "shapes": [list(leaf.shape) for leaf in leaves], "plain": values.seen(value)}
        try:
            told["compiled"] = values.seen(self.compiled[key](*leaves))
        except Exception as error:  # noqa: BLE001 - whatever it raises is an observation
            told["error"] = f"{type(error).__name__}: {observe.first_line(error)}"
        self.compared.append(told)
        return value


def blank(value: Any) -> Any:
    """Zeros that nothing is computed from, for an array."""
    return mx.zeros(value.shape, value.dtype) if isinstance(value, mx.array) else value
