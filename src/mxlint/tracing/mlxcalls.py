"""Calls of mlx.core and its neighbours: what they return, and what they do to a trace, by the measured table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mxlint.syntax import ir
from mxlint.tracing import attribute, dtypes, layers, operators, shapeless, shapes
from mxlint.tracing.call import CallInfo, call, escape
from mxlint.tracing.machine import Machine, chain_of, holds_traced
from mxlint.tracing.mlx.names import COMPOSITE, OPTIMIZER_METHODS, is_module_class
from mxlint.tracing.shapes import Shape
from mxlint.tracing.values import (
    MISSING,
    NO_AXES,
    NONE,
    UNKNOWN,
    Array,
    Axis,
    DictV,
    External,
    Foreign,
    Instance,
    ListV,
    NumpyV,
    Opaque,
    PartialV,
    Place,
    Scalar,
    ShapeV,
    Snapshot,
    StateV,
    Step,
    Tup,
    Value,
    const,
    list_like,
    list_of,
)  # fmt: skip


def call_mlx(m: Machine, name: str, info: CallInfo) -> Value:
    """Call something of MLX by its canonical name."""
    made = _called(m, name, info)
    if isinstance(made, Array) and made.dtype is None:
        made.fields["dtype"] = dtypes.of_call(name.rpartition(".")[2], info.values())
    return made


def _called(m: Machine, name: str, info: CallInfo) -> Value:
    from mxlint.tracing import transforms

    handler = _HANDLERS.get(name) or transforms.HANDLERS.get(name)
    if handler is not None:
        return handler(m, info)
    if name.startswith("mlx.core.array."):
        return _method(m, name, info)
    if name.startswith("mlx.#at."):
        return _at(m, name.rpartition(".")[2], info)
    cls, _, made = name.rpartition(".")
    if cls == "mlx.nn.Module" or made == "__init__" and is_module_class(cls):
        return layers.call_method(m, name, info)
    if cls.startswith("mlx.optimizers.") and made in OPTIMIZER_METHODS:
        return layers.optimizer_method(m, cls, made, info)
    if made.startswith("from_") and is_module_class(cls):
        return layers.make(m, cls, replace(info, args=[], keywords={}))
    if is_module_class(name) or name.startswith("mlx.optimizers.") and name.rpartition(".")[2][:1].isupper():
        for value in info.values():
            escape(m, value)
        return layers.make(m, name, info)
    return function(m, name, info)


def function(m: Machine, name: str, info: CallInfo) -> Value:
    """A function of MLX that the table knows."""
    entry = m.table.entry(name)
    short = "mx." + name[len("mlx.core.") :] if name.startswith("mlx.core.") else name.replace("mlx.", "", 1)
    used = info.values()[1:] if name in _SHAPE_ALONE and not shapeless.on(m) else info.values()
    traced = [value for value in used if holds_traced(value)]
    chain = operators.step(m, info.node, info.frame, *traced) if info.node is not None else chain_of(traced[0]) if traced else None
    if entry is None:
        if info.node is not None:
            operators.bake(m, Tup(tuple(info.values())), info.node, info.frame, short)
        return Opaque(label=f"{short}()")
    sure = [value for value in traced if not isinstance(value, Array) or value.sure]
    if entry.evaluates and sure:
        m.emit("evaluate" if entry.returns == "none" else "convert", info.place, f"{short}()", info.frame, chain_of(sure[0]))
    if entry.random:
        key = info.keywords.get("key")
        if key is None and entry.key is not None and entry.key < len(info.args):
            key = info.args[entry.key]
        if (key is None or isinstance(key, Scalar) and key.kind == "None") and not info.open:
            m.emit("draw", info.place, f"{short}()", info.frame)
    if m.trace is not None and name in COMPOSITE:
        m.trace.computed += 1
    if m.trace is not None and shapeless.on(m):
        _shapeless(m, name, short, info)
    if entry.returns == "python":
        return _python(entry.python, info)
    if entry.returns == "none":
        return NONE
    if entry.returns not in ("array", "arrays", "tree"):
        return Opaque(label=f"{short}()")
    is_traced = True if traced else operators.traced_of(*used)
    tree = entry.returns == "tree"
    if entry.returns == "arrays":
        return list_like(m.array(is_traced, None, chain))
    shape, like = _shape(m, name, entry.shape, info)
    made = m.array(is_traced, shape, chain, like=like, tree=tree)
    if name in _SIZES_BROADCAST and shapeless.on(m):
        made.fields["stretched"] = _stretch(info, shape)
    if name in _CHEAP or name.replace("mlx.core.array.", "mlx.core.") in _VIEWS and _is_data(_first(info)):
        return made
    return m.lazy(made, info.values())


def _shapeless(m: Machine, name: str, short: str, info: CallInfo) -> None:
    decides = _DECIDES.get(name)
    operand = decides(m, info) if decides is not None else next((value for value in info.values() if isinstance(value, Array)), UNKNOWN)
    form = _form(m, name, info)
    if shapeless.unsupported(m, form, info.place, short, operand, info.frame) or name in _SIZES_BROADCAST:
        return
    if info.node is not None and not (name.endswith("reshape") and _own_shape(operand, info)):
        parts: list[Value] = []
        for value in info.values():
            parts += value.items if isinstance(value, (Tup, ListV)) and value.items is not None else (value,)
        operators.bake(m, Tup(tuple(parts)), info.node, info.frame, short, _baked_form(m, name, parts))


def _baked_form(m: Machine, name: str, parts: list[Value]) -> str:
    """The name under which the table tells what becomes of a size that goes into a call."""
    plain = name.replace("mlx.core.array.", "mlx.core.")
    rest = any(isinstance(part, Scalar) and part.kind == "int" and part.content == -1 for part in parts)
    if rest and m.table.has(f"{plain}[baked,-1]"):
        return f"{plain}[baked,-1]"
    if m.table.has(f"{plain}[baked]"):
        return f"{plain}[baked]"
    entry = m.table.entry(name)  # what works element by element takes a size for a number
    return "mlx.core.multiply[baked]" if entry is not None and entry.shape in ("same", "broadcast") else ""


def _product(m: Machine, info: CallInfo) -> Value:
    """What addmm broadcasts `c` to; unknown where it has that shape already, and where the shapes do not tell."""
    c, a, b = info.get(0, "c"), info.get(1, "a"), info.get(2, "b")
    if not (isinstance(c, Array) and isinstance(a, Array) and isinstance(b, Array)) or not c.shape:
        return UNKNOWN
    shape = shapes.matmul(a.shape, b.shape)
    if shape is None or len(shape) == len(c.shape) and not any(map(_stretched, c.shape, shape)):
        return UNKNOWN
    return m.array(a.traced, shape, a.chain, sure=a.sure)


def _shorter_side(m: Machine, info: CallInfo) -> Value:
    """A matrix whose longer side may grow without changing the main diagonal."""
    operand = info.get(0, "a")
    if not isinstance(operand, Array) or operand.shape is None or len(operand.shape) != 2 or len(info.values()) != 1:
        return operand or UNKNOWN
    sizes = [size.content if size.known else 0 for size in operand.shape]
    shape = tuple(const(size.content) if size.known and size.content > min(sizes) else size for size in operand.shape)
    return m.array(operand.traced, shape, operand.chain, sure=operand.sure)


_DECIDES: dict[str, Callable[[Machine, CallInfo], Value]] = {
    "mlx.core.addmm": _product, "mlx.core.diag": _shorter_side, "mlx.core.diagonal": _shorter_side,
}  # fmt: skip
"""Where it is not the first array whose sizes a shapeless trace keeps: an array of those that it does."""


def _stretched(size: Scalar, to: Scalar) -> bool:
    """Whether broadcasting repeats an axis of one element, known to be one, to a size of an argument or another known one."""
    return size.content == 1 and not size.axes and (bool(to.axes) or to.known and to.content != 1)


_CHEAP = frozenset(
    f"mlx.core.{name}" for name in ("zeros", "ones", "full", "arange", "eye", "zeros_like", "ones_like", "linspace", "load", "random.key")
)
"""What costs next to nothing to compute again; a file is read once, whoever computes with it."""
_VIEWS = frozenset(
    f"mlx.core.{name}"
    for name in ("reshape", "expand_dims", "squeeze", "transpose", "swapaxes", "moveaxis", "flatten", "unflatten", "broadcast_to")
)
"""What looks at data in another way, and computes nothing."""


def _is_data(array: Array | None) -> bool:
    """Whether an array is not still to be computed."""
    return array is not None and array.fields.get("lazy") is None and array.traced is False


_SHAPE_ALONE = frozenset(f"mlx.core.{name}" for name in ("zeros_like", "ones_like", "full_like"))
"""What takes nothing of its first argument but shape and dtype: a constant, but for a shapeless trace, which follows the shape."""
_SIZES_BROADCAST = frozenset({"mlx.core.broadcast_to"})
"""What keeps the sizes that it is given, unless an elementwise operation takes it up and broadcasts for itself."""


def _stretch(info: CallInfo, shape: Shape) -> tuple[CallInfo, frozenset[Axis]]:
    """The dimensions of arguments that a broadcast to `shape` keeps, for where its result leaves the compiled function as it is."""
    operand = info.get(0, "a")
    if not isinstance(operand, Array) or operand.shape is None or shape is None:
        return info, NO_AXES
    padded = (const(1),) * (len(shape) - len(operand.shape)) + operand.shape
    stretched = any(map(_stretched, padded, shape))
    return info, frozenset(axis for size in shape for axis in size.axes) if stretched else NO_AXES


def _own_shape(operand: Value, info: CallInfo) -> bool:
    """Whether an array is reshaped to the shape of the argument that it has the shape of."""
    if not isinstance(operand, Array) or len(info.args) < 2:
        return False
    given = info.args[1]
    if isinstance(given, ShapeV):
        return bool(given.of) and given.of == operand.like
    sizes = given.items if isinstance(given, (Tup, ListV)) and len(info.args) == 2 else tuple(info.args[1:])
    if operand.shape is None or sizes is None or len(sizes) != len(operand.shape):
        return False
    return all(isinstance(a, Scalar) and a.axes and a.axes == b.axes for a, b in zip(sizes, operand.shape))


_AXIS_AT = {"take": 2, "unflatten": 1}


def _form(m: Machine, name: str, info: CallInfo) -> str:
    """The form of a call that the table knows apart: by an axis, a mask, a negative position, a vector."""
    axis = info.get(_AXIS_AT.get(name.rpartition(".")[2], 1), "axis")
    if axis is None:
        axis = info.keywords.get("axes")
    mask, kth = info.keywords.get("mask"), info.get(1, "kth")
    forms: list[str] = []
    if isinstance(axis, Scalar) and axis.known:
        forms.append(f"axis={axis.content}")
    if axis is not None and not (isinstance(axis, Scalar) and axis.kind == "None"):
        forms.append("axis")
    if isinstance(kth, Scalar) and kth.kind == "int" and kth.known:
        negative = kth.content < 0
    else:  # a number that is written with a minus is a count from the end
        negative = kth is not None and info.written(1, "kth").startswith("-")
    if negative:
        forms.append("negative")
    operand = _first(info)
    if operand is not None and operand.shape is not None and len(operand.shape) == 1:
        forms.append("vector")
    if isinstance(mask, Scalar) and mask.content == "causal":
        forms.append("mask=causal")
    elif isinstance(mask, Array):
        forms.append("mask")
    return next((f"{name}[{form}]" for form in forms if m.table.has(f"{name}[{form}]")), name)


def _python(kind: str | None, info: CallInfo) -> Value:
    if kind in ("int", "float", "str", "bool"):
        return Scalar(kind)
    if kind == "tuple" and info.args and isinstance(info.args[0], Array):
        return attribute.shape_value(info.args[0], False)
    return Foreign(kind or "object")


# -- shapes -----------------------------------------------------------------------------------------------------------


def _first(info: CallInfo) -> Array | None:
    value = info.args[0] if info.args else next(iter(info.keywords.values()), None)
    return value if isinstance(value, Array) else None


def _shape(m: Machine, name: str, rule: str | None, info: CallInfo) -> tuple[Shape, frozenset[int]]:
    """The shape of a result, and which arguments' shape it has where the rank is unknown."""
    last = name.rpartition(".")[2]
    special = _SHAPES.get(last)
    if special is not None:
        return special(info), frozenset()
    operand = _first(info)
    if last in _CUMULATIVE and operand is not None:
        return (
            (operand.shape, operand.like)
            if _given(info.get(1, "axis"))
            else (_flatten(replace(info, args=[operand], keywords={})), frozenset())
        )
    if rule == "same" and operand is not None:
        return operand.shape, operand.like
    if rule == "broadcast":
        arrays = [value for value in info.values() if isinstance(value, Array)]
        shape = arrays[0].shape if arrays else None
        for other in arrays[1:]:
            shape = shapes.broadcast(shape, other.shape)
        likes = [a.like for a in arrays if a.like]
        return shape, likes[0] if likes else frozenset()
    if rule == "reduce" and operand is not None:
        if shapeless.on(m) and operand.traced is True and operand.sure:
            shapeless.reduced(m, f"mx.{last}", info.place, operand, _reduced_axes(info, operand), info.frame)
        return _reduced(info, operand), frozenset()
    return None, frozenset()


