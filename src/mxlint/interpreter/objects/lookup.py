"""How names are found in classes: the linearised bases (MRO), what a class holds, and what an instance gives where its class holds something.

A trace that calls `layer.forward` reads it in the class that holds it. A `forward` that is set later, there or in a class before it, is a stale read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import FALSE, TRUE, UNBOUND, Bound, Const, External, Member, Ref, Symbolic, Tuple, Unbound, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.libraries import replaced
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.locations import BY_CLASS
from mxlint.interpreter.machine.memoised import memoised
from mxlint.models.binding import becomes_method
from mxlint.models.load import bases, constant, kind_of, model
from mxlint.models.written import names

CLASS: Final = ("#", "class")

BASES: Final = ("#", "bases")

METACLASS: Final = ("#", "metaclass")

EXTENDED: Final = {
    "builtins.list": "list", "builtins.set": "set", "builtins.dict": "dict", "collections.deque": "list",
    "collections.OrderedDict": "dict", "collections.defaultdict": "dict", "collections.Counter": "dict",
}  # fmt: skip
"""Containers that classes extend, by what their objects hold."""

OPEN_KINDS: Final = frozenset(("compiled", "transform", "future", "dispatch"))
"""Kinds of objects of libraries of which not all operations are described."""

FIELDS: Final = ("#", "fields")
"""Of a dataclass or NamedTuple: the names of its fields, in order."""


INITVAR: Final = "initvar"
"""Begins what says of a name of a dataclass that it is no field, but for the constructor."""
HINTS: Final = ("#", "hints")
"""Of a class: the names that its body annotates, in order."""
ANNOTATED: Final = ("#", "annotated")
"""Of these, those that are not said to be of the class alone."""


def mro(i: Interpreter, cls: Value, done: dict[int, list[Member]] | None = None) -> list[Member]:
    """The linearised bases of a class, itself first (C3, as Python does; where that fails, depth first). `done`: those of the classes met."""
    if not isinstance(cls, Ref):
        return [m for m in members(cls)]
    if done is None:
        return _order(i, cls)
    if cls.oid not in done:
        done[cls.oid] = [cls]  # of one that is among its own bases
        bases = [base for value in _bases(i, cls) for base in members(value)]
        sequences = [mro(i, base, done) for base in bases if base != cls]
        done[cls.oid] = [cls, *(sequences[0] if len(bases) == len(sequences) == 1 else _merge([*sequences, bases]))]
    return done[cls.oid]


class Orders:
    """The linearised bases of classes, with the bases that they and those above them had then."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[int, tuple[tuple[tuple[int, Value | None], ...], list[Member]]] = {}


def _order(i: Interpreter, cls: Ref) -> list[Member]:
    """The linearised bases of a class, found once for as long as no class among them has other bases."""
    orders = i.ledger.of(Orders).known
    known = orders.get(cls.oid)
    if known is None or any(i.heap.get(oid, BASES) is not bases for oid, bases in known[0]):
        done: dict[int, list[Member]] = {}
        found = mro(i, cls, done)
        known = orders[cls.oid] = tuple((oid, i.heap.get(oid, BASES)) for oid in done), found
    return list(known[1])


def _merge(sequences: list[list[Member]]) -> list[Member]:
    result: list[Member] = []
    todo = [list(sequence) for sequence in sequences if sequence]
    behind = _behind(todo)
    while todo:
        head = next((sequence[0] for sequence in todo if not behind[sequence[0]]), None)
        if head is not None:
            for sequence in todo:
                if sequence[0] == head:
                    del sequence[0]
                    behind.subtract(sequence[:1])
        else:
            head = todo[0][0]
            todo = [[item for item in sequence if item != head] for sequence in todo]
            behind = _behind(todo)
        result.append(head)
        todo = [sequence for sequence in todo if sequence]
    return result


def _behind(sequences: Iterable[list[Member]]) -> Counter[Member]:
    """How often each stands behind another."""
    return Counter(item for sequence in sequences for item in sequence[1:])


def _bases(i: Interpreter, cls: Ref) -> Iterable[Value]:
    found = i.heap.get(cls.oid, BASES)
    return found.items or () if isinstance(found, Tuple) else ()


def bases_at_present(i: Interpreter, oid: int) -> tuple[Value, ...]:
    """The bases of a class, none for what is no class."""
    found = i.heap.get(oid, BASES)
    return found.parts if isinstance(found, Tuple) else ()


def class_attribute(i: Interpreter, cls: Value, name: str, after: Member | None = None) -> Value | None:
    """What a class or one of its bases holds under a name, as it is (no descriptor applied). `after`: only bases behind this one."""
    found = held_by_class(i, cls, name, after)
    return found[1] if found is not None else None


