"""Abstract interpreters made from a recording: one that knows the answer, and ways to damage it. They test the oracle itself."""

from __future__ import annotations

import pathlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from .abstract import AbstractFile, AbstractView
from .model import FileRecording, Kind, Left, Observed, Path, Point, PointKey, Range, Recording, Step
from .record import MLX, recording


@dataclass(frozen=True, slots=True)
class ReplayedView:
    """Stands for the values that were seen, and for nothing else unless `also` admits further kinds."""

    seen: frozenset[Observed]
    also: frozenset[Kind] = frozenset()
    is_top: bool = False
    reason: str = ""
    parts: Mapping[Path, tuple[Observed, ...]] = field(default_factory=dict)

    def covers(self, observed: Observed) -> bool:
        return self.is_top or observed in self.seen or observed.kind in self.also

    def inside(self, step: Step) -> Iterable[AbstractView]:
        if self.is_top:
            return (self,)
        below = {path[1:]: seen for path, seen in self.parts.items() if path[0] == step}
        return (ReplayedView(frozenset(below.pop((), ())), parts=below),) if below else ()

    def kinds(self) -> frozenset[Kind] | None:
        return None if self.is_top else frozenset(item.kind for item in self.seen) | self.also

    def exact(self, kinds: frozenset[Kind]) -> bool:
        admitted = self.kinds()
        return admitted is not None and admitted <= kinds


@dataclass(frozen=True, slots=True)
class ReplayedFile:
    points: Mapping[PointKey, AbstractView]
    entered: Collection[Range]
    reachable: Collection[Range]
    left: Mapping[Range, frozenset[Left]] = field(default_factory=dict)

    def may_leave(self, function: Range, left: Left) -> bool:
        return left in self.left.get(function, ())


def replay(recording: Recording) -> dict[str, ReplayedFile]:
    """An abstract interpreter that believes exactly what happened."""
    return {name: _replay_file(file) for name, file in recording.files.items()}


def _replay_file(file: FileRecording) -> ReplayedFile:
    points = {key: _view(point) for key, point in file.points.items()}
    return ReplayedFile(points, tuple(file.entered), file.statements, file.left)


def _view(point: Point) -> AbstractView:
    return ReplayedView(frozenset(point.seen), parts=point.inside)


def adapter(folder: pathlib.Path, main: str) -> Mapping[str, AbstractFile]:
    """What a run of the program shows, as if an interpreter believed it. Raises ProgramFailed."""
    with recording(MLX) as record:
        return replay(record(folder, main))
