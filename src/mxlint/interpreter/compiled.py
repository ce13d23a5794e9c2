"""mx.compile: making compiled objects, calling them, tracing their functions with placeholders, replaying traces.

A call from host code whose cache key no trace has runs the body in trace mode: arrays among the arguments and in captured containers are
placeholders, numbers and texts stay what they are. A call with a known key replays: its result is fresh, what the body did on the way does not
happen again. At a replay, each location that the trace read is compared with what lies there now: that is the fact `Stale`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Final

from mxlint.domain.heap import Location
from mxlint.domain.place import Place
from mxlint.domain.value import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Array,
    Bound,
    Chain,
    Const,
    External,
    Kind,
    Length,
    Literal_,
    Measure,
    Member,
    Operands,
    Range,
    RangeObject,
    Ref,
    ShapeOf,
    Slice,
    Symbolic,
    Traces,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    each_part,
    join,
    members,
    referred,
    rename,
    scalar_type,
)
from mxlint.facts import events
from mxlint.interpreter import calls as pycalls
from mxlint.interpreter import clocks, novelty, summaries
from mxlint.interpreter.activations import FunctionInfo
from mxlint.interpreter.annotations import alternatives, named
from mxlint.interpreter.arithmetic import origins
from mxlint.interpreter.core import ANY, ARRAY_LIKE, CLIENT, LAZY, OPERANDS, Arguments, Condition, Context, Frame, Interpreter, count_write
from mxlint.interpreter.journal import (
    call_places,
    describe,
    imprecise,
    journal,
    loops,
    modality,
    note,
    qualname,
    recursions,
    where,
    wheres,
)
from mxlint.interpreter.keys import agree, cache_key, flat_shapes, key_text
from mxlint.interpreter.lookup import CLASS
from mxlint.interpreter.moving import is_inside
from mxlint.interpreter.presumptions import PRESUMED, may_be_array, of_iterable, presume, root, shown, words
from mxlint.interpreter.reach import CONTAINERS, arrays_in, each_array, each_leaf, each_place
from mxlint.syntax import ir

MAX_TRACES: Final = 6
"""Traces of one object that are told apart; a further key is taken to behave like the first."""
TRACES: Final = ("#", "traces")
ITEMS: Final = ("#", "items")
FROZEN: Final = ("#", "frozen")
CONTENT: Final = ("#", "content")


class Trace:
    """One run of a body with placeholders, while it runs."""

    def __init__(self, number: int, oid: int, i: Interpreter, outer: Trace | None) -> None:
        self.number = number
        self.oid = oid
        self.outer = outer
        self.path = len(i.path)
        self.caller = i.context
        self.depth = len(i.stack)
        self.tries = len(i.tries)
        self.captured_in: set[int] = set()
        self.captured_out: set[int] = set()
        self.originals: dict[Location, Value] = {}
        self.made: list[int] = []
        """The placeholders and copies that its arguments are."""
        self.given: tuple[int, ...] = ()
        """The arrays among its arguments."""
        self.copies: dict[int, Ref] = {}
        """The copy that stands for each container among the arguments: one, wherever the container is handed over again."""
        self.symbolic_in: set[object] = set()
        self.symbolic_out: set[object] = set()
        self.random_in = False
        self.random_out = False
        self.reads: dict[Location, Seen] = {}
        self.written: dict[Location, Place] = {}
        self.operations = 0
        self.loops: list[Place] = []
        self.seeded = False
        self.differentiated = 0
        self.transforms: list[str] = []
        """The rules of custom functions that the transforms ask for that run in it, "" for those that ask for none."""
        self.shapeless = i.heap.get(oid, "shapeless") == TRUE
        self.start = len(i.heap.trail)
        self.reached: dict[int, str] = {}
        self.arguments: set[object] = set()
        self.leaves_out: set[int] = set()
        self.refused: set[int] = set()
        self.leaves: dict[int, tuple[str, events.Where | None, int | None]] = {}
        self.uses: dict[Location, dict[events.Where, tuple[events.Where, ...]]] = {}
        self.counts: dict[Location, events.Where] = {}
        self.kept: list[tuple[Location, events.Write]] = []
        self.sources: dict[Place, events.Event] = {}
        self.by_ident: dict[int, list[Seen]] = {}
        self.array_reads: list[tuple[Seen, events.Read]] = []
        self.parts: dict[int, frozenset[int]] = {}
        """Of the arrays that are computed in it, which older ones they are computed from; -1: and from what is not known."""
        self.gradients = False
        """Whether it differentiates: a gradient, which is computed from all that the function reads, is taken for the argument."""
        self.last_use: dict[Location, events.Where] = {}
        self.fed: set[tuple[Location, events.Where]] = set()
        self.parted = False
        self.stretched: dict[int, Callable[[], None]] = {}
        """What notes the sizes that a broadcast keeps, by its result."""
        self.full = True
        self.place = i.info(oid).place

    def before(self, i: Interpreter, oid: int, field: object, present: Value | None) -> Value | None:
        """What a location held when the trace began; None if it was not there."""
        for other, name, value in i.heap.trail[self.start :]:
            if other == oid and name == field:
                return value
        return present

    def agrees(self, i: Interpreter, other: Trace) -> bool:
        """Whether this trace, which has ended, is what another that begins would be: of the same arrays, where it says which array something is."""
        reads = (part for seen in self.reads.values() for part in each_part(seen.value))
        return self.given == other.given or not any(isinstance(part, Array) and not self.holds(part.trace) for part in reads)

    def read_again(self, i: Interpreter, locations: Iterable[Location]) -> None:
        """Locations are read where the path is another one."""
        for location in locations:
            seen = self.reads.get(location)
            if seen is not None and seen.under:
                seen.under &= under(i, self)

    def holds(self, number: int | None) -> bool:
        """Whether a placeholder of trace `number` is one here: of this trace or of one around it."""
        trace: Trace | None = self
        while trace is not None:
            if trace.number == number:
                return True
            trace = trace.outer
        return False


class Seen:
    """A read of a trace: the value, where it stands and under which name, what lies there, and how a capture would name its container.

    `count`: how often the location was written before; `used`: its content is part of the trace, not only its shape; `under`: the literals of the path
    from the start of the trace that each read of the location has.
    """

    __slots__ = ("calls", "container", "count", "kind", "name", "under", "used", "value", "where")

    def __init__(self, value: Value, at: events.Where, name: str, kind: str, calls: tuple[events.Where, ...], container: str) -> None:
        self.value = value
        self.where = at
        self.name = name
        self.kind = kind
        self.calls = calls
        self.container = container
        self.count = 0
        self.used = True
        self.under: frozenset[Literal_] = frozenset()

    def after(self, count: int) -> Seen:
        """The same read, of a location that was written so often before."""
        again = copy(self)
        again.count = count
        return again


class Entry:
    """A trace that has ended: its key, its result, and what it read of what was older. `result`: its arrays are numbered in their order (-1, -2, …), as
    those of the trace are gone. `counts`: how often locations had been written before, where the trace itself does not say it."""

    __slots__ = (
        "_content",
        "_hash",
        "by",
        "captured_in",
        "captured_out",
        "counted",
        "key",
        "number",
        "reads",
        "refers",
        "result",
        "written",
    )

    def __init__(self, key: tuple[object, ...], result: Value, trace: Trace, counts: Mapping[Location, int]) -> None:
        self.key = key
        self.result = result
        self.reads = {location: seen.after(counts[location]) if location in counts else seen for location, seen in trace.reads.items()}
        self.number = trace.number
        self.by = trace.oid
        self.captured_in = frozenset(trace.captured_in)
        self.captured_out = frozenset(trace.captured_out)
        self.written = dict(trace.written)
        self.counted = counted(trace)
        read = frozenset((location, seen.value, seen.kind, seen.used, seen.under) for location, seen in self.reads.items())
        older = (referred(seen.value) for seen in self.reads.values())
        self.refers = frozenset(oid for oid in referred(result) if oid >= 0).union(*older, (oid for oid, _ in self.reads))
        written = frozenset(self.written.items())
        self._content = (self.number, self.by, result, read, written, self.captured_in, self.captured_out, frozenset(self.counted))
        self._hash = hash(self._content)

    def is_inside(self, context: Context) -> bool:
        """Whether it hangs on something that came into being in a context."""
        values = (self.result, *(seen.value for seen in self.reads.values()))
        return is_inside(self.key, context) or any(is_inside(part, context) for value in values for part in each_part(value))

    def __eq__(self, other: object) -> bool:
        """Whether a replay of one does what a replay of the other does: how often a location had been written does not count."""
        return self is other or isinstance(other, Entry) and self._hash == other._hash and self._content == other._content

    def __hash__(self) -> int:
        return self._hash


class CompiledInfo:
    """What never changes of a compiled object. `captures`: where inputs= is given; `imported`: another file makes it while it is imported."""

    __slots__ = ("captures", "context", "form", "frame", "imported", "site", "text")

    def __init__(self, form: str, text: str, site: Place, frame: Frame, captures: Place, imported: bool, context: Context) -> None:
        self.captures = captures
        self.context = context
        self.form = form
        self.text = text
        self.site = site
        self.frame = frame
        self.imported = imported


# -- making ------------------------------------------------------------------------------------------------------------


def make(i: Interpreter, args: Arguments, place: Place, frame: Frame, form: str = "") -> Value:
    """`mx.compile(fun, inputs, outputs, shapeless)`."""
    function = args.get(0, "fun")
    if function is None:
        m = modality(i, len(i.path))
        note(i, events.Note("not a function", where(place), "nothing", None, m or events.Modality()))
        return i.unknown(place, "mx.compile without a function")
    written = args.node.args[0].value if args.node is not None and args.node.args and not args.node.args[0].star else None
    text = Place(place.source, written.start, written.end).text if written is not None else args.decorates or _name_of(i, function)
    text = " ".join(text.split())[:80]
    if args.decorates and (args.bound_node is not None or not form):
        form = "decorator" if args.bound_node is None else "partial-decorator"
    imported = any(around.kind == "module" and around.source is not i.main for around in i.stack)
    info = CompiledInfo(form or _form(i, function, written), text, place, frame, args.place(1, "inputs", place), imported, i.context)
    oid = i.allocate("compiled", info, place, label=text)
    i.heap.set(oid, "fun", function)
    for name, position in (("inputs", 1), ("outputs", 2), ("shapeless", 3)):
        value = args.get(position, name)
        if value is not None:
            i.heap.set(oid, name, value)
    if not i.silent:
        i.noting(partial(journal(i).compiled.__setitem__, oid, _fact(i, oid, info, args, place, frame)), ("compiled", oid))
    for member in members(function):
        if isinstance(member, Ref) and i.info(member.oid).kind == "compiled":
            note(i, events.Note("compiled again", where(place), text, member.oid, events.Modality()))
    return Ref(oid)


def _name_of(i: Interpreter, function: Value) -> str:
    for member in members(function):
        if isinstance(member, Ref) and isinstance(i.info(member.oid).payload, FunctionInfo):
            return str(i.info(member.oid).payload.name)  # type: ignore[attr-defined]
    return "?"


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


def _fact(i: Interpreter, oid: int, info: CompiledInfo, args: Arguments, place: Place, frame: Frame) -> events.Compiled:
    own, outer = loops(i)
    shapeless = args.get(3, "shapeless")
    known: bool | None = False
    if shapeless is not None:
        truth = i.truth(shapeless, place, frame)
        known = truth.outcome
    owner, decorator = _class_body(i, args.get(0, "fun"), place, frame)
    method_of = i.info(owner.cls).label if owner is not None and owner.cls is not None else None
    return events.Compiled(
        number=oid, site=where(place), form=info.form, text=info.text, within=qualname(frame), function=function_fact(i, args.get(0, "fun") or NONE),
        inputs=capture_fact(i, args, 1, "inputs", place, frame), outputs=capture_fact(i, args, 2, "outputs", place, frame), shapeless=known,
        loops=tuple(events.Where(where(loop).span, round_) for loop, round_ in own),
        caller_loops=tuple(events.Where(where(loop).span, round_) for loop, round_ in outer),
        escapes=False, method_of=method_of, decorates=where(decorator) if owner is not None else None, module_level=frame.kind == "module", modality=modality(i, 0) or events.Modality(),
        layer=_layer(i, frame), caller_layer=_caller_layer(i, frame), maker=_maker(i, frame), run=not i.extra.get("entered alone"), in_module=owner is not None and _in_module(i, owner),
        identity=_identity(args.get(0, "fun")),
    )  # fmt: skip


def _maker(i: Interpreter, frame: Frame) -> str:
    """What the parameters of the function that compiles hold: the same text for the same values."""
    if frame.kind != "function" or not isinstance(frame.node, (ir.FuncDef, ir.Lambda)):
        return ""
    held = tuple(_likeness(i, i.heap.get(frame.oid, param.name) or NONE) for param in frame.node.params)
    makers: dict[object, str] = i.extra.setdefault("makers", {})
    return makers.setdefault(held, f"maker {len(makers)}")


def _likeness(i: Interpreter, value: Value) -> object:
    """A value such that two functions of one text are equal."""
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


def _in_module(i: Interpreter, frame: Frame) -> bool:
    return frame.cls is not None and i.extra["mlx"].class_kind(i, Ref(frame.cls)) == "module"


def _class_body(i: Interpreter, function: Value | None, place: Place, frame: Frame) -> tuple[Frame | None, Place]:
    """The class body that defines the function and has it compiled, directly or by a wrapper; and the decorator there."""
    infos = [i.info(m.oid).payload for m in members(function or NONE) if isinstance(m, Ref) and i.heap.get(m.oid, ("#", "cls")) is not None]
    if not infos:
        return None, place
    inner: Frame | None = frame
    while inner is not None and inner.kind != "class":
        place, inner = inner.called_at or place, inner.caller
    decorates = all(isinstance(f, FunctionInfo) and isinstance(f.node, ir.FuncDef) and place.end <= f.node.name_start for f in infos)
    return (inner, place) if decorates else (None, place)


def _caller_layer(i: Interpreter, frame: Frame) -> str:
    """The `__call__` of a module that calls the function that compiles."""
    return _layer(i, frame.caller) if frame.caller is not None and frame.kind == "function" else ""


def _identity(function: Value | None) -> int | None:
    """The number of the function object that MLX's cache knows it by."""
    return function.oid if isinstance(function, Ref) else None


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
    return qualname(inner) if i.extra["mlx"].class_kind(i, cls) == "module" else ""


