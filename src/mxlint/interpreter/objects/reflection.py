"""Builtins that ask for types and attributes by value: `isinstance`, `type`, `getattr`, `setattr`, `hasattr`, `super`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Identity
from mxlint.domain.join import bound, join
from mxlint.domain.members import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Bound,
    Const,
    External,
    Kind,
    Member,
    Range,
    Ref,
    Symbolic,
    Tuple,
    Unbound,
    Unknown,
    Value,
    library_class,
    members,
    options,
)
from mxlint.domain.place import Place
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.libraries.commandline import Choices
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter, guarded
from mxlint.interpreter.machine.exceptions import ancestors, answered
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.locations import INSTEAD
from mxlint.interpreter.machine.paths import Path
from mxlint.interpreter.machine.targets import Target
from mxlint.interpreter.objects import replaced_dict, views
from mxlint.interpreter.objects.attributes import read_without_hook
from mxlint.interpreter.objects.hooks import set_by_hook
from mxlint.interpreter.objects.lookup import (
    BASES,
    CLASS,
    METACLASS,
    PLAIN,
    class_attribute,
    class_of,
    fields_of,
    held_by_class,
    library_attribute,
    library_base,
    mro,
    read_missing,
)
from mxlint.interpreter.objects.setting import delete_attribute, delete_without_hook, set_without_hook
from mxlint.interpreter.objects.type_tests import builtin_type, classes_in, instance_of
from mxlint.interpreter.open_world import installed
from mxlint.models.load import constant, kind_of, model


class TakenByName:
    """What `getattr` gives by a name that nobody in sight says: the modules of libraries that it is taken out of, if it is out of such alone."""

    __slots__ = ("owners",)

    def __init__(self) -> None:
        self.owners: dict[Identity, frozenset[str]] = {}


def _isinstance(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    def one(member: Member, cls: Member) -> Value:
        answer = instance_of(i, member, cls)
        if answer is not None:
            return Const(answer)
        if isinstance(member, Symbolic) or any(isinstance(wanted, Symbolic) for wanted in classes_in(i, cls)):
            return i.derived("isinstance", (member, cls), frozenset(("bool",)), place)
        return Kind("bool", "imprecise")

    return i.split(args.args[1], lambda cls: i.split(args.args[0], lambda member: one(member, cls)))


def _issubclass(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    def one(cls: Member, of: Member) -> Value:
        names = ancestors(i, cls)
        wanted = [each.name if isinstance(each, External) else each for each in classes_in(i, of)]
        if any(name in names for name in wanted):
            return TRUE
        are_known = None not in names and all(isinstance(name, (str, Ref)) for name in wanted)
        return FALSE if are_known else Kind("bool", "open")

    return i.split(args.args[1], lambda of: i.split(args.args[0], lambda cls: one(cls, of)))


def _type(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    if len(args.args) == 3:
        name, bases, body = args.args
        oid = i.allocate("class", None, place, label=str(name.value) if isinstance(name, Const) else "type")
        i.heap.infos[oid].payload = FrameInfo("class", None, frame.source, "", frame.module)
        i.heap.set(oid, BASES, bases if isinstance(bases, Tuple) else Tuple(()))
        name_class(i, oid, name, frame)
        if isinstance(body, Ref):
            for key, value in i.heap.entries(body.oid):
                if isinstance(key, Const):
                    i.heap.set(oid, key.value, value)
        return Ref(oid)

    def one(member: Member) -> Value:
        if isinstance(member, Ref):
            kind = i.info(member.oid).kind
            if kind == "instance":
                return i.heap.get(member.oid, CLASS) or Unknown("class")
            if kind == "class":
                return i.heap.get(member.oid, METACLASS) or External("builtins.type")
        if isinstance(member, Array):
            return External("mlx.core.array")
        library = library_class(member)
        if library is not None:
            return External(library)
        if isinstance(member, Tuple) and member.cls is not None:
            return Ref(member.cls)
        name = builtin_type(i, member)
        return External(name) if name is not None else i.derived("type", (member,), frozenset(("class",)), place)

    return i.split(args.args[0], one)


def name_class(i: Interpreter, oid: int, name: Value, frame: Frame) -> None:
    """The names of a class that a call made."""
    i.heap.set(oid, "__name__", name)
    i.heap.set(oid, "__qualname__", name)
    module = i.heap.get(frame.module, "__name__")
    if module is not None:
        i.heap.set(oid, "__module__", module)


def constant_names(value: Value) -> list[str] | None:
    found = [member.value for member in members(value) if isinstance(member, Const) and isinstance(member.value, str)]
    return found if len(found) == len(list(members(value))) else None


def _has(i: Interpreter, member: Member, name: str, place: Place, frame: Frame) -> bool | None:
    """Whether an object has an attribute."""
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        if kind == "instance" and _by_class(i, member, "__getattribute__"):
            return None
        value = replaced_dict.read(i, member, name, place, frame)
        if value is None or isinstance(value, Unbound):
            value = i.heap.get(member.oid, name)
        if value is not None:
            if kind == "instance" and class_attribute(i, i.heap.get(member.oid, CLASS) or UNBOUND, name) is None:
                aspects.ask(i, member.oid, aspects.has(Const(name)), place, frame)
            unbound = [isinstance(m, Unbound) for m in members(value)]
            return True if not any(unbound) else None if not all(unbound) else False
        if kind == "instance":
            cls = i.heap.get(member.oid, CLASS) or Unknown("class")
            if class_attribute(i, cls, name) is not None:
                return True
            library = i.operations.external(
                i, "#library_attribute", Arguments((member, cls, Const(name)), places=(place,) * 3), place, frame
            )
            if not isinstance(library, Unbound):
                return True
            if class_attribute(i, cls, "__getattr__") is not None:
                return None
            read_missing(i, member, name, place, frame)
            return (
                False if all(isinstance(base, Ref) or isinstance(base, External) and base.name in PLAIN for base in mro(i, cls)) else None
            )
        if kind == "class":
            read_missing(i, member, name, place, frame)
            if class_attribute(i, member, name) is not None or library_attribute(i, "builtins.type", name) is not None:
                return True
            return False if library_base(i, member) is None and i.heap.get(member.oid, METACLASS) is None else None
        if kind == "module":
            i.operations.read_through(i, member.oid, name, UNBOUND, place, frame)
            return False
        type_name = builtin_type(i, member)
        return library_attribute(i, type_name, name) is not None if type_name is not None else None
    if isinstance(member, (Symbolic, Unknown)):
        return None
    if isinstance(member, Tuple) and member.cls is not None:
        return (
            name in NAMED
            or class_attribute(i, Ref(member.cls), name) is not None
            or any(name == field for field, _, _ in fields_of(i, Ref(member.cls)))
        )
    if isinstance(member, External):
        full = f"{member.name}.{name}"
        known = model(full) is not None or constant(full) is not None or i.mlx.has(full)
        return True if known else None if kind_of(full) is None else True
    type_name = builtin_type(i, member)
    if isinstance(member, Array):
        return bool(i.mlx.has(f"mlx.core.array.{name}"))
    return library_attribute(i, type_name, name) is not None if type_name is not None else None


NAMED: Final = frozenset(("_fields", "_replace", "_asdict", "_make", *dir(tuple)))
"""What each named tuple has beside its fields."""


def _asks(i: Interpreter, member: Member) -> bool:
    """Whether an object is of a class that answers itself for attributes, or for those that are not there."""
    return isinstance(member, Ref) and (_by_class(i, member, "__getattr__") or _by_class(i, member, "__getattribute__"))


def _by_class(i: Interpreter, member: Ref, method: str) -> bool:
    """Whether the program has written a method for the class of an object."""
    cls = i.heap.get(member.oid, CLASS) if i.info(member.oid).kind == "instance" else None
    return cls is not None and held_by_class(i, cls, method, written=True) is not None


def _answered(i: Interpreter, member: Member, name: str, default: Value, place: Place, frame: Frame, there: Value | None = None) -> Value:
    """What `__getattr__` gives, or `there` in its place, and the default where it raises an AttributeError."""
    after = Target(i.heap.mark())
    with i.leaving() as missing:
        base = i.path
        value: Value | None = None
        with i.trying() as raised:
            value = i.operations.attribute(i, member, name, place, frame)
        here, path = i.heap.cut(raised.mark), i.path
        i.path = base
        if raised.possible:
            i.reach(missing, default)
        answered(i, raised, "builtins.AttributeError", lambda: i.reach(missing, default))
        if value is not None:
            i.heap.apply(here)
            i.path = path
            i.reach(after, value if there is None else there)
    ways: list[tuple[Path, Callable[[], Value]]] = [((), partial(i.arrive, target)) for target in (after, missing) if target.arrived]
    return i.fork(ways)


def _or_default(i: Interpreter, value: Value, default: Value) -> Value | None:
    """What an object holds under a name, and a default on the paths on which it holds nothing; None where no path says so."""
    found = options(i.live(value))
    if not all(option.guard for option in found if isinstance(option.member, Unbound)):
        return None
    return guarded([(default if isinstance(option.member, Unbound) else option.member, option.guard) for option in found])


def _getattr(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    names = constant_names(args.args[1]) if len(args.args) > 1 else None
    listed = i.ledger.of(Choices).values.get(args.args[1].identity) if len(args.args) > 1 and isinstance(args.args[1], Symbolic) else None
    if names is None and listed is not None:
        given = [(name, Arguments((args.args[0], name, *args.args[2:]), places=args.places)) for name in listed]
        return choices.chosen(i, [(name, _getattr(i, one, place, frame)) for name, one in given], args.args[1], place)
    if names is None:
        i.operations.used(i, args.args[0], frame)
        if any(isinstance(m, Unknown) for m in members(args.args[0])):
            return Unknown("getattr")
        made = i.symbolic(place, "getattr")
        owners = members(args.args[0])
        if len(owners) == 1 and isinstance(owners[0], (Ref, Symbolic)):
            installed.taken_out(i, made, owners[0])
        if all(isinstance(member, External) for member in owners):
            i.ledger.of(TakenByName).owners[made.identity] = frozenset(member.name for member in owners if isinstance(member, External))
        found: list[tuple[Member | None, Value]] = [(None, made)]
        for member in members(args.args[0]):
            if isinstance(member, Ref):
                held = ((f, bound(v)) for f, v in i.heap.fields(member.oid).items() if isinstance(f, str))
                found.extend((Const(name), value) for name, value in held if value is not None)
        return choices.chosen(i, found, args.args[1] if len(args.args) > 1 else UNBOUND, place)

    def one(member: Member) -> Value:
        parts: list[Value] = []
        unsure = False
        for name in names:
            has = _has(i, member, name, place, frame) if len(args.args) > 2 else True
            if has is not False:
                if has is None and isinstance(member, (Symbolic, External)):
                    parts.append(i.attribute(member, name, place, frame))
                elif has is None and _asks(i, member):
                    return _answered(i, member, name, args.args[2], place, frame)
                elif has is None:
                    value = i.heap.get(member.oid, name) if isinstance(member, Ref) else None
                    if value is None:
                        parts.append(i.symbolic(place, "getattr", name))
                    elif (known := _or_default(i, value, args.args[2])) is None:
                        parts.append(value)
                    else:
                        parts.append(known)
                        has = True
                else:
                    parts.append(i.operations.attribute(i, member, name, place, frame))
            if has is not True:
                parts.append(args.args[2])
            unsure = unsure or has is None
        there = [held for part in parts if (held := bound(part)) is not None]
        return choices.any_of(i, there, place, "getattr") if unsure else join(there)

    return i.split(args.args[0], one)


def _setattr(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    owner, name, value = args.args[:3]
    names = constant_names(name)
    if names is None:
        _set_some(i, owner, name, value, place, frame)
        return NONE
    for one in names:
        if len(names) == 1:
            i.set_attribute(owner, one, value, place, frame)
        else:
            for member in members(owner):
                if isinstance(member, Ref):
                    present = i.heap.get(member.oid, one)
                    i.heap.set(member.oid, one, join((value, present if present is not None else UNBOUND)))
    return NONE


SOME: Final = "*"
"""Instead of the name of an attribute: one of which the name is not known."""


def _set_some(i: Interpreter, owner: Value, name: Value, value: Value, place: Place, frame: Frame, *, raw: bool = False) -> None:
    """`setattr` with a name that nobody in sight gives: each attribute that is there holds the value, if it is the one of that name. `raw`: that of
    `object`, which asks no class of the program."""
    if choices.cause(name) == "imprecise" or not all(isinstance(member, (Ref, Symbolic)) for member in members(owner)):
        i.imprecise("setattr with a name that is not known", place)
        return
    for member in members(owner):
        if not isinstance(member, Ref) or not raw and set_by_hook(i, member, name, value, place, frame):
            continue
        i.mlx.assigned(i, member.oid, SOME, value, place, frame)
        there = {field: bound(present) for field, present in i.heap.fields(member.oid).items()}
        there = {**dict.fromkeys(_defaults(i, member), UNBOUND), **there}
        for field, present in there.items():
            if present is None or not isinstance(field, str) or not field.isidentifier() or choices.excludes(name, Const(field)):
                continue
            put = partial(_put, i) if raw else i.set_attribute
            put(member, field, choices.chosen(i, [(Const(field), value)], name, place, present), place, frame)


def _defaults(i: Interpreter, member: Ref) -> Iterator[object]:
    """The attributes that classes of the program hold for an object that has none of its own: numbers, texts and other objects that nothing is asked of."""
    cls = class_of(i, member)
    for base in mro(i, cls) if cls is not None and i.info(member.oid).kind == "instance" else ():
        for field, value in i.heap.fields(base.oid).items() if isinstance(base, Ref) else ():
            if all(isinstance(held, (Const, Kind, Range, Array, Symbolic)) for held in members(value)):
                yield field


def _hasattr(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    names = constant_names(args.args[1])

    def one(member: Member) -> Value:
        if names is None or len(names) != 1:
            return Kind("bool", "imprecise")
        answer = _has(i, member, names[0], place, frame)
        if answer is None and _asks(i, member):
            return _answered(i, member, names[0], FALSE, place, frame, TRUE)
        if answer is None:
            return (
                i.derived("hasattr", (member, Const(names[0])), frozenset(("bool",)), place)
                if isinstance(member, Symbolic)
                else Kind("bool", "open")
            )
        return Const(answer)

    return i.split(args.args[0], one)


def _delattr(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    for name in constant_names(args.args[1]) or ():
        for member in members(args.args[0]):
            if isinstance(member, Ref):
                delete_attribute(i, member, name, place, frame)
    return NONE


def _vars(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    if not args.args:
        return i.symbolic(place, "locals")
    given = args.args[0]
    held = i.heap.get(given.oid, INSTEAD) if isinstance(given, Ref) else None
    return held if held is not None else views.view(i, given, place)


def _globals(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return views.view(i, Ref(frame.module), place)


def _super(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("super", None, place)
    if len(args.args) >= 2:
        after, owner = args.args[0], args.args[1]
    else:
        while frame.kind == "comprehension" and frame.caller is not None:
            frame = frame.caller
        cell = _enclosing(i, frame, "__class__")
        owner_value = i.heap.get(frame.oid, frame.first) if frame.first is not None else None
        if owner_value is None:
            outer = _enclosing(i, frame, "self")
            owner_value = outer
        if cell is None or owner_value is None:
            return i.unknown(place, "super() outside of a method")
        after, owner = cell, owner_value
    i.heap.set(oid, "after", after)
    i.heap.set(oid, "owner", owner)
    return Ref(oid)


def _enclosing(i: Interpreter, frame: Frame, name: str) -> Value | None:
    oid: int | None = frame.oid
    while oid is not None:
        value = i.heap.get(oid, name)
        if value is not None:
            return value
        parent = i.heap.get(oid, ("#", "parent"))
        oid = parent.oid if isinstance(parent, Ref) else None
    return None


def _callable(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    def one(member: Member) -> Value:
        if isinstance(member, Symbolic):
            return i.derived("callable", (member,), frozenset(("bool",)), place)
        known = _can_be_called(i, member)
        return Kind("bool", "imprecise" if isinstance(member, Unknown) else "open") if known is None else Const(known)

    return i.split(args.args[0], one)


def is_callable(i: Interpreter, value: Value) -> bool:
    """Whether a value surely can be called."""
    return all(_can_be_called(i, member) is True for member in members(i.live(value)))


def _can_be_called(i: Interpreter, member: Member) -> bool | None:
    """Whether what a value may be can be called; None if that is not known."""
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        if kind != "instance":
            return kind in ("function", "class", "partial", "cached", "compiled", "transform")
        cls = i.heap.get(member.oid, CLASS)
        if cls is not None and class_attribute(i, cls, "__call__") is not None:
            return True
        return False if cls is not None and library_base(i, cls) is None and not isinstance(cls, External) else None
    if isinstance(member, (Symbolic, Unknown)):
        return None
    return isinstance(member, (Bound, External))


def _object_setattr(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    if len(args.args) >= 3:
        names = constant_names(args.args[1])
        if names is None:
            _set_some(i, args.args[0], args.args[1], args.args[2], place, frame, raw=True)
        for name in names or ():
            for member in members(args.args[0]):
                _put(i, member, name, args.args[2], place, frame)
    return NONE


def _put(i: Interpreter, member: Member, name: str, value: Value, place: Place, frame: Frame) -> None:
    """Set an attribute without asking the class of the program."""
    if isinstance(member, Symbolic):
        i.set_attribute(member, name, value, place, frame)
    elif isinstance(member, Ref):
        set_without_hook(i, member, name, value, place, frame)


def _object_delattr(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    names = constant_names(args.args[1])
    if names is None:
        i.imprecise("delattr with a name that is not known", place)
    for name in names or ():
        for member in members(args.args[0]):
            if isinstance(member, Ref):
                delete_without_hook(i, member, name, place, frame)
    return NONE


def _object_getattribute(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    names = constant_names(args.args[1])
    if names is None:
        return _getattr(i, args, place, frame)

    def one(member: Member) -> Value:
        is_instance = isinstance(member, Ref) and i.info(member.oid).kind == "instance"
        read = read_without_hook if is_instance else i.operations.attribute
        return join([read(i, member, name, place, frame) for name in names])  # type: ignore[arg-type]

    return i.split(args.args[0], one)


HANDLERS: Final[dict[str, Handler]] = {
    "builtins.isinstance": _isinstance,
    "builtins.issubclass": _issubclass,
    "builtins.type": _type,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.hasattr": _hasattr,
    "builtins.delattr": _delattr,
    "builtins.vars": _vars,
    "builtins.globals": _globals,
    "builtins.super": _super,
    "builtins.callable": _callable,
    "builtins.object.__setattr__": _object_setattr,
    "builtins.object.__delattr__": _object_delattr,
    "builtins.object.__getattribute__": _object_getattribute,
}
"""By canonical name; those with `#` are called by the interpreter itself."""
