"""`__setattr__` and `__delattr__` of the program, which the client calls with a name that nobody in sight says.

That others set an attribute of an object from outside is not presumed of any class. So what such a method does with the attribute of the very name that it is
given, as by `super().__setattr__(name, value)`, says nothing; all else that it changes does.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.join import of
from mxlint.domain.members import Const, Option, Ref, Value, members, options
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.open_world.client_methods import Method

HOOKS: Final = frozenset(("__setattr__", "__delattr__"))


def take_back(i: Interpreter, method: Method, owner: Value | None, mark: int) -> None:
    """Let the object of a method that is such a hook have the attributes again that it had, where only the name that the hook was given says that they changed."""
    if method.info.name not in HOOKS or owner is None:
        return
    owners = {member.oid for member in members(owner) if isinstance(member, Ref)}
    before: dict[tuple[int, str], Value | None] = {}
    for (oid, field), value in i.heap.trail[mark:]:
        if oid in owners and isinstance(field, str):
            before.setdefault((oid, field), value)
    for (oid, field), was in before.items():
        now = i.heap.get(oid, field)
        rest = [option for option in options(now) if not _is_of_name(option, field)] if now is not None else []
        if was is None and not rest:
            i.heap.drop(oid, field)
        elif was is not None and {option.member for option in rest} <= set(members(was)):
            i.heap.set(oid, field, was)
        elif now is not None and len(rest) < len(options(now)):
            i.heap.set(oid, field, of(rest))


def _is_of_name(option: Option, field: str) -> bool:
    """Whether a value is there where some text is the name of its attribute."""
    return any(literal.outcome and literal.condition[0] == "==" and Const(field) in literal.condition[1:] for literal in option.guard)
