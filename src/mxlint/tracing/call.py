"""Calls: what is called, with which arguments, and what comes back."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from mxlint.syntax import ir
from mxlint.tracing.alike import Alike
from mxlint.tracing.heap import joined
from mxlint.tracing.machine import MAX_DEPTH, MAX_GUARDED_RECURSION, MAX_RECURSION, Machine, Status, Within, holds_traced
from mxlint.tracing.mlx.names import canonical, constant, is_module_class
from mxlint.tracing.values import (
    NONE,
    UNKNOWN,
    Array,
    BoundV,
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
    NumpyV,
    Opaque,
    PartialV,
    Place,
    Scalar,
    SuperV,
    TransformV,
    Tup,
    Value,
    attributes,
    const,
    contents,
    join,
    list_like,
    list_of,
    listed,
    without_none,
)  # fmt: skip
from mxlint.tracing.walks import each, near

PartialLike = PartialV
_CONTEXT_MANAGER = "contextlib.contextmanager"
"""The decorator, and the field of what it has made of a function, or of what calling that gives."""
SETTER = "#setter"
"""The field of a property's function that holds what assignments call."""
Node = ir.Call | None
_BUILTINS = frozenset(dir(builtins))
_RANDOM_STATE = "mlx.core.random.state"
_RANDOM_STATE_CLOSED = "0.32.1"
"""Since this version nothing can be put into mx.random.state by hand."""


@dataclass(slots=True)
class CallInfo:
    """One call. `nodes`: place and expression of each keyword; `open`: there are arguments that are not known (`*args`); `rest` stands for each of
    those.
    """

    args: list[Value]
    keywords: dict[str, Value]
    frame: Frame
    place: Place
    places: list[Place] = field(default_factory=list)
    nodes: dict[str, Any] = field(default_factory=dict)
    open: bool = False
    node: Node = None
    rest: Value = UNKNOWN

    def all_like(self) -> Value:
        """What stands for each of the positional arguments."""
        result = self.rest
        for value in self.args:
            result = join(result, value)
        return result

    def get(self, position: int, name: str) -> Value | None:
        """An argument by position or name."""
        if name in self.keywords:
            return self.keywords[name]
        return self.args[position] if position < len(self.args) else None

    def text_of(self, value: Value) -> str:
        """The source text of an argument."""
        for place, given in zip(self.places, self.args):
            if given is value and place != self.place:
                return place.text
        return ""

    def written(self, position: int, name: str) -> str:
        """The source text of an argument, by position or name."""
        if name in self.keywords:
            return self.nodes[name][0].text if name in self.nodes else ""
        return self.places[position].text if position < len(self.places) and self.places[position] != self.place else ""

    def values(self) -> list[Value]:
        return [*self.args, *self.keywords.values()]

    def with_owner(self, owner: Value) -> CallInfo:
        return replace(self, args=[owner, *self.args], places=[self.place, *self.places])


def builtin(name: str) -> Value:
    """A name that no scope binds."""
    return External(f"builtins.{name}") if name in _BUILTINS else UNKNOWN


def force(scope: Any, name: str, value: Value) -> Value:
    """Make a global that waits for being asked for, once."""
    if isinstance(value, Choice) and any(isinstance(option, Lazy) for option in value.options):
        options = tuple(force(scope, "", option) for option in value.options)
        scope.fields[name] = made_choice = Choice(options)
        return made_choice
    if not isinstance(value, Lazy):
        return value
    if "made" not in value.fields:
        value.fields["made"] = UNKNOWN  # what asks for itself while it is made finds nothing
        value.fields["made"] = value.make()
    made: Value = value.fields["made"]
    if scope.fields.get(name) is value:
        scope.fields[name] = made
    return made


# -- the call ---------------------------------------------------------------------------------------------------------


def call(m: Machine, function: Value, info: CallInfo) -> Value:
    """Call a value."""
    m.tick()
    function = without_none(function)
    run = _CALLS.get(type(function))
    return run(m, function, info) if run is not None else unknown_call(m, info, "?")


