"""Expressions: what an expression may hold, and what evaluating it does to placeholders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from mxlint.syntax import ir
from mxlint.tracing import attribute, operators
from mxlint.tracing import call as calls
from mxlint.tracing.alike import Alike
from mxlint.tracing.machine import Loop, Machine, chain_of
from mxlint.tracing.mlx.names import constant
from mxlint.tracing.operators import truth
from mxlint.tracing.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Array,
    Choice,
    ClassV,
    CompiledV,
    DictV,
    External,
    Foreign,
    Frame,
    FuncV,
    ListV,
    ModuleV,
    Scalar,
    SliceV,
    Tup,
    Value,
    const,
    join,
    list_like,
    list_of,
    without_none,
)  # fmt: skip

MAX_UNROLL = 16
"""Elements of a known sequence that a loop or comprehension goes through one by one."""


def evaluate(m: Machine, node: ir.Expr, frame: Frame) -> Value:
    """The value of an expression in a frame."""
    m.tick()
    return _EVALUATORS[type(node)](m, node, frame)


def _const(m: Machine, node: ir.Const, frame: Frame) -> Value:
    content = node.value
    if isinstance(content, (bytes, complex)) or content is ...:
        return Foreign("ellipsis" if content is ... else type(content).__name__)
    return const(content)


def lookup(m: Machine, name: str, frame: Frame) -> tuple[Frame | None, Value]:
    """The frame that binds a name, seen from `frame`, and its value; builtins have no frame."""
    scope: Frame | None = frame
    while scope is not None:
        if scope.kind != "class" or scope is frame:
            if scope.scope is not None and name in scope.scope.globals:
                break
            value = scope.fields.get(name, MISSING)
            if value is not MISSING:
                return scope, calls.force(scope, name, value)
            if scope.scope is not None and name in scope.scope.bound and name not in scope.scope.nonlocals:
                return scope, UNKNOWN
        scope = scope.parent
    module = frame.module
    if module is not None:
        value = module.fields.get(name, MISSING)
        if value is not MISSING:
            return module, calls.force(module, name, value)
        if "*open" in module.fields:
            return None, _from_star(m, module.fields["*open"].items, name)
    return None, calls.builtin(name)


def _from_star(m: Machine, libraries: tuple[Value, ...], name: str) -> Value:
    """A name that one of some libraries may have given, by `from library import *`: what MLX gives is known."""
    for library in libraries:
        if not isinstance(library, External) or not library.name.startswith("mlx."):
            return UNKNOWN
        full = f"{library.name}.{name}"
        known = constant(full)
        if known is not None or m.table.entry(full) is not None:
            return known or External(full)
    return calls.builtin(name)


def _name(m: Machine, node: ir.Name, frame: Frame) -> Value:
    where, value = lookup(m, node.id, frame)
    if where is not None and m.outer(where):
        m.read(where, node.id, None, value, m.place(frame, node), node.id, frame)
    elif isinstance(value, Array) and m.outer(value):  # bound by a default or a partial
        m.read(value, "version", None, value.fields.get("version", 0), m.place(frame, node), node.id, frame)
    return m.relied(value, node, frame)


def _attr(m: Machine, node: ir.Attr, frame: Frame) -> Value:
    before = len(m.trace.reads) if m.trace is not None else 0
    owner = evaluate(m, node.value, frame)
    if node.name in ("shape", "ndim", "dtype"):
        m.unread(before, owner)
    return m.relied(attribute.get(m, owner, node.name, node, frame), node, frame)


def _sub(m: Machine, node: ir.Sub, frame: Frame) -> Value:
    owner = evaluate(m, node.value, frame)
    index = evaluate(m, node.index, frame)
    return m.relied(attribute.get_item(m, owner, index, node, frame), node, frame)


def _slice(m: Machine, node: ir.Slice, frame: Frame) -> Value:
    parts = [NONE if part is None else evaluate(m, part, frame) for part in (node.lower, node.upper, node.step)]
    return SliceV(*parts)


def _call(m: Machine, node: ir.Call, frame: Frame) -> Value:
    function = evaluate(m, node.func, frame)
    args: list[Value] = []
    places: list[Any] = []
    keywords: dict[str, Value] = {}
    keyword_nodes: dict[str, Any] = {}
    rest: list[Value] = []
    is_open = False
    for arg in node.args:
        value = evaluate(m, arg.value, frame)
        place = m.place(frame, arg.value)
        if arg.star == "*":
            items = iterate(m, value, arg.value, frame)
            if items is None:
                is_open = True
                rest.append(value.element or UNKNOWN if isinstance(value, (ListV, Foreign)) else UNKNOWN)
            else:
                args += items
                places += [place] * len(items)
        elif arg.star == "**":
            if isinstance(value, DictV) and not value.open and all(isinstance(key, str) for key in value.keys):
                for key in value.keys:
                    keywords[str(key)] = value.fields["k", key]
            else:
                is_open = True
        elif arg.name is not None:
            keywords[arg.name] = value
            keyword_nodes[arg.name] = (place, arg.value)
        else:
            args.append(value)
            places.append(place)
    info = calls.CallInfo(args, keywords, frame, m.place(frame, node), places, keyword_nodes, is_open, node, _joined(rest))
    return calls.call(m, function, info)


def _bin(m: Machine, node: ir.Bin, frame: Frame) -> Value:
    left = evaluate(m, node.left, frame)
    right = evaluate(m, node.right, frame)
    return operators.binary(m, node.op, left, right, node, frame)


def _unary(m: Machine, node: ir.Unary, frame: Frame) -> Value:
    operand = evaluate(m, node.operand, frame)
    if node.op == "not":
        known = truth(m, operand, node.operand, frame)
        return operators.bool_scalar(known, operand)
    return operators.unary(m, node.op, operand, node, frame)


def _boolop(m: Machine, node: ir.BoolOp, frame: Frame) -> Value:
    left = evaluate(m, node.left, frame)
    known = truth(m, left, node.left, frame)
    if known is not None:
        if known == (node.op == "or"):
            if m.trace is not None and operators.depends_on_argument(left):
                m.journal.begin()
                budget = dict(m.unknown)
                m.guards.append("flag")
                try:
                    other = evaluate(m, node.right, frame)
                finally:
                    m.guards.pop()
                    m.journal.undo()
                    m.unknown = budget
                return operators.marked(left, other)
            return left
        return operators.marked(evaluate(m, node.right, frame), left)
    guards = [operators.narrowing(m, node.left, frame, node.op == "and")]
    m.journal.begin()
    try:
        with m.guarded(operators.guard_kind(m, node.left, left)):
            for narrow in guards:
                narrow()
            right = evaluate(m, node.right, frame)
    finally:
        written = m.journal.undo()
    m.journal.merge({k: v for k, v in written.items() if v[0] is not frame})
    return operators.either(left, right)


def _compare(m: Machine, node: ir.Compare, frame: Frame) -> Value:
    before = len(m.trace.reads) if m.trace is not None else 0
    left = evaluate(m, node.left, frame)
    if node.ops[0] in ("is", "is not"):
        m.unread(before, left)
    result: Value = const(True)
    for number, (op, right_node) in enumerate(zip(node.ops, node.rights)):
        right = evaluate(m, right_node, frame)
        part = operators.compare(m, op, left, right, node, frame)
        if len(node.ops) > 1 and number < len(node.ops) - 1:
            known = truth(m, part, node, frame)
            if known is False:
                return operators.marked(part, result)
            result = part if number == 0 else operators.either(result, part)
        elif len(node.ops) > 1:
            result = operators.either(result, part) if not (isinstance(result, Scalar) and result.known) else operators.marked(part, result)
        else:
            result = part
            _note_test(m, node, before, frame)
        left = right
    return result


def _note_test(m: Machine, node: ir.Compare, before: int, frame: Frame) -> None:
    """State that is only compared with a constant: the trace knows no more of it than what came out."""
    side, other = node.left, node.rights[0]
    if m.trace is None or len(m.trace.reads) == before or not isinstance(other, ir.Const):
        return
    read = m.trace.reads[-1]

    def test(content: Any) -> Any:
        found = operators.compare(m, node.ops[0], const(content), _const(m, other, frame), node, frame)
        return found.content if isinstance(found, Scalar) else MISSING

    if read.place == m.place(frame, side):
        m.trace.reads[-1] = replace(read, test=test)
        m.trace.seen.discard(("read", id(read.target), read.key, read.index))  # another look at it is noted again


def _ifexp(m: Machine, node: ir.IfExp, frame: Frame) -> Value:
    test = evaluate(m, node.test, frame)
    known = truth(m, test, node.test, frame)
    operators.branch(m, test, node, node.test, frame)
    if known is not None:
        return operators.tainted(evaluate(m, node.body if known else node.orelse, frame), test)

    def path(side: ir.Expr, taken: bool) -> Callable[[], Value]:
        def run() -> Value:
            operators.narrowing(m, node.test, frame, taken)()
            return evaluate(m, side, frame)

        return run

    result = m.choose(frame, [path(node.body, True), path(node.orelse, False)], operators.guard_kind(m, node.test, test))
    return operators.tainted(result, test)


def _lambda(m: Machine, node: ir.Lambda, frame: Frame) -> Value:
    defaults = {p.name: evaluate(m, p.default, frame) for p in node.params if p.default is not None}
    return FuncV(name="<lambda>", env=frame, source=frame.source, node=node, defaults=defaults, place=m.place(frame, node))


def _seq(m: Machine, node: ir.Seq, frame: Frame) -> Value:
    items: list[Value] = []
    for item in node.items:
        if isinstance(item, ir.Starred):
            found = iterate(m, evaluate(m, item.value, frame), item.value, frame)
            if found is None:
                return list_like(UNKNOWN) if node.kind == "list" else Foreign(node.kind, UNKNOWN) if node.kind == "set" else UNKNOWN
            items += found
        else:
            items.append(evaluate(m, item, frame))
    if node.kind == "tuple":
        return Tup(tuple(items))
    if node.kind == "list":
        made = list_of(tuple(items))
        _note_names(made, node.items, items)
        return made
    element = items[0]
    for value in items[1:]:
        element = join(element, value)
    return Foreign("set", element)


def _note_names(container: ListV | DictV, items: tuple[ir.Expr, ...], values: list[Value]) -> None:
    """A list or dict made of arrays that have names of their own: inputs=[w]."""
    if any(isinstance(item, (ir.Name, ir.Attr)) and isinstance(value, Array) for item, value in zip(items, values)):
        container.fields["#named"] = True


def _dict(m: Machine, node: ir.DictDisplay, frame: Frame) -> Value:
    result = DictV()
    for key_node, value_node in node.items:
        value = evaluate(m, value_node, frame)
        if key_node is None:
            if isinstance(value, DictV):
                result.fields.update(value.fields)
            else:
                result.fields["open"] = True
            continue
        key = evaluate(m, key_node, frame)
        _note_names(result, (value_node,), [value])
        if isinstance(key, Scalar) and key.known:
            result.fields["k", key.content] = value
        else:
            result.fields["open"] = True
            result.fields["element"] = join(result.fields["element"], value) if "element" in result.fields else value
    return result


def _comp(m: Machine, node: ir.Comp, frame: Frame) -> Value:
    inner = Frame(
        source=frame.source, qualname=frame.qualname, parent=frame, module=frame.module, caller=frame.caller, called_at=frame.called_at,
        kind="comprehension", cls=frame.cls, loop_base=frame.loop_base, depth=frame.depth, function=frame.function,
    )  # fmt: skip
    elements: list[tuple[Value | None, Value]] = []
    exact = _clauses(m, node, 0, inner, elements)
    if node.kind == "list":
        values = [value for _, value in elements]
        return list_of(tuple(values)) if exact else list_like(Alike(m.journal, inner.born).joined(values) if values else UNKNOWN)
    if node.kind == "dict":
        result = DictV({} if exact else {"open": True})
        for key, value in elements:
            if exact and isinstance(key, Scalar) and key.known:
                result.fields["k", key.content] = value
            else:
                result.fields["open"] = True
                result.fields["element"] = join(result.fields["element"], value) if "element" in result.fields else value
        return result
    found = tuple(value for _, value in elements)
    if node.kind == "generator":
        return Foreign("generator", _joined(list(found)), found if exact else None)
    return Foreign("set", _joined(list(found)))


def _joined(values: list[Value]) -> Value:
    if not values:
        return UNKNOWN
    result = values[0]
    for value in values[1:]:
        result = join(result, value)
    return result


def _clauses(m: Machine, node: ir.Comp, depth: int, inner: Frame, elements: list[tuple[Value | None, Value]]) -> bool:
    """Run the clauses from `depth` on; returns whether `elements` are exactly those of the comprehension."""
    if depth == len(node.clauses):
        key = None if node.key is None else evaluate(m, node.key, inner)
        value = evaluate(m, node.element, inner)
        if node.kind != "generator":
            calls.escape(m, value)
        elements.append((key, value))
        return True
    clause = node.clauses[depth]
    source = calls.iterated(m, evaluate(m, clause.iter, inner if depth else inner.parent or inner), m.place(inner, clause.iter), inner)
    items = iterate(m, source, clause.iter, inner)
    exact = items is not None and len(items) <= MAX_UNROLL
    if items is not None and not items:
        return True
    rounds = items if items is not None and exact else representatives(m, source, items, clause.iter, inner)
    m.loops.append(Loop(m.place(inner, node), len(rounds) > 1, exact and not operators.is_counted(source), exact))
    try:
        for item in rounds:
            assign(m, clause.target, item, inner)
            keep: bool | None = True
            guard = None
            for test in clause.ifs:
                value = evaluate(m, test, inner)
                known = truth(m, value, test, inner)
                operators.branch(m, value, test, test, inner)
                keep = False if known is False or keep is False else None if known is None or keep is None else True
                guard = operators.guard_kind(m, test, value) if known is None else guard
            if keep is False:
                continue
            if keep is None:
                exact = False
            with m.guarded(guard):
                exact = _clauses(m, node, depth + 1, inner, elements) and exact
    finally:
        m.loops.pop()
    return exact


def _fstring(m: Machine, node: ir.FString, frame: Frame) -> Value:
    values = []
    for part in _replaced(node):
        value = evaluate(m, part, frame)
        if attribute.becomes_text(m, value, m.place(frame, part), frame):
            m.emit("format", m.place(frame, part), "an f-string", frame, chain_of(value), note=m.place(frame, part).text)
        values.append(value)
    if m.trace is not None:  # there the next trace may format something else: a text says no more than that
        return Scalar("str", MISSING)
    return _formatted(node, values)


def _replaced(node: ir.FString) -> Iterator[ir.Expr]:
    """The replaced expressions, those of format specs too."""
    for part in node.parts:
        if isinstance(part, ir.Format):
            yield part.value
            if part.spec is not None:
                yield from _replaced(part.spec)


def _formatted(node: ir.FString, values: list[Value]) -> Scalar:
    """The text that an f-string makes of whole numbers and texts; unknown with conversions or format specs, or if a part is unknown."""
    known = [value.content for value in values if isinstance(value, Scalar) and value.kind in ("int", "str") and value.known]
    param = any(isinstance(value, Scalar) and value.param for value in values)
    plain = all(isinstance(part, ir.Const) or not part.conversion and part.spec is None for part in node.parts)
    if len(known) < len(values) or node.template or not plain:
        return Scalar("str", MISSING, param=param)
    rest = iter(known)
    return Scalar("str", "".join(str(part.value if isinstance(part, ir.Const) else next(rest)) for part in node.parts), param=param)


def _walrus(m: Machine, node: ir.Walrus, frame: Frame) -> Value:
    value = evaluate(m, node.value, frame)
    target = frame
    while target.kind == "comprehension" and target.parent is not None:
        target = target.parent
    assign(m, node.target, value, target)
    return value


def _await(m: Machine, node: ir.Await, frame: Frame) -> Value:
    evaluate(m, node.value, frame)
    return m.lost("await")


def _yield(m: Machine, node: ir.Yield, frame: Frame) -> Value:
    value = NONE if node.value is None else evaluate(m, node.value, frame)
    target = frame
    while target.kind == "comprehension" and target.parent is not None:
        target = target.parent
    given = [value]
    items: list[Value] | None = None
    if node.source:
        value = calls.iterated(m, value, m.place(frame, node), frame)
        items = iterate(m, value, node, frame)
        given = items if items is not None else representatives(m, value, None, node, frame)
    target.yields += given
    loops = m.loops[target.loop_base :]
    straight = len(m.guards) == target.guard_base and not target.leavings and all(loop.exact for loop in loops)
    target.counted = target.counted or any(not loop.literal for loop in loops)
    target.listed = target.listed and straight and (not node.source or items is not None)
    calls.escape(m, value)
    if m.withins:
        calls.yields(m, value, target)
    return UNKNOWN


def _opaque(m: Machine, node: ir.Opaque, frame: Frame) -> Value:
    return m.lost("expression not lowered")


def _starred(m: Machine, node: ir.Starred, frame: Frame) -> Value:
    evaluate(m, node.value, frame)
    return UNKNOWN


_EVALUATORS: dict[type, Callable[[Machine, Any, Frame], Value]] = {
    ir.Const: _const, ir.Name: _name, ir.Attr: _attr, ir.Sub: _sub, ir.Slice: _slice, ir.Call: _call, ir.Bin: _bin,
    ir.Unary: _unary, ir.BoolOp: _boolop, ir.Compare: _compare, ir.IfExp: _ifexp, ir.Lambda: _lambda, ir.Seq: _seq,
    ir.DictDisplay: _dict, ir.Comp: _comp, ir.FString: _fstring, ir.Walrus: _walrus, ir.Await: _await,
    ir.Yield: _yield, ir.Opaque: _opaque, ir.Starred: _starred,
}  # fmt: skip


# -- iteration --------------------------------------------------------------------------------------------------------


def iterate(m: Machine, value: Value, node: ir.Expr, frame: Frame) -> list[Value] | None:
    """The elements of an iterable, or None when their number is not known or is large."""
    if isinstance(value, Choice):
        value = without_none(value)
    if isinstance(value, Tup):
        return list(value.items)
    if isinstance(value, ListV):
        if m.outer(value):
            place = m.place(frame, node)
            m.read(value, "items", None, value.items, place, place.text, frame)
            for number, item in enumerate(value.items or ()):
                m.read(value, "items", number, item, place, place.text, frame)
        return list(value.items) if value.items is not None else None
    if isinstance(value, DictV):
        if value.open or not all(isinstance(key, (str, int, float, bool)) for key in value.keys):
            return None
        return [const(key) for key in value.keys]
    if isinstance(value, Scalar) and value.kind == "str" and value.known and len(value.content) <= 64:
        return [const(letter) for letter in value.content]
    return operators.elements(m, value, m.place(frame, node), frame)


def representatives(m: Machine, source: Value, items: list[Value] | None, node: ir.Expr, frame: Frame) -> list[Value]:
    """What stands for the elements of an iterable that is not gone through one by one: a first and a later one."""
    if items is not None:
        return [items[0], operators.varying(_joined(items[1:]))]
    first, later = operators.first_and_later(m, source, m.place(frame, node), frame)
    return [first, later]


# -- assignment -------------------------------------------------------------------------------------------------------


def assign(m: Machine, target: ir.Expr, value: Value, frame: Frame) -> None:
    """Bind a target to a value."""
    if isinstance(target, ir.Name):
        bind(m, target.id, value, target, frame)
    elif isinstance(target, ir.Attr):
        owner = evaluate(m, target.value, frame)
        attribute.put(m, owner, target.name, value, target, frame)
    elif isinstance(target, ir.Sub):
        owner = evaluate(m, target.value, frame)
        index = evaluate(m, target.index, frame)
        attribute.put_item(m, owner, index, value, target, frame)
    elif isinstance(target, ir.Seq):
        _unpack(m, target.items, value, target, frame)
    elif isinstance(target, ir.Starred):
        assign(m, target.value, value, frame)


def bind(m: Machine, name: str, value: Value, node: ir.Node, frame: Frame) -> None:
    """Bind a name in the scope that Python would use."""
    target: Frame = frame
    if frame.scope is not None and name in frame.scope.globals and frame.module is not None:
        target = frame.module
    elif frame.scope is not None and name in frame.scope.nonlocals:
        outer = frame.parent
        while outer is not None and (outer.kind == "class" or name not in outer.fields):
            outer = outer.parent
        target = outer or frame
    m.write(target, name, value, m.place(frame, node), name, "name", frame)
    if target is not frame:
        calls.escape(m, value)


def _unpack(m: Machine, targets: tuple[ir.Expr, ...], value: Value, node: ir.Seq, frame: Frame) -> None:
    items = iterate(m, value, node, frame)
    star = next((i for i, t in enumerate(targets) if isinstance(t, ir.Starred)), None)
    if items is None:
        parts = operators.unpacked(m, value, len(targets), star is not None)
        for target, part in zip(targets, parts):
            assign(m, target, list_like(part) if isinstance(target, ir.Starred) else part, frame)
        return
    if len(items) != len(targets) if star is None else len(items) < len(targets) - 1:
        m.fails("ValueError", frame)
    if star is None:
        padded = items + [UNKNOWN] * (len(targets) - len(items))
        for target, item in zip(targets, padded):
            assign(m, target, item, frame)
        return
    after = len(targets) - star - 1
    for target, item in zip(targets[:star], items):
        assign(m, target, item, frame)
    assign(m, targets[star], list_of(tuple(items[star : len(items) - after])), frame)
    for target, item in zip(targets[star + 1 :], items[len(items) - after :]):
        assign(m, target, item, frame)


__all__ = ["ClassV", "CompiledV", "External", "ModuleV", "assign", "bind", "evaluate", "iterate", "lookup", "representatives", "truth"]
