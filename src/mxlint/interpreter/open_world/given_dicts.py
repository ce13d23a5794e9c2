"""Dicts that nobody in sight gives to a compiled function: MLX takes arrays, numbers and strings in them, and by that presumption each entry is an array.

What lies under a key that the program names is one array, the same each time; what is so used as an array says nothing of the other entries. Where no
use shows that an entry is an array nothing is said of it: the dict may hold settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from mxlint.domain.arrays import Array, Chain
from mxlint.domain.guards import Literal_, opposite
from mxlint.domain.heap import Field
from mxlint.domain.join import of
from mxlint.domain.members import TRUE, UNBOUND, Const, Member, Option, Ref, Symbolic, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.locations import KEYS, REST, TAKEN
from mxlint.interpreter.machine.reach import HOLDERS, each_place
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.open_world.presumptions import PRESUMED, root, words
from mxlint.interpreter.open_world.shadows import Shadows

LABEL: Final = ("#", "given as")
"""Of such a dict: what the program calls it."""
HANDED_ON: Final = ("#", "handed on")
"""Of such a dict: that something has it which is not in sight."""
COPY_OF: Final = ("#", "given copy of")
"""Of such a dict in a trace: the one that the caller gives."""
ARGUMENT: Final = ("#", "argument")
"""Of a placeholder: of which argument it is, or is part of."""


def is_given(i: Interpreter, oid: int) -> bool:
    """Whether a dict is one that nobody in sight gives."""
    return i.heap.get(oid, LABEL) is not None


def name_entry(i: Interpreter, oid: int, key: Const, rest: Value, place: Place) -> Value | None:
    """What lies in such a dict under a key that the program names for the first time, and may not be there; `rest`: what stands for any entry. None if that
    says all that is known of it."""
    label, at = i.heap.get(oid, LABEL), i.info(oid).place
    if not isinstance(label, Const) or not isinstance(rest, Array) or at is None or i.trace is None:
        return None
    made = apart(i, rest, ("entry", key), f"{label.value}[{key.value!r}]", at)
    journal(i).entries.add(made.ident)
    asked = is_there(i, oid, key, place)
    there = (Literal_(asked.identity, True),) if asked is not None else ()
    value = of([Option(made, there), Option(UNBOUND, tuple(map(opposite, there)))])
    i.heap.set(oid, ("k", key), value)
    return value


def is_there(i: Interpreter, oid: int, key: Member, place: Place) -> Symbolic | None:
    """Whether such a dict has a key: each test of that key asks the same. None if the program has changed it, other than under keys that are known."""
    whole = _as_given(
        i, oid, lambda field: field in (KEYS, TAKEN) or isinstance(field, tuple) and field[0] == "k" and isinstance(field[1], Const)
    )
    return None if whole is None else i.derived("in", (key, whole), frozenset(("bool",)), place)


def length(i: Interpreter, oid: int, place: Place) -> Symbolic | None:
    """How many entries such a dict has. None if the program has changed it."""
    whole = _as_given(i, oid, lambda field: False)
    return None if whole is None else i.derived("len", (whole,), frozenset(("int",)), place)


def _as_given(i: Interpreter, oid: int, may_change: Callable[[Field], bool]) -> Member | None:
    """What stands for any entry of such a dict, and names it: whoever gives it decides what it has, and what a trace gets of it has what the caller has. None
    once it was handed to what is not in sight, or the program has written more of it than it `may_change`."""
    rest, original = i.heap.get(oid, REST), i.heap.get(oid, COPY_OF)
    if not is_given(i, oid) or not isinstance(rest, Array) or i.heap.get(oid, HANDED_ON) is not None or not _only(i, oid, may_change):
        return None
    if isinstance(original, Symbolic):
        return original if _only(i, i.ledger.of(Shadows).objects.get(original.identity), may_change) else None
    return _as_given(i, original.oid, may_change) if isinstance(original, Ref) else rest


def _only(i: Interpreter, oid: int | None, may_change: Callable[[Field], bool]) -> bool:
    """Whether the program has written no more of an object than it may."""
    return all(may_change(field) for at, field in i.ledger.of(Writes).counts if at == oid)


def handed_on(i: Interpreter, values: Iterable[Value]) -> None:
    """Something that is not in sight is given values, and may change the dicts in them."""
    for _, _, member in each_place(i, values, HOLDERS | {"partial"}):
        if isinstance(member, Ref) and is_given(i, member.oid):
            i.heap.set(member.oid, HANDED_ON, TRUE)


def nested(i: Interpreter, owner: Array, key: Const, place: Place) -> Array | None:
    """What lies under a string in what was taken for an array so far: that is a dict, each entry of which is presumed to be an array. None if it is no
    presumption that it is one."""
    made = part(i, owner, key.value, place) if isinstance(key.value, str) else None
    if made is not None:
        journal(i).numbers.add(owner.ident)
        journal(i).entries.add(made.ident)
    return made


def part(i: Interpreter, owner: Array, number: object, place: Place) -> Array | None:
    """An item of what is only presumed to be an array, and may be a tuple or dict as well: that it is an array is a presumption of its own. None if
    `owner` is one for sure."""
    said = words(i, owner)
    if i.trace is None or root(owner) != owner.ident or not said:
        return None
    field = ("given item", number)
    known = i.heap.get(owner.ident, field)
    if isinstance(known, Array):
        return known
    made = apart(i, owner, field, f"{said.split('`')[1]}[{number!r}]", place)
    i.heap.set(owner.ident, field, made)
    if isinstance(number, int):
        journal(i).items[made.ident] = words(i, made)
    return made


def apart(i: Interpreter, whole: Array, tag: object, name: str, place: Place) -> Array:
    """An array by itself of those that a placeholder stands for: that it is one is another presumption."""
    assert i.trace is not None
    ident = i.ident(place, (whole.ident, tag))
    i.info(ident).trace = i.info(whole.ident).trace
    for field in (ARGUMENT, ("#", "original")):
        value = i.heap.get(whole.ident, field)
        if value is not None:
            i.heap.set(ident, field, value)
    i.heap.set(ident, PRESUMED, Const(f"`{name}` is an array"))
    i.trace.parts[ident] = frozenset()
    i.trace.given.names.add(ident)
    return whole.but(ident=ident, chain=Chain(place, "argument", presumed=ident))


def mark(i: Interpreter, oid: int, label: str, rest: Value, original: Ref | Symbolic | None = None) -> None:
    """Make a dict one of these. `rest`: the array that stands for any entry. `original`: the dict that it is the copy of, in a trace."""
    if original is not None:
        i.heap.set(oid, COPY_OF, original)
    i.heap.set(oid, LABEL, Const(label))
    number = root(rest) if isinstance(rest, Array) else None
    if number is not None:
        journal(i).entries.add(number)