_CUMULATIVE = frozenset({"cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"})
"""What runs along an axis, or through the flattened array where none is given."""


def _given(axis: Value | None) -> bool:
    return axis is not None and not (isinstance(axis, Scalar) and axis.kind == "None")


def _reduced(info: CallInfo, operand: Array) -> Shape:
    keep = info.get(2, "keepdims")
    keepdims = isinstance(keep, Scalar) and keep.content is True
    if not _given(info.get(1, "axis")):
        return shapes.reduce(operand.shape, None, keepdims)
    axes = _reduced_axes(info, operand)
    return shapes.reduce(operand.shape, axes, keepdims) if axes else None


def _reduced_axes(info: CallInfo, operand: Array) -> list[int]:
    """The axes that a reduction is given; none where they are not known."""
    axis = info.get(1, "axis")
    if operand.shape is None or axis is None or not _given(axis):
        return []
    given = axis.items if isinstance(axis, (Tup, ListV)) and axis.items is not None else (axis,)
    numbers = [shapes.axis_number(value, len(operand.shape)) for value in given]
    return [] if None in numbers else [number for number in numbers if number is not None]


def _sized(position: int, name: str) -> Callable[[CallInfo], Shape]:
    def run(info: CallInfo) -> Shape:
        value = info.get(position, name)
        if value is None:
            return () if name == "shape" else None
        return shapes.sizes_of(value)

    return run


