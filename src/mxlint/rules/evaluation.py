"""MX1: the body of a compiled function holds placeholders, and nothing can look at their values."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.report import EVAL_ERROR, finding, name_of, quoted
from mxlint.tracing.events import Event, Record

_HELP = {
    "format": "return the array and print it outside the compiled function, or print its .shape or .dtype; "
    "to debug, call mx.disable_compile() before the first call",
    "log": "log the array outside the compiled function, or log its .shape or .dtype",
    "evaluate": "call it outside the compiled function, on what the function returns",
    "convert": "stay in MLX inside the compiled function (mx.where, mx.clip, mx.sqrt, …), or return the array and convert it outside; "
    "pass a number that must be a Python number as an argument",
    "index": "index an mx.array instead of a Python list (table[i], mx.take), and pass sizes and counts as Python numbers",
    "truth": "compute both sides and choose with mx.where, mx.minimum or mx.maximum, or decide outside the compiled function",
}
_CODES = {"format": "MX101", "log": "MX101", "evaluate": "MX102", "convert": "MX103", "truth": "MX104", "index": "MX105"}


def _error(event: Event) -> str:
    if "async" in event.what:
        return '"ValueError: [async_eval] Not allowed inside a graph transformation"'
    if event.kind == "index" and " of mx." in event.what:
        return '"TypeError: … incompatible function arguments" or "RuntimeError: std::bad_cast"'
    return f'"{EVAL_ERROR}"'


def evaluation(record: Record) -> Iterator[Finding]:
    """Every place of the traced body that needs the value of a placeholder."""
    for trace in record.traces:
        for event in trace.events:
            code = _CODES.get(event.kind)
            if code is None:
                continue
            about = f" of {quoted(event.note)}" if event.note else "" if event.kind == "log" else " of a traced array"
            error = _error(event)
            if event.kind == "log":
                message = (
                    f"{event.what} formats a traced array{about}: while {name_of(record)} is traced it has no value, "
                    "so the log record is lost and logging prints a traceback to stderr"
                )
                severity = "warning"
            else:
                message = (
                    f"{event.what} needs the value{about}, but mx.compile traces {name_of(record)} with placeholders that have none: "
                    + (
                        f"it raises {error}, and what becomes part of the trace is the handler"
                        if event.swallowed
                        else f"{'a call that comes here' if event.guarded else 'the first call'} raises {error}"
                    )
                )
                severity = "error"
            if record.inputs is not None and event.kind != "log" and not event.swallowed:
                message += "; and what inputs= captures stays full of placeholders"
            yield finding(
                code, event.place, message, _HELP[event.kind], record, object=event.object, calls=event.calls, chain=event.chain,
                severity="warning" if severity == "warning" else "error",
            )  # fmt: skip
