"""What a program does with a name, and what that name must therefore hold: read from its code and from the signatures of MLX, never from its spelling."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import mlx.core as mx

from .paths import attribute_path

nn: Any = importlib.import_module("mlx.nn")

CALLS = 3
"""So deep, calls of the program's functions are followed."""
ARRAY_USES = frozenset(name for name in dir(mx.array) if not name.startswith("_"))
OF_MODULES = frozenset(name for name in dir(nn.Module) if not name.startswith("_")) - frozenset(dir(dict))
METHODS_OF_TEXTS = frozenset(name for name in dir(str) if not name.startswith("_"))


@dataclass(slots=True)
class Uses:
    """What is done with one name. `kinds`: what it must or may be, the surest first; `ranks`: of an array whose shape is unpacked;
    `items`: how many it is unpacked into."""

    attributes: dict[str, None] = field(default_factory=dict)
    kinds: dict[str, None] = field(default_factory=dict)
    texts: dict[str, None] = field(default_factory=dict)
    numbers: dict[float, None] = field(default_factory=dict)
    called: bool = False
    results: int = 1
    ranks: dict[int, None] = field(default_factory=dict)
    items: int | None = None

    def add(self, *kinds: str) -> None:
        self.kinds.update(dict.fromkeys(kinds))


OF_TYPES: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (frozenset({"array", "int"}), ("whole", "int")),
    (frozenset({"array"}), ("array",)),
    (frozenset({"Sequence"}), ("shape", "int")),
    (frozenset({"int"}), ("int",)),
    (frozenset({"float"}), ("float",)),
    (frozenset({"bool"}), ("bool",)),
    (frozenset({"Dtype"}), ("dtype",)),
    (frozenset({"Module"}), ("module",)),
    (frozenset({"Callable"}), ("function",)),
    (frozenset({"None"}), ("None",)),
)
"""What the words of a type say: the first whose words are all there, and none of `scalar` or `float` beside `array` and `int`."""


