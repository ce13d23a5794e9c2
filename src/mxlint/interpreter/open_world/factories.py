"""The client of what public functions and methods hand out: closures, compiled objects and objects of their own classes.

Who calls `make` may call what it gives in any order, any number of times, as the methods of an object: `step, reset = make()`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mxlint.domain.members import NONE, Ref, Value, members
from mxlint.facts import events
from mxlint.interpreter.calls.caches import memoising
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.objects.lookup import class_attribute
from mxlint.interpreter.open_world import closures, rounds
from mxlint.interpreter.open_world.alone import called_alone
from mxlint.interpreter.open_world.client_methods import Method, function_info, manager_made_by, methods_of_object
from mxlint.interpreter.open_world.entered import Entries
from mxlint.interpreter.open_world.turns import (
    Callee,
    call_kept,
    calling,
    calls_within,
    counting_themselves,
    first,
    given,
    inside,
    keeper_of,
    later,
    leading,
    let_run,
    place_of,
    settle,
    stale_alone,
    within,
)
from mxlint.interpreter.open_world.uncalled import call_compiled_alone
from mxlint.syntax.returned import returns_nothing


def factories(i: Interpreter, public: Sequence[Method]) -> list[Method]:
    """The public functions and methods that hand out functions, or that make compiled objects which nothing in sight calls and hand out objects. What a
    function gives whose entry a budget has cut short is not known; by its text, it may give nothing."""
    facts, entries = journal(i), i.ledger.of(Entries)
    called = {record.object for record in facts.records if type(record) is events.Call and not record.alone}
    made = [fact.site.span for number, fact in facts.compiled.items() if number not in called]

    def is_one(method: Method) -> bool:
        number = id(method.info.node)
        if number in entries.hand_out:
            return True
        if number in entries.hand_out_nothing or number in entries.unfinished and returns_nothing(method.info.node):
            return False
        return any(within(span, method.info) for span in made)

    return [method for method in public if is_one(method)] if made else []


def made_in(i: Interpreter, factory: Method) -> set[int]:
    """The compiled objects that a function makes, or what it calls does."""
    return {number for number, fact in journal(i).compiled.items() if within(fact.site.span, factory.info)}


def run_handed(i: Interpreter, factory: Method, methods: Sequence[Method], frame: Frame) -> None:
    """Call each of the functions that a function or method hands out, let the others run, and methods, and call it again."""
    if factory.cls is not None and _is_property(i, factory):
        stale_alone(i, partial(_run_read, i, factory, methods, frame))
        return
    counting: list[Ref] = []

    def run() -> None:
        callees, others, managers = _made(i, factory, frame)
        alone = id(factory.info.node) in i.ledger.of(Entries).hand_out
        for ref, callee in callees:
            rest = [other for other in dict.fromkeys((*others, *methods)) if other.ref != ref]
            if rest or alone or ref.oid in counting_themselves(i):
                _run_one(i, f"what `{factory.info.name}` gives", callee, rest, frame)
            for made_by, manager in managers:
                mark = i.heap.mark()
                inside(i, callee, made_by, manager, frame)
                i.heap.undo(mark)
            if alone and _counts(i, ref):
                counting.append(ref)

    stale_alone(i, run, leading(i, (factory, *methods)))
    for ref in counting:
        rounds.run(i, place_of(factory), partial(_called, i, factory, ref, frame))


def _called(i: Interpreter, factory: Method, ref: Ref, frame: Frame) -> Callable[[int], object]:
    """Call a factory: a call of one of the things that it gives."""
    callees, _, _ = _made(i, factory, frame)
    found = dict(callees).get(ref)
    return found.call if found is not None else lambda turn: None


def _run_one(i: Interpreter, name: str, callee: Callee, others: Sequence[Method], frame: Frame) -> None:
    """Call one thing, let others run and call it again; and put all back."""
    mark = i.heap.mark()
    settle(i, callee, first(i, callee))
    let_run(i, others, callee, frame)
    later(i, f"{name} is called again", callee)
    i.heap.undo(mark)


def _made(i: Interpreter, factory: Method, frame: Frame) -> tuple[list[tuple[Ref, Callee]], list[Method], list[tuple[Ref, Method]]]:
    """Call a factory, and those among what it gives that hand out functions themselves. What comes to something compiled among what they give, and what
    may change something that a trace has read: functions, and those that give context managers."""
    calling(i, factory, frame).prepare()
    hand_out = i.ledger.of(Entries).hand_out
    callees: list[tuple[Ref, Callee]] = []
    others: list[Method] = []
    seen: set[Ref] = set()
    managers: list[tuple[Ref, Method]] = []
    makers = [factory]
    for maker in makers:
        mark = i.heap.mark()
        value = called_alone(i, (maker.ref, maker.info), given(i, maker), 1, frame, memoising(i, maker.ref))
        handed = [ref for ref in closures.handed(i, value) if ref not in seen]
        kept = [ref for ref in closures.kept(i, mark) if ref not in seen and ref not in handed]
        seen.update(handed, kept)
        callees += ((ref, _compiled(i, ref, frame)) for ref in handed if i.info(ref.oid).kind == "compiled")
        managers += ((ref, manager) for ref in handed if (manager := manager_made_by(i, ref)) is not None)
        read = {oid for oid, _ in i.traced}
        others += (
            method for ref in handed if ref.oid in read and i.info(ref.oid).kind == "instance" for method in methods_of_object(i, ref)
        )
        for method in closures.callables(i, (*handed, *kept)):
            if id(method.info.node) in hand_out:
                makers.append(method)
            else:
                others.append(method)
    callees += ((method.ref, calling(i, method, frame)) for method in others if any(True for _ in calls_within(i, method.info)))
    changing = [method for method in others if closures.may_change(i, method)]
    return callees, changing, [each for each in managers if closures.may_change(i, each[1])]


def _compiled(i: Interpreter, ref: Ref, frame: Frame) -> Callee:
    keeper = keeper_of(i, ref)
    return Callee(f"`{i.info(ref.oid).label}`", lambda turn: call_kept(i, ref, keeper, lambda: call_compiled_alone(i, ref, turn, frame)))


def _counts(i: Interpreter, ref: Ref) -> bool:
    """Whether a function leaves another number behind at each call, or draws one."""
    info, entries = function_info(i, ref), i.ledger.of(Entries)
    return info is not None and (entries.counting.get(id(info.node), False) or id(info.node) in entries.drawing)


def _is_property(i: Interpreter, method: Method) -> bool:
    """Whether a method gives the value of a property: who wants that reads it anew each time."""
    found = class_attribute(i, method.cls, method.info.name) if method.cls is not None else None
    kinds = [i.info(member.oid) for member in members(found or NONE) if isinstance(member, Ref)]
    return any(info.kind == "descriptor" and info.payload in ("property", "cached_property") for info in kinds)


def _run_read(i: Interpreter, factory: Method, methods: Sequence[Method], frame: Frame) -> None:
    """Read a property and call each compiled object and function that it gives, let methods run, read it again and call what it gives then."""
    (owner,) = given(i, factory)
    name, place = f"`{factory.info.name}`", place_of(factory)

    def call(turn: int) -> None:
        with i.within(("entry", place, turn)):
            held = i.attribute(owner, factory.info.name, place, frame)
        i.split(held, lambda member: call_given(member, turn))

    def call_given(held: Value, turn: int) -> Value:
        for ref in closures.handed(i, held):
            info = function_info(i, ref)
            if i.info(ref.oid).kind == "compiled":
                call_compiled_alone(i, ref, turn, frame)
            elif info is not None:
                called_alone(i, (ref, info), (), turn, frame)
        return NONE

    callee = Callee(name, call, calling(i, factory, frame).prepare)
    callee.prepare()
    settle(i, callee, first(i, callee))
    let_run(i, [other for other in methods if other.ref != factory.ref], callee, frame)
    later(i, f"{name} is called again", callee)


def run_warm(i: Interpreter, maker: Method, frame: Frame) -> None:
    """Call a function that calls what its objects have compiled while it makes one, as a warm-up in a constructor, and then the public methods of that
    object: what the function has changed since the warm-up is old."""

    def once() -> None:
        mark = i.heap.mark()
        value = called_alone(i, (maker.ref, maker.info), given(i, maker), 1, frame, memoising(i, maker.ref))
        for ref in closures.handed(i, value):
            for method in methods_of_object(i, ref) if i.info(ref.oid).kind == "instance" else ():
                if any(True for _ in calls_within(i, method.info)):
                    again = i.heap.mark()
                    later(i, f"`{method.info.name}` is called on what `{maker.info.name}` gives", calling(i, method, frame))
                    i.heap.undo(again)
        i.heap.undo(mark)

    stale_alone(i, once)
