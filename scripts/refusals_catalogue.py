"""What MLX asks of arguments beside what the shapes of results say: the statements that `measure_refusals.py` proves.

An expression makes something of each call that MLX takes, in the language of shapes. `{0}` is the name of the first parameter, `{1}` of the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from result_samples import Call, Sampler, Sampling, on
from results_catalogue import names_of
from results_methods import LOSSES, A, C, indexed

TAKES: dict[str, str] = {name: "alike({0}, {1})" for name in names_of(LOSSES + "mse_loss l1_loss smooth_l1_loss")}
"""By the name of a function."""
TAKES |= dict.fromkeys(
    names_of(LOSSES + "hinge_loss huber_loss log_cosh_loss cosine_similarity_loss binary_cross_entropy kl_div_loss"), "broadcast({0}, {1})"
)
TAKES |= dict.fromkeys(names_of(LOSSES + "gaussian_nll_loss margin_ranking_loss"), "broadcast({0}, {1})")
TAKES[f"{LOSSES[:-1]}cross_entropy"] = "alike(targets, logits if rank(targets) == rank(logits) else reduce(logits, axis))"
TAKES |= dict.fromkeys((f"{C[:-1]}topk", f"{A}topk"), "provided(axis is None or k <= length(a, axis))")
TAKES[f"{C[:-1]}allclose"] = "broadcast(a, b)"


class Method(NamedTuple):
    """What has no result of its own: the function that does it, samples, parameters, and what MLX asks of these."""

    function: Callable[..., Any]
    sample: Sampler
    parameters: str
    takes: str


def _put(a: Any, key: Any, value: Any) -> None:
    a[key] = value


def _slot(g: Sampling) -> tuple[Any, Any]:
    """An array and a key that fits it."""
    while True:
        (a, key), _ = indexed(g)
        try:
            a[key]
        except ValueError:
            continue
        return a, key


def _filled(g: Sampling, slot: tuple[Any, Any]) -> Call:
    a, key = slot
    shape = a[key].shape
    value = g.operand(shape) if g.chance(0.3) else g.array([1] * g.int(0, 1) + [1 if g.chance(0.2) else n for n in shape])
    return [a, key, value], {}


OTHERS: dict[str, Method] = {
    f"{A}__setitem__": Method(_put, on(_slot, _filled), "a, key, value", "filled(index(a, key), value)"),
    f"{A}at": Method(lambda a, key, value: a.at[key].add(value), on(_slot, _filled), "a, key, value", "filled(index(a, key), value)"),
}
"""By name."""
