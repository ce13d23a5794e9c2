"""What lies where in a file, and what the names at its top lead to, by its symbol index."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from mxlint.syntax.code import Builtins, Code, Libraries, code_of
from mxlint.syntax.index import ANY, Block, Import, Index


@dataclass(frozen=True, slots=True)
class Definition:
    """All that a name at the top of a file may stand for: whether something is compiled in it, the names that it reads or calls, the attributes
    that it reads, and the imports that it means, that stand in it, or that bind what it names."""

    compiles: bool
    names: tuple[str, ...]
    attributes: frozenset[str]
    imports: tuple[Import, ...]


class Outline:
    """The index of a file, asked by places and by names. What was asked once is kept."""

    def __init__(self, index: Index, libraries: Libraries) -> None:
        self._index = index
        self._libraries = libraries
        self._builtins = Builtins(index.imports)
        self._codes: dict[tuple[int, int], Code] = {}
        order = sorted((block.start, number) for number, block in enumerate(index.blocks))
        self._starts = [start for start, _ in order]
        self._numbers = [number for _, number in order]
        self._sites = sorted((*(site.start for site in index.sites), *index.perhaps))
        self._compiled = frozenset(site.compiled for site in index.sites if site.block == 0)  # outside of the functions, as decorators are
        self._definitions: dict[str, Definition] = {}

    def within(self, start: int, end: int) -> dict[int, Block]:
        """The blocks that lie between two offsets, by number."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        blocks = self._index.blocks
        return {number: blocks[number] for number in sorted(self._numbers[first:last]) if blocks[number].end <= end}

    def code(self, start: int, end: int) -> Code:
        """What the function between two offsets names."""
        known = self._codes.get((start, end))
        if known is None:
            blocks = self.within(start, end)
            imports = tuple(self.imports(blocks))
            known = self._codes[start, end] = code_of(blocks.values(), self.compiles(start, end), imports, self._libraries, self._builtins)
        return known

    def compiles(self, start: int, end: int) -> bool:
        """Whether something is compiled between two offsets."""
        return bisect_left(self._sites, start) < bisect_left(self._sites, end)

    def imports(self, blocks: Iterable[int]) -> list[Import]:
        """The imports that stand in some blocks."""
        return [item for number in blocks for item in self._imports.get(number, ())]

    def definition(self, name: str) -> Definition:
        """What a name at the top may stand for."""
        known = self._definitions.get(name)
        if known is None:
            known = self._definitions[name] = self._defined(name)
        return known

    def _defined(self, name: str) -> Definition:
        meant = tuple(self._meaning.get(name, ())) + tuple(self._meaning.get(ANY, ()))
        tops = self._tops.get(name)
        if tops is None:
            return self._module if name in self._index.blocks[0].assigns else Definition(False, (), frozenset(), meant)
        inner = {number: block for top in tops for number, block in self.within(top.start, top.end).items()}
        compiles = name in self._compiled or any(self.compiles(top.start, top.end) for top in tops)
        return self._definition(compiles, inner.values(), (*self.imports(inner), *meant))

    @cached_property
    def _module(self) -> Definition:
        """What the statements at the top lead to: what any name may stand for that they bind."""
        top = self._index.blocks[0]
        return self._definition(bool(self._sites), (top,), self.imports((0,)))

    def _definition(self, compiles: bool, blocks: Collection[Block], imports: Iterable[Import]) -> Definition:
        names = tuple(sorted(set().union(*(block.reads | block.calls for block in blocks))))
        attributes = frozenset().union(*(block.attributes | block.calls for block in blocks))
        named = (item for name in names for item in self._meaning.get(name, ()))
        return Definition(compiles, names, attributes, tuple(dict.fromkeys((*imports, *named))))

    @cached_property
    def _imports(self) -> dict[int, list[Import]]:
        """The imports of each block."""
        found: dict[int, list[Import]] = {}
        for item in self._index.imports:
            found.setdefault(item.block, []).append(item)
        return found

    @cached_property
    def _meaning(self) -> dict[str, list[Import]]:
        """The imports at the top, by the name that they bind."""
        found: dict[str, list[Import]] = {}
        for item in self.imports((0,)):
            found.setdefault(item.bound, []).append(item)
        return found

    @cached_property
    def _tops(self) -> dict[str, list[Block]]:
        """The functions and classes at the top."""
        found: dict[str, list[Block]] = {}
        for block in self._index.blocks:
            if block.parent == 0:
                found.setdefault(block.name, []).append(block)
        return found
