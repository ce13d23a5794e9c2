"""What Python's builtins and the standard library do with abstract values: a table of handlers by canonical name."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mxlint.syntax import ir
from mxlint.tracing import attribute, layers, operators, options, shapeless, shapes, stdlib
from mxlint.tracing.call import CallInfo, call, dunder, escape, extend, unknown_call
from mxlint.tracing.heap import MAYBE
from mxlint.tracing.machine import Machine, chain_of, holds_traced
from mxlint.tracing.sequences import elements, joined, representative
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
    FuncV,
    Instance,
    ListV,
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
    SuperV,
    Tup,
    Value,
    const,
    join,
    list_like,
    list_of,
    now,
    one_of,
)  # fmt: skip

Handler = Callable[[Machine, CallInfo], Value]


def call_external(m: Machine, name: str, info: CallInfo) -> Value:
    """Call something of a library."""
    if name in _CLOCKS and m.trace is None:
        return m.clock(info.place)
    if m.trace is not None and is_frozen(name):
        m.emit("frozen", info.place, f"{name.removeprefix('builtins.')}()", info.frame)
    handler = _HANDLERS.get(name) or stdlib.HANDLERS.get(name)
    if handler is not None:
        return handler(m, info)
    if name.startswith("mlx."):
        from mxlint.tracing import mlxcalls

        return mlxcalls.call_mlx(m, name, info)
    for prefix, family in _FAMILIES:
        if name.startswith(prefix):
            return family(m, name, info)
    if name.split(".")[0] in sys.stdlib_module_names or name.startswith("builtins."):
        return _harmless(m, name, info)
    return unknown_call(m, info, name)


def _harmless(m: Machine, name: str, info: CallInfo) -> Value:
    """Something else of the standard library: it has nothing to do with arrays, unless it is given some."""
    if any(map(holds_traced, info.values())):
        return unknown_call(m, info, name)
    for value in info.values():
        escape(m, value)
    return Opaque(label=f"{name}()")


def _rearranged(m: Machine, name: str, info: CallInfo) -> Value:
    """einops and einx: arrays in, an array out."""
    traced = [value for value in info.values() if holds_traced(value)]
    chain = operators.step(m, info.node, info.frame, *traced) if info.node is not None else None
    return m.array(True if traced else operators.traced_of(*info.args), None, chain)


_FROZEN = frozenset(
    [
        "time.time",
        "time.time_ns",
        "time.perf_counter",
        "time.perf_counter_ns",
        "time.monotonic",
        "time.monotonic_ns",
        "time.process_time",
        "time.process_time_ns",
        "time.localtime",
        "time.gmtime",
        "time.ctime",
        "time.strftime",
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "datetime.datetime.today",
        "datetime.date.today",
        "os.urandom",
        "os.getrandom",
        "os.times",
        "builtins.input",
        "uuid.uuid1",
        "uuid.uuid4",
        "uuid.uuid6",
        "uuid.uuid7",
    ]
)
_CLOCKS = frozenset(
    f"time.{name}" for name in ("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time")
)
_NOT_FROZEN = (
    "seed",
    "setstate",
    "getstate",
    "default_rng",
    "RandomState",
    "Generator",
    "Random",
    "SystemRandom",
    "get_state",
    "set_state",
)


def is_frozen(name: str) -> bool:
    """Whether a library function gives another value at every call."""
    if name.startswith(("random.", "numpy.random.", "secrets.")):
        return name.rpartition(".")[2] not in _NOT_FROZEN
    return name in _FROZEN


# -- families ---------------------------------------------------------------------------------------------------------


def _converts(m: Machine, name: str, info: CallInfo) -> None:
    for value in info.values():
        if isinstance(value, Array):
            m.evaluated(value)
        if holds_traced(value) and (not isinstance(value, Array) or m.sure(value)):
            m.emit("convert", info.place, f"{name}()", info.frame, chain_of(value), note=info.text_of(value))
            return


_BY_METHOD = frozenset(
    [
        "sum",
        "prod",
        "mean",
        "std",
        "var",
        "max",
        "min",
        "amax",
        "amin",
        "all",
        "any",
        "argmax",
        "argmin",
        "argsort",
        "cumsum",
        "cumprod",
        "round",
        "around",
        "ravel",
        "reshape",
        "squeeze",
        "transpose",
        "take",
        "swapaxes",
        "repeat",
        "sort",
        "diagonal",
        "trace",
        "shape",
        "ndim",
        "size",
    ]
)
"""Functions of numpy that call the method of that name: for an mx.array they fail, or work, as they do without compile."""


def _numpy(m: Machine, name: str, info: CallInfo) -> Value:
    last = name.rsplit(".", 1)[-1]
    if last not in _BY_METHOD or any(isinstance(value, (Tup, ListV)) for value in info.args[:1]):
        _converts(m, name.replace("numpy.", "np.", 1), info)
    if name.startswith("numpy.ndarray."):
        return Scalar("number") if last == "item" else list_like(Scalar("number")) if last == "tolist" else NumpyV("array")
    if (
        name.startswith("numpy.random.")
        and last in _ONE_NUMBER
        and len(info.args) <= _ONE_NUMBER[last]
        and info.keywords.keys() <= _PARAMETERS
    ):
        return Scalar("number", varies=True)  # without a size a number of Python's
    scalars = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint32", "uint64", "bool_")
    parts = _numbers(info.args[0]) if last in _OF_ALL and len(info.values()) == 1 else info.args if last in _OF_EACH else ()
    numbers = [part for part in parts if isinstance(part, Scalar)]
    if numbers and len(numbers) == len(parts):
        axes, param = frozenset(a for s in numbers for a in s.axes), any(s.param for s in numbers)
        return Scalar("number", MISSING, axes, param, any(s.varies for s in numbers), numpy=True)
    return NumpyV(last if last in scalars else "array")


def _numbers(value: Value) -> tuple[Value, ...]:
    """The elements of a flat sequence, or the sizes of a shape of unknown rank in one."""
    if isinstance(value, ShapeV):
        return (Scalar("int", MISSING, frozenset((number, None) for number in value.of), value.near),)
    return (value.items or ()) if isinstance(value, (Tup, ListV)) else (value,)


_OF_ALL = frozenset({"prod", "sum", "max", "min", "amax", "amin", "mean", "std", "var", "median"})
"""Functions of numpy that make one scalar of a sequence of numbers."""
_OF_EACH = frozenset(
    ["sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "arctan", "abs", "absolute",
     "floor", "ceil", "rint", "round", "square", "sign", "power", "maximum", "minimum", "radians", "deg2rad", "reciprocal"]
)  # fmt: skip
"""Functions of numpy that make a scalar of a number."""
_ONE_NUMBER = {
    "rand": 0, "randn": 0, "random": 0, "random_sample": 0, "standard_normal": 0, "normal": 2, "uniform": 2, "randint": 2, "beta": 2,
    "gamma": 2, "exponential": 1, "poisson": 1, "lognormal": 2, "laplace": 2,
}  # fmt: skip
"""Draws of numpy that give one number, and no array, with so many arguments at most."""
_PARAMETERS = frozenset({"loc", "scale", "low", "high", "a", "b", "shape", "lam", "mean", "sigma"})


def _math(m: Machine, name: str, info: CallInfo) -> Value:
    _converts(m, name, info)
    scalars = [value for value in info.args if isinstance(value, Scalar)]
    axes = frozenset(a for value in scalars for a in value.axes)
    param, varies = any(v.param for v in scalars), any(v.varies for v in scalars)
    clock = next((v.clock for v in scalars if v.clock is not None), None)
    kind = "int" if name in ("math.floor", "math.ceil", "math.gcd", "math.isqrt", "math.comb") else "float"
    if scalars and len(scalars) == len(info.args) and all(v.known for v in scalars) and name != "math.factorial":
        try:
            content = getattr(math, name.rpartition(".")[2])(*(v.content for v in scalars))
            return Scalar(type(content).__name__, content, axes, param, varies)
        except (ArithmeticError, ValueError, TypeError, AttributeError):
            pass
    return Scalar(kind, MISSING, axes, param, varies, clock=clock)


def _number(m: Machine, name: str, info: CallInfo) -> Value:
    if name in ("random.randint", "random.randrange", "random.choice", "random.getrandbits"):
        own = m.loops[info.frame.loop_base :]  # drawn outside of a loop, it is one number, whatever is done with it in one
        again = any(loop.repeated for loop in own)
        return Scalar("number" if name == "random.choice" else "int", MISSING, varies=again and _many(info))
    return Scalar("number", MISSING, varies=True, clock=info.place if name in _CLOCKS else None)


def _many(info: CallInfo) -> bool:
    """Whether a random integer is known to be one of many: as far as anybody knows, it is one of a few values."""
    bounds: list[int] = [value.content for value in info.args if isinstance(value, Scalar) and value.kind == "int" and value.known]
    return len(bounds) == len(info.args) == 2 and bounds[1] - bounds[0] > operators.FEW


def _text_method(m: Machine, name: str, info: CallInfo) -> Value:
    last = name.rsplit(".", 1)[-1]
    shown = (
        [value for value in info.values() if attribute.becomes_text(m, value, info.place, info.frame)] if last in ("format", "join") else []
    )
    if shown:
        culprit = shown[0]
        m.emit("format", info.place, f"str.{last}()", info.frame, chain_of(culprit))
    if last in ("startswith", "endswith", "isdigit", "isalpha"):
        owner, rest = info.args[0], info.args[1:]
        if isinstance(owner, Scalar) and owner.known and rest and isinstance(rest[0], Scalar) and rest[0].known:
            return const(bool(getattr(owner.content, last)(rest[0].content)))
        return Scalar("bool", MISSING, param=operators.depends_on_argument(info.args[0]))
    if last in ("split", "rsplit", "splitlines", "partition"):
        return list_like(Scalar("str"))
    if last in ("lower", "upper", "strip") and isinstance(info.args[0], Scalar) and info.args[0].known and len(info.args) == 1:
        return const(getattr(info.args[0].content, last)())
    return Scalar("int") if last in ("find", "index", "count") else Scalar("str")


def _logging(m: Machine, name: str, info: CallInfo) -> Value:
    last = name.rsplit(".", 1)[-1]
    levels = {"debug": 10, "info": 20, "warning": 30, "warn": 30, "error": 40, "exception": 40, "critical": 50, "fatal": 50}
    args = info.args[1:] if name.startswith("logging.Logger.") else info.args
    if last in ("getLogger", "getChild"):
        return Instance(cls=External("logging.Logger"))
    if last in ("basicConfig", "setLevel"):
        level = info.keywords.get("level") or (args[0] if args else None)
        if isinstance(level, External):
            m.log_level = levels.get(level.name.rsplit(".", 1)[-1].lower())
        return NONE
    if last in levels and len(args) > 1 and any(map(holds_traced, args[1:])):
        enabled = m.log_level if m.log_level is not None else 30
        if levels[last] >= enabled:
            culprit = next(filter(holds_traced, args[1:]))
            m.emit("log", info.place, f"logging {last}()", info.frame, chain_of(culprit))
    elif last in levels and args and isinstance(args[0], Array) and holds_traced(args[0]):
        m.emit("log", info.place, f"logging {last}()", info.frame, chain_of(args[0]))
    return NONE


_FAMILIES: tuple[tuple[str, Callable[[Machine, str, CallInfo], Value]], ...] = (
    ("numpy.", _numpy),
    ("math.", _math),
    ("builtins.str.", _text_method),
    ("logging.", _logging),
    ("time.", _number),
    ("einops.", _rearranged),
    ("einx.", _rearranged),
    ("random.", _number),
)


# -- looking at values ------------------------------------------------------------------------------------------------


def _formats(what: str) -> Handler:
    def run(m: Machine, info: CallInfo) -> Value:
        for value in info.args:
            m.evaluated(value)
            if attribute.becomes_text(m, value, info.place, info.frame) and (not isinstance(value, Array) or m.sure(value)):
                m.emit("format", info.place, what, info.frame, chain_of(value), note=info.text_of(value))
                break
        return NONE if what in ("print()", "pprint()", "warnings.warn()") else Scalar("str")

    return run


def _converter(kind: str) -> Handler:
    def run(m: Machine, info: CallInfo) -> Value:
        value = info.get(0, "x")
        own = dunder(value, f"__{kind}__") if value is not None else None
        if own is not None:
            value = call(m, own, CallInfo([], {}, info.frame, info.place))
        if isinstance(value, Array):
            if m.is_placeholder(value):
                m.emit("convert", info.place, f"{kind}()", info.frame, value.chain, note=info.text_of(value))
            m.evaluated(value)
            return Scalar(kind) if kind not in ("bytes", "memoryview", "complex") else Foreign(kind)
        if isinstance(value, Scalar):
            if value.known and kind in ("int", "float", "bool"):
                try:
                    return replace(value, kind=kind, content={"int": int, "float": float, "bool": bool}[kind](value.content), numpy=False)
                except (TypeError, ValueError, OverflowError):
                    pass
            return replace(value, kind=kind, content=MISSING, numpy=False)
        return Scalar(kind) if kind in ("int", "float", "bool") else Foreign(kind)

    return run


def _truths(name: str) -> Handler:
    def run(m: Machine, info: CallInfo) -> Value:
        key = info.keywords.get("key")
        if key is not None and not (isinstance(key, Scalar) and key.kind == "None"):
            return _by_key(m, name, key, info)
        values = list(info.args)
        flat: list[Value] = []
        for value in values:
            inside = value.items if isinstance(value, (Tup, ListV)) else None
            flat += (
                inside if inside is not None else (value.element,) if isinstance(value, (ListV, Foreign)) and value.element else (value,)
            )
        compares = name in ("any", "all") or len(flat) > 1 or isinstance(values[0] if values else None, Array)
        for value in flat:
            if isinstance(value, Array) and m.is_placeholder(value) and not value.tree and compares:
                m.emit("truth", info.place, f"{name}()", info.frame, value.chain)
                return UNKNOWN
        scalars = [value for value in flat if isinstance(value, Scalar)]
        if name in ("any", "all"):
            return Scalar("bool", MISSING, frozenset(a for s in scalars for a in s.axes), any(s.param for s in scalars))
        if name == "sorted":
            return (
                list_of(tuple(flat))
                if values and isinstance(values[0], (Tup, ListV)) and values[0].items is not None
                else list_like(UNKNOWN)
            )
        if scalars and len(scalars) == len(flat):
            axes, param = frozenset(a for s in scalars for a in s.axes), any(s.param for s in scalars)
            if all(s.known for s in scalars):
                try:
                    content = (max if name == "max" else min)(s.content for s in scalars)
                    return Scalar(type(content).__name__, content, axes, param, any(s.varies for s in scalars))
                except TypeError:
                    pass
            return Scalar("number", MISSING, axes, param, any(s.varies for s in scalars))
        arrays = [value for value in flat if isinstance(value, Array)]
        return m.array(operators.traced_of(*arrays)) if arrays else UNKNOWN

    return run


def _by_key(m: Machine, name: str, key: Value, info: CallInfo) -> Value:
    """max, min or sorted, which compare what `key` makes of each element."""
    found = list(info.args) if len(info.args) > 1 else elements(m, info.args[0], info) if info.args else []
    items = found if found is not None else [representative(m, info.args[0], info)]
    for item in items[:MAX_KEYS]:
        made = call(m, key, replace(info, args=[item], keywords={}, places=[info.place], nodes={}, node=None))
        for part in made.items if isinstance(made, Tup) else (made,):
            if isinstance(part, Array) and m.is_placeholder(part) and (found is None or len(found) > 1):
                m.emit("truth", info.place, f"{name}()", info.frame, part.chain)
                return UNKNOWN
    if name == "sorted":
        return list_like(joined(items))
    return joined(items)


MAX_REDUCED = 16
"""Elements that functools.reduce is run over one by one."""
MAX_KEYS = 8
"""Elements whose key is looked at."""


def _len(m: Machine, info: CallInfo) -> Value:
    value = info.get(0, "obj")
    if isinstance(value, Array) and not value.tree:
        if value.shape:
            size = value.shape[0]
            return (
                Scalar("int", size.content, size.axes, bool(size.axes) and m.near(info.frame))
                if value.traced is True
                else Scalar("int", size.content)
            )
        axes = frozenset((n, 0) for n in value.like) if value.traced is True else frozenset()
        return Scalar("int", MISSING, axes, bool(axes) and m.near(info.frame))
    if isinstance(value, (Tup, ListV)) and value.items is not None:
        if isinstance(value, ListV):
            m.read(value, "items", None, value.items, info.place, info.place.text, info.frame)
        return const(len(value.items))
    if isinstance(value, DictV) and not value.open:
        return const(len(value.keys))
    if isinstance(value, Scalar) and value.kind == "str" and value.known:
        return replace(const(len(value.content)), param=value.param)
    own = dunder(value, "__len__") if value is not None else None
    if own is not None:
        return call(m, own, CallInfo([], {}, info.frame, info.place))
    return Scalar("int", MISSING, param=operators.depends_on_argument(value) if value is not None else False)


def _isinstance(m: Machine, info: CallInfo) -> Value:
    if len(info.args) != 2:
        return Scalar("bool")
    value, wanted = info.args
    options = wanted.items if isinstance(wanted, Tup) else (wanted,)
    param = operators.depends_on_argument(value) or (isinstance(value, Array) and value.traced is True)
    names = [option.name for option in options if isinstance(option, External)]
    kind = _kind(value)
    if len(names) == len(options):
        if kind is not None:
            found = kind in names or (kind == "builtins.bool" and "builtins.int" in names)
            if found or all(name.startswith(("builtins.", "mlx.core.array", "numpy.")) for name in names):
                return Scalar("bool", found, param=param)
        if isinstance(value, Instance):
            known = {cls.name for cls in attribute.mro(value.cls) if isinstance(cls, External)}
            if known & set(names):
                return Scalar("bool", True, param=param)
    if isinstance(value, Instance) and any(option is cls for option in options for cls in attribute.mro(value.cls)):
        return Scalar("bool", True, param=param)
    if kind is not None and all(isinstance(option, ClassV) and _is_own(option) for option in options):
        return Scalar("bool", False, param=param)
    return Scalar("bool", MISSING, param=param)


def _kind(value: Value) -> str | None:
    """The class of a value of Python's or MLX's own."""
    if isinstance(value, Array):
        return "mlx.core.array" if value.sure and not value.tree else None
    if isinstance(value, Scalar):
        return {"scalar": None, "number": None, "None": "builtins.NoneType"}.get(value.kind, f"builtins.{value.kind}")
    return (
        "builtins.list"
        if isinstance(value, ListV)
        else "builtins.dict"
        if isinstance(value, DictV)
        else "builtins.tuple"
        if isinstance(value, Tup)
        else None
    )


def _is_own(cls: ClassV) -> bool:
    """Whether a class has nothing of Python's containers and numbers."""
    own = ("mlx.", "builtins.object")
    return all(isinstance(base, ClassV) or isinstance(base, External) and base.name.startswith(own) for base in attribute.mro(cls))


