"""A pool of worker threads at one bench."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from mxlint.verify.bench import Bench

T = TypeVar("T")
Progress = Callable[[int, int, str, str], None]
"""Called with how many are done, of how many, of what, and what is under way."""
TICK_S = 0.1


def run_in_pool(
    work: Sequence[Callable[[], T]], names: Sequence[str], workers: int, bench: Bench, stage: str, progress: Progress | None
) -> list[T]:
    """The results of all pieces of work, in their order, whichever was ready first. Each is done by one worker, in its turn at the bench. `names`: what
    people call them."""

    def done(piece: Callable[[], T]) -> T:
        with bench.turn:
            return piece()

    with ThreadPoolExecutor(max(workers, 1), "mxlint-verify") as pool:
        try:
            under_way = [pool.submit(done, piece) for piece in work]
            while waiting := wait(under_way, TICK_S).not_done:
                if progress is not None:
                    running = (name for name, future in zip(names, under_way) if future.running())
                    progress(len(work) - len(waiting), len(work), stage, ", ".join(running))
        except BaseException:
            bench.place.stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    if progress is not None and work:
        progress(len(work), len(work), stage, "")
    return [future.result() for future in under_way]
