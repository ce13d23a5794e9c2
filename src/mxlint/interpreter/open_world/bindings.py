"""What a variable or attribute holds that is bound to the result of a call out of sight: a module or an optimizer, if its uses say so.

After `self.model = build()`, `nn.value_and_grad(self.model, loss)` says that it is a module.
"""

from __future__ import annotations

from mxlint.domain.guards import Identity
from mxlint.domain.members import External, Ref, Symbolic, Value
from mxlint.interpreter.calls.relevance import DEFINED_IN
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.mlx.kinds import CLASS
from mxlint.interpreter.open_world.parameters import instance_by_use
from mxlint.interpreter.open_world.uses import attribute_by_use, bound_by_use
from mxlint.syntax import ir


class TakenFor:
    """The objects that stand for what calls out of sight give and uses say what it is, by what the call gave."""

    __slots__ = ("objects",)

    def __init__(self) -> None:
        self.objects: dict[Identity, int] = {}


def taken(i: Interpreter, target: ir.Expr, value: Symbolic, frame: Frame) -> Value:
    """What a target is bound to that is given something of which no kind is known: an instance of the class that its uses ask for, if they do. What one
    call has given is one object, whatever it is bound to."""
    if value.kinds is not None or i.trace is not None or frame.kind != "function" or not _is_given_by_call(value):
        return value
    cls = _class_by_use(i, target, frame)
    if cls is None:
        return value
    known = i.ledger.of(TakenFor).objects
    oid = known.get(value.identity)
    if oid is not None and i.heap.get(oid, CLASS) is not None:
        return Ref(oid)
    place = frame.place(target)
    made = instance_by_use(i, cls, place.text, place)
    if not isinstance(made, Ref):
        return value
    known[value.identity] = made.oid
    return made


def _is_given_by_call(value: Symbolic) -> bool:
    """Whether something is the result of a call, or an item of one: nothing else that is read leads to it."""
    identity = value.identity
    while identity[0] == "unpacked" and isinstance(identity[1], tuple):
        identity = identity[1]
    return identity[0] == "call"


def _class_by_use(i: Interpreter, target: ir.Expr, frame: Frame) -> External | None:
    info = i.info(frame.function).payload if frame.function is not None else None
    if frame.function is None or not isinstance(info, FunctionInfo):
        return None
    ref = Ref(frame.function)
    if isinstance(target, ir.Name):
        return bound_by_use(i, ref, info, target.id) if target.id in info.node.scope.bound else None
    cls = i.heap.get(frame.function, DEFINED_IN)
    params = info.node.params
    own = isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and bool(params) and target.value.id == params[0].name
    return attribute_by_use(i, cls, target.name) if own and isinstance(target, ir.Attr) and isinstance(cls, Ref) else None
