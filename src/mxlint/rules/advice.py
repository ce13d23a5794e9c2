"""MX6, and MX306: what does no harm but has no use either, and what is measured or shared the wrong way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from mxlint.finding import Finding
from mxlint.project import Project
from mxlint.rules.report import finding, is_test, name_of
from mxlint.rules.shapeless import matters, varying_axes
from mxlint.tracing.events import Record
from mxlint.tracing.machine import holds_traced
from mxlint.tracing.values import CompiledV, Place, TransformV


def advice(records: Sequence[Record], project: Project) -> Iterator[Finding]:
    """All records of one compile site."""
    first = records[0]
    if len(records) == 1 and not _exported(first) and not is_test(first.object.split(".")) and first.method_of is None:
        yield from _used_once(first)
        yield from _nothing_to_fuse(first)
        yield from _nested(first, project)
    for record in records:
        yield from _kernels(record)
        yield from _threads(record)


def _exported(record: Record) -> bool:
    """Whether other files may call it: a public name of a module or class, or something that is kept elsewhere."""
    if record.escapes:
        return True
    if record.frame.kind not in ("module", "class"):
        return False
    held = [name for name, value in record.frame.fields.items() if isinstance(value, CompiledV) and value.record is record]
    return any(isinstance(name, str) and not name.startswith("_") for name in held)


def _used_once(record: Record) -> Iterator[Finding]:
    once = len(record.calls) == 1 and not record.calls[0].loops and not record.calls[0].guarded and not record.loops
    if once and record.epoch == record.calls[0].epoch == 0 and not record.inlined and not record.differentiated and not record.threads:
        yield finding(
            "MX306", record.site, f"{name_of(record)} is compiled and called once: tracing and compiling cost more than one call can save",
            "call the function itself", record,
        )  # fmt: skip


def _nothing_to_fuse(record: Record) -> Iterator[Finding]:
    done = [trace for trace in record.traces if trace.returned is not None]
    if not done or isinstance(record.function, TransformV) or record.differentiated or record.shapeless is not False:
        return
    if all(trace.computed == 1 and not trace.lost and not trace.writes and holds_any(trace.returned) for trace in done):
        yield finding(
            "MX601", record.site,
            f"{name_of(record)} is one operation, or one function that MLX has compiled already: there is nothing to fuse",
            "leave out mx.compile here, or compile the function around it", record,
        )  # fmt: skip


def holds_any(value: object) -> bool:
    """Whether a result is an array at all."""
    from mxlint.tracing.values import Array

    return isinstance(value, Array) or holds_traced(value)


def _nested(record: Record, project: Project) -> Iterator[Finding]:
    private = record.frame.kind == "function" or record.compiled.startswith("_")
    unused = private and record.inlined and not record.exposed and not record.calls and not record.differentiated and not record.threads
    if unused and not _named_elsewhere(record, project):
        yield finding(
            "MX602", record.site, f"{name_of(record)} is only called while another function is traced: its own compilation is never used",
            "leave out mx.compile here: the outer function is compiled as a whole", record,
        )  # fmt: skip


def _named_elsewhere(record: Record, project: Project) -> bool:
    """Whether something names the compiled object besides its definition and the calls of it that were followed inside traces."""
    source = record.site.source
    for name, value in record.frame.fields.items():
        if isinstance(value, CompiledV) and value.record is record and isinstance(name, str):
            if record.frame.kind == "module" and project.named_elsewhere(name, source):
                return True
            if len(re.findall(rf"\b{re.escape(name)}\b", source.text)) > 1 + len(set(record.inlined)):
                return True
    return False


def _kernels(record: Record) -> Iterator[Finding]:
    varying = varying_axes(record)
    if record.shapeless is not False or varying is None:
        return
    for trace in record.traces:
        for event in trace.events:
            if event.kind == "kernel" and matters(event.axes, varying, features=True):
                yield finding(
                    "MX605", event.place,
                    f"the size of the custom kernel comes from a shape that changes between calls: {name_of(record)} is traced, and the kernel "
                    "built, once for each shape",
                    "pad the data to a few sizes", record, object=event.object, calls=event.calls,
                )  # fmt: skip


def _threads(record: Record) -> Iterator[Finding]:
    if record.captures and record.threads and (len(set(record.threads)) > 1 or record.calls):
        yield finding(
            "MX606", record.threads[0][0],
            f"{name_of(record)} captures state and is called from several threads: each thread traces anew, and the captured arrays of one "
            "are placeholders or belong to the stream of another",
            "call it from one thread, or give each thread a function and state of its own", record,
        )  # fmt: skip


def mistimed(place: Place, record: Record, first: bool) -> Finding:
    """MX603: a clock that does not time what it is meant to."""
    if first:
        message = f"this times the first call of {name_of(record)}: tracing and compiling, not running"
        help = "call it once and evaluate the result before the first clock reading"
    else:
        message = f"nothing forces the result of {name_of(record)} before this clock reading: MLX is lazy, so only the building of the graph is timed"
        help = "call mx.eval on the result before the second clock reading"
    return finding("MX603", place, message, help, record)


def disabled(place: Place) -> Iterator[Finding]:
    """MX604: compilation is switched off for good, and not for tests."""
    if is_test(PurePath(place.source.name).parts[-3:]):
        return
    yield finding(
        "MX604", place, "this always switches off compilation for the whole process: every mx.compile in it does nothing",
        "put it under a debug option, or pair it with mx.enable_compile()",
    )  # fmt: skip
