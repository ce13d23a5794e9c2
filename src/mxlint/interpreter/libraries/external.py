"""Calls of what is not of the program, in this order: a handler in Python, MLX, the model of a library. What has none of these gives something symbolic."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
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
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.interpreter.calls import caches
from mxlint.interpreter.calls.callables import called_back
from mxlint.interpreter.containers import aspects, methods, streams
from mxlint.interpreter.generators import awaiting, sending
from mxlint.interpreter.imports import modules, packages
from mxlint.interpreter.libraries import builtin, commandline, effects, in_place, library, written
from mxlint.interpreter.libraries.arity import completed
from mxlint.interpreter.loops.iteration import collected
from mxlint.interpreter.machine import exceptions
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import STORED
from mxlint.interpreter.objects import keeping, lookup, views
from mxlint.interpreter.open_world import mappings
from mxlint.interpreter.statements import groups, managers
from mxlint.models.load import canonical, importers, model
from mxlint.models.written import SAYS

Handler = Callable[[Interpreter, Arguments, Place, Frame], Value]


def external(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call something by its canonical name."""
    if not name.startswith("#"):
        args = completed(i, name, args, place)
    handler = (
        _INTERNAL.get(name)
        or builtin.HANDLERS.get(name)
        or commandline.HANDLERS.get(name)
        or awaiting.AWAITABLES.get(name)
        or streams.HANDLERS.get(name)
        or groups.HANDLERS.get(name)
        or caches.HANDLERS.get(name)
    )
    if handler is not None:
        effects.numbers_asked(i, name, args, place, frame)
        return handler(i, args, place, frame)
    if name.startswith("#"):
        if name.startswith("#iterator."):
            return _iterator_method(i, name.rpartition(".")[2], args, place, frame)
        return UNBOUND
    method = methods.METHODS.get(name)
    if method is not None and args.args:
        effects.numbers_asked(i, name, args, place, frame)
        return _container_method(i, name, method, args, place, frame)
    if name.startswith("mlx.") or name in i.wrappers:
        aspects.whole(i, Tuple(tuple(args.values)), place, frame)
        if not i.mlx.works(i, name, args):
            i.may_raise()
        found = i.mlx.call(i, name, args, place, frame)
        if found is not None:
            return found
    if name in importers():
        return _import(i, name, args, place, frame)
    made = _by_python(i, name, args, place, frame)
    if made is not None:
        return made
    if not name.startswith("builtins."):
        i.mlx.given(i, args.values)
    modelled = library.call_model(i, name, args, place, frame)
    if modelled is not None:
        return mappings.of_environment(i, name, modelled, args, place, frame)
    if name.endswith(".__init__"):
        return keeping.construct(i, args, place, frame)
    aspects.whole(i, Tuple(tuple(args.values)), place, frame)
    i.mlx.handed(i, args.values, place, frame)
    for value in args.values:
        for member in members(value):
            if isinstance(member, Ref) and i.info(member.oid).kind == "function":
                called_back(i, member, place, frame)
    i.may_raise()
    return i.symbolic(place, name)


def _container_method(i: Interpreter, name: str, method: methods.Method, args: Arguments, place: Place, frame: Frame) -> Value:
    owners = args.args[0]
    rest = Arguments(args.args[1:], args.keywords, args.star, args.kwstar, args.places[1:], args.keyword_places, args.node)

    def one(member: Member) -> Value:
        if isinstance(member, Ref) and (lookup.container(i, member) or name.startswith("builtins.")):
            views.look(i, member.oid)
            with in_place.changed_by_method(i, name, member, rest, place):
                found = method(i, member, rest, place, frame)
            views.changed(i, member.oid, place, frame)
            return found
        given = Arguments((member, *rest.args), rest.keywords, rest.star, rest.kwstar, args.places, args.keyword_places, args.node)
        made = _by_python(i, name, given, place, frame)
        return made or library.call_model(i, name, given, place, frame) or i.symbolic(place, name)

    return i.split(owners, one)


