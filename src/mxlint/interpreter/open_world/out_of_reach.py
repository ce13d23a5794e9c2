"""Arrays of an object that nobody out of sight can compute before it is used: they lie under private names that only its constructor and its compiled functions
read.

Whoever makes an object may compute what lies open (`mx.eval(table.basis)`), and so may any other function that names it.
"""

from __future__ import annotations

from mxlint.domain.members import Ref, members
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.lookup import class_attribute
from mxlint.source import Source


def hidden(i: Interpreter, cls: Ref, made: Ref) -> frozenset[str]:
    """The fields of an object of a class that others cannot compute. What a module holds is in its state, whatever it is called."""
    fields = i.heap.fields(made.oid)
    names = {field for field in fields if isinstance(field, str) and field.startswith("_") and "__" not in field}
    held = [part for value in fields.values() for part in members(value) if isinstance(part, Ref)]
    compiled = [ref for ref in held if i.info(ref.oid).kind == "compiled"] if names else []
    if not compiled or i.mlx.object_kind(i, made) is not None:
        return frozenset()
    bodies = [*(target(i, ref)[0] for ref in compiled), class_attribute(i, cls, "__init__")]
    infos = [payload for ref in bodies if isinstance(ref, Ref) and isinstance(payload := i.info(ref.oid).payload, FunctionInfo)]
    sources = {id(info.source): info.source for info in infos}
    read = {name for source in sources.values() for name in _read_elsewhere(i, source, infos)}
    return frozenset(name for name in names - read if not any(i.project.named_elsewhere(name, source) for source in sources.values()))


def _read_elsewhere(i: Interpreter, source: Source, infos: list[FunctionInfo]) -> set[str]:
    """The attributes that a file reads outside of some functions."""
    spans = [(info.node.start, info.node.end) for info in infos if info.source is source]
    blocks = i.project.symbols(source, i.tracers).blocks
    others = (block for block in blocks if not any(start <= block.start and block.end <= end for start, end in spans))
    return {name for block in others for name in block.attributes}
