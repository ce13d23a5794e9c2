"""The result of a call of a library: the value that the result type of its model stands for.

The type `list[str]` is a new list of strings of unknown length, and a type variable is what the argument was.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from math import inf
from typing import Final, NamedTuple

from mxlint.domain.arrays import Array
from mxlint.domain.join import join, of
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Const,
    External,
    Kind,
    Measure,
    Member,
    Option,
    Range,
    Ref,
    Symbolic,
    Tuple,
    Unknown,
    Value,
    members,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import how_many, loops_of, over, united
from mxlint.interpreter.containers.builders import any_number, new_list, new_set
from mxlint.interpreter.containers.elements import view_element
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.expressions.arithmetic import NUMBERS
from mxlint.interpreter.generators.advancing import element_of
from mxlint.interpreter.generators.iterators import new_iterator
from mxlint.interpreter.libraries import dtypes, opaque
from mxlint.interpreter.libraries.measures import axes_in, measured
from mxlint.interpreter.loops import draws
from mxlint.interpreter.loops.contents import read_out
from mxlint.interpreter.loops.iteration import collected
from mxlint.interpreter.loops.taking import taken
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.garbage import CalledBack
from mxlint.interpreter.machine.locations import MOVED, REST, REST_KEY, STORED
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.models.expression import Type
from mxlint.models.schema import Model

SCALARS: Final = {"None": "NoneType", "bool": "bool", "int": "int", "float": "float", "complex": "complex", "str": "str", "bytes": "bytes"}
"""The types whose values are scalars, and the names of these types in Python."""


SOURCE: Final = ("#", "source")
"""A field of an object of a library: where it comes from, if that is outside of the program."""


class Called(NamedTuple):
    """What a result is made of: the model that is called, None for an operand of a model, what its parameters are bound to, the object whose method it is,
    and where. `tag` distinguishes the parts of one result."""

    found: Model | None
    bound: Mapping[str, Value]
    owner: Value | None
    place: Place
    frame: Frame
    tag: object = 0

    @property
    def name(self) -> str:
        """The name of what is called."""
        return self.found.name if self.found is not None else ""

    @property
    def source(self) -> str:
        """Where the result comes from, if it is none of what the call is given."""
        return self.found.source or ("random" if self.found.draws else "") if self.found is not None else ""

    @property
    def draws(self) -> bool:
        """Whether it draws from what it is given."""
        return self.found is not None and bool(self.found.draws)

    @property
    def given(self) -> tuple[Value, ...]:
        """The object and all arguments."""
        return (*(() if self.owner is None else (self.owner,)), *self.bound.values())


def result_of(i: Interpreter, of: Type, call: Called) -> Value:
    """The value that a result type stands for."""
    return _MADE.get(of.kind, _unknown)(i, of, call)


def _part(i: Interpreter, of: Type, call: Called, number: object = 0) -> Value:
    """A part of a result."""
    return result_of(i, of, call._replace(tag=(call.tag, number)))


def _unknown(i: Interpreter, of: Type, call: Called) -> Value:
    """Something of which only the kind is known."""
    kinds = frozenset((of.kind,)) if of.kind in ("function", "module") else None
    return i.symbolic(call.place, call.name or of.kind, kinds=kinds, source=call.source)


def _any(i: Interpreter, of: Type, call: Called) -> Value:
    kinds = dtypes.kinds_of_item(i, call.owner, call.bound.get("key")) if call.name.endswith(".__getitem__") else None
    if (fixed := _fixed_scalar(i, kinds, call)) is not None:
        return fixed
    return i.symbolic(call.place, call.name or "result", kinds=kinds, source=call.source)


def _fixed_scalar(i: Interpreter, kinds: frozenset[str] | None, call: Called) -> Symbolic | None:
    """A scalar of an array that is made of constants, at an index that is one: the same each time. None of anything else."""
    if kinds is None or len(kinds) != 1 or dtypes.ARRAY in kinds or (fixed := opaque.fixed(i, call.given)) is None:
        return None
    made = i.derived(call.name, fixed, kinds, call.place)
    return Symbolic(made.identity, made.kinds, made.label, source="constants")


def _none(i: Interpreter, of: Type, call: Called) -> Value:
    return NONE


def _never(i: Interpreter, of: Type, call: Called) -> Value:
    raise Halt


def _union(i: Interpreter, of: Type, call: Called) -> Value:
    """One of several things. Whether numpy gives a number or an array is said by what it is given: where nobody says what that is, neither is known to come of it."""
    if any(part.name == dtypes.ARRAY for part in of.args) and any(_may_be_any(member) for value in call.given for member in members(value)):
        kinds = frozenset(part.name if part.name == dtypes.ARRAY else SCALARS.get(part.kind, part.name) for part in of.args)
        return i.symbolic(call.place, call.name, kinds=kinds, source=call.source)
    return choices.any_of(i, [_part(i, part, call, number) for number, part in enumerate(of.args)], call.place, call.tag)


def _may_be_any(member: Member) -> bool:
    """Whether nobody in sight says of which kind something is."""
    return isinstance(member, Unknown) or isinstance(member, Symbolic) and member.kinds is None


def _self(i: Interpreter, of: Type, call: Called) -> Value:
    return call.owner if call.owner is not None else i.symbolic(call.place, call.name)


def _argument(i: Interpreter, of: Type, call: Called) -> Value:
    if of.name == "cls" and call.owner is not None and of.name not in call.bound:
        return call.owner
    return call.bound.get(of.name, NONE)


def _scalar(i: Interpreter, of: Type, call: Called) -> Value:
    """A number, flag or string: derived from what the call is given, as far as that can be said."""
    kind, name, place, found = SCALARS[of.kind], call.name, call.place, call.found
    parts = [m for value in call.given for m in members(value)]
    if call.source or any(isinstance(m, Symbolic) for m in parts):
        return _symbolic_scalar(i, kind, parts, call)
    if (outside := _source_of_owner(i, call)) is not None:
        return i.symbolic(place, name, kinds=frozenset((kind,)), source=outside)
    if (number := _drawn(i, kind, parts, call)) is not None:
        return number
    fixed = opaque.fixed(i, parts)
    if fixed is not None:
        made = i.derived(name, fixed, frozenset((kind,)), place)
        return Symbolic(made.identity, made.kinds, made.label, source="constants")
    arrays = [m for m in parts if isinstance(m, Array)]
    if arrays and i.trace is None:
        return read_out(i, arrays, name, kind, place)
    axes = frozenset(axis for m in parts for axis in axes_in(i, m)) if kind in NUMBERS else frozenset()
    if axes:
        return Measure(kind, axes)  # type: ignore[arg-type]
    imprecise = any(isinstance(m, Unknown) or isinstance(m, Kind) and m.cause == "imprecise" for m in parts)
    opened = any(isinstance(m, Kind) and m.cause == "open" for m in parts) or found is not None and found.fold == "no"
    loops = frozenset[Hashable]() if found is not None and found.few else united(map(loops_of, parts))
    return over(Kind(kind, "imprecise" if imprecise else "open" if opened else "varying"), loops)


def _drawn(i: Interpreter, kind: str, parts: list[Member], call: Called) -> Symbolic | None:
    """The number that a call makes of one of a library's that was drawn, as `int(rng.integers(9))` does: as drawn as that."""
    held = [i.heap.get(m.oid, MOVED) for m in parts if isinstance(m, Ref)] if i.trace is None and kind in NUMBERS else []
    if len(parts) != 1 or not held or not isinstance(held[0], Range):
        return None
    made = i.symbolic(call.place, call.name, kinds=frozenset((kind,)), source="random")
    count = how_many(held[0])
    i.ledger.of(draws.Drawn).known[made.identity] = draws.Spread(inf if count is None else count - 1.0, 1.0)
    return made


