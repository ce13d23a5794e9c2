"""All rules, in the order of their codes: each file mxNNN.py of this folder holds one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from mxlint.rules.rule import Rule

RULES: tuple[Rule, ...] = tuple(
    import_module(f"mxlint.rules.{path.stem}").RULE for path in sorted(Path(__file__).parent.glob("mx[0-9][0-9][0-9].py"))
)
