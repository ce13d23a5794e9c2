"""Deques with a greatest length: `deque(maxlen=3)` drops an item at one end where a fourth is put in at the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mxlint.domain.join import join, of
from mxlint.domain.members import NONE, Const, Member, Option, Range, Ref, Tuple, Value, options
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS

Method = Callable[[Interpreter, Ref, Arguments, Place, Frame], Value]

MAXLEN: Final = ("#", "maxlen")
"""The field of a deque that holds how long it may be."""


def within_length(method: Method, *, first: bool = False) -> Method:
    """A method that adds to a list, on a deque with a greatest length: what is too much goes, at the end if something comes in `first`."""

    def run(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
        result = method(i, ref, args, place, frame)
        most, content = i.heap.get(ref.oid, MAXLEN), i.heap.get(ref.oid, ITEMS)
        if most is not None and content is not None:
            left = cut(content, most, first=first)
            if left != content:
                i.heap.set(ref.oid, ITEMS, left)
                i.operations.written(i, ref.oid, ITEMS, NONE, place, frame)
        return result

    return run


def bounded(i: Interpreter, oid: int, length: Value) -> Value:
    """How long a container is, which is no longer than it may be: the rounds of a loop come to that and stay there."""
    most = i.heap.get(oid, MAXLEN)
    if not isinstance(most, Const) or type(most.value) is not int:
        return length
    count = most.value

    def one(member: Member) -> Member:
        if not isinstance(member, Range) or member.high is not None:
            return member
        return Range(min(member.low or 0, count), count, member.stride, frozenset())

    return of(Option(one(option.member), option.guard) for option in options(length))


def cut(content: Value, most: Value, *, first: bool = False) -> Value:
    """The content of a deque that holds no more than `most`: the first or the last of it."""
    count = most.value if isinstance(most, Const) and type(most.value) is int else None

    def one(member: Member) -> Member:
        if not isinstance(member, Tuple) or member.items is None or count is not None and len(member.items) <= count:
            return member
        if count is None:
            return Tuple(None, join(member.items)) if member.items else member
        return Tuple(member.items[:count] if first else member.items[len(member.items) - count :])

    return of(Option(one(option.member), option.guard) for option in options(content))
