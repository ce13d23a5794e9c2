"""mxlint: static analysis for the compile pitfalls of Apple's MLX.

`mxlint.check` is the command in Python; docs/api.md describes it. What is behind it is imported when it is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; importing it from typing is most of what this module would cost
if TYPE_CHECKING:
    from mxlint.api import Edit, Finding, Fix, Place, Problem, Related, Result, check, check_source
    from mxlint.baseline import BaselineError
    from mxlint.config import ConfigError
    from mxlint.finding import Position

__version__ = "0.1.0"

__all__ = [
    "BaselineError",
    "ConfigError",
    "Edit",
    "Finding",
    "Fix",
    "Place",
    "Position",
    "Problem",
    "Related",
    "Result",
    "__version__",
    "check",
    "check_source",
]

_MODULES = {"BaselineError": "mxlint.baseline", "ConfigError": "mxlint.config", "Position": "mxlint.finding"}
"""Where a name comes from, where that is not `mxlint.api`."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES.get(name, "mxlint.api")), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
