"""Which names are modules and optimizers by what is done with them, where nothing else says what they are.

The names are parameters, and variables and attributes that are bound to what a call out of sight gives. In
`optimizer.update(model, nn.value_and_grad(model, loss)(x)[1])`, `model` is a module, as MLX raises for anything else that is differentiated by. That `optimizer` is
an optimizer because of its `update`, or that what has `.load_weights(…)` is a module, is a presumption.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Final, NamedTuple

from mxlint.domain.members import External, Ref
from mxlint.interpreter.calls.relevance import DEFINED_IN
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.annotations import named
from mxlint.interpreter.objects.lookup import mro
from mxlint.interpreter.open_world.handed_on import MAX_HANDED, handed_on
from mxlint.interpreter.open_world.mentions import (
    attributes_bound,
    attributes_set,
    calls_in,
    keeping,
    methods_of,
    nodes_in,
    own_attribute,
    positions,
)
from mxlint.syntax import ir

MODULE: Final = External("mlx.nn.Module")
OPTIMIZER: Final = External("mlx.optimizers.Optimizer")
DIFFERENTIATES: Final = "mlx.nn.value_and_grad"
"""What takes a module as its first argument."""
OF_MODULES: Final = frozenset((
    "apply_to_modules", "filter_and_map", "freeze", "leaf_modules", "load_weights", "named_modules", "parameters", "save_weights", "set_dtype",
    "trainable_parameters", "unfreeze", "update_modules",
))  # fmt: skip
"""Methods of nn.Module that no class of Python, numpy or the rest of MLX has (tests/test_uses.py asks them)."""
WORDS: Final = {MODULE: "an nn.Module", OPTIMIZER: "an optimizer"}


class Uses:
    """What uses say of names, once it is found."""

    __slots__ = ("attributes", "classes")

    def __init__(self) -> None:
        self.classes: dict[tuple[int, str, int, bool], External | None] = {}
        """The classes of which parameters and variables are instances by their uses, by the function, the name, how far they are followed, and which of the
        two they are."""
        self.attributes: dict[int, dict[str, External]] = {}
        """The classes of which attributes are instances by what the methods of a class do with them, by the class."""


class Subject(NamedTuple):
    """How a function says what a parameter holds: by its name, or by the attribute of its own object that keeps it."""

    name: str
    kept: bool


def by_use(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, depth: int = MAX_HANDED) -> External | None:
    """The class of which a parameter is an instance, by its uses here and where it is handed on; None if they do not say. Asked once."""
    return _asked_once(i, ref, info, name, depth, local=False)


def bound_by_use(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> External | None:
    """The class of which what a function binds a variable to is an instance, by the same uses."""
    return _asked_once(i, ref, info, name, MAX_HANDED, local=True)


def _asked_once(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, depth: int, *, local: bool) -> External | None:
    known, key = i.ledger.of(Uses).classes, (ref.oid, name, depth, local)
    if key not in known:
        known[key] = None  # what a recursion comes back to
        known[key] = _by_any_use(i, ref, info, name, depth, local=local)
    return known[key]


def _by_any_use(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, depth: int, *, local: bool) -> External | None:
    found = _by_own_use(i, ref, info, name, local=local)
    if found is not None or not depth or name in info.node.scope.bound and not local:
        return found
    for call in calls_in(i, info, name):
        handed = handed_on(i, ref, info, call, name)
        if handed is None or handed.function == ref:
            continue
        for param in handed.params:
            found = by_use(i, handed.function, handed.info, param, depth - 1)
            if found is not None:
                return found
    return None


def _by_own_use(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, *, local: bool) -> External | None:
    """The class of which a parameter, or a variable, is an instance, by what its function does with it, and what the methods do of the object that
    keeps it."""
    own = [(ref, info)]
    asked = {Subject(name, False)}
    cls = i.heap.get(ref.oid, DEFINED_IN)
    if isinstance(cls, Ref) and info.node.params and not isinstance(info.node, ir.Lambda):
        own += [method for method in methods_of(i, cls) if method[0] != ref]
        asked |= {Subject(attribute, True) for attribute in i.project.once(info.source).of(keeping, info.node).get(name, ())}
    modules, optimizers = _of_mlx(i, own, name, ref, local=local)
    return MODULE if asked & modules else OPTIMIZER if asked & optimizers else None


def attribute_by_use(i: Interpreter, cls: Ref, name: str) -> External | None:
    """The class of which an attribute that a method sets is an instance, by what the methods of its class do with it. Asked once for a class."""
    known = i.ledger.of(Uses).attributes
    if cls.oid not in known:
        modules, optimizers = _of_mlx(i, [method for base in mro(i, cls) if isinstance(base, Ref) for method in methods_of(i, base)])
        known[cls.oid] = {subject.name: OPTIMIZER for subject in sorted(optimizers)} | {subject.name: MODULE for subject in sorted(modules)}
    return known[cls.oid].get(name)


def kept_by_use(i: Interpreter, classes: Sequence[Ref]) -> dict[str, External]:
    """The attributes that methods of some classes use as modules and optimizers, and that none of them sets."""
    methods = [method for cls in classes for method in methods_of(i, cls)]
    modules, optimizers = _of_mlx(i, methods)
    put = {name for _, info in methods for name in i.project.once(info.source).of(attributes_set, info.node)}
    found = {subject.name: OPTIMIZER for subject in sorted(optimizers)} | {subject.name: MODULE for subject in sorted(modules)}
    return {name: kind for name, kind in found.items() if name not in put}


def _of_mlx(
    i: Interpreter, functions: Sequence[tuple[Ref, FunctionInfo]], name: str = "", ref: Ref | None = None, *, local: bool = False
) -> tuple[set[Subject], set[Subject]]:
    """What some functions use as modules, and what as optimizers: attributes, and a parameter of the one of them that is given, or a variable if it is
    `local`."""
    modules: set[Subject] = set()
    called: set[Subject] = set()
    given_weights: set[Subject] = set()
    updated: list[tuple[Subject, Subject]] = []
    for function, its in functions:
        kept = i.project.once(its.source).of(keeping, its.node)
        for call in calls_in(i, its, name):
            called |= _subjects(its, call.func, function == ref, kept, name if local else "")
            if isinstance(call.func, ir.Attr) and call.func.name == "update" and len(call.args) == 1 and _gives_weights(call.args[0].value):
                given_weights |= _subjects(its, call.func.value, function == ref, kept, name if local else "")
            if isinstance(call.func, ir.Attr) and call.func.name in OF_MODULES:
                modules |= _subjects(its, call.func.value, function == ref, kept, name if local else "")
            given = [arg.value for arg in call.args if not arg.star]
            first = _subjects(its, given[0], function == ref, kept, name if local else "") if given else set()
            if not first:
                continue
            if named(i, function, call.func) == External(DIFFERENTIATES):
                modules |= first
            elif isinstance(call.func, ir.Attr) and call.func.name == "update" and len(given) > 1:
                updated += product(_subjects(its, call.func.value, function == ref, kept, name if local else ""), first)
    modules |= called & given_weights  # a dict that is updated is not called
    return modules, {owner for owner, model in updated if model in modules}


def _gives_weights(value: ir.Expr) -> bool:
    """Whether an expression asks a module for its weights."""
    return isinstance(value, ir.Call) and isinstance(value.func, ir.Attr) and value.func.name in ("parameters", "trainable_parameters")


def set_by_methods(i: Interpreter, cls: Ref) -> frozenset[str]:
    """The attributes of its own object that some method of a class sets."""
    return frozenset[str]().union(*(i.project.once(its.source).of(attributes_set, its.node) for _, its in methods_of(i, cls)))


def _subjects(info: FunctionInfo, value: ir.Expr, own: bool, kept: Mapping[str, Collection[str]], local: str = "") -> set[Subject]:
    """What an expression in a method names: a parameter (if the method is the one that is asked about), the attributes that keep it, an attribute.
    `kept`: those attributes, by the name of what they keep; `local`: a variable that is asked about."""
    first = info.node.params[0].name if info.node.params else None
    if isinstance(value, ir.Name) and (value.id not in info.node.scope.bound or own and value.id == local):
        return {Subject(attribute, True) for attribute in kept.get(value.id, ())} | ({Subject(value.id, False)} if own else set())
    if isinstance(value, ir.Attr) and isinstance(value.value, ir.Name) and value.value.id == first:
        return {Subject(value.name, True)}
    return set()


def calls_of(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> list[ir.Call]:
    """The calls of what a parameter holds, in the function, and by the methods of the object that keeps it."""
    found = [call for call in calls_in(i, info, name) if isinstance(call.func, ir.Name) and call.func.id == name]
    cls = i.heap.get(ref.oid, DEFINED_IN)
    if isinstance(cls, Ref) and info.node.params and not isinstance(info.node, ir.Lambda):
        kept = i.project.once(info.source).of(keeping, info.node).get(name, ())
        for _, method in methods_of(i, cls):
            found += [call for call in calls_in(i, method, "") if own_attribute(method, call.func) in kept]
    return found


def asked_of(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> tuple[list[tuple[str, ir.Call]], set[str]]:
    """The calls of methods of what a parameter holds, in the function and by the methods of the object that keeps it; and all attributes that are asked."""
    calls: list[tuple[str, ir.Call]] = []
    names: set[str] = set()

    def look(parts: Iterable[ir.Node], holds: Callable[[ir.Expr], bool]) -> None:
        for part in parts:
            if isinstance(part, ir.Attr) and holds(part.value):
                names.add(part.name)
            elif isinstance(part, ir.Call) and isinstance(part.func, ir.Attr) and holds(part.func.value):
                calls.append((part.func.name, part))

    if name not in info.node.scope.bound:
        look(nodes_in(info.node.body, name), lambda node: isinstance(node, ir.Name) and node.id == name)
    cls = i.heap.get(ref.oid, DEFINED_IN)
    kept = i.project.once(info.source).of(keeping, info.node).get(name, ())
    if isinstance(cls, Ref) and kept:
        for method, its in methods_of(i, cls):
            if method != ref and not kept.isdisjoint(i.project.once(its.source).of(attributes_bound, its.node)):
                return [], set()  # something else may lie there
            look(nodes_in(its.node.body), partial(_is_kept, its, kept))
    return calls, names


def _is_kept(info: FunctionInfo, kept: Collection[str], node: ir.Expr) -> bool:
    """Whether an expression is one of some attributes of the own object of a method."""
    return own_attribute(info, node) in kept


def is_traced(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> bool:
    """Whether a function hands a parameter to `mx.compile`, or to what traces as that does."""
    calls = (call for call in calls_in(i, info, name) if (0, None) in positions(call, name))
    return any(isinstance(found := named(i, ref, call.func), External) and found.name in i.tracers for call in calls)


__all__ = [
    "MODULE",
    "OPTIMIZER",
    "WORDS",
    "asked_of",
    "attribute_by_use",
    "bound_by_use",
    "by_use",
    "calls_of",
    "is_traced",
    "kept_by_use",
    "set_by_methods",
]
