"""Objects around functions: `property`, `staticmethod`, `partial`, `lru_cache`, `wraps`, `singledispatch`."""

from __future__ import annotations

from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import FALSE, UNBOUND, Bound, Const, External, Member, Ref, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.calls.caches import DEFAULT_SIZE
from mxlint.interpreter.calls.callables import register
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.exceptions import ancestors, throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.locations import MAXSIZE, TYPED
from mxlint.interpreter.objects.type_tests import instance_of


def descriptor(kind: str) -> Handler:
    """`property`, `staticmethod`, or another decorator that makes a descriptor of a kind."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        oid = i.allocate("descriptor", kind, place)
        for name, value in zip(("fget", "fset", "fdel"), args.args):
            i.heap.set(oid, name, value)
        for name in ("fget", "fset", "fdel"):
            if name in args.keywords:
                i.heap.set(oid, name, args.keywords[name])
        first = args.args[0] if args.args else None
        if isinstance(first, Ref):
            held = i.heap.get(first.oid, "__name__")
            if held is not None:
                i.heap.set(oid, "name", held)
        return Ref(oid)

    return run


def _descriptor_method(which: str) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        owner = args.args[0]
        if not isinstance(owner, Ref):
            return owner
        oid = i.allocate("descriptor", i.info(owner.oid).payload, place)
        for name in ("fget", "fset", "fdel", "name"):
            value = i.heap.get(owner.oid, name)
            if value is not None:
                i.heap.set(oid, name, value)
        i.heap.set(oid, which, args.get(1) or Unknown(which))
        return Ref(oid)

    return run


def _partial(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("partial", args, place)
    i.heap.infos[oid].payload = args
    function = args.args[0]
    first: tuple[Value, ...] = args.args[1:]
    if isinstance(function, Ref) and i.info(function.oid).kind == "partial":
        held = i.heap.get(function.oid, "args")
        first = (*(held.items or () if isinstance(held, Tuple) else ()), *first)
        for field, value in i.heap.fields(function.oid).items():
            if isinstance(field, tuple) and field[0] == "kw":
                i.heap.set(oid, field, value)
        function = i.heap.get(function.oid, "func") or UNBOUND
    i.heap.set(oid, "func", function)
    i.heap.set(oid, "args", Tuple(first))
    for name, value in args.keywords.items():
        i.heap.set(oid, ("kw", name), value)
    return Ref(oid)


def _partial_method(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("descriptor", "partialmethod", place)
    i.heap.set(oid, "fget", args.args[0])
    i.heap.set(oid, "args", Tuple(args.args[1:]))
    for name, value in args.keywords.items():
        i.heap.set(oid, ("kw", name), value)
    return Ref(oid)


def wrapper(kind: str) -> Handler:
    """A decorator that puts an object of a kind of its own around a function."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        oid = i.allocate(kind, None, place)
        first = args.get(0) or Unknown(kind)
        i.heap.set(oid, "__wrapped__", first)
        if isinstance(first, Ref):
            for name in ("__name__", "__doc__", "__module__", "__qualname__"):
                held = i.heap.get(first.oid, name)
                if held is not None:
                    i.heap.set(oid, name, held)
        return Ref(oid)

    return run


_cached = wrapper("cached")


