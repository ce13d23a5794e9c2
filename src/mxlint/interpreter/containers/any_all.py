"""`any` and `all`: the elements are asked for their truth in turn, until one of them decides. Where that is open, the result says of which it is."""

from __future__ import annotations

from mxlint.domain.members import NONE, Const, Kind, Ref, Symbolic, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.loops.comprehensions import is_fresh
from mxlint.interpreter.loops.iteration import collected
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.paths import Truth
from mxlint.interpreter.machine.targets import Target
from mxlint.interpreter.open_world import given_contents


class _UpTo:
    """`any` or `all` over elements, which ask for no more once one of them decides: where its truth is `stop`."""

    def __init__(self, i: Interpreter, stop: bool, place: Place, frame: Frame) -> None:
        self._i, self._stop, self._place, self._frame = i, stop, place, frame
        self._undecided: list[Truth] = []

    def decides(self, element: Value, ends: Target) -> None:
        """Leave to `ends` where an element decides."""
        i = self._i
        truth = i.truth(element, self._place, self._frame)
        if truth.outcome is None and truth.literal is None:
            self._undecided.append(truth)  # nothing tells its outcome from that of another one
        else:
            sides = (lambda: i.leave(ends, Const(self._stop)), lambda: NONE)
            i.choose(truth, self._place, *(sides if self._stop else reversed(sides)))

    def at_the_end(self) -> Value:
        """What comes of elements none of which has decided."""
        if not self._undecided:
            return Const(not self._stop)
        return Kind("bool", "open" if any(truth.cause == "open" for truth in self._undecided) else "imprecise")


def _one_by_one(i: Interpreter, value: Ref, stop: bool, place: Place, frame: Frame) -> Value:
    """`any` or `all` of an iterable, whose elements come one by one."""
    with i.leaving() as ends:
        found = _UpTo(i, stop, place, frame)
        i.iterate(value, lambda element: found.decides(element, ends), place, frame)
        i.reach(ends, found.at_the_end())
    return i.arrive(ends)


def any_or_all(stop: bool) -> Handler:
    """The handler of `any`, where `stop` is True, or of `all`."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        if any(isinstance(m, (Symbolic, Unknown)) for m in members(args.args[0])):
            given_contents.read_in_any_order(i, args.args[0], place, frame)
            return i.symbolic(place, "any", kinds=frozenset(("bool",)))
        value = args.args[0]
        if i.trace is not None and isinstance(value, Ref) and (is_fresh(i, value) or aspects.steps(i, value, place, frame) is not None):
            return _one_by_one(i, value, stop, place, frame)
        content = collected(i, value, place, frame)
        if content.items is not None:
            with i.leaving() as ends:
                found = _UpTo(i, stop, place, frame)
                for item in content.items:
                    found.decides(item, ends)
                i.reach(ends, found.at_the_end())
            return i.arrive(ends)
        truth = i.truth(content.element, place, frame) if content.element is not None else Truth(not stop)
        if truth.outcome is (not stop):
            return Const(not stop)
        return Kind("bool", "open" if any(isinstance(m, Symbolic) for m in members(content.element or NONE)) else "imprecise")

    return run