# -- making values ----------------------------------------------------------------------------------------------------


def _range(m: Machine, info: CallInfo) -> Value:
    parts: list[Scalar] = []
    for value in info.args:
        if isinstance(value, Array) and m.is_placeholder(value):
            m.emit("index", info.place, "range() of a traced array", info.frame, value.chain)
        parts.append(value if isinstance(value, Scalar) else Scalar("int"))
    if len(parts) == 1:
        return RangeV(const(0), parts[0], const(1))
    return RangeV(parts[0], parts[1], parts[2] if len(parts) > 2 else const(1)) if len(parts) >= 2 else UNKNOWN


def _sequence(kind: str) -> Handler:
    def run(m: Machine, info: CallInfo) -> Value:
        if not info.args:
            return list_of(()) if kind == "list" else Tup(()) if kind == "tuple" else Foreign("set", None)
        value = info.args[0]
        found = elements(m, value, info)
        if isinstance(value, External) and value.name == "mlx.core.random.state":
            return list_of((m.array(False),))
        if isinstance(value, ShapeV):
            return value
        if found is None:
            return list_like(representative(m, value, info)) if kind != "set" else Foreign("set", UNKNOWN)
        return list_of(tuple(found)) if kind == "list" else Tup(tuple(found)) if kind == "tuple" else Foreign("set", UNKNOWN)

    return run


