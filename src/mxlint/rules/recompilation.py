"""MX3: the cache lives with the compiled object; who makes a new object makes a new trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.finding import Finding
from mxlint.fixes.remedies import CompileTransform, Hoist
from mxlint.rules.report import elements, finding, is_test, name_of, span
from mxlint.tracing.attribute import is_module
from mxlint.tracing.events import Record
from mxlint.tracing.values import NONE, UNKNOWN, BoundV, CompiledV, DictV, Frame, FuncV, Instance, PartialV, Place, TransformV, Value, same


def recompilation(records: Sequence[Record]) -> Iterator[Finding]:
    """All records of one compile site: objects made again and again."""
    made = [record for record in records if not record.escapes and record.calls and not _called_deeper(record)]
    if len(made) != len([record for record in records if record.calls]):
        return
    if any(is_test(record.object.split(".")) for record in made):
        return  # a test compiles what it is about to look at
    for record in made:
        inner = record.loops[record.frame.loop_base :]
        loop = next((loop for loop in inner if loop.repeated and _twice(made, loop)), None)
        if loop is not None:
            yield finding(
                "MX301", record.site,
                f"mx.compile makes a new compiled object of {name_of(record)} in every iteration, and its trace dies with it: "
                "each iteration traces and compiles again",
                "compile once before the loop and call that object in it; pass what changes as an array argument", record,
                remedy=Hoist(span(record.site), span(loop.place)),
            )  # fmt: skip
            return
    for record in made:
        if record.frame.kind == "module":
            continue
        loop = next((loop for loop in reversed(record.callers) if loop.repeated and _twice(made, loop)), None)
        layer = _layer_call(record)
        if loop is not None or layer is not None:
            yield finding(
                "MX302", record.site,
                f"every call of `{record.object or '?' if layer is None else layer.qualname}` makes a new compiled object of {name_of(record)} and drops it: "
                "each call traces and compiles again",
                "compile once, at module level or in __init__, and call the kept object here", record,
                also=[("in this loop", _head(loop.place))] if loop is not None else [],
                remedy=None if layer is not None and record.returned else Hoist(span(record.site)),
            )  # fmt: skip
            return


def transformed(place: Place, record: Record, kind: str) -> Finding:
    """A transform of a compiled function, called from host code."""
    name = {"nn_value_and_grad": "nn.value_and_grad"}.get(kind, f"mx.{kind}")
    return finding(
        "MX305", place,
        f"{name} runs the Python body of {name_of(record)} at every call: inside a transform its arguments are placeholders already, "
        "so nothing of it is compiled",
        f"compile what calls {name}" if kind in ("vjp", "jvp") else f"compile the transform instead: mx.compile({name}(f))", record,
        remedy=None if kind in ("vjp", "jvp") else CompileTransform(span(place), elements(record), kind == "nn_value_and_grad"),
    )  # fmt: skip


def _head(loop: Place) -> Place:
    """The first line of a loop."""
    end = loop.source.text.find("\n", loop.start, loop.end)
    return Place(loop.source, loop.start, end if end >= 0 else loop.end)


def _called_deeper(record: Record) -> bool:
    """Called in a loop inside the one that makes it: one compile serves many calls."""
    return any(call.loops > len(record.loops) for call in record.calls)


def _twice(records: Sequence[Record], loop: object) -> bool:
    found = [record for record in records if any(other is loop for other in record.loops)]
    return len(found) > 1 and all(
        _alike(found[0].function, record.function) and (not record.returned or _same_arguments(found[0].frame, record.frame))
        for record in found[1:]
    )


def _same_arguments(a: Frame, b: Frame) -> bool:
    """Whether two calls of a factory were given the same, so that the second had no need to compile anew."""
    node = a.function.node if a.function is not None else None
    given = [(a.fields.get(param.name, UNKNOWN), b.fields.get(param.name, NONE)) for param in node.params] if node is not None else []
    return a is b or node is not None and all(same(*pair) or _alike(*pair) for pair in given)


def _alike(a: Value, b: Value) -> bool:
    """Whether two compiled functions are the same piece of code over the same object."""
    if a is b:
        return True
    if isinstance(a, FuncV) and isinstance(b, FuncV):
        return a.node is not None and a.node is b.node
    if isinstance(a, BoundV) and isinstance(b, BoundV):
        return a.owner is b.owner and _alike(a.function, b.function)
    if isinstance(a, (PartialV, TransformV)) and isinstance(b, (PartialV, TransformV)):
        return _alike(a.function, b.function)
    if isinstance(a, DictV) and isinstance(b, DictV):
        return a.fields.keys() == b.fields.keys() and all(same(a.fields[key], b.fields[key]) for key in a.keys)
    return isinstance(a, CompiledV) and isinstance(b, CompiledV) and _alike(a.record.function, b.record.function)


def _layer_call(record: Record) -> Frame | None:
    """The `__call__` of a layer that makes a compiled object, or is given it by the function that does."""
    frame = record.frame.caller if record.returned else record.frame
    while frame is not None and frame.kind == "comprehension":
        frame = frame.parent
    if frame is None or frame.function is None or not frame.qualname.endswith(".__call__") or frame.cls is None:
        return None
    return frame if is_module(Instance(cls=frame.cls)) else None
