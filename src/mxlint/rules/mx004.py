"""MX004 internal-error: faults.py finds it."""

from __future__ import annotations

from mxlint.rules.rule import Rule

RULE = Rule("MX004", "internal-error", "error")
