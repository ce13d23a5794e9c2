"""The modules that a module holds, in attributes, lists and dicts, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mxlint.domain.arrays import Traces
from mxlint.domain.heap import Field
from mxlint.domain.members import NONE, Ref, Tuple, Value, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.mlx.kinds import CLASS, kind
from mxlint.interpreter.mlx.weights import is_parameter


def submodules(i: Interpreter, value: Value, seen: set[int] | None = None, *, parameters: bool = False) -> Iterator[Ref]:
    """A module and all modules that it holds, each once. `parameters`: those whose weights are among the parameters of the first."""
    seen = set() if seen is None else seen
    for member in members(value):
        if isinstance(member, Tuple):
            for item in member.items if member.items is not None else (member.element,):
                if item is not None:
                    yield from submodules(i, item, seen, parameters=parameters)
        elif isinstance(member, Ref) and member.oid not in seen:
            seen.add(member.oid)
            if kind(i, member) == "module":
                yield member
            if i.info(member.oid).kind in ("list", "dict") or kind(i, member) == "module":
                for field, held in list(i.heap.fields(member.oid).items()):
                    beside = parameters and isinstance(field, str) and not is_parameter(field)
                    if field not in (CLASS, ("#", "parent"), ("#", "alive")) and not beside:
                        yield from submodules(i, held, seen, parameters=parameters)


def set_in_all(i: Interpreter, value: Value, field: Field, held: Callable[[Ref], Value], *, inner: bool = True) -> list[Ref]:
    """Write a field of a module and of all that it holds, which come back; not `inner`: of the module alone. One object may stand for several modules: if
    nothing but what is written so holds it, each of them is written."""
    seen: set[int] = set()
    found = list(submodules(i, value, seen))
    if not inner:
        found = [module for module in found if module in members(value)]
    several = {number for number in seen if i.info(number).summary}
    whole = several.difference(member.oid for member in members(value) if isinstance(member, Ref))
    while parts := {number for number in whole if not all(map((seen - (several - whole)).__contains__, _holders(i, number)))}:
        whole -= parts
    for module in found:
        i.heap.set(module.oid, field, held(module), each=module.oid in whole)
    return found


def _holders(i: Interpreter, number: int) -> Iterator[int]:
    """What a program can come to an object by."""
    for oid, field in i.heap.who_holds(number):
        if not any(isinstance(member, Traces) for member in members(i.heap.get(oid, field) or NONE)):
            yield oid


def reached(i: Interpreter, value: Value, *, parameters: bool = False) -> Iterator[Ref]:
    """A module and all modules that it holds, where a trace comes to them through it. `parameters`: as in `submodules`."""
    for root in members(value):
        trace = i.trace
        name = trace.reached.get(root.oid) if trace is not None and isinstance(root, Ref) else None
        for module in submodules(i, root, parameters=parameters):
            if trace is not None and name is not None:
                trace.reached.setdefault(module.oid, name)
            yield module
