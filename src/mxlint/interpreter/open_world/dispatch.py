"""Methods of objects that nobody in sight gives: the object may be one of a class of the file that has such a method and that nothing in sight makes.

A loop over callbacks, `for callback in callbacks: callback.on_step(model)`, is the usual case: the caller hands over objects of the classes that the file offers
for that. What such a method does to its arguments happens on the open condition that the call runs it. What is called itself, as in `callback(model)`, may be an
object of a class with `__call__`, or a function of the file that nothing in it calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mxlint.domain.members import NONE, Bound, Ref, Symbolic, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.paths import Condition
from mxlint.interpreter.objects.lookup import CLASS, class_attribute
from mxlint.interpreter.open_world.mentions import keeping
from mxlint.interpreter.open_world.parameters import some_object
from mxlint.models.load import changers
from mxlint.models.mlx.names import MODULE_CHANGES
from mxlint.syntax.index import Block
from mxlint.syntax.inline import in_one_line

CALL: Final = "__call__"
MAX_CLASSES: Final = 4
"""Classes among which a method is looked for; of more, the name says too little."""


class Dispatched:
    """Calls of something symbolic that come to code in sight."""

    __slots__ = ("attached", "callbacks", "methods")

    def __init__(self) -> None:
        self.callbacks: dict[str, frozenset[tuple[int, int]]] = {}
        """Where functions stand that a caller may give as callbacks, by their file."""
        self.attached: dict[Ref, Ref] = {}
        """Objects that a method may have given another one to keep, by their classes: what a later call of theirs changes may be that."""
        self.methods: dict[Place, str] = {}
        """Methods that a call of something symbolic may come to, with the presumption that it does."""


def dispatched(i: Interpreter, function: Symbolic, args: Arguments, place: Place, frame: Frame) -> None:
    """Run the methods that a call of something symbolic may come to."""
    name = function.identity[0]
    if i.trace is not None or i.silent > 1 or not isinstance(name, str):
        return
    if not _gives_object(i, args):
        _attached_called(i, name[1:] if name.startswith(".") else CALL, args, place, frame)
        return
    if name.startswith("."):
        _attach(i, name[1:], args, place, frame)
    found: list[tuple[Ref | None, Ref]] = list(_methods(i, name[1:] if name.startswith(".") else CALL, frame))
    if not name.startswith("."):
        found = [(cls, method) for cls, method in (*found, *_functions(i, frame)) if _takes(i, method, args, bound=cls is not None)]
    for cls, method in found if len(found) <= MAX_CLASSES else ():
        _may_call(i, cls, method, args, place, frame)


def _attach(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> None:
    """Give an object to the method of a name that keeps what it is given, of each class of the file that has one and of which nothing in it makes an
    object: `callback.attach(self)`."""
    found = [
        (cls, method)
        for cls in _classes_unmade(i, frame)
        if isinstance(method := class_attribute(i, cls, name), Ref) and _keeps(i, method) and _takes(i, method, args, bound=True)
    ]
    for cls, method in found if len(found) <= MAX_CLASSES else ():
        known = i.ledger.of(Dispatched).attached.get(cls)
        owner = known if known is not None and i.heap.get(known.oid, CLASS) is not None else some_object(i, cls, place)
        if isinstance(owner, Ref):
            i.ledger.of(Dispatched).attached[cls] = owner
            for given in _objects_given(i, args):
                i.heap.set(given.oid, ("#", "attached", cls.oid), owner)  # it lives as long as what it keeps
            _may_run(i, cls, method, owner, args, place, frame)


def _attached_called(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> None:
    """Run the methods of a name of the objects that keep others, if they may change those."""
    for cls, owner in i.ledger.of(Dispatched).attached.items():
        method = class_attribute(i, cls, name) if i.heap.get(owner.oid, CLASS) is not None else None
        info = i.info(method.oid).payload if isinstance(method, Ref) else None
        if isinstance(method, Ref) and isinstance(info, FunctionInfo) and _takes(i, method, args, bound=True):
            blocks = i.project.symbols(info.source, i.tracers).blocks
            block = next((block for block in blocks if (block.start, block.end) == (info.node.start, info.node.end)), None)
            if block is not None and (block.writes - block.own or changes(block)):
                _may_run(i, cls, method, owner, args, place, frame)


def _classes_unmade(i: Interpreter, frame: Frame) -> Iterator[Ref]:
    """The public classes at the top of the file that nothing in it calls."""
    called = frozenset[str]().union(*(block.calls for block in i.project.symbols(frame.source, i.tracers).blocks))
    for name, value in list(i.heap.fields(frame.module).items()):
        for member in members(value):
            if isinstance(name, str) and name not in called and isinstance(member, Ref) and i.info(member.oid).kind == "class":
                yield member


def _keeps(i: Interpreter, method: Ref) -> bool:
    """Whether a method sets an attribute of its object to something that it is given."""
    info = i.info(method.oid).payload
    params = {param.name for param in info.node.params[1:]} if isinstance(info, FunctionInfo) else set()
    return isinstance(info, FunctionInfo) and not params.isdisjoint(i.project.once(info.source).of(keeping, info.node))


def _gives_object(i: Interpreter, args: Arguments) -> bool:
    """Whether an object of a class in sight is among the arguments, so that the method may change it."""
    return any(True for _ in _objects_given(i, args))


def _objects_given(i: Interpreter, args: Arguments) -> Iterator[Ref]:
    """The objects of classes in sight among the arguments."""
    for value in args.values:
        for member in members(value):
            if isinstance(member, Ref) and i.info(member.oid).kind == "instance" and isinstance(i.heap.get(member.oid, CLASS), Ref):
                yield member


def _takes(i: Interpreter, function: Ref, args: Arguments, *, bound: bool) -> bool:
    """Whether a function has parameters for just these arguments."""
    info = i.info(function.oid).payload
    if not isinstance(info, FunctionInfo) or args.star is not None or args.kwstar is not None:
        return False
    params = [param for param in info.node.params if not param.star][bound:]
    names = {param.name for param in params}
    required = sum(param.default is None for param in params)
    stars = {param.star for param in info.node.params}
    given = len(args.args) + len(args.keywords)
    return given >= required and (given <= len(params) or "*" in stars) and (names.issuperset(args.keywords) or "**" in stars)


def _changing(i: Interpreter, frame: Frame) -> frozenset[tuple[int, int]]:
    """Where the functions stand at the top of the file that may change what they are given, and that nothing in the file calls."""
    blocks = i.project.symbols(frame.source, i.tracers).blocks
    called = frozenset[str]().union(*(block.calls for block in blocks))
    return frozenset(
        (block.start, block.end)
        for block in blocks
        if block.kind == "function" and block.parent == 0 and block.params and block.name not in called and (block.writes or changes(block))
    )


def _functions(i: Interpreter, frame: Frame) -> list[tuple[None, Ref]]:
    """The functions at the top of the file that set attributes of what they are given, or may change what those hold, and that nothing in the file
    calls."""
    known = i.ledger.of(Dispatched).callbacks
    if frame.source.name not in known:
        known[frame.source.name] = _changing(i, frame)
    spans = known[frame.source.name]
    found: dict[Ref, None] = {}
    for value in i.heap.fields(frame.module).values() if spans else ():
        for member in members(value):
            info = i.info(member.oid).payload if isinstance(member, Ref) else None
            if (
                isinstance(member, Ref)
                and isinstance(info, FunctionInfo)
                and info.source is frame.source
                and (info.node.start, info.node.end) in spans
            ):
                found[member] = None
    return [(None, function) for function in found]


def _methods(i: Interpreter, name: str, frame: Frame) -> list[tuple[Ref, Ref]]:
    """The classes at the top of the file that define a method which may change its arguments, each with that method."""
    blocks = {
        (block.start, block.end)
        for block in i.project.symbols(frame.source, i.tracers).blocks
        if block.kind == "function" and block.name.rpartition(".")[2] == name and (block.writes - block.own or changes(block))
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


def changes(block: Block) -> bool:
    """Whether a method calls methods that change containers or modules, on what is none of its own variables."""
    known = changers()
    return any(method in known or method in MODULE_CHANGES for method, _ in block.uses)


def _may_call(i: Interpreter, cls: Ref | None, method: Ref, args: Arguments, place: Place, frame: Frame) -> None:
    owner = some_object(i, cls, place) if cls is not None else None
    if cls is not None and owner is None:
        return

    _may_run(i, cls, method, owner, args, place, frame)


def _may_run(i: Interpreter, cls: Ref | None, method: Ref, owner: Value | None, args: Arguments, place: Place, frame: Frame) -> None:
    """Run a method of an object, or a function, on the open condition that a call comes to it."""
    info = i.info(method.oid).payload
    assert isinstance(info, FunctionInfo)
    callee = in_one_line(place.text.partition("(")[0])
    i.ledger.of(Dispatched).methods[Place(info.source, info.node.start, info.node.end)] = f"`{callee}` is {_named(i, cls, method, place)}"

    def run() -> Value:
        i.call(Bound(owner, method) if owner is not None else method, args, place, frame)
        return NONE

    called = i.undecided("open", place, tag=("dispatched", (cls or method).oid))
    i.fork([((called,), run), ((Condition("open", place, called.opposite),), lambda: NONE)])


def _named(i: Interpreter, cls: Ref | None, method: Ref, place: Place) -> str:
    """What the callee is presumed to be."""
    if cls is None:
        info = i.info(method.oid).payload
        return f"`{info.name}`" if isinstance(info, FunctionInfo) else "a function of the file"
    label = i.info(cls.oid).label
    return f"that of {label}" if "." in place.text.partition("(")[0] else f"one of {label}"
