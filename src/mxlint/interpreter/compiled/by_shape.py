"""Numbers that are computed from the shapes of what a call is given, and from what is the same at both of two calls: two calls of one key have the same ones.

`self.n = x.shape[0]` before each `step(x)` changes nothing that a trace has read of `self.n`: a call with another length makes another trace.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Final, TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.members import Kind, Length, Member, Range, Symbolic, Unknown, Value, members
from mxlint.domain.size import Size, substitute, symbol, symbols
from mxlint.interpreter.compiled.keys import flattened
from mxlint.interpreter.expressions.arithmetic import FOLD
from mxlint.interpreter.machine.core import Interpreter

Leaves: TypeAlias = tuple[Value, ...]
"""The leaves of the arguments of a call, in the order in which MLX comes to them."""
IN_KEY: Final = frozenset((".shape", ".dtype", ".ndim", ".size"))
"""What the key of a call says of an array."""
ENTRY: Final = "[]"
"""The operation that takes an entry out of a container."""


def leaves(i: Interpreter, values: Iterable[Value]) -> Leaves:
    """The leaves of the arguments of a call."""
    return tuple(content[0] for kind, *content in flattened(i, values)[0] if kind == "leaf")


def follows_from_key(i: Interpreter, before: Value, now: Member, given: Leaves, given_now: Leaves) -> bool:
    """Whether a number, computed from what a call is given now, is what the same computation has given before a trace of the same key was made, of what that
    was given."""
    pairs = _pairs(given, given_now)
    return bool(pairs) and all(_is_same(i, member, now, pairs) for member in members(before))


def _pairs(given: Leaves, given_now: Leaves) -> Mapping[Hashable, Hashable]:
    """The arrays of a call now, each with the one in its place then, by their identities."""
    found: dict[Hashable, Hashable] = {}
    for before, now in zip(given, given_now) if len(given) == len(given_now) else ():
        first, second = _identity(before), _identity(now)
        if first is not None and second is not None:
            found.setdefault(second, first)
    return found


def _identity(leaf: Value) -> Hashable:
    if isinstance(leaf, Array) and not leaf.several:
        return leaf.ident
    return leaf.identity if isinstance(leaf, Symbolic) else None


def _is_same(i: Interpreter, before: object, now: object, pairs: Mapping[Hashable, Hashable], *, in_key: bool = False) -> bool:
    """Whether two values, or parts of the identities of such, are the same where calls with what is paired have one key. `in_key`: only as far as the key says it of
    arrays."""
    if isinstance(now, (Kind, Range, Unknown)):
        return False  # any of several values
    if before == now:
        return True
    if isinstance(before, Length) and isinstance(now, Length):
        return before.size == _as_before(now.size, pairs)
    if isinstance(before, Symbolic) and isinstance(now, Symbolic):
        before, now = before.identity, now.identity
    if in_key and isinstance(now, Hashable) and now in pairs and pairs[now] == before:
        return True
    if not isinstance(before, tuple) or not isinstance(now, tuple) or len(before) != len(now) or not now or before[0] != now[0]:
        return False
    if now[0] in FOLD and before in i.comes_from and now in i.comes_from and before[1] == now[1]:
        before, now = (now[0], *i.comes_from[before]), (now[0], *i.comes_from[now])
    within = in_key or now[0] in IN_KEY
    if in_key and now[0] != ENTRY:
        return False
    return len(before) == len(now) and all(_is_same(i, *pair, pairs, in_key=within) for pair in zip(before[1:], now[1:]))


def _as_before(size: Size, pairs: Mapping[Hashable, Hashable]) -> Size | None:
    """A size with the lengths of the arrays of a call in the place of those of the arrays that are paired with them."""
    names = [name for name in symbols(size) if isinstance(name, tuple) and len(name) == 3 and name[0] == "axis" and name[1] in pairs]
    return substitute(size, {name: symbol(("axis", pairs[name[1]], name[2])) for name in names})
