"""Attributes and items: reading and writing what objects hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mxlint.syntax import ir
from mxlint.tracing import call as calls
from mxlint.tracing import dtypes, interpreter, operators, shapeless, shapes
from mxlint.tracing.heap import SHARED
from mxlint.tracing.machine import Machine, chain_of, holds_traced
from mxlint.tracing.mlx.names import LAYER_METHODS, MODULE_METHODS, OPTIMIZER_METHODS, canonical, constant, is_module_class
from mxlint.tracing.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Array,
    AttributesV,
    BoundV,
    Choice,
    ClassV,
    CompiledV,
    DictV,
    External,
    Foreign,
    Frame,
    FuncV,
    Heap,
    Instance,
    ListV,
    ModuleV,
    NumpyV,
    Opaque,
    PartialV,
    Place,
    RangeV,
    Scalar,
    ShapeV,
    SliceV,
    Snapshot,
    StateV,
    Step,
    SuperV,
    TransformV,
    Tup,
    Value,
    const,
    join,
    listed,
    now,
    one_of,
    options,
    without_none,
)  # fmt: skip
from mxlint.tracing.walks import each

BOUND = "#bound"
"""The field of an optimizer that changes whenever another container is assigned to its `state`."""
WEIGHTS = "#weights"
"""The field whose content changes whenever the weights of a library layer, or the state of an optimizer, may have changed."""


MEMBER = "enum member"
"""The kind of a member of an enumeration: `items` are its name and its value, where known, and `element` its qualified name."""
PARTIAL_METHOD = "partialmethod"
"""The kind of what functools.partialmethod gives: `element` is the partial that it becomes with its object."""
FIELD = "dataclasses.Field"
"""The class of what dataclasses.field gives."""
FACTORY = "#factory"
"""The field of a defaultdict that holds what makes its values."""


def lives_in(m: Machine, owner: Heap, value: Value) -> None:
    """A container made for a container from outside the trace lives where it is kept."""
    if m.outer(owner) and isinstance(value, (ListV, DictV)):
        value.born = owner.born


def get(m: Machine, owner: Value, name: str, node: ir.Attr, frame: Frame) -> Value:
    """`owner.name`."""
    owner = without_none(owner)
    if isinstance(owner, Choice):
        found = [get(m, option, name, node, frame) for option in owner.options]
        result = found[0]
        for value in found[1:]:
            result = join(result, value)
        return result
    if isinstance(owner, External):
        dotted = canonical(f"{owner.name}.{name}")
        return constant(dotted) or External(dotted)
    if isinstance(owner, Instance):
        return _of_instance(m, owner, name, node, frame)
    if isinstance(owner, Array):
        return _of_array(m, owner, name, node, frame)
    if isinstance(owner, ModuleV):
        return module_get(m, owner, name, node, frame)
    if isinstance(owner, ClassV):
        return _of_class(m, owner, name, node, frame)
    if isinstance(owner, Opaque):
        return _of_opaque(m, owner, name, node, frame)
    if isinstance(owner, SuperV):
        return _of_super(m, owner, name)
    if isinstance(owner, Tup) and owner.cls is not None:
        names = owner.cls.fields.get("#annotated", ())
        if name in names and names.index(name) < len(owner.items):
            item: Value = owner.items[names.index(name)]
            return item
        cls, value = class_attribute(owner.cls, name)
        if cls is not None and isinstance(value, FuncV):
            return _bound(m, owner, value, m.place(frame, node), frame)
    if isinstance(owner, StateV):
        return BoundV(owner, External(f"builtins.dict.{name}"))
    if isinstance(owner, Snapshot):
        return BoundV(m.array(False, tree=True), External(f"builtins.dict.{name}"))
    if isinstance(owner, (ListV, DictV, Tup)):
        kind = "list" if isinstance(owner, ListV) else "dict" if isinstance(owner, DictV) else "tuple"
        return BoundV(owner, External(f"builtins.{kind}.{name}"))
    if isinstance(owner, Scalar):
        return UNKNOWN if owner.kind == "None" else BoundV(owner, External(f"builtins.{owner.kind}.{name}"))
    if isinstance(owner, AttributesV):
        return BoundV(owner, External(f"builtins.dict.{name}"))
    if isinstance(owner, Foreign) and owner.kind == MEMBER and owner.items is not None and name in ("name", "value"):
        return owner.items[name == "value"]
    if owner == interpreter.VERSION:
        return const(3) if name == "major" else Scalar("int")
    if isinstance(owner, Foreign):
        return BoundV(owner, External(f"mlx.#at.{name}" if owner.kind.startswith("array.at") else f"builtins.{owner.kind}.{name}"))
    if isinstance(owner, TransformV):
        return External("builtins.#identity") if name in ("vjp", "jvp", "vmap") else Opaque(label=name)
    if isinstance(owner, FuncV):
        if name not in owner.fields:
            return Scalar("str") if name in ("__name__", "__qualname__", "__doc__", "__module__") else Opaque(label=name)
        kept: Value = owner.fields[name]
        if m.outer(owner):
            place = m.place(frame, node)
            m.read(owner, name, None, kept, place, place.text, frame)
        return kept
    if isinstance(owner, NumpyV):
        return BoundV(owner, External(f"numpy.ndarray.{name}"))
    if isinstance(owner, (CompiledV, PartialV, BoundV, ShapeV, RangeV)):
        return Opaque(label=name)
    return m.lost("attribute of something unknown")


def mro(cls: Value) -> Iterator[Value]:
    """The class and its bases, depth first, each once; libraries' classes as External."""
    return each((cls,), lambda base: base.bases if isinstance(base, ClassV) else ())