def held_by_class(
    i: Interpreter, cls: Value, name: str, after: Member | None = None, *, written: bool = False
) -> tuple[Member, Value] | None:
    """As `class_attribute`, with the class that holds it. `written`: only what the program has written in a class."""
    found_after = after is None
    for base in mro(i, cls):
        if not found_after:
            found_after = base == after
            continue
        if isinstance(base, Ref):
            value = i.heap.get(base.oid, name)
            if value is not None and not isinstance(value, Unbound):
                return base, value
        elif isinstance(base, External) and base.name != "builtins.object":
            put = replaced.held(i, base.name, name)
            method = put[1] if put is not None else None if written else library_attribute(i, base.name, name)
            if method is not None:
                return base, method
    return None


def asked_before(i: Interpreter, owner: Ref, holder: Member | None) -> list[int]:
    """The classes of an object, or the bases of a class, that are asked for a name before the one that holds it."""
    cls: Value = owner if i.info(owner.oid).kind == "class" else class_of(i, owner) or UNBOUND
    order = mro(i, cls)
    before = order[: order.index(holder)] if holder in order else order
    return [base.oid for base in before if isinstance(base, Ref) and base != owner]


def read_in_class(
    i: Interpreter, cls: Value, name: str, found: Value, holder: Member | None, place: Place, frame: Frame, after: Member | None = None
) -> None:
    """A name was found in a class, and not in those before it. `after`: only the bases behind this one were looked through."""
    asked_of_library(i, cls, name, place, frame, after)
    if i.trace is None or holder is None:
        return
    order = mro(i, cls)
    for base in order[order.index(after) + 1 if after in order else 0 : order.index(holder)]:
        if isinstance(base, Ref):
            i.operations.read_through(i, base.oid, name, found, place, frame)
    if isinstance(holder, Ref):
        i.operations.read(i, holder.oid, name, found, place, frame)


def asked_of_class(i: Interpreter, owner: Value, name: str, place: Place, frame: Frame) -> None:
    """Note that a trace looks for a name in the class of an object, which the program may change."""
    if i.trace is None or not isinstance(owner, Ref) or not replaced.may_be(i, "__class__") or i.info(owner.oid).kind != "instance":
        return
    found = by_class(i, owner.oid, name)
    read = i.operations.read_through if isinstance(found, Unbound) else i.operations.read
    read(i, owner.oid, (BY_CLASS, name), found, place, frame)


def by_class(i: Interpreter, oid: int, name: str) -> Value:
    """What an object has under a name by its class."""
    classes = members(i.heap.get(oid, CLASS) or UNBOUND)
    return join([class_attribute(i, cls, name) or UNBOUND for cls in classes])


def asked_of_library(i: Interpreter, cls: Value, name: str, place: Place, frame: Frame, after: Member | None = None) -> None:
    """Note that a trace looks for a name in the classes of libraries among the bases of a class. `after`: only behind this one."""
    if i.trace is None or not replaced.may_be(i, name):
        return
    order = mro(i, cls)
    for base in order[order.index(after) + 1 if after in order else 0 :]:
        if isinstance(base, External):
            replaced.asked(i, base.name, name, place, frame)
            if replaced.held(i, base.name, name) is not None:
                return
        elif isinstance(base, Ref) and not isinstance(i.heap.get(base.oid, name) or UNBOUND, Unbound):
            return


def read_missing(i: Interpreter, owner: Ref, name: str, place: Place, frame: Frame) -> None:
    """A name was looked for in an object and its classes, and is nowhere."""
    if i.trace is not None:
        i.operations.read_through(i, owner.oid, name, UNBOUND, place, frame)
        for oid in asked_before(i, owner, None):
            i.operations.read_through(i, oid, name, UNBOUND, place, frame)


def library_attribute(i: Interpreter, cls: str, name: str) -> Value | None:
    """A method or constant that a class of a library has; None if it has none, or nothing is known."""

    for base in (cls, *[b for b in bases(cls) if b != "builtins.object"]):
        full = f"{base}.{name}"
        found = model(full)
        if found is not None or i.mlx.has(full):
            return External(found.name if found is not None else full)
        value = constant(full)
        if value is not None:
            return External(full)
    return None


def environment(i: Interpreter, member: External) -> Symbolic | None:
    """What stands for a constant of a library that the environment decides (`sys.argv`); None for anything else of a library."""
    held = constant(member.name)
    if held is None or held.known or held.type.kind == "instance" and held.type.name == "builtins.NotImplementedType":
        return None
    return Symbolic(("constant", member.name), None, member.name, source="environment")


def library_base(i: Interpreter, cls: Value) -> str | None:
    """The first class of a library among the bases of a class of the program, besides object."""
    for base in mro(i, cls):
        if isinstance(base, External) and base.name not in PLAIN:
            return base.name
    return None


