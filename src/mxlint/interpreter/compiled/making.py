"""Calls of `mx.compile`: the compiled object, of which function it is, where it was made, and with which options.

`@mx.compile`, `mx.compile(partial(f, 2))` and `mx.compile(mx.grad(f), inputs=state)` make one each. The function is looked for behind partials, bound methods and
transforms.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from mxlint.domain.arrays import Array, Traces
from mxlint.domain.join import of
from mxlint.domain.members import (
    NONE,
    TRUE,
    Bound,
    Const,
    External,
    Kind,
    Member,
    Option,
    Range,
    Ref,
    Tuple,
    Unbound,
    Union,
    Value,
    members,
    options,
)
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.compiled.captures import capture_facts
from mxlint.interpreter.compiled.keyed import found_as_new
from mxlint.interpreter.compiled.state import TRACES, CompiledInfo, all_entries, cache_of
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.loops.running import rounds_around
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame, within
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import (
    journal,
    loops,
    modality,
    note,
    qualname,
    recursions,
    where,
)
from mxlint.interpreter.machine.locations import ITEMS, NEW, USED
from mxlint.interpreter.machine.recursions import compiles_at
from mxlint.interpreter.objects.lookup import class_attribute
from mxlint.syntax import ir


class Makers:
    """A name for each set of values that the parameters of a function which compiles held."""

    __slots__ = ("names",)

    def __init__(self) -> None:
        self.names: dict[object, str] = {}


def make(i: Interpreter, args: Arguments, place: Place, frame: Frame, form: str = "") -> Value:
    """`mx.compile(fun, inputs, outputs, shapeless)`."""
    function = args.get(0, "fun")
    if function is None:
        m = modality(i, len(i.path))
        note(i, events.Note("not a function", where(place), "nothing", None, m or events.Modality()))
        return i.unknown(place, "mx.compile without a function")
    function = _of_others(i, function, place)
    written = args.node.args[0].value if args.node is not None and args.node.args and not args.node.args[0].star else None
    text = _text(i, function, written, args, place)
    if args.decorates and (args.bound_node is not None or not form):
        form = "decorator" if args.bound_node is None else "partial-decorator"
    imported = any(around.kind == "module" and around.source is not i.main for around in i.stack)
    info = CompiledInfo(
        form or _form(i, function, written),
        text,
        place,
        args.place(1, "inputs", place),
        args.place(3, "shapeless", place),
        imported,
        i.context,
    )
    again = i.heap.standing((place, i.context, "compiled", None)) is not None
    oid = i.allocate("compiled", info, place, label=text)
    found_as_new(i, oid, i.heap.older(oid) if again else None)
    _leave_traces(i, oid, function)
    i.heap.set(oid, "fun", function)
    for name, position in (("inputs", 1), ("outputs", 2), ("shapeless", 3)):
        value = args.get(position, name)
        if value is not None:
            i.heap.set(oid, name, value)
    compiles_at(i, place)
    again = _made_before(i, info.site)
    if not i.silent:
        i.noting(partial(journal(i).compiled.__setitem__, oid, _fact(i, oid, info, args, place, frame, again=again)), ("compiled", oid))
    return Ref(oid)


def _of_others(i: Interpreter, function: Value, site: Place) -> Value:
    """What is compiled without what the same call has made before: a thing that a loop goes over may stand for others, of which earlier rounds have compiled
    something, as in `for layer in layers: layer.mlp = mx.compile(layer.mlp)`."""
    others = [option for option in options(function) if not _is_made_at(i, option.member, site)]
    return of(others) if others else function


def _is_made_at(i: Interpreter, member: Member, site: Place) -> bool:
    return isinstance(member, Ref) and i.info(member.oid).kind == "compiled" and i.info(member.oid).place == site


def _made_before(i: Interpreter, place: Place) -> bool:
    """Whether an earlier round of the loops around has made an object here that was called; that this round makes one is kept. Both are parts of the state:
    what leaves a loop takes them along, and no round that follows finds them."""
    i.heap.set(0, (*NEW, place, i.context.loop), TRUE)
    called = i.heap.get(0, (*USED, place, i.context.loop))
    return called is not None and any(not isinstance(member, Unbound) for member in members(i.live(called)))


def _leave_traces(i: Interpreter, oid: int, function: Value) -> None:
    """A new object has no traces: what its function keeps of the one that was made here before is that one's."""
    cache = cache_of(Ref(oid), function)
    held = i.heap.get(cache, TRACES)
    if held is None or all(entry.by != oid for entry in all_entries(held)):
        return
    older = i.heap.older(oid)

    def left(member: Member) -> Member:
        if not isinstance(member, Traces):
            return member
        return Traces(member.oid, tuple(entry.made_by(older) if entry.by == oid else entry for entry in all_entries(member)))

    i.heap.set(cache, TRACES, of(Option(left(option.member), option.guard) for option in options(held)))


