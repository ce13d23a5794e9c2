"""What a call runs: for each member of the callee, the transfer function of its kind.

`f(x)` runs a body, `Layer(4)` makes an instance, `layer(x)` calls `__call__`, `partial(f, 1)(x)` calls `f`, and a callable that nobody in sight gives may call
the functions among its arguments.
"""

from __future__ import annotations

from collections.abc import Callable

from mxlint.domain.arrays import Array
from mxlint.domain.members import NONE, Bound, Const, External, Kind, Member, Ref, Symbolic, Tuple, Union, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.calls.activations import ENV, Ran, run_function
from mxlint.interpreter.calls.caches import call_cached
from mxlint.interpreter.calls.later import run_later
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.generators.generators import call_manager, suspended
from mxlint.interpreter.libraries import sharing
from mxlint.interpreter.libraries.sharing import Parts
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.handed_out import hand_out
from mxlint.interpreter.machine.locations import part
from mxlint.interpreter.machine.paths import CALLED_BACK, Condition
from mxlint.interpreter.objects.classes import instantiate
from mxlint.interpreter.objects.lookup import library_base, special
from mxlint.interpreter.objects.overriding import overridden
from mxlint.interpreter.open_world import mappings
from mxlint.interpreter.open_world.dispatch import dispatched
from mxlint.interpreter.open_world.interfaces import put_there, used
from mxlint.models.load import model
from mxlint.models.mlx.members import defined
from mxlint.models.mlx.traits import has_trait
from mxlint.syntax import ir


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
            args = Arguments((value,), places=(Place(frame.source, node.name_start, node.name_end),))
            args.decorates = node.name
            value = i.call(decorator, args, place, frame)
    return value


