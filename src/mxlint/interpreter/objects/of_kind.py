"""Attributes of the objects that Python itself makes, by kind: `function.__name__`, `module.name`, `partial.func`, `iterator.__next__`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from mxlint.domain.members import NONE, Bound, Const, External, Ref, Tuple, Unbound, Value
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import portions
from mxlint.interpreter.containers.builders import put
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.lookup import library_attribute, module_frame, read_missing
from mxlint.interpreter.objects.type_tests import builtin_type
from mxlint.syntax import ir

Own: TypeAlias = "Callable[[Interpreter, Ref, str, Place], Value | None]"
"""What an object of a kind has under a name that its fields do not hold; None: what its class gives."""

ITERATOR_METHODS: Final = frozenset(
    (
        "__next__", "__iter__", "__anext__", "__aiter__", "__await__", "send", "throw", "close", "asend", "athrow", "aclose", "from_iterable",
    )
)  # fmt: skip
"""What iterators, generators and coroutines can do; anything else of theirs is not followed."""
FUNCTION_ATTRIBUTES: Final = frozenset(
    (
        "__code__", "__globals__", "__closure__", "__annotations__", "__kwdefaults__", "__dict__", "__doc__", "__get__", "__class__",
    )
)  # fmt: skip
"""What functions have, and is not followed."""


def attribute_of_kind(i: Interpreter, owner: Ref, name: str, place: Place, frame: Frame) -> Value:
    """`owner.name` of an object that is no instance, class or super; raises AttributeError where it has none."""
    kind = i.info(owner.oid).kind
    if kind == "module":
        return _of_module(i, owner, name, place, frame)
    value = i.heap.get(owner.oid, name)
    if value is not None and not isinstance(value, Unbound):
        return i.live(portions.found(i, owner.oid, name, value, place, frame))
    own = _OWN.get(kind)
    found = own(i, owner, name, place) if own is not None else None
    return found if found is not None else _of_type(i, owner, kind, name, place, frame)


def _of_module(i: Interpreter, owner: Ref, name: str, place: Place, frame: Frame) -> Value:
    """A name of a module, or a module in a package."""
    value = i.heap.get(owner.oid, name)
    if value is None:
        value = i.operations.missing_name(i, name, module_frame(i, owner), ir.Name(0, 0, name))
    if value is None:
        found = i.operations.external(i, "#submodule", Arguments((owner, Const(name))), place, frame)
        if not isinstance(found, Unbound):
            return found
        read_missing(i, owner, name, place, frame)
        throw_named(i, "builtins.AttributeError", place)
    return i.live(portions.found(i, owner.oid, name, value, place, frame))


def _of_type(i: Interpreter, owner: Ref, kind: str, name: str, place: Place, frame: Frame) -> Value:
    """A method of a type of Python, or what the code of another kind gives."""
    type_name = builtin_type(i, owner)
    if type_name is not None:
        if name == "__class__":
            return External(type_name)
        method = library_attribute(i, type_name, name)
        if method is not None:
            return Bound(owner, method)
        throw_named(i, "builtins.AttributeError", place)
    found = i.operations.external(i, f"#attribute.{kind}", Arguments((owner, Const(name))), place, frame)
    return i.symbolic(place, f".{name}", name) if isinstance(found, Unbound) else found


def _of_function(i: Interpreter, owner: Ref, name: str, place: Place) -> Value:
    info = i.info(owner.oid).payload
    if name == "__defaults__" and isinstance(info, FunctionInfo):
        names = [param.name for param in info.node.params if not param.star and not param.kwonly]
        found = [held for own in names if (held := i.heap.get(owner.oid, ("default", own))) is not None]
        return Tuple(tuple(found)) if found else NONE
    if name == "__call__":
        return owner
    if name in FUNCTION_ATTRIBUTES:
        return i.symbolic(place, name)
    throw_named(i, "builtins.AttributeError", place)


def _of_partial(i: Interpreter, owner: Ref, name: str, place: Place) -> Value | None:
    """`keywords`, a new dict each time; the function and the arguments lie in fields."""
    if name != "keywords":
        return None
    given = Ref(i.allocate("dict", None, place, "keywords"))
    for field, held in list(i.heap.fields(owner.oid).items()):
        if isinstance(field, tuple) and field[0] == "kw":
            put(i, given.oid, Const(field[1]), held)
    return given


def _methods(kind: str, *names: str) -> Own:
    """Methods that the interpreter has code for."""
    return lambda i, owner, name, place: Bound(owner, External(f"#{kind}.{name}")) if name in names else None


def _of_cached(i: Interpreter, owner: Ref, name: str, place: Place) -> Value | None:
    if name in ("cache_info", "cache_parameters"):
        return Bound(owner, External(f"functools._lru_cache_wrapper.{name}"))
    return _methods("cached", "cache_clear")(i, owner, name, place)


def _of_descriptor(i: Interpreter, owner: Ref, name: str, place: Place) -> Value:
    method = _methods("descriptor", "setter", "getter", "deleter")(i, owner, name, place)
    return method if method is not None else i.symbolic(place, name)


def _of_iterator(i: Interpreter, owner: Ref, name: str, place: Place) -> Value:
    return Bound(owner, External(f"#iterator.{name}")) if name in ITERATOR_METHODS else i.symbolic(place, name)


_OWN: Final[Mapping[str, Own]] = {
    "function": _of_function,
    "partial": _of_partial,
    "cached": _of_cached,
    "dispatch": _methods("dispatch", "register", "dispatch"),
    "descriptor": _of_descriptor,
    "iterator": _of_iterator,
    "generator": _of_iterator,
    "coroutine": _of_iterator,
}
"""By the kind of the object."""
