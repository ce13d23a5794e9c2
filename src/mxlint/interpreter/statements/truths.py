"""The truth of a value: its outcome, or the reason why both may be. The truth of an array needs its value, which a placeholder does not have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from mxlint.domain import size as sizes
from mxlint.domain.arrays import Array
from mxlint.domain.guards import JOINED, Cause, Guard, Identity, Literal_, opposite, parts
from mxlint.domain.join import constant_range
from mxlint.domain.members import (
    Bound,
    Const,
    External,
    Kind,
    Length,
    Measure,
    Member,
    Option,
    Range,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
    options,
)
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.scalars import decided as decided_by
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter, is_larger
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.paths import Truth
from mxlint.interpreter.objects.lookup import class_attribute, class_of, container, environment, special
from mxlint.interpreter.open_world.possible import decided


def truth(i: Interpreter, value: Value, place: Place, frame: Frame) -> Truth:
    """The truth of a value. An array is asked for its value, which a placeholder has not."""
    value = i.live(value)
    if i.apportions:
        decided_by(i, value, frame)
    if not isinstance(value, Union):
        return _truth(i, value, place, frame)
    outcomes = _precise(i, [(option, _truth(i, member, place, frame)) for member, option in zip(i.each(value), options(value))])
    known = {found.outcome for _, found in outcomes}
    if len(known) == 1 and None not in known:
        return outcomes[0][1]
    unknown = [found for _, found in outcomes if found.outcome is None]
    grounds: tuple[object, ...] = tuple(literal.condition for option, _ in outcomes for literal in option.guard)
    if unknown:
        causes = [found.cause for found in unknown]
        for outcome in (True, False):
            causes += _asked_by_all(i, [option.guard for option, found in outcomes if found.outcome in (None, outcome)])
        for found in unknown:
            grounds += (found.literal.condition,) if found.literal is not None else found.grounds
        cause: Cause = "imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying"
        literal = _joined(i, outcomes, grounds, place) if cause == "open" else None
        return Truth(None, cause, literal, grounds, *(() if literal is not None else _follow(outcomes)))
    true = [option.guard for option, found in outcomes if found.outcome]
    false = [option.guard for option, found in outcomes if not found.outcome]
    for guard in true:
        for literal in guard:
            if all(literal in other for other in true) and all(opposite(literal) in other for other in false):
                return Truth(None, i.why(literal.condition)[0], literal, (), _imprecise(i, literal, true), _imprecise(i, literal, false))
    literals = [literal for guard in (*true, *false) for literal in guard]
    if literals:
        causes = [i.why(literal.condition)[0] for literal in literals]
        if set(causes) == {"open"} and (named := _joined(i, outcomes, grounds, place)) is not None:
            return Truth(None, "open", named, grounds)
        return Truth(None, "imprecise" if "imprecise" in causes else "open", None, grounds, *_follow(outcomes))
    return Truth(None, "varying")


def _precise(i: Interpreter, outcomes: list[tuple[Option, Truth]]) -> list[tuple[Option, Truth]]:
    """The members that bring about both outcomes without anything imprecise, if there are such: others bring about nothing more."""
    found = [(option, truth) for option, truth in outcomes if all(i.why(literal.condition)[0] != "imprecise" for literal in option.guard)]
    each = {truth.outcome for _, truth in found}
    return found if None in each or len(each) == 2 else outcomes


def _asked_by_all(i: Interpreter, guards: Sequence[Guard]) -> list[Cause | None]:
    """Why an outcome is none that the program in sight brings about: whatever has it lies there under a condition that is open or imprecise. One that all of them
    share is a condition of the path itself, and of two outcomes of one test the program has one."""
    asked = [[literal for literal in guard if i.why(literal.condition)[0] != "varying"] for guard in guards]
    if not all(asked) or any(all(literal in other for other in asked) for literal in asked[0]):
        return []
    if any([opposite(literal)] in asked for literals in asked if len(literals) == 1 for literal in literals):
        return []
    return [i.why(literal.condition)[0] for literals in asked for literal in literals]


def _imprecise(i: Interpreter, literal: Literal_, guards: Sequence[Guard]) -> Guard:
    """What is imprecise of all members that lie on one side of a literal that is not."""
    if i.why(literal.condition)[0] == "imprecise":
        return ()
    return tuple(other for other in guards[0] if i.why(other.condition)[0] == "imprecise" and all(other in guard for guard in guards[1:]))


def _follow(outcomes: Sequence[tuple[Option, Truth]]) -> tuple[Guard, Guard]:
    """What holds where a value that is one of several is true, and where it is false: what is so of every member that may be that."""
    found: list[Guard] = []
    for outcome in (True, False):
        may = [(*option.guard, *_own(truth, outcome)) for option, truth in outcomes if truth.outcome is None or truth.outcome is outcome]
        found.append(tuple(literal for literal in may[0] if all(literal in other for other in may[1:])) if may else ())
    return found[0], found[1]


def _own(truth: Truth, outcome: bool) -> Guard:
    """What the test of a member asks, where it has an outcome."""
    if truth.outcome is not None or truth.literal is None:
        return ()
    return (truth.literal if outcome else opposite(truth.literal),)


def _joined(i: Interpreter, outcomes: Sequence[tuple[Option, Truth]], grounds: tuple[object, ...], place: Place) -> Literal_ | None:
    """What a test of a value asks that is one of several: which of them under which literals, and of each the outcome or what it asks in turn. Each
    test of this value, and of its negation, asks the same. None if a member has nothing that names its outcome."""
    members: list[tuple[Identity, Identity, bool]] = []
    for option, found in outcomes:
        guard = tuple((literal.condition, literal.outcome) for literal in option.guard if not _implied(literal, option.guard))
        if found.outcome is not None:
            member: tuple[Identity, Identity, bool] = (guard, (), found.outcome)
        elif found.literal is not None:
            member = (guard, found.literal.condition, found.literal.outcome)
        else:
            return None
        if is_larger(member, MAX_JOINED):
            return None  # a guard may hold such names in turn: without a limit, each test of a value made of tests would double them
        members.append(member)
    members.sort(key=lambda member: hash(member[:2]))  # the order of members says nothing
    outcome = next((true for _, condition, true in members if condition), members[0][2])
    identity: Identity = (JOINED, *((guard, condition, true is outcome) for guard, condition, true in members))
    i.causes.setdefault(identity, ("open", place))
    i.grounds.setdefault(identity, set()).update(grounds)
    return Literal_(identity, outcome)


def _implied(literal: Literal_, guard: Sequence[Literal_]) -> bool:
    """Whether the other literals of a guard decide a joined condition in this way, or one of those that do not all hold. An earlier test of a value adds such
    a literal to those of its members that it distinguishes; it says nothing new of them."""
    if together := parts(literal):
        return any(_implied(opposite(part), guard) for part in together)
    if literal.condition[0] != JOINED:
        return False
    others = {(other.condition, other.outcome) for other in guard if other is not literal}
    members: Iterable[Any] = literal.condition[1:]
    return any(under and not condition and outcome is literal.outcome and others.issuperset(under) for under, condition, outcome in members)


MAX_JOINED: Final = 400
"""Parts of a name of a condition for one member."""


def _truth(i: Interpreter, member: Member, place: Place, frame: Frame) -> Truth:
    if isinstance(member, Const):
        return Truth(bool(member.value))
    if isinstance(member, Range):
        low, high, stride = member.low, member.high, member.stride
        if low is not None and low > 0 or high is not None and high < 0 or low is not None and low % stride:
            return Truth(True)
        return Truth(None, "varying")
    if isinstance(member, Length):
        i.operations.use(i, "compare", member, "truth", place, frame)
        least, most = sizes.bounds(member.size)
        return Truth(False) if least == most == 0 else Truth(True) if least > 0 or most < 0 else Truth(None, "open", None, (member,))
    if isinstance(member, Measure):
        i.operations.use(i, "compare", member, "truth", place, frame)
        return Truth(None, "open", None, (member,)) if member.value is None else Truth(bool(member.value))
    if isinstance(member, Kind):
        return Truth(False) if member.type == "NoneType" else Truth(None, member.cause)
    if isinstance(member, Array):
        i.operations.use(i, "truth", member, "truth", place, frame)
        return Truth(None, "open", None, (member,))
    if isinstance(member, Tuple):
        if member.shortest is None:
            return Truth(None, "imprecise")
        if member.shortest or member.items is not None:
            return Truth(bool(member.shortest))
        if member.given == "whole" and isinstance(member.element, Symbolic):
            return _symbolic_truth(i, Symbolic(("filled", member.element.identity)), place)
        return Truth(None, "open", None, (member,)) if member.given else Truth(None, "varying")
    if isinstance(member, RangeObject):
        numbers = constant_range(member)
        return Truth(bool(numbers)) if numbers is not None else Truth(None, "open")
    if isinstance(member, External):
        decided = environment(i, member)
        return _symbolic_truth(i, decided, place) if decided is not None else Truth(True)
    if isinstance(member, (Bound, Slice)):
        return Truth(True)
    if isinstance(member, Symbolic):
        i.operations.use(i, "compare", member, "truth", place, frame)
        return _symbolic_truth(i, member, place)
    if isinstance(member, Ref):
        return _object_truth(i, member, place, frame)
    if isinstance(member, Unknown):
        return Truth(None, "imprecise")
    return Truth(None, "imprecise")


def _symbolic_truth(i: Interpreter, member: Symbolic, place: Place) -> Truth:
    if member.kinds is not None and member.kinds <= {"function", "class", "module", "array-module"}:
        return Truth(True)
    if member.kinds == frozenset(("NoneType",)):
        return Truth(False)
    identity: Identity = member.identity
    outcome = True
    while identity[0] == "not" and len(identity) == 2 and isinstance(identity[1], tuple):
        identity, outcome = identity[1], not outcome
    literal = Literal_(identity, outcome)
    known = i.outcome(literal)
    if known is None and (sure := decided(identity)) is not None:
        known = sure is outcome
    if known is not None:
        return Truth(known)
    return Truth(None, i.causes.setdefault(identity, ("open", place))[0], literal)


def _object_truth(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Truth:
    if i.info(ref.oid).kind == "instance":
        for name in ("__bool__", "__len__"):
            method = special(i, ref, name, place, frame)
            if method is not None:
                return truth(i, i.call(method, Arguments(), place, frame), place, frame)
    kind = container(i, ref)
    if kind:
        aspects.ask(i, ref.oid, aspects.FILLED, place, frame)
    if kind in ("list", "set"):
        content = i.heap.get(ref.oid, ITEMS)
        return truth(i, content, place, frame) if content is not None else Truth(None, "imprecise")
    if kind == "dict":
        entries = i.heap.entries(ref.oid)
        if any(not any(isinstance(m, Unbound) for m in members(value)) for _, value in entries):
            return Truth(True)
        rest = i.heap.get(ref.oid, ("#", "rest"))
        if not entries and (rest is None or isinstance(rest, Unbound)):
            return Truth(False)
        literals = [
            literal for _, value in entries for option in options(value) if isinstance(option.member, Unbound) for literal in option.guard
        ]
        known = all(option.guard for _, value in entries for option in options(value) if isinstance(option.member, Unbound))
        unseen = known and (rest is None or aspects.given(i, ref))
        if unseen and not any(i.why(literal.condition)[0] == "imprecise" for literal in literals):
            return Truth(None, "open", None, (ref,))
        return Truth(None, "imprecise")
    return _library_truth(i, ref, place, frame) if i.info(ref.oid).kind == "instance" else Truth(True)


def _library_truth(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Truth:
    """The truth of an object whose class is a library's, or has it from one: what a number, a string or a container of it holds. A module of MLX holds
    something."""
    cls = class_of(i, ref)
    found = [class_attribute(i, cls, name) for name in ("__bool__", "__len__")] if cls is not None and not isinstance(cls, Union) else []
    if not any(isinstance(method, External) and not method.name.startswith("mlx.") for method in found):
        return Truth(True)
    value = i.heap.get(ref.oid, "value")  # of a member of an enum
    if isinstance(value, Const):
        return Truth(bool(value.value))
    return truth(i, i.derived("bool", (ref,), frozenset(("bool",)), place), place, frame)
