"""`except*`: each handler takes its part of an exception group, one after the other. What none takes is raised again."""

from __future__ import annotations

from typing import Final

from mxlint.domain.heap import Delta
from mxlint.domain.members import NONE, External, Ref, Tuple, Unknown, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Handler, Interpreter
from mxlint.interpreter.machine.exceptions import CLASS, GROUPS, caught, fill
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.paths import Path
from mxlint.interpreter.statements.binding import owner_of, store
from mxlint.syntax import ir

GROUP: Final = "builtins.ExceptionGroup"


def parts(i: Interpreter, error: Value, state: Delta) -> tuple[Value, ...] | None:
    """The exceptions of a group, or the one that is no group; None where they are not known one by one. `state`: that in which it is raised."""
    if not isinstance(error, Ref) or i.info(error.oid).kind != "instance":
        return None
    held = state.get((error.oid, "exceptions")) or i.heap.get(error.oid, "exceptions")
    if held is None:
        return (error,)
    return held.items if isinstance(held, Tuple) else None


def run(i: Interpreter, node: ir.Try, mark: int, raised: tuple[Delta, Value, Path], frame: Frame) -> tuple[Delta, Value, Path] | None:
    """Run the handlers on the state in which a group was raised: the state in which the statement ends, None if none does. After it the state is that at `mark`."""
    delta, error, path = raised
    base = i.path
    i.heap.apply(delta)
    i.path = path
    ended: tuple[Delta, Value, Path] | None = None
    try:
        left: Value | None = error
        for handler in node.handlers:
            if left is None:
                break
            place = frame.place(handler)
            wanted = i.eval(handler.type, frame) if handler.type is not None else Unknown("handler")
            taken, left = split(i, left, wanted, place)
            if taken is None:
                continue
            if handler.name is not None:
                store(i, handler.name, taken if _held(i, taken) is not None else _group(i, (taken,), None, place, "alone"), frame)
            i.execute(handler.body, frame)
            if handler.name is not None:
                i.heap.drop(owner_of(i, handler.name, frame), handler.name)
        if left is not None:
            i.throw(left)
        ended = i.heap.changes(mark), NONE, i.path
    except Halt:
        pass
    i.heap.undo(mark)
    i.path = base
    return ended


def split(i: Interpreter, error: Value, wanted: Value, place: Place, at: tuple[int, ...] = ()) -> tuple[Value | None, Value | None]:
    """What of an exception or a group is of some classes, and what is not; in both, where that is not known. `at`: the way to it from the outermost group."""
    known = caught(i, error, wanted)
    inner = _held(i, error)
    if known is True or inner is None:
        return (None if known is False else error), (None if known is True else error)
    pairs = [split(i, part, wanted, place, (*at, number)) for number, part in enumerate(inner)]
    taken = tuple(part for part, _ in pairs if part is not None)
    left = tuple(part for _, part in pairs if part is not None)
    if not taken or not left:
        return (None, error) if not taken else (error, None)
    return _group(i, taken, error, place, ("taken", *at)), _group(i, left, error, place, ("left", *at))


def _held(i: Interpreter, error: Value) -> tuple[Value, ...] | None:
    """The exceptions of a group; None of what is none."""
    held = i.heap.get(error.oid, "exceptions") if isinstance(error, Ref) else None
    return held.items if isinstance(held, Tuple) else None


def _group(i: Interpreter, found: tuple[Value, ...], of: Value | None, place: Place, tag: object) -> Ref:
    """A group of some exceptions, with what else another one says."""
    oid = i.allocate("instance", None, place, (GROUP, tag))
    cls = i.heap.get(of.oid, CLASS) if isinstance(of, Ref) else None
    message = i.heap.get(of.oid, "message") if isinstance(of, Ref) else None
    i.heap.set(oid, CLASS, cls or External(GROUP))
    fill(i, oid, GROUP, Tuple((message or i.symbolic(place, "message", kinds=frozenset(("str",))), Tuple(found))))
    return Ref(oid)


def _split(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`group.split(classes)`."""
    error, wanted = args.args[0], args.args[1]
    if _held(i, error) is None:
        return Tuple((i.symbolic(place, "taken"), i.symbolic(place, "left")))
    taken, left = split(i, error, wanted, place)
    return Tuple((taken or NONE, left or NONE))


def _subgroup(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`group.subgroup(classes)`."""
    if _held(i, args.args[0]) is None:
        return i.symbolic(place, "taken")
    return split(i, args.args[0], args.args[1], place)[0] or NONE


HANDLERS: Final[dict[str, Handler]] = {
    f"{group}.{name}": handler for group in GROUPS for name, handler in (("split", _split), ("subgroup", _subgroup))
}
