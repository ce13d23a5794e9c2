"""What the static tracer knows, as facts: frozen records that name places, functions and values instead of holding them."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mxlint.facts import model
from mxlint.finding import Span
from mxlint.project import Project
from mxlint.source import Source
from mxlint.syntax import ir
from mxlint.tracing import events, presume
from mxlint.tracing.call import CallInfo, node_of
from mxlint.tracing.machine import Machine, qualname
from mxlint.tracing.values import (
    Array,
    BoundV,
    Choice,
    ClassV,
    CompiledV,
    DictV,
    External,
    Frame,
    FuncV,
    Instance,
    ListV,
    ModuleV,
    Opaque,
    Place,
    Scalar,
    Step,
    Tup,
)  # fmt: skip

DEPTH = 4
"""Levels of containers that the description of a value goes into."""


def facts(m: Machine, source: Source, project: Project, sites: Iterable[model.Site]) -> model.Facts:
    """Return the facts of an analysed file, `sites` among them, and the imports of every file that they name."""
    objects = tuple(_object(m, record) for record in m.records)
    sources = {id(place.source): place.source for record in m.records for place in _places(record)} | {id(source): source}
    return model.Facts(tuple(sites), objects, tuple(item for one in sources.values() for item in imports(one, project)))


def _places(record: events.Record) -> Iterator[Place]:
    yield record.site
    for call in record.calls:
        yield call.place
    items: list[events.Event | events.Read | events.Write] = []
    for trace in record.traces:
        items += [*trace.events, *trace.reads, *trace.writes]
    for item in items:
        yield item.place
        yield from item.calls


def _span(place: Place) -> Span:
    span: Span = place.source.span(place.start, place.end)
    return span


def _spans(places: Iterable[Place]) -> tuple[Span, ...]:
    return tuple(map(_span, places))


# -- compiled objects --------------------------------------------------------------------------------------------------


def _object(m: Machine, record: events.Record) -> model.CompiledObject:
    return model.CompiledObject(
        site=_span(record.site),
        form=record.form,
        text=record.compiled,
        within=record.object,
        function=_function(m, record),
        inputs=_capture(record.inputs),
        outputs=_capture(record.outputs),
        shapeless=record.shapeless,
        calls=tuple(map(_call, record.calls)),
        nested=_spans(record.inlined),
        traces=tuple(map(_trace, record.traces)),
        changes=tuple(
            model.Change(
                stale.read.name, _span(stale.read.place), None if stale.written is None else _span(stale.written), _span(stale.again)
            )
            for stale in record.stale
        ),
    )


def _capture(capture: events.Capture | None) -> model.Capture | None:
    return None if capture is None else model.Capture(_span(capture.place), capture.text)


def _function(m: Machine, record: events.Record) -> model.Function | None:
    target, bound, _ = presume.target_of(record.function)
    node = node_of(target) if target is not None else None
    if target is None or node is None:
        return None
    assumed = {} if record.calls else _assumed(presume.arguments(m, record.function, record.frame, record.site), node, bound)
    parameters = tuple(_parameter(target, param, assumed.get(param.name)) for param in node.params)
    outer = target.env.qualname if target.env is not None and target.env.kind != "module" else ""
    return model.Function(target.name, outer, _span(Place(target.source, node.start, node.end)), parameters, bound)


def _assumed(info: CallInfo | None, node: ir.FuncDef | ir.Lambda, bound: int) -> Mapping[str, Any]:
    """What the parameters of a function that nothing in sight calls are taken to be."""
    if info is None:
        return {}
    positional = [param.name for param in node.params[bound:] if not param.star and not param.kwonly]
    return {**dict(zip(positional, info.args)), **info.keywords}


def _parameter(function: FuncV, param: ir.Param, value: Any) -> model.Parameter:
    place = Place(function.source, param.start, param.end)
    annotation = function.source.text[param.annotation.start : param.annotation.end] if param.annotation is not None else None
    described = None if value is None else describe(value)
    known = None if isinstance(described, model.UnknownValue) else described
    return model.Parameter(param.name, param.star, param.kwonly, annotation, param.default is not None, known, _span(place))


def _call(call: events.Call) -> model.Call:
    arguments = tuple(model.Argument(str(name), _span(place), describe(value)) for name, (place, value) in call.given.items())
    within = qualname(call.frame) if call.frame is not None and call.frame.kind != "module" else ""
    loops = _spans(loop.place for loop in call.around)
    return model.Call(_span(call.place), arguments, within, _path(call.frame), loops, "may" if call.guarded else "must")


def _path(frame: Frame | None) -> tuple[Span, ...]:
    """The calls that led to a function, outermost first."""
    found: list[Span] = []
    while frame is not None:
        if frame.called_at is not None and frame.kind != "comprehension":
            found.append(_span(frame.called_at))
        frame = frame.caller
    return tuple(reversed(found))


def _trace(trace: events.Trace) -> model.Trace:
    return model.Trace(
        tuple(map(_event, trace.events)),
        tuple(model.Read(read.name, _span(read.place), _spans(read.calls), describe(read.value)) for read in trace.reads),
        tuple(
            model.Write(
                write.name,
                write.how,
                _span(write.place),
                _spans(write.calls),
                describe(write.value),
                write.traced,
                _modality(write.guarded),
            )
            for write in trace.writes
        ),
        full=not trace.lost,
    )


def _event(event: events.Event) -> model.Event:
    axes = sorted(event.axes, key=lambda axis: (axis[0], axis[1] is None, axis[1] or 0))
    return model.Event(
        event.kind, event.what, _span(event.place), _spans(event.calls), _chain(event.chain), tuple(axes), _modality(event.guarded)
    )


def _chain(step: Step | None) -> tuple[model.Step, ...]:
    return () if step is None else tuple(model.Step(link.note, _span(link.place)) for link in step.steps())


def _modality(guarded: bool) -> model.Modality:
    return "may" if guarded else "must"


# -- values ------------------------------------------------------------------------------------------------------------


def describe(value: Any, depth: int = DEPTH) -> model.Value:
    """Return what is known of a value, without the value."""
    if isinstance(value, Array) and not value.tree:
        return model.ArrayValue(None if value.shape is None else tuple(map(_size, value.shape)), _dtype(value.dtype))
    if isinstance(value, Scalar):
        return _scalar(value)
    if isinstance(value, (Tup, ListV)) and depth:
        items = None if value.items is None else tuple(describe(item, depth - 1) for item in value.items)
        return model.ContainerValue("tuple" if isinstance(value, Tup) else "list", items)
    if isinstance(value, DictV) and depth and not value.open:
        return model.ContainerValue(
            "dict", tuple(describe(value.fields["k", key], depth - 1) for key in value.keys), tuple(map(str, value.keys))
        )
    if isinstance(value, Instance):
        return model.ObjectValue(value.cls.name)
    if isinstance(value, BoundV):
        return describe(value.function, depth)
    if isinstance(value, (External, FuncV, ClassV, ModuleV)):
        return model.NamedValue(value.name)
    if isinstance(value, CompiledV):
        return model.NamedValue(value.record.compiled)
    if isinstance(value, Choice):
        return _one_of([describe(option, depth) for option in value.options])
    return model.UnknownValue(value.label if isinstance(value, Opaque) else "")


def _one_of(options: list[model.Value]) -> model.Value:
    """What holds for each of several values."""
    return options[0] if all(option == options[0] for option in options) else model.UnknownValue("")


def _dtype(dtype: str | None) -> str | None:
    """MLX's name of a dtype, as `mx.float32` has it."""
    return None if dtype is None else dtype.removeprefix("dtype ")


