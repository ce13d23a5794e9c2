"""MX002 unknown-rule: suppressions.py finds it."""

from __future__ import annotations

from mxlint.rules.rule import Rule

RULE = Rule("MX002", "unknown-rule", "warning")