def _defined_in(i: Interpreter, member: Member, cls: int | None) -> bool:
    """Whether something is a function that the body of a class defines."""
    if not isinstance(member, Ref) or cls is None or i.info(member.oid).kind != "function":
        return False
    info = i.info(member.oid).payload
    return isinstance(info, FunctionInfo) and isinstance(info.node, ir.FuncDef) and i.heap.get(member.oid, ("#", "cls")) == Ref(cls)


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
            from mxlint.interpreter.lookup import class_attribute

            cls = i.heap.get(member.oid, ("#", "class"))
            method = class_attribute(i, cls, "__call__") if cls is not None and not isinstance(cls, Union) else None
            if isinstance(method, Ref):
                return method, 1, frozenset()
    return None, 0, frozenset()


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


def capture_fact(i: Interpreter, args: Arguments, position: int, name: str, place: Place, frame: Frame) -> events.Capture | None:
    """inputs= or outputs= as it is given."""
    value = args.get(position, name)
    if value is None or value == NONE:
        return None
    at = args.place(position, name, place)
    written = None
    if args.node is not None:
        written = next((a.value for a in args.node.args if a.name == name), None)
        if written is None and position < len(args.node.args) and args.node.args[position].name is None:
            written = args.node.args[position].value
    if written is None and args.bound_node is not None:
        written = next((a.value for a in args.bound_node.args if a.name == name), None)
    if isinstance(written, ir.Seq) and written.kind != "set":
        items = known(i, value)
        if items is not None and len(items) == len(written.items):
            parts = tuple(_element(i, item, Place(place.source, node.start, node.end)) for item, node in zip(items, written.items))
            return events.Capture(where(at), parts, True)
    return events.Capture(where(at), (_element(i, value, at, written),), isinstance(written, (ir.Seq, ir.Comp, ir.DictDisplay)))


def known(i: Interpreter, value: Value) -> tuple[Value, ...] | None:
    from mxlint.interpreter.iteration import known_items

    return known_items(i, value) if not isinstance(value, Union) else None


def _element(i: Interpreter, value: Value, place: Place, written: ir.Expr | None = None) -> events.Element:
    kind, oid = element_kind(i, value)
    if oid is not None and kind in ("list", "dict") and isinstance(written, (ir.Call, ir.Comp)) and i.info(oid).place == place:
        held = [member for _, _, member in each_leaf(i, value)]
        if held and all(_is_data(i, member) for member in held):
            kind = "copy"
    return events.Element(where(place), kind, oid, _holds_copy(i, value))


def _is_data(i: Interpreter, member: Member) -> bool:
    """Whether something is an array, a constant or a container of such."""
    return isinstance(member, (Array, Tuple, Const)) or isinstance(member, Ref) and i.info(member.oid).kind in CONTAINERS


def _holds_copy(i: Interpreter, value: Value) -> bool:
    """Whether a list, tuple or dict holds a fresh copy of a module's parameters."""
    parts: list[Value] = list(value.items or ()) if isinstance(value, Tuple) else []
    if isinstance(value, Ref) and i.info(value.oid).kind in ("list", "dict"):
        parts = [held for field, held in i.heap.fields(value.oid).items() if field == ITEMS or isinstance(field, tuple) and field[0] == "k"]
        parts = [item for part in parts for item in (part.items or () if isinstance(part, Tuple) else (part,))]
    return any(isinstance(m, Ref) and i.heap.get(m.oid, ("#", "copy of")) is not None for part in parts for m in members(part))


def element_kind(i: Interpreter, value: Value) -> tuple[str, int | None]:
    """What a captured thing is, and the number of the live container."""
    if isinstance(value, Union):
        return "unknown", None
    if isinstance(value, Array):
        return "array", None
    if isinstance(value, Tuple):
        arrays = value.items is not None and value.items and all(isinstance(item, Array) for item in value.items)
        return ("tuple", None) if arrays else ("container", None)
    if isinstance(value, External):
        return ("random", None) if value.name == "mlx.core.random.state" else ("unknown", None)
    if isinstance(value, Ref):
        info = i.info(value.oid)
        if info.kind in ("list", "dict"):
            made = i.heap.get(value.oid, ("#", "copy of"))
            return ("parameters" if made is not None else info.kind), value.oid
        if info.kind in ("set", "generator", "iterator"):
            return ("set" if info.kind == "set" else "generator"), value.oid
        if info.kind == "instance":
            what = i.extra["mlx"].object_kind(i, value)
            return (what or "object"), value.oid
    if isinstance(value, (Const, Kind)):
        return "number", None
    return "unknown", None


# -- calling -----------------------------------------------------------------------------------------------------------


