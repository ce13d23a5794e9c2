"""Dataclasses, enums and named tuples: the constructor, the fields, `replace`, `asdict`, and members of enums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mxlint.domain.join import join
from mxlint.domain.members import FALSE, NONE, TRUE, UNBOUND, Const, External, Member, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.builders import new_list, put
from mxlint.interpreter.containers.elements import enum_members, known_items
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.expressions.constants import python_value
from mxlint.interpreter.loops.iteration import collected
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.locations import ENUM_MEMBERS, ENUM_NAMES, ITEMS
from mxlint.interpreter.objects import keeping, views
from mxlint.interpreter.objects.classes import instantiate, set_fields
from mxlint.interpreter.objects.lookup import ANNOTATED, BASES, CLASS, FIELDS, fields_of, mro, special
from mxlint.interpreter.objects.reflection import name_class
from mxlint.interpreter.objects.slots import SLOTS


def _dataclass(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    if not args.args or not isinstance(args.args[0], Ref):
        oid = i.allocate("partial", "decorator", place)
        i.heap.set(oid, "func", External("dataclasses.dataclass"))
        i.heap.set(oid, "args", Tuple(()))
        for name, value in args.keywords.items():
            i.heap.set(oid, ("kw", name), value)
        return Ref(oid)
    cls = args.args[0]
    own = i.heap.get(cls.oid, ANNOTATED)
    names = own.items or () if isinstance(own, Tuple) else ()
    kept: list[Value] = []
    all_by_keyword = args.keywords.get("kw_only")
    for field in names:
        default = i.heap.get(cls.oid, field.value) if isinstance(field, Const) else None
        by_keyword = all_by_keyword
        if isinstance(default, Ref) and i.info(default.oid).kind == "field" and isinstance(field, Const):
            if i.heap.get(default.oid, "init") == FALSE:
                i.heap.set(cls.oid, ("noinit", field.value), TRUE)
            if i.heap.get(default.oid, "repr") == FALSE:
                i.heap.set(cls.oid, ("norepr", field.value), TRUE)
            by_keyword = i.heap.get(default.oid, "kw_only") or all_by_keyword
        if by_keyword is not None and isinstance(field, Const):
            i.heap.set(cls.oid, ("kwonly", field.value), by_keyword)
        kept.append(field)
    i.heap.set(cls.oid, FIELDS, Tuple(tuple(kept)))
    if args.keywords.get("slots") == TRUE:
        i.heap.set(cls.oid, SLOTS, Tuple(tuple(kept)))
    for option, usual in (("frozen", FALSE), ("eq", TRUE), ("order", FALSE), ("repr", TRUE), ("init", TRUE)):
        i.heap.set(cls.oid, ("#", option), args.keywords.get(option, usual))
    return cls


def _field(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("field", None, place)
    for name, value in args.keywords.items():
        i.heap.set(oid, name, value)
    return Ref(oid)


def _replace(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    def one(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind == "instance":
            cls = i.heap.get(member.oid, CLASS)
            if isinstance(cls, Ref):
                given = dict(args.keywords)
                for name, _, takes in fields_of(i, cls):
                    if takes and name not in given:
                        given[name] = _unless_given(i, i.attribute(member, name, place, frame), args, place, name)
                return instantiate(i, cls, Arguments((), given, keyword_places={name: place for name in given}), place, frame)
        return i.symbolic(place, "replace")

    return i.split(args.args[0], one)


def _asdict(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return i.split(args.args[0], lambda member: _as_dict(i, member, place, frame) if _is_record(i, member) else i.symbolic(place, "asdict"))


def _astuple(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return i.split(
        args.args[0], lambda member: _as_tuple(i, member, place, frame) if _is_record(i, member) else i.symbolic(place, "astuple")
    )


def _as_dict(i: Interpreter, record: Member, place: Place, frame: Frame, depth: int = 0) -> Value:
    """The fields of an object as a dict, each copied."""
    assert isinstance(record, Ref)
    oid = i.allocate("dict", None, place, ("asdict", record.oid) if depth else "asdict")
    aspects.copied(i, oid, views.view(i, record, place).oid)  # each is read where it is used
    for name, _, _ in fields_of(i, i.heap.get(record.oid, CLASS) or UNBOUND):
        held = i.heap.get(record.oid, name)
        value = i.attribute(record, name, place, frame) if held is None else held
        put(i, oid, Const(name), _copied(i, value, _as_dict, place, frame, depth))
    return Ref(oid)


def _as_tuple(i: Interpreter, record: Member, place: Place, frame: Frame, depth: int = 0) -> Value:
    """The fields of an object as a tuple, each copied."""
    assert isinstance(record, Ref)
    names = [name for name, _, _ in fields_of(i, i.heap.get(record.oid, CLASS) or UNBOUND)]
    return Tuple(tuple(_copied(i, i.attribute(record, name, place, frame), _as_tuple, place, frame, depth) for name in names))


MOST_COPIED: Final = 6
"""How deep objects of dataclasses are copied that hold each other."""
Form = Callable[[Interpreter, Member, Place, Frame, int], Value]


def _copied(i: Interpreter, value: Value, form: Form, place: Place, frame: Frame, depth: int) -> Value:
    """What a field holds, as `asdict` and `astuple` copy it: objects of dataclasses in the same form, also those in lists and tuples, all else as
    `copy.deepcopy` does."""

    def one(member: Member) -> Value:
        if depth < MOST_COPIED and _is_record(i, member):
            return form(i, member, place, frame, depth + 1)
        content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) and i.info(member.oid).kind == "list" else member
        inner = [part for item in content.parts for part in members(item)] if isinstance(content, Tuple) else []
        if not isinstance(content, Tuple) or not any(_is_record(i, part) for part in inner):
            return i.operations.external(i, "copy.deepcopy", Arguments((member,), places=(place,)), place, frame)
        items = content.holding(tuple(_copied(i, item, form, place, frame, depth) for item in content.parts))
        return new_list(i, items, place, ("copy", member.oid)) if isinstance(member, Ref) else items

    return i.split(value, one)


def _is_record(i: Interpreter, member: Member) -> bool:
    """Whether something is an object of a dataclass."""
    cls = i.heap.get(member.oid, CLASS) if isinstance(member, Ref) and i.info(member.oid).kind == "instance" else None
    bases = mro(i, cls) if isinstance(cls, Ref) else ()
    return any(isinstance(base, Ref) and i.heap.get(base.oid, FIELDS) is not None for base in bases)


def _fields(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    def one(member: Member) -> Value:
        cls = i.heap.get(member.oid, CLASS) if isinstance(member, Ref) and i.info(member.oid).kind == "instance" else member
        if isinstance(cls, Ref):
            made = []
            for name, _, _ in fields_of(i, cls):
                oid = i.allocate("instance", None, place, ("field", name))
                i.heap.set(oid, CLASS, External("dataclasses.Field"))
                i.heap.set(oid, "name", Const(name))
                made.append(Ref(oid))
            return Tuple(tuple(made))
        return i.symbolic(place, "fields")

    return i.split(args.args[0], one)


def _table_of_fields(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`__dataclass_fields__`: the fields of a dataclass by their names."""
    listed = _fields(i, args, place, frame)
    oid = i.allocate("dict", None, place, "fields")
    for member in listed.items or () if isinstance(listed, Tuple) else ():
        if isinstance(member, Ref):
            put(i, oid, i.heap.get(member.oid, "name") or UNBOUND, member)
    return Ref(oid)


