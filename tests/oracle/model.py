"""The vocabulary of the oracle: places of a program, and what was seen there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

PointKind = Literal["expression", "target", "parameter", "return"]
"""expression: the value of an expression, literals left out.
target: the value of a name after it was bound there (the name's own span), or of an attribute or item that a plain assignment binds; what imports
bind is seen where it is used.
parameter: the value at entry (the span of the parameter's name).
return: what calls return (the span of the function's definition); a generator or coroutine once its body is entered."""

Scalar = None | bool | int | float | str


class Range(NamedTuple):
    """Offsets into the text of a file, in code points, `end` exclusive."""

    start: int
    end: int


class Place(NamedTuple):
    """A definition of the program. `file` is relative to its folder."""

    file: str
    start: int
    end: int


class Step(NamedTuple):
    """One step into a value. `name`: the index of an item, the key of an entry, the name of an attribute; None of what has none.

    item: of a list or tuple. entry: what a dict has under a scalar. key: any key of a dict. value: what lies under a key that is no scalar.
    element: of a set. attribute: of an instance of a class of the program.
    """

    kind: Literal["item", "entry", "key", "value", "element", "attribute"]
    name: Scalar = None

    def __str__(self) -> str:
        return f".{self.name}" if self.kind == "attribute" else f"[{self.kind if self.name is None else repr(self.name)}]"


Path = tuple[Step, ...]


class PointKey(NamedTuple):
    """A point of a file at which a value can be observed."""

    start: int
    end: int
    kind: PointKind


@dataclass(frozen=True, slots=True)
class Kind:
    """What sort of value it is: the grain at which precision is measured.

    `tag`: None, bool, int, float, complex, str, bytes, list, tuple, dict, set, function, class, module, array or instance.
    `name`: the dotted name of a module, the qualified name of a function or class, for an instance that of its class, each with its module
    before it unless `place` says where the program defines it. A bound method is the function that it binds. `rank`, `dtype`: of an mx.array.
    """

    tag: str
    name: str = ""
    place: Place | None = None
    rank: int | None = None
    dtype: str | None = None

    def __str__(self) -> str:
        details = [self.name] if self.name else []
        if self.place is not None:
            details.append(f"at {self.place.file}:{self.place.start}")
        if self.tag == "array":
            details.append(f"rank {self.rank} {self.dtype}")
        return " ".join([self.tag, *details])


@dataclass(frozen=True, slots=True)
class Observed:
    """One value that a point held, as far as it is distinguished.

    `known`: `value` is the value of a None, bool, int, float or str; without it only the kind is recorded (too many values at one point, or a
    long one). `length`: of a container or text, None if not recorded. `shape`: of an array.
    """

    kind: Kind
    known: bool = False
    value: Scalar = None
    length: int | None = None
    shape: tuple[int, ...] | None = None

    def __str__(self) -> str:
        if self.known:
            return f"{self.kind} {self.value!r}"
        if self.shape is not None:
            return f"{self.kind} {self.shape}"
        return f"{self.kind} of length {self.length}" if self.length is not None else str(self.kind)


@dataclass(frozen=True, slots=True)
class Point:
    """What one point held. `node`: the class of its syntax node, for tables. `complete`: no kind was left out for a limit.

    `inside`: what the values held that it held, by the way there.
    """

    node: str
    seen: tuple[Observed, ...]
    complete: bool = True
    inside: Mapping[Path, tuple[Observed, ...]] = field(default_factory=dict)

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(item.kind for item in self.seen)


@dataclass(frozen=True, slots=True)
class Left:
    """An exception of the class `name` (qualified, with its module) left a function. `explicit`: a `raise` statement of the program raised it."""

    name: str
    explicit: bool


@dataclass(frozen=True, slots=True)
class FileRecording:
    """What happened in one file. Functions and statements are known by their ranges; `entered` says their qualified names."""

    points: Mapping[PointKey, Point]
    entered: Mapping[Range, str]
    statements: frozenset[Range]
    left: Mapping[Range, frozenset[Left]]


@dataclass(frozen=True, slots=True)
class Recording:
    """What a run of a program did: `output` is its standard output, `raised` the class of the exception that ended it and its text."""

    files: Mapping[str, FileRecording]
    output: str
    raised: str | None


def read_recording(answer: Mapping[str, Any]) -> Recording:
    """The recording in the JSON that a child process wrote. Kinds are stored once, and referred to by their number."""
    kinds = [Kind(tag, name, None if place is None else Place(*place), rank, dtype) for tag, name, place, rank, dtype in answer["kinds"]]
    files = {name: _read_file(file, kinds) for name, file in answer["files"].items()}
    return Recording(files, answer["output"], answer["raised"])


def _read_file(file: Mapping[str, Any], kinds: list[Kind]) -> FileRecording:
    points = {
        PointKey(start, end, kind): Point(
            node,
            _read_seen(seen, kinds),
            complete,
            {tuple(Step(step, _read_scalar(name)) for step, name in path): _read_seen(items, kinds) for path, items in inside},
        )
        for start, end, kind, node, complete, seen, inside in file["points"]
    }
    return FileRecording(
        points,
        {Range(start, end): name for start, end, name in file["entered"]},
        frozenset(Range(start, end) for start, end in file["statements"]),
        {Range(start, end): frozenset(Left(name, explicit) for name, explicit in items) for start, end, items in file["left"]},
    )


def _read_seen(seen: Any, kinds: list[Kind]) -> tuple[Observed, ...]:
    return tuple(
        Observed(kinds[number], known, _read_scalar(value), length, None if shape is None else tuple(shape))
        for number, known, value, length, shape in seen
    )


def _read_scalar(value: Any) -> Scalar:
    """JSON has no infinities and no NaN: floats travel as {"float": text}."""
    return float(value["float"]) if isinstance(value, dict) else value