def is_layer_class(cls: Value) -> bool:
    """Whether a class is nn.Module, or made from it."""
    return any(isinstance(base, External) and is_module_class(base.name) for base in mro(cls))


def is_module(value: Value) -> bool:
    """Whether a value is an nn.Module."""
    if isinstance(value, Instance):
        return is_layer_class(value.cls)
    return isinstance(value, Opaque) and bool(value.fields.get("#module"))


def is_namespace(value: Value) -> bool:
    """Whether a value is an object of Python's own that holds nothing but the attributes which it is given."""
    return isinstance(value, Instance) and value.cls == External("types.SimpleNamespace")


def is_optimizer(value: Value) -> bool:
    if isinstance(value, Instance):
        return any(isinstance(cls, External) and cls.name.startswith("mlx.optimizers.") for cls in mro(value.cls))
    return isinstance(value, Opaque) and bool(value.fields.get("#optimizer"))


def becomes_text(m: Machine, value: Value, place: Place, frame: Frame) -> bool:
    """Whether the text of a value shows placeholders. That of an object is what its own method makes, or its address and nothing of what it holds."""
    parts = each((value,), listed)
    return any(
        _text_of_object(m, part, place, frame) if isinstance(part, Instance) else holds_traced(part)
        for part in parts
        if not isinstance(part, (Tup, ListV)) or part.items is None
    )


def _text_of_object(m: Machine, value: Instance, place: Place, frame: Frame) -> bool:
    for name in ("__str__", "__repr__"):
        cls, method = class_attribute(value.cls, name)
        if cls is not None and isinstance(method, FuncV):
            calls.call(m, BoundV(value, method), calls.CallInfo([], {}, frame, place))
            return False
    shown = is_namespace(value) or any(isinstance(cls, ClassV) and cls.dataclass for cls in mro(value.cls))
    return holds_traced(value) and shown


def class_attribute(cls: Value, name: str) -> tuple[ClassV | None, Value]:
    """An attribute looked up through the bases; (None, External) where a library's base decides, (None, UNKNOWN) where nothing is known."""
    library: Value = UNKNOWN
    for base in mro(cls):
        if isinstance(base, ClassV):
            if name in base.fields:
                return base, base.fields[name]
        elif isinstance(base, External) and library is UNKNOWN:
            library = base
    return None, library


