"""Findings put to the test."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mxlint.cli.cores import cores
from mxlint.cli.failure import Failure
from mxlint.cli.output import say
from mxlint.cli.progress import progress_bar
from mxlint.cli.running import cache_folder

if TYPE_CHECKING:
    import threading

    from mxlint.finding import Finding
    from mxlint.result import Result


def verified(result: Result, options: dict[str, Any], only: tuple[Finding, ...] | None = None) -> tuple[Result, int | None]:
    """The run with its findings put to the test, and the exit code if it was interrupted."""
    from mxlint.signals import exit_code
    from mxlint.verify.bench import WALL_S
    from mxlint.verify.cache import cache_in
    from mxlint.verify.experiment import Options, verified
    from mxlint.verify.interpreter import InterpreterError, Interpreters

    python = Interpreters(result.python)
    try:
        for name in dict.fromkeys(finding.span.filename for finding in (result.findings if only is None else only)):
            chosen = python.of(name)
            if options.get("verbose"):
                say(f"verify: {name} with {chosen.executable}")
    except InterpreterError as error:
        raise Failure(str(error)) from None
    gc.enable()  # from here on the run is a long one
    keep = Path(options["verify_keep"]) if options["verify_keep"] else None
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Failure(f"--verify-keep: {keep}: {error.strerror or error}") from None
    cache = cache_in(folder) if (folder := cache_folder(options)) is not None else None
    with progress_bar(options["quiet"]) as progress, _stoppable() as (stop, received):
        how = Options(keep, options["verify_timeout"] or WALL_S, options["jobs"] or cores(), cache, progress, stop, python=python.of)
        result = verified(result, how, only)
    if received:
        say("Interrupted: what was not verified yet is inconclusive")
    if options["verbose"]:
        guards = dict.fromkeys(
            finding.verdict.guard for finding in result.findings if finding.verdict is not None and finding.verdict.guard
        )
        for guard in guards:
            say(f"contained by: {', '.join(guard)}")
    return result, exit_code(received[0]) if received else None


@contextmanager
def _stoppable() -> Iterator[tuple[threading.Event, list[int]]]:
    """An event that a signal to end sets while the run goes on, and the signals that came."""
    import signal
    import threading

    from mxlint.signals import replace_handlers

    stop, received = threading.Event(), list[int]()

    def ask(number: int, frame: object) -> None:
        received.append(number)
        stop.set()

    before = replace_handlers(ask)
    try:
        yield stop, received
    finally:
        for number, handler in before.items():  # the report must not be lost to a second one, which may come while Python ends
            signal.signal(number, signal.SIG_IGN if received else handler)
