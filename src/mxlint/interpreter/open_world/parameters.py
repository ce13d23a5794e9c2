"""The arguments of functions that nothing in sight calls, and the objects on which methods are called.

A parameter is what its annotation says, else what its default says, else what its uses say, else an array of a compiled function and symbolic in host code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import NONE, Const, External, Ref, Symbolic, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.containers.builders import any_number, new_list
from mxlint.interpreter.containers.elements import enum_members
from mxlint.interpreter.containers.open_entries import VALUES_OF
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.paths import CLIENT
from mxlint.interpreter.machine.reach import arrays_in, each_place
from mxlint.interpreter.objects.annotations import SCALARS, alternatives, named, said, says_nothing
from mxlint.interpreter.objects.field_defaults import default_of
from mxlint.interpreter.objects.hints import Annotations
from mxlint.interpreter.objects.keeping import kept_fields
from mxlint.interpreter.objects.lookup import BASES, CLASS, class_attribute, fields_of, module_frame, mro
from mxlint.interpreter.objects.overriding import is_abstract
from mxlint.interpreter.open_world import defaults, layers_in_sight, unseen_layers
from mxlint.interpreter.open_world.annotated_containers import ITERABLES, LISTS, SEQUENCES, TUPLES, container, element, head_name
from mxlint.interpreter.open_world.given_contents import CONTAINER
from mxlint.interpreter.open_world.given_stars import apart_by_number
from mxlint.interpreter.open_world.handed_on import spread_into
from mxlint.interpreter.open_world.kinds_by_use import is_array, is_dict, is_integer, may_be_anything
from mxlint.interpreter.open_world.out_of_reach import hidden
from mxlint.interpreter.open_world.presumptions import presume
from mxlint.interpreter.open_world.standing import Standing
from mxlint.interpreter.open_world.uses import WORDS, by_use
from mxlint.models.load import bases, model
from mxlint.syntax import ir


def arguments(
    i: Interpreter, ref: Ref, info: FunctionInfo, bound: int, names: frozenset[str], *, compiled_function: bool = False
) -> Arguments:
    """Arguments for a function that nothing in sight calls. What of a compiled function has an object as its default is left out: the trace has that object
    then, as one of an older list, and not a copy of it."""
    given: list[Value] = []
    left_out = False
    places: list[Place] = []
    keywords: dict[str, Value] = {}
    more: dict[str, Value] = {}
    for param in info.node.params[bound:]:
        if param.name in names:
            continue
        place = Place(info.source, param.start, param.end)
        if param.star:
            begun = i.heap.mark()
            annotated = _annotated(i, ref, param.annotation, param.name, place, several=True)
            held = element(i, annotated, begun) if annotated is not None else None
            taking = spread_into(i, ref, info, param.name) if held is None and compiled_function and param.star == "*" else None
            if taking is not None:
                for its in taking.info.node.params:
                    if its.name in taking.params:
                        at = Place(taking.info.source, its.start, its.end)
                        given.append(presumed(i, taking.function, taking.info, its, at, compiled_function=True))
                        places.append(at)
                continue
            if held is None and compiled_function:
                held = presume(i, Array(i.ident(place, "parameter"), None, None, None, several=True), param.name)
            star = i.symbolic(place, "parameter", param.name, source="parameter")
            unsaid = star if param.star == "*" else i.derived(VALUES_OF, (star,), None, place, param.name)
            more[param.star] = held if held is not None else unsaid
            continue
        if compiled_function and isinstance(i.heap.get(ref.oid, ("default", param.name)), Ref):
            left_out = True
            continue
        value = presumed(i, ref, info, param, place, compiled_function=compiled_function)
        if param.kwonly or left_out:
            keywords[param.name] = value
        else:
            given.append(value)
            places.append(place)
    keyword_places = {name: Place(info.source, info.node.start, info.node.end) for name in keywords}
    made = Arguments(given, keywords, more.get("*"), more.get("**"), places, keyword_places)
    made.is_given = True
    return made


def presumed(i: Interpreter, ref: Ref, info: FunctionInfo, param: ir.Param, place: Place, *, compiled_function: bool) -> Value:
    """What a parameter is taken to be: by its annotation, else by its default, else an array of a compiled function, or symbolic."""
    default = i.heap.get(ref.oid, ("default", param.name))
    annotated = _annotated(i, ref, param.annotation, param.name, place, default)
    if default is not None and (chosen := _of_enum(i, default, place)) is not None:
        return chosen
    if isinstance(default, Ref) and isinstance(annotated, Symbolic) and annotated.identity[0] == PROTOCOL:
        return choices.any_of(i, (default, annotated), place, default=0)  # one object is known that has what the protocol asks for
    if compiled_function and isinstance(annotated, Symbolic) and annotated.identity[0] == CONTAINER:
        return _of_anything(i, ref, param, place) or annotated
    if annotated is None and not compiled_function:
        annotated = _of_numpy(i, ref, param.annotation, place)
    if annotated is not None:
        return annotated if default is None or isinstance(default, Const) else _or_default(i, annotated, default, place, param.name)
    if default is not None:
        if default in (NONE, Tuple(())):  # who leaves nothing out gives something else
            return choices.any_of(i, (default, i.symbolic(place, "parameter", param.name, source="parameter")), place, default=0)
        if isinstance(default, Const):
            return _of_default(i, default, param.name, place)
        return default
    its = (i, ref, info, param.name)
    if not compiled_function and (used := by_use(*its)) is not None:
        made = instance_by_use(i, used, param.name, place)
        return made if made is not None else i.symbolic(place, "parameter", param.name, source="parameter")
    if not compiled_function and is_integer(*its):
        return i.symbolic(place, "parameter", param.name, frozenset(("int",)), "parameter", f"`{param.name}` is an int")
    if compiled_function and says_nothing(i, ref, param.annotation) and not (is_dict(*its) or may_be_anything(*its) and not is_array(*its)):
        return presume(i, Array(i.ident(place, "parameter"), None, None, None), param.name)
    unknown = i.symbolic(place, "parameter", param.name, source="parameter")
    if compiled_function:
        return unknown
    layers = [value for cls in layers_in_sight.given(i, ref, info, param.name) if (value := some_object(i, cls, place)) is not None]
    return choices.any_of(i, (unknown, *layers), place, tag=param.name) if layers else unknown


def _or_default(i: Interpreter, annotated: Value, default: Value, place: Place, name: str) -> Value:
    """What is given by an annotation, or the default, which is there for who gives nothing."""
    return choices.any_of(i, (default, annotated), place, ("default", name), default=0)


def instance_by_use(i: Interpreter, cls: External, name: str, place: Place) -> Value | None:
    """An instance of the class that the uses of something ask for: what is written on it depends on that presumption. None if making one ends nowhere."""
    made = some_object(i, cls, place)
    words = i.ledger.of(Standing).presumed
    for _, _, member in each_place(i, (made,) if made is not None else ()):
        if isinstance(member, Ref):
            words[member.oid] = f"`{name}` is {WORDS[cls]}"
    return made


def _of_default(i: Interpreter, default: Const, name: str, place: Place) -> Value:
    """What somebody gives of the type of a default."""
    kinds = frozenset((type(default.value).__name__,))
    return defaults.keep(i, i.symbolic(place, "parameter", name, kinds, "parameter"), default)


def _annotated(
    i: Interpreter, ref: Ref, annotation: ir.Expr | None, name: str, place: Place, default: Value | None = None, *, several: bool = False
) -> Value | None:
    """What a parameter or field is by its annotation; None if that does not say, or not of each alternative. `several`: it stands for several."""
    kinds: list[str] = []
    found: list[Value] = []
    for part in alternatives(i, ref, annotation):
        if isinstance(part, ir.Const) and part.value is None:
            kinds.append("NoneType")
        elif isinstance(part, ir.Name) and part.id in SCALARS:
            kinds.append(SCALARS[part.id])
        elif (held := container(i, ref, part, name, place, partial(_held, i, place))) is not None:
            found.append(held)
        elif (value := _instance(i, named(i, ref, part), place, several=several)) is not None:
            found.append(value)
        elif (kind := _of_list(i, ref, part)) is not None:
            found.append(
                new_list(i, any_number(i.symbolic(place, "element", kinds=frozenset((kind,)), source="parameter")), place, "parameter")
            )
        elif _is_container(i, ref, part):
            found.append(i.symbolic(place, CONTAINER, name, source="parameter"))
        else:
            return None
    if default == NONE and (kinds or found) and "NoneType" not in kinds:
        kinds.append("NoneType")  # who writes `x: Loss = None` means that it may be left out
    if kinds == ["NoneType"]:
        found.append(NONE)
    elif kinds:
        found.append(defaults.keep(i, i.symbolic(place, "parameter", name, frozenset(kinds), "parameter", said(name, kinds)), default))
    scalar = isinstance(default, Const) and bool(kinds)
    return choices.any_of(i, found, place, default=len(found) - 1 if scalar else None) if found else None


def _held(i: Interpreter, place: Place, ref: Ref, annotation: ir.Expr, name: str) -> Value | None:
    """What lies in a container by a part of the annotation."""
    with i.within("held"):
        return _annotated(i, ref, annotation, name, place, several=True)


def _of_list(i: Interpreter, ref: Ref, annotation: ir.Expr) -> str | None:
    """The kind of the numbers or strings of which an annotation says that a parameter is a list."""
    if not isinstance(annotation, ir.Sub) or not isinstance(annotation.index, ir.Name):
        return None
    return SCALARS.get(annotation.index.id) if head_name(i, ref, annotation.value) in LISTS else None


def _of_anything(i: Interpreter, ref: Ref, param: ir.Param, place: Place) -> Value | None:
    """What a compiled function takes for a list or tuple of which an annotation does not say what it holds: a list of arrays, by a presumption. None of
    any other container."""
    for part in alternatives(i, ref, param.annotation):
        head = head_name(i, ref, part.value if isinstance(part, ir.Sub) else part)
        if head not in SEQUENCES | TUPLES | ITERABLES:
            continue
        inner = part.index if isinstance(part, ir.Sub) and not isinstance(part.index, ir.Seq) else None
        begun = i.heap.mark()
        held = element(i, _held(i, place, ref, inner, param.name), begun) if inner is not None else None
        several = presume(i, Array(i.ident(place, "element"), None, None, None, several=True), f"{param.name}[…]")
        return new_list(i, any_number(held if held is not None else apart_by_number(i, several, param.name)), place, "parameter")
    return None


ITERABLE: Final = "collections.abc.Iterable"


def _is_container(i: Interpreter, ref: Ref, annotation: ir.Expr) -> bool:
    """Whether an annotation says that a parameter is a container of Python: a class that is made of an iterable, or an abstract one of such."""
    head = annotation.value if isinstance(annotation, ir.Sub) else annotation
    known = named(i, ref, head)
    built_in = f"builtins.{head.id}" if known is None and isinstance(head, ir.Name) else ""
    name = known.name if isinstance(known, External) else built_in
    found = model(name) if name else None
    return found is not None and found.kind == "class" and (bool(found.iterates) or ITERABLE in bases(found.name))


def _instance(i: Interpreter, cls: Value | None, place: Place, *, several: bool) -> Value | None:
    """An instance of a class that an annotation names, of which something is known. `several`: it stands for several, and for none that is known, but that among
    those which are given between two calls the one may be that the calls are about."""
    if isinstance(cls, External) and cls.name == "mlx.core.array":
        return Array(i.ident(place, "parameter"), None, None, None)
    if isinstance(cls, Ref) and _is_protocol(i, cls):
        return i.symbolic(place, PROTOCOL, source="parameter")
    if listed := _listed(i, cls):
        return choices.any_of(i, listed, place)
    if isinstance(cls, Ref) or isinstance(cls, External) and cls.name.startswith(("mlx.nn.", "mlx.optimizers.")):
        return some_object(i, cls, place, known=not several or _between_calls(i))
    return None


def _of_enum(i: Interpreter, default: Value, place: Place) -> Value | None:
    """Any member of the enum of which a default is one."""
    cls = i.heap.get(default.oid, CLASS) if isinstance(default, Ref) and i.info(default.oid).kind == "instance" else None
    listed = _listed(i, cls)
    return choices.any_of(i, listed, place, default=listed.index(default)) if default in listed else None


def _listed(i: Interpreter, cls: Value | None) -> tuple[Value, ...]:
    """The members of an enum, of which each object of the class is one; nothing if there are many, or other objects."""
    found = enum_members(i, cls) if isinstance(cls, Ref) else None
    if found is None or len(found) > MOST_MEMBERS or cls is not None and not FLAGS.isdisjoint(mro(i, cls)):
        return ()
    return found


FLAGS: Final = frozenset((External("enum.Flag"), External("enum.IntFlag")))
"""Enums of which objects are also made that are no members."""
MOST_MEMBERS: Final = 8
"""Members of an enum that are distinguished where nobody in sight says which one it is."""


def _of_numpy(i: Interpreter, ref: Ref, annotation: ir.Expr | None, place: Place) -> Value | None:
    """An array of numpy, where an annotation says that a parameter is one: a compiled function that is given it takes none."""
    found = [named(i, ref, part) for part in alternatives(i, ref, annotation)]
    if not found or any(not isinstance(cls, External) or cls.name != "numpy.ndarray" for cls in found):
        return None
    return some_object(i, External("numpy.ndarray"), place)


def _between_calls(i: Interpreter) -> bool:
    """Whether the client lets something run between two calls."""
    literals = (condition.literal for condition in i.path if condition.literal is not None)
    return any(literal.outcome and isinstance(literal.condition, tuple) and literal.condition[:1] == (CLIENT,) for literal in literals)


PROTOCOL: Final = "protocol"
"""What begins the identity of a parameter that a protocol annotates."""
PROTOCOLS: Final = frozenset(("typing.Protocol", "typing_extensions.Protocol"))


def _is_protocol(i: Interpreter, cls: Ref) -> bool:
    """Whether a class only says what objects of other classes have."""
    held = i.heap.get(cls.oid, BASES)
    bases = held.items or () if isinstance(held, Tuple) else ()
    return any(isinstance(base, External) and base.name in PROTOCOLS for value in bases for base in members(value))


def some_object(i: Interpreter, cls: Ref | External, place: Place, *, known: bool = True) -> Value | None:
    """An object of a class, made with symbolic arguments; None if making one ends nowhere. `known`: it may be the one that others are given as well."""
    making = i.ledger.of(Standing).making
    samples = i.ledger.of(Standing).samples
    key = cls.oid if isinstance(cls, Ref) else cls.name
    if known and key in samples:
        return samples[key]
    if key in making:
        return None
    if isinstance(cls, External):
        return _handed_over(i, i.call(cls, Arguments((), {}, star=i.symbolic(place, "argument")), place, _any_frame(i)))
    making.add(key)
    try:
        args = Arguments()
        constructors = (class_attribute(i, cls, name) for name in ("__init__", "__new__"))
        constructor = next((held for held in constructors if isinstance(held, Ref)), None)
        if constructor is not None and isinstance(info := i.info(constructor.oid).payload, FunctionInfo):
            args = arguments(i, constructor, info, 1, frozenset())
        elif named_fields := [(name, default) for name, default, takes in fields_of(i, cls) if takes] or kept_fields(i, cls):
            args = Arguments(
                (), _fields(i, cls, named_fields, place), kwstar=i.derived(VALUES_OF, (i.symbolic(place, "field"),), None, place)
            )
        mark = i.heap.mark()
        try:
            with i.within(("made", key)):  # classes that inherit one constructor may be made for one method
                made = _handed_over(i, i.call(cls, args, place, module_frame(i, Ref(next(iter(i.modules.values()))))), cls)
        except Halt:
            i.heap.undo(mark)
            return None
        for member in members(made):
            if isinstance(member, Ref):
                i.ledger.of(Standing).objects.add(member.oid)
                if i.mlx.object_kind(i, member) == "module" and is_abstract(i, cls):
                    unseen_layers.add_to(i, member, place)
        return made
    finally:
        making.discard(key)


def _fields(i: Interpreter, cls: Ref, fields: Sequence[tuple[str, Value | None]], place: Place) -> dict[str, Value]:
    """What the fields of a dataclass or named tuple hold whose defaults or annotations say of which kind they are."""
    found: dict[str, Value] = {}
    written = i.ledger.of(Annotations).names
    for name, default in fields:
        with i.within(("field", name)):  # all fields have one place
            value = _field(i, cls, name, default, written, place)
        if value is not None:
            found[name] = value
    return found


def _field(
    i: Interpreter, cls: Ref, name: str, default: Value | None, written: Mapping[tuple[int, str], ir.Expr], place: Place
) -> Value | None:
    if isinstance(default, Const) and default.value is not None:
        return _of_default(i, default, name, place)
    for base in mro(i, cls):
        annotation = written.get((base.oid, name)) if isinstance(base, Ref) else None
        if isinstance(base, Ref) and annotation is not None:
            annotated = _annotated(i, base, annotation, name, place, default)
            left = default_of(i, default, place, _any_frame(i)) if annotated is not None else None
            return (
                annotated if annotated is None or left is None or isinstance(left, Const) else _or_default(i, annotated, left, place, name)
            )
    return None


def _handed_over(i: Interpreter, made: Value, cls: Ref | None = None) -> Value:
    """An object that somebody out of sight makes: who makes one may compute the arrays that lie open in it before the object is used."""
    within = hidden(i, cls, made) if cls is not None and isinstance(made, Ref) else frozenset[str]()
    fields = i.heap.fields(made.oid) if isinstance(made, Ref) and within else {"": made}
    for array in arrays_in(i, *(value for field, value in fields.items() if field not in within)):
        sinks.computed(i, array)
    return made


def _any_frame(i: Interpreter) -> Frame:
    return module_frame(i, Ref(next(iter(i.modules.values()))))