def _cache(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`lru_cache(function)`, or `lru_cache(maxsize)` and its like, which give a decorator."""
    if args.args and isinstance(args.args[0], (Ref, Bound, External)):
        return _cached(i, args, place, frame)
    size, typed = args.get(0, "maxsize"), args.get(1, "typed")
    if size is None and typed is None:
        return External("functools.cache")
    return Bound(Tuple((size or Const(DEFAULT_SIZE), typed or FALSE)), External("#cached"))


def _cached_to(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """The decorator that `lru_cache(maxsize, typed)` gives."""
    made = _cached(i, Arguments(args.args[1:], places=args.places[1:]), place, frame)
    settings = args.args[0]
    assert isinstance(made, Ref) and isinstance(settings, Tuple) and settings.items is not None
    for field, value in zip((MAXSIZE, TYPED), settings.items, strict=True):
        i.heap.set(made.oid, field, value)
    return made


def _wraps(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    oid = i.allocate("partial", args, place)
    i.heap.set(oid, "func", External("#wraps"))
    i.heap.set(oid, "args", Tuple(args.args[:1]))
    return Ref(oid)


def _wrapped(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    if len(args.args) != 2:
        return i.symbolic(place, "functools.wraps")
    original, wrapper = args.args
    if isinstance(wrapper, Ref):
        i.heap.set(wrapper.oid, "__wrapped__", original)
        if isinstance(original, Ref):
            for name in ("__name__", "__doc__", "__module__", "__qualname__"):
                held = i.heap.get(original.oid, name)
                if held is not None:
                    i.heap.set(wrapper.oid, name, held)
    return wrapper


REGISTERED: Final = ("#", "registered")
"""Of a function under singledispatch: pairs of a class and its implementation."""
METHOD: Final = "method"
"""The payload of a method under singledispatchmethod."""


def _dispatch(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    made = wrapper("dispatch")(i, args, place, frame)
    assert isinstance(made, Ref)
    i.heap.set(made.oid, REGISTERED, Tuple((Tuple((External("builtins.object"), args.args[0])),)))
    return made


def _dispatch_method(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`@singledispatchmethod`: the argument after the object decides."""
    made = _dispatch(i, args, place, frame)
    assert isinstance(made, Ref)
    i.heap.infos[made.oid].payload = METHOD
    return made


def _register(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`f.register(cls, function)`, `@f.register(cls)`, or `@f.register` of a function whose first annotation names the class."""
    owner, first = args.args[:2]
    if not isinstance(owner, Ref):
        return first
    function = args.get(2, "func")
    is_class = any(isinstance(m, External) or isinstance(m, Ref) and i.info(m.oid).kind == "class" for m in members(first))
    if is_class and function is None:
        oid = i.allocate("partial", "decorator", place, "register")
        i.heap.set(oid, "func", External("#dispatch.register"))
        i.heap.set(oid, "args", Tuple((owner, first)))
        return Ref(oid)
    cls: Value = first
    if function is None:
        function = first
        info = i.info(first.oid).payload if isinstance(first, Ref) else None
        params = info.node.params[1 if i.info(owner.oid).payload == METHOD else 0 :] if isinstance(info, FunctionInfo) else ()
        annotation = params[0].annotation if params else None
        cls = i.eval(annotation, frame) if annotation is not None else Unknown("annotation")
    held = i.heap.get(owner.oid, REGISTERED)
    listed = held.items or () if isinstance(held, Tuple) else ()
    i.heap.set(owner.oid, REGISTERED, Tuple((*listed, Tuple((cls, function)))))
    return function


def _call_dispatch(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call the implementation of the class of the first argument; of a method, of the one after the object."""
    at = 1 if i.info(ref.oid).payload == METHOD else 0
    if len(args.args) <= at:
        throw_named(i, "builtins.TypeError", place)

    def one(member: Member) -> Value:
        rest = Arguments(
            (*args.args[:at], member, *args.args[at + 1 :]),
            args.keywords,
            args.star,
            args.kwstar,
            args.places,
            args.keyword_places,
            args.node,
        )
        return i.call(_implementation(i, ref, member), rest, place, frame)

    return i.split(args.args[at], one)


def _implementation(i: Interpreter, ref: Ref, member: Member) -> Value:
    held = i.heap.get(ref.oid, REGISTERED)
    sure: list[tuple[Value, Value]] = []
    possible: list[Value] = []
    for pair in held.items or () if isinstance(held, Tuple) else ():
        assert isinstance(pair, Tuple) and pair.items is not None
        cls, function = pair.items
        answer = instance_of(i, member, cls)
        if answer:
            sure = [(other, f) for other, f in sure if not _above(i, other, cls)] + [(cls, function)]
        elif answer is None:
            possible.append(function)
    return join([*(function for _, function in sure), *possible]) if sure or possible else Unknown("singledispatch")


def _above(i: Interpreter, cls: Value, other: Value) -> bool:
    """Whether a class is `other` or a base of it."""
    names = ancestors(i, other)
    return (cls.name if isinstance(cls, External) else cls) in names


def implementations(i: Interpreter, ref: Ref) -> list[Ref]:
    """The functions of the program, by whatever class, that a function or method under singledispatch comes to; nothing of anything else."""
    held = i.heap.get(ref.oid, REGISTERED)
    pairs = (
        [pair.items for pair in held.items or () if isinstance(pair, Tuple) and pair.items is not None] if isinstance(held, Tuple) else []
    )
    return [
        member for _, function in pairs for member in members(function) if isinstance(member, Ref) and i.info(member.oid).kind == "function"
    ]


def _dispatched(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`f.dispatch(cls)`."""
    held = i.heap.get(args.args[0].oid, REGISTERED) if isinstance(args.args[0], Ref) else None
    pairs = (
        [pair.items for pair in held.items or () if isinstance(pair, Tuple) and pair.items is not None] if isinstance(held, Tuple) else []
    )
    return join([function for _, function in pairs]) if pairs else Unknown("singledispatch")


HANDLERS: Final[dict[str, Handler]] = {
    "builtins.property": descriptor("property"),
    "builtins.staticmethod": descriptor("staticmethod"),
    "builtins.classmethod": descriptor("classmethod"),
    "functools.cached_property": descriptor("cached_property"),
    "functools.partial": _partial,
    "functools.partialmethod": _partial_method,
    "functools.lru_cache": _cache,
    "functools.cache": _cache,
    "functools.wraps": _wraps,
    "#wraps": _wrapped,
    "#cached": _cached_to,
    "contextlib.contextmanager": wrapper("contextmanager"),
    "contextlib.asynccontextmanager": wrapper("contextmanager"),
    "functools.singledispatch": _dispatch,
    "functools.singledispatchmethod": _dispatch_method,
    "#dispatch.register": _register,
    "#dispatch.dispatch": _dispatched,
    "#descriptor.setter": _descriptor_method("fset"),
    "#descriptor.getter": _descriptor_method("fget"),
    "#descriptor.deleter": _descriptor_method("fdel"),
    "abc.abstractproperty": descriptor("property"),
    "builtins.method": lambda i, args, place, frame: Bound(args.args[1], args.args[0]),
}
"""By canonical name; those with `#` are called by the interpreter itself."""

register("dispatch", _call_dispatch)