def library_base_of(i: Interpreter, owner: Ref) -> str | None:
    """The class of a library that the class of an instance extends."""
    cls = i.heap.get(owner.oid, CLASS) if i.info(owner.oid).kind == "instance" else None
    return library_base(i, cls) if cls is not None else None


def class_of(i: Interpreter, ref: Ref) -> Value | None:
    """The class of an object; of a class its metaclass."""
    kind = i.info(ref.oid).kind
    if kind == "instance":
        return i.heap.get(ref.oid, CLASS)
    if kind == "class":
        return i.heap.get(ref.oid, METACLASS)
    return None


def container(i: Interpreter, ref: Ref, *unless: str) -> str:
    """`list`, `set` or `dict` for one, and for an object of a class of the program that extends one: what it holds lies in the same fields. "" for
    others, and for an object of a class that defines a special method of `unless` itself."""
    kind = i.info(ref.oid).kind
    if kind != "instance":
        return kind if kind in ("list", "set", "dict") else ""
    cls = i.heap.get(ref.oid, CLASS)
    found = extended(i, cls) if isinstance(cls, Ref) else ""
    if found and cls is not None and any(not isinstance(class_attribute(i, cls, name) or External(name), External) for name in unless):
        return ""
    return EXTENDED.get(found, "")


def extended(i: Interpreter, cls: Value) -> str:
    """The container of a library that a class of the program extends; "" if it extends none."""
    return next((base.name for base in mro(i, cls) if isinstance(base, External) and base.name in EXTENDED), "")


def special_exists(i: Interpreter, member: Ref, name: str) -> bool:
    cls = class_of(i, member)
    return cls is not None and class_attribute(i, cls, name) is not None


def special(i: Interpreter, owner: Member, name: str, place: Place, frame: Frame) -> Value | None:
    """A special method that the class of an object of the program defines, or that is written for its library, bound; None if it has none."""
    if not isinstance(owner, Ref) or i.info(owner.oid).kind not in ("instance", "class"):
        return None
    cls = class_of(i, owner)
    if cls is None:
        return None
    asked_of_class(i, owner, name, place, frame)
    holder, found = held_by_class(i, cls, name) or (None, None)
    if found is None or isinstance(found, External):
        asked_of_library(i, cls, name, place, frame)
        if found is not None and isinstance(cls, Ref) and found.name.rpartition(".")[2] in names(found.name.rpartition(".")[0]):
            return Bound(owner, found)
        made = i.mlx.instance_attribute(i, owner, cls, name, place, frame) if found is None else None
        return made if isinstance(made, Bound) and isinstance(made.function, Ref) else None
    read_in_class(i, cls, name, found, holder, place, frame)
    return bind(i, found, owner, cls, place, frame)