def _arange(info: CallInfo) -> Shape:
    parts = [value for value in info.args if isinstance(value, Scalar)]
    if len(parts) == 1 and len(info.args) == 1 and not info.keywords.get("step"):
        return (Scalar("int", parts[0].content if isinstance(parts[0].content, int) else MISSING, parts[0].axes, parts[0].param),)
    if parts and len(parts) == len(info.args) and all(p.known for p in parts) and len(parts) <= 3:
        try:
            numbers = [p.content for p in parts]
            step = numbers[2] if len(numbers) > 2 else 1
            return (const(max(0, -int(-(numbers[1] - numbers[0]) // step))),)
        except (ArithmeticError, TypeError):
            pass
    return (Scalar("int"),)


def _reshape(info: CallInfo) -> Shape:
    operand = _first(info)
    rest = info.args[1:]
    sizes = shapes.sizes_of(rest[0]) if len(rest) == 1 else tuple(v if isinstance(v, Scalar) else Scalar("int") for v in rest)
    if "shape" in info.keywords:
        sizes = shapes.sizes_of(info.keywords["shape"])
    return shapes.reshape(operand.shape if operand else None, sizes) if sizes else None


def _transpose(info: CallInfo) -> Shape:
    operand = _first(info)
    rest = info.args[1:] or ([info.keywords["axes"]] if "axes" in info.keywords else [])
    if operand is None or not rest:
        return shapes.transpose(operand.shape, None) if operand else None
    given = rest[0].items if len(rest) == 1 and isinstance(rest[0], (Tup, ListV)) and rest[0].items is not None else tuple(rest)
    order = [value.content for value in given if isinstance(value, Scalar) and value.known]
    return shapes.transpose(operand.shape, order) if len(order) == len(given) else None


def _two_axes(info: CallInfo) -> tuple[list[Scalar], int, int] | None:
    """The sizes of the first argument and the axes that the next two name, where all are known."""
    operand = _first(info)
    if operand is None or operand.shape is None or len(info.args) < 3:
        return None
    a, b = (shapes.axis_number(value, len(operand.shape)) for value in info.args[1:3])
    return None if a is None or b is None else (list(operand.shape), a, b)


def _swap(info: CallInfo) -> Shape:
    if (known := _two_axes(info)) is None:
        return None
    sizes, a, b = known
    sizes[a], sizes[b] = sizes[b], sizes[a]
    return tuple(sizes)


def _move(info: CallInfo) -> Shape:
    if (known := _two_axes(info)) is None:
        return None
    sizes, a, b = known
    sizes.insert(b, sizes.pop(a))
    return tuple(sizes)


def _expand(info: CallInfo) -> Shape:
    operand = _first(info)
    axis = info.get(1, "axis")
    if operand is None or operand.shape is None or not isinstance(axis, Scalar):
        return None
    number = shapes.axis_number(axis, len(operand.shape) + 1)
    return None if number is None else (*operand.shape[:number], const(1), *operand.shape[number:])


def _squeeze(info: CallInfo) -> Shape:
    operand = _first(info)
    if operand is None or operand.shape is None:
        return None
    axis = info.get(1, "axis")
    if axis is None:
        return tuple(s for s in operand.shape if not (s.known and s.content == 1)) if all(s.known for s in operand.shape) else None
    number = shapes.axis_number(axis, len(operand.shape))
    return None if number is None else operand.shape[:number] + operand.shape[number + 1 :]


def _flatten(info: CallInfo) -> Shape:
    operand = _first(info)
    if operand is None or operand.shape is None:
        return None
    rank = len(operand.shape)
    start = shapes.axis_number(info.get(1, "start_axis") or const(0), rank)
    end = shapes.axis_number(info.get(2, "end_axis") or const(-1), rank)
    if start is None or end is None:
        return None
    return (*operand.shape[:start], shapes.product(operand.shape[start : end + 1]), *operand.shape[end + 1 :])


def _matmul(info: CallInfo) -> Shape:
    sides = [value for value in info.args[:2] if isinstance(value, Array)]
    return shapes.matmul(sides[0].shape, sides[1].shape) if len(sides) == 2 else None


def _take(info: CallInfo) -> Shape:
    operand, indices, axis = _first(info), info.get(1, "indices"), info.get(2, "axis")
    chosen: Shape = () if isinstance(indices, Scalar) else indices.shape if isinstance(indices, Array) else None
    if chosen is None or not _given(axis):
        return chosen
    if operand is None or operand.shape is None or axis is None:
        return None
    number = shapes.axis_number(axis, len(operand.shape))
    return None if number is None else (*operand.shape[:number], *chosen, *operand.shape[number + 1 :])


def _einsum(info: CallInfo) -> Shape:
    arrays = [value for value in info.args[1:] if isinstance(value, Array)]
    text = info.args[0].content if info.args and isinstance(info.args[0], Scalar) else None
    if not isinstance(text, str) or len(arrays) != len(info.args) - 1:
        return None
    return shapes.einsum(text, [array.shape for array in arrays])


def _attention(info: CallInfo) -> Shape:
    """The shape of the queries, with the features of the values."""
    queries, values = info.get(0, "q"), info.get(2, "v")
    if not (isinstance(queries, Array) and isinstance(values, Array)) or not queries.shape or not values.shape:
        return None
    return (*queries.shape[:-1], values.shape[-1])


def _joined_arrays(info: CallInfo) -> list[Array] | None:
    value = info.args[0] if info.args else UNKNOWN
    items = value.items if isinstance(value, (ListV, Tup)) else None
    return [v for v in items if isinstance(v, Array)] if items and all(isinstance(v, Array) for v in items) else None


def _concatenate(info: CallInfo) -> Shape:
    arrays = _joined_arrays(info)
    if not arrays or any(a.shape is None or len(a.shape) != len(arrays[0].shape or ()) for a in arrays):
        return None
    first = arrays[0].shape or ()
    axis = shapes.axis_number(info.get(1, "axis") or const(0), len(first))
    if axis is None:
        return None
    parts = [(a.shape or ())[axis] for a in arrays]
    total = sum(p.content for p in parts) if all(p.known for p in parts) else MISSING
    axes = frozenset(x for p in parts for x in p.axes)
    return (*first[:axis], Scalar("int", total, axes, any(p.param for p in parts)), *first[axis + 1 :])


def _stack(info: CallInfo) -> Shape:
    arrays = _joined_arrays(info)
    if not arrays or arrays[0].shape is None:
        return None
    axis = shapes.axis_number(info.get(1, "axis") or const(0), len(arrays[0].shape) + 1)
    return None if axis is None else (*arrays[0].shape[:axis], const(len(arrays)), *arrays[0].shape[axis:])


_SHAPES: dict[str, Callable[[CallInfo], Shape]] = {
    "zeros": _sized(0, "shape"), "ones": _sized(0, "shape"), "full": _sized(0, "shape"), "arange": _arange, "reshape": _reshape,
    "uniform": _sized(2, "shape"), "normal": _sized(0, "shape"), "randint": _sized(2, "shape"), "bernoulli": _sized(1, "shape"),
    "truncated_normal": _sized(2, "shape"), "broadcast_to": _sized(1, "shape"), "transpose": _transpose, "swapaxes": _swap,
    "moveaxis": _move, "expand_dims": _expand, "squeeze": _squeeze, "flatten": _flatten, "matmul": _matmul, "concatenate": _concatenate,
    "stack": _stack, "take": _take, "einsum": _einsum, "scaled_dot_product_attention": _attention,
}  # fmt: skip


# -- arrays -----------------------------------------------------------------------------------------------------------


def _array(m: Machine, info: CallInfo) -> Value:
    value = info.get(0, "val") or UNKNOWN
    traced = True if holds_traced(value) else operators.traced_of(value)
    if isinstance(value, (Scalar, NumpyV, Foreign, ShapeV)) or isinstance(value, (Tup, ListV)) and not holds_traced(value):
        traced = False
    if info.node is not None:
        operators.bake(m, value, info.node, info.frame, "mx.array()", "mlx.core.array[baked]")
    chain = operators.step(m, info.node, info.frame, value) if info.node is not None else None
    shape = value.shape if isinstance(value, Array) else _literal_shape(value)
    made = m.array(traced, shape, chain)
    return made


def _literal_shape(value: Value) -> Shape:
    if isinstance(value, Scalar):
        return ()
    if isinstance(value, (ListV, Tup)) and value.items is not None:
        if not value.items:
            return (const(0),)
        inner = value.items[0].shape if isinstance(value.items[0], Array) else _literal_shape(value.items[0])
        return None if inner is None else (const(len(value.items)), *inner)
    return None


def _method(m: Machine, name: str, info: CallInfo) -> Value:
    """A method of mx.array: its object is the first argument."""
    last = name.rpartition(".")[2]
    owner = info.args[0] if info.args else UNKNOWN
    if not isinstance(owner, Array):
        return UNKNOWN
    if last == "tolist" or last == "item":
        if m.is_placeholder(owner):
            m.emit("convert", info.place, f".{last}()", info.frame, owner.chain, note=_owner(info))
        m.evaluated(owner)
        return Scalar("number", varies=True) if last == "item" else list_like(Scalar("number"))
    entry = m.table.entry(name)
    if entry is None:
        if owner.tree:
            return m.array(owner.traced, None, owner.chain, tree=True)
        return Opaque(label=f".{last}()")
    if entry.evaluates and m.is_placeholder(owner):
        m.emit("convert", info.place, f".{last}()", info.frame, owner.chain)
    if last == "astype":
        return m.array(owner.traced, owner.shape, _step(m, info), like=owner.like, sure=owner.sure)
    return function(m, entry.name if entry.name.startswith("mlx.core.") and m.table.entry(entry.name) else name, info)


def _owner(info: CallInfo) -> str:
    """The source text of the object whose method is called."""
    node = info.node
    return (
        Place(info.place.source, node.func.value.start, node.func.value.end).text
        if node is not None and isinstance(node.func, ir.Attr)
        else ""
    )


def _step(m: Machine, info: CallInfo) -> Step | None:
    return operators.step(m, info.node, info.frame, *info.args) if info.node is not None else chain_of(info.args[0])


def _evaluates(what: str) -> Callable[[Machine, CallInfo], Value]:
    def run(m: Machine, info: CallInfo) -> Value:
        for value in info.values():
            if isinstance(value, (StateV, Snapshot)):
                layers.reread(m, layers.children(value.owner))
            tree = isinstance(value, (StateV, Snapshot)) and _captured(m, value)
            if holds_traced(value) and (not isinstance(value, Array) or value.sure) or tree:
                m.emit("evaluate", info.place, what, info.frame, chain_of(value), note=info.text_of(value))
                break
        if what != "mx.async_eval()":
            for value in info.values():
                m.evaluated(value)
        return NONE

    return run


def _captured(m: Machine, value: StateV | Snapshot) -> bool:
    trace = m.trace
    return trace is not None and id(value.owner) in trace.reach_in


def _array_equal(m: Machine, info: CallInfo) -> Value:
    traced = [value for value in info.args if holds_traced(value)]
    return m.array(bool(traced) or operators.traced_of(*info.args), (), chain_of(traced[0]) if traced else None)


def _counted(name: str, position: int, parameter: str) -> Callable[[Machine, CallInfo], Value]:
    """A function that wants Python integers where arrays with a value would do as well: one number, or a list of them."""

    def run(m: Machine, info: CallInfo) -> Value:
        count = info.get(position, parameter)
        parts = count.items or () if isinstance(count, (Tup, ListV)) else (count,)
        for part in parts:
            if (
                isinstance(part, Array)
                and part.traced is True
                and part.sure
                and (part is not count or parameter in ("k", "repeats", "reps") or _flat(part))
            ):
                m.emit("index", info.place, f"a traced array as {parameter} of mx.{name.rpartition('.')[2]}", info.frame, part.chain)
                return m.array(None)
        return _method(m, name, info) if name.startswith("mlx.core.array.") else function(m, name, info)

    return run


def _flat(array: Array) -> bool:
    """Whether an array is known to be as good as a list of numbers."""
    return array.shape is not None and len(array.shape) == 1


_COUNTS = {
    "mlx.core.topk": (1, "k"), "mlx.core.repeat": (1, "repeats"), "mlx.core.tile": (1, "reps"),
    "mlx.core.zeros": (0, "shape"), "mlx.core.ones": (0, "shape"), "mlx.core.full": (0, "shape"), "mlx.core.broadcast_to": (1, "shape"),
    "mlx.core.reshape": (1, "shape"), "mlx.core.array.reshape": (1, "shape"), "mlx.core.unflatten": (2, "shape"),
}  # fmt: skip
"""Where functions take counts and sizes."""


def _switch(disabled: bool) -> Callable[[Machine, CallInfo], Value]:
    def run(m: Machine, info: CallInfo) -> Value:
        if not m.guards:
            m.compile_disabled = disabled
            if m.trace is None and m.epoch == 0:
                m.disabled_at = info.place if disabled else None
        return NONE

    return run


def _compile(m: Machine, info: CallInfo) -> Value:
    from mxlint.tracing import compiling

    return compiling.compile_call(m, info)


# -- trees ------------------------------------------------------------------------------------------------------------


def _leaf(m: Machine, value: Value) -> Array:
    return m.array(True if holds_traced(value) else operators.traced_of(value), None, chain_of(value))


def _tree_map(m: Machine, info: CallInfo) -> Value:
    if len(info.args) < 2:
        return UNKNOWN
    leaves: list[Value] = [_leaf(m, v) for v in info.args[1:]]
    result = call(m, info.args[0], replace(info, args=leaves, keywords={}, places=[info.place] * len(leaves)))
    if result is leaves[0] and isinstance(info.args[1], Snapshot):
        return info.args[1]
    traced = True if holds_traced(result) else operators.traced_of(result)
    made = m.array(traced, None, chain_of(result), tree=True)
    return m.lazy(made, info.args[1:]) if m.trace is not None else made


def _tree_flatten(m: Machine, info: CallInfo) -> Value:
    value = info.args[0] if info.args else UNKNOWN
    if isinstance(value, (StateV, Snapshot)):
        leaf = m.array(_captured(m, value) or False)
        leaf.fields[layers.WEIGHTS_OF] = layers.weights_of(value)
        return list_like(Tup((Scalar("str"), leaf)))
    if isinstance(value, DictV) and not value.open and all(isinstance(value.fields["k", k], Array) for k in value.keys):
        return list_of(tuple(Tup((const(k), value.fields["k", k])) for k in value.keys))
    return list_like(Tup((Scalar("str"), _leaf(m, value))))


def _tree_unflatten(m: Machine, info: CallInfo) -> Value:
    value = info.args[0] if info.args else UNKNOWN
    return m.array(True if holds_traced(value) else None, None, chain_of(value), tree=True)


def _default(m: Machine, info: CallInfo) -> Value:
    m.emit("frozen", info.place, f"{info.place.text.partition('(')[0]}()", info.frame, note="effect")
    return NONE


def _at(m: Machine, operation: str, info: CallInfo) -> Value:
    """`x.at[index].add(v)`: a new array of the shape of x."""
    holder = info.args[0]
    owner = holder.element if isinstance(holder, Foreign) else None
    if not isinstance(holder, Foreign) or not isinstance(owner, Array):
        return UNKNOWN
    shapeless.unsupported(m, f"mlx.core.{holder.kind}", info.place, f".at[…].{operation}", owner, info.frame)
    traced = True if holds_traced(owner) or any(map(holds_traced, info.args[1:])) else operators.traced_of(owner, *info.args[1:])
    return m.lazy(m.array(traced, owner.shape, operators.step(m, info.node, info.frame, owner, *info.args[1:]) if info.node else None,
                          like=owner.like), [owner, *info.args[1:]])  # fmt: skip


def _layer_method(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0]
    rest = replace(info, args=info.args[1:], places=info.places[1:])
    return (
        layers.call_layer(m, owner, f"{owner.cls.name}.as_linear", rest)
        if isinstance(owner, Instance) and isinstance(owner.cls, External)
        else UNKNOWN
    )


def _quantize(m: Machine, info: CallInfo) -> Value:
    """`nn.quantize(model)`: other layers take the place of those that have a quantized form."""
    if 0 < len(info.args) <= 3 and info.keywords.get("class_predicate", NONE) == NONE:
        layers.swap(m, info.args[0], _QUANTIZED, info)
    return NONE


_QUANTIZED = {"mlx.nn.Linear": "mlx.nn.QuantizedLinear", "mlx.nn.Embedding": "mlx.nn.QuantizedEmbedding"}


def _seed(m: Machine, info: CallInfo) -> Value:
    if m.trace is not None:
        m.trace.seeded = True
    return function(m, "mlx.core.random.seed", info)


def _synchronize(m: Machine, info: CallInfo) -> Value:
    m.evaluated(Tup(()))
    return NONE


def _make_kernel(m: Machine, info: CallInfo) -> Value:
    return External("mlx.#kernel")


def _kernel(m: Machine, info: CallInfo) -> Value:
    """A custom kernel is launched: its grid and output shapes are Python numbers."""
    parts: list[Value] = []
    for name in ("grid", "threadgroup", "output_shapes"):
        value = info.keywords.get(name)
        for part in (value.items or () if isinstance(value, (Tup, ListV)) else (value,)) if value is not None else ():
            parts += part.items or () if isinstance(part, (Tup, ListV)) else [part] if part is not None else []
    axes = frozenset(axis for part in parts if isinstance(part, Scalar) for axis in part.axes)
    if axes and m.trace is not None:
        if shapeless.on(m) and info.node is not None:
            operators.bake(m, Tup(tuple(parts)), info.node, info.frame, "the size of a custom kernel")
        else:
            m.emit("kernel", info.place, "a custom kernel", info.frame, axes=axes)
    inputs = info.keywords.get("inputs")
    traced = holds_traced(inputs) if inputs is not None else None
    return list_like(m.array(traced or None, None, chain_of(inputs) if inputs is not None else None))


def _stream(m: Machine, info: CallInfo) -> Value:
    return External("mlx.core.Stream")


_HANDLERS: dict[str, Callable[[Machine, CallInfo], Value]] = {
    "mlx.core.array": _array, "mlx.core.compile": _compile, "mlx.core.disable_compile": _switch(True),
    "mlx.core.enable_compile": _switch(False), "mlx.core.array_equal": _array_equal,
    "mlx.nn.#layer": _layer_method, "mlx.nn.quantize": _quantize, "mlx.core.random.seed": _seed,
    "mlx.core.synchronize": _synchronize,
    "mlx.core.fast.metal_kernel": _make_kernel,
    "mlx.core.fast.cuda_kernel": _make_kernel,
    "mlx.#kernel": _kernel,
    "mlx.core.set_default_device": _default,
    "mlx.core.set_default_stream": _default, "mlx.core.allclose": _array_equal,
    "mlx.core.stream": _stream, "mlx.core.new_stream": _stream,
    **{name: _counted(name, *count) for name, count in _COUNTS.items()},
    **{f"mlx.core.{name}": _evaluates(f"mx.{name}()") for name in ("eval", "async_eval", "save", "savez", "savez_compressed", "save_safetensors", "save_gguf")},
    "mlx.utils.tree_map": _tree_map, "mlx.utils.tree_flatten": _tree_flatten, "mlx.utils.tree_unflatten": _tree_unflatten,
}  # fmt: skip

__all__ = ["Instance", "PartialV", "call_mlx", "function"]
