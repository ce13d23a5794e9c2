"""MX5: what is compiled, with which arguments, and whether it has an effect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.finding import Finding
from mxlint.rules.report import finding, in_versions, name_of, quoted
from mxlint.tracing.attribute import is_layer_class
from mxlint.tracing.events import Capture, Record, Trace
from mxlint.tracing.values import FuncV, Place, Scalar, Value


def method(record: Record) -> Iterator[Finding]:
    """mx.compile as the decorator of a method."""
    if record.method_of is not None:
        options = ", inputs=self.state" if record.frame.cls is not None and is_layer_class(record.frame.cls) else ""
        options += ", shapeless=True" if record.shapeless else ""
        name = record.function.name.rpartition(".")[2] if isinstance(record.function, FuncV) else record.compiled
        yield finding(
            "MX501", record.decorates or record.site,
            f"mx.compile returns an object that does not bind self: calling `{name}` on an instance of {record.method_of} "
            "leaves the first argument out and raises \"TypeError: missing 1 required positional argument\"",
            f"compile the bound method in __init__: self._{name.strip('_')} = mx.compile(self.{name}{options})",
            record, object=record.method_of,
        )  # fmt: skip


def _a(kind: str) -> str:
    """A type's name with its article: `a set`, `an enum member`, `a dtype`."""
    name = kind.partition(" ")[0] if kind.startswith("dtype ") else kind
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def arguments(record: Record) -> Iterator[Finding]:
    """Arguments that are neither arrays nor constants."""
    for bad in record.bad_arguments:
        if bad.type == "nn.Module":
            verb = "holds" if bad.inside else "is"
            message = f"{quoted(bad.argument)} {verb} an nn.Module: inside {name_of(record)} it arrives as a plain dict of its arrays and cannot be called"
            help = "close over the module and pass inputs=model.state, or compile the module itself"
        elif bad.type == "NoneType":
            message = (
                f'{quoted(bad.argument)} {"holds" if bad.inside else "is"} None: the call raises{in_versions(bad.versions, bad.judged)} "ValueError: [compile] Function '
                'arguments must be trees of arrays or constants (floats, ints, or strings), but received type NoneType"'
            )
            help = "bind None with functools.partial or a closure, or require a newer MLX"
        else:
            message = (
                f'{quoted(bad.argument)} {"holds" if bad.inside else "is"} {_a(bad.type)}: the call raises "ValueError: [compile] Function arguments must be trees of '
                'arrays or constants (floats, ints, strings, or None), but received type …"'
            )
            help = (
                f"pass mx.array({'…' if bad.inside else bad.argument})"
                if "numpy" in bad.type
                else "pass arrays, numbers, strings, None, or lists, tuples and dicts of these; bind anything else with functools.partial or a closure"
            )
        yield finding("MX502", bad.place, message, help, record)


def returned(record: Record) -> Iterator[Finding]:
    """MX503 and MX504: results that MLX does not see."""
    for trace in record.traces:
        for event in trace.events:
            if event.kind == "return":
                yield finding(
                    "MX503", event.place,
                    f"{name_of(record)} returns {event.what} that holds placeholders: MLX looks for arrays in lists, tuples and dicts only, "
                    "so they are never replaced by results, every call returns the same object, and using it raises",
                    "return the arrays in a list, tuple or dict, and build the object outside", record, object=event.object,
                )  # fmt: skip
    done = [trace for trace in record.traces if trace.returned is not None]
    if done and record.outputs is None and all(_nothing(trace) for trace in done):
        yield finding(
            "MX504", record.site,
            f"{name_of(record)} computes arrays but returns nothing and has no outputs=: MLX computes only what is returned or captured, "
            "so nothing is ever done",
            "return the result, or pass the container that it writes as outputs=", record,
        )  # fmt: skip


def _nothing(trace: Trace) -> bool:
    """The body made arrays, let none of them out, and did nothing else."""
    empty = isinstance(trace.returned, Scalar) and trace.returned.kind == "None"
    return empty and trace.computed > 0 and not trace.writes and not trace.events


def not_a_function(place: Place, what: str, compiled: str) -> Finding:
    """MX505: something that cannot be compiled."""
    if what == "nothing":
        return finding(
            "MX505", place, "mx.compile without a function raises a TypeError: it takes the function first and is no factory of decorators",
            "write @mx.compile, or @partial(mx.compile, shapeless=True) with options",
        )  # fmt: skip
    detail = {
        "a generator function": "calling it only makes a generator, whose body runs later with placeholders and raises",
        "an async function": "calling it only makes a coroutine, whose body runs later with placeholders and raises",
    }.get(what, "mx.compile wants the function itself, and the call raises a TypeError")
    return finding("MX505", place, f"{quoted(compiled)} is {what}: {detail}", "compile a plain function that returns arrays")


def without_effect(records: Sequence[Record]) -> Iterator[Finding]:
    """Compiled objects that nothing ever calls as meant."""
    for record in records:
        if record.dunder is not None:
            yield finding(
                "MX507", record.dunder,
                "Python looks __call__ up on the class: an instance attribute of that name is never used, so calling the object "
                "still runs the uncompiled code",
                "keep the compiled function under another name and call that, or compile where the object is used", record,
            )  # fmt: skip
        elif record.discarded is not None and not record.calls and record.form != "lambda":
            yield finding(
                "MX507", record.discarded, "the result of mx.compile is thrown away: mx.compile changes nothing in place, so nothing is compiled",
                "bind the result and call it: fast = mx.compile(f)", record,
            )  # fmt: skip
    yield from _shared(records)


def _shared(records: Sequence[Record]) -> Iterator[Finding]:
    seen: dict[int, Record] = {}
    for record in records:
        if not isinstance(record.function, FuncV) or not record.calls:
            continue
        first = seen.setdefault(id(record.function), record)
        if first is not record and first.site != record.site and first.epoch == record.epoch and not _same(first.outputs, record.outputs):
            yield finding(
                "MX507", record.site,
                f"{name_of(record)} is compiled twice with different outputs=: both objects share one trace, so the one called later does not "
                "write what it captures",
                "compile two different functions (wrap one in a lambda)", record, also=[("compiled before here", first.site)],
            )  # fmt: skip


def _same(a: Capture | None, b: Capture | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.value is b.value or a.text == b.text


def environment(settings: Sequence[tuple[Place, Value, bool]]) -> Iterator[Finding]:
    """MLX_DISABLE_COMPILE set where or so that it does not do what it says."""
    for place, value, late in settings:
        if late:
            yield finding("MX507", place, "MLX_DISABLE_COMPILE is read once, at the first compiled call: set after it, it has no effect",
                          "set it before the program starts, or call mx.disable_compile()")  # fmt: skip
        elif isinstance(value, Scalar) and value.known and value.content in ("0", "", "false", "False"):
            yield finding("MX507", place, "any value of MLX_DISABLE_COMPILE disables compilation, this one too",
                          "delete the variable to enable compilation, or call mx.enable_compile()")  # fmt: skip