def _text(i: Interpreter, function: Value, written: ir.Expr | None, args: Arguments, place: Place) -> str:
    """How to speak of what is compiled: as the program writes it as an argument or below a decorator, else by its own name, or by what gives it."""
    if written is not None:
        text = Place(place.source, written.start, written.end).text
    else:
        text = args.decorates or _name_of(i, function) or args.place(0, "fun", place).text
    return " ".join(text.split())[:80]


def _name_of(i: Interpreter, function: Value) -> str:
    """The name of a function of the program among what a value may be; "" if there is none."""
    for member in members(function):
        if isinstance(member, Ref) and isinstance(i.info(member.oid).payload, FunctionInfo):
            return str(i.info(member.oid).payload.name)  # type: ignore[attr-defined]
    return ""


def _form(i: Interpreter, function: Value, written: ir.Expr | None) -> str:
    if isinstance(written, ir.Lambda):
        return "lambda"
    for member in members(function):
        if isinstance(member, Bound):
            return "method"
        if isinstance(member, Ref):
            kind = i.info(member.oid).kind
            if kind in ("transform", "partial", "compiled"):
                return kind
            if kind == "instance":
                return "module"
    return "attribute" if isinstance(written, ir.Attr) else "name"


def _fact(i: Interpreter, oid: int, info: CompiledInfo, args: Arguments, place: Place, frame: Frame, *, again: bool) -> events.Compiled:
    own, outer = loops(i)
    shapeless = args.get(3, "shapeless")
    known: bool | None = False
    if shapeless is not None:
        truth = i.truth(shapeless, place, frame)
        known = truth.outcome
    owner, decorator = _class_body(i, args.get(0, "fun"), place, frame)
    cls = owner.cls if owner is not None else _class_of(i, args.get(0, "fun"))
    method_of = i.info(cls).label if cls is not None else None
    replaces = _method_name(i, args.get(0, "fun"))
    inputs, outputs = capture_facts(i, args, place, frame)
    return events.Compiled(
        number=oid, site=where(place), form=info.form, text=info.text, within=qualname(frame), function=function_fact(i, args.get(0, "fun") or NONE),
        inputs=inputs, outputs=outputs, shapeless=known,
        loops=tuple(events.Where(where(loop).span, round_) for loop, round_ in own),
        caller_loops=tuple(events.Where(where(loop).span, round_) for loop, round_ in (*recursions(i, place), *outer)),
        escapes=False, method_of=method_of, decorates=where(decorator) if decorator is not None else None, module_level=frame.kind == "module", modality=modality(i, 0) or events.Modality(),
        layer=_layer(i, frame), caller_layer=_caller_layer(i, frame), maker=_maker(i, frame), run=not i.modes.entered_alone, in_module=cls is not None and i.mlx.class_kind(i, Ref(cls)) == "module",
        identity=_identity(args.get(0, "fun")), owner=_owner(i, args.get(0, "fun")), turns=_turns(i, args.get(0, "fun")), again=again, replaces=replaces,
    )  # fmt: skip


def _maker(i: Interpreter, frame: Frame) -> str:
    """What the parameters of the function that compiles hold: the same text for the same values."""
    if frame.kind != "function" or not isinstance(frame.node, (ir.FuncDef, ir.Lambda)):
        return ""
    held = tuple(_likeness(i, i.heap.get(frame.oid, param.name) or NONE) for param in frame.node.params)
    makers = i.ledger.of(Makers).names
    return makers.setdefault(held, f"maker {len(makers)}")


def _likeness(i: Interpreter, value: Value) -> object:
    """A value such that two functions of one source text are equal."""
    if isinstance(value, Bound):
        return ("bound", _likeness(i, value.owner), _likeness(i, value.function))
    if isinstance(value, Ref) and i.info(value.oid).kind == "function":
        return ("function", i.info(value.oid).place)
    if isinstance(value, Ref) and i.info(value.oid).kind in ("list", "dict"):
        return (
            i.info(value.oid).kind,
            *(held for field, held in i.heap.fields(value.oid).items() if field == ITEMS or isinstance(field, tuple) and field[0] == "k"),
        )
    return value


