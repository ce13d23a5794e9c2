"""`mxlint`, and `python -m mxlint`."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path


def run() -> None:
    """The command, without Python's cycle collector: it would look through all that was made when there is nothing left to do but end."""
    from mxlint.signals import end_at_once

    end_at_once()
    import gc

    try:
        from mxlint.cli import main
    except Exception as error:  # noqa: BLE001 an exit code of 1 would say that something was found
        sys.stderr.write(f"Error: mxlint cannot start: {type(error).__name__}: {error}\n")
        sys.exit(2)
    gc.disable()
    main(prog_name="mxlint")


if __name__ == "__main__":
    # Python looks for modules in the working directory first: a project's own textwrap.py would be run in the place of the real one.
    with suppress(OSError):  # a working directory that is gone holds no modules, and what needs one says so
        here = Path.cwd().resolve()
        if sys.path and Path(sys.path[0] or ".").resolve() == here and here != Path(__file__).resolve().parents[1]:
            del sys.path[0]
    run()