def _source_of_owner(i: Interpreter, call: Called) -> str | None:
    """Where an object comes from of which an attribute is read, as what `os.stat` gives: that comes from there as well."""
    owner = call.given[0] if call.found is not None and call.found.kind == "attribute" and call.given else None
    source = i.heap.get(owner.oid, SOURCE) if isinstance(owner, Ref) else None
    return str(source.value) if isinstance(source, Const) else None


def _symbolic_scalar(i: Interpreter, kind: str, parts: list[Member], call: Called) -> Value:
    """A number, flag or string that is made of symbolic values, or comes from outside."""
    if call.source == "identity" and len(call.given) == 1:
        return i.split(call.given[0], lambda part: _of_identity(i, kind, part, call))
    if not call.source and call.found is not None and call.found.fold != "no" and len(call.given) <= 4:
        combined = choices.combinations(call.given) or [(tuple(parts), ())]
        return of(Option(i.derived(call.name, given, frozenset((kind,)), call.place), guard) for given, guard in combined)
    made = i.symbolic(call.place, call.name, kinds=frozenset((kind,)), source=call.source)
    if kind == "int" or not call.source:
        i.comes_from[made.identity] = tuple(parts)
    if call.found is not None and call.source in draws.DRAWN:
        draws.drawn(i, made.identity, call.found, call.bound, kind)
    return made


