"""Metaclasses of the program: their `__new__` and `__init__` get the name, the bases and the namespace of a class statement."""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import NONE, UNBOUND, Const, External, Ref, Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.containers.builders import put
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects.lookup import BASES, METACLASS, bind, class_attribute
from mxlint.interpreter.objects.type_tests import instance_of
from mxlint.syntax import ir

MAKING: Final = ("#", "making")
"""Of a metaclass: the class whose statement it is called for, with its body done."""


def inherited(i: Interpreter, bases: tuple[Value, ...]) -> Value | None:
    """The metaclass that a class has from its bases."""
    found = (i.heap.get(base.oid, METACLASS) for base in bases if isinstance(base, Ref))
    return next((meta for meta in found if meta is not None), None)


def made(i: Interpreter, cls: Ref, bases: tuple[Value, ...], options: Arguments, node: ir.ClassDef, place: Place, frame: Frame) -> Value:
    """The value of a class statement whose body has run: what `__new__` and `__init__` of its metaclass make of it."""
    meta = i.heap.get(cls.oid, METACLASS)
    maker = _own(i, meta, "__new__")
    initializer = _own(i, meta, "__init__")
    if not isinstance(meta, Ref) or maker is None and initializer is None:
        finish(i, cls, options, place, frame)
        return cls
    namespace = i.allocate("dict", None, place, "namespace")
    for field, held in list(i.heap.fields(cls.oid).items()):
        if isinstance(field, str) and field != "__name__":
            put(i, namespace, Const(field), held)
    given = (Const(node.name), Tuple(bases), Ref(namespace))
    value: Value = cls
    if maker is None:
        finish(i, cls, options, place, frame)
    else:
        i.heap.set(meta.oid, MAKING, cls)
        value = i.call(_plain(i, maker), Arguments((meta, *given), options.keywords, places=(place,) * 4), place, frame)
        i.heap.set(meta.oid, MAKING, UNBOUND)
    if initializer is not None and isinstance(value, Ref) and instance_of(i, value, meta) is not False:
        i.call(bind(i, initializer, value, meta, place, frame), Arguments(given, options.keywords, places=(place,) * 3), place, frame)
    return value


def finish(i: Interpreter, cls: Ref, options: Arguments, place: Place, frame: Frame) -> None:
    """What `type.__new__` does with a class that is there: names are told to what lies under them, bases of their new subclass."""
    bases = i.heap.get(cls.oid, BASES)
    listed = bases.items or () if isinstance(bases, Tuple) else ()
    i.operations.external(i, "#class_made", Arguments((cls, *listed), options.keywords, places=(place,)), place, frame)


def _own(i: Interpreter, meta: Value | None, name: str) -> Value | None:
    """A method of a metaclass that the program defines."""
    found = class_attribute(i, meta, name) if isinstance(meta, Ref) else None
    return None if isinstance(found, External) else found


def _plain(i: Interpreter, function: Value) -> Value:
    """The function of a static method, as `__new__` is one with and without the decorator."""
    if isinstance(function, Ref) and i.info(function.oid).kind == "descriptor":
        return i.heap.get(function.oid, "fget") or UNBOUND
    return function


def _type_new(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`type.__new__(meta, name, bases, namespace)`: the class whose statement runs, with what the metaclass has made of its namespace; any other is made."""
    meta = args.args[0] if args.args else UNBOUND
    cls = i.heap.get(meta.oid, MAKING) if isinstance(meta, Ref) else None
    if not isinstance(cls, Ref) or len(args.args) != 4:
        return i.operations.external(i, "builtins.type", Arguments(args.args[1:], args.keywords, places=args.places[1:]), place, frame)
    _, _, bases, namespace = args.args
    i.heap.set(meta.oid, MAKING, UNBOUND)  # type: ignore[union-attr]
    if isinstance(bases, Tuple):
        i.heap.set(cls.oid, BASES, bases)
    if isinstance(namespace, Ref):
        entries = {str(key.value): value for key, value in i.heap.entries(namespace.oid) if isinstance(key, Const)}
        for field in [field for field in i.heap.fields(cls.oid) if isinstance(field, str) and field != "__name__" and field not in entries]:
            i.heap.set(cls.oid, field, UNBOUND)
        for field, value in entries.items():
            if i.heap.get(cls.oid, field) != value:
                i.operations.written(i, cls.oid, field, value, place, frame)
                i.heap.set(cls.oid, field, value)
    finish(i, cls, Arguments((), args.keywords), place, frame)
    return cls


HANDLERS: Final[dict[str, Handler]] = {
    "builtins.type.__new__": _type_new,
    "builtins.type.__init__": lambda i, args, place, frame: NONE,
    "builtins.type.__prepare__": lambda i, args, place, frame: Ref(i.allocate("dict", None, place, "prepared")),
}