def _call_external(m: Machine, function: External, info: CallInfo) -> Value:
    from mxlint.tracing import compiling, library

    return compiling.wrap(m, info) if function.name in m.wrappers else library.call_external(m, function.name, info)


def _call_function(m: Machine, function: FuncV, info: CallInfo) -> Value:
    if m.wrappers and f"{_module_name(function)}.{function.name}" in m.wrappers:
        from mxlint.tracing import compiling

        return compiling.wrap(m, info)
    if _CONTEXT_MANAGER in function.fields:
        return Opaque({_CONTEXT_MANAGER: (function, info)}, label=function.name)
    if function.wrapper == "cache":
        return _cached(m, function, info)
    with m.comparing(function, info.args, info.places):
        return call_function(m, function, info)


def _call_compiled(m: Machine, function: CompiledV, info: CallInfo) -> Value:
    from mxlint.tracing import compiling

    return compiling.call_compiled(m, function, info)


def _call_partial(m: Machine, function: PartialV, info: CallInfo) -> Value:
    merged = replace(
        info, args=[*function.args, *info.args], keywords={**dict(function.keywords), **info.keywords},
        places=[info.place] * len(function.args) + info.places, nodes={**dict(function.nodes), **info.nodes},
    )  # fmt: skip
    return call(m, function.function, merged)


def _call_transform(m: Machine, function: TransformV, info: CallInfo) -> Value:
    from mxlint.tracing import transforms

    return transforms.call_transform(m, function, info)


def _call_one_of(m: Machine, function: Choice, info: CallInfo) -> Value:
    from mxlint.tracing import alternatives

    return alternatives.call_one_of(m, function, info)


def _module_name(function: FuncV) -> str:
    module = function.env.module if function.env is not None else None
    return str(module.fields.get("#name", "")) if module is not None else ""


def unknown_call(m: Machine, info: CallInfo, label: str) -> Value:
    """A call that cannot be followed: what it is given may be kept, what it gives is unknown."""
    for value in info.values():
        escape(m, value)
        m.evaluated(value, 3)
    m.lost("call of something unknown")
    return Opaque(label=f"{label}()")


def _call_instance(m: Machine, owner: Instance, info: CallInfo) -> Value:
    from mxlint.tracing import attribute, layers

    cls, method = attribute.class_attribute(owner.cls, "__call__")
    if cls is not None:
        if isinstance(method, CompiledV):
            return UNKNOWN
        return call(m, method, info.with_owner(owner))
    if isinstance(owner.cls, External) and is_module_class(owner.cls.name):
        return layers.call_layer(m, owner, owner.cls.name, info)
    if isinstance(method, External) and is_module_class(method.name) and method.name != "mlx.nn.Module":
        return layers.call_layer(m, owner, method.name, info)
    return unknown_call(m, info, "object")


_CALLS: dict[type, Callable[[Machine, Any, CallInfo], Value]] = {
    External: _call_external,
    FuncV: _call_function,
    BoundV: lambda m, function, info: call(m, function.function, info.with_owner(function.owner)),
    CompiledV: _call_compiled,
    ClassV: lambda m, function, info: instantiate(m, function, info),
    PartialV: _call_partial,
    TransformV: _call_transform,
    Instance: _call_instance,
    Opaque: lambda m, function, info: unknown_call(m, info, function.label),
    Choice: _call_one_of,
}
"""How each kind of value is called."""


def node_of(function: FuncV) -> ir.FuncDef | ir.Lambda | None:
    """The definition, looked into on demand."""
    if function.lower is not None:
        lower, function.lower = function.lower, None
        lower(function)
    return function.node


def call_function(m: Machine, function: FuncV, info: CallInfo) -> Value:
    """Run the body of a function of the project."""
    if m.follows is not None and m.depth and m.trace is None and not m.follows(function, info) and not any(map(_holds_code, info.values())):
        return unknown_call(m, info, function.name)
    node = node_of(function)
    if node is None or function.env is None:
        return m.lost("function not lowered")
    same = 0
    caller: Frame | None = info.frame
    while caller is not None:
        if caller.function is not None and caller.function.node is node:
            same += 1
        caller = caller.caller
    deepest = MAX_GUARDED_RECURSION if m.guards else MAX_RECURSION
    if m.depth >= MAX_DEPTH or same >= deepest:
        return m.lost("call too deep" if same < deepest else "recursion")
    if m.rescues and m.trace is None:
        _note_fallback(m, function, info)
    frame = activate(m, function, node, info)
    m.entered.add(id(node))
    m.depth += 1
    try:
        return run(m, function, node, frame)
    finally:
        m.depth -= 1


