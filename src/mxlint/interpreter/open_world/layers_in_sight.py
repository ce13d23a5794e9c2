"""Parameters that are called or compiled, in a file whose modules nothing in sight makes: what makes both can give one of them to the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mxlint.domain.members import External, Ref, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.lookup import mro
from mxlint.interpreter.open_world.uses import calls_of, is_traced
from mxlint.source import Source
from mxlint.syntax import ir

MODULE: Final = External("mlx.nn.Module")
FEW: Final = 3
"""Of more classes nothing says which is meant."""


def given(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> Sequence[Ref]:
    """The classes of modules of the same file of which a parameter may be an object: it is called as these are, or compiled, and nothing in sight makes one."""
    calls = calls_of(i, ref, info, name)
    found = (
        [cls for cls in _unmade(i, info.source) if all(_takes(i, cls, call) for call in calls)]
        if calls or is_traced(i, ref, info, name)
        else []
    )
    return found if len(found) <= FEW else ()


def _unmade(i: Interpreter, source: Source) -> Iterator[Ref]:
    """The public classes of modules of a file that neither make nor extend each other, and that nothing in it makes."""
    blocks = i.project.symbols(source, i.tracers).blocks
    called = frozenset[str]().union(*(block.calls | block.hands for block in blocks))
    classes = {
        name: member
        for oid in i.modules.values()
        if isinstance(module := i.info(oid).payload, FrameInfo) and module.source is source
        for name, value in i.heap.fields(oid).items()
        for member in members(value)
        if isinstance(name, str) and isinstance(member, Ref) and i.info(member.oid).kind == "class" and MODULE in mro(i, member)
    }
    bases = {base for cls in classes.values() for base in mro(i, cls)[1:]}
    for name, cls in classes.items():
        own = i.heap.get(cls.oid, "__call__")
        if (
            not name.startswith("_")
            and name not in called
            and cls not in bases
            and isinstance(own, Ref)
            and getattr(i.info(cls.oid).payload, "source", None) is source
        ):
            yield cls


def _takes(i: Interpreter, cls: Ref, call: ir.Call) -> bool:
    """Whether the objects of a class take the arguments of a call."""
    own = i.heap.get(cls.oid, "__call__")
    info = i.info(own.oid).payload if isinstance(own, Ref) else None
    if not isinstance(info, FunctionInfo) or any(arg.star for arg in call.args):
        return False
    params = info.node.params[1:]
    places = [param for param in params if not param.star and not param.kwonly]
    keywords = {arg.name for arg in call.args if arg.name is not None}
    positional = len(call.args) - len(keywords)
    needed = [param for param in places[positional:] if param.default is None and param.name not in keywords]
    return positional <= len(places) and keywords <= {param.name for param in params} and not needed
