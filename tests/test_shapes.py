"""Sizes and shapes of the abstract domain against Python's integers, numpy and MLX.

Each operation runs on concrete shapes, and on the same shapes with symbols in the place of numbers: what comes out must be the concrete result
once the numbers are put back, or be unknown.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mxlint.domain import arranging, indexing, shape, size, windows
from mxlint.domain.indexing import ABSENT, Gather, Integer, NewAxis, Rest, Slice
from mxlint.domain.size import Size, number, symbol

mx = pytest.importorskip("mlx.core")
np = pytest.importorskip("numpy")

NAMES = {"n": 5, "m": 3, "k": 12, "o": 1, "z": 0}
VALUES = {name: number(value) for name, value in NAMES.items()}
OPERATORS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (size.add, operator.add),
    "sub": (size.sub, operator.sub),
    "mul": (size.mul, operator.mul),
    "floordiv": (size.floordiv, operator.floordiv),
    "mod": (size.mod, operator.mod),
    "min": (size.least, min),
    "max": (size.greatest, max),
}
leaves = st.one_of(st.integers(-3, 9), st.sampled_from(sorted(NAMES)))
trees = st.recursive(leaves, lambda inner: st.tuples(st.sampled_from(sorted(OPERATORS)), inner, inner), max_leaves=6)


def _symbolic(tree: Any) -> Size | None:
    if isinstance(tree, tuple):
        return OPERATORS[tree[0]][0](_symbolic(tree[1]), _symbolic(tree[2]))
    return symbol(tree) if isinstance(tree, str) else number(tree)


def _python(tree: Any, values: dict[str, int]) -> int | None:
    if not isinstance(tree, tuple):
        return values[tree] if isinstance(tree, str) else tree
    left, right = _python(tree[1], values), _python(tree[2], values)
    if left is None or right is None:
        return None
    try:
        return OPERATORS[tree[0]][1](left, right)
    except ZeroDivisionError:
        return None


@settings(max_examples=400, deadline=None)
@given(trees, st.fixed_dictionaries({name: st.integers(0, 20) for name in NAMES}))
def test_sizes_compute_as_python_does(tree: Any, values: dict[str, int]) -> None:
    wanted = _python(tree, values)
    found = _symbolic(tree)
    if wanted is None or found is None:
        return
    low, high = size.bounds(found)
    assert low <= wanted <= high
    put_back = size.substitute(found, {name: number(value) for name, value in values.items()})
    assert put_back is None or put_back == wanted


@settings(max_examples=400, deadline=None)
@given(trees, trees, st.fixed_dictionaries({name: st.integers(0, 20) for name in NAMES}))
def test_what_is_proved_of_two_sizes_holds(left: Any, right: Any, values: dict[str, int]) -> None:
    a, b = _symbolic(left), _symbolic(right)
    x, y = _python(left, values), _python(right, values)
    if x is None or y is None:
        return
    assert not (size.provably_equal(a, b) and x != y)
    assert not (size.provably_different(a, b) and x == y)
    assert not (size.provably_at_least(a, b) and x < y)


def test_normal_forms_are_equal() -> None:
    n, m = symbol("n"), symbol("m")
    two, four = number(2), number(4)
    assert size.mul(size.add(n, number(1)), m) == size.add(size.mul(n, m), m)
    assert size.floordiv(size.add(n, four), two) == size.add(size.floordiv(n, two), two)
    assert size.floordiv(size.floordiv(n, two), two) == size.floordiv(n, four)
    assert size.floordiv(size.mul(n, m), n) == m
    assert size.least(n, m) == size.least(m, n)
    assert size.mod(size.mul(n, four), two) == 0
    assert size.provably_different(size.mul(n, two), size.add(size.mul(m, two), number(1)))
    assert size.provably_different(size.add(n, number(1)), size.ZERO)
    assert not size.provably_different(n, m)


def test_what_grows_without_end_becomes_unknown() -> None:
    nested = product = total = symbol("n")
    for i in range(80):
        total = size.add(total, symbol(f"s{i}"))
        nested = size.least(size.floordiv(size.mul(nested, number(3)), number(2)), symbol(f"s{i}"))
        product = size.mul(product, size.add(symbol(f"s{i}"), size.ONE))
    assert nested is None and product is None and total is None


def test_origins_go_along_and_are_no_part_of_equality() -> None:
    a, b = number(4, frozenset({(0, 0)})), number(4, frozenset({(1, 1)}))
    assert a == b == 4 and hash(a) == hash(b) == hash(4)
    assert size.mul(a, b).origins == {(0, 0), (1, 1)}
    assert size.floordiv(a, number(3)).origins == {(0, 0)}
    assert size.join(a, b).origins == {(0, 0), (1, 1)}
    assert shape.broadcast((a,), (size.ONE,)) == (4,) and shape.broadcast((a,), (size.ONE,))[0].origins == {(0, 0)}
    one = number(1, frozenset({(0, 0)}))
    assert shape.broadcast((one,), ())[0].origins == shape.broadcast((), (one,))[0].origins == {(0, 0)}
    assert not size.leq(a, number(4)) and size.leq(number(4), a)


# -- shapes ------------------------------------------------------------------------------------------------------------

lengths = st.integers(0, 6)
shapes_ = st.lists(lengths, max_size=4).map(tuple)


def veil(lengths: Sequence[int], hidden: frozenset[int]) -> tuple[Size, ...]:
    """A shape with symbols for those lengths that are in `hidden`: equal lengths are one symbol. 1 stays a number, as broadcasting presumes."""
    return tuple(symbol(f"s{n}") if n in hidden and n != 1 else number(n) for n in lengths)


BACK = {f"s{n}": number(n) for n in range(1000)}


def covers(found: shape.Shape, wanted: Sequence[int] | None, exact: bool = False) -> bool:
    """Whether a shape stands for the one that MLX or numpy has."""
    if wanted is None:
        return True  # it raises: nothing is claimed
    if found is None or len(found) != len(wanted):
        return found is None and not exact
    back = [size.substitute(length, BACK) for length in found]
    return all((length is None and not exact) or length == n for length, n in zip(back, wanted))


def real(call: Callable[[], Any]) -> Any:
    """What a call of MLX or numpy makes; None if it raises."""
    try:
        return call()
    except Exception:  # noqa: BLE001  whatever they raise, nothing is claimed then
        return None


def check(compute: Callable[..., Any], wanted: Any, *lengths: Sequence[int], hidden: frozenset[int]) -> None:
    """Concrete shapes give exactly what is wanted, symbolic ones cover it."""
    result = None if wanted is None else tuple(wanted.shape)
    assert covers(compute(*map(shape.shape_of, lengths)), result, exact=result is not None)
    assert covers(compute(*(veil(each, hidden) for each in lengths)), result)


hidden_ = st.frozensets(lengths)
axes_ = st.one_of(st.none(), st.lists(st.integers(-4, 3), max_size=3))


@settings(max_examples=300, deadline=None)
@given(shapes_, shapes_, hidden_)
def test_broadcast(a: tuple[int, ...], b: tuple[int, ...], hidden: frozenset[int]) -> None:
    wanted = real(lambda: mx.zeros(a) + mx.zeros(b))
    check(shape.broadcast, wanted, a, b, hidden=hidden)
    if wanted is None:
        assert shape.broadcast(shape.shape_of(a), shape.shape_of(b)) is None


def test_what_broadcasting_presumes() -> None:
    n, m, long = symbol("n"), symbol("m"), symbol("l", low=2)
    assert shape.broadcast((n,), (number(3),)) == (3,) and shape.presumed_not_one((n,), (number(3),)) == ()
    assert shape.broadcast((n,), (size.ONE,)) == (n,) and shape.presumed_not_one((n,), (size.ONE,)) == ()
    assert shape.broadcast((n,), (m,)) == (n,) and shape.presumed_not_one((n,), (m,)) == (n,)
    assert shape.broadcast((n,), (long,)) == (long,) and shape.presumed_not_one((n,), (long,)) == ()
    assert shape.broadcast((None,), (number(3),)) == (3,) and shape.broadcast((None,), (size.ONE,)) == (None,)


@settings(max_examples=200, deadline=None)
@given(shapes_, axes_, st.booleans(), hidden_)
def test_reduce(a: tuple[int, ...], axes: list[int] | None, keepdims: bool, hidden: frozenset[int]) -> None:
    check(lambda s: shape.reduce(s, axes, keepdims), real(lambda: mx.sum(mx.zeros(a), axes, keepdims)), a, hidden=hidden)


@settings(max_examples=200, deadline=None)
@given(shapes_, st.lists(st.integers(-3, 3), max_size=4), st.integers(-4, 3), st.integers(-4, 3), hidden_)
def test_permutations(a: tuple[int, ...], axes: list[int], i: int, j: int, hidden: frozenset[int]) -> None:
    check(lambda s: shape.permute(s, axes), real(lambda: mx.transpose(mx.zeros(a), axes)), a, hidden=hidden)
    check(shape.permute, real(lambda: mx.transpose(mx.zeros(a))), a, hidden=hidden)
    check(lambda s: shape.swap(s, i, j), real(lambda: mx.swapaxes(mx.zeros(a), i, j)), a, hidden=hidden)
    check(lambda s: shape.move(s, i, j), real(lambda: mx.moveaxis(mx.zeros(a), i, j)), a, hidden=hidden)


@settings(max_examples=200, deadline=None)
@given(shapes_, axes_, hidden_)
def test_expand_and_squeeze(a: tuple[int, ...], axes: list[int] | None, hidden: frozenset[int]) -> None:
    if axes is not None:
        check(lambda s: shape.expand(s, axes), real(lambda: mx.expand_dims(mx.zeros(a), axes)), a, hidden=hidden)
    a = tuple(1 if n % 2 else n for n in a)
    check(lambda s: shape.squeeze(s, axes), real(lambda: mx.squeeze(mx.zeros(a), axes)), a, hidden=hidden)


@settings(max_examples=400, deadline=None)
@given(shapes_, st.lists(st.integers(1, 6), min_size=0, max_size=3), st.integers(0, 3), hidden_)
def test_reshape(a: tuple[int, ...], into: list[int], at: int, hidden: frozenset[int]) -> None:
    for sizes in (into, [*into[:at], -1, *into[at:]]):
        wanted = real(lambda sizes=sizes: mx.reshape(mx.zeros(a), sizes))
        result = None if wanted is None else tuple(wanted.shape)
        assert covers(arranging.reshape(shape.shape_of(a), shape.shape_of(sizes)), result, exact=result is not None)
        assert covers(arranging.reshape(veil(a, hidden), veil(sizes, hidden - {-1})), result)


def test_reshape_keeps_what_is_on_both_sides() -> None:
    b, length, heads, width = symbol("b"), symbol("l"), number(8), number(64)
    split = arranging.reshape((b, length, size.mul(heads, width)), (b, length, heads, number(-1)))
    assert split == (b, length, 8, 64)
    assert arranging.reshape(split, (b, length, number(-1))) == (b, length, 512)
    assert arranging.reshape((b, length, heads), (number(-1), heads)) == (size.mul(b, length), 8)
    assert arranging.reshape((b, size.add(length, size.ONE)), (size.add(length, size.ONE), number(-1))) == (size.add(length, size.ONE), b)


@settings(max_examples=200, deadline=None)
@given(shapes_, st.integers(-5, 5), st.integers(-5, 5), st.lists(st.integers(-1, 3), max_size=3), hidden_)
def test_flatten_and_unflatten(a: tuple[int, ...], start: int, end: int, sizes: list[int], hidden: frozenset[int]) -> None:
    check(lambda s: arranging.flatten(s, start, end), real(lambda: mx.flatten(mx.zeros(a), start, end)), a, hidden=hidden)
    if -1 in sizes and 0 in sizes:
        return  # MLX 0.32.4 divides by zero there and ends the process
    check(
        lambda s: arranging.unflatten(s, start, shape.shape_of(sizes)),
        real(lambda: mx.unflatten(mx.zeros(a), start, sizes)),
        a,
        hidden=hidden,
    )


@settings(max_examples=300, deadline=None)
@given(shapes_, st.lists(lengths, min_size=1, max_size=3), st.one_of(st.none(), st.integers(-4, 3)), hidden_)
def test_concatenate_and_stack(a: tuple[int, ...], others: list[int], axis: int | None, hidden: frozenset[int]) -> None:
    parts = [a]
    for n in others:
        parts.append(tuple(n if axis is not None and i == axis % max(len(a), 1) else length for i, length in enumerate(a)))
    check(
        lambda *s: arranging.concatenate(s, axis), real(lambda: mx.concatenate([mx.zeros(p) for p in parts], axis)), *parts, hidden=hidden
    )
    if axis is not None:
        check(
            lambda *s: arranging.stack(s, axis), real(lambda: mx.stack([mx.zeros(p) for p in parts[:2]], axis)), *parts[:2], hidden=hidden
        )


@settings(max_examples=300, deadline=None)
@given(shapes_, st.one_of(st.integers(0, 4), st.lists(st.integers(-7, 7), max_size=3)), st.integers(-4, 3), hidden_)
def test_split(a: tuple[int, ...], sections: int | list[int], axis: int, hidden: frozenset[int]) -> None:
    wanted = real(lambda: mx.split(mx.zeros(a), sections, axis))
    if wanted is None:
        return
    given_ = sections if isinstance(sections, int) else shape.shape_of(sections)
    for lengths, exact in ((shape.shape_of(a), True), (veil(a, hidden), False)):
        found = arranging.split(lengths, given_, axis)
        assert found is not None and len(found) == len(wanted)
        assert all(covers(part, one.shape, exact) for part, one in zip(found, wanted))


@settings(max_examples=200, deadline=None)
@given(shapes_, st.integers(0, 3), st.one_of(st.none(), st.integers(-4, 3)), st.lists(st.integers(0, 3), max_size=3), hidden_)
def test_repeat_and_tile(a: tuple[int, ...], n: int, axis: int | None, reps: list[int], hidden: frozenset[int]) -> None:
    check(lambda s: arranging.repeat(s, number(n), axis), real(lambda: mx.repeat(mx.zeros(a), n, axis)), a, hidden=hidden)
    check(lambda s: arranging.tile(s, shape.shape_of(reps)), real(lambda: mx.tile(mx.zeros(a), reps)), a, hidden=hidden)


@settings(max_examples=300, deadline=None)
@given(shapes_, shapes_, lengths, hidden_)
def test_matmul(a: tuple[int, ...], b: tuple[int, ...], inner: int, hidden: frozenset[int]) -> None:
    a = (*a[:-1], inner) if a else a
    b = b if not b else (inner,) if len(b) == 1 else (*b[:-2], inner, b[-1])
    check(arranging.matmul, real(lambda: mx.zeros(a) @ mx.zeros(b)), a, b, hidden=hidden)


@pytest.mark.parametrize("text", ["ij,jk->ik", "ij,jk", "bij,bjk->bik", "ii->i", "ij->ji", "i,i", "i,j", "bhqd,bhkd->bhqk", "ij->"])
@pytest.mark.parametrize("hidden", [frozenset(), frozenset({2, 3}), frozenset(range(7))])
def test_einsum(text: str, hidden: frozenset[int]) -> None:
    lengths = {letter: n for n, letter in enumerate(sorted(set(text) - set(",->")), 2)}
    operands = [tuple(lengths[letter] for letter in term) for term in text.partition("->")[0].split(",")]
    wanted = mx.einsum(text, *map(mx.zeros, operands))
    check(lambda *s: arranging.einsum(text, s), wanted, *operands, hidden=hidden)


# -- indexing ----------------------------------------------------------------------------------------------------------

bound = st.one_of(st.none(), st.integers(-8, 8))
items = st.one_of(
    st.integers(-1, 0),
    st.builds(slice, bound, bound, st.sampled_from([None, 1, 2, 3, -1, -2])),
    st.none(),
    st.just(...),
    st.sampled_from([(3,), (2, 1), (1,), ()]).map(lambda s: ("gather", s)),
)


def _abstract(item: Any) -> indexing.Item:
    if isinstance(item, int):
        return Integer()
    if isinstance(item, slice):
        return Slice(*(ABSENT if part is None else number(part) for part in (item.start, item.stop, item.step)))
    if item is None:
        return NewAxis()
    return Rest() if item is ... else Gather(shape.shape_of(item[1]))


@settings(max_examples=1000, deadline=None)
@given(st.lists(st.integers(1, 6), max_size=4), st.lists(items, max_size=4), hidden_)
def test_indexing(a: list[int], key: list[Any], hidden: frozenset[int]) -> None:
    concrete = tuple(mx.zeros(item[1], mx.int32) if isinstance(item, tuple) else item for item in key)
    wanted = real(lambda: mx.zeros(a)[concrete])
    check(lambda s: indexing.index(s, [_abstract(item) for item in key]), wanted, a, hidden=hidden)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 8), bound, bound, st.sampled_from([1, 2, -1, -3]), st.frozensets(st.sampled_from(["size", "start", "stop"])))
def test_slices_with_symbols_for_bounds(n: int, start: int | None, stop: int | None, step: int, hidden: frozenset[str]) -> None:
    def sign(name: str, value: int | None) -> Any:
        if value is None:
            return ABSENT
        return (
            number(value) if name not in hidden else symbol("s" + str(value)) if value >= 0 else size.neg(symbol("s" + str(-value), low=1))
        )

    length = symbol(f"s{n}") if "size" in hidden else number(n)
    found = size.substitute(indexing.sliced(length, Slice(sign("start", start), sign("stop", stop), number(step))), BACK)
    assert found is None or found == len(range(n)[start:stop:step])
    assert hidden or found is not None


def test_slices_of_a_symbol_have_plain_forms() -> None:
    n = symbol("n", low=1)
    take = lambda start, stop: indexing.sliced(n, Slice(start, stop, ABSENT))
    assert take(size.ONE, ABSENT) == size.sub(n, size.ONE) == take(ABSENT, number(-1))
    assert take(number(-1), ABSENT) == 1 == take(ABSENT, size.ONE)
    assert take(ABSENT, n) == n
    assert take(ABSENT, ABSENT) == n


# -- windows -----------------------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 12), st.integers(1, 4), st.integers(1, 3), st.integers(0, 2), st.integers(1, 3), st.integers(0, 1), st.booleans())
def test_convolutions(n: int, kernel: int, stride: int, padding: int, dilation: int, extra: int, hide: bool) -> None:
    length = symbol(f"s{n}", low=1) if hide else number(n)
    given_ = [number(value) for value in (kernel, stride, 2 * padding, dilation)]
    wanted = real(lambda: mx.conv1d(mx.zeros((1, n, 2)), mx.zeros((3, kernel, 2)), stride, padding, dilation))
    if wanted is not None and n + 2 * padding >= dilation * (kernel - 1) + 1:
        assert size.substitute(windows.convolved(length, *given_), BACK) == wanted.shape[1]
    wanted = real(lambda: mx.conv_transpose1d(mx.zeros((1, n, 2)), mx.zeros((3, kernel, 2)), stride, padding, dilation, extra))
    if wanted is not None and padding <= dilation * (kernel - 1):
        assert size.substitute(windows.transposed(length, *given_, number(extra)), BACK) == wanted.shape[1]