def _of_instance(m: Machine, owner: Instance, name: str, node: ir.Attr, frame: Frame) -> Value:
    place = m.place(frame, node)
    if name in ("learning_rate", "step") and m.trace is not None and id(owner) in m.trace.reach_in and is_optimizer(owner):
        return m.array(True, (), Step(place, "captured by inputs="))
    if name in owner.fields:
        value: Value = owner.fields[name]
        if m.outer(owner):
            m.read(owner, name, None, value, place, place.text, frame)
        return value
    cls, value = class_attribute(owner.cls, name)
    if cls is not None:
        if isinstance(value, FuncV):
            if m.outer(owner) and value.wrapper != "property":
                m.read(owner, name, None, value, place, place.text, frame)
                m.read(cls, name, None, value, place, place.text, frame)
            return _bound(m, owner, value, place, frame)
        if isinstance(value, Foreign) and value.kind == PARTIAL_METHOD and isinstance(value.element, PartialV):
            return replace(value.element, function=BoundV(owner, value.element.function))
        if m.outer(cls):
            m.read(cls, name, None, value, place, place.text, frame)
        if m.outer(owner):
            m.read(owner, name, None, value, place, place.text, frame)
        return value
    if name == "__class__":
        return owner.cls
    if name == "__dict__":
        return AttributesV(owner)
    fallback = calls.dunder(owner, "__getattr__") if not name.startswith("__") else None
    if fallback is not None and not is_module(owner):
        return calls.call(m, fallback, calls.CallInfo([const(name)], {}, frame, place, [place]))
    if is_module(owner):
        if name == "state":
            return StateV(owner)
        if name == "training":
            owner.fields[name] = const(True)
            if m.outer(owner):
                m.read(owner, name, None, owner.fields[name], place, place.text, frame)
            return const(True)
        library = next(c.name for c in mro(owner.cls) if isinstance(c, External))
        entry = m.table.entry(library)
        if entry is not None and name in (entry.weights or ()):
            if m.trace is not None and id(owner) in m.trace.reach_in:
                return m.array(True, None, Step(place, "captured by inputs="))
            owner.fields[name] = m.array(False)
            return owner.fields[name]  # type: ignore[no-any-return]
        if name == "to_quantized" and isinstance(owner.cls, External):
            return External(f"mlx.nn.Quantized{owner.cls.name.rpartition('.')[2]}")
        if name in LAYER_METHODS and isinstance(owner.cls, External):
            return BoundV(owner, External("mlx.nn.#layer"))
        if name in MODULE_METHODS:
            return BoundV(owner, External(f"mlx.nn.Module.{name}"))
    elif is_optimizer(owner):
        if name == "state":
            return StateV(owner, owner.fields.get(BOUND, 0))
        if name in OPTIMIZER_METHODS:
            return BoundV(owner, External(f"mlx.optimizers.Optimizer.{name}"))
    elif isinstance(owner.cls, External) and not is_namespace(owner):
        return BoundV(owner, External(f"{owner.cls.name}.{name}"))
    elif isinstance(owner.cls, ClassV) and value is UNKNOWN and not owner.cls.bases:
        return UNKNOWN
    made = Opaque(label=place.text[:40])
    owner.fields[name] = made
    return made


def _bound(m: Machine, owner: Instance | Tup, function: FuncV, place: Place, frame: Frame) -> Value:
    """What an object's class has as a function: the value of a property, or a method."""
    if function.wrapper == "property":
        return calls.call(m, function, calls.CallInfo([owner], {}, frame, place, [place], {}, False, None))
    cls = owner.cls if owner.cls is not None else UNKNOWN
    return function if function.wrapper == "staticmethod" else BoundV(cls if function.wrapper == "classmethod" else owner, function)


def _of_class(m: Machine, owner: ClassV, name: str, node: ir.Attr, frame: Frame) -> Value:
    cls, value = class_attribute(owner, name)
    if cls is None:
        if isinstance(value, External) and value.name == "builtins.object":
            return UNKNOWN
        return External(f"{value.name}.{name}") if isinstance(value, External) else UNKNOWN
    bases = {base.name for base in mro(owner) if isinstance(base, External)}
    if bases & {"enum.Enum", "enum.Flag"} and not isinstance(value, FuncV) and not name.startswith("_"):
        if bases & {"builtins.int", "builtins.str"}:
            return value
        return Foreign(MEMBER, const(f"{owner.name}.{name}"), (const(name), value))
    if isinstance(value, FuncV) and value.wrapper == "classmethod":
        return BoundV(owner, value)
    if m.outer(cls):
        place = m.place(frame, node)
        m.read(cls, name, None, value, place, place.text, frame)
    return value


_ONLY_ARRAYS = frozenset({"astype", "reshape", "transpose", "swapaxes", "moveaxis", "squeeze", "flatten", "sum", "mean", "max", "min"})
_ONLY_TEXT = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "startswith", "endswith", "splitlines", "removeprefix"})
"""Methods that say of something unknown in a trace what it is: an array, be it a placeholder or a constant, or a string."""


def _of_opaque(m: Machine, owner: Opaque, name: str, node: ir.Attr, frame: Frame) -> Value:
    if m.trace is not None and name in _ONLY_ARRAYS:
        return BoundV(m.array(None), External(f"mlx.core.array.{name}"))
    if m.trace is not None and name in _ONLY_TEXT:
        return BoundV(Scalar("str"), External(f"builtins.str.{name}"))
    if owner is UNKNOWN:
        return UNKNOWN
    if name in ("write", "writelines") and "#file" in owner.fields:
        return BoundV(owner, External("io.write"))
    if name == "state" and "state" not in owner.fields:
        return StateV(owner)
    value: Value = owner.fields.get(name, MISSING)
    if value is MISSING:
        value = Opaque({"#param": True} if owner.fields.get("#param") else {}, owner.born, label=f"{owner.label}.{name}")
        owner.fields[name] = value
    if m.outer(owner) and not isinstance(value, Opaque):
        place = m.place(frame, node)
        m.read(owner, name, None, value, place, place.text, frame)
    return value


