"""The keys of MLX's cache: which calls of a compiled function use one trace.

A key has a part for each leaf of the arguments: shape and dtype of an array, the bits of a number or string. `f(x, 1)` and `f(x, True)` have one key, `f(x, 2)`
has another. MLX flattens the arguments, so a list that is given twice counts twice.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final, TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.join import itemwise
from mxlint.domain.members import Const, Kind, Length, Range, Ref, Symbolic, Tuple, Union, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.domain.size import provably_different
from mxlint.interpreter.compiled.captured_key import CAPTURED, agree_captured
from mxlint.interpreter.compiled.trees import tree
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import describe, imprecise
from mxlint.interpreter.machine.locations import ITEMS

MAX_PARTS: Final = 4_096
"""Leaves and containers of a tree; of a larger one it is not known which calls it distinguishes."""
MAX_SHAPES: Final = 256
"""Arrays among the arguments of a call whose shapes are kept."""
CONTAINERS: Final = frozenset(("dict", "key", "list", "tuple"))
"""The parts of a key that are no leaves."""
SAID: Final = CONTAINERS | {"array", "const"}
"""The parts of a key that say what the cache compares. Of an object, such as a number of a library, another one may be equal."""
MANY: Final = "many"
"""Begins the part of a list or tuple that may hold any number of things."""
Part: TypeAlias = tuple[Any, ...]
"""A container that begins, with its length; or ("leaf", value)."""


def flattened(i: Interpreter, values: Iterable[Value], limit: int = MAX_PARTS) -> tuple[list[Part], bool]:
    """The leaves of a tree and the containers that begin before them, as MLX comes to them, and whether these are all."""
    found: list[Part] = []
    todo: list[Value | Part] = list(values)
    todo.reverse()
    while todo:
        if len(found) >= limit:
            return found, False
        value = todo.pop()
        if isinstance(value, tuple):
            found.append(value)
            continue
        parts: list[Value | Part] | None = None
        if isinstance(value, Tuple):
            if value.items is not None:
                found.append(("tuple", len(value.items)))
                parts = list(value.items)
        elif isinstance(value, Ref):
            parts = _opened(i, value, found)
        if parts is None:
            found.append(("leaf", value))
        else:
            parts.reverse()
            todo += parts
    return found, True


def _opened(i: Interpreter, ref: Ref, found: list[Part]) -> list[Value | Part] | None:
    """What a list or dict holds; None if it is something else, or not known item by item."""
    kind = tree(i, ref)
    if kind == "list":
        items = itemwise(i.heap.get(ref.oid, ITEMS))
        if items is not None:
            found.append(("list", len(items)))
            return list(items)
    elif kind == "dict":
        entries = i.heap.entries(ref.oid)
        found.append(("dict", len(entries)))
        return [part for key, value in entries for part in (("key", repr(key)), value)]
    return None


def cache_key(
    i: Interpreter, args: Arguments, shapeless: bool, place: Place, is_array: Callable[[str, Symbolic], bool]
) -> tuple[object, ...]:
    """What MLX's cache distinguishes calls by, as far as it is known: one part for each leaf, with the structure. None: not known. `is_array`: whether
    what is symbolic under a number or name is taken for an array."""
    parts: list[object] = []
    whole = args.star is None and args.kwstar is None
    for number, (name, value) in enumerate((*((None, value) for value in args.args), *args.keywords.items())):
        if name is not None:
            parts.append(("name", name))
        taken = partial(is_array, str(number) if name is None else name)
        complete = _add(i, parts, value, shapeless, taken)
        if not complete:
            imprecise(i, place, "tree of arguments or results too large")
            whole = False
            break
    return tuple(parts if whole else (*parts, None))


def _add(
    i: Interpreter,
    parts: list[object],
    value: Value,
    shapeless: bool,
    is_array: Callable[[Symbolic], bool],
    around: tuple[Union, ...] = (),
) -> bool:
    """Add the parts of a key for a value. Whether these are all. `around`: of which several things it is one; what holds itself is not known."""
    found, complete = flattened(i, (value,), MAX_PARTS - len(parts))
    for kind, *content in found:
        if kind != "leaf":
            parts.append((kind, *content))
        elif _is_of_any_length(i, content[0]):
            parts.append((MANY,))
        elif not isinstance(content[0], Union):
            parts.append(_key(content[0], shapeless, is_array))
        elif content[0] in around:
            parts.append(None)
        else:
            parts += _of_any(i, content[0], shapeless, is_array, MAX_PARTS - len(parts), around)
    return complete


def _is_of_any_length(i: Interpreter, value: Value) -> bool:
    """Whether a value is a list or tuple of which nobody in sight says how much it holds, and that no loop makes longer."""
    if isinstance(value, Ref) and tree(i, value) == "list":
        value = i.heap.get(value.oid, ITEMS) or value
    return isinstance(value, Tuple) and value.items is None and not value.loops


def _of_any(
    i: Interpreter,
    union: Union,
    shapeless: bool,
    is_array: Callable[[Symbolic], bool],
    room: int,
    around: tuple[Union, ...],
) -> list[object]:
    """The parts for one of several things, if each of them has the same: arrays of one shape, trees of such. Else they are not known."""
    first: list[object] | None = None
    for member in members(union):
        parts: list[object] = []
        if (
            not _add(i, parts, member, shapeless, is_array, (*around, union))
            or len(parts) > room
            or not all(map(_is_sure, parts))
            or parts != (first or parts)
        ):
            return [None]
        first = parts
    return first or [None]


def _is_sure(part: object) -> bool:
    """Whether a part says all that the cache goes by, and not only which array it is, or that it is taken for one."""
    return isinstance(part, tuple) and (part[0] in CONTAINERS or part[0] == "array" and None not in part[1:])


def _key(value: Value, shapeless: bool, is_array: Callable[[Symbolic], bool]) -> object:
    if isinstance(value, Array):
        shape: object = value.shape
        if shapeless and value.shape is not None:
            shape = len(value.shape)
        elif value.shape is not None and any(size is None for size in value.shape):
            shape = None
        return ("array", shape, value.dtype)
    if isinstance(value, Const):
        return ("const", type(value.value).__name__, value.value)
    if isinstance(value, Length):
        return ("length", value.size)
    if isinstance(value, (Union, Range, Kind, Unknown, Tuple)):
        return None
    if isinstance(value, Symbolic):
        return ("presumed",) if is_array(value) else ("symbolic", value.identity)
    if isinstance(value, Ref):
        return ("object", value.oid)
    return ("other", repr(value))


def flat_shapes(i: Interpreter, args: Arguments) -> tuple[tuple[Any, ...] | None, ...]:
    """The shapes of the array arguments, in the order in which placeholders are numbered."""
    found: list[tuple[Any, ...] | None] = []
    for part in flattened(i, (*args.args, *args.keywords.values()))[0]:
        for member in members(part[1]) if part[0] == "leaf" else ():
            if isinstance(member, Array):
                found.append(describe(i, member).shape)  # type: ignore[union-attr]
            elif isinstance(member, Symbolic) and (member.kinds is None or member.kinds == {"array"}):
                found.append(None)
    return tuple(found[:MAX_SHAPES])


def agree(a: tuple[object, ...], b: tuple[object, ...]) -> bool | None:
    """Whether two keys are one: surely, surely not, or None. What is captured tells them apart whatever is known of the arguments."""
    if a and b and a[-1] and b[-1] and a[-1][0] == b[-1][0] == CAPTURED and _agree(a[-1], b[-1]) is False:  # type: ignore[index,arg-type]
        return False
    if None in a or None in b:
        return False if _begin_apart(a, b) or _begin_apart(a[::-1], b[::-1]) else None
    if len(a) != len(b):
        return False
    answer: bool | None = True
    for x, y in zip(a, b):
        assert isinstance(x, tuple) and isinstance(y, tuple)
        found = _agree(x, y)
        if found is False:
            return False
        answer = None if found is None else answer
    return answer


def _begin_apart(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    """Whether two keys surely differ before the first part that is not known, or that may stand for several. From the end it is the same: what is one key has one
    end, whatever lies before it."""
    for x, y in zip(a, b):
        if not isinstance(x, tuple) or not isinstance(y, tuple) or MANY in (x[0], y[0]):
            return False
        if {x[0], y[0]} <= SAID and _agree(x, y) is False:
            return True
    return False


def _agree(x: tuple[Any, ...], y: tuple[Any, ...]) -> bool | None:
    if x[0] != y[0]:
        return None if {x[0], y[0]} & {"symbolic", "presumed", MANY} or {x[0], y[0]} == {"length", "const"} else False
    if x[0] == "array":
        if x[2] is not None and y[2] is not None and x[2] != y[2]:
            return False
        if x[1] is None or y[1] is None:
            # Nothing says that the shape changes: one unknown array is taken to keep its shape from call to call.
            return True
        if isinstance(x[1], tuple) and isinstance(y[1], tuple):
            if len(x[1]) != len(y[1]):
                return False
            return False if any(provably_different(p, q) for p, q in zip(x[1], y[1])) else True if x[1] == y[1] else None
        return bool(x[1] == y[1])
    if x[0] == "const":
        if isinstance(x[2], (bool, int)) and isinstance(y[2], (bool, int)):
            return bool(x[2] == y[2])
        if x[2] == 0 and y[2] == 0 and isinstance(x[2], (int, float)) and isinstance(y[2], (int, float)):
            return (str(x[2]) == "-0.0") is (str(y[2]) == "-0.0")
        return bool(x[1:] == y[1:])
    if x[0] == MANY:
        return None
    if x[0] == "symbolic":
        return True if x == y else None
    if x[0] == CAPTURED:
        return agree_captured(x, y)  # type: ignore[arg-type]
    return x == y


def identities(i: Interpreter, args: Arguments) -> Iterator[object]:
    """What is the same in two calls wherever the arguments are one array, whatever its shape."""
    todo = list(flattened(i, (*args.args, *args.keywords.values()))[0][::-1])
    while todo:
        kind, *content = todo.pop()
        if kind != "leaf":
            continue
        if isinstance(content[0], Union):  # of several that have one key, the first has its arrays where the others have theirs
            todo += flattened(i, members(content[0])[:1])[0][::-1]
        elif isinstance(content[0], (Array, Symbolic)):
            yield content[0].ident if isinstance(content[0], Array) else content[0].identity


def numbered(identities: Iterable[object]) -> Iterator[object]:
    """Which of the arrays are one, and not which these are: as another call has them that is given others of the same shapes."""
    known: dict[object, int] = {}
    return (known.setdefault(identity, len(known)) for identity in identities)


def key_text(key: tuple[object, ...], flat: bool, same: Iterable[object]) -> str:
    """A key as text: as the cache has it (no end of containers, no types of constants), or as Python does. An array whose shape is not known stands
    for itself: `same` has what identifies each array. "" if something in it is not known or cannot be written."""
    if None in key or (MANY,) in key:
        return ""
    parts = []
    left = iter(same)
    for part in key:
        assert isinstance(part, tuple)
        if part[0] in ("array", "presumed", "symbolic"):
            itself = next(left)
            part = ("itself", itself) if part[0] != "array" or part[1] is None else part
        if flat and part[0] in ("tuple", "list"):
            part = ("list",)
        elif flat and part[0] == "dict":
            part = ("dict",)
        elif flat and part[0] == "const" and isinstance(part[2], (int, float)):
            part = ("const", _bits(part[2]))
        try:
            parts.append(repr(part))
        except ValueError:  # an integer of more digits than Python prints
            return ""
    return "; ".join(parts)


def _bits(number: float) -> int:
    """A constant as the 64 bits that the cache compares: a float by its representation, a bool as 0 or 1."""
    return int.from_bytes(struct.pack("<d", number), "little", signed=True) if isinstance(number, float) else int(number)
