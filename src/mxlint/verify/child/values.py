"""Values as JSON: what a call returned, what a container holds, and which arrays are placeholders that a trace has left behind."""

from __future__ import annotations

import collections
import copy
import hashlib
import types
import zlib
from collections.abc import Iterator
from typing import Any

import mlx.core as mx

from .readings import READINGS

SAMPLE = 64
SUMMED = 1 << 20
DEPTH = 6
ITEMS = 64
"""How much of a container is looked at."""
FOREIGN = (types.ModuleType, type, types.BuiltinFunctionType, types.MethodDescriptorType, mx.Dtype, mx.Device, mx.Stream)
NUMBERS = (int, float, *READINGS)

_array = mx.array
_eval = mx.eval
_floats = {mx.float16, mx.float32, mx.bfloat16}


def seen(value: Any, depth: int = 0, within: frozenset[int] = frozenset()) -> Any:
    """A value as it can be compared with another run's. A placeholder is {"leak": what MLX says}."""
    if isinstance(value, _array):
        return array(value)
    if value is None or isinstance(value, (bool, str)):
        return value[:400] if isinstance(value, str) else value
    if type(value) in NUMBERS:
        value = float(value) if isinstance(value, float) else int(value)
        return value if abs(value) < 1e300 else repr(value)
    if depth > DEPTH or id(value) in within:
        return "…"
    within = within | {id(value)}
    if isinstance(value, dict):
        items = {str(key): seen(item, depth + 1, within) for key, item in list(value.items())[:ITEMS]}
        return {"type": type(value).__name__, "items": items, **_more(vars(value) if hasattr(value, "__dict__") else {}, depth, within)}
    if isinstance(value, (set, frozenset)):
        return {"type": type(value).__name__, "length": len(value), "items": sorted(repr(item)[:80] for item in list(value)[:ITEMS])}
    if isinstance(value, (list, tuple, collections.deque)):
        first = list(value)[:ITEMS]
        return {"type": type(value).__name__, "length": len(value), "items": [seen(item, depth + 1, within) for item in first]}
    if isinstance(value, types.MethodType):
        value = value.__func__
    if isinstance(value, types.FunctionType):
        return function(value)
    if getattr(type(value), "is_shell", False):
        return "function"
    if isinstance(value, FOREIGN) or callable(value) and not hasattr(value, "__dict__"):
        return type(value).__name__
    if isinstance(value, types.GeneratorType):
        return "generator"
    return {"type": type(value).__name__, **_more(attributes(value), depth, within)}


def function(value: Any) -> str:
    """A function by its code, and by the numbers and texts that it closes over."""
    code = value.__code__
    plain = [repr(item) for item in (*code.co_consts, *_cells(value)) if item is None or isinstance(item, (bool, int, float, str))]
    known = zlib.crc32(code.co_code + repr((code.co_names, plain)).encode())
    return f"{code.co_name}() of line {code.co_firstlineno} [{known:x}]"


def _cells(value: Any) -> Iterator[Any]:
    for cell in value.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # an empty cell
            continue


def attributes(value: Any) -> dict[str, Any]:
    """What an object holds by name, in its dictionary or in slots."""
    slots = [name for base in type(value).__mro__ for name in _names(vars(base).get("__slots__", ()))]
    return {**{name: getattr(value, name) for name in slots if hasattr(value, name)}, **getattr(value, "__dict__", {})}


def _names(slots: Any) -> list[str]:
    return [slots] if isinstance(slots, str) else [name for name in slots if isinstance(name, str) and not name.startswith("__")]


def _more(fields: dict[str, Any], depth: int, within: frozenset[int]) -> dict[str, Any]:
    return {"fields": {str(key): seen(item, depth + 1, within) for key, item in list(fields.items())[:ITEMS]}} if fields else {}


