"""Calls of what is not of the program: code where data cannot say it, then MLX, then the models of libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Bound,
    Const,
    External,
    Kind,
    Member,
    Ref,
    Tuple,
    Unbound,
    Value,
    members,
)
from mxlint.domain.place import Place
from mxlint.interpreter import builtin, commandline, containers, elements, generators, library, lookup, modules, sending, streams
from mxlint.interpreter.arguments import Arguments
from mxlint.interpreter.arity import completed
from mxlint.interpreter.calls import called_back
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.frames import Frame
from mxlint.models.load import importers, model

Handler = Callable[[Interpreter, Arguments, Place, Frame], Value]


def external(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call something by its canonical name."""
    if not name.startswith("#"):
        args = completed(i, name, args, place)
    handler = (
        _INTERNAL.get(name)
        or builtin.HANDLERS.get(name)
        or commandline.HANDLERS.get(name)
        or generators.AWAITABLES.get(name)
        or streams.HANDLERS.get(name)
    )
    if handler is not None:
        library.numbers_asked(i, name, args, place, frame)
        return handler(i, args, place, frame)
    if name.startswith("#"):
        if name.startswith("#iterator."):
            return _iterator_method(i, name.rpartition(".")[2], args, place, frame)
        return UNBOUND
    method = containers.METHODS.get(name)
    if method is not None and args.args:
        library.numbers_asked(i, name, args, place, frame)
        return _container_method(i, name, method, args, place, frame)
    if name.startswith("mlx.") or name in i.wrappers:
        i.may_raise()
        found = i.mlx.call(i, name, args, place, frame)
        if found is not None:
            return found
    if name in importers():
        return _import(i, name, args, place, frame)
    modelled = library.call_model(i, name, args, place, frame)
    if modelled is not None:
        return modelled
    if name.endswith(".__init__"):
        return NONE
    i.mlx.handed(i, args.values, place, frame)
    for value in args.values:
        for member in members(value):
            if isinstance(member, Ref) and i.info(member.oid).kind == "function":
                called_back(i, member, place, frame)
    i.may_raise()
    return i.symbolic(place, name)


def _container_method(i: Interpreter, name: str, method: containers.Method, args: Arguments, place: Place, frame: Frame) -> Value:
    owners = args.args[0]
    rest = Arguments(args.args[1:], args.keywords, args.star, args.kwstar, args.places[1:], args.keyword_places, args.node)

    def one(member: Member) -> Value:
        if isinstance(member, Ref):
            return method(i, member, rest, place, frame)
        return library.call_model(i, name, Arguments((member, *rest.args), rest.keywords, places=args.places), place, frame) or i.symbolic(
            place, name
        )

    return i.split(owners, one)


