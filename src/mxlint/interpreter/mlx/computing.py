"""Results of operations of MLX: their shape and dtype, whether they are placeholders, and what is kept of how they are computed.

`mx.add(x, y)` in a trace gives a placeholder if `x` or `y` is one; its chain says where from. Where the shapes do not fit, MLX raises, and a handler goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from mxlint.domain.arrays import Array, Chain, Operands
from mxlint.domain.members import (
    TRUE,
    Const,
    Loops,
    Symbolic,
    Tuple,
    Unknown,
    Value,
    members,
)
from mxlint.domain.place import Place
from mxlint.domain.size import symbol
from mxlint.domain.varying import united
from mxlint.interpreter.compiled import captures, fallbacks, makings, recipes, sinks, unevaluated
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.loops import contents, lengthening, stretching, windows
from mxlint.interpreter.loops.running import NO_LOOPS, rounds_around
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import LAZY, OPERANDS
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx import backward, broadcasts, last_axes, mapping, shapeless
from mxlint.interpreter.mlx.descriptions import ARRAY, describe, describe_by_name, in_common, of_any_length, with_length
from mxlint.interpreter.mlx.growth import grows, loops_of_numbers
from mxlint.interpreter.open_world import presumptions
from mxlint.interpreter.open_world import results as results_
from mxlint.models.mlx import arguments as described
from mxlint.models.mlx.array_parameters import other_parameters
from mxlint.models.mlx.refusals import asks, decides, refusal, unmade
from mxlint.models.mlx.results import result as array_results
from mxlint.models.mlx.traits import has_trait
from mxlint.syntax.inline import in_one_line

RANKS: Final = (1, 2, 3, 4)
"""With so many axes each, an operand of unknown shape is tried."""


def traced(i: Interpreter, values: Sequence[Value], place: Place) -> tuple[int | None, Chain | None, frozenset[int]]:
    """The trace whose placeholder a result computed from values is (None: a constant, -1: not known), where from, and of which arguments."""
    trace: int | None = None
    chain: Chain | None = None
    origin: frozenset[int] = frozenset()
    argument: Symbolic | None = None
    for value in values:
        arrays = list(arrays_in(i, value))
        sinks.source_use(i, value)
        if i.trace is not None:
            i.trace.computes_with(i, (array.ident for array in arrays))
        for array in arrays:
            if array.trace is not None and i.trace is not None and i.trace.holds(array.trace):
                # One operand that surely is an array makes an array of the result.
                trace, chain = array.trace, array.chain if chain is None or presumptions.root(array) is None else chain
                origin |= array.origin
            elif array.trace == -1 and trace is None:
                trace, chain = -1, array.chain
        for member in members(value):
            if isinstance(member, Unknown) and trace is None and i.trace is not None:
                trace = -1
            elif isinstance(member, Symbolic) and member.source == "argument" and member.kinds is None and i.trace is not None:
                argument = argument or member
    if trace is not None and trace >= 0 and i.trace is not None and i.trace.waiting:
        shapeless.asked_for(i, (array for value in values for array in arrays_in(i, value)))
    if trace is None and i.trace is not None and argument is not None:
        return i.trace.number, presumptions.given(i, argument, place), origin
    if trace is None and i.trace is not None and (given := results_.taken(i, values)) is not None:
        return i.trace.number, given, origin
    return trace, chain, origin


def compute(
    i: Interpreter,
    name: str,
    args: Sequence[Value],
    keywords: dict[str, Value],
    place: Place,
    frame: Frame,
    tag: object = None,
    outer: Arguments | None = None,
    star: Sequence[Value] = (),
) -> Value:
    """The result of an operation of MLX that gives one array, or several. `outer`: the arguments of the function that gave the one that is called. `star`:
    what a star of unknown length among the arguments holds, and those behind it."""
    if not star and (several := shapeless.deciding(i, name, args, keywords)) is not None:
        value, chosen = several
        return i.split(value, lambda member: compute(i, name, *chosen(member), place, frame, tag, outer))
    fixed, args = args, (*args, *star)
    form = shapeless.called(i, name, args, keywords, place, frame)
    before = ([describe(i, value) for value in outer.args], describe_by_name(i, outer.keywords)) if outer is not None else ((), {})
    given, named = [describe(i, value) for value in args], describe_by_name(i, keywords)
    if star:  # of one item or of two
        each, *behind = given[len(fixed) :]
        found = in_common(*(array_results(name, [*given[: len(fixed)], *[each] * count, *behind], named, before) for count in (1, 2)))
    else:
        found = array_results(name, given, named, before)
    if not star and outer is None:
        if unmade(found) or asks(name):
            refuses(i, refusal(name, given, named), place, frame)
        if i.tries and (choice := _open(i, name, args, given, named)) is not None:
            return i.split(choice[0], lambda member: compute(i, name, choice[1](member), keywords, place, frame, tag))
    if (
        getattr(found, "shape", None) is None
        and not isinstance(found, (list, tuple))
        and not star
        and any(map(partial(of_any_length, i), args))
    ):
        found = in_common(*(array_results(name, [with_length(i, value, count) for value in args], named, before) for count in (2, 3)))
    by_number = united(
        loops
        for value in (args if not star else ())
        if (loops := loops_of_numbers(i, value, alone=True)) != NO_LOOPS and _is_length(i, name, args, keywords, before, value)
    )
    made = results(i, found, name, args, keywords, place, tag, by_number)
    if i.trace is None:
        shapeless.unsized(i, name, made, args, keywords)
    elif not star:
        last_axes.keep(i, made, args, lambda ranked: array_results(name, ranked, named, before))
    if isinstance(made, Array) and (i.trace is None or made.trace is None):
        recipes.keep(i, name, made, args, keywords, outer)
    if not star and outer is None:
        makings.keep(i, name, made, args, keywords, partial(_tells, name, given, named))
    broadcasts.computed(i, name, args, keywords, made, place, frame)
    backward.of_call(i, name, form, args, keywords, made, place, shapeless.short(name), frame)
    return made


def _tells(name: str, given: Sequence[Any], named: Mapping[str, Any], operand: int) -> bool:
    """Whether the shape of a result tells that of a described operand: it has each of its axes once, however many these are."""
    for rank in RANKS if operand < len(given) else ():
        axes = [symbol(("tried", axis)) for axis in range(rank)]
        dtype = getattr(given[operand], "dtype", None)
        found = array_results(name, [*given[:operand], described.ArrayType(tuple(axes), dtype), *given[operand + 1 :]], named)
        if not isinstance(found, described.ArrayType) or found.shape is None or any(found.shape.count(axis) != 1 for axis in axes):
            return False
    return operand < len(given)


def refuses(i: Interpreter, error: str | None, place: Place, frame: Frame) -> None:
    """Raise what MLX raises at a call that it surely refuses. What that leaves behind matters to a handler that goes on."""
    if error is None:
        return
    if any(target.catches is not None and target.catches(error) for target in i.tries):
        sinks.event(i, "shapes", place, in_one_line(place.text), frame, error=error)
    throw_named(i, error, place, sure=True)


def _open(
    i: Interpreter, name: str, args: Sequence[Value], given: Sequence[Any], named: Mapping[str, Any]
) -> tuple[Value, Callable[[Value], Sequence[Value]]] | None:
    """What decides whether MLX refuses a call, and the arguments with one of its members: an argument, or an item of one, that is one of several arrays or numbers."""
    if not decides(name):
        return None
    for at, value in enumerate(args):
        parts = value.items if isinstance(value, Tuple) else None
        for number, part in enumerate((value,) if parts is None else parts):

            def chosen(member: Value, at: int = at, parts: Sequence[Value] | None = parts, number: int = number) -> Sequence[Value]:
                one = member if parts is None else Tuple((*parts[:number], member, *parts[number + 1 :]))
                return (*args[:at], one, *args[at + 1 :])

            each = members(i.live(part))
            if len(each) > 1 and any(
                refusal(name, [*given[:at], describe(i, chosen(member)[at]), *given[at + 1 :]], named) for member in each
            ):
                return part, chosen
    return None


def _is_length(i: Interpreter, name: str, args: Sequence[Value], keywords: dict[str, Value], before: Any, number: Value) -> bool:
    """Whether the shape of a result has another length with another number."""
    one, other = (
        array_results(name, [count if value is number else describe(i, value) for value in args], describe_by_name(i, keywords), before)
        for count in (2, 3)
    )
    return isinstance(one, described.ArrayType) and isinstance(other, described.ArrayType) and one.shape != other.shape


def results(
    i: Interpreter,
    found: Any,
    name: str,
    args: Sequence[Value],
    keywords: dict[str, Value],
    place: Place,
    tag: object = None,
    by_number: Loops = NO_LOOPS,
) -> Value:
    """The arrays of a described result, computed from arguments. `by_number`: these loops change a number among them that is one of its lengths."""
    others = other_parameters(name)
    operands = (*args, *keywords.values())
    if name.startswith(f"{ARRAY}."):
        presumptions.together(i, name, args)
    elif others:  # what is only presumed to be an array is a number there
        operands = (
            *(value for number, value in enumerate(args) if number not in others.values() or not presumptions.perhaps_number(i, value)),
            *(value for key, value in keywords.items() if key not in others or not presumptions.perhaps_number(i, value)),
        )
    else:
        presumptions.first(i, name, args)
    if i.trace is None:
        fallbacks.computes(i, (*args, *keywords.values()))
    else:
        presumptions.handed_to(i, name, args)
        captures.computes_with(i, i.trace, operands)
    constant = has_trait(name, "takes the shape alone") and not shapeless.on(i)  # the shape is one of the trace
    if constant and i.trace is not None:
        for array in arrays_in(i, *args[:1]):
            i.trace.asks(array.ident, ("shape", "dtype"))
    trace, chain, origin = traced(i, operands, place) if not constant else (None, None, frozenset())
    axis = keywords.get("axis", args[1] if len(args) > 1 else Const(0))
    made = _made(i, found, name, trace, chain, origin, place, (name, tag), args, axis, by_number)
    if i.trace is not None:
        i.trace.computes(i, name, place, (*args, *keywords.values()))
        for array in arrays_in(i, made):
            captures.composed(i, array.ident, (*args, *keywords.values()))
        unevaluated.computed_from(i, arrays_in(i, made), (*args, *keywords.values()))
        backward.carried(i, name, made, args, keywords)
    return made


def _made(
    i: Interpreter,
    found: Any,
    name: str,
    trace: int | None,
    chain: Chain | None,
    origin: frozenset[int],
    place: Place,
    tag: object,
    args: Sequence[Value],
    axis: Value,
    by_number: Loops,
) -> Value:
    if isinstance(found, (list, tuple)) and all(isinstance(part, (described.ArrayType, list, tuple)) for part in found):
        parts = tuple(_made(i, part, name, trace, chain, origin, place, (tag, n), args, axis, by_number) for n, part in enumerate(found))
        return Tuple(parts) if isinstance(found, tuple) else new_list(i, Tuple(parts), place, tag)
    shape: tuple[object, ...] | None = None
    dtype: str | None = None
    if isinstance(found, described.ArrayType):
        shape, dtype = found.shape, found.dtype
    if i.trace is not None and name != "mlx.core.array":
        i.trace.operations += 1
    if trace is not None and (chain is None or (chain.place, chain.note) != (place, name)):
        chain = Chain(place, name, chain)
    ident = i.ident(place, tag)
    _keep_lengths(i, name, ident, args)
    if lengthening.of_itself(i, name, ident, args, axis, place):
        grows_ = "rounds"
        loops: Loops = frozenset(around.loop for around in rounds_around(i)[:1])
    else:
        grows_, loops = grows(i, name, shape, args, by_number)
    if not grows_ and (shape is None or None in shape):
        grows_ = lengthening.lengthened(i, name, args)
    made = Array(ident, trace, shape, dtype, chain, origin, grows_, loops=loops)
    stretching.lengthens(i, made, axis.value if has_trait(name, "joins") and isinstance(axis, Const) else None)
    data = (
        has_trait(name, "cheap")
        or has_trait(name, "view")
        and not any(i.heap.get(a.ident, LAZY) == TRUE for value in args for a in arrays_in(i, value))
    )
    i.heap.set(ident, LAZY, Const(not data))
    if i.trace is not None and "vmap" in i.trace.transforms:
        mapping.carried(i, ident, args)
    windows.made(i, ident, args)
    if i.trace is None:
        origins_ = tuple(dict.fromkeys(a.ident for value in args for a in arrays_in(i, value)))
        if origins_:
            i.heap.set(ident, OPERANDS, Operands(origins_))
        entry = i.table.entry(name)
        contents.made(i, ident, args, place, "random" if entry is not None and entry.random else "")
    return made


def _keep_lengths(i: Interpreter, name: str, ident: int, args: Sequence[Value]) -> None:
    """Keep that what an operation makes of one array is as long as that."""
    entry = i.table.entry(name)
    arrays = [member for value in args for member in members(value) if isinstance(member, Array)]
    if entry is not None and entry.shape in ("same", "broadcast") and len(arrays) == 1:
        lengthening.as_long(i, ident, arrays[0].ident)
