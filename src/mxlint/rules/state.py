"""MX2: a compiled function sees only its arguments and what inputs= and outputs= list; everything else is a constant of the trace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mxlint.facts.events import Element, Where
from mxlint.finding import Finding
from mxlint.fixes.captures import whole
from mxlint.fixes.remedies import Recapture, Refill
from mxlint.rules.report import containers, elements, finding, line, name_of, quoted, span
from mxlint.tracing.attribute import WEIGHTS, is_optimizer
from mxlint.tracing.events import Capture, Event, Read, Record, Trace, Write
from mxlint.tracing.layers import REREAD, children, last_filled, operands
from mxlint.tracing.presume import target_of
from mxlint.tracing.values import (
    Array,
    ClassV,
    DictV,
    External,
    Foreign,
    Heap,
    Instance,
    ListV,
    Place,
    Snapshot,
    StateV,
    Tup,
    Value,
    listed,
)
from mxlint.tracing.walks import each, near


def state(record: Record) -> Iterator[Finding]:
    """At most one family of defects a record: a dead capture explains all others."""
    dead = list(_dead(record))
    if dead:
        yield from dead
        return
    half = list(_half(record))
    yield from _random(record)
    yield from half
    if not half:
        yield from _writes(record)
        yield from _reads(record)
        yield from _carried(record)


# -- MX205 ------------------------------------------------------------------------------------------------------------


def _dead(record: Record) -> Iterator[Finding]:
    for name, capture in (("inputs", record.inputs), ("outputs", record.outputs)):
        if capture is None:
            continue
        reason = _why_dead(capture) or _copied(record, capture) or (_elsewhere(record, capture) if name == "inputs" else None)
        if reason is not None:
            yield finding(
                "MX205", capture.place,
                f"{name}= is given {reason}: MLX looks for arrays in that object only, and later updates replace the arrays elsewhere, "
                f"so {name_of(record)} goes on with the old ones or raises \"uncaptured inputs\" at the first call",
                "capture the live container: model.state, optimizer.state, mx.random.state, or one list or dict that the body reads and writes",
                record, remedy=_live(record),
            )  # fmt: skip
            return
    own = list(_by_own_name(record))
    yield from own
    if not own and record.outputs is not None and any(trace.parted for trace in record.traces):
        yield finding(
            "MX205", record.outputs.place,
            f"inputs= and outputs= hold the same arrays in two containers: {name_of(record)} swaps them for placeholders in one and returns them "
            "from the other, so the first call raises \"uncaptured inputs\"",
            "give one and the same container to inputs= and outputs=", record,
        )  # fmt: skip
    seen = set()
    for written, again in record.rebound:
        if written not in seen:
            seen.add(written)
            yield finding(
                "MX205", written,
                f"this binds the captured container anew: {name_of(record)} keeps the old one, which nothing updates any more",
                "change the content of the captured container in place, or compile again after this", record,
                also=[("called again here", again)], remedy=Refill(span(written)),
            )  # fmt: skip


def _live(record: Record) -> Recapture:
    """What to capture instead, as far as that is plain to see."""
    inputs, outputs = (None if capture is None else _elements(capture) for capture in (record.inputs, record.outputs))
    return Recapture(span(record.site), inputs, outputs)


def _elements(capture: Capture) -> tuple[Element, ...]:
    given = capture.elements or ((capture.value, capture.place),)
    return tuple(Element(Where(span(place), place.text), _kind(value), None) for value, place in given)


def _kind(value: Value) -> str:
    if isinstance(value, Snapshot):
        return "parameters"
    if isinstance(value, Instance) and is_optimizer(value):
        return "optimizer"
    return "object" if isinstance(value, Instance) and _plain(value) else "copy"


def _why_dead(capture: Capture) -> str | None:
    value = capture.value
    if isinstance(value, Snapshot):
        return f"{quoted(capture.text)}, a fresh copy of the tree of parameters"
    if isinstance(value, Array) and not value.tree:
        return f"the array {quoted(capture.text)} itself, not a container"
    if isinstance(value, Foreign):
        return f"a {value.kind}, which is silently ignored" if value.kind in ("generator", "set") else None
    if isinstance(value, Tup) and value.items and all(isinstance(item, Array) for item in value.items):
        return "a tuple of arrays, whose items nothing can replace"
    if isinstance(value, Instance) and isinstance(value.cls, ClassV) and _plain(value):
        return f"{quoted(capture.text)}, an object of class {value.cls.name}, which is silently ignored"
    if isinstance(value, Instance) and is_optimizer(value):
        return f"the optimizer {quoted(capture.text)}, which is silently ignored (its state is {quoted(capture.text + '.state')})"
    head = capture.text.split("(", 1)[0].strip()
    if head in ("list", "tuple", "sorted") and capture.text.endswith(")"):
        return f"{quoted(capture.text)}, a fresh copy"
    if capture.literal and capture.text.startswith("[") and " for " in capture.text:
        return "a comprehension, a fresh list"
    for item, _ in capture.elements:
        if isinstance(item, Snapshot):
            return "a list that holds a fresh copy of the tree of parameters"
    return None


def _plain(value: Instance) -> bool:
    """Whether it is an object of a class of the project that has no base outside it."""
    return isinstance(value.cls, ClassV) and not any(isinstance(base, External) for base in value.cls.bases)


def _copied(record: Record, capture: Capture) -> str | None:
    """A copy of a model's parameters, held by the captured container, while the body takes the weights from the model itself."""
    value = capture.value
    held = value.fields.values() if isinstance(value, DictV) else value.items or () if isinstance(value, (ListV, Tup)) else ()
    for copy in (item for item in held if isinstance(item, Snapshot)):
        own = {id(below) for below in children(copy.owner)}
        for trace in record.traces:
            put_in = any(write.how == "update()" and id(write.target) in own for write in trace.writes)
            read = any(id(read.target) in own - trace.reach_in and _array_read(read) for read in trace.reads)
            if read and not put_in:
                return f"{quoted(capture.text)}, which holds a copy of the tree of parameters ({copy.method}())"
    return None


