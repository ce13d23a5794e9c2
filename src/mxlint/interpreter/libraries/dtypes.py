"""What lies in an array of numpy: the class of its scalars, as far as what made it says it, and so what an index or a round of a loop gives.

An index gives a scalar or a row, by the number of axes. Where nobody says how many there are, it is one of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Field
from mxlint.domain.join import join
from mxlint.domain.members import NONE, Const, External, Kind, Member, Range, Ref, Slice, Symbolic, Tuple, Value, members, scalar_type
from mxlint.domain.place import Place
from mxlint.facts.rows import FEW
from mxlint.interpreter.containers.indices import most_in, whole
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, STORED
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.models.load import canonical, is_subclass

ARRAY: Final = "numpy.ndarray"
NUMBER: Final = "numpy.number"
DTYPE: Final[Field] = ("#", "dtype")
"""Of an array of numpy: the class of what lies in it."""
_OF_PYTHON: Final = {"float": "numpy.float64", "int": "numpy.int64", "bool": "numpy.bool", "complex": "numpy.complex128"}
"""The classes that stand for numbers of Python."""
_FAMILIES: Final = {"float": "numpy.floating", "int": "numpy.integer", "bool": "numpy.bool", "complex": "numpy.complexfloating"}
"""The classes of numpy for each of them."""
_MOST: Final = 64
"""Items of a list that are looked at."""


def named(value: Value | None) -> str | None:
    """The class of scalars that a dtype names: a class, or its name; None if that is not known."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return _scalar(f"numpy.{value.value}")
    if not isinstance(value, External):
        return None
    return _OF_PYTHON.get(value.name.removeprefix("builtins.")) if value.name.startswith("builtins.") else _scalar(value.name)


def _scalar(name: str) -> str | None:
    name = canonical(name)
    return name if is_subclass(name, NUMBER) or name == _OF_PYTHON["bool"] else None


def held(i: Interpreter, value: Value | None, depth: int = 4) -> str | None:
    """The class of what lies in an array, or would lie in the array that is made of a list of numbers or of an array of MLX's."""
    return _together({_of_member(i, member, depth) for member in members(value)}) if value is not None else None


def _of_member(i: Interpreter, member: Member, depth: int) -> str | None:
    if isinstance(member, Array):
        return _scalar(f"numpy.{member.dtype}") if member.dtype is not None else None
    if isinstance(member, (Const, Kind, Range)):
        return _OF_PYTHON.get(scalar_type(member) or "")
    if isinstance(member, Symbolic):
        found = {kind for kind in member.kinds or () if kind != ARRAY}
        return _scalar(found.pop()) if len(found) == 1 else None
    if isinstance(member, Ref) and i.heap.get(member.oid, CLASS) == External(ARRAY):
        dtype = i.heap.get(member.oid, DTYPE)
        return dtype.name if isinstance(dtype, External) else None
    content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) and i.info(member.oid).kind == "list" else member
    if isinstance(content, Tuple) and content.parts and depth:
        return _together({held(i, part, depth - 1) for part in content.parts[:_MOST]})
    return None


def _together(found: set[str | None]) -> str | None:
    """The class of an array of scalars of several classes, as a list of whole numbers and others gives one of floats."""
    if found == {_OF_PYTHON["int"], _OF_PYTHON["float"]}:
        return _OF_PYTHON["float"]
    return found.pop() if len(found) == 1 else None


def computed(i: Interpreter, array: Value, other: Value | None, name: str) -> str | None:
    """The class of what an operator makes of an array and something else: its own with a number of Python or another array like it, else some number."""
    own = held(i, array)
    if own is None or other is None:
        return own
    is_whole = not is_subclass(own, "numpy.inexact")
    kinds = {scalar_type(member) for member in members(other)}
    same = held(i, other) == own or kinds <= ({"int", "bool"} if is_whole else {"int", "bool", "float"})
    divided = is_whole and name.rpartition(".")[2] in ("__truediv__", "__rtruediv__")
    return own if same and not divided and own != _OF_PYTHON["bool"] else NUMBER


def of_python(i: Interpreter, value: Value, place: Place) -> Value:
    """What Python has in the place of scalars of numpy, as `tolist` gives it."""
    return join([_plain(i, member, place) for member in members(value)])


