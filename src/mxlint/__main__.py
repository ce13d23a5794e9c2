"""`python -m mxlint`."""

from __future__ import annotations

from mxlint.cli import main

if __name__ == "__main__":
    main(prog_name="mxlint")