def _of_super(m: Machine, owner: SuperV, name: str) -> Value:
    for base in owner.cls.bases:
        cls, value = class_attribute(base, name)
        if cls is not None:
            return BoundV(owner.owner, value) if isinstance(value, FuncV) and value.wrapper != "staticmethod" else value
        if isinstance(value, External):
            kind = "mlx.nn.Module" if is_module_class(value.name) and name != "__init__" else value.name
            return BoundV(owner.owner, External(f"{kind}.{name}"))
    return BoundV(owner.owner, External(f"builtins.object.{name}")) if not owner.cls.bases else UNKNOWN


def module_get(m: Machine, owner: ModuleV, name: str, node: ir.Node, frame: Frame) -> Value:
    """A global of another file of the project."""
    target = owner.frame
    if target is None:
        return UNKNOWN
    value: Value = target.fields.get(name, MISSING)
    if value is MISSING:
        inner = calls.module(m, f"{owner.name}.{name}", 0, frame)
        return inner if isinstance(inner, ModuleV) else UNKNOWN
    value = calls.force(target, name, value)
    if m.outer(target):
        place = m.place(frame, node)
        m.read(target, name, None, value, place, place.text, frame)
    return value


def _of_array(m: Machine, owner: Array, name: str, node: ir.Attr, frame: Frame) -> Value:
    if owner.tree:
        return BoundV(owner, External(f"builtins.dict.{name}" if name in ("items", "keys", "values", "get") else f"mlx.core.array.{name}"))
    if name == "shape":
        return shape_value(owner, m.near(frame))
    if name == "ndim":
        known = MISSING if owner.shape is None else len(owner.shape)
        return Scalar("int", known, param=of_argument(owner) and m.near(frame))
    if name in ("size", "nbytes", "itemsize"):
        if name == "itemsize":
            return Scalar("int")
        if owner.shape is None:
            axes = frozenset((n, None) for n in owner.like)
            return Scalar("int", MISSING, axes if owner.traced else frozenset(), of_argument(owner) and m.near(frame))
        size = shapes.product(_sizes(owner, m.near(frame)))
        return size if name == "size" else Scalar("int", MISSING, size.axes, size.param)
    if name == "at":
        return Foreign("array.at", owner)
    if name == "dtype":
        dtype = Foreign(owner.dtype) if owner.dtype is not None else None
        return Foreign(dtypes.OF_ARGUMENT, dtype) if of_argument(owner) and m.near(frame) else dtype or Foreign("dtype")
    if name in ("T", "real", "imag"):
        shape = shapes.transpose(owner.shape, None) if name == "T" else owner.shape
        return m.array(
            owner.traced, shape, operators.step(m, node, frame, owner), sure=True, like=owner.like if name != "T" else frozenset(),
            dtype=owner.dtype if name == "T" else None,
        )  # fmt: skip
    return BoundV(owner, External(f"mlx.core.array.{name}"))


def _sizes(owner: Array, near: bool) -> tuple[Scalar, ...]:
    """The sizes of an array as Python numbers: those of a constant come from no argument.

    Far from the compiled function (`near` false) a test of a size is a matter of the model's configuration, and not of the arguments.
    """
    sizes = owner.shape or ()
    if owner.traced is True:
        return tuple(Scalar("int", size.content, size.axes, near and bool(size.axes)) for size in sizes)
    return tuple(Scalar("int", size.content) for size in sizes)


def of_argument(owner: Array) -> bool:
    """Whether an array has the shape and type of an argument of the compiled function, so that another call may bring others."""
    return owner.traced is True and bool(owner.like)


def shape_value(owner: Array, near: bool) -> Value:
    """`owner.shape`."""
    if owner.shape is not None:
        return Tup(_sizes(owner, near))
    return ShapeV(owner.like if owner.traced is True else frozenset(), near)


# -- writing attributes -----------------------------------------------------------------------------------------------