def _dict(m: Machine, info: CallInfo) -> Value:
    result = DictV()
    if info.args:
        if isinstance(info.args[0], DictV):
            result.fields.update(info.args[0].fields)
        else:
            result.fields["open"] = True
    for name, value in info.keywords.items():
        result.fields["k", name] = value
    return result


def _enumerate(m: Machine, info: CallInfo) -> Value:
    found = elements(m, info.args[0], info) if info.args else None
    start = info.get(1, "start")
    if found is not None and (start is None or isinstance(start, Scalar) and start.known):
        base = start.content if isinstance(start, Scalar) else 0
        return list_of(tuple(Tup((const(base + i), value)) for i, value in enumerate(found)))
    return list_like(Tup((Scalar("int", MISSING, varies=True), representative(m, info.args[0], info) if info.args else UNKNOWN)))


def _zip(m: Machine, info: CallInfo) -> Value:
    found = [elements(m, value, info) for value in info.args]
    if found and all(items is not None for items in found):
        return list_of(tuple(Tup(items) for items in zip(*(f for f in found if f is not None))))
    return list_like(Tup(tuple(representative(m, value, info) for value in info.args)))


def _map(m: Machine, info: CallInfo) -> Value:
    if len(info.args) < 2:
        return UNKNOWN
    columns = [elements(m, value, info) for value in info.args[1:]]
    if all(column is not None and len(column) <= 8 for column in columns):
        rows = list(zip(*(column for column in columns if column is not None)))
    else:
        rows = [tuple(representative(m, value, info) for value in info.args[1:])]
    results = [call(m, info.args[0], replace(info, args=list(row), keywords={}, places=[info.place] * len(row))) for row in rows]
    return Foreign("map", joined(results), tuple(results) if all(column is not None and len(column) <= 8 for column in columns) else None)


