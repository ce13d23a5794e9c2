"""The only way to change an object: every write is noted, so that a branch can be undone and its end joined with another's."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

from mxlint.tracing.values import MISSING, UNKNOWN, ClassV, External, Frame, Heap, Instance, Value, join, made_since
from mxlint.tracing.walks import each

_BUILTINS = frozenset(dir(builtins))

Writes = dict[tuple[int, Any], tuple[Heap, Any, Any]]
"""What a stretch of the run wrote: (identity, key) to (object, key, content)."""


class Journal:
    """The writes of the run, in nested stretches."""

    def __init__(self) -> None:
        self._open: list[Writes] = []

    def store(self, target: Heap, key: Any, content: Any) -> None:
        """Write `content` (MISSING deletes) to a field of `target`."""
        if self._open:
            self._open[-1].setdefault((id(target), key), (target, key, target.fields.get(key, MISSING)))
        _put(target, key, content)

    @property
    def depth(self) -> int:
        """How many stretches are open."""
        return len(self._open)

    def unwind(self, depth: int) -> None:
        """Close stretches that an exception left open, keeping their writes."""
        while len(self._open) > depth:
            self.end()

    def written_since(self, depth: int) -> set[int]:
        """The identities of what has been written since `depth` stretches were open."""
        return {identity for stretch in self._open[depth:] for identity, _ in stretch}

    def begin(self) -> None:
        self._open.append({})

    def end(self) -> Writes:
        """Close the innermost stretch, keep its writes in force, and return what was there before."""
        before = self._open.pop()
        if self._open:
            outer = self._open[-1]
            for where, old in before.items():
                outer.setdefault(where, old)
        return before

    def undo(self, since: int = 0) -> Writes:
        """Close the innermost stretch and take its writes back; returns what it had written. An object that was made in it (after `since`)
        stays as it is: whoever has it has come this way.
        """
        before = self._open.pop()
        written: Writes = {}
        for where, (target, key, old) in before.items():
            if since and made_since(since, target.born):
                if self._open:
                    self._open[-1].setdefault(where, (target, key, old))
                continue
            written[where] = (target, key, target.fields.get(key, MISSING))
            _put(target, key, old)
        return written

    def merge(self, written: Writes) -> None:
        """Join writes of a path that may have been taken into the present state."""
        for target, key, content in written.values():
            present = target.fields.get(key, MISSING)
            self.store(target, key, merged(target, key, present, content))

    def replay(self, written: Writes) -> None:
        """Make writes of an undone stretch again."""
        for target, key, content in written.values():
            self.store(target, key, content)


SHARED = "#shared"
"""The field of a module whose arrays are those of another one, too, with a number that both have."""
MAYBE = "#maybe"
"""The field with the names of the attributes that an object has on some paths only."""


def merged(target: Heap, key: Any, a: Any, b: Any) -> Any:
    """Join two contents of a field. A name or attribute that only one path binds is what that path has made of it, or nothing can read it."""
    if key == MAYBE:
        return frozenset(a or ()) | frozenset(b or ()) if MISSING not in (a, b) else b if a is MISSING else a
    if (a is MISSING) is (b is MISSING) or not isinstance(key, str) or key.startswith("#") or not _only_there(target, key):
        return joined(a, b)
    if isinstance(target, Instance):
        target.fields[MAYBE] = target.fields.get(MAYBE, frozenset()) | {key}
    return b if a is MISSING else a


def _only_there(target: Heap, key: str) -> bool:
    """Whether Python looks nowhere else for the name: not among the builtins, nor in the class."""
    if isinstance(target, Frame):
        return target.kind != "class" and key not in _BUILTINS
    start = target.cls if isinstance(target, Instance) else UNKNOWN
    classes: Iterator[Value] = each((start,), lambda cls: cls.bases if isinstance(cls, ClassV) else ())
    return all(key not in cls.fields if isinstance(cls, ClassV) else isinstance(cls, External) for cls in classes)


def joined(a: Any, b: Any) -> Any:
    """Join two contents of a field: values, tuples of values (the items of a list), or plain facts."""
    if a is b:
        return a
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(map(joined, a, b))
    if a is MISSING or b is MISSING:
        known = b if a is MISSING else a
        return known if _plain(known) else join(known, UNKNOWN)
    if _plain(a) or _plain(b):
        return a if a == b else None
    return join(a, b)


def _plain(content: Any) -> bool:
    return content is None or isinstance(content, (bool, int, str, tuple, frozenset))


def _put(target: Heap, key: Any, content: Any) -> None:
    if content is MISSING:
        target.fields.pop(key, None)
    else:
        target.fields[key] = content


__all__ = ["MAYBE", "SHARED", "Journal", "Value", "Writes", "joined", "merged"]