def _iterator_method(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value:
    owner = args.args[0]
    if name == "send" and isinstance(owner, Ref) and i.info(owner.oid).kind == "generator" and len(args.args) > 1 and args.args[1] != NONE:
        return sending.sent(i, owner, args.args[1], place, frame)
    if name == "throw" and isinstance(owner, Ref) and i.info(owner.oid).kind == "generator" and len(args.args) > 1:
        error = args.args[1]
        if isinstance(error, External) or isinstance(error, Ref) and i.info(error.oid).kind == "class":
            error = i.call(error, Arguments(), place, frame)
        return sending.thrown(i, owner, error, place, frame)
    if name in ("__next__", "send"):
        return builtin.HANDLERS["builtins.next"](i, Arguments((owner,), places=(place,)), place, frame)
    if name == "__iter__":
        return owner
    if name == "from_iterable":
        return owner
    return NONE if name in ("close", "throw") else i.symbolic(place, name)


# -- hooks of the interpreter ------------------------------------------------------------------------------------------


def _member(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    owner, name = args.args
    assert isinstance(owner, External) and isinstance(name, Const)
    full = f"{owner.name}.{name.value}"
    submodule = i.project.find(full, 0, frame.source) if not owner.name.startswith(("builtins.", "mlx.")) else None
    if submodule is not None and submodule.source is not None:
        return modules.import_module(i, full, 0, frame, place)
    found = i.mlx.member(i, owner.name, str(name.value), place, frame)
    if found is not None:
        return found
    return library.library_member(i, owner.name, str(name.value), place)


def _submodule(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    owner, name = args.args
    assert isinstance(owner, Ref) and isinstance(name, Const)
    found = modules.submodule(i, owner, str(name.value))
    if isinstance(found, Unbound):
        getter = i.heap.get(owner.oid, "__getattr__")
        if getter is not None:
            return i.call(getter, Arguments((name,), places=(place,)), place, frame)
    return found


def _library_attribute(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """An attribute that the library base of a class gives its instances."""
    owner, cls, name = args.args
    assert isinstance(name, Const)
    found = i.mlx.instance_attribute(i, owner, cls, str(name.value), place, frame)
    if found is not None:
        return found
    base = lookup.library_base(i, cls)
    if base is None:
        return UNBOUND
    if isinstance(owner, Ref) and name.value == "args":
        return i.heap.get(owner.oid, "args") or UNBOUND
    found_method = lookup.library_attribute(i, base, str(name.value))
    if found_method is None:
        return UNBOUND
    assert isinstance(found_method, External)
    described = model(found_method.name)
    if described is not None and described.kind == "attribute":
        made = i.heap.get(owner.oid, ("made with", name.value)) if isinstance(owner, Ref) else None
        return (
            made
            if made is not None
            else library.call_model(i, found_method.name, Arguments((owner,), places=(place,)), place, frame) or UNBOUND
        )
    return Bound(owner, found_method)


def _exception_init(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    for member in members(args.args[0]):
        if isinstance(member, Ref):
            i.heap.set(member.oid, "args", Tuple(args.args[1:]))
    return NONE


def _import(i: Interpreter, importer: str, args: Arguments, place: Place, frame: Frame) -> Value:
    """What imports a module that its first argument names, as `importlib.import_module(name, package)`: each leading dot of the name is one package up from `package`."""
    described = model(importer)
    name, package = (
        args.get(0, described.imports if described is not None else ""),
        args.keywords.get("package") or (args.args[1] if len(args.args) > 1 else None),
    )
    full = name.value if isinstance(name, Const) and isinstance(name.value, str) else None
    if full is not None and full.startswith("."):
        below = full.lstrip(".")
        parts = package.value.split(".") if isinstance(package, Const) and isinstance(package.value, str) else []
        kept = len(parts) - (len(full) - len(below)) + 1
        full = ".".join((*parts[:kept], *filter(None, (below,)))) if parts and kept > 0 else None
    if full is not None:
        return modules.import_module(i, full, 0, frame, place)
    return i.symbolic(place, "module", kinds=frozenset(("module",)))


def _open(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`open(file, mode)`: of a mode for text what gives lines."""
    made = library.call_model(i, "builtins.open", args, place, frame) or NONE
    mode = args.get(1, "mode") or Const("r")
    if not isinstance(mode, Const) or "b" in str(mode.value):
        return made
    text = [m for m in members(made) if isinstance(m, Ref) and i.heap.get(m.oid, ("#", "class")) == External("io.TextIOWrapper")]
    for member in text:
        i.heap.set(member.oid, elements.STORED, Kind("str", "open"))
    return join(text) if text else made


_INTERNAL: Final[dict[str, Handler]] = {
    "builtins.open": _open,
    "#member": _member,
    "#submodule": _submodule,
    "#library_attribute": _library_attribute,
    "#effect": lambda i, args, place, frame: i.mlx.effect(i, args, place, frame),
    "#source": lambda i, args, place, frame: i.mlx.source(i, args, place, frame),
    "#set_item": lambda i, args, place, frame: i.mlx.set_item(i, args, place, frame),
    "#set_member": lambda i, args, place, frame: i.mlx.set_member(i, args, place, frame),
    "#same": lambda i, args, place, frame: args.args[0],
    "builtins.BaseException.__init__": _exception_init,
    "builtins.Exception.__init__": _exception_init,
}
