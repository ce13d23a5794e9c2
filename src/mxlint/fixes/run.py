"""What `--fix` and `--diff` do with a run: its fixes made in passes, then written to the files, or shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import diff_bytes, unified_diff

from mxlint.discover import Problem
from mxlint.finding import Finding
from mxlint.fixes.passes import Fixed, Look, Wanted, fixed_by_passes
from mxlint.fixes.writing import Rewrite, WriteError, write_together
from mxlint.result import Result, fixed_with
from mxlint.source import Source


def wanted_by(unsafe_fixes: bool, verify: bool) -> Wanted:
    """Which fixes are made. `verify`: only those that MLX showed to cure the finding, and to compute what the uncompiled program does."""
    kinds = fixed_with(unsafe_fixes)

    def wanted(finding: Finding) -> bool:
        return finding.fix is not None and finding.fix.applicability in kinds and (finding.proved or not verify)

    return wanted


def made(result: Result, look: Look, wanted: Wanted) -> Fixed:
    """The fixes of a run made, and nothing written. The result has the fixed findings, and a problem for each file that was given up."""
    fixed = fixed_by_passes(result, look, wanted)
    problems = tuple(Problem(name, why) for name, why in sorted(fixed.given_up.items()))
    return replace(fixed, result=_with(fixed.result, fixed, problems))


def written(fixed: Fixed, look: Look) -> Result:
    """The run after its fixed files were written. One that cannot be is a problem, and its fixes are not made."""
    kept, problems = [], []
    for group in fixed.groups:
        try:
            write_together([_rewrite(before, group.after[name]) for name, before in sorted(group.before.items())])
        except WriteError as error:
            others = [name for name in sorted(group.before) if name != error.name]
            problems.append(Problem(error.name, error.message + (f"; so {_and(others)}" if others else "")))
        else:
            kept.append(group)
    if not problems:
        return fixed.result
    before = [problem for problem in fixed.result.problems if problem.name in fixed.given_up]
    return _with(look({}), replace(fixed, groups=tuple(kept)), (*before, *problems))


def diff(fixed: Fixed, *, named: bool = True) -> Iterator[bytes]:
    """The changes as a unified diff, line by line and to the byte, so that `patch` and `git apply` take it. `named`: with the names of files."""
    for before, after in sorted(((group.before[name], group.after[name]) for group in fixed.groups for name in group.before), key=_name):
        name = before.name.encode(errors="surrogateescape")
        lines = diff_bytes(unified_diff, _lines(before), _lines(after), name, name)
        for line in list(lines)[0 if named else 2 :]:
            yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _lines(source: Source) -> list[bytes]:
    *lines, last = source.data.split(b"\n")
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


def _name(change: tuple[Source, Source]) -> str:
    return change[0].name


def _and(names: list[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} left alone, too"


def _with(result: Result, fixed: Fixed, problems: Iterable[Problem]) -> Result:
    return replace(
        result, fixed=tuple(finding for group in fixed.groups for finding in group.fixed), problems=(*result.problems, *problems)
    )


def _rewrite(before: Source, after: Source) -> Rewrite:
    assert before.path is not None
    return Rewrite(before.name, str(before.path), before.data, after.data)
