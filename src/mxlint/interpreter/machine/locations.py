"""The names of locations that no attribute of a program has: the items of a list, the content of a dict, a part of a tuple."""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from mxlint.domain.heap import Field, Location
from mxlint.domain.members import Applied, Step

ITEMS: Final = ("#", "items")
NEW: Final = ("#", "new")
"""Begins the fields in which it is kept that the present round has compiled something: behind it the place and the loops around."""
USED: Final = ("#", "used")
"""The same of what was called that some round has compiled."""
ENUM_MEMBERS: Final = ("#", "members")
"""Of a class that is an enum: its members in order."""
ENUM_NAMES: Final = ("#", "names of members")
"""The same: their names in order, of which one may have several."""
REORDERED: Final = ("#", "reordered")
"""Of a list: what it held when a library had put its items in another order, and what it held before that."""
REMADE: Final = ("#", "remade")
"""Of a list: around which loop it was made, in one of whose rounds it was made of the one of an earlier round and more."""
ADDED: Final = ("#", "added")
"""Of a list: what is put at its end. It is a write of the list, and not of any item that it has."""
KEPT: Final = "#kept"
"""With a number, what an activation of a generator keeps."""
ANY: Final = ("#", "any item")
REST: Final = ("#", "rest")
"""Of a dict: what may lie under keys that are not known."""
REST_KEY: Final = ("#", "restkey")
"""Of a dict: what those keys are."""
TREE: Final = ("#", "tree")
"""Of a dict: that it is a tree of a module whose layers are not in sight, or made of one: which. What stands there
for any array may be a tree of arrays."""
KEYS: Final = ("#", "keys")
"""Of a dict: its keys, in order."""
TAKEN: Final = ("#", "taken out")
"""Of a dict: that something was taken out, or that what is no array was put in. All else leaves it with the same keys, or with more arrays."""
UNORDERED: Final = ("#", "in any order")
"""Of a dict, list or set: its keys or items, whatever their order."""
DISTINCT: Final = ("#", "distinct")
"""Of a list or set: its items in any order, each once."""
MANY: Final = ("#", "how many")
"""Of a container whose items are not known one by one: what stands for how many they are, since something last changed that."""
MORE: Final = ("#", "how many more")
"""The same: how many more, or less, they are by now, as far as it is counted."""
WHICH: Final = ("#", "which items")
"""The same for which items it holds, wherever each of them lies."""
ORDER: Final = ("#", "in which order")
"""The same for the order of these."""
FRONT: Final = ("#", "from the front")
"""The same for what lies at a place that is counted from its beginning."""
BACK: Final = ("#", "from the back")
"""The same for what lies at a place that is counted from its end."""
FILLING: Final = ("#", "anything")
"""The same for whether anything is in it."""
ONE: Final = "about"
"""Begins the location that stands for what lies at one place of it, or for whether one thing is in it: the location of that follows."""
TAKEN_OF: Final = ("#", "one less of")
"""Of a list: what stood for its items before one of them was taken out, if nothing has changed them since."""
REORDERED_OF: Final = ("#", "reordered of")
"""Of a list: the number of the container whose items it holds in another order, and what stood in its cells then."""
_CELLS: Final = frozenset((MANY, MORE, WHICH, ORDER, FRONT, BACK, FILLING, TAKEN_OF, REORDERED_OF))
COPIED: Final = ("#", "copied from")
"""Of what a trace makes: the older dicts whose entries were put into it, in order; the object that it is a copy of."""
CONTENTS: Final = ("#", "contents")
"""Of an object of a library, such as an array of numpy: all that it holds."""
HELD: Final = ("#", "held")
"""Of what stands for something symbolic: what that holds as a whole."""
HELD_COUNT: Final = ("#", "held in all")
"""The same: how many items it holds."""
HELD_UNORDERED: Final = ("#", "held in any order")
"""The same: its items, in any order."""
WHOLE: Final = (HELD, HELD_COUNT, HELD_UNORDERED)
"""What may be asked of what stands for something symbolic as a whole."""
CELL: Final = "cell"
"""Begins the location of what such an object holds at an index that is known."""
PART_OF: Final = ("#", "part of")
"""Of such an object that looks at the data of another: which, at what part of it, and whether it may be a copy as well."""
OF: Final = ("#", "of")
"""Of a dict that is the attributes of an object: the object."""
INSTEAD: Final = ("#", "instead of __dict__")
"""Of an object: the dict that the program gave it for its attributes."""
CHANGED: Final = ("#", "changed in a trace")
"""Of an argument that a trace changed a copy of: the key of that change in the ledger."""
BROKEN: Final = ("#", "left with placeholders")
"""Of a compiled object with inputs=: an exception has left a trace of it, since which nothing has called it with other arrays."""
OPENED: Final = ("#", "placeholders out of sight")
"""Of a compiled object that captures what nobody in sight gives: the number of the trace that has put placeholders there, while they are there."""
LAZY: Final = ("#", "lazy")
"""Of an array: whether it was surely never computed."""
UNSIZED: Final = ("#", "infers no shape")
"""Of an array that host code makes: the operation, or the layer, if that cannot infer a shape where a shapeless trace asks for it."""
LAST_AXIS: Final = ("#", "last axis")
"""Of an array of a shapeless trace of which nobody says how many axes it has: the axes of arguments that the last one comes from, if that is known; else None."""
LAST_LENGTH: Final = ("#", "length of the last axis")
"""Of an array of a trace of which nobody says how many axes it has: how long the last one is, None where what is made there differs."""
MAPPED: Final = ("#", "mapped over")
"""Of an array in a function that `mx.vmap` runs: the length of the axis that is mapped over, and which it was; absent where it is not mapped."""
PULLED: Final = ("#", "pulled back")
"""Of an array in a function that a shapeless trace differentiates: what it is differentiated by, and the operations that gradients go back through to that."""
PART: Final = "part"
"""Begins the location of a part of a tuple: where the tuple lies, and the way through it."""
BY_CLASS: Final = "by class"
"""Begins the location of what an object has by its class, under a name."""
SAME: Final = -1
"""Instead of the number of an object: the one in which a location lies itself."""
STORED: Final = ("stored", "element")
"""Of something of a library: what iterating over it gives."""
LENGTH: Final = ("#", "length")
"""Of an array of a library: how long it is, if that is another number in each round of some loops."""
MOVED: Final = ("#", "moved")
"""Of an array of a library: a number in it, if that is another one in each round of some loops."""
OPERANDS: Final = ("#", "from")
"""Of an array: what it is computed from."""
RECIPE: Final = ("#", "made by")
"""Of an array: by which function it was made, of which constants, where nothing else decides its content."""
MAXSIZE: Final = ("#", "maxsize")
"""Of a function under `lru_cache`: how many values it keeps, where that is given."""
TYPED: Final = ("#", "typed")
"""Of one: whether it tells 1 from 1.0, where that is given."""


def part(field: object, path: tuple[Step, ...]) -> Field:
    """The location of what lies in a tuple: an index or the name of a field for each tuple on the way."""
    return (PART, field, path) if path else field


def is_cell(field: Field) -> bool:
    """Whether a location stands for something that may be asked of a container, and holds nothing of it."""
    return field in _CELLS or isinstance(field, tuple) and field[0] == ONE


def whole(location: Location) -> Location:
    """Where the tuple lies of which a location is a part; the location itself, if it is none."""
    oid, field = location
    return (oid, field[1]) if isinstance(field, tuple) and field[0] == PART else location


def unapplied(path: tuple[Step, ...]) -> tuple[Step, ...]:
    """The way to a scalar, without the operators that something is made of it by."""
    return tuple(takewhile(lambda step: not isinstance(step, Applied), path))


def scalar_at(location: Location) -> Location:
    """Where the scalar lies of which operators make what is at a location; the location itself, if none do."""
    oid, field = location
    return (oid, part(field[1], unapplied(field[2]))) if isinstance(field, tuple) and field[0] == PART else location
