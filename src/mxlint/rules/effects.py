"""What a trace does outside of the program: it writes a file or the environment, sends, starts or configures something. It is done once per trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mxlint.facts.events import Compiled, Event
from mxlint.rules.program import Program

EFFECTS: Final = ("writes", "sends", "starts", "configures", "progress")
"""What is meant to happen at every call."""


def effects_of(program: Program, compiled: Compiled) -> Iterator[Event]:
    """The effects of the traces of a compiled object."""
    return (event for event in program.events.get(compiled.number, ()) if event.kind == "effect" and event.note in EFFECTS)
