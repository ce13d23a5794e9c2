"""The arrays that a module itself holds: each attribute that is an array, or may be. Those of the modules in it are theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mxlint.domain.arrays import Array
from mxlint.domain.join import of
from mxlint.domain.members import Option, Ref, Value, members, options
from mxlint.interpreter.machine.core import Interpreter


def weights(i: Interpreter, module: Ref) -> Iterator[tuple[str, Value]]:
    """The attributes of a module that hold arrays, with what is known of them on this path."""
    for field, value in list(i.heap.fields(module.oid).items()):
        if isinstance(field, str) and is_array(present := i.live(value)):
            yield field, present


def parameters(i: Interpreter, module: Ref) -> Iterator[tuple[str, Value]]:
    """Those among them that MLX counts among the parameters, which is what is trained, converted and updated."""
    return ((field, value) for field, value in weights(i, module) if is_parameter(field))


def is_parameter(name: str) -> bool:
    """Whether MLX counts what a module holds under a name among its parameters: `Module.valid_parameter_filter`."""
    return not name.startswith("_")


def is_array(value: Value) -> bool:
    """Whether some member of a value is an array."""
    return any(isinstance(member, Array) for member in members(value))


def renewed(value: Value, make: Callable[[Array], Array]) -> Value:
    """One new array in the place of all that a value may be, made from what these have in common; what is no array stays."""
    first, *others = [member for member in members(value) if isinstance(member, Array)]
    shape = first.shape if all(other.shape == first.shape for other in others) else None
    dtype = first.dtype if all(other.dtype == first.dtype for other in others) else None
    new = make(first.but(shape=shape, dtype=dtype))
    return of(Option(new if isinstance(option.member, Array) else option.member, option.guard) for option in options(value))


def same_shape_and_dtype(ident: int, trace: int | None, array: Array) -> Array:
    """Another array of the same shape and dtype."""
    return Array(ident, trace, array.shape, array.dtype, array.chain)


def converted(ident: int, array: Array) -> Array:
    """Another array of the same shape."""
    return Array(ident, array.trace, array.shape, None, array.chain)
