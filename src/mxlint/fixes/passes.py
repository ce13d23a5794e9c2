"""All fixes of a run made, in passes: those that do not meet at once, the rest when the files were looked at again, until there is nothing to fix.

Nothing is written here: what comes out is what the files are to hold.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mxlint.engine import Result
from mxlint.finding import Edit, Finding, Span
from mxlint.fixes.edits import EditError, by_file, changed
from mxlint.source import Source

MOST_PASSES = 100
"""Passes after which fixes that still go on are given up."""
_WORD = re.compile(r"\w+")

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
        chosen = list(_chosen(result, wanted, left_out.keys()))
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
    """A fix to be made in a pass; `after`: its files, with it and the ones before it in the same pass."""

    finding: Finding
    before: Mapping[str, Source]
    after: Mapping[str, Source]


@dataclass(slots=True)
class _Pass:
    """What a pass has chosen so far, by file: edits, and the words that are new in it."""

    sources: Mapping[str, Source]
    edits: dict[str, list[Edit]] = field(default_factory=dict)
    words: dict[str, set[str]] = field(default_factory=dict)

    def meets(self, name: str, edits: Sequence[Edit]) -> bool:
        """Whether edits overlap or touch one that is chosen, or name something new as a chosen one does."""
        return bool(self.words.get(name, set()) & self.new_words(name, edits)) or any(
            _touch(one.span, other.span) for one in edits for other in self.edits.get(name, ())
        )

    def new_words(self, name: str, edits: Sequence[Edit]) -> set[str]:
        """The words of edits that the file does not have yet: fixes choose names that are free, and two may choose the same."""
        written = {word for edit in edits for word in _WORD.findall(edit.content)}
        return written.difference(_WORD.findall(self.sources[name].text)) if written else written

    def take(self, name: str, edits: Sequence[Edit]) -> None:
        self.edits.setdefault(name, []).extend(edits)
        self.words.setdefault(name, set()).update(self.new_words(name, edits))


def _chosen(result: Result, wanted: Wanted, left_out: Collection[str]) -> Iterator[_Step]:
    """The fixes that can be made at once, in the order of the findings. The same fix of several findings is made once."""
    at_once = _Pass(result.sources)
    done: dict[frozenset[Edit], _Step] = {}
    for finding in result.findings:
        if finding.fix is None or not finding.fix.edits or not wanted(finding):
            continue
        files = by_file(finding.fix.edits)
        if not files.keys() <= result.own & result.sources.keys() or files.keys() & left_out:
            continue
        if (same := done.get(frozenset(finding.fix.edits))) is not None:
            yield _Step(finding, same.before, same.after)
            continue
        if any(at_once.meets(name, edits) for name, edits in files.items()):
            continue
        before = {name: result.sources[name] for name in files}
        try:
            after = {name: changed(before[name], [*at_once.edits.get(name, ()), *edits]) for name, edits in files.items()}
        except EditError:
            continue
        if all(before[name].text == after[name].text for name in files):
            continue
        for name, edits in files.items():
            at_once.take(name, edits)
        done[frozenset(finding.fix.edits)] = step = _Step(finding, before, after)
        yield step


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


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