def call(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call a compiled object."""
    function = i.heap.get(ref.oid, "fun") or Unknown("compiled")
    if i.trace is not None:
        _note_call(i, ref, args, place, frame, "inlined", i.trace.path)
        return i.call(function, args, place, frame)
    if i.heap.get(0, "compile disabled") == TRUE and i.info(ref.oid).payload.form != events.EXPORT:  # type: ignore[attr-defined]
        _note_call(i, ref, args, place, frame, "disabled", 0)
        return i.call(function, args, place, frame)
    if i.extra.get("differentiating"):
        _note_call(i, ref, args, place, frame, "differentiated", 0)
        return i.call(function, args, place, frame)
    key = (*cache_key(i, args, i.heap.get(ref.oid, "shapeless") == TRUE, place), *_captured_key(i, ref))
    cache = cache_of(ref, function)
    held = i.heap.get(cache, TRACES)
    entries = [entry for entry in all_entries(held) if entry.by == ref.oid or _shared(i, ref, entry.by)]
    maybe_none = held is None or any(isinstance(m, Unbound) for m in members(held))
    try:
        return _run(i, ref, function, key, entries, maybe_none, args, place, frame)
    finally:
        if _temporary(i, ref, args, place):
            i.heap.drop(cache, TRACES)


def _captured_key(i: Interpreter, ref: Ref) -> tuple[object, ...]:
    """How many arrays inputs= hands over: that number is part of the key, too."""
    inputs = i.heap.get(ref.oid, "inputs")
    if inputs is None:
        return ()
    oids, _, _ = _captured(i, inputs)
    direct = [
        m
        for oid in oids
        for value in i.heap.fields(oid).values()
        for part in members(value)
        for m in (part.items or () if isinstance(part, Tuple) else (part,))
    ]
    return (("captured", sum(isinstance(m, Array) for value in direct for m in members(value))),)


def cache_of(ref: Ref, function: Value) -> int:
    """The object that has the traces: MLX's cache knows the function, so all compiled objects of one function share them."""
    return function.oid if isinstance(function, Ref) else ref.oid


def all_entries(held: Value | None) -> list[Entry]:
    """The traces that a field holds."""
    return (
        [entry for m in members(held) if isinstance(m, Traces) for entry in m.entries if isinstance(entry, Entry)]
        if held is not None
        else []
    )


def _shared(i: Interpreter, ref: Ref, other: int) -> bool:
    """Whether a compiled object finds the traces of another of the same function: one made elsewhere that lives still, with the same options.
    When an object dies, the traces of its function die."""
    a, b = i.info(ref.oid).payload, i.info(other).payload
    assert isinstance(a, CompiledInfo) and isinstance(b, CompiledInfo)
    alive = b.frame.kind == "module" or b.frame in i.stack or other in journal(i).escaped
    return (
        a.site != b.site
        and alive
        and all(i.heap.get(ref.oid, name) == i.heap.get(other, name) for name in ("inputs", "outputs", "shapeless"))
    )


def _temporary(i: Interpreter, ref: Ref, args: Arguments, place: Place) -> bool:
    """Whether the object is called where it is made, and dies with the call."""
    info = i.info(ref.oid).payload
    assert isinstance(info, CompiledInfo)
    written = args.node.func if args.node is not None else None
    return written is not None and info.site == Place(place.source, written.start, written.end)


def _run(
    i: Interpreter,
    ref: Ref,
    function: Value,
    key: tuple[object, ...],
    entries: list[Entry],
    maybe_none: bool,
    args: Arguments,
    place: Place,
    frame: Frame,
) -> Value:
    """Trace, or replay a trace whose key is that of the call, or both."""
    same = [entry for entry in entries if agree(key, entry.key) is True]
    open_ = [entry for entry in entries if agree(key, entry.key) is None]
    if same and not maybe_none:
        _note_call(i, ref, args, place, frame, "replayed", 0, key)
        return replay(i, ref, same[-1], args, place, frame)
    candidates = same or open_
    if len(entries) >= MAX_TRACES and not candidates:
        candidates = entries[:1]
    if candidates:
        _note_call(i, ref, args, place, frame, "either", 0, key)
        return i.fork([
            ((Condition("varying", place, None),), lambda: trace_call(i, ref, function, args, key, place, frame)),
            ((Condition("varying", place, None),), lambda: replay(i, ref, candidates[-1], args, place, frame)),
        ])  # fmt: skip
    _note_call(i, ref, args, place, frame, "traced", 0, key)
    for entry in entries:
        for location, seen in entry.reads.items():
            if seen.kind == "captured":
                _compare(i, ref, location, seen, held(i, *location), place)
    _misfit(i, ref, function, args, place, frame)
    return trace_call(i, ref, function, args, key, place, frame)


def _note_call(
    i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame, outcome: str, start: int, key: tuple[object, ...] | None = None
) -> None:
    if outcome in ("traced", "replayed", "either"):
        clocks.called(i, ref.oid, outcome)
    if i.silent:
        return
    given: list[events.Argument] = []
    for number, value in enumerate(args.args):
        given.append(argument(i, ref, str(number), args.place(number, "", place), value))
    for name, value in args.keywords.items():
        given.append(argument(i, ref, name, args.keyword_places.get(name, place), value))
    flat, exact = (key_text(key, True), key_text(key, False)) if key is not None else ("", "")
    i.finding(partial(_find_call, i, ref.oid, place, tuple(given), outcome, start, qualname(frame), flat, exact, flat_shapes(i, args)))


def _find_call(
    i: Interpreter,
    oid: int,
    place: Place,
    given: tuple[events.Argument, ...],
    outcome: str,
    start: int,
    within: str,
    flat: str,
    exact: str,
    shapes: tuple[tuple[Any, ...] | None, ...],
) -> events.Call | None:
    """Note a call from where it is: what it hangs on, the loops and calls around."""
    again = i.extra.get("client")
    m = modality(i, start, presumed=(again,) if again else ())
    if m is None:
        return None
    own, outer = loops(i)
    around = tuple(events.Where(where(loop).span, round_) for loop, round_ in (*recursions(i), *outer, *own))
    thread = i.extra.get("thread")
    finite = bool(own) and own[-1][0] in i.extra.get("finite loops", ())
    fact = events.Call(
        oid, where(place), given, outcome, within, around, tuple(p.span for p in call_places(i)), m, flat, exact,
        where(thread[0]) if thread is not None else None, shapes, finite, thread[1] if thread is not None else 0,
        bool(i.extra.get("entered alone")),
    )  # fmt: skip
    note(i, fact)
    return fact


def _misfit(i: Interpreter, ref: Ref, function: Value, args: Arguments, place: Place, frame: Frame) -> None:
    """Note a call that the function's parameters do not take: the trace raises before the body runs."""
    found, bound, _ = target(i, function)
    info = i.info(found.oid).payload if found is not None else None
    if not isinstance(info, FunctionInfo) or args.star is not None or args.kwstar is not None:
        return
    params = info.node.params[bound:]
    named = [p for p in params if not p.star]
    places = [p for p in named if not p.kwonly]
    stars = {p.star for p in params}
    too_many = len(args.args) > len(places) and "*" not in stars
    unknown = set(args.keywords) - {p.name for p in named} and "**" not in stars
    m = modality(i, len(i.path))
    if (too_many or unknown) and m is not None:
        note(i, events.Event(ref.oid, 0, "misfit", where(place), "", "", qualname(frame), (), (), (), m))


TAKES_NONE: Final = "0.29.2"
"""The first version of MLX in which None is a constant argument."""
CONSTANTS: Final = range(-(2**63), 2**63)
"""The integers that mx.compile takes as constants."""
_REFUSED: Final = {"set": "set", "generator": "generator", "iterator": "iterator", "function": "function", "class": "class", "module": "module",
                   "partial": "function", "compiled": "function", "transform": "function", "coroutine": "coroutine"}  # fmt: skip


def argument(i: Interpreter, ref: Ref, name: str, place: Place, value: Value) -> events.Argument:
    """An argument of a call of a compiled object, with what MLX has against it."""
    info = i.info(ref.oid).payload
    assert isinstance(info, CompiledInfo)
    table = i.extra["table"]
    bad = refused(i, value)
    versions = () if not bad else table.before(TAKES_NONE) if bad == "NoneType" else table.judged
    return events.Argument(
        name,
        where(place),
        describe(i, value, info.context),
        bad,
        _inside(i, value),
        versions,
        table.judged if bad else (),
        "rounds"
        if novelty.growing(i, value) or novelty.stretching(list(members(value)))
        else max((array.grows for array in arrays_in(i, value) if array.grows != "differs"), default=""),
    )


def _inside(i: Interpreter, value: Value) -> bool:
    """Whether what is refused of an argument lies in a container."""
    return all(isinstance(m, Tuple) or isinstance(m, Ref) and i.info(m.oid).kind in ("list", "dict") for m in members(value))


def refused(i: Interpreter, value: Value, done: dict[int, str] | None = None) -> str:
    """The type of an argument, or of something in it, that mx.compile does not take; "" if all of it is taken or not known."""
    done = {} if done is None else done
    found = {_refused(i, member, done) for member in members(value)}
    return found.pop() if len(found) == 1 else ""


def _refused(i: Interpreter, member: Member, done: dict[int, str]) -> str:
    """What is refused in one member. `done`: what was found of containers; they may hold themselves."""
    if isinstance(member, Const):
        return _refused_constant(i, member.value)
    if isinstance(member, Kind):
        return member.type if member.type in ("bytes", "complex") else ""
    if isinstance(member, (Slice, RangeObject)):
        return "slice" if isinstance(member, Slice) else "range"
    if isinstance(member, External):
        return str(i.extra["mlx"].refused_name(member.name))
    if isinstance(member, Bound):
        return "function" if target(i, member.function)[0] is not None else ""
    if isinstance(member, Tuple):
        return _first_refused(i, id(member), member.items or (), done)
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        if kind == "instance":
            return str(i.extra["mlx"].refused(i, member))
        if kind in CONTAINERS:
            content = i.heap.get(member.oid, ("#", "items"))
            parts = (
                content.items or ()
                if isinstance(content, Tuple)
                else [v for f, v in i.heap.fields(member.oid).items() if isinstance(f, tuple) and f[0] == "k"]
            )
            return _first_refused(i, -member.oid - 1, parts, done)
        return _REFUSED.get(kind, "")
    return ""


def _first_refused(i: Interpreter, number: int, parts: Sequence[Value], done: dict[int, str]) -> str:
    if number not in done:
        done[number] = ""
        done[number] = next(filter(None, (refused(i, part, done) for part in parts)), "")
    return done[number]


def _refused_constant(i: Interpreter, value: object) -> str:
    if value is None:
        return "NoneType" if i.extra["table"].before(TAKES_NONE) else ""
    if isinstance(value, int):
        return "" if value in CONSTANTS else "int of more than 64 bits"
    return {bytes: "bytes", complex: "complex", type(...): "ellipsis"}.get(type(value), "")


# -- tracing -----------------------------------------------------------------------------------------------------------


def trace_call(i: Interpreter, ref: Ref, function: Value, args: Arguments, key: tuple[object, ...], place: Place, frame: Frame) -> Value:
    """Trace the function for a call, keep the trace, and return fresh arrays. A trace runs in a context of its own, so the same trace of another
    call makes the same objects, and may be done again from its summary."""
    number = _number(i, ref.oid, key)
    trace = Trace(number, ref.oid, i, i.trace)
    step = ("call", place, ref.oid, "trace", number)
    made: set[int] = set()
    counts: Mapping[Location, int] = {}
    try:
        with i.within(step, apart=True):
            placed = placeholders(i, trace, args, place)
            made.update(trace.made)
            under_way = summaries.begin_trace(
                i, ref, (number, place, args.places, tuple(args.keyword_places.items())), placed, trace.caller
            )
            summary = summaries.find(i, under_way, i.context) if under_way is not None else None
            if summary is not None and under_way is not None and summary.trace.agrees(i, trace):
                trace = summary.trace
                counts = {location: _count(i, location) for location in trace.reads}
                result = summaries.replay(i, summary, under_way, i.context)
                made.update(summary.fresh)
                capturing(i, trace, function, place)
            else:
                result = _run_trace(i, trace, ref, function, placed, place, frame, under_way)
                if under_way is not None:
                    made.update(under_way.recording.fresh)
    finally:
        with i.within(step):
            close_captures(i, trace, place)
    with i.within(step):
        cache = cache_of(ref, function)
        kept = tuple(other for other in all_entries(i.heap.get(cache, TRACES)) if other.number != number)
        if len(kept) < MAX_TRACES:
            i.heap.set(cache, TRACES, Traces(cache, (*kept, Entry(key, result, trace, counts))))
        value = fresh(i, result, place, number, ref, args)
    _discard(i, made)
    return value


def _run_trace(
    i: Interpreter, trace: Trace, ref: Ref, function: Value, placed: Arguments, place: Place, frame: Frame, under_way: summaries.Call | None
) -> Value:
    """Run the body of a trace, and keep a summary of it. Its result, with the arrays numbered."""
    ended = False
    result: Value = NONE
    differentiating = i.extra.get("differentiating")
    i.trace = trace
    try:
        try:
            open_captures(i, trace, ref)
            capturing(i, trace, function, place)
            result = i.call(function, placed, place, frame)
            ended = True
        finally:
            _note_trace(i, trace, result if ended else NONE, ended)
            i.trace = trace.outer
            i.extra["differentiating"] = differentiating
    except BaseException:
        if under_way is not None:
            summaries.abandon(i, under_way)
        raise
    result = _numbered(result)
    if under_way is not None:
        summaries.keep(i, under_way, result, i.context, trace)
    return result


def capturing(i: Interpreter, trace: Trace, function: Value, place: Place) -> None:
    """Keep which call a placeholder of a trace comes from."""
    i.extra.setdefault("capturing", {})[trace.number] = (trace, function, place)


def _numbered(result: Value) -> Value:
    """What a trace returns, with its arrays numbered in their order: which they were says nothing after the trace."""
    numbers: dict[int, int] = {}

    def one(member: Member) -> Member:
        return member.but(ident=numbers.setdefault(member.ident, -1 - len(numbers))) if isinstance(member, Array) else member

    return rename(result, one)


def _discard(i: Interpreter, made: set[int]) -> None:
    """Take what a trace made and nobody holds any more out of the state."""
    while gone := {oid for oid in made if not i.heap.is_captured(oid)}:
        for oid in gone:
            i.heap.clear(oid)
        made = made - gone


def left_placeholders(i: Interpreter, values: Iterable[Value], place: Place) -> None:
    """Note that host code computes with a placeholder that an exception left in captured state, where it runs the compiled function itself
    instead."""
    capturing: dict[int | None, tuple[Trace, Value, Place]] = i.extra.get("capturing", {})
    if not capturing:
        return
    for value in values:
        for array in i.each(value):
            if not isinstance(array, Array) or array.trace not in capturing:
                continue
            trace, function, called = capturing[array.trace]
            if array.ident not in trace.leaves:
                continue
            eager = target(i, function)[0]
            m = modality(i, 0)
            if m is not None and eager is not None and any(frame.function == eager.oid for frame in i.stack):
                at = next(frame.called_at for frame in i.stack if frame.function == eager.oid) or place
                note(i, events.Note("fallback", where(called), "", trace.oid, m, (where(at),)))


def _number(i: Interpreter, oid: int, key: tuple[object, ...]) -> int:
    numbers = i.extra.setdefault("trace numbers", {})
    return int(numbers.setdefault((oid, repr(key)), len(numbers) + 1))


def _note_trace(i: Interpreter, trace: Trace, result: Value, ended: bool) -> None:
    note_kept_placeholders(i, trace, ended)
    for array in arrays_in(i, result):
        if array.ident in trace.stretched:
            trace.stretched[array.ident]()
    shown(i, (result,))
    array_use(i, result)
    returned = parts_of(i, trace, (result, *map(Ref, trace.captured_out)))
    for seen, fact in trace.array_reads:
        if not seen.used:
            continue
        if (
            fact.alias
            and not trace.gradients
            and -1 not in returned
            and returned.isdisjoint(ident for ident, found in trace.by_ident.items() if seen in found)
        ):
            # What reaches no output is no part of what is compiled.
            fact = replace(fact, alias="", source=None, holder=None)
        note(i, fact)
    note(
        i,
        events.Trace(
            trace.oid,
            trace.number,
            trace.operations,
            trace.random_in,
            trace.random_out,
            describe(i, result),
            ended,
            trace.full,
            trace.parted,
        ),
    )


class _Given:
    """The arguments of a call while placeholders are made of them: how many there are so far, and what stands for tuples that were met.
    `open_ended`: neither annotation nor default says what the parameter is that an argument is given to; `annotated`: it is annotated as an array."""

    __slots__ = ("annotated", "counted", "number", "open_ended", "tuples")

    def __init__(self) -> None:
        self.number = 0
        self.open_ended = True
        self.annotated = False
        self.counted: dict[int, int] = {}
        self.tuples: dict[int, tuple[Tuple, Tuple]] = {}


def placeholders(i: Interpreter, trace: Trace, args: Arguments, place: Place) -> Arguments:
    """The arguments as the body sees them: arrays are placeholders, containers are copies that MLX makes."""
    so_far = _Given()
    function, bound, _ = target(i, i.heap.get(trace.oid, "fun") or NONE)
    info = i.info(function.oid).payload if function is not None else None
    parameters = info.node.params[bound:] if isinstance(info, FunctionInfo) else ()
    told = {str(n): param for n, param in enumerate(parameters)} | {param.name: param for param in parameters}

    def one(value: Value, at: Place, name: str) -> Value:
        so_far.tuples = {}  # a tuple is another one in another argument
        param = told.get(name)
        so_far.open_ended, so_far.annotated = param is None or _is_open(param), param is not None and _is_array(i, function, param)
        return _placeholder(i, trace, value, at, so_far, name)

    given = [one(value, args.place(n, "", place), str(n)) for n, value in enumerate(args.args)]
    named = {name: one(value, args.keyword_places.get(name, place), name) for name, value in args.keywords.items()}
    star = one(args.star, place, "*") if args.star is not None else None
    return Arguments(given, named, star, args.kwstar, args.places, args.keyword_places, args.node)


def _is_open(param: ir.Param) -> bool:
    """Whether neither annotation nor default says what a parameter is."""
    return param.annotation is None and (param.default is None or isinstance(param.default, ir.Const) and param.default.value is None)


def _is_array(i: Interpreter, function: Ref | None, param: ir.Param) -> bool:
    """Whether a parameter is annotated as an array, and as nothing else."""
    parts = alternatives(i, function, param.annotation) if function is not None and param.annotation is not None else ()
    return [named(i, function, part) for part in parts] == [External("mlx.core.array")] if function is not None else False


def _placeholder(i: Interpreter, trace: Trace, value: Value, place: Place, so_far: _Given, name: str) -> Value:
    found = [_one_placeholder(i, trace, member, place, so_far, name) for member in members(value)]
    return found[0] if len(found) == 1 else join(found)


def _one_placeholder(i: Interpreter, trace: Trace, member: Member, place: Place, so_far: _Given, name: str) -> Value:
    if isinstance(member, Symbolic):
        trace.arguments.add(member.identity)
    if isinstance(member, Symbolic) and member.kinds is None:
        if not so_far.annotated and not (so_far.open_ended and may_be_array(member.identity)):
            so_far.number += 1
            return Symbolic(member.identity, None, member.label, member.presumed, "argument")
        given = Array(i.ident(place, ("given", trace.number, so_far.number)), None, None, None)
        member = given if so_far.annotated else presume(i, given, member.label or name)
    if isinstance(member, Array) or isinstance(member, Symbolic) and member.kinds == frozenset(("array",)):
        number = so_far.number
        so_far.number += 1
        if isinstance(member, Array):
            trace.arguments.add(member.ident)
            trace.given = (*trace.given, member.ident)
            trace.leaves.setdefault(member.ident, ("argument", None, None))
        shape = member.shape if isinstance(member, Array) else None
        if shape is not None:
            shape = _origins(i, shape, number, place)
        dtype = member.dtype if isinstance(member, Array) else None
        ident = i.ident(place, ("placeholder", trace.number, number))
        trace.arguments.add(ident)
        trace.made.append(ident)
        trace.parts[ident] = frozenset()
        i.info(ident).trace = trace.number
        i.heap.set(ident, ("#", "argument"), Const(name))
        if isinstance(member, Array):
            i.heap.set(ident, ("#", "original"), Const(member.ident))
        grows = member.grows if isinstance(member, Array) else ""
        presumed = i.heap.get(member.ident, PRESUMED) if isinstance(member, Array) else None
        if presumed is not None:
            i.heap.set(ident, PRESUMED, presumed)
        chain = Chain(place, "argument", presumed=ident if presumed is not None else None)
        return Array(ident, trace.number, shape, dtype, chain, frozenset((number,)), grows)
    if isinstance(member, Tuple):
        if id(member) in so_far.tuples:
            so_far.number += so_far.counted[id(member)]
            return so_far.tuples[id(member)][1]
        before = so_far.number
        made = member.holding(tuple(_placeholder(i, trace, part, place, so_far, name) for part in member.parts))
        so_far.tuples[id(member)] = (member, made)
        so_far.counted[id(member)] = so_far.number - before
        return made
    if isinstance(member, Ref) and i.info(member.oid).kind in CONTAINERS:
        if member.oid in trace.copies:
            so_far.number += so_far.counted.get(-member.oid - 1, 0)
            return trace.copies[member.oid]
        before = so_far.number
        oid = i.allocate(i.info(member.oid).kind, i.info(member.oid).payload, place, ("argument", trace.number, len(trace.copies)))
        trace.made.append(oid)
        trace.copies[member.oid] = Ref(oid)
        i.info(oid).trace = trace.number
        i.heap.set(oid, ("#", "argument"), Const(name))
        i.heap.set(oid, ("#", "original"), member)
        for field, held in list(i.heap.fields(member.oid).items()):
            if field in (ITEMS, ("#", "rest")) or isinstance(field, tuple) and field[0] == "k":
                i.heap.set(oid, field, _placeholder(i, trace, held, place, so_far, name))
        so_far.counted[-member.oid - 1] = so_far.number - before
        return Ref(oid)
    if isinstance(member, Ref) and _refused(i, member, {}):
        trace.refused.add(member.oid)
        trace.refused.update(oid for oid, _, _ in each_leaf(i, member))
    return member


def _origins(i: Interpreter, shape: tuple[object, ...], number: int, place: Place) -> tuple[object, ...]:
    from mxlint.domain.size import Size, as_size, symbol, with_origins

    sizes: list[object] = []
    for axis, size in enumerate(shape):
        known_size = size if isinstance(size, Size) else as_size(size) if isinstance(size, int) else symbol((place, number, axis), 0)
        assert known_size is not None
        sizes.append(with_origins(known_size, frozenset(((number, axis),))))
    return tuple(sizes)


def _captured(i: Interpreter, value: Value) -> tuple[set[int], bool, set[object]]:
    """The containers under a capture, whether the random state is among them, and what is symbolic in it."""
    oids: set[int] = set()
    symbolic: set[object] = set()
    random = False
    tuples: set[int] = set()
    todo = [value]
    while todo:
        for member in members(todo.pop()):
            if isinstance(member, External) and member.name == "mlx.core.random.state":
                random = True
            elif isinstance(member, Symbolic):
                symbolic.add(member.identity)
            elif isinstance(member, Tuple):
                if id(member) not in tuples:
                    tuples.add(id(member))
                    todo.extend(member.parts)
            elif isinstance(member, Ref) and member.oid not in oids and i.info(member.oid).kind in ("list", "dict", "instance", "shadow"):
                if i.info(member.oid).kind == "instance" and i.extra["mlx"].object_kind(i, member) is None:
                    continue
                of = i.heap.get(member.oid, ("#", "of"))
                if isinstance(of, Ref):
                    member = of  # vars(object): its attributes
                oids.add(member.oid)
                for field, held in i.heap.fields(member.oid).items():
                    if field not in (("#", "class"), ("#", "alive"), ("#", "parent")):
                        todo.append(held)
    return oids, random, symbolic


def open_captures(i: Interpreter, trace: Trace, ref: Ref) -> None:
    """Put placeholders for the arrays in captured containers."""
    inputs, outputs = i.heap.get(ref.oid, "inputs"), i.heap.get(ref.oid, "outputs")
    if inputs is not None:
        trace.captured_in, trace.random_in, trace.symbolic_in = _captured(i, inputs)
    if outputs is not None:
        trace.captured_out, trace.random_out, trace.symbolic_out = _captured(i, outputs)
        inside = {array.ident for array in arrays_in(i, *map(Ref, trace.captured_in))}
        parted = [
            value
            for oid in trace.captured_out - trace.captured_in
            if i.info(oid).kind in ("list", "dict")
            for value in i.heap.fields(oid).values()
        ]
        direct = [item for value in parted for m in members(value) for item in (m.items or () if isinstance(m, Tuple) else (m,))]
        trace.parted = any(isinstance(m, Array) and m.ident in inside for item in direct for m in members(item))
        trace.leaves_out = {array.ident for array in arrays_in(i, *map(Ref, trace.captured_out))}

    def place(member: Member) -> Member:
        if not isinstance(member, Array) or member.trace not in (None, -1):
            return member
        return member.but(trace=trace.number, chain=chain)

    chain = Chain(i.info(ref.oid).payload.captures, "captured")  # type: ignore[attr-defined]
    sources, whole = _sources(i, ref)
    for oid in trace.captured_in:
        for field, value in list(i.heap.fields(oid).items()):
            changed = rename(value, place)
            if changed is not value:
                trace.originals[oid, field] = value
                i.heap._put(oid, field, changed)
                what = "module" if i.info(oid).kind == "instance" else "captured"
                for array in each_part(value):
                    if isinstance(array, Array):
                        trace.leaves[array.ident] = (what, sources.get(oid, whole), oid)


def _sources(i: Interpreter, ref: Ref) -> tuple[dict[int, events.Where], events.Where | None]:
    """Where the objects that inputs= leads to are named there, each by the first element that leads to it; and inputs= as a whole."""
    fact = journal(i).compiled.get(ref.oid)
    if fact is None or fact.inputs is None:
        return {}, None
    sources = {element.object: element.where for element in fact.inputs.elements if element.object is not None}
    for oid, _, member in each_place(i, list(map(Ref, sources)), referring=True):
        if oid is not None and isinstance(member, Ref):
            sources.setdefault(member.oid, sources[oid])
    return sources, fact.inputs.where


def close_captures(i: Interpreter, trace: Trace, place: Place) -> None:
    """What captured containers hold after the call: results where they are outputs, what they held before where they are inputs alone."""

    def of(member: Member) -> Member:
        if isinstance(member, Array) and member.trace == trace.number:
            return Array(i.ident(place, ("captured", member.ident)), None, member.shape, member.dtype, member.chain)
        return member

    for oid in trace.captured_out:
        for field, value in list(i.heap.fields(oid).items()):
            changed = rename(value, of)
            if changed is not value:
                if (oid, field) not in trace.written and (oid, field) in trace.originals:
                    changed = trace.originals[oid, field]
                i.heap._put(oid, field, changed)
    for (oid, field), value in trace.originals.items():
        if oid not in trace.captured_out:
            i.heap._put(oid, field, value)


def fresh(i: Interpreter, result: Value, place: Place, number: int, ref: Ref, args: Arguments) -> Value:
    """The result of a compiled call: new arrays, in new containers, for the placeholders that the body returned."""
    operands = Operands(tuple(dict.fromkeys(array.ident for array in arrays_in(i, *args.values))))
    stateful = i.heap.get(ref.oid, "outputs") not in (None, NONE)

    done: dict[int, tuple[Member, Value]] = {}

    def of(value: Value) -> Value:
        found = [one(member) for member in members(value)]
        return found[0] if len(found) == 1 else join(found)

    def one(member: Member) -> Value:
        if isinstance(member, Array):
            ident = i.ident(place, ("result", number, member.ident))
            if i.trace is None:
                if operands.idents:
                    i.heap.set(ident, OPERANDS, operands)
                novelty.made(i, ident, args.values, place, "item" if stateful else "")
            return Array(
                ident,
                None,
                member.shape,
                member.dtype,
                Chain(place, "result"),
                grows=member.grows,
            )
        key = -member.oid - 1 if isinstance(member, Ref) else id(member)
        if key in done:
            made = done[key][1]
            if isinstance(made, Ref):
                i.info(made.oid).summary = True  # MLX makes one for each way that leads there
            return made
        if isinstance(member, Tuple):
            tuple_ = member.holding(tuple(map(of, member.parts)))
            done[key] = (member, tuple_)
            return tuple_
        if isinstance(member, Ref) and i.info(member.oid).kind in CONTAINERS:
            oid = i.allocate(i.info(member.oid).kind, None, place, ("result", number, member.oid))
            done[key] = (member, Ref(oid))
            for field, held in list(i.heap.fields(member.oid).items()):
                if field not in (("#", "alive"), ("#", "argument"), ("#", "original")):
                    i.heap.set(oid, field, of(held))
            return Ref(oid)
        return member

    return of(result)


# -- replaying ---------------------------------------------------------------------------------------------------------


def replay(i: Interpreter, ref: Ref, entry: Entry, args: Arguments, place: Place, frame: Frame) -> Value:
    """A call that uses a trace again: what the trace read may hold something else now."""
    for location, read in entry.reads.items():
        oid, field = location
        if oid in entry.captured_in and read.kind == "array":
            continue
        own = location in entry.written and writer(i, oid, field) == entry.written[location]
        if not read.used or own and field != ITEMS and (read.kind != "array" or read.value == NONE):
            if location in entry.counted:
                _note_counted(i, ref, entry, location, read, place)
            continue
        now = held(i, oid, field)
        if oid in entry.captured_in and (
            _same_class(i, read.value, now) or _is_tree(i, read.value) and now is not None and _is_tree(i, now)
        ):
            continue  # the arrays under a capture are found anew at each call
        _compare(i, ref, location, read, held(i, oid, field), place, entry)

    def of(member: Member) -> Member:
        if isinstance(member, Array) and (location_oid, location_field) in entry.written:
            return Array(i.ident(place, ("captured", member.ident)), None, member.shape, member.dtype, member.chain)
        return member

    for location_oid, location_field in entry.written:
        if location_oid in entry.captured_out:
            value = i.heap.get(location_oid, location_field)
            if value is not None:
                i.heap._put(location_oid, location_field, rename(value, of))
    return fresh(i, entry.result, place, entry.number, ref, args)


def _note_counted(i: Interpreter, ref: Ref, entry: Entry, location: Location, read: Seen, place: Place) -> None:
    """A number that the trace itself changed, and uses: at this call it is another one, which the trace does not see."""
    now, m = held(i, *location), modality(i, 0)
    if now is not None and m is not None and not set(members(now)) & set(members(read.value)):
        at, calls, written = entry.counted[location]
        note(i, events.Event(ref.oid, entry.number, "counted", at, read.name, "", "", calls, (), (), m, False, str(written.span.start.row)))


def _is_tree(i: Interpreter, value: Value) -> bool:
    """Whether a value is a list, tuple or dict that holds arrays and nothing else, at any depth."""
    todo, seen, arrays = list(members(value)), set[int](), 0
    if any(isinstance(member, Array) for member in todo):
        return False
    while todo:
        member = todo.pop()
        held: Iterable[Value] = ()
        if isinstance(member, Tuple):
            held = member.items if member.items is not None else (member.element or UNBOUND,)
        elif isinstance(member, Ref) and i.info(member.oid).kind in ("list", "dict"):
            if member.oid not in seen:
                seen.add(member.oid)
                held = [part for field, part in i.heap.fields(member.oid).items() if field == ITEMS or field[0] in ("k", "item")]  # type: ignore[index]
        elif isinstance(member, Array):
            arrays += 1
        else:
            return False
        todo += [inner for part in held for inner in members(part)]
    return arrays > 0


def _same_class(i: Interpreter, before: Value, now: Value | None) -> bool:
    """Whether two objects of one class lie there: of a captured container only the arrays count."""
    if not isinstance(before, Ref) or not isinstance(now, Ref):
        return False
    cls = i.heap.get(before.oid, ("#", "class"))
    return cls is not None and cls == i.heap.get(now.oid, ("#", "class"))


def array_use(i: Interpreter, value: Value) -> None:
    """The content of the arrays in a value becomes part of the running trace."""
    trace: Trace | None = i.trace
    source_use(i, value)
    if trace is None or not trace.by_ident:
        return
    for array in arrays_in(i, value):
        for seen in trace.by_ident.get(array.ident, ()):
            seen.used = True


def parts_of(i: Interpreter, trace: Trace, values: Iterable[Value]) -> frozenset[int]:
    """The arrays older than a trace that values in it are computed from; -1 among them: and from what is not known."""
    found: set[int] = set()
    for _, _, member in each_place(i, values):
        if isinstance(member, Array):
            known = trace.parts.get(member.ident)
            found.update(known if known is not None else (member.ident,) if older(i, member.ident) else (-1,))
        elif isinstance(member, (Unknown, Symbolic)):
            found.add(-1)
    return frozenset(found)


def composed(i: Interpreter, ident: int, operands: Iterable[Value]) -> None:
    """An array of the running trace is computed from operands."""
    trace: Trace | None = i.trace
    if trace is not None:
        trace.parts[ident] = trace.parts.get(ident, frozenset()) | parts_of(i, trace, operands)


def held(i: Interpreter, oid: int, field: object) -> Value | None:
    """What lies at a location now; ("item", n) is an item of a list."""
    if not (isinstance(field, tuple) and field[0] == "item"):
        return i.heap.get(oid, field)
    content = i.heap.get(oid, ITEMS)
    found: list[Value] = []
    for part in members(content) if content is not None else ():
        if not isinstance(part, Tuple):
            return Unknown("list")
        if part.items is None:
            found.append(part.element or UNBOUND)
        else:
            found.append(part.items[field[1]] if -len(part.items) <= field[1] < len(part.items) else UNBOUND)
    return join(found)


def _count(i: Interpreter, location: Location) -> int:
    """How often a location was written, as far as noted."""
    counts: dict[Location, int] = i.extra.setdefault("write counts", {})
    oid, field = location
    if field == ITEMS:
        return counts.get((oid, ANY), 0)
    return counts.get(location, 0) + (counts.get((oid, ITEMS), 0) if isinstance(field, tuple) and field[0] == "item" else 0)


def writer(i: Interpreter, oid: int, field: object) -> Place | None:
    """Who wrote a location last."""
    writers: dict[Location, Place] = i.extra.setdefault("writers", {})
    if field == ITEMS:
        return writers.get((oid, ANY))
    found = writers.get((oid, field))
    return found if found is not None or not isinstance(field, tuple) else writers.get((oid, ITEMS))


def _compare(
    i: Interpreter, ref: Ref, location: Location, found: Seen, now: Value | None, place: Place, entry: Entry | None = None
) -> None:
    oid, field = location
    before = found.value
    if _count(i, location) == found.count:
        return
    if now is None:
        now = UNBOUND
    different: list[Member] = []
    conditions: list[events.Condition] = []
    present = i.live(now)
    parts = present.options if isinstance(present, Union) else None
    same = 0
    for option in parts or ():
        if any(Literal_(literal.condition, not literal.outcome) in found.under for literal in option.guard):
            continue  # where it holds that, the trace did not read it
        if _surely_same(i, before, option.member) or entry is not None and _reads_the_same(i, before, option.member, entry):
            same += 1
            continue
        different.append(option.member)
        for literal in option.guard:
            cause, at = i.why(literal.condition)
            if cause == "open" and at is not None:
                client = isinstance(literal.condition, tuple) and literal.condition[0] == CLIENT
                conditions.append(events.Condition(where(at), "client" if client else "open"))
    if parts is None:
        if _surely_same(i, before, present) or entry is not None and _reads_the_same(i, before, present, entry):  # type: ignore[arg-type]
            return
        different.append(present)  # type: ignore[arg-type]
    if not different:
        return
    if any(isinstance(member, Unknown) for member in different) or isinstance(before, Unknown):
        imprecise(i, i.place or place, "a value that was not followed lies where a trace read")
        return
    written = writer(i, oid, field)
    if written is None:
        return
    m = modality(i, 0)
    if m is None:
        return
    if not same:
        conditions = []
    hang = tuple(dict.fromkeys(c for c in conditions))
    # What is put in place of something symbolic is taken to be of its kind.
    kind = found.kind if found.kind != "symbolic" else value_kind(now)
    presumed = _presumed(i, oid, hang)
    if kind == "symbolic" and of_iterable(before) and of_iterable(now):
        kind, presumed = "array", (*presumed, f"`{found.name}` is an array")
    note(i, events.Stale(
        ref.oid, (oid, str(field)), found.name, kind, found.where, where(written), where(place), describe(i, before), describe(i, join(different)),
        found.calls, events.Modality(hang, presumed), found.container,
    ))  # fmt: skip


def _presumed(i: Interpreter, oid: int, conditions: tuple[events.Condition, ...]) -> tuple[str, ...]:
    """What a stale read rests on: that something symbolic keeps what is written on it, or that a method nobody in sight calls is called again."""
    again = i.extra.get("client")
    return (*keeping(i, oid), *((again,) if again and not conditions else ()))


def _wraps(i: Interpreter, now: Ref, before: Member) -> bool:
    """Whether a function was replaced by one that is made of it: compiled, or closed over it."""
    kind = i.info(now.oid).kind
    if kind == "compiled":
        return i.heap.get(now.oid, "fun") == before
    env = i.heap.get(now.oid, ("#", "parent")) if kind == "function" else None
    if not isinstance(env, Ref) or i.info(env.oid).kind != "frame":
        return False
    return any(held == before or isinstance(held, Bound) and held.function == before for held in i.heap.fields(env.oid).values())


def _surely_same(i: Interpreter, before: Value, now: Member) -> bool:
    if isinstance(now, Ref) and isinstance(before, Member) and _wraps(i, now, before):
        return True
    if isinstance(before, Union):
        return all(_surely_same(i, member, now) for member in members(before))
    if isinstance(before, Array) and isinstance(now, Array):
        return before.ident == now.ident and not now.several and not i.info(now.ident).summary
    if isinstance(before, Ref) and isinstance(now, Ref):
        return before.oid == now.oid and not i.info(now.oid).summary
    if isinstance(before, (Range, Kind)):
        return False
    return before == now


def _reads_the_same(i: Interpreter, before: Value, now: Member, entry: Entry, depth: int = 4) -> bool:
    """Whether another object of the class holds, in each attribute that the trace read of the first one, what it read there."""
    if not isinstance(before, Ref) or not isinstance(now, Ref) or before == now or not depth:
        return False
    kinds = {i.info(ref.oid).kind for ref in (before, now)}
    cls = i.heap.get(before.oid, CLASS)
    if kinds != {"instance"} or not isinstance(cls, Ref) or i.heap.get(now.oid, CLASS) != cls or i.info(now.oid).summary:
        return False
    read = {field: seen for (oid, field), seen in entry.reads.items() if oid == before.oid}
    written = any(oid == before.oid for oid, _ in entry.written)
    return (
        bool(read)
        and not written
        and all(_holds_the_same(i, seen, i.heap.get(now.oid, field), entry, depth) for field, seen in read.items())
    )


def _holds_the_same(i: Interpreter, seen: Seen, value: Value | None, entry: Entry, depth: int) -> bool:
    if value is None or isinstance(value, Union):
        return False
    return _surely_same(i, seen.value, value) or _reads_the_same(i, seen.value, value, entry, depth - 1)


# -- what a trace reads and writes -------------------------------------------------------------------------------------


def older(i: Interpreter, oid: int) -> bool:
    """Whether an object is older than the running trace."""
    trace: Trace | None = i.trace
    if trace is None:
        return False
    made = i.info(oid).trace
    return made != trace.number


def value_kind(value: Value) -> str:
    """What lies at a location: array (or a tuple of them), python (a number, text, flag), object, symbolic, or other."""
    kinds = set()
    for member in each_part(value, Tuple):
        if isinstance(member, Array):
            kinds.add("array")
        elif isinstance(member, Tuple):
            if not member.parts:
                kinds.add("python")
        elif scalar_type(member) is not None or isinstance(member, (Const, Length)):
            kinds.add("python")
        elif isinstance(member, (Ref, External, Bound, Slice, RangeObject)):
            kinds.add("object")
        elif isinstance(member, Symbolic):
            kinds.add("symbolic")
        else:
            kinds.add("other")
    return kinds.pop() if len(kinds) == 1 else "array" if "array" in kinds else "python" if "python" in kinds else "other"


def python_read(i: Interpreter, oid: int, field: object, value: Value, place: Place, frame: Frame) -> None:
    """Python code reads a location: what is in an array there is part of a trace only if the trace computes with it."""
    on_read(i, oid, field, value, place, frame, used=False)


def on_read(
    i: Interpreter, oid: int, field: object, value: Value, place: Place, frame: Frame, *, name: str = "", used: bool = True
) -> None:
    """Note that a running trace reads a location older than itself; that host code reads what a trace wrote."""
    trace: Trace | None = i.trace
    if trace is None:
        relied(i, oid, field, value, place)
        return
    reach(i, trace, oid, field, value)
    used_number(i, trace, (oid, field), value, place)
    _read_content(i, trace, oid, field, value, place, used)
    if not older(i, oid) or (oid, field) in trace.written or i.info(oid).kind == "frame" and i.info(oid).trace == trace.number:
        return
    location = (oid, field)
    if location in trace.reads:
        trace.reads[location].under &= under(i, trace)
        return
    if oid in trace.refused:
        return
    kind = _read_kind(i, trace, oid, field, value)
    seen = Seen(
        trace.originals.get(location, value),
        where(place),
        name or _label(i, oid, field, place),
        kind,
        wheres(call_places(i, trace.depth + 1)),
        container(i, trace, oid),
    )
    seen.count = _count(i, location)
    seen.under = under(i, trace)
    trace.reads[location] = seen
    i.traced.add(location)
    if kind == "array" and not used:
        seen.used = False
        for array in arrays_in(i, value):
            trace.by_ident.setdefault(array.ident, []).append(seen)
    m = modality(i, trace.path)
    if m is not None and kind != "other":
        fact = events.Read(
            trace.oid, trace.number, (oid, str(field)), seen.name, seen.where, seen.calls, kind, describe(i, value), oid in trace.captured_in, m, seen.container,
            *_other_names(i, trace, oid, value), kind == "array" and oid not in trace.captured_in and _lazy(i, value),
        )  # fmt: skip
        if seen.used:
            note(i, fact)
        else:
            trace.array_reads.append((seen, fact))


def under(i: Interpreter, trace: Trace) -> frozenset[Literal_]:
    """The literals of the path since a trace began."""
    return frozenset(condition.literal for condition in i.path[trace.path :] if condition.literal is not None)


def _read_content(i: Interpreter, trace: Trace, oid: int, field: object, value: Value, place: Place, used: bool) -> None:
    """Note that a trace reads what is in arrays that are older, which may be changed in place."""
    items = [item for member in members(value) for item in (member.items or () if isinstance(member, Tuple) else (member,))]
    for member in (m for item in items for m in members(item)):
        if not isinstance(member, Array) or (member.ident, CONTENT) in trace.reads:
            continue
        if not trace.holds(member.trace) and member.ident not in trace.leaves and older(i, member.ident):
            before = i.heap.get(member.ident, CONTENT)
            calls = wheres(call_places(i, trace.depth + 1))
            content = Seen(
                before if before is not None else UNBOUND,
                where(place),
                _label(i, oid, field, place),
                "array",
                calls,
                container(i, trace, oid),
            )
            content.count = _count(i, (member.ident, CONTENT))
            content.used = used
            trace.reads[member.ident, CONTENT] = content
            trace.by_ident.setdefault(member.ident, []).append(content)


def _read_kind(i: Interpreter, trace: Trace, oid: int, field: object, value: Value) -> str:
    if field == FROZEN:
        return "frozen"
    if field == "training" and i.info(oid).kind == "instance" and i.extra["mlx"].object_kind(i, Ref(oid)) == "module":
        return "mode"
    kind = value_kind(value)
    if (
        kind == "object"
        and any(isinstance(member, Ref) and member.oid in trace.captured_in for member in members(value))
        and oid not in trace.captured_in
    ):
        return "captured"
    return kind


def _other_names(i: Interpreter, trace: Trace, oid: int, value: Value) -> tuple[str, events.Where | None, int | None]:
    """Whether an array that is read is an argument or captured as well, and where."""
    if isinstance(value, Array) and oid not in trace.captured_in and not trace.holds(value.trace):
        todo = [value.ident]
        for _ in range(OPERATIONS_DEPTH * 4):
            if not todo:
                break
            ident = todo.pop(0)
            if ident in trace.leaves:
                return trace.leaves[ident]
            origin = i.heap.get(ident, OPERANDS) if i.heap.get(ident, LAZY) == TRUE else None
            todo.extend(origin.idents or () if isinstance(origin, Operands) else ())
    return "", None, None


def _lazy(i: Interpreter, value: Value) -> bool:
    """Whether an array was surely never computed."""
    return isinstance(value, Array) and value.trace is None and i.heap.get(value.ident, LAZY) == TRUE


OPERATIONS_DEPTH: Final = 4
"""How many operations back what an array is still to be computed from is looked for."""
NUMBERS: Final = ("int", "float", "number")


def used_number(i: Interpreter, trace: Trace, location: Location, value: Value, place: Place) -> None:
    """Note where a trace uses a number that it may change itself."""
    if older(i, location[0]) and not i.silent and all(scalar_type(member) in NUMBERS for member in members(value)):
        at = where(place)
        trace.uses.setdefault(location, {}).setdefault(at, wheres(call_places(i, trace.depth + 1)))
        trace.last_use[location] = at


def note_kept_placeholders(i: Interpreter, trace: Trace, ended: bool) -> None:
    """The writes of placeholders: one is left there if it still lies there when the trace ends."""
    for location, fact in trace.kept:
        present = held(i, *location)
        left = (
            not ended
            or present is not None
            and any(array.trace is not None and trace.holds(array.trace) for array in arrays_in(i, present))
        )
        note(i, fact if left else replace(fact, placeholder=False))


def counted(trace: Trace) -> dict[Location, tuple[events.Where, tuple[events.Where, ...], events.Where]]:
    """The numbers that a trace changes and uses besides: where it uses them, by which calls, where it changes them."""
    found = {}
    for location, written in trace.counts.items():
        uses = [(at, calls) for at, calls in trace.uses.get(location, {}).items() if (location, at) not in trace.fed]
        if uses:
            found[location] = (*uses[0], written)
    return found


def reach(i: Interpreter, trace: Trace, oid: int, field: object, value: Value) -> None:
    """Note how a trace comes to the objects that it reads: by which name, through which attributes. What a module, list or dict holds is
    captured with it."""
    for member in members(value):
        if not isinstance(member, Ref) or member.oid in trace.reached:
            continue
        kind = i.info(oid).kind
        if kind in ("frame", "module"):
            trace.reached[member.oid] = str(field)
        elif kind == "instance" and isinstance(field, str) and i.extra["mlx"].object_kind(i, Ref(oid)) is None:
            owner = trace.reached.get(oid)
            trace.reached[member.oid] = f"{owner}.{field}" if owner is not None else field
        elif kind == "class" and isinstance(field, str):
            trace.reached[member.oid] = f"{i.info(oid).label}.{field}"
        elif oid in trace.reached:
            trace.reached[member.oid] = trace.reached[oid]


def container(i: Interpreter, trace: Trace, oid: int) -> str:
    """What a capture would name to hold an object: `model.state`, `cache`; "" where no capture can."""
    name = trace.reached.get(oid, "")
    if not name or i.info(oid).kind in ("list", "dict"):
        return name
    return f"{name}.state" if i.info(oid).kind == "instance" and i.extra["mlx"].object_kind(i, Ref(oid)) is not None else ""


def relied(i: Interpreter, oid: int, field: object, value: Value, place: Place) -> None:
    """Note that host code reads what a trace wrote, or an argument that a trace changed a copy of."""
    changed: dict[object, tuple[int, events.Where]] = i.extra.setdefault("changed in traces", {})
    if not changed:
        return
    keys: list[object] = [(oid, field)]
    for member in members(value):
        if isinstance(member, Ref):
            keys.append((member.oid, ITEMS))
            keys.append(("argument", member.oid))
        elif isinstance(member, Array):
            keys.append(("argument", member.ident))
    for key in keys:
        found = changed.get(key)
        if found is not None and not i.silent:
            journal(i).relied[key, where(place)] = events.Note("relied", where(place), "", found[0], events.Modality(), (found[1],))


def _label(i: Interpreter, oid: int, field: object, place: Place) -> str:
    if i.info(oid).kind in ("frame", "module") and isinstance(field, str):
        return field
    return " ".join(place.text.split())[:60]


def on_write(i: Interpreter, oid: int, field: object, value: Value, place: Place | None, frame: Frame, how: str = "") -> None:
    """Note a write: who wrote last where, and what a running trace writes that is older than itself."""
    if place is None:
        return
    count_write(i, oid, field, place)
    if oid != frame.oid and i.info(oid).kind != "compiled":
        escaping(i, value)
    if i.info(oid).kind == "instance":
        i.extra["mlx"].assigned(i, oid, field, value, place, frame)
        if field == "__call__":
            for member in members(value):
                if isinstance(member, Ref) and i.info(member.oid).kind == "compiled":
                    note(i, events.Note("call on an instance", where(place), "", member.oid, events.Modality()))
    trace: Trace | None = i.trace
    if trace is None:
        _overwritten(i, oid, field, place)
        return
    argument = i.heap.get(oid, ("#", "argument"))
    if argument is not None and i.info(oid).trace == trace.number:
        _mutated(i, trace, oid, field, argument, place, frame)
        return
    if not older(i, oid) or i.info(oid).kind == "frame" and frame.oid == oid:
        return
    if i.info(oid).kind in ("iterator", "generator"):
        event(i, "effect", place, "next()", frame, note_="counter")
        return
    if oid in trace.refused:
        return
    location = (oid, field)
    again = location in trace.reads
    trace.written[location] = place
    traced = any(array.trace is not None and trace.holds(array.trace) for array in arrays_in(i, value))
    m = modality(i, trace.path, presumed=keeping(i, oid))
    if m is None:
        return
    how = how or _how(i, oid, field)
    calls = wheres(call_places(i, trace.depth + 1))
    changed = i.extra.setdefault("changed in traces", {})
    changed[location] = (trace.oid, where(place))
    fact = events.Write(
        trace.oid, trace.number, (oid, str(field)), _label(i, oid, field, place), where(place), calls, how, value_kind(value), describe(i, value), traced,
        oid in trace.captured_in or trace.leaves.get(oid, ("argument",))[0] != "argument", oid in trace.captured_out or oid in trace.leaves_out, _new(i, trace, oid, field), m, again, container(i, trace, oid),
    )  # fmt: skip
    if traced and how != "content":
        trace.kept.append((location, fact))
    else:
        note(i, fact)
    before = trace.reads.get(location)
    if before is not None and not i.silent:
        numbers = [scalar_type(member) for part in (before.value, value) for member in members(part)]
        if all(name in NUMBERS for name in numbers) and before.value != value:
            trace.counts.setdefault(location, fact.where)
            if location in trace.last_use:
                trace.fed.add((location, trace.last_use[location]))


def keeping(i: Interpreter, oid: int) -> tuple[str, ...]:
    """The presumption that an object keeps what is written on it: of one that nobody in sight makes, or that is what its uses ask for."""
    known: dict[int, str] = i.extra.get("presumed objects", {})
    if oid in known:
        return (known[oid],)
    return (f"`{i.info(oid).label}` keeps what is written on it",) if i.info(oid).kind == "symbolic" else ()


def _overwritten(i: Interpreter, oid: int, field: object, place: Place) -> None:
    """Host code writes what a trace has changed: what was there is gone. The same code run without a trace relies on nothing."""
    changed: dict[object, tuple[int, events.Where]] = i.extra.setdefault("changed in traces", {})
    if not changed:
        return
    changed.pop((oid, field), None)
    found = changed.get(("argument", oid))
    if found is not None and found[1] == where(place):
        del changed["argument", oid]
        relied_on = journal(i).relied
        for key in [key for key in relied_on if key[0] == ("argument", oid)]:
            del relied_on[key]


def escaping(i: Interpreter, *values: Value, returned: bool = False) -> None:
    """Note the compiled objects that values keep: they are stored in something older than the activation, or returned."""
    facts = journal(i)
    if len(facts.escaped) == len(facts.compiled):
        return
    kept = facts.returned if returned else facts.escaped
    todo, seen = list(values), set()
    while todo:
        for member in each_part(todo.pop()):
            if isinstance(member, Ref) and member.oid not in seen:
                seen.add(member.oid)
                kind = i.info(member.oid).kind
                if kind == "compiled":
                    kept.add(member.oid)
                elif kind == "function":
                    env = i.heap.get(member.oid, ("#", "parent"))
                    if isinstance(env, Ref) and i.info(env.oid).kind == "frame":
                        todo.append(env)
                elif kind == "generator":
                    env = i.heap.get(member.oid, ("#", "parent"))
                    for local in i.heap.fields(env.oid).values() if isinstance(env, Ref) else ():
                        # What a later round of the generator's own loop replaces, its frame does not keep.
                        parts = (part for part in each_part(local) if isinstance(part, Ref))
                        todo.extend(part for part in parts if part.oid not in facts.compiled or not facts.compiled[part.oid].loops)
                elif kind in ("list", "dict", "set", "instance", "partial", "iterator", "frame", "cached"):
                    todo.extend(held for name, held in i.heap.fields(member.oid).items() if name not in (("#", "class"), ("#", "alive")))


def note_kept(i: Interpreter, mark: int) -> None:
    """Note the compiled objects that containers or objects hold at the end of an entry, as far as it wrote them; and those with a public name."""
    facts = journal(i)
    if len(facts.escaped) == len(facts.compiled):
        return
    kept: list[Value] = []
    for oid, field in dict.fromkeys((oid, field) for oid, field, _ in i.heap.trail[mark:]):
        value = i.heap.get(oid, field)
        kind = i.info(oid).kind
        if value is None or kind == "compiled":
            continue
        if kind == "class":
            facts.methods.update(m.oid for m in members(value) if isinstance(m, Ref) and i.info(m.oid).kind == "compiled")
        if kind not in ("frame", "module", "function", "partial", "iterator", "generator", "coroutine"):
            kept.append(value)
        elif kind == "module" and isinstance(field, str):
            held = {m.oid for m in members(value) if isinstance(m, Ref) and i.info(m.oid).kind == "compiled"} - facts.public
            # What begins with `_` is private to its module by convention; the name in another file is evidence to the contrary.
            if held and (not field.startswith("_") or i.project.named_elsewhere(field, i.info(oid).payload.source)):  # type: ignore[attr-defined]
                facts.public |= held
    escaping(i, *kept)


def _mutated(i: Interpreter, trace: Trace, oid: int, field: object, argument: Value, place: Place, frame: Frame) -> None:
    """Note that a trace changes an argument, which is a copy of the caller's."""
    m = modality(i, trace.path)
    if m is None:
        return
    original = i.heap.get(oid, ("#", "original"))
    if isinstance(original, (Const, Ref)):
        key = ("argument", original.oid if isinstance(original, Ref) else original.value)
        i.extra.setdefault("changed in traces", {})[key] = (trace.oid, where(place))
    name = str(argument.value) if isinstance(argument, Const) else ""
    calls = wheres(call_places(i, trace.depth + 1))
    note(i, events.Event(trace.oid, trace.number, "mutate", where(place), _how(i, oid, field), name, qualname(frame), calls, (), (), m))


def _how(i: Interpreter, oid: int, field: object) -> str:
    if i.info(oid).kind in ("frame", "module"):
        return "name"
    if isinstance(field, str):
        return "attribute"
    return "items" if field == ITEMS else "content" if i.info(oid).kind == "array" else "item"


def _new(i: Interpreter, trace: Trace, oid: int, field: object) -> bool:
    """Whether a written location did not exist when the trace began; a list: whether it is longer."""
    before = trace.before(i, oid, field, held(i, oid, field))
    if field != ITEMS:
        return before is None or isinstance(before, Unbound)
    now = i.heap.get(oid, ITEMS)
    lengths = [len(value.items) if isinstance(value, Tuple) and value.items is not None else None for value in (before, now)]
    return None not in lengths and lengths[0] < lengths[1]  # type: ignore[operator]


def event(
    i: Interpreter,
    kind: str,
    place: Place,
    what: str,
    frame: Frame,
    *,
    note_: str = "",
    member: Member | None = None,
    target_name: str = "",
    axes: Sequence[events.Axis] = (),
    effects: tuple[events.Effect, ...] = (),
    shape: tuple[events.Extent, ...] | None = None,
    sizes: tuple[events.Extent, ...] | None = None,
    presumption: str = "",
) -> events.Event | None:
    """Note something that happens in the running trace; None if nothing is said of it. `presumption`: what it hangs on, in words."""
    trace: Trace | None = i.trace
    if trace is None:
        return None
    presumed = words(i, member) if isinstance(member, Array) else presumption
    m = modality(i, trace.path, presumed=(presumed,) if presumed else ())
    if m is None:
        return None
    swallowed = len(i.tries) > trace.tries
    chain = _chain(member.chain) if isinstance(member, Array) and member.chain is not None else ()
    fact = events.Event(
        trace.oid,
        trace.number,
        kind,
        where(place),
        what,
        note_,
        qualname(frame),
        wheres(call_places(i, trace.depth + 1)),
        chain,
        tuple(axes),
        m,
        swallowed,
        target_name,
        effects,
        shape,
        sizes,
    )
    if presumed and isinstance(member, Array):
        journal(i).presuming[fact] = root(member)
    note(i, fact)
    return fact


def prepared_event(i: Interpreter, kind: str, place: Place, what: str, frame: Frame, about: str) -> events.Event | None:
    """What may turn out to matter in the running trace; None if something imprecise decides."""
    trace: Trace | None = i.trace
    m = modality(i, trace.path) if trace is not None else None
    if trace is None or m is None:
        return None
    calls = wheres(call_places(i, trace.depth + 1))
    return events.Event(
        trace.oid, trace.number, kind, where(place), what, about, qualname(frame), calls, (), (), m, len(i.tries) > trace.tries
    )


def source_use(i: Interpreter, value: Value) -> None:
    """The running trace computes with a value, or decides by it: what it comes from is frozen in the trace."""
    trace: Trace | None = i.trace
    if trace is None or not trace.sources:
        return
    for member in members(value):
        if isinstance(member, Symbolic):
            for place in _places(member.identity):
                fact = trace.sources.pop(place, None)
                if fact is not None:
                    note(i, fact)


def _places(identity: object) -> Iterator[Place]:
    if isinstance(identity, Place):
        yield identity
    elif isinstance(identity, tuple):
        for part in identity:
            yield from _places(part)


COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")


def derived(i: Interpreter, operation: str, parts: Sequence[Member], place: Place) -> None:
    """Something is computed from symbolic values: a measurement of time, a decision by a random number."""
    clocks.subtracted(i, operation, parts, place)
    if operation in COMPARISONS:
        for part in parts:
            source_use(i, part)


def _chain(chain: Chain | None) -> tuple[Any, ...]:
    from mxlint.facts.values import Step

    found: list[Step] = []
    while chain is not None and len(found) < 8:
        if isinstance(chain.place, Place):
            found.append(Step(where(chain.place).text, chain.place.span))
        chain = chain.origin
    return tuple(reversed(found))


def computed(i: Interpreter, array: Array) -> None:
    """An array is computed now, and so is what it was computed from."""
    clocks.forced(i)
    todo = [array.ident]
    while todo:
        ident = todo.pop()
        if i.heap.get(ident, LAZY) == TRUE:
            i.heap.set(ident, LAZY, FALSE)
            origin = i.heap.get(ident, OPERANDS)
            todo.extend(origin.idents or () if isinstance(origin, Operands) else ())


def _operand(what: str, place: Place, operand: Place | None) -> str:
    """The text of the value that is used, where it stands by itself."""
    if operand is None and what not in ("truth", "f-string"):
        return ""
    return " ".join((operand or place).text.split())


USES: Final = {"formats": "format", "format": "format", "logs": "log", "converts": "convert", "convert": "convert", ARRAY_LIKE: "convert", "truth": "truth", "index": "index",
               "bytes": "convert", "saves": "evaluate", "evaluates": "evaluate"}  # fmt: skip


def use(i: Interpreter, kind: str, member: Member, what: str, place: Place, frame: Frame, operand: Place | None = None) -> None:
    """A use of a value that needs its content: of a placeholder it raises; of the size of one, a shapeless trace keeps the outcome."""
    trace: Trace | None = i.trace
    if isinstance(member, (Length, Measure, ShapeOf)):
        if trace is not None and trace.shapeless:
            axes = (
                [(number, None) for number in sorted(member.origin)] if isinstance(member, ShapeOf) else sorted(origins(member), key=repr)
            )
            if axes:
                event(i, "branch", place, " ".join(place.text.split()), frame, axes=axes)
        return
    if trace is None:
        for array in arrays_in(i, member):
            computed(i, array)
    elif isinstance(member, Array):
        if member.trace == -1:
            imprecise(i, place, "an array that may be a constant")
        elif trace.holds(member.trace):
            found = event(i, USES.get(kind, kind), place, what, frame, note_=_operand(what, place, operand), member=member)
            if kind == ARRAY_LIKE and found is not None:
                journal(i).array_like.add(found)
    elif (
        isinstance(member, Ref)
        and trace is not None
        and kind in ("format", "formats")
        and i.info(member.oid).kind in ("list", "dict")
        or isinstance(member, Tuple)
        and trace is not None
        and kind in ("format", "formats")
    ):
        for array in each_array(i, member):
            if trace.holds(array.trace):
                event(i, "format", place, what, frame, note_=_operand(what, place, operand), member=array)


pycalls.register("compiled", call)

__all__ = ["FALSE", "each_leaf", "event", "make", "on_read", "on_write", "use"]
