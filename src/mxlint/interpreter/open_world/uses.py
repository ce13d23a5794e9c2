"""What the uses of a parameter, or of a variable or attribute that is bound to what a call out of sight gives, say that it is, where nothing else does:
what is differentiated by, or has methods that nothing but a module has, is a module, what updates one an optimizer, and what has attributes that only arrays have, is cut along several axes, or is given to a function of MLX that takes arrays alone, an array.

MLX raises for anything else that nn.value_and_grad is given as a model. That what has `.update(model, gradients)` is an optimizer, and what has
`.load_weights(…)` a module, is a presumption.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Final, NamedTuple

from mxlint.domain.members import NONE, External, Ref, Value, members
from mxlint.interpreter.calls.relevance import DEFINED_IN
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.annotations import dotted, named
from mxlint.interpreter.objects.lookup import CLASS, mro
from mxlint.interpreter.open_world.callees import callee
from mxlint.models.load import model
from mxlint.models.mlx.array_parameters import array_parameters, only_of_arrays, only_of_dicts
from mxlint.models.mlx.traits import has_trait
from mxlint.syntax import ir

MODULE: Final = External("mlx.nn.Module")
OPTIMIZER: Final = External("mlx.optimizers.Optimizer")
DIFFERENTIATES: Final = "mlx.nn.value_and_grad"
"""What takes a module as its first argument."""
OF_MODULES: Final = frozenset((
    "apply_to_modules", "filter_and_map", "freeze", "leaf_modules", "load_weights", "named_modules", "parameters", "save_weights", "set_dtype",
    "trainable_parameters", "unfreeze", "update_modules",
))  # fmt: skip
"""Methods of nn.Module that no class of Python, numpy or the rest of MLX has (tests/test_open_world.py asks them)."""
WORDS: Final = {MODULE: "an nn.Module", OPTIMIZER: "an optimizer"}


class Uses:
    """What uses say of names, once it is found."""

    __slots__ = ("arrays", "attributes", "classes", "dicts", "integers")

    def __init__(self) -> None:
        self.classes: dict[tuple[int, str, int, bool], External | None] = {}
        """The classes of which parameters and variables are instances by their uses, by the function, the name, how far they are followed, and which of the
        two they are."""
        self.attributes: dict[int, dict[str, External]] = {}
        """The classes of which attributes are instances by what the methods of a class do with them, by the class."""
        self.arrays: dict[tuple[int, str, int | None, int], bool] = {}
        """Whether parameters are used as nothing but arrays are, by the same."""
        self.dicts: dict[tuple[int, str, int], bool] = {}
        """Whether they are used as nothing but dicts are."""
        self.integers: dict[tuple[int, str, int], bool] = {}
        """Whether they are used as nothing but integers are."""


class Subject(NamedTuple):
    """How a function says what a parameter holds: by its name, or by the attribute of its own object that keeps it."""

    name: str
    kept: bool


MAX_HANDED: Final = 3
"""Functions through which a parameter is followed that is handed on."""


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
    for call in _calls(i, info, name):
        handed = _handed(i, ref, info, call, name)
        if handed is None or handed.function == ref:
            continue
        for param in handed.params:
            found = by_use(i, handed.function, handed.info, param, depth - 1)
            if found is not None:
                return found
    return None


class Handed(NamedTuple):
    """A function of the program that is given a variable, or the initializer of a class, and the parameters that hold it there."""

    function: Ref
    info: FunctionInfo
    params: list[str]


def _is_local(info: FunctionInfo, node: ir.Expr) -> bool:
    """Whether a dotted name begins with a variable of a function."""
    while isinstance(node, ir.Attr):
        node = node.value
    return isinstance(node, ir.Name) and (node.id in info.node.scope.bound or any(param.name == node.id for param in info.node.params))


def _handed(i: Interpreter, ref: Ref, info: FunctionInfo, call: ir.Call, name: str) -> Handed | None:
    given = _positions(call, name)
    found = callee(i, ref, info, call.func) if given and (_attribute(info, call.func) or not _is_local(info, call.func)) else None
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
    for call in _calls(i, info, star):
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
        found = callee(i, ref, info, call.func) if _attribute(info, call.func) or not _is_local(info, call.func) else None
        its = i.info(found.function.oid).payload if found is not None else None
        if found is None or not isinstance(its, FunctionInfo) or any(param.star == "*" for param in its.node.params):
            continue
        params = [param.name for param in its.node.params[found.bound :] if not param.star and not param.kwonly]
        return Handed(found.function, its, params[len(before) - 1 :])
    return None


def _positions(call: ir.Call, name: str) -> list[tuple[int, str | None]]:
    """Where a call is given a variable: the number of the argument, and its name."""
    return [
        (number, arg.name)
        for number, arg in enumerate(call.args)
        if not arg.star and isinstance(arg.value, ir.Name) and arg.value.id == name
    ]


def _by_own_use(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, *, local: bool) -> External | None:
    """The class of which a parameter, or a variable, is an instance, by what its function does with it, and what the methods do of the object that
    keeps it."""
    own = [(ref, info)]
    asked = {Subject(name, False)}
    cls = i.heap.get(ref.oid, DEFINED_IN)
    if isinstance(cls, Ref) and info.node.params and not isinstance(info.node, ir.Lambda):
        own += [method for method in _methods(i, cls) if method[0] != ref]
        asked |= {Subject(attribute, True) for attribute in i.project.once(info.source).of(keeping, info.node).get(name, ())}
    modules, optimizers = _of_mlx(i, own, name, ref, local=local)
    return MODULE if asked & modules else OPTIMIZER if asked & optimizers else None


def attribute_by_use(i: Interpreter, cls: Ref, name: str) -> External | None:
    """The class of which an attribute that a method sets is an instance, by what the methods of its class do with it. Asked once for a class."""
    known = i.ledger.of(Uses).attributes
    if cls.oid not in known:
        modules, optimizers = _of_mlx(i, [method for base in mro(i, cls) if isinstance(base, Ref) for method in _methods(i, base)])
        known[cls.oid] = {subject.name: OPTIMIZER for subject in sorted(optimizers)} | {subject.name: MODULE for subject in sorted(modules)}
    return known[cls.oid].get(name)


def kept_by_use(i: Interpreter, classes: Sequence[Ref]) -> dict[str, External]:
    """The attributes that methods of some classes use as modules and optimizers, and that none of them sets."""
    methods = [method for cls in classes for method in _methods(i, cls)]
    modules, optimizers = _of_mlx(i, methods)
    put = {name for _, info in methods for name in i.project.once(info.source).of(_set, info.node)}
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
        for call in _calls(i, its, name):
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


def is_array(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, owner: Ref | None = None, depth: int = MAX_HANDED) -> bool:
    """Whether some use of a parameter is one that raises for anything but an array, among all that a compiled function may be given. What a name means
    that is bound anew is asked up to there, the value that it is bound to included. `owner`: the object whose method the function is."""
    known, key = i.ledger.of(Uses).arrays, (ref.oid, name, None if owner is None else owner.oid, depth)
    if key not in known:
        known[key] = False  # what a recursion comes back to
        known[key] = _is_array(i, ref, info, name, owner, depth)
    return known[key]


def _is_array(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, owner: Ref | None, depth: int) -> bool:
    bound = _first_binding(info.node, name)
    for part in _parts(info.node.body, name):
        if bound is not None and part.end > bound:
            continue
        if isinstance(part, ir.Attr):
            if isinstance(part.value, ir.Name) and part.value.id == name and only_of_arrays(part.name, i.table):
                return True
        elif isinstance(part, ir.Bin):
            if part.op == "@" and any(isinstance(side, ir.Name) and side.id == name for side in (part.left, part.right)):
                return True
        elif isinstance(part, ir.Sub):
            if isinstance(part.value, ir.Name) and part.value.id == name and _cuts_axes(part.index):
                return True
        elif isinstance(part, ir.Call) and _takes_array(i, ref, info, part, name, owner, depth):
            return True
    return False


def is_dict(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, depth: int = MAX_HANDED) -> bool:
    """Whether some use of a parameter is one that raises for anything but a dict, among all that a compiled function may be given: an item of a text, a
    method that nothing else has, its entries given as keywords."""
    known, key = i.ledger.of(Uses).dicts, (ref.oid, name, depth)
    if key not in known:
        known[key] = False  # what a recursion comes back to
        known[key] = _is_dict(i, ref, info, name, depth)
    return known[key]


def _is_dict(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, depth: int) -> bool:
    bound = _first_binding(info.node, name)
    if any(_asks_type(i, ref, call, name) for call in _calls(i, info, name)):
        return False
    for part in _parts(info.node.body, name):
        if bound is not None and part.end > bound:
            continue
        if isinstance(part, (ir.Attr, ir.Sub)) and isinstance(part.value, ir.Name) and part.value.id == name:
            if only_of_dicts(part.name) if isinstance(part, ir.Attr) else _is_text(part.index):
                return True
        elif isinstance(part, ir.Arg):
            if part.star == "**" and isinstance(part.value, ir.Name) and part.value.id == name:
                return True
        elif isinstance(part, ir.Call):
            handed = _handed(i, ref, info, part, name) if depth else None
            if handed is not None and any(is_dict(i, handed.function, handed.info, param, depth - 1) for param in handed.params):
                return True
    return False


def is_integer(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, depth: int = MAX_HANDED) -> bool:
    """Whether some use of a parameter of host code is one that raises for anything but an integer: it is a bound of `range`, here, in a method of the object
    that keeps it, or where it is handed on. A parameter that is bound anew, or of which something asks whether it is None or of a type, may be another thing."""
    known, key = i.ledger.of(Uses).integers, (ref.oid, name, depth)
    if key not in known:
        known[key] = False  # what a recursion comes back to
        known[key] = _is_integer(i, ref, info, name, depth)
    return known[key]


def _is_integer(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, depth: int) -> bool:
    if name in info.node.scope.bound or _is_asked(i, ref, info, name):
        return False
    for call in _calls(i, info, name):
        if not _positions(call, name):
            continue
        if _takes_integers(i, ref, call.func):
            return True
        handed = _handed(i, ref, info, call, name) if depth else None
        if handed is not None and any(is_integer(i, handed.function, handed.info, param, depth - 1) for param in handed.params):
            return True
    kept = i.project.once(info.source).of(keeping, info.node).get(name, ())
    cls = i.heap.get(ref.oid, DEFINED_IN) if kept else None
    return isinstance(cls, Ref) and any(_keeps_integer(i, cls, ref, attribute) for attribute in sorted(kept))


def _keeps_integer(i: Interpreter, cls: Ref, setter: Ref, attribute: str) -> bool:
    """Whether the methods of a class use an attribute as an integer, and one alone sets it."""
    methods = list(_methods(i, cls))
    if any(method != setter and attribute in i.project.once(its.source).of(_set, its.node) for method, its in methods):
        return False
    calls = [(method, its, call) for method, its in methods for call in _calls(i, its, "")]
    given = [(m, call) for m, its, call in calls if any(not a.star and _attribute(its, a.value) == attribute for a in call.args)]
    return any(_takes_integers(i, method, call.func) for method, call in given)


def _takes_integers(i: Interpreter, ref: Ref, function: ir.Expr) -> bool:
    """Whether all arguments of a function of a library are integers."""
    found = dotted(i, ref, function)
    name = (
        f"builtins.{function.id}" if found is None and isinstance(function, ir.Name) else found.name if isinstance(found, External) else ""
    )
    described = model(name) if name else None
    return described is not None and bool(described.array) and all(use.word == "index" for use in described.array or ())


def _is_asked(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> bool:
    """Whether something asks of a parameter whether it is None, or of which type it is."""
    if any(_asks_type(i, ref, call, name) for call in _calls(i, info, name)):
        return True
    tests = (
        part for part in _parts(info.node.body, name) if isinstance(part, ir.Compare) and any(op in ("is", "is not") for op in part.ops)
    )
    return any(isinstance(side, ir.Name) and side.id == name for part in tests for side in (part.left, *part.rights))


def _asks_type(i: Interpreter, ref: Ref, call: ir.Call, name: str) -> bool:
    """Whether a call asks of which type a parameter is: what is done with it is done with one of several."""
    is_builtin = isinstance(call.func, ir.Name) and call.func.id == "isinstance" and dotted(i, ref, call.func) is None
    return is_builtin and (0, None) in _positions(call, name)


def _is_text(index: ir.Expr) -> bool:
    """Whether an index is a text."""
    return isinstance(index, ir.FString) or isinstance(index, ir.Const) and isinstance(index.value, str)


def attributes_of(node: ir.FuncDef | ir.Lambda, name: str) -> set[str]:
    """The attributes that a body reads of what a name holds."""
    return {
        part.name
        for part in _parts(node.body, name)
        if isinstance(part, ir.Attr) and isinstance(part.value, ir.Name) and part.value.id == name
    }


def _cuts_axes(index: ir.Expr) -> bool:
    """Whether an index has a slice for one of several axes: a list or text raises for it, and no key of a dict holds a slice."""
    return isinstance(index, ir.Seq) and any(isinstance(item, ir.Slice) for item in index.items)


def _first_binding(node: ir.FuncDef | ir.Lambda, name: str) -> int | None:
    """Where the statement ends that binds a parameter anew whatever is true, the first in the text; None if none does."""
    if name not in node.scope.bound or isinstance(node, ir.Lambda):
        return None
    ends = [
        part.end
        for part in node.body
        if isinstance(part, ir.Assign) and any(isinstance(target, ir.Name) and target.id == name for target in _parts(part.targets))
    ]
    return min(ends, default=None)


def _takes_array(i: Interpreter, ref: Ref, info: FunctionInfo, call: ir.Call, name: str, owner: Ref | None, depth: int) -> bool:
    """Whether a call hands a parameter on to what takes nothing but an array."""
    given = _positions(call, name)
    callee = named(i, ref, call.func) if given else None
    if isinstance(callee, External):
        arrays = array_parameters().get(callee.name, {})
        return any(keyword in arrays if keyword else number in arrays.values() for number, keyword in given)
    its_own = _attribute(info, call.func) if given and owner is not None else ""
    if its_own and owner is not None and (0, None) in given and is_layer(i, i.heap.get(owner.oid, its_own) or NONE):
        return True
    handed = _handed(i, ref, info, call, name) if depth else None
    return handed is not None and any(
        is_array(i, handed.function, handed.info, param, owner if its_own else None, depth - 1) for param in handed.params
    )


def _attribute(info: FunctionInfo, node: ir.Expr) -> str:
    """The name of an attribute of the own object of a method; "" of anything else."""
    params = info.node.params
    own = isinstance(node, ir.Attr) and isinstance(node.value, ir.Name) and bool(params) and node.value.id == params[0].name
    return node.name if own and isinstance(node, ir.Attr) else ""


def is_layer(i: Interpreter, value: Value) -> bool:
    """Whether something is a layer of MLX, each of which takes arrays."""
    cls = i.heap.get(value.oid, CLASS) if isinstance(value, Ref) and i.info(value.oid).kind == "instance" else None
    return isinstance(cls, External) and cls.name.startswith("mlx.nn.") and not has_trait(cls.name, "calls what it holds")


def _methods(i: Interpreter, cls: Ref) -> Iterator[tuple[Ref, FunctionInfo]]:
    """The methods that a class defines."""
    for value in i.heap.fields(cls.oid).values():
        for member in members(value):
            if isinstance(member, Ref) and isinstance(info := i.info(member.oid).payload, FunctionInfo):
                yield member, info


def keeping(node: ir.FuncDef | ir.Lambda) -> dict[str, set[str]]:
    """The attributes of its own object that a method sets to what a name holds, by name."""
    kept: dict[str, set[str]] = {}
    if isinstance(node, ir.Lambda) or not node.params:
        return kept
    for part in _parts(node.body):
        if not isinstance(part, ir.Assign) or part.value is None:
            continue
        for target, name in _kept_in(part.targets, part.value):
            if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == node.params[0].name:
                kept.setdefault(name, set()).add(target.name)
    return kept


def _kept_in(targets: Sequence[ir.Expr], value: ir.Expr) -> Iterator[tuple[ir.Expr, str]]:
    """The targets of an assignment with the names that each may be given: of a display each item by itself."""
    for target in targets:
        items = target.items if isinstance(target, ir.Seq) else ()
        shown = value.items if isinstance(value, ir.Seq) else ()
        if items and len(items) == len(shown) and not any(isinstance(part, ir.Starred) for part in (*items, *shown)):
            for inner, part in zip(items, shown):
                yield from _kept_in((inner,), part)
        else:
            yield from ((target, name) for name in _names(value))


def _names(value: ir.Expr) -> Iterator[str]:
    """The names that an expression may give as they are: `x`, `x or made()`, `load(x) if isinstance(x, str) else x`."""
    if isinstance(value, ir.Name):
        yield value.id
    elif isinstance(value, ir.IfExp):
        yield from (*_names(value.body), *_names(value.orelse))
    elif isinstance(value, ir.BoolOp):
        yield from (*_names(value.left), *_names(value.right))


def _set(node: ir.FuncDef | ir.Lambda) -> frozenset[str]:
    """The attributes of its own object that a method sets."""
    assigned = [part for part in _parts(node.body) if isinstance(part, ir.Assign)] if node.params else []
    return frozenset(
        target.name
        for part in assigned
        for target in _parts(part.targets)
        if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == node.params[0].name
    )


def _bound_anew(node: ir.FuncDef | ir.Lambda) -> frozenset[str]:
    """The attributes of its own object that a method binds, and not only what lies in them."""
    first = node.params[0].name if node.params else None
    todo = [target for part in _parts(node.body) if isinstance(part, ir.Assign) for target in part.targets]
    found: set[str] = set()
    while todo:
        target = todo.pop()
        if isinstance(target, ir.Seq):
            todo += target.items
        elif isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == first:
            found.add(target.name)
    return frozenset(found)


def set_by_methods(i: Interpreter, cls: Ref) -> frozenset[str]:
    """The attributes of its own object that some method of a class sets."""
    return frozenset[str]().union(*(i.project.once(its.source).of(_set, its.node) for _, its in _methods(i, cls)))


def _subjects(info: FunctionInfo, value: ir.Expr, own: bool, kept: Mapping[str, Collection[str]], local: str = "") -> set[Subject]:
    """What an expression in a method names: a parameter (if the method is the one that is asked about), the attributes that keep it, an attribute.
    `kept`: those attributes, by the name of what they keep; `local`: a variable that is asked about."""
    first = info.node.params[0].name if info.node.params else None
    if isinstance(value, ir.Name) and (value.id not in info.node.scope.bound or own and value.id == local):
        return {Subject(attribute, True) for attribute in kept.get(value.id, ())} | ({Subject(value.id, False)} if own else set())
    if isinstance(value, ir.Attr) and isinstance(value.value, ir.Name) and value.value.id == first:
        return {Subject(value.name, True)}
    return set()


def _calls(i: Interpreter, info: FunctionInfo, name: str) -> tuple[ir.Call, ...]:
    """The calls in a function and in those within it, but for those within in which the name of the parameter means something else."""
    once = i.project.once(info.source)
    return once.of(_calls_with, info.node, name if name in once.of(_bound_within, info.node) else "")


def _calls_with(node: ir.FuncDef | ir.Lambda, name: str) -> tuple[ir.Call, ...]:
    return tuple(part for part in _parts(node.body, name) if isinstance(part, ir.Call))


def _bound_within(node: ir.FuncDef | ir.Lambda) -> frozenset[str]:
    """The names that functions within a function bind."""
    inner = [part for part in _parts(node.body) if isinstance(part, (ir.FuncDef, ir.Lambda))]
    return frozenset(name for part in inner for name in (*part.scope.bound, *(param.name for param in part.params)))


def _parts(node: object, name: str = "") -> Iterator[ir.Node]:
    todo: list[object] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, (ir.FuncDef, ir.Lambda)) and (name in part.scope.bound or any(param.name == name for param in part.params)):
            continue
        if isinstance(part, ir.Node):
            yield part
            todo += part.inner()
        elif isinstance(part, (tuple, list)):
            todo += part


def calls_of(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> list[ir.Call]:
    """The calls of what a parameter holds, in the function, and by the methods of the object that keeps it."""
    found = [call for call in _calls(i, info, name) if isinstance(call.func, ir.Name) and call.func.id == name]
    cls = i.heap.get(ref.oid, DEFINED_IN)
    if isinstance(cls, Ref) and info.node.params and not isinstance(info.node, ir.Lambda):
        kept = i.project.once(info.source).of(keeping, info.node).get(name, ())
        for _, method in _methods(i, cls):
            found += [call for call in _calls(i, method, "") if _attribute(method, call.func) in kept]
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
        look(_parts(info.node.body, name), lambda node: isinstance(node, ir.Name) and node.id == name)
    cls = i.heap.get(ref.oid, DEFINED_IN)
    kept = i.project.once(info.source).of(keeping, info.node).get(name, ())
    if isinstance(cls, Ref) and kept:
        for method, its in _methods(i, cls):
            if method != ref and not kept.isdisjoint(i.project.once(its.source).of(_bound_anew, its.node)):
                return [], set()  # something else may lie there
            look(_parts(its.node.body), partial(_is_kept, its, kept))
    return calls, names


def _is_kept(info: FunctionInfo, kept: Collection[str], node: ir.Expr) -> bool:
    """Whether an expression is one of some attributes of the own object of a method."""
    return _attribute(info, node) in kept


def is_traced(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> bool:
    """Whether a function hands a parameter to `mx.compile`, or to what traces as that does."""
    calls = (call for call in _calls(i, info, name) if (0, None) in _positions(call, name))
    return any(isinstance(found := named(i, ref, call.func), External) and found.name in i.tracers for call in calls)


__all__ = [
    "MODULE",
    "OPTIMIZER",
    "WORDS",
    "asked_of",
    "attribute_by_use",
    "attributes_of",
    "bound_by_use",
    "by_use",
    "calls_of",
    "is_array",
    "is_dict",
    "is_integer",
    "is_traced",
    "keeping",
    "kept_by_use",
    "set_by_methods",
    "spread_into",
]
