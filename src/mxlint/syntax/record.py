"""The base of the IR's nodes: classes with slots, cheap to import and cheap to make, which type checkers take for frozen data classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: bool) -> Any:
        return lambda cls: cls


def kept(*, init: Literal[False] = False) -> Any:
    """A field that is no part of the record: None until somebody keeps something there."""


@dataclass_transform(frozen_default=True, field_specifiers=(kept,))
class RecordMeta(type):
    """Turn the annotations of a class into slots, and into a constructor that takes them in order, those of its bases first.

    `dataclass` does the same at fifteen times the cost of an import, and its frozen objects take four times as long to make. Nothing keeps a
    record from being written to at run time; mypy does.
    """

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        own = tuple(namespace.get("__annotations__", ()))
        beside = tuple(field for field in own if field in namespace)
        for field in beside:
            del namespace[field]
        fields = (
            *(field for base in bases for field in getattr(base, "__match_args__", ())),
            *(field for field in own if field not in beside),
        )
        beside = (*(field for base in bases for field in getattr(base, "_kept", ())), *beside)
        assignments = (
            "\n ".join([*(f"self.{field} = {field}" for field in fields), *(f"self.{field} = None" for field in beside)]) or "pass"
        )
        made: dict[str, Any] = {}
        exec(f"def __init__(self, {', '.join(fields)}):\n {assignments}", made)  # noqa: S102 as dataclasses do, of names alone
        return super().__new__(
            mcs,
            name,
            bases,
            {
                "__init__": made["__init__"],
                **namespace,
                "__slots__": (*own, *namespace.get("__slots__", ())),
                "__match_args__": fields,
                "_kept": beside,
            },
        )


class Record(metaclass=RecordMeta):
    """Equal are records of one class with equal fields. Fields are given by position or by name."""

    if TYPE_CHECKING:
        __match_args__: ClassVar[tuple[str, ...]]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in self.__match_args__)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, field) for field in self.__match_args__)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{field}={getattr(self, field)!r}' for field in self.__match_args__)})"