def _sum(m: Machine, info: CallInfo) -> Value:
    value = info.args[0] if info.args else UNKNOWN
    if isinstance(value, Array):
        if shapeless.on(m) and value.traced is True and value.sure and not value.tree:
            m.emit("unsupported", info.place, "sum() over a traced array", info.frame, value.chain, effects=shapeless.at_first_call(m))
        return operators.row(m, value)
    found = elements(m, value, info)
    values = found if found is not None else [representative(m, value, info)]
    if values and all(isinstance(v, Scalar) for v in values):
        scalars = [v for v in values if isinstance(v, Scalar)]
        axes, param = frozenset(a for s in scalars for a in s.axes), any(s.param for s in scalars)
        if found is not None and all(s.known and isinstance(s.content, (int, float)) for s in scalars) and len(info.args) == 1:
            content = sum(s.content for s in scalars)
            return Scalar(type(content).__name__, content, axes, param)
        return Scalar("number", MISSING, axes, param)
    arrays = [v for v in values if isinstance(v, Array)]
    if arrays:
        return m.array(operators.traced_of(*arrays), arrays[0].shape, chain_of(arrays[0]), like=arrays[0].like)
    return UNKNOWN


def _abs(m: Machine, info: CallInfo) -> Value:
    value = info.args[0] if info.args else UNKNOWN
    if isinstance(value, Array):
        return m.array(value.traced, value.shape, value.chain, like=value.like, sure=value.sure)
    if isinstance(value, Scalar):
        return replace(value, content=abs(value.content) if value.known and isinstance(value.content, (int, float)) else MISSING)
    return UNKNOWN