def call(i: Interpreter, function: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call a value."""
    outer, i.chosen = i.chosen, len(i.path)
    try:
        return _call(i, function, args, place, frame)
    finally:
        i.chosen = outer


def _call(i: Interpreter, function: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call what a value may be, or what a bound method or a partial function is made of."""
    function = i.live(function)
    if not isinstance(function, Union):
        return call_member(i, function, args, place, frame)
    i.place = place
    i.splits += 1
    try:
        return i.split(function, lambda member: call_member(i, member, args, place, frame))
    finally:
        i.splits -= 1


def call_member(i: Interpreter, function: Member, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call one callable."""
    if i.trace is not None and i.trace.modules:
        _modules_handed(i, function, args, place, frame)
    if isinstance(function, External):
        return i.operations.external(i, function.name, args, place, frame)
    if isinstance(function, Bound):
        return _call(i, function.function, args.bound(function.owner), place, frame)
    if isinstance(function, Ref):
        handler = _OBJECTS.get(i.info(function.oid).kind)
        if handler is not None:
            return handler(i, function, args, place, frame)
        throw_named(i, "builtins.TypeError", place)
    if isinstance(function, Unknown):
        i.may_raise()
        i.imprecise("a call of something unknown", place)
        i.mlx.handed(i, args.values, place, frame)
        return Unknown(function.reason)
    if isinstance(function, Symbolic):
        return call_symbolic(i, function, args, place, frame)
    if isinstance(function, (Const, Kind, Tuple, Array)):
        throw_named(i, "builtins.TypeError", place)
    return i.symbolic(place, "call")


def _modules_handed(i: Interpreter, function: Member, args: Arguments, place: Place, frame: Frame) -> None:
    """Note what is called, or hands on to what may call it, a module that a trace is given. What the models say to call or to take as a tree does so itself."""
    sinks.as_module(i, function, place, frame)
    is_known = isinstance(function, External) and (model(function.name) is not None or has_trait(defined(function.name), "takes trees"))
    if isinstance(function, (External, Symbolic, Unknown)) and not is_known:
        for value in args.values:
            for member in members(value):
                sinks.as_module(i, member, place, frame)


def call_symbolic(i: Interpreter, function: Symbolic, args: Arguments, place: Place, frame: Frame, owner: Value = NONE) -> Value:
    """Call something that nobody in sight gives. Functions of the program among the arguments may be called by it. `owner`: the object whose method it is."""
    i.mlx.handed(i, args.values, place, frame)
    if i.ledger.of(Parts).arrays:
        sharing.method_called(i, function, place, frame)
    found: Value | None = i.mlx.called(i, function, args, place, frame)
    if found is not None:
        return found
    for value in args.values:
        for member in members(value):
            if isinstance(member, Ref) and i.info(member.oid).kind == "function":
                called_back(i, member, place, frame)
        hand_out(i, value, place)
    dispatched(i, function, args, place, frame)
    used(i, args, place, frame, owner)
    put_there(i, function, args, place, frame)
    i.may_raise()
    made = mappings.asked(i, function, args, place) or i.symbolic(place, "call", function.label, presumed=function.presumed)
    i.mlx.gave(i, function, made, args, place, frame)
    return mappings.called(i, function, made, args, place, frame)


def called_back(i: Interpreter, function: Ref, place: Place, frame: Frame) -> None:
    """A function of the program that a library may call, with arguments that it chooses; or may not."""
    info = i.info(function.oid).payload
    if not isinstance(info, FunctionInfo) or i.silent > 2:
        return
    given = [i.symbolic(place, f"argument {p.name}", p.name) for p in info.node.params if not p.star and not p.kwonly and p.default is None]

    def run() -> Value:
        result = i.call(function, Arguments(given, places=(place,) * len(given)), place, frame)
        if i.trace is None:
            i.mlx.handed(i, (result,), place, frame)
        return NONE

    called = i.undecided("open", place, tag=(CALLED_BACK, function.oid))
    i.fork([((called,), lambda: run_later(i, run)), ((Condition("open", place, called.opposite),), lambda: NONE)])


def dotted_name(i: Interpreter, info: FunctionInfo) -> str:
    """The name by which other files import a function."""
    return f"{i.project.module_name(info.source)}.{info.qualname}"


def is_wrapper(i: Interpreter, info: FunctionInfo) -> bool:
    """Whether the settings say that a function compiles as `mx.compile` does."""
    return dotted_name(i, info) in i.wrappers


def _call_function(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    info = i.info(ref.oid).payload
    assert isinstance(info, FunctionInfo)
    if i.wrappers and is_wrapper(i, info):
        return i.operations.external(i, dotted_name(i, info), args, place, frame)
    if overridden(i, ref, info, args):
        for value in args.values if i.trace is not None else ():
            i.operations.used(i, value, frame)  # the body in sight, which would read them, is not run
        return call_symbolic(i, i.symbolic(place, "method", info.name), args, place, frame, args.args[0])
    if info.generator or info.is_async:
        return suspended(i, ref, info, args, place, frame)
    return run_function(i, ref, info, args, place, frame)


def _call_class(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    return instantiate(i, ref, args, place, frame)


def _call_instance(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    method = special(i, ref, "__call__", place, frame)
    if method is not None:
        i.ledger.of(Ran).objects.add(ref.oid)
        return i.call(method, args, place, frame)
    cls = i.heap.get(ref.oid, ("#", "class"))
    if isinstance(cls, External):
        return i.operations.external(i, f"{cls.name}.__call__", args.bound(ref), place, frame)
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
    given = made.places[1:] if isinstance(made, Arguments) and len(made.places) == len(made.args) else ()
    given_places = (*((place,) * (len(first) - len(given))), *given[-len(first) :]) if first else ()
    for number, (value, at) in enumerate(zip(first, given_places)):
        i.operations.read(i, ref.oid, part("args", (number,)), value, at, frame)
    for name, value in keywords.items():
        if name not in args.keywords:
            i.operations.read(i, ref.oid, ("kw", name), value, places.get(name, place), frame)
    merged = Arguments(
        (*first, *args.args),
        {**keywords, **args.keywords},
        args.star,
        args.kwstar,
        (*given_places, *args.places),
        places,
        args.node,
    )
    merged.bound_node = made.node if isinstance(made, Arguments) else None
    merged.decorates = args.decorates
    return _call(i, function, merged, place, frame)


def _call_static(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    return i.call(i.heap.get(ref.oid, "fget") or Unknown("static"), args, place, frame)


_OBJECTS: dict[str, Callable[..., Value]] = {
    "function": _call_function,
    "class": _call_class,
    "instance": _call_instance,
    "partial": _call_partial,
    "cached": call_cached,
    "descriptor": _call_static,
    "contextmanager": call_manager,
}


def register(kind: str, handler: Callable[..., Value]) -> None:
    """Say how objects of a kind are called: for kinds that other files define."""
    _OBJECTS[kind] = handler
