"""`check --watch`: a run, and another one whenever something that it read has changed.

The files are asked for their times and sizes twice a second. That takes a millisecond for a thousand files, needs no library, no limited watches of the system
and no events, which network drives and containers do not send; and it is about exactly what a run read, wherever that lies.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import monotonic, sleep, time_ns
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mxlint.cli.failure import Failure
from mxlint.cli.output import say
from mxlint.cli.settings import settings_of

if TYPE_CHECKING:
    from mxlint.result import Result

BEAT_S = 0.5
"""Seconds between two looks at the files that are known."""
WALK_SHARE = 0.05
"""The share of the time that may go into looking for new files."""
_SETTLED_S = 0.1

State = dict[str, tuple[int, int, int] | None]
"""Of each path, what changes when the file does; None if there is none."""


def watch(options: dict[str, Any], run: Callable[[dict[str, Any]], tuple[int, Result | None]]) -> NoReturn:
    """Run again and again, until a signal ends it. What a run cannot do is said, and tried again when something has changed."""
    gc.enable()  # this process does not end soon
    quiet, imported = options["quiet"], frozenset[str]()
    while True:
        click.clear()  # does nothing but at a terminal
        started, before = time_ns(), _state(_paths(options, imported))
        try:
            code, result = run(options)
        except click.ClickException as error:
            error.show()
        else:
            if code >= 128:  # a signal, while it verified
                raise SystemExit(code)
            if result is not None:
                imported = result.imported
        for path, stamp in _state(imported - before.keys()).items():
            before[path] = (
                stamp if stamp is not None and stamp[0] < started else None
            )  # one that changed since may have been read before that
        if not quiet:
            say(f"Watching {len(before)} paths; Ctrl-C ends it")
        changed = _next_change(options, imported, before)
        if not quiet:
            say(f"{_named(changed)} changed")


def _next_change(options: dict[str, Any], imported: frozenset[str], state: State) -> list[str]:
    """Wait until something is not as `state` says; what that is."""
    walk_again = monotonic()
    while True:
        paths: Iterable[str] = state
        if monotonic() >= walk_again:
            started = monotonic()
            paths = {*_paths(options, imported), *state}
            walk_again = monotonic() + (monotonic() - started) / WALK_SHARE
        now = _state(paths)
        if changed := sorted(path for path in now if now[path] != state.get(path)):
            sleep(_SETTLED_S)  # who saves a file may save more of them
            return changed
        sleep(BEAT_S)


def _state(paths: Iterable[str]) -> State:
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _paths(options: dict[str, Any], imported: Iterable[str]) -> set[str]:
    """What a run reads: the files to check, those that they import, and settings, requirements and ignored patterns in their folders and above."""
    from mxlint.config import ConfigError, Configs
    from mxlint.discover import discover

    cwd = Path.cwd()
    found = {os.path.abspath(path) for path in options["paths"] or (".",) if not os.path.isdir(path)}
    try:
        configs = Configs(settings_of(options), cwd)
        files, _ = discover(options["paths"] or (".",), configs, cwd, options["force_exclude"])
        found |= {file.at for file in files}
        found |= {str(config.file) for config in {id(file.config): file.config for file in files}.values() if config.file is not None}
    except (ConfigError, Failure):  # the file with what is wrong is one of those that are asked for below
        pass
    found |= {os.path.abspath(text) for text in options["config"] if os.path.isfile(text)}
    if options["baseline"]:
        found.add(os.path.abspath(options["baseline"]))
    folders = {Path(path).parent for path in (*found, *imported)} | {cwd}
    return found | set(_beside(folders))


def _beside(folders: Iterable[Path]) -> Iterator[str]:
    """What decides about the files of folders, there or above."""
    from mxlint.versions import DECIDING

    for folder in {above for below in folders for above in (below, *below.parents)}:
        yield from (str(folder / name) for name in (*DECIDING, ".gitignore"))
        yield from map(str, folder.glob("requirements*.txt"))


def _named(paths: list[str]) -> str:
    first = os.path.relpath(paths[0])
    return f"{first} and {len(paths) - 1} more" if len(paths) > 1 else first
