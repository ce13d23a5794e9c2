"""What a variant of the program asks in place of the flagged expression and of its parts.

Under mx.compile: is this a constant of the trace? Without it: the value that it would have as one, or what it gives compiled by itself.
"""

from __future__ import annotations

import builtins
import copy
import itertools
import threading
from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map

from . import observe, standins, values

nn = standins.nn

MOST_COMPARED = 8
_seed = mx.random.seed


class Probes:
    """`wholes`: the numbers of the flagged expressions themselves; `hold`: those of the parts that keep the value of the trace; `live`: of which the
    arrays do not; `traced_calls`: the calls that were traced where the program ran compiled; `draws`: whether the random numbers of the expressions are
    the same in each call ("again"), or others ("fresh")."""

    def __init__(
        self,
        observer: observe.Observer,
        wholes: frozenset[int],
        hold: frozenset[int],
        live: frozenset[int],
        traced_calls: frozenset[int],
        draws: str | None,
    ) -> None:
        self.wholes = wholes
        self.observer, self.hold, self.live, self.traced_calls, self.draws = observer, hold, live, traced_calls, draws
        self.held_count = 0
        self.seen: dict[int, dict[str, bool]] = {}
        self.compared: list[dict[str, Any]] = []
        self.reads: dict[tuple[Any, str, int], tuple[int, list[Callable[[], Any] | None]]] = {}
        self.undo: list[Callable[[], Any]] = []
        self.compiled: dict[str, Any] = {}
        self.count = itertools.count()

    def install(self) -> None:
        self.observer.over = self.over
        vars(builtins).update(__mxlint_held__=self.held, __mxlint_alone__=self.alone, __mxlint_blank__=blank)
        vars(builtins).update(__mxlint_detached__=self.detached, __mxlint_tied__=tied)

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
        """Note whether a value is a constant of the trace, and whether the key of the generator is. Of a module all but the arrays is."""
        known = self.seen.setdefault(number, {"constant": True, "key": True, "live": False})
        known["key"] &= "leak" not in values.seen(mx.random.state[0])  # type: ignore[index]
        value = evaluate()
        found: list[str] = []
        values.leaks(value, "", found, set())
        known["live"] |= bool(found)
        known["constant"] &= isinstance(value, nn.Module) or not found and (number in self.wholes or values.copied(value) is not None)
        return value

    def kept(self, number: int, evaluate: Callable[[], Any]) -> Any:
        """The value that a part had when such a call was last traced, where the program ran compiled."""
        made, entry = self.observer.stack[-1]
        signature = str(values.without_shapes(entry["key"]) if made.options["shapeless"] else entry["key"])
        key, other = (made.number, signature, number), (str(made.code), signature, number)
        if key not in self.reads and other in self.reads and len(self.observer.calls) - 1 not in self.traced_calls:
            self.reads[key] = self.reads[other]  # another object of the same function has the same trace
        call = len(self.observer.calls)
        if key not in self.reads or call - 1 in self.traced_calls and self.reads[key][0] != call:
            self.reads[key] = self.reads[other] = call, []
        at, known = self.reads[key]
        if at == call:
            value = evaluate()
            known.append(self.record(number, value))
            return value
        turns = entry.setdefault("held", {})
        turns[number] = turns.get(number, -1) + 1
        held = known[turns[number]] if turns[number] < len(known) else None
        if held is None:
            return evaluate()
        self.held_count += 1
        return held()

    def record(self, number: int, value: Any) -> Callable[[], Any] | None:
        """How to get the value as it is now, later on."""
        if isinstance(value, nn.Module):
            before = _states(value, number not in self.live)

            def module() -> Any:
                self.undo.append(_states(value, number not in self.live))
                before()
                return value

            return module
        copied = values.copied(value)
        if copied is not None:
            return lambda: copied[0]
        return (lambda: value) if number in self.wholes and not hasattr(value, "__next__") else None

    def over(self) -> None:
        """The call of a compiled function is over: modules are again as they are."""
        while self.undo:
            self.undo.pop()()

    def drawn(self, number: int, evaluate: Callable[[], Any]) -> Any:
        """The value with random numbers of its own; what is drawn later does not depend on them."""
        if number not in self.wholes:
            return evaluate()
        entry = self.observer.stack[-1][1]
        turns = entry.setdefault("held", {})
        turns[0] = turns.get(0, -1) + 1
        count = next(self.count)
        _seed(10_000 + (turns[0] if self.draws == "again" else count))
        before = self.observer.key()
        value = evaluate()
        known = self.seen.setdefault(number, {"drew": False})
        known["drew"] |= before != self.observer.key()
        _seed(5_000_000 + count)
        return value

    def detached(self, value: Any, whole: bool) -> Any:
        """In a trace, another array with the same values for one that has any; `whole`: for those in a module or a container, too."""
        observer = self.observer
        if not observer.compiled or not observer.stack or observer.paused or threading.get_ident() != observer.main_thread:
            return value
        if isinstance(value, mx.array):
            return _evaluated_copy(value)
        if whole and isinstance(value, nn.Module):
            other = copy.deepcopy(value)
            other.update(tree_map(_evaluated_copy, value.parameters()))
            return other
        return values.with_arrays(value, map(_evaluated_copy, values.arrays(value))) if whole else value

    def alone(self, fun: Callable[..., Any], *given: Any) -> Any:
        """The value of the expression, compared with what it gives compiled by itself with shapeless=True."""
        value = fun(*given)
        observer = self.observer
        if not observer.stack or observer.paused or observer.compiled or len(self.compared) >= MOST_COMPARED:
            return value
        made = observer.stack[-1][0]
        if not made.options["shapeless"]:
            return value
        arguments = list(given)
        leaves = values.arrays(arguments)
        mx.eval(leaves)
        observer.compute(made, made.function)
        key = str([made.number, values.without_shapes(values.signature(arguments))])
        if key not in self.compiled:
            self.compiled[key] = observe.real_compile(lambda *arrays: fun(*values.with_arrays(arguments, iter(arrays))), shapeless=True)
        entry = {"of": key, "shapes": [list(leaf.shape) for leaf in leaves], "plain": values.seen(value)}
        try:
            entry["compiled"] = values.seen(self.compiled[key](*leaves))
        except Exception as error:  # noqa: BLE001 - whatever it raises is an observation
            entry["error"] = f"{type(error).__name__}: {observe.first_line(error)}"
        self.compared.append(entry)
        return value


