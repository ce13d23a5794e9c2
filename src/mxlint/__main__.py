"""`mxlint`, and `python -m mxlint`."""

from __future__ import annotations

import gc

from mxlint.cli import main


def run() -> None:
    """The command, without Python's cycle collector: it would look through all that was made when there is nothing left to do but end."""
    gc.disable()
    main(prog_name="mxlint")


if __name__ == "__main__":
    run()
