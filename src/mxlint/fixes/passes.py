"""All fixes of a run made, in passes: those that do not meet at once, the rest when the files were looked at again, until there is nothing to fix.

Nothing is written here: what comes out is what the files are to hold.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mxlint.finding import Edit, Finding
from mxlint.fixes.chosen import Chosen
from mxlint.fixes.edits import EditError, by_file
from mxlint.result import Result
from mxlint.source import Source

MOST_PASSES = 100
"""Passes after which fixes that still go on are given up."""
Look = Callable[[Mapping[str, bytes]], Result]
"""What is found where some files hold these bytes, by their real paths."""
Wanted = Callable[[Finding], bool]
"""Whether the fix of a finding is to be made."""


@dataclass(frozen=True, slots=True)
class Group:
    """Files that fixes change together, by their names: before and after. All of them are written, or none. `fixed`: whose fixes those were."""

    before: Mapping[str, Source]
    after: Mapping[str, Source]
    fixed: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    """What the passes led to: `result` is what is found where all `groups` are changed. `given_up`: files whose fixes came to no end, with why."""

    result: Result
    groups: tuple[Group, ...] = ()
    given_up: Mapping[str, str] = field(default_factory=dict)


def fixed_by_passes(result: Result, look: Look, wanted: Wanted) -> Fixed:
    """Make the wanted fixes of a run in the files that it was asked for."""
    state = _State()
    left_out: dict[str, str] = {}
    for number in range(MOST_PASSES + 1):
        chosen = _chosen(result, wanted, left_out.keys())
        if not chosen:
            break
        stuck = {name for name, text in _texts(chosen).items() if text in state.seen.get(name, ())}
        if number == MOST_PASSES:
            stuck = set(_texts(chosen))
        for step in chosen:
            state.make(step)
        if stuck:
            names = {name for group in state.groups() if stuck & group.before.keys() for name in group.before}
            left_out |= dict.fromkeys(names, "its fixes undo each other, or come to no end: none of them is made; please report this")
            state.forget(names)
        result = look(unsaved(state.after.values()))
    return Fixed(result, tuple(state.groups()), left_out)


def unsaved(sources: Iterable[Source]) -> dict[str, bytes]:
    """What files hold, as `engine.check` takes it."""
    return {os.path.realpath(source.path): source.data for source in sources if source.path is not None}


# -- one pass ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Step:
    """A fix to be made in a pass; `after`: its files, as the pass leaves them, or with it and the ones before it."""

    finding: Finding
    before: Mapping[str, Source]
    after: Mapping[str, Source]


def _chosen(result: Result, wanted: Wanted, left_out: Collection[str]) -> list[_Step]:
    """The fixes that can be made at once, in the order of the findings: all that do not meet, or, where that leaves what is not Python, those that do not
    lead there."""
    at_once = Chosen(result.sources)
    chosen = list(_without_conflicts(result, wanted, left_out, at_once))
    try:
        after = {name: at_once.made(name) for name in at_once.edits}
    except EditError:
        return list(_one_by_one(result, wanted, left_out))
    return [
        _Step(finding, {name: result.sources[name] for name in files}, {name: after[name] for name in files}) for finding, files in chosen
    ]


def _one_by_one(result: Result, wanted: Wanted, left_out: Collection[str]) -> Iterator[_Step]:
    """The fixes that can be made at once, found by trying each with those before it, which takes the time to parse a file for each of its fixes."""
    at_once = Chosen(result.sources)

    def possible(files: Mapping[str, Sequence[Edit]]) -> bool:
        try:
            for name, edits in files.items():
                at_once.made(name, edits)
        except EditError:
            return False
        return True

    for finding, files in _without_conflicts(result, wanted, left_out, at_once, possible):
        yield _Step(finding, {name: result.sources[name] for name in files}, {name: at_once.made(name) for name in files})


def _without_conflicts(
    result: Result,
    wanted: Wanted,
    left_out: Collection[str],
    at_once: Chosen,
    possible: Callable[[Mapping[str, Sequence[Edit]]], bool] = lambda files: True,
) -> Iterator[tuple[Finding, Mapping[str, Sequence[Edit]]]]:
    """The fixes that meet none before them, with their edits by file, once they are taken. The same fix of several findings is made once."""
    done: set[frozenset[Edit]] = set()
    for finding in result.findings:
        if finding.fix is None or not finding.fix.edits or not wanted(finding):
            continue
        files = by_file(finding.fix.edits)
        if not files.keys() <= result.own & result.sources.keys() or files.keys() & left_out:
            continue
        if frozenset(finding.fix.edits) in done:
            yield finding, files
            continue
        if any(at_once.meets(name, edits) for name, edits in files.items()) or not _changes(files, result.sources) or not possible(files):
            continue
        for name, edits in files.items():
            at_once.take(name, edits)
        done.add(frozenset(finding.fix.edits))
        yield finding, files


def _changes(files: Mapping[str, Sequence[Edit]], sources: Mapping[str, Source]) -> bool:
    """Whether edits write something else than what stands there."""
    return any(
        edit.content != sources[name].text[sources[name].offset_of(edit.span.start) : sources[name].offset_of(edit.span.end)]
        for name, edits in files.items()
        for edit in edits
    )


def _texts(steps: Iterable[_Step]) -> dict[str, str]:
    """What the files of a pass hold after it."""
    return {name: source.text for step in steps for name, source in step.after.items()}


# -- all passes -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _State:
    """Files as they were and as they are, every text that each has had, and which fixes were made."""

    before: dict[str, Source] = field(default_factory=dict)
    after: dict[str, Source] = field(default_factory=dict)
    seen: dict[str, set[str]] = field(default_factory=dict)
    made: list[_Step] = field(default_factory=list)

    def make(self, step: _Step) -> None:
        for name, source in step.after.items():
            self.before.setdefault(name, step.before[name])
            self.seen.setdefault(name, {self.before[name].text}).add(source.text)
            self.after[name] = source
        self.made.append(step)

    def forget(self, names: Collection[str]) -> None:
        """Take back all that was made in some files."""
        self.made = [step for step in self.made if not step.after.keys() & names]
        for name in names:
            del self.before[name], self.after[name]

    def groups(self) -> Iterator[Group]:
        """The files that were changed, those together that one fix changes, directly or through others."""
        parts: list[set[str]] = []
        for step in self.made:
            own = set(step.after)
            parts, joined = [part for part in parts if not part & own], [part for part in parts if part & own]
            parts.append(own.union(*joined))
        for part in sorted(parts, key=min):
            fixed = tuple(step.finding for step in self.made if step.after.keys() & part)
            yield Group({name: self.before[name] for name in part}, {name: self.after[name] for name in part}, fixed)