def put(m: Machine, owner: Value, name: str, value: Value, node: ir.Attr, frame: Frame) -> None:
    """`owner.name = value`."""
    owner = without_none(owner)
    place = m.place(frame, node)
    if isinstance(value, CompiledV) and name == "__call__" and not isinstance(owner, (ClassV, External)):
        value.record.dunder = place
    calls.escape(m, value)
    from mxlint.tracing import layers

    _, found = class_attribute(owner.cls, name) if isinstance(owner, Instance) and name not in owner.fields else (None, UNKNOWN)
    if isinstance(found, FuncV) and found.wrapper == "property":
        setter = found.fields.get(calls.SETTER, UNKNOWN)
        calls.call(m, setter, calls.CallInfo([owner, value], {}, frame, place, [place, place]))
    elif isinstance(owner, ModuleV):
        if owner.frame is not None:
            m.write(owner.frame, name, value, place, place.text, "name", frame)
    elif isinstance(owner, (Instance, ClassV, Opaque, FuncV)) and owner is not UNKNOWN:
        if name == "state" and layers.is_argument(m, value):
            m.journal.store(owner, name, value)
            return
        if name == "state" and m.trace is None and is_optimizer(owner):
            for key in (BOUND, WEIGHTS):
                m.write(owner, key, now(), place, place.text, "attribute", frame)
            return
        m.write(owner, name, value, place, place.text, "attribute", frame)
        if SHARED in owner.fields and isinstance(value, Array):
            m.journal.store(owner, SHARED, 0)
        if isinstance(owner, Instance) and isinstance(owner.cls, External) and not is_namespace(owner) and name != "training":
            m.journal.store(owner, WEIGHTS, now())
            m.last_write[id(owner), WEIGHTS] = place
    elif isinstance(owner, External):
        calls.external_assigned(m, owner, name, value, place)


# -- items ------------------------------------------------------------------------------------------------------------


def get_item(m: Machine, owner: Value, index: Value, node: ir.Sub, frame: Frame) -> Value:
    """`owner[index]`."""
    owner = without_none(owner)
    place = m.place(frame, node)
    if isinstance(owner, Array):
        return _array_item(m, owner, index, node, frame)
    if isinstance(index, Array) and isinstance(owner, (ListV, Tup, Scalar, RangeV)):
        if m.is_placeholder(index):
            m.emit("index", m.place(frame, node.index), "a traced array as index of a Python sequence", frame, index.chain)
        return _any_item(owner)
    if isinstance(owner, (Tup, ListV)):
        return _sequence_item(m, owner, index, node, frame)
    if isinstance(owner, DictV):
        if isinstance(index, Scalar) and index.known:
            value: Value = owner.fields.get(("k", index.content), MISSING)
            if value is not MISSING:
                if m.outer(owner):
                    m.read(owner, ("k", index.content), None, value, place, place.text, frame)
                return operators.marked(value, index)
            if FACTORY in owner.fields:
                made = calls.call(m, owner.fields[FACTORY], calls.CallInfo([], {}, frame, place))
                m.write(owner, ("k", index.content), made, place, place.text, "key", frame)
                lives_in(m, owner, made)
                return made
            if not owner.open:
                m.fails("KeyError", frame)
            return owner.element if owner.open else UNKNOWN
        if FACTORY in owner.fields and not owner.keys and "element" not in owner.fields:
            made = calls.call(m, owner.fields[FACTORY], calls.CallInfo([], {}, frame, place))
            m.journal.store(owner, "open", True)
            m.journal.store(owner, "element", made)
            lives_in(m, owner, made)
        entry = entry_for(owner, index)
        return entry if entry is not None else owner.element if owner.open and not owner.keys else UNKNOWN
    if isinstance(owner, ShapeV):
        if isinstance(index, Scalar) and index.known and isinstance(index.content, int):
            return Scalar("int", MISSING, frozenset((n, index.content) for n in owner.of), owner.near)
        return owner if isinstance(index, SliceV) else Scalar("int", MISSING, frozenset((n, None) for n in owner.of), owner.near)
    if isinstance(owner, StateV):
        return _state_item(m, owner, index)
    if isinstance(owner, Snapshot):
        return m.array(False, tree=True)
    if isinstance(owner, Opaque) and owner is not UNKNOWN and isinstance(index, Scalar) and index.known:
        key = f"[{index.content!r}]"
        found: Value = owner.fields.get(key, MISSING)
        if found is MISSING:
            found = Opaque({"#param": True} if owner.fields.get("#param") else {}, owner.born, label=f"{owner.label}{key}")
            owner.fields[key] = found
        return found
    if isinstance(owner, Instance):
        if is_module(owner):
            return get(m, owner, str(index.content), ir.Attr(node.start, node.end, node.value, ""), frame) if isinstance(
                index, Scalar) and index.kind == "str" and index.known else UNKNOWN  # fmt: skip
        cls, method = class_attribute(owner.cls, "__getitem__")
        if cls is not None:
            return calls.call(m, method, calls.CallInfo([owner, index], {}, frame, place, [place, place], {}, False, None))
    if isinstance(owner, Foreign) and owner.kind == "array.at":
        return Foreign(f"array.at[{form_of(index)}]", owner.element)
    if owner == interpreter.VERSION:
        return owner if isinstance(index, SliceV) else const(3) if isinstance(index, Scalar) and index.content == 0 else Scalar("int")
    if isinstance(owner, NumpyV):
        return owner
    if isinstance(owner, Scalar) and owner.kind == "str":
        return Scalar("str", MISSING, param=owner.param)
    if isinstance(owner, (External, ClassV)):
        return owner
    return Opaque(label=place.text[:40])


