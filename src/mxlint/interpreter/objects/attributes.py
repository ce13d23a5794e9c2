"""Reading attributes, with descriptors, properties, `super()`, `__getattribute__` and `__getattr__` of the program. `setting.py` sets and deletes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.join import bound, join
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Bound,
    Const,
    External,
    Kind,
    Member,
    Range,
    RangeObject,
    Ref,
    Slice,
    Sourced,
    SourcedRef,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import loops_of
from mxlint.interpreter.compiled import portions, sinks
from mxlint.interpreter.compiled.portions import hands_on, taken_out, used
from mxlint.interpreter.libraries import replaced
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.paths import Condition
from mxlint.interpreter.machine.private import mangled
from mxlint.interpreter.objects import keeping, replaced_dict
from mxlint.interpreter.objects.hooks import read_by_hook
from mxlint.interpreter.objects.inherited import sets_itself
from mxlint.interpreter.objects.lookup import (
    BASES,
    CLASS,
    METACLASS,
    PLAIN,
    asked_before,
    asked_of_class,
    asked_of_library,
    bind,
    class_attribute,
    class_of,
    fields_of,
    held_by_class,
    library_attribute,
    makes_init,
    mro,
    read_in_class,
    read_missing,
    special,
    special_exists,
)
from mxlint.interpreter.objects.of_kind import attribute_of_kind
from mxlint.interpreter.objects.type_tests import builtin_type
from mxlint.interpreter.open_world import shadows
from mxlint.interpreter.open_world.standing import Standing
from mxlint.models.load import kind_of, model
from mxlint.models.schema import Model

MADE_WHOLE: Final = frozenset(
    f"builtins.{cls.__name__}" for cls in (bool, bytes, complex, float, frozenset, int, property, str, super, tuple, type)
)
"""Classes whose objects are what their `__new__` is given. That of all others only makes an object, as that of `object` does."""
OF_TYPES: Final = frozenset(dir(type)) | {"__name__", "__module__", "__qualname__"}
"""What each class has, whether its body binds it or not."""


def attribute(i: Interpreter, owner: Value, name: str, place: Place, frame: Frame) -> Value:
    """`owner.name`."""
    name = mangled(i, name, frame)
    owner = i.live(owner)
    if not isinstance(owner, Union):
        return member_attribute(i, owner, name, place, frame)
    i.place = place
    base = len(i.path)
    value = i.split(owner, lambda member: member_attribute(i, member, name, place, frame))
    if len(i.path) > base:
        # Only one member has such an attribute: that it is read shows which one it is.
        bound_by = {literal for option in owner.options for literal in option.guard}
        i.path = (*i.path[:base], *(c if c.literal not in bound_by else Condition(None, c.place, c.literal) for c in i.path[base:]))
    return value


def member_attribute(i: Interpreter, owner: Member, name: str, place: Place, frame: Frame) -> Value:
    """`owner.name` of one member."""
    if isinstance(owner, Sourced):
        owner = Const(owner.value) if used(i, owner, frame) is not owner else owner
    own = _OF_MEMBERS.get(type(owner))
    found = own(i, owner, name, place, frame) if own is not None else None
    return found if found is not None else _of_its_type(i, owner, name, place)


def _array_attribute(i: Interpreter, owner: Array, name: str, place: Place, frame: Frame) -> Value:
    return i.operations.array(i, f"mlx.core.array.{name}", (owner,), place, frame)


def _symbolic_attribute(i: Interpreter, owner: Symbolic, name: str, place: Place, frame: Frame) -> Value:
    """A method of the one type that it has, or something symbolic, too."""
    if owner.kinds is not None and len(owner.kinds) == 1:
        (kind,) = owner.kinds
        of_library = kind if "." in kind else f"builtins.{kind}" if kind in _BUILTIN_KINDS else None
        method = library_attribute(i, of_library, name) if of_library is not None else None
        if method is not None:
            return Bound(owner, method)
    i.may_raise()
    return shadows.read(i, owner, name, i.derived(f".{name}", (owner,), None, place, name), place, frame)


_BUILTIN_KINDS: Final = frozenset(("str", "int", "float", "bytes", "list", "dict", "tuple", "set", "bool"))
"""Kinds of symbolic values that are named as types of Python are."""


def _unknown_attribute(i: Interpreter, owner: Unknown, name: str, place: Place, frame: Frame) -> Value:
    i.may_raise()
    return owner


def _tuple_attribute(i: Interpreter, owner: Tuple, name: str, place: Place, frame: Frame) -> Value | None:
    """A field or method of a named tuple; None for what tuples have."""
    if owner.cls is not None:
        cls = Ref(owner.cls)
        if name == "__class__":
            return cls
        names = [field for field, _, _ in fields_of(i, cls)]
        if name in names and owner.items is not None and names.index(name) < len(owner.items):
            return taken_out(i, owner, name, owner.items[names.index(name)], place, frame)
        if name == "_fields":
            return Tuple(tuple(map(Const, names)))
        found = class_attribute(i, cls, name)
        if found is not None and not isinstance(found, External):
            return bind(i, found, owner if hands_on(i, found) else used(i, owner, frame), cls, place, frame)
        if name in ("_replace", "_asdict"):
            return Bound(used(i, owner, frame), External(f"#namedtuple.{name}"))
    used(i, owner, frame)
    return None


def _bound_attribute(i: Interpreter, owner: Bound, name: str, place: Place, frame: Frame) -> Value:
    """What a method has, or else its function."""
    if name in ("__func__", "__wrapped__"):
        return owner.function
    return owner.owner if name == "__self__" else attribute(i, owner.function, name, place, frame)


def _bounds_attribute(i: Interpreter, owner: RangeObject | Slice, name: str, place: Place, frame: Frame) -> Value | None:
    """`start`, `stop` and `step`."""
    bounds = (owner.start, owner.stop, owner.step) if isinstance(owner, RangeObject) else (owner.lower, owner.upper, owner.step)
    return dict(zip(("start", "stop", "step"), bounds)).get(name)


def _of_its_type(i: Interpreter, owner: Member, name: str, place: Place) -> Value:
    """What the type of a value gives; raises AttributeError where that is known and has no such thing."""
    type_name = builtin_type(i, owner)
    if name == "__class__" and type_name is not None:
        return External(type_name)
    if type_name is not None:
        if (part := _part_of_number(owner, name)) is not None:
            return part
        method = library_attribute(i, type_name, name)
        if method is not None:
            return Bound(owner, method)
        if model(f"{type_name}.__init__") is not None or model(f"{type_name}.__eq__") is not None or model(type_name) is not None:
            throw_named(i, "builtins.AttributeError", place)
    return i.symbolic(place, f".{name}", name)


def _part_of_number(owner: Member, name: str) -> Value | None:
    """`real`, `imag`, `numerator` and `denominator` of a number; None of what has no such part."""
    if isinstance(owner, Const) and isinstance(owner.value, (int, float, complex)):
        found = getattr(owner.value, name, None) if name in PARTS else None
        return Const(found) if isinstance(found, (int, float)) else None
    kind = scalar_type(owner)
    if not isinstance(owner, (Range, Kind)) or kind not in PARTS.get(name, ()):
        return None
    if name == "denominator":
        return Const(1)
    if name == "imag" and kind != "complex":
        return Const(0.0 if kind == "float" else 0)
    if kind == "complex":
        return Kind("float", "varying", loops_of(owner))
    return Range(0, 1, 1, loops_of(owner)) if kind == "bool" else owner


PARTS: Final = {
    "real": ("bool", "int", "float", "complex"), "imag": ("bool", "int", "float", "complex"), "numerator": ("bool", "int"),
    "denominator": ("bool", "int"),
}  # fmt: skip
"""What is asked of a number, and of which types."""


def _object_attribute(i: Interpreter, owner: Ref, name: str, place: Place, frame: Frame) -> Value:
    if i.trace is not None and i.trace.modules:
        sinks.as_module(i, owner, place, frame, name)
    return _OF_OBJECTS.get(i.info(owner.oid).kind, attribute_of_kind)(i, owner, name, place, frame)


def _instance_attribute(i: Interpreter, owner: Ref, name: str, place: Place, frame: Frame) -> Value:
    found = read_by_hook(i, owner, name, place, frame)
    return found if found is not None else read_without_hook(i, owner, name, place, frame)


def read_without_hook(i: Interpreter, owner: Ref, name: str, place: Place, frame: Frame) -> Value:
    """As `object.__getattribute__` does."""
    cls = i.heap.get(owner.oid, CLASS) or Unknown("class")
    if isinstance(cls, Union):
        return join([_of_class(i, owner, member, name, place, frame) for member in members(cls)])
    return _of_class(i, owner, cls, name, place, frame)


def _of_class(i: Interpreter, owner: Ref, cls: Value, name: str, place: Place, frame: Frame) -> Value:
    """`owner.name` of an instance: data descriptors of the class, what the object holds, what the class has, `__getattr__`, and what each object has."""
    if name == "__class__":
        return cls
    if name == "__dict__":
        return i.operations.external(i, "builtins.vars", Arguments((owner,), places=(place,)), place, frame)
    holder, found = held_by_class(i, cls, name) or (None, None)
    kind = i.info(found.oid).kind if isinstance(found, Ref) else ""
    if isinstance(found, Ref) and kind == "descriptor" and i.info(found.oid).payload == "property":
        _read_of_class(i, owner, holder, name, found, place, frame, comes_first=True)
        return bind(i, found, owner, cls, place, frame)
    if isinstance(found, Ref) and kind == "instance":
        getter = special(i, found, "__get__", place, frame)
        comes_first = special_exists(i, found, "__set__") or special_exists(i, found, "__delete__")
        if getter is not None and (comes_first or isinstance(i.heap.get(owner.oid, name) or UNBOUND, Unbound)):
            used(i, _read_of_class(i, owner, holder, name, found, place, frame, comes_first=comes_first), frame)
            return i.call(getter, Arguments((owner, cls), places=(place, place)), place, frame)
    own = _held_by_object(i, owner, cls, name, found, place, frame)
    if own is not None:
        return own
    asked_of_class(i, owner, name, place, frame)
    if found is None or isinstance(found, External) or _mlx_comes_first(i, cls, name):
        asked_of_library(i, cls, name, place, frame)
        library = i.operations.external(i, "#library_attribute", Arguments((owner, cls, Const(name)), places=(place,) * 3), place, frame)
        if not isinstance(library, Unbound):
            return library
    if found is not None:
        found = _read_of_class(i, owner, holder, name, found, place, frame)
        return bind(i, found, owner, cls, place, frame)
    _, getter = held_by_class(i, cls, "__getattr__", written=True) or (None, None)
    if getter is not None:
        read_missing(i, owner, name, place, frame)
        return i.call(bind(i, getter, owner, cls, place, frame), Arguments((Const(name),), places=(place,)), place, frame)
    return _of_each_object(i, owner, cls, name, place, frame)


def _held_by_object(i: Interpreter, owner: Ref, cls: Value, name: str, found: Value | None, place: Place, frame: Frame) -> Value | None:
    """What an object itself holds under a name; where that may be missing, what the class has (`found`) as well. None if it surely holds nothing there."""
    value = replaced_dict.read(i, owner, name, place, frame)
    if value is None and (value := i.heap.get(owner.oid, name)) is not None and not isinstance(value, Unbound):
        value = portions.found(i, owner.oid, name, value, place, frame)
    if value is None or isinstance(value, Unbound):
        return None
    value = i.live(value)
    absent = [option for option in options(value) if isinstance(option.member, Unbound)]
    if not absent:
        return value
    there = bound(value) or UNBOUND
    if found is None and not _has_base_out_of_sight(i, cls):
        if _expects_none(i) and all(option.guard for option in absent):
            return i.split(
                value, lambda member: throw_named(i, "builtins.AttributeError", place) if isinstance(member, Unbound) else member
            )
        return there
    if isinstance(cached := found, Ref) and i.info(cached.oid).payload == "cached_property":
        # It runs, and puts its value there, only where none is.
        return i.split(value, lambda member: bind(i, cached, owner, cls, place, frame) if isinstance(member, Unbound) else member)
    inherited = _out_of_sight(i, owner, name, place) if found is None else bind(i, found, owner, cls, place, frame)
    return guarded([(inherited if isinstance(option.member, Unbound) else option.member, option.guard) for option in options(value)])


OF_OBJECTS: Final = frozenset(
    (
        "__module__",
        "__doc__",
        "__eq__",
        "__hash__",
        "__repr__",
        "__str__",
        "__init__",
        "__ne__",
        "__setattr__",
        "__delattr__",
        "__getattribute__",
    )
)
"""What each object has from `object`, as a method of it."""


def _of_each_object(i: Interpreter, owner: Ref, cls: Value, name: str, place: Place, frame: Frame) -> Value:
    """What no class in sight gives: what a base out of sight may, or what each object has."""
    if _has_base_out_of_sight(i, cls):
        inherited = _out_of_sight(i, owner, name, place)
        i.operations.read(i, owner.oid, name, inherited, place, frame)
        return inherited
    if name in OF_OBJECTS:
        return Bound(owner, External(f"builtins.object.{name}"))
    if name == "__annotations__":
        table = i.operations.external(i, "#annotations.nearest", Arguments((cls,), places=(place,)), place, frame)
        if not isinstance(table, Unbound):
            return table
    if name == "__dataclass_fields__":
        return i.attribute(cls, name, place, frame)
    if owner.oid in i.ledger.of(Standing).objects and not name.startswith("__"):
        expected = _expects_none(i)
        if not expected or not sets_itself(i, cls, name):
            if expected:
                i.may_raise("builtins.AttributeError")
            return _out_of_sight(i, owner, name, place)  # its class is one that extends this one: no other has it
    read_missing(i, owner, name, place, frame)
    throw_named(i, "builtins.AttributeError", place)


def _expects_none(i: Interpreter) -> bool:
    """Whether a handler is there for a missing attribute."""
    return bool(i.tries) and i.tries[-1].expects("builtins.AttributeError")


def _has_base_out_of_sight(i: Interpreter, cls: Value) -> bool:
    """Whether a class has a base of which nobody in sight says what attributes it gives."""
    return any(not isinstance(base, (Ref, External)) or isinstance(base, External) and base.name not in PLAIN for base in mro(i, cls))


def _out_of_sight(i: Interpreter, owner: Ref, name: str, place: Place) -> Value:
    """What an object may have from a base that is not in sight: one thing under each name, until the program puts another there."""
    return i.derived(f".{name}", (owner,), None, place, name)


def _read_of_class(
    i: Interpreter, owner: Ref, holder: Member | None, name: str, found: Value, place: Place, frame: Frame, *, comes_first: bool = False
) -> Value:
    """What is read of an object lies in its class, or in a base of that: a write there, to the object, or to a class between makes it another
    value. `comes_first`: it is a descriptor that comes before what the object holds."""
    put = replaced.held(i, holder.name, name) if isinstance(holder, External) else None
    oid = put[0] if put is not None else holder.oid if isinstance(holder, Ref) else owner.oid
    if oid == owner.oid:
        return portions.found(i, oid, name, found, place, frame)
    asked_of_library(i, owner if i.info(owner.oid).kind == "class" else class_of(i, owner) or UNBOUND, name, place, frame)
    past = asked_before(i, owner, holder)
    return portions.found_behind(i, past if comes_first else (owner.oid, *past), oid, name, found, place, frame)


def _mlx_comes_first(i: Interpreter, cls: Value, name: str) -> bool:
    """Whether a module or optimizer of MLX comes among the bases before the class of the program that defines a name: what MLX has of it counts."""
    for base in mro(i, cls):
        if isinstance(base, External) and i.mlx.class_kind(i, base) is not None:
            return replaced.held(i, base.name, name) is None
        if isinstance(base, Ref) and i.heap.get(base.oid, name) is not None:
            return False
    return False


def _class_attribute(i: Interpreter, owner: Ref, name: str, place: Place, frame: Frame) -> Value:
    """`owner.name` of a class: what it or a base holds, what each class has, what the metaclass has, what `type` and `object` have."""
    if i.heap.get(owner.oid, ("#", "namedtuple")) is not None:
        if name == "_fields":
            return Tuple(tuple(Const(field) for field, _, _ in fields_of(i, owner)))
        if name == "_make":
            return Bound(owner, External("#namedtuple._make"))
    holder, found = held_by_class(i, owner, name) or (None, None)
    if found is not None:
        return _unbound(i, owner, _read_of_class(i, owner, holder, name, found, place, frame), place, frame)
    of_each = _OF_CLASSES.get(name)
    value = of_each(i, owner, place, frame) if of_each is not None else None
    if value is not None and not isinstance(value, Unbound):
        return value
    meta = i.heap.get(owner.oid, METACLASS)
    if isinstance(meta, Ref):
        holder, method = held_by_class(i, meta, name) or (None, None)
        if method is not None:
            read_in_class(i, meta, name, method, holder, place, frame)
            return bind(i, method, owner, meta, place, frame)
        if name == "mro":
            return Bound(owner, External("builtins.type.mro"))
    if name in METHODS_OF_TYPE:
        return Bound(owner, External(f"builtins.type.{name}"))
    if name in METHODS_OF_OBJECT:
        return External(f"builtins.object.{name}")
    if name in OF_TYPES:
        return i.symbolic(place, name)
    if _has_base_out_of_sight(i, owner):
        inherited = _out_of_sight(i, owner, name, place)
        i.operations.read(i, owner.oid, name, inherited, place, frame)
        return inherited
    read_missing(i, owner, name, place, frame)
    throw_named(i, "builtins.AttributeError", place)


def _unbound(i: Interpreter, owner: Ref, found: Value, place: Place, frame: Frame) -> Value:
    """What a class gives of what it holds: a class method is bound to it, a static one is its function, a descriptor is asked."""
    info = i.info(found.oid) if isinstance(found, Ref) else None
    if isinstance(found, Ref) and info is not None and info.kind == "descriptor" and info.payload in ("classmethod", "staticmethod"):
        function = i.heap.get(found.oid, "fget") or UNBOUND
        return Bound(owner, function) if info.payload == "classmethod" else function
    getter = special(i, found, "__get__", place, frame) if isinstance(found, Ref) and info is not None and info.kind == "instance" else None
    if getter is not None:
        return i.call(getter, Arguments((NONE, owner), places=(place, place)), place, frame)
    if isinstance(found, External) and (described := model(found.name)) is not None and _is_classmethod(described):
        return Bound(owner, found)
    return i.live(found)


def _bases(i: Interpreter, owner: Ref, place: Place, frame: Frame) -> Value:
    """The bases of a class, `object` if none is written."""
    bases = i.heap.get(owner.oid, BASES) or Tuple(())
    return Tuple((External("builtins.object"),)) if bases == Tuple(()) else bases


def _asked(name: str) -> Callable[[Interpreter, Ref, Place, Frame], Value]:
    """What a handler gives of a class; `UNBOUND` if it has no such thing."""

    def ask(i: Interpreter, owner: Ref, place: Place, frame: Frame) -> Value:
        return i.operations.external(i, name, Arguments((owner,), places=(place,)), place, frame)

    return ask


def _dataclass_fields(i: Interpreter, owner: Ref, place: Place, frame: Frame) -> Value:
    """The fields of a dataclass; what is none has no such name."""
    return _asked("#dataclass_fields")(i, owner, place, frame) if fields_of(i, owner) else UNBOUND


_OF_CLASSES: Final[Mapping[str, Callable[[Interpreter, Ref, Place, Frame], Value]]] = {
    "__mro__": lambda i, owner, place, frame: Tuple((*mro(i, owner), External("builtins.object"))),
    "__bases__": _bases,
    "__dict__": _asked("builtins.vars"),
    "__annotations__": _asked("#annotations"),
    "__members__": _asked("#enum_members"),
    "__dataclass_fields__": _dataclass_fields,
}
"""What Python makes for each class, where its body binds no such name."""
METHODS_OF_TYPE: Final = frozenset(("__subclasses__", "mro", "__call__"))
"""What each class has from `type`, as a method of it."""
METHODS_OF_OBJECT: Final = frozenset(
    (
        "__init__",
        "__new__",
        "__setattr__",
        "__delattr__",
        "__getattribute__",
        "__init_subclass__",
        "__eq__",
        "__hash__",
        "__repr__",
        "__str__",
        "__name__",
    )
)
"""What each class has from `object`, for its objects."""


def _super_attribute(i: Interpreter, ref: Ref, name: str, place: Place, frame: Frame) -> Value:
    owner = i.heap.get(ref.oid, "owner") or UNBOUND
    after = i.heap.get(ref.oid, "after") or UNBOUND
    cls = (
        owner
        if isinstance(owner, Ref) and i.info(owner.oid).kind == "class"
        else i.heap.get(owner.oid, CLASS)
        if isinstance(owner, Ref)
        else None
    )
    if cls is owner and isinstance(owner, Ref) and after not in mro(i, owner):
        cls = i.heap.get(owner.oid, METACLASS)
        found = class_attribute(i, cls, name, after) if cls is not None and isinstance(after, (Ref, External)) else None
        if found is not None and not isinstance(found, External):
            return bind(i, found, owner, cls or UNBOUND, place, frame)
        return Bound(owner, External(f"builtins.type.{name}"))
    if cls is not None and isinstance(after, (Ref, External)):
        holder, found = held_by_class(i, cls, name, after) or (None, None)
        order = mro(i, cls)
        of_fields = makes_init(i, order[order.index(after) + 1 :], holder) if name == "__init__" and after in order else None
        if of_fields is not None:
            made = i.allocate("partial", None, place, ("super", of_fields.oid))
            i.heap.set(made, "func", External("#set_fields"))
            i.heap.set(made, "args", Tuple((owner, of_fields)))
            return Ref(made)
        if found is not None:
            read_in_class(i, cls, name, found, holder, place, frame, after)
            if name == "__new__" and isinstance(found, External):
                return found  # it is static, and is given the class
            if isinstance(found, External) or not (isinstance(owner, Ref) and i.info(owner.oid).kind == "class"):
                return bind(i, found, owner, cls, place, frame)
            return (
                bind(i, found, owner, cls, place, frame) if not isinstance(found, Ref) or i.info(found.oid).kind == "descriptor" else found
            )
        asked_of_library(i, cls, name, place, frame, after)
        for base in mro(i, cls):
            if isinstance(base, External) and base.name != "builtins.object" and (name != "__new__" or base.name in MADE_WHOLE):
                return Bound(owner, External(f"{base.name}.{name}"))
            if not isinstance(base, (Ref, External)):
                return Bound(owner, External(keeping.CONSTRUCTOR)) if name == "__init__" else i.symbolic(place, f"super().{name}", name)
    if name == "__new__":
        return External("builtins.object.__new__")
    return Bound(owner, External(f"builtins.object.{name}"))


def _is_classmethod(described: Model) -> bool:
    """Whether a function of a library is given the class that it is read of. `__new__` is static, and its callers hand the class over."""
    return described.kind == "classmethod" and not described.name.endswith(".__new__")


def _external_attribute(i: Interpreter, owner: External, name: str, place: Place, frame: Frame) -> Value:
    if name in ("__name__", "__qualname__", "__module__"):
        head, _, tail = owner.name.rpartition(".")
        return Const(head if name == "__module__" else owner.name if kind_of(owner.name) == "module" else tail)
    put = replaced.held(i, owner.name, name)
    if put is not None:
        return i.live(portions.found(i, put[0], name, put[1], place, frame))
    replaced.asked(i, owner.name, name, place, frame)
    described = model(f"{owner.name}.{name}")
    if described is not None and name == "__new__":
        return External(described.name)
    if described is not None and (_is_classmethod(described) or described.kind == "method" and kind_of(owner.name) == "constant"):
        return Bound(owner, External(described.name))
    found = i.operations.external(i, "#member", Arguments((owner, Const(name)), places=(place, place)), place, frame)
    return found if not isinstance(found, Unbound) else External(f"{owner.name}.{name}")


_OF_OBJECTS: Final = {"instance": _instance_attribute, "class": _class_attribute, "super": _super_attribute}
"""How attributes are looked up, by the kind of the object; for all others `attribute_of_kind` says."""
_OF_MEMBERS: Final[Mapping[type, Callable[..., Value | None]]] = {
    Ref: _object_attribute,
    SourcedRef: _object_attribute,
    External: _external_attribute,
    Array: _array_attribute,
    Symbolic: _symbolic_attribute,
    Unknown: _unknown_attribute,
    Tuple: _tuple_attribute,
    Bound: _bound_attribute,
    RangeObject: _bounds_attribute,
    Slice: _bounds_attribute,
}
"""How attributes are looked up, by the class of the member; where nothing is found, what its type gives."""
