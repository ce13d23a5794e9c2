"""Parameters that are used as objects of a class of the same file: whoever makes both may hand one to the other.

In `def step(model, x): return model.encode(x)`, `model` may be an object of a public class of the file with a method `encode`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from mxlint.domain.members import External, Ref, Value, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.lookup import class_attribute, mro
from mxlint.interpreter.open_world.uses import asked_of, calls_of, is_traced, set_by_methods
from mxlint.models.load import model
from mxlint.source import Source
from mxlint.syntax import ir

MODULE: Final = External("mlx.nn.Module")
FEW: Final = 3
"""Of more classes nothing says which is meant."""


def given(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> Sequence[Ref]:
    """The classes of modules of the same file of which a parameter may be an object: it is called as these are, or compiled, and nothing in sight makes one."""
    calls = calls_of(i, ref, info, name)
    found = (
        [cls for cls in _unmade(i, info.source) if all(_takes(i, i.heap.get(cls.oid, "__call__"), call) for call in calls)]
        if calls or is_traced(i, ref, info, name)
        else []
    )
    found += [cls for cls in _by_methods(i, ref, info, name) if cls not in found]
    return found if len(found) <= FEW else ()


def _by_methods(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> list[Ref]:
    """The public classes of the same file that have all that a parameter is asked for, among that a method that MLX does not have. Nothing of Python has
    all of it."""
    calls, names = asked_of(i, ref, info, name)
    own = [(method, call) for method, call in calls if not _is_of_mlx(i, method)]
    if not own or _is_of_python(names):
        return []
    classes = _classes(i, info.source)
    bases = {base for cls in classes.values() for base in mro(i, cls)[1:]}
    return [
        cls
        for its_name, cls in classes.items()
        if not its_name.startswith("_")
        and cls not in bases
        and all(_takes(i, found, call) for method, call in own if (found := class_attribute(i, cls, method)) is not None)
        and all(_has(i, cls, asked) for asked in names)
    ]


KNOWN: Final = tuple(f"builtins.{kind}" for kind in ("bytes", "dict", "float", "int", "list", "set", "str", "tuple"))


def _is_of_python(names: Collection[str]) -> bool:
    """Whether a container, string or number of Python has all of some methods."""
    return any(all(model(f"{kind}.{name}") for name in names) for kind in KNOWN)


def _is_of_mlx(i: Interpreter, name: str) -> bool:
    """Whether an array, a module or an optimizer has a method of this name."""
    return any(i.table.entry(f"{kind}.{name}") for kind in OF_MLX)


OF_MLX: Final = ("mlx.core.array", "mlx.nn.Module", "mlx.optimizers.Optimizer")


def _has(i: Interpreter, cls: Ref, name: str) -> bool:
    """Whether a class has an attribute, or a method of it sets it."""
    return class_attribute(i, cls, name) is not None or any(
        name in set_by_methods(i, base) for base in mro(i, cls) if isinstance(base, Ref)
    )


def _unmade(i: Interpreter, source: Source) -> Iterator[Ref]:
    """The public classes of modules of a file that neither make nor extend each other, and that nothing in it makes."""
    blocks = i.project.symbols(source, i.tracers).blocks
    called = frozenset[str]().union(*(block.calls | block.hands for block in blocks))
    classes = {name: cls for name, cls in _classes(i, source).items() if MODULE in mro(i, cls)}
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


def _classes(i: Interpreter, source: Source) -> dict[str, Ref]:
    """The classes of a file by their names."""
    return {
        name: member
        for oid in i.modules.values()
        if isinstance(module := i.info(oid).payload, FrameInfo) and module.source is source
        for name, value in i.heap.fields(oid).items()
        for member in members(value)
        if isinstance(name, str)
        and isinstance(member, Ref)
        and i.info(member.oid).kind == "class"
        and getattr(i.info(member.oid).payload, "source", None) is source
    }


def _takes(i: Interpreter, own: Value | None, call: ir.Call) -> bool:
    """Whether a method takes the arguments of a call."""
    info = i.info(own.oid).payload if isinstance(own, Ref) else None
    if not isinstance(info, FunctionInfo) or any(arg.star for arg in call.args):
        return False
    params = info.node.params[1:]
    places = [param for param in params if not param.star and not param.kwonly]
    keywords = {arg.name for arg in call.args if arg.name is not None}
    positional = len(call.args) - len(keywords)
    needed = [param for param in places[positional:] if param.default is None and param.name not in keywords]
    return positional <= len(places) and keywords <= {param.name for param in params} and not needed
