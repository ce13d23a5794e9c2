"""`nn.quantize`: quantized layers take the place of those that can be quantized and that the predicate, if there is one, chooses."""

from __future__ import annotations

from mxlint.domain.arrays import Array, Operands
from mxlint.domain.members import NONE, TRUE, External, Ref, Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import writes
from mxlint.interpreter.compiled.state import FROZEN
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS, LAZY, OPERANDS
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx.kinds import CLASS
from mxlint.interpreter.mlx.submodules import submodules
from mxlint.interpreter.open_world import opaque
from mxlint.models.mlx.traits import quantized


def quantize(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`nn.quantize(model)`: other layers in the place of those that can be quantized and that a predicate, if there is one, takes."""
    predicate = args.get(4, "class_predicate")
    for owner in list(submodules(i, args.args[0])):
        opaque.changed(i, owner, place, frame)
        for field, value in list(i.heap.fields(owner.oid).items()):
            if isinstance(field, str) and isinstance(value, Ref) and i.info(value.oid).kind == "list":
                content = i.heap.get(value.oid, ITEMS)
                for number, item in enumerate(content.items or () if isinstance(content, Tuple) else ()):
                    _quantize_one(i, value.oid, ("item", number), item, predicate, place, frame)
            elif isinstance(field, str):
                _quantize_one(i, owner.oid, field, value, predicate, place, frame)
    return NONE


def _quantize_one(i: Interpreter, oid: int, field: object, layer: Value, predicate: Value | None, place: Place, frame: Frame) -> None:
    cls = i.heap.get(layer.oid, CLASS) if isinstance(layer, Ref) else None
    cls_name = quantized(cls.name) if isinstance(cls, External) else None
    if cls_name is None or not isinstance(layer, Ref):
        return
    if predicate is not None and predicate != NONE:
        answer = i.call(
            predicate, Arguments((i.symbolic(place, "path", kinds=frozenset(("str",))), layer), places=(place, place)), place, frame
        )
        if i.truth(answer, place, frame).outcome is not True:
            return
    made = i.allocate("instance", None, place, ("quantized", layer.oid), label=cls_name.rpartition(".")[2])
    for held_field, there in list(i.heap.fields(layer.oid).items()):
        i.heap.set(made, held_field, External(cls_name) if held_field == CLASS else there)
    weight = i.heap.get(layer.oid, "weight")
    rows = weight.shape[:-1] if isinstance(weight, Array) and weight.shape else None
    shape = (*rows, None) if rows is not None else None
    for name, dtype in (("weight", "uint32"), ("scales", None), ("biases", None)):
        ident = i.ident(place, (name, layer.oid))
        i.heap.set(made, name, Array(ident, None, shape, dtype))
        if i.trace is None:
            i.heap.set(ident, LAZY, TRUE)
            i.heap.set(ident, OPERANDS, Operands(tuple(array.ident for array in arrays_in(i, weight or NONE))))
    i.heap.set(made, FROZEN, Tuple((TRUE, NONE)))
    if isinstance(field, tuple):
        content = i.heap.get(oid, ITEMS)
        if isinstance(content, Tuple) and content.items is not None:
            items = list(content.items)
            items[field[1]] = Ref(made)
            i.heap.set(oid, ITEMS, Tuple(tuple(items)))
    else:
        i.heap.set(oid, field, Ref(made))
    writes.on_write(i, oid, field, Ref(made), place, frame, "update")
