"""What a gradient of MLX's functions and layers goes back through, operand by operand, as measured by scripts/measure_gradients.py.

load_gradients("0.32.4").operand("mlx.core.matmul", "b")
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from mxlint.resources import resource

Raises = Literal["always", "some", "never"]
Sizes = tuple[Any, ...]
"""The lengths of axes: numbers, or what stands for them."""


@dataclass(frozen=True, slots=True)
class Operand:
    """The gradient by one operand. `back`: it depends on what is made of the result ("full"), is zeros, which go back through what the operand is computed
    from ("zeros"), or goes back nowhere ("ends"); None: no call showed that. `raises`: computing it raises at the first call of a shapeless trace though the operation does not;
    always, never, or for some calls ("some"), and `unless` one of some options is not left as it is; `along` and `mapped` say the same of what `mx.jvp` computes in its direction, and of `mx.vmap` along its first
    axis. `sums` names the axes that the operand is repeated along (`REPEATED`): its gradient sums over them.
    `fused`: the operation is fused with a broadcast of the operand, and broadcasts for itself; `broadcast`: it is one."""

    back: Literal["full", "zeros", "ends"] | None = None
    raises: Raises = "never"
    unless: tuple[str, ...] = ()
    along: Raises = "never"
    mapped: Raises = "never"
    sums: str = ""
    fused: bool = False
    broadcast: bool = False


def _stacked(own: Sizes, others: Sequence[Sizes], result: Sizes | None) -> tuple[Sizes, Sizes] | None:
    whole = together([own[:-2], *(other[:-2] for other in others)])
    return None if whole is None else (own[:-2], whole)


def _matrices(own: Sizes, others: Sequence[Sizes], result: Sizes | None) -> tuple[Sizes, Sizes] | None:
    return _stacked(own, others, result) if len(own) > 1 else None


def _as_all(own: Sizes, others: Sequence[Sizes], result: Sizes | None) -> tuple[Sizes, Sizes] | None:
    whole = together([own, *others])
    return None if whole is None else (own, whole)


REPEATED: Final[Mapping[str, Callable[[Sizes, Sequence[Sizes], Sizes | None], tuple[Sizes, Sizes] | None]]] = {
    "result": lambda own, others, result: None if result is None else (own, result),
    "operands": _as_all,
    "stack": _stacked,
    "matrices": _matrices,
}
"""By a word: the sizes of an operand that it is repeated from, and those that it is repeated to, by the shapes of the other operands and of the result;
None where they are not known."""


def together(shapes: Sequence[Sizes]) -> Sizes | None:
    """The shape that shapes are broadcast to; None where they do not fit."""
    rank = max(map(len, shapes), default=0)
    found = []
    for column in zip(*((1,) * (rank - len(shape)) + tuple(shape) for shape in shapes)):
        larger = [size for size in column if size != 1]
        if any(size != larger[0] for size in larger):
            return None
        found.append(larger[0] if larger else column[0])
    return tuple(found)


class Gradients:
    """The facts of one version."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[str, Mapping[str, Operand]]) -> None:
        self._entries = entries

    def operand(self, name: str, parameter: str) -> Operand | None:
        """The gradient by the operand at a parameter of a function or method, in a list there ("arrays[]"), or by a weight of a layer; None where it was not measured."""
        return self._entries.get(name, {}).get(parameter)

    def is_broadcast(self, name: str) -> bool:
        """Whether a function is a broadcast and nothing else."""
        return any(operand.broadcast for operand in self._entries.get(name, {}).values())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:3])


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads(resource("models", "mlx", "gradients.json").read_bytes())
    return data


@lru_cache(maxsize=8)
def load_gradients(version: str) -> Gradients:
    """The facts of the measured version that is nearest to one, from below if there is one."""
    data = _data()
    measured: Sequence[str] = data["versions"]
    used = next((one for one in reversed(measured) if _numbers(one) <= _numbers(version)), measured[0])
    words = data["operands"]
    entries = {}
    for name, operands in data["entries"].items():
        found = {parameter: numbers[measured.index(used)] for parameter, numbers in operands.items()}
        entries[name] = {parameter: Operand(**words[number]) for parameter, number in found.items() if number is not None}
    return Gradients(entries)