_CALLED = (FuncV, ClassV, External, PartialV, BoundV)
"""What a table for looking up what to call holds."""


def entry_for(owner: DictV, key: Value) -> Value | None:
    """What a key leads to that is one of several, or anything: one of the entries, where they are all there and all to be called."""
    if owner.open or not owner.keys:
        return None
    keys = [option.content if isinstance(option, Scalar) else MISSING for option in options(key)]
    found = [owner.entry(each) for each in (owner.keys if MISSING in keys else keys)]
    return one_of(value for value in found if value is not None) if all(isinstance(value, _CALLED) for value in found) else None


def _any_item(owner: Value) -> Value:
    items = owner.items if isinstance(owner, (ListV, Tup)) else None
    if not items:
        return owner.element if isinstance(owner, ListV) else UNKNOWN
    result = items[0]
    for item in items[1:]:
        result = join(result, item)
    return result


def _sequence_item(m: Machine, owner: Tup | ListV, index: Value, node: ir.Sub, frame: Frame) -> Value:
    items = owner.items
    if items is None:
        return owner if isinstance(index, SliceV) else owner.element if isinstance(owner, ListV) else UNKNOWN
    if isinstance(index, Scalar) and index.known and isinstance(index.content, int):
        number = index.content + len(items) if index.content < 0 else index.content
        if not 0 <= number < len(items):
            m.fails("IndexError", frame)
            return UNKNOWN
        if isinstance(owner, ListV) and m.outer(owner):
            place = m.place(frame, node)
            m.read(owner, "items", number, items[number], place, place.text, frame)
        return operators.marked(items[number], index)
    if isinstance(index, SliceV):
        parts = [part for part in (index.lower, index.upper, index.step)]
        for part in parts:
            if isinstance(part, Array) and m.is_placeholder(part):
                m.emit("index", m.place(frame, node), "a slice of a Python sequence by a traced array", frame, part.chain)
        if all(isinstance(part, Scalar) and part.known for part in parts):
            try:
                chosen = items[slice(*(part.content for part in parts))]  # type: ignore[union-attr]
            except (TypeError, ValueError):
                return UNKNOWN
            return Tup(chosen) if isinstance(owner, Tup) else ListV({"items": chosen})
        return UNKNOWN
    return _any_item(owner)


def _state_item(m: Machine, owner: StateV, index: Value) -> Value:
    if isinstance(index, Scalar) and index.known and isinstance(index.content, str):
        value = owner.owner.fields.get(index.content)
        if value is not None:
            return value  # type: ignore[no-any-return]
    return m.array(False, tree=True)


def form_of(index: Value) -> str:
    """How an array is indexed, as the measured table names it."""
    if not isinstance(index, Tup):
        return _part(index)
    kinds = [_part(item) for item in index.items]
    plain = [kind for kind in kinds if kind not in ("fullslice", "newaxis", "ellipsis")]
    lead = "ellipsis" if "ellipsis" in kinds else "slice" if "fullslice" in kinds else ""
    if "unknown" in kinds:
        return "unknown"
    if not plain:
        return f"{lead}_newaxis" if "newaxis" in kinds and lead else "newaxis" if "newaxis" in kinds else lead.replace("slice", "fullslice")
    if "array" in plain:
        return "two_arrays" if len(plain) > 1 else "slice_array" if lead else "array_newaxis" if "newaxis" in kinds else "array"
    integers = [kind for kind in plain if kind in ("int", "negint")]
    if len(integers) == len(plain):
        one = "int_newaxis" if "newaxis" in kinds else integers[0]
        return f"{lead}_{integers[0]}" if lead else "int_int" if len(plain) > 1 else one
    if integers:
        return "int_slice" if kinds[0] in integers else f"slice_{integers[0]}"
    return "ellipsis_slice" if lead == "ellipsis" else "slice_slice"


