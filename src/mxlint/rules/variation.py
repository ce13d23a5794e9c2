"""What MX303, MX304 and MX506 share: what the calls at one place in a loop hand to a compiled object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from mxlint.facts.events import Argument, Call, Compiled, Modality, Where
from mxlint.facts.rows import AGAIN, MANY, come_again
from mxlint.facts.values import ArrayValue, ContainerValue, ScalarValue, UnknownValue, Value, is_known
from mxlint.finding import Span
from mxlint.rules.program import Program

FIRST, LATER = "first", "rest"
"""Rounds of a loop that are run together, but for the first."""


UNTRACED = ("inlined", "disabled")
"""Outcomes of calls that the cache of an object knows nothing of: in another trace, and where compilation is disabled."""


class Series(NamedTuple):
    """One leaf of the arguments at one place of a call: the argument, what it is call by call, whether the innermost loop goes over things that are
    known one by one, why the shape of an array in it differs from round to round, if it does (`Argument.grows`), what the calls presume, and where they are."""

    argument: Argument
    values: list[Value]
    finite: bool
    grows: str
    modality: Modality
    turns: dict[tuple[Where, ...], list[Value]]
    """What it is call by call, apart for each round of the loops over things that are known one by one: what differs between those alone is as
    many things as there are."""
    call: Where
    rows: dict[tuple[Where, ...], list[Value]]
    """What it is in rounds that are run one by one, apart for each round of the loops around theirs."""
    most: int
    """How many lengths it has at most, if each call says the same; 0 for any number."""
    joined: list[bool]
    """Whether all rounds that are run together, at each call in such, are those of the innermost loop."""

    def add(self, value: Value, call: Call, *, grows: bool) -> None:
        """Keep what a call is given. `grows`: its shape is said to be another one each time, and is none that is known. A first round that does not say what
        it is tells less than the rounds behind it."""
        self.values.append(value)
        self.turns.setdefault(call.finite, []).append(value)
        *around, innermost = (loop.text for loop in call.loops)
        known = UnknownValue("") if grows else value
        if LATER in (*around, innermost):
            self.joined.append(LATER not in around)
        elif innermost != FIRST or is_known(known):
            self.rows.setdefault(call.loops[:-1], []).append(known)

    def shown(self) -> list[list[Value]]:
        """The rows of what it is, if rounds that are run together were run one by one as well, and tell: each by itself, and all of them one after the other."""
        rows = list(self.rows.values())
        if not self.joined or not all(self.joined) or not any(len(row) > MANY for row in rows) or not all(map(is_known, chain(*rows))):
            return []
        return [*rows, list(chain(*rows))]


def series(program: Program, compiled: Compiled) -> Iterator[Series]:
    """Each leaf of the arguments at each place of a call in a loop, with what it is call by call. One place that is come to by several ways is as many
    places: what differs between those is as many things as there are ways."""
    places: dict[tuple[Where, tuple[Span, ...]], list[Call]] = {}
    for call in program.calls.get(compiled.number, ()):
        if call.loops and call.outcome not in UNTRACED:
            places.setdefault((call.where, call.path), []).append(call)
    for calls in places.values():
        later = any(call.loops[-1].text == LATER for call in calls)
        same = _same_in_later_rounds(calls)
        most: dict[str, set[int]] = {}
        for call in calls:
            for argument in call.arguments:
                most.setdefault(argument.name, set()).add(argument.most)
        growing = {argument.name: argument.grows for call in calls for argument in call.arguments if argument.grows}
        found: dict[str, Series] = {}
        hang = Modality((), min((call.modality.presumed for call in calls), key=len))  # what decides whether it is called lowers nothing
        for call in calls:
            finite = call.loops[-1] in call.finite
            for argument in call.arguments:
                at_most = max(most[argument.name]) if len(most[argument.name]) == 1 else 0  # else rounds move an end
                for name, value in _all_leaves(argument):
                    if later and call.loops[-1].text == FIRST and (isinstance(value, UnknownValue) or _varies(value) and name in same):
                        continue  # that one of several numbers is another one each time is seen in later rounds
                    found.setdefault(name, Series(argument, [], finite, growing.get(name, ""), hang, {}, call.where, {}, at_most, [])).add(
                        value, call, grows=bool(argument.grows)
                    )
        yield from found.values()


def _same_in_later_rounds(calls: Sequence[Call]) -> set[str]:
    """The leaves of the arguments that are scalars in later rounds, and the same in each, such as what the first round has put into a list."""
    found: dict[str, list[Value]] = {}
    for call in calls:
        if call.loops[-1].text == LATER:
            for argument in call.arguments:
                for name, value in _all_leaves(argument):
                    found.setdefault(name, []).append(value)
    return {name for name, values in found.items() if all(isinstance(value, ScalarValue) and not value.varies for value in values)}


def _varies(value: Value) -> bool:
    return isinstance(value, ScalarValue) and value.varies


def _all_leaves(argument: Argument) -> Iterable[tuple[str, Value]]:
    """An argument as a whole, and its leaves."""
    return {argument.name: argument.value, **dict(leaves(argument.name, argument.value))}.items()


def spread(program: Program, compiled: Compiled) -> Iterator[Argument]:
    """What a star hands on in a loop, a part more or less from call to call."""
    places: dict[tuple[Where, tuple[Span, ...]], list[Counter[Where]]] = {}
    written: dict[Where, Argument] = {}
    for call in program.calls.get(compiled.number, ()):
        if call.outcome not in UNTRACED:
            places.setdefault((call.where, call.path), []).append(Counter(argument.where for argument in call.arguments))
            written.update((argument.where, argument) for argument in call.arguments)
    for counts in places.values():
        for where in dict.fromkeys(where for count in counts for where in count):
            numbers = [count[where] for count in counts]
            if len(set(numbers)) >= MANY and not come_again(numbers):
                yield written[where]


def arrays_given(program: Program, compiled: Compiled) -> tuple[str, ...]:
    """The parameters of a compiled function that are arrays in every call in sight."""
    params = [param.name for param in compiled.function.parameters if not param.star][compiled.function.bound :]
    calls = [
        {
            params[int(argument.name)] if argument.name.isdecimal() and int(argument.name) < len(params) else argument.name
            for argument in call.arguments
            if isinstance(argument.value, ArrayValue)
        }
        for call in program.calls.get(compiled.number, ())
    ]
    return tuple(sorted(set.intersection(*calls))) if calls else ()


OTHER_DTYPE: Mapping[str, frozenset[str]] = {
    "int": frozenset({"int8", "int16", "uint8", "uint16", "uint32", "uint64"}),
    "float": frozenset({"float16", "bfloat16"}),
}
"""Arrays of which dtypes become another one beside an array of a number, and not beside the number itself (tests/test_fixes_calls.py asks MLX)."""


def same_dtypes(program: Program, compiled: Compiled, numbers: Iterable[Value]) -> bool:
    """Whether no array in sight that a compiled function is given, or reads, has another dtype after arithmetic where numbers become arrays."""
    types = {value.type if isinstance(value, ScalarValue) else "number" for value in numbers}
    others = frozenset[str]().union(*(dtypes for name, dtypes in OTHER_DTYPE.items() if types & {name, "number"}))
    given = (argument.value for call in program.calls.get(compiled.number, ()) for argument in call.arguments)
    values = [*given, *(read.value for read in program.reads.get(compiled.number, ()))]
    return not any(isinstance(leaf, ArrayValue) and leaf.dtype in others for value in values for _, leaf in leaves("", value))


def leaves(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """The scalars and arrays of an argument, each with the path that leads to it."""
    if isinstance(value, ContainerValue):
        for number, item in enumerate(value.items or ()):
            yield from leaves(f"{name}[{value.keys[number] if value.keys else number}]", item)
        if value.each is not None:
            yield f"{name}[]", value.each
    else:
        yield name, value


def is_length(program: Program, compiled: Compiled, argument: Argument) -> bool:
    """Whether a number is, in each call at its place, the length of one axis of an array that is given with it: then there is one trace for each
    shape as it is."""
    axes: set[tuple[int, int]] | None = None
    for call in program.calls.get(compiled.number, ()):
        for value in (other.value for other in call.arguments if other.name == argument.name and other.where == argument.where):
            if not isinstance(value, ScalarValue) or not value.known:
                return False
            equal = {
                (number, axis) for number, shape in enumerate(call.shapes) for axis, size in enumerate(shape or ()) if size == value.value
            }
            axes = equal if axes is None else axes & equal
    return bool(axes)


def scalars_vary(values: Sequence[Value], few: int) -> bool:
    """Whether a number or text is seen to change without bound, or takes more than `few` values. At times it may be an array."""
    scalars = [value for value in values if isinstance(value, ScalarValue) and value.type not in ("bool", "NoneType")]
    if len(scalars) + sum(isinstance(value, ArrayValue) for value in values) < len(values):
        return False
    if any(value.varies for value in scalars):
        return True
    found = [value for value in scalars if value.known or value.item]
    if any(value.item and value.value is not None for value in found):  # whichever of the two it is, it has to be another one
        return _many([value.item for value in found], few) and _many([value.value for value in found], few)
    return _many([(value.type, value.value, value.item) for value in found], few)


def _many(values: Sequence[object], few: int) -> bool:
    """Whether values are more than `few` different ones, and go on to change, or so many that each of them is a trace too many."""
    different = len(set(values))
    return different > AGAIN or different >= max(MANY, few + 1) and not come_again(values)


def lengths_vary(values: Sequence[Value]) -> bool:
    """Whether the number of arrays in a container, or in one of those in it, is seen to change without bound."""
    forms = [_form(value) for value in values if isinstance(value, ContainerValue) and value.items is not None]
    return _many(forms, 0)


def keys_vary(values: Sequence[Value], few: int) -> bool:
    """Whether a dict is seen to have more than `few` sets of keys, of one number each: another number of things is another length."""
    keys = [value.keys for value in values if isinstance(value, ContainerValue) and value.type == "dict" and value.items is not None]
    return len(keys) == len(values) and len(set(map(len, keys))) == 1 and _many(keys, few)


def has_other_keys(values: Sequence[Value]) -> bool:
    """Whether a dict is said to have other keys from call to call, in rounds that are not run one by one."""
    return any(isinstance(value, ContainerValue) and value.key is not None for value in values)


def renamed(program: Program, compiled: Compiled, few: int) -> Iterator[tuple[Call, Argument]]:
    """What is given at one place in loops under more than `few` names, as `**{name: x}` does, and the first call there. Of loops over things that are known one
    by one each has a name of its own."""
    places: dict[tuple[Where, tuple[Span, ...], tuple[Where, ...]], list[Call]] = {}
    for call in program.calls.get(compiled.number, ()):
        if call.loops and call.outcome not in UNTRACED:
            places.setdefault((call.where, call.path, call.finite), []).append(call)
    for calls in places.values():
        names = [tuple(argument.name for argument in call.arguments) for call in calls]
        if len(set(map(len, names))) == 1 and _many(names, few):
            yield calls[0], next(argument for argument in calls[0].arguments if any(argument.name not in others for others in names))


def _form(value: Value) -> object:
    """How many things a container holds, and how many each container in it."""
    return tuple(map(_form, value.items or ())) if isinstance(value, ContainerValue) else None


def shapes_vary(values: Sequence[Value]) -> bool:
    """Whether the shape of an array is seen to change without bound."""
    shapes = [value.shape for value in values if isinstance(value, ArrayValue)]
    known = [shape for shape in shapes if shape is not None and None not in shape]
    return _many(known, 0)
