"""Parameters of compiled functions that are presumed to be arrays: what shows that they are, and what depends on it.

A parameter that no call, annotation or default determines is an array if some use of it is one of arrays: an attribute or item of it is read, it is computed with
an array, given to MLX, or returned. If there is no such use, that it is an array is a presumption, which the finding names. Tests, comparisons, conversions and uses as an
index prove nothing, as numbers have them as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mxlint.domain.arrays import Array, Chain
from mxlint.domain.guards import Identity
from mxlint.domain.members import NONE, TRUE, Const, Member, Ref, Symbolic, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.objects.annotations import said, scalars
from mxlint.models.mlx.array_parameters import array_parameters
from mxlint.syntax import ir

PRESUMED: Final = ("#", "presumed")
"""The field of an array that is presumed to be one: the presumption in words."""


def same_presumption(i: Interpreter, array: Array, ident: int) -> bool:
    """What is given to a trace, or given back by it, as it is: that it is an array is the same presumption under its new number. Whether it is one."""
    number = array.chain.presumed if array.chain is not None and array.chain.note == "argument" else None
    number = array.ident if number is None else number
    said = i.heap.get(number, PRESUMED)
    item = journal(i).items.get(number)
    if item is not None:
        journal(i).items[ident] = item
        said = said or Const(item)  # the trace that says so may be over
    if said is not None:
        i.heap.set(ident, PRESUMED, said)
    return said is not None


GIVEN: Final = ("#", "given")
"""The field of what stands for the result of a symbolic callable: no use of what is computed from it shows that it is no constant."""


def presume(i: Interpreter, array: Array, name: str) -> Array:
    """An array that parameter `name` is taken to be."""
    i.heap.set(array.ident, PRESUMED, Const(f"`{name}` is an array"))
    return array


def given(i: Interpreter, argument: Symbolic, place: Place) -> Chain:
    """Where what is computed from an argument comes from that may be a number as well: it is a placeholder if the argument is an array."""
    ident = i.ident(place, GIVEN)
    i.heap.set(ident, PRESUMED, Const(f"`{argument.label or place.text}` is an array"))
    i.heap.set(ident, GIVEN, TRUE)
    return Chain(place, "argument", presumed=ident)


TREE_OF: Final = ("#", "tree of")
"""The field of what a function of trees makes of what is presumed to be an array: that. Where it is a dict, so is what is made of it."""


def mapped(i: Interpreter, leaf: Member, made: Value) -> None:
    """A function of trees, as `tree_map` or `mx.grad`, makes something of a leaf: it is an array if that is one."""
    argument = argument_of(i, leaf) if isinstance(leaf, Array) else None
    if argument is not None:
        for array in members(made):
            if isinstance(array, Array) and array.trace is not None and array.ident != argument.ident:
                i.heap.set(array.ident, TREE_OF, argument)


def argument_of(i: Interpreter, array: Array) -> Array | None:
    """The argument that is presumed to be an array and without which something is none: itself, or what it is made of as a tree is of another one."""
    if root(array) == array.ident:
        return array
    found = i.heap.get(array.ident, TREE_OF)
    return found if isinstance(found, Array) else None


FROM_CALLERS: Final = frozenset(("parameter", "element"))
"""What begins the identity of a parameter of a function that nothing in sight calls, and of an element of something that nobody in sight gives."""
TAKEN_OUT: Final = frozenset(("unpacked", "[]"))
"""What begins the identity of an item of something, which follows."""


def taken_from(identity: Identity) -> Identity:
    """What something is an item of, or an item of an item, by its identity; itself, if it is none."""
    while identity[0] in TAKEN_OUT and isinstance(identity[1], tuple):
        identity = identity[1]
    return identity


def may_be_array(identity: Identity) -> bool:
    """Whether something that nobody in sight gives is taken to be an array where a compiled function takes it: what callers or an iterable out of
    sight bring, and items of it. The attribute of an object, a result or a name of another library has no kind."""
    return taken_from(identity)[0] in FROM_CALLERS


def of_iterable(value: Value) -> bool:
    """Whether a value is an element of an iterable that nobody in sight gives, or an item of one: another one in each round of a loop over it, and an
    array if nothing says otherwise."""

    def one(member: Member) -> bool:
        identity = member.identity if isinstance(member, Symbolic) and member.kinds is None else ("",)
        return taken_from(identity)[0] == "element"

    return all(map(one, members(value)))


def round_of(value: Value) -> Context | None:
    """The context in which an element of an iterable was taken that nobody in sight gives; None of anything else."""
    identity: Identity = value.identity if isinstance(value, Symbolic) and of_iterable(value) else ("",)
    return next((part for part in taken_from(identity) if isinstance(part, Context)), None)


def root(array: Array) -> int | None:
    """The placeholder that an array is computed from, if all that it is computed from is presumed to be an array."""
    return array.chain.presumed if array.chain is not None else None


def words(i: Interpreter, array: Array) -> str:
    """The presumption that an array depends on; "" if it is one for sure."""
    number = root(array)
    found = i.heap.get(number, PRESUMED) if number is not None else None
    return str(found.value) if isinstance(found, Const) and found.value is not None else ""


def may_be_list(i: Interpreter, array: Array) -> bool:
    """Whether something is presumed to be an array that a dict of unknown contents holds, where lists of lengths lie beside arrays."""
    return root(array) in journal(i).entries


def needed(i: Interpreter, arrays: Iterable[Array]) -> None:
    """An operation that only arrays have: what is presumed is so for the rest of the path, and what that is computed from is used as arrays are."""
    for array in arrays:
        if root(array) == array.ident and words(i, array):
            i.heap.set(array.ident, PRESUMED, NONE)
            _no_list(i, (array,))
        shown(i, (array,))


def _no_list(i: Interpreter, values: Iterable[Value]) -> None:
    """Values are used as arrays are, and lists of arrays are not."""
    for value in values:
        for array in arrays_in(i, value):
            if root(array) == array.ident and array.ident not in journal(i).no_lists:
                journal(i).no_lists.add(array.ident)
                if i.heap.recording is not None:
                    i.heap.recording.valid = False


def shown(i: Interpreter, values: Iterable[Value]) -> None:
    """Values are used as arrays are. What MLX makes of an argument is an array, whether or not the argument is one."""
    for value in values:
        for array in arrays_in(i, value):
            number = root(array)
            if number is not None and number not in journal(i).arrays and i.heap.get(number, GIVEN) is None:
                journal(i).arrays.add(number)
                if i.heap.recording is not None:
                    i.heap.recording.valid = False


def perhaps_number(i: Interpreter, value: Value) -> bool:
    """Whether all arrays in a value are only presumed to be ones."""
    found = [words(i, array) for array in arrays_in(i, value)]
    return bool(found) and all(found)


def refuted(i: Interpreter, values: Iterable[Value]) -> None:
    """Values are used where an array raises, compiled or not: what is presumed to be one is a number."""
    for value in values:
        for array in arrays_in(i, value):
            number = root(array)
            if number is not None:
                journal(i).numbers.add(number)


def handed(i: Interpreter, ref: Ref, param: ir.Param, value: Value) -> Value:
    """What a trace hands on to a parameter of a function: where that is annotated as a scalar, a number, and no array that the argument is presumed to be."""
    kinds = scalars(i, ref, param.annotation)
    if isinstance(value, Array) and kinds and root(value) == value.ident and words(i, value):
        refuted(i, (value,))
        if i.heap.recording is not None:
            i.heap.recording.valid = False
    if isinstance(value, Symbolic) and kinds and value.kinds is None and value.source == "argument":
        return Symbolic(value.identity, kinds, value.label, said(param.name, sorted(kinds)), value.source)
    return value


OF_LISTS: Final = frozenset(f"mlx.core.array.__{side}{name}__" for name in ("add", "mul") for side in ("", "r", "i"))
"""Operators that lists have as well, with a list or a number."""
COMPARISONS: Final = frozenset(f"mlx.core.array.__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge"))
"""Operators of which the operands may be numbers as well as arrays, whatever is done with the result."""


def together(i: Interpreter, name: str, values: Iterable[Value]) -> None:
    """Values are operands of an operator: what is computed with an array is taken to be one, but for what lies in a dict of unknown contents. What is compared with one
    is not."""
    computed = _not_of_dicts(i, values) if name not in COMPARISONS else []
    several = len({root(array) for array in computed if array.trace is not None}) > 1
    if several:
        shown(i, computed)
    if several or name not in OF_LISTS:
        _no_list(i, computed)


def first(i: Interpreter, name: str, values: Sequence[Value]) -> None:
    """A function of MLX is given a value first: it is taken for an array, but what lies in a dict of unknown contents only where nothing else is taken."""
    alone = 0 in array_parameters().get(name, {}).values()
    if alone:
        _no_list(i, values[:1])
    shown(i, values[:1] if alone else _not_of_dicts(i, values[:1]))


PRODUCTS: Final = frozenset(f"mlx.core.array.__{name}__" for name in ("matmul", "rmatmul", "imatmul"))
"""Operators of which both operands are arrays."""


def handed_to(i: Interpreter, name: str, values: Sequence[Value]) -> None:
    """A trace hands values to a function of MLX: what nobody in sight gives is an array, where that takes nothing else."""
    for number in range(2) if name in PRODUCTS else array_parameters().get(name, {}).values():
        for member in members(values[number]) if number < len(values) else ():
            if isinstance(member, Symbolic) and member.kinds is None:
                journal(i).symbolic_arrays.add(member.identity)


def is_given(identity: Identity) -> bool:
    """Whether something is what somebody out of sight gives, as it is."""
    return identity[0] == "parameter"


def are_arrays(i: Interpreter, value: Value) -> bool:
    """Whether a trace has shown that what nobody in sight gives is an array."""
    return all(isinstance(member, Symbolic) and member.identity in journal(i).symbolic_arrays for member in members(value))


def _not_of_dicts(i: Interpreter, values: Iterable[Value]) -> list[Array]:
    """The arrays in values that do not depend on an entry of a dict of unknown contents."""
    return [array for value in values for array in arrays_in(i, value) if root(array) not in journal(i).entries]
