"""Calls: binding arguments, running bodies, recursion, generators, coroutines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mxlint.domain.place import Place
from mxlint.domain.value import (
    NONE,
    Array,
    Bound,
    Const,
    External,
    Kind,
    Member,
    Ref,
    Symbolic,
    Tuple,
    Union,
    Unknown,
    Value,
    join,
    members,
)
from mxlint.interpreter import summaries
from mxlint.interpreter.core import MAX_CALLS, Arguments, Frame, FrameInfo, Halt, Interpreter, Target
from mxlint.interpreter.exceptions import caught, throw_named
from mxlint.interpreter.iteration import CLOSING, RETURNED, SENT, THROWN, Consume, iterate, new_iterator
from mxlint.interpreter.lookup import special
from mxlint.interpreter.operators import new_list
from mxlint.syntax import ir

ENV: Final = ("#", "parent")
MAX_RECURSION: Final = 3
"""Activations of one function that are run one inside the other before recursion is a fixpoint."""


class FunctionInfo:
    """What never changes of a function: its code and where it was defined."""

    __slots__ = ("first", "module", "node", "qualname", "source")

    def __init__(self, node: ir.FuncDef | ir.Lambda, source: Any, qualname: str, module: int) -> None:
        self.node = node
        self.source = source
        self.qualname = qualname
        self.module = module

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ir.FuncDef) else "<lambda>"

    @property
    def generator(self) -> bool:
        return self.node.generator

    @property
    def is_async(self) -> bool:
        return isinstance(self.node, ir.FuncDef) and self.node.is_async


def define(i: Interpreter, node: ir.FuncDef | ir.Lambda, frame: Frame) -> Value:
    """The value of a `def` or lambda, decorators applied."""
    decorators = [i.eval(decorator, frame) for decorator in node.decorators] if isinstance(node, ir.FuncDef) else []
    name = node.name if isinstance(node, ir.FuncDef) else "<lambda>"
    qualname = (
        f"{frame.qualname}.{name}" if frame.kind == "class" else f"{frame.qualname}.<locals>.{name}" if frame.kind != "module" else name
    )
    oid = i.allocate("function", FunctionInfo(node, frame.source, qualname, frame.module), frame.place(node), label=name)
    i.heap.set(oid, ENV, Ref(frame.oid))
    i.heap.set(oid, "__name__", Const(name))
    i.heap.set(oid, "__qualname__", Const(qualname))
    module_name = i.heap.get(frame.module, "__name__")
    if module_name is not None:
        i.heap.set(oid, "__module__", module_name)
    if frame.cls is not None and frame.kind == "class":
        i.heap.set(oid, ("#", "cls"), Ref(frame.cls))
    for param in node.params:
        if param.default is not None:
            i.heap.set(oid, ("default", param.name), i.eval(param.default, frame))
    value: Value = Ref(oid)
    if isinstance(node, ir.FuncDef):
        for decorator, written in zip(reversed(decorators), reversed(node.decorators)):
            place = frame.place(written)
            value = i.call(decorator, Arguments((value,), places=(Place(frame.source, node.name_start, node.name_end),)), place, frame)
    return value


# -- calling -----------------------------------------------------------------------------------------------------------


def call(i: Interpreter, function: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call a value."""
    function = i.live(function)
    if not isinstance(function, Union):
        return call_member(i, function, args, place, frame)
    i.place = place
    return i.split(function, lambda member: call_member(i, member, args, place, frame))


