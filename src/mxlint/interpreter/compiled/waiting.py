"""What a shapeless trace computes of constants: if what makes it cannot infer a shape, that raises where it becomes part of what is compiled. It does not
where nothing uses it, or where it is computed before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mxlint.domain.arrays import Array, Operands
from mxlint.domain.members import TRUE, Const, Value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import note
from mxlint.interpreter.machine.locations import LAZY, OPERANDS, WAITING
from mxlint.interpreter.machine.reach import arrays_in


def made(i: Interpreter, result: Value, operands: Sequence[Value]) -> None:
    """An operation in a trace is done. What it makes of constants is no part of what is compiled yet, and is none at all if it is computed before it
    becomes one."""
    if i.trace is None or not i.trace.shapeless:
        return
    waiting, i.trace.waiting = i.trace.waiting, []
    before = tuple(dict.fromkeys(array.ident for array in arrays_in(i, *operands)))
    for array in arrays_in(i, result):
        if array.trace is not None:
            continue
        if before:
            i.heap.set(array.ident, OPERANDS, Operands(before))
        if waiting:
            i.heap.set(array.ident, WAITING, Const(tuple(waiting)))


def entering(i: Interpreter, arrays: Iterable[Array]) -> None:
    """Arrays become part of what the running trace compiles: with constants that are still to be computed, so does what makes them."""
    if i.trace is None or not i.trace.shapeless:
        return
    todo = [array.ident for array in arrays if array.trace is None]
    met: set[int] = set()
    while todo:
        ident = todo.pop()
        if ident in met or i.heap.get(ident, LAZY) != TRUE:
            continue
        met.add(ident)
        waiting, origin = i.heap.get(ident, WAITING), i.heap.get(ident, OPERANDS)
        for fact in waiting.value if isinstance(waiting, Const) and isinstance(waiting.value, tuple) else ():
            note(i, fact)
        todo.extend(origin.idents or () if isinstance(origin, Operands) else ())