def array(value: Any) -> dict[str, Any]:
    """Shape, dtype and content. Up to SAMPLE elements are kept, of the rest a checksum, and two sums over at most SUMMED of them."""
    head = {"shape": list(value.shape), "dtype": str(value.dtype).rpartition(".")[2]}
    try:
        _eval(value)
    except Exception as error:  # noqa: BLE001 - MLX raises several kinds
        return {**head, "leak": str(error).splitlines()[0][:200]}
    if value.size <= SAMPLE:
        flat = value.flatten().tolist() if value.ndim else [value.tolist()]
        return {**head, "values": [[item.real, item.imag] if isinstance(item, complex) else item for item in flat]}
    if value.dtype == mx.complex64:
        value = mx.concatenate([mx.real(value), mx.imag(value)])
    floating = value.dtype in _floats
    data = memoryview(value.astype(mx.float32 if floating else mx.int64)).tobytes()
    numbers = memoryview(data).cast("f" if floating else "q")
    step = max(1, len(numbers) // SAMPLE)
    summed = numbers[:: -(-len(numbers) // SUMMED)].tolist()
    return {
        **head,
        "hash": hashlib.sha1(data).hexdigest(),
        "values": numbers[::step][:SAMPLE].tolist(),
        "sums": [float(sum(summed)), float(sum(map(abs, summed)))],
    }


def arrays(value: Any, depth: int = 0) -> list[Any]:
    """The arrays in a tree of lists, tuples and dicts."""
    if isinstance(value, _array):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [found for item in items for found in arrays(item, depth + 1)] if depth < DEPTH else []


def with_arrays(value: Any, others: Iterator[Any], depth: int = 0) -> Any:
    """A tree with other arrays in the place of its own."""
    if isinstance(value, _array):
        return next(others)
    if depth >= DEPTH:
        return value
    if type(value) is dict:
        return {key: with_arrays(item, others, depth + 1) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(with_arrays(item, others, depth + 1) for item in value)
    return value


def copied(value: Any) -> tuple[Any] | None:
    """A copy of a value that nothing changes afterwards; None if it cannot be told how to make one."""
    if isinstance(value, _array):
        return (mx.array(value),)
    if value is None or type(value) in (bool, *NUMBERS, str, types.FunctionType):
        return (value,)
    if type(value) is dict:
        pairs = {key: copied(item) for key, item in value.items()}
        return None if None in pairs.values() else ({key: item[0] for key, item in pairs.items() if item is not None},)
    if type(value) in (list, tuple):
        items = [copied(item) for item in value]
        return None if None in items else (type(value)(item[0] for item in items if item is not None),)
    if type(value).__module__ == "numpy":
        return (copy.deepcopy(value),)
    return None


def shapes(key: Any) -> list[list[int]]:
    """The shapes of the arrays in a signature."""
    if not isinstance(key, list):
        return []
    return [key[1:-1]] if key[:1] == ["array"] else [shape for part in key for shape in shapes(part)]


def without_shapes(key: Any) -> Any:
    """A signature in which arrays of one rank and dtype are alike."""
    if not isinstance(key, list):
        return key
    return ["array", len(key), key[-1]] if key[:1] == ["array"] else [without_shapes(part) for part in key]


def signature(value: Any, depth: int = 0) -> Any:
    """What the cache of mx.compile distinguishes calls by, and the tree around it: never looks at a value of an array."""
    if isinstance(value, _array):
        return ["array", *value.shape, str(value.dtype)]
    if isinstance(value, dict) and depth < DEPTH:
        return ["dict", type(value).__name__, *([str(key), signature(item, depth + 1)] for key, item in list(value.items())[:ITEMS])]
    if isinstance(value, (list, tuple)) and depth < DEPTH:
        return [type(value).__name__, *(signature(item, depth + 1) for item in value[:ITEMS])]
    if value is None or isinstance(value, (bool, int, float, str)):
        return [type(value).__name__, repr(value)[:80]]
    return ["other", type(value).__name__]


def leaks(value: Any, path: str, found: list[str], done: set[int], depth: int = 0) -> None:
    """The paths to placeholders below a value."""
    if isinstance(value, _array):
        if id(value) not in done:
            done.add(id(value))
            try:
                _eval(value)
            except Exception:  # noqa: BLE001 - MLX raises several kinds
                found.append(path)
        return
    if depth > DEPTH or len(done) > 20_000 or isinstance(value, (str, int, float, type(None), types.ModuleType)) or id(value) in done:
        return
    done.add(id(value))
    if isinstance(value, dict):
        for key, item in list(value.items()):
            leaks(item, f"{path}[{key!r}]", found, done, depth + 1)
    elif isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        for number, item in enumerate(list(value)):
            leaks(item, f"{path}[{number}]", found, done, depth + 1)
    if getattr(type(value), "is_shell", False):
        inside = vars(value)
        value = inside["fun"] if "fun" in inside else inside["_real"]
    if isinstance(value, types.MethodType):
        leaks(value.__self__, path, found, done, depth + 1)
        value = value.__func__
    if isinstance(value, types.FunctionType):
        names = value.__code__.co_freevars
        for name, cell in zip(names, value.__closure__ or ()):
            try:
                leaks(cell.cell_contents, f"{name} of {path}", found, done, depth + 1)
            except ValueError:  # an empty cell
                continue
        leaks(value.__defaults__, f"defaults of {path}", found, done, depth + 1)
    if isinstance(value, types.GeneratorType) and value.gi_frame is not None:
        for name, item in list(value.gi_frame.f_locals.items()):
            leaks(item, f"{name} of {path}", found, done, depth + 1)
    if not isinstance(value, FOREIGN):
        for key, item in list(attributes(value).items()):
            if not str(key).startswith("__"):
                leaks(item, f"{path}.{key}", found, done, depth + 1)