def _by_python(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value | None:
    """Call what is written for a method of a class of a library, as `Mapping.get` of a class that extends it; None if nothing is."""
    owner = args.args[0] if args.args else None
    if not isinstance(owner, Ref) or i.info(owner.oid).kind != "instance":
        return None
    function = written.written_member(i, name, None)
    return i.call(function, args, place, frame) if isinstance(function, Ref) and i.info(function.oid).kind == "function" else None


def _iterator_method(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value:
    owner = args.args[0]
    if name == "send" and isinstance(owner, Ref) and i.info(owner.oid).kind == "generator" and len(args.args) > 1 and args.args[1] != NONE:
        return sending.sent(i, owner, args.args[1], place, frame)
    if name == "throw" and isinstance(owner, Ref) and i.info(owner.oid).kind == "generator" and len(args.args) > 1:
        error = args.args[1]
        if isinstance(error, External) or isinstance(error, Ref) and i.info(error.oid).kind == "class":
            error = i.call(error, Arguments(), place, frame)
        return sending.thrown(i, owner, error, place, frame)
    if name == "close" and isinstance(owner, Ref) and i.info(owner.oid).kind == "generator":
        return sending.closed(i, owner, place, frame)
    if name in ("__next__", "send") and isinstance(owner, Ref) and i.info(owner.oid).kind == "coroutine":
        exceptions.throw_named(i, "builtins.StopIteration", place, awaiting.awaited(i, owner, place, frame))
    if name in ("__anext__", "asend"):
        return awaiting.AWAITABLES["builtins.anext"](i, Arguments((owner,), places=(place,)), place, frame)
    if name in ("__next__", "send"):
        return builtin.HANDLERS["builtins.next"](i, Arguments((owner,), places=(place,)), place, frame)
    if name in ("__iter__", "__aiter__"):
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
    made = written.written_member(i, canonical(full), frame)
    return made if made is not None else library.library_member(i, owner.name, str(name.value), place)


def _submodule(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    owner, name = args.args
    assert isinstance(owner, Ref) and isinstance(name, Const)
    found = packages.submodule(i, owner, str(name.value))
    if isinstance(found, Unbound):
        getter = i.heap.get(owner.oid, "__getattr__")
        if getter is not None:
            return i.call(getter, Arguments((name,), places=(place,)), place, frame)
    return found


_TUPLES: Final = frozenset(("tuple", "items"))


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
        if made is not None and {each.result.kind for each in described.signatures} <= _TUPLES and any(map(scalar_type, members(made))):
            made = None  # a number stands for a tuple, as the 3 of `np.zeros(3)` does for a shape
        return (
            made
            if made is not None
            else library.call_model(i, found_method.name, Arguments((owner,), places=(place,)), place, frame) or UNBOUND
        )
    return Bound(owner, found_method)


def _exception_init(name: str) -> Handler:
    """`super().__init__(…)` in a class of exceptions."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        for member in members(args.args[0]):
            if isinstance(member, Ref):
                exceptions.fill(i, member.oid, name, _given(i, name, args.args[1:], args.star, place, frame))
        return NONE

    return run


def _object_init(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`object.__init__`, which is that of exceptions as well."""
    for member in members(args.args[0]) if args.args else ():
        cls = i.heap.get(member.oid, ("#", "class")) if isinstance(member, Ref) and i.info(member.oid).kind == "instance" else None
        base = lookup.library_base(i, cls) if cls is not None else None
        if isinstance(member, Ref) and base is not None and exceptions.is_exception(base):
            exceptions.fill(i, member.oid, base, _given(i, base, args.args[1:], args.star, place, frame))
        elif isinstance(member, Ref) and cls is not None and (extended := lookup.extended(i, cls)):
            _fill_container(i, member, extended, args, place, frame)
    return NONE


def _fill_container(i: Interpreter, owner: Ref, base: str, args: Arguments, place: Place, frame: Frame) -> None:
    """Put into an object of a class that extends a container what the container's own constructor would hold."""
    given = Arguments(args.args[1:], args.keywords, args.star, args.kwstar, args.places[1:], args.keyword_places, args.node)
    made = i.operations.external(i, base, given, place, frame)
    for field, value in list(i.heap.fields(made.oid).items()) if isinstance(made, Ref) else ():
        if isinstance(field, tuple) and field != ("#", "alive"):
            i.heap.set(owner.oid, field, value)


def _exception(name: str) -> Handler:
    """An exception of a class of Python's own is made."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        made = library.call_model(i, name, args, place, frame) or i.symbolic(place, name)
        for member in members(made):
            if isinstance(member, Ref):
                exceptions.fill(i, member.oid, name, _given(i, name, args.args, args.star, place, frame))
        return made

    return run


def _given(i: Interpreter, name: str, args: Sequence[Value], star: Value | None, place: Place, frame: Frame) -> Tuple:
    """The arguments of an exception; those of a group with the exceptions as a tuple."""
    if isinstance(star, Tuple) and star.items is not None:
        args = (*args, *star.items)
    elif star is not None:
        return Tuple(None, join((*args, star)))
    if name in exceptions.GROUPS and len(args) == 2:
        return Tuple((args[0], collected(i, args[1], place, frame)))
    return Tuple(tuple(args))


_EXCEPTIONS: Final = tuple(f"builtins.{name}" for name in dir(builtins) if exceptions.is_exception(f"builtins.{name}"))


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
        module = modules.import_module(i, full, 0, frame, place)
        # `__import__("a.b")` gives the package `a`, unless a `fromlist` asks for names of `a.b`.
        names = [parameter.name for parameter in described.parameters] if described is not None else []
        top = "fromlist" in names and args.get(3, "fromlist") in (None, NONE, Tuple(()))
        return modules.import_module(i, full.partition(".")[0], 0, frame, place) if top else module
    return i.symbolic(place, "module", kinds=frozenset(("module",)))


def _manager_attribute(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """A method of a context manager that is a generator."""
    owner, name = args.args
    known = isinstance(name, Const) and name.value in ("__enter__", "__exit__")
    return Bound(owner, External(f"#manager.{name.value}")) if known and isinstance(name, Const) else UNBOUND


def _open(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`open(file, mode)`: of a mode for text what gives lines."""
    made = library.call_model(i, "builtins.open", args, place, frame) or NONE
    mode = args.get(1, "mode") or Const("r")
    if not isinstance(mode, Const) or "b" in str(mode.value):
        return made
    text = [m for m in members(made) if isinstance(m, Ref) and i.heap.get(m.oid, ("#", "class")) == External("io.TextIOWrapper")]
    for member in text:
        i.heap.set(member.oid, STORED, Kind("str", "open"))
    return join(text) if text else made


_INTERNAL: Final[dict[str, Handler]] = {
    "builtins.open": _open,
    "#member": _member,
    "#submodule": _submodule,
    "#item sys.modules": modules.loaded,
    "#library_attribute": _library_attribute,
    "#effect": lambda i, args, place, frame: i.mlx.effect(i, args, place, frame),
    "#source": lambda i, args, place, frame: i.mlx.source(i, args, place, frame),
    "#set_item": lambda i, args, place, frame: i.mlx.set_item(i, args, place, frame),
    "#set_member": lambda i, args, place, frame: i.mlx.set_member(i, args, place, frame),
    "#same": lambda i, args, place, frame: args.args[0],
    **{name: _exception(name) for name in _EXCEPTIONS},
    "builtins.object.__init__": _object_init,
    **{f"{name}.__init__": _exception_init(name) for name in _EXCEPTIONS},
    "#attribute.manager": _manager_attribute,
    "#manager.__enter__": lambda i, args, place, frame: managers.enter(i, args.args[0], place, frame),
    "#manager.__exit__": lambda i, args, place, frame: managers.leave(i, args.args[0], args.args[1:], place, frame),
    **{f"{SAYS}.{name}": handler for name, handler in written.HANDLERS.items()},
}
