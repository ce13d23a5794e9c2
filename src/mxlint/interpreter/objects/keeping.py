"""What a constructor out of sight may keep: an attribute of the name of a keyword is what was given, or what is there without it.

In `class Settings(BaseModel)` with `debug: bool = False`, `Settings(debug=True)` runs code that nobody sees. Such constructors keep what they are given under
its name, but one may also leave it out, and the default of the class counts.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.guards import Identity, Literal_
from mxlint.domain.members import NONE, UNBOUND, Const, External, Ref, Symbolic, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers import open_entries
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects.lookup import ANNOTATED, CLASS, class_attribute, mro
from mxlint.interpreter.open_world.defaults import Defaults

CONSTRUCTOR: Final = "#constructor out of sight"
"""`__init__` of a base of which nothing is known."""


def construct(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """A constructor out of sight is called, with the object as its first argument."""
    for member in members(args.args[0]) if args.args else ():
        if isinstance(member, Ref) and i.info(member.oid).kind == "instance":
            for name, given in _given(i, member, args, place).items():
                value = _kept_or_not(i, given, i.heap.get(member.oid, name) or UNBOUND, place, name)
                i.heap.set(member.oid, name, value)
                i.operations.written(i, member.oid, name, value, args.place(-1, name, place), frame)
    return NONE


def _given(i: Interpreter, owner: Ref, args: Arguments, place: Place) -> dict[str, Value]:
    """What is given by keywords, and what `**` may give of that which the class annotates."""
    found = {**args.keywords, **args.named}
    if args.unnamed is not None:
        for name, default in kept_fields(i, i.heap.get(owner.oid, CLASS) or UNBOUND):
            if name not in found:
                ways = [open_entries.at_key(i, args.unnamed, Const(name), place), *([] if default is None else [default])]
                found[name] = choices.any_of(i, ways, place, ("given", name))
    return found


def _kept_or_not(i: Interpreter, given: Value, present: Value, place: Place, name: str) -> Value:
    """What was given, if it is kept, and else what was there. That it is not kept is nothing that the program shows: what happens then is not said, but counted.
    What nobody in sight gives may be what was there as well."""
    if any(isinstance(member, (Symbolic, Unknown)) for member in members(given)):
        return given
    is_kept: Identity = ("choice", place, i.context, ("kept", name))
    is_left: Identity = ("choice", place, i.context, ("left", name))
    i.causes[is_kept] = ("open", place)
    i.causes[is_left] = ("imprecise", place)
    i.choices.update((is_kept, is_left))
    i.ledger.of(Defaults).values[is_kept] = Const(True)
    left = (Literal_(is_kept, False), Literal_(is_left, True))
    return guarded([(given, (Literal_(is_kept, True),)), (present, left)])


def kept_fields(i: Interpreter, cls: Value) -> list[tuple[str, Value | None]]:
    """What classes of the program annotate whose constructor is out of sight, each name with its default: such a constructor takes what is to lie there."""
    order = mro(i, cls)
    if all(isinstance(base, (Ref, External)) for base in order):
        return []
    listed = [i.heap.get(base.oid, ANNOTATED) for base in reversed(order) if isinstance(base, Ref)]
    names = dict.fromkeys(str(name.value) for held in listed if isinstance(held, Tuple) for name in held.parts if isinstance(name, Const))
    return [(name, class_attribute(i, cls, name)) for name in names]