def bind(i: Interpreter, found: Value, owner: Value, cls: Value, place: Place, frame: Frame) -> Value:
    """What is read of an instance where its class holds `found`: a bound method, the value of a property, the value itself."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref):
            info = i.info(member.oid)
            if isinstance(info.payload, FunctionInfo) and not becomes_method(info.payload.name_in_library):
                return member
            if info.kind in ("function", "cached", "contextmanager", "managed") or info.kind == "dispatch" and info.payload is not None:
                return Bound(owner, member)
            if info.kind == "descriptor" and info.payload == "partialmethod":
                return _bound_partial(i, member, owner, cls, place, frame)
            if info.kind == "descriptor":
                inner = i.heap.get(member.oid, "fget") or UNBOUND
                if info.payload == "staticmethod":
                    return inner
                if info.payload == "classmethod":
                    return Bound(cls if not isinstance(owner, Ref) or i.info(owner.oid).kind != "class" else owner, inner)
                args = Arguments((owner,), places=(place,))
                if info.payload != "cached_property" or not isinstance(owner, Ref):
                    return i.operations.call(i, inner, args, place, frame)
                with memoised(i, (owner,)):
                    value = i.operations.used(i, i.operations.call(i, inner, args, place, frame), frame)
                name = i.heap.get(member.oid, "name")
                if isinstance(name, Const):
                    i.heap.set(owner.oid, str(name.value), value)
                    i.operations.written(i, owner.oid, str(name.value), value, place, frame)
                return value
            if info.kind == "field":
                return i.heap.get(member.oid, "default") or UNBOUND
        if (
            isinstance(member, External)
            and constant(member.name) is None
            and kind_of(member.name) != "class"
            and becomes_method(member.name)
        ):
            return Bound(owner, member)
        return member

    parts = [one(member) for member in members(found)]
    return join(parts)


def is_cached_property(i: Interpreter, oid: int, name: str) -> bool:
    """Whether what an object has under a name is what a cached property of its class keeps there."""
    _, found = held_by_class(i, i.heap.get(oid, CLASS) or UNBOUND, name) or (None, UNBOUND)
    infos = [i.info(member.oid) for member in members(found) if isinstance(member, Ref)]
    return any(info.kind == "descriptor" and info.payload == "cached_property" for info in infos)


PLAIN: Final = frozenset(("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"))
"""Classes of Python that give their objects nothing but what all have."""
_EQUAL_TO_ITSELF: Final = PLAIN | {"enum.Enum", "enum.Flag"}
"""Classes of Python whose objects are equal to themselves alone."""


def makes_init(i: Interpreter, order: Sequence[Member], holder: Member | None) -> Ref | None:
    """The first of some classes, in the order of resolution, to which a decorator has given an `__init__` that sets its fields, if it comes before the one
    that holds another."""
    before = order[: order.index(holder)] if holder in order else order
    made = (base for base in before if isinstance(base, Ref) and i.heap.get(base.oid, FIELDS) is not None)
    return next((base for base in made if i.heap.get(base.oid, ("#", "init")) != FALSE), None)


def by_identity(i: Interpreter, ref: Ref) -> bool:
    """Whether an object is equal to itself alone: no class of it says otherwise. Methods of the program have been asked before."""
    cls = i.heap.get(ref.oid, CLASS) if i.info(ref.oid).kind == "instance" else None
    if not isinstance(cls, Ref):
        return False
    return all(base.name in _EQUAL_TO_ITSELF if isinstance(base, External) else _says_nothing(i, base) for base in mro(i, cls))


def _says_nothing(i: Interpreter, base: Member) -> bool:
    """Whether a class of the program has no equality of its own: no method, and it is no dataclass."""
    return isinstance(base, Ref) and i.heap.get(base.oid, FIELDS) is None and i.heap.get(base.oid, "__eq__") is None


def is_itself_alone(i: Interpreter, ref: Ref) -> bool:
    """Whether a reference is one thing that is equal to itself alone: an object, or a function, class or module."""
    info = i.info(ref.oid)
    return not info.summary and (info.kind in ("function", "class", "module") or by_identity(i, ref))


def _bound_partial(i: Interpreter, member: Ref, owner: Value, cls: Value, place: Place, frame: Frame) -> Value:
    """A partialmethod read of an instance: a partial of the bound function."""
    oid = i.allocate("partial", None, place, ("partialmethod", member.oid))
    i.heap.set(oid, "func", bind(i, i.heap.get(member.oid, "fget") or UNBOUND, owner, cls, place, frame))
    i.heap.set(oid, "args", i.heap.get(member.oid, "args") or Tuple(()))
    for field, value in list(i.heap.fields(member.oid).items()):
        if isinstance(field, tuple) and field[0] == "kw":
            i.heap.set(oid, field, value)
    return Ref(oid)


def module_frame(i: Interpreter, module: Ref) -> Frame:
    """A frame that stands for a module."""
    info = i.info(module.oid).payload
    assert isinstance(info, FrameInfo)
    return Frame(module.oid, "module", info.source, "", info.scope, module.oid, None)


def is_initvar(i: Interpreter, cls: Value, name: str) -> bool:
    """Whether a class annotates a name as an `InitVar`, which the constructor hands to `__post_init__`."""
    return any(isinstance(base, Ref) and i.heap.get(base.oid, (INITVAR, name)) is not None for base in mro(i, cls))


def fields_of(i: Interpreter, cls: Value, *, initvars: bool = False) -> list[tuple[str, Value | None, bool]]:
    """The fields of a dataclass with its bases: name, default, whether the constructor takes it. `initvars`: with what is none but for the constructor."""
    found: dict[str, tuple[Value | None, bool]] = {}
    for base in reversed(mro(i, cls)):
        if isinstance(base, Ref):
            listed = i.heap.get(base.oid, FIELDS)
            for item in listed.items or () if isinstance(listed, Tuple) else ():
                assert isinstance(item, Const)
                name = str(item.value)
                if not initvars and i.heap.get(base.oid, (INITVAR, name)) is not None:
                    continue
                default = i.heap.get(base.oid, name)
                found[name] = (default, i.heap.get(base.oid, ("noinit", name)) is None)
    return [(name, default, takes) for name, (default, takes) in found.items()]


def is_of_library(i: Interpreter, ref: Ref) -> bool:
    """Whether an object is one of a class of a library, of which the program sees what its methods show."""
    return i.info(ref.oid).kind == "instance" and isinstance(i.heap.get(ref.oid, CLASS), External)


def frozen(i: Interpreter, cls: Value) -> bool:
    """Whether a class is a dataclass whose instances cannot be changed."""
    return isinstance(cls, Ref) and any(isinstance(base, Ref) and i.heap.get(base.oid, ("#", "frozen")) == TRUE for base in mro(i, cls))
