"""The modes of a run: whether a gradient is taken, a test expects an exception, a thread or the client runs, …

What a call does may depend on its mode, so the modes are part of the key of a summary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mxlint.domain.members import Const
    from mxlint.domain.place import Place
    from mxlint.interpreter.machine.frames import Context


@dataclass(slots=True)
class Modes:
    """How the stretch that runs came about. What a call does may depend on it, so it is part of the key of a summary."""

    differentiating: bool = False
    """`mx.grad` and its like run a function: MLX runs what is compiled in it as it is, where that is given anything of what is differentiated."""
    differentiated: tuple[Context, frozenset[int]] | None = None
    """Around which function that is, and the arrays that it was given; None: any array may come from those."""
    applying: bool = False
    """An optimizer's update has called its own `apply_gradients`."""
    entered_alone: bool = False
    """An entry runs that nothing in sight calls."""
    thread: tuple[Place, int, int] | None = None
    """The thread that runs: where it was started, which it is of those, and of which group."""
    cache: int = 0
    """Whose traces calls find: each thread has its own. The number of one that nobody else runs in, or of a pool, 0 for the others."""
    client: str | None = None
    """What the most general client of a class presumes."""
    expected: tuple[tuple[int, frozenset[str]], ...] = ()
    """The exceptions that a test says to be raised here, by the block that says it."""
    taking: Const | None = None
    """The key of the entry that an expression takes out of the name or attribute that is read. No call runs while it is set, but that of a property."""

    reads_unused: bool = False
    """A trace runs what only prints or logs: nothing of what it reads there is used."""
    memoised: bool = False
    """A function runs in a trace whose value is kept, and which would run once without the trace, too: what it reads and does is none of the trace's."""

    any_order: bool = False
    """A function goes over what nobody in sight gives, and does not ask for the order."""
    putting: bool = False
    """The owner of a target is evaluated, in which no call is written: of that nobody relies on what it holds."""

    @property
    def group(self) -> int:
        """The threads of which one runs: those of a pool are not told apart; 0 for the thread of the program."""
        return self.thread[2] if self.thread is not None else 0

    def key(self) -> tuple[object, ...]:
        """All modes, to be compared."""
        return (
            self.differentiating,
            self.differentiated,
            self.applying,
            self.entered_alone,
            self.thread,
            self.cache,
            self.client,
            self.expected,
            self.taking,
            self.reads_unused,
            self.memoised,
            self.any_order,
            self.putting,
        )
