"""Facts as JSON and back. The form follows the records field by field; a union is told by a `type` key."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from mxlint.facts import values
from mxlint.facts.events import VERSION, Log
from mxlint.finding import Position, Span
from mxlint.record import is_record

T = TypeVar("T")
_KIND = "is"
_TAGGED: Mapping[str, type] = {
    "array": values.ArrayValue,
    "scalar": values.ScalarValue,
    "container": values.ContainerValue,
    "object": values.ObjectValue,
    "named": values.NamedValue,
    "unknown": values.UnknownValue,
}
"""The members of the union `Value`, by the word that distinguishes them."""
_WORDS = {cls: word for word, cls in _TAGGED.items()}


class FactsError(ValueError):
    """The JSON is not that of facts. The message names the path to the first thing that is wrong."""


def encode(value: Any) -> Any:
    """Return the JSON form of facts, or of any record among them: dicts, lists, strings, numbers, bools and None only."""
    if isinstance(value, Span):
        return [value.filename, value.start.row, value.start.column, value.end.row, value.end.column]
    if is_record(type(value)):
        tag = {_KIND: _WORDS[type(value)]} if type(value) in _WORDS else {}
        return {**tag, **{field: encode(getattr(value, field)) for field in type(value).__match_args__}}
    if isinstance(value, frozenset):
        return sorted((encode(item) for item in value), key=repr)
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {name: encode(item) for name, item in value.items()}
    return value


def decode(data: Any) -> Log:
    """Return the facts that a JSON form stands for. Raise FactsError for anything else, and for another version."""
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise FactsError(f"not facts of version {VERSION}")
    return decode_as(Log, data, "facts")


def decode_as(wanted: type[T], data: Any, path: str) -> T:
    """Return the record of one class that a JSON form stands for, `path` being its name. Raise FactsError for anything else."""
    found = _decode(data, wanted, path)
    assert isinstance(found, wanted)
    return found


def _decode(data: Any, wanted: Any, path: str) -> Any:
    if wanted is Span:
        return _span(data, path)
    if is_record(wanted):
        return _record(data, wanted, path)
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        return _union(data, arguments, path)
    if origin is tuple:
        return _tuple(data, arguments, path)
    if origin is frozenset:
        return frozenset(_tuple(data, (*arguments, Ellipsis), path))
    if origin is Mapping:
        if not isinstance(data, dict):
            raise FactsError(f"{path}: {type(data).__name__} in place of an object")
        return {name: _decode(item, arguments[1], f"{path}.{name}") for name, item in data.items()}
    if origin is Literal:
        if data not in arguments:
            raise FactsError(f"{path}: {data!r} is none of {', '.join(map(repr, arguments))}")
        return data
    if wanted is float and type(data) is int:
        return float(data)
    if wanted is Any and data is None:  # what is made anew, and never stored
        return None
    if isinstance(wanted, type) and type(data) is wanted:
        return data
    raise FactsError(f"{path}: {type(data).__name__} in place of {getattr(wanted, '__name__', wanted)}")


def _record(data: Any, wanted: Any, path: str) -> Any:
    """A record, from exactly the keys that it has."""
    if not isinstance(data, dict):
        raise FactsError(f"{path}: {type(data).__name__} in place of an object")
    hints = _hints(wanted)
    names = data.keys() - {_KIND} if wanted in _WORDS else data.keys()
    if names != hints.keys():
        raise FactsError(f"{path}: the keys are {', '.join(sorted(names))} in place of {', '.join(sorted(hints))}")
    return wanted(**{name: _decode(data[name], hint, f"{path}.{name}") for name, hint in hints.items()})


def _union(data: Any, members: tuple[Any, ...], path: str) -> Any:
    if isinstance(data, dict):
        tag = data.get(_KIND)
        found = _TAGGED.get(tag) if isinstance(tag, str) else None
        records = [member for member in members if is_record(member)]
        if found in records:
            return _record(data, found, path)
        if len(records) == 1 and found is None:
            return _decode(data, records[0], path)
        raise FactsError(f"{path}: {tag!r} is not a kind of value")
    for member in members:  # at most one fits: bool is not taken for int
        lists = member is Span or get_origin(member) is tuple
        words = get_args(member) if get_origin(member) is Literal else ()
        if isinstance(data, list) and lists or type(data) is member or isinstance(data, str) and data in words:
            return _decode(data, member, path)
    if float in members and type(data) is int:
        return float(data)
    raise FactsError(f"{path}: {type(data).__name__} fits none of its types")


def _tuple(data: Any, members: tuple[Any, ...], path: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise FactsError(f"{path}: {type(data).__name__} in place of an array")
    if len(members) == 2 and members[1] is Ellipsis:
        return tuple(_decode(item, members[0], f"{path}[{number}]") for number, item in enumerate(data))
    if len(data) != len(members):
        raise FactsError(f"{path}: {len(data)} items in place of {len(members)}")
    return tuple(_decode(item, member, f"{path}[{number}]") for number, (item, member) in enumerate(zip(data, members)))


def _span(data: Any, path: str) -> Span:
    if not (isinstance(data, list) and len(data) == 5 and type(data[0]) is str and all(type(item) is int for item in data[1:])):
        raise FactsError(f"{path}: not a place: file, row, column, end row, end column")
    name, row, column, end_row, end_column = data
    return Span(name, Position(row, column), Position(end_row, end_column))


@cache
def _hints(wanted: type) -> dict[str, Any]:
    return typing.get_type_hints(wanted)
