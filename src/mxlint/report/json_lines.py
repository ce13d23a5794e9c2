"""JSON Lines: each finding as an object on a line of its own, the same as in JSON's `diagnostics`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mxlint.report.ascii import dumped
from mxlint.report.json import diagnostics
from mxlint.report.style import Style

if TYPE_CHECKING:
    from mxlint.result import Result


def render(result: Result, style: Style) -> str:
    """A line a finding; nothing where there is none."""
    return "".join(dumped(diagnostic, indent=None) for diagnostic in diagnostics(result))
