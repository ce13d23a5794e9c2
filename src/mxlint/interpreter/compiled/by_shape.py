"""What two calls of one key have in common: the shapes and dtypes of their arrays, their other arguments, and what is computed from these and from what is the same
at both of them.

`self.n = x.shape[0]` before each `step(x)` changes nothing that a trace has read of `self.n`: a call with another length makes another trace.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Final, TypeGuard

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.exclusion import together
from mxlint.domain.guards import Guard
from mxlint.domain.members import (
    Composite,
    Const,
    Kind,
    Length,
    Member,
    Option,
    Range,
    Ref,
    Symbolic,
    Tuple,
    Union,
    Unknown,
    Value,
    options,
)
from mxlint.domain.size import MaybeSize, Size, number, substitute, symbol, symbols
from mxlint.interpreter.compiled import makings, recipes
from mxlint.interpreter.compiled.keys import flattened
from mxlint.interpreter.compiled.makings import Making
from mxlint.interpreter.compiled.state import CONTENT, Leaves
from mxlint.interpreter.expressions.arithmetic import FOLD
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.mlx.subscripts import items, tells_length

IN_KEY: Final = frozenset((".shape", ".dtype", ".ndim", ".size", ".nbytes", ".itemsize", "len", "ndim", "size", "dtype", "itemsize"))
"""What the key of a call says of an array."""
SCALARS: Final = frozenset(("bool", "int", "float", "str", "NoneType"))
"""Kinds of arguments that the key holds themselves."""
ENTRY: Final = "[]"
"""The operation that takes an entry out of a container."""
OF_SHAPE: Final = frozenset((ENTRY, "unpacked"))
"""The operations that take one length out of a shape."""
SHAPED: Final = frozenset((ENTRY, ".T", *FOLD))
"""Operations whose result has a shape that follows from those of what they are given."""
OF_ONE: Final[dict[str, Callable[..., object]]] = {"builtins.int": int, "builtins.float": float}
"""What else makes a number of a number."""
TELLS_SHAPE: Final = frozenset((".T", "+", "-", "*", "/", "//", "%", "**"))
"""Operations on one array whose result has a shape that only one shape of the array gives."""


def leaves(i: Interpreter, args: Arguments) -> Leaves:
    """The leaves of the arguments of a call."""
    alone = args.star is not None and not args.keywords and args.kwstar is None
    known = (content[0] for kind, *content in flattened(i, args.args if alone else args.values)[0] if kind == "leaf")
    return Leaves(tuple(known), args.star if alone else None)


class SameKey:
    """A call now, and one before that has made a trace of the same key; `then` and `now` are their leaves."""

    __slots__ = ("_deciding", "_given", "_i", "_under")

    def __init__(self, i: Interpreter, then: Leaves, now: Leaves) -> None:
        self._i = i
        self._given = _places(then, now)
        self._under: dict[tuple[Guard, Guard], Pairs] = {}
        self._deciding = {literal for _, leaf in self._given for option in options(leaf) for literal in option.guard}
        """Under which conditions the call is given one thing or another one."""

    def gives(self, before: Value, now: Value, guard: Guard = (), *, kept: bool = False) -> bool:
        """Whether what is computed from what the call is given now is what the same computation has given `before` the trace was made. `guard`: where that
        is so now; `kept`: elsewhere lies what was there before, so the call writes under a condition."""
        return bool(self._given) and all(
            self._gives_one(options(before), other.member, (*guard, *other.guard), kept) for other in options(now)
        )

    def pairs(self, then: Guard = (), now: Guard = ()) -> Pairs:
        """What is the same where one guard held before the trace, and another one holds now. What is given may be one of several."""
        if (then, now) not in self._under:
            given = ((_there(before, (*then, *now)), _there(after, now)) for before, after in self._given)
            self._under[then, now] = Pairs(
                self._i,
                (
                    (first[0].member, option.member)
                    for first, second in given
                    for option in second
                    if len(first) == 1 and (len(second) == 1 or set(option.guard) == set(now))
                ),
            )
        return self._under[then, now]

    def _gives_one(self, before: Sequence[Option], now: Member, guard: Guard, kept: bool) -> bool:
        """Whether one thing lay there before, and where conditions decide, under the same ones: where this call writes nothing, another one has."""
        same = [option for option in before if (pairs := self.pairs(option.guard, guard)) and pairs.are_same(option.member, now)]
        if not kept or self._deciding.issuperset(guard):
            return len(same) == len(before)
        # What is itself the same array or object is compared by what has become of it, not by conditions.
        return any(option.member != now or not isinstance(now, (Array, Ref)) for option in same if self._holds_alike(option.guard, guard))

    def _holds_alike(self, before: Guard, now: Guard) -> bool:
        """Whether conditions held before just where they hold now, as each tests what the key says."""
        pairs = self.pairs(before, now)
        return len(before) == len(now) and all(
            any(one.outcome is other.outcome and pairs.are_same(one.condition, other.condition) for other in now) for one in before
        )


def _places(then: Leaves, now: Leaves) -> list[tuple[Value, Value]]:
    """What two calls are given in the same places; what a star hands on is given behind the others."""
    more = len(then.known) - len(now.known)
    if then.star is not None or more < 0 or now.star is None and more:
        return []
    handed = now.star.identity if isinstance(now.star, Symbolic) else None
    behind = [Symbolic((ENTRY, handed, Const(number)), None) for number in range(more)] if handed is not None else []
    return list(zip(then.known, (*now.known, *behind)))


def _there(leaf: Value, guard: Guard) -> list[Option]:
    """What a leaf may be where a guard holds."""
    return [option for option in options(leaf) if together((*option.guard, *guard))]


class Pairs:
    """The arrays and scalars that two calls of one key are given, the ones of the call now with those in their places then."""

    __slots__ = ("_arrays", "_i", "_scalars", "_sizes", "_symbols", "_then")

    def __init__(self, i: Interpreter, given: Iterable[tuple[Member, Member]]) -> None:
        self._i = i
        self._arrays: dict[Hashable, Hashable] = {}
        """The arrays of the call now, each with the one in its place then, by their identities."""
        self._then: dict[Hashable, Array] = {}
        """Those of the call then of which more than the identity is known, by what is in their place now."""
        self._scalars: dict[Hashable, Hashable] = {}
        self._sizes: dict[Size, Size] = {}
        self._symbols: dict[Hashable, Size] = {}
        for pair in given:
            self._pair(*pair)

    def __bool__(self) -> bool:
        return bool(self._arrays or self._scalars)

    def _pair(self, then: Value, now: Value) -> None:
        before, after = _identity(then), _identity(now)
        if before is None or after is None:
            return
        if isinstance(then, Array):
            self._then.setdefault(after, then)
        if isinstance(then, Array) and isinstance(now, Array):
            self._pair_arrays(then, now)
        elif isinstance(now, Symbolic) and now.kinds is not None and now.kinds <= SCALARS:
            self._scalars.setdefault(after, before)
        else:
            self._arrays.setdefault(after, before)
            for one, other in _one_to_one(before, after):
                self._arrays.setdefault(other, one)

    def _pair_arrays(self, then: Array, now: Array) -> None:
        """Pair two arrays of one shape, and those that they were made of, if their shape tells it."""
        self._arrays.setdefault(now.ident, then.ident)
        self._pair_sizes(then, now)
        made, made_now = makings.of(self._i, then.ident), makings.of(self._i, now.ident)
        if made is None or made_now is None or not made.is_alike(made_now):
            return
        pairs = list(zip(made.operands, made_now.operands))
        others = [number for number, (one, other) in enumerate(pairs) if not self.are_same(one, other)]
        if len(others) == 1 and made.tells(others[0]):
            self._pair(*pairs[others[0]])

    def _pair_sizes(self, then: Array, now: Array) -> None:
        """Pair the lengths of the axes of two arrays of one shape."""
        for before, after in zip(then.shape or (), now.shape or ()):
            if isinstance(before, Size) and isinstance(after, Size):
                self._sizes.setdefault(after, before)
                names = symbols(after)
                if len(names) == 1 and after == symbol(name := next(iter(names))):
                    self._symbols.setdefault(name, before)

    def are_same(self, before: object, now: object, *, in_key: bool = False) -> bool:
        """Whether two values, or parts of the identities of such, are the same. `in_key`: only as far as the key says it of arrays."""
        if isinstance(now, (Kind, Range, Union, Unknown)):
            return False  # any of several values
        if before == now:
            return not self._is_several(now)
        if self._is_same_length(before, now):
            return True
        if isinstance(before, Const) and not in_key:
            found = self._computed(now)
            return isinstance(found, (int, float)) and Const(found) == before  # 4 is another number than 4.0
        if isinstance(before, Array) and isinstance(now, Array):
            return in_key and self._is_shaped_alike(before.ident, now.ident) or self._is_made_alike(before, now)
        if isinstance(before, Composite) and isinstance(now, Composite):
            return self._has_same_parts(before, now, in_key)
        if isinstance(before, ShapeOf) and isinstance(now, ShapeOf):
            return before.part == now.part and self._is_shaped_alike(before.ident, now.ident)
        before, now = (part.identity if isinstance(part, Symbolic) else part for part in (before, now))
        if not isinstance(before, tuple) or not isinstance(now, tuple) or not now:
            return False
        return self._is_same_identity(before, now, in_key)

    def _is_several(self, one: object) -> bool:
        """Whether something stands for several arrays or objects, as for those of several rounds."""
        if isinstance(one, Array):
            return one.several or self._i.info(one.ident).summary
        return isinstance(one, Ref) and self._i.info(one.oid).summary

    def _is_same_identity(self, before: tuple[object, ...], now: tuple[object, ...], in_key: bool) -> bool:
        if self._scalars.get(now) == before or in_key and self._arrays.get(now) == before:
            return True
        if not before or before[0] != now[0] or in_key and now[0] not in SHAPED:
            return False
        within = in_key or now[0] in IN_KEY
        first, second = self._operands(before), self._operands(now)
        return len(first) == len(second) and all(self.are_same(*pair, in_key=within) for pair in zip(first, second))

    def _operands(self, identity: tuple[object, ...]) -> Sequence[object]:
        """What an identity is made of: of a number whose name is too long, what it is computed from."""
        computed = self._i.comes_from.get(identity) if identity[0] in FOLD else None
        return identity[1:] if computed is None else computed

    def _computed(self, now: object) -> object:
        """The number that a formula of shapes gives where those that the key says were known before the trace; None if it gives none."""
        if isinstance(now, Const):
            return now.value
        length = self._length_then(now, None)
        name = now.identity if isinstance(now, Symbolic) else now
        function = (FOLD | OF_ONE).get(name[0]) if isinstance(name, tuple) and isinstance(name[0], str) else None
        if length is not None or function is None or not isinstance(name, tuple):
            return length.number if length is not None else None
        given = [self._computed(operand) for operand in self._operands(name)]
        try:
            return None if None in given else function(*given)
        except (TypeError, ValueError, ArithmeticError):
            return None

    def _has_same_parts(self, before: Composite, now: Composite, in_key: bool) -> bool:
        if isinstance(before, Tuple) and isinstance(now, Tuple) and (before.items is None or now.items is None or before.cls != now.cls):
            return False
        same_kind = type(before) is type(now) and len(before.parts) == len(now.parts)
        return same_kind and all(self.are_same(*pair, in_key=in_key) for pair in zip(before.parts, now.parts))

    def _is_shaped_alike(self, before: object, now: object) -> bool:
        """Whether two arrays, by their numbers, have one shape."""
        if self._arrays.get(now) == before:
            return True
        made, made_now = (makings.of(self._i, ident) if isinstance(ident, int) else None for ident in (before, now))
        if made is None or made_now is None or not made.is_alike(made_now):
            return False
        return self._is_made_of(made, made_now, in_key=True)

    def _is_made_alike(self, before: Array, now: Array) -> bool:
        """Whether two arrays were made in one way, of what is the same, and nothing has changed them."""
        i = self._i
        made, made_now = recipes.recipe_of(i, before), recipes.recipe_of(i, now)
        if made is not None and made_now is not None:
            return self.are_same(made, made_now)
        one, other = makings.of(i, before.ident), makings.of(i, now.ident)
        unchanged = all(i.heap.get(array.ident, CONTENT) is None and not array.several for array in (before, now))
        return one is not None and other is not None and one.repeats and unchanged and one.is_alike(other) and self._is_made_of(one, other)

    def _is_made_of(self, before: Making, now: Making, *, in_key: bool = False) -> bool:
        """Whether the operands of two operations are the same."""
        return all(self.are_same(*pair, in_key=in_key) for pair in zip(before.operands, now.operands))

    def _is_same_length(self, before: object, now: object) -> bool:
        """Whether a length now, by whatever name it goes, is the one that a number was before."""
        then = _own_length(before)
        return then is not None and (isinstance(now, Length) and self._sizes.get(now.size) == then or self._length_then(now, then) == then)

    def _length_then(self, now: object, then: MaybeSize) -> MaybeSize:
        """What a length now was before, in which arrays of the same shape have the names that they have in `then`; None of anything else."""
        array, axis = _named(now)
        if axis is not None:
            return self._axis(array, axis)
        if not isinstance(now, Length):
            return None
        sizes = ((name, self._symbols.get(name) or self._length(name, then)) for name in symbols(now.size))
        return substitute(now.size, {name: size for name, size in sizes if size is not None})

    def _length(self, name: object, then: MaybeSize) -> MaybeSize:
        """What the length of an axis was: of the array in the place of another one, or one in a size `then` that is of an array of the same shape."""
        if not _is_axis(name):
            return None
        alike = (
            other
            for other in (symbols(then) if then is not None else ())
            if _is_axis(other) and self._is_same_axis(other[2], name[2]) and self._is_shaped_alike(other[1], name[1])
        )
        known = None if isinstance(name[2], tuple) else self._axis(name[1], name[2])
        return known or next(map(symbol, alike), None)

    def _is_same_axis(self, before: object, now: object) -> bool:
        """Whether two axes have one number, which may be one that nobody in sight gives, of one part of a shape."""
        named = isinstance(before, tuple) and isinstance(now, tuple) and before[0] == now[0]
        return before == now or named and self.are_same(before[1], now[1])  # type: ignore[index]

    def _axis(self, array: Hashable, axis: int | None) -> MaybeSize:
        """The length of an axis of what was in the place of an array; None if that was not given."""
        then = self._then.get(array)
        if axis is not None and then is not None and then.shape is not None and -len(then.shape) <= axis < len(then.shape):
            known = then.shape[axis]
            if isinstance(known, Size):
                return known
        return symbol(("axis", self._arrays[array], axis)) if array in self._arrays else None


def _identity(leaf: Value) -> Hashable:
    if isinstance(leaf, Array) and not leaf.several:
        return leaf.ident
    return leaf.identity if isinstance(leaf, Symbolic) else None


def _own_length(part: object) -> MaybeSize:
    """A length before the trace, or a number that was one; None of anything else."""
    if isinstance(part, Length):
        return part.size
    if isinstance(part, Const):
        return number(part.value) if type(part.value) is int else None
    array, axis = _named(part)
    return symbol(("axis", array, axis)) if axis is not None else None


def _named(part: object) -> tuple[Hashable, int | None]:
    """The identity of the array, and the axis, that a name of a length says."""
    name = part.identity if isinstance(part, Symbolic) else part
    if not isinstance(name, tuple) or len(name) != 3 or not isinstance(name[2], Const) or not isinstance(name[2].value, int):
        return None, None
    kind, of, axis = name
    if kind == "size" and isinstance(of, Array):
        return of.ident, axis.value
    shape_of = isinstance(of, tuple) and len(of) == 2 and of[0] == ".shape"
    return (of[1], axis.value) if kind in OF_SHAPE and shape_of else (None, None)


def _is_axis(name: object) -> TypeGuard[tuple[str, Hashable, int | None | tuple[object, object]]]:
    """Whether a symbol is the length of an axis, by its number or what that is named by (`ShapeOf.named`), or the product of all (None)."""
    return isinstance(name, tuple) and len(name) == 3 and name[0] == "axis"


def _one_to_one(then: object, now: object) -> Iterator[tuple[Hashable, Hashable]]:
    """The arrays of which two of one shape were made, by operations that give no other shape the same one."""
    while isinstance(then, tuple) and isinstance(now, tuple):
        operands = [pair for pair in zip(then[1:], now[1:]) if pair[0] != pair[1]]
        rest = [one for one, other in zip(then[1:], now[1:]) if one == other]
        if len(then) != len(now) or then[0] != now[0] or len(operands) != 1 or not _tells_shape(then[0], rest):
            return
        then, now = operands[0]
        yield then, now


def _tells_shape(operation: object, rest: list[object]) -> bool:
    """Whether an operation on an array and numbers, or a slice of it, has a shape that tells that of the array."""
    if operation == ENTRY:
        return all(isinstance(part, Member) and all(map(tells_length, items(part))) for part in rest)
    return operation in TELLS_SHAPE and all(isinstance(part, Const) and isinstance(part.value, (int, float)) for part in rest)
