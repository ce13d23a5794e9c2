"""Which function of the program a call hands a variable on to, and which of its parameters hold it there.

In `def step(model, x): return loss(x, net=model)`, `model` is handed on to the parameter `net` of `loss`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mxlint.domain.members import Ref
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.open_world.callees import callee
from mxlint.interpreter.open_world.mentions import (
    calls_in,
    is_local,
    own_attribute,
    positions,
)
from mxlint.syntax import ir

MAX_HANDED: Final = 3
"""Functions through which a parameter is followed that is handed on."""


class Handed(NamedTuple):
    """A function of the program that is given a variable, or the initializer of a class, and the parameters that hold it there."""

    function: Ref
    info: FunctionInfo
    params: list[str]


def handed_on(i: Interpreter, ref: Ref, info: FunctionInfo, call: ir.Call, name: str) -> Handed | None:
    """What a call in a function hands a variable of it on to; None if the callee is not in sight, or the call is given something else."""
    given = positions(call, name)
    found = callee(i, ref, info, call.func) if given and (own_attribute(info, call.func) or not is_local(info, call.func)) else None
    its = i.info(found.function.oid).payload if found is not None else None
    if found is None or not isinstance(its, FunctionInfo):
        return None
    params = [param.name for param in its.node.params if not param.star and not param.kwonly][found.bound :]
    return Handed(
        found.function, its, [param for number, keyword in given if (param := keyword or (params[number] if number < len(params) else ""))]
    )


def spread_into(i: Interpreter, ref: Ref, info: FunctionInfo, star: str) -> Handed | None:
    """The function of the program that is given all that a star of another one holds, `f(x, *args)`, and the parameters that take that; None if its
    own star takes some."""
    for call in calls_in(i, info, star):
        before = [arg for arg in call.args if arg.name is None and arg.star != "**"]
        last = before[-1] if before else None
        if (
            last is None
            or last.star != "*"
            or not isinstance(last.value, ir.Name)
            or last.value.id != star
            or any(arg.star for arg in before[:-1])
        ):
            continue
        found = callee(i, ref, info, call.func) if own_attribute(info, call.func) or not is_local(info, call.func) else None
        its = i.info(found.function.oid).payload if found is not None else None
        if found is None or not isinstance(its, FunctionInfo) or any(param.star == "*" for param in its.node.params):
            continue
        params = [param.name for param in its.node.params[found.bound :] if not param.star and not param.kwonly]
        return Handed(found.function, its, params[len(before) - 1 :])
    return None
