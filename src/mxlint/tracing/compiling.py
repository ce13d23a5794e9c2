"""mx.compile itself: making compiled objects, calling them, and tracing their functions with placeholders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from mxlint.syntax import ir
from mxlint.tracing import attribute, layers, presume
from mxlint.tracing.arguments import TAKES_NONE, bad_type, flat_arrays, flat_key, signature
from mxlint.tracing.call import CallInfo, call, escape, node_of
from mxlint.tracing.events import BadArgument, Call, Capture, Read, Record, Stale, Trace, Write
from mxlint.tracing.heap import SHARED
from mxlint.tracing.layers import children
from mxlint.tracing.machine import Machine, holds_traced, qualname
from mxlint.tracing.values import (
    MISSING,
    UNKNOWN,
    Array,
    AttributesV,
    BoundV,
    CompiledV,
    DictV,
    External,
    Frame,
    FuncV,
    Heap,
    Instance,
    ListV,
    Opaque,
    PartialV,
    Place,
    Scalar,
    Snapshot,
    StateV,
    Step,
    TransformV,
    Tup,
    Value,
    array,
    contents,
    listed,
    now,
    options,
    same,
)  # fmt: skip
from mxlint.tracing.walks import each, tree_size

MAX_TRACES = 6
"""Different argument trees that one compiled object is traced with; more are taken to behave like the first."""
_PARAMETERS = ("fun", "inputs", "outputs", "shapeless")


# -- making -----------------------------------------------------------------------------------------------------------


def compile_call(m: Machine, info: CallInfo) -> Value:
    """`mx.compile(fun, inputs, outputs, shapeless)`."""
    function = info.get(0, "fun")
    if function is None:
        if not info.open:
            m.not_functions.append((info.place, "nothing", ""))
        return UNKNOWN
    node = _written(info)
    return make_compiled(m, info, _form(function, node), _text(info, node))


def _written(info: CallInfo) -> ir.Expr | None:
    """What a call says that it compiles; None where there is no such expression, as for a decorator."""
    return info.node.args[0].value if info.node is not None and info.node.args else None


def _text(info: CallInfo, node: ir.Expr | None) -> str:
    """How to call what is compiled."""
    if node is not None:
        return Place(info.place.source, node.start, node.end).text
    return info.args[0].name.rpartition(".")[2] if info.args and isinstance(info.args[0], FuncV) else "?"


def _form(function: Value, node: ir.Expr | None) -> str:
    if isinstance(node, ir.Lambda):
        return "lambda"
    kinds = ((TransformV, "transform"), (PartialV, "partial"), (Instance, "module"), (BoundV, "method"), (CompiledV, "compiled"))
    for kind, form in kinds:
        if isinstance(function, kind):
            return form
    return "attribute" if isinstance(node, ir.Attr) else "name"


def wrap(m: Machine, info: CallInfo) -> Value:
    """A call of a wrapper that the configuration declares: it compiles what it is given, or decorates with what it is given."""
    if info.args:
        return make_compiled(m, info, "wrapper", _text(info, _written(info)))
    return PartialV(External("mlx.core.compile"), (), tuple(info.keywords.items()), tuple(info.nodes.items()), info.place)


def make_compiled(m: Machine, info: CallInfo, form: str, compiled: str) -> Value:
    """A compiled object and its record."""
    function = info.get(0, "fun") or UNKNOWN
    shapeless = info.get(3, "shapeless")
    record = Record(
        site=info.place, form=form, function=function, compiled=" ".join(compiled.split())[:80], inputs=_capture(m, info, 1, "inputs"),
        outputs=_capture(m, info, 2, "outputs"),
        shapeless=False if shapeless is None else bool(shapeless.content) if isinstance(shapeless, Scalar) and shapeless.known else None,
        object=qualname(info.frame), frame=info.frame, loops=tuple(m.loops), callers=tuple(m.loops[: info.frame.loop_base]), epoch=m.epoch,
        order=now(),
    )  # fmt: skip
    m.records.append(record)
    m.met()
    what = _not_a_function(function)
    if what:
        m.not_functions.append((info.place, what, record.compiled))
    if isinstance(function, CompiledV):
        function.record.inlined.append(info.place)
    return CompiledV(record=record)


def _not_a_function(function: Value) -> str:
    """What is compiled instead of a function, if anything."""
    if isinstance(function, BoundV):
        return _not_a_function(function.function) if isinstance(function.function, FuncV) else ""
    if isinstance(function, FuncV) and isinstance(node := node_of(function), ir.FuncDef):
        return "an async function" if node.is_async else "a generator function" if node.generator else ""
    if isinstance(function, (Array, Scalar, Tup, ListV, DictV)) and not (isinstance(function, Scalar) and function.kind == "scalar"):
        return "the result of a call" if isinstance(function, Array) else "a value"
    return ""


def _capture(m: Machine, info: CallInfo, position: int, name: str) -> Capture | None:
    value = info.get(position, name)
    if value is None or isinstance(value, Scalar) and value.kind == "None":
        return None
    place, node = info.nodes.get(name, (info.places[position] if position < len(info.places) else info.place, None))
    elements: tuple[tuple[Value, Place], ...] = ()
    literal = isinstance(node, (ir.Seq, ir.DictDisplay, ir.Comp))
    if isinstance(node, ir.Seq) and isinstance(value, (ListV, Tup)) and value.items is not None and len(value.items) == len(node.items):
        elements = tuple((v, Place(place.source, n.start, n.end)) for v, n in zip(value.items, node.items))
    return Capture(value, place, place.text, literal, elements)


# -- calling ----------------------------------------------------------------------------------------------------------


def _exposed(frame: Frame | None, root: Frame | None) -> bool:
    """Whether a function between a call and the body that is being traced is a public one, which others may call outside of any trace."""
    while frame is not None and frame is not root:
        name = frame.qualname.rpartition(".")[2]
        if frame.kind == "function" and not name.startswith("_"):
            return True
        frame = frame.caller or frame.parent
    return False


def call_compiled(m: Machine, compiled: CompiledV, info: CallInfo) -> Value:
    """Call a compiled object: from host code it is traced, or its trace is used again; inside another trace its body simply runs."""
    record: Record = compiled.record
    m.met()
    given, info = info, _followed(m, info)
    _check_arguments(m, record, info)
    if m.trace is not None:
        record.inlined.append(info.place)
        record.exposed = record.exposed or _exposed(info.frame, m.trace.root)
        return call(m, record.function, given)
    if m.compile_disabled:
        record.calls.append(Call(info.place, len(m.loops), m.epoch))
        return call(m, record.function, given)
    if m.differentiating:
        record.differentiated = True
        return call(m, record.function, given)
    m.compiled_called = True
    # What nothing in sight calls may run again, and find the compiled object where it has left it.
    once = m.epoch == 0 or record.epoch == m.epoch and not record.escapes
    m.clocks.append(("call", (record, once and not record.calls)))
    if m.thread is not None:
        record.threads.append(m.thread)
    if m.protected and record.inputs is not None:
        m.risked.append((record, info.place))
    _check_arity(record, info)
    values = info.values()
    if m.thread is None:
        record.calls.append(_noted_call(m, info, values))
    key = (signature(Tup(tuple(values)), shapes=record.shapeless is not True), tuple(info.keywords))
    known = record.keys.get(key) or _shared(m, record, key)
    if record.shapeless is True:
        _decide(m, record, info)
    if known is not None and known[0] in (0, m.epoch) and not _outgrown(known[2]):
        return _again(m, record, known[1], known[2], info)
    if len(record.traces) >= MAX_TRACES and record.keys:
        _, result, trace = next(iter(record.keys.values()))
        return fresh(m, result) if trace.epoch in (0, m.epoch) else UNKNOWN
    result, trace = run_trace(m, record, info)
    m.lazy(result, info.values())
    _rely(trace, info, [read for read in trace.reads if id(read.target) in trace.reach_in])
    if not trace.raised:
        record.keys[key] = (m.epoch, result, trace)
    return fresh(m, result)


def _outgrown(trace: Trace) -> bool:
    """Whether the trace has put an array where the captured container had none: the next call finds one more among its inputs."""
    return any(
        write.new and write.traced and write.how not in ("append", "new key") and id(write.target) in trace.reach_in
        for write in trace.writes
    )


def _shared(m: Machine, record: Record, key: Any) -> tuple[int, Value, Trace] | None:
    """The trace of another living object of the same function: the cache is kept by function."""
    for other in m.records:
        if other is not record and other.function is record.function and key in other.keys and other.shapeless == record.shapeless:
            held = any(isinstance(value, CompiledV) and value.record is other for value in other.frame.fields.values())
            if held and isinstance(record.function, FuncV):
                return other.keys[key]
    return None


def _noted_call(m: Machine, info: CallInfo, values: list[Value]) -> Call:
    """What rules want to know of one call from host code."""
    given: dict[int | str, tuple[Place, Value]] = dict(enumerate(zip(info.places, info.args)))
    given |= {name: (info.nodes[name][0], value) for name, value in info.keywords.items() if name in info.nodes}
    exact = signature(Tup(tuple(values)), shapes=True)
    return Call(
        info.place, len(m.loops), m.epoch, tuple(_shape_key(a) for a in flat_arrays(values)),
        {name: (place, value) for name, (place, value) in given.items() if isinstance(value, Scalar)},
        {name: (place, _shape_key(value)) for name, (place, value) in given.items() if isinstance(value, (Array, ListV))}, m.loops[-1] if m.loops else None, exact,
        flat_key([*values, *(Scalar("str", key) for key in info.keywords)]), bool(m.guards), given, info.frame, tuple(m.loops),
    )  # fmt: skip


def _shape_key(value: Array | ListV) -> tuple[Any, ...] | None:
    """What tells the shapes of an argument apart: the sizes of an array, the length of a list."""
    if isinstance(value, ListV):
        return None if value.items is None else ("list", len(value.items))
    if value.shape is None:
        return None
    return tuple("varies" if size.varies else size.content if size.known else None for size in value.shape)


def _check_arity(record: Record, info: CallInfo) -> None:
    """More or fewer arguments than the function takes: the trace raises a TypeError."""
    target, bound, names = presume.target_of(record.function)
    node = node_of(target) if target is not None and isinstance(record.function, FuncV) else None
    if node is None or info.open or any(p.star for p in node.params):
        return
    plain = [p for p in node.params[bound:] if not p.kwonly]
    missing = [
        p for p in node.params[bound + len(info.args) :] if p.default is None and p.name not in info.keywords and p.name not in names
    ]
    if len(info.args) > len(plain) or missing:
        record.misfits.append(info.place)


def _check_arguments(m: Machine, record: Record, info: CallInfo) -> None:
    named = [*zip(info.args, info.places), *((v, info.nodes[k][0] if k in info.nodes else info.place) for k, v in info.keywords.items())]
    for value, place in named if not m.expected else ():
        kind = bad_type(m.table, value)
        if kind is not None:
            inside = isinstance(value, (Tup, ListV, DictV))
            versions = m.table.before(TAKES_NONE) if kind == "NoneType" else m.table.judged
            record.bad_arguments.append(
                BadArgument(place, " ".join(place.text.split())[:60], kind, inside, info.place, versions, m.table.judged)
            )


def _again(m: Machine, record: Record, result: Value, trace: Trace, info: CallInfo) -> Value:
    """A later call that uses a trace again: what the trace read may have changed since."""
    if any(write.how in ("append", "new key") and write.traced and id(write.target) in trace.reach_in for write in trace.writes):
        return fresh(m, result)  # with one array more among its inputs it is traced anew
    straight = not m.guards and not any(loop.repeated for loop in m.loops)
    _check_rebound(m, record, trace, info)
    # A constant that the trace itself keeps under a name or attribute, such as a table made at the first call, is meant to stay.
    own = {(id(write.target), write.key): write.place for write in trace.writes if write.how in ("name", "attribute", "augment")}
    for read in trace.reads:
        where = (id(read.target), read.key)
        taken_out = id(read.target) in trace.reach_out and not isinstance(read.value, Scalar)  # of a container only its arrays
        if where in own and not taken_out and m.last_write.get(where) == own[where]:
            trace.counted.add(where)
            continue
        present = read.target.fields.get(read.key, MISSING)
        value = read.value
        if read.index is not None:
            present = present[read.index] if isinstance(present, tuple) and read.index < len(present) else MISSING
        if present is MISSING and read.absent:
            continue
        began = trace.before.get(where)
        if isinstance(began, Scalar) and isinstance(present, Scalar) and began.known and same(began, present):
            continue  # what it is at the beginning of the trace, however the trace changes it on the way
        if id(read.target) in trace.reach_in and (isinstance(value, Array) or read.key in (attribute.WEIGHTS, "version")):
            continue
        swapped = isinstance(value, Instance) and isinstance(present, Instance) and id(read.target) in trace.reach_in
        if swapped and any(layers.own_weights(m, layer) for layer in (value, present)):
            continue  # the arrays come in as inputs; where there are others than before, it is traced anew
        unchanged = any(
            option is before or isinstance(option, (Scalar, Tup)) and isinstance(before, (Scalar, Tup)) and same(option, before)
            for option in options(present)
            for before in options(value)
        )
        if isinstance(present, tuple) and isinstance(value, tuple):
            unchanged = len(present) == len(value)
        elif isinstance(present, int) and not isinstance(present, bool):
            unchanged = present == value
        if not unchanged and read.tells_apart(value, present):
            record.stale.append(Stale(read, present, m.last_write.get((id(read.target), read.key)), info.place, straight))
    m.last_write.update(own)  # uncompiled, this call would write there
    _rely(trace, info, trace.reads)
    for write in trace.writes:
        if id(write.target) in trace.reach_out:
            content = write.target.fields.get(write.key, MISSING)
            if content is not MISSING and not isinstance(content, (int, str, Scalar)):
                m.journal.store(write.target, write.key, fresh_content(m, content, write.index))
                m.last_write[id(write.target), write.key] = info.place
    return fresh(m, result)


def _rely(trace: Trace, info: CallInfo, reads: Iterable[Read]) -> None:
    """An argument that the body changes, and reads by another name as well: without compile it would find the change there."""
    state = {id(read.target.fields.get(read.key)) for read in reads if isinstance(read.value, Array)}
    state |= {id(item) for read in reads if isinstance(items := read.target.fields.get(read.key), tuple) for item in items}
    for original, value in zip(trace.arguments.values(), parts(info.values())):
        if id(value) in state and "#touched" in original.fields:
            original.fields.setdefault("#relied", []).append(info.place)


def _check_rebound(m: Machine, record: Record, trace: Trace, info: CallInfo) -> None:
    """A captured container that the program has bound anew since the trace: by its name, or as the state of its optimizer."""
    for capture in (record.inputs, record.outputs):
        if capture is None:
            continue
        parts = capture.value.items if isinstance(capture.value, (ListV, Tup)) and capture.value.items is not None else (capture.value,)
        for part in parts:
            if isinstance(part, StateV) and part.bound != part.owner.fields.get(attribute.BOUND, 0):
                written = m.last_write.get((id(part.owner), attribute.BOUND))
                if written is not None:
                    record.rebound.append((written, info.place))
    for read in trace.reads:
        if isinstance(read.value, (ListV, DictV, Instance)) and id(read.value) in trace.reach_in | trace.reach_out:
            present = read.target.fields.get(read.key, MISSING) if read.index is None else read.value
            written = m.last_write.get((id(read.target), read.key))
            if not any(option is read.value for option in options(present)) and written is not None:
                record.rebound.append((written, info.place))


def fresh(m: Machine, value: Value) -> Value:
    """The same value made anew, as every call of a compiled function does."""
    return _made_anew(_within(m, value))


def _made_anew(value: Value) -> Value:
    if isinstance(value, Array):
        return Array({**value.fields, "traced": value.traced, "trace": None}, tree=value.tree)
    if isinstance(value, Tup):
        return Tup(tuple(_made_anew(item) for item in value.items), value.cls)
    if isinstance(value, ListV) and value.items is not None:
        return ListV({"items": tuple(_made_anew(item) for item in value.items)})
    if isinstance(value, DictV):
        return DictV({key: _made_anew(item) if isinstance(key, tuple) else item for key, item in value.fields.items()})
    return value


MAX_TREE = 4096
"""Nodes of a tree of arguments or results. MLX visits what is shared once for every way that leads to it, so a tree may be far larger than its parts."""
NODES_PER_STEP = 8


def _within(m: Machine, value: Value) -> Value:
    """A tree of arguments or results, which costs steps by its size; unknown if it is too large to be followed."""
    size = tree_size(value, contents, MAX_TREE)
    m.tick(size // NODES_PER_STEP)
    return value if size <= MAX_TREE else m.lost("tree of arguments or results too large")


def _followed(m: Machine, info: CallInfo) -> CallInfo:
    """A call with arguments that can be followed."""
    return replace(
        info, args=[_within(m, value) for value in info.args], keywords={name: _within(m, value) for name, value in info.keywords.items()}
    )


def fresh_content(m: Machine, content: Any, index: int | None) -> Any:
    """What a later call puts into a field: into one item of a list, or all of them where it is not known into which."""
    if isinstance(content, tuple):
        return tuple(fresh(m, item) if index in (None, number) else item for number, item in enumerate(content))
    return fresh(m, content)


# -- tracing ----------------------------------------------------------------------------------------------------------


def reach(value: Value | None) -> tuple[frozenset[int], bool]:
    """The identities of the live containers under a capture, and whether the random state is among them."""
    found: set[int] = set()
    random = False
    others: list[Value] = []
    for part in () if value is None else each((value,), _captured_in):
        if isinstance(part, AttributesV):
            found.add(id(part.owner))
        elif isinstance(part, Heap) and (part is value or isinstance(part, (ListV, DictV))):
            found.add(id(part))
        random = random or isinstance(part, External) and part.name == "mlx.core.random.state"
        plain = isinstance(part, Instance) and not attribute.is_module(part) and not isinstance(part.cls, External)
        if not plain and not _captured_in(part):
            others.append(part)
    return frozenset(found | {id(below) for below in children(*others)}), random


def _captured_in(value: Value) -> tuple[Value, ...]:
    """What is captured with a container."""
    if isinstance(value, AttributesV):
        return tuple(item for item in value.owner.fields.values() if isinstance(item, (ListV, DictV)))
    return _in_tree(value)


def _in_tree(value: Value) -> tuple[Value, ...]:
    """What a container of an argument tree holds, as far as its items are known."""
    if isinstance(value, DictV):
        return tuple(item for key, item in value.fields.items() if isinstance(key, tuple))
    return listed(value)


def run_trace(m: Machine, record: Record, info: CallInfo) -> tuple[Value, Trace]:
    """Run the body with placeholders, as MLX does at the first call for an argument tree."""
    trace = open_trace(m, record)
    return _traced(m, record, trace, info), trace


def _decide(m: Machine, record: Record, info: CallInfo) -> None:
    """What the conditions on shapes come to for the shapes of this call, which a shapeless trace of other shapes does not ask."""
    shapes = signature(Tup(tuple(info.values())), shapes=True)
    if not record.traces or shapes in record.decisions or len(record.decisions) >= MAX_TRACES or not record.traces[0].decided:
        return
    held, written, before = list(record.traces), dict(m.last_write), dict(m.unknown)
    records = len(m.records)
    m.journal.begin()
    try:
        trace = open_trace(m, record)
        _traced(m, record, trace, info)
        record.decisions[shapes] = trace.decided
    finally:
        m.journal.undo()
        record.traces[:] = held
        del m.records[records:]
        m.last_write, m.unknown = written, before


def _traced(m: Machine, record: Record, trace: Trace, info: CallInfo) -> Value:
    """Run the body with placeholders for these arguments."""
    try:
        places = iter(info.places)
        counter = [0]
        args = [_placeholder(m, value, next(places, info.place), counter) for value in info.args]
        keywords = {
            name: _placeholder(m, value, info.nodes[name][0] if name in info.nodes else info.place, counter)
            for name, value in info.keywords.items()
        }
        trace.held += parts([*args, *keywords.values()])  # which argument each placeholder and rebuilt container stands for
        trace.arguments = {id(inside): outside for outside, inside in zip(parts(info.values()), trace.held)}
        inner = replace(info, args=args, keywords=keywords, node=None, nodes={}, place=record.site)
        return run_body(m, record, trace, presume.refine(m, record.function, inner, counter))
    finally:
        close_trace(m, trace)


def open_trace(m: Machine, record: Record) -> Trace:
    """Begin a trace: from now on placeholders cannot be looked at."""
    reach_in, random_in = reach(record.inputs.value if record.inputs else None)
    reach_out, random_out = reach(record.outputs.value if record.outputs else None)
    trace = Trace(record, now(), reach_in=reach_in, reach_out=reach_out, random_in=random_in, random_out=random_out, epoch=m.epoch)
    trace.muted = m.expected > 0
    trace.outside = (m.guards, m.left, m.protected, m.differentiating, m.swallowing, m.attempts)
    m.guards, m.left, m.protected, m.differentiating, m.swallowing, m.attempts = [], False, 0, 0, 0, []
    record.traces.append(trace)
    m.trace = trace
    return trace


def run_body(m: Machine, record: Record, trace: Trace, info: CallInfo, function: Value | None = None) -> Value:
    """Run the compiled function (`function` if it is one of several) with placeholders for its arguments and for what it captures."""
    swapped = _swap(m, record, trace)
    try:
        trace.computed = 0
        before = sum(m.unknown.values())
        trace.lost = 1  # if it does not come to its end
        result = call(m, function or record.function, info)
        trace.returned = result
        trace.writes = [write for write in trace.writes if id(write.target) in trace.reach_out or not _undone(trace, write)]
        trace.lost = sum(m.unknown.values()) - before
        trace.parted = record.outputs is not None and _parted(record.outputs.value, [old for _, _, old, _ in swapped])
        escape(m, result)
        layers.leave(m, trace)
    finally:
        for target, key, old, new in swapped:
            _restore(m, trace, target, key, old, new)
    return result


def _undone(trace: Trace, write: Write) -> bool:
    """Whether the trace itself has put back what was there, or taken away again what it wrote."""
    content = write.target.fields.get(write.key, MISSING)
    before = trace.before.get((id(write.target), write.key), MISSING)
    if content is before or isinstance(content, Scalar) and isinstance(before, Scalar) and content.known and same(content, before):
        return True
    gone = content is MISSING or isinstance(content, (Scalar, tuple)) or isinstance(content, Array) and content.traced is False
    return write.traced and gone and not holds_traced(content)


def close_trace(m: Machine, trace: Trace) -> None:
    """End a trace: its placeholders are constants from now on."""
    trace.active = False
    m.trace = None
    m.guards, m.left, m.protected, m.differentiating, m.swallowing, m.attempts = trace.outside


def parts(values: Iterable[Value]) -> Iterator[Heap]:
    """The arrays and containers of an argument tree, from the outside to the inside."""
    for value in values:
        if isinstance(value, (Array, ListV, DictV)):
            yield value
        yield from parts(_in_tree(value))


def _placeholder(m: Machine, value: Value, place: Place, counter: list[int]) -> Value:
    """What the body sees of an argument: placeholders for arrays, rebuilt containers, the same constants."""
    if isinstance(value, Array):
        number = counter[0]
        counter[0] += 1
        chain = Step(place, "argument")
        if value.tree:
            return m.array(True, None, chain, tree=True)
        shape = None
        if value.shape is not None:
            last = len(value.shape) - 1
            shape = tuple(
                Scalar("int", size.content, frozenset({(number, -1 if i == last > 0 else i)}), True) for i, size in enumerate(value.shape)
            )
        return m.array(True, shape, chain, like=frozenset({number}), dtype=value.dtype, sure=value.sure)
    if isinstance(value, Scalar):
        return replace(value, param=True)
    if isinstance(value, Tup):
        return Tup(tuple(_placeholder(m, item, place, counter) for item in value.items), value.cls)
    if isinstance(value, ListV):
        if value.items is None:
            return ListV({"items": None, "element": _placeholder(m, value.element, place, counter)})
        return ListV({"items": tuple(_placeholder(m, item, place, counter) for item in value.items)})
    if isinstance(value, DictV):
        return DictV(
            {k: _placeholder(m, v, place, counter) if isinstance(k, tuple) or k == "element" else v for k, v in value.fields.items()}
        )
    if isinstance(value, (StateV, Snapshot)):
        return m.array(True, None, Step(place, "argument"), tree=True)
    if isinstance(value, Opaque) and value is not UNKNOWN:
        return Opaque({"#param": True}, label=value.label)
    return value


def _parted(outputs: Value, swapped: list[Any]) -> bool:
    """Whether outputs= still holds an array itself whose placeholder stands in another container, that of inputs=."""
    captured = {id(item) for old in swapped for item in (old if isinstance(old, tuple) else (old,)) if isinstance(item, Array)}
    return any(id(part) in captured for part in each((outputs,), contents))


Swap = tuple[Heap, Any, Any, Any]


def _swap(m: Machine, record: Record, trace: Trace) -> list[Swap]:
    """Put placeholders for the arrays in the captured containers."""
    if record.inputs is None:
        return []
    swapped: list[Swap] = []
    step = Step(record.inputs.place, "captured by inputs=")
    for target in _containers(record.inputs.value):
        if SHARED in target.fields:
            trace.shared.add(target.fields[SHARED])
        for key, content in list(target.fields.items()):
            if not isinstance(target, Instance):
                kept = trace.leaves if "#named" in target.fields else trace.weights
                for item in content if isinstance(content, tuple) else (content,):
                    if isinstance(item, Array):
                        kept[id(item)] = record.inputs.place
            if isinstance(content, Array) and isinstance(target, Instance):
                trace.weights[id(content)] = record.inputs.place
            if isinstance(content, Array):
                new: Any = m.array(True, content.shape, step, tree=content.tree)
            elif isinstance(target, ListV) and key == "items" and isinstance(content, tuple) and any(isinstance(i, Array) for i in content):
                new = tuple(m.array(True, i.shape, step, tree=i.tree) if isinstance(i, Array) else i for i in content)
            else:
                continue
            target.fields[key] = new
            swapped.append((target, key, content, new))
    return swapped


def _containers(value: Value) -> list[Heap]:
    found = [below for below in children(value) if isinstance(below, (ListV, DictV, Instance))]
    return [below for below in found if not (isinstance(below, Instance) and not attribute.is_module(below))]


def _restore(m: Machine, trace: Trace, target: Heap, key: Any, old: Any, new: Any) -> None:
    """Put the arrays back where the body left the placeholders."""
    present = target.fields.get(key, MISSING)
    if isinstance(new, tuple) and isinstance(present, tuple):
        back = {id(placeholder): original for placeholder, original in zip(new, old)}
        target.fields[key] = tuple(back.get(id(item), item) for item in present)
    elif present is new:
        target.fields[key] = old


__all__ = ["FuncV", "array", "call_compiled", "compile_call", "make_compiled", "run_trace", "wrap"]
