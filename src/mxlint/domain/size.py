"""Sizes: lengths of axes, and integers that are computed from them.

A `Size` is a polynomial with integer coefficients over atoms, in normal form. An atom is a *symbol*, one fixed but unknown integer with an
identity, or an *opaque* operation (floor division, minimum, maximum, a power) keyed by its operands. Equal sizes are equal as objects: `n*m + m` and
`(n + 1)*m`, `(n + 4)//2` and `n//2 + 2`. A size without atoms equals the int that it stands for. The reverse does not hold: sizes that differ as objects may
be one number; ask `provably_different`.

None, where a size is expected, is an integer of which nothing is known. Operations on None give None.

A size carries the axes of placeholders that it comes from (`origins`). They are no part of equality: two axes of 4 elements are one size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping

Origin = tuple[int, int]
"""An axis of a placeholder: (number of the argument, axis)."""

NO_ORIGINS: frozenset[Origin] = frozenset()
_INFINITE = math.inf
MAX_TERMS = 64
"""A polynomial with more terms is not kept: the size is unknown."""
MAX_DEPTH = 6
"""Opaque operations nest no deeper than this: beyond, the size is unknown."""


class Atom:
    """A symbol, or an opaque operation on sizes. `low` and `high` bound its value, both inclusive."""

    __slots__ = ("depth", "high", "key", "kind", "low", "name", "operands", "text")

    def __init__(self, kind: str, name: Hashable, operands: tuple[Size, ...], low: float, high: float) -> None:
        self.kind, self.name, self.operands, self.low, self.high = kind, name, operands, low, high
        self.key = (kind, name, operands)
        self.depth: int = 1 + max((atom.depth for size in operands for monomial in size.terms for atom in monomial), default=0)
        inside = ", ".join(map(repr, operands))
        self.text = str(name) if kind == "symbol" else f"{kind}({inside})"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Atom) and self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return self.text


Monomial = tuple[Atom, ...]
"""A product of atoms, ordered by their text; the empty one is 1."""
Terms = Mapping[Monomial, int]
"""A polynomial: coefficients that are not 0, by monomial."""


class Size:
    """An integer that is known, or known by its relation to symbols. Immutable."""

    __slots__ = ("_hash", "axis", "origins", "terms")

    def __init__(self, terms: Terms, origins: frozenset[Origin] = NO_ORIGINS, axis: Origin | None = None) -> None:
        self.terms, self.origins = terms, origins
        self.axis = axis
        """The axis of a placeholder whose length it is, in each call; None where it is computed from lengths."""
        self._hash: int | None = None

    @property
    def number(self) -> int | None:
        """The value, where the size is a number."""
        return (0 if not self.terms else self.terms.get((), None)) if len(self.terms) <= 1 else None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, int):
            return self.number == other
        return isinstance(other, Size) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            number = self.number
            self._hash = hash(number) if number is not None else hash(frozenset(self.terms.items()))
        return self._hash

    def __repr__(self) -> str:
        parts = []
        for monomial, factor in sorted(self.terms.items(), key=lambda term: (not term[0], repr(term[0]))):
            product = "*".join(map(repr, monomial))
            parts.append(str(factor) if not product else product if factor == 1 else f"{factor}*{product}")
        return " + ".join(parts) or "0"

    def __reduce__(self) -> tuple[type[Size], tuple[dict[Monomial, int], frozenset[Origin]]]:
        return Size, (dict(self.terms), self.origins)


MaybeSize = Size | None


# -- making ------------------------------------------------------------------------------------------------------------


def number(value: int, origins: frozenset[Origin] = NO_ORIGINS) -> Size:
    """The size of a known integer."""
    if origins:
        return Size({(): value} if value else {}, origins)
    found = _SMALL.get(value)
    return found if found is not None else Size({(): value})


_SMALL = {value: Size({(): value} if value else {}) for value in range(-4, 257)}
ZERO, ONE = _SMALL[0], _SMALL[1]


def symbol(identity: Hashable, low: int = 0, origins: frozenset[Origin] = NO_ORIGINS) -> Size:
    """One unknown integer of at least `low`. Symbols of one identity are one integer."""
    return Size({(Atom("symbol", identity, (), low, _INFINITE),): 1}, origins)


def as_size(value: int | Size | None) -> MaybeSize:
    """A size of an int; sizes and None stay."""
    return number(int(value)) if isinstance(value, int) else value


def with_origins(size: Size, origins: frozenset[Origin]) -> Size:
    """The same size, coming from these axes."""
    return size if size.origins == origins else Size(size.terms, origins)


def of_axis(size: Size, axis: Origin) -> Size:
    """The same size, as the length of an axis."""
    return Size(size.terms, frozenset((axis,)), axis)


def settled(size: object) -> object:
    """The same size, coming from no axis; what else stands in a shape stays."""
    return with_origins(size, NO_ORIGINS) if isinstance(size, Size) else size


def _opaque(kind: str, operands: tuple[Size, ...], low: float, high: float, origins: frozenset[Origin]) -> MaybeSize:
    bare = [with_origins(operand, NO_ORIGINS) for operand in operands]
    if kind in ("min", "max"):  # in any order they are one
        bare.sort(key=repr)
    atom = Atom(kind, None, tuple(bare), low, high)
    return Size({(atom,): 1}, origins) if atom.depth <= MAX_DEPTH else None


# -- arithmetic --------------------------------------------------------------------------------------------------------


def _combined(a: Size, b: Size) -> frozenset[Origin]:
    return a.origins | b.origins if a.origins and b.origins else a.origins or b.origins


def _sum(a: Terms, b: Terms, factor: int) -> Terms:
    total = dict(a)
    for monomial, count in b.items():
        left = total.get(monomial, 0) + factor * count
        if left:
            total[monomial] = left
        else:
            del total[monomial]
    return total


def _text(atom: Atom) -> str:
    return atom.text


def _scaled(a: Terms, factor: int) -> Terms:
    return {monomial: factor * count for monomial, count in a.items()} if factor else {}


def _kept(terms: Terms, origins: frozenset[Origin]) -> MaybeSize:
    return Size(terms, origins) if len(terms) <= MAX_TERMS else None


def add(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    return None if a is None or b is None else _kept(_sum(a.terms, b.terms, 1), _combined(a, b))


def sub(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    return None if a is None or b is None else _kept(_sum(a.terms, b.terms, -1), _combined(a, b))


def neg(a: MaybeSize) -> MaybeSize:
    return None if a is None else Size(_scaled(a.terms, -1), a.origins)


def mul(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    """The product. 0 times anything is 0."""
    if a == 0 or b == 0:
        return ZERO
    if a is None or b is None:
        return None
    if len(a.terms) * len(b.terms) > MAX_TERMS:
        return None
    total: dict[Monomial, int] = {}
    for left, m in a.terms.items():
        for right, n in b.terms.items():
            monomial = left or right if not (left and right) else tuple(sorted(left + right, key=_text))
            total[monomial] = total.get(monomial, 0) + m * n
    return Size({monomial: count for monomial, count in total.items() if count}, _combined(a, b))


def product(sizes: Iterable[MaybeSize]) -> MaybeSize:
    """The product of sizes; None if one of them is not known."""
    total: MaybeSize = ONE
    for size in sizes:
        total = mul(total, size)
    return total


def floordiv(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    """The quotient as Python's `//` rounds it; None where the divisor is 0."""
    if a is None or b is None or b == 0:
        return None
    origins = _combined(a, b)
    if a.terms == b.terms:
        return number(1, origins)
    exact = exact_quotient(a, b)
    if exact is not None:
        return exact
    divisor = b.number
    if divisor is None:
        return _opaque("//", (a, b), *_quotient_bounds(a, b), origins)
    if divisor < 0:
        return floordiv(neg(a), neg(b))
    whole = {monomial: count // divisor for monomial, count in a.terms.items() if count // divisor}
    rest = {monomial: count % divisor for monomial, count in a.terms.items() if count % divisor}
    left = Size(rest, origins)
    if left.number is not None:
        return Size(whole, origins)
    return add(Size(whole, origins), _nested(left, divisor))


def _nested(a: Size, divisor: int) -> MaybeSize:
    """A floor division by a positive number; of (x//c + k)//d it makes (x + k*c)//(c*d)."""
    opaque = [monomial[0] for monomial, count in a.terms.items() if len(monomial) == 1 and count == 1 and monomial[0].kind == "//"]
    if len(opaque) == 1 and len(a.terms) <= 2 and (len(a.terms) == 1 or () in a.terms):
        inner, by = opaque[0].operands
        if by.number is not None and by.number > 0:
            dividend = Size(_sum(inner.terms, {(): a.terms.get((), 0) * by.number} if () in a.terms else {}, 1), a.origins)
            again = floordiv(dividend, number(by.number * divisor))
            if again is not None:
                return again
    return _opaque("//", (a, number(divisor)), *_quotient_bounds(a, number(divisor)), a.origins)


def _quotient_bounds(a: Size, b: Size) -> tuple[float, float]:
    (low, high), (least, most) = bounds(a), bounds(b)
    if least <= 0:
        return -_INFINITE, _INFINITE
    ends = [
        -_INFINITE
        if value == -_INFINITE
        else _INFINITE
        if value == _INFINITE
        else value // by
        if by != _INFINITE
        else (0 if value >= 0 else -1)
        for value in (low, high)
        for by in (least, most)
    ]
    return min(ends), max(ends)


def exact_quotient(a: Size, b: Size) -> MaybeSize:
    """What times `b` is `a`, where `b` is one term that divides every term of `a`; else None."""
    if len(b.terms) != 1:
        return None
    ((divisor, by),) = b.terms.items()
    total: dict[Monomial, int] = {}
    for monomial, count in a.terms.items():
        left = list(monomial)
        for atom in divisor:
            if atom not in left:
                return None
            left.remove(atom)
        if count % by:
            return None
        total[tuple(left)] = count // by
    return Size(total, _combined(a, b))


def mod(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    """The rest as Python's `%` has it."""
    return sub(a, mul(floordiv(a, b), b)) if b is not None and a is not None and b != 0 else None


def power(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    """A power with a known exponent of at most 8, or of two numbers where the result is an integer of moderate size."""
    if a is None or b is None or b.number is None or b.number < 0:
        return None
    if a.number is not None:
        return number(a.number**b.number, _combined(a, b)) if a.number.bit_length() * b.number <= 64 else None
    return product([a] * b.number) if b.number <= 8 else None


def least(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    """The smaller of two."""
    return _extreme("min", a, b)


def greatest(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    """The greater of two."""
    return _extreme("max", a, b)


def _extreme(kind: str, a: MaybeSize, b: MaybeSize) -> MaybeSize:
    if a is None or b is None:
        return None
    origins = _combined(a, b)
    low, high = bounds(Size(_sum(a.terms, b.terms, -1)))
    if low >= 0:  # a >= b
        return Size((b if kind == "min" else a).terms, origins)
    if high <= 0:
        return Size((a if kind == "min" else b).terms, origins)
    choose = min if kind == "min" else max
    (low_a, high_a), (low_b, high_b) = bounds(a), bounds(b)
    return _opaque(kind, (a, b), choose(low_a, low_b), choose(high_a, high_b), origins)


# -- asking ------------------------------------------------------------------------------------------------------------


def bounds(size: Size) -> tuple[float, float]:
    """Two numbers that the value lies between, both inclusive; infinite where there is none."""
    low = high = 0.0
    for monomial, count in size.terms.items():
        ends = (1.0, 1.0)
        for atom in monomial:
            corners = [0.0 if 0 in (x, y) else x * y for x in ends for y in (atom.low, atom.high)]
            ends = min(corners), max(corners)
        scaled = sorted((ends[0] * count, ends[1] * count))
        low, high = low + scaled[0], high + scaled[1]
    return low, high


def provably_equal(a: MaybeSize, b: MaybeSize) -> bool:
    """Whether two sizes are the same number, whatever their symbols are."""
    return a is not None and b is not None and a.terms == b.terms


def provably_different(a: MaybeSize, b: MaybeSize) -> bool:
    """Whether two sizes are never the same number."""
    if a is None or b is None:
        return False
    difference = Size(_sum(a.terms, b.terms, -1))
    if difference.number is not None:
        return difference.number != 0
    low, high = bounds(difference)
    shared = math.gcd(*(count for monomial, count in difference.terms.items() if monomial))
    return low > 0 or high < 0 or difference.terms.get((), 0) % shared != 0


def provably_at_least(a: MaybeSize, b: MaybeSize) -> bool:
    """Whether the first is never below the second."""
    return a is not None and b is not None and bounds(Size(_sum(a.terms, b.terms, -1)))[0] >= 0


def join(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    """The least size above both: the same one, or None. What stands for the same integer again and again needs a fresh symbol, which the caller makes."""
    return with_origins(a, a.origins | b.origins) if a is not None and b is not None and a.terms == b.terms else None


def leq(a: MaybeSize, b: MaybeSize) -> bool:
    """Whether `a` is covered by `b`, in value and in origins."""
    return b is None or (a is not None and a.terms == b.terms and a.origins <= b.origins)


def symbols(size: Size) -> frozenset[Hashable]:
    """The identities of all symbols in a size."""
    found: frozenset[Hashable] = frozenset()
    for monomial in size.terms:
        for atom in monomial:
            found |= {atom.name} if atom.kind == "symbol" else frozenset().union(*map(symbols, atom.operands))
    return found


_OPERATIONS: dict[str, Callable[[MaybeSize, MaybeSize], MaybeSize]] = {"//": floordiv, "min": least, "max": greatest}


def substitute(size: MaybeSize, values: Mapping[Hashable, MaybeSize]) -> MaybeSize:
    """The size with other sizes in the place of symbols, by identity."""
    if size is None or not symbols(size) & values.keys():
        return size
    total: MaybeSize = ZERO
    for monomial, count in size.terms.items():
        part: MaybeSize = number(count)
        for atom in monomial:
            whole = Size({(atom,): 1})
            if atom.kind == "symbol":
                factor = values.get(atom.name, whole)
            else:
                factor = _OPERATIONS[atom.kind](*(substitute(operand, values) for operand in atom.operands))
            part = mul(part, factor)
        total = add(total, part)
    return None if total is None else with_origins(total, size.origins | total.origins)