CODE_DEPTH = 3
"""How many containers deep something to call is looked for, and a compiled object in what is kept."""


def _holds_code(value: Value) -> bool:
    """Whether a value is something to call, or a container of such."""
    held = near((value,), lambda part: part.options if isinstance(part, Choice) else _into(part), CODE_DEPTH)
    return any(isinstance(part, (FuncV, BoundV, PartialV, TransformV, CompiledV, ClassV)) for part in held)


def _cached(m: Machine, function: FuncV, info: CallInfo) -> Value:
    """A call of a function that keeps its results: as old as the function, and the same again for the same arguments."""
    known = not info.keywords and not info.open and all(isinstance(value, Scalar) and value.known for value in info.args)
    key = ("#kept", *((value.kind, value.content) for value in info.args if isinstance(value, Scalar))) if known else None
    if key in function.fields:
        kept: Value = function.fields[key]
        return kept
    made = call_function(m, function, info)
    if isinstance(made, (ListV, DictV, Instance)):
        made.born = min(made.born, function.born)
    if key is not None:
        m.journal.store(function, key, made)
    return made


def _note_fallback(m: Machine, function: FuncV, info: CallInfo) -> None:
    """A handler runs uncompiled what has failed compiled, and nothing has put the captured state back."""
    from mxlint.tracing.presume import target_of

    rescue = m.rescues[-1]
    if sum(m.unknown.values()) > rescue.unknown:
        return
    written = m.journal.written_since(rescue.depth)
    for record, place in rescue.calls:
        traces = [trace for trace in record.traces if trace.reach_in]
        if target_of(record.function)[0] is function and traces and written.isdisjoint(traces[-1].reach_in):
            record.fallbacks.append((place, info.place))


def activate(m: Machine, function: FuncV, node: ir.FuncDef | ir.Lambda, info: CallInfo) -> Frame:
    """A frame for one activation, its parameters bound."""
    from mxlint.tracing import presume

    env = function.env
    assert env is not None
    frame = Frame(
        source=function.source, qualname=function.name, scope=node.scope if isinstance(node, ir.FuncDef) else None, parent=env,
        module=env.module or env, caller=info.frame, called_at=info.place, cls=function.cls, loop_base=len(m.loops), guard_base=len(m.guards), function=function,
    )  # fmt: skip
    frame.fields.update(bound(m, function, node.params, info))
    for param in node.params:
        if isinstance(param.annotation, (ir.Name, ir.Attr)) and isinstance(frame.fields[param.name], Opaque):
            frame.fields[param.name] = presume.by_annotation(m, function, param, frame.fields[param.name])
    if m.trace is not None and m.trace.root is None:
        m.trace.root = frame
    return frame


def run(m: Machine, function: FuncV, node: ir.FuncDef | ir.Lambda, frame: Frame) -> Value:
    """Run a body in its frame; the value is what it returns."""
    from mxlint.tracing import evaluate, execute

    if isinstance(node, ir.Lambda):
        value = evaluate.evaluate(m, node.body, frame)
        note_return(m, value, m.place(frame, node.body), frame)
        return value
    with m.guarded(None):
        status = execute.execute(m, node.body, frame)
    if status == "raise" and m.trace is not None and m.trace.root is frame:
        m.trace.raised = True
    for written in frame.leavings:
        m.journal.merge(written)
    if node.generator:
        element = frame.yields[0] if frame.yields else UNKNOWN
        for value in frame.yields[1:]:
            element = join(element, value)
        return Foreign("generator", element, tuple(frame.yields) if frame.yields and frame.listed else None, frame.counted)
    if node.is_async:
        return Opaque(label=f"{function.name}()")
    results = list(frame.returns)
    if status is None:
        results.append(NONE)
    return Alike(m.journal, frame.born).joined(results) if results else UNKNOWN


