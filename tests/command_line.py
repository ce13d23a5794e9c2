"""What the command line gives back, as the fixture `run` of conftest.py runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


class Run(Protocol):
    def __call__(self, *arguments: str, stdin: str = "") -> Done: ...
