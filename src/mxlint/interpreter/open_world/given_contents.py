"""What a container that nobody in sight gives holds as a whole: `for layer in self.layers` reads that, and `self.layers.append(layer)` changes it.

Nothing says what is in it. So what it holds is one symbolic thing until the program changes it, and another one after that. Each item that a trace has read by a
constant index or key is a location of its own, and is another one only where the change may touch it. Which methods change a container, and how, say the
models of lists, dicts and sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mxlint.domain.guards import Identity
from mxlint.domain.heap import Field
from mxlint.domain.members import UNBOUND, Const, Member, Slice, Symbolic, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers import cell_changes
from mxlint.interpreter.containers.open_entries import VALUES_OF, VIEW, at_key
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import HELD, HELD_UNORDERED, WHOLE
from mxlint.interpreter.open_world import shadows
from mxlint.models.load import model
from mxlint.models.schema import Model

CONTAINER: Final = "container"
"""What begins the identity of a parameter that an annotation says to be a container, of whatever."""
CONTAINERS: Final = ("list", "dict", "set")
Change = Callable[[Const, Value], Value]
"""What lies under a constant index or key after a change, by what lay there before."""


def read(i: Interpreter, whole: Member, place: Place, frame: Frame, field: Field = HELD) -> None:
    """A trace reads all that a container holds, or a view of it: in order, in any order, or how many items there are."""
    if i.trace is None or not isinstance(whole, Symbolic) or whole.source == "argument":
        return
    owner = _viewed(whole)
    oid = shadows.shadow(i, owner, place)
    held = i.heap.get(oid, HELD) or i.derived("held", (owner,), None, place, owner.label)
    i.operations.read(i, oid, HELD_UNORDERED if i.modes.any_order else field, held, place, frame)


def read_in_order(i: Interpreter, value: Value, place: Place, frame: Frame) -> None:
    """A trace reads all that something holds, one after the other."""
    for member in members(value) if i.trace is not None else ():
        read(i, member, place, frame)


def read_in_any_order(i: Interpreter, value: Value, place: Place, frame: Frame) -> None:
    """A trace reads all that something holds, in any order."""
    for member in members(value) if i.trace is not None else ():
        read(i, member, place, frame, HELD_UNORDERED)


def _viewed(whole: Symbolic) -> Symbolic:
    """The mapping of a view; anything else is itself."""
    match whole.identity:
        case (str(name), (str(), tuple(owner))) if name == VIEW:
            return Symbolic(owner, None, whole.label, whole.presumed, whole.source)
    return whole


def put(i: Interpreter, owner: Symbolic, index: Value, value: Value, place: Place, frame: Frame) -> None:
    """`owner[index] = value`; `del owner[index]` where the value is `UNBOUND`."""

    def change(key: Const, present: Value) -> Value:
        if isinstance(index, Slice):
            return _another(i, owner, key, place)
        return choices.chosen(i, [(key, value)], index, place, present, tag=key)

    # What lies under a constant index is written by itself.
    whole = isinstance(index, Slice)
    hows = {"renews": True} if whole else {"replaces": True} if _is_number(index) else {"replaces": True, "adds": False}
    _changed(i, owner, None if isinstance(index, Const) else change, hows, place, frame)


def taken_out(i: Interpreter, owner: Symbolic, index: Value, place: Place, frame: Frame) -> None:
    """`del owner[index]`."""
    if isinstance(index, Const) and not _is_number(index):
        shadows.write_item(i, owner, index, UNBOUND, place, frame)
    change = (lambda key, present: _another(i, owner, key, place)) if not isinstance(index, Const) or _is_number(index) else None
    _changed(i, owner, change, {"removes": not isinstance(index, Slice)}, place, frame, None if isinstance(index, Slice) else -1)


def changed_by(i: Interpreter, owner: Symbolic, how: str, place: Place, frame: Frame) -> None:
    """A library changes what it is given, as `random.shuffle(xs)` does."""
    _changed(i, owner, lambda key, present: _another(i, owner, key, place), {how: None}, place, frame)


def _is_number(index: Value) -> bool:
    return isinstance(index, Const) and type(index.value) is int


def called(i: Interpreter, function: Identity, owner: Symbolic, args: Arguments, place: Place, frame: Frame) -> None:
    """A method of a container is called, which may change it."""
    found = [known for kind in CONTAINERS if (known := model(f"builtins.{kind}{function[0]}")) is not None and known.mutates]
    if i.trace is not None and found and owner.identity[0] == CONTAINER:
        _kept(i, found, owner, args, place, frame)
    if not found or i.trace is not None:
        return
    hows = {mutation.how for known in found for mutation in known.mutates}
    by_index = any(parameter.name == "index" for known in found for parameter in known.parameters)
    given = args.args[0] if args.args else None

    def change(key: Const, present: Value) -> Value:
        if given is None and args.keywords:
            return present  # these are put under their names
        if hows == {"adds"} and not by_index and not _from_the_end(key):
            return present  # what is put at the end, or where nothing is, leaves the others where they are
        if "adds" in hows and isinstance(given, Symbolic) and not by_index:
            new = at_key(i, i.derived(VALUES_OF, (given,), None, place), key, place)
            return choices.any_of(i, (present, new), place, ("update", key), default=0)
        if isinstance(given, Const) and isinstance(given.value, str) and "removes" in hows:
            return UNBOUND if given == key else present
        return _another(i, owner, key, place)

    _changed(i, owner, change, dict.fromkeys(hows), place, frame, _counted(found, args))


def _kept(i: Interpreter, found: Sequence[Model], owner: Symbolic, args: Arguments, place: Place, frame: Frame) -> None:
    """A trace puts something into a container, as `append` does: it holds that when the trace is over, unless the trace takes something out again."""
    if any(known.stores for known in found):
        shadows.write_field(i, owner, HELD, args.values[0] if len(args.values) == 1 else Tuple(tuple(args.values)), place, frame)
    elif (oid := i.ledger.of(shadows.Shadows).objects.get(owner.identity)) is not None and i.heap.get(oid, HELD) is not None:
        i.heap.set(oid, HELD, i.symbolic(place, "held", owner.label))


def _counted(found: Sequence[Model], args: Arguments) -> int | None:
    """How many items more there are behind a call of a method, if all containers that have it agree: a list has one more behind `append`, and all have one less
    behind `pop`."""
    one = all(any(store.what.kind == "arg" for store in known.stores) and known.name.startswith("builtins.list.") for known in found)
    added = Tuple((args.args[0],)) if one and len(args.values) == len(args.args) > 0 else None
    counts = {cell_changes.counted(known, mutation, added) for known in found for mutation in known.mutates}
    return counts.pop() if len(counts) == 1 else None


def _from_the_end(key: Const) -> bool:
    return isinstance(key.value, int) and key.value < 0


def _another(i: Interpreter, owner: Symbolic, key: Const, place: Place) -> Value:
    """What lies under a constant index after a change of which nobody says what it leaves there."""
    return i.derived("[]", (i.symbolic(place, "held", owner.label), key), None, place)


def _changed(
    i: Interpreter,
    owner: Symbolic,
    change: Change | None,
    hows: Mapping[str, bool | None],
    place: Place,
    frame: Frame,
    count: int | None = None,
) -> None:
    """What a container holds is another thing now, and so may be the items that traces have read of it. `hows`: in which ways it changes, and whether it
    surely does, where that is known; `count`: how many more items there are then."""
    oid = i.ledger.of(shadows.Shadows).objects.get(owner.identity)
    if oid is None or i.trace is not None:
        return
    if any((oid, field) in i.traced for field in WHOLE):
        for how, surely in hows.items() if hows.keys() <= cell_changes.CHANGES.keys() else ():
            cell_changes.changed_out_of_sight(i, oid, how, place, surely, count)
        shadows.write_field(i, owner, HELD, i.symbolic(place, "held", owner.label), place, frame)
    fields = {field for at, field in i.traced if at == oid and isinstance(field, tuple) and field[0] == "k"} if change is not None else ()
    for key in sorted((field[1] for field in fields if isinstance(field[1], Const)), key=repr):
        present = i.heap.get(oid, ("k", key)) or i.derived("[]", (owner, key), None, place)
        new = change(key, present) if change is not None else present
        if new != present:
            shadows.write_item(i, owner, key, new, place, frame)