def _part(index: Value) -> str:
    if isinstance(index, SliceV):
        parts = [part for part in (index.lower, index.upper, index.step) if isinstance(part, Scalar)]
        given = [part.kind != "None" for part in parts]
        if len(parts) < 3 or given[2]:
            return "step"
        if not any(given):
            return "fullslice"
        if given[0]:
            return "slice_from"
        return "slice_neg" if parts[1].known and isinstance(parts[1].content, int) and parts[1].content < 0 else "slice"
    if isinstance(index, Scalar):
        if index.kind == "int":
            return "negint" if index.known and index.content < 0 else "int"
        return "newaxis" if index.kind == "None" else "unknown"
    if isinstance(index, Foreign) and index.kind == "ellipsis":
        return "ellipsis"
    return "array" if isinstance(index, (Array, ListV, NumpyV)) else "unknown"


def _array_item(m: Machine, owner: Array, index: Value, node: ir.Sub, frame: Frame) -> Value:
    form = form_of(index)
    if shapeless.on(m) and owner.sure and not owner.tree:
        place = m.place(frame, node)
        raises = not _whole(owner, index) and shapeless.unsupported(
            m, f"mlx.core.array.__getitem__[{form}]", place, place.text, owner, frame
        )
        for part in () if raises else index.items if isinstance(index, Tup) else (index,):
            for bound in (part.lower, part.upper, part.step) if isinstance(part, SliceV) else (part,):
                operators.bake(m, bound, node, frame, "an index", "mlx.core.array.__getitem__[baked]")
    traced = operators.traced_of(owner, index)
    if owner.traced is True:
        traced = True
    chain = operators.step(m, node, frame, owner, index)
    made = m.array(traced, _indexed(owner, index), chain, sure=owner.sure, tree=owner.tree, dtype=owner.dtype)
    if m.trace is not None:
        m.lazy(made, [owner])
    return made


def _whole(owner: Array, index: Value) -> bool:
    """Whether an index of known bounds takes all of an array of known shape: MLX then makes no slice."""
    shape, form = _indexed(owner, index), form_of(index)
    if "step" in form or "array" in form or not owner.shape or shape is None or not all(size.known for size in (*owner.shape, *shape)):
        return False
    return shapes.product(shape).content == shapes.product(owner.shape).content != 0  # type: ignore[no-any-return]


def _indexed(owner: Array, index: Value) -> tuple[Scalar, ...] | None:
    """The shape of `owner[index]` for integers, slices, None and Ellipsis."""
    if owner.shape is None:
        return None
    parts = list(index.items) if isinstance(index, Tup) else [index]
    used = sum(1 for part in parts if _part(part) not in ("newaxis", "ellipsis", "unknown"))
    if used > len(owner.shape):
        return None
    if any(_part(part) == "ellipsis" for part in parts):
        at = next(i for i, part in enumerate(parts) if _part(part) == "ellipsis")
        parts[at : at + 1] = [SliceV(NONE, NONE, NONE)] * (len(owner.shape) - used)
    sizes: list[Scalar] = []
    axis = 0
    for part in parts:
        kind = _part(part)
        if kind == "newaxis":
            sizes.append(const(1))
            continue
        if kind == "array" and isinstance(part, Array) and part.shape is not None and sum(_part(p) == "array" for p in parts) == 1:
            sizes += part.shape
            axis += 1
            continue
        if kind in ("unknown", "array"):
            return None
        size = owner.shape[axis]
        axis += 1
        if kind == "fullslice":
            sizes.append(size)
        elif isinstance(part, SliceV):
            sizes.append(_sliced(size, part))
    return (*sizes, *owner.shape[axis:])


def _sliced(size: Scalar, part: SliceV) -> Scalar:
    bounds = (part.lower, part.upper, part.step)
    if size.known and all(isinstance(b, Scalar) and b.known for b in bounds):
        try:
            return Scalar("int", len(range(size.content)[slice(*(b.content for b in bounds))]))  # type: ignore[union-attr]
        except (TypeError, ValueError):
            pass
    # One moving bound gives other sizes; a window with two of them keeps its size but for the last.
    return Scalar("int", varies=sum(isinstance(b, Scalar) and b.varies for b in bounds) == 1)


