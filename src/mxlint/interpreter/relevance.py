"""Which calls may reach something compiled: by the symbol index of the files that define what is called, and by what its names and arguments hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mxlint.domain.value import Bound, External, Ref, Value, members
from mxlint.interpreter.core import FrameInfo, Interpreter
from mxlint.syntax.index import COMPILE, Block

if TYPE_CHECKING:
    from mxlint.interpreter.activations import FunctionInfo
    from mxlint.source import Source


def reach_of(i: Interpreter, values: tuple[Value, ...]) -> Reach:
    """What values come to, asked once for as long as nothing new is compiled or imported."""
    key = (*values, len(i.journal.compiled), len(i.modules))
    found = i.reaches.get(key)
    if found is None:
        found = i.reaches[key] = Reach(i, values)
    return found


class Reach:
    """What a function and all that it may call come to: whether anything there compiles, is compiled or writes a global; the attributes that are set.

    Names are followed to what they hold at present, through imports and closures. Methods count by their names where the class of the object is
    not known, and whole classes where they are named.
    """

    __slots__ = ("_i", "_objects", "compiled", "writes")

    def __init__(self, i: Interpreter, values: tuple[Value, ...]) -> None:
        self._i = i
        self._objects: set[int] = set()
        self.compiled = False
        self.writes: set[str] = set()
        todo = list(values)
        while todo and not self.compiled:
            for member in members(todo.pop()):
                if isinstance(member, Bound):
                    todo += (member.owner, member.function)
                elif isinstance(member, External):
                    self.compiled = self.compiled or member.name in (COMPILE, *i.wrappers)
                elif isinstance(member, Ref) and member.oid not in self._objects:
                    self._objects.add(member.oid)
                    todo += self._object(member)

    @property
    def objects(self) -> frozenset[int]:
        """The objects that it may come to."""
        return frozenset(self._objects)

    def _object(self, ref: Ref) -> list[Value]:
        """What an object leads to."""
        from mxlint.interpreter.activations import FunctionInfo

        info = self._i.info(ref.oid)
        if info.kind in ("compiled", "transform"):
            self.compiled = True
            return []
        if info.kind in ("module", "frame"):
            return []
        held = [value for field, value in self._i.heap.cells[ref.oid].items() if field != ("#", "parent") or info.kind != "function"]
        if isinstance(info.payload, FunctionInfo):
            held += self._function(ref, info.payload)
        return held

    def _function(self, ref: Ref, function: FunctionInfo) -> list[Value]:
        """What the names in a function hold."""
        found = self._i.project.symbols(function.source, (COMPILE, *self._i.wrappers))
        inner = [block for block in found.blocks if function.node.start <= block.start and block.end <= function.node.end]
        numbers = {number for number, block in enumerate(found.blocks) if block in inner}
        if any(function.node.start <= site.start < function.node.end for site in found.sites) or any(block.globals for block in inner):
            self.compiled = True
            return []
        for block in inner:
            self.writes |= block.writes
        held = [value for block in inner for value in self._names(ref, block)]
        for item in found.imports:
            if item.block in numbers:
                held += self._imported(function.source, item.module, item.level, item.name)
        return held

    def _names(self, ref: Ref, block: Block) -> list[Value]:
        cells = self._i.heap.cells
        held: list[Value] = []
        attributes = block.attributes | block.calls
        for name in block.reads | block.calls:
            outer = cells[ref.oid].get(("#", "parent"))
            value: Value | None = None
            while value is None and isinstance(outer, Ref):
                value = cells[outer.oid].get(name)
                outer = cells[outer.oid].get(("#", "parent"))
            for member in members(value) if value is not None else ():
                if isinstance(member, Ref) and self._i.info(member.oid).kind == "module":
                    held += [cells[member.oid][attribute] for attribute in attributes if attribute in cells[member.oid]]
                else:
                    held.append(member)
        cls = cells[ref.oid].get(("#", "cls"))
        if isinstance(cls, Ref):
            held += [cells[cls.oid][attribute] for attribute in attributes if attribute in cells[cls.oid]]
        return held

    def _imported(self, source: Source, module: str, level: int, name: str | None) -> list[Value]:
        """What an import within a function leads to; what is not loaded yet may lead anywhere."""
        found = self._i.project.find(module, level, source)
        if found is None:
            return []
        oid = self._i.modules.get(found.source.name) if found.source is not None else None
        if oid is None or name is None or not isinstance(self._i.info(oid).payload, FrameInfo):
            self.compiled = True
            return []
        value = self._i.heap.cells[oid].get(name)
        return [] if value is None else [value]