def note_return(m: Machine, value: Value, place: Place, frame: Frame) -> None:
    """What the compiled function itself returns: MLX looks for arrays in containers only."""
    trace = m.trace
    if trace is None or trace.root is not frame:
        return
    for item in value.items if isinstance(value, Tup) else (value,):
        if isinstance(item, Array) and item.fields.get("stretched") is not None:
            made, axes = item.fields["stretched"]
            if axes:
                m.emit("bake", made.place, "mx.broadcast_to", made.frame, axes=axes)
    for item in _leaves(value):
        kind = _hidden(m, item)
        if kind:
            m.emit("return", place, kind, frame, target=item)
            return


def _leaves(value: Value) -> Iterator[Value]:
    """What stands in the containers that MLX looks into, each once."""
    return (part for part in each((value,), _into) if not isinstance(part, (Tup, ListV, DictV)))


def _into(value: Value) -> Iterable[Value]:
    return tuple(value.fields.values()) if isinstance(value, DictV) else listed(value)


def _hidden(m: Machine, value: Value) -> str:
    """How a returned value hides placeholders from MLX."""
    from mxlint.tracing import attribute

    if attribute.is_namespace(value) and holds_traced(value):
        return "a SimpleNamespace"
    if isinstance(value, Instance) and isinstance(value.cls, ClassV) and holds_traced(value):
        libraries = [base for base in value.cls.bases if isinstance(base, External)]
        return "" if libraries else f"an object of class {value.cls.name}"
    if isinstance(value, Foreign) and value.kind in ("generator", "map") and value.element is not None and holds_traced(value.element):
        return f"a {value.kind}"
    if isinstance(value, FuncV) and value.env is not None and not m.outer(value.env) and value.node is not None:
        text = value.source.text[value.node.start : value.node.end]
        if any(isinstance(name, str) and holds_traced(item) and name in text for name, item in list(value.env.fields.items())):
            return "a function"
    return ""


def bound(m: Machine, function: FuncV, params: tuple[ir.Param, ...], info: CallInfo) -> dict[str, Value]:
    """Parameters bound to arguments as Python does; what is missing is its default, or unknown."""
    values: dict[str, Value] = {}
    rest = list(info.args)
    keywords = dict(info.keywords)
    for param in params:
        if param.star == "*":
            values[param.name] = list_like(replace(info, args=rest).all_like()) if info.open else Tup(tuple(rest))
            rest = []
        elif param.star == "**":
            values[param.name] = DictV({("k", key): value for key, value in keywords.items()} | ({"open": True} if info.open else {}))
            keywords = {}
        elif rest and not param.kwonly:
            values[param.name] = rest.pop(0)
        elif param.name in keywords:
            values[param.name] = keywords.pop(param.name)
        elif info.open:
            values[param.name] = Opaque(label=param.name)
        elif param.name in function.defaults:
            values[param.name] = function.defaults[param.name]
        else:
            values[param.name] = Opaque(label=param.name)
    return values


_CONTAINERS = {
    "dict": {"builtins.dict", "collections.OrderedDict", "collections.UserDict"}, "list": {"builtins.list", "collections.UserList"},
}  # fmt: skip
"""Classes of Python's that are containers, or behave like them."""


# -- classes ----------------------------------------------------------------------------------------------------------