def _super(m: Machine, info: CallInfo) -> Value:
    frame = info.frame
    while frame.kind == "comprehension" and frame.parent is not None:
        frame = frame.parent
    if len(info.args) == 2 and isinstance(info.args[0], ClassV):
        return SuperV(info.args[1], info.args[0])
    node = frame.function.node if frame.function is not None else None
    if frame.cls is None or node is None or not node.params:
        return UNKNOWN
    return SuperV(frame.fields.get(node.params[0].name, UNKNOWN), frame.cls)


def _getattr(m: Machine, info: CallInfo) -> Value:
    if len(info.args) >= 2 and isinstance(info.args[1], Scalar) and info.args[1].known:
        name = str(info.args[1].content)
        owner = info.args[0]
        if len(info.args) > 2 and isinstance(owner, Instance) and (name not in owner.fields or name in owner.fields.get(MAYBE, ())):
            return join(attribute.get(m, owner, name, ir.Attr(info.place.start, info.place.end, _NOTHING, name), info.frame), info.args[2])
        return attribute.get(m, owner, name, ir.Attr(info.place.start, info.place.end, _NOTHING, name), info.frame)
    if len(info.args) == 2 and isinstance(info.args[1], Choice):
        return one_of(_getattr(m, replace(info, args=[info.args[0], name])) for name in info.args[1].options)
    return UNKNOWN


_NOTHING = ir.Opaque(0, 0)


def _setattr(m: Machine, info: CallInfo) -> Value:
    if len(info.args) == 3 and isinstance(info.args[1], Scalar) and info.args[1].known:
        name = str(info.args[1].content)
        attribute.put(m, info.args[0], name, info.args[2], ir.Attr(info.place.start, info.place.end, _NOTHING, name), info.frame)
    return NONE


_TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str, "None": type(None), "complex": complex, "bytes": bytes}


def _hasattr(m: Machine, info: CallInfo) -> Value:
    if len(info.args) == 2 and isinstance(info.args[1], Scalar) and info.args[1].known:
        value, name = info.args[0], str(info.args[1].content)
        if isinstance(value, Scalar) and value.kind in _TYPES:
            return const(hasattr(_TYPES[value.kind], name))
        array = isinstance(value, Array) and value.sure and not value.tree
        if array and (hasattr(object, name) or m.table.entry(f"mlx.core.array.{name}") is not None):
            return const(True)
    if len(info.args) == 2 and isinstance(info.args[0], Instance) and isinstance(info.args[1], Scalar) and info.args[1].known:
        name = info.args[1].content
        if name in info.args[0].fields.get(MAYBE, ()):
            return Scalar("bool")
        if name in info.args[0].fields or attribute.class_attribute(info.args[0].cls, str(name))[0] is not None:
            return const(True)
    if len(info.args) == 2 and isinstance(info.args[0], ClassV) and isinstance(info.args[1], Scalar) and info.args[1].known:
        cls, inherited = attribute.class_attribute(info.args[0], str(info.args[1].content))
        if cls is not None or inherited is UNKNOWN:
            return const(cls is not None)
    return Scalar("bool")


def _open(m: Machine, info: CallInfo) -> Value:
    mode = info.get(1, "mode")
    if isinstance(mode, Scalar) and mode.kind == "str" and mode.known and set(mode.content) & set("wax+"):
        m.emit("frozen", info.place, "writing a file", info.frame, note="effect")
    return Opaque({"#file": True}, label="file")


def _file_write(m: Machine, info: CallInfo) -> Value:
    m.emit("frozen", info.place, "a write to a file", info.frame, note="effect")
    return Scalar("int")


def _next(m: Machine, info: CallInfo) -> Value:
    value = info.args[0] if info.args else UNKNOWN
    if isinstance(value, (Opaque, ListV)) and value is not UNKNOWN and m.outer(value):
        m.emit("frozen", info.place, "next() of an iterator from outside", info.frame)
    if len(info.args) == 1 and info.frame is not None:
        m.fails("StopIteration", info.frame, sure=False)
    if isinstance(value, (Foreign, ListV)):
        return operators.varying(representative(m, value, info))
    return Opaque(label="next()")


def _identity(m: Machine, info: CallInfo) -> Value:
    return info.args[-1] if info.args else UNKNOWN


def _iter(m: Machine, info: CallInfo) -> Value:
    """An iterator of its own, as old as this call."""
    value = info.args[0] if len(info.args) == 1 else UNKNOWN
    return list_of(tuple(value.items)) if isinstance(value, (ListV, Tup)) and value.items is not None else value


def _none(m: Machine, info: CallInfo) -> Value:
    return NONE


def _type(m: Machine, info: CallInfo) -> Value:
    value = info.args[0] if len(info.args) == 1 else UNKNOWN
    return value.cls if isinstance(value, Instance) else Foreign("type")


def _index(m: Machine, info: CallInfo) -> Value:
    _converts(m, "operator.index", info)
    return Scalar("int")


def _pickle(m: Machine, info: CallInfo) -> Value:
    for value in info.args[:1]:
        if holds_traced(value):
            m.emit("evaluate", info.place, "pickle", info.frame, chain_of(value))
    return Foreign("bytes")


# -- functools, collections -------------------------------------------------------------------------------------------


