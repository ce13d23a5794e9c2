"""MX001 unused-suppression: suppressions.py finds it."""

from __future__ import annotations

from mxlint.rules.rule import Rule

RULE = Rule("MX001", "unused-suppression", "warning", fixes=("safe",))
