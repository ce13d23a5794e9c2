"""What a misspelt word most likely means. A guess that is far off helps nobody, so that there is none."""

from __future__ import annotations

from collections.abc import Iterable
from os.path import commonprefix


def nearest(text: str, candidates: Iterable[str]) -> str | None:
    """The candidate that a misspelt text means: at most a third of its letters are wrong, missing, too many or swapped with the next, or it is the
    beginning of the candidate. Letters of any case are the same."""
    folded = text.lower()
    near = [(candidate, distance(folded, candidate.lower())) for candidate in candidates]
    near = [(candidate, steps) for candidate, steps in near if steps <= max(1, len(text) // 3) or _begins(folded, candidate.lower())]
    if not near:
        return None
    return min(near, key=lambda item: (not _begins(folded, item[0].lower()), item[1], -len(commonprefix([folded, item[0].lower()]))))[0]


def _begins(text: str, candidate: str) -> bool:
    """Whether a text is the beginning of a candidate, up to the end of a word."""
    return len(text) > 1 and candidate.startswith(text) and not candidate[len(text) :][:1].isalnum()


def distance(one: str, other: str) -> int:
    """How many letters must be put in, left out, replaced or swapped with their neighbours to make one text of the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, candidate in enumerate(other, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != candidate)))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == candidate:
                row[j] = min(row[j], last[j - 2] + 1)
    return row[-1]