def _partial(m: Machine, info: CallInfo) -> Value:
    if not info.args:
        return UNKNOWN
    inner = info.args[0]
    merged = tuple((name, info.nodes[name]) for name in info.keywords if name in info.nodes)
    return PartialV(inner, tuple(info.args[1:]), tuple(info.keywords.items()), merged, info.place)


def _partial_method(m: Machine, info: CallInfo) -> Value:
    return Foreign(attribute.PARTIAL_METHOD, _partial(m, info))


def _wraps(m: Machine, info: CallInfo) -> Value:
    return External("builtins.#identity")


def _cache(m: Machine, info: CallInfo) -> Value:
    if info.args and isinstance(info.args[0], FuncV):
        info.args[0].wrapper = "cache"
        return info.args[0]
    return External("functools.lru_cache")


def _reduce(m: Machine, info: CallInfo) -> Value:
    if len(info.args) < 2:
        return UNKNOWN
    found = elements(m, info.args[1], info)
    if found is None or len(found) > MAX_REDUCED:
        element = representative(m, info.args[1], info)
        found = [element, element]
    items = [*info.args[2:3], *found]
    result: Value = items[0] if items else UNKNOWN
    for item in items[1:]:
        result = call(m, info.args[0], replace(info, args=[result, item], keywords={}, places=[info.place] * 2))
    return result


def _namedtuple(m: Machine, info: CallInfo) -> Value:
    fields = info.get(1, "field_names")
    names: tuple[str, ...] = ()
    if isinstance(fields, Scalar) and fields.known:
        names = tuple(str(fields.content).replace(",", " ").split())
    elif isinstance(fields, (ListV, Tup)) and fields.items is not None:
        names = tuple(str(f.content) for f in fields.items if isinstance(f, Scalar) and f.known)
    return ClassV({"#annotated": names}, name="namedtuple", bases=(External("typing.NamedTuple"),))


def _default_dict(m: Machine, info: CallInfo) -> Value:
    made = _dict(m, replace(info, args=info.args[1:], places=info.places[1:])) if len(info.args) > 1 else DictV()
    if info.args and not (isinstance(info.args[0], Scalar) and info.args[0].kind == "None") and isinstance(made, DictV):
        made.fields[attribute.FACTORY] = info.args[0]
    return made


def _open_dict(m: Machine, info: CallInfo) -> Value:
    return DictV({"open": True})


# -- methods of containers --------------------------------------------------------------------------------------------


def _append(m: Machine, info: CallInfo) -> Value:
    owner, value = info.args[0], info.args[-1]
    escape(m, value)
    if isinstance(owner, ListV):
        if owner.items is not None and len(owner.items) < 64:
            m.write(owner, "items", (*owner.items, value), info.place, _owner_text(info), "append", info.frame)
        else:
            m.write(owner, "items", None, info.place, _owner_text(info), "append", info.frame)
            m.journal.store(owner, "element", join(owner.fields["element"], value) if "element" in owner.fields else value)
    return NONE


def _owner_text(info: CallInfo) -> str:
    node = info.node
    if node is not None and isinstance(node.func, ir.Attr):
        return Place(info.place.source, node.func.value.start, node.func.value.end).text
    return info.place.text


def _extend(m: Machine, info: CallInfo) -> Value:
    if isinstance(info.args[0], ListV) and len(info.args) > 1:
        more = elements(m, info.args[1], info)
        given = list_of(tuple(more)) if more is not None else list_like(representative(m, info.args[1], info))
        extend(m, info.args[0], given, info.place, info.frame)
    return NONE


def _list_pop(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0]
    if isinstance(owner, ListV):
        at = info.args[1] if len(info.args) > 1 else const(-1)
        if owner.items and isinstance(at, Scalar) and isinstance(at.content, int) and -len(owner.items) <= at.content < len(owner.items):
            left = list(owner.items)
            taken = left.pop(at.content)
            m.write(owner, "items", tuple(left), info.place, _owner_text(info), "items", info.frame)
            return taken
        m.write(owner, "items", None, info.place, _owner_text(info), "items", info.frame)
        return owner.element
    return UNKNOWN


def _insert(m: Machine, info: CallInfo) -> Value:
    owner, at, value = info.args[0], info.get(1, "index"), info.get(2, "object")
    if not isinstance(owner, ListV) or value is None or owner.items is None or not (isinstance(at, Scalar) and isinstance(at.content, int)):
        return _list_changed(m, info)
    escape(m, value)
    items = list(owner.items)
    items.insert(at.content, value)
    attribute.note_item(m, owner, "items", tuple(items), value, info.place, _owner_text(info), "append", info.frame)
    return NONE


def _append_left(m: Machine, info: CallInfo) -> Value:
    return _insert(m, replace(info, args=[info.args[0], const(0), *info.args[1:]], places=[info.place, *info.places]))


def _pop_left(m: Machine, info: CallInfo) -> Value:
    return _list_pop(m, replace(info, args=[info.args[0], const(0)], places=info.places[:1] * 2))


def _list_changed(m: Machine, info: CallInfo) -> Value:
    if isinstance(info.args[0], ListV):
        m.write(info.args[0], "items", None, info.place, _owner_text(info), "items", info.frame)
    for value in info.args[1:]:
        escape(m, value)
    return NONE


def _list_clear(m: Machine, info: CallInfo) -> Value:
    if isinstance(info.args[0], ListV):
        m.write(info.args[0], "items", (), info.place, _owner_text(info), "items", info.frame)
    return NONE


def _copy(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0] if info.args else UNKNOWN
    if isinstance(owner, ListV):
        return ListV(dict(owner.fields))
    if isinstance(owner, DictV):
        return DictV(dict(owner.fields))
    if isinstance(owner, Array):
        return m.array(owner.traced, owner.shape, owner.chain, like=owner.like, sure=owner.sure, tree=owner.tree)
    return owner if not isinstance(owner, (Instance, StateV, Snapshot)) else Opaque(label="copy")


