"""A baseline: findings that a project has decided to live with for now. New ones are reported, and so are entries that nothing answers to any more.

An entry is a code, the enclosing function and the flagged code, less its formatting, in a file. Rows are not in it. An entry of a file that is gone, or
that holds nothing like it any more, stands for the same in another file: a file that was renamed, a function that was moved.
"""

from __future__ import annotations

import ast
import json
import os
import stat
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NamedTuple

from mxlint.finding import Finding
from mxlint.rules.registry import UNJUDGED
from mxlint.source import Source

if TYPE_CHECKING:
    from mxlint.result import Result

VERSION = 1


class BaselineError(Exception):
    """The file is no baseline; the message says why."""


class Entry(NamedTuple):
    """What a finding is known by, whatever file it lies in."""

    code: str
    object: str
    hash: str


Files = dict[str, Counter[Entry]]
"""How often each entry stands in a file; files by their paths relative to the folder of the baseline, with forward slashes."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of a baseline in the folder `root`."""

    root: Path
    files: Files

    def applied(self, result: Result) -> tuple[Result, int]:
        """The run without the findings that the baseline has, and the number of entries that are stale: of files that were checked, or are gone."""
        left = {name: Counter(entries) for name, entries in self.files.items()}
        known = [(finding, self._place(finding), _entry(finding, result)) for finding in result.findings]
        here = [one for one in known if one[2] is None or not _taken(left.get(one[1]), one[2])]
        checked = {self._relative(name) for name in result.own}
        open_ = {name: entries for name, entries in left.items() if name in checked or not (self.root / name).is_file()}
        kept = [finding for finding, _, entry in here if entry is None or not any(_taken(entries, entry) for entries in open_.values())]
        stale = sum(sum(entries.values()) for entries in open_.values())
        return replace(result, findings=tuple(kept), baselined=result.baselined + len(known) - len(kept)), stale

    def updated(self, result: Result) -> Baseline:
        """The baseline with exactly the findings of a run, for the files that were checked; of the others those that are still there stay."""
        checked = {self._relative(name) for name in result.own}
        files: Files = defaultdict(Counter)
        files.update({name: entries for name, entries in self.files.items() if name not in checked and (self.root / name).is_file()})
        for finding in result.findings:
            entry = _entry(finding, result)
            if entry is not None and self._place(finding) in checked:
                files[self._place(finding)][entry] += 1
        return Baseline(self.root, dict(files))

    def text(self) -> str:
        """What stands in its file: JSON, in an order that makes small differences."""
        files = {
            name: [{**entry._asdict(), "count": count} for entry, count in sorted(entries.items())]
            for name, entries in sorted(self.files.items())
            if entries
        }
        return json.dumps({"version": VERSION, "files": files}, indent=1) + "\n"

    def __len__(self) -> int:
        return sum(sum(entries.values()) for entries in self.files.values())

    def _place(self, finding: Finding) -> str:
        return self._relative(finding.span.filename)

    def _relative(self, name: str) -> str:
        return os.path.relpath(os.path.abspath(name), self.root).replace(os.sep, "/")


def read_baseline(file: Path) -> Baseline:
    """Raises OSError, and BaselineError for what is no baseline."""
    if not stat.S_ISREG(file.stat().st_mode):
        raise BaselineError("not a regular file")  # a pipe may never end
    data = file.read_bytes()
    try:
        document = json.loads(data)
        if document["version"] != VERSION:
            raise BaselineError(f"a baseline of version {document['version']!r}; this mxlint reads version {VERSION}")
        files = {name: _entries(entries) for name, entries in document["files"].items()}
    except ValueError as error:
        raise BaselineError(f"not a baseline, which is JSON: {error}; mend it, or delete it and run --update-baseline") from None
    except (TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise BaselineError("not a baseline: JSON, but not of the form that --update-baseline writes; delete it to write it anew") from None
    return Baseline(file.absolute().parent, files)


def empty_baseline(file: Path) -> Baseline:
    """That of a file which is not there yet."""
    return Baseline(file.absolute().parent, {})


def _entries(items: Iterable[dict[str, Any]]) -> Counter[Entry]:
    found: Counter[Entry] = Counter()
    for item in items:
        found[Entry(str(item["code"]), str(item["object"]), str(item["hash"]))] += int(item["count"])
    return found


def _taken(entries: Counter[Entry] | None, entry: Entry) -> bool:
    """Whether one such entry is left; it is then taken."""
    if entries is None or entries[entry] <= 0:
        return False
    entries[entry] -= 1
    return True


def _entry(finding: Finding, result: Result) -> Entry | None:
    """None for what no baseline hides: that a file was not judged."""
    if finding.code in UNJUDGED:
        return None
    source = result.sources.get(finding.span.filename)
    text = _normal(source, finding) if source is not None else ""
    return Entry(finding.code, finding.object or "", sha256(text.encode(errors="surrogatepass")).hexdigest()[:16])


def _normal(source: Source, finding: Finding) -> str:
    """The flagged code without its formatting; where it is no piece of code by itself, its line without blanks; a comment by its words."""
    span = finding.span
    text = source.text[source.offset_of(span.start) : source.offset_of(span.end)]
    if text.startswith("#"):  # the parser would see nothing
        return " ".join(text.split())
    for code in (f"({text}\n)", dedent(f"{' ' * (span.start.column - 1)}{text}\n")):
        try:
            return ast.unparse(ast.parse(code))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return " ".join(source.line(span.start.row).split())
