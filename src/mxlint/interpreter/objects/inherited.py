"""Attributes that an object has from a base class out of sight: a module or an optimizer, where its own methods use them as one.

In `class Trainer(BaseTrainer)` with `self.optimizer.update(self.model, grads)`, `self.optimizer` is an optimizer and `self.model` a module.
"""

from __future__ import annotations

from mxlint.domain.members import External, Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.reach import arrays_in, each_place
from mxlint.interpreter.objects.lookup import class_attribute, mro
from mxlint.interpreter.open_world.standing import Standing
from mxlint.interpreter.open_world.uses import WORDS, kept_by_use
from mxlint.models.load import model


class Inherited:
    """What the methods of classes with a base out of sight use as a module or an optimizer, by the class and the attribute."""

    __slots__ = ("classes",)

    def __init__(self) -> None:
        self.classes: dict[int, dict[str, External]] = {}


def give(i: Interpreter, cls: Ref, owner: Ref, place: Place, frame: Frame) -> None:
    """Put into a new object what its base gives it: before `__init__`, in which it may be used."""
    if all(isinstance(base, Ref) or isinstance(base, External) and _is_known(i, base) for base in mro(i, cls)):
        return
    known = i.ledger.of(Inherited).classes
    if cls.oid not in known:
        used = {} if class_attribute(i, cls, "__getattr__") is not None else kept_by_use(i, [b for b in mro(i, cls) if isinstance(b, Ref)])
        known[cls.oid] = {name: kind for name, kind in used.items() if class_attribute(i, cls, name) is None}
    for name, kind in known[cls.oid].items():
        with i.within(("inherited", name)):
            made = i.call(kind, Arguments((), {}, star=i.symbolic(place, "argument")), place, frame)
        for array in arrays_in(i, made):
            sinks.computed(i, array)
        for _, _, member in each_place(i, (made,)):
            if isinstance(member, Ref):
                i.ledger.of(Standing).presumed[member.oid] = f"`self.{name}` is {WORDS[kind]}"
        i.heap.set(owner.oid, name, made)


def _is_known(i: Interpreter, base: External) -> bool:
    """Whether a class of a library is one of which it is known what it gives."""
    return model(base.name) is not None or i.mlx.class_kind(i, base) is not None


def sets_itself(i: Interpreter, cls: Value, name: str) -> bool:
    """Whether a method of a class, or of one that it inherits from, sets an attribute of its object: then it is no other class that has it."""
    for base in mro(i, cls) if isinstance(cls, Ref) else ():
        place = i.info(base.oid).place if isinstance(base, Ref) else None
        blocks = i.project.symbols(place.source, i.tracers).blocks if place is not None else ()
        if any(place is not None and place.start <= block.start and block.end <= place.end and name in block.own for block in blocks):
            return True
    return False