def _plain(i: Interpreter, member: Member, place: Place) -> Value:
    kinds = {next((plain for plain, cls in _FAMILIES.items() if is_subclass(kind, cls)), "") for kind in _kinds(i, member)}
    if not kinds:
        return member
    if isinstance(member, Symbolic) and member.source == "item":
        return Kind(kinds.pop() if len(kinds) == 1 and "" not in kinds else "number", "open")
    return i.derived("tolist", (member,), frozenset(kinds) if "" not in kinds else None, place)


def _kinds(i: Interpreter, member: Member) -> frozenset[str]:
    """The classes of numpy that something may be of; empty for what is none of numpy's."""
    if isinstance(member, Symbolic):
        return frozenset(kind for kind in member.kinds or () if "." in kind)
    cls = i.heap.get(member.oid, CLASS) if isinstance(member, Ref) else None
    return frozenset((cls.name,)) if isinstance(cls, External) else frozenset()


def hold(i: Interpreter, oid: int, dtype: str | None) -> None:
    """An array is made, of scalars of a class."""
    if dtype is not None:
        i.heap.set(oid, DTYPE, External(dtype))


def numbers(i: Interpreter, value: Value) -> Value | None:
    """What lies in arrays of which it is known that each holds many numbers, each another one; None of anything else."""
    arrays = [member for member in members(value) if isinstance(member, Ref) and i.heap.get(member.oid, CLASS) == External(ARRAY)]
    held = {i.heap.get(array.oid, STORED) for array in arrays}
    return held.pop() if len(held) == 1 and len(arrays) == len(members(value)) else None


def are_few(given: Mapping[str, Value]) -> bool:
    """Whether what a call is given says that there are few things in the array that it makes: how many, or which slice of another."""
    key, number = given.get("key"), given.get("num")
    most = most_in(key) if isinstance(key, Slice) else whole(number) if number is not None else None
    return most is not None and most <= FEW


def kinds_of_number(i: Interpreter, array: Ref) -> frozenset[str]:
    """The class of each number in an array, where numpy's scalars of that are no numbers of Python; empty for anything else."""
    dtype = held(i, array) if i.heap.get(array.oid, CLASS) == External(ARRAY) else None
    return frozenset((dtype,)) if dtype is not None and dtype != _OF_PYTHON["float"] else frozenset()


def kinds_of_item(i: Interpreter, array: Value | None, index: Value | None) -> frozenset[str] | None:
    """What an array gives at an index, or in a round of a loop (None): a scalar, a row, or one of both; None if that is not known."""
    if not isinstance(array, Ref) or i.heap.get(array.oid, CLASS) != External(ARRAY):
        return None
    axes, taken = _axes(i, array.oid), 1 if index is None else _taken(index)
    if taken == 0 or axes is not None and taken is not None and taken < axes:
        return frozenset((ARRAY,))
    dtype = held(i, array)
    return None if dtype is None else frozenset((dtype,)) if axes is not None and taken == axes else frozenset((ARRAY, dtype))


def _taken(index: Value) -> int | None:
    """How many axes an index takes away; 0 if what it gives surely is an array, None if that is not known."""
    parts = index.items if isinstance(index, Tuple) else (index,)
    if not parts:
        return None
    if any(isinstance(part, Slice) or part in (NONE, Const(...)) for part in parts):
        return 0
    return len(parts) if all(scalar_type(part) == "int" for part in parts if isinstance(part, Member)) else None


def _axes(i: Interpreter, oid: int) -> int | None:
    """How many axes an array has, as far as what made it says it."""
    shape = next((given for name in ("shape", "size") if (given := i.heap.get(oid, ("made with", name))) is not None), None)
    if isinstance(shape, Tuple):
        return len(shape.items) if shape.items is not None else None
    if shape is not None:
        return 1 if isinstance(shape, Member) and scalar_type(shape) == "int" else None
    return _depth(i, i.heap.get(oid, ("made with", "object")))


def _depth(i: Interpreter, value: Value | None) -> int | None:
    """How many lists lie in each other, down to a number."""
    if isinstance(value, (Const, Kind, Range)):
        return 0
    content = i.heap.get(value.oid, ITEMS) if isinstance(value, Ref) and i.info(value.oid).kind == "list" else value
    first = content.items[0] if isinstance(content, Tuple) and content.items else None
    inner = _depth(i, first) if first is not None else None
    return None if inner is None else inner + 1
