"""What the program puts in place of something of a library: `nn.Linear.__call__ = patched`, `mx.fast.rope = mine`.

A library is no object of the program, so an object of the heap stands for each of its classes and modules of which the program may set an attribute.
What lies there is the library's own until the program writes it, in all states.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.heap import Info
from mxlint.domain.members import Const, External, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.traces import TraceNumbers
from mxlint.models.load import bases, constant, model

CLASSES: Final = frozenset(("__class__",))
"""The attribute that says of which class an object is, which its own methods may set as well."""


class Replaced:
    """What the program sets on classes and modules of libraries."""

    __slots__ = ("assigned", "indexed", "objects")

    def __init__(self) -> None:
        self.objects: dict[str, int] = {}
        """The objects that stand for classes and modules of libraries of which the program sets attributes, by name."""
        self.assigned: set[str] = set()
        """The names of the attributes that the files in `indexed` set, on something other than the object of a method."""
        self.indexed: set[str] = set()
        """The modules that have been asked which attributes they set."""


def may_be(i: Interpreter, name: str) -> bool:
    """Whether any file in sight sets an attribute of a name, on something other than the object of a method."""
    names, files = i.ledger.of(Replaced).assigned, i.ledger.of(Replaced).indexed
    if len(files) < len(i.modules):
        for module in i.modules.keys() - files:
            files.add(module)
            info = i.info(i.modules[module]).payload
            for block in i.project.symbols(info.source, i.tracers).blocks if isinstance(info, FrameInfo) else ():
                names |= block.writes - block.own
                names |= block.writes & CLASSES
    return name in names


def held(i: Interpreter, cls: str, name: str) -> tuple[int, Value] | None:
    """What the program has put in place of an attribute of something of a library, or of one that its class inherits, and the object that stands for
    that; None if nothing."""
    for owner in _asked(i, cls, name):
        oid, value = _location(i, owner, name)
        if not _is_own(i, owner, name, value):
            return oid, value
    return None


def asked(i: Interpreter, cls: str, name: str, place: Place, frame: Frame) -> None:
    """Note that a trace asks something of a library for an attribute, and which it finds: later the program may put another one there."""
    if i.trace is None:
        return
    asked = _asked(i, cls, name)
    for owner in asked:
        oid, value = _location(i, owner, name)
        if not _is_own(i, owner, name, value):
            i.operations.read(i, oid, name, value, place, frame)
            return
        if _defines(i, asked[-1], name):
            i.operations.read_through(i, oid, name, value, place, frame)


def put(i: Interpreter, owner: str, name: str, value: Value | None, place: Place, frame: Frame) -> None:
    """`owner.name = value`. None: what the program has put there is taken away."""
    if not may_be(i, name):
        # By `setattr` under a name that no file writes out: who has read it before has not said so.
        i.ledger.of(Replaced).assigned.add(name)
        if i.ledger.of(TraceNumbers).numbers:
            i.imprecise("an attribute of a library that is set under a name which is computed", place)
    oid, _ = _location(i, owner, name)
    value = _own(i, owner, name) if value is None else value
    i.heap.set(oid, name, value)
    i.operations.written(i, oid, name, value, place, frame)


def _asked(i: Interpreter, cls: str, name: str) -> list[str]:
    """Where Python looks an attribute up that may be another one: in something of a library, and in the classes that it inherits from, up to the first
    that has one of its own or that the program has given one."""
    found: list[str] = []
    for owner in (
        dict.fromkeys((cls, *(base for base in bases(cls) if base != "builtins.object"), *i.mlx.bases(cls))) if may_be(i, name) else ()
    ):
        found.append(owner)
        if _defines(i, owner, name) or not _is_own(i, owner, name, _location(i, owner, name)[1]):
            break
    return found


def _defines(i: Interpreter, owner: str, name: str) -> bool:
    own = f"{owner}.{name}"
    return i.mlx.defines(owner, name) or model(own) is not None or constant(own) is not None


def _own(i: Interpreter, owner: str, name: str) -> External:
    """The library's own attribute, whatever it is."""
    return External(i.mlx.canonical(f"{owner}.{name}"))


def _is_own(i: Interpreter, owner: str, name: str, value: Value) -> bool:
    """Whether something of a library has what it came with, as the program may have kept and put back, too."""
    known = constant(f"{owner}.{name}") if isinstance(value, Const) else None
    return value == _own(i, owner, name) or known is not None and known.known and isinstance(value, Const) and known.value == value.value


def _location(i: Interpreter, owner: str, name: str) -> tuple[int, Value]:
    """The object that stands for something of a library, and what it holds under a name."""
    oid = i.ledger.of(Replaced).objects.get(owner)
    if oid is None:
        oid = i.ledger.of(Replaced).objects[owner] = i.heap.new(Info("library", owner, None, label=owner.rpartition(".")[2]))
    value = i.heap.get(oid, name)
    if value is None:
        value = _own(i, owner, name)
        mark = i.heap.mark()
        i.heap.set(oid, name, value)
        i.heap.settle(mark)
    return oid, value
