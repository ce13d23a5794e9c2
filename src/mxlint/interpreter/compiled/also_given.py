"""State that is an argument as well: in `step(x, self.mode)`, whose body reads `self.mode`, a call replays a trace only where the mode is what it was.

The cache key holds the argument, so what lies there is equal at the trace and at each replay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from mxlint.domain.heap import Location
from mxlint.domain.join import bound
from mxlint.domain.members import Const, Symbolic, Union, Value, members, options
from mxlint.interpreter.compiled.keys import flattened
from mxlint.interpreter.compiled.placeholders import taken_for_arrays
from mxlint.interpreter.compiled.state import held
from mxlint.interpreter.compiled.traces import Seen
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import scalar_at


def also_given(i: Interpreter, function: Value, args: Arguments, reads: Mapping[Location, Seen]) -> dict[Location, int]:
    """The scalars that a trace has read, or what it has made of them, that its call was given as well: which leaf of its arguments each is."""
    leaves = {leaf: number for number, leaf in enumerate(_leaves(i, function, args)) if leaf is not None}
    found: dict[Location, int] = {}
    for location, seen in reads.items() if leaves else ():
        for value in (seen.value, seen.whole):
            if value in leaves:
                found[location] = leaves[value]
    return found


def is_given(i: Interpreter, function: Value, args: Arguments, location: Location, number: int) -> bool:
    """Whether a call is given what lies at a location by then, or what is made of it there, as the leaf of that number."""
    leaves = _leaves(i, function, args)
    leaf = leaves[number] if number < len(leaves) else None
    return leaf is not None and any(
        (now := held(i, *at)) is not None and leaf == bound(i.live(now)) for at in (location, scalar_at(location))
    )


def _leaves(i: Interpreter, function: Value, args: Arguments) -> list[Value | None]:
    """The leaves of the arguments; None for those that are, or may be taken for, something else than a scalar."""
    is_array = taken_for_arrays(i, function)
    found: list[Value | None] = []
    for name, value in ((str(n), v) for n, v in (*enumerate(args.args), *args.keywords.items())):
        parts, _ = flattened(i, (value,))
        found += [part[1] if _is_certain(part[1], partial(is_array, name)) else None for part in parts if part[0] == "leaf"]
    return found


def _is_certain(value: Value, is_array: Callable[[Symbolic], bool]) -> bool:
    """Whether two scalars are equal that have this value: it is one, or one of several under conditions that say which."""
    known = all(isinstance(member, Const) or isinstance(member, Symbolic) and not is_array(member) for member in members(value))
    return known and (not isinstance(value, Union) or all(option.guard for option in options(value)))