def _deepcopy(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0] if info.args else UNKNOWN
    if not isinstance(owner, Instance) or not attribute.is_module(owner) or dunder(owner, "__deepcopy__") is not None:
        return _copy(m, info)
    made: Value = layers.copied(m, owner, {})
    layers.share(m, made, owner)
    return made


def _dict_get(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0]
    default: Value = info.args[2] if len(info.args) > 2 else NONE
    key = info.args[1] if len(info.args) > 1 else UNKNOWN
    if isinstance(owner, DictV) and isinstance(key, Scalar) and key.known:
        value: Value = owner.fields.get(("k", key.content), MISSING)
        if value is MISSING:
            return Opaque(label=str(key.content)) if owner.open else default
        if m.outer(owner):
            m.read(owner, ("k", key.content), None, value, info.place, info.place.text, info.frame)
        return value
    if isinstance(owner, DictV) and owner.open:
        return join(owner.element, default)
    found = attribute.entry_for(owner, key) if isinstance(owner, DictV) else None
    return found if found is not None else Opaque(label="get()")


def _dict_parts(kind: str) -> Handler:
    def run(m: Machine, info: CallInfo) -> Value:
        owner = info.args[0]
        if isinstance(owner, AttributesV):
            names = [name for name in owner.owner.fields if isinstance(name, str) and not name.startswith("#")]
            owner = DictV({("k", name): owner.owner.fields[name] for name in names})
        if isinstance(owner, DictV) and not owner.open:
            pairs = [(key, owner.fields["k", key]) for key in owner.keys]
            if m.outer(owner) and kind != "keys":
                for key, value in pairs:
                    m.read(owner, ("k", key), None, value, info.place, info.place.text, info.frame)
            return list_of(tuple(const(k) if kind == "keys" else v if kind == "values" else Tup((const(k), v)) for k, v in pairs))
        value = owner.element if isinstance(owner, DictV) else m.array(owner.traced, tree=True) if isinstance(owner, Array) else UNKNOWN
        return list_like({"keys": Scalar("str"), "values": value}.get(kind, Tup((Scalar("str"), value))))

    return run


def _dict_update(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0]
    if isinstance(owner, AttributesV):
        more = info.args[1] if len(info.args) > 1 else NONE
        given = {str(key): more.fields["k", key] for key in more.keys} if isinstance(more, DictV) else {}
        for name, value in (given | info.keywords).items():
            m.write(owner.owner, name, value, info.place, f"{_owner_text(info)}.{name}", "attribute", info.frame)
    if isinstance(owner, DictV):
        pairs: dict[Any, Value] = {("k", name): value for name, value in info.keywords.items()}
        if len(info.args) > 1 and isinstance(info.args[1], DictV):
            pairs = {key: value for key, value in info.args[1].fields.items() if isinstance(key, tuple)} | pairs
        elif len(info.args) > 1:
            m.journal.store(owner, "open", True)
        for key, value in pairs.items():
            m.write(owner, key, value, info.place, _owner_text(info), "key", info.frame)
    for value in info.values():
        escape(m, value)
    return NONE


def _setdefault(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0]
    if isinstance(owner, DictV) and len(info.args) > 2 and isinstance(info.args[1], Scalar) and info.args[1].known:
        key = ("k", info.args[1].content)
        if key not in owner.fields:
            m.write(owner, key, info.args[2], info.place, _owner_text(info), "key", info.frame)
            attribute.lives_in(m, owner, info.args[2])
        escape(m, info.args[2])
        return owner.fields[key]  # type: ignore[no-any-return]
    for value in info.args[1:]:
        escape(m, value)
    return UNKNOWN


def _dict_pop(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0]
    if isinstance(owner, DictV) and len(info.args) > 1 and isinstance(info.args[1], Scalar) and info.args[1].known:
        key = ("k", info.args[1].content)
        found: Value = owner.fields.get(key, info.args[2] if len(info.args) > 2 else UNKNOWN)
        if key in owner.fields:
            m.write(owner, key, MISSING, info.place, _owner_text(info), "key", info.frame)
        return found
    return UNKNOWN


def _dict_clear(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0]
    if isinstance(owner, DictV):
        for key in list(owner.fields):
            m.write(owner, key, MISSING, info.place, _owner_text(info), "key", info.frame)
    return NONE


def _slice(m: Machine, info: CallInfo) -> Value:
    parts = [*info.args, NONE, NONE, NONE]
    return SliceV(NONE, parts[0], NONE) if len(info.args) == 1 else SliceV(parts[0], parts[1], parts[2])


def _thread(m: Machine, info: CallInfo) -> Value:
    """A thread runs a function: what it calls is called beside the main thread."""
    target = info.get(1, "target")
    args = info.keywords.get("args")
    given = list(args.items or ()) if isinstance(args, (Tup, ListV)) else []
    if target is not None:
        _beside(m, target, given, info)
    return Foreign("threading.Thread")


def _new(m: Machine, info: CallInfo) -> Value:
    cls = next((value for value in info.args if isinstance(value, ClassV)), None)
    return UNKNOWN if cls is None else Instance(cls=cls)


def _executor(m: Machine, info: CallInfo) -> Value:
    return Instance(cls=External("concurrent.futures.ThreadPoolExecutor"))


def _submit(m: Machine, info: CallInfo) -> Value:
    if len(info.args) > 1:
        _beside(m, info.args[1], info.args[2:], info)
    return Opaque(label="future")


def _map_beside(m: Machine, info: CallInfo) -> Value:
    if len(info.args) > 2:
        for _ in range(2):
            _beside(m, info.args[1], [representative(m, value, info) for value in info.args[2:]], info)
    return Opaque(label="results")


def _beside(m: Machine, function: Value, args: list[Value], info: CallInfo) -> None:
    held, m.thread = m.thread, (info.place, now())
    m.journal.begin()
    try:
        call(m, function, replace(info, args=list(args), keywords={}, places=[info.place] * len(args), nodes={}, node=None))
    finally:
        m.thread = held
        m.journal.undo()