def call_member(i: Interpreter, function: Member, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call one callable."""
    if isinstance(function, External):
        return i.operations.external(i, function.name, args, place, frame)
    if isinstance(function, Bound):
        return call(i, function.function, args.bound(function.owner), place, frame)
    if isinstance(function, Ref):
        handler = _OBJECTS.get(i.info(function.oid).kind)
        if handler is not None:
            return handler(i, function, args, place, frame)
        throw_named(i, "builtins.TypeError", place)
    if isinstance(function, Unknown):
        i.may_raise()
        i.imprecise("a call of something unknown", place)
        i.extra["mlx"].handed(i, args.values, place, frame)
        return Unknown(function.reason)
    if isinstance(function, Symbolic):
        return call_symbolic(i, function, args, place, frame)
    if isinstance(function, (Const, Kind, Tuple, Array)):
        throw_named(i, "builtins.TypeError", place)
    return i.symbolic(place, "call")


def call_symbolic(i: Interpreter, function: Symbolic, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call something that nobody in sight gives. Functions of the program among the arguments may be called by it."""
    i.extra["mlx"].handed(i, args.values, place, frame)
    for value in args.values:
        for member in members(value):
            if isinstance(member, Ref) and i.info(member.oid).kind == "function":
                called_back(i, member, place, frame)
    i.may_raise()
    return i.symbolic(place, "call", function.label, presumed=function.presumed)


def called_back(i: Interpreter, function: Ref, place: Place, frame: Frame) -> None:
    """A function of the program that a library may call, with arguments that it chooses; or may not."""
    info = i.info(function.oid).payload
    if not isinstance(info, FunctionInfo) or i.silent > 2:
        return
    given = [i.symbolic(place, f"argument {p.name}", p.name) for p in info.node.params if not p.star and not p.kwonly and p.default is None]

    def run() -> Value:
        i.call(function, Arguments(given, places=(place,) * len(given)), place, frame)
        return NONE

    from mxlint.interpreter.core import Condition

    i.fork([(Condition("open", place, None), run), (Condition("open", place, None), lambda: NONE)])


def _call_function(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    info = i.info(ref.oid).payload
    assert isinstance(info, FunctionInfo)
    if info.generator or info.is_async:
        return _suspended(i, ref, info, args, place, frame)
    return run_function(i, ref, info, args, place, frame)


def run_function(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments, place: Place, caller: Frame) -> Value:
    """Run a body in the context of its caller, and return the join of what it returns."""
    if len(i.stack) >= MAX_CALLS:
        return i.unknown(place, "calls nested too deep")
    active = sum(1 for other in i.stack if other.node is info.node)
    if active >= MAX_RECURSION or active and not all(map(_single, args.values)):
        return _recursive(i, ref, info, args, place, caller)
    under_way = summaries.begin(i, ref, args) if active == 0 else None
    if under_way is not None:
        summary = summaries.find(i, under_way)
        if summary is not None:
            return summaries.replay(i, summary, under_way, ref, place)
    outer_path = i.path
    try:
        with i.within(("call", place, ref.oid)):
            context = i.context
            frame = activation(i, ref, info, args, place, caller)
            value = _body(i, info, frame)
    except BaseException:
        if under_way is not None:
            summaries.abandon(i, under_way)
        raise
    i.path = outer_path if len(i.path) < len(outer_path) else i.path
    if not i.heap.is_captured(frame.oid):
        i.heap.clear(frame.oid)
    if under_way is not None:
        summaries.keep(i, under_way, value, context)
    return value


def _single(value: Value) -> bool:
    """Whether a value is one constant or object: recursion on such values ends where the program's does, and is run for a while."""
    if isinstance(value, Tuple):
        return value.items is not None and all(map(_single, value.items))
    return isinstance(value, (Const, Ref, External, Bound, Array))


def _body(i: Interpreter, info: FunctionInfo, frame: Frame) -> Value:
    """Run the body of an activation."""
    i.stack.append(frame)
    i.extra.setdefault("run", set()).add(id(info.node))
    if i.observer is not None:
        i.observer.entered(frame, info.node)
    try:
        value = _returned(i, info, frame)
    finally:
        i.stack.pop()
    if i.observer is not None and not info.generator and not info.is_async:
        i.observer.returned(frame, info.node, value)
    return value


def _returned(i: Interpreter, info: FunctionInfo, frame: Frame) -> Value:
    """The join of what the body returns."""
    if isinstance(info.node, ir.Lambda):
        value = i.eval(info.node.body, frame)
        i.operations.returned(i, info.node.body, value, frame)
        return value
    target = Target(i.heap.mark())
    frame.returns = target
    i.targets.append(target)
    base = i.path
    try:
        i.execute(info.node.body, frame)
        target.arrived.append((i.heap.changes(target.mark), NONE, i.path))
    except Halt:
        pass
    finally:
        i.targets.remove(target)
    i.heap.undo(target.mark)
    i.path = target.arrived[0][2] if len(target.arrived) == 1 else base
    return i.arrive(target)


def _recursive(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments, place: Place, caller: Frame) -> Value:
    """Recursion as a fixpoint: what the inner call returns is what was found so far, from nothing upwards."""
    key = (id(info.node), i.trace)
    known = i.approximations.get(key)
    if known is not None:
        known["arguments"].append(args)
        if known["value"] is None:
            raise Halt
        return known["value"]  # type: ignore[no-any-return]
    state: dict[str, Any] = {"value": None, "arguments": []}
    i.approximations[key] = state
    mark = i.heap.mark()
    path = i.path
    given = args
    try:
        for _ in range(6):
            state["arguments"] = []
            checkpoint = i.checkpoint()
            try:
                with i.quietly(), i.within(("call", place, ref.oid, "recursion")):
                    frame = activation(i, ref, info, given, place, caller)
                    value: Value | None = _body(i, info, frame)
            except Halt:
                value = None
            i.heap.undo(mark)
            i.path = path
            i.forget(checkpoint)
            from mxlint.domain.value import widen

            wider = _widened_arguments(given, state["arguments"])
            merged = value if state["value"] is None else state["value"] if value is None else widen(state["value"], value)
            if merged == state["value"] and wider is None:
                break
            state["value"] = merged
            given = wider or given
        with i.within(("call", place, ref.oid, "recursion")):
            frame = activation(i, ref, info, given, place, caller)
            return _body(i, info, frame)
    finally:
        del i.approximations[key]


def _widened_arguments(given: Arguments, inner: list[Arguments]) -> Arguments | None:
    """The arguments of a recursive function and of its inner calls together; None if these bring nothing new."""
    from mxlint.domain.value import widen

    result = list(given.args)
    keywords = dict(given.keywords)
    changed = False
    for other in inner:
        if len(other.args) != len(result):
            continue
        for number, value in enumerate(other.args):
            wider = widen(result[number], value)
            changed = changed or wider != result[number]
            result[number] = wider
        for name, value in other.keywords.items():
            wider = widen(keywords[name], value) if name in keywords else value
            changed = changed or keywords.get(name) != wider
            keywords[name] = wider
    return Arguments(result, keywords, given.star, given.kwstar, given.places, given.keyword_places, given.node) if changed else None


def activation(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments, place: Place, caller: Frame) -> Frame:
    """A new frame with the parameters bound. Raises as Python does where the arguments do not fit."""
    node = info.node
    scope = node.scope
    oid = i.allocate(
        "frame",
        FrameInfo("function", _with_params(node, scope), info.source, info.qualname, info.module),
        Place(info.source, node.start, node.end),
    )
    frame = Frame(oid, "function", info.source, info.qualname, _with_params(node, scope), info.module, caller)
    frame.called_at = place
    frame.function = ref.oid
    frame.node = node
    env = i.heap.get(ref.oid, ENV)
    if env is not None:
        i.heap.set(oid, ENV, env)
    cls = i.heap.get(ref.oid, ("#", "cls"))
    if isinstance(cls, Ref):
        frame.cls = cls.oid
        i.heap.set(oid, "__class__", cls)
    frame.first = node.params[0].name if node.params and not node.params[0].star else None
    bind_parameters(i, ref, node, args, place, frame)
    return frame


_SCOPES: dict[int, tuple[object, ir.Scope]] = {}


def _with_params(node: ir.FuncDef | ir.Lambda, scope: ir.Scope) -> ir.Scope:
    """The scope of a body with its parameters among the names."""
    known = _SCOPES.get(id(node))
    if known is not None and known[0] is node:
        return known[1]
    made = ir.Scope(scope.bound | {param.name for param in node.params}, scope.globals, scope.nonlocals)
    _SCOPES[id(node)] = (node, made)
    return made


def bind_parameters(i: Interpreter, ref: Ref, node: ir.FuncDef | ir.Lambda, args: Arguments, place: Place, frame: Frame) -> None:
    """Bind each parameter to its argument, its default, or what a star may hold."""
    positional = list(args.args)
    keywords = dict(args.keywords)
    open_ended = args.star is not None or args.kwstar is not None
    for param in node.params:
        value: Value | None = None
        if param.star == "*":
            if args.star is not None:
                value = Tuple(None, join([*positional, args.star]))
            else:
                value = Tuple(tuple(positional))
            positional = []
        elif param.star == "**":
            from mxlint.interpreter.expressions import put

            oid = i.allocate("dict", None, Place(frame.source, param.start, param.end), "kwargs")
            for name, given in keywords.items():
                put(i, oid, Const(name), given)
            if args.kwstar is not None:
                i.heap.set(oid, ("#", "rest"), args.kwstar)
                i.heap.set(oid, ("#", "restkey"), Kind("str", "open"))
            keywords = {}
            value = Ref(oid)
        elif positional and not param.kwonly:
            value = positional.pop(0)
        elif param.name in keywords and not param.posonly:
            value = keywords.pop(param.name)
        else:
            default = i.heap.get(ref.oid, ("default", param.name))
            rest = [part for part in (None if param.kwonly else args.star, args.kwstar) if part is not None]
            if rest:
                value = join([*rest, *([default] if default is not None else [])])
            elif default is not None:
                value = default
            elif open_ended:
                value = i.symbolic(Place(frame.source, param.start, param.end), "parameter", param.name)
            else:
                throw_named(i, "builtins.TypeError", place)
        i.heap.set(frame.oid, param.name, value)
        if i.observer is not None:
            i.observer.parameter(frame, param, value)
    if (positional or keywords) and not open_ended:
        throw_named(i, "builtins.TypeError", place)


# -- other callables ---------------------------------------------------------------------------------------------------


def _call_class(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    from mxlint.interpreter.classes import instantiate

    return instantiate(i, ref, args, place, frame)


def _call_instance(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    method = special(i, ref, "__call__", place, frame)
    if method is not None:
        return i.call(method, args, place, frame)
    cls = i.heap.get(ref.oid, ("#", "class"))
    if isinstance(cls, External):
        return i.operations.external(i, f"{cls.name}.__call__", args.bound(ref), place, frame)
    from mxlint.interpreter.lookup import library_base

    base = library_base(i, cls) if cls is not None else None
    if base is not None:
        return i.operations.external(i, f"{base}.__call__", args.bound(ref), place, frame)
    throw_named(i, "builtins.TypeError", place)


def _call_partial(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    function = i.heap.get(ref.oid, "func") or Unknown("partial")
    bound = i.heap.get(ref.oid, "args")
    first = bound.items or () if isinstance(bound, Tuple) else ()
    keywords: dict[str, Value] = {}
    for field, value in i.heap.fields(ref.oid).items():
        if isinstance(field, tuple) and field[0] == "kw":
            keywords[field[1]] = value
    made = i.info(ref.oid).payload
    places = {**made.keyword_places, **args.keyword_places} if isinstance(made, Arguments) else args.keyword_places
    merged = Arguments(
        (*first, *args.args),
        {**keywords, **args.keywords},
        args.star,
        args.kwstar,
        (*((place,) * len(first)), *args.places),
        places,
        args.node,
    )
    merged.bound_node = made.node if isinstance(made, Arguments) else None
    return i.call(function, merged, place, frame)


def _call_cached(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """A function under lru_cache: equal arguments give the object that the first call gave."""
    function = i.heap.get(ref.oid, "__wrapped__") or Unknown("cached")
    key = ("cached", args.args, tuple(sorted(args.keywords.items(), key=lambda pair: pair[0])))
    known = i.heap.get(ref.oid, key)
    if known is not None and all(isinstance(v, (Const, Ref, External, Tuple)) for v in args.values):
        return known
    value = i.call(function, args, place, frame)
    i.heap.set(ref.oid, key, value)
    i.operations.written(i, ref.oid, key, value, place, frame)
    for member in members(value):
        if isinstance(member, Ref):
            i.info(member.oid).trace = 0  # the cache keeps it
    return value


def _call_static(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    return i.call(i.heap.get(ref.oid, "fget") or Unknown("static"), args, place, frame)


_OBJECTS: dict[str, Callable[..., Value]] = {
    "function": _call_function,
    "class": _call_class,
    "instance": _call_instance,
    "partial": _call_partial,
    "cached": _call_cached,
    "descriptor": _call_static,
}


def register(kind: str, handler: Callable[..., Value]) -> None:
    """Say how objects of a kind are called: for kinds that other files define."""
    _OBJECTS[kind] = handler


# -- generators and coroutines -----------------------------------------------------------------------------------------


def _suspended(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments, place: Place, frame: Frame) -> Value:
    """A call of a generator function or coroutine: the arguments are bound, the body waits."""
    with i.within(("call", place, ref.oid)):
        inner = activation(i, ref, info, args, place, frame)
        if info.generator:
            oid = i.allocate("generator", None, place)
            i.heap.infos[oid].payload = Generator(info, inner)
            i.heap.set(oid, ENV, Ref(inner.oid))
        else:
            oid = i.allocate("coroutine", Generator(info, inner), place)
            i.heap.set(oid, ENV, Ref(inner.oid))
    if i.observer is not None:
        i.observer.returned(inner, info.node, Ref(oid))
    return Ref(oid)


class Generator:
    """The payload of a generator object: runs the body, with whoever iterates at each yield. `about`: its function and its activation."""

    __slots__ = ("about", "run")

    def __init__(self, info: FunctionInfo, frame: Frame) -> None:
        self.about = info, frame
        self.run = _run_generator(info, frame)

    def __call__(self, i: Interpreter, ref: Ref, consume: Consume, place: Place, outer: Frame) -> None:
        self.run(i, ref, consume, place, outer)


def _run_generator(info: FunctionInfo, frame: Frame) -> Callable[..., None]:
    def run(i: Interpreter, ref: Ref, consume: Consume, place: Place, outer: Frame) -> None:
        if any(other is frame for other in i.stack) or len(i.stack) >= MAX_CALLS:
            consume(i.unknown(place, "a generator inside itself"))
            return
        depth, tries = len(i.stack), len(i.tries)

        def take(value: Value) -> Value:
            """One `yield`: whoever iterates goes on, with its own handlers around it."""
            inner = i.stack[depth:], i.tries[tries:], i.try_depths[tries:]
            del i.stack[depth:], i.tries[tries:], i.try_depths[tries:]
            handled = len(inner[1]) > 1
            left = sum(len(target.arrived) for target in i.targets) if handled else 0
            mark, path = i.heap.mark(), i.path
            given: Value | None = None
            try:
                answer = consume(value)
                given = NONE if answer is None else answer
            except Halt:
                if not handled:
                    raise
            finally:
                i.stack[depth:], i.tries[tries:], i.try_depths[tries:] = inner
            if given is None and handled:
                i.heap.undo(mark)
                i.path = path
                throw_named(i, "builtins.GeneratorExit", place)
            if handled and (i.heap.get(ref.oid, CLOSING) is not None or left < sum(len(target.arrived) for target in i.targets)):
                i.fork([(None, lambda: NONE), (None, lambda: throw_named(i, "builtins.GeneratorExit", place))])
            error = i.heap.get(ref.oid, THROWN)
            if error is not None:
                i.fork([(None, lambda: NONE), (None, lambda: _raised(i, error))])
            sent = i.heap.get(ref.oid, SENT)
            return join([part for part in (given, sent) if part is not None])

        frame.consume = take
        mark, path = i.heap.mark(), i.path
        closed = Target(mark)
        i.targets.append(closed)
        i.enter_try(closed)
        value: Value | None = None
        try:
            with i.within((place, "generator")):
                value = _body(i, info, frame)
        except Halt:
            pass
        finally:
            i.leave_try()
            i.targets.remove(closed)
            possible = closed.finish(i.heap)
        after, way = i.heap.cut(mark), i.path
        for delta, error, at in closed.arrived:
            if caught(i, error, External("builtins.GeneratorExit")) is not True:
                i.heap.apply(delta)
                i.path = at
                try:
                    i.throw(error)
                except Halt:
                    pass
                i.heap.undo(mark)
        i.hand_on(mark, possible)
        i.path = path
        if value is None:
            raise Halt
        i.heap.apply(after)
        i.path = way
        i.heap.set(ref.oid, RETURNED, value)

    return run


def _raised(i: Interpreter, error: Value) -> Value:
    i.throw(error)
    return NONE


def manage(i: Interpreter, manager: Ref, block: Callable[[Value], None], place: Place, outer: Frame) -> None:
    """Run the generator of a context manager, and the block at its yield. What the block raises is raised at the yield."""
    generator = i.heap.get(manager.oid, "gen")
    payload = i.info(manager.oid).payload
    assert isinstance(payload, Generator)
    info, frame = payload.about

    def take(value: Value) -> Value:
        block(value)
        return NONE

    if generator is None or any(other is frame for other in i.stack):
        block(i.unknown(place, "a context manager inside itself"))
        return
    frame.consume = take
    with i.within((place, "manager")):
        _body(i, info, frame)


def _call_manager(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """A call of a function under `contextlib.contextmanager`."""
    made = i.call(i.heap.get(ref.oid, "__wrapped__") or Unknown("contextmanager"), args, place, frame)

    def one(member: Member) -> Value:
        payload = i.info(member.oid).payload if isinstance(member, Ref) else None
        if isinstance(member, Ref) and isinstance(payload, Generator):
            oid = i.allocate("manager", payload, place, member.oid)
            i.heap.set(oid, "gen", member)
            return Ref(oid)
        return i.symbolic(place, "context manager")

    return i.split(made, one)


register("contextmanager", _call_manager)


def generator_object(i: Interpreter, node: ir.Comp, frame: Frame, first: Value, place: Place) -> Value:
    """A generator expression: its clauses run when it is iterated."""
    from mxlint.interpreter.expressions import clauses

    def run(i: Interpreter, ref: Ref, consume: Consume, at: Place, outer: Frame) -> None:
        inner = comprehension_frame(i, node, frame)
        clauses(i, node, 0, i.heap.get(ref.oid, ("#", "first")) or first, inner, lambda: consume(i.eval(node.element, inner)))

    oid = i.allocate("generator", Clauses(node, run), place)
    i.heap.set(oid, ENV, Ref(frame.oid))
    i.heap.set(oid, ("#", "first"), first)
    return Ref(oid)


class Clauses:
    """The payload of a generator expression: the expression, and what iterating it runs."""

    __slots__ = ("node", "run")

    def __init__(self, node: ir.Comp, run: Callable[..., None]) -> None:
        self.node = node
        self.run = run

    def __call__(self, i: Interpreter, ref: Ref, consume: Callable[[Value], None], place: Place, outer: Frame) -> None:
        self.run(i, ref, consume, place, outer)


def comprehension_frame(i: Interpreter, node: ir.Comp, outer: Frame) -> Frame:
    """The frame in which a comprehension binds its names."""
    place = outer.place(node)
    oid = i.allocate("frame", FrameInfo("comprehension", node.scope, outer.source, outer.qualname, outer.module), place, "comprehension")
    i.heap.set(oid, ENV, Ref(outer.oid))
    frame = Frame(oid, "comprehension", outer.source, outer.qualname, node.scope, outer.module, outer)
    frame.cls, frame.first, frame.function = outer.cls, outer.first, outer.function
    frame.consume = outer.consume
    frame.node = outer.node
    return frame


def delegated(i: Interpreter, value: Value, frame: Frame, place: Place, result: list[Value]) -> None:
    """`yield from value`."""

    def hand_on(item: Value) -> Value:
        assert frame.consume is not None
        return frame.consume(item)

    iterate(i, value, hand_on, place, frame)
    for member in members(value):
        if isinstance(member, Ref) and i.info(member.oid).kind == "generator":
            returned = i.heap.get(member.oid, RETURNED)
            if returned is not None:
                result.append(returned)


def awaited(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """`await value`: the body of a coroutine of the program runs here."""

    def one(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind == "coroutine":
            payload = i.info(member.oid).payload
            assert isinstance(payload, Generator)
            info, inner = payload.about
            with i.within((place, "await")):
                return _body(i, info, inner)
        if isinstance(member, Ref) and i.info(member.oid).kind == "future":
            return i.heap.get(member.oid, "value") or NONE
        if isinstance(member, Ref):
            method = special(i, member, "__await__", place, frame)
            if method is not None:
                return _awaited_by(i, i.call(method, Arguments(), place, frame), place, frame)
        i.may_raise()
        if isinstance(member, Unknown):
            return member
        return i.symbolic(place, "awaited")

    return i.split(value, one)


def _awaited_by(i: Interpreter, made: Value, place: Place, frame: Frame) -> Value:
    """The value of `await` of an object whose `__await__` gave an iterator."""
    result: list[Value] = []
    iterate(i, made, lambda item: NONE, place, frame)
    for member in members(made):
        returned = i.heap.get(member.oid, RETURNED) if isinstance(member, Ref) else None
        result.append(returned if returned is not None else i.symbolic(place, "awaited"))
    return join(result)


def _future(value: Callable[[Interpreter, Arguments, Place, Frame], Value]) -> Callable[[Interpreter, Arguments, Place, Frame], Value]:
    """A library function that gives something to be awaited; what it waits for runs at once."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        held = value(i, args, place, frame)
        oid = i.allocate("future", None, place)
        i.heap.set(oid, "value", held)
        return Ref(oid)

    return run


def _gathered(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    found = []
    for number, part in enumerate(args.args):
        with i.within((place, number)):
            found.append(awaited(i, part, place, frame))
    return new_list(i, Tuple(tuple(found)) if args.star is None else Tuple(None, awaited(i, args.star, place, frame)), place)


AWAITABLES: Final = {
    "asyncio.run": lambda i, args, place, frame: awaited(i, args.args[0], place, frame),
    "asyncio.gather": _future(_gathered),
    "asyncio.create_task": _future(lambda i, args, place, frame: awaited(i, args.args[0], place, frame)),
    "asyncio.ensure_future": _future(lambda i, args, place, frame: awaited(i, args.args[0], place, frame)),
    "asyncio.wait_for": _future(lambda i, args, place, frame: awaited(i, args.args[0], place, frame)),
    "asyncio.shield": _future(lambda i, args, place, frame: awaited(i, args.args[0], place, frame)),
    "asyncio.sleep": _future(lambda i, args, place, frame: args.get(1, "result") or NONE),
}
"""Functions of asyncio by canonical name: coroutines run where they are handed over."""

__all__ = ["new_iterator"]
