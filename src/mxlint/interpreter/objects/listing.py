"""What lists the names and the classes of a program: `dir(x)`, `cls.__subclasses__()`, `cls.mro()`."""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import Const, External, Ref, Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.libraries.library import call_model
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects.lookup import BASES, CLASS, PLAIN, mro
from mxlint.interpreter.objects.slots import slots_of


def _subclasses(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """The classes that were made below a class of the program so far, the direct ones."""
    cls = args.args[0] if args.args else None
    if not isinstance(cls, Ref) or i.info(cls.oid).kind != "class":
        return call_model(i, "builtins.type.__subclasses__", args, place, frame) or i.symbolic(place, "subclasses")
    made = [number for number, info in enumerate(i.heap.infos) if info.kind == "class" and i.heap.exists(number)]
    below = [number for number in made if isinstance(bases := i.heap.get(number, BASES), Tuple) and cls in (bases.items or ())]
    return new_list(i, Tuple(tuple(map(Ref, below))), place)


def _mro(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return new_list(i, Tuple((*mro(i, args.args[0]), External("builtins.object"))), place)


def _dir(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """The names that an object of the program has, in order; of what extends a class of a library there are more."""
    holders = _holders(i, args.args[0]) if len(args.args) == 1 and isinstance(args.args[0], Ref) else None
    if holders is None:
        return call_model(i, "builtins.dir", args, place, frame) or i.symbolic(place, "dir")
    names = {name for holder in holders for name in (*i.heap.fields(holder.oid), *(slots_of(i, holder) or ())) if isinstance(name, str)}
    return new_list(i, Tuple(tuple(map(Const, sorted(names)))), place)


def _holders(i: Interpreter, ref: Ref) -> list[Ref] | None:
    """What holds the names of an object: itself and its classes; None if there is one of a library among these."""
    kind = i.info(ref.oid).kind
    if kind == "module":
        return [ref]
    cls = i.heap.get(ref.oid, CLASS) if kind == "instance" else ref if kind == "class" else None
    bases = mro(i, cls) if isinstance(cls, Ref) else [None]
    if not all(isinstance(base, Ref) or isinstance(base, External) and base.name in PLAIN for base in bases):
        return None
    return [ref, *(base for base in bases if isinstance(base, Ref) and base != ref)]


HANDLERS: Final[dict[str, Handler]] = {
    "builtins.dir": _dir,
    "builtins.type.__subclasses__": _subclasses,
    "builtins.type.mro": _mro,
}
"""By canonical name."""
