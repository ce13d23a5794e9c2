"""How far a run is, at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

PATIENCE = 1.0  # seconds before a run at a terminal shows how far it is


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Callable[..., None] | None]:
    """A progress bar on stderr for each stage: only at a terminal, and only on runs that last."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from time import monotonic

    start = monotonic()
    bar = None

    def show(done: int, total: int, stage: str = "mxlint") -> None:
        nonlocal bar
        if monotonic() - start < PATIENCE:
            return
        if bar is None or bar.label != stage:
            if bar is not None:
                bar.render_finish()
            bar = click.progressbar(length=total, label=stage, file=sys.stderr)
        bar.update(done - bar.pos)
        bar.render_progress()  # before the first is done, too

    try:
        yield show
    finally:
        if bar is not None:
            bar.render_finish()