def instantiate(m: Machine, cls: ClassV, info: CallInfo) -> Value:
    """Make an object of a class of the project."""
    from mxlint.tracing import attribute, layers

    libraries = [base.name for base in attribute.mro(cls) if isinstance(base, External)]
    if "typing.NamedTuple" in libraries:
        names = cls.fields.get("#annotated", ())
        items = [*info.args, *(info.keywords.get(name, cls.fields.get(name, UNKNOWN)) for name in names[len(info.args) :])]
        return Tup(tuple(items), cls)
    if any(name.startswith("enum.") for name in libraries):
        return (
            Foreign(attribute.MEMBER)
            if not any(name in ("enum.IntEnum", "enum.StrEnum", "enum.IntFlag") for name in libraries)
            else Scalar("int")
        )
    for kind in ("str", "int", "float"):
        if f"builtins.{kind}" in libraries:
            return Scalar(kind)
    plain = not any(isinstance(value, FuncV) for base in attribute.mro(cls) if isinstance(base, ClassV) for value in base.fields.values())
    for kind in ("dict", "list"):
        if not _CONTAINERS[kind].isdisjoint(libraries):
            if plain:
                return call(m, External(f"builtins.{kind}"), info)
            if kind == "dict":
                return DictV({"open": True})
    owner = _new(m, cls, info)
    found, method = attribute.class_attribute(cls, "__init__")
    if found is not None:
        call(m, method, info.with_owner(owner))
    elif cls.dataclass:
        _fill_dataclass(m, cls, owner, info)
    elif isinstance(method, External):
        layers.initialize(m, owner, method.name, info)
    for value in info.values():
        if found is None:
            escape(m, value)
    return owner


def _new(m: Machine, cls: ClassV, info: CallInfo) -> Instance:
    """The object that `__init__` is given: a new one, unless a class without bases of a library has a `__new__` that says which."""
    from mxlint.tracing import attribute

    _, method = attribute.class_attribute(cls, "__new__")
    plain = all(isinstance(base, ClassV) or base == External("builtins.object") for base in attribute.mro(cls))
    given = call(m, method, info.with_owner(cls)) if plain and isinstance(method, FuncV) else UNKNOWN
    return given if isinstance(given, Instance) and given.cls is cls else Instance(cls=cls)


def _fill_dataclass(m: Machine, cls: ClassV, owner: Instance, info: CallInfo) -> None:
    from mxlint.tracing import attribute

    names: list[str] = []
    for base in reversed(list(attribute.mro(cls))):
        if isinstance(base, ClassV):
            names += [name for name in base.fields.get("#annotated", ()) if name not in names]
    for number, name in enumerate(names):
        value = info.get(number, name)
        if value is None:
            _, value = attribute.class_attribute(cls, name)
            if isinstance(value, Instance) and value.cls == External(attribute.FIELD):
                factory = value.keywords.get("default_factory")
                value = value.keywords.get("default", UNKNOWN) if factory is None else call(m, factory, replace(info, args=[], keywords={}))
        owner.fields[name] = Opaque(label=name) if isinstance(value, External) or info.open else value
    finish = dunder(owner, "__post_init__")
    if finish is not None:
        call(m, finish, replace(info, args=[], keywords={}, places=[], nodes={}, node=None))


# -- functions as values ----------------------------------------------------------------------------------------------


def decorate(m: Machine, function: Value, value: Value, node: ir.Expr, definition: ir.FuncDef, frame: Frame) -> Value:
    """The result of `@function` above a definition."""
    from mxlint.tracing import compiling

    place = m.place(frame, node)
    target = function.function if isinstance(function, PartialV) else function
    if isinstance(node, ir.Attr) and node.name in ("setter", "deleter", "getter") and definition.name in frame.fields:
        getter: Value = frame.fields[definition.name]
        if node.name == "setter" and isinstance(getter, FuncV):
            getter.fields[SETTER] = value
        return getter
    if isinstance(target, External):
        last = target.name.rsplit(".", 1)[-1]
        if target.name in ("builtins.staticmethod", "builtins.classmethod", "builtins.property", "functools.cached_property"):
            if isinstance(value, FuncV):
                value.wrapper = "property" if last == "cached_property" else last
            elif isinstance(value, CompiledV) and last == "staticmethod":
                value.record.method_of = None
            return value
        if target.name == _CONTEXT_MANAGER and isinstance(value, FuncV):
            value.fields[_CONTEXT_MANAGER] = const(True)
            return value
        if target.name in ("functools.singledispatch", "functools.singledispatchmethod"):
            return Opaque(label=definition.name)
        if target.name in ("functools.lru_cache", "functools.cache"):
            if isinstance(value, FuncV):
                value.wrapper = "cache"
            return value
        if target.name == "mlx.core.compile":
            info = CallInfo([value], {}, frame, place, [place], {}, False, None)
            if isinstance(function, PartialV):
                info = replace(info, keywords=dict(function.keywords), nodes=dict(function.nodes))
                info.args += function.args
            made = compiling.make_compiled(m, info, "partial-decorator" if isinstance(function, PartialV) else "decorator", definition.name)
            return _in_class(made, value, place, frame)
        if not target.name.startswith(("mlx.", "functools.partial")) and target.name not in m.wrappers:
            return value
    if isinstance(function, Opaque):
        return value if isinstance(value, Choice) else Choice((value, Opaque(label=definition.name)))
    return _in_class(call(m, function, CallInfo([value], {}, frame, place, [place], {}, False, None)), value, place, frame)


