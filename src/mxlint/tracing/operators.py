"""Operators, truth and iteration: what Python does between two values, and which of it looks at a placeholder."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from mxlint.syntax import ir
from mxlint.tracing import dtypes, interpreter, shapeless, shapes
from mxlint.tracing.machine import Machine, chain_of, holds_traced
from mxlint.tracing.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Array,
    Axis,
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
    Place,
    RangeV,
    Scalar,
    ShapeV,
    Step,
    Tup,
    Value,
    const,
    join,
    list_like,
    list_of,
    without_none,
)  # fmt: skip

MAX_EXACT = 8
"""Rounds of a known range that are gone through one by one."""
MAX_BITS = 4096
"""Integers larger than this are not computed."""
FEW = 32
"""So many different values are few, of which the cache may keep a trace each."""

_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "&": "and", "|": "or", "^": "xor",
    "<<": "lshift", ">>": "rshift", "@": "matmul", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip
"""What the special method of an operator is called."""
_NUMBERS = ("int", "float", "bool", "number", "scalar")


# -- truth ------------------------------------------------------------------------------------------------------------


def truth(m: Machine, value: Value, node: ir.Node, frame: Frame) -> bool | None:
    """The truth of a value; None when it is not known. Taking the truth of a placeholder is an event."""
    if isinstance(value, Scalar):
        return bool(value.content) if value.known else None
    if isinstance(value, Array):
        if m.is_placeholder(value) and not value.tree:
            place = m.place(frame, node)
            m.emit("truth", place, "the truth of a traced array", frame, value.chain, note=place.text)
        m.evaluated(value)
        return None
    if isinstance(value, Tup):
        return bool(value.items)
    if isinstance(value, ListV):
        return bool(value.items) if value.items is not None else None
    if isinstance(value, DictV):
        return True if value.keys else None if value.open else False
    if isinstance(value, External):  # a module or function of Python or MLX; another library's name may be a flag
        return True if value.name.startswith(("builtins.", "mlx.")) or value.name in sys.stdlib_module_names else None
    if isinstance(value, (FuncV, ClassV, ModuleV, CompiledV)):
        return True
    if isinstance(value, Instance):
        return _truth_of_object(m, value, node, frame)
    if isinstance(value, Choice):
        found = {truth(m, option, node, frame) if not isinstance(option, Array) else None for option in value.options}
        return found.pop() if len(found) == 1 else None
    return None


def _truth_of_object(m: Machine, value: Instance, node: ir.Node, frame: Frame) -> bool | None:
    """The truth of an object of the project: what its own method says."""
    from mxlint.tracing import call as calls

    for name in ("__bool__", "__len__"):
        own = calls.dunder(value, name)
        if own is not None:
            made = calls.call(m, own, calls.CallInfo([], {}, frame, m.place(frame, node)))
            return bool(made.content) if isinstance(made, Scalar) and made.known else None
    return None


def branch(m: Machine, value: Value, whole: ir.Node, test: ir.Node, frame: Frame) -> None:
    """Control flow on a value: an event when it is a shape of a shapeless trace."""
    if shapeless.on(m) and isinstance(value, Scalar) and value.axes:
        place = Place(frame.source, min(whole.start, test.start), test.end)
        m.branch(place, m.place(frame, test).text, frame, value.axes, value.content)


def depends_on_argument(value: Value) -> bool:
    """Whether a condition depends on a Python argument, or on the shape, rank or dtype of an array argument."""
    if isinstance(value, Scalar):
        return value.param
    if isinstance(value, Choice):
        return any(depends_on_argument(option) for option in value.options)
    if isinstance(value, Foreign):
        return value.kind == dtypes.OF_ARGUMENT
    return isinstance(value, Opaque) and bool(value.fields.get("#param"))


def guard_kind(m: Machine, test: ir.Expr, value: Value) -> str:
    """How to name a condition that is not known: a comparison of numbers or dtypes that the calls decide ("value"), one that no argument of a call in sight
    goes into, so that nobody knows that it ever comes out the other way ("case", as is a test for None), or a matter of configuration ("flag").
    """
    numbers = isinstance(value, Array) or isinstance(value, Scalar) and value.kind == "bool"
    called = m.trace is None or isinstance(value, Scalar) and value.varies
    kind = "value" if numbers and called and _compares_numbers(test) else "case" if _tells_cases_apart(test) else "flag"
    return kind + "+argument" if depends_on_argument(value) else kind


def _tells_cases_apart(test: ir.Expr) -> bool:
    if isinstance(test, ir.Unary):
        return _tells_cases_apart(test.operand)
    if isinstance(test, ir.BoolOp):
        return _tells_cases_apart(test.left) and _tells_cases_apart(test.right)
    is_none = isinstance(test, ir.Compare) and isinstance(test.rights[0], ir.Const) and test.rights[0].value is None
    return is_none or _compares_numbers(test)


def _compares_numbers(test: ir.Expr) -> bool:
    if isinstance(test, ir.Unary):
        return _compares_numbers(test.operand)
    if isinstance(test, ir.BoolOp):
        return _compares_numbers(test.left) and _compares_numbers(test.right)
    if not isinstance(test, ir.Compare) or any(op in ("is", "is not", "in", "not in") for op in test.ops):
        return False
    return not any(isinstance(side, ir.Const) and isinstance(side.value, str) for side in (test.left, *test.rights))


def bool_scalar(known: bool | None, of: Value) -> Scalar:
    """The negation of a truth, with the origin of what it was taken of."""
    content = MISSING if known is None else not known
    if isinstance(of, Scalar):
        return Scalar("bool", content, of.axes, of.param, of.varies)
    return Scalar("bool", content, param=depends_on_argument(of))


def marked(value: Value, by: Value) -> Value:
    """`value`, also depending on what `by` depends on."""
    if isinstance(value, Scalar) and isinstance(by, Scalar) and (by.param or by.axes):
        return replace(value, axes=value.axes | by.axes, param=value.param or by.param)
    if isinstance(value, Scalar) and depends_on_argument(by):
        return replace(value, param=True)
    return value


def tainted(value: Value, test: Value) -> Value:
    """A value chosen by a test depends on what the test depends on, as far as arguments go."""
    return replace(value, param=True) if isinstance(value, Scalar) and depends_on_argument(test) else value


def either(left: Value, right: Value) -> Value:
    """`left and right`, `left or right` when it is not known which."""
    if isinstance(left, Scalar) and isinstance(right, Scalar) and left.kind == right.kind == "bool":
        return Scalar("bool", MISSING, left.axes | right.axes, left.param or right.param, left.varies or right.varies)
    result = join(left, right)
    return result if isinstance(result, (Scalar, Array)) else marked(Scalar("scalar"), left) if depends_on_argument(left) else result


# -- narrowing --------------------------------------------------------------------------------------------------------


def _facts(test: ir.Expr, taken: bool) -> Iterator[tuple[ir.Expr, bool]]:
    """What a test says of None: pairs (expression, it is None)."""
    if isinstance(test, ir.Unary) and test.op == "not":
        yield from _facts(test.operand, not taken)
    elif isinstance(test, ir.BoolOp) and (test.op == "and") == taken:
        yield from _facts(test.left, taken)
        yield from _facts(test.right, taken)
    elif isinstance(test, ir.Compare) and len(test.ops) == 1 and isinstance(test.rights[0], ir.Const) and test.rights[0].value is None:
        if test.ops[0] in ("is", "=="):
            yield test.left, taken
        elif test.ops[0] in ("is not", "!="):
            yield test.left, not taken
    elif isinstance(test, (ir.Name, ir.Attr)) and taken:
        yield test, False
    elif isinstance(test, ir.Call) and taken and isinstance(test.func, ir.Name) and test.func.id == "isinstance" and test.args:
        yield test.args[0].value, False


def narrowing(m: Machine, test: ir.Expr, frame: Frame, taken: bool) -> Callable[[], None]:
    """What is known where a test came out as `taken`, to be applied inside the branch."""

    def apply() -> None:
        for expression, is_none in _facts(test, taken):
            target: Heap = frame
            key = ""
            if isinstance(expression, ir.Name):
                key = expression.id
            elif isinstance(expression, ir.Attr) and isinstance(expression.value, ir.Name):
                owner = frame.fields.get(expression.value.id)
                if not isinstance(owner, Instance):
                    continue
                target, key = owner, expression.name
            if key not in target.fields:
                continue
            present = target.fields[key]
            if isinstance(present, Choice):
                m.journal.store(target, key, NONE if is_none else without_none(present))

    return apply


# -- operators --------------------------------------------------------------------------------------------------------


def _is_array(value: Value) -> bool:
    return isinstance(value, Array)


def traced_of(*values: Value) -> bool | None:
    """Whether a result computed from `values` is a placeholder."""
    found: bool | None = False
    for value in values:
        if isinstance(value, Array):
            if value.traced is True:
                return True
            found = None if value.traced is None else found
        elif isinstance(value, (Tup, ListV, DictV)) and holds_traced(value):
            return True
        elif isinstance(value, (Opaque, Choice)):
            found = None
    return found


def step(m: Machine, node: ir.Node, frame: Frame, *values: Value) -> Step | None:
    """The link of a chain for a result computed from `values`."""
    for value in values:
        if holds_traced(value):
            place = m.place(frame, node)
            origin = chain_of(value)
            return Step(place, place.text, origin) if origin is None or origin.place != place else origin
    return None


def bake(m: Machine, value: Value, node: ir.Node, frame: Frame, how: str, form: str = "") -> None:
    """A shape value enters the graph: an event in a shapeless trace. The table tells under `form` what becomes of it."""
    if not shapeless.on(m):
        return
    axes: frozenset[Axis] = frozenset()
    for item in value.items or () if isinstance(value, (Tup, ListV)) else (value,):
        if isinstance(item, Scalar) and item.kind in _NUMBERS:
            axes |= item.axes
        elif isinstance(item, ShapeV):
            axes |= {(number, None) for number in item.of}
    if axes:
        m.emit("bake", m.place(frame, node), how, frame, axes=axes, target=value, effects=shapeless.whatever_changes(m, form))


def binary(m: Machine, op: str, left: Value, right: Value, node: ir.Node, frame: Frame) -> Value:
    if op == "-":
        m.elapsed(left, right)
    left, right = without_none(left), without_none(right)
    if isinstance(left, Instance) or isinstance(right, Instance) and not _is_array(left):
        found = _by_method(m, op, left, right, node, frame)
        if found is not None:
            return found
    if (_is_array(left) or _is_array(right)) and not (op == "%" and isinstance(left, Scalar) and left.kind == "str"):
        return _array_binary(m, op, left, right, node, frame)
    if isinstance(left, Scalar) and left.kind == "str":
        if op == "%":
            from mxlint.tracing import attribute

            if attribute.becomes_text(m, right, m.place(frame, node), frame):
                m.emit("format", m.place(frame, node), "% formatting", frame, chain_of(right))
            return Scalar("str")
        if isinstance(right, Scalar) and left.known and right.known and op in "+*" and right.kind in ("str", "int"):
            return _fold(op, left, right)
        return Scalar("str", MISSING, param=left.param)
    if isinstance(left, Scalar) and isinstance(right, Scalar) and left.kind in _NUMBERS and right.kind in _NUMBERS:
        return _fold(op, left, right)
    if op == "+" and isinstance(left, Tup) and isinstance(right, Tup):
        return Tup(left.items + right.items)
    if op == "+" and isinstance(left, ListV) and isinstance(right, ListV):
        if left.items is not None and right.items is not None:
            return list_of(left.items + right.items)
        return list_like(join(_element(left), _element(right)))
    if op == "*" and isinstance(left, (Tup, ListV)) and isinstance(right, Scalar) and left.items is not None:
        if right.known and isinstance(right.content, int) and right.content * len(left.items) <= 64:
            items = left.items * max(right.content, 0)
            return Tup(items) if isinstance(left, Tup) else list_of(items)
        return list_like(_joined(left.items))
    if isinstance(left, NumpyV) or isinstance(right, NumpyV):
        return NumpyV("array") if "array" in (getattr(left, "kind", ""), getattr(right, "kind", "")) else NumpyV("scalar")
    if op == "|" and isinstance(left, DictV) and isinstance(right, DictV):
        return DictV({**left.fields, **right.fields})
    if isinstance(left, Opaque) or isinstance(right, Opaque):
        return Opaque(label=m.place(frame, node).text[:40])
    return UNKNOWN


def _by_method(m: Machine, op: str, left: Value, right: Value, node: ir.Node, frame: Frame) -> Value | None:
    """An operator that a class of the project defines; None where it does not."""
    from mxlint.tracing import call as calls

    place = m.place(frame, node)
    for owner, other, name in ((left, right, f"__{_METHODS[op]}__"), (right, left, f"__r{_METHODS[op]}__")):
        own = calls.dunder(owner, name)
        if own is not None:
            return calls.call(m, own, calls.CallInfo([other], {}, frame, place, [place]))
    return None


def _fold(op: str, left: Scalar, right: Scalar) -> Scalar:
    axes, param, varies = left.axes | right.axes, left.param or right.param, left.varies or right.varies
    kind = "float" if op == "/" or "float" in (left.kind, right.kind) else "int" if left.kind == right.kind == "int" else "number"
    numpy, clock = left.numpy or right.numpy, left.clock or right.clock
    if left.kind == "str":
        kind = "str"
    if not (left.known and right.known):
        few = op == "%" and right.known and right.kind == "int" and 0 < right.content <= FEW
        few = few or (left.known or left.few) and (right.known or right.few)
        return Scalar(kind, MISSING, axes, param, varies, numpy, clock, few)
    a, b = left.content, right.content
    too_large = op in ("**", "<<", "*") and any(isinstance(n, int) and n.bit_length() > 64 for n in (a, b))
    if op == "**" and isinstance(b, (int, float)) and (abs(b) > 256 or isinstance(a, complex)):
        too_large = True
    if op == "<<" and b > MAX_BITS or kind == "str" and op == "*" and b > 64:
        too_large = True
    try:
        content = MISSING if too_large else _FOLD[op](a, b)
    except (ArithmeticError, TypeError, ValueError, KeyError):
        content = MISSING
    if isinstance(content, complex):
        content = MISSING
    return Scalar(kind if content is MISSING else type(content).__name__, content, axes, param, varies, numpy, clock)


def _array_binary(m: Machine, op: str, left: Value, right: Value, node: ir.Node, frame: Frame) -> Value:
    if m.trace is not None:
        m.trace.clocked |= {side.clock for side in (left, right) if isinstance(side, Scalar) and side.clock is not None}
    if (isinstance(left, NumpyV) or isinstance(left, Scalar) and left.numpy) and isinstance(right, Array):
        if right.traced is True and right.sure:
            m.emit("convert", m.place(frame, node), "a numpy value on the left of a traced array", frame, right.chain)
        return NumpyV("array")
    if isinstance(left, (ListV, Tup)) or isinstance(right, (ListV, Tup)):
        return UNKNOWN
    for side in (left, right):
        bake(m, side, node, frame, "arithmetic", "mlx.core.multiply[baked]")
    shape = None
    sides = [side for side in (left, right) if isinstance(side, Array)]
    if op == "@":
        shape = shapes.matmul(sides[0].shape, sides[1].shape) if len(sides) == 2 else None
    elif len(sides) == 2:
        shape = shapes.broadcast(sides[0].shape, sides[1].shape)
    elif isinstance(left, Scalar) or isinstance(right, Scalar):
        shape = sides[0].shape
    if m.mapped and shapeless.on(m) and op != "@" and len({len(side.shape) if side.shape is not None else -1 for side in sides}) > 1:
        # vmap broadcasts the smaller one to the sizes of the first trace.
        place, axes = m.mapped[-1]
        m.emit("unsafe", place, "mx.vmap", frame, sides[0].chain, axes=axes, effects=shapeless.whatever_changes(m, "mlx.core.vmap", axes))
    like = _like(sides) if op != "@" else frozenset()
    sure = op == "@" or any(side.sure for side in sides)
    traced = traced_of(left, right)
    if traced is None and any(side.traced is True for side in sides):
        traced = True
    tree = all(side.tree for side in sides)
    dtype = dtypes.of_operator(op, left, right)
    return m.lazy(m.array(traced, shape, step(m, node, frame, left, right), like=like, sure=sure, tree=tree, dtype=dtype), [left, right])


def _like(sides: list[Array]) -> frozenset[int]:
    known = [side.like for side in sides if side.like]
    if not known:
        return frozenset()
    return known[0] if len(sides) == 1 or len(known) < len(sides) else known[0] | known[1]


def unary(m: Machine, op: str, operand: Value, node: ir.Node, frame: Frame) -> Value:
    if isinstance(operand, Scalar) and operand.kind in _NUMBERS:
        content: Any = MISSING
        if operand.known and isinstance(operand.content, (int, float)):
            content = -operand.content if op == "-" else +operand.content if op == "+" else MISSING
        return replace(operand, content=content, kind="int" if operand.kind == "bool" else operand.kind)
    if isinstance(operand, Array):
        chain = step(m, node, frame, operand)
        return m.array(operand.traced, operand.shape, chain, like=operand.like, sure=operand.sure, tree=operand.tree, dtype=operand.dtype)
    if isinstance(operand, NumpyV):
        return operand
    if isinstance(operand, Instance) and op in _UNARY_METHODS:
        from mxlint.tracing import call as calls

        own = calls.dunder(operand, _UNARY_METHODS[op])
        if own is not None:
            return calls.call(m, own, calls.CallInfo([], {}, frame, m.place(frame, node)))
    return UNKNOWN


_UNARY_METHODS = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}


def compare(m: Machine, op: str, left: Value, right: Value, node: ir.Node, frame: Frame) -> Value:
    if op in ("is", "is not"):
        return _identity(op == "is", left, right)
    if op in ("in", "not in"):
        return _contains(m, op == "in", left, right, node, frame)
    if isinstance(left, Instance) and (own := _by_method(m, op, left, right, node, frame)) is not None:
        return own
    if isinstance(left, Array) or isinstance(right, Array):
        if isinstance(left, Scalar) and left.kind in ("None", "str") or isinstance(right, Scalar) and right.kind in ("None", "str"):
            return const(op == "!=")
        return _array_binary(m, op, left, right, node, frame)
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        axes, param, varies = left.axes | right.axes, left.param or right.param, left.varies or right.varies
        if left.known and right.known:
            try:
                return Scalar("bool", bool(_COMPARE[op](left.content, right.content)), axes, param, varies)
            except TypeError:
                pass
        return Scalar("bool", MISSING, axes, param, varies)
    if isinstance(left, (Tup, ListV)) and isinstance(right, (Tup, ListV)) and op in ("==", "!="):
        return _sequences(op, left, right)
    if isinstance(left, Foreign) and isinstance(right, Foreign) and left.kind == right.kind == "enum member" and op in ("==", "!="):
        return _identity(op == "==", left, right)
    if left == interpreter.VERSION and isinstance(right, Tup):
        return interpreter.compare(op, right)
    if isinstance(left, (Foreign, External)) or isinstance(right, (Foreign, External)):
        same = dtypes.same(left, right) if op in ("==", "!=") else None
        dtype = any(isinstance(side, Foreign) and side.kind == dtypes.OF_ARGUMENT for side in (left, right))
        content = MISSING if same is None else same == (op == "==")
        return Scalar(
            "bool" if dtype or same is not None else "scalar", content, param=depends_on_argument(left) or depends_on_argument(right)
        )
    if isinstance(left, ShapeV) or isinstance(right, ShapeV):
        of = frozenset(n for side in (left, right) if isinstance(side, ShapeV) for n in side.of)
        return Scalar("bool", MISSING, frozenset((n, None) for n in of), True)
    return Scalar("scalar", MISSING, param=depends_on_argument(left) or depends_on_argument(right))


def _sequences(op: str, left: Tup | ListV, right: Tup | ListV) -> Scalar:
    if left.items is None or right.items is None:
        return Scalar("bool")
    items = [item for item in (*left.items, *right.items) if isinstance(item, Scalar)]
    axes = frozenset(axis for item in items for axis in item.axes)
    param = any(item.param for item in items)
    if len(left.items) != len(right.items):
        return Scalar("bool", op == "!=", axes, param)
    pairs = list(zip(left.items, right.items))
    if all(isinstance(a, Scalar) and isinstance(b, Scalar) and a.known and b.known for a, b in pairs):
        equal = all(a.content == b.content for a, b in pairs)  # type: ignore[union-attr]
        return Scalar("bool", equal == (op == "=="), axes, param)
    return Scalar("bool", MISSING, axes, param)


_NEVER_NONE = (Array, Tup, ListV, DictV, FuncV, ClassV, ModuleV, CompiledV, Instance, External, NumpyV, Foreign, RangeV, ShapeV)


def _identity(positive: bool, left: Value, right: Value) -> Scalar:
    for a, b in ((left, right), (right, left)):
        if isinstance(b, Scalar) and b.kind == "None":
            # Whether an optional argument is given is a matter of configuration: such a test does not count as depending on it.
            if isinstance(a, Scalar):
                return Scalar("bool", MISSING if a.kind == "scalar" else (a.kind == "None") == positive)
            return Scalar("bool", not positive if isinstance(a, _NEVER_NONE) else MISSING)
    if isinstance(left, Scalar) and isinstance(right, Scalar) and left.known and right.known:
        same = left.kind == right.kind and left.content == right.content
        return Scalar("bool", same == positive, param=left.param or right.param)
    if left is right and isinstance(left, Heap) and left is not UNKNOWN:
        return const(positive)
    members = [side.element for side in (left, right) if isinstance(side, Foreign) and side.kind == "enum member"]
    if len(members) == 2 and None not in members:
        return const((members[0] == members[1]) == positive)
    return Scalar("bool", MISSING, param=depends_on_argument(left) or depends_on_argument(right))


def _contains(m: Machine, positive: bool, item: Value, container: Value, node: ir.Node, frame: Frame) -> Scalar:
    param = depends_on_argument(item) or depends_on_argument(container)
    if isinstance(container, Instance):
        from mxlint.tracing import call as calls

        own, place = calls.dunder(container, "__contains__"), m.place(frame, node)
        made = calls.call(m, own, calls.CallInfo([item], {}, frame, place, [place])) if own is not None else UNKNOWN
        known = truth(m, made, node, frame)
        return Scalar("bool", MISSING if known is None else known == positive, param=param)
    if isinstance(container, DictV) and isinstance(item, Scalar) and item.known:
        found = ("k", item.content) in container.fields
        if found or not container.open:
            return Scalar("bool", found == positive, param=item.param)
        return Scalar("bool", MISSING, param=param)
    if isinstance(container, Array) and isinstance(item, Scalar) and item.kind in ("str", "None"):
        return Scalar("bool", not positive, param=param)
    if isinstance(container, (Tup, ListV)) and container.items is not None:
        if isinstance(item, Scalar) and item.kind not in ("str", "None"):
            _compared(m, item, container.items, node, frame)
        if isinstance(item, Array):
            if item.traced is True and item.sure and container.items and not any(other is item for other in container.items):
                m.emit("truth", m.place(frame, node), "`in`", frame, item.chain)
            return Scalar("bool")
        alike = [dtypes.same(item, other) for other in container.items]
        if alike and None not in alike:
            return Scalar("bool", any(alike) == positive, param=param)
        parts = [other for other in container.items if isinstance(other, Scalar)]
        axes = frozenset(a for p in (item, *parts) if isinstance(p, Scalar) for a in p.axes)
        if isinstance(item, Scalar) and item.known and len(parts) == len(container.items) and all(p.known for p in parts):
            found = any(p.kind == item.kind and p.content == item.content or p.content == item.content for p in parts)
            return Scalar("bool", found == positive, axes, param)
        return Scalar("bool", MISSING, axes, param)
    if (
        isinstance(container, Scalar)
        and isinstance(item, Scalar)
        and container.kind == item.kind == "str"
        and container.known
        and item.known
    ):
        return Scalar("bool", (item.content in container.content) == positive, param=param)
    if isinstance(container, Array) and container.traced is True and container.sure and not container.tree:
        m.emit("truth", m.place(frame, node), "`in`", frame, container.chain)
    return Scalar("bool", MISSING, param=param)


def _compared(m: Machine, item: Scalar, items: tuple[Value, ...], node: ir.Node, frame: Frame) -> None:
    """A number is compared with the elements of a sequence, until it is found: an event where one of them is a placeholder."""
    for other in items:
        if isinstance(other, Scalar) and other.known and item.known and other.content == item.content:
            return
        if isinstance(other, Array) and m.is_placeholder(other) and not other.tree:
            m.emit("truth", m.place(frame, node), "`in`", frame, other.chain)
            return


# -- iteration --------------------------------------------------------------------------------------------------------


def _element(value: ListV) -> Value:
    return value.element if value.items is None else _joined(value.items)


def _joined(values: tuple[Value, ...]) -> Value:
    if not values:
        return UNKNOWN
    result = values[0]
    for value in values[1:]:
        result = join(result, value)
    return result


def row(m: Machine, value: Array) -> Array:
    """One element along the first axis."""
    shape = value.shape[1:] if value.shape else None
    made = m.array(value.traced, shape, value.chain, sure=value.sure, tree=value.tree, dtype=value.dtype)
    if m.trace is not None:
        m.lazy(made, [value])
    return made


def elements(m: Machine, value: Value, place: Place, frame: Frame) -> list[Value] | None:
    """The elements of an array, range or string, when their number is known and small."""
    if isinstance(value, RangeV):
        parts = (value.start, value.stop, value.step)
        if shapeless.on(m) and any(part.axes for part in parts):
            axes = value.start.axes | value.stop.axes | value.step.axes
            m.branch(place, place.text, frame, axes, MISSING if MISSING in (found := tuple(part.content for part in parts)) else found)
        if all(isinstance(part.content, int) for part in parts) and value.step.content and not any(part.varies for part in parts):
            numbers = range(value.start.content, value.stop.content, value.step.content)
            return [const(n) for n in numbers] if len(numbers) <= MAX_EXACT else None
        return None
    if isinstance(value, Array):
        if shapeless.on(m) and value.traced is True and value.sure and not value.tree:
            m.emit("unsupported", place, "iteration over a traced array", frame, value.chain, effects=shapeless.at_first_call(m))
        if value.shape and value.shape[0].known and value.shape[0].content <= 8:
            return [row(m, value) for _ in range(value.shape[0].content)]
    return list(value.items) if isinstance(value, Foreign) and value.items is not None else None


def is_counted(value: Value) -> bool:
    """Whether the elements of an iterable are no few values that are written out, but come from a range of numbers."""
    return isinstance(value, RangeV) or isinstance(value, Foreign) and value.counted


def varying(value: Value) -> Value:
    """A value that differs from one iteration to the next."""
    if isinstance(value, Scalar) and value.kind != "None":
        return replace(value, content=MISSING, varies=True)
    if isinstance(value, Tup):
        return Tup(tuple(varying(item) if isinstance(item, Scalar) else item for item in value.items), value.cls)
    return value


def first_and_later(m: Machine, value: Value, place: Place, frame: Frame) -> tuple[Value, Value]:
    """What stands for the first element of an iterable and for those after it."""
    if isinstance(value, RangeV):
        later = Scalar("int", MISSING, varies=True)
        return (const(value.start.content) if value.start.known else later), later
    if isinstance(value, Array):
        return row(m, value), row(m, value)
    if isinstance(value, (ListV, Tup)) and value.items:
        return value.items[0], varying(_joined(value.items[1:] or value.items))
    if isinstance(value, ListV) and value.items is None:
        return value.element, varying(value.element)
    if isinstance(value, Foreign) and value.element is not None:
        return value.element, varying(value.element)
    if isinstance(value, DictV):
        return Scalar("str"), Scalar("str")
    if isinstance(value, Scalar) and value.kind == "str":
        return Scalar("str"), Scalar("str")
    if isinstance(value, ShapeV):
        size = Scalar("int", MISSING, frozenset((n, None) for n in value.of), value.near)
        return size, size
    return Opaque(label="element"), Opaque(label="element")


def unpacked(m: Machine, value: Value, count: int, star: bool) -> list[Value]:
    """The parts of a value of unknown length taken apart into `count` targets."""
    if isinstance(value, ShapeV):
        return [Scalar("int", MISSING, frozenset((n, None if star else i) for n in value.of), value.near) for i in range(count)]
    if isinstance(value, Array):
        if value.tree:
            return [m.array(value.traced, None, value.chain, tree=True) for _ in range(count)]
        return [row(m, value) for _ in range(count)]
    if isinstance(value, ListV) and value.items is None:
        return [value.element] * count
    if isinstance(value, Foreign) and value.element is not None:
        return [value.element] * count
    if isinstance(value, NumpyV):
        return [value] * count
    return [Opaque(label=f"part {i}") for i in range(count)]


__all__ = ["bake", "binary", "bool_scalar", "branch", "compare", "depends_on_argument", "either", "elements", "first_and_later",
           "guard_kind", "marked", "narrowing", "row", "step", "tainted", "traced_of", "truth", "unary", "unpacked",
           "varying"]  # fmt: skip
