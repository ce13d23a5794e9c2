"""Records: classes with slots, cheap to import and cheap to make, which type checkers take for frozen data classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

if TYPE_CHECKING:
    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_: bool) -> Any:
        return lambda cls: cls


_KEPT: Final = object()


def kept(*, init: Literal[False] = False) -> Any:
    """A field that is no part of the record: None until somebody keeps something there."""
    return _KEPT


@dataclass_transform(frozen_default=True, field_specifiers=(kept,))
class RecordMeta(type):
    """Turn the annotations of a class into slots, and into a constructor that takes them in order, those of its bases first.

    `dataclass` does the same at fifteen times the cost of an import, and its frozen objects take four times as long to make. Nothing keeps a
    record from being written to at run time; mypy does.
    """

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        annotated = [field for field, told in namespace.get("__annotations__", {}).items() if not str(told).startswith("ClassVar")]
        values = {field: namespace.pop(field) for field in annotated if field in namespace}
        own = tuple(field for field in annotated if values.get(field) is not _KEPT)
        fields = (*(field for base in bases for field in getattr(base, "__match_args__", ())), *own)
        beside = (*(field for base in bases for field in getattr(base, "_kept", ())), *(f for f in annotated if f not in own))
        defaults = {field: value for base in bases for field, value in getattr(base, "_defaults", {}).items()}
        defaults |= {field: value for field, value in values.items() if value is not _KEPT}
        return super().__new__(
            mcs,
            name,
            bases,
            {
                "__init__": _constructor(fields, beside, defaults),
                **namespace,
                "__slots__": (*annotated, *namespace.get("__slots__", ())),
                "__match_args__": fields,
                "_content": attrgetter("__class__", *fields),
                "_defaults": defaults,
                "_kept": beside,
            },
        )


def _constructor(fields: tuple[str, ...], beside: tuple[str, ...], defaults: dict[str, Any]) -> Callable[..., None]:
    """A function that sets the fields of a record."""
    parameters = ", ".join(f"{field}=_defaults[{field!r}]" if field in defaults else field for field in fields)
    lines = [*(f"self.{field} = {field}" for field in fields), *(f"self.{field} = None" for field in beside)]
    made: dict[str, Any] = {"_defaults": defaults}
    exec(f"def __init__(self, {parameters}):\n " + ("\n ".join(lines) or "pass"), made)  # noqa: S102 as dataclasses do, of names alone
    return made["__init__"]  # type: ignore[no-any-return]


def is_record(kind: object) -> bool:
    """Whether something is a class of records or a dataclass. Their fields, in the order of the constructor, are in `__match_args__`."""
    return isinstance(kind, type) and (issubclass(kind, Record) or is_dataclass(kind))


class Record(metaclass=RecordMeta):
    """Equal are records of one class with equal fields. Fields are given by position or by name."""

    if TYPE_CHECKING:
        __match_args__: ClassVar[tuple[str, ...]]
        _content: ClassVar[Callable[[object], object]]

    def but(self, **changes: Any) -> Self:
        """The same record with some fields changed."""
        return type(self)(**{field: getattr(self, field) for field in self.__match_args__} | changes)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return type(self)._content(self) == type(self)._content(other)

    def __hash__(self) -> int:
        return hash(type(self)._content(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{field}={getattr(self, field)!r}' for field in self.__match_args__)})"
