"""Which kind of device an experiment ran on."""

from __future__ import annotations

from mxlint.verify.child.guard import has_cuda


def kind(device: str) -> str:
    """`cpu`, `cuda` or `metal`, from what a child says of its default device: `gpu (its name)`."""
    return "cpu" if device.startswith("cpu") else "cuda" if has_cuda() else "metal"
