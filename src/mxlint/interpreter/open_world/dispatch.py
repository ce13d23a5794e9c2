"""Methods of objects that nobody in sight gives: a class of the same file that has such a method, and that nothing in sight makes, may be theirs.

A loop over callbacks is the usual case: whoever calls hands over objects of the classes that the file offers for that. What such a method does to the
objects that it is given happens on the open condition that the call comes to it.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import NONE, Bound, Ref, Symbolic, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.paths import Condition
from mxlint.interpreter.open_world.parameters import some_object
from mxlint.models.load import changers
from mxlint.models.mlx.names import MODULE_CHANGES
from mxlint.syntax.index import Block
from mxlint.syntax.inline import in_one_line

MAX_CLASSES: Final = 4
"""Classes among which a method is looked for; of more, the name says too little."""


def dispatched(i: Interpreter, function: Symbolic, args: Arguments, place: Place, frame: Frame) -> None:
    """Run the methods that a call of something symbolic may come to."""
    name = function.identity[0]
    if i.trace is not None or i.silent > 1 or not isinstance(name, str) or not name.startswith(".") or not _gives_object(i, args):
        return
    found = _methods(i, name[1:], frame)
    for cls, method in found if len(found) <= MAX_CLASSES else ():
        _may_call(i, cls, method, args, place, frame)


def _gives_object(i: Interpreter, args: Arguments) -> bool:
    """Whether an object of a class in sight is among the arguments, so that the method may change it."""
    return any(
        isinstance(member, Ref) and i.info(member.oid).kind == "instance" and isinstance(i.heap.get(member.oid, ("#", "class")), Ref)
        for value in args.values
        for member in members(value)
    )


def _methods(i: Interpreter, name: str, frame: Frame) -> list[tuple[Ref, Ref]]:
    """The classes at the top of the file that define a method which may change its arguments, each with that method."""
    blocks = {
        (block.start, block.end)
        for block in i.project.symbols(frame.source, i.tracers).blocks
        if block.kind == "function" and block.name.rpartition(".")[2] == name and (block.writes - block.own or _changes(block))
    }
    found: list[tuple[Ref, Ref]] = []
    for value in i.heap.fields(frame.module).values() if blocks else ():
        for cls in members(value):
            method = i.heap.get(cls.oid, name) if isinstance(cls, Ref) and i.info(cls.oid).kind == "class" else None
            info = i.info(method.oid).payload if isinstance(method, Ref) else None
            if (
                isinstance(cls, Ref)
                and isinstance(method, Ref)
                and isinstance(info, FunctionInfo)
                and (info.node.start, info.node.end) in blocks
            ):
                found.append((cls, method))
    return list(dict.fromkeys(found))


def _changes(block: Block) -> bool:
    """Whether a method calls methods that change containers or modules, on what is none of its own variables."""
    known = changers()
    return any(method in known or method in MODULE_CHANGES for method, _ in block.uses)


def _may_call(i: Interpreter, cls: Ref, method: Ref, args: Arguments, place: Place, frame: Frame) -> None:
    owner = some_object(i, cls, place)
    if owner is None:
        return

    info = i.info(method.oid).payload
    assert isinstance(info, FunctionInfo)
    callee = in_one_line(place.text.partition("(")[0])
    i.ledger.dispatched[Place(info.source, info.node.start, info.node.end)] = f"`{callee}` is that of {i.info(cls.oid).label}"

    def run() -> Value:
        i.call(Bound(owner, method), args, place, frame)
        return NONE

    called = i.undecided("open", place, tag=("dispatched", cls.oid))
    i.fork([((called,), run), ((Condition("open", place, called.opposite),), lambda: NONE)])
