"""What a rule is: all that other parts of the program know of it stands in its own file, in one record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mxlint.finding import Applicability, Finding, Severity

if TYPE_CHECKING:
    from mxlint.rules.program import Program


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its identity, its check, and what others must know of it. Its page in rules/ says the rest; tests hold both equal.

    `severity`: that of what must happen; a finding that depends on conditions has a lower one. `check` turns the facts of a run into findings;
    None: it is about the run itself, and found there.

    *Precedence.* `after`: codes that speak first on the same expression or, with `after_around`, on one that begins where it does (`self.log` and
    `self.log.append(x)`) or, with `after_in_object`, for the same compiled object: where one of them is found, this rule is silent.

    *Exports.* `exports`: it speaks of functions that are exported to files, too.

    *Calls.* `by_arguments`: the arguments of calls decide, so that a finding in a file without a call gives way to calls in another one.

    *Fixes.* `fixes`: what its fix is, the best first; empty: it has none. One for display is shown where the code needs more changes than the fix
    makes. `cost_only`: it costs time or memory and changes no result: a fix of wrong behaviour may uncover such a finding, it does not make one.

    *Experiments.* `experiment`: the name of the protocol (verify/protocols/table.py) that says what has to be seen when the program is run under
    MLX; None: a run decides nothing.
    """

    code: str
    name: str
    severity: Severity
    check: Callable[[Program], Iterator[Finding]] | None = None
    after: tuple[str, ...] = ()
    after_around: tuple[str, ...] = ()
    after_in_object: tuple[str, ...] = ()
    exports: bool = False
    by_arguments: bool = False
    fixes: tuple[Applicability, ...] = ()
    cost_only: bool = False
    experiment: str | None = None