def _elsewhere(record: Record, capture: Capture) -> str | None:
    """A copy of a list or dict, which the body itself reads; where it reads the captured one, too, that is live (MX212)."""
    for trace in record.traces if all(map(not_through_container, record.traces)) else ():
        for read in trace.reads:
            if isinstance(read.target, (ListV, DictV)) and id(read.target) not in trace.reach_in and _made_of_captured(trace, read.value):
                return f"{quoted(capture.text)}, a copy of the container that the body takes {quoted(read.name)} from"
    return None


def not_through_container(trace: Trace) -> bool:
    """Whether the body never takes an array from a captured list or dict."""
    return not any(
        isinstance(r.target, (ListV, DictV)) and id(r.target) in trace.reach_in and isinstance(r.value, Array) for r in trace.reads
    )


def captured(trace: Trace, value: object) -> bool:
    """Whether inputs= holds this very array, in whatever container."""
    return isinstance(value, Array) and (id(value) in trace.leaves or id(value) in trace.weights)


OPERATIONS_DEPTH = 4
"""How many operations back what an array is still to be computed from is looked for."""


def _made_of_captured(trace: Trace, value: Value) -> bool:
    """Whether inputs= holds an array, or one that it is still to be computed from."""
    return any(captured(trace, part) for part in near((value,), _uncomputed, OPERATIONS_DEPTH))


def _leaf(trace: Trace, value: Array) -> Place | None:
    """Where an array is captured, or one that it is still to be computed from."""
    below: Iterator[Value] = near((value,), _uncomputed, OPERATIONS_DEPTH)
    found = (trace.leaves.get(id(part)) for part in below if isinstance(part, Array))
    return next(filter(None, found), None)


