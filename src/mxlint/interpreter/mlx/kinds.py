"""Which objects and classes are modules or optimizers of MLX: those of MLX, and those of classes of the program that derive from them."""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import External, Ref, Symbolic, Tuple, Union, Unknown, Value, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.objects.lookup import mro
from mxlint.models.mlx.members import bases_of, hides
from mxlint.models.mlx.names import MODULE_METHODS, OPTIMIZER_METHODS, is_module_class

CLASS: Final = ("#", "class")


MODULE: Final = "mlx.nn.Module"
OPTIMIZER: Final = "mlx.optimizers.Optimizer"


def base_of(i: Interpreter, cls: Value) -> str | None:
    """The class of MLX that a class is or derives from."""
    if isinstance(cls, Union):
        return None
    for base in mro(i, cls):
        if isinstance(base, External) and base.name.startswith("mlx."):
            return base.name
    return None


def bases(name: str) -> tuple[str, ...]:
    """What a class of layers or an optimizer of MLX inherits from."""
    return bases_of(name)


def has_method(cls: str, name: str) -> bool:
    """Whether a class of layers, of modules or of optimizers has a method of its own, which its objects inherit."""
    if cls in (MODULE, OPTIMIZER):
        return name in (MODULE_METHODS if cls == MODULE else OPTIMIZER_METHODS)
    return name == "__call__" and is_module_class(cls) or hides(cls, name)


def kind(i: Interpreter, ref: Ref) -> str | None:
    """`module` or `optimizer` for an instance that is one."""
    cls = i.heap.get(ref.oid, CLASS)
    return class_kind(i, cls) if cls is not None else None


def class_kind(i: Interpreter, cls: Value) -> str | None:
    """`module` or `optimizer` for a class that is one, or for several of which each is."""
    if isinstance(cls, Union):
        kinds = {class_kind(i, member) for member in members(cls)}
        return kinds.pop() if len(kinds) == 1 else None
    base = base_of(i, cls)
    if base is None:
        return None
    return "module" if is_module_class(base) else "optimizer" if base.startswith("mlx.optimizers.") else None


def holds_arrays(i: Interpreter, value: Value) -> bool:
    """Whether a field of a module is a parameter or holds some: what `parameters()` walks."""
    for member in members(value):
        if isinstance(member, Array):
            return True
        if isinstance(member, Ref) and (i.info(member.oid).kind in ("list", "dict") or kind(i, member) == "module"):
            return True
    return False


def entries(i: Interpreter, module: Ref) -> dict[str, Value]:
    """What a module holds as the dict that it is, by the keys: arrays, containers and modules, and what may be one. Any other attribute is no entry."""
    fields = list(i.heap.fields(module.oid).items())
    return {field: value for field, value in fields if isinstance(field, str) and (holds_arrays(i, value) or _may_be_entry(value))}


def _may_be_entry(value: Value) -> bool:
    return any(isinstance(member, (Symbolic, Tuple, Unknown)) for member in members(value))
