"""Renames what a call made for use in the context of another call.

A summary that was made under `f(x)` in one place names objects and arrays by their sites and contexts there. Called from another place, the same objects have
other numbers, and symbolic values and conditions other names.
"""

from __future__ import annotations

from collections.abc import Callable

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Guard, Identity, Literal_
from mxlint.domain.join import of
from mxlint.domain.members import Composite, Kind, Loops, Member, Option, Range, Symbolic, Tuple, Union, Value
from mxlint.domain.varying import MARKS, Uneven, over
from mxlint.interpreter.libraries.sharing import Parts
from mxlint.interpreter.loops.draws import Drawn
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context
from mxlint.interpreter.machine.paths import Condition, Path


def moved(context: Context, contexts: dict[Context, Context]) -> Context:
    """The context of the new call that has the steps that a context of the old one had."""
    steps: list[object] = []
    here: Context | None = context
    while here is not None and here not in contexts:
        steps.append(here.step)
        here = here.parent
    if here is None:
        return context
    found = contexts[here]
    for step in reversed(steps):
        found = found.inner(step)
    contexts[context] = found
    return found


def is_inside(part: object, context: Context) -> bool:
    """Whether something came into being in a context, or is derived from what did."""
    todo = [part]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            todo.extend(part)
        elif isinstance(part, Symbolic):
            todo.append(part.identity)
        elif isinstance(part, Composite):
            for held in part.parts:
                todo.extend(option.member for option in held.options) if isinstance(held, Union) else todo.append(held)
        elif isinstance(part, Context):
            here: Context | None = part
            while here is not None and here.depth >= context.depth:
                if here is context:
                    return True
                here = here.parent
    return False


class Move:
    """What was made in one context, said in another. `change`: what becomes of references, arrays and operands."""

    def __init__(self, i: Interpreter, contexts: dict[Context, Context], change: Callable[[Member], Member]) -> None:
        self.i = i
        self.contexts = {**contexts, **{then.loop: now.loop for then, now in contexts.items()}}
        self.change = change
        self.done: dict[int, tuple[object, object]] = {}

    def value(self, value: Value) -> Value:
        """A value there."""
        if not isinstance(value, Union):
            return self.member(value)
        options = [Option(self.member(option.member), self.guard(option.guard)) for option in value.options]
        same = all(new.member is old.member and new.guard is old.guard for new, old in zip(options, value.options))
        return value if same else of(options)

    def member(self, member: Member) -> Member:
        """A member there."""
        if isinstance(member, Symbolic):
            identity = self.identity(member.identity)
            if identity is member.identity:
                return member
            return Symbolic(identity, member.kinds, member.label, member.presumed, member.source)
        if isinstance(member, (Range, Kind)):
            return over(member, self.loops(member.loops)) if member.loops else member
        if isinstance(member, Array):
            there = self.change(member)
            return there.but(loops=self.loops(there.loops)) if isinstance(there, Array) and there.loops else there
        if not isinstance(member, Composite):
            return self.change(member)
        if id(member) not in self.done:
            parts = tuple(map(self.value, member.parts))
            same = all(a is b for a, b in zip(parts, member.parts))
            there = member if same else member.holding(parts)
            if isinstance(there, Tuple) and there.loops:
                there = there.longer(self.loops(there.loops))
            self.done[id(member)] = member, there
        return self.done[id(member)][1]  # type: ignore[return-value]

    def loops(self, loops: Loops) -> Loops:
        """Loops there."""
        if not loops:
            return loops
        marks = {
            type(one)(moved(one.loop, self.contexts))
            for one in loops
            if isinstance(one, (*MARKS, Uneven)) and isinstance(one.loop, Context)
        }
        return frozenset(moved(loop, self.contexts) for loop in loops if isinstance(loop, Context)) | marks

    def guard(self, guard: Guard) -> Guard:
        """Literals there."""
        there = tuple(map(self.literal, guard))
        return guard if all(a is b for a, b in zip(guard, there)) else there

    def literal(self, literal: Literal_) -> Literal_:
        """A literal there."""
        condition = self.identity(literal.condition)
        return literal if condition is literal.condition else Literal_(condition, literal.outcome)

    def path(self, path: Path) -> Path:
        """Conditions there."""
        return tuple(
            condition
            if condition.literal is None
            else Condition(condition.cause, condition.place, self.literal(condition.literal), condition.outcome)
            for condition in path
        )

    def identity(self, identity: Identity) -> Identity:
        """A name there; what is known of it is known there, too."""
        if id(identity) in self.done:
            return self.done[id(identity)][1]  # type: ignore[return-value]
        parts = tuple(map(self._part, identity))
        there = identity if all(a is b for a, b in zip(parts, identity)) else parts
        self.done[id(identity)] = identity, there
        if there is not identity:
            i = self.i
            if identity in i.causes:
                i.causes.setdefault(there, i.causes[identity])
            if identity in i.tests:
                i.tests.setdefault(there, i.tests[identity])
            if identity in i.choices:
                i.choices.add(there)
            if identity in i.sources:
                i.sources.setdefault(there, i.sources[identity])
            if identity in i.comes_from:
                i.comes_from.setdefault(there, tuple(map(self.member, i.comes_from[identity])))
            if identity in i.ledger.of(Drawn).known:
                i.ledger.of(Drawn).known.setdefault(there, i.ledger.of(Drawn).known[identity])
            if identity in i.ledger.of(Parts).arrays:
                i.ledger.of(Parts).arrays.setdefault(there, self.value(i.ledger.of(Parts).arrays[identity]))
            if identity in i.grounds:
                i.grounds.setdefault(there, set()).update(map(self._part, i.grounds[identity]))
        return there

    def _part(self, part: object) -> object:
        if isinstance(part, tuple):
            return self.identity(part)
        if isinstance(part, Member):
            return self.member(part)
        return moved(part, self.contexts) if isinstance(part, Context) else part