def _of_identity(i: Interpreter, kind: str, part: Member, call: Called) -> Value:
    """A number that goes with which object something is, as `id(x)`: the same one of the same thing."""
    if isinstance(part, Symbolic):
        made = i.derived(call.name, (part,), frozenset((kind,)), call.place)
        return Symbolic(made.identity, made.kinds, made.label, source=call.source)
    made = i.symbolic(call.place, call.name, kinds=frozenset((kind,)), source=call.source)
    i.comes_from[made.identity] = (part,)
    return made


# -- containers --------------------------------------------------------------------------------------------------------


def _tuple(i: Interpreter, of: Type, call: Called) -> Value:
    return Tuple(tuple(_part(i, part, call, number) for number, part in enumerate(of.args)))


def _items(i: Interpreter, of: Type, call: Called) -> Value:
    return any_number(_part(i, of.args[0], call))


def _list_or_set(i: Interpreter, of: Type, call: Called) -> Value:
    content = _contents(i, of.args[0], call) if of.args else None
    if content is None:
        empty = of.args and of.args[0].kind == "never"
        content = Tuple(()) if empty else any_number(_element(i, of, call))
    make = new_list if of.kind == "list" else new_set
    return make(i, content, call.place, (call.name, call.tag))


def _contents(i: Interpreter, of: Type, call: Called) -> Tuple | None:
    """The items of a container that holds exactly what another one gives. What is drawn are some of them, some more than once."""
    if of.kind != "element" or of.args[0].kind != "arg" or call.draws:
        return None
    value = call.bound.get(of.args[0].name)
    if value is None or any(isinstance(m, (Symbolic, Unknown, Array)) for m in members(value)):
        return None
    return collected(i, value, call.place, call.frame)


def _element(i: Interpreter, of: Type, call: Called) -> Value:
    """What each item is."""
    return _part(i, of.args[0], call) if of.args else i.symbolic(call.place, call.name)


def _iterator(i: Interpreter, of: Type, call: Called) -> Value:
    return new_iterator(i, "iter", (any_number(_element(i, of, call)),), call.place)


def _dict(i: Interpreter, of: Type, call: Called) -> Value:
    oid = i.allocate("dict", None, call.place, (call.name, call.tag))
    if not (of.args and of.args[0].kind == "never"):
        i.heap.set(oid, REST_KEY, _part(i, of.args[0], call, "key") if of.args else i.symbolic(call.place, "key"))
        i.heap.set(oid, REST, _part(i, of.args[1], call, "value") if of.args else i.symbolic(call.place, "value"))
    return Ref(oid)


def _instance(i: Interpreter, of: Type, call: Called) -> Value:
    """An object of a class of the library, which knows what it was made with."""
    oid = i.allocate("instance", None, call.place, (of.name, call.tag))
    i.heap.set(oid, CLASS, External(of.name))
    if call.source:
        i.heap.set(oid, SOURCE, Const(call.source))
    uses = call.found.array or () if call.found is not None and i.trace is not None else ()
    converted = {use.parameter for use in uses if use.word == "converts"}  # which raises in a trace: no placeholder comes through
    for key, value in call.bound.items():
        if key not in converted:
            i.heap.set(oid, ("made with", key), value)
    if of.name == dtypes.ARRAY and of.args:
        dtypes.hold(i, oid, _scalars(i, of.args[0], call))
    held = _held(i, of, call)
    if held is not None:
        i.heap.set(oid, STORED, held)
    opaque.fix(i, Ref(oid), call.found, call.given)
    return measured(i, Ref(oid), call.given)


def _held(i: Interpreter, of: Type, call: Called) -> Value | None:
    """What lies in a new object, each another number; None where no more than a class is known of it. An array is made of arrays, and of what its model says:
    a list that numpy is given is not iterated."""
    content = of.args[-1] if of.args else None
    if content is None or content.kind in ("never", "instance", "new", "like") or of.name != dtypes.ARRAY and len(of.args) > 1:
        return None
    if of.name == dtypes.ARRAY and dtypes.are_few(call.bound):
        return None
    if of.name == dtypes.ARRAY and content.kind == "element":
        return dtypes.numbers(i, _operand(i, content, call))
    types = _types(_part(i, content, call))
    return Kind(types.pop() if len(types) == 1 else "number", "open") if types and types <= {"int", "float", "number"} else None


def _scalars(i: Interpreter, of: Type, call: Called) -> str | None:
    """The class of what lies in an array: one that the model names, one that an argument names, or that of another array or list."""
    if of.kind == "new":
        return dtypes.named(_operand(i, of, call))
    if of.kind == "like":
        return dtypes.computed(i, _operand(i, of, call), call.bound.get("value"), call.name)
    return dtypes.held(i, _operand(i, of, call)) if of.kind == "element" else of.name or None


