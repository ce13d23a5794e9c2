"""Frames, the activations of code, and the contexts in which they allocate: the chain of calls and loop rounds that leads to one.

An object is named by its allocation site and context, so a list that `f` makes is another one for each call of `f`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from mxlint.domain.members import NONE, Value
from mxlint.domain.place import InnerPlace, Place
from mxlint.interpreter.machine.targets import Target
from mxlint.models.written import WrittenSource
from mxlint.syntax import ir

if TYPE_CHECKING:
    from mxlint.source import Source


class Rounds:
    """How many rounds of loops have begun."""

    __slots__ = ("begun", "last", "passed")

    def __init__(self) -> None:
        self.passed: set[tuple[Place, bool]] = set()
        """The sides of conditions that the last round took which is over."""
        self.last: dict[Context, int] = {}
        """Of each round of a loop that stands for many, by its context: how many had begun when it began last."""
        self.begun: int = 0
        """How many rounds have begun."""


class Given(NamedTuple):
    """What is sent or thrown to the yield that a generator stands at. `closes`: where the state arrives in which that ends it, as `close` wants."""

    sent: Value = NONE
    thrown: Value | None = None
    closes: Target | None = None


class Frame:
    """One activation of a function, class body, comprehension or module. Its variables are the fields of object `oid`."""

    __slots__ = (
        "at",
        "breaks",
        "called_at",
        "caller",
        "cls",
        "consume",
        "continues",
        "depth",
        "first",
        "form",
        "function",
        "given",
        "handed",
        "kind",
        "module",
        "node",
        "oid",
        "qualname",
        "returns",
        "said_of",
        "scope",
        "source",
    )  # fmt: skip

    def __init__(
        self, oid: int, kind: str, source: Source, qualname: str, scope: ir.Scope | None, module: int, caller: Frame | None
    ) -> None:
        self.oid = oid
        self.kind = kind
        self.source = source
        self.qualname = qualname
        self.scope = scope
        self.module = module
        self.caller = caller
        self.called_at: Place | None = None
        self.returns: Target | None = None
        self.breaks: list[Target] = []
        self.continues: list[Target] = []
        self.at = 0
        self.given = Given()
        self.consume: Callable[[Value], Value] | None = None
        self.function: int | None = None
        self.cls: int | None = None
        self.first: str | None = None
        self.depth: int = caller.depth + 1 if caller is not None else 0
        self.node: object = None
        self.form: ir.FuncDef | None = None
        """The form of the body that runs, of a generator that goes on from one of its yields."""
        self.said_of: set[str] = set()
        """Names of which tests have said something that holds for one of several objects (`expressions/one_of_several.py`)."""
        self.handed: dict[str, Sequence[tuple[str, Value, Place]]] = {}
        """What star parameters hold: of each item its keyword, if it has one, and where the caller wrote it."""

    def place(self, node: ir.Node) -> Place:
        """Where a node of this frame's code stands: the same object each time, which is compared and hashed at once."""
        place = node.place
        if place is None or place.source is not self.source:
            if isinstance(self.source, WrittenSource) and (outer := self._called_at()) is not None:
                return InnerPlace(outer, node.start, node.end)
            place = node.place = Place(self.source, node.start, node.end)  # type: ignore[misc]  # kept beside the record, which does not change
        return place

    def function_of_library(self) -> str:
        """The function of a library that the program calls and to whose code this frame belongs, by its canonical name; "" for code of the program."""
        name = ""
        frame: Frame | None = self
        while frame is not None and isinstance(frame.source, WrittenSource):
            name, frame = f"{frame.source.module}.{frame.qualname}", frame.caller
        return name

    def _called_at(self) -> Place | None:
        """Where the function is called to whose code this frame belongs."""
        frame: Frame | None = self
        while frame is not None and frame.source is self.source:
            if frame.called_at is not None:
                return frame.called_at
            frame = frame.caller
        return None


class FrameInfo:
    """What closures need of a frame after its activation: its names, whether it is a class body, and the function of which it is an activation."""

    __slots__ = ("function", "kind", "module", "qualname", "scope", "source")

    def __init__(
        self, kind: str, scope: ir.Scope | None, source: Source, qualname: str, module: int, function: ir.FuncDef | None = None
    ) -> None:
        self.kind = kind
        self.scope = scope
        self.source = source
        self.qualname = qualname
        self.module = module
        self.function = function


def is_round(what: object) -> TypeGuard[tuple[Place, object]]:
    """Whether a step of a context is a round of a loop."""
    return (
        isinstance(what, tuple)
        and len(what) == 2
        and isinstance(what[0], Place)
        and (isinstance(what[1], int) or what[1] in ("first", "rest"))
    )


def within(inner: Context | None, outer: Context) -> bool:
    """Whether a context is another one, or in it."""
    while inner is not None and inner.depth > outer.depth:
        inner = inner.parent
    return inner is outer


class Context:
    """Where an allocation happens: the chain of calls and loop rounds, interned so that equal chains are one object."""

    __slots__ = ("_inner", "_loop", "_rounds", "depth", "parent", "step")

    def __init__(self, parent: Context | None, step: object) -> None:
        self.parent = parent
        self.step = step
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self._inner: dict[object, Context] = {}
        self._loop: Context | None = None
        self._rounds: tuple[Context, ...] | None = None

    @property
    def rounds(self) -> tuple[Context, ...]:
        """The rounds of loops among this context and those around it, innermost first."""
        if self._rounds is None:
            outer = self.parent.rounds if self.parent is not None else ()
            self._rounds = (self, *outer) if is_round(self.step) else outer
        return self._rounds

    @property
    def loop(self) -> Context:
        """What all rounds of a loop have in common, in all rounds of the loops around it: that stands for the loop."""
        if self._loop is None:
            around = self.parent.loop if self.parent is not None else None
            step = (self.step[0], "rest") if is_round(self.step) else self.step
            same = around is self.parent and step == self.step
            self._loop = self if same or around is None else around.inner(step)
        return self._loop

    @property
    def around(self) -> Iterator[Context]:
        """This context and those around it."""
        context: Context | None = self
        while context is not None:
            yield context
            context = context.parent

    def inner(self, step: object) -> Context:
        """The context of a call or a loop round in this one."""
        found = self._inner.get(step)
        if found is None:
            found = self._inner[step] = Context(self, step)
        return found

    def forget(self) -> None:
        """Let go of all contexts in the outermost one around this: they refer to each other."""
        *_, outermost = self.around
        todo = [outermost]
        for context in todo:
            todo += context._inner.values()
            context._inner.clear()
            context._loop = context._rounds = None