def _vars(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0] if info.args else UNKNOWN
    return AttributesV(owner) if isinstance(owner, Instance) else Opaque(label="vars()")


def _import(m: Machine, info: CallInfo) -> Value:
    name = info.args[0] if info.args else UNKNOWN
    return External(name.content) if isinstance(name, Scalar) and name.kind == "str" and name.known else UNKNOWN


_OBJECTS = [
    "datetime.datetime",
    "datetime.date",
    "datetime.time",
    "datetime.timedelta",
    "pathlib.Path",
    "pathlib.PurePath",
    "decimal.Decimal",
    "fractions.Fraction",
    "uuid.UUID",
    "threading.Lock",
    "threading.Thread",
    "io.StringIO",
    "io.BytesIO",
    "array.array",
]
"""Classes of the standard library whose objects are neither arrays nor constants."""


def _foreign(kind: str) -> Handler:
    def run(m: Machine, info: CallInfo) -> Value:
        return Foreign(kind)

    return run


def _namespace(m: Machine, info: CallInfo) -> Value:
    """An object that has the attributes which it is given."""
    return Instance({} if info.open else dict(info.keywords), cls=External("types.SimpleNamespace"))


def _callable(m: Machine, info: CallInfo) -> Value:
    value = info.args[0] if info.args else UNKNOWN
    return const(True) if isinstance(value, (FuncV, CompiledV, BoundV, ClassV, PartialV)) else Scalar("bool")


_HANDLERS: dict[str, Handler] = {
    **options.HANDLERS,
    **{f"builtins.{name}": _formats(f"{name}()") for name in ("print", "str", "repr", "format", "ascii")},
    "pprint.pprint": _formats("pprint()"), "pprint.pformat": _formats("pformat()"), "rich.print": _formats("print()"),
    "sys.stdout.write": _formats("write()"), "sys.stderr.write": _formats("write()"), "warnings.warn": _formats("warnings.warn()"),
    **{f"builtins.{name}": _converter(name) for name in ("float", "int", "bool", "complex", "bytes", "memoryview")},
    **{f"builtins.{name}": _truths(name) for name in ("max", "min", "sorted", "any", "all")},
    "builtins.len": _len, "builtins.isinstance": _isinstance, "builtins.range": _range, "builtins.enumerate": _enumerate,
    "builtins.zip": _zip, "builtins.map": _map, "builtins.sum": _sum, "builtins.abs": _abs, "builtins.super": _super,
    "builtins.getattr": _getattr, "builtins.setattr": _setattr, "builtins.hasattr": _hasattr, "builtins.next": _next, "builtins.open": _open, "io.write": _file_write,
    "builtins.iter": _iter, "builtins.reversed": _sequence("list"), "builtins.list": _sequence("list"), "builtins.tuple": _sequence("tuple"),
    "builtins.set": _sequence("set"), "builtins.frozenset": _sequence("set"), "builtins.dict": _dict, "builtins.type": _type,
    **{name: _foreign(name) for name in _OBJECTS}, "builtins.vars": _vars,
    "types.SimpleNamespace": _namespace, "argparse.Namespace": _namespace,
    "builtins.__import__": _import, "threading.Thread": _thread,
    "concurrent.futures.ThreadPoolExecutor": _executor, "concurrent.futures.thread.ThreadPoolExecutor": _executor,
    "concurrent.futures.ThreadPoolExecutor.submit": _submit, "concurrent.futures.ThreadPoolExecutor.map": _map_beside, "importlib.import_module": _import,
    # The instances draw as their modules do.
    "random.Random": lambda m, info: External("random"), "random.SystemRandom": lambda m, info: External("random"),
    "numpy.random.default_rng": lambda m, info: External("numpy.random"), "numpy.random.RandomState": lambda m, info: External("numpy.random"),
    "builtins.callable": _callable, "builtins.slice": _slice, "builtins.object": _foreign("object"), "builtins.#identity": _identity,
    "builtins.object.__new__": _new, "builtins.compile": _foreign("code"), "builtins.object.__init__": _none, "builtins.object.__setattr__": _setattr, "builtins.bytearray": _foreign("bytearray"),
    "builtins.list.append": _append, "builtins.list.extend": _extend, "builtins.list.pop": _list_pop, "builtins.list.clear": _list_clear,
    "builtins.list.insert": _insert, "builtins.list.appendleft": _append_left, "builtins.list.popleft": _pop_left, "builtins.list.remove": _list_changed, "builtins.list.sort": _list_changed,
    "builtins.list.reverse": _list_changed, "builtins.list.copy": _copy, "builtins.dict.copy": _copy, "builtins.dict.get": _dict_get,
    "builtins.dict.items": _dict_parts("items"), "builtins.dict.keys": _dict_parts("keys"), "builtins.dict.values": _dict_parts("values"),
    "builtins.dict.update": _dict_update, "builtins.dict.setdefault": _setdefault, "builtins.dict.pop": _dict_pop,
    "builtins.dict.clear": _dict_clear,
    "functools.partial": _partial, "functools.partialmethod": _partial_method, "functools.wraps": _wraps, "functools.lru_cache": _cache, "functools.cache": _cache,
    "functools.reduce": _reduce, "operator.index": _index, "pickle.dumps": _pickle, "pickle.dump": _pickle, "copy.copy": _copy,
    "copy.deepcopy": _deepcopy, "typing.cast": _identity, "collections.namedtuple": _namedtuple, "collections.defaultdict": _default_dict,
    "collections.Counter": _open_dict, "collections.OrderedDict": _dict, "collections.deque": _sequence("list"),
    "math.prod": lambda m, info: shapes.product(shapes.sizes_of(info.args[0]) or (Scalar("int"),)) if info.args else UNKNOWN,
}  # fmt: skip
