"""What a gradient goes back through: the arrays of a differentiated function that are computed from what it is differentiated by.

`models/mlx/gradients.py` has, by operand, what was measured. Each such array has a location of its own (`PULLED`). It holds the numbers of the differentiations
around it, which are negative, and of the operations that compute it and whose gradients raise in a shapeless trace. Such an operation is noted only where the
loss turns out to be computed by it: the gradient of nothing else is part of the trace.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from mxlint.domain.arrays import Array
from mxlint.domain.members import Const, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.domain.size import Size, bounds
from mxlint.facts.events import GRADIENT, Axis, Effect, Event
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.compiled.traces import Trace
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import note
from mxlint.interpreter.machine.locations import PULLED
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.models.mlx import results
from mxlint.models.mlx.gradients import REPEATED, Gradients, Operand, load_gradients
from mxlint.models.mlx.table import Entry
from mxlint.syntax.inline import in_one_line

Shape = tuple[object, ...]


def _on(i: Interpreter) -> Trace | None:
    """The running trace, if it is a shapeless one that differentiates here."""
    return i.trace if i.trace is not None and i.trace.shapeless and i.trace.gradients.pulling else None


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
    trace.gradients.pulling.append(number)
    try:
        yield number
    finally:
        trace.gradients.pulling.pop()


@contextmanager
def without_gradient(i: Interpreter) -> Iterator[None]:
    """Run a function that has a gradient of its own: none goes back through what it does."""
    if i.trace is None:
        yield
        return
    pulling, i.trace.gradients.pulling = i.trace.gradients.pulling, []
    try:
        yield
    finally:
        i.trace.gradients.pulling = pulling


def follows(i: Interpreter, operands: Sequence[Value]) -> bool:
    """Whether something is differentiated here that operands are computed from."""
    trace = _on(i)
    return trace is not None and not _numbers(i, operands).isdisjoint(trace.gradients.pulling)


def carried(i: Interpreter, name: str, made: Value, args: Sequence[Value], keywords: Mapping[str, Value] | None = None) -> None:
    """Arrays are computed from operands, and with them from what these are computed from. A gradient of zeros goes back through an operand whatever is
    made of the result: what comes after it has no gradient."""
    if _on(i) is None:
        return
    known = _gradients(i)
    numbers: set[int] = set()
    zeros: set[int] = set()
    counted = [array for array in arrays_in(i, made) if not _has_gradients(array)]
    for parameter, value in operands(name, args, keywords or {}):
        found = _numbers(i, (value,))
        fact = known.operand(name, parameter) if found else None
        back = (
            fact.back
            if fact is not None and fact.back is not None
            else "zeros"
            if counted and all(map(_has_gradients, arrays_in(i, value)))
            else "full"
        )
        if back == "full":
            numbers |= found
        elif back == "zeros":
            zeros |= {number for number in found if number > 0}
    if numbers or zeros:
        _say(i, (made,), frozenset(numbers | zeros))


def _has_gradients(array: Array) -> bool:
    return array.dtype is None or array.dtype.startswith(("float", "bfloat", "complex"))


def through(i: Interpreter, form: str, operands: Sequence[Value], made: Value, place: Place, what: str, frame: Frame) -> None:
    """A gradient goes back through an operation from what it made: keep that, if that raises in a shapeless trace. The table speaks of the gradient by the
    first operand of a function, and of one by the weights of a layer, if it has any."""
    if follows(i, operands):
        rank = next((len(array.shape) for array in arrays_in(i, *operands[:1]) if array.shape is not None), None)
        versions = tuple(version for version, entry in i.table.entries(form).items() if _raises(entry, rank))
        _raising(i, versions, form, operands, made, place, what, frame)


def _raising(
    i: Interpreter, versions: tuple[str, ...], form: object, operands: Sequence[Value], made: Value, place: Place, what: str, frame: Frame
) -> None:
    trace = _on(i)
    if trace is not None and versions:
        effect = Effect("first", frozenset(), "every", versions, i.table.judged)
        fact = sinks.event(i, "unsupported", place, what, frame, note_=GRADIENT, effects=(effect,), noted=False)
        _keep(i, trace, fact, operands, made, place, form)


def of_call(
    i: Interpreter,
    name: str,
    form: str,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    made: Value,
    place: Place,
    what: str,
    frame: Frame,
) -> None:
    """Note, for each operand of a call of MLX, in which versions the gradient by it raises in a shapeless trace, and along which axes it sums. Of the first
    operand the table knows for which forms of a call and how many axes it raises."""
    trace = _on(i)
    if trace is None or not follows(i, (*args, *keywords.values())):
        return
    given = operands(name, args, keywords)
    first = next((parameter for parameter, value in given if any(True for _ in arrays_in(i, value))), None)
    whole = next((array.shape for array in members(made) if isinstance(array, Array)), None)
    for number, (parameter, value) in enumerate(given):
        if not follows(i, (value,)):
            continue
        facts = {version: load_gradients(version).operand(name, parameter) for version in i.table.judged}
        if parameter == first:
            through(i, form, (value,), made, place, what, frame)
            _along_axis(i, form, given, value, made, place, in_one_line(place.text), frame)
        else:
            versions = tuple(
                version
                for version, fact in facts.items()
                if fact is not None and fact.raises == "always" and _left(name, fact.unless, given)
            )
            _raising(i, versions, (form, parameter), (value,), made, place, what, frame)
        others = [other for k, (_, other) in enumerate(given) if k != number]
        _repeated(i, facts[i.table.version], value, others, made, whole, place, in_one_line(place.text), frame)


def of_layer(
    i: Interpreter,
    form: str,
    weights: Sequence[tuple[str, Value]],
    args: Sequence[Value],
    made: Value,
    place: Place,
    what: str,
    frame: Frame,
) -> None:
    """What a gradient by the weights of a layer sums. `weights`: each with its name."""
    if _on(i) is None:
        return
    whole = next((array.shape for array in members(made) if isinstance(array, Array)), None)
    for name, value in weights:
        if follows(i, (value,)):
            others = [*args, *(other for other_name, other in weights if other_name != name)]
            _repeated(i, _gradients(i).operand(form, name), value, others, made, whole, place, what, frame)


def _left(name: str, options: Collection[str], given: Sequence[tuple[str, Value]]) -> bool:
    """Whether a call surely leaves some options as they are by default."""
    for parameter, value in given:
        plain = parameter.removesuffix("[]")
        if plain in options:
            parts = (value.items or (value,)) if isinstance(value, Tuple) else (value,)
            if any(part != Const(results.default_of(name, plain)) for part in parts):
                return False
    return True


def operands(name: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> list[tuple[str, Value]]:
    """The operands of a call by their parameters; with [] for those that lie in a list."""
    given = results.named(name, args, keywords)
    lists = [any(isinstance(member, (Tuple, Ref)) for member in members(value)) for _, value in given]
    return [(f"{parameter}[]" if listed else parameter, value) for (parameter, value), listed in zip(given, lists)]


def _gradients(i: Interpreter) -> Gradients:
    return load_gradients(i.table.version)


def _keep(i: Interpreter, trace: Trace, fact: Event | None, operands: Sequence[Value], made: Value, place: Place, tag: object) -> None:
    """Keep what is to be noted if the gradient goes back through what an operation made."""
    if fact is None:
        return
    number = i.ident(place, ("gradient", tag))
    trace.gradients.pulled[number] = fact, _numbers(i, operands).intersection(trace.gradients.pulling)
    for array in arrays_in(i, made):
        _say(i, (array,), _numbers(i, (array,)) | {number})


def _raises(entry: Entry, rank: int | None) -> bool:
    facts = entry.shapeless.at(rank) if entry.shapeless is not None else None
    return facts is not None and facts.grad == "raises" and facts.forward != "raises"


# -- sums --------------------------------------------------------------------------------------------------------------


def _repeated(
    i: Interpreter,
    fact: Operand | None,
    value: Value,
    others: Sequence[Value],
    made: Value,
    whole: Shape | None,
    place: Place,
    what: str,
    frame: Frame,
) -> None:
    """The gradient by an operand that is repeated sums over the axes that it is repeated along."""
    if fact is None or not fact.sums:
        return
    shapes = [member.shape for other in others for member in members(other) if isinstance(member, Array)]
    for array in members(value):
        if isinstance(array, Array) and array.shape is not None and None not in shapes and follows(i, (array,)):
            pair = REPEATED[fact.sums](array.shape, [shape for shape in shapes if shape is not None], whole)
            if pair is not None:
                all_axes = whole is not None and len(pair[1]) == len(whole)
                _summed(i, array, made, *pair, all_axes, place, what, frame)


def _summed(
    i: Interpreter, array: Array, made: Value, own: Shape, whole: Shape, all_axes: bool, place: Place, what: str, frame: Frame
) -> None:
    """MLX leaves a sum along axes of length 1 out, but not what it takes from it: a call in which all that a gradient is summed along have it goes wrong.
    So does one in which an axis has another length than 1 that has it at the first call, or the other way round: what is summed along is decided there.
    `all_axes`: those of `whole` are all axes of what is summed; a sum along all of them is another operation, and never left out."""
    trace = i.trace
    more = len(whole) - len(own)
    if trace is None or more < 0:
        return
    pairs = list(zip((1,) * more + tuple(own), whole))
    along = [size for number, (mine, size) in enumerate(pairs) if number < more or _one(mine) and _one(size) is False]
    judged = i.table.judged
    effects = _left_out(i, along) if not (all_axes and len(along) == len(pairs)) else []
    changing = frozenset[Axis]()
    for mine, size in pairs[more:]:
        if _one(mine) and _one(size) is not None:
            changing |= _origins((size,)) - _origins((mine,)) if _one(size) else _origins((mine,))
    if changing:
        effects.append(Effect("wrong", changing, "seen", judged, judged))
    if effects:
        every = sorted({axis for effect in effects for axis in effect.axes}, key=repr)
        fact = sinks.event(i, "unsafe", place, what, frame, note_=GRADIENT, axes=every, effects=tuple(effects), noted=False)
        _keep(i, trace, fact, (array,), made, place, "summed")


def _left_out(i: Interpreter, along: Sequence[object]) -> list[Effect]:
    """What comes of a sum along axes of some lengths, where all of them are 1."""
    axes = _origins(along)
    judged = i.table.judged
    if along and all(_one(size) and not _origins((size,)) for size in along):
        return [Effect("crash", frozenset(), "always", judged, judged)]
    if axes and all(_one(size) or _origins((size,)) for size in along):
        return [Effect("crash", axes, "seen", judged, judged)]
    return []


def _along_axis(
    i: Interpreter, form: str, given: Sequence[tuple[str, Value]], value: Value, made: Value, place: Place, what: str, frame: Frame
) -> None:
    """The gradient of what works along an axis, and keeps the shape, may sum along it: the table says that it goes wrong between lengths of 1 and others."""
    entry = i.table.entry(form)
    array = next((member for member in members(value) if isinstance(member, Array)), None)
    axis = next((other for parameter, other in given if parameter == "axis"), None)
    if (
        entry is None
        or entry.shape != "same"
        or entry.shapeless is None
        or not entry.shapeless.grad_unit
        or array is None
        or not array.shape
    ):
        return
    if not isinstance(axis, Const) or not isinstance(axis.value, int) or not -len(array.shape) <= axis.value < len(array.shape) > 1:
        return
    effects = tuple(_left_out(i, array.shape[axis.value : axis.value + 1 or None]))
    trace = i.trace
    if trace is not None and effects:
        axes = sorted({each for effect in effects for each in effect.axes}, key=repr)
        fact = sinks.event(i, "unsafe", place, what, frame, note_=GRADIENT, axes=axes, effects=effects, noted=False)
        _keep(i, trace, fact, (array,), made, place, "along")


def _origins(sizes: Iterable[object]) -> frozenset[Axis]:
    return frozenset(axis for size in sizes if isinstance(size, Size) for axis in size.origins)


def _one(size: object) -> bool | None:
    """Whether a length is 1 at the first call; None if that is not known."""
    low, high = bounds(size) if isinstance(size, Size) else (size, size) if isinstance(size, int) else (0, 2)
    return True if low == high == 1 else False if low > 1 or high < 1 else None


def arrived(i: Interpreter, number: int | None, losses: Sequence[Value]) -> tuple[Event, ...]:
    """What is to be said of the operations that the losses of a differentiation are computed by."""
    trace = i.trace
    if trace is None or number is None:
        return ()
    found = dict.fromkeys(
        number
        for loss in losses
        for array in arrays_in(i, loss)
        for number in sorted(_numbers(i, (array,)) & trace.gradients.pulled.keys())
    )
    return tuple(fact for fact, by in (trace.gradients.pulled[each] for each in found) if number in by)


def brought(i: Interpreter, facts: Sequence[Event], gradients: Value) -> None:
    """Keep what is to be said of the operations that gradients go back through until something uses these, or they leave the function: a gradient that is
    thrown away is no part of the trace."""
    trace = i.trace
    if trace is None or not facts or i.silent:
        return
    arrays = list(arrays_in(i, gradients))
    for array in arrays:
        trace.gradients.brought.setdefault(array.ident, {}).update(dict.fromkeys(facts))
    for fact in facts if not arrays else ():
        note(i, fact)