def _uncomputed(value: Value) -> tuple[Value, ...]:
    """What an array is still to be computed from."""
    return value.fields.get("lazy") or () if isinstance(value, Array) else ()


def _by_own_name(record: Record) -> Iterator[Finding]:
    """The body reads an array by its own name that stands in a captured list or dict as well, which it does not read."""
    for trace in filter(not_through_container, record.traces):
        for read in trace.reads:
            capture = _leaf(trace, read.value) if isinstance(read.value, Array) else None
            if capture is not None:
                yield finding(
                    "MX205", capture,
                    f"the captured container holds {quoted(read.name)}, but the body reads it by its own name: "
                    "the first call raises \"uncaptured inputs\", and a new array bound to the name is never seen",
                    "read it through the captured container (state[0], state[\"w\"])", record, also=[("read here", read.place)],
                )  # fmt: skip
                return


def random_assigned(assigned: Sequence[tuple[Place, bool]]) -> Iterator[Finding]:
    """The random state given new contents by hand."""
    for place, item in assigned:
        yield finding(
            "MX205", place,
            "from MLX 0.32.1 on nothing can be put into mx.random.state: this raises a TypeError"
            if item
            else "mx.random.state is bound anew: the generator and the compiled functions that capture it go on with the old one",
            "call mx.random.seed, or give an explicit key= that is an argument",
        )  # fmt: skip


# -- MX203 ------------------------------------------------------------------------------------------------------------


def _random(record: Record) -> Iterator[Finding]:
    for trace in record.traces:
        draws = [event for event in trace.events if event.kind == "draw"]
        if not draws or trace.random_in and trace.random_out:
            continue
        first = draws[0]
        if record.shapeless is True and any(event.kind == "unsupported" and event.place == first.place for event in trace.events):
            continue  # the draw raises, captured or not: MX403
        if trace.random_in:
            what = "mx.random.state is in inputs= but not in outputs=: the second call raises, and the global generator holds a placeholder"
        elif trace.random_out:
            what = "mx.random.state is in outputs= but not in inputs=: every call draws the same numbers"
        else:
            what = "mx.random.state is not captured: the key is a constant of the trace, so every call draws the same numbers"
        yield finding(
            "MX203", first.place, f"{first.what} draws from the global random state while {name_of(record)} is traced, but {what}",
            f"{_all_of_it(record)}, or give an explicit key= that is an argument", record, object=first.object, calls=first.calls,
            remedy=None if record.shapeless else _with_the_rest(record, trace),
        )  # fmt: skip
        return


def _with_the_rest(record: Record, trace: Trace) -> Recapture:
    """Capture everything at once: what is captured already, what the body updates, and the random state if it draws."""
    states = elements(record)
    updates = tuple(span(event.place) for event in _uncaptured(trace))
    return Recapture(span(record.site), states, states, _draws(trace), updates, models=not states)


def _draws(trace: Trace) -> bool:
    return any(event.kind == "draw" for event in trace.events) and not (trace.random_in or trace.random_out)


def _uncaptured(trace: Trace) -> Iterator[Event]:
    """Updates by optimizers whose state is not captured."""
    for event in trace.events:
        optimizer = event.target if event.kind == "update" and event.what == "optimizer.update()" else None
        if isinstance(optimizer, Heap) and id(optimizer) not in trace.reach_in | trace.reach_out:
            yield event


_CHANGED = "give the container that it changes, such as model.state, to inputs= and to outputs="
_UPDATE = re.compile(r"([\w.]+)\.update\(\s*([\w.]+)\s*,.*", re.DOTALL)


def _all_of_it(record: Record) -> str:
    """What to write so that everything that has to be is captured, as the program calls it."""
    states = dict.fromkeys(containers(record))
    parameters = _parameters(record)
    for trace in record.traces:
        for event in _uncaptured(trace):
            named = _UPDATE.fullmatch(event.place.text)
            optimizer, model = (named[1], named[2]) if named is not None and not event.calls else ("optimizer", "model")
            optimizer, model = (
                usual if name.partition(".")[0] in parameters else name for name, usual in ((optimizer, "optimizer"), (model, "model"))
            )
            if record.inputs is None and record.outputs is None:
                states[f"{model}.state"] = None
            states[f"{optimizer}.state"] = None
    if any(map(_draws, record.traces)):
        states["mx.random.state"] = None
    return f"pass inputs={whole(states)} and outputs={whole(states)}" if states else _CHANGED


