"""Which function makes the fix that a remedy stands for, and whether it may be offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from typing import cast

from mxlint.finding import Finding, Fix
from mxlint.fixes import remedies
from mxlint.fixes.chosen import Chosen
from mxlint.fixes.early import reads_too_early
from mxlint.fixes.edits import EditError, by_file, fixed_sources, loses_comments
from mxlint.fixes.remedies import Either, Offer, Remedy
from mxlint.fixes.syntax import Sources
from mxlint.rules.registry import RULES

MAKERS: dict[type[Remedy], str] = {
    remedies.Hoist: "hoisting.hoist",
    remedies.Wrap: "arguments.wrap",
    remedies.CompileTransform: "captures.compile_transform",
    remedies.Evaluate: "evaluating.evaluate",
    remedies.Recapture: "captures.recapture",
    remedies.Refill: "captures.refill",
    remedies.Unbake: "sizes.unbake",
    remedies.Outside: "outside.outside",
    remedies.Argument: "passing.pass_argument",
    remedies.CompileBound: "methods.compile_bound",
    remedies.Return: "returning.return_last",
    remedies.CheckBefore: "checking.check_before",
}
"""The module of this package, and its function, that makes the fix. It is imported when a finding asks for it: LibCST alone takes 0.3 s."""
MOST_TRIES = 16
"""Times that one file is analysed again for its fixes; beyond them none is offered."""
MOST_MENDED = 32
"""Findings of one file that are offered a fix, the first ones: each is a pass over the file."""
MOST_TEXT = 200_000
"""Characters that are read again for the fixes of one file: its length for each analysis, and an eighth of it for each remedy that is looked into."""

Used = Callable[[str, bool], bool]
"""Whether another file uses a name of the file that is analysed; and whether as an attribute of any object."""
Again = Callable[[Sources], Iterable[Finding]]
"""The findings of the same analysis over the sources given in place of those of the same name."""


@dataclass(slots=True)
class _Budget:
    """What may still be done for the fixes of one file, whose `length` is given in characters."""

    length: int
    tries: int = MOST_TRIES
    text: int = MOST_TEXT

    def look(self) -> bool:
        """Whether one more remedy may be looked into."""
        self.text -= self.length // 8
        return self.tries > 0 and self.text > 0

    def analyse(self) -> None:
        """Note one more analysis."""
        self.tries -= 1
        self.text -= self.length


class Attempts:
    """The fixes that may still be made of the findings of one analysis, each when it is asked for.

    `sources` gives the files that were read, by name; `again` analyses them anew; `used` tells what other files use. All attempts share one budget.
    """

    def __init__(self, findings: Sequence[Finding], sources: Callable[[], Sources], again: Again, used: Used) -> None:
        self._findings, self._sources, self._again, self._used = findings, sources, again, used
        mendable = (finding for finding in findings if finding.remedy is not None and finding.severity != "info")
        self._mendable = {id(finding): finding for finding in islice(mendable, MOST_MENDED)}
        self._before = _counted(findings)
        self._budget: _Budget | None = None
        self._proven: dict[int, Fix] = {}

    def fix(self, finding: Finding) -> Fix | None:
        """The fix of a finding; None unless the analysis of the fixed code finds that defect no more, and no other one."""
        if id(finding) not in self._mendable:
            return None
        sources = self._sources()
        if self._budget is None:
            self._budget = _Budget(self._length(sources))
            self._prove_together(sources, self._budget)
        if (proven := self._proven.get(id(finding))) is not None:
            return proven
        return self._alone(finding, sources, self._budget)

    def _alone(self, finding: Finding, sources: Sources, budget: _Budget) -> Fix | None:
        """The first way of fixing one finding that an analysis of the code with it alone proves."""
        remedy = cast(Remedy, finding.remedy)
        shown = None
        try:
            for fix, fixed in self._possible(finding, sources) if budget.look() else ():
                budget.analyse()
                after = self._after(fixed, sources)
                if after[finding.code] < self._before[finding.code]:
                    if not any(after[code] > self._before[code] and _matters(code, finding.code, remedy) for code in after):
                        return fix
                    if "display" in RULES[finding.code].fixes:
                        shown = shown or replace(fix, applicability="display")
                if budget.tries <= 0 or budget.text <= 0:
                    break
        except Exception:  # noqa: BLE001 - that no fix can be made must not cost the findings of the file
            return shown
        return shown

    def _prove_together(self, sources: Sources, budget: _Budget) -> None:
        """Prove the first way of fixing each finding by one analysis of the code with all of them, as far as they do not touch each other."""
        chosen: list[tuple[Finding, Fix]] = []
        together = Chosen(sources)
        try:
            for finding in self._mendable.values():
                if budget.look():
                    fix = next((fix for fix, _ in self._possible(finding, sources)), None)
                    edits = by_file(fix.edits) if fix is not None else {}
                    if fix is not None and not any(together.touches(name, own) for name, own in edits.items()):
                        chosen.append((finding, fix))
                        for name, own in edits.items():
                            together.take(name, own)
            if not self._proves(chosen, sources, budget):
                half = len(chosen) // 2
                for part in (chosen[:half], chosen[half:]):
                    self._proves(part, sources, budget)
        except Exception:  # noqa: BLE001 - each is tried alone then
            return

    def _proves(self, chosen: Sequence[tuple[Finding, Fix]], sources: Sources, budget: _Budget) -> bool:
        """Whether fixes do away with as many findings as they are, and bring none; a single one is for `_alone`."""
        if len(chosen) < 2 or budget.tries <= 0 or budget.text <= 0:
            return False
        (finding, fix), *_ = chosen
        together = replace(fix, edits=tuple(edit for _, fix in chosen for edit in fix.edits))
        fixed = fixed_sources(replace(finding, fix=together), sources)
        budget.analyse()
        after, wanted = self._after(fixed, sources), Counter(finding.code for finding, _ in chosen)
        proven = all(after[code] <= self._before[code] - wanted[code] for code in {*after, *wanted})
        if proven:
            self._proven |= {id(finding): fix for finding, fix in chosen}
        return proven

    def _possible(self, finding: Finding, sources: Sources) -> Iterator[tuple[Fix, Sources]]:
        """The ways of fixing a finding that nothing in the text forbids, with the sources as each leaves them."""
        for fix, asked in _made(cast(Remedy, finding.remedy), sources):
            if asked is not None and any(self._used(name, asked.attributes) for name in asked.names):
                continue
            try:
                fixed = fixed_sources(replace(finding, fix=fix), sources)
                if loses_comments(replace(finding, fix=fix), sources):
                    continue
                if any(reads_too_early(sources[name], source) for name, source in fixed.items() if source is not sources[name]):
                    continue
            except EditError:
                continue
            yield fix, fixed

    def _after(self, fixed: Sources, sources: Sources) -> Counter[str]:
        """What an analysis of changed sources finds."""
        return _counted(self._again({name: source for name, source in fixed.items() if source is not sources[name]}))

    def _length(self, sources: Sources) -> int:
        names = {finding.span.filename for finding in self._findings}
        return sum(len(source.text) for name, source in sources.items() if name in names)


def _made(remedy: Remedy, sources: Sources) -> Iterator[tuple[Fix, Offer | None]]:
    for way in remedy.ways if isinstance(remedy, Either) else (remedy,):
        module, _, function = MAKERS[type(way)].partition(".")
        for made in getattr(import_module(f"mxlint.fixes.{module}"), function)(way, sources):
            yield (made.fix, made) if isinstance(made, Offer) else (made, None)


def _counted(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(finding.code for finding in findings if finding.severity != "info")


def _matters(new: str, fixed: str, remedy: Remedy) -> bool:
    """Whether a new finding is too much for a fix. A number that is not frozen any more and has a trace for each value is no cure either."""
    return isinstance(remedy, remedies.Argument) or not RULES[new].cost_only or RULES[fixed].cost_only
