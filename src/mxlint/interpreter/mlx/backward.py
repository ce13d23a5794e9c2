"""What a gradient goes back through: the arrays of a differentiated function that are computed from what it is differentiated by.

Each of them has a location of its own (`PULLED`): the numbers of the differentiations around it, which are negative, and of the operations that it is
computed by whose gradients raise in a shapeless trace. Such an operation is noted where the loss turns out to be computed by it: the gradient of nothing
else is part of the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import Const, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.domain.size import Size, bounds
from mxlint.facts.events import GRADIENT, Effect, Event
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.compiled.state import Trace
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import note
from mxlint.interpreter.machine.locations import PULLED
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.models.mlx.table import Entry

_ENDS: Final = frozenset(("mlx.core.stop_gradient",))
"""What no gradient goes back through."""
_SHAPED_LIKE: Final = frozenset(f"mlx.core.{name}_like" for name in ("zeros", "ones", "full"))
"""What asks for nothing but the shape of its first operand."""
_FLAT: Final = frozenset(
    (
        *(f"mlx.core.{name}" for name in ("floor", "ceil", "round", "sign", "floor_divide", "array.round")),
        *(f"mlx.core.array.__{name}__" for name in ("floordiv", "ifloordiv", "rfloordiv")),
    )
)
"""What has a gradient of zeros, though its result has a type that has gradients."""
_CONVERTS: Final = frozenset(("mlx.core.array.astype",))
"""What gradients go back through whatever the type of its result."""
_MULTIPLIES: Final = frozenset(("mlx.core.matmul", *(f"mlx.core.array.__{name}__" for name in ("matmul", "rmatmul", "imatmul"))))
"""What multiplies matrices, and stacks of them."""
_REPEATS: Final = frozenset(("mlx.core.fast.rms_norm", "mlx.core.fast.layer_norm", "mlx.core.broadcast_to"))
"""What repeats operands of fewer axes, beside what works element by element."""
_BY_WEIGHTS: Final = {
    f"mlx.core.{name}{n}d": f"mlx.nn.{layer}{n}d"
    for name, layer in (("conv", "Conv"), ("conv_transpose", "ConvTranspose"))
    for n in (1, 2, 3)
}
"""Functions whose gradient by the second operand is that of a layer by its weights."""
_MATRICES: Final = frozenset(("nn.Linear",))
"""Layers that multiply what they are given by their only weight."""
Shape = tuple[object, ...]


def _on(i: Interpreter) -> Trace | None:
    """The running trace, if it is a shapeless one that differentiates here."""
    return i.trace if i.trace is not None and i.trace.shapeless and i.trace.pulling else None


def _numbers(i: Interpreter, values: Iterable[Value]) -> frozenset[int]:
    """All that is said of arrays among values."""
    found: set[int] = set()
    for array in arrays_in(i, *values):
        for held in members(i.heap.get(array.ident, PULLED) or Tuple(())):
            found.update(item.value for item in held.items or () if isinstance(item, Const)) if isinstance(held, Tuple) else None  # type: ignore[misc]
    return frozenset(found)


def _say(i: Interpreter, values: Iterable[Value], numbers: frozenset[int]) -> None:
    for array in arrays_in(i, *values):
        i.heap.set(array.ident, PULLED, Tuple(tuple(map(Const, sorted(numbers)))))


@contextmanager
def by(i: Interpreter, values: Iterable[Value], place: Place) -> Iterator[int | None]:
    """Differentiate by the arrays among values. Gives the number of that differentiation; None outside of shapeless traces."""
    trace = i.trace
    if trace is None or not trace.shapeless:
        yield None
        return
    number = -i.ident(place, "differentiated")
    for value in values:
        for array in arrays_in(i, value):
            i.heap.set(array.ident, PULLED, Tuple(tuple(map(Const, sorted(_numbers(i, (array,)) | {number})))))
    trace.pulling.append(number)
    try:
        yield number
    finally:
        trace.pulling.pop()


@contextmanager
def apart(i: Interpreter) -> Iterator[None]:
    """Run a function that has a gradient of its own: none goes back through what it does."""
    if i.trace is None:
        yield
        return
    pulling, i.trace.pulling = i.trace.pulling, []
    try:
        yield
    finally:
        i.trace.pulling = pulling


def follows(i: Interpreter, operands: Sequence[Value]) -> bool:
    """Whether something is differentiated here that operands are computed from."""
    trace = _on(i)
    return trace is not None and not _numbers(i, operands).isdisjoint(trace.pulling)


def carried(i: Interpreter, name: str, made: Value, operands: Sequence[Value]) -> None:
    """Arrays are computed from operands, and with them from what these are computed from. The gradient of what counts or compares is zeros, whatever is
    made of its result: they go back through its operands, and what comes after it has no gradient."""
    if _on(i) is None or name in _ENDS:
        return
    pulled = [array for array in arrays_in(i, *(operands[1:] if name in _SHAPED_LIKE else operands)) if _numbers(i, (array,))]
    if not pulled:
        return
    numbers = _numbers(i, pulled)
    counts = name not in _CONVERTS and all(_has_gradients(array) for array in pulled)
    for array in arrays_in(i, made):
        flat = name in _FLAT or counts and not _has_gradients(array)
        _say(i, (array,), frozenset(number for number in numbers if number > 0) if flat else numbers)


def _has_gradients(array: Array) -> bool:
    return array.dtype is None or array.dtype.startswith(("float", "bfloat", "complex"))


def through(i: Interpreter, form: str, operands: Sequence[Value], made: Value, place: Place, what: str, frame: Frame) -> None:
    """A gradient goes back through an operation from what it made: keep that, if that raises in a shapeless trace. The table speaks of the gradient by the
    first operand of a function, and of one by the weights of a layer, if it has any."""
    trace = _on(i)
    if trace is None or not follows(i, operands):
        return
    entries = i.table.entries(form)
    rank = next((len(array.shape) for array in arrays_in(i, *operands[:1]) if array.shape is not None), None)
    versions = tuple(version for version, entry in entries.items() if _raises(entry, rank))
    if not versions:
        return
    effect = Effect("first", frozenset(), "every", versions, i.table.judged)
    _keep(i, trace, sinks.prepared(i, "unsupported", place, what, frame, note_=GRADIENT, effects=(effect,)), operands, made, place, form)


def of_call(i: Interpreter, form: str, operands: Sequence[Value], made: Value, place: Place, what: str, frame: Frame) -> None:
    """The same of a function of MLX: by its first operand, and by the second where that is the weights of a layer."""
    through(i, form, operands[:1], made, place, what, frame)
    layer = _BY_WEIGHTS.get(form)
    if layer is not None:
        through(i, layer, operands[1:2], made, place, what, frame)


def _keep(i: Interpreter, trace: Trace, fact: Event | None, operands: Sequence[Value], made: Value, place: Place, tag: object) -> None:
    """Keep what is to be noted if the gradient goes back through what an operation made."""
    if fact is None:
        return
    number = i.ident(place, ("gradient", tag))
    trace.pulled[number] = fact, _numbers(i, operands).intersection(trace.pulling)
    for array in arrays_in(i, made):
        _say(i, (array,), _numbers(i, (array,)) | {number})


def _raises(entry: Entry, rank: int | None) -> bool:
    facts = entry.shapeless.at(rank) if entry.shapeless is not None else None
    return facts is not None and facts.grad == "raises" and facts.forward != "raises"


def computed(i: Interpreter, name: str, operands: Sequence[Value], made: Value, place: Place, what: str, frame: Frame) -> None:
    """The gradient by an operand that is repeated sums over the axes that it is repeated along: an operation that stretches its operands, or multiplies."""
    if _on(i) is None or not follows(i, operands):
        return
    entry = i.table.entry(name)
    arrays = [member for value in operands for member in members(value) if isinstance(member, Array)]
    if name in _MULTIPLIES:
        stacks = [array.shape[:-2] if array.shape is not None else None for array in arrays]
        pairs = [(array, stack, other) for array, stack, other in zip(arrays, stacks, reversed(stacks))]
    elif name in _REPEATS or entry is not None and (entry.shape == "broadcast" or entry.kind == "operator" and entry.shape == "same"):
        whole = next((array.shape for array in members(made) if isinstance(array, Array)), None)
        pairs = [(array, array.shape, whole) for array in arrays]
    else:
        return
    for array, own, whole in pairs:
        if own is not None and whole is not None and follows(i, (array,)):
            _summed(i, array, made, own, whole, name in _MULTIPLIES, place, what, frame)


def of_layer(
    i: Interpreter, weights: Sequence[Value], operands: Sequence[Value], made: Value, place: Place, what: str, frame: Frame
) -> None:
    """The same of the weights of a layer: vectors are repeated for all that it is given, and the matrix that is multiplied with that, if it is the only one."""
    given = next((member.shape for value in operands[:1] for member in members(value) if isinstance(member, Array)), None)
    if _on(i) is None or given is None:
        return
    for weight in weights:
        for array in members(weight):
            if isinstance(array, Array) and array.shape is not None and follows(i, (array,)):
                if len(array.shape) == 1:
                    _summed(i, array, made, array.shape, given, False, place, what, frame)
                elif len(array.shape) == 2 and len(weights) == 1 and what in _MATRICES:
                    _summed(i, array, made, (), given[:-2], True, place, what, frame)


def _summed(
    i: Interpreter, array: Array, made: Value, own: Shape, whole: Shape, stacked: bool, place: Place, what: str, frame: Frame
) -> None:
    """MLX leaves a sum along axes of length 1 out, but not what it takes from it: a call in which all that a gradient is summed along have it goes wrong.
    `stacked`: these are not all axes of the array that is summed."""
    trace = i.trace
    more = len(whole) - len(own)
    if trace is None or more <= 0 or not own and not stacked:
        return
    along = [*whole[:more], *(size for mine, size in zip(own, whole[more:]) if mine == 1 and size != 1)]
    axes = frozenset(axis for size in along if isinstance(size, Size) for axis in size.origins)
    if all(_one(size) for size in along):
        effect = Effect("crash", frozenset(), "always", i.table.judged, i.table.judged)
    elif axes and all(_one(size) or isinstance(size, Size) and size.origins for size in along):
        effect = Effect("crash", axes, "seen", i.table.judged, i.table.judged)
    else:
        return
    fact = sinks.prepared(i, "unsafe", place, what, frame, note_=GRADIENT, axes=sorted(axes, key=repr), effects=(effect,))
    _keep(i, trace, fact, (array,), made, place, "summed")


def _one(size: object) -> bool:
    return bounds(size) == (1, 1) if isinstance(size, Size) else size == 1


def arrived(i: Interpreter, number: int | None, losses: Sequence[Value]) -> None:
    """Note the operations that the losses of a differentiation are computed by whose gradients raise."""
    trace = i.trace
    if trace is None or number is None:
        return
    for loss in losses:
        for array in arrays_in(i, loss):
            for fact, by in (trace.pulled[found] for found in sorted(_numbers(i, (array,)) & trace.pulled.keys())):
                if number in by:
                    note(i, fact)
