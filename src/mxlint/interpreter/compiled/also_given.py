"""State that is an argument as well: in `step(x, self.mode)`, whose body reads `self.mode`, a call replays a trace only where the mode is what it was.

The cache key holds the argument, so what lies there is equal at the trace and at each replay.
"""

from __future__ import annotations

from collections.abc import Mapping

from mxlint.domain.heap import Location
from mxlint.domain.join import bound
from mxlint.domain.members import UNBOUND, Const, Symbolic, Union, Value, members, options
from mxlint.interpreter.compiled.keys import flattened
from mxlint.interpreter.compiled.placeholders import taken_for_arrays
from mxlint.interpreter.compiled.state import held
from mxlint.interpreter.compiled.texts import is_text
from mxlint.interpreter.compiled.traces import Seen
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import scalar_at
from mxlint.interpreter.open_world.presumptions import round_of


def also_given(i: Interpreter, args: Arguments, reads: Mapping[Location, Seen]) -> dict[Location, int]:
    """The scalars that a trace has read, or what it has made of them, that its call was given as well: which leaf of its arguments each is. One that is
    an array instead is so at each call that has its key."""
    leaves = {leaf: number for number, (_, leaf) in enumerate(_leaves(i, args)) if _is_one(leaf)}
    found: dict[Location, int] = {}
    for location, seen in reads.items() if leaves else ():
        for value in (seen.value, seen.whole):
            if value in leaves:
                found[location] = leaves[value]
    return found


def is_given(i: Interpreter, function: Value, args: Arguments, location: Location, read: Seen, number: int) -> bool:
    """Whether a call is given what lies at a location by then, or what is made of it there, as the leaf of that number. Another array has the same key."""
    leaves = _leaves(i, args)
    name, leaf = leaves[number] if number < len(leaves) else ("", UNBOUND)
    if not _is_one(leaf) or not any(
        (now := held(i, *at)) is not None and leaf == bound(i.live(now)) for at in (location, scalar_at(location))
    ):
        return False
    is_array, before = taken_for_arrays(i, function), [value for value in (read.value, read.whole) if value is not None]
    same = [] if round_of(leaf) is not None else before  # an element is another one in each round
    others = set(members(leaf)).difference(*map(members, same))
    return any(is_text(i, value) for value in before) or not any(isinstance(other, Symbolic) and is_array(name, other) for other in others)


def _leaves(i: Interpreter, args: Arguments) -> list[tuple[str, Value]]:
    """The leaves of the arguments, each with the number or name of its argument."""
    given = ((str(n), v) for n, v in (*enumerate(args.args), *args.keywords.items()))
    return [(name, part[1]) for name, value in given for part in flattened(i, (value,))[0] if part[0] == "leaf"]


def _is_one(value: Value) -> bool:
    """Whether two scalars are equal that have this value: it is one, or one of several under conditions that say which."""
    known = all(isinstance(member, (Const, Symbolic)) for member in members(value))
    return known and (not isinstance(value, Union) or all(option.guard for option in options(value)))
