"""Statements: the order of things, branches, loops, and how a function or class comes into being."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from mxlint.syntax import ir
from mxlint.tracing import attribute, matching, operators, presume
from mxlint.tracing import call as calls
from mxlint.tracing.alike import Alike
from mxlint.tracing.evaluate import MAX_UNROLL, assign, bind, evaluate, iterate, representatives
from mxlint.tracing.machine import Attempt, Loop, Machine, Rescue, Status, qualname
from mxlint.tracing.operators import truth
from mxlint.tracing.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Choice,
    ClassV,
    CompiledV,
    DictV,
    External,
    Foreign,
    Frame,
    FuncV,
    Instance,
    Lazy,
    ListV,
    ModuleV,
    Opaque,
    Place,
    Scalar,
    Value,
    join,
    same,
)  # fmt: skip


def execute(m: Machine, body: ir.Body, frame: Frame) -> Status:
    """Run statements in order; returns how they ended."""
    for statement in body:
        m.tick()
        status = _EXECUTORS[type(statement)](m, statement, frame)
        if status is not None:
            return status
    return None


def _expr(m: Machine, node: ir.ExprStmt, frame: Frame) -> Status:
    value = evaluate(m, node.value, frame)
    if isinstance(value, CompiledV) and isinstance(node.value, ir.Call) and value.record.site == m.place(frame, node.value):
        value.record.discarded = m.place(frame, node)
    return None


def _assign(m: Machine, node: ir.Assign, frame: Frame) -> Status:
    if node.value is None:
        return None
    value = evaluate(m, node.value, frame)
    for target in node.targets:
        assign(m, target, value, frame)
    return None


def _augment(m: Machine, node: ir.AugAssign, frame: Frame) -> Status:
    m.augmenting = True
    try:
        present = evaluate(m, node.target, frame)
    finally:
        m.augmenting = False
    value = evaluate(m, node.value, frame)
    result = operators.binary(m, node.op, present, value, node, frame)
    if isinstance(present, Scalar):
        m.augmenting = True
        try:
            assign(m, node.target, result, frame)
        finally:
            m.augmenting = False
    elif not attribute.in_place(m, present, value, result, node, frame):
        if m.trace is not None:
            evaluate(m, node.target, frame)  # not a counter: what it held is read
        assign(m, node.target, result, frame)
    return None


def _if(m: Machine, node: ir.If, frame: Frame) -> Status:
    test = evaluate(m, node.test, frame)
    known = truth(m, test, node.test, frame)
    operators.branch(m, test, node, node.test, frame)
    if known is not None:
        if m.trace is not None and operators.depends_on_argument(test):
            _peek(m, node.orelse if known else node.body, frame)
        return execute(m, node.body if known else node.orelse, frame)

    def path(body: ir.Body, taken: bool) -> Callable[[], Status]:
        def run() -> Status:
            operators.narrowing(m, node.test, frame, taken)()
            return execute(m, body, frame)

        return run

    return m.fork(frame, [path(node.body, True), path(node.orelse, False)], operators.guard_kind(m, node.test, test))


def _peek(m: Machine, body: ir.Body, frame: Frame) -> None:
    """A branch that these arguments do not take: another argument may reach the raise in it."""
    for statement in body:
        if isinstance(statement, ir.Raise):
            m.guards.append("value+argument")
            _note_raise(m, statement, frame)
            m.guards.pop()


def _note_raise(m: Machine, node: ir.Stmt, frame: Frame) -> None:
    trace = m.trace
    if trace is None or m.guards and "argument" not in m.guards[-1] or m.protected:
        return
    guards, m.guards = m.guards, ["value"] if m.guards else []
    m.emit("raise", m.place(frame, node), "raise" if isinstance(node, ir.Raise) else "assert", frame)
    m.guards = guards


def _while(m: Machine, node: ir.While, frame: Frame) -> Status:
    loop = Loop(m.place(frame, node), True)
    m.loops.append(loop)
    try:
        status: Status = None
        first: Value = UNKNOWN
        for number in range(2):
            test = evaluate(m, node.test, frame)
            first = test if number == 0 else first
            known = truth(m, test, node.test, frame)
            operators.branch(m, test, node, node.test, frame)
            if known is False:
                break
            operators.narrowing(m, node.test, frame, True)()
            with m.guarded(None if known else operators.guard_kind(m, node.test, test)):
                status = _round(m, node.body, frame, loop, number)
            if status in ("break", "return", "raise"):
                break
        else:  # how often it comes to the same is not known
            operators.branch(m, replace(first, content=MISSING) if isinstance(first, Scalar) else first, node, node.test, frame)
    finally:
        m.loops.pop()
    return _loop_end(m, node.orelse, frame, loop, status)


def _for(m: Machine, node: ir.For, frame: Frame) -> Status:
    source = calls.iterated(m, evaluate(m, node.iter, frame), m.place(frame, node.iter), frame)
    items = iterate(m, source, node.iter, frame)
    if items is not None and not items:
        return execute(m, node.orelse, frame)
    exact = items is not None and len(items) <= MAX_UNROLL
    rounds = items if items is not None and exact else representatives(m, source, items, node.iter, frame)
    loop = Loop(m.place(frame, node), len(rounds) > 1, exact and not operators.is_counted(source), exact)
    m.loops.append(loop)
    status: Status = None
    try:
        for number, item in enumerate(rounds):
            assign(m, node.target, item, frame)
            with m.guarded(None):
                status = _round(m, node.body, frame, loop, 0 if exact else number)
            if status in ("break", "return", "raise"):
                break
    finally:
        m.loops.pop()
    return _loop_end(m, node.orelse, frame, loop, status)


def _round(m: Machine, body: ir.Body, frame: Frame, loop: Loop, number: int) -> Status:
    """One run of a loop body. The second of a loop that is not gone through to its end stands for all later ones: what it changes varies."""
    if number == 0:
        return execute(m, body, frame)
    m.journal.begin()
    try:
        status = execute(m, body, frame)
    finally:
        before = m.journal.end()
    for target, key, old in list(before.values()):
        new = target.fields.get(key, MISSING)
        if isinstance(old, Scalar) and isinstance(new, Scalar) and not same(old, new):
            m.journal.store(target, key, operators.varying(join(old, new)))
        elif isinstance(target, ListV) and key == "items" and isinstance(new, tuple) and (old is None or len(new) != len(old)):
            m.journal.store(target, "items", None)
            m.journal.store(target, "element", Alike(m.journal, loop.born).joined(new) if new else UNKNOWN)
    return status


def _loop_end(m: Machine, orelse: ir.Body, frame: Frame, loop: Loop, status: Status) -> Status:
    for written in loop.leavings:
        m.journal.merge(written)
    if status in ("return", "raise"):
        return status
    if status == "break":
        return None
    return execute(m, orelse, frame)


def _imports_mlx(node: ir.Stmt) -> bool:
    """Whether a statement imports MLX, which is there."""
    if isinstance(node, ir.Import):
        return all(name.partition(".")[0] == "mlx" for name, _ in node.names)
    return isinstance(node, ir.ImportFrom) and node.module == "mlx" and not node.level


def _try(m: Machine, node: ir.Try, frame: Frame) -> Status:
    if all(map(_imports_mlx, node.body)):
        return execute(m, (*node.body, *node.orelse, *node.final), frame)
    swallows = any(map(_swallows, node.handlers))
    before = len(m.risked)
    m.protected += bool(node.handlers)
    m.swallowing += swallows
    attempt = Attempt(frozenset(name for entry in node.handlers for name in _caught(entry)), frame, (len(m.guards), len(m.loops)))
    m.attempts.append(attempt)
    try:
        status = _attempted(m, node.body, frame, attempt)
    finally:
        m.attempts.remove(attempt)
        m.protected -= bool(node.handlers)
        m.swallowing -= swallows
    risked = tuple(m.risked[before:])
    del m.risked[before:]
    if status is None:
        with m.guarded("handler" if attempt.doubtful else None):
            status = execute(m, node.orelse, frame)
    if node.handlers:

        def handler(entry: ir.Handler) -> Callable[[], Status]:
            def run() -> Status:
                if entry.name:
                    bind(m, entry.name, Opaque(label=entry.name), entry, frame)
                if not risked or not _swallows(entry):
                    return execute(m, entry.body, frame)
                m.rescues.append(Rescue(risked, m.journal.depth, sum(m.unknown.values())))
                m.journal.begin()
                try:
                    return execute(m, entry.body, frame)
                finally:
                    m.journal.end()
                    m.rescues.pop()

            return run

        ended = status
        paths = [handler(entry) for entry in node.handlers]
        if status != "raise":
            paths.insert(0, lambda: ended)
        status = m.fork(frame, paths, "handler") if len(paths) > 1 else paths[0]()
    final = execute(m, node.final, frame)
    return final or status


def _attempted(m: Machine, body: ir.Body, frame: Frame, attempt: Attempt) -> Status:
    """The body of a `try`, up to what surely raises; what comes after something that may raise is not bound to run."""
    for number, statement in enumerate(body):
        status = execute(m, (statement,), frame)
        if status is not None or attempt.failed:
            return status or "raise"
        if attempt.doubtful:
            with m.guarded("handler"):
                return execute(m, body[number + 1 :], frame)
    return None


_FAMILIES: dict[str, tuple[str, ...]] = {
    "LookupError": ("IndexError", "KeyError"),
    "Exception": ("IndexError", "KeyError", "StopIteration", "ValueError"),
    "BaseException": ("IndexError", "KeyError", "StopIteration", "ValueError"),
}


def _caught(handler: ir.Handler) -> tuple[str, ...]:
    """The exceptions that a handler catches, out of those that the tracer sees coming."""
    kinds = handler.type.items if isinstance(handler.type, ir.Seq) else (handler.type,)
    names = ["BaseException" if kind is None else kind.id if isinstance(kind, ir.Name) else "" for kind in kinds]
    return tuple(exception for name in names for exception in _FAMILIES.get(name, (name,)))


def _swallows(handler: ir.Handler) -> bool:
    """Whether a handler catches what MLX raises when a placeholder is evaluated."""
    return "ValueError" in _caught(handler)


def _with(m: Machine, node: ir.With, frame: Frame) -> Status:
    def under(items: tuple[tuple[ir.Expr, ir.Expr | None], ...]) -> Status:
        if not items:
            return execute(m, node.body, frame)
        (expression, target), *rest = items
        value = evaluate(m, expression, frame)

        def block(entered: Value) -> Status:
            if target is not None:
                assign(m, target, entered, frame)
            m.expected += expects
            try:
                return under(tuple(rest))
            finally:
                m.expected -= expects

        called = expression.func if isinstance(expression, ir.Call) else None
        expects = isinstance(called, (ir.Attr, ir.Name)) and _last(called) in _EXPECT
        return calls.within(m, value, block, m.place(frame, expression), frame)

    return under(node.items)


_EXPECT = frozenset({"raises", "assertRaises", "assertRaisesRegex", "RaisesGroup", "suppress"})
"""What a test says that it expects an exception with."""


def _last(node: ir.Attr | ir.Name) -> str:
    return node.name if isinstance(node, ir.Attr) else node.id


def _function(m: Machine, node: ir.FuncDef, frame: Frame) -> Status:
    value: Value = make_function(m, node, frame)
    for decorator in reversed(node.decorators):
        function = evaluate(m, decorator, frame)
        value = calls.decorate(m, function, value, decorator, node, frame)
    bind(m, node.name, value, node, frame)
    return None


def make_function(m: Machine, node: ir.FuncDef, frame: Frame) -> FuncV:
    """A function object, its defaults evaluated."""
    base = qualname(frame)
    name = f"{base}.{node.name}" if base else node.name
    place = Place(frame.source, node.name_start, node.name_end)
    waits = m.files.waits(frame.source, node)
    if frame.kind == "function":
        m.made.append((node, frame))
    return FuncV(
        name=name, env=frame, source=frame.source, node=node, lower=partial(_lower_method, m) if waits else None,
        defaults={} if waits else _defaults(m, node, frame), cls=frame.cls, place=place,
    )  # fmt: skip


def _defaults(m: Machine, node: ir.FuncDef, frame: Frame) -> dict[str, Value]:
    """What the defaults of a function are; of one that reads a global that was bound anew after the definition nobody knows any more."""

    def changed(default: ir.Expr) -> bool:
        names = (part.id for part in presume.walk(default) if isinstance(part, ir.Name))
        places = (m.last_write.get((id(frame.module), name)) for name in names)
        return any(place is not None and place.source is frame.source and place.start > node.start for place in places)

    given = [(param, param.default) for param in node.params if param.default is not None]
    return {param.name: UNKNOWN if changed(default) else evaluate(m, default, frame) for param, default in given}


def _lower_method(m: Machine, function: FuncV) -> None:
    """Look into a method, unless too much was looked into for this file already."""
    node, function.node = function.node, None
    assert isinstance(node, ir.FuncDef) and function.env is not None
    size = node.end - node.start
    if m.files.call(function.source, node):
        if size > m.text_left:
            m.lost("budget")
            return
        m.text_left -= size
        m.tick_text(size)
    function.node = node
    with m.apart():
        function.defaults = _defaults(m, node, function.env)


def _class(m: Machine, node: ir.ClassDef, frame: Frame) -> Status:
    bind(m, node.name, make_class(m, node, frame), node, frame)
    return None


def make_class(m: Machine, node: ir.ClassDef, frame: Frame) -> Value:
    """A class object, its body run."""
    bases = tuple(evaluate(m, arg.value, frame) for arg in node.bases if arg.name is None and not arg.star)
    base = qualname(frame)
    name = f"{base}.{node.name}" if base else node.name
    place = Place(frame.source, node.name_start, node.name_end)
    made = ClassV(name=name, bases=bases, place=place)
    inner = Frame(source=frame.source, qualname=name, parent=frame, module=frame.module, kind="class", cls=made, depth=frame.depth,
                  caller=frame, loop_base=frame.loop_base)  # fmt: skip
    execute(m, node.body, inner)
    made.fields.update(inner.fields)
    if "__init_subclass__" in made.fields:
        _open_up(made)
    made.fields["#annotated"] = tuple(
        s.targets[0].id for s in node.body if isinstance(s, ir.Assign) and s.annotation is not None and isinstance(s.targets[0], ir.Name)
    )  # fmt: skip
    value: Value = made
    for decorator in reversed(node.decorators):
        found = evaluate(m, decorator, frame)
        named = evaluate(m, decorator.func, frame) if isinstance(decorator, ir.Call) else found
        function = named.function if isinstance(named, calls.PartialLike) else named
        if isinstance(function, External) and function.name.rsplit(".", 1)[-1] in ("dataclass", "frozen", "define"):
            made.dataclass = True
        elif not (isinstance(function, External) and function.name.startswith(("functools.", "typing.", "enum."))):
            info = calls.CallInfo([value], {}, frame, m.place(frame, decorator))
            found = calls.call(m, found, info) if isinstance(found, FuncV) else UNKNOWN
            value = found if isinstance(found, ClassV) else Choice((value, Opaque(label=name)))
    return value


def _open_up(cls: ClassV) -> None:
    """The containers of a class that hears of each class made from it: nobody knows what it puts there, since those are made when they are asked for."""
    for value in cls.fields.values():
        if isinstance(value, DictV):
            value.fields["open"] = True
        elif isinstance(value, ListV):
            value.fields.update(items=None, element=UNKNOWN)


def _return(m: Machine, node: ir.Return, frame: Frame) -> Status:
    value = NONE if node.value is None else evaluate(m, node.value, frame)
    if m.attempts and m.attempts[-1].failed and m.attempts[-1].frame is frame:
        return "raise"
    if isinstance(value, CompiledV) and _undecorated(frame):
        value.record.returned = True  # whether it is kept is for the caller to say
    else:
        calls.escape(m, value)
    calls.note_return(m, value, m.place(frame, node), frame)
    frame.returns.append(value)
    return "return"


def _undecorated(frame: Frame) -> bool:
    """Whether what a function returns goes to its caller, and into no cache around it."""
    node = frame.function.node if frame.function is not None else None
    return isinstance(node, ir.FuncDef) and not node.decorators


def _raise(m: Machine, node: ir.Raise, frame: Frame) -> Status:
    if not _is_abstract(node, frame):
        _note_raise(m, node, frame)
    if node.value is not None:
        evaluate(m, node.value, frame)
    return "raise"


def _is_abstract(node: ir.Raise, frame: Frame) -> bool:
    """Whether a function raises NotImplementedError whatever it is given: a class made from this one has another."""
    definition = frame.function.node if frame.function is not None else None
    kind = node.value.func if isinstance(node.value, ir.Call) else node.value
    return isinstance(definition, ir.FuncDef) and node in definition.body and isinstance(kind, ir.Name) and kind.id == "NotImplementedError"


def _assert(m: Machine, node: ir.Assert, frame: Frame) -> Status:
    test = evaluate(m, node.test, frame)
    known = truth(m, test, node.test, frame)
    operators.branch(m, test, node, node.test, frame)
    if m.trace is not None and operators.depends_on_argument(test):
        m.guards.append("value+argument")
        _note_raise(m, node, frame)
        m.guards.pop()
    operators.narrowing(m, node.test, frame, True)()
    return "raise" if known is False and not isinstance(test, (Choice, Foreign)) else None


def _delete(m: Machine, node: ir.Delete, frame: Frame) -> Status:
    for target in node.targets:
        if isinstance(target, ir.Name):
            if target.id in frame.fields:
                m.journal.store(frame, target.id, MISSING)
        elif isinstance(target, ir.Attr):
            owner = evaluate(m, target.value, frame)
            if isinstance(owner, Instance) and target.name in owner.fields:
                m.journal.store(owner, target.name, MISSING)
        elif isinstance(target, ir.Sub):
            owner, index = evaluate(m, target.value, frame), evaluate(m, target.index, frame)
            key = ("k", index.content) if isinstance(index, Scalar) and index.known else None
            if isinstance(owner, DictV) and key in owner.fields:
                m.journal.store(owner, key, MISSING)
    return None


def _flow(m: Machine, node: ir.Flow, frame: Frame) -> Status:
    return None if node.kind == "pass" else node.kind


def _import(m: Machine, node: ir.Import, frame: Frame) -> Status:
    for name, alias in node.names:
        root = name.split(".")[0]
        if alias is not None:
            _bind_lazily(m, alias, lambda name=name: calls.module(m, name, 0, frame), node, frame)  # type: ignore[misc]
        elif not isinstance(frame.fields.get(root), (External, ModuleV, Lazy)):
            _bind_lazily(m, root, lambda root=root: calls.module(m, root, 0, frame), node, frame)  # type: ignore[misc]
    return None


def _bind_lazily(
    m: Machine, name: str, make: Callable[[], Value], node: ir.Node, frame: Frame, origin: tuple[str, int] | None = None
) -> None:
    """An import: the other file is read when the name is used."""
    bind(m, name, Lazy(make=make, origin=origin), node, frame)


def _import_from(m: Machine, node: ir.ImportFrom, frame: Frame) -> Status:
    if not node.names:
        calls.import_star(m, calls.module(m, node.module, node.level, frame), frame)
    for name, alias in node.names:

        def make(name: str = name) -> Value:
            return calls.imported(m, calls.module(m, node.module, node.level, frame), name, node, frame)

        _bind_lazily(m, alias or name, make, node, frame, (node.module, node.level))
    return None


def _match(m: Machine, node: ir.Match, frame: Frame) -> Status:
    subject = evaluate(m, node.subject, frame)
    operators.branch(m, subject, node, node.subject, frame)

    return _case(m, node, 0, subject, frame)


def _case(m: Machine, node: ir.Match, number: int, subject: Value, frame: Frame) -> Status:
    """Run the first case from `number` on that matches, each of those of which that is not known."""
    if number == len(node.cases):
        return None
    case = node.cases[number]
    names: dict[str, Value] = {}
    known = matching.matches(m, case.pattern, subject, frame, names)

    def others() -> Status:
        return _case(m, node, number + 1, subject, frame)

    def taken() -> Status:
        for name, value in names.items():
            bind(m, name, value, case, frame)
        if case.guard is None:
            return execute(m, case.body, frame)
        test = evaluate(m, case.guard, frame)
        passed = truth(m, test, case.guard, frame)
        if passed is not None:
            return execute(m, case.body, frame) if passed else others()
        return m.fork(frame, [lambda: execute(m, case.body, frame), others], operators.guard_kind(m, case.guard, test))

    if known is not None:
        return taken() if known else others()
    return m.fork(frame, [taken, others], operators.guard_kind(m, node.subject, subject))


def _type_alias(m: Machine, node: ir.TypeAlias, frame: Frame) -> Status:
    m.journal.store(frame, node.name, UNKNOWN)
    return None


def _unknown(m: Machine, node: ir.UnknownStmt, frame: Frame) -> Status:
    for name in node.binds:
        m.journal.store(frame, name, UNKNOWN)
    m.lost("statement not lowered")
    return None


_EXECUTORS: dict[type, Callable[[Machine, Any, Frame], Status]] = {
    ir.ExprStmt: _expr, ir.Assign: _assign, ir.AugAssign: _augment, ir.If: _if, ir.While: _while, ir.For: _for,
    ir.Try: _try, ir.With: _with, ir.FuncDef: _function, ir.ClassDef: _class, ir.Return: _return, ir.Raise: _raise,
    ir.Assert: _assert, ir.Delete: _delete, ir.Flow: _flow, ir.Import: _import, ir.ImportFrom: _import_from,
    ir.Match: _match, ir.TypeAlias: _type_alias, ir.UnknownStmt: _unknown,
}  # fmt: skip
