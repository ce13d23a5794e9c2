"""Broadcasts in a shapeless trace, which come out too small where MLX fuses the operations behind them.

MLX fuses operations that work element by element, and leaves out the broadcasts before them: the fused kernel broadcasts its operands itself. Its result is only as
large as they make it. That is too small where no other operand is as large as the broadcast was. The operands of any other operation, and results, are broadcast
to the sizes of the first call. The trace keeps for each array of a fused operation the shape that it comes to have (`fused`), if that is not the right one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from mxlint.domain.arrays import Array
from mxlint.domain.members import Value, members
from mxlint.domain.place import Place
from mxlint.facts.events import Effect
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.compiled.traces import Trace
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx import backward, shapeless
from mxlint.models.mlx.gradients import load_gradients, together

Shape = tuple[object, ...]


def computed(
    i: Interpreter, name: str, args: Sequence[Value], keywords: Mapping[str, Value], made: Value, place: Place, frame: Frame
) -> None:
    """An operation takes its operands as broadcast as they are, or takes the broadcasts up; or it is a broadcast itself."""
    trace = i.trace
    if trace is None or not trace.shapeless:
        return
    if load_gradients(i.table.version).is_broadcast(name):
        _broadcast(i, trace, name, args, keywords, made, place, frame)
    elif trace.broadcasts.stretched:
        _taken(i, trace, name, args, keywords, made)


def taken(i: Interpreter, values: Sequence[Value]) -> None:
    """Something that is not fused takes arrays as they are."""
    trace = i.trace
    if trace is not None and trace.broadcasts.stretched:
        for array in arrays_in(i, *values):
            if array.ident in trace.broadcasts.stretched:
                trace.broadcasts.stretched[array.ident]()


def _broadcast(
    i: Interpreter, trace: Trace, name: str, args: Sequence[Value], keywords: Mapping[str, Value], made: Value, place: Place, frame: Frame
) -> None:
    given = (*args, *keywords.values())
    operand = next((member for value in given for member in members(value) if isinstance(member, Array)), None)
    for array in members(made):
        if isinstance(array, Array) and operand is not None and None not in (operand.shape, array.shape) and operand.shape != array.shape:
            what = shapeless.short(name)
            trace.broadcasts.stretched[array.ident] = partial(shapeless.bake, i, given, place, what, frame)
            trace.broadcasts.fused[array.ident] = trace.broadcasts.fused.get(operand.ident, operand.shape or ())
            trace.broadcasts.said[array.ident] = partial(_too_small, i, place, what, frame)


def _taken(i: Interpreter, trace: Trace, name: str, args: Sequence[Value], keywords: Mapping[str, Value], made: Value) -> None:
    given = backward.operands(name, args, keywords)
    if not any(array.ident in trace.broadcasts.stretched for _, value in given for array in arrays_in(i, value)):
        return
    known = {version: _fused(version, name, given) for version in i.table.judged}
    versions = tuple(version for version, fused in known.items() if fused)
    if not versions:
        taken(i, [value for _, value in given] if False in known.values() else ())
        return
    arrays = [member for _, value in given for member in members(value) if isinstance(member, Array)]
    shapes = [trace.broadcasts.fused.get(array.ident, array.shape) for array in arrays]
    whole = together([shape for shape in shapes if shape is not None]) if None not in shapes else None
    said = next((trace.broadcasts.said[array.ident] for array in arrays if array.ident in trace.broadcasts.said), None)
    for array in members(made):
        if isinstance(array, Array) and array.shape is not None and whole is not None and whole != array.shape and said is not None:
            trace.broadcasts.fused[array.ident] = whole
            trace.broadcasts.said[array.ident] = said
            trace.broadcasts.stretched[array.ident] = partial(said, versions)


def _fused(version: str, name: str, given: Sequence[tuple[str, Value]]) -> bool | None:
    """Whether an operation is fused with broadcasts of what it is given; None if that was not measured."""
    operands = [
        parameter for parameter, value in given if parameter.endswith("[]") or any(isinstance(member, Array) for member in members(value))
    ]
    known = [load_gradients(version).operand(name, parameter) for parameter in operands]
    return None if None in known else all(fact is not None and fact.fused for fact in known)


def _too_small(i: Interpreter, place: Place, what: str, frame: Frame, versions: tuple[str, ...]) -> None:
    effect = Effect("wrong", frozenset(), "always", versions, i.table.judged)
    sinks.event(i, "unsafe", place, what, frame, effects=(effect,))