@cache
def signature(function: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The parameters of a function of MLX, with what each takes; empty if its documentation does not say."""
    try:
        found = inspect.signature(function).parameters.values()
        return tuple((item.name, of_type(inspect.formatannotation(item.annotation))) for item in found if item.name != "self")
    except (TypeError, ValueError):
        pass
    head = next(iter((function.__doc__ or "").strip().splitlines()), "").removeprefix("def ")
    _, bracket, rest = head.partition("(")
    parameters = []
    for text in _split(rest) if bracket else ():
        name, _, kind = text.partition(":")
        if name.strip() not in ("/", "*", "self"):
            parameters.append((name.strip().lstrip("*").partition("=")[0], of_type(kind.partition("=")[0])))
    return tuple(parameters)


def _split(text: str) -> Iterator[str]:
    """The parts of a parameter list, up to its end."""
    depth, part = 0, ""
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            yield part
            part = ""
        else:
            part += letter
    if part.strip():
        yield part


def of_type(text: str) -> tuple[str, ...]:
    """The kinds that the text of a type allows."""
    words = frozenset("".join(letter if letter.isalnum() or letter == "_" else " " for letter in text).split())
    if "scalar" in words or {"array", "float"} <= words:
        return ("array", "float")
    return next((kinds for needed, kinds in OF_TYPES if needed <= words), ())


def uses(
    node: ast.AST,
    known: Mapping[str, Any],
    function_of: Callable[[Any], ast.AST | None],
    depth: int = 0,
    done: dict[int, dict[str, Uses]] | None = None,
) -> dict[str, Uses]:
    """What is done in a piece of code with each name and each chain of attributes. `known`: what its global names hold; `function_of`: the
    code of a function of the program."""
    found: dict[str, Uses] = {}
    inner = {} if done is None else done

    def of(part: ast.AST) -> Uses | None:
        path = attribute_path(part)
        return found.setdefault(".".join(path), Uses()) if path else None

    for part in ast.walk(node):
        _USES.get(type(part), _nothing)(part, of)
        if isinstance(part, ast.Call):
            _given(part, of, known, function_of, depth, inner)
    return found


Of = Callable[[ast.AST], "Uses | None"]


def _nothing(node: ast.AST, of: Of) -> None:
    pass


def _attribute(node: ast.Attribute, of: Of) -> None:
    if (owner := of(node.value)) is not None:
        owner.attributes[node.attr] = None


def _subscript(node: ast.Subscript, of: Of) -> None:
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str) and (owner := of(node.value)) is not None:
        owner.attributes[node.slice.value] = None
    for index in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
        if isinstance(index, ast.Slice):
            for bound in (index.lower, index.upper, index.step):
                if bound is not None:
                    for name in _terms(bound):
                        _add(of(name), "int")
        else:
            _add(of(index), "whole", "int")


def _terms(node: ast.AST) -> Iterator[ast.AST]:
    """What a sum or product of integers is made of."""
    if isinstance(node, ast.BinOp):
        yield from _terms(node.left)
        yield from _terms(node.right)
    elif isinstance(node, ast.UnaryOp):
        yield from _terms(node.operand)
    else:
        yield node


def _compare(node: ast.Compare, of: Of) -> None:
    sides = [node.left, *node.comparators]
    for side in sides:
        for value in side.elts if isinstance(side, (ast.Tuple, ast.List, ast.Set)) else [side]:
            if isinstance(value, ast.Constant):
                for other in sides:
                    if (owner := of(other)) is not None:
                        if isinstance(value.value, str):
                            owner.texts[value.value] = None
                        elif value.value is None:
                            owner.add("None")
                        elif isinstance(value.value, (int, float)) and not isinstance(value.value, bool):
                            owner.numbers[value.value] = None


def _test(node: ast.If | ast.IfExp | ast.While | ast.Assert, of: Of) -> None:
    for part in _conditions(node.test):
        _add(of(part), "bool")


def _conditions(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _conditions(value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _conditions(node.operand)
    else:
        yield node


def _for(node: ast.For | ast.comprehension, of: Of) -> None:
    _add(of(node.iter), "items")
    if isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id in ("enumerate", "zip", "reversed"):
        for argument in node.iter.args:
            _add(of(argument), "items")


def _assign(node: ast.Assign, of: Of) -> None:
    target = node.targets[0]
    if not isinstance(target, (ast.Tuple, ast.List)) or any(isinstance(item, ast.Starred) for item in target.elts):
        return
    count = len(target.elts)
    value = node.value
    if isinstance(value, ast.Attribute) and value.attr == "shape" and (owner := of(value.value)) is not None:
        owner.ranks[count] = None
    elif isinstance(value, ast.Call) and (owner := of(value.func)) is not None:
        owner.results = max(owner.results, count)
    elif (owner := of(value)) is not None:
        owner.items = count
        owner.add("items")


def _add(owner: Uses | None, *kinds: str) -> None:
    if owner is not None:
        owner.add(*kinds)


_USES: Mapping[type[ast.AST], Callable[[Any, Of], None]] = {
    ast.Attribute: _attribute, ast.Subscript: _subscript, ast.Compare: _compare, ast.Assign: _assign, ast.For: _for, ast.comprehension: _for,
    ast.If: _test, ast.IfExp: _test, ast.While: _test, ast.Assert: _test,
}  # fmt: skip


def _given(
    node: ast.Call,
    of: Of,
    known: Mapping[str, Any],
    function_of: Callable[[Any], ast.AST | None],
    depth: int,
    done: dict[int, dict[str, Uses]],
) -> None:
    """What a call says of what is called, and of its arguments."""
    owner = of(node.func)
    if owner is not None:
        owner.called = True
    if isinstance(node.func, ast.Attribute):
        _method(node, of)
    if isinstance(node.func, ast.Name) and node.func.id == "range":
        for argument in node.args:
            for name in _terms(argument):
                _add(of(name), "int")
    function = _value(node.func, known)
    if function is None:
        return
    bound = isinstance(function, nn.Module)
    function = type(function).__call__ if bound else function
    inside = function_of(function)
    if inside is not None and depth < CALLS:
        names = [argument.arg for argument in getattr(inside, "args").args]  # noqa: B009 - lambdas and functions have it
        names = names[1:] if bound else names
        if id(inside) not in done:
            done[id(inside)] = {}  # a call of itself says nothing new
            done[id(inside)] = uses(inside, getattr(function, "__globals__", {}), function_of, depth + 1, done)
        deeper = done[id(inside)]
        for word, argument in _pairs(node, names):
            if (target := of(argument)) is not None and word in deeper:
                merge(target, deeper[word])
    elif inside is None and isinstance(function, Hashable) and str(getattr(function, "__module__", "")).startswith("mlx"):
        parameters = dict(signature(function))
        for word, argument in _pairs(node, list(parameters)):
            _add(of(argument), *parameters.get(word, ()))
            if isinstance(argument, (ast.Tuple, ast.List)) and "shape" in parameters.get(word, ()):
                for item in argument.elts:
                    for term in _terms(item):
                        _add(of(term), "int")


def _pairs(node: ast.Call, names: list[str]) -> Iterator[tuple[str, ast.expr]]:
    yield from zip(names, node.args)
    for keyword in node.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value


OF_METHODS: Mapping[str, tuple[str, ...]] = {"reshape": ("int",), "transpose": ("int",), "astype": ("dtype",)}
"""What methods of arrays take whose documentation only says that they take anything."""


def _method(node: ast.Call, of: Of) -> None:
    function = node.func
    assert isinstance(function, ast.Attribute)
    owner = of(function.value)
    if function.attr in ("update", "apply_gradients") and len(node.args) == 2:
        _add(owner, "optimizer")
        _add(of(node.args[0]), "module")
    if function.attr in ARRAY_USES:
        parameters = dict(signature(getattr(mx.array, function.attr)))
        for name, argument in _pairs(node, list(parameters)):
            kinds = parameters.get(name, ()) or OF_METHODS.get(function.attr, ())
            for item in argument.elts if isinstance(argument, (ast.Tuple, ast.List)) else [argument]:
                for term in _terms(item) if "int" in kinds or "shape" in kinds else [item]:
                    _add(of(term), *kinds)


def _value(node: ast.AST, known: Mapping[str, Any]) -> Any:
    """What a chain of names holds now."""
    path = attribute_path(node)
    value = known.get(path[0]) if path else None
    for name in path[1:]:
        value = getattr(value, name, None)
    return value


def merge(target: Uses, other: Uses) -> None:
    """Add the uses of one name to those of another."""
    target.attributes.update(other.attributes)
    target.kinds.update(other.kinds)
    target.texts.update(other.texts)
    target.numbers.update(other.numbers)
    target.called |= other.called
    target.results = max(target.results, other.results)
    target.ranks.update(other.ranks)
    target.items = target.items or other.items


def kind_of(found: Uses) -> str | None:
    """Which part of a program a name must hold: a module, an optimizer, a function, settings; None for an array, a number or what cannot be told."""
    of_modules = OF_MODULES & found.attributes.keys()
    if "optimizer" in found.kinds:
        return "optimizer"
    if "module" in found.kinds or of_modules - ARRAY_USES:
        return "module"
    rest = found.attributes.keys() - ARRAY_USES
    if found.called:
        return "module" if rest else "function"
    if "function" in found.kinds:
        return "function"
    return "settings" if rest and not rest <= METHODS_OF_TEXTS else None
