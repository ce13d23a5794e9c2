"""Calls of turns gone by, made once more: what a turn costs that brings nothing new.

A few turns stand for all, spread evenly, so that on average they do as much as all of them. MLX searches the traces of a function one by one, and one of
thousands is found late and is in no cache of the processor: a program without the pitfall has few, so here there are few.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

FEW = 4
"""So many turns stand for all."""
Call = tuple[tuple[Any, ...], dict[str, Any]]


class Replay:
    """What the turns from `first` on call, of which there are `turns`, and the calls that are made instead of those of later turns."""

    def __init__(self, first: int, turns: int) -> None:
        last, gaps = turns - 1, FEW - 1
        self.calls: dict[int, dict[Any, list[Call]]] = {first + last * part // gaps: defaultdict(list) for part in range(FEW)}
        self.chosen = list(self.calls)
        self.objects: dict[Any, Callable[..., Any]] = {}
        self.turn = first
        self.made: Counter[Any] = Counter()

    def record(self, turn: int, made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep a call of the compiled object `made`, if its turn is one that stands for others."""
        if turn in self.calls:
            self.calls[turn][made].append((args, kwargs))

    def trace(self, settled: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]) -> None:
        """Make all calls that were kept, each of a second compiled object that has these alone to search."""
        for calls in self.calls.values():
            for made, given in calls.items():
                if made not in self.objects:
                    self.objects[made] = made.another()
                for args, kwargs in given:
                    settled(self.objects[made], args, kwargs)

    def instead(self, turn: int, made: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
        """The call that stands for the next one of `made` in that turn; None where no turn that was kept has called it."""
        if turn != self.turn:
            self.turn = turn
            self.made.clear()
        given = self.calls[self.chosen[turn % len(self.chosen)]].get(made)
        if not given:
            return None
        args, kwargs = given[self.made[made] % len(given)]
        self.made[made] += 1
        return self.objects[made], args, kwargs