def _types(value: Value) -> set[str]:
    """The types that a value may have, "" for what is not known."""
    kinds = (m.kinds if isinstance(m, Symbolic) and m.kinds else (scalar_type(m) or "",) for m in members(value))
    return {name for names in kinds for name in names}


# -- what is made of one operand ---------------------------------------------------------------------------------------


def _operand(i: Interpreter, of: Type, call: Called) -> Value:
    return result_of(i, of.args[0], call._replace(tag="operand")) if of.args else NONE


def _one_of(i: Interpreter, of: Type, call: Called) -> Value:
    """An element of the operand."""
    if call.name.endswith(".__getitem__") and len(call.bound) == 1:
        kinds = dtypes.kinds_of_item(i, call.owner, call.bound.get("key"))
        if (fixed := _fixed_scalar(i, kinds, call)) is not None:
            return fixed
    element = element_of(i, _operand(i, of, call), call.place, call.frame)
    if call.name.endswith(".__getitem__") and len(call.bound) == 1:
        element = taken(i, element, call.place, *call.bound.values())
    return choices.any_of(i, [*members(element)], call.place, "drawn") if call.draws else element


def _of_view(i: Interpreter, of: Type, call: Called) -> Value:
    """A key or value of the operand."""
    return view_element(i, f"{of.kind}s", _operand(i, of, call), call.place)


def _item(i: Interpreter, of: Type, call: Called) -> Value:
    """The item of the operand at a position."""
    found = []
    for member in members(_operand(i, of, call)):
        if isinstance(member, Tuple) and member.items is not None and int(of.name) < len(member.items):
            found.append(member.items[int(of.name)])
        else:
            found.append(element_of(i, member, call.place, call.frame))
    return join(found)


def _of_callback(i: Interpreter, of: Type, call: Called) -> Value:
    """What the calls of a callback have given."""
    known = i.ledger.of(CalledBack).results.get((call.name, call.place))
    kept = [m for m in members(known) if m != UNBOUND] if known is not None else []
    return join(kept) if kept else i.symbolic(call.place, "result of a callback")


def _new(i: Interpreter, of: Type, call: Called) -> Value:
    """An object of the class that the operand is."""
    cls = _operand(i, of, call)
    if isinstance(cls, External):
        oid = i.allocate("instance", None, call.place, label=cls.name.rpartition(".")[2])
        i.heap.set(oid, CLASS, cls)
        return Ref(oid)
    if isinstance(cls, (Symbolic, Unknown)):
        return i.symbolic(call.place, "instance")
    return i.call(cls, Arguments(), call.place, call.frame)


def _class(i: Interpreter, of: Type, call: Called) -> Value:
    args = Arguments((_operand(i, of, call),), places=(call.place,))
    return i.operations.external(i, "builtins.type", args, call.place, call.frame)


def _like(i: Interpreter, of: Type, call: Called) -> Value:
    """Another value of the operand's type."""
    return join([_another(i, member, call.place) for member in members(_operand(i, of, call))])


def _python(i: Interpreter, of: Type, call: Called) -> Value:
    """What Python has in the place of the operand."""
    return dtypes.of_python(i, _operand(i, of, call), call.place)


def _another(i: Interpreter, member: Member, place: Place) -> Value:
    if isinstance(member, Symbolic):
        return i.symbolic(place, "like", kinds=member.kinds)
    cls = i.heap.get(member.oid, CLASS) if isinstance(member, Ref) and i.info(member.oid).kind == "instance" else None
    if isinstance(cls, External):
        made = i.allocate("instance", None, place, label=cls.name.rpartition(".")[2])
        i.heap.set(made, CLASS, cls)
        return Ref(made)
    name, axes = scalar_type(member), axes_in(i, member)
    if name is None:
        return member
    if axes:
        return Measure(name, axes)  # type: ignore[arg-type]
    return over(Kind(name, member.cause if isinstance(member, Kind) else "varying"), loops_of(member))


_MADE: Final[Mapping[str, Callable[[Interpreter, Type, Called], Value]]] = {
    **dict.fromkeys(SCALARS, _scalar),
    "None": _none,
    "any": _any,
    "never": _never,
    "union": _union,
    "self": _self,
    "arg": _argument,
    "tuple": _tuple,
    "items": _items,
    **dict.fromkeys(("list", "set", "frozenset"), _list_or_set),
    "iterator": _iterator,
    "dict": _dict,
    "instance": _instance,
    "element": _one_of,
    **dict.fromkeys(("key", "value"), _of_view),
    "item": _item,
    "like": _like,
    "call": _of_callback,
    "new": _new,
    "class_of": _class,
    "python": _python,
}
"""By the word of a result type, what makes the value."""
