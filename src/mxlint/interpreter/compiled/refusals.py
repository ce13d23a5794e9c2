"""Arguments that MLX refuses, and how facts describe arguments: `step(model)`, `step(np.ones(2))` and `step({1, 2})` raise."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from mxlint.domain.arrays import GOING_ON
from mxlint.domain.join import join
from mxlint.domain.members import (
    UNBOUND,
    Bound,
    Const,
    External,
    Kind,
    Member,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Value,
    members,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import united
from mxlint.facts import events
from mxlint.facts import values as described
from mxlint.interpreter.calls.moving import is_inside
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.compiled.state import CompiledInfo
from mxlint.interpreter.compiled.trees import tree
from mxlint.interpreter.loops import lengthening, lengths, novelty, slices, stretching, windows
from mxlint.interpreter.loops.running import rounds
from mxlint.interpreter.loops.settled import reasons
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context
from mxlint.interpreter.machine.journal import (
    describe,
    modality,
    parts_held,
    where,
)
from mxlint.interpreter.machine.locations import ITEMS, REST
from mxlint.interpreter.machine.reach import arrays_in

TAKES_NONE: Final = "0.29.2"
"""The first version of MLX in which None is a constant argument."""
CONSTANTS: Final = range(-(2**63), 2**63)
"""The integers that mx.compile takes as constants."""
WIDE: Final = "int of more than 64 bits"
OTHERWISE: Final = frozenset((WIDE, "nn.Module"))
"""What is refused by something else than a ValueError."""
_REFUSED: Final = {"set": "set", "generator": "generator", "iterator": "iterator", "function": "function", "class": "class", "module": "module",
                   "partial": "function", "compiled": "function", "transform": "function", "coroutine": "coroutine"}  # fmt: skip


def argument(
    i: Interpreter, ref: Ref, name: str, place: Place, value: Value, arrays: Collection[int], *, starred: bool = False
) -> events.Argument:
    """An argument of a call of a compiled object, with what MLX has against it. `arrays`: those among the arguments; that one has another shape says more than
    that its length is another number. `starred`: a star hands it on."""
    info = i.info(ref.oid).payload
    assert isinstance(info, CompiledInfo)
    table = i.table
    bad, inside, conditions = _refusal(i, value)
    if bad not in OTHERWISE and sinks.expected(i):
        bad = ""  # that is what the program is to do
    callee = modality(i, i.chosen) if bad else None
    bad = bad if callee is not None else ""
    shown, presumed = _described(i, value, info.context, arrays), ""
    if not _varies(shown) and _varies(again := describe(i, value, info.context, perhaps=True, beside=arrays)):
        shown, presumed = again, f"`{where(place).text}` takes many values"
    versions = () if not bad else table.before(TAKES_NONE) if bad == "NoneType" else table.judged
    return events.Argument(
        name,
        where(place),
        shown,
        bad,
        inside,
        versions,
        table.judged if bad else (),
        _grows(i, value, info.context),
        (*(callee.conditions if callee is not None else ()), *conditions),
        presumed,
        windows.at_most(i, value),
        starred,
    )


def spread(i: Interpreter, ref: Ref, place: Place, value: Value) -> events.Argument:
    """What a star hands on of which nobody knows the length."""
    info = i.info(ref.oid).payload
    assert isinstance(info, CompiledInfo)
    return events.Argument("*", where(place), describe(i, value, info.context), grows=_grows(i, value, info.context))


def _varies(value: described.Value) -> bool:
    """Whether a number, or one in a container, is another one each time."""
    if isinstance(value, described.ContainerValue):
        return value.each is not None or any(map(_varies, value.items or ()))
    return isinstance(value, described.ScalarValue) and value.varies


def _grows(i: Interpreter, value: Value, older: Context) -> str:
    """Why the shape of an array in an argument, or the length of it, differs between the rounds in which the compiled object is not made."""
    running = rounds(i, older)
    new = novelty.Novelty(i, running)
    loops = united(
        (*(lengths.growing(i, part) for part in (value, *_within(i, value))), *(slices.cut(i, member) for member in members(value)))
    )
    if new.over(loops) or stretching.stretching(list(members(value))):
        return "rounds"
    found = max(reasons(i, (array for array in arrays_in(i, value) if array.ident not in new.short), new).keys() & GOING_ON, default="")
    return events.COMES_BACK if found and _comes_back(i, value, running) else found


def _within(i: Interpreter, value: Value, depth: int = 2) -> Iterator[Value]:
    """The containers in an argument that is itself one."""
    for member in members(value) if depth else ():
        for part in parts_held(i, member) if isinstance(member, (Tuple, Ref)) else ():
            if any(isinstance(inner, (Tuple, Ref)) for inner in members(part)):
                yield part
                yield from _within(i, part, depth - 1)


def _comes_back(i: Interpreter, value: Value, running: Sequence[Context]) -> bool:
    """Whether the loops that change the shapes of arrays run within another one, in which the compiled object is not made either, and begin anew in
    each round of that: the same shapes come again."""
    changing = [array for array in arrays_in(i, value) if array.grows]
    return len(running) > 1 and all(
        (array.loops is None or running[-1].loop not in array.loops) and lengthening.begins_alike(i, array.ident) for array in changing
    )


def _described(i: Interpreter, value: Value, older: Context, arrays: Collection[int]) -> described.Value:
    """An argument in the words of the facts. Where it may be several things, and is another number each time under conditions that no round of a loop
    changes, it is that: who meets them meets it in each round."""
    found = describe(i, value, older, beside=arrays)
    if not isinstance(found, described.UnknownValue) or not isinstance(value, Union):
        return found
    running = rounds(i, older)
    for option in value.options:
        member = describe(i, option.member, older, beside=arrays)
        varies = isinstance(member, described.ScalarValue) and member.varies
        if varies and option.guard and not any(is_inside(literal.condition, around) for literal in option.guard for around in running):
            return member
    return found


def _refusal(i: Interpreter, value: Value) -> tuple[str, bool, tuple[events.Condition, ...]]:
    """What is refused of an argument, whether it lies in a container, and what it depends on that this is given: nothing if all that may be given is
    refused. What depends on nothing is given at some call, as one item of a list that a loop goes over."""
    value = i.live(value)
    content = i.heap.get(value.oid, ITEMS) if isinstance(value, Ref) and tree(i, value) else None
    inside = isinstance(content, Union)
    if isinstance(content, Union):
        value = i.live(content)
    if not isinstance(value, Union):
        return refused(i, value), inside or _is_container(i, value), ()
    found = [(refused(i, option.member), option.member, conditions) for option, conditions in i.alternatives(value)]
    certain = all(bad for bad, _, _ in found)
    path = i.path
    for bad, member, conditions in found:
        if bad:
            i.path = (*path, *conditions)
            m = modality(i, len(path))
            i.path = path
            if m is not None:
                return bad, inside or _is_container(i, member), () if certain else m.conditions
    return "", False, ()


def _is_container(i: Interpreter, member: Member) -> bool:
    return isinstance(member, Tuple) or tree(i, member) != ""


def refused(i: Interpreter, value: Value, done: dict[int, str] | None = None) -> str:
    """The type of an argument, or of something in it, that mx.compile does not take; "" if all of it is taken or not known."""
    done = {} if done is None else done
    found = {refused_member(i, member, done) for member in members(value)}
    return found.pop() if len(found) == 1 else ""


def refused_member(i: Interpreter, member: Member, done: dict[int, str]) -> str:
    """What is refused in one member. `done`: what was found of containers; they may hold themselves."""
    if isinstance(member, Const):
        return _refused_constant(i, member.value)
    if isinstance(member, Kind):
        return member.type if member.type in ("bytes", "complex") else ""
    if isinstance(member, (Slice, RangeObject)):
        return "slice" if isinstance(member, Slice) else "range"
    if isinstance(member, External):
        return str(i.mlx.refused_name(member.name))
    if isinstance(member, Symbolic):
        kinds = [str(i.mlx.refused_class(kind)) if "." in kind else "" for kind in sorted(member.kinds or ())]
        return " or ".join(sorted(kinds, key=lambda kind: "." in kind)) if kinds and all(kinds) else ""
    if isinstance(member, Bound):
        return "function" if target(i, member.function)[0] is not None else ""
    if isinstance(member, Tuple):
        return _first_refused(i, id(member), _each(member), done)
    if isinstance(member, Ref):
        if tree(i, member):
            content = i.heap.get(member.oid, ITEMS)
            parts = _each(content) if isinstance(content, Tuple) else list(_entries(i, member.oid))
            return _first_refused(i, -member.oid - 1, parts, done)
        kind, cls = i.info(member.oid).kind, i.info(member.oid).payload
        of_library = str(i.mlx.refused_class(cls)) if kind == "list" and isinstance(cls, str) else ""
        return str(i.mlx.refused(i, member)) if kind == "instance" else _REFUSED.get(kind, of_library)
    return ""


def _each(content: Tuple) -> Sequence[Value]:
    """What lies in a tuple. One whose length nothing in sight says is taken to hold something, as a loop over it is taken to have a round."""
    return content.items if content.items is not None else () if content.element is None else (content.element,)


def _entries(i: Interpreter, oid: int) -> Iterator[Value]:
    """What lies in a dict; where nothing in sight says under which keys, it is taken to hold something as well."""
    yield from (value for _, value in i.heap.entries(oid))
    rest = i.heap.get(oid, REST)
    if rest is not None:
        yield join([member for member in members(rest) if not isinstance(member, Unbound)] or [UNBOUND])


def _first_refused(i: Interpreter, number: int, parts: Sequence[Value], done: dict[int, str]) -> str:
    if number not in done:
        done[number] = ""
        done[number] = next(filter(None, (refused(i, part, done) for part in parts)), "")
    return done[number]


def _refused_constant(i: Interpreter, value: object) -> str:
    if value is None:
        return "NoneType" if i.table.before(TAKES_NONE) else ""
    if isinstance(value, int):
        return "" if value in CONSTANTS else WIDE
    return {bytes: "bytes", complex: "complex", type(...): "ellipsis"}.get(type(value), "")