def _class_of(i: Interpreter, function: Value | None) -> int | None:
    """The class in whose body a function was defined: what is compiled may be put into it from outside (`N.run = mx.compile(N.run)`)."""
    cls = i.heap.get(function.oid, ("#", "cls")) if isinstance(function, Ref) and i.info(function.oid).kind == "function" else None
    return cls.oid if isinstance(cls, Ref) else None


def _method_name(i: Interpreter, function: Value | None) -> str:
    """The name under which the class in whose body a function was defined holds it as it is, and binds it to its objects: "" if it does not."""
    cls = _class_of(i, function)
    fields = i.heap.fields(cls) if cls is not None else {}
    return next((name for name, held in fields.items() if held == function and isinstance(name, str)), "")


def _class_body(i: Interpreter, function: Value | None, place: Place, frame: Frame) -> tuple[Frame | None, Place | None]:
    """The class body that defines the function and has it compiled, directly or by a wrapper; and the decorator there, if it is one."""
    made = [
        m for m in map(partial(_wrapped, i), members(function or NONE)) if m is not None and i.heap.get(m.oid, ("#", "cls")) is not None
    ]
    inner: Frame | None = frame
    while inner is not None and inner.kind != "class":
        place, inner = inner.called_at or place, inner.caller
    if not made or inner is None or inner.cls is None or any(i.heap.get(m.oid, ("#", "cls")) != Ref(inner.cls) for m in made):
        return None, None
    infos = [i.info(m.oid).payload for m in made]
    decorates = all(isinstance(f, FunctionInfo) and isinstance(f.node, ir.FuncDef) and place.end <= f.node.name_start for f in infos)
    return inner, place if decorates else None


MAX_WRAPPED: Final = 4
"""Wrappers around one function that are looked through."""


def _wrapped(i: Interpreter, member: Member) -> Ref | None:
    """The function that decorators have wrapped, and say so (`functools.wraps`), where they hand on what they are given; else the function itself."""
    found = member if isinstance(member, Ref) else None
    for _ in range(MAX_WRAPPED):
        inner = members(i.heap.get(found.oid, "__wrapped__") or NONE)[0] if found is not None else None
        if found is None or not isinstance(inner, Ref) or not _hands_on(i.info(found.oid).payload, i.info(inner.oid).payload):
            break
        found = inner
    return found


def _hands_on(outer: object, inner: object) -> bool:
    """Whether a wrapper asks for no fewer arguments than what it wraps, or takes any."""
    if not isinstance(outer, FunctionInfo) or not isinstance(inner, FunctionInfo):
        return not isinstance(outer, FunctionInfo)  # a cache of Python takes what its function takes
    asked = [param for param in outer.node.params if not param.star and not param.kwonly]
    wanted = [param for param in inner.node.params if not param.star and not param.kwonly]
    return any(param.star == "*" for param in outer.node.params) or len(asked) >= len(wanted)


def _caller_layer(i: Interpreter, frame: Frame) -> str:
    """The `__call__` of a module that calls the function that compiles."""
    return _layer(i, frame.caller) if frame.caller is not None and frame.kind == "function" else ""


def _identity(function: Value | None) -> int | None:
    """The number of the function object that MLX's cache knows it by."""
    return function.oid if isinstance(function, Ref) else None


def _owner(i: Interpreter, function: Value | None) -> int | None:
    """The number of the object whose method is compiled, or that is compiled itself, if no round that runs has made it."""
    owner = function.owner if isinstance(function, Bound) else function
    if not isinstance(owner, Ref) or i.info(owner.oid).kind != "instance" or i.info(owner.oid).summary:
        return None
    made = i.made_in.get(owner.oid)
    return None if any(within(made, around) for around in rounds_around(i)) else owner.oid


def _turns(i: Interpreter, function: Value | None) -> tuple[events.Where, ...]:
    """The loops that go over the objects of which one's method is compiled, or which are compiled themselves."""
    owner = function.owner if isinstance(function, Bound) else function
    loops = i.ledger.of(Ends).turns.get(owner.oid, set()) if isinstance(owner, Ref) else set[Place]()
    return tuple(where(loop) for loop in sorted(loops, key=lambda loop: (loop.source.name, loop.start, loop.end)))


