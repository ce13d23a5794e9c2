"""Methods that an object takes only after others: `fit` after `compile`, `predict` after `load`.

A method may reach nothing compiled on an object as its constructor leaves it. Then it is called on an object whose public methods ran first, in the order of the
text: those that fill an attribute which is None or missing, put entries into an empty dict or list, or replace what the object holds by something compiled.

- If one of them is enough for the method to reach something compiled, the others may have run or not, and what happens after them depends on that.
- If it takes several, all of them ran.
- A method of which a trace finds something empty, or raises on some ways, runs once more after one by which the trace comes further.
- The one may be the method itself: its first call makes what its later ones use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from mxlint.domain.guards import Literal_
from mxlint.domain.heap import ALIVE, Field, Location
from mxlint.domain.join import bound
from mxlint.domain.members import NONE, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.calls.assignments import OF_CLASSES
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.locations import ITEMS, REST
from mxlint.interpreter.machine.paths import PREPARED, Condition
from mxlint.interpreter.objects.lookup import mro
from mxlint.interpreter.open_world.public import is_called

MAX_ALONE: Final = 4
"""Methods of which each is tried alone."""
HOLDERS: Final = ("dict", "list")
Call: TypeAlias = Callable[[Ref, FunctionInfo], object]
"""A call with symbolic arguments."""


def prepare(i: Interpreter, cls: Ref, owner: Value, method: FunctionInfo, enough: int | None, call: Call, *, others: bool) -> bool:
    """Run the methods that fill what is empty of an object; whether there is one. `enough`: the one that surely runs, by the identity of its node;
    None: each of them. `others`: the other ones may run, too."""
    found = False
    for ref, info in _public(i, cls):
        if id(info.node) == enough or enough is None and info.node is not method.node:
            found |= _fills(i, owner, ref, info, call)
        elif others and info.node is not method.node:
            found |= _may_fill(i, owner, ref, info, call)
    return found


def may_be_filled(i: Interpreter, cls: Ref, owner: Value, lacking: Location | None) -> bool:
    """Whether a public method may fill what a trace has found empty: an attribute that one sets, a dict or list that the object holds; None: any of these."""
    for owned in (member.oid for member in members(owner) if isinstance(member, Ref)):
        for field, value in i.heap.fields(owned).items():
            if lacking in (None, (owned, field)) and value == NONE and any(_sets(i, info, field) for _, info in _public(i, cls)):
                return True
            held = [other for other in members(value) if isinstance(other, Ref) and i.info(other.oid).kind in HOLDERS]
            if any(not contents(i, other.oid) if lacking is None else other.oid == lacking[0] for other in held):
                return True
    return False


def _sets(i: Interpreter, info: FunctionInfo, field: Field) -> bool:
    """Whether a method sets an attribute of its object."""
    blocks = i.project.symbols(info.source, i.tracers).blocks
    return any(info.node.start <= block.start and block.end <= info.node.end and field in block.own for block in blocks)


def enough(i: Interpreter, cls: Ref, owner: Value, call: Call, comes: Callable[[], bool]) -> int | None:
    """The first method that fills what is empty of an object so that `comes` holds, without any other: by the identity of its node."""
    tried = 0
    for ref, info in _public(i, cls):
        mark, path = i.heap.mark(), i.path
        found = tried < MAX_ALONE and _fills(i, owner, ref, info, call)
        tried += found
        if found and comes():
            return id(info.node)
        i.heap.undo(mark)
        i.path = path
    return None


def _fills(i: Interpreter, owner: Value, ref: Ref, info: FunctionInfo, call: Call) -> bool:
    """Run a method if it fills what is empty of an object."""
    mark, path, filled = i.heap.mark(), i.path, _filled(i, owner)
    try:
        call(ref, info)
    except Halt:
        fills = False
    else:
        fills = not _filled(i, owner) <= filled or _compiles(i, mark)
    if not fills:
        i.heap.undo(mark)
    i.path = path
    return fills


def _may_fill(i: Interpreter, owner: Value, ref: Ref, info: FunctionInfo, call: Call) -> bool:
    """Run such a method under the condition that somebody has called it."""
    node, found = info.node, False
    name = Place(info.source, getattr(node, "name_start", node.start), getattr(node, "name_end", node.end))
    condition = (PREPARED, name)
    i.causes.setdefault(condition, ("open", name))
    i.choices.add(condition)

    def run() -> Value:
        nonlocal found
        found = _fills(i, owner, ref, info, call)
        return NONE

    i.fork([((Condition("open", name, Literal_(condition, outcome)),), run if outcome else lambda: NONE) for outcome in (True, False)])
    return found


def _public(i: Interpreter, cls: Ref) -> Iterator[tuple[Ref, FunctionInfo]]:
    """The public methods of the objects of a class, those of its bases first."""
    for base in reversed(mro(i, cls)):
        for name, value in i.heap.fields(base.oid).items() if isinstance(base, Ref) else ():
            for member in members(value) if is_called(name) and name not in OF_CLASSES else ():
                info = i.info(member.oid).payload if isinstance(member, Ref) and i.info(member.oid).kind == "function" else None
                if isinstance(member, Ref) and isinstance(info, FunctionInfo):
                    yield member, info


def _compiles(i: Interpreter, mark: int) -> bool:
    """Whether an object that is older than a mark holds something compiled since, in the place of something else."""
    return any(not before and after for before, after in _compiled_since(i, mark))


def compiles_anew(i: Interpreter, mark: int) -> bool:
    """Whether an object that is older than a mark holds something else that is compiled since, in the place of what was."""
    return any(before and after and before != after for before, after in _compiled_since(i, mark))


def _compiled_since(i: Interpreter, mark: int) -> Iterator[tuple[set[int], set[int]]]:
    """What compiled objects lay where an object that is older than a mark holds something else since, and which lie there now."""
    before = {location: value for location, value in reversed(i.heap.trail[mark:])}
    for (oid, field), value in before.items():
        if isinstance(field, str) and value is not None and (oid, ALIVE) not in before:
            yield _compiled_in(i, value), _compiled_in(i, i.heap.get(oid, field) or NONE)


def _compiled_in(i: Interpreter, value: Value) -> set[int]:
    return {member.oid for member in members(value) if isinstance(member, Ref) and i.info(member.oid).kind == "compiled"}


def _filled(i: Interpreter, owner: Value) -> frozenset[tuple[int, Field]]:
    """The attributes of an object that hold something, and the entries of the dicts and lists among them: of a list, that it has some."""
    own = frozenset(
        (member.oid, field)
        for member in members(owner)
        if isinstance(member, Ref)
        for field, value in i.heap.fields(member.oid).items()
        if isinstance(field, str) and NONE not in members(value)
    )
    held = {member.oid for oid, field in own for member in members(i.heap.get(oid, field) or NONE) if isinstance(member, Ref)}
    return own | {location for oid in held if i.info(oid).kind in HOLDERS for location in contents(i, oid)}


def contents(i: Interpreter, oid: int) -> set[tuple[int, Field]]:
    """The entries of a dict or list: of a list, that it has some."""
    return {(oid, field) for field, value in i.heap.fields(oid).items() if _is_content(field) and bound(value) not in (None, Tuple(()))}


def _is_content(field: Field) -> bool:
    """Whether a field of a dict or list is a part of what lies in it."""
    return field in (ITEMS, REST) or isinstance(field, tuple) and field[0] == "k"
