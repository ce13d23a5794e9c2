"""What the uses of a parameter say that it is, where nothing else does: what is differentiated by is a module, and what updates one an optimizer.

MLX raises for anything else that nn.value_and_grad is given as a model. That what has `.update(model, gradients)` is an optimizer is a presumption.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from mxlint.domain.value import External, Ref, members
from mxlint.interpreter.annotations import named
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.functions import FunctionInfo
from mxlint.interpreter.relevance import DEFINED_IN
from mxlint.syntax import ir

MODULE: Final = External("mlx.nn.Module")
OPTIMIZER: Final = External("mlx.optimizers.Optimizer")
DIFFERENTIATES: Final = "mlx.nn.value_and_grad"
"""What takes a module as its first argument."""
WORDS: Final = {MODULE: "an nn.Module", OPTIMIZER: "an optimizer"}


class Subject(NamedTuple):
    """How a function says what a parameter holds: by its name, or by the attribute of its own object that keeps it."""

    name: str
    kept: bool


def by_use(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> External | None:
    """The class of which a parameter is an instance, by its uses; None if they do not say."""
    own = [(ref, info)]
    asked = {Subject(name, False)}
    cls = i.heap.get(ref.oid, DEFINED_IN)
    if isinstance(cls, Ref) and info.node.params and not isinstance(info.node, ir.Lambda):
        own += [method for method in _methods(i, cls) if method[0] != ref]
        asked |= {Subject(attribute, True) for attribute in _keeping(info.node, name)}
    modules: set[Subject] = set()
    updated: list[tuple[Subject, Subject]] = []
    for function, its in own:
        for call in _calls(its.node, name):
            given = [_subject(its, arg.value) for arg in call.args if not arg.star]
            if not given or given[0] is None or function != ref and not given[0].kept:
                continue
            if named(i, function, call.func) == External(DIFFERENTIATES):
                modules.add(given[0])
            elif isinstance(call.func, ir.Attr) and call.func.name == "update" and len(given) > 1:
                owner = _subject(its, call.func.value)
                if owner is not None and (function == ref or owner.kept):
                    updated.append((owner, given[0]))
    if asked & modules:
        return MODULE
    return OPTIMIZER if any(owner in asked and model in modules for owner, model in updated) else None


def _methods(i: Interpreter, cls: Ref) -> Iterator[tuple[Ref, FunctionInfo]]:
    """The methods that a class defines."""
    for value in i.heap.fields(cls.oid).values():
        for member in members(value):
            if isinstance(member, Ref) and isinstance(info := i.info(member.oid).payload, FunctionInfo):
                yield member, info


def _keeping(node: ir.FuncDef, name: str) -> Iterator[str]:
    """The attributes of its own object that a method sets to what a parameter holds."""
    for part in _parts(node.body):
        if isinstance(part, ir.Assign) and isinstance(part.value, ir.Name) and part.value.id == name:
            for target in part.targets:
                if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == node.params[0].name:
                    yield target.name


def _subject(info: FunctionInfo, value: ir.Expr) -> Subject | None:
    first = info.node.params[0].name if info.node.params else None
    if isinstance(value, ir.Name) and value.id not in info.node.scope.bound:
        return Subject(value.id, False)
    if isinstance(value, ir.Attr) and isinstance(value.value, ir.Name) and value.value.id == first:
        return Subject(value.name, True)
    return None


def _calls(node: ir.FuncDef | ir.Lambda, name: str) -> Iterator[ir.Call]:
    """The calls in a function and in those within it, but for those within in which the name of the parameter means something else."""
    for part in _parts(node.body, name):
        if isinstance(part, ir.Call):
            yield part


def _parts(node: object, name: str = "") -> Iterator[ir.Node]:
    todo: list[object] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, (ir.FuncDef, ir.Lambda)) and (name in part.scope.bound or any(param.name == name for param in part.params)):
            continue
        if isinstance(part, ir.Node):
            yield part
            todo += [getattr(part, field) for field in part.__match_args__]
        elif isinstance(part, Sequence) and not isinstance(part, (str, bytes)):
            todo += part


__all__ = ["MODULE", "OPTIMIZER", "WORDS", "by_use"]
