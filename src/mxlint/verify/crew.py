"""Several hands at one bench."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from mxlint.verify.bench import Bench

T = TypeVar("T")
Progress = Callable[[int, int, str], None]
"""Told how many are done, of how many, and of what."""
TICK_S = 0.1


def crew(work: Sequence[Callable[[], T]], hands: int, bench: Bench, stage: str, progress: Progress | None) -> list[T]:
    """The results of all pieces of work, in their order, whoever was ready first. Each is done by one hand, in its turn at the bench."""

    def done(piece: Callable[[], T]) -> T:
        with bench.turn:
            return piece()

    with ThreadPoolExecutor(max(hands, 1), "mxlint-verify") as pool:
        try:
            under_way = [pool.submit(done, piece) for piece in work]
            while waiting := wait(under_way, TICK_S).not_done:
                if progress is not None:
                    progress(len(work) - len(waiting), len(work), stage)
        except BaseException:
            bench.place.stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    if progress is not None and work:
        progress(len(work), len(work), stage)
    return [future.result() for future in under_way]