def _in_class(made: Value, method: Value, place: Place, frame: Frame) -> Value:
    """What a decorator makes of a method: a compiled object does not bind self."""
    if frame.kind == "class" and isinstance(made, CompiledV) and isinstance(method, FuncV) and method.wrapper != "staticmethod":
        made.record.method_of = frame.qualname
        made.record.decorates = place
    return made


def escape(m: Machine, value: Value) -> None:
    """A value is kept where it outlives the statement: so does every compiled object that it holds."""
    for part in near((value,), _kept_by, CODE_DEPTH):
        if isinstance(part, CompiledV):
            part.record.escapes = True


def _kept_by(value: Value) -> Iterable[Value]:
    """What lives as long as a value."""
    if isinstance(value, FuncV):
        return _enclosed(value)
    if isinstance(value, (Tup, ListV)):
        return contents(value)
    if isinstance(value, DictV):
        return tuple(value.fields.values())
    if isinstance(value, Instance):
        return attributes(value)
    if isinstance(value, PartialV):
        return value.function, *value.args
    if isinstance(value, BoundV):
        return value.function, value.owner
    if isinstance(value, TransformV):
        return (value.function,)
    return value.options if isinstance(value, Choice) else ()


def _enclosed(function: FuncV) -> Iterator[Value]:
    """The compiled objects and containers in the functions around a function."""
    env = function.env
    while env is not None and env.kind not in ("module", "class"):
        for item in list(env.fields.values()):
            if isinstance(item, (CompiledV, Tup, ListV, DictV)):
                yield item
        env = env.parent


def enter(m: Machine, value: Value, place: Place, frame: Frame) -> Value:
    """What `with value as name` binds."""
    own = dunder(value, "__enter__")
    if own is not None:
        return call(m, own, CallInfo([], {}, frame, place))
    if isinstance(value, Foreign) and value.kind == "generator":
        return value.element or UNKNOWN
    return value if isinstance(value, Instance) else Opaque(label="context")


def within(m: Machine, value: Value, block: Callable[[Value], Status], place: Place, frame: Frame) -> Status:
    """`with value as …`: what stands before the yield of a generator, the block, and what comes after."""
    if not isinstance(value, Opaque) or _CONTEXT_MANAGER not in value.fields:
        status = block(enter(m, value, place, frame))
        leave(m, value, place, frame)
        return status
    function, info = value.fields[_CONTEXT_MANAGER]
    here = Within(function, block, (len(m.guards), len(m.loops), m.left))
    m.withins.append(here)
    try:
        given = call_function(m, function, info)
    finally:
        m.withins.remove(here)
    return here.status if here.ran else block(given.element or UNKNOWN if isinstance(given, Foreign) else UNKNOWN)


def yields(m: Machine, value: Value, frame: Frame) -> None:
    """A generator that a `with` runs gives a value: the block runs here, where this is bound to be reached."""
    here = next((within for within in reversed(m.withins) if within.function is frame.function), None)
    if here is not None and not here.ran and here.straight == (len(m.guards), len(m.loops), m.left):
        here.ran = True
        here.status = here.block(value)


