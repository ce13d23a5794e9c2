"""Which rules exist: code, name, severity, family. The pages in rules/ say the rest, and a test holds both equal."""

from __future__ import annotations

from dataclasses import dataclass

from mxlint.finding import Severity

FAMILIES: dict[str, str] = {
    "MX0": "run",
    "MX1": "evaluation",
    "MX2": "state",
    "MX3": "recompilation",
    "MX4": "shapeless",
    "MX5": "signature",
    "MX6": "advice",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """The identity of a rule. `severity` is the one it has unless a finding says otherwise."""

    code: str
    name: str
    severity: Severity

    @property
    def family(self) -> str:
        return FAMILIES[self.code[:3]]

    @property
    def page(self) -> str:
        """The file name of the rule's page inside rules/."""
        return f"{self.code}-{self.name}.md"


_ALL = (
    Rule("MX001", "unused-suppression", "warning"),
    Rule("MX002", "unknown-rule", "warning"),
    Rule("MX003", "syntax-error", "error"),
    Rule("MX004", "internal-error", "error"),
    Rule("MX101", "print-traced-array", "error"),
    Rule("MX102", "eval-in-compiled", "error"),
    Rule("MX103", "host-conversion", "error"),
    Rule("MX104", "array-condition", "error"),
    Rule("MX105", "array-as-python-index", "error"),
    Rule("MX201", "uncaptured-read", "warning"),
    Rule("MX202", "uncaptured-write", "error"),
    Rule("MX203", "uncaptured-random-state", "error"),
    Rule("MX204", "half-captured-state", "error"),
    Rule("MX205", "dead-capture", "error"),
    Rule("MX206", "frozen-call", "warning"),
    Rule("MX207", "lost-mutation", "error"),
    Rule("MX208", "raise-with-captures", "warning"),
    Rule("MX209", "frozen-python-state", "warning"),
    Rule("MX210", "lazy-capture", "warning"),
    Rule("MX211", "growing-capture", "warning"),
    Rule("MX212", "aliased-capture", "error"),
    Rule("MX301", "compile-in-loop", "warning"),
    Rule("MX302", "compile-per-call", "warning"),
    Rule("MX303", "varying-scalar-argument", "warning"),
    Rule("MX304", "varying-shape", "warning"),
    Rule("MX305", "transform-of-compiled", "warning"),
    Rule("MX306", "compile-used-once", "info"),
    Rule("MX401", "baked-shape", "error"),
    Rule("MX402", "shape-condition", "error"),
    Rule("MX403", "shapeless-unsupported-op", "error"),
    Rule("MX404", "shapeless-unsafe-op", "error"),
    Rule("MX501", "compiled-method", "error"),
    Rule("MX502", "unsupported-argument", "error"),
    Rule("MX503", "untracked-return", "error"),
    Rule("MX504", "missing-return", "warning"),
    Rule("MX505", "not-a-function", "error"),
    Rule("MX506", "ambiguous-argument", "warning"),
    Rule("MX507", "compile-without-effect", "warning"),
    Rule("MX601", "nothing-to-fuse", "info"),
    Rule("MX602", "nested-compile", "info"),
    Rule("MX603", "timing-without-eval", "warning"),
    Rule("MX604", "compile-disabled", "warning"),
    Rule("MX605", "shape-dependent-kernel", "warning"),
    Rule("MX606", "compiled-across-threads", "error"),
)

RULES: dict[str, Rule] = {rule.code: rule for rule in _ALL}
BY_NAME: dict[str, Rule] = {rule.name: rule for rule in _ALL}