def _parameters(record: Record) -> set[str]:
    """The names of the compiled function's own parameters, which mean nothing where it is compiled; `self` means the same in a method."""
    target, _, _ = target_of(record.function)
    return set() if target is None or target.node is None else {param.name for param in target.node.params} - {"self"}


# -- MX204 ------------------------------------------------------------------------------------------------------------


def _half(record: Record) -> Iterator[Finding]:
    if not record.captures:
        return
    for trace in record.traces:
        written = {id(write.target): write.place for write in trace.writes if _state_write(write)}
        both = {
            id(w.target)
            for w in trace.writes
            if _state_write(w)
            for r in trace.reads
            if _array_read(r) and r.target is w.target and _same_place(r, w)
        }
        for target, place in written.items():
            if target in trace.reach_in and target not in trace.reach_out:
                yield finding(
                    "MX204", record.site,
                    f"{line(place)} writes state that is in inputs= but not in outputs=: "
                    "the placeholder stays in it, and the second call raises",
                    "give the same containers to inputs= and outputs=", record, also=[("written here", place)],
                    remedy=Recapture(span(record.site), elements(record), elements(record)),
                )  # fmt: skip
                return
            if target in trace.reach_out and target not in trace.reach_in and target in both:
                yield finding(
                    "MX204", record.site,
                    f"{line(place)} reads and writes state that is in outputs= but not in inputs=: "
                    "every call starts again from the value of the first trace",
                    "give the same containers to inputs= and outputs=", record, also=[("read and written here", place)],
                    remedy=Recapture(span(record.site), elements(record), elements(record)),
                )  # fmt: skip
                return
        for event in trace.events:
            if event.kind == "rebind" and id(event.target) not in trace.reach_out:
                yield finding(
                    "MX204", record.site,
                    f"{line(event.place)} differentiates a module whose state is in inputs= but not in outputs=: {event.what} puts the weights into it "
                    "anew, so placeholders stay in it, and the second call raises",
                    "give the same containers to inputs= and outputs=", record, also=[("put in here", event.place)],
                    remedy=Recapture(span(record.site), elements(record), elements(record)),
                )  # fmt: skip
                return
            if event.kind == "update" and event.what.startswith("optimizer") and _stateful(event) and _alone(event, trace):
                yield finding(
                    "MX204", record.site,
                    f"the model's state is captured but not that of the optimizer, which {line(event.place)} updates: "
                    "its moments and its step are constants of the trace",
                    _all_of_it(record), record, also=[("updated here", event.place)],
                    remedy=_with_the_rest(record, trace),
                )  # fmt: skip
                return


def _same_place(read: Read, write: Write) -> bool:
    """Whether a trace read what it also wrote: the same attribute, key or item, or the weights of a layer."""
    if read.key == WEIGHTS and _of_layer(write.target):
        return True
    return read.key == write.key and (read.index == write.index or None in (read.index, write.index))


def _state_write(write: Write) -> bool:
    return write.traced or write.key == WEIGHTS


def _of_layer(target: Heap) -> bool:
    """Whether it is a layer of the library, whose call reads all its weights at once."""
    return isinstance(target, Instance) and isinstance(target.cls, External)


def _array_read(read: Read) -> bool:
    return read.key == WEIGHTS or isinstance(read.value, Array)


def _stateful(event: Event) -> bool:
    return isinstance(event.target, Instance) and event.note == "stateful"


def _alone(event: Event, trace: Trace) -> bool:
    return bool(trace.reach_out) and isinstance(event.target, Heap) and id(event.target) not in trace.reach_out


