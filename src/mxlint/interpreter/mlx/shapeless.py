"""What operations do in a trace under `shapeless=True`, by the measured table.

Some raise at the first call, as they can infer no shape (`mx.split`). Others go wrong when a size changes later (`x[0]`, `nn.Linear` with a bias). A size that the
program computes with is a constant of the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, TypeAlias

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.members import NONE, Const, Length, Member, Range, Ref, Slice, Symbolic, Tuple, Union, Value, members, scalar_type
from mxlint.domain.place import Place
from mxlint.domain.size import Size, bounds
from mxlint.facts.events import Axis, Effect, Extent
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.expressions.arithmetic import origins as number_origins
from mxlint.interpreter.expressions.arithmetic import size_of
from mxlint.interpreter.libraries.measures import axes_in
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import journal, note, size_fact
from mxlint.interpreter.machine.locations import ITEMS, MAPPED, UNSIZED
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx import backward, last_axes, subscripts
from mxlint.interpreter.open_world.presumptions import root
from mxlint.models.mlx.gradients import load_gradients
from mxlint.models.mlx.table import Shapeless
from mxlint.models.mlx.traits import has_trait
from mxlint.syntax.inline import in_one_line

Call: TypeAlias = "Callable[[Member], tuple[Sequence[Value], dict[str, Value]]]"
"""The arguments of a call, with one member of a value among them."""
_Found = tuple[str, frozenset[Axis], str, tuple[str, ...]]
_FIRST: Final[_Found] = ("first", frozenset(), "every", ())
ARRAY: Final = "mlx.core.array"
_NUMBERS: Final = ("bool", "int", "float")


def on(i: Interpreter) -> bool:
    """Whether the running trace is one with shapeless=True."""
    return i.trace is not None and bool(i.trace.shapeless)


def operation(
    i: Interpreter,
    name: str,
    operand: Member | None,
    place: Place,
    what: str,
    frame: Frame,
    operands: Sequence[Value] | None = None,
    presumption: str = "",
) -> bool:
    """Note what an operation does. Returns whether it raises at the first call in every version. `operands`: all that it is given, if that is more.
    `presumption`: what it depends on, in words."""
    if not on(i):
        return False
    table = i.table
    found: dict[_Found, list[str]] = {}
    entries = table.entries(name)
    given = operands if operands is not None else (operand,) if operand is not None else ()
    for version, entry in entries.items():
        for effect in _effects(i, name, entry.shapeless, operand, given) if entry.shapeless is not None else ():
            found.setdefault(effect, []).append(version)
    if not found:
        return False
    effects = tuple(Effect(way, axes, when, tuple(versions), table.judged, right) for (way, axes, when, right), versions in found.items())
    axes = sorted({axis for effect in effects for axis in effect.axes}, key=repr)
    kind = "unsupported" if _FIRST in found else "unsafe"
    sinks.event(i, kind, place, what, frame, member=operand, axes=axes, effects=effects, presumption=presumption)
    return _FIRST in found and len(found[_FIRST]) == len(entries)


def _effects(i: Interpreter, name: str, measured: Shapeless, operand: Member | None, given: Sequence[Value]) -> Iterator[_Found]:
    """The effects in one version."""
    array = operand if isinstance(operand, Array) else None
    rank = len(array.shape) if array is not None and array.shape is not None else None
    facts = measured.at(rank)
    if facts.forward == "raises":
        yield _FIRST
        return
    if array is None or i.trace is None or not i.trace.holds(array.trace):
        return
    if facts.unit and name.endswith("squeeze"):
        sizes = frozenset(axis for size in array.shape or () for axis in origins(size)) or frozenset((n, None) for n in array.origin)
        yield "wrong", sizes, "unit", ()
        return
    differentiated = facts.grad == "unsafe" and backward.follows(i, given)
    harmful = facts.axes if facts.forward == "unsafe" else facts.grad_axes if differentiated else None
    if not harmful:
        return
    bad = {int(axis): outcome for axis, outcome in harmful.items() if outcome not in ("ok", "unknown")}
    if rank is not None and len(set(harmful.values())) == 1 and len(bad) == len(harmful):
        # what every axis does that was measured, those between them do that only an array of more axes has
        bad.update({axis: next(iter(bad.values())) for axis in range(2, rank - 1)})
    if rank == 1 and bad and len(bad) < len(harmful):
        return  # measured with more dimensions, of which this one was sometimes the first and sometimes the last
    every = "one" if "ok" in harmful.values() else "every"
    exact = array.chain is not None and array.chain.note == "argument"
    for way in sorted({way for outcome in bad.values() for way in outcome.split("|")}):
        axes: frozenset[Axis] = frozenset()
        harm = [axis for axis, outcome in bad.items() if way in outcome.split("|")]
        if array.shape is None and harm == [-1] and last_axes.is_kept(i, array):
            continue
        for axis in harm:
            if array.shape is None:
                axes |= {(number, axis if exact else None) for number in array.origin}
            elif -len(array.shape) <= axis < len(array.shape):
                axes |= origins(array.shape[axis])
        if axes or array.shape is None and not array.origin:
            right = i.table.right_on(name, i.table.version, rank, harm)
            yield way, axes, every, tuple(right)


def origins(size: object) -> frozenset[Axis]:
    """The axes of arguments that a size comes from."""
    return frozenset(size.origins) if isinstance(size, Size) else frozenset()


def whatever_changes(i: Interpreter, name: str, axes: frozenset[Axis] = frozenset()) -> tuple[Effect, ...]:
    """All that a change of any size leads to under a name of the table."""
    table = i.table
    found: dict[str, list[str]] = {}
    for version, entry in table.entries(name).items() if table.has(name) else ():
        outcomes = (entry.shapeless.axes or {}).values() if entry.shapeless is not None else ()
        for way in sorted({way for outcome in outcomes for way in outcome.split("|")} - {"ok", "unknown"}):
            found.setdefault(way, []).append(version)
    return tuple(Effect(way, axes, "every", tuple(versions), table.judged) for way, versions in found.items())


# -- calls -------------------------------------------------------------------------------------------------------------


def called(i: Interpreter, name: str, args: Sequence[Value], keywords: dict[str, Value], place: Place, frame: Frame) -> str:
    """Note what a function or method does to the sizes of its arguments. Returns the form of the call that the table knows."""
    if not on(i):
        return name
    operand = _operand(name, (*args, *keywords.values()))
    how = short(name)
    form = _form(i, name, args, keywords)
    if has_trait(name, "splits by sizes") and _all_sizes_given(i, args[2:], keywords):
        bake(i, [*args, *keywords.values()], place, how, frame, _baked_form(i, name, args))
        return form
    if operation(i, form, operand, place, how, frame, (*args, *keywords.values())) or load_gradients(i.table.version).is_broadcast(name):
        return form
    if has_trait(name, "reshapes") and _own_shape(operand, args[1:]):
        return form
    bake(i, [*args, *keywords.values()], place, how, frame, _baked_form(i, name, args))
    entry = i.table.entry(name)
    elementwise = entry is not None and (entry.shape == "broadcast" or entry.kind == "operator" and entry.shape == "same")
    if elementwise and i.trace is not None and "vmap" in i.trace.transforms:
        _stretched_in_a_map(i, args, place, frame)
    if entry is not None and (entry.shape == "reduce" or has_trait(name, "reduces within")) and isinstance(operand, Array):
        _reduced(i, name, operand, args, keywords, place, how, frame)
    return form


def _all_sizes_given(i: Interpreter, args: Sequence[Value], keywords: Mapping[str, Value]) -> bool:
    """Whether a call is given a size for each axis that it makes, and leaves none of them to be computed."""
    sizes = keywords.get("shape", args[0] if args else NONE)
    content = i.heap.get(sizes.oid, ITEMS) if isinstance(sizes, Ref) else sizes
    if not isinstance(content, Tuple) or not content.items:
        return False
    return all(_is_given(member) for item in content.items for member in members(item))


def _is_given(size: Member) -> bool:
    """Whether a size is a number, and none that leaves the size to be computed. That nobody in sight gives -1 for one is taken for granted."""
    if isinstance(size, Range):
        return size.low is not None and size.low >= 0
    return isinstance(size, (Symbolic, Length)) or isinstance(size, Const) and isinstance(size.value, int) and size.value >= 0


def unsized(i: Interpreter, name: str, made: Value, args: Sequence[Value], keywords: dict[str, Value]) -> None:
    """Keep of what an operation of host code makes that it can infer no shape, in no version: a shapeless trace asks for it if the array is still to be
    computed."""
    if _infers_none(i, _form(i, name, args, keywords), _operand(name, (*args, *keywords.values()))):
        for array in arrays_in(i, made):
            i.heap.set(array.ident, UNSIZED, Const(short(name)))


def unsized_index(i: Interpreter, ident: int, array: Array, index: Value, shape: tuple[object, ...] | None, place: Place) -> None:
    """Keep of what host code takes out of an array by an index that no version can infer its shape."""
    form = form_of(index)
    if not _whole(array, form, shape) and _infers_none(i, f"{ARRAY}.__getitem__[{form}]", array):
        i.heap.set(ident, UNSIZED, Const(in_one_line(place.text)))


def _infers_none(i: Interpreter, form: str, operand: Array | None) -> bool:
    """Whether an operation can infer no shape in any version."""
    rank = len(operand.shape) if operand is not None and operand.shape is not None else None
    found = [entry.shapeless for entry in i.table.entries(form).values()]
    return bool(found) and all(each is not None and each.at(rank).forward == "raises" for each in found)


def short(name: str) -> str:
    """The name of an operation as programs write it."""
    return name.replace("mlx.core.array.", ".").replace("mlx.core.", "mx.").replace("mlx.", "")


def _operand(name: str, given: Sequence[Value]) -> Array | None:
    """The array whose sizes matter to a call; None where a first argument that is often repeated has the shape of the result already."""
    arrays = [member for value in given for member in members(value) if isinstance(member, Array)]
    if not has_trait(name, "repeats its first") or len(arrays) < 3:
        return arrays[0] if arrays else None
    added, left, right = (_known(array.shape) for array in arrays[:3])
    return None if left and right and added == (*left[:-1], right[-1]) else arrays[1]


def _reduced(
    i: Interpreter, name: str, operand: Array, args: Sequence[Value], keywords: dict[str, Value], place: Place, short: str, frame: Frame
) -> None:
    """A reduction along some axes: MLX leaves it out where they all have length 1, but not what it takes from it. So calls in which they have it go wrong."""
    axis = args[1] if len(args) > 1 else keywords.get("axis")
    if operand.shape is None or axis is None or i.trace is None or not i.trace.holds(operand.trace):
        return
    given = axis.items if isinstance(axis, Tuple) and axis.items is not None else (axis,)
    numbers = [
        a.value for a in given if isinstance(a, Const) and isinstance(a.value, int) and -len(operand.shape) <= a.value < len(operand.shape)
    ]
    if len(numbers) != len(given) or len(numbers) >= len(operand.shape):
        return
    if has_trait(name, "own along the last") and [number % len(operand.shape) for number in numbers] == [len(operand.shape) - 1]:
        return
    judged = i.table.judged
    sizes = [operand.shape[number] for number in numbers]
    along = frozenset(axis for size in sizes for axis in origins(size))
    effects: tuple[Effect, ...] = ()
    if has_trait(name, "gives positions"):
        wrong = tuple(version for version, entry in i.table.entries(name).items() if entry.shapeless is not None and entry.shapeless.unit)
        effects = (Effect("wrong", along, "seen", wrong, judged),) if along and wrong else ()
    elif all(size == 1 for size in sizes):
        effects = (Effect("crash", frozenset(), "always", judged, judged),)
    elif along and not any(isinstance(size, int) and size != 1 for size in sizes):
        effects = (Effect("crash", along, "seen", judged, judged),)
    if effects:
        sinks.event(i, "unsafe", place, short, frame, member=operand, axes=sorted(along, key=repr), effects=effects)


def _stretched_in_a_map(i: Interpreter, args: Sequence[Value], place: Place, frame: Frame) -> None:
    """An elementwise operation in a function that is mapped: operands of another shape are stretched to the sizes of the first trace. Two
    mapped ones with the same number of axes are not. One that is not mapped beside one that is gets an axis by a reshape to its sizes in that trace."""
    operands = [found for value in args for member in members(value)[:1] for found in (_operand_in_a_map(i, member),) if found is not None]
    if len(operands) < 2:
        return
    widest, wide, rounds = max(operands, key=lambda operand: len(operand[0]))
    judged = i.table.judged
    effects: list[Effect] = []
    are_mapped = any(mapped is not None for _, _, mapped in operands)
    for shape, _, mapped in operands:
        fewer = len(widest) - len(shape)
        if are_mapped and mapped is None:
            effects.append(Effect("raises", frozenset(axis for size in shape for axis in origins(size)), "every", judged, judged))
        if mapped is not None and rounds is not None:
            if not fewer or mapped.axis != 0 or rounds.axis != 0:
                continue
            effects.append(Effect("raises", mapped.origins | rounds.origins, "every", judged, judged))
        new = (size for axis, size in enumerate(widest) if axis < fewer or shape[axis - fewer] == 1 and size != 1)
        effects.append(Effect("wrong", frozenset(axis for size in new for axis in origins(size)), "less", judged, judged))
    effects = [effect for effect in effects if effect.axes]
    if effects:
        axes = sorted({axis for effect in effects for axis in effect.axes}, key=repr)
        sinks.event(i, "unsafe", place, in_one_line(place.text), frame, member=wide, axes=axes, effects=tuple(effects))


@dataclass(frozen=True, slots=True)
class _Mapped:
    """Over which axis an array is mapped, and the axes of arguments that its length comes from."""

    axis: object
    origins: frozenset[Axis]


def _operand_in_a_map(i: Interpreter, member: Member) -> tuple[tuple[object, ...], Array | None, _Mapped | None] | None:
    """The shape of an operand, the array, and what it is mapped over; None where it has no shape, or an unknown one."""
    if not isinstance(member, Array):
        return ((), None, None) if scalar_type(member) in _NUMBERS else None
    held = i.heap.get(member.ident, MAPPED)
    mapped = None
    if isinstance(held, Tuple) and held.items is not None:
        length, axis = held.items
        mapped = _Mapped(
            axis.value if isinstance(axis, Const) else None, frozenset(a for part in members(length) for a in number_origins(part))
        )
    return (member.shape, member, mapped) if member.shape is not None else None


def bake(i: Interpreter, values: Sequence[Value], place: Place, how: str, frame: Frame, form: str = "") -> None:
    """A size goes into the graph: note it."""
    axes: set[Axis] = set()
    for value in values:
        for member in members(value):
            axes |= axes_in(i, member)
    if axes:
        operand = next((member for value in values for member in members(value) if isinstance(member, Array)), None)
        shape = operand.shape if operand is not None else None
        sinks.event(
            i, "bake", place, how, frame, axes=sorted(axes, key=repr), effects=whatever_changes(i, form),
            shape=tuple(_extent(size, origins(size)) for size in shape) if shape is not None else None, sizes=_integers(i, values),
        )  # fmt: skip


def _integers(i: Interpreter, values: Sequence[Value]) -> tuple[Extent, ...] | None:
    """The integers that an operation is given beside arrays; None if it is given something else."""
    found: list[Extent] = []
    for value in values:
        content = i.heap.get(value.oid, ITEMS) if isinstance(value, Ref) else value
        for part in (content.items or (content,)) if isinstance(content, Tuple) else (value,):
            if isinstance(part, Array):
                continue
            if isinstance(part, Union) or scalar_type(part) != "int":
                return None
            found.append(_extent(size_of(part), number_origins(part)))
    return tuple(found)


def _extent(size: object, axes: frozenset[Axis]) -> Extent:
    return Extent(size_fact(size) if isinstance(size, Size) else None, axes)


def _own_shape(operand: Member | None, sizes: Sequence[Value]) -> bool:
    """Whether an array is reshaped to the shape of the argument that it has the shape of."""
    if not isinstance(operand, Array) or not sizes:
        return False
    if isinstance(sizes[0], ShapeOf):
        return operand.shape is None and sizes[0].origin == operand.origin and bool(operand.origin)
    given = sizes[0].items if isinstance(sizes[0], Tuple) and len(sizes) == 1 else tuple(sizes)
    if operand.shape is None or given is None or len(given) != len(operand.shape):
        return False
    return all(isinstance(g, Length) and g.size.origins and g.size.origins == origins(s) for g, s in zip(given, operand.shape))


def _baked_form(i: Interpreter, name: str, args: Sequence[Value]) -> str:
    """The name under which the table tells what becomes of a size that goes into a call."""
    table = i.table
    plain = name.replace("mlx.core.array.", "mlx.core.")
    parts: list[Value] = []
    for value in args:
        parts += value.items if isinstance(value, Tuple) and value.items is not None else (value,)
    rest = any(part == Const(-1) for part in parts)
    if rest and table.has(f"{plain}[baked,-1]"):
        return f"{plain}[baked,-1]"
    if table.has(f"{plain}[baked]"):
        return f"{plain}[baked]"
    entry = table.entry(name)
    return "mlx.core.multiply[baked]" if entry is not None and (entry.shape in ("same", "broadcast") or entry.kind == "operator") else ""


_AXIS_AT: Final = {"take": 2, "unflatten": 1}
_DECIDING: Final = ("axis", "axes", "kth", "mask")
"""Keywords that decide the form of a call."""


def deciding(i: Interpreter, name: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> tuple[Value, Call] | None:
    """An argument that is one of several things of which each makes another form of a call, and the arguments with one of these."""
    if not on(i):
        return None
    choices: list[tuple[Value, Call]] = [
        (value, lambda member, at=at: ((*args[:at], member, *args[at + 1 :]), dict(keywords)))  # type: ignore[misc]
        for at, value in enumerate(args)
        if at and isinstance(value, Union)
    ]
    choices += [
        (value, lambda member, at=key: (args, {**keywords, at: member}))  # type: ignore[misc]
        for key in _DECIDING
        if isinstance(value := keywords.get(key), Union)
    ]
    for value, chosen in choices:
        if len({_form(i, name, *chosen(member)) for member in members(i.live(value))}) > 1:
            return value, chosen
    return None


def _form(i: Interpreter, name: str, args: Sequence[Value], keywords: dict[str, Value]) -> str:
    """The form of a call that the table knows apart: by an axis, a mask, a negative position, a vector, more rows than columns."""
    table = i.table
    position = _AXIS_AT.get(name.rpartition(".")[2], 1)
    axis = keywords.get("axis", keywords.get("axes", args[position] if position < len(args) else None))
    kth = args[1] if len(args) > 1 else keywords.get("kth")
    mask = keywords.get("mask")
    given = [*args, *keywords.values()]
    forms: list[str] = []
    if isinstance(axis, Const) and axis.value is not None:
        forms.append(f"axis={axis.value}")
    if axis is not None and axis != Const(None):
        forms.append("axis")
    if (
        isinstance(kth, Const)
        and isinstance(kth.value, int)
        and kth.value < 0
        or isinstance(kth, Range)
        and kth.high is not None
        and kth.high < 0
    ):
        forms.append("negative")
    first = args[0] if args else None
    if isinstance(first, Array) and first.shape is not None and len(first.shape) == 1:
        forms.append("vector")
    if isinstance(first, Array) and len(given) == 1 and _is_tall(first.shape):
        forms.append("tall")
    if isinstance(first, (Tuple, Ref)):
        forms.append("list")
    if mask == Const("causal"):
        forms.append("mask=causal")
    elif isinstance(mask, Array):
        forms.append("mask")
    return next((f"{name}[{form}]" for form in forms if table.has(f"{name}[{form}]")), name)


def _is_tall(shape: tuple[object, ...] | None) -> bool:
    """Whether the second axis of a shape is shorter than the first: it is then what ends a diagonal."""
    sizes = _known(shape[:2]) if shape is not None else None
    return sizes is not None and len(sizes) == 2 and sizes[0] > sizes[1]


# -- indexing ----------------------------------------------------------------------------------------------------------


def indexed(i: Interpreter, array: Array, index: Value, shape: tuple[object, ...] | None, place: Place, frame: Frame) -> str:
    """Note what indexing does to the sizes. Returns the form of it that the table knows."""
    if not on(i) or i.trace is None:
        return ""
    form = form_of(index)
    name = f"{ARRAY}.__getitem__[{form}]"
    whole = _whole(array, form, shape)
    if whole:
        _no_slice(i, array, index, place, frame)
    text = in_one_line(place.text)
    presumption = f"`{text}` leaves something out" if _may_take_all(index) else ""
    raises = not whole and operation(i, name, array, place, text, frame, presumption=presumption)
    if not raises:
        parts: list[Value] = []
        for part in index.items if isinstance(index, Tuple) and index.items is not None else (index,):
            parts += (part.lower, part.upper, part.step) if isinstance(part, Slice) else (part,)
        bake(i, parts, place, "an index", frame, f"{ARRAY}.__getitem__[baked]")
    return "" if whole else name


def _whole(array: Array, form: str, shape: tuple[object, ...] | None) -> bool:
    """Whether an index takes all of an array: MLX then makes no slice. A number alone is an operation of its own."""
    if "step" in form or "array" in form or form in _ROWS or not array.shape or shape is None:
        return False
    before, after = _total(array.shape), _total(shape)
    if before is None or after is None:
        return None not in shape and array.shape == shape
    return before == after != 0


_ROWS: Final = ("int", "negint")


def _may_take_all(index: Value) -> bool:
    """Whether an index of slices, of which nobody in sight says how far they reach, may leave nothing out."""
    cutting = [part for part in subscripts.items(index) if not subscripts.takes_all(part)]
    return bool(cutting) and all(
        isinstance(part, Slice) and part.lower in (NONE, Const(0)) and part.step == NONE and isinstance(part.upper, Symbolic)
        for part in cutting
    )


def _no_slice(i: Interpreter, array: Array, index: Value, place: Place, frame: Frame) -> None:
    """An index takes all of an array at the first call, so there is no slice in the trace. A later call is right where it takes all of that, too: where no
    axis is longer than what the index reaches."""
    judged = i.table.judged
    effects = []
    for size, part in zip(array.shape or (), _by_axis(array, index)):
        limit = _reach(part)
        if limit is not None and len(origins(size)) == 1:
            effects.append(Effect("wrong", origins(size), "over", judged, judged, limit=limit))
    if effects:
        axes = sorted({axis for effect in effects for axis in effect.axes}, key=repr)
        sinks.event(i, "unsafe", place, in_one_line(place.text), frame, member=array, axes=axes, effects=tuple(effects))


def _by_axis(array: Array, index: Value) -> list[Value]:
    """What an index takes of each axis of an array; a full slice of those that it does not name."""
    parts = [part for part in (index.items or ()) if part != Const(None)] if isinstance(index, Tuple) else [index]
    at = next((number for number, part in enumerate(parts) if part == Const(...)), len(parts))
    after = parts[at + 1 :]
    rest = len(array.shape or ()) - at - len(after)
    return [*parts[:at], *(Const(None),) * rest, *after]


def _reach(part: Value) -> int | None:
    """How long an axis may be that a part of an index takes all of; None if that may be any length, or is not known."""
    if isinstance(part, Slice):
        start, stop = (bound.value if isinstance(bound, Const) else ... for bound in (part.lower, part.upper))
        if isinstance(stop, int) and stop > 0 and start in (None, 0):
            return stop
        return -start if isinstance(start, int) and start < 0 and stop is None else None
    return 1 if not isinstance(part, Union) and scalar_type(part) == "int" else None


def _total(shape: tuple[object, ...]) -> int | None:
    sizes = _known(shape)
    return None if sizes is None else prod(sizes)


def _known(shape: tuple[object, ...] | None) -> tuple[int, ...] | None:
    """The sizes of a shape as numbers; None if one is not known."""
    found: list[int] = []
    for size in shape if shape is not None else (None,):
        low, high = bounds(size) if isinstance(size, Size) else (0, 1)
        if low != high:
            return None
        found.append(int(low))
    return tuple(found)


def unrolled(i: Interpreter, array: Array, ident: int, place: Place, frame: Frame) -> None:
    """Iterating over a placeholder cannot infer shapes. Over a constant it can as little, but that is asked for only if what it gives, `ident`, goes into
    the graph: MLX computes the rest at once, where somebody asks for its value. What is only presumed to be an array may be a list of arrays, if no other
    use says that it is not."""
    if not on(i) or i.trace is None or array.trace == -1:
        return
    judged = i.table.judged
    effects = (Effect("first", frozenset(), "every", judged, judged),)
    held = i.trace.holds(array.trace)
    what = "iteration over a traced array" if held else "iteration over an array"
    fact = sinks.event(i, "unsupported", place, what, frame, member=array, effects=effects, noted=held)
    if fact is not None and held and root(array) == array.ident:
        journal(i).iterations.add(fact)
    elif fact is not None and not held:
        i.trace.waiting[ident] = fact


def asked_for(i: Interpreter, operands: Iterable[Array]) -> None:
    """Arrays become part of the graph, beside a placeholder."""
    waiting = i.trace.waiting if i.trace is not None else {}
    for fact in filter(None, [waiting.pop(array.ident, None) for array in operands]) if waiting else ():
        note(i, fact)


def form_of(index: Value) -> str:
    """How an array is indexed, as the measured table names it."""
    if not isinstance(index, Tuple) or index.items is None:
        return _part(index)
    kinds = [_part(item) for item in index.items]
    plain = [kind for kind in kinds if kind not in ("fullslice", "newaxis", "ellipsis")]
    lead = "ellipsis" if "ellipsis" in kinds else "slice" if "fullslice" in kinds else ""
    if "unknown" in kinds:
        return "unknown"
    if not plain:
        return f"{lead}_newaxis" if "newaxis" in kinds and lead else "newaxis" if "newaxis" in kinds else lead.replace("slice", "fullslice")
    if "array" in plain:
        return "two_arrays" if len(plain) > 1 else "slice_array" if lead else "array_newaxis" if "newaxis" in kinds else "array"
    integers = [kind for kind in plain if kind in ("int", "negint")]
    if len(integers) == len(plain):
        one = "int_newaxis" if "newaxis" in kinds else integers[0]
        return f"{lead}_{integers[0]}" if lead else "int_int" if len(plain) > 1 else one
    if integers:
        return "int_slice" if kinds[0] in integers else f"slice_{integers[0]}"
    return "ellipsis_slice" if lead == "ellipsis" else "slice_slice"


def _part(index: Value) -> str:
    if isinstance(index, Union):
        found = {_part(member) for member in members(index)}
        return found.pop() if len(found) == 1 else "unknown"
    if isinstance(index, Slice):
        given = [part != Const(None) for part in (index.lower, index.upper, index.step)]
        if given[2]:
            return "step"
        if not any(given):
            return "fullslice"
        if given[0]:
            return "slice_from"
        return "slice_neg" if isinstance(index.upper, Const) and isinstance(index.upper.value, int) and index.upper.value < 0 else "slice"
    if isinstance(index, Const) and index.value is None:
        return "newaxis"
    if isinstance(index, Const) and index.value is ...:
        return "ellipsis"
    if scalar_type(index) == "int":
        return "negint" if isinstance(index, Const) and isinstance(index.value, int) and index.value < 0 else "int"
    return "array" if isinstance(index, (Array, Ref)) else "unknown"