def _size(size: Scalar) -> model.Size:
    return size.content if size.known and not size.varies and isinstance(size.content, int) else None


def _scalar(value: Scalar) -> model.ScalarValue:
    content = value.content if value.known else None
    plain = content is None and value.kind == "None" or isinstance(content, (bool, int, str))
    plain = plain or isinstance(content, float) and math.isfinite(content)
    return model.ScalarValue(value.kind, content if plain else None, plain, value.varies)


# -- imports -----------------------------------------------------------------------------------------------------------


def imports(source: Source, project: Project) -> Iterator[model.Import]:
    """Yield what the import statements of a file bind, wherever they stand in it."""
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import a.b` binds `a`, `import a.b as c` binds `a.b`.
                target = alias.name if alias.asname else alias.name.partition(".")[0]
                yield model.Import(alias.asname or target, target, _node_span(source, node), _file(project, target, 0, source))
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                inner = f"{node.module}.{alias.name}" if node.module else alias.name
                found = _file(project, inner, node.level, source) or _file(project, node.module or "", node.level, source)
                dot = "" if module.endswith(".") or not module else "."
                yield model.Import(alias.asname or alias.name, f"{module}{dot}{alias.name}", _node_span(source, node), found)


def _file(project: Project, name: str, level: int, source: Source) -> str | None:
    found = project.find(name, level, source) if name or level else None
    return found.source.name if found is not None and found.source is not None else None


def _node_span(source: Source, node: ast.stmt) -> Span:
    def offset(row: int, column: int) -> int:
        line = source.line(row)
        return source.offset(row) + (column if line.isascii() else len(line.encode()[:column].decode(errors="replace")))

    return source.span(offset(node.lineno, node.col_offset), offset(node.end_lineno or node.lineno, node.end_col_offset or 0))