def _states(module: Any, arrays: bool) -> Callable[[], None]:
    """A way to give a module, and all modules in it, what they hold now; of `arrays` too."""
    kept = []
    for part in [module, *(inner for _, inner in module.named_modules())]:
        items = {name: value for name, value in part.items() if arrays or not isinstance(value, mx.array)}
        lists = [(value, list(value)) for value in items.values() if isinstance(value, list)]
        fields = {name: set(value) if isinstance(value, set) else value for name, value in vars(part).items()}
        kept.append((part, items, lists, fields))

    def restore() -> None:
        for part, items, lists, fields in kept:
            for name in [name for name, value in part.items() if name not in items and (arrays or not isinstance(value, mx.array))]:
                dict.__delitem__(part, name)
            dict.update(part, items)
            vars(part).update(fields)
            for value, content in lists:
                value[:] = content

    return restore


def _evaluated_copy(array: mx.array) -> mx.array:
    """Another array with the same values; a placeholder has none and stays what it is."""
    try:
        other = mx.array(array)
        mx.eval(other)
    except Exception:  # noqa: BLE001 - MLX raises several kinds
        return array
    return other


def tied(value: Any, *taken: Any) -> Any:
    """Zeros for the arrays of a value, computed from what it takes and from nothing else."""
    rest = mx.zeros(())
    for part in values.arrays(list(taken)):
        rest = rest + mx.sum(mx.zeros_like(part) * part).astype(mx.float32)
    return values.with_arrays(value, iter([mx.zeros(leaf.shape, leaf.dtype) + rest.astype(leaf.dtype) for leaf in values.arrays(value)]))


def blank(value: Any) -> Any:
    """Zeros that nothing is computed from, any more, for an array; for a module a copy that holds such."""
    if isinstance(value, mx.array):
        zeros = mx.zeros(value.shape, value.dtype)
        mx.eval(zeros)
        return zeros
    if isinstance(value, nn.Module):
        value = copy.deepcopy(value)
        value.update(tree_map(blank, value.parameters()))
    return value
