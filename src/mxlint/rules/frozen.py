"""MX2, the second half: what happens once per trace although the program means once per call, and what never reaches the caller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.fixes.remedies import Evaluate
from mxlint.rules.report import finding, line, name_of, quoted, span
from mxlint.rules.state import not_through_container
from mxlint.tracing.attribute import WEIGHTS, is_module
from mxlint.tracing.events import Record, Trace
from mxlint.tracing.layers import FROZEN
from mxlint.tracing.values import Array, BoundV, DictV, External, Frame, FuncV, Heap, Instance, ListV, Scalar, Tup, differ


def frozen(record: Record) -> Iterator[Finding]:
    """Calls, effects and Python values that the trace has frozen."""
    yield from _calls(record)
    yield from _mutations(record)
    yield from _python_state(record)
    yield from _growing(record)
    yield from _aliased(record)


def lazy_capture(record: Record) -> Iterator[Finding]:
    """Where nothing else is wrong with the state of a record: what it captures is computed again at every call."""
    yield from _lazy(record)


# -- MX206 ------------------------------------------------------------------------------------------------------------


def _calls(record: Record) -> Iterator[Finding]:
    for trace in record.traces:
        for event in trace.events:
            if event.kind != "frozen" or event.what.startswith("time.") and event.calls and event.place not in trace.clocked:
                continue  # a clock in a helper times what the helper does
            if event.note == "effect":
                message = f"{event.what} happens when {name_of(record)} is traced, once per trace, and at no later call"
                help = "do it in the code that calls the compiled function"
            else:
                message = f"{event.what} is called when {name_of(record)} is traced, and every later call goes on with that one value"
                help = "call it outside and pass the value as an array argument, or use mx.random with mx.random.state captured"
            yield finding("MX206", event.place, message, help, record, object=event.object, calls=event.calls)
        for write in trace.writes:
            counter = isinstance(write.value, Scalar) and write.value.kind == "int"  # append(1): somebody counts traces
            if write.how == "append" and not write.traced and not counter and write.target.fields.get("#relied") and _called_again(record):
                yield finding(
                    "MX206", write.place,
                    f"{quoted(write.name)} grows when {name_of(record)} is traced, once per trace and not once per call",
                    "append in the code that calls the compiled function", record, object=write.object, calls=write.calls,
                )  # fmt: skip


def _called_again(record: Record) -> bool:
    return len(record.calls) > 1 or any(call.loop is not None and call.loop.repeated for call in record.calls)


# -- MX207 ------------------------------------------------------------------------------------------------------------


def _mutations(record: Record) -> Iterator[Finding]:
    for trace in record.traces:
        for event in trace.events:
            if event.kind == "mutate" and isinstance(event.target, Heap) and event.target.fields.get("#relied"):
                yield finding(
                    "MX207", event.place,
                    f"this changes {quoted(event.what)} in place, but {name_of(record)} works on a copy of its arguments: "
                    "the caller's object stays as it was",
                    "return the new value and let the caller keep it, or capture the container with inputs= and outputs=", record,
                    object=event.object, calls=event.calls,
                )  # fmt: skip


# -- MX209 ------------------------------------------------------------------------------------------------------------


def _python_state(record: Record) -> Iterator[Finding]:
    seen: set[object] = set()
    rebound = {written for written, _ in record.rebound}  # MX205 says it
    for stale in record.stale:
        read = stale.read
        value = read.value
        if read.place in seen or isinstance(value, Instance) and stale.written in rebound:
            continue
        if isinstance(value, Scalar) and read.key != "version":
            present = stale.present
            if not isinstance(present, Scalar) and read.index is None and present is not None:
                continue
            if not value.known and not (isinstance(present, Scalar) and present.varies):
                continue
            what = (
                "the mode of the layer"
                if read.key == "training"
                else "which weights are frozen"
                if read.key == FROZEN
                else quoted(read.name)
            )
        elif isinstance(value, Instance) and is_module(value) and not isinstance(read.target, Frame):
            if read.index is None and not isinstance(stale.present, Instance):
                continue
            what = read.name if read.index is not None else f"the layer {quoted(read.name)}"
        elif isinstance(value, (Tup, ListV, External, FuncV, BoundV)) and differ(value, stale.present):
            what = quoted(read.name)
        elif isinstance(value, tuple):
            what = quoted(read.name) if read.name.startswith("len(") else f"the length of {quoted(read.name)}"
        else:
            continue
        seen.add(read.place)
        change = f"{line(stale.written)} changes it" if stale.written is not None else "it changes"
        yield finding(
            "MX209", read.place,
            f"{what} is a Python value: {name_of(record)} keeps what it was at the trace, though {change} before "
            f"{line(stale.again)} calls it again",
            "pass it as an argument (as an array if it changes often), or compile one function for each value", record,
            object=read.object, calls=read.calls,
            also=[(text, place) for text, place in (("changed here", stale.written), ("called again here", stale.again)) if place is not None],
        )  # fmt: skip
    if _called_again(record):
        for trace in record.traces:
            yield from _counters(record, trace, seen)


_NUMBERS = ("int", "float", "number")


def _counters(record: Record, trace: Trace, seen: set[object]) -> Iterator[Finding]:
    """Numbers that the body itself counts up, and reads."""
    counted = {
        (id(write.target), write.key): write
        for write in trace.writes
        if write.how in ("augment", "name", "attribute") and isinstance(write.value, Scalar) and write.value.kind in _NUMBERS
    }
    for read in trace.reads:
        write = counted.get((id(read.target), read.key))
        if (
            write is None
            or (id(read.target), read.key) not in trace.counted
            or not isinstance(read.value, Scalar)
            or read.value.kind not in _NUMBERS
            or read.place in seen
            or not read.tells_apart(read.value, write.value)
        ):
            continue
        # What comes from an argument is the same at every call that uses this trace: a table that grows with the longest input.
        same = write.value.param or read.value.known and write.value.known and read.value.content == write.value.content
        if write.how == "augment" or not same:
            seen.add(read.place)
            yield finding(
                "MX209", read.place,
                f"{quoted(read.name)} is changed by {line(write.place)} when {name_of(record)} is traced, once per trace: "
                "every later call computes with the same number",
                "count outside and pass the number as an array argument, or keep it as an array in inputs= and outputs=", record,
                object=read.object, calls=read.calls, also=[("changed here", write.place)],
            )  # fmt: skip


# -- MX211 ------------------------------------------------------------------------------------------------------------


def _growing(record: Record) -> Iterator[Finding]:
    if not _called_again(record):
        return
    added = Counter(write.place for trace in record.traces for write in trace.writes if write.new and write.traced)
    for trace in record.traces:
        for write in trace.writes:
            grows = write.how in ("append", "new key") or write.new and added[write.place] > 1  # each trace under a key of its own
            if not grows or not write.traced or id(write.target) not in trace.reach_out:
                continue
            if id(write.target) in trace.reach_in:
                what = "every call finds one array more among its inputs and is traced anew"
            else:
                what = "only the trace appends: later calls overwrite the items that are there, and the list does not grow"
            yield finding(
                "MX211", write.place, f"{quoted(write.name)} is captured by {name_of(record)} and appended to: {what}",
                "return the value and append it outside, or use a container of fixed length", record, object=write.object, calls=write.calls,
            )  # fmt: skip


# -- MX212 ------------------------------------------------------------------------------------------------------------


def _aliased(record: Record) -> Iterator[Finding]:
    for trace in record.traces[:1]:
        arguments = {id(original) for original in trace.arguments.values() if isinstance(original, Array)}
        through = not not_through_container(trace)  # else MX205 says it
        leaves = trace.weights | trace.leaves if through else trace.weights
        for read in trace.reads:
            if id(read.target) in trace.aliased and (read.key == WEIGHTS or isinstance(read.value, Array)):
                yield finding(
                    "MX212", read.place,
                    f"{quoted(read.name)} has the very arrays of a module that inputs= captures, and is not captured: update(), load_weights() "
                    f"and copy.deepcopy() hand arrays on and copy none, so that {_UNCAPTURED.format(name_of(record))}",
                    "give it arrays of its own before the first call, computed (tree_map(lambda p: p + 0, …) and mx.eval), or capture it, too",
                    record, object=read.object, calls=read.calls,
                )  # fmt: skip
                return
            if not isinstance(read.value, Array) or id(read.target) in trace.reach_in:
                continue
            source = (
                "an argument of this call"
                if id(read.value) in arguments
                else "captured by inputs="
                if id(read.value) in leaves and (through or not isinstance(read.target, (ListV, DictV)))
                else ""
            )
            if source:
                yield finding(
                    "MX212", read.place,
                    f"{quoted(read.name)} is {source} and read here under another name as a constant: {_UNCAPTURED.format(name_of(record))}",
                    "use the argument or the captured container in the body", record, object=read.object, calls=read.calls,
                )  # fmt: skip
                return


_UNCAPTURED = 'the first call of {} raises "[compile] Attempting to compile a function with uncaptured inputs is not allowed"'


# -- MX210 ------------------------------------------------------------------------------------------------------------


def _lazy(record: Record) -> Iterator[Finding]:
    """An outside array that was never computed is part of the trace, and computed again at every call."""
    if not _called_again(record) or record.shapeless is not False or record.object.split(".")[-1].startswith("test"):
        return
    for trace in record.traces[:1]:
        for place, target in ((item.place, item.target) for item in trace.lazy):
            what = "the weights of this layer were" if isinstance(target, Instance) else f"{quoted(place.text)} was"
            yield finding(
                "MX210", place,
                f"{what} never computed before {name_of(record)} is traced: the whole computation behind it becomes part of the trace and is "
                "done again at every call",
                "call mx.eval on it before the first call (mx.eval(model.parameters()) for a model), or capture it with inputs=", record,
                remedy=Evaluate(
                    tuple((span(item.module or item.place), item.module.text.partition("(")[0] if item.module else "") for item in trace.lazy),
                    span(record.site), span(record.calls[0].place),
                ),
            )  # fmt: skip
            return
