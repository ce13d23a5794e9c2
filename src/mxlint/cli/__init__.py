"""The command line. Nothing heavy is imported before it is needed: a hook that finds nothing to do must cost next to nothing."""

from mxlint.cli.group import main

__all__ = ["main"]
