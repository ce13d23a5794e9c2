"""Arguments and results that MLX refuses, and how facts describe arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mxlint.domain.members import Bound, Const, External, Kind, Member, RangeObject, Ref, Slice, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter import novelty
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.compiled.state import CompiledInfo
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.journal import (
    describe,
    where,
)
from mxlint.interpreter.reach import CONTAINERS, arrays_in

TAKES_NONE: Final = "0.29.2"
"""The first version of MLX in which None is a constant argument."""
CONSTANTS: Final = range(-(2**63), 2**63)
"""The integers that mx.compile takes as constants."""
_REFUSED: Final = {"set": "set", "generator": "generator", "iterator": "iterator", "function": "function", "class": "class", "module": "module",
                   "partial": "function", "compiled": "function", "transform": "function", "coroutine": "coroutine"}  # fmt: skip


def argument(i: Interpreter, ref: Ref, name: str, place: Place, value: Value) -> events.Argument:
    """An argument of a call of a compiled object, with what MLX has against it."""
    info = i.info(ref.oid).payload
    assert isinstance(info, CompiledInfo)
    table = i.table
    bad = refused(i, value)
    versions = () if not bad else table.before(TAKES_NONE) if bad == "NoneType" else table.judged
    return events.Argument(
        name,
        where(place),
        describe(i, value, info.context),
        bad,
        _inside(i, value),
        versions,
        table.judged if bad else (),
        "rounds"
        if novelty.growing(i, value) or novelty.stretching(list(members(value))) or any(novelty.cut(i, member) for member in members(value))
        else max((array.grows for array in arrays_in(i, value) if array.grows in ("number", "rounds")), default=""),
    )


def _inside(i: Interpreter, value: Value) -> bool:
    """Whether what is refused of an argument lies in a container."""
    return all(isinstance(m, Tuple) or isinstance(m, Ref) and i.info(m.oid).kind in ("list", "dict") for m in members(value))


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
    if isinstance(member, Bound):
        return "function" if target(i, member.function)[0] is not None else ""
    if isinstance(member, Tuple):
        return _first_refused(i, id(member), member.items or (), done)
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        if kind == "instance":
            return str(i.mlx.refused(i, member))
        if kind in CONTAINERS:
            content = i.heap.get(member.oid, ("#", "items"))
            parts = (
                content.items or ()
                if isinstance(content, Tuple)
                else [v for f, v in i.heap.fields(member.oid).items() if isinstance(f, tuple) and f[0] == "k"]
            )
            return _first_refused(i, -member.oid - 1, parts, done)
        return _REFUSED.get(kind, "")
    return ""


def _first_refused(i: Interpreter, number: int, parts: Sequence[Value], done: dict[int, str]) -> str:
    if number not in done:
        done[number] = ""
        done[number] = next(filter(None, (refused(i, part, done) for part in parts)), "")
    return done[number]


def _refused_constant(i: Interpreter, value: object) -> str:
    if value is None:
        return "NoneType" if i.table.before(TAKES_NONE) else ""
    if isinstance(value, int):
        return "" if value in CONSTANTS else "int of more than 64 bits"
    return {bytes: "bytes", complex: "complex", type(...): "ellipsis"}.get(type(value), "")
