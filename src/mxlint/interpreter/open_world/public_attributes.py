"""Compiled objects that lie in public attributes: `self.run = mx.compile(...)`. Whoever has the object may call them, and nothing in sight needs to.

A class that nothing in sight makes an object of is entered, and its object is there. Where something makes one, as a factory does, others have what it gives: so an
object is made for them as well, if what its constructor compiles lies open and no call in sight says how it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeAlias

from mxlint.domain.members import Ref, Value, members
from mxlint.domain.parts import each_part
from mxlint.facts import events
from mxlint.interpreter.calls.activations import Ran
from mxlint.interpreter.machine.constructors import CONSTRUCTORS
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.reach import HOLDERS, each_leaf
from mxlint.interpreter.objects.lookup import class_attribute, mro
from mxlint.interpreter.open_world.alone import sample
from mxlint.interpreter.open_world.candidates import functions
from mxlint.interpreter.open_world.public import listed
from mxlint.interpreter.open_world.standing import Standing
from mxlint.interpreter.open_world.uncalled import trace_uncalled
from mxlint.source import Source
from mxlint.syntax import ir

Made: TypeAlias = tuple[events.Where, events.Where | None]
"""What objects have in common that one place compiles of one function."""


def callables(i: Interpreter, owner: Value, listed: Collection[Ref] = ()) -> list[tuple[str, Ref]]:
    """The compiled objects that are public attributes of an object, unless something in sight calls them: what only functions do that nothing in sight
    calls, others do as well. `listed`: what others call whatever is in sight."""
    called = {record.object for record in journal(i).records if type(record) is events.Call and not record.alone}
    return [
        (field, member)
        for holder in members(owner)
        if isinstance(holder, Ref)
        for field, value in i.heap.fields(holder.oid).items()
        if isinstance(field, str) and not field.startswith("_")
        for member in members(value)
        if isinstance(member, Ref) and i.info(member.oid).kind == "compiled" and (member.oid not in called or member in listed)
    ]


def make_owners(
    i: Interpreter, source: Source, module: int, found: Iterable[Ref], reaching: Callable[[ir.Node], bool], frame: Frame
) -> None:
    """Make the object of each class whose objects hold what they compile in public attributes, and of which something in sight has made the only ones."""
    for cls in found:
        constructors = (class_attribute(i, cls, name) for name in CONSTRUCTORS)
        infos = [i.info(made.oid).payload for made in constructors if isinstance(made, Ref)]
        compiles = any(isinstance(info, FunctionInfo) and (info.source is not source or reaching(info.node)) for info in infos)
        if compiles and cls.oid not in i.ledger.of(Standing).samples:
            _make_owner(i, module, cls, frame)


def _make_owner(i: Interpreter, module: int, cls: Ref, frame: Frame) -> None:
    """Make the object of a class, unless it holds nothing that others call first. What nothing in sight calls is traced alone."""
    facts, place = journal(i), i.info(cls.oid).place
    assert place is not None
    calls = [record for record in facts.records if type(record) is events.Call]
    called = made(i, (call.object for call in calls))
    in_sight = (
        {called[call.object] for call in calls if not call.alone and call.object in called} if cls not in listed(i, module) else set()
    )
    mark, checkpoint = i.heap.mark(), i.checkpoint()
    owner = sample(i, cls, place)
    held = made(i, (ref.oid for _, ref in callables(i, owner))) if owner is not None else {}
    if owner is None or not held or not in_sight.isdisjoint(held.values()) or not others_have(i, module, cls, owner):
        i.heap.undo(mark)
        i.forget(checkpoint)
        del i.ledger.of(Standing).samples[cls.oid]
        return
    uncalled = {number for number, made in held.items() if made not in called.values()}
    trace_uncalled(i, frame, facts.compiled.keys() - uncalled)


def others_have(i: Interpreter, module: int, cls: Ref, owner: Value) -> bool:
    """Whether others may have an object of a class that compiles what `owner` holds. Where only private names lead to the class, they have what is handed to
    them, as by a function that returns one, and what lies open."""
    source, name = i.main, i.info(cls.oid).label
    if not name.startswith("_") or source is None or i.project.used_elsewhere(name, source, attribute=False):
        return True
    held = made(i, (member.oid for _, _, member in each_leaf(i, owner) if isinstance(member, Ref)))
    facts, open_ones = journal(i), _lying_open(i, module, cls)
    if not held or any(cls in mro(i, Ref(number)) for number in open_ones if i.info(number).kind == "class"):
        return True
    handed = made(i, facts.returned | facts.handed | open_ones)
    return not set(handed.values()).isdisjoint(held.values())


def _lying_open(i: Interpreter, module: int, cls: Ref) -> set[int]:
    """What others come to by public names alone, from a module and the objects of its other classes; also by what functions name that no run has come to."""
    samples = (value for key, value in i.ledger.of(Standing).samples.items() if key != cls.oid and value is not None)
    todo = [module, *(member.oid for value in samples for member in members(value) if isinstance(member, Ref))]
    found, named = set(todo), _named_by_unrun(i, module)
    while todo:
        oid = todo.pop()
        fields = [
            value
            for name, value in i.heap.fields(oid).items()
            if not (isinstance(name, str) and name.startswith("_")) or oid == module and name in named
        ]
        for part in (part for value in fields for part in each_part(value)):
            if isinstance(part, Ref) and part.oid not in found:
                found.add(part.oid)
                if i.info(part.oid).kind in HOLDERS:
                    todo.append(part.oid)
    return found


def _named_by_unrun(i: Interpreter, module: int) -> set[str]:
    """The names that the functions of the file read which no run has come to: nobody says what they give."""
    assert i.main is not None
    ran, unrun = i.ledger.of(Ran).functions, set[tuple[int, int]]()
    for ref, _, _ in functions(i, i.main, module):
        info = i.info(ref.oid).payload
        if isinstance(info, FunctionInfo) and id(info.node) not in ran:
            unrun.add((info.node.start, info.node.end))
    return {name for block in i.project.symbols(i.main, i.tracers).blocks if (block.start, block.end) in unrun for name in block.reads}


def made(i: Interpreter, numbers: Iterable[int]) -> dict[int, Made]:
    """Where compiled objects were made, and of which function: of those that facts tell of."""
    facts = journal(i).compiled
    return {number: (facts[number].site, facts[number].function.where) for number in numbers if number in facts}
