"""The type language of the models: what a call gives, as a tree over its arguments.

A text of the language is a Python expression, and Python's own parser reads it.

    None bool int float complex str bytes     a value of exactly that class
    pathlib.Path  queue.Queue[int]            an instance of a class, or of a subclass; of a generic class with its contents
    numpy.ndarray[numpy.float32, float]       an array with the class of its scalars, and many numbers; with the class alone they may be equal
    list[T] set[T] frozenset[T] iterator[T]   a new container; `list[never]` is empty
    tuple[A, B]  tuple[T, ...]  dict[K, V]
    function  module  type[T]                 something to call; a module; a class whose instances are T
    A | B                                     one of both
    any                                       not known
    never                                     the call does not return
    arg(p)       the very argument p (of `*p`: one of them)
    self         the object that the method is called on
    like(p)      another value of the kind of p
    element(p)   what iterating p gives; the contents of a queue, a future, an awaitable
    key(p) value(p)   of a mapping
    item(p, n)   element n of a tuple
    call(p)      what the callback p returns
    new(p)       an instance of the class p
    class_of(p)  the class of p
    python(p)    the value of Python's own that stands for a scalar of numpy

Inside of the round brackets a bare name is a parameter (or `self`, `cls`); they nest: `element(value(p))`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

SCALARS = frozenset({"None", "bool", "int", "float", "complex", "str", "bytes"})
CONTAINERS = {"list": 1, "set": 1, "frozenset": 1, "iterator": 1, "type": 1, "dict": 2}
"""What has types inside, by their number."""
DERIVED = {"like": 1, "element": 1, "key": 1, "value": 1, "call": 1, "new": 1, "class_of": 1, "python": 1, "item": 2}
"""What is taken from an argument, by the number of operands."""
_WORDS = SCALARS | {"any", "never", "function", "module", "self"}


class Type(NamedTuple):
    """One node. `kind` is a word of the language, `instance`, `union`, `tuple` or `items` (a tuple of any length).

    `name` is the class of an `instance`, the parameter of an `arg`, the number of an `item`.
    """

    kind: str
    args: tuple[Type, ...] = ()
    name: str = ""

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.args))
        if self.kind == "union":
            return " | ".join(map(str, self.args))
        if self.kind == "instance":
            return f"{self.name}[{inside}]" if self.args else self.name
        if self.kind == "items":
            return f"tuple[{inside}, ...]"
        if self.kind == "tuple":
            return f"tuple[{inside or '()'}]"
        if self.kind == "arg":
            return f"arg({self.name})"
        if self.kind in DERIVED:
            # Within the brackets, a parameter stands for itself.
            operand = self.args[0].name if self.args[0].kind == "arg" else str(self.args[0])
            return f"{self.kind}({operand}, {self.name})" if self.kind == "item" else f"{self.kind}({operand})"
        return f"{self.kind}[{inside}]" if self.args else self.kind


ANY, NEVER, SELF, NONE = Type("any"), Type("never"), Type("self"), Type("None")


class TypeSyntaxError(ValueError):
    """A text that is not of the type language."""


def union(types: list[Type]) -> Type:
    """The join of several types: `any` takes in all others, `never` nothing."""
    flat = [part for each in types for part in (each.args if each.kind == "union" else (each,))]
    if ANY in flat:
        return ANY
    distinct = tuple(dict.fromkeys(part for part in flat if part != NEVER))
    return distinct[0] if len(distinct) == 1 else Type("union", distinct) if distinct else NEVER


def members(of: Type) -> tuple[Type, ...]:
    """The members of a union, or the type alone."""
    return of.args if of.kind == "union" else (of,)


def parameters(of: Type) -> Iterator[str]:
    """The names of the parameters that a type speaks of."""
    if of.kind == "arg":
        yield of.name
    for part in of.args:
        yield from parameters(part)


def parse(text: str) -> Type:
    """The tree of a string. Raises TypeSyntaxError."""
    try:
        return of_node(ast.parse(text.strip(), mode="eval").body)
    except SyntaxError as error:
        raise TypeSyntaxError(f"{text!r} is no expression") from error


def of_node(node: ast.expr) -> Type:
    """The tree of a parsed expression that stands for a type."""
    if isinstance(node, ast.Constant) and node.value is None:
        return NONE
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return union([of_node(node.left), of_node(node.right)])
    if isinstance(node, ast.Call):
        return _derived(node)
    if isinstance(node, ast.Subscript):
        return _container(node)
    name = dotted(node)
    if name in _WORDS:
        return Type(name)
    if "." not in name and name not in ("tuple", *CONTAINERS):
        raise TypeSyntaxError(f"{name!r} is no word of the type language; classes are dotted names")
    if "." in name:
        return Type("instance", (), name)
    inside = (ANY,) * CONTAINERS.get(name, 1)
    return Type("items" if name == "tuple" else name, inside)


def dotted(node: ast.expr) -> str:
    """A dotted name. Raises TypeSyntaxError for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    raise TypeSyntaxError(f"{ast.unparse(node)!r} is no dotted name")


def operand(node: ast.expr) -> Type:
    """What stands within round brackets: a parameter by its name, or something taken from one."""
    if isinstance(node, ast.Name):
        return SELF if node.id == "self" else Type("arg", (), node.id)
    return of_node(node)


def _derived(node: ast.Call) -> Type:
    word = node.func.id if isinstance(node.func, ast.Name) else ""
    if word == "arg" and len(node.args) == 1 and isinstance(node.args[0], ast.Name):
        return Type("arg", (), node.args[0].id)
    if DERIVED.get(word) != len(node.args) or node.keywords:
        raise TypeSyntaxError(f"{ast.unparse(node)!r}: no such word, or not its number of operands")
    if word == "item":
        number = node.args[1]
        if not (isinstance(number, ast.Constant) and isinstance(number.value, int)):
            raise TypeSyntaxError(f"{ast.unparse(node)!r}: the number of an item is a constant")
        return Type(word, (operand(node.args[0]),), str(number.value))
    return Type(word, (operand(node.args[0]),))


def _container(node: ast.Subscript) -> Type:
    name = dotted(node.value)
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "tuple":
        if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...:
            return Type("items", (of_node(parts[0]),))
        return Type("tuple", tuple(map(of_node, parts)))
    if "." not in name and CONTAINERS.get(name) != len(parts):
        raise TypeSyntaxError(f"{ast.unparse(node)!r}: no such container, or not its number of types")
    inside = tuple(map(of_node, parts))
    return Type("instance", inside, name) if "." in name else Type(name, inside)