def _layer(i: Interpreter, frame: Frame) -> str:
    """The `__call__` of a module around a place, "" if there is none."""
    inner: Frame | None = frame
    while inner is not None and inner.kind == "comprehension":
        inner = inner.caller
    if inner is None or inner.function is None:
        return ""
    cls = i.heap.get(inner.function, ("#", "cls"))
    info = i.info(inner.function).payload
    if cls is None or not isinstance(info, FunctionInfo) or info.name != "__call__":
        return ""
    return qualname(inner) if i.mlx.class_kind(i, cls) == "module" else ""


def target(i: Interpreter, function: Value, depth: int = 6) -> tuple[Ref | None, int, frozenset[str]]:
    """The function of the program under bound methods, partials and transforms; how many positional arguments and which names are bound."""
    for member in members(function):
        if isinstance(member, Bound):
            found, bound, names = target(i, member.function, depth - 1) if depth else (None, 0, frozenset())
            return found, bound + 1, names
        if not isinstance(member, Ref) or not depth:
            continue
        kind = i.info(member.oid).kind
        if kind == "function":
            return member, 0, frozenset()
        if kind == "partial":
            found, bound, names = target(i, i.heap.get(member.oid, "func") or NONE, depth - 1)
            given = i.heap.get(member.oid, "args")
            extra = {f[1] for f in i.heap.fields(member.oid) if isinstance(f, tuple) and f[0] == "kw"}
            return found, bound + (len(given.items or ()) if isinstance(given, Tuple) else 0), names | extra
        if kind in ("transform", "compiled"):
            return target(i, i.heap.get(member.oid, "fun") or NONE, depth - 1)
        if kind == "instance":
            cls = i.heap.get(member.oid, ("#", "class"))
            method = class_attribute(i, cls, "__call__") if cls is not None and not isinstance(cls, Union) else None
            if isinstance(method, Ref):
                return _of_class(i, method, depth - 1)
    return None, 0, frozenset()


def _of_class(i: Interpreter, method: Ref, depth: int) -> tuple[Ref | None, int, frozenset[str]]:
    """The same of a method, as its class holds it: of what a call of an object of that class calls."""
    info = i.info(method.oid)
    inner = i.heap.get(method.oid, "fget") if info.kind == "descriptor" and info.payload in _GIVEN else method
    found, bound, names = target(i, inner or NONE, depth)
    return found, bound + (info.kind == "function" or info.payload == "classmethod"), names


_GIVEN: Final = ("staticmethod", "classmethod")
"""Descriptors that give the function that they are made of."""
REFUSED: Final = frozenset(("classmethod", "property", "cached_property"))
"""What a decorator makes of a method that is no function; a static method is one."""


def function_fact(i: Interpreter, function: Value) -> events.Function:
    """What is compiled, in the words of the facts."""
    first = members(function)[0]
    kind = "unknown"
    if isinstance(first, Bound):
        kind = "method"
    elif isinstance(first, External):
        kind = "library"
    elif isinstance(first, (Const, Kind, Array, Tuple, Range)):
        kind = "value" if not isinstance(first, Array) else "result"
    elif isinstance(first, Ref):
        kind = {
            "function": "function",
            "partial": "partial",
            "transform": "transform",
            "compiled": "compiled",
            "instance": "object",
            "list": "value",
            "dict": "value",
        }.get(i.info(first.oid).kind, "unknown")
        if i.info(first.oid).kind == "descriptor" and i.info(first.oid).payload in REFUSED:
            return events.Function("descriptor", "", None, (), 0)
    ref, bound, _ = target(i, function)
    if ref is None:
        return events.Function(kind, "", None, (), 0)
    info = i.info(ref.oid).payload
    assert isinstance(info, FunctionInfo)
    if info.is_async or info.generator:
        kind = "coroutine" if info.is_async else "generator"
    elif isinstance(info.node, ir.Lambda):
        kind = "lambda"
    parameters = tuple(_parameter(info, param) for param in info.node.params)
    return events.Function(
        kind, info.qualname.replace(".<locals>", ""), where(Place(info.source, info.node.start, info.node.end)), parameters, bound
    )


def _parameter(info: FunctionInfo, param: ir.Param) -> events.Parameter:
    annotation = Place(info.source, param.annotation.start, param.annotation.end).text if param.annotation is not None else None
    place = Place(info.source, param.start, param.end)
    return events.Parameter(param.name, param.star, param.kwonly, annotation, param.default is not None, where(place))
