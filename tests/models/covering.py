"""Whether a type of the models' language covers a real value, given what the call was made with."""

from __future__ import annotations

import collections.abc
import inspect
import types
from collections.abc import Iterable, Mapping
from typing import Any

from mxlint.models import evaluate, load
from mxlint.models.expression import Type, members
from mxlint.models.schema import Model, Signature

SCALARS = {"bool": bool, "int": int, "float": float, "complex": complex, "str": str, "bytes": bytes, "None": type(None)}
CONTAINERS = {"list": list, "set": set, "frozenset": frozenset}
NOTHING = object()


class Call:
    """The arguments of a call by parameter (a tuple for `*p`, a dict for `**p`), and what the callbacks among them returned."""

    def __init__(self, receiver: Any, bound: Mapping[str, Any], variadic: frozenset[str], returned: list[Any]) -> None:
        self.receiver, self.bound, self.variadic, self.returned = receiver, bound, variadic, returned

    def candidates(self, of: Type) -> list[Any] | None:
        """The values that an expression over the arguments may stand for. None: too many to list."""
        if of.kind == "self":
            return [self.receiver]
        if of.kind == "arg":
            if of.name not in self.bound:
                return []
            given = self.bound[of.name]
            return list(given.values() if isinstance(given, dict) else given) if of.name in self.variadic else [given]
        inner = self.candidates(of.args[0])
        if inner is None:
            return None
        try:
            return [part for each in inner for part in self._taken(of, each)]
        except TypeError:
            return None

    def _taken(self, of: Type, each: Any) -> Iterable[Any]:
        if of.kind == "key":
            return list(each) if isinstance(each, Mapping) else []
        if of.kind == "value":
            return list(each.values()) if isinstance(each, Mapping) else []
        if of.kind == "element":
            return list(each) if isinstance(each, collections.abc.Iterable) else []
        if of.kind == "item":
            parts = list(each) if isinstance(each, collections.abc.Iterable) else []
            return parts[int(of.name) : int(of.name) + 1]
        return self.returned if of.kind == "call" else [each]


def covers(of: Type, value: Any, call: Call) -> bool:
    """Whether a value is one that a type stands for."""
    return any(_covers(member, value, call) for member in members(of))


def _covers(of: Type, value: Any, call: Call) -> bool:
    kind = of.kind
    if kind == "any":
        return True
    if kind in SCALARS:
        return type(value) is SCALARS[kind]
    if kind in CONTAINERS:
        return type(value) is CONTAINERS[kind] and all(covers(of.args[0], part, call) for part in value)
    if kind == "dict":
        return type(value) is dict and all(covers(of.args[0], k, call) and covers(of.args[1], v, call) for k, v in value.items())
    if kind == "items":
        return type(value) is tuple and all(covers(of.args[0], part, call) for part in value)
    if kind == "tuple":
        return type(value) is tuple and len(value) == len(of.args) and all(covers(a, v, call) for a, v in zip(of.args, value))
    if kind == "iterator":
        return isinstance(value, collections.abc.Iterator)
    if kind == "function":
        return callable(value)
    if kind == "module":
        return isinstance(value, types.ModuleType)
    if kind == "type":
        return isinstance(value, type)
    if kind == "instance":
        return _is_instance(of, value, call)
    if kind == "class_of":
        return isinstance(value, type)
    found = call.candidates(of)
    if found is None:
        return True
    if kind == "like":
        found = call.candidates(of.args[0])
        return found is None or any(_like(value, each) for each in found)
    if kind == "new":
        return any(isinstance(value, each) for each in found if isinstance(each, type))
    if kind == "call":
        return any(value is each or value == each for each in found)
    return any(value is each or (type(value) is type(each) and (value == each or repr(value) == repr(each))) for each in found)


def _like(value: Any, other: Any) -> bool:
    # Arithmetic makes an int of a bool.
    return type(value) is type(other) or (type(other) is bool and type(value) is int) or isinstance(value, type(other))


def _is_instance(of: Type, value: Any, call: Call) -> bool:
    real = real_object(of.name)
    if not isinstance(real, type) or not isinstance(value, real):
        return False
    if of.args and isinstance(value, (list, tuple, set, dict, collections.deque)):
        parts = [list(value), list(value.values())] if isinstance(value, dict) else [list(value)]
        return all(covers(a, v, call) for a, part in zip(of.args, parts) for v in part)
    return True


def real_object(name: str) -> Any:
    """The object of a canonical name in the running Python, or NOTHING."""
    hidden = {"dict_keys": type({}.keys()), "dict_values": type({}.values()), "dict_items": type({}.items())}
    named = {cls.__name__: cls for cls in vars(types).values() if isinstance(cls, type)} | hidden
    if name.startswith("builtins.") and name.rpartition(".")[2] in named and name.count(".") == 1:
        return named[name.rpartition(".")[2]]
    if load.kind_of(name) == "module":
        return __import__(name, fromlist=["_"])
    found = evaluate._real(name) or evaluate._real(f"_{name}")
    return NOTHING if found is None and name != "builtins.None" else found


def bind(signature: Signature, receiver: Any, arguments: tuple[Any, ...], returned: list[Any]) -> Call:
    """The arguments by parameter, for positional arguments that fit."""
    bound: dict[str, Any] = {}
    rest = list(arguments)
    for parameter in signature.parameters:
        if parameter.kind in ("positional", "either"):
            if rest:
                bound[parameter.name] = rest.pop(0)
            elif parameter.optional and parameter.default is not ...:
                bound[parameter.name] = parameter.default
        elif parameter.kind == "args":
            bound[parameter.name] = tuple(rest)
        elif parameter.kind == "keyword" and parameter.optional:
            bound[parameter.name] = parameter.default
    variadic = frozenset(p.name for p in signature.parameters if p.kind in ("args", "kwargs"))
    return Call(receiver, bound, variadic, returned)


def applies(signature: Signature, arguments: tuple[Any, ...]) -> bool:
    """Whether the arguments are of the types that the signature is for."""
    bound = bind(signature, None, arguments, []).bound
    empty = Call(None, {}, frozenset(), [])
    return all(p.type.kind == "any" or p.name not in bound or covers(p.type, bound[p.name], empty) for p in signature.parameters)


def signature_of(real: Any) -> inspect.Signature | None:
    """What inspect says of a callable's parameters; None where it says nothing."""
    try:
        return inspect.signature(real)
    except (ValueError, TypeError):
        return None


def found(name: str) -> Model:
    """The model of a name, which has one."""
    model = load.model(name)
    assert model is not None, name
    return model