_ENUMS: Final = ("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag")


def _class_made(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """What happens when a class body has run: enum members, named tuples, `__init_subclass__`, `__set_name__`."""
    cls = args.args[0]
    assert isinstance(cls, Ref)
    bases = mro(i, cls)[1:]
    names = {base.name for base in bases if isinstance(base, External)}
    if "typing.NamedTuple" in names:
        own = i.heap.get(cls.oid, ANNOTATED)
        i.heap.set(cls.oid, FIELDS, own if own is not None else Tuple(()))
        i.heap.set(cls.oid, ("#", "namedtuple"), TRUE)
    if any(name.startswith("enum.") for name in names):
        _make_enum(i, cls, place, frame)
    for field, value in list(i.heap.fields(cls.oid).items()):
        if isinstance(field, str) and isinstance(value, Ref) and i.info(value.oid).kind == "instance":
            hook = special(i, value, "__set_name__", place, frame)
            if hook is not None:
                i.call(hook, Arguments((cls, Const(field)), places=(place, place)), place, frame)
    for base in bases:
        if isinstance(base, Ref):
            hook_value = i.heap.get(base.oid, "__init_subclass__")
            if hook_value is not None:
                inner = (
                    i.heap.get(hook_value.oid, "fget")
                    if isinstance(hook_value, Ref) and i.info(hook_value.oid).kind == "descriptor"
                    else hook_value
                )
                i.call(inner or UNBOUND, Arguments((cls,), args.keywords, places=(place,)), place, frame)
                break
    return NONE


def _make_enum(i: Interpreter, cls: Ref, place: Place, frame: Frame) -> None:
    order: list[Value] = []
    names: list[Value] = []
    for field, value in list(i.heap.fields(cls.oid).items()):
        if (
            not isinstance(field, str)
            or field.startswith("_")
            or isinstance(value, Ref)
            and i.info(value.oid).kind in ("function", "descriptor", "class")
        ):
            continue
        names.append(Const(field))
        if isinstance(value, Ref) and i.heap.get(value.oid, CLASS) == External("enum.auto"):
            value = Const(len(order) + 1)
        same = next((m for m in order if isinstance(m, Ref) and i.heap.get(m.oid, "value") == value), None)
        if same is not None:
            i.heap.set(cls.oid, field, same)
            continue
        oid = i.allocate("instance", None, place, ("member", field), label=field)
        i.heap.set(oid, CLASS, cls)
        i.heap.set(oid, "value", value)
        i.heap.set(oid, "_value_", value)
        i.heap.set(oid, "name", Const(field))
        i.heap.set(oid, "_name_", Const(field))
        i.heap.set(cls.oid, field, Ref(oid))
        order.append(Ref(oid))
    i.heap.set(cls.oid, ENUM_MEMBERS, Tuple(tuple(order)))
    i.heap.set(cls.oid, ENUM_NAMES, Tuple(tuple(names)))


def _listed(i: Interpreter, cls: Value) -> tuple[Value, ...] | None:
    return enum_members(i, cls) if isinstance(cls, Ref) else None


def _names(i: Interpreter, cls: Value) -> tuple[Value, ...]:
    """The names of the members of an enum in order, of which one may have several."""
    names = i.heap.get(cls.oid, ENUM_NAMES) if isinstance(cls, Ref) else None
    return names.parts if isinstance(names, Tuple) else ()


def _table_of_members(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`Colour.__members__`: the members by their names."""
    cls = args.args[0]
    if not isinstance(cls, Ref) or _listed(i, cls) is None:
        return UNBOUND
    oid = i.allocate("dict", None, place, "members")
    for name in _names(i, cls):
        if isinstance(name, Const):
            put(i, oid, name, i.heap.get(cls.oid, name.value) or UNBOUND)
    return Ref(oid)


def _enum_member(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`Colour(1)`: the member with that value; UNBOUND for what is no enum."""
    listed = _listed(i, args.args[0])
    if not listed or len(args.args) < 2:
        return UNBOUND
    found: list[Value] = []
    for given in members(args.args[1]):
        if isinstance(given, Const):
            found.extend(m for m in listed if isinstance(m, Ref) and i.heap.get(m.oid, "value") == given)
        else:
            found.extend(listed)
    if not found:
        throw_named(i, "builtins.ValueError", place)
    return join(found)


def _enum_item(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`Colour["RED"]`."""
    cls = args.args[0]
    listed, names = _listed(i, cls), _names(i, cls)
    if not listed or not isinstance(cls, Ref):
        return UNBOUND
    found: list[Value] = []
    for key in members(args.args[1]):
        named = [i.heap.get(cls.oid, key.value) or UNBOUND] if isinstance(key, Const) and key in names else []
        found.extend(named if isinstance(key, Const) else listed)
    if not found:
        throw_named(i, "builtins.KeyError", place)
    return join(found)


def _field_names(i: Interpreter, given: Value) -> list[Any] | None:
    """The names of fields: one string, a collection of strings, or one of pairs of a name and a type; None where they are not known."""
    items = known_items(i, given) if isinstance(given, (Tuple, Ref)) else None
    if items and all(isinstance(item, Tuple) and item.items for item in items):
        return [python_value(i, item.parts[0]) for item in items if isinstance(item, Tuple)]
    names = python_value(i, given)
    if isinstance(names, str):
        return names.replace(",", " ").split()
    return list(names) if isinstance(names, (list, tuple, set, frozenset, dict)) else None


def _namedtuple(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    name = args.args[0]
    listed = _field_names(i, args.args[1]) if len(args.args) > 1 else None
    if listed is None or not isinstance(name, Const):
        return i.symbolic(place, "namedtuple", kinds=frozenset(("class",)))
    if not all(isinstance(field, str) and field.isidentifier() for field in listed):
        throw_named(i, "builtins.ValueError", place)
    oid = i.allocate("class", FrameInfo("class", None, frame.source, str(name.value), frame.module), place, label=str(name.value))
    i.heap.set(oid, BASES, Tuple((External("builtins.tuple"),)))
    name_class(i, oid, name, frame)
    i.heap.set(oid, FIELDS, Tuple(tuple(map(Const, listed))))
    i.heap.set(oid, ("#", "namedtuple"), TRUE)
    defaults = args.keywords.get("defaults")
    content = collected(i, defaults, place, frame) if defaults is not None and defaults != NONE else Tuple(())
    for field, value in zip(reversed(listed), reversed(content.items or ())):
        i.heap.set(oid, field, value)
    return Ref(oid)


def _named_replace(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    owner = args.args[0]
    if isinstance(owner, Tuple) and owner.items is not None and owner.cls is not None:
        names = [name for name, _, _ in fields_of(i, Ref(owner.cls))]
        kept = (_unless_given(i, item, args, place, name) for name, item in zip(names, owner.items))
        return Tuple(tuple(args.keywords.get(name, item) for name, item in zip(names, kept)), None, owner.cls)
    return owner


def _unless_given(i: Interpreter, held: Value, args: Arguments, place: Place, name: str) -> Value:
    """What a field holds that no keyword names: `**` of something unknown may do so."""
    return held if args.kwstar is None else choices.any_of(i, [args.kwstar, held], place, name)


def _named_asdict(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    owner = args.args[0]
    oid = i.allocate("dict", None, place, "asdict")
    if isinstance(owner, Tuple) and owner.items is not None and owner.cls is not None:
        for (name, _, _), item in zip(fields_of(i, Ref(owner.cls)), owner.items):
            put(i, oid, Const(name), item)
    return Ref(oid)


def _named_make(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`Row._make(items)` is `Row(*items)`."""
    cls = args.args[0]
    assert isinstance(cls, Ref)
    items = collected(i, args.args[1], place, frame)
    given = Arguments(items.items, places=(place,) * len(items.items)) if items.items is not None else Arguments((), star=items.element)
    return instantiate(i, cls, given, place, frame)


HANDLERS: Final[dict[str, Handler]] = {
    "dataclasses.dataclass": _dataclass,
    "dataclasses.field": _field,
    "dataclasses.replace": _replace,
    "copy.replace": _replace,
    "dataclasses.asdict": _asdict,
    "dataclasses.astuple": _astuple,
    "dataclasses.fields": _fields,
    "collections.namedtuple": _namedtuple,
    "typing.NamedTuple": _namedtuple,
    "#namedtuple._replace": _named_replace,
    "#namedtuple._asdict": _named_asdict,
    "#namedtuple._make": _named_make,
    "#class_made": _class_made,
    "#dataclass_fields": _table_of_fields,
    "#set_fields": set_fields,
    keeping.CONSTRUCTOR: keeping.construct,
    "#enum_members": _table_of_members,
    "#enum_member": _enum_member,
    "#enum_item": _enum_item,
}
"""By canonical name; those with `#` are called by the interpreter itself."""