# -- MX202 ------------------------------------------------------------------------------------------------------------


def _writes(record: Record) -> Iterator[Finding]:
    for trace in record.traces:
        returned = {id(event.target) for event in trace.events if event.kind == "return"}  # MX503 says it
        for write in trace.writes:
            if (
                id(write.target) in returned
                or not write.traced
                or id(write.target) in trace.reach_out
                or id(write.target) in trace.reach_in
            ):
                continue
            verb = {"append": "appends to", "items": "changes", "in place": "writes into"}.get(write.how, "writes")
            yield finding(
                "MX202", write.place,
                f"{name_of(record)} {verb} {quoted(write.name)}, which is older than the trace: what is kept there is a placeholder, "
                "written once per trace and not once per call; using it later raises "
                '"[eval] Attempting to eval an array without a primitive"',
                "return the value and store it outside the compiled function, or pass the container as outputs=", record,
                object=write.object, calls=write.calls,
            )  # fmt: skip
        for event in _filled(record, trace):
            left = (
                "the weights change once per trace, and not once per call"
                if event.note == "once"
                else "the model is left with placeholders instead of weights"
            )
            yield finding(
                "MX202", event.place, f"{event.what} changes state that is not in outputs=: {left}",
                _all_of_it(record), record, object=event.object, calls=event.calls,
            )  # fmt: skip


def _filled(record: Record, trace: Trace) -> Iterator[Event]:
    """Where weights, or the state of an optimizer, are computed that no captured container takes out of the trace."""
    bare = not trace.reach_in and not trace.reach_out
    known = all(_in_sight(capture.value) for capture in (record.inputs, record.outputs) if capture is not None)
    seen: set[Place] = set()
    last = last_filled(trace)
    parts: dict[int, set[int]] = {}
    for number, event in enumerate(trace.events):
        if event.kind not in ("fill", "update") or not isinstance(event.target, Heap) or event.place in seen:
            continue
        again = last.get(id(event.target), number) > number
        if id(event.target) not in parts:
            parts[id(event.target)] = {id(part) for part in children(event.target)}
        outside = parts[id(event.target)].isdisjoint(trace.reach_in | trace.reach_out)
        missed = known and isinstance(event.target, Instance) and event.kind == "fill" and outside
        harmless = again or event.note == "argument" and REREAD not in event.target.fields
        if not harmless and (bare or missed and event.note in ("traced", "argument")):
            seen.add(event.place)
            yield event


def _in_sight(value: Value | None) -> bool:
    """Whether everything that is captured is known: an unknown object may be any."""
    return value is not None and all(map(_known, each((value,), _into)))


def _known(value: Value) -> bool:
    if isinstance(value, (ListV, Tup)):
        return value.items is not None
    if isinstance(value, DictV):
        return not value.open
    return isinstance(value, (Array, Instance, External)) or isinstance(value, StateV) and isinstance(value.owner, Instance)


def _into(value: Value) -> tuple[Value, ...]:
    """What a captured container holds."""
    return tuple(value.fields["k", key] for key in value.keys) if isinstance(value, DictV) else listed(value)


# -- MX201 ------------------------------------------------------------------------------------------------------------


def _reads(record: Record) -> Iterator[Finding]:
    written = [
        write.target
        for trace in record.traces
        for write in trace.writes
        if _state_write(write) and id(write.target) not in trace.reach_in | trace.reach_out  # MX202 says it
    ]
    kept = {id(target) for target in written}
    kept |= {id(below) for below in children(*written)}
    seen: set[object] = set()
    for stale in record.stale:
        read = stale.read
        if (
            not _is_state(read.value, read.key)
            or any(id(read.target) in trace.reach_in for trace in record.traces)
            or read.place in seen
            or id(read.target) in kept
        ):
            continue
        seen.add(read.place)
        where = f" {line(stale.written)} changes it" if stale.written is not None else " it changes"
        what = f"the weights of {quoted(read.name)}" if read.key == WEIGHTS else quoted(read.name)
        yield finding(
            "MX201", read.place,
            f"{what} {'become constants' if read.key == WEIGHTS else 'becomes a constant'} when {name_of(record)} is traced;{where} before {line(stale.again)} calls it again, "
            "and that call still uses the old value",
            "pass it as an argument, or give its container to inputs= (model.state for a model)", record, object=read.object, calls=read.calls,
            also=[(text, place) for text, place in (("changed here", stale.written), ("called again here", stale.again)) if place is not None],
            severity="error" if stale.straight else "warning",
        )  # fmt: skip


