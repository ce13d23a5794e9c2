"""What the code of a function names, with that of all blocks within it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, TypeAlias

from mxlint.syntax.index import ANY, COUNTS, GIVEN, Block, Import
from mxlint.syntax.names import NOTHING

How: TypeAlias = tuple[str, str]
"""The class whose objects something changes, "" if it changes an argument, and how: adds, removes, reorders, replaces."""
OF_ARRAYS: Final[frozenset[How]] = frozenset((("mlx.core.array", "replaces"),))
"""What `+= 1` does: an array is changed in place, a number is not."""
READERS: Final = frozenset(("vars", "locals", "globals", "eval", "exec"))
"""Builtins by which code may read all attributes of an object, or all names."""
NAMESPACES: Final = frozenset(("globals", "eval", "exec"))
"""Those of them by which it may read any name of its module."""
OWN_MODULE: Final = frozenset(("modules", "__name__"))
"""Names by both of which code may come to its module: `sys.modules[__name__]`."""
WALKS: Final = frozenset((ANY, "__dict__"))
"""Attributes that stand for all those of an object."""
CLASS_NAMES: Final = frozenset(("type", "__class__"))
"""What gives the class of an object, so that it may be called."""


@dataclass(frozen=True, slots=True)
class Libraries:
    """What libraries do with what they are given, by last names. `callers` call an argument; `changers` change their object or an argument in place."""

    callers: frozenset[str]
    changers: Mapping[str, frozenset[How]]


class Builtins:
    """By which names a file comes to `READERS`. `mx.eval` is none of them, if the file does not import the module of the builtins."""

    __slots__ = ("_by_attribute", "_renamed")

    def __init__(self, imports: Iterable[Import]) -> None:
        given = [item for item in imports if item.origin.partition(".")[0] == "builtins"]
        self._by_attribute = any(item.name in (None, ANY) for item in given)
        self._renamed = {item.bound: item.name for item in given if item.name in READERS}

    def among(self, names: AbstractSet[str], attributes: AbstractSet[str]) -> AbstractSet[str]:
        """Those that code comes to which reads some names and attributes."""
        found = READERS & names | {self._renamed[name] for name in self._renamed.keys() & names}
        return found | READERS & attributes if self._by_attribute or "__builtins__" in names else found


@dataclass(frozen=True, slots=True)
class Code:
    """What a function names.

    `compiles`: something is compiled in it. `bound` are the variables of its blocks, and "" for expressions; `names` what it reads or calls; `attributes`
    those that it reads, with what stands for all of them; `named` what it calls, or hands to calls. `calls_values`: it calls what a variable holds, or an
    expression gives, or hands that to a library that does; `makes_any`: it asks for the class of something, of which it may make another. `own` are
    the attributes that methods set on their own object, `others` those that are set on anything; `module` the names of the module that are set,
    `nonlocals` those of blocks around. `imports` stand in it, and may mean any of the attributes `imported`. `changes`: what may be changed in place,
    by the owner of it as in a `Block`, and how. `whole_module`: any name of the module may be read.
    """

    compiles: bool
    bound: frozenset[str]
    names: frozenset[str]
    attributes: frozenset[str]
    named: frozenset[str]
    calls_values: bool
    makes_any: bool
    own: frozenset[str]
    others: frozenset[str]
    module: frozenset[str]
    nonlocals: frozenset[str]
    imports: tuple[Import, ...]
    imported: frozenset[str]
    changes: tuple[tuple[str, frozenset[How]], ...]
    whole_module: bool


def code_of(blocks: Collection[Block], compiles: bool, imports: tuple[Import, ...], libraries: Libraries, builtins: Builtins) -> Code:
    """The code of some blocks, one of which is around the others."""

    def union(field: str) -> frozenset[str]:
        sets = [getattr(block, field) for block in blocks]
        return sets[0] if len(sets) == 1 else frozenset().union(*sets) or NOTHING

    bound = frozenset(("",)) | union("loops") | union("assigns") | frozenset(name for block in blocks for name in block.params)
    calls, attributes, hands = union("calls"), union("attributes"), union("hands")
    free = frozenset[str]().union(*(block.reads - block.binds - block.loops - {*block.params} for block in blocks))
    readers = builtins.among(free, attributes)
    return Code(
        compiles,
        bound,
        union("reads") | calls,
        attributes | WALKS if readers else attributes,
        calls | hands,
        not bound.isdisjoint(union("called")) or any(_hands_on(block, bound, libraries.callers) for block in blocks),
        not CLASS_NAMES.isdisjoint(calls | attributes),
        union("own"),
        frozenset().union(*(block.writes - block.own for block in blocks)) or NOTHING,
        union("globals") | union("named"),
        union("nonlocals"),
        imports,
        attributes | calls,
        tuple(_changes(blocks, libraries.changers).items()),
        not readers.isdisjoint(NAMESPACES) or attributes | union("reads") >= OWN_MODULE,
    )


def _hands_on(block: Block, bound: frozenset[str], callers: frozenset[str]) -> bool:
    """Whether a block gives what a variable holds, or an expression gives, to something of a library that calls what it is given."""
    return not bound.isdisjoint(block.hands) and not block.calls.isdisjoint(callers)


def _changes(blocks: Collection[Block], changers: Mapping[str, frozenset[How]]) -> dict[str, frozenset[How]]:
    """What blocks may change in place, and how: what they call a changing method of, and what they hand to a function that changes it."""
    found: dict[str, frozenset[How]] = {}
    for block in blocks:
        for use, owner in block.uses:
            name = use.removesuffix(GIVEN)
            how = frozenset(way for way in changers.get(name, ()) if bool(way[0]) == (name == use)) if use != COUNTS else OF_ARRAYS
            if how:
                found[owner] = found.get(owner, frozenset()) | how
    return found
