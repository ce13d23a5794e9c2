"""Which calls may reach something compiled: by the symbol index of the files that define what is called, and by what its names and arguments hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mxlint.domain.value import Bound, External, Ref, Value, members
from mxlint.interpreter.core import FrameInfo, Interpreter
from mxlint.syntax.index import ANY, COMPILE, Block, Import

if TYPE_CHECKING:
    from mxlint.interpreter.activations import FunctionInfo
    from mxlint.source import Source
    from mxlint.syntax import ir


def reach_of(i: Interpreter, values: tuple[Value, ...]) -> Reach:
    """What values come to, asked once for as long as nothing new is compiled, read by a trace or imported."""
    key = (*values, len(i.journal.compiled), len(i.traced), len(i.modules))
    found = i.reaches.get(key)
    if found is None:
        found = i.reaches[key] = Reach(i, values)
    return found


class Reach:
    """What a function and all that it may call come to: whether anything there compiles, is compiled or writes what a trace has read; the
    attributes and globals that are set.

    Names are followed to what they hold at present, through imports and closures. Methods count by their names where the class of the object is
    not known, and whole classes where they are named.
    """

    __slots__ = ("_i", "_objects", "compiled", "globals", "writes")

    def __init__(self, i: Interpreter, values: tuple[Value, ...]) -> None:
        self._i = i
        self._objects: set[int] = set()
        self.compiled = False
        self.writes: set[str] = set()
        self.globals: set[tuple[int, str]] = set()
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
        for oid, field in i.traced:
            if oid in self._objects and (field in self.writes or ANY in self.writes) or (oid, field) in self.globals:
                self.compiled = True

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
        within = {number: block for number, block in enumerate(found.blocks) if _lies_in(block, function.node)}
        inner = within.values()
        if any(function.node.start <= site.start < function.node.end for site in found.sites):
            self.compiled = True
            return []
        for block in inner:
            self.writes |= block.writes
            self.globals.update((function.module, name) for name in block.globals)
        held = [value for block in inner for value in self._names(ref, block)]
        attributes = frozenset().union(*(block.attributes | block.calls for block in inner))
        for item in found.imports:
            if item.block in within:
                held += self._imported(function.source, item, attributes)
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

    def _imported(self, source: Source, item: Import, attributes: frozenset[str]) -> list[Value]:
        """What an import within a function leads to: the names that it means in the module, which may not be loaded yet."""
        meant = _meant(self._i, source, item, attributes)
        if meant is None:
            return []
        module, names = meant
        oid = self._i.modules.get(module.name)
        if oid is None or not isinstance(self._i.info(oid).payload, FrameInfo):
            self.compiled = self.compiled or _may_compile(self._i, module, names)
            return []
        cells = self._i.heap.cells[oid]
        self.compiled = self.compiled or ANY in names
        return [cells[name] for name in names if name in cells]


def _lies_in(block: Block, node: ir.Node) -> bool:
    """Whether a block is that of a node, or one within it."""
    return node.start <= block.start and block.end <= node.end


def _meant(i: Interpreter, source: Source, item: Import, attributes: frozenset[str]) -> tuple[Source, frozenset[str]] | None:
    """The module of the project that an import leads to, and the names of it that are used; None for what is no module of the project."""
    if item.name is not None:
        inner = i.project.find(f"{item.module}.{item.name}" if item.module else item.name, item.level, source)
        if inner is not None and inner.source is not None:
            return inner.source, attributes
    found = i.project.find(item.module, item.level, source)
    if found is None or found.source is None:
        return None
    return found.source, attributes if item.name is None else frozenset((item.name,))


def _may_compile(i: Interpreter, source: Source, names: frozenset[str]) -> bool:
    """Whether names of a module that is not loaded lead to a place where something is compiled, by the symbol indexes alone."""
    seen: set[tuple[int, str]] = set()
    todo = [(source, name) for name in names]
    while todo:
        source, name = todo.pop()
        if (id(source), name) in seen:
            continue
        seen.add((id(source), name))
        if name == ANY:
            return True
        found = i.project.symbols(source, (COMPILE, *i.wrappers))
        defined = [block for block in found.blocks if block.parent == 0 and block.name == name]
        if not defined and name in found.blocks[0].assigns:
            defined = [found.blocks[0]]
        inner = {
            number: block
            for number, block in enumerate(found.blocks)
            if any(block is outer or outer.parent == 0 and outer.start <= block.start and block.end <= outer.end for outer in defined)
        }
        if any(outer.start <= site.start < outer.end for site in found.sites for outer in defined):
            return True
        attributes = frozenset().union(*(block.attributes | block.calls for block in inner.values()))
        todo += ((source, read) for block in inner.values() for read in block.reads | block.calls)
        for item in found.imports:
            if item.block in inner or item.block == 0 and item.bound in (name, ANY):
                meant = _meant(i, source, item, attributes)
                if meant is not None:
                    todo += ((meant[0], other) for other in (meant[1] if item.name != ANY else (name,)))
    return False