def put_item(m: Machine, owner: Value, index: Value, value: Value, node: ir.Sub, frame: Frame) -> None:
    """`owner[index] = value`."""
    owner = without_none(owner)
    place = m.place(frame, node)
    name = place.text
    calls.escape(m, value)
    if isinstance(owner, Array):
        if m.trace is not None and shapeless.on(m) and not owner.tree:
            shapeless.unsupported(m, f"mlx.core.array.__setitem__[{form_of(index)}]", place, place.text, owner, frame)
        written_to(m, owner, value, node, frame, name)
    elif isinstance(owner, ListV):
        items = owner.items
        if items is not None and isinstance(index, Scalar) and index.known and isinstance(index.content, int):
            number = index.content + len(items) if index.content < 0 else index.content
            if 0 <= number < len(items):
                new = (*items[:number], value, *items[number + 1 :])
                note_item(m, owner, "items", new, value, place, name, "items", frame, number)
                return
        if items is not None and isinstance(index, SliceV) and isinstance(value, (ListV, Tup)) and value.items is not None:
            bounds = [part.content if isinstance(part, Scalar) else MISSING for part in (index.lower, index.upper, index.step)]
            if all(bound is None or isinstance(bound, int) for bound in bounds) and bounds[2] in (None, 1):
                changed = list(items)
                changed[slice(*bounds)] = value.items
                note_item(m, owner, "items", tuple(changed), value, place, name, "items", frame)
                return
        if items is None:
            m.journal.store(owner, "element", join(owner.element, value))
            return
        note_item(m, owner, "items", None, value, place, name, "items", frame)
    elif isinstance(owner, DictV):
        if isinstance(index, Scalar) and index.known:
            m.write(owner, ("k", index.content), value, place, name, "key", frame)
        else:
            note_item(m, owner, "open", True, value, place, name, "new key", frame)
            m.journal.store(owner, "element", join(owner.fields["element"], value) if "element" in owner.fields else value)
    elif isinstance(owner, Opaque) and owner is not UNKNOWN and isinstance(index, Scalar) and index.known:
        m.write(owner, f"[{index.content!r}]", value, place, name, "key", frame)
    elif (own := calls.dunder(owner, "__setitem__")) is not None:
        calls.call(m, own, calls.CallInfo([index, value], {}, frame, place, [place, place]))
    elif isinstance(owner, (StateV, AttributesV)) and isinstance(index, Scalar) and index.known:
        m.write(owner.owner, index.content, value, place, name, "attribute", frame)
    elif isinstance(owner, Instance) and is_module(owner) and isinstance(index, Scalar) and index.known:
        m.write(owner, index.content, value, place, name, "attribute", frame)
    elif isinstance(owner, NumpyV) and holds_traced(value):
        m.emit("convert", place, "storing it in a numpy array", frame, chain_of(value))
    elif isinstance(owner, External):
        calls.external_item(m, owner, index, value, place, frame)


def note_item(
    m: Machine, owner: Heap, key: str, content: Any, value: Value, place: Place, name: str, how: str, frame: Frame, index: int | None = None
) -> None:
    """Write the content of a container so that the note tells of the one item written."""
    m.write(owner, key, content, place, name, how, frame)
    trace = m.trace
    if trace is not None and trace.writes and trace.writes[-1].place == place:
        trace.writes[-1] = replace(trace.writes[-1], value=value, traced=holds_traced(value), index=index)


def written_to(m: Machine, owner: Array, value: Value, node: ir.Node, frame: Frame, name: str) -> None:
    """An array is changed in place: it depends on what was written, and every reader sees it."""
    place = m.place(frame, node)
    traced = operators.traced_of(owner, value)
    m.write(owner, "version", now(), place, name, "in place", frame)
    trace = m.trace
    if trace is not None and trace.writes and trace.writes[-1].place == place and holds_traced(value):
        trace.writes[-1] = replace(trace.writes[-1], value=value, traced=True)
    if traced is not owner.traced and (traced is True or owner.traced is not True):
        m.journal.store(owner, "traced", traced)
        m.journal.store(owner, "trace", m.trace if traced else None)
        m.journal.store(owner, "chain", operators.step(m, node, frame, value) or owner.chain)


def in_place(m: Machine, present: Value, value: Value, result: Value, node: ir.AugAssign, frame: Frame) -> bool:
    """`target op= value` on an object that changes in place; False where the name is simply bound anew."""
    if isinstance(present, Array) and not present.tree:
        written_to(m, present, result, node, frame, m.place(frame, node.target).text)
        if isinstance(result, Array) and result.shape is not None:
            m.journal.store(present, "shape", result.shape)
        return True
    if isinstance(present, ListV) and node.op == "+":
        calls.extend(m, present, value, m.place(frame, node), frame)
        return True
    return False


__all__ = ["WEIGHTS", "class_attribute", "form_of", "get", "get_item", "in_place", "is_module", "is_optimizer", "module_get",
           "mro", "put", "put_item", "shape_value"]  # fmt: skip