def _carried(record: Record) -> Iterator[Finding]:
    """Constants that the body itself replaces by what it makes of them, such as a key that it splits."""
    for trace in record.traces:
        written = {(id(write.target), write.key): write for write in trace.writes}
        for read in trace.reads:
            write = written.get((id(read.target), read.key))
            if write is None or (id(read.target), read.key) not in trace.counted or not _made_of(write.value, read.value):
                continue
            yield finding(
                "MX201", read.place,
                f"{quoted(read.name)} is changed by {line(write.place)} when {name_of(record)} is traced, once per trace: "
                "every later call computes with the same array",
                "pass it as an argument and return what comes next, or keep it in a list or dict that is given to inputs= and outputs=", record,
                object=read.object, calls=read.calls, also=[("changed here", write.place)],
            )  # fmt: skip
            return


CARRIED_DEPTH = 8
"""How many operations back a constant is looked for that another one was computed from."""


def _made_of(value: Value, origin: Value) -> bool:
    """Whether a constant was computed from another in the trace."""
    below = near(operands(value), operands, CARRIED_DEPTH - 1)
    return isinstance(origin, Array) and any(part is origin for part in below)


def _is_state(value: Value, key: object) -> bool:
    if key in (WEIGHTS, "version"):
        return True
    if isinstance(value, Array):
        return True
    if isinstance(value, (ListV, Tup)) and value.items:
        return any(isinstance(item, Array) for item in value.items)
    if isinstance(value, DictV):
        return any(isinstance(item, Array) for item in value.fields.values())
    return isinstance(value, StateV)


# -- MX208 ------------------------------------------------------------------------------------------------------------

_EXPECTED = frozenset({"raise", "format", "evaluate", "convert", "truth", "index"})
"""Why a trace is seen to fail: the finding is about that place, and not about who catches the exception."""


def raises(record: Record) -> Iterator[Finding]:
    """A raise in the body while state is captured."""
    if record.inputs is None:
        return
    for place in record.misfits:
        yield finding(
            "MX208", place,
            f"{name_of(record)} does not take these arguments: the trace raises a TypeError while inputs= holds placeholders, and the captured "
            f"state ({quoted(record.inputs.text)}) keeps them for ever",
            "pass the arguments that the function takes", record,
        )  # fmt: skip
    if not any(event.kind in _EXPECTED for trace in record.traces for event in trace.events):
        for place, again in dict(record.fallbacks).items():
            yield finding(
                "MX208", place,
                f"if {name_of(record)} raises while it is traced, the captured state ({quoted(record.inputs.text)}) keeps placeholders for ever: "
                f"{line(again)} goes on with it uncompiled, and raises too",
                "put copies of the arrays back into the captured containers first, or decide before the call what to run", record,
                also=[("uncompiled here", again)],
            )  # fmt: skip
    for trace in record.traces:
        for event in trace.events:
            if event.kind == "raise":
                yield finding(
                    "MX208", event.place,
                    f"{'an assert' if event.what == 'assert' else 'a raise'} here ends the trace of {name_of(record)} while inputs= holds placeholders: the captured state "
                    f"({quoted(record.inputs.text)}) keeps them for ever, also when the caller catches the exception",
                    "check the arguments in a plain function that calls the compiled one", record, object=event.object, calls=event.calls,
                )  # fmt: skip