def leave(m: Machine, value: Value, place: Place, frame: Frame) -> None:
    """The end of `with value`, without an exception."""
    own = dunder(value, "__exit__")
    if own is not None:
        call(m, own, CallInfo([NONE, NONE, NONE], {}, frame, place, [place] * 3))


def dunder(value: Value, name: str) -> Value | None:
    """A special method that an object of the project's own class has."""
    from mxlint.tracing import attribute

    value = without_none(value)
    if isinstance(value, Instance):
        cls, method = attribute.class_attribute(value.cls, name)
        if cls is not None and isinstance(method, FuncV):
            return BoundV(value, method)
    return None


def iterated(m: Machine, value: Value, place: Place, frame: Frame) -> Value:
    """What is gone through when a value is: for an object of the project's own class what its `__iter__` gives."""
    own = dunder(value, "__iter__")
    if own is None:
        return value
    found = call(m, own, CallInfo([], {}, frame, place))
    following = dunder(found, "__next__")
    if following is None:
        return found
    first, later = (call(m, following, CallInfo([], {}, frame, place)) for _ in range(2))
    return Foreign("generator", join(first, later))


def extend(m: Machine, target: ListV, value: Value, place: Place, frame: Frame) -> None:
    """`target += value`, `target.extend(value)`."""
    more = value.items if isinstance(value, (ListV, Tup)) else None
    if more is not None and target.items is not None:
        m.write(target, "items", target.items + more, place, place.text, "append", frame)
    else:
        m.write(target, "items", None, place, place.text, "items", frame)
        m.journal.store(target, "element", joined(target.fields.get("element", UNKNOWN), UNKNOWN))
    escape(m, value)


# -- modules ----------------------------------------------------------------------------------------------------------


def module(m: Machine, name: str, level: int, frame: Frame) -> Value:
    """The module that an import statement means."""
    found = m.project.find(name, level, frame.source)
    if found is None:
        return External(canonical(name)) if not level else UNKNOWN
    return m.load(found)


def imported(m: Machine, found: Value, name: str, node: ir.Node, frame: Frame) -> Value:
    """`from found import name`."""
    if isinstance(found, External):
        dotted = canonical(f"{found.name}.{name}")
        return constant(dotted) or External(dotted)
    if isinstance(found, ModuleV):
        # `from . import sub` in a package asks the package for the name that is just being made.
        known = force(found.frame, name, found.frame.fields[name]) if found.frame is not None and name in found.frame.fields else UNKNOWN
        if known is not UNKNOWN:
            return known
        inner = m.project.find(f"{found.name}.{name}", 0, found.frame.source if found.frame is not None else frame.source)
        if inner is not None:
            return m.load(inner)
    return UNKNOWN


def import_star(m: Machine, found: Value, frame: Frame) -> None:
    """`from found import *`."""
    if isinstance(found, ModuleV) and found.frame is not None:
        for name, value in found.frame.fields.items():
            if isinstance(name, str) and not name.startswith(("_", "#", "*")):
                frame.fields.setdefault(name, value)
    else:
        before = frame.fields.get("*open")
        frame.fields["*open"] = Tup((found, *(before.items if isinstance(before, Tup) else ())))


def external_assigned(m: Machine, owner: External, name: str, value: Value, place: Place) -> None:
    """`library.name = value`."""
    if f"{owner.name}.{name}" == _RANDOM_STATE and not m.doubtful:
        m.random_assigned.append((place, False))


def external_item(m: Machine, owner: External, index: Value, value: Value, place: Place, frame: Frame) -> None:
    """`library_object[index] = value`."""
    if owner.name == "os.environ":
        m.emit("frozen", place, "a write to os.environ", frame, note="effect")
    if owner.name == "os.environ" and isinstance(index, Scalar) and index.content == "MLX_DISABLE_COMPILE":
        m.environment.append((place, value, m.compiled_called))
    if owner.name == _RANDOM_STATE and m.table.before(_RANDOM_STATE_CLOSED) != m.table.judged and not m.doubtful:
        m.random_assigned.append((place, True))


__all__ = ["Array", "CallInfo", "NumpyV", "SuperV", "builtin", "call", "decorate", "escape", "holds_traced", "imported", "list_of"]
