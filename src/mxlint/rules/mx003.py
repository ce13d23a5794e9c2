"""MX003 syntax-error: faults.py finds it."""

from __future__ import annotations

from mxlint.rules.rule import Rule

RULE = Rule("MX003", "syntax-error", "error")
