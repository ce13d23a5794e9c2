"""Whether functions leave alone what traces have read, or whatever there is, by the symbol index: then the client need not run them between two calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mxlint.domain.heap import Location
from mxlint.domain.members import Member, Ref, Tuple, Value
from mxlint.domain.parts import each_part, referred
from mxlint.interpreter.calls.relevance import reach_of
from mxlint.interpreter.compiled.state import Changes
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.syntax.index import ANY, Block

NAMED: Final = frozenset(("module", "class", "library", "function"))
"""Kinds of objects that hold what anybody may set by its name."""
OBJECTS: Final = frozenset(("array", "class", "dict", "frame", "function", "instance", "list", "module", "set"))
"""Kinds of objects that change where code in sight says so, as the environment or the random state does not."""


class Unchanged:
    """What traces have read so far, if all of it has a name: variables of modules and of blocks around, attributes of modules, classes and functions."""

    def __init__(self, i: Interpreter) -> None:
        self._i = i
        self._ask()

    def _ask(self) -> None:
        """Look at what traces have read by now: the client brings about more of them."""
        i = self._i
        self._traced = frozenset(i.traced)
        self._is_named = _is_named(i, self._traced)
        self._is_of_objects = all(i.info(oid).kind in OBJECTS for oid, _ in self._traced)
        self._writers = frozenset(block.name.rpartition(".")[2] for block in _writers(i, self._traced))
        """The names of the functions in sight that set such a name, on whatever."""

    def by(self, functions: Iterable[tuple[Value, ...]]) -> bool:
        """Whether none of some functions, each with what it is given, changes any of that: neither what it leads to nor, as an argument may have it, a
        method of a name that it calls."""
        if self._i.traced != self._traced:
            self._ask()
        if not self._is_named:
            return False
        if not self._writers:
            return True
        reached = [reach_of(self._i, given, whole=True) for given in functions]
        return not any(reach.writes_traced or not self._writers.isdisjoint(reach.named) for reach in reached)

    def is_idle(self, given: tuple[Value, ...]) -> bool:
        """Whether a function changes nothing that is older, and comes to nothing compiled: then it need not run between two calls. Where traces have changed
        something, it may read that."""
        if self._i.traced != self._traced:
            self._ask()
        if not self._is_of_objects or self._i.ledger.of(Changes).whole or not all(map(self._i.heap.exists, referred(Tuple(given)))):
            return False
        reach = reach_of(self._i, given, whole=True)
        names = {*reach.named, *filter(None, (_name(self._i, part) for value in given for part in each_part(value)))}
        return not (reach.compiled or reach.mutated or reach.assigned()) and self._writers.isdisjoint(names)


def _name(i: Interpreter, part: Member) -> str | None:
    """The name of a function: it may set an attribute of what somebody gives it."""
    info = i.info(part.oid).payload if isinstance(part, Ref) else None
    return info.name if isinstance(info, FunctionInfo) else None


def _is_named(i: Interpreter, traced: frozenset[Location]) -> bool:
    if i.ledger.of(Changes).whole or i.ledger.of(Changes).read_contents:
        return False
    frames = {field for oid, field in traced if i.info(oid).kind == "frame"}
    if not all(isinstance(field, str) and i.info(oid).kind in NAMED | {"frame"} for oid, field in traced):
        return False
    return not any(frames & block.nonlocals for block in _blocks(i))


def _writers(i: Interpreter, traced: frozenset[Location]) -> Iterable[Block]:
    """The functions in sight that set one of the names that traces have read, or one that is not known."""
    names = {ANY, *(field for _, field in traced if isinstance(field, str))}
    of_classes = any(i.info(oid).kind == "class" for oid, _ in traced)
    for block in _blocks(i) if traced else ():
        if not names.isdisjoint(block.globals | block.named | (block.writes if of_classes else block.writes - block.own)):
            yield block


def _blocks(i: Interpreter) -> Iterable[Block]:
    """The blocks of all files in sight."""
    for oid in i.modules.values():
        if isinstance(module := i.info(oid).payload, FrameInfo):
            yield from i.project.symbols(module.source, i.tracers).blocks
